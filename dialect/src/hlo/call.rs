//! `call`: runs a function of the module (`func.call` in MLIR text).
//!
//! Meaning: results = callee(operands). Inputs I1 operands, I2 callee. Constraints: C1 operand and result types are the callee's (checked by
//! `Program::verify`, which sees the callee).
//! Kind: control. Numerics: the callee's.
//! Example: `%0 = func.call @f(%a) : (tensor<f32>) -> tensor<f32>`.

use crate::{
    attribute::{Attribute, AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    location::Location,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Call {
    pub callee: String,
}

impl OpDef for Call {
    const NAME: &'static str = "call";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Call {
        Call { callee: reader.symbol("callee") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("callee", Attribute::Symbol(self.callee.clone()))
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        Ok(cx.declared.to_vec())
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        cx.call(&self.callee, operands.to_vec())
    }

    /// A call is opaque to a region's bound unless its operands are exact cut values; validation descends into callees instead.
    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(values.iter().map(|v| Bound::undetermined(v.as_tensor().map_or(0, Tensor::len))).collect())
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), ElementType::F32);
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let arguments = b.begin_function("main", std::slice::from_ref(&ty), Location::default());
        let call = Call { callee: "identity".to_string() };
        let results = b.op(crate::op::Op::Hlo(call.into()), &arguments, std::slice::from_ref(&ty), vec![], Location::default());
        b.end_function(&results, Location::default());
        let inner = b.begin_function("identity", &[ty], Location::default());
        b.end_function(&inner, Location::default());
        b.program().clone()
    }
}
