//! What a folder of XLA dumps holds, by file names alone.
//!
//! Names are those of `--xla_dump_to` (xla/service/dump.cc): `[TIME.]module_NNNN.NAME.NNNN.PIPELINE.after_PASS[.before_NEXT].txt`,
//! `module_NNNN.NAME.before_optimizations.txt`, `module_NNNN.NAME.PLATFORM_after_optimizations.txt`, each also as `.hlo.pb` and gzipped. A folder of one
//! module may leave out `module_NNNN.NAME.`. Everything else (buffer assignments, LLVM modules, objects, options) is no program and ignored.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use tileproof_dialect::{
    error::{Diagnostic, Error},
    location::Location,
};

/// The dumps of one module, in the order in which XLA made them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleDumps {
    /// `module_0003.jit_f`, or empty where the files name no module.
    pub name: String,
    pub stages: Vec<StageDump>,
}

/// One program of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageDump {
    pub point: Point,
    /// Text and proto of the same program, whichever are there; text first.
    pub files: Vec<PathBuf>,
}

/// When in the compilation a program was dumped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    BeforeOptimizations,
    AfterPass {
        /// Running number over all pipelines of the module.
        number: u32,
        pipeline: String,
        pass: String,
    },
    AfterOptimizations,
}

/// A folder as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    pub modules: Vec<ModuleDumps>,
    /// Files that an `index.json` names and that are not there; names of dumps that are no files.
    pub missing: Vec<String>,
}

/// Reads the names in `folder`.
pub fn read(folder: &Path) -> Result<Folder, Error> {
    let fail = |e: std::io::Error| {
        Error::invalid(
            format!("cannot read {}: {e}", folder.display()),
            Location::default(),
        )
    };
    let (mut names, mut others) = (vec![], vec![]);
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_file() {
            names.push(name);
        } else if parse(&name).is_some() {
            others.push(name);
        }
    }
    names.sort();
    let modules = group(folder, &names);
    if modules.is_empty() {
        let message = format!("{} holds no XLA dump", folder.display());
        let help = "make one with XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_pass_re=.* --xla_dump_large_constants=true\"";
        return Err(Error::InvalidProgram(vec![
            Diagnostic::new(message, Location::default()).with_help(help),
        ]));
    }
    Ok(Folder {
        modules,
        missing: [others, missing(folder, &names)?].concat(),
    })
}

fn group(folder: &Path, names: &[String]) -> Vec<ModuleDumps> {
    let mut modules: BTreeMap<String, BTreeMap<Point, Vec<PathBuf>>> = BTreeMap::new();
    for name in names {
        if let Some((module, point)) = parse(name) {
            let files = modules.entry(module).or_default().entry(point).or_default();
            files.push(folder.join(name));
        }
    }
    modules
        .into_iter()
        .map(|(name, points)| ModuleDumps {
            name,
            stages: points
                .into_iter()
                .map(|(point, mut files)| {
                    files.sort_by_key(|f| (is_proto(f), f.clone()));
                    StageDump { point, files }
                })
                .collect(),
        })
        .collect()
}

/// Whether a dump is a proto, by its name.
pub fn is_proto(path: &Path) -> bool {
    let name = path.to_string_lossy();
    name.trim_end_matches(".gz").ends_with(".pb")
}

/// Module and point of one file name; none for what is no program.
fn parse(name: &str) -> Option<(String, Point)> {
    let stem = name.strip_suffix(".gz").unwrap_or(name);
    let stem = [".txt", ".hlo.pb", ".pb"]
        .iter()
        .find_map(|e| stem.strip_suffix(e))?;
    if let Some(module) = before(stem, "before_optimizations") {
        return Some((module.to_string(), Point::BeforeOptimizations));
    }
    if let Some(head) = stem.strip_suffix("_after_optimizations") {
        // The platform may hold dots of its own: `sm_9.0_gpu`.
        let module = match head.rsplit_once("sm_") {
            Some((module, _)) => module.trim_end_matches('.'),
            None => head.rsplit_once('.').map_or("", |(module, _)| module),
        };
        return Some((module.to_string(), Point::AfterOptimizations));
    }
    // Names of pipelines begin with `after_` too.
    stem.match_indices(AFTER).find_map(|(at, _)| {
        let (head, tail) = (&stem[..at], &stem[at + AFTER.len()..]);
        let pass = tail.rsplit_once(".before_").map_or(tail, |(pass, _)| pass);
        let (head, pipeline) = head.rsplit_once('.')?;
        let (module, number) = head.rsplit_once('.').unwrap_or(("", head));
        if number.len() < 4 || !number.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        Some((
            module.to_string(),
            Point::AfterPass {
                number: number.parse().ok()?,
                pipeline: pipeline.to_string(),
                pass: pass.to_string(),
            },
        ))
    })
}

