//! Changes of a user's profile: by the user, by staff, and by memberships.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use adfolio_proto::auth::v1::{
    EditProfileRequest, GetUserRequest, GrantMembershipRequest, LookUpUsersRequest,
    SetUserProfileRequest, User, UserState,
};
use adfolio_proto::events::v1::StaffPostingMade;
use adfolio_testkit::{eventually, publish_event, publish_event_with_id};
use tonic::Status;
use uuid::Uuid;

use crate::helpers::{
    Auth, anonymous, as_newcomer, as_staff, as_user, reason, refusal, support, user_id,
};

async fn edit(auth: &Auth, user: &str, message: EditProfileRequest) -> Result<User, Status> {
    let answer = auth
        .users()
        .edit_profile(as_newcomer(auth, user, message))
        .await?;
    Ok(answer.into_inner().user.unwrap())
}

async fn profile(auth: &Auth, user: &str) -> User {
    let message = as_user(user, GetUserRequest {});
    let answer = auth.users().get_user(message).await.unwrap();
    answer.into_inner().user.unwrap()
}

async fn set(auth: &Auth, message: SetUserProfileRequest) -> Result<User, Status> {
    let answer = auth.admin().set_user_profile(support(message)).await?;
    Ok(answer.into_inner().user.unwrap())
}

fn nickname(text: &str) -> EditProfileRequest {
    EditProfileRequest {
        nickname: Some(text.to_owned()),
        ..EditProfileRequest::default()
    }
}

#[tokio::test]
async fn only_what_is_given_changes() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let id = user_id(&session);
    let before = profile(&auth, id).await;
    let edited = edit(&auth, id, nickname("  Ann Lee ")).await.unwrap();
    let expected = User {
        nickname: "Ann Lee".to_owned(),
        ..before.clone()
    };
    assert_eq!(edited, expected);
    let message = EditProfileRequest {
        nickname: None,
        email: Some("ann@new.example".to_owned()),
        phone: Some("+1 555 010 0100".to_owned()),
        avatar_file_id: Some("0192f0aa-1111-7000-8000-000000000001".to_owned()),
        lang: Some("kor".to_owned()),
    };
    let edited = edit(&auth, id, message.clone()).await.unwrap();
    assert_eq!(edited.email, "ann@new.example");
    assert_eq!(edited.phone, "+1 555 010 0100");
    assert_eq!(edited.lang, "kor");
    assert_eq!(Some(edited.avatar_file_id.clone()), message.avatar_file_id);
    assert_eq!(profile(&auth, id).await, edited);
    assert_eq!(auth.verify(&session.token).await.unwrap().lang, "kor");
    let again = edit(&auth, id, message).await;
    assert_eq!(reason(again), Reason::NothingChanged);
    let without = EditProfileRequest {
        avatar_file_id: Some(String::new()),
        ..EditProfileRequest::default()
    };
    assert_eq!(edit(&auth, id, without).await.unwrap().avatar_file_id, "");
}

#[tokio::test]
async fn a_bad_field_changes_nothing() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let id = user_id(&session);
    let before = profile(&auth, id).await;
    let mixed = EditProfileRequest {
        email: Some("nonsense".to_owned()),
        ..nickname("Ann Lee")
    };
    let refused = refusal(edit(&auth, id, mixed).await);
    assert_eq!(refused.reason, Reason::Validation);
    assert_eq!(refused.field.as_deref(), Some("email"));
    let nothing = refusal(edit(&auth, id, EditProfileRequest::default()).await);
    assert_eq!(nothing.reason, Reason::Validation);
    assert_eq!(nothing.field, None);
    assert_eq!(profile(&auth, id).await, before);
    let outsider = auth.users().edit_profile(anonymous(nickname("x"))).await;
    assert_eq!(reason(outsider), Reason::NotAuthenticated);
    auth.set_state(id, UserState::Disabled).await.unwrap();
    assert_eq!(
        reason(edit(&auth, id, nickname("Ann Lee")).await),
        Reason::AccountDisabled
    );
}

#[tokio::test]
async fn the_same_edit_by_fifty_at_once_happens_once() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let edits = (0..50).map(|_| edit(&auth, user_id(&session), nickname("Ann Lee")));
    let outcomes = futures::future::join_all(edits).await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!(won.len(), 1);
    for outcome in lost {
        assert_eq!(reason(outcome), Reason::NothingChanged);
    }
}

