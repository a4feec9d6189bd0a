//! Name and attributes of the MLIR op that a kernel's op becomes.

use super::{
    attributes::{kind_word, precision_word, reduction_word},
    elementwise,
};
use crate::{
    attribute::Attributes,
    hlo,
    tpu::{
        Kernel, KernelOperation, KernelType, KernelValue, MatmulDimensions, TpuOp,
        op::{Mask, SourceSemaphore},
    },
    types::{Class, Dim, ElementType},
};

/// What an op becomes.
pub(super) struct Form {
    pub name: String,
    /// As MLIR reads them.
    pub attributes: Vec<(&'static str, String)>,
    /// Attributes of the `hlo` op, and literals.
    pub plain: Attributes,
}

fn form(name: &str, attributes: Vec<(&'static str, String)>) -> Form {
    Form {
        name: name.to_string(),
        attributes,
        plain: Attributes::new(),
    }
}

pub(super) fn list<T: std::fmt::Display>(values: impl IntoIterator<Item = T>) -> String {
    let values: Vec<String> = values.into_iter().map(|v| v.to_string()).collect();
    values.join(", ")
}

/// `array<i64: 1, 2>`.
fn array<T: std::fmt::Display>(of: &str, values: impl IntoIterator<Item = T>) -> String {
    match list(values) {
        none if none.is_empty() => format!("array<{of}>"),
        some => format!("array<{of}: {some}>"),
    }
}

pub(super) fn i64s(values: &[u64]) -> String {
    array("i64", values)
}

fn i32s(values: &[u64]) -> String {
    array("i32", values)
}

fn int(value: u64, of: &str) -> String {
    format!("{value} : {of}")
}

/// `operandSegmentSizes`.
fn segments(sizes: &[usize]) -> (&'static str, String) {
    ("operandSegmentSizes", array("i32", sizes))
}

/// `tpu.dot_dimension_numbers` of operands of these ranks; the result is batch, lhs, rhs.
pub(super) fn dot_dimensions(d: &MatmulDimensions, lhs_rank: usize, rhs_rank: usize) -> String {
    let free = |rank: usize, taken: [&[u64]; 2]| -> Vec<u64> {
        (0..rank as u64)
            .filter(|i| taken.iter().all(|t| !t.contains(i)))
            .collect()
    };
    let lhs = free(lhs_rank, [&d.lhs_contracting, &d.lhs_batch]);
    let rhs = free(rhs_rank, [&d.rhs_contracting, &d.rhs_batch]);
    let from = |side: u64, dims: &[u64]| dims.iter().flat_map(|i| [side, *i]).collect::<Vec<_>>();
    let order = [from(0, &d.lhs_batch), from(0, &lhs), from(1, &rhs)].concat();
    let lists = [
        &d.lhs_contracting,
        &d.rhs_contracting,
        &lhs,
        &rhs,
        &order,
        &d.lhs_batch,
        &d.rhs_batch,
    ];
    let lists = lists.map(|l| format!("[{}]", list(l)));
    format!("#tpu.dot_dimension_numbers<{}>", lists.join(", "))
}

/// Ops of one kernel.
pub(super) struct Forms<'k> {
    pub kernel: &'k Kernel,
}

impl Forms<'_> {
    fn operand_type(&self, o: &KernelOperation, i: usize) -> Option<&KernelType> {
        self.kernel.types.get(o.operands.get(i)?.index())
    }

    fn rank(&self, o: &KernelOperation, i: usize) -> usize {
        let ty = self.operand_type(o, i);
        let memref = ty.and_then(|ty| ty.as_memref()).map(|m| m.dims.len());
        memref
            .or(ty.and_then(|ty| ty.dims()).map(<[u64]>::len))
            .unwrap_or(0)
    }

    fn element(&self, v: Option<&KernelValue>) -> Option<ElementType> {
        self.kernel.types.get(v?.index())?.element()
    }

