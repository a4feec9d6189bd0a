"""A small convolutional net in training mode: strided, dilated and grouped convolutions, batch norm, max and average pooling, gradients."""

import jax
import jax.numpy as jnp
from jax import lax


def convolution(x, kernel, stride=1, dilation=1, groups=1):
    return lax.conv_general_dilated(
        x,
        kernel,
        (stride, stride),
        "SAME",
        rhs_dilation=(dilation, dilation),
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups,
    )


def batch_norm(x, scale, offset):
    mean = x.mean((0, 1, 2))
    variance = jnp.square(x).mean((0, 1, 2)) - jnp.square(mean)
    return (x - mean) * lax.rsqrt(variance + 1e-3) * scale + offset


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def average_pool(x):
    window, strides = (1, 2, 2, 1), (1, 1, 1, 1)
    sums = lax.reduce_window(x, 0.0, lax.add, window, strides, "SAME")
    counts = lax.reduce_window(jnp.ones_like(x), 0.0, lax.add, window, strides, "SAME")
    return sums / counts


def loss(weights, x, target):
    x = jax.nn.relu(batch_norm(convolution(x, weights["stem"], stride=2), weights["scale"], weights["offset"]))
    x = max_pool(x)
    x = x + jax.nn.silu(convolution(x, weights["dilated"], dilation=2))
    x = average_pool(convolution(x, weights["grouped"], groups=4))
    return jnp.square(x.mean((1, 2)) @ weights["head"] - target).sum()


def build():
    keys = jax.random.split(jax.random.key(2), 6)
    weights = {
        "stem": jax.random.normal(keys[0], (3, 3, 3, 8)) * 0.3,
        "scale": jnp.ones(8),
        "offset": jnp.zeros(8),
        "dilated": jax.random.normal(keys[1], (3, 3, 8, 8)) * 0.2,
        "grouped": jax.random.normal(keys[2], (3, 3, 2, 8)) * 0.3,
        "head": jax.random.normal(keys[3], (8, 4)) * 0.3,
    }
    x = jax.random.normal(keys[4], (2, 16, 15, 3))
    target = jax.random.normal(keys[5], (2, 4))
    return jax.value_and_grad(loss), (weights, x, target)
