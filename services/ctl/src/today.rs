//! `adfolioctl today`.

use std::process::ExitCode;

use adfolio_proto::acceptor::v1 as acceptor;
use adfolio_proto::auth::v1 as auth;
use adfolio_proto::common::v1::{Waiting, WaitingKind};
use adfolio_proto::coupon::v1 as coupon;
use adfolio_proto::notification::v1 as notification;
use adfolio_proto::plan::v1 as plan;
use adfolio_proto::wallet::v1 as wallet;
use clap::Args;
use serde_json::json;

use crate::names::{name, time};
use crate::output::{Format, Row, complain};
use crate::services::{Services, ask, operator};

/// Counts what waits for a person; exits with 1 if a service does not answer
#[derive(Args, Debug)]
pub struct Today {
    #[command(flatten)]
    format: Format,
}

impl Today {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> ExitCode {
        let mut rows = Vec::new();
        let mut code = ExitCode::SUCCESS;
        macro_rules! add {
            ($($service:literal: $client:ident, $package:ident;)*) => {$(
                let message = $package::GetWaitingRequest {};
                match ask!(services.$client, get_waiting, operator(), message) {
                    Ok(answer) => {
                        rows.extend(answer.items.iter().map(|item| row($service, item)));
                    }
                    Err(error) => {
                        complain(&format!("{} does not say what waits: {error}", $service));
                        code = ExitCode::FAILURE;
                    }
                }
            )*};
        }
        add! {
            "auth": auth_admin, auth;
            "wallet": wallet_admin, wallet;
            "plan": plan_admin, plan;
            "coupon": coupon_admin, coupon;
            "notification": notification_admin, notification;
            "acceptor": acceptor_admin, acceptor;
        }
        self.format.list(rows);
        code
    }
}

fn row(service: &str, waiting: &Waiting) -> Row {
    vec![
        ("service", json!(service)),
        ("kind", name::<WaitingKind>(waiting.kind)),
        ("count", json!(waiting.count)),
        ("more", json!(waiting.is_more)),
        ("oldest_at", time(waiting.oldest_at)),
    ]
}
