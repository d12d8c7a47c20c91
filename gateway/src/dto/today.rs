//! Work that waits for staff.

use adfolio_kit::identity::StaffRole;
use adfolio_proto::common::v1 as common;
use adfolio_proto::plan::v1 as plan;
use adfolio_proto::wallet::v1 as wallet;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Timestamp, wire_enum, wire_struct};
use crate::alerts::Alert;
use crate::route::{ANY_ROLE, FINANCE, OPERATOR, SUPPORT};

wire_enum! {
    /// The kind of work.
    WaitingKind = common::WaitingKind {
        /// Pending withdrawals.
        Withdrawals,
        /// Requests that need another member of staff.
        Approvals,
        /// Open lines of account statements that were uploaded in the last 90 days.
        BankLines,
        /// Payment batches that wait for their release, or to be paid.
        PaymentBatches,
        /// Frozen wallets.
        Freezes,
        /// Pending exchange orders.
        ExchangeOrders,
        /// Open feedback.
        Feedback,
        /// Proposed imports of delivery.
        DeliveryImports,
        /// Reports in quarantine.
        QuarantinedReports,
        /// Plans whose time is over and that have not finished.
        PlansToFinish,
        /// Finished plans whose time of settlement is over and that have not settled.
        PlansToSettle,
        /// Proposed campaigns.
        Campaigns,
        /// Events that a service could not handle.
        DeadLetters,
    }
}

impl WaitingKind {
    /// Every one of them, in the order of the answer.
    pub const ALL: [Self; 13] = [
        Self::Withdrawals,
        Self::Approvals,
        Self::BankLines,
        Self::PaymentBatches,
        Self::Freezes,
        Self::ExchangeOrders,
        Self::Feedback,
        Self::DeliveryImports,
        Self::QuarantinedReports,
        Self::PlansToFinish,
        Self::PlansToSettle,
        Self::Campaigns,
        Self::DeadLetters,
    ];

    /// Who may open the list of these things, and where it is. There is none of dead letters: operators send them back
    /// with `adfolioctl dead`.
    pub fn list(self) -> (&'static [StaffRole], Option<&'static str>) {
        match self {
            Self::Withdrawals => (FINANCE, Some("/admin/withdraw/list")),
            Self::Approvals => (FINANCE, Some("/admin/approval/list")),
            Self::BankLines => (FINANCE, Some("/admin/bank/statements")),
            Self::PaymentBatches => (FINANCE, Some("/admin/payment_batch/list")),
            Self::Freezes => (ANY_ROLE, Some("/admin/wallet/freezes")),
            Self::ExchangeOrders => (FINANCE, Some("/admin/exchange/list")),
            Self::Feedback => (SUPPORT, Some("/admin/feedback/list")),
            Self::DeliveryImports => (ANY_ROLE, Some("/admin/delivery/imports")),
            Self::QuarantinedReports => (ANY_ROLE, Some("/admin/delivery/quarantine/list")),
            Self::PlansToFinish | Self::PlansToSettle => (ANY_ROLE, Some("/admin/plan/list")),
            Self::Campaigns => (ANY_ROLE, Some("/admin/coupon/campaign/list")),
            Self::DeadLetters => (OPERATOR, None),
        }
    }
}

/// Whether the service has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartState {
    /// It has.
    Known,
    /// It did not answer in time, or could not count.
    Unavailable,
}

/// Things of one kind that wait.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Waiting {
    /// What they are.
    pub kind: WaitingKind,
    /// Whether they could be counted. Of dead letters, all services must have counted theirs.
    pub state: PartState,
    /// How many, up to 10,000 of a service; null while that is unknown. Of dead letters that not all services have
    /// counted, how many are known of.
    #[schema(required = true, example = 3)]
    pub count: Option<i64>,
    /// Whether there are more than were counted.
    pub more: bool,
    /// Since when the oldest waits; null where nothing waits or that is unknown, as for dead letters always.
    #[schema(required = true)]
    pub oldest_at: Option<Timestamp>,
}

wire_struct! {
    /// How long a source of delivery reports is silent.
    pub struct SourceSilence = plan::SourceSilence {
        /// Its name.
        #[schema(example = "network-a")]
        pub source: String,
        /// When it last reported something that posted; null where that was never, or more than 35 days ago.
        #[schema(required = true)]
        pub reported_at: Option<Timestamp>,
    }
}

