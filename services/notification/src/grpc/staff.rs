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
use serde_json::{Value, json};
use tonic::{Request, Response, Status};

use super::{StaffApi, map};
use crate::feedback::entity::check_reply;
use crate::lang::Lang;
use crate::{content, feedback, mail, notice, publish, waiting};

/// Characters of a reason at most.
const LONGEST_REASON: usize = 500;

/// The lists of all feedback and of all mail have one owner: staff.
const STAFF_OWNER: &str = "staff";

#[tonic::async_trait]
impl NotificationAdminService for StaffApi {
    async fn get_content(
        &self,
        request: Request<proto::GetContentRequest>,
    ) -> Result<Response<proto::GetContentResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let edition = content::get(&self.0).await?;
        Ok(Response::new(proto::GetContentResponse {
            content: Some((&edition.content).into()),
            version: edition.version,
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
        let canonical = map::content::canonical(&sent, &request.parts, request.version);
        let once = Once::new::<proto::SetContentResponse>(&caller, staff.id, &canonical);
        let parts = map::content::named(&request.parts)?;
        let replacement = content::Replacement {
            draft: map::content::draft(sent, &parts),
            parts,
            version: map::content::number(request.version, "version")?,
        };
        let answer = content::replace(&self.0, once, &caller, replacement).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn list_content_versions(
        &self,
        request: Request<proto::ListContentVersionsRequest>,
    ) -> Result<Response<proto::ListContentVersionsResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let list = List::new(request.into_inner().page, "content_versions", &STAFF_OWNER)?;
        let before = map::content::before(&list)?;
        let rows = content::versions(&self.0, before, list.fetch()).await?;
        let (items, next_cursor) = list.cut(rows, |last| last.number);
        Ok(Response::new(proto::ListContentVersionsResponse {
            items: items.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn get_content_version(
        &self,
        request: Request<proto::GetContentVersionRequest>,
    ) -> Result<Response<proto::GetContentVersionResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let number = request.into_inner().version;
        let (version, content) = content::at_version(&self.0, number).await?;
        Ok(Response::new(proto::GetContentVersionResponse {
            version: Some((&version).into()),
            content: Some((&content).into()),
        }))
    }

    async fn restore_content(
        &self,
        request: Request<proto::RestoreContentRequest>,
    ) -> Result<Response<proto::RestoreContentResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let once = Once::new::<proto::RestoreContentResponse>(&caller, staff.id, &request);
        let restoration = content::Restoration {
            number: request.version,
            parts: map::content::named(&request.parts)?,
            current: map::content::number(request.current, "current")?,
            reason: wire::line(&request.reason, LONGEST_REASON, "reason")?,
        };
        let answer = content::restore(&self.0, once, &caller, restoration).await?;
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
        let publish_at = wire::instant(request.publish_at, "publish_at")?;
        let publication = request.try_into()?;
        let answer =
            publish::publish(&self.0, once, &caller, staff, publication, publish_at).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn list_announcements(
        &self,
        request: Request<proto::ListAnnouncementsRequest>,
    ) -> Result<Response<proto::ListAnnouncementsResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Support])?;
        let proto::ListAnnouncementsRequest { state, page } = request.into_inner();
        let state = publish::State::optional(state, "state")?;
        let list = List::new(page, &map::publications::list_name(state), &STAFF_OWNER)?;
        let rows = publish::list(&self.0, state, list.before()?, list.fetch()).await?;
        let (items, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListAnnouncementsResponse {
            items: items.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn get_announcement(
        &self,
        request: Request<proto::GetAnnouncementRequest>,
    ) -> Result<Response<proto::GetAnnouncementResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Support])?;
        let id = wire::id(&request.get_ref().id, "id")?;
        let (announcement, users) = publish::get(&self.0, id).await?;
        Ok(Response::new(proto::GetAnnouncementResponse {
            announcement: Some((&announcement).into()),
            user_ids: users.iter().map(ToString::to_string).collect(),
        }))
    }

    async fn get_audience(
        &self,
        request: Request<proto::GetAudienceRequest>,
    ) -> Result<Response<proto::GetAudienceResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Support])?;
        let active = publish::audience(&self.0, &caller).await?;
        Ok(Response::new(proto::GetAudienceResponse {
            users: active.users,
            more: active.more,
        }))
    }

    async fn edit_announcement(
        &self,
        request: Request<proto::EditAnnouncementRequest>,
    ) -> Result<Response<proto::EditAnnouncementResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let canonical = map::publications::canonical(&request);
        let once = Once::new::<proto::EditAnnouncementResponse>(&caller, staff.id, &canonical);
        let id = wire::id(&request.id, "id")?;
        let edit = map::publications::edit(request)?;
        let answer = publish::edit(&self.0, once, &caller, staff, id, edit).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn withdraw_announcement(
        &self,
        request: Request<proto::WithdrawAnnouncementRequest>,
    ) -> Result<Response<proto::WithdrawAnnouncementResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Support])?;
        let request = request.into_inner();
        let once = Once::new::<proto::WithdrawAnnouncementResponse>(&caller, staff.id, &request);
        let id = wire::id(&request.id, "id")?;
        let seen = map::content::number(request.version, "version")?;
        let reason = wire::line(&request.reason, LONGEST_REASON, "reason")?;
        let answer = publish::withdraw(&self.0, once, &caller, staff, id, (seen, reason)).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn admin_list_notifications(
        &self,
        request: Request<proto::AdminListNotificationsRequest>,
    ) -> Result<Response<proto::AdminListNotificationsResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Support])?;
        let lang = Lang::of_caller(&caller.lang);
        let request = request.into_inner();
        let user = wire::id(&request.user_id, "user_id")?;
        let filter = map::notices::filter(request.category, request.filter)?;
        let scope = format!("staff.{}", map::notices::list_name(filter));
        let list = List::new(request.page, &scope, &user)?;
        let before = map::notices::position(&list)?;
        let (rows, unread) =
            notice::list_for_staff(&self.0, &caller, user, filter, before, list.fetch()).await?;
        let (notices, next_cursor) = list.cut_by(rows, map::notices::position_keys);
        Ok(Response::new(proto::AdminListNotificationsResponse {
            items: notices
                .iter()
                .map(|notice| map::notices::notification(notice, &self.0.catalogues, lang))
                .collect(),
            next_cursor,
            unread_total: unread.total,
        }))
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
    let mut all = vec![json!(request.category), to, json!(title), json!(content)];
    // A request without one has the digest that the release before gave it.
    if let Some(at) = &request.publish_at {
        all.push(json!([at.seconds, at.nanos]));
    }
    Value::from(all).to_string()
}
