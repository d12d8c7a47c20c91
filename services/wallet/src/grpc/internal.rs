//! The postings that other services make, for orders of plans and of exchange.

use adfolio_kit::identity::Caller;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::wire;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::ledger_service_server::LedgerService;
use tonic::{Request, Response, Status};

use super::{InternalApi, property};
use crate::pay_password::entity::PinDigest;
use crate::posting::command::Command;
use crate::posting::movement::{ExchangeStep, Movement};
use crate::{flow, freeze, pay_password, posting};

#[tonic::async_trait]
impl LedgerService for InternalApi {
    async fn hold(
        &self,
        request: Request<proto::HoldRequest>,
    ) -> Result<Response<proto::HoldResponse>, Status> {
        let deadline = Caller::from_request(&request).deadline;
        let request = request.into_inner();
        let user_id = wire::id(&request.user_id, "user_id")?;
        let order_id = wire::id(&request.order_id, "order_id")?;
        let command = Command::hold(
            user_id,
            order_id,
            request.paid_minor,
            request.discount_minor,
        )?;
        let done = self.0.queue.post(command, deadline).await?;
        Ok(Response::new(proto::HoldResponse {
            property: Some(property(&self.0, done.property)),
        }))
    }

    async fn release(
        &self,
        request: Request<proto::ReleaseRequest>,
    ) -> Result<Response<proto::ReleaseResponse>, Status> {
        let deadline = Caller::from_request(&request).deadline;
        let request = request.into_inner();
        let user_id = wire::id(&request.user_id, "user_id")?;
        let order_id = wire::id(&request.order_id, "order_id")?;
        let command = Command::release(user_id, order_id);
        let hold = self.0.queue.post(command, deadline).await?.hold()?;
        Ok(Response::new(proto::ReleaseResponse {
            paid_returned_minor: hold.paid_returned,
            discount_returned_minor: hold.discount_returned,
        }))
    }

    async fn record_delivery(
        &self,
        request: Request<proto::RecordDeliveryRequest>,
    ) -> Result<Response<proto::RecordDeliveryResponse>, Status> {
        let deadline = Caller::from_request(&request).deadline;
        let request = request.into_inner();
        let user_id = wire::id(&request.user_id, "user_id")?;
        let order_id = wire::id(&request.order_id, "order_id")?;
        let command = Command::record_delivery(
            user_id,
            order_id,
            request.version,
            request.consumed_total_minor,
            request.revenue_total_minor,
        )?;
        let hold = self.0.queue.post(command, deadline).await?.hold()?;
        Ok(Response::new(proto::RecordDeliveryResponse {
            version: hold.version,
        }))
    }

    async fn settle(
        &self,
        request: Request<proto::SettleRequest>,
    ) -> Result<Response<proto::SettleResponse>, Status> {
        let deadline = Caller::from_request(&request).deadline;
        let request = request.into_inner();
        let user_id = wire::id(&request.user_id, "user_id")?;
        let order_id = wire::id(&request.order_id, "order_id")?;
        let command = Command::settle(
            user_id,
            order_id,
            request.consumed_total_minor,
            request.revenue_total_minor,
            request.platform_share_minor,
        )?;
        let hold = self.0.queue.post(command, deadline).await?.hold()?;
        Ok(Response::new(proto::SettleResponse {
            paid_out_minor: hold.paid_out(),
            paid_returned_minor: hold.paid_returned_at_settle,
        }))
    }

    async fn list_order_flow(
        &self,
        request: Request<proto::ListOrderFlowRequest>,
    ) -> Result<Response<proto::ListOrderFlowResponse>, Status> {
        let request = request.into_inner();
        let user_id = wire::id(&request.user_id, "user_id")?;
        let order_id = wire::id(&request.order_id, "order_id")?;
        let lines = flow::list_of_order(&self.0, user_id, order_id).await?;
        Ok(Response::new(proto::ListOrderFlowResponse {
            items: lines.into_iter().map(Into::into).collect(),
        }))
    }

    async fn post_exchange(
        &self,
        request: Request<proto::PostExchangeRequest>,
    ) -> Result<Response<proto::PostExchangeResponse>, Status> {
        let caller = Caller::from_request(&request);
        let request = request.into_inner();
        let exchange_id = wire::id(&request.exchange_id, "exchange_id")?;
        let attempt_id = wire::optional_id(&request.attempt_id, "attempt_id")?;
        let user_id = wire::id(&request.user_id, "user_id")?;
        let step = ExchangeStep::required(request.step, "step")?;
        let amount = request.amount_minor;
        let rules = self.0.rules.outflow;
        let movement = Movement::exchange(user_id, (exchange_id, attempt_id), step, amount, rules)?;
        let command = Command::movement(user_id, movement);
        let done = posting::post_to_named(&self.0, &caller, command).await?;
        Ok(Response::new(proto::PostExchangeResponse {
            property: Some(property(&self.0, done.property)),
        }))
    }

    async fn check_freeze(
        &self,
        request: Request<proto::CheckFreezeRequest>,
    ) -> Result<Response<proto::CheckFreezeResponse>, Status> {
        let user_id = wire::id(&request.into_inner().user_id, "user_id")?;
        freeze::require_none(&self.0, user_id).await?;
        Ok(Response::new(proto::CheckFreezeResponse {}))
    }

    async fn verify_pay_password(
        &self,
        request: Request<proto::VerifyPayPasswordRequest>,
    ) -> Result<Response<proto::VerifyPayPasswordResponse>, Status> {
        let deadline = Caller::from_request(&request).deadline;
        let request = request.into_inner();
        let user_id = wire::id(&request.user_id, "user_id")?;
        let password = PinDigest::parse(&request.password, "password")?;
        pay_password::verify(&self.0, user_id, password, deadline).await?;
        Ok(Response::new(proto::VerifyPayPasswordResponse {}))
    }
}
