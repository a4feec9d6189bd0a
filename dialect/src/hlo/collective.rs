//! Process groups of collective ops, and what the members do together (StableHLO specification, collective ops).

use crate::{
    attribute::{Attribute, AttributeReader, Attributes},
    error::Error,
    eval::{EvalContext, Process, Stop, Trap},
    hlo::{concatenate, convert::Convert, shape},
    location::Location,
    op::{InferContext, OpDef},
    planes::Planes,
    tensor::{Tensor, Value, row_major_strides},
    types::{Dim, ElementType, TensorType, Type},
};
use std::sync::Arc;

/// Attributes that say which processes work together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Groups {
    /// Empty: all replicas (or processes, with flattened ids) are one group.
    pub replica_groups: Vec<Vec<i64>>,
    /// 0: none.
    pub channel_id: i64,
    pub use_global_device_ids: bool,
}

/// How `replica_groups` become groups of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Replicas of one partition.
    CrossReplica,
    /// Partitions of one replica.
    CrossPartition,
    /// Replicas with all their partitions.
    CrossReplicaAndPartition,
    /// Processes by their flat numbers.
    FlattenedIds,
}

/// Flat number of a process.
pub fn flat(p: &Process) -> u64 {
    p.replica * p.partitions + p.partition
}

/// Reads a list of lists of integers.
pub fn read_rows(reader: &mut AttributeReader<'_>, name: &str) -> Option<Vec<Vec<i64>>> {
    let items = match reader.take(name)? {
        Attribute::Array(items) => items,
        _ => {
            reader.reject(format!(
                "attribute '{name}' must be a list of lists of integers"
            ));
            return Some(vec![]);
        }
    };
    let row = |a: &Attribute| match a {
        Attribute::Ints(v) => Some(v.clone()),
        Attribute::Array(v) if v.is_empty() => Some(vec![]),
        _ => None,
    };
    let rows: Vec<Vec<i64>> = items.iter().filter_map(row).collect();
    if rows.len() != items.len() {
        reader.reject(format!(
            "attribute '{name}' must be a list of lists of integers"
        ));
    }
    Some(rows)
}

/// The attribute `read_rows` reads.
pub fn rows_attribute(rows: &[Vec<i64>]) -> Attribute {
    Attribute::Array(rows.iter().map(|r| Attribute::Ints(r.clone())).collect())
}

/// A channel number for an attribute: none for 0.
pub fn non_default(channel_id: i64) -> Option<i64> {
    (channel_id != 0).then_some(channel_id)
}

impl Groups {
    pub fn read(reader: &mut AttributeReader<'_>) -> Groups {
        Groups {
            replica_groups: read_rows(reader, "replica_groups").unwrap_or_default(),
            channel_id: reader.opt_int("channel_id").unwrap_or(0),
            use_global_device_ids: reader.opt_bool("use_global_device_ids").unwrap_or(false),
        }
    }

    pub fn add_to(&self, attributes: Attributes) -> Attributes {
        attributes
            .with("replica_groups", rows_attribute(&self.replica_groups))
            .with_some("channel_id", non_default(self.channel_id))
            .with_some(
                "use_global_device_ids",
                self.use_global_device_ids.then_some(true),
            )
    }

    /// Groups that need no more than the attributes to be wrong: repeated numbers (`unique`), negative ones (`range`), flattened ids without a
    /// channel (`global`).
    pub fn violations(&self, unique: &str, range: &str, global: &str) -> Vec<String> {
        let all: Vec<i64> = self.replica_groups.concat();
        let mut wrong = vec![];
        if (1..all.len()).any(|i| all[..i].contains(&all[i])) {
            wrong.push(format!(
                "{unique}: replica_groups {:?} repeat a number",
                self.replica_groups
            ));
        }
        if all.iter().any(|n| *n < 0) {
            wrong.push(format!(
                "{range}: replica_groups {:?} must not be negative",
                self.replica_groups
            ));
        }
        if self.use_global_device_ids && self.channel_id <= 0 {
            wrong.push(format!(
                "{global}: use_global_device_ids needs a positive channel_id"
            ));
        }
        wrong
    }

