//! Tests of whole validations over programs built by hand.

use super::*;
use crate::verdict::Verdict;
use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    hlo,
    location::Location,
    numerics::Contract,
    op::Op,
    program::ValueId,
    types::{ElementType, Type},
};

type Build = fn(&mut ProgramBuilder, &[ValueId]) -> ValueId;

fn program(build: Build) -> Arc<Program> {
    let mut b = ProgramBuilder::new("t", Provenance::Number);
    let ty = Type::tensor([5, 7], ElementType::F32);
    let arguments = b.begin_function("main", &[ty.clone(), ty.clone(), ty], Location::default());
    let out = build(&mut b, &arguments);
    b.end_function(&[out], Location::default());
    Arc::new(b.finish().unwrap())
}

fn add(b: &mut ProgramBuilder, x: ValueId, y: ValueId) -> ValueId {
    b.infer(
        Op::Hlo(hlo::add::Add.into()),
        &[x, y],
        &[],
        vec![],
        Location::default(),
    )[0]
}

fn options() -> Options {
    Options {
        level: Level::Ordinary,
        seed: 1,
        given: None,
        known: None,
        limits: Limits::default(),
        progress: None,
        target: tileproof_lowering::target::DEFAULT,
    }
}

fn verdict(before: Build, after: Build, contract: Contract) -> Report {
    two(
        &program(before),
        &program(after),
        &Numerics::of(contract),
        &options(),
    )
    .unwrap()
}

#[test]
fn a_reassociated_sum_is_equal_under_its_contract_and_a_violation_of_bit_exact() {
    let left: Build = |b, x| {
        let s = add(b, x[0], x[1]);
        add(b, s, x[2])
    };
    let right: Build = |b, x| {
        let s = add(b, x[1], x[2]);
        add(b, x[0], s)
    };
    let report = verdict(left, right, Contract::Reassociates);
    assert_eq!(report.verdict, Verdict::Equal, "{report:?}");
    assert!(report.passes[0].regions > 0);
    assert_eq!(
        verdict(left, right, Contract::BitExact).verdict,
        Verdict::NumericsViolation
    );
}

#[test]
fn commuted_operands_are_bit_identical() {
    let report = verdict(
        |b, x| add(b, x[0], x[1]),
        |b, x| add(b, x[1], x[0]),
        Contract::BitExact,
    );
    assert_eq!(
        (report.verdict, report.passes[0].regions),
        (Verdict::Equal, 0)
    );
}

#[test]
fn a_wrong_operand_is_a_miscompile_with_its_element() {
    let report = verdict(
        |b, x| add(b, x[0], x[1]),
        |b, x| add(b, x[0], x[2]),
        Contract::Reassociates,
    );
    assert_eq!(report.verdict, Verdict::Miscompile);
    let found = &report.passes[0].findings[0];
    let output = found.output.as_ref().unwrap();
    assert_eq!(
        (output.index.as_slice(), output.differing),
        (&[0, 0][..], 35)
    );
    assert_ne!(output.want_bits, output.got_bits);
}

/// `main` sums the rows of f(x, y, z) in order of `body`, the text of `f`.
fn calls(body: &str, tail: &str) -> Arc<Program> {
    let text = format!(
        "func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>, %z: tensor<64xf32>) -> tensor<64xf32> {{
  %0 = call @f(%x, %y, %z) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  {tail}
  return %0 : tensor<64xf32>
}}
func.func private @f(%x: tensor<64xf32>, %y: tensor<64xf32>, %z: tensor<64xf32>) -> tensor<64xf32> {{
  {body}
  return %1 : tensor<64xf32>
}}"
    );
    Arc::new(tileproof_dialect::import::stablehlo::parse(&text, "calls.mlir").unwrap())
}

#[test]
fn a_bit_exact_pass_after_a_reassociated_callee_is_judged_on_what_that_callee_gives() {
    let left = "%0 = stablehlo.add %x, %y : tensor<64xf32>
  %1 = stablehlo.add %0, %z : tensor<64xf32>";
    let right = "%0 = stablehlo.add %y, %z : tensor<64xf32>
  %1 = stablehlo.add %x, %0 : tensor<64xf32>";
    let unused = "%2 = stablehlo.add %x, %x : tensor<64xf32>";
    let step = |pass: &str, program: Arc<Program>, contract: Contract| Step {
        pass: pass.to_string(),
        program,
        numerics: Numerics::of(contract),
        rewrites: vec![],
        origin: Origin::Pass,
    };
    let steps = [
        step("reorder", calls(right, unused), Contract::Reassociates),
        // Erases the unused op, and writes the sum of `f` with its operands exchanged: the same bits.
        step(
            "erase",
            calls(&right.replace("%x, %0", "%0, %x"), ""),
            Contract::BitExact,
        ),
    ];
    let report = pipeline(&calls(left, unused), &steps, &options()).unwrap();
    assert_eq!(report.verdict, Verdict::Equal, "{report:?}");
    assert!(report.passes[0].regions > 0);
}

