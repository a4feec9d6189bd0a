//! Copies and semaphores.
//!
//! A copy is a row of chunks (tile rows); each chunk is read, written and counted, and chunks of different copies interleave as the [`Schedule`] says.
//! Whether accesses race with a copy does not hang on the schedule: a wait orders a copy only if in every schedule all its chunks must have been
//! counted, that is if what the semaphore was promised and no wait took off is less than any chunk.

use super::{
    access::check_inside,
    cell::{Cell, Lanes},
    context::AT_END,
    machine::{Machine, Operands},
    memory::{Contents, Memory},
    plan::Step,
    shadow::Shadow,
    view::{Reach, Region, View},
};
use smallvec::SmallVec;
use std::collections::VecDeque;
use tileproof_dialect::{
    eval::{Stop, Trap},
    planes::ring,
    tpu::{
        MemRefType, MemorySpace, Role,
        hazard::{Access as Touch, HazardKind, Place, Use},
    },
};

/// When copies make progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// At once.
    Eager,
    /// Only when someone waits.
    Lazy,
    /// At every copy and wait each in flight does half of what is left.
    Split,
    /// Single events of random copies.
    Random(u64),
}

/// A copy that is under way, or that no wait has ordered yet.
#[derive(Debug)]
struct Copy {
    /// Matching parts of both ends, with their bytes.
    chunks: Vec<(Reach, Reach, u64)>,
    /// Bytes of the smallest chunk, whatever the schedule moves at once.
    smallest: u64,
    source: Region,
    target: View,
    target_region: Region,
    read: usize,
    written: usize,
    counted: usize,
    /// Chunks read and not written.
    held: VecDeque<Lanes>,
    target_semaphore: View,
    source_semaphore: Option<View>,
    op: u32,
    /// The wait that names its target.
    waited: Option<u32>,
    /// All reads have ended in every schedule.
    read_for_sure: bool,
}

/// All copies.
#[derive(Debug)]
pub struct Copies {
    schedule: Schedule,
    state: u64,
    flying: Vec<Copy>,
    barrier: Option<u32>,
}

/// Rows of a chunk where no tile says.
const TILE_ROWS: u64 = 8;

impl Copies {
    pub fn new(schedule: Schedule) -> Copies {
        Copies {
            schedule,
            state: match schedule {
                Schedule::Random(seed) => ring::mix(seed ^ 0x51ed),
                Schedule::Eager | Schedule::Lazy | Schedule::Split => 0,
            },
            flying: vec![],
            barrier: None,
        }
    }

    fn random(&mut self, below: usize) -> usize {
        self.state = ring::mix(self.state.wrapping_add(0x9e37_79b9_7f4a_7c15));
        (self.state % below.max(1) as u64) as usize
    }

    /// The barrier semaphore.
    pub fn barrier(&mut self, memory: &mut Memory, shadow: &mut Shadow) -> View {
        let buffer = *self.barrier.get_or_insert_with(|| {
            let place = Place {
                operand: None,
                role: Role::Scratch,
                space: MemorySpace::SemaphoreMem,
            };
            memory.add(
                place,
                &MemRefType::dma_semaphores(&[]),
                vec![],
                None,
                shadow,
            )
        });
        View::whole(buffer, &[])
    }

    pub fn is_idle(&self) -> bool {
        self.flying.is_empty()
    }
}

/// Bytes of what a reference names.
fn bytes_of(memory: &Memory, view: &View) -> Result<u64, Stop> {
    let element = memory.data(view.buffer)?.value.element();
    let bits = match &view.cast {
        Some(cast) => cast.bits(),
        None => element.bits(),
    };
    Ok((view.elements() * u64::from(bits.max(NARROWEST))).div_ceil(8))
}

/// Bits in which a copy counts an element at least: whole bytes, so that those of the chunks add up to those of the copy.
const NARROWEST: u32 = 8;

