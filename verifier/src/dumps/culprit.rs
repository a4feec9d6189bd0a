//! Who is to blame for a kernel of XLA:CPU that is wrong: XLA's emitter, which wrote its LLVM module, or LLVM, which compiled it.
//!
//! XLA compiles the kernel again, alone and with its LLVM modules dumped. They are compiled here without LLVM's optimizations and run in a child process
//! on the kernel's own inputs: first the module before any optimization. Where that is right, the module in which XLA has expanded its own functions, which XLA
//! writes when it is told not to optimize; then the optimized one; then with products and sums contracted.
//!
//! Proves: the module named computes the wrong value by itself. Cannot: follow a module that calls what this machine has not, or whose call it does not know;
//! a module that is wrong in another way than the compiled kernel decides nothing.

use super::{
    codegen::{Checker, Kernel},
    scheduled::{from_memory, to_memory},
};
use crate::{isolate::extract, verdict::Ieee};
use std::{
    fmt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};
use tileproof_dialect::{
    buffer::Buffer,
    error::Error,
    eval::Stop,
    export, hlo,
    op::Op,
    program::{OpId, Program, ValueDef, ValueId},
    tensor::{Tensor, Value},
};
use tileproof_runtime::{
    native::llvm::{self, Contraction, Ended as Ran, Job},
    xla::{Ended, Form, Request, tensor_types},
};

/// Longest run of one module.
const TIME: Duration = Duration::from_secs(60);

/// Who made the wrong value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Culprit {
    /// The module XLA wrote computes it.
    Emitter(String),
    /// The module is right, what LLVM made of it is wrong.
    Llvm(String),
    /// The module is right until subnormal numbers are taken for zero, as XLA's runtime lets the processor do.
    Runtime(String),
    /// No LLVM module: a library does it.
    Library(String),
    Unknown(String),
}

impl Culprit {
    pub fn name(&self) -> &'static str {
        match self {
            Culprit::Emitter(_) => "emitter",
            Culprit::Llvm(_) => "llvm",
            Culprit::Runtime(_) => "runtime",
            Culprit::Library(_) => "library",
            Culprit::Unknown(_) => "unknown",
        }
    }

    pub fn why(&self) -> &str {
        match self {
            Culprit::Emitter(why)
            | Culprit::Llvm(why)
            | Culprit::Runtime(why)
            | Culprit::Library(why)
            | Culprit::Unknown(why) => why,
        }
    }
}

impl fmt::Display for Culprit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name(), self.why())
    }
}

/// LLVM modules of one compilation.
struct Modules {
    plain: String,
    optimized: String,
    /// Number of files with kernels.
    count: usize,
}

/// One kernel and how it is called.
struct Call<'a> {
    checker: &'a Checker<'a>,
    kernel: &'a Kernel,
    /// Its op in `kernel.program`.
    op: OpId,
    function: String,
    workgroups: u64,
    /// What the child process is.
    child: &'a dyn Fn() -> Command,
}

/// What a module computes.
enum Says {
    Right,
    /// The same wrong value as the compiled kernel.
    SameWrong,
    OtherWrong,
    Nothing(String),
}

/// Who is to blame for `kernel`. `child` makes the command that runs [`llvm::serve`].
pub fn of(
    checker: &Checker<'_>,
    kernel: &Kernel,
    child: &dyn Fn() -> Command,
) -> Result<Culprit, Error> {
    let text = export::hlo_text::print(&kernel.program)?;
    let Some(op) = only_op(&kernel.program) else {
        return Ok(Culprit::Unknown("more than one op".to_string()));
    };
    if kernel.program.num_replicas * kernel.program.num_partitions > 1 {
        return Ok(Culprit::Library("an op between processes".to_string()));
    }
    let modules = match modules(checker, kernel, &text, OPTIMIZED)? {
        Ok(modules) => modules,
        Err(culprit) => return Ok(culprit),
    };
    if modules.count == 0 {
        return Ok(Culprit::Library(library(&kernel.program, op)));
    }
    let Some(function) = kernel_function(&modules.plain).filter(|_| modules.count == 1) else {
        return Ok(Culprit::Unknown(
            "the op became several kernels".to_string(),
        ));
    };
    let call = Call {
        checker,
        kernel,
        op,
        function,
        workgroups: workgroups(&text),
        child,
    };
    call.culprit(&text, &modules)
}

