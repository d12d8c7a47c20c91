//! Reading what a batch refers to, and writing what became of it.
//!
//! What one batch reads and writes is right whatever others commit meanwhile, in one of two ways. *Optimistic*: it reads
//! without locks and writes only if the wallets' rows are as they were read. Every change of a user's data also writes
//! the user's wallet, so an unchanged wallet means that nothing else changed. *Locking*: the wallets are locked
//! before they are read; for batches that were overtaken, and for postings in another's transaction.

use std::collections::BTreeSet;

use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::{Columns, Event};
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use super::batch::{Books, Item, Revised};
use super::entity::{FirstUse, Hold, HoldState};
use super::outcome::{Booked, Done, Refused};
use super::transaction::Wallet;
use super::transaction_type::TransactionType;
use crate::chain::entity::{Hash, VERSION};
use crate::destination::entity::Method;
use crate::events;
use crate::flow::entity::{Account, FlowType};
use crate::ids::{OrderId, ReferenceId, TransactionId};
use crate::outflow;
use crate::property::entity::Property;
use crate::withdrawal;
use crate::withdrawal::entity::Status;

/// What became of the commands of a batch, in their order.
pub(super) type Outcomes = Vec<Result<Done, Refused>>;

/// Posts a batch on a connection that is in no transaction: one statement reads and one writes.
pub(super) async fn post(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    items: &[Item<'_>],
) -> Result<Outcomes, sqlx::Error> {
    let mut books = read(connection, now, items).await?;
    if open_missing_wallets(connection, items, &books).await? {
        books = read(connection, now, items).await?;
    }
    let outcomes = items.iter().map(|item| books.post(*item, now)).collect();
    write(connection, &books).await?;
    Ok(outcomes)
}

/// Posts a batch in the transaction that the connection is in, under locks that last until its end.
pub(super) async fn post_in_tx(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    items: &[Item<'_>],
) -> Result<Outcomes, sqlx::Error> {
    lock_wallets(connection, items).await?;
    post(connection, now, items).await
}

/// Locks the wallets of a batch in order of id, so that batches never deadlock. What is read after this is as the last
/// batch of these users left it: each statement takes a new snapshot.
async fn lock_wallets(
    connection: &mut PgConnection,
    items: &[Item<'_>],
) -> Result<(), sqlx::Error> {
    let user_ids = user_ids(items);
    sqlx::query!(
        "SELECT FROM wallets WHERE user_id = ANY ($1) ORDER BY user_id FOR UPDATE",
        &user_ids
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The users of a batch, each once, in order of id.
fn user_ids(items: &[Item<'_>]) -> Vec<Uuid> {
    let users: BTreeSet<Uuid> = items.iter().map(|item| item.command.user_id.0).collect();
    users.into_iter().collect()
}

/// Opens the wallets that commands may open and that were not there. A wallet comes into being with the first command
/// that may post to it, even if that is refused. Whether there was any.
async fn open_missing_wallets(
    connection: &mut PgConnection,
    items: &[Item<'_>],
    books: &Books<'_>,
) -> Result<bool, sqlx::Error> {
    let missing: BTreeSet<Uuid> = items
        .iter()
        .map(|item| item.command)
        .filter(|command| command.opens_wallet() && !books.has_wallet(command.user_id))
        .map(|command| command.user_id.0)
        .collect();
    if missing.is_empty() {
        return Ok(false);
    }
    let missing: Vec<Uuid> = missing.into_iter().collect();
    sqlx::query!(
        "INSERT INTO wallets (user_id) SELECT unnest($1::uuid[]) ON CONFLICT DO NOTHING",
        &missing
    )
    .execute(connection)
    .await?;
    Ok(true)
}

/// Reads what the commands refer to. Further statements only for movements, whose keys and withdrawals are looked up.
async fn read<'a>(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    items: &[Item<'a>],
) -> Result<Books<'a>, sqlx::Error> {
    let mut books = Books::default();
    read_wallets_and_holds(connection, items, &mut books).await?;
    if items
        .iter()
        .any(|item| item.command.as_movement().is_some())
    {
        read_first_uses(connection, items, &mut books).await?;
        read_references(connection, items, &mut books).await?;
        read_left(connection, now, items, &mut books).await?;
    }
    Ok(books)
}

async fn read_wallets_and_holds(
    connection: &mut PgConnection,
    items: &[Item<'_>],
    books: &mut Books<'_>,
) -> Result<(), sqlx::Error> {
    let users: Vec<Uuid> = items.iter().map(|item| item.command.user_id.0).collect();
    let orders: Vec<Option<Uuid>> = items
        .iter()
        .map(|item| item.command.order_id().map(|id| id.0))
        .collect();
    let rows = sqlx::query!(
        r#"SELECT w.user_id AS "user_id!: UserId", w.xmin::text::bigint AS "revision!", w.available AS "available!",
                  w.to_be_consumed AS "to_be_consumed!", w.to_be_settled AS "to_be_settled!",
                  w.withdrawing AS "withdrawing!", w.guarantee AS "guarantee!", w.discount_total AS "discount_total!",
                  w.start_up_outstanding AS "start_up_outstanding!", w.has_pay_password AS "has_pay_password!",
                  w.has_bank_card AS "has_bank_card!", w.has_wallet_address AS "has_wallet_address!",
                  w.protection_changed_at, w.frozen_at, w.seq AS "seq!", w.chain_head AS "chain_head!: Hash", w.last_posted_at,
                  h.order_id AS "order_id?: OrderId", h.user_id AS "holder?: UserId", h.state AS "state?: HoldState",
                  h.paid AS "paid?", h.discount AS "discount?", h.version AS "version?", h.consumed AS "consumed?",
                  h.revenue AS "revenue?", h.paid_returned AS "paid_returned?",
                  h.discount_returned AS "discount_returned?",
                  h.paid_returned_at_settle AS "paid_returned_at_settle?", h.platform_share AS "platform_share?"
           FROM unnest($1::uuid[], $2::uuid[]) AS command (user_id, order_id)
           JOIN wallets w ON w.user_id = command.user_id
           LEFT JOIN holds h ON h.order_id = command.order_id"#,
        &users,
        &orders as &[Option<Uuid>],
    )
    .fetch_all(connection)
    .await?;
    for row in rows {
        let figures = Property {
            available: row.available,
            to_be_consumed: row.to_be_consumed,
            to_be_settled: row.to_be_settled,
            withdrawing: row.withdrawing,
            guarantee: row.guarantee,
            discount_total: row.discount_total,
            start_up_outstanding: row.start_up_outstanding,
            has_pay_password: row.has_pay_password,
            has_bank_card: row.has_bank_card,
            has_wallet_address: row.has_wallet_address,
            protection_changed_at: row.protection_changed_at,
            frozen_at: row.frozen_at,
        };
        let wallet = Wallet {
            figures,
            seq: row.seq,
            chain_head: row.chain_head,
            last_posted_at: row.last_posted_at,
        };
        let revision = row.revision;
        books.read_wallet(row.user_id, Revised { wallet, revision });
        let hold = (|| {
            let hold = Hold {
                user_id: row.holder?,
                state: row.state?,
                paid: row.paid?,
                discount: row.discount?,
                version: row.version?,
                consumed: row.consumed?,
                revenue: row.revenue?,
                paid_returned: row.paid_returned?,
                discount_returned: row.discount_returned?,
                paid_returned_at_settle: row.paid_returned_at_settle?,
                platform_share: row.platform_share?,
            };
            Some((row.order_id?, hold))
        })();
        if let Some((order_id, hold)) = hold {
            books.read_hold(order_id, hold);
        }
    }
    Ok(())
}

/// What keys were first used for: the commands' own, and those of the debits that returns give back.
async fn read_first_uses(
    connection: &mut PgConnection,
    items: &[Item<'_>],
    books: &mut Books<'_>,
) -> Result<(), sqlx::Error> {
    let movements = items.iter().filter_map(|item| item.command.as_movement());
    let keys: Vec<&str> = movements
        .flat_map(|movement| std::iter::once(&movement.key).chain(&movement.debit_key))
        .map(String::as_str)
        .collect();
    let rows = sqlx::query!(
        r#"SELECT t.user_id AS "user_id: UserId", t.idempotency_key AS "key!", t.request_digest AS "digest!: Hash",
                  t.available_change, t.id AS "id: TransactionId", t.posted_at, t.available_after,
                  t.hash AS "hash: Hash", t.reference AS "reference: ReferenceId"
           FROM unnest($1::text[]) AS asked (key)
           JOIN transactions t ON t.idempotency_key = asked.key"#,
        &keys as &[&str]
    )
    .fetch_all(connection)
    .await?;
    for row in rows {
        let booked = Booked {
            id: row.id,
            posted_at: row.posted_at,
            available_after: row.available_after,
            hash: row.hash,
            reference: row.reference,
        };
        let first = FirstUse {
            user_id: row.user_id,
            digest: row.digest,
            available_change: row.available_change,
            booked,
        };
        books.read_first_use(row.key, first);
    }
    Ok(())
}

/// The withdrawals and closed exchange orders that movements refer to.
async fn read_references(
    connection: &mut PgConnection,
    items: &[Item<'_>],
    books: &mut Books<'_>,
) -> Result<(), sqlx::Error> {
    let movements = items.iter().filter_map(|item| item.command.as_movement());
    let references: Vec<Uuid> = movements
        .filter_map(|movement| movement.reference)
        .map(|id| id.0)
        .collect();
    if references.is_empty() {
        return Ok(());
    }
    for withdrawal in withdrawal::find_all(connection, &references).await? {
        books.read_withdrawal(withdrawal);
    }
    let closable: Vec<Uuid> = items
        .iter()
        .filter_map(|item| item.command.as_movement()?.closable)
        .map(|id| id.0)
        .collect();
    let closed = sqlx::query!(
        "SELECT exchange_id, user_id FROM closed_exchanges WHERE exchange_id = ANY ($1)",
        &closable
    )
    .fetch_all(connection)
    .await?;
    for row in closed {
        books.read_closed_exchange(ReferenceId(row.exchange_id), UserId(row.user_id));
    }
    Ok(())
}

/// What left the wallets that money shall leave.
async fn read_left(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    items: &[Item<'_>],
    books: &mut Books<'_>,
) -> Result<(), sqlx::Error> {
    let leaves = |item: &&Item<'_>| {
        let movement = item.command.as_movement();
        movement.is_some_and(|movement| movement.outflow.is_some())
    };
    let users: Vec<Uuid> = items
        .iter()
        .filter(leaves)
        .map(|item| item.command.user_id.0)
        .collect();
    if !users.is_empty() {
        books.read_left(outflow::read_left(connection, &users, now).await?);
    }
    Ok(())
}

/// The columns of the transactions that are written.
#[derive(Debug, Default)]
struct Transactions<'a> {
    users: Vec<Uuid>,
    numbers: Vec<i64>,
    ids: Vec<Uuid>,
    types: Vec<TransactionType>,
    times: Vec<DateTime<Utc>>,
    changes: [Vec<i64>; 5],
    platform_changes: Vec<i64>,
    platform_accounts: Vec<Option<Account>>,
    flow_types: Vec<Option<FlowType>>,
    fees: Vec<i64>,
    /// Without the guarantee, which has no such column.
    after: [Vec<i64>; 4],
    hashes: Vec<&'a [u8]>,
    orders: Vec<Option<Uuid>>,
    versions: Vec<Option<i64>>,
    references: Vec<Option<Uuid>>,
    keys: Vec<Option<&'a str>>,
    digests: Vec<Option<&'a [u8]>>,
    staff: Vec<Option<Uuid>>,
    remarks: Vec<&'a str>,
}

impl<'a> Transactions<'a> {
    fn of(books: &'a Books<'a>) -> Self {
        let mut columns = Self::default();
        for entry in books.entries() {
            let it = &entry.transaction;
            let cause = entry.command.cause(entry.order_version);
            columns.users.push(it.user_id.0);
            columns.numbers.push(it.seq);
            columns.ids.push(it.id.0);
            columns.types.push(it.step.kind);
            columns.times.push(it.posted_at);
            push_each(&mut columns.changes, it.step.change.to_array());
            columns.platform_changes.push(it.step.platform_change());
            columns.platform_accounts.push(it.step.platform_account());
            columns.flow_types.push(it.step.flow_type());
            columns.fees.push(it.step.fee);
            let [after @ .., _] = it.after.to_array();
            push_each(&mut columns.after, after);
            columns.hashes.push(&it.hash);
            columns.orders.push(cause.order_id);
            columns.versions.push(cause.order_version);
            columns.references.push(cause.reference);
            columns.keys.push(cause.idempotency_key);
            columns.digests.push(cause.request_digest);
            columns.staff.push(cause.staff_id);
            columns.remarks.push(cause.remark);
        }
        columns
    }
}

/// The columns of the wallets that are written.
#[derive(Debug, Default)]
struct Wallets<'a> {
    users: Vec<Uuid>,
    revisions: Vec<i64>,
    balances: [Vec<i64>; 5],
    discounts: Vec<i64>,
    start_up: Vec<i64>,
    numbers: Vec<i64>,
    heads: Vec<&'a [u8]>,
    times: Vec<Option<DateTime<Utc>>>,
}

impl<'a> Wallets<'a> {
    fn of(books: &'a Books<'_>) -> Self {
        let mut columns = Self::default();
        for changed in books.changed_wallets() {
            let Revised { wallet, revision } = changed.row;
            columns.users.push(changed.key.0);
            columns.revisions.push(*revision);
            push_each(&mut columns.balances, wallet.figures.balances().to_array());
            columns.discounts.push(wallet.figures.discount_total);
            columns.start_up.push(wallet.figures.start_up_outstanding);
            columns.numbers.push(wallet.seq);
            columns.heads.push(&wallet.chain_head);
            columns.times.push(wallet.last_posted_at);
        }
        columns
    }
}

/// The columns of the holds that are written.
#[derive(Debug, Default)]
struct Holds {
    orders: Vec<Uuid>,
    are_new: Vec<bool>,
    users: Vec<Uuid>,
    states: Vec<HoldState>,
    /// Paid, discount, version, consumed, revenue, paid returned, discount returned, paid returned at the settlement,
    /// platform's share.
    figures: [Vec<i64>; 9],
}

impl Holds {
    fn of(books: &Books<'_>) -> Self {
        let mut columns = Self::default();
        for changed in books.changed_holds() {
            let hold = changed.row;
            columns.orders.push(changed.key.0);
            columns.are_new.push(changed.is_new);
            columns.users.push(hold.user_id.0);
            columns.states.push(hold.state);
            let figures = [
                hold.paid,
                hold.discount,
                hold.version,
                hold.consumed,
                hold.revenue,
                hold.paid_returned,
                hold.discount_returned,
                hold.paid_returned_at_settle,
                hold.platform_share,
            ];
            push_each(&mut columns.figures, figures);
        }
        columns
    }
}

/// The columns of the withdrawals that are written.
#[derive(Debug, Default)]
struct Withdrawals<'a> {
    ids: Vec<Uuid>,
    are_new: Vec<bool>,
    users: Vec<Uuid>,
    amounts: Vec<i64>,
    fees: Vec<i64>,
    methods: Vec<Method>,
    statuses: Vec<Status>,
    reasons: Vec<&'a str>,
    requested: Vec<DateTime<Utc>>,
    decided: Vec<Option<DateTime<Utc>>>,
    key_ids: Vec<&'a str>,
    sealed: Vec<&'a [u8]>,
}

impl<'a> Withdrawals<'a> {
    fn of(books: &'a Books<'_>) -> Self {
        let mut columns = Self::default();
        for changed in books.changed_withdrawals() {
            let withdrawal = changed.row;
            columns.ids.push(changed.key.0);
            columns.are_new.push(changed.is_new);
            columns.users.push(withdrawal.user_id.0);
            columns.amounts.push(withdrawal.amount);
            columns.fees.push(withdrawal.fee);
            columns.methods.push(withdrawal.method);
            columns.statuses.push(withdrawal.status);
            columns.reasons.push(&withdrawal.reason);
            columns.requested.push(withdrawal.requested_at);
            columns.decided.push(withdrawal.decided_at);
            columns.key_ids.push(&withdrawal.sealed.key_id);
            columns.sealed.push(&withdrawal.sealed.bytes);
        }
        columns
    }
}

fn push_each<const N: usize>(columns: &mut [Vec<i64>; N], values: [i64; N]) {
    for (column, value) in columns.iter_mut().zip(values) {
        column.push(value);
    }
}

/// Writes what a batch has changed, with one statement; fails as a conflict if a wallet is no longer as it was read.
async fn write(connection: &mut PgConnection, books: &Books<'_>) -> Result<(), sqlx::Error> {
    let wallets = Wallets::of(books);
    if wallets.users.is_empty() {
        return Ok(());
    }
    let transactions = Transactions::of(books);
    let holds = Holds::of(books);
    let withdrawals = Withdrawals::of(books);
    let closed = books.closed_exchanges();
    let events: Vec<Event> =
        events::of_entries(books.entries()).map_err(|error| sqlx::Error::Encode(error.into()))?;
    let events = Columns::of(&events);
    let balances = &wallets.balances;
    let changes = &transactions.changes;
    let after = &transactions.after;
    let figures = &holds.figures;
    sqlx::query_file!(
        "src/posting/write.sql",
        &wallets.users,
        &wallets.revisions,
        &balances[0],
        &balances[1],
        &balances[2],
        &balances[3],
        &balances[4],
        &wallets.discounts,
        &wallets.start_up,
        &wallets.numbers,
        &wallets.heads as &[&[u8]],
        &wallets.times as &[Option<DateTime<Utc>>],
        &transactions.users,
        &transactions.numbers,
        &transactions.ids,
        &transactions.types as &[TransactionType],
        &transactions.times,
        &changes[0],
        &changes[1],
        &changes[2],
        &changes[3],
        &changes[4],
        &transactions.platform_changes,
        &transactions.platform_accounts as &[Option<Account>],
        &transactions.flow_types as &[Option<FlowType>],
        &transactions.fees,
        &after[0],
        &after[1],
        &after[2],
        &after[3],
        &transactions.hashes as &[&[u8]],
        &transactions.orders as &[Option<Uuid>],
        &transactions.versions as &[Option<i64>],
        &transactions.references as &[Option<Uuid>],
        &transactions.keys as &[Option<&str>],
        &transactions.digests as &[Option<&[u8]>],
        &transactions.staff as &[Option<Uuid>],
        &transactions.remarks as &[&str],
        &holds.orders,
        &holds.are_new,
        &holds.users,
        &holds.states as &[HoldState],
        &figures[0],
        &figures[1],
        &figures[2],
        &figures[3],
        &figures[4],
        &figures[5],
        &figures[6],
        &figures[7],
        &figures[8],
        &withdrawals.ids,
        &withdrawals.are_new,
        &withdrawals.users,
        &withdrawals.amounts,
        &withdrawals.fees,
        &withdrawals.methods as &[Method],
        &withdrawals.statuses as &[Status],
        &withdrawals.reasons as &[&str],
        &withdrawals.requested,
        &withdrawals.decided as &[Option<DateTime<Utc>>],
        &withdrawals.key_ids as &[&str],
        &withdrawals.sealed as &[&[u8]],
        &closed.iter().map(|it| it.exchange_id.0).collect::<Vec<_>>(),
        &closed.iter().map(|it| it.user_id.0).collect::<Vec<_>>(),
        &closed.iter().map(|it| it.closed_at).collect::<Vec<_>>(),
        &events.ids,
        &events.types as &[&str],
        &events.subjects as &[&str],
        &events.sequences as &[Option<i64>],
        &events.data as &[&str],
        &events.traces as &[Option<&str>],
        VERSION,
    )
    .fetch_one(connection)
    .await?;
    Ok(())
}
