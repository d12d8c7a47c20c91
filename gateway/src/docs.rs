//! The API's documentation page. All its files are served from here.

use std::sync::Arc;

use adfolio_kit::refusal::Reason;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use utoipa_swagger_ui::Config;

use crate::context;
use crate::envelope;
use crate::errors::Failure;

/// Only its own scripts and styles, and only this server. Images in its styles are data URLs.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
     object-src 'none'; form-action 'none'; frame-ancestors 'none'",
);

const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=3600");

const PAGE: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Adfolio API</title>
<link rel="icon" type="image/png" href="/api/docs/favicon-32x32.png">
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
<link rel="stylesheet" href="/api/docs/index.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="/api/docs/start.js"></script>
</body>
</html>
"#;

const START: &str = r##"SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  docExpansion: "list",
  filter: true,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  validatorUrl: null,
});
"##;

/// The files of Swagger UI that the page needs.
const FILES: [&str; 4] = [
    "favicon-32x32.png",
    "index.css",
    "swagger-ui-bundle.js",
    "swagger-ui.css",
];

/// Answers `GET /docs` and the requests of the page below it.
pub async fn serve(request: Request) -> Response {
    let path = request.uri().path().trim_end_matches('/');
    let found = match path.rsplit('/').next() {
        Some("docs") => Some(("text/html; charset=utf-8".to_owned(), PAGE.into())),
        Some("start.js") => Some(("text/javascript; charset=utf-8".to_owned(), START.into())),
        Some(name) if FILES.contains(&name) => {
            utoipa_swagger_ui::serve(name, Arc::new(Config::default()))
                .ok()
                .flatten()
                .map(|file| (file.content_type, Body::from(file.bytes.into_owned())))
        }
        _ => None,
    };
    let Some((content_type, body)) = found else {
        let unknown = Failure::at_the_edge(StatusCode::NOT_FOUND, Reason::NotFound);
        return envelope::failure(&unknown, context::lang(request.headers(), None));
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    if let Ok(content_type) = HeaderValue::from_str(&content_type) {
        headers.insert(header::CONTENT_TYPE, content_type);
    }
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::CACHE_CONTROL, KEPT);
    response
}
