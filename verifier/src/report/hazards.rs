//! Hazards as text.

use crate::{
    finding::{Finding, KernelHazard},
    kernels::hazards::Hazards,
};
use std::fmt::Write;

/// What was looked at; nothing where there are no kernels.
pub fn summary(hazards: &Hazards) -> String {
    let mut out = String::new();
    if hazards.kernels > 0 {
        let stages: Vec<String> = hazards.stages.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            out,
            "hazards: {} in {} distinct kernels of {}",
            hazards.found.len(),
            hazards.kernels,
            stages.join(", ")
        );
    }
    for why in &hazards.unknown {
        let _ = writeln!(out, "hazards: {why}");
    }
    out
}

/// One hazard: what, where, how the invalid element came there, command.
pub fn finding(f: &Finding, h: &KernelHazard) -> String {
    let mut out = String::new();
    let rewrite = f.rewrite.as_deref().unwrap_or("no logged rewrite");
    let _ = writeln!(
        out,
        "hazard {} in kernel @{} at stage {}, pass {}, {rewrite}",
        h.kind, h.kernel, h.stage, f.pass
    );
    let sources: Vec<String> = h.source_ops.iter().map(ToString::to_string).collect();
    let of = match sources.len() {
        0 => String::new(),
        _ => format!(", of source op {}", sources.join(", ")),
    };
    let step = match h.step.len() {
        0 => String::new(),
        _ => format!(", grid step {:?}", h.step),
    };
    let _ = writeln!(out, "  op {} at {}{of}{step}", h.op, f.location);
    let times = match h.count {
        0 | 1 => String::new(),
        n => format!(" ({n} times)"),
    };
    let _ = writeln!(out, "  {}{times}", h.words);
    let _ = writeln!(out, "  inputs {} (seed {})", f.class, f.seed);
    let _ = writeln!(out, "  next: {}", f.command);
    out
}
