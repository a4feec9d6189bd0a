//! What a rewrite may change in the numbers. There is no default: every pass and rewrite says its contract.

use crate::types::ElementType;

/// Numerics contract of a rewrite. NaN, infinities, signed zero, subnormals and integer overflow are kept unless [`Numerics::special`] says otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Numerics {
    pub contract: Contract,
    /// Real identities the rewrite relies on that the ring cannot keep.
    pub identities: Vec<Identity>,
    /// What is not kept.
    pub special: Vec<SpecialValues>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Contract {
    /// Every bit of every result is kept (NaN payloads excepted).
    BitExact,
    /// Sums and products may be taken in another order.
    Reassociates,
    /// A function is replaced by an approximation within `max_ulp` of its type.
    Approximates { max_ulp: f64 },
    /// Values are rounded to another type on the way.
    ChangesPrecision { from: ElementType, to: ElementType },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    ExpSum,
    LogExp,
    SqrtSquare,
    Trig,
    Pow,
}

/// Special values a rewrite does not keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialValues {
    Nan,
    Infinity,
    SignedZero,
    Subnormal,
    IntegerOverflow,
}

impl Numerics {
    pub fn of(contract: Contract) -> Numerics {
        Numerics {
            contract,
            identities: vec![],
            special: vec![],
        }
    }

    pub fn bit_exact() -> Numerics {
        Numerics::of(Contract::BitExact)
    }

    /// The weaker of two contracts, with all identities and exceptions of both.
    pub fn join(self, other: Numerics) -> Numerics {
        let contract = match (self.contract, other.contract) {
            (Contract::BitExact, c) | (c, Contract::BitExact) => c,
            (Contract::Approximates { max_ulp: a }, Contract::Approximates { max_ulp: b }) => {
                Contract::Approximates { max_ulp: a + b }
            }
            (Contract::Reassociates, c) | (c, Contract::Reassociates) => c,
            (c @ Contract::ChangesPrecision { .. }, _)
            | (_, c @ Contract::ChangesPrecision { .. }) => c,
        };
        let mut out = Numerics {
            contract,
            identities: self.identities,
            special: self.special,
        };
        for i in other.identities {
            if !out.identities.contains(&i) {
                out.identities.push(i);
            }
        }
        for s in other.special {
            if !out.special.contains(&s) {
                out.special.push(s);
            }
        }
        out
    }
}
