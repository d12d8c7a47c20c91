//! Behaviour of the auth service, through its gRPC calls, on real PostgreSQL and RabbitMQ.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking with a clear message"
)]

mod audit;
mod claims;
mod devices;
mod email_codes;
mod feeding;
mod guesses;
mod helpers;
mod hosts;
mod identity;
mod licenses;
mod lists;
mod login;
mod looks;
mod mail;
mod names;
mod office;
mod own_security;
mod pairs;
mod passkeys;
mod passwords;
mod profile;
mod registration;
mod rights;
mod seals;
mod second_factor;
mod sessions;
mod staff;
mod staff_life_cycle;
mod staff_sessions;
mod step_up;
mod store;
mod user_pages;
mod users;
