//! Between the contract's messages and this service's own types.

use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_money::Money;
use adfolio_proto::acceptor::v1 as pb;
use uuid::Uuid;

use crate::acceptance::{Currency, Direction, Offer};
use crate::acceptor::{Acceptor, Kind};

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
    let direction = match offer.direction {
        Direction::WalletToCurrency => pb::ExchangeDirection::WalletToCurrency,
        Direction::CurrencyToWallet => pb::ExchangeDirection::CurrencyToWallet,
    };
    pb::Offer {
        id: offer.id.to_string(),
        direction: direction.into(),
        currency: offer.currency.as_str().to_owned(),
        rate: offer.rate.to_string(),
        min_minor: offer.min.minor(),
        max_minor: offer.max.minor(),
        expires_at: Some(offer.expires_at.into()),
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
