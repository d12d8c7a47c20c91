//! What other services ask about users and staff.

use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::auth::v1 as proto;
use adfolio_proto::auth::v1::staff_directory_service_server::StaffDirectoryService;
use adfolio_proto::auth::v1::user_directory_service_server::UserDirectoryService;
use tonic::{Request, Response, Status};

use super::InternalApi;
use crate::ids::StaffId;
use crate::{staff, user};

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

    async fn get_mail_recipient(
        &self,
        request: Request<proto::GetMailRecipientRequest>,
    ) -> Result<Response<proto::GetMailRecipientResponse>, Status> {
        let request = request.into_inner();
        let user = wire::id(&request.user_id, "user_id")?;
        let former = wire::optional_id(&request.former_email_id, "former_email_id")?;
        let recipient = user::recipient(&self.0, user, former).await?;
        Ok(Response::new(proto::GetMailRecipientResponse {
            email: recipient.email,
            lang: recipient.lang,
        }))
    }
}

#[tonic::async_trait]
impl StaffDirectoryService for InternalApi {
    async fn check_second_pair(
        &self,
        request: Request<proto::CheckSecondPairRequest>,
    ) -> Result<Response<proto::CheckSecondPairResponse>, Status> {
        let request = request.into_inner();
        let asked_by = staff_id(&request.asked_by_id, "asked_by_id")?;
        let decided_by = staff_id(&request.decided_by_id, "decided_by_id")?;
        let answer = staff::second_pair(&self.0, asked_by, decided_by).await?;
        Ok(Response::new(proto::CheckSecondPairResponse {
            answer: answer.to_wire(),
        }))
    }
}

/// An id that other services have from auth, so a malformed one is their fault.
fn staff_id(text: &str, field: &str) -> Result<StaffId, Refusal> {
    let id = text.parse();
    id.map_err(|_| Refusal::invalid(field))
}
