//! Emits ops of a new kernel while an old one is read: arithmetic of i32 scalars with known values folded, and copies of old ops under new values.

use std::collections::BTreeMap;
use tileproof_dialect::{
    hlo::{self, compare::Direction},
    literal::Literal,
    tensor::Tensor,
    tpu::{Kernel, KernelBuilder, KernelOperation, KernelRegion, KernelType, KernelValue, TpuOp},
    types::ElementType,
};

/// New values of old ones.
pub type ValueMap = BTreeMap<KernelValue, KernelValue>;

/// A builder that knows which scalars are constants.
pub struct Emitter {
    pub b: KernelBuilder,
    known: BTreeMap<KernelValue, i64>,
}

impl Emitter {
    pub fn new(b: KernelBuilder) -> Emitter {
        Emitter {
            b,
            known: BTreeMap::new(),
        }
    }

    /// A constant i32.
    pub fn int(&mut self, value: i64) -> KernelValue {
        let v = self.b.i32(value);
        self.known.insert(v, value);
        v
    }

    /// The value of a scalar, where it is a constant.
    pub fn known(&self, v: KernelValue) -> Option<i64> {
        self.known.get(&v).copied()
    }

    fn scalar(&mut self, op: hlo::Op, operands: &[KernelValue], ty: ElementType) -> KernelValue {
        self.b
            .one(TpuOp::Elementwise(op), operands, KernelType::Scalar(ty))
    }

    fn both(&self, a: KernelValue, b: KernelValue) -> (Option<i64>, Option<i64>) {
        (self.known(a), self.known(b))
    }

    pub fn add(&mut self, a: KernelValue, b: KernelValue) -> KernelValue {
        match self.both(a, b) {
            (Some(x), Some(y)) => self.int(x + y),
            (Some(0), None) => b,
            (None, Some(0)) => a,
            (None | Some(_), None | Some(_)) => {
                self.scalar(hlo::add::Add.into(), &[a, b], ElementType::I32)
            }
        }
    }

    pub fn subtract(&mut self, a: KernelValue, b: KernelValue) -> KernelValue {
        match self.both(a, b) {
            (Some(x), Some(y)) => self.int(x - y),
            (None, Some(0)) => a,
            (None | Some(_), None | Some(_)) => {
                self.scalar(hlo::subtract::Subtract.into(), &[a, b], ElementType::I32)
            }
        }
    }

    pub fn multiply(&mut self, a: KernelValue, b: KernelValue) -> KernelValue {
        match self.both(a, b) {
            (Some(x), Some(y)) => self.int(x * y),
            (Some(1), None) => b,
            (None, Some(1)) => a,
            (Some(0), None) | (None, Some(0)) => self.int(0),
            (None | Some(_), None | Some(_)) => {
                self.scalar(hlo::multiply::Multiply.into(), &[a, b], ElementType::I32)
            }
        }
    }

    /// Quotient of numbers that are not negative.
    pub fn divide(&mut self, a: KernelValue, by: i64) -> KernelValue {
        match self.known(a) {
            _ if by == 1 => a,
            Some(x) => self.int(x / by),
            None => {
                let by = self.int(by);
                self.scalar(hlo::divide::Divide.into(), &[a, by], ElementType::I32)
            }
        }
    }

    /// Remainder of numbers that are not negative.
    pub fn remainder(&mut self, a: KernelValue, by: i64) -> KernelValue {
        match self.known(a) {
            _ if by == 1 => self.int(0),
            Some(x) => self.int(x % by),
            None => {
                let by = self.int(by);
                self.scalar(hlo::remainder::Remainder.into(), &[a, by], ElementType::I32)
            }
        }
    }

    pub fn minimum(&mut self, a: KernelValue, b: KernelValue) -> KernelValue {
        match self.both(a, b) {
            (Some(x), Some(y)) => self.int(x.min(y)),
            (None | Some(_), None | Some(_)) => {
                self.scalar(hlo::minimum::Minimum.into(), &[a, b], ElementType::I32)
            }
        }
    }

