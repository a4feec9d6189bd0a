//! What the interpreter knows of a program before it runs: where each value is kept, when it dies, which bodies run in batches.

use super::lanes;
use tileproof_dialect::program::{FunctionId, OpId, Program, RegionId, ValueId};

/// Static facts of a program.
pub struct Plan {
    /// Place of each value in the frame of its function.
    slots: Vec<u32>,
    /// Number of places of each function's frame.
    frame_sizes: Vec<usize>,
    /// Function each region stands in.
    functions: Vec<Option<FunctionId>>,
    /// Values whose last use is this op, by op.
    dead_after: Vec<Vec<ValueId>>,
    /// Whether a region may be evaluated once for a whole batch of lanes.
    lanewise: Vec<bool>,
}

const NO_SLOT: u32 = u32::MAX;

impl Plan {
    pub fn new(program: &Program) -> Plan {
        let regions = program
            .op_ids()
            .flat_map(|id| &program.op(id).regions)
            .map(|r| r.index() + 1)
            .chain(program.functions.iter().map(|f| f.body.index() + 1))
            .max()
            .unwrap_or(0);
        let mut walk = Walk {
            program,
            owners: vec![None; program.value_count()],
            last_use: vec![None; program.value_count()],
            path: vec![],
            plan: Plan {
                slots: vec![NO_SLOT; program.value_count()],
                frame_sizes: vec![0; program.functions.len()],
                functions: vec![None; regions],
                dead_after: vec![vec![]; program.op_count()],
                lanewise: vec![],
            },
        };
        for (i, f) in program.functions.iter().enumerate() {
            walk.region(f.body, FunctionId(i as u32));
        }
        let mut plan = walk.finish();
        plan.lanewise = lanes::lanewise_regions(program, regions);
        plan
    }

    /// Place of a value in its function's frame; out of range for a value no function holds.
    pub fn slot(&self, v: ValueId) -> usize {
        self.slots.get(v.index()).copied().unwrap_or(NO_SLOT) as usize
    }

    pub fn frame_size(&self, function: FunctionId) -> usize {
        self.frame_sizes.get(function.index()).copied().unwrap_or(0)
    }

    /// The function region `region` stands in, at any depth.
    pub fn function_of(&self, region: RegionId) -> Option<FunctionId> {
        self.functions.get(region.index()).copied().flatten()
    }

    pub fn dead_after(&self, op: OpId) -> &[ValueId] {
        self.dead_after.get(op.index()).map_or(&[], Vec::as_slice)
    }

    pub fn is_lanewise(&self, region: RegionId) -> bool {
        self.lanewise.get(region.index()).copied().unwrap_or(false)
    }
}

struct Walk<'p> {
    program: &'p Program,
    /// Region that defines each value.
    owners: Vec<Option<RegionId>>,
    last_use: Vec<Option<OpId>>,
    /// Regions around the current op, each with the op of it that is being walked.
    path: Vec<(RegionId, OpId)>,
    plan: Plan,
}

impl Walk<'_> {
    fn region(&mut self, region: RegionId, function: FunctionId) {
        self.plan.functions[region.index()] = Some(function);
        let r = self.program.region(region);
        for v in &r.arguments {
            self.define(*v, region, function, r.ops.first().copied());
        }
        for id in &r.ops {
            self.path.push((region, *id));
            let o = self.program.op(*id);
            o.operands.iter().for_each(|v| self.use_value(*v));
            for inner in &o.regions {
                stacker::maybe_grow(64 << 10, 1 << 20, || self.region(*inner, function));
            }
            for v in &o.results {
                self.define(*v, region, function, Some(*id));
            }
            self.path.pop();
        }
    }

    /// A value nobody uses dies at `unused`.
    fn define(&mut self, v: ValueId, region: RegionId, function: FunctionId, unused: Option<OpId>) {
        let size = &mut self.plan.frame_sizes[function.index()];
        self.plan.slots[v.index()] = *size as u32;
        *size += 1;
        self.owners[v.index()] = Some(region);
        self.last_use[v.index()] = unused;
    }

    /// The use counts for the op of the defining region that encloses it.
    fn use_value(&mut self, v: ValueId) {
        let owner = self.owners[v.index()];
        if let Some((_, op)) = self.path.iter().rev().find(|(r, _)| Some(*r) == owner) {
            self.last_use[v.index()] = Some(*op);
        }
    }

    fn finish(mut self) -> Plan {
        for (i, op) in self.last_use.iter().enumerate() {
            if let Some(op) = op {
                self.plan.dead_after[op.index()].push(ValueId(i as u32));
            }
        }
        self.plan
    }
}
