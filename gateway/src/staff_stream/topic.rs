//! What a page of the console shows, and which events change it.

use adfolio_kit::audit::STAFF_ACTED;
use adfolio_kit::identity::StaffRole;
use adfolio_kit::names;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::{StaffActed, WalletSecurityChanged};

use crate::route::{ADMIN, ANY_ROLE, FINANCE, SUPPORT};

/// The events that change a page, as a consumer binds to them.
pub(super) const EVENTS: [&str; 10] = [
    STAFF_ACTED,
    "adfolio.auth.v1.AccountStateChanged",
    "adfolio.auth.v1.SessionsRevoked",
    "adfolio.auth.v1.UserRegistered",
    "adfolio.wallet.v1.WalletSecurityChanged",
    "adfolio.wallet.v1.WithdrawalStatusChanged",
    "adfolio.acceptor.v1.ExchangeStatusChanged",
    "adfolio.plan.v1.PlanStatusChanged",
    "adfolio.plan.v1.PlanSupplyChanged",
    "adfolio.plan.v1.ReportsQuarantined",
];

/// The end of every type of [`STAFF_ACTED`].
const ACTED: &str = ".StaffActed";

names! {
    /// What a page shows.
    Topic {
        /// Withdrawals.
        Withdrawals,
        /// Requests that need another member of staff.
        Approvals,
        /// Account statements and their lines.
        BankLines,
        /// Payment batches.
        PaymentBatches,
        /// Frozen wallets.
        Freezes,
        /// Exchange orders.
        ExchangeOrders,
        /// Acceptors and their codes.
        Acceptors,
        /// Feedback.
        Feedback,
        /// Imports of delivery.
        DeliveryImports,
        /// Reports in quarantine.
        QuarantinedReports,
        /// Sources of reports.
        Sources,
        /// Networks, placements and prices.
        Supply,
        /// Plans.
        Plans,
        /// Products.
        Products,
        /// Operators.
        Operators,
        /// Campaigns.
        Campaigns,
        /// Announcements.
        Announcements,
        /// Texts.
        Content,
        /// Users.
        Users,
        /// Licence keys.
        Licenses,
        /// Members of staff.
        Staff,
        /// Hosts.
        Hosts,
        /// The audit log.
        Audit,
    }
}

impl Topic {
    /// Who may open the list, and where it is.
    pub fn list(self) -> (&'static [StaffRole], &'static str) {
        match self {
            Self::Withdrawals => (FINANCE, "/admin/withdraw/list"),
            Self::Approvals => (FINANCE, "/admin/approval/list"),
            Self::BankLines => (FINANCE, "/admin/bank/statements"),
            Self::PaymentBatches => (FINANCE, "/admin/payment_batch/list"),
            Self::Freezes => (ANY_ROLE, "/admin/wallet/freezes"),
            Self::ExchangeOrders => (FINANCE, "/admin/exchange/list"),
            Self::Acceptors => (ANY_ROLE, "/admin/acceptor/list"),
            Self::Feedback => (SUPPORT, "/admin/feedback/list"),
            Self::DeliveryImports => (ANY_ROLE, "/admin/delivery/imports"),
            Self::QuarantinedReports => (ANY_ROLE, "/admin/delivery/quarantine/list"),
            Self::Sources => (ANY_ROLE, "/admin/source/list"),
            Self::Supply => (ANY_ROLE, "/admin/network/list"),
            Self::Plans => (ANY_ROLE, "/admin/plan/list"),
            Self::Products => (ANY_ROLE, "/admin/product/list"),
            Self::Operators => (ANY_ROLE, "/admin/operator/list"),
            Self::Campaigns => (ANY_ROLE, "/admin/coupon/campaign/list"),
            Self::Announcements => (SUPPORT, "/admin/announcement/list"),
            Self::Content => (ANY_ROLE, "/admin/content"),
            Self::Users => (ANY_ROLE, "/admin/user/list"),
            Self::Licenses => (SUPPORT, "/admin/license/list"),
            Self::Staff => (ADMIN, "/admin/staff/list"),
            Self::Hosts => (ADMIN, "/admin/host/list"),
            Self::Audit => (ADMIN, "/admin/audit/list"),
        }
    }

    /// Whether a role hears of it.
    pub fn is_for(self, role: StaffRole) -> bool {
        self.list().0.contains(&role)
    }
}

