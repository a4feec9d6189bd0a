//! How programs run: the engines, the simulator of kernels, their limits, the process grid, and the arrays they read and write.

pub mod engine;
pub mod grid;
pub mod inputs;
pub mod limits;
pub mod native;
pub mod npy;
pub mod reference;
pub mod simulator;
pub mod xla;
