//! What other services ask about users and staff.

use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::wire;
use adfolio_proto::auth::v1 as proto;
use adfolio_proto::auth::v1::staff_directory_service_server::StaffDirectoryService;
use adfolio_proto::auth::v1::user_directory_service_server::UserDirectoryService;
use secrecy::ExposeSecret as _;
use tonic::{Request, Response, Status};

use super::InternalApi;
use crate::audit::seal;
use crate::ids::StaffId;
use crate::user::About;
use crate::{staff, user};

/// Entries of the audit log that an answer about its chain recomputes.
const SEALS_VERIFIED: i64 = 10_000;

#[tonic::async_trait]
impl UserDirectoryService for InternalApi {
    async fn look_up_users(
        &self,
        request: Request<proto::LookUpUsersRequest>,
    ) -> Result<Response<proto::LookUpUsersResponse>, Status> {
        let request = request.into_inner();
        let mut users = user::look_up(&self.0, &request.user_ids).await?;
        users.extend(user::look_up_payers(&self.0, &request.payment_references).await?);
        Ok(Response::new(proto::LookUpUsersResponse {
            users: users.into_iter().map(Into::into).collect(),
        }))
    }

    async fn count_active_users(
        &self,
        _: Request<proto::CountActiveUsersRequest>,
    ) -> Result<Response<proto::CountActiveUsersResponse>, Status> {
        let (users, more) = user::count_active(&self.0).await?;
        Ok(Response::new(proto::CountActiveUsersResponse {
            users,
            more,
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
        let code = wire::optional_id(&request.email_code_id, "email_code_id")?;
        let about = match (former, code) {
            (None, None) => About::User,
            (Some(former), None) => About::FormerEmail(former),
            // Never both: a code is for the present address.
            (_, Some(code)) => About::EmailCode(code),
        };
        let recipient = user::recipient(&self.0, user, about).await?;
        Ok(Response::new(proto::GetMailRecipientResponse {
            email: recipient.email,
            lang: recipient.lang,
            email_code: recipient
                .email_code
                .map(|code| code.expose_secret().to_owned())
                .unwrap_or_default(),
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

    async fn get_audit_seal(
        &self,
        request: Request<proto::GetAuditSealRequest>,
    ) -> Result<Response<proto::GetAuditSealResponse>, Status> {
        let sequence = request.into_inner().sequence;
        let newest = seal::newest(&self.0).await?;
        let newest = newest.ok_or_else(|| Refusal::new(Reason::NotFound).field("sequence"))?;
        if sequence <= 0 {
            return Ok(Response::new(proto::GetAuditSealResponse {
                sequence: newest.seq,
                hash: newest.hash.to_vec(),
                ..proto::GetAuditSealResponse::default()
            }));
        }
        let after = sequence.saturating_sub(SEALS_VERIFIED);
        let found = seal::verify(&self.0, after, sequence).await?;
        let (broken_sequence, detail) = found.broken.unwrap_or_default();
        Ok(Response::new(proto::GetAuditSealResponse {
            sequence: found.head.map_or(0, |head| head.seq),
            hash: found.head.map_or_else(Vec::new, |head| head.hash.to_vec()),
            broken_sequence,
            detail: detail.to_owned(),
        }))
    }
}

/// An id that other services have from auth, so a malformed one is their fault.
fn staff_id(text: &str, field: &str) -> Result<StaffId, Refusal> {
    let id = text.parse();
    id.map_err(|_| Refusal::invalid(field))
}
