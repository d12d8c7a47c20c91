//! Bank cards and wallet addresses.

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::Reason;
use adfolio_proto::events::v1::WalletSecurityChanged;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::wallet_service_client::WalletServiceClient;
use adfolio_testkit::{EventProbe, answered, eventually};
use futures::future::join_all;
use uuid::Uuid;

use crate::helpers::{PIN, Wallet, address, assert_refused, card, newcomer, refused};

const ACCOUNT: &str = "6222021234567890";
const OTHER: &str = "6222021234560000";
const ADDRESS: &str = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8";
const LIMIT: std::time::Duration = std::time::Duration::from_secs(5);

async fn bound(stack: &Wallet, user: Uuid) -> proto::GetDestinationsResponse {
    let request = outgoing(
        &Caller::user(UserId(user)),
        proto::GetDestinationsRequest {},
        LIMIT,
    );
    let answer = stack.users().get_destinations(request).await;
    answer.expect("destinations").into_inner()
}

#[tokio::test]
async fn what_is_bound_goes_out_masked_and_is_nowhere_in_clear() {
    let stack = Wallet::spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let user = stack.user();
    assert_eq!(
        bound(&stack, user).await,
        proto::GetDestinationsResponse::default()
    );
    let answer = stack
        .bind(user, card("6222 0212-3456 7890"), "")
        .await
        .expect("bound");
    assert_eq!(answer.kind, Some(card("****7890")));
    stack.bind(user, address(ADDRESS), "").await.expect("bound");
    let all = bound(&stack, user).await;
    assert_eq!(all.bank_card.expect("a card").bank_account, "****7890");
    assert_eq!(
        all.wallet_address.expect("an address").address,
        "TJRa****RTv8"
    );
    let figures = stack.property(user).await;
    assert!(figures.has_bank_card && figures.has_wallet_address);
    assert_eq!(
        figures.withdrawal_blocked_by,
        ["INSUFFICIENT_BALANCE", "PAY_PASSWORD_NOT_SET"]
    );
    stack.set_password(user, PIN, "").await.expect("a password");
    stack.deposit(user, 1_000).await;
    stack
        .withdraw(&Caller::user(UserId(user)), 500, PIN)
        .await
        .expect("taken");
    let told = probe
        .wait_for("adfolio.wallet.v1.WalletSecurityChanged", 3)
        .await;
    let changes: Vec<String> = told
        .iter()
        .map(|it| it.data::<WalletSecurityChanged>().expect("an event").change)
        .collect();
    assert_eq!(
        changes,
        [
            "bank_card_bound",
            "wallet_address_bound",
            "pay_password_set"
        ]
    );
    // Every row of every table as text.
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'")
            .fetch_all(&stack.pool())
            .await
            .expect("tables");
    for table in tables {
        let statement = format!("SELECT t::text FROM \"{table}\" t");
        let rows: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(statement))
            .fetch_all(&stack.pool())
            .await
            .expect("rows");
        for row in rows {
            for secret in [ACCOUNT, ADDRESS, "Lovelace", &hex::encode(ACCOUNT)] {
                assert!(!row.contains(secret), "{table}: {row}");
            }
        }
    }
}

