//! Products of a matrix with itself are symmetric: which way one is read makes no difference.
//!
//! Proves: element (i, j) sums the products of the same pairs of numbers in the same order as element (j, i). Only for real numbers: the imaginary part of a
//! product of complex ones sums two terms in the order of its factors.

use super::{identities::Form, look};
use std::collections::HashMap;
use tileproof_dialect::{
    hlo::{self, dot_general::DotGeneral},
    op::Op,
    program::{OpId, Program, ValueId},
    types::Class,
};

type Keys = HashMap<ValueId, u128>;

/// The transpose of a symmetric product is the product.
pub fn transposed(program: &Program, keys: &Keys, id: OpId) -> Option<Form> {
    let Op::Hlo(hlo::Op::Transpose(op)) = &program.op(id).op else {
        return None;
    };
    let x = *program.op(id).operands.first()?;
    let swaps = op.permutation == [1, 0] && is_symmetric(program, keys, x);
    swaps.then(|| keys.get(&x).copied().map(Form::Same))?
}

/// A product that contracts a symmetric matrix, over its first dimension.
pub fn dot(program: &Program, keys: &Keys, id: OpId) -> Option<Form> {
    let Op::Hlo(hlo::Op::DotGeneral(op)) = &program.op(id).op else {
        return None;
    };
    let [lhs, rhs] = program.op(id).operands[..] else {
        return None;
    };
    let mut over_first = op.clone();
    let sides = [
        (lhs, &mut over_first.lhs_contracting_dimensions),
        (rhs, &mut over_first.rhs_contracting_dimensions),
    ];
    for (v, dims) in sides {
        if dims.len() == 1 && is_symmetric(program, keys, v) {
            *dims = vec![0];
        }
    }
    let is_plain = op.lhs_batching_dimensions.is_empty() && op.rhs_batching_dimensions.is_empty();
    is_plain.then(|| {
        Some(Form::Op {
            name: format!("{over_first:?}"),
            operands: vec![*keys.get(&lhs)?, *keys.get(&rhs)?],
            is_commutative: false,
        })
    })?
}

/// Whether `v` is the product of a real matrix with its transpose.
fn is_symmetric(program: &Program, keys: &Keys, v: ValueId) -> bool {
    let sides = || -> Option<bool> {
        let id = look::definition(program, v)?;
        let Op::Hlo(hlo::Op::DotGeneral(op)) = &program.op(id).op else {
            return None;
        };
        let [lhs, rhs] = program.op(id).operands[..] else {
            return None;
        };
        let DotGeneral {
            lhs_batching_dimensions: batch,
            lhs_contracting_dimensions: l,
            rhs_contracting_dimensions: r,
            ..
        } = op;
        let is_real = |v| {
            let class = look::element(program, v).map(|e| e.class());
            class.is_some_and(|c| c != Class::Complex && c != Class::Quantized)
        };
        let is_matrix = |v| look::dims(program, v).is_some_and(|d| d.len() == 2);
        let precision = op.precision_config.as_deref().unwrap_or(&[]);
        let is_alike = op.algorithm.is_none() && precision.windows(2).all(|p| p[0] == p[1]);
        let fits = is_alike
            && batch.is_empty()
            && l.len() == 1
            && r.len() == 1
            && is_matrix(lhs)
            && is_matrix(rhs)
            && is_real(lhs)
            && is_real(v);
        let (a, b) = (
            rows(program, keys, lhs, l.first().copied()?)?,
            rows(program, keys, rhs, r.first().copied()?)?,
        );
        Some(fits && a == b)
    };
    sides() == Some(true)
}

/// A matrix by the key of what it is, or is the transpose of, and the dimension of that which is contracted.
fn rows(program: &Program, keys: &Keys, v: ValueId, contracted: i64) -> Option<(u128, i64)> {
    if let Some([inner]) = look::operands_of(program, v, "copy") {
        return rows(program, keys, *inner, contracted);
    }
    let made = look::definition(program, v).map(|id| &program.op(id).op);
    if let Some(Op::Hlo(hlo::Op::Transpose(op))) = made
        && op.permutation == [1, 0]
    {
        let inner = look::operands_of(program, v, "transpose")?
            .first()
            .copied()?;
        return rows(program, keys, inner, 1 - contracted);
    }
    Some((*keys.get(&v)?, contracted))
}
