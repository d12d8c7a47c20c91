//! What advertisers and staff see of placement, and how often its reports are posted.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::eventually;

use crate::allotments::{fetch, hurry, next_round, plan, register, report, send, stack};
use crate::evidence;
use crate::helpers::{Plan, *};

async fn pace(stack: &Plan, caller: &Caller, plan: &pb::Plan) -> PlanPace {
    let request = GetPlanPaceRequest {
        plan_id: plan.id.clone(),
    };
    let answer = stack.users().get_plan_pace(call(caller, request)).await;
    answer.unwrap().into_inner().pace.unwrap()
}

async fn placements(stack: &Plan, caller: &Caller, plan: &pb::Plan) -> PlanPlacements {
    let request = ListPlanPlacementsRequest {
        plan_id: plan.id.clone(),
    };
    let answer = stack
        .users()
        .list_plan_placements(call(caller, request))
        .await;
    answer.unwrap().into_inner().placements.unwrap()
}

#[tokio::test]
async fn a_plan_says_where_it_was_shown_and_why() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 3).await;
    let (caller, plan) = plan(&stack).await;
    let before = placements(&stack, &caller, &plan).await;
    assert_eq!((before.items.len(), before.reported_until), (0, None));
    next_round(&stack).await;
    let allotments = fetch(&stack, &network.key, "").await.unwrap().items;
    assert!(allotments.len() > 1);
    let decided = placements(&stack, &caller, &plan).await;
    assert_eq!(decided.items.len(), 3);
    assert!(decided.items.iter().all(|it| it.impressions == 0
        && it.share_millionths.is_some()
        && it.reason() != PlacementReason::Unspecified
        && (it.click_rate_low_millionths, it.click_rate_high_millionths) == (0, 1_000_000)));

    let one = &allotments[0];
    let reports = [
        report(one, 1, one.units, 4),
        report(&allotments[1], 1, 10, 0),
    ];
    assert_eq!(
        send(&stack, &network.key, &reports).await.unwrap().applied,
        2
    );
    // Reported without a placement, half a cent among it.
    let file = format!(
        "report_id,plan_number,time,impressions,clicks,spend,revenue\nx-1,{},{},100,2,0.105,0\n",
        plan.plan_number,
        stack.clock.now().to_rfc3339()
    );
    assert_eq!(stack.import("elsewhere", "", &file).await.applied, 1);
    let shown = placements(&stack, &caller, &plan).await;
    let [first, .., last] = shown.items.as_slice() else {
        panic!("{shown:?}")
    };
    assert_eq!(first.placement_name, one.placement_name);
    assert_eq!((first.impressions, first.clicks), (one.units, 4));
    assert!(first.click_rate_low_millionths < first.click_rate_millionths);
    assert!(first.click_rate_millionths < first.click_rate_high_millionths);
    assert!(!first.simulated);
    assert_eq!(
        (last.placement_id.as_str(), last.impressions, last.clicks),
        ("", 100, 2)
    );
    assert_eq!(
        (last.share_millionths, last.reason()),
        (None, PlacementReason::Unspecified)
    );
    let found = stack.plan(&caller, &plan.id).await;
    let sum = |of: fn(&PlanPlacement) -> i64| shown.items.iter().map(of).sum::<i64>();
    assert_eq!(sum(|it| it.impressions), found.impressions);
    assert_eq!(sum(|it| it.clicks), found.clicks);
    assert_eq!((shown.learning_clicks, shown.learning_of), (6, 50));
    assert!(shown.reported_until.is_some());

    // A correction counts, and the sums stay those of the reports.
    let corrected = report(one, 2, 5, 1);
    send(&stack, &network.key, &[corrected]).await.unwrap();
    let shown = placements(&stack, &caller, &plan).await;
    let place = shown
        .items
        .iter()
        .find(|it| it.placement_id == one.placement_id);
    assert_eq!(place.map(|it| (it.impressions, it.clicks)), Some((5, 1)));
    assert!(book(&stack, &plan).await.equals_buckets);
}

