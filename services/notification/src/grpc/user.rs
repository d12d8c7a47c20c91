//! What users do with their inbox.

use adfolio_kit::identity::Caller;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::{self, List};
use adfolio_proto::notification::v1 as proto;
use adfolio_proto::notification::v1::mark_read_request::Target;
use adfolio_proto::notification::v1::notification_service_server::NotificationService;
use tonic::{Request, Response, Status};

use super::{UserApi, map};
use crate::lang::Lang;
use crate::notice::Category;
use crate::{content, feedback, mail, notice};

#[tonic::async_trait]
impl NotificationService for UserApi {
    async fn list_notifications(
        &self,
        request: Request<proto::ListNotificationsRequest>,
    ) -> Result<Response<proto::ListNotificationsResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let lang = Lang::of_caller(&caller.lang);
        let request = request.into_inner();
        let filter = map::notices::filter(request.category, request.filter)?;
        let list = List::new(request.page, &map::notices::list_name(filter), &user)?;
        let before = map::notices::position(&list)?;
        let (rows, unread_total) =
            notice::list(&self.0, &caller, user, filter, before, list.fetch()).await?;
        let (notices, next_cursor) = list.cut_by(rows, map::notices::position_keys);
        Ok(Response::new(proto::ListNotificationsResponse {
            items: notices
                .iter()
                .map(|notice| map::notices::notification(notice, &self.0.catalogues, lang))
                .collect(),
            next_cursor,
            unread_total,
        }))
    }

    async fn mark_read(
        &self,
        request: Request<proto::MarkReadRequest>,
    ) -> Result<Response<proto::MarkReadResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let proto::MarkReadRequest { target, category } = request.into_inner();
        let unread_total = match target {
            Some(Target::NotificationId(id)) => {
                let id = wire::id(&id, "id")?;
                notice::mark_one(&self.0, &caller, user, id).await?
            }
            Some(Target::All(true)) => {
                let category = Category::optional(category, "category")?;
                notice::mark_all(&self.0, &caller, user, category).await?
            }
            Some(Target::All(false)) => return Err(Refusal::invalid("all").into()),
            None => return Err(Refusal::invalid("id").into()),
        };
        Ok(Response::new(proto::MarkReadResponse { unread_total }))
    }

    async fn count_unread(
        &self,
        request: Request<proto::CountUnreadRequest>,
    ) -> Result<Response<proto::CountUnreadResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let unread_total = notice::unread(&self.0, &caller, user).await?;
        Ok(Response::new(proto::CountUnreadResponse { unread_total }))
    }

    /// The login screen asks, too: no identity is needed.
    async fn list_service_entries(
        &self,
        request: Request<proto::ListServiceEntriesRequest>,
    ) -> Result<Response<proto::ListServiceEntriesResponse>, Status> {
        let lang = Lang::of_caller(&Caller::from_request(&request).lang);
        let content = content::get(&self.0).await?;
        let entries = |entries| map::content::entries(entries, lang);
        Ok(Response::new(proto::ListServiceEntriesResponse {
            customer_service: entries(&content.customer_service),
            recharge_customer_service: entries(&content.recharge_customer_service),
        }))
    }

    /// The login screen asks, too: no identity is needed.
    async fn get_public_content(
        &self,
        request: Request<proto::GetPublicContentRequest>,
    ) -> Result<Response<proto::GetPublicContentResponse>, Status> {
        let lang = Lang::of_caller(&Caller::from_request(&request).lang);
        let content = content::get(&self.0).await?;
        Ok(Response::new(map::content::public(&content, lang)))
    }

    async fn submit_feedback(
        &self,
        request: Request<proto::SubmitFeedbackRequest>,
    ) -> Result<Response<proto::SubmitFeedbackResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let once = Once::new::<proto::SubmitFeedbackResponse>(&caller, user.0, &request);
        let (topic, content) = (&request.topic, &request.content);
        let draft = feedback::Draft::check(topic, content, request.image_file_ids)?;
        let answer = feedback::submit(&self.0, once, user, draft).await?;
        Ok(Response::new(answer.into_message()?))
    }

    /// The link alone says whose mail it was: no identity is needed.
    async fn disown_mail(
        &self,
        request: Request<proto::DisownMailRequest>,
    ) -> Result<Response<proto::DisownMailResponse>, Status> {
        mail::disown(&self.0, &request.into_inner().token).await?;
        Ok(Response::new(proto::DisownMailResponse {}))
    }
}
