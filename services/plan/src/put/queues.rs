//! The group commits of puts.

use std::time::Duration;

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, NoPrimary};
use adfolio_kit::deadline::Deadline;
use adfolio_kit::group_commit::{self, Limits, Metrics, NotCommitted, Queue, Writer};
use adfolio_kit::service::Backend;

use super::begin::{Asked, Begin};
use super::entity::Put;
use super::place::{Held, Place};
use crate::app::EncodePut;
use crate::config::Rules;
use crate::error::PlanError;

/// A batch takes all puts that come in during a commit, and is small enough to hold its locks for
/// milliseconds. The queue is no longer than what a replica can serve within callers' deadlines.
const LIMITS: Limits = Limits {
    batch_max: 64,
    queue_max: 1024,
    // Saves some 15 % of a put's processor time at half of the load that two cores take, and its
    // median latency there stays below 20 ms (decision 42).
    pace: Duration::from_millis(6),
};

/// Hands puts to their writers. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Queues {
    begin: Queue<Begin>,
    place: Queue<Place>,
}

/// The tasks behind [`Queues`]; they have to run for any put to get on.
#[derive(Debug)]
pub struct Writers {
    pub begin: Writer<Begin>,
    pub place: Writer<Place>,
}

impl Queues {
    pub fn new(
        backend: &Backend,
        clock: &Clock,
        rules: &Rules,
        encode: EncodePut,
    ) -> (Self, Writers) {
        // One connection for each of the two.
        let pool = db::for_writers(&backend.pool, 2);
        let begin = Begin {
            pool: pool.clone(),
            clock: clock.clone(),
            ids: Ids::random(),
            lease: rules.recovery_after,
        };
        let place = Place {
            pool,
            clock: clock.clone(),
            window: rules.put_window,
            lease: rules.recovery_after,
            encode,
        };
        let (begin, begin_writer) = group_commit::queue(begin, LIMITS, Metrics::of("put_begin"));
        let (place, place_writer) = group_commit::queue(place, LIMITS, Metrics::of("put_place"));
        let writers = Writers {
            begin: begin_writer,
            place: place_writer,
        };
        (Self { begin, place }, writers)
    }

    pub(super) async fn begin(&self, asked: Asked, deadline: Deadline) -> Result<Put, PlanError> {
        self.begin.commit(asked, deadline).await?
    }

    pub(super) async fn place(&self, held: Held, deadline: Deadline) -> Result<Put, PlanError> {
        self.place.commit(held, deadline).await?
    }

    /// Ends the writers once their queues are empty.
    pub fn close(&self) {
        self.begin.close();
        self.place.close();
    }
}

impl From<NotCommitted<PlanError>> for PlanError {
    fn from(why: NotCommitted<PlanError>) -> Self {
        match why {
            NotCommitted::Failed(error) => error,
            NotCommitted::Paused => sqlx::Error::from(NoPrimary).into(),
            NotCommitted::QueueFull => Self::NotCommitted("queue is full"),
            NotCommitted::Overdue => Self::NotCommitted("deadline passed"),
            NotCommitted::Unconfirmed => Self::NotCommitted("outcome is unknown"),
        }
    }
}
