//! Passes events on to streams.

use adfolio_kit::consumer::EventSink;
use adfolio_kit::outbox::{CloudEvent, subject_of};
use adfolio_proto::events::v1::TransactionPosted;
use uuid::Uuid;

use super::{ANNOUNCEMENTS, Kinds, Streams};

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
                signal.raise(Kinds::ALL);
                signal.doubted.notify_one();
            }
        }
    }

    fn on_event(&mut self, event: CloudEvent) {
        if event.event_type == ANNOUNCEMENTS {
            let users = self.0.lock();
            let signals = users.values().flat_map(|streams| &streams.signals);
            signals.for_each(|signal| signal.raise(Kinds::UNREAD));
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
        let kinds = kinds_of(&event);
        let users = self.0.lock();
        for signal in users.get(&user).into_iter().flat_map(|one| &one.signals) {
            if let Some(kinds) = kinds {
                signal.raise(kinds);
            }
            if ends_sessions {
                signal.doubted.notify_one();
            }
        }
    }
}

/// What pages must refetch after an event.
fn kinds_of(event: &CloudEvent) -> Option<Kinds> {
    match event.event_type.as_str() {
        "adfolio.notification.v1.InboxChanged" => Some(Kinds::UNREAD),
        "adfolio.wallet.v1.TransactionPosted" => {
            let posted = event.data::<TransactionPosted>();
            let of_a_plan = posted.is_ok_and(|posted| OF_PLANS.contains(&posted.r#type.as_str()));
            Some(if of_a_plan {
                Kinds::WALLET.and(Kinds::PLAN)
            } else {
                Kinds::WALLET
            })
        }
        "adfolio.wallet.v1.WithdrawalStatusChanged" | "adfolio.wallet.v1.WalletSecurityChanged" => {
            Some(Kinds::WALLET)
        }
        "adfolio.plan.v1.PlanStatusChanged" => Some(Kinds::PLAN),
        _ => None,
    }
}
