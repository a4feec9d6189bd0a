"""Measures how many ulps XLA's functions err and writes verifier/data/function_ulp.tsv: the table of contract `xla`.

    .venv/bin/python python/measure/function_ulp.py

Functions that numpy has run on random arguments of every magnitude and, densely, on those between -4 and 4, in every type; what they should give is computed
in a wider type (f64 for types up to f32, 80-bit for f64) and rounded once. All functions also run in f32 over a range of their own against XLA's f64. Arguments
and results that are subnormal, infinite or NaN do not count. The error is in units of the last place of the right result.
"""

import os
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
TARGET = Path(__file__).resolve().parents[2] / "verifier" / "data" / "function_ulp.tsv"
SAMPLES = 1 << 20
RANGED_SAMPLES = 1 << 18

def dense(low, high):
    """Evenly spaced f32 numbers."""
    return np.linspace(low, high, RANGED_SAMPLES).astype(np.float32)


def logarithmic(low, high):
    """f32 numbers of both signs with magnitudes from 2^low to 2^high."""
    values = np.exp2(np.linspace(low, high, RANGED_SAMPLES)).astype(np.float32)
    return np.concatenate([values, -values])


def positive(values):
    return values[values > 0]


def both(first, second):
    return np.concatenate([first, second])


# Functions that numpy does not have, and ranges in which XLA's approximation is meant to be used, without the surroundings of roots that are not at a float.
RANGED = {
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
    scale = np.exp2(random.uniform(-10, 10, RANGED_SAMPLES)).astype(np.float32)
    exponent = random.uniform(-10, 10, RANGED_SAMPLES).astype(np.float32)
    normal = random.normal(size=RANGED_SAMPLES).astype(np.float32)
    place = np.exp2(random.uniform(-3, 6, RANGED_SAMPLES)).astype(np.float32)
    order = random.integers(1, 5, RANGED_SAMPLES).astype(np.float32)
    return {
        "atan2": (jnp.arctan2, exponent, normal),
        "polygamma": (lax.polygamma, order, place),
        "power": (jnp.power, scale, exponent),
        "zeta": (lax.zeta, 1.1 + np.abs(3 * normal), place),
    }


with np.errstate(all="ignore"):
    UNARY = {
        "cbrt": (lax.cbrt, np.cbrt),
        "cosine": (lax.cos, np.cos),
        "exponential": (lax.exp, np.exp),
        "exponential_minus_one": (lax.expm1, np.expm1),
        "log": (lax.log, np.log),
        "log_plus_one": (lax.log1p, np.log1p),
        "logistic": (lax.logistic, lambda x: 1 / (1 + np.exp(-x))),
        "rsqrt": (lax.rsqrt, lambda x: 1 / np.sqrt(x)),
        "sine": (lax.sin, np.sin),
        "tan": (lax.tan, np.tan),
        "tanh": (lax.tanh, np.tanh),
    }
    BINARY = {"atan2": (lax.atan2, np.arctan2), "power": (lax.pow, np.power)}

TYPES = {"f64": (np.float64, np.longdouble), "f32": (np.float32, np.float64), "f16": (np.float16, np.float64), "bf16": (ml_dtypes.bfloat16, np.float64)}


def samples(dtype, random):
    info = ml_dtypes.finfo(dtype)
    low, high = int(info.minexp), int(info.maxexp) - 1
    wide = (1 + random.random(SAMPLES)) * np.exp2(random.integers(low, high, SAMPLES).astype(np.float64)) * random.choice([-1.0, 1.0], SAMPLES)
    near = random.uniform(-4, 4, SAMPLES)
    return np.concatenate([wide, near]).astype(dtype)


def worst(function, right, dtype, wider, arguments):
    got = np.asarray(jax.jit(function)(*[jnp.asarray(a) for a in arguments]))
    info = ml_dtypes.finfo(dtype)
    with np.errstate(all="ignore"):
        want = right(*[a.astype(wider) for a in arguments])
        magnitude = np.abs(want)
        counts = np.isfinite(want) & (magnitude >= float(info.tiny)) & (magnitude <= float(info.max)) & np.isfinite(got.astype(wider))
        if wider is np.longdouble:
            exponent = np.floor(np.log2(np.where(counts, magnitude, 1))).astype(np.int64)
        else:
            exponent = np.frexp(np.where(counts, magnitude, 1))[1].astype(np.int64) - 1
        ulp = np.ldexp(np.ones((), wider), exponent - int(info.nmant))
        error = np.where(counts, np.abs(got.astype(wider) - want) / ulp, 0)
    at = int(np.argmax(error))
    return float(error[at]), [float(a[at]) for a in arguments]


def worst_in_range(function, *operands):
    """Largest distance in f32 from the function in f64, where both are finite and not subnormal."""
    got = np.asarray(jax.jit(function)(*operands))
    want = np.asarray(jax.jit(function)(*[x.astype(np.float64) for x in operands]))
    counted = np.isfinite(got) & np.isfinite(want) & (np.abs(want) > 2.0**-126)
    unit = np.exp2(np.floor(np.log2(np.abs(want[counted]))) - 23)
    error = np.abs(got[counted].astype(np.float64) - want[counted]) / unit
    at = int(np.argmax(error))
    return float(error[at]), [float(x[counted][at]) for x in operands]


def main():
    random = np.random.default_rng(1)
    found = {}
    for table, arity in ((UNARY, 1), (BINARY, 2)):
        for name, (function, right) in table.items():
            for kind, (dtype, wider) in TYPES.items():
                arguments = [samples(dtype, random) for _ in range(arity)]
                if name == "power":
                    arguments = [np.abs(arguments[0]), samples(dtype, random)]
                found[name, kind] = worst(function, right, dtype, wider, arguments)
    for name, case in (RANGED | operands_of_two(np.random.default_rng(0))).items():
        ranged = worst_in_range(*case)
        found[name, "f32"] = max(found.get((name, "f32"), ranged), ranged)
    lines = [f"# jaxlib {jax.lib.__version__}, platform {jax.devices()[0].platform}: function, type, largest error in ulps, where; written by python/measure/function_ulp.py"]
    for (name, kind), (error, at) in sorted(found.items()):
        lines.append(f"{name}\t{kind}\t{error:.3g}\t{', '.join(map(repr, at))}")
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
