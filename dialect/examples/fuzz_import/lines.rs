//! Damage to a text that stays close to a program: whole lines, names, numbers and types change places.

use crate::random::Random;

const NUMBERS: [&str; 10] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "255",
    "2147483648",
    "4294967295",
    "9223372036854775807",
    "18446744073709551616",
];
const TYPES: [&str; 12] = [
    "f32", "f64", "bf16", "f16", "i1", "pred", "i8", "s8", "ui32", "u32", "i64", "c64",
];

/// `text` with one to four changes: lines removed, repeated, exchanged or moved, and words replaced by others of their kind.
pub fn damaged(text: &str, seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for _ in 0..=random.below(3) {
        if lines.is_empty() {
            break;
        }
        let (i, j) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(8) {
            0 => drop(lines.remove(i)),
            1 => lines.insert(i, lines[j].clone()),
            2 => lines.swap(i, j),
            3 => {
                let line = lines.remove(i);
                lines.insert(j.min(lines.len()), line);
            }
            _ => lines[i] = exchanged(&lines[i], &lines[j], &mut random),
        }
    }
    lines.join("\n")
}

/// Kind of a word: what it may be exchanged for.
fn kind(word: &str) -> Option<u8> {
    let first = word.bytes().next()?;
    Some(if first.is_ascii_digit() || first == b'-' {
        0
    } else if TYPES.contains(&word) {
        1
    } else if first == b'%' || first == b'@' || word.contains('.') {
        2
    } else if first.is_ascii_alphabetic() {
        3
    } else {
        return None;
    })
}

/// Byte ranges of the words of a line.
fn words(line: &str) -> Vec<(usize, usize)> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '%' | '@' | '-' | '#');
    let mut out = vec![];
    let mut start = None;
    for (i, c) in line.char_indices() {
        match (part(c), start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                out.push((from, i));
                start = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    out.extend(start.map(|from| (from, line.len())));
    out
}

/// `line` with one word replaced by one of the same kind, of `other`, of itself or odd.
fn exchanged(line: &str, other: &str, random: &mut Random) -> String {
    let all = words(line);
    if all.is_empty() {
        return line.to_string();
    }
    let (from, to) = *random.pick(&all);
    let word = &line[from..to];
    let same: Vec<&str> = words(other)
        .into_iter()
        .map(|(a, b)| &other[a..b])
        .chain(all.iter().map(|(a, b)| &line[*a..*b]))
        .filter(|w| kind(w) == kind(word) && *w != word)
        .collect();
    let replacement = match kind(word) {
        Some(0) if same.is_empty() || random.below(2) == 0 => *random.pick(&NUMBERS),
        Some(1) if same.is_empty() || random.below(2) == 0 => *random.pick(&TYPES),
        _ if same.is_empty() => "",
        _ => *random.pick(&same),
    };
    format!("{}{replacement}{}", &line[..from], &line[to..])
}
