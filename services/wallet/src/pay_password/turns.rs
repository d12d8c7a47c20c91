//! One user's attempts, one after the other within this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::{Reason, Refusal};
use tokio::sync::OwnedMutexGuard;

use crate::error::WalletError;

/// Attempts of one user that may wait.
const WAITING_MAX: usize = 64;

/// When a caller refused by a full row may retry.
const ROW_RETRY: Duration = Duration::from_secs(1);

type Rows = Mutex<HashMap<UserId, (usize, Arc<tokio::sync::Mutex<()>>)>>;

/// The rows of all users who wait.
#[derive(Clone, Debug, Default)]
pub struct Turns(Arc<Rows>);

/// A place in a user's row, given back when dropped.
#[derive(Debug)]
pub(super) struct Place {
    rows: Arc<Rows>,
    user_id: UserId,
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Turns {
    /// A place in the user's row, or TOO_MANY_ATTEMPTS.
    pub(super) fn enter(&self, user_id: UserId) -> Result<Place, Refusal> {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (waiting, turn) = rows.entry(user_id).or_default();
        if *waiting >= WAITING_MAX {
            return Err(Refusal::new(Reason::TooManyAttempts).retry_after(ROW_RETRY));
        }
        *waiting = waiting.saturating_add(1);
        Ok(Place {
            rows: Arc::clone(&self.0),
            user_id,
            turn: Arc::clone(turn),
        })
    }
}

impl Place {
    /// Waits for the turn, at most until the deadline.
    pub(super) async fn turn(
        &self,
        deadline: Deadline,
    ) -> Result<OwnedMutexGuard<()>, WalletError> {
        let turn = Arc::clone(&self.turn).lock_owned();
        tokio::time::timeout_at(deadline.instant(), turn)
            .await
            .map_err(|_| WalletError::Overdue)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((waiting, _)) = rows.get_mut(&self.user_id) {
            *waiting = waiting.saturating_sub(1);
            if *waiting == 0 {
                rows.remove(&self.user_id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn rows_are_bounded_by_user_and_leave_nothing_behind() {
        let (turns, user, other) = (
            Turns::default(),
            UserId(Uuid::from_u128(1)),
            UserId(Uuid::from_u128(2)),
        );
        let places: Vec<Place> = (0..WAITING_MAX)
            .map(|_| turns.enter(user).expect("a place"))
            .collect();
        let refusal = turns.enter(user).expect_err("full");
        assert_eq!(refusal.reason, Reason::TooManyAttempts);
        assert!(turns.enter(other).is_ok());
        let turn = places[0].turn(Deadline::default()).await.expect("a turn");
        let second = places[1].turn(Deadline::after(Duration::ZERO)).await;
        assert!(matches!(second, Err(WalletError::Overdue)));
        drop(turn);
        assert!(places[1].turn(Deadline::default()).await.is_ok());
        drop(places);
        assert!(turns.0.lock().expect("rows").is_empty());
    }
}
