//! Pallas kernels as JAX lowers them for TPUs, read from their bytecode, run on the simulator and compared with the same function without a kernel.

use tileproof_dialect::{
    eval::Events,
    import::stablehlo,
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value},
    types::ElementType,
};
use tileproof_runtime::{limits::Limits, reference::Interpreter};
use tileproof_verifier::inputs::{self, Class};

fn read(name: &str) -> Program {
    let path = format!("{}/pallas/{name}.mlir", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    stablehlo::parse(&text, &format!("{name}.mlir")).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn run(program: &Program, arguments: &[Value]) -> Tensor {
    let limits = Limits::default();
    let mut events = Events::default();
    let mut out = Interpreter::new(program, Planes::IeeeAndRing, &limits)
        .run(arguments.to_vec(), &mut events)
        .unwrap_or_else(|stop| panic!("{}: {stop:?}", program.name));
    assert!(events.hazards.is_empty(), "{:?}", events.hazards);
    out.remove(0).as_tensor().unwrap().clone()
}

/// Both programs on exact numbers, `first` in place of the first argument where given.
fn both(name: &str, first: Option<Tensor>) -> [Tensor; 2] {
    let programs = [read(name), read(&format!("{name}.plain"))];
    assert_eq!(programs[0].kernels.len(), 1);
    let mut arguments = inputs::generate(&programs[0], Class::Exact, 7).unwrap();
    if let Some(first) = first {
        arguments[0] = first.into();
    }
    programs.map(|program| run(&program, &arguments))
}

#[test]
fn kernels_give_what_the_plain_functions_give() {
    let rows = Tensor::from_i64s(&[3], &ElementType::I32, &[4, 0, 2]);
    for (name, first) in [("matmul", None), ("copies", None), ("prefetch", Some(rows))] {
        let [kernel, plain] = both(name, first);
        assert_eq!(kernel.ring(), plain.ring(), "{name}");
        assert_eq!(kernel.to_f64s(), plain.to_f64s(), "{name}");
    }
    // Sums of functions' values round in another order.
    let [kernel, plain] = both("attention", None);
    assert_eq!(kernel.ring(), plain.ring(), "attention");
}
