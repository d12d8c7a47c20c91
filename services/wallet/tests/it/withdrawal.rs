//! Withdrawals: what they are refused for, in which order, and what decisions do.

use std::sync::Arc;

use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::Reason;
use adfolio_proto::events::v1::{StaffActed, WithdrawalStatusChanged};
use adfolio_proto::wallet::v1::{
    AdminListWithdrawalsRequest, FlowType, GetWithdrawalMethodsRequest, ListWithdrawalsRequest,
    WalletAccount, Withdrawal, WithdrawalDecision, WithdrawalMethod, WithdrawalStatus, destination,
};
use adfolio_testkit::eventually;
use futures::future::join_all;
use sqlx::{Connection as _, PgConnection};
use tonic::Request;
use uuid::Uuid;

use crate::helpers::{
    PIN, StaffPosting, Wallet, address, assert_refused, card, finance, keyed, refused, user_keyed,
};

const WRONG: &str = "135792";

fn account(withdrawal: &Withdrawal) -> &str {
    match withdrawal
        .destination
        .as_ref()
        .and_then(|to| to.kind.as_ref())
    {
        Some(destination::Kind::BankCard(card)) => &card.bank_account,
        _ => panic!("no card"),
    }
}

async fn list(stack: &Wallet, user: Uuid) -> Vec<Withdrawal> {
    list_with_id(stack, user, "").await
}

async fn list_with_id(stack: &Wallet, user: Uuid, id: &str) -> Vec<Withdrawal> {
    let mut request = Request::new(ListWithdrawalsRequest {
        id: id.to_owned(),
        ..ListWithdrawalsRequest::default()
    });
    Caller::user(UserId(user)).attach(request.metadata_mut());
    let answer = stack.users().list_withdrawals(request).await;
    answer.expect("a page").into_inner().items
}

async fn staff_list(
    stack: &Wallet,
    caller: &Caller,
    message: AdminListWithdrawalsRequest,
) -> Result<Vec<Withdrawal>, adfolio_kit::refusal::Refusal> {
    let mut request = Request::new(message);
    caller.attach(request.metadata_mut());
    let answer = stack.staff().admin_list_withdrawals(request).await;
    Ok(answer.map_err(refused)?.into_inner().items)
}

