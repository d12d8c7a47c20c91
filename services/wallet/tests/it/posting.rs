//! What moves money: deposits, holds, delivery, release, settlement.

use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1::{FlowEntry, FlowType, Property, WalletAccount};
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{Ledger, Returned, Settled, Wallet, assert_refused, finance, keyed};

/// Neither a transaction password nor a destination is set up here.
fn blocked_by(available: i64) -> Vec<String> {
    let empty = (available == 0).then_some("INSUFFICIENT_BALANCE");
    let missing = ["PAY_PASSWORD_NOT_SET", "BANK_CARD_NOT_BOUND"];
    empty
        .into_iter()
        .chain(missing)
        .map(str::to_owned)
        .collect()
}

fn figures(available: i64, to_be_consumed: i64, to_be_settled: i64, discount: i64) -> Property {
    Property {
        available_minor: available,
        to_be_consumed_minor: to_be_consumed,
        to_be_settled_minor: to_be_settled,
        discount_minor: discount,
        withdrawal_blocked_by: blocked_by(available),
        start_up_funds_returnable: true,
        ..Property::default()
    }
}

#[tokio::test]
async fn a_plan_s_money_is_followed_from_deposit_to_settlement() {
    let stack = Wallet::spawn().await;
    let (user, order, ledger) = (stack.user(), Uuid::now_v7(), stack.ledger());
    assert_eq!(stack.property(user).await, figures(0, 0, 0, 0));

    let entry = stack
        .deposit_as(&finance(), user, 100_000, " first deposit ")
        .await
        .expect("a deposit");
    assert_eq!(
        (
            entry.amount_minor,
            entry.balance_after_minor,
            entry.remark.as_str()
        ),
        (100_000, 100_000, "first deposit")
    );
    assert_eq!(stack.property(user).await, figures(100_000, 0, 0, 0));

    assert_eq!(
        ledger.hold(user, order, 60_000, 10_000).await,
        Ok(figures(40_000, 70_000, 0, 10_000))
    );
    assert_eq!(ledger.record(user, order, 1, 20_000, 30_000).await, Ok(1));
    assert_eq!(
        stack.property(user).await,
        figures(40_000, 50_000, 30_000, 10_000)
    );
    // A restatement lowers both.
    assert_eq!(ledger.record(user, order, 2, 14_000, 28_001).await, Ok(2));
    assert_eq!(
        stack.property(user).await,
        figures(40_000, 56_000, 28_001, 10_000)
    );
    // 56,000 of 70,000 come back, 6 of 7 parts to the user.
    assert_eq!(
        ledger.settle(user, order, 14_000, 28_001, 2_801).await,
        Ok(Settled {
            paid_out: 25_200,
            returned: 48_000
        })
    );
    assert_eq!(stack.property(user).await, figures(113_200, 0, 0, 2_000));

    let lines = stack.all_flow(user).await;
    let shown: Vec<(FlowType, WalletAccount, i64, i64)> = lines
        .iter()
        .rev()
        .map(|line| {
            (
                line.r#type(),
                line.account(),
                line.amount_minor,
                line.balance_after_minor,
            )
        })
        .collect();
    let (available, held) = (WalletAccount::Available, WalletAccount::ToBeConsumed);
    let earned = WalletAccount::ToBeSettled;
    let expected = [
        (FlowType::SystemTopUp, available, 100_000, 100_000),
        (FlowType::AdServing, held, 60_000, 70_000),
        (FlowType::AdServing, available, -60_000, 40_000),
        (FlowType::DiscountAmount, held, 10_000, 70_000),
        (FlowType::AdBilling, held, -20_000, 50_000),
        (FlowType::ProfitSharing, earned, 30_000, 30_000),
        (FlowType::AdBilling, held, 6_000, 56_000),
        (FlowType::ProfitSharing, earned, -1_999, 28_001),
        (FlowType::AdServing, held, -48_000, 0),
        (FlowType::AdServing, available, 48_000, 88_000),
        (FlowType::DiscountAmount, held, -8_000, 0),
        (FlowType::ProfitSharing, earned, -28_001, 0),
        (FlowType::ProfitSharing, available, 25_200, 113_200),
    ];
    assert_eq!(shown, expected);
    assert!(
        lines
            .iter()
            .all(|line| line.hash.len() == 32 && line.id.len() > 32)
    );
    let of_order = ledger.order_flow(user, order).await;
    // The plan's own lines: not those of where the money came from or went.
    let is_of_plan = |line: &FlowEntry| !line.id.ends_with("-0");
    let oldest_first = lines.into_iter().rev().skip(1).filter(is_of_plan);
    let oldest_first: Vec<_> = oldest_first.collect();
    assert_eq!(of_order, oldest_first);
    assert!(
        of_order
            .iter()
            .all(|line| line.reference == order.to_string())
    );
    assert!(ledger.order_flow(stack.user(), order).await.is_empty());
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn deposits_are_for_finance_and_for_users_that_exist() {
    let stack = Wallet::spawn().await;
    let user = stack.user();
    for (caller, reason) in [
        (Caller::system(), Reason::NotAuthenticated),
        (Caller::user(UserId(user)), Reason::NotAuthenticated),
        (
            Caller::staff(Uuid::now_v7(), StaffRole::Support),
            Reason::Forbidden,
        ),
        (
            Caller::staff(Uuid::now_v7(), StaffRole::Operator),
            Reason::Forbidden,
        ),
    ] {
        assert_refused(stack.deposit_as(&caller, user, 5, "").await, reason, None);
    }
    assert_refused(
        stack.deposit_as(&finance(), Uuid::now_v7(), 5, "").await,
        Reason::NotFound,
        Some("user_id"),
    );
    for amount in [0, -1, i64::MIN, i64::MAX, 1_000_000_000_000_001] {
        assert_refused(
            stack.deposit_as(&finance(), user, amount, "").await,
            Reason::Validation,
            Some("amount"),
        );
    }
    assert_refused(
        stack
            .deposit_as(&finance(), user, 5, &"x".repeat(501))
            .await,
        Reason::Validation,
        Some("remark"),
    );
    assert_eq!(stack.property(user).await, figures(0, 0, 0, 0));
    stack.deposit(user, 1_000_000_000_000_000).await;
    stack.deposit(user, 1).await;
    // Auth is asked only while there is no wallet.
    assert_eq!(stack.books.lock().expect("books").look_ups, 2);
}

#[tokio::test]
async fn a_deposit_s_key_makes_it_one_deposit() {
    let stack = Wallet::spawn().await;
    let (user, other) = (stack.user(), stack.user());
    let first = stack
        .deposit_as(&keyed("k1"), user, 700, "a")
        .await
        .expect("a deposit");
    stack.deposit(user, 50).await;
    assert_eq!(
        stack
            .deposit_as(&keyed("k1"), user, 700, "a")
            .await
            .as_ref(),
        Ok(&first)
    );
    for (user, amount, remark) in [(user, 701, "a"), (user, 700, "b"), (other, 700, "a")] {
        assert_refused(
            stack.deposit_as(&keyed("k1"), user, amount, remark).await,
            Reason::IdempotencyKeyReused,
            None,
        );
    }
    // Another member of staff has keys of their own.
    let colleague = Caller::staff(Uuid::now_v7(), StaffRole::Admin)
        .with_key(Some("k1".parse().expect("a key")));
    stack
        .deposit_as(&colleague, user, 700, "a")
        .await
        .expect("a deposit");
    assert_eq!(stack.property(user).await, figures(1_450, 0, 0, 0));

    let caller = keyed("k2");
    let racing = join_all((0..50).map(|_| stack.deposit_as(&caller, other, 9, ""))).await;
    assert!(
        racing
            .iter()
            .all(|answer| answer == &racing[0] && answer.is_ok()),
        "{racing:?}"
    );
    assert_eq!(stack.property(other).await, figures(9, 0, 0, 0));
    // Without a key each call is a deposit.
    join_all((0..20).map(|_| stack.deposit(other, 1))).await;
    assert_eq!(stack.property(other).await, figures(29, 0, 0, 0));
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn two_hundred_parallel_holds_on_money_for_ten_make_exactly_ten() {
    let stack = Wallet::builder().replicas(2).spawn().await;
    let user = stack.user_with(10_099).await;
    let ledgers = [0, 1].map(|replica: usize| Ledger::of(stack.replicas[replica].channel()));
    let holds = join_all((0..200).map(|turn: usize| {
        let ledger = ledgers[turn % 2].clone();
        async move { ledger.hold(user, Uuid::now_v7(), 1_000, 0).await }
    }))
    .await;
    assert_eq!(holds.iter().filter(|hold| hold.is_ok()).count(), 10);
    for refused in holds.into_iter().filter(Result::is_err) {
        assert_refused(refused, Reason::InsufficientBalance, Some("amount"));
    }
    assert_eq!(stack.property(user).await, figures(99, 10_000, 0, 0));
    // Each hold has a line of both accounts.
    assert_eq!(stack.all_flow(user).await.len(), 1 + 2 * 10);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn an_order_is_held_once() {
    let stack = Wallet::spawn().await;
    let (user, order, ledger) = (stack.user_with(1_000).await, Uuid::now_v7(), stack.ledger());
    let racing = join_all((0..50).map(|_| ledger.hold(user, order, 400, 100))).await;
    assert!(
        racing
            .iter()
            .all(|answer| answer == &Ok(figures(600, 500, 0, 100))),
        "{racing:?}"
    );
    assert_refused(
        ledger.hold(user, order, 401, 100).await,
        Reason::IdempotencyKeyReused,
        None,
    );
    assert_refused(
        ledger.hold(user, order, 400, 99).await,
        Reason::IdempotencyKeyReused,
        None,
    );
    assert_refused(
        ledger
            .hold(stack.user_with(1_000).await, order, 400, 100)
            .await,
        Reason::IdempotencyKeyReused,
        None,
    );
    assert_refused(
        ledger.hold(user, Uuid::now_v7(), 0, 0).await,
        Reason::Validation,
        Some("paid_minor"),
    );
    assert_refused(
        ledger.hold(user, Uuid::now_v7(), -1, 5).await,
        Reason::Validation,
        Some("paid_minor"),
    );
    // A coupon may pay for all of it, also without a wallet so far.
    assert_eq!(
        ledger.hold(stack.user(), Uuid::now_v7(), 0, 70).await,
        Ok(figures(0, 70, 0, 70))
    );
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_released_order_gives_back_once_and_is_never_held_again() {
    let stack = Wallet::spawn().await;
    let (user, ledger) = (stack.user_with(1_000).await, stack.ledger());
    // Released before its hold arrived.
    let early = Uuid::now_v7();
    assert_eq!(
        ledger.release(user, early).await,
        Ok(Returned {
            paid: 0,
            discount: 0
        })
    );
    assert_eq!(
        ledger.release(user, early).await,
        Ok(Returned {
            paid: 0,
            discount: 0
        })
    );
    assert_refused(
        ledger.hold(user, early, 10, 0).await,
        Reason::PlanNotPuttable,
        Some("order_id"),
    );
    assert_refused(
        ledger.record(user, early, 1, 0, 0).await,
        Reason::NotFound,
        Some("order_id"),
    );
    assert_refused(
        ledger.settle(user, early, 0, 0, 0).await,
        Reason::NotFound,
        Some("order_id"),
    );

    let order = Uuid::now_v7();
    ledger.hold(user, order, 200, 100).await.expect("a hold");
    ledger
        .record(user, order, 1, 100, 0)
        .await
        .expect("a report");
    // 200 of 300 are left: in the proportion paid 133⅓ and 66⅔, and what does not divide is the user's.
    let racing = join_all((0..20).map(|_| ledger.release(user, order))).await;
    assert!(
        racing.iter().all(|answer| answer
            == &Ok(Returned {
                paid: 134,
                discount: 66
            })),
        "{racing:?}"
    );
    assert_refused(
        ledger.hold(user, order, 200, 100).await,
        Reason::PlanNotPuttable,
        Some("order_id"),
    );
    assert_refused(
        ledger.release(stack.user(), order).await,
        Reason::NotFound,
        Some("order_id"),
    );
    assert_eq!(stack.property(user).await, figures(934, 0, 0, 34));
    // What a late restatement frees comes back too, and all that came back is rounded as one.
    ledger
        .record(user, order, 2, 98, 0)
        .await
        .expect("a restatement");
    assert_eq!(
        ledger.release(user, order).await,
        Ok(Returned {
            paid: 135,
            discount: 67
        })
    );
    assert_eq!(stack.property(user).await, figures(935, 0, 0, 33));
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn delivery_is_recorded_by_version_and_within_the_hold() {
    let stack = Wallet::spawn().await;
    let (user, order, ledger) = (stack.user_with(1_000).await, Uuid::now_v7(), stack.ledger());
    assert_refused(
        ledger.record(user, order, 1, 1, 1).await,
        Reason::NotFound,
        Some("order_id"),
    );
    ledger.hold(user, order, 500, 0).await.expect("a hold");
    assert_refused(
        ledger.record(stack.user(), order, 1, 1, 1).await,
        Reason::NotFound,
        Some("order_id"),
    );
    assert_eq!(ledger.record(user, order, 5, 300, 90).await, Ok(5));
    // Late and repeated reports change nothing and learn what stands.
    for version in [1, 4, 5] {
        assert_eq!(ledger.record(user, order, version, 1, 1).await, Ok(5));
    }
    assert_refused(
        ledger.record(user, order, 6, 501, 90).await,
        Reason::Validation,
        Some("consumed_total_minor"),
    );
    assert_refused(
        ledger.record(user, order, 6, -1, 90).await,
        Reason::Validation,
        Some("consumed_total_minor"),
    );
    assert_refused(
        ledger.record(user, order, 6, 1, -1).await,
        Reason::Validation,
        Some("revenue_total_minor"),
    );
    assert_refused(
        ledger.record(user, order, 0, 1, 1).await,
        Reason::Validation,
        Some("version"),
    );
    assert_eq!(stack.property(user).await, figures(500, 200, 90, 0));
    // A report that changes nothing leaves no trace but its version.
    let before = stack.all_flow(user).await.len();
    assert_eq!(ledger.record(user, order, 6, 300, 90).await, Ok(6));
    assert_eq!(stack.all_flow(user).await.len(), before);
    // Many at once: the highest stands.
    join_all(
        (7..40).map(|version| ledger.record(user, order, version, 300 + version, 90 + version)),
    )
    .await;
    assert_eq!(stack.property(user).await, figures(500, 161, 129, 0));
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_settlement_pays_once_and_only_what_was_recorded() {
    let stack = Wallet::spawn().await;
    let (user, order, ledger) = (stack.user_with(1_000).await, Uuid::now_v7(), stack.ledger());
    ledger.hold(user, order, 500, 0).await.expect("a hold");
    ledger
        .record(user, order, 1, 300, 90)
        .await
        .expect("a report");
    assert_refused(
        ledger.settle(user, order, 299, 90, 9).await,
        Reason::Validation,
        Some("consumed_total_minor"),
    );
    assert_refused(
        ledger.settle(user, order, 300, 91, 9).await,
        Reason::Validation,
        Some("revenue_total_minor"),
    );
    assert_refused(
        ledger.settle(user, order, 300, 90, 91).await,
        Reason::Validation,
        Some("platform_share_minor"),
    );
    assert_refused(
        ledger.settle(stack.user(), order, 300, 90, 9).await,
        Reason::NotFound,
        Some("order_id"),
    );
    let racing = join_all((0..30).map(|_| ledger.settle(user, order, 300, 90, 9))).await;
    assert!(
        racing.iter().all(|answer| answer
            == &Ok(Settled {
                paid_out: 81,
                returned: 200
            })),
        "{racing:?}"
    );
    assert_eq!(stack.property(user).await, figures(781, 0, 0, 0));
    assert_refused(
        ledger.settle(user, order, 300, 90, 8).await,
        Reason::IdempotencyKeyReused,
        None,
    );
    assert_refused(
        ledger.record(user, order, 2, 300, 95).await,
        Reason::PlanNotPuttable,
        Some("order_id"),
    );
    assert_eq!(ledger.record(user, order, 1, 300, 90).await, Ok(1));
    assert_eq!(
        ledger.release(user, order).await,
        Ok(Returned {
            paid: 200,
            discount: 0
        })
    );
    assert_refused(
        ledger.hold(user, order, 500, 0).await,
        Reason::PlanNotPuttable,
        Some("order_id"),
    );

    // Nothing earned: the rest comes back and nothing is paid out. All of it the platform's: no line for the user.
    let (idle, shared) = (Uuid::now_v7(), Uuid::now_v7());
    ledger.hold(user, idle, 100, 0).await.expect("a hold");
    assert_eq!(
        ledger.settle(user, idle, 0, 0, 0).await,
        Ok(Settled {
            paid_out: 0,
            returned: 100
        })
    );
    ledger.hold(user, shared, 100, 0).await.expect("a hold");
    ledger
        .record(user, shared, 1, 100, 50)
        .await
        .expect("a report");
    assert_eq!(
        ledger.settle(user, shared, 100, 50, 50).await,
        Ok(Settled {
            paid_out: 0,
            returned: 0
        })
    );
    assert_eq!(stack.property(user).await, figures(681, 0, 0, 0));
    stack.assert_books_balance().await;
}
