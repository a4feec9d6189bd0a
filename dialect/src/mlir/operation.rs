//! Single ops, types and locations of a module, typed: what a rewriter needs.

use super::{attributes, attributes::Encoder, context::Context, locations, types};
use crate::{
    attribute::Attributes,
    error::Error,
    hlo,
    location::Location,
    op::read_hlo,
    types::Type,
};
use melior::ir::{Identifier, Operation, OperationRef, Value, operation::{OperationBuilder, OperationLike}};
use std::sync::Arc;

/// The typed form of an op of the `hlo` dialect, `func.call` and `func.return`; none for other ops or malformed attributes.
pub fn read(op: OperationRef<'_, '_>) -> Option<hlo::Op> {
    let name = op.name();
    let name = name.as_string_ref().as_str().ok()?;
    let short = match name {
        "func.call" => "call",
        "func.return" => "return",
        other => other.strip_prefix("hlo.")?,
    };
    let mut all = Attributes::new();
    for index in 0..op.attribute_count() {
        let (name, value) = op.attribute_at(index).ok()?;
        all.0.insert(name.as_string_ref().as_str().ok()?.to_string(), attributes::decode(value).ok()?);
    }
    read_hlo(short, all, &Location::default()).ok().map(|(op, _)| op)
}

/// Builds an op without regions; unverified.
pub fn build<'c>(
    context: &'c Context,
    op: &hlo::Op,
    operands: &[Value<'c, '_>],
    results: &[Type],
    location: melior::ir::Location<'c>,
) -> Result<Operation<'c>, Error> {
    let melior = context.melior();
    let mut encoder = Encoder::new(melior);
    let attributes: Vec<_> =
        op.to_attributes().0.iter().map(|(name, value)| (Identifier::new(melior, name), encoder.encode(value))).collect();
    let types: Vec<_> = results.iter().map(|ty| types::encode(melior, ty)).collect();
    let built = OperationBuilder::new(&format!("hlo.{}", op.name()), location)
        .add_operands(operands)
        .add_results(&types)
        .add_attributes(&attributes)
        .build();
    context.count(encoder.lent);
    built.map_err(|_| Error::internal(format!("MLIR does not build 'hlo.{}'", op.name())))
}

/// The type of a value.
pub fn ty(ty: melior::ir::Type<'_>) -> Result<Type, String> {
    types::decode(ty)
}

/// The location of an op; positions without a file are said to be in `-`.
pub fn location(op: OperationRef<'_, '_>) -> Location {
    locations::decode(op.location(), &Arc::from("-"))
}
