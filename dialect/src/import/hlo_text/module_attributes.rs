//! The header of an HLO module and what parameters of its entry say, as properties of the program.

use super::{
    attribute::{self, Attribute as Raw},
    cursor::Cursor,
    module::Module,
    shape::leaves,
    virtual_value::leaf_of,
};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    location::Location,
    program::{Alias, AliasKind, Program},
};

/// Sets process counts, aliases, donations and parameter attributes. What else the header holds is kept as text under `hlo.<name>`.
pub fn apply(module: &Module<'_>, program: &mut Program) -> Result<(), Error> {
    let unknown = Location::default();
    for a in &module.attributes {
        let mut c = module.cursor(a, &unknown);
        match &*a.name {
            "replica_count" => program.num_replicas = count(&mut c)?,
            "num_partitions" => program.num_partitions = count(&mut c)?,
            "input_output_alias" => {
                let aliases = aliases(&mut c, module)?;
                if let Some(f) = program.functions.first_mut() {
                    f.aliases = aliases;
                }
            }
            "buffer_donor" => {
                let donors = attribute::list(&mut c, |c| buffer(c, module))?;
                if let Some(f) = program.functions.first_mut() {
                    for d in donors {
                        if let Some(attributes) = f.parameter_attributes.get_mut(d as usize) {
                            attributes
                                .0
                                .insert("jax.buffer_donor".to_string(), Attribute::Bool(true));
                        }
                    }
                }
            }
            // Written anew from the program's own types and sizes.
            "entry_computation_layout" => {}
            other => {
                program
                    .attributes
                    .0
                    .insert(format!("hlo.{other}"), Attribute::Str(a.value.to_string()));
            }
        }
    }
    let Some(entry) = module.computations.get(module.entry) else {
        return Ok(());
    };
    let mut first = 0;
    for parameter in entry
        .parameters
        .iter()
        .filter_map(|i| entry.instructions.get(*i))
    {
        let count = leaves(&parameter.ty);
        let mut attributes = Attributes::new()
            .with("hlo.name", &*parameter.name)
            .with_some("hlo.op_name", parameter.op_name.as_deref());
        for Raw { name, value, .. } in &parameter.attributes {
            // MLIR takes attributes of a dialect alone on the arguments of a function.
            let name = match &**name {
                "sharding" => "mhlo.sharding".to_string(),
                other => format!("hlo.{other}"),
            };
            attributes.0.insert(name, Attribute::Str(value.to_string()));
        }
        if let Some(f) = program.functions.first_mut() {
            f.parameter_attributes
                .iter_mut()
                .skip(first)
                .take(count)
                .for_each(|a| a.0.extend(attributes.0.clone()));
        }
        first += count;
    }
    Ok(())
}

fn count(c: &mut Cursor<'_>) -> Result<u32, Error> {
    let n = c.int()?;
    u32::try_from(n)
        .ok()
        .filter(|n| *n > 0)
        .ok_or_else(|| c.error_at(0, "a number of processes must be positive"))
}

/// `{ {0}: (1, {}, may-alias), {1}: (2, {0}, must-alias) }`
fn aliases(c: &mut Cursor<'_>, module: &Module<'_>) -> Result<Vec<Alias>, Error> {
    let root = module
        .computations
        .get(module.entry)
        .and_then(|e| e.instructions.get(e.root));
    attribute::list(c, |c| {
        let at = c.at();
        let output = attribute::ints(c)?;
        let output = root.and_then(|r| leaf_of(&r.ty, &output));
        let output = output.ok_or_else(|| c.error_at(at, "this output does not exist"))?;
        c.expect(":")?;
        c.expect("(")?;
        let (parameter, path) = (c.int()?, {
            c.expect(",")?;
            attribute::ints(c)?
        });
        let kind = match c
            .eat(",")
            .then(|| c.expect_word("may-alias or must-alias"))
            .transpose()?
        {
            Some("must-alias") => AliasKind::Must,
            Some(_) | None => AliasKind::May,
        };
        c.expect(")")?;
        let parameter = parameter_leaf(module, parameter, &path)
            .ok_or_else(|| c.error_at(at, "this parameter does not exist"))?;
        Ok(Alias {
            output: output as u32,
            parameter,
            kind,
        })
    })
}

/// `(0, {1})`
fn buffer(c: &mut Cursor<'_>, module: &Module<'_>) -> Result<u32, Error> {
    let at = c.at();
    c.expect("(")?;
    let parameter = c.int()?;
    c.expect(",")?;
    let path = attribute::ints(c)?;
    c.expect(")")?;
    parameter_leaf(module, parameter, &path)
        .ok_or_else(|| c.error_at(at, "this parameter does not exist"))
}

/// Number among the leaves of all parameters.
fn parameter_leaf(module: &Module<'_>, parameter: i64, path: &[i64]) -> Option<u32> {
    let entry = module.computations.get(module.entry)?;
    let number = usize::try_from(parameter).ok()?;
    let ty = |n: &usize| entry.instructions.get(*n).map(|i| &i.ty);
    let before: usize = entry
        .parameters
        .iter()
        .take(number)
        .filter_map(ty)
        .map(leaves)
        .sum();
    let own = entry.parameters.get(number).and_then(ty)?;
    u32::try_from(before + leaf_of(own, path)?).ok()
}
