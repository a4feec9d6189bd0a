//! Memories: the buffers of a kernel with the validity of every element, and what an access reads and writes.
//!
//! A buffer keeps its elements by row-major index. Buffers that have bytes in common ([`super::overlap`]) spoil each other: writing one makes the
//! elements of the other that lie there invalid.

use super::{
    cell::{Lanes, all_tagged, all_valid, no_tags},
    overlap::Overlaps,
    shadow::Shadow,
    view::{Outside, Reach, Region, View},
};
use tileproof_dialect::{
    buffer::Buffer,
    eval::{Events, Stop},
    hlo::elementwise::choice,
    planes::{Planes, ring},
    tensor::{Tensor, count},
    tpu::{
        KernelOperand, MemRefType, RefElement,
        hazard::{Origin, Place},
    },
    types::ElementType,
};

/// What memory holds that nothing wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fill {
    /// NaN, residue undefined; odd integers.
    Poison,
    /// Numbers of a seed, as another kernel might leave them.
    LeftOver(u64),
}

/// A semaphore.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counter {
    /// What has been counted and not taken off.
    pub value: u64,
    /// All that copies and signals count sooner or later.
    pub promised: u64,
    /// All that waits took off.
    pub taken: u64,
}

#[derive(Debug, Clone)]
pub enum Contents {
    Data(Lanes),
    Counters(Vec<Counter>),
}

/// One buffer.
#[derive(Debug, Clone)]
pub struct Stored {
    pub place: Place,
    pub ty: MemRefType,
    pub dims: Vec<u64>,
    pub contents: Contents,
    /// Elements written since the tags of all were looked at.
    written: u64,
    /// The buffer whose memory this one takes over: its elements are overwritten with these.
    pub takes: Option<u32>,
}

/// All buffers of a running kernel.
#[derive(Debug)]
pub struct Memory {
    pub buffers: Vec<Stored>,
    pub overlaps: Overlaps,
    pub planes: Planes,
    pub fill: Fill,
    /// Whether validity is tracked.
    pub shadowed: bool,
}

impl Memory {
    pub fn new(planes: Planes, fill: Fill, shadowed: bool) -> Memory {
        Memory {
            buffers: vec![],
            overlaps: Overlaps::default(),
            planes,
            fill,
            shadowed,
        }
    }

    /// Adds a buffer of sizes `dims` that holds `value`, or nothing.
    pub fn add(
        &mut self,
        place: Place,
        ty: &MemRefType,
        dims: Vec<u64>,
        value: Option<Tensor>,
        shadow: &mut Shadow,
    ) -> u32 {
        let contents = match &ty.element {
            RefElement::Data(element) => Contents::Data(match value {
                Some(value) => Lanes::from(value.reshaped(&dims)),
                None => self.nothing(&dims, element, Origin::Uninitialized(place), shadow),
            }),
            RefElement::Semaphore | RefElement::DmaSemaphore => {
                Contents::Counters(vec![Counter::default(); count(&dims).max(1)])
            }
        };
        self.buffers.push(Stored {
            place,
            ty: ty.clone(),
            dims,
            contents,
            written: 0,
            takes: None,
        });
        self.buffers.len() as u32 - 1
    }

    pub fn stored(&self, buffer: u32) -> Result<&Stored, Stop> {
        self.buffers
            .get(buffer as usize)
            .ok_or_else(|| Stop::internal("a reference to no buffer"))
    }

    pub fn place(&self, buffer: u32) -> Result<Place, Stop> {
        Ok(self.stored(buffer)?.place)
    }

    /// Invalid elements.
    pub fn nothing(
        &self,
        dims: &[u64],
        element: &ElementType,
        origin: Origin,
        shadow: &mut Shadow,
    ) -> Lanes {
        Lanes {
            value: filling(dims, element, self.planes, self.fill),
            tags: self.shadowed.then(|| all_tagged(dims, shadow.root(origin))),
        }
    }

    pub fn data(&self, buffer: u32) -> Result<&Lanes, Stop> {
        match &self.stored(buffer)?.contents {
            Contents::Data(lanes) => Ok(lanes),
            Contents::Counters(_) => Err(Stop::internal("a semaphore is read as data")),
        }
    }

    pub fn data_mut(&mut self, buffer: u32) -> Result<&mut Lanes, Stop> {
        match self
            .buffers
            .get_mut(buffer as usize)
            .map(|b| &mut b.contents)
        {
            Some(Contents::Data(lanes)) => Ok(lanes),
            Some(Contents::Counters(_)) | None => {
                Err(Stop::internal("a semaphore is read as data"))
            }
        }
    }

