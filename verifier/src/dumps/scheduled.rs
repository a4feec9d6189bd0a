//! Runs scheduled modules on XLA as they are. Arrays cross the boundary in the memory order of their layouts, so that the modules' own are row-major.

use crate::isolate::extract::{in_memory, major_to_minor};
use serde_json::Value as Json;
use tileproof_dialect::{
    error::Error,
    export,
    program::{Program, ValueId},
    tensor::{Tensor, row_major_strides},
    types::{TensorType, Type},
};
use tileproof_runtime::{
    grid::Devices,
    xla::{Ended, Failure, Form, Request, Xla, tensor_types},
};

/// Values and the types they have in the program a module was cut from.
pub struct Ends<'a> {
    pub program: &'a Program,
    /// Processes that run the module.
    pub devices: Devices,
    pub parameters: &'a [ValueId],
    pub results: &'a [ValueId],
}

/// Runs a module cut out of a program ([`crate::isolate::extract`]), once: its first results are those of `ends`, further ones are of the types `shown`
/// there. Arguments and results are row-major, a list for each process.
pub fn run_part(
    xla: &Xla,
    module: &Program,
    ends: &Ends<'_>,
    shown: &[ValueId],
    inputs: &[Vec<Tensor>],
) -> Result<Result<Vec<Vec<Tensor>>, Failure>, Error> {
    let text = export::hlo_text::print(module)?;
    let results: Vec<ValueId> = ends.results.iter().chain(shown).copied().collect();
    let ends = Ends {
        results: &results,
        ..*ends
    };
    let runs = run(xla, &text, &ends, inputs, 1)?;
    Ok(runs.map(|mut runs| runs.swap_remove(0)))
}

/// Results of each run, of each process.
pub type Runs = Vec<Vec<Vec<Tensor>>>;

/// Runs the module `text`, whose arguments and results are those of `ends` in memory order. Gives the results of every run on every process.
pub fn run(
    xla: &Xla,
    text: &str,
    ends: &Ends<'_>,
    inputs: &[Vec<Tensor>],
    runs: u32,
) -> Result<Result<Runs, Failure>, Error> {
    let ended = xla.run(&request(
        text,
        ends,
        &in_memory_order(ends, inputs),
        &result_types(ends)?,
        &[],
        runs,
    ))?;
    match ended {
        Ended::Failed(failure) => Ok(Err(failure)),
        Ended::Returned(all) => {
            let of_device = |device: Vec<Tensor>| {
                let ty = |v: &ValueId| ends.program.ty(*v);
                let row_major = |(t, v)| from_memory(t, ty(v));
                device.iter().zip(ends.results).map(row_major).collect()
            };
            let of_run = |run: Vec<Vec<Tensor>>| run.into_iter().map(of_device).collect();
            Ok(Ok(all.into_iter().map(of_run).collect()))
        }
    }
}

/// Arguments of each process as the module takes them.
pub(super) fn in_memory_order(ends: &Ends<'_>, inputs: &[Vec<Tensor>]) -> Vec<Vec<Tensor>> {
    let of_device = |device: &Vec<Tensor>| {
        let ty = |v: &ValueId| ends.program.ty(*v);
        let all = device.iter().zip(ends.parameters);
        all.map(|(t, v)| to_memory(t, ty(v))).collect()
    };
    inputs.iter().map(of_device).collect()
}

fn result_types(ends: &Ends<'_>) -> Result<Vec<TensorType>, Error> {
    let in_memory = |v: &ValueId| in_memory(ends.program.ty(*v));
    tensor_types(&ends.results.iter().map(in_memory).collect::<Vec<_>>())
}

fn request<'a>(
    text: &'a str,
    ends: &Ends<'_>,
    arguments: &'a [Vec<Tensor>],
    results: &'a [TensorType],
    options: &'a [(String, Json)],
    runs: u32,
) -> Request<'a> {
    Request {
        form: Form::OptimizedHlo,
        text,
        options,
        replicas: ends.devices.replicas,
        partitions: ends.devices.partitions,
        arguments,
        results,
        runs,
    }
}

/// The elements in memory order.
pub(super) fn to_memory(t: &Tensor, ty: &Type) -> Tensor {
    let Some(order) = major_to_minor(ty) else {
        return t.clone();
    };
    let strides = row_major_strides(t.dims());
    let dims: Vec<u64> = order.iter().map(|d| t.dims()[*d]).collect();
    let strides: Vec<i64> = order.iter().map(|d| strides[*d]).collect();
    t.strided(&dims, 0, &strides)
}

/// The elements in row-major order from memory order.
pub(super) fn from_memory(t: &Tensor, ty: &Type) -> Tensor {
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
