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
use crate::second_factor::Demand;
use crate::staff_reason;

/// Maximum size of a JSON body, in bytes.
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
    /// A network, by its key.
    Network,
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

/// Finance and operators.
pub const FINANCE_AND_OPERATOR: &[StaffRole] =
    &[StaffRole::Admin, StaffRole::Finance, StaffRole::Operator];

/// The answer of a handler.
#[derive(Debug)]
pub enum Answer {
    /// The data of an envelope, as JSON.
    Data(Box<RawValue>),
    /// A response with another content type and without an envelope: a file or a stream.
    Whole(Response),
}

/// A handler: an async function of the call and its input.
pub trait Handler<I, O>: Clone + Send + Sync + 'static {
    /// Handles a call.
    fn handle(&self, call: Call, input: I) -> impl Future<Output = Result<O, Failure>> + Send;
}

impl<H, I, O, F> Handler<I, O> for H
where
    H: Fn(Call, I) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Result<O, Failure>> + Send + 'static,
{
    fn handle(&self, call: Call, input: I) -> impl Future<Output = Result<O, Failure>> + Send {
        self(call, input)
    }
}

/// The data of an answer.
pub trait Output: Serialize + ToSchema + 'static {}

impl<O: Serialize + ToSchema + 'static> Output for O {}

type Serve =
    Arc<dyn Fn(Call, Request) -> BoxFuture<'static, Result<Answer, Failure>> + Send + Sync>;

/// One row of the table.
#[derive(Clone)]
pub struct Route {
    /// GET or POST.
    pub method: Method,
    /// Its path below the base path.
    pub path: &'static str,
    /// Who may call it.
    pub access: Access,
    /// Unique name of the operation.
    pub operation: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Its own reasons for refusals; the document adds the common ones.
    pub reasons: &'static [Reason],
    /// The kind of its success.
    pub success: Success,
    /// Whether it moves money or creates something, so that clients send an idempotency key.
    pub keyed: bool,
    /// Maximum size of its body, in bytes.
    pub body_limit: usize,
    /// Where its input is.
    pub carrier: Carrier,
    /// The content type of its success, if that is not an envelope.
    pub media_type: Option<&'static str>,
    /// Whether it supports conditional GET (ETag → 304).
    pub tagged: bool,
    /// Whether a member of staff may call it before changing a one-time password.
    pub admits_one_time_password: bool,
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
    pub fn get<I: Input, O: Output>(
        path: &'static str,
        operation: &'static str,
        summary: &'static str,
        handler: impl Handler<I, O>,
    ) -> Self {
        Self::new(Method::GET, path, operation, summary, handler)
    }

    /// A route with a body.
    pub fn post<I: Input, O: Output>(
        path: &'static str,
        operation: &'static str,
        summary: &'static str,
        handler: impl Handler<I, O>,
    ) -> Self {
        Self::new(Method::POST, path, operation, summary, handler)
    }

    /// A route that reads and answers with `media_type` instead of an envelope. Its failures are envelopes.
    pub fn get_whole<I: Input>(
        path: &'static str,
        operation: &'static str,
        summary: &'static str,
        media_type: &'static str,
        handler: impl Handler<I, Response>,
    ) -> Self {
        Self {
            media_type: Some(media_type),
            serve: serve_with(handler, |response| Ok(Answer::Whole(response))),
            ..Self::get(path, operation, summary, |_: Call, _: I| async {
                Ok(Empty {})
            })
        }
    }

