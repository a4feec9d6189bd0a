//! What makes a kernel valid: SSA form over nested regions, terminators, signatures of body and index maps, and the type rule of every op.

use super::{
    infer::{KernelInferContext, KernelRegionType, infer},
    kernel::{Kernel, KernelOperand, KernelOperation, KernelRegion, KernelValue, Role},
    op::TpuOp,
    types::{KernelType, MemRefType, MemorySpace, RefElement},
};
use crate::{error::Diagnostic, location::Location, stage::Stage, types::Dim};
use std::sync::Arc;

impl Kernel {
    /// Every violated rule.
    pub fn verify(&self) -> Vec<Diagnostic> {
        let mut check = Check {
            kernel: self,
            defined: vec![false; self.types.len()],
            visible: vec![false; self.types.len()],
            out: vec![],
        };
        check.header();
        check.signature();
        check.region(&self.body, Terminator::Yield);
        check.yields(&self.body, &[], "the body");
        for (i, operand) in self.operands.iter().enumerate() {
            check.operand(i, operand);
        }
        check.out
    }
}

/// Which op must end a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Terminator {
    Yield,
    Condition,
}

struct Check<'k> {
    kernel: &'k Kernel,
    /// Values that some argument or result defines.
    defined: Vec<bool>,
    visible: Vec<bool>,
    out: Vec<Diagnostic>,
}

impl<'k> Check<'k> {
    fn complain(&mut self, message: impl std::fmt::Display, location: &Location) {
        let location = if location.is_unknown() {
            &self.kernel.location
        } else {
            location
        };
        let message = format!("kernel '{}': {message}", self.kernel.name);
        self.out.push(Diagnostic::new(message, location.clone()));
    }

    fn complain_here(&mut self, message: impl std::fmt::Display) {
        self.complain(message, &Location::default());
    }

    fn header(&mut self) {
        let kernel = self.kernel;
        match kernel.stage {
            Stage::S3 | Stage::S4 | Stage::S5 => {}
            Stage::S0 | Stage::S1 | Stage::S2 | Stage::S6 => {
                self.complain_here(format!(
                    "a kernel has stage S3, S4 or S5, not {}",
                    kernel.stage
                ));
            }
        }
        if kernel
            .operands
            .windows(2)
            .any(|pair| pair[0].role > pair[1].role)
        {
            self.complain_here(
                "operands must be prefetch, inputs, outputs, scratch, in this order",
            );
        }
    }

    /// The body's arguments: an i32 a grid dimension, a reference an operand.
    fn signature(&mut self) {
        let kernel = self.kernel;
        let (grid, arguments) = (kernel.grid.len(), &kernel.body.arguments);
        let want = grid + kernel.operands.len();
        if arguments.len() != want {
            return self.complain_here(format!(
                "the body has {} arguments, the grid and the operands make {want}",
                arguments.len()
            ));
        }
        for (i, argument) in arguments.iter().enumerate() {
            let Some(got) = kernel.types.get(argument.index()) else {
                continue;
            };
            if i < grid {
                if *got != KernelType::i32() {
                    self.complain_here(format!(
                        "body argument {i}, a grid index, must be an i32, not {got}"
                    ));
                }
                continue;
            }
            let operand = &kernel.operands[i - grid];
            let fits = got
                .as_memref()
                .is_some_and(|got| fits_operand(got, operand));
            if !fits {
                let want = KernelType::MemRef(Arc::new(operand.body_type()));
                self.complain_here(format!(
                    "body argument {i}, of operand {}, must be {want}, not {got}",
                    i - grid
                ));
            }
        }
    }

    fn operand(&mut self, i: usize, operand: &'k KernelOperand) {
        let buffer = &operand.buffer;
        let mut wrong = vec![];
        match operand.role {
            Role::Prefetch => {
                if buffer.space != MemorySpace::Smem {
                    wrong.push("a prefetch operand must be in smem");
                }
            }
            Role::Input | Role::Output => {
                if buffer.data().is_none() {
                    wrong.push("an input or output must hold data");
                }
            }
            Role::Scratch => {}
        }
        let windowed =
            matches!(operand.role, Role::Input | Role::Output) && self.kernel.stage == Stage::S3;
        if operand.window.is_some() && !windowed {
            wrong.push("only inputs and outputs at stage S3 have windows");
        }
        if buffer.static_dims().is_none() {
            wrong.push("the sizes of a buffer must be static");
        }
        let in_semaphores = matches!(
            buffer.element,
            RefElement::Semaphore | RefElement::DmaSemaphore
        );
        if in_semaphores != (buffer.space == MemorySpace::SemaphoreMem) {
            wrong.push("semaphores, and nothing else, are in semaphore_mem");
        }
        if let Some(alias) = operand.alias {
            let source = self.kernel.operands.get(alias as usize);
            let same = source.is_some_and(|s| {
                s.role == Role::Input
                    && s.buffer.dims == buffer.dims
                    && s.buffer.element == buffer.element
            });
            if operand.role != Role::Output || !same {
                wrong.push("an alias is of an output, to an input of the same type");
            }
        }
        for message in wrong {
            self.complain_here(format!("operand {i}: {message}"));
        }
        let Some(window) = &operand.window else {
            return;
        };
        let rank = buffer.dims.len();
        if window.block.len() != rank || window.block.contains(&0) {
            self.complain_here(format!(
                "operand {i}: the block {:?} must have {rank} positive sizes",
                window.block
            ));
        }
        let prefetch = self
            .kernel
            .operands
            .iter()
            .filter(|o| o.role == Role::Prefetch);
        let mut want = vec![KernelType::i32(); self.kernel.grid.len()];
        want.extend(prefetch.map(|o| KernelType::MemRef(Arc::new(o.buffer.clone()))));
        let transform = &window.transform;
        let got = KernelRegionType::of(transform, &self.kernel.types);
        if got.arguments != want {
            self.complain_here(format!(
                "operand {i}: the index map must take the grid indices and prefetch operands"
            ));
        }
        self.visible.fill(false);
        self.region(transform, Terminator::Yield);
        self.yields(
            transform,
            &vec![KernelType::i32(); rank],
            &format!("the index map of operand {i}"),
        );
    }

