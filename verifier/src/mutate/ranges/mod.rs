//! Which numbers every value of a program may hold, whatever its inputs are: an abstract run over [`number::Range`].
//!
//! Proves: no element is a number that is left out, in the arithmetic of the definitions (sums start from their initial value). Cannot: tell elements of a
//! tensor apart, see how values hang together, or know functions it has no rule for, of which it says that they may be anything.

mod control;
mod number;
mod states;

pub use control::{branch, turned};
pub use number::{Floats, Range, absorbs};

use super::look;
use number::Underflow;
use tileproof_dialect::{
    hlo::{self, compare::Direction},
    op::Op,
    program::{OpId, Program, ValueId},
    types::{Class, ElementType},
};

/// What the values of a program may be.
pub struct Ranges {
    known: Vec<Option<Range>>,
}

impl Ranges {
    /// Of arguments that may be anything.
    pub fn all(program: &Program) -> Ranges {
        let arguments = &program.region(program.main().body).arguments;
        let arguments: Vec<Range> = arguments.iter().map(|v| full(program, *v)).collect();
        Ranges::from(program, &arguments)
    }

    /// Of arguments of the entry function that lie in these.
    pub fn from(program: &Program, arguments: &[Range]) -> Ranges {
        let mut out = Ranges {
            known: vec![None; program.value_count()],
        };
        for function in &program.functions {
            let is_entry = function.body == program.main().body;
            for (i, v) in program.region(function.body).arguments.iter().enumerate() {
                let given = arguments.get(i).copied().filter(|_| is_entry);
                out.set(*v, given.unwrap_or_else(|| full(program, *v)));
            }
            control::region(&mut out, program, function.body);
        }
        out
    }

    pub fn get(&self, program: &Program, v: ValueId) -> Range {
        self.known[v.index()].unwrap_or_else(|| full(program, v))
    }

    fn set(&mut self, v: ValueId, range: Range) {
        self.known[v.index()] = Some(range);
    }
}

/// All numbers of the type of a value.
fn full(program: &Program, v: ValueId) -> Range {
    look::element(program, v).map_or(Range::Any, |e| Range::full(&e))
}

/// The results of an op without regions.
fn plain(ranges: &Ranges, program: &Program, id: OpId) -> Range {
    let o = program.op(id);
    let Some(element) = o.results.first().and_then(|v| look::element(program, *v)) else {
        return Range::Any;
    };
    let Op::Hlo(op) = &o.op;
    let operand = |i: usize| match o.operands.get(i) {
        Some(v) => ranges.get(program, *v),
        None => Range::Any,
    };
    let found = moved(op, &operand, o.operands.len()).or_else(|| match element.class() {
        Class::Boolean => boolean(op, &operand),
        Class::Signed | Class::Unsigned => integer(program, id, op, &operand),
        Class::Float => float(program, id, &element, op, &operand).map(Range::Float),
        Class::Complex | Class::Quantized => None,
    });
    match (found, Range::full(&element)) {
        // Sums and products beyond the type wrap.
        (
            Some(Range::Integer { low, high }),
            all @ Range::Integer {
                low: min,
                high: max,
            },
        ) if low < min || high > max || low > high => all,
        (Some(found), _) => found,
        (None, all) => all,
    }
}

/// Ops whose results are elements of their operands.
fn moved(op: &hlo::Op, operand: &dyn Fn(usize) -> Range, n: usize) -> Option<Range> {
    match op {
        hlo::Op::BroadcastInDim(_)
        | hlo::Op::Broadcast(_)
        | hlo::Op::Reshape(_)
        | hlo::Op::Transpose(_)
        | hlo::Op::Slice(_)
        | hlo::Op::Reverse(_)
        | hlo::Op::DynamicSlice(_)
        | hlo::Op::Gather(_)
        | hlo::Op::Copy(_) => Some(operand(0)),
        hlo::Op::Pad(_) | hlo::Op::DynamicUpdateSlice(_) => Some(operand(0).or(operand(1))),
        hlo::Op::Concatenate(_) => (0..n).map(operand).reduce(Range::or),
        hlo::Op::Select(_) => Some(match operand(0) {
            Range::Integer { low: 1, .. } => operand(1),
            Range::Integer { high: 0, .. } => operand(2),
            Range::Integer { .. } | Range::Float(_) | Range::Any => operand(1).or(operand(2)),
        }),
        _ => None,
    }
}

