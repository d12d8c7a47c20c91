//! The hash chain of reports: every batch is in it, and a change behind plan's back is found.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::plan_reconcile_service_client::PlanReconcileServiceClient;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::{eventually, tamper};
use sqlx::PgPool;

use crate::helpers::{Plan, *};

const HEADER: &str = "report_id,revision,plan_number,time,impressions,clicks,spend,revenue\n";

/// More than one page of a verification in debug builds.
const FILES: i64 = 8;

async fn verify(stack: &Plan) -> VerifyReportsResponse {
    let admin = staff(StaffRole::Admin);
    let request = call(&admin, VerifyReportsRequest {});
    let found = stack.staff().verify_reports(request).await;
    found.unwrap().into_inner()
}

/// The verification once no batch waits.
async fn sealed(stack: &Plan) -> VerifyReportsResponse {
    eventually("every batch is sealed", async || {
        let found = verify(stack).await;
        (found.waiting == 0).then_some(found)
    })
    .await
}

async fn seal(stack: &Plan, sequence: i64) -> Result<GetReportSealResponse, tonic::Status> {
    let mut client = PlanReconcileServiceClient::new(stack.channel());
    let request = call(&Caller::system(), GetReportSealRequest { sequence });
    Ok(client.get_report_seal(request).await?.into_inner())
}

/// The reports `from` to `to` in this revision.
fn file(plan: &pb::Plan, ids: std::ops::Range<i64>, revision: i64) -> String {
    let number = &plan.plan_number;
    let rows = ids.map(|id| {
        format!(
            "r{id},{revision},{number},2026-11-20T08:{id:02}:00.123456789Z,10,2,0.10,0.{revision}\n"
        )
    });
    format!("{HEADER}{}", rows.collect::<String>())
}

async fn put(stack: &Plan) -> pb::Plan {
    let product = stack.product().await;
    let caller = stack.user_with(1_000_000).await;
    stack.put(&caller, &product, 100_000).await.unwrap()
}

#[tokio::test]
async fn every_batch_is_sealed_and_a_change_is_found() {
    let stack = Plan::spawn().await;
    let refused = seal(&stack, 0).await.map_err(refused);
    assert_eq!(refused.expect_err("no seal").reason, Reason::NotFound);
    let plan = put(&stack).await;
    for number in 0..FILES {
        // Each file restates a report of the one before.
        let rows = file(&plan, number..number + 2, number + 1);
        stack.import("network-a", "{}", &rows).await;
    }
    let found = sealed(&stack).await;
    assert_eq!(
        (
            found.reports,
            found.sequence,
            found.broken_sequence,
            found.unsealed
        ),
        (2 * FILES, FILES, 0, 0),
        "{}",
        found.detail
    );
    for sequence in [0, FILES] {
        let newest = seal(&stack, sequence).await.unwrap();
        assert_eq!((newest.sequence, newest.broken_sequence), (FILES, 0));
        assert_eq!(hex::encode(newest.hash), found.hash);
    }
    assert_eq!(seal(&stack, 5).await.unwrap().sequence, 5);
    let beyond = seal(&stack, FILES + 1).await.unwrap();
    assert_eq!(beyond.broken_sequence, FILES + 1);

    let pool = stack.db.pool();
    for table in TABLES {
        tamper(
            &pool,
            &format!("CREATE TABLE kept_{table} AS TABLE {table}"),
        )
        .await;
    }
    for table in ["delivery_reports", "superseded_reports"] {
        for change in [
            "revenue_micros = revenue_micros + 900000000",
            "spend_micros = spend_micros + 1",
            "impressions = impressions + 1",
            "clicks = clicks + 1",
            "time = time + interval '1 microsecond'",
            "received_at = received_at + interval '1 microsecond'",
            "order_id = gen_random_uuid()",
            "source = 'network-b'",
            "report_id = report_id || 'x'",
            "estimated = NOT estimated",
            "origin = 'network'",
            "import_line = import_line + 1",
            "import_id = gen_random_uuid()",
        ] {
            let statement = format!("UPDATE {table} SET {change} WHERE {FOURTH}");
            tamper(&pool, &statement).await;
            assert_broken(&stack, "hash does not fit", &statement).await;
            restore(&pool).await;
        }
        for statement in [
            format!("DELETE FROM {table} WHERE {FOURTH}"),
            format!("UPDATE {table} SET batch_id = NULL WHERE {FOURTH}"),
        ] {
            tamper(&pool, &statement).await;
            assert_broken(&stack, "number of reports does not fit", &statement).await;
            restore(&pool).await;
        }
    }
    tamper(&pool, "DELETE FROM report_seals WHERE seq = 6").await;
    assert_eq!(verify(&stack).await.broken_sequence, 6);
    restore(&pool).await;
    // A chain cut at its end holds by itself: only what was published tells.
    let cut = format!("DELETE FROM report_seals WHERE seq = {FILES}");
    tamper(&pool, &cut).await;
    let found = verify(&stack).await;
    assert_eq!((found.broken_sequence, found.unsealed), (0, 2));
    assert_eq!(seal(&stack, FILES).await.unwrap().broken_sequence, FILES);
    restore(&pool).await;
    assert_eq!(verify(&stack).await.broken_sequence, 0);
}

