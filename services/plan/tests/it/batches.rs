//! Puts that begin and end in one transaction with others: each is answered for itself.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::telemetry;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::plan_service_client::PlanServiceClient;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::eventually;
use futures::future::join_all;
use sqlx::{Connection as _, PgConnection};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::helpers::{Plan, *};

type Answer = Result<pb::Plan, Refusal>;

/// A put that goes on by itself.
fn spawned(stack: &Plan, caller: &Caller, request: PutPlanRequest) -> JoinHandle<Answer> {
    let (mut users, request) = (stack.users(), call(caller, request));
    tokio::spawn(async move {
        let answer = users.put_plan(request).await.map_err(refused)?;
        Ok(answer.into_inner().plan.unwrap())
    })
}

/// Keeps puts from beginning; a first one waits already, so that all others go together.
async fn blocked(stack: &Plan, product: &Product) -> (PgConnection, JoinHandle<Answer>) {
    let mut blocker = PgConnection::connect(stack.db.url()).await.unwrap();
    sqlx::raw_sql("BEGIN; LOCK TABLE puts IN SHARE MODE")
        .execute(&mut blocker)
        .await
        .unwrap();
    let first = spawned(
        stack,
        &stack.user_with(10_000).await,
        put_into(product, 1_000),
    );
    waits_for_a_lock(stack).await;
    (blocker, first)
}

async fn waits_for_a_lock(stack: &Plan) {
    let waiting = "SELECT count(*) FROM pg_stat_activity
                   WHERE wait_event_type = 'Lock' AND datname = current_database()
                     AND application_name = 'adfolio-plan-writer'";
    eventually("the writer waits", || async {
        let waiting: i64 = sqlx::query_scalar(waiting)
            .fetch_one(&stack.db.pool())
            .await
            .unwrap();
        waiting == 1
    })
    .await;
}

/// A stack whose queues are measured: the recorder must be there before them.
async fn spawn() -> Plan {
    telemetry::install_metrics("plan").unwrap();
    Plan::spawn().await
}

/// Waits until so many puts wait behind the one that is blocked.
async fn in_the_queue(puts: usize) {
    eventually("the puts are in the queue", || async {
        let metrics = telemetry::render_metrics();
        let mut depths = metrics.lines().filter(|line| {
            line.starts_with("group_commit_queue_depth") && line.contains("queue=\"put_begin\"")
        });
        depths.any(|line| line.ends_with(&format!(" {puts}")))
    })
    .await;
}

/// Waits until a replica takes no connection any more.
async fn is_closed(url: &str) {
    let address = url.trim_start_matches("http://");
    eventually("the replica stops", || async {
        TcpStream::connect(address).await.is_err()
    })
    .await;
}

async fn count(stack: &Plan, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql)
        .fetch_one(&stack.db.pool())
        .await
        .unwrap()
}

