//! The `hlo` dialect: THE list of its ops. Every op of the StableHLO specification, of chlo, and what HLO has beyond them.
//!
//! One file an op. Modules shared by families of ops come first.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    eval::{EvalContext, Stop},
    op::{InferContext, Kind, OpDef},
    tensor::Value,
    types::Type,
};
use std::hash::{Hash, Hasher};

pub mod shape;
#[macro_use]
pub mod elementwise;
pub mod accumulate;
pub mod approximate;
pub mod batch_norm;
pub mod collective;
pub mod contraction;
pub mod dot_algorithm;
pub mod dynamic_call;
pub mod fourier;
#[cfg(test)]
mod grid_test_runner;
pub mod lapack;
pub mod movement;
pub mod number;
pub mod patches;
pub mod quantization;
pub mod random_bits;
pub mod reduction_bound;
pub mod region_bound;
pub mod transfer;
pub mod window;

/// Makes the modules, the enum and its dispatch from the one list: module and struct of each op.
macro_rules! hlo_ops {
    ($($module:ident::$name:ident,)*) => {
        $(pub mod $module;)*

        /// An op of the `hlo` dialect with its attributes.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum Op {
            $($name($module::$name),)*
        }

        $(impl From<$module::$name> for Op {
            fn from(op: $module::$name) -> Op {
                Op::$name(op)
            }
        })*

        impl Op {
            /// Names of all ops, in list order.
            pub const NAMES: &'static [&'static str] = &[$($module::$name::NAME,)*];

            /// Name without dialect prefix.
            pub fn name(&self) -> &'static str {
                match self { $(Op::$name(_) => $module::$name::NAME,)* }
            }

            pub fn kind(&self) -> Kind {
                match self { $(Op::$name(_) => $module::$name::KIND,)* }
            }

            /// The op `name`; none when the list has no such op. Complaints about attributes are in the reader.
            pub fn from_attributes(name: &str, reader: &mut AttributeReader<'_>) -> Option<Op> {
                $(if name == $module::$name::NAME {
                    return Some(Op::$name($module::$name::from_attributes(reader)));
                })*
                None
            }

            pub fn to_attributes(&self) -> Attributes {
                match self { $(Op::$name(op) => op.to_attributes(),)* }
            }

            pub fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
                match self { $(Op::$name(op) => op.infer(cx),)* }
            }

            /// The op's definition; where its meaning on quantized values is that of the values they express, on those.
            pub fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
                if self.dequantizes() && quantization::involved(operands, results) {
                    return quantization::dequantize_op_quantize(operands, results, cx, |operands, results, cx| {
                        self.defined(operands, results, cx)
                    });
                }
                self.defined(operands, results, cx)
            }

            fn defined(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
                match self { $(Op::$name(op) => op.eval(operands, results, cx),)* }
            }

            pub fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], cx: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
                match self { $(Op::$name(op) => op.bound(operands, results, values, cx),)* }
            }

            /// One random valid program per op of the list, named.
            pub fn samples(sampler: &mut crate::builder::Sampler) -> Vec<(&'static str, crate::program::Program)> {
                vec![$(($module::$name::NAME, $module::$name::sample(sampler)),)*]
            }
        }
    };
}

