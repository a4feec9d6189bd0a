//! Wrong variants of an op, of which the seed picks the first that still verifies with the same types.

use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program, ValueId},
};

/// The program with op `id` exchanged by the first of `ops`, counted from the one `seed` names, that fits.
pub fn op<T: Into<hlo::Op>>(
    program: &Program,
    id: OpId,
    ops: Vec<T>,
    seed: u64,
) -> Option<Program> {
    let mut ops: Vec<hlo::Op> = ops.into_iter().map(Into::into).collect();
    let n = ops.len().max(1);
    ops.rotate_left(seed as usize % n);
    ops.into_iter().find_map(|new| {
        let new = Op::Hlo(new);
        if program.op(id).op == new {
            return None;
        }
        program.modified(id, |o| o.op = new).ok()
    })
}

/// The program with the operands of op `id` exchanged by the first list, counted from the one `seed` names, that fits.
pub fn operands(
    program: &Program,
    id: OpId,
    mut lists: Vec<Vec<ValueId>>,
    seed: u64,
) -> Option<Program> {
    let n = lists.len().max(1);
    lists.rotate_left(seed as usize % n);
    lists.into_iter().find_map(|new| {
        if program.op(id).operands == new {
            return None;
        }
        program.modified(id, |o| o.operands = new).ok()
    })
}

/// Wrong lists of dimensions, all different from `list`: two entries exchanged, all rotated, one moved by one.
pub fn dimensions(list: &[i64]) -> Vec<Vec<i64>> {
    let mut out: Vec<Vec<i64>> = vec![];
    let mut add = |wrong: Vec<i64>| {
        if wrong != list && !out.contains(&wrong) {
            out.push(wrong);
        }
    };
    for i in 0..list.len() {
        for j in i + 1..list.len() {
            let mut swapped = list.to_vec();
            swapped.swap(i, j);
            add(swapped);
        }
    }
    let mut rotated = list.to_vec();
    rotated.rotate_left(1.min(list.len()));
    add(rotated);
    for i in 0..list.len() {
        for step in [1, -1] {
            let mut moved = list.to_vec();
            moved[i] += step;
            add(moved);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_dimensions_differ_from_the_right_ones_and_each_other() {
        let all = dimensions(&[0, 2, 1]);
        assert!(all.contains(&vec![2, 0, 1]) && all.contains(&vec![2, 1, 0]));
        assert!(all.contains(&vec![0, 3, 1]) && !all.contains(&vec![0, 2, 1]));
        assert!(dimensions(&[]).is_empty());
    }
}
