//! Payment batches: two people decide what the bank pays, and each withdrawal is paid once or comes back once.

use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::auth::v1::SecondPair;
use adfolio_proto::common::v1::WaitingKind;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::{
    PaymentBatchDecision, PaymentBatchState, PaymentFileFormat, WithdrawalDecision,
    WithdrawalMethod, WithdrawalStatus,
};
use futures::future::join_all;
use uuid::Uuid;

use crate::approvals::{self, THRESHOLD, second};
use crate::helpers::{PIN, Wallet, address, assert_refused, call, card, finance, refused};
use crate::waiting::waiting;

const STATUS: WithdrawalStatus = WithdrawalStatus::Pending;

impl Wallet {
    /// Pending withdrawals of as many users, to bank cards. Each is funded by a member of staff of its own, so that no
    /// sum needs two.
    async fn pending(&self, amounts: &[i64]) -> Vec<proto::Withdrawal> {
        let mut pending = Vec::new();
        for amount in amounts {
            let user = self.user();
            let funding = Caller::staff(Uuid::now_v7(), StaffRole::Finance);
            self.deposit_as(&funding, user, THRESHOLD, "")
                .await
                .expect("a deposit");
            self.bind(user, card("6222021234567890"), "")
                .await
                .expect("a card");
            self.set_password(user, PIN, "").await.expect("a password");
            let caller = Caller::user(UserId(user));
            pending.push(
                self.withdraw(&caller, *amount, PIN)
                    .await
                    .expect("a withdrawal"),
            );
        }
        pending
    }

    async fn propose(&self, ids: &[&str]) -> Result<proto::PaymentBatch, Refusal> {
        let message = proto::ProposePaymentBatchRequest {
            withdrawal_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
            reason: "Friday".into(),
        };
        let answer = self
            .bank()
            .propose_payment_batch(call(&finance(), message))
            .await;
        Ok(answer
            .map_err(refused)?
            .into_inner()
            .batch
            .expect("a batch"))
    }

    async fn decide_batch(
        &self,
        by: &Caller,
        id: &str,
        decision: PaymentBatchDecision,
    ) -> Result<proto::PaymentBatch, Refusal> {
        let message = proto::DecidePaymentBatchRequest {
            batch_id: id.to_owned(),
            decision: decision.into(),
            reason: "checked".into(),
        };
        let answer = self.bank().decide_payment_batch(call(by, message)).await;
        Ok(answer
            .map_err(refused)?
            .into_inner()
            .batch
            .expect("a batch"))
    }

    async fn file(&self, id: &str, format: PaymentFileFormat) -> Result<String, Refusal> {
        let message = proto::GetPaymentFileRequest {
            batch_id: id.to_owned(),
            format: format.into(),
        };
        let answer = self
            .bank()
            .get_payment_file(call(&finance(), message))
            .await;
        let content = answer.map_err(refused)?.into_inner().content;
        Ok(String::from_utf8(content).expect("UTF-8"))
    }

    async fn pay(&self, id: &str) -> Result<proto::PaymentBatch, Refusal> {
        let message = proto::PayPaymentBatchRequest {
            batch_id: id.to_owned(),
            reason: "order 4711".into(),
        };
        let answer = self
            .bank()
            .pay_payment_batch(call(&finance(), message))
            .await;
        Ok(answer
            .map_err(refused)?
            .into_inner()
            .batch
            .expect("a batch"))
    }

    async fn take_out(&self, by: &Caller, id: &str) -> Result<proto::Withdrawal, Refusal> {
        let message = proto::TakeOutOfPaymentBatchRequest {
            withdrawal_id: id.to_owned(),
            reason: "account closed".into(),
        };
        let answer = self
            .bank()
            .take_out_of_payment_batch(call(by, message))
            .await;
        Ok(answer
            .map_err(refused)?
            .into_inner()
            .withdrawal
            .expect("one"))
    }

    async fn in_batch(&self, batch: &str) -> Vec<proto::Withdrawal> {
        let message = proto::AdminListWithdrawalsRequest {
            payment_batch_id: batch.to_owned(),
            ..Default::default()
        };
        let answer = self
            .staff()
            .admin_list_withdrawals(call(&finance(), message))
            .await;
        answer.expect("withdrawals").into_inner().items
    }

    async fn batches(&self, state: PaymentBatchState) -> Vec<proto::PaymentBatch> {
        let message = proto::ListPaymentBatchesRequest {
            state: state.into(),
            ..Default::default()
        };
        let answer = self
            .bank()
            .list_payment_batches(call(&finance(), message))
            .await;
        answer.expect("batches").into_inner().items
    }

