//! Elementwise `hlo` ops as `arith` and `math` ops, each with the rounding, wrapping and special values of its definition; no fast-math, no contraction.

use super::lanes::{Kind, Lanes};
use tileproof_dialect::{
    hlo::{
        self,
        compare::{CompareType, Direction},
    },
    types::ElementType,
};

/// The result of `op` on lanes, in its lane type. None: code calls the definition instead.
pub fn elementwise(
    l: &mut Lanes<'_>,
    op: &hlo::Op,
    args: &[String],
    elements: &[ElementType],
    result: &ElementType,
) -> Option<String> {
    use hlo::Op;
    let kinds: Vec<Kind> = elements.iter().map(Kind::of).collect();
    let kind = *kinds.first()?;
    let base = kind.lane();
    Some(match (op, args) {
        (Op::Convert(_), [x]) => convert(l, x, &elements[0], result)?,
        (Op::BitcastConvert(_), [x]) => bitcast(l, x, &elements[0], result)?,
        (Op::Select(_), [p, a, b]) => l.select(p, a, b, &kinds[1].lane()),
        (Op::Compare(op), [a, b]) => {
            let total = op.compare_type == Some(CompareType::TotalOrder);
            compare(l, op.comparison_direction, total, a, b, kind)?
        }
        (Op::Clamp(_), [low, x, high]) => {
            let above = extremum(l, x, low, kind, Extremum::Maximum)?;
            extremum(l, &above, high, kind, Extremum::Minimum)?
        }
        (Op::Add(_), [a, b]) => arithmetic(l, ["arith.addf", "arith.addi"], a, b, kind)?,
        (Op::Subtract(_), [a, b]) => arithmetic(l, ["arith.subf", "arith.subi"], a, b, kind)?,
        (Op::Multiply(_), [a, b]) => arithmetic(l, ["arith.mulf", "arith.muli"], a, b, kind)?,
        (Op::Divide(_), [a, b]) if kind.is_float() => {
            arithmetic(l, ["arith.divf", ""], a, b, kind)?
        }
        (Op::Divide(_), [a, b]) => quotient(l, a, b, kind, Part::Quotient)?,
        (Op::Remainder(_), [a, b]) if !kind.is_float() => quotient(l, a, b, kind, Part::Remainder)?,
        (Op::Maximum(_), [a, b]) => extremum(l, a, b, kind, Extremum::Maximum)?,
        (Op::Minimum(_), [a, b]) => extremum(l, a, b, kind, Extremum::Minimum)?,
        (Op::And(_), [a, b]) if is_integer(kind) => l.two("arith.andi", a, b, &base),
        (Op::Or(_), [a, b]) if is_integer(kind) => l.two("arith.ori", a, b, &base),
        (Op::Xor(_), [a, b]) if is_integer(kind) => l.two("arith.xori", a, b, &base),
        (Op::Not(_), [x]) if is_integer(kind) => {
            let ones = l.int(-1, &base);
            let out = l.two("arith.xori", x, &ones, &base);
            l.wrapped(&out, kind)
        }
        (Op::ShiftLeft(_), [a, b]) => shift(l, "arith.shli", a, b, kind)?,
        (Op::ShiftRightLogical(_), [a, b]) => shift(l, "arith.shrui", a, b, kind)?,
        (Op::ShiftRightArithmetic(_), [a, b]) => shift(l, "arith.shrsi", a, b, kind)?,
        (Op::Negate(_), [x]) => negate(l, x, kind)?,
        (Op::Abs(_), [x]) => absolute(l, x, kind)?,
        (Op::Sign(_), [x]) => sign(l, x, kind)?,
        (Op::Square(_), [x]) if kind != Kind::Bf16 => {
            arithmetic(l, ["arith.mulf", "arith.muli"], x, x, kind)?
        }
        (Op::Sqrt(_), [x]) if kind.is_float() => exact(l, "math.sqrt", x, kind),
        (Op::Floor(_), [x]) if kind.is_float() => exact(l, "math.floor", x, kind),
        (Op::Ceil(_), [x]) if kind.is_float() => exact(l, "math.ceil", x, kind),
        (Op::RoundNearestEven(_), [x]) if kind.is_float() => exact(l, "math.roundeven", x, kind),
        (Op::RoundNearestAfz(_), [x]) if kind.is_float() => exact(l, "math.round", x, kind),
        (Op::Rsqrt(_), [x]) if kind == Kind::F32 => {
            let wide = l.cast("arith.extf", x, "f32", "f64");
            let root = l.one("math.sqrt", &wide, "f64");
            let one = l.f64(1.0);
            let out = l.two("arith.divf", &one, &root, "f64");
            l.cast("arith.truncf", &out, "f64", "f32")
        }
        (Op::IsFinite(_), [x]) => {
            against_infinity(l, "olt", x, kind, f32::INFINITY, Sign::Dropped)?
        }
        (Op::IsInf(_), [x]) => against_infinity(l, "oeq", x, kind, f32::INFINITY, Sign::Dropped)?,
        (Op::IsPosInf(_), [x]) => against_infinity(l, "oeq", x, kind, f32::INFINITY, Sign::Kept)?,
        (Op::IsNegInf(_), [x]) => {
            against_infinity(l, "oeq", x, kind, f32::NEG_INFINITY, Sign::Kept)?
        }
        (Op::Popcnt(_), [x]) => {
            let Kind::Int { bits, storage, .. } = kind else {
                return None;
            };
            if bits != storage {
                return None;
            }
            l.one("math.ctpop", x, &base)
        }
        (Op::CountLeadingZeros(_), [x]) => {
            let Kind::Int { bits, storage, .. } = kind else {
                return None;
            };
            if bits != storage {
                return None;
            }
            l.one("math.ctlz", x, &base)
        }
        (Op::Mulhi(_), [a, b]) => {
            let Kind::Int {
                bits: 32, signed, ..
            } = kind
            else {
                return None;
            };
            let (widen, down) = if signed {
                ("arith.extsi", "arith.shrsi")
            } else {
                ("arith.extui", "arith.shrui")
            };
            let (a, b) = (
                l.cast(widen, a, "i32", "i64"),
                l.cast(widen, b, "i32", "i64"),
            );
            let product = l.two("arith.muli", &a, &b, "i64");
            let by = l.int(32, "i64");
            let high = l.two(down, &product, &by, "i64");
            l.cast("arith.trunci", &high, "i64", "i32")
        }
        (_, _) => return None,
    })
}

