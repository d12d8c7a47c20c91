//! Imports as proposals: what one member of staff brings posts nothing until another one releases it.

use std::time::Duration;

use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_plan::ImportRelease;
use adfolio_proto::auth::v1::SecondPair;
use adfolio_proto::events::v1::StaffActed;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::delivery_service_client::DeliveryServiceClient;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::{Builder, eventually};
use sha2::{Digest, Sha256};

use crate::helpers::{Plan, *};

const ACTED: &str = "adfolio.plan.v1.StaffActed";
const HEADER: &str = "report_id,plan_number,time,impressions,clicks,spend,revenue\n";

async fn put(stack: &Plan) -> (Caller, pb::Plan) {
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    let plan = stack.put(&caller, &product, 1_000).await.unwrap();
    (caller, plan)
}

fn file(plan: &pb::Plan, rows: &[(&str, &str, &str)]) -> String {
    format!("{HEADER}{}", lines(plan, rows))
}

fn lines(plan: &pb::Plan, rows: &[(&str, &str, &str)]) -> String {
    let number = &plan.plan_number;
    let row = |(id, spend, revenue): &(&str, &str, &str)| {
        format!("{id},{number},2026-11-20T09:00:00Z,100,5,{spend},{revenue}\n")
    };
    rows.iter().map(row).collect()
}

fn header(dry_run: bool) -> ImportHeader {
    ImportHeader {
        format: ImportFormat::Csv.into(),
        source: "network-a".to_owned(),
        mapping_json: "{}".to_owned(),
        dry_run,
        signature: Vec::new(),
    }
}

async fn propose(stack: &Plan, caller: &Caller, file: &str) -> ImportDeliveryResponse {
    let answer = stack.propose(caller, header(false), file.as_bytes()).await;
    answer.unwrap()
}

#[tokio::test]
async fn a_file_posts_nothing_until_a_second_person_releases_it() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let text = file(&plan, &[("1", "1.50", "2.25"), ("2", "0.25", "0.30")]);
    let (first, second) = (operator(), staff(StaffRole::Finance));
    let probe = stack.broker.probe(&[ACTED]).await;
    let proposed = propose(&stack, &first, &text).await;
    assert_eq!(proposed.state(), ImportState::Proposed);
    assert_eq!(proposed.sha256, hex::encode(Sha256::digest(&text)));
    assert_eq!((proposed.read, proposed.applied), (2, 2));
    let totals = proposed.totals.expect("totals");
    assert_eq!(
        (totals.plans, totals.impressions, totals.clicks),
        (1, 200, 10)
    );
    assert_eq!(
        (totals.spend_micros, totals.revenue_micros),
        (1_750_000, 2_550_000)
    );
    assert!(proposed.notable.is_empty(), "{:?}", proposed.notable);
    assert_eq!(stack.plan(&caller, &plan.id).await, plan);

    let own = stack
        .decide(
            &first,
            &proposed.import_id,
            ImportDecision::Released,
            "mine",
        )
        .await;
    assert_eq!(
        why(own),
        (Reason::Forbidden, Some("requested_by".to_owned()))
    );
    assert_eq!(stack.plan(&caller, &plan.id).await, plan);

    let released = stack
        .decide(
            &second,
            &proposed.import_id,
            ImportDecision::Released,
            "as agreed",
        )
        .await
        .unwrap();
    assert_eq!(released.state(), ImportState::Released);
    assert_eq!((released.applied, released.under_way), (2, false));
    assert_eq!(
        (&released.by, &released.decided_by),
        (&id_of(&first), &id_of(&second))
    );
    let shown = stack.plan(&caller, &plan.id).await;
    assert_eq!((shown.consumed_minor, shown.revenue_minor), (175, 255));
    assert_eq!(stack.imports(ImportState::Released).await, [released]);

    let acts: Vec<StaffActed> = probe
        .wait_for(ACTED, 3)
        .await
        .iter()
        .map(|event| event.data().unwrap())
        .collect();
    let act = |action: &str| acts.iter().find(|act| act.action == action).expect(action);
    let import = act("plan.import_delivery");
    for part in [
        &plan.plan_number,
        &proposed.sha256,
        &proposed.import_id,
        "\"revenue_micros\":2550000",
        "\"rows\":2",
    ] {
        assert!(
            import.after_json.contains(part),
            "{part} {}",
            import.after_json
        );
    }
    let release = act("plan.release_delivery");
    assert_eq!(
        (release.target.as_str(), release.reason.as_str()),
        (proposed.import_id.as_str(), "as agreed")
    );
    assert!(release.after_json.contains(&proposed.sha256));
    let applied = act("plan.import_applied");
    assert_eq!(
        (&applied.user_id, &applied.staff_id, &applied.target),
        (&user_id(&caller), &id_of(&second), &proposed.import_id)
    );
    assert_eq!(applied.reason, "as agreed");
}

