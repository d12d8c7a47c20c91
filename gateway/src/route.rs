//! A route: one row of the table that the router, the OpenAPI document and the access tests are made from.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use adfolio_kit::identity::StaffRole;
use adfolio_kit::refusal::Reason;
use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use utoipa::ToSchema;

use crate::call::Call;
use crate::dto::Empty;
use crate::errors::Failure;
use crate::input::{Carrier, Input};
use crate::messages::Success;
use crate::schemas::{Schemas, Shapes};
use crate::staff_reason;

/// Bytes of a JSON body at most.
const JSON_LIMIT: usize = 64 * 1024;

/// Who may call a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody.
    Public,
    /// An active user.
    User,
    /// A user in any state.
    UserInAnyState,
    /// Staff with one of these roles; an admin always.
    Staff(&'static [StaffRole]),
}

/// Every role.
pub const ANY_ROLE: &[StaffRole] = &[
    StaffRole::Admin,
    StaffRole::Support,
    StaffRole::Finance,
    StaffRole::Operator,
];
/// Admins alone.
pub const ADMIN: &[StaffRole] = &[StaffRole::Admin];
/// Support.
pub const SUPPORT: &[StaffRole] = &[StaffRole::Admin, StaffRole::Support];
/// Finance.
pub const FINANCE: &[StaffRole] = &[StaffRole::Admin, StaffRole::Finance];
/// Operators.
pub const OPERATOR: &[StaffRole] = &[StaffRole::Admin, StaffRole::Operator];

/// What a handler answered.
#[derive(Debug)]
pub enum Answer {
    /// The data of an envelope, as JSON.
    Data(Box<RawValue>),
    /// A response of another content type, without an envelope: a file, a stream.
    Whole(Response),
}

type Serve =
    Arc<dyn Fn(Call, Request) -> BoxFuture<'static, Result<Answer, Failure>> + Send + Sync>;

/// One row of the table.
#[derive(Clone)]
pub struct Route {
    /// GET or POST.
    pub method: Method,
    /// Below the base path.
    pub path: &'static str,
    /// Who may call it.
    pub access: Access,
    /// Name of the operation, unique.
    pub operation: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Reasons of its own; those that every route of its kind has are added in the document.
    pub reasons: &'static [Reason],
    /// What its success is called.
    pub success: Success,
    /// Whether it moves money or creates something, so that clients send an idempotency key.
    pub keyed: bool,
    /// Bytes of its body at most.
    pub body_limit: usize,
    /// How its input comes in.
    pub carrier: Carrier,
    /// The content type of its success, where that is no envelope.
    pub media_type: Option<&'static str>,
    /// Whether its success has a tag, by which a client that has it already is told so.
    pub tagged: bool,
    shapes: fn(&mut Schemas) -> Shapes,
    serve: Serve,
}

impl fmt::Debug for Route {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.method, self.path)
    }
}

impl Route {
    /// A route that only reads.
    pub fn get<H, I, O, F>(
        path: &'static str,
        operation: &'static str,
        summary: &'static str,
        handler: H,
    ) -> Self
    where
        H: Fn(Call, I) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<O, Failure>> + Send + 'static,
        I: Input,
        O: Serialize + ToSchema + 'static,
    {
        Self::new(Method::GET, path, operation, summary, handler)
    }

    /// A route with a body.
    pub fn post<H, I, O, F>(
        path: &'static str,
        operation: &'static str,
        summary: &'static str,
        handler: H,
    ) -> Self
    where
        H: Fn(Call, I) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<O, Failure>> + Send + 'static,
        I: Input,
        O: Serialize + ToSchema + 'static,
    {
        Self::new(Method::POST, path, operation, summary, handler)
    }

    /// A route that reads and answers `media_type` instead of an envelope; its failures are envelopes as everywhere.
    pub fn get_whole<H, I, F>(
        path: &'static str,
        operation: &'static str,
        summary: &'static str,
        media_type: &'static str,
        handler: H,
    ) -> Self
    where
        H: Fn(Call, I) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<Response, Failure>> + Send + 'static,
        I: Input,
    {
        Self {
            media_type: Some(media_type),
            serve: serve_with::<H, I, Response, F>(handler, |response| Ok(Answer::Whole(response))),
            ..Self::get(path, operation, summary, |_: Call, _: I| async {
                Ok(Empty {})
            })
        }
    }

