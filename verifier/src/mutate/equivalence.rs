//! Whether a mutant computes what the program computes: by its canonical form, or by trying every input of a shrunk copy of the place it changes, or of those
//! whose signs can flow in there.
//!
//! Proves: two programs of one canonical form are the same functions; two copies that agree on all inputs are. Cannot: see through context the copy
//! leaves out, so many equivalent mutants count as survivors.

use super::{
    Mutator,
    canonical::canonical,
    indices, kernel, look,
    proof::{self, Proof},
    ranges::{Floats, Range, Ranges},
};
use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    eval::Events,
    hlo::{self, constant::Constant},
    literal::Literal,
    op::{Kind, Op},
    planes::Planes,
    program::{OpId, Program, ValueId},
    tensor::{Tensor, Value},
    types::{Class, ElementType, TensorType, Type},
};
use tileproof_runtime::{limits::Limits, reference::Interpreter};

/// Why a mutant is no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The program without dead ops, values numbered by content, commutative operands in order, is the same; a fault in a dead op is one of these.
    SameForm,
    /// The same up to what is known of the numbers that values can be.
    SameSimplified,
    /// Where they differ, elementwise functions that give the same for all numbers: each tried, or one form in every interval.
    SameForAllNumbers,
    /// Moved labels come out in the same places.
    SameMovement,
    /// All inputs of a copy with 8-bit types give the same bits.
    SameOnAllInputs,
    /// All of the signs that can flow in.
    SameOnSigns,
    /// All indices take the same elements.
    SameOnAllIndices,
    /// The choices below the changed op of a kernel give the same for every order of what flows in.
    SameInEveryOrder,
    /// A comparison that differs for NaN alone chooses between NaN and NaN, or another test decides.
    SameOfNan,
    /// Every output element of a kernel is the same expression of its inputs.
    SameTerms,
}

impl Why {
    pub fn words(self) -> &'static str {
        match self {
            Why::SameForm => "same canonical form",
            Why::SameSimplified => "same form for the numbers that values can be",
            Why::SameForAllNumbers => {
                "same functions of all numbers, tried or interval by interval"
            }
            Why::SameMovement => "same movement of every element",
            Why::SameOnAllInputs => "same bits on all inputs of 8-bit types",
            Why::SameOnSigns => {
                "same bits on all inputs of 8-bit types that have the signs the operands can have"
            }
            Why::SameOnAllIndices => "same elements for all indices",
            Why::SameInEveryOrder => "same choices for every order of the values",
            Why::SameOfNan => "same results where it differs, which is for NaN alone",
            Why::SameTerms => "same expressions of the inputs",
        }
    }
}

/// Whether `mutant`, made by `mutator` at op `id` of `program`, is no fault.
pub fn of(
    program: &Program,
    mutant: &Program,
    mutator: &Mutator,
    id: OpId,
    seed: u64,
) -> Option<Why> {
    if canonical(program) == canonical(mutant) {
        return Some(Why::SameForm);
    }
    if kernel::is_of_kernels(mutator) {
        let of = |p: &Program| p.kernel(program.op(id).op.kernel()?).cloned();
        return kernel::same(&of(program)?, &of(mutant)?);
    }
    match proof::same(program, mutant) {
        Some(Proof::Form) => return Some(Why::SameSimplified),
        Some(Proof::AllNumbers) => return Some(Why::SameForAllNumbers),
        None => {}
    }
    if BEYOND.contains(&mutator.name) {
        return None;
    }
    same_movement(program, mutator, id, seed)
        .or_else(|| same_on_all_inputs(program, mutator, id, seed))
        .or_else(|| indices::same(program, mutator, id, seed).then_some(Why::SameOnAllIndices))
}

/// Mutators whose fault is another one in a copy of the place: they take values or functions from elsewhere.
const BEYOND: &[&str] = &["other-operand", "other-callee", "in-place-alias"];

/// Most elements of the copies that are run.
const MOST_ELEMENTS: usize = 1 << 20;

