//! Exponentials and logarithms in the field: exp(r) = h^(r/m) and its inverse, h a generator of the multiplicative group and m a number that no program
//! holds.
//!
//! r/m is taken between -p/2 and p/2, and exponents count modulo p - 1: exp(a + b) is exp(a) exp(b), or that times h or 1/h where the sum leaves the range;
//! log(ab) is log(a) + log(b), or that plus or minus m ([`differ_by_turns`]). exp(-x) = 1/exp(x), exp(0) = 1, log(exp(x)) = x and log(1/x) = -log(x)
//! hold as they are, but for the two residues at the ends of the range.
//!
//! Logarithms by the method of Pohlig and Hellman: p - 1 is the product of two coprime numbers small enough for a table each.

use super::{
    P, Residue, add_residues, function::power_of_generator, mul_residues, neg_residue, pow_residue,
};
use std::sync::OnceLock;

/// h = 7^TURN. Coprime to p - 1.
const TURN: u64 = 0x2b5d_c3a9;
/// TURN^-1 modulo p - 1.
const BACK: u64 = 0x7fde_bb39;
/// m and 1/m.
const UNIT: Residue = 0x3c6e_f372;
const INVERSE: Residue = 0x5f4949fe;
/// p - 1 = 2 3^2 7 331 x 11 31 151.
const FACTORS: [u64; 2] = [41_706, 51_491];
const GROUP: u64 = (P - 1) as u64;

/// A number of the same remainder modulo p - 1 = 2^31 - 2, below 2^33 for x < 2^63.
#[inline(always)]
fn folded(x: u64) -> u64 {
    (x >> 31) * 2 + (x & u64::from(P))
}

/// h^(r/m), of a residue.
#[inline(always)]
pub fn power(r: Residue) -> Residue {
    let r = mul_residues(r, INVERSE);
    let negated = neg_residue(r);
    if r <= negated {
        power_of_generator(folded(u64::from(r) * TURN))
    } else {
        power_of_generator(3 * GROUP - folded(folded(u64::from(negated) * TURN)))
    }
}

/// The residue whose power y is; y is not 0.
pub fn logarithm(y: Residue) -> Residue {
    let [a, b] = [0, 1].map(|k| u64::from(tables()[k].exponent(pow_residue(y, FACTORS[1 - k]))));
    // The exponent of 7 with remainder a modulo the first factor, and b modulo the second.
    let of_seven = (a * 2_084_716_117 + b * 62_767_530) % GROUP;
    let r = of_seven * BACK % GROUP;
    let turns = if r <= GROUP / 2 {
        r as u32
    } else {
        neg_residue((GROUP - r) as u32)
    };
    mul_residues(turns, UNIT)
}

/// Whether two residues are one number but for turns: h^k times each other, or km apart, for a small k.
pub fn differ_by_turns(a: Residue, b: Residue) -> bool {
    const MOST: u32 = 4;
    if a == b {
        return true;
    }
    let h = power(UNIT);
    let (mut up, mut down) = ((a, a), (b, b));
    (0..MOST).any(|_| {
        up = (mul_residues(up.0, h), add_residues(up.1, UNIT));
        down = (mul_residues(down.0, h), add_residues(down.1, UNIT));
        up.0 == b || up.1 == b || down.0 == a || down.1 == a
    })
}

/// Exponents of the elements of a subgroup, by open addressing.
struct Table(Vec<(u32, u32)>);

impl Table {
    const BITS: u32 = 17;

    /// Powers of `base`, which has order `order`.
    fn of(base: Residue, order: u64) -> Table {
        // 0 is no element of the group.
        let mut slots = vec![(0, 0); 1 << Table::BITS];
        let mut y = 1;
        for e in 0..order as u32 {
            let mut at = Table::place(y);
            while slots[at].0 != 0 {
                at = (at + 1) % slots.len();
            }
            slots[at] = (y, e);
            y = mul_residues(y, base);
        }
        Table(slots)
    }

    fn place(y: u32) -> usize {
        (y.wrapping_mul(0x9e37_79b1) >> (32 - Table::BITS)) as usize
    }

    /// The exponent of an element; 0 for what is none.
    fn exponent(&self, y: u32) -> u32 {
        let mut at = Table::place(y);
        loop {
            match self.0[at] {
                (0, _) => return 0,
                (have, e) if have == y => return e,
                _ => at = (at + 1) % self.0.len(),
            }
        }
    }
}

/// Of the subgroups whose orders are the two factors.
fn tables() -> &'static [Table; 2] {
    static TABLES: OnceLock<[Table; 2]> = OnceLock::new();
    TABLES.get_or_init(|| [0, 1].map(|k| Table::of(pow_residue(7, FACTORS[1 - k]), FACTORS[k])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planes::ring::{embed_f64, inv_residue};

    fn some() -> impl Iterator<Item = Residue> {
        (1..3000u64).map(|i| (i * 0x9e37_79b9_7f4a % u64::from(P)) as u32)
    }

    #[test]
    fn logarithms_undo_exponentials() {
        for r in some() {
            assert_eq!(logarithm(power(r)), r);
            assert_eq!(power(logarithm(r)), r);
        }
        assert_eq!((power(0), logarithm(1)), (1, 0));
    }

    #[test]
    fn sums_and_products_agree_up_to_turns() {
        let mut alike = 0;
        for (a, b) in some().zip(some().skip(7)) {
            let (sum, product) = (power(add_residues(a, b)), mul_residues(power(a), power(b)));
            assert!(differ_by_turns(sum, product), "{a} {b}");
            alike += u32::from(sum == product);
            let (of_product, logs) = (
                logarithm(mul_residues(a, b)),
                add_residues(logarithm(a), logarithm(b)),
            );
            assert!(differ_by_turns(of_product, logs), "{a} {b}");
            assert_eq!(power(neg_residue(a)), inv_residue(power(a)));
            assert!(!differ_by_turns(product, a));
        }
        assert!(alike > 1500, "{alike}");
    }

    #[test]
    fn e_is_not_what_the_program_may_hold() {
        assert!((0..1000).all(|i| power(1) != embed_f64(f64::from(i) / 8.0)));
    }
}
