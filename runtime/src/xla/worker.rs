//! The worker process: started, spoken to, ended.

use super::{Failure, Versions, protocol};
use serde_json::Value as Json;
use std::{
    io::{Read, Write},
    path::Path,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, RecvTimeoutError, channel},
    },
    time::Duration,
};

/// The script, given to Python on its command line: no file has to be found.
const SCRIPT: &str = include_str!("../../../python/tileproof/worker.py");

/// What is kept of the worker's stderr.
const TAIL: usize = 4000;

/// A started worker.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<std::io::Result<Option<protocol::Frame>>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    /// Disconnected once `stderr` is complete.
    drained: Receiver<()>,
    pub versions: Versions,
}

impl Worker {
    /// Starts `python` and waits until JAX is there. `Err`: why it is not.
    pub fn start(python: &Path, flags: &[String], timeout: Duration) -> Result<Worker, String> {
        let given = std::env::var("XLA_FLAGS").unwrap_or_default();
        let all: Vec<&str> = std::iter::once(given.as_str())
            .chain(flags.iter().map(String::as_str))
            .filter(|f| !f.is_empty())
            .collect();
        let mut child = Command::new(python)
            .args(["-c", SCRIPT])
            .env("XLA_FLAGS", all.join(" "))
            .env("TF_CPP_MIN_LOG_LEVEL", "2")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("cannot be started: {e}"))?;
        let (Some(requests), Some(mut stdout), Some(mut errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("has no pipes".to_string());
        };
        let (send, answers) = channel();
        std::thread::spawn(move || {
            loop {
                let frame = protocol::read(&mut stdout);
                let last = !matches!(frame, Ok(Some(_)));
                if send.send(frame).is_err() || last {
                    return;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(vec![]));
        let tail = stderr.clone();
        let (reading, drained) = channel::<()>();
        std::thread::spawn(move || {
            // Dropped at the end of the pipe.
            let _reading = reading;
            let mut part = [0; 4096];
            while let Ok(n @ 1..) = errors.read(&mut part) {
                if let Ok(mut tail) = tail.lock() {
                    tail.extend_from_slice(&part[..n]);
                    let extra = tail.len().saturating_sub(TAIL);
                    tail.drain(..extra);
                }
            }
        });
        let mut worker = Worker {
            child,
            requests,
            answers,
            stderr,
            drained,
            versions: Versions {
                jax: String::new(),
                jaxlib: String::new(),
                platform: String::new(),
                python: python.to_path_buf(),
            },
        };
        let ready = worker.answer(timeout).map_err(|f| f.to_string())?;
        let text = |key: &str| ready.header[key].as_str().unwrap_or("").to_string();
        if ready.header["outcome"] != "ready" {
            return Err(text("message"));
        }
        worker.versions = Versions {
            jax: text("jax"),
            jaxlib: text("jaxlib"),
            platform: text("platform"),
            python: python.to_path_buf(),
        };
        Ok(worker)
    }

    /// Sends a request and waits for its answer.
    pub fn exchange(
        &mut self,
        header: &Json,
        payload: &[u8],
        timeout: Duration,
    ) -> Result<protocol::Frame, Failure> {
        let text = header.to_string();
        let length = (text.len() as u32).to_le_bytes();
        let sent = [length.as_slice(), text.as_bytes(), payload]
            .iter()
            .try_for_each(|part| self.requests.write_all(part))
            .and_then(|()| self.requests.flush());
        // A worker that died while reading says more by how it ended.
        match sent {
            Ok(()) => self.answer(timeout),
            Err(_) => Err(self.ended()),
        }
    }

    fn answer(&mut self, timeout: Duration) -> Result<protocol::Frame, Failure> {
        match self.answers.recv_timeout(timeout) {
            Ok(Ok(Some(frame))) => Ok(frame),
            Ok(Ok(None) | Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
            Err(RecvTimeoutError::Timeout) => Err(Failure::Hung(timeout.as_secs())),
        }
    }

    /// How the process ended, which closed its pipes.
    fn ended(&mut self) -> Failure {
        let status = match self.child.wait() {
            Ok(status) => words(status),
            Err(e) => e.to_string(),
        };
        // The last words are in the pipe; a grandchild may hold it open for longer.
        let _ = self.drained.recv_timeout(Duration::from_secs(1));
        let tail = self.stderr.lock().map_or(vec![], |t| t.clone());
        let tail = String::from_utf8_lossy(&tail).trim().to_string();
        if status == KILLED {
            return Failure::OutOfMemory(format!("{status} {tail}").trim().to_string());
        }
        let last = tail.lines().last().unwrap_or("").to_string();
        Failure::Crashed(if last.is_empty() {
            status
        } else {
            format!("{status}: {last}")
        })
    }
}

/// We never send it before the process is given up: it comes from the system, which is out of memory.
const KILLED: &str = "SIGKILL";

#[cfg(unix)]
fn words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    let name = |signal: i32| match signal {
        4 => "SIGILL".to_string(),
        6 => "SIGABRT".to_string(),
        7 => "SIGBUS".to_string(),
        8 => "SIGFPE".to_string(),
        9 => KILLED.to_string(),
        11 => "SIGSEGV".to_string(),
        other => format!("signal {other}"),
    };
    status.signal().map_or(status.to_string(), name)
}

#[cfg(not(unix))]
fn words(status: ExitStatus) -> String {
    status.to_string()
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended by itself; there is no one to tell.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
