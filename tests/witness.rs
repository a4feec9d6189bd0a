//! A second witness of what ops mean: slow formulas written from the specification, in f64 and i128, that share no code with the judge. Random programs of
//! every op are evaluated by both.
//!
//! Proves that `eval` and the fast kernels agree with the formulas on the samples. Cannot: say anything of ops that the witness does not know, which are
//! listed, and of sums of floats where they round.

use std::collections::{BTreeMap, BTreeSet};
use tileproof_dialect::{
    builder::Sampler,
    eval::Events,
    hlo,
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value},
    types::Class as Kind,
};
use tileproof_runtime::{
    limits::Limits,
    reference::{Interpreter, Kernels},
};
use tileproof_verifier::{
    inputs::{self, Class},
    mutate::{MUTATORS, equivalence},
};

#[path = "witness/movement.rs"]
mod movement;
#[path = "witness/number.rs"]
mod number;
#[path = "witness/program.rs"]
mod program;
#[path = "witness/scalar.rs"]
mod scalar;
use number::{Array, Number};
use program::Said;

/// Random programs of each op.
const SAMPLES: u64 = 60;
const CLASSES: [Class; 4] = [Class::Normal, Class::Exact, Class::Special, Class::Boundary];

/// Ops whose every sample may be left out: what they do is not what one process computes from numbers, or functions that f64 libraries do not have.
const NOT_WITNESSED: &[&str] = &[
    // Effects, processes, tokens, tuples, quantized numbers.
    "add_dependency",
    "after_all",
    "all_gather",
    "all_gather_done",
    "all_gather_start",
    "all_reduce",
    "all_reduce_done",
    "all_reduce_start",
    "all_to_all",
    "async_done",
    "async_start",
    "async_update",
    "collective_broadcast",
    "collective_permute",
    "collective_permute_done",
    "collective_permute_start",
    "collective_reduce",
    "copy_done",
    "copy_start",
    "create_token",
    "custom_call",
    "domain",
    "get_tuple_element",
    "infeed",
    "optimization_barrier",
    "outfeed",
    "partition_id",
    "ragged_all_to_all",
    "recv",
    "recv_done",
    "reduce_scatter",
    "replica_id",
    "rng",
    "rng_bit_generator",
    "rng_get_and_update_state",
    "send",
    "send_done",
    "tuple",
    "uniform_dequantize",
    "uniform_quantize",
    "stochastic_convert",
    // Calls and control flow: their ops are witnessed.
    "call",
    "case",
    "composite",
    "fusion",
    // Kernels: the simulator runs them.
    "kernel_call",
    "if",
    "while",
    // Sizes that the run decides.
    "dynamic_broadcast_in_dim",
    "dynamic_conv",
    "dynamic_gather",
    "dynamic_iota",
    "dynamic_pad",
    "dynamic_reshape",
    "get_dimension_size",
    "real_dynamic_slice",
    "set_dimension_size",
    // Bits and layouts.
    "bitcast",
    "bitcast_convert",
    "next_after",
    "reduce_precision",
    // Complex numbers.
    "complex",
    "conj",
    "imag",
    "real",
    "fft",
    // Functions outside f64 libraries, or of many steps.
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "bessel_i1e",
    "cosh",
    "digamma",
    "erf",
    "erf_inv",
    "erfc",
    "is_inf",
    "is_neg_inf",
    "is_pos_inf",
    "lgamma",
    "mulhi",
    "polygamma",
    "sinh",
    "zeta",
    "batch_norm_grad",
    "batch_norm_inference",
    "batch_norm_training",
    "cholesky",
    "triangular_solve",
    "ragged_dot",
    "select_and_scatter",
    "top_k",
    "torch_index_select",
];

/// A sample with its arguments and what the witness says.
struct Case {
    op: &'static str,
    program: Program,
    arguments: Vec<Value>,
    said: Vec<Said>,
}

/// Samples of every op that the witness knows.
fn cases() -> &'static [Case] {
    static CASES: std::sync::LazyLock<Vec<Case>> = std::sync::LazyLock::new(make_cases);
    &CASES
}

