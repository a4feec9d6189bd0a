//! The `algorithm` attribute of `dot_general`: operands are rounded to a precision type, or split into components of it whose products are summed.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::unit_roundoff,
    buffer::Buffer,
    error::Diagnostic,
    location::Location,
    tensor::Tensor,
    types::ElementType,
};

/// StableHLO specification, dot_general, `DotAlgorithm`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DotAlgorithm {
    pub lhs_precision_type: PrecisionType,
    pub rhs_precision_type: PrecisionType,
    pub accumulation_type: PrecisionType,
    pub lhs_component_count: i64,
    pub rhs_component_count: i64,
    pub num_primitive_operations: i64,
    pub allow_imprecise_accumulation: bool,
}

/// A float type, or TensorFloat32: the range of f32 with 10 stored bits of significand.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PrecisionType {
    Element(ElementType),
    TensorFloat32,
}

impl PrecisionType {
    fn read(reader: &mut AttributeReader<'_>, name: &str) -> PrecisionType {
        let word = reader.str(name);
        match word.as_str() {
            "tf32" => PrecisionType::TensorFloat32,
            _ => match ElementType::from_mlir_name(&word).filter(ElementType::is_float) {
                Some(element) => PrecisionType::Element(element),
                None => {
                    reader.reject(format!("algorithm: {name} '{word}' is no float type"));
                    PrecisionType::Element(ElementType::F32)
                }
            },
        }
    }

    fn name(&self) -> String {
        match self {
            PrecisionType::Element(e) => e.mlir_name(),
            PrecisionType::TensorFloat32 => "tf32".to_string(),
        }
    }

    /// Unit roundoff.
    pub fn unit_roundoff(&self) -> f64 {
        match self {
            PrecisionType::Element(e) => unit_roundoff(e),
            PrecisionType::TensorFloat32 => 2f64.powi(-11),
        }
    }

    /// Every value rounded to nearest even in this type.
    fn round(&self, values: &[f64]) -> Vec<f64> {
        match self {
            PrecisionType::Element(e) => {
                let dims = [values.len() as u64];
                Tensor::from_f64s(&dims, e, values).to_f64s().into_owned()
            }
            PrecisionType::TensorFloat32 => values.iter().map(|v| round_tf32(*v)).collect(),
        }
    }
}

/// An f32 value rounded to 10 stored bits of significand, ties to even.
fn round_tf32(v: f64) -> f64 {
    let v = v as f32;
    if !v.is_finite() {
        return v.into();
    }
    let bits = v.to_bits();
    let up = 0xfff + ((bits >> 13) & 1);
    f32::from_bits((bits + up) & !0x1fff).into()
}

impl DotAlgorithm {
    /// Reads the dictionary attribute `algorithm`.
    pub fn read(reader: &mut AttributeReader<'_>) -> Option<DotAlgorithm> {
        let fields = reader.opt_dict("algorithm")?;
        let location = Location::default();
        let mut inner = AttributeReader::new("dot_general", fields, &location);
        let algorithm = DotAlgorithm {
            lhs_precision_type: PrecisionType::read(&mut inner, "lhs_precision_type"),
            rhs_precision_type: PrecisionType::read(&mut inner, "rhs_precision_type"),
            accumulation_type: PrecisionType::read(&mut inner, "accumulation_type"),
            lhs_component_count: inner.int("lhs_component_count"),
            rhs_component_count: inner.int("rhs_component_count"),
            num_primitive_operations: inner.int("num_primitive_operations"),
            allow_imprecise_accumulation: inner.bool("allow_imprecise_accumulation"),
        };
        match inner.finish() {
            Ok(unknown) => unknown.0.keys().for_each(|name| {
                reader.reject(format!("algorithm: unknown field '{name}'"));
            }),
            Err(all) => all.into_iter().for_each(|Diagnostic { message, .. }| {
                reader.reject(format!("algorithm: {message}"));
            }),
        }
        Some(algorithm)
    }

