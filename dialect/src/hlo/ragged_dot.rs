//! `ragged_dot` (chlo): a dot of which one dimension is cut into groups of given sizes.
//!
//! Meaning, by what the ragged dimension of lhs is. Kept: rows of group g are dotted with rhs[g], rows beyond all groups are zero ([b, m, k], [g, b, k, n],
//! [b, g] -> [b, m, n]). Contracting: result[g] sums over group g only ([b, m, k], [b, k, n], [b, g] -> [g, b, m, n]). Batching: the plain dot.
//! group_sizes has one size a group, after sizes for each index of the batching dimensions and of those of the ragged dimension's kind before it, or
//! without them.
//! Inputs I1 lhs, I2 rhs, I3 group_sizes (integers), I4..I7 batching and contracting dimensions of lhs and rhs, I8 lhs_ragged_dimensions, I9
//! rhs_group_dimensions, I10 precision_config. Constraints: C1 one ragged dimension, in range; C2 rhs has one group dimension if the ragged one is kept,
//! else none, in range and neither batching nor contracting; C3 group_sizes as said, of integers; C4 as many groups as the group dimension has; the rest
//! are dot_general's.
//! Kind: arithmetic. Numerics: as dot_general.
//! Example: `hlo.ragged_dot %0, %1, %2 {lhs_ragged_dimensions = array<i64: 0>, ..} : (tensor<8x3xf32>, tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<8x4xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop, Trap},
    hlo::{
        contraction::{self, Precision, take_or_zero},
        dot_general::DotGeneral,
        shape,
    },
    op::{InferContext, Kind, OpDef},
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{Dim, ElementType, TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RaggedDot {
    pub lhs_batching_dimensions: Vec<i64>,
    pub rhs_batching_dimensions: Vec<i64>,
    pub lhs_contracting_dimensions: Vec<i64>,
    pub rhs_contracting_dimensions: Vec<i64>,
    pub lhs_ragged_dimensions: Vec<i64>,
    pub rhs_group_dimensions: Vec<i64>,
    pub precision_config: Option<Vec<Precision>>,
}

/// What the ragged dimension is to the dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Kept,
    Contracting,
    Batching,
}

impl RaggedDot {
    fn ragged(&self) -> i64 {
        self.lhs_ragged_dimensions.first().copied().unwrap_or(-1)
    }

    pub fn mode(&self) -> Mode {
        if self.lhs_batching_dimensions.contains(&self.ragged()) {
            Mode::Batching
        } else if self.lhs_contracting_dimensions.contains(&self.ragged()) {
            Mode::Contracting
        } else {
            Mode::Kept
        }
    }

    /// The dot of lhs with one group of rhs: rhs without its group dimension.
    fn dot(&self) -> DotGeneral {
        let group = self.rhs_group_dimensions.first().copied();
        let without = |d: &i64| if group.is_some_and(|g| *d > g) { d - 1 } else { *d };
        DotGeneral {
            lhs_batching_dimensions: self.lhs_batching_dimensions.clone(),
            rhs_batching_dimensions: self.rhs_batching_dimensions.iter().map(without).collect(),
            lhs_contracting_dimensions: self.lhs_contracting_dimensions.clone(),
            rhs_contracting_dimensions: self.rhs_contracting_dimensions.iter().map(without).collect(),
            precision_config: self.precision_config.clone(),
            algorithm: None,
        }
    }

    /// Dimensions of lhs whose indices group_sizes may have sizes for: batching, then those of the ragged dimension's kind before it.
    fn prefix(&self, lhs_rank: usize) -> Vec<usize> {
        let ragged = self.ragged() as usize;
        let before: Vec<usize> = match self.mode() {
            Mode::Batching => return self.lhs_batching_dimensions.iter().map(|d| *d as usize).take_while(|d| *d != ragged).collect(),
            Mode::Contracting => self.lhs_contracting_dimensions.iter().map(|d| *d as usize).take_while(|d| *d != ragged).collect(),
            Mode::Kept => self.dot().result_dimensions(lhs_rank, 0)[0].iter().copied().take_while(|d| *d != ragged).collect(),
        };
        self.lhs_batching_dimensions.iter().map(|d| *d as usize).chain(before).collect()
    }

