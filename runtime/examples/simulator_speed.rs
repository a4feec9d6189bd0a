//! How fast the simulator runs kernels of native registers, next to the same ops on whole tensors: `simulator_speed [SECONDS]`.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tileproof_dialect::{
    eval::{EvalContext, Events, NoRegions},
    hlo,
    literal::Literal,
    location::Location,
    planes::Planes,
    stage::Stage,
    tensor::{Tensor, Value},
    tpu::{
        CombiningKind, KernelBuilder, KernelOperand, KernelType, KernelValue, MatmulDimensions,
        MemRefType, MemorySpace, Role, TpuOp, op::Mask,
    },
    types::{ElementType, Type},
};
use tileproof_runtime::{
    inputs::with_ring,
    limits::Limits,
    simulator::{Plan, Simulation, Validity, run},
};

const F32: ElementType = ElementType::F32;
const ROWS: u64 = 8192;
const SIZE: u64 = 512;

/// The elementwise ops of the chain, each of the value so far and the input.
fn chain() -> Vec<hlo::Op> {
    let exp = hlo::exponential::Exponential {
        result_accuracy: None,
    };
    vec![
        hlo::multiply::Multiply.into(),
        hlo::add::Add.into(),
        hlo::maximum::Maximum.into(),
        hlo::multiply::Multiply.into(),
        hlo::subtract::Subtract.into(),
        hlo::add::Add.into(),
        hlo::minimum::Minimum.into(),
        hlo::multiply::Multiply.into(),
        hlo::add::Add.into(),
        exp.into(),
    ]
}

fn operands(shapes: &[(Role, &[u64])]) -> Vec<KernelOperand> {
    let one = |(role, dims): &(Role, &[u64])| KernelOperand {
        role: *role,
        buffer: MemRefType::new(dims, F32, MemorySpace::Vmem),
        window: None,
        alias: None,
        address: None,
    };
    shapes.iter().map(one).collect()
}

fn builder(name: &str, shapes: &[(Role, &[u64])]) -> KernelBuilder {
    KernelBuilder::new(
        name,
        Stage::S5,
        vec![],
        operands(shapes),
        Location::default(),
    )
}

fn index(b: &mut KernelBuilder, value: i64) -> KernelValue {
    let t = Tensor::from_i64s(&[], &ElementType::I64, &[value]);
    b.one(
        TpuOp::Constant(Literal::from_tensor(&t)),
        &[],
        KernelType::Index,
    )
}

fn register() -> KernelType {
    KernelType::vector(&[8, 128], F32)
}

const LOAD: TpuOp = TpuOp::RegisterLoad {
    masked: Mask::Unmasked,
};
const STORE: TpuOp = TpuOp::RegisterStore {
    masked: Mask::Unmasked,
};

/// A loop over registers of two inputs: the chain, and the sum of each register added to a second output.
fn elementwise() -> KernelBuilder {
    let dims: &[u64] = &[ROWS, 128];
    let mut b = builder("chain", &[(Role::Input, dims), (Role::Output, dims)]);
    let [low, high, by, zero] = [0, ROWS as i64, 8, 0].map(|i| index(&mut b, i));
    let i = b.begin_region(&[KernelType::Index])[0];
    let x = b.one(LOAD, &[b.operand_ref(0), i, zero], register());
    let mut y = x;
    for op in chain() {
        let all = if op.name() == "exponential" {
            vec![y]
        } else {
            vec![y, x]
        };
        y = b.one(TpuOp::Elementwise(op), &all, register());
    }
    let output = b.operand_ref(1);
    b.op(STORE, &[y, output, i, zero], &[], vec![]);
    let body = b.end_region(&[]);
    b.op(TpuOp::For, &[low, high, by], &[], vec![body]);
    b
}

/// Sums of the rows, register by register.
fn sums() -> KernelBuilder {
    let mut b = builder(
        "sums",
        &[(Role::Input, &[ROWS, 128]), (Role::Output, &[8, 128])],
    );
    let [low, high, by, zero] = [0, ROWS as i64, 8, 0].map(|i| index(&mut b, i));
    let start = Tensor::splat_f64(&[8, 128], &F32, 0.0);
    let start = b.one(
        TpuOp::Constant(Literal::from_tensor(&start)),
        &[],
        register(),
    );
    let a = b.begin_region(&[KernelType::Index, register()]);
    let x = b.one(LOAD, &[b.operand_ref(0), a[0], zero], register());
    let y = b.one(
        TpuOp::Elementwise(hlo::add::Add.into()),
        &[a[1], x],
        register(),
    );
    let body = b.end_region(&[y]);
    let all = b.op(
        TpuOp::For,
        &[low, high, by, start],
        &[register()],
        vec![body],
    )[0];
    let op = TpuOp::AllReduce {
        kind: CombiningKind::Add,
        dimension: 0,
    };
    let all = b.one(op, &[all], register());
    let output = b.operand_ref(1);
    b.op(STORE, &[all, output, zero, zero], &[], vec![]);
    b
}

