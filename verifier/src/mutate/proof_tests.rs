//! Proofs against runs: no mutant that is proven equal gives other results; and one of each rule.

use super::{super::MUTATORS, *};
use crate::{compare::bits::first_difference, inputs};
use std::path::Path;
use tileproof_dialect::{eval::Events, import::stablehlo, mlir, planes::Planes};
use tileproof_runtime::{limits::Limits, reference::Interpreter};

/// The proof for the mutants of one mutator, in order of the ops.
fn proofs(text: &str, mutator: &str) -> Vec<Option<Proof>> {
    let program = match text.contains("stablehlo.") {
        true => stablehlo::parse(text, "test").unwrap(),
        false => mlir::text::parse(text, "test").unwrap(),
    };
    let mutator = super::super::find(mutator).unwrap();
    let mutants = program.op_ids();
    let mutants = mutants.filter_map(|id| (mutator.mutate)(&program, id, 0));
    mutants.map(|mutant| same(&program, &mutant)).collect()
}

fn function(arguments: &str, body: &str, result: &str) -> String {
    format!("module {{ func.func @main({arguments}) -> {result} {{ {body} }} }}")
}

#[test]
fn a_quotient_by_a_power_of_two_is_a_product() {
    let by = |number: &str| {
        let text = function(
            "%x: tensor<3xf32>",
            &format!(
                "%c = hlo.constant dense<{number}> : tensor<3xf32> %0 = hlo.divide %x, %c : tensor<3xf32> func.return %0 : tensor<3xf32>"
            ),
            "tensor<3xf32>",
        );
        proofs(&text, "reciprocal")
    };
    assert_eq!(by("8.0"), [Some(Proof::Form)]);
    assert_eq!(by("6.0"), [None]);
}

#[test]
fn an_order_of_floats_that_differs_nowhere_is_one() {
    let of = |made: &str| {
        let text = function(
            "%x: tensor<3xf32>, %y: tensor<3xf32>",
            &format!(
                "%a = {made} %b = hlo.iota {{iota_dimension = 0 : i64}} : tensor<3xf32> %0 = hlo.compare %a, %b {{comparison_direction = \"LT\"}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1> func.return %0 : tensor<3xi1>"
            ),
            "tensor<3xi1>",
        );
        proofs(&text, "compare-order")
    };
    // From integers: no NaN, no -0.
    let integer = "hlo.iota {iota_dimension = 0 : i64} : tensor<3xf32>";
    assert_eq!(of(integer), [Some(Proof::Form)]);
    assert_eq!(of("hlo.add %x, %y : tensor<3xf32>"), [None]);
}

#[test]
fn a_function_of_a_bf16_is_tried_on_all_of_them() {
    // floor(x) and its mutant differ at fractions alone; of |x| as an integer they do not.
    let of = |made: &str| {
        let text = function(
            "%x: tensor<3xbf16>",
            &format!(
                "{made} %1 = hlo.floor %0 : tensor<3xf32> %2 = hlo.abs %1 : tensor<3xf32> func.return %2 : tensor<3xf32>"
            ),
            "tensor<3xf32>",
        );
        proofs(&text, "rounding-mode")
    };
    let wide = "%0 = hlo.convert %x : (tensor<3xbf16>) -> tensor<3xf32>";
    assert_eq!(of(wide), [None]);
    let whole = "%n = hlo.convert %x : (tensor<3xbf16>) -> tensor<3xi8> %0 = hlo.convert %n : (tensor<3xi8>) -> tensor<3xf32>";
    assert_eq!(of(whole), [Some(Proof::AllNumbers)]);
}

#[test]
fn a_function_of_an_f32_is_proven_interval_by_interval() {
    // 0 - c / x^2 is 0 or -0 where x is large, and is lost beside 1; beside nothing it is not.
    let of = |rest: &str| {
        let text = function(
            "%x: tensor<3xf32>",
            &format!(
                "%c = hlo.constant dense<1.0> : tensor<3xf32> %z = hlo.constant dense<0.0> : tensor<3xf32> %0 = hlo.multiply %x, %x : tensor<3xf32> %1 = hlo.divide %c, %0 : tensor<3xf32> %2 = hlo.subtract %z, %1 : tensor<3xf32> {rest}"
            ),
            "tensor<3xf32>",
        );
        proofs(&text, "negative-zero-lost")
    };
    let lost = of("%3 = hlo.add %c, %2 : tensor<3xf32> func.return %3 : tensor<3xf32>");
    assert_eq!(lost, [Some(Proof::AllNumbers)]);
    assert_eq!(of("func.return %2 : tensor<3xf32>"), [None]);
}

#[test]
fn the_ends_of_a_bisection_stay_in_order() {
    // low + (high - low) / 2 as integers without sign: the difference of no two ends wraps.
    let text = "func.func @main(%x: tensor<i1>) -> tensor<ui32> {
  %a = stablehlo.constant dense<0> : tensor<ui32>
  %b = stablehlo.constant dense<9> : tensor<ui32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %n, %low = %a, %high = %b) : tensor<i32>, tensor<ui32>, tensor<ui32>
  cond {
    %most = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<ui32>
    %1 = stablehlo.subtract %high, %low : tensor<ui32>
    %2 = stablehlo.divide %1, %two : tensor<ui32>
    %3 = stablehlo.add %low, %2 : tensor<ui32>
    %4 = stablehlo.select %x, %low, %3 : tensor<i1>, tensor<ui32>
    %5 = stablehlo.select %x, %3, %high : tensor<i1>, tensor<ui32>
    %6 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %6, %4, %5 : tensor<i32>, tensor<ui32>, tensor<ui32>
  }
  return %0#2 : tensor<ui32>
}";
    assert_eq!(proofs(text, "carry-lost"), [Some(Proof::AllNumbers)]);
}

#[test]
fn what_is_proven_equal_is_equal_in_runs() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs");
    let mut proven = 0;
    for name in ["dtypes", "indexing", "linear_algebra", "special_functions"] {
        let text = std::fs::read_to_string(programs.join(format!("{name}.mlir"))).unwrap();
        let program = stablehlo::parse(&text, name).unwrap();
        for (k, mutator) in MUTATORS.iter().enumerate() {
            // A few places of each, spread over the program.
            let places = program.op_ids().skip(k % 7).step_by(7);
            let mut mutants = places.filter_map(|id| (mutator.mutate)(&program, id, k as u64));
            for mutant in mutants.by_ref().take(2) {
                if same(&program, &mutant).is_none() {
                    continue;
                }
                proven += 1;
                for class in inputs::Class::ALL {
                    let arguments = inputs::generate(&program, class, 5).unwrap();
                    let limits = Limits::default();
                    let run = |p: &Program| {
                        let interpreter = Interpreter::new(p, Planes::IeeeOnly, &limits);
                        interpreter.run(arguments.clone(), &mut Events::default())
                    };
                    let (Ok(want), Ok(got)) = (run(&program), run(&mutant)) else {
                        continue;
                    };
                    let difference = first_difference(&want, &got);
                    assert!(
                        difference.is_none(),
                        "{name}: {}: {difference:?}",
                        mutator.name
                    );
                }
            }
        }
    }
    assert!(proven > 10, "{proven}");
}
