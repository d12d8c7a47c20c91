//! What waits here for a member of staff.

use adfolio_kit::waiting::{Kind, Waiting};

use crate::app::App;
use crate::error::NotificationError;
use crate::feedback;

/// What waits now. Reads a bounded number of rows.
pub async fn of_staff(app: &App) -> Result<Vec<Waiting>, NotificationError> {
    let (open, dead_letters) = tokio::join!(feedback::waiting(app), app.dead_letters.waiting());
    let mut waiting = vec![Waiting::counted(Kind::Feedback, open?)];
    waiting.extend(dead_letters);
    Ok(waiting)
}
