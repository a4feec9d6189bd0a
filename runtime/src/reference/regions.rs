//! Gives ops their regions, callees and processes: the interpreter's side of [`RegionRunner`].

use super::{Frame, Interpreter, Observer};
use crate::grid::Meeting;
use std::collections::HashMap;
use tileproof_dialect::{
    bound::unit_roundoff,
    eval::{Events, Process, RegionRunner, Route, Stop, Trap},
    hlo,
    op::Op,
    program::{OpId, RegionId, ValueId},
    tensor::{Tensor, Value},
    types::Type,
};

/// Runs what op `op`, evaluated in `frame`, asks for.
pub(super) struct Runner<'a, 'p> {
    pub interpreter: &'a Interpreter<'p>,
    pub op: OpId,
    pub frame: &'a mut Frame,
    pub observer: &'a mut dyn Observer,
}

/// Ops for which f(a, b) = f(b, a).
const COMMUTATIVE: &[&str] = &["add", "multiply", "maximum", "minimum", "and", "or", "xor"];

impl Runner<'_, '_> {
    fn region(&self, number: usize) -> Result<RegionId, Stop> {
        let regions = &self.interpreter.program.op(self.op).regions;
        regions.get(number).copied().ok_or_else(|| {
            Stop::internal(format!("asked for region {number} of {}", regions.len()))
        })
    }
}

impl RegionRunner for Runner<'_, '_> {
    fn run(
        &mut self,
        region: usize,
        arguments: Vec<Value>,
        events: &mut Events,
    ) -> Result<Vec<Value>, Stop> {
        let region = self.region(region)?;
        self.interpreter
            .region(region, arguments, self.frame, events, self.observer)
    }

    fn run_lanes(
        &mut self,
        region: usize,
        lanes: usize,
        arguments: Vec<Tensor>,
        events: &mut Events,
    ) -> Result<Vec<Tensor>, Stop> {
        let region = self.region(region)?;
        self.interpreter
            .region_lanes(region, lanes, arguments, self.frame, events, self.observer)
    }

    fn call(
        &mut self,
        callee: &str,
        arguments: Vec<Value>,
        events: &mut Events,
    ) -> Result<Vec<Value>, Stop> {
        let Some(function) = self.interpreter.program.find_function(callee) else {
            return Err(Stop::internal(format!(
                "function '{callee}' does not exist"
            )));
        };
        self.interpreter
            .function(function, arguments, self.frame.depth, events, self.observer)
    }

    fn kernel(
        &mut self,
        name: &str,
        arguments: Vec<Value>,
        results: &[Type],
        events: &mut Events,
    ) -> Result<Vec<Value>, Stop> {
        self.interpreter.kernel(name, arguments, results, events)
    }

    fn region_count(&self) -> usize {
        self.interpreter.program.op(self.op).regions.len()
    }

