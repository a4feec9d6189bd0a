//! One MLIR context a thread: single threaded, the needed dialects only, diagnostics as plain values.

use melior::{
    dialect::{DialectHandle, DialectRegistry},
    diagnostic::DiagnosticSeverity,
    ir::{Location, Module},
};
use mlir_sys::{MlirAttribute, MlirContext, MlirDialectRegistry, MlirType};
use std::{
    cell::{Cell, RefCell},
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
};

// The hand-written part of dialects.cpp.
unsafe extern "C" {
    fn tileproofInsertDialects(registry: MlirDialectRegistry);
    pub(super) fn tileproofTokenGet(context: MlirContext) -> MlirType;
    pub(super) fn tileproofTypeIsAToken(ty: MlirType) -> bool;
    pub(super) fn tileproofLayoutGet(
        context: MlirContext,
        order: MlirAttribute,
        count: isize,
        tiles: *const MlirAttribute,
        bounds: MlirAttribute,
        space: i64,
    ) -> MlirAttribute;
    pub(super) fn tileproofAttributeIsALayout(attribute: MlirAttribute) -> bool;
    pub(super) fn tileproofLayoutOrder(attribute: MlirAttribute) -> MlirAttribute;
    pub(super) fn tileproofLayoutNumTiles(attribute: MlirAttribute) -> isize;
    pub(super) fn tileproofLayoutTile(attribute: MlirAttribute, index: isize) -> MlirAttribute;
    pub(super) fn tileproofLayoutBounds(attribute: MlirAttribute) -> MlirAttribute;
    pub(super) fn tileproofLayoutSpace(attribute: MlirAttribute) -> i64;
}

/// A context is rebuilt once this much went through it: uniqued types and attributes are never freed.
const MAX_MODULES: usize = 4096;
const MAX_BYTES: usize = 64 << 20;

/// A diagnostic of MLIR's parser or verifier. Lines and columns count from 1; 0 is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    pub file: String,
    pub line: usize,
    pub column: usize,
    pub notes: Vec<Diagnostic>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
    Note,
    Remark,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
            Severity::Remark => "remark",
        };
        if self.line > 0 {
            write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        }
        write!(f, "{severity}: {}", self.message)?;
        self.notes.iter().try_for_each(|note| write!(f, "\n  {note}"))
    }
}

/// An MLIR context with the dialects `hlo`, `func`, `quant` and `builtin`.
pub struct Context {
    inner: melior::Context,
    diagnostics: Rc<RefCell<Vec<Diagnostic>>>,
    modules: Cell<usize>,
    bytes: Cell<usize>,
}

impl Context {
    pub fn new() -> Self {
        let registry = DialectRegistry::new();
        // SAFETY: the registry lives to the end of this function; the callee only inserts into it.
        unsafe { tileproofInsertDialects(registry.to_raw()) };
        DialectHandle::func().insert_dialect(&registry);
        DialectHandle::quant().insert_dialect(&registry);
        let inner = melior::Context::new_with_registry(&registry, false);
        inner.load_all_available_dialects();
        let diagnostics = Rc::new(RefCell::new(vec![]));
        let sink = diagnostics.clone();
        // Detached with the context. A panic must not cross into C++.
        inner.attach_diagnostic_handler(move |diagnostic| {
            catch_unwind(AssertUnwindSafe(|| sink.borrow_mut().push(read(&diagnostic)))).is_ok()
        });
        Self { inner, diagnostics, modules: Cell::new(0), bytes: Cell::new(0) }
    }

    pub fn melior(&self) -> &melior::Context {
        &self.inner
    }

