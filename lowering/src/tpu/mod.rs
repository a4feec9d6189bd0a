//! Passes on kernels, in their order: plain data in, plain data out. Kernels are imperative; MLIR's pattern rewriting would buy nothing here.

pub mod pipeline_windows;

pub mod assign_vmem;

pub mod apply_vector_layout;
