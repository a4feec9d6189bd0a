//! Values by content: every value that an evaluation of any version of the program makes is stored once under the hash of its two planes, and every
//! op is evaluated once per distinct operands. Versions that differ in a few ops share the rest.

mod loops;
mod saved;

use crate::constants::Constants;
use loops::Loops;
pub use saved::Saved;
use std::collections::{HashMap, HashSet};
use tileproof_dialect::{
    bound::{Bound, Bounded},
    eval::{Events, Stop},
    hlo,
    op::{Kind, Op},
    planes::Planes,
    program::{FunctionId, OpId, Program, RegionId, ValueId},
    tensor::Value,
};
use tileproof_runtime::{
    limits::Limits,
    reference::{FirstCalls, Interpreter, choices::Choices},
};
use xxhash_rust::xxh3::Xxh3;

/// Hash of type and both planes of a value.
pub type Content = u128;

/// Contents of the SSA values of one function activation.
pub type Environment = HashMap<ValueId, Content>;

/// What is known of a program before it runs: per op, the hash of what it computes and the values its regions take from outside.
pub struct Facts {
    hashes: Vec<u128>,
    captures: Vec<Vec<ValueId>>,
    constants: Constants,
}

impl Facts {
    pub fn of(program: &Program) -> Facts {
        Facts {
            hashes: (program.op_ids().zip(program.op_hashes()))
                .map(|(id, plain)| of_kernel(program, id).unwrap_or(plain))
                .collect(),
            captures: program.op_ids().map(|id| program.op_captures(id)).collect(),
            constants: Constants::of(program),
        }
    }
}

/// What a call of a kernel computes. A kernel is known by what it is, not by its name: layers of one model call kernels of many names that are the same.
fn of_kernel(program: &Program, id: OpId) -> Option<u128> {
    let o = program.op(id);
    let kernel = o.op.kernel().and_then(|name| program.kernel(name))?;
    let mut h = Xxh3::new();
    h.update(b"kernel_call");
    h.update(&kernel.structural_hash().to_le_bytes());
    for v in &o.results {
        h.update(program.ty(*v).to_string().as_bytes());
    }
    Some(h.digest128())
}

/// A version of the program with the hashes of its ops and an interpreter for each set of planes.
pub struct Version<'p> {
    pub program: &'p Program,
    facts: &'p Facts,
    both_planes: Interpreter<'p>,
    ieee_only: Interpreter<'p>,
    /// What the ops choose, where it is counted.
    choices: Option<&'p Choices>,
}

