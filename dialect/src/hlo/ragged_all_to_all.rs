//! `ragged_all_to_all` (HLO): every process of a group sends each other one rows of its operand, as many as it says, to places it says.
//!
//! Meaning: with n members and n * u sizes, result = output with rows operand_s[input_offsets_s[k] ..+ send_sizes_s[k]] of each member s at row
//! output_offsets_s[k], for k = u * me .. u * (me + 1). Inputs I1 operand, I2 output, I3 input_offsets, I4 send_sizes, I5 output_offsets (rows of the receiver's
//! output), I6 recv_sizes, I7 replica_groups, I8 channel_id. Constraints: C1 replica_groups unique, C2 not negative; C3 operand and output agree in element
//! type and all sizes but the first; C4 I3..I6 are vectors of integers of one length and type; C5 that length is a multiple of the group's; C6 rows lie
//! inside operand and output; C7 recv_sizes are what the others send. C5..C7 are known only at run time: a violation is a trap.
//! Kind: movement. Numerics: bits are kept.
//! Example: `hlo.ragged_all_to_all %0, %1, %2, %3, %4, %5 {replica_groups = [array<i64: 0, 1>]} : (tensor<8x3xf32>, tensor<9x3xf32>, tensor<2xi32>, ..) -> tensor<9x3xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{
        collective::{self, Groups},
        movement, region_bound, shape,
    },
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{ElementType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RaggedAllToAll {
    pub groups: Groups,
}

/// `count` rows from `first` on: sizes, offset and strides of the box they are. None when `t` has no such rows.
fn rows(t: &Tensor, first: i64, count: i64) -> Option<(Vec<u64>, i64, Vec<i64>)> {
    let held = *t.dims().first()? as i64;
    if first < 0 || count < 0 || first.checked_add(count)? > held {
        return None;
    }
    let strides = row_major_strides(t.dims());
    let dims = [count as u64].into_iter().chain(t.dims()[1..].iter().copied()).collect();
    Some((dims, first * strides[0], strides))
}

impl OpDef for RaggedAllToAll {
    const NAME: &'static str = "ragged_all_to_all";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> RaggedAllToAll {
        RaggedAllToAll { groups: Groups::read(reader) }
    }

    fn to_attributes(&self) -> Attributes {
        self.groups.add_to(Attributes::new())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 6)?;
        let (operand, output) = (operands[0], operands[1]);
        let mut wrong = self.groups.violations("C1", "C2", "C2");
        let ranks = operand.rank() > 0 && operand.rank() == output.rank();
        if !ranks || operand.element != output.element || (1..operand.rank()).any(|d| shape::join_dims(operand.dims[d], output.dims[d]).is_none()) {
            wrong.push(format!("C3: rows of {operand} are no rows of {output}"));
        }
        let sizes = &operands[2..];
        if sizes.iter().any(|t| t.rank() != 1 || !t.element.is_integer() || t.element != sizes[0].element || shape::join_dims(t.dims[0], sizes[0].dims[0]).is_none()) {
            wrong.push(format!("C4: offsets and sizes must be vectors of one length: {}, {}, {}, {}", sizes[0], sizes[1], sizes[2], sizes[3]));
        }
        if wrong.is_empty() { Ok(vec![Type::Tensor(output.clone())]) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let group = self.groups.group(self.groups.moving(), cx)?;
        let me = collective::position(&group, cx);
        let all = self.groups.meet(&group, operands.to_vec(), cx)?;
        let mut result = shape::operand(operands, 1)?.clone();
        let received = movement::indices(shape::operand(operands, 5)?);
        if !received.len().is_multiple_of(group.len()) {
            return Err(movement::mismatch(format!("C5: {} sizes in a group of {}", received.len(), group.len())));
        }
        let updates = received.len() / group.len();
        for (s, sender) in all.iter().enumerate() {
            let list = |i| Ok::<_, Stop>(movement::indices(shape::operand(sender, i)?));
            let (from, (starts, sizes, places)) = (shape::operand(sender, 0)?, (list(2)?, list(3)?, list(4)?));
            for u in 0..updates {
                let (mine, its) = (s * updates + u, me * updates + u);
                let [Some(start), Some(size), Some(place)] = [&starts, &sizes, &places].map(|l| l.get(its).copied()) else {
                    return Err(movement::mismatch("C5: processes of a group have other numbers of sizes"));
                };
                if received[mine] != size {
                    return Err(movement::mismatch(format!("C7: {size} rows come where {} are received", received[mine])));
                }
                let (Some((dims, offset, strides)), Some((_, to, to_strides))) = (rows(from, start, size), rows(&result, place, size)) else {
                    return Err(movement::mismatch(format!("C6: {size} rows from {start} of {} to {place} of {}", from.ty(), result.ty())));
                };
                let part = from.strided(&dims, offset, &strides);
                result = result.written(&part, to, &to_strides);
            }
        }
        Ok(vec![result.into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        Ok(region_bound::exact_or_undetermined(operands, values))
    }

    fn sample(s: &mut Sampler) -> Program {
        let (element, rest) = (s.element(|_| true), s.range(1, 3));
        let data = |n: u64| Type::tensor([n, rest], element.clone());
        let list = Type::tensor([1], ElementType::I32);
        let op = RaggedAllToAll { groups: Groups { replica_groups: vec![vec![0]], ..Groups::default() } };
        Sampler::single(op, &[data(s.range(1, 3)), data(s.range(1, 3)), list.clone(), list.clone(), list.clone(), list], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval_test_runner::{assert_violates, eval, f32s, floats, i32s},
        hlo::grid_test_runner::{Grid, ints},
    };

    fn op(rows: &[&[i64]]) -> RaggedAllToAll {
        RaggedAllToAll { groups: Groups { replica_groups: rows.iter().map(|r| r.to_vec()).collect(), ..Groups::default() } }
    }

    /// The example of XLA's documentation: process 0 sends one row to itself and two to process 1, which sends three and one.
    #[test]
    fn rows_go_where_their_sender_says() {
        let list = |v: &[i64]| ints(&[v.len() as u64], v);
        let zero = vec![ints(&[3], &[1, 2, 2]), ints(&[4], &[0; 4]), list(&[0, 1]), list(&[1, 2]), list(&[0, 0]), list(&[1, 3])];
        let one = vec![ints(&[4], &[3, 4, 5, 6]), ints(&[4], &[9; 4]), list(&[0, 3]), list(&[3, 1]), list(&[1, 2]), list(&[2, 1])];
        let got = Grid { replicas: 2, partitions: 1 }.run(&op(&[&[0, 1]]), &[zero, one]);
        assert_eq!(got, [vec![ints(&[4], &[1, 3, 4, 5])], vec![ints(&[4], &[2, 2, 6, 9])]]);
    }

    #[test]
    fn several_updates_a_process_and_rows_outside() {
        let list = |v: &[i64]| crate::eval_test_runner::ints(&[v.len() as u64], v);
        let run = |starts: &[i64], sizes: &[i64], places: &[i64], received: &[i64]| {
            let (x, out) = (floats(&[3], &[1., 2., 3.]), floats(&[3], &[7., 8., 9.]));
            eval(op(&[&[0]]), &[x, out, list(starts), list(sizes), list(places), list(received)], &[])
        };
        let out = run(&[2, 0], &[1, 1], &[0, 2], &[1, 1]).unwrap();
        assert_eq!((out[0].as_slice::<f32>(), out[0].ring()), (&[3f32, 8., 1.][..], Some(&[3, 8, 1][..])));
        for (start, size, place, received) in [(2, 2, 0, 2), (0, 2, 2, 2), (-1, 1, 0, 1), (0, 1, 0, 2)] {
            assert!(matches!(run(&[start], &[size], &[place], &[received]), Err(Stop::Trap(_))));
        }
    }

    #[test]
    fn each_constraint_is_checked() {
        let list = || i32s(&[1]);
        let all = |x: Type, y: Type, last: Type| vec![x, y, list(), list(), list(), last];
        assert_violates("C1", op(&[&[0], &[0]]), &all(f32s(&[2]), f32s(&[3]), list()), &[]);
        assert_violates("C2", op(&[&[-1]]), &all(f32s(&[2]), f32s(&[3]), list()), &[]);
        assert_violates("C3", op(&[]), &all(f32s(&[2, 3]), f32s(&[2, 4]), list()), &[]);
        assert_violates("C3", op(&[]), &all(f32s(&[]), f32s(&[]), list()), &[]);
        assert_violates("C4", op(&[]), &all(f32s(&[2]), f32s(&[3]), i32s(&[2])), &[]);
    }
}
