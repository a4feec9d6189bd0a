//! 64-bit integers by their halves: two's complement, so signed and unsigned differ only in comparisons, right shifts and widening.

use super::pairs::{Wide, is_named, join, splat, split, wide};
use crate::{
    rewrite::{OpRef, Rewriter, ValueRef},
    values,
};
use melior::ir::{Value, operation::OperationLike};
use std::sync::Arc;
use tileproof_dialect::{
    hlo::{
        Op,
        add::Add,
        and::And,
        bitcast_convert::BitcastConvert,
        compare::{Compare, Direction},
        convert::Convert,
        iota::Iota,
        multiply::Multiply,
        or::Or,
        select::Select,
        shift_left::ShiftLeft,
        shift_right_arithmetic::ShiftRightArithmetic,
        shift_right_logical::ShiftRightLogical,
        subtract::Subtract,
    },
    mlir::views::hlo,
    types::{Class, ElementType, TensorType, Type},
};

type Made<'c> = Option<Vec<ValueRef<'c>>>;

/// Type of the result and the operands, where the result is a 64-bit integer and so are all operands.
fn whole<'c>(
    op: OpRef<'c>,
    rewriter: &Rewriter<'c>,
) -> Option<(Wide, Arc<TensorType>, Vec<ValueRef<'c>>)> {
    let (kind, ty) = wide(rewriter, Value::from(op.results().next()?))?;
    let operands: Vec<ValueRef<'c>> = op.operands().collect();
    let same = operands
        .iter()
        .all(|v| values::tensor_type(rewriter, *v).is_some_and(|t| t == ty));
    (kind.is_integer() && same).then_some((kind, ty, operands))
}

fn done<'c>(
    rewriter: &mut Rewriter<'c>,
    ty: &TensorType,
    low: ValueRef<'c>,
    high: ValueRef<'c>,
) -> Made<'c> {
    Some(vec![join(rewriter, ty, [low, high])?])
}

fn one<'c>(
    rewriter: &mut Rewriter<'c>,
    op: impl Into<Op>,
    operands: &[ValueRef<'c>],
) -> Option<ValueRef<'c>> {
    rewriter.create_one(op, operands, &[])
}

fn is<'c>(
    rewriter: &mut Rewriter<'c>,
    a: ValueRef<'c>,
    direction: Direction,
    b: ValueRef<'c>,
) -> Option<ValueRef<'c>> {
    one(
        rewriter,
        Compare {
            comparison_direction: direction,
            compare_type: None,
        },
        &[a, b],
    )
}

/// 1 where `p`, else 0, as ui32.
fn bit<'c>(rewriter: &mut Rewriter<'c>, p: ValueRef<'c>) -> Option<ValueRef<'c>> {
    let ty = values::tensor_type(rewriter, p)?.with_element(ElementType::U32);
    rewriter.create_one(Convert, &[p], &[ty.into()])
}

fn signed<'c>(rewriter: &mut Rewriter<'c>, half: ValueRef<'c>) -> Option<ValueRef<'c>> {
    let ty = values::tensor_type(rewriter, half)?.with_element(ElementType::I32);
    rewriter.create_one(BitcastConvert, &[half], &[ty.into()])
}

fn unsigned<'c>(rewriter: &mut Rewriter<'c>, half: ValueRef<'c>) -> Option<ValueRef<'c>> {
    let ty = values::tensor_type(rewriter, half)?.with_element(ElementType::U32);
    rewriter.create_one(BitcastConvert, &[half], &[ty.into()])
}

pub fn add<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Made<'c> {
    hlo::AddOp::cast(op)?;
    let (_, ty, operands) = whole(op, rewriter)?;
    let (a, b) = (split(rewriter, operands[0])?, split(rewriter, operands[1])?);
    let low = one(rewriter, Add, &[a[0], b[0]])?;
    let carries = is(rewriter, low, Direction::Lt, a[0])?;
    let carry = bit(rewriter, carries)?;
    let high = one(rewriter, Add, &[a[1], b[1]])?;
    let high = one(rewriter, Add, &[high, carry])?;
    done(rewriter, &ty, low, high)
}

