//! Rewrites of bitwise logic and shifts. Integers and booleans have one plane and no special values: all BitExact.

use super::beside;
use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition},
    values,
};
use tileproof_dialect::{
    hlo::{compare::Compare, compare::Direction, not::Not},
    mlir::views::hlo,
    numerics::Numerics,
    types::Class,
};

/// Every bit is flipped twice: BitExact.
pub const NOT_NOT: Rewrite = Rewrite {
    name: "not-not",
    equation: "not(not(x))  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(not_not),
};

fn not_not<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let inner = hlo::NotOp::cast(op)?.operand();
    Some(vec![hlo::NotOp::cast(definition(inner)?)?.operand()])
}

/// EQ and NE are each other's negation, NaN included; orders are where the class is totally ordered, which floats with NaN are not: BitExact.
pub const NOT_COMPARE: Rewrite = Rewrite {
    name: "not-compare",
    equation: "not(compare(x, y, D))  ->  compare(x, y, not D)  (EQ and NE; all directions of integers)",
    numerics: Numerics::bit_exact,
    pattern: Some(not_compare),
};

fn not_compare<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let inner = hlo::CompareOp::cast(definition(hlo::NotOp::cast(op)?.operand())?)?;
    let tileproof_dialect::hlo::Op::Compare(compare) = rewriter.read(inner.operation())? else {
        return None;
    };
    let is_total = match values::class(rewriter, inner.lhs())? {
        Class::Boolean | Class::Signed | Class::Unsigned => true,
        Class::Float | Class::Complex | Class::Quantized => false,
    };
    let negated = match compare.comparison_direction {
        Direction::Eq => Direction::Ne,
        Direction::Ne => Direction::Eq,
        Direction::Ge if is_total => Direction::Lt,
        Direction::Gt if is_total => Direction::Le,
        Direction::Le if is_total => Direction::Gt,
        Direction::Lt if is_total => Direction::Ge,
        Direction::Ge | Direction::Gt | Direction::Le | Direction::Lt => return None,
    };
    let compare = Compare {
        comparison_direction: negated,
        ..compare
    };
    rewriter.create(compare, &[inner.lhs(), inner.rhs()], &[])
}

/// BitExact.
pub const AND_SELF: Rewrite = Rewrite {
    name: "and-self",
    equation: "x and x  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(and_self),
};

fn and_self<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::AndOp::cast(op)?;
    (op.lhs() == op.rhs()).then(|| vec![op.lhs()])
}

/// BitExact.
pub const AND_ONES: Rewrite = Rewrite {
    name: "and-ones",
    equation: "x and 1..1  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(and_ones),
};

fn and_ones<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::AndOp::cast(op)?;
    beside(op.lhs(), op.rhs(), |v| values::is_all_ones(rewriter, v))
}

/// BitExact.
pub const AND_ZERO: Rewrite = Rewrite {
    name: "and-zero",
    equation: "x and 0  ->  0",
    numerics: Numerics::bit_exact,
    pattern: Some(and_zero),
};

fn and_zero<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::AndOp::cast(op)?;
    beside(op.lhs(), op.rhs(), |v| {
        values::is_integer_number(rewriter, v, 0)
    })?;
    values::integer_like(rewriter, op.result(), 0)
}

/// BitExact.
pub const OR_SELF: Rewrite = Rewrite {
    name: "or-self",
    equation: "x or x  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(or_self),
};

fn or_self<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::OrOp::cast(op)?;
    (op.lhs() == op.rhs()).then(|| vec![op.lhs()])
}

/// BitExact.
pub const OR_ZERO: Rewrite = Rewrite {
    name: "or-zero",
    equation: "x or 0  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(or_zero),
};

fn or_zero<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::OrOp::cast(op)?;
    beside(op.lhs(), op.rhs(), |v| {
        values::is_integer_number(rewriter, v, 0)
    })
}

/// BitExact.
pub const OR_ONES: Rewrite = Rewrite {
    name: "or-ones",
    equation: "x or 1..1  ->  1..1",
    numerics: Numerics::bit_exact,
    pattern: Some(or_ones),
};

fn or_ones<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::OrOp::cast(op)?;
    let ones = [op.rhs(), op.lhs()]
        .into_iter()
        .find(|v| values::is_all_ones(rewriter, *v))?;
    Some(vec![ones])
}

/// BitExact.
pub const XOR_SELF: Rewrite = Rewrite {
    name: "xor-self",
    equation: "x xor x  ->  0",
    numerics: Numerics::bit_exact,
    pattern: Some(xor_self),
};

fn xor_self<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::XorOp::cast(op)?;
    if op.lhs() != op.rhs() {
        return None;
    }
    values::integer_like(rewriter, op.result(), 0)
}

/// BitExact.
pub const XOR_ZERO: Rewrite = Rewrite {
    name: "xor-zero",
    equation: "x xor 0  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(xor_zero),
};

fn xor_zero<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::XorOp::cast(op)?;
    beside(op.lhs(), op.rhs(), |v| {
        values::is_integer_number(rewriter, v, 0)
    })
}

/// BitExact.
pub const XOR_ONES: Rewrite = Rewrite {
    name: "xor-ones",
    equation: "x xor 1..1  ->  not(x)",
    numerics: Numerics::bit_exact,
    pattern: Some(xor_ones),
};

fn xor_ones<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::XorOp::cast(op)?;
    let x = beside(op.lhs(), op.rhs(), |v| values::is_all_ones(rewriter, v))?;
    rewriter.create(Not, &x, &[])
}

/// BitExact.
pub const SHIFT_ZERO: Rewrite = Rewrite {
    name: "shift-zero",
    equation: "shift(x, 0)  ->  x  for all three shifts",
    numerics: Numerics::bit_exact,
    pattern: Some(shift_zero),
};

fn shift_zero<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let left = hlo::ShiftLeftOp::cast(op).map(|op| (op.lhs(), op.rhs()));
    let logical = || hlo::ShiftRightLogicalOp::cast(op).map(|op| (op.lhs(), op.rhs()));
    let arithmetic = || hlo::ShiftRightArithmeticOp::cast(op).map(|op| (op.lhs(), op.rhs()));
    let (x, distance) = left.or_else(logical).or_else(arithmetic)?;
    values::is_integer_number(rewriter, distance, 0).then(|| vec![x])
}
