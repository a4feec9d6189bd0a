//! Which changes of small kernels are told to be no faults.

use super::same;
use crate::mutate::equivalence::Why;
use std::sync::Arc;
use tileproof_dialect::{
    hlo::{
        self,
        add::Add,
        and::And,
        compare::{Compare, CompareType, Direction},
        maximum::Maximum,
        minimum::Minimum,
        negate::Negate,
        select::Select,
    },
    literal::Literal,
    location::Location,
    stage::Stage,
    tensor::Tensor,
    tpu::{
        Kernel, KernelBuilder, KernelOperand, KernelType, KernelValue, MemRefType, MemorySpace,
        Role, TpuOp, op::Mask,
    },
    types::ElementType,
};

const BLOCK: [u64; 2] = [8, 128];

fn operand(role: Role, dims: &[u64], element: ElementType, space: MemorySpace) -> KernelOperand {
    KernelOperand {
        role,
        buffer: MemRefType::new(dims, element, space),
        window: None,
        alias: None,
        address: None,
    }
}

fn float() -> KernelType {
    KernelType::vector(&BLOCK, ElementType::F32)
}

fn mask_type() -> KernelType {
    KernelType::vector(&BLOCK, ElementType::I1)
}

/// A kernel of a block that `body` makes of its only input, and how it is stored.
fn of_block(
    body: impl Fn(&mut KernelBuilder, KernelValue) -> (KernelValue, Option<KernelValue>),
) -> Arc<Kernel> {
    let both = [Role::Input, Role::Output];
    let operands = both.map(|r| operand(r, &BLOCK, ElementType::F32, MemorySpace::Vmem));
    let operands = operands.to_vec();
    let mut b = KernelBuilder::new("k", Stage::S5, vec![], operands, Location::default());
    let zero = index(&mut b, 0);
    let (x, y) = (b.operand_ref(0), b.operand_ref(1));
    let load = TpuOp::RegisterLoad {
        masked: Mask::Unmasked,
    };
    let loaded = b.one(load, &[x, zero, zero], float());
    let (value, mask) = body(&mut b, loaded);
    let mut operands = vec![value, y, zero, zero];
    operands.extend(mask);
    let masked = match mask {
        Some(_) => Mask::Masked,
        None => Mask::Unmasked,
    };
    b.op(TpuOp::RegisterStore { masked }, &operands, &[], vec![]);
    Arc::new(b.finish())
}

fn index(b: &mut KernelBuilder, value: i64) -> KernelValue {
    let t = Tensor::from_i64s(&[], &ElementType::I64, &[value]);
    let constant = TpuOp::Constant(Literal::from_tensor(&t));
    b.one(constant, &[], KernelType::Index)
}

fn splat(b: &mut KernelBuilder, value: f64) -> KernelValue {
    let t = Tensor::splat_f64(&BLOCK, &ElementType::F32, value);
    b.one(TpuOp::Constant(Literal::from_tensor(&t)), &[], float())
}

fn by(
    b: &mut KernelBuilder,
    op: impl Into<hlo::Op>,
    operands: &[KernelValue],
    ty: KernelType,
) -> KernelValue {
    b.one(TpuOp::Elementwise(op.into()), operands, ty)
}

fn rows_below(b: &mut KernelBuilder, rows: i64) -> KernelValue {
    let zero = index(b, 0);
    let (rows, lanes) = (index(b, rows), index(b, 128));
    b.one(TpuOp::CreateMask, &[zero, zero, rows, lanes], mask_type())
}

fn compare(direction: Direction, compare_type: Option<CompareType>) -> Compare {
    Compare {
        comparison_direction: direction,
        compare_type,
    }
}

#[test]
fn what_a_mask_leaves_out_may_be_anything() {
    let padded = |padding: f64, kept: i64| {
        of_block(|b, x| {
            let mask = rows_below(b, 4);
            let padding = splat(b, padding);
            let chosen = by(b, Select, &[mask, x, padding], float());
            let doubled = by(b, Add, &[chosen, chosen], float());
            let stored = rows_below(b, kept);
            (doubled, (kept < 8).then_some(stored))
        })
    };
    // Rows that nothing writes are not known.
    assert_eq!(same(&padded(0.0, 4), &padded(1.0, 4)), None);
    assert_eq!(same(&padded(0.0, 8), &padded(1.0, 8)), None);
    let dropped = |padding: f64| {
        of_block(|b, x| {
            let mask = rows_below(b, 4);
            let padding = splat(b, padding);
            let chosen = by(b, Select, &[mask, x, padding], float());
            (by(b, Select, &[mask, chosen, x], float()), None)
        })
    };
    assert_eq!(same(&dropped(0.0), &dropped(1.0)), Some(Why::SameTerms));
}

