//! `gather`: boxes of the operand whose starts are computed.
//!
//! Meaning: result[result_index] = operand[full_start_index + full_batching_index + full_offset_index], where result_index splits into a batch index
//! (dimensions not in offset_dims) and an offset index; the start index read from start_indices at the batch index goes to the dimensions of
//! start_index_map, clamped so that the box lies inside; batching dimensions follow the batch index.
//! Inputs I1 operand, I2 start_indices, I3 offset_dims, I4 collapsed_slice_dims, I5 operand_batching_dims, I6 start_indices_batching_dims,
//! I7 start_index_map, I8 index_vector_dim, I9 slice_sizes, I10 indices_are_sorted (a promise this op does not use).
//! Constraints, the specification's: C1 rank(operand) = sizes of I3 + I4 + I5; C2 0 <= index_vector_dim <= rank(start_indices); C3 one start_index_map
//! entry per index component; C4 offset_dims unique and sorted; C5 in range; C6 I4 and I5 unique together; C7 I4 sorted; C8 in range;
//! C9 slice_sizes of I4 <= 1; C10 I5 sorted; C11 in range; C12 slice_sizes of I5 <= 1; C13 I6 unique; C14 in range; C15 without index_vector_dim;
//! C16 I5 and I6 of one size; C17 their dimensions agree; C18 start_index_map and I5 unique together; C19 start_index_map in range; C20 one slice size
//! per dimension; C21 0 <= slice_sizes <= shape(operand); C22 shape(result) combines batch and offset sizes; C23 element types agree.
//! Kind: movement. Numerics: bits are kept; unsigned indices are not sign-extended.
//! Example: `%2 = hlo.gather %0, %1 {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>, start_index_map = array<i64: 0>, index_vector_dim = 1, slice_sizes = array<i64: 1, 8>, ..}`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{self, Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop},
    hlo::{movement, shape},
    op::{InferContext, Kind, OpDef},
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{Class, Dim, TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Gather {
    pub offset_dims: Vec<i64>,
    pub collapsed_slice_dims: Vec<i64>,
    pub operand_batching_dims: Vec<i64>,
    pub start_indices_batching_dims: Vec<i64>,
    pub start_index_map: Vec<i64>,
    pub index_vector_dim: i64,
    pub slice_sizes: Vec<i64>,
    pub indices_are_sorted: bool,
}

/// Which dimension of a gather is which; shared with `dynamic_gather`.
#[derive(Debug, Clone, Copy)]
pub struct Numbers<'a> {
    pub offset_dims: &'a [i64],
    pub collapsed_slice_dims: &'a [i64],
    pub operand_batching_dims: &'a [i64],
    pub start_indices_batching_dims: &'a [i64],
    pub start_index_map: &'a [i64],
    pub index_vector_dim: i64,
}

