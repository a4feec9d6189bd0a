//! The inverse of erf by polynomials in w = -log(1 - x^2) (M. Giles, "Approximating the erfinv function", 2011).

// The constants stand as published.
#![allow(clippy::excessive_precision)]

use super::formula::{Formula, Term};
use tileproof_dialect::{hlo::compare::Direction, types::ElementType};

/// w as -log((1 - |x|) (1 + |x|)) from 1/2 on, where 1 - |x| is exact and 1 - x^2 is not.
pub fn erf_inv(f: &mut Formula, x: &[Term]) -> Term {
    f.at_least_f32(x, |f, x| {
        let x = x[0];
        let near = log_of_one_minus_square(f, x);
        let (a, one, half) = (f.abs(x), f.constant(1.0), f.constant(0.5));
        let (below, above) = (f.subtract(one, a), f.add(a, one));
        let product = f.multiply(below, above);
        let far = f.log(product);
        let is_near = f.compare(a, Direction::Lt, half);
        let log = f.select(is_near, near, far);
        from_logarithm(f, x, log)
    })
}

/// w as -log1p(-x^2): near 1 the rounding of x^2 is all that is left.
pub fn erf_inv_of_xla(f: &mut Formula, x: &[Term]) -> Term {
    f.at_least_f32(x, |f, x| {
        let log = log_of_one_minus_square(f, x[0]);
        from_logarithm(f, x[0], log)
    })
}

fn log_of_one_minus_square(f: &mut Formula, x: Term) -> Term {
    let negative = f.negate(x);
    let square = f.multiply(x, negative);
    f.log_plus_one(square)
}

fn from_logarithm(f: &mut Formula, x: Term, log: Term) -> Term {
    let w = f.negate(log);
    let series = if *f.element() == ElementType::F64 {
        series_f64(f, w)
    } else {
        series_f32(f, w)
    };
    let result = f.multiply(series, x);
    let (a, one) = (f.abs(x), f.constant(1.0));
    let is_one = f.compare(a, Direction::Eq, one);
    let infinity = f.constant(f64::INFINITY);
    let infinite = f.multiply(x, infinity);
    f.select(is_one, infinite, result)
}

/// A polynomial in w - 2.5 below 5, in sqrt(w) - 3 beyond.
fn series_f32(f: &mut Formula, w: Term) -> Term {
    let (five, center, root_center) = (f.constant(5.0), f.constant(2.5), f.constant(3.0));
    let is_central = f.compare(w, Direction::Lt, five);
    let central = f.subtract(w, center);
    let root = f.sqrt(w);
    let tail = f.subtract(root, root_center);
    let w = f.select(is_central, central, tail);
    let mut sum = None;
    for (central, tail) in CENTRAL_F32.iter().zip(&TAIL_F32) {
        let (central, tail) = (f.constant(*central), f.constant(*tail));
        let c = f.select(is_central, central, tail);
        sum = Some(match sum {
            None => c,
            Some(sum) => {
                let product = f.multiply(sum, w);
                f.add(c, product)
            }
        });
    }
    sum.unwrap_or(w)
}

