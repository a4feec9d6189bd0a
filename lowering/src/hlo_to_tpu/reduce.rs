//! `reduce`: one op that combines is a vector reduction, over divided dimensions added up in scratch; other regions fold pairs.
//!
//! Sums and products of floats narrower than f32 run in f32 and are rounded once.

use super::{
    axes::Axes,
    elementwise::fold,
    emitter::{Emitter, Step},
    form::Site,
    lanes,
    plan::lead,
    vectors::identity,
};
use tileproof_dialect::{
    error::Error,
    hlo,
    op::{Kind, Op},
    program::{Program, RegionId, ValueId},
    tpu::{CombiningKind, KernelValue},
    types::{Class, ElementType},
};

fn dimensions(site: &Site<'_>) -> Result<Vec<usize>, Error> {
    match site.op {
        hlo::Op::Reduce(r) => Ok(r.dimensions.iter().map(|d| *d as usize).collect()),
        _ => Err(site.unsupported("no reduce")),
    }
}

/// How a region of two scalars combines them, where that is one op.
pub fn combining(
    program: &Program,
    region: RegionId,
    element: &ElementType,
) -> Option<CombiningKind> {
    let r = program.region(region);
    let ([a, b], [only, _]) = (r.arguments.as_slice(), r.ops.as_slice()) else {
        return None;
    };
    let o = program.op(*only);
    let takes_both = o.operands == [*a, *b] || o.operands == [*b, *a];
    if !takes_both || program.returned(region) != o.results.as_slice() {
        return None;
    }
    let unsigned = matches!(element.class(), Class::Unsigned | Class::Boolean);
    let Op::Hlo(op) = &o.op;
    match op {
        hlo::Op::Add(_) if *element == ElementType::I1 => Some(CombiningKind::Or),
        hlo::Op::Multiply(_) if *element == ElementType::I1 => Some(CombiningKind::And),
        hlo::Op::Add(_) => Some(CombiningKind::Add),
        hlo::Op::Multiply(_) => Some(CombiningKind::Mul),
        hlo::Op::Minimum(_) if unsigned => Some(CombiningKind::MinUi),
        hlo::Op::Maximum(_) if unsigned => Some(CombiningKind::MaxUi),
        hlo::Op::Minimum(_) => Some(CombiningKind::Min),
        hlo::Op::Maximum(_) => Some(CombiningKind::Max),
        hlo::Op::And(_) => Some(CombiningKind::And),
        hlo::Op::Or(_) => Some(CombiningKind::Or),
        hlo::Op::Xor(_) => Some(CombiningKind::Xor),
        _ => None,
    }
}

/// Refuses a body that applies functions: log(exp(a) + exp(b)) may be grouped anew over the reals, but only by an identity of exp and log, and this
/// lowering claims to use none.
pub fn refuse_functions(site: &Site<'_>, region: RegionId) -> Result<(), Error> {
    let mut inside = site.program.ops_within(region).into_iter();
    if inside.any(|op| site.program.op(op).op.kind() == Kind::Opaque) {
        return Err(site.unsupported("a body that applies functions"));
    }
    Ok(())
}

/// Type in which `kind` adds up elements of `element`.
pub fn accumulation(kind: CombiningKind, element: &ElementType) -> ElementType {
    let rounds = matches!(kind, CombiningKind::Add | CombiningKind::Mul);
    if rounds && element.is_float() && element.bits() < 32 {
        ElementType::F32
    } else {
        element.clone()
    }
}

fn kind(site: &Site<'_>) -> Result<Option<CombiningKind>, Error> {
    if site.results.len() != 1 {
        return Ok(None);
    }
    let element = site.computation.element(site.operands[0])?;
    let region = site.computation.region(site.id, 0)?;
    Ok(combining(site.program, region, &element))
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let folded = dimensions(site)?;
    let input = site.operands[0];
    let rank = site.dims(input)?.len();
    let n = site.results.len();
    for other in &site.operands[1..n] {
        axes.join_all(*other, input);
    }
    for result in site.results {
        let kept = (0..rank).filter(|d| !folded.contains(d));
        for (to, d) in kept.enumerate() {
            axes.join((input, d), (*result, to));
        }
    }
    match kind(site)? {
        Some(_) => axes.fold(site.number(), input, &folded),
        None => {
            refuse_functions(site, site.computation.region(site.id, 0)?)?;
            folded.iter().for_each(|d| axes.keep_whole(input, *d));
        }
    }
    Ok(())
}

/// The start value in every element of the result's block, in the type sums run in.
fn start(site: &Site<'_>, e: &mut Emitter<'_>, kind: CombiningKind) -> Result<KernelValue, Error> {
    let init = e.value(site.operands[1])?;
    let block = e.block_dims(site.results[0])?;
    let element = accumulation(kind, &e.element(init));
    let init = e.convert(init, &element);
    Ok(e.broadcast(init, &block))
}

/// The block of `v` with the value that changes nothing where the block lies outside the tensor, along `dimensions`.
pub fn masked(
    e: &mut Emitter<'_>,
    v: ValueId,
    value: KernelValue,
    dimensions: &[usize],
    one: &tileproof_dialect::tensor::Tensor,
) -> Result<KernelValue, Error> {
    let Some(inside) = e.inside(v, dimensions)? else {
        return Ok(value);
    };
    let block = e.dims(value);
    let nothing = e.splat(&block, one);
    Ok(e.select(inside, value, nothing))
}