impl Numbers<'_> {
    /// Violated constraints that need no slice sizes.
    pub fn violations(&self, operand: &TensorType, start: &TensorType) -> Vec<String> {
        let (collapsed, batching) = (self.collapsed_slice_dims, self.operand_batching_dims);
        let (rank, components) = (operand.rank(), self.start_index_map.len());
        let mut wrong = vec![];
        let mut need = |holds: bool, message: String| {
            if !holds {
                wrong.push(message);
            }
        };
        need(rank == self.offset_dims.len() + collapsed.len() + batching.len(), format!("C1: offset, collapsed and batching dimensions do not make up {operand}"));
        let vector = usize::try_from(self.index_vector_dim).ok().filter(|d| *d <= start.rank());
        need(vector.is_some(), format!("C2: index_vector_dim {} is out of range of {start}", self.index_vector_dim));
        let given = vector.map(|d| start.dims.get(d).copied().unwrap_or(Dim::Static(1)));
        need(given.is_none_or(|d| shape::join_dims(d, Dim::Static(components as u64)).is_some()), format!("C3: start_index_map has {components} entries for {start}"));
        need(movement::is_unique(self.offset_dims) && movement::is_sorted(self.offset_dims), format!("C4: offset_dims {:?} must be unique and sorted", self.offset_dims));
        let result_rank = start.rank() - usize::from(vector.is_some_and(|d| d < start.rank())) + self.offset_dims.len();
        need(movement::in_rank(self.offset_dims, result_rank), format!("C5: offset_dims {:?} are out of range of rank {result_rank}", self.offset_dims));
        need(movement::is_unique(&[collapsed, batching].concat()), format!("C6: collapsed_slice_dims {collapsed:?} and operand_batching_dims {batching:?} repeat a dimension"));
        need(movement::is_sorted(collapsed), format!("C7: collapsed_slice_dims {collapsed:?} must be sorted"));
        need(movement::in_rank(collapsed, rank), format!("C8: collapsed_slice_dims {collapsed:?} are out of range of {operand}"));
        need(movement::is_sorted(batching), format!("C10: operand_batching_dims {batching:?} must be sorted"));
        need(movement::in_rank(batching, rank), format!("C11: operand_batching_dims {batching:?} are out of range of {operand}"));
        let of_start = self.start_indices_batching_dims;
        need(movement::is_unique(of_start), format!("C13: start_indices_batching_dims {of_start:?} repeat a dimension"));
        need(movement::in_rank(of_start, start.rank()), format!("C14: start_indices_batching_dims {of_start:?} are out of range of {start}"));
        need(!of_start.contains(&self.index_vector_dim), format!("C15: start_indices_batching_dims {of_start:?} contain index_vector_dim"));
        need(batching.len() == of_start.len(), "C16: the two lists of batching dimensions differ in size".to_string());
        let size = |t: &TensorType, d: i64| usize::try_from(d).ok().and_then(|d| t.dims.get(d).copied());
        let agree = |(a, b): (&i64, &i64)| size(operand, *a).zip(size(start, *b)).is_none_or(|(a, b)| shape::join_dims(a, b).is_some());
        need(batching.iter().zip(of_start).all(agree), format!("C17: batching dimensions of {operand} and {start} differ"));
        need(movement::is_unique(&[self.start_index_map, batching].concat()), format!("C18: start_index_map {:?} and operand_batching_dims repeat a dimension", self.start_index_map));
        need(movement::in_rank(self.start_index_map, rank), format!("C19: start_index_map {:?} is out of range of {operand}", self.start_index_map));
        wrong
    }

    /// Operand dimensions that appear in the result, in order.
    fn kept(&self, rank: usize) -> impl Iterator<Item = usize> {
        let dropped = |d: &usize| self.collapsed_slice_dims.contains(&(*d as i64)) || self.operand_batching_dims.contains(&(*d as i64));
        (0..rank).filter(move |d| !dropped(d))
    }

    /// C22: sizes of the result from those of start_indices and of the slice. The numbers are valid.
    pub fn combined<T: Copy>(&self, start: &[T], slice: &[T]) -> Vec<T> {
        let vector = self.index_vector_dim as usize;
        let mut batch = start.iter().enumerate().filter(|(d, _)| *d != vector).map(|(_, n)| *n);
        let mut offset = self.kept(slice.len()).map(|d| slice[d]);
        let batch_rank = start.len() - usize::from(vector < start.len());
        (0..batch_rank + self.offset_dims.len()).filter_map(|d| if self.offset_dims.contains(&(d as i64)) { offset.next() } else { batch.next() }).collect()
    }

    /// The gather itself.
    pub fn gather(&self, operand: &Tensor, start: &Tensor, sizes: &[u64]) -> Result<Tensor, Stop> {
        let strides = row_major_strides(operand.dims());
        if sizes.iter().zip(operand.dims()).any(|(size, n)| size > n) {
            return Err(movement::mismatch(format!("a slice of {sizes:?} in {}", operand.ty())));
        }
        let dims = self.combined(start.dims(), sizes);
        if dims.contains(&0) {
            return Ok(operand.take(&dims, &[]));
        }
        // A collapsed dimension of slice size 0 still reads one element.
        let last_start = |d: usize| (operand.dims()[d] - sizes[d].max(1).min(operand.dims()[d])) as i64;
        if operand.is_empty() {
            return Err(movement::mismatch(format!("elements of the empty {}", operand.ty())));
        }
        let starts = Starts::new(self.index_vector_dim, start);
        let batching = starts.batching_strides(operand.dims(), self.operand_batching_dims, self.start_indices_batching_dims)?;
        let bases = movement::offsets(&starts.dims, &batching).into_iter().zip(movement::offsets(&starts.dims, &starts.strides)).map(|(base, at)| {
            let component = |(k, d): (usize, &i64)| starts.index(at, k).clamp(0, last_start(*d as usize)) * strides[*d as usize];
            base + self.start_index_map.iter().enumerate().map(component).sum::<i64>()
        });
        // Trailing dimensions that are taken whole, and the first that is not, lie in one run.
        let (mut run, mut outer) = (1, operand.rank());
        while outer > 0 {
            outer -= 1;
            run *= sizes[outer].max(1) as usize;
            if sizes[outer] != operand.dims()[outer] {
                break;
            }
        }
        let outer_sizes: Vec<u64> = sizes[..outer].iter().map(|n| (*n).max(1)).collect();
        let inner = movement::offsets(&outer_sizes, &strides[..outer]);
        let runs: Vec<usize> = bases.flat_map(|base| inner.iter().map(move |i| (base + i) as usize)).collect();
        // Batch dimensions first, then the slice's; the result may interleave them.
        let slice_dims: Vec<u64> = self.kept(operand.rank()).map(|d| sizes[d]).collect();
        let gathered: Vec<u64> = starts.dims.iter().chain(&slice_dims).copied().collect();
        let gathered_strides = row_major_strides(&gathered);
        let (mut batch, mut offset) = (gathered_strides[..starts.dims.len()].iter(), gathered_strides[starts.dims.len()..].iter());
        let order: Vec<i64> =
            (0..dims.len()).filter_map(|d| if self.offset_dims.contains(&(d as i64)) { offset.next() } else { batch.next() }.copied()).collect();
        Ok(operand.take_runs(&gathered, &runs, run).strided(&dims, 0, &order))
    }
}

