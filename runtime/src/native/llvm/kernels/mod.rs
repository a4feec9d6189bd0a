//! Kernels of stage S5 through MLIR's vector, scf and llvm dialects and LLVM.
//!
//! Reading order: [`emitter`] (state and values), [`control`] and [`carried`] (regions, dispatch, control flow), [`lanes`] and [`elementwise`] (arithmetic), [`group`] (loops over lanes),
//! [`movement`], [`reduce`], [`matmul`], [`view`], [`memory`], [`copies`], [`module`] (from text to code).

mod carried;
mod control;
mod copies;
mod elementwise;
mod emitter;
mod group;
mod lanes;
mod matmul;
mod memory;
mod module;
mod movement;
mod reduce;
mod slots;
mod view;

use crate::native::kernel::{Code, NotCompiled};
use emitter::Emitter;
use tileproof_dialect::tpu::Kernel;

/// Code of a kernel.
pub fn compile(kernel: &Kernel) -> Result<Code, NotCompiled> {
    let mut emitter = Emitter::new(kernel);
    emitter.whole()?;
    let text = emitter.module();
    let (owner, entry) = module::compile(&text)?;
    Ok(Code {
        entry,
        owner: Box::new(owner),
        workspace: emitter.slots.end() as usize,
        constants: emitter.constants,
        calls: emitter.calls,
    })
}

impl Emitter<'_> {
    /// The module's text.
    fn module(&self) -> String {
        format!(
            "{}func.func @{}(%frame: !llvm.ptr, %buffers: !llvm.ptr, %workspace: !llvm.ptr, %step: !llvm.ptr) {{\n{}return\n}}\n",
            self.text,
            module::NAME,
            self.body
        )
    }
}
