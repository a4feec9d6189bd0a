//! `dot_general`: sums of products over contracting dimensions, for every index of the batching dimensions.
//!
//! Meaning: result[b.., i.., j..] = sum over k.. of lhs[b.., i.., k..] * rhs[b.., j.., k..], the dimensions of each operand taken in the order of
//! its lists, the rest in order.
//! Inputs I1 lhs, I2 rhs, I3 lhs_batching_dimensions, I4 rhs_batching_dimensions, I5 lhs_contracting_dimensions, I6 rhs_contracting_dimensions,
//! I7 precision_config, I8..I14 algorithm. Constraints: C1 as many batching dimensions on both sides; C2 as many contracting ones; C3, C4 the
//! dimensions of lhs, rhs unique; C5..C8 in range; C9 batching sizes agree; C10 contracting sizes agree; C11 precision_config has two words;
//! C12 the result's shape is batching, lhs, rhs dimensions; C13 element types agree, or convert to the declared result type without leaving its
//! kind; C14 lhs and result are quantized together, rhs with them; C15 zero points of rhs are 0; C16 rhs is not quantized along a contracting
//! dimension; C17 storage types agree; C18 expressed types agree; C19 result per tensor if rhs is; C20 hybrid: lhs and result have rhs's expressed
//! type; C21 an algorithm goes with DEFAULT precision; C22..C24 its counts are positive.
//! Kind: arithmetic. Numerics: floats accumulate in f32 (f64 where a type is f64) and round once to the result type; integers wrap; the algorithm
//! rounds or splits the operands beforehand. The ring sums exactly.
//! Example: `%2 = hlo.dot_general %0, %1 {lhs_contracting_dimensions = array<i64: 1>, ..} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop, Trap},
    hlo::{
        contraction::{self, Precision, Sizes},
        dot_algorithm::DotAlgorithm,
        quantization, shape,
    },
    op::{InferContext, Kind, OpDef},
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value, count, row_major_strides},
    types::{Dim, ElementType, TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DotGeneral {
    pub lhs_batching_dimensions: Vec<i64>,
    pub rhs_batching_dimensions: Vec<i64>,
    pub lhs_contracting_dimensions: Vec<i64>,
    pub rhs_contracting_dimensions: Vec<i64>,
    pub precision_config: Option<Vec<Precision>>,
    pub algorithm: Option<DotAlgorithm>,
}

/// A dot as `[batch, m, k] x [batch, n, k] -> [batch, m, n]`: the order in which each operand's dimensions are taken, and the result's dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canonical {
    pub batch: usize,
    pub m: usize,
    pub n: usize,
    pub k: usize,
    /// Dimensions of lhs: batching, result, contracting.
    pub lhs_order: Vec<usize>,
    /// Dimensions of rhs: batching, result, contracting.
    pub rhs_order: Vec<usize>,
    pub result_dims: Vec<u64>,
}

impl Canonical {
    pub fn sizes(&self) -> Sizes {
        Sizes { batch: self.batch, m: self.m, n: self.n, k: self.k }
    }

    /// lhs with its dimensions in canonical order.
    pub fn lhs(&self, t: &Tensor) -> Tensor {
        permuted(t, &self.lhs_order)
    }

    /// rhs with its dimensions in canonical order.
    pub fn rhs(&self, t: &Tensor) -> Tensor {
        permuted(t, &self.rhs_order)
    }
}

fn permuted(t: &Tensor, order: &[usize]) -> Tensor {
    let strides = row_major_strides(t.dims());
    let (dims, strides): (Vec<u64>, Vec<i64>) = order.iter().map(|d| (t.dims()[*d], strides[*d])).unzip();
    t.strided(&dims, 0, &strides)
}

/// Dimensions below `rank` that are in neither list, in order.
fn rest(rank: usize, a: &[i64], b: &[i64]) -> Vec<usize> {
    (0..rank).filter(|d| !a.contains(&(*d as i64)) && !b.contains(&(*d as i64))).collect()
}

