//! Counter-based random bits exactly as XLA's expansion of `rng_bit_generator` makes them: Threefry2x32 with 20 rounds and Philox4x32 with 10
//! (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011).

/// Threefry2x32, 20 rounds.
pub fn threefry(counter: [u32; 2], key: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1bd1_1bda];
    let mut x = [
        counter[0].wrapping_add(keys[0]),
        counter[1].wrapping_add(keys[1]),
    ];
    for group in 0..5usize {
        for rotation in ROTATIONS[group % 2] {
            x[0] = x[0].wrapping_add(x[1]);
            x[1] = x[1].rotate_left(rotation) ^ x[0];
        }
        let injection = group as u32 + 1;
        x[0] = x[0].wrapping_add(keys[(group + 1) % 3]);
        x[1] = x[1]
            .wrapping_add(keys[(group + 2) % 3])
            .wrapping_add(injection);
    }
    x
}

/// Philox4x32, 10 rounds.
pub fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    let product = |x: u32, k: u32| {
        let p = u64::from(x) * u64::from(k);
        ((p >> 32) as u32, p as u32)
    };
    for _ in 0..10 {
        let (high0, low0) = product(counter[0], 0xd251_1f53);
        let (high1, low1) = product(counter[2], 0xcd9e_8d57);
        counter = [
            high1 ^ counter[1] ^ key[0],
            low1,
            high0 ^ counter[3] ^ key[1],
            low0,
        ];
        key = [
            key[0].wrapping_add(0x9e37_79b9),
            key[1].wrapping_add(0xbb67_ae85),
        ];
    }
    counter
}

fn words(v: u64) -> [u32; 2] {
    [v as u32, (v >> 32) as u32]
}

fn joined(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Random numbers of `bits` (at most 64) each, and the counter after them.
pub struct Drawn<Counter> {
    pub numbers: Vec<u64>,
    pub counter: Counter,
}

/// Threefry numbers for a tensor. 64-bit numbers take one counter each; narrower ones are the two words of one counter each, the first words for the
/// lower half along one dimension (the first even one, else the first largest), interleaved along it.
pub fn threefry_numbers(key: u64, counter: u64, dims: &[u64], bits: u32) -> Drawn<u64> {
    let count = dims.iter().product::<u64>();
    let at = |i: u64| threefry(words(counter.wrapping_add(i)), words(key));
    if bits == 64 {
        let number = |i: u64| {
            let [low, high] = at(i);
            joined(low, high)
        };
        return Drawn {
            numbers: (0..count).map(number).collect(),
            counter: counter.wrapping_add(count),
        };
    }
    if dims.is_empty() {
        return Drawn {
            numbers: vec![at(0)[0].into()],
            counter: counter.wrapping_add(1),
        };
    }
    let largest = |best: usize, d: usize| if dims[d] > dims[best] { d } else { best };
    let split = (0..dims.len())
        .find(|d| dims[*d].is_multiple_of(2))
        .unwrap_or_else(|| (0..dims.len()).fold(0, largest));
    let (inner, size) = (dims[split + 1..].iter().product::<u64>(), dims[split]);
    let half = size.div_ceil(2);
    let halves = count.checked_div(size).map_or(0, |rows| rows * half);
    // Element (outer, s, i) is word s mod 2 of counter (outer, s / 2, i).
    let number = |index: u64| {
        let (outer, s, i) = (index / inner / size, index / inner % size, index % inner);
        at((outer * half + s / 2) * inner + i)[(s % 2) as usize].into()
    };
    Drawn {
        numbers: (0..count).map(number).collect(),
        counter: counter.wrapping_add(halves),
    }
}

/// Philox numbers in order: four words a counter, 64-bit numbers of two words each.
pub fn philox_numbers(key: u64, counter: u128, count: u64, bits: u32) -> Drawn<u128> {
    let needed = if bits == 64 { 2 * count } else { count };
    let vectors = needed.div_ceil(4);
    let stream: Vec<u32> = (0..vectors)
        .flat_map(|i| {
            let c = counter.wrapping_add(u128::from(i));
            let ([a, b], [d, e]) = (words(c as u64), words((c >> 64) as u64));
            philox([a, b, d, e], words(key))
        })
        .collect();
    let numbers = if bits == 64 {
        let pairs = stream.chunks_exact(2);
        pairs
            .take(count as usize)
            .map(|w| joined(w[0], w[1]))
            .collect()
    } else {
        let singles = stream.iter().take(count as usize);
        singles.map(|w| u64::from(*w)).collect()
    };
    Drawn {
        numbers,
        counter: counter.wrapping_add(u128::from(vectors)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers_of_the_reference_implementation() {
        // Random123, kat_vectors.
        assert_eq!(threefry([0, 0], [0, 0]), [0x6b20_0159, 0x99ba_4efe]);
        assert_eq!(
            threefry([u32::MAX; 2], [u32::MAX; 2]),
            [0x1cb9_96fc, 0xbb00_2be7]
        );
        assert_eq!(
            threefry([0x243f_6a88, 0x85a3_08d3], [0x1319_8a2e, 0x0370_7344]),
            [0xc492_3a9c, 0x483d_f7a0]
        );
        assert_eq!(
            philox([0; 4], [0; 2]),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            philox([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
    }
}
