//! A kernel as the text of an MLIR module: state, values, functions.
//!
//! A vector lies in scratch memory, row-major in the storage of its elements; an op on vectors is a call of a small function with a loop, and ops of one form
//! share theirs. Integer scalars are SSA values; references are known when the code is made but for offsets and sizes.

use super::{
    lanes::{Kind, Lanes},
    slots::{Slot, Slots},
    view::View,
};
use crate::native::kernel::{NotCompiled, frame::Call};
use std::{collections::HashMap, fmt::Write};
use tileproof_dialect::{
    tensor::count,
    tpu::{Kernel, KernelOperation, KernelType, KernelValue},
    types::ElementType,
};

pub type Made<T> = Result<T, NotCompiled>;

/// An i64 of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Number {
    Constant(i64),
    /// Name of an SSA value.
    Ssa(String),
}

/// What stands for a value of the kernel.
#[derive(Debug, Clone)]
pub enum Value {
    /// An integer scalar or index: in SSA of the lane type of its element.
    Int(Number, ElementType),
    /// A constant vector of equal elements: bytes of one.
    Splat(Vec<u8>),
    /// In scratch memory: a vector, or a float scalar as one element.
    Slot(Slot),
    View(View),
}

/// What is made of a kernel.
pub struct Emitter<'k> {
    pub kernel: &'k Kernel,
    /// Text of the kernel's function so far.
    pub body: String,
    pub next: u32,
    /// Functions by their text without name.
    functions: HashMap<String, String>,
    /// Their text with names.
    pub text: String,
    pub values: Vec<Option<Value>>,
    pub slots: Slots,
    pub constants: Vec<(usize, Vec<u8>)>,
    pub calls: Vec<Call>,
    pub barrier: Option<Slot>,
}

/// A function that is being written, and what it is called with.
pub struct Function {
    pub text: String,
    pub next: u32,
    parameters: Vec<String>,
    arguments: Vec<String>,
}

impl Function {
    pub fn new() -> Function {
        Function {
            text: String::new(),
            next: 0,
            parameters: vec![],
            arguments: vec![],
        }
    }

    /// A parameter of this type for an argument of the caller; the name inside.
    pub fn parameter(&mut self, argument: &str, ty: &str) -> String {
        let name = format!("%p{}", self.parameters.len());
        self.parameters.push(format!("{name}: {ty}"));
        self.arguments.push(format!("{argument} : {ty}"));
        name
    }

    pub fn op(&mut self, text: impl AsRef<str>) -> String {
        let name = format!("%x{}", self.next);
        self.next += 1;
        let _ = writeln!(self.text, "{name} = {}", text.as_ref());
        name
    }

    pub fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    pub fn constant(&mut self, value: i64) -> String {
        self.op(format!("arith.constant {value} : i64"))
    }

    /// Opens a loop from `low` to `high`; gives its index. [`Function::end`] closes it.
    pub fn begin_loop(&mut self, low: &str, high: &str, step: u64) -> String {
        let step = self.constant(step as i64);
        let name = format!("%x{}", self.next);
        self.next += 1;
        self.line(format!(
            "scf.for {name} = {low} to {high} step {step} : i64 {{"
        ));
        name
    }

    pub fn end(&mut self) {
        self.line("}");
    }

    /// `pointer` plus `index` elements of so many bytes.
    pub fn at(&mut self, pointer: &str, index: &str, bytes: u64) -> String {
        self.op(format!(
            "llvm.getelementptr {pointer}[{index}] : (!llvm.ptr, i64) -> !llvm.ptr, i{}",
            8 * bytes
        ))
    }

    pub fn mul(&mut self, a: &str, by: i64) -> String {
        if by == 1 {
            return a.to_string();
        }
        let by = self.constant(by);
        self.op(format!("arith.muli {a}, {by} : i64"))
    }

    pub fn add(&mut self, a: &str, b: &str) -> String {
        self.op(format!("arith.addi {a}, {b} : i64"))
    }

    pub fn lanes(&mut self, lanes: u64) -> Lanes<'_> {
        Lanes {
            out: &mut self.text,
            next: &mut self.next,
            lanes,
        }
    }
}

