//! Types of values of kernels, both ways. Each distinct type crosses once a kernel.

use super::super::{locations::text as string_text, types};
use crate::{
    tpu::{KernelType, MemRefType, MemorySpace, RefElement},
    types::Dim,
};
use melior::ir::{Type, TypeLike};
use mlir_sys::*;
use std::{collections::HashMap, sync::Arc};

/// Types made so far for one context.
pub(super) struct Types<'c> {
    context: &'c melior::Context,
    made: HashMap<KernelType, Type<'c>>,
}

impl<'c> Types<'c> {
    pub fn new(context: &'c melior::Context) -> Types<'c> {
        Types {
            context,
            made: HashMap::new(),
        }
    }

    pub fn encode(&mut self, ty: &KernelType) -> Result<Type<'c>, String> {
        if let Some(made) = self.made.get(ty) {
            return Ok(*made);
        }
        let text = written(ty);
        let made = Type::parse(self.context, &text)
            .ok_or_else(|| format!("MLIR does not know the type {text}"))?;
        self.made.insert(ty.clone(), made);
        Ok(made)
    }
}

/// The type as MLIR reads it.
pub(super) fn written(ty: &KernelType) -> String {
    match ty {
        KernelType::MemRef(m) if !m.tiles.is_empty() => {
            // `Display` leaves the strides out.
            let strides: Vec<String> = tile_strides(m).iter().map(i64::to_string).collect();
            ty.to_string()
                .replacen(")>, #tpu", &format!("),[{}]>, #tpu", strides.join(",")), 1)
        }
        KernelType::Index
        | KernelType::Scalar(_)
        | KernelType::Vector { .. }
        | KernelType::MemRef(_) => ty.to_string(),
    }
}

/// Strides of a contiguous buffer in units of the first tile.
fn tile_strides(m: &MemRefType) -> Vec<i64> {
    let tile = m.tiles.first().map_or(&[][..], |t| t.as_slice());
    let untiled = m.dims.len().saturating_sub(tile.len());
    let mut strides = vec![1i64; m.dims.len()];
    for i in (1..m.dims.len()).rev() {
        let size = match m.dims[i] {
            Dim::Static(n) => n,
            Dim::Dynamic { bound } => bound.unwrap_or(1),
        };
        let tiles = match i.checked_sub(untiled).and_then(|k| tile.get(k)) {
            Some(t) => size.div_ceil((*t).max(1)),
            None => size,
        };
        strides[i - 1] = strides[i].saturating_mul(tiles.min(i64::MAX as u64) as i64);
    }
    strides
}

fn printed(a: MlirAttribute) -> String {
    // SAFETY: the attribute belongs to a live context.
    unsafe { melior::ir::Attribute::from_raw(a) }.to_string()
}

/// The type, or what about it is not a kernel's.
pub(super) fn decode(ty: Type) -> Result<KernelType, String> {
    let raw = ty.to_raw();
    // SAFETY: every accessor is called on a type its test accepted, within its rank.
    unsafe {
        if mlirTypeIsAIndex(raw) {
            Ok(KernelType::Index)
        } else if mlirTypeIsAVector(raw) {
            let dims = dims(raw)?;
            let element = types::decode_element(mlirShapedTypeGetElementType(raw))?;
            if mlirVectorTypeIsScalable(raw) || dims.is_empty() {
                return Err(format!("vector type {ty}"));
            }
            let dims: Option<Vec<u64>> = dims
                .iter()
                .map(|d| match d {
                    Dim::Static(n) => Some(*n),
                    Dim::Dynamic { .. } => None,
                })
                .collect();
            Ok(KernelType::Vector {
                dims: dims.unwrap_or_default(),
                element,
            })
        } else if mlirTypeIsAMemRef(raw) {
            memref(raw).map(|m| KernelType::MemRef(Arc::new(m)))
        } else {
            types::decode_element(raw).map(KernelType::Scalar)
        }
    }
}

