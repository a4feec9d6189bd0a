//! The simulator on small kernels: values, hazards, copies.

#[path = "simulator/copies.rs"]
mod copies;
#[path = "simulator/hazards.rs"]
mod hazards;
#[path = "simulator/maker.rs"]
mod maker;
#[path = "simulator/memory.rs"]
mod memory;
#[path = "simulator/values.rs"]
mod values;