    fn new<I: Input, O: Output>(
        method: Method,
        path: &'static str,
        operation: &'static str,
        summary: &'static str,
        handler: impl Handler<I, O>,
    ) -> Self {
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
            admits_one_time_password: false,
            serve: serve_with(handler, |output: O| {
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

    /// For networks.
    #[must_use]
    pub fn network(self) -> Self {
        Self {
            access: Access::Network,
            ..self
        }
    }

    /// Adds reasons for refusals.
    #[must_use]
    pub fn fails(self, reasons: &'static [Reason]) -> Self {
        Self { reasons, ..self }
    }

    /// Sets the kind of its success.
    #[must_use]
    pub fn says(self, success: Success) -> Self {
        Self { success, ..self }
    }

    /// Marks a route that moves money or creates something: it honours idempotency keys.
    #[must_use]
    pub fn keyed(self) -> Self {
        Self {
            keyed: true,
            ..self
        }
    }

    /// Supports conditional GET (ETag → 304).
    #[must_use]
    pub fn tagged(self) -> Self {
        Self {
            tagged: true,
            ..self
        }
    }

    /// Opens it to members of staff who have to change a one-time password first.
    #[must_use]
    pub fn admits_one_time_password(self) -> Self {
        Self {
            admits_one_time_password: true,
            ..self
        }
    }

    /// Sets the limit of its body.
    #[must_use]
    pub fn body_limit(self, bytes: usize) -> Self {
        Self {
            body_limit: bytes,
            ..self
        }
    }

    /// Its schemas. Everything that they refer to is added to `schemas`.
    pub fn shapes(&self, schemas: &mut Schemas) -> Shapes {
        (self.shapes)(schemas)
    }

    /// Reads the request, calls the handler and serializes its answer.
    pub async fn serve(&self, mut call: Call, mut request: Request) -> Result<Answer, Failure> {
        if matches!(self.access, Access::Staff(_)) && self.carrier == Carrier::Json {
            request = staff_reason::take(&mut call, request, self.body_limit).await?;
        }
        request.extensions_mut().insert(BodyLimit(self.body_limit));
        (self.serve)(call, request).await
    }

    /// What it asks of the second factor of staff.
    pub fn demand(&self) -> Demand {
        match self.access {
            Access::Staff(_) => Demand::of(&self.method, self.operation),
            Access::Public | Access::User | Access::UserInAnyState | Access::Network => {
                Demand::Nothing
            }
        }
    }

    /// All reasons for which it may be refused, its own first.
    pub fn all_reasons(&self) -> Vec<Reason> {
        let mut reasons = self.reasons.to_vec();
        if self.carrier != Carrier::Nothing || self.keyed {
            reasons.push(Reason::Validation);
        }
        if self.keyed {
            reasons.push(Reason::IdempotencyKeyReused);
        }
        match self.access {
            Access::Public => {}
            Access::Network => reasons.push(Reason::NotAuthenticated),
            Access::User | Access::UserInAnyState | Access::Staff(_) => {
                reasons.extend([Reason::NotAuthenticated, Reason::SessionExpired]);
            }
        }
        if matches!(self.access, Access::Staff(_)) {
            if !self.admits_one_time_password {
                reasons.push(Reason::PasswordChangeRequired);
            }
            if self.demand() != Demand::Nothing {
                reasons.push(Reason::SecondFactorRequired);
            }
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
            Access::Public | Access::UserInAnyState | Access::Staff(_) | Access::Network => {}
        }
        reasons.extend([
            Reason::TooManyAttempts,
            Reason::Internal,
            Reason::Unavailable,
        ]);
        if self.method != Method::GET {
            reasons.push(Reason::ChangesPaused);
        }
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

/// Reads the input, calls the handler and converts its output to an answer.
fn serve_with<I: Input, O: 'static>(
    handler: impl Handler<I, O>,
    answer: fn(O) -> Result<Answer, Failure>,
) -> Serve {
    Arc::new(move |call, request| {
        let handler = handler.clone();
        async move {
            let limit = request
                .extensions()
                .get::<BodyLimit>()
                .map_or(JSON_LIMIT, |limit| limit.0);
            let input = I::read(request, limit).await?;
            answer(handler.handle(call, input).await?)
        }
        .boxed()
    })
}

/// The limit of the route, for the input.
#[derive(Clone, Copy, Debug)]
struct BodyLimit(usize);
