//! Faults of real compilers at the levels fusion and layout, planted into what our passes made: each is found, at the right pass and op, and the same program
//! without it is not. Numbers are those of the collection of compiler faults the project measures with.

use std::sync::Arc;
use tileproof_dialect::{
    attribute::Attribute,
    hlo::{self, broadcast_in_dim::BroadcastInDim},
    import::stablehlo,
    op::Op,
    program::{OpId, Operation, Program, ValueId},
};
use tileproof_lowering::{manager, pipeline};
use tileproof_runtime::limits::Limits;
use tileproof_verifier::{
    blame::Rewrite,
    step::Origin,
    validate::{self, Level, Report},
    verdict::Verdict,
};

/// The steps of `passes` on `text`; the last one's program changed by `change` before it is judged.
fn run(text: &str, passes: &str, change: impl FnOnce(&Program) -> Program) -> Report {
    let source = Arc::new(stablehlo::parse(text, "fault").unwrap());
    let passes = pipeline::named(passes).unwrap();
    let mut steps = manager::run(&source, &passes, &manager::Options::default()).unwrap();
    let last = steps.last_mut().unwrap();
    last.program = Arc::new(change(&last.program));
    let judged: Vec<validate::Step> = steps
        .into_iter()
        .map(|step| {
            let rewrites = step.applied.iter().map(|a| Rewrite {
                id: a.id.clone(),
                number: a.number,
                replaced: a.replaced.clone(),
                numerics: Some(a.numerics.clone()),
            });
            validate::Step {
                pass: step.pass.to_string(),
                program: step.program.clone(),
                numerics: step.numerics.clone(),
                rewrites: rewrites.collect(),
                origin: Origin::Pass,
            }
        })
        .collect();
    let options = validate::Options {
        level: Level::Quick,
        seed: 1,
        given: None,
        known: None,
        limits: Limits::default(),
        progress: None,
        target: tileproof_lowering::target::DEFAULT,
    };
    validate::pipeline(&source, &judged, &options).unwrap()
}

/// The fault is found in the last pass, at an op of this name (or what begins so) that `rewrite` made; without it all is equal.
fn is_found(
    text: &str,
    passes: &str,
    rewrite: &str,
    op: &str,
    fault: impl FnOnce(&Program) -> Program,
) {
    let twin = run(text, passes, Clone::clone);
    assert_eq!(twin.verdict, Verdict::Equal, "{:#?}", twin.passes);
    let report = run(text, passes, fault);
    assert!(report.verdict.is_mismatch(), "{}", report.verdict);
    let last = report.passes.last().unwrap();
    assert!(
        last.verdict.is_mismatch(),
        "another pass is blamed: {:?}",
        report.passes
    );
    let found = last.findings.first().unwrap();
    assert!(found.op.starts_with(op), "{} is blamed, not {op}", found.op);
    assert!(
        found
            .rewrite
            .as_deref()
            .unwrap_or_default()
            .starts_with(rewrite),
        "{:?}",
        found.rewrite
    );
}

/// The ops `name` of the program, in program order, inner ones too.
fn ops(program: &Program, name: &str) -> Vec<OpId> {
    let all = program.ops_within(program.main().body);
    all.into_iter()
        .filter(|op| program.op(*op).op.name() == name)
        .collect()
}

fn changed(program: &Program, op: OpId, change: impl FnOnce(&mut Operation)) -> Program {
    program.modified(op, change).unwrap()
}

fn result(program: &Program, name: &str, index: usize) -> ValueId {
    program.op(ops(program, name)[index]).results[0]
}

const ROUNDED_MAXIMUM: &str = r#"func.func @main(%x: tensor<64xf32>) -> tensor<64xi1> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %y = stablehlo.multiply %x, %x : tensor<64xf32>
  %r = stablehlo.convert %y : (tensor<64xf32>) -> tensor<64xbf16>
  %s = stablehlo.convert %r : (tensor<64xbf16>) -> tensor<64xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<f32>) -> tensor<64xf32>
  %e = stablehlo.compare EQ, %s, %b : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xi1>
  return %e : tensor<64xi1>
}"#;

