//! Reads HLO protos as `--xla_dump_hlo_as_proto` writes them (`HloProto`, or a bare `HloModuleProto`).
//!
//! A proto becomes the same module syntax that HLO text gives and takes the same way to a program. Not in the proto: counts of replicas and
//! partitions, and the layouts of the entry where they differ from its parameters'.

mod attributes;
mod literal;
mod messages;

use super::hlo_text::{
    Attribute, build, fits_memory,
    module::{self, Computation, Instruction, Module},
    syntax::{self, list},
};
use crate::{
    error::Error,
    location::{Location, Position},
    program::Program,
    types::{Dim, ElementType, Layout, TensorType, Type},
};
use messages as proto;
use prost::Message;
use smallvec::SmallVec;
use std::{collections::HashMap, sync::Arc};

/// Reads one module. `file` names it in messages.
pub fn parse(bytes: &[u8], file: &str) -> Result<Program, Error> {
    let unknown = || Location::at(&Arc::from(file), 1, 1);
    let whole = proto::HloProto::decode(bytes)
        .ok()
        .and_then(|p| p.hlo_module)
        .filter(|m| !m.computations.is_empty());
    let module = match whole {
        Some(module) => module,
        None => proto::HloModule::decode(bytes)
            .map_err(|e| Error::invalid(format!("expected an HLO proto: {e}"), unknown()))?,
    };
    build::program(&read(&module).map_err(|e| e.at(&unknown()))?).map_err(|e| e.at(&unknown()))
}

fn read(p: &proto::HloModule) -> Result<Module<'static>, Error> {
    let names: HashMap<i64, &str> = p
        .computations
        .iter()
        .map(|c| (c.id, c.name.as_str()))
        .collect();
    let frames = Frames::new(p.stack_frame_index.as_ref());
    let mut computations = vec![];
    let mut seen = HashMap::new();
    for c in &p.computations {
        if seen.insert(&c.name, c.id).is_some() {
            return Err(Error::invalid(
                format!("computation '{}' is defined twice", c.name),
                Location::default(),
            ));
        }
        let order = p
            .schedule
            .as_ref()
            .and_then(|s| s.sequences.get(&c.id))
            .map(|s| s.instruction_ids.as_slice());
        computations.push(computation(c, order, &names, &frames)?);
    }
    let entry = p
        .computations
        .iter()
        .position(|c| c.id == p.entry_computation_id);
    let entry = entry.ok_or_else(|| {
        Error::invalid("the entry computation does not exist", Location::default())
    })?;
    Ok(Module {
        name: p.name.clone(),
        attributes: header(p),
        computations,
        entry,
        source: None,
    })
}

fn header(p: &proto::HloModule) -> Vec<Attribute<'static>> {
    let mut out = vec![];
    let mut put = |name: &'static str, value: String| {
        out.push(Attribute {
            name: name.into(),
            value: value.into(),
            offset: None,
        })
    };
    if p.schedule.is_some() {
        put("is_scheduled", "true".to_string());
    }
    if let Some(a) = p
        .input_output_alias
        .as_ref()
        .filter(|a| !a.entries.is_empty())
    {
        let entry = |e: &proto::AliasEntry| {
            let kind = if e.kind == 2 {
                "must-alias"
            } else {
                "may-alias"
            };
            format!(
                "{}: ({}, {}, {kind})",
                list(&e.output_shape_index),
                e.parameter_number,
                list(&e.parameter_shape_index)
            )
        };
        put(
            "input_output_alias",
            format!(
                "{{ {} }}",
                a.entries.iter().map(entry).collect::<Vec<_>>().join(", ")
            ),
        );
    }
    if let Some(d) = p.buffer_donor.as_ref().filter(|d| !d.entries.is_empty()) {
        let entry = |e: &proto::BufferDonorEntry| {
            format!(
                "({}, {})",
                e.parameter_number,
                list(&e.parameter_shape_index)
            )
        };
        put(
            "buffer_donor",
            format!(
                "{{ {} }}",
                d.entries.iter().map(entry).collect::<Vec<_>>().join(", ")
            ),
        );
    }
    out
}

fn computation(
    p: &proto::Computation,
    order: Option<&[i64]>,
    names: &HashMap<i64, &str>,
    frames: &Frames,
) -> Result<Computation<'static>, Error> {
    // The schedule's order where there is one, else the order of the proto; both have operands first.
    let by_id: HashMap<i64, &proto::Instruction> =
        p.instructions.iter().map(|i| (i.id, i)).collect();
    let scheduled: Option<Vec<&proto::Instruction>> =
        order.and_then(|ids| ids.iter().map(|id| by_id.get(id).copied()).collect());
    let ordered = scheduled
        .filter(|s| s.len() == by_id.len())
        .unwrap_or_else(|| p.instructions.iter().collect());
    let mut places: HashMap<i64, u32> = HashMap::new();
    let mut instructions = vec![];
    for i in &ordered {
        let read = instruction(i, &places, &by_id, names, frames)
            .map_err(|e| named(e, &p.name, &i.name))?;
        places.insert(i.id, instructions.len() as u32);
        instructions.push(read);
    }
    let root = places.get(&p.root_id).map(|i| *i as usize);
    let root = root.ok_or_else(|| {
        Error::invalid(
            format!("computation '{}' has no root", p.name),
            Location::default(),
        )
    })?;
    Ok(Computation {
        name: p.name.clone().into(),
        root,
        parameters: module::parameters(&instructions)?,
        instructions,
        location: Location::default(),
    })
}

