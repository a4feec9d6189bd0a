//! From MLIR text to code in memory: MLIR's conversions to the llvm dialect, LLVM's optimizer, object code, ORC.

use crate::native::kernel::{NotCompiled, frame::Entry};
use inkwell::{
    OptimizationLevel,
    attributes::{Attribute, AttributeLoc},
    context::{AsContextRef, Context},
    llvm_sys::{
        core::LLVMCreateMemoryBufferWithMemoryRangeCopy,
        error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage},
        orc2::{
            LLVMOrcExecutorAddress, LLVMOrcJITDylibRef,
            lljit::{
                LLVMOrcCreateLLJIT, LLVMOrcDisposeLLJIT, LLVMOrcLLJITAddObjectFile,
                LLVMOrcLLJITGetMainJITDylib, LLVMOrcLLJITLookup, LLVMOrcLLJITRef,
            },
        },
    },
    module::Module as LlvmModule,
    passes::PassBuilderOptions,
    targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine},
};
use melior::{
    dialect::DialectRegistry,
    ir::Module,
    pass::PassManager,
    utility::{
        parse_pass_pipeline, register_all_dialects, register_all_llvm_translations,
        register_all_passes,
    },
};
use std::{cell::OnceCell, ffi::CStr, ptr, sync::Once};

/// The only function of a module that is called from outside.
pub const NAME: &str = "kernel";

/// MLIR's way to the llvm dialect.
const PIPELINE: &str = "builtin.module(convert-vector-to-llvm,convert-scf-to-cf,convert-cf-to-llvm,convert-math-to-llvm,convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)";

/// LLVM's passes: functions stay as small as they are made, so that time goes with what is different in a kernel, not with its length.
const PASSES: &str =
    "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg,loop-mssa(licm))";

/// Code of one module in memory.
pub struct Object {
    jit: LLVMOrcLLJITRef,
}

// SAFETY: ORC's sessions may be used from any thread; the code itself is read only, and works on memory that each call brings along.
unsafe impl Send for Object {}
// SAFETY: as above; nothing is done through a shared reference but to keep the code.
unsafe impl Sync for Object {}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: made by `link`, and the code is not called any more: who calls it holds this.
        let error = unsafe { LLVMOrcDisposeLLJIT(self.jit) };
        let _ = message(error);
    }
}

thread_local! {
    static CONTEXT: OnceCell<melior::Context> = const { OnceCell::new() };
}

/// Compiles the text of a module and finds its function.
pub fn compile(text: &str) -> Result<(Object, Entry), NotCompiled> {
    let object =
        CONTEXT.with(|context| object(context.get_or_init(context_of_this_thread), text))?;
    link(&object)
}

fn context_of_this_thread() -> melior::Context {
    static PASSES_ARE_REGISTERED: Once = Once::new();
    PASSES_ARE_REGISTERED.call_once(register_all_passes);
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    let context = melior::Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    register_all_llvm_translations(&context);
    context
}

fn failed(what: impl Into<String>) -> NotCompiled {
    NotCompiled::Failed(what.into())
}

/// Object code of the text.
fn object(context: &melior::Context, text: &str) -> Result<Vec<u8>, NotCompiled> {
    let said = std::rc::Rc::new(std::cell::RefCell::new(String::new()));
    let hears = said.clone();
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        hears.borrow_mut().push_str(&format!("{diagnostic}; "));
        true
    });
    let lowered = lowered(context, text);
    context.detach_diagnostic_handler(handler);
    let module = lowered.map_err(|step| {
        let said: String = said.borrow().chars().take(500).collect();
        failed(format!("MLIR does not {step}: {said}"))
    })?;
    let llvm = Context::create();
    // SAFETY: the operation is a module of the llvm dialect and outlives the call; both crates name the same LLVM's context.
    let raw = unsafe {
        mlir_sys::mlirTranslateModuleToLLVMIR(
            module.as_operation().to_raw(),
            (&llvm).as_ctx_ref().cast(),
        )
    };
    if raw.is_null() {
        return Err(failed("MLIR gives no LLVM module"));
    }
    // SAFETY: a module of `llvm` that no one else owns.
    let module = unsafe { LlvmModule::new(raw.cast()) };
    let machine = machine()?;
    module.set_triple(&machine.get_triple());
    module.set_data_layout(&machine.get_target_data().get_data_layout());
    let cpu = TargetMachine::get_host_cpu_name().to_string();
    let features = TargetMachine::get_host_cpu_features().to_string();
    for function in module.get_functions() {
        for (key, value) in [
            ("target-cpu", cpu.as_str()),
            ("target-features", &features),
            ("prefer-vector-width", "512"),
        ] {
            let attribute = llvm.create_string_attribute(key, value);
            function.add_attribute(AttributeLoc::Function, attribute);
        }
        // It is nothing but calls, thousands in a row: values that passes would share among them live so long that registers take minutes to assign.
        if function.get_name().to_bytes() == NAME.as_bytes() {
            for name in ["noinline", "optnone"] {
                let kind = Attribute::get_named_enum_kind_id(name);
                let attribute = llvm.create_enum_attribute(kind, 0);
                function.add_attribute(AttributeLoc::Function, attribute);
            }
        }
    }
    module
        .run_passes(PASSES, &machine, PassBuilderOptions::create())
        .map_err(|e| failed(format!("LLVM's passes: {e}")))?;
    let buffer = machine
        .write_to_memory_buffer(&module, FileType::Object)
        .map_err(|e| failed(format!("LLVM gives no object code: {e}")))?;
    Ok(buffer.as_slice().to_vec())
}

