//! Sorts whose comparator is one that `lax.sort` has, or can have on a key made of integers.

use super::{Writer, expression::python, tuple};
use crate::{
    error::Error,
    export::hlo_text::fields::Fields,
    hlo,
    op::Op,
    program::{OpId, Operation, RegionId, ValueDef, ValueId},
    types::Class,
};

/// Two elements of one operand compared.
struct Comparison {
    operand: usize,
    /// As if the element that stands first came first.
    direction: String,
    /// Zeros and NaNs are made alike before, as `lax.sort` does for floats.
    canonical: bool,
    is_float: bool,
}

impl Writer<'_> {
    pub(super) fn sort(&mut self, id: OpId, f: &Fields<'_>) -> Result<String, Error> {
        let o = self.program.op(id);
        let region = o
            .regions
            .first()
            .copied()
            .ok_or_else(|| Error::internal("a region is missing"))?;
        let x = self.operands(id);
        let options = format!(
            "{}, {}",
            f.int("dimension").unwrap_or(-1),
            python(f.flag("is_stable"))
        );
        let [order] = self.program.returned(region) else {
            return Err(Error::internal("a comparator without a result"));
        };
        if let Some(keys) = self.keys(region, *order, 0) {
            return Ok(match x.as_slice() {
                [one] => format!("lax.sort({one}, {options})"),
                many => format!("lax.sort({}, {options}, num_keys={keys})", tuple(many)),
            });
        }
        // One key in another order: its total order, turned around for the larger first, goes in front.
        let unknown = || Error::unsupported("a JAX script of a sort with this comparator");
        let key = self.comparison(region, *order).ok_or_else(unknown)?;
        let mut name = x.get(key.operand).cloned().ok_or_else(unknown)?;
        if key.is_float {
            if key.canonical {
                return Err(unknown());
            }
            self.uses_total_order = true;
            name = format!("total_order({name})");
        }
        match key.direction.as_str() {
            "LT" => {}
            "GT" => name = format!("lax.bitwise_not({name})"),
            _ => return Err(unknown()),
        }
        let sorted = format!(
            "lax.sort({}, {options}, num_keys=1)[1:]",
            tuple(&[vec![name], x].concat())
        );
        Ok(if o.results.len() == 1 {
            format!("{sorted}[0]")
        } else {
            sorted
        })
    }

    /// Number of keys when `v` is the order of `lax.sort` on the operands from `first`: a0 < b0 | (a0 == b0 & (a1 < b1 | ..)).
    fn keys(&self, region: RegionId, v: ValueId, first: usize) -> Option<usize> {
        let fits = |v: ValueId, direction: &str| {
            let c = self.comparison(region, v)?;
            (c.operand == first && c.direction == direction && (c.canonical || !c.is_float))
                .then_some(())
        };
        if fits(v, "LT").is_some() {
            return Some(first + 1);
        }
        let (less, rest) = self.both(v, "or")?;
        let (equal, rest) = self.both(rest, "and")?;
        fits(less, "LT")?;
        fits(equal, "EQ")?;
        self.keys(region, rest, first + 1)
    }

    fn made_by(&self, v: ValueId) -> Option<&Operation> {
        match self.program.value(v).def {
            ValueDef::Result { op, .. } => Some(self.program.op(op)),
            ValueDef::Argument { .. } => None,
        }
    }

    /// The operands of the op `name` that gives `v`.
    fn both(&self, v: ValueId, name: &str) -> Option<(ValueId, ValueId)> {
        let o = self.made_by(v)?;
        let Op::Hlo(op) = &o.op;
        match (op.name() == name, &o.operands[..]) {
            (true, [a, b]) => Some((*a, *b)),
            (_, _) => None,
        }
    }

    fn comparison(&self, region: RegionId, v: ValueId) -> Option<Comparison> {
        let o = self.made_by(v)?;
        let Op::Hlo(hlo::Op::Compare(_)) = &o.op else {
            return None;
        };
        let attributes = o.op.to_attributes();
        let f = Fields(&attributes);
        let [lhs, rhs] = o.operands[..] else {
            return None;
        };
        let (a, canonical) = self.before_canonicalization(lhs);
        let (b, other) = self.before_canonicalization(rhs);
        let class = self.program.ty(lhs).as_tensor()?.element.class();
        let is_float = class == Class::Float;
        // A plain comparison of floats is no order: NaN is neither below nor above.
        let is_order = matches!(class, Class::Signed | Class::Unsigned)
            || (is_float && f.word("compare_type") == Some("TOTALORDER"));
        if canonical != other || !is_order {
            return None;
        }
        let arguments = &self.program.region(region).arguments;
        let place = |v: ValueId| arguments.iter().position(|x| *x == v);
        let (a, b) = (place(a)?, place(b)?);
        let direction = f.word("comparison_direction")?;
        let direction = match (a % 2, direction) {
            (0, same) if b == a + 1 => same,
            (1, "LT") if b + 1 == a => "GT",
            (1, "GT") if b + 1 == a => "LT",
            (1, "EQ") if b + 1 == a => "EQ",
            (_, _) => return None,
        };
        Some(Comparison {
            operand: a / 2,
            direction: direction.to_string(),
            canonical,
            is_float,
        })
    }

    /// `x` of select(x != x, nan, select(x == 0, 0, x)), and whether it was that.
    fn before_canonicalization(&self, v: ValueId) -> (ValueId, bool) {
        let select = |v: ValueId| {
            let o = self.made_by(v)?;
            match (&o.op, &o.operands[..]) {
                (Op::Hlo(hlo::Op::Select(_)), [pred, yes, no]) => Some((*pred, *yes, *no)),
                (Op::Hlo(_), _) => None,
            }
        };
        let number = |v: ValueId| match &self.made_by(v)?.op {
            Op::Hlo(hlo::Op::Constant(c)) => c.value.to_tensor().to_f64s().first().copied(),
            Op::Hlo(_) => None,
        };
        let compared = |v: ValueId, direction: &str| {
            let attributes = self.made_by(v)?.op.to_attributes();
            let right = Fields(&attributes).word("comparison_direction") == Some(direction);
            self.both(v, "compare").filter(|_| right)
        };
        let matched = || {
            let (is_nan, nan, rest) = select(v)?;
            let (is_zero, zero, x) = select(rest)?;
            let same = compared(is_nan, "NE")? == (x, x);
            let (left, right) = compared(is_zero, "EQ")?;
            let fits = same
                && left == x
                && number(nan)?.is_nan()
                && number(zero)? == 0.0
                && number(right)? == 0.0;
            fits.then_some(x)
        };
        match matched() {
            Some(x) => (x, true),
            None => (v, false),
        }
    }
}