#[tokio::test]
async fn each_user_reads_once_of_an_import_however_long() {
    let stack = Plan::spawn().await;
    let (alice, first) = put(&stack).await;
    let (bob, second) = put(&stack).await;
    let probe = stack.broker.probe(&[ACTED]).await;
    // More than one transaction takes.
    let number = &first.plan_number;
    let rows = (0..1_200).map(|id| {
        let (hour, minute, shown) = (id / 60, id % 60, 101 + id % 9);
        format!("{id},{number},2026-11-19T{hour:02}:{minute:02}:00Z,{shown},5,0.001,0.001\n")
    });
    let text =
        format!("{HEADER}{}", rows.collect::<String>()) + &lines(&second, &[("b", "0.01", "0.01")]);
    for _ in 0..2 {
        stack.import("network-a", "{}", &text).await;
    }
    let acts = probe.wait_for(ACTED, 5).await;
    let acts: Vec<StaffActed> = acts.iter().map(|event| event.data().unwrap()).collect();
    let mut users: Vec<_> = acts
        .iter()
        .filter(|act| act.action == "plan.import_applied")
        .map(|act| act.user_id.clone())
        .collect();
    users.sort();
    let mut expected = vec![user_id(&alice), user_id(&bob)];
    expected.sort();
    assert_eq!(users, expected);
}

#[tokio::test]
async fn one_operator_makes_no_revenue() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let text = file(&plan, &[("1", "0.01", "900000000")]);
    let alone = operator();
    let proposed = propose(&stack, &alone, &text).await;
    assert_eq!(proposed.state(), ImportState::Proposed);
    let rules: Vec<_> = proposed
        .notable
        .iter()
        .map(|row| row.rule.as_str())
        .collect();
    assert_eq!(rules, ["return_on_spend", "return_on_budget"]);
    assert_eq!(proposed.notable[0].value, "90000000000.00");
    // Nobody releases it by a slip, either: what is above a limit has to be named.
    let slip = stack
        .decide(
            &operator(),
            &proposed.import_id,
            ImportDecision::Released,
            "ok",
        )
        .await;
    assert_eq!(why(slip), (Reason::Validation, Some("reason".to_owned())));
    // An account that one person may hold is no second person.
    let puppet = operator();
    stack
        .directory
        .pair(&id_of(&alone), &id_of(&puppet), SecondPair::SamePerson);
    let reason = "return_on_spend return_on_budget";
    let released = stack
        .decide(
            &puppet,
            &proposed.import_id,
            ImportDecision::Released,
            reason,
        )
        .await;
    assert_eq!(why(released).0, Reason::Forbidden);
    stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    let settled = stack.settle_as(&alone, &plan.id).await;
    assert_eq!(why(settled).0, Reason::ApprovalRequired);
    let settled = stack.settle_as(&alone, &plan.id).await;
    assert_eq!(why(settled).0, Reason::ApprovalRequired);
    let settled = stack.settle_as(&puppet, &plan.id).await;
    assert_eq!(why(settled).0, Reason::Forbidden);
    assert_eq!(stack.plan(&caller, &plan.id).await.revenue_minor, 0);
    let rejected = stack
        .decide(
            &operator(),
            &proposed.import_id,
            ImportDecision::Rejected,
            "no",
        )
        .await
        .unwrap();
    assert_eq!(rejected.state(), ImportState::Rejected);
    let late = stack
        .decide(
            &operator(),
            &proposed.import_id,
            ImportDecision::Released,
            reason,
        )
        .await;
    assert_eq!(why(late).0, Reason::NothingChanged);
}

#[tokio::test]
async fn without_auth_nobody_decides() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let text = file(&plan, &[("1", "1.00", "2.00")]);
    let proposed = propose(&stack, &operator(), &text).await;
    stack.directory.die(true);
    let second = operator();
    let decided = stack
        .decide(&second, &proposed.import_id, ImportDecision::Released, "ok")
        .await;
    assert_eq!(why(decided).0, Reason::Unavailable);
    assert_eq!(stack.plan(&caller, &plan.id).await, plan);
    stack.directory.die(false);
    stack
        .decide(&second, &proposed.import_id, ImportDecision::Released, "ok")
        .await
        .unwrap();
}

