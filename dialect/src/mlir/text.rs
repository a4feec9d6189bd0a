//! Our own dialect text.

use super::{
    context::{Context, with_context},
    decode::{decode, has_provenance},
    encode::encode,
};
use crate::{
    builder::Provenance,
    error::{Diagnostic, Error},
    program::Program,
};
use mlir_sys::*;
use std::{ffi::c_void, sync::Arc};

/// Whether a text says where each op comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Locations {
    #[default]
    Hidden,
    Shown,
}

/// How literals above 1 KiB are printed: by content hash (such a text does not parse back), or with their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Literals {
    #[default]
    Hashed,
    Whole,
}

/// The program of a module in own dialect text; `file` names the text in diagnostics and locations.
/// When no op of the text names the source ops it implements, every op becomes one.
///
/// MLIR's parser recurses on nested text: give it untrusted text in a child process only.
pub fn parse(text: &str, file: &str) -> Result<Program, Error> {
    let file: Arc<str> = Arc::from(file);
    with_context(|context| {
        let module = context.parse(text, &file).map_err(Error::InvalidProgram)?;
        let wrong = context.verify(module.as_operation());
        if !wrong.is_empty() {
            return Err(Error::InvalidProgram(wrong));
        }
        let provenance = if has_provenance(&module) {
            Provenance::Keep
        } else {
            Provenance::Number
        };
        decode(&module, &file, provenance)
    })
}

