//! tileproof-dialect
