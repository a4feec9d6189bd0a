//! What passes on kernels use: [`emit`] makes ops of a new kernel from an old one, [`clean`] tidies what was made, [`live_range`] says when buffers are
//! needed.

pub mod clean;
pub mod emit;
pub mod live_range;
