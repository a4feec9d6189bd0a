//! The reader and the writer on whole modules, and on thousands of broken ones.

use super::{parse, samples};
use crate::{
    attribute::Attribute,
    builder::Sampler,
    error::Error,
    export,
    mlir::text::{self, Literals, Locations},
    program::{AliasKind, Program, RegionId},
    types::Layout,
};

fn read(text: &str) -> Program {
    parse(text, "t.hlo").unwrap_or_else(|e| panic!("{e}"))
}

/// Names of the ops of a region with those of its inner regions in brackets.
fn ops(p: &Program, region: RegionId) -> String {
    let one = |id: &crate::program::OpId| {
        let o = p.op(*id);
        let inner: Vec<String> = o.regions.iter().map(|r| ops(p, *r)).collect();
        let name = o.op.name().trim_start_matches("hlo.").to_string();
        if inner.is_empty() {
            name
        } else {
            format!("{name}[{}]", inner.join(" | "))
        }
    };
    p.region(region)
        .ops
        .iter()
        .map(one)
        .collect::<Vec<_>>()
        .join(" ")
}

fn body(p: &Program) -> String {
    ops(p, p.main().body)
}

#[test]
fn tuples_become_results_and_computations_regions() {
    let p = read(samples::DENSE);
    assert_eq!(
        body(&p),
        "constant dot_general call constant reduce[add return] return"
    );
    let relu = p.find_function("relu").unwrap();
    assert_eq!(
        ops(&p, p.function(relu).body),
        "constant broadcast_in_dim fusion[maximum return] return"
    );
    assert_eq!((p.main().results.len(), p.num_partitions), (2, 2));
    let alias = p.main().aliases[0];
    assert_eq!(
        (alias.output, alias.parameter, alias.kind),
        (0, 1, AliasKind::May)
    );
    let w = p.op(p.region(p.main().body).ops[0]);
    let layout = Layout {
        minor_to_major: vec![0, 1],
        tiles: vec![],
    };
    assert_eq!(p.ty(w.results[0]).as_tensor().unwrap().layout, Some(layout));
}

#[test]
fn locations_come_from_stack_frames_or_else_the_text() {
    let p = read(samples::DENSE);
    let at = |i: usize| p.op(p.region(p.main().body).ops[i]).location.to_string();
    assert_eq!(at(1), "model.py:7:3");
    assert_eq!(at(2), "t.hlo:39:3");
    let dot = &p.op(p.region(p.main().body).ops[1]).extra;
    assert_eq!(dot.get("op_name"), Some(&Attribute::from("jit(f)/dot")));
    let call = &p.op(p.region(p.main().body).ops[2]).extra;
    assert_eq!(call.get("hlo.name"), Some(&Attribute::from("c")));
}

#[test]
fn loops_run_over_leaves_and_branches_capture() {
    let p = read(samples::CONTROL);
    assert_eq!(
        body(&p),
        "while[constant compare return | constant add add return] if[multiply return | return] case[return | negate return] return"
    );
    let loop_op = p.op(p.region(p.main().body).ops[0]);
    assert_eq!((loop_op.operands.len(), loop_op.results.len()), (2, 2));
    let if_op = p.op(p.region(p.main().body).ops[1]);
    assert_eq!(p.captured(if_op.regions[0]).len(), 2);
}

#[test]
fn windows_ranges_and_indices_fit_their_ops() {
    let p = read(samples::MOVEMENT);
    let conv = p.op(p.region(p.main().body).ops[0]).op.to_attributes();
    assert_eq!(
        conv.get("window_reversal"),
        Some(&Attribute::Bools(vec![false, true]))
    );
    assert_eq!(
        conv.get("padding"),
        Some(&Attribute::Ints(vec![1, 1, 1, 1]))
    );
}

#[test]
fn calls_keep_what_they_carry() {
    let p = read(samples::CALLS);
    assert_eq!(
        body(&p),
        "custom_call custom_call composite negate optimization_barrier return"
    );
    let at = |i: usize| p.op(p.region(p.main().body).ops[i]);
    let elided = at(0).op.to_attributes();
    assert_eq!(
        elided.get("call_target_name"),
        Some(&Attribute::from(super::ELIDED_CONSTANT))
    );
    assert!(
        matches!(elided.get("backend_config"), Some(Attribute::Str(s)) if s.contains("--xla_dump_large_constants=true"))
    );
    let Some(Attribute::Dict(config)) = at(1).op.to_attributes().0.remove("backend_config") else {
        panic!()
    };
    assert!(matches!(config.get("uplo"), Some(Attribute::Literal(l)) if l.data().bytes() == [76]));
    assert_eq!(
        at(3).extra.get("control-predecessors"),
        Some(&Attribute::from("{c}"))
    );
    assert_eq!(
        p.main().parameter_attributes[0].get("mhlo.sharding"),
        Some(&Attribute::from("{replicated}"))
    );
}

