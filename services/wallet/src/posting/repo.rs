//! The posting statement.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use super::entity::{Action, Command};
use super::outcome::{Booked, Decision, Done, HoldFigures, Outcome};
use crate::ids::{ReferenceId, TransactionId};
use crate::property::entity::Property;

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
    opens: Vec<bool>,
    users: Vec<Uuid>,
    orders: Vec<Option<Uuid>>,
    references: Vec<Option<Uuid>>,
    keys: Vec<Option<&'a str>>,
    debit_keys: Vec<Option<&'a str>>,
    digests: Vec<Option<&'a [u8]>>,
    amounts: Vec<i64>,
    second_amounts: Vec<i64>,
    shares: Vec<i64>,
    versions: Vec<i64>,
    remarks: Vec<&'a str>,
    staff: Vec<Option<Uuid>>,
    details: Vec<Option<&'a str>>,
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
        self.users.push(item.command.user_id.0);
        self.ids.push(item.ids[0]);
        self.second_ids.push(item.ids[1]);
        self.traceparents.push(item.traceparent);
        let movement = match &item.command.action {
            Action::Move(movement) => Some(movement),
            _ => None,
        };
        self.references
            .push(movement.and_then(|it| it.reference).map(|id| id.0));
        self.keys.push(movement.map(|it| it.key.as_str()));
        self.debit_keys
            .push(movement.and_then(|it| it.debit_key.as_deref()));
        self.digests.push(movement.map(|it| it.digest.as_slice()));
        self.remarks
            .push(movement.map_or("", |it| it.remark.as_str()));
        self.staff
            .push(movement.and_then(|it| it.staff_id).map(|id| id.0));
        self.details
            .push(movement.and_then(|it| it.details.as_deref()));
        let (opens, order, version, amounts) = parts(&item.command.action);
        self.kinds.push(item.command.name());
        self.opens.push(opens);
        self.orders.push(order);
        self.versions.push(version);
        self.amounts.push(amounts[0]);
        self.second_amounts.push(amounts[1]);
        self.shares.push(amounts[2]);
    }
}

/// Whether it may open the wallet, order, version, amounts.
fn parts(action: &Action) -> (bool, Option<Uuid>, i64, [i64; 3]) {
    match action {
        Action::Move(movement) => (
            movement.opens_wallet,
            None,
            0,
            [movement.amount.minor(), 0, 0],
        ),
        Action::Hold {
            order_id,
            paid,
            discount,
        } => (
            true,
            Some(order_id.0),
            0,
            [paid.minor(), discount.minor(), 0],
        ),
        Action::RecordDelivery {
            order_id,
            version,
            consumed,
            revenue,
        } => (
            false,
            Some(order_id.0),
            *version,
            [consumed.minor(), revenue.minor(), 0],
        ),
        Action::Release { order_id } => (true, Some(order_id.0), 0, [0, 0, 0]),
        Action::Settle {
            order_id,
            consumed,
            revenue,
            platform_share,
        } => (
            false,
            Some(order_id.0),
            0,
            [consumed.minor(), revenue.minor(), platform_share.minor()],
        ),
    }
}

