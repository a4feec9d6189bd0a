//! `constant-ulp`: one element of a literal moves to the next representable number (integers: by one; booleans: flip).

use super::Mutator;
use tileproof_dialect::{
    buffer::Buffer,
    hlo::{self, constant::Constant},
    literal::Literal,
    op::Op,
    program::{OpId, Program},
    tensor::Tensor,
    types::Class,
};

pub const MUTATOR: Mutator = Mutator {
    name: "constant-ulp",
    summary: "moves one element of a literal to the next number",
    faults: &["f37", "f101"],
    mutate,
};

fn mutate(program: &Program, id: OpId, seed: u64) -> Option<Program> {
    let Op::Hlo(hlo::Op::Constant(constant)) = &program.op(id).op else {
        return None;
    };
    let t = constant.value.to_tensor();
    if t.is_empty() {
        return None;
    }
    let at = (seed as usize) % t.len();
    let changed = match t.element().class() {
        Class::Signed | Class::Unsigned => {
            let mut values = t.to_i64s().into_owned();
            values[at] = values[at].wrapping_add(1);
            Tensor::from_i64s(t.dims(), t.element(), &values)
        }
        Class::Boolean => {
            let mut values = t.to_i64s().into_owned();
            values[at] ^= 1;
            Tensor::from_i64s(t.dims(), t.element(), &values)
        }
        Class::Float | Class::Complex => next_number(&t, at),
        Class::Quantized => return None,
    };
    with_tensor(program, id, &t, &changed)
}

/// The next bit pattern at element `at`, which is the next number away from zero; of a complex number the real part. Infinity becomes the largest number.
fn next_number(t: &Tensor, at: usize) -> Tensor {
    let size = t.element().storage_bytes();
    let part = t
        .element()
        .complex_part()
        .map_or(size, |part| part.storage_bytes());
    let is_infinite = t.to_f64s().get(at).is_some_and(|v| v.is_infinite());
    let mut bytes = t.ieee().bytes().to_vec();
    for byte in &mut bytes[at * size..][..part] {
        // Little endian: the carry goes to the next byte.
        let (new, carry) = if is_infinite {
            byte.overflowing_sub(1)
        } else {
            byte.overflowing_add(1)
        };
        *byte = new;
        if !carry {
            break;
        }
    }
    Tensor::new(
        t.dims().to_vec(),
        t.element().clone(),
        Buffer::from_slice(&bytes),
        None,
    )
}

/// The program whose constant `id` is `changed` in place of `was`; none when they are the same.
pub fn with_tensor(
    program: &Program,
    id: OpId,
    was: &Tensor,
    changed: &Tensor,
) -> Option<Program> {
    if was.ieee().bytes() == changed.ieee().bytes() {
        return None;
    }
    let value = Literal::from_tensor(changed);
    program
        .modified(id, |o| o.op = Op::Hlo(Constant { value }.into()))
        .ok()
}