/// Makes the database fail for plans of 66.60.
async fn fail_66_60(stack: &Plan, table: &'static str, amount: &'static str) {
    let fault = format!(
        "CREATE FUNCTION fail_66_60() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF {amount} = 6660 THEN RAISE EXCEPTION 'on purpose'; END IF;
             RETURN NEW;
         END $$;
         CREATE TRIGGER fail_66_60 BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION fail_66_60()"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(fault))
        .execute(&stack.db.pool())
        .await
        .unwrap();
}

#[tokio::test]
async fn many_at_once_share_transactions_and_each_is_answered_for_itself() {
    let stack = spawn().await;
    let product = stack.product().await;
    let other = stack.product().await;
    let users = join_all((0..8).map(|_| stack.user_with(10_000))).await;
    let pushed = stack.push(&product, &[&users[6]]).await.remove(0).plan_id;
    let unknown = Product {
        id: "00000000-0000-7000-8000-000000000000".into(),
        ..product.clone()
    };
    let key = |user: usize, key: &str| with_key(&users[user], key);
    let (blocker, first) = blocked(&stack, &product).await;
    let puts = [
        (key(0, "a"), put_into(&product, 1_000)),
        (key(1, "a"), put_into(&other, 2_000)),
        // Refused before anything is written.
        (key(2, "a"), put_into(&product, 999)),
        (key(3, "a"), put_into(&unknown, 1_000)),
        // Refused by wallet.
        (key(4, "a"), put_into(&product, 10_001)),
        // A key twice, and once more for something else.
        (key(5, "a"), put_into(&product, 3_000)),
        (key(5, "a"), put_into(&product, 3_000)),
        (key(5, "a"), put_into(&product, 3_001)),
        // A plan twice, and once by somebody else.
        (key(6, "a"), put_plan(&pushed, 4_000)),
        (key(6, "b"), put_plan(&pushed, 4_000)),
        (key(7, "a"), put_plan(&pushed, 4_000)),
    ];
    let puts = puts.map(|(caller, request)| spawned(&stack, &caller, request));
    in_the_queue(11).await;
    blocker.close().await.unwrap();
    first.await.unwrap().unwrap();
    let answers: Vec<Answer> = join_all(puts)
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let outcomes: Vec<Result<i64, (Reason, Option<String>)>> = answers
        .iter()
        .map(|answer| match answer {
            Ok(plan) => Ok(plan.put_amount_minor),
            Err(refusal) => Err((refusal.reason, refusal.field.clone())),
        })
        .collect();
    let refused = |reason, field: &str| Err((reason, Some(field.to_owned())));
    assert_eq!(
        outcomes[..5],
        [
            Ok(1_000),
            Ok(2_000),
            refused(Reason::AmountOutOfRange, "amount"),
            refused(Reason::NotFound, "product_id"),
            refused(Reason::InsufficientBalance, "amount"),
        ]
    );
    // Calls may overtake each other on their way, so which one is first is open.
    let of_key = &answers[5..8];
    let plans: Vec<&pb::Plan> = of_key.iter().flatten().collect();
    assert!(!plans.is_empty() && plans.iter().all(|plan| *plan == plans[0]));
    for refusal in of_key.iter().filter_map(|answer| answer.as_ref().err()) {
        assert_eq!(refusal.reason, Reason::IdempotencyKeyReused);
    }
    let of_plan = &outcomes[8..10];
    assert!(of_plan.contains(&Ok(4_000)));
    assert!(of_plan.contains(&Err((Reason::PlanNotPuttable, None))));
    assert_eq!(outcomes[10], refused(Reason::NotFound, "plan_id"));
    let placed = count(
        &stack,
        "SELECT count(*) FROM order_history WHERE status = 'matching'",
    )
    .await;
    assert_eq!(placed, 5, "the first, two products, a key, a pushed plan");
    let put = count(&stack, "SELECT count(*) FROM puts").await;
    assert_eq!(put, 6, "and the one that wallet refused");
    let total = count(
        &stack,
        "SELECT sum(invested_minor)::bigint FROM user_totals",
    )
    .await;
    assert_eq!(
        total,
        answers[5..8]
            .iter()
            .flatten()
            .next()
            .unwrap()
            .put_amount_minor
            + 8_000
    );
    let counted = count(&stack, "SELECT sum(count)::bigint FROM order_counts").await;
    assert_eq!(counted, 5);
}

#[tokio::test]
async fn a_user_s_puts_in_one_batch_all_count() {
    let stack = spawn().await;
    let product = stack.product().await;
    let user = stack.user_with(100_000).await;
    let (blocker, first) = blocked(&stack, &product).await;
    let puts: Vec<_> = (0..12)
        .map(|_| spawned(&stack, &user, put_into(&product, 1_000)))
        .collect();
    in_the_queue(12).await;
    blocker.close().await.unwrap();
    first.await.unwrap().unwrap();
    for put in join_all(puts).await {
        put.unwrap().unwrap();
    }
    assert_eq!(
        counts(&stack.list(&user).await),
        [(PlanStatus::Matching, 12)]
    );
    let money = stack.money(&user).await;
    assert_eq!((money.available, money.to_be_consumed), (88_000, 12_000));
    for sums in [
        "SELECT sum(invested_minor)::bigint FROM user_totals",
        "SELECT sum(invested_minor)::bigint FROM user_days",
        "SELECT sum(invested_minor)::bigint FROM user_buckets",
    ] {
        assert_eq!(count(&stack, sums).await, 13_000, "{sums}");
    }
    let transactions = count(
        &stack,
        "SELECT count(DISTINCT xmin::text) FROM order_history",
    )
    .await;
    assert!(transactions < 13, "{transactions} transactions of 13 puts");
}

#[tokio::test]
async fn a_put_that_the_database_cannot_begin_fails_alone() {
    let stack = spawn().await;
    let product = stack.product().await;
    let users = join_all((0..4).map(|_| stack.user_with(10_000))).await;
    fail_66_60(&stack, "puts", "NEW.amount_minor").await;
    let (blocker, first) = blocked(&stack, &product).await;
    let puts: Vec<_> = [1_000, 6_660, 2_000, 3_000]
        .into_iter()
        .zip(&users)
        .map(|(minor, user)| spawned(&stack, user, put_into(&product, minor)))
        .collect();
    in_the_queue(4).await;
    blocker.close().await.unwrap();
    first.await.unwrap().unwrap();
    let reasons: Vec<Option<Reason>> = join_all(puts)
        .await
        .into_iter()
        .map(|answer| answer.unwrap().err().map(|refusal| refusal.reason))
        .collect();
    assert_eq!(reasons, [None, Some(Reason::Internal), None, None]);
    assert_eq!(count(&stack, "SELECT count(*) FROM puts").await, 4);
}

#[tokio::test]
async fn a_put_that_the_database_cannot_place_fails_alone_and_ends_later() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let users = join_all((0..4).map(|_| stack.user_with(10_000))).await;
    let amount = "(SELECT put_amount_minor FROM orders WHERE id = NEW.order_id)";
    fail_66_60(&stack, "order_history", amount).await;
    let puts = [1_000, 6_660, 2_000, 3_000]
        .into_iter()
        .zip(&users)
        .map(|(minor, user)| stack.put(user, &product, minor));
    let answers = join_all(puts).await;
    let failed: Vec<bool> = answers.iter().map(Result::is_err).collect();
    assert_eq!(failed, [false, true, false, false]);
    sqlx::raw_sql("DROP FUNCTION fail_66_60 CASCADE")
        .execute(&stack.db.pool())
        .await
        .unwrap();
    eventually("recovery places it", || async {
        counts(&stack.list(&users[1]).await) == [(PlanStatus::Matching, 1)]
    })
    .await;
    assert_eq!(stack.money(&users[1]).await.to_be_consumed, 6_660);
}

