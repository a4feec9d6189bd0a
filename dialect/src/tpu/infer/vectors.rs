//! Type rules of ops on vectors and registers.

use super::{
    KernelInferContext, Rule, along, as_vector, counted, declared, exactly, indices, operand,
    shaped, vector, wrong,
};
use crate::{
    hlo::dot_general::DotGeneral,
    op::{InferContext, OpDef},
    tpu::{
        op::{CombiningKind, MatmulDimensions},
        types::KernelType,
    },
    types::{ElementType, TensorType, Type},
};

/// `kind` combines elements of this type.
pub(super) fn combines(kind: CombiningKind, element: &ElementType) -> Result<(), Vec<String>> {
    let fits = match kind {
        CombiningKind::Add | CombiningKind::Mul | CombiningKind::Min | CombiningKind::Max => true,
        CombiningKind::MinUi
        | CombiningKind::MaxUi
        | CombiningKind::And
        | CombiningKind::Or
        | CombiningKind::Xor => element.is_integer(),
    };
    if fits {
        Ok(())
    } else {
        wrong(format!("{kind:?} does not combine {element}"))
    }
}

pub(super) fn index_cast(cx: &KernelInferContext<'_>) -> Rule {
    counted(cx, 1)?;
    let to = declared(cx)?;
    match (operand(cx, 0)?, to) {
        (KernelType::Index, KernelType::Scalar(e)) | (KernelType::Scalar(e), KernelType::Index)
            if e.is_integer() =>
        {
            Ok(vec![to.clone()])
        }
        (from, to) => wrong(format!(
            "casts between index and integers only, not {from} to {to}"
        )),
    }
}

pub(super) fn broadcast(cx: &KernelInferContext<'_>) -> Rule {
    counted(cx, 1)?;
    let from = operand(cx, 0)?;
    let to = declared(cx)?;
    let (dims, element) = as_vector(to, "the result")?;
    let fits = from.element() == Some(element)
        && *from != KernelType::Index
        && from.dims().is_some_and(|have| {
            have.len() <= dims.len()
                && have
                    .iter()
                    .rev()
                    .zip(dims.iter().rev())
                    .all(|(h, d)| h == d || *h == 1)
        });
    if fits {
        Ok(vec![to.clone()])
    } else {
        wrong(format!("{from} does not broadcast to {to}"))
    }
}

pub(super) fn shape_cast(cx: &KernelInferContext<'_>) -> Rule {
    counted(cx, 1)?;
    let (from, element) = vector(cx, 0)?;
    let to = declared(cx)?;
    let (dims, to_element) = as_vector(to, "the result")?;
    if element != to_element || product(&from) != product(&dims) {
        return wrong(format!("{} has not the elements of {to}", operand(cx, 0)?));
    }
    Ok(vec![to.clone()])
}

pub(super) fn product(dims: &[u64]) -> Option<u64> {
    dims.iter().try_fold(1u64, |a, d| a.checked_mul(*d))
}

pub(super) fn transpose(permutation: &[u64], cx: &KernelInferContext<'_>) -> Rule {
    counted(cx, 1)?;
    let (dims, element) = vector(cx, 0)?;
    along(permutation, &dims)?;
    if permutation.len() != dims.len() {
        return wrong(format!(
            "{permutation:?} does not permute {} dimensions",
            dims.len()
        ));
    }
    let dims: Vec<u64> = permutation.iter().map(|d| dims[*d as usize]).collect();
    Ok(vec![KernelType::vector(&dims, element)])
}

pub(super) fn multi_reduction(
    kind: CombiningKind,
    reduced: &[u64],
    cx: &KernelInferContext<'_>,
) -> Rule {
    counted(cx, 2)?;
    let (dims, element) = vector(cx, 0)?;
    along(reduced, &dims)?;
    combines(kind, &element)?;
    let kept: Vec<u64> = (0..dims.len())
        .filter(|i| !reduced.contains(&(*i as u64)))
        .map(|i| dims[i])
        .collect();
    let result = shaped(&kept, &element);
    exactly(cx, 1, &result, "the accumulator")?;
    Ok(vec![result])
}