    /// Strategy of all_gather, all_reduce and reduce_scatter.
    pub fn reducing(&self) -> Strategy {
        match (self.channel_id > 0, self.use_global_device_ids) {
            (_, true) => Strategy::FlattenedIds,
            (true, false) => Strategy::CrossReplicaAndPartition,
            (false, false) => Strategy::CrossReplica,
        }
    }

    /// Strategy of all_to_all, collective_broadcast, collective_permute and collective_reduce.
    pub fn moving(&self) -> Strategy {
        if self.channel_id > 0 {
            Strategy::CrossPartition
        } else {
            Strategy::CrossReplica
        }
    }

    /// Flat numbers of the group that `p` is in; none when it is in none.
    pub fn group_of(&self, strategy: Strategy, p: &Process) -> Option<Vec<u64>> {
        let whole = match strategy {
            Strategy::CrossReplica | Strategy::CrossReplicaAndPartition => p.replicas,
            Strategy::CrossPartition => p.partitions,
            Strategy::FlattenedIds => p.replicas * p.partitions,
        };
        let groups: Vec<Vec<u64>> = if self.replica_groups.is_empty() {
            vec![(0..whole).collect()]
        } else {
            let known = |n: &i64| u64::try_from(*n).ok().filter(|n| *n < whole);
            self.replica_groups
                .iter()
                .map(|g| g.iter().filter_map(known).collect())
                .collect()
        };
        let me = flat(p);
        let members = |g: &Vec<u64>| -> Vec<u64> {
            match strategy {
                Strategy::CrossReplica => {
                    g.iter().map(|r| r * p.partitions + p.partition).collect()
                }
                Strategy::CrossPartition => {
                    g.iter().map(|n| p.replica * p.partitions + n).collect()
                }
                Strategy::CrossReplicaAndPartition => (0..p.partitions)
                    .flat_map(|n| g.iter().map(move |r| r * p.partitions + n))
                    .collect(),
                Strategy::FlattenedIds => g.clone(),
            }
        };
        groups.iter().map(members).find(|g| g.contains(&me))
    }

    /// As `group_of`; a process outside every group is an invalid program.
    pub fn group(&self, strategy: Strategy, cx: &EvalContext<'_>) -> Result<Vec<u64>, Stop> {
        let p = cx.runner.process();
        self.group_of(strategy, &p).ok_or_else(|| {
            let message = format!(
                "process (replica {}, partition {}) is in none of replica_groups {:?}",
                p.replica, p.partition, self.replica_groups
            );
            Stop::Failed(Error::invalid(message, Location::default()))
        })
    }

    /// Every member's payload, in the order of the group.
    pub fn meet(
        &self,
        group: &[u64],
        payload: Vec<Value>,
        cx: &mut EvalContext<'_>,
    ) -> Result<Vec<Vec<Value>>, Stop> {
        cx.runner.exchange(self.channel_id, group, payload)
    }

    /// Number of processes of a group as far as the attributes tell.
    pub fn size(&self) -> Option<u64> {
        match self.reducing() {
            Strategy::CrossReplicaAndPartition => None,
            Strategy::CrossReplica | Strategy::CrossPartition | Strategy::FlattenedIds => {
                self.replica_groups.first().map(|g| g.len() as u64)
            }
        }
    }
}

/// Place of this process in its group.
pub fn position(group: &[u64], cx: &EvalContext<'_>) -> usize {
    let me = flat(&cx.runner.process());
    group.iter().position(|p| *p == me).unwrap_or(0)
}

/// Tensor number `i` of every member.
pub fn column(all: &[Vec<Value>], i: usize) -> Result<Vec<&Tensor>, Stop> {
    all.iter().map(|values| shape::operand(values, i)).collect()
}

/// Part `i` of `n` equal parts along dimension `d`.
pub fn part(t: &Tensor, d: usize, i: usize, n: usize) -> Result<Tensor, Stop> {
    let size = t.dims().get(d).copied().unwrap_or(0);
    if n == 0 || size % n as u64 != 0 {
        let message = format!("{n} parts of dimension {d} of {}", t.ty());
        return Err(Stop::Trap(Trap::ShapeMismatch(message)));
    }
    let strides = row_major_strides(t.dims());
    let mut dims = t.dims().to_vec();
    dims[d] = size / n as u64;
    Ok(t.strided(&dims, i as i64 * dims[d] as i64 * strides[d], &strides))
}