#[tokio::test]
async fn of_many_decisions_at_once_one_stands() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let text = file(&plan, &[("1", "1.00", "2.00")]);
    let proposed = propose(&stack, &operator(), &text).await;
    let deciders: Vec<Caller> = (0..16).map(|_| operator()).collect();
    let decisions = deciders.iter().enumerate().map(|(place, decider)| {
        let decision = if place % 2 == 0 {
            ImportDecision::Released
        } else {
            ImportDecision::Rejected
        };
        stack.decide(decider, &proposed.import_id, decision, "ok")
    });
    let outcomes = futures::future::join_all(decisions).await;
    let won: Vec<_> = outcomes.iter().filter_map(|it| it.as_ref().ok()).collect();
    assert_eq!(won.len(), 1);
    let revenue = stack.plan(&caller, &plan.id).await.revenue_minor;
    let is_released = won[0].state() == ImportState::Released;
    assert_eq!(revenue, if is_released { 200 } else { 0 });
    // The same decision once more is answered as it stands.
    let winner = deciders
        .iter()
        .find(|decider| id_of(decider) == won[0].decided_by)
        .expect("the winner");
    let same = if is_released {
        ImportDecision::Released
    } else {
        ImportDecision::Rejected
    };
    let again = stack
        .decide(winner, &proposed.import_id, same, "ok")
        .await
        .unwrap();
    assert_eq!(&again, won[0]);
}

#[tokio::test]
async fn the_same_file_is_proposed_once_and_a_taken_one_brings_nothing() {
    let stack = Plan::spawn().await;
    let (_, plan) = put(&stack).await;
    let text = file(&plan, &[("1", "1.00", "2.00")]);
    let first = propose(&stack, &operator(), &text).await;
    let again = propose(&stack, &operator(), &text).await;
    assert_eq!(first.import_id, again.import_id);
    assert_eq!(stack.imports(ImportState::Proposed).await.len(), 1);
    stack
        .decide(
            &operator(),
            &first.import_id,
            ImportDecision::Released,
            "ok",
        )
        .await
        .unwrap();
    let third = propose(&stack, &operator(), &text).await;
    assert_eq!(third.state(), ImportState::Released);
    assert_eq!((third.repeated_rows, third.applied), (1, 0));
    // It is listed, and there is nothing to decide.
    let released = stack.imports(ImportState::Released).await;
    assert_eq!((released.len(), &released[0].id), (2, &third.import_id));
    assert!(!released[0].under_way);
    let decided = stack
        .decide(
            &operator(),
            &third.import_id,
            ImportDecision::Released,
            "ok",
        )
        .await;
    assert_eq!(decided.unwrap_err().reason, Reason::NothingChanged);
}

#[tokio::test]
async fn a_key_answers_the_first_proposal_whatever_became_of_it() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let text = file(&plan, &[("1", "1.50", "2.25"), ("2", "?", "0.30")]);
    let first = with_key(&operator(), "file-1");
    let proposed = propose(&stack, &first, &text).await;
    assert_eq!((proposed.applied, proposed.rejected_count), (1, 1));
    // A dry run takes no key.
    let looked = stack.propose(&first, header(true), text.as_bytes()).await;
    assert_eq!(looked.unwrap().import_id, "");
    assert_eq!(propose(&stack, &first, &text).await, proposed);
    let rejected = stack
        .decide(
            &staff(StaffRole::Finance),
            &proposed.import_id,
            ImportDecision::Rejected,
            "not ours",
        )
        .await;
    assert_eq!(rejected.unwrap().state(), ImportState::Rejected);
    // Without a key it would be proposed anew.
    assert_eq!(propose(&stack, &first, &text).await, proposed);
    assert_eq!(stack.imports(ImportState::Proposed).await, []);

    for (header, text) in [
        (header(false), file(&plan, &[("3", "1.50", "2.25")])),
        (
            ImportHeader {
                source: "network-b".to_owned(),
                ..header(false)
            },
            text.clone(),
        ),
    ] {
        let other = stack.propose(&first, header, text.as_bytes()).await;
        assert_eq!(why(other).0, Reason::IdempotencyKeyReused);
    }
    assert_eq!(stack.imports(ImportState::Proposed).await, []);
    // Keys belong to their members of staff.
    let other = with_key(&staff(StaffRole::Operator), "file-1");
    let again = propose(&stack, &other, &text).await;
    assert_ne!(again.import_id, proposed.import_id);
    assert_eq!(stack.plan(&caller, &plan.id).await, plan);
}

