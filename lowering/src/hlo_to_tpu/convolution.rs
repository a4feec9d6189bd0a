//! `convolution`: matrix products of the padded input's parts with the kernel's, added up in f32.
//!
//! Either one product for each element of the window (rows: positions of the window; contracted: features), or, where the window has more elements than
//! there are positions, one for each position (contracted: window and features). Padding is 0 and takes part as such. Groups are a batch of products.

use super::{
    axes::Axes,
    dot_general::{accumulation, factor, finished, matmul},
    emitter::Emitter,
    form::Site,
    pad::{Amounts, pad_along},
    plan::lead,
    reverse::reversed,
};
use tileproof_dialect::{
    error::Error,
    hlo::{
        self,
        convolution::{Convolution, Window},
    },
    tensor::Tensor,
    tpu::KernelValue,
    types::ElementType,
};

/// Products that are written out in one kernel at most.
const MOST_PRODUCTS: u64 = 512;

fn convolution<'a>(site: &Site<'a>) -> Result<&'a Convolution, Error> {
    match site.op {
        hlo::Op::Convolution(c) => Ok(c),
        _ => Err(site.unsupported("no convolution")),
    }
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let c = convolution(site)?;
    let (lhs, rhs, result) = (site.operands[0], site.operands[1], site.results[0]);
    let wide = |d: i64| d as usize;
    if c.batch_group_count == 1 {
        let (from, to) = (
            wide(c.input_batch_dimension),
            wide(c.output_batch_dimension),
        );
        axes.join((lhs, from), (result, to));
    } else {
        axes.keep_whole(lhs, wide(c.input_batch_dimension));
        axes.keep_whole(result, wide(c.output_batch_dimension));
    }
    let features = (
        wide(c.kernel_output_feature_dimension),
        wide(c.output_feature_dimension),
    );
    if c.feature_group_count == 1 && c.batch_group_count == 1 {
        axes.join((rhs, features.0), (result, features.1));
    } else {
        axes.keep_whole(rhs, features.0);
        axes.keep_whole(result, features.1);
    }
    axes.keep_whole(lhs, wide(c.input_feature_dimension));
    axes.keep_whole(rhs, wide(c.kernel_input_feature_dimension));
    for s in 0..c.spatial_rank() {
        axes.keep_whole(lhs, wide(c.input_spatial_dimensions[s]));
        axes.keep_whole(rhs, wide(c.kernel_spatial_dimensions[s]));
        axes.keep_whole(result, wide(c.output_spatial_dimensions[s]));
    }
    Ok(())
}

/// Operands in one order, and what the products need to know of them.
struct Parts {
    /// `[batch, spatial.., features]`, padded and dilated.
    input: KernelValue,
    /// `[spatial.., input features, output features]`.
    kernel: KernelValue,
    windows: Vec<Window>,
    /// Positions of the window along each spatial dimension.
    positions: Vec<u64>,
    /// Elements of the window along each spatial dimension.
    sizes: Vec<u64>,
    batch_groups: u64,
    feature_groups: u64,
    sums: ElementType,
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let c = convolution(site)?;
    let parts = parts(site, e, c)?;
    let taps: u64 = parts.sizes.iter().product();
    let positions: u64 = parts.positions.iter().product();
    if taps.min(positions) > MOST_PRODUCTS {
        return Err(site.unsupported(format!(
            "a window of {taps} elements at {positions} positions"
        )));
    }
    // Rows `[groups, batch, positions, features]`.
    let result = if taps <= positions {
        by_taps(e, &parts, c)
    } else {
        by_positions(e, &parts, c)
    };
    let element = site.computation.element(site.results[0])?;
    let result = finished(e, result, &element);
    // [groups, batch, positions.., features] -> [batch, positions.., groups * features] -> the result's order.
    let dims = e.dims(result);
    let (groups, batch, features) = (dims[0], dims[1], dims[dims.len() - 1]);
    let rank = c.spatial_rank();
    let mut apart = vec![groups, batch];
    apart.extend(&parts.positions);
    apart.push(features);
    let result = e.shape_cast(result, &apart);
    let mut order: Vec<usize> = (1..rank + 2).collect();
    order.extend([0, rank + 2]);
    let result = e.transpose(result, &order);
    let mut joined = vec![batch];
    joined.extend(&parts.positions);
    joined.push(groups * features);
    let result = e.shape_cast(result, &joined);
    let mut places = vec![c.output_batch_dimension as usize];
    places.extend(c.output_spatial_dimensions.iter().map(|d| *d as usize));
    places.push(c.output_feature_dimension as usize);
    let mut order = vec![0; rank + 2];
    for (from, to) in places.iter().enumerate() {
        order[*to] = from;
    }
    let result = e.transpose(result, &order);
    let block = e.block_dims(site.results[0])?;
    Ok(vec![e.shape_cast(result, &block)])
}

