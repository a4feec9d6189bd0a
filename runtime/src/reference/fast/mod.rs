//! Fast kernels that replace the definition of single ops on both planes.
//!
//! A kernel gives what the definition gives: residues equal; integers and booleans equal; floats equal where the op rounds once, and for sums, dots
//! and convolutions within the bound of any order of evaluation.

mod bound;
mod contraction;
mod convolution;
mod dot_general;
pub mod float_product;
mod fold;
pub mod matrices;
mod reduce;
mod ring_kernel;
pub mod ring_product;

pub use bound::bound;

use tileproof_dialect::{
    eval::{EvalContext, Stop},
    hlo,
    op::Op,
    tensor::{Tensor, Value},
    types::Type,
};

/// Evaluates `op` if a fast kernel covers it and these operands.
pub fn eval(
    op: &Op,
    operands: &[Value],
    results: &[Type],
    cx: &mut EvalContext<'_>,
) -> Option<Result<Vec<Value>, Stop>> {
    let Op::Hlo(op) = op;
    let tensor = |i: usize| operands.get(i).and_then(Value::as_tensor);
    let one = |t: Tensor| Ok(vec![t.into()]);
    match op {
        hlo::Op::DotGeneral(op) => {
            dot_general::eval(op, tensor(0)?, tensor(1)?, results, cx.planes).map(one)
        }
        hlo::Op::Convolution(op) => {
            convolution::eval(op, tensor(0)?, tensor(1)?, results, cx.planes).map(one)
        }
        hlo::Op::Reduce(op) if operands.len() == 2 => {
            let body = cx.runner.single_op(0)?;
            reduce::eval(op, body, tensor(0)?, tensor(1)?, results).map(one)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        inputs::with_ring,
        limits::Limits,
        reference::{Interpreter, Kernels},
    };
    use tileproof_dialect::{
        bound::{Bound, Bounded},
        buffer::Buffer,
        builder::{ProgramBuilder, Provenance, Sampler},
        eval::Events,
        hlo,
        location::Location,
        op::Op,
        planes::{Planes, ring},
        program::{OpId, Program},
        tensor::{Tensor, Value},
        types::{ElementType, Type},
    };

    /// Random values of a type, now and then special ones; some residues are codes.
    fn argument(ty: &Type, s: &mut Sampler, number: u64) -> Value {
        let t = ty.as_tensor().unwrap();
        let n = t.elements().unwrap();
        let special = s.range(0, 3) == 0;
        let numbers: Vec<f64> = (0..n)
            .map(|_| match s.range(0, 40) {
                0 if special => *s.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0]),
                _ => s.range(0, 64) as f64 / 8.0 - 4.0,
            })
            .collect();
        let t = Tensor::from_f64s(&t.static_dims().unwrap(), &t.element, &numbers);
        let Value::Tensor(t) = with_ring(&t.into(), s.bits(), number) else {
            unreachable!()
        };
        let residues = t.ring().map(|r| {
            // Few distinct residues: equal ones and zeros meet.
            let few = r.iter().map(|r| {
                if s.range(0, 3) == 0 && *r < ring::P {
                    s.range(0, 2) as u32
                } else {
                    *r
                }
            });
            Buffer::from_slice(&few.collect::<Vec<_>>())
        });
        t.clone().with_ring(residues).into()
    }

    /// Runs op `id` by its definition and by the fast kernels. Residues, integers and booleans must be equal; floats lie within twice the bound.
    fn compare(program: &Program, id: OpId, s: &mut Sampler) {
        let o = program.op(id);
        let operands: Vec<Value> = o
            .operands
            .iter()
            .enumerate()
            .map(|(i, v)| argument(program.ty(*v), s, i as u64))
            .collect();
        let limits = Limits::default();
        let run = |kernels| {
            let interpreter =
                Interpreter::new(program, Planes::IeeeAndRing, &limits).with_kernels(kernels);
            interpreter.eval_op(id, &operands, &|_| None, &mut Events::default())
        };
        let (want, got) = (
            run(Kernels::Definition).unwrap(),
            run(Kernels::Fast).unwrap(),
        );
        let interpreter = Interpreter::new(program, Planes::IeeeOnly, &limits);
        let bounded: Vec<Bounded<'_>> = operands
            .iter()
            .map(|value| Bounded {
                value,
                error: &Bound::Exact,
            })
            .collect();
        let bounds = interpreter.bound_op(id, &bounded, &|_| None, &want);
        let finite = operands.iter().all(|v| {
            v.as_tensor()
                .is_some_and(|t| t.to_f64s().iter().all(|x| x.is_finite()))
        });
        for (r, (w, g)) in want.iter().zip(&got).enumerate() {
            let (w, g) = (w.as_tensor().unwrap(), g.as_tensor().unwrap());
            assert_eq!(w.ring(), g.ring(), "ring of {:?}", o.op);
            if !w.element().is_float() {
                assert_eq!(w, g, "{:?}", o.op);
                continue;
            }
            let bound = bounds.as_ref().ok().and_then(|b| b.get(r));
            for (i, (a, b)) in w.to_f64s().iter().zip(g.to_f64s().iter()).enumerate() {
                // Where the sum of finite numbers overflows hangs on the order.
                let overflow = finite && !(a.is_finite() && b.is_finite());
                let near = overflow || (a - b).abs() <= 2.0 * bound.map_or(0.0, |b| b.at(i));
                assert!(
                    near || a == b || (a.is_nan() && b.is_nan()),
                    "{:?} {}: element {i}: {a:e} and {b:e}",
                    o.op,
                    w.ty()
                );
            }
        }
    }

    #[test]
    fn bounds_of_contractions_are_those_of_their_definitions() {
        let mut covered = 0;
        for seed in 0..60 {
            for (name, program) in hlo::Op::samples(&mut Sampler::new(seed, 9)) {
                if !["dot_general", "convolution"].contains(&name) {
                    continue;
                }
                let is = |id: &OpId| program.op(*id).op.name() == format!("hlo.{name}");
                let id = program.op_ids().find(is).unwrap();
                let o = program.op(id);
                let mut s = Sampler::new(seed ^ 7, 9);
                let operands: Vec<Value> = (o.operands.iter().enumerate())
                    .map(|(i, v)| argument(program.ty(*v), &mut s, i as u64))
                    .collect();
                let errors: Vec<Bound> = operands
                    .iter()
                    .map(|v| match s.range(0, 1) {
                        0 => Bound::Exact,
                        _ => Bound::absolute(vec![1e-3; v.as_tensor().unwrap().len()]),
                    })
                    .collect();
                let bounded = operands.iter().zip(&errors);
                let bounded: Vec<Bounded<'_>> = bounded
                    .map(|(value, error)| Bounded { value, error })
                    .collect();
                let limits = Limits::default();
                let of = |kernels| {
                    let run = Interpreter::new(&program, Planes::IeeeOnly, &limits);
                    let run = run.with_kernels(kernels);
                    let mut events = Events::default();
                    let values = run.eval_op(id, &operands, &|_| None, &mut events).unwrap();
                    (
                        run.bound_op(id, &bounded, &|_| None, &values).unwrap(),
                        values,
                    )
                };
                let (want, values) = of(Kernels::Definition);
                let limits = Limits::default();
                let run = Interpreter::new(&program, Planes::IeeeOnly, &limits);
                let got = run.bound_op(id, &bounded, &|_| None, &values).unwrap();
                covered += usize::from(super::bound(&o.op, &bounded, &values).is_some());
                for i in 0..values[0].as_tensor().unwrap().len() {
                    let (w, g) = (want[0].at(i), got[0].at(i));
                    assert!(
                        w == g || (w - g).abs() <= 1e-12 * w,
                        "{name}: {w:e} and {g:e}"
                    );
                }
            }
        }
        assert!(covered > 40, "{covered}");
    }

    #[test]
    fn contractions_equal_their_definitions() {
        let mut covered = [0; 2];
        for seed in 0..150 {
            for (name, program) in hlo::Op::samples(&mut Sampler::new(seed, 9)) {
                let Some(which) = ["dot_general", "convolution"]
                    .iter()
                    .position(|n| *n == name)
                else {
                    continue;
                };
                covered[which] += 1;
                let is = |id: &OpId| program.op(*id).op.name() == format!("hlo.{name}");
                let id = program.op_ids().find(is).unwrap();
                compare(&program, id, &mut Sampler::new(seed ^ 99, 9));
            }
        }
        assert_eq!(covered, [150, 150]);
    }

    /// reduce over random dimensions with one body op.
    fn reduction(
        body: hlo::Op,
        dims: &[u64],
        element: &ElementType,
        dimensions: Vec<i64>,
    ) -> (Program, OpId) {
        let (ty, scalar) = (
            Type::tensor(dims.iter().copied(), element.clone()),
            Type::tensor([], element.clone()),
        );
        let here = Location::default;
        let mut b = ProgramBuilder::new("m", Provenance::Number);
        let p = b.begin_function("main", &[ty, scalar.clone()], here());
        let a = b.begin_region(&[scalar.clone(), scalar]);
        let y = b.infer(Op::Hlo(body), &a, &[], vec![], here());
        let region = b.end_region(&y, here());
        let op = hlo::reduce::Reduce { dimensions };
        let y = b.infer(Op::Hlo(op.into()), &p, &[], vec![region], here());
        let id = OpId(b.program().op_count() as u32 - 1);
        b.end_function(&y, here());
        (b.finish().unwrap(), id)
    }

    #[test]
    fn reductions_equal_their_definitions() {
        let mut s = Sampler::new(17, 9);
        let bodies: [hlo::Op; 6] = [
            hlo::add::Add.into(),
            hlo::multiply::Multiply.into(),
            hlo::maximum::Maximum.into(),
            hlo::minimum::Minimum.into(),
            hlo::and::And.into(),
            hlo::xor::Xor.into(),
        ];
        for _ in 0..400 {
            let body = s.pick(&bodies).clone();
            let bitwise = matches!(body, hlo::Op::And(_) | hlo::Op::Xor(_));
            let element = s.element(|e| {
                if bitwise {
                    e.is_integer()
                } else {
                    !e.is_complex()
                }
            });
            let dims = s.dims();
            let dimensions = (0..dims.len() as i64)
                .filter(|_| s.range(0, 1) == 0)
                .collect();
            let (program, id) = reduction(body, &dims, &element, dimensions);
            compare(&program, id, &mut s);
        }
        let (program, id) = reduction(
            hlo::add::Add.into(),
            &[3, 20_001],
            &ElementType::F32,
            vec![1],
        );
        compare(&program, id, &mut s);
        let (program, id) = reduction(
            hlo::maximum::Maximum.into(),
            &[9_001, 3],
            &ElementType::F32,
            vec![0],
        );
        compare(&program, id, &mut s);
    }
}
