//! Mutators of kernels (stages S3 to S5): faults of tiling, memory, copies and vectors, each in one op or operand of a kernel.
//!
//! A kernel is plain data: [`draft`] stands at an op of a copy and changes it. In a program they are mutators of `kernel_call` ops; the seed picks the
//! place in the kernel and the way.

pub mod canonical;
pub mod cone;
pub mod draft;
pub mod nan;
pub mod terms;
mod window;

use super::{Mutator, equivalence::Why};
use draft::{Draft, places};
use std::sync::Arc;
use tileproof_dialect::{
    planes::ring::mix,
    program::{OpId, Program},
    tpu::Kernel,
};

/// A mutator of kernels.
pub struct KernelMutator {
    /// Its file has the same stem.
    pub name: &'static str,
    pub summary: &'static str,
    /// As of [`Mutator::faults`].
    pub faults: &'static [&'static str],
    pub change: Change,
}

/// What a mutator changes; the seed picks among its ways. None where it does not apply.
pub enum Change {
    /// An op of the body.
    Op(fn(&mut Draft, u64) -> Option<()>),
    /// An operand by its number: its buffer, window, alias or address; or the kernel as a whole.
    Operand(fn(&mut Kernel, usize, u64) -> Option<()>),
}

/// Makes the modules and THE list of mutators of kernels from their names.
macro_rules! kernel_mutators {
    ($($module:ident,)*) => {
        $(mod $module;)*

        /// THE list of mutators of kernels, as mutators of `kernel_call` ops.
        pub const MUTATORS: &[Mutator] = &[$(Mutator {
            name: $module::MUTATOR.name,
            summary: $module::MUTATOR.summary,
            faults: $module::MUTATOR.faults,
            mutate: |program, id, seed| called(program, id, &$module::MUTATOR.change, seed),
        },)*];
    };
}

// By what they change: waits and copies, buffers, windows and loops, masks, accumulation, numbers, places of elements.
kernel_mutators! {
    wait_dropped,
    wait_late,
    wait_other_semaphore,
    wait_in_elements,
    semaphore_amount,
    copy_dropped,
    copy_stale_block,
    copy_whole_block,
    write_back_skipped,
    buffer_parity,
    allocation_overlap,
    allocation_moved,
    alias_dropped,
    load_index,
    store_index,
    store_dropped,
    other_buffer,
    window_constant,
    window_swapped,
    window_shifted,
    grid_tail,
    loop_bounds,
    loop_carry_stale,
    loop_carry_swapped,
    condition_negated,
    mask_limit,
    mask_dropped,
    padding_value,
    accumulation_dropped,
    accumulation_doubled,
    accumulator_reset,
    accumulator_stale,
    combining_kind,
    folded_dimension,
    accumulate_in_bf16,
    product_in_bf16,
    narrowing_truncates,
    extension_by_zeros,
    nan_in_sign,
    order_of_nan,
    tie_to_last,
    vector_operands,
    vector_other_value,
    vector_constant,
    rotate_amount,
    iota_axis,
    part_offset,
    part_order,
    axes_exchanged,
    start_unclamped,
    subelement_order,
}

/// The mutator of kernels with this name.
pub fn is_of_kernels(mutator: &Mutator) -> bool {
    MUTATORS.iter().any(|m| m.name == mutator.name)
}

/// Why the kernel `wrong` computes what `right` does; none where nothing proves it.
pub fn same(right: &Arc<Kernel>, wrong: &Arc<Kernel>) -> Option<Why> {
    if cone::same_in_every_order(right, wrong) {
        return Some(Why::SameInEveryOrder);
    }
    if nan::same_of_nan(right, wrong) {
        return Some(Why::SameOfNan);
    }
    terms::same_terms(right, wrong).then_some(Why::SameTerms)
}

/// The program with the fault in the kernel that op `id` calls.
fn called(program: &Program, id: OpId, change: &Change, seed: u64) -> Option<Program> {
    let name = program.op(id).op.kernel()?;
    let at = program.kernels.iter().position(|k| k.name == name)?;
    let kernel = &program.kernels[at];
    let fits = |changed: Kernel| {
        if changed.structural_hash() == kernel.structural_hash() {
            return None;
        }
        let mut out = program.clone();
        out.kernels[at] = Arc::new(changed.renumbered());
        out.verified().ok()
    };
    let shuffled = |n: usize| {
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|i| mix(seed ^ ((*i as u64) << 20)));
        order
    };
    let way = |i: usize| mix(seed.wrapping_add(i as u64) ^ 0x5eed);
    match change {
        Change::Op(change) => {
            let places = places(kernel);
            shuffled(places.len()).into_iter().find_map(|i| {
                let mut draft = Draft::new(kernel, &places[i]);
                change(&mut draft, way(i))?;
                fits(draft.kernel)
            })
        }
        Change::Operand(change) => shuffled(kernel.operands.len()).into_iter().find_map(|i| {
            let mut changed = Kernel::clone(kernel);
            change(&mut changed, i, way(i))?;
            fits(changed)
        }),
    }
}

#[cfg(test)]
#[path = "same_tests.rs"]
mod tests;
