"""The package on small functions; needs the `tileproof` binary in PATH."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import tileproof


def normalize(x):
    e = jnp.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def negative_square(x):
    """jaxlib 0.10.2 takes x * x for never negative, also where it overflows."""
    return x * x < 0


OVERFLOWS = np.array([200, 1, -3], np.int16)


class Check(unittest.TestCase):
    def test_a_right_function_is_not_broken(self):
        report = tileproof.check(normalize, np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4))
        self.assertEqual((report.is_broken, report.first_broken), (False, None), str(report))
        names = [stage["stage"] for stage in report.stages]
        self.assertEqual((names[0], names[-1]), ("import", "codegen"))
        self.assertIn("<table>", report._repr_html_())

    def test_the_pass_that_broke_a_function_is_named(self):
        report = tileproof.check(negative_square, OVERFLOWS, contract="strict", seconds=20)
        self.assertTrue(report.is_broken, str(report))
        broken = report.first_broken
        self.assertEqual((broken["stage"], broken["name"]), ("pass", "algsimp"), str(report))
        self.assertIn("lax.mul(", report.script)
        self.assertIn("algsimp", report._repr_html_())

    def test_shapes_stand_for_generated_arguments(self):
        shape = jax.ShapeDtypeStruct((5,), jnp.bfloat16)
        report = tileproof.check(lambda x: x * 2, shape, codegen=False, seconds=0)
        self.assertFalse(report.is_broken, str(report))
        self.assertIn("normal", {run["class"] for run in report.modules[0]["runs"]})

    def test_unused_static_and_narrow_arguments_fit(self):
        def f(n, x, unused, key):
            return x[:n], jax.random.uniform(key, (n,))

        arguments = (2, jnp.arange(4, dtype=jnp.bfloat16), 1.5, jax.random.key(0))
        report = tileproof.check(f, *arguments, jit_options={"static_argnums": 0}, seconds=0)
        self.assertFalse(report.is_broken, str(report))
        self.assertEqual(report.modules[0]["runs"][0]["class"], "given")

    def test_what_is_kept_and_what_is_removed(self):
        with tempfile.TemporaryDirectory() as folder:
            tileproof.check(normalize, np.ones((2, 2), np.float32), keep=folder, codegen=False, seconds=0)
            names = {path.name for path in Path(folder).iterdir()}
            self.assertLessEqual({"program.mlir", "input_0.npy", "dump"}, names)


class Checked(unittest.TestCase):
    def test_a_broken_function_raises_and_a_right_one_runs(self):
        right = tileproof.checked(normalize, codegen=False, seconds=0)
        self.assertAlmostEqual(float(right(np.zeros((1, 4), np.float32))[0, 0]), 0.25)

        @tileproof.checked(contract="strict", codegen=False, seconds=0)
        def wrong(x):
            return negative_square(x)

        with self.assertRaises(tileproof.Mismatch) as raised:
            wrong(OVERFLOWS)
        self.assertIn("first broken: pass algsimp", str(raised.exception))


class CommandLine(unittest.TestCase):
    def run_script(self, text, *more):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script.py"
            script.write_text(text)
            command = [sys.executable, "-m", "tileproof", "check", f"{script}:f", "--seconds", "0", *more]
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            return ran.returncode, ran.stdout + ran.stderr

    def test_exit_codes(self):
        code, text = self.run_script("import numpy as np\ndef f(x):\n    return x * x < 0\n", "--args", "np.array([200], np.int16)", "--contract", "strict")
        self.assertEqual(code, 1, text)
        self.assertIn("first broken: pass algsimp", text)
        code, text = self.run_script("def f(x):\n    return x + 1\nf_arguments = (3,)\n")
        self.assertEqual(code, 0, text)
        code, text = self.run_script("def f(x):\n    return x\n")
        self.assertEqual(code, 3, text)
        self.assertIn("f_arguments", text)


if __name__ == "__main__":
    unittest.main()