    /// An i1: `a DIRECTION b` of i32.
    pub fn compare(&mut self, direction: Direction, a: KernelValue, b: KernelValue) -> KernelValue {
        if let (Some(x), Some(y)) = self.both(a, b) {
            return self.boolean(match direction {
                Direction::Eq => x == y,
                Direction::Ne => x != y,
                Direction::Ge => x >= y,
                Direction::Gt => x > y,
                Direction::Le => x <= y,
                Direction::Lt => x < y,
            });
        }
        let op = hlo::compare::Compare {
            comparison_direction: direction,
            compare_type: None,
        };
        self.scalar(op.into(), &[a, b], ElementType::I1)
    }

    pub fn boolean(&mut self, value: bool) -> KernelValue {
        let t = Tensor::from_i64s(&[], &ElementType::I1, &[i64::from(value)]);
        let literal = Literal::from_tensor(&t);
        let v = self.b.one(
            TpuOp::Constant(literal),
            &[],
            KernelType::Scalar(ElementType::I1),
        );
        self.known.insert(v, i64::from(value));
        v
    }

    pub fn or(&mut self, a: KernelValue, b: KernelValue) -> KernelValue {
        match self.both(a, b) {
            (Some(0), _) => b,
            (_, Some(0)) => a,
            (Some(_), _) | (_, Some(_)) => self.boolean(true),
            (None, None) => self.scalar(hlo::or::Or.into(), &[a, b], ElementType::I1),
        }
    }

    pub fn and(&mut self, a: KernelValue, b: KernelValue) -> KernelValue {
        match self.both(a, b) {
            (Some(0), _) | (_, Some(0)) => self.boolean(false),
            (Some(_), _) => b,
            (_, Some(_)) => a,
            (None, None) => self.scalar(hlo::and::And.into(), &[a, b], ElementType::I1),
        }
    }

    /// `condition ? yes : no` of i32.
    pub fn select(
        &mut self,
        condition: KernelValue,
        yes: KernelValue,
        no: KernelValue,
    ) -> KernelValue {
        match self.known(condition) {
            Some(0) => no,
            Some(_) => yes,
            None if yes == no => yes,
            None => self.scalar(
                hlo::select::Select.into(),
                &[condition, yes, no],
                ElementType::I32,
            ),
        }
    }

    /// An i32 as an index.
    pub fn index(&mut self, v: KernelValue) -> KernelValue {
        let out = self.b.one(TpuOp::IndexCast, &[v], KernelType::Index);
        if let Some(known) = self.known(v) {
            self.known.insert(out, known);
        }
        out
    }

    /// A constant index.
    pub fn index_constant(&mut self, value: i64) -> KernelValue {
        let t = Tensor::from_i64s(&[], &ElementType::I64, &[value]);
        let v = self.b.one(
            TpuOp::Constant(Literal::from_tensor(&t)),
            &[],
            KernelType::Index,
        );
        self.known.insert(v, value);
        v
    }

    /// Sum of indices.
    pub fn add_index(&mut self, a: KernelValue, by: i64) -> KernelValue {
        match self.known(a) {
            Some(x) => self.index_constant(x + by),
            None if by == 0 => a,
            None => {
                let by = self.index_constant(by);
                self.b.one(
                    TpuOp::Elementwise(hlo::add::Add.into()),
                    &[a, by],
                    KernelType::Index,
                )
            }
        }
    }

    /// Sum of two indices.
    pub fn add_indices(&mut self, a: KernelValue, b: KernelValue) -> KernelValue {
        match self.both(a, b) {
            (Some(x), Some(y)) => self.index_constant(x + y),
            (Some(0), None) => b,
            (None, Some(0)) => a,
            (None | Some(_), None | Some(_)) => self.b.one(
                TpuOp::Elementwise(hlo::add::Add.into()),
                &[a, b],
                KernelType::Index,
            ),
        }
    }