impl DotGeneral {
    /// A plain dot without options.
    pub fn new(batching: [Vec<i64>; 2], contracting: [Vec<i64>; 2]) -> DotGeneral {
        let [lhs_batching_dimensions, rhs_batching_dimensions] = batching;
        let [lhs_contracting_dimensions, rhs_contracting_dimensions] = contracting;
        DotGeneral {
            lhs_batching_dimensions,
            rhs_batching_dimensions,
            lhs_contracting_dimensions,
            rhs_contracting_dimensions,
            precision_config: None,
            algorithm: None,
        }
    }

    /// Dimensions of lhs and rhs that the result keeps.
    pub fn result_dimensions(&self, lhs_rank: usize, rhs_rank: usize) -> [Vec<usize>; 2] {
        [
            rest(lhs_rank, &self.lhs_batching_dimensions, &self.lhs_contracting_dimensions),
            rest(rhs_rank, &self.rhs_batching_dimensions, &self.rhs_contracting_dimensions),
        ]
    }

    /// The canonical form for operands of these sizes; none when they do not fit the dimension numbers.
    pub fn canonical(&self, lhs_dims: &[u64], rhs_dims: &[u64]) -> Option<Canonical> {
        let [lhs_kept, rhs_kept] = self.result_dimensions(lhs_dims.len(), rhs_dims.len());
        let wide = |d: &[i64]| -> Vec<usize> { d.iter().map(|d| *d as usize).collect() };
        let sizes = |dims: &[u64], of: &[usize]| -> Option<Vec<u64>> { of.iter().map(|d| dims.get(*d).copied()).collect() };
        let batch = sizes(lhs_dims, &wide(&self.lhs_batching_dimensions))?;
        let k = sizes(lhs_dims, &wide(&self.lhs_contracting_dimensions))?;
        let fits = batch == sizes(rhs_dims, &wide(&self.rhs_batching_dimensions))? && k == sizes(rhs_dims, &wide(&self.rhs_contracting_dimensions))?;
        let (m, n) = (sizes(lhs_dims, &lhs_kept)?, sizes(rhs_dims, &rhs_kept)?);
        fits.then(|| Canonical {
            batch: count(&batch),
            m: count(&m),
            n: count(&n),
            k: count(&k),
            lhs_order: [wide(&self.lhs_batching_dimensions), lhs_kept, wide(&self.lhs_contracting_dimensions)].concat(),
            rhs_order: [wide(&self.rhs_batching_dimensions), rhs_kept, wide(&self.rhs_contracting_dimensions)].concat(),
            result_dims: [batch, m, n].concat(),
        })
    }

    /// The canonical form, or the trap of sizes that only the run knows.
    pub fn canonical_of(&self, lhs: &Tensor, rhs: &Tensor) -> Result<Canonical, Stop> {
        self.canonical(lhs.dims(), rhs.dims())
            .ok_or_else(|| Stop::Trap(Trap::ShapeMismatch(format!("dot_general of {} and {}", lhs.ty(), rhs.ty()))))
    }

    fn plain(&self, lhs: &Tensor, rhs: &Tensor, element: &ElementType, planes: Planes) -> Result<Tensor, Stop> {
        let c = self.canonical_of(lhs, rhs)?;
        Ok(contraction::contract(&c.lhs(lhs), &c.rhs(rhs), c.sizes(), element, planes)?.reshaped(&c.result_dims))
    }

    /// The sum of the products of components that `algorithm` names; the residues are those of the plain dot.
    fn by_algorithm(&self, algorithm: &DotAlgorithm, lhs: &Tensor, rhs: &Tensor, element: &ElementType, planes: Planes) -> Result<Tensor, Stop> {
        let a = DotAlgorithm::components(lhs, &algorithm.lhs_precision_type, algorithm.lhs_component_count);
        let b = DotAlgorithm::components(rhs, &algorithm.rhs_precision_type, algorithm.rhs_component_count);
        let sums = contraction::accumulator(lhs.element(), rhs.element(), element);
        let mut total: Option<Vec<f64>> = None;
        for (i, j) in algorithm.products() {
            let part = self.plain(&a[i], &b[j], &sums, Planes::IeeeOnly)?;
            let part = part.to_f64s();
            total = Some(match total {
                None => part.into_owned(),
                Some(t) => t.iter().zip(part.iter()).map(|(x, y)| rounded_to(&sums, x + y)).collect(),
            });
        }
        let exact = self.plain(lhs, rhs, element, planes)?;
        let total = total.ok_or_else(|| Stop::unsupported("dot_general algorithm without primitive operations"))?;
        Ok(Tensor::from_f64s(exact.dims(), element, &total).with_ring(exact.ring_buffer().cloned()))
    }
}