    pub fn attributes(&self) -> Attributes {
        Attributes::new()
            .with("lhs_precision_type", self.lhs_precision_type.name())
            .with("rhs_precision_type", self.rhs_precision_type.name())
            .with("accumulation_type", self.accumulation_type.name())
            .with("lhs_component_count", attribute(self.lhs_component_count))
            .with("rhs_component_count", attribute(self.rhs_component_count))
            .with(
                "num_primitive_operations",
                attribute(self.num_primitive_operations),
            )
            .with(
                "allow_imprecise_accumulation",
                self.allow_imprecise_accumulation,
            )
    }

    /// Numbers (lhs, rhs) of the components whose products are summed, smallest products first: the `num_primitive_operations` pairs of
    /// smallest i + j.
    pub fn products(&self) -> Vec<(usize, usize)> {
        let mut pairs: Vec<(usize, usize)> = (0..self.lhs_component_count.clamp(0, 8) as usize)
            .flat_map(|i| (0..self.rhs_component_count.clamp(0, 8) as usize).map(move |j| (i, j)))
            .collect();
        pairs.sort_by_key(|(i, j)| (i + j, *i));
        pairs.truncate(self.num_primitive_operations.max(0) as usize);
        pairs.reverse();
        pairs
    }

    /// Components of `t` as f32 (f64 where `t` or the precision type is f64): the first is `t` rounded, the next what is left of it rounded, and so on.
    pub fn components(t: &Tensor, precision: &PrecisionType, number: i64) -> Vec<Tensor> {
        let wide = *t.element() == ElementType::F64
            || *precision == PrecisionType::Element(ElementType::F64);
        let element = if wide {
            ElementType::F64
        } else {
            ElementType::F32
        };
        let mut left = t.to_f64s().into_owned();
        (0..number.clamp(0, 8))
            .map(|_| {
                let part = precision.round(&left);
                for (l, p) in left.iter_mut().zip(&part) {
                    *l = if p.is_finite() { *l - p } else { 0.0 };
                }
                Tensor::new(
                    t.dims().to_vec(),
                    element.clone(),
                    crate::tensor::encode_f64s(&element, &part),
                    None::<Buffer>,
                )
            })
            .collect()
    }

    /// Relative error the rounding of both operands gives one product.
    pub fn rounding(&self) -> f64 {
        let operand = |p: &PrecisionType, n: i64| p.unit_roundoff().powi(n.clamp(1, 8) as i32);
        let (a, b) = (
            operand(&self.lhs_precision_type, self.lhs_component_count),
            operand(&self.rhs_precision_type, self.rhs_component_count),
        );
        // Pairs (i, j) left out are at most u^(i+j); the largest of them counts, times the number of pairs.
        let used = self.products();
        let dropped = (0..self.lhs_component_count.clamp(0, 8) as usize)
            .flat_map(|i| (0..self.rhs_component_count.clamp(0, 8) as usize).map(move |j| (i, j)))
            .filter(|pair| !used.contains(pair))
            .map(|(i, j)| {
                self.lhs_precision_type.unit_roundoff().powi(i as i32)
                    * self.rhs_precision_type.unit_roundoff().powi(j as i32)
            })
            .sum::<f64>();
        a + b + a * b + dropped
    }
}

fn attribute(v: i64) -> crate::attribute::Attribute {
    v.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tf32_keeps_ten_bits_and_ties_to_even() {
        assert_eq!(round_tf32(1.0 + 2f64.powi(-11)), 1.0);
        assert_eq!(round_tf32(1.0 + 3.0 * 2f64.powi(-11)), 1.0 + 2f64.powi(-9));
        assert_eq!(round_tf32(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn three_bf16_components_hold_an_f32_exactly() {
        let x = Tensor::from_slice(&[2], ElementType::F32, &[0.1f32, -123.456]);
        let precision = PrecisionType::Element(ElementType::BF16);
        let parts = DotAlgorithm::components(&x, &precision, 3);
        let sum: Vec<f64> = (0..2)
            .map(|i| parts.iter().map(|p| p.to_f64s()[i]).sum())
            .collect();
        assert_eq!(sum, x.to_f64s().as_ref());
    }
}