pub(super) fn extract_strided_slice(
    offsets: &[u64],
    sizes: &[u64],
    strides: &[u64],
    cx: &KernelInferContext<'_>,
) -> Rule {
    counted(cx, 1)?;
    let (dims, element) = vector(cx, 0)?;
    let rank = dims.len();
    if offsets.len() != rank || sizes.len() != rank || strides.len() != rank {
        return wrong(format!("offsets, sizes and strides are {rank} each"));
    }
    let inside = (0..rank).all(|i| {
        let last = sizes[i]
            .checked_sub(1)
            .and_then(|n| n.checked_mul(strides[i]))
            .and_then(|n| n.checked_add(offsets[i]));
        strides[i] >= 1 && last.is_some_and(|last| last < dims[i])
    });
    if !inside {
        return wrong(format!(
            "{sizes:?} at {offsets:?} by {strides:?} reaches beyond {}",
            operand(cx, 0)?
        ));
    }
    Ok(vec![KernelType::vector(sizes, element)])
}

pub(super) fn insert_strided_slice(offsets: &[u64], cx: &KernelInferContext<'_>) -> Rule {
    counted(cx, 2)?;
    let (part, element) = vector(cx, 0)?;
    let (dims, into_element) = vector(cx, 1)?;
    let inside = part.len() == dims.len()
        && offsets.len() == dims.len()
        && (0..dims.len()).all(|i| {
            offsets[i]
                .checked_add(part[i])
                .is_some_and(|end| end <= dims[i])
        });
    if !inside || element != into_element {
        return wrong(format!(
            "{} at {offsets:?} does not fit into {}",
            operand(cx, 0)?,
            operand(cx, 1)?
        ));
    }
    Ok(vec![operand(cx, 1)?.clone()])
}

pub(super) fn extract(position: &[u64], cx: &KernelInferContext<'_>) -> Rule {
    counted(cx, 1)?;
    let (dims, element) = vector(cx, 0)?;
    if position.len() > dims.len() || position.iter().zip(&dims).any(|(p, d)| p >= d) {
        return wrong(format!(
            "position {position:?} lies outside {}",
            operand(cx, 0)?
        ));
    }
    Ok(vec![shaped(&dims[position.len()..], &element)])
}

pub(super) fn concatenate(dimension: u64, cx: &KernelInferContext<'_>) -> Rule {
    let (mut dims, element) = vector(cx, 0)?;
    along(&[dimension], &dims)?;
    let d = dimension as usize;
    for i in 1..cx.operands.len() {
        let (more, e) = vector(cx, i)?;
        let fits = more.len() == dims.len()
            && e == element
            && (0..dims.len()).all(|k| k == d || more[k] == dims[k]);
        if !fits {
            return wrong(format!(
                "operand {i} of type {} does not continue {} along {dimension}",
                operand(cx, i)?,
                operand(cx, 0)?
            ));
        }
        dims[d] += more[d];
    }
    Ok(vec![KernelType::vector(&dims, element)])
}

pub(super) fn iota(dimensions: &[u64], cx: &KernelInferContext<'_>) -> Rule {
    counted(cx, 0)?;
    let ty = declared(cx)?;
    let (dims, element) = as_vector(ty, "the result")?;
    along(dimensions, &dims)?;
    if element != ElementType::I32 || dimensions.is_empty() {
        return wrong(format!(
            "counts in i32 along at least one dimension, not {ty} along {dimensions:?}"
        ));
    }
    Ok(vec![ty.clone()])
}

pub(super) fn dynamic_gather(dimension: u64, cx: &KernelInferContext<'_>) -> Rule {
    counted(cx, 2)?;
    let (source, element) = vector(cx, 0)?;
    let (dims, index) = vector(cx, 1)?;
    along(&[dimension], &source)?;
    let fits = source.len() == dims.len()
        && (0..dims.len()).all(|k| k == dimension as usize || source[k] == dims[k]);
    if !fits || index != ElementType::I32 {
        return wrong(format!(
            "indices {} do not fit {} along {dimension}",
            operand(cx, 1)?,
            operand(cx, 0)?
        ));
    }
    Ok(vec![KernelType::vector(&dims, element)])
}

