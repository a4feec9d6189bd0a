//! `composite`: an op made of other ops.
//!
//! Meaning: results = decomposition(inputs). Inputs I1 inputs (any values), I2 name, I3 composite_attributes, I4 decomposition (function), I5 version,
//! I6 regions (not run: the decomposition holds what they do). Constraints: C1 name has a namespace, `a.b`; C2 the decomposition exists, C3, C4 operand
//! and result types are its (checked by `Program::verify`, which sees the function).
//! Kind: control. Numerics: the decomposition's.
//! Example: `%1 = hlo.composite "my.op" %0 {decomposition = @f, version = 1 : i32} : (tensor<f32>) -> tensor<f32>`.

use crate::{
    attribute::{Attribute, AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::region_bound,
    location::Location,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::Value,
    types::Type,
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Composite {
    pub name: String,
    pub composite_attributes: Attributes,
    pub decomposition: String,
    /// 0 unless given.
    pub version: i64,
}

impl OpDef for Composite {
    const NAME: &'static str = "composite";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Composite {
        Composite {
            name: reader.str("name"),
            composite_attributes: reader.opt_dict("composite_attributes").unwrap_or_default(),
            decomposition: reader.symbol("decomposition"),
            version: reader.opt_int("version").unwrap_or(0),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("name", self.name.as_str())
            .with_some("composite_attributes", (!self.composite_attributes.is_empty()).then(|| self.composite_attributes.clone()))
            .with("decomposition", Attribute::Symbol(self.decomposition.clone()))
            .with_some("version", (self.version != 0).then_some(self.version))
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let named = self.name.split_once('.').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty());
        if named { Ok(cx.declared.to_vec()) } else { Err(vec![format!("C1: name '{}' has no namespace", self.name)]) }
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        cx.call(&self.decomposition, operands.to_vec())
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::undetermined(values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let arguments = b.begin_function("main", std::slice::from_ref(&ty), Location::default());
        let composite = Composite {
            name: "sample.identity".to_string(),
            composite_attributes: Attributes::new().with("axis", 1i64),
            decomposition: "identity".to_string(),
            version: 1,
        };
        let results = b.op(crate::op::Op::Hlo(composite.into()), &arguments, std::slice::from_ref(&ty), vec![], Location::default());
        b.end_function(&results, Location::default());
        let inner = b.begin_function("identity", &[ty], Location::default());
        b.end_function(&inner, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::ElementType;

    fn program(decomposition: &str, name: &str) -> Vec<String> {
        let (ty, other) = (Type::tensor([2], ElementType::F32), Type::tensor([3], ElementType::F32));
        let mut b = ProgramBuilder::new("test", Provenance::Number);
        let arguments = b.begin_function("main", std::slice::from_ref(&ty), Location::default());
        let composite = Composite { name: name.to_string(), composite_attributes: Attributes::new(), decomposition: decomposition.to_string(), version: 0 };
        let results = b.op(crate::op::Op::Hlo(composite.into()), &arguments, &[ty], vec![], Location::default());
        b.end_function(&results, Location::default());
        let inner = b.begin_function("other", &[other], Location::default());
        b.end_function(&inner, Location::default());
        b.program().verify().into_iter().map(|d| d.message).collect()
    }

    #[test]
    fn each_constraint_is_checked() {
        assert!(program("missing", "a.b")[0].contains("does not exist"), "C2");
        assert!(program("other", "a.b")[0].contains("do not fit"), "C3, C4");
        let cx = InferContext { operands: &[], declared: &[], regions: &[] };
        let op = Composite { name: "plain".to_string(), composite_attributes: Attributes::new(), decomposition: "f".to_string(), version: 0 };
        assert!(op.infer(&cx).unwrap_err()[0].starts_with("C1"));
    }
}
