//! Lists and counts of plans.

use adfolio_kit::refusal::Reason;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::*;

use crate::helpers::{Plan, *};

async fn page(
    stack: &Plan,
    caller: &adfolio_kit::identity::Caller,
    request: ListPlansRequest,
) -> ListPlansResponse {
    stack
        .users()
        .list_plans(call(caller, request))
        .await
        .unwrap()
        .into_inner()
}

#[tokio::test]
async fn pages_go_through_every_plan_once_newest_first() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(stack.put(&caller, &product, 1_000).await.unwrap().id);
        made.push(stack.push(&product, &[&caller]).await.remove(0).plan_id);
    }
    made.reverse();
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = ListPlansRequest {
            page: Some(PageRequest { cursor, limit: 3 }),
            ..Default::default()
        };
        let answer = page(&stack, &caller, request).await;
        seen.extend(answer.items.into_iter().map(|plan| plan.id));
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            break;
        }
    }
    assert_eq!(seen, made);
}

#[tokio::test]
async fn filters_and_counts_agree() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    for _ in 0..2 {
        stack.put(&caller, &product, 1_000).await.unwrap();
        stack.push(&product, &[&caller]).await;
    }
    let request = ListPlansRequest {
        push: PushFilter::Official.into(),
        ..Default::default()
    };
    let official = page(&stack, &caller, request).await;
    assert_eq!(counts(&official), [(PlanStatus::Waiting, 2)]);
    assert_eq!(official.items.len(), 2);
    assert_eq!(official.counts.len(), 7, "every tab has its count");
    let request = ListPlansRequest {
        status: PlanStatus::Matching.into(),
        ..Default::default()
    };
    let matching = page(&stack, &caller, request).await;
    assert!(
        matching
            .items
            .iter()
            .all(|plan| plan.status() == PlanStatus::Matching && !plan.official)
    );
    assert_eq!(
        counts(&matching),
        [(PlanStatus::Waiting, 2), (PlanStatus::Matching, 2)]
    );
}

#[tokio::test]
async fn a_foreign_cursor_and_a_wrong_limit_are_refused() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    for _ in 0..2 {
        stack.put(&caller, &product, 1_000).await.unwrap();
    }
    let request = |cursor: &str, limit| ListPlansRequest {
        page: Some(PageRequest {
            cursor: cursor.into(),
            limit,
        }),
        ..Default::default()
    };
    let cursor = page(&stack, &caller, request("", 1)).await.next_cursor;
    let foreign = stack
        .users()
        .list_plans(call(&user(), request(&cursor, 1)))
        .await
        .map_err(refused);
    assert_eq!(why(foreign), (Reason::Validation, Some("cursor".into())));
    let long = stack
        .users()
        .list_plans(call(&caller, request("", 101)))
        .await
        .map_err(refused);
    assert_eq!(why(long), (Reason::Validation, Some("limit".into())));
}

#[tokio::test]
async fn staff_find_plans_by_user_status_and_number() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let (first, second) = (stack.user_with(10_000).await, stack.user_with(10_000).await);
    let plan = stack.put(&first, &product, 1_000).await.unwrap();
    stack.put(&second, &product, 1_000).await.unwrap();
    let list = async |request: AdminListPlansRequest| {
        stack
            .staff()
            .admin_list_plans(call(&operator(), request))
            .await
            .unwrap()
            .into_inner()
            .items
    };
    assert_eq!(list(AdminListPlansRequest::default()).await.len(), 2);
    let by_user = AdminListPlansRequest {
        user_id: user_id(&first),
        ..Default::default()
    };
    assert_eq!(list(by_user).await, std::slice::from_ref(&plan));
    let by_number = AdminListPlansRequest {
        plan_number: plan.plan_number.clone(),
        ..Default::default()
    };
    assert_eq!(list(by_number).await, [plan]);
    let by_status = AdminListPlansRequest {
        status: PlanStatus::Settled.into(),
        ..Default::default()
    };
    assert!(list(by_status).await.is_empty());
}

/// All rows of a table, page by page, with its totals.
async fn table(
    stack: &Plan,
    caller: &adfolio_kit::identity::Caller,
    table: PlanTable,
) -> (Vec<pb::Plan>, PlanTotals) {
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let request = ListPlansRequest {
            page: Some(PageRequest { cursor, limit: 3 }),
            table: Some(table.clone()),
            ..Default::default()
        };
        let answer = page(stack, caller, request).await;
        seen.extend(answer.items);
        cursor = answer.next_cursor;
        if cursor.is_empty() {
            return (seen, answer.totals.expect("totals"));
        }
    }
}

