//! The neighbour of a float, on its bits.

use super::formula::{Formula, Term};
use tileproof_dialect::{hlo::compare::Direction, types::ElementType};

pub fn next_after(f: &mut Formula, operands: &[Term]) -> Term {
    let (x, y) = (operands[0], operands[1]);
    let float = f.element().clone();
    let bits = match float.bits() {
        16 => ElementType::I16,
        32 => ElementType::I32,
        _ => ElementType::I64,
    };
    let x_is_nan = f.compare(x, Direction::Ne, x);
    let y_is_nan = f.compare(y, Direction::Ne, y);
    let is_nan = f.or(x_is_nan, y_is_nan);
    let nan = f.constant(f64::NAN);
    let nan = f.bitcast(nan, &bits);
    let is_equal = f.compare(x, Direction::Eq, y);
    let (x_bits, y_bits) = (f.bitcast(x, &bits), f.bitcast(y, &bits));
    let sign = f.integer(&bits, i64::MIN >> (64 - bits.bits()));
    let magnitude = f.integer(&bits, i64::MAX >> (64 - bits.bits()));
    let (zero, one) = (f.integer(&bits, 0), f.integer(&bits, 1));
    let minus_one = f.integer(&bits, -1);
    let x_magnitude = f.and(x_bits, magnitude);
    let y_magnitude = f.and(y_bits, magnitude);
    let x_is_zero = f.compare(x_magnitude, Direction::Eq, zero);
    let y_is_zero = f.compare(y_magnitude, Direction::Eq, zero);
    let (x_sign, y_sign) = (f.and(x_bits, sign), f.and(y_bits, sign));
    let smallest = f.or(y_sign, one);
    let from_zero = f.select(y_is_zero, y_bits, smallest);
    let is_longer = f.compare(x_magnitude, Direction::Gt, y_magnitude);
    let differ_in_sign = f.compare(x_sign, Direction::Ne, y_sign);
    let is_inward = f.or(is_longer, differ_in_sign);
    let step = f.select(is_inward, minus_one, one);
    let stepped = f.add(x_bits, step);
    let result = f.select(x_is_zero, from_zero, stepped);
    let result = f.select(is_equal, y_bits, result);
    let result = f.select(is_nan, nan, result);
    f.bitcast(result, &float)
}
