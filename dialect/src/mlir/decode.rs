//! Module to program.

use super::{attributes, kernel, locations, locations::text, types, views};
use crate::{
    attribute::{Attribute, Attributes},
    builder::{ProgramBuilder, Provenance},
    error::Error,
    location::Location,
    op::{Op, read_hlo},
    program::{Alias, AliasKind, FunctionId, Program, RegionId, ValueId},
    types::Type,
};
use melior::ir::{
    BlockLike, BlockRef, Module, OperationRef, RegionLike, RegionRef, Value, ValueLike,
    operation::OperationLike,
};
use mlir_sys::{
    mlirFunctionTypeGetNumResults, mlirFunctionTypeGetResult, mlirIdentifierStr,
    mlirTypeAttrGetValue,
};
use std::{collections::HashMap, sync::Arc};

/// The program of a module that MLIR has verified. Positions in the nameless text `-` are said to be in `file`.
/// With `Provenance::Number` an op whose location names no source op becomes one.
pub fn decode(module: &Module, file: &Arc<str>, provenance: Provenance) -> Result<Program, Error> {
    let op = module.as_operation();
    let mut decoding = Decoding::new(file, provenance);
    let entry = decoding.module(op);
    let Decoding {
        builder, failures, ..
    } = decoding;
    report(failures)?;
    let mut program = builder.finish()?;
    if let Some(name) = entry {
        program.entry = program.find_function(&name).ok_or_else(|| {
            Error::invalid(
                format!("hlo.entry: function '{name}' does not exist"),
                Location::default(),
            )
        })?;
    }
    Ok(program)
}

/// The typed form of an `hlo` op or `func.call`; none for other ops and for ops with wrong attributes.
pub fn op(op: OperationRef) -> Option<crate::hlo::Op> {
    let file = Arc::from("-");
    let mut decoding = Decoding::new(&file, Provenance::Keep);
    let attributes = decoding.op_attributes(op);
    let name = Decoding::name(op);
    let read = read_hlo(hlo_name(&name)?, attributes, &Location::default());
    read.ok()
        .map(|(op, _)| op)
        .filter(|_| decoding.failures.is_empty())
}

/// Name in THE list of `hlo` ops.
fn hlo_name(name: &str) -> Option<&str> {
    match name {
        "func.call" => Some("call"),
        "func.return" => Some("return"),
        _ => name.strip_prefix("hlo."),
    }
}

