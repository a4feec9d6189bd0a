//! Builds kernels op by op. Regions are opened and closed like brackets; ops go into the innermost open region.

use super::{
    infer::{KernelInferContext, KernelRegionType, infer},
    kernel::{
        GridDimension, Kernel, KernelOperand, KernelOperation, KernelRegion, KernelValue, Window,
    },
    op::TpuOp,
    types::{KernelType, MemRefType, MemorySpace},
};
use crate::{
    hlo::{self, compare::CompareType},
    literal::Literal,
    location::Location,
    stage::Stage,
    tensor::Tensor,
    types::ElementType,
};
use std::sync::Arc;

/// Builds a [`Kernel`]. Types are given by the caller and checked by `tpu::verify`.
pub struct KernelBuilder {
    kernel: Kernel,
    open: Vec<KernelRegion>,
    /// Location of the ops made from now on.
    pub location: Location,
}

impl KernelBuilder {
    /// A kernel with an open body. `blocks`: of each operand the block and index map of its window; index maps are made with
    /// [`KernelBuilder::index_map`] afterwards.
    pub fn new(
        name: &str,
        stage: Stage,
        grid: Vec<GridDimension>,
        operands: Vec<KernelOperand>,
        location: Location,
    ) -> KernelBuilder {
        let mut b = KernelBuilder {
            kernel: Kernel {
                name: name.to_string(),
                stage,
                grid,
                operands: vec![],
                body: KernelRegion::default(),
                types: vec![],
                location: location.clone(),
            },
            open: vec![KernelRegion::default()],
            location,
        };
        for _ in 0..b.kernel.grid.len() {
            let v = b.value(KernelType::i32());
            b.open[0].arguments.push(v);
        }
        for operand in &operands {
            let ty = match &operand.window {
                Some(window) => MemRefType {
                    space: MemorySpace::Vmem,
                    dims: window
                        .block
                        .iter()
                        .map(|d| crate::types::Dim::Static(*d))
                        .collect(),
                    ..operand.buffer.clone()
                },
                None => operand.buffer.clone(),
            };
            let v = b.value(KernelType::MemRef(Arc::new(ty)));
            b.open[0].arguments.push(v);
        }
        b.kernel.operands = operands;
        b
    }

    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    pub fn ty(&self, v: KernelValue) -> &KernelType {
        self.kernel.ty(v)
    }

    /// The body's argument for grid dimension `i`; only while the body is open.
    pub fn grid_index(&self, i: usize) -> KernelValue {
        self.open[0].arguments[i]
    }

    /// The body's argument for operand `i`; only while the body is open.
    pub fn operand_ref(&self, i: usize) -> KernelValue {
        self.open[0].arguments[self.kernel.grid.len() + i]
    }

    fn value(&mut self, ty: KernelType) -> KernelValue {
        self.kernel.types.push(ty);
        KernelValue(self.kernel.types.len() as u32 - 1)
    }

    /// A further operand, scratch memory, and the body's argument for it. Scratch comes last: outputs are all there.
    pub fn scratch(&mut self, buffer: MemRefType) -> KernelValue {
        let reference = self.value(KernelType::MemRef(Arc::new(buffer.clone())));
        self.kernel.operands.push(KernelOperand {
            role: super::kernel::Role::Scratch,
            buffer,
            window: None,
            alias: None,
            address: None,
        });
        if let Some(body) = self.open.first_mut() {
            body.arguments.push(reference);
        }
        reference
    }

    /// An op with results of the given types and closed regions.
    pub fn op(
        &mut self,
        op: TpuOp,
        operands: &[KernelValue],
        results: &[KernelType],
        regions: Vec<KernelRegion>,
    ) -> Vec<KernelValue> {
        let results: Vec<KernelValue> = results.iter().map(|t| self.value(t.clone())).collect();
        let operation = KernelOperation {
            op: without_restatement(op),
            operands: operands.to_vec(),
            results: results.clone(),
            regions,
            location: self.location.clone(),
        };
        if let Some(region) = self.open.last_mut() {
            region.ops.push(operation);
        }
        results
    }

