//! Attributes and literals, both ways.
//!
//! Literals up to 1 KiB are `dense<...>`; larger ones `dense_resource` blobs named by their content hash, whose bytes stay where they are in Rust.

use super::{
    context::tileproofResourceBytes,
    locations::{string, text},
    types,
};
use crate::{
    attribute::{Attribute, Attributes},
    buffer::Buffer,
    literal::Literal,
    types::{ElementType, TensorType, Type},
};
use melior::ir::TypeLike;
use mlir_sys::*;
use std::{
    cell::RefCell,
    collections::{HashMap, hash_map::Entry},
    ffi::c_void,
};

const MAX_INLINE_BYTES: usize = 1024;

/// Makes attributes of one module; equal large literals share one resource.
pub(super) struct Encoder<'c> {
    context: &'c melior::Context,
    resources: HashMap<(u128, *const c_void), MlirAttribute>,
    /// Bytes lent to the context.
    pub lent: usize,
}

impl<'c> Encoder<'c> {
    pub fn new(context: &'c melior::Context) -> Self {
        Self {
            context,
            resources: HashMap::new(),
            lent: 0,
        }
    }

    pub fn encode(&mut self, attribute: &Attribute) -> melior::ir::Attribute<'c> {
        // SAFETY: `raw` makes an attribute of this context.
        unsafe { melior::ir::Attribute::from_raw(self.raw(attribute)) }
    }

    fn raw(&mut self, attribute: &Attribute) -> MlirAttribute {
        let context = self.context.to_raw();
        // SAFETY: constructors over values of one live context; strings and lists are copied and as long as said.
        unsafe {
            match attribute {
                Attribute::Unit => mlirUnitAttrGet(context),
                Attribute::Bool(v) => mlirBoolAttrGet(context, (*v).into()),
                Attribute::Int(v) => mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), *v),
                Attribute::Float(v) => {
                    mlirFloatAttrDoubleGet(context, mlirF64TypeGet(context), f64::from_bits(*v))
                }
                Attribute::Str(v) => mlirStringAttrGet(context, string(v)),
                Attribute::Ints(v) => mlirDenseI64ArrayGet(context, v.len() as isize, v.as_ptr()),
                Attribute::Bools(v) => {
                    let v: Vec<i32> = v.iter().map(|b| (*b).into()).collect();
                    mlirDenseBoolArrayGet(context, v.len() as isize, v.as_ptr())
                }
                Attribute::Array(v) => {
                    let v: Vec<MlirAttribute> = v.iter().map(|a| self.raw(a)).collect();
                    mlirArrayAttrGet(context, v.len() as isize, v.as_ptr())
                }
                Attribute::Dict(v) => {
                    let v: Vec<MlirNamedAttribute> =
                        v.0.iter()
                            .map(|(name, a)| {
                                mlirNamedAttributeGet(
                                    mlirIdentifierGet(context, string(name)),
                                    self.raw(a),
                                )
                            })
                            .collect();
                    mlirDictionaryAttrGet(context, v.len() as isize, v.as_ptr())
                }
                Attribute::Symbol(v) => mlirFlatSymbolRefAttrGet(context, string(v)),
                Attribute::Type(v) => mlirTypeAttrGet(types::encode(self.context, v).to_raw()),
                Attribute::Literal(v) => self.literal(v),
            }
        }
    }

    /// The value of a kernel's constant of MLIR type `ty`: a number, or a dense vector.
    pub fn constant(
        &mut self,
        literal: &Literal,
        ty: melior::ir::Type<'c>,
    ) -> melior::ir::Attribute<'c> {
        let raw = ty.to_raw();
        let t = literal.to_tensor();
        // SAFETY: constructors over a type of this live context, a vector, float, integer or index as tested.
        unsafe {
            melior::ir::Attribute::from_raw(if mlirTypeIsAVector(raw) {
                self.dense(literal, literal.element(), raw)
            } else if mlirTypeIsAFloat(raw) {
                let value = t.to_f64s().first().copied().unwrap_or(0.0);
                mlirFloatAttrDoubleGet(self.context.to_raw(), raw, value)
            } else {
                mlirIntegerAttrGet(raw, t.to_i64s().first().copied().unwrap_or(0))
            })
        }
    }

    /// A literal of a quantized type is written in its storage type.
    fn literal(&mut self, literal: &Literal) -> MlirAttribute {
        let element = stored(literal.element());
        let ty = types::encode_tensor(
            self.context.to_raw(),
            &TensorType::new(literal.dims().iter().copied(), element.clone()),
        );
        self.dense(literal, &element, ty)
    }

    /// The elements of `literal`, stored as `element`, as an attribute of shaped type `ty`.
    fn dense(&mut self, literal: &Literal, element: &ElementType, ty: MlirType) -> MlirAttribute {
        let data = literal.data().bytes();
        if data.len() <= MAX_INLINE_BYTES {
            let masked: Vec<u8> = match mask(element) {
                0xff => data.to_vec(),
                mask => data.iter().map(|byte| byte & mask).collect(),
            };
            let packed = if *element == ElementType::I1 {
                pack(&masked, literal.is_splat())
            } else {
                masked
            };
            // SAFETY: the callee copies `packed`, whose length is that of the type or of one element.
            return unsafe {
                mlirDenseElementsAttrRawBufferGet(ty, packed.len(), packed.as_ptr().cast())
            };
        }
        if let Some(known) = self.resources.get(&(literal.hash(), ty.ptr)) {
            return *known;
        }
        self.lent += data.len();
        let name = format!("x{:032x}", literal.hash());
        let owner = Box::into_raw(Box::new(literal.clone()));
        LENT.with_borrow_mut(|lent| {
            lent.entry(data.as_ptr() as usize)
                .or_insert_with(|| (literal.clone(), 0))
                .1 += 1
        });
        // SAFETY: the bytes belong to `owner`, which `release` frees when the context lets go of the blob; they are immutable.
        let resource = unsafe {
            mlirUnmanagedDenseResourceElementsAttrGet(
                ty,
                string(&name),
                data.as_ptr().cast_mut().cast(),
                data.len(),
                16,
                false,
                Some(release),
                owner.cast(),
            )
        };
        self.resources.insert((literal.hash(), ty.ptr), resource);
        resource
    }
}

