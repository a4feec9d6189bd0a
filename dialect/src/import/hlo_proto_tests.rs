//! Tests of the HLO proto reader.

use super::*;
use crate::{builder::Sampler, import::hlo_text};

fn array(dims: &[i64], minor_to_major: &[i64]) -> Option<proto::Shape> {
    let layout = proto::Layout {
        minor_to_major: minor_to_major.to_vec(),
        ..Default::default()
    };
    Some(proto::Shape {
        element_type: 11,
        dimensions: dims.to_vec(),
        layout: Some(layout),
        ..Default::default()
    })
}

fn instruction(
    id: i64,
    opcode: &str,
    shape: Option<proto::Shape>,
    operands: &[i64],
) -> proto::Instruction {
    proto::Instruction {
        name: format!("i{id}"),
        opcode: opcode.to_string(),
        id,
        shape,
        operand_ids: operands.to_vec(),
        ..Default::default()
    }
}

/// dot(x, {{1, 2}, {3, 4}}) with the constant stored column-major, then a reduction.
fn sample() -> Vec<u8> {
    let sum = proto::Computation {
        name: "sum".to_string(),
        instructions: vec![
            instruction(1, "parameter", array(&[], &[]), &[]),
            proto::Instruction {
                parameter_number: 1,
                ..instruction(2, "parameter", array(&[], &[]), &[])
            },
            instruction(3, "add", array(&[], &[]), &[1, 2]),
        ],
        id: 1,
        root_id: 3,
    };
    let literal = |shape: Option<proto::Shape>, values: &[f32]| {
        Some(proto::Literal {
            shape,
            f32s: values.to_vec(),
            ..Default::default()
        })
    };
    let weights = array(&[2, 2], &[0, 1]);
    let dot = proto::DotDimensionNumbers {
        lhs_contracting_dimensions: vec![1],
        rhs_contracting_dimensions: vec![0],
        ..Default::default()
    };
    let frames = proto::StackFrameIndex {
        file_names: vec!["model.py".to_string()],
        file_locations: vec![proto::FileLocation {
            file_name_id: 1,
            line: 7,
            column: 3,
        }],
        stack_frames: vec![proto::StackFrame {
            file_location_id: 1,
        }],
    };
    let main = proto::Computation {
        name: "main".to_string(),
        instructions: vec![
            instruction(4, "parameter", array(&[3, 2], &[1, 0]), &[]),
            proto::Instruction {
                literal: literal(weights.clone(), &[1., 3., 2., 4.]),
                ..instruction(5, "constant", weights, &[])
            },
            proto::Instruction {
                dot_dimension_numbers: Some(dot),
                metadata: Some(proto::OpMetadata {
                    stack_frame_id: 1,
                    ..Default::default()
                }),
                ..instruction(6, "dot", array(&[3, 2], &[1, 0]), &[4, 5])
            },
            proto::Instruction {
                literal: literal(array(&[], &[]), &[0.]),
                ..instruction(7, "constant", array(&[], &[]), &[])
            },
            proto::Instruction {
                dimensions: vec![0],
                called_computation_ids: vec![1],
                ..instruction(8, "reduce", array(&[2], &[0]), &[6, 7])
            },
        ],
        id: 2,
        root_id: 8,
    };
    let module = proto::HloModule {
        name: "m".to_string(),
        computations: vec![sum, main],
        entry_computation_id: 2,
        stack_frame_index: Some(frames),
        ..Default::default()
    };
    proto::HloProto {
        hlo_module: Some(module),
    }
    .encode_to_vec()
}

#[test]
fn a_proto_gives_what_its_text_gives() {
    let text = "HloModule m\nsum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\nENTRY main {\n \
        x = f32[3,2]{1,0} parameter(0)\n w = f32[2,2]{0,1} constant({{1, 2}, {3, 4}})\n \
        d = f32[3,2]{1,0} dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n z = f32[] constant(0)\n \
        ROOT r = f32[2]{0} reduce(d, z), dimensions={0}, to_apply=sum\n}";
    let (got, want) = (
        parse(&sample(), "t.pb").unwrap(),
        hlo_text::parse(text, "t").unwrap(),
    );
    assert_eq!(got.structural_hash(), want.structural_hash());
    let dot = got.region(got.main().body).ops[1];
    assert_eq!(got.op(dot).location.to_string(), "model.py:7:3");
}

#[test]
fn mistakes_name_the_instruction() {
    let mut whole = proto::HloProto::decode(&sample()[..]).unwrap();
    whole.hlo_module.as_mut().unwrap().computations[1].instructions[2].operand_ids[0] = 99;
    let message = parse(&whole.encode_to_vec(), "t.pb")
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "t.pb:1:1: operand 99 is not defined before its use (in 'main', instruction 'i6')"
    );
    assert!(parse(b"\xff\xff", "t.pb").is_err());
}

#[test]
fn no_mutation_makes_it_panic() {
    let whole = sample();
    for seed in 0..3000 {
        let mut s = Sampler::new(seed, 4);
        let mut bytes = whole.clone();
        for _ in 0..s.range(1, 4) {
            let at = s.range(0, bytes.len() as u64 - 1) as usize;
            match s.range(0, 3) {
                0 => bytes[at] = s.range(0, 255) as u8,
                1 => bytes[at] ^= 1 << s.range(0, 7),
                2 => drop(bytes.splice(at..at, [s.range(0, 255) as u8])),
                _ => drop(bytes.remove(at)),
            }
        }
        if let Err(Error::Internal(m)) = parse(&bytes, "fuzz") {
            panic!("seed {seed}: {m}");
        }
    }
}
