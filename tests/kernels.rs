//! Passes on kernels, judged by the simulator: the kernel before and after gives the same outputs in both planes, in every schedule, without a hazard,
//! and its addresses pass the checker. Hand-made kernels for the ways windows move; random ones for the ops on vectors.

#[path = "kernels/judge.rs"]
mod judge;
#[path = "kernels/random.rs"]
mod random;
#[path = "kernels/windows.rs"]
mod windows;

use tileproof_lowering::target;

#[test]
fn windows_become_copies_and_registers() {
    let mut problems = vec![];
    for kernel in windows::all() {
        problems.extend(judge::through_all_passes(&kernel, target::DEFAULT));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn random_vectors_become_registers() {
    let mut problems = vec![];
    let (mut ops, mut too_large) = (0, 0);
    for seed in 0..80 {
        let kernel = random::kernel(seed);
        kernel.walk(&mut |_| ops += 1);
        let found = judge::through_all_passes(&kernel, target::DEFAULT);
        if found.iter().any(|p| p.contains("too many registers")) {
            too_large += 1;
        } else {
            problems.extend(found);
        }
        if problems.len() > 5 {
            break;
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        ops > 1000 && too_large < 3,
        "{ops} ops, {too_large} too large"
    );
}