    /// The diagnostics since the last call.
    pub fn take_diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnostics.take()
    }

    /// Parses `text`; its own locations name the file `-`.
    pub fn parse(&self, text: &str) -> Result<Module<'_>, Vec<Diagnostic>> {
        self.count(text.len());
        self.take_diagnostics();
        // StringRef of melior copies into a C string: a NUL ends the text silently.
        if let Some(at) = text.find('\0') {
            let before = &text[..at];
            return Err(vec![Diagnostic {
                severity: Severity::Error,
                message: "NUL character in the text".into(),
                file: "-".into(),
                line: before.matches('\n').count() + 1,
                column: at - before.rfind('\n').map_or(0, |newline| newline + 1) + 1,
                notes: vec![],
            }]);
        }
        Module::parse(&self.inner, text).ok_or_else(|| self.take_diagnostics())
    }

    /// Notes that `bytes` more were uniqued or lent.
    pub fn count(&self, bytes: usize) {
        self.modules.set(self.modules.get() + 1);
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

fn read(diagnostic: &melior::diagnostic::Diagnostic) -> Diagnostic {
    let (file, line, column) = position(diagnostic.location());
    Diagnostic {
        severity: match diagnostic.severity() {
            DiagnosticSeverity::Error => Severity::Error,
            DiagnosticSeverity::Warning => Severity::Warning,
            DiagnosticSeverity::Note => Severity::Note,
            DiagnosticSeverity::Remark => Severity::Remark,
        },
        message: diagnostic.to_string(),
        file,
        line,
        column,
        notes: (0..diagnostic.note_count())
            .filter_map(|index| diagnostic.note(index).ok())
            .map(|note| read(&note))
            .collect(),
    }
}

/// The first file position inside a location.
fn position(location: Location) -> (String, usize, usize) {
    if location.is_file_line_col_range() {
        let file = location.file_line_col_range_filename();
        (
            file.as_string_ref().as_str().unwrap_or("?").into(),
            location.file_line_col_range_start_line(),
            location.file_line_col_range_start_column(),
        )
    } else if location.is_name() {
        position(location.name_child_location())
    } else if location.is_call_site() {
        position(location.call_site_callee())
    } else if location.is_fused() {
        (0..location.fused_num_locations())
            .map(|index| position(location.fused_location(index)))
            .find(|(_, line, _)| *line > 0)
            .unwrap_or_default()
    } else {
        Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use melior::ir::operation::{OperationLike, OperationPrintingFlags};

    const SMALL: &str = r#"
func.func @f(%a: tensor<8x128xf32>, %i: tensor<f32>) -> tensor<8xf32> {
  %c = hlo.constant dense<1.0> : tensor<8x128xf32>
  %0 = hlo.add %a, %c : tensor<8x128xf32>
  %1 = hlo.add %a, %c : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<8x128xf32, #hlo.layout<[0, 1], tiles = [[8, 128], [2, 1]]>>
  %2 = hlo.reduce(%0, %i) {dimensions = array<i64: 1>} : (tensor<8x128xf32>, tensor<f32>) -> tensor<8xf32> {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = hlo.add %x, %y {mhlo.extra = "kept"} : tensor<f32>
    hlo.return %s : tensor<f32>
  }
  return %2 : tensor<8xf32>
}"#;

    #[test]
    fn a_small_module_prints_and_parses_to_the_same_text() {
        with_context(|context| {
            let module = context.parse(SMALL).unwrap();
            assert!(module.as_operation().verify());
            let once = module.as_operation().to_string();
            let twice = context.parse(&once).unwrap().as_operation().to_string();
            assert_eq!(once, twice);
            assert!(once.contains("hlo.add %arg0, %cst : tensor<8x128xf32>") || once.contains("hlo.add %arg0, %0 : tensor<8x128xf32>"), "{once}");
            assert!(once.contains("tiles = [[8, 128], [2, 1]]"), "{once}");
        })
    }

    #[test]
    fn locations_print_and_parse() {
        with_context(|context| {
            let text = "func.func @f(%a: tensor<f32>) -> tensor<f32> {\n  %0 = hlo.abs %a : tensor<f32> loc(fused[\"a\", \"b\"(\"x.py\":3:4)])\n  return %0 : tensor<f32>\n}";
            let module = context.parse(text).unwrap();
            let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
            let printed = module.as_operation().to_string_with_flags(flags).unwrap();
            assert!(printed.contains("x.py"), "{printed}");
            let again = context.parse(&printed).unwrap();
            let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
            assert_eq!(printed, again.as_operation().to_string_with_flags(flags).unwrap());
        })
    }

    #[test]
    fn a_parse_error_has_line_column_and_message() {
        with_context(|context| {
            let errors = context.parse("func.func @f() {\n  hlo.nonsense\n}").unwrap_err();
            assert_eq!((errors[0].line, errors[0].column), (2, 3));
            assert!(errors[0].message.contains("hlo.nonsense"), "{}", errors[0]);
            assert!(context.parse("\n \0").unwrap_err()[0].to_string().starts_with("-:2:2: error"));
        })
    }

    #[test]
    fn defaults_are_filled_in() {
        with_context(|context| {
            let text = "func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {\n  %0 = hlo.dot_general %a, %b {lhs_contracting_dimensions = array<i64: 1>, rhs_contracting_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>\n  return %0 : tensor<2x2xf32>\n}";
            let module = context.parse(text).unwrap();
            assert!(module.as_operation().to_string().contains("lhs_batching_dimensions"), "{}", module.as_operation());
        })
    }

    #[test]
    fn words_are_confined() {
        with_context(|context| {
            let text = "func.func @f(%a: tensor<f32>) {\n  %0 = hlo.compare %a, %a {comparison_direction = \"LESS\"} : (tensor<f32>, tensor<f32>) -> tensor<i1>\n  return\n}";
            let errors = context.parse(text).unwrap_err();
            assert!(errors[0].message.contains("one of EQ, NE"), "{}", errors[0]);
        })
    }
}
