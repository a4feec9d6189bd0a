//! `hlo-fold-constants`: ops on constants become constants.
//!
//! # Before
//! `%1 = hlo.add %a, %b` where `%a` and `%b` are constants of integers.
//! # After
//! `%1 = hlo.constant` with the value that the definition of the op gives.
//! # Numerics
//! BitExact: the literal is what the definition of the op gives, and the same number in the ring.
//! # Example
//! `tests/passes/hlo-fold-constants/`.
//! # Leaves alone
//! Arithmetic and functions of floats, whose literal would not be the exact number in the ring. Broadcasts and iotas, which are smaller than what they make; results of more than 2^20 elements that are larger than the constants they replace
//! (XLA's rule, with its 45 million); contractions, transforms, factorizations and sorts, whose cost is not that of their elements; ops with regions,
//! effects or random numbers; custom calls and barriers. The meaning is that of the judge: tests/witness.rs compares it with formulas of its own.

use crate::{
    pass::{Pass, Rewrite, Run},
    rewrite::{OpRef, Rewriter, ValueRef, definition, users},
    values,
};
use melior::ir::operation::OperationLike;
use tileproof_dialect::{
    eval::{EvalContext, Events, NoRegions},
    hlo::{self, constant::Constant},
    literal::Literal,
    mlir::views,
    numerics::Numerics,
    op::Kind,
    planes::Planes,
    stage::Stage,
    tensor::{Tensor, Value, count},
    types::{ElementType, Type},
};

pub static PASS: Pass = Pass {
    name: "hlo-fold-constants",
    input: Stage::S0,
    output: Stage::S1,
    summary: "ops on constants become constants",
    rewrites: &[INTEGERS, EXACT],
    run: Run::Rewrite(|rewriter| rewriter.apply_patterns()),
};

/// Integers and booleans have one plane: BitExact.
const INTEGERS: Rewrite = Rewrite {
    name: "integers",
    equation: "f(constant, ..)  ->  constant f(..)  where f gives integers or booleans",
    numerics: Numerics::bit_exact,
    pattern: Some(integers),
};

fn integers<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    fold(op, rewriter, |_, element| element.is_integer())
}

/// What is moved or chosen keeps its bits, and a chosen integer is exact: BitExact, and the same number in the ring.
const EXACT: Rewrite = Rewrite {
    name: "exact",
    equation: "f(constant, ..)  ->  constant f(..)  where f moves or chooses floats",
    numerics: Numerics::bit_exact,
    pattern: Some(exact),
};

fn exact<'c>(op: OpRef<'c>, rewriter: &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>> {
    fold(op, rewriter, |op, element| {
        let keeps = match op.kind() {
            Kind::Movement | Kind::Selection => op.name() != "reduce_precision",
            Kind::Arithmetic | Kind::Opaque => op.name() == "negate",
            Kind::Integer | Kind::Control | Kind::Effect => false,
        };
        keeps && element.is_float()
    })
}

/// Most elements of a result that is larger than the constants it replaces.
const MOST_ELEMENTS: usize = 1 << 20;

/// The constant that an op on constants gives, where `fits` takes the op and the element type of its result.
fn fold<'c>(
    op: OpRef<'c>,
    rewriter: &mut Rewriter<'c>,
    fits: fn(&hlo::Op, &ElementType) -> bool,
) -> Option<Vec<ValueRef<'c>>> {
    let operands: Vec<ValueRef<'c>> = op.operands().collect();
    if operands.is_empty() || op.result_count() != 1 || op.region_count() != 0 {
        return None;
    }
    // Cheap questions first: most ops have an operand that is no constant.
    if !operands.iter().all(|v| is_constant(*v)) {
        return None;
    }
    let typed = rewriter.read(op).filter(is_foldable)?;
    let result = ValueRef::from(op.results().next()?);
    let ty = values::tensor_type(rewriter, result)?;
    if ty.layout.is_some() || !fits(&typed, &ty.element) {
        return None;
    }
    let elements = count(&ty.static_dims()?);
    let size = |v: &ValueRef<'c>| {
        let t = values::tensor_type(rewriter, *v)?;
        Some(count(&t.static_dims()?))
    };
    let mut removed = 0;
    for v in &operands {
        if users(*v).len() == 1 {
            removed += size(v)?;
        }
    }
    if elements == 0 || elements > MOST_ELEMENTS && elements > removed {
        return None;
    }
    let inputs: Vec<Value> = operands
        .iter()
        .map(|v| constant(rewriter, *v).map(Value::from))
        .collect::<Option<_>>()?;
    let mut events = Events::default();
    let mut context = EvalContext {
        planes: Planes::IeeeOnly,
        runner: &mut NoRegions,
        events: &mut events,
    };
    let types = [Type::Tensor(ty.clone())];
    let values = typed.eval(&inputs, &types, &mut context).ok()?;
    if !events.effects.is_empty() || events.opaque_random > 0 {
        return None;
    }
    let [Value::Tensor(folded)] = &values[..] else {
        return None;
    };
    if folded.dims() != ty.static_dims()?.as_slice() || *folded.element() != ty.element {
        return None;
    }
    let value = Literal::from_tensor(folded);
    rewriter.create(Constant { value }, &[], &[])
}

/// Whether the op's cost and meaning are those of its elements.
fn is_foldable(op: &hlo::Op) -> bool {
    let by_kind = match op.kind() {
        Kind::Arithmetic | Kind::Movement | Kind::Selection | Kind::Opaque | Kind::Integer => true,
        Kind::Control | Kind::Effect => false,
    };
    by_kind && !LEFT_ALONE.contains(&op.name()) && !op.name().starts_with("batch_norm")
}

const LEFT_ALONE: &[&str] = &[
    // Larger than their operands.
    "broadcast",
    "broadcast_in_dim",
    "dynamic_broadcast_in_dim",
    "iota",
    "dynamic_iota",
    // Costly.
    "cholesky",
    "convolution",
    "dot_general",
    "fft",
    "ragged_dot",
    "top_k",
    "triangular_solve",
    // Not to be looked through, or not known before the run.
    "bitcast",
    "copy",
    "copy_start",
    "copy_done",
    "custom_call",
    "domain",
    "get_dimension_size",
    "optimization_barrier",
    "partition_id",
    "replica_id",
    "rng",
    "rng_bit_generator",
    "set_dimension_size",
    "stochastic_convert",
    "tuple",
    "get_tuple_element",
];

/// Whether the value is a constant, seen through one broadcast.
fn is_constant(value: ValueRef<'_>) -> bool {
    let is_literal = |v: ValueRef<'_>| {
        definition(v).is_some_and(|op| views::hlo::ConstantOp::cast(op).is_some())
    };
    is_literal(value) || broadcast_of(value).is_some_and(is_literal)
}

fn broadcast_of(value: ValueRef<'_>) -> Option<ValueRef<'_>> {
    Some(views::hlo::BroadcastInDimOp::cast(definition(value)?)?.operand())
}

/// The elements of a constant; of a broadcast one only where all are alike.
fn constant(rewriter: &Rewriter<'_>, value: ValueRef<'_>) -> Option<Tensor> {
    if broadcast_of(value).is_some() {
        let one = values::splat(rewriter, value)?;
        let ty = values::tensor_type(rewriter, value)?;
        return Some(values::constant_of(&ty, &one)?.value.to_tensor());
    }
    match rewriter.read(definition(value)?)? {
        hlo::Op::Constant(constant) => Some(constant.value.to_tensor()),
        _ => None,
    }
}
