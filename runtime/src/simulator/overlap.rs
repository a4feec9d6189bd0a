//! Buffers that have bytes of a memory in common: which elements of the others a write takes.
//!
//! An element of a buffer lies where the first level of the buffer's tiles puts it, row-major without tiles. Ownership is kept by granule: as long as
//! a buffer writes granules that it wrote last, nothing else is looked at.

use super::view::Region;
use std::collections::BTreeMap;
use tileproof_dialect::tpu::{KernelOperand, MemRefType, MemorySpace, RefElement};

/// Bytes that are owned together.
const GRANULE: u64 = 32;
const SCALAR_GRANULE: u64 = 4;

/// Where the elements of one buffer lie.
#[derive(Debug, Clone)]
struct Extent {
    buffer: u32,
    space: MemorySpace,
    address: u64,
    bytes: u64,
    map: Map,
}

#[derive(Debug, Clone)]
struct Map {
    dims: Vec<u64>,
    tile: (u64, u64),
    element_bits: u64,
}

/// The overlaps of a kernel's buffers; empty for most kernels.
#[derive(Debug, Default)]
pub struct Overlaps {
    extents: Vec<Extent>,
    /// Who wrote a granule last.
    owners: BTreeMap<(MemorySpace, u64), u32>,
    /// Elements of each buffer by granule.
    elements: BTreeMap<(u32, u64), Vec<usize>>,
}

/// Bytes of a buffer, tiles filled up.
pub fn buffer_bytes(ty: &MemRefType, dims: &[u64]) -> u64 {
    let Some(map) = Map::of(ty, dims) else {
        return 0;
    };
    (map.slots() * map.element_bits).div_ceil(8)
}

/// First byte after the buffers of each space that have an address.
pub fn space_ends(operands: &[KernelOperand]) -> BTreeMap<MemorySpace, u64> {
    let mut out = BTreeMap::new();
    for o in operands {
        if let (Some(address), Some(dims)) = (o.address, o.buffer.static_dims()) {
            let end = address + buffer_bytes(&o.buffer, &dims);
            let space = out.entry(o.buffer.space).or_insert(0);
            *space = end.max(*space);
        }
    }
    out
}

impl Overlaps {
    /// `buffers`: number, type, sizes and address of each buffer that has one.
    pub fn new<'a>(
        buffers: impl Iterator<Item = (u32, &'a MemRefType, &'a [u64], u64)>,
    ) -> Overlaps {
        let mut extents: Vec<Extent> = buffers
            .filter_map(|(buffer, ty, dims, address)| {
                let map = Map::of(ty, dims)?;
                Some(Extent {
                    buffer,
                    space: ty.space,
                    address,
                    bytes: buffer_bytes(ty, dims),
                    map,
                })
            })
            .collect();
        let meets = |a: &Extent, b: &Extent| {
            a.space == b.space && a.address < b.address + b.bytes && b.address < a.address + a.bytes
        };
        let lonely: Vec<bool> = extents
            .iter()
            .map(|a| !extents.iter().any(|b| a.buffer != b.buffer && meets(a, b)))
            .collect();
        let mut lonely = lonely.into_iter();
        extents.retain(|_| !lonely.next().unwrap_or(true));
        let mut elements: BTreeMap<(u32, u64), Vec<usize>> = BTreeMap::new();
        for x in &extents {
            let n = x.map.dims.iter().product::<u64>();
            for e in 0..n {
                let (first, last) = x.granules_of(e);
                for g in first..=last {
                    elements.entry((x.buffer, g)).or_default().push(e as usize);
                }
            }
        }
        Overlaps {
            extents,
            owners: BTreeMap::new(),
            elements,
        }
    }

    /// Elements of other buffers whose bytes a write of `region` takes.
    pub fn taken_by(&mut self, region: &Region) -> Vec<(u32, Vec<usize>)> {
        let Some(x) = self.extents.iter().find(|x| x.buffer == region.buffer) else {
            return vec![];
        };
        let mut new: Vec<u64> = vec![];
        let mut last = None;
        let owners = &mut self.owners;
        region.each(&mut |e| {
            let (low, high) = x.granules_of(e as u64);
            for g in low..=high {
                if last == Some(g) {
                    continue;
                }
                last = Some(g);
                if owners.insert((x.space, g), x.buffer) != Some(x.buffer) {
                    new.push(g);
                }
            }
        });
        let mut out = vec![];
        for other in self
            .extents
            .iter()
            .filter(|o| o.buffer != x.buffer && o.space == x.space)
        {
            let mut taken: Vec<usize> = new
                .iter()
                .filter_map(|g| self.elements.get(&(other.buffer, *g)))
                .flatten()
                .copied()
                .collect();
            taken.sort_unstable();
            taken.dedup();
            if !taken.is_empty() {
                out.push((other.buffer, taken));
            }
        }
        out
    }

    /// Whether two regions have a granule in common.
    pub fn meet(&self, a: &Region, b: &Region) -> bool {
        let find = |r: &Region| self.extents.iter().find(|x| x.buffer == r.buffer);
        let (Some(x), Some(y)) = (find(a), find(b)) else {
            return false;
        };
        if x.buffer == y.buffer || x.space != y.space {
            return false;
        }
        let mut mine = std::collections::HashSet::new();
        a.each(&mut |e| {
            let (low, high) = x.granules_of(e as u64);
            mine.extend(low..=high);
        });
        let mut met = false;
        b.each(&mut |e| {
            let (low, high) = y.granules_of(e as u64);
            met |= (low..=high).any(|g| mine.contains(&g));
        });
        met
    }
}