fn rounded_to(element: &ElementType, v: f64) -> f64 {
    if *element == ElementType::F32 { f64::from(v as f32) } else { v }
}

impl OpDef for DotGeneral {
    const NAME: &'static str = "dot_general";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> DotGeneral {
        DotGeneral {
            lhs_batching_dimensions: reader.opt_ints("lhs_batching_dimensions").unwrap_or_default(),
            rhs_batching_dimensions: reader.opt_ints("rhs_batching_dimensions").unwrap_or_default(),
            lhs_contracting_dimensions: reader.opt_ints("lhs_contracting_dimensions").unwrap_or_default(),
            rhs_contracting_dimensions: reader.opt_ints("rhs_contracting_dimensions").unwrap_or_default(),
            precision_config: Precision::read(reader),
            algorithm: DotAlgorithm::read(reader),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("lhs_batching_dimensions", self.lhs_batching_dimensions.clone())
            .with("rhs_batching_dimensions", self.rhs_batching_dimensions.clone())
            .with("lhs_contracting_dimensions", self.lhs_contracting_dimensions.clone())
            .with("rhs_contracting_dimensions", self.rhs_contracting_dimensions.clone())
            .with_some("precision_config", self.precision_config.as_deref().map(Precision::attribute))
            .with_some("algorithm", self.algorithm.as_ref().map(DotAlgorithm::attributes))
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let [lhs, rhs] = shape::tensors(cx, 2)?[..] else { return Err(vec!["expected 2 operands".to_string()]) };
        let (lb, rb) = (&self.lhs_batching_dimensions, &self.rhs_batching_dimensions);
        let (lc, rc) = (&self.lhs_contracting_dimensions, &self.rhs_contracting_dimensions);
        let mut wrong = vec![];
        if lb.len() != rb.len() {
            wrong.push(format!("C1: {} lhs and {} rhs batching dimensions", lb.len(), rb.len()));
        }
        if lc.len() != rc.len() {
            wrong.push(format!("C2: {} lhs and {} rhs contracting dimensions", lc.len(), rc.len()));
        }
        for (tag, batching, contracting) in [("C3", lb, lc), ("C4", rb, rc)] {
            let all = [&batching[..], &contracting[..]].concat();
            if (1..all.len()).any(|i| all[..i].contains(&all[i])) {
                wrong.push(format!("{tag}: batching {batching:?} and contracting {contracting:?} dimensions repeat one"));
            }
        }
        for (tag, dims, side) in [("C5", lb, lhs), ("C6", lc, lhs), ("C7", rb, rhs), ("C8", rc, rhs)] {
            if dims.iter().any(|d| *d < 0 || *d >= side.rank() as i64) {
                wrong.push(format!("{tag}: dimensions {dims:?} reach beyond {side}"));
            }
        }
        if let Some(precision) = self.precision_config.as_ref().filter(|p| !p.is_empty() && p.len() != 2) {
            wrong.push(format!("C11: precision_config has {} words, expected 2", precision.len()));
        }
        if let Some(a) = &self.algorithm {
            if self.precision_config.iter().flatten().any(|p| *p != Precision::Default) {
                wrong.push("C21: an algorithm goes with DEFAULT precision".to_string());
            }
            for (tag, name, n) in [
                ("C22", "lhs_component_count", a.lhs_component_count),
                ("C23", "rhs_component_count", a.rhs_component_count),
                ("C24", "num_primitive_operations", a.num_primitive_operations),
            ] {
                if n <= 0 {
                    wrong.push(format!("{tag}: {name} must be positive, got {n}"));
                }
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut joined = |tag: &str, l: &[i64], r: &[i64]| -> Vec<Dim> {
            l.iter()
                .zip(r)
                .map(|(l, r)| {
                    let (x, y) = (lhs.dims[*l as usize], rhs.dims[*r as usize]);
                    shape::join_dims(x, y).unwrap_or_else(|| {
                        wrong.push(format!("{tag}: size {x} of lhs dimension {l} differs from size {y} of rhs dimension {r}"));
                        x
                    })
                })
                .collect()
        };
        let batch = joined("C9", lb, rb);
        joined("C10", lc, rc);
        let [lhs_kept, rhs_kept] = self.result_dimensions(lhs.rank(), rhs.rank());
        let kept = |t: &TensorType, of: &[usize]| -> Vec<Dim> { of.iter().map(|d| t.dims[*d]).collect() };
        let dims = [batch, kept(lhs, &lhs_kept), kept(rhs, &rhs_kept)].concat(); // C12
        let element = cx.declared.first().and_then(Type::as_tensor).map_or(&lhs.element, |t| &t.element);
        let result = TensorType { dims, element: element.clone(), layout: None };
        if [lhs, rhs].iter().any(|t| quantization::parameters(&t.element).is_some()) || quantization::parameters(element).is_some() {
            let tags = quantization::ContractionTags { is_quantized: "C14", storage: "C17", expressed: "C18", per_tensor: "C19", hybrid: "C20" };
            wrong.extend(quantization::contraction(lhs, rhs, &result, &tags));
            if let Some(q) = quantization::parameters(&rhs.element) {
                if q.zero_points.iter().any(|z| *z != 0) {
                    wrong.push(format!("C15: zero points of rhs must be 0, got {:?}", q.zero_points));
                }
                if q.axis.is_some_and(|a| rc.contains(&(a as i64))) {
                    wrong.push(format!("C16: rhs is quantized along contracting dimension {:?}", q.axis));
                }
            }
        } else if !contraction::elements_fit(&lhs.element, &rhs.element, element) {
            wrong.push(format!("C13: products of {} and {} cannot be summed in {element}", lhs.element, rhs.element));
        }
        if wrong.is_empty() { Ok(vec![result.into()]) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        if quantization::involved(operands, results) {
            return quantization::dequantize_op_quantize(operands, results, cx, |o, r, cx| self.eval(o, r, cx));
        }
        let (lhs, rhs) = (shape::operand(operands, 0)?, shape::operand(operands, 1)?);
        let element = results.first().and_then(Type::as_tensor).map_or(lhs.element(), |t| &t.element);
        let result = match &self.algorithm {
            Some(algorithm) if element.is_float() => self.by_algorithm(algorithm, lhs, rhs, element, cx.planes)?,
            Some(_) | None => self.plain(lhs, rhs, element, cx.planes)?,
        };
        Ok(vec![result.into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let result = shape::operand(values, 0)?;
        let [Some(lhs), Some(rhs)] = [0, 1].map(|i| operands.get(i).and_then(|o| o.value.as_tensor())) else {
            return Err(Stop::internal("dot_general without operands"));
        };
        let c = self.canonical_of(lhs, rhs)?;
        let parts = self.algorithm.as_ref().map_or(1, |a| a.products().len().max(1));
        let rounding = self.algorithm.as_ref().map_or(0.0, DotAlgorithm::rounding);
        let bound = contraction::bound(operands, result, c.k * parts + parts - 1, rounding, |a, b| self.plain(a, b, &ElementType::F64, Planes::IeeeOnly))?;
        Ok(vec![bound])
    }

    fn sample(s: &mut Sampler) -> Program {
        let mut sizes = |n: u64| -> Vec<u64> { (0..s.range(0, n)).map(|_| s.range(1, s.size.min(4))).collect() };
        let (batch, m, n, k) = (sizes(1), sizes(2), sizes(1), sizes(2));
        let element = s.element(|e| *e != ElementType::F8E8M0FNU);
        let range = |from: usize, len: usize| -> Vec<i64> { (from..from + len).map(|d| d as i64).collect() };
        let op = DotGeneral::new(
            [range(0, batch.len()), range(0, batch.len())],
            [range(batch.len() + m.len(), k.len()), range(batch.len(), k.len())],
        );
        let lhs = Type::tensor([&batch[..], &m, &k].concat(), element.clone());
        let rhs = Type::tensor([&batch[..], &k, &n].concat(), element);
        Sampler::single(op, &[lhs, rhs], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Events, NoRegions};
    use crate::hlo::dot_algorithm::PrecisionType;
    use crate::planes::ring;
    use num_complex::Complex;

    fn matmul() -> DotGeneral {
        DotGeneral::new([vec![], vec![]], [vec![1], vec![0]])
    }

    fn eval(op: &DotGeneral, operands: &[Tensor], result: Type) -> Tensor {
        let operands: Vec<Value> = operands.iter().map(|t| t.clone().with_embedded_ring().into()).collect();
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let Value::Tensor(t) = op.eval(&operands, &[result], &mut cx).unwrap().remove(0) else { panic!() };
        t
    }

    #[test]
    fn a_matrix_product_on_both_planes() {
        let a = Tensor::from_slice(&[2, 3], ElementType::F32, &[1f32, 2., 3., 4., 5., 6.]);
        let b = Tensor::from_slice(&[3, 2], ElementType::F32, &[1f32, 0., 2., 1., 0., -1.]);
        let c = eval(&matmul(), &[a, b], Type::tensor([2, 2], ElementType::F32));
        assert_eq!(c.as_slice::<f32>(), [5., -1., 14., -1.]);
        assert_eq!(c.ring(), Some(&[5, ring::P - 1, 14, ring::P - 1][..]));
    }

    #[test]
    fn batching_and_contracting_dimensions_in_any_place() {
        // lhs[k, b, m], rhs[n, k, b]: the example of the specification, turned around.
        let op = DotGeneral::new([vec![1], vec![2]], [vec![0], vec![1]]);
        let lhs: Vec<i64> = (0..8).collect();
        let a = Tensor::from_i64s(&[2, 2, 2], &ElementType::I64, &lhs);
        let b = Tensor::from_i64s(&[1, 2, 2], &ElementType::I64, &[1, 10, 100, 1000]);
        let c = eval(&op, &[a, b], Type::tensor([2, 2, 1], ElementType::I64));
        // c[b, m] = lhs[0, b, m] * rhs[0, 0, b] + lhs[1, b, m] * rhs[0, 1, b].
        assert_eq!(c.to_i64s().as_ref(), [400, 501, 6020, 7030]);
    }

    #[test]
    fn narrow_sums_round_once_and_integers_wrap() {
        // 256 + 1 + 1: in bf16 each 1 would vanish; summed in f32 the result is 258.
        let a = Tensor::from_f64s(&[1, 3], &ElementType::BF16, &[256., 1., 1.]);
        let b = Tensor::from_f64s(&[3, 1], &ElementType::BF16, &[1., 1., 1.]);
        let c = eval(&matmul(), &[a, b], Type::tensor([1, 1], ElementType::BF16));
        assert_eq!(c.to_f64s()[0], 258.0);
        let a = Tensor::from_i64s(&[1, 2], &ElementType::I8, &[100, 100]);
        let b = Tensor::from_i64s(&[2, 1], &ElementType::I8, &[100, 100]);
        let narrow = eval(&matmul(), &[a.clone(), b.clone()], Type::tensor([1, 1], ElementType::I8));
        assert_eq!(narrow.to_i64s()[0], 32, "20000 modulo 256");
        let wide = eval(&matmul(), &[a, b], Type::tensor([1, 1], ElementType::I32));
        assert_eq!(wide.to_i64s()[0], 20000);
    }

    #[test]
    fn complex_and_boolean_products() {
        let z = [Complex::new(1f32, 2.), Complex::new(0., 1.)];
        let a = Tensor::from_slice(&[1, 2], ElementType::C64, &z);
        let b = Tensor::from_slice(&[2, 1], ElementType::C64, &z);
        let c = eval(&matmul(), &[a, b], Type::tensor([1, 1], ElementType::C64));
        // (1 + 2i)^2 + i^2 = -4 + 4i.
        assert_eq!(c.as_slice::<[f32; 2]>(), [[-4., 4.]]);
        assert_eq!(c.ring(), Some(&[ring::P - 4, 4][..]));
        let a = Tensor::from_i64s(&[2, 2], &ElementType::I1, &[1, 0, 0, 0]);
        let b = Tensor::from_i64s(&[2, 1], &ElementType::I1, &[1, 1]);
        assert_eq!(eval(&matmul(), &[a, b], Type::tensor([2, 1], ElementType::I1)).to_i64s().as_ref(), [1, 0]);
    }

    #[test]
    fn infinities_and_nan_are_codes() {
        let a = Tensor::from_slice(&[2, 2], ElementType::F32, &[f32::INFINITY, 1., f32::INFINITY, f32::NEG_INFINITY]);
        let b = Tensor::from_slice(&[2, 1], ElementType::F32, &[-2f32, 1.]);
        let c = eval(&matmul(), &[a, b], Type::tensor([2, 1], ElementType::F32));
        assert_eq!(c.ring(), Some(&[ring::NEGATIVE_INFINITY, ring::NEGATIVE_INFINITY][..]));
        assert_eq!(c.as_slice::<f32>(), [f32::NEG_INFINITY, f32::NEG_INFINITY]);
    }

    #[test]
    fn an_empty_sum_is_zero() {
        let a = Tensor::from_f64s(&[2, 0], &ElementType::F32, &[]);
        let b = Tensor::from_f64s(&[0, 1], &ElementType::F32, &[]);
        let c = eval(&matmul(), &[a, b], Type::tensor([2, 1], ElementType::F32));
        assert_eq!((c.as_slice::<f32>(), c.ring()), (&[0f32, 0.][..], Some(&[0, 0][..])));
    }

    #[test]
    fn an_algorithm_rounds_operands_but_not_residues() {
        let bf16 = PrecisionType::Element(ElementType::BF16);
        let algorithm = |parts: i64, operations: i64| DotGeneral {
            algorithm: Some(DotAlgorithm {
                lhs_precision_type: bf16.clone(),
                rhs_precision_type: bf16.clone(),
                accumulation_type: PrecisionType::Element(ElementType::F32),
                lhs_component_count: parts,
                rhs_component_count: parts,
                num_primitive_operations: operations,
                allow_imprecise_accumulation: false,
            }),
            ..matmul()
        };
        let x = 1.0 + 2f32.powi(-10);
        let a = Tensor::from_slice(&[1, 1], ElementType::F32, &[x]);
        let result = || Type::tensor([1, 1], ElementType::F32);
        let one = eval(&algorithm(1, 1), &[a.clone(), a.clone()], result());
        assert_eq!(one.as_slice::<f32>(), [1.0], "2^-10 is lost in bf16");
        let six = eval(&algorithm(3, 6), &[a.clone(), a.clone()], result());
        assert_eq!(six.as_slice::<f32>(), [x * x], "three components hold f32");
        assert_eq!(one.ring(), eval(&matmul(), &[a.clone(), a], result()).ring());
    }

    #[test]
    fn the_bound_covers_the_distance_and_is_not_slack() {
        let k = 64;
        let xs: Vec<f32> = (0..k).map(|i| 0.1 + i as f32 / 7.0).collect();
        let (a, b) = (Tensor::from_slice(&[1, k as u64], ElementType::F32, &xs), Tensor::from_slice(&[k as u64, 1], ElementType::F32, &xs));
        let got = eval(&matmul(), &[a.clone(), b.clone()], Type::tensor([1, 1], ElementType::F32));
        let exact: f64 = xs.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        let (va, vb, vc) = (Value::from(a), Value::from(b), Value::from(got.clone()));
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeOnly, runner: &mut runner, events: &mut events };
        let bounded = |error| [Bounded { value: &va, error }, Bounded { value: &vb, error: &Bound::Exact }];
        let at = matmul().bound(&bounded(&Bound::Exact), &[], std::slice::from_ref(&vc), &mut cx).unwrap()[0].at(0);
        assert!((got.to_f64s()[0] - exact).abs() <= at);
        assert!(at <= 1.01 * k as f64 * 2f64.powi(-24) * exact + 1e-30 && at > 0.0);
        let off = Bound::absolute(vec![0.5; k]);
        let carried = matmul().bound(&bounded(&off), &[], std::slice::from_ref(&vc), &mut cx).unwrap()[0].at(0);
        let want: f64 = xs.iter().map(|x| 0.5 * f64::from(*x)).sum();
        assert!((carried - at - want).abs() < 1e-9 * want);
    }

    fn violated(op: &DotGeneral, lhs: Type, rhs: Type, result: Option<Type>) -> String {
        let declared: Vec<Type> = result.into_iter().collect();
        op.infer(&InferContext { operands: &[lhs, rhs], declared: &declared, regions: &[] }).unwrap_err().remove(0)
    }

    #[test]
    fn each_constraint_is_checked() {
        let f = |dims: &[u64]| Type::tensor(dims.iter().copied(), ElementType::F32);
        let op = |b: [&[i64]; 2], c: [&[i64]; 2]| DotGeneral::new(b.map(<[i64]>::to_vec), c.map(<[i64]>::to_vec));
        for (tag, op) in [
            ("C1", op([&[0], &[]], [&[1], &[0]])),
            ("C2", op([&[], &[]], [&[1], &[]])),
            ("C3", op([&[1], &[1]], [&[1], &[0]])),
            ("C4", op([&[0], &[0]], [&[1], &[0]])),
            ("C5", op([&[2], &[1]], [&[1], &[0]])),
            ("C6", op([&[], &[]], [&[2], &[0]])),
            ("C7", op([&[0], &[-1]], [&[1], &[0]])),
            ("C8", op([&[], &[]], [&[1], &[2]])),
            ("C9", op([&[0], &[1]], [&[1], &[0]])),
            ("C10", op([&[], &[]], [&[0], &[0]])),
            ("C11", DotGeneral { precision_config: Some(vec![Precision::High]), ..matmul() }),
        ] {
            let got = violated(&op, f(&[2, 3]), f(&[3, 4]), None);
            assert!(got.starts_with(&format!("{tag}:")), "{tag}: {got}");
        }
        let mixed = violated(&matmul(), f(&[2, 3]), f(&[3, 4]), Some(Type::tensor([2, 4], ElementType::I32)));
        assert!(mixed.starts_with("C13:"));
        let algorithm = DotAlgorithm {
            lhs_precision_type: PrecisionType::TensorFloat32,
            rhs_precision_type: PrecisionType::TensorFloat32,
            accumulation_type: PrecisionType::Element(ElementType::F32),
            lhs_component_count: 1,
            rhs_component_count: 1,
            num_primitive_operations: 1,
            allow_imprecise_accumulation: false,
        };
        let with = |a: DotAlgorithm, p| DotGeneral { algorithm: Some(a), precision_config: p, ..matmul() };
        for (tag, op) in [
            ("C21", with(algorithm.clone(), Some(vec![Precision::High, Precision::Default]))),
            ("C22", with(DotAlgorithm { lhs_component_count: 0, ..algorithm.clone() }, None)),
            ("C23", with(DotAlgorithm { rhs_component_count: -1, ..algorithm.clone() }, None)),
            ("C24", with(DotAlgorithm { num_primitive_operations: 0, ..algorithm }, None)),
        ] {
            assert!(violated(&op, f(&[2, 3]), f(&[3, 4]), None).starts_with(tag));
        }
    }

    #[test]
    fn each_quantization_constraint_is_checked() {
        use crate::types::QuantizedType;
        let q = |storage: ElementType, axis: Option<u64>, n: usize, zero: i64, expressed: ElementType| {
            ElementType::Quantized(std::sync::Arc::new(QuantizedType {
                storage,
                storage_min: -128,
                storage_max: 127,
                expressed,
                axis,
                scales: vec![0.5; n],
                zero_points: vec![zero; n],
            }))
        };
        let plain = || q(ElementType::I8, None, 1, 0, ElementType::F32);
        let t = |dims: [u64; 2], e: ElementType| Type::tensor(dims, e);
        let check = |tag: &str, lhs: ElementType, rhs: ElementType, result: ElementType| {
            let got = violated(&matmul(), t([2, 3], lhs), t([3, 4], rhs), Some(t([2, 4], result)));
            assert!(got.starts_with(&format!("{tag}:")), "{tag}: {got}");
        };
        check("C14", plain(), plain(), ElementType::F32);
        check("C15", plain(), q(ElementType::I8, None, 1, 3, ElementType::F32), plain());
        check("C16", plain(), q(ElementType::I8, Some(0), 3, 0, ElementType::F32), plain());
        check("C17", plain(), q(ElementType::I16, None, 1, 0, ElementType::F32), plain());
        check("C18", plain(), q(ElementType::I8, None, 1, 0, ElementType::BF16), plain());
        check("C19", plain(), plain(), q(ElementType::I8, Some(1), 4, 0, ElementType::F32));
        check("C20", ElementType::BF16, plain(), ElementType::BF16);
    }
}
