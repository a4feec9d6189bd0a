//! The rewrites of `hlo-to-tpu`: what a kernel is named after, and what it may change. One kernel is one application.

use crate::pass::Rewrite;
use tileproof_dialect::numerics::{Contract, Numerics, SpecialValues};

/// From the most exact to the freest: a kernel has the last of those that its ops have.
pub const REWRITES: &[Rewrite] = &[
    LOOP,
    GATHER,
    SORT,
    SCATTER,
    WINDOW,
    REDUCE,
    DOT,
    CONVOLUTION,
    ELIMINATION,
];

/// The same ops, on blocks: BitExact.
pub const LOOP: Rewrite = exact(
    "loop",
    "y = f(x)  ->  y = kernel{for each block: f(block of x)}",
);
/// Boxes of an operand are copied, one an index: BitExact.
pub const GATHER: Rewrite = exact(
    "gather",
    "y = gather(x, i)  ->  y = kernel{for each index: row of y = box of x at clamp(i)}",
);
/// The one permutation that keeps ties in order: BitExact. A comparator that is no order, as `<` with NaN, gives some permutation, perhaps another one.
pub const SORT: Rewrite = Rewrite {
    name: "sort",
    equation: "y = sort(x)  ->  y = kernel{for each step of the network: exchange elements out of order}",
    numerics: || Numerics {
        special: vec![SpecialValues::Nan],
        ..Numerics::bit_exact()
    },
    pattern: None,
};
/// Windows are put together from smaller ones.
pub const WINDOW: Rewrite = reordered(
    "window",
    "y = reduce_window(x)  ->  y = kernel{windows of 1, 2, 4, .. elements; those that make up the window}",
);
/// Updates are combined in their order, also those of one element that the definition takes as a tree.
pub const SCATTER: Rewrite = reordered(
    "scatter",
    "y = scatter(x, i, u)  ->  y = kernel{y = x; for each index inside: box of y = f(box of y, u)}",
);
/// Sums and products are taken block by block, narrow floats in f32.
pub const REDUCE: Rewrite = reordered(
    "reduce",
    "y = reduce(f(x))  ->  y = kernel{s = start; for each block: s = s + multi_reduction(f(block of x))}",
);
/// Sums of products are taken block by block.
pub const DOT: Rewrite = reordered(
    "dot",
    "y = dot(a, b)  ->  y = kernel{s = 0; for each block: s = matmul(block of a, block of b, s)}",
);

/// Sums of products are taken element by element of the window.
pub const CONVOLUTION: Rewrite = reordered(
    "convolution",
    "y = convolution(x, w)  ->  y = kernel{s = 0; for each element of the window: s = matmul(x under it, w there, s)}",
);

/// Sums of the elimination are taken column by column.
pub const ELIMINATION: Rewrite = reordered(
    "elimination",
    "cholesky(a), triangular_solve(a, b)  ->  kernel{for each column: solve it, take its product off the rest}",
);

const fn exact(name: &'static str, equation: &'static str) -> Rewrite {
    Rewrite {
        name,
        equation,
        numerics: Numerics::bit_exact,
        pattern: None,
    }
}

const fn reordered(name: &'static str, equation: &'static str) -> Rewrite {
    Rewrite {
        name,
        equation,
        numerics: || Numerics::of(Contract::Reassociates),
        pattern: None,
    }
}
