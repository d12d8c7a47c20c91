//! Confirming the e-mail address with a code that was mailed to it.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use adfolio_proto::auth::v1::{
    ConfirmEmailRequest, EditProfileRequest, GetMailRecipientRequest, GetUserDetailRequest,
    GetUserRequest, ListSecurityLogRequest, ListUsersRequest, SendEmailCodeRequest,
    SendEmailCodeResponse, Session, User, UserState,
};
use adfolio_proto::events::v1::EmailCodeRequested;
use adfolio_testkit::{EventProbe, eventually};
use futures::future::join_all;
use tonic::Status;

use crate::helpers::{
    Auth, anonymous, as_newcomer, as_staff, as_user, dump, reason, refusal, registration, user_id,
};

const REQUESTED: &str = "adfolio.auth.v1.EmailCodeRequested";
const MINUTE: Duration = Duration::from_mins(1);

/// Auth, and what it announces.
async fn spawn() -> (Auth, EventProbe) {
    let auth = Auth::spawn().await;
    let probe = auth.broker.probe(&[REQUESTED]).await;
    (auth, probe)
}

async fn send(auth: &Auth, user: &str) -> Result<SendEmailCodeResponse, Status> {
    let request = as_user(user, SendEmailCodeRequest {});
    Ok(auth.users().send_email_code(request).await?.into_inner())
}

/// The id of the code that was announced as so many-th.
async fn id_of(probe: &EventProbe, count: usize) -> String {
    let events = probe.wait_for(REQUESTED, count).await;
    assert_eq!(events.len(), count);
    let event: EmailCodeRequested = events[count - 1].data().unwrap();
    event.email_code_id
}

/// What notification learns for the mail: the address and the code.
async fn mailed(auth: &Auth, user: &str, id: &str) -> Result<(String, String), Status> {
    let message = GetMailRecipientRequest {
        user_id: user.to_owned(),
        former_email_id: String::new(),
        email_code_id: id.to_owned(),
    };
    let mut directory = UserDirectoryServiceClient::new(auth.channel());
    let answer = directory.get_mail_recipient(anonymous(message)).await?;
    let recipient = answer.into_inner();
    Ok((recipient.email, recipient.email_code))
}

/// Has a code sent, as the so many-th, and reads it in the mail.
async fn code(auth: &Auth, probe: &EventProbe, user: &str, count: usize) -> String {
    send(auth, user).await.unwrap();
    let id = id_of(probe, count).await;
    mailed(auth, user, &id).await.unwrap().1
}

async fn confirm(auth: &Auth, user: &str, code: &str) -> Result<User, Status> {
    let message = ConfirmEmailRequest {
        code: code.to_owned(),
    };
    let answer = auth.users().confirm_email(as_user(user, message)).await?;
    Ok(answer.into_inner().user.unwrap())
}

async fn is_confirmed(auth: &Auth, user: &str) -> bool {
    let answer = auth
        .users()
        .get_user(as_user(user, GetUserRequest {}))
        .await;
    answer.unwrap().into_inner().user.unwrap().email_confirmed
}

async fn change_email(auth: &Auth, user: &str, email: &str) -> User {
    let change = EditProfileRequest {
        email: Some(email.to_owned()),
        ..EditProfileRequest::default()
    };
    let request = as_newcomer(auth, user, change);
    let answer = auth.users().edit_profile(request).await.unwrap();
    answer.into_inner().user.unwrap()
}

/// Registers with an address of their own.
async fn register(auth: &Auth, name: &str) -> Session {
    let mut form = registration(name, &auth.key(true).await);
    form.email = format!("{name}@shop.example");
    auth.try_register(form).await.unwrap()
}

/// The right form, and another code.
fn wrong(code: &str) -> String {
    let number: u32 = code.parse().unwrap();
    format!("{:08}", (number + 1) % 100_000_000)
}

fn assert_invalid(refused: &Refusal) {
    assert_eq!(refused.reason, Reason::EmailCodeInvalid);
    assert_eq!(refused.field.as_deref(), Some("code"));
}

