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
    buffer::Buffer,
    eval::{Events, Stop},
    location::SourceOp,
    op::Kind,
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

/// What the kernels of a side compute, by source op and type: the numbers of the residues that the other side has there.
pub struct InnerValues {
    of: HashMap<(SourceOp, ElementType), Numbers>,
    /// How many more elements are looked at.
    left: usize,
}

/// Most elements looked at on either side.
const MOST_ELEMENTS: usize = 1 << 26;

impl InnerValues {
    /// Runs the kernels that the side calls. None: they compute too much.
    pub fn of(
        session: &Session<'_>,
        part: &Part<'_>,
        other: &Part<'_>,
    ) -> Result<Option<InnerValues>, Stop> {
        let program = part.version.program;
        let Some(mut out) = InnerValues::wanted(session, other)? else {
            return Ok(None);
        };
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
                if let Some((_, location)) = plan.ops.get(at as usize) {
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
                Ok(_) if out.left > 0 => {}
                Err(Stop::Cancelled) => return Err(Stop::Cancelled),
                Ok(_) | Err(_) => return Ok(None),
            }
        }
        Ok(Some(out))
    }

    /// The residues of what the ops of a side compute, without numbers. Values that are moved are those that were computed.
    fn wanted(session: &Session<'_>, other: &Part<'_>) -> Result<Option<InnerValues>, Stop> {
        let program = other.version.program;
        let mut out = InnerValues {
            of: HashMap::new(),
            left: MOST_ELEMENTS,
        };
        for op in &other.side.ops {
            let o = program.op(*op);
            let Some(source) = o.location.sources.first() else {
                continue;
            };
            if o.op.kind() == Kind::Movement {
                continue;
            }
            for v in &o.results {
                let Some(content) = other.environment.get(v) else {
                    continue;
                };
                let Some(t) = session.value(*content)?.as_tensor() else {
                    continue;
                };
                out.left = out.left.saturating_sub(t.len());
                if let Some(residues) = t.ring().filter(|_| t.element().is_float()) {
                    let numbers = out.of.entry((*source, t.element().clone())).or_default();
                    let each = residues.iter().filter(|r| !ring::is_code(**r));
                    numbers.extend(each.map(|r| (*r, SmallVec::new())));
                }
            }
        }
        Ok((out.left > 0).then_some(InnerValues {
            left: MOST_ELEMENTS,
            ..out
        }))
    }

    fn note(&mut self, source: Option<&SourceOp>, t: &Tensor) {
        let (Some(source), Some(residues), true) = (source, t.ring(), self.left > 0) else {
            return;
        };
        let Some(numbers) = self.of.get_mut(&(*source, t.element().clone())) else {
            return;
        };
        self.left = self.left.saturating_sub(t.len());
        for (r, x) in residues.iter().zip(t.to_f64s().iter()) {
            if let Some(known) = numbers.get_mut(r)
                && known.len() < MOST_NUMBERS
                && !known.contains(x)
            {
                known.push(*x);
            }
        }
    }

    /// The value that `op` of the other side gives, as the kernels have it. None: an element is missing, or is no number.
    pub fn nearest(&self, part: &Part<'_>, op: OpId, value: &Tensor) -> Option<Tensor> {
        let sources = &part.version.program.op(op).location.sources;
        let numbers = self.of.get(&(*sources.first()?, value.element().clone()))?;
        let (residues, values) = (value.ring()?, value.to_f64s());
        let each = residues.iter().zip(values.iter()).map(|(r, x)| {
            let known = numbers.get(r)?;
            let far = |y: &f64| (x - y).abs();
            let near = known.iter().filter(|y| far(y).is_finite());
            near.min_by(|a, b| far(a).total_cmp(&far(b))).copied()
        });
        let each: Vec<f64> = each.collect::<Option<_>>()?;
        let nearest = Tensor::from_f64s(value.dims(), value.element(), &each);
        Some(nearest.with_ring(Some(Buffer::from_slice(residues))))
    }
}
