//! Region bodies on scalars, run for a whole batch of lanes at once: each op of the body is evaluated once on `[lanes]` tensors in place of scalars.
//!
//! Possible when every op of the body acts on each element alone. Other bodies run once per lane.

use super::{Frame, Interpreter, Observer};
use std::collections::HashMap;
use tileproof_dialect::{
    eval::{Events, Stop},
    hlo,
    op::Op,
    program::{OpId, Program, RegionId, ValueId},
    tensor::{Tensor, Value},
    types::{TensorType, Type},
};

/// Ops whose result element depends on the operand elements at the same place only, for operands of one shape.
pub const ELEMENTWISE: &[&str] = &[
    "abs",
    "acos",
    "acosh",
    "add",
    "and",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bessel_i1e",
    "cbrt",
    "ceil",
    "clamp",
    "compare",
    "complex",
    "conj",
    "convert",
    "copy",
    "cosh",
    "cosine",
    "count_leading_zeros",
    "digamma",
    "divide",
    "erf",
    "erf_inv",
    "erfc",
    "exponential",
    "exponential_minus_one",
    "floor",
    "imag",
    "is_finite",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "lgamma",
    "log",
    "log_plus_one",
    "logistic",
    "maximum",
    "minimum",
    "multiply",
    "negate",
    "next_after",
    "not",
    "optimization_barrier",
    "or",
    "polygamma",
    "popcnt",
    "power",
    "real",
    "reduce_precision",
    "remainder",
    "round_nearest_afz",
    "round_nearest_even",
    "rsqrt",
    "select",
    "shift_left",
    "shift_right_arithmetic",
    "shift_right_logical",
    "sign",
    "sine",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "xor",
    "zeta",
];

/// How one op of a body runs in a batch.
enum Lanewise {
    /// Evaluated once, then repeated.
    Constant,
    /// Evaluated on `[lanes]` tensors.
    Elementwise,
    /// Scalar to scalar: the operand itself.
    Identity,
    Return,
}

fn lanewise(program: &Program, id: OpId) -> Option<Lanewise> {
    let o = program.op(id);
    let scalar = |v: &ValueId| program.ty(*v).as_tensor().is_some_and(|t| t.rank() == 0);
    if !o.regions.is_empty() || !o.results.iter().all(scalar) || !o.operands.iter().all(scalar) {
        return None;
    }
    let Op::Hlo(op) = &o.op;
    match op {
        hlo::Op::Constant(_) => Some(Lanewise::Constant),
        hlo::Op::Return(_) => Some(Lanewise::Return),
        op if ["broadcast_in_dim", "reshape"].contains(&op.name()) => Some(Lanewise::Identity),
        op if ["bitcast", "bitcast_convert"].contains(&op.name()) => {
            let bits = |v: &ValueId| program.ty(*v).as_tensor().map(|t| t.element.bits());
            (o.operands.first().and_then(bits) == o.results.first().and_then(bits))
                .then_some(Lanewise::Elementwise)
        }
        op if ELEMENTWISE.contains(&op.name()) => Some(Lanewise::Elementwise),
        _ => None,
    }
}

/// For each region number below `regions`: whether it takes scalars and every op of it runs in batches.
pub fn lanewise_regions(program: &Program, regions: usize) -> Vec<bool> {
    let mut out = vec![false; regions];
    for id in program.op_ids() {
        for r in &program.op(id).regions {
            let region = program.region(*r);
            let scalar = |v: &ValueId| program.ty(*v).as_tensor().is_some_and(|t| t.rank() == 0);
            out[r.index()] = region.arguments.iter().all(scalar)
                && region.ops.iter().all(|op| lanewise(program, *op).is_some());
        }
    }
    out
}

fn repeat(t: &Tensor, lanes: usize) -> Tensor {
    t.strided(&[lanes as u64], 0, &[0])
}