async fn actions(auth: &Auth, user: &str) -> Vec<String> {
    let message = ListSecurityLogRequest { page: None };
    let answer = auth.users().list_security_log(as_user(user, message)).await;
    let items = answer.unwrap().into_inner().items;
    items.into_iter().map(|entry| entry.action).collect()
}

#[tokio::test]
async fn the_code_of_the_mail_confirms_the_address_and_is_nowhere_else() {
    let (auth, probe) = spawn().await;
    let session = register(&auth, "ann").await;
    let id = user_id(&session);
    assert!(!session.user.as_ref().unwrap().email_confirmed);
    let sent = send(&auth, id).await.unwrap();
    let until = auth.clock.now() + chrono::TimeDelta::minutes(15);
    assert_eq!(sent.valid_until, Some(until.into()));
    let code_id = id_of(&probe, 1).await;
    let (email, code) = mailed(&auth, id, &code_id).await.unwrap();
    assert_eq!(email, "ann@shop.example");
    assert_eq!(code.len(), 8);
    // Each attempt to send the mail brings the same one.
    assert_eq!(mailed(&auth, id, &code_id).await.unwrap().1, code);
    let event = &probe.of_type(REQUESTED)[0];
    let told: EmailCodeRequested = event.data().unwrap();
    assert_eq!(
        (told.user_id.as_str(), told.valid_until),
        (id, sent.valid_until)
    );
    assert!(!event.data.to_string().contains(&code));
    assert!(!event.data.to_string().contains('@'));
    assert!(!dump(&auth.db).await.contains(&code));

    let typed = format!(" {} {}", &code[..4], &code[4..]);
    let user = confirm(&auth, id, &typed).await.unwrap();
    assert!(user.email_confirmed);
    assert!(is_confirmed(&auth, id).await);
    assert_eq!(actions(&auth, id).await, ["auth.email_confirmed"]);
    assert!(!dump(&auth.db).await.contains(&code));
    // Again, with whatever code, it answers the same and does nothing.
    for code in [code.as_str(), &wrong(&code)] {
        assert_eq!(confirm(&auth, id, code).await.unwrap(), user);
    }
    assert_eq!(actions(&auth, id).await.len(), 1);
    assert_eq!(reason(send(&auth, id).await), Reason::NothingChanged);
    // The code is used up, and no mail brings it any more.
    assert_eq!(reason(mailed(&auth, id, &code_id).await), Reason::NotFound);
}

#[tokio::test]
async fn a_code_without_its_form_is_no_try() {
    let (auth, probe) = spawn().await;
    let session = register(&auth, "ann").await;
    let id = user_id(&session);
    let code = code(&auth, &probe, id, 1).await;
    for text in ["", "1234567", "123456789", "1234567a"] {
        let refused = refusal(confirm(&auth, id, text).await);
        assert_eq!(refused, Refusal::invalid("code"), "{text}");
    }
    for _ in 0..4 {
        assert_invalid(&refusal(confirm(&auth, id, &wrong(&code)).await));
    }
    assert!(confirm(&auth, id, &code).await.unwrap().email_confirmed);
}

#[tokio::test]
async fn five_wrong_tries_end_a_code_and_a_new_one_has_five_again() {
    let (auth, probe) = spawn().await;
    let session = register(&auth, "ann").await;
    let id = user_id(&session);
    assert_invalid(&refusal(confirm(&auth, id, "12345678").await));
    let first = code(&auth, &probe, id, 1).await;
    // At the same time: each is counted, also beyond the fifth.
    let tries = (0..50).map(|_| confirm(&auth, id, "00000000"));
    for outcome in join_all(tries).await {
        assert_invalid(&refusal(outcome));
    }
    assert_invalid(&refusal(confirm(&auth, id, &first).await));
    assert!(!is_confirmed(&auth, id).await);
    let second = code(&auth, &probe, id, 2).await;
    assert_invalid(&refusal(confirm(&auth, id, &wrong(&second)).await));
    assert!(confirm(&auth, id, &second).await.unwrap().email_confirmed);
}

