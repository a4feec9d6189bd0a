//! Distance of each expansion of `hlo-expand` from its function: `cargo run --release --example expansion_accuracy -- [--stride N] [--window N] [--near N] [NAME..]`.
//!
//! 16-bit types run over all bit patterns, f32 over every Nth (1: all), a window around each power of two and N patterns at each magnitude of distance from
//! whole numbers, powers of two and the ends of ranges, f64 over as many. The figures of `lowering/src/hlo/expand/accuracy.rs`.

use rayon::prelude::*;
use tileproof_dialect::types::ElementType;
use tileproof_lowering::hlo::expand::{ELEMENTS, EXPANSIONS, accuracy};
use tileproof_verifier::expansion::{Sweep, measure};

fn main() {
    let mut sweep = Sweep {
        stride: 251,
        window: 1024,
        near: 64,
    };
    let mut names = vec![];
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--stride" | "--window" | "--near" => {
                let Some(n) = arguments.next().and_then(|n| n.parse().ok()) else {
                    eprintln!("{argument} takes a number");
                    std::process::exit(3);
                };
                let field = match argument.as_str() {
                    "--stride" => &mut sweep.stride,
                    "--window" => &mut sweep.window,
                    _ => &mut sweep.near,
                };
                *field = n;
            }
            _ => names.push(argument),
        }
    }
    let chosen: Vec<_> = EXPANSIONS
        .iter()
        .filter(|e| names.is_empty() || names.iter().any(|n| n == e.name))
        .collect();
    let rows: Vec<String> = chosen
        .par_iter()
        .flat_map_iter(|expansion| {
            ELEMENTS.iter().map(move |element: &ElementType| {
                let floor = accuracy(expansion.name, element).map_or(0.0, |a| a.floor);
                match measure(expansion, element, sweep, floor) {
                    Ok(d) => format!(
                        "{:<12} {:<5} {:>14.3} ulp at {:?}; {} of {} apart {:?}",
                        expansion.name,
                        element.to_string(),
                        d.worst_ulp,
                        d.worst_at,
                        d.apart.len(),
                        d.compared,
                        d.apart.iter().take(4).collect::<Vec<_>>()
                    ),
                    Err(error) => format!("{} {element}: {error}", expansion.name),
                }
            })
        })
        .collect();
    rows.iter().for_each(|row| println!("{row}"));
}
