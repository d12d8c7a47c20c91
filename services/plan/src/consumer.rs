//! What this service consumes: delivery reports that a network's adapter publishes.
//!
//! All good reports of a message are stored in the transaction of its inbox row. A message without
//! any good report becomes a dead letter with the reasons. It can be redriven, for example once its
//! plan exists.

use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1 as events;
use tracing::warn;

use crate::app::App;
use crate::delivery::entity::{Origin, Verdict};
use crate::delivery::intake::{self, Intake, Times};
use crate::delivery::report::Sent;
use crate::ids::{BatchId, ImportId};
use crate::{settlement, source};

const DELIVERY_REPORTED: &str = "adfolio.delivery.v1.DeliveryReported";

/// Reports of a message at most.
const MOST_REPORTS: usize = 1_000;

/// Reasons that a log line names at most.
const MOST_REASONS: usize = 5;

/// A message without any good report.
#[derive(Debug, thiserror::Error)]
#[error("no report could be taken: {0}")]
struct NothingTaken(String);

/// The consumer of reports.
pub fn reports() -> Consumer {
    Consumer::new("plan", "delivery").bind(DELIVERY_REPORTED)
}

/// Takes reports.
#[derive(Debug)]
pub struct OnDeliveryReported(pub App);

impl Handler for OnDeliveryReported {
    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let app = &self.0;
        let message: events::DeliveryReported = event.data()?;
        if !source::is_name(&message.source) || message.reports.len() > MOST_REPORTS {
            let problem = "the source is not a name, or there are too many reports".to_owned();
            return Err(HandlerError::permanent(NothingTaken(problem)));
        }
        let now = app.clock.now();
        let (mut rows, mut reasons) = (Vec::new(), Vec::new());
        for (place, report) in (1..).zip(message.reports) {
            match Sent::from(report).read(&message.source, place, now) {
                Ok(row) => rows.push(row),
                Err(reason) => reasons.push(format!("{place}: {reason}")),
            }
        }
        let intake = Intake {
            source: &message.source,
            origin: Origin::Network,
            batch: BatchId(app.ids.next()),
            import: None,
            held_as: ImportId(app.ids.next()),
            times: Times::from(&app.rules),
            allotted_only: false,
            is_reviewed: true,
        };
        let verdicts = intake::take_in_tx(tx, &intake, &rows, now).await?;
        let mut taken: usize = 0;
        for (place, verdict) in &verdicts {
            intake::count(verdict);
            match verdict {
                Verdict::Rejected(reason) => reasons.push(format!("{place}: {reason}")),
                Verdict::Applied
                | Verdict::Repeated
                | Verdict::Restated
                | Verdict::Held(_)
                | Verdict::Quarantined(_) => {
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
        // Both also poll, in case they look before this commit.
        settlement::wake(app);
        app.notifier.notify();
        Ok(())
    }
}

impl From<events::DeliveryReport> for Sent {
    fn from(report: events::DeliveryReport) -> Self {
        Self {
            report_id: report.report_id,
            revision: report.revision,
            plan_number: report.plan_number,
            time: report.time.and_then(|time| time.try_into().ok()),
            impressions: report.impressions,
            clicks: report.clicks,
            spend: report.spend,
            revenue: report.revenue,
            placement: report.placement,
        }
    }
}
