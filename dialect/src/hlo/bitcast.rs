//! `bitcast`: the same bytes in memory under another shape, layout and perhaps element type (HLO).
//!
//! Meaning: let m be the operand's elements in the order of its layout (source_layout, minor to major; row-major without one), as bits, little-endian; the
//! result's elements in the order of its declared layout are m. Booleans take 8 bits; types below 8 bits are packed.
//! Inputs I1 operand, I2 source_layout (optional). Constraints: C1 operand and result have the same number of bits; C2 source_layout is a permutation of
//! the operand's dimensions and is the layout of its type where that has one; C3 the result's layout is a permutation of its dimensions;
//! C4 where a layout is tiled, both types have layouts, elements have one width, and every element of m lies at one address on both sides.
//! Kind: movement. Numerics: one element type: both planes move. Complex numbers and their parts: residues move. Other changes of type: from float the
//! bits, to float the exact dyadic value, counted as made from bits.
//! Example: `%1 = hlo.bitcast %0 {source_layout = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<3x2xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    buffer::Buffer,
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise::exact_or_undetermined, movement, shape},
    layout,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value, count, row_major_strides},
    types::{Class, ElementType, Layout, TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bitcast {
    /// minor_to_major of the operand.
    pub source_layout: Option<Vec<i64>>,
}

/// Major-to-minor order of dimensions from a minor-to-major list; row-major without one.
fn major_to_minor(list: Option<Vec<i64>>, rank: usize) -> Option<Vec<usize>> {
    let Some(mut list) = list else { return Some((0..rank).collect()) };
    list.reverse();
    let valid = list.len() == rank && movement::is_unique(&list) && movement::in_rank(&list, rank);
    valid.then(|| list.iter().map(|d| *d as usize).collect())
}

fn of_layout(layout: &Option<Layout>) -> Option<Vec<i64>> {
    layout.as_ref().map(|l| l.minor_to_major.iter().map(|d| *d as i64).collect())
}

/// Bits of an element in memory.
fn memory_bits(element: &ElementType) -> u64 {
    match element {
        ElementType::I1 => 8,
        other => u64::from(other.bits()),
    }
}

fn total_bits(t: &TensorType) -> Option<u64> {
    t.elements()?.checked_mul(memory_bits(&t.element))
}

/// The bits of `t` in row-major order as elements of another type; no ring plane.
fn reinterpreted(t: &Tensor, element: &ElementType, dims: &[u64]) -> Tensor {
    let (from, to) = (memory_bits(t.element()) as usize, memory_bits(element) as usize);
    let ieee = if from.is_multiple_of(8) && to.is_multiple_of(8) {
        t.ieee().clone()
    } else {
        repacked(t.ieee().bytes(), from, to, element.class() == Class::Signed, count(dims))
    };
    let ieee = match element {
        ElementType::I1 => Buffer::build::<u8>(count(dims), |out| out.iter_mut().zip(ieee.bytes()).for_each(|(o, b)| *o = u8::from(*b != 0))),
        _ => ieee,
    };
    Tensor::new(dims.to_vec(), element.clone(), ieee, None)
}

/// Elements of `from` bits, stored in whole bytes, as `n` elements of `to` bits stored in whole bytes; `signed` ones below a byte are sign-extended.
fn repacked(bytes: &[u8], from: usize, to: usize, signed: bool, n: usize) -> Buffer {
    let (from_bytes, to_bytes) = (from.div_ceil(8), to.div_ceil(8));
    let bit = |i: usize| {
        let (element, within) = (i / from, i % from);
        bytes.get(element * from_bytes + within / 8).map_or(0, |b| b >> (within % 8) & 1)
    };
    Buffer::build::<u8>(n * to_bytes, |out| {
        for (i, element) in out.chunks_exact_mut(to_bytes).enumerate() {
            for k in 0..to {
                element[k / 8] |= bit(i * to + k) << (k % 8);
            }
            if signed && to < 8 && bit(i * to + to - 1) == 1 {
                element[0] |= 0xff << to;
            }
        }
    })
}

impl OpDef for Bitcast {
    const NAME: &'static str = "bitcast";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Bitcast {
        Bitcast { source_layout: reader.opt_ints("source_layout") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with_some("source_layout", self.source_layout.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let result = shape::declared(cx, 0)?;
        let mut wrong = vec![];
        if total_bits(operand).zip(total_bits(result)).is_some_and(|(a, b)| a != b) {
            wrong.push(format!("C1: {operand} and {result} differ in size"));
        }
        let source = major_to_minor(self.source_layout.clone(), operand.rank());
        let declared = operand.layout.is_none() || source == major_to_minor(of_layout(&operand.layout), operand.rank());
        if source.is_none() || !declared {
            wrong.push(format!("C2: source_layout {:?} does not fit the layout {:?} of {operand}", self.source_layout, operand.layout));
        }
        if major_to_minor(of_layout(&result.layout), result.rank()).is_none() {
            wrong.push(format!("C3: the layout {:?} does not fit {result}", result.layout));
        }
        let is_tiled = |t: &TensorType| t.layout.as_ref().is_some_and(|l| !l.tiles.is_empty());
        let same_width = memory_bits(&operand.element) == memory_bits(&result.element);
        let same_places = || match (&operand.layout, &result.layout) {
            (Some(a), Some(b)) => layout::same_addresses((operand, a), (result, b)),
            (_, _) => false,
        };
        if (is_tiled(operand) || is_tiled(result)) && !(same_width && same_places()) {
            wrong.push(format!("C4: the tiles of {:?} and {:?} place elements differently", operand.layout, result.layout));
        }
        if wrong.is_empty() { Ok(vec![Type::Tensor(result.clone())]) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let dims = shape::result_dims(results, 0)?;
        let result = results.first().and_then(Type::as_tensor).ok_or_else(|| Stop::internal("bitcast without a result type"))?;
        let bits = |n: usize, e: &ElementType| n as u64 * memory_bits(e);
        if bits(operand.len(), operand.element()) != bits(count(&dims), &result.element) {
            return Err(movement::mismatch(format!("bitcast of {} to {result}", operand.ty())));
        }
        let order = |list, rank| major_to_minor(list, rank).ok_or_else(|| Stop::internal("bitcast with an invalid layout"));
        let source = order(self.source_layout.clone(), operand.rank())?;
        let target = order(of_layout(&result.layout), dims.len())?;
        // The operand in the order of memory.
        let strides = row_major_strides(operand.dims());
        let (physical, strides): (Vec<u64>, Vec<i64>) = source.iter().map(|d| (operand.dims()[*d], strides[*d])).unzip();
        let memory = operand.strided(&physical, 0, &strides);
        let target_dims: Vec<u64> = target.iter().map(|d| dims[*d]).collect();
        let memory = if *memory.element() == result.element {
            memory.reshaped(&target_dims)
        } else {
            let is_part = |a: &ElementType, b: &ElementType| a.complex_part().as_ref() == Some(b);
            let bits = reinterpreted(&memory, &result.element, &target_dims);
            if is_part(memory.element(), &result.element) || is_part(&result.element, memory.element()) {
                bits.with_ring(memory.ring_buffer().cloned())
            } else {
                if result.element.has_ring() {
                    cx.events.from_bits += bits.len() as u64;
                }
                cx.embedded(bits)
            }
        };
        // Stride of each logical dimension of the result in memory.
        let of_memory = row_major_strides(&target_dims);
        let mut strides = vec![0; dims.len()];
        target.iter().zip(of_memory).for_each(|(d, stride)| strides[*d] = stride);
        Ok(vec![memory.strided(&dims, 0, &strides).into()])
    }

    /// Bits of an inexact number say nothing of a number made from them.
    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let result = shape::operand(values, 0)?;
        let same = operands.first().and_then(|o| o.value.as_tensor()).is_some_and(|t| t.element() == result.element());
        if same { bound::by_movement(self, &[0], operands, results, values) } else { Ok(vec![exact_or_undetermined(operands, result.len())]) }
    }

    fn sample(s: &mut Sampler) -> Program {
        let (dims, element) = (s.dims(), s.element(|_| true));
        let shuffled = |s: &mut Sampler| {
            let mut list: Vec<u64> = (0..dims.len() as u64).collect();
            (1..list.len()).for_each(|i| list.swap(i, s.range(0, i as u64) as usize));
            list
        };
        let source = shuffled(s);
        let source_layout = Some(source.iter().map(|d| *d as i64).collect());
        let layout = Some(Layout { minor_to_major: shuffled(s), tiles: vec![] });
        let declared = TensorType { layout, ..TensorType::new(dims.iter().rev().copied(), element.clone()) };
        let operand = TensorType { layout: Some(Layout { minor_to_major: source, tiles: vec![] }), ..TensorType::new(dims.iter().copied(), element) };
        Sampler::single(Bitcast { source_layout }, &[operand.into()], &[declared.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval_test_runner::*, planes::Planes};

    fn with_layout(dims: &[u64], element: ElementType, minor_to_major: &[u64]) -> Type {
        let layout = Some(Layout { minor_to_major: minor_to_major.to_vec(), tiles: vec![] });
        TensorType { layout, ..TensorType::new(dims.iter().copied(), element) }.into()
    }

    fn run(source: Option<&[i64]>, x: Tensor, operand: Type, declared: Type) -> Tensor {
        let op = Bitcast { source_layout: source.map(<[i64]>::to_vec) };
        let program = with_regions(op, &[operand], &[declared], &[]).unwrap();
        run_program(&program, vec![x.with_embedded_ring().into()], Planes::IeeeAndRing).unwrap()[0].as_tensor().unwrap().clone()
    }

    #[test]
    fn a_transpose_by_layout_moves_both_planes() {
        // [[1, 2, 3], [4, 5, 6]] column by column in memory is 1 4 2 5 3 6; row by row that is a 3x2.
        let x = floats(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
        let out = run(Some(&[0, 1]), x.clone(), with_layout(&[2, 3], ElementType::F32, &[0, 1]), f32s(&[3, 2]));
        assert_eq!((out.as_slice::<f32>(), out.ring()), (&[1f32, 4., 2., 5., 3., 6.][..], Some(&[1, 4, 2, 5, 3, 6][..])));
        // Row by row to column by column: memory 1 2 3 4 5 6 fills the columns of a 3x2.
        let out = run(None, x, f32s(&[2, 3]), with_layout(&[3, 2], ElementType::F32, &[0, 1]));
        assert_eq!(out.as_slice::<f32>(), [1., 4., 2., 5., 3., 6.]);
    }

    #[test]
    fn changes_of_type_read_the_bytes() {
        let bits = run(None, floats(&[1], &[1.0]), f32s(&[1]), Type::tensor([4], ElementType::U8));
        assert_eq!((bits.as_slice::<u8>(), bits.ring()), (&[0u8, 0, 0x80, 0x3f][..], None));
        let float = run(None, ints(&[1], &[0x4040_0000]), i32s(&[1]), f32s(&[1]));
        assert_eq!((float.as_slice::<f32>(), float.ring()), (&[3f32][..], Some(&[3][..])));
        let nibbles = run(None, Tensor::from_slice(&[1], ElementType::U8, &[0x8fu8]), Type::tensor([1], ElementType::U8), Type::tensor([2], ElementType::I4));
        assert_eq!(nibbles.to_i64s().as_ref(), [-1, -8]);
        let back = run(None, nibbles, Type::tensor([2], ElementType::I4), Type::tensor([1], ElementType::U8));
        assert_eq!(back.as_slice::<u8>(), [0x8f]);
        let parts = run(None, Tensor::from_slice(&[1], ElementType::C64, &[[5f32, 7.]]), Type::tensor([1], ElementType::C64), f32s(&[2]));
        assert_eq!((parts.as_slice::<f32>(), parts.ring()), (&[5f32, 7.][..], Some(&[5, 7][..])));
    }

    #[test]
    fn each_constraint_is_checked() {
        let op = |layout: Option<&[i64]>| Bitcast { source_layout: layout.map(<[i64]>::to_vec) };
        assert_violates("C1", op(None), &[f32s(&[2])], &[f32s(&[3])]);
        assert_violates("C2", op(Some(&[0, 0])), &[f32s(&[2, 2])], &[f32s(&[4])]);
        assert_violates("C2", op(None), &[with_layout(&[2, 2], ElementType::F32, &[0, 1])], &[f32s(&[4])]);
        assert_violates("C3", op(None), &[f32s(&[4])], &[with_layout(&[2, 2], ElementType::F32, &[0, 0])]);
        let tiled = |dims: &[u64], tile: &[u64]| {
            let minor_to_major: Vec<u64> = (0..dims.len() as u64).rev().collect();
            let layout = Some(Layout { minor_to_major, tiles: vec![tile.to_vec()] });
            Type::from(TensorType { layout, ..TensorType::new(dims.iter().copied(), ElementType::F32) })
        };
        assert_violates("C4", op(None), &[tiled(&[4], &[2])], &[f32s(&[4])]);
        assert_violates("C4", op(None), &[tiled(&[2, 6], &[4, 4])], &[tiled(&[12], &[4])]);
        assert!(with_regions(op(None), &[tiled(&[2, 4, 4], &[4, 4])], &[tiled(&[8, 4], &[4, 4])], &[]).is_ok());
    }
}
