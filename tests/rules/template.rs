//! Templates of rule tests: a program over a type, a size and an integer.

use super::inputs::MANY;
use tileproof_dialect::types::{Class, ElementType};
use tileproof_lowering::settings::Settings;

/// A rule test as read.
pub struct Template {
    /// Types on which the rewrite fires.
    pub fires: Vec<ElementType>,
    /// Types on which it must not.
    pub never: Vec<ElementType>,
    /// Values of `$I`; one when the program has none.
    each: Vec<i64>,
    pub settings: Settings,
    text: String,
}

impl Template {
    pub fn read(text: &str) -> Result<Template, String> {
        let line = |word: &str| {
            text.lines()
                .find_map(|l| l.strip_prefix(&format!("// {word}: ")))
        };
        let list = |words: Option<&str>| -> Result<Vec<ElementType>, String> {
            let mut all = vec![];
            for word in words.unwrap_or_default().split_whitespace() {
                all.extend(types(word).ok_or_else(|| format!("'{word}' names no types"))?);
            }
            Ok(all)
        };
        let fires = line("fires").ok_or("the first line is not `// fires: TYPES`")?;
        let each = line("each").unwrap_or("0").split_whitespace();
        let mut settings = Settings::default();
        for option in line("options").unwrap_or_default().split_whitespace() {
            settings.set(option).map_err(|e| e.to_string())?;
        }
        Ok(Template {
            fires: list(Some(fires))?,
            never: list(line("never"))?,
            each: each
                .map(|n| n.parse().map_err(|_| format!("'{n}' is no integer")))
                .collect::<Result<_, _>>()?,
            settings,
            text: text.to_string(),
        })
    }

    /// The programs for one type. An integer that the type cannot hold is left out.
    pub fn instances(&self, ty: &ElementType) -> Vec<String> {
        let fits = |n: &i64| match ty.class() {
            Class::Signed => {
                (-(1i128 << (ty.bits() - 1))..1i128 << (ty.bits() - 1)).contains(&i128::from(*n))
            }
            Class::Unsigned => (0..1i128 << ty.bits()).contains(&i128::from(*n)),
            Class::Boolean | Class::Float | Class::Complex | Class::Quantized => true,
        };
        let mut text = self.text.replace("$T", &ty.mlir_name());
        text = text.replace("$N", &MANY.to_string());
        for name in [
            "0", "-0", "1", "-1", "2", "4", "-8", "lowest", "highest", "ones",
        ] {
            if let Some(number) = number(ty, name) {
                text = text.replace(&format!("{{{name}}}"), &number);
            }
        }
        self.each
            .iter()
            .filter(|n| fits(n))
            .map(|n| text.replace("$I", &n.to_string()))
            .collect()
    }
}

/// The types a word stands for.
pub fn types(word: &str) -> Option<Vec<ElementType>> {
    let of = |accept: fn(&ElementType) -> bool| Some(ElementType::all().filter(accept).collect());
    match word {
        // f8E8M0FNU has neither sign nor zero.
        "floats" => of(|e| e.class() == Class::Float && *e != ElementType::F8E8M0FNU),
        "ieee" => of(has_negative_zero),
        "infinite" => of(has_infinity),
        "wide" => of(|e| e.class() == Class::Float && e.bits() >= 16),
        "signed" => of(|e| e.class() == Class::Signed),
        "unsigned" => of(|e| e.class() == Class::Unsigned),
        "integers" => of(|e| matches!(e.class(), Class::Signed | Class::Unsigned)),
        "bool" => Some(vec![ElementType::I1]),
        "complex" => Some(vec![ElementType::C64, ElementType::C128]),
        other => ElementType::from_mlir_name(other).map(|e| vec![e]),
    }
}

fn has_negative_zero(e: &ElementType) -> bool {
    match e {
        ElementType::F8E4M3FNUZ
        | ElementType::F8E5M2FNUZ
        | ElementType::F8E4M3B11FNUZ
        | ElementType::F8E8M0FNU => false,
        e => e.class() == Class::Float,
    }
}

fn has_infinity(e: &ElementType) -> bool {
    [
        ElementType::F8E3M4,
        ElementType::F8E4M3,
        ElementType::F8E5M2,
        ElementType::BF16,
        ElementType::F16,
        ElementType::F32,
        ElementType::F64,
    ]
    .contains(e)
}

/// A number as the text of a constant of the type writes it; none where the type has no such number.
fn number(ty: &ElementType, name: &str) -> Option<String> {
    let bits = ty.bits();
    match ty.class() {
        Class::Boolean => match name {
            "0" | "lowest" => Some("false".to_string()),
            "1" | "ones" | "highest" => Some("true".to_string()),
            _ => None,
        },
        Class::Signed | Class::Unsigned => {
            let signed = ty.class() == Class::Signed;
            match name {
                "lowest" if signed => Some((-(1i128 << (bits - 1))).to_string()),
                "lowest" => Some("0".to_string()),
                "highest" if signed => Some(((1i128 << (bits - 1)) - 1).to_string()),
                "highest" => Some(((1i128 << bits) - 1).to_string()),
                "ones" if signed => Some("-1".to_string()),
                "ones" => Some(((1i128 << bits) - 1).to_string()),
                "-0" => None,
                n => {
                    let n: i128 = n.parse().ok()?;
                    let (low, high) = if signed {
                        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
                    } else {
                        (0, (1i128 << bits) - 1)
                    };
                    (low..=high).contains(&n).then(|| n.to_string())
                }
            }
        }
        Class::Float => match name {
            "lowest" => infinity(ty, true),
            "highest" => infinity(ty, false),
            "ones" => None,
            n => Some(format!("{n}.0")),
        },
        Class::Complex => match name {
            "lowest" | "highest" | "ones" => None,
            n => Some(format!("({n}.0, 0.0)")),
        },
        Class::Quantized => None,
    }
}

/// The bit pattern of an infinity.
fn infinity(ty: &ElementType, negative: bool) -> Option<String> {
    if !has_infinity(ty) {
        return None;
    }
    let value = if negative {
        f64::NEG_INFINITY
    } else {
        f64::INFINITY
    };
    let t = tileproof_dialect::tensor::Tensor::from_f64s(&[], ty, &[value]);
    let hex: Vec<String> = t
        .ieee()
        .bytes()
        .iter()
        .rev()
        .map(|b| format!("{b:02X}"))
        .collect();
    Some(format!("0x{}", hex.join("")))
}
