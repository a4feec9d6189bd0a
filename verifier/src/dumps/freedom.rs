//! How far the result of compiled code may lie from ours on the same inputs, element by element: each op's own rounding on both sides, carried through the
//! part by the op's bound.

use std::collections::HashMap;
use tileproof_dialect::{
    bound::{Bound, Bounded},
    buffer::Buffer,
    eval::{Events, Stop},
    hlo,
    numerics::STRICT_FUNCTION_ULP,
    op::{Kind, Op},
    planes::Planes,
    program::{OpId, Operation, Program, ValueId},
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};
use tileproof_runtime::{limits::Limits, reference::Interpreter};

/// What a code generator may do to the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freedom {
    /// IEEE operations round correctly, subnormals and signs of zero included. Sums, dots and convolutions may take any order; functions may err
    /// [`STRICT_FUNCTION_ULP`].
    Strict,
    /// Besides: products and sums may be contracted, subnormal numbers may be taken for zero (XLA's CPU runtime sets flush-to-zero), and functions may err
    /// as much as was measured for XLA.
    Xla,
}

/// Results of a program and how far compiled ones may be from them.
pub struct Allowed {
    pub results: Vec<Value>,
    pub distances: Vec<Bound>,
}

/// Evaluates the entry function op by op. `ulps` gives the error of a function of that name and type in ulps.
pub fn allowed(
    program: &Program,
    arguments: &[Value],
    freedom: Freedom,
    flush: Flush,
    limits: &Limits,
) -> Result<Allowed, Stop> {
    let interpreter = Interpreter::new(program, Planes::IeeeOnly, limits);
    let body = program.main().body;
    let mut values: HashMap<ValueId, Value> = HashMap::new();
    let mut distances: HashMap<ValueId, Bound> = HashMap::new();
    for (v, value) in program.region(body).arguments.iter().zip(arguments) {
        values.insert(*v, flush.apply(value));
    }
    let mut events = Events::default();
    for id in &program.region(body).ops {
        let o = program.op(*id);
        if o.op.is_return() {
            break;
        }
        let operands = operands(o, &values)?;
        let results =
            interpreter.eval_op(*id, &operands, &|v| values.get(&v).cloned(), &mut events)?;
        let results: Vec<Value> = results.iter().map(|v| flush.apply(v)).collect();
        let bounds = step(
            &interpreter,
            *id,
            &operands,
            &results,
            &distances,
            &values,
            freedom,
        )?;
        for (v, bound) in o.results.iter().zip(bounds) {
            distances.insert(*v, bound);
        }
        values.extend(o.results.iter().copied().zip(results));
    }
    let returned = program.returned(body);
    let missing = || Stop::internal("a returned value is missing");
    Ok(Allowed {
        results: returned
            .iter()
            .map(|v| values.get(v).cloned().ok_or_else(missing))
            .collect::<Result<_, _>>()?,
        distances: returned
            .iter()
            .map(|v| distances.get(v).cloned().unwrap_or(Bound::Exact))
            .collect(),
    })
}

/// What becomes of subnormal numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    Kept,
    /// Arguments and results of every op are flushed to zero of their sign.
    ToZero,
}

impl Flush {
    pub fn apply(self, value: &Value) -> Value {
        match (self, value) {
            (Flush::ToZero, Value::Tensor(t)) => match t.element() {
                ElementType::F32 | ElementType::C64 => {
                    let flushed = t.as_slice::<f32>().iter().map(|v| {
                        if v.is_subnormal() {
                            0f32.copysign(*v)
                        } else {
                            *v
                        }
                    });
                    like(t, Buffer::from_slice(&flushed.collect::<Vec<_>>()))
                }
                ElementType::F64 | ElementType::C128 => {
                    let flushed = t.as_slice::<f64>().iter().map(|v| {
                        if v.is_subnormal() {
                            0f64.copysign(*v)
                        } else {
                            *v
                        }
                    });
                    like(t, Buffer::from_slice(&flushed.collect::<Vec<_>>()))
                }
                // Narrower types are computed in f32, where their subnormals are normal.
                _ => value.clone(),
            },
            (Flush::Kept | Flush::ToZero, _) => value.clone(),
        }
    }
}

fn like(t: &Tensor, ieee: Buffer) -> Value {
    Tensor::new(t.dims().to_vec(), t.element().clone(), ieee, None).into()
}

