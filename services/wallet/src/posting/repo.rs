//! The posting statement.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use super::entity::{Action, Command};
use super::outcome::{Booked, Decision, Done, HoldFigures, Outcome};
use crate::property::Property;

/// A command with what its transactions need besides it.
#[derive(Debug)]
pub(super) struct Item<'a> {
    pub(super) command: &'a Command,
    /// Ids of the transactions that it may write.
    pub(super) ids: [Uuid; 2],
    pub(super) traceparent: Option<&'a str>,
}

/// The arrays of the statement: one element per command.
#[derive(Debug, Default)]
struct Arrays<'a> {
    kinds: Vec<&'static str>,
    users: Vec<Uuid>,
    orders: Vec<Option<Uuid>>,
    keys: Vec<Option<&'a str>>,
    digests: Vec<Option<&'a [u8]>>,
    amounts: Vec<i64>,
    second_amounts: Vec<i64>,
    shares: Vec<i64>,
    versions: Vec<i64>,
    remarks: Vec<&'a str>,
    staff: Vec<Option<Uuid>>,
    ids: Vec<Uuid>,
    second_ids: Vec<Uuid>,
    traceparents: Vec<Option<&'a str>>,
}

impl<'a> Arrays<'a> {
    fn of(items: &'a [Item<'a>]) -> Self {
        let mut arrays = Self::default();
        for item in items {
            arrays.push(item);
        }
        arrays
    }

    fn push(&mut self, item: &'a Item<'a>) {
        self.users.push(item.command.user_id);
        self.ids.push(item.ids[0]);
        self.second_ids.push(item.ids[1]);
        self.traceparents.push(item.traceparent);
        let deposit = match &item.command.action {
            Action::Deposit(deposit) => Some(deposit),
            _ => None,
        };
        self.keys.push(deposit.map(|deposit| deposit.key.as_str()));
        self.digests
            .push(deposit.map(|deposit| deposit.digest.as_slice()));
        self.remarks
            .push(deposit.map_or("", |deposit| deposit.remark.as_str()));
        self.staff.push(deposit.map(|deposit| deposit.staff_id));
        let (kind, order, version, amounts) = match &item.command.action {
            Action::Deposit(deposit) => {
                let kind = if deposit.opens_wallet {
                    "first_deposit"
                } else {
                    "deposit"
                };
                (kind, None, 0, [deposit.amount.minor(), 0, 0])
            }
            Action::Hold {
                order_id,
                paid,
                discount,
            } => (
                "hold",
                Some(*order_id),
                0,
                [paid.minor(), discount.minor(), 0],
            ),
            Action::RecordDelivery {
                order_id,
                version,
                consumed,
                revenue,
            } => (
                "record_delivery",
                Some(*order_id),
                *version,
                [consumed.minor(), revenue.minor(), 0],
            ),
            Action::Release { order_id } => ("release", Some(*order_id), 0, [0, 0, 0]),
            Action::Settle {
                order_id,
                consumed,
                revenue,
                platform_share,
            } => (
                "settle",
                Some(*order_id),
                0,
                [consumed.minor(), revenue.minor(), platform_share.minor()],
            ),
        };
        self.kinds.push(kind);
        self.orders.push(order);
        self.versions.push(version);
        self.amounts.push(amounts[0]);
        self.second_amounts.push(amounts[1]);
        self.shares.push(amounts[2]);
    }
}

/// Decides about all items and writes what is accepted, in one round trip and one commit. The decisions come with the
/// place of their item. The statement is its own transaction, so the connection must not be in one.
pub(super) async fn post_batch(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    items: &[Item<'_>],
) -> Result<Vec<(usize, Decision)>, sqlx::Error> {
    let arrays = Arrays::of(items);
    let rows = sqlx::query!(
        r#"SELECT ord AS "ord!", outcome AS "outcome!: Outcome", available AS "available!",
                  to_be_consumed AS "to_be_consumed!", to_be_settled AS "to_be_settled!", withdrawing AS "withdrawing!",
                  discount_total AS "discount_total!", start_up_outstanding AS "start_up_outstanding!",
                  version AS "version!", revenue AS "revenue!", paid_returned AS "paid_returned!",
                  discount_returned AS "discount_returned!", paid_returned_at_settle AS "paid_returned_at_settle!",
                  platform_share AS "platform_share!",
                  CASE WHEN booked THEN id ELSE first_id END AS id,
                  CASE WHEN booked THEN posted_at ELSE first_posted_at END AS posted_at,
                  CASE WHEN booked THEN available ELSE first_available END AS available_after,
                  CASE WHEN booked THEN hash ELSE first_hash END AS hash
           FROM post_batch($1, $2::text[]::posting_kind[], $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"#,
        now,
        &arrays.kinds as &[&str],
        &arrays.users,
        &arrays.orders as &[Option<Uuid>],
        &arrays.keys as &[Option<&str>],
        &arrays.digests as &[Option<&[u8]>],
        &arrays.amounts,
        &arrays.second_amounts,
        &arrays.shares,
        &arrays.versions,
        &arrays.remarks as &[&str],
        &arrays.staff as &[Option<Uuid>],
        &arrays.ids,
        &arrays.second_ids,
        &arrays.traceparents as &[Option<&str>],
    )
    .fetch_all(connection)
    .await?;
    let decisions = rows.into_iter().map(|row| {
        let property = Property {
            available: row.available,
            to_be_consumed: row.to_be_consumed,
            to_be_settled: row.to_be_settled,
            withdrawing: row.withdrawing,
            discount_total: row.discount_total,
            start_up_outstanding: row.start_up_outstanding,
        };
        let hold = HoldFigures {
            version: row.version,
            revenue: row.revenue,
            paid_returned: row.paid_returned,
            discount_returned: row.discount_returned,
            paid_returned_at_settle: row.paid_returned_at_settle,
            platform_share: row.platform_share,
        };
        let booked = row
            .id
            .zip(row.posted_at)
            .zip(row.available_after)
            .zip(row.hash);
        let transaction = booked.map(|(((id, posted_at), available_after), hash)| Booked {
            id,
            posted_at,
            available_after,
            hash,
        });
        // Places count from 1.
        let place = usize::try_from(row.ord.saturating_sub(1)).unwrap_or(usize::MAX);
        (
            place,
            Decision {
                outcome: row.outcome,
                done: Done {
                    property,
                    hold,
                    transaction,
                },
            },
        )
    });
    Ok(decisions.collect())
}
