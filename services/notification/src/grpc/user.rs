//! What users do with their inbox.

use std::sync::Arc;

use adfolio_kit::identity::Caller;
use adfolio_kit::once::Once;
use adfolio_kit::pagination::Cursor;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::notification::v1 as pb;
use adfolio_proto::notification::v1::mark_read_request::Target;
use adfolio_proto::notification::v1::notification_service_server::NotificationService;
use tonic::{Request, Response, Status};

use super::convert;
use crate::content::{Content, Contents};
use crate::feedback::{Draft, FeedbackDesk};
use crate::lang::Lang;
use crate::notice::Notices;
use crate::text::Catalogues;

/// The calls of users.
#[derive(Debug)]
pub struct UserCalls {
    notices: Notices,
    contents: Contents,
    feedback: FeedbackDesk,
    catalogues: Arc<Catalogues>,
}

impl UserCalls {
    /// On these use cases.
    pub fn new(
        notices: Notices,
        contents: Contents,
        feedback: FeedbackDesk,
        catalogues: Arc<Catalogues>,
    ) -> Self {
        Self {
            notices,
            contents,
            feedback,
            catalogues,
        }
    }

    /// Everything that staff edit. The login screen asks, too: no identity is needed.
    async fn content(&self, operation: &'static str) -> Result<Content, Status> {
        let content = self.contents.get().await;
        content.map_err(|error| error.into_status(operation))
    }
}

#[tonic::async_trait]
impl NotificationService for UserCalls {
    async fn list_notifications(
        &self,
        request: Request<pb::ListNotificationsRequest>,
    ) -> Result<Response<pb::ListNotificationsResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let lang = Lang::of_caller(&caller.lang);
        let pb::ListNotificationsRequest {
            category,
            filter,
            page,
        } = request.into_inner();
        let filter = convert::notices::filter_from_wire(category, filter)?;
        let (page, cursor) = wire::page(page)?;
        let cursors = Cursor::new(&convert::notices::list_name(filter), &user.to_string());
        let before = convert::notices::position_from_cursor(&cursors, cursor.as_deref())?;
        let (rows, unread_total) = self
            .notices
            .list(&caller, user, filter, before, page.fetch())
            .await
            .map_err(|error| error.into_status("list_notifications"))?;
        let (notices, next) = page.cut(rows, |last| {
            convert::notices::position_to_cursor(&cursors, last)
        });
        Ok(Response::new(pb::ListNotificationsResponse {
            items: notices
                .iter()
                .map(|notice| convert::notices::notification(notice, &self.catalogues, lang))
                .collect(),
            next_cursor: next.unwrap_or_default(),
            unread_total,
        }))
    }

    async fn mark_read(
        &self,
        request: Request<pb::MarkReadRequest>,
    ) -> Result<Response<pb::MarkReadResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let pb::MarkReadRequest { target, category } = request.into_inner();
        let left = match target {
            Some(Target::NotificationId(id)) => {
                let id = wire::id(&id, "id")?;
                self.notices.mark_one(&caller, user, id).await
            }
            Some(Target::All(true)) => {
                let category = convert::notices::category_from_wire(category)?;
                self.notices.mark_all(&caller, user, category).await
            }
            Some(Target::All(false)) => return Err(Refusal::invalid("all").into()),
            None => return Err(Refusal::invalid("id").into()),
        };
        let unread_total = left.map_err(|error| error.into_status("mark_read"))?;
        Ok(Response::new(pb::MarkReadResponse { unread_total }))
    }

    async fn count_unread(
        &self,
        request: Request<pb::CountUnreadRequest>,
    ) -> Result<Response<pb::CountUnreadResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let unread_total = self
            .notices
            .unread(&caller, user)
            .await
            .map_err(|error| error.into_status("count_unread"))?;
        Ok(Response::new(pb::CountUnreadResponse { unread_total }))
    }

    async fn list_service_entries(
        &self,
        request: Request<pb::ListServiceEntriesRequest>,
    ) -> Result<Response<pb::ListServiceEntriesResponse>, Status> {
        let lang = Lang::of_caller(&Caller::from_request(&request).lang);
        let content = self.content("list_service_entries").await?;
        Ok(Response::new(pb::ListServiceEntriesResponse {
            customer_service: convert::content::entries(&content.customer_service, lang),
            recharge_customer_service: convert::content::entries(
                &content.recharge_customer_service,
                lang,
            ),
        }))
    }

    async fn get_public_content(
        &self,
        request: Request<pb::GetPublicContentRequest>,
    ) -> Result<Response<pb::GetPublicContentResponse>, Status> {
        let lang = Lang::of_caller(&Caller::from_request(&request).lang);
        let content = self.content("get_public_content").await?;
        Ok(Response::new(convert::content::public(&content, lang)))
    }

    async fn submit_feedback(
        &self,
        request: Request<pb::SubmitFeedbackRequest>,
    ) -> Result<Response<pb::SubmitFeedbackResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let once = Once::new(&caller, user.0, "submit_feedback", &request);
        let draft = Draft::check(&request.topic, &request.content, request.image_file_ids)?;
        let answer = self
            .feedback
            .submit(user, once, draft)
            .await
            .map_err(|error| error.into_status("submit_feedback"))?;
        Ok(Response::new(answer))
    }
}
