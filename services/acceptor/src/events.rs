//! What this service announces, in the transaction of the change.

use adfolio_kit::db::Tx;
use adfolio_kit::outbox::{self, Event};
use adfolio_proto::events::v1::ExchangeStatusChanged;

use crate::error::AcceptorError;
use crate::exchange::entity::{Exchange, Status};

const EXCHANGE_STATUS_CHANGED: &str = "adfolio.acceptor.v1.ExchangeStatusChanged";

/// An order is open or has ended.
pub async fn exchange_changed_in_tx(tx: &mut Tx, exchange: &Exchange) -> Result<(), AcceptorError> {
    let data = ExchangeStatusChanged {
        exchange_id: exchange.id.to_string(),
        user_id: exchange.user.to_string(),
        status: exchange.status().map_or("", Status::as_str).to_owned(),
        direction: exchange.direction.as_str().to_owned(),
        currency: exchange.currency.as_str().to_owned(),
        amount_minor: exchange.amount.minor(),
        counter_amount: exchange.counter_amount.clone(),
        reason: exchange.reason.clone(),
    };
    let event = Event::new(EXCHANGE_STATUS_CHANGED, exchange.user, &data)?;
    Ok(outbox::enqueue_in_tx(tx, &[event]).await?)
}
