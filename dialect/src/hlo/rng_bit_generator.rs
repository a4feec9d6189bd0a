//! `rng_bit_generator`: random bits and the state after them.
//!
//! Meaning: (output_state, output) = the bits XLA:CPU makes: THREE_FRY with key initial_state[0] and 64-bit counter initial_state[1]; PHILOX with key
//! initial_state[0] and 128-bit counter (initial_state[1], initial_state[2]), of a state of two words (initial_state[1], initial_state[0]); DEFAULT is
//! PHILOX. Types narrower than 32 bits take the low bits of 32-bit numbers.
//! Inputs I1 rng_algorithm, I2 initial_state (ui64 vector). Constraints: C1 type(output_state) = type(initial_state); C2 the state has 2 words, 2 or 3
//! with PHILOX and DEFAULT; I2, and an output of integer or float type.
//! Kind: integer. Numerics: exact bits; a float output has the value of its bits (marked from bits).
//! Example: `%1:2 = hlo.rng_bit_generator %0 {rng_algorithm = "THREE_FRY"} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui64>)`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop, Trap},
    hlo::{
        random_bits::{philox_numbers, threefry_numbers},
        region_bound, shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{Dim, ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RngBitGenerator {
    pub rng_algorithm: RngAlgorithm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RngAlgorithm {
    Default,
    ThreeFry,
    Philox,
}

impl RngAlgorithm {
    const WORDS: [(RngAlgorithm, &'static str); 3] =
        [(RngAlgorithm::Default, "DEFAULT"), (RngAlgorithm::ThreeFry, "THREE_FRY"), (RngAlgorithm::Philox, "PHILOX")];

    pub fn word(self) -> &'static str {
        RngAlgorithm::WORDS.iter().find(|(a, _)| *a == self).map_or("DEFAULT", |(_, w)| w)
    }

    pub fn from_word(word: &str) -> Option<RngAlgorithm> {
        RngAlgorithm::WORDS.iter().find(|(_, w)| *w == word).map(|(a, _)| *a)
    }
}

/// The low bits of `numbers` as elements of an integer or float type.
fn from_bits(dims: &[u64], element: &ElementType, numbers: &[u64]) -> Tensor {
    let integer = match element.bits() {
        64 => ElementType::U64,
        32 => ElementType::U32,
        16 => ElementType::U16,
        _ => ElementType::U8,
    };
    let wrapped: Vec<i64> = numbers.iter().map(|n| *n as i64).collect();
    if element.is_integer() {
        return Tensor::from_i64s(dims, element, &wrapped);
    }
    let mask = if element.bits() < 8 { (1i64 << element.bits()) - 1 } else { -1 };
    let masked: Vec<i64> = wrapped.iter().map(|n| n & mask).collect();
    Tensor::from_i64s(dims, &integer, &masked).with_element_bits(element.clone())
}

impl OpDef for RngBitGenerator {
    const NAME: &'static str = "rng_bit_generator";
    const KIND: Kind = Kind::Integer;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> RngBitGenerator {
        let word = reader.str("rng_algorithm");
        let rng_algorithm = RngAlgorithm::from_word(&word).unwrap_or_else(|| {
            reader.reject(format!("I1: rng_algorithm '{word}' must be DEFAULT, THREE_FRY or PHILOX"));
            RngAlgorithm::Default
        });
        RngBitGenerator { rng_algorithm }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("rng_algorithm", self.rng_algorithm.word())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let state = shape::tensors(cx, 1)?[0];
        let output = shape::declared(cx, 1)?;
        let mut wrong = vec![];
        if state.element != ElementType::U64 || state.rank() != 1 {
            wrong.push(format!("I2: initial_state must be a vector of ui64, got {state}"));
        }
        let words: &[u64] = if self.rng_algorithm == RngAlgorithm::ThreeFry { &[2] } else { &[2, 3] };
        if let [Dim::Static(n)] = state.dims[..]
            && !words.contains(&n)
        {
            wrong.push(format!("C2: a state of {n} words for {}", self.rng_algorithm.word()));
        }
        if !(output.element.is_float() || output.element.is_integer()) || output.element == ElementType::I1 {
            wrong.push(format!("output must be of integer or float type, got {output}"));
        }
        if wrong.is_empty() { Ok(vec![Type::Tensor(state.clone()), Type::Tensor(output.clone())]) } else { Err(wrong) } // C1
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let state = shape::operand(operands, 0)?;
        let element = &results.get(1).and_then(Type::as_tensor).ok_or_else(|| Stop::internal("rng_bit_generator without output"))?.element;
        let dims = shape::result_dims(results, 1)?;
        let words: Vec<u64> = state.to_i64s().iter().map(|w| *w as u64).collect();
        let count = dims.iter().product();
        let (next, numbers) = match (self.rng_algorithm, &words[..]) {
            (RngAlgorithm::ThreeFry, [key, counter]) => {
                let drawn = threefry_numbers(*key, *counter, &dims, element.bits());
                (vec![*key, drawn.counter], drawn.numbers)
            }
            (RngAlgorithm::Philox | RngAlgorithm::Default, [key, low]) => {
                let drawn = philox_numbers(*key, u128::from(*low) | u128::from(*key) << 64, count, element.bits());
                (vec![*key, drawn.counter as u64], drawn.numbers)
            }
            (RngAlgorithm::Philox | RngAlgorithm::Default, [key, low, high]) => {
                let drawn = philox_numbers(*key, u128::from(*low) | u128::from(*high) << 64, count, element.bits());
                (vec![*key, drawn.counter as u64, (drawn.counter >> 64) as u64], drawn.numbers)
            }
            _ => return Err(Stop::Trap(Trap::ShapeMismatch(format!("rng_bit_generator of a state {}", state.ty())))),
        };
        let output = from_bits(&dims, element, &numbers);
        if element.has_ring() {
            cx.events.from_bits += count;
        }
        let next = Tensor::from_slice(state.dims(), ElementType::U64, &next);
        Ok(vec![next.into(), cx.embedded(output).into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::exact_or_undetermined(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let rng_algorithm = s.pick(&RngAlgorithm::WORDS).0;
        let words = if rng_algorithm == RngAlgorithm::ThreeFry { 2 } else { s.range(2, 3) };
        let state = Type::tensor([words], ElementType::U64);
        let output = Type::tensor(s.dims(), s.element(|e| e.is_integer() && *e != ElementType::I1));
        Sampler::single(RngBitGenerator { rng_algorithm }, std::slice::from_ref(&state), &[state.clone(), output])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::{Events, NoRegions},
        planes::Planes,
    };

    fn eval(rng_algorithm: RngAlgorithm, state: &[u64], dims: &[u64], element: ElementType) -> (Vec<u64>, Vec<u64>) {
        let state = Tensor::from_slice(&[state.len() as u64], ElementType::U64, state);
        let results = [state.ty().into(), Type::tensor(dims.iter().copied(), element)];
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let got = RngBitGenerator { rng_algorithm }.eval(&[state.into()], &results, &mut cx).unwrap();
        let numbers = |i: usize| got[i].as_tensor().unwrap().to_i64s().iter().map(|v| *v as u64).collect::<Vec<_>>();
        (numbers(0), numbers(1))
    }

    const STATE: [u64; 2] = [0x1234_5678_9abc_def0, 0xffff_ffff_ffff_fffe];

    /// Answers of jaxlib 0.10.2 on CPU.
    #[test]
    fn threefry_as_xla_has_it() {
        let draw = |dims: &[u64], e| eval(RngAlgorithm::ThreeFry, &STATE, dims, e);
        let nine = [1010520186, 2754706343, 1593802813, 1888741164, 569486026, 1289978105, 961273596, 1379882886, 1430061416];
        assert_eq!(draw(&[3, 3], ElementType::U32), (vec![STATE[0], 4], nine.to_vec()));
        assert_eq!(draw(&[2], ElementType::U64), (vec![STATE[0], 0], vec![8112081530999492730, 2445923859953712039]));
        assert_eq!(draw(&[3], ElementType::U8), (vec![STATE[0], 0], vec![122, 44, 167]));
        assert_eq!(draw(&[], ElementType::U32), (vec![STATE[0], u64::MAX], vec![1010520186]));
        assert_eq!(draw(&[0, 4], ElementType::U32), (STATE.to_vec(), vec![]));
    }

    #[test]
    fn philox_as_xla_has_it_and_it_is_the_default() {
        let nine = [3151517439, 3080049825, 2645875639, 2972309415, 1480449822, 3015399692, 3935955418, 1076038438, 271420659];
        for algorithm in [RngAlgorithm::Philox, RngAlgorithm::Default] {
            let draw = |dims: &[u64], e| eval(algorithm, &STATE, dims, e);
            assert_eq!(draw(&[3, 3], ElementType::U32), (vec![STATE[0], 1], nine.to_vec()));
            assert_eq!(draw(&[2], ElementType::U64), (vec![STATE[0], u64::MAX], vec![13228713271577040639, 12765971733663767479]));
            assert_eq!(draw(&[3], ElementType::U8).1, [255, 161, 183]);
            let three = eval(algorithm, &[STATE[0], STATE[1], 7], &[5], ElementType::U32);
            assert_eq!(three, (vec![STATE[0], 0, 8], vec![633975504, 212267098, 1682909136, 406308850, 87988195]));
        }
    }

    #[test]
    fn a_float_output_has_the_value_of_its_bits() {
        let state = Tensor::from_slice(&[2], ElementType::U64, &STATE);
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let results = [state.ty().into(), Type::tensor([1], ElementType::F32)];
        let got = RngBitGenerator { rng_algorithm: RngAlgorithm::Philox }.eval(&[state.into()], &results, &mut cx).unwrap();
        let t = got[1].as_tensor().unwrap();
        assert_eq!(t.as_slice::<f32>()[0].to_bits(), 3151517439);
        assert_eq!(t.clone().with_ring(None).with_embedded_ring(), *t);
        assert_eq!(events.from_bits, 1);
    }

    #[test]
    fn each_constraint_is_checked() {
        let infer = |rng_algorithm, state: Type, output: ElementType| {
            let declared = [state.clone(), Type::tensor([4], output)];
            RngBitGenerator { rng_algorithm }.infer(&InferContext { operands: &[state], declared: &declared, regions: &[] })
        };
        let words = |n: u64| Type::tensor([n], ElementType::U64);
        assert!(infer(RngAlgorithm::Philox, words(3), ElementType::U32).is_ok());
        assert!(infer(RngAlgorithm::ThreeFry, words(3), ElementType::U32).unwrap_err()[0].starts_with("C2"));
        assert!(infer(RngAlgorithm::Default, words(4), ElementType::U32).unwrap_err()[0].starts_with("C2"));
        assert!(infer(RngAlgorithm::ThreeFry, Type::tensor([2], ElementType::U32), ElementType::U32).unwrap_err()[0].starts_with("I2"));
        assert!(infer(RngAlgorithm::ThreeFry, words(2), ElementType::C64).unwrap_err()[0].starts_with("output"));
    }
}
