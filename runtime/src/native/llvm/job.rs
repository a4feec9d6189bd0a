//! One kernel to run in a child process, which code that comes from a dump may crash, fill or keep busy.
//!
//! Both ways a frame: the length of a JSON header (4 bytes, little endian), the header, the bytes it announces. Request: {"ir": BYTES, "function": NAME,
//! "workgroups": N, "buffers": [BYTES, ..], "contracts": BOOL}. Answer: {"outcome": "returned", "buffers": [BYTES, ..]} or {"outcome": "failed", "message": TEXT}.

use super::kernel;
use serde_json::{Value as Json, json};
use std::{
    io::{Read, Write},
    process::{Command, Stdio},
    sync::mpsc::{RecvTimeoutError, channel},
    time::Duration,
};

/// Largest frame.
const MOST_BYTES: u64 = 8 << 30;

/// Memory of the child besides the buffers.
const MEMORY: u64 = 4 << 30;

/// A kernel and the buffers it works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Text of an LLVM module.
    pub ir: String,
    /// Function with XLA's kernel signature.
    pub function: String,
    /// How many workgroups the kernel is divided into; each is one call.
    pub workgroups: u64,
    /// Operands, then results.
    pub buffers: Vec<Vec<u8>>,
    pub contraction: Contraction,
}

/// What the code generator may do with a product and a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contraction {
    /// Two roundings, as the module says.
    Off,
    /// One fused operation, as XLA lets LLVM do.
    On,
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// All buffers as the kernel left them.
    Returned(Vec<Vec<u8>>),
    /// It cannot be compiled here, or it reports an error.
    Failed(String),
    /// The child died.
    Crashed(String),
    /// It did not end in so many seconds.
    Hung(u64),
}

/// Runs `job` in a child: `child` is a command that calls [`serve`].
pub fn run(job: &Job, mut child: Command, time: Duration) -> std::io::Result<Ended> {
    let mut child = child
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(std::io::Error::other("a child without pipes"));
    };
    let (header, payload) = request(job);
    // A child that dies while it reads is told by how it ended.
    let sending = std::thread::spawn(move || send(&mut input, &header, &payload));
    let (done, answer) = channel();
    std::thread::spawn(move || done.send(read(&mut output)));
    let got = answer.recv_timeout(time);
    if let Err(RecvTimeoutError::Timeout) = got {
        child.kill()?;
    }
    let status = child.wait()?;
    let _ = sending.join();
    Ok(match got {
        Ok(Ok(Some((header, bytes)))) => answered(&header, &bytes),
        Ok(Ok(None) | Err(_)) | Err(RecvTimeoutError::Disconnected) => {
            Ended::Crashed(status.to_string())
        }
        Err(RecvTimeoutError::Timeout) => Ended::Hung(time.as_secs()),
    })
}

/// The child: takes one job from `input`, runs it, answers on `output`.
pub fn serve(input: &mut impl Read, output: &mut impl Write) -> std::io::Result<()> {
    let Some((header, bytes)) = read(input)? else {
        return Err(std::io::Error::other("no job"));
    };
    let answer = match job_of(&header, &bytes) {
        Some(job) => {
            let most = job.buffers.iter().map(|b| b.len() as u64).sum::<u64>();
            kernel::limit_memory(MEMORY + 4 * most);
            kernel::execute(&job)
        }
        None => Err("a malformed job".to_string()),
    };
    match answer {
        Ok(buffers) => {
            let sizes: Vec<usize> = buffers.iter().map(Vec::len).collect();
            send(
                output,
                &json!({"outcome": "returned", "buffers": sizes}),
                &buffers.concat(),
            )
        }
        Err(message) => send(
            output,
            &json!({"outcome": "failed", "message": message}),
            &[],
        ),
    }
}

fn request(job: &Job) -> (Json, Vec<u8>) {
    let sizes: Vec<usize> = job.buffers.iter().map(Vec::len).collect();
    let header = json!({
        "ir": job.ir.len(),
        "function": job.function,
        "workgroups": job.workgroups,
        "buffers": sizes,
        "contracts": job.contraction == Contraction::On,
    });
    let mut payload = job.ir.clone().into_bytes();
    payload.extend(job.buffers.concat());
    (header, payload)
}

fn job_of(header: &Json, bytes: &[u8]) -> Option<Job> {
    let (ir, rest) = bytes.split_at_checked(header["ir"].as_u64()? as usize)?;
    Some(Job {
        ir: String::from_utf8(ir.to_vec()).ok()?,
        function: header["function"].as_str()?.to_string(),
        workgroups: header["workgroups"].as_u64()?,
        buffers: pieces(header, rest)?,
        contraction: if header["contracts"].as_bool()? {
            Contraction::On
        } else {
            Contraction::Off
        },
    })
}

