//! The areas of the API.

/// Start of the path, name and description. The first match of a path counts; a name is described once.
const TAGS: &[(&str, &str, &str)] = &[
    (
        "/admin/login",
        "staff accounts",
        "Staff sessions, staff accounts and licence keys.",
    ),
    ("/admin/logout", "staff accounts", ""),
    ("/admin/staff", "staff accounts", ""),
    ("/admin/license", "staff accounts", ""),
    ("/admin/audit", "staff accounts", ""),
    (
        "/admin/user",
        "staff users",
        "Users, as staff see and change them.",
    ),
    ("/admin/pay_password", "staff users", ""),
    (
        "/admin/wallet",
        "staff wallet",
        "Postings, withdrawals and reconciliation.",
    ),
    ("/admin/withdraw", "staff wallet", ""),
    ("/admin/approval", "staff wallet", ""),
    ("/admin/coupon", "staff coupons", "Coupon campaigns."),
    (
        "/admin/accept",
        "staff exchange",
        "Acceptors, acceptance codes and exchange orders.",
    ),
    ("/admin/exchange", "staff exchange", ""),
    (
        "/admin/content",
        "staff content",
        "Texts that staff edit, notifications and feedback.",
    ),
    ("/admin/notification", "staff content", ""),
    ("/admin/feedback", "staff content", ""),
    (
        "/admin",
        "staff plans",
        "Products, operators, plans and delivery reports.",
    ),
    ("/plan", "plans", "Products and plans."),
    ("/ad/order", "plans", ""),
    ("/assistance", "plans", ""),
    (
        "/user/property",
        "wallet",
        "Wallet balances, fund details, withdrawals and the transaction password.",
    ),
    ("/user/withdraw", "wallet", ""),
    ("/check/password", "wallet", ""),
    ("/set/password", "wallet", ""),
    ("/bank_card", "wallet", ""),
    ("/transaction_flow", "wallet", ""),
    ("/user_coupon", "coupons", "The caller's coupons."),
    (
        "/user/notifications",
        "notifications",
        "The caller's inbox, and feedback.",
    ),
    ("/feedback", "notifications", ""),
    ("/acceptor", "exchange", "Foreign exchange."),
    ("/", "account", "Registration, login, profile."),
];

/// The area of a path.
pub(super) fn of(path: &str) -> &'static str {
    TAGS.iter()
        .find(|(start, _, _)| path.starts_with(start))
        .map_or("account", |(_, name, _)| name)
}

/// Every area and its description.
pub(super) fn described() -> impl Iterator<Item = (&'static str, &'static str)> {
    TAGS.iter()
        .filter(|(_, _, text)| !text.is_empty())
        .map(|(_, name, text)| (*name, *text))
}
