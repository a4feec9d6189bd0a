//! Shrinks dimensions: every dimension of one size becomes smaller everywhere at once, and arguments keep their first or last elements.

use super::oracle::{Oracle, Shown};
use std::{collections::BTreeSet, time::Instant};
use tileproof_dialect::{
    builder::{ProgramBuilder, Provenance},
    error::Error,
    program::{Program, RegionId, ValueId},
    tensor::{Tensor, Value, row_major_strides},
    types::{Dim, Type},
};

/// Gives a smaller program that still shows the finding, if there is one, and the number of candidates tried.
pub fn shrink(
    shown: &Shown,
    oracle: &Oracle<'_>,
    end: Instant,
) -> Result<(Option<Shown>, u64), Error> {
    let (mut best, mut tried) = (None, 0);
    let mut current = shown.clone();
    loop {
        let mut progress = false;
        for size in sizes(&current.program).into_iter().rev() {
            // Small first: most findings need one or two elements.
            for smaller in [1, 2, 3, size / 2, size - size / 4, size - (size / 8).max(1)] {
                if smaller == 0 || smaller >= size || Instant::now() >= end {
                    continue;
                }
                let Some(program) = resized_program(&current.program, size, smaller) else {
                    continue;
                };
                let mut found = None;
                for start in [Keep::First, Keep::Last] {
                    let Some(arguments) = resized(&current.arguments, size, smaller, start) else {
                        break;
                    };
                    tried += 1;
                    found = oracle.shows(&program, &arguments)?;
                    if found.is_some() {
                        break;
                    }
                }
                if let Some(found) = found {
                    current = found;
                    best = Some(current.clone());
                    progress = true;
                    break;
                }
            }
        }
        if !progress || Instant::now() >= end {
            return Ok((best, tried));
        }
    }
}

/// Sizes of dimensions above 1 that occur.
fn sizes(program: &Program) -> BTreeSet<u64> {
    (0..program.value_count() as u32)
        .filter_map(|v| {
            program
                .ty(ValueId(v))
                .as_tensor()
                .and_then(|t| t.static_dims())
        })
        .flatten()
        .filter(|d| *d > 1)
        .collect()
}

/// Which elements of the arguments stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    First,
    Last,
}

fn resized(arguments: &[Value], size: u64, smaller: u64, keep: Keep) -> Option<Vec<Value>> {
    let one = |v: &Value| Some(elements(v.as_tensor()?, size, smaller, keep).into());
    arguments.iter().map(one).collect()
}

fn elements(t: &Tensor, size: u64, smaller: u64, keep: Keep) -> Tensor {
    let strides = row_major_strides(t.dims());
    let (mut dims, mut offset) = (t.dims().to_vec(), 0);
    for (d, stride) in dims.iter_mut().zip(&strides).filter(|(d, _)| **d == size) {
        *d = smaller;
        if keep == Keep::Last {
            offset += (size - smaller) as i64 * stride;
        }
    }
    t.strided(&dims, offset, &strides)
}

/// The program with every dimension `size` made `smaller`; literals keep their first elements, other sizes follow by the shape rules. None: it does not verify.
fn resized_program(program: &Program, size: u64, smaller: u64) -> Option<Program> {
    let mut to = ProgramBuilder::new(&program.name, Provenance::Keep);
    let mut map = vec![ValueId(0); program.value_count()];
    for f in &program.functions {
        let arguments = &program.region(f.body).arguments;
        let types: Vec<Type> = arguments
            .iter()
            .map(|v| resized_type(program.ty(*v), size, smaller))
            .collect();
        let new = to.begin_function(&f.name, &types, f.location.clone());
        arguments
            .iter()
            .zip(new)
            .for_each(|(old, new)| map[old.index()] = new);
        let returned = copy_ops(program, f.body, &mut to, &mut map, size, smaller);
        to.end_function(&returned, f.location.clone());
    }
    to.finish().ok()
}

fn copy_ops(
    program: &Program,
    region: RegionId,
    to: &mut ProgramBuilder,
    map: &mut [ValueId],
    size: u64,
    smaller: u64,
) -> Vec<ValueId> {
    for id in &program.region(region).ops {
        let o = program.op(*id);
        if o.op.is_return() {
            break;
        }
        let mut regions = vec![];
        for inner in &o.regions {
            let arguments = &program.region(*inner).arguments;
            let types: Vec<Type> = arguments
                .iter()
                .map(|v| resized_type(program.ty(*v), size, smaller))
                .collect();
            let new = to.begin_region(&types);
            arguments
                .iter()
                .zip(new)
                .for_each(|(old, new)| map[old.index()] = new);
            let returned = copy_ops(program, *inner, to, map, size, smaller);
            regions.push(to.end_region(&returned, o.location.clone()));
        }
        let operands: Vec<ValueId> = o.operands.iter().map(|v| map[v.index()]).collect();
        let types: Vec<Type> = o
            .results
            .iter()
            .map(|v| resized_type(program.ty(*v), size, smaller))
            .collect();
        let new = to.infer(
            resized_op(&o.op, size, smaller),
            &operands,
            &types,
            regions,
            o.location.clone(),
        );
        o.results
            .iter()
            .zip(new)
            .for_each(|(old, new)| map[old.index()] = new);
    }
    program
        .returned(region)
        .iter()
        .map(|v| map[v.index()])
        .collect()
}

fn resized_type(ty: &Type, size: u64, smaller: u64) -> Type {
    match ty {
        Type::Tensor(t) => {
            let mut t = (**t).clone();
            for d in &mut t.dims {
                if *d == Dim::Static(size) {
                    *d = Dim::Static(smaller);
                }
            }
            t.into()
        }
        Type::Token => Type::Token,
        Type::Tuple(parts) => Type::tuple(
            parts
                .iter()
                .map(|p| resized_type(p, size, smaller))
                .collect(),
        ),
    }
}

/// Literals and numbers in attributes follow the dimensions: limits of slices, sizes of windows.
fn resized_op(
    op: &tileproof_dialect::op::Op,
    size: u64,
    smaller: u64,
) -> tileproof_dialect::op::Op {
    use tileproof_dialect::{hlo, literal::Literal, op::Op};
    let Op::Hlo(inner) = op;
    match inner {
        hlo::Op::Constant(c) => {
            let value =
                Literal::from_tensor(&elements(&c.value.to_tensor(), size, smaller, Keep::First));
            Op::Hlo(hlo::constant::Constant { value }.into())
        }
        hlo::Op::Slice(s) => {
            let mut s = s.clone();
            for n in &mut s.limit_indices {
                if *n == size as i64 {
                    *n = smaller as i64;
                }
            }
            Op::Hlo(s.into())
        }
        hlo::Op::DynamicSlice(s) => {
            let mut s = s.clone();
            for n in &mut s.slice_sizes {
                if *n == size as i64 {
                    *n = smaller as i64;
                }
            }
            Op::Hlo(s.into())
        }
        _ => op.clone(),
    }
}
