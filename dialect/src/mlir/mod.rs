//! The only place that touches melior: parse, print, verify, and the two ways between `Module` and `Program`.
//!
//! Reading order: [`context`], [`text`], [`decode`], [`encode`], [`verify`], [`views`].

pub mod context;
pub mod text;

pub mod decode;
pub mod encode;
pub mod verify;

mod attributes;
mod kernel;
pub mod locations;
pub mod mosaic;
pub mod types;

pub mod views;
