//! Notices.

use adfolio_kit::pagination::Cursor;
use adfolio_kit::refusal::Refusal;
use adfolio_proto::notification::v1 as pb;
use adfolio_proto::notification::v1::create_notification_request::To;
use chrono::DateTime;

use crate::lang::Lang;
use crate::localized;
use crate::notice::{Body, Category, Filter, Notice, Position};
use crate::publish::entity::check_message;
use crate::publish::{Publication, Recipients};
use crate::text::{Catalogues, Rendered};

pub fn category_from_wire(category: i32) -> Result<Option<Category>, Refusal> {
    match pb::Category::try_from(category) {
        Ok(pb::Category::Unspecified) => Ok(None),
        Ok(pb::Category::Announcement) => Ok(Some(Category::Announcement)),
        Ok(pb::Category::Maintenance) => Ok(Some(Category::Maintenance)),
        Ok(pb::Category::Activity) => Ok(Some(Category::Activity)),
        Err(_) => Err(Refusal::invalid("category")),
    }
}

fn category_to_wire(category: Category) -> pb::Category {
    match category {
        Category::Announcement => pb::Category::Announcement,
        Category::Maintenance => pb::Category::Maintenance,
        Category::Activity => pb::Category::Activity,
    }
}

pub fn filter_from_wire(category: i32, filter: i32) -> Result<Filter, Refusal> {
    let read = match pb::ReadFilter::try_from(filter) {
        Ok(pb::ReadFilter::Unspecified) => None,
        Ok(pb::ReadFilter::Unread) => Some(false),
        Ok(pb::ReadFilter::Read) => Some(true),
        Err(_) => return Err(Refusal::invalid("filter")),
    };
    Ok(Filter {
        category: category_from_wire(category)?,
        read,
    })
}

/// The name of a filtered inbox, for its cursors: a position in one is none in another.
pub fn list_name(filter: Filter) -> String {
    let category = filter.category.map_or("all", Category::as_str);
    let read = match filter.read {
        None => "all",
        Some(true) => "read",
        Some(false) => "unread",
    };
    format!("notifications.{category}.{read}")
}

pub fn position_to_cursor(cursors: &Cursor, notice: &Notice) -> String {
    cursors.encode(&[
        &notice.occurred_at.timestamp_micros().to_string(),
        &notice.id.to_string(),
    ])
}

pub fn position_from_cursor(
    cursors: &Cursor,
    text: Option<&str>,
) -> Result<Option<Position>, Refusal> {
    let Some(text) = text else { return Ok(None) };
    let position = match cursors.decode(text, 2)?.as_slice() {
        [micros, id] => micros
            .parse()
            .ok()
            .and_then(DateTime::from_timestamp_micros)
            .zip(id.parse().ok())
            .map(|(occurred_at, id)| Position { occurred_at, id }),
        _ => None,
    };
    position.map(Some).ok_or_else(|| Refusal::invalid("cursor"))
}

pub fn notification(notice: &Notice, catalogues: &Catalogues, lang: Lang) -> pb::Notification {
    let rendered = match &notice.body {
        Body::Event { template, params } => catalogues.render(lang, template, params),
        Body::Written(message) => Rendered {
            title: localized::in_lang(&message.title, lang).to_owned(),
            content: localized::in_lang(&message.content, lang).to_owned(),
        },
    };
    pb::Notification {
        id: notice.id.to_string(),
        category: category_to_wire(notice.category).into(),
        title: rendered.title,
        content: rendered.content,
        read: notice.read,
        time: Some(notice.occurred_at.into()),
    }
}

pub fn publication(request: pb::CreateNotificationRequest) -> Result<Publication, Refusal> {
    let pb::CreateNotificationRequest {
        category,
        to,
        title,
        content,
    } = request;
    Ok(Publication {
        category: category_from_wire(category)?.ok_or_else(|| Refusal::invalid("category"))?,
        to: match to {
            Some(To::All(true)) => Recipients::All,
            Some(To::Users(users)) => Recipients::users(&users.user_ids)?,
            Some(To::All(false)) | None => return Err(Refusal::invalid("to")),
        },
        message: check_message(title, content)?,
    })
}