    /// Semaphore `view` points at: its buffer and number.
    pub fn counter_mut(&mut self, view: &View) -> Result<&mut Counter, Stop> {
        match self
            .buffers
            .get_mut(view.buffer as usize)
            .map(|b| &mut b.contents)
        {
            Some(Contents::Counters(all)) => usize::try_from(view.offset)
                .ok()
                .and_then(|at| all.get_mut(at))
                .ok_or_else(|| Stop::internal("a semaphore outside its buffer")),
            Some(Contents::Data(_)) | None => Err(Stop::internal("data is used as a semaphore")),
        }
    }

    /// Whether an index outside the buffer still lies in the padding of its last tiles.
    pub fn is_padding(&self, region: &Region, outside: &Outside) -> Result<bool, Stop> {
        let stored = self.stored(region.buffer)?;
        let rank = stored.dims.len();
        let tile: &[u64] = stored.ty.tiles.first().map_or(&[], Vec::as_slice);
        let d = outside.dimension as usize + rank.saturating_sub(region.dims.len());
        let filled = |d: usize| {
            let tile = (d + tile.len()).checked_sub(rank).and_then(|t| tile.get(t));
            stored.dims[d].next_multiple_of(tile.copied().unwrap_or(1).max(1))
        };
        let of_buffer = region.dims.len() == rank && stored.dims.get(d) == Some(&outside.size);
        Ok(of_buffer && outside.index >= 0 && (outside.index as u64) < filled(d))
    }

    /// What an access reads. Elements outside are invalid.
    pub fn load(&self, access: &Reach, shadow: &mut Shadow) -> Result<Lanes, Stop> {
        let origin = Origin::OutOfBounds(self.place(access.region.buffer)?);
        self.load_from(access, origin, shadow)
    }

    /// What an access reads; elements outside are invalid from `origin` on.
    pub fn load_from(
        &self,
        access: &Reach,
        origin: Origin,
        shadow: &mut Shadow,
    ) -> Result<Lanes, Stop> {
        let lanes = self.data(access.region.buffer)?;
        let read = |r: &Region| lanes.moved(|t| t.strided(&r.dims, r.offset, &r.strides));
        let Some((part, _)) = &access.part else {
            return Ok(read(&access.region));
        };
        let out = self.nothing(&access.region.dims, lanes.value.element(), origin, shadow);
        let inner = access.region.part(part);
        if inner.elements() == 0 {
            return Ok(out);
        }
        let (offset, strides) = placed(&access.region.dims, part);
        Ok(out.written(&read(&inner), |t, p| t.written(p, offset, &strides)))
    }

    /// Writes `value`; elements outside are dropped.
    pub fn store(&mut self, access: &Reach, value: Lanes, shadow: &mut Shadow) -> Result<(), Stop> {
        let Some((part, _)) = &access.part else {
            return self.put(&access.region, value, shadow);
        };
        let inner = access.region.part(part);
        if inner.elements() == 0 {
            return Ok(());
        }
        let (offset, strides) = placed(&access.region.dims, part);
        let value = value.moved(|t| t.strided(&inner.dims, offset, &strides));
        self.put(&inner, value, shadow)
    }

    fn put(&mut self, region: &Region, value: Lanes, shadow: &mut Shadow) -> Result<(), Stop> {
        self.spoil(region, &value, shadow)?;
        let dims = self.stored(region.buffer)?.dims.clone();
        let whole = value.value.len() == count(&dims)
            && *region == View::whole(region.buffer, &dims).all().region;
        let Some(stored) = self.buffers.get_mut(region.buffer as usize) else {
            return Err(Stop::internal("a reference to no buffer"));
        };
        let Contents::Data(mine) = &mut stored.contents else {
            return Err(Stop::internal("data is written to a semaphore"));
        };
        if whole {
            *mine = Lanes {
                value: value.value.reshaped(&dims),
                tags: value.tags.map(|t| t.reshaped(&dims)),
            };
            return Ok(());
        }
        *mine =
            taken(mine).overwritten(&value, |t, p| t.written(p, region.offset, &region.strides));
        // Looking at all tags costs as much as writing all elements.
        stored.written += region.elements();
        if stored.written >= mine.value.len() as u64 {
            stored.written = 0;
            if mine.tags.as_ref().is_some_and(all_valid) {
                mine.tags = None;
            }
        }
        Ok(())
    }

    /// What a write does to other buffers.
    fn spoil(&mut self, region: &Region, value: &Lanes, shadow: &mut Shadow) -> Result<(), Stop> {
        let stored = self.stored(region.buffer)?;
        let by = stored.place;
        if let Some(other) = stored.takes {
            let place = self.place(other)?;
            let tag = shadow.root(Origin::Overwritten { place, by });
            let shadowed = self.shadowed;
            let part = Lanes {
                value: value.value.clone(),
                tags: shadowed.then(|| all_tagged(value.value.dims(), tag)),
            };
            let theirs = self.data_mut(other)?;
            *theirs = taken(theirs)
                .overwritten(&part, |t, p| t.written(p, region.offset, &region.strides));
        }
        for (other, elements) in self.overlaps.taken_by(region) {
            let place = self.place(other)?;
            let tag = shadow.root(Origin::Overwritten { place, by });
            let (planes, fill, shadowed) = (self.planes, self.fill, self.shadowed);
            let theirs = self.data_mut(other)?;
            let n = [elements.len() as u64];
            let part = Lanes {
                value: filling(&n, theirs.value.element(), planes, fill),
                tags: shadowed.then(|| all_tagged(&n, tag)),
            };
            *theirs = taken(theirs).overwritten(&part, |t, p| t.put(p, &elements));
        }
        Ok(())
    }

