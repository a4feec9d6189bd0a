//! Each collective as plain ops between the copies of its processes (meaning: `dialect::hlo::collective` and the op's own file).

use super::unroll::{Copies, Unroller, value, values};
use std::{collections::HashMap, sync::Arc};
use tileproof_dialect::{
    error::Error,
    eval::Process,
    hlo::{
        self,
        collective::{Groups, Strategy},
    },
    literal::Literal,
    location::Location,
    op::Op,
    program::{Operation, ValueId},
    tensor::Tensor,
    types::{ElementType, TensorType, Type},
};

impl Unroller<'_> {
    /// One op that all processes run together.
    pub(super) fn together(&mut self, o: &Operation, env: &mut Copies) -> Result<(), Error> {
        let Op::Hlo(op) = &o.op;
        match op {
            hlo::Op::Call(_) | hlo::Op::While(_) | hlo::Op::If(_) | hlo::Op::Case(_) => {
                self.control(o, op, env)
            }
            hlo::Op::PartitionId(_) => self.place(o, env, |p| p.partition),
            hlo::Op::ReplicaId(_) => self.place(o, env, |p| p.replica),
            hlo::Op::AllGather(x) => {
                let out = self.all_gather(o, x, env)?;
                store(o, out, env);
                Ok(())
            }
            hlo::Op::AllGatherStart(x) => {
                let out = self.all_gather(o, &x.op, env)?;
                self.started(o, out, env)
            }
            hlo::Op::AllReduce(x) => {
                let out = self.sums(o, &x.groups, env)?;
                store(o, out, env);
                Ok(())
            }
            hlo::Op::AllReduceStart(x) => {
                let out = self.sums(o, &x.op.groups, env)?;
                store(o, out, env);
                Ok(())
            }
            hlo::Op::ReduceScatter(x) => {
                let sums = self.sums(o, &x.groups, env)?;
                let mut out = vec![];
                for (p, sums) in sums.iter().enumerate() {
                    let group = self.group(&x.groups, x.groups.reducing(), p, o)?;
                    let me = position(&group, p);
                    let part = |s: &mut Self, v: &ValueId| {
                        s.part(
                            *v,
                            x.scatter_dimension as usize,
                            me,
                            group.len(),
                            &o.location,
                        )
                    };
                    out.push(
                        sums.iter()
                            .map(|v| part(self, v))
                            .collect::<Result<_, _>>()?,
                    );
                }
                store(o, out, env);
                Ok(())
            }
            hlo::Op::AllToAll(x) => {
                let mut out = vec![];
                for p in 0..self.count {
                    let group = self.group(&x.groups, x.groups.moving(), p, o)?;
                    let me = position(&group, p);
                    let mut results = vec![];
                    for i in 0..o.operands.len() {
                        let mut parts = vec![];
                        for q in &group {
                            let v = value(o.operands[i], &env[*q])?;
                            parts.push(self.part(
                                v,
                                x.split_dimension as usize,
                                me,
                                x.split_count as usize,
                                &o.location,
                            )?);
                        }
                        results.push(self.joined(&parts, x.concat_dimension, &o.location));
                    }
                    out.push(results);
                }
                store(o, out, env);
                Ok(())
            }
            hlo::Op::CollectiveBroadcast(x) if !x.has_dynamic_root => {
                let out = (0..self.count)
                    .map(|p| {
                        match x
                            .groups
                            .group_of(x.groups.moving(), &self.devices.process(p))
                        {
                            Some(group) => values(&o.operands, &env[group[0] as usize]),
                            None => self.zeros(o),
                        }
                    })
                    .collect::<Result<_, _>>()?;
                store(o, out, env);
                Ok(())
            }
            hlo::Op::CollectivePermute(x) => {
                let out = self.permuted(o, x, env)?;
                store(o, out, env);
                Ok(())
            }
            hlo::Op::CollectivePermuteStart(x) => {
                let out = self.permuted(o, &x.op, env)?;
                self.started(o, out, env)
            }
            _ => Err(Error::unsupported(format!(
                "'{}' in a program of {} processes",
                o.op.name(),
                self.count
            ))
            .at(&o.location)),
        }
    }

    fn place(
        &mut self,
        o: &Operation,
        env: &mut Copies,
        number: fn(Process) -> u64,
    ) -> Result<(), Error> {
        let out = (0..self.count)
            .map(|p| {
                let n = number(self.devices.process(p)) as i64;
                vec![self.constant(
                    &Tensor::from_i64s(&[], &ElementType::U32, &[n]),
                    &o.location,
                )]
            })
            .collect();
        store(o, out, env);
        Ok(())
    }

    fn all_gather(
        &mut self,
        o: &Operation,
        x: &hlo::all_gather::AllGather,
        env: &Copies,
    ) -> Result<Vec<Vec<ValueId>>, Error> {
        (0..self.count)
            .map(|p| {
                let group = self.group(&x.groups, x.groups.reducing(), p, o)?;
                o.operands
                    .iter()
                    .map(|v| {
                        let parts: Vec<ValueId> = group
                            .iter()
                            .map(|q| value(*v, &env[*q]))
                            .collect::<Result<_, _>>()?;
                        Ok(self.joined(&parts, x.all_gather_dim, &o.location))
                    })
                    .collect()
            })
            .collect()
    }

    /// What each process receives.
    fn permuted(
        &mut self,
        o: &Operation,
        x: &hlo::collective_permute::CollectivePermute,
        env: &Copies,
    ) -> Result<Vec<Vec<ValueId>>, Error> {
        let groups = Groups {
            channel_id: x.channel_id,
            ..Groups::default()
        };
        (0..self.count)
            .map(|p| {
                let group = self.group(&groups, groups.moving(), p, o)?;
                let me = position(&group, p) as i64;
                let source = x
                    .source_target_pairs
                    .iter()
                    .find(|pair| pair.get(1) == Some(&me))
                    .and_then(|pair| usize::try_from(pair[0]).ok());
                match source.and_then(|s| group.get(s)) {
                    Some(q) => values(&o.operands, &env[*q]),
                    None => self.zeros(o),
                }
            })
            .collect()
    }

    /// Operands of the members folded in the order of the group by region 0 of `o`; once for all processes of a group.
    fn sums(
        &mut self,
        o: &Operation,
        groups: &Groups,
        env: &mut Copies,
    ) -> Result<Vec<Vec<ValueId>>, Error> {
        let mut done: HashMap<Vec<usize>, Vec<ValueId>> = HashMap::new();
        let mut out = vec![];
        for p in 0..self.count {
            let group = self.group(groups, groups.reducing(), p, o)?;
            if !done.contains_key(&group) {
                let mut sums = vec![];
                for (i, v) in o.operands.iter().enumerate() {
                    sums.push(self.sum(o, *v, o.results.get(i).copied(), &group, env)?);
                }
                done.insert(group.clone(), sums);
            }
            out.push(done[&group].clone());
        }
        Ok(out)
    }

    fn sum(
        &mut self,
        o: &Operation,
        v: ValueId,
        result: Option<ValueId>,
        group: &[usize],
        env: &mut Copies,
    ) -> Result<ValueId, Error> {
        let operand = self.tensor(v, o)?;
        let element = match result.and_then(|r| self.source.ty(r).as_tensor()) {
            Some(t) => t.element.clone(),
            None => operand.element.clone(),
        };
        let ty: Type = operand.with_element(element).into();
        let mut total: Option<ValueId> = None;
        for q in group {
            let mut x = value(v, &env[*q])?;
            if *self.builder.ty(x) != ty {
                x = self.builder.op(
                    Op::Hlo(hlo::convert::Convert.into()),
                    &[x],
                    std::slice::from_ref(&ty),
                    vec![],
                    o.location.clone(),
                )[0];
            }
            total = Some(match total {
                None => x,
                Some(sum) => {
                    let body = self.region(o.regions[0], &mut env[*q..=*q])?;
                    let map = hlo::map::Map {
                        dimensions: (0..operand.rank() as i64).collect(),
                    };
                    self.builder.op(
                        Op::Hlo(map.into()),
                        &[sum, x],
                        std::slice::from_ref(&ty),
                        vec![body],
                        o.location.clone(),
                    )[0]
                }
            });
        }
        total.ok_or_else(|| Error::invalid("a group without members", o.location.clone()))
    }

    /// Results of a start op whose values are there: operands, values, and zeros as contexts.
    fn started(
        &mut self,
        o: &Operation,
        values_of: Vec<Vec<ValueId>>,
        env: &mut Copies,
    ) -> Result<(), Error> {
        let n = o.operands.len();
        let mut out = vec![];
        for (p, computed) in values_of.into_iter().enumerate() {
            let mut results = values(&o.operands, &env[p])?;
            results.extend(computed);
            for r in o.results.iter().skip(2 * n) {
                let zero = self.zero(*r, o)?;
                results.push(zero);
            }
            out.push(results);
        }
        store(o, out, env);
        Ok(())
    }

    fn zeros(&mut self, o: &Operation) -> Result<Vec<ValueId>, Error> {
        o.operands.iter().map(|v| self.zero(*v, o)).collect()
    }

    /// Zeros of the type of `v`.
    fn zero(&mut self, v: ValueId, o: &Operation) -> Result<ValueId, Error> {
        let ty = self.tensor(v, o)?;
        let dims = ty.static_dims().ok_or_else(|| {
            Error::unsupported("a collective on a tensor of unknown size").at(&o.location)
        })?;
        let zeros = vec![0; dims.iter().product::<u64>() as usize];
        match &ty.element {
            ElementType::Quantized(_) => {
                Err(Error::unsupported("a collective on quantized tensors").at(&o.location))
            }
            element => Ok(self.constant(&Tensor::from_i64s(&dims, element, &zeros), &o.location)),
        }
    }

    fn constant(&mut self, t: &Tensor, location: &Location) -> ValueId {
        let op = hlo::constant::Constant {
            value: Literal::from_tensor(t),
        };
        self.builder
            .infer(Op::Hlo(op.into()), &[], &[], vec![], location.clone())[0]
    }

    /// Part `i` of `n` equal parts of `v` along dimension `d`.
    fn part(
        &mut self,
        v: ValueId,
        d: usize,
        i: usize,
        n: usize,
        location: &Location,
    ) -> Result<ValueId, Error> {
        let dims = self
            .builder
            .ty(v)
            .as_tensor()
            .and_then(|t| t.static_dims())
            .unwrap_or_default();
        let size = dims.get(d).copied().unwrap_or(0);
        if n == 0 || size % n as u64 != 0 {
            return Err(Error::invalid(
                format!("{n} equal parts of dimension {d} of {}", self.builder.ty(v)),
                location.clone(),
            ));
        }
        let (mut start, mut limit) = (
            vec![0; dims.len()],
            dims.iter().map(|n| *n as i64).collect::<Vec<_>>(),
        );
        let width = (size / n as u64) as i64;
        (start[d], limit[d]) = (i as i64 * width, (i as i64 + 1) * width);
        let op = hlo::slice::Slice {
            start_indices: start,
            limit_indices: limit,
            strides: vec![1; dims.len()],
        };
        Ok(self
            .builder
            .infer(Op::Hlo(op.into()), &[v], &[], vec![], location.clone())[0])
    }

    fn joined(&mut self, parts: &[ValueId], dimension: i64, location: &Location) -> ValueId {
        let op = hlo::concatenate::Concatenate { dimension };
        self.builder
            .infer(Op::Hlo(op.into()), parts, &[], vec![], location.clone())[0]
    }

    fn group(
        &self,
        groups: &Groups,
        strategy: Strategy,
        p: usize,
        o: &Operation,
    ) -> Result<Vec<usize>, Error> {
        let process = self.devices.process(p);
        let group = groups.group_of(strategy, &process).ok_or_else(|| {
            let message = format!(
                "process (replica {}, partition {}) is in none of replica_groups {:?}",
                process.replica, process.partition, groups.replica_groups
            );
            Error::invalid(message, o.location.clone())
        })?;
        if let Some(q) = group.iter().find(|q| **q >= self.count as u64) {
            return Err(Error::invalid(
                format!("replica_groups name process {q} of {}", self.count),
                o.location.clone(),
            ));
        }
        Ok(group.into_iter().map(|q| q as usize).collect())
    }

    fn tensor(&self, v: ValueId, o: &Operation) -> Result<Arc<TensorType>, Error> {
        self.source.ty(v).as_tensor().cloned().ok_or_else(|| {
            Error::unsupported("a collective on a value that is not a tensor").at(&o.location)
        })
    }
}

/// Names the results of `o` in each process.
fn store(o: &Operation, out: Vec<Vec<ValueId>>, env: &mut Copies) {
    for (copy, results) in env.iter_mut().zip(out) {
        copy.extend(o.results.iter().copied().zip(results));
    }
}

fn position(group: &[usize], p: usize) -> usize {
    group.iter().position(|q| *q == p).unwrap_or(0)
}
