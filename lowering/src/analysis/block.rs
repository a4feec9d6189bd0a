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
    hlo,
    mlir::views,
    types::{Dim, Type},
};

/// A block of ops that run in order, as a whole: the body of a function, a loop or a branch.
pub struct Body<'c> {
    pub owner: Owner,
    /// The function or op whose region this is.
    pub parent: OpRef<'c>,
    pub arguments: Vec<ValueRef<'c>>,
    pub ops: Vec<OpRef<'c>>,
}

/// What runs a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Function,
    LoopBody,
    Condition,
    Branch,
}

/// The bodies of the module, outer before inner, in program order; without those of functions that composites stand for, which are named expansions.
pub fn bodies<'c>(rewriter: &Rewriter<'c>) -> Vec<Body<'c>> {
    let expansions = decompositions(rewriter);
    let mut out = vec![];
    for function in rewriter.functions() {
        let name: Option<String> = views::attribute(function, "sym_name");
        if !name.is_some_and(|name| expansions.contains(&name)) {
            collect(rewriter, function, &[Owner::Function], &mut out);
        }
    }
    out
}

fn collect<'c>(
    rewriter: &Rewriter<'c>,
    parent: OpRef<'c>,
    owners: &[Owner],
    out: &mut Vec<Body<'c>>,
) {
    for (i, ops) in rewriter.region_ops(parent).into_iter().enumerate() {
        let owner = owners
            .get(i)
            .or(owners.last())
            .copied()
            .unwrap_or(Owner::Branch);
        out.push(Body {
            owner,
            parent,
            arguments: rewriter.block_arguments(parent, i),
            ops: ops.clone(),
        });
        for op in ops {
            if views::hlo::WhileOp::cast(op).is_some() {
                collect(rewriter, op, &[Owner::Condition, Owner::LoopBody], out);
            } else if views::hlo::IfOp::cast(op).is_some() || views::hlo::CaseOp::cast(op).is_some()
            {
                collect(rewriter, op, &[Owner::Branch], out);
            }
        }
    }
}

fn decompositions(rewriter: &Rewriter<'_>) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for op in rewriter.ops() {
        if views::hlo::CompositeOp::cast(op).is_some()
            && let Some(hlo::Op::Composite(composite)) = rewriter.read(op)
        {
            out.insert(composite.decomposition);
        }
    }
    out
}

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
