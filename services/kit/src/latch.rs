//! A condition that becomes true once and stays true, such as "the schema is current".

use tokio::sync::watch;

/// The side that opens a [`Latch`]. Dropped unopened, it leaves everyone waiting: the process is
/// ending then.
#[derive(Debug)]
pub struct Opener(watch::Sender<bool>);

impl Opener {
    /// Opens the latch permanently.
    pub fn open(&self) {
        self.0.send_replace(true);
    }
}

/// The side that waits. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Latch(watch::Receiver<bool>);

impl Latch {
    /// A closed latch and its opener.
    pub fn closed() -> (Opener, Self) {
        let (sender, receiver) = watch::channel(false);
        (Opener(sender), Self(receiver))
    }

    /// A latch that is open from the start.
    pub fn opened() -> Self {
        Self(watch::channel(true).1)
    }

    /// Waits until the latch is open.
    pub async fn wait(&self) {
        let mut seen = self.0.clone();
        // The opener is dropped only after it opened the latch, or with the process.
        if seen.wait_for(|open| *open).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether the latch is open.
    pub fn is_open(&self) -> bool {
        *self.0.borrow()
    }
}
