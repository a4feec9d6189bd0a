//! The type rule of every op of [`TpuOp`]: the result types, or every violated rule.
//!
//! Elementwise ops and contractions ask the `hlo` op of the same meaning. Result types that do not follow from the operands (sizes of a load, the type a
//! conversion goes to, ...) are taken as declared and checked.

mod memory;
mod vectors;

#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod vector_tests;

use super::{
    kernel::KernelRegion,
    op::TpuOp,
    types::{KernelType, MemRefType, MemorySpace, RefElement},
};
use crate::{
    hlo,
    op::InferContext,
    types::{ElementType, TensorType, Type},
};
use std::sync::Arc;

/// What the type rule may look at.
pub struct KernelInferContext<'a> {
    pub operands: &'a [KernelType],
    pub declared: &'a [KernelType],
    pub regions: &'a [KernelRegionType],
}

/// Argument types of a region, and types of the values its terminator gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelRegionType {
    pub arguments: Vec<KernelType>,
    pub results: Vec<KernelType>,
}

impl KernelRegionType {
    pub fn of(region: &KernelRegion, types: &[KernelType]) -> KernelRegionType {
        let of = |values: &[super::KernelValue]| {
            values
                .iter()
                .filter_map(|v| types.get(v.index()).cloned())
                .collect()
        };
        KernelRegionType {
            arguments: of(&region.arguments),
            results: of(region.ops.last().map_or(&[], |o| o.operands.as_slice())),
        }
    }
}

type Rule = Result<Vec<KernelType>, Vec<String>>;

fn wrong<T>(message: impl Into<String>) -> Result<T, Vec<String>> {
    Err(vec![message.into()])
}

