//! One element of an elementwise `hlo` op in scalar code, and four at once where 128-bit registers have the op.
//!
//! An element is held as its storage: booleans and integers in integer registers, f32 and f64 in float registers, other floats as their bits.

use super::code::{Writer, constant};
use cranelift_codegen::ir::{
    InstBuilder, MemFlagsData, Type, Value,
    condcodes::{FloatCC, IntCC},
    types,
};
use tileproof_dialect::{
    hlo::{
        self,
        compare::{CompareType, Direction},
    },
    types::{Class, ElementType},
};

/// How an element is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    Truth,
    Integer {
        bits: u32,
        signed: bool,
    },
    Single,
    Double,
    Bfloat,
    /// Bits that have no arithmetic here.
    Raw,
}

pub fn held(element: &ElementType) -> Held {
    match (element.class(), element) {
        (Class::Boolean, _) => Held::Truth,
        (Class::Signed, e) => Held::Integer {
            bits: e.bits(),
            signed: true,
        },
        (Class::Unsigned, e) => Held::Integer {
            bits: e.bits(),
            signed: false,
        },
        (Class::Float, ElementType::F32) => Held::Single,
        (Class::Float, ElementType::F64) => Held::Double,
        (Class::Float, ElementType::BF16) => Held::Bfloat,
        (Class::Float | Class::Complex | Class::Quantized, _) => Held::Raw,
    }
}

/// Type of the register of an element.
pub fn register(element: &ElementType) -> Option<Type> {
    Some(match element {
        ElementType::F32 => types::F32,
        ElementType::F64 => types::F64,
        _ => match element.storage_bytes() {
            1 => types::I8,
            2 => types::I16,
            4 => types::I32,
            8 => types::I64,
            _ => return None,
        },
    })
}

/// Four elements at once: the type of their register, and whether `op` has code on it.
pub fn four(op: &hlo::Op, elements: &[ElementType], result: &ElementType) -> Option<Type> {
    use hlo::Op;
    if elements.iter().any(|e| e != result) {
        return None;
    }
    match (op, result) {
        (
            Op::Add(_)
            | Op::Subtract(_)
            | Op::Multiply(_)
            | Op::Divide(_)
            | Op::Maximum(_)
            | Op::Minimum(_)
            | Op::Negate(_)
            | Op::Abs(_)
            | Op::Sqrt(_)
            | Op::Square(_)
            | Op::Floor(_)
            | Op::Ceil(_)
            | Op::RoundNearestEven(_),
            ElementType::F32,
        ) => Some(types::F32X4),
        (
            Op::Add(_)
            | Op::Subtract(_)
            | Op::Multiply(_)
            | Op::Maximum(_)
            | Op::Minimum(_)
            | Op::And(_)
            | Op::Or(_)
            | Op::Xor(_)
            | Op::Not(_),
            ElementType::I32 | ElementType::U32,
        ) => Some(types::I32X4),
        (_, _) => None,
    }
}