fn operands(o: &Operation, values: &HashMap<ValueId, Value>) -> Result<Vec<Value>, Stop> {
    let find = |v: &ValueId| {
        let found = values.get(v).cloned();
        found.ok_or_else(|| Stop::internal("a value of a part was not computed"))
    };
    o.operands.iter().map(find).collect()
}

/// Distances of the results of one op.
fn step(
    interpreter: &Interpreter<'_>,
    id: OpId,
    operands: &[Value],
    results: &[Value],
    distances: &HashMap<ValueId, Bound>,
    values: &HashMap<ValueId, Value>,
    freedom: Freedom,
) -> Result<Vec<Bound>, Stop> {
    let program = interpreter.program();
    let o = program.op(id);
    let carried: Vec<Bound> = o
        .operands
        .iter()
        .map(|v| distances.get(v).cloned().unwrap_or(Bound::Exact))
        .collect();
    let bound = |errors: &[Bound]| {
        let bounded: Vec<Bounded<'_>> = operands
            .iter()
            .zip(errors)
            .map(|(value, error)| Bounded { value, error })
            .collect();
        interpreter.bound_op(id, &bounded, &|v| values.get(&v).cloned(), results)
    };
    let exact = carried.iter().all(Bound::is_exact);
    let types: Vec<Type> = o.operands.iter().map(|v| program.ty(*v).clone()).collect();
    let rounding = rounding(&o.op, &types);
    let own = match rounding {
        Rounding::None => 0.0,
        Rounding::Once if exact && freedom == Freedom::Strict => {
            return Ok(vec![Bound::Exact; results.len()]);
        }
        Rounding::Once | Rounding::AnyOrder => 1.0,
        Rounding::Function => match freedom {
            Freedom::Strict => STRICT_FUNCTION_ULP,
            Freedom::Xla => super::xla_ulps::of(&o.op, results),
        },
    };
    if own == 0.0 {
        return bound(&carried);
    }
    if rounding == Rounding::AnyOrder && may_overflow(&o.op, operands, results) {
        return Ok(hlo::region_bound::undetermined(results));
    }
    // What our own side errs is in the op's bound; the other side errs `own` times as much, and may take a subnormal number for any other.
    let (theirs_carried, theirs_in) = match freedom {
        Freedom::Strict => (carried.clone(), vec![Bound::Exact; carried.len()]),
        Freedom::Xla => {
            let widened = |b: &Bound, v: &Value| subnormal_error(b, v);
            (
                carried
                    .iter()
                    .zip(operands)
                    .map(|(b, v)| widened(b, v))
                    .collect(),
                operands.iter().map(|v| widened(&Bound::Exact, v)).collect(),
            )
        }
    };
    let ours = bound(&theirs_carried)?;
    let theirs = bound(&theirs_in)?;
    Ok(ours
        .iter()
        .zip(&theirs)
        .zip(results)
        .map(|((a, b), value)| match freedom {
            Freedom::Strict => sum(a, b, own, value),
            Freedom::Xla => flushed(&sum(a, b, own, value), rounding, operands, value),
        })
        .collect())
}

/// Whether a partial sum in some order may leave the range of the type, so that the order decides between a number, an infinity and NaN.
fn may_overflow(op: &Op, operands: &[Value], results: &[Value]) -> bool {
    let Op::Hlo(inner) = op;
    let largest = |v: &Value| -> f64 {
        let Some(t) = v
            .as_tensor()
            .filter(|t| t.element().is_float() || t.element().is_complex())
        else {
            return 0.0;
        };
        let finite = |m: f64, v: f64| if v.is_finite() { m.max(v.abs()) } else { m };
        match t.element() {
            ElementType::C64 => t
                .as_slice::<f32>()
                .iter()
                .map(|v| f64::from(*v))
                .fold(0.0, finite),
            ElementType::C128 => t.as_slice::<f64>().iter().copied().fold(0.0, finite),
            _ => t.to_f64s().iter().copied().fold(0.0, finite),
        }
    };
    let limit = results
        .iter()
        .filter_map(Value::as_tensor)
        .map(|t| match t.element() {
            ElementType::F64 | ElementType::C128 => f64::MAX,
            ElementType::F16 => 65504.0,
            _ => f64::from(f32::MAX),
        })
        .fold(f64::MAX, f64::min);
    let sizes = operands.iter().map(largest);
    let term: f64 = if matches!(inner.name(), "dot_general" | "convolution") {
        sizes.product()
    } else {
        sizes.fold(0.0, f64::max)
    };
    let terms = operands.iter().map(hlo::region_bound::elements).max();
    term * terms.unwrap_or(1) as f64 >= limit
}

