//! How the gateway calls servers that are not services: the bucket of uploads, and Prometheus.

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// A client by HTTP/1.1 that trusts the certificates of the system. Fails if the system has none.
pub fn client<B>() -> std::io::Result<Client<HttpsConnector<HttpConnector>, B>>
where
    B: hyper::body::Body + Send,
    B::Data: Send,
{
    let connector = HttpsConnectorBuilder::new()
        .with_native_roots()?
        .https_or_http()
        .enable_http1()
        .build();
    Ok(Client::builder(TokioExecutor::new()).build(connector))
}
