//! The allocator of the command line.

use mimalloc::MiMalloc;

/// Registers of simulated kernels are allocated and freed by the million.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// `mi_option_purge_delay` of `mimalloc.h` (v3); the bindings leave it out.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// Keeps freed memory until the end: every run of a large program frees its tensors and takes as many again, and pages that the system gives anew are
/// zeroed by it, which took longer than the runs.
pub fn keep_memory() {
    // SAFETY: the option exists (below `_mi_option_last`) and may be set at any time; -1 is its value for "never".
    unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, -1) }
}
