//! Faults of real compilers at the levels of tiling, memory, copies and vectors, planted into what our passes over kernels made:
//! `tests/kernel_faults/<name>.mlir`, whose first lines say the size of blocks and the faults (number of the collection, pass, mutator). Each is found, as a
//! wrong value or a hazard, at the pass it was planted in, though the passes behind it go on; without it all is equal and there is no hazard. Ways of planting
//! it that are proved to change nothing do not count. A line
//! `// FIXME fault:` names one that is missed today in some way of planting it, or that finds nothing to change: once it is found the line says so.

use std::sync::Arc;
use tileproof_dialect::{
    error::Error,
    import::stablehlo,
    mlir::text::{self, Literals, Locations},
    program::Program,
    stage::Stage,
    tpu::Kernel,
};
use tileproof_lowering::{
    manager::{self, Options},
    pass::Pass,
    pipeline,
    settings::Settings,
};
use tileproof_runtime::limits::Limits;
use tileproof_tests::workspace;
use tileproof_verifier::{
    blame::Rewrite,
    mutate::{self, Mutator, kernel},
    step::{Origin, Step},
    validate::{self, Level, Report},
    verdict::Verdict,
};

/// A planted fault.
struct Fault<'t> {
    number: &'t str,
    pass: &'t str,
    mutator: &'static Mutator,
    expected: Expected,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Found,
    Missed,
}

/// Ways of a mutator that are tried.
const SEEDS: u64 = 3;

