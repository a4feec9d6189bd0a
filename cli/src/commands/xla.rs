//! `tileproof xla`: which stage of XLA changed what a program computes, from a dump folder.

use super::{
    kernel,
    tv::{Accept, LevelName},
};
use crate::{
    exit, load,
    progress::{self, Progress},
};
use clap::{Args, ValueEnum};
use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};
use tileproof_dialect::{
    error::Error,
    export,
    numerics::{Contract, Numerics},
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value},
};
use tileproof_runtime::{
    engine::{Engine, RunError},
    grid::Devices,
    limits::Limits,
    npy, xla,
};
use tileproof_verifier::{
    dumps::{
        codegen::Checker,
        codegen_stage,
        folder::{self, Folder, ModuleDumps, Point, StageDump},
        freedom::Freedom,
        stages::{self, Kind, Link, Stage, Stages},
    },
    finding::{self, Finding},
    isolate::reproducer::{Maker, Reproducer},
    report,
    validate::{self, PassReport},
    verdict::{NOTHING_COMPARED, Verdict},
};

#[derive(Args)]
pub struct Xla {
    /// Folder that `--xla_dump_to` wrote
    dumps: PathBuf,
    /// The StableHLO program that was compiled; without it program.mlir in the folder or beside it, if there
    #[arg(long, value_name = "PROGRAM")]
    source: Option<PathBuf>,
    /// Arguments as .npy files, in argument order; without it input_I.npy beside the folder, if there, else generated
    #[arg(long, value_delimiter = ',', value_name = "A.npy,B.npy")]
    inputs: Option<Vec<PathBuf>>,
    /// What XLA may change
    #[arg(long, value_enum, default_value_t = ContractName::Xla)]
    contract: ContractName,
    #[arg(long, value_enum, default_value_t = LevelName::Quick)]
    level: LevelName,
    /// Seed of the generated inputs and of the ring
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave out stage codegen, which runs the last module on XLA
    #[arg(long)]
    no_codegen: bool,
    /// Seconds to make the first finding small and write a script that shows it; 0: leave it out
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    reduce: u64,
    #[command(flatten)]
    worker: Worker,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Write finding.json files and the reproducer (repro.py, repro.mlir, repro.hlo, input_I.npy) to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Verdict to accept with exit code 0 besides Equal and Benign
    #[arg(long, value_enum)]
    accept: Option<Accept>,
}

/// How the worker that runs XLA is started.
#[derive(Args)]
pub struct Worker {
    /// Python with JAX that runs XLA; without it that of .venv, else python3
    #[arg(long, value_name = "PYTHON")]
    python: Option<PathBuf>,
    /// More XLA_FLAGS for the worker, separated by spaces
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    xla_flags: Option<String>,
    /// Longest time in seconds for one program on XLA
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    xla_timeout: u64,
}

impl Worker {
    /// Whether the user named a Python, which then has to work.
    pub fn is_named(&self) -> bool {
        self.python.is_some()
    }

