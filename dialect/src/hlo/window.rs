//! Sliding windows: sizes, checks, and folding a body over every window in batches.

use crate::{
    eval::Stop,
    hlo::{movement, pad, slice},
    tensor::{Tensor, count},
    types::Dim,
};

/// A window over a tensor: one entry per dimension in each list.
#[derive(Debug, Clone)]
pub struct Window {
    pub dimensions: Vec<i64>,
    pub strides: Vec<i64>,
    pub base_dilations: Vec<i64>,
    pub window_dilations: Vec<i64>,
    /// Low and high edge of each dimension.
    pub padding: Vec<(i64, i64)>,
}

/// A body on flat tensors of one length: the lanes.
pub type Body<'a> = dyn FnMut(usize, Vec<Tensor>) -> Result<Vec<Tensor>, Stop> + 'a;

/// Low and high edges from the flat attribute; a last odd entry is dropped.
pub fn padding_pairs(flat: &[i64]) -> Vec<(i64, i64)> {
    flat.chunks_exact(2).map(|p| (p[0], p[1])).collect()
}

/// Violations of "one positive entry per dimension", under the tags for the size and the sign.
pub fn positive(
    list: &[i64],
    rank: usize,
    name: &str,
    size_tag: &str,
    sign_tag: &str,
) -> Vec<String> {
    let mut wrong = vec![];
    if list.len() != rank {
        wrong.push(format!(
            "{size_tag}: {name} has {} entries for rank {rank}",
            list.len()
        ));
    }
    if list.iter().any(|v| *v <= 0) {
        wrong.push(format!("{sign_tag}: {name} {list:?} must be positive"));
    }
    wrong
}

/// Longest dimension of a window that is always folded one element after the other, as XLA on CPU and the interpreter of the specification do.
const IN_ORDER: i64 = 16;

impl Window {
    /// Size of the dilated window along dimension `d`.
    fn dilated(&self, d: usize) -> i128 {
        (i128::from(self.dimensions[d]) - 1) * i128::from(self.window_dilations[d]) + 1
    }

    /// Size of the dilated and padded operand along dimension `d`, whose size is `n`.
    fn padded(&self, d: usize, n: u64) -> i128 {
        let dilated = if n == 0 {
            0
        } else {
            (i128::from(n) - 1) * i128::from(self.base_dilations[d]) + 1
        };
        i128::from(self.padding[d].0) + dilated + i128::from(self.padding[d].1)
    }

    /// Number of windows along dimension `d` of size `n`.
    pub fn windows(&self, d: usize, n: u64) -> u64 {
        let room = self.padded(d, n) - self.dilated(d);
        if room < 0 || self.padded(d, n) <= 0 {
            0
        } else {
            u64::try_from(room / i128::from(self.strides[d]) + 1).unwrap_or(u64::MAX)
        }
    }

    /// Number of windows along each dimension; unknown where the size is.
    pub fn result_dims(&self, dims: &[Dim]) -> Vec<Dim> {
        let windows = |(d, size): (usize, &Dim)| match size {
            Dim::Static(n) => Dim::Static(self.windows(d, *n)),
            Dim::Dynamic { bound } => Dim::Dynamic {
                bound: bound.map(|n| self.windows(d, n)),
            },
        };
        dims.iter().enumerate().map(windows).collect()
    }

    /// The dilated operand with `value` as padding.
    pub fn pad(&self, x: &Tensor, value: &Tensor) -> Result<Tensor, Stop> {
        let (low, high): (Vec<i64>, Vec<i64>) = self.padding.iter().copied().unzip();
        let interior: Vec<i64> = self.base_dilations.iter().map(|d| d - 1).collect();
        pad::padded(x, value, &low, &high, &interior)
    }