impl Interpreter<'_> {
    /// Runs `region` once for all lanes, or lane by lane where the body does not allow it.
    pub(super) fn region_lanes(
        &self,
        region: RegionId,
        lanes: usize,
        arguments: Vec<Tensor>,
        frame: &mut Frame,
        events: &mut Events,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Tensor>, Stop> {
        let want = self.program.region(region).arguments.len();
        if arguments.len() != want {
            return Err(Stop::internal(format!(
                "{} arguments for a region that takes {want}",
                arguments.len()
            )));
        }
        if self.plan().is_lanewise(region) {
            self.batch(region, lanes, arguments, frame, events, observer)
        } else {
            self.lane_by_lane(region, lanes, arguments, frame, events, observer)
        }
    }

    fn batch(
        &self,
        region: RegionId,
        lanes: usize,
        arguments: Vec<Tensor>,
        frame: &mut Frame,
        events: &mut Events,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Tensor>, Stop> {
        let r = self.program.region(region);
        let mut values: HashMap<ValueId, Tensor> =
            r.arguments.iter().copied().zip(arguments).collect();
        let missing = || Stop::internal("a body uses a value that is not there");
        for id in &r.ops {
            self.limits.check_cancelled()?;
            let o = self.program.op(*id);
            let mut operands: Vec<Value> = Vec::with_capacity(o.operands.len());
            for v in &o.operands {
                let t = match values.get(v) {
                    Some(t) => t.clone(),
                    None => {
                        let scalar = frame.get(self.plan().slot(*v)).and_then(Value::as_tensor);
                        let t = repeat(scalar.ok_or_else(missing)?, lanes);
                        values.insert(*v, t.clone());
                        t
                    }
                };
                operands.push(t.into());
            }
            let results: Vec<Value> = match lanewise(self.program, *id).ok_or_else(missing)? {
                Lanewise::Return => {
                    let tensors = operands.into_iter().map(|v| match v {
                        Value::Tensor(t) => Ok(t),
                        Value::Token(_) | Value::Tuple(_) => Err(missing()),
                    });
                    return tensors.collect();
                }
                Lanewise::Identity => operands,
                Lanewise::Constant => {
                    let types = self.declared(*id);
                    let one = self.evaluate(*id, &operands, &types, frame, events, observer)?;
                    one.iter()
                        .filter_map(Value::as_tensor)
                        .map(|t| repeat(t, lanes).into())
                        .collect()
                }
                Lanewise::Elementwise => {
                    let batched = |v: &ValueId| match self.program.ty(*v) {
                        Type::Tensor(t) => {
                            TensorType::new([lanes as u64], t.element.clone()).into()
                        }
                        other @ (Type::Token | Type::Tuple(_)) => other.clone(),
                    };
                    let types: Vec<Type> = o.results.iter().map(batched).collect();
                    self.evaluate(*id, &operands, &types, frame, events, observer)?
                }
            };
            for (v, value) in o.results.iter().zip(results) {
                if let Value::Tensor(t) = value {
                    values.insert(*v, t);
                }
            }
        }
        Err(Stop::internal("a region does not end with a return"))
    }

    fn lane_by_lane(
        &self,
        region: RegionId,
        lanes: usize,
        arguments: Vec<Tensor>,
        frame: &mut Frame,
        events: &mut Events,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Tensor>, Stop> {
        let types = self.program.region_type(region).results;
        let mut columns: Vec<Vec<Tensor>> =
            types.iter().map(|_| Vec::with_capacity(lanes)).collect();
        for lane in 0..lanes {
            self.limits.check_cancelled()?;
            let scalars = arguments
                .iter()
                .map(|t| t.strided(&[], lane as i64, &[]).into())
                .collect();
            let results = self.region(region, scalars, frame, events, observer)?;
            for (column, value) in columns.iter_mut().zip(results) {
                match value {
                    Value::Tensor(t) => column.push(t),
                    Value::Token(_) | Value::Tuple(_) => {
                        return Err(Stop::unsupported(
                            "a region over lanes that gives no tensor",
                        ));
                    }
                }
            }
        }
        let join = |(column, ty): (Vec<Tensor>, &Type)| {
            let parts: Vec<&Tensor> = column.iter().collect();
            match (Tensor::joined(&parts), ty) {
                (Some(t), _) => Ok(t),
                (None, Type::Tensor(t)) => Ok(self.empty(t)),
                (None, Type::Token | Type::Tuple(_)) => Err(Stop::unsupported(
                    "a region over lanes that gives no tensor",
                )),
            }
        };
        columns.into_iter().zip(&types).map(join).collect()
    }

    /// No lanes at all.
    fn empty(&self, ty: &TensorType) -> Tensor {
        let t = Tensor::from_i64s(&[0], &ty.element, &[]);
        match self.planes {
            tileproof_dialect::planes::Planes::IeeeOnly => t,
            tileproof_dialect::planes::Planes::IeeeAndRing => t.with_embedded_ring(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{inputs::with_ring, limits::Limits, reference::Interpreter};
    use tileproof_dialect::{
        builder::Sampler,
        eval::Events,
        hlo,
        op::Op,
        planes::Planes,
        program::{OpId, Program},
        tensor::{Tensor, Value},
        types::Type,
    };

    /// Every listed op, applied to a whole tensor, gives what it gives element by element.
    #[test]
    fn elementwise_ops_act_on_each_element_alone() {
        let limits = Limits::default();
        for seed in 0..6 {
            let samples = hlo::Op::samples(&mut Sampler::new(seed, 3));
            for (name, program) in samples
                .iter()
                .filter(|(n, _)| super::ELEMENTWISE.contains(n))
            {
                compare(name, program, seed, &limits);
            }
        }
    }

    fn compare(name: &str, program: &Program, seed: u64, limits: &Limits) {
        let is = |id: &OpId| program.op(*id).op.name() == format!("hlo.{name}");
        let id = program.op_ids().find(is).unwrap();
        let o = program.op(id);
        let Op::Hlo(op) = &o.op;
        // `return` has no result to compare.
        let Some(first) = o.results.first() else {
            return;
        };
        let Some(n) = program.ty(*first).as_tensor().and_then(|t| t.elements()) else {
            return;
        };
        let argument = |i: usize, v| {
            let t = program.ty(v);
            let t = t.as_tensor()?;
            let numbers: Vec<f64> = (0..t.elements()?)
                .map(|k| (k % 7) as f64 * 0.75 - 1.5)
                .collect();
            let tensor = Tensor::from_f64s(&t.static_dims()?, &t.element, &numbers);
            Some(with_ring(&tensor.into(), seed, i as u64))
        };
        let operands: Option<Vec<Value>> = o
            .operands
            .iter()
            .enumerate()
            .map(|(i, v)| argument(i, *v))
            .collect();
        let Some(operands) = operands else { return };
        if operands
            .iter()
            .any(|v| v.as_tensor().is_none_or(|t| t.len() as u64 != n))
        {
            return;
        }
        let interpreter = Interpreter::new(program, Planes::IeeeAndRing, limits);
        let eval = |operands: &[Value], dims: &[u64]| {
            let ty = |v| match program.ty(v) {
                Type::Tensor(t) => Type::tensor(dims.iter().copied(), t.element.clone()),
                other @ (Type::Token | Type::Tuple(_)) => other.clone(),
            };
            let types: Vec<Type> = o.results.iter().map(|v| ty(*v)).collect();
            let mut frame = interpreter.frame(program.entry, 0);
            let mut events = Events::default();
            interpreter.evaluate(id, operands, &types, &mut frame, &mut events, &mut ())
        };
        let flat: Vec<Value> = operands
            .iter()
            .filter_map(|v| Some(v.as_tensor()?.reshaped(&[n]).into()))
            .collect();
        let Ok(all) = eval(&flat, &[n]) else { return };
        for lane in 0..n as i64 {
            let scalars: Vec<Value> = flat
                .iter()
                .filter_map(|v| Some(v.as_tensor()?.strided(&[], lane, &[]).into()))
                .collect();
            let one = eval(&scalars, &[]).unwrap();
            for (a, b) in all.iter().zip(&one) {
                let (Value::Tensor(a), Value::Tensor(b)) = (a, b) else {
                    continue;
                };
                assert_eq!(
                    a.strided(&[], lane, &[]),
                    *b,
                    "{name} ({op:?}), seed {seed}, lane {lane}"
                );
            }
        }
    }
}
