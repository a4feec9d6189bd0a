//! tileproof-lowering