fn make_cases() -> Vec<Case> {
    let mut out = vec![];
    for seed in 0..SAMPLES {
        for (op, program) in hlo::Op::samples(&mut Sampler::new(seed, 4)) {
            // Extreme indices are rare among many that fit.
            let indexed = ["dynamic_slice", "dynamic_update_slice", "gather", "scatter"];
            let more = if indexed.contains(&op) { 6 } else { 0 };
            let boundary = (1..=more).map(|k| (Class::Boundary, seed + 1000 * k));
            for (class, seed) in CLASSES.map(|c| (c, seed)).into_iter().chain(boundary) {
                // Sums of floats are compared where nothing is rounded.
                let sums = ["dot_general", "convolution"].contains(&op);
                if sums && class != Class::Exact {
                    continue;
                }
                let Ok(arguments) = inputs::generate(&program, class, seed) else {
                    continue;
                };
                let arrays: Option<Vec<Array>> = arguments
                    .iter()
                    .map(|v| number::read(v.as_tensor()?))
                    .collect();
                if let Some(said) = arrays.and_then(|a| program::run(&program, &a)) {
                    out.push(Case {
                        op,
                        program: program.clone(),
                        arguments,
                        said,
                    });
                }
            }
        }
    }
    out
}

fn eval(program: &Program, arguments: &[Value], kernels: Kernels) -> Option<Vec<Value>> {
    let limits = Limits {
        loop_steps: 1000,
        ..Limits::default()
    };
    Interpreter::new(program, Planes::IeeeOnly, &limits)
        .with_kernels(kernels)
        .run(arguments.to_vec(), &mut Events::default())
        .ok()
}

/// The first element that is not what the witness says.
fn difference(said: &[Said], got: &[Value]) -> Option<String> {
    for (s, v) in said.iter().zip(got) {
        let t = v.as_tensor()?;
        let Some(array) = number::read(t) else {
            return Some("not readable".to_string());
        };
        if array.dims != s.array.dims || array.ty != s.array.ty {
            return Some(format!("shape {:?}, {:?}", array.dims, s.array.dims));
        }
        for (i, (want, got)) in s.array.data.iter().zip(&array.data).enumerate() {
            if !agrees(t, *want, *got, s.ulp) {
                return Some(format!(
                    "element {i}: the witness says {want:?}, eval {got:?}"
                ));
            }
        }
    }
    (said.len() != got.len()).then(|| "number of results".to_string())
}

fn agrees(t: &Tensor, want: Number, got: Number, ulp: f64) -> bool {
    match (want, got) {
        (Number::Int(w), Number::Int(g)) => w == g,
        (Number::Real(w), Number::Real(g)) => number::distance(t.element(), w, g) <= ulp,
        (Number::Complex(a, b), Number::Complex(c, d)) => {
            let same = |x: f64, y: f64| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
            same(a, c) && same(b, d)
        }
        (Number::Int(_) | Number::Real(_) | Number::Complex(..), _) => false,
    }
}

fn without_negative_zeros(v: &Value) -> Value {
    match v.as_tensor() {
        Some(t) if t.element().is_float() => {
            let values: Vec<f64> = t.to_f64s().iter().map(|x| x + 0.0).collect();
            Tensor::from_f64s(t.dims(), t.element(), &values).into()
        }
        Some(_) | None => v.clone(),
    }
}

#[test]
fn eval_and_the_fast_kernels_say_what_the_witness_says() {
    let mut problems = BTreeMap::new();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases() {
        *seen.entry(case.op).or_default() += 1;
        for (name, kernels) in [("definition", Kernels::Definition), ("fast", Kernels::Fast)] {
            let got = eval(&case.program, &case.arguments, kernels);
            // The fast kernels add up in an order of their own, from which the sign of a sum that is zero follows.
            let got = match (name, &got, case.op) {
                ("fast", Some(got), "dot_general" | "convolution") => {
                    Some(got.iter().map(without_negative_zeros).collect())
                }
                _ => got,
            };
            let wrong = match &got {
                Some(got) => difference(&case.said, got),
                None => Some("eval stops".to_string()),
            };
            if let Some(wrong) = wrong {
                let types = case.program.parameter_types();
                let types: Vec<String> = types.iter().map(ToString::to_string).collect();
                problems.entry((case.op, name)).or_insert(format!(
                    "{} of ({}), {name}: {wrong}",
                    case.op,
                    types.join(", ")
                ));
            }
        }
    }
    for name in hlo::Op::NAMES {
        let n = seen.get(name).copied().unwrap_or(0);
        let left_out = NOT_WITNESSED.contains(name) || *name == "constant";
        if n == 0 && !left_out {
            problems.insert((name, ""), format!("{name}: no sample was compared"));
        }
        if n > 0 && NOT_WITNESSED.contains(name) {
            problems.insert(
                (name, ""),
                format!("{name} is witnessed, take it off the list"),
            );
        }
    }
    let all: Vec<String> = problems.into_values().collect();
    assert!(all.is_empty(), "\n{}", all.join("\n"));
}