fn boolean(op: &hlo::Op, operand: &dyn Fn(usize) -> Range) -> Option<Range> {
    let truth = |x: bool| Range::Integer {
        low: i128::from(x),
        high: i128::from(x),
    };
    match op {
        hlo::Op::Constant(c) => constant(&c.value.to_tensor()),
        hlo::Op::Compare(c) => decided(c.comparison_direction, operand(0), operand(1)).map(truth),
        hlo::Op::And(_) => bits(operand(0), operand(1), |a, b| a & b),
        hlo::Op::Or(_) => bits(operand(0), operand(1), |a, b| a | b),
        hlo::Op::Not(_) => match operand(0) {
            Range::Integer { low, high } => Some(Range::Integer {
                low: 1 - high,
                high: 1 - low,
            }),
            Range::Float(_) | Range::Any => None,
        },
        _ => None,
    }
}

/// A function of two booleans that grows in both.
fn bits(a: Range, b: Range, f: impl Fn(i128, i128) -> i128) -> Option<Range> {
    match (a, b) {
        (Range::Integer { low: a, high: b }, Range::Integer { low: c, high: d }) => {
            Some(Range::Integer {
                low: f(a, c),
                high: f(b, d),
            })
        }
        (_, _) => None,
    }
}

/// What a comparison gives for all numbers of the operands, if it is one thing.
pub fn decided(direction: Direction, a: Range, b: Range) -> Option<bool> {
    let ends = |r: Range| match r {
        Range::Integer { low, high } => Some((low as f64, high as f64)),
        Range::Float(f) if !f.nan => Some(f.hull()).filter(|(low, high)| low <= high),
        Range::Float(_) | Range::Any => None,
    };
    let is_float = matches!(a, Range::Float(_));
    let ((a, b), (c, d)) = (ends(a)?, ends(b)?);
    let (below, above) = (b < c, a > d);
    // Numbers that meet in one: large integers are not told apart here, and zeros of either sign may be in order.
    let told = |x: f64| x.abs() < 1e15 && !(is_float && x == 0.0);
    let (not_below, not_above) = (a >= d && told(a), b <= c && told(b));
    match direction {
        Direction::Lt if below => Some(true),
        Direction::Lt if above || not_below => Some(false),
        Direction::Ge if above || not_below => Some(true),
        Direction::Ge if below => Some(false),
        Direction::Gt if above => Some(true),
        Direction::Gt if below || not_above => Some(false),
        Direction::Le if below || not_above => Some(true),
        Direction::Le if above => Some(false),
        Direction::Eq if below || above => Some(false),
        Direction::Ne if below || above => Some(true),
        Direction::Lt
        | Direction::Le
        | Direction::Gt
        | Direction::Ge
        | Direction::Eq
        | Direction::Ne => None,
    }
}

/// The elements of a literal.
fn constant(all: &tileproof_dialect::tensor::Tensor) -> Option<Range> {
    match all.element().class() {
        Class::Boolean | Class::Signed | Class::Unsigned => {
            let values = all.to_i64s();
            let one = |x: &i64| Range::Integer {
                low: i128::from(*x),
                high: i128::from(*x),
            };
            // Numbers of 64 bits without sign may lie beyond.
            let told = *all.element() != ElementType::U64 || values.iter().all(|x| *x >= 0);
            values.iter().map(one).reduce(Range::or).filter(|_| told)
        }
        Class::Float => {
            let values = all.to_f64s();
            let each = values.iter().map(|x| Floats::of(*x));
            Some(Range::Float(each.fold(Floats::NONE, Floats::or)))
        }
        Class::Complex | Class::Quantized => None,
    }
}

