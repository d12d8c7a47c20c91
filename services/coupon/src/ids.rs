//! Identifiers, one type each, so that none is taken for another.

use std::fmt;

use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta] $name:ident;)*) => {$(
        #[$doc]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    )*};
}

id! {
    /// A campaign.
    CampaignId;
    /// A user's coupon.
    CouponId;
    /// An order of the plan service that a coupon is used for.
    OrderId;
}
