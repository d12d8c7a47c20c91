//! What support does with an account besides its state: its log, ending its sessions; and how many accounts there are.

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use adfolio_proto::auth::v1::{
    AdminListSecurityLogRequest, AdminListSecurityLogResponse, CountActiveUsersRequest,
    EndUserSessionsRequest, UserState,
};
use adfolio_proto::events::v1::{SessionsRevoked, StaffActed};
use adfolio_testkit::eventually;
use tonic::Status;
use uuid::Uuid;

use crate::helpers::{Auth, PASSWORD, as_staff, reason, refusal, user_id};

const REVOKED: &str = "adfolio.auth.v1.SessionsRevoked";
const ACTED: &str = "adfolio.auth.v1.StaffActed";

async fn end(auth: &Auth, role: StaffRole, user: &str, reason: &str) -> Result<i64, Status> {
    let message = EndUserSessionsRequest {
        user_id: user.to_owned(),
        reason: reason.to_owned(),
    };
    let answer = auth
        .admin()
        .end_user_sessions(as_staff(role, message))
        .await;
    Ok(answer?.into_inner().ended)
}

async fn log(
    auth: &Auth,
    role: StaffRole,
    user: &str,
) -> Result<AdminListSecurityLogResponse, Status> {
    let message = AdminListSecurityLogRequest {
        user_id: user.to_owned(),
        page: None,
    };
    let answer = auth
        .admin()
        .admin_list_security_log(as_staff(role, message))
        .await;
    Ok(answer?.into_inner())
}

#[tokio::test]
async fn support_ends_every_session_of_a_user_for_a_reason() {
    let auth = Auth::spawn().await;
    let probe = auth.broker.probe(&[REVOKED, ACTED]).await;
    let (ann, bob) = (auth.register("ann").await, auth.register("bob").await);
    let again = auth.login("ann", PASSWORD).await.unwrap();
    let ended = end(&auth, StaffRole::Support, user_id(&ann), " stolen phone ").await;
    assert_eq!(ended.unwrap(), 2);
    for token in [&ann.token, &again.token] {
        assert_eq!(reason(auth.verify(token).await), Reason::SessionExpired);
    }
    auth.verify(&bob.token).await.unwrap();
    // Repeating it ends nothing, and the user may log in again.
    let ended = end(&auth, StaffRole::Admin, user_id(&ann), "once more").await;
    assert_eq!(ended.unwrap(), 0);
    let fresh = auth.login("ann", PASSWORD).await.unwrap();
    auth.verify(&fresh.token).await.unwrap();

    let revoked = probe.wait_for(REVOKED, 2).await;
    let first: SessionsRevoked = revoked[0].data().unwrap();
    assert_eq!(
        (first.user_id.as_str(), first.session_ids.len(), first.all),
        (user_id(&ann), 2, true)
    );
    let acts: Vec<StaffActed> = probe
        .wait_for(ACTED, 2)
        .await
        .iter()
        .map(|event| event.data().unwrap())
        .filter(|act: &StaffActed| act.action == "auth.end_user_sessions")
        .collect();
    assert_eq!(acts[0].reason, "stolen phone");
    assert_eq!(acts[0].user_id, user_id(&ann));
    let shown = eventually("it is in the user's log", || async {
        let entries = log(&auth, StaffRole::Support, user_id(&ann)).await.unwrap();
        (entries.items.len() == 2).then_some(entries.items)
    })
    .await;
    assert_eq!(shown[1].action, "auth.end_user_sessions");
    assert_eq!(shown[1].reason, "stolen phone");
}

#[tokio::test]
async fn other_roles_and_unknown_users_are_refused() {
    let auth = Auth::spawn().await;
    let ann = auth.register("ann").await;
    for role in [StaffRole::Finance, StaffRole::Operator] {
        let ended = end(&auth, role, user_id(&ann), "why not").await;
        assert_eq!(reason(ended), Reason::Forbidden);
        assert_eq!(
            reason(log(&auth, role, user_id(&ann)).await),
            Reason::Forbidden
        );
    }
    let blank = refusal(end(&auth, StaffRole::Support, user_id(&ann), " ").await);
    assert_eq!(
        (blank.reason, blank.field.as_deref()),
        (Reason::Validation, Some("reason"))
    );
    let nobody = Uuid::now_v7().to_string();
    for refused in [
        refusal(end(&auth, StaffRole::Support, &nobody, "who").await),
        refusal(log(&auth, StaffRole::Support, &nobody).await),
    ] {
        assert_eq!(
            (refused.reason, refused.field.as_deref()),
            (Reason::NotFound, Some("user_id"))
        );
    }
    auth.verify(&ann.token).await.unwrap();
}

#[tokio::test]
async fn only_active_users_are_counted() {
    let auth = Auth::spawn().await;
    let count = async || {
        let mut directory = UserDirectoryServiceClient::new(auth.channel());
        let limit = std::time::Duration::from_secs(3);
        let request = outgoing(&Caller::system(), CountActiveUsersRequest {}, limit);
        let answer = directory.count_active_users(request).await.unwrap();
        let answer = answer.into_inner();
        (answer.users, answer.more)
    };
    assert_eq!(count().await, (0, false));
    let ann = auth.register("ann").await;
    auth.register("bob").await;
    assert_eq!(count().await, (2, false));
    auth.set_state(user_id(&ann), UserState::Disabled)
        .await
        .unwrap();
    assert_eq!(count().await, (1, false));
}