/// A movement is known by where it takes each element: the copy moves labels.
fn same_movement(program: &Program, mutator: &Mutator, id: OpId, seed: u64) -> Option<Why> {
    let o = program.op(id);
    let Op::Hlo(op) = &o.op;
    let is_index = |v: &ValueId| {
        look::element(program, *v)
            .is_none_or(|e| e.is_integer() && TAKES_INDICES.contains(&op.name()))
    };
    if op.kind() != Kind::Movement || !o.regions.is_empty() || o.operands.iter().any(is_index) {
        return None;
    }
    let (copy, at) = cone(program, (id, id), &HashSet::new())?;
    let wrong = (mutator.mutate)(&copy, at, seed)?;
    let labels = |_: &ElementType| Some(ElementType::I64);
    let (copy, wrong) = (
        retyped(&copy, &labels, None)?,
        retyped(&wrong, &labels, None)?,
    );
    let mut next = 0;
    let mut arguments = vec![];
    for ty in copy.parameter_types() {
        let dims = ty.as_tensor()?.static_dims()?;
        let n = tileproof_dialect::tensor::count(&dims);
        if next as usize + n > MOST_ELEMENTS {
            return None;
        }
        // From 1: 0 is what padding and literals may hold.
        let values: Vec<i64> = (0..n as i64).map(|i| next + i + 1000).collect();
        next += n as i64;
        arguments.push(Tensor::from_i64s(&dims, &ElementType::I64, &values).into());
    }
    same_outputs(&copy, &wrong, &arguments).then_some(Why::SameMovement)
}

/// Ops that read integers as places or sizes.
const TAKES_INDICES: &[&str] = &[
    "gather",
    "dynamic_slice",
    "dynamic_update_slice",
    "dynamic_gather",
    "dynamic_pad",
    "real_dynamic_slice",
    "dynamic_reshape",
    "dynamic_broadcast_in_dim",
    "torch_index_select",
    "dynamic_iota",
];

/// Bits that all operands of a copy may have together.
const EXHAUSTIVE_BITS: u32 = 16;

/// Most ops below the changed one that are looked at.
const MOST_BELOW: usize = 8;

/// An elementwise place is known by all its inputs, when its types have 8 bits: at the changed op, or at the only op that uses it, and so on.
fn same_on_all_inputs(program: &Program, mutator: &Mutator, id: OpId, seed: u64) -> Option<Why> {
    let mut root = id;
    for _ in 0..MOST_BELOW {
        let why = same_at(program, mutator, (id, root), seed);
        if why.is_some() {
            return why;
        }
        root = only_user(program, root)?;
    }
    None
}

/// The op that alone uses what `id` computes.
fn only_user(program: &Program, id: OpId) -> Option<OpId> {
    let results = &program.op(id).results;
    let uses = |op: &OpId| program.op(*op).operands.iter().any(|v| results.contains(v));
    let mut users = program.op_ids().filter(uses);
    let user = users.next()?;
    users.next().is_none().then_some(user)
}

/// As [`same_on_all_inputs`], at `root`, which uses op `id` or is it.
fn same_at(
    program: &Program,
    mutator: &Mutator,
    (id, root): (OpId, OpId),
    seed: u64,
) -> Option<Why> {
    let inside = elementwise_cone(program, root)?;
    let (copy, at) = cone(program, (id, root), &inside)?;
    let wrong = (mutator.mutate)(&copy, at, seed)?;
    let small = one_small_type(&copy).filter(|_| one_small_type(&wrong).is_some())?;
    let shrink = |e: &ElementType| match e.class() {
        Class::Boolean => Some(ElementType::I1),
        Class::Signed | Class::Unsigned | Class::Float => Some(small.clone()),
        Class::Complex | Class::Quantized => None,
    };
    let parameters = copy.parameter_types();
    let mut bits = 0;
    for ty in &parameters {
        bits += shrink(&ty.as_tensor()?.element)?.bits();
    }
    if bits > EXHAUSTIVE_BITS {
        return None;
    }
    let n = 1u64 << bits;
    let (copy, wrong) = (
        retyped(&copy, &shrink, Some(n))?,
        retyped(&wrong, &shrink, Some(n))?,
    );
    let mut arguments: Vec<Tensor> = vec![];
    let mut shift = 0;
    for ty in copy.parameter_types() {
        let element = ty.as_tensor()?.element.clone();
        let mask = (1u64 << element.bits()) - 1;
        let patterns: Vec<u8> = (0..n).map(|i| (i >> shift & mask) as u8).collect();
        shift += element.bits();
        arguments.push(Tensor::from_slice(&[n], element, &patterns));
    }
    let values = |of: &[Tensor]| of.iter().cloned().map(Value::from).collect::<Vec<_>>();
    if same_outputs(&copy, &wrong, &values(&arguments)) {
        return Some(Why::SameOnAllInputs);
    }
    // Inputs of other signs than the operands can have are replaced by one that all may be: the first that is left.
    let ranges = Ranges::all(program);
    let flowing = leaves(program, root, &inside);
    let flowing: Vec<Floats> = flowing
        .iter()
        .map(|v| match ranges.get(program, *v) {
            Range::Float(f) => f.signs(),
            Range::Integer { .. } | Range::Any => Floats::ANY,
        })
        .collect();
    if flowing.iter().all(|s| *s == Floats::ANY) || flowing.len() != arguments.len() {
        return None;
    }
    let numbers: Vec<_> = arguments.iter().map(|t| t.to_f64s().into_owned()).collect();
    let reached: Vec<usize> = (0..n as usize)
        .filter(|i| flowing.iter().zip(&numbers).all(|(s, x)| s.has(x[*i])))
        .collect();
    let first = *reached.first()?;
    let places: Vec<usize> = (0..n as usize)
        .map(|i| reached.binary_search(&i).map_or(first, |_| i))
        .collect();
    let arguments: Vec<Tensor> = arguments.iter().map(|t| t.take(&[n], &places)).collect();
    same_outputs(&copy, &wrong, &values(&arguments)).then_some(Why::SameOnSigns)
}

