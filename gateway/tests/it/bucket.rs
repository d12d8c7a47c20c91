//! Uploads in a bucket: a store that speaks S3, here in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use adfolio_gateway::uploads::{Uploads, open_s3};
use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Reason;
use adfolio_testkit::free_listener;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use image::{DynamicImage, ImageFormat};
use uuid::Uuid;

type Objects = Arc<Mutex<HashMap<String, Bytes>>>;

async fn object(State(objects): State<Objects>, request: Request) -> Response {
    assert!(
        request.headers().contains_key("authorization"),
        "requests are signed"
    );
    let key = request.uri().path().to_owned();
    let (method, headers) = (request.method().clone(), request.headers().clone());
    let body = to_bytes(request.into_body(), usize::MAX).await.unwrap();
    let mut objects = objects.lock().unwrap();
    let (status, body) = match (method, objects.get(&key).cloned()) {
        (Method::PUT, Some(_)) if headers.contains_key("if-none-match") => {
            (StatusCode::PRECONDITION_FAILED, Bytes::new())
        }
        (Method::PUT, _) => {
            objects.insert(key, body);
            (StatusCode::OK, Bytes::new())
        }
        (Method::DELETE, _) => {
            objects.remove(&key);
            (StatusCode::NO_CONTENT, Bytes::new())
        }
        (_, Some(found)) => (StatusCode::OK, found),
        (_, None) => (StatusCode::NOT_FOUND, Bytes::new()),
    };
    Response::builder()
        .status(status)
        .header("etag", "\"tag\"")
        .header("last-modified", "Sat, 21 Nov 2026 20:00:00 GMT")
        .header("content-length", body.len())
        .body(Body::from(body))
        .unwrap()
}

#[tokio::test]
async fn a_bucket_keeps_uploads_as_a_folder_does() {
    let objects = Objects::default();
    let listener = free_listener().await;
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new()
        .fallback(object)
        .with_state(Arc::clone(&objects));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let variables = [
        ("AWS_ENDPOINT", endpoint.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_REGION", "eu-test-1"),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("PATH", "is not read"),
    ];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let uploads = Uploads::on(open_s3("s3://pictures/adfolio", variables).unwrap());

    let mut picture = Vec::new();
    DynamicImage::new_rgb8(8, 8)
        .write_to(&mut std::io::Cursor::new(&mut picture), ImageFormat::Png)
        .unwrap();
    let (user, key) = (UserId(Uuid::now_v7()), "key-1".parse().unwrap());
    let file = uploads
        .keep(user, Some(&key), picture.clone().into())
        .await
        .unwrap();
    let path = format!("/pictures/adfolio/files/{}", file.id);
    assert!(objects.lock().unwrap().contains_key(&path));
    uploads
        .require_owned(user, &file.id, "images")
        .await
        .unwrap();
    let again = uploads
        .keep(user, Some(&key), picture.into())
        .await
        .unwrap();
    assert_eq!(again.id, file.id);
    let mut other = Vec::new();
    DynamicImage::new_rgb8(9, 9)
        .write_to(&mut std::io::Cursor::new(&mut other), ImageFormat::Png)
        .unwrap();
    let reused = uploads
        .keep(user, Some(&key), other.into())
        .await
        .unwrap_err();
    assert_eq!(reused.refusal.reason, Reason::IdempotencyKeyReused);
    objects.lock().unwrap().clear();
    let gone = uploads
        .require_owned(user, &file.id, "images")
        .await
        .unwrap_err();
    assert_eq!(gone.refusal.reason, Reason::NotFound);
}

#[test]
fn what_is_no_bucket_is_refused_at_the_start() {
    for url in ["pictures", "http://pictures", "s3://", "s3:///x"] {
        assert!(open_s3(url, []).is_err(), "{url}");
    }
}
