//! What staff do with texts and notices.

use std::collections::BTreeMap;

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::{self, List};
use adfolio_proto::notification::v1 as proto;
use adfolio_proto::notification::v1::create_notification_request::To;
use adfolio_proto::notification::v1::notification_admin_service_server::NotificationAdminService;
use serde_json::json;
use tonic::{Request, Response, Status};

use super::{StaffApi, map};
use crate::feedback::entity::check_reply;
use crate::{content, feedback, mail, publish, waiting};

/// The lists of all feedback and of all mail have one owner: staff.
const STAFF_OWNER: &str = "staff";

#[tonic::async_trait]
impl NotificationAdminService for StaffApi {
    async fn get_content(
        &self,
        request: Request<proto::GetContentRequest>,
    ) -> Result<Response<proto::GetContentResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let content = content::get(&self.0).await?;
        Ok(Response::new(proto::GetContentResponse {
            content: Some((&content).into()),
        }))
    }

    async fn set_content(
        &self,
        request: Request<proto::SetContentRequest>,
    ) -> Result<Response<proto::SetContentResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let sent = request.content.ok_or_else(|| Refusal::invalid("content"))?;
        let canonical = map::content::canonical(&sent, &request.parts);
        let once = Once::new::<proto::SetContentResponse>(&caller, staff.id, &canonical);
        let draft = map::content::draft(sent, &request.parts)?;
        let answer = content::replace(&self.0, once, &caller, draft).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn create_notification(
        &self,
        request: Request<proto::CreateNotificationRequest>,
    ) -> Result<Response<proto::CreateNotificationResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let once =
            Once::new::<proto::CreateNotificationResponse>(&caller, staff.id, &canonical(&request));
        let answer = publish::publish(&self.0, once, &caller, request.try_into()?).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn list_feedback(
        &self,
        request: Request<proto::ListFeedbackRequest>,
    ) -> Result<Response<proto::ListFeedbackResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Support])?;
        let proto::ListFeedbackRequest { state, page } = request.into_inner();
        let state = feedback::State::optional(state, "state")?;
        let list = List::new(page, &map::feedback::list_name(state), &STAFF_OWNER)?;
        let rows = feedback::list(&self.0, state, list.before()?, list.fetch()).await?;
        let (items, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListFeedbackResponse {
            items: items.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn close_feedback(
        &self,
        request: Request<proto::CloseFeedbackRequest>,
    ) -> Result<Response<proto::CloseFeedbackResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let id = wire::id(&request.feedback_id, "id")?;
        let reply = check_reply(&request.reply)?;
        let once = Once::new::<proto::CloseFeedbackResponse>(&caller, staff.id, &request);
        let answer = feedback::close(&self.0, once, &caller, staff, id, reply).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn list_mails(
        &self,
        request: Request<proto::ListMailsRequest>,
    ) -> Result<Response<proto::ListMailsResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Support])?;
        let proto::ListMailsRequest {
            user_id,
            state,
            page,
        } = request.into_inner();
        let query = mail::Query {
            user: wire::optional_id(&user_id, "user_id")?,
            state: mail::State::optional(state, "state")?,
        };
        let list = List::new(page, &map::mails::list_name(query), &STAFF_OWNER)?;
        let rows = mail::list(&self.0, query, list.before()?, list.fetch()).await?;
        let (items, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListMailsResponse {
            items: items.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn retry_mail(
        &self,
        request: Request<proto::RetryMailRequest>,
    ) -> Result<Response<proto::RetryMailResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let id = wire::id(&request.mail_id, "id")?;
        let once = Once::new::<proto::RetryMailResponse>(&caller, staff.id, &request);
        let answer = mail::retry(&self.0, once, &caller, id).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn get_waiting(
        &self,
        request: Request<proto::GetWaitingRequest>,
    ) -> Result<Response<proto::GetWaitingResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let waiting = waiting::of_staff(&self.0).await?;
        Ok(Response::new(proto::GetWaitingResponse {
            items: waiting.into_iter().map(Into::into).collect(),
        }))
    }
}

/// The request in one order of its languages: a map has none, and equal requests must have equal digests.
fn canonical(request: &proto::CreateNotificationRequest) -> String {
    let to = match &request.to {
        Some(To::All(all)) => json!(all),
        Some(To::Users(users)) => json!(users.user_ids),
        None => json!(null),
    };
    let title: BTreeMap<_, _> = request.title.iter().collect();
    let content: BTreeMap<_, _> = request.content.iter().collect();
    json!([request.category, to, title, content]).to_string()
}
