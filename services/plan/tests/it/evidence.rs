//! Reports as evidence: who brought them, what they said before, and that they add up.

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::plan_reconcile_service_client::PlanReconcileServiceClient;
use adfolio_proto::plan::v1::*;
use sha2::{Digest, Sha256};

use crate::helpers::{Plan, *};

const HEADER: &str = "report_id,revision,plan_number,time,impressions,clicks,spend,revenue\n";

async fn put(stack: &Plan) -> (Caller, pb::Plan) {
    let product = stack.product().await;
    let caller = stack.user_with(1_000_000).await;
    let plan = stack.put(&caller, &product, 100_000).await.unwrap();
    (caller, plan)
}

fn row(report: &str, revision: i64, plan: &pb::Plan, minute: u32, money: (&str, &str)) -> String {
    let (number, (spend, revenue)) = (&plan.plan_number, money);
    format!("{report},{revision},{number},2026-11-20T08:{minute:02}:00Z,10,2,{spend},{revenue}\n")
}

async fn reports(
    stack: &Plan,
    caller: &Caller,
    plan: &str,
    page: PageRequest,
) -> Result<ListReportsResponse, Refusal> {
    let message = ListReportsRequest {
        plan_id: plan.to_owned(),
        page: Some(page),
    };
    let answer = stack.users().list_reports(call(caller, message)).await;
    answer
        .map(tonic::Response::into_inner)
        .map_err(|status| Refusal::from_status(&status).expect("a refusal"))
}

pub async fn books(stack: &Plan) -> Vec<DeliveryBook> {
    let message = ListDeliveryBooksRequest {
        after_order_id: String::new(),
        limit: 0,
    };
    let mut client = PlanReconcileServiceClient::new(stack.channel());
    let request = call(&Caller::system(), message);
    client
        .list_delivery_books(request)
        .await
        .unwrap()
        .into_inner()
        .items
}

#[tokio::test]
async fn the_owner_sees_every_report_and_what_it_adds_up_to() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let rows: Vec<String> = (0..7)
        .map(|place| {
            row(
                &format!("r{place}"),
                1,
                &plan,
                place,
                ("0.0125", "0.333333"),
            )
        })
        .collect();
    let file = format!("{HEADER}{}", rows.concat());
    stack.import("network-a", "{}", &file).await;
    let first = reports(
        &stack,
        &caller,
        &plan.id,
        PageRequest {
            limit: 5,
            ..PageRequest::default()
        },
    )
    .await
    .unwrap();
    let cursor = first.next_cursor.clone();
    let second = reports(&stack, &caller, &plan.id, PageRequest { limit: 5, cursor })
        .await
        .unwrap();
    assert!(second.next_cursor.is_empty());
    let all: Vec<&DeliveryReport> = first.items.iter().chain(&second.items).collect();
    let ids: Vec<&str> = all.iter().map(|report| report.report_id.as_str()).collect();
    assert_eq!(ids, ["r6", "r5", "r4", "r3", "r2", "r1", "r0"]);
    let digest = hex::encode(Sha256::digest(&file));
    for (report, line) in all.iter().zip((2..=8).rev()) {
        let import = report.import.as_ref().expect("the file");
        assert_eq!(
            (import.sha256.as_str(), import.line),
            (digest.as_str(), line)
        );
        assert_eq!((report.source.as_str(), report.revision), ("network-a", 1));
    }
    let shown = stack.plan(&caller, &plan.id).await;
    let totals = first.totals.expect("totals");
    let sum = |of: fn(&DeliveryReport) -> i64| all.iter().map(|report| of(report)).sum::<i64>();
    assert_eq!(sum(|report| report.spend_micros), 87_500);
    assert_eq!(sum(|report| report.revenue_micros), 2_333_331);
    assert_eq!(
        (
            totals.impressions,
            totals.clicks,
            totals.consumed_minor,
            totals.revenue_minor
        ),
        (
            shown.impressions,
            shown.clicks,
            shown.consumed_minor,
            shown.revenue_minor
        )
    );
    assert_eq!((totals.consumed_minor, totals.revenue_minor), (9, 233));
    // Nobody else's.
    let stranger = stack.user_with(100).await;
    let refused = reports(&stack, &stranger, &plan.id, PageRequest::default()).await;
    assert_eq!(refused.expect_err("foreign").reason, Reason::NotFound);
    let borrowed = PageRequest {
        cursor: first.next_cursor,
        limit: 5,
    };
    let (other, its) = put(&stack).await;
    let refused = reports(&stack, &other, &its.id, borrowed).await;
    assert_eq!(
        refused.expect_err("a foreign cursor").field.as_deref(),
        Some("cursor")
    );
}

