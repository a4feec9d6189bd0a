//! `constant-scaled`: a literal is off by a small factor, or twice as large.

use super::{Mutator, constant_ulp::with_tensor};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program},
    tensor::Tensor,
    types::Class,
};

pub const MUTATOR: Mutator = Mutator {
    name: "constant-scaled",
    summary: "multiplies a literal by 1.0001 or by 2",
    faults: &["f101"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let Op::Hlo(hlo::Op::Constant(constant)) = &program.op(id).op else {
        return None;
    };
    let t = constant.value.to_tensor();
    let changed = match t.element().class() {
        Class::Float => {
            let factor = if seed.is_multiple_of(2) { 1.0001 } else { 2.0 };
            let values: Vec<f64> = t.to_f64s().iter().map(|v| v * factor).collect();
            Tensor::from_f64s(t.dims(), t.element(), &values)
        }
        Class::Signed | Class::Unsigned => {
            let values: Vec<i64> = t.to_i64s().iter().map(|v| v.wrapping_mul(2)).collect();
            Tensor::from_i64s(t.dims(), t.element(), &values)
        }
        Class::Boolean | Class::Complex | Class::Quantized => return None,
    };
    with_tensor(program, id, &t, &changed)
}
