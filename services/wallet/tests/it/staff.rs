//! What finance posts: chargebacks, deductions, memberships, start-up funds, guarantees; and that all of it is announced.

use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::Reason;
use adfolio_proto::events::v1::{StaffActed, StaffPostingMade};
use adfolio_proto::wallet::v1::FlowType;
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{StaffPosting, Wallet, assert_refused, finance, keyed};

const OTHERS: [StaffPosting; 7] = [
    StaffPosting::Chargeback,
    StaffPosting::Deduction,
    StaffPosting::Membership,
    StaffPosting::Grant,
    StaffPosting::Return,
    StaffPosting::GuaranteeDeposit,
    StaffPosting::GuaranteeReturn,
];

#[tokio::test]
async fn every_posting_is_a_line_an_event_and_an_entry_in_the_audit_log() {
    let stack = Wallet::spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let user = stack.user_with(10_000).await;
    let caller = Caller {
        reason: "as agreed \"by phone\"".into(),
        ..finance()
    };
    let mut available = 10_000;
    for (posting, flow_type, change) in [
        (StaffPosting::Chargeback, FlowType::SystemChargeback, -100),
        (
            StaffPosting::Deduction,
            FlowType::VirtualRechargeDeduction,
            -200,
        ),
        (StaffPosting::Membership, FlowType::OpenMembership, -300),
        (StaffPosting::Grant, FlowType::StartUpFunds, 5_000),
        (StaffPosting::Return, FlowType::StartUpFunds, -2_000),
    ] {
        let entry = stack
            .post_as(&caller, posting, user, i64::abs(change))
            .await
            .expect("posted");
        available += change;
        assert_eq!(
            (
                entry.r#type(),
                entry.amount_minor,
                entry.balance_after_minor
            ),
            (flow_type, change, available)
        );
        assert_eq!(stack.all_flow(user).await[0], entry);
    }
    let figures = stack.property(user).await;
    assert_eq!(
        (
            figures.available_minor,
            figures.start_up_funds_outstanding_minor
        ),
        (12_400, 3_000)
    );
    assert_eq!(
        stack.books.lock().expect("books").members,
        [user.to_string()]
    );
    stack.assert_books_balance().await;

    let made = probe
        .wait_for("adfolio.wallet.v1.StaffPostingMade", 5)
        .await;
    let made: Vec<(String, i64)> = made
        .iter()
        .map(|it| it.data::<StaffPostingMade>().expect("an event"))
        .map(|it| (it.r#type, it.amount_minor))
        .collect();
    let expected = [
        ("chargeback", 100),
        ("recharge_deduction", 200),
        ("membership", 300),
        ("start_up_grant", 5_000),
        ("start_up_return", 2_000),
    ];
    assert_eq!(made, expected.map(|(kind, minor)| (kind.to_owned(), minor)));
    let acted = probe.wait_for("adfolio.wallet.v1.StaffActed", 6).await;
    let acted: Vec<StaffActed> = acted
        .iter()
        .map(|it| it.data().expect("an event"))
        .collect();
    let actions: Vec<&str> = acted.iter().map(|it| it.action.as_str()).collect();
    assert_eq!(
        actions,
        [
            "wallet.deposit",
            "wallet.chargeback",
            "wallet.recharge_deduction",
            "wallet.membership",
            "wallet.start_up_grant",
            "wallet.start_up_return"
        ]
    );
    let grant = &acted[4];
    assert_eq!(
        (grant.user_id.as_str(), grant.reason.as_str()),
        (user.to_string().as_str(), "as agreed \"by phone\"")
    );
    let figure = |text: &str, name: &str| -> i64 {
        let state: serde_json::Value = serde_json::from_str(text).expect("JSON");
        state[name].as_i64().expect("a figure")
    };
    for (name, before, after) in [
        ("available_minor", 9_400, 14_400),
        ("start_up_outstanding_minor", 0, 5_000),
    ] {
        assert_eq!(figure(&grant.before_json, name), before, "{name} before");
        assert_eq!(figure(&grant.after_json, name), after, "{name} after");
    }
}

#[tokio::test]
async fn postings_are_refused_beyond_what_is_there() {
    let stack = Wallet::spawn().await;
    let user = stack.user_with(1_000).await;
    for posting in [
        StaffPosting::Chargeback,
        StaffPosting::Deduction,
        StaffPosting::Membership,
    ] {
        assert_refused(
            stack.post_as(&finance(), posting, user, 1_001).await,
            Reason::InsufficientBalance,
            Some("amount"),
        );
    }
    stack
        .post_as(&finance(), StaffPosting::Grant, user, 500)
        .await
        .expect("granted");
    assert_refused(
        stack
            .post_as(&finance(), StaffPosting::Return, user, 501)
            .await,
        Reason::AmountOutOfRange,
        Some("amount"),
    );
    stack
        .post_as(&finance(), StaffPosting::Chargeback, user, 1_400)
        .await
        .expect("charged back");
    assert_refused(
        stack
            .post_as(&finance(), StaffPosting::Return, user, 500)
            .await,
        Reason::InsufficientBalance,
        Some("amount"),
    );
    let support = Caller::staff(Uuid::now_v7(), StaffRole::Support);
    for posting in OTHERS {
        for minor in [-1, 0] {
            assert_refused(
                stack.post_as(&finance(), posting, user, minor).await,
                Reason::Validation,
                Some("amount"),
            );
        }
        assert_refused(
            stack.post_as(&finance(), posting, Uuid::now_v7(), 1).await,
            Reason::NotFound,
            Some("user_id"),
        );
        assert_refused(
            stack.post_as(&support, posting, user, 1).await,
            Reason::Forbidden,
            None,
        );
        assert_refused(
            stack
                .post_as(&Caller::user(UserId(user)), posting, user, 1)
                .await,
            Reason::NotAuthenticated,
            None,
        );
    }
    // A user without a wallet has nothing to take, but can be granted something.
    let fresh = stack.user();
    assert_refused(
        stack
            .post_as(&finance(), StaffPosting::Chargeback, fresh, 1)
            .await,
        Reason::InsufficientBalance,
        Some("amount"),
    );
    stack
        .post_as(&finance(), StaffPosting::Grant, fresh, 1)
        .await
        .expect("granted");
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_key_posts_once_whatever_the_kind() {
    let stack = Wallet::spawn().await;
    let user = stack.user_with(10_000).await;
    for posting in OTHERS {
        if posting == StaffPosting::Return {
            stack
                .post_as(&finance(), StaffPosting::Grant, user, 5_000)
                .await
                .expect("granted");
        }
        let key = keyed(&format!("{posting:?}"));
        let before = stack.property(user).await.available_minor;
        let answers = join_all((0..50).map(|_| stack.post_as(&key, posting, user, 70))).await;
        let first = answers[0].clone().expect("posted");
        assert!(answers.iter().all(|it| it.as_ref() == Ok(&first)));
        let after = stack.property(user).await.available_minor;
        assert_eq!(i64::abs(after - before), 70, "{posting:?}");
        assert_refused(
            stack.post_as(&key, posting, user, 71).await,
            Reason::IdempotencyKeyReused,
            None,
        );
        assert_refused(
            stack.deposit_as(&key, user, 70, "").await,
            Reason::IdempotencyKeyReused,
            None,
        );
    }
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn of_fifty_chargebacks_at_once_the_balance_covers_what_it_covers() {
    let stack = Wallet::spawn().await;
    let user = stack.user_with(1_000).await;
    let caller = finance();
    let charges = (0..50).map(|_| stack.post_as(&caller, StaffPosting::Chargeback, user, 100));
    let answers = join_all(charges).await;
    assert_eq!(answers.iter().filter(|it| it.is_ok()).count(), 10);
    assert_eq!(stack.property(user).await.available_minor, 0);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_membership_stands_even_when_auth_cannot_be_told() {
    let stack = Wallet::spawn().await;
    let user = stack.user_with(1_000).await;
    stack.books.lock().expect("books").members_refused = true;
    stack
        .post_as(&finance(), StaffPosting::Membership, user, 400)
        .await
        .expect("a member");
    assert_eq!(stack.property(user).await.available_minor, 600);
}

#[tokio::test]
async fn a_guarantee_is_the_user_s_own_money_and_is_announced() {
    let stack = Wallet::spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let user = stack.user_with(1_000).await;
    let caller = finance();
    let post = |posting, minor| stack.post_as(&caller, posting, user, minor);
    let (give, back) = (
        StaffPosting::GuaranteeDeposit,
        StaffPosting::GuaranteeReturn,
    );
    post(StaffPosting::Grant, 500).await.expect("a grant");
    // Of the 1,500 that are available, 500 were lent.
    for (posting, minor, reason, field) in [
        (give, 1_501, Reason::InsufficientBalance, Some("amount")),
        (give, 1_001, Reason::StartUpFundsNotReturned, None),
        (back, 1, Reason::InsufficientBalance, Some("amount")),
        (give, 0, Reason::Validation, Some("amount")),
    ] {
        assert_refused(post(posting, minor).await, reason, field);
    }
    post(give, 1_000).await.expect("a guarantee");
    assert_refused(
        post(back, 1_001).await,
        Reason::InsufficientBalance,
        Some("amount"),
    );
    let first = stack
        .post_as(&keyed("guarantee"), back, user, 300)
        .await
        .expect("a return");
    assert_eq!((first.amount_minor, first.balance_after_minor), (700, 800));
    // A repeat posts nothing; it answers the present figures.
    stack.deposit(user, 10).await;
    let repeat = stack
        .post_as(&keyed("guarantee"), back, user, 300)
        .await
        .expect("a repeat");
    assert_eq!(
        (repeat.amount_minor, repeat.balance_after_minor),
        (700, 810)
    );
    assert_refused(
        stack.post_as(&keyed("guarantee"), give, user, 300).await,
        Reason::IdempotencyKeyReused,
        None,
    );
    let figures = stack.property(user).await;
    assert_eq!(
        (figures.available_minor, figures.guarantee_minor),
        (810, 700)
    );
    let lines = stack.all_flow(user).await;
    let lines: Vec<(FlowType, i64, i64)> = lines
        .iter()
        .map(|line| (line.r#type(), line.amount_minor, line.balance_after_minor))
        .collect();
    assert_eq!(
        lines[..3],
        [
            (FlowType::SystemTopUp, 10, 810),
            (FlowType::Guarantee, 300, 800),
            (FlowType::Guarantee, -1_000, 500),
        ]
    );
    let made = probe
        .wait_for("adfolio.wallet.v1.StaffPostingMade", 3)
        .await;
    let made: Vec<String> = made
        .iter()
        .map(|event| event.data::<StaffPostingMade>().expect("an event").r#type)
        .collect();
    assert_eq!(
        made,
        ["start_up_grant", "guarantee_deposit", "guarantee_return"]
    );
    stack.assert_books_balance().await;
}
