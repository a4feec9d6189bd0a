//! What native code is called with, and the one function that it calls back: the definition of an elementwise `hlo` op on whole registers.

use std::{cell::RefCell, fmt};
use tileproof_dialect::{
    eval::{EvalContext, Events, NoRegions, Stop},
    hlo,
    planes::Planes,
    tensor::{Tensor, Value, count},
    types::{ElementType, TensorType, Type},
};

/// One step of a kernel: frame, start of each operand's buffer (semaphores: one i64 each), workspace, grid indices.
pub type Entry = unsafe extern "C" fn(*mut Frame, *const *mut u8, *mut u8, *const i32);

/// State of a run. Code reads `call` at byte 0 and writes `fault` at byte 8.
#[repr(C)]
pub struct Frame {
    call: unsafe extern "C" fn(*mut Frame, u32, *const *const u8, *mut u8),
    fault: u64,
    calls: *const Calls,
}

/// Byte of [`Frame`] where code finds the function to call back: (frame, number of the call, operands, result).
pub const CALL_AT: i64 = 0;
/// Byte of [`Frame`] where code puts the number of a fault (i64).
pub const FAULT_AT: i64 = 8;

/// Numbers that code writes at [`FAULT_AT`].
pub const DEADLOCK: i64 = 1;
pub const LOOP_STEP: i64 = 2;
pub const REFERENCE: i64 = 3;

/// Why a run gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A wait that nothing in flight can release.
    Deadlock,
    /// A loop whose step is not positive.
    LoopStep,
    /// Another shape of a reference that leaves its buffer.
    Reference,
    /// A function that was called back failed.
    Call(String),
    /// Something was written behind a buffer.
    Overrun,
    /// Arguments that are not the kernel's.
    Arguments(String),
    Unknown(u64),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Deadlock => f.write_str("a wait never ends"),
            Fault::LoopStep => f.write_str("a loop whose step is not positive"),
            Fault::Reference => {
                f.write_str("a reference is seen in other sizes and leaves its buffer")
            }
            Fault::Call(what) => write!(f, "a function fails: {what}"),
            Fault::Overrun => f.write_str("something is written behind a buffer"),
            Fault::Arguments(what) => f.write_str(what),
            Fault::Unknown(number) => write!(f, "fault {number}"),
        }
    }
}

/// An elementwise op that code calls back for: operands and result are arrays of one length, or single elements.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Call {
    pub op: hlo::Op,
    pub operands: Vec<(Vec<u64>, ElementType)>,
    pub result: (Vec<u64>, ElementType),
}

impl Call {
    pub fn name(&self) -> &'static str {
        self.op.name()
    }
}

/// The calls of a kernel, and what went wrong in one.
pub struct Calls {
    all: Vec<Call>,
    failed: RefCell<Option<String>>,
}

/// Number that says that a call failed.
const CALL_FAILED: u64 = u64::MAX;

impl Calls {
    pub fn new(all: &[Call]) -> Calls {
        Calls {
            all: all.to_vec(),
            failed: RefCell::new(None),
        }
    }
}

impl Frame {
    pub fn new(calls: &Calls) -> Frame {
        Frame {
            call,
            fault: 0,
            calls,
        }
    }

    /// What the steps so far ran into.
    pub fn fault(&self, calls: &Calls) -> Result<(), Fault> {
        Err(match self.fault as i64 {
            0 => return Ok(()),
            DEADLOCK => Fault::Deadlock,
            LOOP_STEP => Fault::LoopStep,
            REFERENCE => Fault::Reference,
            _ if self.fault == CALL_FAILED => {
                Fault::Call(calls.failed.borrow().clone().unwrap_or_default())
            }
            _ => Fault::Unknown(self.fault),
        })
    }
}

/// Evaluates call `number`.
unsafe extern "C" fn call(
    frame: *mut Frame,
    number: u32,
    operands: *const *const u8,
    result: *mut u8,
) {
    // SAFETY: code passes on the frame it was called with, which outlives the step, as do its calls.
    let (frame, calls) = unsafe { (&mut *frame, &*(*frame).calls) };
    let Some(of) = calls.all.get(number as usize) else {
        frame.fault = CALL_FAILED;
        return;
    };
    let mut values = vec![];
    for (i, (dims, element)) in of.operands.iter().enumerate() {
        let bytes = count(dims) * element.storage_bytes();
        // SAFETY: code passes one pointer an operand, each to that many bytes of its workspace.
        let data = unsafe { std::slice::from_raw_parts(*operands.add(i), bytes) };
        values.push(Value::from(Tensor::from_slice(dims, element.clone(), data)));
    }
    let evaluated = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| eval(of, &values)));
    let want = count(&of.result.0) * of.result.1.storage_bytes();
    match evaluated {
        Ok(Ok(t)) if t.ieee().bytes().len() == want => {
            let from = t.ieee().bytes();
            // SAFETY: `result` has room for the bytes of the declared result, and is in the code's workspace, not in `t`.
            unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), result, want) };
        }
        other => {
            frame.fault = CALL_FAILED;
            let why = match other {
                Ok(Ok(_)) => "a result of another size".to_string(),
                Ok(Err(stop)) => format!("{stop:?}"),
                Err(_) => "it panicked".to_string(),
            };
            *calls.failed.borrow_mut() = Some(format!("{}: {why}", of.name()));
        }
    }
}

fn eval(of: &Call, values: &[Value]) -> Result<Tensor, Stop> {
    let (dims, element) = &of.result;
    let ty: Type = TensorType::new(dims.iter().copied(), element.clone()).into();
    let mut events = Events::default();
    let mut cx = EvalContext {
        planes: Planes::IeeeOnly,
        runner: &mut NoRegions,
        events: &mut events,
    };
    match of.op.eval(values, &[ty], &mut cx)?.into_iter().next() {
        Some(Value::Tensor(t)) => Ok(t),
        Some(_) | None => Err(Stop::internal("no tensor")),
    }
}
