//! The algorithm in simulated worlds, the gate on reports, and evaluation on real logs.
//!
//! Figures of the promises are measured by `adfolioctl placement simulate` over many seeds; here each is held by a few.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    missing_docs,
    reason = "a test fails by panicking, and figures of simulations are floating point"
)]

mod bandit;
mod evaluation;
mod fraud;
mod learning;
mod market;
mod review;
