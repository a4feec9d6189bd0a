//! Static checks of what passes made. A checker shares no code with the pass it checks.

pub mod vmem;