#[tokio::test]
async fn a_plan_says_whether_it_keeps_pace() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 3).await;
    let (caller, plan) = plan(&stack).await;
    let before = pace(&stack, &caller, &plan).await;
    assert_eq!(
        (before.state(), before.series.len()),
        (PaceState::NotPaced, 0)
    );
    next_round(&stack).await;
    let early = pace(&stack, &caller, &plan).await;
    assert_eq!(early.state(), PaceState::TooEarly);
    assert_eq!(early.bucket(), SeriesStep::Day);
    let first = early.series.first().unwrap();
    let last = early.series.last().unwrap();
    assert_eq!((first.planned_minor, first.spent_minor), (0, Some(0)));
    assert_eq!(
        (last.planned_minor, last.spent_minor),
        (plan.put_amount_minor, None)
    );
    assert!(early.series.is_sorted_by_key(|point| point.planned_minor));
    assert!(
        early
            .series
            .iter()
            .all(|point| point.low_minor <= point.planned_minor
                && point.planned_minor <= point.high_minor
                && point.high_minor <= plan.put_amount_minor)
    );

    // Half of the window is over, and next to nothing was shown.
    hurry(&stack, &plan).await;
    assert_eq!(
        pace(&stack, &caller, &plan).await.state(),
        PaceState::Behind
    );
    next_round(&stack).await;
    let allotments = fetch(&stack, &network.key, "").await.unwrap().items;
    let one = allotments.last().unwrap();
    let most = plan.put_amount_minor * 5;
    send(&stack, &network.key, &[report(one, 1, most * 99 / 100, 40)])
        .await
        .unwrap();
    assert_eq!(pace(&stack, &caller, &plan).await.state(), PaceState::Ahead);
    stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    assert_eq!(pace(&stack, &caller, &plan).await.state(), PaceState::Ended);
}

#[tokio::test]
async fn only_the_owner_and_staff_see_placement() {
    let stack = stack().await;
    register(&stack, "network-a", 2).await;
    let (_, plan) = plan(&stack).await;
    let stranger = stack.user_with(100).await;
    next_round(&stack).await;
    let request = GetPlanPaceRequest {
        plan_id: plan.id.clone(),
    };
    let refused_pace = stack.users().get_plan_pace(call(&stranger, request)).await;
    assert_eq!(refused(refused_pace.unwrap_err()).reason, Reason::NotFound);
    let request = ListPlanPlacementsRequest {
        plan_id: plan.id.clone(),
    };
    let refused_list = stack
        .users()
        .list_plan_placements(call(&stranger, request))
        .await;
    assert_eq!(refused(refused_list.unwrap_err()).reason, Reason::NotFound);

    let support = staff(StaffRole::Support);
    let request = AdminGetPlanPaceRequest {
        plan_id: plan.id.clone(),
    };
    let seen = stack
        .staff()
        .admin_get_plan_pace(call(&support, request))
        .await;
    assert!(!seen.unwrap().into_inner().pace.unwrap().series.is_empty());
    let request = AdminListPlanPlacementsRequest {
        plan_id: plan.id.clone(),
    };
    let seen = stack
        .staff()
        .admin_list_plan_placements(call(&support, request))
        .await;
    assert_eq!(
        seen.unwrap().into_inner().placements.unwrap().items.len(),
        2
    );
}