/// The 8-bit type that stands for the only number type of the program. None where there are several, which shrinking would make one.
fn one_small_type(program: &Program) -> Option<ElementType> {
    let mut found: Option<ElementType> = None;
    for id in program.op_ids() {
        let o = program.op(id);
        for v in o.operands.iter().chain(&o.results) {
            let element = look::element(program, *v)?;
            if element.class() == Class::Boolean {
                continue;
            }
            if found.get_or_insert(element.clone()) != &element {
                return None;
            }
        }
    }
    let found = found.unwrap_or(ElementType::I8);
    match found.class() {
        Class::Signed | Class::Boolean => Some(ElementType::I8),
        Class::Unsigned => Some(ElementType::U8),
        // With infinities and NaN, like the wider ones.
        Class::Float => Some(ElementType::F8E5M2),
        Class::Complex | Class::Quantized => None,
    }
}

/// Ops of the copy besides op `id`: elementwise ops of the same sizes above it, while at most two values of 8 bits flow in.
fn elementwise_cone(program: &Program, id: OpId) -> Option<HashSet<OpId>> {
    if !is_elementwise(program, id) {
        return None;
    }
    let mut inside = HashSet::new();
    loop {
        let leaves = leaves(program, id, &inside);
        // A literal is always taken in: it has no bits of its own.
        let candidates: Vec<OpId> = leaves
            .iter()
            .filter_map(|v| look::definition(program, *v))
            .filter(|op| is_elementwise(program, *op) || is_literal(program, *op))
            .collect();
        let grown = candidates.into_iter().find_map(|op| {
            let mut more = inside.clone();
            more.insert(op);
            let bits: u32 = self::leaves(program, id, &more)
                .iter()
                .map(|v| match look::element(program, *v) {
                    Some(e) if e.class() == Class::Boolean => 1,
                    Some(_) => 8,
                    None => 64,
                })
                .sum();
            (is_literal(program, op) || bits <= EXHAUSTIVE_BITS && more.len() <= 16).then_some(more)
        });
        match grown {
            Some(more) => inside = more,
            None => return Some(inside),
        }
    }
}

fn is_literal(program: &Program, id: OpId) -> bool {
    let o = program.op(id);
    o.results
        .first()
        .is_some_and(|v| look::splat(program, *v).is_some())
}

/// Whether every operand and result has the same sizes, and each element hangs on those of its place only.
pub(super) fn is_elementwise(program: &Program, id: OpId) -> bool {
    let o = program.op(id);
    let Op::Hlo(op) = &o.op;
    let by_kind = match op.kind() {
        Kind::Arithmetic | Kind::Selection | Kind::Opaque | Kind::Integer => true,
        Kind::Movement | Kind::Control | Kind::Effect => false,
    };
    let elsewhere = [
        "dot_general",
        "convolution",
        "sort",
        "top_k",
        "fft",
        "cholesky",
        "triangular_solve",
        "ragged_dot",
        "rng",
        "rng_bit_generator",
        "reduce_precision",
        "bitcast_convert",
        "custom_call",
    ];
    let sizes = |v: &ValueId| look::dims(program, *v);
    let [result] = o.results[..] else {
        return false;
    };
    by_kind
        && o.regions.is_empty()
        && !elsewhere.contains(&op.name())
        && !op.name().starts_with("batch_norm")
        && !o.operands.is_empty()
        && o.operands
            .iter()
            .all(|v| sizes(v) == sizes(&result) || sizes(v) == Some(vec![]))
}