/// All invalid places in one error; else the first unsupported one.
pub(super) fn report(failures: Vec<Error>) -> Result<(), Error> {
    let mut invalid = vec![];
    let mut other = None;
    for failure in failures {
        match failure {
            Error::InvalidProgram(all) => invalid.extend(all),
            failure @ (Error::Unsupported { .. } | Error::Internal(_)) => {
                other = other.or(Some(failure))
            }
        }
    }
    match other {
        _ if !invalid.is_empty() => Err(Error::InvalidProgram(invalid)),
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

/// Parameters of a function of the module whose buffers outputs may or must reuse.
pub fn aliases(function: OperationRef) -> Vec<Alias> {
    let file = Arc::from("-");
    let mut decoding = Decoding::new(&file, Provenance::Keep);
    let mut attributes = decoding.attributes(function, &["function_type"]);
    match attributes.0.remove("hlo.aliases") {
        Some(aliases) => decoding.aliases(Some(aliases), function),
        None => vec![],
    }
}

/// Whether any op of the module names a source op.
pub(super) fn has_provenance(module: &Module) -> bool {
    let mut found = false;
    module
        .as_operation()
        .walk(melior::ir::operation::WalkOrder::PreOrder, |op| {
            if locations::decode(op.location()).sources.is_empty() {
                melior::ir::operation::WalkResult::Advance
            } else {
                found = true;
                melior::ir::operation::WalkResult::Interrupt
            }
        });
    found
}

struct Decoding<'f> {
    file: &'f Arc<str>,
    builder: ProgramBuilder,
    values: HashMap<*const std::ffi::c_void, ValueId>,
    failures: Vec<Error>,
}

impl<'f> Decoding<'f> {
    fn new(file: &'f Arc<str>, provenance: Provenance) -> Self {
        Self {
            file,
            builder: ProgramBuilder::new("", provenance),
            values: HashMap::new(),
            failures: vec![],
        }
    }

    fn location(&self, op: OperationRef) -> Location {
        locations::decode_in(op.location(), self.file)
    }

    fn invalid(&mut self, message: impl Into<String>, op: OperationRef) {
        let location = self.location(op);
        self.failures.push(Error::invalid(message, location));
    }

    fn name(op: OperationRef) -> String {
        // SAFETY: an identifier's string lives as long as its context.
        unsafe { text(mlirIdentifierStr(op.name().to_raw())) }
    }

    /// Attributes by name, each decoded or complained about.
    fn attributes(&mut self, op: OperationRef, skip: &[&str]) -> Attributes {
        let mut out = Attributes::new();
        for index in 0..op.attribute_count() {
            let Ok((name, value)) = op.attribute_at(index) else {
                continue;
            };
            // SAFETY: an identifier's string lives as long as its context.
            let name = unsafe { text(mlirIdentifierStr(name.to_raw())) };
            if skip.contains(&name.as_str()) {
                continue;
            }
            match attributes::decode(value) {
                Ok(value) => {
                    out.0.insert(name, value);
                }
                Err(message) => self.invalid(
                    format!("'{}': attribute '{name}': {message}", Self::name(op)),
                    op,
                ),
            }
        }
        out
    }

    fn types<'c: 'a, 'a>(
        &mut self,
        values: impl Iterator<Item = Value<'c, 'a>>,
        op: OperationRef,
    ) -> Vec<Type> {
        values
            .map(|value| self.ty(types::decode(value.r#type()), op))
            .collect()
    }

    fn ty(&mut self, ty: Result<Type, String>, op: OperationRef) -> Type {
        ty.unwrap_or_else(|message| {
            self.invalid(format!("'{}': {message}", Self::name(op)), op);
            Type::Token
        })
    }

    /// Gives the name of the entry function where the module states one.
    fn module(&mut self, op: OperationRef) -> Option<String> {
        let mut attributes = self.attributes(op, &[]);
        let program = self.builder.program_mut();
        let mut take = |name: &str| attributes.0.remove(name);
        let mut entry = None;
        let mut wrong = vec![];
        if let Some(Attribute::Str(name)) = take("sym_name") {
            program.name = name;
        }
        for (name, field) in [
            ("hlo.num_replicas", &mut program.num_replicas),
            ("hlo.num_partitions", &mut program.num_partitions),
        ] {
            match take(name) {
                None => {}
                Some(Attribute::Int(n)) if n >= 1 && u32::try_from(n).is_ok() => *field = n as u32,
                Some(_) => wrong.push(format!(
                    "module attribute '{name}' must be a positive integer"
                )),
            }
        }
        match take("hlo.entry") {
            None => {}
            Some(Attribute::Symbol(name)) => entry = Some(name),
            Some(_) => wrong.push("module attribute 'hlo.entry' must be a symbol".into()),
        }
        program.attributes = attributes;
        wrong
            .into_iter()
            .for_each(|message| self.invalid(message, op));
        let body = op.region(0).ok().and_then(|region| region.first_block());
        let mut functions = vec![];
        let mut next = body.and_then(|block| block.first_operation());
        while let Some(function) = next {
            functions.push(function);
            next = function.next_in_block();
        }
        let by_name: HashMap<String, OperationRef> = functions
            .iter()
            .filter_map(|f| Some((views::attribute::<String>(*f, "sym_name")?, *f)))
            .collect();
        let index_maps: Vec<String> = functions
            .iter()
            .filter(|f| kernel::decode::is_kernel(**f))
            .flat_map(|f| kernel::decode::index_maps(*f))
            .collect();
        for function in functions {
            let is_map = views::attribute::<String>(function, "sym_name")
                .is_some_and(|name| index_maps.contains(&name));
            match Self::name(function).as_str() {
                "func.func" if kernel::decode::is_kernel(function) => {
                    match kernel::decode::kernel(function, &by_name, self.file) {
                        Ok(made) => self.builder.program_mut().kernels.push(Arc::new(made)),
                        Err(error) => self.failures.push(error),
                    }
                }
                "func.func" if is_map => {}
                "func.func" => self.function(function),
                other => {
                    let what = format!("'{other}' at module level");
                    self.failures.push(Error::Unsupported {
                        what,
                        location: self.location(function),
                    });
                }
            }
        }
        entry
    }

    fn function(&mut self, op: OperationRef) {
        let location = self.location(op);
        let mut attributes = self.attributes(op, &["function_type"]);
        let name = match attributes.0.remove("sym_name") {
            Some(Attribute::Str(name)) => name,
            Some(_) | None => String::new(),
        };
        let Some(block) = op.region(0).ok().and_then(|region| region.first_block()) else {
            return self.invalid(format!("function '{name}' has no body"), op);
        };
        let parameters = self.types(arguments(block), op);
        let mut results = vec![];
        if let Ok(ty) = op.attribute("function_type") {
            // SAFETY: MLIR has verified that `function_type` is a TypeAttr of a function type; read within its count.
            let raw: Vec<_> = unsafe {
                let ty = mlirTypeAttrGetValue(melior::ir::AttributeLike::to_raw(&ty));
                (0..mlirFunctionTypeGetNumResults(ty))
                    .map(|i| mlirFunctionTypeGetResult(ty, i))
                    .collect()
            };
            results = raw
                .into_iter()
                .map(|ty| self.ty(types::decode_raw(ty), op))
                .collect();
        }
        let values = self.builder.begin_function(&name, &parameters, location);
        let body = FunctionId(self.builder.program().functions.len() as u32 - 1);
        self.bind(arguments(block), &values);
        let (returned, end) = self.block(block, op);
        self.builder.end_function(&returned, end);
        let aliases = self.aliases(attributes.0.remove("hlo.aliases"), op);
        let mut dictionaries = |name: &str, count: usize| match attributes.0.remove(name) {
            Some(Attribute::Array(list)) => list
                .into_iter()
                .map(|attribute| {
                    if let Attribute::Dict(attributes) = attribute {
                        attributes
                    } else {
                        Attributes::new()
                    }
                })
                .collect(),
            Some(_) | None => vec![Attributes::new(); count],
        };
        let parameter_attributes = dictionaries("arg_attrs", parameters.len());
        let result_attributes = dictionaries("res_attrs", results.len());
        let visibility = attributes.0.remove("sym_visibility");
        for name in attributes.0.keys() {
            self.invalid(format!("'func.func': attribute '{name}' is not known"), op);
        }
        let function = &mut self.builder.program_mut().functions[body.index()];
        function.is_private = matches!(visibility, Some(Attribute::Str(word)) if word != "public");
        function.results = results;
        function.parameter_attributes = parameter_attributes;
        function.result_attributes = result_attributes;
        function.aliases = aliases;
    }

    fn aliases(&mut self, attribute: Option<Attribute>, op: OperationRef) -> Vec<Alias> {
        let Some(attribute) = attribute else {
            return vec![];
        };
        let read = |entry: &Attribute| {
            let Attribute::Dict(entry) = entry else {
                return None;
            };
            let number = |name: &str| match entry.get(name) {
                Some(Attribute::Int(n)) => u32::try_from(*n).ok(),
                Some(_) | None => None,
            };
            let kind = match entry.get("kind") {
                Some(Attribute::Str(word)) if word == "may" => AliasKind::May,
                Some(Attribute::Str(word)) if word == "must" => AliasKind::Must,
                Some(_) | None => return None,
            };
            Some(Alias {
                output: number("output")?,
                parameter: number("parameter")?,
                kind,
            })
        };
        let aliases = if let Attribute::Array(list) = &attribute {
            list.iter().map(read).collect()
        } else {
            None
        };
        aliases.unwrap_or_else(|| {
            self.invalid("'hlo.aliases' must be a list of {kind = \"may\"|\"must\", output = I, parameter = I}", op);
            vec![]
        })
    }

    fn bind<'c: 'a, 'a>(&mut self, values: impl Iterator<Item = Value<'c, 'a>>, ids: &[ValueId]) {
        self.values
            .extend(values.zip(ids).map(|(value, id)| (value.to_raw().ptr, *id)));
    }

    fn operands(&mut self, op: OperationRef) -> Vec<ValueId> {
        let found: Option<Vec<ValueId>> = op
            .operands()
            .map(|value| self.values.get(&value.to_raw().ptr).copied())
            .collect();
        found.unwrap_or_else(|| {
            self.invalid(
                format!("'{}': an operand does not dominate its use", Self::name(op)),
                op,
            );
            vec![]
        })
    }

    /// All ops but the terminator; gives what it returns and where.
    fn block(&mut self, block: BlockRef, parent: OperationRef) -> (Vec<ValueId>, Location) {
        if block.next_in_region().is_some() {
            let what = "a region of more than one block".into();
            self.failures.push(Error::Unsupported {
                what,
                location: self.location(parent),
            });
        }
        let mut next = block.first_operation();
        while let Some(op) = next {
            next = op.next_in_block();
            if next.is_none() && matches!(Self::name(op).as_str(), "func.return" | "hlo.return") {
                return (self.operands(op), self.location(op));
            }
            self.op(op);
        }
        self.invalid("a block must end with a return", parent);
        (vec![], Location::default())
    }

    fn region(&mut self, region: RegionRef, parent: OperationRef) -> Option<RegionId> {
        let Some(block) = region.first_block() else {
            self.invalid(
                format!("'{}': a region is empty", Self::name(parent)),
                parent,
            );
            return None;
        };
        let types = self.types(arguments(block), parent);
        let values = self.builder.begin_region(&types);
        self.bind(arguments(block), &values);
        let (returned, end) = self.block(block, parent);
        Some(self.builder.end_region(&returned, end))
    }

    fn op(&mut self, op: OperationRef) {
        let location = self.location(op);
        let operands = self.operands(op);
        let regions: Vec<RegionId> = op
            .regions()
            .filter_map(|region| self.region(region, op))
            .collect();
        let results = self.types(op.results().map(Value::from), op);
        let attributes = self.op_attributes(op);
        let full = Self::name(op);
        let Some(name) = hlo_name(&full) else {
            let location = location.clone();
            self.failures.push(Error::Unsupported {
                what: format!("op {full}"),
                location,
            });
            return self.placeholder(op, results);
        };
        match read_hlo(name, attributes, &location) {
            Ok((hlo, extra)) => {
                let ids = self
                    .builder
                    .op(Op::Hlo(hlo), &operands, &results, regions, location);
                if let Some(last) = self.builder.last_op_mut() {
                    last.extra = extra;
                }
                self.bind(op.results().map(Value::from), &ids);
            }
            Err(error) => {
                self.failures.push(error);
                self.placeholder(op, results);
            }
        }
    }

    /// All attributes; the literal of a constant gets the element type of its result.
    fn op_attributes(&mut self, op: OperationRef) -> Attributes {
        let mut attributes = self.attributes(op, &[]);
        // A result that is not there is an error whose text is the whole op, which MLIR verifies first.
        if let Some(Attribute::Literal(literal)) = attributes.get("value")
            && let Ok(result) = op.result(0)
            && let Ok(ty) = types::decode(result.r#type())
        {
            let literal = attributes::quantized(literal.clone(), &ty);
            attributes.0.insert("value".into(), literal.into());
        }
        attributes
    }

    /// Results of an op that failed to decode, so that its uses are not complained about too.
    fn placeholder(&mut self, op: OperationRef, results: Vec<Type>) {
        let call = crate::hlo::call::Call {
            callee: String::new(),
        };
        let ids = self.builder.op(
            Op::Hlo(call.into()),
            &[],
            &results,
            vec![],
            Location::default(),
        );
        self.bind(op.results().map(Value::from), &ids);
    }
}

fn arguments<'c: 'a, 'a>(block: BlockRef<'c, 'a>) -> impl Iterator<Item = Value<'c, 'a>> {
    (0..block.argument_count()).filter_map(move |index| block.argument(index).ok().map(Value::from))
}