pub fn subtract<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Made<'c> {
    hlo::SubtractOp::cast(op)?;
    let (_, ty, operands) = whole(op, rewriter)?;
    let (a, b) = (split(rewriter, operands[0])?, split(rewriter, operands[1])?);
    difference(rewriter, &ty, a, b)
}

pub fn negate<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Made<'c> {
    hlo::NegateOp::cast(op)?;
    let (_, ty, operands) = whole(op, rewriter)?;
    let a = split(rewriter, operands[0])?;
    let zero = splat(rewriter, &ty, 0)?;
    difference(rewriter, &ty, [zero, zero], a)
}

fn difference<'c>(
    rewriter: &mut Rewriter<'c>,
    ty: &TensorType,
    a: [ValueRef<'c>; 2],
    b: [ValueRef<'c>; 2],
) -> Made<'c> {
    let low = one(rewriter, Subtract, &[a[0], b[0]])?;
    let borrows = is(rewriter, a[0], Direction::Lt, b[0])?;
    let borrow = bit(rewriter, borrows)?;
    let high = one(rewriter, Subtract, &[a[1], b[1]])?;
    let high = one(rewriter, Subtract, &[high, borrow])?;
    done(rewriter, ty, low, high)
}

pub fn multiply<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Made<'c> {
    hlo::MultiplyOp::cast(op)?;
    let (_, ty, operands) = whole(op, rewriter)?;
    let (a, b) = (split(rewriter, operands[0])?, split(rewriter, operands[1])?);
    let low = one(rewriter, Multiply, &[a[0], b[0]])?;
    let carried = high_product(rewriter, &ty, a[0], b[0])?;
    let left = one(rewriter, Multiply, &[a[0], b[1]])?;
    let right = one(rewriter, Multiply, &[a[1], b[0]])?;
    let high = one(rewriter, Add, &[carried, left])?;
    let high = one(rewriter, Add, &[high, right])?;
    done(rewriter, &ty, low, high)
}

/// The high half of the product of two ui32, by their 16-bit digits: no sum of these leaves 32 bits.
fn high_product<'c>(
    rewriter: &mut Rewriter<'c>,
    ty: &TensorType,
    a: ValueRef<'c>,
    b: ValueRef<'c>,
) -> Option<ValueRef<'c>> {
    let (digit, mask) = (splat(rewriter, ty, 16)?, splat(rewriter, ty, 0xffff)?);
    let low = |rewriter: &mut Rewriter<'c>, x| one(rewriter, And, &[x, mask]);
    let high = |rewriter: &mut Rewriter<'c>, x| one(rewriter, ShiftRightLogical, &[x, digit]);
    let (a0, a1) = (low(rewriter, a)?, high(rewriter, a)?);
    let (b0, b1) = (low(rewriter, b)?, high(rewriter, b)?);
    let lowest = one(rewriter, Multiply, &[a0, b0])?;
    let left = one(rewriter, Multiply, &[a0, b1])?;
    let right = one(rewriter, Multiply, &[a1, b0])?;
    let highest = one(rewriter, Multiply, &[a1, b1])?;
    let mut middle = high(rewriter, lowest)?;
    for x in [left, right] {
        let x = low(rewriter, x)?;
        middle = one(rewriter, Add, &[middle, x])?;
    }
    let mut out = highest;
    for x in [left, right, middle] {
        let x = high(rewriter, x)?;
        out = one(rewriter, Add, &[out, x])?;
    }
    Some(out)
}

pub fn bitwise<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Made<'c> {
    is_named(op, &["and", "or", "xor", "not"]).then_some(())?;
    let (_, ty, operands) = whole(op, rewriter)?;
    let typed = rewriter.read(op)?;
    let mut members = vec![];
    for v in operands {
        members.push(split(rewriter, v)?);
    }
    let half = |k: usize| members.iter().map(|m| m[k]).collect::<Vec<_>>();
    let low = one(rewriter, typed.clone(), &half(0))?;
    let high = one(rewriter, typed, &half(1))?;
    done(rewriter, &ty, low, high)
}

