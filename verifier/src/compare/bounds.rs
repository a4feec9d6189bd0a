//! Comparison within derived error bounds. Proves that two roundings of one real computation are both within theirs; says nothing where the bound is
//! wide, and counts that.

use crate::verdict::Ieee;
use tileproof_dialect::{
    bound::{Bound, subnormal_roundoff, unit_roundoff},
    tensor::Tensor,
    types::ElementType,
};

/// Outcome of one comparison with its counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounded {
    pub ieee: Ieee,
    /// First element outside, linear index.
    pub outside: Option<usize>,
    /// First element outside that is finite on both sides.
    pub outside_finite: Option<usize>,
    pub undetermined: u64,
    /// Elements whose bound exceeds 1/16 of their magnitude.
    pub wide: u64,
    /// Of these, where the others decide the tensor: elements whose terms cancel, with a bound below 1/16 of the tensor's root mean square.
    pub cancelled: u64,
    /// Elements with a wide bound that are zero over the reals on both sides, as their residues say: each is the rounding of terms that cancel.
    pub zeros: u64,
    pub total: u64,
    /// First element that `got`'s own bound alone excuses: far off beside what `want` may be off.
    pub worse: Option<usize>,
    /// Elements that hang on a choice between operands closer than their bounds.
    pub ties: Option<Vec<bool>>,
}

impl Bounded {
    /// Nothing is known.
    pub fn loose(why: String) -> Bounded {
        Bounded {
            ieee: Ieee::Loose(why),
            outside: None,
            outside_finite: None,
            undetermined: 0,
            wide: 0,
            cancelled: 0,
            zeros: 0,
            total: 0,
            worse: None,
            ties: None,
        }
    }
}

/// `got` is worse where it is off by this many times the bound of `want`, and this many roundings of the type more.
const WORSE: (f64, f64) = (64.0, 1024.0);

/// Share of elements that may cancel in a tensor the others decide.
const MOST_CANCELLED: f64 = 0.25;

/// Compares `want` and `got`, each off from the real value by at most its bound. Bounds that hang on more than 1 % undetermined or wide elements
/// are loose. A sum whose terms cancel has a bound as wide as its value, which says nothing of the value and all of the rounding: where at most a quarter of
/// the elements are so and their bounds are narrow beside the root mean square of the tensor, they are decided with it.
pub fn compare(want: &Tensor, want_bound: &Bound, got: &Tensor, got_bound: &Bound) -> Bounded {
    let (w, g) = (distances(want), distances(got));
    let mut out = Bounded {
        ieee: Ieee::Within,
        outside: None,
        outside_finite: None,
        undetermined: 0,
        wide: 0,
        cancelled: 0,
        zeros: 0,
        total: want.len() as u64,
        worse: None,
        ties: None,
    };
    let mut wide: Vec<f64> = vec![];
    let part = want.element().complex_part();
    let element = part.as_ref().unwrap_or(want.element());
    let (unit, tiny) = (unit_roundoff(element), subnormal_roundoff(element));
    let rings = want.ring().zip(got.ring());
    let is_zero = |i: usize| {
        part.is_none() && rings.is_some_and(|(w, g)| w.get(i) == Some(&0) && g.get(i) == Some(&0))
    };
    for i in 0..want.len() {
        let bound = want_bound.at(i) + got_bound.at(i);
        // Zeros of other sign are as near as can be; their signs are looked at apart.
        let equal = w.bits(i) == g.bits(i) || (w.is_nan(i) && g.is_nan(i));
        if equal || w.distance(&g, i) == 0.0 {
            continue;
        }
        if bound.is_infinite() || bound.is_nan() {
            out.undetermined += 1;
            continue;
        }
        let distance = w.distance(&g, i);
        let most = WORSE.0 * want_bound.at(i) + WORSE.1 * (unit * w.magnitude(i) + tiny);
        if distance > most && distance.is_finite() {
            out.worse.get_or_insert(i);
        }
        if distance <= bound {
            if bound > w.magnitude(i) / 16.0 && is_zero(i) {
                out.zeros += 1;
            } else if bound > w.magnitude(i) / 16.0 {
                out.wide += 1;
                wide.push(bound);
            }
        } else {
            out.outside.get_or_insert(i);
            if distance.is_finite() {
                out.outside_finite.get_or_insert(i);
            }
        }
    }
    let above = |n: usize, share: f64| n as f64 > out.total as f64 * share;
    if above(wide.len(), 0.01) && !above(wide.len(), MOST_CANCELLED) {
        let scale = w.root_mean_square() / 16.0;
        let narrow = wide.iter().filter(|bound| **bound <= scale).count();
        if !above(wide.len() - narrow, 0.01) {
            out.cancelled = narrow as u64;
        }
    }
    let share = |n: u64| above(n as usize, 0.01);
    out.ieee = if out.outside.is_some() {
        Ieee::Outside
    } else if share(out.undetermined) {
        Ieee::Loose(format!(
            "undetermined {} of {}",
            out.undetermined, out.total
        ))
    } else if share(out.wide - out.cancelled) {
        Ieee::Loose(format!(
            "bound above 1/16 of the value on {} of {}",
            out.wide, out.total
        ))
    } else {
        Ieee::Within
    };
    out
}

