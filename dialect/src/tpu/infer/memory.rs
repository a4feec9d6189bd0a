//! Type rules of loads, stores, views of memory, copies and semaphores.

use super::{
    KernelInferContext, Rule, as_vector, counted, data, declared, exactly, indices, operand,
    reference, typed,
    vectors::{product, register},
    wrong,
};
use crate::{
    tpu::{
        op::{Mask, SourceSemaphore},
        types::{KernelType, MemRefType, MemorySpace, RefElement},
    },
    types::{Dim, ElementType},
};
use std::sync::Arc;

pub(super) fn scalar_reference<'a>(
    cx: &KernelInferContext<'a>,
    i: usize,
) -> Result<(&'a MemRefType, ElementType), Vec<String>> {
    let (r, element) = data(cx, i)?;
    if r.space == MemorySpace::Smem {
        Ok((r, element))
    } else {
        wrong(format!(
            "scalars are read and written in smem, operand {i} is in {}",
            r.space.word()
        ))
    }
}

/// A load or store of `value` at `reference`, whose indices begin at operand `from`.
pub(super) fn access(
    r: &MemRefType,
    element: &ElementType,
    value: &KernelType,
    from: usize,
    strides: Option<&[u64]>,
    masked: Mask,
    cx: &KernelInferContext<'_>,
) -> Result<(), Vec<String>> {
    let (dims, have) = as_vector(value, "the value")?;
    let rank = r.dims.len();
    let mut all = vec![];
    if dims.len() != rank || have != *element {
        all.push(format!("{value} is not a part of {r}"));
    }
    if !matches!(r.space, MemorySpace::Vmem | MemorySpace::Smem) {
        all.push(format!("{} is reached by copies only", r.space.word()));
    }
    if strides.is_some_and(|s| s.len() != rank || s.contains(&0)) {
        all.push(format!("strides must be {rank} positive numbers"));
    }
    let operands = match masked {
        Mask::Unmasked => from + rank,
        Mask::Masked => from + rank + 1,
    };
    if let Err(more) = counted(cx, operands).and_then(|()| indices(cx, from, rank)) {
        all.extend(more);
    } else if masked == Mask::Masked
        && let Err(more) = exactly(
            cx,
            from + rank,
            &KernelType::vector(&dims, ElementType::I1),
            "the mask",
        )
    {
        all.extend(more);
    }
    if all.is_empty() { Ok(()) } else { Err(all) }
}

pub(super) fn load(strides: Option<&[u64]>, masked: Mask, cx: &KernelInferContext<'_>) -> Rule {
    let (r, element) = data(cx, 0)?;
    let ty = declared(cx)?;
    access(r, &element, ty, 1, strides, masked, cx)?;
    Ok(vec![ty.clone()])
}

pub(super) fn store(strides: Option<&[u64]>, masked: Mask, cx: &KernelInferContext<'_>) -> Rule {
    let value = operand(cx, 0)?;
    let (r, element) = data(cx, 1)?;
    access(r, &element, value, 2, strides, masked, cx)?;
    Ok(vec![])
}

pub(super) fn memref(r: &MemRefType, dims: Vec<Dim>) -> KernelType {
    KernelType::MemRef(Arc::new(MemRefType { dims, ..r.clone() }))
}

pub(super) fn memref_slice(sizes: &[Dim], cx: &KernelInferContext<'_>) -> Rule {
    let r = reference(cx, 0)?;
    let rank = r.dims.len();
    if sizes.len() != rank {
        return wrong(format!("{} sizes for {rank} dimensions", sizes.len()));
    }
    let dynamic = sizes
        .iter()
        .filter(|d| matches!(d, Dim::Dynamic { .. }))
        .count();
    counted(cx, 1 + rank + dynamic)?;
    typed(cx, 1, rank + dynamic, &KernelType::i32(), "offset or size")?;
    for (size, of) in sizes.iter().zip(&r.dims) {
        if let (Dim::Static(n), Dim::Static(whole)) = (size, of)
            && n > whole
        {
            return wrong(format!("a slice of {n} of {whole}"));
        }
    }
    Ok(vec![memref(r, sizes.to_vec())])
}

/// The declared memref, of the element type and memory of operand 0.
pub(super) fn viewed<'a>(
    cx: &KernelInferContext<'a>,
) -> Result<(&'a MemRefType, &'a MemRefType), Vec<String>> {
    counted(cx, 1)?;
    let r = reference(cx, 0)?;
    let ty = declared(cx)?;
    match ty.as_memref() {
        Some(to) if to.space == r.space => Ok((r, to)),
        Some(_) | None => wrong(format!("{} does not become {ty}", operand(cx, 0)?)),
    }
}

