//! One run: all versions on one choice of inputs.

use super::{
    Options, Origin, Step,
    judged::{judge_mismatch, judge_regions},
    known,
    outside::{Apart, apart, holds_number, is_finite, trapped},
    report::{Found, Report, Skipped, is_loose},
};
use crate::{
    co_evaluation::{CoEvaluation, Outcome, Pair, RegionResult, probe::Probing, repeated::Repeats},
    compare::bits::{self, Difference},
    estimate::{self, Estimate, Estimated},
    inputs::{self, Class},
    kernels::hazards::Calls,
    level::{self, Level, Patience},
    session::{Assumed, Content, Facts, Session, Version},
    verdict::{Ieee, Ring, Verdict},
};
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};
use tileproof_dialect::{
    error::Error,
    eval::{Events, Stop, Trap},
    numerics::{Numerics, SpecialValues},
    planes::Planes,
    program::{OpId, Program},
};
use tileproof_runtime::{
    inputs::with_ring,
    limits::Limits,
    reference::{FirstCalls, Interpreter, choices::Choices},
};

/// How often a seed is redrawn when a residue of a divisor is zero by chance.
const REDRAWS: u64 = 3;

/// Longest time of a run of a hostile class at level quick.
const HOSTILE_AT_QUICK: Duration = Duration::from_secs(2);

/// A whole validation: all versions in normal form, and how each was made.
pub struct Job<'p> {
    pub programs: &'p [Arc<Program>],
    /// The program that arguments are generated for; none: one of these.
    pub arguments_of: Option<&'p Program>,
    pub facts: &'p [Facts],
    /// Of each step, the places of its two programs.
    pub pairs: &'p [(usize, usize)],
    pub steps: &'p [Step],
    pub options: &'p Options,
}

/// What one class and seed gave.
pub struct Part {
    class: Class,
    seed: u64,
    attempt: Result<Attempt, String>,
    /// Hostile inputs at level quick: bounds that say little of them are no news.
    only_mismatches: bool,
}

impl Part {
    /// A run that was not begun.
    pub fn skipped(class: Class, seed: u64, why: String) -> Part {
        Part {
            class,
            seed,
            attempt: Err(why),
            only_mismatches: false,
        }
    }

    pub fn is_mismatch(&self) -> bool {
        let passes = self.attempt.iter().flat_map(|a| &a.passes);
        passes.flat_map(|d| &d.verdicts).any(Verdict::is_mismatch)
    }

    pub fn merge_into(self, report: &mut Report) {
        let attempt = match self.attempt {
            Ok(attempt) => attempt,
            Err(_) if self.only_mismatches => return,
            Err(why) => {
                report.skipped.push(Skipped {
                    class: self.class,
                    seed: self.seed,
                    why,
                });
                return;
            }
        };
        report.runs.push((self.class, self.seed));
        if self.class.is_ordinary()
            && let Some(first) = attempt.passes.first()
        {
            report.note_numbers(&first.numbers);
        }
        for (pass, mut new) in report.passes.iter_mut().zip(attempt.passes) {
            if self.only_mismatches && !new.verdicts.iter().any(Verdict::is_mismatch) {
                continue;
            }
            new.stamp(self.class, self.seed);
            if self.class != Class::Given {
                // Small whole numbers are often equal: inputs without a tie decide.
                let all = new.verdicts.len();
                new.verdicts.retain(|v| *v != Verdict::near_tie());
                if self.class.is_ordinary() {
                    pass.tied.push(new.verdicts.len() < all);
                } else {
                    // Within bounds, and the ring says nothing of infinities.
                    new.verdicts
                        .retain(|v| !matches!(v, Verdict::EqualIeeeOnly { .. }));
                }
            }
            if self.class.is_ordinary() {
                pass.ordinary
                    .push((new.outcome.regions.len() as u64, new.loose));
            }
            pass.absorb(new);
        }
        report.estimates.extend(attempt.estimates);
        report.predicates[0] += attempt.predicates[0];
        report.predicates[1] += attempt.predicates[1];
        report.choices.add(&attempt.choices);
        report.notes.extend(attempt.notes);
        report.first_calls.extend(attempt.first_calls);
    }
}