    pub fn config(&self) -> xla::Config {
        let flags = self.xla_flags.as_deref().unwrap_or("");
        xla::Config {
            python: self.python.clone(),
            flags: flags.split_whitespace().map(str::to_string).collect(),
            timeout: Duration::from_secs(self.xla_timeout),
        }
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum ContractName {
    /// Nothing but the order of sums
    Strict,
    /// XLA's documented freedoms
    Xla,
}

impl ContractName {
    fn name(self) -> &'static str {
        match self {
            ContractName::Strict => "strict",
            ContractName::Xla => "xla",
        }
    }

    fn freedom(self) -> Freedom {
        match self {
            ContractName::Strict => Freedom::Strict,
            ContractName::Xla => Freedom::Xla,
        }
    }

    fn numerics(self) -> Numerics {
        Numerics::of(match self {
            ContractName::Strict => Contract::Strict,
            ContractName::Xla => Contract::Xla,
        })
    }
}

impl Xla {
    pub fn run(self) -> Result<u8, Error> {
        let folder = folder::read(&self.dumps)?;
        for file in &folder.missing {
            exit::say(&format!(
                "tileproof: {file} belongs to the dump and is no file that can be read"
            ));
        }
        let sources = self.sources()?;
        let limits = Limits::default();
        progress::stop_on_interrupt(limits.cancelled.clone());
        let engine = xla::Xla::new(self.worker.config());
        let (mut modules, mut chains) = (vec![], vec![]);
        for module in &folder.modules {
            let chain = chain(module, source_of(module, &folder.modules, &sources));
            let given = self.given(&chain)?;
            let bar = Progress::new();
            let options = validate::Options {
                level: self.level.level(),
                seed: self.seed,
                given: given.as_ref().map(|g| g.values.clone()),
                known: None,
                limits: limits.clone(),
                progress: Some(Arc::new(move |what, share| bar.update(what, share))),
                target: tileproof_lowering::target::DEFAULT,
            };
            let mut result = stages::check(&chain, |_| self.contract.numerics(), &options)?;
            if !self.no_codegen {
                self.codegen(&engine, &chain, &options, &mut result)?;
            }
            if result.stages.is_empty() {
                chain
                    .iter()
                    .for_each(|link| result.add(alone(link, &self.contract.numerics())));
            } else if let Some(last) = chain.last()
                && let Some(why) = incomplete(module, &folder)
            {
                result.add(Stage {
                    name: "the whole dump".to_string(),
                    pipeline: String::new(),
                    report: PassReport {
                        verdict: Verdict::Inconclusive { why },
                        ..PassReport::of("the whole dump", &self.contract.numerics())
                    },
                    ..alone(last, &self.contract.numerics())
                });
            }
            let findings = self.findings(&chain, &result, given.as_ref());
            chains.push((chain, result.clone(), given));
            modules.push((module.name.clone(), result, findings));
        }
        let mut text = self.text(&modules);
        for (chain, result, given) in &chains {
            text += &self.reproduce(&engine, chain, result, given.as_ref(), &limits)?;
        }
        if let Some(out) = &self.out {
            for f in modules.iter().flat_map(|(_, _, findings)| findings) {
                let text =
                    serde_json::to_vec_pretty(f).map_err(|e| Error::internal(e.to_string()))?;
                finding::write_atomically(&out.join(format!("finding-{}.json", f.id)), &text)?;
            }
        }
        exit::print(&text)?;
        let verdict = report::stages::worst(modules.iter().map(|(_, result, _)| result));
        let accepted = self.accept == Some(Accept::IeeeOnly)
            && matches!(verdict, Verdict::EqualIeeeOnly { .. });
        Ok(if accepted { 0 } else { verdict.exit_code() })
    }

    /// The source programs there are: the one named, else `program.mlir` in or beside the folder. What is not supported in one concerns stage
    /// import alone.
    fn sources(&self) -> Result<Vec<Source>, Error> {
        let beside = self.dumps.parent().unwrap_or(Path::new(".")).join(SOURCE);
        let found = [self.dumps.join(SOURCE), beside];
        let path = match &self.source {
            Some(path) => Some(path.clone()),
            None => found.into_iter().find(|p| p.is_file()),
        };
        let read = |path: PathBuf| match load::program(&path).map(Arc::new) {
            Err(e) if !matches!(e, Error::Unsupported { .. }) => Err(e),
            program => Ok(Source { path, program }),
        };
        path.into_iter().map(read).collect()
    }

    /// The arguments named, else those beside the folder.
    fn given(&self, chain: &[Link]) -> Result<Option<Given>, Error> {
        let Some(program) = chain.iter().find_map(|l| l.program.as_ref().ok()) else {
            return Ok(None);
        };
        let paths = match &self.inputs {
            Some(paths) => paths.clone(),
            None => {
                let beside = self.dumps.parent().unwrap_or(Path::new("."));
                let count = program.parameter_types().len();
                let paths: Vec<PathBuf> = (0..count)
                    .map(|i| beside.join(format!("input_{i}.npy")))
                    .collect();
                if count == 0 || !paths.iter().all(|p| p.is_file()) {
                    return Ok(None);
                }
                paths
            }
        };
        let values = load::arguments(program, &paths)?.concat();
        Ok(Some(Given { paths, values }))
    }

    /// Adds stage codegen, where the last program can be read.
    fn codegen(
        &self,
        engine: &xla::Xla,
        chain: &[Link],
        options: &validate::Options,
        result: &mut Stages,
    ) -> Result<(), Error> {
        let Some((last, Ok(program))) = chain.last().map(|l| (l, &l.program)) else {
            return Ok(());
        };
        let numerics = self.contract.numerics();
        let stage = match engine.versions() {
            Err(e) if self.worker.is_named() => return Err(e),
            Err(e) => match self.recorded(program, options)? {
                Some((got, want)) => codegen_stage::recorded(last, &got, &want, &numerics),
                None => codegen_stage::refused(last, &numerics, e.to_string()),
            },
            Ok(_) => {
                let checker = Checker {
                    xla: engine,
                    freedom: self.contract.freedom(),
                    limits: &options.limits,
                };
                let text = text_of(last, program)?;
                let mut checked =
                    codegen_stage::check(&checker, last, program, &text, &numerics, options)?;
                let own = std::env::current_exe()
                    .map_err(|e| Error::internal(format!("no path of this program: {e}")))?;
                checked.blame(&checker, &|| {
                    let mut child = Command::new(&own);
                    child.arg(kernel::NAME);
                    child
                })?;
                result.report.notes.extend(checked.notes);
                checked.stage
            }
        };
        result.add(stage);
        Ok(())
    }