#[test]
fn mistakes_are_located() {
    let one = |lines: &str| format!("HloModule m\nENTRY e {{\n{lines}\n}}");
    for (text, message) in [
        (
            "",
            "t.hlo:1:1: expected `HloModule`, found the end of the text".to_string(),
        ),
        (
            "HloModule m\n",
            "t.hlo:2:1: expected a computation marked ENTRY, found the end of the text".to_string(),
        ),
        (
            &one("a = f32[] add(b, b)"),
            "t.hlo:3:15: operand 'b' is not defined before its use".to_string(),
        ),
        (
            &one("a = f32[] parameter(1)"),
            "t.hlo:3:1: parameter 1 where parameter 0 is needed".to_string(),
        ),
        (
            &one("a = f32[2] constant({1, x})"),
            "t.hlo:3:25: expected a value of type f32, found `x})`".to_string(),
        ),
        (
            &one("a = f32[2] constant({1, 2}\n"),
            "t.hlo:5:1: expected `)`, found `}`".to_string(),
        ),
        (
            &one("a = f32[2] iota(), iota_dimension=x"),
            "t.hlo:3:35: expected an integer, found `x`".to_string(),
        ),
        (
            &one("a = f32[2] iota()"),
            "t.hlo:3:1: 'iota' needs attribute 'iota_dimension'".to_string(),
        ),
        (
            &one("a = f32[2] parameter(0)\nb = f32[2] call(a), to_apply=g"),
            "t.hlo:4:1: computation 'g' does not exist".to_string(),
        ),
        (
            &one("a = f32[2] frobnicate()"),
            "unsupported: op hlo.frobnicate at t.hlo:3:1".to_string(),
        ),
        (
            &one("a = f32[2] parameter(0)\na = f32[2] parameter(1)"),
            "t.hlo:4:1: instruction 'a' is defined twice".to_string(),
        ),
        (
            &one("a = f32[2] parameter(0)\nb = f32[3] add(a, a)"),
            "t.hlo:4:1: 'hlo.add': result 0 is declared tensor<3xf32>, inferred tensor<2xf32>"
                .to_string(),
        ),
    ] {
        assert_eq!(parse(text, "t.hlo").unwrap_err().to_string(), message);
    }
}

#[test]
fn computations_that_call_themselves_end() {
    let text = "HloModule m\nf {\n a = f32[] parameter(0)\n ROOT b = f32[] fusion(a), kind=kLoop, calls=f\n}\nENTRY e {\n a = f32[] parameter(0)\n ROOT b = f32[] fusion(a), kind=kLoop, calls=f\n}";
    assert!(matches!(parse(text, "t"), Err(Error::Unsupported { .. })));
    // Each of these inlines the one before twice.
    let mut text =
        "HloModule m\nf0 {\n a = f32[] parameter(0)\n ROOT b = f32[] negate(a)\n}\n".to_string();
    for i in 1..64 {
        let g = i - 1;
        text += &format!(
            "f{i} {{\n a = f32[] parameter(0)\n b = f32[] fusion(a), kind=kLoop, calls=f{g}\n ROOT c = f32[] fusion(b), kind=kLoop, calls=f{g}\n}}\n"
        );
    }
    text +=
        "ENTRY e {\n a = f32[] parameter(0)\n ROOT b = f32[] fusion(a), kind=kLoop, calls=f63\n}";
    assert!(matches!(parse(&text, "t"), Err(Error::Unsupported { .. })));
}

#[test]
fn deep_brackets_are_refused() {
    for open in ["(", "{", "["] {
        let text = format!("HloModule m\nENTRY e {{\n a = {}", open.repeat(100_000));
        assert!(parse(&text, "t").is_err());
        let text = format!(
            "HloModule m\nENTRY e {{\n a = f32[] custom-call(), custom_call_target=\"x\", api_version=API_VERSION_TYPED_FFI, backend_config={{a = {}",
            open.repeat(100_000)
        );
        assert!(parse(&text, "t").is_err());
    }
    let text = format!(
        "HloModule m\nENTRY e {{\n a = {}f32[]{} parameter(0)\n}}",
        "(".repeat(10_000),
        ")".repeat(10_000)
    );
    assert!(parse(&text, "t").is_err());
}

#[test]
fn what_is_written_reads_back_the_same() {
    for text in samples::ALL {
        let p = read(text);
        let written = export::hlo_text::print(&p).unwrap();
        let again = parse(&written, "written").unwrap_or_else(|e| panic!("{e}\n{written}"));
        assert_eq!(p.structural_hash(), again.structural_hash(), "{written}");
    }
}

