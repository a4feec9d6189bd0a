//! Sets of numbers: an interval of integers, or of floats with what is apart from it (both zeros, NaN).
//!
//! Proves: what an op gives for numbers of the sets lies in the set that is given here. Cannot: see how operands hang together, besides a number and itself.

use tileproof_dialect::types::{Class, ElementType};

/// Numbers that an element may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// Booleans count as 0 and 1.
    Integer {
        low: i128,
        high: i128,
    },
    Float(Floats),
    /// Complex and quantized numbers, and what is no tensor.
    Any,
}

/// Floats other than zero and NaN from `low` to `high` (none where `low` is above `high`), and those of 0, -0 and NaN that are in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floats {
    pub low: f64,
    pub high: f64,
    pub zero: bool,
    pub minus_zero: bool,
    pub nan: bool,
}

/// Whether numbers that are not zero may be rounded to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Underflow {
    Never,
    Possible,
}

/// Digits, the smallest normal number and the largest of the types whose arithmetic is followed: those with infinities.
fn format(element: &ElementType) -> Option<(i32, f64, f64)> {
    let (digits, least, most) = match element {
        ElementType::F64 => (53, -1022, 1023),
        ElementType::F32 => (24, -126, 127),
        ElementType::BF16 => (8, -126, 127),
        ElementType::F16 => (11, -14, 15),
        ElementType::F8E5M2 => (3, -14, 15),
        _ => return None,
    };
    let largest = (2.0 - 2f64.powi(1 - digits)) * 2f64.powi(most);
    Some((digits, 2f64.powi(least), largest))
}

/// Whether adding a number of `y` to one of `x` gives the latter: it is below a quarter of its last place.
pub fn absorbs(x: Floats, y: Floats, element: &ElementType) -> bool {
    let Some((digits, tiny, _)) = format(element) else {
        return false;
    };
    let (x, y_size) = (x.abs(), y.abs());
    let least = if x.has_zero() || x.low > x.high {
        0.0
    } else {
        x.low
    };
    let most = y_size.hull().1.max(0.0);
    !y.nan && least >= tiny && most < least * 2f64.powi(-digits - 2)
}

impl Floats {
    pub const ANY: Floats = Floats {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        zero: true,
        minus_zero: true,
        nan: true,
    };
    pub const NONE: Floats = Floats {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        zero: false,
        minus_zero: false,
        nan: false,
    };

    pub fn of(x: f64) -> Floats {
        let is_number = x != 0.0 && !x.is_nan();
        Floats {
            low: if is_number { x } else { f64::INFINITY },
            high: if is_number { x } else { f64::NEG_INFINITY },
            zero: x == 0.0 && x.is_sign_positive(),
            minus_zero: x == 0.0 && x.is_sign_negative(),
            nan: x.is_nan(),
        }
    }

    /// Numbers from `low` to `high`, the zeros between them.
    pub fn between(low: f64, high: f64) -> Floats {
        let has_zero = low <= 0.0 && high >= 0.0;
        Floats {
            low,
            high,
            zero: has_zero,
            minus_zero: has_zero,
            nan: false,
        }
    }

    pub fn or(self, other: Floats) -> Floats {
        Floats {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            zero: self.zero || other.zero,
            minus_zero: self.minus_zero || other.minus_zero,
            nan: self.nan || other.nan,
        }
    }

    pub fn has(self, x: f64) -> bool {
        match (x.is_nan(), x == 0.0) {
            (true, _) => self.nan,
            (_, true) if x.is_sign_negative() => self.minus_zero,
            (_, true) => self.zero,
            (_, false) => self.low <= x && x <= self.high,
        }
    }

    /// All numbers of the signs of these: what is said of other types than theirs.
    pub fn signs(self) -> Floats {
        Floats {
            low: if self.below() {
                f64::NEG_INFINITY
            } else if self.above() {
                0.0
            } else {
                f64::INFINITY
            },
            high: if self.above() {
                f64::INFINITY
            } else if self.below() {
                0.0
            } else {
                f64::NEG_INFINITY
            },
            ..self
        }
    }

    pub fn has_zero(self) -> bool {
        self.zero || self.minus_zero
    }

    /// Whether a number below zero is in.
    pub fn below(self) -> bool {
        self.low <= self.high && self.low < 0.0
    }

    pub fn above(self) -> bool {
        self.low <= self.high && self.high > 0.0
    }

    fn infinite(self) -> bool {
        self.low <= self.high && (self.low == f64::NEG_INFINITY || self.high == f64::INFINITY)
    }

    /// The ends, zeros counted.
    pub fn hull(self) -> (f64, f64) {
        match self.has_zero() {
            true => (self.low.min(0.0), self.high.max(0.0)),
            false => (self.low, self.high),
        }
    }

