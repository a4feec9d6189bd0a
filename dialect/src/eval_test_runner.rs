//! For tests: runs single ops, and interprets the regions of an op one lane after another through [`Op::eval`].

use crate::{
    builder::{ProgramBuilder, Provenance},
    eval::{EvalContext, Events, NoRegions, Process, RegionRunner, Route, Stop},
    hlo,
    location::Location,
    op::{InferContext, Op},
    planes::Planes,
    program::{Operation, Program, RegionId, ValueId},
    tensor::{Tensor, Value},
    types::Type,
};
use std::collections::HashMap;

/// Interprets the regions of one op of a program.
pub struct ProgramRunner<'a> {
    pub program: &'a Program,
    pub operation: &'a Operation,
    pub outer: &'a HashMap<ValueId, Value>,
    pub planes: Planes,
}

impl ProgramRunner<'_> {
    fn returned(&self, region: usize) -> Option<(RegionId, &[ValueId])> {
        let id = *self.operation.regions.get(region)?;
        Some((id, self.program.returned(id)))
    }
}

fn block(
    program: &Program,
    region: RegionId,
    values: &mut HashMap<ValueId, Value>,
    planes: Planes,
    events: &mut Events,
) -> Result<Vec<Value>, Stop> {
    for id in &program.region(region).ops {
        let o = program.op(*id);
        let operands: Vec<Value> = o.operands.iter().map(|v| values[v].clone()).collect();
        if o.op.is_return() {
            return Ok(operands);
        }
        let types: Vec<Type> = o.results.iter().map(|v| program.ty(*v).clone()).collect();
        let outer = values.clone();
        let mut runner = ProgramRunner {
            program,
            operation: o,
            outer: &outer,
            planes,
        };
        let results = o.op.eval(
            &operands,
            &types,
            &mut EvalContext {
                planes,
                runner: &mut runner,
                events,
            },
        )?;
        values.extend(o.results.iter().copied().zip(results));
    }
    Err(Stop::internal("a block without return"))
}

impl RegionRunner for ProgramRunner<'_> {
    fn kernel(
        &mut self,
        name: &str,
        _: Vec<Value>,
        _: &[Type],
        _: &mut Events,
    ) -> Result<Vec<Value>, Stop> {
        Err(Stop::unsupported(format!(
            "kernel '{name}' without the simulator"
        )))
    }

    fn region_count(&self) -> usize {
        self.operation.regions.len()
    }

    fn run(
        &mut self,
        region: usize,
        arguments: Vec<Value>,
        events: &mut Events,
    ) -> Result<Vec<Value>, Stop> {
        let (id, _) = self
            .returned(region)
            .ok_or_else(|| Stop::internal("no such region"))?;
        let mut values = self.outer.clone();
        values.extend(
            self.program
                .region(id)
                .arguments
                .iter()
                .copied()
                .zip(arguments),
        );
        block(self.program, id, &mut values, self.planes, events)
    }

    fn run_lanes(
        &mut self,
        region: usize,
        lanes: usize,
        arguments: Vec<Tensor>,
        events: &mut Events,
    ) -> Result<Vec<Tensor>, Stop> {
        let mut results: Vec<Vec<Tensor>> = vec![];
        for lane in 0..lanes {
            for a in &arguments {
                assert_eq!(
                    a.dims(),
                    [lanes as u64],
                    "an argument of a batch has one element a lane"
                );
            }
            let scalars = arguments
                .iter()
                .map(|a| a.take(&[], &[lane]).into())
                .collect();
            for (i, v) in self.run(region, scalars, events)?.into_iter().enumerate() {
                results.resize_with(results.len().max(i + 1), Vec::new);
                results[i].extend(v.as_tensor().cloned());
            }
        }
        let (_, returned) = self
            .returned(region)
            .ok_or_else(|| Stop::internal("no such region"))?;
        let element = |v: &ValueId| self.program.ty(*v).as_tensor().map(|t| t.element.clone());
        if lanes == 0 {
            return Ok(returned
                .iter()
                .filter_map(element)
                .map(|e| Tensor::zeros(&[0], &e, self.planes))
                .collect());
        }
        Ok(results
            .iter()
            .filter_map(|lanes| Tensor::joined(&lanes.iter().collect::<Vec<_>>()))
            .collect())
    }

    fn call(&mut self, callee: &str, _: Vec<Value>, _: &mut Events) -> Result<Vec<Value>, Stop> {
        Err(Stop::unsupported(format!("call of {callee} in an op test")))
    }

    fn single_op(&self, region: usize) -> Option<&'static str> {
        let (id, returned) = self.returned(region)?;
        let (arguments, ops) = (
            &self.program.region(id).arguments,
            &self.program.region(id).ops,
        );
        match ops[..] {
            [_] if returned == &arguments[arguments.len() / 2..] => Some("return"),
            [op, _] => {
                let o = self.program.op(op);
                let Op::Hlo(named) = &o.op;
                (o.operands == *arguments && o.results == returned).then(|| named.name())
            }
            _ => None,
        }
    }

    fn process(&self) -> Process {
        NoRegions.process()
    }

    fn exchange(
        &mut self,
        _: i64,
        _: &[u64],
        payload: Vec<Value>,
    ) -> Result<Vec<Vec<Value>>, Stop> {
        Ok(vec![payload])
    }

    fn infeed(&mut self, config: &str, types: &[Type]) -> Result<Vec<Value>, Stop> {
        NoRegions.infeed(config, types)
    }

    fn send(&mut self, route: Route, values: Vec<Value>) -> Result<(), Stop> {
        NoRegions.send(route, values)
    }

    fn receive(&mut self, route: Route, types: &[Type]) -> Result<Vec<Value>, Stop> {
        NoRegions.receive(route, types)
    }

    fn tick(&mut self, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}

