//! Loops and branches: what they carry becomes registers.

use super::{
    Layout,
    registers::{Grid, Held, Shape, native_packing, register_type},
};
use tileproof_dialect::{
    error::Error,
    tpu::{KernelOperation, KernelRegion, KernelType, KernelValue, TpuOp},
    types::ElementType,
};

/// Elements of a lane in which a vector is carried.
fn carried_packing(element: &ElementType) -> u64 {
    match element {
        ElementType::I1 => 1,
        other => native_packing(other),
    }
}

impl Layout<'_> {
    /// Types in registers of values of the old kernel.
    fn types(&self, values: &[KernelValue]) -> Vec<KernelType> {
        let mut out = vec![];
        for v in values {
            match self.old.ty(*v) {
                KernelType::Vector { dims, element } => {
                    let packing = carried_packing(element);
                    let n = Shape::natural(dims).count(packing);
                    out.extend(vec![register_type(element, packing); n]);
                }
                other @ (KernelType::Index | KernelType::Scalar(_) | KernelType::MemRef(_)) => {
                    out.push(other.clone());
                }
            }
        }
        out
    }

    /// The values in registers.
    fn flat(&mut self, values: &[KernelValue]) -> Result<Vec<KernelValue>, Error> {
        let mut out = vec![];
        for v in values {
            match self.old.ty(*v).clone() {
                KernelType::Vector { element, .. } => {
                    let grid = self.natural(*v, carried_packing(&element))?;
                    out.extend(grid.registers);
                }
                KernelType::Index | KernelType::Scalar(_) | KernelType::MemRef(_) => {
                    out.push(self.scalar(*v));
                }
            }
        }
        Ok(out)
    }

    /// Names values of the old kernel by new ones, in the order of [`Layout::types`].
    fn name(&mut self, values: &[KernelValue], new: &[KernelValue]) {
        let mut rest = new.iter().copied();
        for v in values {
            match self.old.ty(*v) {
                KernelType::Vector { dims, element } => {
                    let (shape, packing) = (Shape::natural(dims), carried_packing(element));
                    let registers = rest.by_ref().take(shape.count(packing)).collect();
                    let grid = Grid {
                        element: element.clone(),
                        shape,
                        packing,
                        registers,
                        same_rows: false,
                        same_lanes: false,
                    };
                    self.vectors.insert(*v, Held::Grid(grid));
                }
                KernelType::Index | KernelType::Scalar(_) | KernelType::MemRef(_) => {
                    if let Some(new) = rest.next() {
                        self.scalars.insert(*v, new);
                    }
                }
            }
        }
    }

    /// A region in registers. What was moved inside is not seen outside.
    fn region(&mut self, region: &KernelRegion) -> Result<KernelRegion, Error> {
        let outside = self.vectors.clone();
        let arguments = self.e.b.begin_region(&self.types(&region.arguments));
        self.name(&region.arguments, &arguments);
        self.ops(&region.ops)?;
        let out = match region.ops.last() {
            None => self.e.b.end_region(&[]),
            Some(end) => {
                let ends = self.flat(&end.operands)?;
                if matches!(end.op, TpuOp::Condition) {
                    self.e.b.end_with_condition(&ends)
                } else {
                    self.e.b.end_region(&ends)
                }
            }
        };
        self.vectors = outside;
        Ok(out)
    }

    fn structured(&mut self, op: &KernelOperation) -> Result<(), Error> {
        let operands = self.flat(&op.operands)?;
        let mut regions = vec![];
        for r in &op.regions {
            regions.push(self.region(r)?);
        }
        self.e.b.location = op.location.clone();
        let types = self.types(&op.results);
        let results = self.e.b.op(op.op.clone(), &operands, &types, regions);
        self.name(&op.results, &results);
        Ok(())
    }

    pub(super) fn for_loop(&mut self, op: &KernelOperation) -> Result<(), Error> {
        self.structured(op)
    }

    pub(super) fn branch(&mut self, op: &KernelOperation) -> Result<(), Error> {
        self.structured(op)
    }

    pub(super) fn while_loop(&mut self, op: &KernelOperation) -> Result<(), Error> {
        self.structured(op)
    }
}