    /// For each window, `body` folded over the padded `inputs` (of one shape) inside it, in row-major order, one after the other along dimensions of up to
    /// 16 and as some binary tree along longer ones; then body(init, fold).
    /// Without any window the result is empty.
    pub fn fold(
        &self,
        inputs: &[Tensor],
        inits: &[Tensor],
        body: &mut Body<'_>,
    ) -> Result<Vec<Tensor>, Stop> {
        let Some(first) = inputs.first() else {
            return Ok(vec![]);
        };
        let out: Vec<u64> = first
            .dims()
            .iter()
            .enumerate()
            .map(|(d, n)| self.windows(d, *n))
            .collect();
        let splat = |init: &Tensor, dims: &[u64]| init.strided(dims, 0, &vec![0; dims.len()]);
        if out.contains(&0) {
            return Ok(inits.iter().map(|init| splat(init, &out)).collect());
        }
        let mut slabs = inputs
            .iter()
            .zip(inits)
            .map(|(x, init)| self.pad(x, init))
            .collect::<Result<Vec<_>, _>>()?;
        // Innermost first: the inner folds are the leaves of the row-major order.
        for d in (0..out.len()).rev() {
            slabs = self.fold_dimension(d, out[d], slabs, body)?;
        }
        let lanes = count(&out);
        let arguments = inits
            .iter()
            .map(|init| splat(init, &[lanes as u64]))
            .chain(slabs.iter().map(|t| t.reshaped(&[lanes as u64])))
            .collect();
        Ok(body(lanes, arguments)?
            .iter()
            .map(|t| t.reshaped(&out))
            .collect())
    }

    /// Folds along dimension `d`, which becomes `windows` long. Either one batch per window offset, or batches over doubling spans, whichever has fewer
    /// lanes in all.
    fn fold_dimension(
        &self,
        d: usize,
        windows: u64,
        slabs: Vec<Tensor>,
        body: &mut Body<'_>,
    ) -> Result<Vec<Tensor>, Stop> {
        let (size, stride, dilation) = (
            self.dimensions[d],
            self.strides[d],
            self.window_dilations[d],
        );
        let at = |slabs: &[Tensor], offset: i64| -> Vec<Tensor> {
            slabs
                .iter()
                .map(|t| line(t, d, offset, stride, windows))
                .collect()
        };
        if size == 1 {
            return Ok(at(&slabs, 0));
        }
        let length = slabs.first().map_or(0, |t| t.dims()[d]);
        let levels = u64::from(63 - (size as u64).leading_zeros());
        let doubling = levels
            .saturating_mul(length)
            .saturating_add(u64::from(size.count_ones()).saturating_mul(windows));
        if size <= IN_ORDER || (size as u64 - 1).saturating_mul(windows) <= doubling {
            let mut folded = at(&slabs, 0);
            for k in 1..size {
                folded = apply(folded, at(&slabs, k * dilation), body)?;
            }
            return Ok(folded);
        }
        // spans[i] covers `span` elements from i on; the bits of the size give the pieces of a window, from its start.
        let (mut spans, mut span, mut offset, mut folded) = (slabs, 1, 0, None);
        loop {
            if size & span != 0 {
                let piece = at(&spans, offset * dilation);
                folded = Some(match folded {
                    None => piece,
                    Some(before) => apply(before, piece, body)?,
                });
                offset += span;
            }
            if span > size / 2 {
                return Ok(folded.unwrap_or(spans));
            }
            let length = spans.first().map_or(0, |t| t.dims()[d]) - (span * dilation) as u64;
            let shifted = |offset: i64| -> Vec<Tensor> {
                spans
                    .iter()
                    .map(|t| line(t, d, offset, 1, length))
                    .collect()
            };
            spans = apply(shifted(0), shifted(span * dilation), body)?;
            span *= 2;
        }
    }
}

/// Elements offset, offset + stride, .. of dimension `d`, `n` of them.
fn line(t: &Tensor, d: usize, offset: i64, stride: i64, n: u64) -> Tensor {
    let (mut start, mut steps, mut dims) =
        (vec![0; t.rank()], vec![1; t.rank()], t.dims().to_vec());
    (start[d], steps[d], dims[d]) = (offset, stride, n);
    slice::boxed(t, &start, &steps, &dims)
}

/// The body on two lists of tensors of one shape.
fn apply(a: Vec<Tensor>, b: Vec<Tensor>, body: &mut Body<'_>) -> Result<Vec<Tensor>, Stop> {
    let dims = a.first().map_or(vec![], |t| t.dims().to_vec());
    let lanes = count(&dims);
    let arguments = a
        .iter()
        .chain(&b)
        .map(|t| t.reshaped(&[lanes as u64]))
        .collect();
    Ok(body(lanes, arguments)?
        .iter()
        .map(|t| t.reshaped(&dims))
        .collect())
}

