//! A program copied op by op, with one op made anew: how a mutator puts other ops in the place of one.

use std::collections::HashMap;
use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    hlo,
    literal::Literal,
    location::Location,
    op::{InferContext, Op, RegionType},
    program::{OpId, Program, RegionId, ValueId},
    tensor::Tensor,
    types::{Class, ElementType, TensorType, Type},
};

type Make<'a> = Box<dyn FnOnce(&mut Draft<'a>) -> Option<Vec<ValueId>> + 'a>;

/// The copy under way, standing at the op that is made anew. Values of the draft are those of the new program.
pub struct Draft<'a> {
    program: &'a Program,
    target: OpId,
    builder: ProgramBuilder,
    /// Values of the program as values of the copy.
    copied: HashMap<ValueId, ValueId>,
    make: Option<Make<'a>>,
}

/// The program in which `make` gives the values in place of the results of op `target`; none when it gives none or the program does not verify.
pub fn replaced<'a>(
    program: &'a Program,
    target: OpId,
    make: impl FnOnce(&mut Draft<'a>) -> Option<Vec<ValueId>> + 'a,
) -> Option<Program> {
    let mut draft = Draft {
        program,
        target,
        builder: ProgramBuilder::new(&program.name, Provenance::Keep),
        copied: HashMap::new(),
        make: Some(Box::new(make)),
    };
    for function in &program.functions {
        let parameters = &program.region(function.body).arguments;
        let types: Vec<Type> = parameters.iter().map(|v| program.ty(*v).clone()).collect();
        let new = draft
            .builder
            .begin_function(&function.name, &types, function.location.clone());
        draft.copied.extend(parameters.iter().copied().zip(new));
        let (results, location) = draft.body(function.body)?;
        draft.builder.end_function(&results, location);
    }
    let copy = draft.builder.program_mut();
    copy.num_replicas = program.num_replicas;
    copy.num_partitions = program.num_partitions;
    copy.attributes = program.attributes.clone();
    copy.kernels = program.kernels.clone();
    copy.entry = program.entry;
    for (new, old) in copy.functions.iter_mut().zip(&program.functions) {
        new.is_private = old.is_private;
        new.parameter_attributes = old.parameter_attributes.clone();
        new.result_attributes = old.result_attributes.clone();
        new.aliases = old.aliases.clone();
    }
    draft.builder.finish().ok()
}

impl<'a> Draft<'a> {
    /// Copies the ops of a region but its return; gives what is returned.
    fn body(&mut self, region: RegionId) -> Option<(Vec<ValueId>, Location)> {
        let program = self.program;
        for id in &program.region(region).ops {
            let o = program.op(*id);
            if o.op.is_return() {
                return Some((self.values(&o.operands)?, o.location.clone()));
            }
            let results = if *id == self.target {
                let make = self.make.take()?;
                make(self)?
            } else {
                let operands = self.values(&o.operands)?;
                self.copy(*id, o.op.clone(), &operands)?
            };
            let fits = results.len() == o.results.len()
                && results
                    .iter()
                    .zip(&o.results)
                    .all(|(new, old)| self.builder.ty(*new).compatible(program.ty(*old)));
            if !fits {
                return None;
            }
            self.copied.extend(o.results.iter().copied().zip(results));
        }
        None
    }

    fn copy(&mut self, id: OpId, op: Op, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        let order: Vec<usize> = (0..self.program.op(id).regions.len()).collect();
        self.copy_with_regions(id, op, operands, &order)
    }

    fn copy_with_regions(
        &mut self,
        id: OpId,
        op: Op,
        operands: &[ValueId],
        order: &[usize],
    ) -> Option<Vec<ValueId>> {
        let o = self.program.op(id);
        let mut regions = vec![];
        for i in order {
            let region = *o.regions.get(*i)?;
            let arguments = &self.program.region(region).arguments;
            let types: Vec<Type> = arguments
                .iter()
                .map(|v| self.program.ty(*v).clone())
                .collect();
            let new = self.builder.begin_region(&types);
            self.copied.extend(arguments.iter().copied().zip(new));
            let (results, location) = self.body(region)?;
            regions.push(self.builder.end_region(&results, location));
        }
        let types: Vec<Type> = o
            .results
            .iter()
            .map(|v| self.program.ty(*v).clone())
            .collect();
        let results = self
            .builder
            .op(op, operands, &types, regions, o.location.clone());
        self.builder.last_op_mut()?.extra = o.extra.clone();
        Some(results)
    }

    /// Values of the program as values of the copy.
    pub fn values(&self, old: &[ValueId]) -> Option<Vec<ValueId>> {
        old.iter().map(|v| self.value(*v)).collect()
    }

    /// A value of the program, defined before the op, as a value of the copy.
    pub fn value(&self, old: ValueId) -> Option<ValueId> {
        self.copied.get(&old).copied()
    }

    /// Operands of the op.
    pub fn operands(&self) -> Option<Vec<ValueId>> {
        self.values(&self.program.op(self.target).operands)
    }

    /// Type of the op's first result.
    pub fn result_type(&self) -> Option<Type> {
        let result = self.program.op(self.target).results.first()?;
        Some(self.program.ty(*result).clone())
    }

    /// The op as it was.
    pub fn keep(&mut self) -> Option<Vec<ValueId>> {
        let operands = self.operands()?;
        self.keep_on(&operands)
    }

    /// The op as it was on other operands.
    pub fn keep_on(&mut self, operands: &[ValueId]) -> Option<Vec<ValueId>> {
        self.copy(
            self.target,
            self.program.op(self.target).op.clone(),
            operands,
        )
    }

