//! Bounds that are wide for a reason which leaves the element decided all the same.
//!
//! A single sum: its worst-case bound grows with the number n of terms, as if every rounding erred to the same side; errors of
//! independent signs stay below 8 sqrt(n) u sum|terms| but for one element in 10^13 (Higham and Mary, "A New Approach to Probabilistic Rounding Error
//! Analysis", SISC 41(5), 2019: probability 2 exp(-8^2 / 2)). An element that lies within that, where that is narrow, is decided. One that lies outside
//! decides nothing: roundings may be biased. Where the terms are at hand, what they add up to on the way says more ([`sums`]).
//!
//! A sum whose terms cancel has a bound as wide as its value; where the bound is narrow beside the mean size of a term, as it is for few terms, a term that is
//! dropped, doubled or wrong shows, and the sum is decided.
//!
//! A number near the smallest normal one, where XLA may take subnormal numbers for zero: whatever lies there is right.

use super::kernel::is_constant;
use crate::{
    compare::sums::{self, LAMBDA},
    isolate::extract,
};
use tileproof_dialect::{
    bound::{Bound, unit_roundoff},
    hlo,
    op::Op,
    program::{Operation, Program, ValueDef},
    tensor::{Tensor, Value},
    types::ElementType,
};

/// The probabilistic bound of the only op of `flat` as a share of its worst-case bound. None: the op is no sum, or not the only one.
pub(super) fn share(flat: &Program) -> Option<f64> {
    Some((LAMBDA / terms_of(flat)?.sqrt()).min(1.0))
}

/// Terms of each sum of the only op of `flat`. None: the op is no sum, or not the only one.
pub(super) fn terms_of(flat: &Program) -> Option<f64> {
    let ops = extract::ops_of(flat, flat.main().body);
    let mut computing = ops.into_iter().filter(|id| !is_constant(flat, *id));
    let id = computing.next()?;
    if computing.next().is_some() {
        return None;
    }
    terms(flat, flat.op(id))
}

/// How far apart the only op of `flat`, a sum of an argument, may be on the two sides in all likelihood, by element. None: it is another op.
pub(super) fn of_partial_sums(flat: &Program, inputs: &[Value]) -> Option<Vec<f64>> {
    let ops = extract::ops_of(flat, flat.main().body);
    let mut computing = ops.into_iter().filter(|id| !is_constant(flat, *id));
    let o = flat.op(computing.next()?);
    let Op::Hlo(hlo::Op::Reduce(reduce)) = &o.op else {
        return None;
    };
    let [terms, init] = o.operands[..] else {
        return None;
    };
    if computing.next().is_some() || !adds(flat, o) {
        return None;
    }
    let arguments = &flat.region(flat.main().body).arguments;
    let argument = |v| {
        let i = arguments.iter().position(|a| *a == v)?;
        inputs.get(i)?.as_tensor().cloned()
    };
    let start = match flat.value(init).def {
        ValueDef::Result { op, .. } => match &flat.op(op).op {
            Op::Hlo(hlo::Op::Constant(c)) => c.value.splat_value(),
            Op::Hlo(_) => None,
        },
        ValueDef::Argument { .. } => argument(init),
    };
    let terms = argument(terms).filter(|t| t.element().is_float())?;
    let all = sums::likely(&terms, &reduce.dimensions, *start?.to_f64s().first()?);
    // Both sides add up.
    Some(all.into_iter().map(|x| 2.0 * x.bound).collect())
}

/// Whether the only op of `flat` is a Fourier transform.
pub(super) fn is_transform(flat: &Program) -> bool {
    let ops = extract::ops_of(flat, flat.main().body);
    let mut computing = ops.into_iter().filter(|id| !is_constant(flat, *id));
    let first = computing.next().map(|id| &flat.op(id).op);
    matches!(first, Some(Op::Hlo(hlo::Op::Fft(_)))) && computing.next().is_none()
}