thread_local! {
    /// Literals lent to this thread's contexts by the address of their bytes, with how often: decoding finds them without a copy.
    static LENT: RefCell<HashMap<usize, (Literal, usize)>> = RefCell::default();
}

unsafe extern "C" fn release(owner: *mut c_void, data: *const c_void, _: usize, _: usize) {
    // A context ends on the thread that made it; at the end of the thread the table may be gone already.
    let _ = LENT.try_with(|lent| {
        let mut lent = lent.borrow_mut();
        if let Entry::Occupied(mut entry) = lent.entry(data as usize) {
            entry.get_mut().1 -= 1;
            if entry.get().1 == 0 {
                entry.remove();
            }
        }
    });
    // SAFETY: `owner` is the box `literal` gave away; the context calls this once.
    drop(unsafe { Box::from_raw(owner.cast::<Literal>()) });
}

fn stored(element: &ElementType) -> ElementType {
    match element {
        ElementType::Quantized(q) => q.storage.clone(),
        other => other.clone(),
    }
}

/// Bits of a byte that MLIR keeps for a sub-byte element: it zero-extends, tensors sign-extend.
fn mask(element: &ElementType) -> u8 {
    match element.bits() {
        bits @ 1..8 => (1 << bits) - 1,
        _ => 0xff,
    }
}

/// MLIR packs i1 by the bit, least significant first; a splat is a byte of equal bits.
fn pack(bools: &[u8], splat: bool) -> Vec<u8> {
    if splat || bools.len() == 1 {
        return vec![if bools[0] == 0 { 0 } else { 0xff }];
    }
    bools
        .chunks(8)
        .map(|chunk| {
            chunk
                .iter()
                .enumerate()
                .fold(0, |byte, (i, bit)| byte | (bit & 1) << i)
        })
        .collect()
}

