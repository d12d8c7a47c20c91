//! What people are told about, word by word.

use adfolio_kit::identity::Caller;
use adfolio_proto::events::v1 as events;
use adfolio_proto::notification::v1 as pb;
use adfolio_testkit::{eventually, instant, publish_event, publish_event_with_id};
use serde::Serialize;
use uuid::Uuid;

use crate::helpers::{
    INBOX_CHANGED, Notification, PLAN_STATUS_CHANGED, Told, deposit, in_lang, plan, user, user_id,
};

const STAFF_POSTING: &str = "adfolio.wallet.v1.StaffPostingMade";
const WITHDRAWAL: &str = "adfolio.wallet.v1.WithdrawalStatusChanged";
const SECURITY: &str = "adfolio.wallet.v1.WalletSecurityChanged";
const PASSWORD: &str = "adfolio.auth.v1.PasswordChanged";
const COUPON: &str = "adfolio.coupon.v1.CouponGranted";
const EXCHANGE: &str = "adfolio.acceptor.v1.ExchangeStatusChanged";

/// Tells it, and answers title and text once they are there.
async fn read(
    stack: &Notification,
    caller: &Caller,
    kind: &str,
    event: &impl Serialize,
) -> (String, String) {
    let before = stack.list(caller).await.items.len();
    publish_event(&stack.broker.broker(), kind, &user_id(caller), event).await;
    newest(stack, caller, before).await
}

async fn newest(stack: &Notification, caller: &Caller, before: usize) -> (String, String) {
    eventually("one more notice", || async {
        stack.list(caller).await.items.len() == before + 1
    })
    .await;
    let items = stack.list(caller).await.items;
    assert!(
        items
            .iter()
            .all(|item| item.category() == pb::Category::Activity && !item.read)
    );
    // What happened last need not be what is newest: some events tell a time of their own.
    let item = items
        .into_iter()
        .max_by_key(|item| item.id.clone())
        .unwrap();
    (item.title, item.content)
}

fn says(read: &(String, String), title: &str, content: &str) {
    assert_eq!(read.0.as_str(), title);
    assert_eq!(read.1.as_str(), content);
}

#[tokio::test]
async fn plans_and_deposits() {
    let stack = Notification::spawn().await;
    let alice = user();
    stack.tell(Uuid::now_v7(), &deposit(&alice, 125_000)).await;
    let told = newest(&stack, &alice, 0).await;
    says(
        &told,
        "Deposit credited",
        "A deposit of 1,250.00 has been credited to your wallet.",
    );
    let order = Uuid::now_v7();
    for to in [
        "waiting",
        "matching",
        "putting",
        "put_finished",
        "waiting_settlement",
        "settled",
    ] {
        stack.tell(Uuid::now_v7(), &plan(&alice, order, to)).await;
    }
    stack
        .tell(Uuid::now_v7(), &plan(&alice, Uuid::now_v7(), "put_failed"))
        .await;
    let Told::Plan(expired) = plan(&alice, Uuid::now_v7(), "put_failed") else {
        unreachable!("a plan")
    };
    let expired = events::PlanStatusChanged {
        from: "waiting".to_owned(),
        reason: "EXPIRED".to_owned(),
        ..expired
    };
    let again = events::PlanStatusChanged {
        to: "waiting".to_owned(),
        from: "matching".to_owned(),
        ..expired.clone()
    };
    for event in [&again, &expired] {
        publish_event(
            &stack.broker.broker(),
            PLAN_STATUS_CHANGED,
            &user_id(&alice),
            event,
        )
        .await;
    }
    eventually("seven notices are there", || async {
        stack.unread(&alice).await == 7
    })
    .await;
    let mut items = stack.list(&alice).await.items;
    items.sort_by_key(|item| item.id.clone());
    let read: Vec<_> = items
        .iter()
        .map(|item| (item.title.as_str(), item.content.as_str()))
        .collect();
    assert_eq!(
        read[1..],
        [
            (
                "A plan is waiting for you",
                "Plan P-1001 (Star Miner) with a budget of 5,000.00 has been prepared for you and waits for your \
                 placement. Please look at it before it expires."
            ),
            (
                "Plan started",
                "Delivery of plan P-1001 (Star Miner) with a budget of 5,000.00 has started."
            ),
            (
                "Plan finished",
                "Delivery of plan P-1001 (Star Miner) has finished. 4,999.50 of 5,000.00 was spent. It is settled once \
                 the networks have confirmed the figures."
            ),
            (
                "Plan settled",
                "Plan P-1001 (Star Miner) is settled. 6,123.45 has been paid out to your wallet."
            ),
            (
                "Plan not delivered",
                "Plan P-1001 (Star Miner) could not be delivered. What was held for it has been returned to your \
                 wallet, and a coupon used for it has been given back."
            ),
            (
                "Plan expired",
                "Plan P-1001 (Star Miner) was not placed in time and has expired. Nothing was charged."
            ),
        ]
    );
}

