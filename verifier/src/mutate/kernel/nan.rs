//! Whether a changed comparison of a kernel, which differs where its operand is NaN alone, changes nothing there: what is chosen by it is NaN either way, or
//! another test of the operand decides.
//!
//! Proves: in a lane where the operand is NaN, every value that an op beyond elementwise ones uses is the same, two NaN being alike. In any other lane the
//! comparison is the same.

use super::cone::{Changed, changed, constant, domain, tensor};
use std::collections::{BTreeMap, HashMap};
use tileproof_dialect::{
    eval::{EvalContext, Events, NoRegions},
    hlo::{
        self,
        compare::{CompareType, Direction},
    },
    planes::Planes,
    tensor::{Tensor, Value},
    tpu::{Kernel, KernelOperation, KernelValue, TpuOp},
    types::{Class, ElementType, TensorType, Type},
};

/// What is known of a value in a lane where the operand is NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// The same NaN in both kernels.
    Nan,
    /// NaN in both, of other bits perhaps.
    SomeNan,
    Is(bool),
    /// The same in both kernels.
    Same,
    Differs,
}

/// Whether the two kernels differ in one comparison, for NaN alone, and nothing that is used differs.
pub fn same_of_nan(right: &Kernel, wrong: &Kernel) -> bool {
    let is_alike = right.types == wrong.types && right.operands == wrong.operands;
    is_alike && changed(&right.body, &wrong.body).is_some_and(|c| is_same(right, &c).is_some())
}

fn is_same(kernel: &Kernel, changed: &Changed<'_>) -> Option<()> {
    let compare = &changed.region.ops[changed.at];
    let operand = differs_for_nan_alone(kernel, compare, changed.wrong)?;
    let mut known: HashMap<KernelValue, Known> = HashMap::from([(operand, Known::Nan)]);
    known.insert(*compare.results.first()?, Known::Differs);
    // What stands before the comparison may be made from the operand too.
    for (at, o) in changed.region.ops.iter().enumerate() {
        if at == changed.at || o.results.contains(&operand) {
            continue;
        }
        let of = |v: &KernelValue| known.get(v).copied().unwrap_or(Known::Same);
        match (&o.op, o.results.first()) {
            (TpuOp::Elementwise(op), Some(result)) => {
                let is = transfer(kernel, op, o, &of);
                known.insert(*result, is);
            }
            (_, _) => (!o.operands.iter().any(|v| of(v) == Known::Differs)).then_some(())?,
        }
    }
    // Ops of other regions use none of them.
    let is_open = |o: &KernelOperation| {
        let mut operands = o.operands.iter();
        operands.any(|v| known.get(v) == Some(&Known::Differs))
    };
    let here = changed.region.ops.iter().filter(|o| is_open(o)).count();
    let mut all = 0;
    kernel.walk(&mut |o| all += usize::from(is_open(o)));
    (all == here).then_some(())
}

/// The operand for whose NaN alone the two comparisons differ; the other is a constant or the same.
fn differs_for_nan_alone(
    kernel: &Kernel,
    right: &KernelOperation,
    wrong: &KernelOperation,
) -> Option<KernelValue> {
    let [a, b] = right.operands[..] else {
        return None;
    };
    if wrong.operands != right.operands {
        return None;
    }
    let element = kernel.ty(a).element()?;
    let constants: BTreeMap<KernelValue, f64> = [a, b]
        .into_iter()
        .filter_map(|v| Some((v, constant(kernel, v)?)))
        .collect();
    let free = match (constants.contains_key(&a), constants.contains_key(&b)) {
        (false, false) if a == b => a,
        (false, true) => a,
        (true, false) => b,
        (_, _) => return None,
    };
    if element.class() != Class::Float {
        return None;
    }
    // Orders of numbers beside a constant other than zero are told by numbers around it; `domain` has them for zero.
    let scaled: BTreeMap<KernelValue, f64> = constants.keys().map(|v| (*v, 0.0)).collect();
    let mut numbers = domain(&element, 2, &scaled)?;
    for c in constants.values().filter(|c| c.is_finite()) {
        numbers.extend([*c, 2.0 * c, c / 2.0, -c]);
    }
    let all = |v: KernelValue| match constants.get(&v) {
        Some(c) => tensor(&element, &vec![*c; numbers.len()]),
        None => tensor(&element, &numbers),
    };
    let [right, wrong] = [
        compared(right, &all(a), &all(b))?,
        compared(wrong, &all(a), &all(b))?,
    ];
    let mut lanes = numbers.iter().zip(right.iter().zip(&wrong));
    lanes
        .all(|(x, (r, w))| r == w || x.is_nan())
        .then_some(free)
}

