//! Identifiers of this service. A user's is kit's, because every service has it.

adfolio_kit::ids! {
    /// A transaction in the books.
    TransactionId;
    /// An order of plan that holds money.
    OrderId;
    /// A withdrawal.
    WithdrawalId;
    /// An exchange order of acceptor.
    ExchangeId;
    /// The order, withdrawal or exchange order that a transaction belongs to.
    ReferenceId;
    /// A posting of staff that needs the approval of another member of staff.
    ApprovalId;
    /// A freeze of a wallet.
    FreezeId;
    /// An account statement of the platform's bank.
    BankStatementId;
    /// A line of one.
    BankLineId;
    /// Withdrawals that are paid with one file.
    PaymentBatchId;
    /// An attempt at a transaction password.
    AttemptId;
    /// A member of staff.
    StaffId;
}