impl<'k> Emitter<'k> {
    pub fn new(kernel: &'k Kernel) -> Emitter<'k> {
        Emitter {
            kernel,
            body: String::new(),
            next: 0,
            functions: HashMap::new(),
            text: String::new(),
            values: vec![None; kernel.types.len()],
            slots: Slots::default(),
            constants: vec![],
            calls: vec![],
            barrier: None,
        }
    }

    pub fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    pub fn op(&mut self, text: impl AsRef<str>) -> String {
        let name = self.fresh();
        let _ = writeln!(self.body, "{name} = {}", text.as_ref());
        name
    }

    pub fn line(&mut self, text: impl AsRef<str>) {
        self.body.push_str(text.as_ref());
        self.body.push('\n');
    }

    /// Scalar ops in the kernel's function.
    pub fn scalars(&mut self) -> Lanes<'_> {
        Lanes {
            out: &mut self.body,
            next: &mut self.next,
            lanes: 0,
        }
    }

    /// Calls `function`; one of the same text is made once.
    pub fn call(&mut self, function: Function) {
        let head = format!("({})", function.parameters.join(", "));
        let key = format!("{head} {{\n{}return\n}}\n", function.text);
        let name = match self.functions.get(&key) {
            Some(name) => name.clone(),
            None => {
                let name = format!("f{}", self.functions.len());
                let _ = write!(self.text, "func.func private @{name}{key}");
                self.functions.insert(key, name.clone());
                name
            }
        };
        let (values, types): (Vec<&str>, Vec<&str>) = function
            .arguments
            .iter()
            .filter_map(|a| a.split_once(" : "))
            .unzip();
        let line = format!(
            "func.call @{name}({}) : ({}) -> ()",
            values.join(", "),
            types.join(", ")
        );
        self.line(line);
    }

    pub fn ty(&self, v: KernelValue) -> &'k KernelType {
        self.kernel.ty(v)
    }

    pub fn element(&self, v: KernelValue) -> Made<ElementType> {
        let element = self.ty(v).element();
        element.ok_or_else(|| internal("a reference where a value is expected"))
    }

    pub fn dims(&self, v: KernelValue) -> Made<&'k [u64]> {
        let dims = self.ty(v).dims();
        dims.ok_or_else(|| internal("a reference where a value is expected"))
    }

    pub fn get(&self, v: KernelValue) -> Made<&Value> {
        self.values
            .get(v.index())
            .and_then(Option::as_ref)
            .ok_or_else(|| internal("a value that is not there"))
    }

    pub fn set(&mut self, v: KernelValue, value: Value) {
        if let Some(place) = self.values.get_mut(v.index()) {
            *place = Some(value);
        }
    }

    /// The only result of `o`.
    pub fn result(&self, o: &KernelOperation) -> Made<KernelValue> {
        o.results
            .first()
            .copied()
            .ok_or_else(|| internal("no result"))
    }

    /// A slot for a value of these sizes.
    pub fn slot(&mut self, dims: &[u64], element: &ElementType) -> Slot {
        self.slots
            .take(count(dims) as u64 * element.storage_bytes() as u64)
    }

    /// A slot for the only result of `o`, which it becomes.
    pub fn result_slot(&mut self, o: &KernelOperation) -> Made<Slot> {
        let v = self.result(o)?;
        let (dims, element) = (self.dims(v)?, self.element(v)?);
        let slot = self.slot(dims, &element);
        self.set(v, Value::Slot(slot));
        Ok(slot)
    }

    /// Start of a slot plus so many bytes.
    pub fn pointer(&mut self, slot: Slot, plus: u64) -> String {
        self.op(format!(
            "llvm.getelementptr %workspace[{}] : (!llvm.ptr) -> !llvm.ptr, i8",
            slot.at + plus
        ))
    }

    /// Bytes that scratch memory holds from the start.
    pub fn kept(&mut self, bytes: Vec<u8>) -> Slot {
        let slot = self.slots.keep(bytes.len() as u64);
        self.constants.push((slot.at as usize, bytes));
        slot
    }

    /// The value in memory, as every value but a reference can be; and whether the slot was made for this use and must be freed after it.
    pub fn in_memory(&mut self, v: KernelValue) -> Made<(Slot, bool)> {
        let (dims, element) = (self.dims(v)?, self.element(v)?);
        match self.get(v)?.clone() {
            Value::Slot(slot) => Ok((slot, false)),
            Value::Splat(one) => {
                let slot = self.kept(one.repeat(count(dims)));
                self.set(v, Value::Slot(slot));
                Ok((slot, false))
            }
            Value::Int(number, _) => {
                let slot = self.slot(&[], &element);
                let x = self.ssa(&number, &element);
                let p = self.pointer(slot, 0);
                self.scalars().store(Kind::of(&element), &x, &p);
                Ok((slot, true))
            }
            Value::View(_) => Err(internal("a reference where a value is expected")),
        }
    }

    pub fn release(&mut self, (slot, own): (Slot, bool)) {
        if own {
            self.slots.free(slot);
        }
    }

    /// Makes the result of `o`, an integer scalar that was written to `slot`, a scalar; other results stay in their slot.
    pub fn settled(&mut self, v: KernelValue, slot: Slot) -> Made<()> {
        let element = self.element(v)?;
        if self.dims(v)?.is_empty() && element.is_integer() {
            let p = self.pointer(slot, 0);
            let x = self.scalars().load(Kind::of(&element), &p);
            self.slots.free(slot);
            self.set(v, Value::Int(Number::Ssa(x), element));
        } else {
            self.set(v, Value::Slot(slot));
        }
        Ok(())
    }

    /// An integer scalar in its lane type.
    pub fn ssa(&mut self, number: &Number, element: &ElementType) -> String {
        match number {
            Number::Ssa(name) => name.clone(),
            Number::Constant(value) => {
                let kind = Kind::of(element);
                let shift = 64 - 8 * kind.bytes() as u32;
                self.scalars().int(value << shift >> shift, &kind.lane())
            }
        }
    }

    /// An integer scalar.
    pub fn int(&self, v: KernelValue) -> Made<(Number, ElementType)> {
        match self.get(v)? {
            Value::Int(number, element) => Ok((number.clone(), element.clone())),
            Value::Splat(_) | Value::Slot(_) | Value::View(_) => {
                Err(internal("not an integer scalar"))
            }
        }
    }

    /// An integer scalar as i64.
    pub fn number(&mut self, v: KernelValue) -> Made<Number> {
        let (number, element) = self.int(v)?;
        Ok(match (number, Kind::of(&element)) {
            (Number::Constant(n), _) => Number::Constant(n),
            (Number::Ssa(x), Kind::Int { storage: 64, .. }) => Number::Ssa(x),
            (Number::Ssa(x), Kind::Int { signed: true, .. }) => Number::Ssa(self.scalars().cast(
                "arith.extsi",
                &x,
                &Kind::of(&element).lane(),
                "i64",
            )),
            (Number::Ssa(x), kind) => {
                Number::Ssa(self.scalars().cast("arith.extui", &x, &kind.lane(), "i64"))
            }
        })
    }

    pub fn view(&self, v: KernelValue) -> Made<View> {
        match self.get(v)? {
            Value::View(view) => Ok(view.clone()),
            Value::Int(..) | Value::Splat(_) | Value::Slot(_) => Err(internal("not a reference")),
        }
    }

    /// An i64 as SSA.
    pub fn i64(&mut self, number: &Number) -> String {
        self.ssa(number, &ElementType::I64)
    }

    /// Notes a fault where `condition` (i1) holds.
    pub fn fault_if(&mut self, condition: &str, number: i64) {
        use crate::native::kernel::frame::FAULT_AT;
        let _ = writeln!(
            self.body,
            "scf.if {condition} {{\n\
             %fault = llvm.getelementptr %frame[{FAULT_AT}] : (!llvm.ptr) -> !llvm.ptr, i8\n\
             %number = arith.constant {number} : i64\n\
             llvm.store %number, %fault : i64, !llvm.ptr\n}}"
        );
    }

    /// Frees what a value holds.
    pub fn drop_value(&mut self, v: KernelValue) {
        if let Some(Value::Slot(slot)) = self.values.get_mut(v.index()).and_then(Option::take) {
            self.slots.free(slot);
        }
    }
}

