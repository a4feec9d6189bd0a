//! `convolution`: sums of products of a kernel with the windows of an input.
//!
//! Meaning: result[b, x.., f] = sum over k.., c of padded[b, x.. * window_strides + k.. * rhs_dilation, c] * rhs[k.., c, f] with the dimensions of each
//! tensor in the order its dimension numbers say; padded = lhs with lhs_dilation - 1 zeros between and `padding` zeros around its elements (negative:
//! elements removed); a reversed spatial dimension takes the window backwards. Groups: feature_group_count splits lhs features, batch_group_count
//! lhs batches, both rhs output features; the results stand side by side in the output features.
//! Inputs I1 lhs, I2 rhs, I3 window_strides, I4 padding (low, high pairs), I5 lhs_dilation, I6 rhs_dilation, I7 window_reversal, I8..I16 dimension
//! numbers, I17 feature_group_count, I18 batch_group_count, I19 precision_config.
//! Constraints: C1 lhs and rhs have one rank N >= 2; C2, C4, C5, C7, C9 one window_strides, padding pair, lhs_dilation, rhs_dilation, window_reversal
//! per spatial dimension; C3, C6, C8 strides and dilations positive; C10 batches divide by batch_group_count; C11 features divide by
//! feature_group_count; C12, C17, C19 N - 2 spatial dimensions of each tensor; C13, C18, C20 dimension numbers of each tensor unique and in range;
//! C14 kernel input features = input features / feature_group_count; C15, C16 kernel output features divide by both counts; C21, C22 counts
//! positive; C23 one of them is 1; C24 precision_config has two words; C25, C26 the result's shape; C27 element types agree, or convert to the
//! declared result type without leaving its kind; C28 lhs and result are quantized together, rhs with them; C29, C30 rhs, result are quantized
//! along output features; C31..C33 storage, expressed types agree, result per tensor if rhs is; C34 hybrid types agree.
//! Kind: arithmetic. Numerics: as dot_general.
//! Example: `hlo.convolution %0, %1 {window_strides = array<i64: 1>, ..} : (tensor<1x8x2xf32>, tensor<3x2x4xf32>) -> tensor<1x6x4xf32>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded},
    builder::Sampler,
    eval::{EvalContext, Stop, Trap},
    hlo::{
        contraction::{self, Precision, Sizes, take_or_zero},
        patches::{Patches, dilated, window_positions},
        quantization, shape,
    },
    op::{InferContext, Kind, OpDef},
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{Dim, ElementType, TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Convolution {
    pub window_strides: Vec<i64>,
    /// Low, high for each spatial dimension.
    pub padding: Vec<i64>,
    pub lhs_dilation: Vec<i64>,
    pub rhs_dilation: Vec<i64>,
    pub window_reversal: Vec<bool>,
    pub input_batch_dimension: i64,
    pub input_feature_dimension: i64,
    pub input_spatial_dimensions: Vec<i64>,
    pub kernel_input_feature_dimension: i64,
    pub kernel_output_feature_dimension: i64,
    pub kernel_spatial_dimensions: Vec<i64>,
    pub output_batch_dimension: i64,
    pub output_feature_dimension: i64,
    pub output_spatial_dimensions: Vec<i64>,
    pub feature_group_count: i64,
    pub batch_group_count: i64,
    pub precision_config: Option<Vec<Precision>>,
}

/// The window along one spatial dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub stride: i64,
    pub low: i64,
    pub high: i64,
    pub lhs_dilation: i64,
    pub rhs_dilation: i64,
    pub reversed: bool,
}

impl Window {
    /// Positions of the window over `input` elements: C25.
    pub fn positions(&self, input: i64, kernel: i64) -> i64 {
        let padded = self.low.saturating_add(dilated(input, self.lhs_dilation)).saturating_add(self.high);
        window_positions(padded, dilated(kernel, self.rhs_dilation), self.stride)
    }
}

/// Elements of patches gathered at a time.
const SLAB: usize = 1 << 22;

impl Convolution {
    pub fn spatial_rank(&self) -> usize {
        self.input_spatial_dimensions.len()
    }

