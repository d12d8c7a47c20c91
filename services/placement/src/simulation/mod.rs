//! Worlds in which the placement algorithm is tried with the very functions that place real plans.
//!
//! | world | what it measures |
//! |---|---|
//! | [`learning`] | clicks lost against knowing every click rate, a second plan, a rate that halves |
//! | [`market`] | plans that keep pace with a week of traffic |
//! | [`fraud`] | what a placement with bot clicks gets, with the gate on reports and without |
//! | [`round`] | one round for many plans, as a benchmark |
//!
//! [`spread`] adds up what many seeds showed.
//!
//! Each is deterministic by its random numbers.

pub mod fraud;
pub mod learning;
pub mod market;
pub mod round;
pub mod spread;

use chrono::{DateTime, Utc};

/// When simulations begin: a Monday at midnight.
fn monday() -> DateTime<Utc> {
    DateTime::from_timestamp(1_767_571_200, 0).unwrap_or_default()
}
