//! `constant-sign`: a literal has the other sign.

use super::{Mutator, constant_ulp::with_tensor};
use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program},
    tensor::Tensor,
    types::Class,
};

pub const MUTATOR: Mutator = Mutator {
    name: "constant-sign",
    summary: "negates a literal",
    faults: &[],
    mutate,
};

fn mutate(program: &Program, id: OpId, _: u64) -> Option<Program> {
    let Op::Hlo(hlo::Op::Constant(constant)) = &program.op(id).op else {
        return None;
    };
    let t = constant.value.to_tensor();
    let changed = match t.element().class() {
        Class::Float => {
            let values: Vec<f64> = t.to_f64s().iter().map(|v| -v).collect();
            Tensor::from_f64s(t.dims(), t.element(), &values)
        }
        Class::Signed | Class::Unsigned => {
            let values: Vec<i64> = t.to_i64s().iter().map(|v| v.wrapping_neg()).collect();
            Tensor::from_i64s(t.dims(), t.element(), &values)
        }
        Class::Boolean | Class::Complex | Class::Quantized => return None,
    };
    with_tensor(program, id, &t, &changed)
}
