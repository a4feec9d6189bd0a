//! Runs scheduled modules on XLA as they are. Arrays cross the boundary in the memory order of their layouts, so that the modules' own are row-major.

use crate::isolate::extract::{in_memory, major_to_minor};
use tileproof_dialect::{
    error::Error,
    export,
    program::{Program, ValueId},
    tensor::{Tensor, row_major_strides},
    types::Type,
};
use tileproof_runtime::xla::{Ended, Failure, Form, Request, Xla, tensor_types};

/// Values and the types they have in the program a module was cut from.
pub struct Ends<'a> {
    pub program: &'a Program,
    pub parameters: &'a [ValueId],
    pub results: &'a [ValueId],
}

/// Runs a module cut out of a program ([`crate::isolate::extract`]), once: its first results are those of `ends`, further ones are of the types `shown`
/// there. Arguments and results are row-major.
pub fn run_part(
    xla: &Xla,
    module: &Program,
    ends: &Ends<'_>,
    shown: &[ValueId],
    inputs: &[Tensor],
) -> Result<Result<Vec<Tensor>, Failure>, Error> {
    let text = export::hlo_text::print(module)?;
    let results: Vec<ValueId> = ends.results.iter().chain(shown).copied().collect();
    let ends = Ends {
        program: ends.program,
        parameters: ends.parameters,
        results: &results,
    };
    let runs = run(xla, &text, &ends, inputs, 1)?;
    Ok(runs.map(|mut runs| runs.swap_remove(0)))
}

/// Runs the module `text`, whose arguments and results are those of `ends` in memory order. Gives the results of every run.
pub fn run(
    xla: &Xla,
    text: &str,
    ends: &Ends<'_>,
    inputs: &[Tensor],
    runs: u32,
) -> Result<Result<Vec<Vec<Tensor>>, Failure>, Error> {
    let program = ends.program;
    let inputs: Vec<Tensor> = inputs
        .iter()
        .zip(ends.parameters)
        .map(|(t, v)| to_memory(t, program.ty(*v)))
        .collect();
    let types: Vec<Type> = ends
        .results
        .iter()
        .map(|v| in_memory(program.ty(*v)))
        .collect();
    let ended = xla.run(&Request {
        form: Form::OptimizedHlo,
        text,
        options: &[],
        replicas: u64::from(program.num_replicas),
        partitions: u64::from(program.num_partitions),
        arguments: &[inputs],
        results: &tensor_types(&types)?,
        runs,
    })?;
    match ended {
        Ended::Failed(failure) => Ok(Err(failure)),
        Ended::Returned(all) => Ok(Ok(all
            .into_iter()
            .map(|mut devices| {
                let first = if devices.is_empty() {
                    vec![]
                } else {
                    devices.swap_remove(0)
                };
                first
                    .iter()
                    .zip(ends.results)
                    .map(|(t, v)| from_memory(t, program.ty(*v)))
                    .collect()
            })
            .collect())),
    }
}

/// The elements in memory order.
fn to_memory(t: &Tensor, ty: &Type) -> Tensor {
    let Some(order) = major_to_minor(ty) else {
        return t.clone();
    };
    let strides = row_major_strides(t.dims());
    let dims: Vec<u64> = order.iter().map(|d| t.dims()[*d]).collect();
    let strides: Vec<i64> = order.iter().map(|d| strides[*d]).collect();
    t.strided(&dims, 0, &strides)
}

/// The elements in row-major order from memory order.
fn from_memory(t: &Tensor, ty: &Type) -> Tensor {
    let Some(order) = major_to_minor(ty) else {
        return t.clone();
    };
    let memory = row_major_strides(t.dims());
    let mut dims = vec![0; order.len()];
    let mut strides = vec![0; order.len()];
    for (i, d) in order.iter().enumerate() {
        dims[*d] = t.dims()[i];
        strides[*d] = memory[i];
    }
    t.strided(&dims, 0, &strides)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::types::{ElementType, Layout};

    #[test]
    fn memory_order_and_back() {
        let t = Tensor::from_slice(&[2, 3], ElementType::I32, &[1i32, 2, 3, 4, 5, 6]);
        let mut ty = t.ty();
        ty.layout = Some(Layout {
            minor_to_major: vec![0, 1],
            tiles: vec![],
        });
        let ty: Type = ty.into();
        let memory = to_memory(&t, &ty);
        assert_eq!(
            (memory.dims(), memory.as_slice::<i32>()),
            (&[3, 2][..], &[1, 4, 2, 5, 3, 6][..])
        );
        assert_eq!(from_memory(&memory, &ty), t);
    }
}
