//! Registers that are known beforehand: splats, tables of positions, masks.

use super::registers::{LANES, SUBLANES, register_type};
use crate::kernels::emit::Emitter;
use tileproof_dialect::{
    literal::Literal,
    tensor::Tensor,
    tpu::{KernelValue, TpuOp},
    types::ElementType,
};

/// A register whose elements are all `value` (rank 0).
pub fn splat(e: &mut Emitter, value: &Tensor, packing: u64) -> KernelValue {
    let ty = register_type(value.element(), packing);
    let dims = ty.dims().unwrap_or(&[]).to_vec();
    let t = value.strided(&dims, 0, &vec![0; dims.len()]);
    e.b.one(TpuOp::Constant(Literal::from_tensor(&t)), &[], ty)
}

/// A register of i32, row-major.
pub fn table(e: &mut Emitter, values: &[i64]) -> KernelValue {
    register(e, &ElementType::I32, values)
}

/// A register of i1, row-major.
pub fn mask_table(e: &mut Emitter, values: &[bool]) -> KernelValue {
    let values: Vec<i64> = values.iter().map(|b| i64::from(*b)).collect();
    register(e, &ElementType::I1, &values)
}

fn register(e: &mut Emitter, element: &ElementType, values: &[i64]) -> KernelValue {
    let t = Tensor::from_i64s(&[SUBLANES, LANES], element, values);
    let op = TpuOp::Constant(Literal::from_tensor(&t));
    e.b.one(op, &[], register_type(element, 1))
}

/// A mask that is true in the first `rows` rows of the tile and the first `lanes` lanes; none when that is everywhere.
pub fn mask(e: &mut Emitter, rows: u64, lanes: u64, packing: u64) -> Option<KernelValue> {
    if rows >= SUBLANES * packing && lanes >= LANES {
        return None;
    }
    let lanes = lanes.min(LANES);
    let mut parts = vec![];
    for i in 0..packing {
        let rows = rows.saturating_sub(SUBLANES * i).min(SUBLANES);
        let bounds = [0, 0, rows as i64, lanes as i64].map(|v| e.index_constant(v));
        let ty = register_type(&ElementType::I1, 1);
        parts.push(e.b.one(TpuOp::CreateMask, &bounds, ty));
    }
    Some(match packing {
        1 => parts[0],
        n => {
            let ty = register_type(&ElementType::I1, n);
            e.b.one(TpuOp::PackSubelements, &parts, ty)
        }
    })
}