impl<'p> Version<'p> {
    pub fn new(program: &'p Program, facts: &'p Facts, limits: &'p Limits) -> Version<'p> {
        Version {
            program,
            facts,
            both_planes: Interpreter::new(program, Planes::IeeeAndRing, limits),
            ieee_only: Interpreter::new(program, Planes::IeeeOnly, limits),
            choices: None,
        }
    }

    /// Counts in `choices` what each op chooses.
    pub fn counted(mut self, choices: &'p Choices) -> Version<'p> {
        self.both_planes = self.both_planes.with_choices(choices);
        self.choices = Some(choices);
        self
    }

    /// Keeps in `calls` the arguments of the first call of each kernel.
    pub fn noting(mut self, calls: &'p FirstCalls) -> Version<'p> {
        self.both_planes = self.both_planes.with_first_calls(calls);
        self
    }

    fn interpreter(&self, planes: Planes) -> &Interpreter<'p> {
        match planes {
            Planes::IeeeAndRing => &self.both_planes,
            Planes::IeeeOnly => &self.ieee_only,
        }
    }

    pub fn op_hash(&self, id: OpId) -> u128 {
        self.facts.hashes[id.index()]
    }

    pub fn captures(&self, id: OpId) -> &[ValueId] {
        &self.facts.captures[id.index()]
    }

    /// Whether the value hangs on no input.
    pub fn is_constant(&self, v: ValueId) -> bool {
        self.facts.constants.contain(v)
    }
}

/// What an accepted comparison lets the session take for granted of kernel calls.
#[derive(Debug, Clone)]
pub enum Assumed {
    /// A kernel gave `raw` where the version before has `settled`: what is computed from it goes on from that, in every later version.
    Settled { raw: Content, settled: Content },
    /// A call that was not run, by its key: it repeats one that gave what the version before has.
    Results { key: u128, results: Vec<Content> },
}

#[derive(Clone)]
struct Stored {
    value: Value,
    fingerprint: u128,
}

/// Values and results known so far under one choice of inputs.
pub struct Session<'a> {
    pub planes: Planes,
    limits: &'a Limits,
    values: HashMap<Content, Stored>,
    memo: HashMap<u128, Vec<Content>>,
    /// What ops without bodies chose, by the same key.
    chosen: HashMap<u128, [u64; 2]>,
    /// Calls under way.
    depth: u64,
    /// Contents added since each open scope began.
    scopes: Vec<Vec<Content>>,
    /// Summed over the evaluations done (each distinct evaluation once).
    pub events: Events,
    independent: HashSet<Content>,
    /// What values that kernels gave were settled as.
    settled: HashMap<Content, Content>,
    /// Calls of kernels in `memo` that were not run.
    not_run: HashSet<u128>,
    loops: Loops,
    /// Bodies inside one another that are followed.
    bodies: u32,
    /// Inputs of a hostile class that are all finite: what overflows does so on the way.
    pub strains_the_range: bool,
}

impl<'a> Session<'a> {
    pub fn new(planes: Planes, limits: &'a Limits) -> Session<'a> {
        Session {
            planes,
            limits,
            values: HashMap::new(),
            memo: HashMap::new(),
            chosen: HashMap::new(),
            depth: 0,
            scopes: vec![],
            events: Events::default(),
            independent: HashSet::new(),
            settled: HashMap::new(),
            not_run: HashSet::new(),
            loops: Loops::default(),
            bodies: 0,
            strains_the_range: false,
        }
    }

    /// Takes for granted what an accepted comparison found.
    pub fn assume(&mut self, all: Vec<Assumed>) {
        for one in all {
            match one {
                Assumed::Settled { raw, settled } => {
                    self.settled.entry(raw).or_insert(settled);
                }
                Assumed::Results { key, results } => {
                    if let std::collections::hash_map::Entry::Vacant(slot) = self.memo.entry(key) {
                        slot.insert(results);
                        self.not_run.insert(key);
                    }
                }
            }
        }
    }

    /// Runs a call whose results were only assumed; they are what it is settled as.
    pub fn run_assumed(
        &mut self,
        version: &Version<'_>,
        op: OpId,
        environment: &mut Environment,
    ) -> Result<(), Stop> {
        let key = self.key_of(version, op, environment)?;
        if !self.not_run.remove(&key) {
            return Ok(());
        }
        let assumed = self.memo.remove(&key).unwrap_or_default();
        self.eval_op(version, op, environment)?;
        let raw = self.memo.get(&key).cloned().unwrap_or_default();
        for (raw, settled) in raw.into_iter().zip(assumed) {
            if raw != settled {
                self.settled.entry(raw).or_insert(settled);
            }
        }
        Ok(())
    }

    /// Begins to follow a body of a function, loop or branch.
    pub fn enter_body(&mut self) {
        self.bodies += 1;
    }

    /// Ends it.
    pub fn leave_body(&mut self) {
        self.bodies = self.bodies.saturating_sub(1);
    }

    /// Bodies inside one another that are followed.
    pub fn bodies(&self) -> u32 {
        self.bodies
    }

    /// What the results of an op are settled as. Inside loops and branches nothing is: there a version that runs as a whole must give the same.
    fn settle(&self, version: &Version<'_>, op: OpId, results: Vec<Content>) -> Vec<Content> {
        if self.bodies != 1 || version.program.op(op).op.kernel().is_none() {
            return results;
        }
        let settled = |c: Content| self.settled.get(&c).copied().unwrap_or(c);
        results.into_iter().map(settled).collect()
    }

    pub fn limits(&self) -> &'a Limits {
        self.limits
    }

    /// Stores a value and gives its content id.
    pub fn insert(&mut self, value: Value) -> Content {
        let content = value.content_hash();
        if let std::collections::hash_map::Entry::Vacant(slot) = self.values.entry(content) {
            let fingerprint = fingerprint(&value);
            slot.insert(Stored { value, fingerprint });
            if let Some(scope) = self.scopes.last_mut() {
                scope.push(content);
            }
        }
        content
    }

    pub fn value(&self, content: Content) -> Result<&Value, Stop> {
        self.values
            .get(&content)
            .map(|s| &s.value)
            .ok_or_else(|| Stop::internal("a value was dropped while in use"))
    }

    /// Whether the value hangs on no input: a literal, or computed from literals alone.
    pub fn is_independent(&self, content: Content) -> bool {
        self.independent.contains(&content)
    }

    /// Says that a value hangs on no input.
    pub fn set_independent(&mut self, content: Content) {
        self.independent.insert(content);
    }

    /// Hash of what two correct versions must agree on.
    pub fn fingerprint(&self, content: Content) -> u128 {
        self.values.get(&content).map_or(0, |s| s.fingerprint)
    }

    /// Begins a scope whose values are dropped at its end: one iteration of a loop.
    pub fn open_scope(&mut self) {
        self.scopes.push(vec![]);
    }

