//! Native code of kernels by both generators against the simulator, bit for bit: hand-made kernels for the ways windows move, random ones for the ops on
//! vectors, every elementwise op on special values; and code with a planted fault, which must be found.

#[path = "native/elementwise.rs"]
mod elementwise;
#[path = "kernels/random.rs"]
mod random;
#[path = "kernels/windows.rs"]
mod windows;

use std::sync::Arc;
use tileproof_dialect::{
    eval::Events,
    hlo,
    planes::{Planes, ring},
    stage::Stage,
    tensor::{Tensor, Value},
    tpu::{Kernel, KernelRegion, Role, TpuOp},
    types::{Class, ElementType},
};
use tileproof_lowering::{pass::Run, target, tpu};
use tileproof_runtime::{
    limits::Limits,
    native::kernel::{Generator, NotCompiled, compile},
    simulator::{self, Plan, Simulation},
};
use tileproof_verifier::compare::bits;

/// The kernel at stage S5.
fn lowered(kernel: &Kernel) -> Result<Kernel, String> {
    let mut now = kernel.clone();
    for pass in [
        &tpu::pipeline_windows::PASS,
        &tpu::assign_vmem::PASS,
        &tpu::apply_vector_layout::PASS,
    ] {
        let Run::Kernel(run) = pass.run else {
            return Err(format!("{} takes no kernels", pass.name));
        };
        if now.stage == pass.input {
            now = run(&now, target::DEFAULT).map_err(|e| e.to_string())?;
        }
    }
    Ok(now)
}

/// Numbers of both signs, and all bits of integers. In registers with fractions; whole before, where the simulator sums small products in other orders.
fn arguments(kernel: &Kernel) -> Vec<Tensor> {
    let parts = if kernel.stage == Stage::S5 {
        256.0
    } else {
        1.0
    };
    let given = [Role::Prefetch, Role::Input];
    let operands = kernel.operands.iter().filter(|o| given.contains(&o.role));
    let one = |(i, o): (usize, &tileproof_dialect::tpu::KernelOperand)| {
        let dims = o.buffer.static_dims().unwrap_or_default();
        let element = o.buffer.data().cloned().unwrap_or(ElementType::F32);
        let n = dims.iter().product::<u64>();
        let hashes = (0..n).map(|at| ring::input(13, i as u64, at));
        if element.is_float() {
            let all = hashes.map(|h| (f64::from(h % 4096) / 256.0 - 8.0) * parts);
            let all: Vec<f64> = all.map(|x| x.floor() / parts).collect();
            return Tensor::from_f64s(&dims, &element, &all);
        }
        let all: Vec<i64> = hashes
            .map(|h| match (o.role, element.class()) {
                (Role::Prefetch, _) => i64::from(h % 4),
                (_, Class::Boolean) => i64::from(h % 2),
                (_, _) => i64::from(h),
            })
            .collect();
        Tensor::from_i64s(&dims, &element, &all)
    };
    operands.enumerate().map(one).collect()
}

fn simulated(kernel: &Arc<Kernel>, arguments: &[Tensor]) -> Vec<Tensor> {
    let plan = Plan::new(kernel, Planes::IeeeOnly).unwrap();
    let (limits, mut events) = (Limits::default(), Events::default());
    let how = Simulation::default();
    let planes = Planes::IeeeOnly;
    simulator::run(&plan, arguments, planes, &how, &limits, &mut events)
        .unwrap()
        .outputs
}

/// What is different between the code and these outputs; `Err`: no code.
fn difference(
    kernel: &Arc<Kernel>,
    generator: Generator,
    arguments: &[Tensor],
    want: &[Tensor],
) -> Result<Option<String>, NotCompiled> {
    let code = compile(kernel, generator)?;
    let got = match code.run(arguments) {
        Ok(outcome) => outcome.outputs,
        Err(fault) => return Ok(Some(fault.to_string())),
    };
    assert_eq!(want.len(), got.len());
    let values = |all: &[Tensor]| all.iter().cloned().map(Value::from).collect::<Vec<_>>();
    let first = bits::first_difference(&values(want), &values(&got));
    Ok(first.map(|d| {
        format!(
            "output {} element {:?}: want {} ({}), got {} ({}), {} of {}",
            d.output, d.index, d.want, d.want_bits, d.got, d.got_bits, d.differing, d.total
        )
    }))
}

