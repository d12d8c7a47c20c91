//! Tests of the whole evaluation.

mod bandit;
mod coverage;
mod properties;
mod reference;