    async fn released(&self, amounts: &[i64]) -> (Vec<proto::Withdrawal>, String) {
        let withdrawals = self.pending(amounts).await;
        let ids: Vec<&str> = withdrawals.iter().map(|it| it.id.as_str()).collect();
        let batch = self.propose(&ids).await.expect("a batch");
        let released = PaymentBatchDecision::Released;
        self.decide_batch(&second(), &batch.id, released)
            .await
            .expect("released");
        (withdrawals, batch.id)
    }
}

/// A batch is found by its id, and no other id finds one.
async fn assert_found_by_id(wallet: &Wallet, batch: &str, other: &str) {
    let by_id = |id: &str, state: PaymentBatchState| proto::ListPaymentBatchesRequest {
        id: id.to_owned(),
        state: state.into(),
        page: None,
    };
    for (id, found) in [(batch, 1), (other, 0), ("junk", 0)] {
        let message = by_id(id, PaymentBatchState::Unspecified);
        let answer = wallet
            .bank()
            .list_payment_batches(call(&finance(), message))
            .await;
        assert_eq!(
            answer.expect("batches").into_inner().items.len(),
            found,
            "{id}"
        );
    }
    let message = by_id(batch, PaymentBatchState::Paid);
    let both = wallet
        .bank()
        .list_payment_batches(call(&finance(), message))
        .await;
    assert_refused(both.map_err(refused), Reason::Validation, Some("id"));
}

#[tokio::test]
async fn a_batch_is_proposed_by_one_released_by_another_and_paid_once() {
    let wallet = approvals::spawn().await;
    let withdrawals = wallet.pending(&[9_000, 8_000, 500]).await;
    let ids: Vec<&str> = withdrawals.iter().map(|it| it.id.as_str()).collect();
    let batch = wallet.propose(&ids).await.expect("a batch");
    assert_eq!((batch.count, batch.payout_minor), (3, 17_500));
    assert_eq!(batch.state(), PaymentBatchState::Proposed);

    assert_eq!(waiting(&wallet, WaitingKind::PaymentBatches).await, 1);

    let early = wallet.file(&batch.id, PaymentFileFormat::Pain001).await;
    assert_refused(early, Reason::NothingChanged, Some("id"));
    assert_refused(
        wallet.pay(&batch.id).await,
        Reason::NothingChanged,
        Some("id"),
    );
    let released = PaymentBatchDecision::Released;
    let own = wallet.decide_batch(&finance(), &batch.id, released).await;
    assert_refused(own, Reason::Forbidden, Some("requested_by"));
    for _ in 0..2 {
        let batch = wallet.decide_batch(&second(), &batch.id, released).await;
        assert_eq!(
            batch.expect("released").state(),
            PaymentBatchState::Released
        );
    }
    let dissolved = PaymentBatchDecision::Dissolved;
    let late = wallet.decide_batch(&second(), &batch.id, dissolved).await;
    assert_refused(late, Reason::NothingChanged, Some("id"));

    let file = wallet
        .file(&batch.id, PaymentFileFormat::Pain001)
        .await
        .expect("a file");
    for id in &ids {
        assert!(file.contains(&id.replace('-', "")));
    }
    assert!(file.contains("6222021234567890") && file.contains("<CtrlSum>175.00</CtrlSum>"));
    let again = wallet
        .file(&batch.id, PaymentFileFormat::Pain001)
        .await
        .expect("a file");
    assert_eq!(file, again);
    let table = wallet
        .file(&batch.id, PaymentFileFormat::Csv)
        .await
        .expect("a table");
    assert_eq!(table.lines().count(), 4);

    let payments = (0..4).map(|_| wallet.pay(&batch.id));
    for paid in join_all(payments).await {
        assert_eq!(paid.expect("paid").state(), PaymentBatchState::Paid);
    }
    for withdrawal in &withdrawals {
        let user: Uuid = withdrawal.user_id.parse().expect("a user");
        assert_eq!(wallet.property(user).await.withdrawing_minor, 0);
        assert_eq!(
            wallet.transactions(user).await,
            3,
            "deposit, withdrawal, payment"
        );
    }
    let paid = wallet.in_batch(&batch.id).await;
    assert!(paid.iter().all(|it| it.status() == WithdrawalStatus::Paid));
    assert_eq!(wallet.batches(PaymentBatchState::Paid).await.len(), 1);
    assert_eq!(waiting(&wallet, WaitingKind::PaymentBatches).await, 0);
    assert_found_by_id(&wallet, &batch.id, ids[0]).await;
    let message = proto::AdminListWithdrawalsRequest {
        id: ids[0].to_owned(),
        ..Default::default()
    };
    let one = wallet
        .staff()
        .admin_list_withdrawals(call(&finance(), message))
        .await;
    assert_eq!(one.expect("a withdrawal").into_inner().items[0].id, ids[0]);
    assert!(wallet.batches(PaymentBatchState::Released).await.is_empty());
    // Three payments of two people, above the threshold of one.
    let alone: i64 =
        sqlx::query_scalar("SELECT count(*) FROM lone_postings WHERE amount IN (9000, 8000, 500)")
            .fetch_one(&wallet.pool())
            .await
            .expect("a count");
    assert_eq!(alone, 0);
}