#[tokio::test]
async fn postings_and_withdrawals() {
    let stack = Notification::spawn().await;
    let alice = user();
    for (kind, title) in [
        ("chargeback", "Chargeback"),
        ("recharge_deduction", "Recharge deduction"),
        ("membership", "Membership opened"),
        ("start_up_grant", "Start-up funds granted"),
        ("start_up_return", "Start-up funds returned"),
        ("guarantee_deposit", "Guarantee given"),
        ("guarantee_return", "Guarantee returned"),
    ] {
        let posting = events::StaffPostingMade {
            transaction_id: Uuid::now_v7().to_string(),
            user_id: user_id(&alice),
            r#type: kind.to_owned(),
            amount_minor: 123_456,
            time: Some(instant("2026-11-20T08:00:00Z").into()),
        };
        let told = read(&stack, &alice, STAFF_POSTING, &posting).await;
        assert_eq!(told.0, title);
        assert!(told.1.contains("1,234.56"), "{}", told.1);
    }
    let withdrawal = |status: &str, reason: &str| events::WithdrawalStatusChanged {
        withdrawal_id: Uuid::now_v7().to_string(),
        user_id: user_id(&alice),
        status: status.to_owned(),
        amount_minor: 10_000,
        fee_minor: 100,
        method: "bank_card".to_owned(),
        reason: reason.to_owned(),
    };
    // Whoever asked for it knows that it is pending.
    let pending = withdrawal("pending", "");
    publish_event(
        &stack.broker.broker(),
        WITHDRAWAL,
        &user_id(&alice),
        &pending,
    )
    .await;
    says(
        &read(&stack, &alice, WITHDRAWAL, &withdrawal("paid", "")).await,
        "Withdrawal paid",
        "Your withdrawal of 100.00 has been paid out. The fee included in it is 1.00.",
    );
    says(
        &read(&stack, &alice, WITHDRAWAL, &withdrawal("rejected", "")).await,
        "Withdrawal rejected",
        "Your withdrawal of 100.00 was rejected. The whole amount is back in your available funds. Please contact \
         customer service if you have questions.",
    );
    let told = read(
        &stack,
        &alice,
        WITHDRAWAL,
        &withdrawal("rejected", "Name {amount}"),
    )
    .await;
    assert!(told.1.ends_with("Reason: Name {amount}"), "{}", told.1);
    assert_eq!(stack.unread(&alice).await, 10);
}

