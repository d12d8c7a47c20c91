//! Allotments: what networks may show of plans, what they report of it, and what comes back.

use std::time::Duration;

use adfolio_kit::client::{Channel, outgoing};
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_placement::belief::Counts;
use adfolio_placement::decision::{Decision, Inputs, Menu};
use adfolio_placement::drift::History;
use adfolio_placement::pace::Shape;
use adfolio_proto::events::v1::PlanSupplyChanged;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::network_service_client::NetworkServiceClient;
use adfolio_proto::plan::v1::placement_admin_service_client::PlacementAdminServiceClient;
use adfolio_proto::plan::v1::report_network_delivery_request::Part;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::eventually;
use futures::StreamExt as _;
use serde_json::json;
use sqlx::types::Json;

use crate::helpers::{Plan, *};

/// The budget of a plan, in minor units and in millionths.
const BUDGET: i64 = 1_000_000;
const BUDGET_MICROS: i64 = BUDGET * 10_000;

const SUPPLY_CHANGED: &str = "adfolio.plan.v1.PlanSupplyChanged";

/// A network with its key and its placements.
pub struct Registered {
    pub network: Network,
    pub key: String,
    pub placements: Vec<Placement>,
}

/// A stack in which one member of staff sets prices alone.
pub async fn stack() -> Plan {
    let configure = |config: &mut adfolio_plan::Config| {
        config.four_eyes = FourEyesArgs::off();
    };
    Plan::builder().configure(configure).spawn().await
}

pub async fn register(stack: &Plan, source: &str, placements: usize) -> Registered {
    let mut staff_api = PlacementAdminServiceClient::new(stack.channel());
    let admin = staff(StaffRole::Admin);
    let request = CreateNetworkRequest {
        name: source.to_owned(),
        source: source.to_owned(),
        report_delay_seconds: Some(300),
        ..CreateNetworkRequest::default()
    };
    let created = staff_api.create_network(call(&admin, request)).await;
    let created = created.unwrap().into_inner();
    let network = created.network.unwrap();
    let mut registered = Vec::new();
    for place in 0..placements {
        registered.push(add_placement(stack, &network, place).await);
    }
    // A plan that is put now is not in the present round: what it left unserved would bound the next one.
    rounds_done(stack).await;
    Registered {
        network,
        key: created.key,
        placements: registered,
    }
}

/// A placement with a price from now on.
async fn add_placement(stack: &Plan, network: &Network, place: usize) -> Placement {
    let mut staff_api = PlacementAdminServiceClient::new(stack.channel());
    let request = CreatePlacementRequest {
        network_id: network.id.clone(),
        name: format!("Feed {place}"),
        format: "native".to_owned(),
        ..CreatePlacementRequest::default()
    };
    let placement = staff_api.create_placement(call(&operator(), request)).await;
    let placement = placement.unwrap().into_inner().placement.unwrap();
    let request = SetPlacementPriceRequest {
        placement_id: placement.id.clone(),
        model: PriceModel::Cpm.into(),
        cost: "2.00".to_owned(),
        revenue: "3.00".to_owned(),
        valid_from: Some(stack.clock.now().into()),
    };
    let priced = staff_api
        .set_placement_price(call(&operator(), request))
        .await;
    priced.unwrap().into_inner().placement.unwrap()
}

/// A user's plan with the whole budget.
pub async fn plan(stack: &Plan) -> (Caller, pb::Plan) {
    let product = stack.product().await;
    let caller = stack.user_with(BUDGET).await;
    let plan = stack.put(&caller, &product, BUDGET).await.unwrap();
    (caller, plan)
}

fn api(stack: &Plan) -> NetworkServiceClient<Channel> {
    NetworkServiceClient::new(stack.channel())
}

pub async fn fetch(
    stack: &Plan,
    key: &str,
    after: &str,
) -> Result<ListAllotmentsResponse, Refusal> {
    let request = ListAllotmentsRequest {
        network_key: key.to_owned(),
        after: after.to_owned(),
        limit: 0,
    };
    let answer = api(stack)
        .list_allotments(call(&Caller::system(), request))
        .await;
    Ok(answer.map_err(refused)?.into_inner())
}

