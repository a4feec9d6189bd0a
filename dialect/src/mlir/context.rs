//! One MLIR context a thread: single threaded, the needed dialects only, diagnostics as plain values.

use super::locations;
use crate::{error::Diagnostic, location::Location};
use melior::{
    diagnostic::DiagnosticSeverity,
    dialect::{DialectHandle, DialectRegistry},
    ir::{Module, OperationRef, operation::OperationLike},
};
use mlir_sys::{
    MlirAttribute, MlirContext, MlirDialectRegistry, MlirStringRef, MlirType,
    mlirDialectHandleInsertDialect, mlirGetDialectHandle__math__, mlirGetDialectHandle__vector__,
};
use std::{
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    sync::Arc,
};

// The hand-written part of dialects.cpp and kernels.cpp.
unsafe extern "C" {
    fn tileproofInsertDialects(registry: MlirDialectRegistry);
    fn tileproofInsertKernelDialects(registry: MlirDialectRegistry);
    pub(super) fn tileproofTokenGet(context: MlirContext) -> MlirType;
    pub(super) fn tileproofTypeIsAToken(ty: MlirType) -> bool;
    pub(super) fn tileproofLayoutGet(
        context: MlirContext,
        order: MlirAttribute,
        count: isize,
        tiles: *const MlirAttribute,
        bounds: MlirAttribute,
    ) -> MlirAttribute;
    pub(super) fn tileproofAttributeIsALayout(attribute: MlirAttribute) -> bool;
    pub(super) fn tileproofLayoutOrder(attribute: MlirAttribute) -> MlirAttribute;
    pub(super) fn tileproofLayoutNumTiles(attribute: MlirAttribute) -> isize;
    pub(super) fn tileproofLayoutTile(attribute: MlirAttribute, index: isize) -> MlirAttribute;
    pub(super) fn tileproofLayoutBounds(attribute: MlirAttribute) -> MlirAttribute;
    pub(super) fn tileproofResourceBytes(attribute: MlirAttribute) -> MlirStringRef;
}

/// A context is rebuilt once this much went through it: uniqued types and attributes are never freed.
const MAX_MODULES: usize = 4096;
const MAX_BYTES: usize = 64 << 20;

/// Dialects of programs without kernels.
const DIALECTS: &[&str] = &["hlo", "func", "quant"];
/// Dialects of kernels beside them. Loading them takes a millisecond.
const KERNEL_DIALECTS: &[&str] = &["arith", "math", "vector", "memref", "scf", "tpu", "tpux"];

/// An MLIR context with the dialects `hlo`, `func`, `quant` and `builtin`, and those of kernels where a module has some.
pub struct Context {
    inner: melior::Context,
    file: Rc<RefCell<Arc<str>>>,
    diagnostics: Rc<RefCell<Vec<Diagnostic>>>,
    modules: Cell<usize>,
    bytes: Cell<usize>,
}

impl Context {
    pub fn new() -> Self {
        let registry = DialectRegistry::new();
        // SAFETY: the registry lives to the end of this function; the callees only insert into it.
        unsafe {
            tileproofInsertDialects(registry.to_raw());
            tileproofInsertKernelDialects(registry.to_raw());
            for handle in [
                mlirGetDialectHandle__math__(),
                mlirGetDialectHandle__vector__(),
            ] {
                mlirDialectHandleInsertDialect(handle, registry.to_raw());
            }
        }
        DialectHandle::func().insert_dialect(&registry);
        DialectHandle::quant().insert_dialect(&registry);
        DialectHandle::arith().insert_dialect(&registry);
        DialectHandle::memref().insert_dialect(&registry);
        DialectHandle::scf().insert_dialect(&registry);
        let inner = melior::Context::new_with_registry(&registry, false);
        for name in DIALECTS {
            inner.get_or_load_dialect(name);
        }
        let diagnostics = Rc::new(RefCell::new(vec![]));
        let file = Rc::new(RefCell::new(Arc::from("-")));
        let (sink, current) = (diagnostics.clone(), file.clone());
        // Detached with the context. A panic must not cross into C++.
        inner.attach_diagnostic_handler(move |diagnostic| {
            catch_unwind(AssertUnwindSafe(|| {
                sink.borrow_mut().push(read(&diagnostic, &current.borrow()))
            }))
            .is_ok()
        });
        Self {
            inner,
            file,
            diagnostics,
            modules: Cell::new(0),
            bytes: Cell::new(0),
        }
    }

