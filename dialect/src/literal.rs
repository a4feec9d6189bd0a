//! Constants of a program: dense or splat elements, shared and compared by content hash.

use crate::{
    buffer::Buffer,
    tensor::{Tensor, count},
    types::{ElementType, TensorType},
};

/// A dense constant. A splat stores one element.
#[derive(Debug, Clone)]
pub struct Literal {
    dims: Vec<u64>,
    element: ElementType,
    data: Buffer,
    splat: bool,
    hash: u128,
}

impl Literal {
    /// All elements, or exactly one that stands for all, in the storage of [`Tensor`]. Elements that are all equal become a splat.
    /// None when the length fits neither.
    pub fn new(dims: Vec<u64>, element: ElementType, data: Buffer) -> Option<Literal> {
        let size = element.storage_bytes();
        let total = count(&dims);
        let given = data.bytes().len() / size;
        if given * size != data.bytes().len() || (given != total && given != 1) {
            return None;
        }
        let splat = given == 1
            || (total > 1
                && data
                    .bytes()
                    .chunks_exact(size)
                    .all(|c| c == &data.bytes()[..size]));
        let data = if splat && given > 1 {
            Buffer::from_slice(&data.bytes()[..size])
        } else {
            data
        };
        let hash = {
            let mut h = xxhash_rust::xxh3::Xxh3::new();
            h.update(
                TensorType::new(dims.iter().copied(), element.clone())
                    .to_string()
                    .as_bytes(),
            );
            h.update(data.bytes());
            h.digest128()
        };
        Some(Literal {
            dims,
            element,
            data,
            splat,
            hash,
        })
    }

    pub fn from_tensor(t: &Tensor) -> Literal {
        // A tensor's plane always has the length its type says.
        Literal::new(t.dims().to_vec(), t.element().clone(), t.ieee().clone())
            .unwrap_or_else(|| Literal::empty(t.element().clone()))
    }

    fn empty(element: ElementType) -> Literal {
        Literal {
            dims: vec![0],
            element,
            data: Buffer::from_slice::<u8>(&[]),
            splat: false,
            hash: 0,
        }
    }

    pub fn dims(&self) -> &[u64] {
        &self.dims
    }

    pub fn element(&self) -> &ElementType {
        &self.element
    }

    pub fn ty(&self) -> TensorType {
        TensorType::new(self.dims.iter().copied(), self.element.clone())
    }

    pub fn is_splat(&self) -> bool {
        self.splat
    }

    /// Stored bytes: one element for a splat.
    pub fn data(&self) -> &Buffer {
        &self.data
    }

    /// Hash of type and content.
    pub fn hash(&self) -> u128 {
        self.hash
    }

    /// The literal as a tensor without ring plane.
    pub fn to_tensor(&self) -> Tensor {
        if self.splat {
            let one = Tensor::new(vec![], self.element.clone(), self.data.clone(), None);
            one.strided(&self.dims, 0, &vec![0; self.dims.len()])
        } else {
            Tensor::new(
                self.dims.clone(),
                self.element.clone(),
                self.data.clone(),
                None,
            )
        }
    }

    /// The one element of a splat or scalar as a rank-0 tensor.
    pub fn splat_value(&self) -> Option<Tensor> {
        (self.splat || count(&self.dims) == 1)
            .then(|| Tensor::new(vec![], self.element.clone(), self.data.clone(), None))
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Literal) -> bool {
        self.hash == other.hash
            && self.dims == other.dims
            && self.element == other.element
            && self.data == other.data
    }
}

impl Eq for Literal {}

impl std::hash::Hash for Literal {
    fn hash<H: std::hash::Hasher>(&self, h: &mut H) {
        self.hash.hash(h);
    }
}
