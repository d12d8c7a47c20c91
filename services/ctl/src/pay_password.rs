//! `adfolioctl pay-password`.

use adfolio_proto::wallet::v1::ResetPayPasswordRequest;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::services::{Change, Services, ask};

/// Transaction passwords
#[derive(Debug, Subcommand)]
pub enum PayPasswordCommand {
    /// Removes a user's transaction password and its lock, so that a new one can be set
    Reset(Reset),
}

impl PayPasswordCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::Reset(reset) => reset.run(services).await,
        }
    }
}

/// Removes a user's transaction password and its lock, so that a new one can be set
#[derive(Args, Debug)]
pub struct Reset {
    /// The user's id
    user_id: String,
    #[command(flatten)]
    change: Change,
}

impl Reset {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = ResetPayPasswordRequest {
            user_id: self.user_id.clone(),
            reason: self.change.signed_reason(),
        };
        let caller = self.change.caller()?;
        ask!(services.wallet_admin, reset_pay_password, caller, message)?;
        let done = vec![("user_id", json!(self.user_id)), ("reset", json!(true))];
        self.change.format.one(done);
        Ok(())
    }
}
