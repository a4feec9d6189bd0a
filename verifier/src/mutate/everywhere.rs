//! Two values that are the same function of few numbers: what elementwise ops make of values of 16 bits or less, or of integers in a small range, is tried on
//! all of these numbers, in the types the programs have.
//!
//! Proves: the two are equal wherever the values they start from are. Cannot: know which of these numbers come together, so it starts as far up as it can.

use super::{
    canonical::Simplified,
    equivalence::{is_elementwise, same_outputs},
    look,
    ranges::Range,
};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    hlo::constant::Constant,
    literal::Literal,
    op::Op,
    program::{OpId, Program, ValueId},
    tensor::{Tensor, Value},
    types::{Class, ElementType, TensorType, Type},
};

/// Most numbers that all values a function starts from have together.
const MOST_NUMBERS: u64 = 1 << 18;
/// Most ops of a function.
const MOST_OPS: usize = 600;
/// Most single values that are tried to start from.
const MOST_STARTS: usize = 4;
/// Most times the start moves up.
const MOST_STEPS_UP: usize = 12;

/// A value of one of the programs.
pub type Of<'s> = (&'s Simplified, ValueId);

/// Whether the two are equal for all numbers: from what is near, then from farther up, and last from one value that they hang on alone.
pub fn same(a: Of<'_>, b: Of<'_>) -> bool {
    let inner = values(a, &HashSet::new());
    let keys = |of: Of<'_>, all: &[ValueId]| -> HashSet<u128> {
        let inner = all.iter().filter(|v| **v != of.1);
        inner.filter_map(|v| key(of.0, *v)).collect()
    };
    let others = keys(b, &values(b, &HashSet::new()));
    let shared: HashSet<u128> = keys(a, &inner).intersection(&others).copied().collect();
    from_near(a, b, shared.clone()) || from_one(a, b, &inner, &shared)
}

fn from_near(a: Of<'_>, b: Of<'_>, mut cut: HashSet<u128>) -> bool {
    for _ in 0..MOST_STEPS_UP {
        if equal_from(a, b, &cut) == Some(true) {
            return true;
        }
        let starts: Vec<u128> = [a, b]
            .into_iter()
            .flat_map(|of| values(of, &cut).into_iter().map(move |v| (of, v)))
            .filter(|((side, root), v)| v != root && inside(&side.program, *v).is_some())
            .filter_map(|((side, _), v)| key(side, v).filter(|k| cut.contains(k)))
            .collect();
        if starts.is_empty() {
            return false;
        }
        for key in starts {
            cut.remove(&key);
        }
    }
    false
}

fn from_one(a: Of<'_>, b: Of<'_>, inner: &[ValueId], shared: &HashSet<u128>) -> bool {
    let mut seen = HashSet::new();
    let mut tried = 0;
    for v in inner {
        let Some(key) = key(a.0, *v).filter(|k| shared.contains(k) && seen.insert(*k)) else {
            continue;
        };
        if domain(a.0, *v).is_none_or(|d| d.len() < 2) {
            continue;
        }
        match equal_from(a, b, &HashSet::from([key])) {
            Some(true) => return true,
            Some(false) => tried += 1,
            None => {}
        }
        if tried == MOST_STARTS {
            break;
        }
    }
    false
}

pub fn key(side: &Simplified, v: ValueId) -> Option<u128> {
    side.keys.get(&v).copied()
}

/// What a value hangs on through elementwise ops, operands first, itself last; not beyond values of the keys `cut`.
pub fn values((side, root): Of<'_>, cut: &HashSet<u128>) -> Vec<ValueId> {
    hanging(&side.program, &[root], &|v| {
        v != root && key(side, v).is_some_and(|k| cut.contains(&k))
    })
}