/// `bound` where at least the smallest normal number is left open at elements that are subnormal.
fn subnormal_error(bound: &Bound, value: &Value) -> Bound {
    let Some(t) = value.as_tensor() else {
        return bound.clone();
    };
    let Some(smallest) = smallest_normal(t.element()) else {
        return bound.clone();
    };
    let subnormal: Vec<bool> = match t.element() {
        ElementType::F32 => t
            .as_slice::<f32>()
            .iter()
            .map(|v| v.is_subnormal())
            .collect(),
        ElementType::F64 => t
            .as_slice::<f64>()
            .iter()
            .map(|v| v.is_subnormal())
            .collect(),
        ElementType::C64 => {
            let part = |z: &[f32; 2]| z.iter().any(|v| v.is_subnormal());
            t.as_slice::<[f32; 2]>().iter().map(part).collect()
        }
        _ => {
            let part = |z: &[f64; 2]| z.iter().any(|v| v.is_subnormal());
            t.as_slice::<[f64; 2]>().iter().map(part).collect()
        }
    };
    if !subnormal.contains(&true) {
        return bound.clone();
    }
    let open = |(i, s): (usize, &bool)| bound.at(i).max(if *s { smallest } else { 0.0 });
    Bound::absolute(subnormal.iter().enumerate().map(open).collect())
}

/// Smallest normal number of a type that XLA computes in; narrower types are computed in f32, where their subnormals are normal.
fn smallest_normal(element: &ElementType) -> Option<f64> {
    match element {
        ElementType::F32 | ElementType::C64 => Some(f64::from(f32::MIN_POSITIVE)),
        ElementType::F64 | ElementType::C128 => Some(f64::MIN_POSITIVE),
        _ => None,
    }
}

/// `bound` where a result may be flushed: every term of a sum, and other results near zero, lose less than the smallest normal number.
fn flushed(bound: &Bound, rounding: Rounding, operands: &[Value], value: &Value) -> Bound {
    let Some((t, smallest)) = value
        .as_tensor()
        .and_then(|t| Some((t, smallest_normal(t.element())?)))
    else {
        return bound.clone();
    };
    match rounding {
        Rounding::AnyOrder => {
            // No result has more terms than the operands have elements.
            let terms = operands.iter().map(hlo::region_bound::elements).max();
            let lost = terms.unwrap_or(1) as f64 * smallest;
            Bound::absolute((0..t.len()).map(|i| bound.at(i) + lost).collect())
        }
        Rounding::None | Rounding::Once | Rounding::Function => {
            let values = t.to_f64s();
            if t.element().is_complex()
                || values
                    .iter()
                    .all(|v| v.abs() >= 2.0 * smallest || *v == 0.0)
            {
                return bound.clone();
            }
            let near = |(i, v): (usize, &f64)| {
                bound.at(i)
                    + if v.abs() < 2.0 * smallest {
                        smallest
                    } else {
                        0.0
                    }
            };
            Bound::absolute(values.iter().enumerate().map(near).collect())
        }
    }
}

fn sum(a: &Bound, b: &Bound, times: f64, value: &Value) -> Bound {
    if a.is_exact() && b.is_exact() {
        return Bound::Exact;
    }
    let n = hlo::region_bound::elements(value);
    Bound::absolute((0..n).map(|i| a.at(i) + times * b.at(i)).collect())
}

/// How an op rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rounding {
    None,
    /// Correctly, once.
    Once,
    /// A sum of several terms in an order of the compiler's choice, or several roundings.
    AnyOrder,
    /// A function that no standard says to round correctly.
    Function,
}

/// Ops that IEEE 754 rounds correctly.
const CORRECTLY_ROUNDED: &[&str] = &[
    "add",
    "subtract",
    "multiply",
    "divide",
    "square",
    "sqrt",
    "convert",
    "reduce_precision",
    "remainder",
    "negate",
    "abs",
];

