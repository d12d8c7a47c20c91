//! Reports that networks send as they happen, and simulated ones.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::dead_letter::{self, DeadLetter};
use adfolio_kit::identity::Caller;
use adfolio_proto::events::v1::{DeliveryReport, DeliveryReported};
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::delivery_service_client::DeliveryServiceClient;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::{
    Told, deliver_twice_and_shuffled, eventually, instant, publish_event, publish_event_with_id,
    tell,
};
use uuid::Uuid;

use crate::helpers::{Plan, *};

const LIMIT: Duration = Duration::from_mins(1);
const TYPE: &str = "adfolio.delivery.v1.DeliveryReported";

async fn report(stack: &Plan, reports: Vec<ReportDeliveryRequest>) -> ReportDeliveryResponse {
    let request = outgoing(&Caller::system(), tokio_stream::iter(reports), LIMIT);
    let answer = DeliveryServiceClient::new(stack.channel())
        .report_delivery(request)
        .await;
    answer.unwrap().into_inner()
}

fn sent(plan: &pb::Plan, report_id: &str, spend: &str) -> ReportDeliveryRequest {
    ReportDeliveryRequest {
        source: "network-a".into(),
        report_id: report_id.into(),
        revision: 0,
        plan_number: plan.plan_number.clone(),
        time: Some(instant("2026-11-20T09:00:00Z").into()),
        impressions: 1_000,
        clicks: 10,
        spend: spend.into(),
        revenue: "1.000000001".into(),
        placement: String::new(),
    }
}

fn event(plan_number: &str, report_ids: &[&str]) -> DeliveryReported {
    let report = |report_id: &&str| DeliveryReport {
        report_id: (*report_id).to_owned(),
        revision: 1,
        plan_number: plan_number.to_owned(),
        time: Some(instant("2026-11-20T09:00:00Z").into()),
        impressions: 100,
        clicks: 1,
        spend: "0.25".into(),
        revenue: "0.50".into(),
        placement: String::new(),
    };
    DeliveryReported {
        source: "network-b".into(),
        reports: report_ids.iter().map(report).collect(),
    }
}

#[tokio::test]
async fn a_stream_of_reports_counts_each_once() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    let plan = stack.put(&caller, &product, 5_000).await.unwrap();
    let wrong = |change: fn(&mut ReportDeliveryRequest)| {
        let mut report = sent(&plan, "wrong", "1");
        change(&mut report);
        report
    };
    let reports = vec![
        sent(&plan, "1", "0.123456789"),
        sent(&plan, "2", "10"),
        wrong(|report| report.source = "Not a name".into()),
        sent(&plan, "1", "0.123456789"),
        wrong(|report| report.revision = -1),
        wrong(|report| report.time = None),
        wrong(|report| report.clicks = 1_001),
        wrong(|report| report.spend = "-1".into()),
        wrong(|report| report.report_id.clear()),
        wrong(|report| report.plan_number = "AD000000000000".into()),
        wrong(|report| report.time = Some(instant("2026-11-20T10:06:00Z").into())),
        ReportDeliveryRequest {
            revision: 2,
            ..sent(&plan, "2", "12")
        },
    ];
    let answer = report(&stack, reports.clone()).await;
    assert_eq!(answer.read, 12);
    assert_eq!(answer.applied, 2);
    assert_eq!(answer.repeated_reports, 1);
    assert_eq!(answer.restated, 1);
    let mut named: Vec<i64> = answer.rejected.iter().map(|row| row.line).collect();
    named.sort_unstable();
    assert_eq!(named, [3, 5, 6, 7, 8, 9, 10, 11]);
    assert_eq!(answer.rejected_count, 8);
    let known = stack.plan(&caller, &plan.id).await;
    assert_eq!(known.status(), PlanStatus::Putting);
    assert_eq!(known.impressions, 2_000);
    assert_eq!(known.consumed_minor, 1_212);
    assert_eq!(known.sources, ["network"]);
    let again = report(&stack, reports).await;
    assert_eq!(again.applied, 0);
    assert_eq!(again.repeated_reports, 4);
    assert_eq!(stack.plan(&caller, &plan.id).await.impressions, 2_000);
}

#[tokio::test]
async fn reports_come_over_the_broker_too_each_once() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    let plan = stack.put(&caller, &product, 5_000).await.unwrap();
    let broker = stack.broker.broker();
    let (id, message) = (Uuid::now_v7(), event(&plan.plan_number, &["1", "2"]));
    for _ in 0..2 {
        publish_event_with_id(&broker, id, TYPE, "", &message).await;
    }
    // The same reports in another message, with one that is new.
    publish_event(&broker, TYPE, "", &event(&plan.plan_number, &["2", "3"])).await;
    let known = eventually("three reports count", || async {
        let plan = stack.plan(&caller, &plan.id).await;
        (plan.impressions >= 300).then_some(plan)
    })
    .await;
    assert_eq!(known.impressions, 300);
    assert_eq!(known.consumed_minor, 75);
    assert_eq!(known.sources, ["network"]);
}

