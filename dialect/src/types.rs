//! Types of values: tensors with element type, dimensions and optional layout; tokens; tuples.

use std::{fmt, sync::Arc};

/// Element types of the StableHLO specification and of HLO.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ElementType {
    I1,
    I2,
    I4,
    I8,
    I16,
    I32,
    I64,
    U2,
    U4,
    U8,
    U16,
    U32,
    U64,
    F4E2M1FN,
    F6E2M3FN,
    F6E3M2FN,
    F8E3M4,
    F8E4M3,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E4M3B11FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
    F8E8M0FNU,
    BF16,
    F16,
    F32,
    F64,
    C64,
    C128,
    /// `!quant.uniform`: values are stored as `storage`, one element each.
    Quantized(Arc<QuantizedType>),
}

/// `!quant.uniform<storage:expressed[:axis], {scale:zero_point, ..}>`, StableHLO specification, quantized element types.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantizedType {
    pub storage: ElementType,
    pub storage_min: i64,
    pub storage_max: i64,
    pub expressed: ElementType,
    /// Dimension the per-axis parameters run along; none for per-tensor quantization (one scale).
    pub axis: Option<u64>,
    pub scales: Vec<f64>,
    pub zero_points: Vec<i64>,
}

impl Eq for QuantizedType {}

impl std::hash::Hash for QuantizedType {
    fn hash<H: std::hash::Hasher>(&self, h: &mut H) {
        (
            &self.storage,
            self.storage_min,
            self.storage_max,
            &self.expressed,
            self.axis,
            &self.zero_points,
        )
            .hash(h);
        self.scales.iter().for_each(|s| s.to_bits().hash(h));
    }
}

/// What arithmetic a type has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    Boolean,
    Signed,
    Unsigned,
    Float,
    Complex,
    Quantized,
}

/// The one table of element types: type, name in MLIR, name in HLO text, bits, class.
const TABLE: &[(ElementType, &str, &str, u32, Class)] = &[
    (ElementType::I1, "i1", "pred", 1, Class::Boolean),
    (ElementType::I2, "i2", "s2", 2, Class::Signed),
    (ElementType::I4, "i4", "s4", 4, Class::Signed),
    (ElementType::I8, "i8", "s8", 8, Class::Signed),
    (ElementType::I16, "i16", "s16", 16, Class::Signed),
    (ElementType::I32, "i32", "s32", 32, Class::Signed),
    (ElementType::I64, "i64", "s64", 64, Class::Signed),
    (ElementType::U2, "ui2", "u2", 2, Class::Unsigned),
    (ElementType::U4, "ui4", "u4", 4, Class::Unsigned),
    (ElementType::U8, "ui8", "u8", 8, Class::Unsigned),
    (ElementType::U16, "ui16", "u16", 16, Class::Unsigned),
    (ElementType::U32, "ui32", "u32", 32, Class::Unsigned),
    (ElementType::U64, "ui64", "u64", 64, Class::Unsigned),
    (
        ElementType::F4E2M1FN,
        "f4E2M1FN",
        "f4e2m1fn",
        4,
        Class::Float,
    ),
    (
        ElementType::F6E2M3FN,
        "f6E2M3FN",
        "f6e2m3fn",
        6,
        Class::Float,
    ),
    (
        ElementType::F6E3M2FN,
        "f6E3M2FN",
        "f6e3m2fn",
        6,
        Class::Float,
    ),
    (ElementType::F8E3M4, "f8E3M4", "f8e3m4", 8, Class::Float),
    (ElementType::F8E4M3, "f8E4M3", "f8e4m3", 8, Class::Float),
    (
        ElementType::F8E4M3FN,
        "f8E4M3FN",
        "f8e4m3fn",
        8,
        Class::Float,
    ),
    (
        ElementType::F8E4M3FNUZ,
        "f8E4M3FNUZ",
        "f8e4m3fnuz",
        8,
        Class::Float,
    ),
    (
        ElementType::F8E4M3B11FNUZ,
        "f8E4M3B11FNUZ",
        "f8e4m3b11fnuz",
        8,
        Class::Float,
    ),
    (ElementType::F8E5M2, "f8E5M2", "f8e5m2", 8, Class::Float),
    (
        ElementType::F8E5M2FNUZ,
        "f8E5M2FNUZ",
        "f8e5m2fnuz",
        8,
        Class::Float,
    ),
    (
        ElementType::F8E8M0FNU,
        "f8E8M0FNU",
        "f8e8m0fnu",
        8,
        Class::Float,
    ),
    (ElementType::BF16, "bf16", "bf16", 16, Class::Float),
    (ElementType::F16, "f16", "f16", 16, Class::Float),
    (ElementType::F32, "f32", "f32", 32, Class::Float),
    (ElementType::F64, "f64", "f64", 64, Class::Float),
    (ElementType::C64, "complex<f32>", "c64", 64, Class::Complex),
    (
        ElementType::C128,
        "complex<f64>",
        "c128",
        128,
        Class::Complex,
    ),
];

