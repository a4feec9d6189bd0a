//! A sum over rows by a kernel, ragged and masked, beside the `hlo` op it comes from: judged right, and its faults found.

use crate::{
    blame::Rewrite,
    finding,
    mutate::find,
    report,
    step::{Origin, Step},
    validate::{self, Level, Report},
    verdict::Verdict,
};
use std::sync::Arc;
use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    hlo::{
        self, add::Add, compare::Compare, compare::Direction, kernel_call::KernelCall,
        multiply::Multiply, select::Select,
    },
    import::stablehlo,
    literal::Literal,
    location::{Location, SourceOp},
    numerics::{Contract, Numerics},
    op::Op,
    program::Program,
    stage::Stage,
    tensor::Tensor,
    tpu::{
        CombiningKind, GridDimension, Kernel, KernelBuilder, KernelOperand, KernelType,
        KernelValue, MemRefType, MemorySpace, Role, Semantics, TpuOp, Window, op::Mask,
    },
    types::{ElementType, Type},
};
use tileproof_runtime::limits::Limits;

const ROWS: u64 = 13;

fn source() -> Program {
    let text = format!(
        "func.func @main(%x: tensor<{ROWS}x128xf32>) -> tensor<128xf32> {{
           %z = stablehlo.constant dense<0.0> : tensor<f32>
           %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<{ROWS}x128xf32>, tensor<f32>) -> tensor<128xf32>
           return %0 : tensor<128xf32>
         }}"
    );
    stablehlo::parse(&text, "sum").unwrap()
}

fn at(rewrite: &str) -> Location {
    Location {
        sources: [SourceOp(1)].into_iter().collect(),
        rewrite: Some(Arc::from(rewrite)),
        position: None,
    }
}

fn splat(k: &mut KernelBuilder, dims: &[u64], value: f64) -> KernelValue {
    let t = Tensor::splat_f64(dims, &ElementType::F32, value);
    k.one(
        TpuOp::Constant(Literal::from_tensor(&t)),
        &[],
        KernelType::vector(dims, ElementType::F32),
    )
}

fn scalar(k: &mut KernelBuilder, op: impl Into<hlo::Op>, operands: &[KernelValue]) -> KernelValue {
    k.one(TpuOp::Elementwise(op.into()), operands, KernelType::i32())
}

fn less(direction: Direction) -> TpuOp {
    let op = Compare {
        comparison_direction: direction,
        compare_type: None,
    };
    TpuOp::Elementwise(op.into())
}

