//! Pallas kernels in programs: `tpu_custom_call`s become `kernel_call`s of the kernels in their backend_config.

use crate::{
    attribute::Attribute,
    error::Error,
    hlo::{self, custom_call::CustomCall, kernel_call::KernelCall},
    mlir::mosaic::{MosaicCall, kernel},
    op::Op,
    program::{Operation, Program},
    tpu::Kernel,
    types::Type,
};
use std::sync::Arc;

/// Target of the custom calls that Pallas makes for TPUs.
pub const TARGET: &str = "tpu_custom_call";

/// The program with each `tpu_custom_call` replaced by a call of its kernel. Equal kernels are kept once.
pub fn decode_kernels(mut program: Program) -> Result<Program, Error> {
    for i in 0..program.ops.len() {
        let operation = &program.ops[i];
        let Op::Hlo(hlo::Op::CustomCall(call)) = &operation.op else {
            continue;
        };
        if call.call_target_name != TARGET {
            continue;
        }
        let name = unused_name(&program, operation);
        let decoded = decode(&program, operation, call, &name)?;
        let hash = decoded.structural_hash();
        let name = match program.kernels.iter().find(|k| k.structural_hash() == hash) {
            Some(known) => known.name.clone(),
            None => {
                program.kernels.push(Arc::new(decoded));
                name
            }
        };
        let operation = &mut program.ops[i];
        operation.op = Op::Hlo(KernelCall { kernel: name }.into());
        // They told Mosaic what the kernel says now.
        for attribute in ["kernel_name", "mhlo.frontend_attributes"] {
            operation.extra.0.remove(attribute);
        }
    }
    program.verified()
}

/// The kernel's own name, with a number where it is taken.
fn unused_name(program: &Program, operation: &Operation) -> String {
    let own = match operation.extra.get("kernel_name") {
        Some(Attribute::Str(name)) if !name.is_empty() => name.as_str(),
        Some(_) | None => "kernel",
    };
    let free = |name: &str| program.kernel(name).is_none() && program.find_function(name).is_none();
    let numbered = (1..).map(|n| format!("{own}_{n}"));
    std::iter::once(own.to_string())
        .chain(numbered)
        .find(|name| free(name))
        .unwrap_or_default()
}

fn decode(
    program: &Program,
    operation: &Operation,
    call: &CustomCall,
    name: &str,
) -> Result<Kernel, Error> {
    let location = &operation.location;
    let unsupported = |why: &str| Error::Unsupported {
        what: format!("{TARGET}: {why}"),
        location: location.clone(),
    };
    let Some(Attribute::Str(config)) = &call.backend_config else {
        return Err(unsupported("backend_config is not a string"));
    };
    let body = body(config).ok_or_else(|| unsupported("no kernel in backend_config"))?;
    let bytes =
        base64(body).ok_or_else(|| unsupported("the kernel in backend_config is not base64"))?;
    let types = |values: &[crate::program::ValueId]| {
        values
            .iter()
            .map(|v| program.ty(*v).clone())
            .collect::<Vec<Type>>()
    };
    let aliases = aliases(call).ok_or_else(|| unsupported("aliases of parts of tuples"))?;
    let call = MosaicCall {
        name,
        operands: &types(&operation.operands),
        results: &types(&operation.results),
        aliases: &aliases,
        location,
    };
    kernel(&bytes, &call).map_err(|e| match e {
        Error::Unsupported { what, location } => Error::Unsupported {
            what: format!("{TARGET} '{name}': {what}"),
            location,
        },
        other @ (Error::InvalidProgram(_) | Error::Internal(_)) => other,
    })
}

/// Pairs of a result and the operand whose buffer it takes; none where an alias is of a part of an operand.
fn aliases(call: &CustomCall) -> Option<Vec<(usize, usize)>> {
    let Some(Attribute::Array(list)) = &call.output_operand_aliases else {
        return Some(vec![]);
    };
    list.iter()
        .map(|entry| {
            let Attribute::Dict(entry) = entry else {
                return None;
            };
            let ints = |name: &str| match entry.get(name) {
                Some(Attribute::Ints(list)) => Some(list.clone()),
                Some(Attribute::Array(list)) if list.is_empty() => Some(vec![]),
                Some(_) | None => None,
            };
            let result = match ints("output_tuple_indices")?[..] {
                [] => 0,
                [i] => usize::try_from(i).ok()?,
                _ => return None,
            };
            if !ints("operand_tuple_indices")?.is_empty() {
                return None;
            }
            let Some(Attribute::Int(operand)) = entry.get("operand_index") else {
                return None;
            };
            Some((result, usize::try_from(*operand).ok()?))
        })
        .collect()
}

