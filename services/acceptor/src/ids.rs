//! Identifiers of this service.

adfolio_kit::ids! {
    /// An acceptor.
    AcceptorId;
    /// An offer behind an acceptance code.
    OfferId;
    /// An exchange order. Wallet knows the order by it, too.
    ExchangeId;
    /// An attempt to take the money of an order once more. Wallet knows it, too.
    AttemptId;
    /// A member of staff.
    StaffId;
}
