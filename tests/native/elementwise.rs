//! One kernel for each elementwise op and element type, on values at the ends of their types.

use tileproof_dialect::{
    hlo::{
        self,
        compare::{Compare, CompareType, Direction},
    },
    literal::Literal,
    location::Location,
    stage::Stage,
    tensor::Tensor,
    tpu::{
        Kernel, KernelBuilder, KernelOperand, KernelType, KernelValue, MemRefType, MemorySpace,
        Role, TpuOp, op::Mask,
    },
    types::ElementType,
};

const DIMS: [u64; 2] = [8, 128];

/// Special floats.
const FLOATS: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e-40,
    -1e-45,
    1e38,
    -3e38,
    65504.0,
    127.5,
    -128.5,
    255.9,
    2147483648.0,
    -2147483904.0,
    0.1,
];

/// Special integers, wrapped to the type.
const INTEGERS: [i64; 20] = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    7,
    -8,
    15,
    31,
    32,
    33,
    127,
    -128,
    255,
    32767,
    -32768,
    2147483647,
    -2147483648,
    1234567,
];

/// Element `i` meets every other value, `step` apart.
fn values(element: &ElementType, step: usize) -> Tensor {
    let n = (DIMS[0] * DIMS[1]) as usize;
    if element.is_float() {
        let all: Vec<f64> = (0..n).map(|i| FLOATS[i / step % FLOATS.len()]).collect();
        return Tensor::from_f64s(&DIMS, element, &all);
    }
    let all: Vec<i64> = (0..n)
        .map(|i| INTEGERS[i / step % INTEGERS.len()])
        .collect();
    Tensor::from_i64s(&DIMS, element, &all)
}

fn output(element: &ElementType) -> KernelOperand {
    KernelOperand {
        role: Role::Output,
        buffer: MemRefType::new(&DIMS, element.clone(), MemorySpace::Vmem),
        window: None,
        alias: None,
        address: None,
    }
}

/// `op` on constants of these types.
fn kernel(op: &hlo::Op, operands: &[ElementType], result: &ElementType) -> Kernel {
    let types: Vec<String> = operands.iter().map(ToString::to_string).collect();
    let name = format!("{}_{}_{result}", op.name(), types.join("_")).replace('.', "_");
    let outputs = vec![output(result)];
    let mut b = KernelBuilder::new(&name, Stage::S5, vec![], outputs, Location::default());
    let mut given: Vec<KernelValue> = vec![];
    for (i, element) in operands.iter().enumerate() {
        let step = [1, FLOATS.len(), 7][i];
        let t = values(element, step);
        let ty = KernelType::vector(&DIMS, element.clone());
        given.push(b.one(TpuOp::Constant(Literal::from_tensor(&t)), &[], ty));
    }
    let ty = KernelType::vector(&DIMS, result.clone());
    let out = b.one(TpuOp::Elementwise(op.clone()), &given, ty);
    let zero = Literal::from_tensor(&Tensor::from_i64s(&[], &ElementType::I64, &[0]));
    let zero = b.one(TpuOp::Constant(zero), &[], KernelType::Index);
    let to = b.operand_ref(0);
    let masked = Mask::Unmasked;
    b.op(
        TpuOp::RegisterStore { masked },
        &[out, to, zero, zero],
        &[],
        vec![],
    );
    b.finish()
}