    /// Ends a scope; values in `keep` stay and belong to the scope outside.
    pub fn close_scope(&mut self, keep: &HashSet<Content>) {
        for content in self.scopes.pop().unwrap_or_default() {
            if keep.contains(&content) {
                if let Some(outer) = self.scopes.last_mut() {
                    outer.push(content);
                }
            } else {
                self.values.remove(&content);
            }
        }
    }

    /// Bytes held, both planes.
    pub fn bytes(&self) -> usize {
        let tensor = |v: &Value| {
            v.as_tensor().map_or(0, |t| {
                t.ieee().bytes().len() + t.ring_buffer().map_or(0, |r| r.bytes().len())
            })
        };
        self.values.values().map(|s| tensor(&s.value)).sum()
    }

    /// Contents of the operands and captured values of `op`.
    pub fn operands(
        &self,
        version: &Version<'_>,
        op: OpId,
        environment: &Environment,
    ) -> Result<(Vec<Content>, Vec<Content>), Stop> {
        let find = |v: &ValueId| {
            environment.get(v).copied().ok_or_else(|| {
                let o = version.program.op(op);
                Stop::internal(format!(
                    "'{}' at {} uses a value that was not computed",
                    o.op.name(),
                    o.location
                ))
            })
        };
        let operands = version
            .program
            .op(op)
            .operands
            .iter()
            .map(find)
            .collect::<Result<_, _>>()?;
        let captured = version
            .captures(op)
            .iter()
            .map(find)
            .collect::<Result<_, _>>()?;
        Ok((operands, captured))
    }

    /// Key of an op on the operands that `environment` has.
    pub fn key_of(
        &self,
        version: &Version<'_>,
        op: OpId,
        environment: &Environment,
    ) -> Result<u128, Stop> {
        let (operands, captured) = self.operands(version, op, environment)?;
        Ok(self.key(version, op, &operands, &captured))
    }

    fn key(
        &self,
        version: &Version<'_>,
        op: OpId,
        operands: &[Content],
        captured: &[Content],
    ) -> u128 {
        let mut h = Xxh3::new();
        h.update(&version.op_hash(op).to_le_bytes());
        operands
            .iter()
            .chain(captured)
            .for_each(|c| h.update(&c.to_le_bytes()));
        h.digest128()
    }

    /// Results of `op` if the same op has been evaluated on the same operands.
    pub fn known(
        &self,
        version: &Version<'_>,
        op: OpId,
        environment: &Environment,
    ) -> Result<Option<Vec<Content>>, Stop> {
        let (operands, captured) = self.operands(version, op, environment)?;
        let known = self.memo.get(&self.key(version, op, &operands, &captured));
        let known = known
            .filter(|all| all.iter().all(|c| self.values.contains_key(c)))
            .cloned();
        Ok(known.map(|all| self.settle(version, op, all)))
    }

    /// Evaluates one op, or finds its results. Calls and branches go op by op, so that what two versions of a callee share is evaluated once.
    pub fn eval_op(
        &mut self,
        version: &Version<'_>,
        op: OpId,
        environment: &mut Environment,
    ) -> Result<Vec<Content>, Stop> {
        if let Some(known) = self.known(version, op, environment)? {
            self.count_again(version, op, environment)?;
            return Ok(known);
        }
        let (operands, captured) = self.operands(version, op, environment)?;
        let key = self.key(version, op, &operands, &captured);
        let program = version.program;
        let operation = program.op(op);
        let results = match &operation.op {
            Op::Hlo(hlo::Op::Call(call)) => match program.find_function(&call.callee) {
                Some(callee) => self.eval_function(version, callee, &operands)?,
                None => {
                    return Err(Stop::internal(format!(
                        "function '{}' does not exist",
                        call.callee
                    )));
                }
            },
            Op::Hlo(_) => {
                let values: Vec<Value> = operands
                    .iter()
                    .map(|c| self.value(*c).cloned())
                    .collect::<Result<_, _>>()?;
                let captured: HashMap<ValueId, Value> = version
                    .captures(op)
                    .iter()
                    .zip(&captured)
                    .map(|(v, c)| Ok((*v, self.value(*c)?.clone())))
                    .collect::<Result<_, Stop>>()?;
                let mut events = Events {
                    generator_steps: self.events.generator_steps,
                    ..Events::default()
                };
                let out = version
                    .interpreter(self.planes)
                    .eval_op(op, &values, &|v| captured.get(&v).cloned(), &mut events)
                    .map_err(|stop| located(stop, operation))?;
                if operation.regions.is_empty() && events.predicates != [0, 0] {
                    self.chosen.insert(key, events.predicates);
                }
                self.loops.note(key, events.longest_loop);
                self.add_events(events);
                out.into_iter().map(|v| self.insert(v)).collect()
            }
        };
        if repeats(&operation.op)
            && operands
                .iter()
                .chain(&captured)
                .all(|c| self.independent.contains(c))
        {
            self.independent.extend(&results);
        }
        self.memo.insert(key, results.clone());
        Ok(self.settle(version, op, results))
    }

