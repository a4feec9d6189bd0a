//! Types, both ways.

use super::context::{
    tileproofAttributeIsALayout, tileproofLayoutBounds, tileproofLayoutGet,
    tileproofLayoutNumTiles, tileproofLayoutOrder, tileproofLayoutTile, tileproofTokenGet,
    tileproofTypeIsAToken,
};
use crate::types::{Dim, ElementType, Layout, QuantizedType, TensorType, Type};
use mlir_sys::*;
use std::sync::Arc;

type Getter = unsafe extern "C" fn(MlirContext) -> MlirType;
type Test = unsafe extern "C" fn(MlirType) -> bool;

const FLOATS: &[(ElementType, Getter, Test)] = &[
    (ElementType::F32, mlirF32TypeGet, mlirTypeIsAF32),
    (ElementType::BF16, mlirBF16TypeGet, mlirTypeIsABF16),
    (ElementType::F16, mlirF16TypeGet, mlirTypeIsAF16),
    (ElementType::F64, mlirF64TypeGet, mlirTypeIsAF64),
    (
        ElementType::F4E2M1FN,
        mlirFloat4E2M1FNTypeGet,
        mlirTypeIsAFloat4E2M1FN,
    ),
    (
        ElementType::F6E2M3FN,
        mlirFloat6E2M3FNTypeGet,
        mlirTypeIsAFloat6E2M3FN,
    ),
    (
        ElementType::F6E3M2FN,
        mlirFloat6E3M2FNTypeGet,
        mlirTypeIsAFloat6E3M2FN,
    ),
    (
        ElementType::F8E3M4,
        mlirFloat8E3M4TypeGet,
        mlirTypeIsAFloat8E3M4,
    ),
    (
        ElementType::F8E4M3,
        mlirFloat8E4M3TypeGet,
        mlirTypeIsAFloat8E4M3,
    ),
    (
        ElementType::F8E4M3FN,
        mlirFloat8E4M3FNTypeGet,
        mlirTypeIsAFloat8E4M3FN,
    ),
    (
        ElementType::F8E4M3FNUZ,
        mlirFloat8E4M3FNUZTypeGet,
        mlirTypeIsAFloat8E4M3FNUZ,
    ),
    (
        ElementType::F8E4M3B11FNUZ,
        mlirFloat8E4M3B11FNUZTypeGet,
        mlirTypeIsAFloat8E4M3B11FNUZ,
    ),
    (
        ElementType::F8E5M2,
        mlirFloat8E5M2TypeGet,
        mlirTypeIsAFloat8E5M2,
    ),
    (
        ElementType::F8E5M2FNUZ,
        mlirFloat8E5M2FNUZTypeGet,
        mlirTypeIsAFloat8E5M2FNUZ,
    ),
    (
        ElementType::F8E8M0FNU,
        mlirFloat8E8M0FNUTypeGet,
        mlirTypeIsAFloat8E8M0FNU,
    ),
];

pub fn encode<'c>(context: &'c melior::Context, ty: &Type) -> melior::ir::Type<'c> {
    // SAFETY: `encode_raw` makes a type of `context`.
    unsafe { melior::ir::Type::from_raw(encode_raw(context.to_raw(), ty)) }
}

/// The type, or what about it is not ours.
pub fn decode(ty: melior::ir::Type) -> Result<Type, String> {
    decode_raw(melior::ir::TypeLike::to_raw(&ty))
}

pub(super) fn encode_raw(context: MlirContext, ty: &Type) -> MlirType {
    // SAFETY: plain constructors over types of the same live context.
    unsafe {
        match ty {
            Type::Token => tileproofTokenGet(context),
            Type::Tuple(parts) => {
                let parts: Vec<MlirType> =
                    parts.iter().map(|part| encode_raw(context, part)).collect();
                mlirTupleTypeGet(context, parts.len() as isize, parts.as_ptr())
            }
            Type::Tensor(tensor) => encode_tensor(context, tensor),
        }
    }
}

pub(super) fn encode_tensor(context: MlirContext, ty: &TensorType) -> MlirType {
    // SAFETY: element and encoding belong to `context`; `dims` has as many entries as the rank says.
    unsafe {
        let dims: Vec<i64> = ty
            .dims
            .iter()
            .map(|dim| match dim {
                Dim::Static(n) => i64::try_from(*n).unwrap_or(i64::MAX),
                Dim::Dynamic { .. } => mlirShapedTypeGetDynamicSize(),
            })
            .collect();
        let element = encode_element(context, &ty.element);
        mlirRankedTensorTypeGet(
            dims.len() as isize,
            dims.as_ptr(),
            element,
            encode_encoding(context, ty),
        )
    }
}

