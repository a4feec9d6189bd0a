//! A kernel being written: values, scratch memory, calls.
//!
//! Every vector has a place of its own in scratch memory for the whole kernel, row-major by its indices; integer scalars are registers.

use super::{
    code::{Library, Writer, constant, failed, int64, load, store},
    reference::Reference,
    scalar::register,
};
use crate::native::kernel::{
    NotCompiled,
    frame::{CALL_AT, Call, FAULT_AT},
};
use cranelift_codegen::ir::{InstBuilder, SigRef, Type, Value, condcodes::IntCC, types};
use cranelift_module::Module;
use tileproof_dialect::{
    tensor::{Tensor, count},
    tpu::{Kernel, KernelOperation, KernelValue},
    types::ElementType,
};

pub type Made<T> = Result<T, NotCompiled>;

/// What stands for a value of the kernel.
#[derive(Debug, Clone)]
pub enum Item {
    /// An integer scalar in a register of its storage.
    Number(Value),
    /// First byte in scratch memory.
    Place(usize),
    Reference(Reference),
}

/// The kernel's function and what belongs to it.
pub struct State<'s, 'f> {
    pub kernel: &'s Kernel,
    pub library: &'s mut Library,
    pub w: &'s mut Writer<'f>,
    pub frame: Value,
    pub buffers: Value,
    pub workspace: Value,
    pub step: Value,
    pub items: Vec<Option<Item>>,
    pub made: &'s mut Scratch,
    pub call_back: SigRef,
}

/// Scratch memory and calls, which outlive the writing.
#[derive(Default)]
pub struct Scratch {
    pub end: usize,
    pub constants: Vec<(usize, Vec<u8>)>,
    pub calls: Vec<Call>,
    pub barrier: Option<usize>,
}

impl Scratch {
    /// A place of so many bytes.
    pub fn place(&mut self, bytes: usize) -> usize {
        let at = self.end;
        self.end += bytes.max(1).next_multiple_of(64);
        at
    }

    /// A place that holds these bytes from the start.
    pub fn filled(&mut self, bytes: Vec<u8>) -> usize {
        let at = self.place(bytes.len());
        self.constants.push((at, bytes));
        at
    }
}

pub fn broken<T>(what: &str) -> Made<T> {
    Err(failed(format!("a kernel with {what}")))
}

impl State<'_, '_> {
    pub fn element(&self, v: KernelValue) -> Made<ElementType> {
        match self.kernel.ty(v).element() {
            Some(element) => Ok(element),
            None => broken("a reference where a value is expected"),
        }
    }

    pub fn dims(&self, v: KernelValue) -> Made<Vec<u64>> {
        match self.kernel.ty(v).dims() {
            Some(dims) => Ok(dims.to_vec()),
            None => broken("a reference where a value is expected"),
        }
    }

    pub fn item(&self, v: KernelValue) -> Made<Item> {
        match self.items.get(v.index()).cloned().flatten() {
            Some(item) => Ok(item),
            None => broken("a value that is not there"),
        }
    }

    pub fn set(&mut self, v: KernelValue, item: Item) {
        if let Some(slot) = self.items.get_mut(v.index()) {
            *slot = Some(item);
        }
    }

    pub fn only(&self, o: &KernelOperation) -> Made<KernelValue> {
        match o.results[..] {
            [v] => Ok(v),
            _ => broken("an op of another number of results"),
        }
    }

    pub fn operand(&self, o: &KernelOperation, at: usize) -> Made<KernelValue> {
        match o.operands.get(at) {
            Some(v) => Ok(*v),
            None => broken("an op that lacks an operand"),
        }
    }

    /// Bytes of a vector.
    pub fn bytes(&self, v: KernelValue) -> Made<usize> {
        Ok(count(&self.dims(v)?) * self.element(v)?.storage_bytes())
    }

    /// A pointer into scratch memory.
    pub fn pointer(&mut self, place: usize) -> Value {
        let at = int64(self.w, place as i64);
        self.w.ins().iadd(self.workspace, at)
    }

    /// The place of a value; a scalar in a register is written to one.
    pub fn placed(&mut self, v: KernelValue) -> Made<usize> {
        match self.item(v)? {
            Item::Place(place) => Ok(place),
            Item::Number(x) => {
                let bytes = self.bytes(v)?;
                let place = self.made.place(bytes);
                let p = self.pointer(place);
                store(self.w, x, p);
                Ok(place)
            }
            Item::Reference(_) => broken("a reference where a value is expected"),
        }
    }

