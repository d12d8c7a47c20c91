//! adfolioctl: the operator's command line.
//!
//! It calls the services' gRPC ports, which belong to the private network, as a staff account of its own with the
//! role admin. Exit codes: 0 success, 1 failure or a failed check, 2 wrong usage, 3 an import rejected rows.

mod acceptor;
mod api;
mod approval;
mod audit;
mod broker;
mod chain;
mod cli;
mod content;
mod coupon;
mod dead_letter;
mod delivery;
mod demo;
mod exchange;
mod feedback;
mod files;
mod host;
mod license;
mod mail;
mod names;
mod network;
mod notice;
mod operator;
mod output;
mod pay_password;
mod placement;
mod plan;
mod product;
mod services;
mod setup;
mod source;
mod staff;
mod today;
mod user;
mod verify;
mod wallet;
mod withdraw;
mod witness;

use std::process::ExitCode;

use adfolio_kit::config::{ConfigError, EXIT_CONFIGURATION};
use clap::Parser as _;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match cli::Cli::parse().run().await {
        Ok(code) => code,
        Err(error) => {
            output::complain(&format!("{error:#}"));
            if error.is::<ConfigError>() {
                std::process::exit(EXIT_CONFIGURATION)
            }
            ExitCode::FAILURE
        }
    }
}
