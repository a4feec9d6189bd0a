//! Typed views of and builders for every op of our dialects, generated from the ODS records by build.rs.

use super::locations::text;
use melior::ir::{
    Attribute, AttributeLike, Identifier, Location, Operation, OperationRef, Region, RegionRef,
    Type, Value,
    attribute::{
        ArrayAttribute, BoolAttribute, DenseI64ArrayAttribute, FlatSymbolRefAttribute,
        FloatAttribute, IntegerAttribute, StringAttribute,
    },
    operation::{OperationBuilder, OperationLike},
};
use std::ops::Range;

/// The structure of an op: for each operand, result and region whether it is variadic.
pub struct OpDef {
    pub name: &'static str,
    pub operands: &'static [bool],
    pub results: &'static [bool],
    pub regions: &'static [bool],
    pub attributes: &'static [AttributeDef],
}

/// An attribute of an op: its ODS kind, and whether it may be absent.
pub struct AttributeDef {
    pub name: &'static str,
    pub kind: &'static str,
    pub optional: bool,
}

impl OpDef {
    fn matches(&self, op: OperationRef) -> bool {
        op.name().as_string_ref().as_str() == Ok(self.name)
            && fits(self.operands, op.operand_count())
            && fits(self.results, op.result_count())
            && fits(self.regions, op.region_count())
    }
    fn operands<'c, 'a>(&self, op: OperationRef<'c, 'a>, index: usize) -> Vec<Value<'c, 'a>> {
        segment(self.operands, op.operand_count(), index)
            .map(|i| op.operand(i).unwrap())
            .collect()
    }
    fn operand<'c, 'a>(&self, op: OperationRef<'c, 'a>, index: usize) -> Value<'c, 'a> {
        op.operand(segment(self.operands, op.operand_count(), index).start)
            .unwrap()
    }
    fn results<'c, 'a>(&self, op: OperationRef<'c, 'a>, index: usize) -> Vec<Value<'c, 'a>> {
        segment(self.results, op.result_count(), index)
            .map(|i| op.result(i).unwrap().into())
            .collect()
    }
    fn result<'c, 'a>(&self, op: OperationRef<'c, 'a>, index: usize) -> Value<'c, 'a> {
        op.result(segment(self.results, op.result_count(), index).start)
            .unwrap()
            .into()
    }
    fn regions<'c, 'a>(&self, op: OperationRef<'c, 'a>, index: usize) -> Vec<RegionRef<'c, 'a>> {
        segment(self.regions, op.region_count(), index)
            .map(|i| op.region(i).unwrap())
            .collect()
    }
    fn region<'c, 'a>(&self, op: OperationRef<'c, 'a>, index: usize) -> RegionRef<'c, 'a> {
        op.region(segment(self.regions, op.region_count(), index).start)
            .unwrap()
    }
}

fn variadics(variadic: &[bool]) -> usize {
    variadic.iter().filter(|v| **v).count()
}

/// Several variadic items of one op are equally long.
fn fits(variadic: &[bool], count: usize) -> bool {
    let many = variadics(variadic);
    let fixed = variadic.len() - many;
    if many == 0 {
        count == fixed
    } else {
        count >= fixed && (count - fixed).is_multiple_of(many)
    }
}

fn segment(variadic: &[bool], count: usize, index: usize) -> Range<usize> {
    let many = variadics(variadic);
    let length = (count - (variadic.len() - many))
        .checked_div(many)
        .unwrap_or(0);
    let start = variadic[..index]
        .iter()
        .map(|v| if *v { length } else { 1 })
        .sum();
    start..start + if variadic[index] { length } else { 1 }
}

/// The name of a function, without `@`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol(pub String);

/// Attributes as plain Rust values.
pub trait Plain<'c>: Sized {
    fn from_attribute(attribute: Attribute<'c>) -> Option<Self>;
}

/// The other direction; slices too.
pub trait ToAttribute<'c> {
    fn to_attribute(&self, context: &'c melior::Context) -> Attribute<'c>;
}

/// The attribute as a plain value; `None` when it is absent or of another kind.
pub fn attribute<'c, T: Plain<'c>>(op: OperationRef<'c, '_>, name: &str) -> Option<T> {
    T::from_attribute(op.attribute(name).ok()?)
}

