//! `reduce_window`: along each dimension, windows of twice the size from two windows, then every stride-th one.
//!
//! A window of w elements is put together from windows of 1, 2, 4, .. elements, the binary digits of w: a sum over a window of a thousand takes ten steps.

use super::{
    axes::Axes,
    emitter::Emitter,
    form::Site,
    lanes,
    pad::{Amounts, pad_along},
    plan::lead,
    reduce::{accumulation, combining, refuse_functions},
};
use tileproof_dialect::{
    error::Error,
    hlo::{self, reduce_window::ReduceWindow},
    program::RegionId,
    tpu::{CombiningKind, KernelValue},
    types::ElementType,
};

fn window<'a>(site: &Site<'a>) -> Result<&'a ReduceWindow, Error> {
    match site.op {
        hlo::Op::ReduceWindow(w) => Ok(w),
        _ => Err(site.unsupported("no reduce_window")),
    }
}

fn is_trivial(w: &ReduceWindow, d: usize) -> bool {
    w.window_dimensions[d] == 1
        && w.window_strides[d] == 1
        && w.base_dilations[d] == 1
        && w.padding[2 * d] == 0
        && w.padding[2 * d + 1] == 0
}

pub fn divide(site: &Site<'_>, axes: &mut Axes) -> Result<(), Error> {
    let w = window(site)?;
    refuse_functions(site, site.computation.region(site.id, 0)?)?;
    let n = site.results.len();
    let rank = site.dims(site.operands[0])?.len();
    for i in 0..n {
        axes.join_all(site.operands[0], site.operands[i]);
        for d in 0..rank {
            if is_trivial(w, d) {
                axes.join((site.operands[i], d), (site.results[i], d));
            } else {
                axes.keep_whole(site.operands[i], d);
                axes.keep_whole(site.results[i], d);
            }
        }
    }
    Ok(())
}

pub fn emit(site: &Site<'_>, e: &mut Emitter<'_>) -> Result<Vec<KernelValue>, Error> {
    let w = window(site)?;
    let n = site.results.len();
    let region = site.computation.region(site.id, 0)?;
    let rank = site.dims(site.operands[0])?.len();
    let lead = lead(rank);
    let (mut values, mut inits) = (vec![], vec![]);
    for i in 0..n {
        let element = site.computation.element(site.results[i])?;
        let value = e.value(site.operands[i])?;
        values.push(e.convert(value, &element));
        let init = e.value(site.operands[n + i])?;
        let init = e.convert(init, &element);
        inits.push(e.shape_cast(init, &[1]));
    }
    let fold = Fold::new(site, e, region, n)?;
    values = fold.widened(e, values);
    inits = fold.widened(e, inits);
    for d in 0..rank {
        if is_trivial(w, d) {
            continue;
        }
        let amounts = Amounts {
            low: w.padding[2 * d],
            high: w.padding[2 * d + 1],
            interior: (w.base_dilations[d] - 1) as u64,
        };
        for (value, init) in values.iter_mut().zip(&inits) {
            *value = pad_along(e, *value, *init, lead + d, &amounts);
        }
        let size = w.window_dimensions[d] as u64;
        let dilation = w.window_dilations[d] as u64;
        let span = (size - 1) * dilation + 1;
        let have = e.dims(values[0])[lead + d];
        if have < span {
            return Err(site.unsupported("no position of the window"));
        }
        values = fold.windows(e, values, lead + d, size, dilation)?;
        let stride = w.window_strides[d] as u64;
        let count = (have - span) / stride + 1;
        for value in &mut values {
            *value = e.slice_along(*value, lead + d, 0, count, stride);
        }
    }
    let dims = e.dims(values[0]);
    let mut starts = vec![];
    for init in &inits {
        starts.push(e.broadcast(*init, &dims));
    }
    let values = fold.combine(e, &starts, &values)?;
    let mut out = vec![];
    for (value, result) in values.into_iter().zip(site.results) {
        let element = site.computation.element(*result)?;
        out.push(e.convert(value, &element));
    }
    Ok(out)
}

