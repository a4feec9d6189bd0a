//! Writes a program as HLO text that XLA's parser reads.
//!
//! Regions and functions become computations, several results a tuple and its elements, values that loop bodies and branches capture become
//! operands. Reading the text back gives the same structure for programs that came from HLO. Where HLO has no instruction for an op, it is
//! written with others that mean the same (`square`, a broadcast that repeats dimensions of size 1, a select with one predicate, large splats)
//! or the export is `Unsupported`.

mod attributes;
mod computation;
pub(super) mod contraction;
mod custom_call;
pub(super) mod fields;
mod forms;
mod instruction;
mod literal;

use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    import::hlo_text::syntax::{join, list, shape},
    program::{AliasKind, Function, Program},
    types::Type,
};
use std::fmt::Write;

/// The program as one HLO module.
pub fn print(program: &Program) -> Result<String, Error> {
    let mut printer = computation::Printer::new(program);
    printer.entry()?;
    let mut out = header(program);
    out.push_str(&printer.text);
    Ok(out)
}

fn header(program: &Program) -> String {
    let mut out = format!("HloModule {}", identifier(&program.name));
    let main = program.main();
    for (name, value) in &program.attributes.0 {
        if let (Some(name), Attribute::Str(text)) = (name.strip_prefix("hlo."), value) {
            let _ = write!(out, ", {name}={text}");
        }
    }
    if !main.aliases.is_empty() {
        let output = |n: u32| {
            if main.results.len() == 1 {
                "{}".to_string()
            } else {
                format!("{{{n}}}")
            }
        };
        let kind = |k: AliasKind| match k {
            AliasKind::May => "may-alias",
            AliasKind::Must => "must-alias",
        };
        let entries: Vec<String> = main
            .aliases
            .iter()
            .map(|a| {
                format!(
                    "{}: ({}, {{}}, {})",
                    output(a.output),
                    a.parameter,
                    kind(a.kind)
                )
            })
            .collect();
        let _ = write!(out, ", input_output_alias={{ {} }}", entries.join(", "));
    }
    let donors = donors(main);
    if !donors.is_empty() {
        let _ = write!(out, ", buffer_donor={{ {} }}", join(&donors, ", "));
    }
    let parameters: Vec<String> = program.parameter_types().iter().map(shape).collect();
    let _ = write!(
        out,
        ", entry_computation_layout={{({})->{}}}",
        parameters.join(", "),
        shape(&result_type(&main.results))
    );
    if program.num_replicas > 1 {
        let _ = write!(out, ", replica_count={}", program.num_replicas);
    }
    if program.num_partitions > 1 {
        let _ = write!(out, ", num_partitions={}", program.num_partitions);
    }
    out.push_str("\n\n");
    out
}

/// Donated parameters that no output is tied to.
fn donors(main: &Function) -> Vec<String> {
    let is_donor = |a: &Attributes| {
        a.get("jax.buffer_donor")
            .is_some_and(|v| matches!(v, Attribute::Bool(true) | Attribute::Unit))
    };
    let tied = |i: usize| main.aliases.iter().any(|a| a.parameter as usize == i);
    main.parameter_attributes
        .iter()
        .enumerate()
        .filter(|(i, a)| is_donor(a) && !tied(*i))
        .map(|(i, _)| format!("({i}, {})", list::<u32>(&[])))
        .collect()
}

/// One type, or a tuple of none or several.
fn result_type(types: &[Type]) -> Type {
    match types {
        [one] => one.clone(),
        all => Type::tuple(all.to_vec()),
    }
}

/// A name that HLO text takes: letters, digits, `_`, `.`, `-`, not starting with a digit.
fn identifier(name: &str) -> String {
    let mut out: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') {
                c
            } else {
                '_'
            }
        })
        .collect();
    if !out.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        out.insert(0, '_');
    }
    out
}