/// What an event changes.
pub(super) fn changed_by(event: &CloudEvent) -> Vec<Topic> {
    match event.event_type.as_str() {
        "adfolio.auth.v1.AccountStateChanged" => vec![Topic::Users],
        "adfolio.auth.v1.UserRegistered" => vec![Topic::Users, Topic::Licenses],
        "adfolio.wallet.v1.WithdrawalStatusChanged" => vec![Topic::Withdrawals],
        "adfolio.wallet.v1.WalletSecurityChanged" => {
            let changed = event.data::<WalletSecurityChanged>();
            let is_freeze = |change: &str| matches!(change, "wallet_frozen" | "wallet_unfrozen");
            match changed {
                Ok(changed) if !is_freeze(&changed.change) => Vec::new(),
                _ => vec![Topic::Freezes],
            }
        }
        "adfolio.acceptor.v1.ExchangeStatusChanged" => vec![Topic::ExchangeOrders],
        "adfolio.plan.v1.PlanStatusChanged" | "adfolio.plan.v1.PlanSupplyChanged" => {
            vec![Topic::Plans]
        }
        "adfolio.plan.v1.ReportsQuarantined" => {
            vec![Topic::QuarantinedReports, Topic::DeliveryImports]
        }
        other if other.ends_with(ACTED) => {
            let acted = event.data::<StaffActed>().unwrap_or_default();
            let mut topics = acted_on(&acted.action).to_vec();
            topics.push(Topic::Audit);
            topics
        }
        _ => Vec::new(),
    }
}

/// What an act of staff changes besides the audit log. What has an event of its own may be named twice; a read changes
/// nothing.
fn acted_on(action: &str) -> &'static [Topic] {
    let (service, act) = action.split_once('.').unwrap_or_default();
    let about = |part: &str| act.contains(part);
    match service {
        // What a second person approves or refuses may be the deposit of a line.
        "wallet" if about("approval") => &[Topic::Approvals, Topic::BankLines],
        "wallet" if about("bank_") || act == "deposit" => &[Topic::BankLines],
        "wallet" if about("payment_batch") || about("take_out") || about("taken_out") => {
            &[Topic::PaymentBatches, Topic::Withdrawals]
        }
        "wallet" if about("withdrawal") => &[Topic::Withdrawals],
        "wallet" if about("freeze") => &[Topic::Freezes],
        "acceptor" if about("exchange") || about("completion") => &[Topic::ExchangeOrders],
        "acceptor" => &[Topic::Acceptors],
        "plan" if about("quarantined") => &[Topic::QuarantinedReports],
        "plan" if about("report_source") => &[Topic::Sources],
        "plan" if about("network") || about("placement") => &[Topic::Supply],
        "plan" if about("product") => &[Topic::Products],
        "plan" if about("operator") => &[Topic::Operators],
        "plan" if about("delivery") || about("import") => &[Topic::DeliveryImports],
        "plan" => &[Topic::Plans],
        "coupon" => &[Topic::Campaigns],
        "notification" if about("feedback") => &[Topic::Feedback],
        "notification" if about("content") => &[Topic::Content],
        "notification" if about("announcement") || act == "create" => &[Topic::Announcements],
        "auth" if about("host") => &[Topic::Hosts],
        "auth" if about("license") => &[Topic::Licenses],
        "auth" if about("staff") || about("second_factor") => &[Topic::Staff],
        "auth" if about("set_user") || about("unlock_user") => &[Topic::Users],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::Access;
    use crate::routes::table;

    #[test]
    fn a_role_hears_of_what_it_may_open() {
        let routes = table();
        for topic in Topic::ALL {
            let (roles, path) = topic.list();
            let mut reads = routes.iter().filter(|route| route.path == path);
            assert!(
                reads.any(|route| route.access == Access::Staff(roles)),
                "{topic:?}"
            );
        }
    }

    #[test]
    fn acts_change_the_pages_that_show_them() {
        for (action, topics) in [
            (
                "wallet.approval_requested",
                &[Topic::Approvals, Topic::BankLines][..],
            ),
            ("wallet.withdrawal_paid", &[Topic::Withdrawals]),
            ("wallet.bank_statement_kept", &[Topic::BankLines]),
            ("wallet.bank_line_set_aside", &[Topic::BankLines]),
            (
                "wallet.payment_batch_released",
                &[Topic::PaymentBatches, Topic::Withdrawals],
            ),
            (
                "wallet.withdrawal_taken_out",
                &[Topic::PaymentBatches, Topic::Withdrawals],
            ),
            ("wallet.payment_file_read", &[]),
            ("wallet.unfreeze", &[Topic::Freezes]),
            ("wallet.deposit", &[Topic::BankLines]),
            ("wallet.read_destinations", &[]),
            ("acceptor.ask_completion", &[Topic::ExchangeOrders]),
            ("acceptor.issue_code", &[Topic::Acceptors]),
            ("plan.import_delivery", &[Topic::DeliveryImports]),
            ("plan.release_quarantined", &[Topic::QuarantinedReports]),
            ("plan.add_report_source_key", &[Topic::Sources]),
            ("plan.set_placement_price", &[Topic::Supply]),
            ("plan.settlement_requested", &[Topic::Plans]),
            ("coupon.release_campaign", &[Topic::Campaigns]),
            ("notification.feedback_close", &[Topic::Feedback]),
            ("notification.create", &[Topic::Announcements]),
            ("notification.announcement_edit", &[Topic::Announcements]),
            ("notification.read_notices", &[]),
            ("auth.create_host_token", &[Topic::Hosts]),
            ("auth.staff_login", &[Topic::Staff]),
            ("auth.read_user", &[]),
            ("no action", &[]),
        ] {
            assert_eq!(acted_on(action), topics, "{action}");
        }
    }
}
