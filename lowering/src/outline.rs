//! Puts ops of one block into the body of a fusion.

use crate::rewrite::{OpRef, Rewriter, ValueRef, definition};
use melior::ir::{
    Block, BlockLike, Region, RegionLike, Value, ValueLike, operation::OperationLike,
};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    error::Error,
    hlo::{
        self,
        fusion::{Fusion, FusionKind},
        return_::Return,
    },
    mlir,
    types::Type,
};

/// Creates a fusion of copies of `members`, which are in program order, before the op being rewritten. Its operands are what the members use from
/// outside, in order of use; its results are those of `roots`, in order. The members stay; the copies carry their provenance under the id of the
/// rewrite under way.
pub fn outline<'c>(
    rewriter: &mut Rewriter<'c>,
    kind: FusionKind,
    members: &[OpRef<'c>],
    roots: &[OpRef<'c>],
) -> Result<Vec<ValueRef<'c>>, Error> {
    let key = |v: ValueRef<'_>| v.to_raw().ptr as usize;
    let own: HashSet<usize> = members.iter().map(|m| m.to_raw().ptr as usize).collect();
    let is_inside =
        |v: ValueRef<'c>| definition(v).is_some_and(|d| own.contains(&(d.to_raw().ptr as usize)));
    let mut arguments: Vec<ValueRef<'c>> = vec![];
    for v in members.iter().flat_map(|m| m.operands()) {
        if !is_inside(v) && !arguments.contains(&v) {
            arguments.push(v);
        }
    }
    let context = rewriter.context();
    let unknown = melior::ir::Location::unknown(context.melior());
    let types: Vec<_> = arguments.iter().map(|v| (v.r#type(), unknown)).collect();
    let block = Block::new(&types);
    let mut copies: HashMap<usize, ValueRef<'c>> = HashMap::new();
    for (i, v) in arguments.iter().enumerate() {
        let argument = block
            .argument(i)
            .map_err(|_| Error::internal("MLIR lost a block argument"))?;
        copies.insert(key(*v), rewriter.kept(argument.into()));
    }
    for m in members {
        let copy = rewriter.copy_into(*m, &block);
        for (i, v) in m.operands().enumerate() {
            let inner = copies
                .get(&key(v))
                .ok_or_else(|| Error::internal("an op of a fusion uses a value made after it"))?;
            rewriter.set_operand(copy, i, *inner);
        }
        for (from, to) in m.results().zip(copy.results()) {
            copies.insert(key(from.into()), Value::from(to));
        }
    }
    let results: Vec<ValueRef<'c>> = roots
        .iter()
        .flat_map(|r| r.results())
        .map(Value::from)
        .collect();
    let returned: Vec<ValueRef<'c>> = results
        .iter()
        .map(|v| copies.get(&key(*v)).copied())
        .collect::<Option<_>>()
        .ok_or_else(|| Error::internal("a root is no op of its fusion"))?;
    let mut parts = vec![];
    parts.extend(roots.iter().rev().map(|r| r.location()));
    parts.extend(members.iter().map(|m| m.location()));
    let location = mlir::locations::fused(context.melior(), &rewriter.id(), &parts);
    block.append_operation(mlir::encode::op(
        context,
        &hlo::Op::Return(Return),
        &returned,
        &[],
        location,
    )?);
    let region = Region::new();
    region.append_block(block);
    let declared: Vec<Type> = results
        .iter()
        .map(|v| rewriter.ty(*v))
        .collect::<Option<_>>()
        .ok_or_else(|| Error::internal("a result has a type that cannot be read"))?;
    let fusion = mlir::encode::op_with_regions(
        context,
        &Fusion { kind }.into(),
        &arguments,
        &declared,
        vec![region],
        location,
    )?;
    rewriter.insert(fusion)
}
