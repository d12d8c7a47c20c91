//! Coupons.

use adfolio_proto::coupon::v1 as coupon;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Decode, Money, PageLimit, Timestamp, wire_enum, wire_struct};
use crate::errors::Failure;

wire_enum! {
    /// Displayed type of a coupon.
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
    /// The effect of a coupon on a put.
    CouponMode = coupon::CouponMode {
        /// Reduces what the user pays by a percentage.
        Discount,
        /// Reduces what the user pays by a fixed amount.
        Deduction,
        /// Adds a fixed amount to the budget; the user pays all of the amount.
        Addition,
    }
}

wire_enum! {
    /// Who may claim from a campaign, and how a user got a coupon.
    CampaignKind = coupon::CampaignKind {
        /// Every user, once across all campaigns of this kind.
        NewUser,
        /// Every user, one coupon per name and day; the day is that of the time zone of the user's first claim.
        Periodic,
        /// Nobody; staff grant its coupons.
        Staff,
    }
}

wire_enum! {
    /// State of a coupon.
    CouponState = coupon::CouponState {
        /// Usable.
        Unused,
        /// Used.
        Used,
        /// Expired unused.
        Expired,
    }
}

/// Value of a coupon: a percentage (`"10%"`, `"12.5%"`) if its mode is discount, else money (`"50.00"`).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(value_type = String, pattern = r"^\d+\.\d{2}$|^\d+(\.\d{1,2})?%$", example = "10%")]
pub struct CouponValue(String);

impl CouponValue {
    /// From the fields of a service's message.
    pub fn from_proto(mode: i32, value_minor: i64, basis_points: u32) -> Result<Self, Failure> {
        Ok(Self(match CouponMode::from_wire(mode)? {
            CouponMode::Discount => percent_text(basis_points),
            CouponMode::Deduction | CouponMode::Addition => {
                Money::from_minor(value_minor).to_string()
            }
        }))
    }
}

/// Writes hundredths of a percent as `10%`, `12.5%`, `0.25%`.
pub fn percent_text(basis_points: u32) -> String {
    // Dividing by a constant that is not zero.
    let (whole, hundredths) = (basis_points / 100, basis_points % 100);
    if hundredths == 0 {
        return format!("{whole}%");
    }
    let decimals = format!("{hundredths:02}");
    format!("{whole}.{}%", decimals.trim_end_matches('0'))
}

/// Parses `10%` or `12.5%` to hundredths of a percent, above 0 and up to 100 %.
pub fn parse_percent(text: &str) -> Option<u32> {
    let number: adfolio_money::Money = text.strip_suffix('%')?.parse().ok()?;
    u32::try_from(number.minor())
        .ok()
        .filter(|basis_points| (1..=10_000).contains(basis_points))
}

wire_struct! {
    /// A user's coupon.
    pub struct Coupon = coupon::Coupon as coupon {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e33")]
        pub id: String,
        /// Display name.
        #[schema(example = "Welcome 10%")]
        pub name: String,
        /// Displayed type.
        #[serde(rename = "type")]
        pub kind: CouponType = r#type,
        /// Its effect.
        pub mode: CouponMode,
        /// Its value.
        pub value: CouponValue = (CouponValue::from_proto(coupon.mode, coupon.value_minor, coupon.value_basis_points)?),
        /// Minimum put amount it can be used with.
        pub amount_requirement: Money = amount_requirement_minor,
        /// When it expires.
        pub expires_at: Timestamp,
        /// Its state.
        pub state: CouponState,
        /// When it was used.
        #[schema(required = true)]
        pub used_at: Option<Timestamp>,
        /// The plan it was used for.
        #[schema(required = true)]
        pub plan_id: Option<String>,
        /// How the user got it.
        pub source: CampaignKind,
    }
}

/// Number of coupons by state.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct CouponCounts {
    /// Unused.
    pub unused: i64,
    /// Used.
    pub used: i64,
    /// Expired.
    pub expired: i64,
}

/// A state that is missing counts zero.
impl Decode<Vec<coupon::StateCount>> for CouponCounts {
    fn decode(counts: Vec<coupon::StateCount>, _: &'static str) -> Result<Self, Failure> {
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

wire_struct! {
    /// A campaign as a user sees it.
    pub struct Claimable = coupon::Claimable as claimable {
        /// The campaign.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35")]
        pub campaign_id: String,
        /// Display name.
        #[schema(example = "Welcome 10%")]
        pub name: String,
        /// New-user or periodic.
        pub kind: CampaignKind,
        /// Effect of its coupons.
        pub mode: CouponMode,
        /// Value of its coupons.
        pub value: CouponValue = (CouponValue::from_proto(claimable.mode, claimable.value_minor, claimable.value_basis_points)?),
        /// Displayed type of its coupons.
        #[serde(rename = "type")]
        pub coupon_type: CouponType = r#type,
        /// Minimum put amount they can be used with; 0.00 for none.
        pub amount_requirement: Money = amount_requirement_minor,
        /// Days that a coupon is valid after it is claimed.
        pub valid_days: u32,
        /// End of claiming; null for never.
        #[schema(required = true)]
        pub ends_at: Option<Timestamp>,
        /// Whether the caller has claimed it; for periodic campaigns, today in the time zone of the caller's first claim.
        pub claimed: bool,
    }
}

wire_struct! {
    /// A page of coupons.
    pub struct CouponPage = coupon::ListCouponsResponse {
        /// The coupons, newest first.
        pub items: Vec<Coupon>,
        /// Cursor of the next page; null on the last page.
        #[schema(required = true)]
        pub next_cursor: Option<String>,
        /// Counts by state.
        pub counts: CouponCounts,
        /// Campaigns that the caller can claim from, or has claimed from.
        pub claimable: Vec<Claimable>,
    }
}

/// Filters for the caller's coupons.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CouponListQuery {
    /// The state; unused if absent.
    pub state: Option<CouponState>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Claims a coupon.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ReceiveCouponRequest {
    /// The campaign; the new-user coupon if absent.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e35")]
    pub campaign_id: Option<String>,
}
