//! THE list of clauses of contract `xla`: what XLA documents, or does by default on CPU, beyond the order of sums. Each has its source. A clause
//! explains an element only where its own test says so; nothing else is allowed.

use super::{all_ops, is_sum};
use crate::{
    compare::bits,
    region::Part,
    session::{Content, Environment, Session},
};
use tileproof_dialect::{
    bound::unit_roundoff,
    eval::Stop,
    hlo,
    op::Op,
    program::{Operation, ValueDef, ValueId},
    tensor::{Tensor, Value},
    types::Class,
};

/// One freedom of a compiler.
#[derive(Debug, PartialEq, Eq)]
pub struct Clause {
    pub name: &'static str,
    pub summary: &'static str,
    pub source: &'static str,
}

pub const EXCESS_PRECISION: Clause = Clause {
    name: "excess-precision",
    summary: "values of narrow float types may be kept in a wider one, and conversions to a narrower type and back dropped",
    source: "xla/xla.proto, DebugOptions.xla_allow_excess_precision (true by default); passes simplify-fp-conversions and float-normalization",
};

pub const DENORMALS: Clause = Clause {
    name: "denormals-are-zero",
    summary: "subnormal operands and results may be taken as zero on CPU",
    source: "xla/service/cpu/cpu_executable.cc: tsl::port::ScopedFlushDenormal, ScopedSetRound around every execution",
};

pub const ZERO_OF_A_SUM: Clause = Clause {
    name: "zero-of-a-sum",
    summary: "the sign of a sum that is zero hangs on the order of its terms and on what it starts from",
    source: "xla/service/hlo.proto and openxla.org/xla/operation_semantics, Reduce: the order of application is arbitrary, init may be used any number of times",
};

pub const REDUCE_INIT: Clause = Clause {
    name: "reduce-init",
    summary: "the initial value of a reduction that is not its identity may be used any number of times",
    source: "openxla.org/xla/operation_semantics, Reduce and ReduceWindow; StableHLO specification, reduce: init_values may be inserted arbitrarily",
};

pub const FLOAT_TO_INTEGER: Clause = Clause {
    name: "float-to-integer",
    summary: "a float that is NaN or outside the range of the integer type converts to any value",
    source: "StableHLO specification, convert: behaviour is to be defined (#180); openxla.org/xla/operation_semantics, ConvertElementType",
};

pub const MIN_MAX: Clause = Clause {
    name: "fast-min-max",
    summary: "the sign of zero of a minimum or maximum of zeros is open",
    source: "xla/xla.proto, DebugOptions.xla_cpu_enable_fast_min_max; LLVM llvm.maximum and llvm.maxnum",
};

pub const SIGN_OF_ZERO: Clause = Clause {
    name: "sign-of-zero",
    summary: "simplifications of sums and products may change the sign of a result that is zero (x + 0 is x)",
    source: "xla/hlo/transforms/simplifiers/algebraic_simplifier.cc, HandleAdd (A + 0 => A), HandleSubtract, HandleMultiply: without regard to -0",
};

pub const PRODUCT_ORDER: Clause = Clause {
    name: "product-order",
    summary: "products and quotients may be taken in another order, in which another one of them overflows or vanishes",
    source: "xla/hlo/transforms/simplifiers/algebraic_simplifier.cc, HandleDivide ((A / B) / C => A / (B * C)), HandleMultiply ((A * C1) * C2 => A * (C1 * C2))",
};

pub const RANGE: Clause = Clause {
    name: "range",
    summary: "on generated inputs at the ends of the range, what real arithmetic makes equal may overflow or vanish in between on one side only",
    source: "inputs of the checker that no user gave; xla/hlo/transforms/simplifiers/algebraic_simplifier.cc rewrites products, quotients, sums and exponentials without regard to the range",
};

/// The list. NaN payloads need no clause: two NaN are equal everywhere. Out-of-bounds starts and indices need none: both specifications define them
/// (dynamic slices and gathers clamp, scatters drop).
pub const CLAUSES: &[&Clause] = &[
    &EXCESS_PRECISION,
    &PRODUCT_ORDER,
    &RANGE,
    &DENORMALS,
    &ZERO_OF_A_SUM,
    &REDUCE_INIT,
    &FLOAT_TO_INTEGER,
    &MIN_MAX,
    &SIGN_OF_ZERO,
];

pub use tileproof_dialect::bound::normal_range;