    /// What `then` emits, where the condition holds.
    pub fn when(&mut self, condition: KernelValue, then: impl FnOnce(&mut Emitter)) {
        match self.known(condition) {
            Some(0) => {}
            Some(_) => then(self),
            None => {
                self.b.begin_region(&[]);
                then(self);
                let then = self.b.end_region(&[]);
                self.b.begin_region(&[]);
                let otherwise = self.b.end_region(&[]);
                self.b
                    .op(TpuOp::If, &[condition], &[], vec![then, otherwise]);
            }
        }
    }

    /// A loop over i32 `from..to` with carried values. `body` gets the induction variable and the carried values and gives the next ones.
    pub fn repeat(
        &mut self,
        from: i64,
        to: i64,
        initial: &[KernelValue],
        body: impl FnOnce(&mut Emitter, KernelValue, &[KernelValue]) -> Vec<KernelValue>,
    ) -> Vec<KernelValue> {
        let bounds = [self.int(from), self.int(to), self.int(1)];
        let carried: Vec<KernelType> = initial.iter().map(|v| self.b.ty(*v).clone()).collect();
        let mut arguments = vec![KernelType::i32()];
        arguments.extend(carried.iter().cloned());
        let arguments = self.b.begin_region(&arguments);
        let next = body(self, arguments[0], &arguments[1..]);
        let region = self.b.end_region(&next);
        let operands: Vec<KernelValue> = bounds.iter().chain(initial).copied().collect();
        self.b.op(TpuOp::For, &operands, &carried, vec![region])
    }

    /// Copies the ops of `region` of `old`, without its end. `map` holds the new values of its arguments and of what it uses from outside. Gives the
    /// new values of the operands of its end.
    pub fn transcribe(
        &mut self,
        old: &Kernel,
        region: &KernelRegion,
        map: &mut ValueMap,
    ) -> Vec<KernelValue> {
        let Some((end, ops)) = region.ops.split_last() else {
            return vec![];
        };
        for op in ops {
            self.transcribe_op(old, op, map);
        }
        renamed(&end.operands, map)
    }

    /// Copies one op with its regions.
    pub fn transcribe_op(&mut self, old: &Kernel, op: &KernelOperation, map: &mut ValueMap) {
        let regions = op
            .regions
            .iter()
            .map(|r| self.transcribe_region(old, r, map))
            .collect();
        let types: Vec<KernelType> = op.results.iter().map(|v| old.ty(*v).clone()).collect();
        let location = std::mem::replace(&mut self.b.location, op.location.clone());
        let results = self
            .b
            .op(op.op.clone(), &renamed(&op.operands, map), &types, regions);
        self.b.location = location;
        if let (TpuOp::Constant(literal), [result]) = (&op.op, &results[..])
            && let Some(value) = scalar_integer(literal)
        {
            self.known.insert(*result, value);
        }
        map.extend(op.results.iter().copied().zip(results));
    }

    /// Copies a region with its arguments and its end.
    pub fn transcribe_region(
        &mut self,
        old: &Kernel,
        region: &KernelRegion,
        map: &mut ValueMap,
    ) -> KernelRegion {
        let types: Vec<KernelType> = region
            .arguments
            .iter()
            .map(|v| old.ty(*v).clone())
            .collect();
        let arguments = self.b.begin_region(&types);
        map.extend(region.arguments.iter().copied().zip(arguments));
        let ends = self.transcribe(old, region, map);
        match region.ops.last().map(|o| &o.op) {
            Some(TpuOp::Condition) => self.b.end_with_condition(&ends),
            Some(_) | None => self.b.end_region(&ends),
        }
    }
}

/// The new names of values; a value without one keeps its own.
pub fn renamed(values: &[KernelValue], map: &ValueMap) -> Vec<KernelValue> {
    values
        .iter()
        .map(|v| map.get(v).copied().unwrap_or(*v))
        .collect()
}

/// The value of a constant integer or boolean of rank 0.
pub fn scalar_integer(literal: &Literal) -> Option<i64> {
    let counts = matches!(
        literal.element(),
        ElementType::I1 | ElementType::I32 | ElementType::I64
    );
    if !literal.dims().is_empty() || !counts {
        return None;
    }
    literal.to_tensor().to_i64s().first().copied()
}
