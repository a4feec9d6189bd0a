//! The `tileproof` command line: one file a subcommand in `commands/`.

mod allocator;
mod commands;
mod exit;
mod load;
mod progress;

use clap::Parser;
use std::process::ExitCode;
use tileproof_dialect::error::Error;

/// Checks that a tensor compiler still computes the same program after every pass.
///
/// Exit codes: 0 equal, 1 mismatch, 2 undecided or unsupported, 3 bad input, 4 internal error.
#[derive(Parser)]
#[command(name = "tileproof", version, about, long_about)]
struct Cli {
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    allocator::keep_memory();
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_writer(std::io::stderr)
        .init();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            let help = matches!(
                e.kind(),
                clap::error::ErrorKind::DisplayHelp | clap::error::ErrorKind::DisplayVersion
            );
            // Help that cannot be printed (closed pipe) is no reason to fail differently.
            let _ = e.print();
            return ExitCode::from(if help {
                0
            } else {
                exit::wrong_command_line(&e.to_string())
            });
        }
    };
    // Importers, printers and engines follow the nesting of the program: a large stack for the thread that works.
    let worker = std::thread::Builder::new()
        .stack_size(512 << 20)
        .spawn(move || cli.command.run());
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(code))) => ExitCode::from(code),
        Ok(Ok(Err(error))) => ExitCode::from(exit::report(&error)),
        Ok(Err(_)) => {
            let what = "a panic, printed above; please report it with the command line";
            ExitCode::from(exit::report(&Error::internal(what)))
        }
        Err(e) => {
            let what = format!("cannot start a thread: {e}");
            ExitCode::from(exit::report(&Error::internal(what)))
        }
    }
}
