//! What users do with their inbox.

use adfolio_kit::identity::Caller;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::wire::{self, List};
use adfolio_proto::notification::v1 as proto;
use adfolio_proto::notification::v1::mark_read_request::Target;
use adfolio_proto::notification::v1::notification_service_server::NotificationService;
use tonic::{Request, Response, Status};

use super::{UserApi, map};
use crate::content::Legal;
use crate::lang::Lang;
use crate::localized;
use crate::notice::Category;
use crate::{content, feedback, mail, notice, push};

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
        let (rows, unread) =
            notice::list(&self.0, &caller, user, filter, before, list.fetch()).await?;
        let (notices, next_cursor) = list.cut_by(rows, map::notices::position_keys);
        Ok(Response::new(proto::ListNotificationsResponse {
            items: notices
                .iter()
                .map(|notice| map::notices::notification(notice, &self.0.catalogues, lang))
                .collect(),
            next_cursor,
            unread_total: unread.total,
            sequence: unread.sequence,
        }))
    }

    async fn mark_read(
        &self,
        request: Request<proto::MarkReadRequest>,
    ) -> Result<Response<proto::MarkReadResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let proto::MarkReadRequest { target, category } = request.into_inner();
        let left = match target {
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
        Ok(Response::new(proto::MarkReadResponse {
            unread_total: left.total,
            sequence: left.sequence,
        }))
    }

    async fn count_unread(
        &self,
        request: Request<proto::CountUnreadRequest>,
    ) -> Result<Response<proto::CountUnreadResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let unread = notice::unread(&self.0, &caller, user).await?;
        Ok(Response::new(proto::CountUnreadResponse {
            unread_total: unread.total,
            sequence: unread.sequence,
        }))
    }

    /// The login screen asks, too: no identity is needed.
    async fn list_service_entries(
        &self,
        request: Request<proto::ListServiceEntriesRequest>,
    ) -> Result<Response<proto::ListServiceEntriesResponse>, Status> {
        let lang = Lang::of_caller(&Caller::from_request(&request).lang);
        let content = content::get(&self.0).await?.content;
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
        let content = content::get(&self.0).await?.content;
        Ok(Response::new(map::content::public(&content, lang)))
    }

    /// The login screen asks, too: no identity is needed.
    async fn get_legal_text(
        &self,
        request: Request<proto::GetLegalTextRequest>,
    ) -> Result<Response<proto::GetLegalTextResponse>, Status> {
        let lang = Lang::of_caller(&Caller::from_request(&request).lang);
        let legal = Legal::required(request.into_inner().name, "name")?;
        let content = content::get(&self.0).await?.content;
        let texts = content.legal.get(&legal);
        let texts = texts.ok_or_else(|| Refusal::new(Reason::NotFound))?;
        let text = localized::in_lang(texts, lang).to_owned();
        Ok(Response::new(proto::GetLegalTextResponse { text }))
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

    /// The login screen may ask, too: no identity is needed.
    async fn get_push_key(
        &self,
        _: Request<proto::GetPushKeyRequest>,
    ) -> Result<Response<proto::GetPushKeyResponse>, Status> {
        let pusher = self.0.pusher.as_ref();
        let public_key = pusher.map_or_else(Vec::new, |pusher| pusher.public_key().to_vec());
        Ok(Response::new(proto::GetPushKeyResponse { public_key }))
    }

    async fn subscribe_push(
        &self,
        request: Request<proto::SubscribePushRequest>,
    ) -> Result<Response<proto::SubscribePushResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let wanted = push::Wanted {
            user,
            session: wire::id(&request.session_id, "session_id")?,
            endpoint: &request.endpoint,
            p256dh: &request.p256dh,
            auth: &request.auth,
            lang: Lang::of_caller(&caller.lang),
        };
        push::subscribe(&self.0, wanted).await?;
        Ok(Response::new(proto::SubscribePushResponse {}))
    }

    async fn unsubscribe_push(
        &self,
        request: Request<proto::UnsubscribePushRequest>,
    ) -> Result<Response<proto::UnsubscribePushResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        push::unsubscribe(&self.0, user, request.into_inner().endpoint).await?;
        Ok(Response::new(proto::UnsubscribePushResponse {}))
    }
}
