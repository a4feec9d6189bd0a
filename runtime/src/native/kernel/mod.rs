//! Kernels of stage S5 as native code of this machine, IEEE plane only: what both code generators have in common, which is no lowering.
//!
//! Reading order: [`frame`] (what code is called with, and what it may call), [`buffers`] (the memory it works on), this file.
//!
//! Proves: code made by two generators that share no lowering gives the bits of the simulator on these arguments. Cannot: see hazards (copies end at once,
//! buffers share no addresses), or check the functions that code calls back for ([`Compiled::functions`]).

mod buffers;
pub mod frame;
pub mod whole;
pub mod worker;

use buffers::Lines;
use frame::{Call, Calls, Entry, Fault, Frame};
use std::{
    any::Any,
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};
use tileproof_dialect::{
    buffer::Buffer,
    tensor::{Tensor, count},
    tpu::{Kernel, RefElement, Role},
    types::ElementType,
};

/// THE list of code generators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generator {
    /// MLIR's vector, scf and llvm dialects, LLVM's optimizer, object code.
    Llvm,
    /// Scalar and 128-bit code.
    Cranelift,
}

impl Generator {
    pub const ALL: [Generator; 2] = [Generator::Llvm, Generator::Cranelift];

    pub fn name(self) -> &'static str {
        match self {
            Generator::Llvm => "llvm",
            Generator::Cranelift => "cranelift",
        }
    }

    pub fn from_name(name: &str) -> Option<Generator> {
        Generator::ALL.into_iter().find(|g| g.name() == name)
    }
}

/// Why there is no code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotCompiled {
    /// An op or form that a generator does not have.
    #[error("Unsupported{{{0}}}")]
    Unsupported(String),
    /// The generator rejects what was made for it: a fault of tileproof.
    #[error("the code generator failed: {0}")]
    Failed(String),
}

impl NotCompiled {
    pub fn unsupported<T>(what: impl Into<String>) -> Result<T, NotCompiled> {
        Err(NotCompiled::Unsupported(what.into()))
    }
}

/// What a generator makes of a kernel.
pub struct Code {
    pub entry: Entry,
    /// Keeps the code in memory.
    pub owner: Box<dyn Any + Send + Sync>,
    /// Bytes of scratch memory that one run needs.
    pub workspace: usize,
    /// What scratch memory holds before the first step: byte and contents.
    pub constants: Vec<(usize, Vec<u8>)>,
    /// What the code calls back for, by number.
    pub calls: Vec<Call>,
}

/// A kernel as native code, which several threads may run at once.
pub struct Compiled {
    kernel: Arc<Kernel>,
    code: Code,
}

/// What a run gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The outputs in order, in the sizes of the kernel's buffers.
    pub outputs: Vec<Tensor>,
    /// Of the steps alone.
    pub time: Duration,
}

/// Makes native code of a kernel.
pub fn compile(kernel: &Arc<Kernel>, generator: Generator) -> Result<Compiled, NotCompiled> {
    if kernel.operands.iter().any(|o| o.window.is_some()) {
        return NotCompiled::unsupported("a window (native code is made of stage S5)");
    }
    let code = match generator {
        Generator::Llvm => super::llvm::kernels::compile(kernel)?,
        Generator::Cranelift => super::cranelift::compile(kernel)?,
    };
    Ok(Compiled {
        kernel: kernel.clone(),
        code,
    })
}

impl Compiled {
    /// Names of the ops that the code calls the reference's definition for.
    pub fn functions(&self) -> BTreeSet<&'static str> {
        self.code.calls.iter().map(Call::name).collect()
    }

    /// Runs all steps on the prefetch operands and inputs in order.
    pub fn run(&self, arguments: &[Tensor]) -> Result<Outcome, Fault> {
        let mut memories: Vec<Lines> = vec![];
        let mut places: Vec<usize> = vec![];
        let mut given = arguments.iter();
        for o in &self.kernel.operands {
            let Some(dims) = o.buffer.static_dims() else {
                return Err(Fault::Arguments("an operand without size".to_string()));
            };
            if let Some(input) = o.alias.filter(|_| o.role == Role::Output) {
                let place = places.get(input as usize).copied();
                let place = place.ok_or_else(|| Fault::Arguments("an alias of nothing".into()))?;
                places.push(place);
                continue;
            }
            let bytes = match (&o.buffer.element, o.role) {
                (RefElement::Data(element), Role::Prefetch | Role::Input) => {
                    let Some(t) = given
                        .next()
                        .filter(|t| t.element() == element && t.len() == count(&dims))
                    else {
                        return Err(Fault::Arguments("an argument of another type".to_string()));
                    };
                    t.ieee().bytes().to_vec()
                }
                (RefElement::Data(element), Role::Output | Role::Scratch) => {
                    nothing(element).repeat(count(&dims))
                }
                (RefElement::Semaphore | RefElement::DmaSemaphore, _) => {
                    vec![0; 8 * count(&dims).max(1)]
                }
            };
            places.push(memories.len());
            memories.push(Lines::of(&bytes));
        }
        let mut workspace = Lines::zeroed(self.code.workspace);
        for (at, bytes) in &self.code.constants {
            workspace.bytes_mut()[*at..*at + bytes.len()].copy_from_slice(bytes);
        }
        let starts: Vec<*mut u8> = memories.iter_mut().map(Lines::start).collect();
        let buffers: Vec<*mut u8> = places.iter().map(|p| starts[*p]).collect();
        let calls = Calls::new(&self.code.calls);
        let mut frame = Frame::new(&calls);
        let start = Instant::now();
        for n in 0..self.kernel.steps() {
            let mut rest = n;
            let mut step = vec![0i32; self.kernel.grid.len()];
            for (d, dimension) in self.kernel.grid.iter().enumerate().rev() {
                step[d] = (rest % dimension.size) as i32;
                rest /= dimension.size;
            }
            // SAFETY: the buffers have the sizes of the kernel's operands and the workspace those that the code was made for; code checks every index
            // that it was not made with against them.
            unsafe {
                (self.code.entry)(
                    &mut frame,
                    buffers.as_ptr(),
                    workspace.start(),
                    step.as_ptr(),
                );
            }
            frame.fault(&calls)?;
        }
        let time = start.elapsed();
        if memories.iter().chain([&workspace]).any(Lines::is_overrun) {
            return Err(Fault::Overrun);
        }
        let outputs = self.kernel.with_role(Role::Output);
        let outputs = outputs
            .filter_map(|(number, o)| {
                let (dims, element) = (o.buffer.static_dims()?, o.buffer.data()?.clone());
                let bytes = count(&dims) * element.storage_bytes();
                let memory = &memories[places[number]].bytes()[..bytes];
                Some(Tensor::new(dims, element, Buffer::from_slice(memory), None))
            })
            .collect();
        Ok(Outcome { outputs, time })
    }
}

/// Bytes of one element that nothing wrote, as in the simulator: NaN, odd integers.
pub fn nothing(element: &ElementType) -> Vec<u8> {
    let one = if element.is_float() {
        Tensor::splat_f64(&[], element, f64::NAN)
    } else {
        Tensor::from_i64s(&[], element, &[0x5a5a_5a5b])
    };
    one.ieee().bytes().to_vec()
}
