//! The float literals of one program: every scalar and splat, once per value and type; a complex one counts as its two parts.

use std::collections::HashSet;
use tileproof_dialect::{
    hlo, op::Op, program::Program, tensor::Tensor, tpu::TpuOp, types::ElementType,
};

/// Distinct finite literals in order of appearance. Values are exact: every float type here fits in f64.
#[derive(Debug, Clone, Default)]
pub struct Literals {
    all: Vec<(ElementType, f64)>,
    known: HashSet<(ElementType, u64)>,
}

impl Literals {
    pub fn of(program: &Program) -> Literals {
        let mut out = Literals::default();
        for id in program.op_ids() {
            let Op::Hlo(op) = &program.op(id).op;
            if let hlo::Op::Constant(c) = op
                && let Some(one) = c.value.splat_value()
            {
                if let Some(value) = scalar(&one) {
                    out.insert(c.value.element(), value);
                }
                if let Some((part, values)) = parts(&one) {
                    values.iter().for_each(|v| out.insert(&part, *v));
                }
            }
        }
        // What a kernel took in is still there, but nothing that an expression of its own must give: padding and rounding bring literals of their own.
        for kernel in &program.kernels {
            kernel.walk(&mut |o| {
                if let TpuOp::Constant(c) = &o.op
                    && let Some(value) = c.splat_value().as_ref().and_then(scalar)
                {
                    out.known.insert((c.element().clone(), value.to_bits()));
                }
            });
        }
        out
    }

    pub fn insert(&mut self, element: &ElementType, value: f64) {
        if value.is_finite() && self.known.insert((element.clone(), value.to_bits())) {
            self.all.push((element.clone(), value));
        }
    }

    /// Whether the program has this literal, sign of zero included.
    pub fn contains(&self, element: &ElementType, value: f64) -> bool {
        self.known.contains(&(element.clone(), value.to_bits()))
    }

    pub fn iter(&self) -> impl Iterator<Item = &(ElementType, f64)> {
        self.all.iter()
    }
}

/// Real and imaginary part of a complex tensor of one element, with their type.
pub fn parts(one: &Tensor) -> Option<(ElementType, [f64; 2])> {
    let part = one.element().complex_part()?;
    let numbers = Tensor::new(vec![2], part.clone(), one.ieee().clone(), None);
    match (one.len(), &numbers.to_f64s()[..]) {
        (1, [re, im]) => Some((part, [*re, *im])),
        (_, _) => None,
    }
}

/// The one value of a real float tensor of one element.
pub fn scalar(one: &Tensor) -> Option<f64> {
    (one.element().is_float() && one.len() == 1).then(|| one.to_f64s()[0])
}
