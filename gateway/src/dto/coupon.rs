//! Coupons and campaigns.

use adfolio_proto::coupon::v1 as coupon;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Money, PageLimit, Timestamp, TimestampInput, each, non_empty, wire_enum};
use crate::errors::Failure;

wire_enum! {
    /// Type of a coupon, as shown.
    CouponType = coupon::CouponType {
        /// Value-added voucher.
        Increment,
        /// Deduction voucher.
        Deduction,
        /// Team coupon.
        Team,
        /// Custom coupon.
        Custom,
        /// Fixed-amount coupon.
        FixedAmount,
    }
}

wire_enum! {
    /// What a coupon does to a put.
    CouponMode = coupon::CouponMode {
        /// Takes a percentage off what the user pays.
        Discount,
        /// Takes a fixed amount off what the user pays.
        Deduction,
        /// Adds a fixed amount to the budget; the user pays all of the amount.
        Addition,
    }
}

wire_enum! {
    /// Who may claim from a campaign, and how a user came by a coupon.
    CampaignKind = coupon::CampaignKind {
        /// Every user once, over all campaigns of this kind.
        NewUser,
        /// Every user, one coupon of the same name a day.
        Periodic,
        /// Only granted by staff.
        Staff,
    }
}

wire_enum! {
    /// Where a coupon stands.
    CouponState = coupon::CouponState {
        /// Can be used.
        Unused,
        /// Used.
        Used,
        /// Expired unused.
        Expired,
    }
}

/// What a coupon is worth: money (`"50.00"`), or a percentage (`"10%"`, `"12.5%"`) when its mode is discount.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(value_type = String, pattern = r"^\d+\.\d{2}$|^\d+(\.\d{1,2})?%$", example = "10%")]
pub struct CouponValue(String);

impl CouponValue {
    /// From the two forms of a service's message.
    pub fn from_proto(mode: CouponMode, value_minor: i64, basis_points: u32) -> Self {
        match mode {
            CouponMode::Discount => Self(percent_text(basis_points)),
            CouponMode::Deduction | CouponMode::Addition => {
                Self(Money::from_minor(value_minor).to_string())
            }
        }
    }
}

/// Hundredths of a percent as `10%`, `12.5%`, `0.25%`.
pub fn percent_text(basis_points: u32) -> String {
    // Dividing by a constant that is not zero.
    let (whole, hundredths) = (basis_points / 100, basis_points % 100);
    if hundredths == 0 {
        return format!("{whole}%");
    }
    let decimals = format!("{hundredths:02}");
    format!("{whole}.{}%", decimals.trim_end_matches('0'))
}

/// `10%` or `12.5%` in hundredths of a percent, above 0 and up to 100 %.
pub fn parse_percent(text: &str) -> Option<u32> {
    let number: adfolio_money::Money = text.strip_suffix('%')?.parse().ok()?;
    u32::try_from(number.minor())
        .ok()
        .filter(|basis_points| (1..=10_000).contains(basis_points))
}

/// A user's coupon.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Coupon {
    /// Opaque id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e33")]
    pub id: String,
    /// Name shown.
    #[schema(example = "Welcome 10%")]
    pub name: String,
    /// Type shown.
    #[serde(rename = "type")]
    pub kind: CouponType,
    /// What it does.
    pub mode: CouponMode,
    /// What it is worth.
    #[schema(example = "10%")]
    pub value: CouponValue,
    /// Least put amount it can be used with.
    #[schema(example = "200.00")]
    pub amount_requirement: Money,
    /// When it expires.
    pub expires_at: Timestamp,
    /// Where it stands.
    pub state: CouponState,
    /// When it was used.
    #[schema(required = true)]
    pub used_at: Option<Timestamp>,
    /// The plan it was used for.
    #[schema(required = true)]
    pub plan_id: Option<String>,
    /// How the user came by it.
    pub source: CampaignKind,
}