fn parts(site: &Site<'_>, e: &mut Emitter<'_>, c: &Convolution) -> Result<Parts, Error> {
    let (lhs, rhs) = (site.operands[0], site.operands[1]);
    let rank = c.spatial_rank();
    let spatial = |dims: &[i64]| -> Vec<usize> { dims.iter().map(|d| *d as usize).collect() };
    let mut order = vec![c.input_batch_dimension as usize];
    order.extend(spatial(&c.input_spatial_dimensions));
    order.push(c.input_feature_dimension as usize);
    let input = e.value(lhs)?;
    let lead = lead(rank + 2);
    debug_assert_eq!(lead, 0);
    let input = e.transpose(input, &order);
    let mut order = spatial(&c.kernel_spatial_dimensions);
    order.push(c.kernel_input_feature_dimension as usize);
    order.push(c.kernel_output_feature_dimension as usize);
    let kernel = e.value(rhs)?;
    let kernel = e.transpose(kernel, &order);
    let sums = accumulation(&site.computation.element(site.results[0])?);
    let (a, b) = (e.element(input), e.element(kernel));
    let mut input = factor(e, input, &b, &sums);
    let mut kernel = factor(e, kernel, &a, &sums);
    let zero = Tensor::from_i64s(&[], &e.element(input), &[0]);
    let zero = e.splat(&[1], &zero);
    let windows: Vec<Window> = (0..rank).filter_map(|s| c.window(s)).collect();
    let (mut positions, mut sizes) = (vec![], vec![]);
    let mut backwards = vec![];
    for (s, w) in windows.iter().enumerate() {
        let (n, k) = (e.dims(input)[1 + s], e.dims(kernel)[s]);
        positions.push(w.positions(n as i64, k as i64) as u64);
        sizes.push(k);
        if w.reversed {
            backwards.push(s as u64);
        }
        let amounts = Amounts {
            low: w.low,
            high: w.high,
            interior: (w.lhs_dilation - 1) as u64,
        };
        if e.dims(input)[1 + s] > 0 {
            input = pad_along(e, input, zero, 1 + s, &amounts);
        }
    }
    kernel = reversed(e, kernel, backwards);
    if positions.contains(&0) {
        return Err(site.unsupported("no position of the window"));
    }
    Ok(Parts {
        input,
        kernel,
        windows,
        positions,
        sizes,
        batch_groups: c.batch_group_count as u64,
        feature_groups: c.feature_group_count as u64,
        sums,
    })
}

impl Parts {
    fn groups(&self) -> u64 {
        self.batch_groups * self.feature_groups
    }

    /// `[batch, rows.., features]` as `[groups, rows, features of a group]`.
    fn grouped_input(&self, e: &mut Emitter<'_>, part: KernelValue) -> KernelValue {
        let dims = e.dims(part);
        let (batch, features) = (dims[0], dims[dims.len() - 1]);
        let rows: u64 = dims[1..dims.len() - 1].iter().product();
        if self.feature_groups > 1 {
            let each = features / self.feature_groups;
            let apart = e.shape_cast(part, &[batch * rows, self.feature_groups, each]);
            e.transpose(apart, &[1, 0, 2])
        } else {
            let each = batch / self.batch_groups * rows;
            e.shape_cast(part, &[self.batch_groups, each, features])
        }
    }

    /// `[k, groups * features]` as `[groups, k, features]`.
    fn grouped_kernel(&self, e: &mut Emitter<'_>, part: KernelValue) -> KernelValue {
        let dims = e.dims(part);
        let features = dims[dims.len() - 1];
        let k: u64 = dims[..dims.len() - 1].iter().product();
        let apart = e.shape_cast(part, &[k, self.groups(), features / self.groups()]);
        e.transpose(apart, &[1, 0, 2])
    }