/// A runner whose every region is one function of the lanes' arguments.
pub struct Lanes<'a>(pub &'a mut dyn FnMut(usize, Vec<Tensor>) -> Vec<Tensor>);

impl RegionRunner for Lanes<'_> {
    fn kernel(
        &mut self,
        name: &str,
        _: Vec<Value>,
        _: &[Type],
        _: &mut Events,
    ) -> Result<Vec<Value>, Stop> {
        Err(Stop::unsupported(format!(
            "kernel '{name}' without the simulator"
        )))
    }

    fn region_count(&self) -> usize {
        2
    }

    fn run(&mut self, _: usize, _: Vec<Value>, _: &mut Events) -> Result<Vec<Value>, Stop> {
        Err(Stop::unsupported("a region run outside a batch"))
    }

    fn run_lanes(
        &mut self,
        region: usize,
        lanes: usize,
        arguments: Vec<Tensor>,
        _: &mut Events,
    ) -> Result<Vec<Tensor>, Stop> {
        assert!(arguments.iter().all(|a| a.dims() == [lanes as u64]));
        Ok((self.0)(region, arguments))
    }

    fn call(&mut self, callee: &str, _: Vec<Value>, _: &mut Events) -> Result<Vec<Value>, Stop> {
        Err(Stop::unsupported(format!("call of {callee} in an op test")))
    }

    fn single_op(&self, _: usize) -> Option<&'static str> {
        None
    }

    fn process(&self) -> Process {
        NoRegions.process()
    }

    fn exchange(
        &mut self,
        _: i64,
        _: &[u64],
        payload: Vec<Value>,
    ) -> Result<Vec<Vec<Value>>, Stop> {
        Ok(vec![payload])
    }

    fn infeed(&mut self, config: &str, types: &[Type]) -> Result<Vec<Value>, Stop> {
        NoRegions.infeed(config, types)
    }

    fn send(&mut self, route: Route, values: Vec<Value>) -> Result<(), Stop> {
        NoRegions.send(route, values)
    }

    fn receive(&mut self, route: Route, types: &[Type]) -> Result<Vec<Value>, Stop> {
        NoRegions.receive(route, types)
    }

    fn tick(&mut self, _: u64) -> Result<(), Stop> {
        Ok(())
    }
}

