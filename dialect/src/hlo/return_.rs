//! `return`: ends a region or function with its results.
//!
//! Meaning: the values become the results of the region. Inputs I1 values (any types). No results.
//! Kind: control. Numerics: values pass unchanged.
//! Example: `hlo.return %0 : tensor<f32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Return;

impl OpDef for Return {
    const NAME: &'static str = "return";
    const KIND: Kind = Kind::Control;

    fn from_attributes(_: &mut AttributeReader<'_>) -> Return {
        Return
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, _: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        Ok(vec![])
    }

    fn eval(&self, _: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        Ok(vec![])
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], _: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![])
    }

    fn sample(s: &mut Sampler) -> Program {
        // Every function ends with a return; the identity function holds nothing else.
        let ty = Type::tensor(s.dims(), ElementType::F32);
        let mut b = crate::builder::ProgramBuilder::new("sample", crate::builder::Provenance::Number);
        let arguments = b.begin_function("main", &[ty], crate::location::Location::default());
        b.end_function(&arguments, crate::location::Location::default());
        b.program().clone()
    }
}
