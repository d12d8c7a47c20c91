//! Reports that the gate holds back: frauds neither post nor teach before staff have decided on them.

use std::fmt::Write as _;

use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::events::v1::ReportsQuarantined;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::*;
use serde_json::json;

use crate::allotments::{fetch, hurry, next_round, register, report, send, standing};
use crate::helpers::{Plan, *};

const QUARANTINED: &str = "adfolio.plan.v1.ReportsQuarantined";

const HEADER: &str = "report_id,plan_number,time,impressions,clicks,spend,revenue,placement\n";

/// Everybody decides alone up to 10.00.
async fn stack() -> Plan {
    let configure = |config: &mut adfolio_plan::Config| {
        config.four_eyes = FourEyesArgs::above("10.00".parse().unwrap());
    };
    Plan::builder().configure(configure).spawn().await
}

async fn plans(stack: &Plan, count: usize) -> (Caller, Vec<pb::Plan>) {
    let product = stack.product().await;
    let caller = stack.user_with(10_000_000).await;
    let mut plans = Vec::new();
    for _ in 0..count {
        plans.push(stack.put(&caller, &product, 500_000).await.unwrap());
    }
    (caller, plans)
}

async fn held(stack: &Plan, state: QuarantineState) -> Vec<QuarantinedReport> {
    let request = ListQuarantinedReportsRequest {
        state: state.into(),
        page: Some(PageRequest::default()),
    };
    let answer = stack
        .staff()
        .list_quarantined_reports(call(&operator(), request))
        .await;
    answer.unwrap().into_inner().items
}

async fn decide(
    stack: &Plan,
    caller: &Caller,
    ids: &[&QuarantinedReport],
    decision: ImportDecision,
) -> Result<Vec<QuarantinedReport>, Refusal> {
    let request = DecideQuarantinedReportsRequest {
        ids: ids.iter().map(|report| report.id.clone()).collect(),
        decision: decision.into(),
        reason: "asked the network".to_owned(),
    };
    let answer = stack
        .staff()
        .decide_quarantined_reports(call(caller, request))
        .await;
    Ok(answer.map_err(refused)?.into_inner().items)
}

/// Numbers that look random and are the same in every run.
struct Figures(u64);

impl Figures {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % limit
    }

    /// An hour of traffic of which about one impression in 200 is clicked.
    fn hour(&mut self) -> (u64, u64) {
        let impressions = 400 + self.below(700);
        (impressions, impressions / 200 + self.below(3))
    }
}

/// A row of a file with prices of 2.00 and 3.00 for a thousand impressions.
fn row(
    id: &str,
    plan: &pb::Plan,
    time: &str,
    (impressions, clicks): (u64, u64),
    placement: &str,
) -> String {
    let amount = |price: u64| {
        format!(
            "{}.{:06}",
            impressions * price / 1_000,
            impressions * price % 1_000 * 1_000
        )
    };
    let (spend, revenue) = (amount(2), amount(3));
    let number = &plan.plan_number;
    format!("{id},{number},{time},{impressions},{clicks},{spend},{revenue},{placement}\n")
}

fn hours(
    figures: &mut Figures,
    (name, plan): (&str, &pb::Plan),
    day: u32,
    change: impl Fn((u64, u64)) -> (u64, u64),
) -> String {
    let mut rows = String::new();
    for hour in 0..24 {
        let time = format!("2026-11-{day:02}T{hour:02}:00:00Z");
        let id = format!("{name}-{day}-{hour}");
        rows += &row(&id, plan, &time, change(figures.hour()), "");
    }
    rows
}

/// Imports a file of rows and answers the rules that hold some of them back.
async fn rules_of(stack: &Plan, source: &str, rows: &str) -> Vec<String> {
    let answer = stack.import(source, "{}", &format!("{HEADER}{rows}")).await;
    let count = i64::try_from(answer.quarantined.len()).unwrap();
    assert_eq!(answer.quarantined_count, count);
    let mut rules: Vec<String> = answer
        .quarantined
        .iter()
        .map(|row| row.reason.split(':').next().unwrap().to_owned())
        .collect();
    rules.sort();
    rules.dedup();
    rules
}

