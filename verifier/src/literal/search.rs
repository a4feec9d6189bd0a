//! Finds the expressions over at most three literals that give a value bit for bit: c1, -c1, 1/c1, c1^2, sqrt c1, c1+c2, c1-c2, c1*c2, c1/c2 nested
//! to depth two, with at most one sum or difference, and c1 of another float type converted.

use super::table::Literals;
use std::collections::HashSet;
use tileproof_dialect::{
    hlo::number::sqrt_residue,
    planes::ring::{self, Residue},
    types::ElementType,
};

/// Most literals an expression of two ops is looked for in; those that only the other side has come first.
const MOST_LITERALS: usize = 40;
/// Most literals an expression of one op is looked for in.
const MOST_IN_PAIRS: usize = 100;
/// Most literals looked at.
const MOST_SINGLE: usize = 1000;
/// Most explanations of one op before those of two are looked for.
const MOST_PAIRS_FOUND: usize = 8;
/// Most explanations given.
const MOST_FOUND: usize = 15;

/// One expression that gives the literal.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// `0.044715 * 0.7978846`.
    pub text: String,
    pub residue: Residue,
    /// Distance of the literal from the exact value of the expression, at most.
    pub error: f64,
}

/// A number on the way: rounded in the declared type, and exact (in f64).
#[derive(Clone, Copy)]
struct Term {
    value: f64,
    exact: f64,
    sums: u8,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    Literal(usize),
    Unary(Unary, usize),
    Binary(Binary, usize, usize),
}

#[derive(Clone, Copy)]
enum Unary {
    Negated,
    Reciprocal,
    Square,
    Root,
}

#[derive(Clone, Copy)]
enum Binary {
    Sum,
    Difference,
    Product,
    Quotient,
}

const UNARY: [Unary; 4] = [
    Unary::Negated,
    Unary::Reciprocal,
    Unary::Square,
    Unary::Root,
];
const BINARY: [Binary; 4] = [
    Binary::Sum,
    Binary::Difference,
    Binary::Product,
    Binary::Quotient,
];

/// Explanations of `target` of type `element` over `literals`, simplest first, each with another residue. `absent` says which literals the side of
/// `target` does not have: those are looked at first.
pub fn explain(
    target: f64,
    element: &ElementType,
    literals: &Literals,
    absent: impl Fn(&ElementType, f64) -> bool,
) -> Vec<Explanation> {
    let Some(round) = rounding(element) else {
        return vec![];
    };
    if !target.is_finite() || target == 0.0 {
        return vec![];
    }
    let mut search = Search {
        target,
        round,
        literals: terms(element, literals, round, absent),
        pairs: vec![],
        simpler: HashSet::new(),
        residues: HashSet::new(),
        found: vec![],
    };
    search.note_simpler();
    search.run();
    search.found
}

/// Literals as terms, the absent ones first.
fn terms(
    element: &ElementType,
    literals: &Literals,
    round: fn(f64) -> f64,
    absent: impl Fn(&ElementType, f64) -> bool,
) -> Vec<Term> {
    let mut all: Vec<(bool, f64)> = literals
        .iter()
        .filter(|(_, v)| *v != 0.0)
        .map(|(e, v)| (!(absent(e, *v) && e == element), *v))
        .collect();
    all.sort_by_key(|(present, _)| *present);
    all.truncate(MOST_SINGLE);
    all.iter()
        .enumerate()
        .map(|(i, (_, v))| Term {
            value: round(*v),
            exact: *v,
            sums: 0,
            form: Form::Literal(i),
        })
        .collect()
}

struct Search {
    target: f64,
    round: fn(f64) -> f64,
    literals: Vec<Term>,
    /// Expressions of one op.
    pairs: Vec<Term>,
    /// Residues of literals, and of what one unary op makes of one, that are rounded to another value than the target: (a / b) * b is a with two roundings
    /// more, and would explain the last bit of anything.
    simpler: HashSet<Residue>,
    residues: HashSet<Residue>,
    found: Vec<Explanation>,
}

