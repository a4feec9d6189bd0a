//! Writes a program as a Python script of plain `jax.lax` calls.
//!
//! Functions of the program become functions, regions become inner functions that see the values around them. The script's main part compares
//! the compiled program with itself run op by op. Ops that JAX has no call for are `Unsupported`: collectives, tokens and transfers, custom
//! calls, dynamic shapes, sorts and scatters with bodies of their own kind.

mod expression;
mod literal;
mod sort;
mod structure;

use super::hlo_text::fields::Fields;
use crate::{
    error::Error,
    program::{FunctionId, OpId, Program, RegionId, ValueId},
    types::{ElementType, TensorType, Type},
};
use std::{
    collections::{HashMap, HashSet},
    fmt::Write,
};

const IMPORTS: &str = "import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update(\"jax_enable_x64\", True)
";

const TOTAL_ORDER: &str = "
def total_order(x):
    \"\"\"Integers in the total order of the floats: -nan < -inf < .. < -0 < 0 < .. < inf < nan.\"\"\"
    bits = 8 * x.dtype.itemsize
    i = lax.bitcast_convert_type(x, jnp.dtype(f\"int{bits}\"))
    return i ^ ((i >> (bits - 1)) & jnp.array(2 ** (bits - 1) - 1, i.dtype))

";

const DRIVER: &str = "
def arguments(paths):
    \"\"\"The arguments in .npy files (narrow floats as their bits), or random ones.\"\"\"
    random = np.random.default_rng(0)
    out = []
    for i, (shape, dtype) in enumerate(PARAMETERS):
        dtype = jnp.dtype(dtype)
        if paths:
            a = np.load(paths[i])
            if a.dtype != dtype:
                a = a.view(dtype) if a.dtype.itemsize == dtype.itemsize and a.dtype.kind in \"ui\" else a.astype(dtype)
        elif jnp.issubdtype(dtype, jnp.inexact):
            a = random.standard_normal(shape)
        elif dtype == jnp.bool_:
            a = random.integers(0, 2, shape)
        else:
            a = random.integers(0, 8, shape)
        out.append(jnp.asarray(np.asarray(a).astype(dtype)).reshape(shape))
    return out


def compare(arguments):
    \"\"\"Prints how far the outputs of the compiled program are from those of its ops run one by one.\"\"\"
    compiled = jax.tree.leaves(jax.jit(main)(*arguments))
    with jax.disable_jit():
        single = jax.tree.leaves(main(*arguments))
    for i, (got, want) in enumerate(zip(compiled, single)):
        got, want = np.asarray(got), np.asarray(want)
        if got.tobytes() == want.tobytes():
            print(f\"output {i}: equal bit for bit\")
        else:
            wide = np.complex128 if got.dtype.kind == \"c\" else np.float64
            distance = np.abs(got.astype(wide) - want.astype(wide))
            print(f\"output {i}: {np.count_nonzero(got != want)} of {got.size} elements differ, by at most {np.nanmax(distance)}\")


if __name__ == \"__main__\":
    compare(arguments(sys.argv[1:]))
";

/// The whole script: `main` and its main part, which takes the arguments as .npy files or makes random ones.
pub fn print(program: &Program) -> Result<String, Error> {
    let mut out = format!(
        "\"\"\"Program {} as plain JAX calls, written by tileproof.\"\"\"\n\n{}",
        program.name.replace(['"', '\\'], "_"),
        functions(program)?
    );
    let mut parameters = vec![];
    for ty in program.parameter_types() {
        let t = tensor(&ty)?;
        parameters.push(format!("({}, {})", shape(&t)?, dtype(&t.element)?));
    }
    let _ = write!(
        out,
        "\n\nPARAMETERS = [{}]\n\n{DRIVER}",
        parameters.join(", ")
    );
    Ok(out)
}

/// Imports and the functions, the entry under the name `main`.
pub fn functions(program: &Program) -> Result<String, Error> {
    let mut writer = Writer {
        program,
        lines: vec![],
        indent: 0,
        names: HashMap::new(),
        taken: HashSet::new(),
        queue: vec![],
        uses_total_order: false,
    };
    writer.name(program.entry);
    let mut next = 0;
    while let Some(id) = writer.queue.get(next).copied() {
        writer.function(id)?;
        next += 1;
    }
    let order = if writer.uses_total_order {
        TOTAL_ORDER
    } else {
        ""
    };
    Ok(format!("{IMPORTS}\n{order}{}\n", writer.lines.join("\n")))
}

/// Writes functions into lines.
struct Writer<'p> {
    program: &'p Program,
    lines: Vec<String>,
    indent: usize,
    names: HashMap<FunctionId, String>,
    taken: HashSet<String>,
    queue: Vec<FunctionId>,
    uses_total_order: bool,
}

impl Writer<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.lines
            .push(format!("{}{}", "    ".repeat(self.indent), text.as_ref()));
    }

    /// Python name of a function; the function is written in its turn.
    fn name(&mut self, id: FunctionId) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let plain: String = self
            .program
            .function(id)
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .collect();
        let mut name = if id == self.program.entry {
            "main".to_string()
        } else {
            format!("f_{plain}")
        };
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        self.names.insert(id, name.clone());
        self.queue.push(id);
        name
    }

    fn function(&mut self, id: FunctionId) -> Result<(), Error> {
        let name = self.name(id);
        self.lines.push(String::new());
        self.definition(&name, self.program.function(id).body)?;
        self.lines.push(String::new());
        Ok(())
    }

    /// `def name(arguments):` with the ops of a region. One result is returned bare, none or several as a tuple.
    fn definition(&mut self, name: &str, region: RegionId) -> Result<(), Error> {
        if self.indent > 16 {
            // Python has a limit of 20 nested blocks.
            return Err(Error::unsupported(
                "a JAX script of regions nested this deeply",
            ));
        }
        let arguments: Vec<String> = self
            .program
            .region(region)
            .arguments
            .iter()
            .map(|v| value(*v))
            .collect();
        self.line(format!("def {name}({}):", arguments.join(", ")));
        self.indent += 1;
        for id in &self.program.region(region).ops {
            let o = self.program.op(*id);
            if !o.op.is_return() {
                self.op(*id).map_err(|e| e.at(&o.location))?;
            }
        }
        let returned = bundle(self.program.returned(region));
        self.line(format!("return {returned}"));
        self.indent -= 1;
        Ok(())
    }

    /// Defines the function of a region and gives its name.
    fn region(&mut self, id: OpId, number: usize) -> Result<String, Error> {
        let region = self.program.op(id).regions.get(number).copied();
        let region = region.ok_or_else(|| Error::internal("a region is missing"))?;
        let name = format!("r{}", region.0);
        self.definition(&name, region)?;
        Ok(name)
    }

    /// Adds the statement that computes the results of an op.
    fn op(&mut self, id: OpId) -> Result<(), Error> {
        let o = self.program.op(id);
        let attributes = o.op.to_attributes();
        let expression = match self.structured(id, &Fields(&attributes))? {
            Some(text) => text,
            None => self.expression(id, &Fields(&attributes))?,
        };
        let comment = o
            .location
            .position
            .as_ref()
            .map(|p| format!("  # {}:{}", p.file, p.line))
            .unwrap_or_default();
        let results: Vec<String> = o.results.iter().map(|v| value(*v)).collect();
        match results.as_slice() {
            [] => self.line(format!("{expression}{comment}")),
            all => self.line(format!("{} = {expression}{comment}", all.join(", "))),
        }
        Ok(())
    }

    fn operands(&self, id: OpId) -> Vec<String> {
        self.program
            .op(id)
            .operands
            .iter()
            .map(|v| value(*v))
            .collect()
    }

    /// Tensor type of operand `i`.
    fn operand_type(&self, id: OpId, i: usize) -> Result<TensorType, Error> {
        let v = self
            .program
            .op(id)
            .operands
            .get(i)
            .ok_or_else(|| Error::internal("an operand is missing"))?;
        tensor(self.program.ty(*v))
    }

    /// Tensor type of result `i`.
    fn result_type(&self, id: OpId, i: usize) -> Result<TensorType, Error> {
        let v = self
            .program
            .op(id)
            .results
            .get(i)
            .ok_or_else(|| Error::internal("a result is missing"))?;
        tensor(self.program.ty(*v))
    }
}

