//! Enforces the authorization policy on each call.

use std::collections::HashMap;

use http::Extensions;
use tonic::Status;
use tracing::warn;

use super::connection::Peer;
use crate::policy::{HEALTH, OPERATOR, REFLECTION, ServicePolicy};

/// The metric label of an unknown method: callers must not be able to make up label values.
const UNKNOWN: &str = "unknown";

/// The admitted callers by the path of a method. A method without a row is closed to everyone.
#[derive(Debug)]
pub(super) struct Guard(HashMap<String, &'static [&'static str]>);

impl Guard {
    pub(super) fn new(policies: &'static [ServicePolicy]) -> Self {
        let rows = policies.iter().flat_map(|listed| {
            let path = |method: &str| format!("/{}/{method}", listed.service);
            listed
                .methods
                .iter()
                .map(move |(method, allowed)| (path(method), *allowed))
        });
        Self(rows.collect())
    }

    /// Refuses a caller that the method does not admit.
    pub(super) fn admit(&self, path: &str, extensions: &Extensions) -> Result<(), Status> {
        // A connection without a certificate does not get this far.
        let names = extensions.get::<Peer>().map_or(&[][..], Peer::names);
        let allowed = self.0.get(path).copied();
        let admitted = match allowed {
            Some(allowed) => names.iter().any(|name| allowed.contains(&name.as_str())),
            None if path.starts_with(HEALTH) => !names.is_empty(),
            None if path.starts_with(REFLECTION) => names.iter().any(|name| name == OPERATOR),
            None => false,
        };
        if admitted {
            return Ok(());
        }
        let method = if allowed.is_some() { path } else { UNKNOWN };
        metrics::counter!("grpc_server_callers_refused_total", "method" => method.to_owned())
            .increment(1);
        let caller = names.join(", ");
        warn!(
            method = path,
            caller, "caller refused by the authorization policy"
        );
        // Not a refusal of the business, which callers would treat as final.
        Err(Status::permission_denied(format!(
            "{caller:?} may not call this method"
        )))
    }
}
