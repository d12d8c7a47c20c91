//! What staff do with texts and notices.

use std::collections::BTreeMap;

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::once::Once;
use adfolio_kit::pagination::Cursor;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::notification::v1 as pb;
use adfolio_proto::notification::v1::create_notification_request::To;
use adfolio_proto::notification::v1::notification_admin_service_server::NotificationAdminService;
use serde_json::json;
use tonic::{Request, Response, Status};

use super::convert;
use crate::content::Contents;
use crate::feedback::FeedbackDesk;
use crate::feedback::entity::check_reply;
use crate::publish::Publishing;

/// The list of all feedback has one owner: staff.
const FEEDBACK_OWNER: &str = "staff";

/// The calls of staff.
#[derive(Debug)]
pub struct StaffCalls {
    contents: Contents,
    publishing: Publishing,
    feedback: FeedbackDesk,
}

impl StaffCalls {
    /// On these use cases.
    pub fn new(contents: Contents, publishing: Publishing, feedback: FeedbackDesk) -> Self {
        Self {
            contents,
            publishing,
            feedback,
        }
    }
}

#[tonic::async_trait]
impl NotificationAdminService for StaffCalls {
    async fn get_content(
        &self,
        request: Request<pb::GetContentRequest>,
    ) -> Result<Response<pb::GetContentResponse>, Status> {
        Caller::from_request(&request).require_staff(&StaffRole::ALL)?;
        let content = self
            .contents
            .get()
            .await
            .map_err(|error| error.into_status("get_content"))?;
        Ok(Response::new(pb::GetContentResponse {
            content: Some(convert::content::content(&content)),
        }))
    }

    async fn set_content(
        &self,
        request: Request<pb::SetContentRequest>,
    ) -> Result<Response<pb::SetContentResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let content = request.content.ok_or_else(|| Refusal::invalid("content"))?;
        let canonical = convert::content::canonical(&content, &request.parts);
        let once = Once::new(&caller, staff.id, "set_content", &canonical);
        let draft = convert::content::draft(content, &request.parts)?;
        let answer = self
            .contents
            .replace(caller, once, draft)
            .await
            .map_err(|error| error.into_status("set_content"))?;
        Ok(Response::new(answer))
    }

    async fn create_notification(
        &self,
        request: Request<pb::CreateNotificationRequest>,
    ) -> Result<Response<pb::CreateNotificationResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let once = Once::new(
            &caller,
            staff.id,
            "create_notification",
            &canonical(&request),
        );
        let publication = convert::notices::publication(request)?;
        let answer = self
            .publishing
            .publish(caller, once, publication)
            .await
            .map_err(|error| error.into_status("create_notification"))?;
        Ok(Response::new(answer))
    }

    async fn list_feedback(
        &self,
        request: Request<pb::ListFeedbackRequest>,
    ) -> Result<Response<pb::ListFeedbackResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Support])?;
        let pb::ListFeedbackRequest { state, page } = request.into_inner();
        let state = convert::feedback::state_from_wire(state)?;
        let (page, cursor) = wire::page(page)?;
        let cursors = Cursor::new(&convert::feedback::list_name(state), FEEDBACK_OWNER);
        let before = wire::cursor_id(&cursors, cursor.as_deref())?;
        let rows = self
            .feedback
            .list(state, before, page.fetch())
            .await
            .map_err(|error| error.into_status("list_feedback"))?;
        let (items, next) = page.cut(rows, |last| cursors.encode(&[&last.id.to_string()]));
        Ok(Response::new(pb::ListFeedbackResponse {
            items: items.into_iter().map(pb::Feedback::from).collect(),
            next_cursor: next.unwrap_or_default(),
        }))
    }

    async fn close_feedback(
        &self,
        request: Request<pb::CloseFeedbackRequest>,
    ) -> Result<Response<pb::CloseFeedbackResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let id = wire::id(&request.feedback_id, "id")?;
        let reply = check_reply(&request.reply)?;
        let once = Once::new(&caller, staff.id, "close_feedback", &request);
        let answer = self
            .feedback
            .close(caller, staff, once, id, reply)
            .await
            .map_err(|error| error.into_status("close_feedback"))?;
        Ok(Response::new(answer))
    }
}

/// The request in one order of its languages: a map has none, and the same request must have the same digest.
fn canonical(request: &pb::CreateNotificationRequest) -> String {
    let to = match &request.to {
        Some(To::All(all)) => json!(all),
        Some(To::Users(users)) => json!(users.user_ids),
        None => json!(null),
    };
    let title: BTreeMap<_, _> = request.title.iter().collect();
    let content: BTreeMap<_, _> = request.content.iter().collect();
    json!([request.category, to, title, content]).to_string()
}
