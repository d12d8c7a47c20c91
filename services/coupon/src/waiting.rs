//! What waits here for a member of staff.

use adfolio_kit::waiting::{Kind, Waiting};

use crate::app::App;
use crate::campaign;
use crate::error::CouponError;

/// What waits now. Reads a bounded number of rows.
pub async fn of_staff(app: &App) -> Result<Vec<Waiting>, CouponError> {
    let (proposed, dead_letters) = tokio::join!(campaign::waiting(app), app.dead_letters.waiting());
    let mut waiting = vec![Waiting::counted(Kind::Campaigns, proposed?)];
    waiting.extend(dead_letters);
    Ok(waiting)
}
