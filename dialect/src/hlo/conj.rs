//! `conj`: elementwise complex conjugate.
//!
//! Meaning: the imaginary part changes sign; real numbers stay. Source: chlo.
//! Inputs I1 operand (float or complex tensor). Constraints: C1 operand and result have one type.
//! Kind: arithmetic. Numerics: exact.
//! Example: `%1 = hlo.conj %0 : tensor<2xcomplex<f32>>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{elementwise, shape},
    op::{InferContext, Kind, OpDef},
    planes::ring,
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Conj;

impl OpDef for Conj {
    const NAME: &'static str = "conj";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Conj {
        Conj
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        shape::elementwise(cx, 1, elementwise::float_or_complex, "float or complex") // C1
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        elementwise::function(
            operands,
            cx,
            |x| x,
            |z| z.conj(),
            |r, x, out| ring::function::each(r, x, out, |r, _| r),
            |r, _, _, _| [r[0], ring::neg(r[1])],
        )
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        elementwise::bound_exact_op(values, |i| operands[0].error.at(i))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|e| e.has_ring()));
        Sampler::single(Conj, &[ty], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;
    use crate::{tensor::Tensor, types::ElementType};

    #[test]
    fn values() {
        let z = Tensor::from_slice(&[2], ElementType::C128, &[[1f64, -2.0], [3.0, 0.0]])
            .with_embedded_ring();
        let (out, _) = testing::run(&Conj, &[z]);
        let bits: Vec<u64> = out.as_slice::<f64>().iter().map(|x| x.to_bits()).collect();
        assert_eq!(bits, [1f64, 2.0, 3.0, -0.0].map(f64::to_bits));
        assert_eq!(out.ring(), Some(&[1, 2, 3, 0][..]));
        testing::table(&Conj, 0.0, &[(-0.0, -0.0), (2.5, 2.5)]);
    }
}