/// Layout and bounds; null without either.
fn encode_encoding(context: MlirContext, ty: &TensorType) -> MlirAttribute {
    let bounds: Vec<i64> = ty
        .dims
        .iter()
        .map(|dim| match dim {
            Dim::Static(_) | Dim::Dynamic { bound: None } => -1,
            Dim::Dynamic { bound: Some(bound) } => *bound as i64,
        })
        .collect();
    let bounded = bounds.iter().any(|bound| *bound != -1);
    if ty.layout.is_none() && !bounded {
        return MlirAttribute {
            ptr: std::ptr::null(),
        };
    }
    let signed = |list: &[u64]| list.iter().map(|n| *n as i64).collect::<Vec<i64>>();
    let default = Layout::default();
    let layout = ty.layout.as_ref().unwrap_or(&default);
    // SAFETY: the list constructor copies its argument, the layout constructor its tiles.
    unsafe {
        let list =
            |values: &[i64]| mlirDenseI64ArrayGet(context, values.len() as isize, values.as_ptr());
        let tiles: Vec<MlirAttribute> = layout
            .tiles
            .iter()
            .map(|tile| list(&signed(tile)))
            .collect();
        let bounds = if bounded {
            list(&bounds)
        } else {
            MlirAttribute {
                ptr: std::ptr::null(),
            }
        };
        let order = list(&signed(&layout.minor_to_major));
        tileproofLayoutGet(context, order, tiles.len() as isize, tiles.as_ptr(), bounds)
    }
}

fn encode_element(context: MlirContext, element: &ElementType) -> MlirType {
    // SAFETY: plain constructors over types of the same live context; scales and zero points are equally long.
    unsafe {
        match element {
            ElementType::I1
            | ElementType::I2
            | ElementType::I4
            | ElementType::I8
            | ElementType::I16
            | ElementType::I32
            | ElementType::I64 => mlirIntegerTypeGet(context, element.bits()),
            ElementType::U2
            | ElementType::U4
            | ElementType::U8
            | ElementType::U16
            | ElementType::U32
            | ElementType::U64 => mlirIntegerTypeUnsignedGet(context, element.bits()),
            ElementType::C64 => mlirComplexTypeGet(mlirF32TypeGet(context)),
            ElementType::C128 => mlirComplexTypeGet(mlirF64TypeGet(context)),
            ElementType::Quantized(q) => encode_quantized(context, q),
            ElementType::F4E2M1FN
            | ElementType::F6E2M3FN
            | ElementType::F6E3M2FN
            | ElementType::F8E3M4
            | ElementType::F8E4M3
            | ElementType::F8E4M3FN
            | ElementType::F8E4M3FNUZ
            | ElementType::F8E4M3B11FNUZ
            | ElementType::F8E5M2
            | ElementType::F8E5M2FNUZ
            | ElementType::F8E8M0FNU
            | ElementType::BF16
            | ElementType::F16
            | ElementType::F32
            | ElementType::F64 => {
                let getter = FLOATS
                    .iter()
                    .find(|row| row.0 == *element)
                    .map_or(mlirF32TypeGet as Getter, |row| row.1);
                getter(context)
            }
        }
    }
}

fn encode_quantized(context: MlirContext, q: &QuantizedType) -> MlirType {
    // SAFETY: as in `encode_element`; both arrays live over the call and have `count` entries.
    unsafe {
        let signed = !matches!(
            q.storage,
            ElementType::U2
                | ElementType::U4
                | ElementType::U8
                | ElementType::U16
                | ElementType::U32
        );
        let flags = if signed {
            mlirQuantizedTypeGetSignedFlag()
        } else {
            0
        };
        let storage = mlirIntegerTypeGet(context, q.storage.bits());
        let expressed = encode_element(context, &q.expressed);
        let count = q.scales.len().min(q.zero_points.len());
        match q.axis {
            Some(axis) => mlirUniformQuantizedPerAxisTypeGet(
                flags,
                storage,
                expressed,
                count as isize,
                q.scales.as_ptr().cast_mut(),
                q.zero_points.as_ptr().cast_mut(),
                axis as i32,
                q.storage_min,
                q.storage_max,
            ),
            None => {
                let scale = q.scales.first().copied().unwrap_or(1.0);
                let zero = q.zero_points.first().copied().unwrap_or(0);
                mlirUniformQuantizedTypeGet(
                    flags,
                    storage,
                    expressed,
                    scale,
                    zero,
                    q.storage_min,
                    q.storage_max,
                )
            }
        }
    }
}

