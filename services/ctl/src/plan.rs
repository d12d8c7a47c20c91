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
use crate::services::{Change, Listing, Services, ask, operator, order};

/// Plans
#[derive(Debug, Subcommand)]
pub enum PlanCommand {
    /// Pushes a plan to users, or to the followers of an operator
    Push(Push),
    /// Lists plans
    List(List),
    /// Shows a plan and the steps of its life
    Show(Show),
    /// Ends the delivery of a plan
    Finish(Finish),
    /// Settles a plan that waits for it
    Settle(Settle),
}

impl PlanCommand {
    /// Does it.
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
    /// What is to be put
    #[arg(long)]
    amount: Money,
    /// To this user; may be given several times
    #[arg(long = "user", value_name = "USER", group = "to")]
    users: Vec<String>,
    /// To the followers of this operator, or, with users, in this operator's name
    #[arg(long, default_value = "", group = "to")]
    operator: String,
    /// What is shown
    #[arg(long, default_value = "")]
    content: String,
    /// How it is put
    #[arg(long, default_value = "")]
    rule: String,
    /// JSON file with whom to reach, as in the REST contract; by default the product's audience
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
        let answer = order!(services.plan_admin, push_plan, caller, message);
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
    /// Only this user's
    #[arg(long, default_value = "")]
    user: String,
    /// Only this status, for example putting
    #[arg(long, value_parser = names::parse::<PlanStatus>)]
    status: Option<PlanStatus>,
    /// Only this plan number
    #[arg(long, default_value = "")]
    number: String,
    /// Only official or non_official ones
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
        let plans = self
            .listing
            .items(|page| async move {
                let message = AdminListPlansRequest {
                    page: Some(page),
                    ..request.clone()
                };
                let answer = ask!(services.plan_admin, admin_list_plans, operator(), message)?;
                Ok((answer.items, answer.next_cursor))
            })
            .await?;
        let rows = plans.iter().map(row).collect();
        self.listing.format.list(rows);
        Ok(())
    }
}

/// Shows a plan and the steps of its life
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
        let answer = order!(services.plan_admin, admin_get_plan, operator(), message);
        let plan = answer.plan.context("no plan was answered")?;
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
    /// How it ended: put_finished or put_failed
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
        let answer = order!(services.plan_admin, finish_plan, caller, message);
        show(&self.change, answer.plan)
    }
}

/// Settles a plan that waits for it
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
        let answer = order!(services.plan_admin, settle_plan, caller, message);
        show(&self.change, answer.plan)
    }
}

fn show(change: &Change, plan: Option<Plan>) -> anyhow::Result<()> {
    change
        .format
        .one(row(&plan.context("no plan was answered")?));
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