impl Call<'_> {
    fn culprit(&self, text: &str, modules: &Modules) -> Result<Culprit, Error> {
        let other = |stage: &str| {
            Ok(Culprit::Unknown(format!(
                "{stage} gives other wrong values than the compiled kernel"
            )))
        };
        match self.says(&modules.plain, Contraction::Off)? {
            Says::SameWrong => {
                return Ok(Culprit::Emitter(
                    "the LLVM module XLA wrote computes the wrong value before any optimization"
                        .to_string(),
                ));
            }
            Says::OtherWrong => return other("the module before optimization"),
            Says::Nothing(why) => return Ok(Culprit::Unknown(why)),
            Says::Right => {}
        }
        let expanded = match self::modules(self.checker, self.kernel, text, EXPANDED)? {
            Ok(modules) => modules,
            Err(culprit) => return Ok(culprit),
        };
        match self.says(&expanded.optimized, Contraction::Off)? {
            Says::SameWrong => {
                let called = llvm::expanded_functions(&modules.plain);
                let what = match &called[..] {
                    [] => "functions".to_string(),
                    names => names.join(", "),
                };
                return Ok(Culprit::Emitter(format!(
                    "the LLVM module is right with exact functions and wrong once XLA has expanded {what}, before LLVM optimizes"
                )));
            }
            Says::OtherWrong => return other("the module that is not optimized"),
            Says::Nothing(why) => return Ok(Culprit::Unknown(why)),
            Says::Right => {}
        }
        match self.says(&modules.optimized, Contraction::Off)? {
            Says::SameWrong => {
                return Ok(Culprit::Llvm(
                    "the LLVM module is right before LLVM's optimizations and wrong after them"
                        .to_string(),
                ));
            }
            Says::OtherWrong => return other("the optimized module"),
            Says::Nothing(why) => return Ok(Culprit::Unknown(why)),
            Says::Right => {}
        }
        Ok(match self.says(&modules.optimized, Contraction::On)? {
            Says::SameWrong => Culprit::Llvm(
                "the LLVM module is right, and wrong when the code generator contracts products and sums, which XLA lets it do".to_string(),
            ),
            Says::Right | Says::OtherWrong | Says::Nothing(_) if self.has_subnormals() => {
                Culprit::Runtime("the kernel meets subnormal numbers, which XLA's runtime takes for zero".to_string())
            }
            Says::Right | Says::OtherWrong | Says::Nothing(_) => Culprit::Llvm(
                "the LLVM module is right before and after optimization when it is compiled here, so its code generator made it wrong".to_string(),
            ),
        })
    }

    /// What `ir` computes on the kernel's inputs.
    fn says(&self, ir: &str, contraction: Contraction) -> Result<Says, Error> {
        let program = &self.kernel.program;
        let o = program.op(self.op);
        let operands: Option<Vec<Tensor>> = o.operands.iter().map(|v| self.memory(*v)).collect();
        let Some(operands) = operands else {
            return Ok(Says::Nothing("an operand that is no array".to_string()));
        };
        let types = tensor_types(
            &o.results
                .iter()
                .map(|v| extract::in_memory(program.ty(*v)))
                .collect::<Vec<_>>(),
        )?;
        if operands
            .iter()
            .map(|t| t.element().clone())
            .chain(types.iter().map(|t| t.element.clone()))
            .any(|e| e.bits() < 8 && e.bits() > 1)
        {
            return Ok(Says::Nothing("elements of less than a byte".to_string()));
        }
        let mut buffers: Vec<Vec<u8>> =
            operands.iter().map(|t| t.ieee().bytes().to_vec()).collect();
        let dims: Vec<Vec<u64>> = types
            .iter()
            .map(|t| t.static_dims().unwrap_or_default())
            .collect();
        for (ty, dims) in types.iter().zip(&dims) {
            let n = dims.iter().product::<u64>() as usize;
            buffers.push(vec![UNWRITTEN; n * ty.element.storage_bytes()]);
        }
        let job = Job {
            ir: ir.to_string(),
            function: self.function.clone(),
            workgroups: self.workgroups,
            buffers,
            contraction,
        };
        let ran = llvm::run(&job, (self.child)(), TIME)
            .map_err(|e| Error::internal(format!("cannot run a kernel in a child process: {e}")))?;
        let buffers = match ran {
            Ran::Returned(buffers) => buffers,
            Ran::Failed(why) => return Ok(Says::Nothing(why)),
            Ran::Crashed(how) => {
                return Ok(Says::Nothing(format!("the module run here crashes: {how}")));
            }
            Ran::Hung(seconds) => {
                return Ok(Says::Nothing(format!(
                    "the module run here does not end within {seconds} s"
                )));
            }
        };
        let gave: Vec<Tensor> = o
            .results
            .iter()
            .zip(types.iter().zip(&dims))
            .zip(&buffers[operands.len()..])
            .map(|((v, (ty, dims)), bytes)| {
                let t = Tensor::new(
                    dims.clone(),
                    ty.element.clone(),
                    Buffer::from_slice(bytes),
                    None,
                );
                from_memory(&t, program.ty(*v))
            })
            .collect();
        let judged = match self
            .checker
            .judge(&self.kernel.flat, &self.kernel.inputs, &gave)
        {
            Ok(judged) => judged,
            Err(Stop::Failed(e)) => return Err(e),
            Err(Stop::Trap(trap)) => return Ok(Says::Nothing(trap.to_string())),
            Err(Stop::Cancelled) => return Ok(Says::Nothing("stopped by the user".to_string())),
        };
        Ok(match judged.ieee {
            Ieee::Outside if same(&gave, &self.kernel.got) => Says::SameWrong,
            Ieee::Outside => Says::OtherWrong,
            Ieee::Within | Ieee::Loose(_) | Ieee::NotRun => Says::Right,
        })
    }

    /// An operand of the kernel's op in memory order: an argument of the module, maybe behind bitcasts, or a literal.
    fn memory(&self, v: ValueId) -> Option<Tensor> {
        let program = &self.kernel.program;
        let parameters = &program.region(program.main().body).arguments;
        let source = behind_bitcasts(program, v);
        if let Some(i) = parameters.iter().position(|p| *p == source) {
            return self.kernel.arguments.get(i).cloned();
        }
        match program.value(source).def {
            ValueDef::Result { op, .. } => match &program.op(op).op {
                Op::Hlo(hlo::Op::Constant(c)) => {
                    Some(to_memory(&c.value.to_tensor(), program.ty(source)))
                }
                Op::Hlo(_) => None,
            },
            ValueDef::Argument { .. } => None,
        }
    }

    /// Whether inputs or results hold subnormal numbers.
    fn has_subnormals(&self) -> bool {
        let wanted = self.kernel.want.iter().filter_map(Value::as_tensor);
        self.kernel.inputs.iter().chain(wanted).any(|t| {
            let smallest = match t.element().storage_bytes() {
                4 => f64::from(f32::MIN_POSITIVE),
                _ => f64::MIN_POSITIVE,
            };
            t.element().is_float() && t.to_f64s().iter().any(|x| *x != 0.0 && x.abs() < smallest)
        })
    }
}