impl Search {
    fn note_simpler(&mut self) {
        for i in 0..self.literals.len() {
            let of = UNARY.map(|u| self.unary(u, self.literals[i], i));
            for t in std::iter::once(self.literals[i]).chain(of) {
                if t.value.to_bits() != self.target.to_bits() {
                    let residue = self.residue(t.form);
                    self.simpler.insert(residue);
                }
            }
        }
    }

    fn run(&mut self) {
        for t in self.literals.clone() {
            self.offer(t);
        }
        let n = self.literals.len();
        let few = n.min(MOST_LITERALS);
        for i in 0..n {
            for u in UNARY {
                let t = self.unary(u, self.literals[i], i);
                self.offer(t);
                if i < few {
                    self.pairs.push(t);
                }
            }
        }
        for i in 0..few {
            for j in 0..few {
                self.combine(i, j, |search, t| search.pairs.push(t));
            }
        }
        let some = n.min(MOST_IN_PAIRS);
        for i in 0..some {
            for j in if i < few { few } else { 0 }..some {
                if self.found.len() < MOST_PAIRS_FOUND {
                    self.combine(i, j, |_, _| {});
                }
            }
        }
        for k in 0..self.pairs.len() {
            if self.found.len() >= MOST_FOUND {
                return;
            }
            let pair = self.pairs[k];
            if !pair.value.is_finite() || pair.value == 0.0 {
                continue;
            }
            let at = n + k;
            // What an op and its inverse make of a literal is that literal rounded twice: it would explain the last bit of anything.
            let undone = |u: Unary| match (u, pair.form) {
                (Unary::Reciprocal, Form::Unary(Unary::Reciprocal, _))
                | (Unary::Square, Form::Unary(Unary::Root, _))
                | (Unary::Root, Form::Unary(Unary::Square, _)) => true,
                (_, _) => false,
            };
            for u in UNARY.into_iter().filter(|u| !undone(*u)) {
                let t = self.unary(u, pair, at);
                self.offer(t);
            }
            for i in 0..few {
                for b in BINARY {
                    if matches!(b, Binary::Sum | Binary::Difference) && pair.sums > 0 {
                        continue;
                    }
                    let literal = self.literals[i];
                    let t = self.binary(b, (pair, at), (literal, i));
                    self.offer(t);
                    if matches!(b, Binary::Difference | Binary::Quotient) {
                        let t = self.binary(b, (literal, i), (pair, at));
                        self.offer(t);
                    }
                }
            }
        }
    }

    /// Offers what the binary ops make of two literals.
    fn combine(&mut self, i: usize, j: usize, and: impl Fn(&mut Search, Term)) {
        for b in BINARY {
            if j < i && matches!(b, Binary::Sum | Binary::Product) {
                continue;
            }
            let t = self.binary(b, (self.literals[i], i), (self.literals[j], j));
            self.offer(t);
            and(self, t);
        }
    }

    fn unary(&self, op: Unary, a: Term, at: usize) -> Term {
        let f = |x: f64| match op {
            Unary::Negated => -x,
            Unary::Reciprocal => 1.0 / x,
            Unary::Square => x * x,
            Unary::Root => x.sqrt(),
        };
        Term {
            value: (self.round)(f(a.value)),
            exact: f(a.exact),
            sums: a.sums,
            form: Form::Unary(op, at),
        }
    }

    fn binary(&self, op: Binary, (a, i): (Term, usize), (b, j): (Term, usize)) -> Term {
        let f = |x: f64, y: f64| match op {
            Binary::Sum => x + y,
            Binary::Difference => x - y,
            Binary::Product => x * y,
            Binary::Quotient => x / y,
        };
        let sum = u8::from(matches!(op, Binary::Sum | Binary::Difference));
        Term {
            value: (self.round)(f(a.value, b.value)),
            exact: f(a.exact, b.exact),
            sums: a.sums + b.sums + sum,
            form: Form::Binary(op, i, j),
        }
    }

