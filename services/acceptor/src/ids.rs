//! Identifiers of this service.

adfolio_kit::ids! {
    /// An acceptor.
    AcceptorId;
    /// An offer behind an acceptance code.
    OfferId;
    /// An exchange order. Wallet knows the order by it, too.
    ExchangeId;
    /// A member of staff.
    StaffId;
}
