//! The service of the bare path: one gRPC method that reads one row.

use std::convert::Infallible;

use adfolio_proto::wallet::v1::{GetPropertyRequest, GetPropertyResponse, Property};
use axum::Router;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tonic::codegen::http;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;
use tower::service_fn;
use uuid::Uuid;

use super::variable;

pub const LISTEN: &str = "BARE_LISTEN";
pub const DATABASE_URL: &str = "BARE_DATABASE_URL";

/// Metadata that names the user.
pub const USER_ID: &str = "user-id";

/// As many as wallet has.
const CONNECTIONS: u32 = 16;

/// One method of a service with many: what tonic generates for it, without the others.
const METHOD: &str = "/adfolio.wallet.v1.WalletService/GetProperty";

pub async fn serve() {
    let pool = PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .connect(&variable(DATABASE_URL))
        .await
        .unwrap();
    let method = service_fn(move |request: http::Request<axum::body::Body>| {
        let pool = pool.clone();
        async move {
            let call = service_fn(move |request| property(pool.clone(), request));
            let codec = ProstCodec::<GetPropertyResponse, GetPropertyRequest>::default();
            let response = tonic::server::Grpc::new(codec).unary(call, request).await;
            Ok::<_, Infallible>(response)
        }
    });
    let routes = Router::new().route_service(METHOD, method);
    tonic::transport::Server::builder()
        .add_routes(routes.into())
        .serve(variable(LISTEN).parse().unwrap())
        .await
        .unwrap();
}

async fn property(
    pool: PgPool,
    request: Request<GetPropertyRequest>,
) -> Result<Response<GetPropertyResponse>, Status> {
    let user_id = request.metadata().get(USER_ID).unwrap().to_str().unwrap();
    let (available, to_be_consumed, to_be_settled, withdrawing, discount, start_up_funds) =
        sqlx::query_as(
            "SELECT available, to_be_consumed, to_be_settled, withdrawing, discount, start_up_funds
             FROM wallets WHERE user_id = $1",
        )
        .bind(Uuid::parse_str(user_id).unwrap())
        .fetch_one(&pool)
        .await
        .unwrap();
    let property = Property {
        available_minor: available,
        to_be_consumed_minor: to_be_consumed,
        to_be_settled_minor: to_be_settled,
        withdrawing_minor: withdrawing,
        discount_minor: discount,
        start_up_funds_outstanding_minor: start_up_funds,
        ..Property::default()
    };
    Ok(Response::new(GetPropertyResponse {
        property: Some(property),
    }))
}
