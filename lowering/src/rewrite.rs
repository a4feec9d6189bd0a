//! The rewriter: creates, replaces and erases ops of an MLIR module, numbers every application, keeps provenance and a log.
//!
//! The only place in this crate with `unsafe`, with [`in_place`]. Handles are valid as long as the op is in the module; [`Rewriter::is_alive`] tells.

mod in_place;

use crate::pass::{Pass, Rewrite};
pub use in_place::is_before;
use melior::ir::{
    BlockLike, Module, Operation, OperationRef, RegionLike, Value, ValueLike,
    attribute::StringAttribute, operation::OperationLike,
};
use mlir_sys::{
    MlirOperation, MlirValue, mlirOpOperandGetNextUse, mlirOpOperandGetOwner, mlirOpOperandIsNull,
    mlirOpResultGetOwner, mlirOperationDestroy, mlirValueGetFirstUse,
    mlirValueReplaceAllUsesOfWith,
};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ffi::c_void,
    sync::Arc,
};
use tileproof_dialect::{
    error::Error,
    hlo,
    location::{Location, SourceOp},
    mlir,
    numerics::Numerics,
    op::InferContext,
    program::Program,
    types::Type,
};

/// An op of the module being rewritten.
pub type OpRef<'c> = OperationRef<'c, 'c>;
/// A value of the module being rewritten.
pub type ValueRef<'c> = Value<'c, 'c>;

/// One applied rewrite.
#[derive(Debug, Clone)]
pub struct Applied {
    /// `PASS:REWRITE#N`.
    pub id: Arc<str>,
    /// Running number over the whole pipeline run, from 1.
    pub number: u32,
    pub pass: &'static str,
    pub rewrite: &'static str,
    pub numerics: Numerics,
    /// Source ops of the op that was replaced or erased, the one whose value it computed first.
    pub replaced: Vec<SourceOp>,
    /// Where the op was.
    pub location: Location,
}

/// Rewrites one module in one pass.
pub struct Rewriter<'c> {
    context: &'c mlir::context::Context,
    module: &'c Module<'c>,
    pass: &'static Pass,
    /// Number of the last application in this pipeline run.
    number: u32,
    /// No application gets a number above this.
    last_number: u32,
    /// Names of the only rewrites that apply; all when none.
    only: Option<BTreeSet<String>>,
    /// The rewrite under way.
    rewrite: &'static str,
    /// The op being rewritten: new ops go before it.
    at: Option<OpRef<'c>>,
    alive: HashSet<*const c_void>,
    /// Ops made by the application under way, in order.
    made: Vec<OpRef<'c>>,
    /// Ops that patterns may fit after the application: those it made, those it kept in place of others, the users of what it replaced.
    touched: Vec<OpRef<'c>>,
    /// Functions defined so far: the name asked for and the name given.
    defined: HashMap<String, String>,
    /// The first op that a rewrite failed to make: a fault of that rewrite.
    fault: Option<Error>,
    pub log: Vec<Applied>,
}

