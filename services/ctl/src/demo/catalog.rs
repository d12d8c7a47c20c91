//! The content of the demo data.

use adfolio_proto::acceptor::v1::AcceptorKind;
use adfolio_proto::common::v1::{Audience, Gender};
use adfolio_proto::coupon::v1::{Campaign, CampaignKind, CouponMode, CouponType};
use adfolio_proto::plan::v1::{ContentType, PlanStatus, Product};

/// The advertiser's login name.
pub const ADVERTISER: &str = "demo";

/// The advertiser's password. It is public, for installations that only this machine can reach.
pub const ADVERTISER_PASSWORD: &str = "adfolio-demo-1";

/// The key that opens the advertiser's account.
pub const ADVERTISER_KEY: &str = "DEMO-LICENSE-OWNER";

/// Unused keys, numbered from 1.
pub const LICENSE_KEYS: u32 = 20;

/// The opening deposit.
pub const DEPOSIT_MINOR: i64 = 500_000;
/// Who decides about what adfolioctl asks for.
pub const SECOND_ADMIN: &str = "admin2";

/// MD5 of the advertiser's transaction password 246810, as a client sends it.
pub const PAY_PASSWORD_MD5: &str = "b6af3f19458ec8e6faff8ee1e0440ecb";

/// The pending withdrawal.
pub const WITHDRAWAL_MINOR: i64 = 15_000;

/// The proxy operator.
pub const OPERATOR: &str = "Northwind Media";

/// The new-user campaign.
pub const WELCOME: &str = "New-user support";

/// How long the acceptors' offers are valid.
pub const OFFER_MONTHS: u32 = 60;

/// A demo plan: product, amount and status.
#[derive(Clone, Copy, Debug)]
pub struct DemoPlan {
    /// Its name in keys and reports.
    pub name: &'static str,
    /// Index of its product in [`products`].
    pub product: usize,
    /// The amount. It is unique per product, so that a plan is found by it.
    pub amount_minor: i64,
    /// Its status.
    pub status: PlanStatus,
    /// Share of the budget that delivery has consumed, in percent.
    pub consumed_percent: u8,
    /// Cost of a thousand impressions, in minor units.
    pub cpm_minor: u32,
    /// Clicks of ten thousand impressions.
    pub clicks_per_10000: u32,
    /// Revenue per hundred units of spend.
    pub revenue_percent: u32,
}

impl DemoPlan {
    /// Whether the operator pushed it.
    pub fn is_official(&self) -> bool {
        self.status == PlanStatus::Waiting
    }
}

/// A plan in every lasting status.
pub const PLANS: [DemoPlan; 6] = [
    DemoPlan {
        name: "settled",
        product: 0,
        amount_minor: 60_000,
        status: PlanStatus::Settled,
        consumed_percent: 100,
        cpm_minor: 240,
        clicks_per_10000: 142,
        revenue_percent: 117,
    },
    DemoPlan {
        name: "waiting-settlement",
        product: 1,
        amount_minor: 45_000,
        status: PlanStatus::WaitingSettlement,
        consumed_percent: 96,
        cpm_minor: 310,
        clicks_per_10000: 118,
        revenue_percent: 94,
    },
    DemoPlan {
        name: "putting",
        product: 2,
        amount_minor: 80_000,
        status: PlanStatus::Putting,
        consumed_percent: 62,
        cpm_minor: 275,
        clicks_per_10000: 163,
        revenue_percent: 109,
    },
    DemoPlan {
        name: "matching",
        product: 0,
        amount_minor: 30_000,
        status: PlanStatus::Matching,
        consumed_percent: 0,
        cpm_minor: 240,
        clicks_per_10000: 142,
        revenue_percent: 100,
    },
    DemoPlan {
        name: "put-failed",
        product: 1,
        amount_minor: 25_000,
        status: PlanStatus::PutFailed,
        consumed_percent: 0,
        cpm_minor: 310,
        clicks_per_10000: 118,
        revenue_percent: 100,
    },
    DemoPlan {
        name: "waiting",
        product: 2,
        amount_minor: 50_000,
        status: PlanStatus::Waiting,
        consumed_percent: 0,
        cpm_minor: 275,
        clicks_per_10000: 163,
        revenue_percent: 100,
    },
];

