//! What staff call.

use adfolio_kit::identity::Caller;
use adfolio_kit::once::MessageOnce;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::plan::v1 as proto;
use adfolio_proto::plan::v1::plan_admin_service_server::PlanAdminService;
use tonic::{Request, Response, Status as GrpcStatus, Streaming};
use uuid::Uuid;

use super::{ANY_ROLE, Grpc, OPERATOR, amount, convert, staff_scope, text};
use crate::delivery::import;
use crate::order::list::Filter;
use crate::order::{self, Push};
use crate::settlement::{self, Outcome};
use crate::{follow, operator, product};

/// Users that can be asked about at once.
const MOST_USERS: usize = 100;

#[tonic::async_trait]
impl PlanAdminService for Grpc {
    async fn create_product(
        &self,
        request: Request<proto::CreateProductRequest>,
    ) -> Result<Response<proto::CreateProductResponse>, GrpcStatus> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&OPERATOR)?;
        let request = request.into_inner();
        let once = MessageOnce::new(
            &caller,
            staff_scope(&caller),
            "plan.CreateProduct",
            &request,
        );
        let details = convert::details(request.product.unwrap_or_default())?;
        Ok(Response::new(
            product::create(&self.app, &caller, once, details).await?,
        ))
    }

    async fn edit_product(
        &self,
        request: Request<proto::EditProductRequest>,
    ) -> Result<Response<proto::EditProductResponse>, GrpcStatus> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&OPERATOR)?;
        let message = request.into_inner().product.unwrap_or_default();
        let id = wire::id(&message.id, "id")?;
        let product = product::edit(&self.app, &caller, id, convert::details(message)?).await?;
        Ok(Response::new(proto::EditProductResponse {
            product: Some(product.into()),
        }))
    }

    async fn admin_list_products(
        &self,
        request: Request<proto::AdminListProductsRequest>,
    ) -> Result<Response<proto::AdminListProductsResponse>, GrpcStatus> {
        Caller::from_request(&request).require_staff(&ANY_ROLE)?;
        let (page, cursor) = wire::page(request.into_inner().page)?;
        let before = wire::cursor_id(&product::cursor(), cursor.as_deref())?;
        let (items, next_cursor) = product::list(&self.app, page, before).await?;
        Ok(Response::new(proto::AdminListProductsResponse {
            items: items.into_iter().map(Into::into).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
        }))
    }

    async fn create_operator(
        &self,
        request: Request<proto::CreateOperatorRequest>,
    ) -> Result<Response<proto::CreateOperatorResponse>, GrpcStatus> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&OPERATOR)?;
        let request = request.into_inner();
        let once = MessageOnce::new(
            &caller,
            staff_scope(&caller),
            "plan.CreateOperator",
            &request,
        );
        let name = wire::line(&request.name, 100, "name")?;
        Ok(Response::new(
            operator::create(&self.app, &caller, once, name).await?,
        ))
    }

    async fn list_operators(
        &self,
        request: Request<proto::ListOperatorsRequest>,
    ) -> Result<Response<proto::ListOperatorsResponse>, GrpcStatus> {
        Caller::from_request(&request).require_staff(&ANY_ROLE)?;
        let (page, cursor) = wire::page(request.into_inner().page)?;
        let before = wire::cursor_id(&operator::cursor(), cursor.as_deref())?;
        let (items, next_cursor) = operator::list(&self.app, page, before).await?;
        Ok(Response::new(proto::ListOperatorsResponse {
            items: items.into_iter().map(Into::into).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
        }))
    }

    async fn push_plan(
        &self,
        request: Request<proto::PushPlanRequest>,
    ) -> Result<Response<proto::PushPlanResponse>, GrpcStatus> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&OPERATOR)?;
        let request = request.into_inner();
        let once = MessageOnce::new(&caller, staff_scope(&caller), "plan.PushPlan", &request);
        let user_ids = request
            .user_ids
            .iter()
            .map(|id| wire::id(id, "user_ids"))
            .collect::<Result<_, _>>()?;
        let push = Push {
            product_id: wire::id(&request.product_id, "product_id")?,
            amount: amount(request.amount_minor, "amount")?,
            user_ids,
            operator_id: wire::optional_id(&request.operator_id, "operator_id")?,
            put_content: text(&request.put_content, 2_000, "put_content")?,
            put_rule: text(&request.put_rule, 2_000, "put_rule")?,
            audience: convert::audience(request.user_targeting, "user_targeting")?,
        };
        let answer = order::push(&self.app, &caller, once, push).await?;
        self.app.notifier.notify();
        Ok(Response::new(answer))
    }

    async fn admin_list_plans(
        &self,
        request: Request<proto::AdminListPlansRequest>,
    ) -> Result<Response<proto::AdminListPlansResponse>, GrpcStatus> {
        Caller::from_request(&request).require_staff(&ANY_ROLE)?;
        let request = request.into_inner();
        let filter = Filter {
            statuses: convert::wanted_statuses(request.status)?,
            official: convert::wanted_pushes(request.push)?,
        };
        let user_id = wire::filter_id(&request.user_id);
        let (page, cursor) = wire::page(request.page)?;
        let owner = user_id.map_or_else(|| "all".to_owned(), |id| id.to_string());
        let before = wire::cursor_id(&order::cursor(&owner), cursor.as_deref())?;
        let number = request.plan_number.trim();
        let (items, next_cursor) = match user_id {
            _ if !number.is_empty() => (
                order::list_by_number(&self.app, number, user_id, &filter).await?,
                None,
            ),
            Some(user_id) => order::list_of_user(&self.app, user_id, &filter, page, before).await?,
            None => order::list_of_all(&self.app, &filter, page, before).await?,
        };
        Ok(Response::new(proto::AdminListPlansResponse {
            items: items.iter().map(Into::into).collect(),
            next_cursor: next_cursor.unwrap_or_default(),
        }))
    }

    async fn admin_get_plan(
        &self,
        request: Request<proto::AdminGetPlanRequest>,
    ) -> Result<Response<proto::AdminGetPlanResponse>, GrpcStatus> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&ANY_ROLE)?;
        let id = wire::id(&request.into_inner().plan_id, "id")?;
        let (plan, timeline, series) = self.detail(id, None, &caller.time_zone).await?;
        Ok(Response::new(proto::AdminGetPlanResponse {
            plan: Some(plan),
            timeline,
            series,
        }))
    }

    async fn finish_plan(
        &self,
        request: Request<proto::FinishPlanRequest>,
    ) -> Result<Response<proto::FinishPlanResponse>, GrpcStatus> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&OPERATOR)?;
        let request = request.into_inner();
        let id = wire::id(&request.plan_id, "id")?;
        let outcome = match request.outcome() {
            proto::FinishOutcome::PutFinished => Outcome::Finished,
            proto::FinishOutcome::PutFailed => Outcome::Failed,
            proto::FinishOutcome::Unspecified => return Err(Refusal::invalid("outcome").into()),
        };
        let reason = text(&request.reason, 500, "reason")?;
        let order = settlement::finish(&self.app, &caller, id, outcome, reason).await?;
        Ok(Response::new(proto::FinishPlanResponse {
            plan: Some((&order).into()),
        }))
    }

    async fn settle_plan(
        &self,
        request: Request<proto::SettlePlanRequest>,
    ) -> Result<Response<proto::SettlePlanResponse>, GrpcStatus> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&OPERATOR)?;
        let id = wire::id(&request.into_inner().plan_id, "id")?;
        let order = settlement::settle(&self.app, &caller, id).await?;
        Ok(Response::new(proto::SettlePlanResponse {
            plan: Some((&order).into()),
        }))
    }

    async fn import_delivery(
        &self,
        request: Request<Streaming<proto::ImportDeliveryRequest>>,
    ) -> Result<Response<proto::ImportDeliveryResponse>, GrpcStatus> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&OPERATOR)?;
        let summary = import::run(&self.app, &caller, request.into_inner()).await?;
        Ok(Response::new(summary))
    }

    async fn get_current_operators(
        &self,
        request: Request<proto::GetCurrentOperatorsRequest>,
    ) -> Result<Response<proto::GetCurrentOperatorsResponse>, GrpcStatus> {
        Caller::from_request(&request).require_staff(&ANY_ROLE)?;
        let user_ids = request.into_inner().user_ids;
        if user_ids.len() > MOST_USERS {
            return Err(Refusal::invalid("user_ids").into());
        }
        // An id out of form belongs to nobody, who follows nobody.
        let user_ids: Vec<Uuid> = user_ids.iter().filter_map(|id| id.parse().ok()).collect();
        let found = follow::current_of(&self.app, &user_ids).await?;
        let items = found
            .into_iter()
            .map(|(user_id, operator_id)| proto::CurrentOperator {
                user_id: user_id.to_string(),
                operator_id: operator_id.to_string(),
            });
        Ok(Response::new(proto::GetCurrentOperatorsResponse {
            items: items.collect(),
        }))
    }
}
