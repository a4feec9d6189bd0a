//! Updates elements of tensors by a body, several times per element where targets repeat: the core of `scatter` and `select_and_scatter`.

use crate::{
    bound::{Bound, gamma, unit_roundoff},
    eval::{EvalContext, Stop},
    tensor::Tensor,
};

/// Marks an update that goes nowhere.
pub const DROPPED: usize = usize::MAX;

/// Above this many updates of one element an associative body is applied as a balanced tree.
const LONGEST_CHAIN: u32 = 16;

/// For each update `i` in order with target t = `targets[i]`: bases[..][t] = body(bases[..][t], updates[..][i]). Region `region` is the body; `bases` and
/// `updates` have its element types. Updates of one element are applied in order, batch by batch, each batch having unique targets; more than 16 of
/// one element by an associative op are joined in a balanced tree first, in order.
pub fn accumulate(
    region: usize,
    bases: Vec<Tensor>,
    targets: &[usize],
    updates: &[Tensor],
    cx: &mut EvalContext<'_>,
) -> Result<Vec<Tensor>, Stop> {
    let mut kept: Vec<usize> = (0..targets.len())
        .filter(|i| targets[*i] != DROPPED)
        .collect();
    if kept.is_empty() {
        return Ok(bases);
    }
    let single = cx.runner.single_op(region);
    if single == Some("return") {
        let at: Vec<usize> = kept.iter().map(|i| targets[*i]).collect();
        return Ok(bases
            .into_iter()
            .zip(updates)
            .map(|(base, update)| base.put(&taken(update, &kept), &at))
            .collect());
    }
    let turns = turns(&kept, targets, bases.first().map_or(0, Tensor::len));
    let most = turns.iter().max().copied().unwrap_or(0) + 1;
    if most > LONGEST_CHAIN && single.is_some_and(is_associative) {
        // Stable: updates of one target stay in order.
        kept.sort_by_key(|i| targets[*i]);
        let (at, joined) = joined(
            region,
            kept.iter().map(|i| targets[*i]).collect(),
            updates.iter().map(|u| taken(u, &kept)).collect(),
            cx,
        )?;
        return apply(region, bases, &at, joined, cx);
    }
    let mut batches: Vec<Vec<usize>> = vec![vec![]; most as usize];
    kept.iter()
        .zip(&turns)
        .for_each(|(i, turn)| batches[*turn as usize].push(*i));
    batches.iter().try_fold(bases, |bases, batch| {
        let at: Vec<usize> = batch.iter().map(|i| targets[*i]).collect();
        apply(
            region,
            bases,
            &at,
            updates.iter().map(|u| taken(u, batch)).collect(),
            cx,
        )
    })
}

/// Whether an op may be joined in any binary tree.
fn is_associative(op: &str) -> bool {
    ["add", "multiply", "maximum", "minimum", "and", "or", "xor"].contains(&op)
}

fn taken(t: &Tensor, indices: &[usize]) -> Tensor {
    t.take(&[indices.len() as u64], indices)
}

/// How many earlier updates in `kept` have the same target.
fn turns(kept: &[usize], targets: &[usize], len: usize) -> Vec<u32> {
    let turn = |count: &mut u32| {
        *count += 1;
        *count - 1
    };
    if len / 16 <= kept.len() {
        let mut counts = vec![0u32; len];
        kept.iter()
            .map(|i| turn(&mut counts[targets[*i]]))
            .collect()
    } else {
        let mut counts = std::collections::HashMap::new();
        kept.iter()
            .map(|i| turn(counts.entry(targets[*i]).or_default()))
            .collect()
    }
}

/// One batch with unique targets.
fn apply(
    region: usize,
    bases: Vec<Tensor>,
    at: &[usize],
    updates: Vec<Tensor>,
    cx: &mut EvalContext<'_>,
) -> Result<Vec<Tensor>, Stop> {
    let arguments = bases.iter().map(|b| taken(b, at)).chain(updates).collect();
    let results = cx.run_lanes(region, at.len(), arguments)?;
    Ok(bases
        .into_iter()
        .zip(&results)
        .map(|(base, result)| base.put(result, at))
        .collect())
}