/// The attribute, or what about it is not ours. Integers of any width up to 64 bits become `Int`, floats `Float`.
pub(super) fn decode(attribute: melior::ir::Attribute) -> Result<Attribute, String> {
    decode_raw(melior::ir::AttributeLike::to_raw(&attribute))
}

fn decode_raw(a: MlirAttribute) -> Result<Attribute, String> {
    // SAFETY: every accessor is called on an attribute its test accepted, within its count.
    unsafe {
        if mlirAttributeIsAUnit(a) {
            Ok(Attribute::Unit)
        } else if mlirAttributeIsABool(a) {
            Ok(Attribute::Bool(mlirBoolAttrGetValue(a)))
        } else if mlirAttributeIsAInteger(a) {
            let ty = mlirAttributeGetType(a);
            if mlirTypeIsAIndex(ty) {
                return Ok(Attribute::Int(mlirIntegerAttrGetValueInt(a)));
            }
            match (
                mlirIntegerTypeGetWidth(ty),
                mlirIntegerTypeIsSignless(ty),
                mlirIntegerTypeIsUnsigned(ty),
            ) {
                (65.., _, _) => Err(format!(
                    "integer attribute {} has more than 64 bits",
                    print(a)
                )),
                (_, true, _) => Ok(Attribute::Int(mlirIntegerAttrGetValueInt(a))),
                (_, _, true) => i64::try_from(mlirIntegerAttrGetValueUInt(a))
                    .map(Attribute::Int)
                    .map_err(|_| format!("integer attribute {} is above 2^63 - 1", print(a))),
                (_, false, false) => Ok(Attribute::Int(mlirIntegerAttrGetValueSInt(a))),
            }
        } else if mlirAttributeIsAFloat(a) {
            let ty = mlirAttributeGetType(a);
            if mlirFloatTypeGetWidth(ty) > 64 {
                return Err(format!(
                    "float attribute {} has more than 64 bits",
                    print(a)
                ));
            }
            Ok(Attribute::Float(mlirFloatAttrGetValueDouble(a).to_bits()))
        } else if mlirAttributeIsAString(a) {
            utf8(mlirStringAttrGetValue(a)).map(Attribute::Str)
        } else if mlirAttributeIsADenseI64Array(a) {
            Ok(Attribute::Ints(
                (0..mlirDenseArrayGetNumElements(a))
                    .map(|i| mlirDenseI64ArrayGetElement(a, i))
                    .collect(),
            ))
        } else if mlirAttributeIsADenseI32Array(a) {
            let ints = (0..mlirDenseArrayGetNumElements(a))
                .map(|i| mlirDenseI32ArrayGetElement(a, i).into());
            Ok(Attribute::Ints(ints.collect()))
        } else if mlirAttributeIsADenseBoolArray(a) {
            let bools =
                (0..mlirDenseArrayGetNumElements(a)).map(|i| mlirDenseBoolArrayGetElement(a, i));
            Ok(Attribute::Bools(bools.collect()))
        } else if mlirAttributeIsAArray(a) {
            let parts = (0..mlirArrayAttrGetNumElements(a))
                .map(|i| decode_raw(mlirArrayAttrGetElement(a, i)));
            Ok(Attribute::Array(parts.collect::<Result<_, _>>()?))
        } else if mlirAttributeIsADictionary(a) {
            let mut out = Attributes::new();
            for i in 0..mlirDictionaryAttrGetNumElements(a) {
                let named = mlirDictionaryAttrGetElement(a, i);
                out.0.insert(
                    text(mlirIdentifierStr(named.name)),
                    decode_raw(named.attribute)?,
                );
            }
            Ok(Attribute::Dict(out))
        } else if mlirAttributeIsAFlatSymbolRef(a) {
            utf8(mlirFlatSymbolRefAttrGetValue(a)).map(Attribute::Symbol)
        } else if mlirAttributeIsAType(a) {
            types::decode_raw(mlirTypeAttrGetValue(a)).map(Attribute::Type)
        } else if mlirAttributeIsADenseElements(a) || mlirAttributeIsADenseResourceElements(a) {
            decode_literal(a).map(Attribute::Literal)
        } else {
            Err(format!(
                "attribute {} is of a kind tileproof does not know",
                print(a)
            ))
        }
    }
}