    /// The window along spatial dimension `s`.
    pub fn window(&self, s: usize) -> Option<Window> {
        Some(Window {
            stride: *self.window_strides.get(s)?,
            low: *self.padding.get(2 * s)?,
            high: *self.padding.get(2 * s + 1)?,
            lhs_dilation: *self.lhs_dilation.get(s)?,
            rhs_dilation: *self.rhs_dilation.get(s)?,
            reversed: *self.window_reversal.get(s)?,
        })
    }

    fn patches(&self, lhs: &Tensor, rhs: &Tensor) -> Result<Patches, Stop> {
        Patches::new(self, lhs.dims(), rhs.dims())
            .ok_or_else(|| Stop::Trap(Trap::ShapeMismatch(format!("convolution of {} and {}", lhs.ty(), rhs.ty()))))
    }

    /// The kernel of `group` as `[out_features, k]`, k in the order of the patches.
    pub fn kernel(&self, patches: &Patches, group: usize, rhs: &Tensor) -> Tensor {
        let strides = row_major_strides(rhs.dims());
        let output = self.kernel_output_feature_dimension as usize;
        let order: Vec<usize> = self.kernel_spatial_dimensions.iter().chain([&self.kernel_input_feature_dimension]).map(|d| *d as usize).collect();
        let dims: Vec<u64> = [patches.out_features as u64].into_iter().chain(order.iter().map(|d| rhs.dims()[*d])).collect();
        let steps: Vec<i64> = [strides[output]].into_iter().chain(order.iter().map(|d| strides[*d])).collect();
        let offset = (group * patches.out_features) as i64 * strides[output];
        rhs.strided(&dims, offset, &steps).reshaped(&[patches.out_features as u64, patches.k() as u64])
    }

    /// The result from the rows of all groups, `[group, batch, output spatial.., out_features]`, in the order of the output's dimensions.
    pub fn assemble(&self, patches: &Patches, rows: &Tensor) -> Tensor {
        let spatial = patches.out_spatial.iter().map(|n| *n as u64);
        let sizes: Vec<u64> = [patches.groups as u64, patches.batch as u64].into_iter().chain(spatial).chain([patches.out_features as u64]).collect();
        let strides = row_major_strides(&sizes);
        let features = sizes.len() - 1;
        // Every output dimension takes one of the rows' dimensions, the features two: group and feature within it.
        let (mut dims, mut steps, mut result) = (vec![], vec![], vec![]);
        for d in 0..sizes.len() as i64 - 1 {
            let taken = if d == self.output_batch_dimension {
                vec![1]
            } else if d == self.output_feature_dimension {
                vec![0, features]
            } else {
                self.output_spatial_dimensions.iter().position(|s| *s == d).map(|s| s + 2).into_iter().collect()
            };
            result.push(taken.iter().map(|t| sizes[*t]).product());
            dims.extend(taken.iter().map(|t| sizes[*t]));
            steps.extend(taken.iter().map(|t| strides[*t]));
        }
        rows.strided(&dims, 0, &steps).reshaped(&result)
    }

    fn plain(&self, lhs: &Tensor, rhs: &Tensor, element: &ElementType, planes: Planes) -> Result<Tensor, Stop> {
        let patches = self.patches(lhs, rhs)?;
        let (rows, k, n) = (patches.rows(), patches.k(), patches.out_features);
        let step = (SLAB / k.max(1)).clamp(1, rows.max(1));
        let mut parts = vec![];
        for group in 0..patches.groups {
            let kernel = self.kernel(&patches, group, rhs);
            for first in (0..rows).step_by(step) {
                let slab = first..(first + step).min(rows);
                let m = slab.len();
                let taken = take_or_zero(lhs, &[m as u64, k as u64], &patches.indices(group, slab));
                parts.push(contraction::contract(&taken, &kernel, Sizes { batch: 1, m, n, k }, element, planes)?);
            }
        }
        let all = match (Tensor::joined(&parts.iter().collect::<Vec<_>>()), planes) {
            (Some(all), _) => all,
            (None, Planes::IeeeOnly) => Tensor::from_i64s(&[0], element, &[]),
            (None, Planes::IeeeAndRing) => Tensor::from_i64s(&[0], element, &[]).with_embedded_ring(),
        };
        Ok(self.assemble(&patches, &all))
    }