#[tokio::test]
async fn fifty_confirmations_at_once_are_one() {
    let (auth, probe) = spawn().await;
    let session = register(&auth, "ann").await;
    let id = user_id(&session);
    let code = code(&auth, &probe, id, 1).await;
    let all = join_all((0..50).map(|_| confirm(&auth, id, &code))).await;
    assert!(all.into_iter().all(|user| user.unwrap().email_confirmed));
    assert_eq!(actions(&auth, id).await, ["auth.email_confirmed"]);
}

#[tokio::test]
async fn a_code_works_for_fifteen_minutes() {
    let (auth, probe) = spawn().await;
    let session = register(&auth, "ann").await;
    let id = user_id(&session);
    let first = code(&auth, &probe, id, 1).await;
    let code_id = id_of(&probe, 1).await;
    auth.clock.advance(15 * MINUTE);
    assert_invalid(&refusal(confirm(&auth, id, &first).await));
    assert_eq!(reason(mailed(&auth, id, &code_id).await), Reason::NotFound);
    let second = code(&auth, &probe, id, 2).await;
    auth.clock.advance(14 * MINUTE);
    assert!(confirm(&auth, id, &second).await.unwrap().email_confirmed);
}

#[tokio::test]
async fn a_newer_code_replaces_the_older_one() {
    let (auth, probe) = spawn().await;
    let session = register(&auth, "ann").await;
    let id = user_id(&session);
    let first = code(&auth, &probe, id, 1).await;
    let first_id = id_of(&probe, 1).await;
    let second = code(&auth, &probe, id, 2).await;
    assert_ne!(first, second);
    assert_eq!(reason(mailed(&auth, id, &first_id).await), Reason::NotFound);
    assert_invalid(&refusal(confirm(&auth, id, &first).await));
    assert!(confirm(&auth, id, &second).await.unwrap().email_confirmed);
}

#[tokio::test]
async fn a_code_is_its_users_alone() {
    let (auth, probe) = spawn().await;
    let (ann, ben) = (register(&auth, "ann").await, register(&auth, "ben").await);
    let (ann, ben) = (user_id(&ann), user_id(&ben));
    // Even where both have typed the same address.
    change_email(&auth, ben, "ann@shop.example").await;
    let anns = code(&auth, &probe, ann, 1).await;
    let anns_id = id_of(&probe, 1).await;
    assert_invalid(&refusal(confirm(&auth, ben, &anns).await));
    let bens = code(&auth, &probe, ben, 2).await;
    assert_ne!(anns, bens);
    assert_invalid(&refusal(confirm(&auth, ben, &anns).await));
    assert_eq!(reason(mailed(&auth, ben, &anns_id).await), Reason::NotFound);
    assert!(confirm(&auth, ann, &anns).await.unwrap().email_confirmed);
    assert!(!is_confirmed(&auth, ben).await);
}

#[tokio::test]
async fn a_changed_address_is_not_confirmed_and_its_code_is_worthless() {
    let (auth, probe) = spawn().await;
    let session = register(&auth, "ann").await;
    let id = user_id(&session);
    let first = code(&auth, &probe, id, 1).await;
    let first_id = id_of(&probe, 1).await;
    change_email(&auth, id, "new@shop.example").await;
    assert_eq!(reason(mailed(&auth, id, &first_id).await), Reason::NotFound);
    assert_invalid(&refusal(confirm(&auth, id, &first).await));
    // Nor does it come back with the address.
    change_email(&auth, id, "ann@shop.example").await;
    assert_invalid(&refusal(confirm(&auth, id, &first).await));

    let second = code(&auth, &probe, id, 2).await;
    assert!(confirm(&auth, id, &second).await.unwrap().email_confirmed);
    // Another field, or the same address again, leaves it confirmed.
    let nickname = EditProfileRequest {
        nickname: Some("Annie".to_owned()),
        email: Some("ann@shop.example".to_owned()),
        ..EditProfileRequest::default()
    };
    let request = as_newcomer(&auth, id, nickname);
    let edited = auth.users().edit_profile(request).await.unwrap();
    assert!(edited.into_inner().user.unwrap().email_confirmed);
    assert!(
        !change_email(&auth, id, "other@shop.example")
            .await
            .email_confirmed
    );
    assert!(
        !change_email(&auth, id, "ann@shop.example")
            .await
            .email_confirmed
    );
}

