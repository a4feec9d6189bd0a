//! What passes over programs as plain data use: numbers every application, keeps provenance, a log, and what was left as it was.

use crate::{
    pass::{Pass, Rewrite},
    rewrite::Applied,
    settings::Settings,
};
use std::{collections::BTreeSet, sync::Arc};
use tileproof_dialect::{
    error::Error,
    location::Location,
    program::Program,
    stage::Stage,
    tpu::{Kernel, KernelRegion},
};

/// One run of such a pass.
pub struct Lowering {
    pass: &'static Pass,
    /// Number of the last application in this pipeline run.
    number: u32,
    /// No application gets a number above this.
    last_number: u32,
    /// Names of the only rewrites that apply; all when none.
    only: Option<BTreeSet<String>>,
    pub settings: Settings,
    pub log: Vec<Applied>,
    pub left: Vec<Left>,
}

/// An op that a lowering left as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Name of the op; of a fusion, with the op in it that has no lowering: `fusion(sort)`.
    pub op: String,
    pub reason: String,
    pub location: Location,
}

impl Lowering {
    pub fn new(
        pass: &'static Pass,
        settings: &Settings,
        number: u32,
        last_number: u32,
        only: Option<BTreeSet<String>>,
    ) -> Lowering {
        Lowering {
            pass,
            number,
            last_number,
            only,
            settings: settings.clone(),
            log: vec![],
            left: vec![],
        }
    }

    /// Whether the limit of `--stop-after-rewrite` is reached.
    pub fn is_exhausted(&self) -> bool {
        self.number >= self.last_number
    }

    /// Whether `rewrite` may be applied now.
    pub fn allows(&self, rewrite: &Rewrite) -> bool {
        !self.is_exhausted()
            && self.pass.rewrite(rewrite.name).is_some()
            && self.only.as_ref().is_none_or(|o| o.contains(rewrite.name))
    }

    /// Applies one rewrite to what stands at `location`: `make` gets the location of what it makes. None, with nothing logged, where the limit is
    /// reached, the rewrite is switched off or `make` gives nothing.
    pub fn apply<T>(
        &mut self,
        rewrite: &'static Rewrite,
        location: &Location,
        make: impl FnOnce(&Location) -> Option<T>,
    ) -> Option<T> {
        if !self.allows(rewrite) {
            return None;
        }
        let id: Arc<str> = Arc::from(format!(
            "{}:{}#{}",
            self.pass.name,
            rewrite.name,
            self.number + 1
        ));
        let made = make(&Location::fused(Some(id.clone()), [location]))?;
        self.number += 1;
        self.log.push(Applied {
            id,
            number: self.number,
            pass: self.pass.name,
            rewrite: rewrite.name,
            numerics: (rewrite.numerics)(),
            replaced: location.sources.to_vec(),
            location: location.clone(),
        });
        Some(made)
    }

    /// Notes why an op stays.
    pub fn leave(&mut self, op: impl Into<String>, reason: impl Into<String>, location: &Location) {
        self.left.push(Left {
            op: op.into(),
            reason: reason.into(),
            location: location.clone(),
        });
    }

    /// Applies the pass's rewrite to each kernel of its input stage, in order. A kernel that the pass does not handle stays as it is and is noted.
    pub fn each_kernel(
        &mut self,
        program: &Program,
        input: Stage,
        change: impl Fn(&Kernel, &Settings) -> Result<Kernel, Error>,
    ) -> Result<Program, Error> {
        let rewrite =
            self.pass.rewrites.first().ok_or_else(|| {
                Error::internal(format!("pass {} has no rewrite", self.pass.name))
            })?;
        let mut out = program.clone();
        for kernel in &mut out.kernels {
            if kernel.stage != input || !self.allows(rewrite) {
                continue;
            }
            match change(kernel, &self.settings) {
                Ok(changed) => {
                    let changed = self.apply(rewrite, &kernel.location, |location| {
                        let mut changed = changed;
                        changed.location = location.clone();
                        rename(&mut changed.body, location);
                        Some(changed)
                    });
                    if let Some(changed) = changed {
                        *kernel = Arc::new(changed);
                    }
                }
                Err(Error::Unsupported { what, location }) => {
                    let location = if location.is_unknown() {
                        kernel.location.clone()
                    } else {
                        location
                    };
                    self.leave(format!("kernel {}", kernel.name), what, &location);
                }
                Err(error @ (Error::InvalidProgram(_) | Error::Internal(_))) => return Err(error),
            }
        }
        Ok(out)
    }
}

/// Puts the id of the application on every op of a kernel; sources and positions stay.
fn rename(region: &mut KernelRegion, location: &Location) {
    for op in &mut region.ops {
        op.location.rewrite = location.rewrite.clone();
        op.regions.iter_mut().for_each(|r| rename(r, location));
    }
}
