//! The OpenAPI document, generated from the route table and the types of its handlers.

mod example;
mod operation;
mod tags;

use std::collections::BTreeMap;

use adfolio_kit::refusal::Reason;
use axum::http::Method;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::path::{HttpMethod, PathItem, Paths};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Components, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, Response,
    ResponseBuilder, ServerBuilder,
};

use crate::context;
use crate::envelope::{ErrorData, ReasonName, RuleName, SUCCESS};
use crate::errors::envelope_code;
use crate::lang::Lang;
use crate::messages::{refusal_text, success_text};
use crate::paths::BASE_PATH;
use crate::route::Route;
use crate::routes;
use crate::schemas::Schemas;
use operation::{EDGE_STATUSES, ERROR_ENVELOPE, JSON, NETWORK_KEY, STAFF_TOKEN, USER_TOKEN};

const DESCRIPTION: &str = "Every answer is an envelope `{code, msg, data}`; success has code 200. The HTTP status is 200 \
    for every answer of a service, including refusals. The `data` of a refusal is `{reason, field, rule, missing, lang, retry_after}`, with \
    a stable `reason` out of the operation's `x-reasons`. Any other HTTP status, with the same envelope, means that the call \
    did not reach a service.\n\nMoney is a decimal string with exactly two decimals. Time is RFC 3339 in UTC. Ids are opaque. \
    Lists are newest first; `cursor` and `limit` select a page.";

/// The document, as it is served and stored in the repository.
pub fn document() -> Value {
    let table = routes::table();
    let mut schemas = Schemas::default();
    let mut paths: BTreeMap<&str, PathItem> = BTreeMap::new();
    for route in &table {
        let shapes = route.shapes(&mut schemas);
        let method = if route.method == Method::GET {
            HttpMethod::Get
        } else {
            HttpMethod::Post
        };
        let item = PathItem::new(method, operation::operation(route, shapes));
        paths.entry(route.path).or_default().merge_operations(item);
    }
    schemas.add_referred::<ErrorData>();
    schemas.add::<ErrorData>();
    schemas.add::<ReasonName>();
    schemas.add::<RuleName>();
    schemas.add::<Lang>();
    schemas.insert(ERROR_ENVELOPE, error_envelope());
    let mut document = serde_json::to_value(assemble(paths, schemas)).unwrap_or_default();
    add_examples(&mut document, &table);
    document["components"]["examples"] = Reason::ALL
        .iter()
        .map(|reason| {
            let value = json!({"value": error_example(*reason)});
            (reason.as_str().to_owned(), value)
        })
        .collect();
    document
}

/// The document as text, ending with a line break.
pub fn document_text() -> String {
    let mut text = serde_json::to_string_pretty(&document()).unwrap_or_default();
    text.push('\n');
    text
}

fn assemble(paths: BTreeMap<&str, PathItem>, schemas: Schemas) -> OpenApi {
    let mut components = Components::new();
    components.schemas = schemas.into_inner();
    for (name, header, text) in [
        (USER_TOKEN, context::TOKEN, "A user's token."),
        (STAFF_TOKEN, context::TOKEN, "A staff token."),
        (NETWORK_KEY, context::NETWORK_KEY, "A network's key."),
    ] {
        let key = ApiKeyValue::with_description(header, text);
        components.add_security_scheme(name, SecurityScheme::ApiKey(ApiKey::Header(key)));
    }
    for (status, text) in EDGE_STATUSES {
        components
            .responses
            .insert(format!("Edge{status}"), error_response(text).into());
    }
    let mut all_paths = Paths::new();
    all_paths.paths = paths
        .into_iter()
        .map(|(path, item)| (path.to_owned(), item))
        .collect();
    let tags = tags::described()
        .map(|(name, text)| TagBuilder::new().name(name).description(Some(text)).build());
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("Adfolio")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(DESCRIPTION))
                .build(),
        )
        .servers(Some([ServerBuilder::new().url(BASE_PATH).build()]))
        .tags(Some(tags))
        .paths(all_paths)
        .components(Some(components))
        .build()
}

fn error_response(text: &str) -> Response {
    let content = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name(ERROR_ENVELOPE)))
        .build();
    ResponseBuilder::new()
        .description(text)
        .content(JSON, content)
        .build()
}

fn error_envelope() -> ObjectBuilder {
    let mut codes: Vec<u16> = Reason::ALL
        .iter()
        .map(|reason| envelope_code(*reason))
        .collect();
    codes.sort_unstable();
    codes.dedup();
    ObjectBuilder::new()
        .property(
            "code",
            ObjectBuilder::new()
                .schema_type(Type::Integer)
                .enum_values(Some(codes)),
        )
        .property(
            "msg",
            ObjectBuilder::new()
                .schema_type(Type::String)
                .description(Some("In the language of `data.lang`.")),
        )
        .property("data", Ref::from_schema_name(ErrorData::name()))
        .required("code")
        .required("msg")
        .required("data")
        .description(Some("Why a call was refused."))
}

/// Adds an example to every request and answer, composed of the examples of their fields.
fn add_examples(document: &mut Value, table: &[Route]) {
    let components = document.get("components").cloned().unwrap_or_default();
    for route in table {
        let method = route.method.as_str().to_ascii_lowercase();
        let operation = format!("/paths/{}/{method}", route.path.replace('/', "~1"));
        let Some(operation) = document.pointer_mut(&operation) else {
            continue;
        };
        if let Some(content) = operation.pointer_mut("/requestBody/content/application~1json") {
            content["example"] = example::of(&content["schema"], &components);
        }
        let Some(content) = operation.pointer_mut("/responses/200/content/application~1json")
        else {
            continue;
        };
        let mut examples = json!({});
        if route.media_type.is_none() {
            let data = example::of(
                &content["schema"]["oneOf"][0]["properties"]["data"],
                &components,
            );
            examples["success"] = json!({"value": {
                "code": SUCCESS, "msg": success_text(Lang::En, route.success), "data": data,
            }});
        }
        for reason in route.all_reasons() {
            let name = reason.as_str();
            examples[name] = json!({"$ref": format!("#/components/examples/{name}")});
        }
        content["examples"] = examples;
    }
}

fn error_example(reason: Reason) -> Value {
    let refusal = adfolio_kit::refusal::Refusal::new(reason);
    json!({
        "code": envelope_code(reason),
        "msg": refusal_text(Lang::En, &refusal),
        "data": {"reason": reason.as_str(), "field": null, "rule": null, "missing": null, "lang": Lang::En, "retry_after": null},
    })
}
