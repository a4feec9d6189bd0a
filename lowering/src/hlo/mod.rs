//! Passes over the `hlo` dialect, in pipeline order.

pub mod assign_layout;
pub mod canonicalize_dots;
pub mod cse;
pub mod dce;
pub mod expand;
pub mod fold_constants;
pub mod fuse;
pub mod simplify;
pub mod split_wide;
