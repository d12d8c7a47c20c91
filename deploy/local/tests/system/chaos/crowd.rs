//! All who work while servers fail: advertisers, a network with reports, the watcher of the books, and one client without
//! a pause.

use std::sync::Arc;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{
    act,
    books::{self, Watched},
    check,
    history::History,
    prepare, remembered,
    supply::{Supply, Told},
    watchful::Customer,
};
use crate::setup::System;

/// All of them at work.
pub(super) struct Crowd {
    stop: CancellationToken,
    acting: Vec<JoinHandle<History>>,
    supplying: JoinHandle<(Supply, Told)>,
    watching: JoinHandle<Watched>,
    pub(super) customer: Customer,
}

impl Crowd {
    /// They begin, with as many advertisers.
    pub(super) async fn start(system: &Arc<System>, seed: u64, advertisers: usize) -> Self {
        let stage = Arc::new(prepare(system).await);
        let stop = CancellationToken::new();
        let acting = act(system, &stage, seed, 0..advertisers, &stop).await;
        let supply = Supply::prepare(system, seed).await;
        let supplying = tokio::spawn(supply.work(stop.clone()));
        let base_url = system.stack.database_base_url();
        let watching = tokio::spawn(books::watch(base_url, stop.clone()));
        let customer = Customer::start(system, &stop).await;
        Self {
            stop,
            acting,
            supplying,
            watching,
            customer,
        }
    }

    /// They stop, and what they remember is compared with the books; returns how many operations were answered.
    pub(super) async fn end(self, system: &System) -> usize {
        self.stop.cancel();
        let histories = remembered(self.acting).await;
        let met = self.customer.seen().await;
        let watched = self.watching.await.unwrap();
        let supplied = self.supplying.await;
        let (mut supply, mut told) = supplied.expect("the network got a forbidden answer");
        let answered: usize = histories.iter().map(|history| history.answered).sum();
        println!("{met}; {answered} operations answered; {watched}; {told}");
        supply.conclude(&mut told).await;
        check::wait_until_quiet(system).await;
        for history in &histories {
            check::compare(system, history).await;
        }
        met.check(system).await;
        assert_eq!(watched.unbalanced, 0, "the books were off");
        assert!(watched.balanced > 0, "nobody looked at the books");
        answered
    }
}