#[test]
fn an_input_that_decides_proves_nothing() {
    let chosen = |limit: f64| {
        of_block(|b, x| {
            let limit = splat(b, limit);
            let mask = by(b, compare(Direction::Lt, None), &[x, limit], mask_type());
            (x, Some(mask))
        })
    };
    assert_eq!(same(&chosen(0.0), &chosen(1.0)), None);
}

#[test]
fn another_order_of_nan_matters_where_it_is_seen() {
    let chosen = |order: Option<CompareType>, limit: f64, seen: bool| {
        of_block(|b, x| {
            let limit = splat(b, limit);
            let p = by(b, compare(Direction::Ge, order), &[x, limit], mask_type());
            let yes = by(b, Negate, &[x], float());
            let no = match seen {
                true => limit,
                false => by(b, Add, &[x, x], float()),
            };
            (by(b, Select, &[p, yes, no], float()), None)
        })
    };
    let total = Some(CompareType::TotalOrder);
    let is_same = |limit, seen| same(&chosen(None, limit, seen), &chosen(total, limit, seen));
    assert_eq!(is_same(2.0, false), Some(Why::SameOfNan));
    assert_eq!(is_same(2.0, true), None);
    // -0 is not below 0, and lies below it in the total order.
    assert_eq!(is_same(0.0, false), None);
}

/// Adds 1 to the element at an index from SMEM, kept between 0 and 7 or not, where it lies there, or always.
fn at_index(kept: bool, checked: bool) -> Arc<Kernel> {
    let operands = vec![
        operand(Role::Prefetch, &[1], ElementType::I32, MemorySpace::Smem),
        operand(Role::Output, &[8], ElementType::F32, MemorySpace::Smem),
    ];
    let mut b = KernelBuilder::new("k", Stage::S4, vec![], operands, Location::default());
    let scalar = |b: &mut KernelBuilder, op: hlo::Op, operands: &[KernelValue]| {
        by(b, op, operands, KernelType::i32())
    };
    let truth = KernelType::Scalar(ElementType::I1);
    let zero = index(&mut b, 0);
    let (from, to) = (b.operand_ref(0), b.operand_ref(1));
    let i = b.one(TpuOp::ScalarLoad, &[from, zero], KernelType::i32());
    let (low, high) = (b.i32(0), b.i32(7));
    let above = if kept { low } else { i };
    let above = scalar(&mut b, Maximum.into(), &[i, above]);
    let place = scalar(&mut b, Minimum.into(), &[above, high]);
    let at_least = by(
        &mut b,
        compare(Direction::Ge, None),
        &[i, low],
        truth.clone(),
    );
    let at_most = by(
        &mut b,
        compare(Direction::Le, None),
        &[i, high],
        truth.clone(),
    );
    let inside = by(&mut b, And, &[at_least, at_most], truth.clone());
    let always = by(&mut b, compare(Direction::Ge, None), &[low, low], truth);
    let place = b.one(TpuOp::IndexCast, &[place], KernelType::Index);
    b.begin_region(&[]);
    let ty = KernelType::Scalar(ElementType::F32);
    let old = b.one(TpuOp::ScalarLoad, &[to, place], ty.clone());
    let new = by(&mut b, Add, &[old, old], ty);
    b.op(TpuOp::ScalarStore, &[new, to, place], &[], vec![]);
    let then = b.end_region(&[]);
    b.begin_region(&[]);
    let otherwise = b.end_region(&[]);
    let condition = if checked { inside } else { always };
    b.op(TpuOp::If, &[condition], &[], vec![then, otherwise]);
    Arc::new(b.finish())
}

#[test]
fn an_index_that_is_checked_need_not_be_clamped() {
    let judged = |checked| same(&at_index(true, checked), &at_index(false, checked));
    assert_eq!(judged(true), Some(Why::SameInEveryOrder));
    assert_eq!(judged(false), None);
}
