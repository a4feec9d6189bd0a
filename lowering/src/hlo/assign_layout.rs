//! `hlo-assign-layout`: every tensor gets its place in memory: the order of its dimensions and tiles, and which results take the buffers of operands.
//!
//! # Before
//! `%1 = hlo.transpose %0 : tensor<64x128xf32>`, `%2 = hlo.dynamic_update_slice %b, ..`.
//! # After
//! Types say `#hlo.layout<[1, 0] tiles = [[8, 128]]>` by the rules of `target.rs`; the transpose is a bitcast (another order of the same bytes) and a copy where its
//! user needs rows; the update says `output_operand_aliases = array<i64: 0, 0>`: result 0 takes the buffer of operand 0.
//! # Numerics
//! BitExact: copies and bitcasts move elements.
//! # Example
//! `tests/passes/hlo-assign-layout/`.
//! # Leaves alone
//! Modules whose types name layouts. Rank 0, dynamic sizes. Transposes inside fusions: they move registers. Buffers that are not the op's own: parameters
//! that are not donated, constants, values read later, or seen through a bitcast or a tuple; values from outside a loop.

mod bitcasts;
mod buffers;
mod tiles;

use crate::{
    analysis::block::bodies,
    pass::{Pass, Rewrite, Run},
    rewrite::Rewriter,
};
use tileproof_dialect::{error::Error, numerics::Numerics, stage::Stage};

pub static PASS: Pass = Pass {
    name: "hlo-assign-layout",
    input: Stage::S2,
    output: Stage::S2,
    summary: "every tensor gets its order of dimensions, tiles and buffer",
    rewrites: &[
        TILES,
        TRANSPOSE,
        RESHAPE,
        COPY_INTO_DOT,
        COPY_INTO_FUSION,
        ALIAS,
    ],
    run: Run::Rewrite(run),
};

/// Attribute of ops whose results take buffers: pairs of result and operand.
pub const ALIASES: &str = "output_operand_aliases";

/// Layouts place elements and change none: BitExact.
const TILES: Rewrite = rewrite(
    "tiles",
    "x: tensor<AxBxT>  ->  x: tensor<AxBxT, #hlo.layout<[1, 0] tiles>>",
);
/// The same bytes read in the order of the permuted dimensions, then put in rows.
const TRANSPOSE: Rewrite = rewrite("transpose", "transpose(x)  ->  copy(bitcast(x))");
/// Both types number the same addresses alike.
const RESHAPE: Rewrite = rewrite(
    "reshape",
    "reshape(x)  ->  bitcast(x)  (where tiles stay whole)",
);
/// The matrix unit takes operands in either order of their two minor dimensions.
const COPY_INTO_DOT: Rewrite = rewrite(
    "copy-into-dot",
    "dot(copy(x), y)  ->  dot(x, y)  (x with its two minor dimensions exchanged)",
);
/// The kernel reads its window in the other order.
const COPY_INTO_FUSION: Rewrite = rewrite(
    "copy-into-fusion",
    "fusion{f}(copy(x))  ->  fusion{f(copy)}(x)",
);
/// Nothing reads the operand again: where its bytes are overwritten, none is missed.
const ALIAS: Rewrite = rewrite(
    "alias",
    "y = dynamic_update_slice(x, u, i)  ->  the same in the buffer of x  (x is not used again)",
);

const fn rewrite(name: &'static str, equation: &'static str) -> Rewrite {
    Rewrite {
        name,
        equation,
        numerics: Numerics::bit_exact,
        pattern: None,
    }
}

fn run(rewriter: &mut Rewriter<'_>) -> Result<(), Error> {
    if tiles::are_named(rewriter) {
        return Ok(());
    }
    if let Some(first) = rewriter.ops().first().copied() {
        rewriter.update(&TILES, first, |_, rewriter| tiles::assign(rewriter));
    }
    for body in bodies(rewriter) {
        for op in body.ops {
            rewriter.apply(&TRANSPOSE, op, bitcasts::transpose);
            rewriter.apply(&RESHAPE, op, bitcasts::reshape);
        }
    }
    for body in bodies(rewriter) {
        for op in body.ops {
            bitcasts::copies_into(rewriter, op, &COPY_INTO_DOT, &COPY_INTO_FUSION);
        }
    }
    for body in bodies(rewriter) {
        buffers::assign(rewriter, &body, &ALIAS);
    }
    rewriter.take_fault().map_or(Ok(()), Err)
}
