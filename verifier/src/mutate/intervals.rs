//! Two values that are the same elementwise function of one f32: the numbers are cut into intervals until both have one simplified form in each (a branch that is
//! not taken there drops out), and the numbers of small intervals are tried.
//!
//! Proves: the two are equal for every f32, if what an op makes of a NaN hangs on no more than its sign; so nothing that reads bits is let in. Cannot: hold where
//! the forms differ in many places.

use super::{
    canonical::simplified_by,
    equivalence::same_outputs,
    everywhere::{Of, inside, key, lines, values},
    look,
    ranges::{Floats, Range, Ranges},
};
use std::{collections::HashSet, sync::Arc};
use tileproof_dialect::{
    program::{Program, ValueId},
    tensor::Tensor,
    types::ElementType,
};

/// Most intervals looked at, and most numbers tried.
const MOST_INTERVALS: usize = 4000;
const MOST_NUMBERS: usize = 1 << 21;
/// Numbers of an interval that are tried one by one.
const FEW: u32 = 1 << 10;
/// Numbers tried at once.
const AT_ONCE: usize = 1 << 16;
/// Bits of infinity without sign, and the sign.
const INFINITY: u32 = 0x7f80_0000;
const SIGN: u32 = 1 << 31;

/// Both values as functions of the number they start from.
struct Functions<'s> {
    sides: [(Of<'s>, Vec<ValueId>); 2],
    start: u128,
}

/// Whether the two are equal for all numbers.
pub fn same(a: Of<'_>, b: Of<'_>) -> bool {
    holds(a, b) == Some(true)
}

fn holds(a: Of<'_>, b: Of<'_>) -> Option<bool> {
    let sides = [a, b].map(|of| (of, values(of, &HashSet::new())));
    let mut starts = HashSet::new();
    for ((side, _), all) in &sides {
        let program = &side.program;
        for v in all {
            let made = inside(program, *v);
            if made.is_some_and(|id| look::name(program, id) == "bitcast_convert") {
                return None;
            }
            if made.is_none() && look::splat(program, *v).is_none() {
                let is_f32 = look::element(program, *v)? == ElementType::F32;
                starts.insert(key(side, *v).filter(|_| is_f32)?);
            }
        }
    }
    let start = *starts.iter().next().filter(|_| starts.len() == 1)?;
    let functions = Functions { sides, start };
    // Zeros and NaN, and numbers all over: most that differ do so here.
    let mut few = vec![0, SIGN, INFINITY + (1 << 22), INFINITY + 1];
    few.extend([INFINITY + (1 << 22) + 1, u32::MAX, SIGN + INFINITY + 1]);
    few.extend(
        (0..AT_ONCE as u32 - few.len() as u32).map(|i| i << 16 | i.wrapping_mul(40_503) & 0xffff),
    );
    if !functions.agree_on(&few)? {
        return Some(false);
    }
    let one = functions.programs(1)?.map(Arc::new);
    let mut stack = vec![(0, 1, INFINITY), (SIGN, 1, INFINITY)];
    let mut open: Vec<u32> = vec![];
    let (mut looked_at, mut tried) = (0, 0);
    while let Some((sign, low, high)) = stack.pop() {
        looked_at += 1;
        if looked_at > MOST_INTERVALS || tried > MOST_NUMBERS {
            return None;
        }
        if one_form(&one, sign, low, high) {
            continue;
        }
        if high - low < FEW {
            open.extend((low..=high).map(|bits| sign | bits));
            if open.len() + FEW as usize > AT_ONCE {
                tried += open.len();
                if !functions.agree_on(&std::mem::take(&mut open))? {
                    return Some(false);
                }
            }
            continue;
        }
        let middle = low + (high - low) / 2;
        stack.extend([(sign, low, middle), (sign, middle + 1, high)]);
    }
    functions.agree_on(&open)
}

/// Whether both have one form for the numbers of these bits.
fn one_form(one: &[Arc<Program>; 2], sign: u32, low: u32, high: u32) -> bool {
    let ends = [low, high].map(|bits| f64::from(f32::from_bits(sign | bits)));
    let range = Floats {
        low: ends[0].min(ends[1]),
        high: ends[0].max(ends[1]),
        ..Floats::NONE
    };
    let of = |program: &Arc<Program>| {
        let ranges = Ranges::from(program, &[Range::Float(range)]);
        let form = simplified_by(program.clone(), ranges);
        let result = program.returned(program.main().body).first().copied()?;
        form.keys.get(&result).copied()
    };
    let (a, b) = (of(&one[0]), of(&one[1]));
    a.is_some() && a == b
}

impl Functions<'_> {
    fn programs(&self, n: u64) -> Option<[Program; 2]> {
        let of = |((side, root), all): &(Of<'_>, Vec<ValueId>)| {
            let parameter = |v: ValueId| {
                let is_start =
                    key(side, v) == Some(self.start) && inside(&side.program, v).is_none();
                is_start.then_some(0)
            };
            lines(
                &side.program,
                all,
                &parameter,
                &[ElementType::F32],
                &[*root],
                n,
            )
        };
        let [a, b] = &self.sides;
        Some([of(a)?, of(b)?])
    }

    /// Whether the two give the same bits for numbers of these bits.
    fn agree_on(&self, bits: &[u32]) -> Option<bool> {
        if bits.is_empty() {
            return Some(true);
        }
        let n = bits.len() as u64;
        let [a, b] = self.programs(n)?;
        let numbers = Tensor::from_slice(&[n], ElementType::F32, bits);
        Some(same_outputs(&a, &b, &[numbers.into()]))
    }
}
