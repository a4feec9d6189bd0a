//! What a pass is: a name, a stage before and after, its rewrites, and a function over a module.

use crate::rewrite::{OpRef, Rewriter, ValueRef};
use tileproof_dialect::{error::Error, numerics::Numerics, stage::Stage};

/// A pass. One file each in `lowering/src/<dialect>/`; listed in `pipeline.rs`.
pub struct Pass {
    /// `hlo-cse`.
    pub name: &'static str,
    pub input: Stage,
    pub output: Stage,
    /// One sentence.
    pub summary: &'static str,
    /// Every rewrite the pass may apply, with its numerics.
    pub rewrites: &'static [Rewrite],
    /// Runs the pass over the module in the rewriter.
    pub run: fn(&mut Rewriter<'_>) -> Result<(), Error>,
}

/// A named rewrite.
pub struct Rewrite {
    /// `add-zero`: printed as `hlo-simplify:add-zero#N`.
    pub name: &'static str,
    /// Its equation, as printed in docs/passes.md.
    pub equation: &'static str,
    pub numerics: fn() -> Numerics,
    /// Tries the rewrite at an op: values that replace the op's results, or none. It must not create ops before it is sure to succeed.
    /// A pass that is not a set of patterns leaves this out and calls [`Rewriter::apply`] itself.
    pub pattern: Option<Pattern>,
}

/// Values that replace the results of the op, or none where the rewrite does not fit.
pub type Pattern = for<'c> fn(OpRef<'c>, &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>>;

impl Pass {
    /// The rewrite `name`, which must be in the list.
    pub fn rewrite(&self, name: &str) -> Option<&'static Rewrite> {
        self.rewrites.iter().find(|r| r.name == name)
    }

    /// Weakest contract over all rewrites.
    pub fn numerics(&self) -> Numerics {
        self.rewrites
            .iter()
            .fold(Numerics::bit_exact(), |all, r| all.join((r.numerics)()))
    }
}