    pub fn melior(&self) -> &melior::Context {
        &self.inner
    }

    /// Loads the dialects of kernels. The parser loads what a text names by itself.
    pub(super) fn load_kernel_dialects(&self) {
        for name in KERNEL_DIALECTS {
            self.inner.get_or_load_dialect(name);
        }
    }

    /// The diagnostics since the last call.
    pub fn take_diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.take()
    }

    /// Parses `text`. MLIR names the file `-` in the module's locations; diagnostics name `file`.
    pub fn parse(&self, text: &str, file: &Arc<str>) -> Result<Module<'_>, Vec<Diagnostic>> {
        self.count(text.len());
        self.take_diagnostics();
        self.file.replace(file.clone());
        // The parser takes a C string.
        if let Some(at) = text.find('\0') {
            let before = &text[..at];
            let line = before.matches('\n').count() + 1;
            let column = at - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
            let location = Location::at(file, line as u32, column as u32);
            return Err(vec![Diagnostic::new("NUL character in the text", location)]);
        }
        Module::parse(&self.inner, text).ok_or_else(|| {
            let mut all = self.take_diagnostics();
            if all.is_empty() {
                all.push(Diagnostic::new(
                    "MLIR does not parse the text",
                    Location::at(file, 1, 1),
                ));
            }
            all
        })
    }

    /// What MLIR's verifier says about `op`.
    pub fn verify(&self, op: OperationRef) -> Vec<Diagnostic> {
        self.take_diagnostics();
        let valid = op.verify();
        let mut all = self.take_diagnostics();
        if !valid && all.is_empty() {
            all.push(Diagnostic::new(
                "MLIR does not verify the module",
                Location::default(),
            ));
        }
        all
    }

    /// Notes a module of `bytes` bytes of text.
    fn count(&self, bytes: usize) {
        self.modules.set(self.modules.get() + 1);
        self.lend(bytes);
    }

    /// Notes that `bytes` more are kept alive by the context.
    pub(super) fn lend(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes);
    }

    fn has_grown(&self) -> bool {
        self.modules.get() > MAX_MODULES || self.bytes.get() > MAX_BYTES
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

thread_local! {
    static CURRENT: Cell<Option<Context>> = const { Cell::new(None) };
}

/// Runs `f` with this thread's context. A nested call gets a context of its own.
pub fn with_context<R>(f: impl FnOnce(&Context) -> R) -> R {
    let context = CURRENT.take().unwrap_or_default();
    let result = f(&context);
    if !context.has_grown() {
        CURRENT.set(Some(context));
    }
    result
}

/// Notes follow the message on lines of their own.
fn read(diagnostic: &melior::diagnostic::Diagnostic, file: &Arc<str>) -> Diagnostic {
    let mut message = match diagnostic.severity() {
        DiagnosticSeverity::Error | DiagnosticSeverity::Note => String::new(),
        DiagnosticSeverity::Warning => "warning: ".into(),
        DiagnosticSeverity::Remark => "remark: ".into(),
    };
    message.push_str(&diagnostic.to_string());
    for note in (0..diagnostic.note_count()).filter_map(|index| diagnostic.note(index).ok()) {
        message.push_str(&format!("\n  note: {}", read(&note, file)));
    }
    Diagnostic::new(message, locations::decode_in(diagnostic.location(), file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use melior::ir::{BlockLike, RegionLike, operation::OperationPrintingFlags};

    const SMALL: &str = r#"
func.func @f(%a: tensor<8x128xf32>, %i: tensor<f32>) -> tensor<8xf32> {
  %c = hlo.constant dense<1.0> : tensor<8x128xf32>
  %0 = hlo.add %a, %c : tensor<8x128xf32>
  %1 = hlo.add %a, %c : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<8x128xf32, #hlo.layout<[0, 1] tiles = [[8, 128], [2, 1]]>>
  %2 = hlo.reduce %0, %i {dimensions = array<i64: 1>} : (tensor<8x128xf32>, tensor<f32>) -> tensor<8xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = hlo.add %x, %y {mhlo.extra = "kept"} : tensor<f32>
    hlo.return %s : tensor<f32>
  }
  return %2 : tensor<8xf32>
}"#;

    #[test]
    fn a_small_module_prints_and_parses_to_the_same_text() {
        with_context(|context| {
            let module = context.parse(SMALL, &"-".into()).unwrap();
            assert!(module.as_operation().verify());
            let once = module.as_operation().to_string();
            let twice = context
                .parse(&once, &"-".into())
                .unwrap()
                .as_operation()
                .to_string();
            assert_eq!(once, twice);
            assert!(
                once.contains("hlo.add %arg0, %cst : tensor<8x128xf32>")
                    || once.contains("hlo.add %arg0, %0 : tensor<8x128xf32>"),
                "{once}"
            );
            assert!(once.contains("tiles = [[8, 128], [2, 1]]"), "{once}");
        })
    }

    #[test]
    fn locations_print_and_parse() {
        with_context(|context| {
            let text = "func.func @f(%a: tensor<f32>) -> tensor<f32> {\n  %0 = hlo.abs %a : tensor<f32> loc(fused[\"a\", \"b\"(\"x.py\":3:4)])\n  return %0 : tensor<f32>\n}";
            let module = context.parse(text, &"-".into()).unwrap();
            let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
            let printed = module.as_operation().to_string_with_flags(flags).unwrap();
            assert!(printed.contains("x.py"), "{printed}");
            let again = context.parse(&printed, &"-".into()).unwrap();
            let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
            assert_eq!(
                printed,
                again.as_operation().to_string_with_flags(flags).unwrap()
            );
        })
    }

    #[test]
    fn a_parse_error_has_line_column_and_message() {
        with_context(|context| {
            let errors = context
                .parse("func.func @f() {\n  hlo.nonsense\n}", &"a.mlir".into())
                .unwrap_err();
            assert!(
                errors[0].to_string().starts_with("a.mlir:2:3: "),
                "{}",
                errors[0]
            );
            assert!(errors[0].message.contains("hlo.nonsense"), "{}", errors[0]);
            assert!(
                context.parse("\n \0", &"-".into()).unwrap_err()[0]
                    .to_string()
                    .starts_with("-:2:2: NUL")
            );
        })
    }

    #[test]
    fn defaults_are_filled_in() {
        with_context(|context| {
            let text = "func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {\n  %0 = hlo.dot_general %a, %b {lhs_contracting_dimensions = array<i64: 1>, rhs_contracting_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>\n  return %0 : tensor<2x2xf32>\n}";
            let module = context.parse(text, &"-".into()).unwrap();
            let function = module.body().first_operation().unwrap();
            let dot = function
                .region(0)
                .unwrap()
                .first_block()
                .unwrap()
                .first_operation()
                .unwrap();
            let dot = crate::mlir::views::hlo::DotGeneralOp::cast(dot).unwrap();
            assert_eq!(
                (dot.lhs_batching_dimensions(), dot.precision_config()),
                (Some(vec![]), None)
            );
        })
    }

    #[test]
    fn words_are_confined() {
        with_context(|context| {
            let text = "func.func @f(%a: tensor<f32>) {\n  %0 = hlo.compare %a, %a {comparison_direction = \"LESS\"} : (tensor<f32>, tensor<f32>) -> tensor<i1>\n  return\n}";
            let errors = context.parse(text, &"-".into()).unwrap_err();
            assert!(errors[0].message.contains("one of EQ, NE"), "{}", errors[0]);
        })
    }
}
