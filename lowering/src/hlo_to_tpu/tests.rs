//! Grids and windows that come out for small programs, and what is left with which reason.

use super::PASS;
use crate::{
    manager::{self, Options, Step},
    settings::Settings,
};
use std::sync::Arc;
use tileproof_dialect::{
    import::stablehlo,
    tpu::{Kernel, Role, Semantics, TpuOp},
};

fn lowered(text: &str, block_bytes: u64) -> Step {
    let program = stablehlo::parse(text, "test").unwrap();
    let options = Options {
        settings: Settings {
            block_bytes,
            ..Settings::default()
        },
        ..Options::default()
    };
    manager::run(&program, &[&PASS], &options)
        .unwrap()
        .remove(0)
}

fn kernel(step: &Step) -> Arc<Kernel> {
    step.program.kernels[0].clone()
}

fn blocks(kernel: &Kernel, role: Role) -> Vec<Vec<u64>> {
    let windows = kernel
        .with_role(role)
        .filter_map(|(_, o)| o.window.as_ref());
    windows.map(|w| w.block.clone()).collect()
}

#[test]
fn blocks_are_halved_until_they_fit() {
    let text = "func.func @main(%a: tensor<1000x256xf32>) -> tensor<1000x256xf32> {
  %0 = stablehlo.abs %a : tensor<1000x256xf32>
  return %0 : tensor<1000x256xf32>
}";
    let k = kernel(&lowered(text, 512 << 10));
    // 1000 rows of 1 KiB: 500 rows, rounded up to whole tiles.
    assert_eq!(blocks(&k, Role::Input), [[504, 256]]);
    assert_eq!(blocks(&k, Role::Output), [[504, 256]]);
    assert_eq!(k.grid.iter().map(|g| g.size).collect::<Vec<_>>(), [2]);
    assert_eq!(kernel(&lowered(text, 4 << 20)).grid, []);
}

#[test]
fn contracting_dimensions_come_last_and_in_order() {
    let text = "func.func @main(%a: tensor<512x1024xf32>, %b: tensor<1024x512xf32>) -> tensor<512x512xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<512x1024xf32>, tensor<1024x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}";
    let k = kernel(&lowered(text, 256 << 10));
    let semantics: Vec<Semantics> = k.grid.iter().map(|g| g.semantics).collect();
    assert_eq!(
        semantics,
        [
            Semantics::Parallel,
            Semantics::Parallel,
            Semantics::Arbitrary
        ]
    );
    assert_eq!(k.with_role(Role::Scratch).count(), 1);
    let inputs = blocks(&k, Role::Input);
    assert_eq!(inputs[0][1], inputs[1][0]);
}

#[test]
fn rows_that_are_seen_again_stay_whole() {
    let text = "func.func @main(%a: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %0 = stablehlo.abs %a : tensor<64x512xf32>
  %1 = stablehlo.reverse %0, dims = [1] : tensor<64x512xf32>
  return %1 : tensor<64x512xf32>
}";
    let step = lowered(text, 4096);
    assert_eq!(blocks(&step.program.kernels[0], Role::Input), [[8, 128]]);
    assert_eq!(blocks(&step.program.kernels[1], Role::Input), [[8, 512]]);
}

#[test]
fn kernels_have_names_of_their_own() {
    let text = "func.func @main(%a: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  %0 = stablehlo.abs %a : tensor<8x16xf32>
  %1 = func.call @loop_1(%a) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = func.call @loop_3_transform_0(%a) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0, %1, %2 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}
func.func private @loop_1(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.negate %a : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
func.func private @loop_3_transform_0(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.ceil %a : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}";
    let step = lowered(text, 4 << 20);
    let names = step.program.kernels.iter().map(|k| k.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["loop_2", "loop_4", "loop_5"]);
}

#[test]
fn what_is_left_says_why() {
    let text = "func.func @main(%a: tensor<2x65536x512xf32>, %b: tensor<2xf64>, %c: tensor<0xf32>) -> (tensor<2x65536x512xf32>, tensor<2xf64>, tensor<0xf32>) {
  %0 = stablehlo.reverse %a, dims = [0, 1, 2] : tensor<2x65536x512xf32>
  %1 = stablehlo.abs %b : tensor<2xf64>
  %2 = stablehlo.abs %c : tensor<0xf32>
  return %0, %1, %2 : tensor<2x65536x512xf32>, tensor<2xf64>, tensor<0xf32>
}";
    let step = lowered(text, 4096);
    let reasons: Vec<(&str, &str)> = step
        .left
        .iter()
        .map(|l| (l.op.as_str(), l.reason.as_str()))
        .collect();
    assert_eq!(reasons.len(), 3, "{reasons:?}");
    assert!(
        reasons[0].1.contains("does not fit the VMEM of v5e"),
        "{reasons:?}"
    );
    assert!(reasons[0].1.contains("[2, 65536, 512]"), "{reasons:?}");
    assert!(reasons[1].1.contains("library call"), "{reasons:?}");
    assert!(reasons[2].1.contains("without elements"), "{reasons:?}");
    assert!(step.program.kernels.is_empty());
}

#[test]
fn numbers_end_where_they_are_told_to() {
    let text = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %a : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}";
    let program = stablehlo::parse(text, "test").unwrap();
    let options = Options::stopping(Some(1), None);
    let step = manager::run(&program, &[&PASS], &options)
        .unwrap()
        .remove(0);
    assert_eq!(step.program.kernels.len(), 1);
    assert_eq!(&*step.applied[0].id, "hlo-to-tpu:loop#1");
    let left = step
        .program
        .op_ids()
        .filter(|id| step.program.op(*id).op.name() == "hlo.negate");
    assert_eq!(left.count(), 1);
}

#[test]
fn a_large_table_stays_in_hbm() {
    let text = "func.func @main(%t: tensor<50000x768xf32>, %i: tensor<16x1xi32>) -> tensor<16x768xf32> {
  %0 = \"stablehlo.gather\"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 768>}> : (tensor<50000x768xf32>, tensor<16x1xi32>) -> tensor<16x768xf32>
  return %0 : tensor<16x768xf32>
}";
    let k = kernel(&lowered(text, 512 << 10));
    assert_eq!(k.with_role(Role::Prefetch).count(), 1);
    assert!(k.with_role(Role::Input).all(|(_, o)| o.window.is_none()));
    let mut copies = 0;
    k.walk(&mut |o| copies += u32::from(matches!(o.op, TpuOp::EnqueueDma { .. })));
    assert_eq!(copies, 1);
}