/// Sizes as of `hlo.dot_general`; products and sums are of the accumulator's type.
pub(super) fn matmul(
    d: &MatmulDimensions,
    precision: Option<&str>,
    cx: &KernelInferContext<'_>,
) -> Rule {
    counted(cx, 3)?;
    let ((lhs, l), (rhs, r), (_, accumulator)) = (vector(cx, 0)?, vector(cx, 1)?, vector(cx, 2)?);
    let ints = |v: &[u64]| v.iter().map(|d| *d as i64).collect();
    let dot = DotGeneral {
        lhs_batching_dimensions: ints(&d.lhs_batch),
        rhs_batching_dimensions: ints(&d.rhs_batch),
        lhs_contracting_dimensions: ints(&d.lhs_contracting),
        rhs_contracting_dimensions: ints(&d.rhs_contracting),
        precision_config: None,
        algorithm: None,
    };
    let operands = [lhs, rhs].map(|dims| Type::from(TensorType::new(dims, accumulator.clone())));
    let results = dot.infer(&InferContext {
        operands: &operands,
        declared: &[],
        regions: &[],
    })?;
    let dims = results
        .first()
        .and_then(Type::as_tensor)
        .and_then(|t| t.static_dims())
        .unwrap_or_default();
    let result = shaped(&dims, &accumulator);
    let mut all = vec![];
    if l.is_float() != accumulator.is_float() || r.is_float() != accumulator.is_float() {
        all.push(format!("{l} and {r} do not accumulate in {accumulator}"));
    }
    if !matches!(precision, None | Some("DEFAULT" | "HIGH" | "HIGHEST")) {
        all.push(format!(
            "precision must be DEFAULT, HIGH or HIGHEST, got {}",
            precision.unwrap_or_default()
        ));
    }
    if *operand(cx, 2)? != result {
        all.push(format!(
            "the accumulator must be of type {result}, got {}",
            operand(cx, 2)?
        ));
    }
    if all.is_empty() {
        Ok(vec![result])
    } else {
        Err(all)
    }
}

pub(super) fn create_mask(cx: &KernelInferContext<'_>) -> Rule {
    let ty = declared(cx)?;
    let (dims, element) = as_vector(ty, "the result")?;
    counted(cx, 2 * dims.len())?;
    indices(cx, 0, 2 * dims.len())?;
    if element != ElementType::I1 {
        return wrong(format!("a mask is a vector of i1, not {ty}"));
    }
    Ok(vec![ty.clone()])
}

/// `[8, 128]`, or packed `[8, 128, N]`: the number of elements in each 32-bit lane, and the element type.
pub(super) fn register(ty: &KernelType) -> Result<(u64, ElementType), Vec<String>> {
    let (dims, element) = as_vector(ty, "a register")?;
    match dims[..] {
        [8, 128] => Ok((1, element)),
        [8, 128, n] if n >= 2 => Ok((n, element)),
        _ => wrong(format!("{ty} is not of native register shape")),
    }
}

pub(super) fn pack_subelements(cx: &KernelInferContext<'_>) -> Rule {
    let (packed, element) = register(operand(cx, 0)?)?;
    let n = cx.operands.len() as u64;
    if packed != 1 || n < 2 || cx.operands.iter().any(|ty| ty != &cx.operands[0]) {
        return wrong("packs two or more unpacked registers of one type");
    }
    Ok(vec![KernelType::vector(&[8, 128, n], element)])
}

pub(super) fn unpack_subelements(index: u64, cx: &KernelInferContext<'_>) -> Rule {
    counted(cx, 1)?;
    let (packed, element) = register(operand(cx, 0)?)?;
    if packed == 1 || index >= packed {
        return wrong(format!("part {index} of {}", operand(cx, 0)?));
    }
    Ok(vec![KernelType::vector(&[8, 128], element)])
}

/// Registers of this packing that a block of these sizes takes.
pub(super) fn register_count(dims: &[u64], packed: u64) -> Option<u64> {
    match dims {
        [rows, lanes] if rows % (8 * packed) == 0 && lanes % 128 == 0 => {
            Some(rows / (8 * packed) * (lanes / 128))
        }
        _ => None,
    }
}

pub(super) fn roll_vectors(cx: &KernelInferContext<'_>) -> Rule {
    let (packed, element) = register(operand(cx, 0)?)?;
    let ty = declared(cx)?;
    let (dims, block) = as_vector(ty, "the result")?;
    let count = register_count(&dims, packed);
    if block != element
        || count != Some(cx.operands.len() as u64)
        || cx.operands.iter().any(|r| r != &cx.operands[0])
    {
        return wrong(format!(
            "{} of {} do not make up {ty}",
            cx.operands.len(),
            cx.operands[0]
        ));
    }
    Ok(vec![ty.clone()])
}

pub(super) fn unroll_vectors(cx: &KernelInferContext<'_>) -> Rule {
    counted(cx, 1)?;
    let (dims, element) = vector(cx, 0)?;
    let Some(first) = cx.declared.first() else {
        return wrong("a block has at least one register");
    };
    let (packed, of) = register(first)?;
    if of != element || register_count(&dims, packed) != Some(cx.declared.len() as u64) {
        return wrong(format!(
            "{} is not {} of {first}",
            operand(cx, 0)?,
            cx.declared.len()
        ));
    }
    Ok(vec![first.clone(); cx.declared.len()])
}
