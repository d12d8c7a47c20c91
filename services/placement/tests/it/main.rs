//! The algorithm in simulated worlds.
//!
//! Figures of the promises are measured by `adfolioctl placement simulate` over many seeds; here each is held by a few.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    missing_docs,
    reason = "a test fails by panicking, and figures of simulations are floating point"
)]

mod bandit;
mod evaluation;
mod fraud;
mod learning;
mod market;
