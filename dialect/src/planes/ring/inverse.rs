//! Inverses and square roots of whole slices of residues.

use super::{P, Residue, inv_residue, is_code, mul_residues, reduce};

/// Independent chains of products, so that the loops below are vectors.
const LANES: usize = 8;
const ROWS: usize = 32;

/// Replaces every element by its inverse; a block of 256 shares one exponentiation (Montgomery's trick). Infinities become 0, undefined stays.
/// Zero stays zero; gives the number of zeros.
pub fn invert(values: &mut [Residue]) -> u64 {
    values.chunks_mut(LANES * ROWS).map(invert_block).sum()
}

fn invert_block(values: &mut [Residue]) -> u64 {
    if values.len() == 1 {
        let zero = u64::from(values[0] == 0);
        values[0] = restore(values[0], inv_residue(plain(values[0])));
        return zero;
    }
    let rows = values.len().div_ceil(LANES);
    let mut residues = [[1; LANES]; ROWS];
    for (row, part) in residues.iter_mut().zip(values.chunks(LANES)) {
        for (r, v) in row.iter_mut().zip(part) {
            *r = plain(*v);
        }
    }
    let mut before = [[1; LANES]; ROWS];
    let mut product = [1; LANES];
    for (row, b) in residues.iter().zip(&mut before).take(rows) {
        *b = product;
        for (p, r) in product.iter_mut().zip(row) {
            *p = mul_residues(*p, *r);
        }
    }
    let mut inverse = invert_lanes(product);
    let mut zeros = 0;
    let parts = values.chunks_mut(LANES).zip(residues.iter().zip(&before));
    for (part, (row, b)) in parts.rev() {
        let mut out = [0; LANES];
        for ((o, i), (r, b)) in out.iter_mut().zip(&mut inverse).zip(row.iter().zip(b)) {
            *o = mul_residues(*i, *b);
            *i = mul_residues(*i, *r);
        }
        for (v, o) in part.iter_mut().zip(out) {
            zeros += u64::from(*v == 0);
            *v = restore(*v, o);
        }
    }
    zeros
}

fn invert_lanes(values: [u32; LANES]) -> [u32; LANES] {
    let mut before = [1; LANES];
    let mut product = 1;
    for (b, v) in before.iter_mut().zip(values) {
        *b = product;
        product = mul_residues(product, v);
    }
    let mut inverse = inv_residue(product);
    let mut out = values;
    for (o, b) in out.iter_mut().zip(before).rev() {
        let v = *o;
        *o = mul_residues(inverse, b);
        inverse = mul_residues(inverse, v);
    }
    out
}

/// What stands for an element in the products: itself, or 1 where it has no inverse.
#[inline(always)]
fn plain(v: Residue) -> u32 {
    if v == 0 || is_code(v) { 1 } else { v }
}

#[inline(always)]
fn restore(v: Residue, inverse: u32) -> Residue {
    if v == super::UNDEFINED {
        v
    } else if v == 0 || is_code(v) {
        0
    } else {
        inverse
    }
}

/// Raises every residue to the power 2^29, its square root up to sign where it has one (p = 3 mod 4). Codes give meaningless residues.
pub fn square_roots(values: &mut [Residue]) {
    for block in values.chunks_mut(64) {
        let mut wide = [0u64; 64];
        for (w, v) in wide.iter_mut().zip(block.iter()) {
            *w = u64::from(*v & P);
        }
        for _ in 0..29 {
            for w in &mut wide {
                // Two folds leave a square of a number below 2^31 + 4 below that again.
                let square = *w * *w;
                let once = (square & u64::from(P)) + (square >> 31);
                *w = (once & u64::from(P)) + (once >> 31);
            }
        }
        for (w, v) in wide.iter().zip(block) {
            *v = reduce(*w);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planes::ring::{
        NEGATIVE_INFINITY, POSITIVE_INFINITY, UNDEFINED, input, pow_residue,
    };

    #[test]
    fn slices_invert_like_single_residues() {
        for length in [0, 1, 2, 7, 8, 9, 255, 256, 257, 600] {
            let values: Vec<u32> = (0..length).map(|i| input(3, length, i)).collect();
            let mut inverse = values.clone();
            assert_eq!(invert(&mut inverse), 0);
            for (v, i) in values.iter().zip(&inverse) {
                assert_eq!(mul_residues(*v, *i), 1);
            }
        }
        let mut special = [0, 2, POSITIVE_INFINITY, NEGATIVE_INFINITY, UNDEFINED, 0];
        assert_eq!(invert(&mut special), 2);
        assert_eq!(special, [0, P.div_ceil(2), 0, 0, UNDEFINED, 0]);
    }

    #[test]
    fn square_roots_are_multiplicative_roots() {
        let values: Vec<u32> = (0..100).map(|i| input(5, 0, i)).collect();
        let mut roots = values.clone();
        square_roots(&mut roots);
        for (v, root) in values.iter().zip(&roots) {
            assert_eq!(*root, pow_residue(*v, 1 << 29));
            let square = mul_residues(*root, *root);
            assert!(square == *v || square == P - *v);
        }
        let mut root_of_square = [mul_residues(6, 6)];
        square_roots(&mut root_of_square);
        assert!([6, P - 6].contains(&root_of_square[0]));
    }
}
