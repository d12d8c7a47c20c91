//! `adfolioctl setup`: creates the first members of staff and optionally the demo data.
//!
//! For deployments that start all services at once and cannot run one command after another: it waits until the
//! services answer. Running it again changes nothing.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use adfolio_proto::acceptor::v1::ListAcceptorsRequest;
use adfolio_proto::auth::v1::ListStaffRequest;
use adfolio_proto::coupon::v1::ListCampaignsRequest;
use adfolio_proto::notification::v1::ListFeedbackRequest;
use adfolio_proto::plan::v1::ListOperatorsRequest;
use adfolio_proto::wallet::v1::AdminListWithdrawalsRequest;
use anyhow::Context as _;
use clap::Args;
use clap::builder::{BoolishValueParser, TypedValueParser as _};
use tokio::time::{Instant, sleep};

use crate::demo;
use crate::services::{CallError, Services, ask, operator};
use crate::staff::{self, NewAccount};

/// How long setup waits for a service. Migrations of a first start take seconds on a slow machine.
const WAIT_LIMIT: Duration = Duration::from_mins(3);
const WAIT_POLL: Duration = Duration::from_millis(500);

/// Creates the first members of staff and optionally the demo data
#[derive(Args, Debug)]
pub struct Setup {
    /// Login name of the first member of staff, with the role admin; an existing account is left as it is
    #[arg(long, default_value = "admin")]
    admin: String,
    /// File with the password; a line break at its end is ignored
    #[arg(long)]
    admin_password_file: PathBuf,
    /// Login name of a second admin, made together with the first one
    #[arg(long, default_value = "admin2")]
    second_admin: String,
    /// File with the second admin's password; without it there is no second one
    #[arg(long)]
    second_admin_password_file: Option<PathBuf>,
    /// Whether to load the demo data
    #[arg(long, env = "ADFOLIO_DEMO", default_value = "0", action = clap::ArgAction::Set,
        value_parser = BoolishValueParser::new().map(Switch))]
    demo: Switch,
}

/// A yes or no that takes a value (`1`, `0`, `yes`, `off` …), unlike a flag.
#[derive(Clone, Copy, Debug)]
struct Switch(bool);

impl Setup {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let deadline = Instant::now() + WAIT_LIMIT;
        wait_for_auth(services, deadline).await?;
        let first = NewAccount::admin(self.admin, &self.admin_password_file)?;
        match &self.second_admin_password_file {
            None => staff::create(services, &first, None, true).await?,
            Some(file) => {
                let second = NewAccount::admin(self.second_admin, file)?;
                staff::found(services, &first, &second, true).await?;
            }
        }
        if self.demo.0 {
            wait_for_others(services, deadline).await?;
            demo::load(services).await?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn wait_for_auth(services: &Services, deadline: Instant) -> anyhow::Result<()> {
    wait_for("auth", deadline, || async {
        let message = ListStaffRequest { page: None };
        ask!(services.auth_admin, list_staff, operator(), message)
    })
    .await
}

async fn wait_for_others(services: &Services, deadline: Instant) -> anyhow::Result<()> {
    wait_for("plan", deadline, || async {
        let message = ListOperatorsRequest { page: None };
        ask!(services.plan_admin, list_operators, operator(), message)
    })
    .await?;
    wait_for("wallet", deadline, || async {
        let message = AdminListWithdrawalsRequest::default();
        ask!(
            services.wallet_admin,
            admin_list_withdrawals,
            operator(),
            message
        )
    })
    .await?;
    wait_for("coupon", deadline, || async {
        let message = ListCampaignsRequest { page: None };
        ask!(services.coupon_admin, list_campaigns, operator(), message)
    })
    .await?;
    wait_for("notification", deadline, || async {
        let message = ListFeedbackRequest::default();
        ask!(
            services.notification_admin,
            list_feedback,
            operator(),
            message
        )
    })
    .await?;
    wait_for("acceptor", deadline, || async {
        let message = ListAcceptorsRequest { page: None };
        ask!(services.acceptor_admin, list_acceptors, operator(), message)
    })
    .await
}

/// Calls until the service answers. A refusal ends the wait too.
async fn wait_for<T, F, Fut>(service: &str, deadline: Instant, mut look: F) -> anyhow::Result<()>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<T, CallError>>,
{
    loop {
        match look().await {
            Ok(_) => return Ok(()),
            Err(status) if status.is_absence() && Instant::now() < deadline => {
                sleep(WAIT_POLL).await;
            }
            Err(status) => {
                return Err(status).with_context(|| format!("{service} does not answer"));
            }
        }
    }
}
