//! An operation of the document, made from its route.

use adfolio_kit::refusal::Reason;
use serde_json::json;
use utoipa::ToSchema;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{
    Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn,
};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Required, Response, ResponseBuilder};

use super::tags;
use crate::context;
use crate::envelope::SUCCESS;
use crate::errors::envelope_code;
use crate::input::Carrier;
use crate::lang::Lang;
use crate::lines;
use crate::route::{Access, Route};
use crate::schemas::Shapes;
use crate::second_factor::Demand;

pub(super) const JSON: &str = "application/json";
pub(super) const USER_TOKEN: &str = "userToken";
pub(super) const STAFF_TOKEN: &str = "staffToken";
pub(super) const NETWORK_KEY: &str = "networkKey";
pub(super) const ERROR_ENVELOPE: &str = "ErrorEnvelope";

/// Answers to calls that never reach a service, by status.
pub(super) const EDGE_STATUSES: [(u16, &str); 9] = [
    (
        400,
        "The request is not valid HTTP, or its headers are too long.",
    ),
    (405, "The path does not support this method."),
    (413, "The body is too large."),
    (414, "The address is too long."),
    (415, "The body has the wrong content type."),
    (
        429,
        "Too many requests from this address or with this token or key.",
    ),
    (502, "A service is down."),
    (503, "A service is down."),
    (504, "A service did not answer in time."),
];

/// The operation of a route with these schemas.
pub fn operation(route: &Route, shapes: Shapes) -> Operation {
    let reasons = route.all_reasons();
    let names: Vec<&str> = reasons.iter().map(|reason| reason.as_str()).collect();
    let extensions = ExtensionsBuilder::new()
        .add("x-reasons", json!(names))
        .add("x-access", json!(access_text(route.access)))
        .build();
    let mut operation = OperationBuilder::new()
        .tag(tags::of(route.path))
        .operation_id(Some(route.operation))
        .summary(Some(route.summary))
        .description(Some(description(route, &reasons)))
        .securities(security(route.access))
        .extensions(Some(extensions))
        .response("200", success_response(route, &shapes.output));
    for parameter in parameters(route, &shapes.input) {
        operation = operation.parameter(parameter);
    }
    let media_types: &[&str] = match route.carrier {
        Carrier::Json => &[JSON],
        Carrier::Multipart => &["multipart/form-data"],
        Carrier::Lines => &lines::MEDIA_TYPES,
        Carrier::Query | Carrier::Nothing => &[],
    };
    let has_body = !media_types.is_empty();
    if has_body {
        let content = ContentBuilder::new()
            .schema(Some(shapes.input_by_name))
            .build();
        let mut body = RequestBodyBuilder::new().required(Some(Required::True));
        for media_type in media_types {
            body = body.content(*media_type, content.clone());
        }
        operation = operation.request_body(Some(body.build()));
    }
    for (status, _) in EDGE_STATUSES {
        if has_body || !matches!(status, 413 | 415) {
            let reference = Ref::from_response_name(format!("Edge{status}"));
            operation = operation.response(status.to_string(), RefOr::<Response>::Ref(reference));
        }
    }
    operation.build()
}