/// Moves the clock to the first round of the next hour that is not decided yet, and waits for it. What was spent in an hour
/// before bounds it less.
pub async fn next_round(stack: &Plan) {
    let into_hour = stack
        .clock
        .now()
        .timestamp()
        .rem_euclid(3_600)
        .unsigned_abs();
    let left = match 3_600 - into_hour {
        // A minute before it begins it may have been decided.
        left @ ..=60 => left + 3_600,
        left => left,
    };
    stack.clock.advance(Duration::from_secs(left));
    rounds_done(stack).await;
}

/// Waits until the round under way is decided. One query: between two of them the round may begin.
async fn rounds_done(stack: &Plan) {
    eventually("the round is decided", || async {
        let is_decided: bool = sqlx::query_scalar(
            "SELECT EXISTS (SELECT FROM allotment_rounds WHERE begins_at <= $1 AND ends_at > $1 AND done_at IS NOT NULL)",
        )
        .bind(stack.clock.now())
        .fetch_one(&stack.db.pool())
        .await
        .unwrap();
        is_decided
    })
    .await;
}

/// What a plan was charged, and what of it is allotted.
pub async fn standing(stack: &Plan, plan: &pb::Plan) -> (i64, i64) {
    sqlx::query_as("SELECT charged_micros, allotted_micros FROM orders WHERE plan_number = $1")
        .bind(&plan.plan_number)
        .fetch_one(&stack.db.pool())
        .await
        .unwrap()
}

/// Gives a round more money than its pace would.
pub async fn hurry(stack: &Plan, plan: &pb::Plan) {
    sqlx::query("UPDATE orders SET put_at = put_at - interval '15 days', window_ends_at = window_ends_at - interval '15 days' WHERE plan_number = $1")
        .bind(&plan.plan_number)
        .execute(&stack.db.pool())
        .await
        .unwrap();
}

pub fn report(
    allotment: &Allotment,
    revision: i64,
    impressions: i64,
    clicks: i64,
) -> serde_json::Value {
    let decimal = |micros: i64| format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    let time: chrono::DateTime<chrono::Utc> = allotment.from.unwrap().try_into().unwrap();
    json!({
        "report_id": allotment.id,
        "revision": revision,
        "plan_number": allotment.plan_number,
        "placement": allotment.placement_id,
        "time": time.to_rfc3339(),
        "impressions": impressions,
        "clicks": clicks,
        "spend": decimal(impressions * allotment.cost_micros / 1_000),
        "revenue": decimal(impressions * allotment.revenue_micros / 1_000),
    })
}

pub async fn send(
    stack: &Plan,
    key: &str,
    reports: &[serde_json::Value],
) -> Result<ReportNetworkDeliveryResponse, Refusal> {
    let lines: Vec<String> = reports.iter().map(ToString::to_string).collect();
    let lines = lines.join("\n");
    let mut parts = vec![Part::NetworkKey(key.to_owned())];
    parts.extend(
        lines
            .as_bytes()
            .chunks(50)
            .map(|piece| Part::Chunk(piece.to_vec())),
    );
    let messages: Vec<_> = parts
        .into_iter()
        .map(|part| ReportNetworkDeliveryRequest { part: Some(part) })
        .collect();
    let request = outgoing(
        &Caller::system(),
        tokio_stream::iter(messages),
        Duration::from_secs(30),
    );
    let answer = api(stack).report_network_delivery(request).await;
    Ok(answer.map_err(refused)?.into_inner())
}

