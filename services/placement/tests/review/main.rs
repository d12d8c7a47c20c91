//! The gate on reports: its rules one by one, honest networks, frauds, and real data.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "a test may fail by panicking; its numbers are small"
)]

mod copies;
mod frauds;
mod helpers;
mod honest;
mod impossible;
mod invariants;
mod memory;
mod patterns;
mod power;
mod real_data;
mod speed;
