//! Loads, stores and references: ops that touch memory, and the checks of their indices.

use super::{
    cell::{Cell, Lanes},
    machine::{Machine, Operands},
    memory::{self, masked},
    plan::Step,
    view::{Reach, View},
};
use smallvec::SmallVec;
use std::ops::Range;
use tileproof_dialect::{
    eval::Stop,
    tensor::row_major_strides,
    tpu::hazard::{Access as Touch, HazardKind, Origin, Use},
    types::{Dim, ElementType},
};

/// What a vector is to the reference it is loaded from or stored to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As many dimensions as the reference, or none for one element.
    Vector,
    /// A register: rows and lanes of the last two dimensions; a packed one has a third dimension for the rows in a sublane.
    Register,
}

/// How an op reads or writes.
#[derive(Debug, Clone)]
pub struct Access {
    pub form: Form,
    pub steps: Vec<u64>,
    pub masked: bool,
}

/// The part of a reference a vector covers.
struct Shape {
    sizes: SmallVec<[u64; 4]>,
    packed: bool,
}

fn shape(dims: &[u64], rank: usize, form: Form) -> Result<Shape, Stop> {
    let sizes = match (form, dims) {
        (Form::Register, [rows, lanes]) if rank > 1 => {
            ones(rank - 2).chain([*rows, *lanes]).collect()
        }
        (Form::Register, [rows, lanes, packing]) if rank > 1 => {
            ones(rank - 2).chain([rows * packing, *lanes]).collect()
        }
        (Form::Vector, []) => ones(rank).collect(),
        (Form::Vector, _) if dims.len() == rank => dims.iter().copied().collect(),
        (Form::Vector | Form::Register, _) => {
            return Err(Stop::internal(format!(
                "a vector of sizes {dims:?} for a reference of rank {rank}"
            )));
        }
    };
    Ok(Shape {
        sizes,
        packed: form == Form::Register && dims.len() == 3,
    })
}

fn ones(n: usize) -> impl Iterator<Item = u64> {
    std::iter::repeat_n(1, n)
}

/// The rows of a tile as the register of sizes `dims`.
fn to_register(rows: &Lanes, dims: &[u64], shape: &Shape) -> Lanes {
    match dims {
        [_, lanes, packing] if shape.packed => {
            let (lanes, packing) = (*lanes as i64, *packing as i64);
            rows.moved(|t| t.strided(dims, 0, &[lanes * packing, 1, lanes]))
        }
        _ => rows.moved(|t| t.reshaped(dims)),
    }
}

/// A register as the rows of a tile, in the sizes of the reference.
fn to_rows(register: &Lanes, shape: &Shape) -> Lanes {
    match *register.value.dims() {
        [rows, lanes, packing] if shape.packed => {
            let strides = [(lanes * packing) as i64, 1, packing as i64];
            register.moved(|t| {
                t.strided(&[rows, packing, lanes], 0, &strides)
                    .reshaped(&shape.sizes)
            })
        }
        _ if register.value.dims() == &shape.sizes[..] => register.clone(),
        _ => register.moved(|t| t.reshaped(&shape.sizes)),
    }
}

/// The reference a register is loaded from: one of rank 1 is one row.
fn as_rows(view: &View, form: Form) -> View {
    let mut out = view.clone();
    if form == Form::Register && view.dims.len() == 1 {
        out.dims.insert(0, 1);
        out.strides.insert(0, 0);
        out.inside.insert(0, (0, 1));
    }
    out
}

/// The elements a vector reaches from the indices in operands `at` on.
fn reached(
    m: &mut Machine<'_>,
    step: &Step,
    operands: &Operands,
    at: Range<usize>,
    view: &View,
    shape: &Shape,
    steps: &[u64],
) -> Result<Reach, Stop> {
    // A reference of rank 1 is a row, number 0.
    let row = view.dims.len() - at.len();
    let mut starts: SmallVec<[i64; 4]> = std::iter::repeat_n(0, row).collect();
    for at in at {
        starts.push(m.number(step, operands, at, Use::Index)?);
    }
    Ok(view.access(&starts, &shape.sizes, steps))
}

/// Reports an access that leaves its reference: with a mask, if a lane that is on does. The padding of a buffer's last tiles is not outside.
fn check_lanes(
    m: &mut Machine<'_>,
    op: u32,
    reach: &Reach,
    mask: Option<&Lanes>,
) -> Result<(), Stop> {
    let Some((part, outside)) = &reach.part else {
        return Ok(());
    };
    if let Some(mask) = mask {
        let dims = &reach.region.dims;
        let strides = row_major_strides(dims);
        let leaves = |i: usize| {
            let coordinate = |d: usize| i as u64 / strides[d] as u64 % dims[d];
            part.iter()
                .enumerate()
                .any(|(d, (low, high))| !(*low..*high).contains(&coordinate(d)))
        };
        let on = mask.value.as_slice::<u8>();
        if !on.iter().enumerate().any(|(i, on)| *on != 0 && leaves(i)) {
            return Ok(());
        }
    }
    if m.memory.is_padding(&reach.region, outside)? {
        return Ok(());
    }
    check_inside(m, op, reach)
}

/// Reports an access that leaves its reference.
pub fn check_inside(m: &mut Machine<'_>, op: u32, reach: &Reach) -> Result<(), Stop> {
    if let Some((_, outside)) = &reach.part {
        let place = m.memory.place(reach.region.buffer)?;
        let kind = HazardKind::OutOfBounds {
            place,
            dimension: outside.dimension,
            index: outside.index,
            size: outside.size,
        };
        m.cx.report(op, u64::from(outside.dimension), kind, 1);
    }
    Ok(())
}

