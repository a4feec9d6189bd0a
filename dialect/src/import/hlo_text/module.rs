//! The syntax of an HLO module: header, computations and their instructions, attributes still as text.

use super::{
    attribute::Attribute,
    cursor::{Cursor, Origin, Source},
    frames::Frames,
    literal::{self, Constant},
    mesh,
    shape::{Shapes, leaves},
};
use crate::{error::Error, location::Location, types::Type};
use smallvec::SmallVec;
use std::{borrow::Cow, collections::HashMap};

pub struct Module<'a> {
    pub name: String,
    /// Attributes of the header.
    pub attributes: Vec<Attribute<'a>>,
    pub computations: Vec<Computation<'a>>,
    /// Index of the entry computation.
    pub entry: usize,
    /// The text the attributes stand in; none when the proto reader wrote them.
    pub source: Option<&'a Source<'a>>,
}

pub struct Computation<'a> {
    pub name: Cow<'a, str>,
    pub instructions: Vec<Instruction<'a>>,
    /// Index of the instruction that gives the result.
    pub root: usize,
    /// Indices of the parameters, by number.
    pub parameters: Vec<usize>,
    pub location: Location,
}

pub struct Instruction<'a> {
    pub name: Cow<'a, str>,
    pub ty: Type,
    pub opcode: Cow<'a, str>,
    /// Indices in the computation; all before this instruction.
    pub operands: SmallVec<[u32; 4]>,
    /// Leaves of the literal, of a constant.
    pub constant: Vec<Constant>,
    /// Number, of a parameter.
    pub parameter: Option<usize>,
    pub attributes: Vec<Attribute<'a>>,
    /// `op_name` of the metadata.
    pub op_name: Option<Cow<'a, str>>,
    /// In the user's source where metadata has it, else in the HLO text.
    pub location: Location,
}

impl<'a> Module<'a> {
    /// A cursor over an attribute's value. `location` stands in for a place in the text where there is none.
    pub fn cursor<'m>(
        &'m self,
        attribute: &'m Attribute<'a>,
        location: &'m Location,
    ) -> Cursor<'m> {
        match (self.source, attribute.offset) {
            (Some(source), Some(offset)) => {
                Cursor::new(&attribute.value, Origin::Text(source, offset))
            }
            (_, None) | (None, _) => Cursor::new(&attribute.value, Origin::Fixed(location)),
        }
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        self.computations.iter().position(|c| c.name == name)
    }
}

impl Instruction<'_> {
    pub fn attribute(&self, name: &str) -> Option<&Attribute<'_>> {
        self.attributes.iter().find(|a| a.name == name)
    }
}

/// Reads the syntax of a whole module.
pub fn read<'a>(source: &'a Source<'a>) -> Result<Module<'a>, Error> {
    let mut reader = Reader {
        cursor: Cursor::new(source.text, Origin::Text(source, 0)),
        shapes: Shapes::default(),
        frames: Frames::default(),
    };
    let (name, attributes) = reader.header()?;
    let (computations, entry) = reader.computations()?;
    Ok(Module {
        name,
        attributes,
        computations,
        entry,
        source: Some(source),
    })
}