fn value(v: ValueId) -> String {
    format!("v{}", v.0)
}

/// One value bare, none or several as a tuple.
fn bundle(values: &[ValueId]) -> String {
    match values {
        [one] => value(*one),
        all => format!(
            "({})",
            all.iter().map(|v| value(*v)).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// A Python tuple.
fn tuple<T: std::fmt::Display>(items: &[T]) -> String {
    match items {
        [one] => format!("({one},)"),
        all => format!(
            "({})",
            all.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
        ),
    }
}

fn tensor(ty: &Type) -> Result<TensorType, Error> {
    match ty {
        Type::Tensor(t) => Ok((**t).clone()),
        Type::Token | Type::Tuple(_) => Err(Error::unsupported(
            "a JAX script of a program with tokens or tuples",
        )),
    }
}

fn shape(t: &TensorType) -> Result<String, Error> {
    let dims = t
        .static_dims()
        .ok_or_else(|| Error::unsupported("a JAX script of a program with dynamic shapes"))?;
    Ok(tuple(&dims))
}

/// The element type as JAX names it.
pub fn dtype(element: &ElementType) -> Result<&'static str, Error> {
    Ok(match element {
        ElementType::I1 => "jnp.bool_",
        ElementType::I2 => "jnp.int2",
        ElementType::I4 => "jnp.int4",
        ElementType::I8 => "jnp.int8",
        ElementType::I16 => "jnp.int16",
        ElementType::I32 => "jnp.int32",
        ElementType::I64 => "jnp.int64",
        ElementType::U2 => "jnp.uint2",
        ElementType::U4 => "jnp.uint4",
        ElementType::U8 => "jnp.uint8",
        ElementType::U16 => "jnp.uint16",
        ElementType::U32 => "jnp.uint32",
        ElementType::U64 => "jnp.uint64",
        ElementType::F4E2M1FN => "jnp.float4_e2m1fn",
        ElementType::F8E3M4 => "jnp.float8_e3m4",
        ElementType::F8E4M3 => "jnp.float8_e4m3",
        ElementType::F8E4M3FN => "jnp.float8_e4m3fn",
        ElementType::F8E4M3FNUZ => "jnp.float8_e4m3fnuz",
        ElementType::F8E4M3B11FNUZ => "jnp.float8_e4m3b11fnuz",
        ElementType::F8E5M2 => "jnp.float8_e5m2",
        ElementType::F8E5M2FNUZ => "jnp.float8_e5m2fnuz",
        ElementType::F8E8M0FNU => "jnp.float8_e8m0fnu",
        ElementType::BF16 => "jnp.bfloat16",
        ElementType::F16 => "jnp.float16",
        ElementType::F32 => "jnp.float32",
        ElementType::F64 => "jnp.float64",
        ElementType::C64 => "jnp.complex64",
        ElementType::C128 => "jnp.complex128",
        other @ (ElementType::F6E2M3FN | ElementType::F6E3M2FN | ElementType::Quantized(_)) => {
            return Err(Error::unsupported(format!(
                "a JAX script with element type {other}"
            )));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::hlo_text;

    fn script(body: &str, entry: &str) -> String {
        let text = format!("HloModule m\n{body}\nENTRY main {{\n{entry}\n}}");
        functions(&hlo_text::parse(&text, "t").unwrap())
            .unwrap()
            .split_off(IMPORTS.len())
            .trim()
            .to_string()
    }

    #[test]
    fn regions_become_inner_functions() {
        let sum =
            "sum {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}";
        let got = script(
            sum,
            "x = f32[2,3]{1,0} parameter(0)\nz = f32[] constant(-0.5)\nROOT r = f32[2]{0} reduce(x, z), dimensions={1}, to_apply=sum",
        );
        let want = "def main(v0):
    v1 = np.array(-0.5, jnp.float32)  # t:9
    def r1(v2, v3):
        v4 = lax.add(v2, v3)  # t:5
        return v4
    v5 = lax.reduce(v0, v1, r1, (1,))  # t:10
    return v5";
        assert_eq!(got, want);
    }

    #[test]
    fn constants_keep_their_bits() {
        let got = script("", "ROOT c = bf16[2]{0} constant({0.1001, nan})");
        assert!(
            got.contains("np.frombuffer(bytes.fromhex(\"cd3dc07f\"), jnp.bfloat16).reshape((2,))"),
            "{got}"
        );
    }

    #[test]
    fn bitcasts_follow_the_memory_order() {
        let got = script(
            "",
            "x = f32[2,3]{0,1} parameter(0)\nROOT b = f32[6]{0} bitcast(x)",
        );
        assert!(
            got.contains("v1 = lax.reshape(lax.transpose(v0, (1, 0)), (6,))"),
            "{got}"
        );
    }

    #[test]
    fn a_comparator_of_its_own_kind_is_refused() {
        let odd = "odd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = pred[] compare(a, b), direction=LT\n}";
        let entry =
            "x = f32[4]{0} parameter(0)\nROOT r = f32[4]{0} sort(x), dimensions={0}, to_apply=odd";
        let total = odd.replace("direction=LT", "direction=GT, type=TOTALORDER");
        assert!(script(&total, entry).contains(
            "lax.sort((lax.bitwise_not(total_order(v0)), v0), 0, False, num_keys=1)[1:][0]"
        ));
        let text = format!("HloModule m\n{odd}\nENTRY main {{\n{entry}\n}}");
        let refused = functions(&hlo_text::parse(&text, "t").unwrap());
        assert!(matches!(refused, Err(Error::Unsupported { .. })));
    }
}
