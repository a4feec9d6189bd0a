//! Attributes of `send` and `recv`, and the routes they take.

use crate::{
    attribute::{AttributeReader, Attributes},
    eval::{Process, Route},
    hlo::{
        collective::{flat, read_rows, rows_attribute},
        collective_permute::pair_violations,
    },
};

/// Attributes of a transfer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Transfer {
    pub channel_id: i64,
    /// 1 between devices, 2 from a device to the host, 3 from the host to a device.
    pub channel_type: i64,
    pub is_host_transfer: bool,
    /// Between devices: numbers of partitions if the program has several, else of replicas.
    pub source_target_pairs: Vec<Vec<i64>>,
}

impl Transfer {
    pub fn read(reader: &mut AttributeReader<'_>) -> Transfer {
        Transfer {
            channel_id: reader.int("channel_id"),
            channel_type: reader.int("channel_type"),
            is_host_transfer: reader.opt_bool("is_host_transfer").unwrap_or(false),
            source_target_pairs: read_rows(reader, "source_target_pairs").unwrap_or_default(),
        }
    }

    pub fn attributes(&self) -> Attributes {
        let pairs = (!self.source_target_pairs.is_empty())
            .then(|| rows_attribute(&self.source_target_pairs));
        Attributes::new()
            .with("channel_id", self.channel_id)
            .with("channel_type", self.channel_type)
            .with("is_host_transfer", self.is_host_transfer)
            .with_some("source_target_pairs", pairs)
    }

    /// Violations of C1 to C5.
    pub fn violations(&self) -> Vec<String> {
        let mut wrong = pair_violations(&self.source_target_pairs);
        let fits = if self.is_host_transfer {
            matches!(self.channel_type, 2 | 3)
        } else {
            matches!(self.channel_type, 0 | 1)
        };
        if !fits {
            wrong.push(format!(
                "C5: channel_type {} does not fit is_host_transfer = {}",
                self.channel_type, self.is_host_transfer
            ));
        }
        wrong
    }

    /// Routes on which process `p` sends.
    pub fn sending(&self, p: &Process) -> Vec<Route> {
        self.routes(p, |[source, _], me| source == me)
    }

    /// The route on which process `p` receives.
    pub fn receiving(&self, p: &Process) -> Option<Route> {
        self.routes(p, |[_, target], me| target == me)
            .into_iter()
            .next()
    }

    fn routes(&self, p: &Process, mine: impl Fn([u64; 2], u64) -> bool) -> Vec<Route> {
        if self.is_host_transfer {
            return vec![Route {
                channel: self.channel_id,
                ends: None,
            }];
        }
        let (me, place): (u64, fn(&Process, u64) -> Process) = if p.partitions > 1 {
            (p.partition, |p, n| Process { partition: n, ..*p })
        } else {
            (p.replica, |p, n| Process { replica: n, ..*p })
        };
        let pair = |v: &Vec<i64>| match v[..] {
            [a, b] => Some([u64::try_from(a).ok()?, u64::try_from(b).ok()?]),
            _ => None,
        };
        let route = |[a, b]: [u64; 2]| Route {
            channel: self.channel_id,
            ends: Some((flat(&place(p, a)), flat(&place(p, b)))),
        };
        self.source_target_pairs
            .iter()
            .filter_map(pair)
            .filter(|pair| mine(*pair, me))
            .map(route)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_follow_the_pairs() {
        let t = Transfer {
            channel_id: 5,
            channel_type: 1,
            is_host_transfer: false,
            source_target_pairs: vec![vec![0, 1], vec![1, 2], vec![1, 0]],
        };
        let replica = Process {
            replica: 1,
            partition: 0,
            replicas: 3,
            partitions: 1,
        };
        let ends = |routes: Vec<Route>| routes.iter().filter_map(|r| r.ends).collect::<Vec<_>>();
        assert_eq!(ends(t.sending(&replica)), [(1, 2), (1, 0)]);
        assert_eq!(t.receiving(&replica).and_then(|r| r.ends), Some((0, 1)));
        let partition = Process {
            replica: 1,
            partition: 2,
            replicas: 2,
            partitions: 3,
        };
        assert_eq!(t.receiving(&partition).and_then(|r| r.ends), Some((4, 5)));
        let host = Transfer {
            is_host_transfer: true,
            ..t
        };
        assert_eq!(host.receiving(&partition).and_then(|r| r.ends), None);
    }
}
