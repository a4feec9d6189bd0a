//! How many ulps compiled functions may err: what was measured of XLA's and one more.

use crate::contract::function_ulp;
use tileproof_dialect::{op::Op, tensor::Value, types::ElementType};

/// Largest error of the function `op` for the type of its results, in ulps: what was measured and one more, since samples miss the worst argument. A function
/// that was not measured, and one of complex numbers, may be as bad as the worst of the type that was.
pub fn of(op: &Op, results: &[Value]) -> f64 {
    let Op::Hlo(inner) = op;
    let element = results
        .iter()
        .find_map(|v| v.as_tensor())
        .map_or(ElementType::F32, |t| t.element().clone());
    let ulps = match element.complex_part() {
        Some(part) => function_ulp::worst(&part),
        None => function_ulp::measured(inner.name(), &element)
            .unwrap_or_else(|| function_ulp::worst(&element)),
    };
    ulps + 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{hlo, tensor::Tensor};

    #[test]
    fn measured_functions_have_their_own_error_and_others_the_worst() {
        let x = |e: ElementType| [Value::from(Tensor::splat_f64(&[1], &e, 1.0))];
        let cosine = Op::Hlo(hlo::cosine::Cosine::default().into());
        let erf = Op::Hlo(hlo::erf::Erf.into());
        let (c, e) = (
            of(&cosine, &x(ElementType::F32)),
            of(&erf, &x(ElementType::F32)),
        );
        assert!(c > 1.0 && c < e, "{c} {e}");
        assert!(of(&cosine, &x(ElementType::C64)) > c);
    }
}
