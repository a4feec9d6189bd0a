//! Stages a program passes on its way to native code (DESIGN.md section 4).

/// S0 as imported, S1 simplified, S2 fused, S3 block kernels, S4 explicit DMA, S5 native vregs, S6 host code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    S0,
    S1,
    S2,
    S3,
    S4,
    S5,
    S6,
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
