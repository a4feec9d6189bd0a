//! Custom calls by which JAX writes ops whose sizes are known at run time only: `stablehlo.dynamic_reduce_window` and `stablehlo.dynamic_top_k`.
//!
//! Each is the op of that name with the sizes as operands behind the others; the body of the window is a function.

use crate::{
    eval::{EvalContext, Stop},
    hlo::{movement, reduce_window::ReduceWindow, shape, top_k::TopK},
    op::OpDef,
    tensor::{Tensor, Value},
    types::Type,
};

/// Operands: inputs, as many initial values, window_dimensions, window_strides, base_dilations, window_dilations, padding.
pub fn reduce_window(
    callee: &str,
    operands: &[Value],
    cx: &mut EvalContext<'_>,
) -> Result<Vec<Value>, Stop> {
    let tensors: Vec<Tensor> = (0..operands.len())
        .map(|i| shape::operand(operands, i).cloned())
        .collect::<Result<_, _>>()?;
    let wrong = || Stop::unsupported("stablehlo.dynamic_reduce_window with these operands");
    let Some((both, [dimensions, strides, base, window, padding])) =
        tensors.split_last_chunk::<5>()
    else {
        return Err(wrong());
    };
    let (inputs, inits) = both.split_at(both.len() / 2);
    let Some(first) = inputs.first().filter(|_| inputs.len() == inits.len()) else {
        return Err(wrong());
    };
    let op = ReduceWindow {
        window_dimensions: movement::indices(dimensions),
        window_strides: movement::indices(strides),
        base_dilations: movement::indices(base),
        window_dilations: movement::indices(window),
        padding: movement::indices(padding),
    };
    let lists = [
        &op.window_dimensions,
        &op.window_strides,
        &op.base_dilations,
        &op.window_dilations,
    ];
    let fits = lists
        .iter()
        .all(|l| l.len() == first.rank() && l.iter().all(|n| *n > 0))
        && op.padding.len() == 2 * first.rank();
    if !fits
        || inputs.iter().any(|t| t.dims() != first.dims())
        || inits.iter().any(|t| t.rank() > 0)
    {
        return Err(wrong());
    }
    let out = op.window().fold(inputs, inits, &mut |lanes, arguments| {
        let mut results: Vec<Vec<Tensor>> = vec![];
        for lane in 0..lanes {
            let made = cx.call(
                callee,
                arguments
                    .iter()
                    .map(|a| a.take(&[], &[lane]).into())
                    .collect(),
            )?;
            results.resize(made.len(), vec![]);
            for (all, value) in results.iter_mut().zip(&made) {
                all.push(value.as_tensor().ok_or_else(wrong)?.clone());
            }
        }
        results
            .iter()
            .map(|all| {
                Ok(Tensor::joined(&all.iter().collect::<Vec<_>>())
                    .ok_or_else(wrong)?
                    .reshaped(&[lanes as u64]))
            })
            .collect()
    })?;
    Ok(out.into_iter().map(Value::from).collect())
}

/// Operands: the tensor, how many elements of its last dimension.
pub fn top_k(
    operands: &[Value],
    results: &[Type],
    cx: &mut EvalContext<'_>,
) -> Result<Vec<Value>, Stop> {
    let k = movement::index(shape::operand(operands, 1)?)?;
    if k < 0 {
        return Err(movement::mismatch(format!("top {k}")));
    }
    TopK { k, largest: None }.eval(&operands[..1], results, cx)
}