#[tokio::test]
async fn binding_needs_the_password_once_there_is_one_and_a_change() {
    let stack = Wallet::spawn().await;
    let (user, other) = (stack.user(), stack.user());
    stack.bind(user, card(ACCOUNT), "").await.expect("bound");
    assert_refused(
        stack.bind(user, card("6222-0212-3456-7890"), "").await,
        Reason::NothingChanged,
        None,
    );
    stack.set_password(user, PIN, "").await.expect("a password");
    let password = Some("password");
    assert_refused(
        stack.bind(user, card("6222021234560000"), "").await,
        Reason::Validation,
        password,
    );
    assert_refused(
        stack.bind(user, card("6222021234560000"), "135792").await,
        Reason::WrongPayPassword,
        password,
    );
    assert_refused(
        stack.bind(user, card(ACCOUNT), PIN).await,
        Reason::NothingChanged,
        None,
    );
    stack
        .bind(user, card("6222021234560000"), PIN)
        .await
        .expect("rebound");
    let card_now = bound(&stack, user).await.bank_card.expect("a card");
    assert_eq!(card_now.bank_account, "****0000");
    assert_eq!(bound(&stack, other).await.bank_card, None);
    // What is out of form changes nothing.
    assert_refused(
        stack.bind(user, card("****0000"), PIN).await,
        Reason::Validation,
        Some("bank_account"),
    );
    assert_refused(
        stack.bind(user, address("short"), PIN).await,
        Reason::Validation,
        Some("address"),
    );
    let nothing = proto::BindDestinationRequest::default();
    let request = outgoing(&Caller::user(UserId(user)), nothing, LIMIT);
    assert_refused(
        stack
            .users()
            .bind_destination(request)
            .await
            .map_err(refused),
        Reason::Validation,
        Some("kind"),
    );
}

/// Binds from two replicas, all at once; answers who was taken, and checks that the others found theirs bound already.
async fn race(
    stack: &Wallet,
    user: Uuid,
    kinds: Vec<proto::destination::Kind>,
) -> Vec<proto::destination::Kind> {
    let replica = stack.replica().await;
    let answers = join_all(kinds.into_iter().enumerate().map(|(turn, kind)| {
        let wallet = if turn % 2 == 0 {
            stack.users()
        } else {
            WalletServiceClient::new(replica.channel())
        };
        async move {
            let answer = answered(|| {
                let mut wallet = wallet.clone();
                let message = proto::BindDestinationRequest {
                    destination: Some(proto::Destination {
                        kind: Some(kind.clone()),
                    }),
                    password: String::new(),
                };
                // All wait for one row, so the last waits for as long as the others take together.
                let request = outgoing(&newcomer(user), message, LIMIT * 6);
                async move { wallet.bind_destination(request).await.map_err(refused) }
            });
            (kind.clone(), answer.await)
        }
    }))
    .await;
    let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(_, it)| it.is_ok());
    for (_, answer) in lost {
        assert_refused(answer, Reason::NothingChanged, None);
    }
    won.into_iter().map(|(kind, _)| kind).collect()
}

/// What the database says of a user: the destinations, and the bindings that are to be told.
async fn bindings(stack: &Wallet, user: Uuid, probe: &EventProbe, count: usize) -> i64 {
    let told = probe
        .wait_for("adfolio.wallet.v1.WalletSecurityChanged", count)
        .await;
    eventually("nothing is left to tell", || async {
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM unsent_events")
            .fetch_one(&stack.pool())
            .await
            .expect("the outbox");
        left == 0
    })
    .await;
    assert_eq!(told.len(), count, "one event for each change");
    sqlx::query_scalar("SELECT count(*) FROM destinations WHERE user_id = $1")
        .bind(user)
        .fetch_one(&stack.pool())
        .await
        .expect("destinations")
}

#[tokio::test]
async fn of_two_hundred_who_bind_the_same_at_once_one_binds() {
    let stack = Wallet::spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let user = stack.user();
    let won = race(&stack, user, vec![card(ACCOUNT); 200]).await;
    assert_eq!(won, [card(ACCOUNT)]);
    assert_eq!(bindings(&stack, user, &probe, 1).await, 1);
    // From this card to another, and to an address beside it.
    let won = race(&stack, user, vec![card(OTHER); 200]).await;
    assert_eq!(won, [card(OTHER)]);
    assert_eq!(bindings(&stack, user, &probe, 2).await, 1);
    let won = race(&stack, user, vec![address(ADDRESS); 200]).await;
    assert_eq!(won, [address(ADDRESS)]);
    assert_eq!(bindings(&stack, user, &probe, 3).await, 2);
    let now = bound(&stack, user).await;
    assert_eq!(now.bank_card.expect("a card").bank_account, "****0000");
}