    /// Counts what an op chose whose results were found: another op chose it on the same operands.
    fn count_again(
        &self,
        version: &Version<'_>,
        op: OpId,
        environment: &Environment,
    ) -> Result<(), Stop> {
        let Some(choices) = version.choices else {
            return Ok(());
        };
        let (operands, captured) = self.operands(version, op, environment)?;
        let key = self.key(version, op, &operands, &captured);
        if let Some(chosen) = self.chosen.get(&key) {
            choices.add(op, *chosen);
        }
        Ok(())
    }

    fn add_events(&mut self, e: Events) {
        self.events.zero_divisors += e.zero_divisors;
        self.events.opaque_random += e.opaque_random;
        self.events.generator_steps = e.generator_steps;
        self.events.from_bits += e.from_bits;
        self.events.predicates[0] += e.predicates[0];
        self.events.predicates[1] += e.predicates[1];
        self.events.effects.extend(e.effects);
        self.events.hazards.extend(e.hazards);
    }

    /// Counts a call that begins; a trap when calls are nested too deep.
    pub fn enter(&mut self) -> Result<(), Stop> {
        self.limits.check_depth(self.depth + 1)?;
        self.depth += 1;
        Ok(())
    }

    /// Counts a call that ends.
    pub fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Evaluates a function op by op.
    pub fn eval_function(
        &mut self,
        version: &Version<'_>,
        function: FunctionId,
        arguments: &[Content],
    ) -> Result<Vec<Content>, Stop> {
        let body = version.program.function(function).body;
        self.enter()?;
        let results = self.eval_region(version, body, arguments, &mut Environment::new());
        self.leave();
        results
    }

    /// Evaluates the ops of a region; every value of the region ends in `environment`.
    pub fn eval_region(
        &mut self,
        version: &Version<'_>,
        region: RegionId,
        arguments: &[Content],
        environment: &mut Environment,
    ) -> Result<Vec<Content>, Stop> {
        let program = version.program;
        let r = program.region(region);
        environment.extend(r.arguments.iter().copied().zip(arguments.iter().copied()));
        for id in &r.ops {
            if program.op(*id).op.is_return() {
                break;
            }
            let results = self.eval_op(version, *id, environment)?;
            environment.extend(program.op(*id).results.iter().copied().zip(results));
        }
        program
            .returned(region)
            .iter()
            .map(|v| {
                environment
                    .get(v)
                    .copied()
                    .ok_or_else(|| Stop::internal("a returned value is missing"))
            })
            .collect()
    }

    /// Error bounds of the results of `op` on operands with bounds.
    pub fn bound_op(
        &mut self,
        version: &Version<'_>,
        op: OpId,
        environment: &Environment,
        errors: &[Bound],
        results: &[Content],
    ) -> Result<Vec<Bound>, Stop> {
        let (operands, captured) = self.operands(version, op, environment)?;
        let values: Vec<&Value> = operands
            .iter()
            .map(|c| self.value(*c))
            .collect::<Result<_, _>>()?;
        let bounded: Vec<Bounded<'_>> = values
            .iter()
            .zip(errors)
            .map(|(value, error)| Bounded { value, error })
            .collect();
        let captured: HashMap<ValueId, Value> = version
            .captures(op)
            .iter()
            .zip(&captured)
            .map(|(v, c)| Ok((*v, self.value(*c)?.clone())))
            .collect::<Result<_, Stop>>()?;
        let out: Vec<Value> = results
            .iter()
            .map(|c| self.value(*c).cloned())
            .collect::<Result<_, _>>()?;
        version.interpreter(Planes::IeeeOnly).bound_op(
            op,
            &bounded,
            &|v| captured.get(&v).cloned(),
            &out,
        )
    }
}

/// Whether the op gives the same on the same operands, whatever the run.
pub fn repeats(op: &Op) -> bool {
    let Op::Hlo(inner) = op;
    op.kind() != Kind::Effect && !matches!(inner, hlo::Op::Rng(_))
}

fn fingerprint(value: &Value) -> u128 {
    match value {
        Value::Tensor(t) => t.fingerprint(),
        Value::Token(_) | Value::Tuple(_) => value.content_hash(),
    }
}

/// The same stop with the op's location where it has none.
fn located(stop: Stop, operation: &tileproof_dialect::program::Operation) -> Stop {
    match stop {
        Stop::Failed(e) => Stop::Failed(e.at(&operation.location)),
        Stop::Trap(_) | Stop::Cancelled => stop,
    }
}