/// Result types of `op`, or every violated rule.
pub fn infer(op: &TpuOp, cx: &KernelInferContext<'_>) -> Rule {
    let regions = op.regions();
    if cx.regions.len() != regions {
        return wrong(format!(
            "expected {regions} regions, got {}",
            cx.regions.len()
        ));
    }
    match op {
        TpuOp::Constant(literal) => {
            counted(cx, 0)?;
            let ty = shaped(literal.dims(), literal.element());
            let index =
                ty == KernelType::Scalar(ElementType::I64) && cx.declared == [KernelType::Index];
            Ok(vec![if index { KernelType::Index } else { ty }])
        }
        TpuOp::Elementwise(op) => elementwise(op, cx),
        TpuOp::IndexCast => vectors::index_cast(cx),
        TpuOp::Broadcast => vectors::broadcast(cx),
        TpuOp::ShapeCast => vectors::shape_cast(cx),
        TpuOp::Transpose { permutation } => vectors::transpose(permutation, cx),
        TpuOp::MultiReduction { kind, dims } => vectors::multi_reduction(*kind, dims, cx),
        TpuOp::ExtractStridedSlice {
            offsets,
            sizes,
            strides,
        } => vectors::extract_strided_slice(offsets, sizes, strides, cx),
        TpuOp::InsertStridedSlice { offsets } => vectors::insert_strided_slice(offsets, cx),
        TpuOp::Extract { position } => vectors::extract(position, cx),
        TpuOp::Concatenate { dimension } => vectors::concatenate(*dimension, cx),
        TpuOp::Iota { dimensions } => vectors::iota(dimensions, cx),
        TpuOp::Rotate { dimension, .. } => {
            counted(cx, 1)?;
            same_along(&[*dimension], cx)
        }
        TpuOp::DynamicRotate { dimension } => {
            counted(cx, 2)?;
            exactly(cx, 1, &KernelType::i32(), "the amount")?;
            same_along(&[*dimension], cx)
        }
        TpuOp::Repeat { dimension, times } => {
            counted(cx, 1)?;
            let (mut dims, element) = vector(cx, 0)?;
            along(&[*dimension], &dims)?;
            dims[*dimension as usize] *= times;
            Ok(vec![KernelType::vector(&dims, element)])
        }
        TpuOp::DynamicGather { dimension } => vectors::dynamic_gather(*dimension, cx),
        TpuOp::Reverse { dimensions } => {
            counted(cx, 1)?;
            same_along(dimensions, cx)
        }
        TpuOp::Matmul {
            dimensions,
            precision,
        } => vectors::matmul(dimensions, precision.as_deref(), cx),
        TpuOp::AllReduce { kind, dimension } => {
            counted(cx, 1)?;
            let (_, element) = vector(cx, 0)?;
            vectors::combines(*kind, &element)?;
            same_along(&[*dimension], cx)
        }
        TpuOp::CreateMask => vectors::create_mask(cx),
        TpuOp::Load { strides, masked } => memory::load(strides.as_deref(), *masked, cx),
        TpuOp::Store { strides, masked } => memory::store(strides.as_deref(), *masked, cx),
        TpuOp::PackSubelements => vectors::pack_subelements(cx),
        TpuOp::UnpackSubelements { index } => vectors::unpack_subelements(*index, cx),
        TpuOp::RollVectors => vectors::roll_vectors(cx),
        TpuOp::UnrollVectors => vectors::unroll_vectors(cx),
        TpuOp::RegisterLoad { masked } => memory::register_load(*masked, cx),
        TpuOp::RegisterStore { masked } => memory::register_store(*masked, cx),
        TpuOp::ScalarLoad => {
            let (r, element) = memory::scalar_reference(cx, 0)?;
            counted(cx, 1 + r.dims.len())?;
            indices(cx, 1, r.dims.len())?;
            Ok(vec![KernelType::Scalar(element)])
        }
        TpuOp::ScalarStore => {
            let (r, element) = memory::scalar_reference(cx, 1)?;
            counted(cx, 2 + r.dims.len())?;
            exactly(cx, 0, &KernelType::Scalar(element), "the value")?;
            indices(cx, 2, r.dims.len())?;
            Ok(vec![])
        }
        TpuOp::MemRefSlice { sizes } => memory::memref_slice(sizes, cx),
        TpuOp::MemRefSqueeze => memory::memref_squeeze(cx),
        TpuOp::MemRefReshape => memory::memref_reshape(cx),
        TpuOp::MemRefBitcast => memory::memref_bitcast(cx),
        TpuOp::EnqueueDma {
            source_semaphore, ..
        } => memory::enqueue_dma(*source_semaphore, cx),
        TpuOp::WaitDma2 => {
            counted(cx, 3)?;
            memory::semaphore(cx, 0, &[RefElement::DmaSemaphore])?;
            memory::copied(cx, 1, 2)
        }
        TpuOp::SemaphoreSignal | TpuOp::SemaphoreWait => {
            counted(cx, 2)?;
            memory::semaphore(cx, 0, &[RefElement::Semaphore])?;
            exactly(cx, 1, &KernelType::i32(), "the amount")?;
            Ok(vec![])
        }
        TpuOp::SemaphoreRead => {
            counted(cx, 1)?;
            memory::semaphore(cx, 0, &[RefElement::Semaphore, RefElement::DmaSemaphore])?;
            Ok(vec![KernelType::i32()])
        }
        TpuOp::BarrierSemaphore => {
            counted(cx, 0)?;
            Ok(vec![KernelType::MemRef(Arc::new(MemRefType {
                dims: vec![],
                element: RefElement::Semaphore,
                space: MemorySpace::SemaphoreMem,
                tiles: vec![],
            }))])
        }
        TpuOp::For => for_loop(cx),
        TpuOp::If => {
            counted(cx, 1)?;
            exactly(cx, 0, &KernelType::Scalar(ElementType::I1), "the condition")?;
            no_arguments(cx)?;
            if cx.regions[0].results != cx.regions[1].results {
                return wrong("the two regions yield different types");
            }
            Ok(cx.regions[0].results.clone())
        }
        TpuOp::While => while_loop(cx),
        TpuOp::Condition => match cx.operands.first() {
            Some(KernelType::Scalar(ElementType::I1)) => Ok(vec![]),
            Some(_) | None => wrong("the first operand must be an i1"),
        },
        TpuOp::Yield => Ok(vec![]),
        TpuOp::Implements { .. } => {
            if cx.regions[0].arguments != cx.operands {
                return wrong("the region's arguments must be of the operands' types");
            }
            Ok(cx.regions[0].results.clone())
        }
    }
}

