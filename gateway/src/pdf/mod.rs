//! Documents that users print or keep.

#![allow(
    clippy::float_arithmetic,
    reason = "places on paper; amounts are integers here, too"
)]

pub mod fonts;
pub mod paper;
pub mod statement;