struct Attempt {
    passes: Vec<Delta>,
    estimates: Vec<Estimate>,
    predicates: [u64; 2],
    /// By op of the first program.
    choices: BTreeMap<OpId, [u64; 2]>,
    notes: Vec<String>,
    first_calls: Calls,
}

/// What one run adds to a pass report.
#[derive(Default)]
pub struct Delta {
    pub outcome: Outcome,
    pub verdicts: Vec<Verdict>,
    pub found: Vec<Found>,
    pub loose: u64,
    pub elements: u64,
    pub decided: u64,
    /// Of each output, whether an element is a number.
    pub numbers: Vec<bool>,
    /// What the session may take for granted afterwards.
    pub assumed: Vec<Assumed>,
    /// Structures of both sides of what was tried on values of its own.
    pub probed: HashSet<(u128, u128)>,
    pub time: Duration,
}

impl Delta {
    /// Whether no bound decides whether the two sides compute the same.
    fn is_open(&self) -> bool {
        let undecided = |v: &Verdict| match v {
            Verdict::Inconclusive { .. } => true,
            Verdict::Equal
            | Verdict::Benign { .. }
            | Verdict::EqualIeeeOnly { .. }
            | Verdict::NumericsViolation
            | Verdict::HiddenMiscompile
            | Verdict::Miscompile
            | Verdict::Unsupported { .. } => false,
        };
        is_loose(self.loose, self.outcome.regions.len() as u64)
            || self.verdicts.iter().any(undecided)
    }

    /// Drops mismatches inside of programs whose results are the same. Among few, or equal, numbers a value may have the residues of another by chance, and
    /// equal numbers change places unseen: other inputs tell. A part that is split off to be added again has no residue of its own: what is worse by its bound there
    /// and not in the results is no value of the other program.
    fn forgive(&mut self, apart: Apart, class: Class, numerics: &Numerics) {
        let drops = |v: &Verdict| match v {
            Verdict::NumericsViolation => match apart {
                Apart::Same => true,
                Apart::Rounded => !numerics.contract.names_its_identities(),
                Apart::Farther => false,
            },
            Verdict::Miscompile | Verdict::HiddenMiscompile | Verdict::Benign { .. } => {
                meets_by_chance(class) && apart == Apart::Same
            }
            Verdict::Equal
            | Verdict::EqualIeeeOnly { .. }
            | Verdict::Inconclusive { .. }
            | Verdict::Unsupported { .. } => false,
        };
        self.verdicts.retain(|v| !drops(v));
        self.found.retain(|f| !drops(&f.verdict));
    }

    /// No bound decides, and what the whole program gives is of another magnitude: a mismatch at the first place that is open.
    fn far_off(&mut self, output: Option<Difference>) {
        if self.verdicts.iter().any(Verdict::is_mismatch) {
            return;
        }
        self.verdicts.push(Verdict::Miscompile);
        let open = |r: &&RegionResult| matches!(r.ieee, Ieee::Loose(_) | Ieee::NotRun);
        let region = self.outcome.regions.iter().find(open);
        self.found.push(Found {
            verdict: Verdict::Miscompile,
            class: Class::Given,
            seed: 0,
            op: region.map_or("whole program".to_string(), |r| r.op.clone()),
            location: region.map(|r| r.location.clone()).unwrap_or_default(),
            rewrite: region.and_then(|r| r.rewrite.clone()),
            inside: None,
            difference: region.and_then(|r| r.difference.clone()),
            output,
            ring: region.map_or(Ring::NotRun, |r| r.ring.clone()),
            ieee: Ieee::Outside,
        });
    }

    fn stamp(&mut self, class: Class, seed: u64) {
        for f in &mut self.found {
            (f.class, f.seed) = (class, seed);
        }
    }
}

/// Whether inputs of a class are few, or equal, or hostile: values have the residues of others by chance.
fn meets_by_chance(class: Class) -> bool {
    class == Class::Exact || !class.is_ordinary()
}

