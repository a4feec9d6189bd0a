//! What passes know of a program before they change it. Plain data, no MLIR but in [`block`].

pub mod block;
pub mod graph;
pub mod operation_class;

pub mod fusion_cost;
pub mod fusion_kind;
pub mod fusion_plan;

pub mod library;
pub mod scalar_traffic;
pub mod statistics;
