//! What staff publish.

use std::collections::{BTreeMap, HashMap};

use adfolio_kit::mirror;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::notification::v1 as proto;
use adfolio_proto::notification::v1::create_notification_request::To as CreateTo;
use adfolio_proto::notification::v1::edit_announcement_request::To as EditTo;
use serde_json::json;

use crate::localized::{self, Texts};
use crate::notice::Category;
use crate::publish::entity::{check_content, check_message, check_title};
use crate::publish::{Announcement, Edit, Publication, Published, Recipients, State};

mirror! {
    State = proto::AnnouncementState,
}

/// The name of a filtered list, for its cursors.
pub fn list_name(state: Option<State>) -> String {
    format!("publications.{}", state.map_or("all", State::as_str))
}

/// The request in one order of its languages: a map has none, and equal requests must have equal digests.
pub fn canonical(request: &proto::EditAnnouncementRequest) -> String {
    let to = match &request.to {
        Some(EditTo::All(all)) => json!(all),
        Some(EditTo::Users(users)) => json!(users.user_ids),
        None => json!(null),
    };
    let title: BTreeMap<_, _> = request.title.iter().collect();
    let content: BTreeMap<_, _> = request.content.iter().collect();
    let at = request.publish_at.map(|at| (at.seconds, at.nanos));
    json!([
        request.id,
        request.version,
        request.category,
        to,
        title,
        content,
        at
    ])
    .to_string()
}

/// What is to change.
pub fn edit(request: proto::EditAnnouncementRequest) -> Result<Edit, Refusal> {
    if request.version <= 0 {
        return Err(Refusal::invalid("version"));
    }
    let to = match request.to {
        None => None,
        Some(EditTo::All(true)) => Some(Recipients::All),
        Some(EditTo::Users(users)) => Some(Recipients::users(&users.user_ids)?),
        Some(EditTo::All(false)) => return Err(Refusal::invalid("to")),
    };
    let texts = |sent: HashMap<String, String>, check: fn(_) -> Result<Texts, Refusal>| {
        (!sent.is_empty()).then(|| check(sent)).transpose()
    };
    Ok(Edit {
        version: request.version,
        category: Category::optional(request.category, "category")?,
        to,
        title: texts(request.title, check_title)?,
        content: texts(request.content, check_content)?,
        publish_at: wire::instant(request.publish_at, "publish_at")?,
    })
}

impl From<&Announcement> for proto::Announcement {
    fn from(announcement: &Announcement) -> Self {
        let texts = |texts: &Texts| localized::by_code(texts).into_iter().collect();
        let (changed_by, changed_at) = announcement.changed.unzip();
        Self {
            id: announcement.id.to_string(),
            category: announcement.category.to_wire(),
            state: announcement.state.to_wire(),
            to_all: announcement.recipients.is_none(),
            recipients: announcement.recipients.unwrap_or(0),
            reached: announcement.reached,
            title: texts(&announcement.message.title),
            content: texts(&announcement.message.content),
            version: announcement.version,
            made_by: announcement
                .made_by
                .map(|by| by.to_string())
                .unwrap_or_default(),
            time: Some(wire::timestamp(announcement.made_at)),
            publish_at: announcement.publish_at.map(wire::timestamp),
            published_at: announcement.published_at.map(wire::timestamp),
            changed_by: changed_by.map(|by| by.to_string()).unwrap_or_default(),
            changed_at: changed_at.map(wire::timestamp),
            withdrawal_reason: announcement.withdrawal_reason.clone(),
        }
    }
}

impl From<&Announcement> for proto::EditAnnouncementResponse {
    fn from(announcement: &Announcement) -> Self {
        Self {
            announcement: Some(announcement.into()),
        }
    }
}

impl From<&Announcement> for proto::WithdrawAnnouncementResponse {
    fn from(announcement: &Announcement) -> Self {
        Self {
            announcement: Some(announcement.into()),
        }
    }
}

impl TryFrom<proto::CreateNotificationRequest> for Publication {
    type Error = Refusal;

    fn try_from(request: proto::CreateNotificationRequest) -> Result<Self, Refusal> {
        let proto::CreateNotificationRequest {
            category,
            to,
            title,
            content,
            publish_at: _,
        } = request;
        Ok(Self {
            category: Category::required(category, "category")?,
            to: match to {
                Some(CreateTo::All(true)) => Recipients::All,
                Some(CreateTo::Users(users)) => Recipients::users(&users.user_ids)?,
                Some(CreateTo::All(false)) | None => return Err(Refusal::invalid("to")),
            },
            message: check_message(title, content)?,
        })
    }
}

impl From<&Published> for proto::CreateNotificationResponse {
    fn from(published: &Published) -> Self {
        Self {
            id: published.id.to_string(),
            recipients: published.recipients,
            state: published.state.to_wire(),
        }
    }
}
