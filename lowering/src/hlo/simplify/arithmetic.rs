//! Rewrites of arithmetic.

use super::beside;
use crate::{
    pass::Rewrite,
    rewrite::{OpRef, Rewriter, ValueRef, definition},
    values,
};
use tileproof_dialect::{
    hlo::{
        abs::Abs, add::Add, divide::Divide, multiply::Multiply, negate::Negate, subtract::Subtract,
    },
    mlir::views::hlo,
    numerics::Numerics,
    tensor::Tensor,
    types::{Class, ElementType},
};

/// A product with one is not rounded and keeps its sign: BitExact. Complex numbers are left alone: `inf * (1 + 0i)` has a NaN part.
pub const MULTIPLY_ONE: Rewrite = Rewrite {
    name: "multiply-one",
    equation: "x * 1  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(multiply_one),
};

fn multiply_one<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::MultiplyOp::cast(op)?;
    beside(op.lhs(), op.rhs(), |v| values::is_number(rewriter, v, 1))
}

/// A quotient by one is not rounded and keeps its sign: BitExact. Complex numbers are left alone.
pub const DIVIDE_ONE: Rewrite = Rewrite {
    name: "divide-one",
    equation: "x / 1  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(divide_one),
};

fn divide_one<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::DivideOp::cast(op)?;
    values::is_number(rewriter, op.rhs(), 1).then(|| vec![op.lhs()])
}

/// `-0 - +0 = -0` and `+0 - +0 = +0`: BitExact. `x - -0` would make +0 of -0 and is left alone.
pub const SUBTRACT_ZERO: Rewrite = Rewrite {
    name: "subtract-zero",
    equation: "x - (+0)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(subtract_zero),
};

fn subtract_zero<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::SubtractOp::cast(op)?;
    let zero = values::is_exactly(rewriter, op.rhs(), 0.0)
        || values::is_integer_number(rewriter, op.rhs(), 0);
    zero.then(|| vec![op.lhs()])
}

/// `+0 + -0 = +0` and `-0 + -0 = -0`: BitExact. `x + +0` of floats would make +0 of -0 and is left alone.
pub const ADD_NEGATIVE_ZERO: Rewrite = Rewrite {
    name: "add-negative-zero",
    equation: "x + (-0)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(add_negative_zero),
};

fn add_negative_zero<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::AddOp::cast(op)?;
    beside(op.lhs(), op.rhs(), |v| {
        values::is_exactly(rewriter, v, -0.0)
    })
}

/// Integers have one zero, and `x or false` is x: BitExact.
pub const ADD_ZERO: Rewrite = Rewrite {
    name: "add-zero",
    equation: "x + 0  ->  x  (integers)",
    numerics: Numerics::bit_exact,
    pattern: Some(add_zero),
};

fn add_zero<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::AddOp::cast(op)?;
    beside(op.lhs(), op.rhs(), |v| {
        values::is_integer_number(rewriter, v, 0)
    })
}

/// Integers have no NaN, infinity or sign of zero: BitExact.
pub const MULTIPLY_ZERO: Rewrite = Rewrite {
    name: "multiply-zero",
    equation: "x * 0  ->  0  (integers)",
    numerics: Numerics::bit_exact,
    pattern: Some(multiply_zero),
};

fn multiply_zero<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::MultiplyOp::cast(op)?;
    beside(op.lhs(), op.rhs(), |v| {
        values::is_integer_number(rewriter, v, 0)
    })?;
    values::integer_like(rewriter, op.result(), 0)
}

/// Integers only, where no infinity makes a NaN of it: BitExact.
pub const SUBTRACT_SELF: Rewrite = Rewrite {
    name: "subtract-self",
    equation: "x - x  ->  0  (integers)",
    numerics: Numerics::bit_exact,
    pattern: Some(subtract_self),
};

fn subtract_self<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::SubtractOp::cast(op)?;
    if op.lhs() != op.rhs() || !values::is_integer(rewriter, op.lhs()) {
        return None;
    }
    values::integer_like(rewriter, op.result(), 0)
}

