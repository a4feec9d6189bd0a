//! A child process that compiles and runs kernels one after the other: what a code generator crashes on, or code that does not end, takes the child down and
//! nothing else. A child that died is started again.
//!
//! Both ways a frame: the length of a JSON header (8 bytes, little endian), that of a payload (8 bytes), header, payload. Requests: {"program": true} with the
//! program's text; {"whole": true, "generator": NAME, "runs": N, "arguments": ..}: the whole program, kernels by code; {"kernel": NAME, "generator": NAME, "runs": N, "arguments": [[DIMS, ELEMENT], ..]}, 0 runs only to make the code, with the bytes of the arguments. Answers: {"outcome":
//! "ready" | "returned" | "unsupported" | "failed" | "fault", ..}.

use super::{Compiled, Generator, NotCompiled, compile};
use crate::{limits::Limits, reference::Interpreter};
use serde_json::{Value as Json, json};
use std::{
    collections::HashMap,
    io::{Error, Read, Result, Write},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::Duration,
};
use tileproof_dialect::{
    buffer::Buffer,
    eval::Events,
    mlir::text::{self, Literals, Locations},
    planes::Planes,
    program::Program,
    tensor::{Tensor, Value, count},
    types::ElementType,
};

/// How a kernel ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    Returned {
        outputs: Vec<Tensor>,
        /// Median of the runs' steps; of a whole program of its runs.
        time: Duration,
        /// Of code generation.
        compilation: Duration,
        /// Ops that the code called the reference's definition for; of a whole program its kernels without code, with the reason.
        functions: Vec<String>,
    },
    /// No code for it: `Unsupported{..}`.
    Unsupported(String),
    /// The generator or the child rejects what it is given: a fault of tileproof.
    Failed(String),
    /// The code stopped with a fault.
    Fault(String),
    /// The child died.
    Crashed(String),
    /// No answer in so many seconds.
    Hung(u64),
}

/// Runs kernels of one program in a child.
pub struct Worker<'c> {
    /// Makes the command of a child that calls [`serve`].
    command: &'c dyn Fn() -> Command,
    program: String,
    limit: Duration,
    running: Option<Running>,
}

struct Running {
    child: Child,
    answers: Receiver<Result<(Json, Vec<u8>)>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl<'c> Worker<'c> {
    /// For the kernels of `program`. A request takes at most `limit`.
    pub fn new(
        command: &'c dyn Fn() -> Command,
        program: &Program,
        limit: Duration,
    ) -> std::result::Result<Worker<'c>, tileproof_dialect::error::Error> {
        Worker::of_whole(command, &kernels_alone(program)?, limit)
    }

