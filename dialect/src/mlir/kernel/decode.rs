//! `func.func` with Mosaic's attributes to a kernel.

use super::{
    super::{attributes as plain_attributes, locations},
    attributes::word,
    reader::Reader,
    types,
};
use crate::{
    attribute::Attribute as Plain,
    error::Error,
    location::Location,
    stage::Stage,
    tpu::{
        GridDimension, Kernel, KernelOperand, KernelOperation, KernelRegion, KernelType,
        KernelValue, MemRefType, MemorySpace, Role, Semantics, TpuOp, Window,
    },
};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, RegionLike, RegionRef, Value, ValueLike,
    operation::OperationLike,
};
use std::{collections::HashMap, ffi::c_void, sync::Arc};

/// What the caller of a kernel knows and Mosaic's text does not say: whole buffers and which operands are results.
#[derive(Debug, Clone)]
pub(in crate::mlir) struct Call {
    pub stage: Stage,
    pub outputs: usize,
    /// Of each operand the whole buffer of a window.
    pub buffers: Vec<Option<MemRefType>>,
    /// Of each operand that takes an input's buffer that input.
    pub aliases: Vec<Option<u32>>,
}

/// Names of the index maps that kernel `op` refers to.
pub(in crate::mlir) fn index_maps(op: OperationRef) -> Vec<String> {
    windows(op)
        .into_iter()
        .filter_map(|w| w.map(|w| w.0))
        .collect()
}

/// Name of the index map and block of each entry of `window_params`; none where it is empty.
fn windows(op: OperationRef) -> Vec<Option<(String, Vec<u64>)>> {
    let Some(Plain::Array(list)) = op
        .attribute("window_params")
        .ok()
        .and_then(|a| plain_attributes::decode(a).ok())
    else {
        return vec![];
    };
    list.iter()
        .map(|entry| {
            let Plain::Dict(entry) = entry else {
                return None;
            };
            let (Some(Plain::Symbol(name)), Some(Plain::Ints(block))) =
                (entry.get("transform_indices"), entry.get("window_bounds"))
            else {
                return None;
            };
            let block = block
                .iter()
                .map(|n| u64::try_from(*n).unwrap_or(0))
                .collect();
            Some((name.clone(), block))
        })
        .collect()
}

/// Whether a function of the module is a kernel of ours.
pub(in crate::mlir) fn is_kernel(op: OperationRef) -> bool {
    op.has_attribute("tpux.stage")
}

/// The kernel that a function with `tpux` attributes is; `functions` are all of the module by name.
pub(in crate::mlir) fn kernel(
    op: OperationRef,
    functions: &HashMap<String, OperationRef>,
    file: &Arc<str>,
) -> Result<Kernel, Error> {
    let location = locations::decode_in(op.location(), file);
    let invalid = |message: &str| Error::invalid(message, location.clone());
    let reader = Reader::new(op, file);
    let stage = match reader.string("tpux.stage").as_deref() {
        Some("S3") => Stage::S3,
        Some("S4") => Stage::S4,
        Some("S5") => Stage::S5,
        Some(_) | None => return Err(invalid("'tpux.stage' must be \"S3\", \"S4\" or \"S5\"")),
    };
    let outputs = reader
        .int("tpux.outputs")
        .and_then(|n| usize::try_from(n).ok());
    let outputs =
        outputs.ok_or_else(|| invalid("'tpux.outputs' must say how many operands are results"))?;
    let mut call = Call {
        stage,
        outputs,
        buffers: vec![],
        aliases: vec![],
    };
    let mut addresses = vec![];
    for i in 0..argument_count(op) {
        let of = |name: &str| reader.argument(i, name);
        let buffer = match of("tpux.buffer") {
            None => None,
            Some(a) => {
                let ty = melior::ir::attribute::TypeAttribute::try_from(a)
                    .map_err(|_| invalid("'tpux.buffer' must be a type"))?;
                match types::decode(ty.value()).map_err(|m| invalid(&m))? {
                    KernelType::MemRef(m) => Some((*m).clone()),
                    KernelType::Index | KernelType::Scalar(_) | KernelType::Vector { .. } => {
                        return Err(invalid("'tpux.buffer' must be a memref"));
                    }
                }
            }
        };
        let number = |a: melior::ir::Attribute| match plain_attributes::decode(a) {
            Ok(Plain::Int(n)) => u64::try_from(n).ok(),
            Ok(_) | Err(_) => None,
        };
        call.buffers.push(buffer);
        call.aliases.push(
            of("tpux.alias")
                .and_then(number)
                .and_then(|n| u32::try_from(n).ok()),
        );
        addresses.push(of("tpux.vmem_address").and_then(number));
    }
    let grid = reader.ints("iteration_bounds").map_or(0, |b| b.len());
    call.buffers.drain(..grid.min(call.buffers.len()));
    call.aliases.drain(..grid.min(call.aliases.len()));
    addresses.drain(..grid.min(addresses.len()));
    let mut kernel = read(op, functions, &call, file)?;
    for (operand, address) in kernel.operands.iter_mut().zip(addresses) {
        operand.address = address;
    }
    Ok(kernel)
}

