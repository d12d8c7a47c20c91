//! Tests of the whole evaluation.

mod coverage;
mod properties;
mod reference;
