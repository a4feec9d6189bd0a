//! Kernels and `func.func` with Mosaic's attributes, both ways.
//!
//! Reading order: types, attributes, elementwise; form, encode; reader, decode, translate, composed.

mod attributes;
mod composed;
pub(super) mod decode;
mod elementwise;
pub(super) mod encode;
mod form;
mod reader;
mod translate;
mod types;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;