pub(super) fn decode_raw(ty: MlirType) -> Result<Type, String> {
    // SAFETY: every accessor is called on a type its test accepted, within its count.
    unsafe {
        if tileproofTypeIsAToken(ty) {
            return Ok(Type::Token);
        }
        if mlirTypeIsATuple(ty) {
            let parts =
                (0..mlirTupleTypeGetNumTypes(ty)).map(|i| decode_raw(mlirTupleTypeGetType(ty, i)));
            return Ok(Type::Tuple(Arc::new(parts.collect::<Result<_, _>>()?)));
        }
        decode_tensor(ty).map(Type::from)
    }
}

/// A tensor type, or the tensor type of a vector's sizes.
pub(super) fn decode_shaped(ty: MlirType) -> Result<TensorType, String> {
    // SAFETY: every accessor is called on a type its test accepted, within its rank.
    unsafe {
        if !mlirTypeIsAVector(ty) {
            return decode_tensor(ty);
        }
        let dims =
            (0..mlirShapedTypeGetRank(ty) as isize).map(|i| mlirShapedTypeGetDimSize(ty, i) as u64);
        let element = decode_element(mlirShapedTypeGetElementType(ty))?;
        Ok(TensorType::new(dims, element))
    }
}

pub(super) fn decode_tensor(ty: MlirType) -> Result<TensorType, String> {
    // SAFETY: every accessor is called on a type its test accepted, within its rank.
    unsafe {
        if !mlirTypeIsARankedTensor(ty) {
            return Err(format!(
                "type {} is not a ranked tensor, token or tuple",
                print(ty)
            ));
        }
        let element = decode_element(mlirShapedTypeGetElementType(ty))?;
        let mut dims: Vec<Dim> = (0..mlirShapedTypeGetRank(ty) as isize)
            .map(|i| {
                if mlirShapedTypeIsDynamicDim(ty, i) {
                    Dim::Dynamic { bound: None }
                } else {
                    Dim::Static(mlirShapedTypeGetDimSize(ty, i) as u64)
                }
            })
            .collect();
        let encoding = mlirRankedTensorTypeGetEncoding(ty);
        let mut layout = None;
        if !encoding.ptr.is_null() {
            if !tileproofAttributeIsALayout(encoding) {
                return Err(format!(
                    "tensor encoding of {} is not #hlo.layout",
                    print(ty)
                ));
            }
            let minor_to_major = decode_order(tileproofLayoutOrder(encoding))?;
            let tiles = (0..tileproofLayoutNumTiles(encoding))
                .map(|i| decode_order(tileproofLayoutTile(encoding, i)))
                .collect::<Result<Vec<_>, _>>()?;
            let bounds = tileproofLayoutBounds(encoding);
            if !bounds.ptr.is_null() {
                let bounds = list(bounds);
                if bounds.len() != dims.len() {
                    return Err(format!("bounds of {} must be one a dimension", print(ty)));
                }
                for (dim, bound) in dims.iter_mut().zip(bounds) {
                    match (dim, u64::try_from(bound)) {
                        (Dim::Dynamic { bound: slot }, Ok(bound)) => *slot = Some(bound),
                        (_, Err(_)) => {}
                        (Dim::Static(_), Ok(_)) => {
                            return Err(format!(
                                "a bound of {} is on a static dimension",
                                print(ty)
                            ));
                        }
                    }
                }
            }
            if !minor_to_major.is_empty() || !tiles.is_empty() || dims.is_empty() {
                layout = Some(Layout {
                    minor_to_major,
                    tiles,
                });
            }
        }
        Ok(TensorType {
            dims,
            element,
            layout,
        })
    }
}

fn list(attribute: MlirAttribute) -> Vec<i64> {
    // SAFETY: the layout holds i64 lists only; read within the length.
    unsafe {
        (0..mlirDenseArrayGetNumElements(attribute))
            .map(|i| mlirDenseI64ArrayGetElement(attribute, i))
            .collect()
    }
}

fn decode_order(attribute: MlirAttribute) -> Result<Vec<u64>, String> {
    list(attribute)
        .into_iter()
        .map(|n| u64::try_from(n).map_err(|_| format!("{n} in a layout is negative")))
        .collect()
}

