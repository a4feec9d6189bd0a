"""Sorting and addressing: stable and multi-key sort, top-k, arg-reductions, gather, scatter in several modes, dynamic slices, cumulative sums."""

import jax
import jax.numpy as jnp
from jax import lax


def program(x, keys, indices, updates, start):
    by_key, by_value = lax.sort((keys, x[:, 0]), num_keys=2)
    order = jnp.argsort(x, axis=0, stable=True, descending=True)
    largest, places = lax.top_k(x, 3)
    rows = x.at[indices].get(mode="fill", fill_value=-1.0)
    columns = jnp.take_along_axis(x, order, axis=0)
    added = x.at[indices, :].add(updates, mode="drop")
    replaced = x.at[:, ::2].set(0.0)
    smallest = jax.ops.segment_min(x, keys, num_segments=4)
    window = lax.dynamic_slice(x, (start, start), (4, 3))
    written = lax.dynamic_update_slice(x, window * 2, (start, 0))
    running = jnp.cumsum(jnp.flip(x, 1), axis=1)
    counts = jnp.bincount(keys, length=5)
    bounds = jnp.searchsorted(by_value, jnp.array([-0.5, 0.5]))
    return (
        (by_key, by_value, order, largest, places, rows, columns, added, replaced, smallest),
        (window, written, running, counts, bounds, jnp.argmax(x, 1), jnp.argmin(x, 0), jnp.roll(x, 2, 0)),
    )


def build():
    keys = jax.random.split(jax.random.key(5), 3)
    x = jax.random.normal(keys[0], (9, 7))
    groups = jax.random.randint(keys[1], (9,), 0, 4)
    indices = jnp.array([3, 0, 3, 8, 40])
    return program, (x, groups, indices, jax.random.normal(keys[2], (5, 7)), jnp.int32(6))
