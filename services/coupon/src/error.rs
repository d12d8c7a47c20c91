//! What can go wrong here, and the only mapping of it to a status.

use adfolio_kit::audit::AuditError;
use adfolio_kit::idempotency::ClaimError;
use adfolio_kit::outbox::EventError;
use adfolio_kit::refusal::{self, Reason, Refusal};
use adfolio_money::MoneyError;
use tonic::Status;

/// What can go wrong in the coupon service.
#[derive(Debug, thiserror::Error)]
pub enum CouponError {
    /// An input out of form, a role that is missing, an idempotency key used for something else.
    #[error(transparent)]
    Refused(#[from] Refusal),
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
    /// The amount is below what the coupon asks for.
    #[error("the amount is below the coupon's requirement")]
    BelowRequirement,
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
    /// The database failed.
    #[error("cannot use the database")]
    Database(#[from] sqlx::Error),
    /// Auth could not be asked, or did not answer in time.
    #[error("auth did not answer")]
    Auth(#[source] Box<Status>),
    /// What staff did could not be announced.
    #[error("cannot announce what staff did")]
    Audit(#[source] AuditError),
    /// An event could not be written.
    #[error("cannot write the event")]
    Event(#[from] EventError),
    /// A stored answer could not be read.
    #[error("cannot read the stored answer")]
    StoredAnswer(#[from] prost::DecodeError),
    /// A row holds what this version does not know.
    #[error("column {0} holds an unknown value")]
    UnknownColumnValue(&'static str),
}

impl From<AuditError> for CouponError {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Database(error) => Self::Database(error),
            AuditError::Serialise(_) => Self::Audit(error),
        }
    }
}

impl From<ClaimError> for CouponError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Refused(refusal) => Self::Refused(refusal),
            ClaimError::Database(error) => Self::Database(error),
        }
    }
}

impl CouponError {
    /// The answer to the caller, if this is an answer of the business.
    pub fn refusal(&self) -> Option<Refusal> {
        let refusal = match self {
            Self::Refused(refusal) => return Some(refusal.clone()),
            Self::CampaignUnknown => Refusal::not_found("campaign_id"),
            // The campaign is there, so it is no NOT_FOUND: its coupons cannot be had, now or any more.
            Self::CampaignClosed | Self::CampaignExhausted => {
                Refusal::new(Reason::CouponNotUsable).field("campaign_id")
            }
            Self::AlreadyClaimed => Refusal::new(Reason::CouponAlreadyClaimed),
            Self::NameClaimedToday => Refusal::new(Reason::CouponNameClaimedToday),
            Self::CouponUnknown => Refusal::not_found("user_coupon_id"),
            Self::NotUsable => Refusal::new(Reason::CouponNotUsable).field("user_coupon_id"),
            Self::BelowRequirement => Refusal::new(Reason::CouponBelowRequirement).field("amount"),
            Self::OrderUnknown => Refusal::not_found("order_id"),
            Self::OrderClosed => Refusal::new(Reason::CouponNotUsable).field("order_id"),
            Self::OrderDiffers => Refusal::new(Reason::IdempotencyKeyReused).field("order_id"),
            Self::Amount(_) => Refusal::invalid("amount"),
            Self::Database(_)
            | Self::Auth(_)
            | Self::Audit(_)
            | Self::Event(_)
            | Self::StoredAnswer(_)
            | Self::UnknownColumnValue(_) => return None,
        };
        Some(refusal.detail(self.to_string()))
    }

    /// The status of a failed `operation`.
    pub fn into_status(self, operation: &'static str) -> Status {
        match (self.refusal(), &self) {
            (Some(refusal), _) => refusal.into(),
            (None, Self::Database(error)) => refusal::database_status(error, operation),
            (None, Self::Auth(_)) => refusal::unavailable_status(&self, operation),
            (None, _) => refusal::internal_status(&self, operation),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_fails_under_the_audit_entry_is_unavailable() {
        let broken = AuditError::Database(sqlx::Error::PoolTimedOut);
        assert_eq!(
            CouponError::from(broken).into_status("decide").code(),
            tonic::Code::Unavailable
        );
    }
}
