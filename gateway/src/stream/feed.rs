//! Passes events on to streams.

use adfolio_kit::consumer::EventSink;
use adfolio_kit::outbox::{CloudEvent, subject_of};
use adfolio_proto::events::v1::{PlanStatusChanged, TransactionPosted};
use uuid::Uuid;

use super::change::Change;
use super::{ANNOUNCEMENTS, Streams};

/// Transactions that change the metrics of a plan.
const OF_PLANS: [&str; 5] = ["hold", "consume", "accrue", "release", "settle"];

/// Consumes the events of users with streams.
pub(super) struct Feed(pub(super) Streams);

impl EventSink for Feed {
    fn on_gap(&mut self) {
        // Sessions revoked in the meantime must not be used. Everything else is announced once each user is
        // subscribed again.
        self.0.0.sessions.doubt_all();
        for streams in self.0.lock().values_mut() {
            streams.heard = false;
            for signal in &streams.signals {
                signal.doubted.notify_one();
            }
        }
    }

    fn on_interest(&mut self, key: &str) {
        let Some(user) = subject_of(key) else {
            return;
        };
        if let Some(streams) = self.0.lock().get_mut(&user) {
            streams.heard = true;
            for signal in &streams.signals {
                signal.raise(&[Change::Everything]);
                signal.doubted.notify_one();
            }
        }
    }

    fn on_event(&mut self, event: CloudEvent) {
        if event.event_type == ANNOUNCEMENTS {
            let users = self.0.lock();
            let signals = users.values().flat_map(|streams| &streams.signals);
            signals.for_each(|signal| signal.raise(&[Change::Unread]));
            return;
        }
        let Ok(user) = event.subject.parse::<Uuid>() else {
            return;
        };
        let ends_sessions = matches!(
            event.event_type.as_str(),
            "adfolio.auth.v1.SessionsRevoked" | "adfolio.auth.v1.AccountStateChanged"
        );
        if ends_sessions {
            // Before the streams check their session: they must not get a cached answer.
            self.0.0.sessions.forget(user);
        }
        let changes = changes_of(&event);
        let users = self.0.lock();
        for signal in users.get(&user).into_iter().flat_map(|one| &one.signals) {
            if !changes.is_empty() {
                signal.raise(&changes);
            }
            if ends_sessions {
                signal.doubted.notify_one();
            }
        }
    }
}

/// What pages must hear of an event.
fn changes_of(event: &CloudEvent) -> Vec<Change> {
    match event.event_type.as_str() {
        "adfolio.notification.v1.InboxChanged" => vec![Change::Unread],
        "adfolio.wallet.v1.TransactionPosted" => {
            let posted: TransactionPosted = event.data().unwrap_or_default();
            let wallet = Change::Wallet(Some(posted.sequence));
            if OF_PLANS.contains(&posted.r#type.as_str()) {
                vec![wallet, plan(event, &posted.reference)]
            } else {
                vec![wallet]
            }
        }
        "adfolio.wallet.v1.WithdrawalStatusChanged" | "adfolio.wallet.v1.WalletSecurityChanged" => {
            vec![Change::Wallet(None)]
        }
        "adfolio.plan.v1.PlanStatusChanged" => {
            let changed: PlanStatusChanged = event.data().unwrap_or_default();
            vec![plan(event, &changed.plan_id)]
        }
        _ => Vec::new(),
    }
}

/// A change of the plan with this id. What plan and wallet say of it has no number in common, so its sequence is the time of
/// the event in microseconds.
fn plan(event: &CloudEvent, id: &str) -> Change {
    id.parse().map_or(Change::Plans, |id| Change::Plan {
        id,
        sequence: event.time.timestamp_micros(),
    })
}