/// Matching parts of two references of one shape: rows of `rows` lines.
fn chunks(source: &View, target: &View, rows: u64, bits: u64) -> Vec<(Reach, Reach, u64)> {
    let dims = &target.dims;
    let rank = dims.len();
    let mut out = vec![];
    let mut start: SmallVec<[i64; 4]> = dims.iter().map(|_| 0).collect();
    if dims.contains(&0) {
        return out;
    }
    loop {
        let mut sizes: SmallVec<[u64; 4]> = dims.iter().map(|_| 1).collect();
        if rank > 0 {
            sizes[rank - 1] = dims[rank - 1];
        }
        if rank > 1 {
            sizes[rank - 2] = rows.min(dims[rank - 2] - start[rank - 2] as u64);
        }
        let bytes = (sizes.iter().product::<u64>() * bits).div_ceil(8);
        out.push((
            source.access(&start, &sizes, &[]),
            target.access(&start, &sizes, &[]),
            bytes,
        ));
        // The next chunk, the row dimension fastest.
        let mut d = rank.saturating_sub(1);
        loop {
            if d == 0 {
                return out;
            }
            d -= 1;
            start[d] += if d + 2 == rank { rows as i64 } else { 1 };
            if start[d] < dims[d] as i64 {
                break;
            }
            start[d] = 0;
        }
    }
}

/// Bytes of the smallest of the chunks of `rows` lines.
fn smallest_chunk(dims: &[u64], rows: u64, bits: u64) -> u64 {
    let elements = match dims {
        [] => 1,
        [n] => *n,
        [.., m, n] => n * if m % rows == 0 { rows } else { m % rows },
    };
    (elements * bits).div_ceil(8)
}

