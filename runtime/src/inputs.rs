//! Ring plane of given inputs: a keyed hash of (seed, argument, linear index), so that before and after get the same residues.

use tileproof_dialect::{
    buffer::Buffer,
    planes::ring,
    tensor::{Tensor, Value},
    types::ElementType,
};

/// `value` as argument number `argument` with the residues of `seed`. Infinities and NaN become codes; integers and tokens stay as they are.
pub fn attach_ring(value: Value, seed: u64, argument: u64) -> Value {
    match value {
        Value::Tensor(t) => attach_to_tensor(t, seed, argument).into(),
        Value::Token(_) => value,
        // Elements of a tuple count as arguments of their own.
        Value::Tuple(parts) => {
            let part = |(i, p)| attach_ring(p, seed, ring::mix(argument) ^ i as u64);
            Value::Tuple(parts.into_iter().enumerate().map(part).collect())
        }
    }
}

/// All arguments in order, each with the residues of `seed`.
pub fn attach_ring_to_all(values: &[Value], seed: u64) -> Vec<Value> {
    let one = |(i, v): (usize, &Value)| attach_ring(v.clone(), seed, i as u64);
    values.iter().enumerate().map(one).collect()
}

fn attach_to_tensor(t: Tensor, seed: u64, argument: u64) -> Tensor {
    if !t.element().has_ring() {
        return t;
    }
    let residues = |parts: &mut dyn Iterator<Item = f64>, len: usize| {
        Buffer::build::<u32>(len, |out| {
            for (i, (o, v)) in out.iter_mut().zip(parts).enumerate() {
                *o = if v.is_finite() {
                    ring::input(seed, argument, i as u64)
                } else {
                    ring::embed_f64(v)
                };
            }
        })
    };
    let ring = match t.element() {
        ElementType::C64 => {
            let parts = t.as_slice::<f32>();
            residues(&mut parts.iter().map(|v| f64::from(*v)), parts.len())
        }
        ElementType::C128 => {
            let parts = t.as_slice::<f64>();
            residues(&mut parts.iter().copied(), parts.len())
        }
        ElementType::F32 => {
            let values = t.as_slice::<f32>();
            residues(&mut values.iter().map(|v| f64::from(*v)), values.len())
        }
        _ => residues(&mut t.to_f64s().iter().copied(), t.len()),
    };
    t.with_ring(Some(ring))
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
            attach_ring(v.clone(), seed, argument)
                .as_tensor()
                .unwrap()
                .ring()
                .unwrap()
                .to_vec()
        };
        let (x, y) = (residues(&a, 1, 0), residues(&b, 1, 0));
        assert_eq!((x[0], x[2]), (y[0], y[2]));
        assert_eq!((x[1], y[1]), (ring::POSITIVE_INFINITY, ring::UNDEFINED));
        assert_ne!(x[0], residues(&a, 2, 0)[0]);
        assert_ne!(x[0], residues(&a, 1, 1)[0]);
        assert!(x[0] < ring::P);
    }
}