#[test]
fn attributes_of_parameters_pass_through_mlir_and_back_to_text() {
    let p = read(samples::DENSE);
    let of = |p: &Program| p.main().parameter_attributes.clone();
    assert_eq!(of(&p)[1].get("hlo.op_name"), Some(&Attribute::from("y")));
    let text = text::print(&p, Locations::Hidden, Literals::Whole).unwrap();
    let again = text::parse(&text, "t.mlir").unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(of(&again), of(&p));
    let written = export::hlo_text::print(&p).unwrap();
    assert!(written.contains("metadata={op_name=\"y\""), "{written}");
}

#[test]
fn layouts_may_differ_on_both_sides_of_a_call() {
    let p = read(
        "HloModule m

f {
  a = f32[2,3]{1,0} parameter(0)
  ROOT b = f32[2,3]{1,0} negate(a)
}

ENTRY main {
  x = f32[2,3]{0,1} parameter(0)
  c = f32[2,3]{0,1} call(x), to_apply=f
  ROOT d = f32[2,3]{0,1} negate(c)
}
",
    );
    assert_eq!(body(&p), "copy call copy negate return");
    let text = text::print(&p, Locations::Hidden, Literals::Whole).unwrap();
    text::parse(&text, "t.mlir").unwrap_or_else(|e| panic!("{e}\n{text}"));
}

#[test]
fn typed_options_keep_their_types() {
    let written = export::hlo_text::print(&read(samples::CALLS)).unwrap();
    assert!(written.contains("uplo = 76 : ui8"), "{written}");
    assert!(
        written.contains("eps = 9.999999747378752e-6 : f32"),
        "{written}"
    );
}

/// Texts with bytes changed, cut, doubled and swapped: every one gives a program or a located error.
#[test]
fn no_mutation_makes_it_panic() {
    let tokens: Vec<&str> = samples::ALL
        .iter()
        .flat_map(|t| t.split_inclusive([' ', ',', '(', '{', '=']))
        .collect();
    let mut good = 0;
    for seed in 0..5000 {
        let mut s = Sampler::new(seed, 4);
        let mut text = s.pick(samples::ALL).as_bytes().to_vec();
        for _ in 0..s.range(1, 4) {
            let at = s.range(0, text.len() as u64 - 1) as usize;
            let end = (at + s.range(1, 20) as usize).min(text.len());
            match s.range(0, 6) {
                0 => text[at] = s.range(32, 126) as u8,
                1 => drop(text.drain(at..end)),
                2 => {
                    let part = text[at..end].to_vec();
                    text.splice(at..at, part);
                }
                3 => {
                    let part = s.pick(&tokens).as_bytes().to_vec();
                    text.splice(at..end, part);
                }
                4 => text.truncate(at.max(1)),
                5 => drop(
                    text.splice(
                        at..at,
                        s.pick(&[
                            "-1",
                            "9223372036854775807",
                            "0",
                            "99999999999999999999",
                            "{",
                            "}",
                            "\"",
                            "é",
                        ])
                        .bytes(),
                    ),
                ),
                _ => {
                    // Another number in place of one.
                    if let Some(digit) = (at..text.len()).find(|i| text[*i].is_ascii_digit()) {
                        text[digit] = b'0' + s.range(0, 9) as u8;
                    }
                }
            }
        }
        match parse(&String::from_utf8_lossy(&text), "fuzz") {
            Ok(p) => {
                good += 1;
                let _ = export::hlo_text::print(&p);
            }
            Err(Error::InvalidProgram(all)) => assert!(
                !all.is_empty() && all.iter().all(|d| !d.message.is_empty()),
                "seed {seed}"
            ),
            Err(Error::Unsupported { what, .. }) => assert!(!what.is_empty(), "seed {seed}"),
            Err(Error::Internal(m)) => panic!("seed {seed}: {m}"),
        }
    }
    assert!(good > 100, "only {good} mutants were read");
}

#[test]
fn instructions_that_are_several_ops() {
    let p = read(
        "HloModule m
ENTRY main {
  x = f32[6]{0} parameter(0)
  i = s32[] parameter(1)
  j = s32[] parameter(2)
  ROOT r = f32[<=3,<=2]{1,0} dynamic-reshape(x, i, j)
}",
    );
    assert_eq!(
        body(&p),
        "reshape reshape concatenate dynamic_reshape return"
    );
    let p = read(
        "HloModule m
ENTRY main {
  x = f32[6]{0} parameter(0)
  y = f32[6]{0} parameter(1)
  ROOT r = (f32[6]{0}, f32[6]{0}) all-to-all(x, y), replica_groups={{0,1}}
}",
    );
    assert_eq!(
        body(&p),
        "reshape reshape concatenate all_to_all slice reshape slice reshape return"
    );
    let message = parse(
        "HloModule m
ENTRY main {
  x = f32[6]{0} parameter(0)
  ROOT r = f32[6]{0} dynamic-reshape(x)
}",
        "t.hlo",
    )
    .unwrap_err()
    .to_string();
    assert!(
        message.starts_with("t.hlo:4:") && message.contains("a size for each dimension"),
        "{message}"
    );
}

