//! A copy of a kernel, standing at one op of its body: how a mutator reads and changes kernels.

use tileproof_dialect::{
    hlo,
    literal::Literal,
    tensor::Tensor,
    tpu::{
        Kernel, KernelOperation, KernelRegion, KernelType, KernelValue, MemRefType, MemorySpace,
        TpuOp, kernel::walk,
    },
    types::{Class, ElementType},
};

/// Where an op stands: the ops above it, each with the region taken, and its place in the innermost region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    above: Vec<(usize, usize)>,
    at: usize,
}

/// Every op of the body and of its inner regions, in program order.
pub fn places(kernel: &Kernel) -> Vec<Place> {
    let mut out = vec![];
    collect(&kernel.body, &mut vec![], &mut out);
    out
}

fn collect(region: &KernelRegion, above: &mut Vec<(usize, usize)>, out: &mut Vec<Place>) {
    for (at, o) in region.ops.iter().enumerate() {
        out.push(Place {
            above: above.clone(),
            at,
        });
        for (r, inner) in o.regions.iter().enumerate() {
            above.push((at, r));
            collect(inner, above, out);
            above.pop();
        }
    }
}

/// How deep chains of definitions are followed.
const DEPTH: usize = 24;

/// The copy.
pub struct Draft {
    pub kernel: Kernel,
    place: Place,
    /// Ops inserted behind the op.
    behind: usize,
}

impl Draft {
    pub fn new(kernel: &Kernel, place: &Place) -> Draft {
        Draft {
            kernel: kernel.clone(),
            place: place.clone(),
            behind: 0,
        }
    }

    /// The region the op stands in.
    pub fn region(&self) -> &KernelRegion {
        self.outer(self.place.above.len())
    }

    /// The region `depth` regions inside the body, on the way to the op.
    fn outer(&self, depth: usize) -> &KernelRegion {
        let mut region = &self.kernel.body;
        for (at, r) in &self.place.above[..depth] {
            region = &region.ops[*at].regions[*r];
        }
        region
    }

    fn region_mut(&mut self) -> &mut KernelRegion {
        let mut region = &mut self.kernel.body;
        for (at, r) in &self.place.above {
            region = &mut region.ops[*at].regions[*r];
        }
        region
    }

    pub fn op(&self) -> &KernelOperation {
        &self.region().ops[self.place.at]
    }

    pub fn op_mut(&mut self) -> &mut KernelOperation {
        let at = self.place.at;
        &mut self.region_mut().ops[at]
    }

    /// Ops behind the op in its region, its end among them.
    pub fn following(&self) -> &[KernelOperation] {
        &self.region().ops[self.place.at + 1..]
    }

    /// Ops whose regions hold the op, innermost first, with the region taken.
    pub fn around(&self) -> Vec<(&KernelOperation, usize)> {
        let inside = |depth: usize| {
            let (at, r) = self.place.above[depth];
            (&self.outer(depth).ops[at], r)
        };
        (0..self.place.above.len()).rev().map(inside).collect()
    }

    /// Stands at the op whose region holds the op. None: there is none.
    pub fn go_out(&mut self) -> Option<()> {
        let (at, _) = self.place.above.pop()?;
        self.place.at = at;
        self.behind = 0;
        Some(())
    }

    /// Whether an op that `wanted` names uses `v`, or what ops that `through` names make of it.
    pub fn reaches(
        &self,
        v: KernelValue,
        wanted: &dyn Fn(&TpuOp) -> bool,
        through: &dyn Fn(&TpuOp) -> bool,
    ) -> bool {
        let (mut open, mut seen) = (vec![v], vec![]);
        while let Some(v) = open.pop() {
            if seen.contains(&v) {
                continue;
            }
            seen.push(v);
            let mut found = false;
            self.kernel.walk(&mut |o| {
                if o.operands.contains(&v) {
                    found |= wanted(&o.op);
                    if through(&o.op) {
                        open.extend(&o.results);
                    }
                }
            });
            if found {
                return true;
            }
        }
        false
    }

    /// Takes the op out; the draft stands at what followed it.
    pub fn remove(&mut self) -> KernelOperation {
        let at = self.place.at;
        self.region_mut().ops.remove(at)
    }

    /// Moves the op in front of the end of its region. None: it stands there.
    pub fn move_to_end(&mut self) -> Option<()> {
        if self.following().len() < 2 {
            return None;
        }
        let op = self.remove();
        let region = self.region_mut();
        let end = region.ops.len() - 1;
        region.ops.insert(end, op);
        self.place.at = end;
        Some(())
    }

    pub fn ty(&self, v: KernelValue) -> &KernelType {
        self.kernel.ty(v)
    }

    /// The reference type of a value.
    pub fn memref(&self, v: KernelValue) -> Option<&MemRefType> {
        self.ty(v).as_memref()
    }

    /// Sizes of a vector; none of other values.
    pub fn vector_dims(&self, v: KernelValue) -> Option<&[u64]> {
        match self.ty(v) {
            KernelType::Vector { dims, .. } => Some(dims),
            KernelType::Index | KernelType::Scalar(_) | KernelType::MemRef(_) => None,
        }
    }

