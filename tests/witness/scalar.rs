//! Elementwise ops, one element at a time, from the specification.

use super::number::{Number, rounded, wrapped};
use Number::{Int, Real};
use tileproof_dialect::{
    hlo::{
        self,
        compare::{CompareType, Direction},
    },
    types::{Class, ElementType},
};

/// How near the judge must be, in units of the last place of the result type.
pub const EXACT: f64 = 0.0;
/// For functions that are computed in f64 and rounded: the judge's f64 function may lie on the other side of a tie.
pub const ONE_ULP: f64 = 1.0;

/// The element of the result, and how near it must be met; none for an op or types the witness does not know.
pub fn apply(
    op: &hlo::Op,
    x: &[Number],
    from: &ElementType,
    to: &ElementType,
) -> Option<(Number, f64)> {
    if let hlo::Op::Compare(c) = op {
        return compare(c, x, from).map(|v| (Int(i128::from(v)), EXACT));
    }
    if let hlo::Op::ReducePrecision(_) = op {
        return None;
    }
    match (op.name(), x) {
        ("convert", [x]) => convert(*x, from, to).map(|v| (v, EXACT)),
        ("select", [p, x, y]) => Some((if *p == Int(0) { *y } else { *x }, EXACT)),
        ("clamp", [low, x, high]) => {
            let (above, _) = apply(&hlo::maximum::Maximum.into(), &[*x, *low], from, to)?;
            apply(&hlo::minimum::Minimum.into(), &[above, *high], from, to)
        }
        (name, [Int(x)]) => unary_integer(name, *x, from, to).map(|v| (Int(v), EXACT)),
        (name, [Int(x), Int(y)]) => {
            binary_integer(name, *x, *y, from).map(|v| (Int(wrapped(to, v)), EXACT))
        }
        ("is_finite", [Real(x)]) => Some((Int(i128::from(x.is_finite())), EXACT)),
        (name, [Real(x)]) => unary_real(name, *x).map(|r| round(r, to)),
        (name, [Real(x), Real(y)]) => binary_real(name, *x, *y).map(|r| round(r, to)),
        _ => None,
    }
}

/// The f64 result in its type. f64 functions are themselves only near.
fn round((v, ulp): (f64, f64), to: &ElementType) -> (Number, f64) {
    let own = if *to == ElementType::F64 { 4.0 } else { 1.0 };
    (Real(rounded(to, v)), ulp * own)
}

fn unary_real(name: &str, x: f64) -> Option<(f64, f64)> {
    let exact = |v| Some((v, EXACT));
    let near = |v| Some((v, ONE_ULP));
    match name {
        "abs" => exact(x.abs()),
        "negate" => exact(-x),
        "sign" => exact(if x > 0.0 {
            1.0
        } else if x < 0.0 {
            -1.0
        } else {
            x
        }),
        "floor" => exact(x.floor()),
        "ceil" => exact(x.ceil()),
        "round_nearest_afz" => {
            // The nearest of the two neighbours, the outer one on a tie.
            let (t, f) = (x.trunc(), (x - x.trunc()).abs());
            exact(if f >= 0.5 { t + 1f64.copysign(x) } else { t }.copysign(x))
        }
        "round_nearest_even" => {
            let (t, f) = (x.trunc(), (x - x.trunc()).abs());
            let up = f > 0.5 || f == 0.5 && t % 2.0 != 0.0;
            exact(if up { t + 1f64.copysign(x) } else { t }.copysign(x))
        }
        "sqrt" => exact(x.sqrt()),
        "rsqrt" => near(1.0 / x.sqrt()),
        "cbrt" => near(x.cbrt()),
        "exponential" => near(x.exp()),
        "exponential_minus_one" => near(x.exp_m1()),
        "log" => near(x.ln()),
        "log_plus_one" => near(x.ln_1p()),
        "tanh" => near(x.tanh()),
        "sine" => near(x.sin()),
        "cosine" => near(x.cos()),
        "tan" => near(x.tan()),
        "logistic" => near(1.0 / (1.0 + (-x).exp())),
        "square" => exact(x * x),
        _ => None,
    }
}

fn binary_real(name: &str, x: f64, y: f64) -> Option<(f64, f64)> {
    let v = match name {
        "add" => x + y,
        "subtract" => x - y,
        "multiply" => x * y,
        "divide" => x / y,
        "remainder" => x % y,
        "maximum" | "minimum" if x.is_nan() || y.is_nan() => f64::NAN,
        // Equal numbers are zeros of either sign, or the same.
        "maximum" if x == y => {
            if x.is_sign_negative() {
                y
            } else {
                x
            }
        }
        "minimum" if x == y => {
            if x.is_sign_negative() {
                x
            } else {
                y
            }
        }
        "maximum" => {
            if x > y {
                x
            } else {
                y
            }
        }
        "minimum" => {
            if x < y {
                x
            } else {
                y
            }
        }
        "power" => return Some((x.powf(y), ONE_ULP)),
        "atan2" => return Some((x.atan2(y), ONE_ULP)),
        _ => return None,
    };
    Some((v, EXACT))
}

