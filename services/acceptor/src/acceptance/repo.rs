//! The SQL of acceptance codes and of the attempts at them.

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::code::Code;
use super::entity::{Acceptance, Attempts, Currency, Direction, Issued, Offer, Terms};
use super::rate::Rate;
use crate::acceptor::entity::{Acceptor, Kind, Rating};
use crate::error::AcceptorError;
use crate::ids::{AcceptorId, OfferId};

/// Writes a code and its offer; false when the code exists already.
pub async fn insert_in_tx(
    tx: &mut Tx,
    issued: &Issued,
    acceptor: AcceptorId,
    user: Option<UserId>,
    staff_id: Uuid,
    now: DateTime<Utc>,
) -> Result<bool, AcceptorError> {
    let terms = &issued.offer.terms;
    let done = sqlx::query!(
        "INSERT INTO acceptance_codes (code, offer_id, acceptor_id, user_id, direction, currency, rate_e8, min_minor,
                                       max_minor, expires_at, created_at, created_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (code) DO NOTHING",
        issued.code.expose(),
        issued.offer.id.0,
        acceptor.0,
        user.map(|user| user.0),
        terms.direction.as_str(),
        terms.currency.as_str(),
        terms.rate.e8(),
        terms.min.minor(),
        terms.max.minor(),
        terms.expires_at,
        now,
        staff_id,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What is behind a code, for any user.
pub async fn find_in_tx(tx: &mut Tx, code: &Code) -> Result<Option<Acceptance>, AcceptorError> {
    let row = sqlx::query!(
        r#"SELECT acceptors.id AS "id: AcceptorId", kind AS "kind: Kind", name, rating_tenths AS "rating: Rating",
                completed_orders, user_id AS "user: UserId", offer_id AS "offer_id: OfferId",
                direction AS "direction: Direction", currency AS "currency: Currency", rate_e8 AS "rate: Rate",
                min_minor, max_minor, expires_at
         FROM acceptance_codes JOIN acceptors ON acceptors.id = acceptance_codes.acceptor_id
         WHERE code = $1"#,
        code.expose(),
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.map(|row| Acceptance {
        acceptor: Acceptor {
            id: row.id,
            kind: row.kind,
            name: row.name,
            rating: row.rating,
            completed_orders: row.completed_orders,
        },
        user: row.user,
        offer: Offer {
            id: row.offer_id,
            terms: Terms {
                direction: row.direction,
                currency: row.currency,
                rate: row.rate,
                min: Money::from_minor(row.min_minor),
                max: Money::from_minor(row.max_minor),
                expires_at: row.expires_at,
            },
        },
    }))
}

/// The user's attempts, locked. The first attempt makes the row; the update that changes nothing is what locks it
/// later.
pub async fn lock_attempts_in_tx(
    tx: &mut Tx,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<Attempts, AcceptorError> {
    let attempts = sqlx::query_as!(
        Attempts,
        "INSERT INTO code_attempts (user_id, wrong, began_at) VALUES ($1, 0, $2)
         ON CONFLICT (user_id) DO UPDATE SET wrong = code_attempts.wrong
         RETURNING wrong, began_at",
        user.0,
        now,
    )
    .fetch_one(tx)
    .await?;
    Ok(attempts)
}

/// Writes the user's attempts.
pub async fn save_attempts_in_tx(
    tx: &mut Tx,
    user: UserId,
    attempts: Attempts,
) -> Result<(), AcceptorError> {
    sqlx::query!(
        "UPDATE code_attempts SET wrong = $2, began_at = $3 WHERE user_id = $1",
        user.0,
        attempts.wrong,
        attempts.began_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}