impl<'c> Rewriter<'c> {
    /// A rewriter for `pass` over `module`; applications are numbered from `number + 1` and stop after `last_number`.
    pub fn new(
        context: &'c mlir::context::Context,
        module: &'c Module<'c>,
        pass: &'static Pass,
        number: u32,
        last_number: u32,
    ) -> Rewriter<'c> {
        let mut rewriter = Rewriter {
            context,
            module,
            pass,
            number,
            last_number,
            only: None,
            rewrite: "",
            at: None,
            alive: HashSet::new(),
            made: vec![],
            touched: vec![],
            defined: HashMap::new(),
            fault: None,
            log: vec![],
        };
        for op in rewriter.ops() {
            rewriter.alive.insert(key(op));
        }
        rewriter
    }

    /// From now on no rewrite applies but those of these names.
    pub fn restrict(&mut self, names: BTreeSet<String>) {
        self.only = Some(names);
    }

    pub fn context(&self) -> &'c mlir::context::Context {
        self.context
    }

    /// Number of the last application.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Id of the application under way, for the locations of the ops it makes.
    pub fn id(&self) -> String {
        format!("{}:{}#{}", self.pass.name, self.rewrite, self.number + 1)
    }

    /// The first fault of a rewrite, if any: the module is then not to be used.
    pub fn take_fault(&mut self) -> Option<Error> {
        self.fault.take()
    }

    /// Whether the limit of `--stop-after-rewrite` is reached.
    pub fn is_exhausted(&self) -> bool {
        self.number >= self.last_number
    }

    /// All ops inside the functions of the module, outer before inner, in program order.
    pub fn ops(&self) -> Vec<OpRef<'c>> {
        let mut out = vec![];
        let mut function = self.module.body().first_operation().map(|op| extend(op));
        while let Some(op) = function {
            out.extend(self.ops_inside(op));
            function = op.next_in_block().map(|op| extend(op));
        }
        out
    }

    /// The functions of the module, in order.
    pub fn functions(&self) -> Vec<OpRef<'c>> {
        let mut out = vec![];
        let mut next = self.module.body().first_operation().map(|op| extend(op));
        while let Some(op) = next {
            out.push(op);
            next = op.next_in_block().map(|op| extend(op));
        }
        out
    }

    /// All ops inside the regions of `op`, outer before inner, in program order.
    pub fn ops_inside(&self, op: OpRef<'c>) -> Vec<OpRef<'c>> {
        let mut out = vec![];
        for block in blocks(op) {
            for inner in block {
                out.push(inner);
                out.extend(self.ops_inside(inner));
            }
        }
        out
    }

    /// The ops of each region of `op`, in order.
    pub fn region_ops(&self, op: OpRef<'c>) -> Vec<Vec<OpRef<'c>>> {
        blocks(op)
    }

    pub fn is_alive(&self, op: OpRef<'c>) -> bool {
        self.alive.contains(&key(op))
    }

    /// The typed form of an `hlo` op; none for other dialects.
    pub fn read(&self, op: OpRef<'_>) -> Option<hlo::Op> {
        mlir::decode::op(op)
    }

    pub fn ty(&self, value: ValueRef<'_>) -> Option<Type> {
        mlir::types::decode(value.r#type()).ok()
    }

    /// Creates an op before the op being rewritten. Its result types are those of the shape rule; `declared` where the rule needs them.
    /// An op that cannot be made is a fault of the rewrite and ends the pass.
    pub fn create(
        &mut self,
        op: impl Into<hlo::Op>,
        operands: &[ValueRef<'c>],
        declared: &[Type],
    ) -> Option<Vec<ValueRef<'c>>> {
        match self.try_create(op.into(), operands, declared) {
            Ok(results) => Some(results),
            Err(error) => {
                self.fault.get_or_insert(error);
                None
            }
        }
    }

    fn try_create(
        &mut self,
        op: hlo::Op,
        operands: &[ValueRef<'c>],
        declared: &[Type],
    ) -> Result<Vec<ValueRef<'c>>, Error> {
        let types: Vec<Type> = operands
            .iter()
            .map(|v| {
                self.ty(*v)
                    .ok_or_else(|| Error::internal("an operand has a type that cannot be read"))
            })
            .collect::<Result<_, _>>()?;
        let results = op
            .infer(&InferContext {
                operands: &types,
                declared,
                regions: &[],
            })
            .map_err(|all| {
                Error::internal(format!(
                    "{} made an invalid {}: {}",
                    self.id(),
                    op.name(),
                    all.join("; ")
                ))
            })?;
        let at = self
            .at
            .ok_or_else(|| Error::internal("an op was created outside a rewrite"))?;
        let location = mlir::locations::fused(self.context.melior(), &self.id(), &[at.location()]);
        let made = mlir::encode::op(self.context, &op, operands, &results, location)?;
        self.insert(made)
    }

    /// Puts an op before the op being rewritten and gives its results.
    pub fn insert(&mut self, made: Operation<'c>) -> Result<Vec<ValueRef<'c>>, Error> {
        let at = self
            .at
            .ok_or_else(|| Error::internal("an op was created outside a rewrite"))?;
        let block = at
            .block()
            .ok_or_else(|| Error::internal("the op being rewritten is in no block"))?;
        let made = extend(block.insert_operation_before(at, made));
        self.alive.insert(key(made));
        for inner in self.ops_inside(made) {
            self.alive.insert(key(inner));
        }
        self.made.push(made);
        self.touched.push(made);
        Ok(made.results().map(Value::from).collect())
    }

    /// Defines the private function `name`, unless this rewriter has defined it already, and gives the name it got: another where the module has a
    /// function of that name. `make` gives it as a program of that one function; its ops get the location of the op being rewritten.
    pub fn define(
        &mut self,
        name: &str,
        make: impl FnOnce(&Location) -> Result<Program, Error>,
    ) -> Option<String> {
        if let Some(known) = self.defined.get(name) {
            return Some(known.clone());
        }
        let mut free = name.to_string();
        while self.functions().iter().any(|f| symbol(*f) == free) {
            free.push('_');
        }
        match self.try_define(&free, make) {
            Ok(()) => {
                self.defined.insert(name.to_string(), free.clone());
                Some(free)
            }
            Err(error) => {
                self.fault.get_or_insert(error);
                None
            }
        }
    }

    fn try_define(
        &mut self,
        name: &str,
        make: impl FnOnce(&Location) -> Result<Program, Error>,
    ) -> Result<(), Error> {
        let at = self
            .at
            .ok_or_else(|| Error::internal("a function was defined outside a rewrite"))?;
        let at = mlir::locations::decode(at.location());
        let location = Location::fused(Some(Arc::from(self.id())), [&at]);
        let mut program = make(&location)?;
        let entry = program.entry;
        let function = program
            .functions
            .get_mut(entry.index())
            .ok_or_else(|| Error::internal("a definition without a function"))?;
        (function.name, function.is_private) = (name.to_string(), true);
        let made = mlir::encode::function(self.context, &program, entry)?;
        let made = extend(self.module.body().append_operation(made));
        for op in self.ops_inside(made) {
            self.alive.insert(key(op));
        }
        Ok(())
    }

    /// [`Rewriter::create`] for an op with one result.
    pub fn create_one(
        &mut self,
        op: impl Into<hlo::Op>,
        operands: &[ValueRef<'c>],
        declared: &[Type],
    ) -> Option<ValueRef<'c>> {
        self.create(op, operands, declared)?.first().copied()
    }

    /// Applies one rewrite at `op`: `make` gives the values that replace its results, an empty list where they have no uses (none: the rewrite does
    /// not fit; nor does it when the types, layouts included, are not those of the results). The op is erased. False when the limit is reached or the rewrite does not fit.
    pub fn apply(
        &mut self,
        rewrite: &'static Rewrite,
        op: OpRef<'c>,
        make: impl FnOnce(OpRef<'c>, &mut Rewriter<'c>) -> Option<Vec<ValueRef<'c>>>,
    ) -> bool {
        let is_named = self.only.as_ref().is_none_or(|o| o.contains(rewrite.name));
        if self.is_exhausted() || !self.is_alive(op) || !is_named {
            return false;
        }
        self.rewrite = rewrite.name;
        self.at = Some(op);
        self.made.clear();
        self.touched.clear();
        let values = make(op, self).filter(|values| replaces(op, values));
        self.at = None;
        let Some(values) = values else {
            // Users before definitions.
            for made in std::mem::take(&mut self.made).into_iter().rev() {
                self.erase(made);
            }
            return false;
        };
        let location = mlir::locations::decode(op.location());
        for (result, value) in op.results().zip(&values) {
            self.touched.extend(users(Value::from(result)));
            replace_uses(Value::from(result), *value);
        }
        self.erase(op);
        self.record(rewrite, location);
        true
    }

    /// Marks `op`, which is kept, as also standing for the op being rewritten: their locations merge.
    pub fn keep_instead(&mut self, op: OpRef<'c>) {
        if let Some(at) = self.at {
            let merged = mlir::locations::fused(
                self.context.melior(),
                &self.id(),
                &[op.location(), at.location()],
            );
            mlir::locations::set(op, merged);
            self.touched.push(op);
        }
    }

    fn record(&mut self, rewrite: &'static Rewrite, location: Location) {
        let id = Arc::from(self.id());
        self.number += 1;
        self.log.push(Applied {
            id,
            number: self.number,
            pass: self.pass.name,
            rewrite: rewrite.name,
            numerics: (rewrite.numerics)(),
            replaced: location.sources.to_vec(),
            location,
        });
    }

    /// Removes an op without uses and everything inside it.
    fn erase(&mut self, op: OpRef<'c>) {
        for inner in self.ops_inside(op) {
            self.alive.remove(&key(inner));
        }
        self.alive.remove(&key(op));
        // SAFETY: the op is in the module and its results have no uses left; no handle in `alive` points to it or into it.
        unsafe { mlirOperationDestroy(op.to_raw()) }
    }

    /// Applies the patterns of the pass until none fits, in program order; the ops a rewrite made and the users of what it replaced are tried again.
    pub fn apply_patterns(&mut self) -> Result<(), Error> {
        let mut work: std::collections::VecDeque<OpRef<'c>> = self.ops().into();
        // Every application shrinks the program or moves it to a normal form; a cycle is a fault of a pattern.
        let limit = 64 * (work.len() + 64);
        let mut applications = 0;
        while let Some(op) = work.pop_front() {
            for rewrite in self.pass.rewrites {
                let Some(pattern) = rewrite.pattern else {
                    continue;
                };
                if !self.is_alive(op) {
                    break;
                }
                let applied = self.apply(rewrite, op, pattern);
                if let Some(fault) = self.take_fault() {
                    return Err(fault);
                }
                if applied {
                    applications += 1;
                    let touched = std::mem::take(&mut self.touched);
                    work.extend(touched.into_iter().filter(|again| self.is_alive(*again)));
                }
            }
            if applications > limit {
                return Err(Error::internal(format!(
                    "pass {} does not end: {} was applied last of {applications} times",
                    self.pass.name, self.rewrite
                )));
            }
        }
        Ok(())
    }
}

/// The name of a function; empty for other ops.
fn symbol(op: OpRef<'_>) -> String {
    let name = op.attribute("sym_name").ok();
    name.and_then(|name| StringAttribute::try_from(name).ok())
        .map_or(String::new(), |name| name.value().to_string())
}

/// Whether `values` can stand for the results of `op`: of the same types, or none where no result is used.
fn replaces<'c>(op: OpRef<'c>, values: &[ValueRef<'c>]) -> bool {
    if values.is_empty() {
        return op.results().all(|r| users(Value::from(r)).is_empty());
    }
    let mut pairs = op.results().zip(values);
    op.result_count() == values.len() && pairs.all(|(r, v)| r.r#type() == v.r#type())
}

/// Ops that use `value`, in MLIR's use order; an op that uses it twice comes twice.
pub fn users<'c>(value: ValueRef<'c>) -> Vec<OpRef<'c>> {
    let mut out = vec![];
    // SAFETY: the value is alive; the use list is only read.
    unsafe {
        let mut it = mlirValueGetFirstUse(value.to_raw());
        while !mlirOpOperandIsNull(it) {
            out.push(OperationRef::from_raw(mlirOpOperandGetOwner(it)));
            it = mlirOpOperandGetNextUse(it);
        }
    }
    // MLIR's use lists grow at the front.
    out.reverse();
    out
}

/// The op that defines `value`; none for block arguments.
pub fn definition<'c>(value: ValueRef<'c>) -> Option<OpRef<'c>> {
    if !value.is_operation_result() {
        return None;
    }
    // SAFETY: the value is a result of an op that is alive as long as the value is.
    Some(unsafe { OperationRef::from_raw(mlirOpResultGetOwner(value.to_raw())) })
}

fn replace_uses(from: ValueRef<'_>, to: ValueRef<'_>) {
    let (from, to): (MlirValue, MlirValue) = (from.to_raw(), to.to_raw());
    // SAFETY: both values are alive and of one context.
    unsafe { mlirValueReplaceAllUsesOfWith(from, to) }
}

fn blocks<'c>(op: OpRef<'c>) -> Vec<Vec<OpRef<'c>>> {
    let mut out = vec![];
    for region in op.regions() {
        let Some(block) = region.first_block() else {
            continue;
        };
        let mut ops = vec![];
        let mut next = block.first_operation().map(|op| extend(op));
        while let Some(op) = next {
            ops.push(op);
            next = op.next_in_block().map(|op| extend(op));
        }
        out.push(ops);
    }
    out
}

/// The same op with the lifetime of the context: handles are checked by `alive`.
fn extend<'c>(op: OperationRef<'c, '_>) -> OpRef<'c> {
    let raw: MlirOperation = op.to_raw();
    // SAFETY: the op lives in the module, which outlives the rewriter; erased ops are removed from `alive` before they are destroyed.
    unsafe { OperationRef::from_raw(raw) }
}

fn key(op: OpRef<'_>) -> *const c_void {
    op.to_raw().ptr
}
