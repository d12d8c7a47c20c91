//! Identifiers of this service.

adfolio_kit::ids! {
    /// A campaign.
    CampaignId;
    /// A user's coupon.
    CouponId;
    /// A member of staff.
    StaffId;
    /// An order of plan that a coupon is used for.
    OrderId;
}
