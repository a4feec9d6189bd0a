//! `partition_id`: number of the partition this process runs.
//!
//! Meaning: result = partition of the process in the grid. No inputs. Constraints: none; the result is tensor<ui32>.
//! Kind: integer. Numerics: exact.
//! Example: `%0 = hlo.partition_id : tensor<ui32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PartitionId;

impl OpDef for PartitionId {
    const NAME: &'static str = "partition_id";
    const KIND: Kind = Kind::Integer;

    fn from_attributes(_: &mut AttributeReader<'_>) -> PartitionId {
        PartitionId
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        if cx.operands.is_empty() { Ok(vec![Type::tensor([], ElementType::U32)]) } else { Err(vec![format!("expected no operands, got {}", cx.operands.len())]) }
    }

    fn eval(&self, _: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        Ok(vec![Tensor::from_slice(&[], ElementType::U32, &[cx.runner.process().partition as u32]).into()])
    }

    fn bound(&self, _: &[Bounded<'_>], _: &[Type], _: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(vec![Bound::Exact])
    }

    fn sample(_: &mut Sampler) -> Program {
        Sampler::single(PartitionId, &[], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::grid_test_runner::Grid;

    #[test]
    fn every_process_knows_its_number() {
        let got = Grid { replicas: 2, partitions: 3 }.run(&PartitionId, &vec![vec![]; 6]);
        let numbers: Vec<i64> = got.concat().iter().map(|t| t.to_i64s()[0]).collect();
        assert_eq!(numbers, [0, 1, 2, 0, 1, 2]);
    }
}