/// Whether an `hlo` op acts on each element by itself, on types that a kernel has.
pub fn is_elementwise(op: &hlo::Op) -> bool {
    use hlo::Op;
    matches!(
        op,
        Op::Abs(_)
            | Op::Acos(_)
            | Op::Acosh(_)
            | Op::Add(_)
            | Op::And(_)
            | Op::Asin(_)
            | Op::Asinh(_)
            | Op::Atan(_)
            | Op::Atan2(_)
            | Op::Atanh(_)
            | Op::BesselI1e(_)
            | Op::BitcastConvert(_)
            | Op::Cbrt(_)
            | Op::Ceil(_)
            | Op::Clamp(_)
            | Op::Compare(_)
            | Op::Convert(_)
            | Op::Cosh(_)
            | Op::Cosine(_)
            | Op::CountLeadingZeros(_)
            | Op::Digamma(_)
            | Op::Divide(_)
            | Op::Erf(_)
            | Op::ErfInv(_)
            | Op::Erfc(_)
            | Op::Exponential(_)
            | Op::ExponentialMinusOne(_)
            | Op::Floor(_)
            | Op::IsFinite(_)
            | Op::IsInf(_)
            | Op::IsNegInf(_)
            | Op::IsPosInf(_)
            | Op::Lgamma(_)
            | Op::Log(_)
            | Op::LogPlusOne(_)
            | Op::Logistic(_)
            | Op::Maximum(_)
            | Op::Minimum(_)
            | Op::Mulhi(_)
            | Op::Multiply(_)
            | Op::Negate(_)
            | Op::NextAfter(_)
            | Op::Not(_)
            | Op::Or(_)
            | Op::Polygamma(_)
            | Op::Popcnt(_)
            | Op::Power(_)
            | Op::ReducePrecision(_)
            | Op::Remainder(_)
            | Op::RoundNearestAfz(_)
            | Op::RoundNearestEven(_)
            | Op::Rsqrt(_)
            | Op::Select(_)
            | Op::ShiftLeft(_)
            | Op::ShiftRightArithmetic(_)
            | Op::ShiftRightLogical(_)
            | Op::Sign(_)
            | Op::Sine(_)
            | Op::Sinh(_)
            | Op::Sqrt(_)
            | Op::Square(_)
            | Op::StochasticConvert(_)
            | Op::Subtract(_)
            | Op::Tan(_)
            | Op::Tanh(_)
            | Op::Xor(_)
            | Op::Zeta(_)
    )
}

/// A scalar for no dimensions, else a vector.
fn shaped(dims: &[u64], element: &ElementType) -> KernelType {
    if dims.is_empty() {
        KernelType::Scalar(element.clone())
    } else {
        KernelType::vector(dims, element.clone())
    }
}

fn counted(cx: &KernelInferContext<'_>, want: usize) -> Result<(), Vec<String>> {
    if cx.operands.len() == want {
        Ok(())
    } else {
        wrong(format!(
            "expected {want} operands, got {}",
            cx.operands.len()
        ))
    }
}

fn operand<'a>(cx: &KernelInferContext<'a>, i: usize) -> Result<&'a KernelType, Vec<String>> {
    match cx.operands.get(i) {
        Some(ty) => Ok(ty),
        None => wrong(format!("operand {i} is missing")),
    }
}

fn declared<'a>(cx: &KernelInferContext<'a>) -> Result<&'a KernelType, Vec<String>> {
    match cx.declared {
        [ty] => Ok(ty),
        [] | [..] => wrong(format!("expected 1 result, got {}", cx.declared.len())),
    }
}

fn exactly(
    cx: &KernelInferContext<'_>,
    i: usize,
    want: &KernelType,
    what: &str,
) -> Result<(), Vec<String>> {
    let got = operand(cx, i)?;
    if got == want {
        Ok(())
    } else {
        wrong(format!("{what} must be of type {want}, got {got}"))
    }
}

/// Sizes and element type of operand `i`, a vector.
fn vector(cx: &KernelInferContext<'_>, i: usize) -> Result<(Vec<u64>, ElementType), Vec<String>> {
    as_vector(operand(cx, i)?, &format!("operand {i}"))
}

fn as_vector(ty: &KernelType, what: &str) -> Result<(Vec<u64>, ElementType), Vec<String>> {
    match ty {
        KernelType::Vector { dims, element } => Ok((dims.clone(), element.clone())),
        KernelType::Index | KernelType::Scalar(_) | KernelType::MemRef(_) => {
            wrong(format!("{what} must be a vector, got {ty}"))
        }
    }
}

fn reference<'a>(cx: &KernelInferContext<'a>, i: usize) -> Result<&'a MemRefType, Vec<String>> {
    let ty = operand(cx, i)?;
    match ty.as_memref() {
        Some(m) => Ok(m),
        None => wrong(format!("operand {i} must be a memref, got {ty}")),
    }
}

fn data<'a>(
    cx: &KernelInferContext<'a>,
    i: usize,
) -> Result<(&'a MemRefType, ElementType), Vec<String>> {
    let r = reference(cx, i)?;
    match r.data() {
        Some(element) => Ok((r, element.clone())),
        None => wrong(format!("operand {i} holds semaphores")),
    }
}

