//! Reads the ops of one MLIR block as a [`Graph`].

use super::{
    graph::{Graph, Node, ValueInfo},
    operation_class::{Alone, Class, Movement, Shapes, alone, classify},
};
use crate::{
    rewrite::{OpRef, Rewriter, ValueRef},
    target::TpuTarget,
    values,
};
use melior::ir::{Value, ValueLike, operation::OperationLike};
use std::collections::{BTreeSet, HashMap};
use tileproof_dialect::{
    mlir::views,
    types::{Dim, Type},
};

/// The graph of `ops`, the ops of one block in order.
pub fn graph<'c>(rewriter: &Rewriter<'c>, ops: &[OpRef<'c>], target: &TpuTarget) -> Graph {
    let mut reader = Reader {
        rewriter,
        target,
        graph: Graph::default(),
        numbers: HashMap::new(),
    };
    for op in ops {
        reader.op(*op);
    }
    reader.graph.connected()
}

struct Reader<'r, 'c> {
    rewriter: &'r Rewriter<'c>,
    target: &'r TpuTarget,
    graph: Graph,
    numbers: HashMap<usize, usize>,
}

impl<'c> Reader<'_, 'c> {
    fn op(&mut self, op: OpRef<'c>) {
        let node = self.graph.nodes.len();
        let own = op.operands().count();
        let mut used: Vec<ValueRef<'c>> = op.operands().collect();
        used.extend(self.rewriter.captures(op));
        let has_captures = used.len() > own;
        let operands: Vec<usize> = used.into_iter().map(|v| self.value(v, None)).collect();
        let results: Vec<usize> = op
            .results()
            .map(|r| self.value(Value::from(r), Some(node)))
            .collect();
        let class = self.class(op, &operands, &results, has_captures);
        self.graph.nodes.push(Node {
            class,
            operands,
            results,
            users: BTreeSet::new(),
        });
    }

    fn value(&mut self, value: ValueRef<'c>, definition: Option<usize>) -> usize {
        let key = value.to_raw().ptr as usize;
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        let (dims, bits) = match self.rewriter.ty(value) {
            Some(Type::Tensor(t)) => (
                t.static_dims().unwrap_or_default(),
                u64::from(t.element.bits()),
            ),
            Some(Type::Token | Type::Tuple(_)) | None => (vec![], 0),
        };
        let number = self.graph.values.len();
        self.graph.values.push(ValueInfo {
            dims,
            bits,
            definition,
        });
        self.numbers.insert(key, number);
        number
    }

    fn class(
        &self,
        op: OpRef<'c>,
        operands: &[usize],
        results: &[usize],
        has_captures: bool,
    ) -> Class {
        if views::hlo::ConstantOp::cast(op).is_some() {
            let splat = op
                .result(0)
                .ok()
                .and_then(|r| values::literal(self.rewriter, r.into()))
                .and_then(|l| l.splat_value());
            return if splat.is_some() && self.is_native(op) {
                Class::Source
            } else {
                Class::Alone(Alone::Pure)
            };
        }
        let Some(typed) = self.rewriter.read(op) else {
            // Calls and returns of upstream dialects.
            return Class::Alone(Alone::Ordered);
        };
        if has_captures || results.is_empty() || !self.is_native(op) {
            return alone(&typed);
        }
        let dims = |v: &usize| self.graph.values[*v].dims.clone();
        let shapes: Vec<Vec<u64>> = operands.iter().map(dims).collect();
        let result = dims(&results[0]);
        if results.iter().any(|v| dims(v) != result) {
            return alone(&typed);
        }
        let class = classify(
            &typed,
            &Shapes {
                operands: &shapes,
                result: &result,
            },
        );
        match class {
            // Moved quantities without elements have no kernel.
            Class::Elementwise { .. }
            | Class::Movement(
                Movement::Reshape | Movement::Broadcast { .. } | Movement::Part | Movement::Other,
            ) if result.contains(&0) => alone(&typed),
            other => other,
        }
    }

    /// Whether all operands and results are tensors of static sizes whose elements kernels compute on.
    fn is_native(&self, op: OpRef<'c>) -> bool {
        let native = |value: ValueRef<'c>| match self.rewriter.ty(value) {
            Some(Type::Tensor(t)) => {
                self.target.is_native(&t.element)
                    && t.dims.iter().all(|d| matches!(d, Dim::Static(_)))
            }
            Some(Type::Token | Type::Tuple(_)) | None => false,
        };
        op.operands().all(native) && op.results().all(|r| native(Value::from(r)))
    }
}
