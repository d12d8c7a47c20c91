//! Reports over the broker: events of type `adfolio.delivery.v1.DeliveryReported`, which a network's adapter publishes.
//!
//! All good reports of a message land with its row in the inbox. One of which nothing could be taken goes to the dead letters
//! with its reasons: it can be redriven once, say, its plan is there.

use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::DeliveryReported;
use tracing::warn;

use super::entity::Verdict;
use super::intake::{self, Origin};
use super::report::Sent;
use crate::app::App;
use crate::error::PlanError;
use crate::events::DELIVERY_REPORTED;
use crate::settlement;

/// Reports of a message at most.
const MOST_REPORTS: usize = 1_000;

/// Reasons that a log line names at most.
const MOST_REASONS: usize = 5;

/// A message of which nothing could be taken.
#[derive(Debug, thiserror::Error)]
#[error("no report could be taken: {0}")]
struct NothingTaken(String);

/// The consumer of reports.
pub fn reports() -> Consumer {
    Consumer::new("plan", "delivery").bind(DELIVERY_REPORTED)
}

/// Takes reports.
#[derive(Clone)]
pub struct OnDeliveryReported {
    app: App,
}

impl OnDeliveryReported {
    /// For these use cases.
    pub fn new(app: App) -> Self {
        Self { app }
    }
}

impl Handler for OnDeliveryReported {
    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let message: DeliveryReported = event.data()?;
        if !intake::is_source(&message.source) || message.reports.len() > MOST_REPORTS {
            let problem = "the source is no name, or there are too many reports".to_owned();
            return Err(HandlerError::permanent(NothingTaken(problem)));
        }
        let (now, delay) = (self.app.clock.now(), self.app.rules.settlement_delay);
        let (mut rows, mut reasons) = (Vec::new(), Vec::new());
        for (place, report) in (1..).zip(message.reports) {
            match Sent::from(report).read(&message.source, place, now) {
                Ok(row) => rows.push(row),
                Err(reason) => reasons.push(format!("{place}: {reason}")),
            }
        }
        let verdicts = intake::take_in_tx(tx, &message.source, Origin::Network, &rows, now, delay)
            .await
            .map_err(handler_error)?;
        let mut taken: usize = 0;
        for (place, verdict) in &verdicts {
            intake::count(verdict);
            match verdict {
                Verdict::Rejected(reason) => reasons.push(format!("{place}: {reason}")),
                Verdict::Applied | Verdict::Repeated | Verdict::Restated => {
                    taken = taken.saturating_add(1);
                }
            }
        }
        let rejected = reasons.len();
        reasons.truncate(MOST_REASONS);
        let reasons = reasons.join("; ");
        if taken == 0 {
            return Err(HandlerError::permanent(NothingTaken(reasons)));
        }
        if rejected > 0 {
            warn!(source = message.source, event = %event.id, rejected, reasons, "reports cannot be taken");
        }
        // Both look by themselves, too, should this commit fail to come before they do.
        settlement::wake(&self.app);
        self.app.notifier.notify();
        Ok(())
    }
}

fn handler_error(error: PlanError) -> HandlerError {
    match error {
        PlanError::Database(error) => error.into(),
        other => HandlerError::failed(other),
    }
}
