//! Four eyes over sums: what one member of staff posts alone within 24 hours, and what is posted alone for one user.

use std::time::Duration;

use adfolio_kit::client::Channel;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::auth::v1::SecondPair;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_proto::wallet::v1::{
    ApprovalAction, ApprovalDecision, ApprovalState, FlowEntry, WithdrawalDecision,
};
use adfolio_testkit::fixed_clock;
use futures::future::join_all;
use uuid::Uuid;

use crate::approvals::{ABOVE, THRESHOLD, any_other, decide, four_eyes, second, spawn};
use crate::helpers::{
    PIN, StaffPosting, Wallet, assert_refused, finance, keyed, post_at, user_keyed,
};

/// Five of them fit.
const PART: i64 = THRESHOLD / 5;

const DAY: Duration = Duration::from_hours(24);

/// In microseconds.
const HOUR: u64 = 3_600_000_000;

fn member(number: u128) -> Caller {
    Caller::staff(Uuid::from_u128(0x100 + number), StaffRole::Finance)
}

async fn pay_out(stack: &Wallet, user: Uuid, minor: i64) -> Result<(), Refusal> {
    let key = user_keyed(user, &Uuid::now_v7().to_string());
    let withdrawal = stack.withdraw(&key, minor, PIN).await?;
    let paid = WithdrawalDecision::Paid;
    stack
        .decide(&finance(), &withdrawal.id, paid, "sent")
        .await?;
    Ok(())
}

#[tokio::test]
async fn parts_of_a_large_amount_are_summed_by_member_and_by_user() {
    let stack = spawn().await;
    let deposit = StaffPosting::Deposit;
    // By one member, whoever gets it.
    for _ in 0..5 {
        let posted = stack.post_as(&finance(), deposit, stack.user(), PART).await;
        posted.expect("posted");
    }
    let user = stack.user();
    let more = stack.post_as(&finance(), deposit, user, 1).await;
    assert_refused(more, Reason::ApprovalRequired, None);
    assert_eq!(stack.transactions(user).await, 0);
    // For one user, whoever posts it.
    for number in 0..5 {
        let posted = stack.post_as(&member(number), deposit, user, PART).await;
        posted.expect("posted");
    }
    let more = stack.post_as(&member(5), deposit, user, 1).await;
    assert_refused(more, Reason::ApprovalRequired, None);
    assert_eq!(stack.property(user).await.available_minor, THRESHOLD);
    // Neither keeps others from what is theirs.
    let posted = stack.post_as(&member(5), deposit, stack.user(), 1).await;
    posted.expect("posted");
    assert_eq!(stack.approvals(ApprovalState::Pending).await.len(), 2);
}

