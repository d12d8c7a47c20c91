//! Proves that the suite detects mistakes: it fails with each planted defect.
//!
//! `DEFECT` selects one; `CHAOS_SECONDS` (60) is the time that each has to do harm.

use adfolio_kit::chaos::{DEFECTS_VARIABLE, Defect};
use adfolio_local::Service;

use super::{Chaos, failover, setting};

/// Those that only show when another server becomes the primary.
const OF_FAILOVERS: [Defect; 3] = [
    Defect::CommitsNotSynchronous,
    Defect::ReadOnlyUnnoticed,
    Defect::OneServerKnown,
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes half an hour: make defects"]
async fn every_defect_is_caught() {
    let seconds = setting("CHAOS_SECONDS").unwrap_or(60);
    let only: Option<String> = setting("DEFECT");
    let mut missed = Vec::new();
    let mut caught = 0;
    for defect in Defect::ALL {
        let name = defect.as_str();
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let seed = setting("CHAOS_SEED").unwrap_or_else(rand::random::<u64>);
        println!("{name}, CHAOS_SEED={seed}");
        let environment = |service| (service, DEFECTS_VARIABLE, name);
        // A service that cannot start is not a detected defect: this test fails.
        let run = if OF_FAILOVERS.contains(defect) {
            tokio::spawn(failover::run(seconds, seed, Some(*defect)))
        } else {
            let chaos = Chaos::start(seconds, seed, &Service::ALL.map(environment)).await;
            tokio::spawn(chaos.run())
        };
        match run.await {
            Ok(()) => missed.push(name),
            Err(end) => {
                caught += 1;
                println!("{name} is caught: {}", words(end));
            }
        }
    }
    println!("{caught} caught, missed: {missed:?}");
    assert!(missed.is_empty() && caught > 0);
}

/// The message of a failed run.
fn words(end: tokio::task::JoinError) -> String {
    let panic = end.into_panic();
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
        .unwrap_or_default()
}
