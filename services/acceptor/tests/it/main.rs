//! The acceptor service through its clients, on a real PostgreSQL.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail by panicking"
)]

mod codes;
mod decisions;
mod exchanges;
mod four_eyes;
mod guessing;
mod helpers;
mod late;
mod lists;
mod recovery;
mod rights;
mod services;
mod staff;
