//! THE list of ops that kernels compute: how each divides its dimensions and how it is emitted.

use super::{axes::Axes, computation::Computation, emitter::Emitter, rewrites};
use super::{
    broadcast_in_dim, cholesky, composite, concatenate, constant, convolution, dot_general,
    dynamic_slice, dynamic_update_slice, elementwise, gather, iota, map, pad, reduce,
    reduce_window, reshape, reverse, scatter, select_and_scatter, slice, sort, top_k, transpose,
    triangular_solve,
};
use crate::{analysis::operation_class, pass::Rewrite};
use tileproof_dialect::{
    error::Error,
    hlo,
    program::{OpId, Program, ValueId},
    tpu::KernelValue,
};

/// One op of a computation.
pub struct Site<'p> {
    pub computation: &'p Computation<'p>,
    pub program: &'p Program,
    pub id: OpId,
    pub op: &'p hlo::Op,
    pub operands: Vec<ValueId>,
    pub results: &'p [ValueId],
}

impl<'p> Site<'p> {
    pub fn new(computation: &'p Computation<'p>, id: OpId) -> Site<'p> {
        let (o, op) = computation.op(id);
        Site {
            computation,
            program: computation.program,
            id,
            op,
            operands: computation.operands(id),
            results: &o.results,
        }
    }

    pub fn dims(&self, v: ValueId) -> Result<Vec<u64>, Error> {
        self.computation.dims(v)
    }

    /// Number of the op in its computation.
    pub fn number(&self) -> usize {
        let ops = &self.computation.ops;
        ops.iter().position(|id| *id == self.id).unwrap_or(0)
    }

    /// This op cannot be lowered: its name and why.
    pub fn unsupported(&self, why: impl std::fmt::Display) -> Error {
        Error::unsupported(format!("{}: {why}", self.op.name()))
    }
}

type Emit = fn(&Site<'_>, &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error>;
type Accumulate = fn(&Site<'_>, &mut Emitter<'_>) -> Result<(), Error>;

/// How an op is lowered.
pub struct Form {
    pub rewrite: &'static Rewrite,
    /// Joins the dimensions that run alike, and keeps whole those that the op needs in whole.
    pub divide: fn(&Site<'_>, &mut Axes) -> Result<(), Error>,
    /// Blocks of the results from blocks of the operands.
    pub emit: Emit,
    /// Of an op that folds divided dimensions: adds this step's part to its accumulators.
    pub accumulate: Option<Accumulate>,
}

/// Ops on elements that programs hold after `hlo-expand` beyond those that fusion knows.
const MORE_ELEMENTWISE: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i1e",
    "cosh",
    "digamma",
    "erf_inv",
    "erfc",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "lgamma",
    "next_after",
    "polygamma",
    "sinh",
    "square",
    "stochastic_convert",
    "zeta",
];

/// Whether each element of the result is made of the elements of the operands at the same place.
pub fn is_elementwise(op: &hlo::Op) -> bool {
    operation_class::is_elementwise(op.name()) || MORE_ELEMENTWISE.contains(&op.name())
}

/// How `op` is lowered; none where it is not.
pub fn form(op: &hlo::Op) -> Option<Form> {
    let form = |rewrite, divide, emit| {
        Some(Form {
            rewrite,
            divide,
            emit,
            accumulate: None,
        })
    };
    match op {
        hlo::Op::Constant(_) => form(&rewrites::LOOP, constant::divide, constant::emit),
        hlo::Op::Iota(_) => form(&rewrites::LOOP, iota::divide, iota::emit),
        hlo::Op::Copy(_) => form(&rewrites::LOOP, reshape::divide_alike, reshape::emit_same),
        hlo::Op::BroadcastInDim(_) => form(
            &rewrites::LOOP,
            broadcast_in_dim::divide,
            broadcast_in_dim::emit,
        ),
        hlo::Op::Broadcast(_) => form(
            &rewrites::LOOP,
            broadcast_in_dim::divide,
            broadcast_in_dim::emit,
        ),
        hlo::Op::Transpose(_) => form(&rewrites::LOOP, transpose::divide, transpose::emit),
        hlo::Op::Reshape(_) => form(&rewrites::LOOP, reshape::divide, reshape::emit),
        hlo::Op::Slice(_) => form(&rewrites::LOOP, slice::divide, slice::emit),
        hlo::Op::Pad(_) => form(&rewrites::LOOP, pad::divide, pad::emit),
        hlo::Op::Concatenate(_) => form(&rewrites::LOOP, concatenate::divide, concatenate::emit),
        hlo::Op::Reverse(_) => form(&rewrites::LOOP, reverse::divide, reverse::emit),
        hlo::Op::Map(_) => form(&rewrites::LOOP, elementwise::divide, map::emit),
        hlo::Op::Composite(_) => form(&rewrites::LOOP, elementwise::divide, composite::emit),
        hlo::Op::BitcastConvert(_) => form(
            &rewrites::LOOP,
            elementwise::divide_bits,
            elementwise::emit_bits,
        ),
        hlo::Op::Reduce(_) => Some(Form {
            rewrite: &rewrites::REDUCE,
            divide: reduce::divide,
            emit: reduce::emit,
            accumulate: Some(reduce::accumulate),
        }),
        hlo::Op::DotGeneral(_) => Some(Form {
            rewrite: &rewrites::DOT,
            divide: dot_general::divide,
            emit: dot_general::emit,
            accumulate: Some(dot_general::accumulate),
        }),
        hlo::Op::DynamicSlice(_) => {
            form(&rewrites::LOOP, dynamic_slice::divide, dynamic_slice::emit)
        }
        hlo::Op::DynamicUpdateSlice(_) => form(
            &rewrites::LOOP,
            dynamic_update_slice::divide,
            dynamic_update_slice::emit,
        ),
        hlo::Op::Gather(_) => form(&rewrites::GATHER, gather::divide, gather::emit),
        hlo::Op::Scatter(_) => form(&rewrites::SCATTER, scatter::divide, scatter::emit),
        hlo::Op::Convolution(_) => form(
            &rewrites::CONVOLUTION,
            convolution::divide,
            convolution::emit,
        ),
        hlo::Op::ReduceWindow(_) => form(
            &rewrites::WINDOW,
            reduce_window::divide,
            reduce_window::emit,
        ),
        hlo::Op::SelectAndScatter(_) => form(
            &rewrites::WINDOW,
            select_and_scatter::divide,
            select_and_scatter::emit,
        ),
        hlo::Op::Cholesky(_) => form(&rewrites::ELIMINATION, cholesky::divide, cholesky::emit),
        hlo::Op::TriangularSolve(_) => form(
            &rewrites::ELIMINATION,
            triangular_solve::divide,
            triangular_solve::emit,
        ),
        hlo::Op::Sort(_) => form(&rewrites::SORT, sort::divide, sort::emit),
        hlo::Op::TopK(_) => form(&rewrites::SORT, top_k::divide, top_k::emit),
        other if is_elementwise(other) => {
            form(&rewrites::LOOP, elementwise::divide, elementwise::emit)
        }
        _ => None,
    }
}
