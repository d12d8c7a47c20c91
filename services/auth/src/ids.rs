//! Identifiers of this service. A user's is kit's, because every service has it.

adfolio_kit::ids! {
    /// A session of a user or a member of staff.
    SessionId;
    /// An e-mail address that a user had before.
    FormerEmailId;
    /// A code that confirms an e-mail address.
    EmailCodeId;
    /// A native host shell.
    HostId;
    /// A licence key.
    LicenseKeyId;
    /// A claim of a member of staff on an item.
    ClaimId;
    /// A passkey of a member of staff.
    PasskeyId;
    /// A member of staff.
    StaffId;
}