/// Whether two tensors of one float type agree in half of the digits of the type, element by element.
pub fn agree_in_half(want: &Tensor, got: &Tensor) -> bool {
    let part = want.element().complex_part();
    let unit = unit_roundoff(part.as_ref().unwrap_or(want.element()));
    let (w, g) = (distances(want), distances(got));
    want.element() == got.element()
        && want.len() == got.len()
        && (0..want.len()).all(|i| {
            w.bits(i) == g.bits(i)
                || (w.is_nan(i) && g.is_nan(i))
                || w.distance(&g, i) <= unit.sqrt() * w.magnitude(i).max(g.magnitude(i))
        })
}

/// Elements as pairs of f64, for any type.
struct Elements {
    re: Vec<f64>,
    im: Option<Vec<f64>>,
}

fn distances(t: &Tensor) -> Elements {
    match t.element() {
        ElementType::C64 => {
            let (re, im) = t
                .as_slice::<[f32; 2]>()
                .iter()
                .map(|z| (f64::from(z[0]), f64::from(z[1])))
                .unzip();
            Elements { re, im: Some(im) }
        }
        ElementType::C128 => {
            let (re, im) = t
                .as_slice::<[f64; 2]>()
                .iter()
                .map(|z| (z[0], z[1]))
                .unzip();
            Elements { re, im: Some(im) }
        }
        _ => Elements {
            re: t.to_f64s().into_owned(),
            im: None,
        },
    }
}

impl Elements {
    fn bits(&self, i: usize) -> (u64, u64) {
        (
            self.re[i].to_bits(),
            self.im.as_ref().map_or(0, |im| im[i].to_bits()),
        )
    }

    /// Of the finite elements.
    fn root_mean_square(&self) -> f64 {
        let all = (0..self.re.len()).map(|i| self.magnitude(i));
        let squares = all.filter(|x| x.is_finite()).map(|x| x * x);
        let (sum, n) = squares.fold((0.0, 0u64), |(sum, n), x| (sum + x, n + 1));
        (sum / n.max(1) as f64).sqrt()
    }

    fn is_nan(&self, i: usize) -> bool {
        self.re[i].is_nan() || self.im.as_ref().is_some_and(|im| im[i].is_nan())
    }

    fn magnitude(&self, i: usize) -> f64 {
        self.im
            .as_ref()
            .map_or(self.re[i].abs(), |im| self.re[i].hypot(im[i]))
    }