pub(super) fn decode_element(ty: MlirType) -> Result<ElementType, String> {
    let unsupported = || format!("element type {} is not supported", print(ty));
    // SAFETY: every accessor is called on a type its test accepted.
    unsafe {
        if mlirTypeIsAInteger(ty) {
            let width = mlirIntegerTypeGetWidth(ty);
            let name = match (mlirIntegerTypeIsSignless(ty), mlirIntegerTypeIsUnsigned(ty)) {
                (true, _) => format!("i{width}"),
                (false, true) => format!("ui{width}"),
                (false, false) => format!("si{width}"),
            };
            return ElementType::from_mlir_name(&name).ok_or_else(unsupported);
        }
        if let Some(row) = FLOATS.iter().find(|row| row.2(ty)) {
            return Ok(row.0.clone());
        }
        if mlirTypeIsAComplex(ty) {
            let part = mlirComplexTypeGetElementType(ty);
            return match (mlirTypeIsAF32(part), mlirTypeIsAF64(part)) {
                (true, _) => Ok(ElementType::C64),
                (_, true) => Ok(ElementType::C128),
                (false, false) => Err(unsupported()),
            };
        }
        let per_axis = mlirTypeIsAUniformQuantizedPerAxisType(ty);
        if !per_axis && !mlirTypeIsAUniformQuantizedType(ty) {
            return Err(unsupported());
        }
        let width = mlirIntegerTypeGetWidth(mlirQuantizedTypeGetStorageType(ty));
        let name = if mlirQuantizedTypeIsSigned(ty) {
            format!("i{width}")
        } else {
            format!("ui{width}")
        };
        let (axis, scales, zero_points) = if per_axis {
            let count = mlirUniformQuantizedPerAxisTypeGetNumDims(ty);
            (
                Some(mlirUniformQuantizedPerAxisTypeGetQuantizedDimension(ty) as u64),
                (0..count)
                    .map(|i| mlirUniformQuantizedPerAxisTypeGetScale(ty, i))
                    .collect(),
                (0..count)
                    .map(|i| mlirUniformQuantizedPerAxisTypeGetZeroPoint(ty, i))
                    .collect(),
            )
        } else {
            (
                None,
                vec![mlirUniformQuantizedTypeGetScale(ty)],
                vec![mlirUniformQuantizedTypeGetZeroPoint(ty)],
            )
        };
        Ok(ElementType::Quantized(Arc::new(QuantizedType {
            storage: ElementType::from_mlir_name(&name).ok_or_else(unsupported)?,
            storage_min: mlirQuantizedTypeGetStorageTypeMin(ty),
            storage_max: mlirQuantizedTypeGetStorageTypeMax(ty),
            expressed: decode_element(mlirQuantizedTypeGetExpressedType(ty))?,
            axis,
            scales,
            zero_points,
        })))
    }
}

fn print(ty: MlirType) -> String {
    // SAFETY: `ty` is a valid type.
    unsafe { melior::ir::Type::from_raw(ty) }.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mlir::context::with_context;

    #[test]
    fn every_element_type_layout_and_bound_survives() {
        with_context(|context| {
            let quantized = |axis: Option<u64>| {
                let n = if axis.is_some() { 2 } else { 1 };
                ElementType::Quantized(Arc::new(QuantizedType {
                    storage: ElementType::U8,
                    storage_min: 0,
                    storage_max: 200,
                    expressed: ElementType::F32,
                    axis,
                    scales: vec![0.25, 0.1][..n].to_vec(),
                    zero_points: vec![3, 7][..n].to_vec(),
                }))
            };
            let mut types: Vec<Type> = ElementType::all()
                .chain([quantized(None), quantized(Some(1))])
                .map(|element| Type::tensor([3, 2], element))
                .collect();
            let dims = vec![
                Dim::Static(3),
                Dim::Dynamic { bound: None },
                Dim::Dynamic { bound: Some(8) },
            ];
            let layout = Layout {
                minor_to_major: vec![2, 0, 1],
                tiles: vec![vec![8, 128], vec![2, 1]],
            };
            for layout in [None, Some(layout)] {
                types.push(
                    TensorType {
                        dims: dims.clone(),
                        element: ElementType::F32,
                        layout,
                    }
                    .into(),
                );
            }
            types.push(
                TensorType {
                    dims: vec![],
                    element: ElementType::F32,
                    layout: Some(Layout::default()),
                }
                .into(),
            );
            types.push(Type::tuple(vec![
                Type::Token,
                Type::tuple(types.clone()),
                Type::tuple(vec![]),
            ]));
            for ty in types {
                let encoded = encode(context.melior(), &ty);
                assert_eq!(decode(encoded).as_ref(), Ok(&ty), "{encoded}");
                let parsed = melior::ir::Type::parse(context.melior(), &encoded.to_string());
                assert_eq!(parsed, Some(encoded), "{encoded}");
            }
        })
    }

    #[test]
    fn foreign_types_are_refused_by_name() {
        with_context(|context| {
            for (text, says) in [
                ("tensor<2xsi8>", "si8"),
                ("tensor<2xi3>", "i3"),
                ("index", "index"),
                ("tensor<*xf32>", "ranked"),
                ("tensor<2xf32, 1 : i32>", "#hlo.layout"),
            ] {
                let message =
                    decode(melior::ir::Type::parse(context.melior(), text).unwrap()).unwrap_err();
                assert!(message.contains(says), "{message}");
            }
        })
    }
}
