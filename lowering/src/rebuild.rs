//! A program again, with some ops replaced by others: for passes over plain data.

use std::collections::HashMap;
use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    error::Error,
    location::Location,
    op::Op,
    program::{FunctionId, OpId, Program, RegionId, ValueId},
    tpu::Kernel,
};

/// What stands in place of an op: its results are those of the op, its operands values of the program before.
pub struct Replacement {
    pub op: Op,
    pub operands: Vec<ValueId>,
    pub location: Location,
}

/// The program with every op that is in `replaced` replaced, and `kernels` added.
pub fn rebuild(
    before: &Program,
    replaced: &HashMap<OpId, Replacement>,
    kernels: Vec<Kernel>,
) -> Result<Program, Error> {
    let mut copier = Copier {
        before,
        replaced,
        b: ProgramBuilder::new(&before.name, Provenance::Keep),
        values: HashMap::new(),
    };
    for f in &before.functions {
        let body = before.region(f.body);
        let types: Vec<_> = body
            .arguments
            .iter()
            .map(|v| before.ty(*v).clone())
            .collect();
        let arguments = copier.b.begin_function(&f.name, &types, f.location.clone());
        copier.bind(&body.arguments, &arguments);
        let (returned, location) = copier.ops(f.body)?;
        let id = copier.b.end_function(&returned, location);
        let new = &mut copier.b.program_mut().functions[id.index()];
        new.is_private = f.is_private;
        new.results.clone_from(&f.results);
        new.parameter_attributes.clone_from(&f.parameter_attributes);
        new.result_attributes.clone_from(&f.result_attributes);
        new.aliases.clone_from(&f.aliases);
    }
    let p = copier.b.program_mut();
    (p.num_replicas, p.num_partitions) = (before.num_replicas, before.num_partitions);
    p.attributes.clone_from(&before.attributes);
    p.entry = FunctionId(before.entry.0);
    p.kernels.clone_from(&before.kernels);
    p.kernels
        .extend(kernels.into_iter().map(std::sync::Arc::new));
    copier.b.finish()
}

struct Copier<'p> {
    before: &'p Program,
    replaced: &'p HashMap<OpId, Replacement>,
    b: ProgramBuilder,
    values: HashMap<ValueId, ValueId>,
}

impl Copier<'_> {
    fn bind(&mut self, old: &[ValueId], new: &[ValueId]) {
        self.values
            .extend(old.iter().copied().zip(new.iter().copied()));
    }

    fn value(&self, v: ValueId) -> Result<ValueId, Error> {
        let new = self.values.get(&v).copied();
        new.ok_or_else(|| Error::internal("an operand that is not there yet"))
    }

    fn all(&self, values: &[ValueId]) -> Result<Vec<ValueId>, Error> {
        values.iter().map(|v| self.value(*v)).collect()
    }

    /// Copies the ops of a region; gives what it returns and where.
    fn ops(&mut self, region: RegionId) -> Result<(Vec<ValueId>, Location), Error> {
        for id in &self.before.region(region).ops {
            let o = self.before.op(*id);
            if o.op.is_return() {
                return Ok((self.all(&o.operands)?, o.location.clone()));
            }
            let types: Vec<_> = o
                .results
                .iter()
                .map(|v| self.before.ty(*v).clone())
                .collect();
            let (op, operands, regions, location) = match self.replaced.get(id) {
                Some(r) => (
                    r.op.clone(),
                    self.all(&r.operands)?,
                    vec![],
                    r.location.clone(),
                ),
                None => {
                    let mut regions = vec![];
                    for r in &o.regions {
                        regions.push(self.region(*r)?);
                    }
                    (
                        o.op.clone(),
                        self.all(&o.operands)?,
                        regions,
                        o.location.clone(),
                    )
                }
            };
            let is_kept = !self.replaced.contains_key(id);
            let results = self.b.op(op, &operands, &types, regions, location);
            if is_kept && let Some(new) = self.b.last_op_mut() {
                new.extra.clone_from(&o.extra);
            }
            self.bind(&o.results, &results);
        }
        Err(Error::internal("a region without its return"))
    }

    fn region(&mut self, region: RegionId) -> Result<RegionId, Error> {
        let arguments = &self.before.region(region).arguments;
        let types: Vec<_> = arguments
            .iter()
            .map(|v| self.before.ty(*v).clone())
            .collect();
        let new = self.b.begin_region(&types);
        self.bind(arguments, &new);
        let (returned, location) = self.ops(region)?;
        Ok(self.b.end_region(&returned, location))
    }
}