fn access_text(access: Access) -> String {
    match access {
        Access::Public => "public".to_owned(),
        Access::User => "user".to_owned(),
        Access::UserInAnyState => "user in any state".to_owned(),
        Access::Network => "network".to_owned(),
        Access::Staff(roles) => format!(
            "staff: {}",
            roles
                .iter()
                .map(|role| role.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

fn description(route: &Route, reasons: &[Reason]) -> String {
    let listed = reasons
        .iter()
        .map(|reason| format!("`{reason}` {}", envelope_code(*reason)))
        .collect::<Vec<_>>()
        .join(", ");
    let kept = if matches!(route.access, Access::Staff(_)) && route.carrier != Carrier::Query {
        " A `reason` in the request is stored in the audit log."
    } else {
        ""
    };
    let asked = match route.demand() {
        Demand::Fresh | Demand::FreshIfActive => {
            " An active second factor must have been shown within the last 15 minutes."
        }
        Demand::Nothing | Demand::Shown => "",
    };
    format!(
        "{}{kept}{asked}\n\nFor: {}. Reasons (code): {listed}.",
        route.summary,
        access_text(route.access)
    )
}

fn security(access: Access) -> Option<Vec<SecurityRequirement>> {
    let scopes: [&str; 0] = [];
    match access {
        Access::Public => None,
        Access::User | Access::UserInAnyState => {
            Some(vec![SecurityRequirement::new(USER_TOKEN, scopes)])
        }
        Access::Staff(_) => Some(vec![SecurityRequirement::new(STAFF_TOKEN, scopes)]),
        Access::Network => Some(vec![SecurityRequirement::new(NETWORK_KEY, scopes)]),
    }
}

/// The parameters of the query string and the relevant headers.
fn parameters(route: &Route, input: &RefOr<Schema>) -> Vec<Parameter> {
    let mut parameters = vec![header(
        context::LANG,
        "Language of texts: one of the twelve codes. Any other value is ignored.",
        Ref::from_schema_name(Lang::name()).into(),
    )];
    if route.access == Access::User {
        let zone = ObjectBuilder::new()
            .schema_type(Type::String)
            .examples([json!("Asia/Shanghai GMT+08:00")]);
        parameters.push(header(
            context::TIME_ZONE,
            "Time zone that defines days; UTC if it is invalid.",
            zone.into(),
        ));
    }
    if route.keyed {
        let key = ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(1))
            .max_length(Some(255))
            .pattern(Some("^[!-~]+$"))
            .examples([json!("5f0c1f6e-put-1")]);
        let text = "The same key with the same body returns the first answer again. The same key with another body is IDEMPOTENCY_KEY_REUSED.";
        parameters.push(header(context::IDEMPOTENCY_KEY, text, key.into()));
    }
    if let (Carrier::Query, RefOr::T(Schema::Object(object))) = (route.carrier, input) {
        for (name, schema) in &object.properties {
            let required = if object.required.contains(name) {
                Required::True
            } else {
                Required::False
            };
            let parameter = ParameterBuilder::new()
                .name(name)
                .parameter_in(ParameterIn::Query)
                .required(required);
            parameters.push(parameter.schema(Some(never_null(schema))).build());
        }
    }
    parameters
}

/// A parameter of a query string can be absent but not null.
fn never_null(schema: &RefOr<Schema>) -> RefOr<Schema> {
    let is_null = |item: &RefOr<Schema>| matches!(item, RefOr::T(Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null));
    match schema {
        RefOr::T(Schema::OneOf(one_of)) => one_of
            .items
            .iter()
            .find(|item| !is_null(item))
            .unwrap_or(schema)
            .clone(),
        RefOr::T(Schema::Object(object)) => {
            let mut object = object.clone();
            if let SchemaType::Array(types) = &object.schema_type
                && let Some(kind) = types.iter().find(|kind| **kind != Type::Null)
            {
                object.schema_type = SchemaType::Type(kind.clone());
            }
            Schema::Object(object).into()
        }
        other => other.clone(),
    }
}

fn header(name: &str, text: &str, schema: RefOr<Schema>) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(text))
        .schema(Some(schema))
        .build()
}

fn success_response(route: &Route, output: &RefOr<Schema>) -> Response {
    if let Some(media_type) = route.media_type {
        let text = ObjectBuilder::new().schema_type(Type::String);
        let refused = Ref::from_schema_name(ERROR_ENVELOPE);
        return ResponseBuilder::new()
            .description("Success, or an envelope with the reason for the refusal.")
            .content(
                media_type,
                ContentBuilder::new()
                    .schema(Some(RefOr::<Schema>::from(text)))
                    .build(),
            )
            .content(JSON, ContentBuilder::new().schema(Some(refused)).build())
            .build();
    }
    let success = ObjectBuilder::new()
        .property(
            "code",
            ObjectBuilder::new()
                .schema_type(Type::Integer)
                .enum_values(Some([SUCCESS])),
        )
        .property(
            "msg",
            ObjectBuilder::new()
                .schema_type(Type::String)
                .description(Some("In the caller's language.")),
        )
        .property("data", output.clone())
        .required("code")
        .required("msg")
        .required("data");
    let either = OneOfBuilder::new()
        .item(success)
        .item(Ref::from_schema_name(ERROR_ENVELOPE));
    let content = ContentBuilder::new().schema(Some(either)).build();
    ResponseBuilder::new()
        .description("Success, or the reason for the refusal.")
        .content(JSON, content)
        .build()
}
