//! Believes on whose behalf a call is made only by a token that auth signed.

use chrono::Utc;
use http::{Extensions, HeaderMap};
use tonic::Status;
use tracing::warn;

use super::connection::Peer;
use crate::identity::{IDENTITY_TOKEN, Identity, text};
use crate::identity_token::Verifier;
use crate::policy::OPERATOR;
use crate::refusal::chain;

/// What a server believes identities by.
#[derive(Debug)]
pub(super) struct Identities(Verifier);

impl Identities {
    pub(super) fn new(verifier: Verifier) -> Self {
        Self(verifier)
    }

    /// Refuses a call whose metadata claim an identity that auth did not sign. What a service does by itself is on nobody's
    /// behalf, so it needs no token: the policy says what it may do.
    pub(super) fn admit(
        &self,
        path: &str,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<(), Status> {
        let claimed = Identity::of(headers);
        if claimed.is_nobody() {
            return Ok(());
        }
        let names = extensions.get::<Peer>().map_or(&[][..], Peer::names);
        // It has no session at auth: its certificate is what proves that it acts as staff, within the policy.
        if names.iter().any(|name| name == OPERATOR) {
            return Ok(());
        }
        let token = text(headers, IDENTITY_TOKEN);
        let Err(rejected) = self.0.check(claimed, token, names, Utc::now()) else {
            return Ok(());
        };
        let why = rejected.as_str();
        metrics::counter!("grpc_server_identities_refused_total", "why" => why).increment(1);
        warn!(
            method = path,
            caller = names.join(", "),
            error = chain(&rejected),
            "identity of a call refused"
        );
        // Not a refusal of the business, which callers would treat as final.
        Err(Status::unauthenticated(rejected.to_string()))
    }
}
