//! Rust source with comments and literals taken out, so that a word search sees code only.

/// `text` with the same lines, where the inside of every comment, string and character literal is spaces.
pub fn code_only(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut at = 0;
    while at < characters.len() {
        let end = literal_or_comment_end(&characters, at);
        if end > at {
            code.extend(
                characters[at..end]
                    .iter()
                    .map(|&c| if c == '\n' { '\n' } else { ' ' }),
            );
            at = end;
        } else {
            code.push(characters[at]);
            at += 1;
        }
    }
    code
}

/// Whether `line` has `word` as a whole identifier.
pub fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(is_identifier) && !after.is_some_and(is_identifier)
    })
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The index behind the literal or comment that starts at `at`; `at` when none does.
fn literal_or_comment_end(text: &[char], at: usize) -> usize {
    let next = text.get(at + 1).copied();
    match text[at] {
        '/' if next == Some('/') => text[at..]
            .iter()
            .position(|&c| c == '\n')
            .map_or(text.len(), |n| at + n),
        '/' if next == Some('*') => block_comment_end(text, at),
        '"' => string_end(text, at + 1),
        'r' if at == 0 || !is_identifier(text[at - 1]) || matches!(text[at - 1], 'b' | 'c') => {
            raw_string_end(text, at)
        }
        '\'' => character_end(text, at),
        _ => at,
    }
}

fn block_comment_end(text: &[char], at: usize) -> usize {
    let mut depth = 0;
    let mut i = at;
    while i + 1 < text.len() {
        match (text[i], text[i + 1]) {
            ('/', '*') => (depth, i) = (depth + 1, i + 2),
            ('*', '/') => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    text.len()
}

fn string_end(text: &[char], start: usize) -> usize {
    let mut i = start;
    while i < text.len() {
        match text[i] {
            '\\' => i += 2,
            '"' => return i + 1,
            _ => i += 1,
        }
    }
    text.len()
}

fn raw_string_end(text: &[char], at: usize) -> usize {
    let hashes = text[at + 1..].iter().take_while(|&&c| c == '#').count();
    if text.get(at + 1 + hashes) != Some(&'"') {
        return at;
    }
    let mut i = at + hashes + 2;
    while i < text.len() {
        if text[i] == '"' && text[i + 1..].iter().take_while(|&&c| c == '#').count() >= hashes {
            return i + 1 + hashes;
        }
        i += 1;
    }
    text.len()
}

/// A quote starts a character literal, else a lifetime or a loop label.
fn character_end(text: &[char], at: usize) -> usize {
    match (text.get(at + 1), text.get(at + 2)) {
        (Some('\\'), _) => text[at + 3..]
            .iter()
            .position(|&c| c == '\'')
            .map_or(text.len(), |n| at + 3 + n + 1),
        (Some(_), Some('\'')) => at + 3,
        _ => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_become_spaces() {
        let text = "a // unsafe\nb /* unsafe /* x */ */ c \"unsafe \\\" d\" r#\"unsafe \" e\"# '\\'' '\"' f";
        let code = code_only(text);
        assert!(!code.contains("unsafe"));
        assert_eq!(code.split_whitespace().collect::<String>(), "abcf");
        assert_eq!(code.lines().count(), 2);
    }

    #[test]
    fn lifetimes_and_names_ending_in_r_stay() {
        let text = "fn f<'a>(other: &'a str) { for x in 'outer: loop {} }";
        assert_eq!(code_only(text), text);
    }

    #[test]
    fn a_word_is_a_whole_identifier() {
        assert!(has_word("unsafe { x }", "unsafe"));
        assert!(!has_word("not_unsafe(unsafe_code)", "unsafe"));
    }
}
