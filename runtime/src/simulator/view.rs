//! References: windows into a buffer, and the elements an access reaches.

use smallvec::SmallVec;
use tileproof_dialect::{tensor::row_major_strides, types::ElementType};

/// A reference. Coordinate `i0, i1, ..` is element `offset + i0*strides[0] + ..` of the buffer, in row-major order of the buffer's elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    pub buffer: u32,
    pub offset: i64,
    pub dims: SmallVec<[u64; 4]>,
    pub strides: SmallVec<[i64; 4]>,
    /// Coordinates that lie in the buffer, a range a dimension.
    pub inside: SmallVec<[(i64, i64); 4]>,
    /// Element type the bits are read as, where it is not the buffer's.
    pub cast: Option<ElementType>,
}

/// Elements of a buffer: element `i0, i1, ..` of the access is element `offset + i0*strides[0] + ..` of the buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    pub buffer: u32,
    pub offset: i64,
    pub dims: SmallVec<[u64; 4]>,
    pub strides: SmallVec<[i64; 4]>,
}

/// An access with indices outside its reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outside {
    pub dimension: u32,
    pub index: i64,
    pub size: u64,
}

/// A range (from, to) a dimension.
pub type Ranges = SmallVec<[(u64, u64); 4]>;

/// The elements an access reaches: all, or those `part` of it (a range a dimension) that lie inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    pub region: Region,
    pub part: Option<(Ranges, Outside)>,
}

impl Reach {
    /// The elements that lie inside.
    pub fn inside(&self) -> Region {
        match &self.part {
            Some((part, _)) => self.region.part(part),
            None => self.region.clone(),
        }
    }
}

impl View {
    /// All of a buffer.
    pub fn whole(buffer: u32, dims: &[u64]) -> View {
        View {
            buffer,
            offset: 0,
            dims: dims.iter().copied().collect(),
            strides: row_major_strides(dims).into_iter().collect(),
            inside: dims.iter().map(|d| (0, *d as i64)).collect(),
            cast: None,
        }
    }

    pub fn elements(&self) -> u64 {
        self.dims.iter().product()
    }

    /// Whether every coordinate lies in the buffer.
    pub fn is_inside(&self) -> bool {
        self.dims
            .iter()
            .zip(&self.inside)
            .all(|(d, (low, high))| *low <= 0 && *high >= *d as i64)
    }

    /// The elements from `starts` on, `sizes` of them, `steps` apart.
    pub fn access(&self, starts: &[i64], sizes: &[u64], steps: &[u64]) -> Reach {
        let mut offset = self.offset;
        let mut strides = SmallVec::with_capacity(sizes.len());
        let mut part: SmallVec<[(u64, u64); 4]> = SmallVec::with_capacity(sizes.len());
        let mut outside = None;
        for (d, (start, size)) in starts.iter().zip(sizes).enumerate() {
            let step = steps.get(d).map_or(1, |s| *s as i64);
            let (low, high) = self.inside[d];
            let (low, high) = (low.max(0), high.min(self.dims[d] as i64));
            // An index may be any number: an offset that leaves the range comes back with the part that lies inside, or reaches nothing.
            offset = offset.wrapping_add(start.wrapping_mul(self.strides[d]));
            strides.push(self.strides[d].wrapping_mul(step));
            let last = start.saturating_add((*size as i64 - 1).saturating_mul(step));
            if *start >= low && last < high || *size == 0 {
                part.push((0, *size));
                continue;
            }
            if outside.is_none() {
                outside = Some(Outside {
                    dimension: d as u32,
                    index: if *start < low { *start } else { last },
                    size: high.max(0) as u64,
                });
            }
            let size = *size as i64;
            let (above, below) = (low.saturating_sub(*start), high.saturating_sub(*start));
            let first = above.saturating_add(step - 1).div_euclid(step);
            let first = first.clamp(0, size);
            let end = (below.saturating_sub(1).div_euclid(step) + 1).clamp(first, size);
            part.push((first as u64, end as u64));
        }
        Reach {
            region: Region {
                buffer: self.buffer,
                offset,
                dims: sizes.iter().copied().collect(),
                strides,
            },
            part: outside.map(|o| (part, o)),
        }
    }

    /// All elements of the reference.
    pub fn all(&self) -> Reach {
        let starts: SmallVec<[i64; 4]> = self.dims.iter().map(|_| 0).collect();
        self.access(&starts, &self.dims, &[])
    }

