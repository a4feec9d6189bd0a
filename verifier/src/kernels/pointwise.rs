//! A function of scalars, as a list of elementwise ops: the region of an `Implements` in a kernel, or the decomposition of a composite. Both can be run on
//! any numbers, and two of one form are told without.

use std::{collections::HashMap, hash::Hash};
use tileproof_dialect::{
    eval::{EvalContext, Events, NoRegions},
    hlo,
    op::Op,
    planes::Planes,
    program::{Program, RegionId, ValueId},
    tensor::{Tensor, Value},
    tpu::{Kernel, KernelRegion, KernelValue, TpuOp, infer::is_elementwise},
    types::{ElementType, TensorType, Type},
};
use xxhash_rust::xxh3::Xxh3;

/// Most calls inside one another, and most values.
const DEPTH: u32 = 16;
const MOST_VALUES: usize = 4096;

/// The function. Values are numbered: equal ones have one number.
#[derive(Debug, Clone, Default)]
pub struct Pointwise {
    made: Vec<Made>,
    elements: Vec<ElementType>,
    /// The value that has this hash of how it is made.
    known: HashMap<u128, usize>,
    hashes: Vec<u128>,
    parameters: usize,
    results: Vec<usize>,
}

/// How a value is made.
#[derive(Debug, Clone)]
enum Made {
    Parameter,
    /// A number of rank 0.
    Constant(Tensor),
    By(Box<hlo::Op>, Vec<usize>),
}

impl Pointwise {
    /// What the region of an `Implements` computes. None: it holds more than elementwise ops.
    pub fn of_region(kernel: &Kernel, region: &KernelRegion) -> Option<Pointwise> {
        let mut out = Pointwise::default();
        let mut values = HashMap::new();
        for v in &region.arguments {
            values.insert(*v, out.parameter(kernel.ty(*v).element()?));
        }
        out.results = out.region(kernel, region, &mut values)?;
        Some(out)
    }

    /// What a function of the program computes of each element. None: it holds more than elementwise ops.
    pub fn of_function(program: &Program, name: &str) -> Option<Pointwise> {
        let body = program.function(program.find_function(name)?).body;
        let mut out = Pointwise::default();
        let mut given = vec![];
        for v in &program.region(body).arguments {
            given.push(out.parameter(program.ty(*v).as_tensor()?.element.clone()));
        }
        out.results = out.body(program, body, &given, DEPTH)?;
        Some(out)
    }

    /// Hash of how the results are made, and of the types.
    pub fn form(&self) -> u128 {
        let mut h = Xxh3::new();
        self.elements[..self.parameters].hash(&mut h);
        for v in &self.results {
            self.hashes[*v].hash(&mut h);
        }
        h.digest128()
    }

    /// Types of the parameters, and of the results.
    pub fn types(&self) -> (&[ElementType], Vec<&ElementType>) {
        let results = self.results.iter().map(|v| &self.elements[*v]);
        (&self.elements[..self.parameters], results.collect())
    }

    /// The results for vectors of one length. None: an op cannot be run.
    pub fn run(&self, arguments: &[Tensor]) -> Option<Vec<Value>> {
        let n = arguments.first()?.len() as u64;
        let mut values: Vec<Value> = vec![];
        let mut events = Events::default();
        for (made, element) in self.made.iter().zip(&self.elements) {
            let value = match made {
                Made::Parameter => arguments.get(values.len())?.clone().into(),
                Made::Constant(one) => one.strided(&[n], 0, &[0]).into(),
                Made::By(op, operands) => {
                    let operands: Vec<Value> =
                        operands.iter().map(|i| values[*i].clone()).collect();
                    let ty: Type = TensorType::new([n], element.clone()).into();
                    let mut cx = EvalContext {
                        planes: Planes::IeeeOnly,
                        runner: &mut NoRegions,
                        events: &mut events,
                    };
                    op.eval(&operands, &[ty], &mut cx).ok()?.pop()?
                }
            };
            values.push(value);
        }
        Some(self.results.iter().map(|i| values[*i].clone()).collect())
    }