#[tokio::test]
async fn frauds_of_imports_are_held_before_anything_posts() {
    let stack = stack().await;
    let (caller, plans) = plans(&stack, 14).await;
    let mut figures = Figures(7);
    let mut honest = String::new();
    for (number, plan) in plans.iter().take(8).enumerate() {
        for day in 16..19 {
            honest += &hours(&mut figures, (&format!("h{number}"), plan), day, |it| it);
        }
    }
    assert_eq!(rules_of(&stack, "network-a", &honest).await, [""; 0]);
    let copied = hours(&mut Figures(99), ("c", &plans[8]), 17, |it| it);
    assert_eq!(rules_of(&stack, "network-a", &copied).await, [""; 0]);
    let before = stack.list(&caller).await;

    let tenfold = hours(&mut figures, ("t", &plans[9]), 19, |(shown, clicks)| {
        (shown, clicks * 10)
    });
    assert_eq!(
        rules_of(&stack, "network-a", &tenfold).await,
        ["click_rate"]
    );

    let mut minute = hours(&mut figures, ("m", &plans[10]), 19, |(shown, _)| (shown, 0));
    for second in 0..40 {
        let time = format!("2026-11-19T12:30:{second:02}Z");
        minute += &row(&format!("b{second}"), &plans[10], &time, (1, 1), "");
    }
    let rules = rules_of(&stack, "network-a", &minute).await;
    assert!(rules.contains(&"click_burst".to_owned()), "{rules:?}");

    let round = hours(&mut figures, ("r", &plans[11]), 19, |(shown, clicks)| {
        (shown / 100 * 100, clicks)
    });
    assert_eq!(
        rules_of(&stack, "network-a", &round).await,
        ["round_numbers"]
    );

    let day = copied
        .replace("2026-11-17T", "2026-11-19T")
        .replace("c-17-", "again-");
    assert_eq!(rules_of(&stack, "network-a", &day).await, ["copied_day"]);

    let number = &plans[12].plan_number;
    let nothing = format!("n,{number},2026-11-19T10:00:00Z,0,0,5.00,7.00,\n");
    assert_eq!(
        rules_of(&stack, "network-a", &nothing).await,
        ["spend_without_impressions"]
    );

    let mut dribbled = String::new();
    for part in 0..20 {
        dribbled += &row(
            &format!("d{part}"),
            &plans[13],
            "2026-11-19T10:00:00Z",
            (731, 4),
            "",
        );
    }
    assert_eq!(
        rules_of(&stack, "network-a", &dribbled).await,
        ["dribbled_report"]
    );

    // What the contract itself excludes is rejected.
    let future = row("f", &plans[13], "2027-01-01T00:00:00Z", (900, 4), "");
    let file = format!("{HEADER}{future}");
    let answer = stack.import("network-a", "{}", &file).await;
    assert_eq!((answer.rejected_count, answer.quarantined_count), (1, 0));

    let plan_of = |list: &ListPlansResponse, id: &str| {
        let plan = list.items.iter().find(|plan| plan.id == id).cloned();
        plan.unwrap()
    };
    let after = stack.list(&caller).await;
    for plan in [&plans[8], &plans[9], &plans[11], &plans[12], &plans[13]] {
        assert_eq!(plan_of(&after, &plan.id), plan_of(&before, &plan.id));
    }
    // The minute's honest hours posted, its clicks did not.
    assert_eq!(plan_of(&after, &plans[10].id).clicks, 0);
    let waiting = held(&stack, QuarantineState::Waiting).await;
    assert!(waiting.iter().all(|report| report.outcome.is_empty()));
}

