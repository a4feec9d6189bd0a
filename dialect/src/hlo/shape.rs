//! Pieces of shape rules that many ops share.

use crate::{
    hlo::quantization,
    op::InferContext,
    tensor::{Tensor, Value},
    types::{Dim, TensorType, Type},
};
use std::sync::Arc;

/// Operand `i` as a tensor type, or a violation.
pub fn tensor<'a>(cx: &InferContext<'a>, i: usize) -> Result<&'a Arc<TensorType>, Vec<String>> {
    match cx.operands.get(i) {
        Some(Type::Tensor(t)) => Ok(t),
        Some(other) => Err(vec![format!("operand {i} must be a tensor, got {other}")]),
        None => Err(vec![format!("operand {i} is missing")]),
    }
}

/// Exactly `n` operands, all tensors.
pub fn tensors<'a>(
    cx: &InferContext<'a>,
    n: usize,
) -> Result<Vec<&'a Arc<TensorType>>, Vec<String>> {
    if cx.operands.len() != n {
        return Err(vec![format!(
            "expected {n} operands, got {}",
            cx.operands.len()
        )]);
    }
    (0..n).map(|i| tensor(cx, i)).collect()
}

/// The declared type of result `i`, which must be a tensor: for ops whose result type is not derivable.
pub fn declared<'a>(cx: &InferContext<'a>, i: usize) -> Result<&'a Arc<TensorType>, Vec<String>> {
    match cx.declared.get(i) {
        Some(Type::Tensor(t)) => Ok(t),
        Some(other) => Err(vec![format!("result {i} must be a tensor, got {other}")]),
        None => Err(vec![format!("result {i} must be declared")]),
    }
}

/// The most precise size that two compatible sizes allow.
pub fn join_dims(a: Dim, b: Dim) -> Option<Dim> {
    match (a, b) {
        (Dim::Static(x), Dim::Static(y)) => (x == y).then_some(a),
        (Dim::Static(_), Dim::Dynamic { .. }) => Some(a),
        (Dim::Dynamic { .. }, Dim::Static(_)) => Some(b),
        (Dim::Dynamic { bound: x }, Dim::Dynamic { bound: y }) => Some(Dim::Dynamic {
            bound: x.into_iter().chain(y).min(),
        }),
    }
}

/// Joined dimensions of tensors of one shape, or a violation naming both shapes.
pub fn same_dims(tensors: &[&Arc<TensorType>]) -> Result<Vec<Dim>, Vec<String>> {
    let mut dims = tensors[0].dims.clone();
    for t in &tensors[1..] {
        let joined: Option<Vec<Dim>> = if t.dims.len() == dims.len() {
            dims.iter()
                .zip(&t.dims)
                .map(|(a, b)| join_dims(*a, *b))
                .collect()
        } else {
            None
        };
        dims =
            joined.ok_or_else(|| vec![format!("operand shapes differ: {} and {t}", tensors[0])])?;
    }
    Ok(dims)
}

/// `n` operands of one shape and one element type that `accept` takes; the result has that type. Quantized types count as the types they express; their
/// parameters may differ, and the result is quantized as it is declared.
pub fn elementwise(
    cx: &InferContext<'_>,
    n: usize,
    accept: impl Fn(&TensorType) -> bool,
    wanted: &str,
) -> Result<Vec<Type>, Vec<String>> {
    let operands = tensors(cx, n)?;
    let dims = same_dims(&operands)?;
    let meaning = quantization::expressed_element(&operands[0].element);
    if let Some(other) = operands
        .iter()
        .find(|t| quantization::expressed_element(&t.element) != meaning)
    {
        return Err(vec![format!(
            "operand element types differ: {} and {other}",
            operands[0]
        )]);
    }
    if !accept(&operands[0].with_element(meaning.clone())) {
        return Err(vec![format!(
            "element type must be {wanted}, got {}",
            operands[0].element
        )]);
    }
    let declared = cx.declared.first().and_then(Type::as_tensor);
    let is_quantized = |t: &&Arc<TensorType>| quantization::parameters(&t.element).is_some();
    let element = match declared {
        Some(declared)
            if (is_quantized(&declared) || operands.iter().any(is_quantized))
                && quantization::expressed_element(&declared.element) == meaning =>
        {
            &declared.element
        }
        Some(_) | None => &operands[0].element,
    };
    Ok(vec![
        operands[0]
            .with_dims(dims)
            .with_element(element.clone())
            .into(),
    ])
}

/// Operand `i` of an evaluation as a tensor. The verifier has checked that it is one.
pub fn operand(operands: &[Value], i: usize) -> Result<&Tensor, crate::eval::Stop> {
    operands
        .get(i)
        .and_then(Value::as_tensor)
        .ok_or_else(|| crate::eval::Stop::internal(format!("operand {i} is not a tensor")))
}

/// Concrete dimensions of declared result `i`.
pub fn result_dims(results: &[Type], i: usize) -> Result<Vec<u64>, crate::eval::Stop> {
    results
        .get(i)
        .and_then(Type::as_tensor)
        .and_then(|t| t.static_dims())
        .ok_or_else(|| crate::eval::Stop::internal(format!("result {i} has no static shape")))
}