#[tokio::test]
async fn staff_set_a_users_standing() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let id = user_id(&session).to_owned();
    let of = |user: &str| SetUserProfileRequest {
        user_id: user.to_owned(),
        ..SetUserProfileRequest::default()
    };
    let message = SetUserProfileRequest {
        credit_score: Some(720),
        shop_level: Some(4),
        ..of(&id)
    };
    let user = set(&auth, message).await.unwrap();
    assert_eq!(user.credit_score, 720);
    assert_eq!(user.shop_level, 4);
    assert!(!user.vip);
    let vip = SetUserProfileRequest {
        vip: Some(true),
        ..of(&id)
    };
    let user = set(&auth, vip.clone()).await.unwrap();
    assert_eq!(user.credit_score, 720);
    assert!(user.vip);
    for (message, field) in [
        (
            SetUserProfileRequest {
                credit_score: Some(1001),
                ..of(&id)
            },
            Some("credit_score"),
        ),
        (
            SetUserProfileRequest {
                shop_level: Some(0),
                ..of(&id)
            },
            Some("shop_level"),
        ),
        (of(&id), None),
    ] {
        let refused = refusal(set(&auth, message).await);
        assert_eq!(refused.reason, Reason::Validation);
        assert_eq!(refused.field.as_deref(), field);
    }
    for unknown in [Uuid::now_v7().to_string(), "junk".to_owned()] {
        let message = SetUserProfileRequest {
            vip: Some(true),
            ..of(&unknown)
        };
        assert_eq!(reason(set(&auth, message).await), Reason::NotFound);
    }
    let unfounded = SetUserProfileRequest {
        vip: Some(false),
        ..of(&id)
    };
    let refused = refusal(
        auth.admin()
            .set_user_profile(as_staff(
                adfolio_kit::identity::StaffRole::Support,
                unfounded,
            ))
            .await,
    );
    assert_eq!(
        (refused.reason, refused.field.as_deref()),
        (Reason::Validation, Some("reason"))
    );
    assert!(profile(&auth, &id).await.vip);
    let finance = as_staff(adfolio_kit::identity::StaffRole::Finance, vip);
    let outcome = auth.admin().set_user_profile(finance).await;
    assert_eq!(reason(outcome), Reason::Forbidden);
}

#[tokio::test]
async fn a_paid_membership_makes_a_member_once() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let id = user_id(&session).to_owned();
    let posting = |r#type: &str| StaffPostingMade {
        transaction_id: Uuid::now_v7().to_string(),
        user_id: id.clone(),
        r#type: r#type.to_owned(),
        amount_minor: 9_900,
        time: None,
    };
    let (broker, event_type) = (auth.broker.broker(), "adfolio.wallet.v1.StaffPostingMade");
    publish_event(&broker, event_type, &id, &posting("chargeback")).await;
    let event = Uuid::now_v7();
    publish_event_with_id(&broker, event, event_type, &id, &posting("membership")).await;
    eventually("the user is a member", async || {
        profile(&auth, &id).await.vip
    })
    .await;
    let back = SetUserProfileRequest {
        user_id: id.clone(),
        vip: Some(false),
        ..SetUserProfileRequest::default()
    };
    set(&auth, back).await.unwrap();
    // The same event again, and behind it one whose effect shows that the first was passed.
    publish_event_with_id(&broker, event, event_type, &id, &posting("membership")).await;
    let other = auth.register("bob").await;
    let of_other = StaffPostingMade {
        user_id: user_id(&other).to_owned(),
        ..posting("membership")
    };
    publish_event(&broker, event_type, &id, &of_other).await;
    eventually("the next event took effect", async || {
        profile(&auth, user_id(&other)).await.vip
    })
    .await;
    assert!(!profile(&auth, &id).await.vip);
}

#[tokio::test]
async fn other_services_make_members() {
    let auth = Auth::spawn().await;
    let session = auth.register("ann").await;
    let mut directory = UserDirectoryServiceClient::new(auth.channel());
    for _ in 0..2 {
        let message = GrantMembershipRequest {
            user_id: user_id(&session).to_owned(),
        };
        directory
            .grant_membership(anonymous(message))
            .await
            .unwrap();
    }
    assert!(profile(&auth, user_id(&session)).await.vip);
    let unknown = GrantMembershipRequest {
        user_id: Uuid::now_v7().to_string(),
    };
    let outcome = directory.grant_membership(anonymous(unknown)).await;
    assert_eq!(reason(outcome), Reason::NotFound);
    let message = LookUpUsersRequest {
        user_ids: vec![user_id(&session).to_owned()],
        ..LookUpUsersRequest::default()
    };
    let found = directory.look_up_users(anonymous(message)).await.unwrap();
    let created_at = found.into_inner().users.remove(0).created_at;
    assert_eq!(created_at, session.user.as_ref().unwrap().created_at);
}
