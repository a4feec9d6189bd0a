//! `kernel_call` (stages S3 to S5): runs a kernel of the module.
//!
//! Meaning: results = kernel(operands): operands are the kernel's prefetch operands and inputs in order, results its outputs, each seen in the sizes of the
//! kernel's buffer in row-major order. Inputs I1 operands, I2 kernel. Constraints: C1 the kernel exists and has as many prefetch operands and inputs as
//! there are operands and as many outputs as there are results, of the same element types and numbers of elements (checked by `Program::verify`).
//! Kind: control. Numerics: the kernel's.
//! Example: `%1 = hlo.kernel_call @add(%0, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>`.

use crate::{
    attribute::{Attribute, AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::{ProgramBuilder, Provenance, Sampler},
    eval::{EvalContext, Stop},
    hlo::region_bound,
    literal::Literal,
    location::Location,
    op::{InferContext, Kind, OpDef},
    program::Program,
    stage::Stage,
    tensor::{Tensor, Value},
    tpu::{
        KernelBuilder, KernelOperand, KernelType, MemRefType, MemorySpace, Role, TpuOp, Window,
        op::Mask,
    },
    types::{ElementType, Type},
};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KernelCall {
    pub kernel: String,
}

impl OpDef for KernelCall {
    const NAME: &'static str = "kernel_call";
    const KIND: Kind = Kind::Control;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> KernelCall {
        KernelCall { kernel: reader.symbol("kernel") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("kernel", Attribute::Symbol(self.kernel.clone()))
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        Ok(cx.declared.to_vec())
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        cx.kernel(&self.kernel, operands.to_vec(), results)
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::undetermined(values))
    }

    /// A call of a kernel that adds 1 to a block.
    fn sample(s: &mut Sampler) -> Program {
        let dims = [s.range(1, s.size), s.range(1, s.size)];
        let ty = Type::tensor(dims, ElementType::F32);
        let mut b = ProgramBuilder::new("sample", Provenance::Number);
        let outer = b.begin_function("main", std::slice::from_ref(&ty), Location::default());
        let call = KernelCall { kernel: "increment".to_string() };
        let results = b.op(crate::op::Op::Hlo(call.into()), &outer, std::slice::from_ref(&ty), vec![], Location::default());
        b.end_function(&results, Location::default());
        let operand = |role| KernelOperand {
            role,
            buffer: MemRefType::new(&dims, ElementType::F32, MemorySpace::Any),
            window: Some(Window::of(&dims)),
            alias: None,
            address: None,
        };
        let mut k = KernelBuilder::new("increment", Stage::S3, vec![], vec![operand(Role::Input), operand(Role::Output)], Location::default());
        for i in 0..2 {
            k.index_map(i, |k, _| vec![k.i32(0), k.i32(0)]);
        }
        let zero = k.one(TpuOp::Constant(Literal::from_tensor(&Tensor::from_i64s(&[], &ElementType::I64, &[0]))), &[], KernelType::Index);
        let block = KernelType::vector(&dims, ElementType::F32);
        let load = TpuOp::Load { strides: None, masked: Mask::Unmasked };
        let (input, output) = (k.operand_ref(0), k.operand_ref(1));
        let x = k.one(load, &[input, zero, zero], block.clone());
        let one = k.one(TpuOp::Constant(Literal::from_tensor(&Tensor::splat_f64(&dims, &ElementType::F32, 1.0))), &[], block.clone());
        let sum = k.one(TpuOp::Elementwise(super::add::Add.into()), &[x, one], block);
        k.op(TpuOp::Store { strides: None, masked: Mask::Unmasked }, &[sum, output, zero, zero], &[], vec![]);
        b.program_mut().kernels.push(Arc::new(k.finish()));
        b.program().clone()
    }
}