#[test]
fn f47_rounding_between_fused_ops_skipped_before_a_comparison() {
    is_found(
        ROUNDED_MAXIMUM,
        "hlo-fuse",
        "hlo-fuse:rows",
        "hlo.compare",
        |program| {
            let unrounded = result(program, "hlo.multiply", 0);
            changed(program, ops(program, "hlo.compare")[0], |o| {
                o.operands[0] = unrounded
            })
        },
    );
}

#[test]
fn f48_the_maximum_is_taken_in_another_precision() {
    is_found(
        ROUNDED_MAXIMUM,
        "hlo-fuse",
        "hlo-fuse:rows",
        "hlo.",
        |program| {
            let unrounded = result(program, "hlo.multiply", 0);
            changed(program, ops(program, "hlo.reduce")[0], |o| {
                o.operands[0] = unrounded
            })
        },
    );
}

#[test]
fn f41_start_indices_of_an_update_rotated() {
    let text = r#"func.func @main(%x: tensor<4x5x6xf32>, %u: tensor<1x2x3xf32>, %a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>) -> tensor<4x5x6xf32> {
  %v = stablehlo.negate %u : tensor<1x2x3xf32>
  %i = stablehlo.constant dense<3> : tensor<i32>
  %j = stablehlo.constant dense<1> : tensor<i32>
  %k = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %v, %i, %j, %k : (tensor<4x5x6xf32>, tensor<1x2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x5x6xf32>
  return %0 : tensor<4x5x6xf32>
}"#;
    is_found(
        text,
        "hlo-fuse",
        "hlo-fuse:in-place",
        "hlo.dynamic_update_slice",
        |program| {
            changed(program, ops(program, "hlo.dynamic_update_slice")[0], |o| {
                o.operands[2..].rotate_left(1)
            })
        },
    );
}

#[test]
fn f46_reducer_known_by_its_root_only() {
    let text = r#"func.func @main(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.sine %x : tensor<8x16xf32>
  %0 = stablehlo.reduce(%y init: %zero) across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %1 = stablehlo.abs %b : tensor<f32>
      %2 = stablehlo.add %a, %1 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
  return %0 : tensor<8xf32>
}"#;
    is_found(
        text,
        "hlo-fuse",
        "hlo-fuse:input",
        "hlo.reduce",
        |program| {
            let abs = ops(program, "hlo.abs")[0];
            let b = program.op(abs).operands[0];
            changed(program, ops(program, "hlo.add")[0], |o| o.operands[1] = b)
        },
    );
}

#[test]
fn f49_padding_written_over_the_interior() {
    let text = r#"func.func @main(%x: tensor<6xf32>, %p: tensor<f32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.pad %x, %p, low = [1], high = [1], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.multiply %0, %y : tensor<8xf32>
  return %1 : tensor<8xf32>
}"#;
    is_found(
        text,
        "hlo-fuse",
        "hlo-fuse:loop",
        "hlo.broadcast_in_dim",
        |program| {
            changed(program, ops(program, "hlo.pad")[0], |o| {
                o.op = hlo::Op::from(BroadcastInDim {
                    broadcast_dimensions: vec![],
                })
                .into();
                o.operands.remove(0);
            })
        },
    );
}

#[test]
fn f50_a_mask_broadcast_along_the_lanes_loaded_as_if_it_ran_along_them() {
    let text = r#"func.func @main(%m: tensor<8xi1>, %x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<2x4x8xf32>
  %0 = stablehlo.reshape %m : (tensor<8xi1>) -> tensor<2x4xi1>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x4xi1>) -> tensor<2x4x8xi1>
  %2 = stablehlo.select %1, %zero, %x : tensor<2x4x8xi1>, tensor<2x4x8xf32>
  return %2 : tensor<2x4x8xf32>
}"#;
    is_found(
        text,
        "hlo-fuse",
        "hlo-fuse:loop",
        "hlo.broadcast_in_dim",
        |program| {
            let m = program.op(ops(program, "hlo.reshape")[0]).operands[0];
            changed(program, ops(program, "hlo.broadcast_in_dim")[0], |o| {
                o.op = hlo::Op::from(BroadcastInDim {
                    broadcast_dimensions: vec![2],
                })
                .into();
                o.operands = vec![m];
            })
        },
    );
}

