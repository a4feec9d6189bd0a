"""Measures how many ulps XLA's functions err and writes verifier/data/xla_ulps.tsv.

    .venv/bin/python python/measure/ulps.py

Each function runs on random arguments of every magnitude and, densely, on those between -4 and 4; what it should give is computed in a wider type (f64
for types up to f32, 80-bit for f64) and rounded once. Arguments and results that are subnormal, infinite or NaN do not count. The error is in units of
the last place of the right result.
"""

from pathlib import Path

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)
TARGET = Path(__file__).resolve().parents[2] / "verifier" / "data" / "xla_ulps.tsv"
SAMPLES = 1 << 20

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


def main():
    random = np.random.default_rng(1)
    lines = [f"# jaxlib {jax.lib.__version__}, platform {jax.devices()[0].platform}: largest error in ulps of {2 * SAMPLES} arguments; written by python/measure/ulps.py"]
    for table, arity in ((UNARY, 1), (BINARY, 2)):
        for name, (function, right) in table.items():
            for kind, (dtype, wider) in TYPES.items():
                arguments = [samples(dtype, random) for _ in range(arity)]
                if name == "power":
                    arguments = [np.abs(arguments[0]), samples(dtype, random)]
                error, at = worst(function, right, dtype, wider, arguments)
                lines.append(f"{name}\t{kind}\t{error:.3g}\t{', '.join(map(repr, at))}")
                print(lines[-1], flush=True)
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
