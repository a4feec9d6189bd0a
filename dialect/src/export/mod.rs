//! Writers of programs for other tools.

