//! tileproof-runtime
