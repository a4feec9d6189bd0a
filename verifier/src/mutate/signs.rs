//! Which signs, zeros and NaN a float value can hold, whatever the program's inputs are: an abstract run over classes of numbers.
//!
//! Proves: no element is of a class that is left out, in the arithmetic of the definitions (sums start from their initial value). Cannot: follow values through
//! loops, calls and functions it does not know, of which it says that they may be anything.

use super::look;
use std::collections::HashMap;
use tileproof_dialect::{
    hlo,
    op::{Kind, Op},
    program::{OpId, Operation, Program, ValueId},
    types::Class,
};

/// A set of classes of floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signs(u8);

/// Below zero, -0, +0, above zero (infinities with their sign), NaN.
const NEGATIVE: Signs = Signs(1);
const NEGATIVE_ZERO: Signs = Signs(2);
const ZERO: Signs = Signs(4);
const POSITIVE: Signs = Signs(8);
const NAN: Signs = Signs(16);
const SINGLE: [Signs; 5] = [NEGATIVE, NEGATIVE_ZERO, ZERO, POSITIVE, NAN];
pub const ANY: Signs = Signs(31);

/// Most ops a value is followed through.
const MOST_DEPTH: u32 = 64;

impl Signs {
    pub fn has(self, x: f64) -> bool {
        self.0 & Signs::of(x).0 != 0
    }

    fn of(x: f64) -> Signs {
        match (x.is_nan(), x == 0.0, x.is_sign_negative()) {
            (true, _, _) => NAN,
            (_, true, true) => NEGATIVE_ZERO,
            (_, true, false) => ZERO,
            (_, false, true) => NEGATIVE,
            (_, false, false) => POSITIVE,
        }
    }

    fn or(self, other: Signs) -> Signs {
        Signs(self.0 | other.0)
    }

    fn each(self) -> impl Iterator<Item = Signs> {
        SINGLE.into_iter().filter(move |s| s.0 & self.0 != 0)
    }

    fn map(self, f: impl Fn(Signs) -> Signs) -> Signs {
        self.each().map(f).fold(Signs(0), Signs::or)
    }

    fn with(self, other: Signs, f: impl Fn(Signs, Signs) -> Signs) -> Signs {
        self.map(|a| other.map(|b| f(a, b)))
    }

    fn negated(self) -> Signs {
        self.map(|s| match s {
            NEGATIVE => POSITIVE,
            NEGATIVE_ZERO => ZERO,
            ZERO => NEGATIVE_ZERO,
            POSITIVE => NEGATIVE,
            other => other,
        })
    }

    /// A sum is -0 where both terms are, and +0 where they cancel; infinities of both signs give NaN.
    fn plus(self, other: Signs) -> Signs {
        self.with(other, |a, b| match (a, b) {
            (NAN, _) | (_, NAN) => NAN,
            (NEGATIVE_ZERO, x) | (x, NEGATIVE_ZERO) => x,
            (ZERO, x) | (x, ZERO) => x,
            (POSITIVE, POSITIVE) => POSITIVE,
            (NEGATIVE, NEGATIVE) => NEGATIVE,
            (_, _) => NEGATIVE.or(ZERO).or(POSITIVE).or(NAN),
        })
    }

    /// A product may underflow; zero times infinity is NaN.
    fn times(self, other: Signs) -> Signs {
        self.with(other, |a, b| {
            let negative = |s| matches!(s, NEGATIVE | NEGATIVE_ZERO);
            let zero = |s| matches!(s, ZERO | NEGATIVE_ZERO);
            let sign = |s: Signs| {
                if negative(a) != negative(b) {
                    s.negated()
                } else {
                    s
                }
            };
            match (a, b) {
                (NAN, _) | (_, NAN) => NAN,
                (_, _) if zero(a) && zero(b) => sign(ZERO),
                (_, _) if zero(a) || zero(b) => sign(ZERO).or(NAN),
                (_, _) => sign(POSITIVE).or(sign(ZERO)),
            }
        })
    }

