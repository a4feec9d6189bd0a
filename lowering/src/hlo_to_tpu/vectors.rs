//! Ops on vectors, scalars and references, made with the types that follow.

use super::emitter::Emitter;
use std::sync::Arc;
use tileproof_dialect::{
    error::Error,
    hlo::{
        self,
        compare::{Compare, Direction},
    },
    literal::Literal,
    tensor::Tensor,
    tpu::{
        KernelRegion, KernelType, KernelValue, MemRefType, TpuOp,
        op::{Mask, SourceSemaphore},
    },
    types::{Class, Dim, ElementType},
};

const LOAD: TpuOp = TpuOp::Load {
    strides: None,
    masked: Mask::Unmasked,
};
const STORE: TpuOp = TpuOp::Store {
    strides: None,
    masked: Mask::Unmasked,
};

impl Emitter<'_> {
    /// Sizes and element type of a vector.
    pub fn vector_type(&self, v: KernelValue) -> Result<(Vec<u64>, ElementType), Error> {
        match self.b.ty(v) {
            KernelType::Vector { dims, element } => Ok((dims.clone(), element.clone())),
            KernelType::Index | KernelType::Scalar(_) | KernelType::MemRef(_) => {
                Err(Error::internal("a vector was expected"))
            }
        }
    }

    /// Sizes of a vector; none of a scalar.
    pub fn dims(&self, v: KernelValue) -> Vec<u64> {
        self.b.ty(v).dims().map(<[u64]>::to_vec).unwrap_or_default()
    }

    /// Element type of a vector or scalar.
    pub fn element(&self, v: KernelValue) -> ElementType {
        self.b.ty(v).element().unwrap_or(ElementType::I32)
    }

    /// Sizes of a reference.
    pub fn reference_dims(&self, reference: KernelValue) -> Vec<u64> {
        let ty = self.b.ty(reference).as_memref();
        ty.and_then(|t| t.static_dims()).unwrap_or_default()
    }

    fn shaped(dims: &[u64], element: ElementType) -> KernelType {
        if dims.is_empty() {
            KernelType::Scalar(element)
        } else {
            KernelType::vector(dims, element)
        }
    }

    /// A constant scalar (rank 0) or vector.
    pub fn constant(&mut self, t: &Tensor) -> KernelValue {
        let ty = Emitter::shaped(t.dims(), t.element().clone());
        self.b
            .one(TpuOp::Constant(Literal::from_tensor(t)), &[], ty)
    }

    /// `one`, of one element, in every element.
    pub fn splat(&mut self, dims: &[u64], one: &Tensor) -> KernelValue {
        let literal = Literal::new(dims.to_vec(), one.element().clone(), one.ieee().clone());
        match literal {
            Some(literal) => {
                let ty = Emitter::shaped(dims, one.element().clone());
                self.b.one(TpuOp::Constant(literal), &[], ty)
            }
            None => self.constant(one),
        }
    }

    pub fn scalar_constant(&mut self, value: i64, element: ElementType) -> KernelValue {
        self.constant(&Tensor::from_i64s(&[], &element, &[value]))
    }

    /// A constant index.
    pub fn index(&mut self, value: i64) -> KernelValue {
        let t = Tensor::from_i64s(&[], &ElementType::I64, &[value]);
        self.b.one(
            TpuOp::Constant(Literal::from_tensor(&t)),
            &[],
            KernelType::Index,
        )
    }

    /// An i32 as an index.
    pub fn as_index(&mut self, scalar: KernelValue) -> KernelValue {
        self.b.one(TpuOp::IndexCast, &[scalar], KernelType::Index)
    }

    /// An elementwise op on operands of one shape.
    pub fn elementwise(
        &mut self,
        op: impl Into<hlo::Op>,
        operands: &[KernelValue],
        element: ElementType,
    ) -> KernelValue {
        let dims = operands.first().map(|v| self.dims(*v)).unwrap_or_default();
        let ty = Emitter::shaped(&dims, element);
        self.b.one(TpuOp::Elementwise(op.into()), operands, ty)
    }

    pub fn compare(&mut self, direction: Direction, a: KernelValue, b: KernelValue) -> KernelValue {
        let op = Compare {
            comparison_direction: direction,
            compare_type: None,
        };
        self.elementwise(op, &[a, b], ElementType::I1)
    }

    /// `on_true` where `condition`, else `on_false`.
    pub fn select(
        &mut self,
        condition: KernelValue,
        on_true: KernelValue,
        on_false: KernelValue,
    ) -> KernelValue {
        let (dims, element) = (self.dims(on_true), self.element(on_true));
        let ty = Emitter::shaped(&dims, element);
        let op = TpuOp::Elementwise(hlo::select::Select.into());
        self.b.one(op, &[condition, on_true, on_false], ty)
    }

    /// The value in another element type; itself where it has it.
    pub fn convert(&mut self, v: KernelValue, element: &ElementType) -> KernelValue {
        if self.element(v) == *element {
            return v;
        }
        self.elementwise(hlo::convert::Convert, &[v], element.clone())
    }

    /// A scalar or vector spread over `dims`.
    pub fn broadcast(&mut self, v: KernelValue, dims: &[u64]) -> KernelValue {
        if self.dims(v) == dims {
            return v;
        }
        let ty = KernelType::vector(dims, self.element(v));
        self.b.one(TpuOp::Broadcast, &[v], ty)
    }

    /// The same elements in row-major order under other sizes.
    pub fn shape_cast(&mut self, v: KernelValue, dims: &[u64]) -> KernelValue {
        if self.dims(v) == dims {
            return v;
        }
        let ty = KernelType::vector(dims, self.element(v));
        self.b.one(TpuOp::ShapeCast, &[v], ty)
    }

    /// Result dimension i is operand dimension `permutation[i]`.
    pub fn transpose(&mut self, v: KernelValue, permutation: &[usize]) -> KernelValue {
        if permutation.iter().enumerate().all(|(i, d)| i == *d) {
            return v;
        }
        let dims = self.dims(v);
        let dims: Vec<u64> = permutation.iter().map(|d| dims[*d]).collect();
        let ty = KernelType::vector(&dims, self.element(v));
        let permutation = permutation.iter().map(|d| *d as u64).collect();
        self.b.one(TpuOp::Transpose { permutation }, &[v], ty)
    }

    pub fn slice(
        &mut self,
        v: KernelValue,
        offsets: &[u64],
        sizes: &[u64],
        strides: &[u64],
    ) -> KernelValue {
        if self.dims(v) == sizes {
            return v;
        }
        let ty = KernelType::vector(sizes, self.element(v));
        let op = TpuOp::ExtractStridedSlice {
            offsets: offsets.to_vec(),
            sizes: sizes.to_vec(),
            strides: strides.to_vec(),
        };
        self.b.one(op, &[v], ty)
    }

    /// `size` elements along dimension `d` from `start` on, every `stride`-th.
    pub fn slice_along(
        &mut self,
        v: KernelValue,
        d: usize,
        start: u64,
        size: u64,
        stride: u64,
    ) -> KernelValue {
        let mut sizes = self.dims(v);
        let mut offsets = vec![0; sizes.len()];
        let mut strides = vec![1; sizes.len()];
        (offsets[d], sizes[d], strides[d]) = (start, size, stride);
        self.slice(v, &offsets, &sizes, &strides)
    }

    pub fn concatenate(&mut self, parts: &[KernelValue], d: usize) -> KernelValue {
        if let [one] = parts {
            return *one;
        }
        let mut dims = self.dims(parts[0]);
        dims[d] = parts.iter().map(|p| self.dims(*p)[d]).sum();
        let ty = KernelType::vector(&dims, self.element(parts[0]));
        let dimension = d as u64;
        self.b.one(TpuOp::Concatenate { dimension }, parts, ty)
    }

    /// The place along dimension `d`, as i32.
    pub fn iota(&mut self, dims: &[u64], d: usize) -> KernelValue {
        let ty = KernelType::vector(dims, ElementType::I32);
        let dimensions = vec![d as u64];
        self.b.one(TpuOp::Iota { dimensions }, &[], ty)
    }

    /// The only element of a vector.
    pub fn extract(&mut self, v: KernelValue) -> KernelValue {
        let position = vec![0; self.dims(v).len()];
        let ty = KernelType::Scalar(self.element(v));
        self.b.one(TpuOp::Extract { position }, &[v], ty)
    }

    /// All of a reference.
    pub fn load_all(&mut self, reference: KernelValue) -> KernelValue {
        let dims = self.reference_dims(reference);
        let zeros: Vec<KernelValue> = dims.iter().map(|_| self.index(0)).collect();
        self.load(reference, &zeros, &dims)
    }

    /// The box of `sizes` at `start` (indices).
    pub fn load(
        &mut self,
        reference: KernelValue,
        start: &[KernelValue],
        sizes: &[u64],
    ) -> KernelValue {
        let element = self.b.ty(reference).as_memref().and_then(|t| t.data());
        let element = element.cloned().unwrap_or(ElementType::I32);
        let operands: Vec<KernelValue> = [reference].iter().chain(start).copied().collect();
        self.b
            .one(LOAD, &operands, KernelType::vector(sizes, element))
    }

    pub fn store_all(&mut self, value: KernelValue, reference: KernelValue) {
        let dims = self.reference_dims(reference);
        let zeros: Vec<KernelValue> = dims.iter().map(|_| self.index(0)).collect();
        let value = self.shape_cast(value, &dims);
        self.store(value, reference, &zeros);
    }

    /// Puts the vector `value` at `start` (indices).
    pub fn store(&mut self, value: KernelValue, reference: KernelValue, start: &[KernelValue]) {
        let operands: Vec<KernelValue> = [value, reference].iter().chain(start).copied().collect();
        self.b.op(STORE, &operands, &[], vec![]);
    }

    /// Puts the elements of `value` whose `mask` is set at `start` (indices).
    pub fn store_masked(
        &mut self,
        value: KernelValue,
        reference: KernelValue,
        start: &[KernelValue],
        mask: KernelValue,
    ) {
        let mut operands: Vec<KernelValue> =
            [value, reference].iter().chain(start).copied().collect();
        operands.push(mask);
        let op = TpuOp::Store {
            strides: None,
            masked: Mask::Masked,
        };
        self.b.op(op, &operands, &[], vec![]);
    }

    /// The box of `sizes` of a memory that begins at `start` (i32 scalars), as a reference.
    pub fn part(
        &mut self,
        reference: KernelValue,
        start: &[KernelValue],
        sizes: &[u64],
    ) -> KernelValue {
        let ty = self.b.ty(reference).as_memref().cloned();
        let dims: Vec<Dim> = sizes.iter().map(|n| Dim::Static(*n)).collect();
        let ty = MemRefType {
            dims: dims.clone(),
            ..ty.unwrap_or_else(|| MemRefType::dma_semaphores(&[]))
        };
        let operands: Vec<KernelValue> = [reference].iter().chain(start).copied().collect();
        let op = TpuOp::MemRefSlice { sizes: dims };
        self.b.one(op, &operands, KernelType::MemRef(Arc::new(ty)))
    }

    /// Copies between memories and waits for the end.
    pub fn copy(&mut self, source: KernelValue, target: KernelValue, semaphore: KernelValue) {
        let start = TpuOp::EnqueueDma {
            source_semaphore: SourceSemaphore::Absent,
            priority: 0,
        };
        self.b.op(start, &[source, target, semaphore], &[], vec![]);
        self.b
            .op(TpuOp::WaitDma2, &[semaphore, source, target], &[], vec![]);
    }

    /// Runs `body` in a region: what it makes is not seen outside.
    pub fn scoped<T>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let kept = (
            self.values.clone(),
            self.scalars.clone(),
            self.stored.clone(),
        );
        let out = body(self);
        (self.values, self.scalars, self.stored) = kept;
        out
    }

    /// `body` where `condition`.
    pub fn when(
        &mut self,
        condition: KernelValue,
        body: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.b.begin_region(&[]);
        let done = self.scoped(body);
        let then = self.b.end_region(&[]);
        self.b.begin_region(&[]);
        let otherwise = self.b.end_region(&[]);
        self.b
            .op(TpuOp::If, &[condition], &[], vec![then, otherwise]);
        done
    }

    /// `body` for each i32 from 0 to below `steps`, with values carried from step to step.
    pub fn repeat(
        &mut self,
        steps: u64,
        initial: &[KernelValue],
        body: impl FnOnce(&mut Self, KernelValue, &[KernelValue]) -> Result<Vec<KernelValue>, Error>,
    ) -> Result<Vec<KernelValue>, Error> {
        let types: Vec<KernelType> = initial.iter().map(|v| self.b.ty(*v).clone()).collect();
        let mut arguments = vec![KernelType::i32()];
        arguments.extend(types.iter().cloned());
        let mut operands = vec![self.b.i32(0), self.b.i32(steps as i64), self.b.i32(1)];
        operands.extend(initial);
        let arguments = self.b.begin_region(&arguments);
        let carried = self.scoped(|e| body(e, arguments[0], &arguments[1..]));
        let region: KernelRegion = match &carried {
            Ok(carried) => self.b.end_region(carried),
            Err(_) => self.b.end_region(&[]),
        };
        carried?;
        Ok(self.b.op(TpuOp::For, &operands, &types, vec![region]))
    }
}