/// A clause that explains every differing element of a region, if there is one.
pub fn explaining(
    session: &mut Session<'_>,
    before: &Part<'_>,
    after: &Part<'_>,
    want: &Tensor,
    got: &Tensor,
) -> Result<Option<&'static Clause>, Stop> {
    if want.element().is_float() || want.element().is_complex() {
        let (w, g) = (bits::parts(want), bits::parts(got));
        let zeros = (0..w.len())
            .filter(|i| w[*i].to_bits() != g[*i].to_bits() && !(w[*i].is_nan() && g[*i].is_nan()))
            .all(|i| w[i] == 0.0 && g[i] == 0.0);
        if zeros && (sums(before) || sums(after)) {
            return Ok(Some(&ZERO_OF_A_SUM));
        }
        if zeros && (min_max(before) || min_max(after)) {
            return Ok(Some(&MIN_MAX));
        }
        if zeros && (computes(before) || computes(after)) {
            return Ok(Some(&SIGN_OF_ZERO));
        }
        if without_subnormals(session, before, after)? {
            return Ok(Some(&DENORMALS));
        }
        for (part, other) in [(before, after), (after, before)] {
            if let Some(start) = odd_init(session, part, want, got)?
                && has_number(session, other, start)?
            {
                return Ok(Some(&REDUCE_INIT));
            }
        }
    }
    if want.element().is_integer() && out_of_range(session, before, want, got)? {
        return Ok(Some(&FLOAT_TO_INTEGER));
    }
    Ok(None)
}

/// The op that computes the root of a side.
fn root_op<'p>(part: &Part<'p>) -> Option<(&'p Operation, &'p hlo::Op)> {
    let ValueDef::Result { op, .. } = part.version.program.value(part.side.root).def else {
        return None;
    };
    let o = part.version.program.op(op);
    let Op::Hlo(inner) = &o.op;
    Some((o, inner))
}

fn sums(part: &Part<'_>) -> bool {
    all_ops(part)
        .into_iter()
        .any(|op| is_sum(part.version.program, op))
}

/// Whether the side has a sum, difference or product.
fn computes(part: &Part<'_>) -> bool {
    all_ops(part).into_iter().any(|op| {
        matches!(
            part.version.program.op(op).op,
            Op::Hlo(
                hlo::Op::Add(_) | hlo::Op::Subtract(_) | hlo::Op::Multiply(_) | hlo::Op::Negate(_)
            )
        )
    })
}

fn min_max(part: &Part<'_>) -> bool {
    all_ops(part).into_iter().any(|op| {
        matches!(
            part.version.program.op(op).op,
            Op::Hlo(hlo::Op::Maximum(_) | hlo::Op::Minimum(_) | hlo::Op::Clamp(_))
        )
    })
}

/// Whether the two sides agree once every subnormal value in the region is zero.
fn without_subnormals(
    session: &mut Session<'_>,
    before: &Part<'_>,
    after: &Part<'_>,
) -> Result<bool, Stop> {
    let (Some((want, some)), Some((got, others))) = (
        flushed_root(session, before)?,
        flushed_root(session, after)?,
    ) else {
        return Ok(false);
    };
    if !some && !others {
        return Ok(false);
    }
    let (w, g) = (want.to_f64s(), got.to_f64s());
    Ok(w.len() == g.len()
        && w.iter()
            .zip(g.iter())
            .all(|(a, b)| a == b || (a.is_nan() && b.is_nan())))
}

/// The root of a side evaluated with subnormal operands and results taken as zero, and whether there were any. None: no tensor.
fn flushed_root(
    session: &mut Session<'_>,
    part: &Part<'_>,
) -> Result<Option<(Tensor, bool)>, Stop> {
    let program = part.version.program;
    let mut environment = Environment::new();
    let mut any = false;
    for op in &part.side.ops {
        let o = program.op(*op);
        for v in o.operands.iter().chain(part.version.captures(*op)) {
            if let (false, Some(c)) = (environment.contains_key(v), part.environment.get(v)) {
                let (content, changed) = flushed(session, *c)?;
                any |= changed;
                environment.insert(*v, content);
            }
        }
        let results = session.eval_op(part.version, *op, &mut environment)?;
        for (v, c) in o.results.iter().zip(results) {
            let (content, changed) = flushed(session, c)?;
            any |= changed;
            environment.insert(*v, content);
        }
    }
    let root = match environment.get(&part.side.root) {
        Some(root) if any => *root,
        Some(_) | None => part.root,
    };
    let value = session.value(root)?.as_tensor().cloned();
    Ok(value.map(|t| (t, any)))
}