/// Joins neighbours with one target, level by level, until every target occurs once. `at` is sorted.
fn joined(
    region: usize,
    mut at: Vec<usize>,
    mut values: Vec<Tensor>,
    cx: &mut EvalContext<'_>,
) -> Result<(Vec<usize>, Vec<Tensor>), Stop> {
    loop {
        // Position of the left element of each pair; an odd last one of a target waits.
        let (mut left, mut order, mut next) = (vec![], vec![], vec![]);
        let mut i = 0;
        while i < at.len() {
            let paired = at.get(i + 1) == Some(&at[i]);
            order.push((paired, if paired { left.len() } else { i }));
            next.push(at[i]);
            if paired {
                left.push(i);
            }
            i += 1 + usize::from(paired);
        }
        if left.is_empty() {
            return Ok((at, values));
        }
        let right: Vec<usize> = left.iter().map(|i| i + 1).collect();
        let arguments = values
            .iter()
            .map(|v| taken(v, &left))
            .chain(values.iter().map(|v| taken(v, &right)))
            .collect();
        let sums = cx.run_lanes(region, left.len(), arguments)?;
        let order: Vec<usize> = order
            .iter()
            .map(|(paired, i)| if *paired { *i } else { left.len() + i })
            .collect();
        let both = sums.iter().zip(&values).map(|(s, v)| {
            Tensor::joined(&[s, v]).ok_or_else(|| Stop::internal("scatter lost its updates"))
        });
        values = both
            .map(|t| Ok(taken(&t?, &order)))
            .collect::<Result<_, Stop>>()?;
        at = next;
    }
}

/// Operands of the error bound of an accumulation into one tensor.
pub struct Terms<'a> {
    pub base: &'a Tensor,
    pub base_error: &'a Bound,
    pub targets: &'a [usize],
    pub update: &'a Tensor,
    pub update_error: &'a Bound,
}

/// Error bound of an accumulation whose body is `single` (none: any body): elements without an update keep their error; a sum of n terms is off by
/// gamma_n * sum |term| plus the terms' errors; a minimum or maximum by the largest error; an overwritten element by its last update's; other bodies
/// leave the element undetermined.
pub fn bound(terms: &Terms<'_>, single: Option<&str>, result: &Tensor) -> Bound {
    let n = result.len();
    let mut errors: Vec<f64> = (0..n).map(|i| terms.base_error.at(i)).collect();
    let hits = || {
        terms
            .targets
            .iter()
            .enumerate()
            .filter(|(_, t)| **t != DROPPED)
            .map(|(i, t)| (i, *t))
    };
    let exact = terms.base_error.is_exact() && terms.update_error.is_exact();
    let is_float = result.element().is_float();
    match single {
        Some("return") => hits().for_each(|(i, t)| errors[t] = terms.update_error.at(i)),
        Some("maximum" | "minimum") if is_float || exact => {
            hits().for_each(|(i, t)| errors[t] = errors[t].max(terms.update_error.at(i)))
        }
        Some("add") if is_float => {
            let (base, update) = (terms.base.to_f64s(), terms.update.to_f64s());
            let (mut counts, mut sums) = (vec![0.0; n], vec![0.0; n]);
            for (i, t) in hits() {
                if counts[t] == 0.0 {
                    sums[t] = base[t].abs() + errors[t];
                }
                counts[t] += 1.0;
                sums[t] += update[i].abs() + terms.update_error.at(i);
                errors[t] += terms.update_error.at(i);
            }
            let u = unit_roundoff(result.element());
            (0..n)
                .filter(|t| counts[*t] > 0.0)
                .for_each(|t| errors[t] += gamma(counts[t], u) * sums[t]);
        }
        _ if exact && result.element().is_integer() => {}
        Some(_) | None => hits().for_each(|(_, t)| errors[t] = f64::INFINITY),
    }
    let values = result.to_f64s();
    Bound::absolute(
        errors
            .iter()
            .zip(values.iter())
            .map(|(e, v)| {
                if v.is_finite() || *e == 0.0 {
                    *e
                } else {
                    f64::INFINITY
                }
            })
            .collect(),
    )
}