#[tokio::test]
async fn what_a_report_said_before_stays() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    for (revision, money) in [
        (1, ("1.00", "900.00")),
        (2, ("1.00", "3.00")),
        (4, ("2.00", "4.00")),
    ] {
        let file = format!("{HEADER}{}", row("r1", revision, &plan, 0, money));
        stack.import("network-a", "{}", &file).await;
    }
    let listed = reports(&stack, &caller, &plan.id, PageRequest::default())
        .await
        .unwrap();
    assert_eq!(
        (
            listed.items.len(),
            listed.items[0].revision,
            listed.items[0].revenue_micros
        ),
        (1, 4, 4_000_000)
    );
    let pool = stack.db.pool();
    let before: Vec<(i64, i64, bool)> = sqlx::query_as(
        "SELECT revision, revenue_micros, import_id IN (SELECT id FROM delivery_imports)
         FROM superseded_reports ORDER BY revision",
    )
    .fetch_all(&pool)
    .await
    .unwrap();
    assert_eq!(before, [(1, 900_000_000, true), (2, 3_000_000, true)]);
    // Who may write may not rewrite.
    for statement in [
        "UPDATE delivery_reports SET revenue_micros = 900000000",
        "UPDATE delivery_reports SET revision = 3, revenue_micros = 900000000",
        "UPDATE delivery_reports SET received_at = now()",
        "UPDATE delivery_reports SET order_id = gen_random_uuid(), revision = 9",
        "DELETE FROM delivery_reports",
        "UPDATE superseded_reports SET revenue_micros = 0",
        "DELETE FROM superseded_reports",
        "DELETE FROM delivery_imports",
    ] {
        let outcome = sqlx::query(sqlx::AssertSqlSafe(statement))
            .execute(&pool)
            .await;
        assert!(outcome.is_err(), "{statement}");
    }
}

#[tokio::test]
async fn a_report_of_another_plan_is_no_repeat() {
    let stack = Plan::spawn().await;
    let (_, plan) = put(&stack).await;
    let (other, its) = put(&stack).await;
    let file = |revision, plan: &pb::Plan| {
        format!("{HEADER}{}", row("r1", revision, plan, 0, ("1.00", "2.00")))
    };
    stack.import("network-a", "{}", &file(2, &plan)).await;
    for revision in [1, 2, 3] {
        let summary = stack.import("network-a", "{}", &file(revision, &its)).await;
        assert_eq!(
            (summary.repeated_rows, summary.rejected_count),
            (0, 1),
            "{revision}"
        );
        assert_eq!(
            summary.rejected[0].reason,
            "the report belongs to another plan"
        );
    }
    assert_eq!(stack.plan(&other, &its.id).await.revenue_minor, 0);
}

#[tokio::test]
async fn a_figure_that_no_report_explains_is_found() {
    let stack = Plan::spawn().await;
    let (_, plan) = put(&stack).await;
    let file = format!("{HEADER}{}", row("r1", 1, &plan, 0, ("1.00", "2.00")));
    stack.import("network-a", "{}", &file).await;
    let sound = |book: &DeliveryBook| book.equals_reports && book.equals_buckets;
    let known = books(&stack).await;
    assert!(known.iter().all(sound), "{known:?}");
    let book = known
        .iter()
        .find(|book| book.order_id == plan.id)
        .expect("the plan");
    assert_eq!((book.consumed_minor, book.revenue_minor), (100, 200));
    let pool = stack.db.pool();
    for (change, back, is_report) in [
        (
            "UPDATE orders SET revenue_micros = revenue_micros + 900000000",
            "UPDATE orders SET revenue_micros = revenue_micros - 900000000",
            true,
        ),
        (
            "UPDATE plan_buckets SET revenue_micros = revenue_micros + 1",
            "UPDATE plan_buckets SET revenue_micros = revenue_micros - 1",
            false,
        ),
    ] {
        sqlx::query(sqlx::AssertSqlSafe(change))
            .execute(&pool)
            .await
            .unwrap();
        let found = books(&stack).await;
        let book = found
            .iter()
            .find(|book| book.order_id == plan.id)
            .expect("the plan");
        assert!(!book.equals_buckets);
        assert_eq!(book.equals_reports, !is_report);
        sqlx::query(sqlx::AssertSqlSafe(back))
            .execute(&pool)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn an_import_says_who_and_what() {
    let stack = Plan::spawn().await;
    let (_, plan) = put(&stack).await;
    let file = format!("{HEADER}{}", row("r1", 1, &plan, 0, ("1.00", "2.00")));
    let (caller, bytes) = (operator(), file.as_bytes());
    let csv = ImportFormat::Csv;
    let taken = stack
        .try_import(&caller, csv, "network-a", "{}", bytes)
        .await;
    taken.expect("taken");
    // A file that cannot be read has brought nothing, and leaves nothing.
    let mapping = r#"{"nothing": "report_id"}"#;
    let refused = stack
        .try_import(&caller, csv, "network-b", mapping, bytes)
        .await;
    refused.expect_err("no column");
    let imports: Vec<(String, Option<Vec<u8>>, uuid::Uuid)> =
        sqlx::query_as("SELECT source, sha256, staff_id FROM delivery_imports")
            .fetch_all(&stack.db.pool())
            .await
            .unwrap();
    let digest = Sha256::digest(&file).to_vec();
    let staff = caller.staff.expect("staff").id;
    assert_eq!(imports, [("network-a".to_owned(), Some(digest), staff)]);
}
