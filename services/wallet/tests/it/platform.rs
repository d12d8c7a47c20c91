//! What finance reads of the books: the platform's accounts, and the books of any user.

use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::Reason;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::{PlatformAccount, WithdrawalDecision};
use uuid::Uuid;

use crate::helpers::{PIN, Wallet, assert_refused, call, finance, refused};

async fn balances(wallet: &Wallet) -> Option<Vec<(PlatformAccount, i64)>> {
    let message = proto::ListPlatformAccountsRequest {};
    let answer = wallet
        .bank()
        .list_platform_accounts(call(&finance(), message))
        .await;
    let answer = answer.expect("accounts").into_inner();
    answer.as_of?;
    Some(
        answer
            .items
            .iter()
            .map(|it| (it.account(), it.balance_minor))
            .collect(),
    )
}

async fn entries(wallet: &Wallet, account: PlatformAccount) -> Vec<(i64, String)> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let message = proto::ListPlatformEntriesRequest {
            account: account.into(),
            page: Some(PageRequest { limit: 2, cursor }),
        };
        let page = wallet
            .bank()
            .list_platform_entries(call(&finance(), message))
            .await;
        let page = page.expect("a page").into_inner();
        found.extend(
            page.items
                .into_iter()
                .map(|it| (it.amount_minor, it.r#type)),
        );
        cursor = page.next_cursor;
        if cursor.is_empty() {
            return found;
        }
    }
}

#[tokio::test]
async fn accounts_of_the_platform_are_what_their_entries_sum_up_to() {
    let wallet = Wallet::builder()
        .configure(|config| {
            config.withdrawals.withdraw_bank_card_fee = adfolio_money::Money::from_minor(50);
        })
        .spawn()
        .await;
    assert_eq!(balances(&wallet).await, None, "before the first proof");
    let user = wallet.withdrawing_user(10_000).await;
    wallet.deposit(user, 200).await;
    wallet.deposit(user, 300).await;
    let caller = Caller::user(UserId(user));
    let withdrawal = wallet
        .withdraw(&caller, 1000, PIN)
        .await
        .expect("a withdrawal");
    let paid = WithdrawalDecision::Paid;
    wallet
        .decide(&finance(), &withdrawal.id, paid, "")
        .await
        .expect("paid");
    let message = proto::ReconcileRequest {};
    wallet
        .staff()
        .reconcile(call(&finance(), message))
        .await
        .expect("a proof");

    let balances = balances(&wallet).await.expect("a proof");
    assert_eq!(balances.len(), 10);
    for (account, balance) in balances {
        if matches!(
            account,
            PlatformAccount::AdSpend | PlatformAccount::AdRevenue
        ) {
            let message = proto::ListPlatformEntriesRequest {
                account: account.into(),
                page: None,
            };
            let outcome = wallet
                .bank()
                .list_platform_entries(call(&finance(), message))
                .await;
            assert_refused(
                outcome.map_err(refused),
                Reason::Validation,
                Some("account"),
            );
            continue;
        }
        let sum: i64 = entries(&wallet, account)
            .await
            .iter()
            .map(|(amount, _)| amount)
            .sum();
        assert_eq!(sum, balance, "{account:?}");
    }
    let deposits = entries(&wallet, PlatformAccount::DepositsClearing).await;
    let amounts: Vec<i64> = deposits.iter().map(|(amount, _)| *amount).collect();
    assert_eq!(amounts, [-300, -200, -10_000], "newest first");
    let fees = entries(&wallet, PlatformAccount::WithdrawalFees).await;
    assert_eq!(fees, [(50, "withdrawal_paid".to_owned())]);
    let out = entries(&wallet, PlatformAccount::WithdrawalsClearing).await;
    assert_eq!(out, [(950, "withdrawal_paid".to_owned())]);
}

#[tokio::test]
async fn staff_read_the_books_of_any_user_as_the_user_does() {
    let wallet = Wallet::spawn().await;
    let user = wallet.withdrawing_user(10_000).await;
    wallet.user_with(700).await;
    let owner = Caller::user(UserId(user));
    wallet
        .withdraw(&owner, 1000, PIN)
        .await
        .expect("a withdrawal");
    let support = Caller::staff(Uuid::from_u128(1), StaffRole::Support);
    let query = proto::ListFlowRequest {
        account: proto::WalletAccount::Available.into(),
        with_totals: true,
        ..Default::default()
    };
    let own = wallet
        .users()
        .list_flow(call(&owner, query.clone()))
        .await
        .expect("own");
    let message = proto::ListUserFlowRequest {
        user_id: user.to_string(),
        query: Some(query),
    };
    let staffs = wallet
        .staff()
        .list_user_flow(call(&support, message))
        .await
        .expect("staff's");
    assert_eq!(staffs.into_inner().page, Some(own.into_inner()));

    let month = chrono::Utc::now().format("%Y-%m").to_string();
    let message = proto::GetStatementRequest {
        month: month.clone(),
    };
    let own = wallet
        .users()
        .get_statement(call(&owner, message))
        .await
        .expect("own");
    let own = own.into_inner().message().await.expect("a piece");
    let message = proto::GetUserStatementRequest {
        user_id: user.to_string(),
        month,
    };
    let refusal = wallet
        .staff()
        .get_user_statement(call(&support, message.clone()))
        .await;
    assert_refused(
        refusal.map(|_| ()).map_err(refused),
        Reason::Forbidden,
        None,
    );
    let staffs = wallet
        .staff()
        .get_user_statement(call(&finance(), message))
        .await;
    let staffs = staffs
        .expect("staff's")
        .into_inner()
        .message()
        .await
        .expect("a piece");
    assert_eq!(staffs.and_then(|it| it.piece), own);

    let message = proto::GetUserDestinationsRequest {
        user_id: user.to_string(),
    };
    let bound = wallet
        .staff()
        .get_user_destinations(call(&support, message))
        .await;
    let bound = bound
        .expect("destinations")
        .into_inner()
        .destinations
        .expect("some");
    assert_eq!(bound.bank_card.expect("a card").bank_account, "****7890");
}