    fn parameter(&mut self, element: ElementType) -> usize {
        self.parameters += 1;
        self.hashes.push(self.parameters as u128);
        self.made.push(Made::Parameter);
        self.elements.push(element);
        self.made.len() - 1
    }

    fn add(&mut self, made: Made, element: ElementType) -> Option<usize> {
        let mut h = Xxh3::new();
        element.hash(&mut h);
        match &made {
            Made::Parameter => return None,
            Made::Constant(t) => h.update(t.ieee().bytes()),
            Made::By(op, operands) => {
                op.hash(&mut h);
                operands.iter().for_each(|v| self.hashes[*v].hash(&mut h));
            }
        }
        let hash = h.digest128();
        if let Some(known) = self.known.get(&hash) {
            return Some(*known);
        }
        if self.made.len() >= MOST_VALUES {
            return None;
        }
        self.known.insert(hash, self.made.len());
        self.hashes.push(hash);
        self.made.push(made);
        self.elements.push(element);
        Some(self.made.len() - 1)
    }

    fn by(&mut self, op: &hlo::Op, operands: &[usize], element: ElementType) -> Option<usize> {
        is_elementwise(op).then_some(())?;
        self.add(Made::By(Box::new(op.clone()), operands.to_vec()), element)
    }

    /// What the region yields.
    fn region(
        &mut self,
        kernel: &Kernel,
        region: &KernelRegion,
        values: &mut HashMap<KernelValue, usize>,
    ) -> Option<Vec<usize>> {
        for o in &region.ops {
            let mut operands = vec![];
            for v in &o.operands {
                operands.push(*values.get(v)?);
            }
            let results = match &o.op {
                TpuOp::Yield => return Some(operands),
                TpuOp::Constant(c) => {
                    vec![self.add(Made::Constant(c.splat_value()?), c.element().clone())?]
                }
                // Only of one number: it is that number everywhere.
                TpuOp::Broadcast | TpuOp::ShapeCast => {
                    let [one] = operands[..] else { return None };
                    matches!(self.made[one], Made::Constant(_)).then_some(vec![one])?
                }
                TpuOp::Elementwise(op) => {
                    let element = kernel.ty(*o.results.first()?).element()?;
                    vec![self.by(op, &operands, element)?]
                }
                TpuOp::Implements { .. } => {
                    let inner = o.regions.first()?;
                    values.extend(inner.arguments.iter().copied().zip(operands));
                    self.region(kernel, inner, values)?
                }
                _ => return None,
            };
            values.extend(o.results.iter().copied().zip(results));
        }
        None
    }

    /// What the body of a function returns.
    fn body(
        &mut self,
        program: &Program,
        body: RegionId,
        given: &[usize],
        depth: u32,
    ) -> Option<Vec<usize>> {
        let depth = depth.checked_sub(1)?;
        let region = program.region(body);
        let arguments = region.arguments.iter().copied();
        let mut values: HashMap<ValueId, usize> = arguments.zip(given.iter().copied()).collect();
        for id in &region.ops {
            let o = program.op(*id);
            let mut operands = vec![];
            for v in &o.operands {
                operands.push(*values.get(v)?);
            }
            if o.op.is_return() {
                return Some(operands);
            }
            let Op::Hlo(op) = &o.op;
            let called = |name: &str| Some(program.function(program.find_function(name)?).body);
            let results = match op {
                hlo::Op::Constant(c) => {
                    let one = c.value.splat_value()?;
                    vec![self.add(Made::Constant(one), c.value.element().clone())?]
                }
                hlo::Op::Call(c) => self.body(program, called(&c.callee)?, &operands, depth)?,
                hlo::Op::Composite(c) => {
                    self.body(program, called(&c.decomposition)?, &operands, depth)?
                }
                hlo::Op::BroadcastInDim(_) | hlo::Op::Broadcast(_) | hlo::Op::Reshape(_) => {
                    let [one] = operands[..] else { return None };
                    matches!(self.made[one], Made::Constant(_)).then_some(vec![one])?
                }
                op => {
                    let element = program.ty(*o.results.first()?).as_tensor()?.element.clone();
                    vec![self.by(op, &operands, element)?]
                }
            };
            values.extend(o.results.iter().copied().zip(results));
        }
        None
    }
}