/// The value that changes nothing when combined with others of the type.
pub fn identity(
    kind: tileproof_dialect::tpu::CombiningKind,
    element: &ElementType,
) -> Option<Tensor> {
    use tileproof_dialect::tpu::CombiningKind as Kind;
    let bits = element.bits();
    let signed = element.class() == Class::Signed;
    let (least, most): (i64, i64) = match element.class() {
        Class::Signed => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
        Class::Unsigned => (0, (u64::MAX >> (64 - bits)) as i64),
        Class::Boolean => (0, 1),
        Class::Float | Class::Complex | Class::Quantized => (0, 0),
    };
    let integer = |v: i64| Some(Tensor::from_i64s(&[], element, &[v]));
    let float = |v: f64| {
        let t = Tensor::splat_f64(&[], element, v);
        (t.to_f64s().first() == Some(&v)).then_some(t)
    };
    match (kind, element.class()) {
        (Kind::Add, Class::Float) => Some(Tensor::splat_f64(&[], element, -0.0)),
        (Kind::Mul, Class::Float) => float(1.0),
        (Kind::Min, Class::Float) => float(f64::INFINITY),
        (Kind::Max, Class::Float) => float(f64::NEG_INFINITY),
        (Kind::Add | Kind::Or | Kind::Xor, _) => integer(0),
        (Kind::Mul, _) => integer(1),
        (Kind::Min | Kind::MinUi, _) => integer(most),
        (Kind::Max | Kind::MaxUi, _) => integer(least),
        (Kind::And, _) => integer(if signed { -1 } else { most }),
    }
}
