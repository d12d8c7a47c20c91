//! The SQL of acceptance codes and of the attempts at them.

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::code::Code;
use super::entity::{Acceptance, Attempts, Currency, Direction, NewAcceptance, Offer};
use super::rate::Rate;
use crate::acceptor::{Acceptor, Kind, Rating};
use crate::error::AcceptorError;

/// Writes a code and its offer; false when the code exists already.
pub async fn insert_in_tx(
    tx: &mut Tx,
    code: &Code,
    new: &NewAcceptance,
    staff_id: Uuid,
    now: DateTime<Utc>,
) -> Result<bool, AcceptorError> {
    let offer = &new.offer;
    let done = sqlx::query!(
        "INSERT INTO acceptance_codes (code, offer_id, acceptor_id, user_id, direction, currency, rate_e8, min_minor,
                                       max_minor, expires_at, created_at, created_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (code) DO NOTHING",
        code.expose(),
        offer.id,
        new.acceptor,
        new.user.map(|user| user.0),
        offer.direction.as_str(),
        offer.currency.as_str(),
        offer.rate.e8(),
        offer.min.minor(),
        offer.max.minor(),
        offer.expires_at,
        now,
        staff_id,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What is behind a code, whoever may use it.
pub async fn find_in_tx(tx: &mut Tx, code: &Code) -> Result<Option<Acceptance>, AcceptorError> {
    let row = sqlx::query!(
        "SELECT acceptors.id, kind, name, rating_tenths, completed_orders,
                user_id, offer_id, direction, currency, rate_e8, min_minor, max_minor, expires_at
         FROM acceptance_codes JOIN acceptors ON acceptors.id = acceptance_codes.acceptor_id
         WHERE code = $1",
        code.expose(),
    )
    .fetch_optional(tx)
    .await?;
    row.map(|row| {
        let unknown = AcceptorError::UnknownColumnValue;
        Ok(Acceptance {
            acceptor: Acceptor {
                id: row.id,
                kind: Kind::from_name(&row.kind).ok_or(unknown("kind"))?,
                name: row.name,
                rating: Rating::from_column(row.rating_tenths),
                completed_orders: row.completed_orders,
            },
            user: row.user_id.map(UserId),
            offer: Offer {
                id: row.offer_id,
                direction: Direction::from_name(&row.direction).ok_or(unknown("direction"))?,
                currency: Currency::parse(&row.currency).map_err(|_| unknown("currency"))?,
                rate: Rate::from_e8(row.rate_e8).ok_or(unknown("rate_e8"))?,
                min: Money::from_minor(row.min_minor),
                max: Money::from_minor(row.max_minor),
                expires_at: row.expires_at,
            },
        })
    })
    .transpose()
}

/// The user's attempts, locked. The first attempt makes the row; the update that changes nothing is what locks it later.
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
