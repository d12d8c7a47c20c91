//! What users do with acceptors.

use adfolio_kit::identity::Caller;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::{self, List};
use adfolio_money::Money;
use adfolio_proto::acceptor::v1 as proto;
use adfolio_proto::acceptor::v1::acceptor_service_server::AcceptorService;
use secrecy::SecretString;
use tonic::{Request, Response, Status};

use super::UserApi;
use super::map::typed_code;
use crate::acceptor::Kind;
use crate::exchange::{Command, Decider, Decision, Ending};
use crate::{acceptance, exchange};

/// Length of an MD5 in hex digits.
const PASSWORD_LENGTH: usize = 32;

#[tonic::async_trait]
impl AcceptorService for UserApi {
    async fn get_acceptor_detail(
        &self,
        request: Request<proto::GetAcceptorDetailRequest>,
    ) -> Result<Response<proto::GetAcceptorDetailResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let request = request.into_inner();
        let kind = Kind::required(request.kind, "kind")?;
        let code = typed_code(&request.code)?;
        let acceptance = acceptance::look_up(&self.0, user, kind, code).await?;
        let current = exchange::current(&self.0, user).await?;
        Ok(Response::new(proto::GetAcceptorDetailResponse {
            acceptor: Some((&acceptance.acceptor).into()),
            offer: Some((&acceptance.offer).into()),
            current: current.as_ref().map(Into::into),
        }))
    }

    async fn get_exchange_limit(
        &self,
        _: Request<proto::GetExchangeLimitRequest>,
    ) -> Result<Response<proto::GetExchangeLimitResponse>, Status> {
        let limit = self.0.rules.exchange_limit;
        Ok(Response::new(proto::GetExchangeLimitResponse {
            min_minor: limit.min.minor(),
            max_minor: limit.max.minor(),
        }))
    }

    async fn create_exchange(
        &self,
        request: Request<proto::CreateExchangeRequest>,
    ) -> Result<Response<proto::CreateExchangeResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let mut request = request.into_inner();
        let command = Command {
            kind: Kind::required(request.kind, "kind")?,
            code: typed_code(&request.code)?,
            amount: positive(request.amount_minor)?,
            password: md5(std::mem::take(&mut request.password))?,
        };
        // The digest is taken of the request without its password: six digits could be guessed from a digest.
        let once = Once::new::<proto::CreateExchangeResponse>(&caller, user.0, &request);
        let answer = exchange::open(&self.0, once, &caller, user, command).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn cancel_exchange(
        &self,
        request: Request<proto::CancelExchangeRequest>,
    ) -> Result<Response<proto::CancelExchangeResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let once = Once::new::<proto::CancelExchangeResponse>(&caller, user.0, &request);
        let decision = Decision {
            id: wire::id(&request.exchange_id, "id")?,
            by: Decider::Owner(user),
            ending: Ending::Cancelled,
            reason: String::new(),
        };
        let answer = exchange::decide(&self.0, once, &caller, decision).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn list_exchanges(
        &self,
        request: Request<proto::ListExchangesRequest>,
    ) -> Result<Response<proto::ListExchangesResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let list = List::new(request.into_inner().page, "exchanges", &user)?;
        let rows = exchange::list(&self.0, Some(user), None, list.before()?, list.fetch()).await?;
        let (exchanges, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListExchangesResponse {
            items: exchanges.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }
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
