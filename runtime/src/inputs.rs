//! Ring plane of given inputs: a keyed hash of (seed, argument, linear index), so that before and after get the same residues.

use rayon::prelude::*;
use tileproof_dialect::{
    buffer::Buffer,
    planes::ring,
    tensor::{Tensor, Value},
    types::ElementType,
};

/// Elements of one task.
const CHUNK: usize = 1 << 16;

/// `value` as argument number `argument` with the residues of `seed`. Zero stays zero, infinities and NaN become codes; integers and tokens stay as they are.
pub fn with_ring(value: &Value, seed: u64, argument: u64) -> Value {
    match value {
        Value::Tensor(t) => tensor_with_ring(t, seed, argument).into(),
        Value::Token(_) => value.clone(),
        // Elements of a tuple count as arguments of their own.
        Value::Tuple(parts) => {
            let part = |(i, p)| with_ring(p, seed, ring::mix(argument) ^ i as u64);
            Value::Tuple(parts.iter().enumerate().map(part).collect())
        }
    }
}

/// All arguments in order, each with the residues of `seed`.
pub fn all_with_ring(values: &[Value], seed: u64) -> Vec<Value> {
    let one = |(i, v)| with_ring(v, seed, i as u64);
    values.iter().enumerate().map(one).collect()
}

fn tensor_with_ring(t: &Tensor, seed: u64, argument: u64) -> Tensor {
    if !t.element().has_ring() {
        return t.clone();
    }
    let residue = |i: usize, v: f64| {
        // Zero is zero in the field too: poles, products and comparisons with it agree on both planes.
        if v.is_finite() && v != 0.0 {
            ring::input(seed, argument, i as u64)
        } else {
            ring::embed_f64(v)
        }
    };
    let ring = match t.element() {
        ElementType::C64 | ElementType::F32 => {
            residues(t.as_slice::<f32>(), |i, v| residue(i, v.into()))
        }
        ElementType::C128 => residues(t.as_slice::<f64>(), residue),
        _ => residues(&t.to_f64s(), residue),
    };
    t.clone().with_ring(Some(ring))
}

/// One residue per number, from its index and value.
fn residues<T: Copy + Sync>(numbers: &[T], residue: impl Fn(usize, T) -> u32 + Sync) -> Buffer {
    Buffer::build::<u32>(numbers.len(), |out| {
        out.par_chunks_mut(CHUNK)
            .zip(numbers.par_chunks(CHUNK))
            .enumerate()
            .for_each(|(c, (out, numbers))| {
                for (i, (o, v)) in out.iter_mut().zip(numbers).enumerate() {
                    *o = residue(c * CHUNK + i, *v);
                }
            });
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_hang_on_seed_argument_and_index_alone() {
        let a: Value =
            Tensor::from_f64s(&[3], &ElementType::F32, &[1.0, f64::INFINITY, -0.0]).into();
        let b: Value = Tensor::from_f64s(&[3], &ElementType::BF16, &[7.0, f64::NAN, 2.0]).into();
        let residues = |v: &Value, seed, argument| {
            with_ring(v, seed, argument)
                .as_tensor()
                .unwrap()
                .ring()
                .unwrap()
                .to_vec()
        };
        let (x, y) = (residues(&a, 1, 0), residues(&b, 1, 0));
        assert_eq!((x[0], x[2]), (y[0], 0));
        assert_eq!((x[1], y[1]), (ring::POSITIVE_INFINITY, ring::UNDEFINED));
        assert_ne!(x[0], residues(&a, 2, 0)[0]);
        assert_ne!(x[0], residues(&a, 1, 1)[0]);
        assert!(x[0] < ring::P);
    }
}
