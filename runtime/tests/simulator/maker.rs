//! Small kernels for the tests of the simulator.

use std::sync::Arc;
use tileproof_dialect::{
    eval::{Events, Stop},
    hlo,
    literal::Literal,
    location::Location,
    planes::Planes,
    stage::Stage,
    tensor::{Tensor, Value},
    tpu::{
        GridDimension, Hazard, KernelBuilder, KernelOperand, KernelRegion, KernelType, KernelValue,
        MemRefType, MemorySpace, RefElement, Role, Semantics, TpuOp, Window,
        op::{Mask, SourceSemaphore},
    },
    types::{Dim, ElementType},
};
use tileproof_runtime::{
    inputs::with_ring,
    limits::Limits,
    simulator::{Counters, Depth, Plan, Simulation, Validity, hazards, run},
};

pub const F32: ElementType = ElementType::F32;

/// A kernel under construction.
pub struct Maker(pub KernelBuilder);

pub fn operand(role: Role, dims: &[u64], space: MemorySpace) -> KernelOperand {
    typed(role, dims, F32, space)
}

pub fn typed(role: Role, dims: &[u64], element: ElementType, space: MemorySpace) -> KernelOperand {
    KernelOperand {
        role,
        buffer: MemRefType::new(dims, element, space),
        window: None,
        alias: None,
        address: None,
    }
}

/// An operand in HBM seen through blocks.
pub fn windowed(role: Role, dims: &[u64], block: &[u64]) -> KernelOperand {
    KernelOperand {
        window: Some(Window::of(block)),
        ..operand(role, dims, MemorySpace::Any)
    }
}

pub fn semaphores(n: u64) -> KernelOperand {
    KernelOperand {
        buffer: MemRefType::dma_semaphores(&[n]),
        ..operand(Role::Scratch, &[n], MemorySpace::SemaphoreMem)
    }
}

/// Semaphores that are signalled.
pub fn counters(n: u64) -> KernelOperand {
    let mut out = semaphores(n);
    out.buffer.element = RefElement::Semaphore;
    out
}

pub fn parallel(size: u64) -> GridDimension {
    GridDimension {
        size,
        semantics: Semantics::Parallel,
    }
}

pub fn arbitrary(size: u64) -> GridDimension {
    GridDimension {
        size,
        semantics: Semantics::Arbitrary,
    }
}

impl Maker {
    pub fn new(grid: &[GridDimension], operands: Vec<KernelOperand>) -> Maker {
        let (grid, here) = (grid.to_vec(), Location::default());
        Maker(KernelBuilder::new("test", Stage::S3, grid, operands, here))
    }

    /// The index map of a window: its coordinates are those grid indices.
    pub fn map(&mut self, operand: usize, dims: &[usize]) {
        self.0
            .index_map(operand, |_, g| dims.iter().map(|d| g[*d]).collect());
    }

    pub fn reference(&self, operand: usize) -> KernelValue {
        self.0.operand_ref(operand)
    }

    pub fn index(&mut self, value: i64) -> KernelValue {
        let t = Tensor::from_i64s(&[], &ElementType::I64, &[value]);
        let op = TpuOp::Constant(Literal::from_tensor(&t));
        self.0.one(op, &[], KernelType::Index)
    }

    /// A vector of equal elements.
    pub fn splat(&mut self, dims: &[u64], value: f64) -> KernelValue {
        let t = Tensor::splat_f64(dims, &F32, value);
        let op = TpuOp::Constant(Literal::from_tensor(&t));
        self.0.one(op, &[], KernelType::vector(dims, F32))
    }

    /// An elementwise op on values of one type.
    pub fn apply(&mut self, op: impl Into<hlo::Op>, operands: &[KernelValue]) -> KernelValue {
        let ty = self.0.ty(operands[operands.len() - 1]).clone();
        self.0.one(TpuOp::Elementwise(op.into()), operands, ty)
    }

    /// lhs DIRECTION rhs.
    pub fn compare(
        &mut self,
        direction: hlo::compare::Direction,
        a: KernelValue,
        b: KernelValue,
    ) -> KernelValue {
        let op = hlo::compare::Compare {
            comparison_direction: direction,
            compare_type: None,
        };
        let ty = match self.0.ty(a).clone() {
            KernelType::Vector { dims, .. } => KernelType::vector(&dims, ElementType::I1),
            _ => KernelType::Scalar(ElementType::I1),
        };
        self.0.one(TpuOp::Elementwise(op.into()), &[a, b], ty)
    }

