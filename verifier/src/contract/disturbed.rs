//! Regions whose ops leave a bound that decides nothing: terms that cancel, narrow types, choices near a tie, many ops one after another. The ops of the
//! before side are run over f64 and with disturbed roundings ([`likely`]), and the after side must lie where those do.
//!
//! Proves nothing beyond all doubt, and is printed as such: residues say that both sides are one number over the reals, the runs that the after side rounds
//! no worse than the before side may.

use crate::{
    estimate::likely::{self, Known},
    isolate::extract::{self, Form, Observed},
    region::{self, Part},
    session::Session,
};
use tileproof_dialect::{
    eval::Stop,
    hlo,
    op::{Kind, Op},
    tensor::{Tensor, Value},
};

/// Most scalar operations of a region that is run so.
const MOST_WORK: u64 = 20_000_000;

/// How many elements it decides; none where it does not decide the region.
pub fn decides(
    session: &Session<'_>,
    before: &Part<'_>,
    after: &Part<'_>,
    want: &Tensor,
    got: &Tensor,
) -> Result<Option<u64>, Stop> {
    let (program, ops) = (before.version.program, &before.side.ops);
    let follows_no_loop = |id| {
        let o = program.op(id);
        let Op::Hlo(op) = &o.op;
        !matches!(op, hlo::Op::While(_)) && o.op.kind() != Kind::Effect && o.op.kernel().is_none()
    };
    if session.fingerprint(before.root) != session.fingerprint(after.root)
        || ops.is_empty()
        || !ops.iter().all(|id| follows_no_loop(*id))
    {
        return Ok(None);
    }
    let cost = ops.iter().map(|id| program.op(*id));
    let cost: u64 = cost
        .map(|o| region::work(session, o, before.environment))
        .sum();
    if cost > MOST_WORK {
        return Ok(None);
    }
    let parameters = extract::taken(program, ops);
    let part = extract::Part {
        parameters: &parameters,
        ops,
        results: &[before.side.root],
    };
    let Ok(part) = extract::extract(program, &part, Form::Flat, Observed::Nothing) else {
        return Ok(None);
    };
    let mut arguments = vec![];
    for v in &parameters {
        let Some(content) = before.environment.get(v) else {
            return Ok(None);
        };
        arguments.push(match session.value(*content)? {
            Value::Tensor(t) => Value::Tensor(t.clone().with_ring(None)),
            other => other.clone(),
        });
    }
    let found = likely::of(&part, &arguments, session.limits())?;
    let result = found.as_ref().and_then(|all| all.first());
    Ok(result.and_then(|r| r.decides(want, got, Known::EqualResidues)))
}
