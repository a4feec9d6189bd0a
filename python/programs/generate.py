"""Writes tests/programs from the programs in this folder.

    make programs                                   write all (or: .venv/bin/python python/programs/generate.py)
    .venv/bin/python python/programs/generate.py --check   say which texts differ from the scripts, write nothing; exit 1 if any

Each module beside this file describes one program: `build()` returns the function and its example arguments.
Optional: PLATFORM (lower for that platform; default the CPU), KEEP_TENSORS (also write inputs and XLA:CPU's outputs as .npy).
NAME.mlir is JAX's StableHLO text, NAME.hlo the same program's HLO text before any XLA pass.
"""

import importlib
import pathlib
import sys

import jax
import numpy as np

FOLDER = pathlib.Path(__file__).parent
OUT = FOLDER.parent.parent / "tests" / "programs"
TEXT_LIMIT = 200_000
TENSORS_LIMIT = 20_000


def names():
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "generate")


def abstract(module):
    """The function and its arguments' shapes; nothing is computed."""
    functions = []

    def arguments():
        f, values = module.build()
        functions.append(f)
        return values

    shapes = jax.eval_shape(arguments)
    return functions[0], shapes


def texts(module):
    f, arguments = abstract(module)
    traced = jax.jit(f).trace(*arguments)
    platform = getattr(module, "PLATFORM", None)
    lowered = traced.lower(lowering_platforms=(platform,)) if platform else traced.lower()
    return {".mlir": lowered.as_text(), ".hlo": lowered.as_text(dialect="hlo")}


def tensors(module):
    f, arguments = module.build()
    outputs = jax.jit(f)(*arguments)
    for kind, values in (("input", arguments), ("xla_output", outputs)):
        for index, value in enumerate(jax.tree.leaves(values)):
            yield f"{kind}_{index}.npy", np.asarray(value)


def main():
    check = "--check" in sys.argv[1:]
    stale = []
    for name in names():
        module = importlib.import_module(name)
        for suffix, text in texts(module).items():
            assert len(text) < TEXT_LIMIT, f"{name}{suffix} has {len(text)} bytes, the limit is {TEXT_LIMIT}"
            path = OUT / (name + suffix)
            if check:
                if not path.exists() or path.read_text() != text:
                    stale.append(path.name)
            else:
                path.write_text(text)
        if getattr(module, "KEEP_TENSORS", False) and not check:
            folder = OUT / name
            folder.mkdir(exist_ok=True)
            for old in folder.glob("*.npy"):
                old.unlink()
            for file, value in tensors(module):
                np.save(folder / file, value)
            size = sum(path.stat().st_size for path in folder.iterdir())
            assert size < TENSORS_LIMIT, f"{name}/ has {size} bytes, the limit is {TENSORS_LIMIT}"
    if stale:
        print("differ from what python/programs gives (make programs):", *stale)
        sys.exit(1)
    print(len(names()), "programs", "compared" if check else "written")


if __name__ == "__main__":
    jax.config.update("jax_platforms", "cpu")
    OUT.mkdir(exist_ok=True)
    main()
