//! docs/ring.md from both sides: two programs that an identity of its first table makes equal are `Equal`, and a third, one slip away, is not; programs that
//! an identity of its second table makes equal are left to IEEE.

use super::*;
use crate::verdict::Verdict;
use tileproof_dialect::{
    mlir,
    numerics::{Contract, Identity},
};

/// `main(x, y)` of tensors of 64 numbers: lines `r = op a b`, or `c = 2.5`; the last line is the result.
fn program(lines: &str) -> Arc<Program> {
    const TY: &str = "tensor<64xf32>";
    let mut text = format!("func.func @main(%x: {TY}, %y: {TY}) -> {TY} {{\n");
    let mut last = "x";
    for line in lines.split("; ") {
        let (name, value) = line.split_once(" = ").expect("a line is `name = value`");
        let mut words = value.split(' ');
        let op = words.next().unwrap_or_default();
        let operands: Vec<String> = words.map(|w| format!("%{w}")).collect();
        text += &match op.parse::<f64>() {
            Ok(x) => format!("  %{name} = hlo.constant dense<{x:?}> : {TY}\n"),
            Err(_) => format!(
                "  %{name} = \"hlo.{op}\"({}) : ({}) -> {TY}\n",
                operands.join(", "),
                vec![TY; operands.len()].join(", ")
            ),
        };
        last = name;
    }
    text += &format!("  return %{last} : {TY}\n}}\n");
    Arc::new(mlir::text::parse(&text, "identity").unwrap())
}

fn verdict(before: &str, after: &str, numerics: &Numerics) -> Report {
    let options = Options {
        level: Level::Ordinary,
        seed: 1,
        given: None,
        known: None,
        limits: Limits::default(),
        progress: None,
        target: tileproof_lowering::target::DEFAULT,
    };
    two(&program(before), &program(after), numerics, &options).unwrap()
}

/// Two sides of an identity, and a slip in the second. sinh, cosh, acos and erfc are not among them: where one program alone names them, they are written out
/// as XLA does first.
const KEPT: &[[&str; 3]] = &[
    [
        "a = add x y; r = multiply a a",
        "a = multiply x x; b = multiply x y; c = multiply y y; d = add b b; e = add a d; r = add e c",
        "a = multiply x x; b = multiply x y; c = multiply y y; e = add a b; r = add e c",
    ],
    [
        "n = negate x; r = exponential n",
        "o = 1; e = exponential x; r = divide o e",
        "o = 1; e = exponential y; r = divide o e",
    ],
    [
        "r = exponential_minus_one x",
        "o = 1; e = exponential x; r = subtract e o",
        "o = 1; e = exponential x; r = subtract o e",
    ],
    [
        "r = logistic x",
        "o = 1; n = negate x; e = exponential n; s = add o e; r = divide o s",
        "o = 1; e = exponential x; s = add o e; r = divide o s",
    ],
    [
        "r = tanh x",
        "d = add x x; l = logistic d; m = add l l; o = 1; r = subtract m o",
        "l = logistic x; m = add l l; o = 1; r = subtract m o",
    ],
    [
        "n = negate x; r = logistic n",
        "o = 1; l = logistic x; r = subtract o l",
        "o = 1; l = logistic y; r = subtract o l",
    ],
    [
        "o = 1; i = divide o x; r = log i",
        "l = log x; r = negate l",
        "r = log x",
    ],
    [
        "e = exponential x; r = log e",
        "n = negate x; r = negate n",
        "r = negate x",
    ],
    [
        "r = log_plus_one x",
        "o = 1; s = add o x; r = log s",
        "o = 1; s = subtract x o; r = log s",
    ],
    [
        "r = atanh x",
        "h = 0.5; n = negate x; a = log_plus_one x; b = log_plus_one n; d = subtract a b; r = multiply h d",
        "h = 0.5; n = negate x; a = log_plus_one x; b = log_plus_one n; d = add a b; r = multiply h d",
    ],
    [
        "m = abs x; n = abs y; p = multiply m n; r = sqrt p",
        "m = abs x; n = abs y; a = sqrt m; b = sqrt n; r = multiply a b",
        "m = abs x; n = abs y; a = sqrt m; b = sqrt n; r = divide a b",
    ],
    [
        "r = rsqrt x",
        "o = 1; s = sqrt x; r = divide o s",
        "o = 2; s = sqrt x; r = divide o s",
    ],
    [
        "p = 3; r = power x p",
        "a = multiply x x; r = multiply a x",
        "a = multiply x x; r = multiply a a",
    ],
    [
        "p = -1; r = power x p",
        "o = 1; r = divide o x",
        "o = 1; r = multiply o x",
    ],
    [
        "p = 1.5; r = power x p",
        "s = sqrt x; r = multiply s x",
        "s = sqrt x; r = divide s x",
    ],
    [
        "n = negate y; r = power x n",
        "o = 1; p = power x y; r = divide o p",
        "o = 1; p = power y x; r = divide o p",
    ],
    [
        "n = negate x; r = sine n",
        "s = sine x; r = negate s",
        "r = sine x",
    ],
    [
        "n = negate x; r = cosine n",
        "r = cosine x",
        "c = cosine x; r = negate c",
    ],
    [
        "r = tan x",
        "s = sine x; c = cosine x; r = divide s c",
        "s = sine x; c = cosine x; r = divide c s",
    ],
    [
        "n = negate x; r = atan2 n y",
        "a = atan2 x y; r = negate a",
        "r = atan2 x y",
    ],
    ["r = atan x", "o = 1; r = atan2 x o", "o = 1; r = atan2 o x"],
    [
        "r = asin x",
        "o = 1; q = multiply x x; d = subtract o q; s = sqrt d; t = add o s; a = atan2 x t; r = add a a",
        "o = 1; q = multiply x x; d = subtract o q; s = sqrt d; a = atan2 x s; r = add a a",
    ],
    [
        "n = negate x; r = erf n",
        "e = erf x; r = negate e",
        "r = erf x",
    ],
    [
        "n = negate x; r = asinh n",
        "e = asinh x; r = negate e",
        "r = asinh x",
    ],
    [
        "n = negate x; r = cbrt n",
        "e = cbrt x; r = negate e",
        "r = cbrt x",
    ],
    [
        "n = negate x; r = erf_inv n",
        "e = erf_inv x; r = negate e",
        "r = erf_inv x",
    ],
    [
        "n = negate x; r = bessel_i1e n",
        "e = bessel_i1e x; r = negate e",
        "r = bessel_i1e x",
    ],
    ["r = maximum x y", "r = maximum y x", "r = minimum y x"],
    [
        "a = abs x; r = maximum a y",
        "n = negate x; a = maximum x n; r = maximum y a",
        "r = maximum x y",
    ],
];