    /// Makes the first finding small and writes it to `--out`. Gives what is printed of it: nothing among JSON.
    fn reproduce(
        &self,
        engine: &xla::Xla,
        chain: &[Link],
        result: &Stages,
        given: Option<&Given>,
        limits: &Limits,
    ) -> Result<String, Error> {
        let Some(stage) = result.first_broken() else {
            return Ok(String::new());
        };
        if self.reduce == 0 || (self.json && self.out.is_none()) {
            return Ok(String::new());
        }
        let versions = match engine.versions() {
            Ok(versions) => versions,
            Err(e) if self.worker.is_named() => return Err(e),
            Err(_) => return Ok(String::new()),
        };
        let numerics = self.contract.numerics();
        let maker = Maker {
            checker: &Checker {
                xla: engine,
                freedom: self.contract.freedom(),
                limits,
            },
            numerics: &numerics,
            python: &versions.python,
            budget: Duration::from_secs(self.reduce),
        };
        let made = maker.make(chain, stage, given.map(|g| g.values.as_slice()))?;
        if let (Some(made), Some(out)) = (&made, &self.out) {
            write_reproducer(out, made)?;
        }
        if self.json {
            return Ok(String::new());
        }
        Ok(report::reproducer::text(
            made.as_ref(),
            &versions,
            self.out.as_deref(),
        ))
    }

    /// Results recorded beside the folder, with those of the reference on the given arguments.
    fn recorded(
        &self,
        program: &Program,
        options: &validate::Options,
    ) -> Result<Option<Recorded>, Error> {
        let Some(given) = &options.given else {
            return Ok(None);
        };
        let beside = self.dumps.parent().unwrap_or(Path::new("."));
        let mut got = vec![];
        for (i, ty) in xla::tensor_types(&program.main().results)?
            .iter()
            .enumerate()
        {
            let path = beside.join(format!("xla_output_{i}.npy"));
            if !path.is_file() {
                return Ok(None);
            }
            got.push(npy::read(&path, ty)?);
        }
        let arguments = std::slice::from_ref(given);
        let outcome = Engine::Reference.run(
            program,
            Planes::IeeeOnly,
            &Devices::default(),
            arguments,
            &options.limits,
        );
        let outcome = outcome.map_err(|e| match e {
            RunError::Failed(e) => e,
            RunError::Cancelled => Error::unsupported("a run that was stopped"),
        })?;
        let want = outcome
            .devices
            .first()
            .and_then(|d| d.runs.first()?.outputs());
        Ok(want.map(|want| (got, want.to_vec())))
    }

    /// Records of the findings, each with the command that shows it again.
    fn findings(&self, chain: &[Link], result: &Stages, given: Option<&Given>) -> Vec<Finding> {
        let hash = chain
            .iter()
            .find_map(|l| l.program.as_ref().ok())
            .map_or(0, |p| p.structural_hash());
        result
            .stages
            .iter()
            .flat_map(|stage| {
                let one = validate::Report {
                    passes: vec![stage.report.clone()],
                    ..result.report.clone()
                };
                finding::records(&one, hash, |_, found| self.again(stage, found.seed, given))
            })
            .collect()
    }

    fn again(&self, stage: &Stage, seed: u64, given: Option<&Given>) -> String {
        let mut out = match stage.kind {
            Kind::Import | Kind::Pass => format!(
                "tileproof tv {} {} --contract {}",
                stage.before.display(),
                stage.after.display(),
                self.contract.name()
            ),
            Kind::Codegen => format!(
                "tileproof xla {} --contract {}",
                self.dumps.display(),
                self.contract.name()
            ),
        };
        out += &format!(" --seed {}", seed & 0xffff_ffff);
        if let Some(given) = given {
            let all: Vec<String> = given
                .paths
                .iter()
                .map(|p| p.display().to_string())
                .collect();
            out += &format!(" --inputs {}", all.join(","));
        }
        if matches!(self.level, LevelName::Full) {
            out += " --level full";
        }
        out + " --json"
    }

