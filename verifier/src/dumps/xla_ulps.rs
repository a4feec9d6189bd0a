//! How many ulps XLA's functions err, as measured on one jaxlib (`python/measure/ulps.py` writes the table).

use tileproof_dialect::{op::Op, tensor::Value, types::ElementType};

const TABLE: &str = include_str!("../../data/xla_ulps.tsv");

/// Lines of the table: function, type, ulps.
fn measured() -> impl Iterator<Item = (&'static str, &'static str, f64)> {
    TABLE
        .lines()
        .filter(|l| !l.starts_with('#'))
        .filter_map(|line| {
            let mut fields = line.split('\t');
            let (function, ty, ulps) = (fields.next()?, fields.next()?, fields.next()?);
            Some((function, ty, ulps.parse().ok()?))
        })
}

/// Largest error of the function `op` for the type of its results, in ulps: what was measured and one more, since samples miss the worst argument. A function
/// that was not measured, and one of complex numbers, may be as bad as the worst of the type that was.
pub fn of(op: &Op, results: &[Value]) -> f64 {
    let Op::Hlo(inner) = op;
    let element = results
        .iter()
        .find_map(|v| v.as_tensor())
        .map_or(ElementType::F32, |t| t.element().clone());
    let part = element.complex_part();
    let name = part.as_ref().unwrap_or(&element).to_string();
    let of_type = || measured().filter(|(_, ty, _)| *ty == name);
    let own = of_type().find(|(function, _, _)| part.is_none() && *function == inner.name());
    let ulps = match own {
        Some((_, _, ulps)) => ulps,
        None => of_type().map(|(_, _, ulps)| ulps).fold(1.0, f64::max),
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
        assert_eq!(of(&cosine, &x(ElementType::C64)), e);
    }
}
