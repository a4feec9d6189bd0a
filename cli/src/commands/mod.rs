//! THE list of subcommands.

mod bench;
mod check;
mod doctor;
mod kernel;
mod mutate;
mod native;
mod opt;
#[cfg(feature = "plant")]
mod plant;
mod run;
mod tv;
mod xla;

use clap::Subcommand;
use tileproof_dialect::error::Error;

#[derive(Subcommand)]
pub enum Command {
    /// Checks every pass of our compiler on a program
    Check(check::Check),
    /// Runs a program on the reference engine
    Run(run::Run),
    /// Runs passes and prints the result
    Opt(opt::Opt),
    /// Checks any two programs against each other
    Tv(tv::Tv),
    /// Times running and checking programs next to XLA
    Bench(bench::Bench),
    /// Measures how many planted faults the check of each pass finds
    Mutate(mutate::Mutate),
    /// Says which stage of XLA changed what a program computes
    Xla(xla::Xla),
    /// Says what this machine has and what is missing
    Doctor(doctor::Doctor),
    /// Runs one LLVM module for `xla`
    #[command(hide = true)]
    Kernel(kernel::Kernel),
    /// Compares native code of kernels with the simulator
    Native(native::Native),
}

impl Command {
    /// Runs the subcommand and gives the exit code.
    pub fn run(self) -> Result<u8, Error> {
        match self {
            Command::Check(c) => c.run(),
            Command::Run(c) => c.run(),
            Command::Opt(c) => c.run(),
            Command::Tv(c) => c.run(),
            Command::Bench(c) => c.run(),
            Command::Mutate(c) => c.run(),
            Command::Xla(c) => c.run(),
            Command::Doctor(c) => c.run(),
            Command::Kernel(c) => c.run(),
            Command::Native(c) => c.run(),
        }
    }
}
