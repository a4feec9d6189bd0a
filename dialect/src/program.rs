//! The plain-Rust program that engines, comparators, isolation and reduction see. `Send + Sync`, no MLIR.

mod verify;

use crate::{
    attribute::Attributes,
    error::Error,
    location::Location,
    op::{Op, RegionType},
    tpu::Kernel,
    types::Type,
};
use std::{
    hash::{Hash, Hasher},
    sync::Arc,
};
use xxhash_rust::xxh3::Xxh3;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
id!(/// An op of a [`Program`].
    OpId);
id!(/// An SSA value of a [`Program`].
    ValueId);
id!(/// A region: one block with arguments, ended by `hlo.return`.
    RegionId);
id!(/// A function of a [`Program`].
    FunctionId);

/// A module: functions over one arena of ops, values and regions. Built by [`crate::builder::ProgramBuilder`], verified on `finish`.
#[derive(Debug, Clone)]
pub struct Program {
    pub name: String,
    pub num_replicas: u32,
    pub num_partitions: u32,
    /// Module attributes kept as they came (`mhlo.*`, `jax.*`, HLO module settings).
    pub attributes: Attributes,
    pub functions: Vec<Function>,
    pub entry: FunctionId,
    /// Kernels that `kernel_call`s name (stages S3 to S5), in the order they were made.
    pub kernels: Vec<Arc<Kernel>>,
    pub(crate) ops: Vec<Operation>,
    pub(crate) values: Vec<ValueInfo>,
    pub(crate) regions: Vec<Region>,
}

#[derive(Debug, Clone)]
pub struct Function {
    pub name: String,
    pub is_private: bool,
    pub body: RegionId,
    pub results: Vec<Type>,
    /// Attributes of each parameter (`jax.buffer_donor`, `tf.aliasing_output`, `mhlo.sharding`, ...).
    pub parameter_attributes: Vec<Attributes>,
    pub result_attributes: Vec<Attributes>,
    /// Parameters whose buffer an output reuses (donation, HLO `input_output_alias`).
    pub aliases: Vec<Alias>,
    pub location: Location,
}

/// Output `output` reuses the buffer of parameter `parameter`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Alias {
    pub output: u32,
    pub parameter: u32,
    pub kind: AliasKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AliasKind {
    May,
    Must,
}

#[derive(Debug, Clone)]
pub struct Operation {
    pub op: Op,
    pub operands: Vec<ValueId>,
    pub results: Vec<ValueId>,
    pub regions: Vec<RegionId>,
    pub location: Location,
    /// Attributes the op does not define (frontend attributes, shardings, backend_config), kept for export.
    pub extra: Attributes,
}

#[derive(Debug, Clone)]
pub struct ValueInfo {
    pub ty: Type,
    pub def: ValueDef,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueDef {
    Result { op: OpId, index: u32 },
    Argument { region: RegionId, index: u32 },
}

#[derive(Debug, Clone)]
pub struct Region {
    pub arguments: Vec<ValueId>,
    /// In order; the last is `hlo.return`.
    pub ops: Vec<OpId>,
    pub parent: RegionParent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionParent {
    Function(FunctionId),
    Op(OpId),
}

impl Program {
    pub fn op(&self, id: OpId) -> &Operation {
        &self.ops[id.index()]
    }

    pub fn value(&self, id: ValueId) -> &ValueInfo {
        &self.values[id.index()]
    }

    pub fn ty(&self, id: ValueId) -> &Type {
        &self.values[id.index()].ty
    }

    pub fn region(&self, id: RegionId) -> &Region {
        &self.regions[id.index()]
    }

    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    pub fn find_function(&self, name: &str) -> Option<FunctionId> {
        self.functions
            .iter()
            .position(|f| f.name == name)
            .map(|i| FunctionId(i as u32))
    }

    pub fn kernel(&self, name: &str) -> Option<&Arc<Kernel>> {
        self.kernels.iter().find(|k| k.name == name)
    }

    pub fn main(&self) -> &Function {
        self.function(self.entry)
    }

    /// Types of the entry function's parameters.
    pub fn parameter_types(&self) -> Vec<Type> {
        self.region(self.main().body)
            .arguments
            .iter()
            .map(|v| self.ty(*v).clone())
            .collect()
    }

    /// All ops, in arena order.
    pub fn op_ids(&self) -> impl Iterator<Item = OpId> + use<> {
        (0..self.ops.len() as u32).map(OpId)
    }

    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    pub fn region_count(&self) -> u32 {
        self.regions.len() as u32
    }

