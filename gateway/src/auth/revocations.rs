//! Revocations of sessions, by event.

use adfolio_kit::consumer::EventSink;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::{AccountStateChanged, SessionsRevoked};
use tracing::debug;

use crate::doubts::Doubts;

/// Consumes revocations.
pub(super) struct RevocationSink {
    doubts: Doubts,
}

impl RevocationSink {
    pub(super) fn new(doubts: Doubts) -> Self {
        Self { doubts }
    }
}

impl EventSink for RevocationSink {
    fn on_gap(&mut self) {
        self.doubts.clear();
    }

    fn on_event(&mut self, event: CloudEvent) {
        let user = match event.event_type.as_str() {
            "adfolio.auth.v1.SessionsRevoked" => event
                .data::<SessionsRevoked>()
                .map(|revoked| revoked.user_id),
            "adfolio.auth.v1.AccountStateChanged" => event
                .data::<AccountStateChanged>()
                .map(|changed| changed.user_id),
            _ => return,
        };
        if let Some(user) = user.ok().and_then(|id| id.parse().ok()) {
            self.doubts.mark(user);
        } else {
            // An unreadable event may concern any user.
            debug!(
                event_type = event.event_type,
                "revocation cannot be read, all sessions are doubted"
            );
            self.doubts.clear();
        }
    }
}