impl Emitter<'_> {
    /// Calls back for `call`: operands and result by their pointers.
    pub fn call_back(&mut self, call: Call, operands: &[String], result: &str) {
        use crate::native::kernel::frame::CALL_AT;
        let number = match self.calls.iter().position(|c| *c == call) {
            Some(at) => at,
            None => {
                self.calls.push(call);
                self.calls.len() - 1
            }
        };
        let list = self.slots.take(8 * operands.len() as u64);
        for (i, operand) in operands.iter().enumerate() {
            let p = self.pointer(list, 8 * i as u64);
            self.line(format!("llvm.store {operand}, {p} : !llvm.ptr, !llvm.ptr"));
        }
        let list_pointer = self.pointer(list, 0);
        let place = self.op(format!(
            "llvm.getelementptr %frame[{CALL_AT}] : (!llvm.ptr) -> !llvm.ptr, i8"
        ));
        let function = self.op(format!("llvm.load {place} : !llvm.ptr -> !llvm.ptr"));
        let number = self.op(format!("arith.constant {number} : i32"));
        self.line(format!(
            "llvm.call {function}(%frame, {number}, {list_pointer}, {result}) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr) -> ()"
        ));
        self.slots.free(list);
    }
}

pub fn internal(what: &str) -> NotCompiled {
    NotCompiled::Failed(format!("a kernel with {what}"))
}