/// Sizes of a shaped type with a rank.
unsafe fn dims(raw: MlirType) -> Result<Vec<Dim>, String> {
    // SAFETY: the caller has tested that the type is shaped and has a rank.
    unsafe {
        (0..mlirShapedTypeGetRank(raw) as isize)
            .map(|i| {
                if mlirShapedTypeIsDynamicDim(raw, i) {
                    return Ok(Dim::Dynamic { bound: None });
                }
                u64::try_from(mlirShapedTypeGetDimSize(raw, i))
                    .map(Dim::Static)
                    .map_err(|_| "a negative size".to_string())
            })
            .collect()
    }
}

unsafe fn memref(raw: MlirType) -> Result<MemRefType, String> {
    // SAFETY: the caller has tested that the type is a ranked memref.
    unsafe {
        let element = mlirShapedTypeGetElementType(raw);
        let element = match Type::from_raw(element).to_string().as_str() {
            "!tpu.semaphore" => RefElement::Semaphore,
            "!tpu.dma_semaphore" => RefElement::DmaSemaphore,
            _ => RefElement::Data(types::decode_element(element)?),
        };
        let space = mlirMemRefTypeGetMemorySpace(raw);
        let space = if space.ptr.is_null() {
            return Err(format!(
                "memref {} without a memory space",
                Type::from_raw(raw)
            ));
        } else {
            memory_space(&printed(space))?
        };
        let layout = mlirMemRefTypeGetLayout(raw);
        let mut out = MemRefType {
            dims: dims(raw)?,
            element,
            space,
            tiles: vec![],
        };
        if layout.ptr.is_null() || is_identity(layout) {
            return Ok(out);
        }
        let text = printed(layout);
        let (tiles, strides) = tiled(&text).ok_or_else(|| format!("memref layout {text}"))?;
        out.tiles = tiles;
        let fits = out.dims.iter().any(|d| matches!(d, Dim::Dynamic { .. }))
            || strides == tile_strides(&out);
        if fits {
            Ok(out)
        } else {
            Err(format!("memref layout {text} with gaps between tiles"))
        }
    }
}

unsafe fn is_identity(layout: MlirAttribute) -> bool {
    // SAFETY: an attribute of a live context.
    unsafe {
        mlirAttributeIsAAffineMap(layout)
            && mlirAffineMapIsIdentity(mlirAffineMapAttrGetValue(layout))
    }
}

fn memory_space(text: &str) -> Result<MemorySpace, String> {
    text.strip_prefix("#tpu.memory_space<")
        .and_then(|rest| rest.strip_suffix('>'))
        .map(|words| {
            words
                .split_once(',')
                .map_or((words, "tc"), |(word, core)| (word, core.trim()))
        })
        .filter(|(_, core)| *core == "tc")
        .and_then(|(word, _)| MemorySpace::from_word(word))
        .ok_or_else(|| format!("memory space {text}"))
}

/// Tiles and strides of `#tpu.tiled<(8,128)(2,1),[2,1]>`.
fn tiled(text: &str) -> Option<(Vec<Vec<u64>>, Vec<i64>)> {
    let inner = text.strip_prefix("#tpu.tiled<")?.strip_suffix("]>")?;
    let (tiles, strides) = inner.split_once(",[")?;
    let numbers = |list: &str| -> Option<Vec<i64>> {
        let parts = list.split(',').filter(|part| !part.trim().is_empty());
        parts.map(|part| part.trim().parse().ok()).collect()
    };
    let tiles: Option<Vec<Vec<u64>>> = tiles
        .split(['(', ')'])
        .filter(|part| !part.is_empty())
        .map(|part| {
            numbers(part)?
                .iter()
                .map(|n| u64::try_from(*n).ok())
                .collect()
        })
        .collect();
    Some((tiles?, numbers(strides)?))
}

/// The name of an op or symbol of a live context.
pub(super) fn name(identifier: MlirIdentifier) -> String {
    // SAFETY: an identifier's string lives as long as its context.
    unsafe { string_text(mlirIdentifierStr(identifier)) }
}