impl Coupon {
    /// From a service's message.
    pub fn from_proto(coupon: coupon::Coupon) -> Result<Self, Failure> {
        let mode = CouponMode::from_wire(coupon.mode)?;
        Ok(Self {
            id: coupon.id,
            name: coupon.name,
            kind: CouponType::from_wire(coupon.r#type)?,
            mode,
            value: CouponValue::from_proto(mode, coupon.value_minor, coupon.value_basis_points),
            amount_requirement: Money::from_minor(coupon.amount_requirement_minor),
            expires_at: Timestamp::required(coupon.expires_at, "expires_at")?,
            state: CouponState::from_wire(coupon.state)?,
            used_at: Timestamp::optional(coupon.used_at)?,
            plan_id: non_empty(coupon.plan_id),
            source: CampaignKind::from_wire(coupon.source)?,
        })
    }
}

/// How many coupons stand where.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct CouponCounts {
    /// Unused.
    pub unused: i64,
    /// Used.
    pub used: i64,
    /// Expired.
    pub expired: i64,
}

impl CouponCounts {
    /// From a service's message; a state that is not there counts zero.
    pub fn from_proto(counts: Vec<coupon::StateCount>) -> Result<Self, Failure> {
        let mut all = Self::default();
        for count in counts {
            match CouponState::from_wire(count.state)? {
                CouponState::Unused => all.unused = count.count,
                CouponState::Used => all.used = count.count,
                CouponState::Expired => all.expired = count.count,
            }
        }
        Ok(all)
    }
}

/// A campaign as a user sees it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Claimable {
    /// The campaign.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35")]
    pub campaign_id: String,
    /// Name shown.
    #[schema(example = "Welcome 10%")]
    pub name: String,
    /// New-user or periodic.
    pub kind: CampaignKind,
    /// What its coupons do.
    pub mode: CouponMode,
    /// What they are worth.
    #[schema(example = "10%")]
    pub value: CouponValue,
    /// Whether the caller has claimed it; for a periodic one, today.
    pub claimed: bool,
}

impl Claimable {
    /// From a service's message.
    pub fn from_proto(claimable: coupon::Claimable) -> Result<Self, Failure> {
        let mode = CouponMode::from_wire(claimable.mode)?;
        Ok(Self {
            campaign_id: claimable.campaign_id,
            name: claimable.name,
            kind: CampaignKind::from_wire(claimable.kind)?,
            mode,
            value: CouponValue::from_proto(
                mode,
                claimable.value_minor,
                claimable.value_basis_points,
            ),
            claimed: claimable.claimed,
        })
    }
}

/// A page of coupons.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CouponPage {
    /// The coupons, newest first.
    pub items: Vec<Coupon>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
    /// Counts by state.
    pub counts: CouponCounts,
    /// What can be claimed now, or was.
    pub claimable: Vec<Claimable>,
}

impl CouponPage {
    /// From a service's message.
    pub fn from_proto(response: coupon::ListCouponsResponse) -> Result<Self, Failure> {
        Ok(Self {
            items: each(response.items, Coupon::from_proto)?,
            next_cursor: non_empty(response.next_cursor),
            counts: CouponCounts::from_proto(response.counts)?,
            claimable: each(response.claimable, Claimable::from_proto)?,
        })
    }
}

/// Asks for the caller's coupons.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CouponListQuery {
    /// The state; unused when absent.
    pub state: Option<CouponState>,
    /// Position from the page before (`next_cursor`); absent asks for the first page.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Rows wanted; 20 when absent.
    pub limit: Option<PageLimit>,
}

/// Claims a coupon.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ReceiveCouponRequest {
    /// The campaign; the new-user coupon when absent.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35")]
    pub campaign_id: Option<String>,
}

/// A campaign as staff see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Campaign {
    /// Opaque id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35")]
    pub id: String,
    /// Name shown on its coupons.
    #[schema(example = "Welcome 10%")]
    pub name: String,
    /// Type shown.
    #[serde(rename = "type")]
    pub coupon_type: CouponType,
    /// What its coupons do.
    pub mode: CouponMode,
    /// What they are worth.
    #[schema(example = "10%")]
    pub value: CouponValue,
    /// Least put amount.
    #[schema(example = "200.00")]
    pub amount_requirement: Money,
    /// Who may claim.
    pub kind: CampaignKind,
    /// Days a coupon is valid after it is claimed.
    #[schema(example = 30)]
    pub valid_days: u32,
    /// How many coupons in all; null for no limit.
    #[schema(required = true)]
    pub total: Option<i64>,
    /// How many have been claimed.
    #[schema(example = 0)]
    pub claimed: i64,
    /// When claiming begins; null for at once.
    #[schema(required = true)]
    pub starts_at: Option<Timestamp>,
    /// When claiming ends; null for never.
    #[schema(required = true)]
    pub ends_at: Option<Timestamp>,
}

