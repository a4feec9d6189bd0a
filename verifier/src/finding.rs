//! `finding.json`: one finding as a record that outlives the run. Versioned; old files keep loading.

use crate::{
    compare::bits::Difference,
    kernels::hazards,
    native::{OfKernel, Outcome},
    pattern::Pattern,
    validate::{Found, Report},
    verdict::{Ieee, Ring, Verdict},
};
use serde::{Deserialize, Serialize};
use std::{io::Write, path::Path};
use tileproof_dialect::{error::Error, numerics::Numerics};

/// Version of the schema written by this build.
pub const VERSION: u32 = 1;

/// One finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub version: u32,
    /// Hash of the signature: equal causes have equal ids.
    pub id: String,
    #[serde(flatten)]
    pub verdict: Verdict,
    pub pass: String,
    /// `PASS:REWRITE#N`.
    pub rewrite: Option<String>,
    pub contract: String,
    pub op: String,
    pub location: String,
    pub ring: String,
    pub ieee: String,
    pub class: String,
    pub seed: u64,
    /// First bad element at the op to blame, and at the program's outputs.
    pub at_op: Option<Element>,
    pub at_output: Option<Element>,
    /// Of a kernel: the op in it that gives the first wrong value, where one is known.
    #[serde(default)]
    pub inside: Option<InKernel>,
    /// A wrong use of memory, copies or semaphores by a kernel, beside the verdict on the values. Records of older builds have none.
    #[serde(default)]
    pub hazard: Option<KernelHazard>,
    /// Of native code (stage S6): which code differs from the simulator. Records of older builds have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<NativeCode>,
    /// Structural hash of the program checked.
    pub program: String,
    pub environment: Environment,
    /// The command that shows it again.
    pub command: String,
    pub status: String,
}

/// One differing element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Element {
    pub output: usize,
    pub index: Vec<u64>,
    pub want: String,
    pub got: String,
    pub want_bits: String,
    pub got_bits: String,
    pub residues: Option<(u32, u32)>,
    pub differing: u64,
    pub total: u64,
    /// How the elements that differ lie; records of older builds have none.
    #[serde(flatten, default)]
    pub pattern: Option<Pattern>,
}

/// An op of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InKernel {
    pub kernel: String,
    pub op: String,
    pub location: String,
}

/// One hazard of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelHazard {
    /// `Race`: the kind in words of the code.
    pub kind: String,
    pub kernel: String,
    /// Stage after which it shows first.
    pub stage: String,
    /// Op of the kernel, and the ops of the source program it implements.
    pub op: String,
    pub source_ops: Vec<u32>,
    /// Grid step it showed at first.
    pub step: Vec<u64>,
    pub count: u64,
    /// What happens, with the origin of an invalid element.
    pub words: String,
    /// Ops that an invalid element went through, from its origin on.
    pub chain: Vec<String>,
}

/// Native code of a kernel that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NativeCode {
    pub kernel: String,
    /// Code generators whose code differs, and those whose code agrees.
    pub differ: Vec<String>,
    pub agree: Vec<String>,
    /// How code ended that gave no values.
    pub stopped: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    pub tileproof: String,
    pub os: String,
    pub cpu: String,
}

impl Environment {
    /// Of this process.
    pub fn current() -> Environment {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info
            .lines()
            .find_map(|l| l.strip_prefix("model name"))
            .and_then(|l| l.split_once(':'))
            .map(|(_, m)| m.trim().to_string());
        Environment {
            tileproof: env!("CARGO_PKG_VERSION").to_string(),
            os: std::env::consts::OS.to_string(),
            cpu: model.unwrap_or_else(|| std::env::consts::ARCH.to_string()),
        }
    }
}

impl From<&Difference> for Element {
    fn from(d: &Difference) -> Element {
        Element {
            output: d.output,
            index: d.index.clone(),
            want: d.want.clone(),
            got: d.got.clone(),
            want_bits: d.want_bits.clone(),
            got_bits: d.got_bits.clone(),
            residues: d.residues,
            differing: d.differing,
            total: d.total,
            pattern: Some(d.pattern.clone()),
        }
    }
}

fn ring_words(r: &Ring) -> String {
    match r {
        Ring::Equal => "equal".to_string(),
        Ring::Differs => "differs".to_string(),
        Ring::NotDecisive(why) => format!("not decisive: {why}"),
        Ring::NotRun => "not run".to_string(),
    }
}

fn ieee_words(i: &Ieee) -> String {
    match i {
        Ieee::Within => "within".to_string(),
        Ieee::Outside => "outside".to_string(),
        Ieee::Loose(why) => format!("loose: {why}"),
        Ieee::NotRun => "not run".to_string(),
    }
}

