//! Folds the middle dimension of a row-major array, several elements at a time, in an order that hangs on the sizes alone.

use rayon::prelude::*;

/// A row-major array of which `rows` is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub outer: usize,
    pub rows: usize,
    pub inner: usize,
}

/// Rows folded by one task.
const BLOCK: usize = 8192;
/// Partial results kept beside each other.
const LANES: usize = 16;
/// Elements worth a task of their own.
const TASK: usize = 1 << 15;

/// For each (outer, inner): `combine` over `lift` of all rows, in some tree. No dimension may be 0.
pub fn fold<T: Copy + Send + Sync, A: Copy + Send + Sync>(
    data: &[T],
    shape: Shape,
    lift: impl Fn(T) -> A + Sync,
    combine: impl Fn(A, A) -> A + Sync,
) -> Vec<A> {
    let (mut parts, mut rows) = fold_blocks(data, shape, &lift, &combine);
    while rows > 1 {
        let blocks = Shape { rows, ..shape };
        (parts, rows) = fold_blocks(&parts, blocks, &|a: A| a, &combine);
    }
    parts
}

/// The folds of blocks of rows, `[outer, blocks, inner]`, and the number of blocks.
fn fold_blocks<T: Copy + Send + Sync, A: Copy + Send + Sync>(
    data: &[T],
    shape: Shape,
    lift: &(impl Fn(T) -> A + Sync),
    combine: &(impl Fn(A, A) -> A + Sync),
) -> (Vec<A>, usize) {
    let Shape { outer, rows, inner } = shape;
    if outer * rows * inner == 0 || data.len() != outer * rows * inner {
        return (vec![], 0);
    }
    if rows > BLOCK {
        let parts = data
            .par_chunks_exact(rows * inner)
            .flat_map(|one| {
                one.par_chunks(BLOCK * inner)
                    .flat_map_iter(|block| one_fold(block, inner, lift, combine))
            })
            .collect();
        return (parts, rows.div_ceil(BLOCK));
    }
    let together = (TASK / (rows * inner)).max(1);
    let parts = data
        .par_chunks(together * rows * inner)
        .flat_map_iter(|some| {
            some.chunks_exact(rows * inner)
                .flat_map(|one| one_fold(one, inner, lift, combine))
                .collect::<Vec<A>>()
        })
        .collect();
    (parts, 1)
}

/// The fold of one `[rows, inner]` array with at least one row.
fn one_fold<T: Copy, A: Copy>(
    data: &[T],
    inner: usize,
    lift: &impl Fn(T) -> A,
    combine: &impl Fn(A, A) -> A,
) -> Vec<A> {
    if inner == 1 {
        return line(data, lift, combine).into_iter().collect();
    }
    let (first, rest) = data.split_at(inner);
    let mut out: Vec<A> = first.iter().map(|x| lift(*x)).collect();
    for row in rest.chunks_exact(inner) {
        for (o, x) in out.iter_mut().zip(row) {
            *o = combine(*o, lift(*x));
        }
    }
    out
}

fn line<T: Copy, A: Copy>(
    data: &[T],
    lift: &impl Fn(T) -> A,
    combine: &impl Fn(A, A) -> A,
) -> Option<A> {
    let sequence = |items: &[T]| items.iter().map(|x| lift(*x)).reduce(combine);
    let Some((first, rest)) = data.split_first_chunk::<LANES>() else {
        return sequence(data);
    };
    let mut lanes = first.map(lift);
    let chunks = rest.chunks_exact(LANES);
    let tail = sequence(chunks.remainder());
    for chunk in chunks {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane = combine(*lane, lift(*x));
        }
    }
    lanes.into_iter().chain(tail).reduce(combine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_folded_once() {
        for (outer, rows, inner) in [
            (1, 1, 1),
            (3, 5, 1),
            (2, 33, 1),
            (2, 7, 3),
            (1, 20_001, 1),
            (2, 9000, 2),
            (70_000, 2, 1),
        ] {
            let data: Vec<u32> = (0..(outer * rows * inner) as u32).collect();
            let got = fold(&data, Shape { outer, rows, inner }, u64::from, |a, b| a + b);
            let mut want = vec![0u64; outer * inner];
            for (i, x) in data.iter().enumerate() {
                want[i / (rows * inner) * inner + i % inner] += u64::from(*x);
            }
            assert_eq!(got, want);
        }
        assert!(
            fold(
                &[0u32; 0],
                Shape {
                    outer: 2,
                    rows: 0,
                    inner: 1
                },
                |x| x,
                |a, _| a
            )
            .is_empty()
        );
    }
}
