//! What staff do with acceptors.

use adfolio_kit::idempotency;
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::once::MessageOnce;
use adfolio_kit::pagination::Cursor;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::acceptor::v1::acceptor_admin_service_server::AcceptorAdminService;
use tonic::{Request, Response, Status};

use super::convert;
use crate::acceptance::{Acceptances, Code, NewAcceptance, Offer};
use crate::acceptor::{Acceptor, Acceptors, Rating};
use crate::exchange::{Decision, Ending, Exchange, Exchanges};

/// Longest name of an acceptor, in characters.
const LONGEST_NAME: usize = 100;

/// Longest reason of a decision, in characters.
const LONGEST_REASON: usize = 500;

/// The calls of staff.
#[derive(Debug)]
pub struct StaffCalls {
    acceptors: Acceptors,
    acceptances: Acceptances,
    exchanges: Exchanges,
}

impl StaffCalls {
    /// On these use cases.
    pub fn new(acceptors: Acceptors, acceptances: Acceptances, exchanges: Exchanges) -> Self {
        Self {
            acceptors,
            acceptances,
            exchanges,
        }
    }
}

#[tonic::async_trait]
impl AcceptorAdminService for StaffCalls {
    async fn create_acceptor(
        &self,
        request: Request<pb::CreateAcceptorRequest>,
    ) -> Result<Response<pb::CreateAcceptorResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let once = MessageOnce::new(&caller, staff.id, "create_acceptor", &request);
        let kind = convert::kind_from_wire(request.kind)?;
        let name = wire::line(&request.name, LONGEST_NAME, "name")?;
        let rating = Rating::from_tenths(request.rating_tenths)?;
        let answer = self
            .acceptors
            .create(once, &caller, staff.id, (kind, name, rating), created)
            .await
            .map_err(|error| error.into_status("create_acceptor"))?;
        self.exchanges.notifier.notify();
        Ok(Response::new(answer))
    }

    async fn list_acceptors(
        &self,
        request: Request<pb::ListAcceptorsRequest>,
    ) -> Result<Response<pb::ListAcceptorsResponse>, Status> {
        Caller::from_request(&request).require_staff(&StaffRole::ALL)?;
        let (page, cursor) = wire::page(request.into_inner().page)?;
        let cursors = Cursor::new("acceptors", "staff");
        let before = wire::cursor_id(&cursors, cursor.as_deref())?;
        let rows = self
            .acceptors
            .list(before, page.fetch())
            .await
            .map_err(|error| error.into_status("list_acceptors"))?;
        let (acceptors, next) = page.cut(rows, |last| cursors.encode(&[&last.id.to_string()]));
        Ok(Response::new(pb::ListAcceptorsResponse {
            items: acceptors.iter().map(convert::acceptor).collect(),
            next_cursor: next.unwrap_or_default(),
        }))
    }

    async fn create_acceptance_code(
        &self,
        request: Request<pb::CreateAcceptanceCodeRequest>,
    ) -> Result<Response<pb::CreateAcceptanceCodeResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let once = MessageOnce::new(&caller, staff.id, "create_acceptance_code", &request);
        let offer = request
            .offer
            .as_ref()
            .ok_or_else(|| Refusal::invalid("offer"))?;
        let new = NewAcceptance {
            acceptor: wire::id(&request.acceptor_id, "acceptor_id")?,
            user: wire::optional_id(&request.user_id, "user_id")?.map(UserId),
            code: if request.code.is_empty() {
                None
            } else {
                Some(Code::exact(&request.code)?)
            },
            offer: convert::new_offer(self.acceptances.offer_id(), offer)?,
        };
        let answer = self
            .acceptances
            .issue(once, &caller, staff.id, new, issued)
            .await
            .map_err(|error| error.into_status("create_acceptance_code"))?;
        self.exchanges.notifier.notify();
        Ok(Response::new(answer))
    }

    async fn admin_list_exchanges(
        &self,
        request: Request<pb::AdminListExchangesRequest>,
    ) -> Result<Response<pb::AdminListExchangesResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let status = convert::wanted_status(request.status)?;
        let user = wire::filter_id(&request.user_id).map(UserId);
        let (page, cursor) = wire::page(request.page)?;
        let scope = format!(
            "exchanges.{}",
            status.map_or("all", |status| status.as_str())
        );
        let owner = user.map_or_else(|| "staff".to_owned(), |user| user.to_string());
        let cursors = Cursor::new(&scope, &owner);
        let before = wire::cursor_id(&cursors, cursor.as_deref())?;
        let rows = self
            .exchanges
            .list(user, status, before, page.fetch())
            .await
            .map_err(|error| error.into_status("admin_list_exchanges"))?;
        let (exchanges, next) = page.cut(rows, |last| cursors.encode(&[&last.id.to_string()]));
        Ok(Response::new(pb::AdminListExchangesResponse {
            items: exchanges.iter().map(convert::exchange).collect(),
            next_cursor: next.unwrap_or_default(),
        }))
    }

    async fn decide_exchange(
        &self,
        request: Request<pb::DecideExchangeRequest>,
    ) -> Result<Response<pb::DecideExchangeResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Finance])?;
        let request = request.into_inner();
        let decision = Decision {
            id: wire::id(&request.exchange_id, "id")?,
            owner: None,
            ending: match request.decision() {
                pb::ExchangeDecision::Completed => Ending::Completed,
                pb::ExchangeDecision::Cancelled => Ending::Cancelled,
                pb::ExchangeDecision::Unspecified => {
                    return Err(Refusal::invalid("decision").into());
                }
            },
            reason: if request.reason.trim().is_empty() {
                String::new()
            } else {
                wire::line(&request.reason, LONGEST_REASON, "reason")?
            },
            scope: staff.id,
            operation: "decide_exchange",
            digest: idempotency::digest(&request),
        };
        let answer = self
            .exchanges
            .decide(&caller, decision, decided)
            .await
            .map_err(|error| error.into_status("decide_exchange"))?;
        Ok(Response::new(answer))
    }
}

/// What a member of staff is answered about a decided order.
pub fn decided(exchange: &Exchange) -> pb::DecideExchangeResponse {
    pb::DecideExchangeResponse {
        exchange: Some(convert::exchange(exchange)),
    }
}

fn created(acceptor: &Acceptor) -> pb::CreateAcceptorResponse {
    pb::CreateAcceptorResponse {
        acceptor: Some(convert::acceptor(acceptor)),
    }
}

fn issued(code: &Code, offer: &Offer) -> pb::CreateAcceptanceCodeResponse {
    pb::CreateAcceptanceCodeResponse {
        code: code.expose().to_owned(),
        offer: Some(convert::offer(offer)),
    }
}
