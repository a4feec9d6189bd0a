//! Is it still the same program? Compares two versions of a program region by region, in the ring (exact) and in IEEE arithmetic (within derived
//! bounds), and says which rewrite of which pass is to blame.
//!
//! Reading order: [`verdict`], [`session`] (values by content), [`co_evaluation`] (two versions side by side), [`region`] (bounds of a changed
//! region), [`blame`], [`validate`] (a whole pipeline), [`finding`], [`report`].

pub mod verdict;
pub mod inputs;
pub mod session;
pub mod compare;
pub mod region;
pub mod co_evaluation;
pub mod blame;
pub mod validate;
pub mod finding;
pub mod report;
