//! Kernel to `func.func`, with an index map function for each window beside it.

use super::{
    super::{attributes::Encoder, locations},
    form::{Forms, i64s, list},
    types::{Types, written},
};
use crate::{
    attribute::Attribute as Plain,
    error::Error,
    location::Location,
    tpu::{Kernel, KernelOperation, KernelRegion, KernelType, KernelValue, Role, Semantics, TpuOp},
};
use melior::ir::{
    Attribute, Block, BlockLike, Identifier, Operation, Region, RegionLike, Type, TypeLike, Value,
    ValueLike, operation::OperationBuilder,
};
use mlir_sys::{MlirValue, mlirFunctionTypeGet};

/// The functions of `kernel`: itself, then its index maps. Large literals go into `attributes`.
pub(in crate::mlir) fn functions<'c>(
    context: &'c melior::Context,
    kernel: &Kernel,
    attributes: &mut Encoder<'c>,
) -> Result<Vec<Operation<'c>>, Error> {
    let nothing = MlirValue {
        ptr: std::ptr::null(),
    };
    let mut encoding = Encoding {
        context,
        kernel,
        attributes,
        types: Types::new(context),
        values: vec![nothing; kernel.types.len()],
    };
    let mut out = vec![encoding.kernel()?];
    for (i, operand) in kernel.operands.iter().enumerate() {
        if let Some(window) = &operand.window {
            let name = transform_name(kernel, i);
            let attributes = vec![encoding.symbol_name(&name)?];
            let location = kernel.location.clone();
            out.push(encoding.function(&window.transform, attributes, &location)?);
        }
    }
    Ok(out)
}

/// Name of the index map of operand `i`.
fn transform_name(kernel: &Kernel, i: usize) -> String {
    format!("{}_transform_{i}", kernel.name)
}

type Named<'c> = (Identifier<'c>, Attribute<'c>);

struct Encoding<'c, 'k> {
    context: &'c melior::Context,
    kernel: &'k Kernel,
    attributes: &'k mut Encoder<'c>,
    types: Types<'c>,
    /// The MLIR value of each value made so far, else null.
    values: Vec<MlirValue>,
}

