//! The SQL of publishing.

use adfolio_kit::db::Tx;
use chrono::{DateTime, Utc};

use super::entity::Publication;
use crate::error::NotificationError;
use crate::ids::NoticeId;
use crate::localized;
use crate::notice::Category;

/// Writes down what the message says.
pub async fn insert_message_in_tx(
    tx: &mut Tx,
    id: NoticeId,
    publication: &Publication,
) -> Result<(), NotificationError> {
    sqlx::query!(
        "INSERT INTO messages (id, title, content) VALUES ($1, $2, $3)",
        id.0,
        localized::to_json(&publication.message.title)?,
        localized::to_json(&publication.message.content)?,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Gives the message the next numbers. Publishers wait for each other until they commit, so that numbers have no holes and
/// become visible in their order; readers do not wait. A time is never that of an announcement before.
pub async fn announce_in_tx(
    tx: &mut Tx,
    id: NoticeId,
    category: Category,
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    sqlx::query!("LOCK TABLE announcements IN SHARE ROW EXCLUSIVE MODE")
        .execute(&mut *tx)
        .await?;
    sqlx::query!(
        "WITH last AS (SELECT number, published_at FROM announcements ORDER BY number DESC LIMIT 1),
              last_of_category AS (SELECT category_number FROM announcements WHERE category = $2
                                   ORDER BY number DESC LIMIT 1)
         INSERT INTO announcements (number, id, category, category_number, published_at)
         VALUES (coalesce((SELECT number FROM last), 0) + 1, $1, $2,
                 coalesce((SELECT category_number FROM last_of_category), 0) + 1,
                 greatest($3, (SELECT published_at + interval '1 microsecond' FROM last)))",
        id.0,
        category.as_str(),
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}
