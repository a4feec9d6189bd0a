//! Text of the LLVM that XLA is built with, for the LLVM at hand: literals of floats are written by their bits, and attributes it does not know are left out.

/// Element type of a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Float {
    Half,
    Bfloat,
    Single,
    Double,
}

impl Float {
    fn named(word: &str) -> Option<Float> {
        Some(match word {
            "half" => Float::Half,
            "bfloat" => Float::Bfloat,
            "float" => Float::Single,
            "double" => Float::Double,
            _ => return None,
        })
    }

    /// A literal of these bits as every LLVM reads it: single and double by the bits of the double.
    fn literal(self, bits: u64) -> String {
        match self {
            Float::Half => format!("0xH{bits:04X}"),
            Float::Bfloat => format!("0xR{bits:04X}"),
            Float::Single => format!("0x{:016X}", widened(bits as u32)),
            Float::Double => format!("0x{bits:016X}"),
        }
    }

    /// Bits of a decimal number, rounded to this type. None: written in another way.
    fn parse(self, decimal: &str) -> Option<u64> {
        Some(match self {
            Float::Single => decimal.parse::<f32>().ok()?.to_bits().into(),
            Float::Double => decimal.parse::<f64>().ok()?.to_bits(),
            Float::Half => half::f16::from_f64(decimal.parse().ok()?).to_bits().into(),
            Float::Bfloat => half::bf16::from_f64(decimal.parse().ok()?).to_bits().into(),
        })
    }

    /// Bits of an infinity or NaN with this payload.
    fn special(self, negative: bool, quiet: bool, payload: u64, infinite: bool) -> u64 {
        let (exponent, mantissa) = match self {
            Float::Half => (5, 10),
            Float::Bfloat => (8, 7),
            Float::Single => (8, 23),
            Float::Double => (11, 52),
        };
        let sign = u64::from(negative) << (exponent + mantissa);
        let ones = ((1u64 << exponent) - 1) << mantissa;
        let rest = match (infinite, quiet) {
            (true, _) => 0,
            (false, true) => payload | 1 << (mantissa - 1),
            (false, false) => payload.max(1),
        };
        sign | ones | rest
    }
}

/// Bits of the double of a single, payload of NaN kept.
fn widened(bits: u32) -> u64 {
    let x = f32::from_bits(bits);
    if x.is_nan() {
        let (sign, payload) = (
            u64::from(bits >> 31) << 63,
            u64::from(bits & 0x7f_ffff) << 29,
        );
        return sign | 0x7ff << 52 | payload;
    }
    f64::from(x).to_bits()
}

/// The module in the syntax of the LLVM at hand.
pub fn adapted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in text.lines() {
        if line.starts_with("attributes ") {
            out += &known_attributes(line);
        } else if !line.starts_with(';') {
            literals(line, &mut out);
        }
        out.push('\n');
    }
    out
}

/// Kinds of memory that only newer versions name.
fn known_attributes(line: &str) -> String {
    let mut out = line.to_string();
    for memory in ["target_mem: ", "target_mem0: ", "target_mem1: "] {
        while let Some(start) = out.find(memory) {
            let end = out[start..]
                .find([',', ')'])
                .map_or(out.len(), |n| start + n);
            let from = if out[..start].ends_with(", ") {
                start - 2
            } else {
                start
            };
            let to = if from == start && out[end..].starts_with(", ") {
                end + 2
            } else {
                end
            };
            out.replace_range(from..to, "");
        }
    }
    out.replace("memory() ", "")
}

/// Copies a line; literals of floats are written by their bits.
fn literals(line: &str, out: &mut String) {
    let mut float = None;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if c == ';' {
            return;
        }
        if c == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |n| n + 2);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        if !is_word(c) {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        rest = after;
        if let Some(ty) = Float::named(word) {
            float = Some(ty);
        }
        match float.and_then(|ty| literal(ty, word, &mut rest)) {
            Some(literal) => out.push_str(&literal),
            None => out.push_str(word),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_.+-%@!#$".contains(c)
}

/// `word` as a literal of type `ty`; `rest` stands behind it and may hold a payload. None: it is none, or every LLVM reads it.
fn literal(ty: Float, word: &str, rest: &mut &str) -> Option<String> {
    if let Some(digits) = word.strip_prefix("f0x") {
        return Some(ty.literal(u64::from_str_radix(digits, 16).ok()?));
    }
    let (negative, name) = match word.split_at_checked(1)? {
        ("+", name) => (false, name),
        ("-", name) => (true, name),
        (_, _) => (false, word),
    };
    let signed = name.len() < word.len();
    match name {
        "inf" if signed => Some(ty.literal(ty.special(negative, true, 0, true))),
        "qnan" if signed => Some(ty.literal(ty.special(negative, true, 0, false))),
        "nan" | "snan" if signed => {
            let inner = rest.strip_prefix("(0x")?;
            let end = inner.find(')')?;
            let payload = u64::from_str_radix(&inner[..end], 16).ok()?;
            *rest = &inner[end + 1..];
            Some(ty.literal(ty.special(negative, name == "nan", payload, false)))
        }
        _ if name.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.') => {
            Some(ty.literal(ty.parse(word)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        adapted(text).trim_end().to_string()
    }

    #[test]
    fn literals_are_written_by_their_bits() {
        for (newer, here) in [
            (
                "store float +qnan, ptr %p",
                "store float 0x7FF8000000000000, ptr %p",
            ),
            (
                "fmul float %x, f0x3FB504F3",
                "fmul float %x, 0x3FF6A09E60000000",
            ),
            (
                "fadd <4 x double> %x, splat (double f0x402E20359E903E37)",
                "fadd <4 x double> %x, splat (double 0x402E20359E903E37)",
            ),
            (
                "fmul float %x, 5.000000e-02",
                "fmul float %x, 0x3FA99999A0000000",
            ),
            ("fadd half %x, f0x3C00", "fadd half %x, 0xH3C00"),
            ("fadd bfloat %x, 1.000000e+00", "fadd bfloat %x, 0xR3F80"),
            (
                "phi float [ -inf, %1 ], [ %2, %3 ]",
                "phi float [ 0xFFF0000000000000, %1 ], [ %2, %3 ]",
            ),
            (
                "store float +snan(0x1), ptr %p",
                "store float 0x7FF0000020000000, ptr %p",
            ),
            // Names, integers and strings stay.
            ("%x.1 = add i64 %y.2e5, 10", "%x.1 = add i64 %y.2e5, 10"),
            (
                "call float @f.1.5(float %x), !range !3",
                "call float @f.1.5(float %x), !range !3",
            ),
            (
                "@s = constant [4 x i8] c\"float 1.5\"",
                "@s = constant [4 x i8] c\"float 1.5\"",
            ),
        ] {
            assert_eq!(line(newer), here);
        }
    }

    #[test]
    fn kinds_of_memory_that_are_not_known_are_left_out() {
        for (newer, here) in [
            (
                "memory(readwrite, target_mem: none) }",
                "memory(readwrite) }",
            ),
            (
                "memory(target_mem: none, argmem: read) }",
                "memory(argmem: read) }",
            ),
            (
                "memory(target_mem0: none, target_mem1: none) nounwind }",
                "nounwind }",
            ),
        ] {
            let head = "attributes #0 = { ";
            assert_eq!(line(&format!("{head}{newer}")), format!("{head}{here}"));
        }
    }
}