    fn text(&self, modules: &[(String, Stages, Vec<Finding>)]) -> String {
        if self.json {
            let all: Vec<_> = modules
                .iter()
                .map(|(name, result, findings)| report::stages::json(name, result, findings))
                .collect();
            let verdict = report::stages::worst(modules.iter().map(|(_, result, _)| result));
            let json = serde_json::json!({"version": 1, "verdict": verdict, "modules": all});
            return format!("{json:#}\n");
        }
        let mut out = String::new();
        for (name, result, findings) in modules {
            out += &report::stages::table(name, result);
            for f in findings {
                out.push('\n');
                out += &report::text::finding(f);
            }
        }
        out
    }
}

/// Files of a reproducer, each written whole.
fn write_reproducer(out: &Path, made: &Reproducer) -> Result<(), Error> {
    let write =
        |name: &str, text: &str| finding::write_atomically(&out.join(name), text.as_bytes());
    write("repro.mlir", &made.stablehlo)?;
    if let Some(hlo) = &made.hlo {
        write("repro.hlo", hlo)?;
    }
    if let Some(script) = &made.script {
        write("repro.py", &script.text)?;
    }
    for (i, value) in made.reduced.shown.arguments.iter().enumerate() {
        if let Some(t) = value.as_tensor() {
            npy::write(&out.join(format!("input_{i}.npy")), t)?;
        }
    }
    Ok(())
}

/// Results of the compiled run and of the reference.
type Recorded = (Vec<Tensor>, Vec<Value>);

/// Name of the program that the Python package saves with the dumps.
const SOURCE: &str = "program.mlir";

/// Arguments and the files they come from.
struct Given {
    paths: Vec<PathBuf>,
    values: Vec<Value>,
}

/// A source program, or why it cannot be read.
struct Source {
    path: PathBuf,
    program: Result<Arc<Program>, Error>,
}

/// The source of `module`: by name where a folder has several modules.
fn source_of<'s>(
    module: &ModuleDumps,
    all: &[ModuleDumps],
    sources: &'s [Source],
) -> Option<&'s Source> {
    let named = |source: &&Source| {
        let name = source.program.as_ref().map(|p| p.name.as_str());
        let after_number = module.name.split_once('.').map(|(_, n)| n);
        all.len() == 1 || name.is_ok_and(|n| after_number == Some(n))
    };
    sources.iter().find(named)
}

/// All programs of a module in order.
fn chain(module: &ModuleDumps, source: Option<&Source>) -> Vec<Link> {
    let source = source.map(|source| Link {
        point: None,
        path: source.path.clone(),
        program: source.program.clone(),
    });
    source
        .into_iter()
        .chain(module.stages.iter().map(link))
        .collect()
}

/// A dumped program from the first of its files that can be read.
fn link(stage: &StageDump) -> Link {
    let mut first: Option<Link> = None;
    for path in &stage.files {
        let program = load::program(path).map(Arc::new);
        let link = Link {
            point: Some(stage.point.clone()),
            path: path.clone(),
            program,
        };
        if link.program.is_ok() {
            return link;
        }
        first = first.or(Some(link));
    }
    first.unwrap_or_else(|| Link {
        point: Some(stage.point.clone()),
        path: PathBuf::new(),
        program: Err(Error::internal("a stage without files")),
    })
}

/// Why the programs of a module are not all that XLA made on the way to the compiled one.
fn incomplete(module: &ModuleDumps, folder: &Folder) -> Option<String> {
    if let Some(file) = folder.missing.first() {
        return Some(format!("{file} could not be read"));
    }
    let compiled = |s: &StageDump| s.point == Point::AfterOptimizations;
    let why = "it holds no module after optimizations: the compilation ended early, or its dump";
    (!module.stages.iter().any(compiled)).then(|| why.to_string())
}

/// The stage that ends at a program with nothing before it to compare it with.
fn alone(link: &Link, numerics: &Numerics) -> Stage {
    let (name, pipeline) = match &link.point {
        Some(point) => (point.name().to_string(), point.pipeline().to_string()),
        None => (Kind::Import.name().to_string(), String::new()),
    };
    let verdict = match &link.program {
        Ok(_) => Verdict::Inconclusive {
            why: format!("{NOTHING_COMPARED}: no other program of this module was dumped"),
        },
        Err(why) => Verdict::Unsupported {
            what: format!("{}: {why}", link.path.display()),
        },
    };
    Stage {
        kind: Kind::Pass,
        report: PassReport {
            verdict,
            ..PassReport::of(&name, numerics)
        },
        name,
        pipeline,
        point: link.point.clone(),
        before: link.path.clone(),
        after: link.path.clone(),
        culprits: vec![],
    }
}

/// Text of a dumped module: as dumped, or written anew where only a proto was dumped.
fn text_of(link: &Link, program: &Program) -> Result<String, Error> {
    if folder::is_proto(&link.path) {
        return export::hlo_text::print(program);
    }
    String::from_utf8(load::bytes(&link.path)?).map_err(|e| Error::internal(e.to_string()))
}