/// Terms of each sum that the op computes.
fn terms(program: &Program, o: &Operation) -> Option<f64> {
    let dims = |i: usize| {
        let v = o.operands.get(i)?;
        program.ty(*v).as_tensor()?.static_dims()
    };
    let Op::Hlo(inner) = &o.op;
    let n: u64 = match inner {
        hlo::Op::DotGeneral(d) => {
            let dims = dims(0)?;
            let of = |d: &i64| dims.get(*d as usize).copied();
            d.lhs_contracting_dimensions
                .iter()
                .map(of)
                .product::<Option<u64>>()?
        }
        hlo::Op::Convolution(c) => {
            let dims = dims(1)?;
            let features = *dims.get(c.kernel_output_feature_dimension as usize)?;
            dims.iter().product::<u64>() / features.max(1)
        }
        hlo::Op::Reduce(r) if adds(program, o) => {
            let dims = dims(0)?;
            let of = |d: &i64| dims.get(*d as usize).copied();
            r.dimensions.iter().map(of).product::<Option<u64>>()?
        }
        hlo::Op::ReduceWindow(w) if adds(program, o) => {
            w.window_dimensions.iter().product::<i64>() as u64
        }
        _ => return None,
    };
    Some(n.max(1) as f64)
}

/// Whether the body of the op is an addition and no more.
fn adds(program: &Program, o: &Operation) -> bool {
    let [body] = o.regions[..] else { return false };
    let ops = extract::ops_of(program, body);
    matches!(&ops[..], [only] if matches!(&program.op(*only).op, Op::Hlo(hlo::Op::Add(_))))
}

/// What keeps a wide bound from leaving an element open.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Excuse {
    /// Probabilistic bound as a share of the worst-case one.
    pub share: Option<f64>,
    /// And as it follows from partial sums.
    pub sums: Option<Vec<f64>>,
    /// Terms of the sum.
    pub terms: Option<f64>,
    /// Numbers up to so many times the smallest normal one are as good as zero.
    pub negligible: f64,
}

/// Times the smallest normal number: a bound that holds flushed arguments and a flushed result is a few of them.
pub(super) const NEGLIGIBLE: f64 = 128.0;

