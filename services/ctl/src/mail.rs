//! `adfolioctl mail`.

use adfolio_proto::notification::v1::{ListMailsRequest, Mail, MailState, RetryMailRequest};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::names::{self, name, text, time};
use crate::output::Row;
use crate::services::{ReasonedChange, Services, UserListing, ask, list, operator};

/// Mail to users
#[derive(Debug, Subcommand)]
pub enum MailCommand {
    /// Lists mail; addresses are not stored
    List(List),
    /// Sends a mail again that was given up
    Retry(Retry),
}

impl MailCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::List(list) => list.run(services).await,
            Self::Retry(retry) => retry.run(services).await,
        }
    }
}

/// Lists mail; addresses are not stored
#[derive(Args, Debug)]
pub struct List {
    /// Only this state: pending, sent, dead or skipped
    #[arg(long, value_parser = names::parse::<MailState>)]
    state: Option<MailState>,
    #[command(flatten)]
    of: UserListing,
}

impl List {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = ListMailsRequest {
            user_id: self.of.user,
            state: names::filter(self.state),
            page: None,
        };
        let mails = list!(
            services.notification_admin,
            list_mails,
            operator(),
            message,
            self.of.listing.max
        )
        .await?;
        self.of.listing.print(&mails, row);
        Ok(())
    }
}

/// Sends a mail again that was given up
#[derive(Args, Debug)]
pub struct Retry {
    /// The mail's id
    mail_id: String,
    #[command(flatten)]
    change: ReasonedChange,
}

impl Retry {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = RetryMailRequest {
            mail_id: self.mail_id,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.notification_admin, retry_mail, caller, message)?;
        let mail = answer.mail.context("the answer has no mail")?;
        self.change.format.one(row(&mail));
        Ok(())
    }
}

fn row(mail: &Mail) -> Row {
    vec![
        ("id", json!(mail.id)),
        ("user_id", json!(mail.user_id)),
        ("template", json!(mail.template)),
        (
            "to",
            json!(if mail.to_former { "former" } else { "present" }),
        ),
        ("state", name::<MailState>(mail.state)),
        ("attempts", json!(mail.attempts)),
        ("last_error", text(&mail.last_error)),
        ("lang", text(&mail.lang)),
        ("time", time(mail.time)),
        ("due_at", time(mail.due_at)),
        ("finished_at", time(mail.finished_at)),
        ("disowned_at", time(mail.disowned_at)),
    ]
}
