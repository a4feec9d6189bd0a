//! Makes a program of an HLO module.

use super::{
    ELIDED_CONSTANT, MAX_NESTING, attribute,
    cursor::Cursor,
    fields::Fields,
    instruction::describe,
    literal::Constant,
    module::{Computation, Instruction, Module},
    module_attributes,
    regions::{async_half, frontend_attributes, roles},
    shape::flatten,
    virtual_value::{Virtual, bind, parameter_types, unflatten},
};
use crate::{
    attribute::{Attribute, Attributes},
    builder::{ProgramBuilder, Provenance},
    error::Error,
    hlo,
    literal::Literal,
    location::Location,
    op::{Op, read_hlo},
    program::{Program, RegionId, ValueId},
    tensor::Tensor,
    types::{ElementType, Type},
};
use std::collections::HashSet;

/// Most ops a module of `instructions` may expand to when its shared computations are inlined.
fn most_ops(instructions: usize) -> usize {
    instructions.saturating_mul(64).saturating_add(100_000)
}

/// A module on its way to a program.
pub struct Importer<'m, 'a> {
    pub module: &'m Module<'a>,
    pub builder: ProgramBuilder,
    /// Name of the function made of each computation, once it is called.
    functions: Vec<Option<String>>,
    names: HashSet<String>,
    /// Computations whose function is still to be built.
    queue: Vec<usize>,
    pub depth: usize,
    most_ops: usize,
}

/// Builds and verifies the program.
pub fn program(module: &Module<'_>) -> Result<Program, Error> {
    let mut importer = Importer {
        module,
        builder: ProgramBuilder::new(&module.name, Provenance::Number),
        functions: vec![None; module.computations.len()],
        names: HashSet::new(),
        queue: vec![],
        depth: 0,
        most_ops: most_ops(
            module
                .computations
                .iter()
                .map(|c| c.instructions.len())
                .sum(),
        ),
    };
    importer.function_name(module.entry, "main");
    let mut next = 0;
    while let Some(computation) = importer.queue.get(next).copied() {
        importer.function(computation)?;
        next += 1;
    }
    module_attributes::apply(module, importer.builder.program_mut())?;
    importer.builder.finish()
}

impl<'m, 'a> Importer<'m, 'a> {
    /// Name of the function made of a computation; queues the computation when it is named for the first time.
    pub fn function_name(&mut self, computation: usize, wish: &str) -> String {
        if let Some(Some(name)) = self.functions.get(computation) {
            return name.clone();
        }
        let mut name = wish.to_string();
        while !self.names.insert(name.clone()) {
            name.push('_');
        }
        if let Some(slot) = self.functions.get_mut(computation) {
            *slot = Some(name.clone());
            self.queue.push(computation);
        }
        name
    }

    pub fn computation(&self, index: usize) -> Result<&'m Computation<'a>, Error> {
        self.module
            .computations
            .get(index)
            .ok_or_else(|| Error::internal("a computation is out of range"))
    }

    fn function(&mut self, index: usize) -> Result<(), Error> {
        let computation = self.computation(index)?;
        let name = self
            .functions
            .get(index)
            .cloned()
            .flatten()
            .unwrap_or_default();
        let types = parameter_types(computation);
        let arguments = self
            .builder
            .begin_function(&name, &types, computation.location.clone());
        let parameters = bind(computation, &arguments);
        let result = self.emit(computation, parameters)?;
        let values = self.flat(&result, &computation.location)?;
        let id = self
            .builder
            .end_function(&values, computation.location.clone());
        let is_private = index != self.module.entry;
        if let Some(f) = self.builder.program_mut().functions.get_mut(id.index()) {
            f.is_private = is_private;
        }
        Ok(())
    }