/// Whether all but 1 % of the elements are decided with the excuse.
pub(super) fn decides(want: &Tensor, bound: &Bound, got: &Tensor, excuse: &Excuse) -> bool {
    if !want.element().is_float() || want.len() != got.len() {
        return false;
    }
    let smallest = match want.element() {
        ElementType::F64 => f64::MIN_POSITIVE,
        // Narrower types are computed in f32.
        _ => f64::from(f32::MIN_POSITIVE),
    };
    let floor = excuse.negligible * smallest;
    let (w, g) = (want.to_f64s(), got.to_f64s());
    let unit = unit_roundoff(want.element());
    // Of a bound n u sum|terms|, 1/16 of the mean term or less.
    let shows = |n: f64, share: f64| 16.0 * n * n * unit * share <= 1.0;
    let open = (0..want.len()).filter(|at| {
        let (w, g, worst) = (w[*at], g[*at], bound.at(*at));
        let sum = excuse.sums.as_ref().and_then(|all| all.get(*at));
        let (magnitude, apart) = (w.abs().max(floor), (w - g).abs());
        let by = |bound: f64| bound <= magnitude / 16.0 && apart <= bound;
        let equal = w == g || (w.is_nan() && g.is_nan());
        let by_terms = |share: f64| {
            let each = excuse.terms.is_some_and(|n| shows(n, share));
            each && worst.is_finite() && apart <= share * worst
        };
        !equal
            && !by(worst)
            && !by_terms(1.0)
            && !excuse.share.is_some_and(by_terms)
            && !excuse.share.is_some_and(|share| by(share * worst))
            && !sum.is_some_and(|sum| by(sum.min(worst)))
    });
    open.count() as f64 <= want.len() as f64 * 0.01
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::import::hlo_text;

    fn program(body: &str) -> Program {
        let text = format!(
            "HloModule m\nsum {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}}\nENTRY e {{\n x = f32[4,1024]{{1,0}} parameter(0)\n y = f32[1024,8]{{1,0}} parameter(1)\n z = f32[] constant(0)\n{body}\n}}"
        );
        hlo_text::parse(&text, "t").unwrap()
    }

    #[test]
    fn the_share_follows_the_number_of_terms_of_a_single_sum() {
        let dot =
            "ROOT r = f32[4,8]{1,0} dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
        assert_eq!(share(&program(dot)), Some(0.25));
        let reduce = "ROOT r = f32[4]{0} reduce(x, z), dimensions={1}, to_apply=sum";
        assert_eq!(share(&program(reduce)), Some(0.25));
        let few = "ROOT r = f32[1024]{0} reduce(x, z), dimensions={0}, to_apply=sum";
        assert_eq!(share(&program(few)), Some(1.0));
        let two = "n = f32[4,1024]{1,0} negate(x)\nROOT r = f32[4]{0} reduce(n, z), dimensions={1}, to_apply=sum";
        assert_eq!(
            (
                share(&program(two)),
                share(&program("ROOT r = f32[4,1024]{1,0} negate(x)"))
            ),
            (None, None)
        );
    }

    #[test]
    fn an_element_outside_the_likely_bound_or_with_a_wide_one_is_open() {
        let t = |x: &[f32]| Tensor::from_slice(&[x.len() as u64], ElementType::F32, x);
        let bound = Bound::absolute(vec![0.5, 0.5]);
        let want = t(&[4.0, 4.0]);
        let excuse = Excuse {
            share: Some(0.25),
            sums: None,
            terms: None,
            negligible: 0.0,
        };
        assert!(decides(&want, &bound, &t(&[4.1, 4.0]), &excuse));
        // Beyond a quarter of the bound; and within it where it is more than 1/16 of the value.
        assert!(!decides(&want, &bound, &t(&[4.2, 4.0]), &excuse));
        assert!(!decides(&t(&[1.0, 4.0]), &bound, &t(&[1.1, 4.0]), &excuse));
    }

    #[test]
    fn a_sum_whose_terms_cancel_is_decided_by_its_partial_sums() {
        let flat = program("ROOT r = f32[4]{0} reduce(x, z), dimensions={1}, to_apply=sum");
        let values: Vec<f32> = (0..4096)
            .map(|i| if i % 2 == 0 { 1.0 } else { -0.75 })
            .collect();
        let x = Tensor::from_slice(&[4, 1024], ElementType::F32, &values);
        let sums = of_partial_sums(&flat, &[x.into()]).unwrap();
        let u = 2f64.powi(-24);
        // Between 0 and 128.75 on the way.
        assert!(
            sums.iter().all(|s| *s == 2.0 * 8.0 * u * 32.0 * 128.75),
            "{sums:?}"
        );
    }

    #[test]
    fn a_sum_of_few_terms_that_cancel_is_decided() {
        let t = |x: &[f32]| Tensor::from_slice(&[x.len() as u64], ElementType::F32, x);
        let bound = Bound::absolute(vec![1e-6]);
        let excuse = |terms| Excuse {
            share: None,
            sums: None,
            terms: Some(terms),
            negligible: 0.0,
        };
        let want = t(&[1e-7]);
        assert!(decides(&want, &bound, &t(&[-5e-7]), &excuse(12.0)));
        assert!(!decides(&want, &bound, &t(&[-5e-6]), &excuse(12.0)));
        assert!(!decides(&want, &bound, &t(&[-5e-7]), &excuse(5000.0)));
    }

    #[test]
    fn numbers_that_xla_may_take_for_zero_are_decided() {
        let t = |x: &[f32]| Tensor::from_slice(&[x.len() as u64], ElementType::F32, x);
        let bound = Bound::absolute(vec![2.0 * f64::from(f32::MIN_POSITIVE)]);
        let excuse = |negligible| Excuse {
            share: None,
            sums: None,
            terms: None,
            negligible,
        };
        let (want, got) = (t(&[1e-39]), t(&[0.0]));
        assert!(decides(&want, &bound, &got, &excuse(NEGLIGIBLE)));
        assert!(!decides(&want, &bound, &got, &excuse(0.0)));
        assert!(!decides(&want, &bound, &t(&[1e-37]), &excuse(NEGLIGIBLE)));
    }
}
