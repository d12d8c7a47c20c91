//! What users and other services call.

use adfolio_kit::identity::Caller;
use adfolio_kit::once::MessageOnce;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::time_zone::TimeZone;
use adfolio_kit::wire;
use adfolio_money::Money;
use adfolio_proto::plan::v1 as proto;
use adfolio_proto::plan::v1::delivery_service_server::DeliveryService;
use adfolio_proto::plan::v1::plan_reconcile_service_server::PlanReconcileService;
use adfolio_proto::plan::v1::plan_service_server::PlanService;
use prost::Message;
use tonic::{Request, Response, Status as GrpcStatus, Streaming};
use uuid::Uuid;

use super::{Grpc, amount, convert};
use crate::delivery::stream;
use crate::error::PlanError;
use crate::order::list::Filter;
use crate::statistics::entity::Range;
use crate::{follow, order, product, put, statistics};

/// Holds of one page at most.
const MOST_HOLDS: u32 = 10_000;

#[tonic::async_trait]
impl PlanService for Grpc {
    async fn list_products(
        &self,
        request: Request<proto::ListProductsRequest>,
    ) -> Result<Response<proto::ListProductsResponse>, GrpcStatus> {
        Caller::from_request(&request).require_user()?;
        let (page, cursor) = wire::page(request.into_inner().page)?;
        let before = wire::cursor_id(&product::cursor(), cursor.as_deref())?;
        let (items, next_cursor) = product::list(&self.app, page, before).await?;
        Ok(Response::new(proto::ListProductsResponse {
            items: items.into_iter().map(Into::into).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
        }))
    }

    async fn get_product(
        &self,
        request: Request<proto::GetProductRequest>,
    ) -> Result<Response<proto::GetProductResponse>, GrpcStatus> {
        Caller::from_request(&request).require_user()?;
        let id = wire::id(&request.into_inner().product_id, "product_id")?;
        let product = product::find(&self.app, id).await?;
        Ok(Response::new(proto::GetProductResponse {
            product: Some(product.into()),
        }))
    }

    async fn list_plans(
        &self,
        request: Request<proto::ListPlansRequest>,
    ) -> Result<Response<proto::ListPlansResponse>, GrpcStatus> {
        let user_id = Caller::from_request(&request).require_user()?.0;
        let request = request.into_inner();
        let filter = Filter {
            statuses: convert::wanted_statuses(request.status)?,
            official: convert::wanted_pushes(request.push)?,
        };
        let (page, cursor) = wire::page(request.page)?;
        let before = wire::cursor_id(&order::cursor(&user_id.to_string()), cursor.as_deref())?;
        let (items, next_cursor) =
            order::list_of_user(&self.app, user_id, &filter, page, before).await?;
        let counts = order::counts(&self.app, user_id, &filter.official).await?;
        let count = |(status, count)| proto::StatusCount {
            status: convert::status(status).into(),
            count,
        };
        Ok(Response::new(proto::ListPlansResponse {
            items: items.iter().map(Into::into).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
            counts: counts.into_iter().map(count).collect(),
        }))
    }

    async fn get_plan(
        &self,
        request: Request<proto::GetPlanRequest>,
    ) -> Result<Response<proto::GetPlanResponse>, GrpcStatus> {
        let caller = Caller::from_request(&request);
        let user_id = caller.require_user()?.0;
        let id = wire::id(&request.into_inner().plan_id, "id")?;
        let (plan, timeline, series) = self.detail(id, Some(user_id), &caller.time_zone).await?;
        Ok(Response::new(proto::GetPlanResponse {
            plan: Some(plan),
            timeline,
            series,
        }))
    }

    async fn put_plan(
        &self,
        request: Request<proto::PutPlanRequest>,
    ) -> Result<Response<proto::PutPlanResponse>, GrpcStatus> {
        let caller = Caller::from_request(&request);
        caller.require_user()?;
        let request = request.into_inner();
        let command = put_command(&request)?;
        let answer = put::put(&self.app, &caller, &request, command).await?;
        let answer =
            proto::PutPlanResponse::decode(&*answer).map_err(|_| PlanError::Corrupt("answer"))?;
        Ok(Response::new(answer))
    }

    async fn count_waiting(
        &self,
        request: Request<proto::CountWaitingRequest>,
    ) -> Result<Response<proto::CountWaitingResponse>, GrpcStatus> {
        let user_id = Caller::from_request(&request).require_user()?.0;
        let count = order::count_waiting(&self.app, user_id).await?;
        Ok(Response::new(proto::CountWaitingResponse { count }))
    }

    async fn get_statistics(
        &self,
        request: Request<proto::GetStatisticsRequest>,
    ) -> Result<Response<proto::GetStatisticsResponse>, GrpcStatus> {
        let caller = Caller::from_request(&request);
        let user_id = caller.require_user()?.0;
        let request = request.into_inner();
        let range = match proto::StatisticsRange::try_from(request.range) {
            Ok(proto::StatisticsRange::Unspecified | proto::StatisticsRange::Today) => Range::Today,
            Ok(proto::StatisticsRange::Week) => Range::Week,
            Ok(proto::StatisticsRange::Month) => Range::Month,
            Ok(proto::StatisticsRange::All) => Range::All,
            Err(_) => return Err(Refusal::invalid("type").into()),
        };
        let zone = if request.time_zone.is_empty() {
            caller.time_zone
        } else {
            TimeZone::parse(&request.time_zone)
        };
        let statistics = statistics::of_user(&self.app, user_id, range, &zone).await?;
        Ok(Response::new(statistics.into()))
    }

