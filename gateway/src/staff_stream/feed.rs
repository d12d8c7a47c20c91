//! Passes events on to the streams of staff.

use adfolio_kit::consumer::EventSink;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::SessionsRevoked;
use uuid::Uuid;

use super::StaffStreams;
use super::topic::{Topic, changed_by};

const SESSIONS_REVOKED: &str = "adfolio.auth.v1.SessionsRevoked";

/// Consumes the events that change a page.
pub(super) struct Feed(pub(super) StaffStreams);

impl EventSink for Feed {
    fn on_gap(&mut self) {
        // What was missed is announced once the queue is bound to the events again.
        self.0.0.sessions.doubt_all();
        for stream in self.0.lock().values().flatten() {
            stream.doubted.notify_one();
        }
    }

    fn on_interest(&mut self, _: &str) {
        for stream in self.0.lock().values().flatten() {
            stream.raise(Topic::ALL);
        }
    }

    fn on_event(&mut self, event: CloudEvent) {
        if event.event_type == SESSIONS_REVOKED {
            let revoked = event.data::<SessionsRevoked>().unwrap_or_default();
            if let Ok(staff) = revoked.user_id.parse::<Uuid>() {
                let streams = self.0.lock();
                let of_staff = streams.get(&staff).into_iter().flatten();
                for stream in of_staff {
                    // Before the stream checks its session: it must not get a cached answer.
                    self.0.0.sessions.forget(staff);
                    stream.doubted.notify_one();
                }
            }
            return;
        }
        let topics = changed_by(&event);
        for stream in self.0.lock().values().flatten() {
            stream.raise(&topics);
        }
    }
}