/// Operands `from..from + count` are of type index.
fn indices(cx: &KernelInferContext<'_>, from: usize, count: usize) -> Result<(), Vec<String>> {
    typed(cx, from, count, &KernelType::Index, "index")
}

fn typed(
    cx: &KernelInferContext<'_>,
    from: usize,
    count: usize,
    want: &KernelType,
    what: &str,
) -> Result<(), Vec<String>> {
    for i in 0..count {
        exactly(cx, from + i, want, &format!("{what} {i}"))?;
    }
    Ok(())
}

/// `dimensions` are different dimensions of `dims`.
fn along(dimensions: &[u64], dims: &[u64]) -> Result<(), Vec<String>> {
    let repeated = (1..dimensions.len()).any(|i| dimensions[..i].contains(&dimensions[i]));
    if repeated || dimensions.iter().any(|d| *d >= dims.len() as u64) {
        return wrong(format!(
            "{dimensions:?} are not different dimensions of a vector of rank {}",
            dims.len()
        ));
    }
    Ok(())
}

/// The type of operand 0, a vector that has `dimensions`.
fn same_along(dimensions: &[u64], cx: &KernelInferContext<'_>) -> Rule {
    let (dims, _) = vector(cx, 0)?;
    along(dimensions, &dims)?;
    Ok(vec![operand(cx, 0)?.clone()])
}

fn no_arguments(cx: &KernelInferContext<'_>) -> Result<(), Vec<String>> {
    if cx.regions.iter().any(|r| !r.arguments.is_empty()) {
        return wrong("the regions must have no arguments");
    }
    Ok(())
}

fn elementwise(op: &hlo::Op, cx: &KernelInferContext<'_>) -> Rule {
    if !is_elementwise(op) {
        return wrong(format!("hlo.{} is not elementwise", op.name()));
    }
    let mut on_index = false;
    let tensors = |types: &[KernelType], on_index: &mut bool| -> Result<Vec<Type>, Vec<String>> {
        types
            .iter()
            .map(|ty| {
                *on_index |= *ty == KernelType::Index;
                match (ty.dims(), ty.element()) {
                    (Some(dims), Some(element)) => {
                        Ok(TensorType::new(dims.iter().copied(), element).into())
                    }
                    (_, _) => wrong(format!(
                        "an elementwise op takes scalars and vectors, got {ty}"
                    )),
                }
            })
            .collect()
    };
    let operands = tensors(cx.operands, &mut on_index)?;
    if on_index && cx.operands.contains(&KernelType::Scalar(ElementType::I64)) {
        return wrong("index and i64 operands do not mix");
    }
    if on_index && matches!(op, hlo::Op::Convert(_) | hlo::Op::BitcastConvert(_)) {
        return wrong("an index is converted by arith.index_cast");
    }
    let declared = tensors(cx.declared, &mut false)?;
    let results = op.infer(&InferContext {
        operands: &operands,
        declared: &declared,
        regions: &[],
    })?;
    results
        .iter()
        .map(
            |ty| match ty.as_tensor().map(|t| (t.static_dims(), &t.element)) {
                Some((Some(dims), ElementType::I64)) if on_index && dims.is_empty() => {
                    Ok(KernelType::Index)
                }
                Some((Some(dims), element)) => Ok(shaped(&dims, element)),
                Some((None, _)) | None => wrong(format!("result of type {ty}")),
            },
        )
        .collect()
}

fn for_loop(cx: &KernelInferContext<'_>) -> Rule {
    let index = operand(cx, 0)?;
    let is_index = matches!(index, KernelType::Index)
        || matches!(index, KernelType::Scalar(e) if e.is_integer());
    if !is_index {
        return wrong(format!("a loop counts in an index or integer, not {index}"));
    }
    typed(cx, 1, 2, index, "bound")?;
    let carried = &cx.operands[3..];
    let r = &cx.regions[0];
    if r.arguments.first() != Some(index)
        || r.arguments.get(1..) != Some(carried)
        || r.results != carried
    {
        return wrong(
            "the region must take the induction variable and the carried values and yield values of their types",
        );
    }
    Ok(carried.to_vec())
}

fn while_loop(cx: &KernelInferContext<'_>) -> Rule {
    let (before, after) = (&cx.regions[0], &cx.regions[1]);
    if before.arguments != cx.operands || after.results != cx.operands {
        return wrong(
            "the first region must take and the second yield values of the operands' types",
        );
    }
    let passed = before.results.get(1..).unwrap_or(&[]);
    if after.arguments != passed {
        return wrong("the second region must take what the first passes on");
    }
    Ok(passed.to_vec())
}
