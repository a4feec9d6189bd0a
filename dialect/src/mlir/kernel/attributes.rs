//! Words of Mosaic's and vector's attributes, both ways.

use crate::tpu::CombiningKind;

/// Kind, word of `vector.kind` for integers and for floats.
const KINDS: [(CombiningKind, &str, &str); 9] = [
    (CombiningKind::Add, "add", "add"),
    (CombiningKind::Mul, "mul", "mul"),
    (CombiningKind::Min, "minsi", "minimumf"),
    (CombiningKind::Max, "maxsi", "maximumf"),
    (CombiningKind::MinUi, "minui", "minui"),
    (CombiningKind::MaxUi, "maxui", "maxui"),
    (CombiningKind::And, "and", "and"),
    (CombiningKind::Or, "or", "or"),
    (CombiningKind::Xor, "xor", "xor"),
];

pub(super) fn kind_word(kind: CombiningKind, float: bool) -> &'static str {
    KINDS
        .iter()
        .find(|row| row.0 == kind)
        .map_or("add", |row| if float { row.2 } else { row.1 })
}

/// Of `#vector.kind<WORD>`.
pub(super) fn kind_from_word(word: &str) -> Option<CombiningKind> {
    KINDS
        .iter()
        .find(|row| row.1 == word || row.2 == word)
        .map(|row| row.0)
}

const REDUCTIONS: [(CombiningKind, &str); 3] = [
    (CombiningKind::Add, "sum"),
    (CombiningKind::Max, "max"),
    (CombiningKind::Min, "min"),
];

/// Of `#tpu.reduction_kind<WORD>`, where Mosaic has the kind.
pub(super) fn reduction_word(kind: CombiningKind) -> Option<&'static str> {
    REDUCTIONS.iter().find(|row| row.0 == kind).map(|row| row.1)
}

pub(super) fn reduction_from_word(word: &str) -> Option<CombiningKind> {
    REDUCTIONS.iter().find(|row| row.1 == word).map(|row| row.0)
}

/// Precision of `hlo.dot_general` and `#tpu.contract_precision<WORD>`, as Pallas lowers one to the other.
const PRECISIONS: [(&str, &str); 3] =
    [("DEFAULT", "bf16"), ("HIGH", "bf16x3"), ("HIGHEST", "fp32")];

pub(super) fn precision_word(precision: &str) -> Option<&'static str> {
    PRECISIONS
        .iter()
        .find(|row| row.0 == precision)
        .map(|row| row.1)
}

pub(super) fn precision_from_word(word: &str) -> Option<&'static str> {
    PRECISIONS.iter().find(|row| row.1 == word).map(|row| row.0)
}

/// `WORD` of `#dialect.name<WORD>`.
pub(super) fn word<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.strip_prefix('#')?
        .strip_prefix(name)?
        .strip_prefix('<')?
        .strip_suffix('>')
}