/// Verdict of a change of `@main(%x: tensor<6xf32>) -> tensor<6xf32>` given by the lines that compute `%r`.
fn changed(before: &str, after: &str, contract: Contract, level: Level) -> Report {
    let parse = |lines: &str| {
        let text = format!(
            "func.func @main(%x: tensor<6xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {{\n{lines}\n  return %r : tensor<6xf32>\n}}"
        );
        Arc::new(tileproof_dialect::import::stablehlo::parse(&text, "t.mlir").expect(lines))
    };
    let options = Options { level, ..options() };
    two(
        &parse(before),
        &parse(after),
        &Numerics::of(contract),
        &options,
    )
    .unwrap()
}

fn scaled(literals: &[&str]) -> String {
    let mut out = String::new();
    for (i, literal) in literals.iter().enumerate() {
        let (from, to) = (
            if i == 0 {
                "%x".to_string()
            } else {
                format!("%{i}")
            },
            if i + 1 == literals.len() {
                "%r".to_string()
            } else {
                format!("%{}", i + 1)
            },
        );
        out += &format!(
            "  %c{i} = stablehlo.constant dense<{literal}> : tensor<6xf32>\n  {to} = stablehlo.multiply {from}, %c{i} : tensor<6xf32>\n"
        );
    }
    out
}

#[test]
fn merged_literals_are_explained_where_the_contract_merges_them() {
    // 0.044715f * 0.797884583f rounded to f32.
    let product = 0.044715f32 * 0.797_884_6f32;
    let (two, one) = (
        scaled(&["0.044715", "0.797884583"]),
        scaled(&[&format!("{product:?}")]),
    );
    let report = changed(&two, &one, Contract::Unknown, Level::Ordinary);
    assert_eq!(report.verdict, Verdict::Equal, "{report:?}");
    assert_eq!(report.passes[0].explained.len(), 1);
    for contract in [Contract::BitExact, Contract::Strict] {
        assert!(
            changed(&two, &one, contract, Level::Ordinary)
                .verdict
                .is_mismatch()
        );
    }
    let beside = f32::from_bits(product.to_bits() + 1);
    let report = changed(
        &two,
        &scaled(&[&format!("{beside:?}")]),
        Contract::Unknown,
        Level::Ordinary,
    );
    assert_ne!(report.verdict.exit_code(), 0, "{report:?}");
    assert_eq!(report.passes[0].unexplained.len(), 1);
}

#[test]
fn a_folded_tensor_is_what_it_was_computed_from() {
    let computed = "  %i = stablehlo.iota dim = 0 : tensor<6xf32>
  %c = stablehlo.constant dense<3.0> : tensor<6xf32>
  %q = stablehlo.divide %i, %c : tensor<6xf32>
  %r = stablehlo.multiply %x, %q : tensor<6xf32>";
    let third = |k: f32| format!("{:?}", k / 3.0);
    let list = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0].map(third).join(", ");
    let folded = format!(
        "  %q = stablehlo.constant dense<[{list}]> : tensor<6xf32>
  %r = stablehlo.multiply %x, %q : tensor<6xf32>"
    );
    for contract in [Contract::BitExact, Contract::Strict, Contract::Unknown] {
        let report = changed(computed, &folded, contract, Level::Ordinary);
        assert_eq!(report.verdict, Verdict::Equal, "{report:?}");
        let wrong = folded.replace(&third(4.0), &third(4.000_001));
        assert_ne!(wrong, folded);
    }
}

#[test]
fn a_product_of_exponentials_is_that_of_the_sum_and_another_function_is_not() {
    let there_and_back = "  %0 = stablehlo.exponential %x : tensor<6xf32>
  %1 = stablehlo.exponential %y : tensor<6xf32>
  %r = stablehlo.multiply %0, %1 : tensor<6xf32>";
    let sum = "  %0 = stablehlo.add %x, %y : tensor<6xf32>
  %r = stablehlo.exponential %0 : tensor<6xf32>";
    let report = changed(there_and_back, sum, Contract::Unknown, Level::Ordinary);
    assert_eq!(report.verdict, Verdict::Equal, "{report:?}");
    // Beyond the range of exp the identity does not hold.
    assert!(
        changed(there_and_back, sum, Contract::Unknown, Level::Full)
            .verdict
            .is_mismatch()
    );
    let other = sum.replace("stablehlo.exponential", "stablehlo.tanh");
    assert_eq!(
        changed(sum, &other, Contract::Unknown, Level::Ordinary).verdict,
        Verdict::Miscompile
    );
}