/// Loads a vector of sizes `dims`; the reference is the first operand.
pub fn load(
    m: &mut Machine<'_>,
    step: &Step,
    operands: &mut Operands,
    dims: &[u64],
    how: &Access,
) -> Result<Cell, Stop> {
    let Some(Cell::Ref(view)) = operands.first() else {
        return Err(Stop::internal("a load without reference"));
    };
    let indices = view.dims.len();
    let view = as_rows(view, how.form);
    let shape = shape(dims, view.dims.len(), how.form)?;
    let reach = reached(m, step, operands, 1..1 + indices, &view, &shape, &how.steps)?;
    let mask = match how.masked {
        true => Some(m.lanes(step, operands, 1 + indices)?),
        false => None,
    };
    if reach.part.is_some() {
        let rows = mask.as_ref().map(|mask| to_rows(mask, &shape));
        check_lanes(m, step.op, &reach, rows.as_ref())?;
    }
    if !m.copies.is_idle() {
        m.touch(step.op, &reach.inside(), Touch::Read)?;
    }
    let mut out = m.memory.load(&reach, &mut m.cx.shadow)?;
    if let Some(element) = &view.cast {
        out = memory::cast(out, element, m.cx.planes, m.cx.events)?;
    }
    if out.value.dims() != dims {
        out = to_register(&out, dims, &shape);
    }
    if let Some(mask) = mask {
        m.cx.shadow.decide(mask.tags.as_ref());
        let left_out = m.memory.nothing(
            dims,
            out.value.element(),
            Origin::MaskedLane,
            &mut m.cx.shadow,
        );
        out = masked(&mask, &out, &left_out);
    }
    out.tags = m.cx.shadow.all_through(out.tags, step.op);
    m.cx.count_vector(out.value.len() as u64);
    Ok(Cell::of(out))
}

/// Stores `value`, the first operand; the reference is the second.
pub fn store(
    m: &mut Machine<'_>,
    step: &Step,
    operands: &mut Operands,
    mut value: Lanes,
    how: &Access,
) -> Result<(), Stop> {
    let Some(Cell::Ref(view)) = operands.get(1) else {
        return Err(Stop::internal("a store without reference"));
    };
    let indices = view.dims.len();
    let view = as_rows(view, how.form);
    let shape = shape(value.value.dims(), view.dims.len(), how.form)?;
    let reach = reached(m, step, operands, 2..2 + indices, &view, &shape, &how.steps)?;
    let mask = match how.masked {
        true => Some(to_rows(&m.lanes(step, operands, 2 + indices)?, &shape)),
        false => None,
    };
    check_lanes(m, step.op, &reach, mask.as_ref())?;
    if !m.copies.is_idle() {
        m.touch(step.op, &reach.inside(), Touch::Write)?;
    }
    value.tags = m.cx.shadow.all_through(value.tags, step.op);
    if view.cast.is_some() {
        // The buffer keeps its own type.
        let own = m.memory.data(view.buffer)?.value.element().clone();
        value = memory::cast(value, &own, m.cx.planes, m.cx.events)?;
    }
    m.cx.count_vector(value.value.len() as u64);
    let value = to_rows(&value, &shape);
    let value = match mask {
        Some(mask) => {
            m.cx.shadow.decide(mask.tags.as_ref());
            masked(&mask, &value, &m.memory.load(&reach, &mut m.cx.shadow)?)
        }
        None => value,
    };
    m.memory.store(&reach, value, &mut m.cx.shadow)
}

/// `tpu.memref_slice`.
pub fn slice(
    m: &mut Machine<'_>,
    step: &Step,
    operands: &Operands,
    sizes: &[Dim],
) -> Result<Cell, Stop> {
    let view = operands.first().map(Cell::view).transpose()?.cloned();
    let Some(view) = view.filter(|v| v.dims.len() == sizes.len()) else {
        return Err(Stop::internal("a slice of another rank"));
    };
    let mut offsets: SmallVec<[i64; 4]> = SmallVec::new();
    for d in 0..sizes.len() {
        offsets.push(m.number(step, operands, 1 + d, Use::Index)?);
    }
    let mut next = 1 + sizes.len();
    // A size may be any number: one more than there is reaches outside as well.
    let most = m.memory.stored(view.buffer)?.dims.iter().product::<u64>() + 1;
    let mut dims: SmallVec<[u64; 4]> = SmallVec::new();
    for d in sizes {
        dims.push(match d {
            Dim::Static(n) => *n,
            Dim::Dynamic { .. } => {
                next += 1;
                let size = m.number(step, operands, next - 1, Use::CopySize)?;
                (size.max(0) as u64).min(most)
            }
        });
    }
    Ok(Cell::Ref(view.slice(&offsets, &dims)))
}

/// Another shape of the same reference.
pub fn reshaped(operands: &Operands, f: impl Fn(&View) -> Option<View>) -> Result<Cell, Stop> {
    let view = operands.first().map(Cell::view).transpose()?;
    match view.and_then(f) {
        Some(view) => Ok(Cell::Ref(view)),
        None => Err(Stop::internal("a reference that cannot have these sizes")),
    }
}

/// `tpu.memref_bitcast`.
pub fn cast(operands: &Operands, dims: &[u64], element: &ElementType) -> Result<Cell, Stop> {
    let cell = reshaped(operands, |v| {
        if v.dims[..] == *dims {
            Some(v.clone())
        } else {
            v.reshaped(dims)
        }
    })
    .map_err(|_| Stop::unsupported("tpu.memref_bitcast to a type of another width"))?;
    Ok(match cell {
        Cell::Ref(view) => Cell::Ref(View {
            cast: Some(element.clone()),
            ..view
        }),
        other @ (Cell::Int { .. } | Cell::Lanes(_)) => other,
    })
}
