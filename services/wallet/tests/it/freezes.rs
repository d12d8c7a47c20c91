//! Freezes: what an owner has stopped leaves by no door until the owner and staff have agreed.

use std::time::Duration;

use adfolio_kit::clock::Clock;
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::{ExchangeStep, WithdrawalDecision};
use adfolio_testkit::fixed_clock;
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{PIN, Wallet, assert_refused, call, finance, refused};
use crate::outflow::{assert_closed, debit, session, withdraw};
use crate::pay_password::support;

const DAY: Duration = Duration::from_hours(24);

async fn spawn() -> (Wallet, Clock) {
    let clock = fixed_clock("2026-05-10T12:00:00Z");
    (Wallet::builder().clock(clock.clone()).spawn().await, clock)
}

pub fn owner(user: Uuid, clock: &Clock) -> Caller {
    Caller::user(UserId(user)).in_session(session(clock, DAY, true, false))
}

impl Wallet {
    async fn freeze(&self, user: Uuid, reason: &str) -> Result<proto::Property, Refusal> {
        let message = proto::FreezeWalletRequest {
            reason: reason.to_owned(),
        };
        let caller = Caller::user(UserId(user));
        let answer = self.users().freeze_wallet(call(&caller, message)).await;
        let answer = answer.map_err(refused)?.into_inner();
        Ok(answer.property.expect("a property"))
    }

    pub async fn agree(&self, caller: &Caller) -> Result<proto::Property, Refusal> {
        let message = proto::UnfreezeWalletRequest {};
        let answer = self.users().unfreeze_wallet(call(caller, message)).await;
        let answer = answer.map_err(refused)?.into_inner();
        Ok(answer.property.expect("a property"))
    }

    pub async fn agree_as(
        &self,
        caller: &Caller,
        user: Uuid,
        reason: &str,
    ) -> Result<proto::WalletFreeze, Refusal> {
        let message = proto::AdminUnfreezeWalletRequest {
            user_id: user.to_string(),
            reason: reason.to_owned(),
        };
        let request = call(caller, message);
        let answer = self.staff().admin_unfreeze_wallet(request).await;
        let answer = answer.map_err(refused)?.into_inner();
        Ok(answer.freeze.expect("a freeze"))
    }

    pub async fn frozen(&self) -> Vec<proto::WalletFreeze> {
        let request = call(&support(), proto::ListFreezesRequest::default());
        let answer = self.staff().list_freezes(request).await;
        answer.expect("a list").into_inner().items
    }

    /// What acceptor asks before wallet's money leaves as another currency.
    async fn check_freeze(&self, user: Uuid) -> Result<(), Refusal> {
        let message = proto::CheckFreezeRequest {
            user_id: user.to_string(),
        };
        let request = call(&Caller::system(), message);
        let answer = self.ledger().client().check_freeze(request).await;
        answer.map(|_| ()).map_err(refused)
    }

    /// How often the owner was told of this change.
    pub async fn told(&self, user: Uuid, change: &str) -> i64 {
        sqlx::query_scalar(
            "SELECT count(*) FROM outbox
             WHERE event_type = 'adfolio.wallet.v1.WalletSecurityChanged' AND data->>'userId' = $1
               AND data->>'change' = $2",
        )
        .bind(user.to_string())
        .bind(change)
        .fetch_one(&self.pool())
        .await
        .expect("the outbox")
    }
}

