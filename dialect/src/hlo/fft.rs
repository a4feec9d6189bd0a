//! `fft`: discrete Fourier transforms of the last one to three dimensions.
//!
//! Meaning: FFT: X[k] = sum over j of x[j] exp(-2 pi i jk / n) along each dimension; IFFT: its inverse; RFFT: FFT of a real operand, the last dimension
//! cut to n / 2 + 1; IRFFT: the inverse of RFFT, the other half taken as conjugates.
//! Inputs I1 operand, I2 fft_type, I3 fft_length. Constraints: C1 size(fft_length) <= rank(operand); C2 element types: complex to complex, real to
//! complex (RFFT), complex to real (IRFFT); C3 1 to 3 lengths; C4 the real tensor's last sizes (FFT, IFFT: the operand's) are fft_length; C5 shapes
//! agree but for the last dimension.
//! Kind: arithmetic; the roots are opaque but for 1, -1, i, -i (see `fourier`). Numerics: in f64, rounded once.
//! Example: `%1 = hlo.fft %0 {fft_type = "FFT", fft_length = array<i64: 4>} : tensor<4xcomplex<f32>>`.

use crate::{
    attribute::{AttributeReader, Attributes},
    bound::{Bound, Bounded, complex_range, gamma, subnormal_roundoff, unit_roundoff},
    builder::Sampler,
    eval::{EvalContext, Stop, Trap},
    hlo::{
        contraction::magnitudes,
        fourier::{Direction, Transform, prime_factors},
        number::{self, ComplexNumber, Real},
        region_bound, shape,
    },
    op::{InferContext, Kind, OpDef},
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value, row_major_strides},
    types::{Dim, ElementType, TensorType, Type},
};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fft {
    pub fft_type: FftType,
    pub fft_length: Vec<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FftType {
    Fft,
    Ifft,
    Rfft,
    Irfft,
}

impl FftType {
    const WORDS: [(FftType, &'static str); 4] = [(FftType::Fft, "FFT"), (FftType::Ifft, "IFFT"), (FftType::Rfft, "RFFT"), (FftType::Irfft, "IRFFT")];

    pub fn word(self) -> &'static str {
        FftType::WORDS.iter().find(|(t, _)| *t == self).map_or("FFT", |(_, w)| w)
    }

    pub fn from_word(word: &str) -> Option<FftType> {
        FftType::WORDS.iter().find(|(_, w)| *w == word).map(|(t, _)| *t)
    }
}

/// Numbers under dimensions.
struct Grid {
    dims: Vec<u64>,
    numbers: Vec<ComplexNumber>,
}

impl Grid {
    /// Replaces every line along dimension `d` by `f` of it, which gives lines of `n` elements.
    fn along(&self, d: usize, n: usize, f: impl Fn(&[ComplexNumber]) -> Vec<ComplexNumber>) -> Grid {
        let stride = row_major_strides(&self.dims)[d] as usize;
        let old = self.dims[d] as usize;
        let mut dims = self.dims.clone();
        dims[d] = n as u64;
        let outer: usize = self.dims[..d].iter().product::<u64>() as usize;
        let mut numbers = vec![ComplexNumber { value: Default::default(), residue: [0, 0] }; outer * n * stride];
        for o in 0..outer {
            for i in 0..stride {
                let line: Vec<ComplexNumber> = (0..old).map(|j| self.numbers[(o * old + j) * stride + i]).collect();
                for (j, z) in f(&line).into_iter().take(n).enumerate() {
                    numbers[(o * n + j) * stride + i] = z;
                }
            }
        }
        Grid { dims, numbers }
    }

    fn transformed(&self, d: usize, direction: Direction, planes: Planes) -> Grid {
        let n = self.dims[d] as usize;
        let with_ring = planes == Planes::IeeeAndRing;
        let t = Transform::new(n, with_ring);
        self.along(d, n, |line| {
            let values: Vec<_> = line.iter().map(|z| z.value).collect();
            let values = t.ieee(&values, direction);
            let residues: Vec<_> = line.iter().map(|z| z.residue).collect();
            let residues = if with_ring { t.ring(&residues, direction) } else { residues };
            values.into_iter().zip(residues).map(|(value, residue)| ComplexNumber { value, residue }).collect()
        })
    }

    /// The first `n` elements along the last dimension.
    fn cut(&self, n: usize) -> Grid {
        self.along(self.dims.len() - 1, n, |line| line[..n.min(line.len())].to_vec())
    }

    /// A line of n elements whose second half is the conjugate of its first.
    fn extended(&self, n: usize) -> Grid {
        use crate::hlo::number::Number;
        self.along(self.dims.len() - 1, n, |line| {
            let at = |k: usize| if k < line.len() { line.get(k).copied() } else { line.get(n - k).map(|z| z.conj()) };
            (0..n).filter_map(at).collect()
        })
    }
}

/// Element type of the other side of a real transform.
fn counterpart(element: &ElementType) -> Option<ElementType> {
    match element {
        ElementType::F32 => Some(ElementType::C64),
        ElementType::F64 => Some(ElementType::C128),
        _ => element.complex_part(),
    }
}

impl Fft {
    fn transform(&self, operand: &Tensor, planes: Planes) -> Result<Grid, Stop> {
        let misfit = || Stop::Trap(Trap::ShapeMismatch(format!("fft of {} by {:?}", operand.ty(), self.fft_length)));
        let (rank, l) = (operand.rank(), self.fft_length.len());
        if l == 0 || l > rank {
            return Err(misfit());
        }
        let outer: Vec<usize> = (rank - l..rank - 1).collect();
        let mut grid = Grid { dims: operand.dims().to_vec(), numbers: number::complexes(operand) };
        match self.fft_type {
            FftType::Fft | FftType::Rfft => {
                grid = grid.transformed(rank - 1, Direction::Forward, planes);
                if self.fft_type == FftType::Rfft {
                    let n = grid.dims[rank - 1] as usize;
                    grid = grid.cut(if n == 0 { 0 } else { n / 2 + 1 });
                }
                for d in outer.into_iter().rev() {
                    grid = grid.transformed(d, Direction::Forward, planes);
                }
            }
            FftType::Ifft | FftType::Irfft => {
                for d in outer {
                    grid = grid.transformed(d, Direction::Inverse, planes);
                }
                if self.fft_type == FftType::Irfft {
                    let n = self.fft_length.last().and_then(|n| usize::try_from(*n).ok()).ok_or_else(misfit)?;
                    if grid.dims[rank - 1] as usize != if n == 0 { 0 } else { n / 2 + 1 } {
                        return Err(misfit());
                    }
                    grid = grid.extended(n);
                }
                grid = grid.transformed(rank - 1, Direction::Inverse, planes);
            }
        }
        Ok(grid)
    }
}

impl OpDef for Fft {
    const NAME: &'static str = "fft";
    const KIND: Kind = Kind::Arithmetic;

    fn from_attributes(reader: &mut AttributeReader<'_>) -> Fft {
        let word = reader.str("fft_type");
        let fft_type = FftType::from_word(&word).unwrap_or_else(|| {
            reader.reject(format!("I2: fft_type '{word}' must be FFT, IFFT, RFFT or IRFFT"));
            FftType::Fft
        });
        Fft { fft_type, fft_length: reader.ints("fft_length") }
    }

    fn to_attributes(&self) -> Attributes {
        Attributes::new().with("fft_type", self.fft_type.word()).with("fft_length", self.fft_length.clone())
    }

    fn infer(&self, cx: &InferContext<'_>) -> Result<Vec<Type>, Vec<String>> {
        let operand = shape::tensors(cx, 1)?[0];
        let (l, rank) = (self.fft_length.len(), operand.rank());
        let mut wrong = vec![];
        if l > rank {
            wrong.push(format!("C1: {l} lengths for an operand of rank {rank}"));
        }
        if !(1..=3).contains(&l) {
            wrong.push(format!("C3: {l} lengths, expected 1 to 3"));
        }
        if self.fft_length.iter().any(|n| *n < 0) {
            wrong.push(format!("C4: fft_length {:?} must not be negative", self.fft_length));
        }
        let real = self.fft_type == FftType::Rfft;
        let kind_fits = if real { matches!(operand.element, ElementType::F32 | ElementType::F64) } else { operand.element.is_complex() };
        if !kind_fits {
            wrong.push(format!("C2: {} of {operand}", self.fft_type.word()));
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut dims = operand.dims.clone();
        let half = |n: i64| if n == 0 { 0 } else { n as u64 / 2 + 1 };
        for (i, n) in self.fft_length.iter().enumerate() {
            let d = rank - l + i;
            let last = i + 1 == l;
            let want = if last && self.fft_type == FftType::Irfft { half(*n) } else { *n as u64 };
            if shape::join_dims(operand.dims[d], Dim::Static(want)).is_none() {
                let tag = if last && self.fft_type == FftType::Irfft { "C5" } else { "C4" };
                wrong.push(format!("{tag}: size {} of dimension {d} must be {want} for length {n}", operand.dims[d]));
            }
            if last {
                dims[d] = match self.fft_type {
                    FftType::Fft | FftType::Ifft => operand.dims[d],
                    FftType::Rfft => Dim::Static(half(*n)),
                    FftType::Irfft => Dim::Static(*n as u64),
                };
            }
        }
        let element = match self.fft_type {
            FftType::Fft | FftType::Ifft => operand.element.clone(),
            FftType::Rfft | FftType::Irfft => counterpart(&operand.element).unwrap_or(ElementType::C64),
        };
        if wrong.is_empty() { Ok(vec![TensorType { dims, element, layout: None }.into()]) } else { Err(wrong) }
    }

    fn eval(&self, operands: &[Value], _: &[Type], cx: &mut EvalContext<'_>) -> Result<Vec<Value>, Stop> {
        let operand = shape::operand(operands, 0)?;
        let grid = self.transform(operand, cx.planes)?;
        let other = counterpart(operand.element()).ok_or_else(|| Stop::unsupported(format!("fft of {}", operand.ty())))?;
        let result = match self.fft_type {
            FftType::Fft | FftType::Ifft => number::complex_tensor(&grid.dims, operand.element(), &grid.numbers, cx.planes),
            FftType::Rfft => number::complex_tensor(&grid.dims, &other, &grid.numbers, cx.planes),
            FftType::Irfft => {
                let parts: Vec<Real> = grid.numbers.iter().map(|z| Real { value: z.value.re, residue: z.residue[0] }).collect();
                number::real_tensor(&grid.dims, &other, &parts, cx.planes)
            }
        };
        Ok(vec![result.into()])
    }

    /// Rounding: at most ||X||_2 * gamma_(4 (sum of prime factors + 2)), by the norm of the whole transform (Higham, theorem 24.2, each radix p taken as
    /// sums of p terms); operands' errors add up in every element.
    fn bound(&self, operands: &[Bounded<'_>], _: &[Type], values: &[Value], _: &mut EvalContext<'_>) -> Result<Vec<Bound>, Stop> {
        let (Some(Bounded { value: Value::Tensor(x), error }), result) = (operands.first(), shape::operand(values, 0)?) else {
            return Ok(region_bound::undetermined(values));
        };
        let l = self.fft_length.len().min(x.rank());
        let size = |t: &Tensor| t.dims()[t.rank() - l..].iter().product::<u64>() as usize;
        let (n_in, n_out) = (size(x), size(result));
        if n_in == 0 || n_out == 0 {
            return Ok(vec![Bound::Exact]);
        }
        let real = if self.fft_type == FftType::Irfft { n_out } else { n_in };
        let levels: usize = self.fft_length.iter().map(|n| prime_factors(*n as usize).iter().sum::<usize>() + 2).sum();
        let g = gamma(4.0 * levels as f64, unit_roundoff(result.element()));
        let tiny = subnormal_roundoff(result.element()) * (4 * levels) as f64;
        let magnitude = magnitudes(x);
        let mut out = Vec::with_capacity(result.len());
        for (group, block) in magnitude.as_slice::<f64>().chunks_exact(n_in).enumerate() {
            // Half spectra count twice.
            let weight = if self.fft_type == FftType::Irfft { 2.0 } else { 1.0 };
            let norm = (weight * block.iter().map(|v| v * v).sum::<f64>()).sqrt();
            let carried: f64 = weight * (0..n_in).map(|i| error.at(group * n_in + i)).sum::<f64>();
            let scale = real as f64;
            let (rounding, carried) = match self.fft_type {
                FftType::Fft | FftType::Rfft => (g * norm * scale.sqrt(), carried),
                FftType::Ifft | FftType::Irfft => (g * norm / scale.sqrt(), carried / scale),
            };
            // Partial sums are at most the sum of all magnitudes, which may overflow where they cancel.
            let largest = weight * block.iter().filter(|v| v.is_finite()).sum::<f64>();
            let e = if largest > complex_range(x.element()).min(complex_range(result.element())) { f64::INFINITY } else { rounding + carried + tiny };
            out.extend(std::iter::repeat_n(if e.is_nan() { f64::INFINITY } else { e }, n_out));
        }
        Ok(vec![Bound::absolute(out)])
    }

    fn sample(s: &mut Sampler) -> Program {
        let l = s.range(1, 3) as usize;
        let fft_length: Vec<i64> = (0..l).map(|_| s.range(1, s.size) as i64).collect();
        let mut dims: Vec<u64> = (0..s.range(0, 1)).map(|_| s.range(1, 3)).collect();
        dims.extend(fft_length.iter().map(|n| *n as u64));
        let fft_type = s.pick(&FftType::WORDS).0;
        let wide = s.range(0, 1) == 0;
        let element = match (fft_type == FftType::Rfft, wide) {
            (true, true) => ElementType::F64,
            (true, false) => ElementType::F32,
            (false, true) => ElementType::C128,
            (false, false) => ElementType::C64,
        };
        if let (FftType::Irfft, Some(last)) = (fft_type, dims.last_mut()) {
            *last = *last / 2 + 1;
        }
        Sampler::single(Fft { fft_type, fft_length }, &[Type::tensor(dims, element)], &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Events, NoRegions};
    use num_complex::Complex;

    /// The operands numpy got: real part 7 i mod 5 - 2, imaginary part 3 i mod 7 - 3, as [2, 6].
    fn number(i: i64) -> Complex<f64> {
        Complex::new((i * 7 % 5 - 2) as f64, (i * 3 % 7 - 3) as f64)
    }

    fn eval(op: &Fft, operand: &Tensor) -> (Tensor, Bound) {
        let results = op.infer(&InferContext { operands: &[operand.ty().into()], declared: &[], regions: &[] }).unwrap();
        let (mut runner, mut events) = (NoRegions, Events::default());
        let mut cx = EvalContext { planes: Planes::IeeeAndRing, runner: &mut runner, events: &mut events };
        let value = Value::from(operand.clone().with_embedded_ring());
        let got = op.eval(std::slice::from_ref(&value), &results, &mut cx).unwrap();
        let bound = op.bound(&[Bounded { value: &value, error: &Bound::Exact }], &[], &got, &mut cx).unwrap().remove(0);
        let t = got[0].as_tensor().unwrap().clone();
        assert_eq!(Type::from(t.ty()), results[0]);
        (t, bound)
    }

    fn assert_close(got: &[Complex<f64>], want: &[(f64, f64)]) {
        assert_eq!(got.len(), want.len());
        for (i, (g, (re, im))) in got.iter().zip(want).enumerate() {
            assert!((g - Complex::new(*re, *im)).norm() < 2e-12, "{i}: {g}");
        }
    }

    fn op(fft_type: FftType, fft_length: &[i64]) -> Fft {
        Fft { fft_type, fft_length: fft_length.to_vec() }
    }

    #[test]
    fn complex_transforms_as_numpy_has_them() {
        let z: Vec<Complex<f64>> = (0..12).map(number).collect();
        let z = Tensor::from_slice(&[2, 6], ElementType::C128, &z);
        let (x, bound) = eval(&op(FftType::Fft, &[6]), &z);
        let want = [
            (-2.0, -1.0), (-0.901923788647, -8.098076211353), (-2.633974596216, -6.366025403784), (4.0, 5.0), (-4.366025403784, -4.633974596216),
            (-6.098076211353, -2.901923788647), (0.0, 2.0), (-1.964101615138, -4.598076211353), (-3.696152422707, 4.133974596216), (-6.0, -2.0),
            (6.696152422707, 5.866025403784), (4.964101615138, 0.598076211353),
        ];
        assert_close(x.as_slice(), &want);
        assert!(bound.at(0) > 1e-16 && bound.at(0) < 1e-13);
        let (back, _) = eval(&op(FftType::Ifft, &[6]), &x);
        assert!(back.as_slice::<Complex<f64>>().iter().zip(z.as_slice::<Complex<f64>>()).all(|(a, b)| (a - b).norm() < 1e-14));
        let (x, _) = eval(&op(FftType::Ifft, &[6]), &z);
        assert_close(&x.as_slice()[..3], &[(-0.333333333333, -0.166666666667), (-1.016346035226, -0.483653964774), (-0.727670900631, -0.772329099369)]);
    }

    #[test]
    fn real_transforms_as_numpy_has_them() {
        let x: Vec<f64> = (0..12).map(|i| number(i).re).collect();
        let (got, _) = eval(&op(FftType::Rfft, &[2, 6]), &Tensor::from_slice(&[2, 6], ElementType::F64, &x));
        let want = [(-2.0, 0.0), (-2.0, -5.196152422707), (-2.0, -1.732050807569), (-2.0, 0.0), (-2.0, 0.0), (-5.0, 0.0), (-5.0, 0.0), (10.0, 0.0)];
        assert_close(got.as_slice(), &want);
        // numpy.fft.irfft(z[:, :4], n) for even and odd n.
        let z: Vec<Complex<f64>> = [0, 1, 2, 3, 6, 7, 8, 9].map(number).to_vec();
        let z = Tensor::from_slice(&[2, 4], ElementType::C128, &z);
        let real = |n: i64| eval(&op(FftType::Irfft, &[n]), &z).0.as_slice::<f64>().iter().map(|v| Complex::new(*v, 0.0)).collect::<Vec<_>>();
        let even = [0.166666666667, -1.366025403784, 0.032692070451, 0.5, -1.699358737118, 0.366025403784, 0.5, 1.199358737118, 0.866025403784, -1.166666666667];
        assert_close(&real(6)[..10], &even.map(|v| (v, 0.0)));
        let odd = [0.0, -0.867135142125, -0.830173657937, 1.082835113503, -0.814549091975, -1.127213506442, 0.556236284976, 0.571428571429];
        assert_close(&real(7)[..8], &odd.map(|v| (v, 0.0)));
    }

    #[test]
    fn the_ring_transform_of_length_four_is_exact() {
        // Roots 1, -i, -1, i are exact: FFT of (1, 2, 3, 4) is (10, -2 + 2i, -2, -2 - 2i).
        let x = Tensor::from_slice(&[4], ElementType::F32, &[1f32, 2., 3., 4.]);
        let (y, _) = eval(&op(FftType::Rfft, &[4]), &x);
        assert_eq!(y.as_slice::<[f32; 2]>(), [[10., 0.], [-2., 2.], [-2., 0.]]);
        let z = Tensor::from_slice(&[4], ElementType::C64, &[[1f32, 0.], [2., 0.], [3., 0.], [4., 0.]]);
        let (full, _) = eval(&op(FftType::Fft, &[4]), &z);
        assert_eq!(full.clone().with_ring(None).with_embedded_ring(), full);
        assert_eq!(full.ring().unwrap()[..6], *y.ring().unwrap());
        let (back, _) = eval(&op(FftType::Irfft, &[4]), &Tensor::from_slice(&[3], ElementType::C64, y.as_slice::<[f32; 2]>()));
        assert_eq!((back.as_slice::<f32>(), back.ring()), (&[1f32, 2., 3., 4.][..], Some(&[1, 2, 3, 4][..])));
    }

    #[test]
    fn the_ring_is_linear_whatever_its_roots() {
        let line = |f: fn(i64) -> f64| Tensor::from_slice(&[5], ElementType::F64, &(0..5).map(f).collect::<Vec<_>>());
        let forward = |t: &Tensor| eval(&op(FftType::Rfft, &[5]), t).0.ring().unwrap().to_vec();
        let (a, b) = (forward(&line(|i| i as f64)), forward(&line(|i| (i * i) as f64)));
        let sum = forward(&line(|i| (i + i * i) as f64));
        assert!(sum.iter().zip(a.iter().zip(&b)).all(|(s, (a, b))| *s == crate::planes::ring::add(*a, *b)));
    }

    #[test]
    fn each_constraint_is_checked() {
        let infer = |o: Fft, dims: &[u64], e: ElementType| o.infer(&InferContext { operands: &[Type::tensor(dims.iter().copied(), e)], declared: &[], regions: &[] });
        let c = ElementType::C64;
        assert_eq!(infer(op(FftType::Irfft, &[0]), &[0], c.clone()), Ok(vec![Type::tensor([0], ElementType::F32)]));
        for (tag, got) in [
            ("C1", infer(op(FftType::Fft, &[4, 4]), &[4], c.clone())),
            ("C2", infer(op(FftType::Fft, &[4]), &[4], ElementType::F32)),
            ("C2", infer(op(FftType::Rfft, &[4]), &[4], c.clone())),
            ("C3", infer(op(FftType::Fft, &[]), &[4], c.clone())),
            ("C3", infer(op(FftType::Fft, &[2, 2, 2, 2]), &[2, 2, 2, 2], c.clone())),
            ("C4", infer(op(FftType::Rfft, &[5]), &[4], ElementType::F32)),
            ("C4", infer(op(FftType::Irfft, &[3, 4]), &[2, 3], c.clone())),
            ("C5", infer(op(FftType::Irfft, &[4]), &[4], c)),
        ] {
            assert!(got.unwrap_err()[0].starts_with(tag), "{tag}");
        }
    }
}