    pub fn element(&self, v: KernelValue) -> Option<ElementType> {
        self.ty(v).element()
    }

    pub fn class(&self, v: KernelValue) -> Option<Class> {
        Some(self.element(v)?.class())
    }

    pub fn is_float(&self, v: KernelValue) -> bool {
        self.class(v) == Some(Class::Float)
    }

    /// Whether the value is a scalar integer or an index.
    pub fn is_scalar_integer(&self, v: KernelValue) -> bool {
        match self.ty(v) {
            KernelType::Index => true,
            KernelType::Scalar(e) => e.class() == Class::Signed,
            KernelType::Vector { .. } | KernelType::MemRef(_) => false,
        }
    }

    pub fn value(&mut self, ty: KernelType) -> KernelValue {
        self.kernel.types.push(ty);
        KernelValue(self.kernel.types.len() as u32 - 1)
    }

    fn made(
        &self,
        op: TpuOp,
        operands: &[KernelValue],
        results: Vec<KernelValue>,
    ) -> KernelOperation {
        KernelOperation {
            op,
            operands: operands.to_vec(),
            results,
            regions: vec![],
            location: self.op().location.clone(),
        }
    }

    /// A new op in front of the op; its only result.
    pub fn insert(
        &mut self,
        op: TpuOp,
        operands: &[KernelValue],
        result: KernelType,
    ) -> KernelValue {
        let v = self.value(result);
        let made = self.made(op, operands, vec![v]);
        let at = self.place.at;
        self.region_mut().ops.insert(at, made);
        self.place.at += 1;
        v
    }

    /// A new op behind the op and what was put there before, that defines `result`.
    fn append(&mut self, op: TpuOp, operands: &[KernelValue], result: KernelValue) {
        let made = self.made(op, operands, vec![result]);
        self.behind += 1;
        let at = self.place.at + self.behind;
        self.region_mut().ops.insert(at, made);
    }

    /// Puts elementwise ops behind result `index` of the op: what used the result uses what the last of them gives. Each op takes the one before it and
    /// the operands given; the last must give the type of the result.
    pub fn wrap_result(
        &mut self,
        index: usize,
        ops: Vec<(hlo::Op, KernelType, Vec<KernelValue>)>,
    ) -> Option<()> {
        let result = *self.op().results.get(index)?;
        let n = ops.len();
        let raw = self.value(self.ty(result).clone());
        self.op_mut().results[index] = raw;
        let mut last = raw;
        for (i, (op, ty, more)) in ops.into_iter().enumerate() {
            let next = if i + 1 == n { result } else { self.value(ty) };
            let operands: Vec<KernelValue> = std::iter::once(last).chain(more).collect();
            self.append(TpuOp::Elementwise(op), &operands, next);
            last = next;
        }
        Some(())
    }

    /// Another op in the place of the op, that gives the same result.
    pub fn become_elementwise(
        &mut self,
        op: impl Into<hlo::Op>,
        operands: &[KernelValue],
    ) -> Option<()> {
        let o = self.op_mut();
        if o.results.len() != 1 {
            return None;
        }
        o.op = TpuOp::Elementwise(op.into());
        o.operands = operands.to_vec();
        o.regions.clear();
        Some(())
    }

    /// What used `old` uses `new`, wherever it stands.
    pub fn replace_uses(&mut self, old: KernelValue, new: KernelValue) {
        renamed(&mut self.kernel.body, old, new);
    }

    /// Takes the op out; its only result becomes `v`, of the same type.
    pub fn replace_with(&mut self, v: KernelValue) -> Option<()> {
        let [result] = self.op().results[..] else {
            return None;
        };
        if result == v || self.ty(result) != self.ty(v) {
            return None;
        }
        self.remove();
        self.replace_uses(result, v);
        Some(())
    }

    /// A constant of a scalar or vector type with `value` in every element.
    pub fn float(&mut self, ty: &KernelType, value: f64) -> Option<KernelValue> {
        let element = ty.element()?;
        let one = Tensor::from_f64s(&[], &element, &[value]);
        self.splat_of(ty, &one)
    }

    /// A constant of a scalar, index or vector type with `value` in every element.
    pub fn int(&mut self, ty: &KernelType, value: i64) -> Option<KernelValue> {
        let element = ty.element()?;
        let one = Tensor::from_i64s(&[], &element, &[value]);
        self.splat_of(ty, &one)
    }

    fn splat_of(&mut self, ty: &KernelType, one: &Tensor) -> Option<KernelValue> {
        let literal = Literal::new(ty.dims()?.to_vec(), ty.element()?, one.ieee().clone())?;
        Some(self.insert(TpuOp::Constant(literal), &[], ty.clone()))
    }

    /// `v + by` in the type of `v`, a scalar integer or index.
    pub fn shifted(&mut self, v: KernelValue, by: i64) -> Option<KernelValue> {
        if !self.is_scalar_integer(v) {
            return None;
        }
        let ty = self.ty(v).clone();
        let by = self.int(&ty, by)?;
        Some(self.insert(
            TpuOp::Elementwise(hlo::add::Add.into()),
            &[v, by],
            ty.clone(),
        ))
    }