#[tokio::test]
async fn a_put_whose_deadline_passes_in_the_queue_is_never_begun() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let user = stack.user_with(10_000).await;
    let (blocker, first) = blocked(&stack, &product).await;
    let request = outgoing(&user, put_into(&product, 1_000), Duration::from_millis(300));
    stack.users().put_plan(request).await.unwrap_err();
    blocker.close().await.unwrap();
    first.await.unwrap().unwrap();
    // Its turn has come and gone once a later put is through.
    stack.put(&user, &product, 2_000).await.unwrap();
    assert_eq!(count(&stack, "SELECT count(*) FROM puts").await, 2);
    assert_eq!(stack.money(&user).await.to_be_consumed, 2_000);
}

#[tokio::test]
async fn a_plan_that_ends_while_its_put_begins_refuses_only_that_put() {
    let stack = Plan::spawn().await;
    let product = stack.product().await;
    let users = join_all((0..3).map(|_| stack.user_with(10_000))).await;
    let pushed = stack.push(&product, &[&users[0]]).await.remove(0).plan_id;
    let mut ending = PgConnection::connect(stack.db.url()).await.unwrap();
    let mut ending = ending.begin().await.unwrap();
    sqlx::query("UPDATE orders SET status = 'put_failed' WHERE id = $1::uuid")
        .bind(&pushed)
        .execute(&mut *ending)
        .await
        .unwrap();
    let of_plan = spawned(&stack, &users[0], put_plan(&pushed, 4_000));
    waits_for_a_lock(&stack).await;
    let others = users[1..]
        .iter()
        .map(|user| spawned(&stack, user, put_into(&product, 1_000)));
    let others: Vec<_> = others.collect();
    ending.commit().await.unwrap();
    assert_eq!(why(of_plan.await.unwrap()), (Reason::PlanNotPuttable, None));
    for other in join_all(others).await {
        other.unwrap().unwrap();
    }
    assert_eq!(count(&stack, "SELECT count(*) FROM puts").await, 2);
}

