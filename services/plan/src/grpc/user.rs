//! What users do with products, plans and operators.

use adfolio_kit::identity::Caller;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::time_zone::TimeZone;
use adfolio_kit::wire::{self, List};
use adfolio_money::Money;
use adfolio_proto::plan::v1 as proto;
use adfolio_proto::plan::v1::plan_service_server::PlanService;
use tonic::{Request, Response, Status};

use super::{UserApi, map};
use crate::delivery::evidence;
use crate::order::status::Filter;
use crate::put::entity::Command;
use crate::statistics::entity::Range;
use crate::{follow, order, product, put, statistics};

#[tonic::async_trait]
impl PlanService for UserApi {
    async fn list_products(
        &self,
        request: Request<proto::ListProductsRequest>,
    ) -> Result<Response<proto::ListProductsResponse>, Status> {
        Caller::from_request(&request).require_user()?;
        let list = List::new(request.into_inner().page, "products", &"")?;
        let rows = product::list(&self.0, list.before()?, list.fetch()).await?;
        let (products, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListProductsResponse {
            items: products.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn get_product(
        &self,
        request: Request<proto::GetProductRequest>,
    ) -> Result<Response<proto::GetProductResponse>, Status> {
        Caller::from_request(&request).require_user()?;
        let id = wire::id(&request.into_inner().product_id, "product_id")?;
        let product = product::find(&self.0, id).await?;
        Ok(Response::new(proto::GetProductResponse {
            product: Some((&product).into()),
        }))
    }

    async fn list_plans(
        &self,
        request: Request<proto::ListPlansRequest>,
    ) -> Result<Response<proto::ListPlansResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let request = request.into_inner();
        let filter = Filter {
            statuses: map::statuses(request.status)?,
            official: map::official(request.push)?,
        };
        let list = List::new(request.page, "plans", &user)?;
        let before = list.before()?;
        let listing = order::list_of_user(&self.0, user, &filter, before, list.fetch()).await?;
        let (orders, next_cursor) = list.cut(listing.orders, |last| last.id);
        let count = |(status, count): (order::status::Status, i64)| proto::StatusCount {
            status: status.to_wire(),
            count,
        };
        Ok(Response::new(proto::ListPlansResponse {
            items: orders.iter().map(Into::into).collect(),
            next_cursor,
            counts: listing.counts.into_iter().map(count).collect(),
        }))
    }

    async fn get_plan(
        &self,
        request: Request<proto::GetPlanRequest>,
    ) -> Result<Response<proto::GetPlanResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let id = wire::id(&request.into_inner().plan_id, "id")?;
        let detail = order::detail(&self.0, id, Some(user), caller.time_zone).await?;
        Ok(Response::new(detail.into()))
    }

    async fn list_reports(
        &self,
        request: Request<proto::ListReportsRequest>,
    ) -> Result<Response<proto::ListReportsResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let request = request.into_inner();
        let id = wire::id(&request.plan_id, "plan_id")?;
        let list = List::new(request.page, &format!("plan.reports.{id}"), &user)?;
        let before = map::report_position(&list)?;
        let (order, rows) =
            evidence::reports(&self.0, user, id, before.as_ref(), list.fetch()).await?;
        let (reports, next_cursor) = list.cut_by(rows, |last| map::report_keys(&last.report));
        Ok(Response::new(proto::ListReportsResponse {
            items: reports.into_iter().map(Into::into).collect(),
            next_cursor,
            totals: Some((&order).into()),
        }))
    }

    async fn put_plan(
        &self,
        request: Request<proto::PutPlanRequest>,
    ) -> Result<Response<proto::PutPlanResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let command = Command::try_from(&request.into_inner())?;
        let answer = put::put(&self.0, &caller, user, command).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn count_waiting(
        &self,
        request: Request<proto::CountWaitingRequest>,
    ) -> Result<Response<proto::CountWaitingResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let count = order::count_waiting(&self.0, user).await?;
        Ok(Response::new(proto::CountWaitingResponse { count }))
    }

    async fn get_statistics(
        &self,
        request: Request<proto::GetStatisticsRequest>,
    ) -> Result<Response<proto::GetStatisticsResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let range = Range::optional(request.range, "type")?.unwrap_or(Range::Today);
        let zone = if request.time_zone.is_empty() {
            caller.time_zone
        } else {
            TimeZone::parse(&request.time_zone)
        };
        let statistics = statistics::of_user(&self.0, user, range, zone).await?;
        Ok(Response::new(statistics.into()))
    }

    async fn get_put_range(
        &self,
        _: Request<proto::GetPutRangeRequest>,
    ) -> Result<Response<proto::GetPutRangeResponse>, Status> {
        let range = product::put_range(&self.0).await?;
        let (lowest, highest) = range.unwrap_or((Money::ZERO, Money::ZERO));
        Ok(Response::new(proto::GetPutRangeResponse {
            min_minor: lowest.minor(),
            max_minor: highest.minor(),
        }))
    }

    async fn follow(
        &self,
        request: Request<proto::FollowRequest>,
    ) -> Result<Response<proto::FollowResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let once = Once::new::<proto::FollowResponse>(&caller, user.0, &request);
        let answer = follow::follow(&self.0, once, user, &request.operator_id).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn list_follows(
        &self,
        request: Request<proto::ListFollowsRequest>,
    ) -> Result<Response<proto::ListFollowsResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let list = List::new(request.into_inner().page, "follows", &user)?;
        let rows = follow::list(&self.0, user, list.before()?, list.fetch()).await?;
        let (follows, next_cursor) = list.cut(rows, |last| last.id);
        let current = follow::current(&self.0, user).await?;
        Ok(Response::new(proto::ListFollowsResponse {
            items: follows.iter().map(Into::into).collect(),
            next_cursor,
            current_operator_id: map::optional(current),
        }))
    }

    async fn get_current_operator(
        &self,
        request: Request<proto::GetCurrentOperatorRequest>,
    ) -> Result<Response<proto::GetCurrentOperatorResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let current = follow::current(&self.0, user).await?;
        Ok(Response::new(proto::GetCurrentOperatorResponse {
            operator_id: map::optional(current),
        }))
    }
}
