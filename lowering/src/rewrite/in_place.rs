//! Changes to ops that stay where they are: operands, types, attributes, places in the block; copies into blocks that are being built.

use super::{OpRef, Rewriter, ValueRef, definition, extend, key, replace_uses, users};
use crate::pass::Rewrite;
use melior::ir::{
    Block, BlockLike, Operation, RegionLike, Value, ValueLike, operation::OperationLike,
};
use mlir_sys::{
    MlirAttribute, MlirStringRef, mlirFunctionTypeGet, mlirOperationClone,
    mlirOperationIsBeforeInBlock, mlirOperationMoveAfter, mlirOperationSetAttributeByName,
    mlirOperationSetOperand, mlirTypeAttrGet, mlirValueSetType,
};
use std::{collections::HashSet, ffi::c_void};
use tileproof_dialect::{error::Error, mlir, types::Type};

impl<'c> Rewriter<'c> {
    /// Applies one rewrite that changes the module around `op` and keeps `op`, under the id of the rewrite. False, with nothing logged, when the limit is reached or `change` changes nothing.
    pub fn update(
        &mut self,
        rewrite: &'static Rewrite,
        op: OpRef<'c>,
        change: impl FnOnce(OpRef<'c>, &mut Rewriter<'c>) -> bool,
    ) -> bool {
        if self.is_exhausted() || !self.is_alive(op) {
            return false;
        }
        (self.rewrite, self.at) = (rewrite.name, Some(op));
        self.made.clear();
        self.touched.clear();
        let changed = change(op, self);
        self.at = None;
        if changed {
            let location = mlir::locations::decode(op.location());
            let renamed =
                mlir::locations::fused(self.context.melior(), &self.id(), &[op.location()]);
            mlir::locations::set(op, renamed);
            self.touched.push(op);
            self.record(rewrite, location);
        }
        changed
    }