/// Tensors side by side along dimension `d`.
pub fn joined(parts: &[&Tensor], d: i64) -> Result<Tensor, Stop> {
    concatenate::along(parts, d as usize)
}

/// Zeros of the type of `like`; quantized: the zero point.
pub fn zeros_like(like: &Tensor, planes: Planes) -> Tensor {
    let zeros = match like.element() {
        ElementType::Quantized(q) => {
            let plain = Tensor::splat_f64(like.dims(), &q.expressed, 0.0);
            return super::quantization::quantize(&plain, q);
        }
        element => Tensor::from_i64s(like.dims(), element, &vec![0; like.len()]),
    };
    match planes {
        Planes::IeeeOnly => zeros,
        Planes::IeeeAndRing => zeros.with_embedded_ring(),
    }
}

/// Element type the computation (region 0) works in, or a violation under `tag`: it takes two scalars of one type and gives one.
pub fn computation(
    cx: &InferContext<'_>,
    tag: &str,
    operands: &[&Arc<TensorType>],
) -> Result<ElementType, Vec<String>> {
    let [body] = cx.regions else {
        return Err(vec![format!("expected 1 region, got {}", cx.regions.len())]);
    };
    let scalar = |t: &Type| {
        let t = t.as_tensor()?;
        (t.rank() == 0).then(|| t.element.clone())
    };
    let types: Vec<Option<ElementType>> = body
        .arguments
        .iter()
        .chain(&body.results)
        .map(scalar)
        .collect();
    let element = match &types[..] {
        [Some(a), Some(b), Some(c)] if a == b && a == c => a.clone(),
        _ => {
            return Err(vec![format!(
                "{tag}: the computation must take two scalars of one type and give one"
            )]);
        }
    };
    // Promotable: a type of the same kind that is at least as wide.
    let fits = |t: &&Arc<TensorType>| {
        t.element == element
            || (t.element.class() == element.class() && t.element.bits() <= element.bits())
    };
    if operands.iter().all(fits) {
        Ok(element)
    } else {
        Err(vec![format!(
            "{tag}: operands must convert to {element} without loss"
        )])
    }
}

/// The members' tensors folded by region 0 in the order of the group, in its element type.
pub fn reduce(
    tensors: &[&Tensor],
    results: &[Type],
    i: usize,
    cx: &mut EvalContext<'_>,
) -> Result<Tensor, Stop> {
    let first = tensors
        .first()
        .ok_or_else(|| Stop::internal("a group without members"))?;
    let element = results
        .get(i)
        .and_then(Type::as_tensor)
        .map_or(first.element().clone(), |t| t.element.clone());
    let mut total: Option<Tensor> = None;
    for t in tensors {
        if t.dims() != first.dims() {
            let message = format!("members have {} and {}", first.ty(), t.ty());
            return Err(Stop::Trap(Trap::ShapeMismatch(message)));
        }
        let t = promoted(t, &element, cx)?.reshaped(&[t.len() as u64]);
        total = Some(match total {
            None => t,
            Some(sum) => {
                let lanes = t.len();
                let mut sums = cx.run_lanes(0, lanes, vec![sum, t])?;
                if sums.is_empty() {
                    return Err(Stop::internal("a computation without result"));
                }
                sums.swap_remove(0)
            }
        });
    }
    total
        .map(|t| t.reshaped(first.dims()))
        .ok_or_else(|| Stop::internal("a group without members"))
}

fn promoted(t: &Tensor, element: &ElementType, cx: &mut EvalContext<'_>) -> Result<Tensor, Stop> {
    if t.element() == element {
        return Ok(t.clone());
    }
    let to = Type::tensor(t.dims().iter().copied(), element.clone());
    let values = Convert.eval(&[t.clone().into()], &[to], cx)?;
    shape::operand(&values, 0).cloned()
}

