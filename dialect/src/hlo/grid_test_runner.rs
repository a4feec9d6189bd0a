//! For tests: runs one collective op in every process of a small grid, each in a thread. Region 0 is a sum.

use crate::{
    eval::{EvalContext, Events, NoRegions, Process, RegionRunner, Route, Stop},
    hlo::add::Add,
    op::{InferContext, OpDef, RegionType},
    planes::Planes,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};
use std::{
    collections::HashMap,
    sync::{Condvar, Mutex},
};

/// A grid of processes.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    pub replicas: u64,
    pub partitions: u64,
}

/// Payloads by process, and how many have been seen by how many.
struct Board {
    posted: Mutex<HashMap<u64, Vec<Value>>>,
    changed: Condvar,
}

struct GridRunner<'a> {
    process: Process,
    board: &'a Board,
}

impl RegionRunner for GridRunner<'_> {
    fn run(&mut self, _: usize, _: Vec<Value>, _: &mut Events) -> Result<Vec<Value>, Stop> {
        Err(Stop::internal("only batches"))
    }

    fn run_lanes(
        &mut self,
        _: usize,
        _: usize,
        arguments: Vec<Tensor>,
        events: &mut Events,
    ) -> Result<Vec<Tensor>, Stop> {
        let values: Vec<Value> = arguments.into_iter().map(Value::from).collect();
        let mut runner = NoRegions;
        let mut cx = EvalContext {
            planes: Planes::IeeeAndRing,
            runner: &mut runner,
            events,
        };
        let sums = Add.eval(&values, &[], &mut cx)?;
        Ok(sums.iter().filter_map(|v| v.as_tensor().cloned()).collect())
    }

    fn call(&mut self, _: &str, _: Vec<Value>, _: &mut Events) -> Result<Vec<Value>, Stop> {
        Err(Stop::internal("no callee"))
    }

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
        1
    }

    fn single_op(&self, _: usize) -> Option<&'static str> {
        Some("add")
    }

    fn process(&self) -> Process {
        self.process
    }

    /// Waits until every member has posted; posts stay, so one exchange a run.
    fn exchange(
        &mut self,
        _: i64,
        group: &[u64],
        payload: Vec<Value>,
    ) -> Result<Vec<Vec<Value>>, Stop> {
        let me = self.process.replica * self.process.partitions + self.process.partition;
        let mut posted = self.board.posted.lock().unwrap();
        posted.insert(me, payload);
        self.board.changed.notify_all();
        while !group.iter().all(|p| posted.contains_key(p)) {
            posted = self.board.changed.wait(posted).unwrap();
        }
        Ok(group.iter().map(|p| posted[p].clone()).collect())
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

impl Grid {
    /// Results of `op` in every process, from its operands; the result types must be those inferred.
    pub fn run<O: OpDef + Sync>(&self, op: &O, operands: &[Vec<Tensor>]) -> Vec<Vec<Tensor>> {
        let board = Board {
            posted: Mutex::new(HashMap::new()),
            changed: Condvar::new(),
        };
        let one = |flat: usize| -> Vec<Tensor> {
            let process = Process {
                replica: flat as u64 / self.partitions,
                partition: flat as u64 % self.partitions,
                replicas: self.replicas,
                partitions: self.partitions,
            };
            let types: Vec<Type> = operands[flat].iter().map(|t| t.ty().into()).collect();
            let element = operands[flat]
                .first()
                .map_or(ElementType::I64, |t| t.element().clone());
            let scalar = Type::tensor([], element);
            let body = RegionType {
                arguments: vec![scalar.clone(); 2],
                results: vec![scalar],
            };
            let results = op
                .infer(&InferContext {
                    operands: &types,
                    declared: &[],
                    regions: &[body],
                })
                .unwrap();
            let values: Vec<Value> = operands[flat].iter().cloned().map(Value::from).collect();
            let mut runner = GridRunner {
                process,
                board: &board,
            };
            let mut events = Events::default();
            let mut cx = EvalContext {
                planes: Planes::IeeeAndRing,
                runner: &mut runner,
                events: &mut events,
            };
            let got = op.eval(&values, &results, &mut cx).unwrap();
            let tensors: Vec<Tensor> = got.iter().filter_map(|v| v.as_tensor().cloned()).collect();
            let found: Vec<Type> = tensors.iter().map(|t| t.ty().into()).collect();
            assert_eq!(found, results);
            tensors
        };
        std::thread::scope(|s| {
            let one = &one;
            let threads: Vec<_> = (0..operands.len())
                .map(|flat| s.spawn(move || one(flat)))
                .collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        })
    }
}

/// An i64 tensor.
pub fn ints(dims: &[u64], values: &[i64]) -> Tensor {
    Tensor::from_i64s(dims, &ElementType::I64, values)
}
