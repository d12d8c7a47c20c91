//! Identifiers of this service.

adfolio_kit::ids! {
    /// A product.
    ProductId;
    /// A proxy operator.
    OperatorId;
    /// One stretch of following an operator.
    FollowId;
    /// An order, which people call a plan.
    OrderId;
    /// A put: one attempt to put money into an order.
    PutId;
    /// A file of reports that staff imported.
    ImportId;
    /// A report in quarantine.
    QuarantinedId;
    /// Reports that one transaction took.
    BatchId;
    /// A network, which shows advertisements.
    NetworkId;
    /// A placement of a network.
    PlacementId;
    /// What a plan may spend on a placement in a round.
    AllotmentId;
    /// The placements that plans choose from in a round.
    MenuId;
    /// A coupon that a user holds.
    CouponId;
    /// The id by which coupon knows an order: the order's own, or the put's after an earlier put
    /// returned a coupon.
    ReservationId;
}
