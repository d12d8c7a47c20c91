//! The HTTP client of the S3 store, built from crates that the gateway uses anyway.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use object_store::{ClientOptions, Error, Result};

use crate::https;

/// Limit until the first byte of an answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// Creates clients that trust the system's certificates.
#[derive(Debug)]
pub struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> Result<HttpClient> {
        let client = https::client().map_err(|error| Error::Generic {
            store: "S3",
            source: Box::new(error),
        })?;
        Ok(HttpClient::new(Requests(client)))
    }
}

type HttpsConnector = hyper_rustls::HttpsConnector<TcpConnector>;

/// A client that implements the store's interface.
#[derive(Debug)]
struct Requests(Client<HttpsConnector, HttpRequestBody>);

#[tonic::async_trait]
impl HttpService for Requests {
    async fn call(&self, request: HttpRequest) -> std::result::Result<HttpResponse, HttpError> {
        let response = tokio::time::timeout(ANSWER_LIMIT, self.0.request(request))
            .await
            .map_err(|elapsed| HttpError::new(HttpErrorKind::Timeout, elapsed))?
            .map_err(|error| {
                let kind = if error.is_connect() {
                    HttpErrorKind::Connect
                } else {
                    HttpErrorKind::Interrupted
                };
                HttpError::new(kind, error)
            })?;
        let (parts, body) = response.into_parts();
        let body = body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error));
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)))
    }
}
