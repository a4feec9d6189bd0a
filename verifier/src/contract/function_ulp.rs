//! How far functions of the pinned jaxlib err, measured: data in `function_ulp.tsv`, written by `python/measure/function_ulp.py`.
//!
//! Where one side calls a function and the other an approximation of it, both may err by this; the formula alone bounds its rounding only.

use std::{collections::HashMap, sync::OnceLock};

static TABLE: OnceLock<HashMap<&'static str, f64>> = OnceLock::new();

/// Largest measured error of the function `name` (without dialect prefix) in units in the last place of f32. None: not measured.
pub fn measured(name: &str) -> Option<f64> {
    let read = || {
        include_str!("function_ulp.tsv")
            .lines()
            .filter(|l| !l.starts_with('#'))
            .filter_map(|l| l.split_once('\t'))
            .filter_map(|(name, ulp)| Some((name, ulp.trim().parse().ok()?)))
            .collect()
    };
    TABLE.get_or_init(read).get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::{builder::Sampler, hlo, op::Kind};

    #[test]
    fn every_measured_function_is_an_opaque_op() {
        measured("exponential").expect("the table holds exponential");
        let names: Vec<&str> = hlo::Op::samples(&mut Sampler::new(1, 3))
            .into_iter()
            .filter(|(_, p)| p.op_ids().any(|id| p.op(id).op.kind() == Kind::Opaque))
            .map(|(name, _)| name)
            .collect();
        for name in TABLE.get().expect("it was read").keys() {
            assert!(names.contains(name), "{name} is no function");
        }
    }
}