    /// The op that defines `v`; none for arguments.
    pub fn definition(&self, v: KernelValue) -> Option<&KernelOperation> {
        let mut found = None;
        self.kernel.walk(&mut |o| {
            if o.results.contains(&v) {
                found = Some(o);
            }
        });
        found
    }

    /// Ops that use `v`.
    pub fn users(&self, v: KernelValue) -> Vec<&KernelOperation> {
        let mut out = vec![];
        self.kernel.walk(&mut |o| {
            if o.operands.contains(&v) {
                out.push(o);
            }
        });
        out
    }

    /// The number a scalar integer always is.
    pub fn known(&self, v: KernelValue) -> Option<i64> {
        let o = self.definition(v)?;
        match &o.op {
            TpuOp::Constant(c) if c.dims().is_empty() => c.to_tensor().to_i64s().first().copied(),
            TpuOp::IndexCast => self.known(*o.operands.first()?),
            _ => None,
        }
    }

    /// The number all elements of `v` always are.
    pub fn splat(&self, v: KernelValue) -> Option<f64> {
        let o = self.definition(v)?;
        match &o.op {
            TpuOp::Constant(c) => c.splat_value()?.to_f64s().first().copied(),
            TpuOp::Broadcast | TpuOp::ShapeCast => self.splat(*o.operands.first()?),
            TpuOp::RollVectors | TpuOp::Concatenate { .. } => {
                let first = self.splat(*o.operands.first()?)?;
                let alike = |v: &KernelValue| self.splat(*v) == Some(first);
                o.operands.iter().all(alike).then_some(first)
            }
            _ => None,
        }
    }

    /// Whether `v` is computed, in the ops that are followed, from a value that an op of this kind gives.
    pub fn comes_from(&self, v: KernelValue, kind: &impl Fn(&TpuOp) -> bool) -> bool {
        self.comes_from_within(v, kind, DEPTH)
    }

    fn comes_from_within(
        &self,
        v: KernelValue,
        kind: &impl Fn(&TpuOp) -> bool,
        depth: usize,
    ) -> bool {
        let Some(o) = self.definition(v).filter(|_| depth > 0) else {
            return false;
        };
        kind(&o.op)
            || o.operands
                .iter()
                .any(|x| self.comes_from_within(*x, kind, depth - 1))
    }

    /// The operand whose memory the reference `v` is a part of: its number.
    pub fn buffer_of(&self, v: KernelValue) -> Option<usize> {
        let first = self.kernel.grid.len();
        let mut v = v;
        for _ in 0..DEPTH {
            if let Some(i) = self.kernel.body.arguments.iter().position(|a| *a == v) {
                return i.checked_sub(first);
            }
            v = *self.definition(v)?.operands.first()?;
        }
        None
    }

    /// Memory of a reference.
    pub fn space(&self, v: KernelValue) -> Option<MemorySpace> {
        Some(self.memref(v)?.space)
    }

    /// Values that are there in front of the op: arguments of the regions around it and results of what stands before.
    pub fn visible(&self) -> Vec<KernelValue> {
        let mut out = vec![];
        for depth in 0..=self.place.above.len() {
            let region = self.outer(depth);
            let end = match self.place.above.get(depth) {
                Some((at, _)) => *at,
                None => self.place.at,
            };
            out.extend(region.arguments.iter().copied());
            out.extend(region.ops[..end].iter().flat_map(|o| o.results.clone()));
        }
        out
    }
}

fn renamed(region: &mut KernelRegion, old: KernelValue, new: KernelValue) {
    for o in &mut region.ops {
        for v in &mut o.operands {
            if *v == old {
                *v = new;
            }
        }
        o.regions.iter_mut().for_each(|r| renamed(r, old, new));
    }
}

/// Whether an op of this kind stands in `region` or inside.
pub fn holds(region: &KernelRegion, kind: impl Fn(&TpuOp) -> bool) -> bool {
    let mut found = false;
    walk(region, &mut |o| found |= kind(&o.op));
    found
}

/// The `hlo` op that an elementwise op stands for.
pub fn elementwise(op: &TpuOp) -> Option<&hlo::Op> {
    match op {
        TpuOp::Elementwise(inner) => Some(inner),
        _ => None,
    }
}

/// Whether the op reads vectors from memory.
pub fn is_load(op: &TpuOp) -> bool {
    matches!(op, TpuOp::Load { .. } | TpuOp::RegisterLoad { .. })
}

/// Whether the op writes vectors to memory.
pub fn is_store(op: &TpuOp) -> bool {
    matches!(op, TpuOp::Store { .. } | TpuOp::RegisterStore { .. })
}

/// Whether the op counts the place of each element.
pub fn is_position(op: &TpuOp) -> bool {
    matches!(op, TpuOp::Iota { .. } | TpuOp::CreateMask)
}
