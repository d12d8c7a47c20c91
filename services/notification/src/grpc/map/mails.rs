//! Mail.

use adfolio_kit::mirror;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::wire;
use adfolio_proto::notification::v1 as proto;

use crate::mail::{Kept, Mail, Query, State};

mirror! {
    State = proto::MailState,
}

/// The name of a filtered list, for its cursors.
pub fn list_name(query: Query) -> String {
    let state = query.state.map_or("all", State::as_str);
    let user = query.user.map(|user| user.to_string());
    format!("mails.{state}.{}", user.as_deref().unwrap_or("all"))
}

impl From<&Mail> for proto::Mail {
    fn from(mail: &Mail) -> Self {
        let is_pending = mail.state == State::Pending;
        Self {
            id: mail.id.to_string(),
            user_id: mail.user.to_string(),
            template: mail.template.clone(),
            to_former: mail.kept.and_then(Kept::former_email).is_some(),
            state: mail.state.to_wire(),
            attempts: mail.attempts,
            last_error: mail.last_error.clone().unwrap_or_default(),
            lang: mail.lang.clone().unwrap_or_default(),
            time: Some(wire::timestamp(mail.created_at)),
            due_at: is_pending.then(|| wire::timestamp(mail.due_at)),
            finished_at: mail.finished_at.map(wire::timestamp),
            disowned_at: mail.disowned_at.map(wire::timestamp),
        }
    }
}

impl From<&Mail> for proto::RetryMailResponse {
    fn from(mail: &Mail) -> Self {
        Self {
            mail: Some(mail.into()),
        }
    }
}
