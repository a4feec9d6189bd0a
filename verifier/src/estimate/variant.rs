//! Variants of a program for the estimate: the same over f64, and the same with its roundings and the order of its sums disturbed.

use crate::inputs::Random;
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};
use tileproof_dialect::{
    bound::unit_roundoff,
    builder::{ProgramBuilder, Provenance},
    error::Error,
    hlo::{
        self, broadcast_in_dim::BroadcastInDim, constant::Constant, multiply::Multiply,
        reverse::Reverse,
    },
    literal::Literal,
    op::{Kind, Op},
    program::{OpId, Operation, Program, RegionId, ValueId},
    tensor::{Tensor, Value},
    types::{ElementType, TensorType, Type},
};

/// Longest pattern of disturbances along one dimension.
const LONGEST_PATTERN: u64 = 1 << 16;

/// What is changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// Floats are f64, complex numbers pairs of them. Explicit reductions of the precision stay; conversions to narrower types vanish.
    Wide,
    /// Every rounded result, and every term of a sum, is moved by at most one unit in the last place, and sums run backwards for half of the seeds.
    Disturbed { seed: u64 },
}

/// The variant of a program whose calls are replaced by their bodies.
pub fn of(program: &Program, variant: Variant) -> Result<Program, Error> {
    let seed = match variant {
        Variant::Wide => 0,
        Variant::Disturbed { seed } => seed,
    };
    let mut rebuild = Rebuild {
        program,
        variant,
        random: Random::new(seed, 0xe571),
        builder: ProgramBuilder::new(&program.name, Provenance::Keep),
        values: HashMap::new(),
        callees: BTreeSet::new(),
    };
    rebuild.function(&program.main().name)?;
    let mut done = BTreeSet::from([program.main().name.clone()]);
    while let Some(name) = rebuild.callees.iter().find(|n| !done.contains(*n)).cloned() {
        rebuild.function(&name)?;
        done.insert(name);
    }
    let out = rebuild.builder.program_mut();
    (out.num_replicas, out.num_partitions) = (program.num_replicas, program.num_partitions);
    rebuild.builder.finish()
}

/// A value in the types of the variant [`Variant::Wide`].
pub fn widened(value: &Value) -> Value {
    match value.as_tensor() {
        Some(t) => match wide(t.element()) {
            Some(element) => Value::Tensor(in_type(t, &element)),
            None => value.clone(),
        },
        None => value.clone(),
    }
}

/// The wide type of a float type that is narrower.
pub fn wide(element: &ElementType) -> Option<ElementType> {
    match element {
        ElementType::C64 => Some(ElementType::C128),
        ElementType::F64 | ElementType::C128 => None,
        other => other.is_float().then_some(ElementType::F64),
    }
}

fn in_type(t: &Tensor, element: &ElementType) -> Tensor {
    let Some(part) = element.complex_part() else {
        return Tensor::from_f64s(t.dims(), element, &t.to_f64s());
    };
    let values: Vec<f64> = t
        .as_slice::<[f32; 2]>()
        .iter()
        .flat_map(|z| [f64::from(z[0]), f64::from(z[1])])
        .collect();
    let parts = Tensor::from_f64s(&[values.len() as u64], &part, &values);
    Tensor::new(
        t.dims().to_vec(),
        element.clone(),
        parts.ieee().clone(),
        None,
    )
}

struct Rebuild<'p> {
    program: &'p Program,
    variant: Variant,
    random: Random,
    builder: ProgramBuilder,
    values: HashMap<ValueId, ValueId>,
    /// Functions that ops name.
    callees: BTreeSet<String>,
}