    /// For `program` as a whole, and its kernels.
    pub fn of_whole(
        command: &'c dyn Fn() -> Command,
        program: &Program,
        limit: Duration,
    ) -> std::result::Result<Worker<'c>, tileproof_dialect::error::Error> {
        Ok(Worker {
            command,
            program: text::print(program, Locations::Hidden, Literals::Whole)?,
            limit,
            running: None,
        })
    }

    /// Runs the whole program so many times, kernels by code of `generator`.
    pub fn run_whole(
        &mut self,
        generator: Generator,
        arguments: &[Tensor],
        runs: u32,
    ) -> Result<Ended> {
        let header = json!({"whole": true, "generator": generator.name(), "runs": runs});
        self.request(header, arguments)
    }

    /// Compiles a kernel and runs it so many times.
    pub fn run(
        &mut self,
        kernel: &str,
        generator: Generator,
        arguments: &[Tensor],
        runs: u32,
    ) -> Result<Ended> {
        // Code that is not made in time, or whose making takes the child down, is no code that differs.
        let header = json!({"kernel": kernel, "generator": generator.name(), "runs": 0});
        let made = match self.request(header, &[])? {
            Ended::Returned { compilation, .. } => compilation,
            Ended::Hung(seconds) => return Ok(Ended::Failed(format!("no code in {seconds} s"))),
            Ended::Crashed(how) => {
                return Ok(Ended::Failed(format!("the generator crashes: {how}")));
            }
            other @ (Ended::Unsupported(_) | Ended::Failed(_) | Ended::Fault(_)) => {
                return Ok(other);
            }
        };
        let header = json!({"kernel": kernel, "generator": generator.name(), "runs": runs});
        Ok(match self.request(header, arguments)? {
            Ended::Returned {
                outputs,
                time,
                functions,
                ..
            } => Ended::Returned {
                outputs,
                time,
                compilation: made,
                functions,
            },
            other @ (Ended::Unsupported(_)
            | Ended::Failed(_)
            | Ended::Fault(_)
            | Ended::Crashed(_)
            | Ended::Hung(_)) => other,
        })
    }

    fn request(&mut self, mut header: Json, arguments: &[Tensor]) -> Result<Ended> {
        header["arguments"] = arguments
            .iter()
            .map(|t| json!([t.dims(), t.element().mlir_name()]))
            .collect();
        let payload: Vec<&[u8]> = arguments.iter().map(|t| t.ieee().bytes()).collect();
        if self.running.is_none() {
            match self.start()? {
                Ok(()) => {}
                Err(ended) => return Ok(ended),
            }
        }
        Ok(match self.ask(&header, &payload.concat())? {
            Ok((header, bytes)) => answered(&header, &bytes),
            Err(ended) => ended,
        })
    }

    /// Starts a child and gives it the program.
    fn start(&mut self) -> Result<std::result::Result<(), Ended>> {
        let mut child = (self.command)()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let Some(mut output) = child.stdout.take() else {
            return Err(Error::other("a child without pipes"));
        };
        let (send, answers) = channel();
        std::thread::spawn(move || {
            loop {
                let frame = read(&mut output);
                let ends = !matches!(frame, Ok(Some(_)));
                let frame = frame.and_then(|f| f.ok_or_else(|| Error::other("it ended")));
                if send.send(frame).is_err() || ends {
                    return;
                }
            }
        });
        self.running = Some(Running { child, answers });
        let program = self.program.clone();
        Ok(
            match self.ask(&json!({"program": true}), program.as_bytes())? {
                Ok((header, _)) if header["outcome"] == "ready" => Ok(()),
                Ok((header, bytes)) => Err(answered(&header, &bytes)),
                Err(ended) => Err(ended),
            },
        )
    }

    /// One request and its answer.
    #[allow(clippy::type_complexity)]
    fn ask(
        &mut self,
        header: &Json,
        payload: &[u8],
    ) -> Result<std::result::Result<(Json, Vec<u8>), Ended>> {
        let Some(running) = &mut self.running else {
            return Err(Error::other("no child"));
        };
        let Some(mut input) = running.child.stdin.take() else {
            return Err(Error::other("a child without pipes"));
        };
        // A child that dies while it reads is told by how it ended.
        let sent = send(&mut input, header, payload);
        running.child.stdin = Some(input);
        let got = match sent {
            Ok(()) => running.answers.recv_timeout(self.limit),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        };
        match got {
            Ok(Ok(answer)) => Ok(Ok(answer)),
            Err(RecvTimeoutError::Timeout) => {
                self.running = None;
                Ok(Err(Ended::Hung(self.limit.as_secs())))
            }
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                let status = running.child.wait()?;
                self.running = None;
                Ok(Err(Ended::Crashed(status.to_string())))
            }
        }
    }
}

/// A program of the kernels and nothing else.
fn kernels_alone(
    program: &Program,
) -> std::result::Result<Program, tileproof_dialect::error::Error> {
    use tileproof_dialect::{
        builder::{ProgramBuilder, Provenance},
        location::Location,
    };
    let mut b = ProgramBuilder::new("kernels", Provenance::Number);
    b.begin_function("main", &[], Location::default());
    b.end_function(&[], Location::default());
    b.program_mut().kernels = program.kernels.clone();
    b.finish()
}

