//! A bitcast as StableHLO has it: the operand's dimensions in the order of memory, the result's sizes in the order of memory, and back.

use crate::{
    hlo::bitcast::Bitcast,
    types::{Layout, TensorType, Type},
};

/// One op that a bitcast is written as.
pub(super) struct Moved {
    /// `stablehlo.transpose %x, dims = [..]` without the operand: what stands before and behind it.
    pub name: &'static str,
    pub attributes: String,
    pub from: Type,
    pub to: Type,
}

/// The ops; none for a bitcast to another element type, or of sizes known later.
pub(super) fn moved(op: &Bitcast, from: &TensorType, to: &TensorType) -> Option<Vec<Moved>> {
    if from.element != to.element {
        return None;
    }
    let major_to_minor = |list: Option<Vec<usize>>, rank: usize| match list {
        Some(mut list) => {
            list.reverse();
            list
        }
        None => (0..rank).collect(),
    };
    let layout = |l: &Layout| l.minor_to_major.iter().map(|d| *d as usize).collect();
    let own = op
        .source_layout
        .as_ref()
        .map(|list| list.iter().map(|d| *d as usize).collect());
    let source = major_to_minor(own, from.rank());
    let target: Vec<usize> = major_to_minor(to.layout.as_ref().map(layout), to.rank());
    let (dims, result) = (from.static_dims()?, to.static_dims()?);
    let tensor = |dims: Vec<u64>| Type::from(TensorType::new(dims, from.element.clone()));
    let of = |dims: &[u64], order: &[usize]| {
        let sizes: Option<Vec<u64>> = order.iter().map(|d| dims.get(*d).copied()).collect();
        sizes
    };
    let (first, second) = (tensor(of(&dims, &source)?), tensor(of(&result, &target)?));
    let back: Option<Vec<usize>> = (0..result.len())
        .map(|d| target.iter().position(|t| *t == d))
        .collect();
    let transpose = |order: &[usize], from: Type, to: Type| {
        let list: Vec<String> = order.iter().map(usize::to_string).collect();
        let moves = order.iter().enumerate().any(|(i, d)| i != *d);
        moves.then(|| Moved {
            name: "stablehlo.transpose",
            attributes: format!(", dims = [{}]", list.join(", ")),
            from,
            to,
        })
    };
    let mut out = vec![];
    out.extend(transpose(&source, tensor(dims), first.clone()));
    out.push(Moved {
        name: "stablehlo.reshape",
        attributes: String::new(),
        from: first,
        to: second.clone(),
    });
    out.extend(transpose(&back?, second, tensor(result)));
    Some(out)
}

#[cfg(test)]
mod tests {
    use crate::{export, import, mlir::text};

    #[test]
    fn a_bitcast_is_written_as_what_it_moves() {
        let own = "func.func @main(%a: tensor<2x3x4xf32>) -> tensor<4x6xf32> {
  %0 = hlo.bitcast %a {source_layout = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<4x6xf32, #hlo.layout<[0, 1]>>
  %1 = hlo.copy %0 : (tensor<4x6xf32, #hlo.layout<[0, 1]>>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}";
        let written = export::stablehlo::print(&text::parse(own, "t").unwrap()).unwrap();
        for line in [
            "stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>",
            "stablehlo.reshape %0 : (tensor<2x4x3xf32>) -> tensor<6x4xf32>",
            "stablehlo.transpose %1, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>",
        ] {
            assert!(written.contains(line), "{written}");
        }
        let back = import::stablehlo::parse(&written, "t").unwrap();
        assert!(back.verify().is_empty());
    }
}