/// The dimensions with size `d` multiplied; for groups of unknown size the declared one must be a multiple.
pub fn grown(
    t: &TensorType,
    d: usize,
    by: Option<u64>,
    declared: Option<&Arc<TensorType>>,
) -> Result<Vec<Dim>, String> {
    let mut dims = t.dims.clone();
    let size = dims[d];
    let declared = declared.and_then(|t| t.dims.get(d).copied());
    dims[d] = match (size, by, declared) {
        (Dim::Static(n), Some(by), _) => Dim::Static(n.saturating_mul(by)),
        (Dim::Static(n), None, Some(Dim::Static(m))) if n == 0 || m % n == 0 => Dim::Static(m),
        (Dim::Static(n), None, Some(Dim::Static(m))) => {
            return Err(format!("size {m} of dimension {d} is no multiple of {n}"));
        }
        (Dim::Dynamic { .. }, _, _) | (Dim::Static(_), None, _) => Dim::Dynamic { bound: None },
    };
    Ok(dims)
}

/// The dimensions with size `d` divided; for groups of unknown size the declared one must be a divisor.
pub fn shrunk(
    t: &TensorType,
    d: usize,
    by: Option<u64>,
    declared: Option<&Arc<TensorType>>,
) -> Result<Vec<Dim>, String> {
    let mut dims = t.dims.clone();
    let size = dims[d];
    let declared = declared.and_then(|t| t.dims.get(d).copied());
    let whole = |n: u64, m: u64| m != 0 && n.is_multiple_of(m) || n == m;
    dims[d] = match (size, by, declared) {
        (Dim::Static(n), Some(by), _) if whole(n, by) => Dim::Static(n / by),
        (Dim::Static(n), Some(by), _) => {
            return Err(format!("size {n} of dimension {d} is no multiple of {by}"));
        }
        (Dim::Static(n), None, Some(Dim::Static(m))) if whole(n, m) => Dim::Static(m),
        (Dim::Static(n), None, Some(Dim::Static(m))) => {
            return Err(format!("size {n} of dimension {d} is no multiple of {m}"));
        }
        (Dim::Dynamic { .. }, _, _) | (Dim::Static(_), None, _) => Dim::Dynamic { bound: None },
    };
    Ok(dims)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(rows: &[&[i64]], channel: i64, global: bool) -> Groups {
        Groups {
            replica_groups: rows.iter().map(|r| r.to_vec()).collect(),
            channel_id: channel,
            use_global_device_ids: global,
        }
    }

    /// Replica 1, partition 0 of a 2 x 2 grid: process 2.
    const ME: Process = Process {
        replica: 1,
        partition: 0,
        replicas: 2,
        partitions: 2,
    };

    #[test]
    fn the_four_strategies_of_the_specification() {
        let g = groups(&[&[1, 0]], 0, false);
        assert_eq!(g.group_of(g.reducing(), &ME), Some(vec![2, 0]));
        let g = groups(&[&[1, 0]], 1, false);
        assert_eq!(g.group_of(g.reducing(), &ME), Some(vec![2, 0, 3, 1]));
        assert_eq!(g.group_of(g.moving(), &ME), Some(vec![3, 2]));
        let g = groups(&[&[0, 3], &[1, 2]], 1, true);
        assert_eq!(g.group_of(g.reducing(), &ME), Some(vec![1, 2]));
        let all = groups(&[], 1, true);
        assert_eq!(all.group_of(all.reducing(), &ME), Some(vec![0, 1, 2, 3]));
        assert_eq!(
            groups(&[&[0]], 0, false).group_of(Strategy::CrossReplica, &ME),
            None
        );
    }

    #[test]
    fn parts_are_equal_and_move_both_planes() {
        let t = Tensor::from_slice(
            &[2, 4],
            ElementType::F32,
            &[0f32, 1., 2., 3., 4., 5., 6., 7.],
        )
        .with_embedded_ring();
        let p = part(&t, 1, 1, 2).unwrap();
        assert_eq!((p.dims(), p.ring()), (&[2, 2][..], Some(&[2, 3, 6, 7][..])));
        assert!(part(&t, 1, 0, 3).is_err());
    }
}