    fn offer(&mut self, t: Term) {
        if t.value.to_bits() != self.target.to_bits()
            || self.found.len() >= MOST_FOUND
            || self.absorbs(t.form)
        {
            return;
        }
        let residue = self.residue(t.form);
        if !self.simpler.contains(&residue) && self.residues.insert(residue) {
            let error = (t.exact - self.target).abs() + 4.0 * f64::EPSILON * self.target.abs();
            self.found.push(Explanation {
                text: self.text(t.form, true),
                residue,
                error,
            });
        }
    }

    /// Whether a sum loses one of its terms to rounding: it would explain any literal by itself plus something tiny.
    fn absorbs(&self, form: Form) -> bool {
        match form {
            Form::Literal(_) => false,
            Form::Unary(_, i) => self.absorbs(self.at(i).form),
            Form::Binary(op, i, j) => {
                let (a, b) = (self.at(i), self.at(j));
                let lost = match op {
                    Binary::Sum | Binary::Difference => {
                        let sum = if matches!(op, Binary::Sum) {
                            (self.round)(a.value + b.value)
                        } else {
                            (self.round)(a.value - b.value)
                        };
                        sum == a.value || sum.abs() == b.value.abs()
                    }
                    Binary::Product | Binary::Quotient => false,
                };
                lost || self.absorbs(a.form) || self.absorbs(b.form)
            }
        }
    }

    fn at(&self, i: usize) -> Term {
        let n = self.literals.len();
        if i < n {
            self.literals[i]
        } else {
            self.pairs[i - n]
        }
    }

    fn residue(&self, form: Form) -> Residue {
        match form {
            Form::Literal(i) => ring::embed_f64(self.literals[i].exact),
            Form::Unary(op, i) => {
                let (r, x) = (self.residue(self.at(i).form), self.at(i).value);
                match op {
                    Unary::Negated => ring::neg(r),
                    Unary::Reciprocal => ring::inv_residue(r),
                    Unary::Square => ring::mul_residues(r, r),
                    Unary::Root => sqrt_residue(r, x),
                }
            }
            Form::Binary(op, i, j) => {
                let (r, s) = (self.residue(self.at(i).form), self.residue(self.at(j).form));
                match op {
                    Binary::Sum => ring::add(r, s),
                    Binary::Difference => ring::sub(r, s),
                    Binary::Product => ring::mul_residues(r, s),
                    Binary::Quotient => ring::mul_residues(r, ring::inv_residue(s)),
                }
            }
        }
    }

    fn text(&self, form: Form, outermost: bool) -> String {
        let inner = |i: usize| self.text(self.at(i).form, false);
        let out = match form {
            Form::Literal(i) => return format!("{:?}", self.literals[i].exact),
            Form::Unary(Unary::Negated, i) => format!("-{}", inner(i)),
            Form::Unary(Unary::Reciprocal, i) => format!("1 / {}", inner(i)),
            Form::Unary(Unary::Square, i) => format!("{}^2", inner(i)),
            Form::Unary(Unary::Root, i) => format!("sqrt {}", inner(i)),
            Form::Binary(Binary::Sum, i, j) => format!("{} + {}", inner(i), inner(j)),
            Form::Binary(Binary::Difference, i, j) => format!("{} - {}", inner(i), inner(j)),
            Form::Binary(Binary::Product, i, j) => format!("{} * {}", inner(i), inner(j)),
            Form::Binary(Binary::Quotient, i, j) => format!("{} / {}", inner(i), inner(j)),
        };
        if outermost { out } else { format!("({out})") }
    }
}

