//! Mutators: type-correct faults, each in one op. They measure the checker; the checker knows nothing of them.
//!
//! A mutator looks at one op of a program and gives the changed program, or none where it does not apply. `seed` picks among its ways.
//! Shared by the mutators: [`draft`], [`look`], [`variants`]. Faults in kernels: [`kernel`]. How many mutants a check kills: [`measure`].

mod draft;
mod everywhere;
mod gram;
mod identities;
mod indices;
mod intervals;
mod look;
mod proof;
mod ranges;
mod variants;

pub mod canonical;
pub mod equivalence;
pub mod kernel;
pub mod measure;
pub mod oracles;
pub mod table;

/// Makes the modules and THE list of mutators from their names.
macro_rules! mutators {
    ($($module:ident,)*) => {
        $(mod $module;)*

        /// THE list of mutators of `hlo` ops; [`all`] has those of kernels too.
        pub const MUTATORS: &[Mutator] = &[$($module::MUTATOR,)*];
    };
}

// By what they change: any op, literals, movement, contraction and reduction, indices, choices, numbers, control flow, buffers.
mutators! {
    swap_operands,
    other_operand,
    drop_operation,
    wrong_attribute,
    applied_twice,
    tail_stale,
    constant_ulp,
    constant_sign,
    constant_scaled,
    slice_bounds,
    pad_amounts,
    pad_value,
    broadcast_dimensions,
    transpose_permutation,
    reshape_order,
    concatenate_order,
    reverse_dimensions,
    square_transposed,
    iota_dimension,
    dot_dimensions,
    dot_tail,
    convolution_window,
    reduce_init,
    reduce_dimensions,
    reduce_tail,
    reducer_op,
    reduce_window_shape,
    narrow_accumulation,
    gather_dimensions,
    scatter_dimensions,
    scatter_clamp,
    scatter_combine,
    index_clamp,
    index_sign,
    starts_rotated,
    compare_direction,
    compare_order,
    compare_unrounded,
    select_branches,
    clamp_bounds,
    sort_direction,
    sort_ties,
    maximum_by_compare,
    sign_by_compare,
    sign_dropped,
    negative_zero_lost,
    rounding_mode,
    convert_pair_removed,
    convert_truncates,
    double_rounding,
    zero_extension,
    shift_kind,
    shift_distance,
    carry_lost,
    remainder_of_sum,
    cancelled_sum,
    reciprocal,
    quotients_joined,
    exponentials_joined,
    square_root_of_square,
    log_of_power,
    complex_magnitude,
    trip_count,
    carry_swapped,
    carry_stale,
    branches_swapped,
    other_callee,
    in_place_alias,
}

use tileproof_dialect::{
    error::Error,
    program::{OpId, Program},
};

/// A mutator.
pub struct Mutator {
    /// Its file has the same stem: `slice-bounds` is `slice_bounds.rs`.
    pub name: &'static str,
    pub summary: &'static str,
    /// Numbers of the compiler faults it models, in the list of 106 planted faults that the project measures itself with (`f57`: a reduction drops its
    /// last partial tile).
    pub faults: &'static [&'static str],
    /// The program with the fault in op `id`; none where it does not apply. The same seed gives the same program.
    pub mutate: fn(&Program, OpId, u64) -> Option<Program>,
}

/// Every mutator: of `hlo` ops, then of kernels.
pub fn all() -> impl Iterator<Item = &'static Mutator> {
    MUTATORS.iter().chain(kernel::MUTATORS)
}

/// The mutator `name`.
pub fn find(name: &str) -> Result<&'static Mutator, Error> {
    all().find(|m| m.name == name).ok_or_else(|| {
        let names: Vec<&str> = all().map(|m| m.name).collect();
        Error::invalid(
            format!(
                "no mutator is named '{name}'; the mutators are {}",
                names.join(", ")
            ),
            Default::default(),
        )
    })
}

/// Applies `mutator` to one of the ops that the rewrite `id` made (their location names it; that of the kernel, of an op that calls one), the seed choosing
/// which; none where it fits none.
pub fn plant(mutator: &Mutator, program: &Program, id: &str, seed: u64) -> Option<Program> {
    let made: Vec<OpId> = program
        .op_ids()
        .filter(|op| {
            let o = program.op(*op);
            let kernel = o.op.kernel().and_then(|name| program.kernel(name));
            let location = kernel.map_or(&o.location, |k| &k.location);
            location.rewrite.as_deref() == Some(id)
        })
        .collect();
    let n = made.len();
    (0..n).find_map(|i| (mutator.mutate)(program, made[(i + seed as usize) % n], seed))
}

#[cfg(test)]
#[path = "mutate_tests.rs"]
mod tests;
