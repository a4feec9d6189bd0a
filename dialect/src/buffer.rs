//! Shared, aligned element storage.

use bytemuck::Pod;
use std::sync::Arc;

/// Immutable bytes of a tensor plane, 16-byte aligned, cheap to clone.
#[derive(Clone)]
pub struct Buffer {
    words: Arc<Vec<u128>>,
    bytes: usize,
}

impl Buffer {
    /// A buffer of `len` elements, zeroed, then filled in place by `fill`.
    pub fn build<T: Pod>(len: usize, fill: impl FnOnce(&mut [T])) -> Buffer {
        let bytes = len * size_of::<T>();
        let mut words = vec![0u128; bytes.div_ceil(16)];
        fill(bytemuck::cast_slice_mut(
            &mut bytemuck::cast_slice_mut::<u128, u8>(&mut words)[..bytes],
        ));
        Buffer {
            words: Arc::new(words),
            bytes,
        }
    }

    pub fn from_slice<T: Pod>(data: &[T]) -> Buffer {
        Buffer::build(data.len(), |out| out.copy_from_slice(data))
    }

    /// The same bytes after `edit`: in place when no one else holds them, else on a copy.
    pub fn edited(mut self, edit: impl FnOnce(&mut [u8])) -> Buffer {
        edit(
            &mut bytemuck::cast_slice_mut::<u128, u8>(
                Arc::make_mut(&mut self.words).as_mut_slice(),
            )[..self.bytes],
        );
        self
    }

    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice::<u128, u8>(&self.words)[..self.bytes]
    }

    /// The elements as `T`; the length of the buffer must be a multiple of the size of `T`.
    pub fn as_slice<T: Pod>(&self) -> &[T] {
        bytemuck::cast_slice(self.bytes())
    }

    /// Whether no one else holds the bytes: [`Buffer::edited`] then works in place.
    pub fn is_unshared(&self) -> bool {
        Arc::strong_count(&self.words) == 1 && Arc::weak_count(&self.words) == 0
    }

    /// Whether both are the same allocation (equal without looking).
    pub fn same(&self, other: &Buffer) -> bool {
        Arc::ptr_eq(&self.words, &other.words) && self.bytes == other.bytes
    }
}

impl PartialEq for Buffer {
    fn eq(&self, other: &Buffer) -> bool {
        self.same(other) || self.bytes() == other.bytes()
    }
}

impl Eq for Buffer {}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Buffer({} bytes)", self.bytes)
    }
}
