//! Coupon campaigns.

use adfolio_proto::coupon::v1 as coupon;
use serde::Deserialize;
use utoipa::ToSchema;

use super::coupon::{CampaignKind, CouponMode, CouponType, CouponValue, parse_percent};
use super::{Money, MoneyInput, Timestamp, TimestampInput, wire_enum, wire_struct};

wire_enum! {
    /// State of a campaign.
    CampaignState = coupon::CampaignState {
        /// Waiting for a second person; its coupons cannot be claimed or granted.
        Proposed,
        /// Its coupons can be claimed or granted.
        Released,
        /// Rejected by a second person; its coupons never can be.
        Rejected,
    }
}

wire_enum! {
    /// Decision of a second person about a campaign.
    CampaignDecision = coupon::CampaignDecision {
        /// Its coupons can be claimed and granted.
        Released,
        /// They never can.
        Rejected,
    }
}

wire_struct! {
    /// A campaign as staff see it.
    pub struct Campaign = coupon::Campaign as campaign {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35")]
        pub id: String,
        /// Display name of its coupons.
        #[schema(example = "Welcome 10%")]
        pub name: String,
        /// Displayed type.
        #[serde(rename = "type")]
        pub coupon_type: CouponType = r#type,
        /// Effect of its coupons.
        pub mode: CouponMode,
        /// Value of its coupons.
        pub value: CouponValue = (CouponValue::from_proto(campaign.mode, campaign.value_minor, campaign.value_basis_points)?),
        /// Minimum put amount.
        pub amount_requirement: Money = amount_requirement_minor,
        /// Who may claim.
        pub kind: CampaignKind,
        /// Days a coupon is valid after it is claimed.
        #[schema(example = 30)]
        pub valid_days: u32,
        /// Total number of coupons; null for unlimited.
        #[schema(required = true)]
        pub total: Option<i64> = ((campaign.total != 0).then_some(campaign.total)),
        /// Number of claimed coupons.
        #[schema(example = 0)]
        pub claimed: i64,
        /// When claiming begins; null for immediately.
        #[schema(required = true)]
        pub starts_at: Option<Timestamp>,
        /// When claiming ends; null for never.
        #[schema(required = true)]
        pub ends_at: Option<Timestamp>,
        /// Whether its coupons can be claimed or granted.
        pub state: CampaignState,
        /// The member of staff who created it.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
        pub created_by: String,
        /// The second person who decided about it; null while it is proposed, and for one that takes one.
        #[schema(required = true)]
        pub decided_by: Option<String>,
        /// When it was decided.
        #[schema(required = true)]
        pub decided_at: Option<Timestamp>,
        /// Coupons that are used; one that came back is not.
        #[schema(example = 0)]
        pub redeemed: i64,
        /// What they cost.
        pub redeemed_amount: Money = redeemed_minor,
        /// Coupons that expired unused.
        #[schema(example = 0)]
        pub expired: i64,
    }
}

/// Decides a proposed campaign.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DecideCampaignRequest {
    /// The campaign.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35")]
    pub id: String,
    /// The decision.
    pub decision: CampaignDecision,
    /// Reason, 1 to 500 characters; visible to staff only.
    #[schema(example = "Within the budget of the quarter")]
    pub reason: String,
}

/// Creates a campaign.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateCampaignRequest {
    /// Display name of its coupons.
    #[schema(example = "Welcome 10%")]
    pub name: String,
    /// Displayed type.
    #[serde(rename = "type")]
    pub coupon_type: CouponType,
    /// Effect of its coupons.
    pub mode: CouponMode,
    /// Value of its coupons: a percentage (`"10%"`, up to two decimals) if the mode is discount, else money.
    #[schema(schema_with = value_input_schema)]
    pub value: ValueInput,
    /// Minimum put amount.
    pub amount_requirement: MoneyInput,
    /// Who may claim.
    pub kind: CampaignKind,
    /// Days a coupon is valid after it is claimed.
    #[schema(example = 30, minimum = 1)]
    pub valid_days: u32,
    /// Total number of coupons; unlimited if absent.
    #[schema(minimum = 1)]
    pub total: Option<CampaignTotal>,
    /// When claiming begins; immediately if absent.
    pub starts_at: Option<TimestampInput>,
    /// When claiming ends; never if absent.
    pub ends_at: Option<TimestampInput>,
}

/// Grants a coupon.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct GrantCouponRequest {
    /// The campaign.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35")]
    pub campaign_id: String,
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
}

/// Number of coupons of a campaign: at least 1.
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

/// Money or a percentage in a request.
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