fn integer(
    program: &Program,
    id: OpId,
    op: &hlo::Op,
    operand: &dyn Fn(usize) -> Range,
) -> Option<Range> {
    let pair = |i: usize| match operand(i) {
        Range::Integer { low, high } => Some((low, high)),
        Range::Float(_) | Range::Any => None,
    };
    let (low, high) = match op {
        hlo::Op::Constant(c) => return constant(&c.value.to_tensor()),
        hlo::Op::Iota(iota) => {
            let dims = look::dims(program, *program.op(id).results.first()?)?;
            let n = *dims.get(usize::try_from(iota.iota_dimension).ok()?)?;
            (0, i128::from(n.max(1)) - 1)
        }
        hlo::Op::Add(_) => {
            let ((a, b), (c, d)) = (pair(0)?, pair(1)?);
            (a + c, b + d)
        }
        hlo::Op::Subtract(_) => {
            let ((a, b), (c, d)) = (pair(0)?, pair(1)?);
            (a - d, b - c)
        }
        hlo::Op::Multiply(_) => {
            let ((a, b), (c, d)) = (pair(0)?, pair(1)?);
            let all = [
                a.checked_mul(c)?,
                a.checked_mul(d)?,
                b.checked_mul(c)?,
                b.checked_mul(d)?,
            ];
            (*all.iter().min()?, *all.iter().max()?)
        }
        // Towards zero, by a number above it.
        hlo::Op::Divide(_) => match (pair(0)?, pair(1)?) {
            ((a, b), (c, d)) if c > 0 => ((a / c).min(a / d), (b / c).max(b / d)),
            (_, _) => return None,
        },
        hlo::Op::Remainder(_) => {
            let ((a, b), (c, d)) = (pair(0)?, pair(1)?);
            if c <= 0 && d >= 0 {
                return None;
            }
            let most = c.abs().max(d.abs()) - 1;
            (a.max(-most).min(0), b.min(most).max(0))
        }
        hlo::Op::Maximum(_) => {
            let ((a, b), (c, d)) = (pair(0)?, pair(1)?);
            (a.max(c), b.max(d))
        }
        hlo::Op::Minimum(_) => {
            let ((a, b), (c, d)) = (pair(0)?, pair(1)?);
            (a.min(c), b.min(d))
        }
        hlo::Op::Clamp(_) => {
            let ((min, most), (a, b), (least, max)) = (pair(0)?, pair(1)?, pair(2)?);
            (a.max(min).min(least), b.max(most).min(max))
        }
        hlo::Op::And(_) => match (pair(0)?, pair(1)?) {
            ((a, b), (c, d)) if a >= 0 && c >= 0 => (0, b.min(d)),
            ((a, b), _) if a >= 0 => (0, b),
            (_, (c, d)) if c >= 0 => (0, d),
            (_, _) => return None,
        },
        hlo::Op::Negate(_) => {
            let (a, b) = pair(0)?;
            (-b, -a)
        }
        hlo::Op::Abs(_) => {
            let (a, b) = pair(0)?;
            let least = if a <= 0 && b >= 0 {
                0
            } else {
                a.abs().min(b.abs())
            };
            (least, a.abs().max(b.abs()))
        }
        hlo::Op::Sign(_) => {
            let (a, b) = pair(0)?;
            (a.signum(), b.signum())
        }
        // What does not fit wraps, as sums do; floats saturate.
        hlo::Op::Convert(_) => pair(0)?,
        _ => return None,
    };
    Some(Range::Integer { low, high })
}

