//! Values of a running kernel: integers, tensors with the validity of every element, references.

use super::{shadow::Tag, view::View};
use tileproof_dialect::{
    eval::Stop,
    tensor::{Tensor, encode_i64s},
    types::ElementType,
};

/// Value of an SSA value.
#[derive(Debug, Clone)]
pub enum Cell {
    /// An index, or a scalar of integer or boolean type, as its number.
    Int {
        value: i64,
        tag: Tag,
    },
    /// A vector, or a scalar of float type.
    Lanes(Lanes),
    Ref(View),
}

/// A tensor and why its elements are invalid: one [`Tag`] an element. No tags: all are valid.
#[derive(Debug, Clone)]
pub struct Lanes {
    pub value: Tensor,
    pub tags: Option<Tensor>,
}

impl From<Tensor> for Lanes {
    fn from(value: Tensor) -> Lanes {
        Lanes { value, tags: None }
    }
}

impl Lanes {
    /// One movement of values and validity together.
    pub fn moved(&self, movement: impl Fn(&Tensor) -> Tensor) -> Lanes {
        Lanes {
            value: movement(&self.value),
            tags: self.tags.as_ref().map(movement),
        }
        .tidied()
    }

    /// Without tags when all elements are valid.
    pub fn tidied(mut self) -> Lanes {
        if self.tags.as_ref().is_some_and(all_valid) {
            self.tags = None;
        }
        self
    }

    /// This tensor with `part` written over it, values and validity together; `write` writes one plane.
    pub fn written(self, part: &Lanes, write: impl Fn(Tensor, &Tensor) -> Tensor) -> Lanes {
        self.overwritten(part, write).tidied()
    }

    /// As [`Lanes::written`], without a look at the tags of the whole.
    pub fn overwritten(self, part: &Lanes, write: impl Fn(Tensor, &Tensor) -> Tensor) -> Lanes {
        let tags = match (self.tags, &part.tags) {
            (None, None) => None,
            (mine, theirs) => {
                let valid = |of: &Tensor| no_tags(of.dims());
                let mine = mine.unwrap_or_else(|| valid(&self.value));
                Some(match theirs {
                    Some(theirs) => write(mine, theirs),
                    None => write(mine, &valid(&part.value)),
                })
            }
        };
        Lanes {
            value: write(self.value, &part.value),
            tags,
        }
    }

    /// Tag of the first invalid element; 0 when all are valid.
    pub fn first_tag(&self) -> Tag {
        let tags = self.tags.as_ref().map(|t| t.as_slice::<Tag>());
        tags.and_then(|t| t.iter().find(|t| **t != 0).copied())
            .unwrap_or(0)
    }
}

/// Whether no element has a tag.
pub fn all_valid(tags: &Tensor) -> bool {
    // Whole words first: most tags are 0.
    tags.ieee()
        .bytes()
        .chunks(64)
        .all(|c| c.iter().fold(0, |a, b| a | b) == 0)
}

/// Tags of valid elements.
pub fn no_tags(dims: &[u64]) -> Tensor {
    Tensor::zeros(
        dims,
        &ElementType::U32,
        tileproof_dialect::planes::Planes::IeeeOnly,
    )
}

/// The same tag for all elements.
pub fn all_tagged(dims: &[u64], tag: Tag) -> Tensor {
    Tensor::from_slice(&[], ElementType::U32, &[tag]).strided(dims, 0, &vec![0; dims.len()])
}

impl Cell {
    /// A value of rank 0 or more; integers of rank 0 become numbers.
    pub fn of(lanes: Lanes) -> Cell {
        if lanes.value.rank() == 0 && lanes.value.element().is_integer() {
            Cell::Int {
                value: lanes.value.to_i64s().first().copied().unwrap_or(0),
                tag: lanes.first_tag(),
            }
        } else {
            Cell::Lanes(lanes)
        }
    }

    /// The value as a tensor of element type `element`.
    pub fn lanes(self, element: &ElementType) -> Result<Lanes, Stop> {
        match self {
            Cell::Int { value, tag } => Ok(Lanes {
                value: Tensor::new(
                    vec![],
                    element.clone(),
                    encode_i64s(element, &[value]),
                    None,
                ),
                tags: (tag != 0).then(|| all_tagged(&[], tag)),
            }),
            Cell::Lanes(lanes) => Ok(lanes),
            Cell::Ref(_) => Err(Stop::internal("a reference where a value is expected")),
        }
    }

    pub fn int(&self) -> Result<(i64, Tag), Stop> {
        match self {
            Cell::Int { value, tag } => Ok((*value, *tag)),
            Cell::Lanes(_) | Cell::Ref(_) => Err(Stop::internal("not an integer scalar")),
        }
    }

    pub fn view(&self) -> Result<&View, Stop> {
        match self {
            Cell::Ref(view) => Ok(view),
            Cell::Int { .. } | Cell::Lanes(_) => Err(Stop::internal("not a reference")),
        }
    }
}
