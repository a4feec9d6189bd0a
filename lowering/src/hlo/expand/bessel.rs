//! The exponentially scaled modified Bessel function of order one by Chebyshev series (Cephes' i1e and i1ef).

// The constants stand as published.
#![allow(clippy::excessive_precision)]

use super::formula::{Formula, Term};
use tileproof_dialect::{hlo::compare::Direction, types::ElementType};

/// |x| series(|x| / 2 - 2) up to 8, series(32 / |x| - 2) / sqrt(|x|) beyond, with the sign of x.
pub fn bessel_i1e(f: &mut Formula, x: &[Term]) -> Term {
    f.at_least_f32(x, |f, x| {
        let (near, far): (&[f64], &[f64]) = match f.element() {
            ElementType::F64 => (&NEAR_F64, &FAR_F64),
            _ => (&NEAR_F32, &FAR_F32),
        };
        let sign = f.sign(x[0]);
        let a = f.abs(x[0]);
        let (half, two) = (f.constant(0.5), f.constant(2.0));
        let (eight, bound) = (f.constant(8.0), f.constant(32.0));
        let is_near = f.compare(a, Direction::Le, eight);
        let scaled = f.multiply(a, half);
        let argument = f.subtract(scaled, two);
        let series = f.chebyshev(argument, near);
        let near = f.multiply(a, series);
        let inverse = f.divide(bound, a);
        let argument = f.subtract(inverse, two);
        let series = f.chebyshev(argument, far);
        let root = f.sqrt(a);
        let far = f.divide(series, root);
        let magnitude = f.select(is_near, near, far);
        f.multiply(sign, magnitude)
    })
}

/// On [0, 8], single precision.
const NEAR_F32: [f64; 17] = [
    9.38153732e-09,
    -4.44505908e-08,
    2.00329481e-07,
    -8.56872e-07,
    3.47025139e-06,
    -1.32731639e-05,
    4.78156508e-05,
    -0.000161760821,
    0.000512286,
    -0.00151357241,
    0.0041564228,
    -0.0105640851,
    0.0247264486,
    -0.0529459827,
    0.102643661,
    -0.176416516,
    0.252587199,
];
/// Beyond 8, single precision.
const FAR_F32: [f64; 7] = [
    -3.83538046e-09,
    -2.63146891e-08,
    -2.51223611e-07,
    -3.88256467e-06,
    -0.000110588939,
    -0.00976109784,
    0.778576255,
];
/// On [0, 8], double precision.
const NEAR_F64: [f64; 29] = [
    2.7779141127610464e-18,
    -2.111421214358166e-17,
    1.5536319577362005e-16,
    -1.1055969477353862e-15,
    7.6006842947354077e-15,
    -5.0421855047279118e-14,
    3.2237933659455748e-13,
    -1.9839743977649436e-12,
    1.1736186298890901e-11,
    -6.6634897235020271e-11,
    3.6255902815521172e-10,
    -1.8872497517228294e-09,
    9.3815373864957726e-09,
    -4.4450591287963281e-08,
    2.0032947535521353e-07,
    -8.5687202646954547e-07,
    3.4702513081376785e-06,
    -1.3273163656039436e-05,
    4.7815651075500542e-05,
    -0.00016176081582589674,
    0.00051228595616857576,
    -0.0015135724506312532,
    0.0041564229443128882,
    -0.010564084894626197,
    0.024726449030626516,
    -0.052945981208094989,
    0.10264365868984709,
    -0.17641651835783406,
    0.25258718644363365,
];
/// Beyond 8, double precision.
const FAR_F64: [f64; 25] = [
    7.5172963108421052e-18,
    4.4143483230717077e-18,
    -4.6503053684893586e-17,
    -3.2095259219934238e-17,
    2.96262899764595e-16,
    3.3082023109209285e-16,
    -1.8803547755107825e-15,
    -3.8144030724370075e-15,
    1.0420276984128802e-14,
    4.272440016711951e-14,
    -2.1015418427726643e-14,
    -4.0835511110921974e-13,
    -7.1985517762459084e-13,
    2.0356285441470896e-12,
    1.4125807436613782e-11,
    3.2526035830154884e-11,
    -1.8974958123505413e-11,
    -5.5897434621965838e-10,
    -3.835380385964237e-09,
    -2.6314688468895196e-08,
    -2.5122362378702088e-07,
    -3.8825648088776906e-06,
    -0.00011058893876262371,
    -0.0097610974913614687,
    0.77857623501828011,
];
