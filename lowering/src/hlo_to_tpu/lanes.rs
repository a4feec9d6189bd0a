//! Regions and functions of scalars (reducers, comparators, decompositions), emitted on whole vectors at once.

use super::{emitter::Emitter, form};
use std::collections::HashMap;
use tileproof_dialect::{
    error::Error,
    hlo,
    op::Op,
    program::{Program, RegionId, ValueId},
    tpu::{KernelType, KernelValue, TpuOp},
};

/// What `region` returns for `arguments`, vectors of `dims`.
pub fn region(
    e: &mut Emitter<'_>,
    program: &Program,
    region: RegionId,
    arguments: &[KernelValue],
    dims: &[u64],
) -> Result<Vec<KernelValue>, Error> {
    let r = program.region(region);
    let mut values: HashMap<ValueId, KernelValue> = r
        .arguments
        .iter()
        .copied()
        .zip(arguments.iter().copied())
        .collect();
    for id in &r.ops {
        let o = program.op(*id);
        let Op::Hlo(op) = &o.op;
        let operands: Vec<KernelValue> = o
            .operands
            .iter()
            .map(|v| {
                let value = values.get(v).copied();
                value.ok_or_else(|| Error::unsupported("a region that uses values from outside"))
            })
            .collect::<Result<_, _>>()?;
        let results: Vec<KernelValue> = match op {
            hlo::Op::Return(_) => return Ok(operands),
            hlo::Op::Constant(c) => {
                let one = c.value.splat_value().ok_or_else(|| {
                    Error::unsupported("a constant of several values in a region of scalars")
                })?;
                vec![e.splat(dims, &one)]
            }
            // All elements of a value are alike or lie as the lanes do.
            hlo::Op::Reshape(_)
            | hlo::Op::BroadcastInDim(_)
            | hlo::Op::Broadcast(_)
            | hlo::Op::Copy(_) => operands,
            hlo::Op::Composite(c) => composite(e, program, c, &operands, dims)?,
            hlo::Op::Call(c) => function(e, program, &c.callee, &operands, dims)?,
            hlo::Op::Map(_) => {
                let inner = o.regions.first().copied();
                let inner = inner.ok_or_else(|| Error::internal("map without its region"))?;
                self::region(e, program, inner, &operands, dims)?
            }
            other if form::is_elementwise(other) => {
                let element = program
                    .ty(o.results[0])
                    .as_tensor()
                    .map(|t| t.element.clone());
                let element = element.ok_or_else(|| Error::internal("no tensor"))?;
                vec![e.elementwise(other.clone(), &operands, element)]
            }
            other => {
                return Err(Error::unsupported(format!(
                    "{} in a region of scalars",
                    other.name()
                )));
            }
        };
        values.extend(o.results.iter().copied().zip(results));
    }
    Err(Error::internal("a region without its return"))
}

/// What the function `name` returns.
fn function(
    e: &mut Emitter<'_>,
    program: &Program,
    name: &str,
    arguments: &[KernelValue],
    dims: &[u64],
) -> Result<Vec<KernelValue>, Error> {
    let id = program
        .find_function(name)
        .ok_or_else(|| Error::internal(format!("function {name} does not exist")))?;
    region(e, program, program.function(id).body, arguments, dims)
}

/// A composite: a named expansion stays named, others are what they are made of.
pub fn composite(
    e: &mut Emitter<'_>,
    program: &Program,
    composite: &hlo::composite::Composite,
    arguments: &[KernelValue],
    dims: &[u64],
) -> Result<Vec<KernelValue>, Error> {
    if composite.implements().is_none() {
        return function(e, program, &composite.decomposition, arguments, dims);
    }
    let types: Vec<KernelType> = arguments.iter().map(|v| e.b.ty(*v).clone()).collect();
    let inner = e.b.begin_region(&types);
    let made = function(e, program, &composite.decomposition, &inner, dims);
    let (body, made) = match made {
        Ok(made) => (e.b.end_region(&made), made),
        Err(error) => {
            e.b.end_region(&[]);
            return Err(error);
        }
    };
    let results: Vec<KernelType> = made.iter().map(|v| e.b.ty(*v).clone()).collect();
    let op = TpuOp::Implements {
        name: composite.name.clone(),
    };
    Ok(e.b.op(op, arguments, &results, vec![body]))
}
