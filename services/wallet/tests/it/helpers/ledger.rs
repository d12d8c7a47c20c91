//! The calls that other services make.

use adfolio_kit::client::Channel;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Refusal;
use adfolio_proto::wallet::v1 as proto;
use adfolio_proto::wallet::v1::ledger_service_client::LedgerServiceClient;
use uuid::Uuid;

use super::{call, refused};

/// The calls that other services make.
#[derive(Clone)]
pub struct Ledger(pub LedgerServiceClient<Channel>);

/// What a release gave back, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returned {
    pub paid: i64,
    pub discount: i64,
}

/// What a settlement paid out and gave back, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    pub paid_out: i64,
    pub returned: i64,
}

impl Ledger {
    pub fn of(channel: Channel) -> Self {
        Self(LedgerServiceClient::new(channel))
    }

    pub fn client(&self) -> LedgerServiceClient<Channel> {
        self.0.clone()
    }

    pub async fn hold(
        &self,
        user: Uuid,
        order: Uuid,
        paid: i64,
        discount: i64,
    ) -> Result<proto::Property, Refusal> {
        let message = proto::HoldRequest {
            order_id: order.to_string(),
            user_id: user.to_string(),
            paid_minor: paid,
            discount_minor: discount,
        };
        let answer = self
            .client()
            .hold(call(&Caller::system(), message))
            .await
            .map_err(refused)?;
        Ok(answer.into_inner().property.expect("figures"))
    }

    pub async fn release(&self, user: Uuid, order: Uuid) -> Result<Returned, Refusal> {
        let message = proto::ReleaseRequest {
            order_id: order.to_string(),
            user_id: user.to_string(),
        };
        let answer = self
            .client()
            .release(call(&Caller::system(), message))
            .await
            .map_err(refused)?;
        let answer = answer.into_inner();
        Ok(Returned {
            paid: answer.paid_returned_minor,
            discount: answer.discount_returned_minor,
        })
    }

    pub async fn record(
        &self,
        user: Uuid,
        order: Uuid,
        version: i64,
        consumed: i64,
        revenue: i64,
    ) -> Result<i64, Refusal> {
        let message = proto::RecordDeliveryRequest {
            order_id: order.to_string(),
            user_id: user.to_string(),
            version,
            consumed_total_minor: consumed,
            revenue_total_minor: revenue,
        };
        let request = call(&Caller::system(), message);
        Ok(self
            .client()
            .record_delivery(request)
            .await
            .map_err(refused)?
            .into_inner()
            .version)
    }

    pub async fn settle(
        &self,
        user: Uuid,
        order: Uuid,
        consumed: i64,
        revenue: i64,
        share: i64,
    ) -> Result<Settled, Refusal> {
        let message = proto::SettleRequest {
            order_id: order.to_string(),
            user_id: user.to_string(),
            consumed_total_minor: consumed,
            revenue_total_minor: revenue,
            platform_share_minor: share,
        };
        let answer = self
            .client()
            .settle(call(&Caller::system(), message))
            .await
            .map_err(refused)?;
        let answer = answer.into_inner();
        Ok(Settled {
            paid_out: answer.paid_out_minor,
            returned: answer.paid_returned_minor,
        })
    }

    pub async fn exchange(
        &self,
        user: Uuid,
        exchange: Uuid,
        step: proto::ExchangeStep,
        minor: i64,
    ) -> Result<proto::Property, Refusal> {
        self.exchange_late(user, (exchange, None), step, minor)
            .await
    }

    /// A step of an exchange order; a late one with its attempt.
    pub async fn exchange_late(
        &self,
        user: Uuid,
        (exchange, attempt): (Uuid, Option<Uuid>),
        step: proto::ExchangeStep,
        minor: i64,
    ) -> Result<proto::Property, Refusal> {
        let message = proto::PostExchangeRequest {
            exchange_id: exchange.to_string(),
            user_id: user.to_string(),
            step: step.into(),
            amount_minor: minor,
            attempt_id: attempt.map_or_else(String::new, |id| id.to_string()),
        };
        let request = call(&Caller::system(), message);
        let answer = self.client().post_exchange(request).await;
        Ok(answer
            .map_err(refused)?
            .into_inner()
            .property
            .expect("figures"))
    }

    pub async fn order_flow(&self, user: Uuid, order: Uuid) -> Vec<proto::FlowEntry> {
        let message = proto::ListOrderFlowRequest {
            order_id: order.to_string(),
            user_id: user.to_string(),
        };
        let request = call(&Caller::system(), message);
        self.client()
            .list_order_flow(request)
            .await
            .expect("lines")
            .into_inner()
            .items
    }
}