#[tokio::test]
async fn what_is_in_a_batch_is_decided_by_it_alone() {
    let wallet = Wallet::spawn().await;
    let withdrawals = wallet.pending(&[1000, 2000]).await;
    let [first, other] = [&withdrawals[0], &withdrawals[1]];
    let batch = wallet.propose(&[&first.id]).await.expect("a batch");
    let user = Caller::user(UserId(first.user_id.parse().expect("a user")));
    assert_refused(
        wallet.cancel(&user, &first.id).await,
        Reason::NothingChanged,
        None,
    );
    for decision in [WithdrawalDecision::Paid, WithdrawalDecision::Rejected] {
        let outcome = wallet.decide(&finance(), &first.id, decision, "no").await;
        assert_refused(outcome, Reason::NothingChanged, None);
    }
    let twice = wallet.propose(&[&first.id, &other.id]).await;
    assert_refused(twice, Reason::NothingChanged, Some("withdrawal_ids"));
    assert!(
        wallet
            .in_batch(&batch.id)
            .await
            .iter()
            .all(|it| it.status() == STATUS)
    );

    let dissolved = PaymentBatchDecision::Dissolved;
    let batch = wallet
        .decide_batch(&finance(), &batch.id, dissolved)
        .await
        .expect("dissolved");
    assert_eq!(
        (batch.state(), batch.count),
        (PaymentBatchState::Dissolved, 0)
    );
    wallet.cancel(&user, &first.id).await.expect("cancelled");
    let gone = wallet.propose(&[&first.id]).await;
    assert_refused(gone, Reason::NothingChanged, Some("withdrawal_ids"));
}

#[tokio::test]
async fn a_withdrawal_is_cancelled_or_batched_whichever_comes_first() {
    let wallet = Wallet::spawn().await;
    for withdrawal in wallet.pending(&[1000; 12]).await {
        let user = Caller::user(UserId(withdrawal.user_id.parse().expect("a user")));
        let ids = [withdrawal.id.as_str()];
        let (cancelled, batched) =
            tokio::join!(wallet.cancel(&user, &withdrawal.id), wallet.propose(&ids));
        assert!(
            cancelled.is_ok() != batched.is_ok(),
            "one of the two: {cancelled:?} {batched:?}"
        );
        if let Ok(batch) = batched {
            assert_eq!(wallet.in_batch(&batch.id).await[0].status(), STATUS);
        }
    }
}

#[tokio::test]
async fn an_approval_that_waits_does_not_pay_what_a_batch_pays() {
    let wallet = approvals::spawn().await;
    // The user's deposit is as much as one person posts for a user alone.
    let withdrawals = wallet.pending(&[9_000]).await;
    let id = withdrawals[0].id.as_str();
    let paid = WithdrawalDecision::Paid;
    let asked = wallet.decide(&finance(), id, paid, "").await;
    assert_refused(asked, Reason::ApprovalRequired, None);
    let approval = wallet.waiting().await;
    wallet.propose(&[id]).await.expect("a batch");
    let approved = proto::ApprovalDecision::Approved;
    let outcome = approvals::decide(wallet.staff(), &second(), &approval.id, approved, "yes").await;
    assert_refused(outcome, Reason::NothingChanged, None);
    let asked = wallet.decide(&finance(), id, paid, "again").await;
    assert_refused(asked, Reason::NothingChanged, Some("payment_batch"));
}

#[tokio::test]
async fn what_the_bank_did_not_pay_is_taken_out_by_two() {
    let wallet = approvals::spawn().await;
    let (withdrawals, batch) = wallet.released(&[1000, 2000]).await;
    let returned = withdrawals[0].id.as_str();
    let asked = wallet.take_out(&finance(), returned).await;
    assert_refused(asked, Reason::ApprovalRequired, None);
    let inside = wallet.in_batch(&batch).await;
    let waiting = inside.iter().find(|it| it.id == returned).expect("inside");
    assert_eq!(
        waiting.take_out_asked_by,
        finance().staff.expect("staff").id.to_string()
    );
    let own = wallet.take_out(&finance(), returned).await;
    assert_refused(own, Reason::Forbidden, Some("requested_by"));
    let out = wallet
        .take_out(&second(), returned)
        .await
        .expect("taken out");
    assert_eq!((out.status(), out.payment_batch_id.as_str()), (STATUS, ""));
    let file = wallet
        .file(&batch, PaymentFileFormat::Pain001)
        .await
        .expect("a file");
    assert!(!file.contains(&returned.replace('-', "")));

    let paid = wallet.pay(&batch).await.expect("paid");
    assert_eq!((paid.count, paid.paid_count), (1, 1));
    assert_refused(
        wallet.take_out(&second(), &withdrawals[1].id).await,
        Reason::NothingChanged,
        None,
    );
    assert_refused(
        wallet.take_out(&second(), returned).await,
        Reason::NothingChanged,
        Some("id"),
    );
    let rejected = WithdrawalDecision::Rejected;
    wallet
        .decide(&finance(), returned, rejected, "account closed")
        .await
        .expect("rejected");
}