fn is_integer(kind: Kind) -> bool {
    matches!(kind, Kind::Bool | Kind::Int { .. })
}

/// An op with one rounding: names on floats and on integers.
fn arithmetic(
    l: &mut Lanes<'_>,
    [float, integer]: [&str; 2],
    a: &str,
    b: &str,
    kind: Kind,
) -> Option<String> {
    Some(match kind {
        Kind::F32 | Kind::F64 => l.two(float, a, b, &kind.lane()),
        Kind::F16 | Kind::Bf16 => {
            let (a, b) = (l.widened(a, kind), l.widened(b, kind));
            let out = l.two(float, &a, &b, "f32");
            l.narrowed(&out, kind)
        }
        Kind::Int { .. } => {
            let out = l.two(integer, a, b, &kind.lane());
            l.wrapped(&out, kind)
        }
        Kind::Bool | Kind::Bits(_) => return None,
    })
}

/// A function whose result on short floats is exact, or rounds in f32 as it does in the type.
fn exact(l: &mut Lanes<'_>, op: &str, x: &str, kind: Kind) -> String {
    if kind.is_short_float() {
        let wide = l.widened(x, kind);
        let out = l.one(op, &wide, "f32");
        return l.narrowed(&out, kind);
    }
    l.one(op, x, &kind.lane())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extremum {
    Maximum,
    Minimum,
}

fn extremum(l: &mut Lanes<'_>, a: &str, b: &str, kind: Kind, which: Extremum) -> Option<String> {
    let maximum = which == Extremum::Maximum;
    Some(match kind {
        Kind::F32 | Kind::F64 | Kind::F16 | Kind::Bf16 => {
            let op = if maximum {
                "arith.maximumf"
            } else {
                "arith.minimumf"
            };
            let wide = if kind.is_short_float() {
                "f32".to_string()
            } else {
                kind.lane()
            };
            let (a, b) = (l.widened(a, kind), l.widened(b, kind));
            let out = l.two(op, &a, &b, &wide);
            l.narrowed(&out, kind)
        }
        Kind::Int { signed, .. } => {
            let op = match (maximum, signed) {
                (true, true) => "arith.maxsi",
                (true, false) => "arith.maxui",
                (false, true) => "arith.minsi",
                (false, false) => "arith.minui",
            };
            l.two(op, a, b, &kind.lane())
        }
        Kind::Bool if maximum => l.two("arith.ori", a, b, "i1"),
        Kind::Bool => l.two("arith.andi", a, b, "i1"),
        Kind::Bits(_) => return None,
    })
}

fn compare(
    l: &mut Lanes<'_>,
    direction: Direction,
    total: bool,
    a: &str,
    b: &str,
    kind: Kind,
) -> Option<String> {
    let of_integers = |signed: bool| match (direction, signed) {
        (Direction::Eq, _) => "eq",
        (Direction::Ne, _) => "ne",
        (Direction::Ge, true) => "sge",
        (Direction::Gt, true) => "sgt",
        (Direction::Le, true) => "sle",
        (Direction::Lt, true) => "slt",
        (Direction::Ge, false) => "uge",
        (Direction::Gt, false) => "ugt",
        (Direction::Le, false) => "ule",
        (Direction::Lt, false) => "ult",
    };
    Some(match kind {
        Kind::Bool => l.compare_int(of_integers(false), a, b, "i1"),
        Kind::Int { signed, .. } => l.compare_int(of_integers(signed), a, b, &kind.lane()),
        Kind::Bits(_) => return None,
        Kind::F64 if total => return None,
        Kind::F32 | Kind::F16 | Kind::Bf16 if total => {
            // The sign makes the rest of the bits count backwards.
            let mut key = |x: &str| {
                let x = l.widened(x, kind);
                let bits = l.cast("arith.bitcast", &x, "f32", "i32");
                let by = l.int(31, "i32");
                let sign = l.two("arith.shrsi", &bits, &by, "i32");
                let mask = l.int(0x7fff_ffff, "i32");
                let flip = l.two("arith.andi", &sign, &mask, "i32");
                l.two("arith.xori", &bits, &flip, "i32")
            };
            let (a, b) = (key(a), key(b));
            l.compare_int(of_integers(true), &a, &b, "i32")
        }
        Kind::F32 | Kind::F64 | Kind::F16 | Kind::Bf16 => {
            let predicate = match direction {
                Direction::Eq => "oeq",
                Direction::Ne => "une",
                Direction::Ge => "oge",
                Direction::Gt => "ogt",
                Direction::Le => "ole",
                Direction::Lt => "olt",
            };
            let (a, b) = (l.widened(a, kind), l.widened(b, kind));
            let base = if kind == Kind::F64 { "f64" } else { "f32" };
            l.compare_float(predicate, &a, &b, base)
        }
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Quotient,
    Remainder,
}

/// Integer division: by 0 gives -1 and leaves all as remainder; the smallest by -1 wraps.
fn quotient(l: &mut Lanes<'_>, a: &str, b: &str, kind: Kind, part: Part) -> Option<String> {
    let Kind::Int { signed, .. } = kind else {
        return None;
    };
    let base = kind.lane();
    let (zero, one, ones) = (l.int(0, &base), l.int(1, &base), l.int(-1, &base));
    let by_zero = l.compare_int("eq", b, &zero, &base);
    let mut safe = l.select(&by_zero, &one, b, &base);
    let by_minus_one = signed.then(|| l.compare_int("eq", b, &ones, &base));
    if let Some(p) = &by_minus_one {
        safe = l.select(p, &one, &safe, &base);
    }
    let op = match (part, signed) {
        (Part::Quotient, true) => "arith.divsi",
        (Part::Quotient, false) => "arith.divui",
        (Part::Remainder, true) => "arith.remsi",
        (Part::Remainder, false) => "arith.remui",
    };
    let mut out = l.two(op, a, &safe, &base);
    if let (Some(p), Part::Quotient) = (&by_minus_one, part) {
        let negated = l.two("arith.subi", &zero, a, &base);
        out = l.select(p, &negated, &out, &base);
    }
    let of_zero = match part {
        Part::Quotient => ones,
        Part::Remainder => a.to_string(),
    };
    let out = l.select(&by_zero, &of_zero, &out, &base);
    Some(l.wrapped(&out, kind))
}

/// By the bits of the amount as an unsigned number; from the width on all bits are gone.
fn shift(l: &mut Lanes<'_>, op: &str, a: &str, b: &str, kind: Kind) -> Option<String> {
    let Kind::Int { bits, storage, .. } = kind else {
        return None;
    };
    if bits != storage {
        return None;
    }
    let base = kind.lane();
    let width = l.int(i64::from(bits), &base);
    let inside = l.compare_int("ult", b, &width, &base);
    let last = l.int(i64::from(bits) - 1, &base);
    let safe = l.select(&inside, b, &last, &base);
    let out = l.two(op, a, &safe, &base);
    if op == "arith.shrsi" {
        return Some(out);
    }
    let zero = l.int(0, &base);
    Some(l.select(&inside, &out, &zero, &base))
}

fn negate(l: &mut Lanes<'_>, x: &str, kind: Kind) -> Option<String> {
    Some(match kind {
        Kind::F32 | Kind::F64 | Kind::F16 => l.one("arith.negf", x, &kind.lane()),
        Kind::Bf16 => {
            let sign = l.int(-0x8000, "i16");
            l.two("arith.xori", x, &sign, "i16")
        }
        Kind::Int { .. } => {
            let zero = l.int(0, &kind.lane());
            let out = l.two("arith.subi", &zero, x, &kind.lane());
            l.wrapped(&out, kind)
        }
        Kind::Bool | Kind::Bits(_) => return None,
    })
}

fn absolute(l: &mut Lanes<'_>, x: &str, kind: Kind) -> Option<String> {
    Some(match kind {
        Kind::F32 | Kind::F64 | Kind::F16 => l.one("math.absf", x, &kind.lane()),
        Kind::Bf16 => {
            let rest = l.int(0x7fff, "i16");
            l.two("arith.andi", x, &rest, "i16")
        }
        Kind::Int { signed: false, .. } => x.to_string(),
        Kind::Int { .. } => {
            let base = kind.lane();
            let zero = l.int(0, &base);
            let negated = l.two("arith.subi", &zero, x, &base);
            let negative = l.compare_int("slt", x, &zero, &base);
            let out = l.select(&negative, &negated, x, &base);
            l.wrapped(&out, kind)
        }
        Kind::Bool | Kind::Bits(_) => return None,
    })
}

/// -1, 0, 1; zeros and NaN stay.
fn sign(l: &mut Lanes<'_>, x: &str, kind: Kind) -> Option<String> {
    Some(match kind {
        Kind::F32 | Kind::F16 | Kind::Bf16 => {
            let wide = l.widened(x, kind);
            let (zero, one) = (l.f32(0.0), l.f32(1.0));
            let other = l.compare_float("one", &wide, &zero, "f32");
            let unit = l.two("math.copysign", &one, &wide, "f32");
            let out = l.select(&other, &unit, &wide, "f32");
            l.narrowed(&out, kind)
        }
        Kind::Int { signed: true, .. } => {
            let base = kind.lane();
            let (zero, one, ones) = (l.int(0, &base), l.int(1, &base), l.int(-1, &base));
            let positive = l.compare_int("sgt", x, &zero, &base);
            let negative = l.compare_int("slt", x, &zero, &base);
            let up = l.select(&positive, &one, &zero, &base);
            l.select(&negative, &ones, &up, &base)
        }
        Kind::F64 | Kind::Bool | Kind::Int { .. } | Kind::Bits(_) => return None,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Kept,
    Dropped,
}

fn against_infinity(
    l: &mut Lanes<'_>,
    predicate: &str,
    x: &str,
    kind: Kind,
    infinity: f32,
    sign: Sign,
) -> Option<String> {
    if !kind.is_float() {
        return None;
    }
    let base = if kind == Kind::F64 { "f64" } else { "f32" };
    let mut x = l.widened(x, kind);
    if sign == Sign::Dropped {
        x = l.one("math.absf", &x, base);
    }
    let infinity = if kind == Kind::F64 {
        l.f64(infinity.into())
    } else {
        l.f32(infinity)
    };
    Some(l.compare_float(predicate, &x, &infinity, base))
}

fn convert(l: &mut Lanes<'_>, x: &str, from: &ElementType, to: &ElementType) -> Option<String> {
    if from == to {
        return Some(x.to_string());
    }
    let (a, b) = (Kind::of(from), Kind::of(to));
    Some(match (a, b) {
        (Kind::F16 | Kind::Bf16 | Kind::F32, Kind::F16 | Kind::Bf16 | Kind::F32) => {
            let wide = l.widened(x, a);
            l.narrowed(&wide, b)
        }
        (Kind::F16 | Kind::Bf16 | Kind::F32, Kind::F64) => {
            let wide = l.widened(x, a);
            l.cast("arith.extf", &wide, "f32", "f64")
        }
        (Kind::F64, Kind::F32) => l.cast("arith.truncf", x, "f64", "f32"),
        (
            Kind::F16 | Kind::Bf16 | Kind::F32,
            Kind::Int {
                bits,
                storage,
                signed,
            },
        ) if bits == storage && bits <= 32 => {
            let wide = l.widened(x, a);
            saturated(l, &wide, bits, signed)
        }
        (Kind::Int { bits, signed, .. }, Kind::F32) if bits <= 32 => {
            let op = if signed {
                "arith.sitofp"
            } else {
                "arith.uitofp"
            };
            l.cast(op, x, &a.lane(), "f32")
        }
        // Exact in f32.
        (Kind::Int { bits, signed, .. }, Kind::F16 | Kind::Bf16) if bits <= 16 => {
            let op = if signed {
                "arith.sitofp"
            } else {
                "arith.uitofp"
            };
            let wide = l.cast(op, x, &a.lane(), "f32");
            l.narrowed(&wide, b)
        }
        (Kind::Bool, Kind::F32 | Kind::F16 | Kind::Bf16) => {
            let wide = l.cast("arith.uitofp", x, "i1", "f32");
            l.narrowed(&wide, b)
        }
        (Kind::Bool, Kind::Int { .. }) => l.cast("arith.extui", x, "i1", &b.lane()),
        (Kind::Int { .. }, Kind::Bool) => {
            let zero = l.int(0, &a.lane());
            l.compare_int("ne", x, &zero, &a.lane())
        }
        (
            Kind::Int {
                storage: s, signed, ..
            },
            Kind::Int { storage: t, .. },
        ) => {
            let op = if t < s {
                "arith.trunci"
            } else if signed {
                "arith.extsi"
            } else {
                "arith.extui"
            };
            let out = if s == t {
                x.to_string()
            } else {
                l.cast(op, x, &a.lane(), &b.lane())
            };
            l.wrapped(&out, b)
        }
        (_, _) => return None,
    })
}

/// An f32 truncated to an integer of at most 32 bits: beyond the ends the nearest end, NaN gives 0.
fn saturated(l: &mut Lanes<'_>, x: &str, bits: u32, signed: bool) -> String {
    let base = format!("i{bits}");
    let (low, end) = if signed {
        (-(2f32.powi(bits as i32 - 1)), 2f32.powi(bits as i32 - 1))
    } else {
        (0.0, 2f32.powi(bits as i32))
    };
    let (smallest, largest) = if signed {
        (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1)
    } else {
        (0, -1)
    };
    let (low, end, zero) = (l.f32(low), l.f32(end), l.f32(0.0));
    let above = l.compare_float("oge", x, &end, "f32");
    let below = l.compare_float("olt", x, &low, "f32");
    let nan = l.compare_float("uno", x, x, "f32");
    let outside = l.two("arith.ori", &above, &below, "i1");
    let outside = l.two("arith.ori", &outside, &nan, "i1");
    let safe = l.select(&outside, &zero, x, "f32");
    // Through 64 bits: every machine converts to signed ones.
    let wide = l.cast("arith.fptosi", &safe, "f32", "i64");
    let out = l.cast("arith.trunci", &wide, "i64", &base);
    let (smallest, largest) = (l.int(smallest, &base), l.int(largest, &base));
    let out = l.select(&above, &largest, &out, &base);
    l.select(&below, &smallest, &out, &base)
}

fn bitcast(l: &mut Lanes<'_>, x: &str, from: &ElementType, to: &ElementType) -> Option<String> {
    if from == to {
        return Some(x.to_string());
    }
    let (a, b) = (Kind::of(from), Kind::of(to));
    let whole = |e: &ElementType| e.bits() as usize == 8 * e.storage_bytes();
    if !whole(from) || !whole(to) || from.bits() != to.bits() {
        return None;
    }
    let (f, t) = (a.lane(), b.lane());
    Some(if f == t {
        x.to_string()
    } else {
        l.cast("arith.bitcast", x, &f, &t)
    })
}
