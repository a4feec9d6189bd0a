"""Measures how far XLA:CPU's f32 functions lie from f64, in units in the last place: the table that contract `xla` reads.

Run with the pinned jaxlib: python python/measure/function_ulp.py > verifier/src/contract/function_ulp.tsv
"""

import os

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import jaxlib
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
SAMPLES = 1 << 18


def dense(low, high):
    """Evenly spaced f32 numbers."""
    return np.linspace(low, high, SAMPLES).astype(np.float32)


def logarithmic(low, high):
    """f32 numbers of both signs with magnitudes from 2^low to 2^high."""
    values = np.exp2(np.linspace(low, high, SAMPLES)).astype(np.float32)
    return np.concatenate([values, -values])


def positive(values):
    return values[values > 0]


def both(first, second):
    return np.concatenate([first, second])


# Function and operands: the range in which XLA's own approximation is meant to be used, without the surroundings of roots that are not at a float.
UNARY = {
    "acos": (jnp.arccos, dense(-0.999, 0.999)),
    "acosh": (jnp.arccosh, positive(logarithmic(1, 60))),
    "asin": (jnp.arcsin, dense(-1, 1)),
    "asinh": (jnp.arcsinh, logarithmic(-20, 60)),
    "atan": (jnp.arctan, logarithmic(-20, 20)),
    "atanh": (jnp.arctanh, both(dense(-0.999, 0.999), logarithmic(-20, -1))),
    "bessel_i1e": (lax.bessel_i1e, dense(-50, 50)),
    "cbrt": (jnp.cbrt, logarithmic(-100, 100)),
    "cosh": (jnp.cosh, dense(-80, 80)),
    "cosine": (jnp.cos, both(dense(-100, 100), logarithmic(-20, 20))),
    "digamma": (lax.digamma, dense(2, 50)),
    "erf": (lax.erf, both(dense(-4, 4), logarithmic(-20, 2))),
    "erf_inv": (lax.erf_inv, dense(-0.99999, 0.99999)),
    "erfc": (lax.erfc, dense(-3, 9)),
    "exponential": (jnp.exp, dense(-87, 88)),
    "exponential_minus_one": (jnp.expm1, both(dense(-80, 88), logarithmic(-20, 6))),
    "lgamma": (lax.lgamma, dense(3, 50)),
    "log": (jnp.log, positive(logarithmic(-120, 120))),
    "log_plus_one": (jnp.log1p, both(dense(-0.999, 4), positive(logarithmic(-20, 120)))),
    "logistic": (jax.nn.sigmoid, dense(-80, 80)),
    "rsqrt": (lax.rsqrt, positive(logarithmic(-120, 120))),
    "sine": (jnp.sin, both(dense(-100, 100), logarithmic(-20, 20))),
    "sinh": (jnp.sinh, both(dense(-80, 80), logarithmic(-20, 4))),
    "tan": (jnp.tan, dense(-100, 100)),
    "tanh": (jnp.tanh, both(dense(-10, 10), logarithmic(-20, 4))),
}


def operands_of_two(random):
    scale = np.exp2(random.uniform(-10, 10, SAMPLES)).astype(np.float32)
    exponent = random.uniform(-10, 10, SAMPLES).astype(np.float32)
    normal = random.normal(size=SAMPLES).astype(np.float32)
    place = np.exp2(random.uniform(-3, 6, SAMPLES)).astype(np.float32)
    order = random.integers(1, 5, SAMPLES).astype(np.float32)
    return {
        "atan2": (jnp.arctan2, exponent, normal),
        "polygamma": (lax.polygamma, order, place),
        "power": (jnp.power, scale, exponent),
        "zeta": (lax.zeta, 1.1 + np.abs(3 * normal), place),
    }


def worst(function, *operands):
    """Largest distance from the function in f64, where both are finite and not subnormal."""
    got = np.asarray(jax.jit(function)(*operands))
    want = np.asarray(jax.jit(function)(*[x.astype(np.float64) for x in operands]))
    counted = np.isfinite(got) & np.isfinite(want) & (np.abs(want) > 2.0**-126)
    unit = np.exp2(np.floor(np.log2(np.abs(want[counted]))) - 23)
    return float(np.max(np.abs(got[counted].astype(np.float64) - want[counted]) / unit))


if __name__ == "__main__":
    table = {name: worst(*case) for name, case in UNARY.items()}
    table |= {name: worst(*case) for name, case in operands_of_two(np.random.default_rng(0)).items()}
    print(f"# largest error in ulp of f32, XLA:CPU of jaxlib {jaxlib.__version__}, by python/measure/function_ulp.py")
    for name, ulp in sorted(table.items()):
        print(f"{name}\t{ulp:.2f}")