/// How elements are combined: by the region, or by its one op in a wider type.
struct Fold<'s, 'p> {
    site: &'s Site<'p>,
    region: RegionId,
    wide: Option<(CombiningKind, ElementType)>,
}

impl<'s, 'p> Fold<'s, 'p> {
    fn new(
        site: &'s Site<'p>,
        _: &Emitter<'_>,
        region: RegionId,
        n: usize,
    ) -> Result<Fold<'s, 'p>, Error> {
        let element = site.computation.element(site.results[0])?;
        let kind = (n == 1)
            .then(|| combining(site.program, region, &element))
            .flatten();
        let wide = kind
            .map(|kind| (kind, accumulation(kind, &element)))
            .filter(|(_, wide)| *wide != element);
        Ok(Fold { site, region, wide })
    }

    fn widened(&self, e: &mut Emitter<'_>, values: Vec<KernelValue>) -> Vec<KernelValue> {
        match &self.wide {
            Some((_, element)) => values.into_iter().map(|v| e.convert(v, element)).collect(),
            None => values,
        }
    }

    fn combine(
        &self,
        e: &mut Emitter<'_>,
        a: &[KernelValue],
        b: &[KernelValue],
    ) -> Result<Vec<KernelValue>, Error> {
        if let Some((kind, element)) = &self.wide {
            let op: hlo::Op = match kind {
                CombiningKind::Mul => hlo::multiply::Multiply.into(),
                _ => hlo::add::Add.into(),
            };
            return Ok(vec![e.elementwise(op, &[a[0], b[0]], element.clone())]);
        }
        let dims = e.dims(a[0]);
        let arguments: Vec<KernelValue> = a.iter().chain(b).copied().collect();
        lanes::region(e, self.site.program, self.region, &arguments, &dims)
    }

    /// Of `size` elements, `dilation` apart, along dimension `d`: at every position where all of them are there.
    fn windows(
        &self,
        e: &mut Emitter<'_>,
        values: Vec<KernelValue>,
        d: usize,
        size: u64,
        dilation: u64,
    ) -> Result<Vec<KernelValue>, Error> {
        // `power`: windows of `width` elements; `sum`: of `done` elements.
        let (mut power, mut width) = (values, 1u64);
        let mut sum: Option<(Vec<KernelValue>, u64)> = None;
        let mut rest = size;
        loop {
            if rest % 2 == 1 {
                sum = Some(match sum {
                    None => (power.clone(), width),
                    Some((low, done)) => {
                        // The elements of `low` come first, those of `power` behind them.
                        let both = self.joined(e, (&low, done), (&power, width), d, dilation)?;
                        (both, done + width)
                    }
                });
            }
            rest /= 2;
            if rest == 0 {
                break;
            }
            power = self.joined(e, (&power, width), (&power, width), d, dilation)?;
            width *= 2;
        }
        sum.map(|(values, _)| values)
            .ok_or_else(|| self.site.unsupported("a window without elements"))
    }

    fn joined(
        &self,
        e: &mut Emitter<'_>,
        low: (&[KernelValue], u64),
        high: (&[KernelValue], u64),
        d: usize,
        dilation: u64,
    ) -> Result<Vec<KernelValue>, Error> {
        let apart = low.1 * dilation;
        let have = e.dims(high.0[0])[d];
        let count = (have - apart).min(e.dims(low.0[0])[d]);
        let first: Vec<KernelValue> = low
            .0
            .iter()
            .map(|v| e.slice_along(*v, d, 0, count, 1))
            .collect();
        let second: Vec<KernelValue> = high
            .0
            .iter()
            .map(|v| e.slice_along(*v, d, apart, count, 1))
            .collect();
        self.combine(e, &first, &second)
    }
}