/// The list of aliases of the only op that has one becomes `pairs`.
fn aliased(program: &Program, pairs: &[i64]) -> Program {
    let name = tileproof_verifier::alias::ATTRIBUTE;
    let op = program
        .op_ids()
        .find(|op| program.op(*op).extra.get(name).is_some())
        .unwrap();
    changed(program, op, |o| {
        o.extra = o.extra.clone().with(name, Attribute::Ints(pairs.to_vec()))
    })
}

#[test]
fn f40_two_updates_of_one_fusion_share_a_buffer() {
    let text = r#"func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %x = stablehlo.cosine %a : tensor<8xf32>
  %y = stablehlo.sine %b : tensor<8xf32>
  %v = stablehlo.negate %u : tensor<2xf32>
  %0 = stablehlo.dynamic_update_slice %x, %v, %i : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  %1 = stablehlo.dynamic_update_slice %y, %v, %i : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}"#;
    is_found(
        text,
        "hlo-fuse,hlo-assign-layout",
        "hlo-assign-layout:alias",
        "hlo.fusion: results 0 and 1 take one buffer",
        |program| {
            let name = tileproof_verifier::alias::ATTRIBUTE;
            let op = program
                .op_ids()
                .find(|op| program.op(*op).extra.get(name).is_some())
                .unwrap();
            let Some(Attribute::Ints(pairs)) = program.op(op).extra.get(name) else {
                panic!("no pairs")
            };
            aliased(program, &[pairs[0], pairs[1], pairs[2], pairs[1]])
        },
    );
}

#[test]
fn f39_an_update_in_place_of_a_buffer_that_is_read_again() {
    let text = r#"func.func @main(%a: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %x = stablehlo.cosine %a : tensor<8xf32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  %1 = stablehlo.dynamic_update_slice %0, %u, %i : (tensor<8xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8xf32>
  return %1, %x : tensor<8xf32>, tensor<8xf32>
}"#;
    is_found(
        text,
        "hlo-assign-layout",
        "",
        "hlo.dynamic_update_slice: takes a buffer that hlo.return",
        |program| {
            let first = ops(program, "hlo.dynamic_update_slice")[0];
            let pairs = Attribute::Ints(vec![0, 0]);
            changed(program, first, |o| {
                o.extra = o
                    .extra
                    .clone()
                    .with(tileproof_verifier::alias::ATTRIBUTE, pairs);
            })
        },
    );
}

#[test]
fn f52_a_square_dot_reads_its_operand_in_the_other_order() {
    let text = r#"func.func @main(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = stablehlo.transpose %b, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.dot_general %a, %0, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}"#;
    is_found(
        text,
        "hlo-assign-layout",
        "hlo-assign-layout:copy-into-dot",
        "hlo.dot_general",
        |program| {
            let untransposed = program.region(program.main().body).arguments[1];
            changed(program, ops(program, "hlo.dot_general")[0], |o| {
                o.operands[1] = untransposed
            })
        },
    );
}

#[test]
fn a_fault_inside_a_row_kernel_is_named_by_its_op_there() {
    let text = r#"func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<16x16xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<16xf32>) -> tensor<16x16xf32>
  %3 = stablehlo.divide %0, %2 : tensor<16x16xf32>
  return %3 : tensor<16x16xf32>
}"#;
    is_found(
        text,
        "hlo-fuse",
        "hlo-fuse:rows",
        "hlo.broadcast_in_dim",
        |program| {
            changed(program, ops(program, "hlo.broadcast_in_dim")[0], |o| {
                o.op = Op::Hlo(
                    BroadcastInDim {
                        broadcast_dimensions: vec![1],
                    }
                    .into(),
                );
            })
        },
    );
}
