//! Compiles the text of a module and calls a kernel of it, in this process: only a child that may crash does this ([`super::job`]).

use super::{
    functions,
    job::{Contraction, Job},
    text,
};
use inkwell::{
    OptimizationLevel,
    context::Context,
    llvm_sys::support::LLVMAddSymbol,
    memory_buffer::MemoryBuffer,
    targets::{InitializationConfig, Target},
};
use std::{
    alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error},
    ffi::{CStr, c_char, c_void},
};

/// XLA:CPU's call frame (xla/backends/cpu/runtime/kernel_c_api.h).
#[repr(C)]
struct CallFrame {
    workgroups: *const Place,
    workgroup: *const Place,
    arguments: usize,
    argument: *const Argument,
}

#[repr(C)]
struct Place {
    x: u64,
    y: u64,
    z: u64,
}

#[repr(C)]
struct Argument {
    data: *mut u8,
    size: usize,
}

type Kernel = unsafe extern "C" fn(*const CallFrame) -> *const c_void;

/// Bytes of the alignment that XLA gives its buffers, and of the margin behind each.
const ALIGNMENT: usize = 64;
const MARGIN: usize = 4096;
const UNTOUCHED: u8 = 0xa5;

/// Compiles the job's module without optimizations and runs its kernel; gives all buffers as it leaves them.
pub fn execute(job: &Job) -> Result<Vec<Vec<u8>>, String> {
    Target::initialize_native(&InitializationConfig::default())?;
    provide_conversions();
    let context = Context::create();
    let text = text::adapted(&functions::with_bodies(&job.ir)?);
    let text = match job.contraction {
        Contraction::Off => text,
        Contraction::On => contracted(&text),
    };
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "kernel");
    let module = context
        .create_module_from_ir(buffer)
        .map_err(|e| format!("LLVM does not read the module: {e}"))?;
    let used = used_arguments(&job.ir);
    // An optimized module has only offsets into its frame.
    if used > 0 && used != job.buffers.len() {
        let n = job.buffers.len();
        return Err(format!(
            "the kernel works on {used} buffers, {n} were given"
        ));
    }
    let features = match job.contraction {
        Contraction::Off => "+avx2,+f16c",
        Contraction::On => "+avx2,+f16c,+fma",
    };
    let attribute = context.create_string_attribute("target-features", features);
    for function in module.get_functions() {
        function.add_attribute(inkwell::attributes::AttributeLoc::Function, attribute);
    }
    module
        .verify()
        .map_err(|e| format!("LLVM does not accept the module: {e}"))?;
    // Contraction is a part of instruction selection that is left out at level none.
    let level = match job.contraction {
        Contraction::Off => OptimizationLevel::None,
        Contraction::On => OptimizationLevel::Default,
    };
    let engine = module
        .create_jit_execution_engine(level)
        .map_err(|e| format!("LLVM does not compile the module: {e}"))?;
    let address = engine
        .get_function_address(&job.function)
        .map_err(|e| format!("no function {}: {e}", job.function))?;
    // SAFETY: the module defines the function with the signature of XLA's kernels, which its dump says it is; the engine that owns the code outlives the call.
    // A module that lies may do anything, which is why only a child process calls this.
    let kernel: Kernel = unsafe { std::mem::transmute::<usize, Kernel>(address) };
    call(kernel, job)
}

fn call(kernel: Kernel, job: &Job) -> Result<Vec<Vec<u8>>, String> {
    let buffers: Vec<Aligned> = job.buffers.iter().map(|b| Aligned::new(b)).collect();
    let arguments: Vec<Argument> = buffers
        .iter()
        .map(|b| Argument {
            data: b.data,
            size: b.size,
        })
        .collect();
    let workgroups = Place {
        x: job.workgroups,
        y: 1,
        z: 1,
    };
    for x in 0..job.workgroups {
        let workgroup = Place { x, y: 0, z: 0 };
        let frame = CallFrame {
            workgroups: &workgroups,
            workgroup: &workgroup,
            arguments: arguments.len(),
            argument: arguments.as_ptr(),
        };
        // SAFETY: the frame and all it points to live through the call; the buffers have the sizes it says.
        let error = unsafe { kernel(&frame) };
        if !error.is_null() {
            return Err("the kernel reports an error".to_string());
        }
    }
    if buffers.iter().any(Aligned::is_overrun) {
        return Err("the kernel writes behind a buffer".to_string());
    }
    Ok(buffers.iter().map(Aligned::bytes).collect())
}