fn decode_literal(a: MlirAttribute) -> Result<Literal, String> {
    // SAFETY: the caller has tested the kind; a raw buffer is read within the length MLIR keeps for its type.
    unsafe {
        let ty = types::decode_shaped(mlirAttributeGetType(a))?;
        let size = ty.element.storage_bytes();
        let total = ty
            .elements()
            .and_then(|n| usize::try_from(n).ok())
            .filter(|n| {
                n.checked_mul(size)
                    .is_some_and(|bytes| bytes <= isize::MAX as usize)
            })
            .ok_or_else(|| format!("literal of type {ty} is too large"))?;
        let data = if mlirAttributeIsADenseResourceElements(a) {
            let bytes = tileproofResourceBytes(a);
            if bytes.data.is_null() {
                return Err(format!(
                    "the bytes of literal {} are not in the text; `tileproof opt --literals`, or `-o FILE`, prints the program with its literals",
                    print(a)
                ));
            }
            let lent = LENT.with_borrow(|lent| {
                lent.get(&(bytes.data as usize))
                    .map(|(literal, _)| literal.clone())
            });
            if let Some(literal) = lent
                && *literal.element() == ty.element
                && Some(literal.dims()) == ty.static_dims().as_deref()
            {
                return Ok(literal);
            }
            let bytes = std::slice::from_raw_parts(bytes.data.cast::<u8>(), bytes.length);
            // Sub-byte elements of foreign text may have stray bits.
            match (&ty.element, mask(&ty.element)) {
                (ElementType::I2, _) => extended(bytes, 2),
                (ElementType::I4, _) => extended(bytes, 4),
                (_, 0xff) => Buffer::from_slice(bytes),
                (_, mask) => {
                    Buffer::from_slice(&bytes.iter().map(|byte| byte & mask).collect::<Vec<u8>>())
                }
            }
        } else {
            let splat = mlirDenseElementsAttrIsSplat(a);
            let count = if splat { 1 } else { total };
            let data = mlirDenseElementsAttrGetRawData(a).cast::<u8>();
            if count == 0 {
                Buffer::from_slice::<u8>(&[])
            } else if ty.element == ElementType::I1 {
                let bits = std::slice::from_raw_parts(data, count.div_ceil(8));
                Buffer::build(count, |out: &mut [u8]| {
                    out.iter_mut()
                        .enumerate()
                        .for_each(|(i, bit)| *bit = bits[i / 8] >> (i % 8) & 1)
                })
            } else {
                let bytes = std::slice::from_raw_parts(data, count * size);
                match ty.element {
                    ElementType::I2 => extended(bytes, 2),
                    ElementType::I4 => extended(bytes, 4),
                    _ => Buffer::from_slice(bytes),
                }
            }
        };
        let length = data.bytes().len();
        let dims = ty.static_dims().unwrap_or_default();
        Literal::new(dims, ty.element.clone(), data).ok_or_else(|| {
            format!(
                "literal of type {ty} has {length} bytes, expected {}",
                total * size
            )
        })
    }
}

fn extended(bytes: &[u8], bits: u32) -> Buffer {
    Buffer::build(bytes.len(), |out: &mut [i8]| {
        out.iter_mut()
            .zip(bytes)
            .for_each(|(o, b)| *o = ((*b as i8) << (8 - bits)) >> (8 - bits))
    })
}

/// The literal read in the storage type, as of a quantized type.
pub(super) fn quantized(literal: Literal, ty: &Type) -> Literal {
    let Some(tensor) = ty.as_tensor() else {
        return literal;
    };
    match &tensor.element {
        ElementType::Quantized(q) if q.storage == *literal.element() => Literal::new(
            literal.dims().to_vec(),
            tensor.element.clone(),
            literal.data().clone(),
        )
        .unwrap_or(literal),
        _ => literal,
    }
}