#[tokio::test]
async fn every_kind_counts_and_payments_of_withdrawals_too() {
    let stack = spawn().await;
    let user = stack.withdrawing_user(1).await;
    stack.fund(user, StaffPosting::Deposit, 2 * THRESHOLD).await;
    stack.fund(user, StaffPosting::Grant, PART).await;
    for posting in [
        StaffPosting::Chargeback,
        StaffPosting::Deduction,
        StaffPosting::Return,
    ] {
        let posted = stack.post_as(&finance(), posting, user, PART).await;
        posted.expect("posted");
    }
    pay_out(&stack, user, PART).await.expect("paid");
    // One has come in by withdrawing_user: a cent less than the fifth part is left.
    let large = pay_out(&stack, user, PART).await;
    assert_refused(large, Reason::ApprovalRequired, None);
    assert_eq!(
        stack.waiting().await.action(),
        ApprovalAction::WithdrawalPaid
    );
    pay_out(&stack, user, PART - 1).await.expect("paid");
    let more = stack
        .post_as(&finance(), StaffPosting::Membership, user, 1)
        .await;
    assert_refused(more, Reason::ApprovalRequired, None);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn what_two_posted_what_was_refused_and_what_was_repeated_does_not_count() {
    let stack = spawn().await;
    let user = stack.user();
    let waiting = stack.asked(StaffPosting::Deposit, user).await;
    stack
        .approve(&second(), &waiting.id)
        .await
        .expect("approved");
    let refused = stack
        .post_as(&finance(), StaffPosting::Return, user, THRESHOLD)
        .await;
    assert_refused(refused, Reason::AmountOutOfRange, Some("amount"));
    let repeated = keyed("once");
    let answers = join_all((0..10).map(|_| stack.deposit_as(&repeated, user, PART, ""))).await;
    let first = answers[0].clone().expect("posted");
    assert!(answers.iter().all(|it| it.as_ref() == Ok(&first)));
    let rest = stack
        .deposit_as(&finance(), user, THRESHOLD - PART, "")
        .await;
    rest.expect("posted");
    let more = stack.deposit_as(&finance(), user, 1, "").await;
    assert_refused(more, Reason::ApprovalRequired, None);
    // A repeat is answered still.
    let again = stack.deposit_as(&repeated, user, PART, "").await;
    assert_eq!(again, Ok(first));
    assert_eq!(
        stack.property(user).await.available_minor,
        ABOVE + THRESHOLD
    );
}

#[tokio::test]
async fn after_a_day_it_counts_no_more() {
    let clock = fixed_clock("2026-11-02T10:00:00Z");
    let builder = Wallet::builder().clock(clock.clone()).configure(four_eyes);
    let stack = builder.spawn().await;
    let user = stack.user();
    stack.deposit(user, THRESHOLD - PART).await;
    clock.advance(Duration::from_micros(HOUR));
    stack.deposit(user, PART).await;
    clock.advance(DAY.saturating_sub(Duration::from_micros(HOUR + 1)));
    let early = stack.deposit_as(&finance(), user, 1, "early").await;
    assert_refused(early, Reason::ApprovalRequired, None);
    clock.advance(Duration::from_micros(1));
    stack.deposit(user, THRESHOLD - PART).await;
    let more = stack.deposit_as(&finance(), user, 1, "more").await;
    assert_refused(more, Reason::ApprovalRequired, None);
}

#[tokio::test]
async fn many_at_once_on_two_replicas_do_not_pass_together() {
    let stack = spawn().await;
    let replica = stack.replica().await;
    let at = |turn: usize| {
        if turn.is_multiple_of(2) {
            stack.staff()
        } else {
            WalletAdminServiceClient::<Channel>::new(replica.channel())
        }
    };
    // One member for forty users, forty members for one user, and one for one.
    let (one, member_one) = (stack.user(), member(999));
    let both = stack.user();
    let rounds: [Vec<(Caller, Uuid)>; 3] = [
        (0..40)
            .map(|_| (member_one.clone(), stack.user()))
            .collect(),
        (0..40).map(|number| (member(number), one)).collect(),
        (0..40).map(|_| (finance(), both)).collect(),
    ];
    for round in rounds {
        let postings = round.iter().enumerate().map(|(turn, (caller, user))| {
            post_at(at(turn), caller, StaffPosting::Deposit, *user, PART)
        });
        let answers: Vec<Result<FlowEntry, Refusal>> = join_all(postings).await;
        let (posted, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
        assert_eq!(posted.len(), 5);
        for answer in refused {
            assert_refused(answer, Reason::ApprovalRequired, None);
        }
    }
    let balance = async |user| stack.property(user).await.available_minor;
    assert_eq!([balance(one).await, balance(both).await], [THRESHOLD; 2]);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn only_another_person_decides() {
    let stack = spawn().await;
    let user = stack.user();
    let waiting = stack.asked(StaffPosting::Deposit, user).await;
    let (asked, decider) = (finance(), second());
    let id = |caller: &Caller| caller.staff.expect("staff").id.to_string();
    let answer = |pair| {
        let mut books = stack.books.lock().expect("books");
        books.pairs.insert([id(&asked), id(&decider)], pair);
    };
    let decisions = [ApprovalDecision::Approved, ApprovalDecision::Rejected];
    for pair in [
        SecondPair::SamePerson,
        SecondPair::New,
        SecondPair::NotActive,
        SecondPair::Unspecified,
    ] {
        answer(pair);
        for decision in decisions {
            let outcome = decide(stack.staff(), &decider, &waiting.id, decision, "so").await;
            assert_refused(outcome, Reason::Forbidden, Some("requested_by"));
        }
    }
    answer(SecondPair::Yes);
    stack.books.lock().expect("books").pairs_refused = true;
    for decision in decisions {
        let outcome = decide(stack.staff(), &any_other(), &waiting.id, decision, "so").await;
        assert_refused(outcome, Reason::Unavailable, None);
    }
    assert_eq!(stack.waiting().await, waiting);
    assert_eq!(stack.transactions(user).await, 0);
    stack.books.lock().expect("books").pairs_refused = false;
    let approved = stack.approve(&decider, &waiting.id).await;
    let approved = approved.expect("approved");
    // What stands is answered without auth.
    stack.books.lock().expect("books").pairs_refused = true;
    assert_eq!(stack.approve(&decider, &waiting.id).await, Ok(approved));
    assert_eq!(stack.property(user).await.available_minor, ABOVE);
}

#[tokio::test]
async fn what_counts_cannot_be_changed() {
    let stack = spawn().await;
    stack.deposit(stack.user(), PART).await;
    for statement in [
        "UPDATE lone_postings SET amount = 1",
        "DELETE FROM lone_postings",
        "TRUNCATE lone_postings",
    ] {
        let changed = sqlx::query(statement).execute(&stack.pool()).await;
        assert!(changed.is_err(), "{statement}");
    }
}