/// Kept up to turns: equal where both sides are compared, though residues differ.
const UP_TO_TURNS: &[[&str; 3]] = &[
    [
        "s = add x y; r = exponential s",
        "a = exponential x; b = exponential y; r = multiply a b",
        "a = exponential x; b = exponential y; r = divide a b",
    ],
    [
        "v = abs x; w = abs y; p = multiply v w; r = log p",
        "v = abs x; w = abs y; a = log v; b = log w; r = add a b",
        "v = abs x; w = abs y; a = log v; b = log w; r = subtract a b",
    ],
];

/// Two sides of an identity that the ring does not keep, on numbers where both are numbers.
const LOST: &[([&str; 2], Identity)] = &[
    (
        ["s = sqrt x; r = multiply s s", "n = negate x; r = negate n"],
        Identity::SqrtSquare,
    ),
    (
        ["s = rsqrt x; r = multiply s x", "r = sqrt x"],
        Identity::SqrtSquare,
    ),
    (
        [
            "o = 1; s = sine x; c = cosine x; a = multiply s s; b = multiply c c; d = add a b; r = multiply d o",
            "o = 1; z = subtract x x; r = add z o",
        ],
        Identity::Trig,
    ),
    (
        [
            "r = power x y",
            "l = log x; m = multiply y l; r = exponential m",
        ],
        Identity::Pow,
    ),
    (
        [
            "p = multiply x y; r = cbrt p",
            "a = cbrt x; b = cbrt y; r = multiply a b",
        ],
        Identity::Pow,
    ),
];

#[test]
fn kept_identities_are_equal_and_slips_are_not() {
    let unknown = Numerics::of(Contract::Unknown);
    let mut wrong = vec![];
    let whole = KEPT.iter().map(|k| (k, 1.0));
    for ([before, after, slip], least) in whole.chain(UP_TO_TURNS.iter().map(|k| (k, 0.0))) {
        let report = verdict(before, after, &unknown);
        if report.verdict != Verdict::Equal || report.ring_decided() < least {
            wrong.push(format!("kept: {before} | {after}: {}", report.verdict));
        }
        let report = verdict(before, slip, &unknown);
        if !report.verdict.is_mismatch() {
            wrong.push(format!("slip: {before} | {slip}: {}", report.verdict));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lost_identities_are_left_to_ieee_where_they_are_declared_and_differ_where_not() {
    let mut wrong = vec![];
    for ([before, after], identity) in LOST {
        let mut declared = Numerics::of(Contract::Reassociates);
        declared.identities.push(*identity);
        let undeclared = Numerics::of(Contract::Reassociates);
        let report = verdict(before, after, &declared);
        if report.verdict == Verdict::Equal || report.verdict.is_mismatch() {
            wrong.push(format!("declared: {before} | {after}: {}", report.verdict));
        }
        let report = verdict(before, after, &undeclared);
        if !report.verdict.is_mismatch() {
            wrong.push(format!(
                "undeclared: {before} | {after}: {}",
                report.verdict
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
