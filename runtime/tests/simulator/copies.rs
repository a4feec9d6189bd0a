//! Copies and semaphores: what races, what waits order, and that schedules agree on kernels that are right.

use super::maker::*;
use tileproof_dialect::{
    eval::{Events, Stop, Trap},
    hlo,
    planes::Planes,
    tpu::{KernelType, KernelValue, MemorySpace, Role, TpuOp},
};
use tileproof_runtime::{
    limits::Limits,
    simulator::{Schedule, Simulation, run},
};

const BLOCK: [u64; 2] = [16, 128];

/// Input and output of four blocks in HBM, two blocks of scratch for each, four semaphores.
fn streaming() -> Maker {
    let hbm = [64, 128];
    Maker::new(
        &[],
        vec![
            operand(Role::Input, &hbm, MemorySpace::Any),
            operand(Role::Output, &hbm, MemorySpace::Any),
            operand(Role::Scratch, &[2, 16, 128], MemorySpace::Vmem),
            operand(Role::Scratch, &[2, 16, 128], MemorySpace::Vmem),
            semaphores(4),
            counters(1),
        ],
    )
}

/// Block `slot` of a double buffer.
fn slot(m: &mut Maker, buffer: usize, slot: i64) -> KernelValue {
    let one = m.slice_at(m.reference(buffer), &[slot, 0, 0], &[1, 16, 128]);
    m.squeeze(one, &BLOCK)
}

fn block(m: &mut Maker, operand: usize, number: i64) -> KernelValue {
    m.slice_at(m.reference(operand), &[16 * number, 0], &BLOCK)
}

/// Which mistake a pipeline makes.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Mistake {
    None,
    /// Reads the block that is being fetched.
    WrongSlot,
    /// Does not wait for the fetch.
    NoWait,
    /// Writes a block of the output that is still being copied out.
    NoOutputWait,
    /// All copies count on one semaphore.
    OneSemaphore,
    /// Does not wait for the last copy out.
    Unfinished,
}

/// out = in + in, block by block, double-buffered.
fn pipeline(mistake: Mistake) -> Maker {
    let mut m = streaming();
    let semaphore = |m: &mut Maker, n: i64| {
        m.semaphore(
            4,
            if mistake == Mistake::OneSemaphore {
                n / 2 * 2
            } else {
                n
            },
        )
    };
    let fetch = |m: &mut Maker, i: i64| {
        let (from, to) = (block(m, 0, i), slot(m, 2, i % 2));
        let s = semaphore(m, i % 2);
        (from, to, s)
    };
    let push = |m: &mut Maker, i: i64| {
        let (from, to) = (slot(m, 3, i % 2), block(m, 1, i));
        let s = semaphore(m, 2 + i % 2);
        (from, to, s)
    };
    let (from, to, s) = fetch(&mut m, 0);
    m.copy(from, to, s);
    for i in 0..4 {
        if i < 3 {
            let (from, to, s) = fetch(&mut m, i + 1);
            m.copy(from, to, s);
        }
        if mistake != Mistake::NoWait || i != 2 {
            let (from, to, s) = fetch(&mut m, i);
            m.wait(s, from, to);
        }
        if i >= 2 && !(mistake == Mistake::NoOutputWait && i == 2) {
            let (from, to, s) = push(&mut m, i - 2);
            m.wait(s, from, to);
        }
        let read = slot(
            &mut m,
            2,
            if mistake == Mistake::WrongSlot && i == 1 {
                0
            } else {
                i % 2
            },
        );
        let x = m.load(read);
        let sum = m.apply(hlo::add::Add, &[x, x]);
        let written = slot(&mut m, 3, i % 2);
        m.store(sum, written);
        let (from, to, s) = push(&mut m, i);
        m.copy(from, to, s);
    }
    let last = if mistake == Mistake::Unfinished { 3 } else { 4 };
    let missed = (mistake == Mistake::NoOutputWait).then_some(0);
    for i in missed.into_iter().chain(2..last) {
        let (from, to, s) = push(&mut m, i);
        m.wait(s, from, to);
    }
    m
}

#[test]
fn a_double_buffered_pipeline_is_right_under_every_schedule() {
    let input = counting(&[64, 128]);
    let plan = pipeline(Mistake::None).plan();
    assert_eq!(all_hazards(&plan, std::slice::from_ref(&input)), [""; 0]);
    let want: Vec<f32> = input.as_slice::<f32>().iter().map(|x| x + x).collect();
    let random = (0..20).map(Schedule::Random);
    for schedule in random.chain([Schedule::Eager, Schedule::Lazy, Schedule::Split]) {
        let simulation = Simulation {
            schedule,
            ..Simulation::default()
        };
        let mut events = Events::default();
        let limits = Limits::default();
        let out = run(
            &plan,
            std::slice::from_ref(&input),
            Planes::IeeeOnly,
            &simulation,
            &limits,
            &mut events,
        );
        let out = out.expect("runs");
        assert_eq!(out.outputs[0].as_slice::<f32>(), want, "{schedule:?}");
        assert_eq!(out.counters.bytes_moved, 2 * 64 * 128 * 4);
        assert!(events.hazards.is_empty());
    }
}

