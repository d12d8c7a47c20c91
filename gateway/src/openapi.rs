//! The OpenAPI document, made from the route table and the types of its handlers, so it cannot say anything else than they do.

mod example;
mod operation;

use std::collections::BTreeMap;

use adfolio_kit::refusal::Reason;
use axum::http::Method;
use serde_json::{Value, json};
use utoipa::openapi::path::{HttpMethod, PathItem, Paths};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Components, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Response,
    ResponseBuilder, ServerBuilder,
};
use utoipa::{PartialSchema, ToSchema};

use crate::context;
use crate::envelope::{ErrorData, ReasonName, SUCCESS};
use crate::errors::envelope_code;
use crate::input::{Carrier, Input};
use crate::lang::Lang;
use crate::messages::{refusal_text, success_text};
use crate::route::Route;
use crate::routes;

/// Where the API is served.
pub const BASE_PATH: &str = "/api";

const JSON: &str = "application/json";
const USER_TOKEN: &str = "userToken";
const STAFF_TOKEN: &str = "staffToken";
const ERROR_ENVELOPE: &str = "ErrorEnvelope";

const DESCRIPTION: &str = "Every answer is an envelope `{code, msg, data}`; success has code 200. HTTP status is 200 for every answer that \
    the business gave, failures included: their `data` is `{reason, field, lang, retry_after}`, with the stable `reason` listed per \
    operation under `x-reasons`. Another HTTP status, with the same envelope, is for what never reached the business.\n\nMoney is a \
    decimal string with exactly two decimals. Time is RFC 3339 in UTC. Ids are opaque. Lists are newest first, asked for with `cursor` \
    and `limit`.";

/// The areas of the API: where an operation belongs is told by the first match of its path.
const TAGS: &[(&str, &str, &str)] = &[
    (
        "/admin/login",
        "staff accounts",
        "Staff sessions, staff accounts and licence keys.",
    ),
    ("/admin/logout", "staff accounts", ""),
    ("/admin/staff", "staff accounts", ""),
    ("/admin/license", "staff accounts", ""),
    ("/admin/audit", "staff accounts", ""),
    (
        "/admin/user",
        "staff users",
        "Users, as staff see and change them.",
    ),
    ("/admin/pay_password", "staff users", ""),
    (
        "/admin/wallet",
        "staff wallet",
        "Postings, withdrawals and the proof of the books.",
    ),
    ("/admin/withdraw", "staff wallet", ""),
    ("/admin/approval", "staff wallet", ""),
    ("/admin/coupon", "staff coupons", "Coupon campaigns."),
    (
        "/admin/accept",
        "staff exchange",
        "Acceptors, acceptance codes and exchange orders.",
    ),
    ("/admin/exchange", "staff exchange", ""),
    (
        "/admin/content",
        "staff content",
        "Texts that staff edit, notifications and feedback.",
    ),
    ("/admin/notification", "staff content", ""),
    ("/admin/feedback", "staff content", ""),
    (
        "/admin",
        "staff plans",
        "Products, operators, plans and delivery reports.",
    ),
    ("/plan", "plans", "Products and plans."),
    ("/ad/order", "plans", ""),
    ("/assistance", "plans", ""),
    (
        "/user/property",
        "wallet",
        "Wallet figures, fund details, withdrawals and the transaction password.",
    ),
    ("/user/withdraw", "wallet", ""),
    ("/check/password", "wallet", ""),
    ("/set/password", "wallet", ""),
    ("/bank_card", "wallet", ""),
    ("/transaction_flow", "wallet", ""),
    ("/user_coupon", "coupons", "The caller's coupons."),
    (
        "/user/notifications",
        "notifications",
        "The caller's inbox, and feedback.",
    ),
    ("/feedback", "notifications", ""),
    ("/acceptor", "exchange", "Foreign exchange."),
    ("/", "account", "Registration, login, profile."),
];

/// The schemas of a route.
pub struct Shapes {
    input: RefOr<Schema>,
    input_by_name: RefOr<Schema>,
    output: RefOr<Schema>,
}

/// Collects the schemas that routes refer to.
#[derive(Default)]
pub struct Schemas(BTreeMap<String, RefOr<Schema>>);

impl Schemas {
    /// The schemas of a handler's input and output.
    pub fn shapes_of<I: Input, O: ToSchema>(&mut self) -> Shapes {
        let input_by_name = match I::CARRIER {
            // A query string is no schema of its own, only its parameters are.
            Carrier::Query | Carrier::Nothing => {
                self.add_referred::<I::Shape>();
                I::Shape::schema()
            }
            Carrier::Json | Carrier::Multipart => self.add::<I::Shape>(),
        };
        Shapes {
            input: I::Shape::schema(),
            input_by_name,
            output: self.add::<O>(),
        }
    }

    /// Adds a type and what it refers to, and refers to it.
    fn add<T: ToSchema>(&mut self) -> RefOr<Schema> {
        self.add_referred::<T>();
        self.0.insert(T::name().into_owned(), T::schema());
        Ref::from_schema_name(T::name()).into()
    }

    fn add_referred<T: ToSchema>(&mut self) {
        let mut referred = Vec::new();
        T::schemas(&mut referred);
        self.0.extend(referred);
    }
}

/// The document, as it is served and kept in the repository.
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
    schemas.add::<Lang>();
    schemas
        .0
        .insert(ERROR_ENVELOPE.to_owned(), error_envelope().into());
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
    components.schemas = schemas.0;
    for (name, text) in [
        (USER_TOKEN, "A user's token."),
        (STAFF_TOKEN, "A staff token."),
    ] {
        let key = ApiKeyValue::with_description(context::TOKEN, text);
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
    let tags = TAGS.iter().filter(|(_, _, text)| !text.is_empty());
    let tags = tags.map(|(_, name, text)| {
        TagBuilder::new()
            .name(*name)
            .description(Some(*text))
            .build()
    });
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

/// What never reaches the business, by status.
const EDGE_STATUSES: [(u16, &str); 9] = [
    (
        400,
        "The request is not valid HTTP, or its headers are too long.",
    ),
    (405, "The path does not know this method."),
    (413, "The body is too large."),
    (414, "The address is too long."),
    (415, "The body is of the wrong content type."),
    (
        429,
        "Too many requests from this address or with this token.",
    ),
    (502, "A service behind is down."),
    (503, "A service behind is down."),
    (504, "A service behind did not answer in time."),
];

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

/// Puts an example into every request and answer, made from the examples of their fields.
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
        "data": {"reason": reason.as_str(), "field": null, "lang": Lang::En, "retry_after": null},
    })
}