/// All of them.
pub fn all() -> Vec<Kernel> {
    use ElementType::{BF16, F16, F32, I1, I4, I8, I16, I32, U4, U8, U16, U32};
    let floats = [F32, BF16, F16];
    let integers = [I32, U32, I16, U16, I8, U8, I4, U4];
    let mut out = vec![];
    let mut binary = |op: hlo::Op, elements: &[ElementType]| {
        for e in elements {
            out.push(kernel(&op, &[e.clone(), e.clone()], e));
        }
    };
    for op in [
        hlo::add::Add.into(),
        hlo::subtract::Subtract.into(),
        hlo::multiply::Multiply.into(),
        hlo::divide::Divide.into(),
        hlo::remainder::Remainder.into(),
        hlo::maximum::Maximum.into(),
        hlo::minimum::Minimum.into(),
    ] as [hlo::Op; 7]
    {
        binary(op.clone(), &floats);
        binary(op, &integers);
    }
    for op in [
        hlo::and::And.into(),
        hlo::or::Or.into(),
        hlo::xor::Xor.into(),
    ] as [hlo::Op; 3]
    {
        binary(op.clone(), &integers);
        binary(op, &[I1]);
    }
    for op in [
        hlo::shift_left::ShiftLeft.into(),
        hlo::shift_right_logical::ShiftRightLogical.into(),
        hlo::shift_right_arithmetic::ShiftRightArithmetic.into(),
    ] as [hlo::Op; 3]
    {
        binary(op, &integers);
    }
    binary(hlo::power::Power.into(), &[F32]);
    let mut unary = |op: hlo::Op, elements: &[ElementType]| {
        for e in elements {
            out.push(kernel(&op, std::slice::from_ref(e), e));
        }
    };
    for op in [
        hlo::negate::Negate.into(),
        hlo::abs::Abs.into(),
        hlo::sign::Sign.into(),
        hlo::square::Square.into(),
    ] as [hlo::Op; 4]
    {
        unary(op.clone(), &floats);
        unary(op, &[I32, I8]);
    }
    for op in [
        hlo::floor::Floor.into(),
        hlo::ceil::Ceil.into(),
        hlo::round_nearest_even::RoundNearestEven.into(),
        hlo::sqrt::Sqrt::default().into(),
        hlo::rsqrt::Rsqrt::default().into(),
        hlo::exponential::Exponential::default().into(),
        hlo::tanh::Tanh::default().into(),
    ] as [hlo::Op; 7]
    {
        unary(op, &floats);
    }
    unary(hlo::not::Not.into(), &integers);
    unary(hlo::not::Not.into(), &[I1]);
    unary(hlo::popcnt::Popcnt.into(), &[I32, U8]);
    unary(
        hlo::count_leading_zeros::CountLeadingZeros.into(),
        &[I32, U8],
    );
    for direction in [
        Direction::Eq,
        Direction::Ne,
        Direction::Ge,
        Direction::Gt,
        Direction::Le,
        Direction::Lt,
    ] {
        for compare_type in [None, Some(CompareType::TotalOrder)] {
            let op = Compare {
                comparison_direction: direction,
                compare_type,
            };
            for e in &floats {
                out.push(kernel(&op.clone().into(), &[e.clone(), e.clone()], &I1));
            }
        }
        let op = Compare {
            comparison_direction: direction,
            compare_type: None,
        };
        for e in [I32, U32, I8, U8, I1] {
            out.push(kernel(&op.clone().into(), &[e.clone(), e], &I1));
        }
    }
    for e in [F32, BF16, I32, I8, I1] {
        let select = hlo::select::Select.into();
        out.push(kernel(&select, &[I1, e.clone(), e.clone()], &e));
    }
    for e in [F32, F16, I32, U8] {
        let clamp = hlo::clamp::Clamp.into();
        out.push(kernel(&clamp, &[e.clone(), e.clone(), e.clone()], &e));
    }
    let all = [F32, BF16, F16, I32, U32, I16, I8, U8, I4, U4, I1];
    for from in &all {
        for to in &all {
            let convert = hlo::convert::Convert.into();
            out.push(kernel(&convert, std::slice::from_ref(from), to));
        }
    }
    for (from, to) in [(F32, I32), (I32, F32), (BF16, U16), (U16, F16), (I8, U8)] {
        let bitcast = hlo::bitcast_convert::BitcastConvert.into();
        out.push(kernel(&bitcast, &[from], &to));
    }
    for op in [hlo::is_finite::IsFinite.into(), hlo::is_inf::IsInf.into()] as [hlo::Op; 2] {
        for e in &floats {
            out.push(kernel(&op, std::slice::from_ref(e), &I1));
        }
    }
    out
}