/// Values that flow into op `id` and the ops `inside`, in order of first use.
fn leaves(program: &Program, id: OpId, inside: &HashSet<OpId>) -> Vec<ValueId> {
    let mut out = vec![];
    let mut seen = HashSet::from([id]);
    let mut stack = vec![id];
    while let Some(op) = stack.pop() {
        for v in &program.op(op).operands {
            match look::definition(program, *v) {
                Some(made) if inside.contains(&made) => {
                    if seen.insert(made) {
                        stack.push(made);
                    }
                }
                Some(_) | None => {
                    if !out.contains(v) {
                        out.push(*v);
                    }
                }
            }
        }
    }
    out
}

/// A program of op `root` and the ops `inside` alone, their other operands being the parameters; and the number that op `id` has in it.
fn cone(
    program: &Program,
    (id, root): (OpId, OpId),
    inside: &HashSet<OpId>,
) -> Option<(Program, OpId)> {
    let leaves = leaves(program, root, inside);
    let mut b = ProgramBuilder::new("copy", Provenance::Keep);
    let types: Vec<Type> = leaves.iter().map(|v| program.ty(*v).clone()).collect();
    let parameters = b.begin_function("main", &types, Default::default());
    let mut values: HashMap<ValueId, ValueId> = leaves.into_iter().zip(parameters).collect();
    let region = program.region(program.region_of(root)?);
    let mut ops: Vec<OpId> = inside.iter().copied().collect();
    // Definitions first; an op of an outer region comes before the region's own.
    ops.sort_by_key(|op| (region.ops.iter().position(|o| o == op), *op));
    ops.push(root);
    let mut at = None;
    for op in ops {
        let o = program.op(op);
        let operands = o
            .operands
            .iter()
            .map(|v| values.get(v).copied())
            .collect::<Option<Vec<_>>>()?;
        let types: Vec<Type> = o.results.iter().map(|v| program.ty(*v).clone()).collect();
        if op == id {
            at = Some(OpId(b.program().op_count() as u32));
        }
        let results = b.op(o.op.clone(), &operands, &types, vec![], Default::default());
        values.extend(o.results.iter().copied().zip(results));
    }
    let results = program
        .op(root)
        .results
        .iter()
        .map(|v| values.get(v).copied())
        .collect::<Option<Vec<_>>>()?;
    b.end_function(&results, Default::default());
    Some((b.finish().ok()?, at?))
}

/// The program with other element types, and with one dimension of `length` where it is given. None where a literal cannot be said in its new type.
fn retyped(
    program: &Program,
    element: &dyn Fn(&ElementType) -> Option<ElementType>,
    length: Option<u64>,
) -> Option<Program> {
    let new = |ty: &Type| -> Option<Type> {
        let t = ty.as_tensor()?;
        let dims = match length {
            Some(n) => vec![n],
            None => t.static_dims()?,
        };
        Some(TensorType::new(dims, element(&t.element)?).into())
    };
    let body = program.region(program.main().body);
    let mut b = ProgramBuilder::new("copy", Provenance::Keep);
    let types = body
        .arguments
        .iter()
        .map(|v| new(program.ty(*v)))
        .collect::<Option<Vec<_>>>()?;
    let parameters = b.begin_function("main", &types, Default::default());
    let mut values: HashMap<ValueId, ValueId> =
        body.arguments.iter().copied().zip(parameters).collect();
    for id in &body.ops {
        let o = program.op(*id);
        let operands = o
            .operands
            .iter()
            .map(|v| values.get(v).copied())
            .collect::<Option<Vec<_>>>()?;
        if o.op.is_return() {
            b.end_function(&operands, Default::default());
            break;
        }
        if !o.regions.is_empty() {
            return None;
        }
        let types = o
            .results
            .iter()
            .map(|v| new(program.ty(*v)))
            .collect::<Option<Vec<_>>>()?;
        let splat = o.results.first().and_then(|v| look::splat(program, *v));
        let Op::Hlo(op) = &o.op;
        let results = match (length, splat, types.first()) {
            // A literal, through broadcasts and reshapes, is one number.
            (Some(_), Some(one), Some(ty)) => {
                let value = said_in(&one, ty.as_tensor()?)?;
                b.op(
                    Op::Hlo(Constant { value }.into()),
                    &[],
                    &types,
                    vec![],
                    Default::default(),
                )
            }
            (None, _, Some(ty)) if matches!(op, hlo::Op::Constant(_)) => {
                let hlo::Op::Constant(c) = op else {
                    return None;
                };
                let values = c.value.to_tensor().to_i64s().into_owned();
                let t = ty.as_tensor()?;
                let value = Literal::from_tensor(&Tensor::from_i64s(
                    &t.static_dims()?,
                    &t.element,
                    &values,
                ));
                b.op(
                    Op::Hlo(Constant { value }.into()),
                    &[],
                    &types,
                    vec![],
                    Default::default(),
                )
            }
            (Some(_) | None, _, _) => {
                b.op(o.op.clone(), &operands, &types, vec![], Default::default())
            }
        };
        values.extend(o.results.iter().copied().zip(results));
    }
    b.finish().ok()
}