#[tokio::test]
async fn reports_told_twice_and_shuffled_count_once_in_their_latest_revision() {
    let stack = Plan::spawn().await;
    let broker = stack.broker.broker();
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    let plans = [
        stack.put(&caller, &product, 5_000).await.unwrap(),
        stack.put(&caller, &product, 5_000).await.unwrap(),
    ];
    let sources = ["network-a", "network-b", "network-c"];
    // Report `number` in its `revision` has 10 impressions and 0.10 spent for each of either.
    let message = |source: &str, plan: &pb::Plan, number: i64, revision: i64| {
        let amount = number * revision;
        let report = DeliveryReport {
            report_id: format!("{}-{number}", plan.plan_number),
            revision,
            plan_number: plan.plan_number.clone(),
            time: Some(instant("2026-11-20T09:00:00Z").into()),
            impressions: amount * 10,
            clicks: 1,
            spend: format!("{}.{}", amount / 10, amount % 10),
            revenue: "0".into(),
            placement: String::new(),
        };
        let data = DeliveryReported {
            source: source.to_owned(),
            reports: vec![report],
        };
        Told::new(TYPE, source, &data)
    };
    let mut told = Vec::new();
    for source in sources {
        for plan in &plans {
            for revision in 1..=3 {
                told.extend((1..=3).map(|number| message(source, plan, number, revision)));
            }
        }
    }
    let more: Vec<Told> = told.iter().step_by(5).map(Told::again).collect();
    told.extend(more);
    deliver_twice_and_shuffled(&broker, &told).await;
    // Messages of a source keep their order: once these are taken, all are.
    let last = sources.map(|source| message(source, &plans[0], 4, 1));
    tell(&broker, &last).await;
    eventually("all was taken", || async {
        let taken: i64 = sqlx::query_scalar("SELECT count(*) FROM inbox")
            .fetch_one(&stack.db.pool())
            .await
            .unwrap();
        usize::try_from(taken).unwrap() == told.len() + last.len()
    })
    .await;
    // Three sources told of 3 × (1 + 2 + 3) each, and of 4 more for the first plan.
    for (plan, expected) in plans.iter().zip([3 * (18 + 4), 3 * 18]) {
        let known = stack.plan(&caller, &plan.id).await;
        assert_eq!(known.impressions, expected * 10);
        assert_eq!(known.consumed_minor, expected * 10);
    }
    eventually("the ledger has it", || async {
        let figures = stack.money(&caller).await;
        figures
            == Money {
                available: 90_000,
                to_be_consumed: 10_000 - 10 * 3 * (18 + 4 + 18),
                ..Money::default()
            }
    })
    .await;
}

#[tokio::test]
async fn a_message_without_any_good_report_waits_for_an_operator() {
    let stack = Plan::spawn().await;
    let broker = stack.broker.broker();
    publish_event(&broker, TYPE, "", &event("AD000000000000", &["1"])).await;
    let letters: Vec<DeadLetter> = eventually("the message is dead", || async {
        let letters = dead_letter::list(&broker, "plan", "delivery", 10)
            .await
            .ok()?;
        (!letters.is_empty()).then_some(letters)
    })
    .await;
    assert_eq!(letters.len(), 1);
}

#[tokio::test]
async fn the_simulator_delivers_and_says_so() {
    // The replicas make the same reports, which repeat each other.
    let stack = Plan::builder()
        .configure(|config| {
            config.simulator.enabled = true;
            config.simulator.interval_seconds = 1;
            config.simulator.seed = 7;
        })
        .replicas(2)
        .spawn()
        .await;
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    let plan = stack.put(&caller, &product, 5_000).await.unwrap();
    let known = eventually("delivery begins", || async {
        let plan = stack.plan(&caller, &plan.id).await;
        (plan.status() == PlanStatus::Putting).then_some(plan)
    })
    .await;
    assert_eq!(known.sources, ["simulator"]);
    // The clock stands still, so all runs of both replicas make one report.
    let reports: i64 = sqlx::query_scalar("SELECT count(*) FROM delivery_reports")
        .fetch_one(&stack.db.pool())
        .await
        .unwrap();
    assert_eq!(reports, 1);
}