/// A byte that results hold before the kernel writes them.
const UNWRITTEN: u8 = 0x5a;

const OPTIMIZED: u64 = 3;
/// XLA expands its functions and LLVM optimizes nothing.
const EXPANDED: u64 = 0;

/// Whether both are the same numbers where they are wrong: bit for bit, any NaN like any other.
fn same(a: &[Tensor], b: &[Tensor]) -> bool {
    let values = |t: &[Tensor]| t.iter().cloned().map(Value::from).collect::<Vec<_>>();
    a.len() == b.len() && crate::compare::bits::first_difference(&values(a), &values(b)).is_none()
}

fn behind_bitcasts(program: &Program, mut v: ValueId) -> ValueId {
    while let ValueDef::Result { op, .. } = program.value(v).def
        && matches!(&program.op(op).op, Op::Hlo(hlo::Op::Bitcast(_)))
    {
        v = program.op(op).operands[0];
    }
    v
}

/// The op of a module of one kernel; bitcasts and literals around it do nothing.
fn only_op(program: &Program) -> Option<OpId> {
    let ops = extract::ops_of(program, program.main().body);
    let mut computing = ops.into_iter().filter(|id| {
        !matches!(
            &program.op(*id).op,
            Op::Hlo(hlo::Op::Bitcast(_) | hlo::Op::Constant(_))
        )
    });
    let only = computing.next()?;
    computing.next().is_none().then_some(only)
}