/// A fold of f64 tensors, for error bounds.
pub fn fold_f64(
    window: &Window,
    x: &[f64],
    dims: &[u64],
    init: f64,
    join: impl Fn(f64, f64) -> f64,
) -> Result<Vec<f64>, Stop> {
    use crate::types::ElementType::F64;
    let mut body = |lanes: usize, arguments: Vec<Tensor>| match &arguments[..] {
        [a, b] => {
            let joined: Vec<f64> = a
                .as_slice::<f64>()
                .iter()
                .zip(b.as_slice::<f64>())
                .map(|(a, b)| join(*a, *b))
                .collect();
            Ok(vec![Tensor::from_slice(&[lanes as u64], F64, &joined)])
        }
        _ => Err(movement::mismatch("a fold of one tensor")),
    };
    let out = window.fold(
        &[Tensor::from_slice(dims, F64, x)],
        &[Tensor::from_slice(&[], F64, &[init])],
        &mut body,
    )?;
    Ok(out.first().map_or(vec![], |t| t.as_slice::<f64>().to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Sampler;

    /// Of a short window the sum is that of a plain loop, to the last bit.
    #[test]
    fn short_windows_are_summed_in_order() {
        let x: Vec<f64> = (0..16).map(|i| 1.0 / (i as f64 + 0.3)).collect();
        let window = Window {
            dimensions: vec![16],
            strides: vec![1],
            base_dilations: vec![1],
            window_dilations: vec![1],
            padding: vec![(15, 0)],
        };
        let got = fold_f64(&window, &x, &[16], 0.0, |a, b| a + b).unwrap();
        let running: Vec<f64> = x
            .iter()
            .scan(0.0, |sum, v| {
                *sum += v;
                Some(*sum)
            })
            .collect();
        assert_eq!(got, running);
    }

    #[test]
    fn random_folds_agree_with_the_definition() {
        let mut s = Sampler::new(9, 9);
        for round in 0..400 {
            let n = s.range(0, 12);
            let w = Window {
                dimensions: vec![s.range(1, 9) as i64],
                strides: vec![s.range(1, 3) as i64],
                base_dilations: vec![s.range(1, 2) as i64],
                window_dilations: vec![s.range(1, 2) as i64],
                padding: vec![(s.range(0, 9) as i64 - 2, s.range(0, 9) as i64 - 2)],
            };
            let x: Vec<f64> = (0..n).map(|i| (i + 1) as f64).collect();
            // The padded line, element by element.
            let position = |p: i64| {
                let q = p - w.padding[0].0;
                let b = w.base_dilations[0];
                if q >= 0 && q % b == 0 && q / b < n as i64 {
                    x[(q / b) as usize]
                } else {
                    0.5
                }
            };
            let want: Vec<f64> = (0..w.windows(0, n) as i64)
                .map(|r| {
                    0.5 + (0..w.dimensions[0])
                        .map(|k| position(r * w.strides[0] + k * w.window_dilations[0]))
                        .sum::<f64>()
                })
                .collect();
            assert_eq!(
                fold_f64(&w, &x, &[n], 0.5, |a, b| a + b).unwrap(),
                want,
                "round {round}: {w:?} of {n}"
            );
        }
    }

    #[test]
    fn order_inside_a_window_is_kept() {
        // Keeping the right operand gives the last element of each window, which only an ordered fold does.
        let w = |dimensions: &[i64]| Window {
            dimensions: dimensions.to_vec(),
            strides: vec![1, 1],
            base_dilations: vec![1, 1],
            window_dilations: vec![1, 1],
            padding: vec![(0, 0), (0, 0)],
        };
        let x: Vec<f64> = (0..160).map(f64::from).collect();
        for dimensions in [[2, 2], [7, 11], [16, 1], [13, 10]] {
            let last = fold_f64(&w(&dimensions), &x, &[16, 10], -1.0, |_, b| b);
            let columns = 10 - dimensions[1] + 1;
            match last {
                Ok(out) if columns > 0 => assert_eq!(
                    out[0],
                    ((dimensions[0] - 1) * 10 + dimensions[1] - 1) as f64
                ),
                Ok(out) => assert!(out.is_empty()),
                Err(e) => panic!("{e:?}"),
            }
        }
    }

    #[test]
    fn extreme_numbers_do_not_overflow() {
        let w = Window {
            dimensions: vec![i64::MAX],
            strides: vec![i64::MAX],
            base_dilations: vec![i64::MAX],
            window_dilations: vec![i64::MAX],
            padding: vec![(i64::MIN, i64::MAX)],
        };
        assert_eq!(w.windows(0, 3), 0);
    }
}