/// The parameters of a computation in order of their numbers, which must be 0, 1, .. without gaps.
pub fn parameters(instructions: &[Instruction<'_>]) -> Result<Vec<usize>, Error> {
    let mut found: Vec<(usize, usize)> = instructions
        .iter()
        .enumerate()
        .filter_map(|(i, x)| x.parameter.map(|n| (n, i)))
        .collect();
    found.sort_unstable();
    for (want, (number, index)) in found.iter().enumerate() {
        if *number != want {
            let location = instructions
                .get(*index)
                .map(|i| i.location.clone())
                .unwrap_or_default();
            return Err(Error::invalid(
                format!("parameter {number} where parameter {want} is needed"),
                location,
            ));
        }
    }
    Ok(found.into_iter().map(|(_, index)| index).collect())
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    shapes: Shapes<'a>,
    frames: Frames<'a>,
}

impl<'a> Reader<'a> {
    fn header(&mut self) -> Result<(String, Vec<Attribute<'a>>), Error> {
        let c = &mut self.cursor;
        if !c.eat_word("HloModule") {
            c.skip_blank();
            return Err(c.expected("`HloModule`"));
        }
        let name = c.name("the name of the module")?.to_string();
        Ok((name, attributes(c)?))
    }

    fn computations(&mut self) -> Result<(Vec<Computation<'a>>, usize), Error> {
        let mut out: Vec<Computation<'a>> = vec![];
        let mut names = HashMap::new();
        let mut entry = None;
        loop {
            self.cursor.skip_blank();
            if self.cursor.is_at_end() {
                break;
            }
            if self.frames.table(&mut self.cursor)? {
                continue;
            }
            let at = self.cursor.at();
            let is_entry = self.cursor.eat_word("ENTRY");
            let computation = self.computation()?;
            if names.insert(computation.name.clone(), ()).is_some() {
                return Err(self.cursor.error_at(
                    at,
                    format!("computation '{}' is defined twice", computation.name),
                ));
            }
            if is_entry && entry.replace(out.len()).is_some() {
                return Err(self.cursor.error_at(at, "a second ENTRY computation"));
            }
            out.push(computation);
        }
        match entry {
            Some(entry) => Ok((out, entry)),
            None => Err(self.cursor.expected("a computation marked ENTRY")),
        }
    }

    fn computation(&mut self) -> Result<Computation<'a>, Error> {
        self.cursor.skip_blank();
        let location = self.cursor.location();
        let name = self.cursor.name("a computation")?;
        self.cursor.skip_blank();
        if self.cursor.byte() == b'(' {
            // The parameters say the same again.
            self.cursor.bracketed()?;
            self.cursor.expect("->")?;
            self.shapes.read(&mut self.cursor)?;
        }
        self.cursor.expect("{")?;
        let mut instructions: Vec<Instruction<'a>> = vec![];
        let mut names: HashMap<&'a str, u32> = HashMap::new();
        let mut root = None;
        while !self.cursor.eat("}") {
            let at = self.cursor.at();
            if self.cursor.eat_word("ROOT") && root.replace(instructions.len()).is_some() {
                return Err(self.cursor.error_at(at, "a second ROOT in one computation"));
            }
            let (name, instruction) = self.instruction(&names)?;
            if names.insert(name, instructions.len() as u32).is_some() {
                return Err(self
                    .cursor
                    .error_at(at, format!("instruction '{name}' is defined twice")));
            }
            instructions.push(instruction);
        }
        // `, execution_thread="main"` may follow.
        attributes(&mut self.cursor)?;
        let Some(last) = instructions.len().checked_sub(1) else {
            return Err(Error::invalid(
                format!("computation '{name}' has no instructions"),
                location,
            ));
        };
        Ok(Computation {
            name: name.into(),
            root: root.unwrap_or(last),
            parameters: parameters(&instructions)?,
            instructions,
            location,
        })
    }

    fn instruction(
        &mut self,
        names: &HashMap<&'a str, u32>,
    ) -> Result<(&'a str, Instruction<'a>), Error> {
        let c = &mut self.cursor;
        c.skip_blank();
        let start = c.at();
        let name = c.name("an instruction")?;
        c.expect("=")?;
        let ty = self.shapes.read(c)?;
        let opcode = c.expect_word("an opcode")?;
        c.expect("(")?;
        let mut out = Instruction {
            name: name.into(),
            ty,
            opcode: opcode.into(),
            operands: SmallVec::new(),
            constant: vec![],
            parameter: None,
            attributes: vec![],
            op_name: None,
            location: Location::default(),
        };
        match opcode {
            "parameter" => {
                let at = c.at();
                let number = c.int()?;
                // A computation has at most as many parameters as the text has bytes.
                out.parameter = Some(
                    usize::try_from(number)
                        .map_err(|_| c.error_at(at, "a parameter number cannot be negative"))?,
                );
                c.expect(")")?;
            }
            "constant" => {
                constants(c, &out.ty, &mut out.constant)?;
                c.expect(")")?;
            }
            _ => {
                while !c.eat(")") {
                    if !out.operands.is_empty() {
                        c.expect(",")?;
                    }
                    out.operands.push(operand(c, &mut self.shapes, names)?);
                }
            }
        }
        out.attributes = attributes(c)?;
        let mut position = None;
        if let Some(i) = out.attributes.iter().position(|a| a.name == "metadata") {
            let metadata = out.attributes.remove(i);
            if let (Some(offset), Cow::Borrowed(text)) = (metadata.offset, &metadata.value) {
                let fields = self.frames.metadata(&mut c.part(text, offset))?;
                position = fields.position;
                out.op_name = fields.op_name;
            }
        }
        out.location = match position {
            Some(position) => Location {
                position: Some(position),
                ..Location::default()
            },
            None => c.location_of(start),
        };
        Ok((name, out))
    }
}

/// An operand's name; older dumps repeat its shape before it.
fn operand<'a>(
    c: &mut Cursor<'a>,
    shapes: &mut Shapes<'a>,
    names: &HashMap<&'a str, u32>,
) -> Result<u32, Error> {
    c.skip_blank();
    let mut at = c.at();
    if c.byte() == b'(' {
        shapes.read(c)?;
        c.skip_blank();
        at = c.at();
    }
    let mut name = c.name("an operand")?;
    if c.byte() == b'[' {
        c.rewind(at);
        shapes.read(c)?;
        c.skip_blank();
        at = c.at();
        name = c.name("an operand")?;
    }
    names.get(name).copied().ok_or_else(|| {
        c.error_at(
            at,
            format!("operand '{name}' is not defined before its use"),
        )
    })
}

/// The literal of a constant: of a tuple, its leaves.
fn constants(c: &mut Cursor<'_>, ty: &Type, out: &mut Vec<Constant>) -> Result<(), Error> {
    match ty {
        Type::Tensor(t) => out.push(literal::read(c, t)?),
        Type::Token => return Err(c.expected("a tensor type for this constant")),
        Type::Tuple(parts) => {
            if c.eat("{...}") {
                out.extend(std::iter::repeat_n(Constant::Elided, leaves(ty)));
                return Ok(());
            }
            c.expect("(")?;
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    c.expect(",")?;
                }
                constants(c, part, out)?;
            }
            c.expect(")")?;
        }
    }
    Ok(())
}

/// `, name=value` as often as it comes.
fn attributes<'a>(c: &mut Cursor<'a>) -> Result<Vec<Attribute<'a>>, Error> {
    let mut out: Vec<Attribute<'a>> = vec![];
    while c.eat(",") {
        c.skip_blank();
        let at = c.at();
        let name = c.expect_word("an attribute's name")?;
        c.expect("=")?;
        c.skip_blank();
        let offset = c.at();
        let mut value = c.value()?;
        if value.starts_with("mesh[") {
            mesh::skip_rest(c)?;
            value = c.since(offset);
        }
        if out.iter().any(|a| a.name == name) {
            return Err(c.error_at(at, format!("attribute '{name}' is given twice")));
        }
        out.push(Attribute {
            name: name.into(),
            value: value.into(),
            offset: Some(offset),
        });
    }
    Ok(out)
}