/// The index vectors of a gather or scatter: one per position of `dims`.
pub struct Starts {
    values: Vec<i64>,
    /// Sizes of the index tensor without index_vector_dim, and their strides in it.
    pub dims: Vec<u64>,
    pub strides: Vec<i64>,
    vector_stride: i64,
    vector: usize,
}

impl Starts {
    pub fn new(index_vector_dim: i64, indices: &Tensor) -> Starts {
        let vector = index_vector_dim as usize;
        let all = row_major_strides(indices.dims());
        let (dims, strides) = (0..indices.rank()).filter(|d| *d != vector).map(|d| (indices.dims()[d], all[d])).unzip();
        Starts { values: movement::indices(indices), dims, strides, vector_stride: all.get(vector).copied().unwrap_or(0), vector }
    }

    /// Component `k` of the index vector at offset `at`.
    pub fn index(&self, at: i64, k: usize) -> i64 {
        self.values[(at + k as i64 * self.vector_stride) as usize]
    }

    /// Per batch dimension, the stride of the operand dimension that follows it (0: none does).
    pub fn batching_strides(&self, operand: &[u64], of_operand: &[i64], of_indices: &[i64]) -> Result<Vec<i64>, Stop> {
        let (strides, mut out) = (row_major_strides(operand), vec![0; self.dims.len()]);
        for (o, d) in of_operand.iter().zip(of_indices) {
            let d = self.position(*d);
            if self.dims[d] > operand[*o as usize] {
                return Err(movement::mismatch(format!("batching dimensions of {operand:?} and {:?} differ", self.dims)));
            }
            out[d] = strides[*o as usize];
        }
        Ok(out)
    }

    /// Batch dimension of dimension `d` of the index tensor.
    pub fn position(&self, d: i64) -> usize {
        d as usize - usize::from(d as usize > self.vector)
    }
}

impl Gather {
    fn numbers(&self) -> Numbers<'_> {
        Numbers {
            offset_dims: &self.offset_dims,
            collapsed_slice_dims: &self.collapsed_slice_dims,
            operand_batching_dims: &self.operand_batching_dims,
            start_indices_batching_dims: &self.start_indices_batching_dims,
            start_index_map: &self.start_index_map,
            index_vector_dim: self.index_vector_dim,
        }
    }
}

