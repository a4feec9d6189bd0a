//! `constant-ulp`: one element of a literal moves to the next representable number (integers: by one; booleans: flip).

use tileproof_dialect::{
    hlo::{self, constant::Constant},
    literal::Literal,
    op::Op,
    program::{OpId, Program},
    tensor::Tensor,
    types::ElementType,
};

pub fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let Op::Hlo(hlo::Op::Constant(constant)) = &program.op(id).op else {
        return None;
    };
    let tensor = constant.value.to_tensor();
    if tensor.is_empty() {
        return None;
    }
    let at = (seed as usize) % tensor.len();
    let size = tensor.element().storage_bytes();
    let mut bytes = tensor.ieee().bytes().to_vec();
    let element = &mut bytes[at * size..][..size];
    if *tensor.element() == ElementType::I1 {
        element[0] ^= 1;
    } else {
        // The next bit pattern is the next number away from zero; complex: the real part.
        element[0] = element[0].wrapping_add(1);
    }
    let changed = Tensor::new(
        tensor.dims().to_vec(),
        tensor.element().clone(),
        tileproof_dialect::buffer::Buffer::from_slice(&bytes),
        None,
    );
    let value = Literal::from_tensor(&changed);
    program
        .modified(id, |o| o.op = Op::Hlo(Constant { value }.into()))
        .ok()
}