/// Short name of a contract.
pub fn contract_words(n: &Numerics) -> String {
    let mut out = format!("{:?}", n.contract);
    if !n.identities.is_empty() {
        out += &format!(" UsesIdentity{:?}", n.identities);
    }
    if !n.special.is_empty() {
        out += &format!(" not kept: {:?}", n.special);
    }
    out
}

/// Records of all findings of a report, worst first. `command` reproduces the whole check.
pub fn records(
    report: &Report,
    program_hash: u128,
    command: impl Fn(&str, &Found) -> String,
) -> Vec<Finding> {
    let mut out: Vec<Finding> = vec![];
    for pass in &report.passes {
        for f in &pass.findings {
            let rewrite = f.rewrite.as_ref().map(|r| r.to_string());
            let signature = format!(
                "{}|{}|{}|{}|{}",
                f.verdict,
                pass.pass,
                rewrite
                    .as_deref()
                    .and_then(|r| r.split('#').next())
                    .unwrap_or(""),
                f.op,
                f.difference
                    .as_ref()
                    .or(f.output.as_ref())
                    .map_or("", |d| d.pattern.name())
            );
            out.push(Finding {
                version: VERSION,
                id: format!("{:016x}", xxhash_rust::xxh3::xxh3_64(signature.as_bytes())),
                verdict: f.verdict.clone(),
                pass: pass.pass.clone(),
                rewrite,
                contract: contract_words(&pass.numerics),
                op: f.op.clone(),
                location: f.location.to_string(),
                ring: ring_words(&f.ring),
                ieee: ieee_words(&f.ieee),
                class: f.class.name().to_string(),
                seed: f.seed,
                at_op: f.difference.as_ref().map(Element::from),
                at_output: f.output.as_ref().map(Element::from),
                inside: f.inside.as_ref().map(|i| InKernel {
                    kernel: i.kernel.clone(),
                    op: i.op.clone(),
                    location: i.location.to_string(),
                }),
                hazard: None,
                native: None,
                program: format!("{program_hash:032x}"),
                environment: Environment::current(),
                command: command(&pass.pass, f),
                status: "new".to_string(),
            });
        }
    }
    out.sort_by_key(|f| std::cmp::Reverse(f.verdict.badness()));
    out
}

/// Records of the hazards of a report. Their verdict is that of the pass on the values. `command` reproduces the whole check with a seed.
pub fn hazards(
    report: &Report,
    program_hash: u128,
    command: impl Fn(u64) -> String,
) -> Vec<Finding> {
    let record = |f: &hazards::Found| {
        let pass = report.passes.iter().find(|p| p.pass == f.pass);
        let rewrite = f.rewrite.as_ref().map(|r| r.to_string());
        let h = &f.fault;
        let hazard = KernelHazard {
            kind: h.kind().to_string(),
            kernel: h.kernel().to_string(),
            stage: f.stage.to_string(),
            op: h.op().to_string(),
            source_ops: h.location().sources.iter().map(|s| s.0).collect(),
            step: h.step().to_vec(),
            count: h.count(),
            words: h.words(),
            chain: h
                .chain()
                .iter()
                .map(|link| format!("{} at {}", link.op, link.location))
                .collect(),
        };
        let signature = format!(
            "{}|{}|{}|{}",
            hazard.kind,
            f.pass,
            rewrite
                .as_deref()
                .and_then(|r| r.split('#').next())
                .unwrap_or(""),
            h.op()
        );
        Finding {
            version: VERSION,
            id: format!("{:016x}", xxhash_rust::xxh3::xxh3_64(signature.as_bytes())),
            verdict: pass.map_or(Verdict::Equal, |p| p.verdict.clone()),
            pass: f.pass.clone(),
            rewrite,
            contract: pass.map_or(String::new(), |p| contract_words(&p.numerics)),
            op: h.op().to_string(),
            location: h.location().to_string(),
            ring: ring_words(&Ring::NotRun),
            ieee: ieee_words(&Ieee::NotRun),
            class: f.class.name().to_string(),
            seed: f.seed,
            at_op: None,
            at_output: None,
            inside: None,
            hazard: Some(hazard),
            native: None,
            program: format!("{program_hash:032x}"),
            environment: Environment::current(),
            command: command(f.seed),
            status: "new".to_string(),
        }
    };
    let mut out: Vec<Finding> = report.hazards.found.iter().map(record).collect();
    // One cause is one finding.
    let mut seen = std::collections::HashSet::new();
    out.retain(|f| seen.insert((f.id.clone(), f.hazard.as_ref().map(|h| h.kernel.clone()))));
    out
}

