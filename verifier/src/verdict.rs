//! What a check concludes. DESIGN.md section 9 is the table.

use serde::{Deserialize, Serialize};

/// Why something without values to compare is not equal.
pub const NOTHING_COMPARED: &str = "nothing was compared";

/// Result of comparing two versions, best last in [`Verdict::badness`] order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "PascalCase")]
pub enum Verdict {
    /// Ring equal, IEEE within the derived bound.
    Equal,
    /// Explained by a freedom of the contract.
    Benign { clause: String },
    /// The ring did not decide, IEEE is within its bound.
    EqualIeeeOnly { why: String },
    /// Nothing can be said.
    Inconclusive { why: String },
    /// Ring equal, but a value lies outside its bound, or bits differ under a bit-exact contract.
    NumericsViolation,
    /// The ring differs; the IEEE values are so close that a tolerance would have hidden it.
    HiddenMiscompile,
    /// The programs compute different things.
    Miscompile,
    /// An op of the program is not supported; never equal.
    Unsupported { what: String },
}

/// What the ring plane says of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ring {
    Equal,
    Differs,
    NotDecisive(String),
    NotRun,
}

/// What the local IEEE comparison says of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ieee {
    Within,
    Outside,
    /// The derived bound is too wide to mean anything, or hangs on choices that rounding may flip.
    Loose(String),
    NotRun,
}

/// The table of DESIGN.md section 9 for one region, rows tried in its order.
pub fn decide(ring: &Ring, ieee: &Ieee) -> Verdict {
    match (ring, ieee) {
        (Ring::Differs, Ieee::Within) => Verdict::HiddenMiscompile,
        (Ring::Differs, Ieee::Outside | Ieee::Loose(_) | Ieee::NotRun) => Verdict::Miscompile,
        (Ring::Equal, Ieee::Outside) => Verdict::NumericsViolation,
        (Ring::NotDecisive(_) | Ring::NotRun, Ieee::Outside) => Verdict::Miscompile,
        (Ring::Equal | Ring::NotDecisive(_) | Ring::NotRun, Ieee::Loose(why)) => {
            Verdict::Inconclusive { why: why.clone() }
        }
        (Ring::Equal, Ieee::Within) => Verdict::Equal,
        (Ring::NotDecisive(why), Ieee::Within) => Verdict::EqualIeeeOnly { why: why.clone() },
        (Ring::NotRun, Ieee::Within) => Verdict::EqualIeeeOnly {
            why: "ring not run".to_string(),
        },
        (Ring::Equal | Ring::NotDecisive(_) | Ring::NotRun, Ieee::NotRun) => {
            Verdict::Inconclusive {
                why: NOTHING_COMPARED.to_string(),
            }
        }
    }
}

/// Why the ring leaves a difference open that hangs on a choice between numbers closer than their bounds.
pub const NEAR_TIE: &str = "near tie";

impl Verdict {
    /// What a near tie leaves open, where IEEE sees no difference.
    pub fn near_tie() -> Verdict {
        Verdict::EqualIeeeOnly {
            why: NEAR_TIE.to_string(),
        }
    }

    /// Order of "worst": the larger, the worse.
    pub fn badness(&self) -> u8 {
        match self {
            Verdict::Equal => 0,
            Verdict::Benign { .. } => 1,
            Verdict::EqualIeeeOnly { .. } => 2,
            Verdict::Inconclusive { .. } => 3,
            Verdict::Unsupported { .. } => 4,
            Verdict::NumericsViolation => 5,
            Verdict::HiddenMiscompile => 6,
            Verdict::Miscompile => 7,
        }
    }

    /// The worse of two; the first on a tie.
    pub fn worst(self, other: Verdict) -> Verdict {
        if other.badness() > self.badness() {
            other
        } else {
            self
        }
    }

    /// Exit code of the command line: 0 equal, 1 mismatch, 2 undecided.
    pub fn exit_code(&self) -> u8 {
        match self {
            Verdict::Equal | Verdict::Benign { .. } => 0,
            Verdict::NumericsViolation | Verdict::HiddenMiscompile | Verdict::Miscompile => 1,
            Verdict::EqualIeeeOnly { .. }
            | Verdict::Inconclusive { .. }
            | Verdict::Unsupported { .. } => 2,
        }
    }

    pub fn is_mismatch(&self) -> bool {
        self.exit_code() == 1
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Verdict::Equal => write!(f, "Equal"),
            Verdict::Benign { clause } => write!(f, "Benign{{{clause}}}"),
            Verdict::EqualIeeeOnly { why } => write!(f, "EqualIeeeOnly{{{why}}}"),
            Verdict::Inconclusive { why } => write!(f, "Inconclusive{{{why}}}"),
            Verdict::NumericsViolation => write!(f, "NumericsViolation"),
            Verdict::HiddenMiscompile => write!(f, "HiddenMiscompile"),
            Verdict::Miscompile => write!(f, "Miscompile"),
            Verdict::Unsupported { what } => write!(f, "Unsupported{{{what}}}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_compared_is_never_equal() {
        for ring in [Ring::Equal, Ring::NotDecisive("x".into()), Ring::NotRun] {
            assert_ne!(decide(&ring, &Ieee::NotRun).exit_code(), 0);
        }
        assert_eq!(
            decide(&Ring::Differs, &Ieee::Within),
            Verdict::HiddenMiscompile
        );
        assert_eq!(
            decide(&Ring::Equal, &Ieee::Outside),
            Verdict::NumericsViolation
        );
    }

    #[test]
    fn the_worst_wins() {
        let all = Verdict::Equal
            .worst(Verdict::Miscompile)
            .worst(Verdict::Inconclusive { why: String::new() });
        assert_eq!(all, Verdict::Miscompile);
    }
}