    /// Adds the ops of a computation to the open region and gives its result.
    pub fn emit(
        &mut self,
        computation: &'m Computation<'a>,
        parameters: Vec<Virtual>,
    ) -> Result<Virtual, Error> {
        if self.depth >= MAX_NESTING {
            let what =
                format!("computations nested deeper than {MAX_NESTING} (or calling themselves)");
            return Err(Error::Unsupported {
                what,
                location: computation.location.clone(),
            });
        }
        self.depth += 1;
        let mut values: Vec<Virtual> = Vec::with_capacity(computation.instructions.len());
        for instruction in &computation.instructions {
            let operands: Option<Vec<&Virtual>> = instruction
                .operands
                .iter()
                .map(|i| values.get(*i as usize))
                .collect();
            let Some(operands) = operands else {
                return Err(Error::invalid(
                    "an operand is not defined before its use",
                    instruction.location.clone(),
                ));
            };
            let value = match (instruction.parameter, &*instruction.opcode) {
                (Some(number), _) => match parameters.get(number) {
                    Some(value) => value.clone(),
                    None => {
                        return Err(Error::invalid(
                            format!("parameter {number} is not passed"),
                            instruction.location.clone(),
                        ));
                    }
                },
                (None, "tuple") => Virtual::Tuple(operands.into_iter().cloned().collect()),
                (None, "get-tuple-element") => self.element(instruction, &operands)?,
                (None, _) => {
                    let operands: Vec<Virtual> = operands.into_iter().cloned().collect();
                    // Regions come first, so that the frame of the rest is not on the stack of what they hold.
                    let regions = self.regions(instruction, &operands)?;
                    self.instruction(instruction, &operands, regions)?
                }
            };
            values.push(value);
        }
        self.depth -= 1;
        values
            .into_iter()
            .nth(computation.root)
            .ok_or_else(|| Error::internal("a root is out of range"))
    }

    fn element(
        &mut self,
        instruction: &'m Instruction<'a>,
        operands: &[&Virtual],
    ) -> Result<Virtual, Error> {
        let index = Fields::new(self.module, instruction).required("index", Cursor::int)?;
        let wrong = || {
            Error::invalid(
                format!("tuple index {index} is out of range"),
                instruction.location.clone(),
            )
        };
        match operands {
            [Virtual::Tuple(parts)] => usize::try_from(index)
                .ok()
                .and_then(|i| parts.get(i))
                .cloned()
                .ok_or_else(wrong),
            [Virtual::Value(v)] => self.element_of(*v, index, &instruction.location),
            _ => Err(Error::invalid(
                "'get-tuple-element' needs one operand",
                instruction.location.clone(),
            )),
        }
    }

    /// `hlo.get_tuple_element` of a value that is a tuple of the program.
    fn element_of(
        &mut self,
        value: ValueId,
        index: i64,
        location: &Location,
    ) -> Result<Virtual, Error> {
        let part = match self.builder.ty(value) {
            Type::Tuple(parts) => usize::try_from(index)
                .ok()
                .and_then(|i| parts.get(i))
                .cloned(),
            Type::Tensor(_) | Type::Token => None,
        };
        let Some(part) = part else {
            return Err(Error::invalid(
                format!("tuple index {index} is out of range"),
                location.clone(),
            ));
        };
        let attributes = Attributes::new().with("index", index);
        let results = self.op(
            "get_tuple_element",
            attributes,
            &[value],
            &[part],
            vec![],
            location,
        )?;
        results
            .first()
            .copied()
            .map(Virtual::Value)
            .ok_or_else(|| Error::internal("an op lost its result"))
    }

    /// Leaves of a value in order, as SSA values that are no tuples.
    pub fn flat(&mut self, value: &Virtual, location: &Location) -> Result<Vec<ValueId>, Error> {
        let mut out = vec![];
        let mut stack = vec![value.clone()];
        while let Some(top) = stack.pop() {
            match top {
                Virtual::Tuple(parts) => stack.extend(parts.iter().rev().cloned()),
                Virtual::Value(v) => match self.builder.ty(v) {
                    Type::Tensor(_) | Type::Token => out.push(v),
                    Type::Tuple(parts) => {
                        let elements: Result<Vec<Virtual>, Error> = (0..parts.len() as i64)
                            .map(|i| self.element_of(v, i, location))
                            .collect();
                        stack.extend(elements?.into_iter().rev());
                    }
                },
            }
        }
        Ok(out)
    }