#[tokio::test]
async fn reports_of_placements_are_posted_together() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 3).await;
    let (caller, plan) = plan(&stack).await;
    hurry(&stack, &plan).await;
    next_round(&stack).await;
    let allotments = fetch(&stack, &network.key, "").await.unwrap().items;
    assert!(allotments.len() > 1);
    let left = |consumed: i64| plan.put_amount_minor - consumed;
    let open = || async { stack.money(&caller).await.to_be_consumed };
    let one = &allotments[0];
    send(&stack, &network.key, &[report(one, 1, one.units, 1)])
        .await
        .unwrap();
    let first = stack.plan(&caller, &plan.id).await.consumed_minor;
    eventually("the first report is posted at once", || async {
        open().await == left(first)
    })
    .await;
    eventually("nothing is under way", || async {
        !book(&stack, &plan).await.in_flight
    })
    .await;

    for allotment in &allotments[1..] {
        send(
            &stack,
            &network.key,
            &[report(allotment, 1, allotment.units, 1)],
        )
        .await
        .unwrap();
    }
    let second = stack.plan(&caller, &plan.id).await.consumed_minor;
    assert!(second > first);
    // The books say what was posted, and that nothing is under way: so they can be compared with the ledger.
    let resting = book(&stack, &plan).await;
    assert_eq!((resting.consumed_minor, resting.in_flight), (first, false));
    let hold = stack.holds().await.remove(&plan.id).unwrap();
    assert_eq!((hold.open_minor, hold.in_flight), (left(first), false));
    assert_eq!(open().await, left(first));
    let waits: bool = sqlx::query_scalar(
        "SELECT due_at = posted_at + interval '1 hour' FROM order_work JOIN orders ON id = order_id",
    )
    .fetch_one(&stack.db.pool())
    .await
    .unwrap();
    assert!(waits, "the second posting comes an hour after the first");

    // A report of the same plan without a placement posts everything at once.
    let file = format!(
        "report_id,plan_number,time,impressions,clicks,spend,revenue\nx-1,{},{},100,2,0.10,0\n",
        plan.plan_number,
        stack.clock.now().to_rfc3339()
    );
    assert_eq!(stack.import("elsewhere", "", &file).await.applied, 1);
    eventually("everything is posted", || async {
        open().await == left(second + 10)
    })
    .await;
}

#[tokio::test]
async fn what_waits_is_posted_when_its_time_comes_and_when_the_plan_ends() {
    let stack = stack().await;
    let network = register(&stack, "network-a", 3).await;
    let (caller, plan) = plan(&stack).await;
    hurry(&stack, &plan).await;
    next_round(&stack).await;
    let allotments = fetch(&stack, &network.key, "").await.unwrap().items;
    let [first, second, ..] = allotments.as_slice() else {
        panic!("two placements are chosen")
    };
    let open = || async { stack.money(&caller).await.to_be_consumed };
    let posted = || async {
        let consumed = stack.plan(&caller, &plan.id).await.consumed_minor;
        open().await == plan.put_amount_minor - consumed
    };
    send(&stack, &network.key, &[report(first, 1, first.units, 1)])
        .await
        .unwrap();
    eventually("the first report is posted", posted).await;
    send(&stack, &network.key, &[report(second, 1, second.units, 1)])
        .await
        .unwrap();
    assert!(!posted().await);
    // As if the hour were over.
    sqlx::query("UPDATE order_work SET due_at = clock_timestamp()")
        .execute(&stack.db.pool())
        .await
        .unwrap();
    eventually("it is posted by its time", posted).await;
    send(&stack, &network.key, &[report(second, 2, 1, 0)])
        .await
        .unwrap();
    assert!(!posted().await);
    stack
        .finish(&plan.id, FinishOutcome::PutFinished)
        .await
        .unwrap();
    eventually("the end posts what waited", || async {
        let money = stack.money(&caller).await;
        stack.plan(&caller, &plan.id).await.consumed_minor + money.to_be_consumed
            == plan.put_amount_minor
    })
    .await;
}

/// What plan's books say of a plan, for reconciliation.
async fn book(stack: &Plan, plan: &pb::Plan) -> DeliveryBook {
    let mut books = evidence::books(stack).await.into_iter();
    books.find(|book| book.order_id == plan.id).unwrap()
}
