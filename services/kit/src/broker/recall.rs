//! Each session tries the nodes in an order of its own, and goes back to an earlier one.
//!
//! The order follows from the session's name and a number of the process: sessions spread over the
//! nodes, and are spread as before once a node that was lost has returned. While a session is at
//! another node than its first, a task looks whether an earlier one answers again.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::info;

use super::Broker;

/// How often the earlier nodes are asked whether they answer again, within half and one and a half of
/// this: sessions do not all return at once. Short in debug builds, so that tests see a return.
const ASK_INTERVAL: Duration = if cfg!(debug_assertions) {
    Duration::from_millis(500)
} else {
    Duration::from_secs(20)
};

/// The nodes in the order in which a session tries them.
pub(super) fn order(process: u64, session: &str, nodes: usize) -> Vec<usize> {
    let mut hasher = DefaultHasher::new();
    (process, session).hash(&mut hasher);
    let mut order: Vec<_> = (0..nodes).collect();
    order.shuffle(&mut StdRng::seed_from_u64(hasher.finish()));
    order
}

/// Says that a node answers again that a session prefers to its own. Asks until it is dropped.
#[derive(Debug)]
pub(super) struct Recall {
    recalled: CancellationToken,
    _asking: AbortOnDropHandle<()>,
}

impl Recall {
    /// Starts to ask these nodes.
    pub(super) fn start(broker: &Broker, nodes: &[usize], name: &str) -> Self {
        let (broker, nodes, name) = (broker.clone(), nodes.to_vec(), name.to_owned());
        let recalled = CancellationToken::new();
        let answers = recalled.clone();
        let asking = tokio::spawn(async move {
            loop {
                let share = rand::rng().random_range(0.5..1.5);
                sleep(ASK_INTERVAL.mul_f64(share)).await;
                for node in &nodes {
                    if let Ok(session) = broker.open_at(*node, &name).await {
                        session.close().await;
                        info!(session = name, "session goes back to its node");
                        answers.cancel();
                        return;
                    }
                }
            }
        });
        Self {
            recalled,
            _asking: AbortOnDropHandle::new(asking),
        }
    }

    pub(super) fn is_recalled(&self) -> bool {
        self.recalled.is_cancelled()
    }

    pub(super) async fn recalled(&self) {
        self.recalled.cancelled().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_a_session_is_always_the_same_and_sessions_spread() {
        let mut homes = [0_u32; 3];
        for process in 0..300 {
            let tried = order(process, "relay", 3);
            assert_eq!(tried, order(process, "relay", 3));
            let mut sorted = tried.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2]);
            homes[tried[0]] += 1;
        }
        assert!(homes.iter().all(|count| *count > 60), "{homes:?}");
    }
}
