//! What a pass is: a name, a stage before and after, its rewrites, and a function over a module, a program or a kernel.

use crate::{
    lowering::Lowering,
    rewrite::{OpRef, Rewriter, ValueRef},
    target::TpuTarget,
};
use tileproof_dialect::{
    error::Error, numerics::Numerics, program::Program, stage::Stage, tpu::Kernel,
};

/// A pass. One file each in `lowering/src/<dialect>/`; listed in `pipeline.rs`.
#[derive(Clone, Copy)]
pub struct Pass {
    /// `hlo-cse`.
    pub name: &'static str,
    pub input: Stage,
    pub output: Stage,
    /// One sentence.
    pub summary: &'static str,
    /// Every rewrite the pass may apply, with its numerics.
    pub rewrites: &'static [Rewrite],
    pub run: Run,
}

/// How a pass runs. Graphs of `hlo` ops are rewritten as MLIR; kernels are imperative, patterns buy nothing there: they are made and changed as plain
/// data.
#[derive(Clone, Copy)]
pub enum Run {
    /// Over the module in the rewriter.
    Rewrite(fn(&mut Rewriter<'_>) -> Result<(), Error>),
    /// From program to program; every change is numbered by [`Lowering::apply`].
    Lower(fn(&Program, &mut Lowering) -> Result<Program, Error>),
    /// Each kernel of the pass's input stage for itself: one application of the pass's only rewrite a kernel.
    Kernel(fn(&Kernel, &TpuTarget) -> Result<Kernel, Error>),
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
