//! Python scripts that show a finding: the compiled program against the values its operations have.

use crate::reduce::oracle::Shown;
use std::fmt::Write;
use tileproof_dialect::{
    bound::Bound,
    error::Error,
    export,
    tensor::{Tensor, Value},
};

/// What a script prints when it shows the finding.
pub const SHOWN: &str = "the compiled program is wrong";

/// A script of plain JAX calls. `Unsupported` where JAX has no call for an op.
pub fn of_calls(title: &str, shown: &Shown, distances: &[Bound]) -> Result<String, Error> {
    let functions = export::jax::functions(&shown.program)?;
    let data = data(shown, distances)?;
    Ok(format!(
        "{}\n{functions}\n{data}\n{CALLS}{CHECK}",
        header(
            title,
            "Run with --op-by-op, it runs the same calls one by one."
        )
    ))
}

/// A script that compiles the StableHLO text as it is.
pub fn of_text(title: &str, shown: &Shown, distances: &[Bound]) -> Result<String, Error> {
    let text = export::stablehlo::print(&shown.program)?;
    let data = data(shown, distances)?;
    Ok(format!(
        "{}\n{IMPORTS}\nPROGRAM = r\"\"\"\n{text}\"\"\"\n\n{data}\n{TEXT}{CHECK}",
        header(
            title,
            "JAX has no calls for all of its operations, so the program is StableHLO text."
        )
    ))
}

fn header(title: &str, more: &str) -> String {
    format!(
        "\"\"\"{}\n\nCompares the compiled program with the values its operations have; exits with 1 when they differ. {more}\nWritten by tileproof.\n\"\"\"\n",
        title.replace(['"', '\\'], "_")
    )
}

const IMPORTS: &str = "import sys

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update(\"jax_enable_x64\", True)
";

const CALLS: &str = "

def compute(arguments):
    if \"--op-by-op\" in sys.argv:
        with jax.disable_jit():
            return jax.tree.leaves(main(*arguments))
    return jax.tree.leaves(jax.jit(main)(*arguments))

";

const TEXT: &str = "

def compute(arguments):
    from jax._src.lib import xla_client

    devices = jax.devices()[:1]
    options = xla_client.CompileOptions()
    compiled = devices[0].client.compile_and_load(PROGRAM, xla_client.DeviceList(tuple(devices)), options)
    results = compiled.execute_sharded(arguments).disassemble_into_single_device_arrays()
    return [r[0] for r in results]

";

const CHECK: &str = "
def wrong(got, want, allowed):
    \"\"\"Elements that differ, by more than what is allowed where rounding leaves anything to the compiler.\"\"\"
    width = want.dtype.itemsize
    bits = lambda a: np.frombuffer(np.ascontiguousarray(a).tobytes(), np.uint8).reshape(-1, width)
    differ = (bits(got) != bits(want)).any(axis=1)
    if jnp.issubdtype(want.dtype, jnp.inexact):
        wide = np.complex128 if want.dtype.kind == \"c\" else np.float64
        g, w = got.astype(wide).ravel(), want.astype(wide).ravel()
        with np.errstate(all=\"ignore\"):
            near = np.isfinite(g) & np.isfinite(w) & (np.abs(g - w) <= allowed)
        differ &= ~(np.isnan(g) & np.isnan(w)) & ~((allowed > 0) & near)
    return np.flatnonzero(differ)


if __name__ == \"__main__\":
    failed = False
    for i, (got, want, allowed) in enumerate(zip(compute([jnp.asarray(a) for a in ARGUMENTS]), WANT, ALLOWED)):
        got = np.asarray(got)
        places = wrong(got, want, allowed)
        for at in places[:4]:
            print(f\"result {i}, element {at}: want {want.ravel()[at]}, got {got.ravel()[at]}\")
        failed |= len(places) > 0
    if failed:
        print(\"the compiled program is wrong\")
    sys.exit(1 if failed else 0)
";

fn data(shown: &Shown, distances: &[Bound]) -> Result<String, Error> {
    let mut out = String::from("ARGUMENTS = [\n");
    for v in &shown.arguments {
        let _ = writeln!(out, "    {},", array(tensor(v)?)?);
    }
    out += "]\n# What the operations give one by one, as their specification defines them.\nWANT = [\n";
    for v in &shown.want {
        let _ = writeln!(out, "    {},", array(tensor(v)?)?);
    }
    out += "]\n# How far rounding may take an element: 0 is bit for bit.\nALLOWED = [\n";
    for (v, bound) in shown.want.iter().zip(distances) {
        let n = tensor(v)?.len();
        let all: Vec<String> = (0..n).map(|i| python_float(bound.at(i))).collect();
        let same = all.windows(2).all(|w| w[0] == w[1]);
        let _ = match (same, all.first()) {
            (true, Some(one)) => writeln!(out, "    np.array({one}),"),
            (_, _) => writeln!(out, "    np.array([{}]),", all.join(", ")),
        };
    }
    out += "]\n";
    Ok(out)
}

fn python_float(x: f64) -> String {
    if x.is_infinite() {
        "np.inf".to_string()
    } else {
        format!("{x:?}")
    }
}

fn tensor(v: &Value) -> Result<&Tensor, Error> {
    let t = v.as_tensor();
    t.ok_or_else(|| Error::unsupported(format!("a script with a value of type {}", v.ty())))
}

/// A NumPy array by its bytes, its numbers beside it when they are few.
fn array(t: &Tensor) -> Result<String, Error> {
    let hex: String = t
        .ieee()
        .bytes()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    let dtype = export::jax::dtype(t.element())?;
    let dims: Vec<String> = t.dims().iter().map(|d| format!("{d},")).collect();
    Ok(format!(
        "np.frombuffer(bytes.fromhex(\"{hex}\"), {dtype}).reshape(({}))",
        dims.join(" ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tileproof_dialect::{import::stablehlo, types::ElementType};

    #[test]
    fn a_script_holds_calls_arguments_and_what_they_should_give() {
        let text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = stablehlo.negate %x : tensor<2xf32>\n  return %y : tensor<2xf32>\n}";
        let x = Value::from(Tensor::from_slice(&[2], ElementType::F32, &[1f32, -2.0]));
        let y = Value::from(Tensor::from_slice(&[2], ElementType::F32, &[-1f32, 2.0]));
        let shown = Shown {
            program: Arc::new(stablehlo::parse(text, "t").unwrap()),
            arguments: vec![x],
            found: vec![],
            got: vec![],
            want: vec![y],
        };
        let calls = of_calls("a \"title\"", &shown, &[Bound::Exact]).unwrap();
        for part in [
            "lax.neg(",
            "0000803f000000c0",
            "000080bf00000040",
            "np.array(0.0)",
            "a _title_",
        ] {
            assert!(calls.contains(part), "no {part} in {calls}");
        }
        assert!(
            of_text("t", &shown, &[Bound::Exact])
                .unwrap()
                .contains("stablehlo.negate")
        );
    }
}