/// Mutants that are no faults of a single op: with the reason.
const NO_FAULT: &[(&str, &str, &str)] = &[
    (
        "sort",
        "compare-order",
        "NaN is left out, and no sample has zeros of both signs",
    ),
    (
        "dynamic_slice",
        "drop-operation",
        "applies where the slice is the whole operand",
    ),
    (
        "gather",
        "drop-operation",
        "applies where the boxes are the whole operand",
    ),
    (
        "gather",
        "index-sign",
        "boxes of the samples are whole or empty where indices are unsigned; tests/mutate/unsigned_index.mlir",
    ),
    (
        "reduce_window",
        "carry-lost",
        "carries are rare in so few sums; tests/mutate/wide_integers.mlir",
    ),
    (
        "convert",
        "double-rounding",
        "ties of the type between are rare; tests/mutate/double_rounding.mlir",
    ),
    (
        "scatter",
        "index-sign",
        "a huge index is dropped, and so is a negative one",
    ),
];

/// Mutators that change how ops are joined and not what one computes.
const WIRING: &[&str] = &["other-operand", "carry-swapped"];

#[test]
fn wrong_evals_are_caught() {
    // An eval that computes a mutant in the place of the op: caught when it differs from the witness on one sample at least.
    let mut made: BTreeMap<(&str, &str), [usize; 2]> = BTreeMap::new();
    for case in cases() {
        for id in case.program.op_ids() {
            for m in MUTATORS.iter().filter(|m| !WIRING.contains(&m.name)) {
                // One sample that catches it is enough.
                if made
                    .get(&(case.op, m.name))
                    .is_some_and(|[_, caught]| *caught > 0)
                {
                    continue;
                }
                let Some(mutant) = (m.mutate)(&case.program, id, 1) else {
                    continue;
                };
                let got = eval(&mutant, &case.arguments, Kernels::Fast);
                let caught = got.is_none_or(|got| difference(&case.said, &got).is_some());
                if !caught && equivalence::of(&case.program, &mutant, m, id, 1).is_some() {
                    continue;
                }
                let counts = made.entry((case.op, m.name)).or_default();
                counts[0] += 1;
                counts[1] += usize::from(caught);
            }
        }
    }
    assert!(made.len() > 200, "only {} kinds of wrong evals", made.len());
    let missed: BTreeSet<String> = made
        .iter()
        // A few mutants of one kind may all be equivalent.
        .filter(|((op, m), [n, caught])| {
            let known = NO_FAULT.iter().any(|(o, w, _)| (o, w) == (op, m));
            *n >= 8 && *caught == 0 && !known
        })
        .map(|((op, m), [n, _])| format!("{m} in {op}: 0 of {n} caught"))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn folded_constants_are_what_the_witness_says() {
    let mut problems = vec![];
    let (mut witnessed, mut unknown) = (0, 0);
    let files = tileproof_tests::workspace::files(&["mlir"]);
    let own = |path: &str| {
        path.starts_with("tests/programs/") || path.starts_with("tests/passes/hlo-fold-constants/")
    };
    for file in files.iter().filter(|f| own(&f.path)) {
        let before = tileproof_dialect::import::stablehlo::parse(&file.text, &file.path)
            .unwrap_or_else(|e| panic!("{}: {e}", file.path));
        for (name, verdict) in folded(&before) {
            match verdict {
                None => unknown += 1,
                Some(None) => witnessed += 1,
                Some(Some(wrong)) => problems.push(format!("{}: {name}: {wrong}", file.path)),
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        witnessed > 8 && unknown == 0,
        "{witnessed} witnessed, {unknown} not known to the witness"
    );
}

/// Each constant that hlo-fold-constants makes of the program: the op it replaced, and what is wrong (none: the witness does not know).
fn folded(before: &Program) -> Vec<(&'static str, Option<Option<String>>)> {
    use std::collections::HashMap;
    use tileproof_dialect::{op::Op, program::ValueId};
    let passes = tileproof_lowering::pipeline::named("hlo-fold-constants").expect("a pass");
    let steps = tileproof_lowering::manager::run(before, &passes, &Default::default());
    let steps = steps.expect("the pass runs");
    let after = &steps[0].program;
    // Values that hang on no input, by the judge, op by op.
    let limits = Limits::default();
    let judge = Interpreter::new(before, Planes::IeeeOnly, &limits);
    let mut known: HashMap<ValueId, Value> = HashMap::new();
    let mut out = vec![];
    for id in before.op_ids() {
        let o = before.op(id);
        let Some(operands) = o
            .operands
            .iter()
            .map(|v| known.get(v).cloned())
            .collect::<Option<Vec<Value>>>()
        else {
            continue;
        };
        if o.op.is_return() || !o.regions.is_empty() || !o.op.callees().is_empty() {
            continue;
        }
        let Ok(results) = judge.eval_op(id, &operands, &|_| None, &mut Events::default()) else {
            continue;
        };
        known.extend(o.results.iter().copied().zip(results));
        let replaced = after.op_ids().find_map(|new| {
            let n = after.op(new);
            let made = n
                .location
                .rewrite
                .as_deref()
                .is_some_and(|r| r.starts_with("hlo-fold-constants:"));
            let Op::Hlo(op) = &n.op;
            match op {
                hlo::Op::Constant(c)
                    if made && n.location.sources.first() == o.location.sources.first() =>
                {
                    Some(c.value.to_tensor())
                }
                _ => None,
            }
        });
        let Some(constant) = replaced else { continue };
        let Op::Hlo(op) = &o.op;
        let arrays: Option<Vec<Array>> = operands
            .iter()
            .map(|v| number::read(v.as_tensor()?))
            .collect();
        let said = arrays.and_then(|arrays| program::single(before, id, &arrays));
        out.push((
            op.name(),
            said.map(|said| difference(&said, &[constant.into()])),
        ));
    }
    out
}

#[test]
fn every_op_folds_to_what_the_witness_says() {
    use tileproof_dialect::{
        builder::{ProgramBuilder, Provenance},
        hlo::constant::Constant,
        literal::Literal,
        op::Op,
    };
    let passes = tileproof_lowering::pipeline::named("hlo-fold-constants").expect("a pass");
    let mut tried: BTreeMap<&str, usize> = BTreeMap::new();
    let mut folded: BTreeMap<&str, usize> = BTreeMap::new();
    let mut problems = vec![];
    for case in cases() {
        let n = tried.entry(case.op).or_default();
        let body = case.program.region(case.program.main().body);
        let [id, _] = body.ops[..] else { continue };
        let o = case.program.op(id);
        if *n >= 12 || !o.regions.is_empty() || o.operands != body.arguments {
            continue;
        }
        *n += 1;
        // The sample with literals in the place of its arguments.
        let mut b = ProgramBuilder::new("constants", Provenance::Number);
        b.begin_function("main", &[], Default::default());
        let operands: Vec<_> = case
            .arguments
            .iter()
            .filter_map(|v| v.as_tensor())
            .map(|t| {
                let value = Literal::from_tensor(t);
                b.infer(
                    Op::Hlo(Constant { value }.into()),
                    &[],
                    &[],
                    vec![],
                    Default::default(),
                )[0]
            })
            .collect();
        let types: Vec<_> = o
            .results
            .iter()
            .map(|v| case.program.ty(*v).clone())
            .collect();
        let results = b.op(o.op.clone(), &operands, &types, vec![], Default::default());
        b.end_function(&results, Default::default());
        let Ok(before) = b.finish() else { continue };
        let steps = tileproof_lowering::manager::run(&before, &passes, &Default::default());
        let step = steps.expect("the pass runs").remove(0);
        if step.applied.is_empty() {
            continue;
        }
        *folded.entry(case.op).or_default() += 1;
        let got = eval(&step.program, &[], Kernels::Definition).expect("constants");
        if let Some(wrong) = difference(&case.said, &got) {
            problems.push(format!("{}: {wrong}", case.op));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(folded.len() > 30, "only {folded:?}");
}

#[test]
fn the_witness_knows_its_numbers() {
    use tileproof_dialect::types::ElementType;
    // By hand: 1 + 2^-8 lies halfway between the bf16 numbers 1 and 1 + 2^-7 and goes to the even one.
    assert_eq!(number::rounded(&ElementType::BF16, 1.00390625), 1.0);
    assert_eq!(number::rounded(&ElementType::BF16, 1.01171875), 1.015625);
    assert_eq!(number::rounded(&ElementType::F16, 65520.0), f64::INFINITY);
    assert_eq!(number::rounded(&ElementType::F8E4M3FN, 448.0), 448.0);
    assert!(number::rounded(&ElementType::F8E4M3FN, 480.0).is_nan());
    assert_eq!(number::rounded(&ElementType::F4E2M1FN, 100.0), 6.0);
    assert_eq!(number::rounded(&ElementType::F32, 1e-46), 0.0);
    assert_eq!(number::wrapped(&ElementType::I4, 9), -7);
    // Every pattern of the 8-bit types is its own rounding.
    for ty in ElementType::all().filter(|e| e.class() == Kind::Float && e.bits() == 8) {
        let patterns: Vec<i128> = (0..256).collect();
        let bytes = number::integers(&[256], &ElementType::U8, &patterns);
        let t = bytes.with_element_bits(ty.clone());
        for n in number::read(&t).unwrap().data {
            let Number::Real(v) = n else { panic!("{ty:?}") };
            let again = number::rounded(&ty, v);
            assert!(
                again == v || again.is_nan() && v.is_nan(),
                "{ty:?}: {v} {again}"
            );
        }
    }
}
