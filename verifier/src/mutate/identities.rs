//! What an op is by the numbers its operands may be: one of its operands, a number, or a simpler op.
//!
//! Proves: the form has the bits of the op, for all numbers of the ranges (NaN for NaN). Every rule is exact: none moves a rounding.

use super::{
    look,
    ranges::{self, Floats, Range, Ranges},
};
use std::collections::HashMap;
use tileproof_dialect::{
    eval::Events,
    hlo::{
        self,
        compare::{Compare, CompareType, Direction},
    },
    op::Op,
    program::{OpId, Program, RegionId, ValueId},
    tensor::{Tensor, Value, count},
    types::{Class, ElementType},
};
use tileproof_runtime::reference::Interpreter;

/// A value in other words.
pub enum Form {
    /// The value of this key.
    Same(u128),
    /// This number in every element.
    Number(Tensor),
    /// An op on values of these keys.
    Op {
        name: String,
        operands: Vec<u128>,
        is_commutative: bool,
    },
}

/// What is known of a program so far.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub interpreter: &'a Interpreter<'a>,
    pub ranges: &'a Ranges,
    pub keys: &'a HashMap<ValueId, u128>,
    /// Values that hang on no input.
    pub constants: &'a HashMap<ValueId, Value>,
}

/// One op and what is known around it.
struct Place<'a> {
    known: Known<'a>,
    program: &'a Program,
    id: OpId,
}

/// The simplest form of the only result of op `id`. None: the op as it is.
pub fn of(known: Known<'_>, id: OpId) -> Option<Form> {
    let program = known.interpreter.program();
    let place = Place { known, program, id };
    let Op::Hlo(op) = &program.op(id).op;
    place
        .number()
        .or_else(|| place.moved(op))
        .or_else(|| match op {
            hlo::Op::Select(_) => place.select(),
            hlo::Op::Compare(c) => place.compare(c),
            hlo::Op::Maximum(_) | hlo::Op::Minimum(_) => place.extreme(op),
            hlo::Op::Clamp(_) => place.clamp(),
            hlo::Op::Add(_) | hlo::Op::Subtract(_) => place.sum(op),
            hlo::Op::Multiply(_) | hlo::Op::Divide(_) => place.product(op),
            hlo::Op::Abs(_) => place.abs(),
            hlo::Op::Negate(_) => place.op("negate", &[place.operand(0)?], false),
            hlo::Op::And(_) | hlo::Op::Or(_) => place.logic(op),
            hlo::Op::Convert(_) | hlo::Op::BitcastConvert(_) => place.converted(op),
            hlo::Op::DynamicSlice(op) => place.dynamic_slice(&op.slice_sizes),
            hlo::Op::Gather(_) => place.gather(),
            hlo::Op::Scatter(_) => place.scattered_again(),
            hlo::Op::DotGeneral(_) => super::gram::dot(program, known.keys, id),
            hlo::Op::Transpose(_) => super::gram::transposed(program, known.keys, id),
            _ => None,
        })
}

/// The region of a branch that is always taken.
pub fn taken_branch(program: &Program, ranges: &Ranges, id: OpId) -> Option<RegionId> {
    let o = program.op(id);
    let Op::Hlo(op) = &o.op;
    let index = ranges.get(program, *o.operands.first()?);
    let taken = ranges::branch(op, &[index], o.regions.len())?;
    o.regions.get(taken).copied()
}

