//! The books themselves: append-only, balanced by the database, verifiable, and every tampering found.

use adfolio_testkit::tamper;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::helpers::{StaffPosting, Wallet, finance};

/// A user with a deposit, a hold with a coupon, and a report.
async fn busy_user(stack: &Wallet) -> (Uuid, Uuid) {
    let (user, order, ledger) = (stack.user_with(1_000).await, Uuid::now_v7(), stack.ledger());
    ledger.hold(user, order, 300, 60).await.expect("a hold");
    ledger
        .record(user, order, 1, 100, 80)
        .await
        .expect("a report");
    (user, order)
}

#[tokio::test]
async fn nobody_changes_the_books() {
    let stack = Wallet::spawn().await;
    busy_user(&stack).await;
    let pool = stack.pool();
    for statement in [
        "UPDATE transactions SET remark = 'x'",
        "DELETE FROM transactions",
        "TRUNCATE transactions",
        "UPDATE closed_exchanges SET user_id = exchange_id",
        "DELETE FROM closed_exchanges",
        "TRUNCATE closed_exchanges",
    ] {
        let error = sqlx::query(AssertSqlSafe(statement))
            .execute(&pool)
            .await
            .expect_err("append-only");
        let code = error
            .as_database_error()
            .and_then(|error| error.code().map(std::borrow::Cow::into_owned));
        assert_eq!(code.as_deref(), Some("23001"), "{statement}: {error}");
    }
    // Nor does a role that owns the tables, but is no superuser, even have the privilege.
    let privileges: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM information_schema.role_table_grants
         WHERE table_name IN ('transactions', 'entries', 'closed_exchanges') AND privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE')",
    )
    .fetch_one(&pool)
    .await
    .expect("privileges");
    assert_eq!(privileges, 0);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn the_database_itself_refuses_what_does_not_balance() {
    let stack = Wallet::spawn().await;
    let (user, _) = busy_user(&stack).await;
    let pool = stack.pool();
    for (statement, constraint) in [
        (
            "INSERT INTO transactions
             SELECT user_id, 99, gen_random_uuid(), type, posted_at, available_change + 1, to_be_consumed_change,
                    to_be_settled_change, withdrawing_change, platform_change, platform_account, flow_type, fee,
                    available_after, to_be_consumed_after, to_be_settled_after, withdrawing_after, hash, NULL, NULL, NULL,
                    'another', request_digest, staff_id, remark
             FROM transactions WHERE user_id = $1 AND type = 'deposit'",
            "transactions_balance",
        ),
        (
            "UPDATE wallets SET available = -1 WHERE user_id = $1",
            "balance_range",
        ),
        (
            "UPDATE wallets SET to_be_settled = -1 WHERE user_id = $1",
            "balance_range",
        ),
        (
            "UPDATE wallets SET guarantee = -1 WHERE user_id = $1",
            "wallets_guarantee",
        ),
        (
            "INSERT INTO transactions (user_id, seq, id, type, posted_at, available_change, to_be_consumed_change,
                    to_be_settled_change, withdrawing_change, guarantee_change, platform_change, fee, available_after,
                    to_be_consumed_after, to_be_settled_after, withdrawing_after, hash, idempotency_key, request_digest,
                    remark)
             SELECT user_id, 99, gen_random_uuid(), 'guarantee_deposit', posted_at, -5, 0, 0, 0, 6, 0, 0, available_after, 0, 0,
                    0, hash, 'another', request_digest, ''
             FROM transactions WHERE user_id = $1 AND type = 'deposit'",
            "transactions_balance",
        ),
        (
            "UPDATE holds SET consumed = 361 WHERE user_id = $1",
            "holds_open",
        ),
    ] {
        let error = sqlx::query(AssertSqlSafe(statement))
            .bind(user)
            .execute(&pool)
            .await
            .expect_err(statement);
        let error = error.into_database_error().expect("a database error");
        assert_eq!(error.code().as_deref(), Some("23514"), "{statement}");
        assert_eq!(error.constraint(), Some(constraint), "{statement}");
    }
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn chains_verify_and_a_tampered_row_is_found() {
    let stack = Wallet::spawn().await;
    let (user, _) = busy_user(&stack).await;
    let (other, _) = busy_user(&stack).await;
    let all = stack.verify(None).await;
    assert_eq!((all.users, all.transactions, all.broken.len()), (2, 8, 0));
    let one = stack.verify(Some(user)).await;
    assert_eq!((one.users, one.transactions), (1, 4));

    let pool = stack.pool();
    tamper(
        &pool,
        &format!(
            "UPDATE transactions SET available_change = -299, to_be_consumed_change = 359 WHERE user_id = '{user}' AND seq = 2"
        ),
    )
    .await;
    let found = stack.verify(None).await.broken;
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].user_id.as_str(), found[0].sequence),
        (user.to_string().as_str(), 2)
    );
    assert_eq!(stack.verify(Some(other)).await.broken, []);

    // The last transaction is taken away, and the wallet with it: the head no longer fits.
    tamper(
        &pool,
        &format!("DELETE FROM transactions WHERE user_id = '{other}' AND seq = 4"),
    )
    .await;
    assert_eq!(stack.verify(Some(other)).await.broken[0].sequence, 4);
    tamper(
        &pool,
        &format!("UPDATE wallets SET seq = 3, to_be_settled = 0 WHERE user_id = '{other}'"),
    )
    .await;
    assert_eq!(
        stack.verify(Some(other)).await.broken[0].detail,
        "wallet's chain head is another"
    );
}

