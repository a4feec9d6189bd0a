//! Oracles that compilers and their test suites use by default: rules that say whether outputs are good enough. They are measured, never used.
//!
//! Each sees the outputs of the right and of the changed program on one choice of random inputs, IEEE values only.

macro_rules! oracles {
    ($($module:ident,)*) => {
        $(mod $module;)*

        /// THE list of oracles.
        pub const ORACLES: &[Oracle] = &[$($module::ORACLE,)*];
    };
}

oracles! {
    xla_autotuner,
    hlo_isolation,
    allclose,
    root_mean_square,
    sum_only,
}

/// The rule of most test suites.
pub const ALLCLOSE: &Oracle = &allclose::ORACLE;

use tileproof_dialect::{
    tensor::{Tensor, Value},
    types::{Class, ElementType},
};

/// A rule on the outputs.
pub struct Oracle {
    /// Its file has the same stem.
    pub name: &'static str,
    pub summary: &'static str,
    /// Whether the rule takes output tensor `got` for `want`; both have one type.
    pub accepts: fn(want: &Tensor, got: &Tensor) -> bool,
}

/// Whether the rule takes all outputs. Outputs of other number or type are never taken.
pub fn accepts(oracle: &Oracle, want: &[Value], got: &[Value]) -> bool {
    want.len() == got.len()
        && want.iter().zip(got).all(|pair| match pair {
            (Value::Tensor(w), Value::Tensor(g)) => w.ty() == g.ty() && (oracle.accepts)(w, g),
            (Value::Tuple(w), Value::Tuple(g)) => accepts(oracle, w, g),
            (Value::Token(_), Value::Token(_)) => true,
            (Value::Tensor(_) | Value::Tuple(_) | Value::Token(_), _) => false,
        })
}

/// The numbers of a tensor; a complex one counts as two.
fn numbers(t: &Tensor) -> Vec<f64> {
    match t.element() {
        ElementType::C64 => t.as_slice::<f32>().iter().map(|v| f64::from(*v)).collect(),
        ElementType::C128 => t.as_slice::<f64>().to_vec(),
        _ => t.to_f64s().into_owned(),
    }
}

fn pairs(want: &Tensor, got: &Tensor) -> impl Iterator<Item = (f64, f64)> {
    numbers(want).into_iter().zip(numbers(got))
}

/// Whether the elements are integers or booleans, which most rules compare exactly.
fn is_exact(t: &Tensor) -> bool {
    match t.element().class() {
        Class::Boolean | Class::Signed | Class::Unsigned | Class::Quantized => true,
        Class::Float | Class::Complex => false,
    }
}

fn same_bits(want: &Tensor, got: &Tensor) -> bool {
    want.ieee().bytes() == got.ieee().bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(v: &[f64]) -> Vec<Value> {
        vec![Tensor::from_f64s(&[v.len() as u64], &ElementType::F32, v).into()]
    }

    fn names(want: &[f64], got: &[f64]) -> Vec<&'static str> {
        let all = ORACLES.iter();
        all.filter(|o| accepts(o, &floats(want), &floats(got)))
            .map(|o| o.name)
            .collect()
    }

    #[test]
    fn each_rule_accepts_just_inside_its_bound_and_refuses_just_outside() {
        let all: Vec<&str> = ORACLES.iter().map(|o| o.name).collect();
        assert_eq!(names(&[1.0, -2.0], &[1.0, -2.0]), all);
        // |3 - 2.6| / (3 + 1) = 0.1 is refused, 0.0875 is not.
        assert!(!names(&[3.0], &[2.6]).contains(&"xla-autotuner"));
        assert!(names(&[3.0], &[2.65]).contains(&"xla-autotuner"));
        // Refused only where both bounds are exceeded: 0.009 of 0.05 is far, but small.
        assert!(names(&[0.05], &[0.059]).contains(&"hlo-isolation"));
        assert!(!names(&[0.05], &[0.061]).contains(&"hlo-isolation"));
        assert!(names(&[10.0], &[10.9]).contains(&"hlo-isolation"));
        assert!(!names(&[10.0], &[11.1]).contains(&"hlo-isolation"));
        assert!(names(&[1.0], &[1.0009]).contains(&"allclose"));
        assert!(!names(&[1.0], &[1.0011]).contains(&"allclose"));
        // One element of 10000 off by a tenth: sqrt(0.01 / 10000) = 0.001 of the largest, 1.
        let mut got = vec![1.0; 10_000];
        got[7] = 0.905;
        assert!(names(&[1.0; 10_000], &got).contains(&"root-mean-square"));
        got[7] = 0.89;
        assert!(!names(&[1.0; 10_000], &got).contains(&"root-mean-square"));
        // Two elements exchanged have the same sum, and no other rule takes them.
        assert_eq!(names(&[1.0, 5.0], &[5.0, 1.0]), ["sum-only"]);
    }

    #[test]
    fn nan_is_equal_to_nan_alone_and_integers_are_exact() {
        let nan = f64::NAN;
        let takes_nan = names(&[nan, 1.0], &[nan, 1.0]);
        assert!(takes_nan.contains(&"xla-autotuner") && takes_nan.contains(&"hlo-isolation"));
        assert!(names(&[nan], &[1.0]).is_empty());
        let ints = |v| vec![Tensor::from_i64s(&[1], &ElementType::I32, &[v]).into()];
        let isolation = &ORACLES[1];
        assert!(!accepts(isolation, &ints(100), &ints(101)));
        assert!(accepts(isolation, &ints(100), &ints(100)));
    }
}