#[tokio::test]
async fn security_and_registration() {
    let stack = Notification::spawn().await;
    let probe = stack.broker.probe(&[INBOX_CHANGED]).await;
    let alice = user();
    for (change, title) in [
        ("pay_password_set", "Transaction password set"),
        ("pay_password_changed", "Transaction password changed"),
        ("pay_password_changed", "Transaction password changed"),
        ("pay_password_reset", "Transaction password reset"),
        ("pay_password_locked", "Transaction password locked"),
        ("bank_card_bound", "Bank card bound"),
        ("wallet_address_bound", "Wallet address bound"),
    ] {
        let changed = events::WalletSecurityChanged {
            user_id: user_id(&alice),
            change: change.to_owned(),
        };
        assert_eq!(read(&stack, &alice, SECURITY, &changed).await.0, title);
    }
    let changed = events::PasswordChanged {
        user_id: user_id(&alice),
    };
    assert_eq!(
        read(&stack, &alice, PASSWORD, &changed).await.0,
        "Login password changed"
    );
    let id = Uuid::now_v7();
    let broker = stack.broker.broker();
    for _ in 0..3 {
        publish_event_with_id(&broker, id, PASSWORD, &user_id(&alice), &changed).await;
    }
    publish_event(&broker, PASSWORD, &user_id(&alice), &changed).await;
    eventually("two more are there", || async {
        stack.unread(&alice).await == 10
    })
    .await;
    // Each of them changed the total, and each change is told once.
    let told = probe.wait_for(INBOX_CHANGED, 10).await;
    assert_eq!(told.len(), 10);
    assert!(
        told.iter().all(
            |event| event.subject == user_id(&alice) && event.data["userId"] == user_id(&alice)
        )
    );
}

#[tokio::test]
async fn coupons_and_exchanges() {
    let stack = Notification::spawn().await;
    let alice = user();
    let granted = events::CouponGranted {
        coupon_id: Uuid::now_v7().to_string(),
        campaign_id: Uuid::now_v7().to_string(),
        user_id: user_id(&alice),
        name: "Spring".to_owned(),
        expires_at: Some(instant("2027-03-09T23:00:00Z").into()),
    };
    says(
        &read(&stack, &alice, COUPON, &granted).await,
        "You have received a coupon",
        "The coupon “Spring” is now among your coupons. It can be used until March 9, 2027.",
    );
    let german = stack.list(&in_lang(&alice, "de")).await.items.remove(0);
    assert!(german.content.contains("9.3.2027"), "{}", german.content);

    let exchange = |status: &str, direction: &str, reason: &str| events::ExchangeStatusChanged {
        exchange_id: Uuid::now_v7().to_string(),
        user_id: user_id(&alice),
        status: status.to_owned(),
        direction: direction.to_owned(),
        currency: "JPY".to_owned(),
        amount_minor: 100_000,
        counter_amount: "150000".to_owned(),
        reason: reason.to_owned(),
    };
    let (from, to) = ("wallet_to_currency", "currency_to_wallet");
    for (status, direction, reason, title, content) in [
        (
            "completed",
            from,
            "",
            "Exchange completed",
            "Your exchange is completed: 1,000.00 from your wallet for 150,000 JPY.",
        ),
        (
            "completed",
            to,
            "",
            "Exchange completed",
            "Your exchange is completed: for 150,000 JPY, 1,000.00 has been credited to your wallet.",
        ),
        (
            "cancelled",
            from,
            "No offer",
            "Exchange cancelled",
            "Your exchange of 1,000.00 for 150,000 JPY was cancelled. The amount has been returned to your wallet. \
             Reason: No offer",
        ),
        (
            "cancelled",
            to,
            "",
            "Exchange cancelled",
            "Your exchange of 150,000 JPY for 1,000.00 was cancelled. Your wallet is unchanged.",
        ),
        (
            "expired",
            from,
            "",
            "Exchange expired",
            "Your exchange of 1,000.00 for 150,000 JPY was not completed in time and has expired. The amount has been \
             returned to your wallet.",
        ),
        (
            "expired",
            to,
            "",
            "Exchange expired",
            "Your exchange of 150,000 JPY for 1,000.00 was not completed in time and has expired. Your wallet is \
             unchanged.",
        ),
    ] {
        let told = read(
            &stack,
            &alice,
            EXCHANGE,
            &exchange(status, direction, reason),
        )
        .await;
        says(&told, title, content);
    }
    let pending = exchange("pending", from, "");
    publish_event(&stack.broker.broker(), EXCHANGE, &user_id(&alice), &pending).await;
    stack.deposits(&alice, 1).await;
    assert_eq!(stack.unread(&alice).await, 8);
}