fn flushed(session: &mut Session<'_>, content: Content) -> Result<(Content, bool), Stop> {
    let Some(t) = session.value(content)?.as_tensor() else {
        return Ok((content, false));
    };
    if !t.element().is_float() {
        return Ok((content, false));
    }
    let (low, _) = normal_range(t.element());
    let x = t.to_f64s();
    let subnormal = |v: &f64| *v != 0.0 && v.abs() < low;
    if !x.iter().any(&subnormal) {
        return Ok((content, false));
    }
    let values: Vec<f64> = x
        .iter()
        .map(|v| if subnormal(v) { 0f64.copysign(*v) } else { *v })
        .collect();
    let out = Tensor::from_f64s(t.dims(), t.element(), &values).with_ring(t.ring_buffer().cloned());
    Ok((session.insert(Value::Tensor(out)), true))
}

/// Whether the side uses the number as a scalar: a sum that starts from another number than its counterpart is no freedom of the order.
fn has_number(session: &Session<'_>, part: &Part<'_>, number: f64) -> Result<bool, Stop> {
    let program = part.version.program;
    for op in all_ops(part) {
        let o = program.op(op);
        for v in o.operands.iter().chain(&o.results) {
            if let Some(c) = part.environment.get(v)
                && let Some(t) = session.value(*c)?.as_tensor()
                && t.len() == 1
                && t.element().is_float()
                && t.to_f64s()[0] == number
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The initial value of the root, if it is a plain sum that starts from another number than 0 and the two sides differ by whole multiples of that.
fn odd_init(
    session: &Session<'_>,
    part: &Part<'_>,
    want: &Tensor,
    got: &Tensor,
) -> Result<Option<f64>, Stop> {
    let program = part.version.program;
    let Some((o, hlo::Op::Reduce(_) | hlo::Op::ReduceWindow(_))) = root_op(part) else {
        return Ok(None);
    };
    let adds = o.regions.first().is_some_and(|r| {
        let ops = &program.region(*r).ops;
        ops.len() == 2 && matches!(program.op(ops[0]).op, Op::Hlo(hlo::Op::Add(_)))
    });
    let (true, [operand, init]) = (adds, &o.operands[..]) else {
        return Ok(None);
    };
    let number = |v: &ValueId| -> Result<Option<Tensor>, Stop> {
        match part.environment.get(v) {
            Some(c) => Ok(session.value(*c)?.as_tensor().cloned()),
            None => Ok(None),
        }
    };
    let (Some(terms), Some(init)) = (number(operand)?, number(init)?) else {
        return Ok(None);
    };
    let start = init.to_f64s()[0];
    if start == 0.0 || !start.is_finite() {
        return Ok(None);
    }
    let most = terms.len() as f64;
    let (w, g) = (want.to_f64s(), got.to_f64s());
    let u = unit_roundoff(want.element());
    let multiples = w.iter().zip(g.iter()).all(|(a, b)| {
        let times = ((b - a) / start).round();
        // The rounding of the sum itself: one unit a term of the larger of the two.
        let rounding = most * u * a.abs().max(b.abs());
        times.abs() <= most && (b - a - times * start).abs() <= rounding
    });
    Ok(multiples.then_some(start))
}

/// Whether the root is a conversion to integers and differs only where the float is NaN or outside the integer type.
fn out_of_range(
    session: &Session<'_>,
    part: &Part<'_>,
    want: &Tensor,
    got: &Tensor,
) -> Result<bool, Stop> {
    let Some((o, hlo::Op::Convert(_))) = root_op(part) else {
        return Ok(false);
    };
    let Some(content) = o.operands.first().and_then(|v| part.environment.get(v)) else {
        return Ok(false);
    };
    let Some(x) = session.value(*content)?.as_tensor().cloned() else {
        return Ok(false);
    };
    if !x.element().is_float() {
        return Ok(false);
    }
    let bits = want.element().bits().min(64) as i32;
    let (low, high) = if want.element().class() == Class::Unsigned {
        (-1.0, 2f64.powi(bits))
    } else {
        (-2f64.powi(bits - 1) - 1.0, 2f64.powi(bits - 1))
    };
    let values = x.to_f64s();
    Ok(bits::differing_ieee(want, got)
        .into_iter()
        .all(|i| values[i].is_nan() || values[i] <= low || values[i] >= high))
}