/// What does an op that has no LLVM module.
fn library(program: &Program, op: OpId) -> String {
    let o = program.op(op);
    let config = format!("{:?}", o.extra);
    let name = ["__ynn_fusion", "__onednn$fusion", "__onednn"]
        .iter()
        .find(|kind| config.contains(**kind));
    match name {
        Some(kind) => format!("{} is a call of {kind}", o.op.name()),
        None => format!("{} has no LLVM module: XLA's runtime does it", o.op.name()),
    }
}

/// Compiles the kernel alone and gives its modules, or why there are none.
fn modules(
    checker: &Checker<'_>,
    kernel: &Kernel,
    text: &str,
    level: u64,
) -> Result<Result<Modules, Culprit>, Error> {
    let folder =
        tempfile::tempdir().map_err(|e| Error::internal(format!("no temporary folder: {e}")))?;
    let options = [
        (
            "xla_dump_to".to_string(),
            folder.path().display().to_string().into(),
        ),
        ("xla_backend_optimization_level".to_string(), level.into()),
    ];
    let ended = checker.xla.run(&Request {
        form: Form::OptimizedHlo,
        text,
        options: &options,
        replicas: 1,
        partitions: 1,
        arguments: std::slice::from_ref(&kernel.arguments),
        results: &tensor_types(&kernel.program.main().results)?,
        runs: 1,
    })?;
    if let Ended::Failed(failure) = ended {
        return Ok(Err(Culprit::Unknown(failure.to_string())));
    }
    let files = files(folder.path())?;
    let pick = |suffix: &str| -> Vec<&PathBuf> {
        let is = |p: &&PathBuf| p.to_string_lossy().ends_with(suffix);
        files.iter().filter(is).collect()
    };
    let (plain, optimized) = (pick(".ir-no-opt.ll"), pick(".ir-with-opt.ll"));
    let read = |p: &[&PathBuf]| match p.first() {
        Some(path) => std::fs::read_to_string(path)
            .map_err(|e| Error::internal(format!("cannot read {}: {e}", path.display()))),
        None => Ok(String::new()),
    };
    Ok(Ok(Modules {
        plain: read(&plain)?,
        optimized: read(&optimized)?,
        count: plain.len(),
    }))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let fail =
        |e: std::io::Error| Error::internal(format!("cannot read {}: {e}", folder.display()));
    let mut out = vec![];
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        out.push(entry.map_err(fail)?.path());
    }
    out.sort();
    Ok(out)
}

/// The one function of a module that has XLA's kernel signature.
fn kernel_function(ir: &str) -> Option<String> {
    let mut all = ir.lines().filter_map(|line| {
        let rest = line.strip_prefix("define ")?;
        let (_, rest) = rest.split_once("ptr @")?;
        let (name, rest) = rest.split_once('(')?;
        let one = rest.starts_with("ptr ") && !rest[..rest.find(')')?].contains(',');
        (one && !line.contains(" internal ")).then(|| name.trim_matches('"').to_string())
    });
    let only = all.next()?;
    all.next().is_none().then_some(only)
}

/// Into how many workgroups the text says that its kernel is divided.
fn workgroups(text: &str) -> u64 {
    const KEY: &str = "outer_dimension_partitions";
    let Some(at) = text.find(KEY) else { return 1 };
    let rest = &text[at + KEY.len()..];
    let (Some(open), Some(close)) = (rest.find('['), rest.find(']')) else {
        return 1;
    };
    rest.get(open + 1..close)
        .unwrap_or("")
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|n| n.parse::<u64>().ok())
        .product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_of_a_module_and_its_workgroups_are_found() {
        let ir = "define ptr @f.1(ptr %0) #0 {\n}\ndefine internal void @f_wrapped(ptr %0, ptr %1) {\n}\n";
        assert_eq!(kernel_function(ir).as_deref(), Some("f.1"));
        assert_eq!(
            kernel_function("define ptr @\"wrapped-log\"(ptr nofree readonly captures(none) %0) {"),
            Some("wrapped-log".to_string())
        );
        assert_eq!(
            kernel_function(
                &ir.replace("internal void @f_wrapped(ptr %0, ptr %1)", "ptr @g(ptr %0)")
            ),
            None
        );
        assert_eq!(
            workgroups("backend_config={\"outer_dimension_partitions\":[\"2\",\"3\"]}"),
            6
        );
        assert_eq!(
            (
                workgroups("outer_dimension_partitions\":[]"),
                workgroups("")
            ),
            (1, 1)
        );
    }
}