impl Campaign {
    /// From a service's message.
    pub fn from_proto(campaign: coupon::Campaign) -> Result<Self, Failure> {
        let mode = CouponMode::from_wire(campaign.mode)?;
        Ok(Self {
            id: campaign.id,
            name: campaign.name,
            coupon_type: CouponType::from_wire(campaign.r#type)?,
            mode,
            value: CouponValue::from_proto(mode, campaign.value_minor, campaign.value_basis_points),
            amount_requirement: Money::from_minor(campaign.amount_requirement_minor),
            kind: CampaignKind::from_wire(campaign.kind)?,
            valid_days: campaign.valid_days,
            total: (campaign.total != 0).then_some(campaign.total),
            claimed: campaign.claimed,
            starts_at: Timestamp::optional(campaign.starts_at)?,
            ends_at: Timestamp::optional(campaign.ends_at)?,
        })
    }
}

/// A page of campaigns.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CampaignPage {
    /// The campaigns, newest first.
    pub items: Vec<Campaign>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// Creates a campaign.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateCampaignRequest {
    /// Name shown on its coupons.
    #[schema(example = "Welcome 10%")]
    pub name: String,
    /// Type shown.
    #[serde(rename = "type")]
    pub coupon_type: CouponType,
    /// What its coupons do.
    pub mode: CouponMode,
    /// What they are worth: a percentage (`"10%"`, up to two decimals) when the mode is discount, else money.
    #[schema(schema_with = value_input_schema)]
    pub value: ValueInput,
    /// Least put amount.
    #[schema(example = "200.00")]
    pub amount_requirement: super::MoneyInput,
    /// Who may claim.
    pub kind: CampaignKind,
    /// Days a coupon is valid after it is claimed.
    #[schema(example = 30, minimum = 1)]
    pub valid_days: u32,
    /// How many coupons in all; no limit when absent.
    #[schema(minimum = 1)]
    pub total: Option<CampaignTotal>,
    /// When claiming begins; at once when absent.
    pub starts_at: Option<TimestampInput>,
    /// When claiming ends; never when absent.
    pub ends_at: Option<TimestampInput>,
}

/// How many coupons a campaign has: at least 1.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(try_from = "i64")]
#[schema(value_type = i64, minimum = 1, example = 1000)]
pub struct CampaignTotal(i64);

impl CampaignTotal {
    /// The number.
    pub fn get(self) -> i64 {
        self.0
    }
}

impl TryFrom<i64> for CampaignTotal {
    type Error = &'static str;

    fn try_from(value: i64) -> Result<Self, Self::Error> {
        if value >= 1 {
            Ok(Self(value))
        } else {
            Err("below 1")
        }
    }
}

/// Money or a percentage, as it came in.
#[derive(Clone, Debug)]
pub enum ValueInput {
    /// An amount in minor units.
    Money(i64),
    /// Hundredths of a percent.
    BasisPoints(u32),
}

impl<'de> Deserialize<'de> for ValueInput {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let raw = Box::<serde_json::value::RawValue>::deserialize(deserializer)?;
        let text: String =
            serde_json::from_str(raw.get()).or_else(|_| match raw.get().as_bytes().first() {
                Some(b'0'..=b'9') => Ok(raw.get().to_owned()),
                _ => Err(D::Error::custom("neither money nor a percentage")),
            })?;
        if text.ends_with('%') {
            return parse_percent(&text)
                .map(Self::BasisPoints)
                .ok_or_else(|| D::Error::custom("not a percentage"));
        }
        let money: adfolio_money::Money = text.parse().map_err(D::Error::custom)?;
        Ok(Self::Money(money.minor()))
    }
}

fn value_input_schema() -> utoipa::openapi::schema::Schema {
    use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
    OneOfBuilder::new()
        .item(
            ObjectBuilder::new()
                .schema_type(Type::String)
                .pattern(Some(r"^\d+(\.\d{1,2})?%?$")),
        )
        .item(
            ObjectBuilder::new()
                .schema_type(Type::Number)
                .minimum(Some(0.0)),
        )
        .description(Some(
            "A percentage (`\"10%\"`, up to two decimals) when the mode is discount, else money.",
        ))
        .examples([serde_json::json!("10%")])
        .build()
        .into()
}
