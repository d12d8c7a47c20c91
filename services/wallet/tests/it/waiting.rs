//! What waits for staff here, and the state of the books.

use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::common::v1::WaitingKind;
use adfolio_proto::wallet::v1 as proto;

use crate::helpers::{PIN, Wallet, call, finance, refused};

async fn ask(wallet: &Wallet, by: &Caller) -> Result<proto::GetWaitingResponse, Refusal> {
    let request = call(by, proto::GetWaitingRequest {});
    let answer = wallet.staff().get_waiting(request).await;
    Ok(answer.map_err(refused)?.into_inner())
}

/// How many of a kind wait, as finance reads it.
pub async fn waiting(wallet: &Wallet, kind: WaitingKind) -> i64 {
    let answer = ask(wallet, &finance()).await.expect("an answer");
    count(&answer, kind).0
}

fn count(answer: &proto::GetWaitingResponse, kind: WaitingKind) -> (i64, bool) {
    let mut items = answer.items.iter();
    let found = items.find(|item| item.kind() == kind).unwrap();
    (found.count, found.oldest_at.is_some())
}

#[tokio::test]
async fn withdrawals_and_freezes_wait_and_the_books_are_proved() {
    let wallet = Wallet::spawn().await;
    let by = Caller::staff(uuid::Uuid::from_u128(7), StaffRole::Support);
    let nothing = ask(&wallet, &by).await.unwrap();
    for kind in [
        WaitingKind::Withdrawals,
        WaitingKind::Approvals,
        WaitingKind::BankLines,
        WaitingKind::PaymentBatches,
        WaitingKind::Freezes,
    ] {
        assert_eq!(count(&nothing, kind), (0, false));
    }
    let user = wallet.withdrawing_user(100_000).await;
    let owner = Caller::user(UserId(user));
    wallet.withdraw(&owner, 10_000, PIN).await.unwrap();
    let message = proto::FreezeWalletRequest {
        reason: "not me".to_owned(),
    };
    wallet
        .users()
        .freeze_wallet(call(&owner, message))
        .await
        .unwrap();
    let waiting = ask(&wallet, &by).await.unwrap();
    assert_eq!(count(&waiting, WaitingKind::Withdrawals), (1, true));
    assert_eq!(count(&waiting, WaitingKind::Freezes), (1, true));
    assert_eq!(count(&waiting, WaitingKind::Approvals), (0, false));
    let prove = call(&finance(), proto::ReconcileRequest {});
    let checked = wallet.staff().reconcile(prove).await.unwrap();
    let is_ok = checked.into_inner().ok;
    let proved = ask(&wallet, &by).await.unwrap();
    assert!(proved.proved_at.is_some());
    assert_eq!(proved.is_balanced, is_ok);
    // No key is configured here, so nothing is signed.
    assert_eq!((proved.checkpoint_at, proved.checkpoint_size), (None, 0));
    let user = ask(&wallet, &owner).await.unwrap_err();
    assert_eq!(user.reason, Reason::NotAuthenticated);
}
