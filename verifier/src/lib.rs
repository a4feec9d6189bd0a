//! tileproof-verifier
