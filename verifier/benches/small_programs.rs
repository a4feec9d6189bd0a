//! How many programs of 20 ops are checked in a second, on one core: all `hlo` passes, level quick.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::{hint::black_box, sync::Arc};
use tileproof_dialect::{import::stablehlo, stage::Stage};
use tileproof_lowering::{manager, pipeline};
use tileproof_runtime::limits::Limits;
use tileproof_verifier::{
    blame::Rewrite,
    step::{Origin, Step},
    validate::{self, Level},
    verdict::Verdict,
};

/// A layer and its softmax.
const LAYER: &str = r"
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %b: tensor<32xf32>, %v: tensor<32x10xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %count = stablehlo.constant dense<80.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<32xf32>) -> tensor<8x32xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x32xf32>
  %3 = stablehlo.tanh %2 : tensor<8x32xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<8x32xf32>, tensor<32x10xf32>) -> tensor<8x10xf32>
  %5 = stablehlo.reduce(%4 init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
  %6 = stablehlo.reshape %5 : (tensor<8xf32>) -> tensor<8x1xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
  %8 = stablehlo.subtract %4, %7 : tensor<8x10xf32>
  %9 = stablehlo.exponential %8 : tensor<8x10xf32>
  %10 = stablehlo.reduce(%9 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
  %11 = stablehlo.reshape %10 : (tensor<8xf32>) -> tensor<8x1xf32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
  %13 = stablehlo.divide %9, %12 : tensor<8x10xf32>
  %14 = stablehlo.reduce(%13 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<f32>
  %15 = stablehlo.divide %14, %count : tensor<f32>
  return %15 : tensor<f32>
}";

fn judged(step: manager::Step) -> Step {
    let rewrites = step.applied.iter().map(|a| Rewrite {
        id: a.id.clone(),
        number: a.number,
        replaced: a.replaced.clone(),
        numerics: Some(a.numerics.clone()),
    });
    Step {
        pass: step.pass.to_string(),
        rewrites: rewrites.collect(),
        program: step.program,
        numerics: step.numerics,
        origin: Origin::Pass,
    }
}

/// The text read, lowered to S2 and checked.
fn checked(text: &str) -> Verdict {
    let program = stablehlo::parse(text, "layer.mlir").expect("the program is right");
    let options = manager::Options::default();
    let passes = pipeline::up_to(Stage::S2);
    let steps = manager::run(&program, &passes, &options).expect("the passes run");
    let steps: Vec<Step> = steps.into_iter().map(judged).collect();
    let options = validate::Options {
        level: Level::Quick,
        seed: 1,
        given: None,
        known: None,
        limits: Limits::default(),
        progress: None,
        target: options.settings.target,
    };
    let report = validate::pipeline(&Arc::new(program), &steps, &options);
    report.expect("the check runs").verdict
}

fn small_programs(c: &mut Criterion) {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.expect("a thread");
    let mut group = c.benchmark_group("small programs");
    group.throughput(Throughput::Elements(1));
    group.bench_function("20 ops", |bench| {
        bench.iter(|| one.install(|| assert_eq!(checked(black_box(LAYER)), Verdict::Equal)));
    });
    group.finish();
}

criterion_group!(benches, small_programs);
criterion_main!(benches);
