//! Program to module.

use super::{attributes::Encoder, context::Context, kernel, locations, types};
use crate::{
    attribute::{Attribute, Attributes},
    error::Error,
    location::Location,
    op::Op,
    program::{AliasKind, Function, FunctionId, OpId, Program, RegionId, ValueId},
};
use melior::ir::{
    Block, BlockLike, Identifier, Module, Operation, Region, RegionLike, Type, TypeLike, Value,
    ValueLike, operation::OperationBuilder,
};
use mlir_sys::{MlirValue, mlirFunctionTypeGet};

/// The module of `program`, unverified. Its large literals are lent to `context`.
pub fn encode<'c>(program: &Program, context: &'c Context) -> Result<Module<'c>, Error> {
    let mut encoding = Encoding::new(program, context.melior());
    let body = Block::new(&[]);
    for function in &program.functions {
        body.append_operation(encoding.function(function)?);
    }
    if !program.kernels.is_empty() {
        context.load_kernel_dialects();
    }
    for made in &program.kernels {
        for function in kernel::encode::functions(context.melior(), made, &mut encoding.attributes)?
        {
            body.append_operation(function);
        }
    }
    let region = Region::new();
    region.append_block(body);
    let attributes = encoding.named(&module_attributes(program));
    let operation =
        OperationBuilder::new("builtin.module", encoding.location(&Location::default()))
            .add_attributes(&attributes)
            .add_regions([region])
            .build();
    context.lend(encoding.attributes.lent);
    let operation = operation.map_err(|_| Error::internal("MLIR does not build the module op"))?;
    Module::from_operation(operation)
        .ok_or_else(|| Error::internal("MLIR does not build the module"))
}

/// Function `id` of `program`, in no module yet. Its large literals are lent to `context`.
pub fn function<'c>(
    context: &'c Context,
    program: &Program,
    id: FunctionId,
) -> Result<Operation<'c>, Error> {
    let mut encoding = Encoding::new(program, context.melior());
    let operation = encoding.function(program.function(id));
    context.lend(encoding.attributes.lent);
    operation
}

/// One op, in no block yet. Its result types are as given; its large literals are lent to `context`.
pub fn op<'c>(
    context: &'c Context,
    op: &crate::hlo::Op,
    operands: &[Value<'c, '_>],
    results: &[crate::types::Type],
    location: melior::ir::Location<'c>,
) -> Result<Operation<'c>, Error> {
    op_with_regions(context, op, operands, results, vec![], location)
}

/// [`op`] with regions, each of one block that ends with `hlo.return`.
pub fn op_with_regions<'c>(
    context: &'c Context,
    op: &crate::hlo::Op,
    operands: &[Value<'c, '_>],
    results: &[crate::types::Type],
    regions: Vec<Region<'c>>,
    location: melior::ir::Location<'c>,
) -> Result<Operation<'c>, Error> {
    let melior = context.melior();
    let mut encoder = Encoder::new(melior);
    let attributes = named(melior, &mut encoder, &op.to_attributes());
    context.lend(encoder.lent);
    let results: Vec<Type> = results.iter().map(|ty| types::encode(melior, ty)).collect();
    let name = mlir_name(&Op::Hlo(op.clone()), "hlo.return");
    OperationBuilder::new(&name, location)
        .add_operands(operands)
        .add_results(&results)
        .add_attributes(&attributes)
        .add_regions_vec(regions)
        .build()
        .map_err(|_| Error::internal(format!("MLIR does not build '{name}'")))
}

fn named<'c>(
    context: &'c melior::Context,
    encoder: &mut Encoder<'c>,
    attributes: &Attributes,
) -> Vec<(Identifier<'c>, melior::ir::Attribute<'c>)> {
    let named = attributes.0.iter();
    named
        .map(|(name, value)| (Identifier::new(context, name), encoder.encode(value)))
        .collect()
}

/// Calls and returns are upstream ops where MLIR has them.
fn mlir_name(op: &Op, terminator: &str) -> String {
    match op {
        Op::Hlo(crate::hlo::Op::Call(_)) => "func.call".to_string(),
        Op::Hlo(crate::hlo::Op::Return(_)) => terminator.to_string(),
        other => other.name(),
    }
}

fn module_attributes(program: &Program) -> Attributes {
    let mut out = program.attributes.clone();
    if !program.name.is_empty() {
        out = out.with("sym_name", program.name.as_str());
    }
    if program.num_replicas != 1 {
        out = out.with("hlo.num_replicas", i64::from(program.num_replicas));
    }
    if program.num_partitions != 1 {
        out = out.with("hlo.num_partitions", i64::from(program.num_partitions));
    }
    if default_entry(program) != program.entry
        && let Some(entry) = program.functions.get(program.entry.index())
    {
        out = out.with("hlo.entry", Attribute::Symbol(entry.name.clone()));
    }
    out
}

/// The entry function that `ProgramBuilder::finish` takes by itself.
fn default_entry(program: &Program) -> FunctionId {
    let public = || {
        program
            .functions
            .iter()
            .position(|f| !f.is_private)
            .map(|i| FunctionId(i as u32))
    };
    program
        .find_function("main")
        .or_else(public)
        .unwrap_or(FunctionId(0))
}

struct Encoding<'c, 'p> {
    program: &'p Program,
    context: &'c melior::Context,
    attributes: Encoder<'c>,
    /// The MLIR value of each value made so far, else null.
    values: Vec<MlirValue>,
}

