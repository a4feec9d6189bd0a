"""The package on small functions; needs the `tileproof` binary in PATH."""

import functools
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import tileproof
from tileproof.worker import packed


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

    def test_numbers_of_less_than_a_byte_and_all_floats_of_eight_bits_fit(self):
        def f(i, u, a, b):
            return i + i, u.astype(jnp.int32), a.astype(jnp.float32) * 2, b.astype(jnp.float32)

        i = jnp.arange(-8, 8).astype(jnp.int4)
        x = jnp.linspace(-3, 3, 16)
        arguments = (i, jnp.arange(16).astype(jnp.uint4), x.astype(jnp.float8_e5m2), x.astype(jnp.float8_e4m3fn))
        report = tileproof.check(f, *arguments, seconds=0)
        self.assertFalse(report.is_broken, str(report))
        self.assertEqual(report.verdict, "Equal", str(report))

    def test_layouts_of_optimized_modules_say_how_narrow_numbers_are_packed(self):
        self.assertEqual(packed("a = s4[4,8]{1,0} fusion(u2[3] b, s8[4]{0} c)"), "a = s4[4,8]{1,0:E(4)} fusion(u2[3] b, s8[4]{0} c)")
        self.assertEqual(packed("(f4e2m1fn[2]{0}, s4[]) tuple(s4.1)"), "(f4e2m1fn[2]{0:E(4)}, s4[]{:E(4)}) tuple(s4.1)")

    def test_unused_static_and_narrow_arguments_fit(self):
        def f(n, x, unused, key):
            return x[:n], jax.random.uniform(key, (n,))

        arguments = (2, jnp.arange(4, dtype=jnp.bfloat16), 1.5, jax.random.key(0))
        report = tileproof.check(f, *arguments, jit_options={"static_argnums": 0}, seconds=0)
        self.assertFalse(report.is_broken, str(report))
        self.assertEqual(report.modules[0]["runs"][0]["class"], "given")

    def test_functions_of_jit_keep_their_static_and_donated_arguments(self):
        @functools.partial(jax.jit, static_argnums=1, static_argnames="scale", donate_argnums=0)
        def f(state, n, x, unused, *, scale):
            return jax.tree.map(lambda p: p - scale * x[:n].sum(), state)

        state = {"a": jnp.ones(3), "b": (jnp.zeros((2, 2)),)}
        with tempfile.TemporaryDirectory() as folder:
            report = tileproof.check(f, state, 2, jnp.arange(4.0), jnp.ones(2), kwargs={"scale": 0.5}, keep=folder, seconds=0)
            self.assertEqual(report.verdict, "Equal", str(report))
            self.assertIn("tf.aliasing_output", (Path(folder) / "program.mlir").read_text())
            self.assertTrue((Path(folder) / "input_3.npy").is_file())
        self.assertEqual(report.modules[0]["runs"][0]["class"], "given")
        self.assertFalse(state["a"].is_deleted())

    def test_what_jax_takes_for_no_array_belongs_to_the_program(self):
        f = lambda x, mode, op: op(x) if mode == "twice" else x
        report = tileproof.check(f, jnp.ones(3), "twice", lambda x: x * 2, codegen=False, seconds=0)
        self.assertEqual(report.verdict, "Equal", str(report))

    def test_a_missing_binary_is_told(self):
        with unittest.mock.patch("shutil.which", return_value=None), unittest.mock.patch.object(Path, "is_file", return_value=False):
            with self.assertRaisesRegex(FileNotFoundError, "cargo build --release"):
                tileproof.check(normalize, np.ones((2, 2), np.float32))

    def test_linear_algebra_runs_in_the_worker(self):
        # LAPACK calls crash where nobody made them known.
        report = tileproof.check(lambda x: jnp.linalg.cholesky(x @ x.T + 4 * jnp.eye(3)), jnp.ones((3, 3)), seconds=0)
        self.assertFalse(report.is_broken, str(report))

    def test_what_is_kept_and_what_is_removed(self):
        def left():
            return set(Path(tempfile.gettempdir()).glob("tileproof-*"))

        before = left()
        tileproof.check(normalize, np.ones((2, 2), np.float32), codegen=False, seconds=0)
        self.assertEqual(left() - before, set())
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


class Pytest(unittest.TestCase):
    def test_the_fixture_passes_and_fails(self):
        if importlib.util.find_spec("pytest") is None:
            self.assertNotIn("CI", os.environ, "no pytest: run `make python`")
            print("skipped: no pytest; run `make python`")
            return
        text = """
import numpy as np

def test_right(tileproof_check):
    assert tileproof_check(lambda x: x + 1, np.ones(3, np.float32), codegen=False).verdict == "Equal"

def test_wrong(tileproof_check):
    tileproof_check(lambda x: x * x < 0, np.array([200, 1], np.int16), contract="strict", codegen=False, seconds=0)
"""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "test_functions.py"
            path.write_text(text)
            command = [sys.executable, "-m", "pytest", "-q", "-p", "tileproof.pytest_plugin", "-p", "no:cacheprovider", str(path)]
            # An installed package has registered the plugin already.
            environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
            ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
        said = ran.stdout + ran.stderr
        self.assertIn("1 failed, 1 passed", said)
        self.assertIn("first broken: pass algsimp", said)


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
        code, text = self.run_script("def f(x):\n    return x\n", "--args", "np.ones(3")
        self.assertEqual(code, 3, text)
        self.assertIn("--args 'np.ones(3': SyntaxError", text)
        code, text = self.run_script("import no_such_module\n")
        self.assertEqual(code, 3, text)
        self.assertIn("no_such_module", text)


if __name__ == "__main__":
    unittest.main()