    fn new<H, I, O, F>(
        method: Method,
        path: &'static str,
        operation: &'static str,
        summary: &'static str,
        handler: H,
    ) -> Self
    where
        H: Fn(Call, I) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<O, Failure>> + Send + 'static,
        I: Input,
        O: Serialize + ToSchema + 'static,
    {
        Self {
            method,
            path,
            access: Access::Public,
            operation,
            summary,
            reasons: &[],
            success: Success::Done,
            keyed: false,
            body_limit: JSON_LIMIT,
            carrier: I::CARRIER,
            shapes: Schemas::shapes_of::<I, O>,
            media_type: None,
            tagged: false,
            serve: serve_with::<H, I, O, F>(handler, |output| {
                to_raw_value(&output)
                    .map(Answer::Data)
                    .map_err(|error| Failure::internal("serialise", &error))
            }),
        }
    }

    /// For active users.
    #[must_use]
    pub fn user(self) -> Self {
        Self {
            access: Access::User,
            ..self
        }
    }

    /// For users in any state.
    #[must_use]
    pub fn user_in_any_state(self) -> Self {
        Self {
            access: Access::UserInAnyState,
            ..self
        }
    }

    /// For staff with one of these roles.
    #[must_use]
    pub fn staff(self, roles: &'static [StaffRole]) -> Self {
        Self {
            access: Access::Staff(roles),
            ..self
        }
    }

    /// With reasons of its own.
    #[must_use]
    pub fn fails(self, reasons: &'static [Reason]) -> Self {
        Self { reasons, ..self }
    }

    /// With a name for its success.
    #[must_use]
    pub fn says(self, success: Success) -> Self {
        Self { success, ..self }
    }

    /// Moves money or creates something.
    #[must_use]
    pub fn keyed(self) -> Self {
        Self {
            keyed: true,
            ..self
        }
    }

    /// Answers clients that have its success already with that word alone.
    #[must_use]
    pub fn tagged(self) -> Self {
        Self {
            tagged: true,
            ..self
        }
    }

    /// With another limit of its body.
    #[must_use]
    pub fn body_limit(self, bytes: usize) -> Self {
        Self {
            body_limit: bytes,
            ..self
        }
    }

    /// Its schemas, with all that they refer to put into `schemas`.
    pub fn shapes(&self, schemas: &mut Schemas) -> Shapes {
        (self.shapes)(schemas)
    }

    /// Reads the request, calls the handler and serialises what it answers.
    pub async fn serve(&self, mut call: Call, mut request: Request) -> Result<Answer, Failure> {
        if matches!(self.access, Access::Staff(_)) && self.carrier == Carrier::Json {
            request = staff_reason::take(&mut call, request, self.body_limit).await?;
        }
        request.extensions_mut().insert(BodyLimit(self.body_limit));
        (self.serve)(call, request).await
    }

    /// Every reason that it may be refused for, its own first.
    pub fn all_reasons(&self) -> Vec<Reason> {
        let mut reasons = self.reasons.to_vec();
        if self.carrier != Carrier::Nothing || self.keyed {
            reasons.push(Reason::Validation);
        }
        if self.keyed {
            reasons.push(Reason::IdempotencyKeyReused);
        }
        if self.access != Access::Public {
            reasons.extend([Reason::NotAuthenticated, Reason::SessionExpired]);
        }
        match self.access {
            Access::User => {
                reasons.extend([
                    Reason::AccountNotActivated,
                    Reason::AccountDisabled,
                    Reason::AccountCancelled,
                ]);
            }
            Access::Staff(roles) if roles.len() < ANY_ROLE.len() => reasons.push(Reason::Forbidden),
            Access::Public | Access::UserInAnyState | Access::Staff(_) => {}
        }
        reasons.extend([
            Reason::TooManyAttempts,
            Reason::Internal,
            Reason::Unavailable,
        ]);
        let mut seen = Vec::new();
        reasons.retain(|reason| {
            !seen.contains(reason) && {
                seen.push(*reason);
                true
            }
        });
        reasons
    }
}

/// How a route is served: the input is read, the handler called, its output turned into an answer.
fn serve_with<H, I, O, F>(handler: H, answer: fn(O) -> Result<Answer, Failure>) -> Serve
where
    H: Fn(Call, I) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<O, Failure>> + Send + 'static,
    I: Input,
    O: 'static,
{
    Arc::new(move |call, request| {
        let handler = handler.clone();
        async move {
            let limit = request
                .extensions()
                .get::<BodyLimit>()
                .map_or(JSON_LIMIT, |limit| limit.0);
            let input = I::read(request, limit).await?;
            answer(handler(call, input).await?)
        }
        .boxed()
    })
}

/// The limit of the route, on its way to the input.
#[derive(Clone, Copy, Debug)]
struct BodyLimit(usize);