impl Extent {
    /// First and last granule of an element.
    fn granules_of(&self, element: u64) -> (u64, u64) {
        let size = match self.space {
            MemorySpace::Smem | MemorySpace::SemaphoreMem => SCALAR_GRANULE,
            MemorySpace::Any | MemorySpace::Hbm | MemorySpace::Vmem => GRANULE,
        };
        let bit = self.address * 8 + self.map.slot(element) * self.map.element_bits;
        (bit / 8 / size, (bit + self.map.element_bits - 1) / 8 / size)
    }
}

impl Map {
    fn of(ty: &MemRefType, dims: &[u64]) -> Option<Map> {
        let element_bits = match &ty.element {
            RefElement::Data(e) => u64::from(e.bits()).max(1),
            RefElement::Semaphore | RefElement::DmaSemaphore => return None,
        };
        let tile = match ty.tiles.first().map(Vec::as_slice) {
            Some([rows, columns]) => (*rows, *columns),
            Some([columns]) => (1, *columns),
            Some(_) | None => (1, 1),
        };
        Some(Map {
            dims: dims.to_vec(),
            tile: (tile.0.max(1), tile.1.max(1)),
            element_bits,
        })
    }

    /// Sizes of the last two dimensions.
    fn last_two(&self) -> (u64, u64) {
        match self.dims[..] {
            [] => (1, 1),
            [n] => (1, n),
            [.., m, n] => (m, n),
        }
    }

    /// Elements the buffer has room for.
    fn slots(&self) -> u64 {
        let (m, n) = self.last_two();
        let outer: u64 = self.dims.iter().rev().skip(2).product();
        outer * m.next_multiple_of(self.tile.0) * n.next_multiple_of(self.tile.1)
    }

    /// Place of an element in the buffer's memory, in elements.
    fn slot(&self, element: u64) -> u64 {
        if self.tile == (1, 1) {
            return element;
        }
        let (m, n) = self.last_two();
        let (outer, row, column) = (element / (m * n), element / n % m, element % n);
        let (rows, columns) = (m.div_ceil(self.tile.0), n.div_ceil(self.tile.1));
        let tile = (outer * rows + row / self.tile.0) * columns + column / self.tile.1;
        (tile * self.tile.0 + row % self.tile.0) * self.tile.1 + column % self.tile.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::view::View;
    use tileproof_dialect::types::ElementType;

    fn tiled(dims: &[u64]) -> MemRefType {
        MemRefType {
            tiles: vec![vec![8, 128]],
            ..MemRefType::new(dims, ElementType::F32, MemorySpace::Vmem)
        }
    }

    #[test]
    fn tiles_are_filled_up() {
        assert_eq!(buffer_bytes(&tiled(&[3, 130]), &[3, 130]), 8 * 256 * 4);
        assert_eq!(
            buffer_bytes(&tiled(&[2, 9, 128]), &[2, 9, 128]),
            2 * 16 * 128 * 4
        );
        let plain = MemRefType::new(&[3, 5], ElementType::BF16, MemorySpace::Vmem);
        assert_eq!(buffer_bytes(&plain, &[3, 5]), 30);
    }

    #[test]
    fn a_write_takes_the_bytes_of_the_other_buffer_once() {
        let (a, b) = (tiled(&[8, 256]), tiled(&[8, 128]));
        let dims: [&[u64]; 2] = [&[8, 256], &[8, 128]];
        let buffers = [(0, &a, dims[0], 0), (1, &b, dims[1], 4096)];
        let mut o = Overlaps::new(buffers.into_iter());
        // The first tile of buffer 0 lies before buffer 1.
        let left = View::whole(0, &[8, 256])
            .access(&[0, 0], &[8, 128], &[])
            .region;
        assert!(o.taken_by(&left).is_empty());
        let right = View::whole(0, &[8, 256])
            .access(&[0, 128], &[1, 128], &[])
            .region;
        let taken = o.taken_by(&right);
        assert_eq!(taken, [(1, (0..128).collect::<Vec<usize>>())]);
        assert!(o.taken_by(&right).is_empty());
        let whole = View::whole(1, &[8, 128]).all().region;
        assert!(o.meet(&right, &whole) && !o.meet(&left, &whole));
        // All of the second tile: also what buffer 0 has not written yet is gone.
        assert_eq!(o.taken_by(&whole)[0].1.len(), 1024);
    }
}
