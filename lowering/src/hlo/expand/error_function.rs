//! erf and erfc by polynomials and quotients of polynomials (Cephes' ndtr and ndtrf; erf in single precision as Eigen and XLA have it).

// The constants stand as published.
#![allow(clippy::excessive_precision)]

use super::formula::{Formula, Term};
use tileproof_dialect::{hlo::compare::Direction, types::ElementType};

pub fn erf(f: &mut Formula, x: &[Term]) -> Term {
    f.at_least_f32(x, |f, x| {
        if *f.element() == ElementType::F64 {
            let small = erf_below_one_f64(f, x[0]);
            let one = f.constant(1.0);
            let rest = erfc_above_one_f64(f, x[0], exp_of_rounded_square);
            let large = f.subtract(one, rest);
            by_magnitude(f, x[0], small, large)
        } else {
            erf_f32(f, x[0])
        }
    })
}

pub fn erfc(f: &mut Formula, x: &[Term]) -> Term {
    erfc_by(f, x, exp_of_split_square)
}

pub fn erfc_of_xla(f: &mut Formula, x: &[Term]) -> Term {
    erfc_by(f, x, exp_of_rounded_square)
}

/// `exp` gives exp(-x^2).
fn erfc_by(f: &mut Formula, x: &[Term], exp: Exp) -> Term {
    f.at_least_f32(x, |f, x| {
        let x = x[0];
        let (erf, large) = if *f.element() == ElementType::F64 {
            (erf_below_one_f64(f, x), erfc_above_one_f64(f, x, exp))
        } else {
            (erf_below_one_f32(f, x), erfc_above_one_f32(f, x, exp))
        };
        let one = f.constant(1.0);
        let small = f.subtract(one, erf);
        by_magnitude(f, x, small, large)
    })
}

/// exp(-x^2) from x and -x^2 rounded.
type Exp = fn(&mut Formula, Term, Term) -> Term;

/// As XLA has it: the rounding of x^2 costs up to x^2 / 2 units.
fn exp_of_rounded_square(f: &mut Formula, _: Term, z: Term) -> Term {
    f.exponential(z)
}

/// exp(-h^2) exp(-(x - h) (x + h)), where h is x to half its bits, so that h^2 and x - h are exact.
fn exp_of_split_square(f: &mut Formula, x: Term, _: Term) -> Term {
    let float = f.element().clone();
    let (bits, low) = match float {
        ElementType::F64 => (ElementType::I64, 27),
        _ => (ElementType::I32, 12),
    };
    let pattern = f.bitcast(x, &bits);
    let mask = f.integer(&bits, -1 << low);
    let kept = f.and(pattern, mask);
    let h = f.bitcast(kept, &float);
    let square = f.multiply(h, h);
    let square = f.negate(square);
    let (difference, sum) = (f.subtract(h, x), f.add(x, h));
    let rest = f.multiply(difference, sum);
    let (most, least) = (f.exponential(square), f.exponential(rest));
    f.multiply(most, least)
}

/// `small` where |x| < 1, else `large`.
fn by_magnitude(f: &mut Formula, x: Term, small: Term, large: Term) -> Term {
    let (a, one) = (f.abs(x), f.constant(1.0));
    let is_small = f.compare(a, Direction::Lt, one);
    f.select(is_small, small, large)
}

/// x T(x^2) / U(x^2).
fn erf_below_one_f64(f: &mut Formula, x: Term) -> Term {
    let square = f.multiply(x, x);
    let above = f.polynomial(square, &T_F64);
    let above = f.multiply(x, above);
    let below = f.polynomial(square, &U_F64);
    f.divide(above, below)
}

/// x T(x^2).
fn erf_below_one_f32(f: &mut Formula, x: Term) -> Term {
    let square = f.multiply(x, x);
    let series = f.polynomial(square, &T_F32);
    f.multiply(x, series)
}

/// x A(x^2) / B(x^2) on [-4, 4], clamped to [-1, 1].
fn erf_f32(f: &mut Formula, x: Term) -> Term {
    let (low, high) = (f.constant(-4.0), f.constant(4.0));
    let x = f.clamp(low, x, high);
    let square = f.multiply(x, x);
    let above = f.polynomial(square, &ALPHA_F32);
    let below = f.polynomial(square, &BETA_F32);
    let above = f.multiply(x, above);
    let quotient = f.divide(above, below);
    let (low, high) = (f.constant(-1.0), f.constant(1.0));
    f.clamp(low, quotient, high)
}

/// exp(-x^2) P(|x|) / Q(|x|) below 8, exp(-x^2) R(|x|) / S(|x|) beyond; 2 less that for negative x.
fn erfc_above_one_f64(f: &mut Formula, x: Term, exp: Exp) -> Term {
    let square = f.multiply(x, x);
    let z = f.negate(square);
    let e = exp(f, x, z);
    let a = f.abs(x);
    let eight = f.constant(8.0);
    let is_below_eight = f.compare(a, Direction::Lt, eight);
    let quotient = |f: &mut Formula, above: &[f64], below: &[f64]| {
        let above = f.polynomial(a, above);
        let above = f.multiply(e, above);
        let below = f.polynomial(a, below);
        f.divide(above, below)
    };
    let near = quotient(f, &P_F64, &Q_F64);
    let far = quotient(f, &R_F64, &S_F64);
    let positive = f.select(is_below_eight, near, far);
    clamped_and_reflected(f, x, z, positive, MAX_LOG_F64)
}