    /// Notes the fault of a rewrite that builds ops itself.
    pub fn note<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.fault.get_or_insert(error)).ok()
    }

    /// A copy of `op` and its regions at the end of `block`, with the operands of `op`. It and the ops inside it carry their provenance under the id of the
    /// application under way.
    pub fn copy_into(&self, op: OpRef<'c>, block: &Block<'c>) -> OpRef<'c> {
        // SAFETY: the op is alive; the clone is owned until the block takes it.
        let copy = unsafe { Operation::from_raw(mlirOperationClone(op.to_raw())) };
        let copy = extend(block.append_operation(copy));
        let renamed = |op: OpRef<'c>| {
            mlir::locations::fused(self.context.melior(), &self.id(), &[op.location()])
        };
        for inner in self.ops_inside(copy).into_iter().chain([copy]) {
            mlir::locations::set(inner, renamed(inner));
        }
        copy
    }

    /// The same value with the lifetime of the module its block will belong to.
    pub fn kept(&self, value: Value<'c, '_>) -> ValueRef<'c> {
        // SAFETY: the value's block becomes part of the module, which outlives the rewriter.
        unsafe { Value::from_raw(value.to_raw()) }
    }

    pub fn set_operand(&mut self, op: OpRef<'c>, index: usize, value: ValueRef<'c>) {
        if index < op.operand_count() {
            // SAFETY: op and value are alive; the index is below the operand count.
            unsafe { mlirOperationSetOperand(op.to_raw(), index as isize, value.to_raw()) }
        }
    }

    /// Gives `value` another type; the caller sees to it that all uses allow it.
    pub fn set_type(&mut self, value: ValueRef<'c>, ty: &Type) {
        let ty = mlir::types::encode(self.context.melior(), ty);
        // SAFETY: value and type are alive and of one context.
        unsafe { mlirValueSetType(value.to_raw(), melior::ir::TypeLike::to_raw(&ty)) }
    }

    /// Values from outside `op` that its regions use, in order of first use.
    pub fn captures(&self, op: OpRef<'c>) -> Vec<ValueRef<'c>> {
        if op.region_count() == 0 {
            return vec![];
        }
        let inner = self.ops_inside(op);
        let mut inside: HashSet<*const c_void> = HashSet::new();
        for owner in std::iter::once(&op).chain(&inner) {
            for block in owner.regions().filter_map(|r| r.first_block()) {
                let arguments = (0..block.argument_count()).filter_map(|i| block.argument(i).ok());
                inside.extend(arguments.map(|a| Value::from(a).to_raw().ptr));
            }
        }
        for op in &inner {
            inside.extend(op.results().map(|r| Value::from(r).to_raw().ptr));
        }
        let mut out: Vec<ValueRef<'c>> = vec![];
        for v in inner.iter().flat_map(|op| op.operands()) {
            if !inside.contains(&v.to_raw().ptr) && !out.contains(&v) {
                out.push(v);
            }
        }
        out
    }

    /// Uses of `from` become uses of `to`.
    pub fn replace(&mut self, from: ValueRef<'c>, to: ValueRef<'c>) {
        replace_uses(from, to);
    }

    /// Removes `op` when none of its results is used. For ops without effects.
    pub fn erase_unused(&mut self, op: OpRef<'c>) -> bool {
        let unused = self.is_alive(op) && op.results().all(|r| users(Value::from(r)).is_empty());
        if unused {
            self.erase(op);
        }
        unused
    }

    /// `first`, the ops behind it, and `last`, which is in the same block.
    pub fn ops_between(&self, first: OpRef<'c>, last: OpRef<'c>) -> Vec<OpRef<'c>> {
        let mut out = vec![first];
        let mut next = Some(first);
        while let Some(op) = next.filter(|op| key(*op) != key(last)) {
            next = op.next_in_block().map(|op| extend(op));
            out.extend(next);
        }
        out
    }

    /// Moves each of `ops`, which stand before `last` in its block in this order, that uses results of `last`, or of an op moved so, behind `last`.
    pub fn move_users_behind(&mut self, ops: &[OpRef<'c>], last: OpRef<'c>) {
        let mut late: HashSet<*const c_void> = HashSet::from([key(last)]);
        let mut moved = vec![];
        for op in ops.iter().copied().filter(|op| self.is_alive(*op)) {
            let used = op.operands().chain(self.captures(op));
            let waits = used.filter_map(definition).any(|d| late.contains(&key(d)));
            if waits && key(op) != key(last) {
                late.insert(key(op));
                moved.push(op);
            }
        }
        let mut behind = last;
        for op in moved {
            // SAFETY: both ops are alive and in one block.
            unsafe { mlirOperationMoveAfter(op.to_raw(), behind.to_raw()) };
            behind = op;
        }
    }

    /// Arguments of the block of region `index` of `op`.
    pub fn block_arguments(&self, op: OpRef<'c>, index: usize) -> Vec<ValueRef<'c>> {
        let block = op
            .region(index)
            .ok()
            .and_then(|region| region.first_block());
        block.map_or(vec![], |block| {
            let arguments = (0..block.argument_count()).filter_map(|i| block.argument(i).ok());
            arguments.map(|a| self.kept(a.into())).collect()
        })
    }

    /// New ops of the rewrite under way go before `op` from now on.
    pub fn insert_before(&mut self, op: OpRef<'c>) {
        self.at = Some(op);
    }

    /// Gives a function the types of its parameters and results.
    pub fn set_signature(&mut self, function: OpRef<'c>, parameters: &[Type], results: &[Type]) {
        let context = self.context.melior();
        let raw = |types: &[Type]| -> Vec<_> {
            let encoded = types.iter().map(|ty| mlir::types::encode(context, ty));
            encoded
                .map(|ty| melior::ir::TypeLike::to_raw(&ty))
                .collect()
        };
        let (inputs, outputs) = (raw(parameters), raw(results));
        // SAFETY: the callee copies both lists of types of this context.
        let ty = unsafe {
            mlirTypeAttrGet(mlirFunctionTypeGet(
                context.to_raw(),
                inputs.len() as isize,
                inputs.as_ptr(),
                outputs.len() as isize,
                outputs.as_ptr(),
            ))
        };
        set_raw(function, "function_type", ty);
    }

    /// Gives `op` an attribute that is a list of integers.
    pub fn set_integers(&mut self, op: OpRef<'c>, name: &str, list: &[i64]) {
        let value = mlir::views::ToAttribute::to_attribute(&list, self.context.melior());
        set_raw(op, name, melior::ir::AttributeLike::to_raw(&value));
    }
}

fn set_raw(op: OpRef<'_>, name: &str, value: MlirAttribute) {
    // SAFETY: the op is alive, the attribute is of its context, the name is copied.
    unsafe {
        let name = MlirStringRef {
            data: name.as_ptr().cast(),
            length: name.len(),
        };
        mlirOperationSetAttributeByName(op.to_raw(), name, value);
    }
}

/// Whether `a` stands before `b`, an op of the same block.
pub fn is_before(a: OpRef<'_>, b: OpRef<'_>) -> bool {
    // SAFETY: both ops are alive and in one block.
    unsafe { mlirOperationIsBeforeInBlock(a.to_raw(), b.to_raw()) }
}