#[tokio::test]
async fn one_person_with_two_accounts_releases_nothing() {
    let wallet = approvals::spawn().await;
    let withdrawals = wallet.pending(&[1000]).await;
    let batch = wallet
        .propose(&[&withdrawals[0].id])
        .await
        .expect("a batch");
    let [first, other] = [finance(), second()].map(|it| it.staff.expect("staff").id.to_string());
    {
        let mut books = wallet.books.lock().expect("books");
        books.pairs.insert([first, other], SecondPair::SamePerson);
    }
    let released = PaymentBatchDecision::Released;
    let outcome = wallet.decide_batch(&second(), &batch.id, released).await;
    assert_refused(outcome, Reason::Forbidden, Some("requested_by"));
    wallet.books.lock().expect("books").pairs_refused = true;
    let outcome = wallet.decide_batch(&second(), &batch.id, released).await;
    assert_refused(outcome, Reason::Unavailable, None);
}

#[tokio::test]
async fn a_batch_has_pending_withdrawals_of_one_method_and_of_no_frozen_wallet() {
    let wallet = Wallet::spawn().await;
    assert_refused(
        wallet.propose(&[]).await,
        Reason::Validation,
        Some("withdrawal_ids"),
    );
    let unknown = Uuid::now_v7().to_string();
    assert_refused(
        wallet.propose(&[&unknown]).await,
        Reason::NotFound,
        Some("withdrawal_ids"),
    );
    let withdrawals = wallet.pending(&[1000, 1000]).await;
    let id = withdrawals[0].id.as_str();
    let some = wallet.propose(&[id, &unknown]).await;
    assert_refused(some, Reason::NotFound, Some("withdrawal_ids"));
    let user = wallet.withdrawing_user(100_000).await;
    wallet
        .bind(user, address("TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"), PIN)
        .await
        .expect("an address");
    let caller = Caller::user(UserId(user));
    let method = WithdrawalMethod::WalletAddress;
    let to_address = wallet
        .withdraw_by(&caller, 1000, method, PIN)
        .await
        .expect("one");
    let mixed = wallet.propose(&[id, &to_address.id]).await;
    assert_refused(mixed, Reason::Validation, Some("withdrawal_ids"));
    let addresses = wallet.propose(&[&to_address.id]).await.expect("a batch");
    let released = PaymentBatchDecision::Released;
    wallet
        .decide_batch(&finance(), &addresses.id, released)
        .await
        .expect("released");
    let pain = wallet.file(&addresses.id, PaymentFileFormat::Pain001).await;
    assert_refused(pain, Reason::Validation, Some("format"));
    let table = wallet
        .file(&addresses.id, PaymentFileFormat::Csv)
        .await
        .expect("a table");
    assert!(table.contains("TRC20"));

    let frozen: Uuid = withdrawals[1].user_id.parse().expect("a user");
    let message = proto::FreezeWalletRequest {
        reason: "lost".into(),
    };
    let owner = Caller::user(UserId(frozen));
    wallet
        .users()
        .freeze_wallet(call(&owner, message))
        .await
        .expect("frozen");
    let outcome = wallet.propose(&[id, &withdrawals[1].id]).await;
    assert_refused(outcome, Reason::WalletFrozen, Some("withdrawal_ids"));
    assert!(
        wallet.propose(&[id]).await.is_ok(),
        "nothing was put into a batch"
    );
}

#[tokio::test]
async fn the_database_gives_nothing_back_that_is_in_a_batch() {
    let wallet = Wallet::spawn().await;
    let (withdrawals, _) = wallet.released(&[1000]).await;
    let id: Uuid = withdrawals[0].id.parse().expect("an id");
    let spoilt =
        sqlx::query("UPDATE withdrawals SET status = 'rejected', decided_at = now() WHERE id = $1")
            .bind(id)
            .execute(&wallet.pool())
            .await;
    let error = spoilt.expect_err("a violation");
    let constraint = error.as_database_error().and_then(|it| it.constraint());
    assert_eq!(constraint, Some("withdrawals_batched"));
}
