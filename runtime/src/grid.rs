//! The simulated process grid: replicas x partitions, and the place where its processes meet.

use crate::limits::Limits;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tileproof_dialect::{
    eval::{Process, Route, Stop, Trap},
    program::OpId,
    tensor::Value,
};

/// Size of the process grid of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Devices {
    pub replicas: u64,
    pub partitions: u64,
}

impl Default for Devices {
    fn default() -> Devices {
        Devices {
            replicas: 1,
            partitions: 1,
        }
    }
}

impl Devices {
    /// Number of processes; none when it exceeds what one run simulates (1024).
    pub fn count(&self) -> Option<usize> {
        let n = self.replicas.checked_mul(self.partitions)?;
        (1..=1024).contains(&n).then_some(n as usize)
    }

    /// Process number `flat` = replica * partitions + partition.
    pub fn process(&self, flat: usize) -> Process {
        let partitions = self.partitions.max(1);
        Process {
            replica: flat as u64 / partitions,
            partition: flat as u64 % partitions,
            replicas: self.replicas,
            partitions: self.partitions,
        }
    }
}

/// What identifies a meeting.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Meeting {
    pub channel: i64,
    pub group: Vec<u64>,
    pub op: OpId,
}

/// Where the processes of a grid exchange values. A process that waits for one that can never come gets [`Trap::Deadlock`].
pub struct Rendezvous {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Processes that still run.
    running: usize,
    /// Processes that wait at a meeting which is not complete.
    waiting: usize,
    meetings: HashMap<Meeting, Round>,
    mail: HashMap<Route, Mailbox>,
    deadlock: Option<String>,
}

/// Values under way along one route.
#[derive(Default)]
struct Mailbox {
    values: VecDeque<Vec<Value>>,
    /// Processes that wait for values, in the order they came.
    readers: VecDeque<u64>,
    /// Values that a waiting process will find when it wakes.
    delivered: HashMap<u64, Vec<Value>>,
}

#[derive(Default)]
struct Round {
    arrived: HashMap<u64, Vec<Value>>,
    /// Set when all have arrived: what everyone gets and how many have yet to take it.
    complete: Option<(Vec<Vec<Value>>, usize)>,
}