/// What stands between a pipeline and a pass in a file name.
const AFTER: &str = ".after_";

/// What stands before `.word`, or nothing when the word is all.
fn before<'a>(stem: &'a str, word: &str) -> Option<&'a str> {
    let head = stem.strip_suffix(word)?;
    if head.is_empty() {
        Some("")
    } else {
        head.strip_suffix('.')
    }
}

fn missing(folder: &Path, names: &[String]) -> Result<Vec<String>, Error> {
    let path = folder.join("index.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        return Ok(vec![]);
    };
    let at = |line: usize, column: usize| {
        Location::at(
            &path.display().to_string().into(),
            line as u32,
            column as u32,
        )
    };
    let index: serde_json::Value = serde_json::from_str(&text)
        .map_err(|e| Error::invalid(format!("no JSON: {e}"), at(e.line(), e.column())))?;
    let listed = index["files"].as_array().into_iter().flatten();
    Ok(listed
        .filter_map(|f| f["file"].as_str())
        .filter(|f| !names.iter().any(|n| n == f))
        .map(str::to_string)
        .collect())
}

impl Point {
    /// Name of the stage that ends here: the pass, or what XLA calls the point.
    pub fn name(&self) -> &str {
        match self {
            Point::BeforeOptimizations => "before_optimizations",
            Point::AfterPass { pass, .. } => pass,
            Point::AfterOptimizations => "after_optimizations",
        }
    }

    pub fn pipeline(&self) -> &str {
        match self {
            Point::AfterPass { pipeline, .. } => pipeline,
            Point::BeforeOptimizations | Point::AfterOptimizations => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(number: u32, pipeline: &str, pass: &str) -> Point {
        Point::AfterPass {
            number,
            pipeline: pipeline.to_string(),
            pass: pass.to_string(),
        }
    }

    #[test]
    fn names_of_programs_are_read_and_other_files_are_not() {
        let module = |m: &str, p: Point| Some((m.to_string(), p));
        let m = "module_0003.jit_f.1";
        let read = |name: &str| parse(name);
        assert_eq!(
            read("module_0003.jit_f.1.0007.simplification.after_algsimp.before_simplify-sorts.txt"),
            module(m, pass(7, "simplification", "algsimp"))
        );
        assert_eq!(
            read("0042.copy-insertion.after_adding_copies.txt.gz"),
            module("", pass(42, "copy-insertion", "adding_copies"))
        );
        assert_eq!(
            read(
                "module_0003.jit_f.1.0017.after_layout_assignment.after_pipeline-start.before_pipeline-end.txt"
            ),
            module(m, pass(17, "after_layout_assignment", "pipeline-start"))
        );
        assert_eq!(
            read("module_0003.jit_f.1.before_optimizations.hlo.pb"),
            module(m, Point::BeforeOptimizations)
        );
        assert_eq!(
            read("before_optimizations.txt.gz"),
            module("", Point::BeforeOptimizations)
        );
        for platform in ["cpu", "gpu", "sm_9.0_gpu", "sm_8.6a_gpu"] {
            let name = format!("module_0003.jit_f.1.{platform}_after_optimizations.txt");
            assert_eq!(read(&name), module(m, Point::AfterOptimizations), "{name}");
        }
        for other in [
            "module_0003.jit_f.cpu_after_optimizations-buffer-assignment.txt",
            "module_0003.jit_f.cpu_after_optimizations-live-range.txt",
            "module_0003.jit_f.add_kernel_module.ir-no-opt.ll",
            "module_0003.jit_f.thunk_sequence.txt",
            "module_0003.jit_f.debug_options",
            "module_0003.jit_f.obj-file.x.o",
            "index.json",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn stages_come_in_the_order_of_the_compilation() {
        let names: Vec<String> = [
            "cpu_after_optimizations.txt",
            "0010.b.after_y.txt",
            "0002.a.after_x.before_y.txt",
            "before_optimizations.hlo.pb",
            "before_optimizations.txt",
        ]
        .map(str::to_string)
        .to_vec();
        let modules = group(Path::new("d"), &names);
        let points: Vec<&str> = modules[0].stages.iter().map(|s| s.point.name()).collect();
        assert_eq!(
            points,
            ["before_optimizations", "x", "y", "after_optimizations"]
        );
        assert!(is_proto(&modules[0].stages[0].files[1]));
    }
}
