//! What a mutator asks of a program: how a value is made, what it is, where an op stands.

use tileproof_dialect::{
    hlo,
    op::Op,
    program::{OpId, Program, RegionParent, ValueDef, ValueId},
    tensor::Tensor,
    types::{Class, ElementType},
};

/// Name of an op without dialect prefix.
pub fn name(program: &Program, id: OpId) -> &'static str {
    let Op::Hlo(op) = &program.op(id).op;
    op.name()
}

/// The op that defines `v`; none for arguments.
pub fn definition(program: &Program, v: ValueId) -> Option<OpId> {
    match program.value(v).def {
        ValueDef::Result { op, .. } => Some(op),
        ValueDef::Argument { .. } => None,
    }
}

/// Operands of the op `name` that defines `v`.
pub fn operands_of<'p>(program: &'p Program, v: ValueId, name: &str) -> Option<&'p [ValueId]> {
    let id = definition(program, v).filter(|id| self::name(program, *id) == name)?;
    Some(&program.op(id).operands)
}

/// The two operands of op `id`, when it is `name`.
pub fn pair(program: &Program, id: OpId, name: &str) -> Option<[ValueId; 2]> {
    match program.op(id).operands[..] {
        [a, b] if self::name(program, id) == name => Some([a, b]),
        _ => None,
    }
}

/// The only operand of op `id`, when it is `name`.
pub fn single(program: &Program, id: OpId, name: &str) -> Option<ValueId> {
    match program.op(id).operands[..] {
        [x] if self::name(program, id) == name => Some(x),
        _ => None,
    }
}

/// Element type of a tensor.
pub fn element(program: &Program, v: ValueId) -> Option<ElementType> {
    Some(program.ty(v).as_tensor()?.element.clone())
}

/// Whether `v` is a tensor of floats.
pub fn is_float(program: &Program, v: ValueId) -> bool {
    element(program, v).is_some_and(|e| e.class() == Class::Float)
}

/// Sizes of a tensor, when all are static.
pub fn dims(program: &Program, v: ValueId) -> Option<Vec<u64>> {
    program.ty(v).as_tensor()?.static_dims()
}

/// The value that all elements of a literal have, as a tensor of rank 0; seen through broadcasts and reshapes.
pub fn splat(program: &Program, v: ValueId) -> Option<Tensor> {
    let o = program.op(definition(program, v)?);
    let Op::Hlo(op) = &o.op;
    if let hlo::Op::Constant(constant) = op {
        return constant.value.splat_value();
    }
    match op.name() {
        "broadcast" | "broadcast_in_dim" | "reshape" => splat(program, *o.operands.first()?),
        _ => None,
    }
}

/// The op whose region op `id` stands in, and the number of that region; none at the level of a function.
pub fn parent(program: &Program, id: OpId) -> Option<(OpId, usize)> {
    let region = program.region_of(id)?;
    match program.region(region).parent {
        RegionParent::Op(op) => {
            let number = program.op(op).regions.iter().position(|r| *r == region)?;
            Some((op, number))
        }
        RegionParent::Function(_) => None,
    }
}
