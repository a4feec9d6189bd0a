//! What an op is: one struct with its attributes, its shape rule, its meaning on both planes and its error-bound rule.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    error::{Diagnostic, Error},
    eval::{EvalContext, Stop},
    hlo,
    location::Location,
    tensor::Value,
    types::Type,
};

/// Kind of an op: how it acts on the ring plane (DESIGN.md section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Field formula.
    Arithmetic,
    /// Both planes together.
    Movement,
    /// The choice is made on the IEEE plane and applied to both.
    Selection,
    /// Keyed hash of (name, residue) with the identities that can be kept.
    Opaque,
    /// One plane only.
    Integer,
    /// Runs regions or functions; their ops decide.
    Control,
    /// Seen from outside the program.
    Effect,
}

/// Signature of one region of an op.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionType {
    pub arguments: Vec<Type>,
    pub results: Vec<Type>,
}

/// What the shape rule may look at: operand types, result types as declared (ops such as `iota` or `reshape` take them from there), region signatures.
pub struct InferContext<'a> {
    pub operands: &'a [Type],
    pub declared: &'a [Type],
    pub regions: &'a [RegionType],
}

/// Definition of an op. One file an op, `dialect/src/hlo/<name>.rs`.
pub trait OpDef: Sized {
    /// Name without dialect prefix.
    const NAME: &'static str;
    const KIND: Kind;

    /// Reads the attributes; complaints are collected in the reader.
    fn from_attributes(reader: &mut AttributeReader<'_>) -> Self;

    /// Attributes with the names of the specification, as in `td/hlo.td`. `from_attributes` of it gives the op back.
    fn to_attributes(&self) -> Attributes;

    /// The only shape rule: types of the results, or every violated constraint (`C3: ...`).
    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>>;

    /// The definition on both planes, written to be read. `results` are the declared result types (sizes may be dynamic).
    fn eval(
        &self,
        operands: &[Value],
        results: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop>;

    /// Error bound of each result: distance of `values` (what eval gave) from real arithmetic on operands that are off by at most their bounds.
    fn bound(
        &self,
        operands: &[Bounded<'_>],
        results: &[Type],
        values: &[Value],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop>;

    /// A random valid use: op, operand types, result types, regions where needed. `size` is the largest dimension.
    fn sample(sampler: &mut crate::builder::Sampler) -> crate::program::Program;
}

/// An op of any dialect.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Op {
    Hlo(hlo::Op),
}

impl Op {
    /// Name with dialect prefix: `hlo.add`.
    pub fn name(&self) -> String {
        match self {
            Op::Hlo(op) => format!("hlo.{}", op.name()),
        }
    }

    pub fn kind(&self) -> Kind {
        match self {
            Op::Hlo(op) => op.kind(),
        }
    }

    pub fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        match self {
            Op::Hlo(op) => op.infer(cx),
        }
    }

    pub fn eval(
        &self,
        operands: &[Value],
        results: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        match self {
            Op::Hlo(op) => op.eval(operands, results, cx),
        }
    }

    pub fn bound(
        &self,
        operands: &[Bounded<'_>],
        results: &[Type],
        values: &[Value],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        match self {
            Op::Hlo(op) => op.bound(operands, results, values, cx),
        }
    }

    pub fn to_attributes(&self) -> Attributes {
        match self {
            Op::Hlo(op) => op.to_attributes(),
        }
    }

    /// Whether a region of this op ends the block it stands in (`hlo.return`).
    pub fn is_return(&self) -> bool {
        matches!(self, Op::Hlo(hlo::Op::Return(_)))
    }
}

impl From<hlo::Op> for Op {
    fn from(op: hlo::Op) -> Op {
        Op::Hlo(op)
    }
}

/// Reads an op of the `hlo` dialect from its name (without prefix) and attributes. Gives the attributes the op does not know beside it.
pub fn read_hlo(
    name: &str,
    attributes: Attributes,
    location: &Location,
) -> Result<(hlo::Op, Attributes), Error> {
    let mut reader = AttributeReader::new(name, attributes, location);
    let Some(op) = hlo::Op::from_attributes(name, &mut reader) else {
        return Err(Error::Unsupported {
            what: format!("op hlo.{name}"),
            location: location.clone(),
        });
    };
    let unknown = reader.finish().map_err(Error::InvalidProgram)?;
    Ok((op, unknown))
}

/// Turns violated constraints into diagnostics at `location`.
pub fn violations(op: &Op, all: Vec<String>, location: &Location) -> Vec<Diagnostic> {
    all.into_iter()
        .map(|m| Diagnostic::new(format!("'{}': {m}", op.name()), location.clone()))
        .collect()
}