#[test]
fn each_mistake_of_a_pipeline_is_found() {
    let input = [counting(&[64, 128])];
    let found = |mistake| all_hazards(&pipeline(mistake).plan(), &input);
    let has = |all: &[String], what: &str| all.iter().any(|h| h.contains(what));
    let f = found(Mistake::WrongSlot);
    assert!(
        has(
            &f,
            "read of scratch operand 2 in vmem races with the write of the copy"
        ),
        "{f:#?}"
    );
    let f = found(Mistake::NoWait);
    assert!(has(&f, "read of scratch operand 2 in vmem races"), "{f:#?}");
    let f = found(Mistake::NoOutputWait);
    assert!(
        has(&f, "write of scratch operand 3 in vmem races with the read"),
        "{f:#?}"
    );
    let f = found(Mistake::OneSemaphore);
    assert!(
        has(&f, "bytes of another copy can release the wait"),
        "{f:#?}"
    );
    let f = found(Mistake::Unfinished);
    assert_eq!(
        f,
        ["semaphore 3 of scratch operand 4 in semaphore_mem ends at 8192"]
    );
}

/// Two copies on one semaphore; the second is used after one or two waits.
fn two_copies(waits: usize) -> Maker {
    let mut m = streaming();
    let s = m.semaphore(4, 0);
    let parts: Vec<_> = (0..2)
        .map(|i| (block(&mut m, 0, i), slot(&mut m, 2, i)))
        .collect();
    for (from, to) in &parts {
        m.copy(*from, *to, s);
    }
    for (from, to) in &parts[..waits] {
        m.wait(s, *from, *to);
    }
    let x = m.load(parts[0].1);
    for (from, to) in &parts[waits..] {
        m.wait(s, *from, *to);
    }
    for i in 0..4 {
        m.store_block(x, i);
    }
    m
}

impl Maker {
    /// Writes a block of the output without a copy in flight beside it.
    fn store_block(&mut self, x: KernelValue, number: i64) {
        let from = slot(self, 3, 0);
        self.store(x, from);
        let (to, s) = (block(self, 1, number), self.semaphore(4, 1));
        self.copy(from, to, s);
        self.wait(s, from, to);
    }
}

#[test]
fn a_wait_that_bytes_of_another_copy_can_release_orders_nothing() {
    let input = [counting(&[64, 128])];
    assert_eq!(all_hazards(&two_copies(2).plan(), &input), [""; 0]);
    let found = all_hazards(&two_copies(1).plan(), &input);
    assert!(
        found.len() == 1 && found[0].contains("bytes of another copy can release"),
        "{found:?}"
    );
}

#[test]
fn a_wait_for_more_than_was_copied_is_a_deadlock() {
    let mut m = streaming();
    let s = m.semaphore(4, 0);
    let (from, to) = (block(&mut m, 0, 0), slot(&mut m, 2, 0));
    m.copy(from, to, s);
    m.wait(s, from, to);
    m.wait(s, from, to);
    let plan = m.plan();
    let input = [counting(&[64, 128])];
    let stopped = stop(&plan, &input, &Simulation::default());
    assert!(matches!(stopped, Some(Stop::Trap(Trap::Deadlock(_)))));
    let found = all_hazards(&plan, &input);
    assert_eq!(
        found,
        ["a wait for 8192 on scratch operand 4 in semaphore_mem never ends: at most 0 can arrive"]
    );
}

#[test]
fn signals_and_waits_count() {
    for (amount, left) in [(3, None), (2, Some(1))] {
        let mut m = streaming();
        let s = m.semaphore(5, 0);
        let three = m.0.i32(3);
        m.0.op(TpuOp::SemaphoreSignal, &[s, three], &[], vec![]);
        let n = m.0.one(TpuOp::SemaphoreRead, &[s], KernelType::i32());
        let is = m.compare(hlo::compare::Direction::Eq, n, three);
        let taken = m.0.i32(amount);
        m.when(is, |m| {
            m.0.op(TpuOp::SemaphoreWait, &[s, taken], &[], vec![]);
        });
        let x = m.splat(&BLOCK, 1.0);
        (0..4).for_each(|i| m.store_block(x, i));
        let found = all_hazards(&m.plan(), &[counting(&[64, 128])]);
        let want =
            left.map(|n| format!("semaphore 0 of scratch operand 5 in semaphore_mem ends at {n}"));
        assert_eq!(found, want.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn two_copies_to_one_place_race() {
    for apart in [true, false] {
        let mut m = streaming();
        let (s, t) = (m.semaphore(4, 0), m.semaphore(4, 1));
        let (a, b) = (block(&mut m, 0, 0), block(&mut m, 0, 1));
        let first = slot(&mut m, 2, 0);
        let second = if apart { slot(&mut m, 2, 1) } else { first };
        m.copy(a, first, s);
        m.copy(b, second, t);
        m.wait(s, a, first);
        m.wait(t, b, second);
        let x = m.load(second);
        (0..4).for_each(|i| m.store_block(x, i));
        let found = all_hazards(&m.plan(), &[counting(&[64, 128])]);
        assert_eq!(found.is_empty(), apart, "{found:?}");
        assert!(
            apart
                || found[0].starts_with("write of scratch operand 2 in vmem races with the write"),
            "{found:?}"
        );
    }
}