    /// Makes all elements of a buffer invalid.
    pub fn forget(&mut self, buffer: u32, origin: Origin, shadow: &mut Shadow) -> Result<(), Stop> {
        let lanes = self.data(buffer)?;
        let nothing = self.nothing(lanes.value.dims(), lanes.value.element(), origin, shadow);
        *self.data_mut(buffer)? = nothing;
        Ok(())
    }
}

/// What is there, for writing in place; nothing is left.
fn taken(lanes: &mut Lanes) -> Lanes {
    let nothing = Tensor::from_slice::<u8>(&[0], ElementType::I8, &[]);
    std::mem::replace(lanes, Lanes::from(nothing))
}

/// Lanes of `value` where `mask` holds, else of `old`. An invalid mask makes the lane invalid.
pub fn masked(mask: &Lanes, value: &Lanes, old: &Lanes) -> Lanes {
    let pick = |a: &Tensor, b: &Tensor| choice::select(mask.value.as_slice(), None, a, b);
    let tags = if value.tags.is_none() && old.tags.is_none() && mask.tags.is_none() {
        None
    } else {
        let dims = value.value.dims();
        let of = |l: &Lanes| l.tags.clone().unwrap_or_else(|| no_tags(dims));
        super::shadow::union(mask.tags.clone(), Some(&pick(&of(value), &of(old))))
    };
    Lanes {
        value: pick(&value.value, &old.value),
        tags,
    }
    .tidied()
}

/// Offset and strides of the part of a row-major array of sizes `dims`.
fn placed(dims: &[u64], part: &[(u64, u64)]) -> (i64, Vec<i64>) {
    let strides = tileproof_dialect::tensor::row_major_strides(dims);
    let offset = strides
        .iter()
        .zip(part)
        .map(|(s, (low, _))| s * *low as i64)
        .sum();
    (offset, strides)
}

/// Elements that nothing wrote.
pub fn filling(dims: &[u64], element: &ElementType, planes: Planes, fill: Fill) -> Tensor {
    let n = count(dims);
    let with_ring = planes == Planes::IeeeAndRing && element.has_ring();
    match fill {
        Fill::Poison => {
            let one = if element.is_float() {
                let residue = with_ring.then(|| Buffer::from_slice(&[ring::UNDEFINED]));
                Tensor::splat_f64(&[], element, f64::NAN).with_ring(residue)
            } else {
                Tensor::from_i64s(&[], element, &[0x5a5a_5a5b])
            };
            one.strided(dims, 0, &vec![0; dims.len()])
        }
        Fill::LeftOver(seed) => {
            let hash = |i: usize| ring::mix(seed ^ ring::mix(i as u64));
            let t = if element.is_float() {
                let all: Vec<f64> = (0..n).map(|i| (hash(i) % 64) as f64 / 8.0 - 4.0).collect();
                Tensor::from_f64s(dims, element, &all)
            } else {
                let all: Vec<i64> = (0..n).map(|i| (hash(i) % 16) as i64).collect();
                Tensor::from_i64s(dims, element, &all)
            };
            let residues = with_ring.then(|| {
                Buffer::build::<u32>(n, |out| {
                    out.iter_mut()
                        .enumerate()
                        .for_each(|(i, o)| *o = ring::from_hash(hash(i)));
                })
            });
            t.with_ring(residues)
        }
    }
}

/// Reads `lanes` as another element type of the same storage size; floats made from bits take their exact value.
pub fn cast(
    lanes: Lanes,
    to: &ElementType,
    planes: Planes,
    events: &mut Events,
) -> Result<Lanes, Stop> {
    let from = lanes.value.element();
    if from == to {
        return Ok(lanes);
    }
    if from.bits() != to.bits() {
        return Err(Stop::unsupported(format!(
            "tpu.memref_bitcast of {from} to {to}"
        )));
    }
    let value = lanes.value.with_element_bits(to.clone());
    let value = if to.has_ring() && planes == Planes::IeeeAndRing {
        events.from_bits += value.len() as u64;
        value.with_embedded_ring()
    } else {
        value
    };
    Ok(Lanes {
        value,
        tags: lanes.tags,
    })
}

/// Where operand number `number` of a kernel lies.
pub fn place_of(operand: &KernelOperand, number: usize) -> Place {
    Place {
        operand: Some(number as u32),
        role: operand.role,
        space: operand.buffer.space,
    }
}
