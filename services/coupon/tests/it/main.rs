//! The coupon service through its clients, on a real PostgreSQL and a real RabbitMQ.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail by panicking"
)]

mod campaigns;
mod claims;
mod costs;
mod events;
mod four_eyes;
mod grants;
mod helpers;
mod lists;
mod orders;
mod rights;
