//! Native code of all kernels of a program, for runs of the whole program: the rest of it runs on the reference.

use super::{Compiled, Fault, Generator, compile};
use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};
use tileproof_dialect::{program::Program, tensor::Tensor};

/// Code of kernels by name.
pub struct Kernels {
    made: HashMap<String, Compiled>,
    /// Kernels without code, with the reason: the simulator runs them.
    pub without: BTreeMap<String, String>,
    pub compilation: Duration,
}

impl Kernels {
    pub fn of(program: &Program, generator: Generator) -> Kernels {
        let start = Instant::now();
        let mut out = Kernels {
            made: HashMap::new(),
            without: BTreeMap::new(),
            compilation: Duration::ZERO,
        };
        for kernel in &program.kernels {
            match compile(kernel, generator) {
                Ok(compiled) => {
                    out.made.insert(kernel.name.clone(), compiled);
                }
                Err(why) => {
                    out.without.insert(kernel.name.clone(), why.to_string());
                }
            }
        }
        out.compilation = start.elapsed();
        out
    }

    /// How many have code.
    pub fn count(&self) -> usize {
        self.made.len()
    }

    /// Outputs of a kernel that has code.
    pub fn run(&self, name: &str, arguments: &[Tensor]) -> Option<Result<Vec<Tensor>, Fault>> {
        let compiled = self.made.get(name)?;
        Some(compiled.run(arguments).map(|o| o.outputs))
    }
}
