//! Where customer service is reached: part of every profile, so it is kept for some seconds and never fails a login.

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

/// How long the entries of a language are kept.
const KEEP: Duration = Duration::from_secs(10);

/// A profile waits no longer than this for them.
const CALL_LIMIT: Duration = Duration::from_secs(1);

/// The entries of every language, as they were a few seconds ago.
#[derive(Debug)]
pub struct ServiceEntryCache {
    client: NotificationServiceClient<Channel>,
    fresh: Cache<Lang, Arc<ServiceEntries>>,
    last_known: Mutex<HashMap<Lang, Arc<ServiceEntries>>>,
    basic_config: BasicConfigCache,
}

impl ServiceEntryCache {
    /// An empty cache in front of notification. `basic_config` shows the same texts.
    pub fn new(client: NotificationServiceClient<Channel>, basic_config: BasicConfigCache) -> Self {
        let fresh = Cache::builder().time_to_live(KEEP).build();
        Self {
            client,
            fresh,
            last_known: Mutex::default(),
            basic_config,
        }
    }

    /// The entries of a language; the last known ones, or none, while notification cannot be reached. That answer is kept
    /// too, so that a frozen service costs one caller a second now and then and not every caller.
    pub async fn get(&self, lang: Lang) -> Arc<ServiceEntries> {
        self.fresh.get_with(lang, self.fetch(lang)).await
    }

    /// Forgets everything, basic_config's texts included: staff changed them.
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
