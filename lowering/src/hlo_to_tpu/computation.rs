//! What one kernel computes: the ops of a fusion or one op, with the values it takes from outside and gives.

use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    error::Error,
    hlo,
    location::Location,
    op::Op,
    program::{OpId, Operation, Program, RegionId, ValueDef, ValueId},
    types::{ElementType, Type},
};

/// Ops of one kernel. Fusions inside are opened.
pub struct Computation<'p> {
    pub program: &'p Program,
    /// Values from outside, in order of first use.
    pub inputs: Vec<ValueId>,
    pub ops: Vec<OpId>,
    /// Values the kernel gives; may be inputs.
    pub results: Vec<ValueId>,
    pub location: Location,
    /// Arguments and results of opened fusions.
    stands_for: HashMap<ValueId, ValueId>,
    definitions: HashMap<ValueId, (usize, usize)>,
}

impl<'p> Computation<'p> {
    /// The computation of op `id`; constants it uses that are one value repeated are made inside.
    pub fn new(program: &'p Program, id: OpId) -> Result<Computation<'p>, Error> {
        let o = program.op(id);
        let mut out = Computation {
            program,
            inputs: vec![],
            ops: vec![],
            results: o.results.clone(),
            location: o.location.clone(),
            stands_for: HashMap::new(),
            definitions: HashMap::new(),
        };
        out.add(id);
        let mut inside: HashSet<ValueId> = HashSet::new();
        let mut ops = vec![];
        for id in std::mem::take(&mut out.ops) {
            let o = program.op(id);
            if o.regions.iter().any(|r| !program.captured(*r).is_empty()) {
                return Err(Error::unsupported(format!(
                    "{} with a region that uses values from outside",
                    o.op.name()
                )));
            }
            for v in out.operands(id) {
                if inside.contains(&v) || out.inputs.contains(&v) {
                    continue;
                }
                match repeated_constant(program, v) {
                    Some(constant) => {
                        inside.insert(v);
                        ops.push(constant);
                    }
                    None => out.inputs.push(v),
                }
            }
            inside.extend(&o.results);
            ops.push(id);
        }
        for (i, id) in ops.iter().enumerate() {
            for (j, v) in program.op(*id).results.iter().enumerate() {
                out.definitions.insert(*v, (i, j));
            }
        }
        out.ops = ops;
        out.results = out.results.iter().map(|v| out.resolve(*v)).collect();
        for v in &out.results {
            if !inside.contains(v) && !out.inputs.contains(v) {
                out.inputs.push(*v);
            }
        }
        Ok(out)
    }

    fn add(&mut self, id: OpId) {
        let o = self.program.op(id);
        let body = match (&o.op, o.regions.first()) {
            (Op::Hlo(hlo::Op::Fusion(_)), Some(body)) => *body,
            (Op::Hlo(_), _) => {
                self.ops.push(id);
                return;
            }
        };
        let region = self.program.region(body);
        self.stands_for.extend(
            region
                .arguments
                .iter()
                .copied()
                .zip(o.operands.iter().copied()),
        );
        for inner in &region.ops {
            if !self.program.op(*inner).op.is_return() {
                self.add(*inner);
            }
        }
        let returned = self.program.returned(body);
        self.stands_for
            .extend(o.results.iter().copied().zip(returned.iter().copied()));
    }

    /// The value that `v` is another name of.
    pub fn resolve(&self, mut v: ValueId) -> ValueId {
        while let Some(next) = self.stands_for.get(&v) {
            v = *next;
        }
        v
    }

    /// Operands of an op of the computation.
    pub fn operands(&self, id: OpId) -> Vec<ValueId> {
        let operands = &self.program.op(id).operands;
        operands.iter().map(|v| self.resolve(*v)).collect()
    }

    pub fn op(&self, id: OpId) -> (&'p Operation, &'p hlo::Op) {
        let o = self.program.op(id);
        let Op::Hlo(op) = &o.op;
        (o, op)
    }

    /// The op that makes `v` and the number of the result; none for inputs.
    pub fn definition(&self, v: ValueId) -> Option<(OpId, usize)> {
        self.definitions.get(&v).map(|(i, j)| (self.ops[*i], *j))
    }

    /// Sizes of a tensor.
    pub fn dims(&self, v: ValueId) -> Result<Vec<u64>, Error> {
        let tensor = self.program.ty(v).as_tensor();
        let dims = tensor.and_then(|t| t.static_dims());
        dims.ok_or_else(|| Error::unsupported(format!("a value of type {}", self.program.ty(v))))
    }

    pub fn element(&self, v: ValueId) -> Result<ElementType, Error> {
        match self.program.ty(v) {
            Type::Tensor(t) => Ok(t.element.clone()),
            other @ (Type::Token | Type::Tuple(_)) => {
                Err(Error::unsupported(format!("a value of type {other}")))
            }
        }
    }

    /// The constant that `v` repeats in every element, seen through broadcasts and reshapes.
    pub fn splat(&self, v: ValueId) -> Option<tileproof_dialect::tensor::Tensor> {
        let mut v = self.resolve(v);
        loop {
            let ValueDef::Result { op, .. } = self.program.value(v).def else {
                return None;
            };
            let (o, op) = self.op(op);
            match op {
                hlo::Op::Constant(c) => return c.value.splat_value(),
                hlo::Op::BroadcastInDim(_) | hlo::Op::Reshape(_) | hlo::Op::Broadcast(_) => {
                    v = self.resolve(*o.operands.first()?);
                }
                _ => return None,
            }
        }
    }

    /// Name for messages: of a single op its own, of a fusion with the op it is about.
    pub fn region(&self, id: OpId, index: usize) -> Result<RegionId, Error> {
        let region = self.program.op(id).regions.get(index).copied();
        region.ok_or_else(|| Error::internal("an op without its region"))
    }
}

/// The op of a constant that repeats one value.
fn repeated_constant(program: &Program, v: ValueId) -> Option<OpId> {
    let ValueDef::Result { op, .. } = program.value(v).def else {
        return None;
    };
    match &program.op(op).op {
        Op::Hlo(hlo::Op::Constant(c)) if c.value.splat_value().is_some() => Some(op),
        Op::Hlo(_) => None,
    }
}