    fn single_op(&self, region: usize) -> Option<&'static str> {
        let program = self.interpreter.program;
        let region = program.region(self.region(region).ok()?);
        let second_half = &region.arguments[region.arguments.len() / 2..];
        if let [end] = region.ops[..]
            && !second_half.is_empty()
            && program.op(end).operands == second_half
        {
            return Some("return");
        }
        let ([a, b], [first, last]) = (&region.arguments[..], &region.ops[..]) else {
            return None;
        };
        let (o, end) = (program.op(*first), program.op(*last));
        let Op::Hlo(op) = &o.op;
        let in_order = o.operands == [*a, *b];
        let swapped = o.operands == [*b, *a] && COMMUTATIVE.contains(&op.name());
        let plain = o.regions.is_empty() && o.results.len() == 1 && end.operands == o.results;
        let one_type =
            program.ty(*a) == program.ty(*b) && program.ty(o.results[0]) == program.ty(*a);
        (plain && one_type && (in_order || swapped)).then(|| op.name())
    }

    fn folding_op(&self, region: usize) -> Option<(&'static str, f64)> {
        if let Some(name) = self.single_op(region) {
            return Some((name, 0.0));
        }
        let program = self.interpreter.program;
        let region = program.region(self.region(region).ok()?);
        let [a, b] = region.arguments[..] else {
            return None;
        };
        // What each value is but for conversions: an argument, or the result of the one op.
        let mut is: HashMap<ValueId, ValueId> = HashMap::from([(a, a), (b, b)]);
        let (mut found, mut rounding) = (None, 0.0);
        for id in &region.ops {
            let o = program.op(*id);
            let Op::Hlo(op) = &o.op;
            let all: Option<Vec<ValueId>> = o.operands.iter().map(|v| is.get(v).copied()).collect();
            let all = all?;
            match (op, &o.results[..], found) {
                (hlo::Op::Convert(_) | hlo::Op::ReducePrecision(_), [result], _) => {
                    let element = &program.ty(*result).as_tensor()?.element;
                    if !element.is_float() {
                        return None;
                    }
                    rounding += match op {
                        hlo::Op::ReducePrecision(r) => 2f64.powi(-(r.mantissa_bits as i32) - 1),
                        _ => unit_roundoff(element),
                    };
                    is.insert(*result, *all.first()?);
                }
                (_, [result], None) if COMMUTATIVE.contains(&op.name()) => {
                    if all != [a, b] && all != [b, a] {
                        return None;
                    }
                    found = Some((op.name(), *result));
                    is.insert(*result, *result);
                }
                (_, [], Some((name, result))) if o.op.is_return() => {
                    return (all == [result]).then_some((name, rounding));
                }
                _ => return None,
            }
        }
        None
    }

    fn process(&self) -> Process {
        self.interpreter.process
    }

    fn exchange(
        &mut self,
        channel: i64,
        group: &[u64],
        payload: Vec<Value>,
    ) -> Result<Vec<Vec<Value>>, Stop> {
        let interpreter = self.interpreter;
        let Process {
            replica,
            partition,
            partitions,
            ..
        } = interpreter.process;
        let me = replica * partitions + partition;
        if group == [me] {
            return Ok(vec![payload]);
        }
        let Some(rendezvous) = interpreter.rendezvous else {
            return Err(Stop::internal(format!(
                "process group {group:?} in a run of one process"
            )));
        };
        let meeting = Meeting {
            channel,
            group: group.to_vec(),
            op: self.op,
        };
        rendezvous.exchange(me, meeting, payload, interpreter.limits)
    }

    fn infeed(&mut self, _: &str, _: &[Type]) -> Result<Vec<Value>, Stop> {
        let Some(queue) = self.interpreter.infeed else {
            return Err(Stop::unsupported("infeed in a run without one"));
        };
        let mut queue = queue.lock().unwrap_or_else(|e| e.into_inner());
        queue
            .pop_front()
            .ok_or_else(|| Stop::Trap(Trap::Deadlock("the infeed is empty".to_string())))
    }

    fn send(&mut self, route: Route, values: Vec<Value>) -> Result<(), Stop> {
        if let Some(rendezvous) = self.interpreter.rendezvous {
            rendezvous.post(route, values);
        }
        Ok(())
    }

    fn receive(&mut self, route: Route, _: &[Type]) -> Result<Vec<Value>, Stop> {
        let Some(rendezvous) = self.interpreter.rendezvous else {
            return Err(Stop::unsupported(format!(
                "recv on channel {} in a run of one process",
                route.channel
            )));
        };
        let Process {
            replica,
            partition,
            partitions,
            ..
        } = self.interpreter.process;
        rendezvous.collect(
            replica * partitions + partition,
            route,
            self.interpreter.limits,
        )
    }

    fn tick(&mut self, step: u64) -> Result<(), Stop> {
        self.interpreter.check_step(step)
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        engine::{End, Engine},
        grid::Devices,
        inputs::all_with_ring,
        limits::Limits,
        reference::Interpreter,
    };
    use tileproof_dialect::{
        builder::{ProgramBuilder, Provenance},
        eval::{Events, Stop, Trap},
        hlo::{add::Add, call::Call, constant::Constant, reduce::Reduce, while_::While},
        literal::Literal,
        location::Location,
        op::Op,
        planes::{Planes, ring},
        program::{OpId, Program, ValueId},
        tensor::{Tensor, Value},
        types::{ElementType, Type},
    };

    fn here() -> Location {
        Location::default()
    }

    fn hlo(op: impl Into<tileproof_dialect::hlo::Op>) -> Op {
        Op::Hlo(op.into())
    }

    fn run(program: &Program, arguments: Vec<Value>) -> End {
        let arguments = all_with_ring(&arguments, 5);
        let limits = Limits {
            loop_steps: 1000,
            ..Limits::default()
        };
        let planes = Planes::IeeeAndRing;
        let out =
            Engine::Reference.run(program, planes, &Devices::default(), &[arguments], &limits);
        out.unwrap().devices[0].runs[0].end.clone()
    }

    #[test]
    fn endless_recursion_is_a_trap() {
        let ty = Type::tensor([], ElementType::F32);
        let mut b = ProgramBuilder::new("m", Provenance::Number);
        let x = b.begin_function("main", std::slice::from_ref(&ty), here());
        let call = Call {
            callee: "main".to_string(),
        };
        let y = b.op(hlo(call), &x, &[ty], vec![], here());
        b.end_function(&y, here());
        let program = b.finish().unwrap();
        let end = run(
            &program,
            vec![Tensor::from_f64s(&[], &ElementType::F32, &[1.0]).into()],
        );
        assert_eq!(end, End::Trapped(Trap::DepthLimit(1000)));
    }

    #[test]
    fn an_endless_loop_is_a_trap() {
        let ty = Type::tensor([], ElementType::I32);
        let mut b = ProgramBuilder::new("m", Provenance::Number);
        let x = b.begin_function("main", std::slice::from_ref(&ty), here());
        b.begin_region(std::slice::from_ref(&ty));
        let value = Literal::from_tensor(&Tensor::from_i64s(&[], &ElementType::I1, &[1]));
        let yes = b.infer(hlo(Constant { value }), &[], &[], vec![], here());
        let cond = b.end_region(&yes, here());
        let a = b.begin_region(std::slice::from_ref(&ty));
        let twice = b.infer(hlo(Add), &[a[0], a[0]], &[], vec![], here());
        let body = b.end_region(&twice, here());
        let y = b.infer(hlo(While), &x, &[], vec![cond, body], here());
        b.end_function(&y, here());
        let program = b.finish().unwrap();
        let end = run(
            &program,
            vec![Tensor::from_i64s(&[], &ElementType::I32, &[1]).into()],
        );
        assert_eq!(end, End::Trapped(Trap::StepLimit(1000)));
    }

    /// main(x: 5xf32, c: f32, zero: f32) = reduce(x, zero) with body a + b + c.
    fn reduction_with_capture() -> (Program, OpId, ValueId) {
        let (vector, scalar) = (
            Type::tensor([5], ElementType::F32),
            Type::tensor([], ElementType::F32),
        );
        let mut b = ProgramBuilder::new("m", Provenance::Number);
        let p = b.begin_function("main", &[vector, scalar.clone(), scalar.clone()], here());
        let a = b.begin_region(&[scalar.clone(), scalar]);
        let s = b.infer(hlo(Add), &a, &[], vec![], here());
        let t = b.infer(hlo(Add), &[s[0], p[1]], &[], vec![], here());
        let body = b.end_region(&t, here());
        let dimensions = vec![0];
        let y = b.infer(
            hlo(Reduce { dimensions }),
            &[p[0], p[2]],
            &[],
            vec![body],
            here(),
        );
        let id = OpId(b.program().op_count() as u32 - 1);
        b.end_function(&y, here());
        (b.finish().unwrap(), id, p[1])
    }

    #[test]
    fn bodies_see_captured_values_in_batches_and_alone() {
        let (program, id, captured) = reduction_with_capture();
        let f =
            |dims: &[u64], v: &[f64]| Value::from(Tensor::from_f64s(dims, &ElementType::F32, v));
        let inputs = all_with_ring(
            &[
                f(&[5], &[1., 2., 3., 4., 5.]),
                f(&[], &[10.]),
                f(&[], &[0.]),
            ],
            1,
        );
        // Five applications of the body: four between the elements, one with the initial value.
        let End::Returned { outputs, .. } = run(&program, inputs.clone()) else {
            panic!("trapped")
        };
        assert_eq!(outputs[0].as_tensor().unwrap().as_slice::<f32>(), [65.0]);
        let limits = Limits::default();
        let interpreter = Interpreter::new(&program, Planes::IeeeAndRing, &limits);
        let mut events = Events::default();
        let alone = interpreter
            .eval_op(
                id,
                &[inputs[0].clone(), inputs[2].clone()],
                &|v| (v == captured).then(|| inputs[1].clone()),
                &mut events,
            )
            .unwrap();
        let t = alone[0].as_tensor().unwrap();
        assert_eq!(t.as_slice::<f32>(), [65.0]);
        let residue = |v: &Value, i: usize| v.as_tensor().unwrap().ring().unwrap()[i];
        let mut want = residue(&inputs[2], 0);
        for i in 0..5 {
            want = ring::add(want, residue(&inputs[0], i));
            want = ring::add(want, residue(&inputs[1], 0));
        }
        assert_eq!(t.ring().unwrap(), [want]);
        let missing = interpreter.eval_op(id, &inputs[..2], &|_| None, &mut events);
        assert!(matches!(missing, Err(Stop::Failed(_))));
    }

    #[test]
    fn wrong_arguments_are_the_callers_fault() {
        let (program, ..) = reduction_with_capture();
        let limits = Limits::default();
        let go = |inputs: Vec<Value>| {
            Engine::Reference.run(
                &program,
                Planes::IeeeOnly,
                &Devices::default(),
                &[inputs],
                &limits,
            )
        };
        let message = |inputs| go(inputs).unwrap_err().to_string();
        assert!(message(vec![]).contains("takes 3 arguments, 0 were given"));
        let i: Value = Tensor::from_i64s(&[5], &ElementType::I32, &[0; 5]).into();
        let s: Value = Tensor::from_f64s(&[], &ElementType::F32, &[0.0]).into();
        let got = message(vec![i, s.clone(), s]);
        assert!(
            got.contains("argument 0 must be tensor<5xf32>, got tensor<5xi32>"),
            "{got}"
        );
    }
}
