//! Instructions with computations of their own: their regions, calls, branches and async halves.

use super::{
    attribute,
    build::Importer,
    cursor::{Cursor, Origin},
    fields::Fields,
    instruction::describe,
    mlir_attribute,
    module::{Computation, Instruction},
    shape::flatten,
    virtual_value::{Virtual, bind, parameter_types, unflatten},
};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    location::Location,
    program::{RegionId, ValueId},
    types::{ElementType, Type},
};

impl<'m, 'a> Importer<'m, 'a> {
    /// Regions of an instruction. The branches of a conditional capture their operand, the others take arguments.
    pub fn regions(
        &mut self,
        instruction: &'m Instruction<'a>,
        operands: &[Virtual],
    ) -> Result<Vec<RegionId>, Error> {
        let mut out = vec![];
        if instruction.opcode == "conditional" {
            let branches = branches(&mut Fields::new(self.module, instruction))?;
            let operands = operands.get(1..).unwrap_or(&[]);
            if branches.is_empty() || operands.len() != branches.len() {
                let m = format!(
                    "'conditional' has {} branches and {} operands for them",
                    branches.len(),
                    operands.len()
                );
                return Err(Error::invalid(m, instruction.location.clone()));
            }
            for (name, operand) in branches.iter().zip(operands) {
                out.push(self.branch(name, operand, instruction)?);
            }
            return Ok(out);
        }
        for role in roles(&instruction.opcode) {
            let name = Fields::new(self.module, instruction)
                .required(role, |c| c.name("a computation"))?;
            out.push(self.region(name, instruction)?);
        }
        Ok(out)
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

    pub fn index_of(&self, name: &str, instruction: &Instruction<'_>) -> Result<usize, Error> {
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

    /// `call`, plain or a composite with its name and attributes among the frontend attributes; and the index of the computation.
    pub fn call(&mut self, f: &mut Fields<'m, 'a>) -> Result<(String, Attributes, usize), Error> {
        let name = f.required("to_apply", |c| c.name("a computation"))?;
        let index = self.index_of(name, f.instruction)?;
        let callee = Attribute::Symbol(self.function_name(index, name));
        if !f.take("is_composite", attribute::boolean)?.unwrap_or(false) {
            let attributes = Attributes::new().with("callee", callee);
            return Ok(("call".to_string(), attributes, index));
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
                Origin::Fixed(&f.instruction.location),
            ))?,
            None => Attributes::new(),
        };
        let out = Attributes::new()
            .with("name", name)
            .with("composite_attributes", attributes)
            .with("decomposition", callee)
            .with("version", version);
        Ok(("composite".to_string(), out, index))
    }

    /// Types of the parameters and results of a computation, tuples taken apart.
    pub fn signature(&self, index: usize) -> Result<(Vec<Type>, Vec<Type>), Error> {
        let computation = self.computation(index)?;
        let (mut parameters, mut results) = (vec![], vec![]);
        for i in &computation.parameters {
            if let Some(instruction) = computation.instructions.get(*i) {
                flatten(&instruction.ty, &mut parameters);
            }
        }
        if let Some(root) = computation.instructions.get(computation.root) {
            flatten(&root.ty, &mut results);
        }
        Ok((parameters, results))
    }

    /// Values in the layouts of `types`: XLA looks at layouts on either side of a call late, MLIR's types hold them.
    pub fn laid_out(
        &mut self,
        values: &[ValueId],
        types: &[Type],
        location: &Location,
    ) -> Result<Vec<ValueId>, Error> {
        if values.len() != types.len() {
            return Ok(values.to_vec());
        }
        let mut out = vec![];
        for (v, want) in values.iter().zip(types) {
            let have = self.builder.ty(*v).clone();
            let copied = match have != *want && have.compatible(want) {
                true => {
                    let ty = std::slice::from_ref(want);
                    self.op("copy", Attributes::new(), &[*v], ty, vec![], location)?
                }
                false => vec![*v],
            };
            out.extend(copied);
        }
        Ok(out)
    }

    /// Name and operand of a conditional.
    pub fn index(
        &mut self,
        operands: &[Virtual],
        location: &Location,
    ) -> Result<(String, Vec<ValueId>), Error> {
        let index = match operands.first() {
            Some(index) => self.flat(index, location)?,
            None => vec![],
        };
        let tensor = index.first().and_then(|v| self.builder.ty(*v).as_tensor());
        let boolean = tensor.is_some_and(|t| t.element == ElementType::I1);
        Ok((if boolean { "if" } else { "case" }.to_string(), index))
    }

    /// `custom-call-start`, `-update`, `-done`: an async instruction printed with what it wraps.
    pub fn wrapped(
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
        // These frames are large: they count for several levels of nesting.
        self.depth += 3;
        let result = self.detached(&call, &leaves)?;
        self.depth -= 3;
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
        f.operand_types = values.iter().map(|v| self.builder.ty(*v).clone()).collect();
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

/// Attributes that name the computations which become the regions of an op, in the order of the regions.
pub fn roles(opcode: &str) -> &'static [&'static str] {
    match opcode {
        "while" => &["condition", "body"],
        "fusion" | "async-start" => &["calls"],
        "select-and-scatter" => &["select", "scatter"],
        "reduce" | "reduce-window" | "scatter" | "sort" | "map" | "all-reduce"
        | "all-reduce-start" | "reduce-scatter" => &["to_apply"],
        "conditional" => &[
            "branch_computations",
            "true_computation",
            "false_computation",
        ],
        _ => &[],
    }
}

/// Computations of the branches: by index, or for true and false.
fn branches<'m>(f: &mut Fields<'m, '_>) -> Result<Vec<&'m str>, Error> {
    let mut out = f
        .take("branch_computations", attribute::names)?
        .unwrap_or_default();
    for role in ["true_computation", "false_computation"] {
        out.extend(f.take(role, |c| c.name("a computation"))?);
    }
    Ok(out)
}

/// Splits the opcode of an async instruction that is printed with the opcode it wraps.
pub fn async_half(opcode: &str) -> Option<(&str, &'static str)> {
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
pub fn frontend_attributes(c: &mut Cursor<'_>) -> Result<Attributes, Error> {
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
