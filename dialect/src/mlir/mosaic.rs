//! Kernels as Pallas serializes them: bytecode of Mosaic's ops under the names `stable_mosaic.*`, with a version.
//!
//! Ops get their own names back and what changed since the version is brought up to date (the rules of jaxlib's `serde.cc`, as facts); MLIR verifies the
//! module, then it is decoded like our own text.

use super::{
    context::Context,
    kernel::decode::{Call, index_maps, read},
    locations,
    locations::text,
};
use crate::{
    error::Error,
    location::Location,
    stage::Stage,
    tpu::{Kernel, KernelRegion, MemRefType, MemorySpace},
    types::Type,
};
use melior::ir::{
    Attribute, BlockLike, BlockRef, Identifier, Module, OperationRef, Region, RegionLike, Value,
    ValueLike,
    operation::{OperationBuilder, OperationLike},
};
use mlir_sys::*;
use std::{collections::HashMap, sync::Arc};

/// The newest version whose rules are known.
const VERSION: i64 = 15;
const PREFIX: &str = "stable_mosaic.";

/// What the caller of a kernel says about it.
pub struct MosaicCall<'a> {
    /// Name the kernel gets.
    pub name: &'a str,
    /// Of prefetch operands and inputs.
    pub operands: &'a [Type],
    pub results: &'a [Type],
    /// Pairs of a result and the operand whose buffer it takes.
    pub aliases: &'a [(usize, usize)],
    /// Of the call; ops of the kernel implement its source ops.
    pub location: &'a Location,
}

/// The kernel in `bytes`: bytecode, or text of the same.
pub fn kernel(bytes: &[u8], call: &MosaicCall<'_>) -> Result<Kernel, Error> {
    let context = Context::new();
    context.load_kernel_dialects();
    let c = context.melior();
    c.set_allow_unregistered_dialects(true);
    context.take_diagnostics();
    let source = MlirStringRef {
        data: bytes.as_ptr().cast(),
        length: bytes.len(),
    };
    // SAFETY: the parser reads `bytes` during the call; the module is owned below.
    let module = unsafe {
        let raw = mlirModuleCreateParse(c.to_raw(), source);
        (!raw.ptr.is_null()).then(|| Module::from_raw(raw))
    };
    let Some(module) = module else {
        let mut all = context.take_diagnostics();
        for d in &mut all {
            d.message.insert_str(0, "kernel in backend_config: ");
            d.location = call.location.clone();
        }
        if all.is_empty() {
            return Err(Error::invalid(
                "kernel in backend_config: not MLIR bytecode",
                call.location.clone(),
            ));
        }
        return Err(Error::InvalidProgram(all));
    };
    let op = module.as_operation();
    let version = op.attribute("stable_mosaic.version").ok();
    let version = version.and_then(|a| match super::attributes::decode(a) {
        Ok(crate::attribute::Attribute::Int(n)) => Some(n),
        Ok(_) | Err(_) => None,
    });
    let version = version.ok_or_else(|| {
        Error::invalid(
            "kernel in backend_config: no 'stable_mosaic.version'",
            call.location.clone(),
        )
    })?;
    if version > VERSION {
        return Err(Error::Unsupported {
            what: format!("stable_mosaic version {version} (known: up to {VERSION})"),
            location: call.location.clone(),
        });
    }
    for op in ops_of(module.body()) {
        rename_op(op, version, c).map_err(|e| e.at(call.location))?;
    }
    let wrong = context.verify(module.as_operation());
    if !wrong.is_empty() {
        return Err(Error::InvalidProgram(wrong).at(call.location));
    }
    let mut functions = HashMap::new();
    let mut main = None;
    for function in ops_of(module.body()) {
        // SAFETY: an identifier's string lives as long as its context.
        let name = unsafe { text(mlirIdentifierStr(function.name().to_raw())) };
        if name != "func.func" {
            return Err(Error::Unsupported {
                what: format!("'{name}' beside a kernel"),
                location: call.location.clone(),
            });
        }
        if main.is_none() && function.has_attribute("scalar_prefetch") {
            main = Some(function);
        }
        if let Some(name) = super::views::attribute::<String>(function, "sym_name") {
            functions.insert(name, function);
        }
    }
    let main = main.ok_or_else(|| {
        Error::invalid(
            "kernel in backend_config: no function with 'scalar_prefetch'",
            call.location.clone(),
        )
    })?;
    let tensors = call.operands.iter().chain(call.results);
    let buffers = tensors.map(|ty| {
        let t = ty.as_tensor()?;
        Some(MemRefType::new(
            &t.static_dims()?,
            t.element.clone(),
            MemorySpace::Any,
        ))
    });
    let mut aliases = vec![None; call.operands.len() + call.results.len()];
    for (result, operand) in call.aliases {
        if let Some(slot) = aliases.get_mut(call.operands.len() + result) {
            *slot = u32::try_from(*operand).ok();
        }
    }
    let described = Call {
        stage: if index_maps(main).is_empty() {
            Stage::S4
        } else {
            Stage::S3
        },
        outputs: call.results.len(),
        buffers: buffers.collect(),
        aliases,
    };
    let file: Arc<str> = Arc::from("-");
    let mut kernel = read(main, &functions, &described, &file).map_err(|e| e.at(call.location))?;
    kernel.name = call.name.to_string();
    kernel.location = call.location.clone();
    place(&mut kernel.body, call.location);
    for operand in &mut kernel.operands {
        if let Some(window) = &mut operand.window {
            place(&mut window.transform, call.location);
        }
    }
    let kernel = kernel.renumbered();
    let wrong = kernel.verify();
    if wrong.is_empty() {
        Ok(kernel)
    } else {
        Err(Error::InvalidProgram(wrong))
    }
}

