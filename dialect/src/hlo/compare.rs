//! `compare`: elementwise comparison.
//!
//! Meaning: result[i] = lhs[i] DIRECTION rhs[i]. Floats by IEEE 754 quiet comparisons (NaN is unequal to all and in no order), or with compare_type
//! TOTALORDER by the total order -NaN < -inf < .. < -0 < +0 < .. < inf < NaN; complex: lexicographic on (real, imaginary); false < true.
//! Inputs I1 lhs, I2 rhs (tensors), I3 comparison_direction, I4 compare_type. Constraints: C1 element types agree; C2 shapes of lhs, rhs and result
//! agree, the result is i1; C3 compare_type, where given, fits the element type.
//! Kind: selection on the IEEE plane. Numerics: exact, each type in its own precision. Both outcomes are counted.
//! Example: `%2 = hlo.compare %0, %1 {comparison_direction = "LT"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    buffer::Buffer,
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        elementwise::{self, choice, zip},
        shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{Class, ElementType, Type},
};

/// Which relation is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    Eq,
    Ne,
    Ge,
    Gt,
    Le,
    Lt,
}

/// Which order floats have, or a restatement of an integer's signedness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompareType {
    Float,
    TotalOrder,
    Signed,
    Unsigned,
}

const DIRECTIONS: [(&str, Direction); 6] = [
    ("EQ", Direction::Eq),
    ("NE", Direction::Ne),
    ("GE", Direction::Ge),
    ("GT", Direction::Gt),
    ("LE", Direction::Le),
    ("LT", Direction::Lt),
];

const TYPES: [(&str, CompareType); 4] = [
    ("FLOAT", CompareType::Float),
    ("TOTALORDER", CompareType::TotalOrder),
    ("SIGNED", CompareType::Signed),
    ("UNSIGNED", CompareType::Unsigned),
];

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Compare {
    pub comparison_direction: Direction,
    pub compare_type: Option<CompareType>,
}

fn named<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|row| row.0 == word).map(|row| row.1)
}