/// Every opcode of XLA (xla/hlo/ir/hlo_opcode.h) is read as an op or named as one that is not.
#[test]
fn no_opcode_is_unknown_to_the_reader() {
    for opcode in ["scaled-dot", "scan", "shuffle"] {
        let text = format!(
            "HloModule m\nENTRY main {{\n  x = f32[6]{{0}} parameter(0)\n  ROOT r = f32[6]{{0}} {opcode}(x)\n}}"
        );
        match parse(&text, "t.hlo") {
            Err(Error::Unsupported { what, .. }) => {
                assert!(what.contains(&opcode.replace('-', "_")), "{what}")
            }
            other => panic!("{opcode}: {other:?}"),
        }
    }
    for opcode in OPCODES.split_whitespace() {
        let op = opcode.replace('-', "_");
        let known = [
            ("bitcast", "bitcast"),
            ("broadcast", "broadcast_in_dim"),
            ("conditional", "case"),
            ("dot", "dot_general"),
            ("opt_barrier", "optimization_barrier"),
            ("topk", "top_k"),
            ("parameter", "constant"),
        ];
        let name = known
            .iter()
            .find(|(from, _)| *from == op)
            .map_or(op.as_str(), |(_, to)| to);
        assert!(crate::hlo::Op::NAMES.contains(&name), "{opcode}");
    }
}

const OPCODES: &str = "abs acos acosh add add-dependency after-all all-gather all-gather-done all-gather-start all-reduce all-reduce-done
    all-reduce-start all-to-all and asin asinh async-done async-start async-update atan atan2 atanh batch-norm-grad batch-norm-inference
    batch-norm-training bitcast bitcast-convert broadcast call cbrt ceil cholesky clamp count-leading-zeros collective-broadcast collective-permute
    collective-permute-done collective-permute-start collective-reduce compare complex concatenate conditional constant convert convolution copy
    copy-done copy-start cosine cosh custom-call divide domain dot dynamic-reshape dynamic-slice dynamic-update-slice erf exponential
    exponential-minus-one fft floor fusion gather get-dimension-size get-tuple-element imag infeed iota is-finite log log-plus-one logistic map
    maximum minimum mulhi multiply negate not opt-barrier or outfeed pad parameter partition-id popcnt power ragged-all-to-all ragged-dot real recv
    recv-done reduce reduce-precision reduce-scatter reduce-window remainder replica-id reshape reverse rng rng-bit-generator rng-get-and-update-state
    round-nearest-afz round-nearest-even rsqrt scatter select select-and-scatter send send-done set-dimension-size shift-left shift-right-arithmetic
    shift-right-logical sign sine sinh slice sort sqrt stochastic-convert subtract tan tanh topk transpose triangular-solve tuple while xor";

/// Found by fuzzing protos: options that no text holds as they are, layouts for other operands than there are, a bounded size that is 1.
#[test]
fn what_protos_can_say_is_written_readably() {
    let mut p = read(
        "HloModule m\nENTRY main {\n  x = f32[6]{0} parameter(0)\n  ROOT r = f32[6]{0} negate(x)\n}",
    );
    let id = p.region(p.main().body).ops[0];
    for config in ["{\"a\":\"b", "a\nb}", "{\"a\":1}", "plain"] {
        let kept = &mut p.ops[id.index()].extra.0;
        kept.insert(
            "backend_config".to_string(),
            Attribute::Str(config.to_string()),
        );
        let text = export::hlo_text::print(&p).unwrap();
        assert_eq!(read(&text).structural_hash(), p.structural_hash(), "{text}");
    }
    let message = parse(
        "HloModule m\nENTRY main {\n  x = f32[6]{0} parameter(0)\n  ROOT r = f32[6]{0} custom-call(x), custom_call_target=\"t\", operand_layout_constraints={}\n}",
        "t.hlo",
    )
    .unwrap_err()
    .to_string();
    assert!(message.contains("0 shapes for 1 operands"), "{message}");
    let p = read(
        "HloModule m\nENTRY main {\n  x = f32[1]{0} parameter(0)\n  ROOT r = f32[<=1]{0} broadcast(x), dimensions={0}\n}",
    );
    let text = export::hlo_text::print(&p).unwrap();
    assert_eq!(read(&text).structural_hash(), p.structural_hash(), "{text}");
}
