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
    /// Who wrote each granule last, by space; [`NO_ONE`] at first.
    owners: BTreeMap<MemorySpace, Vec<u32>>,
}

const NO_ONE: u32 = u32::MAX;

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
        let mut owners: BTreeMap<MemorySpace, Vec<u32>> = BTreeMap::new();
        for x in &extents {
            let granules = (x.address + x.bytes).div_ceil(x.granule()) as usize;
            let all = owners.entry(x.space).or_default();
            all.resize(all.len().max(granules), NO_ONE);
        }
        Overlaps { extents, owners }
    }

    /// Elements of other buffers whose bytes a write of `region` takes.
    pub fn taken_by(&mut self, region: &Region) -> Vec<(u32, Vec<usize>)> {
        let Some(x) = self.extents.iter().find(|x| x.buffer == region.buffer) else {
            return vec![];
        };
        let Some(owners) = self.owners.get_mut(&x.space) else {
            return vec![];
        };
        let mut new: Vec<u64> = vec![];
        x.granules(region, &mut |g| {
            if let Some(owner) = owners.get_mut(g as usize)
                && *owner != x.buffer
            {
                *owner = x.buffer;
                new.push(g);
            }
        });
        let mut out = vec![];
        let others = self.extents.iter();
        for other in others.filter(|o| o.buffer != x.buffer && o.space == x.space) {
            let mut taken: Vec<usize> = vec![];
            new.iter().for_each(|g| other.elements_in(*g, &mut taken));
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
        x.granules(a, &mut |g| {
            mine.insert(g);
        });
        let mut met = false;
        y.granules(b, &mut |g| met |= mine.contains(&g));
        met
    }
}

impl Extent {
    fn granule(&self) -> u64 {
        match self.space {
            MemorySpace::Smem | MemorySpace::SemaphoreMem => SCALAR_GRANULE,
            MemorySpace::Any | MemorySpace::Hbm | MemorySpace::Vmem => GRANULE,
        }
    }

    /// Every granule a region of this buffer lies in; one may come several times.
    fn granules(&self, region: &Region, visit: &mut impl FnMut(u64)) {
        let bits = self.map.element_bits;
        let mut span = |element: u64, n: u64| {
            let first = self.address * 8 + self.map.slot(element) * bits;
            let size = 8 * self.granule();
            (first / size..=(first + n * bits - 1) / size).for_each(&mut *visit);
        };
        let Some((run, step)) = region
            .dims
            .last()
            .copied()
            .zip(region.strides.last().copied())
        else {
            return span(region.offset as u64, 1);
        };
        // Elements of one row of a tile lie one after the other.
        let mut lines = region.clone();
        lines.dims.pop();
        lines.strides.pop();
        let row = self.map.dims.last().copied().unwrap_or(1).max(1);
        lines.each(&mut |start| {
            let mut at = 0;
            while at < run {
                let element = (start + at as i64 * step) as u64;
                let together = match (step, self.map.tile.1) {
                    (1, 1) => run - at,
                    (1, columns) => {
                        let column = element % row;
                        (columns - column % columns).min(row - column).min(run - at)
                    }
                    (_, _) => 1,
                };
                span(element, together);
                at += together;
            }
        });
    }

    /// Adds the elements that lie in a granule.
    fn elements_in(&self, granule: u64, out: &mut Vec<usize>) {
        let (size, bits) = (8 * self.granule(), self.map.element_bits);
        let (first, last) = (granule * size, granule * size + size - 1);
        let start = self.address * 8;
        if last < start {
            return;
        }
        let low = first.saturating_sub(start) / bits;
        let high = ((last - start) / bits).min(self.map.slots().saturating_sub(1));
        out.extend((low..=high).filter_map(|slot| self.map.element(slot)));
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
            Some([columns]) if dims.len() == 1 => (1, *columns),
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

    /// The element at a place of the buffer's memory; none in padding.
    fn element(&self, slot: u64) -> Option<usize> {
        if self.tile == (1, 1) {
            return (slot < self.dims.iter().product()).then_some(slot as usize);
        }
        let (m, n) = self.last_two();
        let (height, width) = self.tile;
        let (tile, inside) = (slot / (height * width), slot % (height * width));
        let (rows, columns) = (m.div_ceil(height), n.div_ceil(width));
        let row = tile / columns % rows * height + inside / width;
        let column = tile % columns * width + inside % width;
        let outer = tile / columns / rows;
        let outers: u64 = self.dims.iter().rev().skip(2).product();
        (row < m && column < n && outer < outers)
            .then_some(((outer * m + row) * n + column) as usize)
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
    fn every_element_has_a_place_of_its_own() {
        for dims in [&[5][..], &[3, 130], &[2, 9, 257], &[16, 128]] {
            for tile in [vec![], vec![vec![8, 128]], vec![vec![128]]] {
                let ty = MemRefType {
                    tiles: tile,
                    ..tiled(dims)
                };
                let map = Map::of(&ty, dims).expect("data");
                let n = dims.iter().product::<u64>();
                for e in 0..n {
                    assert!(map.slot(e) < map.slots());
                    assert_eq!(map.element(map.slot(e)), Some(e as usize));
                }
                let held = (0..map.slots()).filter_map(|s| map.element(s)).count();
                assert_eq!(held as u64, n);
            }
        }
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
