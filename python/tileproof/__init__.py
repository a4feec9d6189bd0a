"""Checks that XLA compiles a JAX program to what it says, stage by stage, with the `tileproof` binary.

    report = tileproof.check(f, x, y)      # compile, dump, validate; prints as a table
    report.raise_if_broken()

    @tileproof.checked                      # the same on the first call with new shapes
    def f(x, y): ...
"""

from .checking import Mismatch, check, checked
from .report import Report

__all__ = ["Mismatch", "Report", "check", "checked"]
