//! Every op of a kernel survives as module and as text, in kernels of all stages.

use super::super::{
    context::Context,
    decode::decode as decode_module,
    encode::encode as encode_module,
    text::{Literals, Locations, parse, print},
};
use super::samples::{apply, blocks, copies, index, operand};
use crate::{
    builder::{Provenance, Sampler},
    hlo,
    location::Location,
    op::OpDef,
    program::Program,
    stage::Stage,
    tpu::{Kernel, KernelBuilder, KernelValue, Role, TpuOp, infer::tests::ty, op::Mask},
};
use std::{collections::BTreeSet, sync::Arc};

/// Registers, plain, packed and masked.
fn registers() -> Kernel {
    let operands = vec![
        operand(Role::Input, "vmem:16x128xbf16"),
        operand(Role::Output, "vmem:20x200xf32"),
    ];
    let mut k = KernelBuilder::new(
        "registers",
        Stage::S5,
        vec![],
        operands,
        Location::default(),
    );
    let (from, to) = (k.operand_ref(0), k.operand_ref(1));
    let zero = index(&mut k, 0);
    let unmasked = TpuOp::RegisterLoad {
        masked: Mask::Unmasked,
    };
    let packed = k.infer(unmasked, &[from, zero, zero], &[ty("8x128x2xbf16")], vec![])[0];
    let parts: Vec<KernelValue> = (0..2)
        .map(|index| {
            let part = k.infer(TpuOp::UnpackSubelements { index }, &[packed], &[], vec![])[0];
            apply(&mut k, hlo::convert::Convert, &[part], &[ty("8x128xf32")])
        })
        .collect();
    let block = k.infer(TpuOp::RollVectors, &parts, &[ty("16x128xf32")], vec![])[0];
    let turned = k.infer(
        TpuOp::Transpose {
            permutation: vec![1, 0],
        },
        &[block],
        &[],
        vec![],
    )[0];
    let back = k.infer(
        TpuOp::Transpose {
            permutation: vec![1, 0],
        },
        &[turned],
        &[],
        vec![],
    )[0];
    let two = [ty("8x128xf32"), ty("8x128xf32")];
    let registers = k.infer(TpuOp::UnrollVectors, &[back], &two, vec![]);
    let n = index(&mut k, 72);
    let mask = k.infer(
        TpuOp::CreateMask,
        &[zero, zero, n, n],
        &[ty("8x128xi1")],
        vec![],
    )[0];
    k.infer(TpuOp::PackSubelements, &[mask, mask], &[], vec![]);
    k.infer(
        TpuOp::RegisterLoad {
            masked: Mask::Masked,
        },
        &[to, zero, n, mask],
        &[ty("8x128xf32")],
        vec![],
    );
    k.infer(
        TpuOp::RegisterStore {
            masked: Mask::Unmasked,
        },
        &[registers[0], to, zero, zero],
        &[],
        vec![],
    );
    k.infer(
        TpuOp::RegisterStore {
            masked: Mask::Masked,
        },
        &[registers[1], to, zero, n, mask],
        &[],
        vec![],
    );
    let narrow = apply(
        &mut k,
        hlo::convert::Convert,
        &[registers[0]],
        &[ty("8x128xbf16")],
    );
    k.infer(TpuOp::PackSubelements, &[narrow, narrow], &[], vec![]);
    k.finish()
}

fn program(kernels: Vec<Kernel>) -> Program {
    let mut program = hlo::kernel_call::KernelCall::sample(&mut Sampler::new(1, 4));
    program.kernels.extend(kernels.into_iter().map(Arc::new));
    program
}