/// Decides about all items and writes what is accepted, in one round trip and one commit. The decisions come with the
/// place of their item. The writer's connection is in no transaction, so that the statement is one; in another's
/// transaction the locks on the wallets last as long as that.
pub(super) async fn post_commands(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    items: &[Item<'_>],
) -> Result<Vec<(usize, Decision)>, sqlx::Error> {
    let arrays = Arrays::of(items);
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT ord AS "ord!", outcome AS "outcome!: Outcome", available AS "available!",
                  to_be_consumed AS "to_be_consumed!", to_be_settled AS "to_be_settled!", withdrawing AS "withdrawing!",
                  discount_total AS "discount_total!", start_up_outstanding AS "start_up_outstanding!",
                  has_pay_password AS "has_pay_password!", has_bank_card AS "has_bank_card!",
                  has_wallet_address AS "has_wallet_address!", protection_changed_at,
                  version AS "version!", revenue AS "revenue!", paid_returned AS "paid_returned!",
                  discount_returned AS "discount_returned!", paid_returned_at_settle AS "paid_returned_at_settle!",
                  platform_share AS "platform_share!",
                  CASE WHEN booked THEN id ELSE first_id END AS id,
                  CASE WHEN booked THEN posted_at ELSE first_posted_at END AS posted_at,
                  CASE WHEN booked THEN available ELSE first_available END AS available_after,
                  CASE WHEN booked THEN hash ELSE first_hash END AS hash,
                  CASE WHEN booked THEN reference ELSE first_reference END AS reference
           FROM post_commands($1, $2::text[]::posting_kind[], $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
                              $17, $18, $19)"#,
        now,
        &arrays.kinds as &[&str],
        &arrays.opens,
        &arrays.users,
        &arrays.orders as &[Option<Uuid>],
        &arrays.references as &[Option<Uuid>],
        &arrays.keys as &[Option<&str>],
        &arrays.debit_keys as &[Option<&str>],
        &arrays.digests as &[Option<&[u8]>],
        &arrays.amounts,
        &arrays.second_amounts,
        &arrays.shares,
        &arrays.versions,
        &arrays.remarks as &[&str],
        &arrays.staff as &[Option<Uuid>],
        &arrays.details as &[Option<&str>],
        &arrays.ids,
        &arrays.second_ids,
        &arrays.traceparents as &[Option<&str>],
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(Row::into_decision).collect())
}

/// A decision as the statement answers it.
struct Row {
    ord: i64,
    outcome: Outcome,
    available: i64,
    to_be_consumed: i64,
    to_be_settled: i64,
    withdrawing: i64,
    discount_total: i64,
    start_up_outstanding: i64,
    has_pay_password: bool,
    has_bank_card: bool,
    has_wallet_address: bool,
    protection_changed_at: Option<DateTime<Utc>>,
    version: i64,
    revenue: i64,
    paid_returned: i64,
    discount_returned: i64,
    paid_returned_at_settle: i64,
    platform_share: i64,
    id: Option<Uuid>,
    posted_at: Option<DateTime<Utc>>,
    available_after: Option<i64>,
    hash: Option<Vec<u8>>,
    reference: Option<Uuid>,
}

impl Row {
    /// The place of the decision's item, counted from 0, and the decision.
    fn into_decision(self) -> (usize, Decision) {
        let property = Property {
            available: self.available,
            to_be_consumed: self.to_be_consumed,
            to_be_settled: self.to_be_settled,
            withdrawing: self.withdrawing,
            discount_total: self.discount_total,
            start_up_outstanding: self.start_up_outstanding,
            has_pay_password: self.has_pay_password,
            has_bank_card: self.has_bank_card,
            has_wallet_address: self.has_wallet_address,
            protection_changed_at: self.protection_changed_at,
        };
        let hold = HoldFigures {
            version: self.version,
            revenue: self.revenue,
            paid_returned: self.paid_returned,
            discount_returned: self.discount_returned,
            paid_returned_at_settle: self.paid_returned_at_settle,
            platform_share: self.platform_share,
        };
        let booked = self
            .id
            .zip(self.posted_at)
            .zip(self.available_after)
            .zip(self.hash);
        let transaction = booked.map(|(((id, posted_at), available_after), hash)| Booked {
            id: TransactionId(id),
            posted_at,
            available_after,
            hash,
            reference: self.reference.map(ReferenceId),
        });
        let done = Done {
            property,
            hold,
            transaction,
        };
        // Places count from 1.
        let place = usize::try_from(self.ord.saturating_sub(1)).unwrap_or(usize::MAX);
        let outcome = self.outcome;
        (place, Decision { outcome, done })
    }
}