    pub fn flat_all(
        &mut self,
        values: &[Virtual],
        location: &Location,
    ) -> Result<Vec<ValueId>, Error> {
        let mut out = vec![];
        for v in values {
            out.extend(self.flat(v, location)?);
        }
        Ok(out)
    }

    /// One SSA value, a tuple of the program where it must be.
    fn whole(&mut self, value: &Virtual, location: &Location) -> Result<ValueId, Error> {
        match value {
            Virtual::Value(v) => Ok(*v),
            Virtual::Tuple(parts) => {
                let mut values = vec![];
                for p in parts.iter() {
                    values.push(self.whole(p, location)?);
                }
                let ty = Type::tuple(values.iter().map(|v| self.builder.ty(*v).clone()).collect());
                let results =
                    self.op("tuple", Attributes::new(), &values, &[ty], vec![], location)?;
                results
                    .first()
                    .copied()
                    .ok_or_else(|| Error::internal("an op lost its result"))
            }
        }
    }

    pub fn op(
        &mut self,
        name: &str,
        attributes: Attributes,
        operands: &[ValueId],
        results: &[Type],
        regions: Vec<RegionId>,
        location: &Location,
    ) -> Result<Vec<ValueId>, Error> {
        if self.builder.program().op_count() >= self.most_ops {
            let what = format!(
                "a module of more than {} ops once computations are inlined",
                self.most_ops
            );
            return Err(Error::Unsupported {
                what,
                location: location.clone(),
            });
        }
        let (op, unknown) = read_hlo(name, attributes, location)?;
        let values = self
            .builder
            .op(Op::Hlo(op), operands, results, regions, location.clone());
        if let (false, Some(last)) = (unknown.is_empty(), self.builder.last_op_mut()) {
            last.extra.0.extend(unknown.0);
        }
        Ok(values)
    }

    fn constant(&mut self, instruction: &'m Instruction<'a>) -> Result<Virtual, Error> {
        let mut types = vec![];
        flatten(&instruction.ty, &mut types);
        let mut values = vec![];
        for (ty, constant) in types.iter().zip(&instruction.constant) {
            let location = &instruction.location;
            let results = match constant {
                Constant::Value(value) => self.builder.op(
                    Op::Hlo(
                        hlo::constant::Constant {
                            value: value.clone(),
                        }
                        .into(),
                    ),
                    &[],
                    std::slice::from_ref(ty),
                    vec![],
                    location.clone(),
                ),
                Constant::Elided => {
                    let attributes = Attributes::new()
                        .with("call_target_name", ELIDED_CONSTANT)
                        .with(
                            "backend_config",
                            "--xla_dump_large_constants=true keeps this constant",
                        );
                    self.op(
                        "custom_call",
                        attributes,
                        &[],
                        std::slice::from_ref(ty),
                        vec![],
                        location,
                    )?
                }
            };
            values.extend(results);
        }
        self.label(instruction, Attributes::new());
        unflatten(&instruction.ty, &mut values.into_iter())
    }

    /// Keeps an instruction's names and the attributes no op knows on the op just built.
    pub fn label(&mut self, instruction: &Instruction<'_>, extra: Attributes) {
        let Some(last) = self.builder.last_op_mut() else {
            return;
        };
        last.extra.0.extend(extra.0);
        last.extra.0.insert(
            "hlo.name".to_string(),
            Attribute::Str(instruction.name.to_string()),
        );
        if let Some(name) = &instruction.op_name {
            last.extra
                .0
                .insert("op_name".to_string(), Attribute::Str(name.to_string()));
        }
    }

