"""Every element type JAX's default mode has: conversions between them, arithmetic in the narrow ones, integer overflow, shifts, bit casts, complex."""

import jax
import jax.numpy as jnp
from jax import lax

FLOATS = (jnp.bfloat16, jnp.float16, jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float32)
INTEGERS = (jnp.int8, jnp.uint8, jnp.int16, jnp.uint16, jnp.int32, jnp.uint32)


def program(x, integers, condition):
    floats = [x.astype(a).astype(b) for a in FLOATS for b in FLOATS if a != b]
    narrow = [(x.astype(t) * x.astype(t) + x.astype(t)).sum() for t in FLOATS]
    dots = [jnp.dot(x.astype(t), x.astype(t).T, preferred_element_type=jnp.float32) for t in (jnp.bfloat16, jnp.float16)]
    wrapped = [(integers.astype(t) * 37 + 100) for t in INTEGERS]
    divided = [integers.astype(t) // 7 + integers.astype(t) % 5 for t in (jnp.int8, jnp.uint8, jnp.int32)]
    accumulated = lax.dot(integers.astype(jnp.int8), integers.astype(jnp.int8).T, preferred_element_type=jnp.int32)
    shifted = (integers << 3, integers >> 2, lax.shift_right_logical(integers, jnp.full_like(integers, 4)))
    bits = (lax.population_count(integers), lax.clz(integers), ~integers, integers ^ 85, integers & 15, integers | 64)
    cast = (lax.bitcast_convert_type(x, jnp.int32), lax.bitcast_convert_type(x.astype(jnp.bfloat16), jnp.uint16))
    number = lax.complex(x, -x)
    complexes = (number * number, jnp.abs(number), number.real, number.imag, number.conj() / (number + 2), number @ number.T)
    rounded = (jnp.round(x * 5), jnp.floor(x), jnp.ceil(x), jnp.sign(x), (x * 40).astype(jnp.int8), lax.reduce_precision(x, 5, 4))
    booleans = (condition & (x > 0), jnp.logical_xor(condition, x < 0.5), condition.astype(jnp.float16), jnp.any(condition, 1))
    limits = (jnp.isfinite(x / 0.0), jnp.maximum(x, 0), jnp.clip(integers, -5, 90), jnp.where(condition, x, -0.0))
    return floats, narrow, dots, wrapped, divided, accumulated, shifted, bits, cast, complexes, rounded, booleans, limits


def build():
    keys = jax.random.split(jax.random.key(6), 3)
    x = jax.random.normal(keys[0], (3, 5))
    integers = jax.random.randint(keys[1], (3, 5), -300, 300)
    return program, (x, integers, jax.random.bernoulli(keys[2], 0.5, (3, 5)))