pub(super) fn memref_squeeze(cx: &KernelInferContext<'_>) -> Rule {
    let (from, to) = viewed(cx)?;
    // Dimensions of `to` in order, those of size 1 between them dropped.
    let mut left = to.dims.iter().peekable();
    let fits = from.dims.iter().all(|d| match left.next_if_eq(&d) {
        Some(_) => true,
        None => *d == Dim::Static(1),
    }) && left.next().is_none();
    if !fits || from.element != to.element {
        return wrong(format!(
            "{} squeezed is not {}",
            operand(cx, 0)?,
            declared(cx)?
        ));
    }
    Ok(vec![declared(cx)?.clone()])
}

pub(super) fn memref_reshape(cx: &KernelInferContext<'_>) -> Rule {
    let (from, to) = viewed(cx)?;
    let count = |m: &MemRefType| m.static_dims().and_then(|dims| product(&dims));
    if from.element != to.element || count(from).is_none() || count(from) != count(to) {
        return wrong(format!(
            "{} has not the elements of {}",
            operand(cx, 0)?,
            declared(cx)?
        ));
    }
    Ok(vec![declared(cx)?.clone()])
}

pub(super) fn memref_bitcast(cx: &KernelInferContext<'_>) -> Rule {
    let (from, to) = viewed(cx)?;
    let bits = |m: &MemRefType| product(&m.static_dims()?)?.checked_mul(m.data()?.bits().into());
    if bits(from).is_none() || bits(from) != bits(to) {
        return wrong(format!(
            "{} has not the bits of {}",
            operand(cx, 0)?,
            declared(cx)?
        ));
    }
    Ok(vec![declared(cx)?.clone()])
}

pub(super) fn semaphore(
    cx: &KernelInferContext<'_>,
    i: usize,
    kinds: &[RefElement],
) -> Result<(), Vec<String>> {
    let r = reference(cx, i)?;
    if r.dims.is_empty() && kinds.contains(&r.element) {
        Ok(())
    } else {
        wrong(format!(
            "operand {i} must be one {}, got {}",
            kinds[0],
            operand(cx, i)?
        ))
    }
}

/// Operands `from` and `to` are references to data of one type and shape.
pub(super) fn copied(cx: &KernelInferContext<'_>, from: usize, to: usize) -> Rule {
    let ((a, e), (b, f)) = (data(cx, from)?, data(cx, to)?);
    if e != f || a.dims != b.dims {
        return wrong(format!(
            "{} is not copied to {}",
            operand(cx, from)?,
            operand(cx, to)?
        ));
    }
    Ok(vec![])
}

pub(super) fn enqueue_dma(source_semaphore: SourceSemaphore, cx: &KernelInferContext<'_>) -> Rule {
    match source_semaphore {
        SourceSemaphore::Absent => {
            counted(cx, 3)?;
            semaphore(cx, 2, &[RefElement::DmaSemaphore])?;
            copied(cx, 0, 1)
        }
        SourceSemaphore::Present => {
            counted(cx, 4)?;
            semaphore(cx, 1, &[RefElement::DmaSemaphore])?;
            semaphore(cx, 3, &[RefElement::DmaSemaphore])?;
            copied(cx, 0, 2)
        }
    }
}

/// A register at a window of `reference`, whose indices begin at operand `from`.
pub(super) fn register_access(
    r: &MemRefType,
    element: &ElementType,
    value: &KernelType,
    from: usize,
    masked: Mask,
    cx: &KernelInferContext<'_>,
) -> Result<(), Vec<String>> {
    let (_, have) = register(value)?;
    let rank = r.dims.len();
    if have != *element || rank == 0 {
        return wrong(format!("{value} is not a part of {r}"));
    }
    if r.space != MemorySpace::Vmem {
        return wrong(format!(
            "{} is not reached by vector loads and stores",
            r.space.word()
        ));
    }
    indices(cx, from, rank)?;
    match masked {
        Mask::Unmasked => counted(cx, from + rank),
        Mask::Masked => {
            counted(cx, from + rank + 1)?;
            let dims = value.dims().unwrap_or_default();
            exactly(
                cx,
                from + rank,
                &KernelType::vector(dims, ElementType::I1),
                "the mask",
            )
        }
    }
}

pub(super) fn register_load(masked: Mask, cx: &KernelInferContext<'_>) -> Rule {
    let (r, element) = data(cx, 0)?;
    let ty = declared(cx)?;
    register_access(r, &element, ty, 1, masked, cx)?;
    Ok(vec![ty.clone()])
}

pub(super) fn register_store(masked: Mask, cx: &KernelInferContext<'_>) -> Rule {
    let value = operand(cx, 0)?;
    let (r, element) = data(cx, 1)?;
    register_access(r, &element, value, 2, masked, cx)?;
    Ok(vec![])
}
