//! One MLIR op of a kernel to the ops of [`TpuOp`] that mean the same: upstream ops and Mosaic's.

use super::{
    super::attributes as plain_attributes,
    attributes::{kind_from_word, precision_from_word, reduction_from_word, word},
    decode::Decoding,
    elementwise, form,
    reader::Reader,
    types,
};
use crate::{
    attribute::{Attribute as Plain, Attributes},
    error::Error,
    hlo,
    literal::Literal,
    op::read_hlo,
    tensor::Tensor,
    tpu::{
        KernelType, KernelValue, MatmulDimensions, RefElement, TpuOp,
        op::{Mask, SourceSemaphore},
    },
    types::ElementType,
};
use melior::ir::{OperationRef, Value, ValueLike, operation::OperationLike};

/// Why an op was not translated.
pub(super) enum Not {
    /// Nothing of this name, or not with these attributes.
    Known,
    /// A part of it that kernels do not have.
    Supported(String),
}

pub(super) fn missing(what: &str) -> Not {
    Not::Supported(what.to_string())
}

pub(super) fn known<T>(value: Option<T>) -> Result<T, Not> {
    value.ok_or(Not::Known)
}

impl Decoding<'_> {
    pub(super) fn op(&mut self, op: OperationRef) {
        let reader = Reader::new(op, self.file);
        let name = types::name(op.name().to_raw());
        let location = reader.location.clone();
        let operands = self.operands(op);
        let what = match self.translate(&name, op, &reader, operands) {
            Ok(()) => return,
            Err(Not::Known) => format!("op {name}"),
            Err(Not::Supported(what)) => format!("op {name}: {what}"),
        };
        self.failures.push(Error::Unsupported {
            what,
            location: location.clone(),
        });
        for result in op.results() {
            self.define(result.into(), &location);
        }
    }

    fn rank(&self, v: Option<&KernelValue>) -> usize {
        let Some(v) = v else { return 0 };
        let ty = self.ty(*v);
        let memref = ty.as_memref().map(|m| m.dims.len());
        memref.or(ty.dims().map(<[u64]>::len)).unwrap_or(0)
    }

    fn translate(
        &mut self,
        name: &str,
        op: OperationRef,
        r: &Reader,
        operands: Vec<KernelValue>,
    ) -> Result<(), Not> {
        let location = r.location.clone();
        let first = operands.first().copied();
        let to = match name {
            "arith.constant" | "tpux.constant" => constant(op, r)?,
            "arith.index_cast" => TpuOp::IndexCast,
            "vector.broadcast" => TpuOp::Broadcast,
            "vector.shape_cast" | "tpu.reshape" => TpuOp::ShapeCast,
            "vector.transpose" | "tpu.transpose" => TpuOp::Transpose {
                permutation: known(r.sizes("permutation"))?,
            },
            "vector.multi_reduction" => TpuOp::MultiReduction {
                kind: known(
                    r.text("kind")
                        .as_deref()
                        .and_then(|t| word(t, "vector.kind"))
                        .and_then(kind_from_word),
                )?,
                dims: known(r.sizes("reduction_dims"))?,
            },
            "vector.extract_strided_slice" | "tpux.extract_strided_slice" => {
                TpuOp::ExtractStridedSlice {
                    offsets: known(r.sizes("offsets"))?,
                    sizes: known(r.sizes("sizes"))?,
                    strides: known(r.sizes("strides"))?,
                }
            }
            "vector.insert_strided_slice" => {
                if known(r.sizes("strides"))?.iter().any(|s| *s != 1) {
                    return Err(missing("strides other than 1"));
                }
                TpuOp::InsertStridedSlice {
                    offsets: known(r.sizes("offsets"))?,
                }
            }
            "vector.extract" => {
                if operands.len() != 1 {
                    return Err(missing("a position only known at run time"));
                }
                TpuOp::Extract {
                    position: known(r.sizes("static_position"))?,
                }
            }
            "tpu.concatenate" => TpuOp::Concatenate {
                dimension: known(r.size("dimension"))?,
            },
            "tpu.iota" => TpuOp::Iota {
                dimensions: known(r.sizes("dimensions"))?,
            },
            "tpux.rotate" => TpuOp::Rotate {
                amount: known(r.size("amount"))?,
                dimension: known(r.size("dimension"))?,
            },
            "tpu.dynamic_rotate" => {
                if r.raw("stride").is_some() {
                    return Err(missing("an amount that grows by a stride"));
                }
                TpuOp::DynamicRotate {
                    dimension: known(r.size("dimension"))?,
                }
            }
            "tpu.repeat" => TpuOp::Repeat {
                dimension: known(r.size("dimension"))?,
                times: known(r.size("times"))?,
            },
            "tpu.dynamic_gather" => match known(r.sizes("dimensions"))?[..] {
                [dimension] => TpuOp::DynamicGather { dimension },
                _ => return Err(missing("more than one dimension")),
            },
            "tpux.reverse" => TpuOp::Reverse {
                dimensions: known(r.sizes("dimensions"))?,
            },
            "tpu.matmul" => return self.matmul(op, r, operands),
            "tpu.all_reduce" => TpuOp::AllReduce {
                kind: known(
                    r.text("kind")
                        .as_deref()
                        .and_then(|t| word(t, "tpu.reduction_kind"))
                        .and_then(reduction_from_word),
                )?,
                dimension: known(r.size("dim"))?,
            },
            "tpux.all_reduce" => TpuOp::AllReduce {
                kind: known(r.string("kind").as_deref().and_then(kind_from_word))?,
                dimension: known(r.size("dimension"))?,
            },
            "tpu.create_mask" => TpuOp::CreateMask,
            "tpu.pack_subelements" | "tpu.pack_vmsk" => {
                let positions: Vec<u64> = (0..operands.len() as u64).collect();
                if r.sizes("positions") != Some(positions) {
                    return Err(missing("positions out of order"));
                }
                compressed(name, r)?;
                TpuOp::PackSubelements
            }
            "tpu.unpack_subelements" => {
                compressed(name, r)?;
                TpuOp::UnpackSubelements {
                    index: known(r.size("index"))?,
                }
            }
            "tpu.roll_vectors" => TpuOp::RollVectors,
            "tpu.unroll_vectors" => TpuOp::UnrollVectors,
            "vector.load" | "tpu.vector_load" | "tpu.strided_load" => {
                let indices = self.rank(first.as_ref());
                TpuOp::Load {
                    strides: strides(r),
                    masked: masked(operands.len(), 1 + indices),
                }
            }
            "vector.store" | "tpu.vector_store" | "tpu.strided_store" => {
                if r.flag("add") == Some(true) {
                    return Err(missing("a store that adds"));
                }
                return self.store(
                    op,
                    r,
                    operands,
                    TpuOp::Store {
                        strides: strides(r),
                        masked: Mask::Unmasked,
                    },
                );
            }
            "tpu.load" => {
                sublanes(r)?;
                TpuOp::RegisterLoad {
                    masked: Mask::Unmasked,
                }
            }
            "tpux.masked_load" => TpuOp::RegisterLoad {
                masked: Mask::Masked,
            },
            "tpu.store" => {
                sublanes(r)?;
                if r.flag("add") == Some(true) {
                    return Err(missing("a store that adds"));
                }
                return self.store(
                    op,
                    r,
                    operands,
                    TpuOp::RegisterStore {
                        masked: Mask::Unmasked,
                    },
                );
            }
            "memref.load" => TpuOp::ScalarLoad,
            "memref.store" => TpuOp::ScalarStore,
            "tpu.memref_slice" => {
                let result = known(op.result(0).ok())?;
                match types::decode(result.r#type()).map_err(Not::Supported)? {
                    KernelType::MemRef(m) => TpuOp::MemRefSlice {
                        sizes: m.dims.clone(),
                    },
                    KernelType::Index | KernelType::Scalar(_) | KernelType::Vector { .. } => {
                        return Err(Not::Known);
                    }
                }
            }
            "tpu.memref_squeeze" => TpuOp::MemRefSqueeze,
            "tpu.memref_reshape" => TpuOp::MemRefReshape,
            "tpu.memref_bitcast" => TpuOp::MemRefBitcast,
            "tpu.enqueue_dma" => return self.enqueue_dma(op, r, operands),
            "tpu.wait_dma2" => {
                local(r, 3)?;
                TpuOp::WaitDma2
            }
            "tpu.sem_signal" => {
                local(r, 2)?;
                TpuOp::SemaphoreSignal
            }
            "tpu.sem_wait" => TpuOp::SemaphoreWait,
            "tpu.sem_read" => TpuOp::SemaphoreRead,
            "tpu.sem_barrier" => TpuOp::BarrierSemaphore,
            "scf.for" => {
                if r.raw("unsignedCmp").is_some() {
                    return Err(missing("an unsigned comparison"));
                }
                TpuOp::For
            }
            "scf.if" => TpuOp::If,
            "scf.while" => TpuOp::While,
            "scf.condition" => TpuOp::Condition,
            "scf.yield" | "func.return" | "tpu.yield" | "tpux.yield" => TpuOp::Yield,
            "tpux.implements" => TpuOp::Implements {
                name: known(r.string("function"))?,
            },
            "tpux.elementwise" => TpuOp::Elementwise(self.named(op, r)?),
            // Hints and traces mean nothing here.
            "tpu.assume_multiple" | "tpu.assume_layout" | "tpu.erase_memref_layout" => {
                let (result, v) = (known(op.result(0).ok())?, known(first)?);
                self.bind(result.into(), v);
                return Ok(());
            }
            "tpu.trace_start" | "tpu.trace_stop" | "tpu.delay" => return Ok(()),
            "tpu.region" | "tpu.trace" => {
                self.inlined(op);
                return Ok(());
            }
            "memref.alloca" | "tpu.sem_alloc" => {
                let result: Value = known(op.result(0).ok())?.into();
                let v = self.define(result, &location);
                self.scratch.push(v);
                return Ok(());
            }
            "tpu.iteration_bound" => {
                let bound = known(
                    r.size("dim")
                        .and_then(|d| self.grid.get(d as usize).copied()),
                )?;
                let t = Tensor::from_i64s(&[], &ElementType::I32, &[bound]);
                TpuOp::Constant(Literal::from_tensor(&t))
            }
            _ => return self.elementwise(name, op, r, operands),
        };
        self.translated(op, to, operands, &location);
        Ok(())
    }

    /// `op` is a store, masked when an operand follows its indices.
    fn store(
        &mut self,
        op: OperationRef,
        r: &Reader,
        operands: Vec<KernelValue>,
        mut to: TpuOp,
    ) -> Result<(), Not> {
        let given = masked(operands.len(), 2 + self.rank(operands.get(1)));
        if let TpuOp::Store { masked, .. } | TpuOp::RegisterStore { masked } = &mut to {
            *masked = given;
        }
        self.translated(op, to, operands, &r.location);
        Ok(())
    }

    fn matmul(
        &mut self,
        op: OperationRef,
        r: &Reader,
        operands: Vec<KernelValue>,
    ) -> Result<(), Not> {
        let (lhs, rhs) = (self.rank(operands.first()), self.rank(operands.get(1)));
        let precision = match r.text("precision") {
            None => None,
            Some(text) => Some(
                known(word(&text, "tpu.contract_precision").and_then(precision_from_word))?
                    .to_string(),
            ),
        };
        let dimensions = match r.text("dimension_numbers") {
            Some(text) => {
                let lists = known(number_lists(&text))?;
                let [
                    lhs_contracting,
                    rhs_contracting,
                    _,
                    _,
                    _,
                    lhs_batch,
                    rhs_batch,
                ] = &lists[..]
                else {
                    return Err(Not::Known);
                };
                let d = MatmulDimensions {
                    lhs_contracting: lhs_contracting.clone(),
                    rhs_contracting: rhs_contracting.clone(),
                    lhs_batch: lhs_batch.clone(),
                    rhs_batch: rhs_batch.clone(),
                };
                if number_lists(&form::dot_dimensions(&d, lhs, rhs)) != Some(lists) {
                    return Err(missing("a result in another order than batch, lhs, rhs"));
                }
                d
            }
            None => MatmulDimensions {
                lhs_contracting: vec![if r.flag("transpose_lhs") == Some(true) {
                    0
                } else {
                    1
                }],
                rhs_contracting: vec![if r.flag("transpose_rhs") == Some(true) {
                    1
                } else {
                    0
                }],
                ..MatmulDimensions::default()
            },
        };
        let to = TpuOp::Matmul {
            dimensions,
            precision,
        };
        self.translated(op, to, operands, &r.location);
        Ok(())
    }

    fn enqueue_dma(
        &mut self,
        op: OperationRef,
        r: &Reader,
        operands: Vec<KernelValue>,
    ) -> Result<(), Not> {
        let segments = known(r.ints("operandSegmentSizes"))?;
        if segments.get(3) != Some(&1) {
            return Err(missing("a copy that counts on no semaphore of its target"));
        }
        if segments.iter().skip(4).any(|n| *n != 0) {
            return Err(missing("a copy to another core or device"));
        }
        let source_semaphore = match segments.get(1) {
            Some(0) => SourceSemaphore::Absent,
            Some(_) | None => SourceSemaphore::Present,
        };
        let semaphores = operands.iter().filter_map(|v| self.ty(*v).as_memref());
        if semaphores
            .into_iter()
            .any(|m| m.element == RefElement::Semaphore)
        {
            return Err(missing("a copy that counts on a regular semaphore"));
        }
        let to = TpuOp::EnqueueDma {
            source_semaphore,
            priority: r.int("priority").unwrap_or(0),
        };
        self.translated(op, to, operands, &r.location);
        Ok(())
    }

    /// The `hlo` op of `tpux.elementwise`.
    fn named(&mut self, op: OperationRef, r: &Reader) -> Result<hlo::Op, Not> {
        let function = known(r.string("function"))?;
        let mut attributes = Attributes::new();
        for i in 0..op.attribute_count() {
            let Ok((identifier, value)) = op.attribute_at(i) else {
                continue;
            };
            let name = types::name(identifier.to_raw());
            if name != "function" {
                attributes.0.insert(
                    name,
                    plain_attributes::decode(value).map_err(Not::Supported)?,
                );
            }
        }
        let name = known(function.strip_prefix("hlo."))?;
        match read_hlo(name, attributes, &r.location) {
            Ok((op, unknown)) if unknown.is_empty() => Ok(op),
            Ok((_, unknown)) => Err(missing(&format!(
                "{function} with attribute {:?}",
                unknown.0.keys().collect::<Vec<_>>()
            ))),
            Err(error) => {
                self.failures.push(error);
                Err(missing(&function))
            }
        }
    }

    fn elementwise(
        &mut self,
        name: &str,
        op: OperationRef,
        r: &Reader,
        operands: Vec<KernelValue>,
    ) -> Result<(), Not> {
        if op.result_count() != 1 {
            return Err(Not::Known);
        }
        let fastmath = r
            .text("fastmath")
            .is_none_or(|text| text == "#arith.fastmath<none>");
        if !fastmath {
            return Err(missing("fastmath flags"));
        }
        let result: Value = known(op.result(0).ok())?.into();
        let ty = types::decode(result.r#type()).map_err(Not::Supported)?;
        let of: Vec<KernelType> = operands.iter().map(|v| self.ty(*v).clone()).collect();
        if let Some(to) = elementwise::from_upstream(name, r.int("predicate"), &of, &ty) {
            self.translated(op, TpuOp::Elementwise(to), operands, &r.location);
            return Ok(());
        }
        let v = self.composed(name, r, &operands, &of, &ty)?;
        self.bind(result, v);
        Ok(())
    }
}