#[tokio::test]
async fn nothing_leaves_a_frozen_wallet() {
    let (stack, clock) = spawn().await;
    let user = stack.withdrawing_user(10_000).await;
    clock.advance(DAY);
    let pending = withdraw(&stack, user, 300).await.expect("a withdrawal");
    let other = withdraw(&stack, user, 400).await.expect("a withdrawal");
    let exchange = debit(&stack, user, 500).await.expect("a debit");
    stack.check_freeze(user).await.expect("not frozen");

    let property = stack.freeze(user, "not me").await.expect("frozen");
    assert!(property.frozen_at.is_some());
    assert_eq!(property.withdrawal_blocked_by, ["WALLET_FROZEN"]);
    assert_closed(&stack, user, Reason::WalletFrozen, None).await;
    let check = stack.check_freeze(user).await;
    assert_refused(check, Reason::WalletFrozen, None);
    // What was asked for before is not paid, and comes back.
    let paid = stack
        .decide(&finance(), &pending, WithdrawalDecision::Paid, "")
        .await;
    assert_refused(paid, Reason::WalletFrozen, None);
    stack
        .decide(&finance(), &other, WithdrawalDecision::Rejected, "asked to")
        .await
        .expect("rejected");
    let ledger = stack.ledger();
    ledger
        .exchange(user, exchange, ExchangeStep::Return, 500)
        .await
        .expect("returned");
    // Money that stays inside moves on.
    stack.deposit(user, 100).await;
    let order = Uuid::now_v7();
    ledger.hold(user, order, 1_000, 0).await.expect("held");

    // Repeating it is nothing new.
    let again = stack.freeze(user, "still not me").await.expect("frozen");
    assert_eq!(again.frozen_at, property.frozen_at);
    let frozen = stack.frozen().await;
    assert_eq!(
        (frozen.len(), frozen[0].reason.as_str()),
        (1, "not me"),
        "{frozen:?}"
    );
    assert_eq!(stack.told(user, "wallet_frozen").await, 1);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn the_owner_and_staff_lift_it_together_and_then_it_cools_off() {
    let (stack, clock) = spawn().await;
    for owner_first in [true, false] {
        let user = stack.withdrawing_user(1_000).await;
        clock.advance(DAY);
        stack.freeze(user, "").await.expect("frozen");
        let say = async |is_owner: bool| {
            if is_owner {
                stack.agree(&owner(user, &clock)).await.map(|_| ())
            } else {
                let agreed = stack.agree_as(&finance(), user, "called back").await;
                agreed.map(|_| ())
            }
        };
        // One of them twice is still one.
        for _ in 0..2 {
            say(owner_first).await.expect("agreed");
            assert_closed(&stack, user, Reason::WalletFrozen, None).await;
        }
        say(!owner_first).await.expect("agreed");
        let property = stack.property(user).await;
        assert_eq!(property.frozen_at, None);
        assert_closed(&stack, user, Reason::WithdrawalCoolingOff, Some(DAY)).await;
        clock.advance(DAY);
        withdraw(&stack, user, 200).await.expect("open");
        for is_owner in [true, false] {
            let outcome = say(is_owner).await;
            assert_refused(outcome, Reason::NothingChanged, None);
        }
        assert_eq!(stack.told(user, "wallet_unfrozen").await, 1);
    }
    assert!(stack.frozen().await.is_empty());
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn freezing_again_takes_back_what_was_agreed() {
    let (stack, clock) = spawn().await;
    let user = stack.withdrawing_user(1_000).await;
    stack.freeze(user, "first").await.expect("frozen");
    let agreed = stack.agree_as(&finance(), user, "called back").await;
    assert!(agreed.expect("agreed").lifted_at.is_none());
    stack.freeze(user, "again").await.expect("frozen");
    let property = stack.agree(&owner(user, &clock)).await.expect("agreed");
    assert!(property.frozen_at.is_some());
    let frozen = stack.frozen().await;
    assert_eq!(
        (&frozen[0].staff_agreed_at, frozen[0].staff_id.as_str()),
        (&None, "")
    );
    assert_eq!(stack.told(user, "wallet_frozen").await, 2);
}

#[tokio::test]
async fn only_the_owner_afresh_and_finance_with_a_reason_agree() {
    let (stack, clock) = spawn().await;
    let user = stack.withdrawing_user(1_000).await;
    stack.freeze(user, "").await.expect("frozen");
    let stale = Caller::user(UserId(user)).in_session(session(&clock, DAY, false, false));
    for caller in [Caller::user(UserId(user)), stale] {
        assert_refused(stack.agree(&caller).await, Reason::StepUpRequired, None);
    }
    let stranger = owner(Uuid::now_v7(), &clock);
    assert_refused(stack.agree(&stranger).await, Reason::NothingChanged, None);
    for role in [StaffRole::Support, StaffRole::Operator] {
        let caller = Caller::staff(Uuid::now_v7(), role);
        let outcome = stack.agree_as(&caller, user, "please").await;
        assert_refused(outcome, Reason::Forbidden, None);
    }
    let long = "x".repeat(501);
    for reason in ["", "  ", &long] {
        let outcome = stack.agree_as(&finance(), user, reason).await;
        assert_refused(outcome, Reason::Validation, Some("reason"));
    }
    let outcome = stack.freeze(user, &long).await;
    assert_refused(outcome, Reason::Validation, Some("reason"));
    let frozen = &stack.frozen().await[0];
    assert!(frozen.owner_agreed_at.is_none() && frozen.staff_agreed_at.is_none());
}

/// Two replicas: concurrent agreements lift it once, and a withdrawal that begins after a freeze is refused.
#[tokio::test]
async fn many_at_once_freeze_and_lift_it_once() {
    let (stack, clock) = spawn().await;
    let other = stack.replica().await;
    for round in 0..5 {
        let user = stack.withdrawing_user(1_000).await;
        clock.advance(DAY);
        let caller = Caller::user(UserId(user));
        let withdrawals = (0..6).map(|_| stack.withdraw(&caller, 200, PIN));
        let (frozen, withdrawn) = tokio::join!(stack.freeze(user, "now"), join_all(withdrawals));
        frozen.expect("frozen");
        assert_closed(&stack, user, Reason::WalletFrozen, None).await;
        for refusal in withdrawn.into_iter().filter_map(Result::err) {
            let known = [Reason::WalletFrozen, Reason::InsufficientBalance];
            assert!(known.contains(&refusal.reason), "{round}: {refusal:?}");
        }
        let there =
            proto::wallet_admin_service_client::WalletAdminServiceClient::new(other.channel());
        let message = proto::AdminUnfreezeWalletRequest {
            user_id: user.to_string(),
            reason: "called back".to_owned(),
        };
        let owner = owner(user, &clock);
        let (mine, theirs) = tokio::join!(
            join_all((0..4).map(|_| stack.agree(&owner))),
            join_all((0..4).map(|_| {
                let (mut there, message) = (there.clone(), message.clone());
                async move { there.admin_unfreeze_wallet(call(&finance(), message)).await }
            })),
        );
        assert!(mine.iter().any(Result::is_ok) && theirs.iter().any(Result::is_ok));
        assert_eq!(stack.property(user).await.frozen_at, None, "{round}");
        assert_eq!(stack.told(user, "wallet_unfrozen").await, 1, "{round}");
    }
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_lifted_freeze_is_history() {
    let (stack, clock) = spawn().await;
    let user = stack.withdrawing_user(1_000).await;
    stack.freeze(user, "").await.expect("frozen");
    stack.agree(&owner(user, &clock)).await.expect("agreed");
    let lifted = stack.agree_as(&finance(), user, "called back").await;
    assert!(lifted.expect("lifted").lifted_at.is_some());
    for statement in [
        "UPDATE freezes SET lifted_at = NULL",
        "UPDATE freezes SET staff_reason = ''",
        "DELETE FROM freezes",
        "TRUNCATE freezes",
    ] {
        let refused = sqlx::query(statement).execute(&stack.pool()).await;
        assert!(refused.is_err(), "{statement}");
    }
}