impl<'c, 'p> Encoding<'c, 'p> {
    fn new(program: &'p Program, context: &'c melior::Context) -> Encoding<'c, 'p> {
        let nothing = MlirValue {
            ptr: std::ptr::null(),
        };
        Encoding {
            program,
            context,
            attributes: Encoder::new(context),
            values: vec![nothing; program.value_count()],
        }
    }

    fn location(&self, location: &Location) -> melior::ir::Location<'c> {
        locations::encode(self.context, location)
    }

    fn named(
        &mut self,
        attributes: &Attributes,
    ) -> Vec<(Identifier<'c>, melior::ir::Attribute<'c>)> {
        named(self.context, &mut self.attributes, attributes)
    }

    fn types(&self, values: &[ValueId]) -> Vec<Type<'c>> {
        values
            .iter()
            .map(|value| types::encode(self.context, self.program.ty(*value)))
            .collect()
    }

    fn function(&mut self, function: &Function) -> Result<Operation<'c>, Error> {
        let parameters = self.types(&self.program.region(function.body).arguments);
        let results: Vec<Type> = function
            .results
            .iter()
            .map(|ty| types::encode(self.context, ty))
            .collect();
        let raw = |types: &[Type]| types.iter().map(|ty| ty.to_raw()).collect::<Vec<_>>();
        let (inputs, outputs) = (raw(&parameters), raw(&results));
        // SAFETY: the callee copies both lists of types of this context.
        let ty = unsafe {
            Type::from_raw(mlirFunctionTypeGet(
                self.context.to_raw(),
                inputs.len() as isize,
                inputs.as_ptr(),
                outputs.len() as isize,
                outputs.as_ptr(),
            ))
        };
        let mut attributes = Attributes::new().with("sym_name", function.name.as_str());
        if function.is_private {
            attributes = attributes.with("sym_visibility", "private");
        }
        let dictionaries = |list: &[Attributes]| {
            let used = list.iter().any(|attributes| !attributes.is_empty());
            used.then(|| {
                list.iter()
                    .map(|attributes| Attribute::Dict(attributes.clone()))
                    .collect::<Vec<_>>()
            })
        };
        attributes = attributes
            .with_some("arg_attrs", dictionaries(&function.parameter_attributes))
            .with_some("res_attrs", dictionaries(&function.result_attributes));
        if !function.aliases.is_empty() {
            let aliases = function.aliases.iter().map(|alias| {
                let kind = match alias.kind {
                    AliasKind::May => "may",
                    AliasKind::Must => "must",
                };
                let entry = Attributes::new()
                    .with("kind", kind)
                    .with("output", i64::from(alias.output));
                entry.with("parameter", i64::from(alias.parameter)).into()
            });
            attributes = attributes.with("hlo.aliases", aliases.collect::<Vec<Attribute>>());
        }
        let mut attributes = self.named(&attributes);
        let ty = melior::ir::attribute::TypeAttribute::new(ty).into();
        attributes.push((Identifier::new(self.context, "function_type"), ty));
        let body = self.region(function.body, "func.return")?;
        OperationBuilder::new("func.func", self.location(&function.location))
            .add_attributes(&attributes)
            .add_regions([body])
            .build()
            .map_err(|_| {
                Error::internal(format!("MLIR does not build function '{}'", function.name))
            })
    }

    fn region(&mut self, id: RegionId, terminator: &str) -> Result<Region<'c>, Error> {
        let arguments = &self.program.region(id).arguments;
        let unknown = melior::ir::Location::unknown(self.context);
        let types: Vec<_> = self
            .types(arguments)
            .into_iter()
            .map(|ty| (ty, unknown))
            .collect();
        let block = Block::new(&types);
        for (index, value) in arguments.iter().enumerate() {
            let argument = block
                .argument(index)
                .map_err(|_| Error::internal("MLIR lost a block argument"))?;
            self.values[value.index()] = argument.to_raw();
        }
        for op in &self.program.region(id).ops {
            let made = self.op(*op, terminator)?;
            let made = block.append_operation(made);
            for (index, value) in self.program.op(*op).results.iter().enumerate() {
                let result = made
                    .result(index)
                    .map_err(|_| Error::internal("MLIR lost a result"))?;
                self.values[value.index()] = result.to_raw();
            }
        }
        let region = Region::new();
        region.append_block(block);
        Ok(region)
    }

    fn op(&mut self, id: OpId, terminator: &str) -> Result<Operation<'c>, Error> {
        let op = self.program.op(id);
        let name = mlir_name(&op.op, terminator);
        let mut operands = vec![];
        for value in &op.operands {
            let raw = self.values[value.index()];
            if raw.ptr.is_null() {
                return Err(Error::invalid(
                    format!("'{name}': an operand does not dominate its use"),
                    op.location.clone(),
                ));
            }
            // SAFETY: the value belongs to a block or op of the module under construction, which outlives this call.
            operands.push(unsafe { Value::from_raw(raw) });
        }
        let mut attributes = op.extra.clone();
        attributes.0.extend(op.op.to_attributes().0);
        let attributes = self.named(&attributes);
        let regions = op
            .regions
            .iter()
            .map(|region| self.region(*region, "hlo.return"))
            .collect::<Result<_, _>>()?;
        OperationBuilder::new(&name, self.location(&op.location))
            .add_operands(&operands)
            .add_results(&self.types(&op.results))
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build()
            .map_err(|_| Error::internal(format!("MLIR does not build '{name}'")))
    }
}
