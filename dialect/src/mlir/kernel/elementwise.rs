//! Which elementwise `hlo` ops are arith and math ops of exactly the same meaning, and the way back.
//!
//! Not here, because the meanings differ: shifts (an arith shift by the width or more is poison), integer division and remainder (by zero: undefined in
//! arith), float to integer (out of range: poison in arith), comparisons in total order, arithmetic of booleans (`hlo.add` is a logical or), and everything
//! of unsigned types (arith has no types for them).

use crate::{
    attribute::{AttributeReader, Attributes},
    hlo::{
        self,
        compare::{Compare, Direction},
    },
    location::Location,
    tpu::KernelType,
    types::{Class, ElementType},
};

/// What operands and result of a row are, all of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum On {
    Floats,
    /// Signless integers of more than one bit, and index.
    Integers,
    /// As `Integers`, without index.
    Words,
    /// As `Integers`, and i1.
    Bits,
    /// Vectors of floats.
    FloatVectors,
}

/// Ops without attributes whose operands and result have one type. Of two rows with one `hlo` name the types decide.
const SAME_TYPE: &[(&str, &str, On)] = &[
    ("add", "arith.addf", On::Floats),
    ("add", "arith.addi", On::Integers),
    ("subtract", "arith.subf", On::Floats),
    ("subtract", "arith.subi", On::Integers),
    ("multiply", "arith.mulf", On::Floats),
    ("multiply", "arith.muli", On::Integers),
    ("divide", "arith.divf", On::Floats),
    ("remainder", "arith.remf", On::Floats),
    ("negate", "arith.negf", On::Floats),
    ("maximum", "arith.maximumf", On::Floats),
    ("maximum", "arith.maxsi", On::Integers),
    ("minimum", "arith.minimumf", On::Floats),
    ("minimum", "arith.minsi", On::Integers),
    ("and", "arith.andi", On::Bits),
    ("or", "arith.ori", On::Bits),
    ("xor", "arith.xori", On::Bits),
    ("abs", "math.absf", On::Floats),
    ("abs", "math.absi", On::Words),
    ("acos", "math.acos", On::Floats),
    ("acosh", "math.acosh", On::Floats),
    ("asin", "math.asin", On::Floats),
    ("asinh", "math.asinh", On::Floats),
    ("atan", "math.atan", On::Floats),
    ("atan2", "math.atan2", On::Floats),
    ("atanh", "math.atanh", On::Floats),
    ("cbrt", "math.cbrt", On::Floats),
    ("ceil", "math.ceil", On::Floats),
    ("cosh", "math.cosh", On::Floats),
    ("cosine", "math.cos", On::Floats),
    ("count_leading_zeros", "math.ctlz", On::Words),
    ("erf", "math.erf", On::Floats),
    ("erfc", "math.erfc", On::Floats),
    ("exponential", "math.exp", On::Floats),
    ("exponential_minus_one", "math.expm1", On::Floats),
    ("floor", "math.floor", On::Floats),
    ("log", "math.log", On::Floats),
    ("log_plus_one", "math.log1p", On::Floats),
    ("logistic", "tpu.logistic", On::FloatVectors),
    ("popcnt", "math.ctpop", On::Words),
    ("power", "math.powf", On::Floats),
    ("round_nearest_afz", "math.round", On::Floats),
    ("round_nearest_even", "math.roundeven", On::Floats),
    ("rsqrt", "math.rsqrt", On::Floats),
    ("sine", "math.sin", On::Floats),
    ("sinh", "math.sinh", On::Floats),
    ("sqrt", "math.sqrt", On::Floats),
    ("tan", "math.tan", On::Floats),
    ("tanh", "math.tanh", On::Floats),
];

/// Ops that are read and never written: where arith's meaning is defined, it is that of the `hlo` op.
const READ_ONLY: &[(&str, &str, On)] = &[
    ("divide", "arith.divsi", On::Integers),
    ("remainder", "arith.remsi", On::Integers),
    ("shift_left", "arith.shli", On::Integers),
    ("shift_right_arithmetic", "arith.shrsi", On::Integers),
    ("shift_right_logical", "arith.shrui", On::Integers),
];

/// Predicates of `arith.cmpf` and `arith.cmpi` on signed numbers, and those on i1, where false is below true.
const COMPARISONS: [(Direction, i64, i64, i64); 6] = [
    (Direction::Eq, 1, 0, 0),
    (Direction::Ne, 13, 1, 1),
    (Direction::Lt, 4, 2, 6),
    (Direction::Le, 5, 3, 7),
    (Direction::Gt, 2, 4, 8),
    (Direction::Ge, 3, 5, 9),
];

