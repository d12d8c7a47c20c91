//! The books themselves: append-only, balanced by the database, verifiable, and every tampering found.

use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;

use crate::helpers::Wallet;

/// Runs statements as an intruder who is master of the database and has switched the triggers off.
async fn tamper(pool: &PgPool, statement: &str) {
    let mut connection = pool.acquire().await.expect("a connection");
    for step in [
        "SET session_replication_role = replica",
        statement,
        "SET session_replication_role = origin",
    ] {
        sqlx::raw_sql(AssertSqlSafe(step))
            .execute(&mut *connection)
            .await
            .expect("tampering");
    }
}

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

#[tokio::test]
async fn the_hash_of_the_statement_is_the_documented_one() {
    let stack = Wallet::spawn().await;
    let (user, _) = busy_user(&stack).await;
    let rows: Vec<(Vec<u8>, Vec<u8>)> = sqlx::query_as(
        "SELECT hash, sha256(coalesce(lag(hash) OVER (ORDER BY seq), decode(repeat('00', 32), 'hex'))
             || convert_to(format('adfolio-chain-1|%s|%s|%s|%s|%s|%s|%s|%s|%s', user_id, seq,
                    to_char(posted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), id, type, available_change,
                    to_be_consumed_change, to_be_settled_change, withdrawing_change), 'UTF8'))
         FROM transactions WHERE user_id = $1 ORDER BY seq",
    )
    .bind(user)
    .fetch_all(&stack.pool())
    .await
    .expect("the chain");
    assert_eq!(rows.len(), 4);
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
