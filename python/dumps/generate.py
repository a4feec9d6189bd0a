"""Writes tests/dumps: for each program here, the dumps XLA makes of it, as `--xla_dump_to` leaves them, with the program beside.

    .venv/bin/python python/dumps/generate.py

Every program is compiled in a process of its own, since XLA reads its flags once. Dumps of passes that changed nothing (pipeline starts) and what is no
program are left out; files are gzipped without a time stamp, so that a second run with the same jaxlib writes the same bytes.
"""

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "tests" / "dumps"

PROGRAMS = {
    # Right in every stage.
    "normalize_rows": """module @jit_normalize_rows {
  func.func public @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %e = stablehlo.exponential %x : tensor<4x8xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %all = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %y = stablehlo.divide %e, %all : tensor<4x8xf32>
    return %y : tensor<4x8xf32>
  }
}
""",
    # jaxlib 0.10.2: a pass takes x * x for never negative, also where it overflows.
    "negative_square": """module @jit_negative_square {
  func.func public @main(%x: tensor<6xi16>) -> tensor<6xi1> {
    %zero = stablehlo.constant dense<0> : tensor<6xi16>
    %square = stablehlo.multiply %x, %x : tensor<6xi16>
    %negative = stablehlo.compare LT, %square, %zero, SIGNED : (tensor<6xi16>, tensor<6xi16>) -> tensor<6xi1>
    return %negative : tensor<6xi1>
  }
}
""",
    # jaxlib 0.10.2: an unsigned start above 127 is taken for negative on the way into HLO.
    "unsigned_start": """module @jit_unsigned_start {
  func.func public @main(%x: tensor<250xi32>) -> tensor<4xi32> {
    %start = stablehlo.constant dense<200> : tensor<ui8>
    %y = stablehlo.dynamic_slice %x, %start, sizes = [4] : (tensor<250xi32>, tensor<ui8>) -> tensor<4xi32>
    return %y : tensor<4xi32>
  }
}
""",
    # jaxlib 0.10.2: two formulas for log(1 + x), and the one for small x is used where it has lost half of its digits.
    "log_plus_one": """module @jit_log_plus_one {
  func.func public @main(%x: tensor<5xf64>) -> tensor<5xf64> {
    %y = stablehlo.log_plus_one %x : tensor<5xf64>
    return %y : tensor<5xf64>
  }
}
""",
    # A product and a sum that LLVM may contract: right under XLA's freedoms, a finding where nothing is left to the compiler.
    "product_and_sum": """module @jit_product_and_sum {
  func.func public @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
    %xx = stablehlo.multiply %x, %x : tensor<16xf32>
    %sum = stablehlo.add %xx, %y : tensor<16xf32>
    return %sum : tensor<16xf32>
  }
}
""",
}


def compile_here(path):
    import jax
    from jax._src.lib import xla_client

    devices = jax.devices()[:1]
    text = Path(path).read_text()
    devices[0].client.compile_and_load(text, xla_client.DeviceList(tuple(devices)), xla_client.CompileOptions())


def is_kept(name):
    is_program = name.endswith(("before_optimizations.txt", "_after_optimizations.txt")) or ".after_" in name
    return is_program and name.endswith(".txt") and ".after_pipeline-start." not in name


def main():
    for name, text in PROGRAMS.items():
        folder = TARGET / name
        shutil.rmtree(folder, ignore_errors=True)
        raw = folder / "raw"
        raw.mkdir(parents=True)
        (folder / "program.mlir").write_text(text)
        flags = f"--xla_dump_to={raw} --xla_dump_hlo_pass_re=.* --xla_dump_large_constants=true"
        subprocess.run(
            [sys.executable, __file__, folder / "program.mlir"], check=True, env=os.environ | {"XLA_FLAGS": flags}
        )
        for file in sorted(raw.iterdir()):
            if is_kept(file.name):
                (folder / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes(), mtime=0))
        shutil.rmtree(raw)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compile_here(sys.argv[1])
    else:
        main()
