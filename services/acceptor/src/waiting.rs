//! What waits here for a member of staff.

use adfolio_kit::waiting::{Kind, Waiting};

use crate::app::App;
use crate::error::AcceptorError;
use crate::exchange;

/// What waits now. Reads a bounded number of rows.
pub async fn of_staff(app: &App) -> Result<Vec<Waiting>, AcceptorError> {
    let pending = exchange::waiting(app).await?;
    let mut waiting = vec![Waiting::counted(Kind::ExchangeOrders, pending)];
    waiting.extend(app.dead_letters.waiting().await);
    Ok(waiting)
}