/// Records of kernels whose native code differs. `command` reproduces the whole check with a seed.
pub fn native(
    report: &Report,
    program_hash: u128,
    command: impl Fn(u64) -> String,
) -> Vec<Finding> {
    let record = |k: &OfKernel| {
        let by = |differs: bool| -> Vec<String> {
            k.outcomes
                .iter()
                .filter(|(_, o)| match o {
                    Outcome::Agrees { .. } => !differs,
                    Outcome::Differs(_) | Outcome::Stopped(_) => differs,
                    Outcome::NotRun(_) => false,
                })
                .map(|(g, _)| g.name().to_string())
                .collect()
        };
        let at_output = k.outcomes.iter().find_map(|(_, o)| match o {
            Outcome::Differs(d) => Some(Element::from(&**d)),
            Outcome::Agrees { .. } | Outcome::Stopped(_) | Outcome::NotRun(_) => None,
        });
        let stopped = k.outcomes.iter().find_map(|(_, o)| match o {
            Outcome::Stopped(how) => Some(how.clone()),
            Outcome::Agrees { .. } | Outcome::Differs(_) | Outcome::NotRun(_) => None,
        });
        let code = NativeCode {
            kernel: k.name.clone(),
            differ: by(true),
            agree: by(false),
            stopped,
        };
        let rewrite = k.location.rewrite.as_ref().map(|r| r.to_string());
        let signature = format!(
            "{STAGE_S6}|{}|{}|{}",
            rewrite
                .as_deref()
                .and_then(|r| r.split('#').next())
                .unwrap_or(""),
            code.differ.join(","),
            k.name
        );
        Finding {
            version: VERSION,
            id: format!("{:016x}", xxhash_rust::xxh3::xxh3_64(signature.as_bytes())),
            verdict: Verdict::Miscompile,
            pass: STAGE_S6.to_string(),
            rewrite,
            contract: contract_words(&Numerics::bit_exact()),
            op: format!("@{}", k.name),
            location: k.location.to_string(),
            ring: ring_words(&Ring::NotRun),
            ieee: ieee_words(&Ieee::Outside),
            class: k.class.name().to_string(),
            seed: k.seed,
            at_op: None,
            at_output,
            inside: None,
            hazard: None,
            native: Some(code),
            program: format!("{program_hash:032x}"),
            environment: Environment::current(),
            command: command(k.seed),
            status: "new".to_string(),
        }
    };
    let native = report.native.iter().flat_map(|n| n.differing());
    native.map(record).collect()
}

/// What stands for a pass in findings of native code.
pub const STAGE_S6: &str = "native code (stage S6)";

/// Writes through a temporary file in the same folder, then renames. What is no regular file (a device, a pipe) is written to as it is.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let fail = |e: std::io::Error| {
        Error::invalid(
            format!("cannot write {}: {e}", path.display()),
            Default::default(),
        )
    };
    if path.exists() && !path.is_file() {
        return std::fs::write(path, bytes).map_err(fail);
    }
    let folder = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(fail)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(fail)?;
    file.write_all(bytes).map_err(fail)?;
    file.persist(path).map_err(|e| fail(e.error))?;
    Ok(())
}

/// Reads a record of this or an older version.
pub fn load(text: &str) -> Result<Finding, Error> {
    let finding: Finding = serde_json::from_str(text)
        .map_err(|e| Error::invalid(format!("not a finding record: {e}"), Default::default()))?;
    if finding.version > VERSION {
        return Err(Error::unsupported(format!(
            "finding record of version {} (this build reads up to {VERSION})",
            finding.version
        )));
    }
    Ok(finding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_version_1_loads() {
        let text = r#"{"version":1,"id":"00","verdict":"Miscompile","pass":"hlo-cse","rewrite":"hlo-cse:merge#3","contract":"BitExact","op":"hlo.add",
            "location":"a.mlir:1:2","ring":"differs","ieee":"outside","class":"normal","seed":7,"at_op":null,
            "at_output":{"output":0,"index":[1],"want":"1","got":"2","want_bits":"0x1","got_bits":"0x2","residues":[1,2],"differing":1,"total":4},
            "program":"0","environment":{"tileproof":"0.1.0","os":"linux","cpu":"x"},"command":"tileproof check a.mlir","status":"new"}"#;
        let finding = load(text).unwrap();
        assert_eq!(
            (finding.verdict, finding.rewrite.as_deref()),
            (Verdict::Miscompile, Some("hlo-cse:merge#3"))
        );
        assert_eq!(finding.hazard, None);
        assert!(load("{}").is_err());
    }
}
