//! Makes the program of a finding small while the finding stays what it is.
//!
//! A candidate is a part of the source program (calls inlined): a value to compute, and a set of inner values that become parameters with the values they had.
//! Every candidate is compiled by XLA again, with its dumps, and counts only when the same stage is the first that broke it ([`oracle`]). First the earliest
//! value that shows the finding, then the nearest inner values to start from, then one op at a time is made a parameter or bypassed until none can go
//! ([`candidate`]); then dimensions shrink ([`shapes`]).

pub mod candidate;
pub mod oracle;
pub mod shapes;

use candidate::{Base, Candidate};
use oracle::{Oracle, Shown};
use std::time::{Duration, Instant};
use tileproof_dialect::{
    error::Error,
    program::{OpId, ValueDef, ValueId},
};

/// A reduced finding.
#[derive(Debug, Clone)]
pub struct Reduced {
    pub shown: Shown,
    /// Ops of the source program and of this one, returns and constants left out.
    pub ops: (usize, usize),
    /// Candidates compiled.
    pub tried: u64,
    /// Whether no single op can be left out any more; false when the time was up first.
    pub minimal: bool,
}

/// Reduces what `base` shows at result `output`. None: the whole program does not show the finding here.
pub fn reduce(
    base: &Base<'_>,
    output: usize,
    oracle: &Oracle<'_>,
    budget: Duration,
) -> Result<Option<Reduced>, Error> {
    let mut search = Search {
        base,
        oracle,
        end: Instant::now() + budget,
        tried: 0,
        best: None,
    };
    let Some(root) = base
        .program
        .returned(base.program.main().body)
        .get(output)
        .copied()
    else {
        return Ok(None);
    };
    let whole = Candidate::whole(root);
    if !search.shows(&whole)? {
        return Ok(None);
    }
    search.earliest_root()?;
    search.nearest_cuts()?;
    let minimal = search.one_by_one()?;
    let Some((candidate, mut shown)) = search.best.take() else {
        return Ok(None);
    };
    let before = base.computing(&whole).len();
    let after = base.computing(&candidate).len();
    let (small, tried) = shapes::shrink(&shown, oracle, search.end)?;
    if let Some(small) = small {
        shown = small;
    }
    Ok(Some(Reduced {
        shown,
        ops: (before, after),
        tried: search.tried + tried,
        minimal,
    }))
}

struct Search<'a> {
    base: &'a Base<'a>,
    oracle: &'a Oracle<'a>,
    end: Instant,
    tried: u64,
    best: Option<(Candidate, Shown)>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Whether the candidate shows the finding; if so it is the best so far.
    fn shows(&mut self, candidate: &Candidate) -> Result<bool, Error> {
        if self.is_over() && self.best.is_some() {
            return Ok(false);
        }
        self.tried += 1;
        let Some((program, arguments)) = self.base.make(candidate)? else {
            return Ok(false);
        };
        match self.oracle.shows(&program, &arguments)? {
            Some(shown) => {
                self.best = Some((candidate.clone(), shown));
                Ok(true)
            }
            None => Ok(false),
        }
    }

    fn current(&self) -> Candidate {
        self.best
            .as_ref()
            .map_or(Candidate::whole(ValueId(0)), |(c, _)| c.clone())
    }

    /// Bisects for the earliest value that shows the finding.
    fn earliest_root(&mut self) -> Result<(), Error> {
        let ops = self.base.computing(&self.current());
        let (mut low, mut high) = (0, ops.len());
        while low < high {
            let middle = (low + high) / 2;
            let results = &self.base.program.op(ops[middle]).results;
            let mut found = false;
            for v in results {
                let candidate = Candidate {
                    root: *v,
                    ..self.current()
                };
                if self.shows(&candidate)? {
                    found = true;
                    break;
                }
            }
            if found {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(())
    }

    /// Starts from inner values 1, 2, 4, .. ops before the root, until the finding shows.
    fn nearest_cuts(&mut self) -> Result<(), Error> {
        let current = self.current();
        let all = self.base.computing(&current).len();
        let mut depth = 1;
        loop {
            let candidate = Candidate {
                cuts: self.base.frontier(current.root, depth),
                ..current.clone()
            };
            if self.base.computing(&candidate).len() >= all || self.is_over() {
                return Ok(());
            }
            if self.shows(&candidate)? {
                return Ok(());
            }
            depth *= 2;
        }
    }

    /// Makes one op after the other a parameter or an operand of its own, until no single one can go. False when the time was up.
    fn one_by_one(&mut self) -> Result<bool, Error> {
        loop {
            let mut progress = false;
            for op in self.base.computing(&self.current()).into_iter().rev() {
                if self.is_over() {
                    return Ok(false);
                }
                progress |= self.without(op)?;
            }
            if !progress {
                return Ok(true);
            }
        }
    }

    /// Tries to do without `op`.
    fn without(&mut self, op: OpId) -> Result<bool, Error> {
        let current = self.current();
        let ops = self.base.computing(&current).len();
        let o = self.base.program.op(op);
        let is_root = matches!(self.base.program.value(current.root).def, ValueDef::Result { op: root, .. } if root == op);
        for v in &o.results {
            if !is_root && !current.cuts.contains(v) {
                let mut cut = current.clone();
                cut.cuts.push(*v);
                if self.base.computing(&cut).len() < ops && self.shows(&cut)? {
                    return Ok(true);
                }
            }
            for operand in &o.operands {
                if self
                    .base
                    .program
                    .ty(*operand)
                    .compatible(self.base.program.ty(*v))
                {
                    let mut bypassed = current.clone();
                    bypassed.bypassed.push((*v, *operand));
                    if self.base.computing(&bypassed).len() < ops && self.shows(&bypassed)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }
}