/// A product of square matrices: per block of 128 columns and depth a rolled right side, per 8 rows a product.
fn product() -> KernelBuilder {
    let dims: &[u64] = &[SIZE, SIZE];
    let mut b = builder(
        "product",
        &[
            (Role::Input, dims),
            (Role::Input, dims),
            (Role::Output, dims),
        ],
    );
    let block = |n: u64| KernelType::vector(&[n, 128], F32);
    let zero = Tensor::splat_f64(&[128, 128], &F32, 0.0);
    for j in 0..SIZE / 128 {
        let mut right = vec![];
        for k in 0..SIZE / 128 {
            let at = index(&mut b, (j * 128) as i64);
            let mut all = vec![];
            for r in 0..16 {
                let row = index(&mut b, (k * 128 + r * 8) as i64);
                all.push(b.one(LOAD, &[b.operand_ref(1), row, at], register()));
            }
            right.push(b.one(TpuOp::RollVectors, &all, block(128)));
        }
        for i in 0..SIZE / 128 {
            let mut sum = b.one(
                TpuOp::Constant(Literal::from_tensor(&zero)),
                &[],
                block(128),
            );
            for (k, right) in (0i64..).zip(&right) {
                let mut all = vec![];
                for r in 0..16 {
                    let row = index(&mut b, (i * 128 + r * 8) as i64);
                    let at = index(&mut b, k * 128);
                    all.push(b.one(LOAD, &[b.operand_ref(0), row, at], register()));
                }
                let left = b.one(TpuOp::RollVectors, &all, block(128));
                let op = TpuOp::Matmul {
                    dimensions: MatmulDimensions::plain(),
                    precision: None,
                };
                sum = b.one(op, &[left, *right, sum], block(128));
            }
            let out = b.op(TpuOp::UnrollVectors, &[sum], &vec![register(); 16], vec![]);
            for (r, x) in (0..).zip(out) {
                let row = index(&mut b, (i * 128) as i64 + r * 8);
                let at = index(&mut b, (j * 128) as i64);
                let output = b.operand_ref(2);
                b.op(STORE, &[x, output, row, at], &[], vec![]);
            }
        }
    }
    b
}

fn input(dims: &[u64], argument: u64) -> Tensor {
    let n = dims.iter().product::<u64>();
    let all: Vec<f64> = (0..n)
        .map(|i| (i * 37 % 113) as f64 / 113.0 - 0.5)
        .collect();
    match with_ring(
        &Value::from(Tensor::from_f64s(dims, &F32, &all)),
        3,
        argument,
    ) {
        Value::Tensor(t) => t,
        other => panic!("{other:?}"),
    }
}

/// Shortest time of one call within `budget`.
fn best(budget: Duration, mut f: impl FnMut()) -> Duration {
    let start = Instant::now();
    let mut best = Duration::MAX;
    while start.elapsed() < budget {
        let one = Instant::now();
        f();
        best = best.min(one.elapsed());
    }
    best
}

fn main() {
    let seconds = std::env::args()
        .nth(1)
        .and_then(|s| s.parse().ok())
        .unwrap_or(1.0);
    let budget = Duration::from_secs_f64(seconds);
    let square = [SIZE, SIZE];
    let tall = [ROWS, 128];
    let kernels = [
        (
            "chain of 10 on 8192x128",
            elementwise(),
            vec![input(&tall, 0)],
        ),
        ("sum of 8192x128", sums(), vec![input(&tall, 0)]),
        (
            "product 512^3",
            product(),
            vec![input(&square, 0), input(&square, 1)],
        ),
    ];
    let limits = Limits::default();
    for (name, builder, arguments) in kernels {
        let kernel = Arc::new(builder.finish());
        print!("{name:24}");
        for planes in [Planes::IeeeOnly, Planes::IeeeAndRing] {
            let arguments: Vec<Tensor> = match planes {
                Planes::IeeeOnly => arguments
                    .iter()
                    .map(|t| t.clone().with_ring(None))
                    .collect(),
                Planes::IeeeAndRing => arguments.clone(),
            };
            let made = best(budget / 4, || {
                Plan::new(&kernel, planes).expect("a plan");
            });
            let plan = Plan::new(&kernel, planes).expect("a plan");
            for validity in [Validity::Ignored, Validity::Tracked] {
                let simulation = Simulation {
                    validity,
                    ..Simulation::default()
                };
                let time = best(budget, || {
                    let mut events = Events::default();
                    run(&plan, &arguments, planes, &simulation, &limits, &mut events)
                        .expect("runs");
                });
                print!("  {planes:?} {validity:?} {time:9.1?}");
            }
            print!("  (plan {made:.1?})");
        }
        println!();
    }
    // The definitions on whole tensors, for the chain.
    let x = Value::from(input(&tall, 0));
    let time = best(budget, || {
        let mut events = Events::default();
        let mut y = x.clone();
        for op in chain() {
            let mut cx = EvalContext {
                planes: Planes::IeeeAndRing,
                runner: &mut NoRegions,
                events: &mut events,
            };
            let all = if op.name() == "exponential" {
                vec![y]
            } else {
                vec![y, x.clone()]
            };
            let ty: Type = x.ty();
            y = op.eval(&all, &[ty], &mut cx).expect("evaluates").remove(0);
        }
    });
    println!("chain by the definitions, both planes: {time:.1?}");
}