/// The result of `op` on elements in registers; of four where [`four`] has a type. None: code calls the definition.
pub fn apply(
    w: &mut Writer<'_>,
    op: &hlo::Op,
    args: &[Value],
    elements: &[ElementType],
    result: &ElementType,
) -> Option<Value> {
    use hlo::Op;
    let first = elements.first()?;
    let kind = held(first);
    let is_float = matches!(kind, Held::Single | Held::Double | Held::Bfloat);
    let is_integer = matches!(kind, Held::Truth | Held::Integer { .. });
    Some(match (op, args) {
        (Op::Select(_), [p, a, b]) => {
            let zero = constant(w, types::I8, 0);
            let p = w.ins().icmp(IntCC::NotEqual, *p, zero);
            w.ins().select(p, *a, *b)
        }
        (Op::Compare(op), [a, b]) => {
            let total = op.compare_type == Some(CompareType::TotalOrder);
            compare(w, op.comparison_direction, total, *a, *b, kind)?
        }
        (Op::Clamp(_), [low, x, high]) => {
            let above = larger(w, *x, *low, kind)?;
            smaller(w, above, *high, kind)?
        }
        (Op::Convert(_), [x]) => convert(w, *x, first, result)?,
        (Op::BitcastConvert(_), [x]) => {
            let whole = |e: &ElementType| e.bits() as usize == 8 * e.storage_bytes();
            if first.bits() != result.bits() || !whole(first) || !whole(result) {
                return None;
            }
            let (from, to) = (register(first)?, register(result)?);
            if from == to {
                *x
            } else {
                w.ins().bitcast(to, MemFlagsData::new(), *x)
            }
        }
        (Op::Maximum(_), [a, b]) => larger(w, *a, *b, kind)?,
        (Op::Minimum(_), [a, b]) => smaller(w, *a, *b, kind)?,
        (Op::And(_), [a, b]) if is_integer => w.ins().band(*a, *b),
        (Op::Or(_), [a, b]) if is_integer => w.ins().bor(*a, *b),
        (Op::Xor(_), [a, b]) if is_integer => w.ins().bxor(*a, *b),
        (Op::Not(_), [x]) => match kind {
            Held::Truth => {
                let one = constant(w, types::I8, 1);
                w.ins().bxor(*x, one)
            }
            Held::Integer { .. } => {
                let out = w.ins().bnot(*x);
                wrapped(w, out, first)
            }
            Held::Single | Held::Double | Held::Bfloat | Held::Raw => return None,
        },
        (Op::Add(_) | Op::Subtract(_) | Op::Multiply(_) | Op::Divide(_), [a, b]) if is_float => {
            let (x, y) = (single(w, *a, kind), single(w, *b, kind));
            let out = match op {
                Op::Add(_) => w.ins().fadd(x, y),
                Op::Subtract(_) => w.ins().fsub(x, y),
                Op::Multiply(_) => w.ins().fmul(x, y),
                _ => w.ins().fdiv(x, y),
            };
            rounded(w, out, kind)
        }
        (Op::Add(_) | Op::Subtract(_) | Op::Multiply(_), [a, b]) => {
            let Held::Integer { .. } = kind else {
                return None;
            };
            let out = match op {
                Op::Add(_) => w.ins().iadd(*a, *b),
                Op::Subtract(_) => w.ins().isub(*a, *b),
                _ => w.ins().imul(*a, *b),
            };
            wrapped(w, out, first)
        }
        (Op::Divide(_) | Op::Remainder(_), [a, b]) => divide(w, op, *a, *b, first)?,
        (Op::ShiftLeft(_) | Op::ShiftRightLogical(_) | Op::ShiftRightArithmetic(_), [a, b]) => {
            shift(w, op, *a, *b, first)?
        }
        (Op::Square(_), [x]) => match kind {
            Held::Single | Held::Double => w.ins().fmul(*x, *x),
            Held::Integer { .. } => {
                let out = w.ins().imul(*x, *x);
                wrapped(w, out, first)
            }
            Held::Truth | Held::Bfloat | Held::Raw => return None,
        },
        (Op::Negate(_), [x]) => match kind {
            Held::Single | Held::Double => w.ins().fneg(*x),
            Held::Bfloat => {
                let sign = constant(w, types::I16, 0x8000);
                w.ins().bxor(*x, sign)
            }
            Held::Integer { .. } => {
                let out = w.ins().ineg(*x);
                wrapped(w, out, first)
            }
            Held::Truth | Held::Raw => return None,
        },
        (Op::Abs(_), [x]) => match kind {
            Held::Single | Held::Double => w.ins().fabs(*x),
            Held::Bfloat => {
                let rest = constant(w, types::I16, 0x7fff);
                w.ins().band(*x, rest)
            }
            Held::Integer { signed: false, .. } => *x,
            Held::Integer { signed: true, .. } => {
                let zero = constant(w, register(first)?, 0);
                let below = w.ins().icmp(IntCC::SignedLessThan, *x, zero);
                let negated = w.ins().ineg(*x);
                let out = w.ins().select(below, negated, *x);
                wrapped(w, out, first)
            }
            Held::Truth | Held::Raw => return None,
        },
        (Op::Sign(_), [x]) => match kind {
            Held::Single => {
                let (zero, one) = (w.ins().f32const(0.0), w.ins().f32const(1.0));
                let unit = w.ins().fcopysign(one, *x);
                let stays = w.ins().fcmp(FloatCC::UnorderedOrEqual, *x, zero);
                w.ins().select(stays, *x, unit)
            }
            Held::Integer { signed: true, .. } => {
                let ty = register(first)?;
                let (zero, one, ones) =
                    (constant(w, ty, 0), constant(w, ty, 1), constant(w, ty, -1));
                let above = w.ins().icmp(IntCC::SignedGreaterThan, *x, zero);
                let below = w.ins().icmp(IntCC::SignedLessThan, *x, zero);
                let up = w.ins().select(above, one, zero);
                w.ins().select(below, ones, up)
            }
            Held::Truth | Held::Integer { .. } | Held::Double | Held::Bfloat | Held::Raw => {
                return None;
            }
        },
        (Op::Sqrt(_), [x]) if is_float => {
            let x = single(w, *x, kind);
            let out = w.ins().sqrt(x);
            rounded(w, out, kind)
        }
        (Op::Floor(_), [x]) if is_float => {
            let x = single(w, *x, kind);
            let out = w.ins().floor(x);
            rounded(w, out, kind)
        }
        (Op::Ceil(_), [x]) if is_float => {
            let x = single(w, *x, kind);
            let out = w.ins().ceil(x);
            rounded(w, out, kind)
        }
        (Op::RoundNearestEven(_), [x]) if is_float => {
            let x = single(w, *x, kind);
            let out = w.ins().nearest(x);
            rounded(w, out, kind)
        }
        (Op::Rsqrt(_), [x]) if kind == Held::Single => {
            let wide = w.ins().fpromote(types::F64, *x);
            let root = w.ins().sqrt(wide);
            let one = w.ins().f64const(1.0);
            let out = w.ins().fdiv(one, root);
            w.ins().fdemote(types::F32, out)
        }
        (Op::IsFinite(_) | Op::IsInf(_), [x]) if matches!(kind, Held::Single | Held::Bfloat) => {
            let x = single(w, *x, kind);
            let magnitude = w.ins().fabs(x);
            let infinity = w.ins().f32const(f32::INFINITY);
            let how = match op {
                Op::IsFinite(_) => FloatCC::LessThan,
                _ => FloatCC::Equal,
            };
            w.ins().fcmp(how, magnitude, infinity)
        }
        (Op::Popcnt(_), [x]) if whole_integer(first) => w.ins().popcnt(*x),
        (Op::CountLeadingZeros(_), [x]) if whole_integer(first) => w.ins().clz(*x),
        (Op::Mulhi(_), [a, b]) => match kind {
            Held::Integer { bits: 32, signed } => {
                let (a, b) = (widened(w, *a, signed), widened(w, *b, signed));
                let product = w.ins().imul(a, b);
                let by = constant(w, types::I64, 32);
                let high = w.ins().ushr(product, by);
                w.ins().ireduce(types::I32, high)
            }
            Held::Truth
            | Held::Integer { .. }
            | Held::Single
            | Held::Double
            | Held::Bfloat
            | Held::Raw => return None,
        },
        (_, _) => return None,
    })
}