    fn plain(&self, lhs: &Tensor, rhs: &Tensor, sizes: &Tensor, element: &ElementType, planes: Planes) -> Result<Tensor, Stop> {
        let dot = self.dot();
        let multiply = |a: &Tensor, b: &Tensor| -> Result<Tensor, Stop> {
            let c = dot.canonical_of(a, b)?;
            Ok(contraction::contract(&c.lhs(a), &c.rhs(b), c.sizes(), element, planes)?.reshaped(&c.result_dims))
        };
        let groups = sizes.dims().last().copied().unwrap_or(0) as usize;
        let prefix = if sizes.rank() > 1 { self.prefix(lhs.rank()) } else { vec![] };
        match self.mode() {
            Mode::Batching => multiply(lhs, rhs),
            Mode::Kept => {
                let results: Vec<Tensor> = (0..groups).map(|g| multiply(lhs, &self.group(rhs, g)?)).collect::<Result<_, _>>()?;
                // Where the dimensions of lhs stand in the result.
                let kept: Vec<usize> = self.lhs_batching_dimensions.iter().map(|d| *d as usize).chain(dot.result_dimensions(lhs.rank(), 0)[0].clone()).collect();
                let place = |d: usize| kept.iter().position(|k| *k == d).unwrap_or(0);
                let Some(first) = results.first() else { return Err(Stop::unsupported("ragged_dot without groups")) };
                let of = groups_of(first.dims(), place(self.ragged() as usize), &prefix.iter().map(|d| place(*d)).collect::<Vec<_>>(), sizes);
                let n = first.len();
                let indices: Vec<i64> = of.iter().enumerate().map(|(i, g)| g.map_or(-1, |g| (g * n + i) as i64)).collect();
                let all = Tensor::joined(&results.iter().collect::<Vec<_>>()).ok_or_else(|| Stop::internal("ragged_dot lost its groups"))?;
                Ok(take_or_zero(&all, first.dims(), &indices))
            }
            Mode::Contracting => {
                // The dimensions of rhs that correspond to those of lhs.
                let twin = |d: usize| {
                    let pairs = self.lhs_batching_dimensions.iter().zip(&self.rhs_batching_dimensions);
                    let all = pairs.chain(self.lhs_contracting_dimensions.iter().zip(&self.rhs_contracting_dimensions));
                    all.filter(|(l, _)| **l == d as i64).map(|(_, r)| *r as usize).next().unwrap_or(0)
                };
                let ragged = self.ragged() as usize;
                let of_lhs = groups_of(lhs.dims(), ragged, &prefix, sizes);
                let of_rhs = groups_of(rhs.dims(), twin(ragged), &prefix.iter().map(|d| twin(*d)).collect::<Vec<_>>(), sizes);
                let only = |t: &Tensor, of: &[Option<usize>], g: usize| {
                    let indices: Vec<i64> = of.iter().enumerate().map(|(i, m)| if *m == Some(g) { i as i64 } else { -1 }).collect();
                    take_or_zero(t, t.dims(), &indices)
                };
                let results: Vec<Tensor> = (0..groups).map(|g| multiply(&only(lhs, &of_lhs, g), &only(rhs, &of_rhs, g))).collect::<Result<_, _>>()?;
                let Some(first) = results.first() else { return Err(Stop::unsupported("ragged_dot without groups")) };
                let dims = [&[groups as u64], first.dims()].concat();
                Ok(Tensor::joined(&results.iter().collect::<Vec<_>>()).ok_or_else(|| Stop::internal("ragged_dot lost its groups"))?.reshaped(&dims))
            }
        }
    }

    /// Group `g` of rhs, without the group dimension.
    fn group(&self, rhs: &Tensor, g: usize) -> Result<Tensor, Stop> {
        let d = self.rhs_group_dimensions.first().map(|d| *d as usize).filter(|d| rhs.dims().get(*d).is_some_and(|n| g < *n as usize));
        let d = d.ok_or_else(|| Stop::Trap(Trap::ShapeMismatch(format!("group {g} of {}", rhs.ty()))))?;
        let strides = row_major_strides(rhs.dims());
        let rest: Vec<usize> = (0..rhs.rank()).filter(|i| *i != d).collect();
        let (dims, steps): (Vec<u64>, Vec<i64>) = rest.iter().map(|i| (rhs.dims()[*i], strides[*i])).unzip();
        Ok(rhs.strided(&dims, g as i64 * strides[d], &steps))
    }
}

