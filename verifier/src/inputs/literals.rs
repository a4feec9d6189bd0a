//! Literals of a program among its inputs: what it compares with happens.

use super::{Random, limits, walk::Walk};
use tileproof_dialect::{
    hlo, op::Op, program::Program, tensor::Tensor, types::Class as Arithmetic,
};

/// Most distinct literals of a program that inputs take.
const MOST_LITERALS: usize = 64;

/// Scalar and splat literals of a program, as numbers.
pub(super) fn literals_of(program: &Program) -> Vec<f64> {
    let mut out: Vec<f64> = vec![];
    for id in program.op_ids() {
        let Op::Hlo(op) = &program.op(id).op;
        if let hlo::Op::Constant(c) = op
            && let Some(one) = c.value.splat_value()
            && !one.element().is_complex()
            && out.len() < MOST_LITERALS
        {
            let x = one.to_f64s()[0];
            if x.is_finite() && !out.contains(&x) {
                out.push(x);
            }
        }
    }
    out
}

/// Puts literals of the program and their neighbours in the place of every fourth element: what a program compares with happens. At every other seed a
/// small tensor begins with them, from another one on each time.
pub(super) fn with_literals(
    t: Tensor,
    literals: &[f64],
    walk: Walk,
    random: &mut Random,
) -> Tensor {
    let is_number = matches!(
        t.element().class(),
        Arithmetic::Signed | Arithmetic::Unsigned | Arithmetic::Float
    );
    if literals.is_empty() || !is_number {
        return t;
    }
    let (low, high) = limits(t.element());
    let is_float = t.element().is_float();
    let unit = 2.0 * tileproof_dialect::bound::unit_roundoff(t.element());
    let beside = |x: f64, by: i64| {
        if is_float {
            x + by as f64 * unit * x.abs()
        } else {
            x + by as f64
        }
    };
    let mut all: Vec<f64> = t.to_f64s().into_owned();
    let mut exact: Vec<i64> = if is_float {
        vec![]
    } else {
        t.to_i64s().to_vec()
    };
    let turn = walk.turn as usize;
    let begins = turn.is_multiple_of(2) && t.len() <= Walk::HEAD;
    for (i, v) in all.iter_mut().enumerate() {
        let drawn = random.bits();
        let place = if begins {
            (turn / 2 + walk.first + i) % (3 * literals.len())
        } else if drawn.is_multiple_of(4) {
            (drawn >> 8) as usize % (3 * literals.len())
        } else {
            continue;
        };
        let x = beside(literals[place / 3], place as i64 % 3 - 1);
        *v = x;
        if let Some(v) = exact.get_mut(i) {
            *v = (x as i64).clamp(low, high);
        }
    }
    if is_float {
        Tensor::from_f64s(t.dims(), t.element(), &all)
    } else {
        Tensor::from_i64s(t.dims(), t.element(), &exact)
    }
}
