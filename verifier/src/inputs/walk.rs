//! Special numbers, and how tensors go through them from seed to seed.

use super::Random;
use crate::contract::clauses::normal_range;
use tileproof_dialect::types::ElementType;

/// Which of the numbers that a class must hold stand at the head of a tensor. Over twice the square of a length every two elements among the heads of all
/// arguments take every pair of numbers, over twice the length each takes every number.
#[derive(Debug, Clone, Copy)]
pub struct Walk {
    pub(super) turn: u64,
    /// Place of the tensor's first element among the heads of all arguments.
    pub(super) first: usize,
    /// Few distinct numbers in class `exact`, so that many are equal.
    pub(super) few: bool,
    /// Finite numbers only in class `special`, and numbers beside the middle of narrower ones in class `boundary`.
    pub(super) finite: bool,
}

impl Walk {
    /// Primes: no less than the special floats, and no less than the numbers of any class and type.
    pub const LENGTHS: [usize; 2] = [13, 23];
    /// Most elements at the head of a tensor.
    pub(super) const HEAD: usize = 23;

    /// Of a run by its seed.
    pub fn of(seed: u64, first: usize) -> Walk {
        Walk {
            turn: seed / 2,
            first,
            few: seed.is_multiple_of(3),
            finite: seed.is_multiple_of(2),
        }
    }

    /// From a start drawn at random on.
    pub fn drawn(random: &mut Random) -> Walk {
        Walk {
            turn: random.bits() % Walk::LENGTHS[0] as u64,
            first: 0,
            few: false,
            finite: random.bits() & 1 == 0,
        }
    }

    /// Numbers that class `special` must hold.
    pub(super) fn special(self, element: &ElementType) -> Vec<f64> {
        if self.finite {
            extreme(element)
        } else {
            special(element)
        }
    }

    /// Puts `all` at the head of `values`.
    pub(super) fn put<T: Copy>(self, values: &mut [T], all: &[T]) {
        if all.is_empty() {
            return;
        }
        let fits = Walk::LENGTHS.into_iter().find(|n| *n >= all.len());
        let length = fits.unwrap_or(Walk::HEAD);
        let turn = self.turn as usize;
        let (start, step) = (turn % length, (turn / length + 1) % length);
        for (i, v) in values.iter_mut().take(Walk::HEAD).enumerate() {
            let place = (start + step * (self.first + i)) % length;
            *v = all[place % all.len()];
        }
    }
}

/// Most elements of a tensor of which every fourth is special.
const DENSE: usize = 64;

/// Puts special numbers among ordinary ones: every fourth of a small tensor, which begins with them; of a large one about as many as the square root of its
/// size, all over it, so that most sums and products along a dimension meet few of them: one NaN hides the rest.
pub(super) fn sprinkle(values: &mut [f64], all: &[f64], walk: Walk, random: &mut Random) {
    let sparse = (values.len() as f64 / DENSE as f64).sqrt().max(1.0);
    let every = (4.0 * sparse) as u64;
    for v in values.iter_mut() {
        if random.bits().is_multiple_of(every) {
            *v = all[random.bits() as usize % all.len()];
        }
    }
    if values.len() <= DENSE {
        walk.put(values, all);
        return;
    }
    for one in all {
        let at = random.bits() as usize % values.len();
        values[at] = *one;
    }
}

/// Numbers at the ends of the range of a float type: largest and smallest; squares and exponentials that overflow or vanish; where 1 + x loses most of x; what
/// overflows when doubled. All are finite.
pub(super) fn extreme(element: &ElementType) -> Vec<f64> {
    let (low, high) = normal_range(element);
    let unit = tileproof_dialect::bound::unit_roundoff(element);
    vec![
        high,
        -0.0,
        low,
        -high,
        1.1 * high.sqrt(),
        0.0,
        0.75 * high,
        1.02 * high.ln(),
        -1.0,
        -1.2 * high.ln(),
        0.5 * low.sqrt(),
        unit.sqrt() / 8.0,
        1.0,
    ]
}

/// NaN, infinities and zeros among moderate numbers; 0.5, 1.5 and 2.5 are ties of rounding to integers, the last ones lie below a half, and are odd with no
/// room for a half.
pub(super) fn special(element: &ElementType) -> Vec<f64> {
    let unit = tileproof_dialect::bound::unit_roundoff(element);
    vec![
        f64::NAN,
        f64::INFINITY,
        -0.0,
        f64::NEG_INFINITY,
        0.0,
        -1.0,
        0.5,
        2.5,
        1.0,
        -1.5,
        -f64::NAN,
        0.5 - unit / 2.0,
        0.5 / unit + 1.0,
    ]
}