#[tokio::test]
async fn replicas_put_side_by_side_with_the_same_keys_and_plans() {
    let stack = Plan::builder().replicas(2).spawn().await;
    let product = stack.product().await;
    let users = join_all((0..6).map(|_| stack.user_with(1_000_000))).await;
    let everybody: Vec<&Caller> = users.iter().collect();
    let pushed = stack.push(&product, &everybody).await;
    let clients =
        [0, 1].map(|replica: usize| PlanServiceClient::new(stack.replicas[replica].channel()));
    let mut puts = Vec::new();
    for number in 0..10 {
        for (place, user) in users.iter().enumerate() {
            for replica in [0, 1] {
                // In another order at each replica.
                let place = if replica == 0 {
                    place
                } else {
                    users.len() - 1 - place
                };
                let (user, plan) = (if replica == 0 { user } else { &users[place] }, &pushed);
                let own = plan
                    .iter()
                    .find(|plan| plan.user_id == user_id(user))
                    .unwrap();
                let request = if number == 0 {
                    put_plan(&own.plan_id, 1_000)
                } else {
                    put_into(&product, 1_000)
                };
                let caller = with_key(user, &format!("shared-{number}"));
                let mut client = clients[replica].clone();
                puts.push(async move {
                    let answer = client.put_plan(call(&caller, request)).await;
                    (
                        user_id(&caller),
                        number,
                        answer.unwrap().into_inner().plan.unwrap().id,
                    )
                });
            }
        }
    }
    let mut plans = std::collections::HashMap::new();
    for (user, number, plan) in join_all(puts).await {
        let first = plans.entry((user, number)).or_insert_with(|| plan.clone());
        assert_eq!(
            *first, plan,
            "both replicas answer with the one put of a key"
        );
    }
    assert_eq!(count(&stack, "SELECT count(*) FROM puts").await, 60);
    for user in &users {
        assert_eq!(stack.money(user).await.to_be_consumed, 10_000);
    }
}

#[tokio::test]
async fn what_waits_at_a_shutdown_still_ends() {
    let mut stack = spawn().await;
    let product = stack.product().await;
    let users = join_all((0..4).map(|_| stack.user_with(10_000))).await;
    let (blocker, first) = blocked(&stack, &product).await;
    let puts: Vec<_> = users
        .iter()
        .map(|user| spawned(&stack, user, put_into(&product, 1_000)))
        .collect();
    in_the_queue(4).await;
    let replica = stack.replicas.remove(0);
    let url = replica.url();
    let stopping = tokio::spawn(replica.stop());
    is_closed(&url).await;
    blocker.close().await.unwrap();
    first.await.unwrap().unwrap();
    for put in join_all(puts).await {
        put.unwrap().unwrap();
    }
    stopping.await.unwrap().unwrap();
    assert_eq!(
        count(&stack, "SELECT count(*) FROM puts WHERE state = 'placed'").await,
        5
    );
}
