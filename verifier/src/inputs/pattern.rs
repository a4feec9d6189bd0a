//! Tensors of class `pattern`: what a reduction, a sort or a choice hangs on is one element, or one slice, of few or of the same sign.

use super::{Random, limits, roles::Role, within};
use crate::contract::clauses::normal_range;
use tileproof_dialect::{tensor::Tensor, types::Class as Arithmetic};

/// How the elements are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Negative,
    Positive,
    /// Much smaller than 1.
    Small,
    /// A slice larger (or smaller) than all others, which are of the other sign.
    StandsOut {
        high: bool,
        at: At,
    },
    /// Ordinary numbers, and one NaN among those of every third argument from this one: a NaN in one factor alone shows where it goes.
    OneNan(usize),
    /// The same number all over.
    Alike(Number),
    /// Numbers of two kinds.
    TwoOf(Number, Number),
}

/// Where a slice lies along a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    First,
    Last,
    /// After a lane of 128, or in the middle of a shorter dimension.
    Middle,
    Anywhere,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Lowest,
    Highest,
    MinusInfinity,
    Infinity,
    MinusOne,
    One,
    Zero,
}

/// In the order of the seeds, the most telling ones first.
const LAYOUTS: [Layout; 23] = [
    Layout::StandsOut {
        high: true,
        at: At::Last,
    },
    Layout::StandsOut {
        high: false,
        at: At::Last,
    },
    Layout::Negative,
    Layout::OneNan(0),
    Layout::StandsOut {
        high: true,
        at: At::First,
    },
    Layout::StandsOut {
        high: false,
        at: At::First,
    },
    Layout::Positive,
    Layout::Small,
    Layout::TwoOf(Number::MinusOne, Number::One),
    Layout::StandsOut {
        high: true,
        at: At::Middle,
    },
    Layout::StandsOut {
        high: false,
        at: At::Middle,
    },
    Layout::Alike(Number::MinusInfinity),
    Layout::Alike(Number::Lowest),
    Layout::Alike(Number::Highest),
    Layout::Alike(Number::Infinity),
    Layout::StandsOut {
        high: true,
        at: At::Anywhere,
    },
    Layout::StandsOut {
        high: false,
        at: At::Anywhere,
    },
    Layout::Alike(Number::One),
    Layout::Alike(Number::Zero),
    Layout::TwoOf(Number::Lowest, Number::Highest),
    Layout::TwoOf(Number::Zero, Number::One),
    Layout::OneNan(1),
    Layout::OneNan(2),
];

/// Seeds after which every layout was met.
pub const SEEDS: u64 = LAYOUTS.len() as u64;

/// Lays out the sizes of the numbers of `plain`, argument number `argument`. One bit alone is a choice of the program: every layout meets both.
pub fn drawn(
    plain: Tensor,
    seed: u64,
    argument: usize,
    role: &Role,
    random: &mut Random,
) -> Tensor {
    let number = seed.wrapping_sub(1);
    let layout = LAYOUTS[(number % SEEDS) as usize];
    let (dims, element) = (plain.dims().to_vec(), plain.element().clone());
    if dims.is_empty() && element.class() == Arithmetic::Boolean {
        let choice = (number % SEEDS + number / SEEDS) & 1;
        return Tensor::from_i64s(&dims, &element, &[choice as i64]);
    }
    // Another time round, others go together.
    let apart = 3 + (number / SEEDS % 2) as usize * 2;
    let out = standing_out(&dims, layout, random);
    match element.class() {
        Arithmetic::Float => {
            let (_, highest) = normal_range(&element);
            let number = |n: Number| match n {
                Number::Lowest => -highest,
                Number::Highest => highest,
                Number::MinusInfinity => f64::NEG_INFINITY,
                Number::Infinity => f64::INFINITY,
                Number::MinusOne => -1.0,
                Number::One => 1.0,
                Number::Zero => 0.0,
            };
            let values = plain.to_f64s();
            let nan = random.bits() as usize % values.len().max(1);
            let values: Vec<f64> = values
                .iter()
                .enumerate()
                .map(|(i, v)| {
                    let v = match layout {
                        Layout::Negative => -v.abs(),
                        Layout::Positive => v.abs(),
                        Layout::Small => v / 64.0,
                        Layout::StandsOut { high, .. } if high == out(i) => 1.0 + v.abs(),
                        Layout::StandsOut { .. } => -1.0 - v.abs(),
                        Layout::OneNan(first) if i == nan && argument % apart == first => f64::NAN,
                        Layout::OneNan(_) => *v,
                        Layout::Alike(n) => number(n),
                        Layout::TwoOf(a, b) => number(if v < &0.0 { a } else { b }),
                    };
                    within(role.domain, v)
                })
                .collect();
            Tensor::from_f64s(&dims, &element, &values)
        }
        Arithmetic::Signed | Arithmetic::Unsigned | Arithmetic::Quantized | Arithmetic::Boolean => {
            let (mut low, mut high) = limits(&element);
            if let Some(n) = role.index_below {
                (low, high) = (0, (n as i64 - 1).clamp(0, high));
            }
            let inside = |v: i64| v.clamp(low, high);
            // Unsigned numbers stand out above 8, signed ones above 0.
            let (below, above) = if low < 0 { (-9, 1) } else { (0, high.min(9)) };
            let number = |n: Number| match n {
                Number::Lowest | Number::MinusInfinity => low,
                Number::Highest | Number::Infinity => high,
                Number::MinusOne => inside(-1),
                Number::One => inside(1),
                Number::Zero => 0,
            };
            let narrow = high.saturating_sub(low) < 16 || element.class() == Arithmetic::Boolean;
            let values = plain.to_i64s();
            let values: Vec<i64> = values
                .iter()
                .enumerate()
                .map(|(i, v)| {
                    let size = v.rem_euclid(8);
                    match layout {
                        Layout::StandsOut { high: up, .. } if narrow => {
                            if up == out(i) {
                                high
                            } else {
                                low
                            }
                        }
                        Layout::Negative => inside(-1 - size),
                        Layout::Positive => inside(1 + size),
                        Layout::Small | Layout::OneNan(_) => inside(size - 4),
                        Layout::StandsOut { high, .. } if high == out(i) => inside(above + size),
                        Layout::StandsOut { .. } => inside(below + size),
                        Layout::Alike(n) => number(n),
                        Layout::TwoOf(a, b) => number(if random_half(i, seed) { a } else { b }),
                    }
                })
                .collect();
            Tensor::from_i64s(&dims, &element, &values)
        }
        Arithmetic::Complex => plain,
    }
}