/// Runs the entry function of a program.
pub fn run_program(
    program: &Program,
    arguments: Vec<Value>,
    planes: Planes,
) -> Result<Vec<Value>, Stop> {
    let body = program.main().body;
    let mut values: HashMap<ValueId, Value> = program
        .region(body)
        .arguments
        .iter()
        .copied()
        .zip(arguments)
        .collect();
    block(program, body, &mut values, planes, &mut Events::default())
}

/// Builds one region: gets the builder and the region's arguments, gives the values to return.
pub type RegionBuilder<'a> = (
    Vec<Type>,
    &'a dyn Fn(&mut ProgramBuilder, &[ValueId]) -> Vec<ValueId>,
);

/// A verified program of one op with regions, whose operands are the parameters of `main`. Result types come from the shape rule.
pub fn with_regions(
    op: impl Into<hlo::Op>,
    operands: &[Type],
    declared: &[Type],
    regions: &[RegionBuilder<'_>],
) -> Result<Program, crate::error::Error> {
    let mut b = ProgramBuilder::new("test", Provenance::Number);
    let arguments = b.begin_function("main", operands, Location::default());
    let ids = regions
        .iter()
        .map(|(types, body)| {
            let inner = b.begin_region(types);
            let values = body(&mut b, &inner);
            b.end_region(&values, Location::default())
        })
        .collect();
    let results = b.infer(
        Op::Hlo(op.into()),
        &arguments,
        declared,
        ids,
        Location::default(),
    );
    b.end_function(&results, Location::default());
    b.finish()
}

/// Evaluates one op without regions: verified, both planes, the ring plane embedded.
pub fn eval(
    op: impl Into<hlo::Op>,
    operands: &[Tensor],
    declared: &[Type],
) -> Result<Vec<Tensor>, Stop> {
    let types: Vec<Type> = operands.iter().map(|t| t.ty().into()).collect();
    let program = with_regions(op, &types, declared, &[])?;
    let values = operands
        .iter()
        .map(|t| t.clone().with_embedded_ring().into())
        .collect();
    Ok(run_program(&program, values, Planes::IeeeAndRing)?
        .iter()
        .filter_map(Value::as_tensor)
        .cloned()
        .collect())
}

/// Violated constraints of one op without regions.
pub fn violated(op: impl Into<hlo::Op>, operands: &[Type], declared: &[Type]) -> Vec<String> {
    op.into()
        .infer(&InferContext {
            operands,
            declared,
            regions: &[],
        })
        .err()
        .unwrap_or_default()
}

/// Asserts that exactly one constraint, `tag`, is violated.
pub fn assert_violates(tag: &str, op: impl Into<hlo::Op>, operands: &[Type], declared: &[Type]) {
    let all = violated(op, operands, declared);
    assert!(
        all.len() == 1 && all[0].starts_with(&format!("{tag}:")),
        "expected one violation of {tag}, got {all:?}"
    );
}

/// An i32 tensor.
pub fn ints(dims: &[u64], values: &[i64]) -> Tensor {
    Tensor::from_i64s(dims, &crate::types::ElementType::I32, values)
}

/// An f32 tensor.
pub fn floats(dims: &[u64], values: &[f64]) -> Tensor {
    Tensor::from_f64s(dims, &crate::types::ElementType::F32, values)
}

/// An f32 tensor type.
pub fn f32s(dims: &[u64]) -> Type {
    Type::tensor(dims.iter().copied(), crate::types::ElementType::F32)
}

/// An i32 tensor type.
pub fn i32s(dims: &[u64]) -> Type {
    Type::tensor(dims.iter().copied(), crate::types::ElementType::I32)
}

/// `n` unknown sizes.
pub fn dynamic(n: usize, element: crate::types::ElementType) -> Type {
    crate::types::TensorType {
        dims: vec![crate::types::Dim::Dynamic { bound: None }; n],
        element,
        layout: None,
    }
    .into()
}
