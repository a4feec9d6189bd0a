//! Runs a kernel before and after the passes and compares.

use std::sync::Arc;
use tileproof_dialect::{
    error::Error,
    eval::{Events, Stop},
    planes::{Planes, ring},
    stage::Stage,
    tensor::{Tensor, Value},
    tpu::{Kernel, KernelRegion, KernelType, KernelValue, MemorySpace, Role, TpuOp},
    types::{Class, ElementType},
};
use tileproof_lowering::{pass::Run, target::TpuTarget, tpu};
use tileproof_runtime::{
    inputs,
    limits::Limits,
    simulator::{self, Depth, Plan, Simulation},
};
use tileproof_verifier::checkers::vmem;

/// What is wrong with any of the kernel's later forms.
pub fn through_all_passes(kernel: &Kernel, target: &TpuTarget) -> Vec<String> {
    let mut problems = vec![];
    let arguments = arguments(kernel);
    let want = match outputs(kernel, &arguments) {
        Ok(want) => want,
        Err(stop) => return vec![format!("@{}: {stop}", kernel.name)],
    };
    let mut now = kernel.clone();
    for pass in [
        &tpu::pipeline_windows::PASS,
        &tpu::assign_vmem::PASS,
        &tpu::apply_vector_layout::PASS,
    ] {
        let Run::Kernel(run) = pass.run else {
            return vec![format!("{} takes no kernels", pass.name)];
        };
        if now.stage != pass.input {
            continue;
        }
        now = match run(&now, target) {
            Ok(after) => after,
            Err(error) => return vec![format!("@{}: {}: {error}", kernel.name, pass.name)],
        };
        let name = format!("@{} after {}", kernel.name, pass.name);
        problems.extend(now.verify().iter().map(|d| format!("{name}: {d}")));
        if now.stage == Stage::S5 {
            problems.extend(blocks_left(&now).map(|what| format!("{name}: {what}")));
        }
        match outputs(&now, &arguments) {
            Err(stop) => problems.push(format!("{name}: {stop}")),
            Ok(got) => {
                for (i, (want, got)) in want.iter().zip(&got).enumerate() {
                    if let Some(wrong) = difference(want, got) {
                        problems.push(format!("{name}: output {i}: {wrong}"));
                    }
                }
            }
        }
        match hazards(&now, &arguments, target) {
            Ok(found) => problems.extend(found.into_iter().map(|h| format!("{name}: {h}"))),
            Err(error) => problems.push(format!("{name}: {error}")),
        }
        if now.stage == Stage::S5 || pass.name == tpu::assign_vmem::PASS.name {
            let faults = vmem::check(&now, target);
            problems.extend(faults.into_iter().map(|f| format!("{name}: {f:?}")));
        }
        if let Some(problem) = problems.last() {
            return vec![format!("{problem}\n{}", listing(&now))];
        }
    }
    if now.stage != Stage::S5 {
        problems.push(format!("@{} ends at {}", kernel.name, now.stage));
    }
    problems
}

/// A vector that is no register, other than what the matrix unit and transposes take.
fn blocks_left(kernel: &Kernel) -> Option<String> {
    let mut found = None;
    kernel.walk(&mut |o| {
        for v in &o.results {
            let KernelType::Vector { dims, .. } = kernel.ty(*v) else {
                continue;
            };
            let rolled = matches!(
                o.op,
                TpuOp::RollVectors | TpuOp::Transpose { .. } | TpuOp::Matmul { .. }
            );
            if !rolled && !matches!(dims[..], [8, 128] | [8, 128, 2 | 4 | 8]) {
                found.get_or_insert(format!("{} gives {}", o.op.name(), kernel.ty(*v)));
            }
        }
    });
    found
}

/// Small integers, so that sums are exact in every order; residues of a hash.
fn arguments(kernel: &Kernel) -> Vec<Tensor> {
    let mut out = vec![];
    let given = [Role::Prefetch, Role::Input];
    let operands = kernel.operands.iter().filter(|o| given.contains(&o.role));
    for (i, o) in operands.enumerate() {
        let dims = o.buffer.static_dims().unwrap_or_default();
        let element = o.buffer.data().cloned().unwrap_or(ElementType::F32);
        let n = dims.iter().product::<u64>();
        let values: Vec<i64> = (0..n)
            .map(|at| {
                let h = ring::input(7, i as u64, at);
                match (o.role, element.class()) {
                    (Role::Prefetch, _) => i64::from(h % 4),
                    (_, Class::Boolean) => i64::from(h % 2),
                    (_, Class::Unsigned) => i64::from(h % 8),
                    _ => i64::from(h % 9) - 4,
                }
            })
            .collect();
        let t = Value::from(Tensor::from_i64s(&dims, &element, &values));
        let t = inputs::with_ring(&t, 3, i as u64);
        out.extend(t.as_tensor().cloned());
    }
    out
}

