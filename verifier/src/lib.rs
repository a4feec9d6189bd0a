//! Is it still the same program? Compares two versions of a program region by region, in the ring (exact) and in IEEE arithmetic (within derived
//! bounds), and says which rewrite of which pass is to blame.
//!
//! Reading order: [`verdict`], [`session`] (values by content), [`co_evaluation`] (two versions side by side), [`region`] (bounds of a changed
//! region), [`blame`], [`alias`] (who may write which buffer), [`validate`] (a whole pipeline), [`finding`], [`report`].

pub mod alias;
pub mod blame;
pub mod co_evaluation;
pub mod compare;
pub mod dumps;
pub mod effects;
pub mod expansion;
pub mod finding;
pub mod grid;
pub mod inputs;
pub mod isolate;
pub mod level;
pub mod mutate;
pub mod reduce;
pub mod region;
pub mod report;
pub mod session;
pub mod step;
pub mod unknown_contract;
pub mod validate;
pub mod verdict;