/// The text in the llvm dialect. `Err`: the step that fails.
fn lowered<'c>(context: &'c melior::Context, text: &str) -> Result<Module<'c>, &'static str> {
    let mut module = Module::parse(context, text).ok_or("read the text")?;
    let passes = PassManager::new(context);
    passes.enable_verifier(cfg!(debug_assertions));
    parse_pass_pipeline(passes.as_operation_pass_manager(), PIPELINE)
        .map_err(|_| "know the pipeline")?;
    passes.run(&mut module).map_err(|_| "lower the text")?;
    Ok(module)
}

/// This machine.
fn machine() -> Result<TargetMachine, NotCompiled> {
    static TARGETS_ARE_THERE: Once = Once::new();
    TARGETS_ARE_THERE.call_once(|| Target::initialize_x86(&InitializationConfig::default()));
    let triple = TargetMachine::get_default_triple();
    let target = Target::from_triple(&triple).map_err(|e| failed(e.to_string()))?;
    target
        .create_target_machine(
            &triple,
            &TargetMachine::get_host_cpu_name().to_string(),
            &TargetMachine::get_host_cpu_features().to_string(),
            OptimizationLevel::Less,
            RelocMode::PIC,
            CodeModel::Small,
        )
        .ok_or_else(|| failed("LLVM does not know this machine"))
}

/// What an error says; it is gone afterwards.
fn message(error: LLVMErrorRef) -> Result<(), String> {
    if error.is_null() {
        return Ok(());
    }
    // SAFETY: the error is not null and not used afterwards; its text is freed once, after it was copied.
    unsafe {
        let text = LLVMGetErrorMessage(error);
        let out = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(text);
        Err(out)
    }
}

/// Puts object code into memory and finds its function.
fn link(object: &[u8]) -> Result<(Object, Entry), NotCompiled> {
    let mut jit: LLVMOrcLLJITRef = ptr::null_mut();
    // SAFETY: no builder asks for the host's settings; `jit` is written where there is no error.
    let error = unsafe { LLVMOrcCreateLLJIT(&mut jit, ptr::null_mut()) };
    message(error).map_err(|e| failed(format!("ORC: {e}")))?;
    let owner = Object { jit };
    let mut address: LLVMOrcExecutorAddress = 0;
    let name = format!("{NAME}\0");
    // SAFETY: the buffer is a copy that ORC takes over; name and object end where their lengths say; the library belongs to `jit`, which lives on.
    let error = unsafe {
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
            object.as_ptr().cast(),
            object.len(),
            c"kernel".as_ptr(),
        );
        let library: LLVMOrcJITDylibRef = LLVMOrcLLJITGetMainJITDylib(jit);
        message(LLVMOrcLLJITAddObjectFile(jit, library, buffer))
            .map_err(|e| failed(format!("ORC: {e}")))?;
        LLVMOrcLLJITLookup(jit, &mut address, name.as_ptr().cast())
    };
    message(error).map_err(|e| failed(format!("ORC: {e}")))?;
    // SAFETY: the module defines the function with this signature, and its code lives as long as `owner`.
    let entry = unsafe { std::mem::transmute::<usize, Entry>(address as usize) };
    Ok((owner, entry))
}