/// Each column is changed in the database, alone, and its hash is left as it is.
#[tokio::test]
async fn every_column_that_is_covered_and_changed_is_found() {
    let stack = Wallet::spawn().await;
    let pool = stack.pool();
    let user = stack.user_with(1_000).await;
    for posting in [StaffPosting::GuaranteeDeposit, StaffPosting::Chargeback] {
        let posted = stack.post_as(&finance(), posting, user, 100).await;
        posted.expect("posted");
    }
    assert_eq!(stack.verify(Some(user)).await.broken, []);
    // Constraints stop changes that leave others behind; the owner of the table takes them away.
    let unbound = "ALTER TABLE transactions DROP CONSTRAINT transactions_balance, DROP CONSTRAINT transactions_cause";
    tamper(&pool, unbound).await;
    for (seq, column, other) in [
        (1, "remark", "'other'"),
        (1, "staff_id", "NULL"),
        (1, "staff_id", "gen_random_uuid()"),
        (1, "reference", "gen_random_uuid()"),
        (1, "order_id", "gen_random_uuid()"),
        (1, "order_version", "1"),
        (1, "idempotency_key", "idempotency_key || 'x'"),
        (1, "request_digest", "sha256('')"),
        (1, "fee", "1"),
        (1, "platform_account", "'membership'"),
        (1, "platform_change", "platform_change + 1"),
        (1, "flow_type", "NULL"),
        (1, "flow_type", "'guarantee'"),
        (1, "type", "'chargeback'"),
        (1, "posted_at", "posted_at + interval '1 microsecond'"),
        (1, "id", "gen_random_uuid()"),
        (2, "guarantee_change", "guarantee_change + 1"),
        (2, "chain_version", "1"),
        (3, "chain_version", "1"),
        (3, "chain_version", "3"),
    ] {
        let change = format!("UPDATE transactions SET {column} = {other} WHERE seq = {seq}");
        let kept = "CREATE TABLE kept AS SELECT * FROM transactions";
        tamper(&pool, kept).await;
        tamper(&pool, &change).await;
        let found = stack.verify(Some(user)).await.broken;
        let found: Vec<i64> = found.iter().map(|it| it.sequence).collect();
        assert_eq!(found, [seq], "{change}");
        tamper(
            &pool,
            "DELETE FROM transactions; INSERT INTO transactions SELECT * FROM kept; DROP TABLE kept",
        )
        .await;
        assert_eq!(stack.verify(Some(user)).await.broken, [], "{change}");
    }
    // The guarantee of the wallet is that of the chain.
    tamper(&pool, "UPDATE wallets SET guarantee = guarantee + 1").await;
    assert_eq!(
        stack.verify(Some(user)).await.broken[0].detail,
        "wallet's balances are others"
    );
    assert_eq!(stack.failed_checks().await, ["balances_equal_entries"]);
}

