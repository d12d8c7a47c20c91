//! When an open stream sends what has changed, checks its session, and ends.

use std::time::Duration;

use adfolio_kit::shutdown::Shutdown;
use tokio::time::{Instant, sleep_until};

use super::sse::{BEAT, BEAT_INTERVAL, CHECK_INTERVAL, GREETING};

/// The clock of one stream.
#[derive(Debug)]
pub struct Pace {
    end: Shutdown,
    /// Minimum interval between two events of the same stream.
    interval: Duration,
    greeted: bool,
    ends_at: Instant,
    check_at: Instant,
    beat_at: Instant,
    quiet_until: Instant,
}

/// What a stream does next.
#[derive(Clone, Copy, Debug)]
pub enum Turn {
    /// It sends these bytes, which carry no event.
    Send(&'static [u8]),
    /// It sends what has changed.
    SendChanges,
    /// It goes on only if its session still may.
    Check,
    /// It ends: of old age, or because the gateway shuts down.
    End,
}

impl Pace {
    /// A stream that begins now, and ends after `max_age` or with `end`.
    pub fn begin(end: Shutdown, max_age: Duration, interval: Duration) -> Self {
        let now = Instant::now();
        Self {
            end,
            interval,
            greeted: false,
            ends_at: now + max_age,
            check_at: now + CHECK_INTERVAL,
            beat_at: now + BEAT_INTERVAL,
            quiet_until: now,
        }
    }

    /// Waits for what is next. `changed` ends once something has changed, `doubted` once the session may have
    /// ended; both can be waited for again.
    pub async fn turn(
        &mut self,
        changed: impl Future<Output = ()>,
        doubted: impl Future<Output = ()>,
    ) -> Turn {
        if !self.greeted {
            self.greeted = true;
            return Turn::Send(GREETING);
        }
        let quiet_until = self.quiet_until;
        let due = async {
            changed.await;
            sleep_until(quiet_until).await;
        };
        let turn = tokio::select! {
            biased;
            () = self.end.cancelled() => Turn::End,
            () = sleep_until(self.ends_at) => Turn::End,
            () = doubted => Turn::Check,
            () = sleep_until(self.check_at) => Turn::Check,
            () = due => Turn::SendChanges,
            () = sleep_until(self.beat_at) => Turn::Send(BEAT),
        };
        let now = Instant::now();
        match turn {
            Turn::SendChanges => {
                self.quiet_until = now + self.interval;
                self.beat_at = now + BEAT_INTERVAL;
            }
            Turn::Send(_) => self.beat_at = now + BEAT_INTERVAL,
            Turn::Check => self.check_at = now + CHECK_INTERVAL,
            Turn::End => {}
        }
        turn
    }
}
