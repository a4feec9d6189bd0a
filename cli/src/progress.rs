//! Progress on stderr, only on a terminal, only for what takes over two seconds.

use crate::exit;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::IsTerminal,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

/// A bar that stays hidden for two seconds.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
}

impl Progress {
    pub fn new() -> Progress {
        let bar = ProgressBar::with_draw_target(Some(1000), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent:>3} % {msg} {elapsed}")
        {
            bar.set_style(style);
        }
        Progress {
            bar,
            start: Instant::now(),
        }
    }

    pub fn update(&self, what: &str, share: f64) {
        if self.start.elapsed() > Duration::from_secs(2) && std::io::stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_message(what.to_string());
        self.bar.set_position((share * 1000.0) as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Time passed beside what cannot say how far it is; hidden for two seconds.
pub struct Waiting {
    /// Its end tells the thread that shows the time.
    _running: mpsc::Sender<()>,
    bar: ProgressBar,
}

impl Waiting {
    pub fn new(what: &str) -> Waiting {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_message(what.to_string());
        let (running, ended) = mpsc::channel();
        if std::io::stderr().is_terminal() {
            let bar = bar.clone();
            std::thread::spawn(move || {
                if ended.recv_timeout(Duration::from_secs(2)) == Err(RecvTimeoutError::Timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(Duration::from_millis(200));
                }
            });
        }
        Waiting {
            _running: running,
            bar,
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Sets `flag` at the first Ctrl-C; a second one ends the process. A later call is for another flag.
pub fn stop_on_interrupt(flag: Arc<AtomicBool>) {
    static FLAG: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);
    let place = || FLAG.lock().unwrap_or_else(PoisonError::into_inner);
    if place().replace(flag).is_some() {
        return;
    }
    let handler = ctrlc::set_handler(move || {
        let stopped = place()
            .as_ref()
            .is_some_and(|flag| flag.swap(true, Ordering::SeqCst));
        if stopped {
            std::process::exit(130);
        }
        exit::say("stopping; what was found so far follows (Ctrl-C again to end at once)");
    });
    if let Err(e) = handler {
        exit::say(&format!(
            "tileproof: Ctrl-C will end the process without a report: {e}"
        ));
    }
}