/// Blocks of 8 rows; the rows behind the end are masked.
fn kernel() -> Kernel {
    let operand = |role, dims: &[u64], block: &[u64]| KernelOperand {
        role,
        buffer: MemRefType::new(dims, ElementType::F32, MemorySpace::Any),
        window: Some(Window::of(block)),
        alias: None,
        address: None,
    };
    let grid = GridDimension {
        size: 2,
        semantics: Semantics::Arbitrary,
    };
    let mut k = KernelBuilder::new(
        "sum",
        Stage::S3,
        vec![grid],
        vec![
            operand(Role::Input, &[ROWS, 128], &[8, 128]),
            operand(Role::Output, &[1, 128], &[1, 128]),
        ],
        at("hlo-to-tpu:reduce#1"),
    );
    k.index_map(0, |k, grid| vec![grid[0], k.i32(0)]);
    k.index_map(1, |k, _| vec![k.i32(0), k.i32(0)]);
    let (step, x, y) = (k.grid_index(0), k.operand_ref(0), k.operand_ref(1));
    let index = Tensor::from_i64s(&[], &ElementType::I64, &[0]);
    let index = k.one(
        TpuOp::Constant(Literal::from_tensor(&index)),
        &[],
        KernelType::Index,
    );
    let load = || TpuOp::Load {
        strides: None,
        masked: Mask::Unmasked,
    };
    let store = || TpuOp::Store {
        strides: None,
        masked: Mask::Unmasked,
    };
    let (block, row) = (
        KernelType::vector(&[8, 128], ElementType::F32),
        KernelType::vector(&[1, 128], ElementType::F32),
    );
    let (counts, mask) = (
        KernelType::vector(&[8, 128], ElementType::I32),
        KernelType::vector(&[8, 128], ElementType::I1),
    );
    let zero = k.i32(0);
    let first = k.one(
        less(Direction::Eq),
        &[step, zero],
        KernelType::Scalar(ElementType::I1),
    );
    k.begin_region(&[]);
    let nothing = splat(&mut k, &[1, 128], 0.0);
    k.op(store(), &[nothing, y, index, index], &[], vec![]);
    let then = k.end_region(&[]);
    k.begin_region(&[]);
    let otherwise = k.end_region(&[]);
    k.op(TpuOp::If, &[first], &[], vec![then, otherwise]);
    let rows = k.one(load(), &[x, index, index], block.clone());
    let eight = k.i32(8);
    let base = scalar(&mut k, Multiply, &[step, eight]);
    let base = k.one(TpuOp::Broadcast, &[base], counts.clone());
    let row_number = k.one(
        TpuOp::Iota {
            dimensions: vec![0],
        },
        &[],
        counts.clone(),
    );
    let row_number = k.one(
        TpuOp::Elementwise(Add.into()),
        &[row_number, base],
        counts.clone(),
    );
    let end = k.i32(ROWS as i64);
    let end = k.one(TpuOp::Broadcast, &[end], counts);
    let inside = k.one(less(Direction::Lt), &[row_number, end], mask);
    let padding = splat(&mut k, &[8, 128], 0.0);
    let kept = k.one(
        TpuOp::Elementwise(Select.into()),
        &[inside, rows, padding],
        block,
    );
    let start = splat(&mut k, &[128], 0.0);
    let sums = k.one(
        TpuOp::MultiReduction {
            kind: CombiningKind::Add,
            dims: vec![0],
        },
        &[kept, start],
        KernelType::vector(&[128], ElementType::F32),
    );
    let sums = k.one(TpuOp::ShapeCast, &[sums], row.clone());
    let so_far = k.one(load(), &[y, index, index], row.clone());
    let next = k.one(TpuOp::Elementwise(Add.into()), &[so_far, sums], row);
    k.op(store(), &[next, y, index, index], &[], vec![]);
    k.finish()
}

/// The program that calls the kernel.
fn lowered() -> Program {
    let mut b = ProgramBuilder::new("sum", Provenance::Keep);
    let x = Type::tensor([ROWS, 128], ElementType::F32);
    let y = Type::tensor([128], ElementType::F32);
    let arguments = b.begin_function("main", &[x], Location::default());
    let call = KernelCall {
        kernel: "sum".to_string(),
    };
    let location = at("hlo-to-tpu:reduce#1");
    b.program_mut().kernels.push(Arc::new(kernel()));
    let results = b.op(Op::Hlo(call.into()), &arguments, &[y], vec![], location);
    b.end_function(&results, Location::default());
    b.finish().unwrap()
}

fn checked(program: Program, level: Level) -> Report {
    let source = Arc::new(source());
    let step = Step {
        pass: "hlo-to-tpu".to_string(),
        program: Arc::new(program),
        numerics: Numerics::of(Contract::Reassociates),
        rewrites: vec![Rewrite {
            id: Arc::from("hlo-to-tpu:reduce#1"),
            number: 1,
            replaced: vec![SourceOp(1)],
            numerics: None,
        }],
        origin: Origin::Pass,
    };
    validate::pipeline(&source, &[step], &options(level)).unwrap()
}

fn options(level: Level) -> validate::Options {
    validate::Options {
        level,
        seed: 1,
        given: None,
        known: None,
        limits: Limits::default(),
        progress: None,
        target: tileproof_lowering::target::DEFAULT,
    }
}

#[test]
fn the_kernel_is_equal_within_the_bound_of_the_op_and_has_no_hazard() {
    for level in [Level::Quick, Level::Full] {
        let report = checked(lowered(), level);
        assert_eq!(report.verdict, Verdict::Equal, "{:#?}", report.passes);
        assert!(report.hazards.found.is_empty(), "{:#?}", report.hazards);
        assert_eq!(report.hazards.kernels, 1);
        assert!(report.hazards.unknown.is_empty());
        assert_eq!(report.passes[0].loose, 0);
    }
}