fn whole_integer(element: &ElementType) -> bool {
    matches!(held(element), Held::Integer { bits, .. } if bits as usize == 8 * element.storage_bytes())
}

/// An integer of any width as i64.
pub fn widened(w: &mut Writer<'_>, x: Value, signed: bool) -> Value {
    if w.func.dfg.value_type(x) == types::I64 {
        x
    } else if signed {
        w.ins().sextend(types::I64, x)
    } else {
        w.ins().uextend(types::I64, x)
    }
}

/// An element of 2 or 4 bits brought back into its range.
pub fn wrapped(w: &mut Writer<'_>, x: Value, element: &ElementType) -> Value {
    let by = 8 * element.storage_bytes() as i64 - i64::from(element.bits());
    if by == 0 || w.func.dfg.value_type(x).is_vector() {
        return x;
    }
    let by = constant(w, types::I8, by);
    let up = w.ins().ishl(x, by);
    match element.class() {
        Class::Signed => w.ins().sshr(up, by),
        _ => w.ins().ushr(up, by),
    }
}

/// A bfloat as f32; others stay.
fn single(w: &mut Writer<'_>, x: Value, kind: Held) -> Value {
    if kind != Held::Bfloat {
        return x;
    }
    let wide = w.ins().uextend(types::I32, x);
    let by = constant(w, types::I32, 16);
    let bits = w.ins().ishl(wide, by);
    w.ins().bitcast(types::F32, MemFlagsData::new(), bits)
}

/// An f32 rounded to a bfloat, ties to even; others stay.
fn rounded(w: &mut Writer<'_>, x: Value, kind: Held) -> Value {
    if kind != Held::Bfloat {
        return x;
    }
    let bits = w.ins().bitcast(types::I32, MemFlagsData::new(), x);
    let by = constant(w, types::I32, 16);
    let high = w.ins().ushr(bits, by);
    // A half, and the half itself goes to the even neighbour.
    let (one, half) = (constant(w, types::I32, 1), constant(w, types::I32, 0x8000));
    let low_bits = constant(w, types::I32, 0xffff);
    let low = w.ins().band(bits, low_bits);
    let above = w.ins().icmp(IntCC::UnsignedGreaterThan, low, half);
    let tie = w.ins().icmp(IntCC::Equal, low, half);
    let odd = w.ins().band(high, one);
    let none = constant(w, types::I32, 0);
    let of_tie = w.ins().select(tie, odd, none);
    let up = w.ins().select(above, one, of_tie);
    let sum = w.ins().iadd(high, up);
    let nan = w.ins().fcmp(FloatCC::Unordered, x, x);
    let quiet = constant(w, types::I32, 0x40);
    let of_nan = w.ins().bor(high, quiet);
    let out = w.ins().select(nan, of_nan, sum);
    w.ins().ireduce(types::I16, out)
}

