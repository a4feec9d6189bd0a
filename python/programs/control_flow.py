"""Conditionals: cond, switch, nested loops with a branch inside, a loop that carries arrays and integers, vmap of cond (becomes select)."""

import jax
import jax.numpy as jnp
from jax import lax


def program(x, which, flag):
    chosen = lax.cond(flag, lambda v: jnp.sin(v), lambda v: v * 2 - 1, x)
    switched = lax.switch(which, [lambda v: v, jnp.tanh, lambda v: v @ v.T @ v, lambda v: -v], x)

    def outer(i, carry):
        total, parity = carry
        inner = lax.fori_loop(0, i + 1, lambda j, v: v + total * (j + 1), jnp.zeros_like(x))
        total = lax.cond(i % 2 == 0, lambda: total + inner * 0.1, lambda: total - jnp.cos(inner))
        return total, parity ^ (i & 1)

    looped, parity = lax.fori_loop(0, 4, outer, (x, 0))
    each = jax.vmap(lambda row: lax.cond(row.sum() > 0, jnp.exp, jnp.abs, row))(x)

    def halve(state):
        value, count = state
        return jnp.where(value % 2 == 0, value // 2, 3 * value + 1), count + 1

    collatz = lax.while_loop(lambda state: state[0] != 1, halve, (which + 27, 0))
    pairs = lax.map(lambda row: (row.max(), row.argmax()), x)
    return chosen, switched, looped, parity, each, collatz, pairs


def build():
    return program, (jax.random.normal(jax.random.key(7), (4, 6)), jnp.int32(2), jnp.bool_(True))
