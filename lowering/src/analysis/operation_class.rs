//! How an op may take part in a fusion, by one table: what its result elements are made from, and what one of them costs.

use tileproof_dialect::hlo;

/// How the elements of the result come from the operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Class {
    /// No operands, made where it is needed: splat constants, iota.
    Source,
    /// One element from the elements at the same index; scalars may stand for a whole operand. `operations`: vector operations for one element.
    Elementwise { operations: u64 },
    /// Each element is one element of an operand (or padding), at another index.
    Movement(Movement),
    /// Folds `dimensions` of all inputs.
    Reduce { dimensions: Vec<usize> },
    /// A dot or a convolution. `operations`: multiplications and additions in all.
    Contraction { operations: u64 },
    /// Writes a part of its first operand, whose buffer the result may take.
    Update,
    /// Not fused.
    Alone(Alone),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Movement {
    Reshape,
    /// Operand dimension i becomes result dimension `dimensions[i]`.
    Broadcast {
        dimensions: Vec<usize>,
    },
    /// Reads a part of its first operand only.
    Part,
    Other,
}

/// Why an op is not fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alone {
    /// A value in memory, or a kernel or library call of its own.
    Pure,
    /// Seen from outside, or may not end: keeps its place among its like.
    Ordered,
}

/// Vector operations for one element of each elementwise op: 1 for what the vector unit does in one instruction, else the length of the usual
/// expansion, rounded. Only the balance between recomputing and reading again hangs on them.
const ELEMENTWISE: &[(&str, u64)] = &[
    ("abs", 1),
    ("add", 1),
    ("and", 1),
    ("atan2", 30),
    ("bitcast_convert", 1),
    ("cbrt", 20),
    ("ceil", 1),
    ("clamp", 2),
    ("compare", 1),
    ("convert", 1),
    ("cosine", 40),
    ("count_leading_zeros", 1),
    ("divide", 8),
    ("erf", 20),
    ("exponential", 8),
    ("exponential_minus_one", 12),
    ("floor", 1),
    ("is_finite", 1),
    ("log", 12),
    ("log_plus_one", 14),
    ("logistic", 12),
    ("maximum", 1),
    ("minimum", 1),
    ("mulhi", 8),
    ("multiply", 1),
    ("negate", 1),
    ("not", 1),
    ("or", 1),
    ("popcnt", 1),
    ("power", 30),
    ("reduce_precision", 4),
    ("remainder", 12),
    ("round_nearest_afz", 2),
    ("round_nearest_even", 1),
    ("rsqrt", 6),
    ("select", 1),
    ("shift_left", 1),
    ("shift_right_arithmetic", 1),
    ("shift_right_logical", 1),
    ("sign", 2),
    ("sine", 40),
    ("sqrt", 8),
    ("subtract", 1),
    ("tan", 50),
    ("tanh", 12),
    ("xor", 1),
];

/// Operations of a function that is no op of its own but a named expansion.
const EXPANSION_OPERATIONS: u64 = 40;

/// Ops that keep their order, whatever their kind says.
const ORDERED: &[&str] = &["while", "if", "case", "call", "rng", "optimization_barrier"];

/// Sizes that the class of some ops hangs on.
pub struct Shapes<'a> {
    pub operands: &'a [Vec<u64>],
    pub result: &'a [u64],
}