/// Polynomials in w - 3.125 below 6.25, in sqrt(w) - 3.25 below 16, in sqrt(w) - 5 beyond, of falling degree.
fn series_f64(f: &mut Formula, w: Term) -> Term {
    let (low, high) = (f.constant(6.25), f.constant(16.0));
    let is_central = f.compare(w, Direction::Lt, low);
    let is_below_16 = f.compare(w, Direction::Lt, high);
    let root = f.sqrt(w);
    let center = f.constant(3.125);
    let central = f.subtract(w, center);
    let (near_center, far_center) = (f.constant(3.25), f.constant(5.0));
    let root_center = f.select(is_below_16, near_center, far_center);
    let tail = f.subtract(root, root_center);
    let w = f.select(is_central, central, tail);
    let mut sum = None;
    for (i, c) in CENTRAL_F64.iter().enumerate() {
        let mut c = f.constant(*c);
        if let Some(near) = NEAR_F64.get(i) {
            let near = f.constant(*near);
            c = f.select(is_central, c, near);
        }
        if let Some(far) = FAR_F64.get(i) {
            let far = f.constant(*far);
            c = f.select(is_below_16, c, far);
        }
        sum = Some(match sum {
            None => c,
            Some(sum) => {
                let product = f.multiply(sum, w);
                let next = f.add(c, product);
                // Shorter series have ended.
                if i >= NEAR_F64.len() {
                    f.select(is_central, next, sum)
                } else if i >= FAR_F64.len() {
                    f.select(is_below_16, next, sum)
                } else {
                    next
                }
            }
        });
    }
    sum.unwrap_or(w)
}

/// w < 5, single precision.
const CENTRAL_F32: [f64; 9] = [
    2.81022636e-08,
    3.43273939e-07,
    -3.5233877e-06,
    -4.39150654e-06,
    0.00021858087,
    -0.00125372503,
    -0.00417768164,
    0.246640727,
    1.50140941,
];
/// w >= 5, single precision.
const TAIL_F32: [f64; 9] = [
    -0.000200214257,
    0.000100950558,
    0.00134934322,
    -0.00367342844,
    0.00573950773,
    -0.0076224613,
    0.00943887047,
    1.00167406,
    2.83297682,
];
/// w < 6.25, double precision.
const CENTRAL_F64: [f64; 23] = [
    -3.6444120640178196996e-21,
    -1.685059138182016589e-19,
    1.2858480715256400167e-18,
    1.115787767802518096e-17,
    -1.333171662854620906e-16,
    2.0972767875968561637e-17,
    6.6376381343583238325e-15,
    -4.0545662729752068639e-14,
    -8.1519341976054721522e-14,
    2.6335093153082322977e-12,
    -1.2975133253453532498e-11,
    -5.4154120542946279317e-11,
    1.051212273321532285e-09,
    -4.1126339803469836976e-09,
    -2.9070369957882005086e-08,
    4.2347877827932403518e-07,
    -1.3654692000834678645e-06,
    -1.3882523362786468719e-05,
    0.0001867342080340571352,
    -0.00074070253416626697512,
    -0.0060336708714301490533,
    0.24015818242558961693,
    1.6536545626831027356,
];
/// 6.25 <= w < 16, double precision.
const NEAR_F64: [f64; 19] = [
    2.2137376921775787049e-09,
    9.0756561938885390979e-08,
    -2.7517406297064545428e-07,
    1.8239629214389227755e-08,
    1.5027403968909827627e-06,
    -4.013867526981545969e-06,
    2.9234449089955446044e-06,
    1.2475304481671778723e-05,
    -4.7318229009055733981e-05,
    6.8284851459573175448e-05,
    2.4031110387097893999e-05,
    -0.0003550375203628474796,
    0.00095328937973738049703,
    -0.0016882755560235047313,
    0.0024914420961078508066,
    -0.0037512085075692412107,
    0.005370914553590063617,
    1.0052589676941592334,
    3.0838856104922207635,
];
/// w >= 16, double precision.
const FAR_F64: [f64; 17] = [
    -2.7109920616438573243e-11,
    -2.5556418169965252055e-10,
    1.5076572693500548083e-09,
    -3.7894654401267369937e-09,
    7.6157012080783393804e-09,
    -1.4960026627149240478e-08,
    2.9147953450901080826e-08,
    -6.7711997758452339498e-08,
    2.2900482228026654717e-07,
    -9.9298272942317002539e-07,
    4.5260625972231537039e-06,
    -1.9681778105531670567e-05,
    7.5995277030017761139e-05,
    -0.00021503011930044477347,
    -0.00013871931833623122026,
    1.0103004648645343977,
    4.8499064014085844221,
];
