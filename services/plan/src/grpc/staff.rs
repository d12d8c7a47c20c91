//! What staff do with products, operators and plans.

use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::signing_key::Kid;
use adfolio_kit::wire::{self, List};
use adfolio_proto::plan::v1 as proto;
use adfolio_proto::plan::v1::import_delivery_request::Part;
use adfolio_proto::plan::v1::plan_admin_service_server::PlanAdminService;
use futures::StreamExt as _;
use prost::Message as _;
use tonic::{Request, Response, Status, Streaming};

use super::{StaffApi, map};
use crate::allotment::shown;
use crate::delivery::import::{self, Header};
use crate::delivery::proposal::{self, Choice, State};
use crate::delivery::seal;
use crate::ids::QuarantinedId;
use crate::order::status::Filter;
use crate::order::{self, Push};
use crate::product::entity::Details;
use crate::settlement::{self, Outcome};
use crate::source::Channel;
use crate::{follow, operator, product, quarantine, source, waiting};

/// Users of one look-up at most.
const MOST_USERS: usize = 100;

/// Longest name of an operator, in characters.
const LONGEST_NAME: usize = 100;

/// Longest reason, in characters.
const LONGEST_REASON: usize = 500;

#[tonic::async_trait]
impl PlanAdminService for StaffApi {
    async fn create_product(
        &self,
        request: Request<proto::CreateProductRequest>,
    ) -> Result<Response<proto::CreateProductResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let once = Once::new::<proto::CreateProductResponse>(&caller, staff.id, &request);
        let details = Details::try_from(request.product.unwrap_or_default())?;
        let answer = product::create(&self.0, once, &caller, details).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn edit_product(
        &self,
        request: Request<proto::EditProductRequest>,
    ) -> Result<Response<proto::EditProductResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Operator])?;
        let message = request.into_inner().product.unwrap_or_default();
        let id = wire::id(&message.id, "id")?;
        let terms = map::new_terms(&message)?;
        let product = product::edit(&self.0, &caller, id, message.try_into()?, terms).await?;
        Ok(Response::new(proto::EditProductResponse {
            product: Some((&product).into()),
        }))
    }

    async fn admin_list_products(
        &self,
        request: Request<proto::AdminListProductsRequest>,
    ) -> Result<Response<proto::AdminListProductsResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let list = List::new(request.into_inner().page, "products", &"")?;
        let rows = product::list(&self.0, list.before()?, list.fetch()).await?;
        let (products, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::AdminListProductsResponse {
            items: products.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn create_operator(
        &self,
        request: Request<proto::CreateOperatorRequest>,
    ) -> Result<Response<proto::CreateOperatorResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let once = Once::new::<proto::CreateOperatorResponse>(&caller, staff.id, &request);
        let name = wire::line(&request.name, LONGEST_NAME, "name")?;
        let answer = operator::create(&self.0, once, &caller, name).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn list_operators(
        &self,
        request: Request<proto::ListOperatorsRequest>,
    ) -> Result<Response<proto::ListOperatorsResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let list = List::new(request.into_inner().page, "operators", &"")?;
        let rows = operator::list(&self.0, list.before()?, list.fetch()).await?;
        let (operators, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListOperatorsResponse {
            items: operators.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn push_plan(
        &self,
        request: Request<proto::PushPlanRequest>,
    ) -> Result<Response<proto::PushPlanResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let once = Once::new::<proto::PushPlanResponse>(&caller, staff.id, &request);
        let answer = order::push(&self.0, once, &caller, Push::try_from(request)?).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn admin_list_plans(
        &self,
        request: Request<proto::AdminListPlansRequest>,
    ) -> Result<Response<proto::AdminListPlansResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let request = request.into_inner();
        let filter = Filter {
            statuses: map::statuses(request.status)?,
            official: map::official(request.push)?,
        };
        let user = wire::filter_id(&request.user_id).map(UserId);
        let owner = user.map_or_else(|| "all".to_owned(), |user| user.to_string());
        let list = List::new(request.page, "plans", &owner)?;
        let (before, fetch) = (list.before()?, list.fetch());
        let number = request.plan_number.trim();
        let rows = if number.is_empty() {
            order::list(&self.0, user, &filter, before, fetch).await?
        } else {
            order::list_by_number(&self.0, number, user, &filter).await?
        };
        let (orders, next_cursor) = list.cut(rows, |last| last.id);
        let share = self.0.rules.platform_share_basis_points;
        Ok(Response::new(proto::AdminListPlansResponse {
            items: orders.iter().map(|order| map::plan(order, share)).collect(),
            next_cursor,
        }))
    }

    async fn admin_get_plan(
        &self,
        request: Request<proto::AdminGetPlanRequest>,
    ) -> Result<Response<proto::AdminGetPlanResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(StaffRole::ALL)?;
        let id = wire::id(&request.into_inner().plan_id, "id")?;
        let detail = order::detail(&self.0, id, None, caller.time_zone).await?;
        let share = self.0.rules.platform_share_basis_points;
        Ok(Response::new(map::staff_detail(detail, share)))
    }

    async fn admin_get_plan_pace(
        &self,
        request: Request<proto::AdminGetPlanPaceRequest>,
    ) -> Result<Response<proto::AdminGetPlanPaceResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(StaffRole::ALL)?;
        let id = wire::id(&request.into_inner().plan_id, "plan_id")?;
        let pace = shown::pace(&self.0, id, None, caller.time_zone).await?;
        Ok(Response::new(proto::AdminGetPlanPaceResponse {
            pace: Some(pace.into()),
        }))
    }

    async fn admin_list_plan_placements(
        &self,
        request: Request<proto::AdminListPlanPlacementsRequest>,
    ) -> Result<Response<proto::AdminListPlanPlacementsResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let id = wire::id(&request.into_inner().plan_id, "plan_id")?;
        let places = shown::places(&self.0, id, None).await?;
        Ok(Response::new(proto::AdminListPlanPlacementsResponse {
            placements: Some(places.into()),
        }))
    }

    async fn finish_plan(
        &self,
        request: Request<proto::FinishPlanRequest>,
    ) -> Result<Response<proto::FinishPlanResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let id = wire::id(&request.plan_id, "id")?;
        let outcome = Outcome::required(request.outcome, "outcome")?;
        let reason = map::text(&request.reason, LONGEST_REASON, "reason")?;
        let order = settlement::finish(&self.0, &caller, id, outcome, reason).await?;
        Ok(Response::new(proto::FinishPlanResponse {
            plan: Some(map::plan(&order, self.0.rules.platform_share_basis_points)),
        }))
    }

    async fn settle_plan(
        &self,
        request: Request<proto::SettlePlanRequest>,
    ) -> Result<Response<proto::SettlePlanResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Operator])?;
        let id = wire::id(&request.into_inner().plan_id, "id")?;
        let order = settlement::settle(&self.0, &caller, id).await?;
        Ok(Response::new(proto::SettlePlanResponse {
            plan: Some(map::plan(&order, self.0.rules.platform_share_basis_points)),
        }))
    }

    async fn import_delivery(
        &self,
        request: Request<Streaming<proto::ImportDeliveryRequest>>,
    ) -> Result<Response<proto::ImportDeliveryResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Operator])?;
        let mut messages = request.into_inner();
        let first = messages.message().await.map_err(|_| broken_off())?;
        let header = header(first)?;
        let pieces = messages.map(piece);
        let encode = |outcome: &_| proto::ImportDeliveryResponse::from(outcome).encode_to_vec();
        let answer = import::run(&self.0, &caller, header, pieces, encode).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn list_delivery_imports(
        &self,
        request: Request<proto::ListDeliveryImportsRequest>,
    ) -> Result<Response<proto::ListDeliveryImportsResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let request = request.into_inner();
        let state = State::optional(request.state, "state")?;
        let list = List::new(request.page, "imports", &state.map_or("all", State::as_str))?;
        let rows = proposal::list(&self.0, state, list.before()?, list.fetch()).await?;
        let (imports, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListDeliveryImportsResponse {
            items: imports.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn decide_delivery_import(
        &self,
        request: Request<proto::DecideDeliveryImportRequest>,
    ) -> Result<Response<proto::DecideDeliveryImportResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator, StaffRole::Finance])?;
        let request = request.into_inner();
        let id = wire::id(&request.import_id, "import_id")?;
        let choice = Choice::required(request.decision, "decision")?;
        let reason = map::text(&request.reason, LONGEST_REASON, "reason")?;
        if reason.is_empty() {
            return Err(Refusal::invalid("reason").into());
        }
        let import = proposal::decide(&self.0, &caller, staff.id, id, choice, reason).await?;
        Ok(Response::new(proto::DecideDeliveryImportResponse {
            import: Some(import.into()),
        }))
    }

    async fn list_quarantined_reports(
        &self,
        request: Request<proto::ListQuarantinedReportsRequest>,
    ) -> Result<Response<proto::ListQuarantinedReportsResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let request = request.into_inner();
        let state = quarantine::State::optional(request.state, "state")?;
        let shown = state.map_or("all", quarantine::State::as_str);
        let list = List::new(request.page, "quarantine", &shown)?;
        let rows = quarantine::list(&self.0, state, list.before()?, list.fetch()).await?;
        let (held, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListQuarantinedReportsResponse {
            items: held.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn decide_quarantined_reports(
        &self,
        request: Request<proto::DecideQuarantinedReportsRequest>,
    ) -> Result<Response<proto::DecideQuarantinedReportsResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator, StaffRole::Finance])?;
        let request = request.into_inner();
        let decision = quarantine::Decision {
            by: staff.id,
            ids: quarantined_ids(&request.ids)?,
            choice: Choice::required(request.decision, "decision")?,
            reason: map::text(&request.reason, LONGEST_REASON, "reason")?,
        };
        if decision.reason.is_empty() {
            return Err(Refusal::invalid("reason").into());
        }
        let decided = quarantine::decide(&self.0, &caller, decision).await?;
        Ok(Response::new(proto::DecideQuarantinedReportsResponse {
            items: decided.into_iter().map(Into::into).collect(),
        }))
    }

    async fn get_current_operators(
        &self,
        request: Request<proto::GetCurrentOperatorsRequest>,
    ) -> Result<Response<proto::GetCurrentOperatorsResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let ids = request.into_inner().user_ids;
        if ids.len() > MOST_USERS {
            return Err(Refusal::invalid("user_ids").into());
        }
        // A malformed id belongs to nobody, who follows nobody.
        let users: Vec<UserId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
        let current = follow::current_of(&self.0, &users).await?;
        Ok(Response::new(proto::GetCurrentOperatorsResponse {
            items: current.iter().map(Into::into).collect(),
        }))
    }

    async fn save_report_source(
        &self,
        request: Request<proto::SaveReportSourceRequest>,
    ) -> Result<Response<proto::SaveReportSourceResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[])?;
        let request = request.into_inner();
        let channels = request.channels.iter();
        let channels: Result<Vec<Channel>, Refusal> = channels
            .map(|channel| Channel::required(*channel, "channels"))
            .collect();
        let saved =
            source::save(&self.0, caller, request.source, channels?, &request.reason).await?;
        Ok(Response::new(proto::SaveReportSourceResponse {
            source: Some(saved.into()),
        }))
    }

    async fn add_report_source_key(
        &self,
        request: Request<proto::AddReportSourceKeyRequest>,
    ) -> Result<Response<proto::AddReportSourceKeyResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[])?;
        let request = request.into_inner();
        let changed = source::add_key(&self.0, caller, request.source, &request.public_key).await?;
        Ok(Response::new(proto::AddReportSourceKeyResponse {
            source: Some(changed.into()),
        }))
    }

    async fn revoke_report_source_key(
        &self,
        request: Request<proto::RevokeReportSourceKeyRequest>,
    ) -> Result<Response<proto::RevokeReportSourceKeyResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[])?;
        let request = request.into_inner();
        let kid = Kid::named(&request.kid);
        let changed = source::revoke_key(&self.0, caller, kid, &request.reason).await?;
        Ok(Response::new(proto::RevokeReportSourceKeyResponse {
            source: Some(changed.into()),
        }))
    }

    async fn list_report_sources(
        &self,
        request: Request<proto::ListReportSourcesRequest>,
    ) -> Result<Response<proto::ListReportSourcesResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let sources = source::list(&self.0).await?;
        Ok(Response::new(proto::ListReportSourcesResponse {
            items: sources.into_iter().map(Into::into).collect(),
        }))
    }

    async fn verify_reports(
        &self,
        request: Request<proto::VerifyReportsRequest>,
    ) -> Result<Response<proto::VerifyReportsResponse>, Status> {
        Caller::from_request(&request).require_staff(&[])?;
        // Before the chain: what stops waiting meanwhile is in the chain that is verified.
        let waiting = seal::waiting(&self.0).await?;
        let newest = seal::newest(&self.0).await?;
        let last = newest.map_or(0, |newest| newest.seq);
        let found = seal::verify(&self.0, 0, last).await?;
        let unsealed = seal::unsealed(&self.0).await?;
        let (broken_sequence, detail) = found.broken.unwrap_or_default();
        Ok(Response::new(proto::VerifyReportsResponse {
            reports: i64::try_from(found.items).unwrap_or(i64::MAX),
            sequence: found.head.map_or(0, |head| head.seq),
            hash: found
                .head
                .map_or_else(String::new, |head| hex::encode(head.hash)),
            broken_sequence,
            detail: detail.to_owned(),
            unsealed: i64::try_from(unsealed).unwrap_or(i64::MAX),
            waiting,
        }))
    }

    async fn get_waiting(
        &self,
        request: Request<proto::GetWaitingRequest>,
    ) -> Result<Response<proto::GetWaitingResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let desk = waiting::of_staff(&self.0).await?;
        let sources = desk.sources.into_iter().map(|it| proto::SourceSilence {
            source: it.source,
            reported_at: it.reported_at.map(wire::timestamp),
        });
        Ok(Response::new(proto::GetWaitingResponse {
            items: desk.waiting.into_iter().map(Into::into).collect(),
            sources: sources.collect(),
            is_more_sources: desk.is_more_sources,
        }))
    }
}

