//! Identifiers of this service.

adfolio_kit::ids! {
    /// A notice in a user's inbox, or an announcement to all.
    NoticeId;
    /// A member of staff.
    StaffId;
    /// Feedback of a user.
    FeedbackId;
    /// A mail to a user.
    MailId;
    /// A browser that is sent push messages.
    SubscriptionId;
    /// A push message to a browser.
    PushId;
}
