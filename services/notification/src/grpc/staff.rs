//! What staff do with texts.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Refusal;
use adfolio_proto::notification::v1 as pb;
use adfolio_proto::notification::v1::notification_admin_service_server::NotificationAdminService;
use tonic::{Request, Response, Status};

use super::convert;
use crate::service_entry::ServiceEntries;

/// The calls of staff.
#[derive(Debug)]
pub struct StaffCalls {
    entries: ServiceEntries,
}

impl StaffCalls {
    /// On these use cases.
    pub fn new(entries: ServiceEntries) -> Self {
        Self { entries }
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
            .entries
            .content()
            .await
            .map_err(|error| error.into_status("get_content"))?;
        Ok(Response::new(pb::GetContentResponse {
            content: Some(convert::content(&content)),
        }))
    }

    async fn set_content(
        &self,
        request: Request<pb::SetContentRequest>,
    ) -> Result<Response<pb::SetContentResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Operator])?;
        let content = request
            .into_inner()
            .content
            .ok_or_else(|| Refusal::invalid("content"))?;
        let customer_service = convert::drafts(content.customer_service);
        let recharge_customer_service = convert::drafts(content.recharge_customer_service);
        // Replacing is the same however often it is done, so a repeat needs no key.
        let replaced = self
            .entries
            .replace(customer_service, recharge_customer_service)
            .await
            .map_err(|error| error.into_status("set_content"))?;
        Ok(Response::new(pb::SetContentResponse {
            content: Some(convert::content(&replaced)),
        }))
    }
}
