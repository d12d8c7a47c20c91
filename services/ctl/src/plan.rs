//! `adfolioctl plan`.

use std::path::PathBuf;

use adfolio_money::Money;
use adfolio_proto::plan::v1::{
    AdminGetPlanRequest, AdminListPlansRequest, FinishOutcome, FinishPlanRequest, Plan, PlanStatus,
    PushFilter, PushPlanRequest, SettlePlanRequest,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::files::read_json;
use crate::names::{self, money, name, text, time};
use crate::output::{Format, Row};
use crate::product::AudienceFile;
use crate::services::{Change, Listing, Services, ask, list, operator};

/// Plans
#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// Pushes a plan to users, or to the followers of an operator
    Push(Push),
    /// Lists plans
    List(List),
    /// Shows a plan and its timeline
    Show(Show),
    /// Ends the delivery of a plan
    Finish(Finish),
    /// Settles a plan that is waiting for settlement
    Settle(Settle),
}

impl PlanCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::Push(push) => push.run(services).await,
            Self::List(list) => list.run(services).await,
            Self::Show(show) => show.run(services).await,
            Self::Finish(finish) => finish.run(services).await,
            Self::Settle(settle) => settle.run(services).await,
        }
    }
}

/// Pushes a plan to users, or to the followers of an operator
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("to").required(true).multiple(true))]
pub struct Push {
    /// The product's id
    #[arg(long)]
    product: String,
    /// The proposed amount
    #[arg(long)]
    amount: Money,
    /// A recipient; may be repeated
    #[arg(long = "user", value_name = "USER", group = "to")]
    users: Vec<String>,
    /// Recipients are the followers of this operator; with users, the operator in whose name they get it
    #[arg(long, default_value = "", group = "to")]
    operator: String,
    /// Advertising content, as text
    #[arg(long, default_value = "")]
    content: String,
    /// Delivery rule, as text
    #[arg(long, default_value = "")]
    rule: String,
    /// JSON file with the audience, as in the REST contract; by default the product's audience
    #[arg(long)]
    targeting: Option<PathBuf>,
    #[command(flatten)]
    change: Change,
}

impl Push {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let targeting = self
            .targeting
            .map(|file| read_json::<AudienceFile>(&file)?.into_audience())
            .transpose()?;
        let message = PushPlanRequest {
            product_id: self.product,
            amount_minor: self.amount.minor(),
            user_ids: self.users,
            operator_id: self.operator,
            put_content: self.content,
            put_rule: self.rule,
            user_targeting: targeting,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.plan_admin, push_plan, caller, message)?;
        let rows = answer.items.into_iter().map(|pushed| {
            vec![
                ("user_id", json!(pushed.user_id)),
                ("plan_id", json!(pushed.plan_id)),
            ]
        });
        self.change.format.list(rows.collect());
        Ok(())
    }
}

/// Lists plans
#[derive(Args, Debug)]
pub struct List {
    /// Only those of this user
    #[arg(long, default_value = "")]
    user: String,
    /// Only plans with this status, for example putting
    #[arg(long, value_parser = names::parse::<PlanStatus>)]
    status: Option<PlanStatus>,
    /// Only the plan with this number
    #[arg(long, default_value = "")]
    number: String,
    /// Only official or non_official plans
    #[arg(long, value_parser = names::parse::<PushFilter>)]
    push: Option<PushFilter>,
    #[command(flatten)]
    listing: Listing,
}

impl List {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let request = AdminListPlansRequest {
            user_id: self.user,
            status: names::filter(self.status),
            plan_number: self.number,
            page: None,
            push: names::filter(self.push),
        };
        let request = &request;
        let plans = list!(
            services.plan_admin,
            admin_list_plans,
            operator(),
            request,
            self.listing.max
        )
        .await?;
        self.listing.print(&plans, row);
        Ok(())
    }
}

/// Shows a plan and its timeline
#[derive(Args, Debug)]
pub struct Show {
    /// The plan's id
    plan_id: String,
    #[command(flatten)]
    format: Format,
}

impl Show {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = AdminGetPlanRequest {
            plan_id: self.plan_id,
        };
        let answer = ask!(services.plan_admin, admin_get_plan, operator(), message)?;
        let plan = answer.plan.context("the answer has no plan")?;
        let steps: Vec<_> = answer
            .timeline
            .into_iter()
            .map(|step| json!({"status": name::<PlanStatus>(step.status), "time": time(step.time), "reason": text(&step.reason)}))
            .collect();
        let (fail_reason, settle_time) = (text(&plan.fail_reason), time(plan.settle_time));
        let mut shown = row(&plan);
        shown.extend([
            ("fail_reason", fail_reason),
            ("settle_time", settle_time),
            ("timeline", json!(steps)),
        ]);
        self.format.one(shown);
        Ok(())
    }
}

/// Ends the delivery of a plan
#[derive(Args, Debug)]
pub struct Finish {
    /// The plan's id
    plan_id: String,
    /// Outcome: put_finished or put_failed
    #[arg(value_parser = names::parse::<FinishOutcome>)]
    outcome: FinishOutcome,
    #[command(flatten)]
    change: Change,
}

impl Finish {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = FinishPlanRequest {
            plan_id: self.plan_id,
            outcome: self.outcome.into(),
            reason: self.change.reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.plan_admin, finish_plan, caller, message)?;
        show(&self.change, answer.plan)
    }
}

/// Settles a plan that is waiting for settlement
#[derive(Args, Debug)]
pub struct Settle {
    /// The plan's id
    plan_id: String,
    #[command(flatten)]
    change: Change,
}

impl Settle {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = SettlePlanRequest {
            plan_id: self.plan_id,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.plan_admin, settle_plan, caller, message)?;
        show(&self.change, answer.plan)
    }
}

fn show(change: &Change, plan: Option<Plan>) -> anyhow::Result<()> {
    change
        .format
        .one(row(&plan.context("the answer has no plan")?));
    Ok(())
}

fn row(plan: &Plan) -> Row {
    vec![
        ("id", json!(plan.id)),
        ("plan_number", json!(plan.plan_number)),
        ("user_id", json!(plan.user_id)),
        ("product", json!(plan.product_name)),
        ("status", name::<PlanStatus>(plan.status)),
        ("official", json!(plan.official)),
        ("put_amount", money(plan.put_amount_minor)),
        ("consumed", money(plan.consumed_minor)),
        ("revenue", money(plan.revenue_minor)),
        ("impressions", json!(plan.impressions)),
        ("clicks", json!(plan.clicks)),
        ("create_time", time(plan.create_time)),
    ]
}
