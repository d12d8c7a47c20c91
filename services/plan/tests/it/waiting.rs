//! What waits for staff here, and how long sources are silent.

use std::time::Duration;

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::common::v1::{Waiting, WaitingKind};
use adfolio_proto::plan::v1::*;

use crate::helpers::{Plan, *};

async fn ask(
    stack: &Plan,
    by: &Caller,
) -> Result<GetWaitingResponse, adfolio_kit::refusal::Refusal> {
    let request = call(by, GetWaitingRequest {});
    let answer = stack.staff().get_waiting(request).await;
    Ok(answer.map_err(refused)?.into_inner())
}

fn of(answer: &GetWaitingResponse, kind: WaitingKind) -> Waiting {
    let mut items = answer.items.iter();
    *items.find(|item| item.kind() == kind).unwrap()
}

#[tokio::test]
async fn plans_imports_and_sources_wait_since_a_time() {
    let stack = Plan::spawn().await;
    let by = staff(StaffRole::Support);
    let nothing = ask(&stack, &by).await.unwrap();
    for kind in [
        WaitingKind::DeliveryImports,
        WaitingKind::QuarantinedReports,
        WaitingKind::PlansToFinish,
        WaitingKind::PlansToSettle,
    ] {
        let waiting = of(&nothing, kind);
        assert_eq!(
            (waiting.count, waiting.oldest_at, waiting.is_more),
            (0, None, false)
        );
    }
    assert!(nothing.sources.is_empty());

    let register = SaveReportSourceRequest {
        source: "network-b".to_owned(),
        channels: vec![ReportChannel::File.into()],
        reason: String::new(),
    };
    let admin = staff(StaffRole::Admin);
    stack
        .staff()
        .save_report_source(call(&admin, register))
        .await
        .unwrap();
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    let plan = stack.put(&caller, &product, 1_000).await.unwrap();
    let file = format!(
        "report_id,plan_number,time,impressions,clicks,spend,revenue\n\
         1,{},2026-11-20T09:00:00Z,100,5,1.00,2.00\n",
        plan.plan_number
    );
    let header = ImportHeader {
        format: ImportFormat::Csv.into(),
        source: "network-b".to_owned(),
        mapping_json: "{}".to_owned(),
        dry_run: false,
        signature: Vec::new(),
    };
    let import = stack
        .propose(&operator(), header, file.as_bytes())
        .await
        .unwrap();
    let proposed_at = stack.clock.now();
    stack.clock.advance(Duration::from_hours(1));
    let one = ask(&stack, &by).await.unwrap();
    let imports = of(&one, WaitingKind::DeliveryImports);
    assert_eq!(imports.count, 1);
    assert_eq!(imports.oldest_at.unwrap().seconds, proposed_at.timestamp());
    let silence = |answer: &GetWaitingResponse| {
        let sources = answer.sources.iter();
        let sources = sources.map(|it| (it.source.clone(), it.reported_at.map(|at| at.seconds)));
        sources.collect::<Vec<_>>()
    };
    assert_eq!(silence(&one), [("network-b".to_owned(), None)]);

    let second = staff(StaffRole::Operator);
    let decision = ImportDecision::Released;
    stack
        .decide(&second, &import.import_id, decision, "seen")
        .await
        .unwrap();
    let reported_at = stack.clock.now();
    stack.clock.advance(Duration::from_hours(5));
    let after = ask(&stack, &by).await.unwrap();
    assert_eq!(of(&after, WaitingKind::DeliveryImports).count, 0);
    let told = [("network-b".to_owned(), Some(reported_at.timestamp()))];
    assert_eq!(silence(&after), told);

    let user = ask(&stack, &caller).await.unwrap_err();
    assert_eq!(user.reason, Reason::NotAuthenticated);
}