unsafe fn utf8(string: MlirStringRef) -> Result<String, String> {
    if string.length == 0 {
        return Ok(String::new());
    }
    // SAFETY: an attribute's string lives as long as its context.
    let bytes = unsafe { std::slice::from_raw_parts(string.data.cast::<u8>(), string.length) };
    String::from_utf8(bytes.to_vec()).map_err(|_| "a string attribute is not UTF-8".to_string())
}

fn print(a: MlirAttribute) -> String {
    // SAFETY: `a` is a valid attribute.
    let text = unsafe { melior::ir::Attribute::from_raw(a) }.to_string();
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mlir::context::with_context, tensor::Tensor};

    #[test]
    fn every_kind_survives() {
        with_context(|context| {
            let inner = Attributes::new()
                .with("a b", -3)
                .with("b", vec![true, false]);
            let all = [
                Attribute::Unit,
                true.into(),
                i64::MIN.into(),
                f64::NAN.into(),
                (-0.0f64).into(),
                "".into(),
                "é\"\\\n\0".into(),
                Vec::<i64>::new().into(),
                vec![1i64, -2].into(),
                Vec::<bool>::new().into(),
                Attribute::Symbol("f.1 g".into()),
                Type::tensor([2], ElementType::F32).into(),
                Attribute::Array(vec![vec![1i64].into(), inner.clone().into()]),
                inner.into(),
            ];
            for before in all {
                let mlir = Encoder::new(context.melior()).encode(&before);
                assert_eq!(decode(mlir), Ok(before));
                let again = melior::ir::Attribute::parse(context.melior(), &mlir.to_string());
                assert_eq!(again, Some(mlir));
            }
        })
    }

    #[test]
    fn literals_of_every_element_type_survive() {
        with_context(|context| {
            for element in ElementType::all() {
                for dims in [vec![], vec![0], vec![1], vec![3, 3], vec![40, 40]] {
                    for constant in [true, false] {
                        let values: Vec<i64> = (0..crate::tensor::count(&dims) as i64)
                            .map(|i| if constant { 1 } else { i % 7 % 4 - 1 })
                            .collect();
                        let values: Vec<f64> = values.into_iter().map(|v| v as f64).collect();
                        let data = crate::tensor::encode_f64s(&element, &values);
                        let before = Literal::new(dims.clone(), element.clone(), data).unwrap();
                        let mlir = Encoder::new(context.melior()).encode(&before.clone().into());
                        let large = before.data().bytes().len() > MAX_INLINE_BYTES;
                        assert_eq!(
                            mlir.to_string().starts_with("dense_resource"),
                            large,
                            "{mlir}"
                        );
                        assert_eq!(decode(mlir), Ok(before.into()), "{mlir}");
                        if !large {
                            // i1 and sub-byte elements must have MLIR's own bytes, or equal attributes differ.
                            let again =
                                melior::ir::Attribute::parse(context.melior(), &mlir.to_string());
                            assert_eq!(again, Some(mlir));
                        }
                    }
                }
            }
        })
    }

    #[test]
    fn equal_large_literals_are_one_resource() {
        with_context(|context| {
            let big = || {
                Attribute::from(Literal::from_tensor(&Tensor::from_i64s(
                    &[500],
                    &ElementType::I32,
                    &(0..500).collect::<Vec<_>>(),
                )))
            };
            let mut encoder = Encoder::new(context.melior());
            assert_eq!(encoder.encode(&big()), encoder.encode(&big()));
            assert_eq!(encoder.lent, 2000);
            let (before, Ok(Attribute::Literal(after))) = (big(), decode(encoder.encode(&big())))
            else {
                panic!()
            };
            assert_eq!(before, after.clone().into());
        })
    }

    #[test]
    fn foreign_attributes_are_refused_by_name() {
        with_context(|context| {
            for (text, says) in [
                ("affine_map<(d0) -> (d0)>", "affine_map"),
                ("\"\\FF\"", "UTF-8"),
                ("1 : i65", "64 bits"),
                ("dense_resource<gone> : tensor<9xf32>", "gone"),
            ] {
                let attribute = melior::ir::Attribute::parse(context.melior(), text).unwrap();
                let message = decode(attribute).unwrap_err();
                assert!(message.contains(says), "{message}");
            }
        })
    }
}
