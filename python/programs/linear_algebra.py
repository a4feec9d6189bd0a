"""fft, cholesky and triangular_solve as StableHLO ops (the CPU lowering of JAX calls LAPACK, the TPU one keeps the ops)."""

import jax
import jax.numpy as jnp

PLATFORM = "tpu"


def program(matrix, right, signal):
    factor = jnp.linalg.cholesky(matrix)
    half = jax.scipy.linalg.solve_triangular(factor, right, lower=True)
    solved = jax.scipy.linalg.solve_triangular(factor, half, lower=True, trans="T")
    spectrum = jnp.fft.rfft(signal)
    filtered = jnp.fft.irfft(spectrum * (jnp.arange(spectrum.shape[-1]) < 4), n=signal.shape[-1])
    plane = jnp.fft.ifft2(jnp.fft.fft2(signal.astype(jnp.complex64)) * 2)
    return factor, solved, jnp.log(jnp.diagonal(factor)).sum(), spectrum, filtered, plane


def build():
    keys = jax.random.split(jax.random.key(8), 3)
    root = jax.random.normal(keys[0], (6, 6))
    return program, (root @ root.T + jnp.eye(6), jax.random.normal(keys[1], (6, 2)), jax.random.normal(keys[2], (4, 10)))