#[tokio::test]
async fn a_table_is_sorted_by_each_column_and_adds_up() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    let mut rows = Vec::new();
    // Equal values, too: the id decides.
    for (number, (amount, impressions, clicks, spend, revenue)) in [
        (3_000, 40, 1, "1.00", "5.00"),
        (1_000, 10, 9, "2.00", "2.00"),
        (2_000, 10, 0, "2.00", "1.00"),
        (1_000, 7, 7, "0.50", "9.00"),
        (5_000, 25, 7, "4.125", "4.125"),
    ]
    .into_iter()
    .enumerate()
    {
        let plan = stack.put(&caller, &product, amount).await.unwrap();
        let plan_number = plan.plan_number;
        let row = format!(
            "r{number},{plan_number},2026-11-20T08:00:00Z,{impressions},{clicks},{spend},{revenue}\n"
        );
        rows.push(row);
        stack.clock.advance(std::time::Duration::from_hours(24));
    }
    let header = "report_id,plan_number,time,impressions,clicks,spend,revenue\n";
    stack
        .import("network-a", "{}", &format!("{header}{}", rows.concat()))
        .await;
    // Somebody else's plan is in no table of this user.
    let other = stack.user_with(10_000).await;
    stack.put(&other, &product, 9_000).await.unwrap();
    for sort in [
        PlanSort::Unspecified,
        PlanSort::CreateTime,
        PlanSort::PutAmount,
        PlanSort::Consumed,
        PlanSort::Revenue,
        PlanSort::Profit,
        PlanSort::Impressions,
        PlanSort::Clicks,
    ] {
        for ascending in [false, true] {
            let wanted = PlanTable {
                sort: sort.into(),
                ascending,
                ..PlanTable::default()
            };
            let (seen, totals) = table(&stack, &caller, wanted).await;
            let value = |plan: &pb::Plan| match sort {
                PlanSort::PutAmount => plan.put_amount_minor,
                PlanSort::Consumed => plan.consumed_minor,
                PlanSort::Revenue => plan.revenue_minor,
                PlanSort::Profit => plan.revenue_minor - plan.consumed_minor,
                PlanSort::Impressions => plan.impressions,
                PlanSort::Clicks => plan.clicks,
                _ => plan.create_time.as_ref().unwrap().seconds,
            };
            let values: Vec<i64> = seen.iter().map(value).collect();
            assert!(
                values.is_sorted_by(|a, b| if ascending { a <= b } else { a >= b }),
                "{sort:?} {ascending} {values:?}"
            );
            let ids: std::collections::BTreeSet<_> = seen.iter().map(|plan| &plan.id).collect();
            assert_eq!((seen.len(), ids.len()), (5, 5), "{sort:?} {ascending}");
            let sum = |value: fn(&pb::Plan) -> i64| seen.iter().map(value).sum::<i64>();
            let expected = PlanTotals {
                count: 5,
                put_amount_minor: sum(|plan| plan.put_amount_minor),
                consumed_minor: sum(|plan| plan.consumed_minor),
                revenue_minor: sum(|plan| plan.revenue_minor),
                impressions: sum(|plan| plan.impressions),
                clicks: sum(|plan| plan.clicks),
            };
            assert_eq!(totals, expected, "{sort:?} {ascending}");
        }
    }
}

#[tokio::test]
async fn a_table_is_narrowed_by_time_and_text() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let caller = stack.user_with(100_000).await;
    let begin = stack.clock.now();
    let mut plans = Vec::new();
    for _ in 0..4 {
        plans.push(stack.put(&caller, &product, 1_000).await.unwrap());
        stack.clock.advance(std::time::Duration::from_hours(24));
    }
    let after = |days: u64| Some((begin + std::time::Duration::from_hours(24 * days)).into());
    for (from, to, count) in [
        (None, None, 4),
        (after(1), None, 3),
        (None, after(1), 1),
        (after(1), after(3), 2),
        (after(3), after(1), 0),
    ] {
        let wanted = PlanTable {
            from,
            to,
            ..PlanTable::default()
        };
        let (seen, totals) = table(&stack, &caller, wanted).await;
        assert_eq!(totals.count, count);
        assert_eq!(i64::try_from(seen.len()).unwrap(), count);
    }
    let number = plans[2].plan_number.as_str();
    let by_text = async |query: &str| {
        let wanted = PlanTable {
            query: query.to_owned(),
            ..PlanTable::default()
        };
        table(&stack, &caller, wanted).await.0.len()
    };
    assert_eq!(by_text(&number.to_lowercase()).await, 1);
    assert_eq!(by_text(&format!(" {} ", product.name)).await, 4);
    for nothing in ["%", "_", "\\", "nothing of that", "' OR true --"] {
        assert_eq!(by_text(nothing).await, 0, "{nothing}");
    }
    for (request, field) in [
        (
            PlanTable {
                query: "x".repeat(101),
                ..PlanTable::default()
            },
            "query",
        ),
        (
            PlanTable {
                sort: 77,
                ..PlanTable::default()
            },
            "sort",
        ),
    ] {
        let request = ListPlansRequest {
            table: Some(request),
            ..Default::default()
        };
        let answer = stack.users().list_plans(call(&caller, request)).await;
        let refusal = refused(answer.expect_err("a refusal"));
        assert_eq!(
            (refusal.reason, refusal.field.as_deref()),
            (Reason::Validation, Some(field))
        );
    }
}