    /// The window from `offsets` on. Coordinates outside this reference stay outside.
    pub fn slice(&self, offsets: &[i64], sizes: &[u64]) -> View {
        let mut out = View {
            buffer: self.buffer,
            offset: self.offset,
            dims: sizes.iter().copied().collect(),
            strides: self.strides.clone(),
            inside: SmallVec::with_capacity(sizes.len()),
            cast: self.cast.clone(),
        };
        for (d, start) in offsets.iter().enumerate() {
            let (low, high) = self.inside[d];
            let (low, high) = (low.max(0), high.min(self.dims[d] as i64));
            let from = start.wrapping_mul(self.strides[d]);
            out.offset = out.offset.wrapping_add(from);
            let inside = (low.saturating_sub(*start), high.saturating_sub(*start));
            out.inside.push(inside);
        }
        out
    }

    /// Without dimensions of size 1 until the sizes are `dims`; none when they do not fit.
    pub fn squeezed(&self, dims: &[u64]) -> Option<View> {
        let mut out = View {
            dims: SmallVec::new(),
            strides: SmallVec::new(),
            inside: SmallVec::new(),
            ..self.clone()
        };
        let mut wanted = dims.iter().peekable();
        let mut gone = true;
        for d in 0..self.dims.len() {
            let left = self.dims.len() - d;
            if self.dims[d] == 1 && left > wanted.len() {
                gone &= self.inside[d].0 <= 0 && self.inside[d].1 >= 1;
                continue;
            }
            if wanted.next() != Some(&self.dims[d]) {
                return None;
            }
            out.dims.push(self.dims[d]);
            out.strides.push(self.strides[d]);
            out.inside.push(self.inside[d]);
        }
        if !gone {
            out.inside.iter_mut().for_each(|r| *r = (0, 0));
        }
        wanted.next().is_none().then_some(out)
    }

    /// The same row-major elements under other sizes; none where they do not lie one after the other.
    pub fn reshaped(&self, dims: &[u64]) -> Option<View> {
        let strides = row_major_strides(&self.dims);
        let dense = self
            .dims
            .iter()
            .zip(self.strides.iter().zip(&strides))
            .all(|(d, (have, want))| *d == 1 || have == want);
        let fits = dims.iter().product::<u64>() == self.elements();
        (dense && fits && self.is_inside()).then(|| View {
            offset: self.offset,
            cast: self.cast.clone(),
            ..View::whole(self.buffer, dims)
        })
    }
}

impl Region {
    /// The part of the region with coordinates in `ranges`.
    pub fn part(&self, ranges: &[(u64, u64)]) -> Region {
        let mut out = self.clone();
        for (d, (low, high)) in ranges.iter().enumerate() {
            let from = (*low as i64).wrapping_mul(self.strides[d]);
            out.offset = out.offset.wrapping_add(from);
            out.dims[d] = high - low;
        }
        if out.elements() == 0 {
            out.offset = 0;
        }
        out
    }

    pub fn elements(&self) -> u64 {
        self.dims.iter().product()
    }

    /// Whether both reach an element in common.
    pub fn meets(&self, other: &Region) -> bool {
        if self.buffer != other.buffer || self.elements() == 0 || other.elements() == 0 {
            return false;
        }
        let (a, b) = (self.span(), other.span());
        if a.1 < b.0 || b.1 < a.0 {
            return false;
        }
        match (self.boxed(other), other.boxed(self)) {
            (Some(a), Some(b)) => a.iter().zip(&b).all(|(a, b)| a.0 <= b.1 && b.0 <= a.1),
            (_, _) => {
                let (few, many) = if self.elements() <= other.elements() {
                    (self, other)
                } else {
                    (other, self)
                };
                let mut all = std::collections::HashSet::new();
                few.each(&mut |e| {
                    all.insert(e);
                });
                let mut met = false;
                many.each(&mut |e| met |= all.contains(&e));
                met
            }
        }
    }

    /// First and last element.
    pub fn span(&self) -> (i64, i64) {
        let (mut low, mut high) = (self.offset, self.offset);
        for (d, s) in self.dims.iter().zip(&self.strides) {
            let reach = (*d as i64 - 1).max(0) * s;
            if reach < 0 {
                low += reach;
            } else {
                high += reach;
            }
        }
        (low, high)
    }