fn answered(header: &Json, bytes: &[u8]) -> Ended {
    match (header["outcome"].as_str(), pieces(header, bytes)) {
        (Some("returned"), Some(buffers)) => Ended::Returned(buffers),
        (_, _) => Ended::Failed(
            header["message"]
                .as_str()
                .unwrap_or("no answer")
                .to_string(),
        ),
    }
}

/// The buffers that a header announces.
fn pieces(header: &Json, bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut rest = bytes;
    let mut out = vec![];
    for size in header["buffers"].as_array()? {
        let (one, more) = rest.split_at_checked(size.as_u64()? as usize)?;
        out.push(one.to_vec());
        rest = more;
    }
    Some(out)
}

fn send(stream: &mut impl Write, header: &Json, payload: &[u8]) -> std::io::Result<()> {
    let text = header.to_string();
    stream.write_all(&(text.len() as u32).to_le_bytes())?;
    stream.write_all(text.as_bytes())?;
    stream.write_all(payload)?;
    stream.flush()
}

/// One frame; none at the end of the stream.
fn read(stream: &mut impl Read) -> std::io::Result<Option<(Json, Vec<u8>)>> {
    let mut length = [0; 4];
    match stream.read_exact(&mut length) {
        Ok(()) => {}
        Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(e) => return Err(e),
    }
    let mut text = vec![0; u32::from_le_bytes(length) as usize];
    stream.read_exact(&mut text)?;
    let header: Json = serde_json::from_slice(&text).map_err(std::io::Error::other)?;
    let sizes = header["buffers"].as_array().into_iter().flatten();
    let bytes = sizes
        .chain(std::iter::once(&header["ir"]))
        .filter_map(Json::as_u64)
        .try_fold(0u64, u64::checked_add)
        .filter(|n| *n <= MOST_BYTES)
        .ok_or_else(|| std::io::Error::other("a frame of unknown size"))?;
    let mut data = vec![0; bytes as usize];
    stream.read_exact(&mut data)?;
    Ok(Some((header, data)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// y[i] = x[i] * x[i] + x[i], one workgroup.
    const SQUARE: &str = include_str!("square_plus.ll");

    fn job(x: &[f32]) -> Job {
        let bytes: Vec<u8> = x.iter().flat_map(|v| v.to_le_bytes()).collect();
        Job {
            ir: SQUARE.to_string(),
            function: "square_plus".to_string(),
            workgroups: 1,
            buffers: vec![bytes.clone(), vec![0; bytes.len()]],
            contraction: Contraction::Off,
        }
    }

    fn served(job: &Job) -> Ended {
        let (header, payload) = request(job);
        let (mut input, mut output) = (vec![], vec![]);
        send(&mut input, &header, &payload).unwrap();
        serve(&mut input.as_slice(), &mut output).unwrap();
        let (header, bytes) = read(&mut output.as_slice()).unwrap().unwrap();
        answered(&header, &bytes)
    }

    fn floats(bytes: &[u8]) -> Vec<f32> {
        let four = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        bytes.chunks_exact(4).map(four).collect()
    }

    #[test]
    fn a_kernel_runs_as_its_module_says_and_contracted_where_asked() {
        // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the last term is lost when the product is rounded.
        let x = [-(1.0 + 2f32.powi(-12)), 3.0];
        let mut job = job(&x);
        let run = |job: &Job| match served(job) {
            Ended::Returned(buffers) => floats(&buffers[1]),
            other => panic!("{other:?}"),
        };
        assert_eq!(run(&job), [x[0] * x[0] + x[0], 12.0]);
        job.contraction = Contraction::On;
        assert_eq!(run(&job), [x[0].mul_add(x[0], x[0]), 12.0]);
        assert_ne!(x[0] * x[0] + x[0], x[0].mul_add(x[0], x[0]));
    }

    #[test]
    fn what_cannot_run_is_told() {
        let mut other = job(&[1.0, 2.0]);
        other.function = "absent".to_string();
        assert!(matches!(served(&other), Ended::Failed(m) if m.contains("absent")));
        let mut broken = job(&[1.0, 2.0]);
        broken.ir = "define".to_string();
        assert!(matches!(served(&broken), Ended::Failed(m) if m.contains("LLVM")));
        let mut fewer = job(&[1.0, 2.0]);
        fewer.buffers.pop();
        assert!(matches!(served(&fewer), Ended::Failed(m) if m.contains("buffers")));
    }

    #[test]
    fn a_child_that_does_not_answer_is_a_value() {
        let child = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let hung = run(&job(&[1.0]), child("sleep 60"), Duration::from_secs(1)).unwrap();
        assert_eq!(hung, Ended::Hung(1));
        let died = run(
            &job(&[1.0]),
            child("kill -SEGV $$"),
            Duration::from_secs(20),
        )
        .unwrap();
        assert!(matches!(died, Ended::Crashed(_)), "{died:?}");
    }
}