/// Sources of delivery reports.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Sources {
    /// Whether plan has answered.
    pub state: PartState,
    /// Registered sources and those of active networks, the longest silent first; at most 100.
    pub items: Vec<SourceSilence>,
    /// Whether there are more.
    pub more: bool,
}

/// The state of the books.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Books {
    /// Whether wallet has answered.
    pub state: PartState,
    /// When the books were last proved, in the background or by staff; null before the first proof.
    #[schema(required = true)]
    pub proved_at: Option<Timestamp>,
    /// Whether that proof found them in balance.
    #[schema(required = true)]
    pub balanced: Option<bool>,
    /// When the newest checkpoint was signed; null before the first one.
    #[schema(required = true)]
    pub checkpoint_at: Option<Timestamp>,
    /// Heads of chains in it.
    #[schema(required = true, example = 1204)]
    pub checkpoint_size: Option<i64>,
}

impl Books {
    /// From wallet's answer; none where it did not answer.
    pub fn of(answer: Option<&wallet::GetWaitingResponse>) -> Self {
        let time = |at: &Option<pbjson_types::Timestamp>| at.and_then(Timestamp::from_proto);
        let proved_at = answer.and_then(|answer| time(&answer.proved_at));
        let checkpoint_at = answer.and_then(|answer| time(&answer.checkpoint_at));
        let balanced = answer.map(|answer| answer.is_balanced);
        let size = answer.map(|answer| answer.checkpoint_size);
        Self {
            state: PartState::of(answer),
            proved_at,
            balanced: balanced.filter(|_| proved_at.is_some()),
            checkpoint_at,
            checkpoint_size: size.filter(|_| checkpoint_at.is_some()),
        }
    }
}

impl PartState {
    /// Of an answer.
    pub fn of<T>(answer: Option<&T>) -> Self {
        if answer.is_some() {
            Self::Known
        } else {
            Self::Unavailable
        }
    }
}

/// Whether there is something to ask for alerts, and whether it has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertsState {
    /// It has.
    Known,
    /// It did not answer in time.
    Unavailable,
    /// No Prometheus is configured.
    NotConfigured,
}

/// How urgent an alert is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertSeverity {
    /// It wakes somebody.
    Page,
    /// It waits for the working day.
    Ticket,
}

/// An alert that fires.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FiringAlert {
    /// Its name, under which the runbook says what to do.
    #[schema(example = "BooksDoNotBalance")]
    pub name: String,
    /// How urgent it is.
    pub severity: AlertSeverity,
    /// What is wrong, in English.
    #[schema(example = "The books do not balance (entries_sum_to_zero)")]
    pub summary: String,
    /// Since when its condition holds.
    pub since: Timestamp,
}

/// Alerts that fire.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FiringAlerts {
    /// Whether they are known.
    pub state: AlertsState,
    /// At most 20: those that wake somebody first, the oldest first among them.
    pub items: Vec<FiringAlert>,
    /// Whether there are more.
    pub more: bool,
}

impl FiringAlerts {
    /// How many are shown.
    const MAX: usize = 20;

    /// From what Prometheus answered; none where it did not.
    pub fn of(answer: Option<&[Alert]>, are_configured: bool) -> Self {
        let items = answer.unwrap_or_default();
        Self {
            state: match answer {
                Some(_) => AlertsState::Known,
                None if are_configured => AlertsState::Unavailable,
                None => AlertsState::NotConfigured,
            },
            items: items
                .iter()
                .take(Self::MAX)
                .map(|alert| FiringAlert {
                    name: alert.name.clone(),
                    severity: if alert.is_page {
                        AlertSeverity::Page
                    } else {
                        AlertSeverity::Ticket
                    },
                    summary: alert.summary.clone(),
                    since: Timestamp::from(alert.since),
                })
                .collect(),
            more: items.len() > Self::MAX,
        }
    }
}

/// The work that waits, of the kinds that the caller's role may see.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Today {
    /// When this was asked.
    pub at: Timestamp,
    /// By kind: each that the role may open.
    pub waiting: Vec<Waiting>,
    /// How long sources of delivery reports are silent.
    pub sources: Sources,
    /// The state of the books; null for a role that may not prove them.
    #[schema(required = true)]
    pub books: Option<Books>,
    /// Alerts that fire; null for a role that does not operate the services.
    #[schema(required = true)]
    pub alerts: Option<FiringAlerts>,
}
