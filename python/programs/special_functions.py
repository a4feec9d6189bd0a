"""Functions that HLO text holds written out and StableHLO by name (chlo), in two types; and QR, Cholesky and LU as LAPACK calls."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.scipy import special

SIZE = 24


def functions(x):
    inside = jnp.tanh(x)
    return (
        lax.erf(x),
        lax.erfc(x),
        lax.erf_inv(inside),
        lax.lgamma(x),
        lax.digamma(x),
        lax.bessel_i1e(x),
        lax.asin(inside),
        lax.acos(inside),
        lax.atan(x),
        lax.asinh(x),
        lax.acosh(jnp.abs(x) + 1),
        lax.atanh(inside),
        lax.sinh(x),
        lax.cosh(x),
        lax.square(x),
        lax.nextafter(x, x[::-1]),
    )


def program(x, matrix):
    narrow = functions(x.astype(jnp.bfloat16))
    order = jnp.arange(SIZE) % 4
    two = special.zeta(jnp.abs(x) + 1.5, jnp.abs(x[::-1]) + 0.25), special.polygamma(order, jnp.abs(x) + 0.5)
    lower = jnp.linalg.cholesky(matrix @ matrix.T + jnp.eye(4))
    return functions(x), narrow, two, jnp.linalg.qr(matrix), lower, jnp.linalg.solve(lower, matrix)


def build():
    keys = jax.random.split(jax.random.key(11), 2)
    return program, (jax.random.normal(keys[0], (SIZE,)) * 2, jax.random.normal(keys[1], (4, 4)))