/// Adds the names to a message, which has no place in a text.
fn named(error: Error, computation: &str, instruction: &str) -> Error {
    let place = format!(" (in '{computation}', instruction '{instruction}')");
    match error {
        Error::InvalidProgram(mut all) => {
            all.iter_mut().for_each(|d| d.message.push_str(&place));
            Error::InvalidProgram(all)
        }
        Error::Unsupported { what, location } => Error::Unsupported {
            what: what + &place,
            location,
        },
        Error::Internal(m) => Error::Internal(m + &place),
    }
}

fn instruction(
    p: &proto::Instruction,
    places: &HashMap<i64, u32>,
    by_id: &HashMap<i64, &proto::Instruction>,
    names: &HashMap<i64, &str>,
    frames: &Frames,
) -> Result<Instruction<'static>, Error> {
    let invalid = |m: String| Error::invalid(m, Location::default());
    let ty = shape(
        p.shape
            .as_ref()
            .ok_or_else(|| invalid("a shape is missing".to_string()))?,
    )?;
    let place = |id: &i64| {
        places
            .get(id)
            .copied()
            .ok_or_else(|| invalid(format!("operand {id} is not defined before its use")))
    };
    let operands: SmallVec<[u32; 4]> = p.operand_ids.iter().map(place).collect::<Result<_, _>>()?;
    let mut attributes = attributes::attributes(p);
    let mut put = |name: &'static str, value: String| {
        attributes.push(Attribute {
            name: name.into(),
            value: value.into(),
            offset: None,
        })
    };
    let called = p
        .called_computation_ids
        .iter()
        .map(|id| names.get(id).copied());
    let called: Vec<&str> = called
        .collect::<Option<_>>()
        .ok_or_else(|| invalid("a called computation does not exist".to_string()))?;
    let roles: &[&'static str] = match p.opcode.as_str() {
        "while" => &["body", "condition"],
        "select-and-scatter" => &["select", "scatter"],
        "fusion" | "async-start" => &["calls"],
        "conditional" | "custom-call" | "async-update" | "async-done" => &[],
        _ => &["to_apply"],
    };
    for (role, name) in roles.iter().zip(&called) {
        put(role, name.to_string());
    }
    let all = || format!("{{{}}}", called.join(", "));
    match p.opcode.as_str() {
        "conditional" => put("branch_computations", all()),
        "custom-call" if !called.is_empty() => put("called_computations", all()),
        _ => {}
    }
    if !p.control_predecessor_ids.is_empty() {
        let before: Vec<&str> = p
            .control_predecessor_ids
            .iter()
            .filter_map(|id| by_id.get(id))
            .map(|i| i.name.as_str())
            .collect();
        put("control-predecessors", format!("{{{}}}", before.join(", ")));
    }
    let constant = match (p.opcode.as_str(), &p.literal) {
        ("constant", Some(value)) => literal::constants(value, &ty)?,
        ("constant", None) => return Err(invalid("a constant without a literal".to_string())),
        (_, _) => vec![],
    };
    let parameter = match p.opcode.as_str() {
        "parameter" => Some(
            usize::try_from(p.parameter_number)
                .map_err(|_| invalid("a parameter number cannot be negative".to_string()))?,
        ),
        _ => None,
    };
    let metadata = p.metadata.clone().unwrap_or_default();
    Ok(Instruction {
        name: p.name.clone().into(),
        ty,
        opcode: p.opcode.clone().into(),
        operands,
        constant,
        parameter,
        attributes,
        op_name: (!metadata.op_name.is_empty()).then(|| metadata.op_name.clone().into()),
        location: Location {
            position: frames.position(&metadata),
            ..Location::default()
        },
    })
}

/// Positions in the user's program by stack frame number, from 1.
struct Frames {
    positions: Vec<Option<Position>>,
}

impl Frames {
    fn new(index: Option<&proto::StackFrameIndex>) -> Frames {
        let Some(index) = index else {
            return Frames { positions: vec![] };
        };
        let files: Vec<Arc<str>> = index
            .file_names
            .iter()
            .map(|f| Arc::from(f.as_str()))
            .collect();
        let at = |number: i32| usize::try_from(number).ok()?.checked_sub(1);
        let position = |frame: &proto::StackFrame| {
            let location = index.file_locations.get(at(frame.file_location_id)?)?;
            let file = files.get(at(location.file_name_id)?)?.clone();
            Some(Position {
                file,
                line: u32::try_from(location.line).ok()?,
                column: u32::try_from(location.column).ok()?.max(1),
            })
        };
        Frames {
            positions: index.stack_frames.iter().map(position).collect(),
        }
    }

