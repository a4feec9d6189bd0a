//! Convolution as a dot: where each element of each patch of the input lies (im2col).

use crate::hlo::convolution::Convolution;
use crate::tensor::row_major_strides;
use std::ops::Range;

/// A convolution as `groups` dots of patches `[rows, k]` with kernels `[out_features, k]`. A row is one position of the window: (batch, output spatial
/// index); k runs over (kernel spatial index, input feature), features innermost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patches {
    pub groups: usize,
    /// Batches of the result.
    pub batch: usize,
    pub out_spatial: Vec<usize>,
    pub kernel_spatial: Vec<usize>,
    /// Input features of one group.
    pub in_features: usize,
    /// Output features of one group.
    pub out_features: usize,
    /// For each spatial dimension, `[out_spatial, kernel_spatial]`: offset of the input element under the window, or -1 in padding or between
    /// dilated elements.
    taps: Vec<Vec<i64>>,
    batch_stride: usize,
    feature_stride: usize,
    /// Distance of the inputs of two groups.
    group_stride: usize,
}

/// Number of positions of a window of `window` elements (already dilated) over `input` padded and dilated elements.
pub fn window_positions(input: i64, window: i64, stride: i64) -> i64 {
    if input <= 0 || window > input || stride <= 0 {
        0
    } else {
        (input - window) / stride + 1
    }
}

/// Elements covered by `size` elements that lie `dilation` apart.
pub fn dilated(size: i64, dilation: i64) -> i64 {
    if size == 0 {
        0
    } else {
        size.saturating_sub(1)
            .saturating_mul(dilation)
            .saturating_add(1)
    }
}

impl Patches {
    /// The patches of operands of these sizes; none when they do not fit the op.
    pub fn new(op: &Convolution, lhs_dims: &[u64], rhs_dims: &[u64]) -> Option<Patches> {
        let at = |dims: &[u64], d: i64| dims.get(d as usize).map(|n| *n as usize);
        let strides: Vec<usize> = row_major_strides(lhs_dims)
            .iter()
            .map(|s| *s as usize)
            .collect();
        let (batch_groups, feature_groups) = (
            op.batch_group_count.max(1) as usize,
            op.feature_group_count.max(1) as usize,
        );
        let groups = batch_groups * feature_groups;
        let batch = at(lhs_dims, op.input_batch_dimension)? / batch_groups;
        let in_features = at(lhs_dims, op.input_feature_dimension)? / feature_groups;
        if in_features != at(rhs_dims, op.kernel_input_feature_dimension)? {
            return None;
        }
        let out_features = at(rhs_dims, op.kernel_output_feature_dimension)? / groups;
        let batch_stride = *strides.get(op.input_batch_dimension as usize)?;
        let feature_stride = *strides.get(op.input_feature_dimension as usize)?;
        let mut patches = Patches {
            groups,
            batch,
            out_spatial: vec![],
            kernel_spatial: vec![],
            in_features,
            out_features,
            taps: vec![],
            batch_stride,
            feature_stride,
            group_stride: if batch_groups > 1 {
                batch * batch_stride
            } else {
                in_features * feature_stride
            },
        };
        for s in 0..op.spatial_rank() {
            let input = at(lhs_dims, op.input_spatial_dimensions[s])? as i64;
            let kernel = at(rhs_dims, op.kernel_spatial_dimensions[s])? as i64;
            let window = op.window(s)?;
            let positions = window.positions(input, kernel);
            let stride = *strides.get(op.input_spatial_dimensions[s] as usize)? as i64;
            let mut taps = Vec::with_capacity((positions * kernel) as usize);
            for o in 0..positions {
                for k in 0..kernel {
                    let k = if window.reversed { kernel - 1 - k } else { k };
                    let position = o * window.stride + k * window.rhs_dilation - window.low;
                    let inside = position >= 0
                        && position % window.lhs_dilation == 0
                        && position / window.lhs_dilation < input;
                    taps.push(if inside {
                        position / window.lhs_dilation * stride
                    } else {
                        -1
                    });
                }
            }
            patches.out_spatial.push(positions as usize);
            patches.kernel_spatial.push(kernel as usize);
            patches.taps.push(taps);
        }
        Some(patches)
    }

    /// Rows of one group: window positions of all batches.
    pub fn rows(&self) -> usize {
        self.batch * self.out_spatial.iter().product::<usize>()
    }

    /// Terms of one sum.
    pub fn k(&self) -> usize {
        self.kernel_spatial.iter().product::<usize>() * self.in_features
    }

    /// Linear index into lhs of every element of the rows `rows` of `group`, row-major `[rows, k]`; -1 for zeros.
    pub fn indices(&self, group: usize, rows: Range<usize>) -> Vec<i64> {
        let mut out = Vec::with_capacity(rows.len() * self.k());
        for row in rows {
            let mut left = row;
            let mut position = vec![0; self.out_spatial.len()];
            for (p, size) in position.iter_mut().zip(&self.out_spatial).rev() {
                *p = left % size;
                left /= size;
            }
            let base = (group * self.group_stride + left * self.batch_stride) as i64;
            self.window(&position, base, 0, &mut out);
        }
        out
    }

    /// Appends the elements under the window for spatial dimensions from `dimension` on; `base` is -1 outside the input.
    fn window(&self, position: &[usize], base: i64, dimension: usize, out: &mut Vec<i64>) {
        let Some(taps) = self.taps.get(dimension) else {
            let feature = |f: usize| {
                if base < 0 {
                    -1
                } else {
                    base + (f * self.feature_stride) as i64
                }
            };
            out.extend((0..self.in_features).map(feature));
            return;
        };
        let kernel = self.kernel_spatial[dimension];
        for tap in &taps[position[dimension] * kernel..][..kernel] {
            let next = if base < 0 || *tap < 0 { -1 } else { base + tap };
            self.window(position, next, dimension + 1, out);
        }
    }
}