fn rounding(op: &Op, operands: &[Type]) -> Rounding {
    let Op::Hlo(inner) = op;
    let is_complex = |t: &Type| t.as_tensor().is_some_and(|t| t.element.is_complex());
    let complex = operands.iter().any(is_complex);
    let once = CORRECTLY_ROUNDED.contains(&inner.name());
    match op.kind() {
        _ if once && (!complex || matches!(inner.name(), "add" | "subtract" | "negate")) => {
            Rounding::Once
        }
        Kind::Selection if !complex => Rounding::None,
        Kind::Movement | Kind::Integer => Rounding::None,
        Kind::Opaque => Rounding::Function,
        // The magnitude of a complex number and the like: functions of two numbers.
        Kind::Selection => Rounding::Function,
        Kind::Arithmetic | Kind::Control | Kind::Effect => Rounding::AnyOrder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::import::hlo_text;

    fn distance(body: &str, values: &[f32], freedom: Freedom) -> Bound {
        let n = values.len();
        let text = format!(
            "HloModule m\nsum {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}}\nENTRY e {{\n x = f32[{n}]{{0}} parameter(0)\n{body}\n}}"
        );
        let program = hlo_text::parse(&text, "t").unwrap();
        let x = Tensor::from_slice(&[n as u64], ElementType::F32, values).into();
        let limits = Limits::default();
        let out = allowed(&program, &[x], freedom, Flush::Kept, &limits).unwrap();
        out.distances[0].clone()
    }

    #[test]
    fn correctly_rounded_ops_leave_nothing_and_functions_and_sums_leave_what_they_may() {
        let (x, ulp) = ([1.5f32, 1.25], f64::from(f32::EPSILON));
        let product = "m = f32[2]{0} multiply(x, x)\nROOT r = f32[2]{0} subtract(m, x)";
        assert_eq!(distance(product, &x, Freedom::Strict), Bound::Exact);
        // XLA may contract: two roundings on either side.
        assert!(distance(product, &x, Freedom::Xla).at(0) > ulp / 2.0);
        let function = distance("ROOT r = f32[2]{0} cosine(x)", &[0.1, 0.2], Freedom::Strict);
        assert!(function.at(0) > 4.0 * ulp / 2.0 && function.at(0) < 6.0 * ulp);
        let sum =
            "z = f32[] constant(0)\nROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=sum";
        let sum = distance(sum, &x, Freedom::Strict);
        assert!(sum.at(0) > 0.0 && sum.at(0) < 16.0 * ulp);
        assert_eq!(
            distance(
                "ROOT r = f32[2]{0} reverse(x), dimensions={0}",
                &x,
                Freedom::Xla
            ),
            Bound::Exact
        );
    }

    #[test]
    fn products_over_windows_and_maps_of_one_op_have_bounds() {
        let module = |body: &str| {
            let text = format!(
                "HloModule m\nproduct {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] multiply(a, b)\n}}\nnarrow {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n s = f32[] add(a, b)\n h = bf16[] convert(s)\n ROOT c = f32[] convert(h)\n}}\nENTRY e {{\n x = f32[4]{{0}} parameter(0)\n{body}\n}}"
            );
            let program = hlo_text::parse(&text, "t").unwrap();
            let x = Tensor::from_slice(&[4], ElementType::F32, &[1.5f32, 1.25, -3.0, 2.0]);
            let limits = Limits::default();
            let out = allowed(&program, &[x.into()], Freedom::Strict, Flush::Kept, &limits);
            out.unwrap().distances[0].clone()
        };
        let u = f64::from(f32::EPSILON) / 2.0;
        let product = module(
            "o = f32[] constant(1)\nROOT r = f32[3]{0} reduce-window(x, o), window={size=2}, to_apply=product",
        );
        // 1.25 * -3 in at most three roundings on either side.
        assert!(
            product.at(1) >= u * 3.75 && product.at(1) < 8.0 * u * 3.75,
            "{product:?}"
        );
        let running = "z = f32[] constant(0)\nROOT r = f32[4]{0} reduce-window(x, z), window={size=4 pad=3_0}, to_apply=narrow";
        let coarse = 2f64.powi(-8);
        assert!(module(running).at(3) > coarse && module(running).at(3) < 1.0);
        let map = module("ROOT r = f32[4]{0} map(x, x), dimensions={0}, to_apply=narrow");
        assert!(
            map.at(0) > 3.0 * coarse && map.at(0) < 5.0 * 3.0 * coarse,
            "{map:?}"
        );
    }

    #[test]
    fn subnormal_numbers_are_left_open_to_xla_alone() {
        let x = [1e-40f32, 1.0];
        let twice = "ROOT r = f32[2]{0} add(x, x)";
        assert_eq!(distance(twice, &x, Freedom::Strict), Bound::Exact);
        let open = distance(twice, &x, Freedom::Xla);
        assert!(open.at(0) >= 2.0 * f64::from(f32::MIN_POSITIVE) && open.at(1) < 1e-6);
    }
}
