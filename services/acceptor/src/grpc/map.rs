//! Between the contract's messages and this service's own types.

use adfolio_kit::mirror;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_money::Money;
use adfolio_proto::acceptor::v1 as proto;
use prost::Message as _;

use crate::acceptance::code::Code;
use crate::acceptance::entity::{Currency, Direction, Issued, Offer, Terms};
use crate::acceptor::entity::{Acceptor, Kind};
use crate::exchange::entity::{Answers, Ending, Exchange, Status};

mirror! {
    Kind = proto::AcceptorKind,
    Direction = proto::ExchangeDirection,
    Status = proto::ExchangeStatus,
}

impl From<&Acceptor> for proto::Acceptor {
    fn from(acceptor: &Acceptor) -> Self {
        Self {
            id: acceptor.id.to_string(),
            kind: acceptor.kind.to_wire(),
            name: acceptor.name.clone(),
            rating_tenths: acceptor.rating.tenths(),
            completed_orders: acceptor.completed_orders,
        }
    }
}

impl From<&Acceptor> for proto::CreateAcceptorResponse {
    fn from(acceptor: &Acceptor) -> Self {
        Self {
            acceptor: Some(acceptor.into()),
        }
    }
}

impl From<&Offer> for proto::Offer {
    fn from(Offer { id, terms }: &Offer) -> Self {
        Self {
            id: id.to_string(),
            direction: terms.direction.to_wire(),
            currency: terms.currency.as_str().to_owned(),
            rate: terms.rate.to_string(),
            min_minor: terms.min.minor(),
            max_minor: terms.max.minor(),
            expires_at: Some(terms.expires_at.into()),
        }
    }
}

impl From<&Issued> for proto::CreateAcceptanceCodeResponse {
    fn from(issued: &Issued) -> Self {
        Self {
            code: issued.code.expose().to_owned(),
            offer: Some((&issued.offer).into()),
        }
    }
}

impl From<&Exchange> for proto::Exchange {
    fn from(exchange: &Exchange) -> Self {
        Self {
            id: exchange.id.to_string(),
            user_id: exchange.user.to_string(),
            acceptor: Some(proto::Acceptor {
                id: exchange.acceptor.id.to_string(),
                kind: exchange.acceptor.kind.to_wire(),
                name: exchange.acceptor.name.clone(),
                ..proto::Acceptor::default()
            }),
            direction: exchange.direction.to_wire(),
            currency: exchange.currency.as_str().to_owned(),
            rate: exchange.rate.to_string(),
            amount_minor: exchange.amount.minor(),
            counter_amount: exchange.counter_amount.clone(),
            status: exchange.status().map_or(0, Status::to_wire),
            create_time: Some(exchange.created_at.into()),
            finish_time: exchange.finished_at.map(Into::into),
            expire_time: Some(exchange.expires_at.into()),
            // A decision shows once wallet has posted.
            reason: if exchange.has_ended() {
                exchange.reason.clone()
            } else {
                String::new()
            },
            missing_minor: exchange.missing().map_or(0, Money::minor),
            completion_request: exchange
                .asked
                .as_ref()
                .map(|asked| proto::CompletionRequest {
                    requested_by: asked.by.to_string(),
                    requested_at: Some(asked.at.into()),
                    reason: asked.reason.clone(),
                }),
        }
    }
}

impl From<&Exchange> for proto::CreateExchangeResponse {
    fn from(exchange: &Exchange) -> Self {
        Self {
            exchange: Some(exchange.into()),
        }
    }
}

impl From<&Exchange> for proto::CancelExchangeResponse {
    fn from(exchange: &Exchange) -> Self {
        Self {
            exchange: Some(exchange.into()),
        }
    }
}

impl From<&Exchange> for proto::DecideExchangeResponse {
    fn from(exchange: &Exchange) -> Self {
        Self {
            exchange: Some(exchange.into()),
        }
    }
}

impl TryFrom<proto::ExchangeDecision> for Ending {
    type Error = Refusal;

    fn try_from(decision: proto::ExchangeDecision) -> Result<Self, Refusal> {
        match decision {
            proto::ExchangeDecision::Completed => Ok(Self::Completed),
            proto::ExchangeDecision::Cancelled => Ok(Self::Cancelled),
            proto::ExchangeDecision::Unspecified => Err(Refusal::invalid("decision")),
        }
    }
}

/// The offer that staff ask for; a refusal names fields as the staff API does.
impl TryFrom<&proto::Offer> for Terms {
    type Error = Refusal;

    fn try_from(offer: &proto::Offer) -> Result<Self, Refusal> {
        Ok(Self {
            direction: Direction::required(offer.direction, "direction")?,
            currency: Currency::parse(&offer.currency)?,
            rate: offer.rate.parse().map_err(|_| Refusal::invalid("rate"))?,
            min: Money::from_minor(offer.min_minor),
            max: Money::from_minor(offer.max_minor),
            expires_at: wire::instant(offer.expires_at, "expires_at")?
                .ok_or_else(|| Refusal::invalid("expires_at"))?,
        })
    }
}

/// The code that a user typed. An empty one is invalid input; any other text that cannot be a code is a wrong code.
pub fn typed_code(text: &str) -> Result<Option<Code>, Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::invalid("code"));
    }
    Ok(Code::typed(text))
}

/// The answers that exchange orders keep for repeats of the calls that opened and decided them.
pub const ANSWERS: Answers = Answers {
    opened: |exchange| proto::CreateExchangeResponse::from(exchange).encode_to_vec(),
    ended: |exchange| {
        if is_ended_by_owner(exchange) {
            proto::CancelExchangeResponse::from(exchange).encode_to_vec()
        } else {
            proto::DecideExchangeResponse::from(exchange).encode_to_vec()
        }
    },
};

/// A key's scope is the caller: the owner cancels, all others are staff.
fn is_ended_by_owner(exchange: &Exchange) -> bool {
    let call = exchange.ending_call.as_ref();
    call.is_some_and(|call| call.scope == exchange.user.0)
}
