"""One training step of a small MLP: loss, gradients, Adam."""

import jax
import jax.numpy as jnp

KEEP_TENSORS = True
SIZES = (7, 12, 3)


def loss(weights, x, labels):
    for matrix, bias in weights[:-1]:
        x = jax.nn.relu(x @ matrix + bias)
    matrix, bias = weights[-1]
    likelihoods = jax.nn.log_softmax(x @ matrix + bias)
    return -jnp.take_along_axis(likelihoods, labels[:, None], axis=-1).mean()


def step(weights, mean, variance, count, x, labels):
    value, gradients = jax.value_and_grad(loss)(weights, x, labels)
    count = count + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradients)
    variance = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, variance, gradients)
    correction_1, correction_2 = 1 - 0.9**count, 1 - 0.999**count
    weights = jax.tree.map(
        lambda w, m, v: w - 0.01 * (m / correction_1) / (jnp.sqrt(v / correction_2) + 1e-8), weights, mean, variance
    )
    return value, weights, mean, variance, count


def build():
    keys = jax.random.split(jax.random.key(1), 8)
    weights = [
        (jax.random.normal(keys[i], (rows, columns)) * rows**-0.5, jnp.zeros(columns))
        for i, (rows, columns) in enumerate(zip(SIZES, SIZES[1:]))
    ]
    zeros = jax.tree.map(jnp.zeros_like, weights)
    x = jax.random.normal(keys[6], (5, SIZES[0]))
    labels = jax.random.randint(keys[7], (5,), 0, SIZES[-1])
    return step, (weights, zeros, zeros, jnp.float32(3), x, labels)