fn compared(o: &KernelOperation, a: &Tensor, b: &Tensor) -> Option<Vec<u8>> {
    let TpuOp::Elementwise(op @ hlo::Op::Compare(_)) = &o.op else {
        return None;
    };
    let ty: Type = TensorType::new([a.len() as u64], ElementType::I1).into();
    let mut events = Events::default();
    let mut cx = EvalContext {
        planes: Planes::IeeeOnly,
        runner: &mut NoRegions,
        events: &mut events,
    };
    let operands: Vec<Value> = vec![a.clone().into(), b.clone().into()];
    let out = op.eval(&operands, &[ty], &mut cx).ok()?;
    Some(out.first()?.as_tensor()?.as_slice::<u8>().to_vec())
}

/// What is known of the result of an elementwise op.
fn transfer(
    kernel: &Kernel,
    op: &hlo::Op,
    o: &KernelOperation,
    of: &dyn Fn(&KernelValue) -> Known,
) -> Known {
    let has = |k: Known| o.operands.iter().any(|v| of(v) == k);
    let by_default = if has(Known::Differs) || has(Known::SomeNan) {
        Known::Differs
    } else {
        Known::Same
    };
    let has_nan = has(Known::Nan) || has(Known::SomeNan);
    let is_float = |v: &KernelValue| kernel.ty(*v).element().is_some_and(|e| e.is_float());
    match op {
        hlo::Op::Select(_) => match (o.operands.first().map(of), &o.operands[1..]) {
            (Some(Known::Is(p)), [yes, no]) => of(if p { yes } else { no }),
            (Some(p), [yes, no]) => match (of(yes), of(no)) {
                (Known::Nan, Known::Nan) if p != Known::Differs || yes == no => Known::Nan,
                (Known::Nan | Known::SomeNan, Known::Nan | Known::SomeNan) => Known::SomeNan,
                (Known::Is(a), Known::Is(b)) if a == b => Known::Is(a),
                (Known::Differs | Known::SomeNan, _) | (_, Known::Differs | Known::SomeNan) => {
                    Known::Differs
                }
                (_, _) if p == Known::Differs && yes != no => Known::Differs,
                (_, _) => Known::Same,
            },
            (_, _) => Known::Differs,
        },
        hlo::Op::And(_) if has(Known::Is(false)) => Known::Is(false),
        hlo::Op::Or(_) if has(Known::Is(true)) => Known::Is(true),
        hlo::Op::Not(_) => match o.operands.first().map(of) {
            Some(Known::Is(p)) => Known::Is(!p),
            Some(_) | None => by_default,
        },
        hlo::Op::IsFinite(_) if has_nan => Known::Is(false),
        hlo::Op::Compare(c) if has_nan && c.compare_type != Some(CompareType::TotalOrder) => {
            Known::Is(c.comparison_direction == Direction::Ne)
        }
        op if has_nan && keeps_nan(op) && o.results.iter().all(is_float) => {
            if has(Known::SomeNan) || has(Known::Differs) {
                Known::SomeNan
            } else {
                Known::Nan
            }
        }
        _ => by_default,
    }
}

/// Whether the result is NaN where an operand is, whatever the others.
fn keeps_nan(op: &hlo::Op) -> bool {
    use hlo::Op;
    matches!(
        op,
        Op::Add(_)
            | Op::Subtract(_)
            | Op::Multiply(_)
            | Op::Divide(_)
            | Op::Negate(_)
            | Op::Abs(_)
            | Op::Sqrt(_)
            | Op::Rsqrt(_)
            | Op::Cbrt(_)
            | Op::Log(_)
            | Op::LogPlusOne(_)
            | Op::Exponential(_)
            | Op::ExponentialMinusOne(_)
            | Op::Sine(_)
            | Op::Cosine(_)
            | Op::Tanh(_)
            | Op::Logistic(_)
            | Op::Floor(_)
            | Op::Ceil(_)
            | Op::Maximum(_)
            | Op::Minimum(_)
    )
}