impl Rebuild<'_> {
    fn ty(&self, v: ValueId) -> Type {
        let ty = self.program.ty(v);
        let changed = ty.as_tensor().and_then(|t| {
            let element = wide(&t.element).filter(|_| self.variant == Variant::Wide)?;
            Some(Type::Tensor(Arc::new(t.with_element(element))))
        });
        changed.unwrap_or_else(|| ty.clone())
    }

    fn types(&self, values: &[ValueId]) -> Vec<Type> {
        values.iter().map(|v| self.ty(*v)).collect()
    }

    fn function(&mut self, name: &str) -> Result<(), Error> {
        let id = self.program.find_function(name);
        let f = self
            .program
            .function(id.ok_or_else(|| Error::internal(format!("no function '{name}'")))?);
        let parameters = &self.program.region(f.body).arguments;
        let types = self.types(parameters);
        let arguments = self
            .builder
            .begin_function(name, &types, f.location.clone());
        self.values
            .extend(parameters.iter().copied().zip(arguments));
        let results = self.ops(f.body, Depth::Followed)?;
        self.builder.end_function(&results, f.location.clone());
        Ok(())
    }

    fn ops(&mut self, region: RegionId, depth: Depth) -> Result<Vec<ValueId>, Error> {
        for id in &self.program.region(region).ops {
            if self.program.op(*id).op.is_return() {
                break;
            }
            self.op(*id, depth)?;
        }
        self.mapped(self.program.returned(region))
    }

    fn mapped(&self, values: &[ValueId]) -> Result<Vec<ValueId>, Error> {
        let find = |v: &ValueId| self.values.get(v).copied();
        values
            .iter()
            .map(|v| find(v).ok_or_else(|| Error::internal("a value before its definition")))
            .collect()
    }

    fn op(&mut self, id: OpId, depth: Depth) -> Result<(), Error> {
        let o = self.program.op(id);
        let mut operands = self.mapped(&o.operands)?;
        let mut regions = vec![];
        for r in &o.regions {
            let region = self.program.region(*r);
            let types = self.types(&region.arguments);
            let arguments = self.builder.begin_region(&types);
            self.values
                .extend(region.arguments.iter().copied().zip(arguments));
            let results = self.ops(*r, inner(&o.op, depth))?;
            regions.push(self.builder.end_region(&results, o.location.clone()));
        }
        let op = match self.variant {
            Variant::Wide => self.wide_op(o)?,
            Variant::Disturbed { seed } => {
                if depth == Depth::Followed && seed % 2 == 1 {
                    self.turn(o, &mut operands);
                }
                if depth == Depth::Followed
                    && let (Some(unit), Some(terms)) =
                        (self.rounding_of_steps(o), operands.first_mut())
                {
                    *terms = self.moved(*terms, unit);
                }
                o.op.clone()
            }
        };
        self.callees
            .extend(op.callees().into_iter().map(str::to_string));
        let types = self.types(&o.results);
        let mut results = self
            .builder
            .op(op, &operands, &types, regions, o.location.clone());
        if depth == Depth::Followed && matches!(self.variant, Variant::Disturbed { .. }) {
            for r in &mut results {
                *r = self.disturbed(o, *r);
            }
        }
        self.values.extend(o.results.iter().copied().zip(results));
        Ok(())
    }

    /// The op for wide operands.
    fn wide_op(&self, o: &Operation) -> Result<Op, Error> {
        let Op::Hlo(op) = &o.op;
        Ok(match op {
            hlo::Op::Constant(c) if wide(c.value.element()).is_some() => {
                let one = widened(&Value::Tensor(c.value.to_tensor()));
                let value = one.as_tensor().map(Literal::from_tensor);
                let value = value.ok_or_else(|| Error::internal("a constant without value"))?;
                hlo::Op::from(Constant { value }).into()
            }
            hlo::Op::DotGeneral(dot) => {
                let mut dot = dot.clone();
                dot.algorithm = None;
                hlo::Op::from(dot).into()
            }
            hlo::Op::Composite(composite) => match composite.implements() {
                Some(named) => named.op.into(),
                None => o.op.clone(),
            },
            hlo::Op::BitcastConvert(_)
            | hlo::Op::UniformQuantize(_)
            | hlo::Op::UniformDequantize(_) => {
                return Err(Error::unsupported(format!("{} over f64", op.name())));
            }
            _ => o.op.clone(),
        })
    }

    /// Reverses the dimensions that a sum runs along.
    fn turn(&mut self, o: &Operation, operands: &mut [ValueId]) {
        let Op::Hlo(op) = &o.op;
        let turned: Vec<(usize, Vec<i64>)> = match op {
            hlo::Op::DotGeneral(dot) => vec![
                (0, dot.lhs_contracting_dimensions.clone()),
                (1, dot.rhs_contracting_dimensions.clone()),
            ],
            hlo::Op::Convolution(c) if c.feature_group_count == 1 => vec![
                (0, vec![c.input_feature_dimension]),
                (1, vec![c.kernel_input_feature_dimension]),
            ],
            hlo::Op::Reduce(reduce) if self.adds_up(o) => vec![(0, reduce.dimensions.clone())],
            _ => vec![],
        };
        for (i, dimensions) in turned.into_iter().filter(|(_, d)| !d.is_empty()) {
            let v = operands[i];
            let ty = self.builder.ty(v).clone();
            let op = hlo::Op::from(Reverse { dimensions });
            operands[i] = self
                .builder
                .op(op.into(), &[v], &[ty], vec![], o.location.clone())[0];
        }
    }

    /// Whether the op folds one tensor by a sum or product of its two arguments.
    fn adds_up(&self, o: &Operation) -> bool {
        let Some(body) = o.regions.first() else {
            return false;
        };
        let ops = &self.program.region(*body).ops;
        o.operands.len() == 2
            && ops.len() == 2
            && matches!(
                self.program.op(ops[0]).op,
                Op::Hlo(hlo::Op::Add(_) | hlo::Op::Multiply(_))
            )
    }

    /// Largest unit roundoff on the way of an op that adds up or multiplies terms of its first operand; the engine does so in one order only, or wider.
    fn rounding_of_steps(&self, o: &Operation) -> Option<f64> {
        let unit = |v: &ValueId| {
            let t = self.program.ty(*v).as_tensor()?;
            let part = t.element.complex_part();
            let element = part.as_ref().unwrap_or(&t.element);
            element.is_float().then(|| unit_roundoff(element))
        };
        let Op::Hlo(op) = &o.op;
        match op {
            hlo::Op::DotGeneral(_) | hlo::Op::Convolution(_) | hlo::Op::Fft(_) => {
                unit(o.results.first()?)
            }
            hlo::Op::Reduce(_) | hlo::Op::ReduceWindow(_) if o.operands.len() == 2 => {
                let ops = self.program.ops_within(*o.regions.first()?);
                let ops: Vec<&Operation> = ops.into_iter().map(|id| self.program.op(id)).collect();
                let folds = |o: &&Operation| {
                    matches!(o.op, Op::Hlo(hlo::Op::Add(_) | hlo::Op::Multiply(_)))
                };
                ops.iter().copied().find(|o| folds(o))?;
                let results = ops.iter().flat_map(|o| &o.results);
                results.filter_map(unit).reduce(f64::max)
            }
            _ => None,
        }
    }

    /// A result that the op rounded, times 1 or one of its neighbours, element by element along its longest dimension.
    fn disturbed(&mut self, o: &Operation, v: ValueId) -> ValueId {
        let rounds = match o.op.kind() {
            Kind::Arithmetic | Kind::Opaque => true,
            Kind::Movement | Kind::Selection | Kind::Integer | Kind::Control | Kind::Effect => {
                false
            }
        };
        let Some(ty) = self.builder.ty(v).as_tensor().filter(|_| rounds) else {
            return v;
        };
        let part = ty.element.complex_part();
        let unit = unit_roundoff(part.as_ref().unwrap_or(&ty.element));
        self.moved(v, unit)
    }

    /// Floats times 1, 1 - `unit` or 1 + 2 `unit`, along their longest dimension.
    fn moved(&mut self, v: ValueId, unit: f64) -> ValueId {
        let Some(ty) = self.builder.ty(v).as_tensor().cloned() else {
            return v;
        };
        let is_float = ty.element.is_float() || ty.element.is_complex();
        let (true, Some(dims)) = (is_float && ty.element.bits() >= 16, ty.static_dims()) else {
            return v;
        };
        let longest = (0..dims.len()).filter(|d| dims[*d] <= LONGEST_PATTERN);
        let Some(along) = longest.max_by_key(|d| dims[*d]) else {
            return self.scaled(v, &ty, unit, &[], &[]);
        };
        self.scaled(v, &ty, unit, &dims[along..=along], &[along as i64])
    }

    fn scaled(
        &mut self,
        v: ValueId,
        ty: &Arc<TensorType>,
        unit: f64,
        pattern: &[u64],
        along: &[i64],
    ) -> ValueId {
        let part = ty.element.complex_part();
        let real = part.clone().unwrap_or(ty.element.clone());
        let n = pattern.iter().product::<u64>() as usize;
        let mut factor = || match self.random.bits() >> 62 {
            0 => 1.0 - unit,
            1 => 1.0 + 2.0 * unit,
            _ => 1.0,
        };
        let values: Vec<f64> = match part {
            Some(_) => (0..n).flat_map(|_| [factor(), 0.0]).collect(),
            None => (0..n).map(|_| factor()).collect(),
        };
        let numbers = Tensor::from_f64s(&[values.len() as u64], &real, &values);
        let factors = Tensor::new(
            pattern.to_vec(),
            ty.element.clone(),
            numbers.ieee().clone(),
            None,
        );
        let location = Default::default();
        let literal = Constant {
            value: Literal::from_tensor(&factors),
        };
        let short = Type::tensor(pattern.iter().copied(), ty.element.clone());
        let factors = self.builder.op(
            hlo::Op::from(literal).into(),
            &[],
            &[short],
            vec![],
            location,
        );
        let whole = Type::Tensor(ty.clone());
        let spread = hlo::Op::from(BroadcastInDim {
            broadcast_dimensions: along.to_vec(),
        });
        let types = [whole];
        let spread = self
            .builder
            .op(spread.into(), &factors, &types, vec![], Default::default());
        let product = hlo::Op::from(Multiply);
        let operands = [v, spread[0]];
        self.builder.op(
            product.into(),
            &operands,
            &types,
            vec![],
            Default::default(),
        )[0]
    }
}

/// Where an op stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// In a function, or in a loop or branch of one.
    Followed,
    /// In the body of a fold, a sort or a map: these stay what the engine knows.
    Folded,
}

fn inner(op: &Op, depth: Depth) -> Depth {
    match op {
        Op::Hlo(hlo::Op::While(_) | hlo::Op::If(_) | hlo::Op::Case(_)) => depth,
        Op::Hlo(_) => Depth::Folded,
    }
}