#[tokio::test]
async fn a_plan_is_allotted_shown_and_charged() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 3).await;
    let (caller, plan) = plan(&stack).await;
    next_round(&stack).await;
    let fetched = fetch(&stack, &network.key, "").await.unwrap();
    let allotments = fetched.items;
    assert!(!allotments.is_empty());
    let total: i64 = allotments.iter().map(|it| it.budget_micros).sum();
    assert_eq!(standing(&stack, &plan).await, (0, total));
    // Not more than twice what is planned for the hour, of 30 days.
    assert!(total <= 2 * BUDGET_MICROS / 30 / 24, "{total}");
    for allotment in &allotments {
        assert_eq!(allotment.budget_micros, allotment.units * 2_000);
        assert_eq!(allotment.creative.as_ref().unwrap().title, "Runner");
        assert!(
            network
                .placements
                .iter()
                .any(|it| it.id == allotment.placement_id)
        );
    }
    assert_eq!(fetched.next, allotments.last().unwrap().id);
    assert!(
        fetch(&stack, &network.key, &fetched.next)
            .await
            .unwrap()
            .items
            .is_empty()
    );
    assert_eq!(
        stack.plan(&caller, &plan.id).await.status(),
        PlanStatus::Matching
    );

    let reports: Vec<_> = allotments
        .iter()
        .map(|it| report(it, 1, it.units, 3))
        .collect();
    let taken = send(&stack, &network.key, &reports).await.unwrap();
    assert_eq!(taken.rejected, []);
    assert_eq!(taken.applied, i64::try_from(reports.len()).unwrap());
    assert_eq!(standing(&stack, &plan).await, (total, 0));
    let repeated = send(&stack, &network.key, &reports).await.unwrap();
    assert_eq!(repeated.repeated_reports, taken.applied);
    assert_eq!(standing(&stack, &plan).await, (total, 0));
    let shown = stack.plan(&caller, &plan.id).await;
    assert_eq!(shown.status(), PlanStatus::Putting);
    assert_eq!(
        shown.impressions,
        allotments.iter().map(|it| it.units).sum::<i64>()
    );
    eventually("the ledger has it", || async {
        stack.money(&caller).await.to_be_consumed == BUDGET - shown.consumed_minor
    })
    .await;
}

#[tokio::test]
async fn what_is_not_reported_comes_back_and_a_late_report_counts() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 2).await;
    let (caller, plan) = plan(&stack).await;
    next_round(&stack).await;
    let allotments = fetch(&stack, &network.key, "").await.unwrap().items;
    let (_, allotted) = standing(&stack, &plan).await;
    assert!(allotted > 0);
    // No further round, so that nothing is allotted again.
    let request = EditNetworkRequest {
        network_id: network.network.id.clone(),
        state: SupplyState::Paused.into(),
        reason: "test".to_owned(),
        ..EditNetworkRequest::default()
    };
    let admin = staff(StaffRole::Admin);
    let mut supply = PlacementAdminServiceClient::new(stack.channel());
    supply.edit_network(call(&admin, request)).await.unwrap();
    stack.clock.advance(Duration::from_mins(10));
    eventually("it is given back", || async {
        standing(&stack, &plan).await == (0, 0)
    })
    .await;
    assert_eq!(
        stack.plan(&caller, &plan.id).await.status(),
        PlanStatus::Matching
    );

    let late = &allotments[0];
    let taken = send(&stack, &network.key, &[report(late, 1, late.units, 1)])
        .await
        .unwrap();
    assert_eq!(taken.applied, 1);
    assert_eq!(standing(&stack, &plan).await, (late.budget_micros, 0));
}