/// An upstream op: its name and, of a comparison, its predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Upstream {
    pub name: &'static str,
    pub predicate: Option<i64>,
}

fn class(ty: &KernelType) -> Option<Class> {
    ty.element().map(|e| e.class())
}

fn fits(on: On, ty: &KernelType) -> bool {
    let index = *ty == KernelType::Index;
    let integer = class(ty) == Some(Class::Signed);
    match on {
        On::Floats => class(ty) == Some(Class::Float),
        On::Integers => integer,
        On::Words => integer && !index,
        On::Bits => integer || class(ty) == Some(Class::Boolean),
        On::FloatVectors => {
            class(ty) == Some(Class::Float) && ty.dims().is_some_and(|dims| !dims.is_empty())
        }
    }
}

/// The op `name` of the `hlo` list without attributes.
fn plain(name: &str) -> Option<hlo::Op> {
    let location = Location::default();
    let mut reader = AttributeReader::new(name, Attributes::new(), &location);
    let op = hlo::Op::from_attributes(name, &mut reader)?;
    reader.finish().ok().map(|_| op)
}

/// The upstream op that means `op` on these types.
pub(super) fn upstream(
    op: &hlo::Op,
    operands: &[KernelType],
    result: &KernelType,
) -> Option<Upstream> {
    let found = candidate(op, operands, result)?;
    let back = from_upstream(found.name, found.predicate, operands, result);
    (back.as_ref() == Some(op)).then_some(found)
}

fn candidate(op: &hlo::Op, operands: &[KernelType], result: &KernelType) -> Option<Upstream> {
    let named = |name| Upstream {
        name,
        predicate: None,
    };
    match op {
        hlo::Op::Compare(compare) => comparison(compare, operands.first()?),
        hlo::Op::Select(_) => Some(named("arith.select")),
        hlo::Op::Convert(_) => conversion(operands.first()?, result).map(named),
        hlo::Op::BitcastConvert(_) => {
            let words = |ty: &KernelType| {
                matches!(class(ty), Some(Class::Signed | Class::Float)) && *ty != KernelType::Index
            };
            (words(operands.first()?) && words(result)).then(|| named("arith.bitcast"))
        }
        op => {
            if operands.iter().any(|ty| ty != result) {
                return None;
            }
            let row = SAME_TYPE
                .iter()
                .find(|(name, _, on)| *name == op.name() && fits(*on, result))?;
            Some(named(row.1))
        }
    }
}

fn comparison(compare: &Compare, on: &KernelType) -> Option<Upstream> {
    let row = COMPARISONS
        .iter()
        .find(|row| row.0 == compare.comparison_direction)?;
    let (name, predicate) = match class(on)? {
        Class::Float => ("arith.cmpf", row.1),
        Class::Signed => ("arith.cmpi", row.2),
        Class::Boolean => ("arith.cmpi", row.3),
        Class::Unsigned | Class::Complex | Class::Quantized => return None,
    };
    Some(Upstream {
        name,
        predicate: Some(predicate),
    })
}

/// Float types that arith extends and truncates with the meaning of `hlo.convert`: those with infinities and NaN as IEEE 754 has them.
fn ieee(e: &ElementType) -> bool {
    matches!(
        e,
        ElementType::F64 | ElementType::F32 | ElementType::F16 | ElementType::BF16
    )
}

fn conversion(from: &KernelType, to: &KernelType) -> Option<&'static str> {
    if *from == KernelType::Index || *to == KernelType::Index {
        return None;
    }
    let (a, b) = (from.element()?, to.element()?);
    match (a.class(), b.class()) {
        (Class::Float, Class::Float) if a.bits() < b.bits() && ieee(&b) => Some("arith.extf"),
        (Class::Float, Class::Float) if a.bits() > b.bits() && ieee(&a) && ieee(&b) => {
            Some("arith.truncf")
        }
        (Class::Signed, Class::Signed) if a.bits() < b.bits() => Some("arith.extsi"),
        (Class::Signed, Class::Signed) if a.bits() > b.bits() => Some("arith.trunci"),
        (Class::Boolean, Class::Signed) => Some("arith.extui"),
        (Class::Signed, Class::Float) => Some("arith.sitofp"),
        (Class::Boolean, Class::Float) => Some("arith.uitofp"),
        (_, _) => None,
    }
}