#[tokio::test]
async fn a_user_cancels_what_waits_once_and_staff_decide_it_no_more() {
    let stack = Wallet::spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let user = stack.withdrawing_user(100_000).await;
    let caller = Caller::user(UserId(user));
    let asked = stack.withdraw(&caller, 30_000, PIN).await.expect("taken");
    let other = stack.withdrawing_user(1).await;
    let stranger = Caller::user(UserId(other));
    for (caller, id) in [
        (&stranger, asked.id.clone()),
        (&caller, Uuid::now_v7().to_string()),
    ] {
        let outcome = stack.cancel(caller, &id).await;
        assert_refused(outcome, Reason::NotFound, Some("id"));
    }
    // It is found by its id, too, but by nobody else.
    let found = list_with_id(&stack, user, &asked.id).await;
    assert_eq!(found, list(&stack, user).await);
    assert_eq!(found.len(), 1);
    let unknown = Uuid::now_v7().to_string();
    for (user, id) in [(other, &asked.id[..]), (user, &unknown), (user, "x")] {
        assert_eq!(list_with_id(&stack, user, id).await, []);
    }
    for outcome in join_all((0..20).map(|_| stack.cancel(&caller, &asked.id))).await {
        let cancelled = outcome.expect("cancelled");
        assert_eq!(cancelled.status(), WithdrawalStatus::Cancelled);
        assert_eq!(account(&cancelled), "****7890");
    }
    let figures = stack.property(user).await;
    assert_eq!(
        (figures.available_minor, figures.withdrawing_minor),
        (100_000, 0)
    );
    for decision in [WithdrawalDecision::Paid, WithdrawalDecision::Rejected] {
        let outcome = stack.decide(&finance(), &asked.id, decision, "late").await;
        assert_refused(outcome, Reason::NothingChanged, None);
    }
    // What staff have decided is cancelled no more.
    let paid = stack.withdraw(&caller, 1_000, PIN).await.expect("taken");
    stack
        .decide(&finance(), &paid.id, WithdrawalDecision::Paid, "sent")
        .await
        .expect("paid");
    let outcome = stack.cancel(&caller, &paid.id).await;
    assert_refused(outcome, Reason::NothingChanged, None);
    // It counts for no limit of what leaves.
    let changes = probe
        .wait_for("adfolio.wallet.v1.WithdrawalStatusChanged", 4)
        .await;
    let statuses: Vec<String> = changes
        .iter()
        .map(|event| event.data::<WithdrawalStatusChanged>().unwrap().status)
        .collect();
    assert_eq!(statuses, ["pending", "cancelled", "pending", "paid"]);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn cancellations_and_decisions_race_and_the_money_is_in_one_place() {
    let stack = Wallet::spawn().await;
    let user = stack.withdrawing_user(100_000).await;
    let caller = Caller::user(UserId(user));
    let mut paid = 0;
    for _ in 0..10 {
        let asked = stack.withdraw(&caller, 1_000, PIN).await.expect("taken");
        let finance = finance();
        let (cancelled, decided) = tokio::join!(
            stack.cancel(&caller, &asked.id),
            stack.decide(&finance, &asked.id, WithdrawalDecision::Paid, "sent"),
        );
        assert_ne!(cancelled.is_ok(), decided.is_ok());
        paid += i64::from(decided.is_ok());
    }
    let figures = stack.property(user).await;
    assert_eq!(
        (figures.available_minor, figures.withdrawing_minor),
        (100_000 - paid * 1_000, 0)
    );
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_paid_withdrawal_leaves_and_a_rejected_one_comes_back() {
    let stack = Wallet::spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let user = stack.withdrawing_user(100_000).await;
    let caller = Caller::user(UserId(user));
    let first = stack.withdraw(&caller, 30_000, PIN).await.expect("taken");
    assert_eq!(
        (first.amount_minor, first.fee_minor, first.status()),
        (30_000, 0, WithdrawalStatus::Pending)
    );
    assert_eq!(account(&first), "****7890");
    let second = stack.withdraw(&caller, 20_000, PIN).await.expect("taken");
    let figures = stack.property(user).await;
    assert_eq!(
        (figures.available_minor, figures.withdrawing_minor),
        (50_000, 50_000)
    );
    stack.assert_books_balance().await;

    let paid = stack
        .decide(&finance(), &first.id, WithdrawalDecision::Paid, "sent")
        .await
        .expect("paid");
    assert_eq!(
        (paid.status(), paid.reason.as_str(), account(&paid)),
        (WithdrawalStatus::Paid, "", "6222021234567890")
    );
    let rejected = stack
        .decide(
            &finance(),
            &second.id,
            WithdrawalDecision::Rejected,
            " account closed ",
        )
        .await
        .expect("rejected");
    assert_eq!(rejected.reason, "account closed");
    let figures = stack.property(user).await;
    assert_eq!(
        (figures.available_minor, figures.withdrawing_minor),
        (70_000, 0)
    );

    let mine = list(&stack, user).await;
    let ids: Vec<&str> = mine.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, [second.id.as_str(), first.id.as_str()]);
    assert_eq!(mine[0].reason, "account closed");
    assert!(mine.iter().all(|it| account(it) == "****7890"));
    let lines = stack.all_flow(user).await;
    let payouts: Vec<(i64, &str, &str)> = lines
        .iter()
        .filter(|line| line.r#type() == FlowType::ManualPayout)
        .filter(|line| line.account() == WalletAccount::Available)
        .map(|line| {
            (
                line.amount_minor,
                line.reference.as_str(),
                line.remark.as_str(),
            )
        })
        .collect();
    assert_eq!(
        payouts,
        [
            (20_000, second.id.as_str(), "account closed"),
            (-20_000, second.id.as_str(), ""),
            (-30_000, first.id.as_str(), "")
        ]
    );
    stack.assert_books_balance().await;

    let told = probe
        .wait_for("adfolio.wallet.v1.WithdrawalStatusChanged", 4)
        .await;
    let told: Vec<WithdrawalStatusChanged> =
        told.iter().map(|it| it.data().expect("an event")).collect();
    let statuses: Vec<&str> = told.iter().map(|it| it.status.as_str()).collect();
    assert_eq!(statuses, ["pending", "pending", "paid", "rejected"]);
    assert_eq!(
        (
            told[3].amount_minor,
            told[3].reason.as_str(),
            told[3].method.as_str()
        ),
        (20_000, "account closed", "bank_card")
    );
    // The deposit and both decisions.
    let acted = probe.wait_for("adfolio.wallet.v1.StaffActed", 3).await;
    let acted: StaffActed = acted[1].data().expect("an event");
    assert_eq!(
        (
            acted.action.as_str(),
            acted.target.as_str(),
            acted.reason.as_str()
        ),
        ("wallet.withdrawal_paid", first.id.as_str(), "sent")
    );
}

#[tokio::test]
async fn refusals_come_in_the_order_of_the_contract() {
    let stack = Wallet::spawn().await;
    let user = stack.user_with(1_000).await;
    let caller = Caller::user(UserId(user));
    let try_with = |minor: i64, digits: &'static str| {
        let (stack, caller) = (&stack, &caller);
        async move { stack.withdraw(caller, minor, digits).await }
    };
    let amount = Some("amount");
    // Nothing is set up, yet the balance is what is told first, then the range.
    assert_refused(
        try_with(1_001, PIN).await,
        Reason::InsufficientBalance,
        amount,
    );
    for minor in [0, 99] {
        assert_refused(try_with(minor, PIN).await, Reason::AmountOutOfRange, amount);
    }
    assert_refused(try_with(-1, PIN).await, Reason::Validation, amount);
    assert_refused(try_with(500, PIN).await, Reason::PayPasswordNotSet, None);
    stack.set_password(user, PIN, "").await.expect("a password");
    stack
        .post_as(&finance(), StaffPosting::Grant, user, 5_000)
        .await
        .expect("start-up funds");
    assert_refused(
        try_with(500, WRONG).await,
        Reason::WrongPayPassword,
        Some("password"),
    );
    assert_refused(
        try_with(500, PIN).await,
        Reason::StartUpFundsNotReturned,
        None,
    );
    assert_eq!(
        stack.property(user).await.withdrawal_blocked_by,
        ["START_UP_FUNDS_NOT_RETURNED", "BANK_CARD_NOT_BOUND"]
    );
    stack
        .post_as(&finance(), StaffPosting::Return, user, 5_000)
        .await
        .expect("returned");
    assert_refused(
        try_with(500, PIN).await,
        Reason::BankCardNotBound,
        Some("method"),
    );
    // An address is no card.
    stack
        .bind(user, address("TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"), PIN)
        .await
        .expect("an address");
    assert_refused(
        try_with(500, PIN).await,
        Reason::BankCardNotBound,
        Some("method"),
    );
    assert!(stack.property(user).await.withdrawal_blocked_by.is_empty());
    let method = WithdrawalMethod::WalletAddress;
    let fee = stack.withdraw_by(&caller, 500, method, PIN).await;
    assert_eq!(fee.expect("taken").fee_minor, 100);
    stack
        .bind(user, card("6222021234567890"), PIN)
        .await
        .expect("a card");
    for _ in 0..5 {
        assert_refused(
            try_with(500, WRONG).await,
            Reason::WrongPayPassword,
            Some("password"),
        );
    }
    assert_refused(try_with(500, PIN).await, Reason::PayPasswordLocked, None);
    assert_refused(
        try_with(501, PIN).await,
        Reason::InsufficientBalance,
        amount,
    );
    let unspecified = stack
        .withdraw_by(&caller, 100, WithdrawalMethod::Unspecified, PIN)
        .await;
    assert_refused(unspecified, Reason::Validation, Some("method"));
    let nobody = stack.withdraw(&Caller::system(), 100, PIN).await;
    assert_refused(nobody, Reason::NotAuthenticated, None);
    let figures = stack.property(user).await;
    assert_eq!(
        (figures.available_minor, figures.withdrawing_minor),
        (500, 500)
    );
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_repeated_withdrawal_is_one_withdrawal() {
    let stack = Wallet::spawn().await;
    let user = stack.withdrawing_user(1_000).await;
    let caller = user_keyed(user, "once");
    let answers = join_all((0..10).map(|_| stack.withdraw(&caller, 600, PIN))).await;
    let ids: std::collections::HashSet<String> = answers
        .into_iter()
        .map(|answer| answer.expect("taken").id)
        .collect();
    assert_eq!(ids.len(), 1);
    assert_refused(
        stack.withdraw(&caller, 601, PIN).await,
        Reason::IdempotencyKeyReused,
        None,
    );
    // Another user's key is another key.
    let other = stack.withdrawing_user(1_000).await;
    stack
        .withdraw(&user_keyed(other, "once"), 601, PIN)
        .await
        .expect("taken");
    // A repeat is answered even after the money is gone and the withdrawal decided.
    let id = ids.into_iter().next().expect("an id");
    stack
        .decide(&finance(), &id, WithdrawalDecision::Paid, "")
        .await
        .expect("paid");
    let repeat = stack.withdraw(&caller, 600, PIN).await.expect("a repeat");
    assert_eq!(
        (repeat.id, repeat.status),
        (id, WithdrawalStatus::Paid.into())
    );
    assert_eq!(stack.property(user).await.available_minor, 400);
}

#[tokio::test]
async fn a_repeat_that_meets_what_the_first_call_withdraws_is_that_withdrawal() {
    let stack = Arc::new(Wallet::spawn().await);
    let user = stack.withdrawing_user(1_000).await;
    let withdraw = || {
        let (stack, caller) = (stack.clone(), user_keyed(user, "once"));
        tokio::spawn(async move { stack.withdraw(&caller, 600, PIN).await })
    };
    let waiting = async |count: i64| {
        eventually("so many wait for a lock", || async {
            stack.waiting_for_locks().await >= count
        })
        .await;
    };
    let mut session = PgConnection::connect(stack.db.url()).await.expect("one");
    let mut row = session.begin().await.expect("a transaction");
    sqlx::query("SELECT FROM wallets WHERE user_id = $1 FOR UPDATE")
        .bind(user)
        .execute(&mut *row)
        .await
        .expect("a lock");
    // The first call has checked the balance and waits to post.
    let first = withdraw();
    waiting(1).await;
    let url = stack.db.url().to_owned();
    let table = tokio::spawn(async move {
        let mut session = PgConnection::connect(&url).await.expect("one");
        let mut table = session.begin().await.expect("a transaction");
        sqlx::query("LOCK TABLE wallets IN ACCESS EXCLUSIVE MODE")
            .execute(&mut *table)
            .await
            .expect("the lock, after the first call");
    });
    waiting(2).await;
    // The repeat has not found the key, and reads the balance when the first call has posted.
    let repeat = withdraw();
    waiting(3).await;
    row.rollback().await.expect("a rollback");
    table.await.expect("no panic");
    let first = first.await.expect("no panic").expect("taken");
    assert_eq!(repeat.await.expect("no panic").expect("a repeat"), first);
    assert_eq!(stack.property(user).await.available_minor, 400);
}

#[tokio::test]
async fn of_many_withdrawals_at_once_the_balance_covers_what_it_covers() {
    let stack = Wallet::spawn().await;
    let user = stack.withdrawing_user(1_000).await;
    let caller = Caller::user(UserId(user));
    let answers = join_all((0..50).map(|_| stack.withdraw(&caller, 300, PIN))).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 3);
    for answer in answers.into_iter().filter(Result::is_err) {
        assert_refused(answer, Reason::InsufficientBalance, Some("amount"));
    }
    assert_eq!(stack.property(user).await.withdrawing_minor, 900);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn of_fifty_decisions_at_once_one_wins() {
    let stack = Wallet::spawn().await;
    let user = stack.withdrawing_user(1_000).await;
    let caller = Caller::user(UserId(user));
    let id = stack.withdraw(&caller, 300, PIN).await.expect("taken").id;
    let answers = join_all((0..50).map(|turn| {
        let decision = if turn % 2 == 0 {
            WithdrawalDecision::Paid
        } else {
            WithdrawalDecision::Rejected
        };
        let (stack, id) = (&stack, &id);
        async move {
            let key = keyed(&format!("decision-{turn}"));
            (turn, stack.decide(&key, id, decision, "so").await)
        }
    }))
    .await;
    let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(_, it)| it.is_ok());
    assert_eq!(won.len(), 1);
    for (_, answer) in lost {
        assert_refused(answer, Reason::NothingChanged, None);
    }
    let (turn, first) = won.into_iter().next().expect("a winner");
    let first = first.expect("a winner");
    // The winner's repeat is answered like the first call; with other content it is refused.
    let winner = keyed(&format!("decision-{turn}"));
    let (same, other) = if first.status() == WithdrawalStatus::Paid {
        (WithdrawalDecision::Paid, WithdrawalDecision::Rejected)
    } else {
        (WithdrawalDecision::Rejected, WithdrawalDecision::Paid)
    };
    assert_eq!(stack.decide(&winner, &id, same, "so").await, Ok(first));
    assert_refused(
        stack.decide(&winner, &id, other, "so").await,
        Reason::IdempotencyKeyReused,
        None,
    );
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn decisions_are_checked() {
    let stack = Wallet::spawn().await;
    let user = stack.withdrawing_user(1_000).await;
    let caller = Caller::user(UserId(user));
    let id = stack.withdraw(&caller, 300, PIN).await.expect("taken").id;
    let paid = WithdrawalDecision::Paid;
    let unknown = Uuid::now_v7().to_string();
    for (id, decision, reason, expected, field) in [
        (unknown.as_str(), paid, "", Reason::NotFound, "id"),
        ("junk", paid, "", Reason::NotFound, "id"),
        ("", paid, "", Reason::Validation, "id"),
        (
            &id,
            WithdrawalDecision::Unspecified,
            "",
            Reason::Validation,
            "decision",
        ),
        (
            &id,
            WithdrawalDecision::Rejected,
            " ",
            Reason::Validation,
            "reason",
        ),
        (&id, paid, &"x".repeat(501), Reason::Validation, "reason"),
    ] {
        let answer = stack.decide(&finance(), id, decision, reason).await;
        assert_refused(answer, expected, Some(field));
    }
    let support = Caller::staff(Uuid::now_v7(), StaffRole::Support);
    assert_refused(
        stack.decide(&support, &id, paid, "").await,
        Reason::Forbidden,
        None,
    );
    assert_refused(
        stack.decide(&caller, &id, paid, "").await,
        Reason::NotAuthenticated,
        None,
    );
    assert_eq!(stack.property(user).await.withdrawing_minor, 300);
}

#[tokio::test]
async fn finance_sees_all_withdrawals_whole_and_filtered() {
    let stack = Wallet::spawn().await;
    let (user, other) = (
        stack.withdrawing_user(1_000).await,
        stack.withdrawing_user(1_000).await,
    );
    let caller = Caller::user(UserId(user));
    let first = stack.withdraw(&caller, 100, PIN).await.expect("taken").id;
    let second = stack.withdraw(&caller, 200, PIN).await.expect("taken").id;
    let third = stack
        .withdraw(&Caller::user(UserId(other)), 300, PIN)
        .await
        .expect("taken")
        .id;
    stack
        .decide(&finance(), &first, WithdrawalDecision::Paid, "")
        .await
        .expect("paid");
    let ids = |status: WithdrawalStatus, user_id: String| {
        let stack = &stack;
        async move {
            let message = AdminListWithdrawalsRequest {
                payment_batch_id: String::new(),
                id: String::new(),
                status: status.into(),
                user_id,
                page: None,
            };
            let rows = staff_list(stack, &finance(), message).await.expect("rows");
            assert!(rows.iter().all(|it| account(it) == "6222021234567890"));
            rows.into_iter().map(|it| it.id).collect::<Vec<_>>()
        }
    };
    let (all, pending) = (WithdrawalStatus::Unspecified, WithdrawalStatus::Pending);
    let me = user.to_string();
    assert_eq!(
        ids(all, String::new()).await,
        [third.clone(), second.clone(), first.clone()]
    );
    assert_eq!(
        ids(pending, String::new()).await,
        [third.clone(), second.clone()]
    );
    assert_eq!(ids(all, me.clone()).await, [second.clone(), first.clone()]);
    assert_eq!(ids(pending, me.clone()).await, [second]);
    assert_eq!(ids(WithdrawalStatus::Paid, me).await, [first]);
    let operator = Caller::staff(Uuid::now_v7(), StaffRole::Operator);
    let message = AdminListWithdrawalsRequest::default();
    assert_refused(
        staff_list(&stack, &operator, message.clone()).await,
        Reason::Forbidden,
        None,
    );
    assert_refused(
        staff_list(&stack, &caller, message).await,
        Reason::NotAuthenticated,
        None,
    );
    // Only one's own in one's own list.
    assert_eq!(list(&stack, other).await.len(), 1);
}

#[tokio::test]
async fn the_terms_are_for_everyone() {
    let stack = Wallet::spawn().await;
    let answer = stack
        .users()
        .get_withdrawal_methods(GetWithdrawalMethodsRequest {})
        .await;
    let terms: Vec<_> = answer
        .expect("terms")
        .into_inner()
        .items
        .into_iter()
        .map(|it| {
            (
                it.method(),
                it.enabled,
                it.min_minor,
                it.max_minor,
                it.fee_minor,
            )
        })
        .collect();
    assert_eq!(
        terms,
        [
            (WithdrawalMethod::BankCard, true, 100, 10_000_000, 0),
            (WithdrawalMethod::WalletAddress, true, 200, 10_000_000, 100)
        ]
    );
}

#[tokio::test]
async fn who_reads_destinations_is_audited() {
    let stack = Wallet::spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.StaffActed"]).await;
    let user = stack.withdrawing_user(100_000).await;
    let caller = Caller::user(UserId(user));
    let first = stack.withdraw(&caller, 30_000, PIN).await.expect("taken");
    let second = stack.withdraw(&caller, 20_000, PIN).await.expect("taken");
    let pending = AdminListWithdrawalsRequest {
        status: WithdrawalStatus::Pending.into(),
        ..AdminListWithdrawalsRequest::default()
    };
    let paid = AdminListWithdrawalsRequest {
        status: WithdrawalStatus::Paid.into(),
        ..AdminListWithdrawalsRequest::default()
    };
    let of_user = AdminListWithdrawalsRequest {
        user_id: user.to_string(),
        ..AdminListWithdrawalsRequest::default()
    };
    for (message, count) in [(pending, 2), (paid, 0), (of_user.clone(), 2)] {
        let shown = staff_list(&stack, &finance(), message).await;
        assert_eq!(shown.expect("a page").len(), count);
    }
    // The deposit, and a look at each page that shows anything.
    let acted = probe.wait_for("adfolio.wallet.v1.StaffActed", 3).await;
    let acted: Vec<StaffActed> = acted
        .iter()
        .map(|it| it.data().expect("an event"))
        .collect();
    let looks: Vec<(&str, &str)> = acted
        .iter()
        .skip(1)
        .map(|it| (it.action.as_str(), it.user_id.as_str()))
        .collect();
    let action = "wallet.read_destinations";
    let user = user.to_string();
    assert_eq!(looks, [(action, ""), (action, user.as_str())]);
    // Word for word: nothing in them is of a destination. Ids are made by chance, and may have the digits of any.
    for (look, status) in [(&acted[1], Some("pending")), (&acted[2], None)] {
        let shown: serde_json::Value = serde_json::from_str(&look.after_json).expect("JSON");
        let expected = serde_json::json!({
            "status": status, "count": 2, "first": second.id, "last": first.id,
        });
        assert_eq!(shown, expected);
        assert!(!look.request_id.is_empty());
        let others = (
            look.target.as_str(),
            look.reason.as_str(),
            look.before_json.as_str(),
        );
        assert_eq!(others, ("withdrawals", "", ""));
    }

    // Without the entry there is no page.
    let refuse = "ALTER TABLE outbox ADD CONSTRAINT refuse_all CHECK (false) NOT VALID";
    sqlx::query(refuse)
        .execute(&stack.db.pool())
        .await
        .expect("a constraint");
    let mut request = Request::new(of_user);
    finance().attach(request.metadata_mut());
    let answer = stack.staff().admin_list_withdrawals(request).await;
    assert!(answer.is_err());
}