fn float(
    program: &Program,
    id: OpId,
    element: &ElementType,
    op: &hlo::Op,
    operand: &dyn Fn(usize) -> Range,
) -> Option<Floats> {
    let o = program.op(id);
    let x = |i: usize| match operand(i) {
        Range::Float(x) => Some(x),
        Range::Integer { .. } | Range::Any => None,
    };
    let is_square = o.operands.len() == 2 && o.operands[0] == o.operands[1];
    let positive = |low: f64, high: f64, zero: bool, nan: bool| Floats {
        low,
        high,
        zero,
        minus_zero: false,
        nan,
    };
    Some(match op {
        hlo::Op::Constant(c) => match constant(&c.value.to_tensor())? {
            Range::Float(all) => all,
            Range::Integer { .. } | Range::Any => return None,
        },
        hlo::Op::Iota(iota) => {
            let dims = look::dims(program, *o.results.first()?)?;
            let n = *dims.get(usize::try_from(iota.iota_dimension).ok()?)?;
            Floats {
                minus_zero: false,
                ..Floats::between(0.0, n as f64).rounded(element, Underflow::Never)
            }
        }
        hlo::Op::Exponential(_) => {
            let x = x(0)?;
            let (low, high) = x.hull();
            let low = if low < -80.0 { 0.0 } else { low.exp() };
            positive(low, high.exp(), low == 0.0, x.nan).rounded(element, Underflow::Possible)
        }
        // Rising, and of the sign of the operand.
        hlo::Op::LogPlusOne(_) => {
            let x = x(0)?;
            if x.low <= -1.0 {
                return None;
            }
            x.through(f64::ln_1p).rounded(element, Underflow::Possible)
        }
        hlo::Op::Log(_) => {
            let x = x(0)?;
            if x.below() || x.has_zero() || x.low > x.high {
                return None;
            }
            let logarithms = positive(x.low.ln(), x.high.ln(), true, x.nan);
            logarithms.rounded(element, Underflow::Never)
        }
        hlo::Op::Logistic(_) => {
            let x = x(0)?;
            positive(0.0, 1.0, true, x.nan)
        }
        hlo::Op::Tanh(_) => {
            let y = x(0)?.through(f64::tanh);
            y.rounded(element, Underflow::Possible).limited(-1.0, 1.0)
        }
        hlo::Op::Sine(_) | hlo::Op::Cosine(_) => Floats {
            nan: true,
            ..Floats::between(-1.0, 1.0)
        },
        hlo::Op::Abs(_) => x(0)?.abs(),
        hlo::Op::Negate(_) => x(0)?.negated(),
        hlo::Op::Sqrt(_) => {
            let x = x(0)?;
            let (low, high) = (x.low.max(0.0), x.high);
            let root = Floats {
                low: low.sqrt(),
                high: if x.above() {
                    high.sqrt()
                } else {
                    f64::NEG_INFINITY
                },
                nan: x.nan || x.below(),
                ..x
            };
            root.rounded(element, Underflow::Never)
        }
        hlo::Op::Rsqrt(_) => {
            let x = x(0)?;
            Floats {
                low: if x.minus_zero { f64::NEG_INFINITY } else { 0.0 },
                high: f64::INFINITY,
                zero: true,
                minus_zero: false,
                nan: x.nan || x.below(),
            }
        }
        hlo::Op::Add(_) => x(0)?.plus(x(1)?, element),
        hlo::Op::Subtract(_) => x(0)?.plus(x(1)?.negated(), element),
        hlo::Op::Multiply(_) if is_square => x(0)?.squared(element),
        hlo::Op::Square(_) => x(0)?.squared(element),
        hlo::Op::Multiply(_) => x(0)?.times(x(1)?, element),
        hlo::Op::Divide(_) => x(0)?.over(x(1)?, element),
        hlo::Op::Maximum(_) => x(0)?.larger(x(1)?),
        hlo::Op::Minimum(_) => x(0)?.smaller(x(1)?),
        hlo::Op::Clamp(_) => x(1)?.larger(x(0)?).smaller(x(2)?),
        hlo::Op::Floor(_) => x(0)?.through(f64::floor),
        hlo::Op::Ceil(_) => x(0)?.through(f64::ceil),
        hlo::Op::RoundNearestEven(_) => x(0)?.through(f64::round_ties_even),
        hlo::Op::RoundNearestAfz(_) => x(0)?.through(f64::round),
        hlo::Op::Sign(_) => x(0)?.through(|x| if x == 0.0 { x } else { x.signum() }),
        hlo::Op::Convert(_) => match operand(0) {
            Range::Float(x) => {
                let was = o
                    .operands
                    .first()
                    .and_then(|v| look::element(program, *v))?;
                let is_wider = matches!(element, ElementType::F32 | ElementType::F64)
                    && matches!(was, ElementType::BF16 | ElementType::F16)
                    || *element == was;
                match is_wider {
                    true => x,
                    false => x.rounded(element, Underflow::Possible),
                }
            }
            Range::Integer { low, high } => Floats {
                minus_zero: false,
                ..Floats::between(low as f64, high as f64).rounded(element, Underflow::Never)
            },
            Range::Any => return None,
        },
        // Sums start from 0.
        hlo::Op::DotGeneral(_) => {
            let product = x(0)?.times(x(1)?, element);
            sum(Floats::of(0.0), product)
        }
        _ => return None,
    })
}

/// Sums of any number of terms, from a number of `start` on.
fn sum(start: Floats, term: Floats) -> Floats {
    let (below, above) = (term.below(), term.above());
    let all = start.or(term);
    Floats {
        low: if below {
            f64::NEG_INFINITY
        } else {
            start.low.min(term.low)
        },
        high: if above {
            f64::INFINITY
        } else {
            start.high.max(term.high)
        },
        zero: true,
        minus_zero: start.minus_zero && term.minus_zero,
        nan: all.nan || below && above || below && start.above() || above && start.below(),
    }
}

#[cfg(test)]
#[path = "range_tests.rs"]
mod tests;
