//! What this service announces. An event is written in the transaction of its change, under the lock of the coupon that it
//! is about, so the events of one coupon leave in the order of its changes.

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::{self, Event};
use adfolio_kit::wire::timestamp;
use adfolio_money::Money;
use adfolio_proto::events::v1 as wire;

use crate::coupon::entity::Coupon;
use crate::error::CouponError;
use crate::ids::{CampaignId, CouponId, OrderId};

const CLAIMED: &str = "adfolio.coupon.v1.CouponClaimed";
const REDEEMED: &str = "adfolio.coupon.v1.CouponRedeemed";
const GRANTED: &str = "adfolio.coupon.v1.CouponGranted";
const RELEASED: &str = "adfolio.coupon.v1.CouponReleased";

/// Staff gave a user a coupon.
pub async fn granted_in_tx(
    tx: &mut Tx,
    campaign: CampaignId,
    coupon: &Coupon,
) -> Result<(), CouponError> {
    let data = wire::CouponGranted {
        coupon_id: coupon.id.to_string(),
        campaign_id: campaign.to_string(),
        user_id: coupon.user.to_string(),
        name: coupon.terms.name.clone(),
        expires_at: Some(timestamp(coupon.expires_at)),
    };
    Ok(outbox::enqueue_in_tx(tx, &[Event::new(GRANTED, coupon.user, &data)?]).await?)
}

/// A user came by a coupon.
pub async fn claimed_in_tx(
    tx: &mut Tx,
    user: UserId,
    campaign: CampaignId,
    coupon: CouponId,
) -> Result<(), CouponError> {
    let data = wire::CouponClaimed {
        coupon_id: coupon.to_string(),
        campaign_id: campaign.to_string(),
        user_id: user.to_string(),
    };
    Ok(outbox::enqueue_in_tx(tx, &[Event::new(CLAIMED, user, &data)?]).await?)
}

/// A coupon was used.
pub async fn redeemed_in_tx(
    tx: &mut Tx,
    user: UserId,
    order: OrderId,
    coupon: CouponId,
    discount: Money,
) -> Result<(), CouponError> {
    let data = wire::CouponRedeemed {
        coupon_id: coupon.to_string(),
        order_id: order.to_string(),
        user_id: user.to_string(),
        discount_minor: discount.minor(),
    };
    Ok(outbox::enqueue_in_tx(tx, &[Event::new(REDEEMED, user, &data)?]).await?)
}

/// A coupon was given back.
pub async fn released_in_tx(
    tx: &mut Tx,
    user: UserId,
    order: OrderId,
    coupon: CouponId,
) -> Result<(), CouponError> {
    let data = wire::CouponReleased {
        coupon_id: coupon.to_string(),
        order_id: order.to_string(),
        user_id: user.to_string(),
    };
    Ok(outbox::enqueue_in_tx(tx, &[Event::new(RELEASED, user, &data)?]).await?)
}