    /// An op with one result.
    pub fn one(&mut self, op: TpuOp, operands: &[KernelValue], result: KernelType) -> KernelValue {
        self.op(op, operands, &[result], vec![])[0]
    }

    /// An op whose result types the type rule gives; `declared` where they do not follow from the operands. What violates the rule gets the declared
    /// types and is found by `Kernel::verify`.
    pub fn infer(
        &mut self,
        op: TpuOp,
        operands: &[KernelValue],
        declared: &[KernelType],
        regions: Vec<KernelRegion>,
    ) -> Vec<KernelValue> {
        let types: Vec<KernelType> = operands.iter().map(|v| self.ty(*v).clone()).collect();
        let region_types: Vec<KernelRegionType> = regions
            .iter()
            .map(|r| KernelRegionType::of(r, &self.kernel.types))
            .collect();
        let cx = KernelInferContext {
            operands: &types,
            declared,
            regions: &region_types,
        };
        let results = infer(&op, &cx).unwrap_or_else(|_| declared.to_vec());
        self.op(op, operands, &results, regions)
    }

    /// A constant i32.
    pub fn i32(&mut self, value: i64) -> KernelValue {
        let t = Tensor::from_i64s(&[], &ElementType::I32, &[value]);
        self.one(
            TpuOp::Constant(Literal::from_tensor(&t)),
            &[],
            KernelType::i32(),
        )
    }

    /// Opens a region and gives its arguments.
    pub fn begin_region(&mut self, arguments: &[KernelType]) -> Vec<KernelValue> {
        let arguments: Vec<KernelValue> = arguments.iter().map(|t| self.value(t.clone())).collect();
        self.open.push(KernelRegion {
            arguments: arguments.clone(),
            ops: vec![],
        });
        arguments
    }

    /// Closes the innermost region with a `Yield` of `values`.
    pub fn end_region(&mut self, values: &[KernelValue]) -> KernelRegion {
        self.close(TpuOp::Yield, values)
    }

    /// Closes the innermost region with a `Condition` of (i1, values..).
    pub fn end_with_condition(&mut self, values: &[KernelValue]) -> KernelRegion {
        self.close(TpuOp::Condition, values)
    }

    fn close(&mut self, terminator: TpuOp, values: &[KernelValue]) -> KernelRegion {
        self.op(terminator, values, &[], vec![]);
        self.open.pop().unwrap_or_default()
    }

    /// Makes the index map of operand `operand`, whose window has its block already. `make` gets the grid indices and prefetch references.
    pub fn index_map(
        &mut self,
        operand: usize,
        make: impl FnOnce(&mut KernelBuilder, &[KernelValue]) -> Vec<KernelValue>,
    ) {
        let mut types = vec![KernelType::i32(); self.kernel.grid.len()];
        types.extend(
            self.kernel
                .with_role(super::kernel::Role::Prefetch)
                .map(|(_, o)| KernelType::MemRef(Arc::new(o.buffer.clone()))),
        );
        let arguments = self.begin_region(&types);
        let out = make(self, &arguments);
        let transform = self.end_region(&out);
        if let Some(window) = &mut self.kernel.operands[operand].window {
            window.transform = transform;
        }
    }

    /// The kernel; closes the body and numbers the values anew.
    pub fn finish(mut self) -> Kernel {
        let body = self.end_region(&[]);
        self.kernel.body = body;
        self.kernel.renumbered()
    }
}

/// A comparison's type says something only where it is the total order.
fn without_restatement(op: TpuOp) -> TpuOp {
    match op {
        TpuOp::Elementwise(hlo::Op::Compare(mut compare)) => {
            compare.compare_type = compare
                .compare_type
                .filter(|t| *t == CompareType::TotalOrder);
            TpuOp::Elementwise(compare.into())
        }
        other => other,
    }
}

impl Window {
    /// A window whose index map is still to be made.
    pub fn of(block: &[u64]) -> Window {
        Window {
            block: block.to_vec(),
            transform: KernelRegion::default(),
        }
    }
}
