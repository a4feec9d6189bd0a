//! Seeded damage to a text: what a fuzzer of the importers does.

/// Splits a text into words, numbers and single other characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut out = vec![];
    let mut start = 0;
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut previous = None;
    for (i, c) in text.char_indices() {
        if let Some(p) = previous
            && !(is_word(p) && is_word(c))
        {
            out.push(&text[start..i]);
            start = i;
        }
        previous = Some(c);
    }
    out.push(&text[start..]);
    out
}

/// `text` with one to four changes: bytes overwritten, tokens deleted, doubled, exchanged or replaced by another, the end cut off.
pub fn mutated(text: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n.max(1) as u64) as usize
    };
    const ODD: [&str; 24] = [
        "<",
        ">",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "%",
        "#",
        "->",
        "0x",
        "99999999999999999999",
        "-1",
        "?",
        "x",
        ":",
        ",",
        "=",
        "tensor<0xf32>",
        "//",
        "é",
        "dense<",
    ];
    let mut text = text.to_string();
    for _ in 0..=below(3) {
        let kind = below(7);
        if kind == 0 {
            let mut bytes = text.into_bytes();
            let at = below(bytes.len());
            if let Some(b) = bytes.get_mut(at) {
                *b = if below(2) == 0 {
                    *b ^ (1 << below(7))
                } else {
                    below(128) as u8
                };
            }
            text = String::from_utf8_lossy(&bytes).into_owned();
            continue;
        }
        if kind == 1 {
            let mut at = below(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            text.truncate(at);
            continue;
        }
        let mut all = tokens(&text);
        let (i, j) = (below(all.len()), below(all.len()));
        match kind {
            2 => {
                all.remove(i);
            }
            3 => all.insert(i, all[i]),
            4 => all.swap(i, j),
            5 => all[i] = all[j],
            _ => all[i] = ODD[below(ODD.len())],
        }
        text = all.concat();
    }
    text
}
