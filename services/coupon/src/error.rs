//! What can go wrong here, and the only mapping of it to a status.

use adfolio_kit::error::CoreError;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::{Money, MoneyError};
use tonic::Status;

/// What can go wrong in coupon.
#[derive(Debug, thiserror::Error)]
pub enum CouponError {
    /// What can go wrong in every service.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// No such campaign, or none that users may claim from.
    #[error("no such campaign")]
    CampaignUnknown,
    /// The campaign has not begun or is over.
    #[error("the campaign is not open")]
    CampaignClosed,
    /// All coupons of the campaign are claimed.
    #[error("the campaign is exhausted")]
    CampaignExhausted,
    /// The user has had the new-user coupon.
    #[error("the new-user coupon was claimed before")]
    AlreadyClaimed,
    /// The user has had a coupon of this name today.
    #[error("a coupon of this name was claimed today")]
    NameClaimedToday,
    /// No such coupon, or another user's.
    #[error("no such coupon")]
    CouponUnknown,
    /// The coupon is used, expired or reserved for another order.
    #[error("the coupon cannot be used")]
    NotUsable,
    /// The amount is below the coupon's requirement by so much.
    #[error("the amount is {0} below the coupon's requirement")]
    BelowRequirement(Money),
    /// No coupon was reserved for the order, or it is another user's order.
    #[error("no such order")]
    OrderUnknown,
    /// The order was released; it stays so.
    #[error("the order was released")]
    OrderClosed,
    /// The order was reserved before with another coupon or amount.
    #[error("the order was reserved with other terms")]
    OrderDiffers,
    /// An amount does not fit.
    #[error("amount out of range")]
    Amount(#[from] MoneyError),
}

adfolio_kit::core_error!(CouponError);

impl CouponError {
    /// The answer to the caller, if this is a refusal.
    pub fn refusal(&self) -> Option<Refusal> {
        let refusal = match self {
            Self::Core(core) => return core.refusal().cloned(),
            Self::CampaignUnknown => Refusal::not_found("campaign_id"),
            // The campaign exists, so this is not NOT_FOUND: its coupons cannot be had, now or any more.
            Self::CampaignClosed | Self::CampaignExhausted => {
                Refusal::new(Reason::CouponNotUsable).field("campaign_id")
            }
            Self::AlreadyClaimed => Refusal::new(Reason::CouponAlreadyClaimed),
            Self::NameClaimedToday => Refusal::new(Reason::CouponNameClaimedToday),
            Self::CouponUnknown => Refusal::not_found("user_coupon_id"),
            Self::NotUsable => Refusal::new(Reason::CouponNotUsable).field("user_coupon_id"),
            Self::BelowRequirement(missing) => Refusal::new(Reason::CouponBelowRequirement)
                .field("amount")
                .missing(*missing),
            Self::OrderUnknown => Refusal::not_found("order_id"),
            Self::OrderClosed => Refusal::new(Reason::CouponNotUsable).field("order_id"),
            Self::OrderDiffers => Refusal::new(Reason::IdempotencyKeyReused).field("order_id"),
            Self::Amount(_) => Refusal::invalid("amount"),
        };
        Some(refusal.detail(self.to_string()))
    }
}

impl From<CouponError> for Status {
    fn from(error: CouponError) -> Self {
        match error {
            CouponError::Core(core) => core.into(),
            refused => refused.refusal().map_or_else(
                || adfolio_kit::refusal::internal_status(&refused),
                Status::from,
            ),
        }
    }
}
