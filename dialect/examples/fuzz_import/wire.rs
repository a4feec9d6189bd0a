//! Damage to a protocol buffer that stays one: fields removed, repeated, exchanged and changed, with the lengths around them kept right.

use crate::random::Random;

/// A field of a message by its wire type.
#[derive(Clone)]
struct Field {
    number: u64,
    content: Content,
}

#[derive(Clone)]
enum Content {
    Varint(u64),
    Fixed64([u8; 8]),
    Fixed32([u8; 4]),
    Bytes(Vec<u8>),
    /// Bytes that read as a message.
    Message(Vec<Field>),
}

/// Deepest message that is taken apart.
const DEEPEST: usize = 24;
const ODD: [u64; 12] = [
    0,
    1,
    2,
    11,
    127,
    255,
    1 << 31,
    u32::MAX as u64,
    1 << 40,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

/// The message with one to four changes; none where the bytes are no message.
pub fn damaged(bytes: &[u8], seed: u64) -> Option<Vec<u8>> {
    let mut random = Random::new(seed);
    let mut fields = message(bytes, 0)?;
    for _ in 0..=random.below(3) {
        let n = count(&fields);
        let donor = nth(&fields, random.below(n)).cloned();
        let target = random.below(n);
        change(&mut fields, target, donor, &mut random);
    }
    let mut out = vec![];
    write(&fields, &mut out);
    Some(out)
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn message(bytes: &[u8], depth: usize) -> Option<Vec<Field>> {
    let (mut at, mut out) = (0, vec![]);
    while at < bytes.len() {
        let tag = varint(bytes, &mut at)?;
        let number = tag >> 3;
        if number == 0 || number >= 1 << 29 {
            return None;
        }
        let content = match tag & 7 {
            0 => Content::Varint(varint(bytes, &mut at)?),
            1 => {
                let part = bytes.get(at..at + 8)?;
                at += 8;
                Content::Fixed64(part.try_into().ok()?)
            }
            2 => {
                let length = usize::try_from(varint(bytes, &mut at)?).ok()?;
                let part = bytes.get(at..at.checked_add(length)?)?;
                at += length;
                let inner = (depth < DEEPEST && !part.is_empty()).then(|| message(part, depth + 1));
                match inner.flatten() {
                    Some(fields) => Content::Message(fields),
                    None => Content::Bytes(part.to_vec()),
                }
            }
            5 => {
                let part = bytes.get(at..at + 4)?;
                at += 4;
                Content::Fixed32(part.try_into().ok()?)
            }
            _ => return None,
        };
        out.push(Field { number, content });
    }
    Some(out)
}

fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn write(fields: &[Field], out: &mut Vec<u8>) {
    for field in fields {
        let mut tag = |wire: u64| write_varint(field.number << 3 | wire, out);
        match &field.content {
            Content::Varint(value) => {
                tag(0);
                write_varint(*value, out);
            }
            Content::Fixed64(bytes) => {
                tag(1);
                out.extend(bytes);
            }
            Content::Fixed32(bytes) => {
                tag(5);
                out.extend(bytes);
            }
            Content::Bytes(bytes) => {
                tag(2);
                write_varint(bytes.len() as u64, out);
                out.extend(bytes);
            }
            Content::Message(inner) => {
                tag(2);
                let mut part = vec![];
                write(inner, &mut part);
                write_varint(part.len() as u64, out);
                out.extend(part);
            }
        }
    }
}

/// Fields at all depths.
fn count(fields: &[Field]) -> usize {
    let inner = |f: &Field| match &f.content {
        Content::Message(inner) => count(inner),
        Content::Varint(_) | Content::Fixed64(_) | Content::Fixed32(_) | Content::Bytes(_) => 0,
    };
    fields.iter().map(|f| 1 + inner(f)).sum()
}

/// Field number `n`, an outer one before those inside it.
fn nth(fields: &[Field], mut n: usize) -> Option<&Field> {
    for field in fields {
        if n == 0 {
            return Some(field);
        }
        n -= 1;
        if let Content::Message(inner) = &field.content {
            let inside = count(inner);
            if n < inside {
                return nth(inner, n);
            }
            n -= inside;
        }
    }
    None
}

/// Changes the field number `n`, counted as in [`nth`], or the list it stands in.
fn change(fields: &mut Vec<Field>, mut n: usize, donor: Option<Field>, random: &mut Random) {
    for i in 0..fields.len() {
        if n == 0 {
            let other = random.below(fields.len());
            match random.below(7) {
                0 => drop(fields.remove(i)),
                1 => fields.insert(i, fields[i].clone()),
                2 => fields.swap(i, other),
                3 => fields[i].number = 1 + random.below(80) as u64,
                4 => {
                    if let Some(donor) = donor {
                        fields[i].content = donor.content;
                    }
                }
                _ => altered(&mut fields[i].content, random),
            }
            return;
        }
        n -= 1;
        if let Content::Message(inner) = &mut fields[i].content {
            let inside = count(inner);
            if n < inside {
                change(inner, n, donor, random);
                return;
            }
            n -= inside;
        }
    }
}

fn altered(content: &mut Content, random: &mut Random) {
    match content {
        Content::Varint(value) => {
            *value = match random.below(3) {
                0 => value.wrapping_add(1),
                1 => value.wrapping_sub(1),
                _ => *random.pick(&ODD),
            }
        }
        Content::Fixed64(bytes) => bytes[random.below(8)] = random.below(256) as u8,
        Content::Fixed32(bytes) => bytes[random.below(4)] = random.below(256) as u8,
        Content::Bytes(bytes) if bytes.is_empty() => bytes.push(random.below(256) as u8),
        Content::Bytes(bytes) => {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes.truncate(at),
                _ => bytes.insert(at, random.below(128) as u8),
            }
        }
        Content::Message(inner) => {
            let at = random.below(inner.len() + 1);
            inner.truncate(at);
        }
    }
}
