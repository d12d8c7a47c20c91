//! The caller's coupons.

use adfolio_kit::refusal::Reason;
use adfolio_proto::coupon::v1 as coupon;

use crate::call::{Call, send};
use crate::dto::coupon::{Coupon, CouponListQuery, CouponPage, ReceiveCouponRequest};
use crate::dto::{Decode, page};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/user_coupon/list",
            "listCoupons",
            "The caller's coupons of one state.",
            list,
        )
        .user(),
        Route::post(
            "/user_coupon/receive",
            "receiveCoupon",
            "Claims a coupon.",
            receive,
        )
        .user()
        .fails(&[
            Reason::NotFound,
            Reason::CouponAlreadyClaimed,
            Reason::CouponNameClaimedToday,
            Reason::CouponNotUsable,
        ])
        .says(Success::Claim)
        .keyed(),
    ]
}

async fn list(call: Call, Query(query): Query<CouponListQuery>) -> Result<CouponPage, Failure> {
    let message = coupon::ListCouponsRequest {
        state: query.state.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), coupon.list_coupons, message).await?;
    CouponPage::from_proto(response)
}

async fn receive(call: Call, Json(request): Json<ReceiveCouponRequest>) -> Result<Coupon, Failure> {
    let message = coupon::ReceiveCouponRequest {
        campaign_id: request.campaign_id.unwrap_or_default(),
    };
    let response = send!(call.writing(), coupon.receive_coupon, message).await?;
    Coupon::decode(response.coupon, "coupon")
}
