//! Between the contract's messages and this service's own types.

use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_money::Money;
use adfolio_proto::acceptor::v1 as pb;
use uuid::Uuid;

use crate::acceptance::{Currency, Direction, Offer};
use crate::acceptor::{Acceptor, Kind};
use crate::exchange::{Exchange, Status};

pub fn kind_from_wire(kind: i32) -> Result<Kind, Refusal> {
    match pb::AcceptorKind::try_from(kind) {
        Ok(pb::AcceptorKind::Personal) => Ok(Kind::Personal),
        Ok(pb::AcceptorKind::Enterprise) => Ok(Kind::Enterprise),
        Ok(pb::AcceptorKind::Unspecified) | Err(_) => Err(Refusal::invalid("kind")),
    }
}

fn kind_to_wire(kind: Kind) -> pb::AcceptorKind {
    match kind {
        Kind::Personal => pb::AcceptorKind::Personal,
        Kind::Enterprise => pb::AcceptorKind::Enterprise,
    }
}

pub fn acceptor(acceptor: &Acceptor) -> pb::Acceptor {
    pb::Acceptor {
        id: acceptor.id.to_string(),
        kind: kind_to_wire(acceptor.kind).into(),
        name: acceptor.name.clone(),
        rating_tenths: acceptor.rating.tenths(),
        completed_orders: acceptor.completed_orders,
    }
}

pub fn offer(offer: &Offer) -> pb::Offer {
    pb::Offer {
        id: offer.id.to_string(),
        direction: direction_to_wire(offer.direction).into(),
        currency: offer.currency.as_str().to_owned(),
        rate: offer.rate.to_string(),
        min_minor: offer.min.minor(),
        max_minor: offer.max.minor(),
        expires_at: Some(offer.expires_at.into()),
    }
}

fn direction_to_wire(direction: Direction) -> pb::ExchangeDirection {
    match direction {
        Direction::WalletToCurrency => pb::ExchangeDirection::WalletToCurrency,
        Direction::CurrencyToWallet => pb::ExchangeDirection::CurrencyToWallet,
    }
}

pub fn exchange(exchange: &Exchange) -> pb::Exchange {
    let status = match exchange.status() {
        None => pb::ExchangeStatus::Unspecified,
        Some(Status::Pending) => pb::ExchangeStatus::Pending,
        Some(Status::Completed) => pb::ExchangeStatus::Completed,
        Some(Status::Cancelled) => pb::ExchangeStatus::Cancelled,
        Some(Status::Expired) => pb::ExchangeStatus::Expired,
    };
    pb::Exchange {
        id: exchange.id.to_string(),
        user_id: exchange.user.to_string(),
        acceptor: Some(pb::Acceptor {
            id: exchange.acceptor.id.to_string(),
            kind: kind_to_wire(exchange.acceptor.kind).into(),
            name: exchange.acceptor.name.clone(),
            ..pb::Acceptor::default()
        }),
        direction: direction_to_wire(exchange.direction).into(),
        currency: exchange.currency.as_str().to_owned(),
        rate: exchange.rate.to_string(),
        amount_minor: exchange.amount.minor(),
        counter_amount: exchange.counter_amount.clone(),
        status: status.into(),
        create_time: Some(exchange.created_at.into()),
        finish_time: exchange.finished_at.map(Into::into),
        expire_time: Some(exchange.expires_at.into()),
        // A decision shows once it is carried out.
        reason: if exchange.has_ended() {
            exchange.reason.clone()
        } else {
            String::new()
        },
    }
}

/// The status that a list is asked for; none for all.
pub fn wanted_status(status: i32) -> Result<Option<Status>, Refusal> {
    match pb::ExchangeStatus::try_from(status) {
        Ok(pb::ExchangeStatus::Unspecified) => Ok(None),
        Ok(pb::ExchangeStatus::Pending) => Ok(Some(Status::Pending)),
        Ok(pb::ExchangeStatus::Completed) => Ok(Some(Status::Completed)),
        Ok(pb::ExchangeStatus::Cancelled) => Ok(Some(Status::Cancelled)),
        Ok(pb::ExchangeStatus::Expired) => Ok(Some(Status::Expired)),
        Err(_) => Err(Refusal::invalid("status")),
    }
}

/// The offer that staff ask for; fields are named as in the staff API.
pub fn new_offer(id: Uuid, offer: &pb::Offer) -> Result<Offer, Refusal> {
    let direction = match offer.direction() {
        pb::ExchangeDirection::Unspecified => return Err(Refusal::invalid("direction")),
        pb::ExchangeDirection::WalletToCurrency => Direction::WalletToCurrency,
        pb::ExchangeDirection::CurrencyToWallet => Direction::CurrencyToWallet,
    };
    Ok(Offer {
        id,
        direction,
        currency: Currency::parse(&offer.currency)?,
        rate: offer.rate.parse().map_err(|_| Refusal::invalid("rate"))?,
        min: Money::from_minor(offer.min_minor),
        max: Money::from_minor(offer.max_minor),
        expires_at: wire::instant(offer.expires_at, "expires_at")?
            .ok_or_else(|| Refusal::invalid("expires_at"))?,
    })
}