impl Rendezvous {
    pub fn new(devices: &Devices) -> Rendezvous {
        let state = State {
            running: devices.count().unwrap_or(1),
            waiting: 0,
            meetings: HashMap::new(),
            mail: HashMap::new(),
            deadlock: None,
        };
        Rendezvous {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Process `me` meets the others of `meeting.group` and gets every member's payload in the order of the group.
    pub fn exchange(
        &self,
        me: u64,
        meeting: Meeting,
        payload: Vec<Value>,
        limits: &Limits,
    ) -> Result<Vec<Vec<Value>>, Stop> {
        if !meeting.group.contains(&me) {
            return Err(Stop::internal(format!(
                "process {me} exchanges in group {:?}, which it is not in",
                meeting.group
            )));
        }
        let mut state = self.lock();
        // A round whose values are still being taken belongs to the meeting before this one.
        while state
            .meetings
            .get(&meeting)
            .is_some_and(|r| r.complete.is_some())
        {
            limits.check_cancelled()?;
            state = self.wait(state);
        }
        let round = state.meetings.entry(meeting.clone()).or_default();
        round.arrived.insert(me, payload);
        if round.arrived.len() == meeting.group.len() {
            let mut arrived = std::mem::take(&mut round.arrived);
            let all = meeting
                .group
                .iter()
                .map(|p| arrived.remove(p).unwrap_or_default())
                .collect();
            round.complete = Some((all, meeting.group.len()));
            // The members that wait here no longer wait for anybody.
            state.waiting -= meeting.group.len() - 1;
            self.changed.notify_all();
        } else {
            state.waiting += 1;
            detect(&mut state);
            if state.deadlock.is_some() {
                self.changed.notify_all();
            }
        }
        loop {
            if let Some(round) = state.meetings.get_mut(&meeting)
                && let Some((all, left)) = &mut round.complete
            {
                let mine = all.clone();
                *left -= 1;
                if *left == 0 {
                    state.meetings.remove(&meeting);
                    self.changed.notify_all();
                }
                return Ok(mine);
            }
            if let Some(message) = &state.deadlock {
                return Err(Stop::Trap(Trap::Deadlock(message.clone())));
            }
            limits.check_cancelled()?;
            state = self.wait(state);
        }
    }

    /// Puts values on their way. A process that waits for them no longer does.
    pub fn post(&self, route: Route, values: Vec<Value>) {
        let mut state = self.lock();
        let mailbox = state.mail.entry(route).or_default();
        match mailbox.readers.pop_front() {
            Some(reader) => {
                mailbox.delivered.insert(reader, values);
                state.waiting -= 1;
                self.changed.notify_all();
            }
            None => mailbox.values.push_back(values),
        }
    }

    /// Process `me` takes the next values of a route and waits until there are some.
    pub fn collect(&self, me: u64, route: Route, limits: &Limits) -> Result<Vec<Value>, Stop> {
        let mut state = self.lock();
        let mailbox = state.mail.entry(route).or_default();
        if let Some(values) = mailbox.values.pop_front() {
            return Ok(values);
        }
        mailbox.readers.push_back(me);
        state.waiting += 1;
        detect(&mut state);
        if state.deadlock.is_some() {
            self.changed.notify_all();
        }
        loop {
            let mailbox = state.mail.entry(route).or_default();
            if let Some(values) = mailbox.delivered.remove(&me) {
                return Ok(values);
            }
            if let Some(message) = &state.deadlock {
                return Err(Stop::Trap(Trap::Deadlock(message.clone())));
            }
            limits.check_cancelled()?;
            state = self.wait(state);
        }
    }

    /// A process has ended, by return, trap or error.
    pub fn leave(&self) {
        let mut state = self.lock();
        state.running = state.running.saturating_sub(1);
        detect(&mut state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, or long enough that a cancellation is seen.
    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        match self.changed.wait_timeout(state, Duration::from_millis(50)) {
            Ok((state, _)) => state,
            Err(poisoned) => poisoned.into_inner().0,
        }
    }
}

/// Every running process waits at an incomplete meeting: none can ever go on.
fn detect(state: &mut State) {
    if state.waiting == 0 || state.waiting < state.running || state.deadlock.is_some() {
        return;
    }
    let mut open: Vec<String> = state
        .meetings
        .iter()
        .filter(|(_, round)| round.complete.is_none())
        .map(|(meeting, round)| {
            let mut here: Vec<u64> = round.arrived.keys().copied().collect();
            here.sort_unstable();
            format!(
                "processes {here:?} of group {:?} wait on channel {}",
                meeting.group, meeting.channel
            )
        })
        .collect();
    open.extend(
        state
            .mail
            .iter()
            .filter(|(_, mailbox)| !mailbox.readers.is_empty())
            .map(|(route, mailbox)| {
                format!(
                    "processes {:?} wait to receive on channel {}",
                    mailbox.readers, route.channel
                )
            }),
    );
    open.sort();
    state.deadlock = Some(open.join("; "));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn meet(rendezvous: &Rendezvous, me: u64, channel: i64) -> Result<Vec<Vec<Value>>, Stop> {
        let meeting = Meeting {
            channel,
            group: vec![1, 0],
            op: OpId(0),
        };
        let out = rendezvous.exchange(me, meeting, vec![Value::Token(me)], &Limits::default());
        rendezvous.leave();
        out
    }

    #[test]
    fn members_get_payloads_in_group_order() {
        let rendezvous = Rendezvous::new(&Devices {
            replicas: 2,
            partitions: 1,
        });
        std::thread::scope(|s| {
            let other = s.spawn(|| meet(&rendezvous, 1, 7));
            let want = vec![vec![Value::Token(1)], vec![Value::Token(0)]];
            assert_eq!(meet(&rendezvous, 0, 7).unwrap(), want);
            assert_eq!(other.join().unwrap().unwrap(), want);
        });
    }

    #[test]
    fn values_are_received_in_the_order_they_were_sent() {
        let rendezvous = Rendezvous::new(&Devices {
            replicas: 2,
            partitions: 1,
        });
        let route = Route {
            channel: 1,
            ends: Some((0, 1)),
        };
        let receive = || rendezvous.collect(1, route, &Limits::default());
        std::thread::scope(|s| {
            let reader = s.spawn(|| [receive(), receive(), receive()].map(|r| r.unwrap()));
            for n in 0..3 {
                rendezvous.post(route, vec![Value::Token(n)]);
                std::thread::sleep(Duration::from_millis(5));
            }
            let want = [0, 1, 2].map(|n| vec![Value::Token(n)]);
            assert_eq!(reader.join().unwrap(), want);
        });
        rendezvous.leave();
        assert!(matches!(receive(), Err(Stop::Trap(Trap::Deadlock(m))) if m.contains("channel 1")));
    }

    #[test]
    fn processes_that_do_not_meet_deadlock() {
        let rendezvous = Rendezvous::new(&Devices {
            replicas: 2,
            partitions: 1,
        });
        let start = Instant::now();
        std::thread::scope(|s| {
            let other = s.spawn(|| meet(&rendezvous, 1, 8));
            assert!(matches!(
                meet(&rendezvous, 0, 7),
                Err(Stop::Trap(Trap::Deadlock(_)))
            ));
            assert!(matches!(
                other.join().unwrap(),
                Err(Stop::Trap(Trap::Deadlock(_)))
            ));
        });
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
