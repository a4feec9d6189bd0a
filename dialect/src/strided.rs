//! Copies elements between two strided views: the one loop behind transposes, slices, broadcasts, pads and concatenations.

use bytemuck::Pod;

/// Element `i0, i1, ..` of a view lies at `offset + i0*strides[0] + i1*strides[1] + ..`, in elements.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub offset: i64,
    pub strides: &'a [i64],
}

/// Copies every element of the view `from` of `source` to the same index of the view `to` of `target`. Both are the bytes of a plane whose elements
/// have `bytes` bytes. Every index reached must be in range; the indices of `to` must be distinct.
pub fn copy(
    dims: &[u64],
    source: &[u8],
    from: View<'_>,
    target: &mut [u8],
    to: View<'_>,
    bytes: usize,
) {
    match bytes {
        1 => copy_as::<u8>(dims, source, from, target, to),
        2 => copy_as::<u16>(dims, source, from, target, to),
        4 => copy_as::<u32>(dims, source, from, target, to),
        8 => copy_as::<u64>(dims, source, from, target, to),
        _ => copy_as::<u128>(dims, source, from, target, to),
    }
}

/// One loop: size, stride in the source, stride in the target.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Loop {
    size: usize,
    from: i64,
    to: i64,
}

fn copy_as<T: Pod>(dims: &[u64], source: &[u8], from: View<'_>, target: &mut [u8], to: View<'_>) {
    if dims.contains(&0) {
        return;
    }
    let loops = merged(dims, from.strides, to.strides);
    let (source, target): (&[T], &mut [T]) = (
        bytemuck::cast_slice(source),
        bytemuck::cast_slice_mut(target),
    );
    nest(&loops, source, from.offset, target, to.offset);
}

/// The loops without those of size 1, adjacent ones joined where both views run on without a gap.
fn merged(dims: &[u64], from: &[i64], to: &[i64]) -> Vec<Loop> {
    let mut loops: Vec<Loop> = vec![];
    for ((size, from), to) in dims.iter().zip(from).zip(to) {
        let inner = Loop {
            size: *size as usize,
            from: *from,
            to: *to,
        };
        match loops.last_mut() {
            _ if inner.size == 1 => {}
            Some(outer)
                if outer.from == inner.from * inner.size as i64
                    && outer.to == inner.to * inner.size as i64 =>
            {
                *outer = Loop {
                    size: outer.size * inner.size,
                    ..inner
                };
            }
            Some(_) | None => loops.push(inner),
        }
    }
    loops
}

fn nest<T: Pod>(loops: &[Loop], source: &[T], from: i64, target: &mut [T], to: i64) {
    match loops {
        [] => target[to as usize] = source[from as usize],
        [one] => line(*one, source, from, target, to),
        [a, b] if is_transpose(*a, *b) => transpose(*a, *b, source, from, target, to),
        [a, .., b] if is_transpose(*a, *b) => {
            // The transposed pair innermost: the loops between them go outside.
            let between = &loops[1..loops.len() - 1];
            each(between, from, to, &mut |from, to| {
                transpose(*a, *b, source, from, target, to)
            });
        }
        [outer, inner @ ..]
            if outer.from == 0 && outer.to > 0 && dense(inner) == Some(outer.to) =>
        {
            // Repeats one block: make it once, then double what is there.
            nest(inner, source, from, target, to);
            let (start, block) = (to as usize, outer.to as usize);
            let mut done = 1;
            while done < outer.size {
                let more = done.min(outer.size - done);
                target.copy_within(start..start + more * block, start + done * block);
                done += more;
            }
        }
        [outer, inner @ ..] => {
            for i in 0..outer.size as i64 {
                nest(
                    inner,
                    source,
                    from + i * outer.from,
                    target,
                    to + i * outer.to,
                );
            }
        }
    }
}

/// Number of elements the loops write, if they write them without gaps.
fn dense(loops: &[Loop]) -> Option<i64> {
    let mut next = 1;
    for l in loops.iter().rev() {
        if l.to != next {
            return None;
        }
        next *= l.size as i64;
    }
    Some(next)
}

/// Whether the source runs along `a` and the target along `b`, or the other way round.
fn is_transpose(a: Loop, b: Loop) -> bool {
    (a.from == 1 && b.to == 1) || (a.to == 1 && b.from == 1)
}

fn each(loops: &[Loop], from: i64, to: i64, body: &mut impl FnMut(i64, i64)) {
    match loops {
        [] => body(from, to),
        [outer, inner @ ..] => {
            for i in 0..outer.size as i64 {
                each(inner, from + i * outer.from, to + i * outer.to, body);
            }
        }
    }
}

