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
    /// The program as written, each op rounded as IEEE 754 says: addition, subtraction, multiplication, division, square root, conversions, integer
    /// ops, movement and selection keep every bit (sign of zero and subnormals too); sums, dots and convolutions may be taken in another order;
    /// functions may err by [`STRICT_FUNCTION_ULP`]. No rounded literal may be merged.
    Strict,
    /// Sums and products may be taken in another order.
    Reassociates,
    /// A function is replaced by an approximation within `max_ulp` of its type.
    Approximates { max_ulp: f64 },
    /// Values are rounded to another type on the way.
    ChangesPrecision { from: ElementType, to: ElementType },
    /// What XLA documents that its compilers may do: `verifier/src/contract/clauses.rs` lists it clause by clause.
    Xla,
    /// Nothing is known of the change: sums and products may be reassociated and literals merged; a difference in the ring decides only where both
    /// sides apply the same functions.
    Unknown,
}

/// Units in the last place that a function may err by under [`Contract::Strict`].
pub const STRICT_FUNCTION_ULP: f64 = 4.0;

impl Contract {
    /// Whether a literal may stand for an expression over literals of the other side, rounded at each step (constant folding).
    pub fn merges_literals(&self) -> bool {
        match self {
            Contract::BitExact | Contract::Strict => false,
            Contract::Reassociates
            | Contract::Approximates { .. }
            | Contract::ChangesPrecision { .. }
            | Contract::Xla
            | Contract::Unknown => true,
        }
    }

    /// Whether the rewrites say which real identities they use; else a difference in the ring may be one that the ring does not keep.
    pub fn names_its_identities(&self) -> bool {
        match self {
            Contract::BitExact
            | Contract::Strict
            | Contract::Reassociates
            | Contract::Approximates { .. }
            | Contract::ChangesPrecision { .. } => true,
            Contract::Xla | Contract::Unknown => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
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
            (c @ Contract::Unknown, _) | (_, c @ Contract::Unknown) => c,
            (c @ Contract::Xla, _) | (_, c @ Contract::Xla) => c,
            (Contract::BitExact, c) | (c, Contract::BitExact) => c,
            (Contract::Strict, c) | (c, Contract::Strict) => c,
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