/// A replica of the release before changes the address and knows nothing of its confirmation.
#[tokio::test]
async fn an_address_that_an_older_replica_changes_is_not_confirmed() {
    let (auth, probe) = spawn().await;
    let session = register(&auth, "ann").await;
    let id = user_id(&session);
    let first = code(&auth, &probe, id, 1).await;
    confirm(&auth, id, &first).await.unwrap();
    sqlx::query("UPDATE users SET email = 'new@shop.example' WHERE id = $1::text::uuid")
        .bind(id)
        .execute(&auth.db.pool())
        .await
        .unwrap();
    assert!(!is_confirmed(&auth, id).await);
    let second = code(&auth, &probe, id, 2).await;
    assert!(confirm(&auth, id, &second).await.unwrap().email_confirmed);
}

#[tokio::test]
async fn a_user_gets_five_codes_an_hour_and_ten_a_day() {
    let (auth, probe) = spawn().await;
    let session = register(&auth, "ann").await;
    let id = user_id(&session);
    for _ in 0..5 {
        send(&auth, id).await.unwrap();
        auth.clock.advance(MINUTE);
    }
    let refused = refusal(send(&auth, id).await);
    assert_eq!(refused.reason, Reason::TooManyAttempts);
    assert_eq!(refused.retry_after, Some(55 * MINUTE));
    // Another address does not help.
    change_email(&auth, id, "new@shop.example").await;
    assert_eq!(reason(send(&auth, id).await), Reason::TooManyAttempts);
    auth.clock.advance(115 * MINUTE);
    // At the same time no more than are left.
    let all = join_all((0..20).map(|_| send(&auth, id))).await;
    assert_eq!(all.iter().filter(|sent| sent.is_ok()).count(), 5);
    auth.clock.advance(120 * MINUTE);
    assert_eq!(reason(send(&auth, id).await), Reason::TooManyAttempts);
    auth.clock.advance(24 * 60 * MINUTE);
    send(&auth, id).await.unwrap();
    // What was refused was not announced.
    probe.wait_for(REQUESTED, 11).await;
    assert_eq!(probe.of_type(REQUESTED).len(), 11);
    let auth = auth.restart().await;
    eventually("what counts no more is deleted", || async {
        let count: i64 = sqlx::query_scalar("SELECT count(*) FROM email_codes")
            .fetch_one(&auth.db.pool())
            .await
            .unwrap();
        count == 1
    })
    .await;
}

#[tokio::test]
async fn a_mailbox_gets_ten_codes_a_day_of_whatever_users() {
    let (auth, _) = spawn().await;
    let mut sent = 0;
    let names: Vec<String> = (0..4).map(|number| format!("seller{number}")).collect();
    let sessions = join_all(names.iter().map(|name| register(&auth, name))).await;
    for session in &sessions {
        change_email(&auth, user_id(session), "Victim@shop.example").await;
    }
    let tries = sessions.iter().flat_map(|session| [session; 5]);
    for outcome in join_all(tries.map(|session| send(&auth, user_id(session)))).await {
        match outcome {
            Ok(_) => sent += 1,
            refused => assert_eq!(reason(refused), Reason::TooManyAttempts),
        }
    }
    assert_eq!(sent, 10);
    let other = register(&auth, "other").await;
    change_email(&auth, user_id(&other), "victim@shop.example").await;
    let refused = refusal(send(&auth, user_id(&other)).await);
    assert_eq!(refused.retry_after, Some(24 * 60 * MINUTE));
    change_email(&auth, user_id(&other), "own@shop.example").await;
    send(&auth, user_id(&other)).await.unwrap();
}