/// Two loops in square blocks that fit the first-level cache on both sides.
fn transpose<T: Pod>(a: Loop, b: Loop, source: &[T], from: i64, target: &mut [T], to: i64) {
    // `rows` has consecutive source elements, `columns` consecutive target elements.
    let (rows, columns) = if a.from == 1 && b.to == 1 {
        (a, b)
    } else {
        (b, a)
    };
    let block = (128 / size_of::<T>()).clamp(8, 64);
    for r0 in (0..rows.size).step_by(block) {
        let height = block.min(rows.size - r0);
        for c0 in (0..columns.size).step_by(block) {
            let width = block.min(columns.size - c0);
            let (from, to) = (
                from + r0 as i64 + c0 as i64 * columns.from,
                to + r0 as i64 * rows.to + c0 as i64,
            );
            if width < 8 {
                for c in 0..width {
                    let from = (from + c as i64 * columns.from) as usize;
                    let column = &source[from..from + height];
                    let mut at = to + c as i64;
                    for value in column {
                        target[at as usize] = *value;
                        at += rows.to;
                    }
                }
                continue;
            }
            for r in 0..height as i64 {
                let to = (to + r * rows.to) as usize;
                let mut at = from + r;
                for o in &mut target[to..to + width] {
                    *o = source[at as usize];
                    at += columns.from;
                }
            }
        }
    }
}

fn line<T: Pod>(l: Loop, source: &[T], from: i64, target: &mut [T], to: i64) {
    match (l.from, l.to) {
        (1, 1) => target[to as usize..to as usize + l.size]
            .copy_from_slice(&source[from as usize..from as usize + l.size]),
        (0, 1) => target[to as usize..to as usize + l.size].fill(source[from as usize]),
        (stride, 1) => {
            let mut at = from;
            for o in &mut target[to as usize..to as usize + l.size] {
                *o = source[at as usize];
                at += stride;
            }
        }
        (_, _) => {
            for i in 0..l.size as i64 {
                target[(to + i * l.to) as usize] = source[(from + i * l.from) as usize];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{builder::Sampler, tensor::row_major_strides};

    /// The definition, index by index.
    fn plain(dims: &[u64], source: &[u32], from: View<'_>, target: &mut [u32], to: View<'_>) {
        let strides = row_major_strides(dims);
        for i in 0..dims.iter().product::<u64>() as i64 {
            let at = |v: View<'_>| {
                let index = strides.iter().zip(dims).map(|(s, d)| i / s % *d as i64);
                v.offset + index.zip(v.strides).map(|(i, s)| i * s).sum::<i64>()
            };
            target[at(to) as usize] = source[at(from) as usize];
        }
    }

    #[test]
    fn every_shape_of_loops_agrees_with_the_definition() {
        let mut s = Sampler::new(5, 4);
        for _ in 0..600 {
            let rank = s.range(1, 4) as usize;
            let dims: Vec<u64> = (0..rank).map(|_| *s.pick(&[1, 2, 3, 8, 9, 17])).collect();
            let shuffled = |s: &mut Sampler| {
                // A permuted, sometimes spread or reversed view of a fresh row-major array.
                let mut order: Vec<usize> = (0..rank).collect();
                (1..rank).for_each(|i| order.swap(i, s.range(0, i as u64) as usize));
                let (mut next, mut strides, mut offset) =
                    (if s.range(0, 3) == 0 { 2 } else { 1 }, vec![0i64; rank], 0);
                for d in order {
                    strides[d] = next;
                    next *= dims[d] as i64;
                    if s.range(0, 4) == 0 {
                        offset += strides[d] * (dims[d] as i64 - 1);
                        strides[d] = -strides[d];
                    }
                }
                (offset, strides, next as usize)
            };
            let (mut offset, mut strides, n) = shuffled(&mut s);
            if s.range(0, 1) == 0 {
                // A broadcast dimension reads one element again and again.
                let d = s.range(0, rank as u64 - 1) as usize;
                if strides[d] < 0 {
                    offset += strides[d] * (dims[d] as i64 - 1);
                }
                strides[d] = 0;
            }
            let from = View {
                offset,
                strides: &strides,
            };
            let (offset, strides, m) = if s.range(0, 2) == 0 {
                shuffled(&mut s)
            } else {
                (
                    0,
                    row_major_strides(&dims),
                    dims.iter().product::<u64>() as usize,
                )
            };
            let to = View {
                offset,
                strides: &strides,
            };
            let source: Vec<u32> = (0..n as u32).collect();
            let (mut want, mut got) = (vec![u32::MAX; m], vec![u32::MAX; m]);
            plain(&dims, &source, from, &mut want, to);
            copy(
                &dims,
                bytemuck::cast_slice(&source),
                from,
                bytemuck::cast_slice_mut(&mut got),
                to,
                4,
            );
            assert_eq!(got, want, "{dims:?} {from:?} {to:?}");
        }
    }
}
