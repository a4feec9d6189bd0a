//! How many ulps functions of the pinned jaxlib err, measured: `verifier/data/function_ulp.tsv`, which `python/measure/function_ulp.py` writes.
//!
//! Where one side calls a function and the other an approximation of it, or compiled code of it, both may err by this; the formula alone bounds its rounding only.

use std::sync::OnceLock;
use tileproof_dialect::types::ElementType;

struct Line {
    function: &'static str,
    ty: &'static str,
    ulps: f64,
}

fn table() -> &'static [Line] {
    static TABLE: OnceLock<Vec<Line>> = OnceLock::new();
    TABLE.get_or_init(|| {
        include_str!("../../data/function_ulp.tsv")
            .lines()
            .filter(|l| !l.starts_with('#'))
            .filter_map(|line| {
                let mut fields = line.split('\t');
                Some(Line {
                    function: fields.next()?,
                    ty: fields.next()?,
                    ulps: fields.next()?.parse().ok()?,
                })
            })
            .collect()
    })
}

/// Largest measured error of the function `name` (without dialect prefix) on real numbers of this type. None: not measured.
pub fn measured(name: &str, element: &ElementType) -> Option<f64> {
    let ty = element.to_string();
    let own = table().iter().find(|l| l.function == name && l.ty == ty)?;
    Some(own.ulps)
}

/// Largest measured error of any elementary function on this type, at least 1: of those measured in every type.
pub fn worst(element: &ElementType) -> f64 {
    let ty = element.to_string();
    let elementary = |name: &str| table().iter().any(|l| l.function == name && l.ty == "f64");
    let of_type = table()
        .iter()
        .filter(|l| l.ty == ty && elementary(l.function));
    of_type.map(|l| l.ulps).fold(1.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{builder::Sampler, hlo, op::Kind};

    #[test]
    fn every_measured_function_is_an_opaque_op() {
        measured("exponential", &ElementType::F32).expect("the table holds exponential");
        measured("zeta", &ElementType::F32).expect("the table holds zeta");
        let names: Vec<&str> = hlo::Op::samples(&mut Sampler::new(1, 3))
            .into_iter()
            .filter(|(_, p)| p.op_ids().any(|id| p.op(id).op.kind() == Kind::Opaque))
            .map(|(name, _)| name)
            .collect();
        for line in table() {
            assert!(
                names.contains(&line.function),
                "{} is no function",
                line.function
            );
        }
    }
}
