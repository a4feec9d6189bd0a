//! `--plant PASS[:REWRITE][@N]=MUTATOR[,seed=S]`, only in builds with the feature `plant`.

use tileproof_dialect::error::Error;
use tileproof_lowering::manager::Plant;
use tileproof_verifier::mutate;

/// Reads the option.
pub fn parse(text: &str) -> Result<Plant, Error> {
    let bad = |what: &str| {
        Error::invalid(
            format!("--plant {text}: {what}; the form is PASS[:REWRITE][@N]=MUTATOR[,seed=S]"),
            Default::default(),
        )
    };
    let (target, fault) = text.split_once('=').ok_or_else(|| bad("no '='"))?;
    let (target, application) = match target.split_once('@') {
        Some((t, n)) => (
            t,
            n.parse()
                .ok()
                .filter(|n| *n >= 1)
                .ok_or_else(|| bad("N must be a number from 1"))?,
        ),
        None => (target, 1),
    };
    let (pass, rewrite) = match target.split_once(':') {
        Some((p, r)) => (p, Some(r.to_string())),
        None => (target, None),
    };
    tileproof_lowering::pipeline::named(pass)?;
    let (name, seed) = match fault.split_once(',') {
        Some((m, s)) => (
            m,
            s.strip_prefix("seed=")
                .and_then(|s| s.parse().ok())
                .ok_or_else(|| bad("the part after ',' must be seed=S"))?,
        ),
        None => (fault, 0),
    };
    let mutator = mutate::find(name)?;
    Ok(Plant {
        pass: pass.to_string(),
        rewrite,
        application,
        mutate: Box::new(move |program, id| mutate::plant(mutator, program, id, seed)),
    })
}
