//! The column `native` as text and JSON.

use crate::{
    finding::{Finding, NativeCode},
    native::{Counts, Native, OfKernel, Outcome},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write, time::Duration};
use tileproof_runtime::native::kernel::Generator;

fn list(counts: &BTreeMap<String, usize>) -> String {
    let all: Vec<String> = counts
        .iter()
        .map(|(what, n)| format!("{what} ({n})"))
        .collect();
    all.join(", ")
}

/// One line a generator, and what it does not run.
pub fn summary(native: &Native) -> String {
    let mut out = String::new();
    for generator in Generator::ALL {
        let Counts {
            agree,
            differ,
            not_run,
            reasons,
            functions,
        } = native.counts(generator);
        if agree + differ + not_run == 0 {
            continue;
        }
        let of = |part: fn(&Outcome) -> Duration| -> Duration {
            native
                .kernels
                .iter()
                .flat_map(|k| &k.outcomes)
                .filter(|(g, _)| *g == generator)
                .map(|(_, o)| part(o))
                .sum()
        };
        let time = of(|o| match o {
            Outcome::Agrees { time, .. } => *time,
            Outcome::Differs(_) | Outcome::Stopped(_) | Outcome::NotRun(_) => Duration::ZERO,
        });
        let compilation = of(|o| match o {
            Outcome::Agrees { compilation, .. } => *compilation,
            Outcome::Differs(_) | Outcome::Stopped(_) | Outcome::NotRun(_) => Duration::ZERO,
        });
        let simulated: Duration = native.kernels.iter().map(|k| k.simulated).sum();
        let _ = writeln!(
            out,
            "native: {}: {agree} agree, {differ} differ, {not_run} not run; compiled in {:.2} s, ran in {:.4} s (simulator {:.4} s)",
            generator.name(),
            compilation.as_secs_f64(),
            time.as_secs_f64(),
            simulated.as_secs_f64()
        );
        if !reasons.is_empty() {
            let _ = writeln!(
                out,
                "native: {}: not run: {}",
                generator.name(),
                list(&reasons)
            );
        }
        if !functions.is_empty() {
            let _ = writeln!(
                out,
                "native: {}: by the reference's definition, not by code (kernels): {}",
                generator.name(),
                list(&functions)
            );
        }
    }
    for why in &native.unknown {
        let _ = writeln!(out, "native: {why}; nothing is known of its code");
    }
    out
}

/// One kernel whose code differs, a line a generator.
pub fn kernel(k: &OfKernel) -> String {
    let mut out = String::new();
    for (generator, outcome) in &k.outcomes {
        let what = match outcome {
            Outcome::Agrees { .. } => "agrees".to_string(),
            Outcome::NotRun(why) => format!("not run: {why}"),
            Outcome::Stopped(how) => format!("differs: {how}"),
            Outcome::Differs(d) => format!(
                "differs: element {:?} of output {}: want {} ({}), got {} ({}); {} of {} elements differ: {}",
                d.index,
                d.output,
                d.want,
                d.want_bits,
                d.got,
                d.got_bits,
                d.differing,
                d.total,
                d.pattern
            ),
        };
        let _ = writeln!(out, "  @{} {}: {what}", k.name, generator.name());
    }
    out
}

/// One kernel whose code differs: which code, first bad element with both bit patterns, command.
pub fn finding(f: &Finding, native: &NativeCode) -> String {
    let mut out = String::new();
    let rewrite = f.rewrite.as_deref().unwrap_or("no logged rewrite");
    let _ = writeln!(
        out,
        "{} at stage S6, kernel @{}, {rewrite}",
        f.verdict, native.kernel
    );
    let agree = match native.agree.len() {
        0 => String::new(),
        _ => format!("; {} agrees", native.agree.join(", ")),
    };
    let _ = writeln!(
        out,
        "  code by {} differs from the simulator at S5{agree}",
        native.differ.join(" and ")
    );
    if let Some(how) = &native.stopped {
        let _ = writeln!(out, "  {how}");
    }
    if let Some(e) = &f.at_output {
        super::text::element(&mut out, "at the kernel's outputs", e);
    }
    let _ = writeln!(out, "  inputs {} (seed {})", f.class, f.seed);
    let _ = writeln!(out, "  next: {}", f.command);
    out
}

/// The column as JSON.
pub fn json(native: &Native) -> Value {
    let kernels = native.kernels.iter().map(|k| {
        let outcomes = k.outcomes.iter().map(|(generator, o)| {
            let mut one = json!({"generator": generator.name(), "native": o.word()});
            match o {
                Outcome::Agrees {
                    time,
                    compilation,
                    functions,
                } => {
                    one["seconds"] = time.as_secs_f64().into();
                    one["compilation_seconds"] = compilation.as_secs_f64().into();
                    one["functions"] = json!(functions);
                }
                Outcome::Differs(_) => {}
                Outcome::Stopped(how) | Outcome::NotRun(how) => one["why"] = json!(how),
            }
            one
        });
        json!({
            "kernel": k.name,
            "simulator_seconds": k.simulated.as_secs_f64(),
            "code": outcomes.collect::<Vec<_>>(),
        })
    });
    json!({"kernels": kernels.collect::<Vec<_>>(), "unknown": native.unknown})
}