#[tokio::test]
async fn a_key_sent_many_times_at_once_proposes_once() {
    let stack = Plan::builder().replicas(2).spawn().await;
    let (_, plan) = put(&stack).await;
    let text = file(&plan, &[("1", "1.50", "2.25")]);
    let first = with_key(&operator(), "at-once");
    let answers = futures::future::join_all((0..6).map(|_| propose(&stack, &first, &text))).await;
    for answer in &answers {
        assert_eq!(answer, &answers[0]);
    }
    assert_eq!(stack.imports(ImportState::Proposed).await.len(), 1);
}

#[tokio::test]
async fn two_files_with_the_same_report_count_it_once() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let first = propose(&stack, &operator(), &file(&plan, &[("1", "1.00", "2.00")])).await;
    let rows = [("1", "1.00", "3.00"), ("2", "1.00", "2.00")];
    let second = propose(&stack, &operator(), &file(&plan, &rows)).await;
    for import in [&first, &second] {
        stack
            .decide(
                &operator(),
                &import.import_id,
                ImportDecision::Released,
                "ok",
            )
            .await
            .unwrap();
    }
    let shown = stack.plan(&caller, &plan.id).await;
    assert_eq!((shown.consumed_minor, shown.revenue_minor), (200, 400));
    let released = stack.imports(ImportState::Released).await;
    assert_eq!((released[0].applied, released[0].rejected_count), (1, 1));
    assert_eq!(
        released[0].rejected[0].reason,
        "revision 1 is known with other content"
    );
}

#[tokio::test]
async fn a_dry_run_and_an_expired_proposal_bring_nothing() {
    let mut stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let text = file(&plan, &[("1", "1.00", "2.00")]);
    let looked = stack
        .propose(&operator(), header(true), text.as_bytes())
        .await
        .unwrap();
    assert_eq!((looked.applied, looked.import_id.as_str()), (1, ""));
    assert_eq!(looked.state(), ImportState::Proposed);
    assert!(stack.imports(ImportState::Unspecified).await.is_empty());
    let proposed = propose(&stack, &operator(), &text).await;
    stack.clock.advance(Duration::from_hours(7 * 24));
    let late = stack
        .decide(
            &operator(),
            &proposed.import_id,
            ImportDecision::Released,
            "ok",
        )
        .await;
    assert_eq!(why(late).0, Reason::NothingChanged);
    eventually("it goes on", || async {
        stack.imports(ImportState::Expired).await.len() == 1
    })
    .await;
    let staged = async |stack: &Plan| -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM staged_reports")
            .fetch_one(&stack.db.pool())
            .await
            .unwrap()
    };
    eventually("it goes on", || async { staged(&stack).await == 0 }).await;
    assert_eq!(stack.plan(&caller, &plan.id).await.revenue_minor, 0);
    stack.restart().await;
}

#[tokio::test]
async fn a_release_that_broke_off_goes_on() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let text = file(&plan, &[("1", "1.00", "2.00"), ("2", "1.00", "1.50")]);
    let proposed = propose(&stack, &operator(), &text).await;
    // The service died between the decision and the first row.
    sqlx::query(
        "UPDATE delivery_imports SET state = 'released', decided_by = gen_random_uuid(), decided_at = now()
         WHERE id = $1::text::uuid",
    )
    .bind(&proposed.import_id)
    .execute(&stack.db.pool())
    .await
    .unwrap();
    eventually("it goes on", || async {
        stack.plan(&caller, &plan.id).await.revenue_minor == 350
    })
    .await;
    eventually("it goes on", || async {
        !stack.imports(ImportState::Released).await[0].under_way
    })
    .await;
}

#[tokio::test]
async fn what_is_proposed_and_decided_cannot_be_rewritten() {
    let stack = Plan::spawn().await;
    let (_, plan) = put(&stack).await;
    let text = file(&plan, &[("1", "1.00", "2.00")]);
    let proposed = propose(&stack, &operator(), &text).await;
    let refused = async |statement: &'static str| {
        let outcome = sqlx::query(statement).execute(&stack.db.pool()).await;
        let error = outcome.expect_err(statement);
        assert_eq!(
            error
                .as_database_error()
                .and_then(sqlx::error::DatabaseError::code)
                .as_deref(),
            Some("23001"),
            "{statement}: {error}"
        );
    };
    refused("UPDATE delivery_imports SET revenue_micros = 1").await;
    refused("UPDATE delivery_imports SET staff_id = gen_random_uuid()").await;
    refused("UPDATE staged_reports SET revenue_micros = 1000000000").await;
    stack
        .decide(
            &operator(),
            &proposed.import_id,
            ImportDecision::Rejected,
            "no",
        )
        .await
        .unwrap();
    refused("UPDATE delivery_imports SET state = 'released'").await;
    refused("UPDATE delivery_imports SET decided_by = gen_random_uuid()").await;
}

