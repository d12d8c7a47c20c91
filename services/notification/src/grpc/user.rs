//! What users do with their inbox.

use std::sync::Arc;

use adfolio_kit::identity::Caller;
use adfolio_kit::pagination::Cursor;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::notification::v1 as pb;
use adfolio_proto::notification::v1::mark_read_request::Target;
use adfolio_proto::notification::v1::notification_service_server::NotificationService;
use tonic::{Request, Response, Status};

use super::convert;
use crate::lang::Lang;
use crate::notice::Notices;
use crate::service_entry::ServiceEntries;
use crate::text::Catalogues;

/// The calls of users.
#[derive(Debug)]
pub struct UserCalls {
    notices: Notices,
    entries: ServiceEntries,
    catalogues: Arc<Catalogues>,
}

impl UserCalls {
    /// On these use cases.
    pub fn new(notices: Notices, entries: ServiceEntries, catalogues: Arc<Catalogues>) -> Self {
        Self {
            notices,
            entries,
            catalogues,
        }
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
        let filter = convert::filter_from_wire(category, filter)?;
        let (page, cursor) = wire::page(page)?;
        let cursors = Cursor::new(&convert::list_name(filter), &user.to_string());
        let before = convert::position_from_cursor(&cursors, cursor.as_deref())?;
        let failed =
            |error: crate::error::NotificationError| error.into_status("list_notifications");
        let rows = self
            .notices
            .list(user, filter, before, page.fetch())
            .await
            .map_err(failed)?;
        let unread_total = self.notices.unread(user).await.map_err(failed)?;
        let (notices, next) = page.cut(rows, |last| convert::position_to_cursor(&cursors, last));
        Ok(Response::new(pb::ListNotificationsResponse {
            items: notices
                .iter()
                .map(|notice| convert::notification(notice, &self.catalogues, lang))
                .collect(),
            next_cursor: next.unwrap_or_default(),
            unread_total,
        }))
    }

    async fn mark_read(
        &self,
        request: Request<pb::MarkReadRequest>,
    ) -> Result<Response<pb::MarkReadResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let pb::MarkReadRequest { target, category } = request.into_inner();
        let left = match target {
            Some(Target::NotificationId(id)) => {
                self.notices.mark_one(user, wire::id(&id, "id")?).await
            }
            Some(Target::All(true)) => {
                self.notices
                    .mark_all(user, convert::category_from_wire(category)?)
                    .await
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
        let user = Caller::from_request(&request).require_user()?;
        let unread_total = self
            .notices
            .unread(user)
            .await
            .map_err(|error| error.into_status("count_unread"))?;
        Ok(Response::new(pb::CountUnreadResponse { unread_total }))
    }

    async fn list_service_entries(
        &self,
        request: Request<pb::ListServiceEntriesRequest>,
    ) -> Result<Response<pb::ListServiceEntriesResponse>, Status> {
        // The login screen asks, too: no identity is needed.
        let lang = Lang::of_caller(&Caller::from_request(&request).lang);
        let content = self
            .entries
            .content()
            .await
            .map_err(|error| error.into_status("list_service_entries"))?;
        Ok(Response::new(pb::ListServiceEntriesResponse {
            customer_service: convert::entries(&content.customer_service, lang),
            recharge_customer_service: convert::entries(&content.recharge_customer_service, lang),
        }))
    }
}