    pub fn op_count(&self) -> usize {
        self.ops.len()
    }

    /// Values the region's terminator returns.
    pub fn returned(&self, region: RegionId) -> &[ValueId] {
        match self.region(region).ops.last() {
            Some(last) if self.op(*last).op.is_return() => &self.op(*last).operands,
            Some(_) | None => &[],
        }
    }

    pub fn region_type(&self, region: RegionId) -> RegionType {
        RegionType {
            arguments: self
                .region(region)
                .arguments
                .iter()
                .map(|v| self.ty(*v).clone())
                .collect(),
            results: self
                .returned(region)
                .iter()
                .map(|v| self.ty(*v).clone())
                .collect(),
        }
    }

    /// The program with op `id` changed by `change`, if it still verifies. Results, regions and location stay.
    pub fn modified(
        &self,
        id: OpId,
        change: impl FnOnce(&mut Operation),
    ) -> Result<Program, Error> {
        let mut out = self.clone();
        let mut operation = self.op(id).clone();
        change(&mut operation);
        let old = &mut out.ops[id.index()];
        (old.op, old.operands, old.extra) = (operation.op, operation.operands, operation.extra);
        out.verified()
    }

    /// The program with every op that `change` gives another for replaced by it, if it still verifies. Operands, results, regions and locations stay.
    pub fn with_ops(&self, change: impl Fn(&Operation) -> Option<Op>) -> Result<Program, Error> {
        let mut out = self.clone();
        for operation in &mut out.ops {
            if let Some(op) = change(operation) {
                operation.op = op;
            }
        }
        out.verified()
    }

    /// The region that op `id` stands in.
    pub fn region_of(&self, id: OpId) -> Option<RegionId> {
        (0..self.region_count())
            .map(RegionId)
            .find(|r| self.region(*r).ops.contains(&id))
    }

    /// Ops of `region` and of all regions inside it, in program order.
    pub fn ops_within(&self, region: RegionId) -> Vec<OpId> {
        let mut out = vec![];
        let mut stack = vec![self.region(region).ops.iter()];
        while let Some(top) = stack.last_mut() {
            match top.next() {
                Some(id) => {
                    out.push(*id);
                    // Reversed so that the first region is walked first.
                    let inner: Vec<_> = self
                        .op(*id)
                        .regions
                        .iter()
                        .rev()
                        .map(|r| self.region(*r).ops.iter())
                        .collect();
                    stack.extend(inner);
                }
                None => {
                    stack.pop();
                }
            }
        }
        out
    }

    /// Values defined outside `region` that ops inside it use, in order of first use.
    pub fn captured(&self, region: RegionId) -> Vec<ValueId> {
        let mut inside: std::collections::HashSet<ValueId> =
            self.region(region).arguments.iter().copied().collect();
        let ops = self.ops_within(region);
        for id in &ops {
            inside.extend(self.op(*id).results.iter().copied());
            for r in &self.op(*id).regions {
                inside.extend(self.region(*r).arguments.iter().copied());
            }
        }
        let mut out: Vec<ValueId> = vec![];
        for id in &ops {
            for v in &self.op(*id).operands {
                if !inside.contains(v) && !out.contains(v) {
                    out.push(*v);
                }
            }
        }
        out
    }

    /// Hash of the structure of a region: ops, attributes, types, dataflow, inner regions, called functions; not names or locations.
    /// Captured values are numbered in order of first use.
    pub fn region_hash(&self, region: RegionId) -> u128 {
        let mut numbering = std::collections::HashMap::new();
        let mut h = Xxh3::new();
        self.hash_region(region, &mut numbering, &mut h, &mut Callees::default());
        h.digest128()
    }

    /// [`Self::op_hash`] of every op, by its number.
    pub fn op_hashes(&self) -> Vec<u128> {
        let mut callees = Callees::default();
        self.op_ids()
            .map(|id| self.hash_of_op(id, &mut callees))
            .collect()
    }

    /// Hash of what op `id` computes from its operands and captured values: attributes, result types, regions and callees; not operands, names, locations.
    pub fn op_hash(&self, id: OpId) -> u128 {
        self.hash_of_op(id, &mut Callees::default())
    }

