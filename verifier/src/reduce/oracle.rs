//! Whether a program shows the same finding: XLA compiles it anew with its dumps, and the same stage must be the first that breaks it.

use crate::{
    dumps::{
        codegen::Checker,
        codegen_stage,
        folder::{self, Point},
        stages::{self, Kind, Link},
    },
    level::Level,
    validate::{Found, Options},
    verdict::Ieee,
};
use std::{path::Path, sync::Arc};
use tileproof_dialect::{
    error::Error,
    export,
    import::hlo_text,
    numerics::Numerics,
    program::Program,
    tensor::{Tensor, Value},
};
use tileproof_runtime::{
    limits::Limits,
    xla::{self, Ended, Form, Request, Xla},
};

/// What must stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub kind: Kind,
    /// Name of the pass.
    pub name: String,
}

/// Compiles candidates and looks for the signature.
pub struct Oracle<'a> {
    pub xla: &'a Xla,
    pub signature: Signature,
    pub numerics: &'a Numerics,
    pub checker: &'a Checker<'a>,
    pub limits: &'a Limits,
    pub results: Results,
}

/// How the compiled results must differ from the reference's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// By more than all rounding between arguments and results allows, which a script can show.
    Beyond,
    /// In any bit.
    Differ,
}

/// A program that shows the finding.
#[derive(Debug, Clone)]
pub struct Shown {
    pub program: Arc<Program>,
    pub arguments: Vec<Value>,
    pub found: Vec<Found>,
    /// What the compiled program gives, and what the reference gives.
    pub got: Vec<Tensor>,
    pub want: Vec<Value>,
}

impl Oracle<'_> {
    /// What is shown by `program` on `arguments`, if it is the signature. Programs that XLA or this build cannot take show nothing.
    pub fn shows(&self, program: &Program, arguments: &[Value]) -> Result<Option<Shown>, Error> {
        match self.look(program, arguments) {
            Ok(shown) => Ok(shown),
            Err(Error::Unsupported { .. } | Error::InvalidProgram(_)) => Ok(None),
            Err(other @ Error::Internal(_)) => Err(other),
        }
    }

    fn look(&self, program: &Program, arguments: &[Value]) -> Result<Option<Shown>, Error> {
        let text = export::stablehlo::print(program)?;
        let folder = tempfile::tempdir()
            .map_err(|e| Error::internal(format!("no temporary folder: {e}")))?;
        let options = [
            (
                "xla_dump_to".to_string(),
                folder.path().display().to_string().into(),
            ),
            ("xla_dump_hlo_pass_re".to_string(), ".*".into()),
            ("xla_dump_large_constants".to_string(), true.into()),
        ];
        let ended = self.xla.run(&Request {
            form: Form::StableHlo,
            text: &text,
            options: &options,
            replicas: 1,
            partitions: 1,
            arguments: &[xla::tensors(arguments)?],
            results: &xla::tensor_types(&program.main().results)?,
            runs: 1,
        })?;
        let Ended::Returned(runs) = ended else {
            return Ok(None);
        };
        let got = runs
            .into_iter()
            .next()
            .and_then(|run| run.into_iter().next());
        let program = Arc::new(program.clone());
        let mut chain = vec![Link {
            point: None,
            path: "program.mlir".into(),
            program: Ok(program.clone()),
        }];
        let mut last_text = String::new();
        for module in folder::read(folder.path())?.modules {
            for stage in module.stages {
                let (link, text) = read(&stage.files[0], stage.point)?;
                chain.push(link);
                last_text = text;
            }
        }
        let options = Options {
            level: Level::Quick,
            seed: 1,
            given: Some(arguments.to_vec()),
            known: None,
            limits: self.limits.clone(),
            progress: None,
            target: tileproof_lowering::target::DEFAULT,
        };
        let mut result = stages::check(&chain, |_| self.numerics.clone(), &options)?;
        if let (Kind::Codegen, Some(last)) = (self.signature.kind, chain.last())
            && let Ok(module) = &last.program
        {
            let checked = codegen_stage::check(
                self.checker,
                last,
                module,
                &last_text,
                self.numerics,
                &options,
            )?;
            result.add(checked.stage);
        }
        let Some(broken) = result.first_broken() else {
            return Ok(None);
        };
        if broken.kind != self.signature.kind || broken.name != self.signature.name {
            return Ok(None);
        }
        let interpreter = tileproof_runtime::reference::Interpreter::new(
            &program,
            tileproof_dialect::planes::Planes::IeeeOnly,
            self.limits,
        );
        let want = interpreter.run(arguments.to_vec(), &mut Default::default());
        let (Ok(want), Some(got)) = (want, got) else {
            return Ok(None);
        };
        // A script can show only what reaches the results.
        let shows = match self.results {
            Results::Beyond => {
                let inputs = xla::tensors(arguments)?;
                let judged = self.checker.judge(&program, &inputs, &got);
                // Numbers that no rounding touches are compared as they are, in a script too: the stage has been judged already.
                let whole = |(w, g): (&Value, &Tensor)| {
                    w.as_tensor().is_some_and(|w| {
                        let rounds = w.element().is_float() || w.element().is_complex();
                        !rounds && !crate::compare::bits::differing_ieee(w, g).is_empty()
                    })
                };
                judged.is_ok_and(|j| j.ieee == Ieee::Outside) || want.iter().zip(&got).any(whole)
            }
            Results::Differ => {
                let values: Vec<Value> = got.iter().cloned().map(Value::from).collect();
                crate::compare::bits::first_difference(&want, &values).is_some()
            }
        };
        if !shows {
            return Ok(None);
        }
        Ok(Some(Shown {
            found: broken.report.findings.clone(),
            program,
            arguments: arguments.to_vec(),
            got,
            want,
        }))
    }
}

fn read(path: &Path, point: Point) -> Result<(Link, String), Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Error::internal(format!("cannot read {}: {e}", path.display())))?;
    let program = hlo_text::parse(&text, &path.display().to_string());
    let link = Link {
        point: Some(point),
        path: path.to_path_buf(),
        program: program.map(Arc::new),
    };
    Ok((link, text))
}