/// Every integer is a multiple of one: BitExact.
pub const REMAINDER_ONE: Rewrite = Rewrite {
    name: "remainder-one",
    equation: "x % 1  ->  0  (integers)",
    numerics: Numerics::bit_exact,
    pattern: Some(remainder_one),
};

fn remainder_one<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::RemainderOp::cast(op)?;
    if !values::is_integer_number(rewriter, op.rhs(), 1) {
        return None;
    }
    values::integer_like(rewriter, op.result(), 0)
}

/// The sign bit is flipped twice, integers wrap twice: BitExact.
pub const NEGATE_NEGATE: Rewrite = Rewrite {
    name: "negate-negate",
    equation: "-(-x)  ->  x",
    numerics: Numerics::bit_exact,
    pattern: Some(negate_negate),
};

fn negate_negate<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    Some(vec![negated(rewriter, hlo::NegateOp::cast(op)?.operand())?])
}

/// What `value` is the negative of. Quantized values are left alone: the negative may saturate.
fn negated<'c>(rewriter: &Rewriter<'c>, value: ValueRef<'c>) -> Option<ValueRef<'c>> {
    let operand = hlo::NegateOp::cast(definition(value)?)?.operand();
    (values::class(rewriter, value)? != Class::Quantized).then_some(operand)
}

/// A product with -1 is not rounded and has the other sign, zeros too; integers wrap alike: BitExact.
pub const MULTIPLY_MINUS_ONE: Rewrite = Rewrite {
    name: "multiply-minus-one",
    equation: "x * -1  ->  -x",
    numerics: Numerics::bit_exact,
    pattern: Some(multiply_minus_one),
};

fn multiply_minus_one<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::MultiplyOp::cast(op)?;
    let x = beside(op.lhs(), op.rhs(), |v| values::is_number(rewriter, v, -1))?;
    match values::class(rewriter, op.result())? {
        Class::Signed | Class::Float => rewriter.create(Negate, &x, &[]),
        Class::Boolean | Class::Unsigned | Class::Complex | Class::Quantized => None,
    }
}

/// `-0 - +0 = -0` and `-0 - -0 = +0`; integers wrap alike: BitExact. `+0 - x` of floats would make +0 of -0's negative and is left alone.
pub const SUBTRACT_FROM_ZERO: Rewrite = Rewrite {
    name: "subtract-from-zero",
    equation: "(-0) - x  ->  -x;  0 - x  ->  -x  (integers)",
    numerics: Numerics::bit_exact,
    pattern: Some(subtract_from_zero),
};

fn subtract_from_zero<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::SubtractOp::cast(op)?;
    let zero = values::is_exactly(rewriter, op.lhs(), -0.0)
        || values::is_integer_number(rewriter, op.lhs(), 0);
    if !zero {
        return None;
    }
    rewriter.create(Negate, &[op.rhs()], &[])
}

/// IEEE 754 subtraction is addition of the negative: BitExact.
pub const ADD_NEGATE: Rewrite = Rewrite {
    name: "add-negate",
    equation: "x + (-y)  ->  x - y",
    numerics: Numerics::bit_exact,
    pattern: Some(add_negate),
};

fn add_negate<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::AddOp::cast(op)?;
    match (negated(rewriter, op.lhs()), negated(rewriter, op.rhs())) {
        (_, Some(y)) => rewriter.create(Subtract, &[op.lhs(), y], &[]),
        (Some(y), None) => rewriter.create(Subtract, &[op.rhs(), y], &[]),
        (None, None) => None,
    }
}

/// IEEE 754 subtraction is addition of the negative: BitExact.
pub const SUBTRACT_NEGATE: Rewrite = Rewrite {
    name: "subtract-negate",
    equation: "x - (-y)  ->  x + y",
    numerics: Numerics::bit_exact,
    pattern: Some(subtract_negate),
};

fn subtract_negate<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::SubtractOp::cast(op)?;
    let y = negated(rewriter, op.rhs())?;
    rewriter.create(Add, &[op.lhs(), y], &[])
}