    /// Sizes and element type of a reference.
    fn seen(&self, reference: KernelValue) -> (Vec<u64>, ElementType) {
        let m = self.0.ty(reference).as_memref().expect("a reference");
        (
            m.static_dims().expect("static"),
            m.data().expect("data").clone(),
        )
    }

    /// Loads all of a reference.
    pub fn load(&mut self, reference: KernelValue) -> KernelValue {
        let dims = self.seen(reference).0;
        self.load_at(reference, &vec![0; dims.len()], &dims)
    }

    pub fn load_at(
        &mut self,
        reference: KernelValue,
        starts: &[i64],
        sizes: &[u64],
    ) -> KernelValue {
        let element = self.seen(reference).1;
        let mut operands = vec![reference];
        operands.extend(starts.iter().map(|s| self.index(*s)));
        let op = TpuOp::Load {
            strides: None,
            masked: Mask::Unmasked,
        };
        self.0
            .one(op, &operands, KernelType::vector(sizes, element))
    }

    pub fn load_masked(&mut self, reference: KernelValue, mask: KernelValue) -> KernelValue {
        let (dims, element) = self.seen(reference);
        let mut operands = vec![reference];
        operands.extend(dims.iter().map(|_| self.index(0)));
        operands.push(mask);
        let op = TpuOp::Load {
            strides: None,
            masked: Mask::Masked,
        };
        self.0
            .one(op, &operands, KernelType::vector(&dims, element))
    }

    /// Stores at the start of a reference.
    pub fn store(&mut self, value: KernelValue, reference: KernelValue) {
        let rank = self.seen(reference).0.len();
        self.store_at(value, reference, &vec![0; rank]);
    }

    pub fn store_at(&mut self, value: KernelValue, reference: KernelValue, starts: &[i64]) {
        let mut operands = vec![value, reference];
        operands.extend(starts.iter().map(|s| self.index(*s)));
        let op = TpuOp::Store {
            strides: None,
            masked: Mask::Unmasked,
        };
        self.0.op(op, &operands, &[], vec![]);
    }

    pub fn store_masked(&mut self, value: KernelValue, reference: KernelValue, mask: KernelValue) {
        let rank = self.seen(reference).0.len();
        let mut operands = vec![value, reference];
        operands.extend((0..rank).map(|_| self.index(0)));
        operands.push(mask);
        let op = TpuOp::Store {
            strides: None,
            masked: Mask::Masked,
        };
        self.0.op(op, &operands, &[], vec![]);
    }

    /// True in the first `counts` of each dimension.
    pub fn mask(&mut self, dims: &[u64], counts: &[u64]) -> KernelValue {
        let mut operands: Vec<KernelValue> = dims.iter().map(|_| self.index(0)).collect();
        operands.extend(counts.iter().map(|n| self.index(*n as i64)));
        let ty = KernelType::vector(dims, ElementType::I1);
        self.0.one(TpuOp::CreateMask, &operands, ty)
    }

    /// The window of sizes `sizes` from `starts` on.
    pub fn slice(
        &mut self,
        reference: KernelValue,
        starts: &[KernelValue],
        sizes: &[u64],
    ) -> KernelValue {
        let ty = MemRefType {
            dims: sizes.iter().map(|d| Dim::Static(*d)).collect(),
            ..self
                .0
                .ty(reference)
                .as_memref()
                .expect("a reference")
                .clone()
        };
        let op = TpuOp::MemRefSlice {
            sizes: ty.dims.clone(),
        };
        let mut operands = vec![reference];
        operands.extend(starts);
        self.0.one(op, &operands, KernelType::MemRef(Arc::new(ty)))
    }

    pub fn slice_at(
        &mut self,
        reference: KernelValue,
        starts: &[i64],
        sizes: &[u64],
    ) -> KernelValue {
        let starts: Vec<KernelValue> = starts.iter().map(|s| self.0.i32(*s)).collect();
        self.slice(reference, &starts, sizes)
    }