    pub fn negated(self) -> Floats {
        Floats {
            low: -self.high,
            high: -self.low,
            zero: self.minus_zero,
            minus_zero: self.zero,
            nan: self.nan,
        }
    }

    pub fn abs(self) -> Floats {
        let (low, high) = (self.low, self.high);
        let ends = match (self.below(), self.above()) {
            (false, false) => (f64::INFINITY, f64::NEG_INFINITY),
            (false, true) => (low.max(0.0), high),
            (true, false) => (-high.min(0.0), -low),
            (true, true) => (0.0, high.max(-low)),
        };
        Floats {
            low: ends.0,
            high: ends.1,
            zero: self.has_zero(),
            minus_zero: false,
            nan: self.nan,
        }
    }

    /// What the numbers are after rounding to `element`, in ops that may be off by some units in the last place.
    pub fn rounded(self, element: &ElementType, underflow: Underflow) -> Floats {
        let Some((digits, tiny, largest)) = format(element) else {
            return Floats::ANY;
        };
        if self.low > self.high {
            return self;
        }
        let margin = 2f64.powi(4 - digits);
        // The distance of subnormal numbers.
        let step = tiny * 2f64.powi(1 - digits);
        let out = |x: f64, up: bool| {
            if x == 0.0 {
                return x;
            }
            let grows = (x > 0.0) == up;
            let by = (x.abs() * margin).max(4.0 * step);
            let size = if grows { x.abs() + by } else { x.abs() - by };
            // The largest finite number may become infinite.
            let size = if grows && size >= largest {
                f64::INFINITY
            } else {
                size
            };
            size.max(0.0).copysign(x)
        };
        let near_zero = self.low < 4.0 * step && self.high > -4.0 * step;
        let may_vanish = near_zero && underflow == Underflow::Possible;
        Floats {
            low: out(self.low, false),
            high: out(self.high, true),
            zero: self.zero || may_vanish && self.above(),
            minus_zero: self.minus_zero || may_vanish && self.below(),
            nan: self.nan,
        }
    }

    /// A sum is -0 where both terms are, and 0 where they cancel; infinities of both signs give NaN.
    pub fn plus(self, other: Floats, element: &ElementType) -> Floats {
        if self == Floats::NONE || other == Floats::NONE {
            return Floats::NONE;
        }
        let (a, b) = (self.hull(), other.hull());
        let cancels = self.above() && other.below() || self.below() && other.above();
        let sum = |x: f64, y: f64, inf: f64| {
            let s = x + y;
            if s.is_nan() { inf } else { s }
        };
        let is_empty = a.0 > a.1 || b.0 > b.1;
        Floats {
            low: if is_empty {
                f64::INFINITY
            } else {
                sum(a.0, b.0, f64::NEG_INFINITY)
            },
            high: if is_empty {
                f64::NEG_INFINITY
            } else {
                sum(a.1, b.1, f64::INFINITY)
            },
            zero: cancels || self.has_zero() && other.has_zero() && (self.zero || other.zero),
            minus_zero: self.minus_zero && other.minus_zero,
            nan: self.nan || other.nan || cancels && self.infinite() && other.infinite(),
        }
        .rounded(element, Underflow::Never)
    }

    /// A product may underflow; zero times infinity is NaN.
    pub fn times(self, other: Floats, element: &ElementType) -> Floats {
        let nan = self.nan
            || other.nan
            || self.has_zero() && other.infinite()
            || self.infinite() && other.has_zero();
        let sign = |s: Floats| (s.above() || s.zero, s.below() || s.minus_zero);
        let (a, b) = (sign(self), sign(other));
        let has_zero = self.has_zero() || other.has_zero();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        if self.low <= self.high && other.low <= other.high {
            for x in [self.low, self.high] {
                for y in [other.low, other.high] {
                    let p = if x == 0.0 || y == 0.0 { 0.0 } else { x * y };
                    (low, high) = (low.min(p), high.max(p));
                }
            }
        }
        Floats {
            low,
            high,
            zero: has_zero && (a.0 && b.0 || a.1 && b.1),
            minus_zero: has_zero && (a.0 && b.1 || a.1 && b.0),
            nan,
        }
        .rounded(element, Underflow::Possible)
    }

    /// A number by itself.
    pub fn squared(self, element: &ElementType) -> Floats {
        self.abs().times(self.abs(), element)
    }

