//! Rewrites of choices: maximum, minimum, select, compare, sort.

use super::beside;
use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition},
    values,
};
use tileproof_dialect::{
    hlo::{compare::Direction, select::Select},
    mlir::views::hlo,
    numerics::Numerics,
    types::{Class, ElementType},
};

/// The larger of two equal values, NaN included: BitExact.
pub const MAXIMUM_SELF: Rewrite = Rewrite {
    name: "maximum-self",
    equation: "max(x, x)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(maximum_self),
};

fn maximum_self<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::MaximumOp::cast(op)?;
    (op.lhs() == op.rhs()).then(|| vec![op.lhs()])
}

/// The smaller of two equal values, NaN included: BitExact.
pub const MINIMUM_SELF: Rewrite = Rewrite {
    name: "minimum-self",
    equation: "min(x, x)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(minimum_self),
};

fn minimum_self<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::MinimumOp::cast(op)?;
    (op.lhs() == op.rhs()).then(|| vec![op.lhs()])
}

/// Nothing is below the lowest value, and NaN wins: BitExact.
pub const MAXIMUM_LOWEST: Rewrite = Rewrite {
    name: "maximum-lowest",
    equation: "max(x, -inf or the smallest integer)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(maximum_lowest),
};

fn maximum_lowest<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::MaximumOp::cast(op)?;
    let element = values::tensor_type(rewriter, op.result())?.element.clone();
    beside(op.lhs(), op.rhs(), |v| {
        values::is_exactly(rewriter, v, f64::NEG_INFINITY)
            || range(&element).is_some_and(|r| values::is_integer_number(rewriter, v, r[0]))
    })
}

/// Nothing is above the highest value, and NaN wins: BitExact.
pub const MINIMUM_HIGHEST: Rewrite = Rewrite {
    name: "minimum-highest",
    equation: "min(x, +inf or the largest integer)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(minimum_highest),
};

fn minimum_highest<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::MinimumOp::cast(op)?;
    let element = values::tensor_type(rewriter, op.result())?.element.clone();
    beside(op.lhs(), op.rhs(), |v| {
        values::is_exactly(rewriter, v, f64::INFINITY)
            || range(&element).is_some_and(|r| values::is_integer_number(rewriter, v, r[1]))
    })
}

/// The smallest and the largest integer of a type; the largest unsigned 64-bit number wraps, as in [`values::splat_integer`].
fn range(element: &ElementType) -> Option<[i64; 2]> {
    let bits = element.bits();
    match element.class() {
        Class::Boolean => Some([0, 1]),
        Class::Signed => Some([i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)]),
        Class::Unsigned => Some([0, (u64::MAX >> (64 - bits)) as i64]),
        Class::Float | Class::Complex | Class::Quantized => None,
    }
}

/// Either choice gives the same bits: BitExact.
pub const SELECT_SAME: Rewrite = Rewrite {
    name: "select-same",
    equation: "select(p, x, x)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(select_same),
};

fn select_same<'c>(op: OpRef<'c>, _: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::SelectOp::cast(op)?;
    (op.on_true() == op.on_false()).then(|| vec![op.on_true()])
}

/// BitExact.
pub const SELECT_CONSTANT: Rewrite = Rewrite {
    name: "select-constant",
    equation: "select(true, x, y)  ->  x;  select(false, x, y)  ->  y",
    numerics: Numerics::bit_exact,
    pattern: Some(select_constant),
};

fn select_constant<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::SelectOp::cast(op)?;
    let chosen = if values::splat_integer(rewriter, op.pred())? != 0 {
        op.on_true()
    } else {
        op.on_false()
    };
    Some(vec![chosen])
}

/// BitExact.
pub const SELECT_NOT: Rewrite = Rewrite {
    name: "select-not",
    equation: "select(not(p), x, y)  ->  select(p, y, x)",
    numerics: Numerics::bit_exact,
    pattern: Some(select_not),
};

fn select_not<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::SelectOp::cast(op)?;
    let p = hlo::NotOp::cast(definition(op.pred())?)?.operand();
    rewriter.create(Select, &[p, op.on_false(), op.on_true()], &[])
}