#[tokio::test]
async fn frauds_against_supply_are_held() {
    let stack = crate::allotments::stack().await;
    let one = register(&stack, "network-a", 1).await;
    let other = register(&stack, "network-b", 1).await;
    let (_, plan) = crate::allotments::plan(&stack).await;
    hurry(&stack, &plan).await;
    next_round(&stack).await;
    let own = fetch(&stack, &one.key, "").await.unwrap().items;
    let time: chrono::DateTime<chrono::Utc> = own[0].from.unwrap().try_into().unwrap();
    let time = time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
    let mut rows = String::new();
    // The price is 2.00 for a thousand.
    let (number, placement) = (&plan.plan_number, &own[0].placement_id);
    writeln!(rows, "dear,{number},{time},1000,3,2.50,3.00,{placement}").unwrap();
    let foreign = &other.placements[0].id;
    rows += &row("foreign", &plan, &time, (1_000, 3), foreign);
    rows += &row("nowhere", &plan, &time, (1_000, 3), "");
    let early = "2026-01-05T08:00:00Z";
    rows += &row("early", &plan, early, (1_000, 3), placement);
    let before = standing(&stack, &plan).await;
    let probe = stack.broker.probe(&[QUARANTINED]).await;
    let file = format!("{HEADER}{rows}");
    let answer = stack.import("network-a", "{}", &file).await;
    assert_eq!(
        (answer.applied, answer.rejected_count),
        (0, 0),
        "{answer:?}"
    );
    let rules = |line: i64| {
        let row = answer.quarantined.iter().find(|row| row.line == line);
        row.map(|row| row.reason.clone()).unwrap_or_default()
    };
    assert!(rules(2).contains("price_off_list"), "{answer:?}");
    assert!(rules(3).contains("foreign_placement"), "{answer:?}");
    assert!(rules(4).contains("not_allotted"), "{answer:?}");
    assert!(rules(5).contains("not_allotted"), "{answer:?}");
    assert_eq!(standing(&stack, &plan).await, before);
    // They are announced together, and not once more with the same file.
    stack.import("network-a", "{}", &file).await;
    probe.wait_for(QUARANTINED, 1).await;
    let announced = probe.of_type(QUARANTINED);
    let [announced] = &announced[..] else {
        panic!("{announced:?}")
    };
    let announced: ReportsQuarantined = announced.data().unwrap();
    assert_eq!(announced.source, "network-a");
    assert_eq!(announced.count, answer.quarantined_count);
    for rule in ["price_off_list", "foreign_placement", "not_allotted"] {
        assert!(announced.rules.iter().any(|it| it == rule), "{announced:?}");
    }
}