    /// One over the numbers.
    fn inverse(self, element: &ElementType) -> Floats {
        let numbers = match (self.below(), self.above()) {
            (false, false) => (f64::INFINITY, f64::NEG_INFINITY),
            (true, true) => (f64::NEG_INFINITY, f64::INFINITY),
            (false, true) => (1.0 / self.high, 1.0 / self.low.max(0.0)),
            (true, false) => (-1.0 / -self.high.min(-0.0), 1.0 / self.low),
        };
        let (mut low, mut high) = numbers;
        if self.zero {
            (low, high) = (low.min(f64::INFINITY), f64::INFINITY);
        }
        if self.minus_zero {
            (low, high) = (f64::NEG_INFINITY, high.max(f64::NEG_INFINITY));
        }
        Floats {
            low,
            high,
            zero: self.above() && self.high == f64::INFINITY,
            minus_zero: self.below() && self.low == f64::NEG_INFINITY,
            nan: self.nan,
        }
        .rounded(element, Underflow::Possible)
    }

    pub fn over(self, other: Floats, element: &ElementType) -> Floats {
        // Twice rounded: the inverse of a small number may be infinite where the quotient is none.
        self.times(other.inverse(&ElementType::F64), element)
    }

    /// The larger of two numbers; NaN wins, 0 is above -0.
    pub fn larger(self, other: Floats) -> Floats {
        let (a, b) = (self.hull(), other.hull());
        if a.0 > a.1 || b.0 > b.1 {
            // One side is NaN alone.
            return Floats {
                nan: self.nan || other.nan,
                ..Floats::NONE
            };
        }
        let least = a.0.max(b.0);
        Floats {
            low: self.low.min(other.low).max(least),
            high: self.high.max(other.high),
            zero: least <= 0.0 && (self.zero || other.zero),
            minus_zero: least <= 0.0 && (self.minus_zero || other.minus_zero),
            nan: self.nan || other.nan,
        }
    }

    /// The numbers from `low` to `high` alone, where a function gives no others.
    pub fn limited(self, low: f64, high: f64) -> Floats {
        Floats {
            low: self.low.max(low),
            high: self.high.min(high),
            ..self
        }
    }

    pub fn smaller(self, other: Floats) -> Floats {
        self.negated().larger(other.negated()).negated()
    }

    /// Numbers through a function that does not fall and keeps the sign of zero; others than these may become zero of their sign.
    pub fn through(self, f: impl Fn(f64) -> f64) -> Floats {
        if self.low > self.high {
            return self;
        }
        let (low, high) = (f(self.low), f(self.high));
        Floats {
            low,
            high,
            zero: self.zero || self.above() && low <= 0.0,
            minus_zero: self.minus_zero || self.below() && high >= 0.0,
            nan: self.nan,
        }
    }
}

impl Range {
    /// All numbers of a type.
    pub fn full(element: &ElementType) -> Range {
        let bits = element.bits();
        match element.class() {
            Class::Boolean => Range::Integer { low: 0, high: 1 },
            Class::Signed => Range::Integer {
                low: -(1i128 << (bits - 1)),
                high: (1i128 << (bits - 1)) - 1,
            },
            Class::Unsigned => Range::Integer {
                low: 0,
                high: (1i128 << bits) - 1,
            },
            Class::Float => Range::Float(Floats::ANY),
            Class::Complex | Class::Quantized => Range::Any,
        }
    }

    pub fn or(self, other: Range) -> Range {
        match (self, other) {
            (Range::Integer { low: a, high: b }, Range::Integer { low: c, high: d }) => {
                Range::Integer {
                    low: a.min(c),
                    high: b.max(d),
                }
            }
            (Range::Float(a), Range::Float(b)) => Range::Float(a.or(b)),
            (_, _) => Range::Any,
        }
    }

    /// As [`Range::or`], and what grew on a side grows to the end: a sequence of these ends.
    pub fn widened(self, other: Range, element: &ElementType) -> Range {
        match (self, self.or(other), Range::full(element)) {
            (
                Range::Integer { low: a, high: b },
                Range::Integer { low, high },
                Range::Integer {
                    low: min,
                    high: max,
                },
            ) => Range::Integer {
                low: if low < a { min } else { low },
                high: if high > b { max } else { high },
            },
            (Range::Float(was), Range::Float(is), _) => Range::Float(Floats {
                low: if is.low < was.low {
                    f64::NEG_INFINITY
                } else {
                    is.low
                },
                high: if is.high > was.high {
                    f64::INFINITY
                } else {
                    is.high
                },
                ..is
            }),
            (_, both, _) => both,
        }
    }

    /// The integers in both; as it is where there are none.
    pub fn within(self, from: i128, to: i128) -> Range {
        match self {
            Range::Integer { low, high } if low.max(from) <= high.min(to) => Range::Integer {
                low: low.max(from),
                high: high.min(to),
            },
            other => other,
        }
    }
}
