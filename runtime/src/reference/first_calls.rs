//! The arguments with which each kernel was called first, kept while a program runs; without residues.

use std::{collections::BTreeMap, sync::Mutex};
use tileproof_dialect::tensor::Tensor;

/// Arguments by name of the kernel.
#[derive(Debug, Default)]
pub struct FirstCalls(Mutex<BTreeMap<String, Vec<Tensor>>>);

impl FirstCalls {
    pub fn note(&self, kernel: &str, arguments: &[Tensor]) {
        let mut calls = self.0.lock().unwrap_or_else(|e| e.into_inner());
        if !calls.contains_key(kernel) {
            let plain = arguments.iter().map(|t| t.clone().with_ring(None));
            calls.insert(kernel.to_string(), plain.collect());
        }
    }

    pub fn into_inner(self) -> BTreeMap<String, Vec<Tensor>> {
        self.0.into_inner().unwrap_or_else(|e| e.into_inner())
    }
}