impl Place<'_> {
    fn operand(&self, i: usize) -> Option<ValueId> {
        self.program.op(self.id).operands.get(i).copied()
    }

    fn pair(&self) -> Option<[ValueId; 2]> {
        <[ValueId; 2]>::try_from(&self.program.op(self.id).operands[..]).ok()
    }

    fn range(&self, v: ValueId) -> Range {
        self.known.ranges.get(self.program, v)
    }

    fn floats(&self, v: ValueId) -> Option<Floats> {
        match self.range(v) {
            Range::Float(f) => Some(f),
            Range::Integer { .. } | Range::Any => None,
        }
    }

    fn key(&self, v: ValueId) -> Option<u128> {
        self.known.keys.get(&v).copied()
    }

    fn same(&self, v: ValueId) -> Option<Form> {
        // A bound of rank 0 stands for all elements.
        let dims = |v: ValueId| look::dims(self.program, v);
        let result = *self.program.op(self.id).results.first()?;
        (dims(v) == dims(result)).then(|| self.key(v).map(Form::Same))?
    }

    fn op(&self, name: &str, operands: &[ValueId], is_commutative: bool) -> Option<Form> {
        let operands = operands.iter().map(|v| self.key(*v));
        Some(Form::Op {
            name: name.to_string(),
            operands: operands.collect::<Option<_>>()?,
            is_commutative,
        })
    }

    /// One number is left.
    fn number(&self) -> Option<Form> {
        let result = *self.program.op(self.id).results.first()?;
        let element = look::element(self.program, result)?;
        match self.range(result) {
            Range::Integer { low, high } if low == high => {
                let one = i64::try_from(low).ok()?;
                Some(Form::Number(Tensor::from_i64s(&[], &element, &[one])))
            }
            Range::Float(f) => {
                let one = only(f)?;
                let number = Tensor::from_f64s(&[], &element, &[one]);
                let is_exact = number.to_f64s().first().map(|x| x.to_bits()) == Some(one.to_bits());
                is_exact.then_some(Form::Number(number))
            }
            Range::Integer { .. } | Range::Any => None,
        }
    }

    /// One number in all elements, moved about.
    fn moved(&self, op: &hlo::Op) -> Option<Form> {
        match op {
            // Another layout.
            hlo::Op::Copy(_) => self.same(self.operand(0)?),
            hlo::Op::Constant(_) | hlo::Op::BroadcastInDim(_) | hlo::Op::Reshape(_) => {
                let result = *self.program.op(self.id).results.first()?;
                look::splat(self.program, result).map(Form::Number)
            }
            _ => None,
        }
    }

    fn truth(&self, v: ValueId) -> Option<bool> {
        match self.range(v) {
            Range::Integer { low: 1, .. } => Some(true),
            Range::Integer { high: 0, .. } => Some(false),
            Range::Integer { .. } | Range::Float(_) | Range::Any => None,
        }
    }

    fn select(&self) -> Option<Form> {
        let [p, a, b] = *<&[ValueId; 3]>::try_from(&self.program.op(self.id).operands[..]).ok()?;
        match self.truth(p) {
            Some(true) => return self.same(a),
            Some(false) => return self.same(b),
            None => {}
        }
        if self.key(a)? == self.key(b)? {
            return self.same(a);
        }
        // The larger or smaller of what is compared.
        let made = look::definition(self.program, p)?;
        let Op::Hlo(hlo::Op::Compare(c)) = &self.program.op(made).op else {
            return None;
        };
        let [x, y] = *<&[ValueId; 2]>::try_from(&self.program.op(made).operands[..]).ok()?;
        let keys = (self.key(x)?, self.key(y)?);
        let direction = match keys {
            keys if keys == (self.key(a)?, self.key(b)?) => c.comparison_direction,
            keys if keys == (self.key(b)?, self.key(a)?) => ranges::turned(c.comparison_direction),
            _ => return None,
        };
        if !self.in_one_order(x, y) {
            return None;
        }
        match direction {
            Direction::Gt | Direction::Ge => self.op("maximum", &[a, b], true),
            Direction::Lt | Direction::Le => self.op("minimum", &[a, b], true),
            Direction::Eq | Direction::Ne => None,
        }
    }

    /// Whether every comparison of the two says the same in each order of floats: no NaN, and not zeros of both signs.
    fn in_one_order(&self, a: ValueId, b: ValueId) -> bool {
        match (self.range(a), self.range(b)) {
            (Range::Integer { .. }, Range::Integer { .. }) => true,
            (Range::Float(a), Range::Float(b)) => {
                let zeros = a.zero && b.minus_zero || a.minus_zero && b.zero;
                !a.nan && !b.nan && !zeros
            }
            (_, _) => false,
        }
    }

    /// Whether the two may be the same number.
    fn may_meet(&self, a: ValueId, b: ValueId) -> bool {
        match (self.range(a), self.range(b)) {
            (Range::Integer { low: a, high: b }, Range::Integer { low: c, high: d }) => {
                a.max(c) <= b.min(d)
            }
            (Range::Float(a), Range::Float(b)) => {
                a.low.max(b.low) <= a.high.min(b.high) || a.has_zero() && b.has_zero()
            }
            (_, _) => true,
        }
    }

    fn compare(&self, c: &Compare) -> Option<Form> {
        let [a, b] = self.pair()?;
        let element = look::element(self.program, a)?;
        let mut direction = c.comparison_direction;
        // Against a boolean.
        if element.class() == Class::Boolean && matches!(direction, Direction::Eq | Direction::Ne) {
            let equal = direction == Direction::Eq;
            if self.truth(b) == Some(equal) {
                return self.same(a);
            }
            if self.truth(a) == Some(equal) {
                return self.same(b);
            }
        }
        let order = match (element.class(), c.compare_type) {
            (Class::Float, _) if self.in_one_order(a, b) => "any order",
            (Class::Float, Some(CompareType::TotalOrder)) => "total order",
            (Class::Float, _) => "IEEE",
            (Class::Boolean | Class::Signed | Class::Unsigned, _) => "integers",
            (Class::Complex | Class::Quantized, _) => return None,
        };
        let mut operands = [a, b];
        if matches!(direction, Direction::Gt | Direction::Ge) {
            direction = ranges::turned(direction);
            operands = [b, a];
        }
        let no_nan = order != "IEEE";
        if direction == Direction::Le && no_nan && !self.may_meet(a, b) {
            direction = Direction::Lt;
        }
        let is_commutative = matches!(direction, Direction::Eq | Direction::Ne);
        self.op(
            &format!("compare {direction:?} in {order}"),
            &operands,
            is_commutative,
        )
    }

    /// A maximum or minimum whose operands lie apart.
    fn extreme(&self, op: &hlo::Op) -> Option<Form> {
        let [a, b] = self.pair()?;
        if self.key(a)? == self.key(b)? {
            return self.same(a);
        }
        let larger = |x, y| ranges::decided(Direction::Gt, x, y) == Some(true);
        let (ra, rb) = (self.range(a), self.range(b));
        let is_maximum = matches!(op, hlo::Op::Maximum(_));
        if larger(ra, rb) {
            return self.same(if is_maximum { a } else { b });
        }
        if larger(rb, ra) {
            return self.same(if is_maximum { b } else { a });
        }
        self.op(
            if is_maximum { "maximum" } else { "minimum" },
            &[a, b],
            true,
        )
    }

    /// A clamp that never does anything.
    fn clamp(&self) -> Option<Form> {
        let [min, x, max] =
            *<&[ValueId; 3]>::try_from(&self.program.op(self.id).operands[..]).ok()?;
        let (Range::Integer { high: least, .. }, Range::Integer { low, high }) =
            (self.range(min), self.range(x))
        else {
            return None;
        };
        match self.range(max) {
            Range::Integer { low: most, .. } if least <= low && high <= most => self.same(x),
            Range::Integer { .. } | Range::Float(_) | Range::Any => None,
        }
    }

    /// The only number of a value, where there is one.
    fn only(&self, v: ValueId) -> Option<f64> {
        if let Some(Value::Tensor(t)) = self.known.constants.get(&v)
            && !t.element().is_complex()
        {
            let all = t.to_f64s();
            let first = *all.first()?;
            let same = all.iter().all(|x| x.to_bits() == first.to_bits());
            return (same && first.abs() < 9e15).then_some(first);
        }
        match self.range(v) {
            Range::Integer { low, high } if low == high && low.abs() < 1 << 53 => Some(low as f64),
            Range::Float(f) => only(f),
            Range::Integer { .. } | Range::Any => None,
        }
    }

    fn sum(&self, op: &hlo::Op) -> Option<Form> {
        let [a, b] = self.pair()?;
        let zero = |v| self.only(v).filter(|x| *x == 0.0);
        let is_difference = matches!(op, hlo::Op::Subtract(_));
        if let (Range::Float(x), Range::Float(y)) = (self.range(a), self.range(b)) {
            let element = look::element(self.program, a)?;
            if ranges::absorbs(x, y, &element) {
                return self.same(a);
            }
            if !is_difference && ranges::absorbs(y, x, &element) {
                return self.same(b);
            }
        }
        if let Some(zero) = zero(b) {
            // x + -0 and x - 0 are x; x + 0 is, but for -0.
            let keeps = zero.is_sign_negative() != is_difference;
            let is_integer = matches!(self.range(a), Range::Integer { .. });
            if is_integer || keeps || self.floats(a).is_some_and(|f| !f.minus_zero) {
                return self.same(a);
            }
        }
        if let Some(zero) = zero(a) {
            let f = self.floats(b);
            if is_difference {
                // 0 - 0 is 0, and the negative of it is not.
                let negates = zero.is_sign_positive() && f.is_some_and(|f| !f.zero);
                return negates.then(|| self.op("negate", &[b], false))?;
            }
            let keeps = zero.is_sign_negative() || f.is_none_or(|f| !f.minus_zero);
            return keeps.then(|| self.same(b))?;
        }
        None
    }

    /// A quotient by a power of two is a product with its inverse: both round one number once.
    fn product(&self, op: &hlo::Op) -> Option<Form> {
        let [a, b] = self.pair()?;
        let element = look::element(self.program, a)?;
        if !matches!(
            element,
            ElementType::BF16 | ElementType::F16 | ElementType::F32 | ElementType::F64
        ) {
            return None;
        }
        let is_quotient = matches!(op, hlo::Op::Divide(_));
        let one = |v| self.only(v).filter(|x: &f64| *x == 1.0).is_some();
        if one(b) {
            return self.same(a);
        }
        if one(a) && !is_quotient {
            return self.same(b);
        }
        let (x, factor) = match (self.only(a), self.only(b)) {
            (_, Some(f)) if is_quotient => (a, inverse(f)?),
            (_, Some(f)) => (a, f),
            (Some(f), _) if !is_quotient => (b, f),
            (_, _) => return None,
        };
        self.op(&format!("multiply by {:x}", factor.to_bits()), &[x], false)
    }

    fn abs(&self) -> Option<Form> {
        let x = self.operand(0)?;
        match self.range(x) {
            Range::Float(f) if !f.below() && !f.minus_zero && !f.nan => self.same(x),
            Range::Integer { low, .. } if low >= 0 => self.same(x),
            Range::Float(_) | Range::Integer { .. } => {
                let inner = look::operands_of(self.program, x, "negate");
                let inner = inner.and_then(|v| v.first().copied());
                self.op("abs", &[inner.unwrap_or(x)], false)
            }
            Range::Any => None,
        }
    }

    fn logic(&self, op: &hlo::Op) -> Option<Form> {
        let [a, b] = self.pair()?;
        if self.key(a)? == self.key(b)? {
            return self.same(a);
        }
        if look::element(self.program, a)?.class() != Class::Boolean {
            return None;
        }
        let neutral = Some(matches!(op, hlo::Op::And(_)));
        if self.truth(a) == neutral {
            return self.same(b);
        }
        (self.truth(b) == neutral).then(|| self.same(a))?
    }

    /// An index is clamped to 0 where the slice takes the whole dimension.
    fn dynamic_slice(&self, sizes: &[i64]) -> Option<Form> {
        let (x, starts) = self.program.op(self.id).operands.split_first()?;
        let dims = look::dims(self.program, *x)?;
        let mut operands = vec![self.key(*x)?];
        for ((v, size), dim) in starts.iter().zip(sizes).zip(&dims) {
            let is_whole = u64::try_from(*size) == Ok(*dim);
            operands.push(if is_whole { 0 } else { self.key(*v)? });
        }
        let fits = starts.len() == dims.len() && sizes.len() == dims.len();
        fits.then(|| Form::Op {
            name: format!("dynamic_slice {sizes:?}"),
            operands,
            is_commutative: false,
        })
    }

    /// A scatter that keeps the larger or smaller, or puts the new, does nothing the second time.
    fn scattered_again(&self) -> Option<Form> {
        let o = self.program.op(self.id);
        let [x, indices, updates] = o.operands[..] else {
            return None;
        };
        let inner = self.program.op(look::definition(self.program, x)?);
        let body = self.program.region(*o.regions.first()?);
        let [was, new] = body.arguments[..] else {
            return None;
        };
        let is_idempotent = match &body.ops[..] {
            [_] => self.program.returned(*o.regions.first()?) == [new],
            [only, _] => {
                let only = self.program.op(*only);
                let Op::Hlo(op) = &only.op;
                let takes = [[was, new], [new, was]]
                    .iter()
                    .any(|v| only.operands == v[..]);
                takes && matches!(op, hlo::Op::Maximum(_) | hlo::Op::Minimum(_))
            }
            _ => false,
        };
        let same_body = inner.regions.len() == o.regions.len()
            && inner
                .regions
                .iter()
                .zip(&o.regions)
                .all(|(a, b)| self.program.region_hash(*a) == self.program.region_hash(*b));
        let [_, i, u] = inner.operands[..] else {
            return None;
        };
        let again = inner.op.name() == o.op.name()
            && inner.op.to_attributes() == o.op.to_attributes()
            && self.key(i)? == self.key(indices)?
            && self.key(u)? == self.key(updates)?;
        (is_idempotent && same_body && again).then(|| self.same(x))?
    }

    /// Integers that keep their value from type to type.
    fn converted(&self, op: &hlo::Op) -> Option<Form> {
        let result = *self.program.op(self.id).results.first()?;
        let x = self.operand(0)?;
        let (from, to) = (
            look::element(self.program, x)?,
            look::element(self.program, result)?,
        );
        if from == to {
            return self.same(x);
        }
        if matches!(op, hlo::Op::BitcastConvert(_)) && !self.keeps_integer(self.id) {
            return None;
        }
        let root = self.integer(x);
        if look::element(self.program, root)? == to {
            return self.same(root);
        }
        self.op("convert", &[root], false)
    }

    /// The value, perhaps of another type, that has the integers of `v`.
    fn integer(&self, v: ValueId) -> ValueId {
        let made = look::definition(self.program, v).filter(|id| self.keeps_integer(*id));
        let from = made.and_then(|id| self.program.op(id).operands.first());
        from.map_or(v, |v| self.integer(*v))
    }

    /// Indices of any type; those that hang on no input say where each element comes from.
    fn gather(&self) -> Option<Form> {
        let o = self.program.op(self.id);
        let [x, indices] = o.operands[..] else {
            return None;
        };
        if let Some(indices) = self.known.constants.get(&indices) {
            let t = self.program.ty(x).as_tensor()?;
            let dims = t.static_dims()?;
            let n = count(&dims) as i64;
            let labels: Vec<i64> = (1..=n).collect();
            let labels = Tensor::from_i64s(&dims, &t.element, &labels);
            let told = super::indices::holds_labels(t.element.bits(), t.element.is_float(), n + 1);
            let results = self.known.interpreter.eval_op(
                self.id,
                &[labels.into(), indices.clone()],
                &|_| None,
                &mut Events::default(),
            );
            if let Some(Value::Tensor(moved)) = results.ok()?.first().filter(|_| told) {
                let moved = Tensor::from_i64s(moved.dims(), &ElementType::I64, &moved.to_i64s());
                return self.op(&format!("elements {:x}", moved.content_hash()), &[x], false);
            }
        }
        let operands = [self.key(x)?, self.key(self.integer(indices))?];
        Some(Form::Op {
            name: format!("gather {:?}", o.op.to_attributes()),
            operands: operands.to_vec(),
            is_commutative: false,
        })
    }

    /// Whether op `id` gives the integers it takes, in another type.
    fn keeps_integer(&self, id: OpId) -> bool {
        let o = self.program.op(id);
        let Op::Hlo(hlo::Op::Convert(_) | hlo::Op::BitcastConvert(_)) = &o.op else {
            return false;
        };
        let ([x], [y]) = (&o.operands[..], &o.results[..]) else {
            return false;
        };
        let is_integer = |v| look::element(self.program, v).is_some_and(|e| e.is_integer());
        let bits = |v| look::element(self.program, v).map(|e| e.bits());
        let is_bitcast = matches!(&o.op, Op::Hlo(hlo::Op::BitcastConvert(_)));
        let fits = look::element(self.program, *y).map(|e| Range::full(&e));
        match (self.range(*x), fits) {
            (
                Range::Integer { low, high },
                Some(Range::Integer {
                    low: min,
                    high: max,
                }),
            ) => {
                let same_bits = !is_bitcast || bits(*x) == bits(*y);
                is_integer(*x) && is_integer(*y) && same_bits && min <= low && high <= max
            }
            (_, _) => false,
        }
    }
}

/// The number of a set of one.
fn only(f: Floats) -> Option<f64> {
    match (f.low > f.high, f.zero, f.minus_zero, f.nan) {
        (true, true, false, false) => Some(0.0),
        (true, false, true, false) => Some(-0.0),
        (false, false, false, false) if f.low == f.high => Some(f.low),
        _ => None,
    }
}

/// One over a power of two that all four float types hold with its inverse.
fn inverse(x: f64) -> Option<f64> {
    let is_power = x.abs() != 0.0 && x.to_bits() << 12 == 0;
    (is_power && (2f64.powi(-14)..=2f64.powi(14)).contains(&x.abs())).then_some(1.0 / x)
}
