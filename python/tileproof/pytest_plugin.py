"""The fixture `tileproof_check` for pytest: `def test_f(tileproof_check): tileproof_check(f, x)` fails when a stage of XLA breaks f."""

import pytest

from .checking import Mismatch, check


@pytest.fixture
def tileproof_check():
    def run(function, *arguments, **options):
        report = check(function, *arguments, **options)
        if report.is_broken:
            raise Mismatch(report)
        return report

    return run
