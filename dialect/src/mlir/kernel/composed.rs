//! Upstream and Mosaic ops that several `hlo` ops mean.

use super::{
    attributes::word,
    decode::Decoding,
    reader::Reader,
    translate::{Not, known, missing},
};
use crate::{
    attribute::Attributes,
    literal::Literal,
    location::Location,
    op::read_hlo,
    tensor::Tensor,
    tpu::{KernelType, KernelValue, TpuOp},
    types::{Class, ElementType},
};

impl Decoding<'_> {
    /// Upstream and Mosaic ops that several `hlo` ops mean.
    pub(super) fn composed(
        &mut self,
        name: &str,
        r: &Reader,
        operands: &[KernelValue],
        of: &[KernelType],
        ty: &KernelType,
    ) -> Result<KernelValue, Not> {
        let location = &r.location;
        let (Some(a), Some(from)) = (operands.first().copied(), of.first()) else {
            return Err(Not::Known);
        };
        let plain = |name: &str| -> Result<TpuOp, Not> {
            let read = read_hlo(name, Attributes::new(), location).map_err(|_| Not::Known)?;
            Ok(TpuOp::Elementwise(read.0))
        };
        let unsigned_pair = |name: &str| match name {
            "arith.divui" => Some("divide"),
            "arith.remui" => Some("remainder"),
            "arith.maxui" => Some("maximum"),
            "arith.minui" => Some("minimum"),
            _ => None,
        };
        if let Some(hlo) = unsigned_pair(name) {
            let unsigned = known(with_element(ty, unsigned_of))?;
            let cast = plain("bitcast_convert")?;
            let cast_operands: Vec<KernelValue> = operands
                .iter()
                .map(|v| self.emit(cast.clone(), &[*v], unsigned.clone(), location))
                .collect();
            let v = self.emit(plain(hlo)?, &cast_operands, unsigned, location);
            return Ok(self.emit(cast, &[v], ty.clone(), location));
        }
        let compare = |direction: &str| -> Result<TpuOp, Not> {
            let attributes = Attributes::new().with("comparison_direction", direction);
            let read = read_hlo("compare", attributes, location).map_err(|_| Not::Known)?;
            Ok(TpuOp::Elementwise(read.0))
        };
        match name {
            // Unsigned predicates of integers; unordered ones of floats are the negation of the opposite ordered one.
            "arith.cmpi" => {
                let direction = match r.int("predicate") {
                    Some(6) => "LT",
                    Some(7) => "LE",
                    Some(8) => "GT",
                    Some(9) => "GE",
                    Some(_) | None => return Err(Not::Known),
                };
                let unsigned = known(with_element(from, unsigned_of))?;
                let cast = plain("bitcast_convert")?;
                let cast_operands: Vec<KernelValue> = operands
                    .iter()
                    .map(|v| self.emit(cast.clone(), &[*v], unsigned.clone(), location))
                    .collect();
                Ok(self.emit(compare(direction)?, &cast_operands, ty.clone(), location))
            }
            "arith.cmpf" => {
                let opposite = match r.int("predicate") {
                    Some(9) => "LE",
                    Some(10) => "LT",
                    Some(11) => "GE",
                    Some(12) => "GT",
                    // uno, ord: some operand is NaN, none is.
                    Some(predicate @ (7 | 14)) => {
                        let (direction, join) = if predicate == 7 {
                            ("EQ", "and")
                        } else {
                            ("NE", "or")
                        };
                        let b = *known(operands.get(1))?;
                        let x = self.emit(compare(direction)?, &[a, a], ty.clone(), location);
                        let y = self.emit(compare(direction)?, &[b, b], ty.clone(), location);
                        return Ok(self.emit(plain(join)?, &[x, y], ty.clone(), location));
                    }
                    Some(_) | None => return Err(missing("this predicate")),
                };
                let v = self.emit(compare(opposite)?, operands, ty.clone(), location);
                Ok(self.emit(plain("not")?, &[v], ty.clone(), location))
            }
            "arith.extui" | "arith.uitofp" => {
                let unsigned = known(with_element(from, unsigned_of))?;
                let v = self.emit(plain("bitcast_convert")?, &[a], unsigned, location);
                match with_element(ty, unsigned_of) {
                    Some(wide) => {
                        let v = self.emit(plain("convert")?, &[v], wide, location);
                        Ok(self.emit(plain("bitcast_convert")?, &[v], ty.clone(), location))
                    }
                    None => Ok(self.emit(plain("convert")?, &[v], ty.clone(), location)),
                }
            }
            "arith.trunci" if ty.element() == Some(ElementType::I1) => {
                // The lowest bit.
                let one = self.filled(from, 1.0, location)?;
                let bit = self.emit(plain("and")?, &[a, one], from.clone(), location);
                Ok(self.emit(plain("convert")?, &[bit], ty.clone(), location))
            }
            "arith.index_castui" => Err(missing("an unsigned index")),
            "tpu.extf" => Ok(self.emit(plain("convert")?, &[a], ty.clone(), location)),
            "tpu.truncf" | "tpu.sitofp" => match self.rounding(r)? {
                "to_nearest_even" => Ok(self.emit(plain("convert")?, &[a], ty.clone(), location)),
                _ => Err(missing("rounding towards zero")),
            },
            "tpu.fptosi" => match self.rounding(r)? {
                "to_nearest_even" => {
                    let v = self.emit(plain("round_nearest_even")?, &[a], from.clone(), location);
                    Ok(self.emit(plain("convert")?, &[v], ty.clone(), location))
                }
                _ => Ok(self.emit(plain("convert")?, &[a], ty.clone(), location)),
            },
            "tpu.bitcast" if from.dims() == ty.dims() => {
                Ok(self.emit(plain("bitcast_convert")?, &[a], ty.clone(), location))
            }
            "tpu.reciprocal" => {
                let one = self.filled(from, 1.0, location)?;
                Ok(self.emit(plain("divide")?, &[one, a], ty.clone(), location))
            }
            "tpu.weird" => {
                let v = self.emit(plain("is_finite")?, &[a], ty.clone(), location);
                Ok(self.emit(plain("not")?, &[v], ty.clone(), location))
            }
            "math.fma" => Err(missing("a product and sum with one rounding")),
            "math.exp2" => {
                let two = self.filled(from, 2.0, location)?;
                Ok(self.emit(plain("power")?, &[two, a], ty.clone(), location))
            }
            _ => Err(Not::Known),
        }
    }

    /// A constant of this type, each element `value`.
    fn filled(
        &mut self,
        ty: &KernelType,
        value: f64,
        location: &Location,
    ) -> Result<KernelValue, Not> {
        let (dims, element) = known(ty.dims().zip(ty.element()))?;
        let literal = Literal::from_tensor(&Tensor::splat_f64(dims, &element, value));
        Ok(self.emit(TpuOp::Constant(literal), &[], ty.clone(), location))
    }

    fn rounding(&self, r: &Reader) -> Result<&'static str, Not> {
        match r
            .text("rounding_mode")
            .as_deref()
            .and_then(|t| word(t, "tpu.rounding_mode"))
        {
            Some("to_nearest_even") => Ok("to_nearest_even"),
            Some("towards_zero") => Ok("towards_zero"),
            Some(_) | None => Err(Not::Known),
        }
    }
}

fn with_element(
    ty: &KernelType,
    change: impl Fn(&ElementType) -> Option<ElementType>,
) -> Option<KernelType> {
    match ty {
        KernelType::Scalar(e) => change(e).map(KernelType::Scalar),
        KernelType::Vector { dims, element } => Some(KernelType::vector(dims, change(element)?)),
        KernelType::Index | KernelType::MemRef(_) => None,
    }
}

/// The unsigned integer of as many bits.
fn unsigned_of(e: &ElementType) -> Option<ElementType> {
    (e.class() == Class::Signed)
        .then(|| ElementType::from_mlir_name(&format!("u{}", e.mlir_name())))?
}