    fn yields(&mut self, region: &KernelRegion, want: &[KernelType], what: &str) {
        let got = KernelRegionType::of(region, &self.kernel.types).results;
        if got != want {
            self.complain_here(format!(
                "{what} must yield {}, not {}",
                list(want),
                list(&got)
            ));
        }
    }

    fn define(&mut self, value: KernelValue, location: &Location) {
        match self.defined.get(value.index()) {
            None => self.complain(format!("value {} has no type", value.0), location),
            Some(true) => self.complain(format!("value {} is defined twice", value.0), location),
            Some(false) => {
                self.defined[value.index()] = true;
                self.visible[value.index()] = true;
            }
        }
    }

    fn region(&mut self, region: &'k KernelRegion, end: Terminator) {
        for v in &region.arguments {
            self.define(*v, &Location::default());
        }
        for (i, o) in region.ops.iter().enumerate() {
            let last = i + 1 == region.ops.len();
            let terminator = if o.op == TpuOp::Yield {
                Some(Terminator::Yield)
            } else {
                (o.op == TpuOp::Condition).then_some(Terminator::Condition)
            };
            let misplaced = if last {
                terminator != Some(end)
            } else {
                terminator.is_some()
            };
            if misplaced {
                self.complain(format!("'{}': {}", o.op.name(), ending(end)), &o.location);
            }
            self.operation(o);
        }
        if region.ops.is_empty() {
            self.complain_here(ending(end));
        }
        let results = region.ops.iter().flat_map(|o| &o.results);
        for v in region.arguments.iter().chain(results) {
            if let Some(visible) = self.visible.get_mut(v.index()) {
                *visible = false;
            }
        }
    }

    fn operation(&mut self, o: &'k KernelOperation) {
        let known =
            |v: &KernelValue, flags: &[bool]| flags.get(v.index()).copied().unwrap_or(false);
        if o.operands.iter().any(|v| !known(v, &self.visible)) {
            let message = format!("'{}': an operand does not dominate its use", o.op.name());
            self.complain(message, &o.location);
        }
        // A function of its arguments and nothing else.
        let outside = matches!(o.op, TpuOp::Implements { .. })
            .then(|| std::mem::replace(&mut self.visible, vec![false; self.defined.len()]));
        for (i, inner) in o.regions.iter().enumerate() {
            let end = if o.op == TpuOp::While && i == 0 {
                Terminator::Condition
            } else {
                Terminator::Yield
            };
            self.region(inner, end);
        }
        if let Some(outside) = outside {
            self.visible = outside;
        }
        self.types(o);
        for v in &o.results {
            self.define(*v, &o.location);
        }
    }

    fn types(&mut self, o: &KernelOperation) {
        let kernel = self.kernel;
        let of = |values: &[KernelValue]| -> Option<Vec<KernelType>> {
            values
                .iter()
                .map(|v| kernel.types.get(v.index()).cloned())
                .collect()
        };
        let (Some(operands), Some(declared)) = (of(&o.operands), of(&o.results)) else {
            return;
        };
        let regions: Vec<KernelRegionType> = o
            .regions
            .iter()
            .map(|r| KernelRegionType::of(r, &kernel.types))
            .collect();
        let cx = KernelInferContext {
            operands: &operands,
            declared: &declared,
            regions: &regions,
        };
        match infer(&o.op, &cx) {
            Err(all) => {
                for message in all {
                    self.complain(format!("'{}': {message}", o.op.name()), &o.location);
                }
            }
            Ok(want) if want != declared => {
                let message = format!(
                    "'{}': results are declared {}, inferred {}",
                    o.op.name(),
                    list(&declared),
                    list(&want)
                );
                self.complain(message, &o.location);
            }
            Ok(_) => {}
        }
    }
}

fn ending(end: Terminator) -> &'static str {
    match end {
        Terminator::Condition => "the region must end with its only scf.condition",
        Terminator::Yield => "a region must end with its only yield",
    }
}

fn list(types: &[KernelType]) -> String {
    let types: Vec<String> = types.iter().map(KernelType::to_string).collect();
    format!("({})", types.join(", "))
}

/// Whether the body may see the operand as this reference: its window's block in VMEM or SMEM, else the buffer itself.
fn fits_operand(got: &MemRefType, operand: &KernelOperand) -> bool {
    let want = operand.body_type();
    match operand.window {
        Some(_) => {
            let space = matches!(got.space, MemorySpace::Vmem | MemorySpace::Smem);
            space && got.dims == want.dims && got.element == want.element
        }
        None => *got == want,
    }
}

impl KernelOperand {
    /// What the body sees: the window's block in VMEM where the operand has a window, else the buffer.
    pub fn body_type(&self) -> MemRefType {
        match &self.window {
            Some(window) => MemRefType {
                space: MemorySpace::Vmem,
                dims: window.block.iter().map(|d| Dim::Static(*d)).collect(),
                ..self.buffer.clone()
            },
            None => self.buffer.clone(),
        }
    }
}
