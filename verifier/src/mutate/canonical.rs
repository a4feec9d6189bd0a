//! The canonical form of a program: two programs of one form are the same function.
//!
//! Proves: equal forms compute alike. Cannot: see an identity beyond commutativity, common values, dead ops and values that hang on no input; the simplified
//! form also knows those of [`super::identities`].

use super::{
    identities::{self, Form, Known},
    kernel,
    ranges::Ranges,
};
use crate::normal_form;
use std::{collections::HashMap, sync::Arc};
use tileproof_dialect::{
    eval::Events,
    hlo,
    op::{Kind, Op},
    planes::Planes,
    program::{OpId, Program, RegionId, ValueId},
    tensor::Value,
};
use tileproof_runtime::{limits::Limits, reference::Interpreter};
use xxhash_rust::xxh3::Xxh3;

/// Ops whose operands may change places: both have one type and the op is commutative in every bit.
const COMMUTATIVE: &[&str] = &["add", "multiply", "maximum", "minimum", "and", "or", "xor"];

/// Hash of what the entry function returns, calls replaced by their bodies, ops without use left out, equal values counted as one, and values that hang on no
/// input computed.
pub fn canonical(program: &Program) -> u128 {
    let limits = Limits::default();
    let program = normal_form::of(&Arc::new(program.clone()));
    let interpreter = Interpreter::new(&program, Planes::IeeeOnly, &limits);
    region_key(&interpreter, program.main().body, &mut Keys::default(), 0)
}

/// A program in its normal form, with the key of every value: values of one key in two programs are equal, where the arguments of their regions are.
pub struct Simplified {
    pub program: Arc<Program>,
    pub ranges: Ranges,
    pub keys: HashMap<ValueId, u128>,
}

/// The simplified form: as [`canonical`], up to what is known of the numbers that values may be.
pub fn simplified(program: &Program) -> Simplified {
    let program = normal_form::opened(&Arc::new(program.clone()));
    let ranges = Ranges::all(&program);
    simplified_by(program, ranges)
}

/// The simplified form of a program as it is, by these ranges.
pub fn simplified_by(program: Arc<Program>, ranges: Ranges) -> Simplified {
    let limits = Limits::default();
    let interpreter = Interpreter::new(&program, Planes::IeeeOnly, &limits);
    let mut keys = Keys {
        simplify: Some(&ranges),
        ..Keys::default()
    };
    region_key(&interpreter, program.main().body, &mut keys, 0);
    let keys = keys.of;
    Simplified {
        program,
        ranges,
        keys,
    }
}

#[derive(Default)]
struct Keys<'r> {
    of: HashMap<ValueId, u128>,
    /// Values that hang on no input.
    constants: HashMap<ValueId, Value>,
    /// Where forms are simplified.
    simplify: Option<&'r Ranges>,
}

/// Most elements of a value that is computed to compare it.
const MOST_COMPUTED: u64 = 4096;

impl Keys<'_> {
    /// Results of an op whose operands hang on no input.
    fn computed(&self, interpreter: &Interpreter<'_>, id: OpId) -> Option<Vec<Value>> {
        let program = interpreter.program();
        let o = program.op(id);
        let pure = match o.op.kind() {
            Kind::Arithmetic | Kind::Movement | Kind::Selection | Kind::Opaque | Kind::Integer => {
                true
            }
            Kind::Control | Kind::Effect => false,
        };
        let Op::Hlo(op) = &o.op;
        // Loops may take long.
        let is_reduction = matches!(op, hlo::Op::Reduce(_) | hlo::Op::ReduceWindow(_));
        let repeats = (pure && o.regions.is_empty() && !matches!(op, hlo::Op::Rng(_))
            || is_reduction && program.op_captures(id).is_empty())
            && o.op.callees().is_empty();
        let small = o.results.iter().all(|v| {
            let tensor = program.ty(*v).as_tensor();
            tensor.is_some_and(|t| t.elements().is_some_and(|n| n <= MOST_COMPUTED))
        });
        if !repeats || !small {
            return None;
        }
        let operands = o.operands.iter().map(|v| self.constants.get(v).cloned());
        let operands = operands.collect::<Option<Vec<Value>>>()?;
        interpreter
            .eval_op(id, &operands, &|_| None, &mut Events::default())
            .ok()
    }
}

/// Nesting of calls at which a callee is taken by its name.
const DEPTH: usize = 64;