// Grouped as in the specification; inside a group alphabetical.
hlo_ops! {
    // Program structure.
    add_dependency::AddDependency,
    after_all::AfterAll,
    async_done::AsyncDone,
    async_start::AsyncStart,
    async_update::AsyncUpdate,
    call::Call,
    composite::Composite,
    constant::Constant,
    create_token::CreateToken,
    custom_call::CustomCall,
    domain::Domain,
    fusion::Fusion,
    get_tuple_element::GetTupleElement,
    kernel_call::KernelCall,
    optimization_barrier::OptimizationBarrier,
    return_::Return,
    tuple::Tuple,
    // Elementwise.
    abs::Abs,
    acos::Acos,
    acosh::Acosh,
    add::Add,
    and::And,
    asin::Asin,
    asinh::Asinh,
    atan::Atan,
    atan2::Atan2,
    atanh::Atanh,
    bessel_i1e::BesselI1e,
    bitcast_convert::BitcastConvert,
    cbrt::Cbrt,
    ceil::Ceil,
    clamp::Clamp,
    compare::Compare,
    complex::Complex,
    conj::Conj,
    convert::Convert,
    cosh::Cosh,
    cosine::Cosine,
    count_leading_zeros::CountLeadingZeros,
    digamma::Digamma,
    divide::Divide,
    erf::Erf,
    erf_inv::ErfInv,
    erfc::Erfc,
    exponential::Exponential,
    exponential_minus_one::ExponentialMinusOne,
    floor::Floor,
    imag::Imag,
    is_finite::IsFinite,
    is_inf::IsInf,
    is_neg_inf::IsNegInf,
    is_pos_inf::IsPosInf,
    lgamma::Lgamma,
    log::Log,
    log_plus_one::LogPlusOne,
    logistic::Logistic,
    maximum::Maximum,
    minimum::Minimum,
    mulhi::Mulhi,
    multiply::Multiply,
    negate::Negate,
    next_after::NextAfter,
    not::Not,
    or::Or,
    polygamma::Polygamma,
    popcnt::Popcnt,
    power::Power,
    real::Real,
    reduce_precision::ReducePrecision,
    remainder::Remainder,
    round_nearest_afz::RoundNearestAfz,
    round_nearest_even::RoundNearestEven,
    rsqrt::Rsqrt,
    select::Select,
    shift_left::ShiftLeft,
    shift_right_arithmetic::ShiftRightArithmetic,
    shift_right_logical::ShiftRightLogical,
    sign::Sign,
    sine::Sine,
    sinh::Sinh,
    sqrt::Sqrt,
    square::Square,
    stochastic_convert::StochasticConvert,
    subtract::Subtract,
    tan::Tan,
    tanh::Tanh,
    xor::Xor,
    zeta::Zeta,
    // Movement.
    bitcast::Bitcast,
    broadcast::Broadcast,
    broadcast_in_dim::BroadcastInDim,
    concatenate::Concatenate,
    copy::Copy,
    copy_done::CopyDone,
    copy_start::CopyStart,
    dynamic_broadcast_in_dim::DynamicBroadcastInDim,
    dynamic_gather::DynamicGather,
    dynamic_iota::DynamicIota,
    dynamic_pad::DynamicPad,
    dynamic_reshape::DynamicReshape,
    dynamic_slice::DynamicSlice,
    dynamic_update_slice::DynamicUpdateSlice,
    gather::Gather,
    get_dimension_size::GetDimensionSize,
    iota::Iota,
    pad::Pad,
    real_dynamic_slice::RealDynamicSlice,
    reduce_window::ReduceWindow,
    reshape::Reshape,
    reverse::Reverse,
    scatter::Scatter,
    select_and_scatter::SelectAndScatter,
    set_dimension_size::SetDimensionSize,
    slice::Slice,
    sort::Sort,
    top_k::TopK,
    torch_index_select::TorchIndexSelect,
    transpose::Transpose,
    // Contraction and reduction.
    batch_norm_grad::BatchNormGrad,
    batch_norm_inference::BatchNormInference,
    batch_norm_training::BatchNormTraining,
    convolution::Convolution,
    dot_general::DotGeneral,
    dynamic_conv::DynamicConv,
    map::Map,
    ragged_dot::RaggedDot,
    reduce::Reduce,
    // Control flow.
    case::Case,
    if_::If,
    while_::While,
    // Linear algebra and random numbers.
    cholesky::Cholesky,
    fft::Fft,
    rng::Rng,
    rng_bit_generator::RngBitGenerator,
    rng_get_and_update_state::RngGetAndUpdateState,
    triangular_solve::TriangularSolve,
    // Collectives and effects.
    all_gather::AllGather,
    all_gather_done::AllGatherDone,
    all_gather_start::AllGatherStart,
    all_reduce::AllReduce,
    all_reduce_done::AllReduceDone,
    all_reduce_start::AllReduceStart,
    all_to_all::AllToAll,
    collective_broadcast::CollectiveBroadcast,
    collective_permute::CollectivePermute,
    collective_permute_done::CollectivePermuteDone,
    collective_permute_start::CollectivePermuteStart,
    collective_reduce::CollectiveReduce,
    infeed::Infeed,
    outfeed::Outfeed,
    partition_id::PartitionId,
    ragged_all_to_all::RaggedAllToAll,
    recv::Recv,
    recv_done::RecvDone,
    reduce_scatter::ReduceScatter,
    replica_id::ReplicaId,
    send::Send,
    send_done::SendDone,
    // Quantization.
    uniform_dequantize::UniformDequantize,
    uniform_quantize::UniformQuantize,
}