#[test]
fn a_dropped_rounding_is_benign_for_xla_alone() {
    let rounded = "  %0 = stablehlo.convert %x : (tensor<6xf32>) -> tensor<6xbf16>
  %r = stablehlo.convert %0 : (tensor<6xbf16>) -> tensor<6xf32>";
    let kept = "  %r = stablehlo.reshape %x : (tensor<6xf32>) -> tensor<6xf32>";
    let under = |contract| changed(rounded, kept, contract, Level::Ordinary).verdict;
    assert_eq!(
        under(Contract::Xla),
        Verdict::Benign {
            clause: "excess-precision".to_string()
        }
    );
    for contract in [Contract::Strict, Contract::Unknown, Contract::BitExact] {
        assert_eq!(under(contract), Verdict::NumericsViolation);
    }
}

#[test]
fn a_choice_that_rounding_may_flip_is_undetermined() {
    // x * 0.1 * 10 >= x hangs on roundings in every element: 0.1 is off by less than a unit in the last place.
    let choice = "  %t = stablehlo.constant dense<1.000000e-01> : tensor<6xf32>
  %n = stablehlo.constant dense<1.000000e+01> : tensor<6xf32>
  %p = stablehlo.multiply %x, %t : tensor<6xf32>
  %q = stablehlo.multiply %p, %n : tensor<6xf32>
  %c = stablehlo.compare GE, %q, %x : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  %r = stablehlo.select %c, %x, %y : tensor<6xi1>, tensor<6xf32>";
    let never = "  %f = stablehlo.constant dense<false> : tensor<6xi1>
  %r = stablehlo.select %f, %x, %y : tensor<6xi1>, tensor<6xf32>";
    let report = changed(choice, never, Contract::Unknown, Level::Ordinary);
    assert!(
        matches!(report.verdict, Verdict::Inconclusive { .. }),
        "{report:?}"
    );
    // Without the roundings the same choice is one.
    let plain = choice.replace("GE, %q, %x", "GE, %x, %x");
    assert_eq!(
        changed(&plain, never, Contract::Unknown, Level::Ordinary).verdict,
        Verdict::Miscompile
    );
}

#[test]
fn hostile_trip_counts_are_given_up_by_name() {
    let text = "func.func @main(%n: tensor<i32>) -> tensor<i32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.while(%i = %n) : tensor<i32>
  cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  return %0 : tensor<i32>
}";
    let program = Arc::new(tileproof_dialect::import::stablehlo::parse(text, "loop.mlir").unwrap());
    let options = Options {
        level: Level::Full,
        ..options()
    };
    let numerics = Numerics::of(Contract::BitExact);
    let report = two(&program, &program, &numerics, &options).unwrap();
    assert_eq!(report.verdict, Verdict::Equal, "{report:?}");
    assert!(!report.skipped.is_empty() && !report.runs.is_empty());
}

#[test]
fn a_folded_function_of_a_constant_is_no_finding_under_strict_and_a_merged_literal_is() {
    let computed = "  %c = stablehlo.constant dense<0.693147182> : tensor<6xf32>
  %two = stablehlo.constant dense<2.000000e+00> : tensor<6xf32>
  %log = stablehlo.log %two : tensor<6xf32>
  %p = stablehlo.multiply %c, %x : tensor<6xf32>
  %e = stablehlo.exponential %p : tensor<6xf32>
  %r = stablehlo.divide %e, %log : tensor<6xf32>";
    let folded = computed
        .replace("divide %e, %log", "divide %e, %c")
        .replace("  %log = stablehlo.log %two : tensor<6xf32>\n", "");
    let under = |after: &str| changed(computed, after, Contract::Strict, Level::Ordinary).verdict;
    assert_eq!(under(&folded), Verdict::Equal);
    let merged = folded.replace("divide %e, %c", "multiply %e, %i").replace(
        "  %p =",
        "  %i = stablehlo.constant dense<1.44269502> : tensor<6xf32>\n  %p =",
    );
    assert!(under(&merged).is_mismatch());
}

#[test]
fn a_loop_that_takes_many_times_the_steps_of_its_counterpart_never_ends() {
    let program = |by: i32| {
        let text = format!(
            "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4xf32>
    cond {{
      %n = stablehlo.constant dense<5> : tensor<i32>
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }} do {{
      %by = stablehlo.constant dense<{by}> : tensor<i32>
      %next = stablehlo.add %i, %by : tensor<i32>
      %b = stablehlo.add %a, %a : tensor<4xf32>
      stablehlo.return %next, %b : tensor<i32>, tensor<4xf32>
    }}
  return %0#1 : tensor<4xf32>
}}"
        );
        Arc::new(tileproof_dialect::import::stablehlo::parse(&text, "loop").unwrap())
    };
    let step = Step {
        pass: "p".to_string(),
        program: program(0),
        numerics: Numerics::bit_exact(),
        rewrites: vec![],
        origin: Origin::Pass,
    };
    let report = pipeline(&program(1), &[step], &options()).unwrap();
    assert_eq!(report.verdict, Verdict::Miscompile);
    let trap = report.passes[0].findings.iter().find(|f| f.op == "trap");
    let got = trap.and_then(|f| f.output.as_ref()).unwrap().got.clone();
    // 64 times the least that counts, not the steps that a run may take.
    assert!(got.contains("2048"), "{got}");
}