fn larger(w: &mut Writer<'_>, a: Value, b: Value, kind: Held) -> Option<Value> {
    Some(match kind {
        Held::Single | Held::Double => w.ins().fmax(a, b),
        Held::Bfloat => {
            let (x, y) = (single(w, a, kind), single(w, b, kind));
            let out = w.ins().fmax(x, y);
            rounded(w, out, kind)
        }
        Held::Integer { signed: true, .. } => w.ins().smax(a, b),
        Held::Integer { signed: false, .. } => w.ins().umax(a, b),
        Held::Truth => w.ins().bor(a, b),
        Held::Raw => return None,
    })
}

fn smaller(w: &mut Writer<'_>, a: Value, b: Value, kind: Held) -> Option<Value> {
    Some(match kind {
        Held::Single | Held::Double => w.ins().fmin(a, b),
        Held::Bfloat => {
            let (x, y) = (single(w, a, kind), single(w, b, kind));
            let out = w.ins().fmin(x, y);
            rounded(w, out, kind)
        }
        Held::Integer { signed: true, .. } => w.ins().smin(a, b),
        Held::Integer { signed: false, .. } => w.ins().umin(a, b),
        Held::Truth => w.ins().band(a, b),
        Held::Raw => return None,
    })
}

fn compare(
    w: &mut Writer<'_>,
    direction: Direction,
    total: bool,
    a: Value,
    b: Value,
    kind: Held,
) -> Option<Value> {
    let of_integers = |signed: bool| match (direction, signed) {
        (Direction::Eq, _) => IntCC::Equal,
        (Direction::Ne, _) => IntCC::NotEqual,
        (Direction::Lt, true) => IntCC::SignedLessThan,
        (Direction::Le, true) => IntCC::SignedLessThanOrEqual,
        (Direction::Gt, true) => IntCC::SignedGreaterThan,
        (Direction::Ge, true) => IntCC::SignedGreaterThanOrEqual,
        (Direction::Lt, false) => IntCC::UnsignedLessThan,
        (Direction::Le, false) => IntCC::UnsignedLessThanOrEqual,
        (Direction::Gt, false) => IntCC::UnsignedGreaterThan,
        (Direction::Ge, false) => IntCC::UnsignedGreaterThanOrEqual,
    };
    Some(match kind {
        Held::Truth => w.ins().icmp(of_integers(false), a, b),
        Held::Integer { signed, .. } => w.ins().icmp(of_integers(signed), a, b),
        Held::Raw => return None,
        Held::Single | Held::Bfloat if total => {
            // Numbers below zero in the opposite order of their magnitudes, under all others.
            let mut key = |x: Value| {
                let x = single(w, x, kind);
                let bits = w.ins().bitcast(types::I32, MemFlagsData::new(), x);
                let zero = constant(w, types::I32, 0);
                let below = w.ins().icmp(IntCC::SignedLessThan, bits, zero);
                let smallest = constant(w, types::I32, i64::from(i32::MIN));
                let inverse = w.ins().bnot(bits);
                let turned = w.ins().bxor(inverse, smallest);
                w.ins().select(below, turned, bits)
            };
            let (x, y) = (key(a), key(b));
            w.ins().icmp(of_integers(true), x, y)
        }
        Held::Double if total => return None,
        Held::Single | Held::Double | Held::Bfloat => {
            let how = match direction {
                Direction::Eq => FloatCC::Equal,
                Direction::Ne => FloatCC::NotEqual,
                Direction::Lt => FloatCC::LessThan,
                Direction::Le => FloatCC::LessThanOrEqual,
                Direction::Gt => FloatCC::GreaterThan,
                Direction::Ge => FloatCC::GreaterThanOrEqual,
            };
            let (x, y) = (single(w, a, kind), single(w, b, kind));
            w.ins().fcmp(how, x, y)
        }
    })
}