#[tokio::test]
async fn more_is_never_charged_and_allotted_than_was_put_in() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 2).await;
    let (_, plan) = plan(&stack).await;
    hurry(&stack, &plan).await;
    next_round(&stack).await;
    let allotments = fetch(&stack, &network.key, "").await.unwrap().items;
    let total: i64 = allotments.iter().map(|it| it.budget_micros).sum();
    // One placement reports the whole budget.
    let greedy = &allotments[0];
    let reported = report(greedy, 1, BUDGET_MICROS / 2_000, 3);
    send(&stack, &network.key, &[reported]).await.unwrap();
    let (charged, allotted) = standing(&stack, &plan).await;
    assert_eq!(allotted, total - greedy.budget_micros);
    assert_eq!(charged, BUDGET_MICROS - allotted);
    // What the others do not report goes to it.
    stack.clock.advance(Duration::from_mins(10));
    eventually("everything is charged", || async {
        standing(&stack, &plan).await == (BUDGET_MICROS, 0)
    })
    .await;
    // Taken back, all of it is the plan's again.
    send(&stack, &network.key, &[report(greedy, 2, 0, 0)])
        .await
        .unwrap();
    assert_eq!(standing(&stack, &plan).await, (0, 0));
}

#[tokio::test]
async fn a_plan_without_supply_says_so() {
    let stack = stack().await;
    let probe = stack.broker.probe(&[SUPPLY_CHANGED]).await;
    let network = register(&stack, "network-a", 0).await;
    let (caller, plan) = plan(&stack).await;
    next_round(&stack).await;
    let since = stack.plan(&caller, &plan.id).await.no_supply_since;
    assert!(since.is_some());
    next_round(&stack).await;
    assert_eq!(stack.plan(&caller, &plan.id).await.no_supply_since, since);
    add_placement(&stack, &network.network, 0).await;
    next_round(&stack).await;
    assert_eq!(stack.plan(&caller, &plan.id).await.no_supply_since, None);
    assert!(standing(&stack, &plan).await.1 > 0);
    // Each change is announced once.
    probe.wait_for(SUPPLY_CHANGED, 2).await;
    let announced = probe.of_type(SUPPLY_CHANGED);
    let [without, with] = &announced[..] else {
        panic!("{announced:?}")
    };
    let [without, with]: [PlanSupplyChanged; 2] = [without, with].map(|it| it.data().unwrap());
    assert_eq!((without.is_supplied, with.is_supplied), (false, true));
    assert_eq!((&without.plan_id, &with.plan_id), (&plan.id, &plan.id));
    assert_eq!(
        without.since.map(|it| it.seconds),
        since.map(|it| it.seconds)
    );
}

#[tokio::test]
async fn a_network_sees_and_reports_its_own() {
    let stack = stack().await;
    let one = register(&stack, "network-a", 1).await;
    let other = register(&stack, "network-b", 1).await;
    let (_, plan) = plan(&stack).await;
    hurry(&stack, &plan).await;
    next_round(&stack).await;
    let own = fetch(&stack, &one.key, "").await.unwrap().items;
    let foreign = fetch(&stack, &other.key, "").await.unwrap().items;
    assert!(own.iter().all(|it| it.placement_id == one.placements[0].id));
    assert!(
        foreign
            .iter()
            .all(|it| it.placement_id == other.placements[0].id)
    );
    assert!(!own.is_empty() && !foreign.is_empty());
    for unknown in [foreign[0].id.as_str(), "no id"] {
        assert_eq!(
            why(fetch(&stack, &one.key, unknown).await),
            (Reason::Validation, Some("after".to_owned()))
        );
    }
    for wrong in ["", "x", &"0".repeat(64)] {
        let refusal = fetch(&stack, wrong, "").await.unwrap_err();
        assert_eq!(refusal.reason, Reason::NotAuthenticated);
        let refusal = send(&stack, wrong, &[]).await.unwrap_err();
        assert_eq!(refusal.reason, Reason::NotAuthenticated);
    }
    let mut nameless = report(&own[0], 1, 1, 0);
    nameless.as_object_mut().unwrap().remove("report_id");
    let taken = send(&stack, &one.key, &[report(&foreign[0], 1, 1, 0), nameless])
        .await
        .unwrap();
    assert_eq!((taken.applied, taken.rejected_count), (0, 2));
    assert!(taken.rejected[0].reason.starts_with("unknown placement"));
    assert_eq!(taken.rejected[1].reason, "report_id is missing");
    let mut earlier = report(&own[0], 1, 1, 0);
    earlier["time"] = json!("2026-01-01T00:00:00Z");
    let taken = send(&stack, &one.key, &[earlier]).await.unwrap();
    assert_eq!(
        taken.rejected[0].reason,
        "nothing was allotted to it at this time"
    );
    // By its name as well as by its id.
    let mut named = report(&own[0], 1, 1, 0);
    named["placement"] = json!("Feed 0");
    assert_eq!(send(&stack, &one.key, &[named]).await.unwrap().applied, 1);
}