    /// Drops dimensions of size 1 so that `dims` are left.
    pub fn squeeze(&mut self, reference: KernelValue, dims: &[u64]) -> KernelValue {
        let ty = MemRefType {
            dims: dims.iter().map(|d| Dim::Static(*d)).collect(),
            ..self
                .0
                .ty(reference)
                .as_memref()
                .expect("a reference")
                .clone()
        };
        let ty = KernelType::MemRef(Arc::new(ty));
        self.0.one(TpuOp::MemRefSqueeze, &[reference], ty)
    }

    /// Semaphore number `n` of an operand.
    pub fn semaphore(&mut self, operand: usize, n: i64) -> KernelValue {
        let one = self.slice_at(self.reference(operand), &[n], &[1]);
        self.squeeze(one, &[])
    }

    pub fn copy(&mut self, from: KernelValue, to: KernelValue, semaphore: KernelValue) {
        let op = TpuOp::EnqueueDma {
            source_semaphore: SourceSemaphore::Absent,
            priority: 0,
        };
        self.0.op(op, &[from, to, semaphore], &[], vec![]);
    }

    pub fn wait(&mut self, semaphore: KernelValue, from: KernelValue, to: KernelValue) {
        self.0
            .op(TpuOp::WaitDma2, &[semaphore, from, to], &[], vec![]);
    }

    /// `scf.if` without results and else.
    pub fn when(&mut self, condition: KernelValue, then: impl FnOnce(&mut Maker)) {
        let region = self.region(&[], |m, _| {
            then(m);
            vec![]
        });
        let otherwise = self.region(&[], |_, _| vec![]);
        self.0
            .op(TpuOp::If, &[condition], &[], vec![region, otherwise]);
    }

    pub fn region(
        &mut self,
        arguments: &[KernelType],
        make: impl FnOnce(&mut Maker, &[KernelValue]) -> Vec<KernelValue>,
    ) -> KernelRegion {
        let arguments = self.0.begin_region(arguments);
        let out = make(self, &arguments);
        self.0.end_region(&out)
    }

    pub fn plan(self) -> Plan {
        self.plan_in(Planes::IeeeOnly)
    }

    pub fn plan_in(self, planes: Planes) -> Plan {
        let kernel = Arc::new(self.0.finish());
        assert_eq!(kernel.verify(), []);
        Plan::new(&kernel, planes).expect("a plan")
    }
}

/// 1, 2, 3, ..
pub fn counting(dims: &[u64]) -> Tensor {
    let n = dims.iter().product::<u64>();
    let all: Vec<f64> = (1..=n).map(|i| i as f64).collect();
    Tensor::from_f64s(dims, &F32, &all)
}

/// The same tensor with residues of its own.
pub fn hashed(t: &Tensor, argument: u64) -> Tensor {
    match with_ring(&Value::from(t.clone()), 7, argument) {
        Value::Tensor(t) => t,
        other => panic!("{other:?}"),
    }
}

/// Outputs, hazards and counters of one run with validity tracked.
pub fn tracked(plan: &Plan, arguments: &[Tensor]) -> (Vec<Tensor>, Vec<Hazard>, Counters) {
    let simulation = Simulation {
        validity: Validity::Tracked,
        ..Simulation::default()
    };
    let mut events = Events::default();
    let limits = Limits::default();
    let planes = arguments
        .iter()
        .find(|t| t.element().has_ring())
        .map_or(Planes::IeeeOnly, Tensor::planes);
    let out = run(plan, arguments, planes, &simulation, &limits, &mut events).expect("runs");
    (out.outputs, events.hazards, out.counters)
}

/// The words of all hazards at full depth.
pub fn all_hazards(plan: &Plan, arguments: &[Tensor]) -> Vec<String> {
    let found = hazards(plan, arguments, Depth::Full, 11, &[], &Limits::default());
    found
        .expect("runs")
        .iter()
        .map(|h| h.kind.to_string())
        .collect()
}

/// What a run that does not end says.
pub fn stop(plan: &Plan, arguments: &[Tensor], simulation: &Simulation) -> Option<Stop> {
    let mut events = Events::default();
    let limits = Limits::default();
    run(
        plan,
        arguments,
        Planes::IeeeOnly,
        simulation,
        &limits,
        &mut events,
    )
    .err()
}