/// The sign of a product is the exclusive or of the signs, and integers wrap modulo 2^n: BitExact.
pub const MULTIPLY_NEGATES: Rewrite = Rewrite {
    name: "multiply-negates",
    equation: "(-x) * (-y)  ->  x * y  (not complex)",
    numerics: Numerics::bit_exact,
    pattern: Some(multiply_negates),
};

fn multiply_negates<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::MultiplyOp::cast(op)?;
    let both = [negated(rewriter, op.lhs())?, negated(rewriter, op.rhs())?];
    match values::class(rewriter, op.result())? {
        Class::Signed | Class::Unsigned | Class::Float => rewriter.create(Multiply, &both, &[]),
        Class::Boolean | Class::Complex | Class::Quantized => None,
    }
}

/// The sign of a quotient is the exclusive or of the signs: BitExact. Integers are left alone: the smallest one is its own negative.
pub const DIVIDE_NEGATES: Rewrite = Rewrite {
    name: "divide-negates",
    equation: "(-x) / (-y)  ->  x / y  (floats)",
    numerics: Numerics::bit_exact,
    pattern: Some(divide_negates),
};

fn divide_negates<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::DivideOp::cast(op)?;
    let both = [negated(rewriter, op.lhs())?, negated(rewriter, op.rhs())?];
    if values::class(rewriter, op.result())? != Class::Float {
        return None;
    }
    rewriter.create(Divide, &both, &[])
}

/// The sign bit is cleared whatever it is; the smallest integer is its own negative and its own absolute value: BitExact.
pub const ABS_NEGATE: Rewrite = Rewrite {
    name: "abs-negate",
    equation: "|-x|  ->  |x|",
    numerics: Numerics::bit_exact,
    pattern: Some(abs_negate),
};

fn abs_negate<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let x = negated(rewriter, hlo::AbsOp::cast(op)?.operand())?;
    rewriter.create(Abs, &[x], &[])
}

/// The sign bit is clear already; the smallest integer stays what it is: BitExact.
pub const ABS_ABS: Rewrite = Rewrite {
    name: "abs-abs",
    equation: "||x||  ->  |x|",
    numerics: Numerics::bit_exact,
    pattern: Some(abs_abs),
};

fn abs_abs<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let inner = hlo::AbsOp::cast(op)?.operand();
    hlo::AbsOp::cast(definition(inner)?)?;
    (values::class(rewriter, inner)? != Class::Quantized).then(|| vec![inner])
}

/// A rounded value is an integer, an infinity or NaN, and rounding keeps those, zeros with their sign: BitExact. f6E2M3FN is left alone: its largest
/// number is 7.5, to which ceil(7.5) saturates.
pub const ROUND_ROUND: Rewrite = Rewrite {
    name: "round-round",
    equation: "f(g(x))  ->  g(x)  for f, g of floor, ceil, round_nearest_afz, round_nearest_even  (not f6E2M3FN)",
    numerics: Numerics::bit_exact,
    pattern: Some(round_round),
};

fn round_round<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let inner = rounded(op)?;
    rounded(definition(inner)?)?;
    let element = &values::tensor_type(rewriter, inner)?.element;
    let fits = element.class() == Class::Float && *element != ElementType::F6E2M3FN;
    fits.then(|| vec![inner])
}