/// The child: answers requests until its input ends.
pub fn serve(input: &mut impl Read, output: &mut impl Write) -> Result<()> {
    let mut program: Option<Program> = None;
    // The last kernel stays: it is often run again.
    let mut made: HashMap<(String, &'static str), Compiled> = HashMap::new();
    while let Some((header, bytes)) = read(input)? {
        if header["program"] == true {
            made.clear();
            let text = String::from_utf8_lossy(&bytes);
            let (answer, parsed) = match text::parse(&text, "kernels.mlir") {
                Ok(parsed) => (json!({"outcome": "ready"}), Some(parsed)),
                Err(e) => (failed(&e.to_string()), None),
            };
            program = parsed;
            send(output, &answer, &[])?;
            continue;
        }
        let (answer, outputs) = match execute(&program, &mut made, &header, &bytes) {
            Ok(done) => done,
            Err(answer) => (answer, vec![]),
        };
        send(output, &answer, &outputs)?;
    }
    Ok(())
}

fn failed(message: &str) -> Json {
    json!({"outcome": "failed", "message": message})
}

/// One request. `Err`: an answer without outputs.
fn execute(
    program: &Option<Program>,
    made: &mut HashMap<(String, &'static str), Compiled>,
    header: &Json,
    bytes: &[u8],
) -> std::result::Result<(Json, Vec<u8>), Json> {
    let malformed = || failed("a malformed request");
    let generator = header["generator"].as_str().and_then(Generator::from_name);
    let generator = generator.ok_or_else(malformed)?;
    if header["whole"] == true {
        let program = program.as_ref().ok_or_else(malformed)?;
        let arguments = arguments(header, bytes).ok_or_else(malformed)?;
        return whole(program, generator, arguments, runs(header));
    }
    let name = header["kernel"].as_str().ok_or_else(malformed)?;
    let kernel = program.as_ref().and_then(|p| p.kernel(name));
    let kernel = kernel.ok_or_else(|| failed("no such kernel"))?;
    let arguments = arguments(header, bytes).ok_or_else(malformed)?;
    let start = std::time::Instant::now();
    let key = (name.to_string(), generator.name());
    if !made.contains_key(&key) {
        made.clear();
        let compiled = compile(kernel, generator).map_err(|e| match e {
            NotCompiled::Unsupported(what) => json!({"outcome": "unsupported", "message": what}),
            NotCompiled::Failed(what) => failed(&what),
        })?;
        made.insert(key.clone(), compiled);
    }
    let compilation = start.elapsed();
    let compiled = made.get(&key).ok_or_else(malformed)?;
    let functions: Vec<&str> = compiled.functions().into_iter().collect();
    if header["runs"] == 0 {
        return Ok(returned(&[], vec![], compilation, json!(functions)));
    }
    let mut times = vec![];
    let mut outputs = vec![];
    for _ in 0..runs(header) {
        let outcome = compiled
            .run(&arguments)
            .map_err(|f| json!({"outcome": "fault", "message": f.to_string()}))?;
        times.push(outcome.time);
        outputs = outcome.outputs;
    }
    Ok(returned(&outputs, times, compilation, json!(functions)))
}

fn runs(header: &Json) -> u64 {
    header["runs"].as_u64().unwrap_or(1).max(1)
}

fn returned(
    outputs: &[Tensor],
    mut times: Vec<Duration>,
    compilation: Duration,
    functions: Json,
) -> (Json, Vec<u8>) {
    times.sort();
    let types: Vec<Json> = outputs
        .iter()
        .map(|t| json!([t.dims(), t.element().mlir_name()]))
        .collect();
    let time = times.get(times.len() / 2).copied().unwrap_or_default();
    let answer = json!({
        "outcome": "returned",
        "arguments": types,
        "nanoseconds": time.as_nanos() as u64,
        "compilation": compilation.as_nanos() as u64,
        "functions": functions,
    });
    let payload: Vec<&[u8]> = outputs.iter().map(|t| t.ieee().bytes()).collect();
    (answer, payload.concat())
}

/// The whole program, kernels by code.
fn whole(
    program: &Program,
    generator: Generator,
    arguments: Vec<Tensor>,
    runs: u64,
) -> std::result::Result<(Json, Vec<u8>), Json> {
    let kernels = super::whole::Kernels::of(program, generator);
    let without: Vec<String> = kernels
        .without
        .iter()
        .map(|(name, why)| format!("@{name}: {why}"))
        .collect();
    let limits = Limits::default();
    let values: Vec<Value> = arguments.into_iter().map(Value::from).collect();
    let (mut times, mut outputs) = (vec![], vec![]);
    for _ in 0..runs {
        let interpreter =
            Interpreter::new(program, Planes::IeeeOnly, &limits).with_native(&kernels);
        let start = std::time::Instant::now();
        let out = interpreter.run(values.clone(), &mut Events::default());
        times.push(start.elapsed());
        let out =
            out.map_err(|stop| json!({"outcome": "fault", "message": format!("{stop:?}")}))?;
        outputs = out.iter().filter_map(|v| v.as_tensor().cloned()).collect();
    }
    Ok(returned(
        &outputs,
        times,
        kernels.compilation,
        json!(without),
    ))
}

/// The tensors that a header announces.
fn arguments(header: &Json, bytes: &[u8]) -> Option<Vec<Tensor>> {
    let mut rest = bytes;
    let mut out = vec![];
    for ty in header["arguments"].as_array()? {
        let dims: Vec<u64> = ty[0].as_array()?.iter().filter_map(Json::as_u64).collect();
        let element = ElementType::from_mlir_name(ty[1].as_str()?)?;
        let (own, more) = rest.split_at_checked(count(&dims) * element.storage_bytes())?;
        out.push(Tensor::new(dims, element, Buffer::from_slice(own), None));
        rest = more;
    }
    Some(out)
}

fn answered(header: &Json, bytes: &[u8]) -> Ended {
    let message = header["message"]
        .as_str()
        .unwrap_or("no answer")
        .to_string();
    let nanoseconds = |key: &str| Duration::from_nanos(header[key].as_u64().unwrap_or(0));
    match (header["outcome"].as_str(), arguments(header, bytes)) {
        (Some("returned"), Some(outputs)) => Ended::Returned {
            outputs,
            time: nanoseconds("nanoseconds"),
            compilation: nanoseconds("compilation"),
            functions: header["functions"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|f| f.as_str().map(str::to_string))
                .collect(),
        },
        (Some("unsupported"), _) => Ended::Unsupported(message),
        (Some("fault"), _) => Ended::Fault(message),
        (_, _) => Ended::Failed(message),
    }
}

fn send(stream: &mut impl Write, header: &Json, payload: &[u8]) -> Result<()> {
    let text = header.to_string();
    stream.write_all(&(text.len() as u64).to_le_bytes())?;
    stream.write_all(&(payload.len() as u64).to_le_bytes())?;
    stream.write_all(text.as_bytes())?;
    stream.write_all(payload)?;
    stream.flush()
}

/// Largest frame.
const MOST_BYTES: u64 = 16 << 30;

/// One frame; none at the end of the stream.
fn read(stream: &mut impl Read) -> Result<Option<(Json, Vec<u8>)>> {
    let mut lengths = [0; 16];
    match stream.read_exact(&mut lengths) {
        Ok(()) => {}
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(e) => return Err(e),
    }
    let (a, b) = lengths.split_at(8);
    let length = |b: &[u8]| b.iter().rev().fold(0u64, |n, b| n << 8 | u64::from(*b));
    let (head, payload) = (length(a), length(b));
    if head > MOST_BYTES || payload > MOST_BYTES {
        return Err(Error::other("a frame of unknown size"));
    }
    let mut text = vec![0; head as usize];
    stream.read_exact(&mut text)?;
    let header: Json = serde_json::from_slice(&text).map_err(Error::other)?;
    let mut data = vec![0; payload as usize];
    stream.read_exact(&mut data)?;
    Ok(Some((header, data)))
}
