//! The transaction password: set, changed, checked, locked, reset.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::events::v1::{StaffActed, WalletSecurityChanged};
use adfolio_proto::wallet::v1 as proto;
use adfolio_testkit::fixed_clock;
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{Ledger, PIN, Wallet, address, assert_refused, keyed, md5, newcomer, refused};

const OTHER: &str = "730194";
const WRONG: &str = "135792";
const LIMIT: Duration = Duration::from_secs(20);

pub fn support() -> Caller {
    Caller::staff(Uuid::from_u128(0x5e), StaffRole::Support)
}

pub async fn reset(stack: &Wallet, caller: &Caller, user: Uuid) -> Result<(), Refusal> {
    let message = proto::ResetPayPasswordRequest {
        user_id: user.to_string(),
        reason: "forgotten".into(),
    };
    let answer = stack
        .staff()
        .reset_pay_password(outgoing(caller, message, LIMIT))
        .await;
    answer.map(|_| ()).map_err(refused)
}

async fn verify(ledger: &Ledger, user: Uuid, digits: &str) -> Result<(), Refusal> {
    let message = proto::VerifyPayPasswordRequest {
        user_id: user.to_string(),
        password: md5(digits),
    };
    let request = outgoing(&Caller::system(), message, LIMIT);
    let answer = ledger.client().verify_pay_password(request).await;
    answer.map(|_| ()).map_err(refused)
}

fn wrong<T: std::fmt::Debug>(outcome: Result<T, Refusal>) {
    assert_refused(outcome, Reason::WrongPayPassword, Some("password"));
}