/// The string `body` of `custom_call_config`, which holds no escapes.
fn body(config: &str) -> Option<&str> {
    let (_, rest) = config.split_once("\"body\"")?;
    let rest = rest
        .trim_start()
        .strip_prefix(':')?
        .trim_start()
        .strip_prefix('"')?;
    rest.split_once('"').map(|(body, _)| body)
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let text = text.trim_end_matches('=').as_bytes();
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    for group in text.chunks(4) {
        let mut bits = 0u32;
        for c in group {
            bits = bits << 6 | u32::from(digit(*c)?);
        }
        bits <<= 6 * (4 - group.len());
        let bytes = match group.len() {
            1 => return None,
            n => n - 1,
        };
        out.extend_from_slice(&bits.to_be_bytes()[1..1 + bytes]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        import::stablehlo,
        mlir::{
            text::{self, Literals, Locations},
            verify::verify,
        },
        stage::Stage,
    };

    #[test]
    fn base64_is_read() {
        for (text, want) in [
            ("", ""),
            ("TQ==", "M"),
            ("TWE=", "Ma"),
            ("TWFu", "Man"),
            ("TWFuTQ", "ManM"),
        ] {
            assert_eq!(base64(text), Some(want.as_bytes().to_vec()), "{text}");
        }
        assert_eq!(base64("T"), None);
        assert_eq!(base64("T*=="), None);
    }

    #[test]
    fn real_kernels_are_read_verified_and_survive_as_text() {
        for (name, stage, kernel, ops) in [
            (
                "matmul",
                Stage::S3,
                "matmul_relu",
                &["tpu.matmul", "scf.if", "maximum"][..],
            ),
            (
                "copies",
                Stage::S4,
                "scaled_exp",
                &["tpu.enqueue_dma", "tpu.wait_dma2", "scf.for", "exponential"],
            ),
            (
                "prefetch",
                Stage::S3,
                "chosen_blocks",
                &[
                    "tpu.iota",
                    "memref.load",
                    "vector.multi_reduction",
                    "select",
                ],
            ),
            (
                "attention",
                Stage::S3,
                "attention",
                &["tpu.matmul", "convert", "divide"],
            ),
        ] {
            let path = format!("{}/../tests/pallas/{name}.mlir", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(&path).unwrap();
            let program = stablehlo::parse(&text, &format!("{name}.mlir"))
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(program.verify(), vec![], "{name}");
            let [read] = &program.kernels[..] else {
                panic!("{name}: {} kernels", program.kernels.len())
            };
            assert_eq!((read.name.as_str(), read.stage), (kernel, stage));
            let mut seen = vec![];
            read.walk(&mut |o| seen.push(o.op.name()));
            for op in ops {
                assert!(seen.contains(op), "{name}: no {op} in {seen:?}");
            }
            assert_eq!(verify(&program), vec![], "{name}");
            let printed = text::print(&program, Locations::Shown, Literals::Whole).unwrap();
            let again =
                text::parse(&printed, "-").unwrap_or_else(|e| panic!("{name}: {e}\n{printed}"));
            assert_eq!(again.kernels, program.kernels, "{printed}");
        }
    }

    fn program(config: &str) -> Result<Program, Error> {
        let config = config.replace('"', "\\22");
        let text = format!(
            "func.func @main(%a: tensor<8x128xf32>) -> tensor<8x128xf32> {{\n  %0 = stablehlo.custom_call @tpu_custom_call(%a) {{backend_config = \"{config}\", kernel_name = \"copy\"}} : (tensor<8x128xf32>) -> tensor<8x128xf32>\n  return %0 : tensor<8x128xf32>\n}}"
        );
        stablehlo::parse(&text, "p.mlir")
    }

    #[test]
    fn a_call_without_a_readable_kernel_says_why() {
        for (config, says) in [
            ("{}", "no kernel in backend_config"),
            ("{\"custom_call_config\": {\"body\": \"*\"}}", "not base64"),
            (
                "{\"custom_call_config\": {\"body\": \"TWFu\"}}",
                "backend_config",
            ),
        ] {
            let message = program(config).unwrap_err().to_string();
            assert!(
                message.contains(says) && message.contains("p.mlir:2"),
                "{message}"
            );
        }
    }
}
