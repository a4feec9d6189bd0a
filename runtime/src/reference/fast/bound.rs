//! Error bounds of matrix products and convolutions: the formula of the definition, its sums of absolute values in f64 made by the fast product.

use super::{convolution, dot_general};
use tileproof_dialect::{
    bound::{Bound, Bounded},
    eval::Stop,
    hlo::{self, contraction, patches::Patches},
    op::Op,
    planes::Planes,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

/// The bounds, or none where the definition must do it.
pub fn bound(
    op: &Op,
    operands: &[Bounded<'_>],
    values: &[Value],
) -> Option<Result<Vec<Bound>, Stop>> {
    let tensor = |i: usize| operands.get(i).and_then(|o| o.value.as_tensor());
    let result = values.first().and_then(Value::as_tensor)?;
    if !result.element().is_float() {
        return None;
    }
    let wide = [Type::tensor(result.dims().to_vec(), ElementType::F64)];
    let Op::Hlo(op) = op;
    let product = |a: &Tensor, b: &Tensor| match op {
        hlo::Op::DotGeneral(op) => dot_general::eval(op, a, b, &wide, Planes::IeeeOnly),
        hlo::Op::Convolution(op) => convolution::eval(op, a, b, &wide, Planes::IeeeOnly),
        _ => None,
    };
    let terms = match op {
        hlo::Op::DotGeneral(op) if op.algorithm.is_none() => {
            op.canonical(tensor(0)?.dims(), tensor(1)?.dims())?.k
        }
        // A sum starts from 0.
        hlo::Op::Convolution(op) => Patches::new(op, tensor(0)?.dims(), tensor(1)?.dims())?.k() + 1,
        _ => return None,
    };
    let lacking = || Stop::internal("no fast product");
    let found = contraction::bound(operands, result, terms, 0.0, |a, b| {
        product(a, b).ok_or_else(lacking)
    });
    match found {
        Err(Stop::Failed(_)) => None,
        found => Some(found.map(|b| vec![b])),
    }
}