#[tokio::test]
async fn reports_of_many_sources_at_once_are_one_chain() {
    const SOURCES: i64 = 12;
    let stack = Plan::builder().replicas(2).spawn().await;
    let plan = put(&stack).await;
    let files = (0..SOURCES).map(|number| {
        let (stack, plan) = (&stack, &plan);
        async move {
            let rows = file(plan, 0..3, 1);
            stack
                .import(&format!("network-{number}"), "{}", &rows)
                .await
        }
    });
    let taken = futures::future::join_all(files).await;
    assert!(taken.iter().all(|summary| summary.applied == 3));
    let found = sealed(&stack).await;
    assert_eq!(
        (found.reports, found.sequence, found.broken_sequence),
        (3 * SOURCES, SOURCES, 0),
        "{}",
        found.detail
    );
    assert_eq!(found.unsealed, 0);
}

#[tokio::test]
async fn a_release_without_the_chain_leaves_reports_without_seals() {
    let stack = Plan::spawn().await;
    let plan = put(&stack).await;
    stack.import("network-a", "{}", &file(&plan, 0..2, 1)).await;
    let pool = stack.db.pool();
    // What it writes: no batch.
    let columns = "source, report_id, revision, order_id, time, impressions, clicks, spend_micros, charged_micros,
                   revenue_micros, estimated, origin, received_at";
    let statement = format!(
        "INSERT INTO delivery_reports ({columns})
         SELECT source, CASE report_id WHEN 'r0' THEN 'new' ELSE 'r1' END, 2, order_id, time, impressions, clicks,
                spend_micros, charged_micros, revenue_micros, estimated, origin, received_at
         FROM delivery_reports
         ON CONFLICT (source, report_id) DO UPDATE SET revision = excluded.revision, clicks = excluded.clicks"
    );
    sqlx::query(sqlx::AssertSqlSafe(statement))
        .execute(&pool)
        .await
        .unwrap();
    let found = sealed(&stack).await;
    assert_eq!((found.broken_sequence, found.unsealed), (0, 2));
    // The next revision is sealed again.
    stack.import("network-a", "{}", &file(&plan, 1..2, 3)).await;
    let found = sealed(&stack).await;
    assert_eq!((found.broken_sequence, found.unsealed), (0, 1));
}

#[tokio::test]
async fn only_an_admin_verifies_and_only_batches_with_changes_have_seals() {
    let stack = Plan::spawn().await;
    let plan = put(&stack).await;
    for _ in 0..2 {
        stack.import("network-a", "{}", &file(&plan, 0..2, 1)).await;
    }
    assert_eq!(sealed(&stack).await.sequence, 1);
    let finance = staff(StaffRole::Finance);
    let request = call(&finance, VerifyReportsRequest {});
    let outcome = stack.staff().verify_reports(request).await.map_err(refused);
    assert_eq!(outcome.expect_err("finance").reason, Reason::Forbidden);
    // Who may write may not rewrite.
    let pool = stack.db.pool();
    for statement in [
        "UPDATE report_seals SET reports = 9",
        "DELETE FROM report_seals",
        "UPDATE delivery_reports SET batch_id = gen_random_uuid()",
        "UPDATE delivery_reports SET batch_id = NULL",
    ] {
        let outcome = sqlx::query(statement).execute(&pool).await;
        assert!(outcome.is_err(), "{statement}");
    }
}

const TABLES: [&str; 3] = ["delivery_reports", "superseded_reports", "report_seals"];

/// One report of the fourth batch: one is in force, the other one superseded.
const FOURTH: &str = "batch_id = (SELECT batch_id FROM report_seals WHERE seq = 4)";

async fn assert_broken(stack: &Plan, detail: &str, statement: &str) {
    let found = verify(stack).await;
    assert_eq!(
        (found.broken_sequence, found.detail.as_str()),
        (4, detail),
        "{statement}"
    );
    let published = seal(stack, FILES).await.unwrap();
    assert_eq!(published.broken_sequence, 4, "{statement}");
}

async fn restore(pool: &PgPool) {
    for table in TABLES {
        tamper(pool, &format!("DELETE FROM {table}")).await;
        tamper(
            pool,
            &format!("INSERT INTO {table} SELECT * FROM kept_{table}"),
        )
        .await;
    }
}