#[tokio::test]
async fn a_network_above_the_limit_is_held() {
    let stack = Plan::spawn().await;
    let (caller, plan) = put(&stack).await;
    let report = |id: &str, revenue: &str| ReportDeliveryRequest {
        source: "network-a".to_owned(),
        report_id: id.to_owned(),
        revision: 1,
        plan_number: plan.plan_number.clone(),
        time: Some(stack.clock.now().into()),
        impressions: 100,
        clicks: 5,
        spend: "1.00".to_owned(),
        revenue: revenue.to_owned(),
        placement: String::new(),
    };
    let send = async |reports: Vec<ReportDeliveryRequest>| {
        let request = call(&Caller::system(), tokio_stream::iter(reports));
        let mut client = DeliveryServiceClient::new(stack.channel());
        client.report_delivery(request).await.unwrap().into_inner()
    };
    // Ten times the put of 10.00 is the limit.
    let reports = vec![
        report("1", "90.00"),
        report("2", "10.01"),
        report("3", "10.00"),
    ];
    let answer = send(reports.clone()).await;
    assert_eq!((answer.applied, answer.rejected_count), (2, 0));
    assert_eq!(answer.held.len(), 1);
    assert_eq!(answer.held[0].line, 2);
    assert_eq!(stack.plan(&caller, &plan.id).await.revenue_minor, 10_000);
    let again = send(reports).await;
    assert_eq!((again.repeated_reports, again.held.len()), (2, 1));
    let held = stack.imports(ImportState::Proposed).await;
    assert_eq!(held.len(), 1, "the same report is held once");
    assert_eq!((held[0].by.as_str(), held[0].sha256.as_str()), ("", ""));
    assert_eq!(held[0].notable[0].rule, "return_on_spend");
    let reason = "return_on_spend, return_on_budget: a jackpot day";
    stack
        .decide(&operator(), &held[0].id, ImportDecision::Released, reason)
        .await
        .unwrap();
    assert_eq!(stack.plan(&caller, &plan.id).await.revenue_minor, 11_001);
}

#[tokio::test]
async fn a_demonstration_lets_small_plain_files_through() {
    let single = |four_eyes: FourEyesArgs| {
        let builder: Builder<Plan> = Plan::builder();
        builder.configure(move |config| {
            config.four_eyes = four_eyes;
            config.four_eyes.adfolio_demo = true;
            config.import_release = ImportRelease::Single;
        })
    };
    let stack = single(FourEyesArgs::above("2.00".parse().unwrap()))
        .spawn()
        .await;
    let (caller, plan) = put(&stack).await;
    let below = propose(&stack, &operator(), &file(&plan, &[("1", "1.00", "2.00")])).await;
    assert_eq!((below.state(), below.applied), (ImportState::Released, 1));
    assert_eq!(stack.plan(&caller, &plan.id).await.revenue_minor, 200);
    let above = propose(&stack, &operator(), &file(&plan, &[("2", "1.00", "2.01")])).await;
    assert_eq!(above.state(), ImportState::Proposed);
    let notable = propose(&stack, &operator(), &file(&plan, &[("3", "0.01", "0.20")])).await;
    assert_eq!(notable.state(), ImportState::Proposed);
    stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    assert_eq!(
        why(stack.settle_as(&operator(), &plan.id).await).0,
        Reason::ApprovalRequired
    );
}

#[tokio::test]
async fn the_limits_of_a_product_are_its_own() {
    let stack = Plan::spawn().await;
    let strict = Product {
        return_max_percent: Some(150),
        ..product("Runner")
    };
    let strict = stack.create_product(&operator(), strict).await.unwrap();
    assert_eq!(strict.revenue_per_thousand_max_minor, Some(100_000));
    let caller = stack.user_with(100_000).await;
    let plan = stack.put(&caller, &strict, 1_000).await.unwrap();
    let proposed = propose(&stack, &operator(), &file(&plan, &[("1", "1.00", "1.51")])).await;
    assert_eq!(proposed.notable[0].value, "1.51");
    assert_eq!(proposed.notable[0].usual, "1.50");
    // What an edit leaves out stays.
    let request = EditProductRequest {
        product: Some(Product {
            return_max_percent: None,
            revenue_per_thousand_max_minor: Some(5_000),
            ..strict
        }),
    };
    let edited = stack
        .staff()
        .edit_product(call(&operator(), request))
        .await
        .unwrap();
    let edited = edited.into_inner().product.unwrap();
    assert_eq!(
        (
            edited.return_max_percent,
            edited.revenue_per_thousand_max_minor
        ),
        (Some(150), Some(5_000))
    );
}