/// One rounding to the type, as the reference engine rounds the result of an op.
pub fn rounding(element: &ElementType) -> Option<fn(f64) -> f64> {
    match element {
        ElementType::F64 => Some(|x| x),
        ElementType::F32 => Some(|x| f64::from(x as f32)),
        ElementType::BF16 => Some(|x| half::bf16::from_f32(x as f32).to_f64()),
        ElementType::F16 => Some(|x| half::f16::from_f32(x as f32).to_f64()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_op_is_found_among_many_literals() {
        let mut all: Vec<f64> = (0..200).map(|i| 1.0 + f64::from(i) / 7.0).collect();
        all.push(7.5);
        let third = (1.0f32 / 7.5f32, -7.5f32);
        assert!(!explained(third.0, &all).is_empty());
        assert!(explained(third.1, &all).iter().any(|e| e.text == "-7.5"));
    }

    fn literals(all: &[f64]) -> Literals {
        let mut out = Literals::default();
        all.iter()
            .for_each(|v| out.insert(&ElementType::F32, f64::from(*v as f32)));
        out
    }

    fn explained(target: f32, all: &[f64]) -> Vec<Explanation> {
        explain(
            f64::from(target),
            &ElementType::F32,
            &literals(all),
            |_, _| true,
        )
    }

    fn embed(x: f32) -> Residue {
        ring::embed_f64(f64::from(x))
    }

    #[test]
    fn a_product_of_two_literals_takes_the_residue_of_the_exact_product() {
        let (a, b) = (0.044715f32, 0.797_884_6f32);
        let found = explained(a * b, &[f64::from(a), f64::from(b)]);
        let want = ring::mul_residues(embed(a), embed(b));
        assert!(found.iter().any(|e| e.residue == want), "{found:?}");
        assert!(found[0].error > 0.0 && found[0].error < 1e-8);
    }

    #[test]
    fn two_steps_and_three_literals() {
        // (x / 3) * 5 -> x * 1.6666666.
        let third = 1.0f32 / 3.0;
        let found = explained(third * 5.0, &[3.0, 5.0]);
        let want = ring::mul_residues(5, ring::inv_residue(3));
        assert!(found.iter().any(|e| e.residue == want), "{found:?}");
        let three = explained((0.1f32 * 0.3) * 0.7, &[0.1, 0.3, 0.7]);
        let want = [0.1f32, 0.3, 0.7]
            .iter()
            .fold(1, |p, x| ring::mul_residues(p, embed(*x)));
        assert!(three.iter().any(|e| e.residue == want), "{three:?}");
    }

    #[test]
    fn a_term_lost_to_rounding_explains_nothing() {
        let found = explained(1.6, &[1.6, f64::from(f32::MIN_POSITIVE)]);
        assert!(
            found
                .iter()
                .all(|e| !e.text.contains('+') && !e.text.contains(" - ")),
            "{found:?}"
        );
    }

    #[test]
    fn a_literal_times_and_by_another_is_no_new_number() {
        // The nearest number below 1, divided by b and multiplied by b, is rounded to 1.
        let (near, b) = (1.0 - f32::EPSILON / 2.0, 1.501_409_4f32);
        assert_eq!(near / b * b, 1.0);
        let found = explained(-1.0, &[-f64::from(near), f64::from(b), 1.0]);
        let all: Vec<Residue> = found.iter().map(|e| e.residue).collect();
        assert!(all.contains(&embed(-1.0)), "{found:?}");
        assert!(!all.contains(&embed(-near)), "{found:?}");
    }

    #[test]
    fn one_ulp_beside_is_not_explained() {
        let beside = f32::from_bits((0.044715f32 * 0.797_884_6).to_bits() + 1);
        assert_eq!(explained(beside, &[0.044715, 0.797_884_6]), []);
    }

    #[test]
    fn a_literal_of_a_wider_type_is_converted() {
        let mut wide = Literals::default();
        wide.insert(&ElementType::F32, f64::from(0.1f32));
        let narrow = half::bf16::from_f32(0.1).to_f64();
        let found = explain(narrow, &ElementType::BF16, &wide, |_, _| true);
        assert_eq!(found[0].residue, embed(0.1));
    }
}
