//! `custom_call`: an op whose meaning a target name stands for.
//!
//! Meaning: by `call_target_name`, see [`Meaning`]; other targets are `Unsupported` and named. Inputs I1 operands (any values), I2 call_target_name,
//! I3 has_side_effect, I4 backend_config, I5 api_version, I6 called_computations, I7 output_operand_aliases, operand_layouts, result_layouts,
//! `mhlo.attributes` (attributes of the op that an `mhlo.NAME` or `chlo.NAME` target stands for).
//! Constraints: C1 the called computations exist (checked by `Program::verify`); C2 operand_layouts, if any, are as many as operands; I2 not empty;
//! output_operand_aliases are dictionaries.
//! Kind: effect. Numerics: those of the op the target stands for.
//! Example: `%1 = hlo.custom_call @Sharding(%0) : (tensor<2xf32>) -> tensor<2xf32>`.

use crate::{
    attribute::{Attribute, AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{Effect, EvalContext, Stop, Trap},
    hlo::{self, dynamic_call, lapack::{self, Routine}, region_bound, shape},
    import::hlo_text::ELIDED_CONSTANT,
    location::Location,
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CustomCall {
    pub call_target_name: String,
    pub has_side_effect: bool,
    /// A string or a dictionary.
    pub backend_config: Option<Attribute>,
    /// 1 unless given.
    pub api_version: i64,
    /// Functions.
    pub called_computations: Vec<String>,
    pub operand_layouts: Option<Attribute>,
    pub result_layouts: Option<Attribute>,
    pub output_operand_aliases: Option<Attribute>,
    /// `mhlo.attributes`.
    pub op_attributes: Option<Attributes>,
}

/// What a target stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// Results are the operands: annotations of sharding, placement and layout. Shapes must agree.
    Identity,
    /// The op of this name, with `mhlo.attributes` as its attributes.
    Op(&'static str),
    /// The k largest elements of the last dimension; k is the size of the results.
    TopK,
    /// The k first elements of values and of what stands beside them, in the order of a comparator.
    ApproximateTopK,
    /// `reduce_window` with its sizes as operands.
    DynamicReduceWindow,
    /// `top_k` with k as operand.
    DynamicTopK,
    /// A routine of LAPACK.
    Lapack(Routine),
    /// Traps unless the first operand is true.
    ShapeAssertion,
    /// An expectation of a test program, seen as an effect; a result says whether the operands agree. The effect's values are the operands, then the
    /// literals and numbers of `backend_config` in the order of their names (`tolerance` as f64, integers as i64).
    Check,
    /// Passes its operands through and shows them as an effect.
    Show,
}

const TARGETS: &[(&str, Meaning)] = &[
    ("Sharding", Meaning::Identity),
    ("SPMDFullToShardShape", Meaning::Identity),
    ("SPMDShardToFullShape", Meaning::Identity),
    ("annotate_with_sharding", Meaning::Identity),
    ("annotate_device_placement", Meaning::Identity),
    ("LayoutConstraint", Meaning::Identity),
    ("MoveToHost", Meaning::Identity),
    ("MoveToDevice", Meaning::Identity),
    ("PinToDevice", Meaning::Identity),
    ("PinToDeviceSram", Meaning::Identity),
    ("Pin", Meaning::Identity),
    ("Unpin", Meaning::Identity),
    ("xla.sdy.FuncResultSharding", Meaning::Identity),
    ("xla.sdy.GlobalToLocalShape", Meaning::Identity),
    ("xla.sdy.LocalToGlobalShape", Meaning::Identity),
    ("xla.sdy.PropagationBarrier", Meaning::Identity),
    ("mhlo.acos", Meaning::Op("acos")),
    ("mhlo.acosh", Meaning::Op("acosh")),
    ("mhlo.asin", Meaning::Op("asin")),
    ("mhlo.asinh", Meaning::Op("asinh")),
    ("mhlo.atan", Meaning::Op("atan")),
    ("mhlo.atanh", Meaning::Op("atanh")),
    ("mhlo.cosh", Meaning::Op("cosh")),
    ("mhlo.erf", Meaning::Op("erf")),
    ("mhlo.ragged_dot", Meaning::Op("ragged_dot")),
    ("mhlo.sinh", Meaning::Op("sinh")),
    ("mhlo.tan", Meaning::Op("tan")),
    ("mhlo.topk", Meaning::Op("top_k")),
    ("chlo.acos", Meaning::Op("acos")),
    ("chlo.acosh", Meaning::Op("acosh")),
    ("chlo.asin", Meaning::Op("asin")),
    ("chlo.asinh", Meaning::Op("asinh")),
    ("chlo.atan", Meaning::Op("atan")),
    ("chlo.atanh", Meaning::Op("atanh")),
    ("chlo.bessel_i1e", Meaning::Op("bessel_i1e")),
    ("chlo.conj", Meaning::Op("conj")),
    ("chlo.cosh", Meaning::Op("cosh")),
    ("chlo.digamma", Meaning::Op("digamma")),
    ("chlo.erf", Meaning::Op("erf")),
    ("chlo.erf_inv", Meaning::Op("erf_inv")),
    ("chlo.erfc", Meaning::Op("erfc")),
    ("chlo.is_inf", Meaning::Op("is_inf")),
    ("chlo.lgamma", Meaning::Op("lgamma")),
    ("chlo.next_after", Meaning::Op("next_after")),
    ("chlo.polygamma", Meaning::Op("polygamma")),
    ("chlo.sinh", Meaning::Op("sinh")),
    ("chlo.square", Meaning::Op("square")),
    ("chlo.tan", Meaning::Op("tan")),
    ("chlo.top_k", Meaning::Op("top_k")),
    ("chlo.zeta", Meaning::Op("zeta")),
    ("erf", Meaning::Op("erf")),
    ("TopK", Meaning::TopK),
    ("ApproxTopK", Meaning::ApproximateTopK),
    ("stablehlo.dynamic_reduce_window", Meaning::DynamicReduceWindow),
    ("stablehlo.dynamic_top_k", Meaning::DynamicTopK),
    ("shape_assertion", Meaning::ShapeAssertion),
    ("interpreter.print", Meaning::Show),
    ("interpreter.probe", Meaning::Show),
    ("check.eq", Meaning::Check),
    ("check.expect_eq", Meaning::Check),
    ("check.expect_eq_const", Meaning::Check),
    ("check.expect_almost_eq", Meaning::Check),
    ("check.expect_almost_eq_const", Meaning::Check),
    ("check.expect_close", Meaning::Check),
    ("check.expect_close_const", Meaning::Check),
    ("check.expect_serialized_eq", Meaning::Check),
];

impl Meaning {
    /// What `target` stands for; none when this build gives it no meaning.
    pub fn of(target: &str) -> Option<Meaning> {
        let named = TARGETS.iter().find(|(name, _)| *name == target).map(|(_, m)| *m);
        named.or_else(|| lapack::routine(target).map(Meaning::Lapack))
    }
}

impl CustomCall {
    /// A call of `target` without options.
    pub fn new(target: &str) -> CustomCall {
        CustomCall {
            call_target_name: target.to_string(),
            has_side_effect: false,
            backend_config: None,
            api_version: 1,
            called_computations: vec![],
            operand_layouts: None,
            result_layouts: None,
            output_operand_aliases: None,
            op_attributes: None,
        }
    }

    /// Whether a library sums in an order of its own.
    pub fn is_lapack(&self) -> bool {
        lapack::routine(&self.call_target_name).is_some()
    }

    /// Whether the residues of the results are a hash of the operands'.
    pub fn is_opaque(&self) -> bool {
        match Meaning::of(&self.call_target_name) {
            Some(Meaning::Lapack(routine)) => !matches!(routine, Routine::Cholesky | Routine::TriangularSolve),
            Some(_) => false,
            None => true,
        }
    }

    /// Literals and numbers of `backend_config`, in the order of their names.
    fn options(&self) -> Vec<Value> {
        let Some(Attribute::Dict(config)) = &self.backend_config else { return vec![] };
        let value = |a: &Attribute| match a {
            Attribute::Literal(l) => Some(l.to_tensor()),
            Attribute::Float(bits) => Some(Tensor::splat_f64(&[], &ElementType::F64, f64::from_bits(*bits))),
            Attribute::Int(n) => Some(Tensor::from_i64s(&[], &ElementType::I64, &[*n])),
            _ => None,
        };
        config.0.values().filter_map(value).map(Value::from).collect()
    }

    /// The options of a call of the typed interface.
    fn typed_options(&self) -> Attributes {
        match &self.backend_config {
            Some(Attribute::Dict(config)) => config.clone(),
            Some(_) | None => Attributes::new(),
        }
    }

    /// The exact `top_k` first elements along `reduction_dim`, of values and of what stands beside them, in the order of the comparator: what a recall of
    /// 1 gives. The comparator is asked once whether it wants small numbers first.
    fn approximate_top_k(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let options = self.typed_options();
        let number = |name: &str| match options.get(name) {
            Some(Attribute::Int(n)) => usize::try_from(*n).ok(),
            Some(_) | None => None,
        };
        let missing = || Stop::unsupported(format!("{} with these operands or options", self.unsupported()));
        let (values, beside) = (shape::operand(operands, 0)?, shape::operand(operands, 1)?);
        let (k, dim) = (number("top_k").ok_or_else(missing)?, number("reduction_dim").ok_or_else(missing)?);
        let comparator = self.called_computations.first().ok_or_else(missing)?;
        if dim >= values.rank() || values.dims() != beside.dims() || !values.element().is_float() {
            return Err(missing());
        }
        let scalar = |t: &Tensor, x: f64| Value::from(Tensor::splat_f64(&[], t.element(), x));
        let asked = vec![scalar(values, 1.0), scalar(values, 2.0), scalar(beside, 0.0), scalar(beside, 1.0)];
        let asked = asked.into_iter().map(|v| match v {
            Value::Tensor(t) => cx.embedded(t).into(),
            Value::Token(_) | Value::Tuple(_) => v,
        });
        let answer = cx.call(comparator, asked.collect())?;
        let small_first = region_bound::scalar(answer.first()).ok_or_else(missing)? != 0;
        let numbers = values.to_f64s();
        let strides = crate::tensor::row_major_strides(values.dims());
        let (n, stride) = (values.dims()[dim] as usize, strides[dim] as usize);
        let mut dims = values.dims().to_vec();
        dims[dim] = k.min(n) as u64;
        let block = n * stride;
        let mut chosen = vec![];
        for outer in 0..values.len() / block.max(1) {
            let orders: Vec<Vec<usize>> = (0..stride)
                .map(|inner| {
                    let mut at: Vec<usize> = (0..n).map(|i| outer * block + i * stride + inner).collect();
                    at.sort_by(|x, y| if small_first { numbers[*x].total_cmp(&numbers[*y]) } else { numbers[*y].total_cmp(&numbers[*x]) });
                    at
                })
                .collect();
            for i in 0..k.min(n) {
                chosen.extend(orders.iter().map(|order| order[i]));
            }
        }
        let taken = vec![Value::from(values.take(&dims, &chosen)), Value::from(beside.take(&dims, &chosen))];
        let fits = |types: &[Type]| taken.iter().zip(types).all(|(v, t)| v.ty().compatible(t)) && types.len() == 2;
        match results {
            [Type::Tuple(parts)] if fits(parts) => Ok(vec![Value::Tuple(taken)]),
            _ if fits(results) => Ok(taken),
            _ => Err(missing()),
        }
    }

    fn unsupported(&self) -> String {
        if self.call_target_name == ELIDED_CONSTANT {
            return "a constant that the HLO text leaves out as {...}; XLA_FLAGS=--xla_dump_large_constants=true keeps it in dumps, \
                print_large_constants in as_text"
                .to_string();
        }
        format!("custom_call target '{}'", self.call_target_name)
    }

    /// The op of the list that the target stands for.
    pub fn stands_for(&self, results: &[Type]) -> Result<Option<hlo::Op>, Stop> {
        let (name, attributes) = match Meaning::of(&self.call_target_name) {
            Some(Meaning::Op(name)) => (name, self.op_attributes.clone().unwrap_or_default()),
            Some(Meaning::TopK) => {
                let first = match results.first() {
                    Some(Type::Tuple(parts)) => parts.first(),
                    Some(Type::Tensor(_) | Type::Token) | None => results.first(),
                };
                let dims = first.and_then(Type::as_tensor).and_then(|t| t.static_dims());
                let k = dims.and_then(|d| d.last().copied()).ok_or_else(|| Stop::unsupported(self.unsupported()))?;
                ("top_k", Attributes::new().with("k", k as i64))
            }
            Some(Meaning::Lapack(Routine::TriangularSolve)) => {
                let attributes = lapack::triangular_solve(&self.typed_options());
                ("triangular_solve", attributes.ok_or_else(|| Stop::unsupported(format!("{} with these options", self.unsupported())))?)
            }
            Some(
                Meaning::Identity
                | Meaning::ShapeAssertion
                | Meaning::Check
                | Meaning::Show
                | Meaning::ApproximateTopK
                | Meaning::DynamicReduceWindow
                | Meaning::DynamicTopK
                | Meaning::Lapack(_),
            )
            | None => return Ok(None),
        };
        let location = Location::default();
        let mut reader = AttributeReader::new(name, attributes, &location);
        let op = hlo::Op::from_attributes(name, &mut reader).ok_or_else(|| Stop::unsupported(self.unsupported()))?;
        reader.finish().map_err(|all| Stop::Failed(crate::error::Error::InvalidProgram(all)))?;
        Ok(Some(op))
    }
}

/// Whether two tensors agree as `check.eq` wants: integers exactly, floats within 1e-4, NaN with NaN.
fn agree(a: &Tensor, b: &Tensor) -> bool {
    let close = |x: &f64, y: &f64| x == y || (x - y).abs() <= 1e-4 || (x.is_nan() && y.is_nan());
    a.dims() == b.dims()
        && a.element() == b.element()
        && match a.element() {
            e if e.is_complex() => {
                let (a, b) = (hlo::contraction::complex_f64s(a), hlo::contraction::complex_f64s(b));
                a.iter().zip(b.iter()).all(|(x, y)| close(&x.re, &y.re) && close(&x.im, &y.im))
            }
            e if e.is_float() => a.to_f64s().iter().zip(b.to_f64s().iter()).all(|(x, y)| close(x, y)),
            _ => a.ieee() == b.ieee(),
        }
}

impl OpDef for CustomCall {
    const NAME: &'static str = "custom_call";
    const KIND: Kind = Kind::Effect;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> CustomCall {
        let call_target_name = reader.str("call_target_name");
        let called_computations = match reader.take("called_computations") {
            None => vec![],
            Some(Attribute::Array(all)) => {
                let names: Vec<String> = all.iter().filter_map(|a| if let Attribute::Symbol(s) = a { Some(s.clone()) } else { None }).collect();
                if names.len() != all.len() {
                    reader.reject("attribute 'called_computations' must be a list of symbols");
                }
                names
            }
            Some(_) => {
                reader.reject("attribute 'called_computations' must be a list of symbols");
                vec![]
            }
        };
        let output_operand_aliases = reader.take("output_operand_aliases").filter(|a| *a != Attribute::Array(vec![]));
        let is_list = |a: &Attribute| matches!(a, Attribute::Array(all) if all.iter().all(|a| matches!(a, Attribute::Dict(_))));
        if !output_operand_aliases.as_ref().is_none_or(is_list) {
            reader.reject("attribute 'output_operand_aliases' must be a list of #stablehlo.output_operand_alias");
        }
        let backend_config = reader.take("backend_config");
        if !matches!(backend_config, None | Some(Attribute::Str(_) | Attribute::Dict(_))) {
            reader.reject("attribute 'backend_config' must be a string or a dictionary");
        }
        CustomCall {
            call_target_name,
            has_side_effect: reader.opt_bool("has_side_effect").unwrap_or(false),
            backend_config,
            api_version: reader.opt_int("api_version").unwrap_or(1),
            called_computations,
            operand_layouts: reader.take("operand_layouts").filter(|a| *a != Attribute::Array(vec![])),
            result_layouts: reader.take("result_layouts"),
            output_operand_aliases,
            op_attributes: reader.opt_dict("mhlo.attributes"),
        }
    }

    fn to_attributes(&self) -> Attributes {
        let symbols = |names: &Vec<String>| Attribute::Array(names.iter().map(|n| Attribute::Symbol(n.clone())).collect());
        Attributes::new()
            .with("call_target_name", self.call_target_name.as_str())
            .with_some("has_side_effect", self.has_side_effect.then_some(true))
            .with_some("backend_config", self.backend_config.clone())
            .with_some("api_version", (self.api_version != 1).then_some(self.api_version))
            .with_some("called_computations", (!self.called_computations.is_empty()).then(|| symbols(&self.called_computations)))
            .with_some("operand_layouts", self.operand_layouts.clone())
            .with_some("result_layouts", self.result_layouts.clone())
            .with_some("output_operand_aliases", self.output_operand_aliases.clone())
            .with_some("mhlo.attributes", self.op_attributes.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        if self.call_target_name.is_empty() {
            return Err(vec!["I2: call_target_name must not be empty".to_string()]);
        }
        if let Some(Attribute::Array(layouts)) = &self.operand_layouts
            && layouts.len() != cx.operands.len()
        {
            return Err(vec![format!("C2: {} operand_layouts for {} operands", layouts.len(), cx.operands.len())]);
        }
        Ok(cx.declared.to_vec())
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let meaning = Meaning::of(&self.call_target_name).ok_or_else(|| Stop::unsupported(self.unsupported()))?;
        match meaning {
            Meaning::Identity => {
                let fits = operands.len() == results.len() && operands.iter().zip(results).all(|(v, t)| v.ty().compatible(t));
                if fits { Ok(operands.to_vec()) } else { Err(Stop::unsupported(format!("{} that changes the shape", self.unsupported()))) }
            }
            Meaning::Show => {
                cx.events.effects.push(Effect { kind: self.call_target_name.clone(), values: operands.to_vec() });
                Ok(operands.iter().take(results.len()).cloned().collect())
            }
            Meaning::Op(_) | Meaning::TopK | Meaning::Lapack(Routine::TriangularSolve) => {
                let op = self.stands_for(results)?.ok_or_else(|| Stop::unsupported(self.unsupported()))?;
                match results {
                    [Type::Tuple(parts)] => Ok(vec![Value::Tuple(op.eval(operands, parts, cx)?)]),
                    _ => op.eval(operands, results, cx),
                }
            }
            Meaning::ApproximateTopK => self.approximate_top_k(operands, results, cx),
            Meaning::DynamicReduceWindow => {
                let callee = self.called_computations.first().ok_or_else(|| Stop::unsupported(self.unsupported()))?;
                dynamic_call::reduce_window(callee, operands, cx)
            }
            Meaning::DynamicTopK => dynamic_call::top_k(operands, results, cx),
            Meaning::Lapack(routine) => lapack::eval(routine, &self.typed_options(), operands, results, cx),
            Meaning::ShapeAssertion => match region_bound::scalar(operands.first()) {
                Some(0) => {
                    let values: Vec<String> = operands[1..].iter().filter_map(|v| region_bound::scalar(Some(v))).map(|n| n.to_string()).collect();
                    Err(Stop::Trap(Trap::AssertionFailed(format!("shape_assertion ({})", values.join(", ")))))
                }
                Some(_) => Ok(vec![]),
                None => Err(Stop::internal("shape_assertion without predicate")),
            },
            Meaning::Check => {
                let values = operands.iter().cloned().chain(self.options()).collect();
                cx.events.effects.push(Effect { kind: self.call_target_name.clone(), values });
                if results.is_empty() {
                    return Ok(vec![]);
                }
                let equal = agree(shape::operand(operands, 0)?, shape::operand(operands, 1)?);
                results
                    .iter()
                    .map(|t| match t.as_tensor() {
                        Some(t) if t.rank() == 0 && t.element == ElementType::I1 => Ok(Tensor::from_i64s(&[], &ElementType::I1, &[i64::from(equal)]).into()),
                        Some(_) | None => Err(Stop::unsupported(format!("{} with a result of type {t}", self.unsupported()))),
                    })
                    .collect()
            }
        }
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], cx: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        match Meaning::of(&self.call_target_name) {
            Some(Meaning::Identity | Meaning::Show) => Ok(region_bound::passed(operands, values)),
            Some(Meaning::Op(_) | Meaning::TopK | Meaning::Lapack(Routine::TriangularSolve)) => match (self.stands_for(results)?, values) {
                (Some(_), [Value::Tuple(_)]) | (None, _) => Ok(region_bound::undetermined(values)),
                (Some(op), _) => op.bound(operands, results, values, cx),
            },
            Some(
                Meaning::ShapeAssertion
                | Meaning::Check
                | Meaning::ApproximateTopK
                | Meaning::DynamicReduceWindow
                | Meaning::DynamicTopK,
            ) => Ok(region_bound::exact_or_undetermined(operands, values)),
            Some(Meaning::Lapack(Routine::Cholesky)) => lapack::cholesky_bound(&self.typed_options(), operands, values, cx),
            // Other steps than those here are as good.
            Some(Meaning::Lapack(_)) | None => Ok(region_bound::undetermined(values)),
        }
    }

    fn sample(s: &mut Sampler) -> Program {
        let ty = Type::tensor(s.dims(), s.element(|_| true));
        let op = CustomCall {
            backend_config: Some("".into()),
            api_version: 2,
            ..CustomCall::new("Sharding")
        };
        Sampler::single(op, std::slice::from_ref(&ty), std::slice::from_ref(&ty))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        error::Error,
        eval::{Events, NoRegions},
        planes::Planes,
    };

    fn eval(op: &CustomCall, operands: &[Value], results: &[Type]) -> (Result<Vec<Value>, Stop>, Events) {
        let (mut runner, mut events) = (NoRegions, Events::default());
        let got = op.eval(operands, results, &mut EvalContext { planes: Planes::IeeeOnly, runner: &mut runner, events: &mut events });
        (got, events)
    }

    fn bit(v: i64) -> Value {
        Tensor::from_i64s(&[], &ElementType::I1, &[v]).into()
    }

    #[test]
    fn targets_are_named_once() {
        for (i, (name, _)) in TARGETS.iter().enumerate() {
            assert!(TARGETS[..i].iter().all(|(other, _)| other != name), "{name}");
        }
    }

    #[test]
    fn layouts_and_aliases_fit_the_operands() {
        let layouts = |n: usize| CustomCall {
            operand_layouts: (n > 0).then(|| Attribute::Array(vec![Attribute::Ints(vec![0]); n])),
            ..CustomCall::new("t")
        };
        assert_eq!(crate::eval_test_runner::violated(layouts(1), &[Type::tensor([2], ElementType::F32)], &[]), Vec::<String>::new());
        crate::eval_test_runner::assert_violates("C2", layouts(2), &[Type::tensor([2], ElementType::F32)], &[]);
        let attributes = Attributes::new().with("call_target_name", "t").with("output_operand_aliases", vec![Attribute::from("#a.b<c>")]);
        let location = Location::default();
        let mut reader = AttributeReader::new("custom_call", attributes, &location);
        let _ = CustomCall::from_attributes(&mut reader);
        assert!(reader.finish().is_err());
    }

    #[test]
    fn an_unknown_target_is_named() {
        let (got, _) = eval(&CustomCall::new("lapack_sgees_ffi"), &[], &[]);
        assert!(matches!(got, Err(Stop::Failed(Error::Unsupported { what, .. })) if what.contains("'lapack_sgees_ffi'")));
    }

    #[test]
    fn a_false_shape_assertion_traps() {
        let op = CustomCall::new("shape_assertion");
        assert!(eval(&op, &[bit(1)], &[]).0.unwrap().is_empty());
        let seven = Tensor::from_i64s(&[], &ElementType::I32, &[7]).into();
        let (got, _) = eval(&op, &[bit(0), seven], &[]);
        assert!(matches!(got, Err(Stop::Trap(Trap::AssertionFailed(m))) if m.contains('7')));
    }

    #[test]
    fn an_annotation_keeps_its_operand_or_says_that_it_cannot() {
        let x = Value::from(Tensor::from_slice(&[2], ElementType::F32, &[1f32, 2.]));
        let op = CustomCall::new("SPMDFullToShardShape");
        assert_eq!(eval(&op, std::slice::from_ref(&x), &[x.ty()]).0.unwrap(), std::slice::from_ref(&x));
        let (got, _) = eval(&op, &[x], &[Type::tensor([1], ElementType::F32)]);
        assert!(matches!(got, Err(Stop::Failed(Error::Unsupported { .. }))));
    }

    #[test]
    fn a_check_is_an_effect_and_compares() {
        let (x, y) = (Tensor::from_slice(&[1], ElementType::F32, &[1f32]), Tensor::from_slice(&[1], ElementType::F32, &[1.00005f32]));
        let z = Tensor::from_slice(&[1], ElementType::F32, &[1.001f32]);
        let bool_type = Type::tensor([], ElementType::I1);
        let op = CustomCall::new("check.eq");
        let (got, events) = eval(&op, &[x.clone().into(), y.into()], std::slice::from_ref(&bool_type));
        assert_eq!(got.unwrap(), [bit(1)]);
        assert_eq!((events.effects.len(), events.effects[0].kind.as_str()), (1, "check.eq"));
        assert_eq!(eval(&op, &[x.into(), z.into()], &[bool_type]).0.unwrap(), [bit(0)]);
    }

    #[test]
    fn attributes_are_checked() {
        let location = Location::default();
        let attributes = Attributes::new().with("call_target_name", "f").with("called_computations", 3i64).with("backend_config", 4i64);
        let mut reader = AttributeReader::new("custom_call", attributes, &location);
        CustomCall::from_attributes(&mut reader);
        assert_eq!(reader.finish().unwrap_err().len(), 2);
        let cx = InferContext { operands: &[], declared: &[], regions: &[] };
        assert!(CustomCall::new("").infer(&cx).unwrap_err()[0].starts_with("I2"));
    }
}
