//! Row-major order and the target's tiles for every tensor of the module.

use crate::{
    rewrite::{OpRef, Rewriter, ValueRef},
    target,
};
use melior::ir::{Value, operation::OperationLike};
use tileproof_dialect::types::{TensorType, Type};

/// Whether a type of the module names a layout.
pub fn are_named(rewriter: &Rewriter<'_>) -> bool {
    let named = |v: ValueRef<'_>| rewriter.ty(v).is_some_and(|ty| names_layout(&ty));
    let by_function = |f: &OpRef<'_>| rewriter.block_arguments(*f, 0).into_iter().any(named);
    rewriter.functions().iter().any(by_function)
        || rewriter
            .ops()
            .iter()
            .any(|op| op.results().any(|r| named(Value::from(r))))
}

fn names_layout(ty: &Type) -> bool {
    match ty {
        Type::Tensor(t) => t.layout.is_some(),
        Type::Tuple(parts) => parts.iter().any(names_layout),
        Type::Token => false,
    }
}

/// Gives every type of the module its layout, signatures included. False where there is nothing to lay out.
pub fn assign(rewriter: &mut Rewriter<'_>) -> bool {
    let mut changed = false;
    for function in rewriter.functions() {
        let parameters = rewriter.block_arguments(function, 0);
        let mut returned: Vec<Type> = vec![];
        for v in &parameters {
            changed |= lay_out(rewriter, *v);
        }
        for op in rewriter.ops_inside(function) {
            for r in op.results() {
                changed |= lay_out(rewriter, Value::from(r));
            }
            for region in 0..op.region_count() {
                for v in rewriter.block_arguments(op, region) {
                    changed |= lay_out(rewriter, v);
                }
            }
        }
        if let Some(last) = rewriter
            .region_ops(function)
            .first()
            .and_then(|ops| ops.last())
        {
            returned.extend(last.operands().filter_map(|v| rewriter.ty(v)));
        }
        let types: Vec<Type> = parameters.iter().filter_map(|v| rewriter.ty(*v)).collect();
        rewriter.set_signature(function, &types, &returned);
    }
    changed
}

fn lay_out<'c>(rewriter: &mut Rewriter<'c>, v: ValueRef<'c>) -> bool {
    let Some(laid_out) = rewriter.ty(v).and_then(|ty| with_layout(&ty)) else {
        return false;
    };
    rewriter.set_type(v, &laid_out);
    true
}

/// The type with the default layout, where it has something to lay out.
fn with_layout(ty: &Type) -> Option<Type> {
    match ty {
        Type::Tensor(t) => {
            let layout = Some(target::DEFAULT.default_layout(t)?);
            Some(
                TensorType {
                    layout,
                    ..(**t).clone()
                }
                .into(),
            )
        }
        Type::Tuple(parts) => {
            let new: Vec<Type> = parts
                .iter()
                .map(|p| with_layout(p).unwrap_or_else(|| p.clone()))
                .collect();
            (new != **parts).then(|| Type::tuple(new))
        }
        Type::Token => None,
    }
}
