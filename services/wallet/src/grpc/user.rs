//! What users read of their wallet.

use adfolio_kit::identity::Caller;
use adfolio_kit::wire;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::wallet_service_server::WalletService;
use tonic::{Request, Response, Status};

use super::{Grpc, map};
use crate::{flow, property};

#[tonic::async_trait]
impl WalletService for Grpc {
    async fn get_property(
        &self,
        request: Request<proto::GetPropertyRequest>,
    ) -> Result<Response<proto::GetPropertyResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let property = property::of_user(&self.pool, user.0).await?;
        Ok(Response::new(proto::GetPropertyResponse {
            property: Some(map::property(property)),
        }))
    }

    async fn list_flow(
        &self,
        request: Request<proto::ListFlowRequest>,
    ) -> Result<Response<proto::ListFlowResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let filter = map::filter(request.r#type)?;
        let (page, cursor) = wire::page(request.page)?;
        let month = Some(request.month).filter(|month| !month.is_empty());
        let query = flow::Query {
            filter,
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
}