/// Shifts by 32 and more give zero (or signs) by themselves, and amounts below zero are large ones: so n, 32 - n and n - 32 need no cases.
pub fn shift<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Made<'c> {
    is_named(
        op,
        &[
            "shift_left",
            "shift_right_logical",
            "shift_right_arithmetic",
        ],
    )
    .then_some(())?;
    let (_, ty, operands) = whole(op, rewriter)?;
    let typed = rewriter.read(op)?;
    let (a, n) = (split(rewriter, operands[0])?, split(rewriter, operands[1])?);
    let word = splat(rewriter, &ty, 32)?;
    let rest = one(rewriter, Subtract, &[word, n[0]])?;
    let beyond = one(rewriter, Subtract, &[n[0], word])?;
    let zero = splat(rewriter, &ty, 0)?;
    let (low, high, filled) = match &typed {
        Op::ShiftLeft(_) => {
            let low = one(rewriter, ShiftLeft, &[a[0], n[0]])?;
            let kept = one(rewriter, ShiftLeft, &[a[1], n[0]])?;
            let crossed = one(rewriter, ShiftRightLogical, &[a[0], rest])?;
            let far = one(rewriter, ShiftLeft, &[a[0], beyond])?;
            let high = one(rewriter, Or, &[kept, crossed])?;
            (low, one(rewriter, Or, &[high, far])?, zero)
        }
        Op::ShiftRightLogical(_) => {
            let high = one(rewriter, ShiftRightLogical, &[a[1], n[0]])?;
            let kept = one(rewriter, ShiftRightLogical, &[a[0], n[0]])?;
            let crossed = one(rewriter, ShiftLeft, &[a[1], rest])?;
            let far = one(rewriter, ShiftRightLogical, &[a[1], beyond])?;
            let low = one(rewriter, Or, &[kept, crossed])?;
            (one(rewriter, Or, &[low, far])?, high, zero)
        }
        _ => {
            let top = signed(rewriter, a[1])?;
            let (amount, beyond) = (signed(rewriter, n[0])?, signed(rewriter, beyond)?);
            let high = one(rewriter, ShiftRightArithmetic, &[top, amount])?;
            let far = one(rewriter, ShiftRightArithmetic, &[top, beyond])?;
            let (high, far) = (unsigned(rewriter, high)?, unsigned(rewriter, far)?);
            let kept = one(rewriter, ShiftRightLogical, &[a[0], n[0]])?;
            let crossed = one(rewriter, ShiftLeft, &[a[1], rest])?;
            let near = one(rewriter, Or, &[kept, crossed])?;
            let is_near = is(rewriter, n[0], Direction::Lt, word)?;
            let low = one(rewriter, Select, &[is_near, near, far])?;
            let last = splat(rewriter, &ty, 31)?;
            let last = signed(rewriter, last)?;
            let signs = one(rewriter, ShiftRightArithmetic, &[top, last])?;
            (low, high, unsigned(rewriter, signs)?)
        }
    };
    // Amounts of 2^32 and more, and negative ones.
    let fits = is(rewriter, n[1], Direction::Eq, zero)?;
    let low = one(rewriter, Select, &[fits, low, filled])?;
    let high = one(rewriter, Select, &[fits, high, filled])?;
    done(rewriter, &ty, low, high)
}

pub fn compare<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Made<'c> {
    is_named(op, &["compare"]).then_some(())?;
    let Op::Compare(compare) = rewriter.read(op)? else {
        return None;
    };
    let operands: Vec<ValueRef<'c>> = op.operands().collect();
    let [a, b] = operands.as_slice() else {
        return None;
    };
    let (kind, _) = wide(rewriter, *a).filter(|(kind, _)| kind.is_integer())?;
    Some(vec![compared(
        rewriter,
        kind,
        *a,
        compare.comparison_direction,
        *b,
    )?])
}