#[tokio::test]
async fn a_repeated_request_with_its_key_sends_one_code() {
    let (auth, probe) = spawn().await;
    let session = register(&auth, "ann").await;
    let id: UserId = user_id(&session).parse().unwrap();
    let caller = Caller {
        idempotency_key: Some("one-press".parse().unwrap()),
        ..Caller::user(id)
    };
    let mut answers = Vec::new();
    for _ in 0..2 {
        let request = outgoing(&caller, SendEmailCodeRequest {}, Duration::from_secs(30));
        answers.push(
            auth.users()
                .send_email_code(request)
                .await
                .unwrap()
                .into_inner(),
        );
        auth.clock.advance(MINUTE);
    }
    assert_eq!(answers[0], answers[1]);
    let another = code(&auth, &probe, user_id(&session), 2).await;
    assert_eq!(another.len(), 8);
}

#[tokio::test]
async fn who_has_no_address_or_no_open_account_gets_no_code() {
    let (auth, probe) = spawn().await;
    let mut form = registration("ann", &auth.key(true).await);
    form.older_form = true;
    form.email.clear();
    let session = auth.try_register(form).await.unwrap();
    let refused = refusal(send(&auth, user_id(&session)).await);
    assert_eq!(refused.reason, Reason::Validation);
    assert_eq!(refused.field.as_deref(), Some("email"));
    assert_invalid(&refusal(
        confirm(&auth, user_id(&session), "12345678").await,
    ));

    let ben = register(&auth, "ben").await;
    let code = code(&auth, &probe, user_id(&ben), 1).await;
    auth.set_state(user_id(&ben), UserState::Disabled)
        .await
        .unwrap();
    assert_eq!(
        reason(send(&auth, user_id(&ben)).await),
        Reason::AccountDisabled
    );
    assert_eq!(
        reason(confirm(&auth, user_id(&ben), &code).await),
        Reason::AccountDisabled
    );
}

/// What was written is written as a whole: a database that refuses the last row keeps none of the others.
#[tokio::test]
async fn a_confirmation_and_its_entry_are_one_transaction() {
    let (auth, probe) = spawn().await;
    let session = register(&auth, "ann").await;
    let id = user_id(&session);
    let code = code(&auth, &probe, id, 1).await;
    let owner = auth.db.pool();
    let break_it = "ALTER TABLE user_acts RENAME TO hidden";
    sqlx::query(break_it).execute(&owner).await.unwrap();
    confirm(&auth, id, &code).await.unwrap_err();
    assert!(!is_confirmed(&auth, id).await);
    let mend_it = "ALTER TABLE hidden RENAME TO user_acts";
    sqlx::query(mend_it).execute(&owner).await.unwrap();
    assert!(confirm(&auth, id, &code).await.unwrap().email_confirmed);
}

#[tokio::test]
async fn staff_see_whether_an_address_is_confirmed_also_where_it_is_masked() {
    let (auth, probe) = spawn().await;
    let session = register(&auth, "ann").await;
    let id = user_id(&session);
    let other = register(&auth, "ben").await;
    let code = code(&auth, &probe, id, 1).await;
    confirm(&auth, id, &code).await.unwrap();
    for role in [StaffRole::Support, StaffRole::Finance] {
        let request = as_staff(role, ListUsersRequest::default());
        let listed = auth.admin().list_users(request).await.unwrap();
        let confirmed = |id: &str| {
            let mut items = listed.get_ref().items.iter();
            items.find(|user| user.id == id).unwrap().email_confirmed
        };
        assert!(confirmed(id), "{role}");
        assert!(!confirmed(user_id(&other)), "{role}");
        let message = GetUserDetailRequest {
            user_id: id.to_owned(),
        };
        let detail = auth.admin().get_user_detail(as_staff(role, message)).await;
        let user = detail.unwrap().into_inner().user.unwrap();
        assert!(user.email_confirmed, "{role}");
        let is_masked = user.email.contains("****");
        assert_eq!(is_masked, role == StaffRole::Finance);
    }
}
