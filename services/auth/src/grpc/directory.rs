//! What other services ask about users.

use adfolio_kit::wire;
use adfolio_proto::auth::v1::user_directory_service_server::UserDirectoryService;
use adfolio_proto::auth::v1::{
    GrantMembershipRequest, GrantMembershipResponse, LookUpUsersRequest, LookUpUsersResponse,
    UserSummary,
};
use tonic::{Request, Response, Status};

use super::map;
use crate::context::Context;
use crate::user::{self, User};

/// Serves other services.
#[derive(Debug)]
pub struct DirectoryGrpc {
    context: Context,
}

impl DirectoryGrpc {
    /// On the given context.
    pub fn new(context: Context) -> Self {
        Self { context }
    }
}

#[tonic::async_trait]
impl UserDirectoryService for DirectoryGrpc {
    async fn look_up_users(
        &self,
        request: Request<LookUpUsersRequest>,
    ) -> Result<Response<LookUpUsersResponse>, Status> {
        let users = user::look_up(&self.context, &request.into_inner().user_ids).await?;
        Ok(Response::new(LookUpUsersResponse {
            users: users.into_iter().map(summary).collect(),
        }))
    }

    async fn grant_membership(
        &self,
        request: Request<GrantMembershipRequest>,
    ) -> Result<Response<GrantMembershipResponse>, Status> {
        let id = wire::id(&request.into_inner().user_id, "user_id")?;
        user::grant_membership(&self.context, id).await?;
        Ok(Response::new(GrantMembershipResponse {}))
    }
}

fn summary(user: User) -> UserSummary {
    UserSummary {
        user_id: user.id.to_string(),
        username: user.username,
        state: map::state(user.state).into(),
        lang: user.lang,
        created_at: Some(user.created_at.into()),
    }
}
