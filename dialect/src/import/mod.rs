//! Reads programs from text and protos.
//!
//! [`detect`] tells the form of a file; one module a form.

pub mod hlo_proto;
pub mod hlo_text;
pub mod mosaic;
pub mod stablehlo;

/// Form of a program file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// StableHLO text, pretty or generic.
    StableHlo,
    /// HLO text (`HloModule ..`).
    HloText,
    /// Serialized `HloModuleProto` or `HloProto`.
    HloProto,
    /// Text of the project's own dialects.
    OwnText,
}

/// The form of a file from its content; `name` decides only where the content does not.
pub fn detect(bytes: &[u8], name: &str) -> Form {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => text,
        Ok(_) | Err(_) => return Form::HloProto,
    };
    let first = text
        .lines()
        .map(str::trim_start)
        .find(|l| !l.is_empty() && !l.starts_with("//"))
        .unwrap_or("");
    if first.starts_with("HloModule") {
        return Form::HloText;
    }
    // In quotes it is an op of generic form, or a name that any dialect may hold.
    let is_generic_op = |i: usize| {
        let end = text[i..].find('"').map(|end| i + end + 1);
        end.is_some_and(|end| text[end..].starts_with('('))
    };
    let uses = |dialect: &str| {
        text.match_indices(dialect).any(|(i, _)| {
            i == 0
                || match text.as_bytes()[i - 1] {
                    b'"' => is_generic_op(i),
                    b' ' | b'\t' | b'\n' | b'(' | b'!' | b'#' | b'=' => true,
                    _ => false,
                }
        })
    };
    if uses("stablehlo.") || uses("chlo.") {
        return Form::StableHlo;
    }
    if ["hlo.", "tpu.", "tpux."].into_iter().any(uses) {
        return Form::OwnText;
    }
    if [".pb", ".hlo.pb"].iter().any(|e| name.ends_with(e)) {
        return Form::HloProto;
    }
    if [".hlo", ".hlo.txt"].iter().any(|e| name.ends_with(e)) && !first.starts_with("module") {
        return Form::HloText;
    }
    Form::StableHlo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_by_content() {
        assert_eq!(
            detect(b"// a\nHloModule m\nENTRY e {}", "x.txt"),
            Form::HloText
        );
        assert_eq!(detect(b"\x0a\x04main\xff", "x"), Form::HloProto);
        assert_eq!(
            detect(
                b"module attributes {mhlo.num_replicas = 1 : i32} { %0 = hlo.add %a, %b }",
                "x.mlir"
            ),
            Form::OwnText
        );
        assert_eq!(
            detect(
                b"module { %0 = stablehlo.add %a, %b : tensor<f32> }",
                "x.mlir"
            ),
            Form::StableHlo
        );
        assert_eq!(detect(b"\"stablehlo.add\"(%a) hlo.x", "x"), Form::StableHlo);
        assert_eq!(
            detect(
                b"%0 = hlo.composite %a {name = \"chlo.erf\", decomposition = @f}",
                "x.mlir"
            ),
            Form::OwnText
        );
        assert_eq!(
            detect(b"func.func @main() { return }", "x.mlir"),
            Form::StableHlo
        );
        assert_eq!(detect(b"", "x.hlo"), Form::HloText);
    }
}
