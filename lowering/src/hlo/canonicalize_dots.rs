//! `hlo-canonicalize-dots`: every dot_general as one batched matrix product.
//!
//! # Before
//! `hlo.dot_general` with any number of batching, contracting and kept dimensions in any place.
//! # After
//! `[batch, m, k] x [batch, k, n] -> [batch, m, n]`, at most one dimension each, between transposes and reshapes.
//! # Numerics
//! Reassociates: the products of one element are the same, their order is that of the collapsed contracting dimension.
//! # Example
//! `tests/passes/hlo-canonicalize-dots/`.
//! # Leaves alone
//! Dots in that form already, quantized ones, and those whose sizes the program does not say.

use crate::{
    pass::{Pass, Rewrite, Run},
    rewrite::{OpRef, Rewriter, ValueRef},
    values,
};
use tileproof_dialect::{
    error::Error,
    hlo::{self, dot_general::DotGeneral, reshape::Reshape, transpose::Transpose},
    mlir::views,
    numerics::{Contract, Numerics},
    stage::Stage,
    types::{Class, Type},
};

pub static PASS: Pass = Pass {
    name: "hlo-canonicalize-dots",
    input: Stage::S0,
    output: Stage::S1,
    summary: "every dot_general as one batched matrix product",
    rewrites: REWRITES,
    run: Run::Rewrite(run),
};

/// Products are summed in the row-major order of the contracting dimensions, whatever order the dot took: Reassociates. Precision, algorithm and
/// result element type stay.
const REWRITES: &[Rewrite] = &[Rewrite {
    name: "dot",
    equation: "dot_general(x, y)  ->  reshape(dot_general(reshape(transpose(x)), reshape(transpose(y))))",
    numerics: || Numerics::of(Contract::Reassociates),
    pattern: Some(dot),
}];

fn run(rewriter: &mut Rewriter<'_>) -> Result<(), Error> {
    rewriter.apply_patterns()
}

fn dot<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let view = views::hlo::DotGeneralOp::cast(op)?;
    let hlo::Op::DotGeneral(dot) = rewriter.read(op)? else {
        return None;
    };
    let lhs_sizes = values::sizes(rewriter, view.lhs())?;
    let rhs_sizes = values::sizes(rewriter, view.rhs())?;
    let element = values::tensor_type(rewriter, view.result())?
        .element
        .clone();
    let classes = [view.lhs(), view.rhs(), view.result()].map(|v| values::class(rewriter, v));
    if classes.contains(&Some(Class::Quantized)) {
        return None;
    }
    let kept = dot.result_dimensions(lhs_sizes.len(), rhs_sizes.len());
    let [m, n] = kept.map(|dims| dims.into_iter().map(|d| d as i64).collect::<Vec<_>>());
    let lhs = Grouped::new(
        [
            &dot.lhs_batching_dimensions,
            &m,
            &dot.lhs_contracting_dimensions,
        ],
        &lhs_sizes,
    )?;
    let rhs = Grouped::new(
        [
            &dot.rhs_batching_dimensions,
            &dot.rhs_contracting_dimensions,
            &n,
        ],
        &rhs_sizes,
    )?;
    if lhs.is_canonical() && rhs.is_canonical() {
        return None;
    }
    let [batch, m, k] = &lhs.sizes;
    let n = &rhs.sizes[2];
    let x = lhs.collapsed(rewriter, view.lhs())?;
    let y = rhs.collapsed(rewriter, view.rhs())?;
    let first = |present: bool, d: usize| if present { vec![d as i64] } else { vec![] };
    let canonical = DotGeneral {
        lhs_batching_dimensions: first(batch.is_some(), 0),
        rhs_batching_dimensions: first(batch.is_some(), 0),
        lhs_contracting_dimensions: first(k.is_some(), batch.iter().count() + m.iter().count()),
        rhs_contracting_dimensions: first(k.is_some(), batch.iter().count()),
        ..dot
    };
    let sizes = [batch, m, n].into_iter().flatten().map(|n| *n as u64);
    let product = Type::tensor(sizes, element);
    let product = rewriter.create_one(canonical, &[x, y], &[product])?;
    reshaped(rewriter, product, rewriter.ty(view.result())?).map(|v| vec![v])
}

/// The dimensions of an operand in the three groups of the canonical form, and the size each group collapses to; none for a group without dimensions.
struct Grouped {
    order: Vec<i64>,
    lengths: [usize; 3],
    sizes: [Option<i64>; 3],
}

impl Grouped {
    fn new(groups: [&Vec<i64>; 3], sizes: &[i64]) -> Option<Grouped> {
        let size = |d: &i64| sizes.get(usize::try_from(*d).ok()?).copied();
        let collapse = |dims: &Vec<i64>| -> Option<i64> {
            dims.iter()
                .try_fold(1i64, |all, d| all.checked_mul(size(d)?))
        };
        let [a, b, c] = groups.map(collapse);
        let present = |dims: &Vec<i64>, n: Option<i64>| n.map(|n| (!dims.is_empty()).then_some(n));
        Some(Grouped {
            order: groups.map(|g| g.clone()).concat(),
            lengths: groups.map(Vec::len),
            sizes: [
                present(groups[0], a)?,
                present(groups[1], b)?,
                present(groups[2], c)?,
            ],
        })
    }

    fn is_canonical(&self) -> bool {
        self.order.is_sorted() && self.lengths.iter().all(|n| *n <= 1)
    }

    /// `operand` with its groups in order, one dimension each.
    fn collapsed<'c>(
        &self,
        rewriter: &mut Rewriter<'c>,
        operand: ValueRef<'c>,
    ) -> Option<ValueRef<'c>> {
        let ty = values::tensor_type(rewriter, operand)?;
        let transposed = if self.order.is_sorted() {
            operand
        } else {
            let permutation = self.order.clone();
            rewriter.create_one(Transpose { permutation }, &[operand], &[])?
        };
        let sizes = self.sizes.iter().flatten().map(|n| *n as u64);
        reshaped(
            rewriter,
            transposed,
            Type::tensor(sizes, ty.element.clone()),
        )
    }
}

/// `value` as type `ty`, of as many elements.
fn reshaped<'c>(
    rewriter: &mut Rewriter<'c>,
    value: ValueRef<'c>,
    ty: Type,
) -> Option<ValueRef<'c>> {
    if rewriter.ty(value)? == ty {
        return Some(value);
    }
    rewriter.create_one(Reshape, &[value], &[ty])
}