#[test]
fn every_fault_is_found_in_its_pass() {
    let mut problems = vec![];
    let files = workspace::files(&["mlir"]);
    for file in files
        .iter()
        .filter(|f| f.path.starts_with("tests/kernel_faults/"))
    {
        match problems_of(&file.text) {
            Ok(all) => problems.extend(all.iter().map(|p| format!("{}: {p}", file.path))),
            Err(error) => problems.push(format!("{}: {error}", file.path)),
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

fn problems_of(text: &str) -> Result<Vec<String>, Error> {
    let mut settings = Settings::default();
    let mut faults = vec![];
    for line in text.lines() {
        if let Some(bytes) = line.strip_prefix("// block-bytes: ") {
            settings.set(&format!("block-bytes={bytes}"))?;
        }
        let found = line.strip_prefix("// fault: ");
        let missed = line.strip_prefix("// FIXME fault: ");
        let expected = if missed.is_some() {
            Expected::Missed
        } else {
            Expected::Found
        };
        if let Some(words) = found.or(missed) {
            let [number, pass, mutator] = words.split(' ').collect::<Vec<_>>()[..] else {
                return Err(Error::internal(format!("not a fault: {words}")));
            };
            faults.push(Fault {
                number,
                pass,
                mutator: mutate::find(mutator)?,
                expected,
            });
        }
    }
    let source = Arc::new(stablehlo::parse(text, "fault")?);
    let passes = pipeline::up_to(Stage::S5);
    let right = steps(&source, &passes, &settings)?;
    let mut problems = vec![];
    let twin = check(&source, &right, Level::Full)?;
    if twin.verdict != Verdict::Equal || !twin.hazards.found.is_empty() {
        let hazards: Vec<String> = twin
            .hazards
            .found
            .iter()
            .map(|f| f.fault.to_string())
            .collect();
        problems.push(format!(
            "without fault: {} {}",
            twin.verdict,
            hazards.join("; ")
        ));
    }
    for fault in &faults {
        let problem = match (
            found(&source, &passes, &settings, &right, fault),
            fault.expected,
        ) {
            (Ok(()), Expected::Found) | (Err(_), Expected::Missed) => continue,
            (Err(problem), Expected::Found) => problem,
            (Ok(()), Expected::Missed) => "is found now: no FIXME".to_string(),
        };
        let Fault { number, pass, .. } = fault;
        problems.push(format!(
            "{number} {} in {pass}: {problem}",
            fault.mutator.name
        ));
    }
    Ok(problems)
}

/// The versions that the passes make.
fn steps(
    source: &Program,
    passes: &[&'static Pass],
    settings: &Settings,
) -> Result<Vec<Step>, Error> {
    let options = Options {
        settings: settings.clone(),
        ..Options::default()
    };
    let made = manager::run(source, passes, &options)?;
    let step = |s: manager::Step| Step {
        pass: s.pass.to_string(),
        program: s.program,
        numerics: s.numerics,
        rewrites: s
            .applied
            .into_iter()
            .map(|a| Rewrite {
                id: a.id,
                number: a.number,
                replaced: a.replaced,
                numerics: Some(a.numerics),
            })
            .collect(),
        origin: Origin::Pass,
    };
    Ok(made.into_iter().map(step).collect())
}

fn check(source: &Arc<Program>, steps: &[Step], level: Level) -> Result<Report, Error> {
    let options = validate::Options {
        level,
        seed: 1,
        given: None,
        known: None,
        limits: Limits::default(),
        progress: None,
        target: tileproof_lowering::target::DEFAULT,
    };
    validate::pipeline(source, steps, &options)
}

/// Whether a kernel is as it was, or changed in a way that is proved to change nothing.
fn is_no_fault(right: &Kernel, wrong: &Program) -> bool {
    wrong.kernel(&right.name).is_some_and(|wrong| {
        kernel::canonical::canonical(right) == kernel::canonical::canonical(wrong)
            || kernel::cone::same_in_every_order(right, wrong)
    })
}

/// The lines that the fault changed.
fn changed(right: &Program, wrong: &Program) -> String {
    let lines = |p: &Program| {
        let text = text::print(p, Locations::Hidden, Literals::Hashed).unwrap_or_default();
        text.lines().map(str::to_string).collect::<Vec<_>>()
    };
    let (right, wrong) = (lines(right), lines(wrong));
    let out = wrong.iter().filter(|l| !right.contains(l)).take(6);
    out.map(|l| format!("  {l}\n")).collect()
}

/// One of the faults the mutator makes is found, at its pass.
fn found(
    source: &Arc<Program>,
    passes: &[&'static Pass],
    settings: &Settings,
    right: &[Step],
    fault: &Fault<'_>,
) -> Result<(), String> {
    let words = |e: Error| e.to_string();
    let at = right
        .iter()
        .position(|s| s.pass == fault.pass)
        .ok_or("no such pass")?;
    let mut planted = 0;
    for seed in 0..SEEDS {
        let ids = right[at].rewrites.iter().map(|r| r.id.clone());
        let Some(wrong) = ids
            .filter_map(|id| mutate::plant(fault.mutator, &right[at].program, &id, seed))
            .next()
        else {
            continue;
        };
        if right[at]
            .program
            .kernels
            .iter()
            .all(|k| is_no_fault(k, &wrong))
        {
            continue;
        }
        planted += 1;
        let mut all = right[..=at].to_vec();
        all[at].program = Arc::new(wrong);
        all.extend(steps(&all[at].program, &passes[at + 1..], settings).map_err(words)?);
        let report = check(source, &all, Level::Full).map_err(words)?;
        if report.exit_code() != 1 {
            return Err(format!(
                "seed {seed} is not found: {}\n{}",
                report.verdict,
                changed(&right[at].program, &all[at].program)
            ));
        }
        let first = report.passes.iter().find(|p| p.verdict.is_mismatch());
        let first = first.map(|p| p.pass.as_str());
        let hazards: Vec<&str> = report
            .hazards
            .found
            .iter()
            .map(|f| f.pass.as_str())
            .collect();
        let wrong_pass = |name: &&str| *name != fault.pass;
        if first.iter().find(|name| wrong_pass(name)).is_some()
            || first.is_none() && hazards.iter().any(wrong_pass)
        {
            return Err(format!(
                "seed {seed}: values {first:?}, hazards {hazards:?}"
            ));
        }
    }
    if planted == 0 {
        return Err("there is nothing to plant it into".to_string());
    }
    Ok(())
}
