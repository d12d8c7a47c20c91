//! What staff and other services see of users.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use adfolio_proto::auth::v1::{
    GetUserDetailRequest, GetUserRequest, ListUsersRequest, LookUpUsersRequest,
    SetUserStateRequest, UserState,
};
use adfolio_proto::common::v1::PageRequest;

use crate::helpers::{Auth, anonymous, as_user, reason, refusal, support, user_id};

async fn names(auth: &Auth, query: &str, state: UserState) -> Vec<String> {
    let message = ListUsersRequest {
        query: query.to_owned(),
        state: state.into(),
        page: None,
    };
    let answer = auth
        .admin()
        .list_users(support(message))
        .await
        .unwrap()
        .into_inner();
    answer.items.into_iter().map(|user| user.username).collect()
}

#[tokio::test]
async fn users_are_found_by_name_address_id_and_state() {
    let auth = Auth::spawn().await;
    let ann = auth.register("Ann_Lee").await;
    auth.register("bob").await;
    auth.set_state(user_id(&ann), UserState::Disabled)
        .await
        .unwrap();
    let all = UserState::Unspecified;
    assert_eq!(names(&auth, "", all).await, ["bob", "Ann_Lee"]);
    assert_eq!(names(&auth, "NN_L", all).await, ["Ann_Lee"]);
    assert_eq!(names(&auth, "shop.example", all).await, ["bob", "Ann_Lee"]);
    assert_eq!(names(&auth, user_id(&ann), all).await, ["Ann_Lee"]);
    assert_eq!(names(&auth, "%", all).await, Vec::<String>::new());
    assert_eq!(names(&auth, "", UserState::Disabled).await, ["Ann_Lee"]);
    assert_eq!(names(&auth, "", UserState::Active).await, ["bob"]);
}

#[tokio::test]
async fn users_are_found_by_the_reference_of_their_payments() {
    let auth = Auth::spawn().await;
    let ann = auth.register("ann").await;
    auth.register("bob").await;
    let user = ann.user.clone().unwrap();
    let reference = user.payment_reference;
    let profile = auth
        .users()
        .get_user(as_user(&user.id, GetUserRequest {}))
        .await;
    let profile = profile.unwrap().into_inner().user.unwrap();
    assert_eq!(profile.payment_reference, reference, "it never changes");

    let all = UserState::Unspecified;
    assert_eq!(names(&auth, &reference, all).await, ["ann"]);
    let (head, tail) = reference.split_at(4);
    let spaced = format!(" {} {} ", head.to_lowercase(), tail.to_lowercase());
    assert_eq!(names(&auth, &spaced, all).await, ["ann"]);
    assert_eq!(names(&auth, &reference, UserState::Active).await, ["ann"]);
    let nobody = Vec::<String>::new();
    assert_eq!(names(&auth, &reference, UserState::Disabled).await, nobody);
    // Another check digit: a mistyped reference is nobody's.
    let other = if head == "RF50" { "RF51" } else { "RF50" };
    assert_eq!(names(&auth, &format!("{other}{tail}"), all).await, nobody);
}

#[tokio::test]
async fn a_cursor_belongs_to_its_list() {
    let auth = Auth::spawn().await;
    for number in 0..3 {
        auth.register(&format!("user-{number}")).await;
    }
    let list = |query: &str, cursor: &str| {
        let page = Some(PageRequest {
            cursor: cursor.to_owned(),
            limit: 2,
        });
        support(ListUsersRequest {
            query: query.to_owned(),
            state: 0,
            page,
        })
    };
    let first = auth
        .admin()
        .list_users(list("", ""))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(first.items.len(), 2);
    let second = auth
        .admin()
        .list_users(list("", &first.next_cursor))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(second.items.len(), 1);
    assert_eq!(second.next_cursor, "");
    let foreign = auth
        .admin()
        .list_users(list("user", &first.next_cursor))
        .await;
    assert_eq!(refusal(foreign).field.as_deref(), Some("cursor"));
}

#[tokio::test]
async fn other_services_learn_who_exists() {
    let auth = Auth::spawn().await;
    let ann = auth.register("ann").await;
    let unknown = uuid::Uuid::now_v7().to_string();
    let user_ids = vec![
        user_id(&ann).to_owned(),
        unknown,
        "junk".to_owned(),
        user_id(&ann).to_owned(),
    ];
    let mut directory = UserDirectoryServiceClient::new(auth.channel());
    let found = directory
        .look_up_users(anonymous(LookUpUsersRequest {
            user_ids,
            ..LookUpUsersRequest::default()
        }))
        .await
        .unwrap()
        .into_inner()
        .users;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].username, "ann");
    assert_eq!(found[0].state(), UserState::Active);
    let many = LookUpUsersRequest {
        user_ids: vec![String::new(); 501],
        ..LookUpUsersRequest::default()
    };
    assert_eq!(
        reason(directory.look_up_users(anonymous(many)).await),
        Reason::Validation
    );
}

#[tokio::test]
async fn other_services_learn_whose_payment_reference_it_is() {
    let auth = Auth::spawn().await;
    let ann = auth.register("ann").await;
    auth.register("ben").await;
    let id = user_id(&ann).parse().unwrap();
    let reference = adfolio_kit::payment_reference::payment_reference(id);
    let unknown = adfolio_kit::payment_reference::payment_reference(uuid::Uuid::now_v7().into());
    let asked = |references: Vec<String>| LookUpUsersRequest {
        payment_references: references,
        ..LookUpUsersRequest::default()
    };
    let mut directory = UserDirectoryServiceClient::new(auth.channel());
    let message = asked(vec![
        reference.clone(),
        unknown,
        "junk".to_owned(),
        reference.clone(),
    ]);
    let found = directory.look_up_users(anonymous(message)).await.unwrap();
    let found = found.into_inner().users;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].user_id, user_id(&ann));
    assert_eq!(found[0].payment_reference, reference);
    let many = asked(vec![reference; 501]);
    assert_eq!(
        reason(directory.look_up_users(anonymous(many)).await),
        Reason::Validation
    );
}

#[tokio::test]
async fn profiles_are_the_callers_own() {
    let auth = Auth::spawn().await;
    let ann = auth.register("ann").await;
    let profile = auth
        .users()
        .get_user(as_user(user_id(&ann), GetUserRequest {}))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(profile.user, ann.user);
    assert_eq!(
        reason(auth.users().get_user(anonymous(GetUserRequest {})).await),
        Reason::NotAuthenticated
    );
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let auth = Auth::spawn().await;
    for id in [uuid::Uuid::now_v7().to_string(), "junk".to_owned()] {
        let message = GetUserDetailRequest {
            user_id: id.clone(),
        };
        assert_eq!(
            reason(auth.admin().get_user_detail(support(message)).await),
            Reason::NotFound
        );
        assert_eq!(
            reason(auth.set_state(&id, UserState::Disabled).await),
            Reason::NotFound
        );
    }
    let ann = auth.register("ann").await;
    let message = SetUserStateRequest {
        user_id: user_id(&ann).to_owned(),
        state: 0,
        reason: String::new(),
    };
    assert_eq!(
        refusal(auth.admin().set_user_state(support(message)).await)
            .field
            .as_deref(),
        Some("state")
    );
}