/// Integer division in 64 bits, where the smallest i32 by -1 does not trap; by 0: -1, and all is left.
fn divide(
    w: &mut Writer<'_>,
    op: &hlo::Op,
    a: Value,
    b: Value,
    element: &ElementType,
) -> Option<Value> {
    let Held::Integer { bits, signed } = held(element) else {
        return None;
    };
    if bits > 32 && signed {
        return None;
    }
    let (x, y) = (widened(w, a, signed), widened(w, b, signed));
    let zero = constant(w, types::I64, 0);
    let one = constant(w, types::I64, 1);
    let by_zero = w.ins().icmp(IntCC::Equal, y, zero);
    let safe = w.ins().select(by_zero, one, y);
    let (out, of_zero) = match (op, signed) {
        (hlo::Op::Divide(_), true) => (w.ins().sdiv(x, safe), constant(w, types::I64, -1)),
        (hlo::Op::Divide(_), false) => (w.ins().udiv(x, safe), constant(w, types::I64, -1)),
        (_, true) => (w.ins().srem(x, safe), x),
        (_, false) => (w.ins().urem(x, safe), x),
    };
    let out = w.ins().select(by_zero, of_zero, out);
    let ty = register(element)?;
    let out = if ty == types::I64 {
        out
    } else {
        w.ins().ireduce(ty, out)
    };
    Some(wrapped(w, out, element))
}

fn shift(
    w: &mut Writer<'_>,
    op: &hlo::Op,
    a: Value,
    b: Value,
    element: &ElementType,
) -> Option<Value> {
    let Held::Integer { bits, .. } = held(element) else {
        return None;
    };
    let ty = register(element)?;
    if bits != ty.bits() {
        return None;
    }
    let width = constant(w, ty, i64::from(bits));
    let inside = w.ins().icmp(IntCC::UnsignedLessThan, b, width);
    let last = constant(w, ty, i64::from(bits) - 1);
    let by = w.ins().select(inside, b, last);
    let zero = constant(w, ty, 0);
    Some(match op {
        hlo::Op::ShiftRightArithmetic(_) => w.ins().sshr(a, by),
        hlo::Op::ShiftLeft(_) => {
            let out = w.ins().ishl(a, by);
            w.ins().select(inside, out, zero)
        }
        _ => {
            let out = w.ins().ushr(a, by);
            w.ins().select(inside, out, zero)
        }
    })
}

/// One element in another type.
pub fn convert(
    w: &mut Writer<'_>,
    x: Value,
    from: &ElementType,
    to: &ElementType,
) -> Option<Value> {
    if from == to {
        return Some(x);
    }
    let (a, b) = (held(from), held(to));
    Some(match (a, b) {
        (Held::Single | Held::Bfloat, Held::Single | Held::Bfloat) => {
            let wide = single(w, x, a);
            rounded(w, wide, b)
        }
        (Held::Single | Held::Bfloat, Held::Double) => {
            let wide = single(w, x, a);
            w.ins().fpromote(types::F64, wide)
        }
        (Held::Double, Held::Single) => w.ins().fdemote(types::F32, x),
        (Held::Single | Held::Bfloat, Held::Integer { bits, signed }) if bits <= 32 => {
            if bits as usize != 8 * to.storage_bytes() {
                return None;
            }
            let wide = single(w, x, a);
            let (low, high) = if signed {
                (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1)
            } else {
                (0, (1i64 << bits) - 1)
            };
            let out = w.ins().fcvt_to_sint_sat(types::I64, wide);
            let (low, high) = (constant(w, types::I64, low), constant(w, types::I64, high));
            let out = w.ins().smax(out, low);
            let out = w.ins().smin(out, high);
            w.ins().ireduce(register(to)?, out)
        }
        (Held::Integer { bits, signed }, Held::Single) if bits <= 32 => {
            let wide = widened(w, x, signed);
            w.ins().fcvt_from_sint(types::F32, wide)
        }
        (Held::Integer { bits, signed }, Held::Bfloat) if bits <= 16 => {
            let wide = widened(w, x, signed);
            let exact = w.ins().fcvt_from_sint(types::F32, wide);
            rounded(w, exact, b)
        }
        (Held::Truth, Held::Single | Held::Bfloat) => {
            let wide = w.ins().uextend(types::I64, x);
            let exact = w.ins().fcvt_from_sint(types::F32, wide);
            rounded(w, exact, b)
        }
        (Held::Integer { .. }, Held::Truth) => {
            let zero = constant(w, register(from)?, 0);
            w.ins().icmp(IntCC::NotEqual, x, zero)
        }
        (Held::Truth | Held::Integer { .. }, Held::Integer { .. }) => {
            let signed = matches!(a, Held::Integer { signed: true, .. });
            let wide = widened(w, x, signed);
            let ty = register(to)?;
            let out = if ty == types::I64 {
                wide
            } else {
                w.ins().ireduce(ty, wide)
            };
            wrapped(w, out, to)
        }
        (_, _) => return None,
    })
}