macro_rules! scalar {
    ($rust:ty, $mlir:ident, |$a:ident| $read:expr, |$c:ident, $v:ident| $write:expr) => {
        impl<'c> Plain<'c> for $rust {
            fn from_attribute(attribute: Attribute<'c>) -> Option<Self> {
                let $a = $mlir::try_from(attribute).ok()?;
                Some($read)
            }
        }
        impl<'c> ToAttribute<'c> for $rust {
            fn to_attribute(&self, $c: &'c melior::Context) -> Attribute<'c> {
                let $v = self;
                $write
            }
        }
    };
}

scalar!(bool, BoolAttribute, |a| a.value(), |c, v| {
    BoolAttribute::new(c, *v).into()
});
scalar!(i64, IntegerAttribute, |a| a.value(), |c, v| {
    IntegerAttribute::new(melior::ir::r#type::IntegerType::new(c, 64).into(), *v).into()
});
scalar!(f64, FloatAttribute, |a| a.value(), |c, v| {
    FloatAttribute::new(c, Type::float64(c), *v).into()
});
// melior's own readers panic on empty strings and on strings that are not UTF-8.
scalar!(
    String,
    StringAttribute,
    // SAFETY: an attribute's string lives as long as its context.
    |a| unsafe { text(mlir_sys::mlirStringAttrGetValue(a.to_raw())) },
    |c, v| v.as_str().to_attribute(c)
);
scalar!(
    Symbol,
    FlatSymbolRefAttribute,
    // SAFETY: as above.
    |a| Symbol(unsafe { text(mlir_sys::mlirFlatSymbolRefAttrGetValue(a.to_raw())) }),
    |c, v| FlatSymbolRefAttribute::new(c, &v.0).into()
);

impl<'c> ToAttribute<'c> for &str {
    fn to_attribute(&self, context: &'c melior::Context) -> Attribute<'c> {
        StringAttribute::new(context, self).into()
    }
}
impl<'c> Plain<'c> for Attribute<'c> {
    fn from_attribute(attribute: Attribute<'c>) -> Option<Self> {
        Some(attribute)
    }
}
impl<'c> ToAttribute<'c> for Attribute<'c> {
    fn to_attribute(&self, _: &'c melior::Context) -> Attribute<'c> {
        *self
    }
}
impl<'c> Plain<'c> for Vec<i64> {
    fn from_attribute(attribute: Attribute<'c>) -> Option<Self> {
        let list = DenseI64ArrayAttribute::try_from(attribute).ok()?;
        (0..list.len())
            .map(|index| list.element(index).ok())
            .collect()
    }
}
impl<'c> ToAttribute<'c> for &[i64] {
    fn to_attribute(&self, context: &'c melior::Context) -> Attribute<'c> {
        DenseI64ArrayAttribute::new(context, self).into()
    }
}
impl<'c> Plain<'c> for Vec<bool> {
    fn from_attribute(attribute: Attribute<'c>) -> Option<Self> {
        let raw = attribute.to_raw();
        // SAFETY: `raw` is a valid attribute, checked to be a bool array before it is read within its length.
        unsafe {
            mlir_sys::mlirAttributeIsADenseBoolArray(raw).then(|| {
                (0..mlir_sys::mlirDenseArrayGetNumElements(raw))
                    .map(|index| mlir_sys::mlirDenseBoolArrayGetElement(raw, index))
                    .collect()
            })
        }
    }
}
impl<'c> ToAttribute<'c> for &[bool] {
    fn to_attribute(&self, context: &'c melior::Context) -> Attribute<'c> {
        let values: Vec<i32> = self.iter().map(|value| *value as i32).collect();
        // SAFETY: the callee copies `values.len()` ints.
        unsafe {
            Attribute::from_raw(mlir_sys::mlirDenseBoolArrayGet(
                context.to_raw(),
                values.len() as isize,
                values.as_ptr(),
            ))
        }
    }
}

fn list<'c, T: Plain<'c>>(attribute: Attribute<'c>) -> Option<Vec<T>> {
    let list = ArrayAttribute::try_from(attribute).ok()?;
    (0..list.len())
        .map(|index| T::from_attribute(list.element(index).ok()?))
        .collect()
}
impl<'c> Plain<'c> for Vec<String> {
    fn from_attribute(attribute: Attribute<'c>) -> Option<Self> {
        list(attribute)
    }
}
impl<'c> Plain<'c> for Vec<Vec<i64>> {
    fn from_attribute(attribute: Attribute<'c>) -> Option<Self> {
        list(attribute)
    }
}
impl<'c> ToAttribute<'c> for &[String] {
    fn to_attribute(&self, context: &'c melior::Context) -> Attribute<'c> {
        let values: Vec<Attribute> = self
            .iter()
            .map(|value| value.to_attribute(context))
            .collect();
        ArrayAttribute::new(context, &values).into()
    }
}
impl<'c> ToAttribute<'c> for &[Vec<i64>] {
    fn to_attribute(&self, context: &'c melior::Context) -> Attribute<'c> {
        let values: Vec<Attribute> = self
            .iter()
            .map(|value| value.as_slice().to_attribute(context))
            .collect();
        ArrayAttribute::new(context, &values).into()
    }
}

/// What a builder has gathered of an op.
struct Parts<'c, 'a> {
    name: &'static str,
    location: Location<'c>,
    operands: Vec<Value<'c, 'a>>,
    results: Vec<Type<'c>>,
    attributes: Vec<(Identifier<'c>, Attribute<'c>)>,
    regions: Vec<Region<'c>>,
}

impl<'c, 'a> Parts<'c, 'a> {
    fn new(name: &'static str, location: Location<'c>) -> Self {
        Self {
            name,
            location,
            operands: vec![],
            results: vec![],
            attributes: vec![],
            regions: vec![],
        }
    }
    fn attribute(&mut self, context: &'c melior::Context, name: &str, value: impl ToAttribute<'c>) {
        self.attributes
            .push((Identifier::new(context, name), value.to_attribute(context)));
    }
    fn build(self) -> Result<Operation<'c>, melior::Error> {
        OperationBuilder::new(self.name, self.location)
            .add_operands(&self.operands)
            .add_results(&self.results)
            .add_attributes(&self.attributes)
            .add_regions_vec(self.regions)
            .build()
    }
}

#[allow(
    clippy::too_many_arguments,
    clippy::module_inception,
    unused_variables,
    unused_mut
)]
mod generated {
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/views.rs"));
}
pub use generated::*;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mlir::context::with_context;
    use melior::ir::{BlockLike, RegionLike};

    #[test]
    fn segments_of_equal_length_surround_fixed_items() {
        let scatter = [true, false, true];
        assert!(fits(&scatter, 5) && !fits(&scatter, 4) && fits(&scatter, 1) && !fits(&scatter, 0));
        assert_eq!(
            (
                segment(&scatter, 5, 0),
                segment(&scatter, 5, 1),
                segment(&scatter, 5, 2)
            ),
            (0..2, 2..3, 3..5)
        );
    }

    #[test]
    fn views_read_what_builders_wrote() {
        with_context(|context| {
            let text = "func.func @f(%a: tensor<2x3xf32>) {\n  return\n}";
            let module = context.parse(text, &"-".into()).unwrap();
            let block = module
                .body()
                .first_operation()
                .unwrap()
                .region(0)
                .unwrap()
                .first_block()
                .unwrap();
            let a: Value = block.argument(0).unwrap().into();
            let c = context.melior();
            let ty = Type::parse(c, "tensor<3x2xf32>").unwrap();
            let transpose = hlo::transpose(c, Location::unknown(c), a, ty, &[1, 0]).unwrap();
            let op = block.insert_operation(0, transpose);
            assert!(module.as_operation().verify());
            let view = hlo::TransposeOp::cast(op).unwrap();
            assert_eq!(view.permutation(), Some(vec![1, 0]));
            assert_eq!(view.operand(), a);
            assert!(hlo::AddOp::cast(op).is_none());
        })
    }

    #[test]
    fn every_op_is_registered() {
        with_context(|context| {
            for op in hlo::OPS {
                assert!(
                    context.melior().is_registered_operation(op.name),
                    "{}",
                    op.name
                );
            }
            assert!(hlo::OPS.len() > 180);
        })
    }
}
