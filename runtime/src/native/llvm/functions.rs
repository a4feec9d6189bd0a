//! Bodies for the functions `xla.NAME.TYPE` that a module calls and XLA expands after it was dumped: lane by lane the function of the C library in the
//! type itself or a wider one, which errs less than any expansion may.

/// Functions of the C library by XLA's names: in f64, and in f32 with an `f` behind.
const IN_LIBRARY: &[&str] = &[
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "exp",
    "expm1", "log", "log1p", "sin", "sinh", "tan", "tanh",
];

/// `text` with a body for each such function. `Err`: one that this list does not have.
pub fn with_bodies(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut bodies = vec![];
    for line in text.lines() {
        match declared(line) {
            Some(name) => bodies.push(body(name)?),
            None => {
                out += line;
                out.push('\n');
            }
        }
    }
    // A library function may be declared by the module too.
    let mut library = vec![];
    for (body, called) in bodies {
        out += &body;
        if let Some((name, ty)) = called
            && !text.contains(&format!("@{name}("))
            && !library.contains(&(name.clone(), ty))
        {
            out += &format!("declare {ty} @{name}({ty})\n");
            library.push((name, ty));
        }
    }
    Ok(out)
}

/// Functions of XLA that a module calls, by name.
pub fn called(text: &str) -> Vec<&str> {
    text.lines().filter_map(declared).collect()
}

/// Name without `@` of an XLA function that the line declares.
fn declared(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("declare ")?;
    let start = rest.find("@xla.")? + 1;
    let end = rest[start..].find('(')? + start;
    Some(&rest[start..end])
}

/// A type by XLA's suffix: number of lanes and element.
fn ty(suffix: &str) -> Option<(u32, &'static str)> {
    let (lanes, element) = match suffix.strip_prefix('v') {
        Some(rest) => {
            let digits = rest.find(|c: char| !c.is_ascii_digit())?;
            (rest[..digits].parse().ok()?, &rest[digits..])
        }
        None => (1, suffix),
    };
    let element = match element {
        "f16" => "half",
        "bf16" => "bfloat",
        "f32" => "float",
        "f64" => "double",
        _ => return None,
    };
    Some((lanes, element))
}

/// A function's body, and the library function it calls with its type.
type Body = (String, Option<(String, &'static str)>);

fn body(name: &str) -> Result<Body, String> {
    let unknown = || format!("the module calls {name}, which has no body here");
    let parts: Vec<&str> = name.split('.').collect();
    match parts[..] {
        ["xla", function, suffix] => {
            let (lanes, element) = ty(suffix).ok_or_else(unknown)?;
            let wide = if element == "double" {
                "double"
            } else {
                "float"
            };
            let (inner, library) = match function {
                "rsqrt" => (rsqrt(element), None),
                _ if IN_LIBRARY.contains(&function) => {
                    let called = format!("{function}{}", if wide == "float" { "f" } else { "" });
                    let call = format!("  %w = call {wide} @{called}({wide} %v)\n");
                    (through(element, wide, &call), Some((called, wide)))
                }
                _ => return Err(unknown()),
            };
            Ok((
                lane_by_lane(name, lanes, (element, element), &inner),
                library,
            ))
        }
        ["xla", "fptrunc", from, "to", to] => {
            let ((lanes, from), (_, to)) =
                (ty(from).ok_or_else(unknown)?, ty(to).ok_or_else(unknown)?);
            let inner = match (from, to) {
                ("float", "bfloat") => BFLOAT.to_string(),
                (_, _) => format!("  %r = fptrunc {from} %x to {to}\n"),
            };
            Ok((lane_by_lane(name, lanes, (from, to), &inner), None))
        }
        _ => Err(unknown()),
    }
}

/// %r of %x by `call`, which computes %w of %v in the wide type.
fn through(element: &str, wide: &str, call: &str) -> String {
    if element == wide {
        return call.replace("%v", "%x").replace("%w", "%r");
    }
    format!("  %v = fpext {element} %x to {wide}\n{call}  %r = fptrunc {wide} %w to {element}\n")
}

fn rsqrt(element: &str) -> String {
    let inner = "  %s = call double @llvm.sqrt.f64(double %v)\n  %w = fdiv double 1.0, %s\n";
    through(element, "double", inner)
}

/// Rounds to the nearest bfloat, ties to even, NaN kept quiet: not every machine and library has the conversion.
const BFLOAT: &str = "  %i = bitcast float %x to i32
  %low = lshr i32 %i, 16
  %odd = and i32 %low, 1
  %half = add i32 %odd, 32767
  %up = add i32 %i, %half
  %rounded = lshr i32 %up, 16
  %quiet = or i32 %low, 64
  %nan = fcmp uno float %x, %x
  %bits = select i1 %nan, i32 %quiet, i32 %rounded
  %short = trunc i32 %bits to i16
  %r = bitcast i16 %short to bfloat
";

/// `NAME(T) -> U` that applies `inner`, which computes %r of %x, to each lane.
fn lane_by_lane(name: &str, lanes: u32, (from, to): (&str, &str), inner: &str) -> String {
    let one =
        format!("define internal {to} @lane.{name}({from} %x) {{\n{inner}  ret {to} %r\n}}\n");
    if lanes == 1 {
        return one.replace("@lane.", "@");
    }
    let (vector, made) = (format!("<{lanes} x {from}>"), format!("<{lanes} x {to}>"));
    let mut out = format!("{one}define internal {made} @{name}({vector} %x) {{\n");
    let mut last = "poison".to_string();
    for i in 0..lanes {
        out += &format!("  %x{i} = extractelement {vector} %x, i32 {i}\n");
        out += &format!("  %y{i} = call {to} @lane.{name}({from} %x{i})\n");
        out += &format!("  %z{i} = insertelement {made} {last}, {to} %y{i}, i32 {i}\n");
        last = format!("%z{i}");
    }
    out + &format!("  ret {made} {last}\n}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_get_bodies_and_unknown_ones_are_told() {
        let text =
            "declare <4 x double> @xla.log1p.v4f64(<4 x double>) #1\ndeclare float @other(float)\n";
        let with = with_bodies(text).unwrap();
        for part in [
            "define internal <4 x double> @xla.log1p.v4f64",
            "declare double @log1p(double)",
            "declare float @other",
        ] {
            assert!(with.contains(part), "{with}");
        }
        assert!(!with.contains("declare <4 x double>"), "{with}");
        assert_eq!(called(text), ["xla.log1p.v4f64"]);
        let unknown = with_bodies("declare float @xla.fresnel.f32(float)\n").unwrap_err();
        assert!(unknown.contains("xla.fresnel.f32"), "{unknown}");
    }
}
