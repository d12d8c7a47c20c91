//! The areas of the API.

/// An area: name, description, and the starts of its paths.
type Area = (&'static str, &'static str, &'static [&'static str]);

/// The first match of a path counts.
#[rustfmt::skip]
const AREAS: &[Area] = &[
    ("staff accounts", "Staff sessions, staff accounts and licence keys.",
        &["/admin/login", "/admin/logout", "/admin/second_factor", "/admin/passkey", "/admin/staff", "/admin/license", "/admin/audit"]),
    ("staff users", "Users, as staff see and change them.", &["/admin/user", "/admin/pay_password"]),
    ("staff wallet", "Postings, withdrawals, bank files and reconciliation.", &[
        "/admin/wallet", "/admin/withdraw", "/admin/approval", "/admin/bank", "/admin/payment_batch", "/admin/platform",
    ]),
    ("staff coupons", "Coupon campaigns.", &["/admin/coupon"]),
    ("staff exchange", "Acceptors, acceptance codes and exchange orders.", &["/admin/accept", "/admin/exchange"]),
    ("staff content", "Texts that staff edit, notifications and feedback.",
        &["/admin/content", "/admin/notification", "/admin/announcement", "/admin/feedback"]),
    ("staff desk", "What waits for staff, who works on what, and what has changed.",
        &["/admin/today", "/admin/me", "/admin/claim", "/admin/stream"]),
    ("staff plans", "Products, operators, plans and delivery reports.", &["/admin"]),
    ("plans", "Products and plans.", &["/plan", "/ad/order", "/assistance"]),
    ("wallet", "Wallet balances, fund details, withdrawals and the transaction password.", &[
        "/user/property", "/user/withdraw", "/check/password", "/set/password", "/bank_card", "/transaction_flow",
        "/checkpoint",
    ]),
    ("coupons", "The caller's coupons.", &["/user_coupon"]),
    ("notifications", "The caller's inbox, and feedback.", &["/user/notifications", "/feedback"]),
    ("exchange", "Foreign exchange.", &["/acceptor"]),
    ("networks", "What ad networks are allotted, and what they report.", &["/network"]),
    ("account", "Registration, login, profile.", &["/"]),
];

/// The area of a path.
pub(super) fn of(path: &str) -> &'static str {
    AREAS
        .iter()
        .find(|(_, _, starts)| starts.iter().any(|start| path.starts_with(start)))
        .map_or("account", |(name, _, _)| name)
}

/// Every area and its description.
pub(super) fn described() -> impl Iterator<Item = (&'static str, &'static str)> {
    AREAS.iter().map(|(name, text, _)| (*name, *text))
}
