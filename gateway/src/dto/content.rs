//! The texts that staff edit.

use std::collections::BTreeMap;

use adfolio_proto::notification::v1 as notification;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::lang::Lang;

/// A way to reach customer service, in every language, as staff edit it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ServiceEntryContentInput {
    /// Opaque id; given when absent.
    pub id: Option<String>,
    /// 1 is a page inside the app, anything else opens elsewhere.
    #[serde(rename = "type")]
    #[schema(example = 1)]
    pub kind: i32,
    /// Its address; https only.
    #[schema(example = "https://support.example.com/chat")]
    pub url: String,
    /// Its label by language; `en` is required.
    #[schema(example = json!({"en": "Live chat"}))]
    pub label: BTreeMap<Lang, String>,
}

/// A way to reach customer service, in every language.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ServiceEntryContent {
    /// Opaque id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e30")]
    pub id: String,
    /// 1 is a page inside the app, anything else opens elsewhere.
    #[serde(rename = "type")]
    #[schema(example = 1)]
    pub kind: i32,
    /// Its address.
    #[schema(example = "https://support.example.com/chat")]
    pub url: String,
    /// Its label by language.
    #[schema(example = json!({"en": "Live chat"}))]
    pub label: BTreeMap<String, String>,
}

/// The texts that staff edit, as they shall be.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ContentRequest {
    /// For questions of every kind.
    pub customer_service: Vec<ServiceEntryContentInput>,
    /// For deposits.
    pub recharge_customer_service: Vec<ServiceEntryContentInput>,
}

impl ContentRequest {
    /// For a service's message.
    pub fn into_proto(self) -> notification::Content {
        let entry = |entry: ServiceEntryContentInput| notification::ServiceEntryContent {
            id: entry.id.unwrap_or_default(),
            r#type: entry.kind,
            url: entry.url,
            label: entry
                .label
                .into_iter()
                .map(|(lang, text)| (lang.code().to_owned(), text))
                .collect(),
        };
        notification::Content {
            customer_service: self.customer_service.into_iter().map(entry).collect(),
            recharge_customer_service: self
                .recharge_customer_service
                .into_iter()
                .map(entry)
                .collect(),
        }
    }
}

/// The texts that staff edit.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Content {
    /// For questions of every kind.
    pub customer_service: Vec<ServiceEntryContent>,
    /// For deposits.
    pub recharge_customer_service: Vec<ServiceEntryContent>,
}

impl From<notification::Content> for Content {
    fn from(content: notification::Content) -> Self {
        let entry = |entry: notification::ServiceEntryContent| ServiceEntryContent {
            id: entry.id,
            kind: entry.r#type,
            url: entry.url,
            label: entry.label.into_iter().collect(),
        };
        Self {
            customer_service: content.customer_service.into_iter().map(entry).collect(),
            recharge_customer_service: content
                .recharge_customer_service
                .into_iter()
                .map(entry)
                .collect(),
        }
    }
}