fn region_key(
    interpreter: &Interpreter<'_>,
    region: RegionId,
    keys: &mut Keys<'_>,
    depth: usize,
) -> u128 {
    let program = interpreter.program();
    for (i, v) in program.region(region).arguments.iter().enumerate() {
        keys.of.insert(
            *v,
            hash(&[b"argument", &i.to_le_bytes(), &depth.to_le_bytes()]),
        );
    }
    let mut effects = vec![];
    for id in &program.region(region).ops {
        let o = program.op(*id);
        if o.op.is_return() {
            break;
        }
        if let Some(values) = keys.computed(interpreter, *id) {
            for (v, value) in o.results.iter().zip(values) {
                let key = constant_key(program, *v, &value, keys.simplify.is_some());
                keys.of.insert(*v, key);
                keys.constants.insert(*v, value);
            }
            continue;
        }
        let mut operands: Vec<u128> = o
            .operands
            .iter()
            .map(|v| keys.of.get(v).copied().unwrap_or(0))
            .collect();
        let Op::Hlo(op) = &o.op;
        if COMMUTATIVE.contains(&op.name()) {
            operands.sort_unstable();
        }
        let mut parts: Vec<Vec<u8>> = vec![format!("{:?}", nameless(op)).into_bytes()];
        parts.extend(operands.iter().map(|k| k.to_le_bytes().to_vec()));
        for r in &o.regions {
            parts.push(
                region_key(interpreter, *r, keys, depth + 1)
                    .to_le_bytes()
                    .to_vec(),
            );
        }
        if let Some(k) = o.op.kernel().and_then(|name| program.kernel(name)) {
            parts.push(kernel::canonical::canonical(k).to_le_bytes().to_vec());
        }
        for callee in o.op.callees() {
            match program.find_function(callee) {
                Some(f) if depth < DEPTH => {
                    let body = program.function(f).body;
                    let key = region_key(interpreter, body, &mut Keys::default(), depth + 1);
                    parts.push(key.to_le_bytes().to_vec());
                }
                Some(_) | None => parts.push(callee.as_bytes().to_vec()),
            }
        }
        if let (Some(ranges), [v]) = (keys.simplify, &o.results[..]) {
            let known = Known {
                interpreter,
                ranges,
                keys: &keys.of,
                constants: &keys.constants,
            };
            let form = identities::of(known, *id);
            let key = form.map(|form| form_key(program, *v, form));
            // Branches are there when their keys are.
            if let Some(key) = key {
                keys.of.insert(*v, key);
                continue;
            }
        }
        if let Some(ranges) = keys.simplify
            && let Some(taken) = identities::taken_branch(program, ranges, *id)
        {
            let branch = program.returned(taken).iter();
            let branch: Vec<u128> = branch
                .map(|v| keys.of.get(v).copied().unwrap_or(0))
                .collect();
            keys.of.extend(o.results.iter().copied().zip(branch));
            continue;
        }
        let plain = keys.simplify.is_some();
        for (i, v) in o.results.iter().enumerate() {
            let ty = match plain {
                true => type_without_layout(program, *v),
                false => program.ty(*v).to_string(),
            };
            let mut all: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            let index = i.to_le_bytes();
            all.extend([ty.as_bytes(), &index]);
            keys.of.insert(*v, hash(&all));
        }
        if op.kind() == Kind::Effect {
            let all: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            effects.push(hash(&all));
        }
    }
    let returned = program
        .returned(region)
        .iter()
        .map(|v| keys.of.get(v).copied().unwrap_or(0));
    let all: Vec<[u8; 16]> = effects
        .into_iter()
        .chain(returned)
        .map(u128::to_le_bytes)
        .collect();
    let all: Vec<&[u8]> = all.iter().map(<[u8; 16]>::as_slice).collect();
    hash(&all)
}

/// A type by what does not say where elements lie.
fn type_without_layout(program: &Program, v: ValueId) -> String {
    match program.ty(v).as_tensor() {
        Some(t) => format!("{:?} {}", t.dims, t.element.mlir_name()),
        None => program.ty(v).to_string(),
    }
}

/// The key of a value that hangs on no input. In a simplified form one number in every element is known by that number.
fn constant_key(program: &Program, v: ValueId, value: &Value, is_simplified: bool) -> u128 {
    let tensor = value.as_tensor().filter(|_| is_simplified);
    let first = tensor.filter(|t| !t.is_empty()).map(|t| t.take(&[], &[0]));
    if let (Some(t), Some(one)) = (tensor, first) {
        let all = t.take(t.dims(), &vec![0; t.len()]);
        if all.content_hash() == t.content_hash() {
            return form_key(program, v, Form::Number(one));
        }
    }
    hash(&[b"constant", &value.content_hash().to_le_bytes()])
}

fn form_key(program: &Program, v: ValueId, form: Form) -> u128 {
    let ty = type_without_layout(program, v);
    match form {
        Form::Same(key) => key,
        Form::Number(one) => {
            let content = Value::from(one).content_hash().to_le_bytes();
            hash(&[b"number", ty.as_bytes(), &content])
        }
        Form::Op {
            name,
            mut operands,
            is_commutative,
        } => {
            if is_commutative {
                operands.sort_unstable();
            }
            let operands: Vec<[u8; 16]> = operands.iter().map(|k| k.to_le_bytes()).collect();
            let mut all: Vec<&[u8]> = vec![b"form", name.as_bytes(), ty.as_bytes()];
            all.extend(operands.iter().map(<[u8; 16]>::as_slice));
            hash(&all)
        }
    }
}

/// The op without the name of the function or kernel it calls, which is hashed by its content; a literal by its hash.
pub(super) fn nameless(op: &hlo::Op) -> (String, String) {
    match op {
        hlo::Op::Call(_) => ("call".to_string(), String::new()),
        hlo::Op::KernelCall(_) => ("kernel_call".to_string(), String::new()),
        hlo::Op::Constant(c) => ("constant".to_string(), format!("{:032x}", c.value.hash())),
        other => (
            other.name().to_string(),
            format!("{:?}", other.to_attributes()),
        ),
    }
}

fn hash(parts: &[&[u8]]) -> u128 {
    let mut h = Xxh3::new();
    for part in parts {
        h.update(&part.len().to_le_bytes());
        h.update(part);
    }
    h.digest128()
}
