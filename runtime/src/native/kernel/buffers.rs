//! Memory that native code works on: whole cache lines, with a margin behind that shows what was written there.

use bytemuck::{Pod, Zeroable};

#[derive(Clone, Copy, Zeroable, Pod)]
#[repr(C, align(64))]
struct Line([u8; 64]);

const UNTOUCHED: Line = Line([0xa5; 64]);

/// Lines of a margin.
const MARGIN: usize = 4;

/// Aligned bytes.
pub struct Lines {
    lines: Vec<Line>,
    len: usize,
}

impl Lines {
    pub fn zeroed(len: usize) -> Lines {
        let mut lines = vec![Line([0; 64]); len.div_ceil(64)];
        lines.resize(lines.len() + MARGIN, UNTOUCHED);
        Lines { lines, len }
    }

    pub fn of(bytes: &[u8]) -> Lines {
        let mut out = Lines::zeroed(bytes.len());
        out.bytes_mut().copy_from_slice(bytes);
        out
    }

    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.lines)[..self.len]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..self.len]
    }

    pub fn start(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    /// Whether something was written behind the bytes.
    pub fn is_overrun(&self) -> bool {
        self.lines[self.lines.len() - MARGIN..]
            .iter()
            .any(|l| l.0 != UNTOUCHED.0)
    }
}
