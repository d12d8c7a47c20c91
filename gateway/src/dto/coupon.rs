//! Coupons.

use adfolio_proto::coupon::v1 as coupon;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Decode, Money, PageLimit, Timestamp, wire_enum, wire_struct};
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
    pub fn from_proto(mode: i32, value_minor: i64, basis_points: u32) -> Result<Self, Failure> {
        Ok(Self(match CouponMode::from_wire(mode)? {
            CouponMode::Discount => percent_text(basis_points),
            CouponMode::Deduction | CouponMode::Addition => {
                Money::from_minor(value_minor).to_string()
            }
        }))
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

wire_struct! {
    /// A user's coupon.
    pub struct Coupon = coupon::Coupon as coupon {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e33")]
        pub id: String,
        /// Name shown.
        #[schema(example = "Welcome 10%")]
        pub name: String,
        /// Type shown.
        #[serde(rename = "type")]
        pub kind: CouponType = r#type,
        /// What it does.
        pub mode: CouponMode,
        /// What it is worth.
        pub value: CouponValue = (CouponValue::from_proto(coupon.mode, coupon.value_minor, coupon.value_basis_points)?),
        /// Least put amount it can be used with.
        pub amount_requirement: Money = amount_requirement_minor,
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
        /// Name shown.
        #[schema(example = "Welcome 10%")]
        pub name: String,
        /// New-user or periodic.
        pub kind: CampaignKind,
        /// What its coupons do.
        pub mode: CouponMode,
        /// What they are worth.
        pub value: CouponValue = (CouponValue::from_proto(claimable.mode, claimable.value_minor, claimable.value_basis_points)?),
        /// Whether the caller has claimed it; for a periodic one, today.
        pub claimed: bool,
    }
}

wire_struct! {
    /// A page of coupons.
    pub struct CouponPage = coupon::ListCouponsResponse {
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