/// BitExact. A predicate of rank 0 that stands for many elements has another type and is left alone.
pub const SELECT_PREDICATE: Rewrite = Rewrite {
    name: "select-predicate",
    equation: "select(p, true, false)  ->  p",
    numerics: Numerics::bit_exact,
    pattern: Some(select_predicate),
};

fn select_predicate<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::SelectOp::cast(op)?;
    let is = |v, n| values::is_integer_number(rewriter, v, n);
    let is_boolean = values::class(rewriter, op.result())? == Class::Boolean;
    (is_boolean && is(op.on_true(), 1) && is(op.on_false(), 0)).then(|| vec![op.pred()])
}

/// The inner choice is known where the outer one takes it: BitExact.
pub const SELECT_SELECT: Rewrite = Rewrite {
    name: "select-select",
    equation: "select(p, select(p, x, y), z)  ->  select(p, x, z);  select(p, x, select(p, y, z))  ->  select(p, x, z)",
    numerics: Numerics::bit_exact,
    pattern: Some(select_select),
};

fn select_select<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::SelectOp::cast(op)?;
    let same = |v| {
        let inner = hlo::SelectOp::cast(definition(v)?)?;
        (inner.pred() == op.pred()).then_some(inner)
    };
    let choices = match (same(op.on_true()), same(op.on_false())) {
        (Some(inner), None) => [inner.on_true(), op.on_false()],
        (None, Some(inner)) => [op.on_true(), inner.on_false()],
        (Some(a), Some(b)) => [a.on_true(), b.on_false()],
        (None, None) => return None,
    };
    rewriter.create(Select, &[op.pred(), choices[0], choices[1]], &[])
}

/// An integer equals itself: BitExact. Floats are left alone: NaN does not.
pub const COMPARE_SELF: Rewrite = Rewrite {
    name: "compare-self",
    equation: "compare(x, x, EQ|GE|LE)  ->  true;  compare(x, x, NE|GT|LT)  ->  false  (integers)",
    numerics: Numerics::bit_exact,
    pattern: Some(compare_self),
};

fn compare_self<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let view = hlo::CompareOp::cast(op)?;
    if view.lhs() != view.rhs() || !values::is_integer(rewriter, view.lhs()) {
        return None;
    }
    let outcome = match direction(rewriter, op)? {
        Direction::Eq | Direction::Ge | Direction::Le => 1,
        Direction::Ne | Direction::Gt | Direction::Lt => 0,
    };
    values::integer_like(rewriter, view.result(), outcome)
}

/// BitExact.
pub const COMPARE_TRUE: Rewrite = Rewrite {
    name: "compare-true",
    equation: "compare(p, true, EQ)  ->  p;  compare(p, false, NE)  ->  p  (booleans)",
    numerics: Numerics::bit_exact,
    pattern: Some(compare_true),
};

fn compare_true<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let view = hlo::CompareOp::cast(op)?;
    if values::class(rewriter, view.lhs())? != Class::Boolean {
        return None;
    }
    let neutral = match direction(rewriter, op)? {
        Direction::Eq => 1,
        Direction::Ne => 0,
        Direction::Ge | Direction::Gt | Direction::Le | Direction::Lt => return None,
    };
    beside(view.lhs(), view.rhs(), |v| {
        values::is_integer_number(rewriter, v, neutral)
    })
}

/// A line of one element is sorted: BitExact.
pub const SORT_SINGLE: Rewrite = Rewrite {
    name: "sort-single",
    equation: "sort(x.., dimension = d)  ->  x..  where dimension d has at most one element",
    numerics: Numerics::bit_exact,
    pattern: Some(sort_single),
};

fn sort_single<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let sort = hlo::SortOp::cast(op)?;
    let inputs = sort.inputs();
    let sizes = values::sizes(rewriter, *inputs.first()?)?;
    let dimension = sort.dimension()?;
    let dimension = if dimension < 0 {
        dimension + sizes.len() as i64
    } else {
        dimension
    };
    (*sizes.get(usize::try_from(dimension).ok()?)? <= 1).then_some(inputs)
}

fn direction(rewriter: &Rewriter<'_>, op: OpRef<'_>) -> Option<Direction> {
    let tileproof_dialect::hlo::Op::Compare(compare) = rewriter.read(op)? else {
        return None;
    };
    Some(compare.comparison_direction)
}
