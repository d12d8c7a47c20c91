//! Identity tokens: what auth signs with a verified session, and that it believes nothing else.

use adfolio_kit::client::{Channel, outgoing};
use adfolio_kit::identity::{Caller, Session, StaffRole, UserId};
use adfolio_proto::auth::v1::auth_admin_service_client::AuthAdminServiceClient;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_proto::auth::v1::{GetUserRequest, ListStaffRequest};
use adfolio_testkit::IdentityKeys;
use adfolio_testkit::callers::CALL_LIMIT;
use chrono::DateTime;
use tonic::{Code, Status};

use crate::helpers::{Auth, user_id};
use crate::office::{Office, verify};

async fn get_user(channel: Channel, caller: &Caller) -> Result<String, Status> {
    let request = outgoing(caller, GetUserRequest {}, CALL_LIMIT);
    let answer = AuthServiceClient::new(channel).get_user(request).await?;
    Ok(answer.into_inner().user.expect("a user").id)
}

async fn list_staff(channel: Channel, caller: &Caller) -> Result<usize, Status> {
    let request = outgoing(caller, ListStaffRequest::default(), CALL_LIMIT);
    let answer = AuthAdminServiceClient::new(channel)
        .list_staff(request)
        .await?;
    Ok(answer.into_inner().items.len())
}

#[track_caller]
fn refused<T: std::fmt::Debug>(answer: Result<T, Status>) {
    assert_eq!(answer.unwrap_err().code(), Code::Unauthenticated);
}

#[tokio::test]
async fn a_verified_session_comes_with_an_identity_token() {
    let keys = IdentityKeys::new(1);
    let signing = keys.private_file();
    let auth = Auth::builder()
        .configure(move |config| config.identity_key_file = Some(signing))
        .spawn()
        .await;
    let believing = auth
        .replica_with(|config| config.args.identity = keys.args())
        .await;

    let (ann, bob) = (auth.register("ann").await, auth.register("bob").await);
    let verified = auth.verify(&ann.token).await.unwrap();
    let time = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
    let session = Session {
        opened_at: time(verified.opened_at.unwrap().seconds),
        fresh_until: time(verified.fresh_until.unwrap().seconds),
        is_registration: verified.is_registration,
    };
    let as_user = |id: &str| {
        let caller = Caller::user(UserId(id.parse().unwrap())).in_session(session);
        Caller {
            identity_token: Some(verified.identity_token.clone().into()),
            ..caller
        }
    };
    let caller = as_user(user_id(&ann));
    let found = get_user(believing.channel(), &caller).await;
    assert_eq!(found.unwrap(), user_id(&ann));
    refused(get_user(believing.channel(), &as_user(user_id(&bob))).await);
    let plain = Caller {
        identity_token: None,
        ..caller
    };
    refused(get_user(believing.channel(), &plain).await);

    let office = Office::of(auth).await;
    let token = office.log_in("finn").await;
    let verified = verify(&office.auth, &token).await.unwrap();
    let as_staff = |role| Caller {
        identity_token: Some(verified.identity_token.clone().into()),
        ..Caller::staff(office.finn.id.parse().unwrap(), role)
    };
    refused(list_staff(believing.channel(), &as_staff(StaffRole::Admin)).await);
    let own = list_staff(believing.channel(), &as_staff(StaffRole::Finance)).await;
    // What finance may not do is a refusal of the business.
    assert_ne!(
        own.map_or_else(|status| status.code(), |_| Code::Ok),
        Code::Unauthenticated
    );
}

#[tokio::test]
async fn without_a_key_nothing_is_signed() {
    let office = Office::open().await;
    let ann = office.auth.register("ann").await;
    let verified = office.auth.verify(&ann.token).await.unwrap();
    assert_eq!(verified.identity_token, "");
    let token = office.log_in("finn").await;
    let verified = verify(&office.auth, &token).await.unwrap();
    assert_eq!(verified.identity_token, "");
}
