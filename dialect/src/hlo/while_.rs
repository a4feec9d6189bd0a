//! `while`: runs a body as long as a condition holds.
//!
//! Meaning: state = operands; while cond(state): state = body(state); result = state.
//! Inputs I1 operands (tensors or tokens), I2 cond (region 0), I3 body (region 1). Constraints: C1 cond takes the operand types and gives one
//! tensor<i1>; C2 body takes and gives the operand types; C3 type(results) = type(operands).
//! Kind: control; the condition is read on the IEEE plane. Numerics: the regions'.
//! Example: `%0 = hlo.while(%a) cond {..} do {..}`.

use crate::{
    attribute::{AttributeReader, Attributes},
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
pub struct While;

fn fits(a: &[Type], b: &[Type]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.compatible(y))
}

impl OpDef for While {
    const NAME: &'static str = "while";
    const KIND: Kind = Kind::Control;

    fn from_attributes(_: &mut AttributeReader<'_>) -> While {
        While
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let [cond, body] = cx.regions else { return Err(vec![format!("expected 2 regions, got {}", cx.regions.len())]) };
        let mut wrong = vec![];
        if !fits(&cond.arguments, cx.operands) || !fits(&cond.results, &[Type::tensor([], ElementType::I1)]) {
            wrong.push("C1: the condition must take the operands and give one tensor<i1>".to_string());
        }
        if !fits(&body.arguments, cx.operands) || !fits(&body.results, cx.operands) {
            wrong.push("C2: the body must take and give the operand types".to_string());
        }
        if wrong.is_empty() { Ok(cx.operands.to_vec()) } else { Err(wrong) } // C3
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let mut state = operands.to_vec();
        for step in 0.. {
            cx.runner.tick(step)?;
            let go_on = cx.run(0, state.clone())?.first().and_then(Value::as_tensor).is_some_and(|t| t.as_slice::<u8>()[0] != 0);
            cx.events.predicates[usize::from(go_on)] += 1;
            if !go_on {
                break;
            }
            cx.events.longest_loop = cx.events.longest_loop.max(step + 1);
            state = cx.run(1, state)?;
        }
        Ok(state)
    }

    /// Validation descends into the body; as a part of a larger region a loop with inexact operands has no derived bound.
    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        if operands.iter().all(|o| o.error.is_exact()) && operands.is_empty() {
            return Ok(vec![]);
        }
        Ok(values.iter().map(|v| Bound::undetermined(v.as_tensor().map_or(0, Tensor::len))).collect())
    }

    fn sample(_: &mut Sampler) -> Program {
        // while (x < x) {}: takes and gives one scalar, runs no step.
        let ty = Type::tensor([], ElementType::I32);
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let outer = b.begin_function("main", std::slice::from_ref(&ty), Location::default());
        b.begin_region(std::slice::from_ref(&ty));
        let no = crate::literal::Literal::from_tensor(&Tensor::from_i64s(&[], &ElementType::I1, &[0]));
        let value = b.infer(crate::op::Op::Hlo(super::constant::Constant { value: no }.into()), &[], &[], vec![], Location::default());
        let cond = b.end_region(&value, Location::default());
        let inner = b.begin_region(std::slice::from_ref(&ty));
        let body = b.end_region(&inner, Location::default());
        let results = b.op(crate::op::Op::Hlo(While.into()), &outer, &[ty], vec![cond, body], Location::default());
        b.end_function(&results, Location::default());
        b.program().clone()
    }
}
