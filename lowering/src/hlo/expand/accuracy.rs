//! How far the expansions lie from the functions they are named after, as `expansion_accuracy` measured it.

use tileproof_dialect::{
    numerics::{Contract, Numerics, SpecialValues},
    types::ElementType,
};

/// Largest distance of an expansion from its function: `max_ulp` units in the last place of the result, or of `floor` where the result is smaller.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Accuracy {
    pub max_ulp: f64,
    pub floor: f64,
    /// Holds for operands that are not subnormal.
    pub normal_operands: bool,
}

/// Name, worst ulp in f64, f32, f16 and bf16, and their floors.
const MEASURED: &[(&str, [f64; 4], [f64; 4])] = &[
    ("acos", [2.0, 2.0, 2.0, 2.0], [0.0; 4]),
    ("acosh", [3.0, 3.0, 2.0, 2.0], [0.0; 4]),
    ("asin", [2.0, 2.0, 2.0, 2.0], [0.0; 4]),
    ("asinh", [2.0, 2.0, 2.0, 2.0], [0.0; 4]),
    ("atan", [2.0, 1.0, 1.0, 1.0], [0.0; 4]),
    ("atanh", [3.0, 2.0, 2.0, 2.0], [0.0; 4]),
    ("bessel_i1e", [1.0, 16.0, 1.0, 1.0], [0.0; 4]),
    ("cosh", [3.0, 3.0, 1.0, 1.0], [0.0; 4]),
    ("digamma", [64.0, 24.0, 1.0, 1.0], [1.0; 4]),
    ("erf", [4.0, 8.0, 1.0, 1.0], [0.0, 1e-35, 0.0, 0.0]),
    ("erf_inv", [6.0, 5.0, 1.0, 1.0], [0.0; 4]),
    ("erfc", [16.0, 12.0, 1.0, 2.0], [1e-290, 1e-32, 0.0, 0.0]),
    ("lgamma", [128.0, 64.0, 1.0, 1.0], [1.0; 4]),
    ("next_after", [0.0; 4], [0.0; 4]),
    ("sinh", [4.0, 4.0, 1.0, 1.0], [0.0; 4]),
];

/// What was measured of expansion `name` in a type; none in types it was not measured in.
pub fn accuracy(name: &str, element: &ElementType) -> Option<Accuracy> {
    let (_, measured, floors) = MEASURED.iter().find(|row| row.0 == name)?;
    let column = super::ELEMENTS.iter().position(|e| e == element)?;
    Some(Accuracy {
        max_ulp: *measured.get(column)?,
        floor: *floors.get(column)?,
        // Its sine of a subnormal number has few bits, its logarithm none to spare.
        normal_operands: name == "lgamma",
    })
}

/// The contract of expansion `name` in all types.
pub(super) fn numerics(name: &str) -> Numerics {
    let all = super::ELEMENTS.iter().filter_map(|e| accuracy(name, e));
    let max_ulp = all.fold(0.0, |worst: f64, a| worst.max(a.max_ulp));
    let mut numerics = Numerics::of(if max_ulp == 0.0 {
        Contract::BitExact
    } else {
        Contract::Approximates { max_ulp }
    });
    if accuracy(name, &ElementType::F32).is_some_and(|a| a.normal_operands) {
        numerics.special.push(SpecialValues::Subnormal);
    }
    numerics
}