fn argument_count(op: OperationRef) -> usize {
    first_block(op).map_or(0, |b| b.argument_count())
}

fn first_block<'c, 'a>(op: OperationRef<'c, 'a>) -> Option<BlockRef<'c, 'a>> {
    op.region(0).ok().and_then(|region| region.first_block())
}

/// The kernel of a function with Mosaic's attributes.
pub(in crate::mlir) fn read(
    op: OperationRef,
    functions: &HashMap<String, OperationRef>,
    call: &Call,
    file: &Arc<str>,
) -> Result<Kernel, Error> {
    let location = locations::decode_in(op.location(), file);
    let invalid = |message: String| Error::invalid(message, location.clone());
    let unsupported = |what: String| Error::Unsupported {
        what,
        location: location.clone(),
    };
    let reader = Reader::new(op, file);
    if let Some(core) = reader.text("tpu.core_type")
        && core != "#tpu.core_type<tc>"
    {
        return Err(unsupported(format!("kernel for {core}")));
    }
    let block = first_block(op).ok_or_else(|| invalid("a kernel has a body".into()))?;
    let bounds = reader.ints("iteration_bounds").unwrap_or_default();
    let semantics = reader.texts("dimension_semantics");
    let grid = bounds
        .iter()
        .enumerate()
        .map(|(i, bound)| {
            let size = u64::try_from(*bound).map_err(|_| {
                unsupported("a grid whose bounds are only known at run time".into())
            })?;
            let semantics = match semantics
                .get(i)
                .and_then(|text| word(text, "tpu.dimension_semantics"))
            {
                Some("parallel") => Semantics::Parallel,
                Some("arbitrary") | None => Semantics::Arbitrary,
                Some(other) => return Err(unsupported(format!("dimension semantics {other}"))),
            };
            Ok(GridDimension { size, semantics })
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let count = block
        .argument_count()
        .checked_sub(grid.len())
        .ok_or_else(|| invalid("a kernel takes an i32 a grid dimension".into()))?;
    let counted = |name: &str| {
        reader
            .int(name)
            .map_or(Some(0), |n| usize::try_from(n).ok())
            .filter(|n| *n <= count)
    };
    let (Some(prefetch), Some(scratch)) = (counted("scalar_prefetch"), counted("scratch_operands"))
    else {
        return Err(invalid(
            "'scalar_prefetch' and 'scratch_operands' must count operands".into(),
        ));
    };
    let inputs = count
        .checked_sub(prefetch + scratch + call.outputs)
        .ok_or_else(|| invalid(format!("{count} operands are fewer than are counted")))?;
    if reader.has_window_kinds() {
        return Err(unsupported(
            "a window of another kind than blocks (window_kind, pipeline_mode, ..)".into(),
        ));
    }
    let windows = windows(op);
    if !windows.is_empty() && windows.len() != inputs + call.outputs {
        return Err(invalid(format!(
            "'window_params' has {} entries for {} inputs and outputs",
            windows.len(),
            inputs + call.outputs
        )));
    }
    let mut decoding = Decoding {
        file,
        values: HashMap::new(),
        types: vec![],
        failures: vec![],
        grid: bounds,
        scratch: vec![],
        open: vec![],
    };
    let mut body = KernelRegion::default();
    let mut operands = vec![];
    for i in 0..block.argument_count() {
        let argument: Value = block
            .argument(i)
            .map(Value::from)
            .map_err(|_| Error::internal("MLIR lost a block argument"))?;
        let v = decoding.define(argument, &location);
        body.arguments.push(v);
        let Some(i) = i.checked_sub(grid.len()) else {
            continue;
        };
        let KernelType::MemRef(seen) = decoding.types[v.index()].clone() else {
            decoding
                .failures
                .push(invalid(format!("operand {i} must be a memref")));
            continue;
        };
        let role = if i < prefetch {
            Role::Prefetch
        } else if i < prefetch + inputs {
            Role::Input
        } else if i < prefetch + inputs + call.outputs {
            Role::Output
        } else {
            Role::Scratch
        };
        let window = i
            .checked_sub(prefetch)
            .and_then(|w| windows.get(w))
            .and_then(Option::as_ref);
        let buffer = match (window, call.buffers.get(i).cloned().flatten()) {
            (Some(_), Some(buffer)) => buffer,
            // Without a caller's word the block is the buffer.
            (Some(_), None) => MemRefType {
                space: MemorySpace::Any,
                ..(*seen).clone()
            },
            (None, _) => (*seen).clone(),
        };
        operands.push(KernelOperand {
            role,
            buffer,
            window: None,
            alias: call.aliases.get(i).copied().flatten(),
            address: None,
        });
    }
    decoding.open.push(body);
    decoding.block(block);
    let body = decoding.open.pop().unwrap_or_default();
    for (i, operand) in operands.iter_mut().enumerate() {
        let Some(Some((name, block))) = i.checked_sub(prefetch).and_then(|w| windows.get(w)) else {
            continue;
        };
        let map = functions.get(name).and_then(|f| first_block(*f));
        let Some(map) = map else {
            decoding
                .failures
                .push(invalid(format!("index map '{name}' does not exist")));
            continue;
        };
        let mut region = KernelRegion::default();
        for k in 0..map.argument_count() {
            if let Ok(argument) = map.argument(k) {
                let v = decoding.define(argument.into(), &location);
                region.arguments.push(v);
            }
        }
        decoding.open.push(region);
        decoding.block(map);
        operand.window = Some(Window {
            block: block.clone(),
            transform: decoding.open.pop().unwrap_or_default(),
        });
    }
    let Decoding {
        failures,
        types,
        scratch,
        ..
    } = decoding;
    super::super::decode::report(failures)?;
    let mut body = body;
    // Memory that the body takes for itself becomes scratch operands.
    for v in scratch {
        if let Some(KernelType::MemRef(m)) = types.get(v.index()) {
            body.arguments.push(v);
            operands.push(KernelOperand {
                role: Role::Scratch,
                buffer: (**m).clone(),
                window: None,
                alias: None,
                address: None,
            });
        }
    }
    let kernel = Kernel {
        name: reader.string("sym_name").unwrap_or_default(),
        stage: call.stage,
        grid,
        operands,
        body,
        types,
        location,
    };
    Ok(kernel.renumbered())
}

pub(super) struct Decoding<'f> {
    pub file: &'f Arc<str>,
    values: HashMap<*const c_void, KernelValue>,
    types: Vec<KernelType>,
    pub failures: Vec<Error>,
    /// Sizes of the grid.
    pub grid: Vec<i64>,
    /// Memory that the body takes for itself.
    pub scratch: Vec<KernelValue>,
    open: Vec<KernelRegion>,
}

impl Decoding<'_> {
    pub fn ty(&self, v: KernelValue) -> &KernelType {
        &self.types[v.index()]
    }

    /// A new value for an MLIR value, of its type.
    pub fn define(&mut self, value: Value, location: &Location) -> KernelValue {
        let ty = types::decode(value.r#type()).unwrap_or_else(|what| {
            self.failures.push(Error::Unsupported {
                what,
                location: location.clone(),
            });
            KernelType::Index
        });
        let v = self.fresh(ty);
        self.values.insert(value.to_raw().ptr, v);
        v
    }

    fn fresh(&mut self, ty: KernelType) -> KernelValue {
        self.types.push(ty);
        KernelValue(self.types.len() as u32 - 1)
    }

    /// Gives an MLIR value a value that is there already.
    pub fn bind(&mut self, value: Value, to: KernelValue) {
        self.values.insert(value.to_raw().ptr, to);
    }

    pub fn operands(&mut self, op: OperationRef) -> Vec<KernelValue> {
        let found: Option<Vec<KernelValue>> = op
            .operands()
            .map(|v| self.values.get(&v.to_raw().ptr).copied())
            .collect();
        found.unwrap_or_else(|| {
            let location = locations::decode_in(op.location(), self.file);
            let name = types::name(op.name().to_raw());
            self.failures.push(Error::invalid(
                format!("'{name}': an operand does not dominate its use"),
                location,
            ));
            vec![]
        })
    }

    fn push(&mut self, operation: KernelOperation) {
        if let Some(region) = self.open.last_mut() {
            region.ops.push(operation);
        }
    }

    /// An op that stands for no MLIR op by itself, with one result.
    pub fn emit(
        &mut self,
        op: TpuOp,
        operands: &[KernelValue],
        result: KernelType,
        location: &Location,
    ) -> KernelValue {
        let v = self.fresh(result);
        self.push(KernelOperation {
            op,
            operands: operands.to_vec(),
            results: vec![v],
            regions: vec![],
            location: location.clone(),
        });
        v
    }

    /// The op that an MLIR op with regions and results is.
    pub fn translated(
        &mut self,
        op: OperationRef,
        to: TpuOp,
        operands: Vec<KernelValue>,
        location: &Location,
    ) {
        let mut regions: Vec<KernelRegion> =
            op.regions().map(|r| self.region(r, location)).collect();
        if to == TpuOp::If && regions.len() == 2 && regions[1].ops.is_empty() {
            regions[1].ops.push(KernelOperation {
                op: TpuOp::Yield,
                operands: vec![],
                results: vec![],
                regions: vec![],
                location: location.clone(),
            });
        }
        let results = op
            .results()
            .map(|r| self.define(r.into(), location))
            .collect();
        self.push(KernelOperation {
            op: to,
            operands,
            results,
            regions,
            location: location.clone(),
        });
    }

    fn region(&mut self, region: RegionRef, location: &Location) -> KernelRegion {
        let mut out = KernelRegion::default();
        let Some(block) = region.first_block() else {
            return out;
        };
        if block.next_in_region().is_some() {
            self.failures.push(Error::Unsupported {
                what: "a region of more than one block".into(),
                location: location.clone(),
            });
        }
        for i in 0..block.argument_count() {
            if let Ok(argument) = block.argument(i) {
                let v = self.define(argument.into(), location);
                out.arguments.push(v);
            }
        }
        self.open.push(out);
        self.block(block);
        out = self.open.pop().unwrap_or_default();
        out
    }

    fn block(&mut self, block: BlockRef) {
        let mut next = block.first_operation();
        while let Some(op) = next {
            next = op.next_in_block();
            self.op(op);
        }
    }

    /// The ops of a region that has no meaning of its own, in the open region; its results are what it yields.
    pub fn inlined(&mut self, op: OperationRef) {
        let Some(block) = first_block(op) else { return };
        let mut next = block.first_operation();
        while let Some(inner) = next {
            next = inner.next_in_block();
            if next.is_some() || inner.result_count() > 0 {
                self.op(inner);
                continue;
            }
            let yielded = self.operands(inner);
            for (result, v) in op.results().zip(yielded) {
                self.bind(result.into(), v);
            }
        }
    }
}
