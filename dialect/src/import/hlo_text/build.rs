//! Makes a program of an HLO module.

use super::{
    ELIDED_CONSTANT, MAX_NESTING, attribute,
    cursor::Cursor,
    instruction::{Fields, describe},
    literal::Constant,
    mlir_attribute,
    module::{Computation, Instruction, Module},
    module_attributes,
    shape::{flatten, leaves},
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
use std::{collections::HashSet, rc::Rc};

/// Most ops a module may expand to when its shared computations are inlined.
const MAX_OPS: usize = 8_000_000;

/// The value of an instruction: an SSA value or a tuple that exists only here.
#[derive(Clone)]
enum Virtual {
    Value(ValueId),
    Tuple(Rc<[Virtual]>),
}

struct Importer<'m, 'a> {
    module: &'m Module<'a>,
    builder: ProgramBuilder,
    /// Name of the function made of each computation, once it is called.
    functions: Vec<Option<String>>,
    names: HashSet<String>,
    /// Computations whose function is still to be built.
    queue: Vec<usize>,
    depth: usize,
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
    fn function_name(&mut self, computation: usize, wish: &str) -> String {
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

    fn computation(&self, index: usize) -> Result<&'m Computation<'a>, Error> {
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
    fn emit(
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
                    self.instruction(instruction, &operands)?
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
    fn flat(&mut self, value: &Virtual, location: &Location) -> Result<Vec<ValueId>, Error> {
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

    fn flat_all(&mut self, values: &[Virtual], location: &Location) -> Result<Vec<ValueId>, Error> {
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

    fn op(
        &mut self,
        name: &str,
        attributes: Attributes,
        operands: &[ValueId],
        results: &[Type],
        regions: Vec<RegionId>,
        location: &Location,
    ) -> Result<Vec<ValueId>, Error> {
        if self.builder.program().op_count() >= MAX_OPS {
            return Err(Error::Unsupported {
                what: format!("a module of more than {MAX_OPS} ops once computations are inlined"),
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

    /// A region made of a computation that takes the leaves of its parameters.
    fn region(&mut self, name: &str, instruction: &Instruction<'_>) -> Result<RegionId, Error> {
        let computation = self.named(name, instruction)?;
        let arguments = self.builder.begin_region(&parameter_types(computation));
        let result = self.emit(computation, bind(computation, &arguments))?;
        let values = self.flat(&result, &computation.location)?;
        Ok(self
            .builder
            .end_region(&values, computation.location.clone()))
    }

    /// A region without arguments: the computation applied to values from outside.
    fn branch(
        &mut self,
        name: &str,
        operand: &Virtual,
        instruction: &Instruction<'_>,
    ) -> Result<RegionId, Error> {
        let computation = self.named(name, instruction)?;
        self.builder.begin_region(&[]);
        let result = self.emit(computation, vec![operand.clone()])?;
        let values = self.flat(&result, &computation.location)?;
        Ok(self
            .builder
            .end_region(&values, computation.location.clone()))
    }

    fn index_of(&self, name: &str, instruction: &Instruction<'_>) -> Result<usize, Error> {
        self.module.find(name).ok_or_else(|| {
            Error::invalid(
                format!("computation '{name}' does not exist"),
                instruction.location.clone(),
            )
        })
    }

    fn named(
        &self,
        name: &str,
        instruction: &Instruction<'_>,
    ) -> Result<&'m Computation<'a>, Error> {
        self.computation(self.index_of(name, instruction)?)
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
    fn label(&mut self, instruction: &Instruction<'_>, extra: Attributes) {
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
    ) -> Result<Virtual, Error> {
        let location = &instruction.location;
        let opcode: &str = &instruction.opcode;
        if opcode == "constant" {
            return self.constant(instruction);
        }
        let f = &mut Fields::new(self.module, instruction);
        let mut types = vec![];
        let mut regions = vec![];
        // Types of results: the leaves of the instruction's type, but for a transfer in two halves.
        match opcode {
            "send" | "recv" => types.push(instruction.ty.clone()),
            _ => flatten(&instruction.ty, &mut types),
        }
        let mut values = match opcode {
            "conditional" => vec![],
            // These take what their first half gave, and custom calls, a tuple as it is.
            "send-done" | "recv-done" | "custom-call" => operands
                .iter()
                .map(|v| self.whole(v, location))
                .collect::<Result<_, _>>()?,
            _ => self.flat_all(operands, location)?,
        };
        let (name, attributes) = match opcode {
            "call" => self.call(f)?,
            "conditional" => {
                let (name, index) = self.conditional(f, operands, &mut regions)?;
                values = index;
                (name, Attributes::new())
            }
            "while" => {
                for role in ["condition", "body"] {
                    let name = f.required(role, |c| c.name("a computation"))?;
                    regions.push(self.region(name, instruction)?);
                }
                ("while".to_string(), Attributes::new())
            }
            "fusion" | "async-start" => {
                let name = f.required("calls", |c| c.name("a computation"))?;
                regions.push(self.region(name, instruction)?);
                describe(f)?
            }
            "select-and-scatter" => {
                for role in ["select", "scatter"] {
                    let name = f.required(role, |c| c.name("a computation"))?;
                    regions.push(self.region(name, instruction)?);
                }
                describe(f)?
            }
            "reduce" | "reduce-window" | "scatter" | "sort" | "map" | "all-reduce"
            | "all-reduce-start" | "reduce-scatter" => {
                let name = f.required("to_apply", |c| c.name("a computation"))?;
                regions.push(self.region(name, instruction)?);
                describe(f)?
            }
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
        let results = self.op(&name, attributes, &values, &types, regions, location)?;
        self.label(instruction, extra);
        match opcode {
            "send" | "recv" => results
                .first()
                .copied()
                .map(Virtual::Value)
                .ok_or_else(|| Error::internal("an op lost its result")),
            _ => unflatten(&instruction.ty, &mut results.into_iter()),
        }
    }

    /// Attributes that no op has: shardings and the like under the names StableHLO gives them, the rest as text.
    fn extra(&mut self, f: &Fields<'m, 'a>) -> Result<Attributes, Error> {
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

    /// `call`, plain or a composite with its name and attributes among the frontend attributes.
    fn call(&mut self, f: &mut Fields<'m, 'a>) -> Result<(String, Attributes), Error> {
        let name = f.required("to_apply", |c| c.name("a computation"))?;
        let index = self.index_of(name, f.instruction)?;
        let callee = Attribute::Symbol(self.function_name(index, name));
        if !f.take("is_composite", attribute::boolean)?.unwrap_or(false) {
            return Ok(("call".to_string(), Attributes::new().with("callee", callee)));
        }
        let fields = f
            .take("frontend_attributes", frontend_attributes)?
            .unwrap_or_default();
        let text = |key: &str| match fields.get(key) {
            Some(Attribute::Str(s)) => Some(s.as_str()),
            Some(_) | None => None,
        };
        let Some(name) = text("composite.name") else {
            return Err(Error::invalid(
                "a composite call needs frontend attribute 'composite.name'",
                f.instruction.location.clone(),
            ));
        };
        let version = text("composite.version")
            .and_then(|v| v.parse::<i64>().ok())
            .unwrap_or(0);
        let attributes = match text("composite.attributes") {
            Some(t) => mlir_attribute::dictionary(&mut Cursor::new(
                t,
                super::cursor::Origin::Fixed(&f.instruction.location),
            ))?,
            None => Attributes::new(),
        };
        let out = Attributes::new()
            .with("name", name)
            .with("composite_attributes", attributes)
            .with("decomposition", callee)
            .with("version", version);
        Ok(("composite".to_string(), out))
    }

    /// Branches of a conditional as regions that capture their operand. Gives the op's name and its index operand.
    fn conditional(
        &mut self,
        f: &mut Fields<'m, 'a>,
        operands: &[Virtual],
        regions: &mut Vec<RegionId>,
    ) -> Result<(String, Vec<ValueId>), Error> {
        let instruction = f.instruction;
        let mut branches = f
            .take("branch_computations", attribute::names)?
            .unwrap_or_default();
        for role in ["true_computation", "false_computation"] {
            branches.extend(f.take(role, |c| c.name("a computation"))?);
        }
        let Some((index, branch_operands)) = operands.split_first() else {
            return Err(Error::invalid(
                "'conditional' needs an index",
                instruction.location.clone(),
            ));
        };
        if branches.is_empty() || branch_operands.len() != branches.len() {
            let m = format!(
                "'conditional' has {} branches and {} operands for them",
                branches.len(),
                branch_operands.len()
            );
            return Err(Error::invalid(m, instruction.location.clone()));
        }
        for (name, operand) in branches.iter().zip(branch_operands) {
            regions.push(self.branch(name, operand, instruction)?);
        }
        let index = self.flat(index, &instruction.location)?;
        let boolean = index
            .first()
            .and_then(|v| self.builder.ty(*v).as_tensor())
            .is_some_and(|t| t.element == ElementType::I1);
        Ok((if boolean { "if" } else { "case" }.to_string(), index))
    }

    /// `custom-call-start`, `-update`, `-done`: an async instruction printed with what it wraps.
    fn wrapped(
        &mut self,
        instruction: &'m Instruction<'a>,
        operands: &[Virtual],
        wrapped: &str,
        half: &str,
    ) -> Result<Virtual, Error> {
        let location = &instruction.location;
        let values = self.flat_all(operands, location)?;
        let mut types = vec![];
        flatten(&instruction.ty, &mut types);
        if half != "start" {
            let results = self.op(
                &format!("async_{half}"),
                Attributes::new(),
                &values,
                &types,
                vec![],
                location,
            )?;
            self.label(instruction, Attributes::new());
            return unflatten(&instruction.ty, &mut results.into_iter());
        }
        let inner = match &instruction.ty {
            Type::Tuple(parts) => parts.get(1).cloned(),
            Type::Tensor(_) | Type::Token => None,
        };
        let Some(inner) = inner else {
            return Err(Error::invalid(
                format!(
                    "'{}' must give a tuple of operands and result",
                    instruction.opcode
                ),
                location.clone(),
            ));
        };
        let operand_types: Vec<Type> = values.iter().map(|v| self.builder.ty(*v).clone()).collect();
        let arguments = self.builder.begin_region(&operand_types);
        let call = Instruction {
            name: instruction.name.clone(),
            ty: inner,
            opcode: wrapped.to_string().into(),
            operands: instruction.operands.clone(),
            constant: vec![],
            parameter: None,
            attributes: instruction
                .attributes
                .iter()
                .filter(|a| a.name != "async_execution_thread")
                .cloned()
                .collect(),
            op_name: instruction.op_name.clone(),
            location: location.clone(),
        };
        let leaves: Vec<Virtual> = arguments.into_iter().map(Virtual::Value).collect();
        let result = self.detached(&call, &leaves)?;
        let region = self.builder.end_region(&result, location.clone());
        let mut f = Fields::new(self.module, instruction);
        let thread = f.take("async_execution_thread", Cursor::string)?;
        let attributes = Attributes::new().with_some("execution_thread", thread);
        let results = self.op(
            "async_start",
            attributes,
            &values,
            &types,
            vec![region],
            location,
        )?;
        self.label(instruction, Attributes::new());
        unflatten(&instruction.ty, &mut results.into_iter())
    }

    /// An instruction that stands in no computation of the module, with the op's simple form only.
    fn detached(
        &mut self,
        instruction: &Instruction<'a>,
        operands: &[Virtual],
    ) -> Result<Vec<ValueId>, Error> {
        let mut f = Fields::new(self.module, instruction);
        let mut types = vec![];
        flatten(&instruction.ty, &mut types);
        let values = self.flat_all(operands, &instruction.location)?;
        let mut regions = vec![];
        if let Some(name) = f.take("to_apply", |c| c.name("a computation").map(str::to_string))? {
            regions.push(self.region(&name, instruction)?);
        }
        let (name, attributes) = describe(&mut f)?;
        self.op(
            &name,
            attributes,
            &values,
            &types,
            regions,
            &instruction.location,
        )
    }
}

/// Splits the opcode of an async instruction that is printed with the opcode it wraps.
fn async_half(opcode: &str) -> Option<(&str, &'static str)> {
    // Opcodes of their own that end alike.
    let own = [
        "all-gather",
        "all-reduce",
        "collective-permute",
        "copy",
        "send",
        "recv",
        "async",
    ];
    ["start", "update", "done"].into_iter().find_map(|half| {
        let wrapped = opcode.strip_suffix(half)?.strip_suffix('-')?;
        (!own.contains(&wrapped)).then_some((wrapped, half))
    })
}

/// `{name="text",other={..}}`: values as text without their quotes.
fn frontend_attributes(c: &mut Cursor<'_>) -> Result<Attributes, Error> {
    let fields = attribute::list(c, |c| {
        c.skip_blank();
        let name = if c.byte() == b'"' {
            c.string()?
        } else {
            c.expect_word("an attribute's name")?.to_string()
        };
        c.expect("=")?;
        c.skip_blank();
        let value = if c.byte() == b'"' {
            c.string()?
        } else {
            c.value()?.to_string()
        };
        Ok((name, value))
    })?;
    Ok(fields
        .into_iter()
        .fold(Attributes::new(), |a, (name, value)| a.with(&name, value)))
}

/// Types of the leaves of a computation's parameters.
fn parameter_types(computation: &Computation<'_>) -> Vec<Type> {
    let mut out = vec![];
    for i in &computation.parameters {
        if let Some(p) = computation.instructions.get(*i) {
            flatten(&p.ty, &mut out);
        }
    }
    out
}

/// The parameters of a computation, put together from their leaves.
fn bind(computation: &Computation<'_>, arguments: &[ValueId]) -> Vec<Virtual> {
    let mut left = arguments.iter().copied();
    let parameters = computation
        .parameters
        .iter()
        .filter_map(|i| computation.instructions.get(*i));
    parameters
        .filter_map(|p| unflatten(&p.ty, &mut left).ok())
        .collect()
}

/// The value of type `ty` whose leaves come next.
fn unflatten(ty: &Type, values: &mut impl Iterator<Item = ValueId>) -> Result<Virtual, Error> {
    match ty {
        Type::Tensor(_) | Type::Token => values
            .next()
            .map(Virtual::Value)
            .ok_or_else(|| Error::internal("an op has too few results")),
        Type::Tuple(parts) => Ok(Virtual::Tuple(
            parts
                .iter()
                .map(|p| unflatten(p, values))
                .collect::<Result<Vec<_>, _>>()?
                .into(),
        )),
    }
}

/// First leaf and number of leaves of each part of a tuple path; none when the path leaves the type.
pub fn leaf_of(ty: &Type, path: &[i64]) -> Option<usize> {
    let (mut ty, mut first) = (ty, 0);
    for step in path {
        let Type::Tuple(parts) = ty else { return None };
        let step = usize::try_from(*step).ok()?;
        first += parts.iter().take(step).map(leaves).sum::<usize>();
        ty = parts.get(step)?;
    }
    Some(first)
}