#[tokio::test]
async fn it_is_set_once_and_changed_with_the_old_one() {
    let stack = Wallet::spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let (user, old) = (stack.user(), Some("old_password"));
    assert_refused(
        stack.check_password(user, PIN).await,
        Reason::PayPasswordNotSet,
        None,
    );
    assert_refused(
        stack.set_password(user, PIN, OTHER).await,
        Reason::PayPasswordNotSet,
        old,
    );
    stack.set_password(user, PIN, "").await.expect("set");
    assert!(stack.property(user).await.has_pay_password);
    stack.check_password(user, PIN).await.expect("right");
    wrong(stack.check_password(user, WRONG).await);
    // Without the old one, with a wrong one, with the same.
    assert_refused(
        stack.set_password(user, OTHER, "").await,
        Reason::Validation,
        old,
    );
    assert_refused(
        stack.set_password(user, OTHER, WRONG).await,
        Reason::WrongPayPassword,
        old,
    );
    assert_refused(
        stack.set_password(user, PIN, PIN).await,
        Reason::PasswordUnchanged,
        Some("password"),
    );
    stack.set_password(user, OTHER, PIN).await.expect("changed");
    wrong(stack.check_password(user, PIN).await);
    verify(&stack.ledger(), user, OTHER).await.expect("right");
    let told = probe
        .wait_for("adfolio.wallet.v1.WalletSecurityChanged", 2)
        .await;
    let told: Vec<String> = told
        .iter()
        .map(|it| it.data::<WalletSecurityChanged>().expect("an event").change)
        .collect();
    assert_eq!(told, ["pay_password_set", "pay_password_changed"]);
    // Neither the digits nor their MD5 nor a hash of it without the pepper.
    let hash: String = sqlx::query_scalar("SELECT hash FROM pay_passwords WHERE user_id = $1")
        .bind(user)
        .fetch_one(&stack.pool())
        .await
        .expect("a hash");
    assert!(hash.starts_with("$argon2id$") && !hash.contains(&md5(OTHER)));
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn forms_are_checked_and_weak_ones_refused() {
    let stack = Wallet::spawn().await;
    let user = stack.user();
    for digits in [
        "000000", "123456", "654321", "121212", "123123", "112233", "199001",
    ] {
        assert_refused(
            stack.set_password(user, digits, "").await,
            Reason::WeakPayPassword,
            Some("password"),
        );
    }
    let upper = md5(PIN).to_uppercase();
    for (password, confirm, old, reason, field) in [
        (PIN, PIN, "", Reason::Validation, "password"),
        (&md5(PIN), "", "", Reason::Validation, "confirm_password"),
        (
            &md5(PIN),
            &md5(PIN),
            "old",
            Reason::Validation,
            "old_password",
        ),
        (
            &md5(PIN),
            &md5(OTHER),
            "",
            Reason::PasswordMismatch,
            "confirm_password",
        ),
    ] {
        let message = proto::SetPayPasswordRequest {
            password: password.to_owned(),
            confirm_password: confirm.to_owned(),
            old_password: old.to_owned(),
        };
        let request = outgoing(&Caller::user(UserId(user)), message, LIMIT);
        let answer = stack.users().set_pay_password(request).await;
        assert_refused(answer.map_err(refused), reason, Some(field));
    }
    assert!(!stack.property(user).await.has_pay_password);
    // Hex is read in either case.
    let message = proto::SetPayPasswordRequest {
        password: upper.clone(),
        confirm_password: md5(PIN),
        old_password: String::new(),
    };
    let request = outgoing(&newcomer(user), message, LIMIT);
    stack.users().set_pay_password(request).await.expect("set");
    stack.check_password(user, PIN).await.expect("right");
}

#[tokio::test]
async fn of_fifty_first_ones_at_once_one_is_set() {
    let stack = Wallet::spawn().await;
    let user = stack.user();
    let answers = join_all((0..50).map(|_| stack.set_password(user, PIN, ""))).await;
    let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for answer in lost {
        assert_refused(answer, Reason::Validation, Some("old_password"));
    }
}

#[tokio::test]
async fn five_hundred_guesses_at_once_are_five_guesses() {
    let stack = Wallet::spawn().await;
    let user = stack.user();
    stack.set_password(user, PIN, "").await.expect("set");
    let replica = stack.replica().await;
    let ledger = Ledger::of(replica.channel());
    let guesses = (0..500_u32).map(|guess| {
        let (stack, ledger) = (&stack, &ledger);
        async move {
            let digits = format!("{:06}", 700_000 + guess);
            if guess % 2 == 0 {
                verify(ledger, user, &digits).await
            } else {
                stack.check_password(user, &digits).await
            }
        }
    });
    let answers = join_all(guesses).await;
    let reasons: Vec<Reason> = answers
        .into_iter()
        .map(|answer| answer.expect_err("a refusal").reason)
        .collect();
    let count = |reason| reasons.iter().filter(|it| **it == reason).count();
    assert_eq!(count(Reason::WrongPayPassword), 5);
    // The rest never got to the count, or found it full.
    assert_eq!(
        count(Reason::PayPasswordLocked) + count(Reason::TooManyAttempts),
        495
    );
    assert_refused(
        stack.check_password(user, PIN).await,
        Reason::PayPasswordLocked,
        None,
    );
}

#[tokio::test]
async fn fifty_right_ones_at_once_are_all_right() {
    let stack = Wallet::spawn().await;
    let user = stack.user();
    stack.set_password(user, PIN, "").await.expect("set");
    for answer in join_all((0..50).map(|_| stack.check_password(user, PIN))).await {
        assert_eq!(answer, Ok(()));
    }
}

#[tokio::test]
async fn the_lock_is_shared_by_all_calls_kept_over_restarts_and_ends() {
    let clock = fixed_clock("2026-05-10T12:00:00Z");
    let stack = Wallet::builder().clock(clock.clone()).spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let (user, ledger) = (stack.user_with(10_000).await, stack.ledger());
    let caller = Caller::user(UserId(user));
    stack.set_password(user, PIN, "").await.expect("set");
    let to = || address("TJRabPrwbZy45sbavfcjinPJC18kjpRTv8");
    // A right one in between begins the count anew.
    wrong(stack.check_password(user, WRONG).await);
    stack.check_password(user, PIN).await.expect("right");
    // One wrong by each of the calls that take it.
    wrong(stack.check_password(user, WRONG).await);
    wrong(verify(&ledger, user, WRONG).await);
    wrong(stack.withdraw(&caller, 500, WRONG).await);
    wrong(stack.bind(user, to(), WRONG).await);
    assert_refused(
        stack.set_password(user, OTHER, WRONG).await,
        Reason::WrongPayPassword,
        Some("old_password"),
    );
    let locked = |outcome: Result<(), Refusal>| outcome.expect_err("locked");
    for refusal in [
        locked(stack.check_password(user, PIN).await),
        locked(verify(&ledger, user, PIN).await),
        locked(stack.withdraw(&caller, 500, PIN).await.map(|_| ())),
        locked(stack.bind(user, to(), PIN).await.map(|_| ())),
        locked(stack.set_password(user, OTHER, PIN).await),
    ] {
        assert_eq!(
            (refusal.reason, refusal.retry_after),
            (Reason::PayPasswordLocked, Some(Duration::from_mins(30)))
        );
    }
    // Another process knows of it: it is in the database.
    let replica = stack.replica().await;
    let other = Ledger::of(replica.channel());
    assert_refused(
        verify(&other, user, PIN).await,
        Reason::PayPasswordLocked,
        None,
    );
    let told = probe
        .wait_for("adfolio.wallet.v1.WalletSecurityChanged", 2)
        .await;
    let told: WalletSecurityChanged = told[1].data().expect("an event");
    assert_eq!(told.change, "pay_password_locked");

    clock.advance(Duration::from_secs(30 * 60 - 1));
    assert_refused(
        stack.check_password(user, PIN).await,
        Reason::PayPasswordLocked,
        None,
    );
    clock.advance(Duration::from_secs(1));
    stack.check_password(user, PIN).await.expect("right again");
}

#[tokio::test]
async fn ten_wrong_in_a_day_lock_it_until_staff_reset_it() {
    let clock = fixed_clock("2026-05-10T12:00:00Z");
    let stack = Wallet::builder().clock(clock.clone()).spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let user = stack.user();
    stack.set_password(user, PIN, "").await.expect("set");
    for _ in 0..2 {
        for _ in 0..5 {
            wrong(stack.check_password(user, WRONG).await);
        }
        clock.advance(Duration::from_mins(31));
    }
    clock.advance(Duration::from_hours(30 * 24));
    let refusal = stack.check_password(user, PIN).await.expect_err("locked");
    assert_eq!(
        (refusal.reason, refusal.retry_after),
        (Reason::PayPasswordLocked, None)
    );
    reset(&stack, &support(), user).await.expect("reset");
    assert!(!stack.property(user).await.has_pay_password);
    assert_refused(
        stack.check_password(user, PIN).await,
        Reason::PayPasswordNotSet,
        None,
    );
    stack.set_password(user, PIN, "").await.expect("set again");
    stack.check_password(user, PIN).await.expect("right");
    let acted = probe.wait_for("adfolio.wallet.v1.StaffActed", 1).await;
    let acted: StaffActed = acted[0].data().expect("an event");
    assert_eq!(
        (
            acted.action.as_str(),
            acted.user_id,
            acted.reason.as_str(),
            acted.after_json.as_str()
        ),
        (
            "wallet.pay_password_reset",
            user.to_string(),
            "forgotten",
            r#"{"has_pay_password":false}"#
        )
    );
}

#[tokio::test]
async fn resets_are_for_support_of_users_that_have_one() {
    let stack = Wallet::spawn().await;
    let user = stack.user();
    assert_refused(
        reset(&stack, &support(), Uuid::now_v7()).await,
        Reason::NotFound,
        Some("user_id"),
    );
    assert_refused(
        reset(&stack, &support(), user).await,
        Reason::NothingChanged,
        None,
    );
    stack.set_password(user, PIN, "").await.expect("set");
    assert_refused(
        reset(&stack, &keyed("k"), user).await,
        Reason::Forbidden,
        None,
    );
    let myself = Caller::user(UserId(user));
    assert_refused(
        reset(&stack, &myself, user).await,
        Reason::NotAuthenticated,
        None,
    );
    // With a key a repeat is answered like the first call; without one it finds nothing.
    let once = support().with_key(Some("once".parse().expect("a key")));
    let answers = join_all((0..10).map(|_| reset(&stack, &once, user))).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_refused(
        reset(&stack, &support(), user).await,
        Reason::NothingChanged,
        None,
    );
}