/// What both generators' code of a kernel gets wrong.
fn problems(kernel: &Kernel) -> Vec<String> {
    let kernel = Arc::new(kernel.clone());
    let arguments = arguments(&kernel);
    let want = simulated(&kernel, &arguments);
    let one = |generator: Generator| {
        let name = format!("@{} by {}", kernel.name, generator.name());
        match difference(&kernel, generator, &arguments, &want) {
            Ok(None) => None,
            Ok(Some(what)) => Some(format!("{name}: {what}")),
            Err(why) => Some(format!("{name}: {why}")),
        }
    };
    Generator::ALL.into_iter().filter_map(one).collect()
}

#[test]
fn windows_in_registers_agree() {
    let mut found = vec![];
    for kernel in windows::all() {
        let kernel = lowered(&kernel).unwrap();
        assert_eq!(kernel.stage, Stage::S5);
        found.extend(problems(&kernel));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn random_vectors_agree_before_and_after_they_become_registers() {
    let (mut found, mut compared) = (vec![], 0);
    for seed in 0..24 {
        let kernel = random::kernel(seed);
        found.extend(problems(&kernel));
        compared += 1;
        // What has too many registers has no stage S5.
        if let Ok(kernel) = lowered(&kernel) {
            found.extend(problems(&kernel));
            compared += 1;
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(compared > 40, "{compared}");
}

#[test]
fn elementwise_ops_agree_on_special_values() {
    let mut found = vec![];
    for kernel in elementwise::all() {
        found.extend(problems(&kernel));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Puts `change` into the first op of a region that it changes.
fn planted(region: &mut KernelRegion, change: &dyn Fn(&mut TpuOp) -> bool) -> bool {
    region
        .ops
        .iter_mut()
        .any(|o| change(&mut o.op) || o.regions.iter_mut().any(|r| planted(r, change)))
}

#[test]
fn a_planted_fault_differs() {
    let wrong_sum = |op: &mut TpuOp| match op {
        TpuOp::Elementwise(hlo::Op::Add(_)) => {
            *op = TpuOp::Elementwise(hlo::subtract::Subtract.into());
            true
        }
        _ => false,
    };
    let (mut planted_in, mut missed) = (0, vec![]);
    for kernel in windows::all().into_iter().take(8) {
        let right = Arc::new(lowered(&kernel).unwrap());
        let mut wrong = (*right).clone();
        if !planted(&mut wrong.body, &wrong_sum) {
            continue;
        }
        planted_in += 1;
        let arguments = arguments(&right);
        let want = simulated(&right, &arguments);
        let wrong = Arc::new(wrong);
        for generator in Generator::ALL {
            // Index arithmetic that goes wrong may stop the code; that is a difference too. No code finds nothing.
            match difference(&wrong, generator, &arguments, &want) {
                Ok(Some(_)) => {}
                Ok(None) => missed.push(format!("@{} by {}", right.name, generator.name())),
                Err(why) => missed.push(format!("@{}: {why}", right.name)),
            }
        }
    }
    assert!(planted_in >= 4, "{planted_in}");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn a_window_has_no_code() {
    let kernel = Arc::new(windows::all().remove(0));
    assert_eq!(kernel.stage, Stage::S3);
    for generator in Generator::ALL {
        let refused = compile(&kernel, generator).map(|_| ()).unwrap_err();
        assert!(matches!(&refused, NotCompiled::Unsupported(w) if w.contains("window")));
        assert!(refused.to_string().starts_with("Unsupported{"), "{refused}");
    }
}