/// The operand of a rounding to integers.
fn rounded(op: OpRef<'_>) -> Option<ValueRef<'_>> {
    let floor = hlo::FloorOp::cast(op).map(|op| op.operand());
    let ceil = || hlo::CeilOp::cast(op).map(|op| op.operand());
    let away = || hlo::RoundNearestAfzOp::cast(op).map(|op| op.operand());
    let even = || hlo::RoundNearestEvenOp::cast(op).map(|op| op.operand());
    floor.or_else(ceil).or_else(away).or_else(even)
}

/// The reciprocal of a power of two is exact, so both round the same real number once: BitExact. Only where the reciprocal is a normal number,
/// which hardware does not flush to zero.
pub const DIVIDE_POWER_OF_TWO: Rewrite = Rewrite {
    name: "divide-power-of-two",
    equation: "x / +-2^k  ->  x * +-2^-k  (f16, bf16, f32, f64)",
    numerics: Numerics::bit_exact,
    pattern: Some(divide_power_of_two),
};

fn divide_power_of_two<'c>(
    op: OpRef<'c>,
    rewriter: &mut Rewriter<'c>,
) -> Option<Vec<ValueRef<'c>>> {
    let op = hlo::DivideOp::cast(op)?;
    let divisor = values::splat_float(rewriter, op.rhs())?;
    let ty = values::tensor_type(rewriter, op.rhs())?;
    let largest_exponent = match ty.element {
        ElementType::F16 => 14,
        ElementType::BF16 | ElementType::F32 => 126,
        ElementType::F64 => 1022,
        _ => return None,
    };
    let is_power = divisor.is_normal() && divisor.to_bits().trailing_zeros() >= 52;
    if !is_power || divisor.abs().log2().abs() > f64::from(largest_exponent) {
        return None;
    }
    let reciprocal = Tensor::from_f64s(&[], &ty.element, &[1.0 / divisor]);
    let reciprocal = values::constant_of(&ty, &reciprocal)?;
    let reciprocal = rewriter.create_one(reciprocal, &[], &[])?;
    rewriter.create(Multiply, &[op.lhs(), reciprocal], &[])
}

/// Integers add modulo 2^n in any order: BitExact. Booleans are left alone.
pub const ADD_CONSTANTS: Rewrite = Rewrite {
    name: "add-constants",
    equation: "(x + c) + d  ->  x + (c + d)  (integers)",
    numerics: Numerics::bit_exact,
    pattern: Some(add_constants),
};

fn add_constants<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let outer = hlo::AddOp::cast(op)?;
    let (inner, d) = with_constant(rewriter, outer.lhs(), outer.rhs())?;
    let inner = hlo::AddOp::cast(definition(inner)?)?;
    let (x, c) = with_constant(rewriter, inner.lhs(), inner.rhs())?;
    let sum = values::integer_like(rewriter, outer.result(), c.wrapping_add(d))?;
    rewriter.create(Add, &[vec![x], sum].concat(), &[])
}

/// Integers multiply modulo 2^n in any order: BitExact. Booleans are left alone.
pub const MULTIPLY_CONSTANTS: Rewrite = Rewrite {
    name: "multiply-constants",
    equation: "(x * c) * d  ->  x * (c * d)  (integers)",
    numerics: Numerics::bit_exact,
    pattern: Some(multiply_constants),
};

fn multiply_constants<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    let outer = hlo::MultiplyOp::cast(op)?;
    let (inner, d) = with_constant(rewriter, outer.lhs(), outer.rhs())?;
    let inner = hlo::MultiplyOp::cast(definition(inner)?)?;
    let (x, c) = with_constant(rewriter, inner.lhs(), inner.rhs())?;
    let product = values::integer_like(rewriter, outer.result(), c.wrapping_mul(d))?;
    rewriter.create(Multiply, &[vec![x], product].concat(), &[])
}

/// The operand that is no constant and the value of the one that is, of signed or unsigned integers.
fn with_constant<'c>(
    rewriter: &Rewriter<'c>,
    lhs: ValueRef<'c>,
    rhs: ValueRef<'c>,
) -> Option<(ValueRef<'c>, i64)> {
    match values::class(rewriter, lhs)? {
        Class::Signed | Class::Unsigned => {}
        Class::Boolean | Class::Float | Class::Complex | Class::Quantized => return None,
    }
    match (
        values::splat_integer(rewriter, lhs),
        values::splat_integer(rewriter, rhs),
    ) {
        (None, Some(c)) => Some((lhs, c)),
        (Some(c), None) => Some((rhs, c)),
        (Some(_), Some(_)) | (None, None) => None,
    }
}