/// The program in own dialect text. A program that MLIR does not verify is printed in generic form.
pub fn print(program: &Program, locations: Locations, literals: Literals) -> Result<String, Error> {
    // A context of its own: resource names are unique per context, so a used one would rename literals.
    let context = Context::new();
    let module = encode(program, &context)?;
    let mut out: Vec<u8> = vec![];
    // SAFETY: `flags` lives until destroyed here; `append` is given `out`, which outlives the call.
    unsafe {
        let flags = mlirOpPrintingFlagsCreate();
        if locations == Locations::Shown {
            mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
        }
        if literals == Literals::Hashed {
            mlirOpPrintingFlagsElideLargeResourceString(flags, 0);
        }
        let op = melior::ir::operation::OperationLike::to_raw(&module.as_operation());
        mlirOperationPrintWithFlags(op, flags, Some(append), (&raw mut out).cast());
        mlirOpPrintingFlagsDestroy(flags);
    }
    let mut text = String::from_utf8(out)
        .map_err(|_| Error::internal("MLIR printed text that is not UTF-8"))?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

unsafe extern "C" fn append(part: MlirStringRef, out: *mut c_void) {
    if part.length > 0 {
        // SAFETY: `out` is the vector given to the printer; `part` is readable during this call.
        unsafe {
            (*out.cast::<Vec<u8>>()).extend(std::slice::from_raw_parts(
                part.data.cast::<u8>(),
                part.length,
            ))
        };
    }
}

/// Parses `text` and gives what is wrong with it; empty when nothing is.
pub fn check(text: &str, file: &str) -> Vec<Diagnostic> {
    match parse(text, file) {
        Ok(_) => vec![],
        Err(Error::InvalidProgram(all)) => all,
        Err(other @ (Error::Unsupported { .. } | Error::Internal(_))) => {
            vec![Diagnostic::new(other.to_string(), Default::default())]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        builder::Sampler,
        hlo,
        location::{Location, Position, SourceOp},
        mlir::verify::verify,
        program::{Alias, AliasKind},
    };

    /// Everything of a program: arenas, names, attributes, locations.
    fn dump(program: &Program) -> String {
        format!("{program:#?}")
    }

    fn round_trip(program: &Program) {
        let text = print(program, Locations::Shown, Literals::Whole).unwrap();
        let again = parse(&text, "-").unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(dump(program), dump(&again), "{text}");
        assert_eq!(
            text,
            print(&again, Locations::Shown, Literals::Whole).unwrap()
        );
    }

    #[test]
    fn every_sample_survives_as_module_and_as_text() {
        for seed in 0..20 {
            for (name, program) in hlo::Op::samples(&mut Sampler::new(seed, 6)) {
                {
                    let context = &Context::new();
                    let module = encode(&program, context).unwrap();
                    let wrong = context.verify(module.as_operation());
                    assert!(
                        wrong.is_empty(),
                        "{name}, seed {seed}: {wrong:?}\n{}",
                        module.as_operation()
                    );
                    let again = decode(&module, &"-".into(), Provenance::Keep)
                        .unwrap_or_else(|e| panic!("{name}: {e}"));
                    assert_eq!(dump(&program), dump(&again), "{name}, seed {seed}");
                    let fresh = Context::new();
                    let twice = encode(&again, &fresh).unwrap();
                    assert_eq!(
                        module.as_operation().to_string(),
                        twice.as_operation().to_string()
                    );
                }
                round_trip(&program);
            }
        }
    }

    #[test]
    fn details_of_modules_and_functions_survive() {
        let mut program = <hlo::call::Call as crate::op::OpDef>::sample(&mut Sampler::new(1, 4));
        program.name = "a b".into();
        (program.num_replicas, program.num_partitions) = (2, 4);
        program.attributes = crate::attribute::Attributes::new().with("mhlo.x", "y");
        program.entry = crate::program::FunctionId(1);
        program.functions[0].is_private = true;
        program.functions[0].aliases = vec![Alias {
            output: 0,
            parameter: 0,
            kind: AliasKind::Must,
        }];
        program.functions[0].parameter_attributes[0]
            .0
            .insert("jax.buffer_donor".into(), true.into());
        program.functions[0].location = Location {
            sources: [SourceOp(3)].into_iter().collect(),
            rewrite: Some("hlo-fuse:loop#7".into()),
            position: Some(Position {
                file: "m.py".into(),
                line: 3,
                column: 1,
            }),
        };
        round_trip(&program);
    }

    #[test]
    fn text_without_provenance_is_numbered() {
        let program = parse("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %0 = hlo.add %a, %a : tensor<f32>\n  return %0 : tensor<f32>\n}", "x.mlir").unwrap();
        let location = &program.op(crate::program::OpId(0)).location;
        assert_eq!(location.sources.as_slice(), [SourceOp(0)]);
        assert_eq!(location.to_string(), "x.mlir:2:8");
        assert_eq!(verify(&program), vec![]);
    }

    #[test]
    fn large_literals_are_named_by_hash_unless_asked() {
        let value = crate::literal::Literal::from_tensor(&crate::tensor::Tensor::from_i64s(
            &[600],
            &crate::types::ElementType::I32,
            &(0..600).collect::<Vec<_>>(),
        ));
        let hash = format!("x{:032x}", value.hash());
        let program = Sampler::single(hlo::constant::Constant { value }, &[], &[]);
        let short = print(&program, Locations::Hidden, Literals::Hashed).unwrap();
        assert!(short.contains(&hash) && short.len() < 400, "{short}");
        let message = parse(&short, "s.mlir").unwrap_err().to_string();
        assert!(message.contains("`tileproof opt --literals`"), "{message}");
        let full = print(&program, Locations::Hidden, Literals::Whole).unwrap();
        assert_eq!(
            full,
            print(&program, Locations::Hidden, Literals::Whole).unwrap()
        );
        round_trip(&program);
    }

    #[test]
    fn bad_text_gives_every_diagnostic_with_its_place() {
        let cases = [
            ("", None),
            ("module {", Some("expected")),
            ("func.func @f() { hlo.nonsense }", Some("hlo.nonsense")),
            ("func.func private @f()", Some("has no body")),
            ("func.func @f(%a: tensor<2xi3>) { return }", Some("i3")),
            (
                "func.func @f(%a: tensor<f32>) { %0 = hlo.add %a, %b : tensor<f32>\n return }",
                Some("undeclared"),
            ),
            (
                "func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) { %0 = hlo.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n return }",
                Some("differ"),
            ),
            (
                "func.func @f() { %0 = hlo.constant dense<0.0> : tensor<4611686018427387904x4xf64>\n return }",
                Some("too large"),
            ),
            (
                "func.func @f(%a: tensor<f32, 3 : i32>) attributes {x = affine_map<(d0)->(d0)>} { return }",
                Some("#hlo.layout"),
            ),
            (
                "module attributes {hlo.num_replicas = 0} {}",
                Some("num_replicas"),
            ),
            (
                "module attributes {hlo.entry = @g} { func.func @f() { return } }",
                Some("@g"),
            ),
            ("hlo.return", None),
            ("\u{fffd}\u{0}", Some("NUL")),
        ];
        for (text, says) in cases {
            let message = parse(text, "bad.mlir").map(|_| ()).unwrap_err().to_string();
            if let Some(says) = says {
                assert!(
                    message.contains(says.trim_start_matches('@')),
                    "{text}: {message}"
                );
            }
        }
        let two = "func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) {\n  %0 = hlo.add %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n  %1 = hlo.add %b, %a : (tensor<3xf32>, tensor<2xf32>) -> tensor<2xf32>\n  return\n}";
        let all = check(two, "bad.mlir");
        assert!(all.len() >= 2, "{all:?}");
        assert!(all[0].to_string().starts_with("bad.mlir:2:"), "{}", all[0]);
    }
}
