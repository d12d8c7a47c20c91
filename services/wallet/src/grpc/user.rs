//! What users read of their wallet, and what they do with it.

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::wire;
use adfolio_money::Money;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::wallet_service_server::WalletService;
use futures::StreamExt as _;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};

use super::{Grpc, map};
use crate::pay_password::entity::PinDigest;
use crate::posting::entity::amount_between;
use crate::{flow, property, statement};

#[tonic::async_trait]
impl WalletService for Grpc {
    async fn get_property(
        &self,
        request: Request<proto::GetPropertyRequest>,
    ) -> Result<Response<proto::GetPropertyResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let property = property::of_user(&self.pool, user.0).await?;
        Ok(Response::new(proto::GetPropertyResponse {
            property: Some(self.property(property)),
        }))
    }

    async fn list_flow(
        &self,
        request: Request<proto::ListFlowRequest>,
    ) -> Result<Response<proto::ListFlowResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let flow_type = map::filter(request.r#type)?;
        let (page, cursor) = wire::page(request.page)?;
        let month = Some(request.month).filter(|month| !month.is_empty());
        let query = flow::Query {
            flow_type,
            month,
            page,
            cursor,
        };
        let (lines, next) = flow::list(&self.pool, &caller, user.0, query).await?;
        let items = lines.into_iter().map(map::flow_entry).collect();
        Ok(Response::new(proto::ListFlowResponse {
            items,
            next_cursor: next.unwrap_or_default(),
        }))
    }

    async fn get_monthly(
        &self,
        request: Request<proto::GetMonthlyRequest>,
    ) -> Result<Response<proto::GetMonthlyResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let months = request.into_inner().months;
        let summaries =
            flow::monthly(&self.pool, &caller, user.0, self.clock.now(), months).await?;
        Ok(Response::new(proto::GetMonthlyResponse {
            items: summaries.into_iter().map(map::month).collect(),
        }))
    }

    async fn get_statement(
        &self,
        request: Request<proto::GetStatementRequest>,
    ) -> Result<Response<BoxStream<proto::GetStatementResponse>>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let month = request.into_inner().month;
        let pieces = statement::pieces(&self.pool, &caller, user.0, &month).await?;
        let answers = pieces.map(move |piece| {
            Ok(proto::GetStatementResponse {
                user_id: user.to_string(),
                rows: piece?.into_iter().map(map::statement_row).collect(),
            })
        });
        Ok(Response::new(Box::pin(answers)))
    }

    async fn get_withdrawal_methods(
        &self,
        _: Request<proto::GetWithdrawalMethodsRequest>,
    ) -> Result<Response<proto::GetWithdrawalMethodsResponse>, Status> {
        Ok(Response::new(proto::GetWithdrawalMethodsResponse {
            items: self.withdrawals.terms().iter().map(map::terms).collect(),
            cooling_off_hours: self.withdrawals.cooling_off().hours().into(),
        }))
    }

    async fn withdraw(
        &self,
        request: Request<proto::WithdrawRequest>,
    ) -> Result<Response<proto::WithdrawResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let amount = amount_between(Money::ZERO, request.amount_minor, "amount")?;
        let method = map::method(request.method)?;
        let password = PinDigest::parse(&request.password, "password")?;
        let shown = self
            .withdrawals
            .request(&caller, user.0, (amount, method), password)
            .await?;
        Ok(Response::new(proto::WithdrawResponse {
            withdrawal: Some(map::withdrawal(shown)),
        }))
    }

    async fn list_withdrawals(
        &self,
        request: Request<proto::ListWithdrawalsRequest>,
    ) -> Result<Response<proto::ListWithdrawalsResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let (page, cursor) = wire::page(request.into_inner().page)?;
        let (rows, next) = self
            .withdrawals
            .list(user.0, page, cursor.as_deref())
            .await?;
        Ok(Response::new(proto::ListWithdrawalsResponse {
            items: rows.into_iter().map(map::withdrawal).collect(),
            next_cursor: next.unwrap_or_default(),
        }))
    }

    async fn set_pay_password(
        &self,
        request: Request<proto::SetPayPasswordRequest>,
    ) -> Result<Response<proto::SetPayPasswordResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let new = PinDigest::parse(&request.password, "password")?;
        if new != PinDigest::parse(&request.confirm_password, "confirm_password")? {
            let refusal = Refusal::new(Reason::PasswordMismatch);
            return Err(refusal.field("confirm_password").into());
        }
        let old = optional_password(&request.old_password, "old_password")?;
        self.passwords
            .set(user.0, new, old, caller.deadline)
            .await?;
        Ok(Response::new(proto::SetPayPasswordResponse {}))
    }

    async fn check_pay_password(
        &self,
        request: Request<proto::CheckPayPasswordRequest>,
    ) -> Result<Response<proto::CheckPayPasswordResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let password = PinDigest::parse(&request.into_inner().password, "password")?;
        self.passwords
            .verify(user.0, password, caller.deadline)
            .await?;
        Ok(Response::new(proto::CheckPayPasswordResponse {}))
    }

    async fn get_destinations(
        &self,
        request: Request<proto::GetDestinationsRequest>,
    ) -> Result<Response<proto::GetDestinationsResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let (card, address) = self.destinations.masked(user.0).await?;
        Ok(Response::new(proto::GetDestinationsResponse {
            bank_card: card.as_ref().map(map::card_out),
            wallet_address: address.as_ref().map(map::address_out),
        }))
    }

    async fn bind_destination(
        &self,
        request: Request<proto::BindDestinationRequest>,
    ) -> Result<Response<proto::BindDestinationResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let destination = map::destination_in(request.destination)?;
        let password = optional_password(&request.password, "password")?;
        let bound = self
            .destinations
            .bind(user.0, destination, password, caller.deadline)
            .await?;
        Ok(Response::new(proto::BindDestinationResponse {
            destination: Some(map::destination_out(&bound)),
        }))
    }
}

fn optional_password(text: &str, field: &'static str) -> Result<Option<PinDigest>, Refusal> {
    if text.is_empty() {
        Ok(None)
    } else {
        PinDigest::parse(text, field).map(Some)
    }
}
