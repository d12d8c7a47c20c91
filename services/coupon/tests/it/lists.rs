//! What a user sees of coupons: states, counts, pages, and what can be claimed.

use std::time::Duration;

use adfolio_kit::refusal::Reason;
use adfolio_proto::coupon::v1 as pb;
use adfolio_testkit::eventually;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::helpers::{Counts, Coupon, call, in_zone, new_user, periodic, refused, user, why};

const WEEK: Duration = Duration::from_hours(7 * 24);

#[tokio::test]
async fn pages_are_newest_first_and_a_foreign_cursor_is_refused() {
    let stack = Coupon::spawn().await;
    let (alice, bob) = (user(), user());
    let mut claimed = Vec::new();
    for number in 0..5 {
        let campaign = stack.campaign(periodic(&format!("Coupon {number}"))).await;
        claimed.push(stack.claim(&alice, &campaign.id).await.unwrap());
        stack.claim(&bob, &campaign.id).await.unwrap();
    }
    claimed.reverse();

    let first = stack
        .list_page(&alice, pb::CouponState::Unused, "", 3)
        .await
        .unwrap();
    let second = stack
        .list_page(&alice, pb::CouponState::Unused, &first.next_cursor, 3)
        .await
        .unwrap();
    assert_eq!([first.items, second.items].concat(), claimed);
    assert_eq!(second.next_cursor, "");

    let cursor_refused = (Reason::Validation, Some("cursor".to_owned()));
    let foreign = stack
        .list_page(&bob, pb::CouponState::Unused, &first.next_cursor, 3)
        .await;
    assert_eq!(why(foreign), cursor_refused);
    assert_eq!(
        why(stack
            .list_page(&alice, pb::CouponState::Used, &first.next_cursor, 3)
            .await),
        cursor_refused
    );
    assert_eq!(
        why(stack
            .list_page(&alice, pb::CouponState::Unused, "junk", 3)
            .await),
        cursor_refused
    );
    let too_many = stack
        .list_page(&alice, pb::CouponState::Unused, "", 101)
        .await;
    assert_eq!(
        why(too_many),
        (Reason::Validation, Some("limit".to_owned()))
    );
}

#[tokio::test]
async fn a_coupon_past_its_time_is_expired_at_once_and_marked_soon() {
    let stack = Coupon::spawn().await;
    let (user, coupon) = stack.user_with_coupon().await;
    let (_, reserved) = {
        let campaign = stack.campaign(periodic("Reserved")).await;
        let coupon = stack.claim(&user, &campaign.id).await.unwrap();
        let order = Uuid::now_v7();
        stack
            .reserve(order, &user, &coupon.id, 2_000)
            .await
            .unwrap();
        (order, coupon)
    };
    assert_eq!(stack.counts(&user).await, Counts::NONE.unused(2));
    stack.clock.advance(WEEK);
    assert_eq!(stack.counts(&user).await, Counts::NONE.unused(1).expired(1));
    let expired = stack.list(&user, pb::CouponState::Expired).await.items;
    assert_eq!(expired.len(), 1);
    assert_eq!(expired[0].id, coupon.id);
    assert_eq!(expired[0].state(), pb::CouponState::Expired);
    let unused = stack.list(&user, pb::CouponState::Unused).await.items;
    assert_eq!(unused.len(), 1);
    assert_eq!(unused[0].id, reserved.id);
    let refused = stack
        .reserve(Uuid::now_v7(), &user, &coupon.id, 2_000)
        .await;
    assert_eq!(
        why(refused),
        (Reason::CouponNotUsable, Some("user_coupon_id".to_owned()))
    );

    let pool = stack.db.pool();
    eventually("the sweeper has marked the coupon", || async {
        let marked: i64 =
            sqlx::query_scalar("SELECT count(*) FROM coupons WHERE state = 'expired'")
                .fetch_one(&pool)
                .await
                .expect("a count");
        marked == 1
    })
    .await;
    assert_eq!(stack.counts(&user).await, Counts::NONE.unused(1).expired(1));
}