/// Group of every element of a shape: by its index along `ragged`, with the sizes that its indices along `prefix` choose.
fn groups_of(dims: &[u64], ragged: usize, prefix: &[usize], sizes: &Tensor) -> Vec<Option<usize>> {
    let strides = row_major_strides(dims);
    let groups = sizes.dims().last().copied().unwrap_or(0) as usize;
    let all = sizes.to_i64s();
    let index = |i: usize, d: usize| i / strides[d].max(1) as usize % dims[d].max(1) as usize;
    (0..dims.iter().product::<u64>() as usize)
        .map(|i| {
            let row = prefix.iter().fold(0, |row, d| row * dims[*d] as usize + index(i, *d));
            let mut end = 0;
            let at = index(i, ragged) as i64;
            all.get(row * groups..(row + 1) * groups)?.iter().position(|size| {
                end += (*size).max(0);
                at < end
            })
        })
        .collect()
}

impl OpDef for RaggedDot {
    const NAME: &'static str = "ragged_dot";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> RaggedDot {
        let mut ints = |name: &str| reader.opt_ints(name).unwrap_or_default();
        RaggedDot {
            lhs_batching_dimensions: ints("lhs_batching_dimensions"),
            rhs_batching_dimensions: ints("rhs_batching_dimensions"),
            lhs_contracting_dimensions: ints("lhs_contracting_dimensions"),
            rhs_contracting_dimensions: ints("rhs_contracting_dimensions"),
            lhs_ragged_dimensions: ints("lhs_ragged_dimensions"),
            rhs_group_dimensions: ints("rhs_group_dimensions"),
            precision_config: Precision::read(reader),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("lhs_batching_dimensions", self.lhs_batching_dimensions.clone())
            .with("rhs_batching_dimensions", self.rhs_batching_dimensions.clone())
            .with("lhs_contracting_dimensions", self.lhs_contracting_dimensions.clone())
            .with("rhs_contracting_dimensions", self.rhs_contracting_dimensions.clone())
            .with("lhs_ragged_dimensions", self.lhs_ragged_dimensions.clone())
            .with("rhs_group_dimensions", self.rhs_group_dimensions.clone())
            .with_some("precision_config", self.precision_config.as_deref().map(Precision::attribute))
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let [lhs, rhs, sizes] = shape::tensors(cx, 3)?[..] else { return Err(vec!["expected 3 operands".to_string()]) };
        let ragged = self.ragged();
        if self.lhs_ragged_dimensions.len() != 1 || ragged < 0 || ragged >= lhs.rank() as i64 {
            return Err(vec![format!("C1: lhs_ragged_dimensions {:?} must be one dimension of {lhs}", self.lhs_ragged_dimensions)]);
        }
        let mode = self.mode();
        let taken = |d: &i64| self.rhs_batching_dimensions.contains(d) || self.rhs_contracting_dimensions.contains(d);
        let group_fits = match (mode, &self.rhs_group_dimensions[..]) {
            (Mode::Kept, [d]) => *d >= 0 && *d < rhs.rank() as i64 && !taken(d),
            (Mode::Contracting | Mode::Batching, []) => true,
            (Mode::Kept | Mode::Contracting | Mode::Batching, _) => false,
        };
        if !group_fits {
            return Err(vec![format!("C2: rhs_group_dimensions {:?} for a ragged dimension that is {mode:?}", self.rhs_group_dimensions)]);
        }
        // The dot of one group has dot_general's constraints.
        let one: TensorType = match self.rhs_group_dimensions.first() {
            Some(g) => rhs.with_dims(rhs.dims.iter().enumerate().filter(|(i, _)| *i as i64 != *g).map(|(_, n)| *n).collect()),
            None => (**rhs).clone(),
        };
        let element = cx.declared.first().and_then(Type::as_tensor).map_or(&lhs.element, |t| &t.element);
        let operands = [Type::Tensor(lhs.clone()), one.into()];
        let declared = [TensorType { dims: vec![], element: element.clone(), layout: None }.into()];
        let results = self.dot().infer(&InferContext { operands: &operands, declared: &declared, regions: &[] })?;
        let result = results.first().and_then(Type::as_tensor).ok_or_else(|| vec!["no result".to_string()])?;
        let prefix = self.prefix(lhs.rank());
        let Some((groups, sized)) = sizes.dims.split_last() else { return Err(vec![format!("C3: group_sizes must not be a scalar, got {sizes}")]) };
        let mut wrong = vec![];
        let fits = |(d, n): (&usize, &Dim)| shape::join_dims(lhs.dims[*d], *n).is_some();
        let prefixed = sized.is_empty() || sized.len() == prefix.len() && prefix.iter().zip(sized).all(fits);
        if !prefixed || !sizes.element.is_integer() {
            wrong.push(format!("C3: group_sizes {sizes} must hold integers, by groups or by dimensions {prefix:?} of lhs and groups"));
        }
        if let Some(g) = self.rhs_group_dimensions.first()
            && shape::join_dims(rhs.dims[*g as usize], *groups).is_none()
        {
            wrong.push(format!("C4: {groups} group sizes for {} groups of rhs", rhs.dims[*g as usize]));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let dims = match mode {
            Mode::Contracting => [&[*groups], &result.dims[..]].concat(),
            Mode::Kept | Mode::Batching => result.dims.clone(),
        };
        Ok(vec![result.with_dims(dims).into()])
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let [lhs, rhs, sizes] = [0, 1, 2].map(|i| shape::operand(operands, i));
        let (lhs, rhs, sizes) = (lhs?, rhs?, sizes?);
        let element = results.first().and_then(Type::as_tensor).map_or(lhs.element(), |t| &t.element);
        Ok(vec![self.plain(lhs, rhs, sizes, element, cx.planes)?.into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let result = shape::operand(values, 0)?;
        let [Some(lhs), Some(_), Some(sizes)] = [0, 1, 2].map(|i| operands.get(i).and_then(|o| o.value.as_tensor())) else {
            return Err(Stop::internal("ragged_dot without operands"));
        };
        if !operands[2].error.is_exact() {
            return Ok(vec![Bound::undetermined(result.len())]);
        }
        let k = self.lhs_contracting_dimensions.iter().filter_map(|d| lhs.dims().get(*d as usize)).product::<u64>() as usize;
        let bound = contraction::bound(operands, result, k + 1, 0.0, |a, b| self.plain(a, b, sizes, &ElementType::F64, Planes::IeeeOnly))?;
        Ok(vec![bound])
    }

    fn sample(s: &mut Sampler) -> Program {
        let (m, k, n, g) = (s.range(1, s.size), s.range(1, 4), s.range(1, 4), s.range(1, 3));
        let element = s.element(|e| *e != ElementType::F8E8M0FNU);
        let op = RaggedDot {
            lhs_batching_dimensions: vec![],
            rhs_batching_dimensions: vec![],
            lhs_contracting_dimensions: vec![1],
            rhs_contracting_dimensions: vec![1],
            lhs_ragged_dimensions: vec![0],
            rhs_group_dimensions: vec![0],
            precision_config: None,
        };
        let operands = [Type::tensor([m, k], element.clone()), Type::tensor([g, k, n], element), Type::tensor([g], ElementType::I32)];
        Sampler::single(op, &operands, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Events, NoRegions};

    fn op(contracting: [i64; 2], ragged: i64, group: &[i64]) -> RaggedDot {
        RaggedDot {
            lhs_batching_dimensions: vec![],
            rhs_batching_dimensions: vec![],
            lhs_contracting_dimensions: vec![contracting[0]],
            rhs_contracting_dimensions: vec![contracting[1]],
            lhs_ragged_dimensions: vec![ragged],
            rhs_group_dimensions: group.to_vec(),
            precision_config: None,
        }
    }

    fn eval(op: &RaggedDot, lhs: (&[u64], &[i64]), rhs: (&[u64], &[i64]), sizes: (&[u64], &[i64])) -> Tensor {
        let f = |(dims, values): (&[u64], &[i64])| Tensor::from_i64s(dims, &ElementType::F32, values).with_embedded_ring();
        let operands: [Value; 3] = [f(lhs).into(), f(rhs).into(), Tensor::from_i64s(sizes.0, &ElementType::I32, sizes.1).into()];
        let types: Vec<Type> = operands.iter().map(Value::ty).collect();
        let results = op.infer(&InferContext { operands: &types, declared: &[], regions: &[] }).unwrap();
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let got = op.eval(&operands, &results, &mut cx).unwrap();
        let t = got[0].as_tensor().unwrap().clone();
        assert_eq!(Type::from(t.ty()), results[0]);
        assert_eq!(t.clone().with_ring(None).with_embedded_ring(), t);
        t
    }

    #[test]
    fn rows_meet_the_matrix_of_their_group() {
        // Rows 0, 1 with 10, row 2 with 100, row 3 with none.
        let got = eval(&op([1, 1], 0, &[0]), (&[4, 1], &[1, 2, 3, 4]), (&[2, 1, 1], &[10, 100]), (&[2], &[2, 1]));
        assert_eq!(got.to_f64s().as_ref(), [10., 20., 300., 0.]);
    }

    #[test]
    fn contracting_groups_are_summed_apart() {
        let got = eval(&op([1, 0], 1, &[]), (&[1, 4], &[1, 2, 3, 4]), (&[4, 1], &[10, 10, 100, 1000]), (&[2], &[3, 1]));
        assert_eq!((got.dims(), got.to_f64s().as_ref()), (&[2, 1, 1][..], &[330., 4000.][..]));
    }

    #[test]
    fn batches_may_have_sizes_of_their_own_and_ragged_batches_are_plain() {
        let batched = RaggedDot { lhs_batching_dimensions: vec![0], rhs_batching_dimensions: vec![1], ..op([2, 2], 1, &[0]) };
        // Batch 0: one row with group 0; batch 1: two rows, the first with group 0.
        let got = eval(&batched, (&[2, 2, 1], &[1, 2, 3, 4]), (&[2, 2, 1, 1], &[10, 10, 100, 100]), (&[2, 2], &[1, 0, 1, 1]));
        assert_eq!(got.to_f64s().as_ref(), [10., 0., 30., 400.]);
        let plain = RaggedDot { lhs_batching_dimensions: vec![0], rhs_batching_dimensions: vec![0], ..op([1, 1], 0, &[]) };
        let got = eval(&plain, (&[2, 2], &[1, 2, 3, 4]), (&[2, 2], &[1, 1, 1, 1]), (&[1], &[2]));
        assert_eq!(got.to_f64s().as_ref(), [3., 7.]);
    }

    #[test]
    fn each_constraint_is_checked() {
        let t = |dims: &[u64]| Type::tensor(dims.iter().copied(), ElementType::F32);
        let sizes = |dims: &[u64], e: ElementType| Type::tensor(dims.iter().copied(), e);
        let infer = |o: RaggedDot, sizes: Type| o.infer(&InferContext { operands: &[t(&[4, 3]), t(&[2, 3, 5]), sizes], declared: &[], regions: &[] });
        let i = ElementType::I32;
        assert_eq!(infer(op([1, 1], 0, &[0]), sizes(&[2], i.clone())), Ok(vec![t(&[4, 5])]));
        for (tag, got) in [
            ("C1", infer(op([1, 1], 2, &[0]), sizes(&[2], i.clone()))),
            ("C2", infer(op([1, 1], 0, &[]), sizes(&[2], i.clone()))),
            ("C2", infer(op([1, 1], 0, &[1]), sizes(&[2], i.clone()))),
            ("C3", infer(op([1, 1], 0, &[0]), sizes(&[2], ElementType::F32))),
            ("C3", infer(op([1, 1], 0, &[0]), sizes(&[4, 2], i.clone()))),
            ("C4", infer(op([1, 1], 0, &[0]), sizes(&[3], i.clone()))),
            ("C10", infer(op([0, 1], 1, &[0]), sizes(&[2], i))),
        ] {
            assert!(got.unwrap_err()[0].starts_with(&format!("{tag}:")), "{tag}");
        }
    }
}