/// Ops implement the source ops of the call, at their own positions where they have some.
fn place(region: &mut KernelRegion, call: &Location) {
    for o in &mut region.ops {
        let position = o.location.position.take().or_else(|| call.position.clone());
        o.location = Location {
            position,
            ..call.clone()
        };
        o.regions.iter_mut().for_each(|r| place(r, call));
    }
}

fn ops_of<'c, 'a>(block: BlockRef<'c, 'a>) -> Vec<OperationRef<'c, 'a>> {
    let mut out = vec![];
    let mut next = block.first_operation();
    while let Some(op) = next {
        next = op.next_in_block();
        out.push(op);
    }
    out
}

/// Gives an op and those in its regions their names and today's attributes, innermost first.
fn rename_op<'c>(
    op: OperationRef<'c, '_>,
    version: i64,
    context: &'c melior::Context,
) -> Result<(), Error> {
    // SAFETY: an identifier's string lives as long as its context.
    let name = unsafe { text(mlirIdentifierStr(op.name().to_raw())) };
    let unsupported = |what: String| Error::Unsupported {
        what,
        location: locations::decode(op.location()),
    };
    let Some(own) = name.strip_prefix(PREFIX) else {
        return Err(unsupported(format!("op {name} in a serialized kernel")));
    };
    if !context.is_registered_operation(own) {
        return Err(unsupported(format!("op {own}")));
    }
    let mut regions = vec![];
    for region in op.regions() {
        let mut next = region.first_block();
        while let Some(block) = next {
            next = block.next_in_region();
            for inner in ops_of(block) {
                rename_op(inner, version, context)?;
            }
        }
        let taken = Region::new();
        // SAFETY: both regions are alive; the blocks move to `taken`.
        unsafe { mlirRegionTakeBody(taken.to_raw(), region.to_raw()) };
        regions.push(taken);
    }
    if op.successor_count() > 0 {
        return Err(unsupported(format!("op {own} with successors")));
    }
    let mut attributes: Vec<(String, Attribute<'c>)> = vec![];
    for i in 0..op.attribute_count() {
        if let Ok((identifier, value)) = op.attribute_at(i) {
            // SAFETY: an identifier's string lives as long as its context.
            attributes.push((
                unsafe { text(mlirIdentifierStr(identifier.to_raw())) },
                value,
            ));
        }
    }
    upgrade(own, version, op.operand_count(), &mut attributes, context)
        .map_err(|what| unsupported(format!("op {own} of version {version}: {what}")))?;
    let attributes: Vec<_> = attributes
        .into_iter()
        .map(|(name, value)| (Identifier::new(context, &name), value))
        .collect();
    let operands: Vec<Value> = op.operands().collect();
    let results: Vec<_> = op.results().map(|r| r.r#type()).collect();
    let made = OperationBuilder::new(own, op.location())
        .add_operands(&operands)
        .add_results(&results)
        .add_attributes(&attributes)
        .add_regions_vec(regions)
        .build()
        .map_err(|_| unsupported(format!("op {own} with these attributes")))?;
    // SAFETY: `op` stands in a block, which takes `made`; nothing uses `op` any more when it is destroyed.
    unsafe {
        let (old, new) = (op.to_raw(), made.into_raw());
        for i in 0..mlirOperationGetNumResults(old) {
            mlirValueReplaceAllUsesOfWith(
                mlirOperationGetResult(old, i),
                mlirOperationGetResult(new, i),
            );
        }
        mlirBlockInsertOwnedOperationAfter(mlirOperationGetBlock(old), old, new);
        mlirOperationDestroy(old);
    }
    Ok(())
}

type Named<'c> = Vec<(String, Attribute<'c>)>;

/// Brings the attributes of op `name` from `version` up to date.
fn upgrade<'c>(
    name: &str,
    version: i64,
    operands: usize,
    attributes: &mut Named<'c>,
    context: &'c melior::Context,
) -> Result<(), String> {
    let set = |attributes: &mut Named<'c>, name: &str, value: &str| -> Result<(), String> {
        let value = Attribute::parse(context, value).ok_or_else(|| format!("{name} = {value}"))?;
        attributes.retain(|(n, _)| n != name);
        attributes.push((name.to_string(), value));
        Ok(())
    };
    let ints = |attributes: &Named<'c>, name: &str| -> Result<Vec<i64>, String> {
        let found = attributes
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, a)| super::attributes::decode(*a));
        let list = match found {
            Some(Ok(crate::attribute::Attribute::Int(n))) => Some(vec![n]),
            Some(Ok(crate::attribute::Attribute::Ints(list))) => Some(list),
            Some(Ok(crate::attribute::Attribute::Array(list))) => list
                .iter()
                .map(|a| {
                    if let crate::attribute::Attribute::Int(n) = a {
                        Some(*n)
                    } else {
                        None
                    }
                })
                .collect(),
            Some(Ok(_) | Err(_)) | None => None,
        };
        list.ok_or_else(|| format!("attribute {name} is missing"))
    };
    let array = |of: &str, list: &[i64]| {
        let list: Vec<String> = list.iter().map(i64::to_string).collect();
        format!(
            "array<{of}{}{}>",
            if list.is_empty() { "" } else { ": " },
            list.join(", ")
        )
    };
    let segments = "operandSegmentSizes";
    // Sizes of the operand groups in a version that had none, by the number of operands.
    let by_count = |known: &[(usize, &[i64])]| -> Result<String, String> {
        let row = known.iter().find(|row| row.0 == operands);
        row.map(|row| array("i32", row.1))
            .ok_or_else(|| format!("{operands} operands"))
    };
    match name {
        "tpu.enqueue_dma" => {
            if version < 2 {
                let sizes = by_count(&[(3, &[1, 0, 1, 1, 0, 0]), (5, &[1, 1, 1, 1, 1, 0])])?;
                set(attributes, segments, &sizes)?;
            }
            if version < 4 {
                set(attributes, "priority", "0 : i32")?;
            }
        }
        "tpu.sem_signal" if version < 2 => {
            let sizes = by_count(&[(2, &[1, 1, 0, 0]), (3, &[1, 1, 1, 0])])?;
            set(attributes, segments, &sizes)?;
        }
        "tpu.wait_dma2" if version < 7 => {
            let sizes = by_count(&[(3, &[1, 1, 1, 0, 0])])?;
            set(attributes, segments, &sizes)?;
        }
        "tpu.dynamic_gather" if version < 5 => dimensions(attributes, &set, &ints, &array)?,
        "tpu.iota" if version < 6 => dimensions(attributes, &set, &ints, &array)?,
        "vector.multi_reduction" if version < 3 => {
            let dims = ints(attributes, "reduction_dims")?;
            set(attributes, "reduction_dims", &array("i64", &dims))?;
        }
        "tpu.store" if version < 11 => set(attributes, "add", "false")?,
        "tpu.matmul" if version < 13 => set(attributes, "transpose_lhs_hint", "false")?,
        "tpu.reinterpret_cast" if version < 15 => {
            let dynamic = i64::from(operands > 1);
            set(attributes, segments, &array("i32", &[1, dynamic, 0]))?;
        }
        _ => {}
    }
    // A group for the subcore was added at the end.
    if version < 14 && matches!(name, "tpu.enqueue_dma" | "tpu.wait_dma" | "tpu.sem_signal") {
        let mut sizes = ints(attributes, segments)?;
        sizes.push(0);
        set(attributes, segments, &array("i32", &sizes))?;
    }
    Ok(())
}

