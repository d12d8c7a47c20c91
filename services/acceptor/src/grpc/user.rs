//! What users ask of acceptors.

use adfolio_kit::idempotency;
use adfolio_kit::identity::Caller;
use adfolio_kit::pagination::Cursor;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_money::Money;
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::acceptor::v1::acceptor_service_server::AcceptorService;
use prost::Message;
use secrecy::SecretString;
use tonic::{Request, Response, Status};

use super::convert;
use crate::acceptance::Code;
use crate::error::AcceptorError;
use crate::exchange::{Command, Decision, Ending, Exchange, Exchanges};

/// Length of an MD5 in hex digits.
const PASSWORD_LENGTH: usize = 32;

/// The calls of users.
#[derive(Debug)]
pub struct UserCalls {
    exchanges: Exchanges,
}

impl UserCalls {
    /// On these use cases.
    pub fn new(exchanges: Exchanges) -> Self {
        Self { exchanges }
    }
}

#[tonic::async_trait]
impl AcceptorService for UserCalls {
    async fn get_acceptor_detail(
        &self,
        request: Request<pb::GetAcceptorDetailRequest>,
    ) -> Result<Response<pb::GetAcceptorDetailResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let request = request.into_inner();
        let kind = convert::kind_from_wire(request.kind)?;
        let code = typed_code(&request.code)?;
        let failed = |error: AcceptorError| error.into_status("get_acceptor_detail");
        let acceptance = self
            .exchanges
            .acceptances
            .look_up(user, kind, code)
            .await
            .map_err(failed)?;
        let current = self.exchanges.current(user).await.map_err(failed)?;
        Ok(Response::new(pb::GetAcceptorDetailResponse {
            acceptor: Some(convert::acceptor(&acceptance.acceptor)),
            offer: Some(convert::offer(&acceptance.offer)),
            current: current.as_ref().map(convert::exchange),
        }))
    }

    async fn get_exchange_limit(
        &self,
        _: Request<pb::GetExchangeLimitRequest>,
    ) -> Result<Response<pb::GetExchangeLimitResponse>, Status> {
        let limit = self.exchanges.rules.exchange_limit;
        Ok(Response::new(pb::GetExchangeLimitResponse {
            min_minor: limit.min.minor(),
            max_minor: limit.max.minor(),
        }))
    }

    async fn create_exchange(
        &self,
        request: Request<pb::CreateExchangeRequest>,
    ) -> Result<Response<pb::CreateExchangeResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_user()?;
        let mut request = request.into_inner();
        let command = Command {
            kind: convert::kind_from_wire(request.kind)?,
            code: typed_code(&request.code)?,
            amount: positive(request.amount_minor)?,
            password: md5(std::mem::take(&mut request.password))?,
        };
        // Taken of the request without its password: six digits could be guessed from a digest.
        let digest = idempotency::digest(&request);
        let failed = |error: AcceptorError| error.into_status("create_exchange");
        let answer = self
            .exchanges
            .create(&caller, digest, command)
            .await
            .map_err(failed)?;
        let answer = pb::CreateExchangeResponse::decode(&*answer)
            .map_err(|_| failed(AcceptorError::UnknownColumnValue("answer")))?;
        Ok(Response::new(answer))
    }

    async fn cancel_exchange(
        &self,
        request: Request<pb::CancelExchangeRequest>,
    ) -> Result<Response<pb::CancelExchangeResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let decision = Decision {
            id: wire::id(&request.exchange_id, "id")?,
            owner: Some(user),
            ending: Ending::Cancelled,
            reason: String::new(),
            scope: user.0,
            operation: "cancel_exchange",
            digest: idempotency::digest(&request),
        };
        let answer = self
            .exchanges
            .decide(&caller, decision, cancelled)
            .await
            .map_err(|error| error.into_status("cancel_exchange"))?;
        Ok(Response::new(answer))
    }

    async fn list_exchanges(
        &self,
        request: Request<pb::ListExchangesRequest>,
    ) -> Result<Response<pb::ListExchangesResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let (page, cursor) = wire::page(request.into_inner().page)?;
        let cursors = Cursor::new("exchanges", &user.to_string());
        let before = wire::cursor_id(&cursors, cursor.as_deref())?;
        let rows = self
            .exchanges
            .list(Some(user), None, before, page.fetch())
            .await
            .map_err(|error| error.into_status("list_exchanges"))?;
        let (exchanges, next) = page.cut(rows, |last| cursors.encode(&[&last.id.to_string()]));
        Ok(Response::new(pb::ListExchangesResponse {
            items: exchanges.iter().map(convert::exchange).collect(),
            next_cursor: next.unwrap_or_default(),
        }))
    }
}

/// What the user who opened an order is answered.
pub fn created(exchange: &Exchange) -> pb::CreateExchangeResponse {
    pb::CreateExchangeResponse {
        exchange: Some(convert::exchange(exchange)),
    }
}

/// What the user who cancelled an order is answered.
pub fn cancelled(exchange: &Exchange) -> pb::CancelExchangeResponse {
    pb::CancelExchangeResponse {
        exchange: Some(convert::exchange(exchange)),
    }
}

/// An empty code is a mistake of form; what no code looks like is a wrong code.
fn typed_code(text: &str) -> Result<Option<Code>, Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::invalid("code"));
    }
    Ok(Code::typed(text))
}

fn positive(minor: i64) -> Result<Money, Refusal> {
    if minor > 0 {
        Ok(Money::from_minor(minor))
    } else {
        Err(Refusal::invalid("amount"))
    }
}

fn md5(text: String) -> Result<SecretString, Refusal> {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.len() == PASSWORD_LENGTH && text.bytes().all(is_hex) {
        Ok(text.into())
    } else {
        Err(Refusal::invalid("password"))
    }
}
