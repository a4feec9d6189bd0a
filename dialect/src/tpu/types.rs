//! Types of the values of a kernel: scalars, vectors, references into memories.

use crate::types::{Dim, ElementType};
use std::{fmt, sync::Arc};

/// Memories of a core, with Mosaic's names (`#tpu.memory_space<..>`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemorySpace {
    /// Wherever the caller put it: HBM here.
    Any,
    Hbm,
    Vmem,
    Smem,
    SemaphoreMem,
}

impl MemorySpace {
    const WORDS: [(MemorySpace, &'static str); 5] = [
        (MemorySpace::Any, "any"),
        (MemorySpace::Hbm, "hbm"),
        (MemorySpace::Vmem, "vmem"),
        (MemorySpace::Smem, "smem"),
        (MemorySpace::SemaphoreMem, "semaphore_mem"),
    ];

    pub fn word(self) -> &'static str {
        MemorySpace::WORDS
            .iter()
            .find(|(s, _)| *s == self)
            .map_or("any", |(_, w)| w)
    }

    pub fn from_word(word: &str) -> Option<MemorySpace> {
        MemorySpace::WORDS
            .iter()
            .find(|(_, w)| *w == word)
            .map(|(s, _)| *s)
    }
}

/// What one cell of a memory holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RefElement {
    Data(ElementType),
    /// `!tpu.semaphore`: a counter that cores signal.
    Semaphore,
    /// `!tpu.dma_semaphore`: a counter of bytes that arrived.
    DmaSemaphore,
}

/// `memref<dims x element, #tpu.tiled<tiles>, #tpu.memory_space<space>>`. Elements are addressed by row-major index whatever the tiles; tiles say how
/// many bytes a buffer takes and in which chunks a copy moves.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MemRefType {
    pub dims: Vec<Dim>,
    pub element: RefElement,
    pub space: MemorySpace,
    /// Tiles over the minor dimensions, outermost first; none: as it comes.
    pub tiles: Vec<Vec<u64>>,
}

impl MemRefType {
    pub fn new(dims: &[u64], element: ElementType, space: MemorySpace) -> MemRefType {
        MemRefType {
            dims: dims.iter().map(|d| Dim::Static(*d)).collect(),
            element: RefElement::Data(element),
            space,
            tiles: vec![],
        }
    }

    /// `count` semaphores of bytes that arrived.
    pub fn dma_semaphores(dims: &[u64]) -> MemRefType {
        MemRefType {
            dims: dims.iter().map(|d| Dim::Static(*d)).collect(),
            element: RefElement::DmaSemaphore,
            space: MemorySpace::SemaphoreMem,
            tiles: vec![],
        }
    }

    /// The sizes, unless one is only known when the kernel runs.
    pub fn static_dims(&self) -> Option<Vec<u64>> {
        self.dims
            .iter()
            .map(|d| match d {
                Dim::Static(n) => Some(*n),
                Dim::Dynamic { .. } => None,
            })
            .collect()
    }

    pub fn data(&self) -> Option<&ElementType> {
        match &self.element {
            RefElement::Data(e) => Some(e),
            RefElement::Semaphore | RefElement::DmaSemaphore => None,
        }
    }
}

/// Type of a value of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KernelType {
    /// `index`: evaluated as i64.
    Index,
    Scalar(ElementType),
    /// Rank at least 1. `vector<8x128xf32>` at S5; packed types `vector<8x128x2xbf16>`; blocks of any shape at S3 and S4.
    Vector {
        dims: Vec<u64>,
        element: ElementType,
    },
    MemRef(Arc<MemRefType>),
}

impl KernelType {
    pub fn vector(dims: &[u64], element: ElementType) -> KernelType {
        KernelType::Vector {
            dims: dims.to_vec(),
            element,
        }
    }

    pub fn i32() -> KernelType {
        KernelType::Scalar(ElementType::I32)
    }

    /// Element type of a scalar or vector; an index is an i64.
    pub fn element(&self) -> Option<ElementType> {
        match self {
            KernelType::Index => Some(ElementType::I64),
            KernelType::Scalar(e) | KernelType::Vector { element: e, .. } => Some(e.clone()),
            KernelType::MemRef(_) => None,
        }
    }

    /// Sizes of a scalar (none) or vector.
    pub fn dims(&self) -> Option<&[u64]> {
        match self {
            KernelType::Index | KernelType::Scalar(_) => Some(&[]),
            KernelType::Vector { dims, .. } => Some(dims),
            KernelType::MemRef(_) => None,
        }
    }

    pub fn as_memref(&self) -> Option<&MemRefType> {
        match self {
            KernelType::MemRef(m) => Some(m),
            KernelType::Index | KernelType::Scalar(_) | KernelType::Vector { .. } => None,
        }
    }
}

impl fmt::Display for RefElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefElement::Data(element) => write!(f, "{element}"),
            RefElement::Semaphore => f.write_str("!tpu.semaphore"),
            RefElement::DmaSemaphore => f.write_str("!tpu.dma_semaphore"),
        }
    }
}

/// As MLIR prints it, tiles without their strides.
impl fmt::Display for MemRefType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "memref<")?;
        for d in &self.dims {
            write!(f, "{d}x")?;
        }
        write!(f, "{}", self.element)?;
        if !self.tiles.is_empty() {
            write!(f, ", #tpu.tiled<")?;
            for tile in &self.tiles {
                let sizes: Vec<String> = tile.iter().map(u64::to_string).collect();
                write!(f, "({})", sizes.join(","))?;
            }
            write!(f, ">")?;
        }
        write!(f, ", #tpu.memory_space<{}>>", self.space.word())
    }
}

/// As MLIR prints it.
impl fmt::Display for KernelType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelType::Index => f.write_str("index"),
            KernelType::Scalar(element) => write!(f, "{element}"),
            KernelType::Vector { dims, element } => {
                write!(f, "vector<")?;
                for d in dims {
                    write!(f, "{d}x")?;
                }
                write!(f, "{element}>")
            }
            KernelType::MemRef(m) => write!(f, "{m}"),
        }
    }
}