fn name_of<T: Copy + PartialEq>(table: &[(&'static str, T)], value: T) -> &'static str {
    table
        .iter()
        .find(|row| row.1 == value)
        .map_or("", |row| row.0)
}

impl OpDef for Compare {
    const NAME: &'static str = "compare";
    const KIND: Kind = Kind::Selection;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Compare {
        let direction = reader.str("comparison_direction");
        let comparison_direction = named(&DIRECTIONS, &direction).unwrap_or_else(|| {
            reader.reject(format!(
                "comparison_direction must be one of EQ, NE, GE, GT, LE, LT, got '{direction}'"
            ));
            Direction::Eq
        });
        let compare_type = reader.opt_str("compare_type").and_then(|word| {
            let found = named(&TYPES, &word);
            if found.is_none() {
                reader.reject(format!(
                    "compare_type must be one of FLOAT, TOTALORDER, SIGNED, UNSIGNED, got '{word}'"
                ));
            }
            found
        });
        Compare {
            comparison_direction,
            compare_type,
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with(
                "comparison_direction",
                name_of(&DIRECTIONS, self.comparison_direction),
            )
            .with_some(
                "compare_type",
                self.compare_type.map(|t| name_of(&TYPES, t)),
            )
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 2)?;
        let mut wrong = vec![];
        if operands[0].element != operands[1].element {
            wrong.push(format!(
                "C1: element types differ: {} and {}",
                operands[0], operands[1]
            ));
        }
        let dims = shape::same_dims(&operands).unwrap_or_else(|_| {
            wrong.push(format!(
                "C2: shapes differ: {} and {}",
                operands[0], operands[1]
            ));
            vec![]
        });
        let fits = match (self.compare_type, operands[0].element.class()) {
            (None, _) | (Some(_), Class::Quantized) => true,
            (Some(t), Class::Signed) => t == CompareType::Signed,
            (Some(t), Class::Unsigned | Class::Boolean) => t == CompareType::Unsigned,
            (Some(t), Class::Float) => matches!(t, CompareType::Float | CompareType::TotalOrder),
            (Some(t), Class::Complex) => t == CompareType::Float,
        };
        if !fits {
            wrong.push(format!(
                "C3: compare_type {} does not fit {}",
                self.compare_type.map_or("", |t| name_of(&TYPES, t)),
                operands[0]
            ));
        }
        if wrong.is_empty() {
            Ok(vec![
                operands[0]
                    .with_dims(dims)
                    .with_element(ElementType::I1)
                    .into(),
            ])
        } else {
            Err(wrong)
        }
    }

    fn eval(
        &self,
        operands: &[Value],
        _: &[Type],
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Value>, Stop> {
        let (a, b) = elementwise::same_shape(operands)?;
        let out = self.outcomes(a, b)?;
        let [no, yes] = choice::count_outcomes(out.as_slice());
        cx.events.predicates[0] += no;
        cx.events.predicates[1] += yes;
        Ok(vec![
            Tensor::new(a.dims().to_vec(), ElementType::I1, out, None).into(),
        ])
    }

    fn bound(
        &self,
        operands: &[Bounded<'_>],
        _: &[Type],
        values: &[Value],
        _: &mut EvalContext<'_>,
    ) -> Result<Vec<Bound>, Stop> {
        // Undetermined where the two intervals overlap.
        if operands.iter().all(|o| o.error.is_exact()) {
            return Ok(vec![Bound::Exact]);
        }
        let [Value::Tensor(a), Value::Tensor(b)] = [operands[0].value, operands[1].value] else {
            return Err(Stop::internal("compare of values that are no tensors"));
        };
        if !a.element().is_float() {
            return Ok(vec![elementwise::exact_or_undetermined(
                operands,
                shape::operand(values, 0)?.len(),
            )]);
        }
        let (x, y) = (a.to_f64s(), b.to_f64s());
        elementwise::bound_exact_op(values, |i| {
            let reach = operands[0].error.at(i) + operands[1].error.at(i);
            if reach == 0.0 || (x[i] - y[i]).abs() > reach {
                0.0
            } else {
                f64::INFINITY
            }
        })
    }

    fn sample(s: &mut Sampler) -> Program {
        let element = s.element(|_| true);
        let total_order = element.is_float() && s.range(0, 1) == 0;
        let op = Compare {
            comparison_direction: s.pick(&DIRECTIONS).1,
            compare_type: total_order.then_some(CompareType::TotalOrder),
        };
        let ty = Type::tensor(s.dims(), element);
        Sampler::single(op, &[ty.clone(), ty], &[])
    }
}

/// Place of an 8-bit float with sign and magnitude in the total order.
fn total_order_f8(bits: u8) -> i16 {
    let magnitude = i16::from(bits & 0x7f);
    if bits & 0x80 == 0 {
        magnitude
    } else {
        -1 - magnitude
    }
}

impl Compare {
    fn outcomes(&self, a: &Tensor, b: &Tensor) -> Result<Buffer, Stop> {
        let total = self.compare_type == Some(CompareType::TotalOrder);
        Ok(match a.element() {
            ElementType::F32 if total => {
                self.each(a.as_slice::<f32>(), b.as_slice::<f32>(), total_order_f32)
            }
            ElementType::F32 => self.each(a.as_slice::<f32>(), b.as_slice::<f32>(), |x| x),
            ElementType::F64 if total => {
                self.each(a.as_slice::<f64>(), b.as_slice::<f64>(), total_order_f64)
            }
            ElementType::F64 => self.each(a.as_slice::<f64>(), b.as_slice::<f64>(), |x| x),
            // Widened, a NaN of these would lose its sign.
            ElementType::F8E3M4
            | ElementType::F8E4M3
            | ElementType::F8E4M3FN
            | ElementType::F8E5M2
                if total =>
            {
                self.each(a.as_slice::<u8>(), b.as_slice::<u8>(), total_order_f8)
            }
            // Every narrower float is an f32 exactly.
            e if e.is_float() && total => self.each(&a.to_f32s(), &b.to_f32s(), total_order_f32),
            e if e.is_float() => self.each(&a.to_f32s(), &b.to_f32s(), |x: f32| x),
            e if e.is_complex() => self.each(
                &elementwise::complexes(a),
                &elementwise::complexes(b),
                |z| Lexicographic(z.re, z.im),
            ),
            ElementType::I1 => self.each(a.as_slice::<u8>(), b.as_slice::<u8>(), |x| x),
            ElementType::Quantized(_) => {
                return Err(Stop::unsupported(format!("compare of {}", a.element())));
            }
            e => {
                crate::integer_dispatch!(e, T => self.each(a.as_slice::<T>(), b.as_slice::<T>(), |x| x),
                _ => return Err(Stop::internal(format!("no integer type {e}"))))
            }
        })
    }

    /// Compares the keys of elements.
    fn each<T: bytemuck::Pod, K: PartialOrd>(
        &self,
        a: &[T],
        b: &[T],
        key: impl Fn(T) -> K,
    ) -> Buffer {
        match self.comparison_direction {
            Direction::Eq => zip(a, b, |x, y| u8::from(key(x) == key(y))),
            Direction::Ne => zip(a, b, |x, y| u8::from(key(x) != key(y))),
            Direction::Ge => zip(a, b, |x, y| u8::from(key(x) >= key(y))),
            Direction::Gt => zip(a, b, |x, y| u8::from(key(x) > key(y))),
            Direction::Le => zip(a, b, |x, y| u8::from(key(x) <= key(y))),
            Direction::Lt => zip(a, b, |x, y| u8::from(key(x) < key(y))),
        }
    }
}

/// A complex number in lexicographic order: by the imaginary part only where the real parts are equal.
#[derive(PartialEq, PartialOrd)]
struct Lexicographic(f64, f64);

/// A number in the order of the integers whose order is the total order of floats.
fn total_order_f32(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ (((bits >> 31) as u32) >> 1) as i32
}

fn total_order_f64(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::elementwise::testing;

    #[test]
    fn the_total_order_of_eight_bit_floats_is_that_of_their_signs_and_magnitudes() {
        let t = |e: &ElementType, bits: &[u8]| Tensor::from_slice(&[bits.len() as u64], e.clone(), bits);
        for e in [ElementType::F8E4M3FN, ElementType::F8E5M2] {
            // -NaN, -1.., -0, 0, 1.., NaN
            let order = [0xff, 0xb8, 0x80, 0x00, 0x38, 0x7f];
            let (below, above) = (t(&e, &order[..5]), t(&e, &order[1..]));
            let total = Some(CompareType::TotalOrder);
            assert_eq!(compare(Direction::Lt, total, &below, &above), [1; 5]);
            assert_eq!(compare(Direction::Lt, total, &above, &below), [0; 5]);
        }
    }

    fn compare(
        direction: Direction,
        compare_type: Option<CompareType>,
        a: &Tensor,
        b: &Tensor,
    ) -> Vec<u8> {
        let op = Compare {
            comparison_direction: direction,
            compare_type,
        };
        testing::run(&op, &[a.clone(), b.clone()])
            .0
            .as_slice()
            .to_vec()
    }

    #[test]
    fn floats() {
        let nan = f64::NAN;
        for element in [
            ElementType::F64,
            ElementType::F32,
            ElementType::BF16,
            ElementType::F16,
            ElementType::F8E4M3FN,
        ] {
            let a = testing::tensor(element.clone(), &[1.0, 2.0, -0.0, nan, nan, -1.0]);
            let b = testing::tensor(element, &[2.0, 2.0, 0.0, 1.0, nan, 1.0]);
            for (direction, want) in [
                (Direction::Eq, [0, 1, 1, 0, 0, 0]),
                (Direction::Ne, [1, 0, 0, 1, 1, 1]),
                (Direction::Lt, [1, 0, 0, 0, 0, 1]),
                (Direction::Le, [1, 1, 1, 0, 0, 1]),
                (Direction::Gt, [0, 0, 0, 0, 0, 0]),
                (Direction::Ge, [0, 1, 1, 0, 0, 0]),
            ] {
                assert_eq!(compare(direction, None, &a, &b), want, "{direction:?}");
            }
        }
    }

    #[test]
    fn total_order() {
        let rising = [
            -f64::NAN,
            f64::NEG_INFINITY,
            -1.0,
            -0.0,
            0.0,
            1.0,
            f64::INFINITY,
            f64::NAN,
        ]
        .map(f64::to_bits);
        // The sign of NaN constants is what the bits say.
        let rising = rising.map(|b| {
            if f64::from_bits(b).is_nan() {
                b & !(1 << 63)
            } else {
                b
            }
        });
        let mut values = rising.map(f64::from_bits);
        values[0] = f64::from_bits(rising[0] | 1 << 63);
        for element in [ElementType::F64, ElementType::F32, ElementType::BF16] {
            let low = testing::tensor(element.clone(), &values[..7]);
            let high = testing::tensor(element, &values[1..]);
            assert_eq!(
                compare(Direction::Lt, Some(CompareType::TotalOrder), &low, &high),
                [1; 7]
            );
            assert_eq!(
                compare(Direction::Eq, Some(CompareType::TotalOrder), &low, &low),
                [1; 7]
            );
        }
    }

    #[test]
    fn integers_and_complex_numbers() {
        let unsigned = |v: &[i64]| Tensor::from_i64s(&[v.len() as u64], &ElementType::U8, v);
        assert_eq!(
            compare(Direction::Gt, None, &unsigned(&[200]), &unsigned(&[100])),
            [1]
        );
        let signed = |v: &[i64]| Tensor::from_i64s(&[v.len() as u64], &ElementType::I8, v);
        assert_eq!(
            compare(
                Direction::Gt,
                Some(CompareType::Signed),
                &signed(&[-56]),
                &signed(&[100])
            ),
            [0]
        );
        let z = |v: &[[f32; 2]]| Tensor::from_slice(&[v.len() as u64], ElementType::C64, v);
        assert_eq!(
            compare(
                Direction::Lt,
                None,
                &z(&[[1.0, 2.0], [1.0, 5.0]]),
                &z(&[[1.0, 3.0], [2.0, 0.0]])
            ),
            [1, 1]
        );
    }

    #[test]
    fn overlapping_intervals_are_undetermined() {
        let values: Vec<Value> = [&[1.0, 1.0][..], &[1.5, 3.0]]
            .map(|v| testing::tensor(ElementType::F32, v).into())
            .into();
        let errors = [Bound::absolute(vec![0.5, 0.5]), Bound::Exact];
        let operands: Vec<Bounded<'_>> = values
            .iter()
            .zip(&errors)
            .map(|(value, error)| Bounded { value, error })
            .collect();
        let (mut runner, mut events) = (crate::eval::NoRegions, crate::eval::Events::default());
        let mut cx = EvalContext {
            planes: crate::planes::Planes::IeeeOnly,
            runner: &mut runner,
            events: &mut events,
        };
        let op = Compare {
            comparison_direction: Direction::Lt,
            compare_type: None,
        };
        let out = op.eval(&values, &[], &mut cx).expect("evaluates");
        let bound = op.bound(&operands, &[], &out, &mut cx).expect("a bound");
        assert_eq!(bound, [Bound::absolute(vec![f64::INFINITY, 0.0])]);
        assert_eq!(events.predicates, [0, 2]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let f = |dims: &[u64], e: ElementType| Type::tensor(dims.iter().copied(), e);
        let infer = |t, a: &Type, b: &Type| {
            Compare {
                comparison_direction: Direction::Eq,
                compare_type: t,
            }
            .infer(&InferContext {
                operands: &[a.clone(), b.clone()],
                declared: &[],
                regions: &[],
            })
        };
        let x = f(&[2], ElementType::F32);
        assert!(infer(Some(CompareType::Float), &x, &x).is_ok());
        for (found, tag) in [
            (infer(None, &x, &f(&[2], ElementType::F64)), "C1"),
            (infer(None, &x, &f(&[3], ElementType::F32)), "C2"),
            (infer(Some(CompareType::Signed), &x, &x), "C3"),
        ] {
            assert!(found.expect_err(tag)[0].starts_with(tag));
        }
    }
}