impl Machine<'_> {
    /// Checks an access against the copies that nothing orders with it.
    pub fn touch(&mut self, op: u32, region: &Region, touch: Touch) -> Result<(), Stop> {
        if self.copies.is_idle() {
            return Ok(());
        }
        if matches!(self.copies.schedule, Schedule::Random(_)) {
            let events = self.copies.random(4);
            for _ in 0..events {
                self.random_event()?;
            }
        }
        let meets =
            |memory: &Memory, a: &Region| a.meets(region) || memory.overlaps.meet(a, region);
        let mut races = vec![];
        for copy in &self.copies.flying {
            let race = if meets(&self.memory, &copy.target_region) {
                Some((Touch::Write, copy.target_region.buffer))
            } else if touch == Touch::Write
                && !copy.read_for_sure
                && meets(&self.memory, &copy.source)
            {
                Some((Touch::Read, copy.source.buffer))
            } else {
                None
            };
            races.extend(race.map(|(does, buffer)| (copy.op, copy.waited, does, buffer)));
        }
        for (started, waited, does, buffer) in races {
            let place = self.memory.place(buffer)?;
            let started_at = self.cx.op(started).1;
            let kind = match waited {
                Some(waited) => HazardKind::AmbiguousWait {
                    access: touch,
                    place,
                    started: started_at,
                    waited: self.cx.op(waited).1,
                },
                None => HazardKind::Race {
                    access: touch,
                    copy: does,
                    place,
                    started: started_at,
                },
            };
            self.cx.report(op, u64::from(started), kind, 1);
        }
        Ok(())
    }

    pub fn enqueue(
        &mut self,
        step: &Step,
        operands: &Operands,
        with_source: bool,
    ) -> Result<(), Stop> {
        let view = |at: usize| {
            let cell = operands
                .get(at)
                .ok_or_else(|| Stop::internal("a copy lacks an operand"))?;
            cell.view().cloned()
        };
        let (source, source_semaphore, target, target_semaphore) = if with_source {
            (view(0)?, Some(view(1)?), view(2)?, view(3)?)
        } else {
            (view(0)?, None, view(1)?, view(2)?)
        };
        let bytes = bytes_of(&self.memory, &target)?;
        if bytes != bytes_of(&self.memory, &source)? {
            return Err(Stop::internal(
                "a copy between references of different sizes",
            ));
        }
        let source = if source.dims == target.dims {
            source
        } else {
            let same = source
                .reshaped(&target.dims)
                .or_else(|| source.squeezed(&target.dims));
            same.ok_or_else(|| Stop::unsupported("a copy between references of different shapes"))?
        };
        let (from, to) = (source.all(), target.all());
        check_inside(self, step.op, &from)?;
        check_inside(self, step.op, &to)?;
        self.touch(step.op, &from.region, Touch::Read)?;
        self.touch(step.op, &to.region, Touch::Write)?;
        self.cx.counters.bytes_moved += bytes;
        for semaphore in source_semaphore.iter().chain([&target_semaphore]) {
            self.memory.counter_mut(semaphore)?.promised += bytes;
        }
        let bits = u64::from(
            self.memory
                .data(target.buffer)?
                .value
                .element()
                .bits()
                .max(NARROWEST),
        );
        let rows = [&target, &source]
            .iter()
            .find_map(
                |v| match self.memory.stored(v.buffer).ok()?.ty.tiles.first()?[..] {
                    [rows, _] => Some(rows),
                    _ => None,
                },
            )
            .unwrap_or(TILE_ROWS);
        let copy = Copy {
            smallest: smallest_chunk(&target.dims, rows.max(1), bits),
            source: from.region.clone(),
            target_region: to.region.clone(),
            chunks: match self.copies.schedule {
                Schedule::Eager | Schedule::Lazy => vec![(from, to, bytes)],
                Schedule::Split | Schedule::Random(_) => {
                    chunks(&source, &target, rows.max(1), bits)
                }
            },
            target,
            read: 0,
            written: 0,
            counted: 0,
            held: VecDeque::new(),
            target_semaphore,
            source_semaphore,
            op: step.op,
            waited: None,
            read_for_sure: false,
        };
        self.copies.flying.push(copy);
        match self.copies.schedule {
            Schedule::Eager => {
                let last = self.copies.flying.len() - 1;
                self.advance(last, usize::MAX)
            }
            Schedule::Lazy => Ok(()),
            Schedule::Split => self.advance_all_by_half().map(|_| ()),
            Schedule::Random(_) => self.random_event().map(|_| ()),
        }
    }

    /// Lets copy number `at` do all events of up to `n` chunks.
    fn advance(&mut self, at: usize, n: usize) -> Result<(), Stop> {
        for _ in 0..n {
            if !(self.read_chunk(at)? | self.write_chunk(at)? | self.count_chunk(at)?) {
                break;
            }
        }
        Ok(())
    }

    fn read_chunk(&mut self, at: usize) -> Result<bool, Stop> {
        let copy = &mut self.copies.flying[at];
        let Some((source, _, _)) = copy.chunks.get(copy.read) else {
            return Ok(false);
        };
        let mut lanes = self.memory.load(source, &mut self.cx.shadow)?;
        lanes.tags = self.cx.shadow.all_through(lanes.tags, copy.op);
        copy.held.push_back(lanes);
        copy.read += 1;
        Ok(true)
    }

    fn write_chunk(&mut self, at: usize) -> Result<bool, Stop> {
        let copy = &mut self.copies.flying[at];
        let Some(lanes) = copy.held.pop_front() else {
            return Ok(false);
        };
        let (_, target, _) = &copy.chunks[copy.written];
        copy.written += 1;
        self.memory.store(target, lanes, &mut self.cx.shadow)?;
        Ok(true)
    }

    fn count_chunk(&mut self, at: usize) -> Result<bool, Stop> {
        let copy = &mut self.copies.flying[at];
        if copy.counted == copy.written {
            return Ok(false);
        }
        let bytes = copy.chunks[copy.counted].2;
        copy.counted += 1;
        for semaphore in copy.source_semaphore.iter().chain([&copy.target_semaphore]) {
            self.memory.counter_mut(semaphore)?.value += bytes;
        }
        Ok(true)
    }

    /// One event of a random copy; whether there was one.
    fn random_event(&mut self) -> Result<bool, Stop> {
        let n = self.copies.flying.len();
        let first = self.copies.random(n);
        for i in 0..n {
            let at = (first + i) % n;
            let kind = self.copies.random(3);
            for k in 0..3 {
                let done = match (kind + k) % 3 {
                    0 => self.read_chunk(at)?,
                    1 => self.write_chunk(at)?,
                    _ => self.count_chunk(at)?,
                };
                if done {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Half of what is left of every copy; whether anything was left.
    fn advance_all_by_half(&mut self) -> Result<bool, Stop> {
        let mut any = false;
        for at in 0..self.copies.flying.len() {
            let copy = &self.copies.flying[at];
            let left = copy.chunks.len() - copy.counted;
            any |= left > 0;
            self.advance(at, left.div_ceil(2))?;
        }
        Ok(any)
    }

    /// What happens while someone waits on `semaphore`; whether anything did.
    fn progress(&mut self, semaphore: &View) -> Result<bool, Stop> {
        match self.copies.schedule {
            Schedule::Eager => Ok(false),
            Schedule::Lazy => {
                let counts = |c: &Copy| {
                    c.counted < c.chunks.len()
                        && (c.target_semaphore == *semaphore
                            || c.source_semaphore.as_ref() == Some(semaphore))
                };
                match self.copies.flying.iter().position(counts) {
                    Some(at) => self.advance(at, usize::MAX).map(|()| true),
                    None => Ok(false),
                }
            }
            Schedule::Split => self.advance_all_by_half(),
            Schedule::Random(_) => self.random_event(),
        }
    }

    /// Waits until `semaphore` has `wanted` and takes it off.
    fn take(&mut self, op: u32, semaphore: &View, wanted: u64) -> Result<(), Stop> {
        while self.memory.counter_mut(semaphore)?.value < wanted {
            self.limits.check_cancelled()?;
            if !self.progress(semaphore)? {
                let place = self.memory.place(semaphore.buffer)?;
                let available = self.memory.counter_mut(semaphore)?.value;
                let kind = HazardKind::Deadlock {
                    place,
                    wanted,
                    available,
                };
                let message = kind.to_string();
                self.cx.report(op, 0, kind, 1);
                return Err(Stop::Trap(Trap::Deadlock(message)));
            }
        }
        let counter = self.memory.counter_mut(semaphore)?;
        counter.value -= wanted;
        counter.taken += wanted;
        let outstanding = counter.promised - counter.taken;
        for copy in &mut self.copies.flying {
            if copy.source_semaphore.as_ref() == Some(semaphore) && copy.smallest > outstanding {
                copy.read_for_sure = true;
            }
        }
        let ended = |c: &Copy| {
            c.target_semaphore == *semaphore
                && c.smallest > outstanding
                && c.counted == c.chunks.len()
        };
        self.copies.flying.retain(|c| !ended(c));
        Ok(())
    }

    pub fn wait_copy(&mut self, step: &Step, operands: &Operands) -> Result<(), Stop> {
        let [semaphore, _, target] = &operands[..] else {
            return Err(Stop::internal(
                "'tpu.wait_dma2' takes a semaphore and two references",
            ));
        };
        let (semaphore, target) = (semaphore.view()?, target.view()?);
        let wanted = bytes_of(&self.memory, target)?;
        let named = self.copies.flying.iter_mut().find(|c| {
            c.waited.is_none() && c.target_semaphore == *semaphore && c.target == *target
        });
        if let Some(copy) = named {
            copy.waited = Some(step.op);
        }
        self.take(step.op, semaphore, wanted)
    }

    pub fn signal(&mut self, step: &Step, operands: &Operands) -> Result<(), Stop> {
        let amount = self.number(step, operands, 1, Use::SemaphoreAmount)?.max(0) as u64;
        let semaphore = operands.first().map(Cell::view).transpose()?;
        let Some(semaphore) = semaphore else {
            return Err(Stop::internal("a signal without semaphore"));
        };
        let counter = self.memory.counter_mut(semaphore)?;
        counter.value += amount;
        counter.promised += amount;
        Ok(())
    }

    pub fn wait(&mut self, step: &Step, operands: &Operands) -> Result<(), Stop> {
        let amount = self.number(step, operands, 1, Use::SemaphoreAmount)?.max(0) as u64;
        match operands.first().map(Cell::view).transpose()? {
            Some(semaphore) => self.take(step.op, semaphore, amount),
            None => Err(Stop::internal("a wait without semaphore")),
        }
    }

    pub fn read_semaphore(&mut self, operands: &Operands) -> Result<Cell, Stop> {
        match operands.first().map(Cell::view).transpose()? {
            Some(semaphore) => Ok(Cell::Int {
                value: self.memory.counter_mut(semaphore)?.value as i64,
                tag: 0,
            }),
            None => Err(Stop::internal("a read without semaphore")),
        }
    }

    /// Lets every copy end and reports semaphores that are not 0.
    pub fn settle(&mut self) -> Result<(), Stop> {
        for at in 0..self.copies.flying.len() {
            self.advance(at, usize::MAX)?;
        }
        let mut left = vec![];
        for (number, b) in self.memory.buffers.iter().enumerate() {
            if let Contents::Counters(all) = &b.contents {
                let nonzero = all
                    .iter()
                    .enumerate()
                    .filter(|(_, c)| c.promised != c.taken);
                left.extend(nonzero.map(|(i, c)| {
                    (
                        number,
                        b.place,
                        i as u64,
                        c.promised as i64 - c.taken as i64,
                    )
                }));
            }
        }
        for (number, place, index, value) in left {
            let detail = (number as u64) << 32 | index;
            self.cx.report(
                AT_END,
                detail,
                HazardKind::SemaphoreNotZero {
                    place,
                    index,
                    value,
                },
                1,
            );
        }
        Ok(())
    }
}
