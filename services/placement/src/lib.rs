//! Placement: how much of a plan's budget goes to which placement, and when.
//!
//! A library without I/O, clock or randomness of its own: the caller hands in what was reported, the time and the
//! random numbers, so every decision can be computed again from what it was made of.
#![allow(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    reason = "rates and probabilities are floating point; money is not, and the modules that divide it deny this"
)]

pub mod allotment;
mod amount;
pub mod belief;
pub mod choice;
pub mod decision;
pub mod drift;
pub mod pace;
pub mod prior;
pub mod simulation;
pub mod supply;
