//! `async_start`: a computation whose result is asked for later.
//!
//! Meaning: results = operands, body(operands), contexts, flat (HLO's tuple of three, StableHLO's future); here the body runs at once. The first context
//! says how many values stand before the body's results.
//! Inputs I1 operands, I2 body (region), I3 execution_thread. Constraints: C1 the body takes the operands; C2 the declared results are the operands, the
//! body's results and scalar integer contexts, or the body's results alone.
//! Kind: control. Numerics: the body's.
//! Example: `%1:3 = hlo.async_start(%0) {..} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<ui32>)`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::{if_::fits, region_bound},
    location::Location,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AsyncStart {
    pub execution_thread: String,
}

/// Whether a value of this type may be a context: a scalar that no one computes with.
pub fn is_context(ty: &Type) -> bool {
    ty.as_tensor().is_some_and(|t| t.rank() == 0 && matches!(t.element, ElementType::I32 | ElementType::U32))
}

/// A context that says how many values stand before the results.
pub fn context(ty: &Type, before: usize) -> Value {
    let element = ty.as_tensor().map_or(ElementType::U32, |t| t.element.clone());
    Tensor::from_i64s(&[], &element, &[before as i64]).into()
}

impl OpDef for AsyncStart {
    const NAME: &'static str = "async_start";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> AsyncStart {
        AsyncStart { execution_thread: reader.opt_str("execution_thread").unwrap_or_default() }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("execution_thread", self.execution_thread.as_str())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let [body] = cx.regions else { return Err(vec![format!("expected 1 region, got {}", cx.regions.len())]) };
        if !fits(cx.operands, &body.arguments) {
            return Err(vec!["C1: the body must take the operands".to_string()]);
        }
        let whole = [cx.operands, &body.results].concat();
        if cx.declared.is_empty() || cx.declared.len() == body.results.len() && fits(&body.results, cx.declared) {
            return Ok(body.results.clone());
        }
        let n = whole.len();
        if cx.declared.len() >= n && fits(&whole, &cx.declared[..n]) && cx.declared[n..].iter().all(is_context) {
            Ok([&whole, &cx.declared[n..]].concat())
        } else {
            Err(vec!["C2: the results must be the operands, the body's results and contexts".to_string()])
        }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let values = cx.run(0, operands.to_vec())?;
        if values.len() == results.len() {
            return Ok(values);
        }
        let contexts = results.iter().skip(operands.len() + values.len()).map(|t| context(t, operands.len()));
        Ok(operands.iter().cloned().chain(values).chain(contexts).collect())
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::undetermined(values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let outer = b.begin_function("main", std::slice::from_ref(&ty), Location::default());
        let inner = b.begin_region(std::slice::from_ref(&ty));
        let sum = b.infer(crate::op::Op::Hlo(super::add::Add.into()), &[inner[0], inner[0]], &[], vec![], Location::default());
        let body = b.end_region(&sum, Location::default());
        let op = AsyncStart { execution_thread: "main".to_string() };
        let declared = [ty.clone(), ty, Type::tensor([], ElementType::U32)];
        let results = b.infer(crate::op::Op::Hlo(op.into()), &outer, &declared, vec![body], Location::default());
        b.end_function(&results, Location::default());
        b.program().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::RegionType;

    #[test]
    fn each_constraint_is_checked() {
        let (f, u) = (Type::tensor([2], ElementType::F32), Type::tensor([], ElementType::U32));
        let body = RegionType { arguments: vec![f.clone()], results: vec![f.clone()] };
        let infer = |operand: &Type, declared: &[Type]| {
            AsyncStart { execution_thread: String::new() }.infer(&InferContext { operands: std::slice::from_ref(operand), declared, regions: std::slice::from_ref(&body) })
        };
        assert!(infer(&f, &[f.clone(), f.clone(), u.clone()]).is_ok());
        assert_eq!(infer(&f, std::slice::from_ref(&f)), Ok(vec![f.clone()]));
        assert!(infer(&u, &[]).unwrap_err()[0].starts_with("C1"));
        assert!(infer(&f, &[f.clone(), u, f.clone()]).unwrap_err()[0].starts_with("C2"));
    }
}