#[tokio::test]
async fn what_lowers_a_settled_plan_is_held() {
    let stack = stack().await;
    let (_, plans) = plans(&stack, 1).await;
    let first = row("1", &plans[0], "2026-11-19T10:00:00Z", (1_000, 3), "");
    stack
        .import("network-a", "{}", &format!("{HEADER}{first}"))
        .await;
    stack
        .finish(&plans[0].id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    stack.settle(&plans[0].id).await.unwrap();
    let revised = |revision: i64, impressions: u64| {
        let row = row("1", &plans[0], "2026-11-19T10:00:00Z", (impressions, 3), "");
        format!("revision,{HEADER}{revision},{row}")
    };
    let lower = stack.import("network-a", "{}", &revised(2, 500)).await;
    assert!(
        lower.quarantined[0]
            .reason
            .starts_with("restated_after_settlement"),
        "{lower:?}"
    );
    let higher = stack.import("network-a", "{}", &revised(3, 2_000)).await;
    assert_eq!(higher.rejected[0].reason, "the plan is settled");
    // A release finds the plan settled, and says so.
    let waiting = held(&stack, QuarantineState::Waiting).await;
    let finance = staff(StaffRole::Finance);
    let released = decide(&stack, &finance, &[&waiting[0]], ImportDecision::Released).await;
    assert_eq!(released.unwrap()[0].outcome, "the plan is settled");
}

#[tokio::test]
async fn a_released_report_posts_once_and_a_rejected_one_never() {
    let stack = stack().await;
    let (caller, plans) = plans(&stack, 1).await;
    let plan = &plans[0];
    let number = &plan.plan_number;
    let good = row("good", plan, "2026-11-19T10:00:00Z", (1_000, 3), "");
    let bad = |id: &str| format!("{id},{number},2026-11-19T11:00:00Z,0,0,1.00,2.00,\n");
    let file = format!("{HEADER}{good}{}{}", bad("yes"), bad("no"));
    let importer = operator();
    let answer = stack
        .try_import(
            &importer,
            ImportFormat::Csv,
            "network-a",
            "{}",
            file.as_bytes(),
        )
        .await
        .unwrap();
    assert_eq!((answer.applied, answer.quarantined_count), (1, 2));
    assert_eq!(answer.totals.unwrap().spend_micros, 2_000_000);
    assert_eq!(stack.plan(&caller, &plan.id).await.consumed_minor, 200);
    let waiting = held(&stack, QuarantineState::Waiting).await;
    let find = |id: &str| waiting.iter().find(|it| it.report_id == id).unwrap();
    let (yes, no) = (find("yes"), find("no"));
    assert_eq!(yes.findings[0].rule, "spend_without_impressions");
    assert_eq!(
        (yes.line, yes.import_id.as_str()),
        (3, answer.import_id.as_str())
    );

    let refusal = decide(&stack, &importer, &[yes], ImportDecision::Released).await;
    assert_eq!(
        why(refusal),
        (Reason::Forbidden, Some("requested_by".to_owned()))
    );
    let unknown = QuarantinedReport {
        id: NOBODY.to_owned(),
        ..QuarantinedReport::default()
    };
    let finance = staff(StaffRole::Finance);
    let refusal = decide(&stack, &finance, &[yes, &unknown], ImportDecision::Released).await;
    assert_eq!(why(refusal), (Reason::NotFound, Some("ids".to_owned())));
    for _ in 0..2 {
        let released = decide(&stack, &finance, &[yes], ImportDecision::Released)
            .await
            .unwrap();
        assert_eq!(released[0].state(), QuarantineState::Released);
        assert_eq!(released[0].outcome, "applied");
        let rejected = decide(&stack, &finance, &[no], ImportDecision::Rejected)
            .await
            .unwrap();
        assert_eq!(rejected[0].state(), QuarantineState::Rejected);
    }
    let refusal = decide(&stack, &finance, &[yes], ImportDecision::Rejected).await;
    assert_eq!(why(refusal).0, Reason::NothingChanged);
    let shown = stack.plan(&caller, &plan.id).await;
    assert_eq!((shown.consumed_minor, shown.revenue_minor), (300, 500));

    // The same file again: the released report is known, the rejected one stays rejected.
    let again = stack.import("network-a", "{}", &format!("{file} \n")).await;
    assert_eq!((again.applied, again.repeated_rows), (0, 2));
    assert!(
        again
            .rejected
            .iter()
            .any(|row| row.reason == "staff rejected it"),
        "{again:?}"
    );
    assert_eq!(stack.plan(&caller, &plan.id).await, shown);
    assert!(held(&stack, QuarantineState::Waiting).await.is_empty());
}

#[tokio::test]
async fn a_release_above_the_amount_takes_two() {
    let stack = stack().await;
    let (caller, plans) = plans(&stack, 1).await;
    let number = &plans[0].plan_number;
    let bad =
        |id: u32, spend: &str| format!("{id},{number},2026-11-19T11:{id:02}:00Z,0,0,{spend},0,\n");
    let rows = bad(1, "6.00") + &bad(2, "6.00") + &bad(3, "12.00");
    stack
        .import("network-a", "{}", &format!("{HEADER}{rows}"))
        .await;
    let waiting = held(&stack, QuarantineState::Waiting).await;
    let find = |id: &str| waiting.iter().find(|it| it.report_id == id).unwrap();
    let (first, second) = (staff(StaffRole::Finance), staff(StaffRole::Finance));
    let release = async |by: &Caller, id: &str| {
        decide(&stack, by, &[find(id)], ImportDecision::Released).await
    };
    release(&first, "1").await.unwrap();
    // With what was released before, by the same member or of the same source, it is above.
    for _ in 0..2 {
        assert_eq!(why(release(&first, "2").await).0, Reason::ApprovalRequired);
        let approved = held(&stack, QuarantineState::Approved).await;
        assert_eq!(approved[0].approved_by, id_of(&first));
    }
    let released = release(&second, "2").await.unwrap();
    assert_eq!(released[0].state(), QuarantineState::Released);
    assert_eq!(
        stack.plan(&caller, &plans[0].id).await.consumed_minor,
        1_200
    );
    assert_eq!(why(release(&second, "3").await).0, Reason::ApprovalRequired);
    // Who refuses needs nobody.
    let rejected = decide(&stack, &first, &[find("3")], ImportDecision::Rejected).await;
    assert_eq!(rejected.unwrap()[0].state(), QuarantineState::Rejected);
}

#[tokio::test]
async fn a_networks_report_off_the_list_is_held_once_and_counts_when_released() {
    let stack = crate::allotments::stack().await;
    let network = register(&stack, "network-a", 1).await;
    let (caller, plan) = crate::allotments::plan(&stack).await;
    hurry(&stack, &plan).await;
    next_round(&stack).await;
    let allotments = fetch(&stack, &network.key, "").await.unwrap().items;
    let mut dear = report(&allotments[0], 1, 1_000, 2);
    dear["spend"] = json!("2.20");
    let before = standing(&stack, &plan).await;
    for _ in 0..2 {
        let taken = send(&stack, &network.key, std::slice::from_ref(&dear))
            .await
            .unwrap();
        assert_eq!(
            (taken.applied, taken.quarantined_count),
            (0, 1),
            "{taken:?}"
        );
        assert!(taken.quarantined[0].reason.starts_with("price_off_list"));
    }
    assert_eq!(standing(&stack, &plan).await, before);
    assert_eq!(stack.plan(&caller, &plan.id).await.impressions, 0);
    let mut other = dear.clone();
    other["clicks"] = json!(3);
    let taken = send(&stack, &network.key, &[other]).await.unwrap();
    assert!(
        taken.rejected[0]
            .reason
            .contains("in quarantine with other content")
    );

    let waiting = held(&stack, QuarantineState::Waiting).await;
    assert_eq!(waiting.len(), 1);
    assert_eq!(
        (waiting[0].import_id.as_str(), waiting[0].source.as_str()),
        ("", "network-a")
    );
    let released = decide(
        &stack,
        &operator(),
        &[&waiting[0]],
        ImportDecision::Released,
    )
    .await;
    assert_eq!(released.unwrap()[0].outcome, "applied");
    assert_eq!(stack.plan(&caller, &plan.id).await.impressions, 1_000);
    let (charged, allotted) = standing(&stack, &plan).await;
    assert_eq!(charged, 2_200_000);
    assert_eq!(
        charged + allotted,
        before.0 + before.1,
        "it draws from its allotment"
    );
    let taken = send(&stack, &network.key, &[dear]).await.unwrap();
    assert_eq!((taken.repeated_reports, taken.quarantined_count), (1, 0));
}

#[tokio::test]
async fn a_placement_gets_nothing_while_reports_of_it_wait() {
    let stack = crate::allotments::stack().await;
    let network = register(&stack, "network-a", 2).await;
    let (caller, plan) = crate::allotments::plan(&stack).await;
    next_round(&stack).await;
    let last = |list: &ListAllotmentsResponse| list.next.clone();
    let first = fetch(&stack, &network.key, "").await.unwrap();
    let mut dear = report(&first.items[0], 1, 1_000, 2);
    dear["spend"] = json!("2.20");
    send(&stack, &network.key, &[dear]).await.unwrap();
    let held_placement = &first.items[0].placement_id;
    next_round(&stack).await;
    let second = fetch(&stack, &network.key, &last(&first)).await.unwrap();
    let placements = |list: &ListAllotmentsResponse| -> Vec<String> {
        list.items
            .iter()
            .map(|it| it.placement_id.clone())
            .collect()
    };
    assert!(!second.items.is_empty());
    assert!(!placements(&second).contains(held_placement), "{second:?}");
    let waiting = held(&stack, QuarantineState::Waiting).await;
    let rejected = decide(
        &stack,
        &operator(),
        &[&waiting[0]],
        ImportDecision::Rejected,
    )
    .await;
    rejected.unwrap();
    next_round(&stack).await;
    let third = fetch(&stack, &network.key, &last(&second)).await.unwrap();
    assert!(placements(&third).contains(held_placement), "{third:?}");
    assert_eq!(stack.plan(&caller, &plan.id).await.impressions, 0);
}