fn outputs(kernel: &Kernel, arguments: &[Tensor]) -> Result<Vec<Tensor>, String> {
    let plan = Plan::new(&Arc::new(kernel.clone()), Planes::IeeeAndRing).map_err(words)?;
    let mut events = Events::default();
    let out = simulator::run(
        &plan,
        arguments,
        Planes::IeeeAndRing,
        &Simulation::default(),
        &Limits::default(),
        &mut events,
    )
    .map_err(words)?;
    Ok(out.outputs)
}

fn hazards(
    kernel: &Kernel,
    arguments: &[Tensor],
    target: &TpuTarget,
) -> Result<Vec<String>, String> {
    let plan = Plan::new(&Arc::new(kernel.clone()), Planes::IeeeOnly).map_err(words)?;
    let capacities = [
        (MemorySpace::Vmem, target.vmem_bytes),
        (MemorySpace::Smem, target.smem_bytes),
    ];
    let found = simulator::hazards(
        &plan,
        arguments,
        Depth::Full,
        11,
        &capacities,
        &Limits::default(),
    )
    .map_err(words)?;
    Ok(found.iter().map(|h| format!("{h:?}")).collect())
}

fn words(stop: Stop) -> String {
    match stop {
        Stop::Trap(trap) => trap.to_string(),
        Stop::Failed(error @ (Error::InvalidProgram(_) | Error::Unsupported { .. })) => {
            error.to_string()
        }
        Stop::Failed(error @ Error::Internal(_)) => error.to_string(),
        Stop::Cancelled => "cancelled".to_string(),
    }
}

/// The first element that differs in bits or residue.
fn difference(want: &Tensor, got: &Tensor) -> Option<String> {
    if (want.dims(), want.element()) != (got.dims(), got.element()) {
        return Some(format!("want {}, got {}", want.ty(), got.ty()));
    }
    let size = want.element().storage_bytes();
    let (a, b) = (want.ieee().bytes(), got.ieee().bytes());
    let bits = a.chunks(size).zip(b.chunks(size)).position(|(a, b)| a != b);
    let residues = want
        .ring()
        .zip(got.ring())
        .and_then(|(a, b)| a.iter().zip(b).position(|(a, b)| a != b));
    let at = bits.or(residues)?;
    let (w, g) = (want.to_f64s()[at], got.to_f64s()[at]);
    let ring = want.ring().zip(got.ring()).map(|(a, b)| (a[at], b[at]));
    Some(format!(
        "element {at} of {}: want {w}, got {g}; residues {ring:?}",
        want.ty()
    ))
}

/// The ops of a kernel, one a line.
fn listing(kernel: &Kernel) -> String {
    let mut out = String::new();
    region(kernel, &kernel.body, 1, &mut out);
    out
}

fn region(kernel: &Kernel, r: &KernelRegion, depth: usize, out: &mut String) {
    let names = |values: &[KernelValue]| {
        let all: Vec<String> = values
            .iter()
            .map(|v| format!("%{}: {}", v.0, kernel.ty(*v)))
            .collect();
        all.join(", ")
    };
    let pad = "  ".repeat(depth);
    for o in &r.ops {
        if out.len() > 20_000 {
            return;
        }
        let what = match &o.op {
            TpuOp::Constant(literal) => match literal.splat_value() {
                Some(value) => format!("constant {:?}", value.to_f64s()),
                None => "constant ..".to_string(),
            },
            other => format!("{other:?}"),
        };
        let operands: Vec<String> = o.operands.iter().map(|v| format!("%{}", v.0)).collect();
        *out += &format!(
            "{pad}{} <- {what}({})\n",
            names(&o.results),
            operands.join(", ")
        );
        for inner in &o.regions {
            *out += &format!("{pad}^({})\n", names(&inner.arguments));
            region(kernel, inner, depth + 1, out);
        }
    }
}
