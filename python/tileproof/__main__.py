"""`python -m tileproof check script.py:function [--args EXPRESSION]`: which stage of XLA breaks a function of a script.

Arguments of the function are those of --args (an expression over the names of the script, and jnp, np, jax), else what `FUNCTION_arguments` of the script
holds or returns, else none. Exit codes are those of `tileproof xla`.
"""

import argparse
import inspect
import runpy
import sys
import traceback
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from .checking import check

BAD_INPUT = 3


def arguments_of(function, name, script, expression):
    if expression is not None:
        try:
            value = eval(expression, {"jax": jax, "jnp": jnp, "np": np, **script})  # noqa: S307: the user's own expression
        except Exception as e:
            raise SystemExit(f"--args {expression!r}: {type(e).__name__}: {e}") from e
        return value if isinstance(value, tuple) else (value,)
    given = script.get(f"{name}_arguments", ())
    given = given() if callable(given) else given
    try:
        inspect.signature(function).bind(*given)
    except TypeError as e:
        raise SystemExit(f"{name}: {e}; give --args, or {name}_arguments in the script") from e
    return tuple(given)


def main(words=None):
    parser = argparse.ArgumentParser(prog="python -m tileproof", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("check", help="check a function of a script")
    one.add_argument("target", metavar="script.py:function")
    one.add_argument("--args", help="arguments, as Python")
    one.add_argument("--contract", choices=["xla", "strict"], default="xla")
    one.add_argument("--level", choices=["quick", "full"], default="quick")
    one.add_argument("--seconds", type=int, default=60, help="how long a finding is reduced")
    one.add_argument("--keep", metavar="DIR", help="keep program, inputs, dumps and reproducer")
    one.add_argument("--tileproof", help="the tileproof binary")
    options = parser.parse_args(words)
    path, _, name = options.target.rpartition(":")
    if not path or not name:
        print(f"{options.target}: expected script.py:function", file=sys.stderr)
        return BAD_INPUT
    # As Python does for a script: modules beside it are found.
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        script = runpy.run_path(path)
    except Exception as e:
        print(f"{path}: {type(e).__name__}: {e}", file=sys.stderr)
        return BAD_INPUT
    function = script.get(name)
    if not callable(function):
        print(f"{path} has no function {name}", file=sys.stderr)
        return BAD_INPUT
    try:
        arguments = arguments_of(function, name, script, options.args)
        report = check(
            function,
            *arguments,
            contract=options.contract,
            level=options.level,
            seconds=options.seconds,
            keep=options.keep,
            tileproof=options.tileproof,
        )
    except (SystemExit, TypeError, ValueError, FileNotFoundError) as e:
        print(e, file=sys.stderr)
        return BAD_INPUT
    except Exception:  # The function itself: no finding, whatever it raises.
        traceback.print_exc()
        return BAD_INPUT
    print(report)
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main())
