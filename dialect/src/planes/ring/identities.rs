//! The identities of real functions that the ring keeps, and those it loses: each tested on random residues. docs/ring.md lists them.

use super::exponential::differ_by_turns;
use super::function::*;
use super::function_of_two::{atan2_residue, power};
use super::{
    NEGATIVE_INFINITY, P, POSITIVE_INFINITY, Residue, UNDEFINED, add, input, inv_residue, is_code,
    mul_residues, neg, pow_residue, sub,
};

fn at(f: Function, r: Residue, x: f64) -> Residue {
    let mut out = [0];
    assert_eq!(f(&[r], &[x], &mut out), 0);
    out[0]
}

/// f at a residue of a positive operand, in its domain for every function here but acosh.
fn f(function: Function, r: Residue) -> Residue {
    at(function, r, 0.5)
}

fn pow(r: Residue, s: Residue, y: f64) -> Residue {
    let mut out = [0];
    assert_eq!(power((&[r], &[0.5]), (&[s], &[y]), &mut out), 0);
    out[0]
}

#[test]
fn generator_powers_are_periodic() {
    assert_eq!(power_of_generator(0), 1);
    assert_eq!(power_of_generator(1), 7);
    assert_eq!(power_of_generator(2048), pow_residue(7, 2048));
    assert_eq!(power_of_generator(0x7654_3210), pow_residue(7, 0x7654_3210));
    assert_eq!(power_of_generator(u64::from(P - 1)), 1);
    // 7 is a generator: no proper divisor of p - 1 = 2 3^2 7 11 31 151 331 is a period.
    for prime in [2, 3, 7, 11, 31, 151, 331] {
        assert_ne!(pow_residue(7, u64::from(P - 1) / prime), 1);
    }
}

#[test]
fn kept_identities() {
    for i in 0..200 {
        let (r, s) = (input(1, 0, i), input(1, 1, i));
        let inverse = inv_residue(r);
        assert_eq!(mul_residues(f(exp, r), f(exp, neg(r))), 1);
        assert_eq!(f(exp_minus_one, r), sub(f(exp, r), 1));
        assert_eq!(add(f(log, r), f(log, inverse)), 0);
        assert_eq!(f(log, f(exp, r)), r);
        let (sum, product) = (f(exp, add(r, s)), mul_residues(f(exp, r), f(exp, s)));
        assert!(differ_by_turns(sum, product));
        let (of_product, logs) = (f(log, mul_residues(r, s)), add(f(log, r), f(log, s)));
        assert!(differ_by_turns(of_product, logs));
        assert_eq!(f(log_plus_one, r), f(log, add(1, r)));
        assert_eq!(mul_residues(f(logistic, r), add(1, f(exp, neg(r)))), 1);
        assert_eq!(add(f(logistic, r), f(logistic, neg(r))), 1);
        assert_eq!(add(f(tanh, r), 1), twice(f(logistic, twice(r))));
        assert_eq!(
            f(sqrt, mul_residues(r, s)),
            mul_residues(f(sqrt, r), f(sqrt, s))
        );
        assert_eq!(mul_residues(f(rsqrt, r), f(sqrt, r)), 1);
        assert_eq!(f(tan, r), mul_residues(f(sin, r), inv_residue(f(cos, r))));
        assert_eq!(f(erfc, r), sub(1, f(erf, r)));
        assert_eq!(twice(f(sinh, r)), sub(f(exp, r), f(exp, neg(r))));
        assert_eq!(twice(f(cosh, r)), add(f(exp, r), f(exp, neg(r))));
        assert_eq!(
            twice(f(atanh, r)),
            sub(f(log_plus_one, r), f(log_plus_one, neg(r)))
        );
        assert_eq!(f(atan, r), atan2_residue((r, 0.5), (1, 1.0)));
        for odd in [
            sin, tan, tanh, sinh, asinh, atanh, asin, atan, erf, erf_inv, cbrt, bessel_i1e,
        ] {
            assert_eq!(add(f(odd, r), at(odd, neg(r), -0.5)), 0);
            assert_eq!(at(odd, 0, 0.0), 0);
        }
        for even in [cos, cosh] {
            assert_eq!(f(even, r), f(even, neg(r)));
            assert_eq!(at(even, 0, 0.0), 1);
        }
        assert_eq!(pow(r, 2, 2.0), mul_residues(r, r));
        assert_eq!(pow(r, HALF, 0.5), f(sqrt, r));
        assert_eq!(pow(r, neg(HALF), -0.5), f(rsqrt, r));
        assert_eq!(mul_residues(pow(r, s, 0.3), pow(r, neg(s), -0.3)), 1);
    }
}

