//! Elementwise ops: the same op on blocks. Scalars that stand for a whole operand are spread.

use super::{axes::Axes, emitter::Emitter, form::Site};
use tileproof_dialect::{
    error::Error,
    hlo::{
        bitcast_convert::BitcastConvert, convert::Convert, or::Or, shift_left::ShiftLeft,
        shift_right_logical::ShiftRightLogical,
    },
    tensor::Tensor,
    tpu::{CombiningKind, KernelValue, TpuOp},
    types::ElementType,
};

/// All operands of the result's rank run as the result.
pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    for result in site.results {
        for operand in &site.operands {
            axes.join_all(*operand, *result);
        }
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let operands = blocks(site, e)?;
    let element = site.computation.element(site.results[0])?;
    Ok(vec![e.elementwise(site.op.clone(), &operands, element)])
}

/// The operands in the shape of the result's block.
pub fn blocks(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let block = e.block_dims(site.results[0])?;
    site.operands
        .iter()
        .map(|v| {
            let value = e.value(*v)?;
            Ok(e.broadcast(value, &block))
        })
        .collect()
}

/// A bitcast between types of one width runs alike; between others the minor dimension comes or goes.
pub fn divide_bits(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let (operand, result) = (site.operands[0], site.results[0]);
    let (from, to) = (site.dims(operand)?.len(), site.dims(result)?.len());
    for d in 0..from.min(to) {
        axes.join((operand, d), (result, d));
    }
    Ok(())
}

pub fn emit_bits(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let (operand, result) = (site.operands[0], site.results[0]);
    let (from, to) = (
        site.computation.element(operand)?,
        site.computation.element(result)?,
    );
    let (wide, narrow) = (from.bits().max(to.bits()), from.bits().min(to.bits()));
    if wide == narrow {
        return emit(site, e);
    }
    let (Some(wide_word), Some(narrow_word)) = (word(wide), word(narrow)) else {
        return Err(site.unsupported(format!("between {from} and {to}")));
    };
    let value = e.value(operand)?;
    let block = e.block_dims(result)?;
    let rank = site.dims(operand)?.len().max(site.dims(result)?.len());
    if from.bits() > to.bits() {
        // The word, shifted so that part i of it is lowest, narrowed.
        let value = bits_as(e, value, &wide_word);
        let mut apart: Vec<u64> = e.dims(value);
        apart = apart.split_off(apart.len() + 1 - rank);
        apart.push(1);
        let value = e.shape_cast(value, &apart);
        let count = u64::from(wide / narrow);
        *apart.last_mut().unwrap_or(&mut 0) = count;
        let value = e.broadcast(value, &apart);
        let amount = amounts(e, &apart, narrow, &wide_word);
        let value = e.elementwise(ShiftRightLogical, &[value, amount], wide_word);
        let value = e.elementwise(Convert, &[value], narrow_word);
        let value = bits_as(e, value, &to);
        return Ok(vec![e.shape_cast(value, &block)]);
    }
    let value = bits_as(e, value, &narrow_word);
    let value = e.elementwise(Convert, &[value], wide_word.clone());
    let dims = e.dims(value);
    let amount = amounts(e, &dims, narrow, &wide_word);
    let value = e.elementwise(ShiftLeft, &[value, amount], wide_word.clone());
    // The parts have no bit in common: or is their sum.
    let minor = dims.len() - 1;
    let mut parts = (0..dims[minor])
        .map(|i| e.slice_along(value, minor, i, 1, 1))
        .collect::<Vec<_>>();
    let mut whole = parts.remove(0);
    for part in parts {
        whole = e.elementwise(Or, &[whole, part], wide_word.clone());
    }
    let whole = e.shape_cast(whole, &block);
    Ok(vec![bits_as(e, whole, &to)])
}

/// How far part i of a word is shifted, along the minor dimension.
fn amounts(e: &mut Emitter<'_>, dims: &[u64], narrow: u32, word: &ElementType) -> KernelValue {
    let place = e.iota(dims, dims.len() - 1);
    let place = e.convert(place, word);
    let width = e.splat(dims, &Tensor::from_i64s(&[], word, &[i64::from(narrow)]));
    e.elementwise(
        tileproof_dialect::hlo::multiply::Multiply,
        &[place, width],
        word.clone(),
    )
}

fn bits_as(e: &mut Emitter<'_>, v: KernelValue, element: &ElementType) -> KernelValue {
    if e.element(v) == *element {
        return v;
    }
    e.elementwise(BitcastConvert, &[v], element.clone())
}

fn word(bits: u32) -> Option<ElementType> {
    match bits {
        8 => Some(ElementType::U8),
        16 => Some(ElementType::U16),
        32 => Some(ElementType::U32),
        _ => None,
    }
}

/// Folds `dims` of a vector into `start`, a vector of the kept sizes.
pub fn fold(
    e: &mut Emitter<'_>,
    kind: CombiningKind,
    source: KernelValue,
    dims: &[usize],
    start: KernelValue,
) -> KernelValue {
    let shape = e.dims(source);
    let kept: Vec<u64> = (0..shape.len())
        .filter(|d| !dims.contains(d))
        .map(|d| shape[d])
        .collect();
    let (source, dims, kept) = if kept.is_empty() {
        // A vector has at least one dimension.
        let mut wide = vec![1];
        wide.extend(&shape);
        let dims: Vec<usize> = dims.iter().map(|d| d + 1).collect();
        (e.shape_cast(source, &wide), dims, vec![1])
    } else {
        (source, dims.to_vec(), kept)
    };
    let out = e.dims(start);
    let start = e.shape_cast(start, &kept);
    let ty = tileproof_dialect::tpu::KernelType::vector(&kept, e.element(source));
    let op = TpuOp::MultiReduction {
        kind,
        dims: dims.iter().map(|d| *d as u64).collect(),
    };
    let sum = e.b.one(op, &[source, start], ty);
    e.shape_cast(sum, &out)
}