    fn result_dims(&self, lhs: &TensorType, rhs: &TensorType) -> Vec<Dim> {
        let divided = |d: Dim, by: i64| match d {
            Dim::Static(n) => Dim::Static(n / by.max(1) as u64),
            Dim::Dynamic { bound } => Dim::Dynamic { bound: bound.map(|b| b / by.max(1) as u64) },
        };
        let mut dims = vec![Dim::Dynamic { bound: None }; lhs.rank()];
        dims[self.output_batch_dimension as usize] = divided(lhs.dims[self.input_batch_dimension as usize], self.batch_group_count);
        dims[self.output_feature_dimension as usize] = rhs.dims[self.kernel_output_feature_dimension as usize];
        for (s, d) in self.output_spatial_dimensions.iter().enumerate() {
            let sizes = (lhs.dims[self.input_spatial_dimensions[s] as usize], rhs.dims[self.kernel_spatial_dimensions[s] as usize]);
            if let (Dim::Static(input), Dim::Static(kernel), Some(window)) = (sizes.0, sizes.1, self.window(s)) {
                dims[*d as usize] = Dim::Static(window.positions(input as i64, kernel as i64) as u64);
            }
        }
        dims
    }

    /// Violations that need no sizes.
    fn attribute_violations(&self, rank: usize) -> Vec<String> {
        let spatial = rank - 2;
        let mut wrong = vec![];
        for (tag, name, n, want) in [
            ("C2", "window_strides", self.window_strides.len(), spatial),
            ("C4", "padding", self.padding.len(), 2 * spatial),
            ("C5", "lhs_dilation", self.lhs_dilation.len(), spatial),
            ("C7", "rhs_dilation", self.rhs_dilation.len(), spatial),
            ("C9", "window_reversal", self.window_reversal.len(), spatial),
            ("C12", "input_spatial_dimensions", self.input_spatial_dimensions.len(), spatial),
            ("C17", "kernel_spatial_dimensions", self.kernel_spatial_dimensions.len(), spatial),
            ("C19", "output_spatial_dimensions", self.output_spatial_dimensions.len(), spatial),
        ] {
            if n != want {
                wrong.push(format!("{tag}: {name} has {n} entries, expected {want}"));
            }
        }
        for (tag, name, all) in [("C3", "window_strides", &self.window_strides), ("C6", "lhs_dilation", &self.lhs_dilation), ("C8", "rhs_dilation", &self.rhs_dilation)] {
            if all.iter().any(|v| *v <= 0) {
                wrong.push(format!("{tag}: {name} {all:?} must be positive"));
            }
        }
        for (tag, name, first, last, spatial) in [
            ("C13", "input", self.input_batch_dimension, self.input_feature_dimension, &self.input_spatial_dimensions),
            ("C18", "kernel", self.kernel_input_feature_dimension, self.kernel_output_feature_dimension, &self.kernel_spatial_dimensions),
            ("C20", "output", self.output_batch_dimension, self.output_feature_dimension, &self.output_spatial_dimensions),
        ] {
            let all: Vec<i64> = [first, last].into_iter().chain(spatial.iter().copied()).collect();
            if all.iter().any(|d| *d < 0 || *d >= rank as i64) || (1..all.len()).any(|i| all[..i].contains(&all[i])) {
                wrong.push(format!("{tag}: {name} dimensions {all:?} must be unique and below rank {rank}"));
            }
        }
        for (tag, name, n) in [("C21", "feature_group_count", self.feature_group_count), ("C22", "batch_group_count", self.batch_group_count)] {
            if n <= 0 {
                wrong.push(format!("{tag}: {name} must be positive, got {n}"));
            }
        }
        if self.feature_group_count != 1 && self.batch_group_count != 1 {
            wrong.push("C23: one of feature_group_count and batch_group_count must be 1".to_string());
        }
        if let Some(p) = self.precision_config.as_ref().filter(|p| !p.is_empty() && p.len() != 2) {
            wrong.push(format!("C24: precision_config has {} words, expected 2", p.len()));
        }
        wrong
    }

