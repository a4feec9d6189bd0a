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
        "no `tileproof` in PATH nor in target/release of the repository: build it with `cargo build --release --bin tileproof`, or name it with binary=..."
    )


def storage(leaf):
    """A leaf of the arguments as tileproof reads it from .npy; None for a shape without values."""
    if isinstance(leaf, jax.ShapeDtypeStruct):
        return None
    if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    # As JAX takes it: 64-bit numbers become 32-bit ones where x64 is off.
    array = np.asarray(jax.numpy.asarray(leaf))
    if array.dtype.kind == "V" or array.dtype.name not in np.sctypeDict:
        bits = array.view(np.uint16 if array.dtype.itemsize == 2 else np.uint8)
        is_int = array.dtype.name.startswith("int")
        return bits.view(np.int8) if is_int else bits
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


def write(folder, function, arguments, kwargs, jit_options):
    """Writes program, inputs and dumps; gives the paths of the inputs, None where only shapes are known."""
    # Arguments that are not used stay, so that the inputs fit the program.
    jitted = jax.jit(lambda *a, **k: function(*a, **k), keep_unused=True, **jit_options)
    lowered = jitted.lower(*arguments, **kwargs)
    (folder / "program.mlir").write_text(lowered.as_text())
    static = set(np.atleast_1d(jit_options.get("static_argnums", ())).tolist())
    dynamic = [a for i, a in enumerate(arguments) if i not in static and i - len(arguments) not in static]
    leaves = [storage(leaf) for leaf in jax.tree.leaves((dynamic, kwargs))]
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
    """Compiles `function` for the arguments (arrays, or jax.ShapeDtypeStruct for generated ones) and validates every stage.

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

    @functools.wraps(function)
    def wrapper(*arguments, **kwargs):
        leaves, tree = jax.tree.flatten((arguments, kwargs))
        traced = any(isinstance(leaf, jax.core.Tracer) for leaf in leaves)
        key = (tree, tuple((np.shape(leaf), str(jax.numpy.result_type(leaf))) for leaf in leaves))
        if not traced and key not in seen:
            report = check(function, *arguments, kwargs=kwargs, **options)
            if report.is_broken:
                raise Mismatch(report)
            seen.add(key)
        return function(*arguments, **kwargs)

    return wrapper