    fn hash_of_op(&self, id: OpId, callees: &mut Callees) -> u128 {
        let o = self.op(id);
        let mut h = Xxh3::new();
        o.op.hash_structure(&mut h);
        o.results.iter().for_each(|v| self.ty(*v).hash(&mut h));
        // One numbering over all regions: a later region may use what an earlier one captured, in another order.
        let mut numbering = std::collections::HashMap::new();
        for r in &o.regions {
            self.hash_region(*r, &mut numbering, &mut h, callees);
        }
        for callee in o.op.callees() {
            match self.find_function(callee) {
                Some(f) => h.update(&self.hash_of_function(f, callees).to_le_bytes()),
                None => h.update(callee.as_bytes()),
            }
        }
        self.hash_kernel(&o.op, &mut h);
        h.digest128()
    }

    /// Values outside op `id` that its regions use, in order of first use over the regions in order.
    pub fn op_captures(&self, id: OpId) -> Vec<ValueId> {
        let mut out = vec![];
        for r in &self.op(id).regions {
            for v in self.captured(*r) {
                if !out.contains(&v) {
                    out.push(v);
                }
            }
        }
        out
    }

    /// Hash of the whole program's structure, from its entry function on.
    pub fn structural_hash(&self) -> u128 {
        let mut h = Xxh3::new();
        (self.num_replicas, self.num_partitions).hash(&mut h);
        self.main().aliases.hash(&mut h);
        h.update(&self.region_hash(self.main().body).to_le_bytes());
        h.digest128()
    }

    fn hash_kernel(&self, op: &Op, h: &mut Xxh3) {
        if let Some(name) = op.kernel() {
            match self.kernel(name) {
                Some(k) => h.update(&k.structural_hash().to_le_bytes()),
                None => h.update(name.as_bytes()),
            }
        }
    }

    /// Hash of a function's body; each function once.
    fn hash_of_function(&self, f: FunctionId, callees: &mut Callees) -> u128 {
        if let Some(known) = callees.known.get(&f) {
            return *known;
        }
        callees.under_way.push(f);
        let mut h = Xxh3::new();
        let mut fresh = std::collections::HashMap::new();
        self.hash_region(self.function(f).body, &mut fresh, &mut h, callees);
        callees.under_way.pop();
        let out = h.digest128();
        callees.known.insert(f, out);
        out
    }

    fn hash_region(
        &self,
        region: RegionId,
        numbering: &mut std::collections::HashMap<ValueId, u32>,
        h: &mut Xxh3,
        callees: &mut Callees,
    ) {
        let r = self.region(region);
        let define =
            |v: ValueId, numbering: &mut std::collections::HashMap<ValueId, u32>, h: &mut Xxh3| {
                let n = numbering.len() as u32;
                numbering.insert(v, n);
                self.ty(v).hash(h);
            };
        r.arguments.len().hash(h);
        for v in &r.arguments {
            define(*v, numbering, h);
        }
        for id in &r.ops {
            let o = self.op(*id);
            o.op.hash_structure(h);
            o.operands.len().hash(h);
            for v in &o.operands {
                if !numbering.contains_key(v) {
                    define(*v, numbering, h);
                }
                numbering[v].hash(h);
            }
            o.results.len().hash(h);
            for v in &o.results {
                define(*v, numbering, h);
            }
            self.hash_kernel(&o.op, h);
            o.regions.len().hash(h);
            for inner in &o.regions {
                self.hash_region(*inner, numbering, h, callees);
            }
            for callee in o.op.callees() {
                match self.find_function(callee) {
                    Some(f) if !callees.under_way.contains(&f) => {
                        h.update(&self.hash_of_function(f, callees).to_le_bytes());
                    }
                    Some(_) | None => callee.hash(h),
                }
            }
        }
    }
}

/// Functions hashed so far, and those that are being hashed.
#[derive(Default)]
struct Callees {
    known: std::collections::HashMap<FunctionId, u128>,
    under_way: Vec<FunctionId>,
}

impl Op {
    /// Functions this op names.
    pub fn callees(&self) -> Vec<&str> {
        match self {
            Op::Hlo(op) => op.callees(),
        }
    }

    /// The kernel this op calls.
    pub fn kernel(&self) -> Option<&str> {
        match self {
            Op::Hlo(crate::hlo::Op::KernelCall(call)) => Some(&call.kernel),
            Op::Hlo(_) => None,
        }
    }

    /// Whether the op's operands and results are the callee's.
    pub fn is_call(&self) -> bool {
        matches!(
            self,
            Op::Hlo(crate::hlo::Op::Call(_) | crate::hlo::Op::Composite(_))
        )
    }

    fn hash_structure(&self, h: &mut impl Hasher) {
        match self {
            Op::Hlo(op) => op.hash_structure(h),
        }
    }
}
