//! Movements whose strides are known before a kernel runs.

use super::plan::Code;
use tileproof_dialect::{
    tensor::{Tensor, count, row_major_strides},
    types::ElementType,
};

/// Rows `index` times those of a register of the tile that the packed register of sizes `dims` holds.
pub fn unpack(dims: &[u64], index: u64) -> Option<Code> {
    let [rows, lanes, packing] = *dims else {
        return None;
    };
    if packing == 0 || rows % packing != 0 || index >= packing {
        return None;
    }
    let step = (lanes * packing) as i64;
    Some(Code::Move {
        walk: vec![rows / packing, packing, lanes],
        offset: (index * rows / packing) as i64 * step,
        strides: vec![step, 1, packing as i64],
        dims: vec![rows, lanes],
    })
}

pub fn movement(dims: &[u64], offset: i64, strides: Vec<i64>) -> Code {
    Code::Move {
        walk: dims.to_vec(),
        offset,
        strides,
        dims: dims.to_vec(),
    }
}

pub fn reshape(dims: &[u64]) -> Code {
    movement(dims, 0, row_major_strides(dims))
}

pub fn inner_product(indices: &[u64], strides: &[i64]) -> i64 {
    indices
        .iter()
        .zip(strides)
        .map(|(i, s)| *i as i64 * s)
        .sum()
}

/// The operand's dimensions stand for the last ones of the result.
pub fn broadcast(from: &[u64], to: &[u64]) -> Option<Code> {
    let lacking = to.len().checked_sub(from.len())?;
    let mut strides = vec![0; lacking];
    strides.extend(
        row_major_strides(from)
            .iter()
            .zip(from)
            .map(|(s, d)| if *d == 1 { 0 } else { *s }),
    );
    Some(movement(to, 0, strides))
}

pub fn repeat(dims: &[u64], dimension: usize, times: u64) -> Code {
    let (mut walk, mut strides, mut out) = (dims.to_vec(), row_major_strides(dims), dims.to_vec());
    if dimension < dims.len() {
        walk.insert(dimension, times);
        strides.insert(dimension, 0);
        out[dimension] *= times;
    }
    Code::Move {
        walk,
        offset: 0,
        strides,
        dims: out,
    }
}

/// The row-major index over `dimensions`.
pub fn iota(dims: &[u64], dimensions: &[u64], element: &ElementType) -> Tensor {
    let strides = row_major_strides(dims);
    let numbers: Vec<i64> = (0..count(dims) as i64)
        .map(|i| {
            dimensions.iter().fold(0, |all, d| {
                let (size, stride) = (dims[*d as usize] as i64, strides[*d as usize]);
                all * size + i / stride % size
            })
        })
        .collect();
    Tensor::from_i64s(dims, element, &numbers)
}