/// While an upgrade lasts, replicas of the release before go on with version 1, in any wallet.
#[tokio::test]
async fn versions_alternate_in_a_chain_that_verifies() {
    let stack = Wallet::spawn().await;
    let user = stack.user_with(1_000).await;
    downgrade(&stack, user).await;
    for amount in [100, 50] {
        let posting = StaffPosting::GuaranteeDeposit;
        let posted = stack.post_as(&finance(), posting, user, amount).await;
        posted.expect("posted");
    }
    stack.deposit(user, 5).await;
    downgrade(&stack, user).await;
    stack.deposit(user, 7).await;
    let versions: Vec<i16> =
        sqlx::query_scalar("SELECT chain_version FROM transactions ORDER BY seq")
            .fetch_all(&stack.pool())
            .await
            .expect("versions");
    assert_eq!(versions, [1, 2, 2, 1, 2]);
    assert_eq!(stack.verify(Some(user)).await.broken, []);
    stack.assert_books_balance().await;
}

/// Makes the last transaction what the release before would have written.
async fn downgrade(stack: &Wallet, user: Uuid) {
    let rewritten = format!(
        "WITH last AS (
             UPDATE transactions t SET chain_version = 1, hash = sha256(
                 coalesce((SELECT hash FROM transactions b WHERE b.user_id = t.user_id AND b.seq = t.seq - 1),
                          decode(repeat('00', 32), 'hex'))
                 || convert_to(format('adfolio-chain-1|%s|%s|%s|%s|%s|%s|%s|%s|%s', user_id, seq,
                     to_char(posted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), id, type,
                     available_change, to_be_consumed_change, to_be_settled_change, withdrawing_change), 'UTF8'))
             WHERE user_id = '{user}' AND seq = (SELECT seq FROM wallets WHERE user_id = '{user}') RETURNING hash)
         UPDATE wallets SET chain_head = last.hash FROM last WHERE user_id = '{user}'"
    );
    tamper(&stack.pool(), &rewritten).await;
}

#[tokio::test]
async fn the_hash_of_the_statement_is_the_documented_one() {
    let stack = Wallet::spawn().await;
    let (user, _) = busy_user(&stack).await;
    stack
        .deposit_as(&finance(), user, 70, "a|b, \"ü\"")
        .await
        .expect("a deposit");
    sqlx::raw_sql(
        "CREATE FUNCTION hash_of(it text) RETURNS text IMMUTABLE STRICT LANGUAGE sql
         AS $$ SELECT encode(sha256(convert_to(it, 'UTF8')), 'hex') $$",
    )
    .execute(&stack.pool())
    .await
    .expect("a function");
    let rows: Vec<(Vec<u8>, Vec<u8>)> = sqlx::query_as(
        "SELECT hash, sha256(coalesce(lag(hash) OVER (ORDER BY seq), decode(repeat('00', 32), 'hex'))
             || convert_to(format('adfolio-chain-2|%s|%s|%s|%s|%s|%s|%s|%s|%s|%s|%s', user_id, seq,
                    to_char(posted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), id, type, available_change,
                    to_be_consumed_change, to_be_settled_change, withdrawing_change, guarantee_change, details), 'UTF8'))
         FROM transactions
         CROSS JOIN LATERAL (SELECT hash_of(concat_ws('|', 'adfolio-undisclosed-1', coalesce(platform_account::text, '-'),
             platform_change, fee, coalesce(flow_type::text, '-'), coalesce(order_id::text, '-'),
             coalesce(order_version::text, '-'), coalesce(reference::text, '-'), coalesce(hash_of(idempotency_key), '-'),
             coalesce(encode(request_digest, 'hex'), '-'), coalesce(staff_id::text, '-'))) AS undisclosed) AS u
         CROSS JOIN LATERAL (SELECT hash_of(concat_ws('|', 'adfolio-details-1', coalesce(order_id::text, reference::text, '-'),
             CASE remark WHEN '' THEN '-' ELSE hash_of(remark) END, undisclosed)) AS details) AS d
         WHERE user_id = $1 ORDER BY seq",
    )
    .bind(user)
    .fetch_all(&stack.pool())
    .await
    .expect("the chain");
    assert_eq!(rows.len(), 5);
    for (hash, recomputed) in rows {
        assert_eq!(hex::encode(hash), hex::encode(recomputed));
    }
}

