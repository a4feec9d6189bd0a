//! Tests of whole validations over programs built by hand.

use super::*;
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
        level: Level::Quick,
        seed: 1,
        given: None,
        limits: Limits::default(),
        progress: None,
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