#[tokio::test]
async fn usable_coupons_meet_the_amount_and_come_soonest_expiry_first() {
    let stack = Coupon::spawn().await;
    let user = user();
    for (name, valid_days, requirement) in
        [("Long", 30, 1_000), ("Short", 2, 1_000), ("High", 1, 9_000)]
    {
        let campaign = pb::Campaign {
            valid_days,
            amount_requirement_minor: requirement,
            ..periodic(name)
        };
        let campaign = stack.campaign(campaign).await;
        stack.claim(&user, &campaign.id).await.unwrap();
    }
    let usable = |amount_max_minor: i64| {
        let request = call(&user, pb::ListUsableRequest { amount_max_minor });
        let mut client = stack.users();
        async move { client.list_usable(request).await.map_err(refused) }
    };
    let names = |answer: tonic::Response<pb::ListUsableResponse>| {
        answer
            .into_inner()
            .items
            .into_iter()
            .map(|coupon| coupon.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(usable(8_999).await.unwrap()), ["Short", "Long"]);
    assert_eq!(
        names(usable(9_000).await.unwrap()),
        ["High", "Short", "Long"]
    );
    assert_eq!(names(usable(999).await.unwrap()), Vec::<String>::new());
    assert_eq!(
        why(usable(-1).await),
        (Reason::Validation, Some("amount_max".to_owned()))
    );
}

#[tokio::test]
async fn what_can_be_claimed_and_what_was() {
    let stack = Coupon::spawn().await;
    let now = stack.clock.now();
    let welcome = stack
        .campaign(pb::Campaign {
            ends_at: Some((now + WEEK).into()),
            ..new_user("Welcome")
        })
        .await;
    let daily = stack.campaign(periodic("Daily")).await;
    let rare = stack
        .campaign(pb::Campaign {
            total: 1,
            ..periodic("Rare")
        })
        .await;
    stack
        .campaign(pb::Campaign {
            kind: pb::CampaignKind::Staff.into(),
            ..periodic("Grant")
        })
        .await;
    stack
        .campaign(pb::Campaign {
            starts_at: Some((now + WEEK).into()),
            ..periodic("Later")
        })
        .await;
    let (alice, bob) = (in_zone(&user(), "Asia/Shanghai"), user());
    stack.claim(&alice, "").await.unwrap();
    stack.claim(&alice, &daily.id).await.unwrap();
    stack.claim(&alice, &rare.id).await.unwrap();

    let claimable = |caller: adfolio_kit::identity::Caller| {
        let stack = &stack;
        async move {
            let listed = stack.list(&caller, pb::CouponState::Unused).await.claimable;
            listed
                .into_iter()
                .map(|entry| (entry.name, entry.claimed))
                .collect::<Vec<_>>()
        }
    };
    let entry = |name: &str, claimed| (name.to_owned(), claimed);
    assert_eq!(
        claimable(alice.clone()).await,
        [
            entry("Welcome", true),
            entry("Rare", true),
            entry("Daily", true)
        ]
    );
    assert_eq!(
        claimable(bob).await,
        [entry("Welcome", false), entry("Daily", false)]
    );

    // A week later the new-user campaign is over, the claims of that day are history, and another campaign has begun.
    stack.clock.advance(WEEK);
    assert_eq!(
        claimable(alice).await,
        [
            entry("Welcome", true),
            entry("Later", false),
            entry("Daily", false)
        ]
    );
    assert_eq!(welcome.kind(), pb::CampaignKind::NewUser);
}

/// The counts as a look at every coupon gives them.
async fn counted(stack: &Coupon, user_id: Uuid) -> (i64, i64, i64) {
    sqlx::query_as(
        "SELECT count(*) FILTER (WHERE state = 'reserved' OR (state = 'unused' AND expires_at > $2)),
                count(*) FILTER (WHERE state = 'used'),
                count(*) FILTER (WHERE state = 'expired' OR (state = 'unused' AND expires_at <= $2))
         FROM coupons WHERE user_id = $1",
    )
    .bind(user_id)
    .bind(stack.clock.now())
    .fetch_one(&stack.db.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn the_counts_follow_every_coupon() {
    let stack = Coupon::spawn().await;
    let alice = user();
    let id = alice.user.unwrap().0;
    assert_eq!(stack.counts(&alice).await, Counts::NONE);
    let mut coupons = Vec::new();
    for number in 0..6 {
        let campaign = stack.campaign(periodic(&format!("Coupon {number}"))).await;
        coupons.push(stack.claim(&alice, &campaign.id).await.unwrap());
    }
    let orders: Vec<Uuid> = coupons.iter().map(|_| Uuid::now_v7()).collect();
    // Two reserved, one used, one used and given back; the last two are left alone.
    for (order, coupon) in orders.iter().zip(&coupons).take(4) {
        stack
            .reserve(*order, &alice, &coupon.id, 2_000)
            .await
            .unwrap();
    }
    for order in &orders[2..4] {
        stack.redeem(*order, &alice).await.unwrap();
    }
    stack.release(orders[3], &alice).await.unwrap();
    assert_eq!(stack.counts(&alice).await, Counts::NONE.unused(5).used(1));
    assert_eq!(counted(&stack, id).await, (5, 1, 0));
    stack.clock.advance(WEEK);
    assert_eq!(
        stack.counts(&alice).await,
        Counts::NONE.unused(2).used(1).expired(3)
    );
    stack.release(orders[0], &alice).await.unwrap();
    assert_eq!(
        stack.counts(&alice).await,
        Counts::NONE.unused(1).used(1).expired(4)
    );
    assert_eq!(counted(&stack, id).await, (1, 1, 4));
    let (stack, alice) = (&stack, &alice);
    eventually("everything is marked", || async {
        let unmarked: i64 =
            sqlx::query_scalar("SELECT count(*) FROM coupons WHERE state = 'unused'")
                .fetch_one(&stack.db.pool())
                .await
                .unwrap();
        unmarked == 0
    })
    .await;
    assert_eq!(
        stack.counts(alice).await,
        Counts::NONE.unused(1).used(1).expired(4)
    );
}

/// The service's own query that holds `part`, as it was checked at compile time.
fn query_with(part: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/.sqlx");
    let queries = std::fs::read_dir(folder).unwrap().map(|entry| {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json["query"].as_str().unwrap().to_owned()
    });
    let found: Vec<String> = queries.filter(|query| query.contains(part)).collect();
    assert_eq!(found.len(), 1, "{part}");
    found.into_iter().next().unwrap()
}

/// The blocks that a query touches, and whether it reads a table from end to end.
async fn cost(connection: &mut sqlx::PgConnection, query: &str, arguments: &str) -> (i64, bool) {
    for statement in [
        "DEALLOCATE ALL".to_owned(),
        format!("PREPARE page AS {query}"),
    ] {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut *connection)
            .await
            .unwrap();
    }
    let explain =
        format!("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE page({arguments})");
    let mut cost = (0, false);
    // The second time nothing has to be read that is not in memory.
    for _ in 0..2 {
        let row = sqlx::raw_sql(AssertSqlSafe(explain.clone()))
            .fetch_one(&mut *connection)
            .await
            .unwrap();
        let plan: serde_json::Value = sqlx::Row::try_get(&row, 0).unwrap();
        let node = &plan[0]["Plan"];
        let blocks = |name: &str| node[name].as_i64().unwrap();
        cost = (
            blocks("Shared Hit Blocks") + blocks("Shared Read Blocks"),
            plan.to_string().contains("Seq Scan"),
        );
    }
    cost
}

#[tokio::test]
async fn the_last_of_a_hundred_thousand_coupons_costs_what_the_first_does() {
    /// Blocks that a page of 21 rows and its way through the tree may touch.
    const FEW_BLOCKS: i64 = 60;
    let stack = Coupon::spawn().await;
    let (alice, coupon) = stack.user_with_coupon().await;
    let pool = stack.db.pool();
    sqlx::query(
        "INSERT INTO coupons (id, user_id, campaign_id, name, name_key, type, mode, value_minor, value_basis_points,
             amount_requirement_minor, source, state, claimed_at, claimed_on, expires_at, order_id, used_at)
         SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, user_id, campaign_id, name, name_key,
                type, mode, value_minor, value_basis_points, amount_requirement_minor, 'staff',
                CASE number % 4 WHEN 0 THEN 'used' WHEN 1 THEN 'expired' ELSE 'unused' END, claimed_at, claimed_on,
                CASE number % 4 WHEN 1 THEN claimed_at ELSE expires_at END,
                CASE number % 4 WHEN 0 THEN gen_random_uuid() END, CASE number % 4 WHEN 0 THEN claimed_at END
         FROM coupons, generate_series(1, 100000) AS number WHERE id = $1::uuid",
    )
    .bind(&coupon.id)
    .execute(&pool)
    .await
    .unwrap();
    // A table of one block is best read from end to end, so there are many campaigns too.
    sqlx::query(
        "INSERT INTO campaigns (id, name, name_key, type, mode, value_minor, value_basis_points,
             amount_requirement_minor, kind, valid_days, ends_at, created_at, created_by)
         SELECT gen_random_uuid(), 'over', 'over', 'deduction', 'deduction', 100, 0, 0, 'periodic', 7,
                '2020-01-01', '2019-01-01', gen_random_uuid() FROM generate_series(1, 20000)",
    )
    .execute(&pool)
    .await
    .unwrap();
    for table in ["coupons", "campaigns"] {
        let statement = AssertSqlSafe(format!("VACUUM ANALYZE {table}"));
        sqlx::query(statement).execute(&pool).await.unwrap();
    }
    assert_eq!(
        stack.counts(&alice).await,
        Counts::NONE.unused(50_001).used(25_000).expired(25_000)
    );

    let mut connection = pool.acquire().await.unwrap();
    let id = alice.user.unwrap();
    let (top, low) = (Uuid::max(), "00000000-0000-7000-8000-0000000000ff");
    let now = stack.clock.now().to_rfc3339();
    let shown = query_with("WHERE (user_id, listed_as, id) < ($1, $2, $3)");
    let expired = query_with("WHERE (user_id, listed_as, id) < ($1, 'expired', $2)");
    let counts = query_with("LEFT JOIN coupon_counts");
    for (query, first, last) in [
        (
            &shown,
            format!("'{id}', 'unused', '{top}', '{now}', 21"),
            format!("'{id}', 'unused', '{low}', '{now}', 21"),
        ),
        (
            &shown,
            format!("'{id}', 'used', '{top}', '{now}', 21"),
            format!("'{id}', 'used', '{low}', '{now}', 21"),
        ),
        (
            &expired,
            format!("'{id}', '{top}', '{now}', 21"),
            format!("'{id}', '{low}', '{now}', 21"),
        ),
        (
            &counts,
            format!("'{id}', '{now}'"),
            format!("'{id}', '{now}'"),
        ),
    ] {
        let costs = [
            cost(&mut connection, query, &first).await,
            cost(&mut connection, query, &last).await,
        ];
        for (blocks, walks_the_table) in costs {
            assert!(!walks_the_table, "{query}");
            assert!(blocks <= FEW_BLOCKS, "{query}: {costs:?}");
        }
    }
}