    /// Infinity unless both are finite.
    fn distance(&self, other: &Elements, i: usize) -> f64 {
        let d = match (&self.im, &other.im) {
            (Some(a), Some(b)) => (self.re[i] - other.re[i]).hypot(a[i] - b[i]),
            (_, _) => (self.re[i] - other.re[i]).abs(),
        };
        if d.is_nan() { f64::INFINITY } else { d }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::buffer::Buffer;

    fn tensor(v: &[f32]) -> Tensor {
        Tensor::from_slice(&[v.len() as u64], ElementType::F32, v)
    }

    #[test]
    fn elements_that_cancel_are_decided_with_their_tensor() {
        let mut values = vec![1.0f32; 32];
        let mut want = values.clone();
        let bound = Bound::absolute(vec![1e-4; 32]);
        let ieee =
            |w: &[f32], g: &[f32], b: &Bound| compare(&tensor(w), b, &tensor(g), &Bound::Exact);
        (want[3], values[3]) = (1e-5, 2e-5);
        let found = ieee(&want, &values, &bound);
        assert_eq!(
            (found.ieee, found.wide, found.cancelled),
            (Ieee::Within, 1, 1)
        );
        // Beyond the bound; a bound wide beside the tensor; most elements cancel.
        assert_eq!(
            ieee(
                &want,
                &[&values[..3], &[2e-3], &values[4..]].concat(),
                &bound
            )
            .ieee,
            Ieee::Outside
        );
        let wide = Bound::absolute(vec![0.1; 32]);
        assert!(matches!(ieee(&want, &values, &wide).ieee, Ieee::Loose(_)));
        for i in 0..9 {
            (want[i], values[i]) = (1e-5, 2e-5);
        }
        assert!(matches!(ieee(&want, &values, &bound).ieee, Ieee::Loose(_)));
    }

    #[test]
    fn just_inside_and_just_outside() {
        let e = f64::from(f32::EPSILON);
        let (w, g) = (tensor(&[1.0]), tensor(&[1.0 + f32::EPSILON]));
        assert_eq!(
            compare(&w, &Bound::Exact, &g, &Bound::absolute(vec![e])).ieee,
            Ieee::Within
        );
        assert_eq!(
            compare(&w, &Bound::Exact, &g, &Bound::absolute(vec![e * 0.99])).ieee,
            Ieee::Outside
        );
        assert_eq!(
            compare(&w, &Bound::Exact, &g, &Bound::undetermined(1)).ieee,
            Ieee::Loose("undetermined 1 of 1".into())
        );
    }

    #[test]
    fn a_wide_bound_of_one_side_does_not_hide_that_it_is_worse() {
        let (w, g) = (tensor(&[1.0]), tensor(&[1.001]));
        let (narrow, wide) = (Bound::absolute(vec![1e-7]), Bound::absolute(vec![0.01]));
        assert_eq!(compare(&w, &narrow, &g, &wide).worse, Some(0));
        assert_eq!(compare(&w, &wide, &g, &narrow).worse, None);
    }

    #[test]
    fn what_is_zero_over_the_reals_is_decided_by_its_own_bound() {
        let ring = |t: Tensor, r: &[u32]| t.with_ring(Some(Buffer::from_slice(r)));
        let bound = Bound::absolute(vec![1e-6; 2]);
        let (w, g) = (tensor(&[1e-7, 2e-7]), tensor(&[-3e-7, 2e-7]));
        let zero = compare(
            &ring(w.clone(), &[0, 0]),
            &bound,
            &ring(g.clone(), &[0, 0]),
            &Bound::Exact,
        );
        assert_eq!((zero.ieee, zero.zeros), (Ieee::Within, 1));
        let other = compare(&ring(w, &[5, 0]), &bound, &ring(g, &[5, 0]), &Bound::Exact);
        assert!(matches!(other.ieee, Ieee::Loose(_)));
    }

    #[test]
    fn half_of_the_digits() {
        let near = tensor(&[1.0 + 2f32.powi(-13), f32::NAN, 0.0]);
        assert!(agree_in_half(&tensor(&[1.0, f32::NAN, 0.0]), &near));
        assert!(!agree_in_half(&tensor(&[1.0, f32::NAN, 1e-9]), &near));
        let far = tensor(&[1.0 + 2f32.powi(-11)]);
        assert!(!agree_in_half(&tensor(&[1.0]), &far));
    }

    #[test]
    fn an_infinity_or_nan_on_one_side_is_outside_any_finite_bound() {
        let (w, bound) = (tensor(&[1.0]), Bound::absolute(vec![1e30]));
        assert_eq!(
            compare(&w, &bound, &tensor(&[f32::INFINITY]), &bound).ieee,
            Ieee::Outside
        );
        assert_eq!(
            compare(&w, &bound, &tensor(&[f32::NAN]), &bound).ieee,
            Ieee::Outside
        );
    }
}