/// Dimensions of the block that are folded, and the block in the type sums run in.
fn source(
    site: &Site<'_>,
    e: &mut Emitter<'_>,
    kind: CombiningKind,
) -> Result<(KernelValue, Vec<usize>), Error> {
    let folded = dimensions(site)?;
    let input = site.operands[0];
    let value = e.value(input)?;
    let element = accumulation(kind, &e.element(value));
    let value = e.convert(value, &element);
    let nothing = identity(kind, &element)
        .ok_or_else(|| site.unsupported(format!("a fold of {element} without identity")))?;
    let value = masked(e, input, value, &folded, &nothing)?;
    let lead = lead(site.dims(input)?.len());
    let mut dims: Vec<usize> = folded.iter().map(|d| d + lead).collect();
    // Dimensions that only the kernel has are folded too.
    dims.extend(0..lead);
    dims.sort_unstable();
    Ok((value, dims))
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let Some(kind) = kind(site)? else {
        return by_pairs(site, e);
    };
    let (source, dims) = source(site, e, kind)?;
    let start = start(site, e, kind)?;
    let sum = fold(e, kind, source, &dims, start);
    let element = site.computation.element(site.results[0])?;
    Ok(vec![e.convert(sum, &element)])
}

pub fn accumulate(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<(), Error> {
    let kind = kind(site)?.ok_or_else(|| site.unsupported("a region that is not one op"))?;
    let result = site.results[0];
    let block = e.block_dims(result)?;
    let element = accumulation(kind, &site.computation.element(site.operands[0])?);
    let sums = e.accumulator(result, &block, &element);
    let first = e.at_step(Step::First);
    e.when(first, |e| {
        let start = start(site, e, kind)?;
        e.store_all(start, sums);
        Ok(())
    })?;
    let (source, dims) = source(site, e, kind)?;
    let before = e.load_all(sums);
    let after = fold(e, kind, source, &dims, before);
    e.store_all(after, sums);
    Ok(())
}

/// A balanced tree that keeps the order of the rows, so that the first of equal ones wins where the region says so; then the start values.
fn by_pairs(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let folded = dimensions(site)?;
    let region = site.computation.region(site.id, 0)?;
    let n = site.results.len();
    let mut rows = vec![];
    for v in &site.operands[..n] {
        let value = e.value(*v)?;
        rows.push(rows_first(e, value, &folded, site.dims(*v)?.len()));
    }
    let rows = paired(e, rows, |e, low, high| {
        let dims = e.dims(low[0]);
        let arguments: Vec<KernelValue> = low.iter().chain(high).copied().collect();
        lanes::region(e, site.program, region, &arguments, &dims)
    })?;
    let dims = e.dims(rows[0]);
    let mut arguments = vec![];
    for v in &site.operands[n..] {
        let init = e.value(*v)?;
        arguments.push(e.broadcast(init, &dims));
    }
    arguments.extend(rows);
    let results = lanes::region(e, site.program, region, &arguments, &dims)?;
    let block = e.block_dims(site.results[0])?;
    Ok(results
        .into_iter()
        .map(|v| e.shape_cast(v, &block))
        .collect())
}

/// `[rows, 1 or kept sizes]`: folded dimensions first and as one.
fn rows_first(
    e: &mut Emitter<'_>,
    value: KernelValue,
    folded: &[usize],
    rank: usize,
) -> KernelValue {
    let dims = e.dims(value);
    let own = dims[dims.len() - rank..].to_vec();
    let value = e.shape_cast(value, &if own.is_empty() { vec![1] } else { own.clone() });
    let kept: Vec<usize> = (0..rank).filter(|d| !folded.contains(d)).collect();
    let order: Vec<usize> = folded.iter().chain(&kept).copied().collect();
    let value = if order.is_empty() {
        value
    } else {
        e.transpose(value, &order)
    };
    let rows: u64 = folded.iter().map(|d| own[*d]).product();
    let lanes: u64 = kept.iter().map(|d| own[*d]).product();
    e.shape_cast(value, &[rows, lanes])
}

/// Folds dimension 0 of several vectors by `combine` of every row with the next one until one row is left: what is on the left always came first.
pub fn paired(
    e: &mut Emitter<'_>,
    mut rows: Vec<KernelValue>,
    mut combine: impl FnMut(
        &mut Emitter<'_>,
        &[KernelValue],
        &[KernelValue],
    ) -> Result<Vec<KernelValue>, Error>,
) -> Result<Vec<KernelValue>, Error> {
    loop {
        let count = e.dims(rows[0])[0];
        if count <= 1 {
            return Ok(rows);
        }
        let half = count / 2;
        let part = |e: &mut Emitter<'_>, from: u64, size: u64, stride: u64| -> Vec<KernelValue> {
            rows.iter()
                .map(|v| e.slice_along(*v, 0, from, size, stride))
                .collect()
        };
        let (first, second) = (part(e, 0, half, 2), part(e, 1, half, 2));
        let last = if count.is_multiple_of(2) {
            vec![]
        } else {
            part(e, count - 1, 1, 1)
        };
        let sums = combine(e, &first, &second)?;
        rows = if last.is_empty() {
            sums
        } else {
            let joined = sums.iter().zip(&last);
            joined.map(|(s, l)| e.concatenate(&[*s, *l], 0)).collect()
        };
    }
}