/// What values hang on through elementwise ops, operands first, themselves last; not beyond where `is_cut` says so.
pub fn hanging(
    program: &Program,
    roots: &[ValueId],
    is_cut: &dyn Fn(ValueId) -> bool,
) -> Vec<ValueId> {
    let mut out = vec![];
    let mut found = HashSet::new();
    let mut stack: Vec<(ValueId, bool)> = roots.iter().map(|v| (*v, false)).collect();
    while let Some((v, operands_done)) = stack.pop() {
        if operands_done {
            out.push(v);
            continue;
        }
        if !found.insert(v) {
            continue;
        }
        stack.push((v, true));
        if let Some(id) = inside(program, v).filter(|_| !is_cut(v)) {
            stack.extend(program.op(id).operands.iter().map(|v| (*v, false)));
        }
    }
    out
}

/// The op that makes `v` of the same places of its operands.
pub fn inside(program: &Program, v: ValueId) -> Option<OpId> {
    let id = look::definition(program, v)?;
    let is_literal = look::splat(program, v).is_some();
    (!is_literal && (steps(program, id) || spreads(program, id))).then_some(id)
}

/// An elementwise op, in its own types.
pub fn steps(program: &Program, id: OpId) -> bool {
    let name = look::name(program, id);
    let o = program.op(id);
    let dims = |v: &ValueId| look::dims(program, *v);
    let keeps_dims = ["reduce_precision", "bitcast_convert"].contains(&name)
        && o.operands.first().map(dims) == o.results.first().map(dims);
    keeps_dims || is_elementwise(program, id)
}

/// One number put everywhere.
fn spreads(program: &Program, id: OpId) -> bool {
    let is_move = ["broadcast_in_dim", "broadcast", "reshape"].contains(&look::name(program, id));
    let operand = program.op(id).operands.first();
    let dims = operand.and_then(|v| look::dims(program, *v));
    is_move && dims.is_some_and(|d| d.iter().product::<u64>() == 1)
}

/// The numbers that a value may be, where they are few.
fn domain(side: &Simplified, v: ValueId) -> Option<Tensor> {
    let element = look::element(&side.program, v)?;
    match side.ranges.get(&side.program, v) {
        Range::Integer { low, high } => {
            let (low, high) = (i64::try_from(low).ok()?, i64::try_from(high).ok()?);
            let n = high.checked_sub(low)?.checked_add(1)?;
            if n < 1 || n as u64 > MOST_NUMBERS {
                return None;
            }
            let all: Vec<i64> = (low..=high).collect();
            Some(Tensor::from_i64s(&[n as u64], &element, &all))
        }
        Range::Float(range) if matches!(element, ElementType::BF16 | ElementType::F16) => {
            let all: Vec<u16> = (0..=u16::MAX).collect();
            let all = Tensor::from_slice(&[1 << 16], element, &all);
            let numbers = all.to_f64s();
            let places: Vec<usize> = (0..1 << 16).filter(|i| range.has(numbers[*i])).collect();
            Some(all.take(&[places.len() as u64], &places))
        }
        Range::Float(range) if element.storage_bytes() == 1 => {
            let all: Vec<u8> = (0..1u64 << element.bits()).map(|i| i as u8).collect();
            let all = Tensor::from_slice(&[all.len() as u64], element, &all);
            let numbers = all.to_f64s();
            let places: Vec<usize> = (0..numbers.len())
                .filter(|i| range.has(numbers[*i]))
                .collect();
            Some(all.take(&[places.len() as u64], &places))
        }
        Range::Float(_) | Range::Any => None,
    }
}

