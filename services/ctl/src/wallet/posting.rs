//! Postings of staff to a wallet.

use adfolio_money::Money;
use adfolio_proto::wallet::v1::{
    ChangeGuaranteeRequest, ChangeStartUpFundsRequest, ChargebackRequest, DeductRechargeRequest,
    DepositRequest, FlowEntry, FlowType, GuaranteeAction, OpenMembershipRequest,
    StartUpFundsAction,
};
use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use crate::names::{self, money, name, text, time};
use crate::services::{Change, Services, ask};

/// An amount for a user, with a remark
#[derive(Args, Debug)]
pub struct Remarked {
    /// The user's id
    user_id: String,
    /// The amount, for example 250.00
    amount: Money,
    /// Shown to the user in the fund details
    #[arg(long, default_value = "")]
    remark: String,
    #[command(flatten)]
    change: Change,
}

impl Remarked {
    /// Credits a deposit.
    pub async fn deposit(self, services: &Services) -> anyhow::Result<()> {
        let message = DepositRequest {
            user_id: self.user_id,
            amount_minor: self.amount.minor(),
            remark: self.remark,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.wallet_admin, deposit, caller, message)?;
        show(&self.change, answer.entry)
    }

    /// Takes money back.
    pub async fn chargeback(self, services: &Services) -> anyhow::Result<()> {
        let message = ChargebackRequest {
            user_id: self.user_id,
            amount_minor: self.amount.minor(),
            remark: self.remark,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.wallet_admin, chargeback, caller, message)?;
        show(&self.change, answer.entry)
    }

    /// Takes a deposit back.
    pub async fn recharge_deduction(self, services: &Services) -> anyhow::Result<()> {
        let message = DeductRechargeRequest {
            user_id: self.user_id,
            amount_minor: self.amount.minor(),
            remark: self.remark,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.wallet_admin, deduct_recharge, caller, message)?;
        show(&self.change, answer.entry)
    }
}

/// Charges a membership; the user becomes a member (VIP)
#[derive(Args, Debug)]
pub struct Membership {
    /// The user's id
    user_id: String,
    /// The fee
    amount: Money,
    #[command(flatten)]
    change: Change,
}

impl Membership {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = OpenMembershipRequest {
            user_id: self.user_id,
            amount_minor: self.amount.minor(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.wallet_admin, open_membership, caller, message)?;
        show(&self.change, answer.entry)
    }
}

/// Grants start-up funds, or records their return
#[derive(Args, Debug)]
pub struct StartUpFunds {
    /// The user's id
    user_id: String,
    /// What to do: grant or return
    #[arg(value_parser = names::parse::<StartUpFundsAction>)]
    action: StartUpFundsAction,
    /// The amount
    amount: Money,
    #[command(flatten)]
    change: Change,
}

impl StartUpFunds {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = ChangeStartUpFundsRequest {
            user_id: self.user_id,
            action: self.action.into(),
            amount_minor: self.amount.minor(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(
            services.wallet_admin,
            change_start_up_funds,
            caller,
            message
        )?;
        show(&self.change, answer.entry)
    }
}

/// Moves money from the available balance to the guarantee, or back
#[derive(Args, Debug)]
pub struct Guarantee {
    /// What to do: deposit or return
    #[arg(value_parser = names::parse::<GuaranteeAction>)]
    action: GuaranteeAction,
    /// The user's id
    user_id: String,
    /// The amount
    amount: Money,
    /// Shown to the user in the fund details
    #[arg(long, default_value = "")]
    remark: String,
    #[command(flatten)]
    change: Change,
}

impl Guarantee {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = ChangeGuaranteeRequest {
            user_id: self.user_id,
            action: self.action.into(),
            amount_minor: self.amount.minor(),
            remark: self.remark,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.wallet_admin, change_guarantee, caller, message)?;
        let property = answer.property.context("the answer has no figures")?;
        self.change.format.one(vec![
            ("available", money(property.available_minor)),
            ("guarantee", money(property.guarantee_minor)),
        ]);
        Ok(())
    }
}

fn show(change: &Change, entry: Option<FlowEntry>) -> anyhow::Result<()> {
    let entry = entry.context("the answer has no posting")?;
    change.format.one(vec![
        ("id", json!(entry.id)),
        ("time", time(entry.time)),
        ("type", name::<FlowType>(entry.r#type)),
        ("amount", money(entry.amount_minor)),
        ("balance_after", money(entry.balance_after_minor)),
        ("remark", text(&entry.remark)),
    ]);
    Ok(())
}