/// Three products of different kinds.
pub fn products() -> Vec<Product> {
    let audience = |regions: &[&str], age_min, age_max, gender: Gender| {
        let regions = regions.iter().map(|region| (*region).to_owned()).collect();
        Some(Audience {
            regions,
            age_min,
            age_max,
            gender: gender.into(),
        })
    };
    vec![
        Product {
            name: "Harbor Legends".to_owned(),
            category: "Strategy game".to_owned(),
            description: "A free mobile strategy game about building a trading port. Campaigns advertise the store page \
                          and the first-week starter bundle."
                .to_owned(),
            game_description: "Build a harbour, train crews and trade along forty sea routes. Seasonal events every six \
                               weeks, cooperative fleets of up to thirty players, no forced advertising in the game."
                .to_owned(),
            content_types: vec![ContentType::Video.into(), ContentType::LandingPage.into()],
            put_min_minor: 10_000,
            put_max_minor: 500_000,
            audience: audience(&["Germany", "France", "United Kingdom"], 18, 44, Gender::Any),
            ..Product::default()
        },
        Product {
            name: "Lumen Sleep".to_owned(),
            category: "Health app".to_owned(),
            description: "An app with guided evening routines and a sleep diary. Campaigns lead to the fourteen-day trial."
                .to_owned(),
            content_types: vec![ContentType::Video.into()],
            put_min_minor: 5_000,
            put_max_minor: 300_000,
            audience: audience(&["United States", "Canada"], 25, 60, Gender::Any),
            ..Product::default()
        },
        Product {
            name: "Verde Market".to_owned(),
            category: "Online shop".to_owned(),
            description: "Groceries from regional farms with delivery the next morning. Campaigns lead to the page of the \
                          week's box."
                .to_owned(),
            content_types: vec![ContentType::LandingPage.into()],
            put_min_minor: 5_000,
            put_max_minor: 400_000,
            audience: audience(&["Spain", "Portugal", "Italy"], 21, 65, Gender::Any),
            ..Product::default()
        },
    ]
}

/// A new-user and a periodic campaign, and one that staff grant from for each other type.
pub fn campaigns() -> Vec<Campaign> {
    vec![
        Campaign {
            name: WELCOME.to_owned(),
            r#type: CouponType::FixedAmount.into(),
            mode: CouponMode::Deduction.into(),
            value_minor: 2_000,
            amount_requirement_minor: 10_000,
            kind: CampaignKind::NewUser.into(),
            valid_days: 30,
            ..Campaign::default()
        },
        Campaign {
            name: "Weekday boost".to_owned(),
            r#type: CouponType::Deduction.into(),
            mode: CouponMode::Discount.into(),
            value_basis_points: 500,
            amount_requirement_minor: 20_000,
            kind: CampaignKind::Periodic.into(),
            valid_days: 7,
            ..Campaign::default()
        },
        granted(
            CouponType::Increment,
            CouponMode::Addition,
            "Growth bonus",
            3_000,
            30_000,
        ),
        granted(
            CouponType::Team,
            CouponMode::Deduction,
            "Team budget",
            1_500,
            15_000,
        ),
        granted(
            CouponType::Custom,
            CouponMode::Deduction,
            "Launch voucher",
            2_500,
            25_000,
        ),
    ]
}

/// A campaign that staff grant from.
fn granted(
    r#type: CouponType,
    mode: CouponMode,
    name: &str,
    value_minor: i64,
    amount_requirement_minor: i64,
) -> Campaign {
    Campaign {
        name: name.to_owned(),
        r#type: r#type.into(),
        mode: mode.into(),
        value_minor,
        amount_requirement_minor,
        kind: CampaignKind::Staff.into(),
        valid_days: 60,
        ..Campaign::default()
    }
}

/// An acceptor with its code.
#[derive(Clone, Copy, Debug)]
pub struct Acceptor {
    /// Person or enterprise.
    pub kind: AcceptorKind,
    /// Display name
    pub name: &'static str,
    /// Rating in tenths.
    pub rating_tenths: u32,
    /// The acceptance code, usable by anyone.
    pub code: &'static str,
    /// The other currency.
    pub currency: &'static str,
    /// Units of it for one unit of wallet money.
    pub rate: &'static str,
    /// Minimum wallet amount
    pub min_minor: i64,
    /// Maximum wallet amount
    pub max_minor: i64,
}

/// One of each kind.
pub const ACCEPTORS: [Acceptor; 2] = [
    Acceptor {
        kind: AcceptorKind::Personal,
        name: "Lena Hoffmann",
        rating_tenths: 47,
        code: "DEMO-PERSONAL",
        currency: "EUR",
        rate: "0.9185",
        min_minor: 5_000,
        max_minor: 200_000,
    },
    Acceptor {
        kind: AcceptorKind::Enterprise,
        name: "Meridian Exchange Ltd",
        rating_tenths: 49,
        code: "DEMO-ENTERPRISE",
        currency: "GBP",
        rate: "0.7812",
        min_minor: 20_000,
        max_minor: 2_000_000,
    },
];