#[test]
fn every_op_survives_as_module_and_as_text() {
    let program = program(vec![blocks(), copies(), registers()]);
    assert_eq!(program.verify(), vec![]);
    let context = Context::new();
    let module = encode_module(&program, &context).unwrap();
    let wrong = context.verify(module.as_operation());
    assert!(wrong.is_empty(), "{wrong:?}");
    let again =
        decode_module(&module, &"-".into(), Provenance::Keep).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(again.kernels, program.kernels);
    let text = print(&program, Locations::Shown, Literals::Whole).unwrap();
    let read = parse(&text, "-").unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(read.kernels, program.kernels, "{text}");
    assert_eq!(
        print(&read, Locations::Shown, Literals::Whole).unwrap(),
        text
    );
    let mut seen = BTreeSet::new();
    for kernel in &program.kernels {
        kernel.walk(&mut |o| {
            seen.insert(
                format!("{:?}", o.op)
                    .split([' ', '('])
                    .next()
                    .unwrap_or_default()
                    .to_string(),
            );
        });
    }
    // Debug names of variants against those in the list's own text.
    let list = include_str!("../../tpu/op.rs");
    let list = &list[list.find("pub enum TpuOp").unwrap()..];
    let all: BTreeSet<String> = list[..list.find("\n}").unwrap()]
        .lines()
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()))
        .filter_map(|line| line.split([' ', '(', ',']).next())
        .map(String::from)
        .collect();
    assert_eq!(seen, all);
}

#[test]
fn the_text_is_short() {
    let text = print(&program(vec![]), Locations::Hidden, Literals::Hashed).unwrap();
    let (_, kernel) = text.split_once("func.func @increment").unwrap();
    let dims = |text: &str| text.split('x').take(2).collect::<Vec<_>>().join("x");
    let block = dims(kernel.split("memref<").nth(1).unwrap());
    let want = format!(
        "(%arg0: memref<{block}xf32, #tpu.memory_space<vmem>> {{tpux.buffer = memref<{block}xf32, #tpu.memory_space<any>>}}, \
         %arg1: memref<{block}xf32, #tpu.memory_space<vmem>> {{tpux.buffer = memref<{block}xf32, #tpu.memory_space<any>>}}) attributes {{"
    );
    assert!(kernel.starts_with(&want), "{kernel}");
    for line in [
        format!(
            "%0 = vector.load %arg0[%c0, %c0] : memref<{block}xf32, #tpu.memory_space<vmem>>, vector<{block}xf32>"
        ),
        format!("%1 = arith.addf %0, %cst : vector<{block}xf32>"),
        format!(
            "vector.store %1, %arg1[%c0, %c0] : memref<{block}xf32, #tpu.memory_space<vmem>>, vector<{block}xf32>"
        ),
        "func.func @increment_transform_0() -> (i32, i32)".to_string(),
    ] {
        assert!(text.contains(&line), "{line}\n{text}");
    }
}

#[test]
fn what_a_kernel_may_not_hold_is_unsupported_and_located() {
    let kernel = |body: &str| {
        let text = format!(
            "func.func @main() {{\n  return\n}}\nfunc.func @k(%a: memref<8x128xf32, #tpu.memory_space<vmem>>) attributes {{scalar_prefetch = 0, scratch_operands = 1, tpux.outputs = 0, tpux.stage = \"S4\"}} {{\n  %c0 = arith.constant 0 : index\n  %x = vector.load %a[%c0, %c0] : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>\n  {body}\n  return\n}}"
        );
        parse(&text, "k.mlir").map(|p| p.kernels[0].clone())
    };
    assert!(kernel("").is_ok());
    for (body, says) in [
        ("%y = math.fma %x, %x, %x : vector<8x128xf32>", "math.fma"),
        (
            "%y = arith.addf %x, %x fastmath<nnan> : vector<8x128xf32>",
            "fastmath",
        ),
        (
            "tpu.vector_store %a[%c0, %c0], %x {add = true, strides = array<i32>} : memref<8x128xf32, #tpu.memory_space<vmem>>, vector<8x128xf32>,",
            "a store that adds",
        ),
        (
            "%y = arith.maxnumf %x, %x : vector<8x128xf32>",
            "arith.maxnumf",
        ),
    ] {
        let message = kernel(body).unwrap_err().to_string();
        assert!(
            message.contains("unsupported")
                && message.contains(says)
                && message.contains("k.mlir:7:"),
            "{message}"
        );
    }
    let unordered = kernel("%y = arith.cmpf ult, %x, %x : vector<8x128xf32>").unwrap();
    let names: Vec<&str> = unordered.body.ops.iter().map(|o| o.op.name()).collect();
    assert_eq!(names[2..4], ["compare", "not"]);
}
