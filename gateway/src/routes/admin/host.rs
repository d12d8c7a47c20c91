//! Hosts that vouch for their users, and their keys.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1 as auth;

use crate::call::{Call, send};
use crate::dto::Decode;
use crate::dto::staff::{
    AddHostKeyRequest, CreateHostRequest, Host, HostList, RevokeHostKeyRequest,
};
use crate::errors::Failure;
use crate::input::{Json, Nothing};
use crate::messages::Success;
use crate::route::{ADMIN, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/host/create",
            "createHost",
            "Registers a host with its first key.",
            create,
        )
        .staff(ADMIN)
        .says(Success::Submission),
        Route::post(
            "/admin/host/key/add",
            "addHostKey",
            "Adds a key to a host.",
            add_key,
        )
        .staff(ADMIN)
        .fails(&[Reason::NotFound])
        .says(Success::Update),
        Route::post(
            "/admin/host/key/revoke",
            "revokeHostKey",
            "Revokes a key of a host; sessions that were opened with it end.",
            revoke_key,
        )
        .staff(ADMIN)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update),
        Route::get(
            "/admin/host/list",
            "listHosts",
            "Hosts with their keys, oldest first.",
            list,
        )
        .staff(ADMIN),
    ]
}

async fn create(call: Call, Json(request): Json<CreateHostRequest>) -> Result<Host, Failure> {
    let message = auth::CreateHostRequest {
        name: request.name,
        public_key: request.public_key,
    };
    let response = send!(call.writing(), auth_admin.create_host, message).await?;
    Host::decode(response.host, "host")
}

async fn add_key(call: Call, Json(request): Json<AddHostKeyRequest>) -> Result<Host, Failure> {
    let message = auth::AddHostKeyRequest {
        host_id: request.host_id,
        public_key: request.public_key,
    };
    let response = send!(call.writing(), auth_admin.add_host_key, message).await?;
    Host::decode(response.host, "host")
}

async fn revoke_key(
    call: Call,
    Json(request): Json<RevokeHostKeyRequest>,
) -> Result<Host, Failure> {
    let message = auth::RevokeHostKeyRequest {
        kid: request.kid,
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), auth_admin.revoke_host_key, message).await?;
    // Whose sessions end is not known here.
    call.gateway.sessions().doubt_all();
    Host::decode(response.host, "host")
}

async fn list(call: Call, _: Nothing) -> Result<HostList, Failure> {
    let response = send!(
        call.reading(),
        auth_admin.list_hosts,
        auth::ListHostsRequest {}
    )
    .await?;
    HostList::from_proto(response)
}
