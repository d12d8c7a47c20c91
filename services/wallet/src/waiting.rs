//! What waits here for a member of staff.

use adfolio_kit::waiting::{Kind, Waiting};
use chrono::{DateTime, Utc};

use crate::app::App;
use crate::error::WalletError;
use crate::{approval, bank, checkpoint, freeze, payment_batch, reconcile, withdrawal};

/// What waits, and the state of the books.
#[derive(Clone, Debug)]
pub struct Desk {
    pub waiting: Vec<Waiting>,
    /// When the newest checkpoint was signed, and how many heads it has; none before the first.
    pub checkpoint: Option<(DateTime<Utc>, u64)>,
    /// When the books were last proved, and whether they were in balance; none before the first proof.
    pub proof: Option<(DateTime<Utc>, bool)>,
}

/// What waits now. Reads a bounded number of rows.
pub async fn of_staff(app: &App) -> Result<Desk, WalletError> {
    let now = app.clock.now();
    let (withdrawals, approvals, lines, batches, freezes) = tokio::join!(
        withdrawal::waiting(app),
        approval::waiting(app),
        bank::waiting(app, now),
        payment_batch::waiting(app),
        freeze::waiting(app),
    );
    let (checkpoint, proof, dead_letters) = tokio::join!(
        checkpoint::newest(app),
        reconcile::last(app),
        app.dead_letters.waiting(),
    );
    let mut waiting = vec![
        Waiting::measured(Kind::Withdrawals, &withdrawals?, "pending", now),
        Waiting::measured(Kind::Approvals, &approvals?, "pending", now),
        Waiting::counted(Kind::BankLines, lines?),
        Waiting::counted(Kind::PaymentBatches, batches?),
        Waiting::counted(Kind::Freezes, freezes?),
    ];
    waiting.extend(dead_letters);
    Ok(Desk {
        waiting,
        checkpoint: checkpoint?.map(|newest| (newest.made_at, newest.state.size)),
        proof: proof?,
    })
}