/// The `hlo` op that an upstream op means on these types; none when no single one does.
pub(super) fn from_upstream(
    name: &str,
    predicate: Option<i64>,
    operands: &[KernelType],
    result: &KernelType,
) -> Option<hlo::Op> {
    match name {
        "arith.cmpf" | "arith.cmpi" => {
            let on = class(operands.first()?)?;
            let row = COMPARISONS.iter().find(|row| {
                let known = match on {
                    Class::Float => row.1,
                    Class::Signed => row.2,
                    Class::Boolean => row.3,
                    Class::Unsigned | Class::Complex | Class::Quantized => return false,
                };
                Some(known) == predicate
            })?;
            let compare = Compare {
                comparison_direction: row.0,
                compare_type: None,
            };
            Some(compare.into())
        }
        "arith.select" => Some(hlo::select::Select.into()),
        "arith.bitcast" => Some(hlo::bitcast_convert::BitcastConvert.into()),
        "arith.extf" | "arith.truncf" | "arith.extsi" | "arith.trunci" | "arith.extui"
        | "arith.sitofp" | "arith.uitofp" => (conversion(operands.first()?, result) == Some(name))
            .then(|| hlo::convert::Convert.into()),
        // Out of range is poison there, so saturation is as good as anything.
        "arith.fptosi" => {
            (class(result) == Some(Class::Signed)).then(|| hlo::convert::Convert.into())
        }
        _ => {
            let row = SAME_TYPE
                .iter()
                .chain(READ_ONLY)
                .find(|(_, upstream, on)| *upstream == name && fits(*on, result))?;
            plain(row.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(element: ElementType) -> KernelType {
        KernelType::vector(&[8, 128], element)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let all = [
            KernelType::Index,
            vector(ElementType::F32),
            vector(ElementType::I32),
            vector(ElementType::I1),
            KernelType::Scalar(ElementType::BF16),
        ];
        for (name, _, _) in SAME_TYPE {
            let op = plain(name).unwrap_or_else(|| panic!("{name} takes attributes"));
            let written: Vec<_> = all
                .iter()
                .filter(|ty| upstream(&op, &[(*ty).clone(), (*ty).clone()], ty).is_some())
                .collect();
            assert!(!written.is_empty(), "{name}");
        }
    }

    #[test]
    fn other_meanings_are_not_written_as_arith() {
        let none = |op: hlo::Op, from: &[ElementType], to: ElementType| {
            let from: Vec<_> = from.iter().cloned().map(vector).collect();
            assert_eq!(upstream(&op, &from, &vector(to)), None, "{op:?}");
        };
        let two = |e: ElementType| vec![e.clone(), e];
        none(hlo::add::Add.into(), &two(ElementType::I1), ElementType::I1);
        none(
            hlo::add::Add.into(),
            &two(ElementType::U32),
            ElementType::U32,
        );
        none(
            hlo::divide::Divide.into(),
            &two(ElementType::I32),
            ElementType::I32,
        );
        none(
            hlo::shift_left::ShiftLeft.into(),
            &two(ElementType::I32),
            ElementType::I32,
        );
        none(
            hlo::convert::Convert.into(),
            &[ElementType::F32],
            ElementType::I32,
        );
        none(
            hlo::convert::Convert.into(),
            &[ElementType::F32],
            ElementType::F8E4M3FN,
        );
        none(
            hlo::convert::Convert.into(),
            &[ElementType::I32],
            ElementType::I1,
        );
        let total = Compare {
            comparison_direction: Direction::Lt,
            compare_type: Some(crate::hlo::compare::CompareType::TotalOrder),
        };
        none(total.into(), &two(ElementType::F32), ElementType::I1);
        let accurate = hlo::exponential::Exponential {
            result_accuracy: Some(Attributes::new().with("mode", "HIGHEST")),
        };
        none(accurate.into(), &[ElementType::F32], ElementType::F32);
    }

    #[test]
    fn predicates_are_those_of_arith() {
        let of = |direction, element: ElementType| {
            let op = Compare {
                comparison_direction: direction,
                compare_type: None,
            };
            let on = vector(element);
            upstream(&op.into(), &[on.clone(), on], &vector(ElementType::I1))
                .and_then(|u| u.predicate)
        };
        // oeq = 1, une = 13; eq = 0, slt = 2; ult = 6.
        assert_eq!(of(Direction::Eq, ElementType::F32), Some(1));
        assert_eq!(of(Direction::Ne, ElementType::F32), Some(13));
        assert_eq!(of(Direction::Lt, ElementType::I32), Some(2));
        assert_eq!(of(Direction::Lt, ElementType::I1), Some(6));
    }
}