    async fn get_put_range(
        &self,
        _request: Request<proto::GetPutRangeRequest>,
    ) -> Result<Response<proto::GetPutRangeResponse>, GrpcStatus> {
        let range = product::put_range(&self.app).await?;
        let (lowest, highest) = range.unwrap_or((Money::ZERO, Money::ZERO));
        Ok(Response::new(proto::GetPutRangeResponse {
            min_minor: lowest.minor(),
            max_minor: highest.minor(),
        }))
    }

    async fn follow(
        &self,
        request: Request<proto::FollowRequest>,
    ) -> Result<Response<proto::FollowResponse>, GrpcStatus> {
        let caller = Caller::from_request(&request);
        let user_id = caller.require_user()?.0;
        let request = request.into_inner();
        let once = MessageOnce::new(&caller, user_id, "plan.Follow", &request);
        let answer = follow::follow(&self.app, user_id, once, &request.operator_id).await?;
        Ok(Response::new(answer))
    }

    async fn list_follows(
        &self,
        request: Request<proto::ListFollowsRequest>,
    ) -> Result<Response<proto::ListFollowsResponse>, GrpcStatus> {
        let user_id = Caller::from_request(&request).require_user()?.0;
        let (page, cursor) = wire::page(request.into_inner().page)?;
        let before = wire::cursor_id(&follow::cursor(user_id), cursor.as_deref())?;
        let (items, next_cursor) = follow::list(&self.app, user_id, page, before).await?;
        let current = follow::current(&self.app, user_id).await?;
        Ok(Response::new(proto::ListFollowsResponse {
            items: items.into_iter().map(Into::into).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
            current_operator_id: current.map(|id| id.to_string()).unwrap_or_default(),
        }))
    }

    async fn get_current_operator(
        &self,
        request: Request<proto::GetCurrentOperatorRequest>,
    ) -> Result<Response<proto::GetCurrentOperatorResponse>, GrpcStatus> {
        let user_id = Caller::from_request(&request).require_user()?.0;
        let current = follow::current(&self.app, user_id).await?;
        Ok(Response::new(proto::GetCurrentOperatorResponse {
            operator_id: current.map(|id| id.to_string()).unwrap_or_default(),
        }))
    }
}

#[tonic::async_trait]
impl DeliveryService for Grpc {
    async fn report_delivery(
        &self,
        request: Request<Streaming<proto::ReportDeliveryRequest>>,
    ) -> Result<Response<proto::ReportDeliveryResponse>, GrpcStatus> {
        let summary = stream::run(&self.app, request.into_inner()).await?;
        Ok(Response::new(summary))
    }
}

#[tonic::async_trait]
impl PlanReconcileService for Grpc {
    async fn list_holds(
        &self,
        request: Request<proto::ListHoldsRequest>,
    ) -> Result<Response<proto::ListHoldsResponse>, GrpcStatus> {
        let request = request.into_inner();
        let after =
            wire::optional_id(&request.after_order_id, "after_order_id")?.unwrap_or(Uuid::nil());
        let limit = if request.limit == 0 {
            MOST_HOLDS
        } else {
            request.limit.min(MOST_HOLDS)
        };
        let holdings = order::list_holds(&self.app, after, limit.into()).await?;
        let items = holdings.into_iter().map(|holding| proto::HoldBook {
            order_id: holding.order.id.to_string(),
            user_id: holding.order.user_id.to_string(),
            open_minor: holding.order.open_hold().minor(),
            in_flight: holding.in_flight,
        });
        Ok(Response::new(proto::ListHoldsResponse {
            items: items.collect(),
        }))
    }
}

impl Grpc {
    /// A plan with its timeline and its delivery in the caller's time zone.
    pub(super) async fn detail(
        &self,
        id: Uuid,
        user_id: Option<Uuid>,
        zone: &TimeZone,
    ) -> Result<
        (
            proto::Plan,
            Vec<proto::TimelineEntry>,
            Vec<proto::SeriesPoint>,
        ),
        PlanError,
    > {
        let order = order::find_listed(&self.app, id, user_id).await?;
        let timeline = order::repo::history(&self.app.pool, id).await?;
        let series = statistics::series_of_plan(&self.app, id, zone).await?;
        Ok((
            (&order).into(),
            timeline.into_iter().map(Into::into).collect(),
            series.into_iter().map(Into::into).collect(),
        ))
    }
}

fn put_command(request: &proto::PutPlanRequest) -> Result<put::Command, Refusal> {
    let target = match &request.target {
        Some(proto::put_plan_request::Target::ProductId(id)) => {
            put::Target::Product(wire::id(id, "product_id")?)
        }
        Some(proto::put_plan_request::Target::PlanId(id)) => {
            put::Target::Plan(wire::id(id, "plan_id")?)
        }
        None => return Err(Refusal::invalid("product_id")),
    };
    let user_coupon_id = wire::optional_id(&request.user_coupon_id, "user_coupon_id")?;
    Ok(put::Command {
        target,
        amount: amount(request.amount_minor, "amount")?,
        user_coupon_id,
    })
}
