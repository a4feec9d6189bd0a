"""An LSTM over a sequence by lax.scan, with gradients through time."""

import jax
import jax.numpy as jnp

KEEP_TENSORS = True
STEPS, BATCH, INPUTS, WIDTH = 6, 2, 3, 5


def cell(weights, carry, x):
    hidden, memory = carry
    gates = x @ weights["inputs"] + hidden @ weights["hidden"] + weights["bias"]
    take, forget, update, give = jnp.split(gates, 4, axis=-1)
    memory = jax.nn.sigmoid(forget + 1.0) * memory + jax.nn.sigmoid(take) * jnp.tanh(update)
    hidden = jax.nn.sigmoid(give) * jnp.tanh(memory)
    return (hidden, memory), hidden


def loss(weights, xs):
    zeros = jnp.zeros((BATCH, WIDTH))
    (_, memory), hiddens = jax.lax.scan(lambda carry, x: cell(weights, carry, x), (zeros, zeros), xs)
    return jnp.square(hiddens).sum() + memory.sum()


def build():
    keys = jax.random.split(jax.random.key(3), 3)
    weights = {
        "inputs": jax.random.normal(keys[0], (INPUTS, 4 * WIDTH)) * 0.5,
        "hidden": jax.random.normal(keys[1], (WIDTH, 4 * WIDTH)) * 0.5,
        "bias": jnp.zeros(4 * WIDTH),
    }
    xs = jax.random.normal(keys[2], (STEPS, BATCH, INPUTS))
    return jax.value_and_grad(loss), (weights, xs)
