//! What a kernel computes on the way, by residues: values inside it that both sides have, and how far apart they are. They split a region that a call of a kernel
//! would make one (DESIGN.md section 7: cut points).
//!
//! The ops of a kernel name the source ops they stand for. An element of a value before and a lane that the kernel computes for the same source op are the same
//! number where their residues are equal, whatever the blocks. Of several lanes of one residue the nearest counts: among a million residues hundreds are equal by
//! chance. A distance that is too small makes the bound of the root too narrow, and so never hides a wrong one.
//!
//! Proves: how far the elements of a value before are from those of the kernel at least. Cannot: find what the kernel computes step by step otherwise than the
//! source.

use super::of_op;
use crate::{region::Part, session::Session};
use smallvec::SmallVec;
use std::collections::HashMap;
use tileproof_dialect::{
    eval::{Events, Stop},
    location::SourceOp,
    planes::{Planes, ring, ring::Residue},
    program::{OpId, ValueId},
    tensor::Tensor,
    types::ElementType,
};
use tileproof_runtime::simulator::{self, Plan, Simulation};

/// The numbers of a residue.
type Numbers = HashMap<Residue, SmallVec<[f64; 1]>>;

/// Most numbers of one residue that are told apart.
const MOST_NUMBERS: usize = 8;

/// What the kernels of a side compute, by source op and type.
pub struct InnerValues {
    of: HashMap<(SourceOp, ElementType), Numbers>,
}

/// Most elements looked at.
const MOST_ELEMENTS: usize = 1 << 26;

impl InnerValues {
    /// Runs the kernels that the side calls. None: they compute too much.
    pub fn of(session: &Session<'_>, part: &Part<'_>) -> Result<Option<InnerValues>, Stop> {
        let program = part.version.program;
        let mut out = InnerValues { of: HashMap::new() };
        let mut left = MOST_ELEMENTS;
        for op in &part.side.ops {
            let o = program.op(*op);
            let tensors = |all: &[ValueId]| -> Result<Option<Vec<Tensor>>, Stop> {
                let each = all.iter().map(|v| match part.environment.get(v) {
                    Some(content) => Ok(session.value(*content)?.as_tensor().cloned()),
                    None => Ok(None),
                });
                each.collect()
            };
            let Some(kernel) = of_op(program, *op) else {
                for t in tensors(&o.results)?.unwrap_or_default() {
                    out.note(o.location.sources.first(), &t);
                }
                continue;
            };
            let Some(arguments) = tensors(&o.operands)? else {
                return Ok(None);
            };
            let plan = Plan::new(kernel, Planes::IeeeAndRing)?;
            let mut hear = |at: u32, t: &Tensor| {
                left = left.saturating_sub(t.len());
                if let Some((_, location)) = plan.ops.get(at as usize).filter(|_| left > 0) {
                    out.note(location.sources.first(), t);
                }
            };
            let (simulation, mut events) = (Simulation::default(), Events::default());
            let ran = simulator::observed(
                &plan,
                &arguments,
                Planes::IeeeAndRing,
                &simulation,
                session.limits(),
                &mut events,
                Some(&mut hear),
            );
            match ran {
                Ok(_) if left > 0 => {}
                Err(Stop::Cancelled) => return Err(Stop::Cancelled),
                Ok(_) | Err(_) => return Ok(None),
            }
        }
        Ok(Some(out))
    }

    fn note(&mut self, source: Option<&SourceOp>, t: &Tensor) {
        let (Some(source), Some(residues)) = (source, t.ring()) else {
            return;
        };
        let numbers = self.of.entry((*source, t.element().clone())).or_default();
        for (r, x) in residues.iter().zip(t.to_f64s().iter()) {
            let known = numbers.entry(*r).or_default();
            if known.len() < MOST_NUMBERS && !known.contains(x) {
                known.push(*x);
            }
        }
    }

    /// How far each element of the value that `op` of the other side gives is from the kernel's. None: an element is missing, or is no number.
    pub fn distances(&self, part: &Part<'_>, op: OpId, value: &Tensor) -> Option<Vec<f64>> {
        let sources = &part.version.program.op(op).location.sources;
        let numbers = self.of.get(&(*sources.first()?, value.element().clone()))?;
        let each = value
            .ring()?
            .iter()
            .zip(value.to_f64s().iter().copied().collect::<Vec<_>>());
        each.map(|(r, x)| {
            let known = numbers.get(r).filter(|_| !ring::is_code(*r))?;
            let far = known.iter().map(|y| (x - y).abs());
            far.filter(|far| far.is_finite()).min_by(f64::total_cmp)
        })
        .collect()
    }
}
