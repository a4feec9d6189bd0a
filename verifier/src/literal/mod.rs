//! Literals that a compiler merged: a float literal that only one side has may be an expression over literals of the other side, computed in the
//! declared type and rounded at each step. In the ring it then stands for the exact value of the expression (DESIGN.md section 6, RING.md rule 3).
//!
//! Proves: the expression gives the literal bit for bit. Cannot: know that the compiler meant it; explanations are therefore printed on request.

pub mod search;
pub mod table;