    /// Adds one product of grouped operands.
    fn add(
        &self,
        e: &mut Emitter<'_>,
        sum: Option<KernelValue>,
        (lhs, rhs): (KernelValue, KernelValue),
        c: &Convolution,
    ) -> KernelValue {
        let (a, b) = (e.dims(lhs), e.dims(rhs));
        let dims = [a[0], a[1], b[2]];
        let sum = sum.unwrap_or_else(|| {
            let zero = Tensor::from_i64s(&[], &self.sums, &[0]);
            e.splat(&dims, &zero)
        });
        let precision = c.precision_config.as_deref();
        if a[0] == 1 {
            let lhs = e.shape_cast(lhs, &a[1..]);
            let rhs = e.shape_cast(rhs, &b[1..]);
            return matmul(e, lhs, rhs, sum, precision);
        }
        matmul(e, lhs, rhs, sum, precision)
    }
}

/// All coordinates of a box, last fastest.
pub fn coordinates(sizes: &[u64]) -> Vec<Vec<u64>> {
    let count: u64 = sizes.iter().product();
    (0..count)
        .map(|mut n| {
            let mut at = vec![0; sizes.len()];
            for (i, size) in sizes.iter().enumerate().rev() {
                at[i] = n % size;
                n /= size;
            }
            at
        })
        .collect()
}

fn by_taps(e: &mut Emitter<'_>, parts: &Parts, c: &Convolution) -> KernelValue {
    let (input, kernel) = (e.dims(parts.input), e.dims(parts.kernel));
    let rank = parts.windows.len();
    let mut sum = None;
    for tap in coordinates(&parts.sizes) {
        let (mut offsets, mut sizes, mut strides) = (vec![0], vec![input[0]], vec![1]);
        for (s, tap) in tap.iter().enumerate().take(rank) {
            offsets.push(tap * parts.windows[s].rhs_dilation as u64);
            sizes.push(parts.positions[s]);
            strides.push(parts.windows[s].stride as u64);
        }
        offsets.push(0);
        sizes.push(input[rank + 1]);
        strides.push(1);
        let part = e.slice(parts.input, &offsets, &sizes, &strides);
        let lhs = parts.grouped_input(e, part);
        let mut at = tap.clone();
        at.extend([0, 0]);
        let mut one = vec![1; rank];
        one.extend(&kernel[rank..]);
        let part = e.slice(parts.kernel, &at, &one, &vec![1; rank + 2]);
        let part = e.shape_cast(part, &kernel[rank..]);
        let rhs = parts.grouped_kernel(e, part);
        sum = Some(parts.add(e, sum, (lhs, rhs), c));
    }
    let sum = sum.unwrap_or(parts.input);
    let dims = e.dims(sum);
    let positions: u64 = parts.positions.iter().product();
    e.shape_cast(sum, &[dims[0], dims[1] / positions, positions, dims[2]])
}

fn by_positions(e: &mut Emitter<'_>, parts: &Parts, c: &Convolution) -> KernelValue {
    let input = e.dims(parts.input);
    let rank = parts.windows.len();
    let kernel = e.dims(parts.kernel);
    let k: u64 = kernel[..=rank].iter().product();
    let flat = e.shape_cast(parts.kernel, &[k, kernel[rank + 1]]);
    let rhs = parts.grouped_kernel(e, flat);
    let mut rows = vec![];
    for position in coordinates(&parts.positions) {
        let (mut offsets, mut sizes, mut strides) = (vec![0], vec![input[0]], vec![1]);
        for (s, position) in position.iter().enumerate().take(rank) {
            offsets.push(position * parts.windows[s].stride as u64);
            sizes.push(parts.sizes[s]);
            strides.push(parts.windows[s].rhs_dilation as u64);
        }
        offsets.push(0);
        sizes.push(input[rank + 1]);
        strides.push(1);
        let part = e.slice(parts.input, &offsets, &sizes, &strides);
        // [groups, batch of a group, window * features of a group].
        let taps: u64 = parts.sizes.iter().product();
        let lhs = if parts.feature_groups > 1 {
            let each = input[rank + 1] / parts.feature_groups;
            let apart = e.shape_cast(part, &[input[0], taps, parts.feature_groups, each]);
            let apart = e.transpose(apart, &[2, 0, 1, 3]);
            e.shape_cast(apart, &[parts.feature_groups, input[0], taps * each])
        } else {
            let each = input[0] / parts.batch_groups;
            e.shape_cast(part, &[parts.batch_groups, each, taps * input[rank + 1]])
        };
        let sum = parts.add(e, None, (lhs, rhs), c);
        let dims = e.dims(sum);
        rows.push(e.shape_cast(sum, &[dims[0], dims[1], 1, dims[2]]));
    }
    e.concatenate(&rows, 2)
}