/// Every mutant that these mutators make of the program is a mismatch or a hazard, of the kernel.
fn kills(mutators: &[&str]) {
    mutators.iter().for_each(|name| is_killed(name));
}

fn is_killed(mutator: &str) {
    let program = lowered();
    let mutator = find(mutator).unwrap();
    let mut seen = std::collections::HashSet::new();
    for id in program.op_ids() {
        for seed in 0..8 {
            let Some(mutant) = (mutator.mutate)(&program, id, seed) else {
                continue;
            };
            if !seen.insert(mutant.structural_hash()) {
                continue;
            }
            let report = checked(mutant, Level::Full);
            assert_eq!(report.exit_code(), 1, "{} seed {seed}", mutator.name);
            for f in &report.passes[0].findings {
                let by = f.rewrite.as_deref();
                assert!(f.op == "trap" || by == Some("hlo-to-tpu:reduce#1"), "{f:?}");
            }
            for f in &report.hazards.found {
                assert_eq!(f.fault.kernel(), "sum");
                assert_eq!(f.rewrite.as_deref(), Some("hlo-to-tpu:reduce#1"));
            }
        }
    }
    assert!(!seen.is_empty(), "{} applies nowhere", mutator.name);
}

#[test]
fn faults_of_the_mask_are_found() {
    kills(&["mask-limit", "mask-dropped", "padding-value", "iota-axis"]);
}

#[test]
fn faults_of_the_accumulation_are_found() {
    kills(&[
        "accumulation-dropped",
        "accumulation-doubled",
        "accumulator-reset",
        "accumulator-stale",
        "accumulate-in-bf16",
        "combining-kind",
    ]);
}

#[test]
fn faults_of_windows_and_stores_are_found() {
    kills(&[
        "window-constant",
        "window-shifted",
        "grid-tail",
        "store-dropped",
        "load-index",
        "store-index",
        "condition-negated",
        "vector-constant",
    ]);
}

#[test]
fn a_hazard_is_told_with_kernel_op_origin_chain_and_command() {
    let program = lowered();
    let mutator = find("mask-dropped").unwrap();
    let wrong = program
        .op_ids()
        .find_map(|id| (mutator.mutate)(&program, id, 0))
        .unwrap();
    let report = checked(wrong, Level::Quick);
    let all = finding::hazards(&report, 7, |seed| {
        format!("tileproof check x --seed {seed}")
    });
    let [one] = &all[..] else {
        panic!("{all:#?}");
    };
    let text = serde_json::to_string(one).unwrap();
    assert_eq!(&finding::load(&text).unwrap(), one);
    let hazard = one.hazard.as_ref().unwrap();
    assert_eq!(
        (hazard.kind.as_str(), hazard.kernel.as_str()),
        ("InvalidUse", "sum")
    );
    assert_eq!(
        (hazard.stage.as_str(), &hazard.source_ops[..]),
        ("S3", &[1][..])
    );
    assert!(!hazard.chain.is_empty());
    let shown = report::text::finding(one);
    for word in [
        "@sum",
        "padding",
        "S3",
        "tileproof check x --seed 1",
        "hlo-to-tpu:reduce#1",
    ] {
        assert!(shown.contains(word), "{word} is not in:\n{shown}");
    }
    let shown = report::text::table(&report);
    assert!(
        shown.contains("hazards: 1 in 1 distinct kernels of S3"),
        "{shown}"
    );
}

#[test]
fn the_op_inside_the_kernel_is_named() {
    let program = lowered();
    let mutator = find("load-index").unwrap();
    let mutant = program
        .op_ids()
        .find_map(|id| (mutator.mutate)(&program, id, 3))
        .unwrap();
    let step = Step {
        pass: "tpu-pipeline-windows".to_string(),
        program: Arc::new(mutant),
        numerics: Numerics::bit_exact(),
        rewrites: vec![],
        origin: Origin::Pass,
    };
    let report = validate::pipeline(&Arc::new(program), &[step], &options(Level::Quick)).unwrap();
    let found = &report.passes[0].findings[0];
    let inside = found.inside.as_ref().unwrap();
    // FIXME(blame): the fault is in tpu.vector_load; rows read twice have residues of their own only once they are added up.
    assert_eq!((inside.kernel.as_str(), inside.op.as_str()), ("sum", "add"));
}
