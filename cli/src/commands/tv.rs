//! `tileproof tv`: any two programs of any accepted form against each other. Also the options that `check` and `tv` share.

use crate::{
    exit, load,
    progress::{self, Progress},
};
use clap::{Args, ValueEnum};
use std::{path::PathBuf, sync::Arc};
use tileproof_dialect::{
    error::Error,
    numerics::{Contract, Numerics},
    program::Program,
    tensor::Value,
};
use tileproof_lowering::target::{self, TpuTarget};
use tileproof_runtime::limits::Limits;
use tileproof_verifier::{finding, report, validate, verdict::Verdict};

#[derive(Args)]
pub struct Tv {
    before: PathBuf,
    after: PathBuf,
    /// What the change from BEFORE to AFTER may do to the numbers
    #[arg(long, value_enum, default_value_t = ContractName::Unknown)]
    contract: ContractName,
    #[command(flatten)]
    validation: Validation,
}

#[derive(Clone, Copy, ValueEnum)]
enum ContractName {
    /// Not known: sums may be reassociated and literals merged; a difference in the ring counts only where both apply the same functions
    Unknown,
    /// As written, each op rounded as IEEE 754 says; sums in any order; functions within 4 ulp
    Strict,
    /// What XLA documents that its compilers may do
    Xla,
    /// Every bit is kept
    BitExact,
    /// Sums and products may be taken in another order
    Reassociates,
}

impl ContractName {
    fn contract(self) -> Contract {
        match self {
            ContractName::Unknown => Contract::Unknown,
            ContractName::Strict => Contract::Strict,
            ContractName::Xla => Contract::Xla,
            ContractName::BitExact => Contract::BitExact,
            ContractName::Reassociates => Contract::Reassociates,
        }
    }
}

#[derive(Args)]
pub struct Validation {
    /// Arguments as .npy files, in argument order, in place of generated ones
    #[arg(long, value_delimiter = ',', value_name = "A.npy,B.npy")]
    inputs: Option<Vec<PathBuf>>,
    #[arg(long, value_enum, default_value_t = LevelName::Quick)]
    level: LevelName,
    /// Seed of the generated inputs and of the ring
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Write finding.json files to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print how each new literal was explained
    #[arg(long)]
    explain: bool,
    /// Verdict to accept with exit code 0 besides Equal and Benign
    #[arg(long, value_enum)]
    accept: Option<Accept>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum LevelName {
    /// Inputs of classes normal and exact, one ring seed; small programs also a few hostile inputs, which count where they show a mismatch
    Quick,
    /// All input classes, three ring seeds; small programs many
    Full,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Accept {
    IeeeOnly,
}

impl LevelName {
    pub fn level(self) -> validate::Level {
        match self {
            LevelName::Quick => validate::Level::Quick,
            LevelName::Full => validate::Level::Full,
        }
    }
}

impl Tv {
    pub fn run(self) -> Result<u8, Error> {
        let before = Arc::new(load::program(&self.before)?);
        let after = Arc::new(load::program(&self.after)?);
        let given = self.validation.arguments(&before)?;
        let numerics = Numerics::of(self.contract.contract());
        let mut command = format!(
            "tileproof tv {} {}",
            self.before.display(),
            self.after.display()
        );
        if let Some(name) = self.contract.to_possible_value()
            && !matches!(self.contract, ContractName::Unknown)
        {
            command += &format!(" --contract {}", name.get_name());
        }
        self.validation
            .finish(&before, given, command, target::DEFAULT, |options| {
                validate::two(&before, &after, &numerics, options)
            })
    }
}

impl Validation {
    /// The given arguments, if any; of several processes one after the other.
    pub fn arguments(&self, program: &Program) -> Result<Option<Vec<Value>>, Error> {
        self.inputs
            .as_ref()
            .map(|paths| load::arguments(program, paths).map(|sets| sets.concat()))
            .transpose()
    }

    /// Runs the validation, prints the report, writes the findings and gives the exit code.
    pub fn finish(
        &self,
        source: &Program,
        given: Option<Vec<Value>>,
        command: String,
        target: &'static TpuTarget,
        run: impl FnOnce(&validate::Options) -> Result<validate::Report, Error>,
    ) -> Result<u8, Error> {
        let limits = Limits::default();
        progress::stop_on_interrupt(limits.cancelled.clone());
        let bar = Progress::new();
        let options = validate::Options {
            level: self.level.level(),
            seed: self.seed,
            given,
            known: None,
            limits,
            progress: Some(Arc::new(move |what, share| bar.update(what, share))),
            target,
        };
        let result = run(&options)?;
        drop(options);
        let findings = finding::records(&result, source.structural_hash(), |_, found| {
            self.again(&command, found.seed)
        });
        let hazards = finding::hazards(&result, source.structural_hash(), |seed| {
            self.again(&command, seed)
        });
        let native = finding::native(&result, source.structural_hash(), |seed| {
            self.again(&command, seed)
        });
        let findings = [findings, hazards, native].concat();
        if let Some(folder) = &self.out {
            for f in &findings {
                let text =
                    serde_json::to_vec_pretty(f).map_err(|e| Error::internal(e.to_string()))?;
                finding::write_atomically(&folder.join(format!("finding-{}.json", f.id)), &text)?;
            }
        }
        let text = if self.json {
            format!("{:#}\n", report::json::report(&result, &findings))
        } else {
            let all: Vec<String> = findings.iter().map(report::text::finding).collect();
            let explained = self
                .explain
                .then(|| report::text::explanations(&result))
                .filter(|text| !text.is_empty());
            std::iter::once(report::text::table(&result))
                .chain(explained)
                .chain(all)
                .collect::<Vec<_>>()
                .join("\n")
        };
        exit::print(&text)?;
        let accepted = self.accept == Some(Accept::IeeeOnly)
            && matches!(result.verdict, Verdict::EqualIeeeOnly { .. })
            && result.hazards.found.is_empty();
        Ok(if accepted { 0 } else { result.exit_code() })
    }

    fn again(&self, command: &str, seed: u64) -> String {
        let mut out = format!("{command} --seed {}", seed & 0xffff_ffff);
        if let Some(inputs) = &self.inputs {
            let all: Vec<String> = inputs.iter().map(|p| p.display().to_string()).collect();
            out += &format!(" --inputs {}", all.join(","));
        }
        if matches!(self.level, LevelName::Full) {
            out += " --level full";
        }
        out + " --json"
    }
}