/// exp(-x^2) / |x| P(1 / x^2) below 2, exp(-x^2) / |x| R(1 / x^2) beyond; 2 less that for negative x.
fn erfc_above_one_f32(f: &mut Formula, x: Term, exp: Exp) -> Term {
    let square = f.multiply(x, x);
    let z = f.negate(square);
    let a = f.abs(x);
    let (one, two) = (f.constant(1.0), f.constant(2.0));
    let inverse_square = f.divide(one, square);
    let e = exp(f, x, z);
    let inverse = f.divide(one, a);
    let scaled = f.multiply(e, inverse);
    let is_below_two = f.compare(a, Direction::Lt, two);
    let near = f.polynomial(inverse_square, &P_F32);
    let far = f.polynomial(inverse_square, &R_F32);
    let series = f.select(is_below_two, near, far);
    let positive = f.multiply(scaled, series);
    clamped_and_reflected(f, x, z, positive, MAX_LOG_F32)
}

/// `positive`, but 0 where exp(z) underflows, and 2 less it for negative x.
fn clamped_and_reflected(f: &mut Formula, x: Term, z: Term, positive: Term, max_log: f64) -> Term {
    let (zero, two) = (f.constant(0.0), f.constant(2.0));
    let limit = f.constant(-max_log);
    let underflows = f.compare(z, Direction::Lt, limit);
    let positive = f.select(underflows, zero, positive);
    let is_negative = f.compare(x, Direction::Lt, zero);
    let negative = f.subtract(two, positive);
    f.select(is_negative, negative, positive)
}

/// Logarithms of the largest numbers.
const MAX_LOG_F32: f64 = 88.722_839_052_068_35;
const MAX_LOG_F64: f64 = 709.782_712_893_384;
/// erf below 1, single precision.
const T_F32: [f64; 7] = [
    7.85386146e-05,
    -0.000801019371,
    0.00518832775,
    -0.0268538129,
    0.112835854,
    -0.37612626,
    1.12837911,
];
/// erfc on [1, 2), single precision.
const P_F32: [f64; 9] = [
    0.0232682,
    -0.138703942,
    0.368742466,
    -0.582473278,
    0.621000469,
    -0.494451523,
    0.340488,
    -0.274112701,
    0.563825965,
];
/// erfc beyond 2, single precision.
const R_F32: [f64; 8] = [
    -10.477664,
    12.9772,
    -7.49551868,
    2.92101908,
    -1.01526523,
    0.42184633,
    -0.282076746,
    0.564189494,
];
/// erf, single precision.
const ALPHA_F32: [f64; 7] = [
    -2.72614225801306e-10,
    2.77068142495902e-08,
    -2.10102402082508e-06,
    -5.69250639462346e-05,
    -7.34990630326855e-04,
    -2.95459980854025e-03,
    -1.60960333262415e-02,
];
/// erf, single precision.
const BETA_F32: [f64; 5] = [
    -1.45660718464996e-05,
    -2.13374055278905e-04,
    -1.68282697438203e-03,
    -7.37332916720468e-03,
    -1.42647390514189e-02,
];
/// erf below 1, double precision.
const T_F64: [f64; 5] = [
    9.6049737398705162,
    90.026019720384269,
    2232.0053459468431,
    7003.3251411280507,
    55592.301301039493,
];
/// erf below 1, double precision.
const U_F64: [f64; 6] = [
    1.0,
    33.561714164750313,
    521.35794978015269,
    4594.3238297098014,
    22629.000061389095,
    49267.394260863592,
];
/// erfc on [1, 8), double precision.
const P_F64: [f64; 9] = [
    2.4619698147353052e-10,
    0.56418956483106886,
    7.4632105644226989,
    48.637197098568137,
    196.5208329560771,
    526.44519499547732,
    934.52852717195765,
    1027.5518868951572,
    557.53533536939938,
];
/// erfc on [1, 8), double precision.
const Q_F64: [f64; 9] = [
    1.0,
    13.228195115474499,
    86.707214088598974,
    354.93777888781989,
    975.70850174320549,
    1823.9091668790973,
    2246.3376081871097,
    1656.6630919416134,
    557.53534081772773,
];
/// erfc beyond 8, double precision.
const R_F64: [f64; 6] = [
    0.56418958354775506,
    1.275366707599781,
    5.0190504225118051,
    6.160210979930536,
    7.4097426995044895,
    2.9788666537210022,
];
/// erfc beyond 8, double precision.
const S_F64: [f64; 7] = [
    1.0,
    2.2605286322011726,
    9.3960352493800148,
    12.048953980809666,
    17.081445074756591,
    9.6089680906328585,
    3.3690764510008151,
];
