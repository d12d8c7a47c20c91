//! What staff do with acceptors.

use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::{self, List};
use adfolio_proto::acceptor::v1 as proto;
use adfolio_proto::acceptor::v1::acceptor_admin_service_server::AcceptorAdminService;
use tonic::{Request, Response, Status};

use super::StaffApi;
use crate::acceptance::{Code, NewAcceptance};
use crate::acceptor::{Kind, NewAcceptor, Rating};
use crate::exchange::{self, Decider, Decision};
use crate::ids::StaffId;
use crate::{acceptance, acceptor, waiting};

/// Longest name of an acceptor, in characters.
const LONGEST_NAME: usize = 100;

/// Longest reason of a decision, in characters.
const LONGEST_REASON: usize = 500;

#[tonic::async_trait]
impl AcceptorAdminService for StaffApi {
    async fn create_acceptor(
        &self,
        request: Request<proto::CreateAcceptorRequest>,
    ) -> Result<Response<proto::CreateAcceptorResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let once = Once::new::<proto::CreateAcceptorResponse>(&caller, staff.id, &request);
        let new = NewAcceptor {
            kind: Kind::required(request.kind, "kind")?,
            name: wire::line(&request.name, LONGEST_NAME, "name")?,
            rating: Rating::from_tenths(request.rating_tenths)?,
        };
        let answer = acceptor::create(&self.0, once, &caller, staff, new).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn list_acceptors(
        &self,
        request: Request<proto::ListAcceptorsRequest>,
    ) -> Result<Response<proto::ListAcceptorsResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let list = List::new(request.into_inner().page, "acceptors", &"staff")?;
        let rows = acceptor::list(&self.0, list.before()?, list.fetch()).await?;
        let (acceptors, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListAcceptorsResponse {
            items: acceptors.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn create_acceptance_code(
        &self,
        request: Request<proto::CreateAcceptanceCodeRequest>,
    ) -> Result<Response<proto::CreateAcceptanceCodeResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let once = Once::new::<proto::CreateAcceptanceCodeResponse>(&caller, staff.id, &request);
        let offer = request
            .offer
            .as_ref()
            .ok_or_else(|| Refusal::invalid("offer"))?;
        let new = NewAcceptance {
            acceptor: wire::id(&request.acceptor_id, "acceptor_id")?,
            user: wire::optional_id(&request.user_id, "user_id")?,
            code: if request.code.is_empty() {
                None
            } else {
                Some(Code::exact(&request.code)?)
            },
            terms: offer.try_into()?,
        };
        let answer = acceptance::issue(&self.0, once, &caller, staff, new).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn admin_list_exchanges(
        &self,
        request: Request<proto::AdminListExchangesRequest>,
    ) -> Result<Response<proto::AdminListExchangesResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let status = exchange::Status::optional(request.status, "status")?;
        let user = wire::filter_id(&request.user_id).map(UserId);
        let scope = format!(
            "exchanges.{}",
            status.map_or("all", exchange::Status::as_str)
        );
        let owner = user.map_or_else(|| "staff".to_owned(), |user| user.to_string());
        let list = List::new(request.page, &scope, &owner)?;
        let rows = exchange::list(&self.0, user, status, list.before()?, list.fetch()).await?;
        let (exchanges, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::AdminListExchangesResponse {
            items: exchanges.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn decide_exchange(
        &self,
        request: Request<proto::DecideExchangeRequest>,
    ) -> Result<Response<proto::DecideExchangeResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let once = Once::new::<proto::DecideExchangeResponse>(&caller, staff.id, &request);
        let decision = Decision {
            id: wire::id(&request.exchange_id, "id")?,
            by: Decider::Staff(StaffId(staff.id)),
            ending: request.decision().try_into()?,
            reason: if request.reason.trim().is_empty() {
                String::new()
            } else {
                wire::line(&request.reason, LONGEST_REASON, "reason")?
            },
        };
        let answer = exchange::decide(&self.0, once, &caller, decision).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn get_waiting(
        &self,
        request: Request<proto::GetWaitingRequest>,
    ) -> Result<Response<proto::GetWaitingResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let waiting = waiting::of_staff(&self.0).await?;
        Ok(Response::new(proto::GetWaitingResponse {
            items: waiting.into_iter().map(Into::into).collect(),
        }))
    }
}
