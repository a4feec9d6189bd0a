//! Is it still the same program? Compares two versions of a program region by region, in the ring (exact) and in IEEE arithmetic (within derived
//! bounds), and says which rewrite of which pass is to blame.
//!
//! Reading order: [`verdict`], [`normal_form`], [`session`] (values by content), [`co_evaluation`] (two versions side by side), [`literal`], [`opaque`],
//! [`region`] (bounds of a changed region), [`tie`], [`contract`], [`kernels`], [`blame`], [`estimate`] (end to end, no proof), [`alias`] (who may write which buffer), [`validate`] (a whole pipeline), [`finding`], [`report`].

pub mod alias;
pub mod blame;
pub mod bodies;
pub mod checkers;
pub mod co_evaluation;
pub mod compare;
pub mod constants;
pub mod contract;
pub mod dumps;
pub mod effects;
pub mod estimate;
pub mod expansion;
pub mod finding;
pub mod grid;
pub mod inputs;
pub mod isolate;
pub mod kernels;
pub mod level;
pub mod literal;
pub mod mutate;
pub mod native;
pub mod normal_form;
pub mod opaque;
pub mod pattern;
pub mod predicates;
pub mod reduce;
pub mod region;
pub mod report;
pub mod session;
pub mod step;
pub mod tie;
pub mod validate;
pub mod verdict;
