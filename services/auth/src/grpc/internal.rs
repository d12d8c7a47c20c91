//! What other services ask about users.

use adfolio_kit::wire;
use adfolio_proto::auth::v1 as proto;
use adfolio_proto::auth::v1::user_directory_service_server::UserDirectoryService;
use tonic::{Request, Response, Status};

use super::InternalApi;
use crate::user;

#[tonic::async_trait]
impl UserDirectoryService for InternalApi {
    async fn look_up_users(
        &self,
        request: Request<proto::LookUpUsersRequest>,
    ) -> Result<Response<proto::LookUpUsersResponse>, Status> {
        let users = user::look_up(&self.0, &request.into_inner().user_ids).await?;
        Ok(Response::new(proto::LookUpUsersResponse {
            users: users.into_iter().map(Into::into).collect(),
        }))
    }

    async fn grant_membership(
        &self,
        request: Request<proto::GrantMembershipRequest>,
    ) -> Result<Response<proto::GrantMembershipResponse>, Status> {
        let id = wire::id(&request.into_inner().user_id, "user_id")?;
        user::grant_membership(&self.0, id).await?;
        Ok(Response::new(proto::GrantMembershipResponse {}))
    }
}