impl Op {
    /// Functions this op names.
    pub fn callees(&self) -> Vec<&str> {
        match self {
            Op::Call(op) => vec![&op.callee],
            Op::Composite(op) => vec![&op.decomposition],
            Op::CustomCall(op) => op.called_computations.iter().map(String::as_str).collect(),
            _ => vec![],
        }
    }

    /// Whether the specification defines the op on quantized values as dequantize, op, quantize and its file leaves that to [`Op::eval`]: the
    /// elementwise functions of numbers.
    fn dequantizes(&self) -> bool {
        matches!(
            self,
            Op::Abs(_)
                | Op::Add(_)
                | Op::Atan2(_)
                | Op::Cbrt(_)
                | Op::Ceil(_)
                | Op::Clamp(_)
                | Op::Compare(_)
                | Op::Cosine(_)
                | Op::Divide(_)
                | Op::Exponential(_)
                | Op::ExponentialMinusOne(_)
                | Op::Floor(_)
                | Op::IsFinite(_)
                | Op::Log(_)
                | Op::LogPlusOne(_)
                | Op::Logistic(_)
                | Op::Maximum(_)
                | Op::Minimum(_)
                | Op::Multiply(_)
                | Op::Negate(_)
                | Op::Power(_)
                | Op::ReducePrecision(_)
                | Op::Remainder(_)
                | Op::RoundNearestAfz(_)
                | Op::RoundNearestEven(_)
                | Op::Rsqrt(_)
                | Op::Sign(_)
                | Op::Sine(_)
                | Op::Sqrt(_)
                | Op::Subtract(_)
                | Op::Tan(_)
                | Op::Tanh(_)
        )
    }

    /// Name and attributes, without names of functions.
    pub(crate) fn hash_structure(&self, h: &mut impl Hasher) {
        match self {
            Op::Call(_) => "call".hash(h),
            Op::Composite(op) => {
                ("composite", &op.name, &op.composite_attributes, op.version).hash(h)
            }
            Op::CustomCall(op) => without_names(op).hash(h),
            op => op.hash(h),
        }
    }
}

/// The call without the names of the functions it calls, which are hashed by their content.
fn without_names(op: &custom_call::CustomCall) -> custom_call::CustomCall {
    custom_call::CustomCall {
        called_computations: vec![],
        ..op.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{attribute::AttributeReader, builder::Sampler, location::Location, op};

    #[test]
    fn every_op_reads_its_own_attributes_and_every_sample_verifies() {
        for seed in 0..40 {
            for (name, program) in Op::samples(&mut Sampler::new(seed, 6)) {
                let wrong = program.verify();
                assert!(wrong.is_empty(), "sample of {name}, seed {seed}: {wrong:?}");
                for id in program.op_ids() {
                    let op::Op::Hlo(op) = &program.op(id).op;
                    let location = Location::default();
                    let mut reader = AttributeReader::new(op.name(), op.to_attributes(), &location);
                    assert_eq!(
                        Op::from_attributes(op.name(), &mut reader).as_ref(),
                        Some(op)
                    );
                    assert_eq!(
                        reader.finish(),
                        Ok(crate::attribute::Attributes::new()),
                        "{name}"
                    );
                }
            }
        }
    }
}
