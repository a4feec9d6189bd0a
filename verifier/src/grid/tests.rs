//! The unrolled program against the runtime's grid, with a thread a process and the definition of each collective.

use super::*;
use crate::{
    inputs::{self, Class},
    level::Level,
    verdict::Verdict,
};
use tileproof_dialect::{
    import::stablehlo,
    numerics::{Contract, Numerics},
    planes::Planes,
    tensor::Value,
};
use tileproof_runtime::{
    engine::{End, Engine},
    inputs::all_with_ring,
    limits::Limits,
};

const SUM: &str = "({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  })";

/// A program of `replicas` x `partitions` processes whose main function has this body.
fn program(replicas: u32, partitions: u32, body: &str) -> Arc<Program> {
    let text = format!(
        "module @m attributes {{mhlo.num_replicas = {replicas} : i32, mhlo.num_partitions = {partitions} : i32}} {{ {} }}",
        body.replace("SUM", SUM)
    );
    Arc::new(stablehlo::parse(&text, "grid.mlir").unwrap_or_else(|e| panic!("{e}\n{text}")))
}

fn bodies() -> Vec<String> {
    let main = |ops: &str, result: &str| {
        format!(
            "func.func @main(%x: tensor<4x4xf32>) -> tensor<{result}xf32> {{ {ops}
  return %r : tensor<{result}xf32> }}"
        )
    };
    vec![
        main(
            r#"%r = "stablehlo.all_reduce"(%x) SUM {replica_groups = dense<[[0, 1], [3, 2]]> : tensor<2x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>"#,
            "4x4",
        ),
        main(
            r#"%r = "stablehlo.reduce_scatter"(%x) SUM {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>} : (tensor<4x4xf32>) -> tensor<4x2xf32>"#,
            "4x2",
        ),
        main(
            r#"%r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>} : (tensor<4x4xf32>) -> tensor<8x4xf32>"#,
            "8x4",
        ),
        main(
            r#"%r = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 2], [3, 1]]> : tensor<2x2xi64>} : (tensor<4x4xf32>) -> tensor<8x2xf32>"#,
            "8x2",
        ),
        main(
            r#"%r = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 2], [3, 0]]> : tensor<3x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>"#,
            "4x4",
        ),
        main(
            r#"%r = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>"#,
            "4x4",
        ),
        main(
            r#"%i = stablehlo.replica_id : tensor<ui32>
  %f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
  %r = stablehlo.multiply %x, %b : tensor<4x4xf32>"#,
            "4x4",
        ),
        // A loop that communicates, through a function.
        main(
            r#"%n = stablehlo.constant dense<3> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %k, %r = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4x4xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %z = func.call @shift(%y) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %w = stablehlo.add %z, %x : tensor<4x4xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<4x4xf32>
  }"#,
            "4x4",
        ) + r#" func.func private @shift(%y: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %z = "stablehlo.collective_permute"(%y) {source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %z : tensor<4x4xf32> }"#,
    ]
}

fn tensors(program: &Program, devices: &Devices, arguments: &[Vec<Value>]) -> Vec<Value> {
    let run = Engine::Reference.run(
        program,
        Planes::IeeeAndRing,
        devices,
        arguments,
        &Limits::default(),
    );
    let outcome = run.unwrap_or_else(|_| panic!("the run failed"));
    let mut out = vec![];
    for device in outcome.devices {
        match &device.runs[0].end {
            End::Returned { outputs, .. } => out.extend(outputs.clone()),
            End::Trapped(t) => panic!("{t}"),
            End::Failed(f) => panic!("{f}"),
        }
    }
    out
}

#[test]
fn the_unrolled_program_gives_what_the_grid_gives_in_both_planes() {
    let devices = Devices {
        replicas: 4,
        partitions: 1,
    };
    for body in bodies() {
        let one = program(4, 1, &body);
        let all = unrolled(&one, &devices).unwrap();
        let flat = all_with_ring(&inputs::generate(&all, Class::Normal, 7).unwrap(), 3);
        let each: Vec<Vec<Value>> = flat.chunks(flat.len() / 4).map(<[Value]>::to_vec).collect();
        let want = tensors(&one, &devices, &each);
        let got = tensors(&all, &Devices::default(), std::slice::from_ref(&flat));
        assert_eq!(want.len(), 4);
        let hashes = |v: &[Value]| v.iter().map(Value::content_hash).collect::<Vec<_>>();
        assert_eq!(hashes(&want), hashes(&got), "{body}");
    }
}

#[test]
fn a_wrong_pair_or_group_is_a_miscompile() {
    let options = Options {
        level: Level::Quick,
        seed: 1,
        given: None,
        known: None,
        limits: Limits::default(),
        progress: None,
        target: tileproof_lowering::target::DEFAULT,
    };
    for (k, (from, to)) in [
        (0, ("[[0, 1], [3, 2]]", "[[0, 2], [3, 1]]")),
        (2, ("[[0, 2], [3, 1]]", "[[2, 0], [3, 1]]")),
        (4, ("[1, 2], [3, 0]", "[1, 3], [3, 0]")),
        (6, ("stablehlo.replica_id", "stablehlo.partition_id")),
    ] {
        let body = &bodies()[k];
        let (a, b) = (program(4, 1, body), program(4, 1, &body.replace(from, to)));
        let verdict = |x: &Arc<Program>, y: &Arc<Program>| {
            validate::two(x, y, &Numerics::of(Contract::Reassociates), &options).map(|r| r.verdict)
        };
        assert_eq!(verdict(&a, &a).unwrap(), Verdict::Equal);
        assert_eq!(verdict(&a, &b).unwrap(), Verdict::Miscompile, "{from}");
    }
}

#[test]
fn processes_that_do_not_look_at_the_grid_are_one() {
    let p = program(
        4,
        2,
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }",
    );
    assert!(of(std::iter::once(p.as_ref())).is_none());
    assert!(Arc::ptr_eq(&p, &unrolled(&p, &devices(&p)).unwrap()));
}