    fn position(&self, metadata: &proto::OpMetadata) -> Option<Position> {
        let frame = usize::try_from(metadata.stack_frame_id)
            .ok()?
            .checked_sub(1);
        let by_frame = frame.and_then(|n| self.positions.get(n)).cloned().flatten();
        by_frame.or_else(|| {
            let line = u32::try_from(metadata.source_line)
                .ok()
                .filter(|l| *l > 0)?;
            let column = u32::try_from(metadata.source_column).ok()?.max(1);
            Some(Position {
                file: Arc::from(metadata.source_file.as_str()),
                line,
                column,
            })
        })
    }
}

/// XLA's numbers of element types, with the names of HLO text.
const PRIMITIVE_TYPES: &[(i32, &str)] = &[
    (1, "pred"),
    (26, "s2"),
    (21, "s4"),
    (2, "s8"),
    (3, "s16"),
    (4, "s32"),
    (5, "s64"),
    (27, "u2"),
    (22, "u4"),
    (6, "u8"),
    (7, "u16"),
    (8, "u32"),
    (9, "u64"),
    (10, "f16"),
    (11, "f32"),
    (16, "bf16"),
    (12, "f64"),
    (19, "f8e5m2"),
    (28, "f8e4m3"),
    (20, "f8e4m3fn"),
    (23, "f8e4m3b11fnuz"),
    (29, "f8e3m4"),
    (24, "f8e5m2fnuz"),
    (25, "f8e4m3fnuz"),
    (32, "f4e2m1fn"),
    (33, "f8e8m0fnu"),
    (15, "c64"),
    (18, "c128"),
];

const TUPLE: i32 = 13;
const TOKEN: i32 = 17;

fn shape(p: &proto::Shape) -> Result<Type, Error> {
    if p.element_type == TUPLE {
        return Ok(Type::tuple(
            p.tuple_shapes.iter().map(shape).collect::<Result<_, _>>()?,
        ));
    }
    if p.element_type == TOKEN {
        return Ok(Type::Token);
    }
    let row = PRIMITIVE_TYPES.iter().find(|row| row.0 == p.element_type);
    let element = row.and_then(|row| ElementType::from_hlo_name(row.1));
    let element = element
        .ok_or_else(|| Error::unsupported(format!("HLO element type number {}", p.element_type)))?;
    let mut dims = vec![];
    for (i, size) in p.dimensions.iter().enumerate() {
        let dynamic = p.is_dynamic_dimension.get(i).copied().unwrap_or(false);
        dims.push(match (u64::try_from(*size), dynamic) {
            (Ok(size), false) => Dim::Static(size),
            (Ok(size), true) => Dim::Dynamic { bound: Some(size) },
            // XLA marks an unbounded dimension with the smallest integer.
            (Err(_), true) => Dim::Dynamic { bound: None },
            (Err(_), false) => {
                return Err(Error::invalid(
                    "a dimension cannot be negative",
                    Location::default(),
                ));
            }
        });
    }
    if !fits_memory(&dims) {
        return Err(Error::invalid(
            format!("a shape of more than {} elements", i64::MAX),
            Location::default(),
        ));
    }
    let layout = match &p.layout {
        Some(l) => layout(l, dims.len())?,
        None => None,
    };
    Ok(TensorType {
        dims,
        element,
        layout,
    }
    .into())
}

fn layout(p: &proto::Layout, rank: usize) -> Result<Option<Layout>, Error> {
    let wrong = || Error::invalid("a layout does not fit its shape", Location::default());
    let minor_to_major: Vec<u64> = p
        .minor_to_major
        .iter()
        .map(|d| u64::try_from(*d))
        .collect::<Result<_, _>>()
        .map_err(|_| wrong())?;
    let mut sorted = minor_to_major.clone();
    sorted.sort_unstable();
    if sorted.len() != rank || sorted.iter().enumerate().any(|(i, d)| i as u64 != *d) {
        return Err(wrong());
    }
    let tile = |t: &proto::Tile| {
        t.dimensions
            .iter()
            .map(|d| u64::try_from(*d))
            .collect::<Result<Vec<u64>, _>>()
    };
    let tiles = p
        .tiles
        .iter()
        .map(tile)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| wrong())?;
    let row_major = minor_to_major
        .iter()
        .rev()
        .enumerate()
        .all(|(i, d)| i as u64 == *d);
    Ok((!row_major || !tiles.is_empty()).then_some(Layout {
        minor_to_major,
        tiles,
    }))
}

/// The shape as HLO text; a shape that cannot be read gives a text that cannot be read.
fn shape_text(p: &proto::Shape) -> String {
    shape(p).map_or_else(|_| "opaque[]".to_string(), |ty| syntax::shape(&ty))
}

#[cfg(test)]
#[path = "hlo_proto_tests.rs"]
mod tests;
