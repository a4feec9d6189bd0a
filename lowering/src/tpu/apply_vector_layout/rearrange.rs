//! Moves elements between registers by a rule known beforehand: slices, reshapes, concatenations, rotations.
//!
//! A result register that equals a register of a source is that register. Else, per source register, its elements come by one rotation or gather along
//! rows, one along lanes, or both, and a select joins what comes from several. Positions that hold no element take whatever comes.

use super::{
    constants,
    registers::{Grid, LANES, SUBLANES, Shape, register_type},
};
use crate::kernels::emit::Emitter;
use std::collections::BTreeMap;
use tileproof_dialect::{
    error::Error,
    hlo,
    tpu::{KernelValue, TpuOp},
};

/// Where an element comes from: which grid, and its row-major number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    pub grid: usize,
    pub linear: u64,
}

/// Of one result register: position there, position in the source register.
type Move = (Position, Position);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    row: u64,
    lane: u64,
}

/// A grid of `shape` whose element `i` is the element `from(i)` of `grids`; none: anything. All grids have packing 1, or all registers are taken whole.
pub fn rearrange(
    e: &mut Emitter,
    grids: &[&Grid],
    shape: Shape,
    from: &dyn Fn(u64) -> Option<Source>,
) -> Result<Grid, Error> {
    let Some(first) = grids.first() else {
        return Err(Error::internal("rearrange without a source"));
    };
    let mut registers = vec![];
    for (o, r, c) in shape.tiles(1) {
        let (rows, lanes) = shape.valid(1, r, c);
        // Moves by source register.
        let mut by_register: BTreeMap<(usize, usize), Vec<Move>> = BTreeMap::new();
        for row in 0..rows {
            for lane in 0..lanes {
                let linear =
                    (o * shape.rows + r * SUBLANES + row) * shape.columns + c * LANES + lane;
                let Some(source) = from(linear) else {
                    continue;
                };
                let s = &grids[source.grid].shape;
                let (across, column) = (source.linear / s.columns, source.linear % s.columns);
                let (outer, at) = (across / s.rows, across % s.rows);
                let register = s.at(1, outer, at / SUBLANES, column / LANES);
                let g = grids[source.grid];
                let there = Position {
                    row: if g.same_rows { row } else { at % SUBLANES },
                    lane: if g.same_lanes { lane } else { column % LANES },
                };
                by_register
                    .entry((source.grid, register))
                    .or_default()
                    .push((Position { row, lane }, there));
            }
        }
        let mut result: Option<KernelValue> = None;
        for ((grid, register), moves) in by_register {
            let value = grids[grid].registers[register];
            for group in groups(&moves) {
                let part = take(e, value, grids[grid], &group);
                result = Some(match result {
                    None => part,
                    Some(before) => join(e, part, before, grids[grid], &group),
                });
            }
        }
        // A register that nothing comes to may hold anything.
        let result = result.or_else(|| first.registers.first().copied());
        registers.push(result.ok_or_else(|| Error::internal("rearrange of nothing"))?);
    }
    Ok(Grid {
        element: first.element.clone(),
        shape,
        packing: 1,
        registers,
        same_rows: false,
        same_lanes: false,
    })
}

/// Splits moves so that in each part one gather along rows and then one along lanes brings all: each result row takes from one source row.
/// One part where one gather along lanes and then one along rows does it.
fn groups(moves: &[Move]) -> Vec<Vec<Move>> {
    if lanes_then_rows(moves).is_some() {
        return vec![moves.to_vec()];
    }
    let mut rows: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for (to, from) in moves {
        let known = rows.entry(to.row).or_default();
        if !known.contains(&from.row) {
            known.push(from.row);
        }
    }
    let parts = rows.values().map(Vec::len).max().unwrap_or(0);
    let mut out = vec![vec![]; parts];
    for (to, from) in moves {
        let part = rows[&to.row].iter().position(|r| *r == from.row);
        out[part.unwrap_or(0)].push((*to, *from));
    }
    out
}

/// The source lane of each (source row, result lane), where it is one.
fn lanes_then_rows(moves: &[Move]) -> Option<BTreeMap<(u64, u64), u64>> {
    let mut lanes = BTreeMap::new();
    for (to, from) in moves {
        if *lanes.entry((from.row, to.lane)).or_insert(from.lane) != from.lane {
            return None;
        }
    }
    Some(lanes)
}

