//! Pass tests: `tests/passes/<pass>/<name>.mlir`, each with a snapshot of the lowered IR, of the rewrites that fired, and of the executed verdict.
//!
//! The first line of a test is `// pass: <pass>` or `// pass: <pass>(<option>)`, or several with commas, of which the last is tested, with ` --level full` behind it where every input class is to run. Before and after are executed
//! under the contract of what fired; a verdict other than Equal fails whatever the snapshot says.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::Arc,
};
use tileproof_dialect::{
    error::Error,
    import::{self, Form},
    mlir::text::{self, Literals, Locations},
    program::Program,
};
use tileproof_lowering::{
    manager::{self, Step},
    pass::Run,
    pipeline,
};
use tileproof_runtime::limits::Limits;
use tileproof_tests::workspace;
use tileproof_verifier::{
    blame::Rewrite,
    finding::contract_words,
    validate::{self, Level, PassReport, Report},
    verdict::Verdict,
};

/// A test file and what its first line asks for.
struct PassTest {
    path: PathBuf,
    pass: String,
    level: Level,
    text: String,
}

#[test]
fn passes_keep_the_values_and_write_this_ir() {
    let mut problems = vec![];
    let mut fired: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    for path in programs() {
        let name = path.display().to_string();
        match run(&path, &mut fired) {
            Ok((snapshot, None)) => problems.extend(compare(&path, &snapshot)),
            Ok((_, Some(wrong))) => problems.push(format!("{name}: {wrong}")),
            Err(error) => problems.push(format!("{name}: {error}")),
        }
    }
    for pass in pipeline::passes() {
        // Judged kernel by kernel in tests/kernels.rs.
        if matches!(pass.run, Run::Kernel(_)) {
            continue;
        }
        let seen = fired.get(pass.name);
        for rewrite in pass.rewrites {
            if !seen.is_some_and(|seen| seen.contains(rewrite.name)) {
                problems.push(format!("no test fires {}:{}", pass.name, rewrite.name));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The test programs of all passes, in name order.
fn programs() -> Vec<PathBuf> {
    let files = workspace::files(&["mlir"]);
    let paths = files.iter().map(|file| &file.path);
    let own = paths.filter(|path| path.starts_with("tests/passes/"));
    own.map(|path| workspace::root().join(path)).collect()
}

/// The snapshot of a test, and what is wrong when the values differ.
fn run(
    path: &Path,
    fired: &mut BTreeMap<String, BTreeSet<&'static str>>,
) -> Result<(String, Option<String>), Error> {
    let test = read(path)?;
    let source = Arc::new(program(&test)?);
    let (passes, settings) = pipeline::with_settings(&test.pass)?;
    let target = settings.target;
    let options = manager::Options {
        settings,
        ..manager::Options::default()
    };
    let mut steps = manager::run(&source, &passes, &options)?;
    let step = steps.pop().ok_or_else(|| Error::internal("no pass ran"))?;
    let names = step.applied.iter().map(|applied| applied.rewrite);
    fired.entry(step.pass.to_owned()).or_default().extend(names);
    let options = validate::Options {
        level: test.level,
        seed: 1,
        given: None,
        known: None,
        limits: Limits::default(),
        progress: None,
        target,
    };
    // Passes before the last one prepare its input.
    let before = steps.last().map_or(&source, |s| &s.program);
    let report = validate::pipeline(before, &[judged(&step)], &options)?;
    let mut snapshot = text::print(&step.program, Locations::Hidden, Literals::Whole)?;
    snapshot += &footer(&step, &report);
    let is_right = report.verdict == Verdict::Equal && report.hazards.found.is_empty();
    let wrong = (!is_right).then(|| {
        let findings = &report.passes[0].findings;
        let hazards: Vec<String> = report
            .hazards
            .found
            .iter()
            .map(|f| f.fault.to_string())
            .collect();
        format!(
            "{}, hazards {hazards:#?}, notes {:?}, findings {findings:#?}\n{snapshot}",
            report.verdict, report.notes
        )
    });
    Ok((snapshot, wrong))
}

fn read(path: &Path) -> Result<PassTest, Error> {
    let invalid = |what: String| Error::invalid(what, Default::default());
    let text = std::fs::read_to_string(path).map_err(|error| invalid(error.to_string()))?;
    let directive = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("// pass: "))
        .ok_or_else(|| invalid("the first line is not `// pass: <pass>`".to_owned()))?;
    let (pass, level) = match directive.split_once(" --level ") {
        None => (directive, Level::Quick),
        Some((pass, "full")) => (pass, Level::Full),
        Some((_, other)) => return Err(invalid(format!("no level is named '{other}'"))),
    };
    let folder = path.parent().and_then(Path::file_name);
    let (passes, _) = pipeline::with_settings(pass)?;
    let name = passes.last().map_or("", |p| p.name);
    if folder.is_none_or(|folder| folder != name) {
        return Err(invalid(format!("a test of {pass} is in another folder")));
    }
    Ok(PassTest {
        path: path.to_owned(),
        pass: pass.to_owned(),
        level,
        text: text.clone(),
    })
}

fn program(test: &PassTest) -> Result<Program, Error> {
    // The same on every machine: an unnamed module is named after its file.
    let file = test.path.file_name().unwrap_or_default();
    let name = format!("{}/{}", test.pass, file.to_string_lossy());
    match import::detect(test.text.as_bytes(), &name) {
        Form::StableHlo => import::stablehlo::parse(&test.text, &name),
        Form::HloText => import::hlo_text::parse(&test.text, &name),
        Form::OwnText => text::parse(&test.text, &name),
        Form::HloProto => Err(Error::internal("a test is text")),
    }
}

/// A step of the pass manager as the validator takes it.
fn judged(step: &Step) -> validate::Step {
    let rewrites = step.applied.iter().map(|applied| Rewrite {
        id: applied.id.clone(),
        number: applied.number,
        replaced: applied.replaced.clone(),
        numerics: Some(applied.numerics.clone()),
    });
    validate::Step {
        pass: step.pass.to_owned(),
        program: step.program.clone(),
        numerics: step.numerics.clone(),
        rewrites: rewrites.collect(),
        origin: validate::Origin::Pass,
    }
}

/// What fired and what came of it.
fn footer(step: &Step, report: &Report) -> String {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for applied in &step.applied {
        *counts.entry(applied.rewrite).or_default() += 1;
    }
    let fired: Vec<String> = counts
        .iter()
        .map(|(name, n)| {
            if *n == 1 {
                name.to_string()
            } else {
                format!("{name} x{n}")
            }
        })
        .collect();
    let fired = if fired.is_empty() {
        "none".to_owned()
    } else {
        fired.join(", ")
    };
    let classes: BTreeSet<&str> = report.runs.iter().map(|(class, _)| class.name()).collect();
    let classes: Vec<&str> = classes.into_iter().collect();
    let mut out = String::new();
    let _ = writeln!(out, "\n// rewrites: {fired}");
    let _ = writeln!(out, "// contract: {}", contract_words(&step.numerics));
    let _ = writeln!(out, "// inputs:   {}", classes.join(", "));
    for PassReport {
        elements,
        decided,
        regions,
        repeated,
        loose,
        ..
    } in &report.passes
    {
        let compared = regions + repeated;
        let _ = writeln!(
            out,
            "// ring:     {decided} of {elements} output elements decided"
        );
        let _ = writeln!(
            out,
            "// IEEE:     {compared} changed regions compared, {loose} loose"
        );
    }
    if report.hazards.kernels > 0 {
        let (found, n) = (report.hazards.found.len(), report.hazards.kernels);
        let _ = writeln!(out, "// hazards:  {found} in {n} kernels");
    }
    let _ = writeln!(out, "// verdict:  {}", report.verdict);
    out
}

/// Compares with the snapshot beside the test; insta writes the new one where it is asked to.
fn compare(path: &Path, snapshot: &str) -> Option<String> {
    let (folder, stem) = (path.parent()?, path.file_stem()?.to_str()?);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let compared = catch_unwind(AssertUnwindSafe(|| {
        settings.bind(|| insta::assert_snapshot!(stem, snapshot));
    }));
    compared
        .is_err()
        .then(|| format!("{}: differs from {stem}.snap", path.display()))
}
