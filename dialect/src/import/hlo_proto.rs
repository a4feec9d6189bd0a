//! Reads HLO protos.

use crate::{error::Error, program::Program};

pub fn parse(_bytes: &[u8], _file: &str) -> Result<Program, Error> {
    Err(Error::unsupported("HLO protos"))
}