/// Whether an element takes the first of two numbers.
fn random_half(i: usize, seed: u64) -> bool {
    tileproof_dialect::planes::ring::mix(seed ^ (i as u64) << 8) & 1 == 0
}

/// Whether an element, by its linear index, lies in the slice that stands out: along one dimension of the tensor, all of the others.
fn standing_out(
    dims: &[u64],
    layout: Layout,
    random: &mut Random,
) -> impl Fn(usize) -> bool + use<> {
    let drawn = random.bits();
    let d = (drawn as usize) % dims.len().max(1);
    let size = dims.get(d).copied().unwrap_or(1).max(1) as usize;
    let stride: usize = dims.iter().skip(d + 1).map(|n| *n as usize).product();
    let place = match layout {
        Layout::StandsOut { at, .. } => match at {
            At::First => 0,
            At::Last => size - 1,
            At::Middle if size > 128 => 128,
            At::Middle => size / 2,
            At::Anywhere => (drawn >> 32) as usize % size,
        },
        Layout::Negative
        | Layout::Positive
        | Layout::Small
        | Layout::OneNan(_)
        | Layout::Alike(_)
        | Layout::TwoOf(..) => 0,
    };
    move |i| i / stride.max(1) % size == place
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::types::ElementType;

    #[test]
    fn one_element_decides_a_maximum_at_either_end() {
        let plain = |element: &ElementType| {
            Tensor::from_i64s(
                &[100],
                element,
                &(0..100).map(|i| i % 5).collect::<Vec<_>>(),
            )
        };
        for element in [
            ElementType::F32,
            ElementType::I8,
            ElementType::U8,
            ElementType::I1,
        ] {
            let mut largest = vec![];
            for seed in 1..=SEEDS {
                let t = drawn(
                    plain(&element),
                    seed,
                    0,
                    &Role::default(),
                    &mut Random::new(seed, 1),
                );
                let v = t.to_f64s();
                let max = v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let at: Vec<usize> = (0..100).filter(|i| v[*i] == max).collect();
                if let [one] = at[..] {
                    largest.push(one);
                }
            }
            assert!(
                largest.contains(&0) && largest.contains(&99) && largest.contains(&50),
                "{element} {largest:?}"
            );
        }
    }
    #[test]
    fn every_argument_alone_has_a_nan() {
        let has = |seed, argument| {
            let plain = Tensor::from_f64s(&[9], &ElementType::F32, &[1.0; 9]);
            let mut random = Random::new(seed, argument as u64);
            let t = drawn(plain, seed, argument, &Role::default(), &mut random);
            t.to_f64s().iter().any(|v| v.is_nan())
        };
        for argument in 0..3 {
            let alone = |seed: &u64| (0..3).all(|i| has(*seed, i) == (i == argument));
            assert!((1..=SEEDS).any(|seed| alone(&seed)), "{argument}");
        }
    }
}
