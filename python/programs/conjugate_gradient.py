"""Conjugate gradients: a while loop whose trip count depends on the data."""

import jax
import jax.numpy as jnp

KEEP_TENSORS = True
SIZE, LIMIT = 12, 40


def solve(matrix, right):
    def unfinished(state):
        count, _, residual, _ = state
        return (count < LIMIT) & (residual @ residual > 1e-8)

    def step(state):
        count, x, residual, direction = state
        image = matrix @ direction
        length = (residual @ residual) / (direction @ image)
        x = x + length * direction
        after = residual - length * image
        direction = after + (after @ after) / (residual @ residual) * direction
        return count + 1, x, after, direction

    count, x, residual, _ = jax.lax.while_loop(unfinished, step, (0, jnp.zeros_like(right), right, right))
    return x, jnp.linalg.norm(residual), count


def build():
    keys = jax.random.split(jax.random.key(4), 2)
    factor = jax.random.normal(keys[0], (SIZE, SIZE)) * 0.3
    return solve, (factor @ factor.T + jnp.eye(SIZE), jax.random.normal(keys[1], (SIZE,)))
