//! The algorithm in simulated worlds.
//!
//! Figures of the promises are measured by `adfolioctl placement simulate` over many seeds; here each is held by a few.

mod bandit;
mod learning;
mod market;