    /// A new place for a result.
    pub fn new_place(&mut self, v: KernelValue) -> Made<usize> {
        let bytes = self.bytes(v)?;
        Ok(self.made.place(bytes))
    }

    /// The result is what lies at a place: integer scalars go to a register.
    pub fn lies_at(&mut self, v: KernelValue, place: usize) -> Made<()> {
        let element = self.element(v)?;
        if self.dims(v)?.is_empty() && element.is_integer() {
            let ty = self.register(&element)?;
            let p = self.pointer(place);
            let x = load(self.w, ty, p);
            self.set(v, Item::Number(x));
        } else {
            self.set(v, Item::Place(place));
        }
        Ok(())
    }

    pub fn register(&self, element: &ElementType) -> Made<Type> {
        match register(element) {
            Some(ty) => Ok(ty),
            None => NotCompiled::unsupported(format!("a register of {element}")),
        }
    }

    /// An integer scalar in its own width.
    pub fn number(&mut self, v: KernelValue) -> Made<Value> {
        match self.item(v)? {
            Item::Number(x) => Ok(x),
            Item::Place(_) | Item::Reference(_) => {
                broken("no integer scalar where one is expected")
            }
        }
    }

    /// An integer scalar as i64.
    pub fn index(&mut self, v: KernelValue) -> Made<Value> {
        use super::scalar::{Held, held, widened};
        let x = self.number(v)?;
        let signed = matches!(held(&self.element(v)?), Held::Integer { signed: true, .. });
        Ok(widened(self.w, x, signed))
    }

    /// A constant tensor in scratch memory.
    pub fn constant(&mut self, t: &Tensor) -> usize {
        self.made.filled(t.ieee().bytes().to_vec())
    }

    /// Calls a function of the library on pointers and numbers, all of 64 bits.
    pub fn call(
        &mut self,
        description: String,
        arguments: &[Value],
        write: impl FnOnce(&mut Writer<'_>, &[Value]) -> Made<()>,
    ) -> Made<()> {
        let parameters = vec![types::I64; arguments.len()];
        let id = self.library.function(description, &parameters, write)?;
        let callee = self.library.module.declare_func_in_func(id, self.w.func);
        self.w.ins().call(callee, arguments);
        Ok(())
    }

    /// Calls back for the definition of an op.
    pub fn by_definition(&mut self, call: Call, operands: &[usize], result: usize) {
        let number = match self.made.calls.iter().position(|c| *c == call) {
            Some(at) => at,
            None => {
                self.made.calls.push(call);
                self.made.calls.len() - 1
            }
        };
        let list = self.made.place(8 * operands.len());
        for (i, place) in operands.iter().enumerate() {
            let (p, x) = (self.pointer(list + 8 * i), self.pointer(*place));
            store(self.w, x, p);
        }
        let (list, out) = (self.pointer(list), self.pointer(result));
        let at = int64(self.w, CALL_AT);
        let at = self.w.ins().iadd(self.frame, at);
        let function = load(self.w, types::I64, at);
        let number = constant(self.w, types::I32, number as i64);
        let arguments = [self.frame, number, list, out];
        self.w
            .ins()
            .call_indirect(self.call_back, function, &arguments);
    }

    /// Writes the number of a fault where `condition` is not 0.
    pub fn fault_if(&mut self, condition: Value, number: i64) {
        let at = int64(self.w, FAULT_AT);
        let at = self.w.ins().iadd(self.frame, at);
        let old = load(self.w, types::I64, at);
        let new = int64(self.w, number);
        let out = self.w.ins().select(condition, new, old);
        store(self.w, out, at);
    }

    pub fn larger(&mut self, a: Value, b: Value) -> Value {
        let p = self.w.ins().icmp(IntCC::SignedGreaterThan, a, b);
        self.w.ins().select(p, a, b)
    }

    pub fn smaller(&mut self, a: Value, b: Value) -> Value {
        let p = self.w.ins().icmp(IntCC::SignedLessThan, a, b);
        self.w.ins().select(p, a, b)
    }
}
