"""Compiles a function with dumps and lets the binary validate them."""

import contextlib
import functools
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import jax
import numpy as np
from jax.extend.core import jaxpr_as_fun

from .report import Report

BROKEN = 1


class Mismatch(AssertionError):
    """A stage of XLA changed what a program computes. `report` says which."""

    def __init__(self, report):
        super().__init__(f"XLA does not compute what the program says\n{report}")
        self.report = report


def binary(named=None):
    """The `tileproof` program: the one named, that of the path, or one built in this repository."""
    if named:
        return str(named)
    found = shutil.which("tileproof")
    if found:
        return found
    root = Path(__file__).resolve().parents[2]
    built = [root / "target" / profile / "tileproof" for profile in ("release", "debug")]
    for path in built:
        if path.is_file():
            return str(path)
    raise FileNotFoundError(
        "no `tileproof` in PATH nor in target/release of the repository: build it with `cargo build --release -p tileproof`, or name it with tileproof=... (--tileproof on the command line)"
    )


def storage(leaf):
    """A leaf of the arguments as tileproof reads it from .npy; None for a shape without values."""
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return None
    if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    # As JAX takes it: 64-bit numbers become 32-bit ones where x64 is off.
    array = np.asarray(jax.numpy.asarray(leaf))
    # NumPy's format has no names for the types of ml_dtypes.
    name = array.dtype.name
    if name.startswith(("int", "uint")):
        return array.astype(np.int8 if name in ("int2", "int4") else np.uint8 if name in ("uint2", "uint4") else array.dtype)
    if name.startswith(("bfloat", "float8_", "float6_", "float4_")):
        return array.view(np.uint16 if array.dtype.itemsize == 2 else np.uint8)
    return array


@contextlib.contextmanager
def no_compilation_cache():
    """A program from the persistent cache would leave no dumps."""
    before = jax.config.jax_enable_compilation_cache
    jax.config.update("jax_enable_compilation_cache", False)
    try:
        yield
    finally:
        jax.config.update("jax_enable_compilation_cache", before)


def is_data(leaf):
    """Whether JAX takes the leaf as an array; what it does not take (a string, a function) belongs to the program."""
    return isinstance(leaf, (jax.Array, np.ndarray, np.generic, bool, int, float, complex, jax.ShapeDtypeStruct))


def statics(jitted):
    """Positions and names of the static arguments of a function of `jax.jit`."""
    info = getattr(jitted, "_jit_info", None)
    return set(getattr(info, "static_argnums", ())), set(getattr(info, "static_argnames", ()))


def flattened(function, arguments, kwargs, jit_options):
    """The function as one of arrays alone, these arrays, and which of them it takes over (donated arguments)."""
    if hasattr(function, "trace") or jit_options:
        jitted = jax.jit(function, **jit_options) if jit_options else function
        traced = jitted.trace(*arguments, **kwargs)
        numbers, names = statics(jitted)
        numbers = {n % len(arguments) for n in numbers if -len(arguments) <= n < len(arguments)}
        dynamic = [a for i, a in enumerate(arguments) if i not in numbers]
        leaves = jax.tree.leaves((dynamic, {k: v for k, v in kwargs.items() if k not in names}))
        donated = [i for i, info in enumerate(jax.tree.leaves(traced.args_info)) if info.donated]
        if len(leaves) != len(traced.jaxpr.in_avals):
            raise ValueError(f"{len(leaves)} arrays are given, the traced function takes {len(traced.jaxpr.in_avals)}")
        return jaxpr_as_fun(traced.jaxpr), leaves, donated
    all_leaves, tree = jax.tree.flatten((arguments, kwargs))
    places = [i for i, leaf in enumerate(all_leaves) if is_data(leaf)]

    def of_arrays(*arrays):
        rebuilt = list(all_leaves)
        for i, array in zip(places, arrays):
            rebuilt[i] = array
        a, k = jax.tree.unflatten(tree, rebuilt)
        return function(*a, **k)

    return of_arrays, [all_leaves[i] for i in places], []


