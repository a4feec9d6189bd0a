//! Functions of a module: loops, constants, and one function for each form of op.

use crate::native::kernel::{NotCompiled, frame::Entry};
use cranelift_codegen::{
    ir::{
        AbiParam, BlockArg, Function, InstBuilder, MemFlagsData, Signature, Type, UserFuncName,
        Value, condcodes::IntCC, types,
    },
    isa::TargetFrontendConfig,
    settings::{self, Configurable},
};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module};
use std::collections::HashMap;

/// A function that is being written.
pub type Writer<'f> = FunctionBuilder<'f>;

pub fn failed(what: impl std::fmt::Display) -> NotCompiled {
    NotCompiled::Failed(what.to_string())
}

/// The functions of a kernel so far.
pub struct Library {
    pub module: JITModule,
    known: HashMap<String, FuncId>,
}

/// Code in memory.
pub struct Finished {
    module: Option<JITModule>,
}

// SAFETY: the module is finished: nothing is done with it but to free its memory once, which any thread may.
unsafe impl Send for Finished {}
// SAFETY: as above; a shared reference only keeps the code.
unsafe impl Sync for Finished {}

impl Drop for Finished {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: no code of the module runs any more: who calls it holds this.
            unsafe { module.free_memory() }
        }
    }
}

impl Library {
    pub fn new() -> Result<Library, NotCompiled> {
        let mut flags = settings::builder();
        flags.set("opt_level", "speed").map_err(failed)?;
        let verifies = if cfg!(debug_assertions) {
            "true"
        } else {
            "false"
        };
        flags.set("enable_verifier", verifies).map_err(failed)?;
        let isa = cranelift_native::builder().map_err(failed)?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(failed)?;
        let builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
        Ok(Library {
            module: JITModule::new(builder),
            known: HashMap::new(),
        })
    }

    pub fn config(&self) -> TargetFrontendConfig {
        self.module.isa().frontend_config()
    }

    pub fn signature(&self, parameters: &[Type]) -> Signature {
        let mut out = self.module.make_signature();
        out.params = parameters.iter().map(|t| AbiParam::new(*t)).collect();
        out
    }

    /// The function of this description, which takes these types: `write` writes it the first time.
    pub fn function(
        &mut self,
        description: String,
        parameters: &[Type],
        write: impl FnOnce(&mut Writer<'_>, &[Value]) -> Result<(), NotCompiled>,
    ) -> Result<FuncId, NotCompiled> {
        if let Some(id) = self.known.get(&description) {
            return Ok(*id);
        }
        let name = format!("f{}", self.known.len());
        let id = self.define(&name, parameters, |_, writer, arguments| {
            write(writer, arguments)
        })?;
        self.known.insert(description, id);
        Ok(id)
    }

    /// Writes a function.
    pub fn define(
        &mut self,
        name: &str,
        parameters: &[Type],
        write: impl FnOnce(&mut Library, &mut Writer<'_>, &[Value]) -> Result<(), NotCompiled>,
    ) -> Result<FuncId, NotCompiled> {
        let signature = self.signature(parameters);
        let id = self
            .module
            .declare_function(name, Linkage::Local, &signature)
            .map_err(failed)?;
        let mut context = self.module.make_context();
        context.func = Function::with_name_signature(UserFuncName::user(0, id.as_u32()), signature);
        let mut of_writer = FunctionBuilderContext::new();
        let mut writer = FunctionBuilder::new(&mut context.func, &mut of_writer);
        let entry = writer.create_block();
        writer.append_block_params_for_function_params(entry);
        writer.switch_to_block(entry);
        let arguments = writer.block_params(entry).to_vec();
        write(self, &mut writer, &arguments)?;
        writer.ins().return_(&[]);
        writer.seal_all_blocks();
        writer.finalize(self.config());
        self.module
            .define_function(id, &mut context)
            .map_err(|e| failed(format!("{e:?}")))?;
        Ok(id)
    }

    /// Makes the code callable.
    pub fn finished(mut self, id: FuncId) -> Result<(Finished, Entry), NotCompiled> {
        self.module.finalize_definitions().map_err(failed)?;
        let code = self.module.get_finalized_function(id);
        // SAFETY: the function was defined with this signature, and its code lives as long as `Finished`.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(code) };
        let owner = Finished {
            module: Some(self.module),
        };
        Ok((owner, entry))
    }
}

/// A constant of an integer type.
pub fn constant(w: &mut Writer<'_>, ty: Type, value: i64) -> Value {
    let bits = ty.bits();
    let mask = if bits >= 64 { -1 } else { (1i64 << bits) - 1 };
    w.ins().iconst(ty, value & mask)
}

pub fn int64(w: &mut Writer<'_>, value: i64) -> Value {
    constant(w, types::I64, value)
}

/// `pointer` plus `index` elements of so many bytes.
pub fn at(w: &mut Writer<'_>, pointer: Value, index: Value, bytes: i64) -> Value {
    let offset = times(w, index, bytes);
    w.ins().iadd(pointer, offset)
}

pub fn times(w: &mut Writer<'_>, x: Value, by: i64) -> Value {
    if by == 1 {
        return x;
    }
    let by = int64(w, by);
    w.ins().imul(x, by)
}

pub fn load(w: &mut Writer<'_>, ty: Type, pointer: Value) -> Value {
    w.ins().load(ty, MemFlagsData::new(), pointer, 0)
}

pub fn store(w: &mut Writer<'_>, x: Value, pointer: Value) {
    w.ins().store(MemFlagsData::new(), x, pointer, 0);
}

/// Runs `body` for an i64 from `low` to `high`, `step` apart.
pub fn each(
    w: &mut Writer<'_>,
    low: Value,
    high: Value,
    step: i64,
    body: &mut dyn FnMut(&mut Writer<'_>, Value),
) {
    let (head, inside, behind) = (w.create_block(), w.create_block(), w.create_block());
    w.append_block_param(head, types::I64);
    w.ins().jump(head, &[BlockArg::Value(low)]);
    w.switch_to_block(head);
    let i = w.block_params(head)[0];
    let goes_on = w.ins().icmp(IntCC::SignedLessThan, i, high);
    w.ins().brif(goes_on, inside, &[], behind, &[]);
    w.switch_to_block(inside);
    body(w, i);
    let step = int64(w, step);
    let next = w.ins().iadd(i, step);
    w.ins().jump(head, &[BlockArg::Value(next)]);
    w.switch_to_block(behind);
}

/// Runs `body` for every coordinate of these sizes.
pub fn every(
    w: &mut Writer<'_>,
    sizes: &[u64],
    so_far: &mut Vec<Value>,
    body: &mut dyn FnMut(&mut Writer<'_>, &[Value]),
) {
    let Some(size) = sizes.get(so_far.len()) else {
        return body(w, so_far);
    };
    let (low, high) = (int64(w, 0), int64(w, *size as i64));
    each(w, low, high, 1, &mut |w, i| {
        so_far.push(i);
        every(w, sizes, so_far, body);
        so_far.pop();
    });
}

/// `start` plus the coordinates times the strides.
pub fn inner(w: &mut Writer<'_>, start: i64, coordinates: &[Value], strides: &[i64]) -> Value {
    let mut out = int64(w, start);
    for (c, s) in coordinates.iter().zip(strides) {
        let step = times(w, *c, *s);
        out = w.ins().iadd(out, step);
    }
    out
}