/// Why a run ended early.
enum Ended {
    /// Another draw of residues may decide more.
    ZeroDivisor,
    /// The inputs ask for more steps or time than their class is worth.
    GivenUp(String),
    Failed(Error),
}

impl From<Error> for Ended {
    fn from(e: Error) -> Ended {
        Ended::Failed(e)
    }
}

/// The place of the program that the first step starts from.
pub fn first_of(pairs: &[(usize, usize)]) -> usize {
    pairs.first().map_or(0, |(before, _)| *before)
}

impl Job<'_> {
    pub fn run(&self, class: Class, seed: u64, patience: Patience) -> Result<Part, Error> {
        let part = |seed: u64, attempt: Result<Attempt, String>| Part {
            class,
            seed,
            attempt,
            only_mismatches: self.only_mismatches(class),
        };
        let (level, known) = (self.options.level, self.options.known.as_deref());
        if let Some(why) = known.and_then(|k| k.given_up(level, class, seed)) {
            return Ok(part(seed, Err(why)));
        }
        for draw in 0..=REDRAWS {
            let ring_seed = seed.wrapping_add(draw << 32);
            match self.attempt(class, (seed, ring_seed), patience, draw == REDRAWS) {
                Ok(attempt) => return Ok(part(ring_seed, Ok(attempt))),
                Err(Ended::ZeroDivisor) => {}
                Err(Ended::GivenUp(why)) => {
                    known.inspect(|k| k.give_up(level, class, seed, &why));
                    return Ok(part(ring_seed, Err(why)));
                }
                Err(Ended::Failed(e)) => return Err(e),
            }
        }
        Err(Error::internal("a run has no last draw"))
    }

    fn attempt(
        &self,
        class: Class,
        (seed, ring_seed): (u64, u64),
        patience: Patience,
        last: bool,
    ) -> Result<Attempt, Ended> {
        let mut limits = level::patient_budget(class, patience, &self.options.limits);
        if self.only_mismatches(class) {
            limits.deadline = Some(Instant::now() + HOSTILE_AT_QUICK);
        }
        let choices = Choices::default();
        let mut versions: Vec<Version<'_>> = self
            .programs
            .iter()
            .zip(self.facts)
            .map(|(p, f)| Version::new(p, f, &limits))
            .collect();
        let first = first_of(self.pairs);
        if let Some(version) = versions.get_mut(first) {
            let (program, facts) = (&self.programs[first], &self.facts[first]);
            *version = Version::new(program, facts, &limits).counted(&choices);
        }
        // Of the first ordinary run: what the hazards of kernels are looked for with.
        let notes_calls =
            matches!(class, Class::Normal | Class::Given) && seed == self.options.seed;
        let first_calls = FirstCalls::default();
        let known = self.options.known.as_deref();
        let run = known::run(self.options.level, class, seed, ring_seed);
        let kept = known.and_then(|k| k.run(&run));
        for (name, arguments) in kept.iter().flat_map(|k| &k.calls) {
            first_calls.note(name, arguments);
        }
        if notes_calls {
            versions = versions
                .into_iter()
                .map(|v| v.noting(&first_calls))
                .collect();
        }
        let arguments = match &self.options.given {
            Some(values) => values.clone(),
            None => {
                let of = self
                    .arguments_of
                    .unwrap_or_else(|| level::most_static(&versions));
                inputs::generate(of, class, seed)?
            }
        };
        let plain_arguments = arguments.clone();
        let mut session = match &kept {
            Some(kept) => Session::resumed(Planes::IeeeAndRing, &limits, &kept.session),
            None => Session::new(Planes::IeeeAndRing, &limits),
        };
        session.strains_the_range = !class.is_ordinary() && arguments.iter().all(is_finite);
        let contents: Vec<Content> = arguments
            .into_iter()
            .enumerate()
            .map(|(i, v)| session.insert(with_ring(&v, ring_seed, i as u64)))
            .collect();
        let right = kept.as_ref().map(|k| &k.probed);
        let mut probed = HashSet::new();
        let mut passes: Vec<Delta> = vec![];
        let mut estimates = vec![];
        let mut zero_divisors = false;
        for (k, (step, (before, after))) in self.steps.iter().zip(self.pairs).enumerate() {
            let start = Instant::now();
            let numerics = numerics(step, class);
            let base = self.base(k, &passes);
            let probing = self.probing(class, seed);
            // Two kernels have no bound: what generated values say is judged from the base.
            let probing_here = if base.is_some() {
                Probing::Off
            } else {
                probing
            };
            let mut compared = compare(
                &mut session,
                (&versions[*before], &versions[*after]),
                step,
                &numerics,
                &contents,
                (probing_here, self.repeats(), right),
            );
            let differs = compared.as_ref().is_ok_and(|d| !d.is_identical());
            let everywhere = matches!(probing, Probing::On { .. }) && compared.is_ok();
            if let Some(base) = base.as_ref().filter(|_| differs || everywhere) {
                let numerics = self::numerics(&base.step, class);
                let from_base = compare(
                    &mut session,
                    (&versions[base.before], &versions[*after]),
                    &base.step,
                    &numerics,
                    &contents,
                    (probing, self.repeats(), right),
                );
                let is_wrong = |d: &Delta| d.verdicts.iter().any(Verdict::is_mismatch);
                if differs || from_base.as_ref().is_ok_and(is_wrong) {
                    compared = from_base;
                }
            }
            let mut delta = match compared {
                Ok(mut delta) => {
                    session.assume(std::mem::take(&mut delta.assumed));
                    delta
                }
                Err(stop) => self.stopped(stop, class, &limits)?,
            };
            // What a clause allows is dropped of inputs alone for which chance plays a part: the programs are run again for nothing else.
            let news = |v: &Verdict| {
                v.is_mismatch() || meets_by_chance(class) && matches!(v, Verdict::Benign { .. })
            };
            if step.origin == Origin::Foreign && delta.verdicts.iter().any(news) {
                let sides = (&versions[*before], &versions[*after]);
                let apart = apart(sides, &plain_arguments, &limits);
                delta.forgive(apart, class, &step.numerics);
            }
            probed.extend(std::mem::take(&mut delta.probed));
            delta.time = start.elapsed();
            if session.events.zero_divisors > 0 {
                zero_divisors = true;
                if !last {
                    return Err(Ended::ZeroDivisor);
                }
            }
            if estimates.is_empty() && delta.is_open() && class.is_ordinary() {
                // Kernels have no variant: what they are judged from has.
                let before = base.as_ref().map_or(*before, |b| b.before);
                let (before, after) = (versions[before].program, versions[*after].program);
                let outcome = estimate::of(before, after, &plain_arguments, &limits);
                if matches!(&outcome, Estimated::Compared(d) if d.is_far_off()) {
                    let run = |program: &Program| {
                        let interpreter = Interpreter::new(program, Planes::IeeeOnly, &limits);
                        interpreter.run(plain_arguments.clone(), &mut Events::default())
                    };
                    let outputs = run(before).ok().zip(run(after).ok());
                    delta.far_off(outputs.and_then(|(w, g)| bits::first_difference(&w, &g)));
                }
                estimates.push(Estimate {
                    pass: step.pass.clone(),
                    class,
                    seed,
                    outcome,
                });
            }
            passes.push(delta);
        }
        let notes = if zero_divisors {
            vec![format!(
                "class {}: a divisor's residue is zero under every seed tried",
                class.name()
            )]
        } else {
            vec![]
        };
        let predicates = session.events.predicates;
        let first_calls = first_calls.into_inner();
        if let Some(known) = known {
            known.keep(run, session, &passes, probed, &first_calls);
        }
        Ok(Attempt {
            passes,
            estimates,
            predicates,
            choices: choices.by_op(),
            notes,
            first_calls,
        })
    }

    fn only_mismatches(&self, class: Class) -> bool {
        self.options.level == Level::Quick && !class.is_ordinary()
    }

    /// Once is enough: the first ordinary run of the level that looks everywhere.
    fn probing(&self, class: Class, seed: u64) -> Probing {
        let first = matches!(class, Class::Normal | Class::Given) && seed == self.options.seed;
        match self.options.level {
            Level::Full if first => Probing::On { seed },
            Level::Quick | Level::Ordinary if first => Probing::Kernels { seed },
            Level::Full | Level::Quick | Level::Ordinary => Probing::Off,
        }
    }

    fn repeats(&self) -> Repeats {
        match self.options.level {
            Level::Ordinary | Level::Quick => Repeats::Assumed,
            Level::Full => Repeats::Run,
        }
    }

    /// A stop of the run as a verdict, or as the reason it ended.
    fn stopped(&self, stop: Stop, class: Class, limits: &Limits) -> Result<Delta, Ended> {
        let verdict = match stop {
            Stop::Failed(Error::Unsupported { what, .. }) => Verdict::Unsupported { what },
            Stop::Failed(e) => return Err(Ended::Failed(e)),
            Stop::Trap(trap @ (Trap::StepLimit(_) | Trap::MemoryLimit(_)))
                if class != Class::Given =>
            {
                return Err(Ended::GivenUp(trap.to_string()));
            }
            Stop::Trap(trap) => Verdict::Inconclusive {
                why: format!("both programs trap: {trap}"),
            },
            Stop::Cancelled if limits.is_out_of_time() => {
                return Err(Ended::GivenUp("out of time".to_string()));
            }
            Stop::Cancelled => Verdict::Inconclusive {
                why: "stopped by the user".to_string(),
            },
        };
        Ok(Delta {
            verdicts: vec![verdict],
            ..Delta::default()
        })
    }
}

