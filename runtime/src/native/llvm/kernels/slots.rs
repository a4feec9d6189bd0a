//! Scratch memory: where the vectors of a kernel lie. A place is used again when its value is gone.

use std::collections::BTreeMap;

/// A place in scratch memory.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    pub at: u64,
    bytes: u64,
    /// Holds a constant, or is freed by another.
    kept: bool,
}

impl PartialEq for Slot {
    fn eq(&self, other: &Slot) -> bool {
        self.at == other.at
    }
}

impl Eq for Slot {}

impl Slot {
    /// The same place for one who does not free it.
    pub fn borrowed(self) -> Slot {
        Slot { kept: true, ..self }
    }
}

#[derive(Debug, Default)]
pub struct Slots {
    free: BTreeMap<u64, Vec<u64>>,
    end: u64,
}

/// Places start at multiples of a cache line.
const LINE: u64 = 64;

impl Slots {
    pub fn take(&mut self, bytes: u64) -> Slot {
        let bytes = bytes.max(1).next_multiple_of(LINE);
        if let Some(at) = self.free.get_mut(&bytes).and_then(Vec::pop) {
            return Slot {
                at,
                bytes,
                kept: false,
            };
        }
        let at = self.end;
        self.end += bytes;
        Slot {
            at,
            bytes,
            kept: false,
        }
    }

    pub fn keep(&mut self, bytes: u64) -> Slot {
        let bytes = bytes.max(1).next_multiple_of(LINE);
        let at = self.end;
        self.end += bytes;
        Slot {
            at,
            bytes,
            kept: true,
        }
    }

    pub fn free(&mut self, slot: Slot) {
        if !slot.kept {
            self.free.entry(slot.bytes).or_default().push(slot.at);
        }
    }

    /// Bytes of all places.
    pub fn end(&self) -> u64 {
        self.end
    }
}
