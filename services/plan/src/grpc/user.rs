//! What users do with products, plans and operators.

use adfolio_kit::identity::Caller;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::{self, List};
use adfolio_money::Money;
use adfolio_proto::plan::v1 as proto;
use adfolio_proto::plan::v1::plan_service_server::PlanService;
use tonic::{Request, Response, Status};

use super::{UserApi, map};
use crate::allotment::shown;
use crate::delivery::evidence;
use crate::order::status::Filter;
use crate::put::entity::Command;
use crate::{follow, order, product, put, settlement, statistics};

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
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let wanted = map::wanted(&request, &caller)?;
        let filter = Filter {
            statuses: map::statuses(request.status)?,
            official: map::official(request.push)?,
        };
        let share = self.0.rules.platform_share_basis_points;
        let count = |(status, count): (order::status::Status, i64)| proto::StatusCount {
            status: status.to_wire(),
            count,
        };
        if let Some(table) = &request.table {
            if wanted.is_some() {
                return Err(Refusal::invalid("figure").into());
            }
            let table = map::table(table)?;
            let list = List::new(request.page, &map::table_name(&table, &filter), &user)?;
            let behind = map::table_position(&list)?;
            let rows =
                order::table::rows(&self.0, user, &table, &filter, behind, list.fetch()).await?;
            let (orders, next_cursor) = list.cut_by(rows.orders, |last| {
                vec![table.sort.value_of(last).to_string(), last.id.to_string()]
            });
            let counts = order::counts(&self.0, user, &filter).await?;
            return Ok(Response::new(proto::ListPlansResponse {
                items: orders.iter().map(|order| map::plan(order, share)).collect(),
                next_cursor,
                counts: counts.into_iter().map(count).collect(),
                sum: 0,
                totals: Some(rows.totals.into()),
            }));
        }
        let list = List::new(request.page, "plans", &user)?;
        let before = list.before()?;
        let listing =
            order::list_of_user(&self.0, user, &filter, wanted, before, list.fetch()).await?;
        let (orders, next_cursor) = list.cut(listing.orders, |last| last.id);
        Ok(Response::new(proto::ListPlansResponse {
            items: orders.iter().map(|order| map::plan(order, share)).collect(),
            next_cursor,
            counts: listing.counts.into_iter().map(count).collect(),
            sum: listing.sum,
            totals: None,
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
        let share = self.0.rules.platform_share_basis_points;
        Ok(Response::new(map::detail(detail, share)))
    }

    async fn get_plan_pace(
        &self,
        request: Request<proto::GetPlanPaceRequest>,
    ) -> Result<Response<proto::GetPlanPaceResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let id = wire::id(&request.into_inner().plan_id, "plan_id")?;
        let pace = shown::pace(&self.0, id, Some(user), caller.time_zone).await?;
        Ok(Response::new(proto::GetPlanPaceResponse {
            pace: Some(pace.into()),
        }))
    }

    async fn list_plan_placements(
        &self,
        request: Request<proto::ListPlanPlacementsRequest>,
    ) -> Result<Response<proto::ListPlanPlacementsResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let id = wire::id(&request.into_inner().plan_id, "plan_id")?;
        let places = shown::places(&self.0, id, Some(user)).await?;
        Ok(Response::new(proto::ListPlanPlacementsResponse {
            placements: Some(places.into()),
        }))
    }

    async fn name_plans(
        &self,
        request: Request<proto::NamePlansRequest>,
    ) -> Result<Response<proto::NamePlansResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let ids = request.into_inner().plan_ids;
        let ids: Vec<_> = ids.iter().filter_map(|id| wire::filter_id(id)).collect();
        let names = order::names(&self.0, user, &ids).await?;
        Ok(Response::new(proto::NamePlansResponse {
            items: names.into_iter().map(Into::into).collect(),
        }))
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

    async fn cancel_plan(
        &self,
        request: Request<proto::CancelPlanRequest>,
    ) -> Result<Response<proto::CancelPlanResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let id = wire::id(&request.into_inner().plan_id, "plan_id")?;
        let order = settlement::cancel(&self.0, &caller, user, id).await?;
        let share = self.0.rules.platform_share_basis_points;
        Ok(Response::new(proto::CancelPlanResponse {
            plan: Some(map::plan(&order, share)),
        }))
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
        let range = map::range(request.range)?;
        let zone = map::zone(&request.time_zone, &caller);
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
