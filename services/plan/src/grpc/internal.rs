//! What other services and networks call. There is no caller to check.

use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::wire;
use adfolio_proto::plan::v1 as proto;
use adfolio_proto::plan::v1::delivery_service_server::DeliveryService;
use adfolio_proto::plan::v1::plan_reconcile_service_server::PlanReconcileService;
use futures::StreamExt as _;
use tonic::{Request, Response, Status, Streaming};

use uuid::Uuid;

use super::InternalApi;
use crate::delivery::stream::{self, BrokenOff, FromNetwork};
use crate::delivery::{evidence, seal};
use crate::ids::OrderId;
use crate::order;

/// Delivery books of one page at most.
const MOST_BOOKS: u32 = 1_000;

/// Batches that are recomputed for the one that is asked for: 100,000 reports at most, well within the limit of the call.
const SEALS_VERIFIED: i64 = 100;

/// Holds of one page at most.
const MOST_HOLDS: u32 = 10_000;

#[tonic::async_trait]
impl DeliveryService for InternalApi {
    async fn report_delivery(
        &self,
        request: Request<Streaming<proto::ReportDeliveryRequest>>,
    ) -> Result<Response<proto::ReportDeliveryResponse>, Status> {
        let reports = request
            .into_inner()
            .map(|report| report.map(FromNetwork::from).map_err(|_| BrokenOff));
        let summary = stream::run(&self.0, reports).await?;
        Ok(Response::new(summary.into()))
    }
}

#[tonic::async_trait]
impl PlanReconcileService for InternalApi {
    async fn list_holds(
        &self,
        request: Request<proto::ListHoldsRequest>,
    ) -> Result<Response<proto::ListHoldsResponse>, Status> {
        let request = request.into_inner();
        let after = wire::optional_id(&request.after_order_id, "after_order_id")?;
        let limit = match request.limit {
            0 => MOST_HOLDS,
            limit => limit.min(MOST_HOLDS),
        };
        let holdings = order::list_holds(&self.0, after, limit.into()).await?;
        Ok(Response::new(proto::ListHoldsResponse {
            items: holdings.iter().map(Into::into).collect(),
        }))
    }

    async fn list_delivery_books(
        &self,
        request: Request<proto::ListDeliveryBooksRequest>,
    ) -> Result<Response<proto::ListDeliveryBooksResponse>, Status> {
        let request = request.into_inner();
        let after = wire::optional_id(&request.after_order_id, "after_order_id")?;
        let limit = match request.limit {
            0 => MOST_BOOKS,
            limit => limit.min(MOST_BOOKS),
        };
        let after = after.unwrap_or(OrderId(Uuid::nil()));
        let books = evidence::books(&self.0, after, limit.into()).await?;
        Ok(Response::new(proto::ListDeliveryBooksResponse {
            items: books.into_iter().map(Into::into).collect(),
        }))
    }

    async fn get_report_seal(
        &self,
        request: Request<proto::GetReportSealRequest>,
    ) -> Result<Response<proto::GetReportSealResponse>, Status> {
        let sequence = request.into_inner().sequence;
        let newest = seal::newest(&self.0).await?;
        let newest = newest.ok_or_else(|| Refusal::new(Reason::NotFound).field("sequence"))?;
        if sequence <= 0 {
            return Ok(Response::new(proto::GetReportSealResponse {
                sequence: newest.seq,
                hash: newest.hash.to_vec(),
                ..proto::GetReportSealResponse::default()
            }));
        }
        let after = sequence.saturating_sub(SEALS_VERIFIED);
        let found = seal::verify(&self.0, after, sequence).await?;
        let (broken_sequence, detail) = found.broken.unwrap_or_default();
        Ok(Response::new(proto::GetReportSealResponse {
            sequence: found.head.map_or(0, |head| head.seq),
            hash: found.head.map_or_else(Vec::new, |head| head.hash.to_vec()),
            broken_sequence,
            detail: detail.to_owned(),
        }))
    }
}