/// One dimension became a list.
fn dimensions<'c>(
    attributes: &mut Named<'c>,
    set: &impl Fn(&mut Named<'c>, &str, &str) -> Result<(), String>,
    ints: &impl Fn(&Named<'c>, &str) -> Result<Vec<i64>, String>,
    array: &impl Fn(&str, &[i64]) -> String,
) -> Result<(), String> {
    let list = ints(attributes, "dimension")?;
    attributes.retain(|(n, _)| n != "dimension");
    set(attributes, "dimensions", &array("i32", &list))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        tpu::TpuOp,
        types::{ElementType, Type},
    };

    fn body(version: i64, ops: &str) -> String {
        format!(
            "module attributes {{stable_mosaic.version = {version} : i64}} {{\n\"stable_mosaic.func.func\"() ({{\n^bb0(%x: memref<8x128xf32, #tpu.memory_space<any>>, %o: memref<8x128xf32, #tpu.memory_space<any>>, %v: memref<8x128xf32, #tpu.memory_space<vmem>>, %d: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %s: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>):\n{ops}\n\"stable_mosaic.func.return\"() : () -> ()\n}}) {{function_type = (memref<8x128xf32, #tpu.memory_space<any>>, memref<8x128xf32, #tpu.memory_space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>) -> (), scalar_prefetch = 0 : i64, scratch_operands = 3 : i64, sym_name = \"main\"}} : () -> ()\n}}"
        )
    }

    fn read(version: i64, ops: &str) -> Result<Kernel, Error> {
        let ty = Type::tensor([8, 128], ElementType::F32);
        let call = MosaicCall {
            name: "k",
            operands: std::slice::from_ref(&ty),
            results: std::slice::from_ref(&ty),
            aliases: &[],
            location: &Location::default(),
        };
        kernel(body(version, ops).as_bytes(), &call)
    }

    #[test]
    fn ops_of_the_first_version_are_brought_up_to_date() {
        let ops = "%c = \"stable_mosaic.arith.constant\"() {value = 1 : i32} : () -> i32
            \"stable_mosaic.tpu.enqueue_dma\"(%x, %v, %d) : (memref<8x128xf32, #tpu.memory_space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>, memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) -> ()
            \"stable_mosaic.tpu.wait_dma2\"(%d, %x, %v) : (memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, memref<8x128xf32, #tpu.memory_space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>) -> ()
            \"stable_mosaic.tpu.sem_signal\"(%s, %c) : (memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, i32) -> ()
            %i = \"stable_mosaic.tpu.iota\"() {dimension = 1 : i32} : () -> vector<8x128xi32>
            %g = \"stable_mosaic.tpu.dynamic_gather\"(%i, %i) {dimension = 1 : i32} : (vector<8x128xi32>, vector<8x128xi32>) -> vector<8x128xi32>
            %z = \"stable_mosaic.arith.constant\"() {value = dense<0> : vector<8xi32>} : () -> vector<8xi32>
            %r = \"stable_mosaic.vector.multi_reduction\"(%g, %z) {kind = #vector.kind<add>, reduction_dims = [1]} : (vector<8x128xi32>, vector<8xi32>) -> vector<8xi32>";
        let kernel = read(1, ops).unwrap_or_else(|e| panic!("{e}"));
        let names: Vec<&str> = kernel.body.ops.iter().map(|o| o.op.name()).collect();
        let want = "arith.constant tpu.enqueue_dma tpu.wait_dma2 tpu.sem_signal tpu.iota tpu.dynamic_gather arith.constant vector.multi_reduction scf.yield";
        assert_eq!(names.join(" "), want);
        assert_eq!(
            kernel.body.ops[4].op,
            TpuOp::Iota {
                dimensions: vec![1]
            }
        );
        assert_eq!(kernel.stage, Stage::S4);
    }

    #[test]
    fn what_is_unknown_is_named() {
        for (version, ops, says) in [
            (16, "", "version 16"),
            (
                11,
                "\"stable_mosaic.tpu.nonsense\"() : () -> ()",
                "op tpu.nonsense",
            ),
            (
                11,
                "\"tpu.iota\"() {dimensions = array<i32: 0>} : () -> vector<8x128xi32>",
                "op tpu.iota in a serialized kernel",
            ),
            (
                11,
                "%c = \"stable_mosaic.tpu.device_id\"() : () -> i32",
                "op tpu.device_id",
            ),
            (
                1,
                "\"stable_mosaic.tpu.enqueue_dma\"(%x, %v) : (memref<8x128xf32, #tpu.memory_space<any>>, memref<8x128xf32, #tpu.memory_space<vmem>>) -> ()",
                "2 operands",
            ),
        ] {
            let message = read(version, ops).unwrap_err().to_string();
            assert!(
                message.contains("unsupported") && message.contains(says),
                "{message}"
            );
        }
        let call = MosaicCall {
            name: "k",
            operands: &[],
            results: &[],
            aliases: &[],
            location: &Location::default(),
        };
        let message = kernel(b"ML\xefR\x01nonsense", &call)
            .unwrap_err()
            .to_string();
        assert!(message.contains("backend_config"), "{message}");
        let message = kernel(b"module {}", &call).unwrap_err().to_string();
        assert!(message.contains("stable_mosaic.version"), "{message}");
    }
}