impl ElementType {
    /// All element types but the quantized ones.
    pub fn all() -> impl Iterator<Item = ElementType> {
        TABLE.iter().map(|row| row.0.clone())
    }

    pub fn from_mlir_name(name: &str) -> Option<ElementType> {
        TABLE
            .iter()
            .find(|row| row.1 == name)
            .map(|row| row.0.clone())
    }

    pub fn from_hlo_name(name: &str) -> Option<ElementType> {
        TABLE
            .iter()
            .find(|row| row.2 == name)
            .map(|row| row.0.clone())
    }

    fn row(&self) -> Option<&'static (ElementType, &'static str, &'static str, u32, Class)> {
        TABLE.iter().find(|row| row.0 == *self)
    }

    /// `f32`, `ui8`, `complex<f32>`, ...
    pub fn mlir_name(&self) -> String {
        match (self.row(), self) {
            (Some(row), _) => row.1.to_string(),
            (None, ElementType::Quantized(q)) => q.to_string(),
            (None, other) => format!("{other:?}"),
        }
    }

    /// `f32`, `u8`, `c64`, ...; a quantized type has no HLO name and gives its storage type's.
    pub fn hlo_name(&self) -> &'static str {
        match (self.row(), self) {
            (Some(row), _) => row.2,
            (None, ElementType::Quantized(q)) => q.storage.hlo_name(),
            (None, _) => "opaque",
        }
    }

    /// Width of the value in bits (i1 has 1).
    pub fn bits(&self) -> u32 {
        match (self.row(), self) {
            (Some(row), _) => row.3,
            (None, ElementType::Quantized(q)) => q.storage.bits(),
            (None, _) => 0,
        }
    }

    /// Bytes of one element in a [`crate::tensor::Tensor`]: sub-byte types take one byte each.
    pub fn storage_bytes(&self) -> usize {
        (self.bits() as usize).div_ceil(8)
    }

    pub fn class(&self) -> Class {
        self.row().map_or(Class::Quantized, |row| row.4)
    }

    pub fn is_float(&self) -> bool {
        self.class() == Class::Float
    }

    pub fn is_complex(&self) -> bool {
        self.class() == Class::Complex
    }

    /// Signed, unsigned or boolean.
    pub fn is_integer(&self) -> bool {
        matches!(
            self.class(),
            Class::Boolean | Class::Signed | Class::Unsigned
        )
    }

    /// Whether values of this type carry a ring residue: floats and complex numbers.
    pub fn has_ring(&self) -> bool {
        self.is_float() || self.is_complex()
    }

    /// Part type of a complex type.
    pub fn complex_part(&self) -> Option<ElementType> {
        match self.class() {
            Class::Complex if *self == ElementType::C64 => Some(ElementType::F32),
            Class::Complex => Some(ElementType::F64),
            Class::Boolean | Class::Signed | Class::Unsigned | Class::Float | Class::Quantized => {
                None
            }
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.mlir_name())
    }
}

impl fmt::Display for QuantizedType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let storage = self.storage.mlir_name().replacen("ui", "u", 1);
        write!(
            f,
            "!quant.uniform<{storage}<{}:{}>:{}",
            self.storage_min, self.storage_max, self.expressed
        )?;
        if let Some(axis) = self.axis {
            write!(f, ":{axis}, {{")?;
            for (i, (s, z)) in self.scales.iter().zip(&self.zero_points).enumerate() {
                write!(f, "{}{s:e}:{z}", if i > 0 { ", " } else { "" })?;
            }
            write!(f, "}}>")
        } else {
            write!(f, ", {:e}:{}>", self.scales[0], self.zero_points[0])
        }
    }
}

/// Size of one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dim {
    Static(u64),
    /// `?`, with its upper bound where the type states one.
    Dynamic {
        bound: Option<u64>,
    },
}

