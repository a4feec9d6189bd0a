//! `dot_general`: `tpu.matmul` of `[m, k] x [k, n]`, with a batch dimension in front where there is one. Floats accumulate in f32, integers in 32 bits.
//!
//! Over divided contracting dimensions sums are kept in scratch; what lies outside the operands counts as 0.

use super::{
    axes::Axes,
    emitter::{Emitter, Step},
    form::Site,
    reduce::masked,
};
use tileproof_dialect::{
    error::Error,
    hlo::{
        self,
        compare::Direction,
        contraction::Precision,
        dot_algorithm::{DotAlgorithm, PrecisionType},
        dot_general::DotGeneral,
    },
    program::ValueId,
    tensor::Tensor,
    tpu::{KernelType, KernelValue, MatmulDimensions, TpuOp},
    types::{Class, ElementType},
};

fn dot<'a>(site: &Site<'a>) -> Result<&'a DotGeneral, Error> {
    match site.op {
        hlo::Op::DotGeneral(dot) => Ok(dot),
        _ => Err(site.unsupported("no dot")),
    }
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let dot = dot(site)?;
    if dot
        .algorithm
        .as_ref()
        .is_some_and(|a| operand_type(a).is_none_or(|t| !has_zero(&t)))
    {
        return Err(site.unsupported("an algorithm of several components"));
    }
    let (lhs, rhs, result) = (site.operands[0], site.operands[1], site.results[0]);
    let (lhs_rank, rhs_rank) = (site.dims(lhs)?.len(), site.dims(rhs)?.len());
    let [lhs_kept, rhs_kept] = dot.result_dimensions(lhs_rank, rhs_rank);
    let mut to = 0;
    let batching = dot
        .lhs_batching_dimensions
        .iter()
        .zip(&dot.rhs_batching_dimensions);
    for (l, r) in batching {
        axes.join((lhs, *l as usize), (result, to));
        axes.join((rhs, *r as usize), (result, to));
        to += 1;
    }
    for d in lhs_kept {
        axes.join((lhs, d), (result, to));
        to += 1;
    }
    for d in rhs_kept {
        axes.join((rhs, d), (result, to));
        to += 1;
    }
    let contracting = dot
        .lhs_contracting_dimensions
        .iter()
        .zip(&dot.rhs_contracting_dimensions);
    for (l, r) in contracting {
        axes.join((lhs, *l as usize), (rhs, *r as usize));
    }
    let folded: Vec<usize> = wide(&dot.lhs_contracting_dimensions);
    axes.fold(site.number(), lhs, &folded);
    Ok(())
}

fn wide(dims: &[i64]) -> Vec<usize> {
    dims.iter().map(|d| *d as usize).collect()
}

/// The type an algorithm of one component rounds operands to; none for the others.
fn operand_type(algorithm: &DotAlgorithm) -> Option<ElementType> {
    let one = (1, 1, 1);
    let counts = (
        algorithm.lhs_component_count,
        algorithm.rhs_component_count,
        algorithm.num_primitive_operations,
    );
    match (&algorithm.lhs_precision_type, &algorithm.rhs_precision_type) {
        (PrecisionType::Element(l), PrecisionType::Element(r))
            if l == r
                && counts == one
                && algorithm.accumulation_type == PrecisionType::Element(ElementType::F32) =>
        {
            Some(l.clone())
        }
        (PrecisionType::Element(_) | PrecisionType::TensorFloat32, _) => None,
    }
}

/// Type in which products are added up.
pub fn accumulation(result: &ElementType) -> ElementType {
    match result.class() {
        Class::Float => ElementType::F32,
        Class::Unsigned => ElementType::U32,
        Class::Boolean | Class::Signed | Class::Complex | Class::Quantized => ElementType::I32,
    }
}

/// An operand in a type the matrix unit takes with the other one.
pub fn factor(
    e: &mut Emitter<'_>,
    value: KernelValue,
    other: &ElementType,
    sums: &ElementType,
) -> KernelValue {
    let own = e.element(value);
    let kept = own == *other && own.class() == sums.class() && has_zero(&own);
    if kept || own == *sums {
        return value;
    }
    e.convert(value, sums)
}

/// Whether the type has the number that lies where a factor ends: F8E8M0FNU, powers of two, has none, and what it would take for it is multiplied and added.
pub fn has_zero(element: &ElementType) -> bool {
    Tensor::from_i64s(&[], element, &[0]).to_f64s().first() == Some(&0.0)
}