/// The header in the first message of an import.
fn header(first: Option<proto::ImportDeliveryRequest>) -> Result<Header, Refusal> {
    match first.and_then(|message| message.part) {
        Some(Part::Header(header)) => header.try_into(),
        _ => Err(wrong_file("the first message is not the header")),
    }
}

/// The piece of the file in a further message of an import.
fn piece(message: Result<proto::ImportDeliveryRequest, Status>) -> Result<Vec<u8>, Refusal> {
    match message.map_err(|_| broken_off())?.part {
        Some(Part::Chunk(piece)) => Ok(piece),
        _ => Err(wrong_file("a message is not a piece of the file")),
    }
}

fn broken_off() -> Refusal {
    wrong_file("the stream broke off")
}

fn wrong_file(detail: &str) -> Refusal {
    Refusal::invalid("file").detail(detail)
}

/// The reports that a call decides, each once.
fn quarantined_ids(texts: &[String]) -> Result<Vec<QuarantinedId>, Refusal> {
    if texts.is_empty() || texts.len() > quarantine::MOST_DECIDED {
        let detail = format!("1 to {} ids", quarantine::MOST_DECIDED);
        return Err(Refusal::invalid("ids").detail(detail));
    }
    let mut ids: Vec<QuarantinedId> = Vec::with_capacity(texts.len());
    for text in texts {
        let id = wire::id(text, "ids")?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}