impl<'c> Encoding<'c, '_> {
    fn parse(&self, name: &str, text: &str) -> Result<Named<'c>, Error> {
        let attribute = Attribute::parse(self.context, text).ok_or_else(|| {
            Error::internal(format!("MLIR does not read attribute {name} = {text}"))
        })?;
        Ok((Identifier::new(self.context, name), attribute))
    }

    fn plain(&mut self, name: &str, attribute: &Plain) -> Named<'c> {
        (
            Identifier::new(self.context, name),
            self.attributes.encode(attribute),
        )
    }

    fn symbol_name(&mut self, name: &str) -> Result<Named<'c>, Error> {
        Ok(self.plain("sym_name", &name.into()))
    }

    fn ty(&mut self, v: KernelValue) -> Result<Type<'c>, Error> {
        let ty = self.kernel.types.get(v.index()).cloned();
        let ty = ty.ok_or_else(|| Error::internal(format!("value {} has no type", v.0)))?;
        self.types.encode(&ty).map_err(Error::internal)
    }

    fn types(&mut self, values: &[KernelValue]) -> Result<Vec<Type<'c>>, Error> {
        values.iter().map(|v| self.ty(*v)).collect()
    }

    fn kernel(&mut self) -> Result<Operation<'c>, Error> {
        let kernel = self.kernel;
        let count = |role: Role| kernel.with_role(role).count() as i64;
        let mut attributes = vec![
            self.symbol_name(&kernel.name)?,
            self.plain("scalar_prefetch", &count(Role::Prefetch).into()),
            self.plain("scratch_operands", &count(Role::Scratch).into()),
            self.plain("tpux.stage", &kernel.stage.to_string().into()),
            self.plain("tpux.outputs", &count(Role::Output).into()),
        ];
        if !kernel.grid.is_empty() {
            let bounds: Vec<u64> = kernel.grid.iter().map(|d| d.size).collect();
            let semantics = kernel.grid.iter().map(|d| match d.semantics {
                Semantics::Parallel => "#tpu.dimension_semantics<parallel>",
                Semantics::Arbitrary => "#tpu.dimension_semantics<arbitrary>",
            });
            attributes.push(self.parse("iteration_bounds", &i64s(&bounds))?);
            attributes.push(self.parse("dimension_semantics", &format!("[{}]", list(semantics)))?);
        }
        if kernel.operands.iter().any(|o| o.window.is_some()) {
            let windows = kernel.operands.iter().enumerate();
            let windows = windows
                .filter(|(_, o)| matches!(o.role, Role::Input | Role::Output))
                .map(|(i, o)| match &o.window {
                    None => "{}".to_string(),
                    Some(w) => {
                        let name = quoted(&transform_name(kernel, i));
                        format!(
                            "{{transform_indices = @{name}, window_bounds = {}}}",
                            i64s(&w.block)
                        )
                    }
                });
            attributes.push(self.parse("window_params", &format!("[{}]", list(windows)))?);
        }
        let mut arguments = vec!["{}".to_string(); kernel.grid.len()];
        for operand in &kernel.operands {
            let mut of = vec![];
            if operand.window.is_some() {
                let buffer = KernelType::MemRef(operand.buffer.clone().into());
                of.push(format!("tpux.buffer = {}", written(&buffer)));
            }
            of.extend(
                operand
                    .alias
                    .map(|alias| format!("tpux.alias = {alias} : i64")),
            );
            of.extend(
                operand
                    .address
                    .map(|address| format!("tpux.vmem_address = {address} : i64")),
            );
            arguments.push(format!("{{{}}}", list(of)));
        }
        if arguments.iter().any(|a| a != "{}") {
            attributes.push(self.parse("arg_attrs", &format!("[{}]", list(arguments)))?);
        }
        let location = kernel.location.clone();
        self.function(&kernel.body, attributes, &location)
    }

    fn function(
        &mut self,
        body: &KernelRegion,
        mut attributes: Vec<Named<'c>>,
        location: &Location,
    ) -> Result<Operation<'c>, Error> {
        let yielded = body.ops.last().map_or(&[][..], |o| o.operands.as_slice());
        let raw = |types: &[Type]| types.iter().map(|ty| ty.to_raw()).collect::<Vec<_>>();
        let (inputs, outputs) = (
            raw(&self.types(&body.arguments)?),
            raw(&self.types(yielded)?),
        );
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
        let ty = melior::ir::attribute::TypeAttribute::new(ty).into();
        attributes.push((Identifier::new(self.context, "function_type"), ty));
        let region = self.region(body, "func.return")?;
        OperationBuilder::new("func.func", locations::encode(self.context, location))
            .add_attributes(&attributes)
            .add_regions([region])
            .build()
            .map_err(|_| {
                Error::internal(format!("MLIR does not build kernel '{}'", self.kernel.name))
            })
    }

    fn region(&mut self, region: &KernelRegion, terminator: &str) -> Result<Region<'c>, Error> {
        let unknown = melior::ir::Location::unknown(self.context);
        let types: Vec<_> = self
            .types(&region.arguments)?
            .into_iter()
            .map(|ty| (ty, unknown))
            .collect();
        let block = Block::new(&types);
        for (i, v) in region.arguments.iter().enumerate() {
            let argument = block
                .argument(i)
                .map_err(|_| Error::internal("MLIR lost a block argument"))?;
            self.values[v.index()] = argument.to_raw();
        }
        for o in &region.ops {
            let made = self.op(o, terminator)?;
            let made = block.append_operation(made);
            for (i, v) in o.results.iter().enumerate() {
                let result = made
                    .result(i)
                    .map_err(|_| Error::internal("MLIR lost a result"))?;
                self.values[v.index()] = result.to_raw();
            }
        }
        let out = Region::new();
        out.append_block(block);
        Ok(out)
    }

    fn op(&mut self, o: &KernelOperation, terminator: &str) -> Result<Operation<'c>, Error> {
        let form = Forms {
            kernel: self.kernel,
        }
        .form(o, terminator);
        let mut attributes = vec![];
        for (name, text) in &form.attributes {
            attributes.push(self.parse(name, text)?);
        }
        for (name, value) in &form.plain.0 {
            attributes.push(self.plain(name, value));
        }
        if let TpuOp::Constant(literal) = &o.op {
            let ty = self.types(&o.results)?;
            let ty = ty
                .first()
                .ok_or_else(|| Error::internal("a constant without result"))?;
            let value = self.attributes.constant(literal, *ty);
            attributes.push((Identifier::new(self.context, "value"), value));
        }
        let mut operands = vec![];
        for v in &o.operands {
            let raw = self
                .values
                .get(v.index())
                .copied()
                .filter(|raw| !raw.ptr.is_null());
            let raw = raw.ok_or_else(|| {
                Error::invalid(
                    format!("'{}': an operand does not dominate its use", o.op.name()),
                    o.location.clone(),
                )
            })?;
            // SAFETY: the value belongs to a block or op of the function under construction, which outlives this call.
            operands.push(unsafe { Value::from_raw(raw) });
        }
        let inner = if matches!(o.op, TpuOp::Implements { .. }) {
            "tpux.yield"
        } else {
            "scf.yield"
        };
        let mut regions = vec![];
        for (i, region) in o.regions.iter().enumerate() {
            regions.push(if o.op == TpuOp::If && i == 1 && is_empty_else(region, o) {
                Region::new()
            } else {
                self.region(region, inner)?
            });
        }
        let results = self.types(&o.results)?;
        OperationBuilder::new(&form.name, locations::encode(self.context, &o.location))
            .add_operands(&operands)
            .add_results(&results)
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build()
            .map_err(|_| Error::internal(format!("MLIR does not build '{}'", form.name)))
    }
}

/// A branch that does nothing, at the place of its op, is left out.
fn is_empty_else(region: &KernelRegion, o: &KernelOperation) -> bool {
    match region.ops.as_slice() {
        [end] => end.operands.is_empty() && end.location == o.location,
        [] | [_, _, ..] => false,
    }
}

/// A symbol as MLIR reads it after `@`.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if first && name.chars().all(plain) {
        name.to_string()
    } else {
        format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
    }
}