fn constant(op: OperationRef, r: &Reader) -> Result<TpuOp, Not> {
    let result = known(op.result(0).ok())?;
    let ty = types::decode(result.r#type()).map_err(Not::Supported)?;
    let scalar = |values: Tensor| Ok(TpuOp::Constant(Literal::from_tensor(&values)));
    match (r.plain("value"), ty.element(), ty.dims()) {
        (Some(Plain::Literal(literal)), ..) => Ok(TpuOp::Constant(literal)),
        (Some(Plain::Int(n)), Some(e), Some([])) => scalar(Tensor::from_i64s(&[], &e, &[n])),
        (Some(Plain::Bool(b)), Some(e), Some([])) => {
            scalar(Tensor::from_i64s(&[], &e, &[b.into()]))
        }
        (Some(Plain::Float(bits)), Some(e), Some([])) => {
            scalar(Tensor::splat_f64(&[], &e, f64::from_bits(bits)))
        }
        (_, _, _) => Err(missing("this value")),
    }
}

/// The strides of a load or store; none when it has none or an empty list.
fn strides(r: &Reader) -> Option<Vec<u64>> {
    r.sizes("strides").filter(|s| !s.is_empty())
}

fn masked(operands: usize, unmasked: usize) -> Mask {
    if operands > unmasked {
        Mask::Masked
    } else {
        Mask::Unmasked
    }
}

fn sublanes(r: &Reader) -> Result<(), Not> {
    let all = match r.plain("sublane_mask") {
        Some(Plain::Bools(list)) => list.iter().all(|b| *b),
        Some(_) | None => false,
    };
    let stride = r.int("sublane_stride").unwrap_or(1);
    if all && stride == 1 {
        Ok(())
    } else {
        Err(missing("sublanes left out"))
    }
}

fn compressed(name: &str, r: &Reader) -> Result<(), Not> {
    let format = r.text("pack_format");
    let fits = format
        .as_deref()
        .is_none_or(|text| text == "#tpu.pack_format<compressed>");
    if fits {
        Ok(())
    } else {
        Err(missing(&format!(
            "{name} in another format than compressed"
        )))
    }
}

/// No device or core after the first `count` operands.
fn local(r: &Reader, count: usize) -> Result<(), Not> {
    let segments = known(r.ints("operandSegmentSizes"))?;
    if segments.iter().skip(count).any(|n| *n != 0) {
        return Err(missing("another core or device"));
    }
    Ok(())
}

/// The lists of `#tpu.dot_dimension_numbers<[1], [0], ..>`.
fn number_lists(text: &str) -> Option<Vec<Vec<u64>>> {
    let inner = word(text, "tpu.dot_dimension_numbers")?;
    inner
        .split(']')
        .filter_map(|part| part.split_once('['))
        .map(|(_, list)| {
            let parts = list.split(',').map(str::trim).filter(|p| !p.is_empty());
            parts.map(|p| p.parse().ok()).collect()
        })
        .collect()
}