#[tokio::test]
async fn an_allotment_is_granted_once_by_several_replicas() {
    let stack = stack().await;
    register(&stack, "network-a", 3).await;
    let (_, first) = plan(&stack).await;
    let (_, second) = plan(&stack).await;
    next_round(&stack).await;
    let before = (
        standing(&stack, &first).await,
        standing(&stack, &second).await,
    );
    // As after a crash in the middle: the round is not done, nobody has got on with it, one plan is left.
    let pool = stack.db.pool();
    let undo = [
        "UPDATE orders SET allotted_micros = 0 WHERE plan_number = $1",
        "DELETE FROM allotments USING orders o WHERE o.id = order_id AND o.plan_number = $1",
        "DELETE FROM allotment_decisions USING orders o WHERE o.id = order_id AND o.plan_number = $1",
    ];
    for statement in undo {
        sqlx::query(statement)
            .bind(&second.plan_number)
            .execute(&pool)
            .await
            .unwrap();
    }
    let abandoned =
        "UPDATE allotment_rounds SET done_at = NULL, claimed_until = now() - interval '1 second'
                     WHERE begins_at = (SELECT max(begins_at) FROM allotment_rounds)";
    sqlx::query(abandoned).execute(&pool).await.unwrap();
    rounds_done(&stack).await;
    assert_eq!(standing(&stack, &first).await, before.0);
    assert!(standing(&stack, &second).await.1 > 0);
}

/// A decision with everything that it was made of.
type Stored = (
    Json<Inputs>,
    Json<Decision>,
    Json<Menu>,
    Vec<i32>,
    Json<Shape>,
);

#[tokio::test]
async fn a_stored_decision_is_made_again() {
    let stack = stack().await;
    register(&stack, "network-a", 4).await;
    let (_, plan) = plan(&stack).await;
    hurry(&stack, &plan).await;
    next_round(&stack).await;
    let rows: Vec<Stored> = sqlx::query_as(
        "SELECT d.inputs, d.decision, m.menu, m.shares, r.shape FROM allotment_decisions d
         JOIN allotment_menus m ON m.id = d.menu_id JOIN allotment_rounds r ON r.begins_at = d.begins_at",
    )
    .fetch_all(&stack.db.pool())
    .await
    .unwrap();
    assert!(!rows.is_empty());
    for (inputs, decision, menu, stored, shape) in rows {
        let shares = menu.shares();
        let whole: Vec<u32> = stored
            .iter()
            .map(|it| u32::try_from(*it).unwrap())
            .collect();
        assert_eq!(shares, whole);
        assert_eq!(inputs.decide(&menu, &shares, &shape), decision.0);
    }
}

#[tokio::test]
async fn a_plan_that_is_shown_is_not_cancelled_and_one_that_fails_keeps_nothing() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 2).await;
    let (caller, plan) = plan(&stack).await;
    next_round(&stack).await;
    let refusal = stack.cancel(&caller, &plan.id).await.unwrap_err();
    assert_eq!(refusal.reason, Reason::NothingChanged);
    let failed = stack
        .finish(&plan.id, FinishOutcome::PutFailed)
        .await
        .unwrap();
    assert_eq!(failed.status(), PlanStatus::PutFailed);
    assert_eq!(standing(&stack, &plan).await, (0, 0));
    assert_eq!(stack.money(&caller).await.available, BUDGET);
    assert!(
        fetch(&stack, &network.key, "")
            .await
            .unwrap()
            .items
            .is_empty()
    );
}