#[tokio::test]
async fn reconciliation_names_what_does_not_balance() {
    let stack = Wallet::spawn().await;
    let (user, order) = busy_user(&stack).await;
    busy_user(&stack).await;
    let pool = stack.pool();
    assert_eq!(stack.failed_checks().await, Vec::<String>::new());
    let steps = [
        (
            format!("UPDATE wallets SET available = available + 1 WHERE user_id = '{user}'"),
            format!("UPDATE wallets SET available = available - 1 WHERE user_id = '{user}'"),
            vec!["balances_equal_entries", "fund_details_sum_to_available"],
        ),
        (
            format!("UPDATE wallets SET discount_total = 61 WHERE user_id = '{user}'"),
            format!("UPDATE wallets SET discount_total = 60 WHERE user_id = '{user}'"),
            vec!["discounts_equal_promotions"],
        ),
        (
            format!("UPDATE holds SET revenue = 81 WHERE order_id = '{order}'"),
            format!("UPDATE holds SET revenue = 80 WHERE order_id = '{order}'"),
            vec!["holds_equal_balances"],
        ),
        (
            format!(
                "UPDATE transactions SET available_after = 1 WHERE user_id = '{user}' AND seq = 2"
            ),
            format!(
                "UPDATE transactions SET available_after = 700 WHERE user_id = '{user}' AND seq = 2"
            ),
            vec!["balances_follow_in_sequence"],
        ),
        (
            // Only the owner of the table can, and has to take the constraint away first.
            format!(
                "ALTER TABLE transactions DROP CONSTRAINT transactions_balance;
                 UPDATE transactions SET platform_change = platform_change + 1 WHERE user_id = '{user}' AND type = 'consume'"
            ),
            format!(
                "UPDATE transactions SET platform_change = platform_change - 1 WHERE user_id = '{user}' AND type = 'consume'"
            ),
            vec!["entries_sum_to_zero"],
        ),
        (
            "INSERT INTO transactions
             SELECT 'fffffff0-0000-7000-8000-000000000000', seq, gen_random_uuid(), type, posted_at, available_change,
                    to_be_consumed_change, to_be_settled_change, withdrawing_change, platform_change, platform_account,
                    flow_type, fee, available_after, to_be_consumed_after, to_be_settled_after, withdrawing_after, hash,
                    NULL, NULL, NULL, 'another', request_digest, staff_id, remark
             FROM transactions WHERE type = 'deposit' LIMIT 1"
                .to_owned(),
            "DELETE FROM transactions WHERE idempotency_key = 'another'".to_owned(),
            vec!["balances_equal_entries"],
        ),
    ];
    for (breaking, mending, expected) in steps {
        tamper(&pool, &breaking).await;
        assert_eq!(stack.failed_checks().await, expected, "{breaking}");
        tamper(&pool, &mending).await;
    }
    assert_eq!(stack.failed_checks().await, Vec::<String>::new());
}

#[tokio::test]
async fn proofs_hold_while_postings_go_on() {
    let stack = Wallet::spawn().await;
    let users = futures::future::join_all((0..20).map(|_| stack.user_with(1_000_000))).await;
    let posting = async {
        for turn in 0..200_usize {
            let (user, order, ledger) = (users[turn % users.len()], Uuid::now_v7(), stack.ledger());
            ledger.hold(user, order, 50, 7).await.expect("a hold");
            ledger
                .record(user, order, 1, 20, 30)
                .await
                .expect("a report");
            ledger
                .settle(user, order, 20, 30, 3)
                .await
                .expect("a settlement");
        }
    };
    let proving = async {
        for _ in 0..4 {
            let proof = stack.reconcile().await;
            let own = proof
                .checks
                .into_iter()
                .filter(|check| !check.detail.contains("books"));
            assert_eq!(own.filter(|check| !check.ok).collect::<Vec<_>>(), []);
            assert_eq!(stack.verify(None).await.broken, []);
        }
    };
    futures::future::join(posting, proving).await;
    stack.assert_books_balance().await;
}