fn compared<'c>(
    rewriter: &mut Rewriter<'c>,
    kind: Wide,
    a: ValueRef<'c>,
    direction: Direction,
    b: ValueRef<'c>,
) -> Option<ValueRef<'c>> {
    let (a, b) = (split(rewriter, a)?, split(rewriter, b)?);
    let low = is(rewriter, a[0], direction, b[0])?;
    match direction {
        Direction::Eq => {
            let high = is(rewriter, a[1], direction, b[1])?;
            one(rewriter, And, &[low, high])
        }
        Direction::Ne => {
            let high = is(rewriter, a[1], direction, b[1])?;
            one(rewriter, Or, &[low, high])
        }
        Direction::Lt | Direction::Le | Direction::Gt | Direction::Ge => {
            let strict = match direction {
                Direction::Lt | Direction::Le => Direction::Lt,
                Direction::Gt | Direction::Ge | Direction::Eq | Direction::Ne => Direction::Gt,
            };
            let equal = is(rewriter, a[1], Direction::Eq, b[1])?;
            let (top, other) = match kind {
                Wide::Signed => (signed(rewriter, a[1])?, signed(rewriter, b[1])?),
                Wide::Unsigned | Wide::Complex => (a[1], b[1]),
            };
            let decided = is(rewriter, top, strict, other)?;
            let tie = one(rewriter, And, &[equal, low])?;
            one(rewriter, Or, &[decided, tie])
        }
    }
}

/// max and min as a choice of halves.
pub fn choose<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Made<'c> {
    is_named(op, &["maximum", "minimum"]).then_some(())?;
    let direction = if is_named(op, &["maximum"]) {
        Direction::Gt
    } else {
        Direction::Lt
    };
    let (kind, ty, operands) = whole(op, rewriter)?;
    let takes = compared(rewriter, kind, operands[0], direction, operands[1])?;
    let (a, b) = (split(rewriter, operands[0])?, split(rewriter, operands[1])?);
    let low = one(rewriter, Select, &[takes, a[0], b[0]])?;
    let high = one(rewriter, Select, &[takes, a[1], b[1]])?;
    done(rewriter, &ty, low, high)
}

pub fn convert<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Made<'c> {
    let view = hlo::ConvertOp::cast(op)?;
    let (from, to) = (
        values::tensor_type(rewriter, view.operand())?,
        values::tensor_type(rewriter, view.result())?,
    );
    (from.element.is_integer() && to.element.is_integer()).then_some(())?;
    match (Wide::of(&from), Wide::of(&to)) {
        (None, Some(_)) => {
            // Sign or zeros above, both from the 32-bit number.
            let is_signed = from.element.class() == Class::Signed;
            let word = if is_signed {
                ElementType::I32
            } else {
                ElementType::U32
            };
            let word = rewriter.create_one(
                Convert,
                &[view.operand()],
                &[from.with_element(word).into()],
            )?;
            let (low, high) = if is_signed {
                let last = splat(rewriter, &to, 31)?;
                let last = signed(rewriter, last)?;
                let signs = one(rewriter, ShiftRightArithmetic, &[word, last])?;
                (unsigned(rewriter, word)?, unsigned(rewriter, signs)?)
            } else {
                (word, splat(rewriter, &to, 0)?)
            };
            done(rewriter, &to, low, high)
        }
        (Some(_), Some(_)) => {
            let [low, high] = split(rewriter, view.operand())?;
            done(rewriter, &to, low, high)
        }
        // Truth is any bit.
        (Some(_), None) if to.element != ElementType::I1 => {
            let [low, _] = split(rewriter, view.operand())?;
            let ty: Type = to.as_ref().clone().into();
            rewriter.create(Convert, &[low], &[ty])
        }
        (_, None) => None,
    }
}

pub fn iota<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Made<'c> {
    is_named(op, &["iota"]).then_some(())?;
    let Op::Iota(Iota { iota_dimension }) = rewriter.read(op)? else {
        return None;
    };
    let (kind, ty) = wide(rewriter, Value::from(op.results().next()?))?;
    let size = *ty.static_dims()?.get(iota_dimension as usize)?;
    (kind.is_integer() && size <= 1 << 32).then_some(())?;
    let low = rewriter.create_one(
        Iota { iota_dimension },
        &[],
        &[ty.with_element(ElementType::U32).into()],
    )?;
    let high = splat(rewriter, &ty, 0)?;
    done(rewriter, &ty, low, high)
}
