//! Constants as numpy arrays, bit for bit.

use super::{dtype, tuple};
use crate::{
    error::Error,
    literal::Literal,
    tensor::Tensor,
    types::{Class, ElementType},
};

/// An expression for the array of a constant.
pub fn text(value: &Literal) -> Result<String, Error> {
    let (ty, dims) = (dtype(value.element())?, tuple(value.dims()));
    if let Some(one) = value.splat_value() {
        let item = items(&one)?;
        return Ok(match (value.dims().is_empty(), plain(&one)) {
            (true, true) => format!("np.array({}, {ty})", item.join(", ")),
            (false, true) => format!("np.full({dims}, {}, {ty})", item.join(", ")),
            (_, false) => format!("np.full({dims}, {}, {ty})", bits(&one, ty)),
        });
    }
    let tensor = value.to_tensor();
    if plain(&tensor) {
        let list = format!("[{}]", items(&tensor)?.join(", "));
        return Ok(if value.dims().len() == 1 {
            format!("np.array({list}, {ty})")
        } else {
            format!("np.array({list}, {ty}).reshape({dims})")
        });
    }
    Ok(format!("{}.reshape({dims})", bits(&tensor, ty)))
}

/// Whether Python's numbers say every element exactly: no NaN, no narrow float.
fn plain(t: &Tensor) -> bool {
    match t.element() {
        ElementType::F32 | ElementType::F64 => t.to_f64s().iter().all(|v| !v.is_nan()),
        element => element.class() != Class::Float && element.class() != Class::Complex,
    }
}

fn items(t: &Tensor) -> Result<Vec<String>, Error> {
    let float = |plain: String, v: f64| {
        if v.is_infinite() {
            if v > 0.0 { "np.inf" } else { "-np.inf" }.to_string()
        } else {
            plain
        }
    };
    Ok(match t.element() {
        ElementType::F32 => t
            .as_slice::<f32>()
            .iter()
            .map(|v| float(format!("{v:?}"), f64::from(*v)))
            .collect(),
        ElementType::F64 => t
            .as_slice::<f64>()
            .iter()
            .map(|v| float(format!("{v:?}"), *v))
            .collect(),
        ElementType::I1 => t
            .to_i64s()
            .iter()
            .map(|v| if *v == 0 { "False" } else { "True" }.to_string())
            .collect(),
        ElementType::U64 => t.as_slice::<u64>().iter().map(u64::to_string).collect(),
        _ => t.to_i64s().iter().map(i64::to_string).collect(),
    })
}

/// The elements from their bytes.
fn bits(t: &Tensor, ty: &str) -> String {
    let hex: String = t
        .ieee()
        .bytes()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    format!("np.frombuffer(bytes.fromhex(\"{hex}\"), {ty})")
}
