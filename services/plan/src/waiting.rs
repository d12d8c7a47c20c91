//! What waits here for a member of staff.

use adfolio_kit::waiting::{Kind, Waiting};

use crate::app::App;
use crate::delivery::proposal;
use crate::error::PlanError;
use crate::source::{self, Silence};
use crate::{quarantine, settlement};

/// Sources that are answered at most.
const MOST_SOURCES: i64 = 100;

/// What waits, and how long sources are silent.
#[derive(Clone, Debug)]
pub struct Desk {
    pub waiting: Vec<Waiting>,
    /// The longest silent first.
    pub sources: Vec<Silence>,
    /// Whether there are more sources.
    pub is_more_sources: bool,
}

/// What waits now. Reads a bounded number of rows.
pub async fn of_staff(app: &App) -> Result<Desk, PlanError> {
    let (imports, quarantined, finishing, settling, silences, dead_letters) = tokio::join!(
        proposal::waiting(app),
        quarantine::waiting(app),
        settlement::waiting_to_finish(app),
        settlement::waiting(app),
        source::silences(app, MOST_SOURCES.saturating_add(1)),
        app.dead_letters.waiting(),
    );
    let now = app.clock.now();
    let mut waiting = vec![
        Waiting::counted(Kind::DeliveryImports, imports?),
        Waiting::measured(Kind::QuarantinedReports, &quarantined?, "waiting", now),
        Waiting::counted(Kind::PlansToFinish, finishing?),
        Waiting::measured(Kind::PlansToSettle, &settling?, "overdue", now),
    ];
    waiting.extend(dead_letters);
    let mut sources = silences?;
    let most = usize::try_from(MOST_SOURCES).unwrap_or(usize::MAX);
    let is_more_sources = sources.len() > most;
    sources.truncate(most);
    Ok(Desk {
        waiting,
        sources,
        is_more_sources,
    })
}