#[tokio::test]
async fn two_hundred_changes_between_two_cards_take_turns() {
    let stack = Wallet::spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let user = stack.user();
    stack
        .bind(user, card("6222021234561111"), "")
        .await
        .expect("bound");
    let kinds = (0..200).map(|turn| card(if turn / 2 % 2 == 0 { ACCOUNT } else { OTHER }));
    let won = race(&stack, user, kinds.collect()).await;
    // A change starts from what is bound, so to one card follows only to the other.
    let ones = won.iter().filter(|it| **it == card(ACCOUNT)).count();
    let others = won.len() - ones;
    assert!(ones.abs_diff(others) <= 1, "{ones} and {others}");
    assert_eq!(bindings(&stack, user, &probe, 1 + won.len()).await, 1);
    let last = bound(&stack, user).await.bank_card.expect("a card");
    if ones != others {
        let expected = if ones > others {
            "****7890"
        } else {
            "****0000"
        };
        assert_eq!(last.bank_account, expected);
    }
    let settled = if last.bank_account == "****7890" {
        ACCOUNT
    } else {
        OTHER
    };
    assert_refused(
        stack.bind(user, card(settled), "").await,
        Reason::NothingChanged,
        None,
    );
}

#[tokio::test]
async fn two_hundred_changes_to_as_many_cards_are_made_one_after_the_other() {
    let stack = Wallet::spawn().await;
    let probe = stack.broker.probe(&["adfolio.wallet.v1.*"]).await;
    let user = stack.user();
    let kinds: Vec<_> = (0..200_u64)
        .map(|turn| card(&(6_222_021_234_560_000 + turn).to_string()))
        .collect();
    assert_eq!(race(&stack, user, kinds.clone()).await, kinds);
    assert_eq!(bindings(&stack, user, &probe, 200).await, 1);
    let last = bound(&stack, user).await.bank_card.expect("a card");
    let account = format!("622202123456{}", last.bank_account.trim_start_matches('*'));
    assert!(kinds.contains(&card(&account)), "{account}");
    assert_refused(
        stack.bind(user, card(&account), "").await,
        Reason::NothingChanged,
        None,
    );
}

#[tokio::test]
async fn staff_see_what_is_set_up() {
    let stack = Wallet::spawn().await;
    let (one, two, none) = (stack.user(), stack.user(), stack.user());
    stack.bind(one, card(ACCOUNT), "").await.expect("bound");
    stack.set_password(two, PIN, "").await.expect("a password");
    let ask = |caller: Caller, ids: Vec<Uuid>| {
        let mut admin = stack.staff();
        async move {
            let message = proto::GetUserSettingsRequest {
                user_ids: ids.iter().map(Uuid::to_string).collect(),
            };
            let answer = admin
                .get_user_settings(outgoing(&caller, message, LIMIT))
                .await;
            Ok(answer.map_err(refused)?.into_inner().items)
        }
    };
    let operator = Caller::staff(Uuid::now_v7(), StaffRole::Operator);
    let mut items = ask(operator.clone(), vec![one, two, none])
        .await
        .expect("settings");
    items.sort_by_key(|it| it.has_pay_password);
    let seen: Vec<(String, bool, bool)> = items
        .into_iter()
        .map(|it| (it.user_id, it.has_pay_password, it.has_bank_card))
        .collect();
    assert_eq!(
        seen,
        [
            (one.to_string(), false, true),
            (two.to_string(), true, false)
        ]
    );
    assert_refused(
        ask(operator, vec![one; 101]).await,
        Reason::Validation,
        Some("user_ids"),
    );
    assert_refused(
        ask(Caller::user(UserId(one)), vec![one]).await,
        Reason::NotAuthenticated,
        None,
    );
}