/// The number `one` in every element of `ty`, if it is the same number there.
fn said_in(one: &Tensor, ty: &TensorType) -> Option<Literal> {
    let was = *one.to_f64s().first()?;
    let new = Tensor::from_f64s(&[], &ty.element, &[was]);
    let is = *new.to_f64s().first()?;
    let same = was.to_bits() == is.to_bits() || was.is_nan() && is.is_nan();
    if !same {
        return None;
    }
    Literal::new(ty.static_dims()?, ty.element.clone(), new.ieee().clone())
}

pub(super) fn same_outputs(a: &Program, b: &Program, arguments: &[Value]) -> bool {
    let run = |program: &Program| {
        let limits = Limits::default();
        let interpreter = Interpreter::new(program, Planes::IeeeOnly, &limits);
        interpreter.run(arguments.to_vec(), &mut Events::default())
    };
    match (run(a), run(b)) {
        (Ok(a), Ok(b)) => crate::compare::bits::first_difference(&a, &b).is_none(),
        (Ok(_) | Err(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::find, *};
    use tileproof_dialect::mlir;

    /// The judgement on every site of `mutator` in `text`.
    fn judge(text: &str, mutator: &str) -> Vec<Option<Why>> {
        let program = mlir::text::parse(text, "test").unwrap();
        let mutator = find(mutator).unwrap();
        let sites = program.op_ids().filter_map(|id| {
            let mutant = (mutator.mutate)(&program, id, 0)?;
            Some(of(&program, &mutant, mutator, id, 0))
        });
        sites.collect()
    }

    fn function(body: &str, argument: &str, result: &str) -> String {
        format!(
            "module {{ func.func @main(%x: {argument}, %y: {argument}) -> {result} {{ {body} }} }}"
        )
    }

    #[test]
    fn a_fault_in_a_dead_op_is_none() {
        let text = function(
            "%0 = hlo.subtract %x, %y : tensor<3xf32> %1 = hlo.add %x, %y : tensor<3xf32> func.return %1 : tensor<3xf32>",
            "tensor<3xf32>",
            "tensor<3xf32>",
        );
        assert_eq!(judge(&text, "swap-operands"), [Some(Why::SameForm)]);
    }

    #[test]
    fn exchanged_dimensions_of_one_element_move_nothing() {
        let moved = |dims: &str| {
            let text = function(
                &format!(
                    "%0 = hlo.transpose %x {{permutation = array<i64: 1, 0>}} : (tensor<{dims}xf32>) -> tensor<{dims}xf32> func.return %0 : tensor<{dims}xf32>"
                ),
                &format!("tensor<{dims}xf32>"),
                &format!("tensor<{dims}xf32>"),
            );
            judge(&text, "transpose-permutation")
        };
        assert_eq!(moved("1x1"), [Some(Why::SameMovement)]);
        assert_eq!(moved("3x3"), [None]);
    }

    #[test]
    fn all_inputs_tell_an_equivalent_fault_from_a_rare_one() {
        // |x| is never below zero: < 0 and > .. differ, but a negation dropped under an absolute value does nothing.
        let text = function(
            "%0 = hlo.negate %x : tensor<3xf32> %1 = hlo.abs %0 : tensor<3xf32> func.return %1 : tensor<3xf32>",
            "tensor<3xf32>",
            "tensor<3xf32>",
        );
        let judged = judge(&text, "sign-dropped");
        // Dropping the negation changes nothing at the absolute value, its only use. Dropping the absolute value is a fault.
        assert_eq!(judged, [Some(Why::SameSimplified), None]);
        let text = function(
            "%0 = hlo.abs %x : tensor<3xf32> %1 = hlo.abs %0 : tensor<3xf32> func.return %1 : tensor<3xf32>",
            "tensor<3xf32>",
            "tensor<3xf32>",
        );
        assert_eq!(
            judge(&text, "sign-dropped")[1],
            Some(Why::SameForAllNumbers)
        );
    }
}
