//! Where instructions come from in the user's program: the stack frame tables of a dump and `metadata={..}`.

use super::cursor::Cursor;
use crate::{error::Error, location::Position};
use std::{borrow::Cow, collections::HashMap, sync::Arc};

/// `FileNames`, `FileLocations` and `StackFrames` of a module. Function names are read and not kept.
#[derive(Default)]
pub struct Frames<'a> {
    files: HashMap<i64, Arc<str>>,
    /// File, line and column by location number.
    locations: HashMap<i64, (i64, i64, i64)>,
    /// Location number by frame number.
    frames: HashMap<i64, i64>,
    /// Files that metadata names itself.
    named: HashMap<&'a str, Arc<str>>,
}

/// What `metadata={..}` says.
#[derive(Default)]
pub struct Metadata<'a> {
    pub op_name: Option<Cow<'a, str>>,
    pub position: Option<Position>,
}

impl<'a> Frames<'a> {
    /// Reads a table if one comes next.
    pub fn table(&mut self, c: &mut Cursor<'a>) -> Result<bool, Error> {
        let start = c.at();
        let name = c.word();
        let known = matches!(
            name,
            Some("FileNames" | "FunctionNames" | "FileLocations" | "StackFrames")
        );
        c.skip_blank();
        if !known
            || !(c.byte().is_ascii_digit()
                || c.is_at_end()
                || c.byte().is_ascii_alphabetic()
                || c.byte() == b'%')
        {
            c.rewind(start);
            return Ok(false);
        }
        loop {
            c.skip_blank();
            if !c.byte().is_ascii_digit() {
                return Ok(true);
            }
            let number = c.int()?;
            if matches!(name, Some("FileNames" | "FunctionNames")) {
                let text = c.string()?;
                if name == Some("FileNames") {
                    self.files.insert(number, Arc::from(text));
                }
                continue;
            }
            let mut row: HashMap<&str, i64> = HashMap::new();
            c.expect("{")?;
            while !c.eat("}") {
                let key = c.expect_word("a field of the table")?;
                c.expect("=")?;
                row.insert(key, c.int()?);
            }
            let field = |key: &str| row.get(key).copied().unwrap_or(0);
            if name == Some("FileLocations") {
                self.locations.insert(
                    number,
                    (field("file_name_id"), field("line"), field("column")),
                );
            } else {
                self.frames.insert(number, field("file_location_id"));
            }
        }
    }

    fn frame(&self, number: i64) -> Option<Position> {
        let (file, line, column) = self.locations.get(self.frames.get(&number)?)?;
        Some(Position {
            file: self.files.get(file)?.clone(),
            line: u32::try_from(*line).ok()?,
            column: u32::try_from(*column).ok()?.max(1),
        })
    }

    /// Reads `{op_name="..." stack_frame_id=7}` or the older `{.. source_file="..." source_line=7}`.
    pub fn metadata(&mut self, c: &mut Cursor<'a>) -> Result<Metadata<'a>, Error> {
        let mut out = Metadata::default();
        let (mut file, mut line, mut column) = (None, 0u32, 1u32);
        c.expect("{")?;
        while !c.eat("}") {
            let key = c.expect_word("a field of the metadata")?;
            c.expect("=")?;
            match key {
                "op_name" => out.op_name = Some(text(c)?),
                "source_file" => file = Some(text(c)?),
                "source_line" => line = u32::try_from(c.int()?).unwrap_or(0),
                "source_column" => column = u32::try_from(c.int()?).unwrap_or(1).max(1),
                "stack_frame_id" => out.position = self.frame(c.int()?),
                _ => {
                    c.value()?;
                }
            }
        }
        if let (None, Some(file), true) = (&out.position, file, line > 0) {
            let file = match file {
                Cow::Borrowed(name) => self
                    .named
                    .entry(name)
                    .or_insert_with(|| Arc::from(name))
                    .clone(),
                Cow::Owned(name) => Arc::from(name),
            };
            out.position = Some(Position { file, line, column });
        }
        Ok(out)
    }
}

/// A string without a copy where it has no escapes.
fn text<'a>(c: &mut Cursor<'a>) -> Result<Cow<'a, str>, Error> {
    c.skip_blank();
    let start = c.at();
    let value = c.string()?;
    let raw = c.since(start);
    let plain = raw
        .get(1..raw.len().saturating_sub(1))
        .filter(|inner| *inner == value);
    Ok(plain.map_or(Cow::Owned(value), Cow::Borrowed))
}
