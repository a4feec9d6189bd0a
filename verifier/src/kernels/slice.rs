//! The ops of a kernel that some of its results hang on.
//!
//! Proves: what is left out reaches none of these results, in whatever order ops run. Cannot: tell elements of one buffer or turns of a loop apart; it says
//! of too many ops rather than of too few that they are reached.

use tileproof_dialect::tpu::{
    Kernel, KernelOperation, KernelValue, Role, TpuOp, op::SourceSemaphore,
};

/// The ops that results `results` (numbers among the outputs) hang on, in program order.
pub fn reaching<'k>(kernel: &'k Kernel, results: &[usize]) -> Vec<&'k KernelOperation> {
    let mut all = vec![];
    kernel.walk(&mut |o| all.push(o));
    let outputs: Vec<usize> = kernel.with_role(Role::Output).map(|(i, _)| i).collect();
    if (0..outputs.len()).all(|i| results.contains(&i)) {
        return all;
    }
    let mut needed = Needed(vec![false; kernel.types.len()]);
    for i in results.iter().filter_map(|r| outputs.get(*r)) {
        needed.add(kernel.operand_ref(*i));
    }
    // Against the order of the ops most of what a value hangs on is found at once; loops and memory take another turn.
    loop {
        let mut grew = false;
        for o in all.iter().rev() {
            grew |= needed.through(o);
        }
        if !grew {
            break;
        }
    }
    all.retain(|o| needed.reaches(o));
    all
}

/// Values that the results hang on; of a reference, what it refers to.
struct Needed(Vec<bool>);

impl Needed {
    fn has(&self, v: &KernelValue) -> bool {
        self.0.get(v.index()).is_some_and(|n| *n)
    }

    fn has_one(&self, all: &[KernelValue]) -> bool {
        all.iter().any(|v| self.has(v))
    }

    /// Whether it is new.
    fn add(&mut self, v: KernelValue) -> bool {
        let slot = self.0.get_mut(v.index()).filter(|n| !**n);
        slot.is_some_and(|n| {
            *n = true;
            true
        })
    }

    fn add_all(&mut self, all: &[KernelValue]) -> bool {
        let mut grew = false;
        for v in all {
            grew |= self.add(*v);
        }
        grew
    }

    /// Whether the results hang on what the op gives, or writes, or decides to run.
    fn reaches(&self, o: &KernelOperation) -> bool {
        let inner = o.regions.iter().flat_map(|r| &r.ops);
        written(o).is_some_and(|target| self.has(&target))
            || self.has_one(&o.results)
            || inner.into_iter().any(|o| self.reaches(o))
    }

    /// Adds what one op takes for what is needed of it. Whether that is more than before.
    fn through(&mut self, o: &KernelOperation) -> bool {
        let is_view = matches!(
            &o.op,
            TpuOp::MemRefSlice { .. }
                | TpuOp::MemRefSqueeze
                | TpuOp::MemRefReshape
                | TpuOp::MemRefBitcast
        );
        // What is written through another view of the memory is needed too.
        let viewed = o.operands.first().filter(|v| is_view && self.has(v));
        let mut grew = viewed.is_some() && self.add_all(&o.results);
        if self.reaches(o) {
            grew |= match (&o.op, &o.operands[..]) {
                (
                    TpuOp::EnqueueDma {
                        source_semaphore: SourceSemaphore::Absent,
                        ..
                    },
                    [source, target, ..],
                )
                | (TpuOp::EnqueueDma { .. }, [source, _, target, ..]) => {
                    self.add_all(&[*source, *target])
                }
                (_, all) => self.add_all(all),
            };
        }
        let ends = || o.regions.iter().filter_map(|r| r.ops.last());
        let carried = o.regions.iter().any(|r| self.has_one(&r.arguments));
        let runs_on = o.op == TpuOp::While && self.reaches(o);
        if carried || runs_on || self.has_one(&o.results) {
            grew |= self.add_all(&o.operands);
            for end in ends() {
                grew |= self.add_all(&end.operands);
            }
        }
        grew
    }
}

/// The reference an op writes to.
fn written(o: &KernelOperation) -> Option<KernelValue> {
    let at = match &o.op {
        TpuOp::Store { .. } | TpuOp::RegisterStore { .. } | TpuOp::ScalarStore => 1,
        TpuOp::EnqueueDma {
            source_semaphore: SourceSemaphore::Absent,
            ..
        } => 1,
        TpuOp::EnqueueDma {
            source_semaphore: SourceSemaphore::Present,
            ..
        } => 2,
        _ => return None,
    };
    o.operands.get(at).copied()
}

#[cfg(test)]
mod tests {
    use crate::kernels::rounding;
    use tileproof_dialect::{import::stablehlo, stage::Stage};
    use tileproof_lowering::{
        manager::{self, Options},
        pipeline,
        settings::Settings,
    };

    #[test]
    fn a_result_hangs_on_what_comes_before_it_alone() {
        // Sums of rows in f32, taken block by block; and half of them in f16.
        let text = "func.func @main(%a: tensor<16x512xf32>) -> (tensor<16xf32>, tensor<16xf16>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<16x512xf32>, tensor<f32>) -> tensor<16xf32>
  %h = stablehlo.constant dense<0.5> : tensor<16xf32>
  %1 = stablehlo.multiply %0, %h : tensor<16xf32>
  %2 = stablehlo.convert %1 : (tensor<16xf32>) -> tensor<16xf16>
  return %0, %2 : tensor<16xf32>, tensor<16xf16>
}";
        let program = stablehlo::parse(text, "test").unwrap();
        for block_bytes in [4096, 1 << 20] {
            let settings = Settings {
                block_bytes,
                ..Settings::default()
            };
            let options = Options {
                settings,
                ..Options::default()
            };
            let steps = manager::run(&program, &pipeline::up_to(Stage::S5), &options).unwrap();
            let mut seen = 0;
            for kernel in steps.iter().flat_map(|s| &s.program.kernels) {
                let names = |results: &[usize]| -> Vec<String> {
                    rounding::of(kernel, results).into_keys().collect()
                };
                assert_eq!(names(&[0]), ["f32"], "{}", kernel.stage);
                assert_eq!(names(&[1]), ["f16", "f32"], "{}", kernel.stage);
                assert_eq!(names(&[0, 1]), ["f16", "f32"], "{}", kernel.stage);
                seen += 1;
            }
            assert_eq!(seen, 4);
        }
    }
}
