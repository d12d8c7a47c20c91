//! `adfolioctl feedback`.

use adfolio_proto::notification::v1::{
    CloseFeedbackRequest, Feedback, FeedbackState, ListFeedbackRequest,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::names::{self, name, text, time};
use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, list, operator};

/// Users' feedback
#[derive(Debug, Subcommand)]
pub enum FeedbackCommand {
    /// Lists feedback
    List(List),
    /// Closes feedback, with or without a reply
    Close(Close),
}

impl FeedbackCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::List(list) => list.run(services).await,
            Self::Close(close) => close.run(services).await,
        }
    }
}

/// Lists feedback
#[derive(Args, Debug)]
pub struct List {
    /// Only this state: open or closed
    #[arg(long, value_parser = names::parse::<FeedbackState>)]
    state: Option<FeedbackState>,
    #[command(flatten)]
    listing: Listing,
}

impl List {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let state = names::filter(self.state);
        let message = ListFeedbackRequest { state, page: None };
        let feedback = list!(
            services.notification_admin,
            list_feedback,
            operator(),
            message,
            self.listing.max
        )
        .await?;
        self.listing.print(&feedback, row);
        Ok(())
    }
}

/// Closes feedback, with or without a reply
#[derive(Args, Debug)]
pub struct Close {
    /// The feedback's id
    feedback_id: String,
    /// Sent to the user as a notification
    #[arg(long, default_value = "")]
    reply: String,
    #[command(flatten)]
    change: Change,
}

impl Close {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = CloseFeedbackRequest {
            feedback_id: self.feedback_id,
            reply: self.reply,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.notification_admin, close_feedback, caller, message)?;
        let closed = answer.feedback.context("the answer has no feedback")?;
        self.change.format.one(row(&closed));
        Ok(())
    }
}

fn row(feedback: &Feedback) -> Row {
    vec![
        ("id", json!(feedback.id)),
        ("user_id", json!(feedback.user_id)),
        ("state", name::<FeedbackState>(feedback.state)),
        ("time", time(feedback.time)),
        ("topic", json!(feedback.topic)),
        ("content", json!(feedback.content)),
        ("images", json!(feedback.image_file_ids.len())),
        ("reply", text(&feedback.reply)),
    ]
}
