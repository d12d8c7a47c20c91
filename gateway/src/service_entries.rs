//! The customer-service entries. They are part of every profile, so they are cached for a few seconds and never fail
//! a login.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use adfolio_kit::call;
use adfolio_kit::client::{Call, Channel};
use adfolio_kit::identity::Caller;
use adfolio_proto::notification::v1::ListServiceEntriesRequest;
use adfolio_proto::notification::v1::notification_service_client::NotificationServiceClient;
use moka::future::Cache;
use tracing::warn;

use crate::basic_config::BasicConfigCache;
use crate::dto::account::ServiceEntries;
use crate::errors::Failure;
use crate::lang::Lang;

/// How long the entries of a language are cached.
const KEEP: Duration = Duration::from_secs(10);

/// How long a profile waits for them.
const CALL_LIMIT: Duration = Duration::from_secs(1);

/// The entries of every language, cached for a few seconds.
#[derive(Debug)]
pub struct ServiceEntryCache {
    client: NotificationServiceClient<Channel>,
    fresh: Cache<Lang, Arc<ServiceEntries>>,
    last_known: Mutex<HashMap<Lang, Arc<ServiceEntries>>>,
    basic_config: BasicConfigCache,
}

impl ServiceEntryCache {
    /// An empty cache of notification's entries. `basic_config` shows the same texts.
    pub fn new(client: NotificationServiceClient<Channel>, basic_config: BasicConfigCache) -> Self {
        let fresh = Cache::builder().time_to_live(KEEP).build();
        Self {
            client,
            fresh,
            last_known: Mutex::default(),
            basic_config,
        }
    }

    /// The entries of a language: the last known ones, or none, while notification is unavailable. That answer is
    /// cached too, so that a frozen service delays only one caller now and then.
    pub async fn get(&self, lang: Lang) -> Arc<ServiceEntries> {
        self.fresh.get_with(lang, self.fetch(lang)).await
    }

    /// Invalidates everything, including the texts of basic_config, after staff changed them.
    pub fn clear(&self) {
        self.fresh.invalidate_all();
        self.basic_config.forget_content();
    }

    async fn fetch(&self, lang: Lang) -> Arc<ServiceEntries> {
        let caller = Caller {
            lang: lang.code().to_owned(),
            ..Caller::system()
        };
        let call = Call::once(&caller, CALL_LIMIT);
        let asked = call!(
            self.client,
            list_service_entries,
            ListServiceEntriesRequest {},
            call
        );
        let fetched = asked.await.map_err(Failure::from);
        match fetched.and_then(ServiceEntries::from_proto) {
            Ok(entries) => {
                let entries = Arc::new(entries);
                self.known().insert(lang, Arc::clone(&entries));
                entries
            }
            Err(failure) => {
                warn!(reason = %failure.refusal.reason, "customer-service entries are unavailable");
                self.known().get(&lang).cloned().unwrap_or_default()
            }
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<Lang, Arc<ServiceEntries>>> {
        self.last_known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