    fn instruction(
        &mut self,
        instruction: &'m Instruction<'a>,
        operands: &[Virtual],
        regions: Vec<RegionId>,
    ) -> Result<Virtual, Error> {
        let location = &instruction.location;
        let opcode: &str = &instruction.opcode;
        if opcode == "constant" {
            return self.constant(instruction);
        }
        if let Some(value) = self.short_form(instruction, operands)? {
            return Ok(value);
        }
        let f = &mut Fields::new(self.module, instruction);
        f.skip(roles(opcode));
        let mut types = vec![];
        // Types of results: the leaves of the instruction's type, but for a transfer or copy in two halves.
        match opcode {
            "send" | "recv" | "copy-start" => types.push(instruction.ty.clone()),
            _ => flatten(&instruction.ty, &mut types),
        }
        let mut values = match opcode {
            "conditional" => vec![],
            // These take what their first half gave, and custom calls, a tuple as it is.
            "send-done" | "recv-done" | "copy-done" | "custom-call" => operands
                .iter()
                .map(|v| self.whole(v, location))
                .collect::<Result<_, _>>()?,
            _ => self.flat_all(operands, location)?,
        };
        f.operand_types = values.iter().map(|v| self.builder.ty(*v).clone()).collect();
        // The types of the instruction, where the op has others.
        let mut wanted = None;
        let (name, attributes) = match opcode {
            "call" => {
                let (name, attributes, index) = self.call(f)?;
                let (parameters, results) = self.signature(index)?;
                values = self.laid_out(&values, &parameters, location)?;
                if results.len() == types.len() {
                    wanted = Some(std::mem::replace(&mut types, results));
                }
                (name, attributes)
            }
            "conditional" => {
                let (name, index) = self.index(operands, location)?;
                values = index;
                (name, Attributes::new())
            }
            "while" => ("while".to_string(), Attributes::new()),
            "custom-call" => {
                let mut called = vec![];
                for attribute in ["called_computations", "to_apply", "calls"] {
                    for name in f.take(attribute, attribute::names)?.unwrap_or_default() {
                        let index = self.index_of(name, instruction)?;
                        called.push(Attribute::Symbol(self.function_name(index, name)));
                    }
                }
                let (name, attributes) = describe(f)?;
                (
                    name,
                    if called.is_empty() {
                        attributes
                    } else {
                        attributes.with("called_computations", called)
                    },
                )
            }
            "rng" => {
                let dims: Vec<i64> = types
                    .iter()
                    .filter_map(Type::as_tensor)
                    .filter_map(|t| t.static_dims())
                    .flatten()
                    .map(|d| d as i64)
                    .collect();
                let shape = Tensor::from_i64s(&[dims.len() as u64], &ElementType::I64, &dims);
                let value = Literal::from_tensor(&shape);
                let ty = value.ty().into();
                values.extend(self.builder.op(
                    Op::Hlo(hlo::constant::Constant { value }.into()),
                    &[],
                    &[ty],
                    vec![],
                    location.clone(),
                ));
                describe(f)?
            }
            _ => match async_half(opcode) {
                Some((wrapped, half)) => return self.wrapped(instruction, operands, wrapped, half),
                None => describe(f)?,
            },
        };
        let extra = self.extra(f)?;
        let mut results = self.op(&name, attributes, &values, &types, regions, location)?;
        self.label(instruction, extra);
        if let Some(wanted) = wanted {
            results = self.laid_out(&results, &wanted, location)?;
        }
        match opcode {
            "send" | "recv" | "copy-start" => results
                .first()
                .copied()
                .map(Virtual::Value)
                .ok_or_else(|| Error::internal("an op lost its result")),
            _ => unflatten(&instruction.ty, &mut results.into_iter()),
        }
    }

    /// Attributes that no op has: shardings and the like under the names StableHLO gives them, the rest as text.
    pub fn extra(&mut self, f: &Fields<'m, 'a>) -> Result<Attributes, Error> {
        let mut extra = Attributes::new();
        for a in f.left() {
            let mut c = self.module.cursor(a, &f.instruction.location);
            let (name, value) = match &*a.name {
                "frontend_attributes" => (
                    "mhlo.frontend_attributes",
                    frontend_attributes(&mut c)?.into(),
                ),
                "sharding" => ("mhlo.sharding", Attribute::Str(a.value.to_string())),
                other => (other, Attribute::Str(a.value.to_string())),
            };
            extra.0.insert(name.to_string(), value);
        }
        Ok(extra)
    }
}