#[test]
fn lost_identities() {
    let (r, s) = (input(2, 0, 0), input(2, 1, 0));
    let square = |r| mul_residues(r, r);
    assert_ne!(add(square(f(sin, r)), square(f(cos, r))), 1);
    assert_ne!(f(exp, mul_residues(s, f(log, r))), pow(r, s, 0.3));
    assert_ne!(
        f(cbrt, mul_residues(r, s)),
        mul_residues(f(cbrt, r), f(cbrt, s))
    );
    // The square of a root is the number up to sign.
    let roots = (0..64)
        .map(|i| input(3, 0, i))
        .map(|r| (r, square(f(sqrt, r))));
    let (kept, lost): (Vec<_>, Vec<_>) = roots.partition(|(r, back)| r == back);
    assert!(!kept.is_empty() && lost.iter().all(|(r, back)| add(*r, *back) == 0));
}

#[test]
fn codes_arise_by_the_ieee_operand() {
    let r = input(4, 0, 0);
    for (function, x, want) in [
        (log as Function, 0.0, NEGATIVE_INFINITY),
        (log, -0.0, NEGATIVE_INFINITY),
        (log, -1.0, UNDEFINED),
        (log_plus_one, -1.0, NEGATIVE_INFINITY),
        (sqrt, -1.0, UNDEFINED),
        (rsqrt, 0.0, POSITIVE_INFINITY),
        (rsqrt, -0.0, NEGATIVE_INFINITY),
        (rsqrt, -2.0, UNDEFINED),
        (asin, 1.5, UNDEFINED),
        (acos, -1.5, UNDEFINED),
        (acosh, 0.5, UNDEFINED),
        (atanh, 1.5, UNDEFINED),
        (erf_inv, -1.0, NEGATIVE_INFINITY),
        (lgamma, -3.0, POSITIVE_INFINITY),
        (digamma, 0.0, UNDEFINED),
    ] {
        assert_eq!(at(function, r, x), want, "{x}");
    }
    // Overflow and underflow change no residue.
    assert!(!is_code(at(exp, r, f64::INFINITY)));
    assert!(!is_code(at(log, r, f64::NAN)));
}

#[test]
fn codes_in_codes_out() {
    const PLUS: Residue = POSITIVE_INFINITY;
    const MINUS: Residue = NEGATIVE_INFINITY;
    let minus_one = P - 1;
    for (function, at_plus, at_minus) in [
        (exp as Function, PLUS, 0),
        (exp_minus_one, PLUS, minus_one),
        (log, PLUS, UNDEFINED),
        (log_plus_one, PLUS, UNDEFINED),
        (sqrt, PLUS, UNDEFINED),
        (rsqrt, 0, UNDEFINED),
        (logistic, 1, 0),
        (tanh, 1, minus_one),
        (sin, UNDEFINED, UNDEFINED),
        (cos, UNDEFINED, UNDEFINED),
        (tan, UNDEFINED, UNDEFINED),
        (sinh, PLUS, MINUS),
        (cosh, PLUS, PLUS),
        (erf, 1, minus_one),
        (erfc, 0, 2),
        (asinh, PLUS, MINUS),
        (acosh, PLUS, UNDEFINED),
        (cbrt, PLUS, MINUS),
        (lgamma, PLUS, PLUS),
        (digamma, PLUS, UNDEFINED),
    ] {
        assert_eq!(at(function, PLUS, f64::INFINITY), at_plus);
        assert_eq!(at(function, MINUS, f64::NEG_INFINITY), at_minus);
        assert_eq!(at(function, UNDEFINED, f64::NAN), UNDEFINED);
    }
}