/// Operands as `[batch, m, k]` and `[batch, k, n]`, masked along divided contracting dimensions; without the batch where it is 1.
fn factors(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<(KernelValue, KernelValue), Error> {
    let dot = dot(site)?;
    let (lhs, rhs) = (site.operands[0], site.operands[1]);
    let [lhs_kept, rhs_kept] = dot.result_dimensions(site.dims(lhs)?.len(), site.dims(rhs)?.len());
    let lhs_order = [
        wide(&dot.lhs_batching_dimensions),
        lhs_kept,
        wide(&dot.lhs_contracting_dimensions),
    ];
    let rhs_order = [
        wide(&dot.rhs_batching_dimensions),
        wide(&dot.rhs_contracting_dimensions),
        rhs_kept,
    ];
    let sums = accumulation(&site.computation.element(site.results[0])?);
    let types = (
        site.computation.element(lhs)?,
        site.computation.element(rhs)?,
    );
    let a = operand(
        site,
        e,
        lhs,
        &lhs_order,
        &wide(&dot.lhs_contracting_dimensions),
    )?;
    let b = operand(
        site,
        e,
        rhs,
        &rhs_order,
        &wide(&dot.rhs_contracting_dimensions),
    )?;
    Ok((factor(e, a, &types.1, &sums), factor(e, b, &types.0, &sums)))
}

fn operand(
    site: &Site<'_>,
    e: &mut Emitter<'_>,
    v: ValueId,
    order: &[Vec<usize>; 3],
    contracting: &[usize],
) -> Result<KernelValue, Error> {
    let mut value = e.value(v)?;
    if !has_zero(&e.element(value)) {
        value = e.convert(
            value,
            &accumulation(&site.computation.element(site.results[0])?),
        );
    }
    let element = e.element(value);
    let value = masked(
        e,
        v,
        value,
        contracting,
        &Tensor::from_i64s(&[], &element, &[0]),
    )?;
    let value = match dot(site)?.algorithm.as_ref().and_then(operand_type) {
        Some(precise) => e.convert(value, &precise),
        None => value,
    };
    let rank = site.dims(v)?.len();
    let dims = e.dims(value);
    let own = dims[dims.len() - rank..].to_vec();
    let value = e.shape_cast(value, &if own.is_empty() { vec![1] } else { own.clone() });
    let all: Vec<usize> = order.iter().flatten().copied().collect();
    let value = if all.is_empty() {
        value
    } else {
        e.transpose(value, &all)
    };
    let size = |part: &Vec<usize>| part.iter().map(|d| own[*d]).product::<u64>();
    let mut shape: Vec<u64> = order.iter().map(size).collect();
    if batch_is_one(site)? {
        shape.remove(0);
    }
    Ok(e.shape_cast(value, &shape))
}

fn batch_is_one(site: &Site<'_>) -> Result<bool, Error> {
    let dims = site.dims(site.operands[0])?;
    let dot = dot(site)?;
    Ok(dot
        .lhs_batching_dimensions
        .iter()
        .all(|d| dims[*d as usize] == 1))
}

/// `sums + lhs x rhs` of `[batch, m, k]` and `[batch, k, n]`, or of `[m, k]` and `[k, n]`.
pub fn matmul(
    e: &mut Emitter<'_>,
    lhs: KernelValue,
    rhs: KernelValue,
    sums: KernelValue,
    precision: Option<&[Precision]>,
) -> KernelValue {
    let (a, b) = (e.dims(lhs), e.dims(rhs));
    let (dimensions, dims) = if a.len() == 2 {
        (MatmulDimensions::plain(), vec![a[0], b[1]])
    } else {
        let batched = MatmulDimensions {
            lhs_contracting: vec![2],
            rhs_contracting: vec![1],
            lhs_batch: vec![0],
            rhs_batch: vec![0],
        };
        (batched, vec![a[0], a[1], b[2]])
    };
    let precision = precision.and_then(|all| {
        if all.contains(&Precision::Highest) {
            Some("HIGHEST".to_string())
        } else if all.contains(&Precision::High) {
            Some("HIGH".to_string())
        } else {
            None
        }
    });
    let out = e.dims(sums);
    let sums = e.shape_cast(sums, &dims);
    let ty = KernelType::vector(&dims, e.element(sums));
    let op = TpuOp::Matmul {
        dimensions,
        precision,
    };
    let product = e.b.one(op, &[lhs, rhs, sums], ty);
    e.shape_cast(product, &out)
}

/// Sums in the result's type.
pub fn finished(e: &mut Emitter<'_>, sums: KernelValue, element: &ElementType) -> KernelValue {
    if *element != ElementType::I1 {
        return e.convert(sums, element);
    }
    let zero = Tensor::from_i64s(&[], &ElementType::I32, &[0]);
    let dims = e.dims(sums);
    let zero = e.splat(&dims, &zero);
    e.compare(Direction::Ne, sums, zero)
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let (lhs, rhs) = factors(site, e)?;
    let element = site.computation.element(site.results[0])?;
    let block = e.block_dims(site.results[0])?;
    let zero = Tensor::from_i64s(&[], &accumulation(&element), &[0]);
    let zeros = e.splat(&block, &zero);
    let sums = matmul(e, lhs, rhs, zeros, dot(site)?.precision_config.as_deref());
    Ok(vec![finished(e, sums, &element)])
}

pub fn accumulate(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<(), Error> {
    let result = site.results[0];
    let element = site.computation.element(result)?;
    if element == ElementType::I1 {
        return Err(site.unsupported("booleans over a divided dimension"));
    }
    let block = e.block_dims(result)?;
    let zero = Tensor::from_i64s(&[], &accumulation(&element), &[0]);
    let reference = e.accumulator(result, &block, &accumulation(&element));
    let first = e.at_step(Step::First);
    e.when(first, |e| {
        let zeros = e.splat(&block, &zero);
        e.store_all(zeros, reference);
        Ok(())
    })?;
    let (lhs, rhs) = factors(site, e)?;
    let sums = e.load_all(reference);
    let sums = matmul(e, lhs, rhs, sums, dot(site)?.precision_config.as_deref());
    e.store_all(sums, reference);
    Ok(())
}
