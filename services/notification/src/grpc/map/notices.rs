//! Notices.

use adfolio_kit::mirror;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::List;
use adfolio_proto::notification::v1 as proto;
use chrono::DateTime;

use crate::lang::Lang;
use crate::localized;
use crate::notice::{Body, Category, Filter, Kind, Notice, Position, TargetKind};
use crate::text::{Catalogues, Rendered};

names! {
    /// Read or not, as a filter says it.
    ReadState {
        Unread,
        Read,
    }
}

mirror! {
    Category = proto::Category,
    Kind = proto::NotificationKind,
    TargetKind = proto::NotificationTargetKind,
    ReadState = proto::ReadFilter,
}

/// Which notices are asked for.
pub fn filter(category: i32, filter: i32) -> Result<Filter, Refusal> {
    let read = ReadState::optional(filter, "filter")?;
    Ok(Filter {
        category: Category::optional(category, "category")?,
        read: read.map(|state| state == ReadState::Read),
    })
}

/// The name of a filtered inbox, for its cursors: a position in one is none in another.
pub fn list_name(filter: Filter) -> String {
    let category = filter.category.map_or("all", Category::as_str);
    let read = match filter.read {
        None => "all",
        Some(true) => ReadState::Read.as_str(),
        Some(false) => ReadState::Unread.as_str(),
    };
    format!("notifications.{category}.{read}")
}

/// The sort keys of a notice.
pub fn position_keys(notice: &Notice) -> Vec<String> {
    vec![
        notice.occurred_at.timestamp_micros().to_string(),
        notice.id.to_string(),
    ]
}

/// The position behind which a page of an inbox begins.
pub fn position(list: &List) -> Result<Option<Position>, Refusal> {
    let Some(keys) = list.keys(2)? else {
        return Ok(None);
    };
    let position = match keys.as_slice() {
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

pub fn notification(notice: &Notice, catalogues: &Catalogues, lang: Lang) -> proto::Notification {
    let rendered = match &notice.body {
        Body::Event { template, params } => catalogues.render(lang, template, params),
        Body::Written(message) => Rendered {
            title: localized::in_lang(&message.title, lang).to_owned(),
            content: localized::in_lang(&message.content, lang).to_owned(),
        },
    };
    proto::Notification {
        id: notice.id.to_string(),
        category: notice.category.to_wire(),
        title: rendered.title,
        content: rendered.content,
        read: notice.read,
        time: Some(notice.occurred_at.into()),
        kind: notice.kind.to_wire(),
        target: notice
            .target
            .as_ref()
            .map(|target| proto::NotificationTarget {
                kind: target.kind.to_wire(),
                id: target.id.clone(),
            }),
    }
}
