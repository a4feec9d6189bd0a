//! Right programs that the check once called wrong, `tests/right/<name>.mlir`: down to native registers, with every class of inputs, nothing is found.

use super::tileproof;
use std::path::Path;

#[test]
fn right_programs_give_no_alarm() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/right");
    let mut problems = vec![];
    let mut tried = 0;
    for file in std::fs::read_dir(folder).expect("the folder is there") {
        let path = file.expect("the folder is readable").path();
        let name = path.display().to_string();
        for seed in ["1", "2", "3", "4"] {
            let full = [
                "check", &name, "--to", "s5", "--level", "full", "--seed", seed,
            ];
            let ran = tileproof(&full);
            tried += 1;
            if ran.code != 0 {
                problems.push(format!("{name}: exit {}\n{}{}", ran.code, ran.out, ran.err));
            }
        }
    }
    assert!(tried > 0, "no program was tried");
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
