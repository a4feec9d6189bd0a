//! Kernels of stage S5 through Cranelift: scalar and 128-bit code, made from the kernel by itself.
//!
//! Shares no lowering with [`super::llvm::kernels`]. Reading order: [`code`] (functions, loops), [`state`] (values), [`control`] (regions, dispatch), [`scalar`]
//! (arithmetic), [`vectors`], [`product`], [`reference`] (references, copies), [`memory`].

mod code;
mod control;
mod memory;
mod product;
mod reference;
mod scalar;
mod state;
mod vectors;

use super::kernel::{Code, NotCompiled};
use code::Library;
use cranelift_codegen::ir::types;
use state::{Scratch, State};
use tileproof_dialect::tpu::Kernel;

/// Code of a kernel.
pub fn compile(kernel: &Kernel) -> Result<Code, NotCompiled> {
    let mut library = Library::new()?;
    let mut made = Scratch::default();
    let call_back = library.signature(&[types::I64, types::I32, types::I64, types::I64]);
    let id = library.define("kernel", &[types::I64; 4], |library, w, p| {
        let call_back = w.import_signature(call_back);
        let mut state = State {
            kernel,
            library,
            w,
            frame: p[0],
            buffers: p[1],
            workspace: p[2],
            step: p[3],
            items: vec![None; kernel.types.len()],
            made: &mut made,
            call_back,
        };
        state.body()
    })?;
    let (owner, entry) = library.finished(id)?;
    Ok(Code {
        entry,
        owner: Box::new(owner),
        workspace: made.end,
        constants: made.constants,
        calls: made.calls,
    })
}