    fn size_violations(&self, lhs: &TensorType, rhs: &TensorType) -> Vec<String> {
        let mut wrong = vec![];
        let batch = lhs.dims[self.input_batch_dimension as usize];
        let features = lhs.dims[self.input_feature_dimension as usize];
        let outputs = rhs.dims[self.kernel_output_feature_dimension as usize];
        for (tag, what, size, by) in [
            ("C10", "input batch", batch, self.batch_group_count),
            ("C11", "input feature", features, self.feature_group_count),
            ("C15", "kernel output feature", outputs, self.batch_group_count),
            ("C16", "kernel output feature", outputs, self.feature_group_count),
        ] {
            if let Dim::Static(n) = size
                && n % by as u64 != 0
            {
                wrong.push(format!("{tag}: {what} size {n} is no multiple of {by} groups"));
            }
        }
        let kernel_features = rhs.dims[self.kernel_input_feature_dimension as usize];
        if let (Dim::Static(n), Dim::Static(m)) = (features, kernel_features)
            && n / self.feature_group_count as u64 != m
        {
            wrong.push(format!("C14: kernel input feature size {m} must be {n} / {}", self.feature_group_count));
        }
        wrong
    }
}

impl OpDef for Convolution {
    const NAME: &'static str = "convolution";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Convolution {
        let input_spatial_dimensions = reader.ints("input_spatial_dimensions");
        let n = input_spatial_dimensions.len();
        Convolution {
            window_strides: reader.opt_ints("window_strides").unwrap_or_else(|| vec![1; n]),
            padding: reader.opt_ints("padding").unwrap_or_else(|| vec![0; 2 * n]),
            lhs_dilation: reader.opt_ints("lhs_dilation").unwrap_or_else(|| vec![1; n]),
            rhs_dilation: reader.opt_ints("rhs_dilation").unwrap_or_else(|| vec![1; n]),
            window_reversal: reader.opt_bools("window_reversal").unwrap_or_else(|| vec![false; n]),
            input_batch_dimension: reader.int("input_batch_dimension"),
            input_feature_dimension: reader.int("input_feature_dimension"),
            input_spatial_dimensions,
            kernel_input_feature_dimension: reader.int("kernel_input_feature_dimension"),
            kernel_output_feature_dimension: reader.int("kernel_output_feature_dimension"),
            kernel_spatial_dimensions: reader.ints("kernel_spatial_dimensions"),
            output_batch_dimension: reader.int("output_batch_dimension"),
            output_feature_dimension: reader.int("output_feature_dimension"),
            output_spatial_dimensions: reader.ints("output_spatial_dimensions"),
            feature_group_count: reader.opt_int("feature_group_count").unwrap_or(1),
            batch_group_count: reader.opt_int("batch_group_count").unwrap_or(1),
            precision_config: Precision::read(reader),
        }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new()
            .with("window_strides", self.window_strides.clone())
            .with("padding", self.padding.clone())
            .with("lhs_dilation", self.lhs_dilation.clone())
            .with("rhs_dilation", self.rhs_dilation.clone())
            .with("window_reversal", self.window_reversal.clone())
            .with("input_batch_dimension", self.input_batch_dimension)
            .with("input_feature_dimension", self.input_feature_dimension)
            .with("input_spatial_dimensions", self.input_spatial_dimensions.clone())
            .with("kernel_input_feature_dimension", self.kernel_input_feature_dimension)
            .with("kernel_output_feature_dimension", self.kernel_output_feature_dimension)
            .with("kernel_spatial_dimensions", self.kernel_spatial_dimensions.clone())
            .with("output_batch_dimension", self.output_batch_dimension)
            .with("output_feature_dimension", self.output_feature_dimension)
            .with("output_spatial_dimensions", self.output_spatial_dimensions.clone())
            .with("feature_group_count", self.feature_group_count)
            .with("batch_group_count", self.batch_group_count)
            .with_some("precision_config", self.precision_config.as_deref().map(Precision::attribute))
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let [lhs, rhs] = shape::tensors(cx, 2)?[..] else { return Err(vec!["expected 2 operands".to_string()]) };
        if lhs.rank() != rhs.rank() || lhs.rank() < 2 {
            return Err(vec![format!("C1: lhs and rhs must have one rank of at least 2: {lhs} and {rhs}")]);
        }
        let wrong = self.attribute_violations(lhs.rank());
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut wrong = self.size_violations(lhs, rhs);
        let element = cx.declared.first().and_then(Type::as_tensor).map_or(&lhs.element, |t| &t.element);
        // C25, C26.
        let result = TensorType { dims: self.result_dims(lhs, rhs), element: element.clone(), layout: None };
        if [&lhs.element, &rhs.element, element].iter().any(|e| quantization::parameters(e).is_some()) {
            let tags = quantization::ContractionTags { is_quantized: "C28", storage: "C31", expressed: "C32", per_tensor: "C33", hybrid: "C34" };
            wrong.extend(quantization::contraction(lhs, rhs, &result, &tags));
            for (tag, e, want) in [("C29", &rhs.element, self.kernel_output_feature_dimension), ("C30", element, self.output_feature_dimension)] {
                if let Some(axis) = quantization::parameters(e).and_then(|q| q.axis).filter(|a| *a as i64 != want) {
                    wrong.push(format!("{tag}: quantized along dimension {axis}, must be {want}"));
                }
            }
        } else if !contraction::elements_fit(&lhs.element, &rhs.element, element) {
            wrong.push(format!("C27: products of {} and {} cannot be summed in {element}", lhs.element, rhs.element));
        }
        if wrong.is_empty() { Ok(vec![result.into()]) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], results: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        if quantization::involved(operands, results) {
            return quantization::dequantize_op_quantize(operands, results, cx, |o, r, cx| self.eval(o, r, cx));
        }
        let (lhs, rhs) = (shape::operand(operands, 0)?, shape::operand(operands, 1)?);
        let element = results.first().and_then(Type::as_tensor).map_or(lhs.element(), |t| &t.element);
        Ok(vec![self.plain(lhs, rhs, element, cx.planes)?.into()])
    }

    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let result = shape::operand(values, 0)?;
        let [Some(lhs), Some(rhs)] = [0, 1].map(|i| operands.get(i).and_then(|o| o.value.as_tensor())) else {
            return Err(Stop::internal("convolution without operands"));
        };
        let k = self.patches(lhs, rhs)?.k() + 1;
        let bound = contraction::bound(operands, result, k, 0.0, |a, b| self.plain(a, b, &ElementType::F64, Planes::IeeeOnly))?;
        Ok(vec![bound])
    }

    fn sample(s: &mut Sampler) -> Program {
        let n = s.range(0, 2) as usize;
        let groups = s.range(1, 2);
        let (batch, features, outputs) = (s.range(1, 3), groups * s.range(1, 2), groups * s.range(1, 3));
        let each = |s: &mut Sampler, low, high| -> Vec<i64> { (0..n).map(|_| s.range(low, high) as i64).collect() };
        let (input, kernel) = (each(s, 3, s.size.clamp(3, 6)), each(s, 1, 3));
        let spatial: Vec<i64> = (1..=n as i64).collect();
        let op = Convolution {
            window_strides: each(s, 1, 2),
            padding: (0..2 * n).map(|_| s.range(0, 2) as i64).collect(),
            lhs_dilation: each(s, 1, 2),
            rhs_dilation: each(s, 1, 2),
            window_reversal: (0..n).map(|_| s.range(0, 3) == 0).collect(),
            input_batch_dimension: 0,
            input_feature_dimension: n as i64 + 1,
            input_spatial_dimensions: spatial.clone(),
            kernel_input_feature_dimension: n as i64 + 1,
            kernel_output_feature_dimension: 0,
            kernel_spatial_dimensions: spatial.clone(),
            output_batch_dimension: 0,
            output_feature_dimension: n as i64 + 1,
            output_spatial_dimensions: spatial,
            feature_group_count: groups as i64,
            batch_group_count: 1,
            precision_config: None,
        };
        let element = s.element(|e| *e != ElementType::F8E8M0FNU);
        let dims = |first: u64, middle: &[i64], last: u64| -> Vec<u64> { [first].into_iter().chain(middle.iter().map(|d| *d as u64)).chain([last]).collect() };
        let lhs = Type::tensor(dims(batch, &input, features), element.clone());
        let rhs = Type::tensor(dims(outputs, &kernel, features / groups), element);
        Sampler::single(op, &[lhs, rhs], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Events, NoRegions};

    /// ((i * a + b) mod m) - m / 2 for every element.
    fn pattern(dims: &[u64], element: &ElementType, [a, b, m]: [i64; 3]) -> Tensor {
        let n = dims.iter().product::<u64>() as i64;
        Tensor::from_i64s(dims, element, &(0..n).map(|i| (i * a + b) % m - m / 2).collect::<Vec<_>>())
    }

    /// One spatial dimension, all dimensions in the order of their first use: batch, spatial, feature x spatial, input, output -> batch, spatial, feature.
    fn plain() -> Convolution {
        Convolution {
            window_strides: vec![1],
            padding: vec![0, 0],
            lhs_dilation: vec![1],
            rhs_dilation: vec![1],
            window_reversal: vec![false],
            input_batch_dimension: 0,
            input_feature_dimension: 2,
            input_spatial_dimensions: vec![1],
            kernel_input_feature_dimension: 1,
            kernel_output_feature_dimension: 2,
            kernel_spatial_dimensions: vec![0],
            output_batch_dimension: 0,
            output_feature_dimension: 2,
            output_spatial_dimensions: vec![1],
            feature_group_count: 1,
            batch_group_count: 1,
            precision_config: None,
        }
    }

    fn planar() -> Convolution {
        Convolution {
            window_strides: vec![1, 1],
            padding: vec![0; 4],
            lhs_dilation: vec![1, 1],
            rhs_dilation: vec![1, 1],
            window_reversal: vec![false, false],
            input_feature_dimension: 3,
            input_spatial_dimensions: vec![1, 2],
            kernel_input_feature_dimension: 2,
            kernel_output_feature_dimension: 3,
            kernel_spatial_dimensions: vec![0, 1],
            output_feature_dimension: 3,
            output_spatial_dimensions: vec![1, 2],
            ..plain()
        }
    }

    /// Inferred type and values; for floats the ring plane must hold the same integers.
    fn eval(op: &Convolution, lhs: &Tensor, rhs: &Tensor) -> (Vec<u64>, Vec<i64>) {
        let types = [lhs.ty().into(), rhs.ty().into()];
        let results = op.infer(&InferContext { operands: &types, declared: &[], regions: &[] }).unwrap();
        let operands = [lhs.clone().with_embedded_ring().into(), rhs.clone().with_embedded_ring().into()];
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let Value::Tensor(t) = op.eval(&operands, &results, &mut cx).unwrap().remove(0) else { panic!() };
        assert_eq!(Type::from(t.ty()), results[0]);
        assert_eq!(t.clone().with_ring(None).with_embedded_ring(), t);
        (t.dims().to_vec(), t.to_i64s().into_owned())
    }

    #[test]
    fn the_example_of_the_specification() {
        let lhs = Tensor::from_i64s(&[1, 4, 4, 1], &ElementType::I64, &[1, 2, 5, 6, 3, 4, 7, 8, 10, 11, 14, 15, 12, 13, 16, 17]);
        let rhs = Tensor::from_i64s(&[3, 3, 1, 1], &ElementType::I64, &[1; 9]);
        let op = Convolution { window_strides: vec![4, 4], lhs_dilation: vec![2, 2], ..planar() };
        assert_eq!(eval(&op, &lhs, &rhs), (vec![1, 2, 2, 1], vec![10, 26, 46, 62]));
    }

    #[test]
    fn strides_padding_and_both_dilations_as_jax_has_them() {
        let op = Convolution { window_strides: vec![2, 1], padding: vec![1, 2, 0, 1], lhs_dilation: vec![1, 2], rhs_dilation: vec![2, 1], ..planar() };
        let (lhs, rhs) = (pattern(&[2, 5, 4, 2], &ElementType::F32, [7, 3, 11]), pattern(&[3, 2, 2, 3], &ElementType::F32, [5, 1, 7]));
        let want = [
            -18, -2, 0, 2, -6, -14, -6, -14, 6, -15, 17, 7, 17, 7, -10, -10, 7, 17, 7, 17, -15, 0, 9, -10, -14, 6, 12, 6, 12, -10, 7, -10, 15, -10, 15, 12, 17,
            -15, -26, -15, -26, 12, 13, 11, -12, 14, 3, -1, 3, -1, 16, 8, -18, -2, -18, -2, 0, 2, -6, -14, -6, -14, 6, -12, 14, 12, -1, 16, -16, 16, -16, 1, -2, 0,
            9, 0, 9, -10, -14, 6, 12, 6, 12, -10,
        ];
        assert_eq!(eval(&op, &lhs, &rhs), (vec![2, 2, 7, 3], want.to_vec()));
    }

    #[test]
    fn feature_groups_negative_padding_and_other_layouts_as_jax_has_them() {
        let op = Convolution {
            padding: vec![-1, 2],
            input_feature_dimension: 1,
            input_spatial_dimensions: vec![2],
            kernel_output_feature_dimension: 0,
            kernel_input_feature_dimension: 1,
            kernel_spatial_dimensions: vec![2],
            output_spatial_dimensions: vec![0],
            output_batch_dimension: 1,
            feature_group_count: 2,
            ..plain()
        };
        let (lhs, rhs) = (pattern(&[2, 4, 4], &ElementType::BF16, [3, 2, 9]), pattern(&[6, 2, 3], &ElementType::BF16, [4, 0, 5]));
        let want = [
            4, 8, -8, -3, 11, 10, -20, 14, 13, 6, -10, 4, -13, 6, 10, 2, -5, 8, 2, -12, 4, -1, -2, -13, 4, -5, -4, -4, -6, -8, -2, -2, -7, 2, 3, 4,
        ];
        assert_eq!(eval(&op, &lhs, &rhs), (vec![3, 2, 6], want.to_vec()));
    }

    #[test]
    fn batch_groups_as_jax_has_them() {
        let op = Convolution { batch_group_count: 2, ..plain() };
        let (lhs, rhs) = (pattern(&[4, 5, 2], &ElementType::F32, [3, 1, 9]), pattern(&[3, 2, 4], &ElementType::F32, [4, 0, 5]));
        let want = [-3, -3, -6, -6, -6, 9, 9, -6, 9, -6, -3, 12, 9, -6, -3, 12, -3, -3, -6, -6, -6, 9, 9, -6];
        assert_eq!(eval(&op, &lhs, &rhs), (vec![2, 3, 4], want.to_vec()));
    }

    #[test]
    fn a_reversed_window_is_a_reversed_kernel() {
        let lhs = Tensor::from_i64s(&[1, 4, 1], &ElementType::I32, &[1, 10, 100, 1000]);
        let rhs = Tensor::from_i64s(&[2, 1, 1], &ElementType::I32, &[2, 3]);
        assert_eq!(eval(&plain(), &lhs, &rhs).1, [32, 320, 3200]);
        assert_eq!(eval(&Convolution { window_reversal: vec![true], ..plain() }, &lhs, &rhs).1, [23, 230, 2300]);
    }

    #[test]
    fn windows_that_never_fit_give_an_empty_result() {
        let (lhs, rhs) = (pattern(&[1, 2, 1], &ElementType::F32, [1, 0, 5]), pattern(&[3, 1, 1], &ElementType::F32, [1, 0, 5]));
        assert_eq!(eval(&plain(), &lhs, &rhs), (vec![1, 0, 1], vec![]));
    }

    #[test]
    fn the_bound_counts_the_terms() {
        let (lhs, rhs) = (Tensor::splat_f64(&[1, 3, 1], &ElementType::F32, 0.1), Tensor::splat_f64(&[3, 1, 1], &ElementType::F32, 0.7));
        let operands = [lhs.clone().into(), rhs.clone().into()];
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeOnly, runner: &mut runner, events: &mut events };
        let values = plain().eval(&operands, &[Type::tensor([1, 1, 1], ElementType::F32)], &mut cx).unwrap();
        let bounded = [0, 1].map(|i| Bounded { value: &operands[i], error: &Bound::Exact });
        let at = plain().bound(&bounded, &[], &values, &mut cx).unwrap()[0].at(0);
        let u = 2f64.powi(-24);
        assert!(at >= 3.0 * u * 0.2099 && at <= 5.0 * u * 0.2101, "{at}");
    }

    #[test]
    fn each_constraint_is_checked() {
        let f = |dims: &[u64]| Type::tensor(dims.iter().copied(), ElementType::F32);
        let check = |tag: &str, op: Convolution, lhs: Type, rhs: Type, declared: &[Type]| {
            let all = op.infer(&InferContext { operands: &[lhs, rhs], declared, regions: &[] }).unwrap_err();
            assert!(all.iter().any(|m| m.starts_with(&format!("{tag}:"))), "{tag}: {all:?}");
        };
        let (lhs, rhs) = (f(&[4, 8, 4]), f(&[3, 4, 6]));
        check("C1", plain(), f(&[4, 8, 4, 1]), rhs.clone(), &[]);
        let p = plain;
        for (tag, op) in [
            ("C2", Convolution { window_strides: vec![], ..p() }),
            ("C3", Convolution { window_strides: vec![0], ..p() }),
            ("C4", Convolution { padding: vec![0], ..p() }),
            ("C5", Convolution { lhs_dilation: vec![1, 1], ..p() }),
            ("C6", Convolution { lhs_dilation: vec![0], ..p() }),
            ("C7", Convolution { rhs_dilation: vec![], ..p() }),
            ("C8", Convolution { rhs_dilation: vec![-1], ..p() }),
            ("C9", Convolution { window_reversal: vec![], ..p() }),
            ("C10", Convolution { batch_group_count: 3, ..p() }),
            ("C11", Convolution { feature_group_count: 3, ..p() }),
            ("C12", Convolution { input_spatial_dimensions: vec![], ..p() }),
            ("C13", Convolution { input_batch_dimension: 1, ..p() }),
            ("C14", Convolution { feature_group_count: 2, ..p() }),
            ("C15", Convolution { batch_group_count: 4, ..p() }),
            ("C16", Convolution { feature_group_count: 4, ..p() }),
            ("C17", Convolution { kernel_spatial_dimensions: vec![0, 1], ..p() }),
            ("C18", Convolution { kernel_spatial_dimensions: vec![3], ..p() }),
            ("C19", Convolution { output_spatial_dimensions: vec![], ..p() }),
            ("C20", Convolution { output_batch_dimension: -1, ..p() }),
            ("C21", Convolution { feature_group_count: 0, ..p() }),
            ("C22", Convolution { batch_group_count: -2, ..p() }),
            ("C23", Convolution { batch_group_count: 2, feature_group_count: 2, ..p() }),
            ("C24", Convolution { precision_config: Some(vec![Precision::High]), ..p() }),
        ] {
            check(tag, op, lhs.clone(), rhs.clone(), &[]);
        }
        check("C27", plain(), lhs.clone(), rhs.clone(), &[Type::tensor([4, 6, 6], ElementType::I32)]);
    }

    #[test]
    fn each_quantization_constraint_is_checked() {
        let q = |storage: ElementType, axis: Option<u64>, n: usize, expressed: ElementType| {
            let (storage_min, storage_max, scales, zero_points) = (-128, 127, vec![0.5; n], vec![0; n]);
            ElementType::Quantized(std::sync::Arc::new(crate::types::QuantizedType { storage, storage_min, storage_max, expressed, axis, scales, zero_points }))
        };
        let q8 = || q(ElementType::I8, None, 1, ElementType::F32);
        let check = |tag: &str, lhs: ElementType, rhs: ElementType, result: ElementType| {
            let operands = [Type::tensor([4, 8, 4], lhs), Type::tensor([3, 4, 6], rhs)];
            let all = plain().infer(&InferContext { operands: &operands, declared: &[Type::tensor([4, 6, 6], result)], regions: &[] }).unwrap_err();
            assert!(all.iter().any(|m| m.starts_with(&format!("{tag}:"))), "{tag}: {all:?}");
        };
        check("C28", q8(), ElementType::F32, q8());
        check("C29", q8(), q(ElementType::I8, Some(0), 3, ElementType::F32), q8());
        check("C30", q8(), q(ElementType::I8, Some(2), 6, ElementType::F32), q(ElementType::I8, Some(0), 4, ElementType::F32));
        check("C31", q8(), q(ElementType::I16, None, 1, ElementType::F32), q8());
        check("C32", q8(), q8(), q(ElementType::I8, None, 1, ElementType::BF16));
        check("C33", q8(), q8(), q(ElementType::I8, Some(2), 6, ElementType::F32));
        check("C34", ElementType::BF16, q8(), ElementType::BF16);
    }
}