def write(folder, function, arguments, kwargs, jit_options):
    """Writes program, inputs and dumps; gives the paths of the inputs, None where only shapes are known."""
    of_arrays, leaves, donated = flattened(function, arguments, kwargs, jit_options)

    def program(*arrays):
        return of_arrays(*arrays)

    program.__name__ = getattr(function, "__name__", "program").replace("<lambda>", "program")
    # Arguments that are not used stay, so that the inputs fit the program.
    lowered = jax.jit(program, keep_unused=True, donate_argnums=donated).lower(*leaves)
    (folder / "program.mlir").write_text(lowered.as_text())
    leaves = [storage(leaf) for leaf in leaves]
    paths = None
    if leaves and all(leaf is not None for leaf in leaves):
        paths = [folder / f"input_{i}.npy" for i in range(len(leaves))]
        for path, leaf in zip(paths, leaves):
            np.save(path, leaf)
    with no_compilation_cache():
        lowered.compile(
            compiler_options={
                "xla_dump_to": str(folder / "dump"),
                "xla_dump_hlo_pass_re": ".*",
                "xla_dump_large_constants": True,
            }
        )
    return paths


def check(function, *arguments, kwargs=None, contract="xla", level="quick", seconds=60, codegen=True, tileproof=None, keep=None, jit_options=None):
    """Compiles `function` for the arguments (arrays, or jax.ShapeDtypeStruct for generated ones) and validates every stage. It is not run.

    function: plain, or already of `jax.jit`, whose static and donated arguments stay what they are; jit_options are those of `jax.jit` for a plain one.
    contract: "xla" (XLA's documented freedoms) or "strict" (nothing but the order of sums). level: "quick" or "full" (all classes of inputs, where the
    arguments are shapes). seconds: how long a finding is reduced, 0 for not at all. tileproof: path of the binary. keep: a folder for program, inputs,
    dumps and reproducer, which else are removed. Gives a `Report`; raises ValueError for what the command cannot read.
    """
    program = binary(tileproof)
    with contextlib.ExitStack() as stack:
        if keep is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tileproof-")))
        else:
            folder = Path(keep)
            folder.mkdir(parents=True, exist_ok=True)
        inputs = write(folder, function, arguments, kwargs or {}, jit_options or {})
        command = [program, "xla", str(folder / "dump"), "--source", str(folder / "program.mlir"), "--json"]
        command += ["--contract", contract, "--level", level, "--python", sys.executable]
        command += ["--reduce", str(seconds), "--out", str(folder / "findings")]
        command += [] if codegen else ["--no-codegen"]
        command += ["--inputs", ",".join(map(str, inputs))] if inputs else []
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        try:
            found = json.loads(ran.stdout)
        except json.JSONDecodeError as e:
            raise ValueError(f"tileproof ends with {ran.returncode}: {ran.stderr.strip()}") from e
        if "modules" not in found:
            raise ValueError(f"tileproof ends with {ran.returncode}: {ran.stderr.strip()}")
        script = folder / "findings" / "repro.py"
        return Report(
            verdict=found["verdict"]["verdict"],
            exit_code=ran.returncode,
            modules=found["modules"],
            command=command,
            script=script.read_text() if script.is_file() else None,
            messages=ran.stderr,
        )


def checked(function=None, **options):
    """Decorator: checks the function on its first call with new shapes, raises `Mismatch` when a stage broke it. Options are those of `check`."""
    if function is None:
        return functools.partial(checked, **options)
    seen = set()

    def kind(leaf):
        if not is_data(leaf):
            return repr(leaf)
        # A number that is an argument of the compiled program is not part of it; one that is static is.
        static = any(statics(function)) and not hasattr(leaf, "shape")
        return np.shape(leaf), str(getattr(leaf, "dtype", type(leaf))), repr(leaf) if static else None

    @functools.wraps(function)
    def wrapper(*arguments, **kwargs):
        leaves, tree = jax.tree.flatten((arguments, kwargs))
        traced = any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)
        key = (tree, tuple(map(kind, leaves)))
        if not traced and key not in seen:
            report = check(function, *arguments, kwargs=kwargs, **options)
            if report.is_broken:
                raise Mismatch(report)
            seen.add(key)
        return function(*arguments, **kwargs)

    return wrapper
