//! `adfolioctl coupon`.

use adfolio_money::Money;
use adfolio_proto::coupon::v1::{
    Campaign, CampaignKind, CampaignState, CouponMode, CouponState, CouponType,
    CreateCampaignRequest, GrantCouponRequest, ListCampaignsRequest,
};
use anyhow::{Context as _, bail};
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::names::{self, money, name, time};
use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, list, operator};

/// Coupons and their campaigns
#[derive(Debug, Subcommand)]
pub enum CouponCommand {
    /// Campaigns
    #[command(subcommand)]
    Campaign(CampaignCommand),
    /// Grants a user a coupon of a campaign
    Grant(Grant),
}

/// Campaigns
#[derive(Debug, Subcommand)]
pub enum CampaignCommand {
    /// Lists campaigns
    List(Listing),
    /// Creates a campaign
    Create(Box<Create>),
}

impl CouponCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::Campaign(CampaignCommand::List(listing)) => list(services, listing).await,
            Self::Campaign(CampaignCommand::Create(create)) => create.run(services).await,
            Self::Grant(grant) => grant.run(services).await,
        }
    }
}

/// Creates a campaign
#[derive(Args, Debug)]
pub struct Create {
    /// Name of its coupons
    #[arg(long)]
    name: String,
    /// Type: increment, deduction, team, custom or fixed_amount
    #[arg(long = "type", value_parser = names::parse::<CouponType>)]
    coupon_type: CouponType,
    /// Mode: discount, deduction or addition
    #[arg(long, value_parser = names::parse::<CouponMode>)]
    mode: CouponMode,
    /// Value of a coupon: an amount, or a percentage like 5% or 7.5%
    #[arg(long)]
    value: String,
    /// Minimum put amount of a coupon
    #[arg(long, default_value = "0")]
    amount_requirement: Money,
    /// How users get a coupon: new_user, periodic or staff
    #[arg(long, value_parser = names::parse::<CampaignKind>)]
    kind: CampaignKind,
    /// Days for which a coupon is valid
    #[arg(long)]
    valid_days: u32,
    /// Maximum number of coupons; 0 for no limit
    #[arg(long, default_value_t = 0)]
    total: i64,
    /// When it begins; immediately by default
    #[arg(long)]
    starts_at: Option<DateTime<Utc>>,
    /// When it ends; never by default
    #[arg(long)]
    ends_at: Option<DateTime<Utc>>,
    #[command(flatten)]
    change: Change,
}

impl Create {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let value = Worth::parse(&self.value)?;
        let (value_minor, value_basis_points) = match value {
            Worth::Amount(amount) => (amount.minor(), 0),
            Worth::Share(basis_points) => (0, basis_points),
        };
        let campaign = Campaign {
            name: self.name,
            r#type: self.coupon_type.into(),
            mode: self.mode.into(),
            value_minor,
            value_basis_points,
            amount_requirement_minor: self.amount_requirement.minor(),
            kind: self.kind.into(),
            valid_days: self.valid_days,
            total: self.total,
            starts_at: self.starts_at.map(Into::into),
            ends_at: self.ends_at.map(Into::into),
            ..Campaign::default()
        };
        let message = CreateCampaignRequest {
            campaign: Some(campaign),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.coupon_admin, create_campaign, caller, message)?;
        let created = answer.campaign.context("the answer has no campaign")?;
        self.change.format.one(row(&created));
        Ok(())
    }
}

/// Grants a user a coupon of a campaign
#[derive(Args, Debug)]
pub struct Grant {
    /// The campaign's id
    campaign_id: String,
    /// The user's id
    user_id: String,
    #[command(flatten)]
    change: Change,
}

impl Grant {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = GrantCouponRequest {
            campaign_id: self.campaign_id,
            user_id: self.user_id,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.coupon_admin, grant_coupon, caller, message)?;
        let coupon = answer.coupon.context("the answer has no coupon")?;
        self.change.format.one(vec![
            ("id", json!(coupon.id)),
            ("name", json!(coupon.name)),
            ("state", name::<CouponState>(coupon.state)),
            ("expires_at", time(coupon.expires_at)),
        ]);
        Ok(())
    }
}

async fn list(services: &Services, listing: Listing) -> anyhow::Result<()> {
    let message = ListCampaignsRequest { page: None };
    let campaigns = list!(
        services.coupon_admin,
        list_campaigns,
        operator(),
        message,
        listing.max
    )
    .await?;
    listing.print(&campaigns, row);
    Ok(())
}

fn row(campaign: &Campaign) -> Row {
    let total = match campaign.total {
        0 => Value::Null,
        total => json!(total),
    };
    let value = match campaign.value_basis_points {
        0 => money(campaign.value_minor),
        points => json!(format!("{}.{:02}%", points / 100, points % 100)),
    };
    vec![
        ("id", json!(campaign.id)),
        ("name", json!(campaign.name)),
        ("type", name::<CouponType>(campaign.r#type)),
        ("mode", name::<CouponMode>(campaign.mode)),
        ("value", value),
        (
            "amount_requirement",
            money(campaign.amount_requirement_minor),
        ),
        ("kind", name::<CampaignKind>(campaign.kind)),
        ("valid_days", json!(campaign.valid_days)),
        ("claimed", json!(campaign.claimed)),
        ("total", total),
        ("starts_at", time(campaign.starts_at)),
        ("ends_at", time(campaign.ends_at)),
        ("state", name::<CampaignState>(campaign.state)),
    ]
}

/// The value of a coupon.
#[derive(Debug, PartialEq, Eq)]
enum Worth {
    Amount(Money),
    /// In basis points.
    Share(u32),
}

impl Worth {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let Some(percent) = text.strip_suffix('%') else {
            return Ok(Self::Amount(text.parse()?));
        };
        // A percentage with two decimals is parsed like an amount in cents.
        let basis_points = percent.parse::<Money>()?.minor();
        match u32::try_from(basis_points) {
            Ok(points) if (1..=10_000).contains(&points) => Ok(Self::Share(points)),
            _ => bail!("{text} is no share"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worth_is_an_amount_or_a_share() {
        assert_eq!(Worth::parse("7.5%").ok(), Some(Worth::Share(750)));
        assert_eq!(
            Worth::parse("20").ok(),
            Some(Worth::Amount(Money::from_minor(2_000)))
        );
        for wrong in ["", "%", "0%", "100.01%", "-1", "x"] {
            assert!(Worth::parse(wrong).is_err(), "{wrong}");
        }
    }
}