fn unary_integer(name: &str, x: i128, ty: &ElementType, to: &ElementType) -> Option<i128> {
    let bits = x & ((1i128 << ty.bits()) - 1);
    let v = match name {
        "abs" => x.abs(),
        "negate" => -x,
        "sign" => x.signum(),
        "not" => !x,
        "popcnt" => i128::from(bits.count_ones()),
        "count_leading_zeros" => i128::from(ty.bits()) - i128::from(128 - bits.leading_zeros()),
        "square" => return x.checked_mul(x).map(|v| wrapped(to, v)),
        _ => return None,
    };
    Some(wrapped(to, v))
}

fn binary_integer(name: &str, x: i128, y: i128, ty: &ElementType) -> Option<i128> {
    let n = ty.bits();
    let mask = (1i128 << n) - 1;
    let distance = (y & mask).min(i128::from(n)) as u32;
    let is_bool = ty.class() == Class::Boolean;
    Some(match name {
        "add" if is_bool => x | y,
        "multiply" if is_bool => x & y,
        "add" => x + y,
        "subtract" => x - y,
        "multiply" => (x as u128).wrapping_mul(y as u128) as i128,
        "divide" if y == 0 => -1,
        "divide" => x / y,
        "remainder" if y == 0 => x,
        "remainder" => x % y,
        "maximum" => x.max(y),
        "minimum" => x.min(y),
        "and" => x & y,
        "or" => x | y,
        "xor" => x ^ y,
        "shift_left" => (x & mask).checked_shl(distance).map_or(0, |v| v & mask),
        "shift_right_logical" => (x & mask) >> distance,
        "shift_right_arithmetic" => {
            let signed = if (x & mask) >> (n - 1) == 1 {
                (x & mask) - (mask + 1)
            } else {
                x & mask
            };
            signed >> distance
        }
        _ => return None,
    })
}

fn convert(x: Number, from: &ElementType, to: &ElementType) -> Option<Number> {
    Some(match (x, to.class()) {
        (Int(x), Class::Boolean) => Int(i128::from(x != 0)),
        (Real(x), Class::Boolean) => Int(i128::from(x != 0.0)),
        (Int(x), Class::Signed | Class::Unsigned) => Int(wrapped(to, x)),
        (Real(x), Class::Signed | Class::Unsigned) => {
            let (low, high) = match to.class() {
                Class::Signed => (-(1i128 << (to.bits() - 1)), (1i128 << (to.bits() - 1)) - 1),
                _ => (0, (1i128 << to.bits()) - 1),
            };
            // `as` saturates and makes 0 of NaN.
            Int((x as i128).clamp(low, high))
        }
        // f64 holds integers of 53 bits; wider ones would be rounded twice.
        (Int(x), Class::Float) if from.bits() <= 32 || *to == ElementType::F64 => {
            Real(rounded(to, x as f64))
        }
        (Real(x), Class::Float) => Real(rounded(to, x)),
        _ => return None,
    })
}

fn compare(op: &hlo::compare::Compare, x: &[Number], ty: &ElementType) -> Option<bool> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    // The total order of types with one NaN in the place of -0 is nowhere written.
    let one_nan = [
        ElementType::F8E4M3FNUZ,
        ElementType::F8E5M2FNUZ,
        ElementType::F8E4M3B11FNUZ,
    ];
    if op.compare_type == Some(CompareType::TotalOrder) && one_nan.contains(ty) {
        return None;
    }
    let order = match x {
        [Int(x), Int(y)] => Some(x.cmp(y)),
        [Real(x), Real(y)] if op.compare_type == Some(CompareType::TotalOrder) => {
            // NaN of the type widened to f64 keeps its sign.
            Some(x.total_cmp(y))
        }
        [Real(x), Real(y)] => x.partial_cmp(y),
        _ => return None,
    };
    Some(match op.comparison_direction {
        Direction::Eq => order == Some(Equal),
        Direction::Ne => order != Some(Equal),
        Direction::Lt => order == Some(Less),
        Direction::Gt => order == Some(Greater),
        Direction::Le => matches!(order, Some(Less | Equal)),
        Direction::Ge => matches!(order, Some(Greater | Equal)),
    })
}