/// Whether the two are equal for all numbers of the values they start from. None: these are many, or not the same.
fn equal_from(a: Of<'_>, b: Of<'_>, cut: &HashSet<u128>) -> Option<bool> {
    let mut given: Vec<(u128, Tensor)> = vec![];
    let mut total = 1u64;
    let sides = [a, b].map(|of| (of, values(of, cut)));
    for ((side, root), all) in &sides {
        for v in all {
            let key = key(side, *v)?;
            let is_start = *v != *root && cut.contains(&key)
                || look::splat(&side.program, *v).is_none() && inside(&side.program, *v).is_none();
            if !is_start || given.iter().any(|(k, _)| *k == key) {
                continue;
            }
            let numbers = domain(side, *v)?;
            total = total.checked_mul(numbers.len() as u64)?;
            if total == 0 || total > MOST_NUMBERS || all.len() > MOST_OPS {
                return None;
            }
            given.push((key, numbers));
        }
    }
    let programs: Vec<Program> = sides
        .iter()
        .map(|(of, all)| function(*of, all, cut, &given, total))
        .collect::<Option<_>>()?;
    let mut step = 1usize;
    let mut arguments: Vec<Value> = vec![];
    for (_, numbers) in &given {
        let n = numbers.len();
        let places: Vec<usize> = (0..total as usize).map(|i| i / step % n).collect();
        arguments.push(numbers.take(&[total], &places).into());
        step *= n;
    }
    let [first, second] = &programs[..] else {
        return None;
    };
    Some(same_outputs(first, second, &arguments))
}

/// The function of the numbers `given` as a program on `n` of each.
fn function(
    (side, root): Of<'_>,
    all: &[ValueId],
    cut: &HashSet<u128>,
    given: &[(u128, Tensor)],
    n: u64,
) -> Option<Program> {
    let parameter = |v: ValueId| {
        let of_key = key(side, v)?;
        let is_cut = v != root && cut.contains(&of_key);
        let is_inner =
            look::splat(&side.program, v).is_some() || inside(&side.program, v).is_some();
        let place = given.iter().position(|(k, _)| *k == of_key);
        place.filter(|_| is_cut || !is_inner)
    };
    let elements: Vec<ElementType> = given.iter().map(|(_, t)| t.element().clone()).collect();
    lines(&side.program, all, &parameter, &elements, &[root], n)
}

/// The elementwise ops that make `all`, operands first, as a program on lines of `n` numbers that gives `roots`. `parameter`: the number of the parameter that
/// a value is.
pub fn lines(
    program: &Program,
    all: &[ValueId],
    parameter: &dyn Fn(ValueId) -> Option<usize>,
    elements: &[ElementType],
    roots: &[ValueId],
    n: u64,
) -> Option<Program> {
    let ty = |element: &ElementType| -> Type { TensorType::new([n], element.clone()).into() };
    let mut b = ProgramBuilder::new("copy", Provenance::Keep);
    let types: Vec<Type> = elements.iter().map(ty).collect();
    let parameters = b.begin_function("main", &types, Default::default());
    let mut made: HashMap<ValueId, ValueId> = HashMap::new();
    for v in all {
        let element = look::element(program, *v)?;
        if matches!(element.class(), Class::Complex | Class::Quantized) {
            return None;
        }
        let value = if let Some(place) = parameter(*v) {
            *parameters.get(place)?
        } else if let Some(one) = look::splat(program, *v) {
            let value = Literal::new(vec![n], one.element().clone(), one.ieee().clone())?;
            let op = Op::Hlo(Constant { value }.into());
            *b.op(op, &[], &[ty(&element)], vec![], Default::default())
                .first()?
        } else {
            let id = inside(program, *v)?;
            let o = program.op(id);
            let operands = o.operands.iter().map(|v| made.get(v).copied());
            let operands = operands.collect::<Option<Vec<_>>>()?;
            match spreads(program, id) {
                true => *operands.first()?,
                false => *b
                    .op(
                        o.op.clone(),
                        &operands,
                        &[ty(&element)],
                        vec![],
                        Default::default(),
                    )
                    .first()?,
            }
        };
        made.insert(*v, value);
    }
    let roots = roots.iter().map(|v| made.get(v).copied());
    b.end_function(&roots.collect::<Option<Vec<_>>>()?, Default::default());
    b.finish().ok()
}