/// The class of an op with tensors of static sizes and native types and one result, or several of one shape.
pub fn classify(op: &hlo::Op, shapes: &Shapes<'_>) -> Class {
    let name = op.name();
    if let Some((_, operations)) = ELEMENTWISE.iter().find(|(n, _)| *n == name) {
        return elementwise(*operations, shapes);
    }
    match op {
        hlo::Op::Iota(_) => Class::Source,
        hlo::Op::Composite(c) if c.name.starts_with("chlo.") => {
            elementwise(EXPANSION_OPERATIONS, shapes)
        }
        hlo::Op::Reshape(_) => Class::Movement(Movement::Reshape),
        hlo::Op::BroadcastInDim(b) => Class::Movement(Movement::Broadcast {
            dimensions: b.broadcast_dimensions.iter().map(|d| *d as usize).collect(),
        }),
        hlo::Op::Slice(_) | hlo::Op::DynamicSlice(_) | hlo::Op::Gather(_) => {
            Class::Movement(Movement::Part)
        }
        hlo::Op::Transpose(_) | hlo::Op::Reverse(_) | hlo::Op::Pad(_) | hlo::Op::Concatenate(_) => {
            Class::Movement(Movement::Other)
        }
        hlo::Op::Reduce(r) => Class::Reduce {
            dimensions: r.dimensions.iter().map(|d| *d as usize).collect(),
        },
        hlo::Op::DotGeneral(d) => {
            let contracted = contracted(shapes.operands.first(), &d.lhs_contracting_dimensions);
            Class::Contraction {
                operations: 2 * elements(shapes.result).saturating_mul(contracted),
            }
        }
        hlo::Op::Convolution(c) => {
            let kernel = shapes.operands.get(1).map_or(1, |k| elements(k));
            let outputs = shapes
                .operands
                .get(1)
                .and_then(|k| k.get(c.kernel_output_feature_dimension as usize))
                .copied()
                .unwrap_or(1);
            Class::Contraction {
                operations: 2 * elements(shapes.result).saturating_mul(kernel / outputs.max(1)),
            }
        }
        hlo::Op::DynamicUpdateSlice(_) => Class::Update,
        other => alone(other),
    }
}

/// An op that takes no part in fusions.
pub fn alone(op: &hlo::Op) -> Class {
    use tileproof_dialect::op::Kind;
    let ordered = match op.kind() {
        Kind::Effect => true,
        Kind::Arithmetic
        | Kind::Movement
        | Kind::Selection
        | Kind::Opaque
        | Kind::Integer
        | Kind::Control => ORDERED.contains(&op.name()),
    };
    Class::Alone(if ordered { Alone::Ordered } else { Alone::Pure })
}

/// Whether the op `name` works element by element.
pub fn is_elementwise(name: &str) -> bool {
    ELEMENTWISE.iter().any(|(n, _)| *n == name)
}

fn elementwise(operations: u64, shapes: &Shapes<'_>) -> Class {
    if shapes
        .operands
        .iter()
        .all(|d| d == shapes.result || d.is_empty())
    {
        Class::Elementwise { operations }
    } else {
        Class::Alone(Alone::Pure)
    }
}

fn contracted(lhs: Option<&Vec<u64>>, dimensions: &[i64]) -> u64 {
    let size = |d: &i64| lhs.and_then(|l| l.get(*d as usize)).copied().unwrap_or(1);
    dimensions.iter().map(size).product()
}

pub fn elements(dims: &[u64]) -> u64 {
    dims.iter().fold(1u64, |all, n| all.saturating_mul(*n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_dialect::hlo::Op;

    #[test]
    fn every_name_of_the_table_is_an_op() {
        for (name, operations) in ELEMENTWISE {
            assert!(Op::NAMES.contains(name), "{name}");
            assert!(*operations > 0);
        }
        for name in ORDERED {
            assert!(Op::NAMES.contains(name), "{name}");
        }
    }

    #[test]
    fn an_elementwise_op_takes_its_own_shape_or_scalars() {
        let add = Op::Add(hlo::add::Add);
        let class = |operands: &[Vec<u64>]| {
            classify(
                &add,
                &Shapes {
                    operands,
                    result: &[2, 3],
                },
            )
        };
        assert_eq!(
            class(&[vec![2, 3], vec![2, 3]]),
            Class::Elementwise { operations: 1 }
        );
        assert_eq!(class(&[vec![2, 3], vec![3]]), Class::Alone(Alone::Pure));
    }
}