    /// Coordinates (first, last) of the region in a grid of the strides both regions have; none when they have no grid in common.
    fn boxed(&self, other: &Region) -> Option<SmallVec<[(i64, i64); 4]>> {
        let mut grid: SmallVec<[i64; 8]> = SmallVec::new();
        for r in [self, other] {
            for (d, s) in r.dims.iter().zip(&r.strides) {
                if *d > 1 {
                    if *s <= 0 {
                        return None;
                    }
                    grid.push(*s);
                }
            }
        }
        grid.push(1);
        grid.sort_unstable_by(|a, b| b.cmp(a));
        grid.dedup();
        if grid.windows(2).any(|w| w[0] % w[1] != 0) {
            return None;
        }
        let mut rest = self.offset;
        let mut out = SmallVec::new();
        for (i, g) in grid.iter().enumerate() {
            let first = rest.div_euclid(*g);
            rest = rest.rem_euclid(*g);
            let own = self
                .dims
                .iter()
                .zip(&self.strides)
                .find(|(d, s)| **d > 1 && *s == g);
            let last = first + own.map_or(0, |(d, _)| *d as i64 - 1);
            // A coordinate that runs over the next larger stride is no grid.
            if i > 0 && last >= grid[i - 1] / g {
                return None;
            }
            out.push((first, last));
        }
        Some(out)
    }

    /// Every element.
    pub fn each(&self, visit: &mut impl FnMut(i64)) {
        fn go(dims: &[u64], strides: &[i64], at: i64, visit: &mut impl FnMut(i64)) {
            match (dims, strides) {
                ([d, dims @ ..], [s, strides @ ..]) => {
                    for i in 0..*d as i64 {
                        go(dims, strides, at + i * s, visit);
                    }
                }
                (_, _) => visit(at),
            }
        }
        go(&self.dims, &self.strides, self.offset, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::builder::Sampler;

    #[test]
    fn what_lies_outside_is_cut_off_and_named() {
        let v = View::whole(0, &[8, 16]);
        assert_eq!(v.access(&[2, 4], &[2, 4], &[]).part, None);
        let a = v.access(&[6, 14], &[4, 4], &[]);
        let (part, outside) = a.part.expect("outside");
        assert_eq!(part[..], [(0, 2), (0, 2)]);
        assert_eq!((outside.dimension, outside.index, outside.size), (0, 9, 8));
        let a = v.access(&[-1, 0], &[2, 16], &[]);
        assert_eq!(a.part.map(|(p, _)| p[0]), Some((1, 2)));
        let strided = v.access(&[1, 0], &[4, 16], &[2, 1]);
        assert_eq!(strided.part, None);
        assert_eq!(strided.region.strides[..], [32, 1]);
        assert!(v.access(&[2, 0], &[4, 16], &[2, 1]).part.is_some());
    }

    #[test]
    fn an_index_may_be_any_number() {
        let v = View::whole(0, &[8, 16]);
        for start in [i64::MAX, i64::MAX - 3, i64::MIN, i64::MIN + 3, 1 << 62] {
            for steps in [&[][..], &[3, 1]] {
                let a = v.access(&[start, 0], &[4, 16], steps);
                assert!(a.part.is_some(), "{start}");
                assert_eq!(a.inside().elements(), 0, "{start}");
                assert_eq!(a.inside().span(), (0, 15), "{start}");
            }
            let far = v.slice(&[start, start], &[4, 4]);
            assert!(!far.is_inside());
            for at in [0, 1, start] {
                let a = far.access(&[at, at], &[2, 2], &[]);
                assert_eq!(a.inside().elements(), 0, "{start} {at}");
            }
        }
    }

    #[test]
    fn a_slice_past_the_end_keeps_what_is_inside() {
        let v = View::whole(0, &[10, 4]).slice(&[8, 0], &[4, 4]);
        assert!(!v.is_inside());
        assert_eq!(v.access(&[0, 0], &[2, 4], &[]).part, None);
        assert!(v.access(&[0, 0], &[3, 4], &[]).part.is_some());
        let row = v.slice(&[3, 0], &[1, 4]).squeezed(&[4]).expect("fits");
        assert_eq!(
            row.access(&[0], &[4], &[]).part.map(|(p, _)| p[0]),
            Some((0, 0))
        );
    }

    #[test]
    fn regions_meet_where_they_have_an_element_in_common() {
        let mut s = Sampler::new(3, 4);
        for _ in 0..2000 {
            let v = View::whole(0, &[3, 6, 8]);
            let mut region = || {
                let mut pick = |n: u64| {
                    let start = s.range(0, n - 1);
                    let size = s.range(1, n - start);
                    let step = s.range(1, 2);
                    (start as i64, size.div_ceil(step), step)
                };
                let [a, b, c] = [3, 6, 8].map(&mut pick);
                v.access(&[a.0, b.0, c.0], &[a.1, b.1, c.1], &[a.2, b.2, c.2])
                    .region
            };
            let (a, b) = (region(), region());
            let mut all = vec![];
            a.each(&mut |e| all.push(e));
            let mut want = false;
            b.each(&mut |e| want |= all.contains(&e));
            assert_eq!(a.meets(&b), want, "{a:?} {b:?}");
        }
    }
}
