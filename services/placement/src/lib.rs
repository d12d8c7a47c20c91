//! Placement: how much of a plan's budget goes to which placement, and when.
//!
//! A library without I/O, clock or randomness of its own: the caller hands in what was reported, the time and the
//! random numbers, so every decision can be computed again from what it was made of.
//!
//! | question | module |
//! |---|---|
//! | what is known about a rate | [`belief`] |
//! | what is believed before anything was shown | [`prior`] |
//! | whether a rate has changed | [`drift`] |
//! | which placement is chosen how often | [`choice`] |
//! | how much a plan may spend now | [`pace`] |
//! | what placements can serve, and of which plans | [`supply`] |
//! | how a grant becomes impressions and clicks | [`allotment`] |
//! | all of it for one plan, with reasons | [`decision`] |
//! | which reports need a person's decision | [`review`] |
//! | how well that works, in worlds that are made up | [`simulation`] |
//! | how well it would have worked, by a log of something else | [`evaluation`] |
#![allow(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    reason = "rates and probabilities are floating point; money is not, and the modules that divide it deny this"
)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of tests are small"
    )
)]

pub mod allotment;
mod amount;
pub mod belief;
pub mod choice;
pub mod decision;
pub mod drift;
pub mod evaluation;
pub mod pace;
pub mod prior;
pub mod review;
pub mod simulation;
pub mod supply;