#[tokio::test]
async fn a_plan_settles_without_what_nobody_reported() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 2).await;
    let (caller, plan) = plan(&stack).await;
    hurry(&stack, &plan).await;
    next_round(&stack).await;
    let allotments = fetch(&stack, &network.key, "").await.unwrap().items;
    let one = &allotments[0];
    send(&stack, &network.key, &[report(one, 1, one.units, 1)])
        .await
        .unwrap();
    stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    assert!(standing(&stack, &plan).await.1 > 0 || allotments.len() == 1);
    let settled = stack.settle(&plan.id).await.unwrap();
    assert_eq!(settled.status(), PlanStatus::Settled);
    assert_eq!(standing(&stack, &plan).await, (one.budget_micros, 0));
    let money = stack.money(&caller).await;
    assert_eq!((money.to_be_consumed, money.to_be_settled), (0, 0));
}

#[tokio::test]
async fn beliefs_learn_what_was_reported_and_corrected() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 1).await;
    let (_, plan) = plan(&stack).await;
    hurry(&stack, &plan).await;
    next_round(&stack).await;
    let allotments = fetch(&stack, &network.key, "").await.unwrap().items;
    let one = &allotments[0];
    send(&stack, &network.key, &[report(one, 1, one.units / 2, 7)])
        .await
        .unwrap();
    let known = async || {
        let known: Option<Json<History>> =
            sqlx::query_scalar("SELECT clicks FROM placement_learning")
                .fetch_optional(&stack.db.pool())
                .await
                .unwrap();
        known.map(|known| known.total())
    };
    let units = u64::try_from(one.units).unwrap();
    assert_eq!(known().await, None);
    stack.clock.advance(Duration::from_mins(10));
    eventually("it is learnt", || async {
        known().await == Some(Counts::new(units / 2, 7))
    })
    .await;
    let capacity: Option<i64> = sqlx::query_scalar("SELECT capacity_per_hour FROM placements")
        .fetch_one(&stack.db.pool())
        .await
        .unwrap();
    let hour = one.units / 2 * 12;
    assert!(
        capacity.is_some_and(|it| (it - hour).abs() <= hour / 50),
        "{capacity:?}"
    );
    send(&stack, &network.key, &[report(one, 2, one.units / 4, 2)])
        .await
        .unwrap();
    eventually("it is corrected", || async {
        known().await == Some(Counts::new(units / 4, 2))
    })
    .await;
}

#[tokio::test]
async fn a_stream_brings_allotments_as_they_come() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 2).await;
    let (_, plan) = plan(&stack).await;
    let request = StreamAllotmentsRequest {
        network_key: network.key.clone(),
        after: String::new(),
    };
    let stream = api(&stack)
        .stream_allotments(call(&Caller::system(), request))
        .await;
    let mut stream = stream.unwrap().into_inner();
    next_round(&stack).await;
    let first = stream.next().await.unwrap().unwrap().allotment.unwrap();
    assert_eq!(first.plan_number, plan.plan_number);
}

#[tokio::test]
async fn what_a_simulated_network_reports_is_marked() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 1).await;
    let (caller, plan) = plan(&stack).await;
    sqlx::query("UPDATE networks SET is_simulated = true")
        .execute(&stack.db.pool())
        .await
        .unwrap();
    next_round(&stack).await;
    let allotments = fetch(&stack, &network.key, "").await.unwrap().items;
    let one = &allotments[0];
    send(&stack, &network.key, &[report(one, 1, one.units, 1)])
        .await
        .unwrap();
    assert_eq!(stack.plan(&caller, &plan.id).await.sources, ["simulator"]);
    let request = ListReportsRequest {
        plan_id: plan.id.clone(),
        page: None,
    };
    let reports = stack.users().list_reports(call(&caller, request)).await;
    let reports = reports.unwrap().into_inner().items;
    assert!(reports[0].simulated);
    assert_eq!(reports[0].placement_name, "Feed 0");
}
