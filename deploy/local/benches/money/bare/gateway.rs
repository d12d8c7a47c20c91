//! The gateway of the bare path: JSON over HTTP in front of one gRPC call.

use std::sync::Arc;

use adfolio_proto::wallet::v1::wallet_service_client::WalletServiceClient;
use adfolio_proto::wallet::v1::{GetPropertyRequest, Property};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::get;
use axum::serve::ListenerExt as _;
use axum::{Json, Router};
use serde::Serialize;
use tokio::net::TcpListener;
use tonic::Request;
use tonic::transport::Channel;

use super::service::USER_ID;
use super::variable;

pub const LISTEN: &str = "BARE_LISTEN";
pub const SERVICE_URL: &str = "BARE_SERVICE_URL";
pub const RESPONSE_BYTES: &str = "BARE_RESPONSE_BYTES";

struct Gateway {
    channel: Channel,
    /// Fills the response up to the size of the stack's.
    padding: String,
}

pub async fn serve() {
    let channel = Channel::from_shared(variable(SERVICE_URL))
        .unwrap()
        .connect()
        .await
        .unwrap();
    let gateway = Gateway {
        channel,
        padding: padding(variable(RESPONSE_BYTES).parse().unwrap()),
    };
    let router = Router::new()
        .route("/api/user/property", get(property))
        .with_state(Arc::new(gateway));
    let listener = TcpListener::bind(variable(LISTEN)).await.unwrap();
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    axum::serve(listener, router).await.unwrap();
}

#[derive(Serialize)]
struct Envelope {
    code: u16,
    msg: String,
    data: Balances,
}

/// Amounts as decimal strings.
#[derive(Serialize)]
struct Balances {
    available_funds: String,
    to_be_consumed: String,
    to_be_settled: String,
    withdrawing: String,
    discount_amount: String,
    start_up_funds_outstanding: String,
}

async fn property(State(gateway): State<Arc<Gateway>>, headers: HeaderMap) -> Json<Envelope> {
    let user_id = headers["X-CT"].to_str().unwrap().parse().unwrap();
    let mut request = Request::new(GetPropertyRequest {});
    request.metadata_mut().insert(USER_ID, user_id);
    let response = WalletServiceClient::new(gateway.channel.clone())
        .get_property(request)
        .await
        .unwrap();
    let property = response.into_inner().property.unwrap();
    Json(envelope(&property, gateway.padding.clone()))
}

fn envelope(property: &Property, msg: String) -> Envelope {
    Envelope {
        code: 200,
        msg,
        data: Balances {
            available_funds: amount(property.available_minor),
            to_be_consumed: amount(property.to_be_consumed_minor),
            to_be_settled: amount(property.to_be_settled_minor),
            withdrawing: amount(property.withdrawing_minor),
            discount_amount: amount(property.discount_minor),
            start_up_funds_outstanding: amount(property.start_up_funds_outstanding_minor),
        },
    }
}

fn amount(minor: i64) -> String {
    format!("{}.{:02}", minor / 100, minor % 100)
}

/// Brings the response about a wallet of [`SCHEMA`](super::SCHEMA) up to the size of the stack's.
fn padding(response_bytes: usize) -> String {
    let property = Property {
        available_minor: 100_000_000,
        ..Property::default()
    };
    let unpadded = serde_json::to_vec(&envelope(&property, String::new())).unwrap();
    " ".repeat(response_bytes.checked_sub(unpadded.len()).unwrap())
}
