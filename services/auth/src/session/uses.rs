//! Uses of sessions that are not stored yet.
//!
//! Every call of a user is a use of a session, which extends it. Storing each at once would make
//! every read a write, which a database without a primary refuses. So uses are remembered here and
//! stored together ([`store`]). One that is lost with the process costs its session seconds; one
//! that cannot be stored waits, and counts in this process meanwhile.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adfolio_kit::db;
use chrono::{DateTime, Utc};

use super::entity::Session;
use super::repo;
use crate::app::App;
use crate::error::AuthError;
use crate::ids::SessionId;

/// Sessions whose uses are remembered at most. Of more, the next uses are remembered once these are
/// stored.
const MOST: usize = 100_000;

/// Uses that one statement stores.
const BATCH: usize = 1_000;

/// The last use of a session, and what it extends it to.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    pub last_seen_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// The last uses of sessions in this process. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Uses(Arc<Mutex<HashMap<SessionId, Use>>>);

impl Uses {
    /// The session with its last use that is not stored yet.
    pub fn apply(&self, mut session: Session) -> Session {
        if let Some(last) = self.lock().get(&session.id)
            && last.last_seen_at > session.last_seen_at
        {
            session.last_seen_at = last.last_seen_at;
            session.expires_at = last.expires_at;
        }
        session
    }

    /// Remembers the use of a session.
    pub fn add(&self, session: &Session) {
        let mut uses = self.lock();
        if uses.len() < MOST || uses.contains_key(&session.id) {
            let last = Use {
                last_seen_at: session.last_seen_at,
                expires_at: session.expires_at,
            };
            uses.insert(session.id, last);
        }
    }

    fn some(&self) -> Vec<(SessionId, Use)> {
        let uses = self.lock();
        uses.iter()
            .take(BATCH)
            .map(|(id, last)| (*id, *last))
            .collect()
    }

    /// Forgets uses that are stored, unless a later one has come.
    fn forget(&self, stored: &[(SessionId, Use)]) {
        let mut uses = self.lock();
        for (id, last) in stored {
            if uses
                .get(id)
                .is_some_and(|now| now.last_seen_at <= last.last_seen_at)
            {
                uses.remove(id);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Use>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stores all uses that have been remembered until now.
pub async fn store(app: &App) -> Result<(), AuthError> {
    for _ in 0..MOST.div_ceil(BATCH) {
        let uses = app.session_uses.some();
        if uses.is_empty() {
            break;
        }
        let batch = uses.clone();
        db::write(&app.pool, move |tx| {
            Box::pin(async move { Ok::<_, AuthError>(repo::touch_in_tx(tx, &batch).await?) })
        })
        .await?;
        app.session_uses.forget(&uses);
    }
    Ok(())
}
