//! Right programs lowered to registers: nothing is found, and bounds decide every region.

use crate::{
    blame::Rewrite,
    step::{Origin, Step},
    validate::{self, Level, Report},
    verdict::Verdict,
};
use std::sync::Arc;
use tileproof_dialect::{import::stablehlo, stage::Stage};
use tileproof_lowering::{
    manager::{self, Options},
    pipeline, target,
};
use tileproof_runtime::limits::Limits;

fn checked(text: &str, level: Level) -> Report {
    let source = stablehlo::parse(text, "test").unwrap();
    let passes = pipeline::up_to(Stage::S5);
    let steps = manager::run(&source, &passes, &Options::default()).unwrap();
    let steps: Vec<Step> = steps
        .into_iter()
        .map(|s| Step {
            pass: s.pass.to_string(),
            program: s.program,
            numerics: s.numerics,
            rewrites: (s.applied.into_iter())
                .map(|a| Rewrite {
                    id: a.id,
                    number: a.number,
                    replaced: a.replaced,
                    numerics: Some(a.numerics),
                })
                .collect(),
            origin: Origin::Pass,
        })
        .collect();
    let options = validate::Options {
        level,
        seed: 1,
        given: None,
        known: None,
        limits: Limits::default(),
        progress: None,
        target: target::DEFAULT,
    };
    validate::pipeline(&Arc::new(source), &steps, &options).unwrap()
}

/// Equal, without a hazard, and no bound says nothing.
fn is_decided(text: &str) {
    let report = checked(text, Level::Quick);
    assert_eq!(report.verdict, Verdict::Equal, "{:#?}", report.passes);
    assert!(report.hazards.found.is_empty(), "{:#?}", report.hazards);
    let loose: Vec<_> = report.passes.iter().filter(|p| p.loose > 0).collect();
    assert!(loose.is_empty(), "{loose:#?}");
}

#[test]
fn a_result_that_is_rounded_to_another_type_is_no_other_precision_of_the_first() {
    is_decided(
        "func.func @main(%x: tensor<6x40xf32>) -> (tensor<6xf32>, tensor<6xbf16>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<6x40xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.convert %0 : (tensor<6xf32>) -> tensor<6xbf16>
  return %0, %1 : tensor<6xf32>, tensor<6xbf16>
}",
    );
}

#[test]
fn a_running_product_of_what_hangs_on_no_input_is_bounded() {
    is_decided(
        "func.func @main(%x: tensor<12xf32>) -> tensor<12xf32> {
  %i = stablehlo.iota dim = 0 : tensor<12xf32>
  %c = stablehlo.constant dense<3.000000e-03> : tensor<12xf32>
  %0 = stablehlo.multiply %i, %c : tensor<12xf32>
  %e = stablehlo.exponential %0 : tensor<12xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %1 = \"stablehlo.reduce_window\"(%e, %one) <{padding = dense<[[11, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 12>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %p : tensor<f32>
  }) : (tensor<12xf32>, tensor<f32>) -> tensor<12xf32>
  %2 = stablehlo.add %x, %1 : tensor<12xf32>
  return %2 : tensor<12xf32>
}",
    );
}

#[test]
fn running_sums_of_a_narrow_type_that_are_rounded_once_are_decided() {
    is_decided(
        "func.func @main(%x: tensor<2x48xbf16>) -> tensor<2x48xbf16> {
  %z = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = \"stablehlo.reduce_window\"(%x, %z) <{padding = dense<[[0, 0], [47, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 48>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<2x48xbf16>, tensor<bf16>) -> tensor<2x48xbf16>
  return %0 : tensor<2x48xbf16>
}",
    );
}

#[test]
fn products_with_copies_of_one_element_compare_alike() {
    // A mean that rounds; its product with y, and with y kept between bounds that most of y is within.
    is_decided(
        "func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
  %m = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<16xf32>
  %a = stablehlo.subtract %x, %m : tensor<16xf32>
  %low = stablehlo.constant dense<-0.7> : tensor<16xf32>
  %high = stablehlo.constant dense<0.7> : tensor<16xf32>
  %l = stablehlo.maximum %low, %y : tensor<16xf32>
  %c = stablehlo.minimum %high, %l : tensor<16xf32>
  %p = stablehlo.multiply %y, %a : tensor<16xf32>
  %q = stablehlo.multiply %c, %a : tensor<16xf32>
  %n = stablehlo.minimum %p, %q : tensor<16xf32>
  %e = stablehlo.compare EQ, %p, %n : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xi1>
  %r = stablehlo.select %e, %a, %y : tensor<16xi1>, tensor<16xf32>
  return %r : tensor<16xf32>
}",
    );
}

#[test]
fn what_cancels_is_decided_from_the_numbers_that_the_kernel_has_there() {
    // Weights that sum up to 1 but for their rounding, and a result that the other one starts from.
    is_decided(
        "func.func @main(%a: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %i = stablehlo.iota dim = 0 : tensor<40x32xf32>
  %c = stablehlo.constant dense<0.00128205121> : tensor<40x32xf32>
  %w = stablehlo.multiply %i, %c : tensor<40x32xf32>
  %b = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<32xf32>) -> tensor<40x32xf32>
  %p = stablehlo.multiply %w, %b : tensor<40x32xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0] : (tensor<40x32xf32>, tensor<f32>) -> tensor<32xf32>
  %d = stablehlo.subtract %a, %s : tensor<32xf32>
  %q = stablehlo.multiply %d, %d : tensor<32xf32>
  return %s, %q : tensor<32xf32>, tensor<32xf32>
}",
    );
}

#[test]
fn nan_sorted_by_what_is_no_order_comes_out_somehow() {
    let text = "func.func @main(%x: tensor<2x40xf32>) -> tensor<2x40xf32> {
  %0 = \"stablehlo.sort\"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<2x40xf32>) -> tensor<2x40xf32>
  return %0 : tensor<2x40xf32>
}";
    let report = checked(text, Level::Full);
    assert_ne!(report.exit_code(), 1, "{:#?}", report.passes);
    // In the total order NaN has its place.
    let report = checked(&text.replace("FLOAT", "TOTALORDER"), Level::Full);
    assert_eq!(report.verdict, Verdict::Equal, "{:#?}", report.passes);
}

#[test]
fn functions_named_as_kernels_are_no_kernels() {
    is_decided(
        "func.func @main(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = func.call @reduce_1(%x) : (tensor<4x8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<4xf32>, tensor<8xf32>
}
func.func private @reduce_1(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %0 = func.call @reduce_2_transform_0(%x) : (tensor<4x8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @reduce_2_transform_0(%x: tensor<4x8xf32>) -> tensor<8xf32> {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.multiply across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}",
    );
}