impl OpDef for Gather {
    const NAME: &'static str = "gather";
    const KIND: Kind = Kind::Movement;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Gather {
        Gather {
            offset_dims: reader.ints("offset_dims"),
            collapsed_slice_dims: reader.ints("collapsed_slice_dims"),
            operand_batching_dims: reader.opt_ints("operand_batching_dims").unwrap_or_default(),
            start_indices_batching_dims: reader.opt_ints("start_indices_batching_dims").unwrap_or_default(),
            start_index_map: reader.ints("start_index_map"),
            index_vector_dim: reader.int("index_vector_dim"),
            slice_sizes: reader.ints("slice_sizes"),
            indices_are_sorted: reader.opt_bool("indices_are_sorted").unwrap_or(false),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("offset_dims", self.offset_dims.clone())
            .with("collapsed_slice_dims", self.collapsed_slice_dims.clone())
            .with("operand_batching_dims", self.operand_batching_dims.clone())
            .with("start_indices_batching_dims", self.start_indices_batching_dims.clone())
            .with("start_index_map", self.start_index_map.clone())
            .with("index_vector_dim", self.index_vector_dim)
            .with("slice_sizes", self.slice_sizes.clone())
            .with("indices_are_sorted", self.indices_are_sorted)
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operands = shape::tensors(cx, 2)?;
        let (operand, start) = (operands[0], operands[1]);
        if !start.element.is_integer() {
            return Err(vec![format!("I2: start_indices must be integers, got {start}")]);
        }
        let mut wrong = self.numbers().violations(operand, start);
        let size = |d: &i64| usize::try_from(*d).ok().and_then(|d| self.slice_sizes.get(d)).copied().unwrap_or(0);
        if self.slice_sizes.len() != operand.rank() {
            wrong.push(format!("C20: {} slice_sizes for {operand}", self.slice_sizes.len()));
        }
        if self.collapsed_slice_dims.iter().any(|d| size(d) > 1) {
            wrong.push(format!("C9: slice_sizes {:?} of collapsed_slice_dims must be at most 1", self.slice_sizes));
        }
        if self.operand_batching_dims.iter().any(|d| size(d) > 1) {
            wrong.push(format!("C12: slice_sizes {:?} of operand_batching_dims must be at most 1", self.slice_sizes));
        }
        let fits = |(size, d): (&i64, &Dim)| match d {
            Dim::Static(n) => u64::try_from(*size).is_ok_and(|s| s <= *n),
            Dim::Dynamic { .. } => *size >= 0,
        };
        if !self.slice_sizes.iter().zip(&operand.dims).all(fits) {
            wrong.push(format!("C21: slice_sizes {:?} do not fit into {operand}", self.slice_sizes));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let sizes: Vec<Dim> = self.slice_sizes.iter().map(|s| Dim::Static(*s as u64)).collect();
        Ok(vec![movement::or_declared(operand.with_dims(self.numbers().combined(&start.dims, &sizes)), cx, 0)]) // C22, C23
    }

    fn eval(&self, operands: &[Value], _: &[Type], _: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let sizes: Vec<u64> = self.slice_sizes.iter().map(|s| *s as u64).collect();
        Ok(vec![self.numbers().gather(shape::operand(operands, 0)?, shape::operand(operands, 1)?, &sizes)?.into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], results: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        bound::by_movement(self, &[0], operands, results, values)
    }

    fn sample(s: &mut Sampler) -> Program {
        let (op, operand, start) = random(s);
        Sampler::single(op, &[operand, start], &[])
    }
}

/// A random valid gather with the types of its operands.
pub fn random(s: &mut Sampler) -> (Gather, Type, Type) {
    let (dims, element) = (s.dims(), s.element(|_| true));
    let rank = dims.len();
    // Each operand dimension is batching, collapsed or kept.
    let role: Vec<u64> = dims.iter().map(|n| if *n == 0 { 2 } else { s.range(0, 3) }).collect();
    let of = |r: u64| (0..rank as i64).filter(|d| role[*d as usize] == r).collect::<Vec<i64>>();
    let (operand_batching_dims, collapsed_slice_dims) = (of(0), of(1));
    let slice_sizes: Vec<i64> = (0..rank).map(|d| if role[d] < 2 { 1 } else { s.range(0, dims[d]) as i64 }).collect();
    let mut start_index_map: Vec<i64> = (0..rank as i64).filter(|d| role[*d as usize] != 0 && s.range(0, 2) > 0).collect();
    (1..start_index_map.len()).for_each(|i| start_index_map.swap(i, s.range(0, i as u64) as usize));
    // Index tensor: the batching dimensions, one more batch dimension, and the index vector somewhere.
    let mut start: Vec<u64> = operand_batching_dims.iter().map(|d| dims[*d as usize]).collect();
    start.push(s.range(0, s.size));
    let index_vector_dim = s.range(0, start.len() as u64);
    start.insert(index_vector_dim as usize, start_index_map.len() as u64);
    let start_indices_batching_dims = (0..operand_batching_dims.len() as i64).map(|d| d + i64::from(d >= index_vector_dim as i64)).collect();
    let kept = role.iter().filter(|r| **r > 1).count();
    let result_rank = start.len() - 1 + kept;
    let mut offset_dims: Vec<i64> = (0..result_rank as i64).collect();
    while offset_dims.len() > kept {
        offset_dims.remove(s.range(0, offset_dims.len() as u64 - 1) as usize);
    }
    let indices = Type::tensor(start, s.element(|e| matches!(e.class(), Class::Signed | Class::Unsigned)));
    let op = Gather {
        offset_dims,
        collapsed_slice_dims,
        operand_batching_dims,
        start_indices_batching_dims,
        start_index_map,
        index_vector_dim: index_vector_dim as i64,
        slice_sizes,
        indices_are_sorted: false,
    };
    (op, Type::tensor(dims, element), indices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{eval_test_runner::*, types::ElementType};

    fn example() -> (Gather, Tensor, Tensor) {
        let op = Gather {
            offset_dims: vec![3, 4],
            collapsed_slice_dims: vec![1],
            operand_batching_dims: vec![0],
            start_indices_batching_dims: vec![1],
            start_index_map: vec![2, 1],
            index_vector_dim: 3,
            slice_sizes: vec![1, 1, 2, 2],
            indices_are_sorted: false,
        };
        let operand = ints(&[2, 3, 4, 2], &(1..=48).collect::<Vec<_>>());
        let start = ints(&[2, 2, 3, 2], &[0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 9, 0, 0, 2, 1, 2, 2, 1, 2, 0, 1, 1, 0]);
        (op, operand, start)
    }

    #[test]
    fn the_example_of_the_specification() {
        let (op, operand, start) = example();
        let out = eval(op, &[operand, start], &[]).unwrap();
        assert_eq!(out[0].dims(), [2, 2, 3, 2, 2]);
        let boxes = [1, 3, 13, 33, 35, 41, 1, 13, 21, 43, 33, 27];
        let want: Vec<i32> = boxes.iter().flat_map(|b| [*b, b + 1, b + 2, b + 3]).collect();
        assert_eq!(out[0].as_slice::<i32>(), want);
    }

    fn rows(offset_dims: &[i64], size: i64) -> Gather {
        Gather {
            offset_dims: offset_dims.to_vec(),
            collapsed_slice_dims: vec![0],
            operand_batching_dims: vec![],
            start_indices_batching_dims: vec![],
            start_index_map: vec![0],
            index_vector_dim: 1,
            slice_sizes: vec![1, size],
            indices_are_sorted: false,
        }
    }

    #[test]
    fn embedding_rows_with_clamped_indices_in_both_planes() {
        let table = floats(&[3, 2], &[1., 2., 3., 4., 5., 6.]);
        let index = Tensor::from_slice(&[3], ElementType::U32, &[2u32, u32::MAX, 0]);
        let out = eval(rows(&[1], 2), &[table.clone(), index.clone()], &[]).unwrap();
        assert_eq!(out[0].as_slice::<f32>(), [5., 6., 5., 6., 1., 2.]);
        assert_eq!(out[0].ring(), Some(&[5, 6, 5, 6, 1, 2][..]));
        // Offset dimension first: the result is transposed.
        let out = eval(rows(&[0], 2), &[table.clone(), index], &[]).unwrap();
        assert_eq!(out[0].as_slice::<f32>(), [5., 5., 1., 6., 6., 2.]);
        let extremes = Tensor::from_slice(&[2], ElementType::I64, &[i64::MIN, i64::MAX]);
        assert_eq!(eval(rows(&[1], 1), &[table, extremes], &[]).unwrap()[0].as_slice::<f32>(), [1., 5.]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let ok = || example().0;
        let operand = i32s(&[2, 3, 4, 2]);
        let start = i32s(&[2, 2, 3, 2]);
        let check = |tag: &str, change: &dyn Fn(&mut Gather)| {
            let mut op = ok();
            change(&mut op);
            let all = violated(op, &[operand.clone(), start.clone()], &[]);
            assert!(all.iter().any(|m| m.starts_with(&format!("{tag}:"))), "{tag}: {all:?}");
        };
        assert_eq!(violated(ok(), &[operand.clone(), start.clone()], &[]), Vec::<String>::new());
        check("C1", &|g| g.collapsed_slice_dims.clear());
        check("C2", &|g| g.index_vector_dim = 5);
        check("C2", &|g| g.index_vector_dim = -1);
        check("C3", &|g| g.start_index_map = vec![2]);
        check("C4", &|g| g.offset_dims = vec![4, 3]);
        check("C5", &|g| g.offset_dims = vec![3, 5]);
        check("C6", &|g| g.collapsed_slice_dims = vec![0]);
        check("C7", &|g| g.collapsed_slice_dims = vec![2, 1]);
        check("C8", &|g| g.collapsed_slice_dims = vec![4]);
        check("C9", &|g| g.slice_sizes[1] = 2);
        check("C10", &|g| g.operand_batching_dims = vec![2, 0]);
        check("C11", &|g| g.operand_batching_dims = vec![-1]);
        check("C12", &|g| g.slice_sizes[0] = 2);
        check("C13", &|g| g.start_indices_batching_dims = vec![1, 1]);
        check("C14", &|g| g.start_indices_batching_dims = vec![4]);
        check("C15", &|g| g.start_indices_batching_dims = vec![3]);
        check("C16", &|g| g.start_indices_batching_dims = vec![]);
        check("C17", &|g| g.start_indices_batching_dims = vec![2]);
        check("C18", &|g| g.start_index_map = vec![0, 1]);
        check("C19", &|g| g.start_index_map = vec![2, 4]);
        check("C20", &|g| g.slice_sizes = vec![1, 1, 2]);
        check("C21", &|g| g.slice_sizes[2] = 5);
        assert_violates("I2", ok(), &[operand, f32s(&[2, 2, 3, 2])], &[]);
    }

    /// The definition of the specification, index by index.
    fn plain(g: &Gather, operand: &[u64], start: &Tensor, result: &[u64]) -> Vec<usize> {
        let strides = |dims: &[u64]| row_major_strides(dims);
        let (o, s, r) = (strides(operand), strides(start.dims()), strides(result));
        let values = movement::indices(start);
        (0..result.iter().product::<u64>() as i64)
            .map(|i| {
                let index: Vec<i64> = r.iter().zip(result).map(|(s, n)| i / s % *n as i64).collect();
                let batch: Vec<i64> = (0..index.len()).filter(|d| !g.offset_dims.contains(&(*d as i64))).map(|d| index[d]).collect();
                let mut offset = g.offset_dims.iter().map(|d| index[*d as usize]);
                let ivd = g.index_vector_dim as usize;
                let component = |k: usize| {
                    let mut full = batch.clone();
                    if ivd < start.rank() {
                        full.insert(ivd, k as i64);
                    }
                    values[full.iter().zip(&s).map(|(i, s)| i * s).sum::<i64>() as usize]
                };
                let mut at = 0;
                for d in 0..operand.len() {
                    let mut x = 0;
                    if let Some(k) = g.start_index_map.iter().position(|m| *m == d as i64) {
                        x += component(k).clamp(0, operand[d] as i64 - g.slice_sizes[d]);
                    }
                    if let Some(k) = g.operand_batching_dims.iter().position(|m| *m == d as i64) {
                        let b = g.start_indices_batching_dims[k] as usize;
                        x += batch[b - usize::from(b >= ivd)];
                    } else if !g.collapsed_slice_dims.contains(&(d as i64)) {
                        x += offset.next().unwrap();
                    }
                    at += x * o[d];
                }
                at as usize
            })
            .collect()
    }

    #[test]
    fn random_gathers_agree_with_the_definition() {
        let mut s = Sampler::new(3, 4);
        for _ in 0..300 {
            let (op, operand, start) = random(&mut s);
            let (operand, start) = (operand.as_tensor().unwrap().static_dims().unwrap(), start.as_tensor().unwrap().static_dims().unwrap());
            let n = operand.iter().product::<u64>() as i64;
            let x = ints(&operand, &(0..n).collect::<Vec<_>>());
            let indices: Vec<i64> = (0..start.iter().product::<u64>()).map(|_| s.range(0, 8) as i64 - 2).collect();
            let indices = ints(&start, &indices);
            let got = eval(op.clone(), &[x, indices.clone()], &[]).unwrap().remove(0);
            let want: Vec<i32> = plain(&op, &operand, &indices, got.dims()).iter().map(|i| *i as i32).collect();
            assert_eq!(got.as_slice::<i32>(), want, "{op:?} of {operand:?} at {start:?}");
        }
    }
}