/// One buffer at XLA's alignment with a margin behind it.
struct Aligned {
    data: *mut u8,
    size: usize,
    layout: Layout,
}

impl Aligned {
    fn new(bytes: &[u8]) -> Aligned {
        let size = bytes.len();
        let layout =
            Layout::from_size_align(size + MARGIN, ALIGNMENT).unwrap_or(Layout::new::<u64>());
        // SAFETY: the layout is not empty, for the margin is not.
        let data = unsafe { alloc_zeroed(layout) };
        if data.is_null() || layout.size() < size + MARGIN {
            handle_alloc_error(layout);
        }
        // SAFETY: `data` has room for `size` bytes and the margin, and is not shared yet.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), data, size);
            std::ptr::write_bytes(data.add(size), UNTOUCHED, MARGIN);
        }
        Aligned { data, size, layout }
    }

    fn bytes(&self) -> Vec<u8> {
        // SAFETY: `size` bytes from `data` on were written in `new`; the kernel has ended.
        unsafe { std::slice::from_raw_parts(self.data, self.size) }.to_vec()
    }

    fn is_overrun(&self) -> bool {
        // SAFETY: the margin was written in `new`; the kernel has ended.
        let margin = unsafe { std::slice::from_raw_parts(self.data.add(self.size), MARGIN) };
        margin.iter().any(|b| *b != UNTOUCHED)
    }
}

impl Drop for Aligned {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.data, self.layout) }
    }
}

/// Number of buffers that the text looks up in its frame.
fn used_arguments(text: &str) -> usize {
    let typed = "%XLA_CPU_KernelArg, ptr ";
    let index = |line: &str| -> Option<usize> {
        let rest = &line[line.find(typed)? + typed.len()..];
        rest.split(", i32 ").nth(1)?.parse().ok()
    };
    let last = text.lines().filter_map(index).max();
    last.map_or(0, |n| n + 1)
}

/// Lets products and sums be contracted.
fn contracted(text: &str) -> String {
    text.replace("= fmul ", "= fmul contract ")
        .replace("= fadd ", "= fadd contract ")
        .replace("= fsub ", "= fsub contract ")
}

/// Conversions that compiled code calls and that no library here has.
fn provide_conversions() {
    let provide = |name: &CStr, function: *mut c_void| {
        let name: *const c_char = name.as_ptr();
        // SAFETY: the name ends with 0; the function lives as long as the process.
        unsafe { LLVMAddSymbol(name, function) }
    };
    provide(c"__truncsfbf2", single_to_bfloat as *mut c_void);
    provide(c"__truncdfbf2", double_to_bfloat as *mut c_void);
    provide(c"__truncdfhf2", double_to_half as *mut c_void);
}

/// 16-bit floats are given back in the low bits of a vector register, as a single is.
fn in_register(bits: u16) -> f32 {
    f32::from_bits(bits.into())
}

extern "C" fn single_to_bfloat(x: f32) -> f32 {
    in_register(half::bf16::from_f32(x).to_bits())
}

extern "C" fn double_to_bfloat(x: f64) -> f32 {
    in_register(half::bf16::from_f64(x).to_bits())
}

extern "C" fn double_to_half(x: f64) -> f32 {
    in_register(half::f16::from_f64(x).to_bits())
}

/// Lets this process have so many bytes of memory and no more.
pub fn limit_memory(bytes: u64) {
    let limit = libc::rlimit {
        rlim_cur: bytes,
        rlim_max: bytes,
    };
    // SAFETY: the struct is read during the call only. Where the system has no such limit the child's time is limited all the same.
    let _ = unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
}