/// What the step may change on inputs of a class. Importers and simplifiers drop `+ 0`: without a contract of ours the sign of a zero that ordinary inputs
/// happen to give is not looked at; classes that are about special values, and given inputs, look at it.
fn numerics(step: &Step, class: Class) -> Numerics {
    let mut out = step.numerics.clone();
    let ordinary = matches!(class, Class::Normal | Class::Exact);
    if ordinary && !out.contract.names_its_identities() {
        out.special.push(SpecialValues::SignedZero);
    }
    out
}

fn compare(
    session: &mut Session<'_>,
    (before, after): (&Version<'_>, &Version<'_>),
    step: &Step,
    numerics: &Numerics,
    arguments: &[Content],
    (probing, repeats, probed): (Probing, Repeats, Option<&HashSet<(u128, u128)>>),
) -> Result<Delta, Stop> {
    let pair = Pair {
        before,
        after,
        numerics,
        rewrites: &step.rewrites,
        origin: step.origin,
        probing,
        probed,
        repeats,
    };
    let mut seen = HashSet::new();
    let mut run = CoEvaluation::new(&pair, session, &mut seen);
    let results = match run.main(arguments) {
        Ok(results) => results,
        Err(Stop::Trap(trap)) => return trapped(session, before, after, arguments, trap),
        Err(stop) => return Err(stop),
    };
    let outcome = std::mem::take(&mut run.outcome);
    let mut delta = Delta {
        assumed: run.assumed(),
        probed: run.probed(),
        ..Delta::default()
    };
    let open = outcome
        .mismatches
        .iter()
        .any(|m| m.certain && matches!(m.ring, Ring::NotDecisive(_)));
    for (i, want) in results.want.iter().enumerate() {
        let value = session.value(*want)?;
        let n = value.as_tensor().map_or(1, |t| t.len() as u64);
        delta
            .numbers
            .push(value.as_tensor().is_none_or(holds_number));
        delta.elements += n;
        let undecided =
            results.undecided.get(i) == Some(&true) || (open && results.got.get(i) != Some(want));
        if session.events.opaque_random == 0 && !undecided {
            delta.decided += n;
        }
    }
    judge_regions(&outcome.regions, &mut delta);
    if results.want != results.got {
        let values = |of: &[Content]| {
            of.iter()
                .map(|c| session.value(*c).cloned())
                .collect::<Result<Vec<_>, _>>()
        };
        let (want, got) = (values(&results.want)?, values(&results.got)?);
        judge_mismatch(
            &outcome.mismatches,
            bits::first_difference(&want, &got),
            &mut delta,
        );
    }
    delta.outcome = outcome;
    Ok(delta)
}