    /// The op as it was with its regions in another order.
    pub fn keep_with_regions(&mut self, order: &[usize]) -> Option<Vec<ValueId>> {
        let operands = self.operands()?;
        let op = self.program.op(self.target).op.clone();
        self.copy_with_regions(self.target, op, &operands, order)
    }

    /// The op as it was, its only region made by `body` from the region's arguments.
    pub fn keep_with_body(
        &mut self,
        body: impl FnOnce(&mut Draft<'a>, &[ValueId]) -> Option<Vec<ValueId>>,
    ) -> Option<Vec<ValueId>> {
        let o = self.program.op(self.target);
        let operands = self.operands()?;
        let types = self.program.region_type(*o.regions.first()?).arguments;
        let arguments = self.builder.begin_region(&types);
        let results = body(self, &arguments)?;
        let region = self.builder.end_region(&results, o.location.clone());
        let types: Vec<Type> = o
            .results
            .iter()
            .map(|v| self.program.ty(*v).clone())
            .collect();
        Some(self.builder.op(
            o.op.clone(),
            &operands,
            &types,
            vec![region],
            o.location.clone(),
        ))
    }

    /// Type of a value of the copy.
    pub fn ty(&self, v: ValueId) -> Type {
        self.builder.ty(v).clone()
    }

    /// Tensor type of a value of the copy.
    pub fn tensor(&self, v: ValueId) -> Option<TensorType> {
        self.builder.ty(v).as_tensor().map(|t| TensorType::clone(t))
    }

    /// A new op in the place of the op; its only result. None when the shape rule refuses it.
    pub fn make(&mut self, op: impl Into<hlo::Op>, operands: &[ValueId]) -> Option<ValueId> {
        self.make_typed(op, operands, &[])
    }

    /// [`Draft::make`] for ops that take their result type from the declaration.
    pub fn make_typed(
        &mut self,
        op: impl Into<hlo::Op>,
        operands: &[ValueId],
        declared: &[Type],
    ) -> Option<ValueId> {
        let op = Op::Hlo(op.into());
        let types: Vec<Type> = operands.iter().map(|v| self.ty(*v)).collect();
        let regions: &[RegionType] = &[];
        let results = op
            .infer(&InferContext {
                operands: &types,
                declared,
                regions,
            })
            .ok()?;
        let location = self.program.op(self.target).location.clone();
        self.builder
            .op(op, operands, &results, vec![], location)
            .first()
            .copied()
    }

    /// `v` in another element type.
    pub fn converted(&mut self, v: ValueId, element: ElementType) -> Option<ValueId> {
        let ty = self.tensor(v)?.with_element(element);
        self.make_typed(hlo::convert::Convert, &[v], &[ty.into()])
    }

    /// The bits of `v` as another element type of the same width.
    pub fn bits_as(&mut self, v: ValueId, element: ElementType) -> Option<ValueId> {
        let ty = self.tensor(v)?.with_element(element);
        self.make_typed(hlo::bitcast_convert::BitcastConvert, &[v], &[ty.into()])
    }

    /// A constant of the type of `like` with `value` in every element.
    pub fn float_like(&mut self, like: ValueId, value: f64) -> Option<ValueId> {
        let t = self.tensor(like)?;
        self.splat(&t, &Tensor::from_f64s(&[], &t.element, &[value]))
    }

    /// A constant of the type of `like` with `value`, wrapped to the type, in every element.
    pub fn integer_like(&mut self, like: ValueId, value: i64) -> Option<ValueId> {
        let t = self.tensor(like)?;
        self.splat(&t, &Tensor::from_i64s(&[], &t.element, &[value]))
    }

    fn splat(&mut self, ty: &TensorType, one: &Tensor) -> Option<ValueId> {
        ty.elements().filter(|n| *n > 0)?;
        let value = Literal::new(ty.static_dims()?, ty.element.clone(), one.ieee().clone())?;
        self.make(hlo::constant::Constant { value }, &[])
    }

    /// Another value than `v`, element by element: a literal becomes 0, or 1 where it is 0; any other number is increased by one, a boolean negated.
    pub fn changed(&mut self, v: ValueId) -> Option<ValueId> {
        let t = self.tensor(v)?;
        match t.element.class() {
            Class::Boolean => self.make(hlo::not::Not, &[v]),
            Class::Signed | Class::Unsigned => {
                let one = self.integer_like(v, 1)?;
                self.make(hlo::add::Add, &[v, one])
            }
            Class::Float | Class::Complex => match super::look::splat(self.builder.program(), v) {
                Some(one) => {
                    let is_zero = one.to_f64s().first() == Some(&0.0);
                    self.float_like(v, if is_zero { 1.0 } else { 0.0 })
                }
                None => {
                    let one = self.float_like(v, 1.0)?;
                    self.make(hlo::add::Add, &[v, one])
                }
            },
            Class::Quantized => None,
        }
    }

    /// `v` without the elements of dimension `d` outside `start..limit`.
    pub fn sliced(&mut self, v: ValueId, d: usize, start: i64, limit: i64) -> Option<ValueId> {
        let dims = self.tensor(v)?.static_dims()?;
        let mut slice = hlo::slice::Slice {
            start_indices: vec![0; dims.len()],
            limit_indices: dims.iter().map(|n| *n as i64).collect(),
            strides: vec![1; dims.len()],
        };
        *slice.start_indices.get_mut(d)? = start;
        *slice.limit_indices.get_mut(d)? = limit;
        self.make(slice, &[v])
    }
}
