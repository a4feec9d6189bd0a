//! `iota`: the index along one dimension.
//!
//! Meaning: output[output_index] = output_index[iota_dimension] in the element type (integers wrap, floats round once, complex numbers get it as
//! real part). Inputs I1 iota_dimension. Constraints: C1 iota_dimension is a dimension of the output.
//! Kind: movement. Numerics: one rounding on the IEEE plane; the residue is the index itself.
//! Example: `%0 = hlo.iota {iota_dimension = 0} : tensor<4x5xi32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    buffer::Buffer,
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    planes::{Planes, ring},
    program::Program,
    tensor::{Tensor, Value},
    types::{Class, ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Iota {
    pub iota_dimension: i64,
}

/// The index along dimension `d` of a tensor of `dims`.
pub fn along(dims: &[u64], d: usize, element: &ElementType, planes: Planes) -> Result<Tensor, Stop> {
    if element.class() == Class::Quantized {
        return Err(Stop::unsupported(format!("iota of {element}")));
    }
    let n = dims[d];
    let index: Vec<i64> = (0..n as i64).collect();
    let residues = match planes {
        Planes::IeeeAndRing if element.is_complex() => Some(Buffer::build::<[u32; 2]>(index.len(), |out| {
            out.iter_mut().zip(&index).for_each(|(o, i)| *o = [ring::reduce(*i as u64), 0]);
        })),
        Planes::IeeeAndRing if element.is_float() => Some(Buffer::build::<u32>(index.len(), |out| {
            out.iter_mut().zip(&index).for_each(|(o, i)| *o = ring::reduce(*i as u64));
        })),
        Planes::IeeeAndRing | Planes::IeeeOnly => None,
    };
    let line = Tensor::from_i64s(&[n], element, &index).with_ring(residues);
    let mut strides = vec![0; dims.len()];
    strides[d] = 1;
    Ok(line.strided(dims, 0, &strides))
}

/// How far the IEEE plane of an `iota` lies from the index.
pub fn rounding(t: &Tensor, d: usize) -> Result<Bound, Stop> {
    if t.element().is_integer() {
        return Ok(Bound::Exact);
    }
    let exact = along(t.dims(), d, &ElementType::F64, Planes::IeeeOnly)?;
    let got = t.to_f64s();
    let off = exact.as_slice::<f64>().iter().zip(got.iter()).map(|(want, got)| if got.is_finite() { (want - got).abs() } else { f64::INFINITY });
    Ok(Bound::absolute(off.collect()))
}

impl OpDef for Iota {
    const NAME: &'static str = "iota";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Iota {
        Iota { iota_dimension: reader.int("iota_dimension") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("iota_dimension", self.iota_dimension)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::tensors(cx, 0)?;
        let result = shape::declared(cx, 0)?;
        if !movement::in_rank(&[self.iota_dimension], result.rank()) {
            return Err(vec![format!("C1: iota_dimension {} is out of range of {result}", self.iota_dimension)]);
        }
        Ok(vec![Type::Tensor(result.clone())])
    }

    fn eval(&self, _: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let dims = shape::result_dims(results, 0)?;
        let element = results.first().and_then(Type::as_tensor).map(|t| t.element.clone()).ok_or_else(|| Stop::internal("iota without a result type"))?;
        Ok(vec![along(&dims, self.iota_dimension as usize, &element, cx.planes)?.into()])
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![rounding(shape::operand(values, 0)?, self.iota_dimension as usize)?])
    }

    fn sample(s: &mut Sampler) -> Program {
        let (mut dims, element) = (s.dims(), s.element(|e| *e != ElementType::I1));
        if dims.is_empty() {
            dims.push(s.range(0, s.size));
        }
        let op = Iota { iota_dimension: s.range(0, dims.len() as u64 - 1) as i64 };
        Sampler::single(op, &[], &[Type::tensor(dims, element)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval_test_runner::*;

    #[test]
    fn counts_along_its_dimension() {
        let of = |d, ty: Type| eval(Iota { iota_dimension: d }, &[], &[ty]).unwrap().remove(0);
        assert_eq!(of(0, i32s(&[2, 3])).as_slice::<i32>(), [0, 0, 0, 1, 1, 1]);
        assert_eq!(of(1, i32s(&[2, 3])).as_slice::<i32>(), [0, 1, 2, 0, 1, 2]);
        assert_eq!(of(0, f32s(&[3])).ring(), Some(&[0, 1, 2][..]));
        assert_eq!(of(0, Type::tensor([2], ElementType::C64)).ring(), Some(&[0, 0, 1, 0][..]));
        assert_eq!(of(0, Type::tensor([10], ElementType::I4)).to_i64s()[7..], [7, -8, -7]);
    }

    #[test]
    fn the_residue_is_the_index_where_the_float_rounds() {
        let t = eval(Iota { iota_dimension: 0 }, &[], &[Type::tensor([258], ElementType::BF16)]).unwrap().remove(0);
        assert_eq!((t.to_f64s()[257], t.ring().unwrap()[257]), (256.0, 257));
        assert_eq!(rounding(&t, 0).unwrap().at(257), 1.0);
        assert_eq!(rounding(&t, 0).unwrap().at(256), 0.0);
    }

    #[test]
    fn each_constraint_is_checked() {
        assert_violates("C1", Iota { iota_dimension: 1 }, &[], &[f32s(&[2])]);
        assert_violates("C1", Iota { iota_dimension: -1 }, &[], &[f32s(&[2])]);
    }
}
