//! The envelope around every answer: `{"code": …, "msg": …, "data": …}`.

use adfolio_kit::refusal::{Reason, Rule};
use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response};
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::dto::Money;
use crate::errors::{Failure, envelope_code};
use crate::lang::Lang;
use crate::messages::{Success, refusal_text, success_text};

/// The code of success.
pub const SUCCESS: u16 = 200;

#[derive(Serialize)]
struct Envelope<'a, T> {
    code: u16,
    msg: &'a str,
    data: T,
}

/// Why a call was refused.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ErrorData {
    /// The reason; its name is stable.
    pub reason: ReasonName,
    /// The offending input.
    #[schema(required = true, example = "amount")]
    pub field: Option<String>,
    /// The rule that the input breaks, where there is more to say than its name.
    #[schema(required = true)]
    pub rule: Option<RuleName>,
    /// What the amount falls short by: of COUPON_BELOW_REQUIREMENT.
    #[schema(required = true, example = json!(null))]
    pub missing: Option<Money>,
    /// The language that `msg` is in.
    pub lang: Lang,
    /// Seconds to wait before the next attempt.
    #[schema(required = true, minimum = 0)]
    pub retry_after: Option<u64>,
}

/// A reason as it is written.
#[derive(Clone, Copy, Debug)]
pub struct ReasonName(pub Reason);

impl Serialize for ReasonName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl PartialSchema for ReasonName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(Reason::ALL.iter().map(|reason| reason.as_str())))
            .description(Some("Why a call was refused. The names are stable."))
            .examples([json!(Reason::Validation.as_str())])
            .into()
    }
}

impl ToSchema for ReasonName {
    fn name() -> std::borrow::Cow<'static, str> {
        "Reason".into()
    }
}

/// A rule as it is written.
#[derive(Clone, Copy, Debug)]
pub struct RuleName(pub Rule);

impl Serialize for RuleName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl PartialSchema for RuleName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(Rule::ALL.iter().map(|rule| rule.as_str())))
            .description(Some("The rule that an input breaks. The names are stable."))
            .examples([json!(Rule::TooShort.as_str())])
            .into()
    }
}

impl ToSchema for RuleName {
    fn name() -> std::borrow::Cow<'static, str> {
        "Rule".into()
    }
}

/// The answer of success around data that is JSON already.
pub fn success(lang: Lang, success: Success, data: &RawValue) -> Response<Body> {
    json(success_body(lang, success, data))
}

/// The body of [`success`].
pub fn success_body(lang: Lang, success: Success, data: &RawValue) -> Vec<u8> {
    serialised(&Envelope {
        code: SUCCESS,
        msg: success_text(lang, success),
        data,
    })
}

/// The answer of a failure, in its own language or else the caller's.
pub fn failure(failure: &Failure, lang: Lang) -> Response<Body> {
    let refusal = &failure.refusal;
    let lang = failure.lang.unwrap_or(lang);
    let retry_after = refusal.retry_after.map(|wait| wait.as_secs());
    let data = ErrorData {
        reason: ReasonName(refusal.reason),
        field: refusal.field.clone(),
        rule: refusal.rule.map(RuleName),
        missing: refusal
            .missing
            .map(|amount| Money::from_minor(amount.minor())),
        lang,
        retry_after,
    };
    let msg = refusal_text(lang, refusal);
    let mut response = json(serialised(&Envelope {
        code: envelope_code(refusal.reason),
        msg: &msg,
        data,
    }));
    *response.status_mut() = failure.status;
    if let Some(seconds) = retry_after {
        response
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    // For the metrics and the log, which only see the response.
    response.extensions_mut().insert(Refused(refusal.reason));
    response
}

/// Attached to a response that was refused.
#[derive(Clone, Copy, Debug)]
pub struct Refused(pub Reason);

fn serialised(envelope: &impl Serialize) -> Vec<u8> {
    // Serialising plain structs of texts and numbers into memory cannot fail; an empty body would be the least harm.
    serde_json::to_vec(envelope).unwrap_or_default()
}

fn json(body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
