"""Writes tests/pallas from the Pallas kernels in this file.

    .venv/bin/python python/pallas/generate.py            write all
    .venv/bin/python python/pallas/generate.py --check    say which texts differ, write nothing; exit 1 if any

NAME.mlir is JAX's StableHLO text of a program with one kernel, lowered for TPUs: a `tpu_custom_call` whose backend_config holds MLIR bytecode.
NAME.plain.mlir is the same function without a kernel.
"""

import pathlib
import sys

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

OUT = pathlib.Path(__file__).parent.parent.parent / "tests" / "pallas"


def matmul(x, y):
    """A grid with blocks, an accumulator that lives over steps, conditions."""

    def kernel(x_ref, y_ref, o_ref, acc_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            acc_ref[...] = jnp.zeros_like(acc_ref)

        acc_ref[...] += jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)

        @pl.when(pl.program_id(2) == pl.num_programs(2) - 1)
        def _():
            o_ref[...] = jnp.maximum(acc_ref[...], 0)

    return pl.pallas_call(
        kernel,
        name="matmul_relu",
        grid=(2, 1, 2),
        in_specs=[pl.BlockSpec((8, 128), lambda i, j, k: (i, k)), pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
        out_specs=pl.BlockSpec((8, 128), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32),
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)],
        compiler_params=pltpu.CompilerParams(dimension_semantics=("parallel", "parallel", "arbitrary")),
    )(x, y)


def copies(x):
    """No grid: the kernel fetches its blocks itself, two at a time, and waits on semaphores."""

    def kernel(x_hbm, o_hbm, x_vmem, o_vmem, semaphores):
        steps = x_hbm.shape[0] // 8

        def fetch(i, slot):
            return pltpu.make_async_copy(x_hbm.at[pl.ds(i * 8, 8)], x_vmem.at[slot], semaphores.at[slot])

        fetch(0, 0).start()

        def step(i, _):
            slot = i % 2

            @pl.when(i + 1 < steps)
            def _():
                fetch(i + 1, 1 - slot).start()

            fetch(i, slot).wait()
            o_vmem[...] = jnp.exp(x_vmem[slot]) * 2
            out = pltpu.make_async_copy(o_vmem, o_hbm.at[pl.ds(i * 8, 8)], semaphores.at[2])
            out.start()
            out.wait()
            return 0

        jax.lax.fori_loop(0, steps, step, 0)

    return pl.pallas_call(
        kernel,
        name="scaled_exp",
        in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec(memory_space=pl.ANY),
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        scratch_shapes=[
            pltpu.VMEM((2, 8, 128), jnp.float32),
            pltpu.VMEM((8, 128), jnp.float32),
            pltpu.SemaphoreType.DMA((3,)),
        ],
    )(x)


def prefetch(rows, x):
    """Blocks chosen by a prefetched operand."""

    def kernel(rows_ref, x_ref, o_ref):
        row = rows_ref[pl.program_id(0)]
        x = x_ref[...]
        below = jax.lax.broadcasted_iota(jnp.int32, x.shape, 0) < row
        o_ref[...] = jnp.where(below, x, 0.0) * row.astype(jnp.float32) + jnp.sum(x, axis=1, keepdims=True)

    return pl.pallas_call(
        kernel,
        name="chosen_blocks",
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(3,),
            in_specs=[pl.BlockSpec((8, 128), lambda i, rows: (rows[i], 0))],
            out_specs=pl.BlockSpec((8, 128), lambda i, rows: (i, 0)),
        ),
        out_shape=jax.ShapeDtypeStruct((24, 128), jnp.float32),
    )(rows, x)


def attention(q, k, v):
    """Masked attention of one head a step, in bfloat16, between plain ops of the program."""

    def kernel(q_ref, k_ref, v_ref, o_ref):
        q, k = q_ref[0].astype(jnp.float32), k_ref[0].astype(jnp.float32)
        scores = jax.lax.dot_general(q, k, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)
        row = jax.lax.broadcasted_iota(jnp.int32, scores.shape, 0)
        column = jax.lax.broadcasted_iota(jnp.int32, scores.shape, 1)
        weights = jax.nn.softmax(jnp.where(row >= column, scores, -1e30), axis=-1)
        o = jnp.dot(weights.astype(v_ref.dtype), v_ref[0], preferred_element_type=jnp.float32)
        o_ref[0] = o.astype(o_ref.dtype)

    spec = pl.BlockSpec((1, 16, 128), lambda head: (head, 0, 0))
    call = pl.pallas_call(
        kernel,
        name="attention",
        grid=(2,),
        in_specs=[spec, spec, spec],
        out_specs=spec,
        out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype),
    )
    return call(q * 0.5, k, v) + v


def plain_matmul(x, y):
    return jnp.maximum(jnp.dot(x, y), 0)


def plain_copies(x):
    return jnp.exp(x) * 2


def plain_prefetch(rows, x):
    blocks = jnp.take(x.reshape(5, 8, 128), rows, axis=0, mode="clip")
    below = jax.lax.broadcasted_iota(jnp.int32, blocks.shape, 1) < rows[:, None, None]
    scaled = jnp.where(below, blocks, 0.0) * rows[:, None, None].astype(jnp.float32)
    return (scaled + jnp.sum(blocks, axis=2, keepdims=True)).reshape(24, 128)


def plain_attention(q, k, v):
    q = q * 0.5
    scores = jnp.einsum("hrd,hcd->hrc", q, k, preferred_element_type=jnp.float32)
    row = jax.lax.broadcasted_iota(jnp.int32, scores.shape, 1)
    column = jax.lax.broadcasted_iota(jnp.int32, scores.shape, 2)
    weights = jax.nn.softmax(jnp.where(row >= column, scores, -1e30), axis=-1).astype(v.dtype)
    o = jnp.einsum("hrc,hcd->hrd", weights, v, preferred_element_type=jnp.float32)
    return o.astype(v.dtype) + v


def abstract(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


PROGRAMS = {
    "matmul": (matmul, plain_matmul, [abstract(16, 256), abstract(256, 128)]),
    "copies": (copies, plain_copies, [abstract(32, 128)]),
    "prefetch": (prefetch, plain_prefetch, [abstract(3, dtype=jnp.int32), abstract(40, 128)]),
    "attention": (attention, plain_attention, [abstract(2, 16, 128, dtype=jnp.bfloat16)] * 3),
}


def main():
    # Bytecode holds the places of ops in this file; the folder is left out.
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    differ = []
    for name, (f, plain, arguments) in PROGRAMS.items():
        texts = {
            f"{name}.mlir": jax.jit(f).trace(*arguments).lower(lowering_platforms=("tpu",)).as_text(),
            f"{name}.plain.mlir": jax.jit(plain).lower(*arguments).as_text(),
        }
        for file, text in texts.items():
            path = OUT / file
            if "--check" not in sys.argv[1:]:
                path.write_text(text)
            elif not path.exists() or path.read_text() != text:
                differ.append(file)
    if differ:
        sys.exit(f"not what python/pallas/generate.py prints: {', '.join(differ)}")


if __name__ == "__main__":
    main()