    pub fn form(&self, o: &KernelOperation, terminator: &str) -> Form {
        let simple = || form(o.op.name(), vec![]);
        let with = |attributes| form(o.op.name(), attributes);
        let float = self
            .element(o.operands.first())
            .is_some_and(|e| e.is_float());
        match &o.op {
            TpuOp::Constant(_) => {
                let ty = o
                    .results
                    .first()
                    .and_then(|v| self.kernel.types.get(v.index()));
                let unsigned =
                    matches!(ty, Some(KernelType::Scalar(e)) if e.class() == Class::Unsigned);
                form(
                    if unsigned {
                        "tpux.constant"
                    } else {
                        "arith.constant"
                    },
                    vec![],
                )
            }
            TpuOp::Elementwise(op) => self.elementwise(op, o),
            TpuOp::IndexCast
            | TpuOp::Broadcast
            | TpuOp::ShapeCast
            | TpuOp::CreateMask
            | TpuOp::RollVectors
            | TpuOp::UnrollVectors
            | TpuOp::ScalarLoad
            | TpuOp::ScalarStore
            | TpuOp::MemRefSqueeze
            | TpuOp::MemRefReshape
            | TpuOp::MemRefBitcast
            | TpuOp::SemaphoreWait
            | TpuOp::SemaphoreRead
            | TpuOp::BarrierSemaphore
            | TpuOp::For
            | TpuOp::If
            | TpuOp::While
            | TpuOp::Condition => simple(),
            TpuOp::Transpose { permutation } => with(vec![("permutation", i64s(permutation))]),
            TpuOp::MultiReduction { kind, dims } => with(vec![
                ("kind", format!("#vector.kind<{}>", kind_word(*kind, float))),
                ("reduction_dims", i64s(dims)),
            ]),
            TpuOp::ExtractStridedSlice {
                offsets,
                sizes,
                strides,
            } => {
                if strides.iter().all(|s| *s == 1) {
                    let listed = |l: &[u64]| format!("[{}]", list(l));
                    with(vec![
                        ("offsets", listed(offsets)),
                        ("sizes", listed(sizes)),
                        ("strides", listed(strides)),
                    ])
                } else {
                    let attributes = vec![
                        ("offsets", i64s(offsets)),
                        ("sizes", i64s(sizes)),
                        ("strides", i64s(strides)),
                    ];
                    form("tpux.extract_strided_slice", attributes)
                }
            }
            TpuOp::InsertStridedSlice { offsets } => {
                let ones = vec![1u64; self.rank(o, 0)];
                with(vec![
                    ("offsets", format!("[{}]", list(offsets))),
                    ("strides", format!("[{}]", list(ones))),
                ])
            }
            TpuOp::Extract { position } => with(vec![("static_position", i64s(position))]),
            TpuOp::Concatenate { dimension } => with(vec![("dimension", int(*dimension, "i32"))]),
            TpuOp::Iota { dimensions } => with(vec![("dimensions", i32s(dimensions))]),
            TpuOp::Rotate { amount, dimension } => form(
                "tpux.rotate",
                vec![
                    ("amount", int(*amount, "i64")),
                    ("dimension", int(*dimension, "i64")),
                ],
            ),
            TpuOp::DynamicRotate { dimension } => {
                with(vec![("dimension", int(*dimension, "si32"))])
            }
            TpuOp::Repeat { dimension, times } => with(vec![
                ("dimension", int(*dimension, "i32")),
                ("times", int(*times, "i32")),
            ]),
            TpuOp::DynamicGather { dimension } => with(vec![("dimensions", i32s(&[*dimension]))]),
            TpuOp::Reverse { dimensions } => {
                form("tpux.reverse", vec![("dimensions", i64s(dimensions))])
            }
            TpuOp::Matmul {
                dimensions,
                precision,
            } => {
                let numbers = dot_dimensions(dimensions, self.rank(o, 0), self.rank(o, 1));
                let mut attributes = vec![
                    ("dimension_numbers", numbers),
                    ("transpose_lhs_hint", "false".to_string()),
                ];
                if let Some(word) = precision.as_deref().and_then(precision_word) {
                    attributes.push(("precision", format!("#tpu.contract_precision<{word}>")));
                }
                with(attributes)
            }
            TpuOp::AllReduce { kind, dimension } => match reduction_word(*kind) {
                Some(word) => with(vec![
                    ("dim", int(*dimension, "i64")),
                    ("kind", format!("#tpu.reduction_kind<{word}>")),
                ]),
                None => form(
                    "tpux.all_reduce",
                    vec![
                        ("dimension", int(*dimension, "i64")),
                        ("kind", format!("\"{}\"", kind_word(*kind, float))),
                    ],
                ),
            },
            TpuOp::PackSubelements => {
                let positions: Vec<u64> = (0..o.operands.len() as u64).collect();
                let positions = ("positions", i32s(&positions));
                if self.element(o.operands.first()) == Some(ElementType::I1) {
                    form("tpu.pack_vmsk", vec![positions])
                } else {
                    with(vec![positions, compressed()])
                }
            }
            TpuOp::UnpackSubelements { index } => {
                with(vec![("index", int(*index, "i32")), compressed()])
            }
            TpuOp::Load { strides, masked } => match (strides, masked) {
                (None, Mask::Unmasked) => form("vector.load", vec![]),
                (Some(strides), Mask::Unmasked) => {
                    form("tpu.strided_load", vec![("strides", i32s(strides))])
                }
                (strides, Mask::Masked) => {
                    let strides = i32s(strides.as_deref().unwrap_or_default());
                    with(vec![
                        ("strides", strides),
                        segments(&[1, self.rank(o, 0), 1]),
                    ])
                }
            },
            TpuOp::Store { strides, masked } => match (strides, masked) {
                (None, Mask::Unmasked) => form("vector.store", vec![]),
                (Some(strides), Mask::Unmasked) => {
                    form("tpu.strided_store", vec![("strides", i32s(strides))])
                }
                (strides, Mask::Masked) => {
                    let strides = i32s(strides.as_deref().unwrap_or_default());
                    with(vec![
                        ("strides", strides),
                        segments(&[1, 1, self.rank(o, 1), 1]),
                    ])
                }
            },
            TpuOp::RegisterLoad { masked } => match masked {
                Mask::Unmasked => with(vec![sublanes()]),
                Mask::Masked => form("tpux.masked_load", vec![]),
            },
            TpuOp::RegisterStore { masked } => {
                let mask = match masked {
                    Mask::Unmasked => 0,
                    Mask::Masked => 1,
                };
                with(vec![sublanes(), segments(&[1, 1, self.rank(o, 1), mask])])
            }
            TpuOp::MemRefSlice { sizes } => {
                let dynamic = sizes
                    .iter()
                    .filter(|d| matches!(d, Dim::Dynamic { .. }))
                    .count();
                with(vec![segments(&[1, sizes.len(), dynamic])])
            }
            TpuOp::EnqueueDma {
                source_semaphore,
                priority,
            } => {
                let source = match source_semaphore {
                    SourceSemaphore::Absent => 0,
                    SourceSemaphore::Present => 1,
                };
                with(vec![
                    segments(&[1, source, 1, 1, 0, 0, 0]),
                    ("priority", format!("{priority} : i32")),
                ])
            }
            TpuOp::WaitDma2 => with(vec![segments(&[1, 1, 1, 0, 0])]),
            TpuOp::SemaphoreSignal => with(vec![segments(&[1, 1, 0, 0, 0])]),
            TpuOp::Yield => form(terminator, vec![]),
            TpuOp::Implements { name } => {
                let mut out = simple();
                out.plain = out.plain.with("function", name.as_str());
                out
            }
        }
    }

    fn elementwise(&self, op: &hlo::Op, o: &KernelOperation) -> Form {
        let of = |values: &[KernelValue]| -> Vec<KernelType> {
            values
                .iter()
                .filter_map(|v| self.kernel.types.get(v.index()).cloned())
                .collect()
        };
        let (operands, results) = (of(&o.operands), of(&o.results));
        let upstream = results
            .first()
            .and_then(|result| elementwise::upstream(op, &operands, result));
        match upstream {
            Some(found) => {
                let predicate = found.predicate.map(|p| ("predicate", format!("{p} : i64")));
                form(found.name, predicate.into_iter().collect())
            }
            None => Form {
                name: "tpux.elementwise".to_string(),
                attributes: vec![],
                plain: op
                    .to_attributes()
                    .with("function", format!("hlo.{}", op.name())),
            },
        }
    }
}

fn compressed() -> (&'static str, String) {
    ("pack_format", "#tpu.pack_format<compressed>".to_string())
}

fn sublanes() -> (&'static str, String) {
    ("sublane_mask", array("i1", [true; 8]))
}