/// Physical order of dimensions, fastest first, and tiles; XLA's meaning.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Layout {
    pub minor_to_major: Vec<u64>,
    pub tiles: Vec<Vec<u64>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TensorType {
    pub dims: Vec<Dim>,
    pub element: ElementType,
    /// None: row-major or not yet decided.
    pub layout: Option<Layout>,
}

/// Type of an SSA value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    Tensor(Arc<TensorType>),
    Token,
    Tuple(Arc<Vec<Type>>),
}

impl TensorType {
    pub fn new(dims: impl IntoIterator<Item = u64>, element: ElementType) -> TensorType {
        TensorType {
            dims: dims.into_iter().map(Dim::Static).collect(),
            element,
            layout: None,
        }
    }

    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// All sizes, if all are static.
    pub fn static_dims(&self) -> Option<Vec<u64>> {
        self.dims
            .iter()
            .map(|d| {
                if let Dim::Static(n) = d {
                    Some(*n)
                } else {
                    None
                }
            })
            .collect()
    }

    /// Number of elements, if all sizes are static and the product fits.
    pub fn elements(&self) -> Option<u64> {
        self.static_dims()?
            .iter()
            .try_fold(1u64, |a, d| a.checked_mul(*d))
    }

    pub fn with_element(&self, element: ElementType) -> TensorType {
        TensorType {
            element,
            ..self.clone()
        }
    }

    pub fn with_dims(&self, dims: Vec<Dim>) -> TensorType {
        TensorType {
            dims,
            element: self.element.clone(),
            layout: None,
        }
    }
}

impl Type {
    pub fn tensor(dims: impl IntoIterator<Item = u64>, element: ElementType) -> Type {
        Type::Tensor(Arc::new(TensorType::new(dims, element)))
    }

    pub fn tuple(parts: Vec<Type>) -> Type {
        Type::Tuple(Arc::new(parts))
    }

    pub fn as_tensor(&self) -> Option<&Arc<TensorType>> {
        match self {
            Type::Tensor(t) => Some(t),
            Type::Token | Type::Tuple(_) => None,
        }
    }

    /// Whether a value of type `self` may stand where `other` is declared: equal up to layout and up to dimensions that are dynamic on one side.
    pub fn compatible(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Tensor(a), Type::Tensor(b)) => {
                a.element == b.element
                    && a.dims.len() == b.dims.len()
                    && a.dims.iter().zip(&b.dims).all(|(x, y)| match (x, y) {
                        (Dim::Static(x), Dim::Static(y)) => x == y,
                        (Dim::Static(n), Dim::Dynamic { bound })
                        | (Dim::Dynamic { bound }, Dim::Static(n)) => bound.is_none_or(|b| *n <= b),
                        (Dim::Dynamic { .. }, Dim::Dynamic { .. }) => true,
                    })
            }
            (Type::Token, Type::Token) => true,
            (Type::Tuple(a), Type::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x.compatible(y))
            }
            (Type::Tensor(_) | Type::Token | Type::Tuple(_), _) => false,
        }
    }
}

impl From<TensorType> for Type {
    fn from(t: TensorType) -> Type {
        Type::Tensor(Arc::new(t))
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Static(n) => write!(f, "{n}"),
            Dim::Dynamic { .. } => write!(f, "?"),
        }
    }
}

/// `tensor<2x3xf32>` as MLIR prints it, without layout.
impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tensor<")?;
        for d in &self.dims {
            write!(f, "{d}x")?;
        }
        write!(f, "{}>", self.element)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Tensor(t) => write!(f, "{t}"),
            Type::Token => write!(f, "!hlo.token"),
            Type::Tuple(parts) => {
                write!(f, "tuple<")?;
                for (i, p) in parts.iter().enumerate() {
                    write!(f, "{}{p}", if i > 0 { ", " } else { "" })?;
                }
                write!(f, ">")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for e in ElementType::all() {
            assert_eq!(ElementType::from_mlir_name(&e.mlir_name()), Some(e.clone()));
            assert_eq!(ElementType::from_hlo_name(e.hlo_name()), Some(e));
        }
    }

    #[test]
    fn a_static_size_fits_a_dynamic_one_within_its_bound() {
        let dynamic = |bound| {
            Type::from(TensorType {
                dims: vec![Dim::Dynamic { bound }],
                element: ElementType::F32,
                layout: None,
            })
        };
        assert!(Type::tensor([4], ElementType::F32).compatible(&dynamic(Some(4))));
        assert!(!Type::tensor([5], ElementType::F32).compatible(&dynamic(Some(4))));
        assert!(!Type::tensor([5], ElementType::I32).compatible(&dynamic(None)));
    }
}