    /// One over a number: infinity may stand on either side.
    fn inverse(self) -> Signs {
        self.map(|s| match s {
            NEGATIVE => NEGATIVE.or(NEGATIVE_ZERO),
            NEGATIVE_ZERO => NEGATIVE,
            ZERO => POSITIVE,
            POSITIVE => POSITIVE.or(ZERO),
            other => other,
        })
    }

    fn larger(self, other: Signs) -> Signs {
        self.with(other, |a, b| match (a, b) {
            (NAN, _) | (_, NAN) => NAN,
            (a, b) if a.0 > b.0 => a,
            (_, b) => b,
        })
    }

    /// What repeating `step` from `start` may give, at least once.
    fn folded(start: Signs, step: impl Fn(Signs) -> Signs) -> Signs {
        let mut all = step(start);
        loop {
            let next = all.or(step(all));
            if next == all {
                return all;
            }
            all = next;
        }
    }
}

/// What the elements of `v` may be.
pub fn of(program: &Program, v: ValueId) -> Signs {
    Follow {
        program,
        known: HashMap::new(),
    }
    .value(v, 0)
}

struct Follow<'p> {
    program: &'p Program,
    known: HashMap<ValueId, Signs>,
}

impl Follow<'_> {
    fn value(&mut self, v: ValueId, depth: u32) -> Signs {
        if let Some(known) = self.known.get(&v) {
            return *known;
        }
        let found = match look::definition(self.program, v) {
            Some(id) if depth < MOST_DEPTH => self.op(id, depth + 1),
            Some(_) | None => ANY,
        };
        self.known.insert(v, found);
        found
    }

    fn op(&mut self, id: OpId, depth: u32) -> Signs {
        let program = self.program;
        let o = program.op(id);
        let is_float = |v: &ValueId| look::is_float(program, *v);
        if o.results.len() != 1 || !o.results.iter().all(is_float) {
            return ANY;
        }
        let Op::Hlo(op) = &o.op;
        let mut operand = |i: usize| match o.operands.get(i) {
            Some(v) => self.value(*v, depth),
            None => ANY,
        };
        match op {
            hlo::Op::Constant(c) => {
                let all = c.value.to_tensor();
                all.to_f64s()
                    .iter()
                    .map(|x| Signs::of(*x))
                    .fold(Signs(0), Signs::or)
            }
            hlo::Op::Exponential(_) | hlo::Op::Logistic(_) => {
                let nan = operand(0).map(|s| if s == NAN { NAN } else { Signs(0) });
                POSITIVE.or(ZERO).or(nan)
            }
            hlo::Op::Abs(_) => operand(0).map(|s| match s {
                NEGATIVE => POSITIVE,
                NEGATIVE_ZERO => ZERO,
                other => other,
            }),
            hlo::Op::Negate(_) => operand(0).negated(),
            hlo::Op::Sqrt(_) => operand(0).map(|s| if s == NEGATIVE { NAN } else { s }),
            hlo::Op::Rsqrt(_) => operand(0).map(|s| match s {
                NEGATIVE => NAN,
                NEGATIVE_ZERO => NEGATIVE,
                ZERO => POSITIVE,
                POSITIVE => POSITIVE.or(ZERO),
                other => other,
            }),
            hlo::Op::Add(_) => operand(0).plus(operand(1)),
            hlo::Op::Subtract(_) => operand(0).plus(operand(1).negated()),
            hlo::Op::Multiply(_) if o.operands.first() == o.operands.get(1) => {
                operand(0).map(|s| s.times(s))
            }
            hlo::Op::Square(_) => operand(0).map(|s| s.times(s)),
            hlo::Op::Multiply(_) => operand(0).times(operand(1)),
            hlo::Op::Divide(_) => operand(0).times(operand(1).inverse()),
            hlo::Op::Maximum(_) => operand(0).larger(operand(1)),
            hlo::Op::Minimum(_) => {
                let larger = operand(0).negated().larger(operand(1).negated());
                larger.negated()
            }
            hlo::Op::Select(_) => operand(1).or(operand(2)),
            hlo::Op::Clamp(_) => operand(0).or(operand(1)).or(operand(2)),
            hlo::Op::Convert(_) => match o
                .operands
                .first()
                .and_then(|v| look::element(program, *v))
                .map(|e| e.class())
            {
                // Small numbers may become zero.
                Some(Class::Float) => operand(0).map(|s| match s {
                    NEGATIVE => NEGATIVE.or(NEGATIVE_ZERO),
                    POSITIVE => POSITIVE.or(ZERO),
                    other => other,
                }),
                Some(Class::Boolean | Class::Unsigned) => ZERO.or(POSITIVE),
                Some(Class::Signed) => NEGATIVE.or(ZERO).or(POSITIVE),
                Some(Class::Complex | Class::Quantized) | None => ANY,
            },
            hlo::Op::Concatenate(_) => {
                let n = o.operands.len();
                (0..n).map(operand).fold(Signs(0), Signs::or)
            }
            hlo::Op::Pad(_) => operand(0).or(operand(1)),
            hlo::Op::BroadcastInDim(_)
            | hlo::Op::Reshape(_)
            | hlo::Op::Transpose(_)
            | hlo::Op::Slice(_)
            | hlo::Op::Reverse(_)
            | hlo::Op::DynamicSlice(_) => operand(0),
            // Sums start from 0.
            hlo::Op::DotGeneral(_) => {
                let product = operand(0).times(operand(1));
                ZERO.or(Signs::folded(ZERO, |s| s.plus(product)))
            }
            hlo::Op::Reduce(_) if o.operands.len() == 2 => {
                let (x, start) = (operand(0), operand(1));
                match body(program, o) {
                    Some("add") => start.or(Signs::folded(start, |s| s.plus(x))),
                    Some("maximum") => start.or(Signs::folded(start, |s| s.larger(x))),
                    Some(_) | None => ANY,
                }
            }
            _ => ANY,
        }
    }
}