/// A register that has the elements of `moves` in their places.
fn take(e: &mut Emitter, value: KernelValue, grid: &Grid, moves: &[Move]) -> KernelValue {
    let ty = register_type(&grid.element, 1);
    let rows_stay = moves.iter().all(|(to, from)| to.row == from.row);
    let lanes_stay = moves.iter().all(|(to, from)| to.lane == from.lane);
    if rows_stay && lanes_stay {
        return value;
    }
    let turn = |along: &dyn Fn(&Position) -> u64, size: u64| {
        let amount = |m: &Move| (along(&m.0) + size - along(&m.1)) % size;
        let first = amount(&moves[0]);
        moves.iter().all(|m| amount(m) == first).then_some(first)
    };
    let row_turn = turn(&|p| p.row, SUBLANES);
    let lane_turn = turn(&|p| p.lane, LANES);
    if let (Some(rows), Some(lanes)) = (row_turn, lane_turn) {
        let mut out = value;
        for (amount, dimension) in [(rows, 0), (lanes, 1)] {
            if amount > 0 {
                let op = TpuOp::Rotate { amount, dimension };
                out = e.b.one(op, &[out], ty.clone());
            }
        }
        return out;
    }
    let mut gather = |value, dimension, indices: &[i64]| {
        let indices = constants::table(e, indices);
        let op = TpuOp::DynamicGather { dimension };
        e.b.one(op, &[value, indices], ty.clone())
    };
    let identity = |lane: bool| -> Vec<i64> {
        let at = |i: u64| if lane { i % LANES } else { i / LANES };
        (0..SUBLANES * LANES).map(|i| at(i) as i64).collect()
    };
    let number = |row: u64, lane: u64| (row * LANES + lane) as usize;
    match lanes_then_rows(moves) {
        Some(lanes) => {
            let mut out = value;
            if !lanes_stay {
                let mut indices = identity(true);
                for ((row, lane), from) in lanes {
                    indices[number(row, lane)] = from as i64;
                }
                out = gather(out, 1, &indices);
            }
            if !rows_stay {
                let mut indices = identity(false);
                for (to, from) in moves {
                    indices[number(to.row, to.lane)] = from.row as i64;
                }
                out = gather(out, 0, &indices);
            }
            out
        }
        None => {
            let (mut rows, mut lanes) = (identity(false), identity(true));
            for (to, from) in moves {
                for lane in 0..LANES {
                    rows[number(to.row, lane)] = from.row as i64;
                }
                lanes[number(to.row, to.lane)] = from.lane as i64;
            }
            let out = if rows_stay {
                value
            } else {
                gather(value, 0, &rows)
            };
            gather(out, 1, &lanes)
        }
    }
}

/// `part` at the places of `moves`, `before` elsewhere.
fn join(
    e: &mut Emitter,
    part: KernelValue,
    before: KernelValue,
    grid: &Grid,
    moves: &[Move],
) -> KernelValue {
    let mut places = vec![false; (SUBLANES * LANES) as usize];
    for (to, _) in moves {
        places[(to.row * LANES + to.lane) as usize] = true;
    }
    let mask = constants::mask_table(e, &places);
    e.b.one(
        TpuOp::Elementwise(hlo::select::Select.into()),
        &[mask, part, before],
        register_type(&grid.element, 1),
    )
}

/// Whether every result register is one of the sources' as it is, in grids of one packing above 1; the grid of them then.
pub fn whole_registers(
    grids: &[&Grid],
    shape: Shape,
    from: &dyn Fn(u64) -> Option<Source>,
) -> Option<Grid> {
    let first = grids.first()?;
    let packing = first.packing;
    if grids.iter().any(|g| g.packing != packing) {
        return None;
    }
    let height = SUBLANES * packing;
    let mut registers = vec![];
    for (o, r, c) in shape.tiles(packing) {
        let (rows, lanes) = shape.valid(packing, r, c);
        let mut found: Option<(usize, usize)> = None;
        for row in 0..rows {
            for lane in 0..lanes {
                let linear = (o * shape.rows + r * height + row) * shape.columns + c * LANES + lane;
                let Some(source) = from(linear) else {
                    continue;
                };
                let s = &grids[source.grid].shape;
                let (across, column) = (source.linear / s.columns, source.linear % s.columns);
                let (outer, at) = (across / s.rows, across % s.rows);
                let here = (
                    source.grid,
                    s.at(packing, outer, at / height, column / LANES),
                );
                let stays = at % height == row && column % LANES == lane;
                if !stays || *found.get_or_insert(here) != here {
                    return None;
                }
            }
        }
        let (grid, register) = found?;
        registers.push(grids[grid].registers[register]);
    }
    Some(Grid {
        element: first.element.clone(),
        shape,
        packing,
        registers,
        same_rows: false,
        same_lanes: false,
    })
}