/// The only op of a reduction's body.
fn body(program: &Program, o: &Operation) -> Option<&'static str> {
    let ops = &program.region(*o.regions.first()?).ops;
    let [only, _] = ops[..] else {
        return None;
    };
    (program.op(only).op.kind() != Kind::Movement).then(|| look::name(program, only))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::import::stablehlo;

    fn signs(body: &str) -> Signs {
        let result = body.rsplit(" : ").next().unwrap_or_default();
        let text = format!(
            "func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> {result} {{\n  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n{body}\n}}"
        );
        let program = stablehlo::parse(&text, "t").unwrap();
        of(&program, program.returned(program.main().body)[0])
    }

    #[test]
    fn a_sum_of_exponentials_is_not_below_zero_and_a_sum_is_no_negative_zero() {
        let sum = signs(
            "  %e = stablehlo.exponential %x : tensor<4x8xf32>\n  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>\n  return %s : tensor<4xf32>",
        );
        assert!(
            !sum.has(-1.0) && !sum.has(-0.0) && sum.has(0.0) && sum.has(2.0) && sum.has(f64::NAN)
        );
        let any = signs(
            "  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>\n  return %s : tensor<4xf32>",
        );
        assert!(any.has(-1.0) && !any.has(-0.0));
        let product = signs(
            "  %s = stablehlo.multiply %x, %y : tensor<4x8xf32>\n  return %s : tensor<4x8xf32>",
        );
        assert_eq!(product, ANY);
        let square = signs(
            "  %s = stablehlo.multiply %x, %x : tensor<4x8xf32>\n  return %s : tensor<4x8xf32>",
        );
        assert!(!square.has(-0.0) && !square.has(-1.0));
    }

    /// Every pair of numbers of a few of each class gives what the rules allow.
    #[test]
    fn the_rules_hold_for_numbers() {
        let all = [
            -f64::INFINITY,
            -1e300,
            -1.5,
            -1e-300,
            -0.0,
            0.0,
            1e-300,
            1.5,
            1e300,
            f64::INFINITY,
            f64::NAN,
        ];
        for a in all {
            for b in all {
                let (x, y) = (Signs::of(a), Signs::of(b));
                assert!(x.plus(y).has(a + b), "{a} + {b}");
                assert!(x.times(y).has(a * b), "{a} * {b}");
                assert!(x.times(y.inverse()).has(a / b), "{a} / {b}");
            }
        }
    }
}
