//! Rounds: every measurement in turn, then all of them again.
//!
//! A machine is seldom equally fast for minutes: its host, its disk and its other programs have
//! their moments. Measured one after the other for long, a part and its yardstick meet different
//! moments, and their ratio is noise. In short rounds they meet the same ones, and the median of
//! the rounds leaves out the rest.

use std::time::{Duration, Instant};

use futures::future::BoxFuture;

use crate::options::Options;
use crate::processes::Processes;
use crate::results::Results;

/// Does the work of one measurement for a duration.
type Run = Box<dyn FnMut(Duration) -> BoxFuture<'static, Outcome>>;

/// What is measured once in every round.
pub struct Measurement {
    pub name: &'static str,
    run: Run,
}

impl Measurement {
    pub fn new(
        name: &'static str,
        run: impl FnMut(Duration) -> BoxFuture<'static, Outcome> + 'static,
    ) -> Self {
        let run = Box::new(run);
        Self { name, run }
    }

    pub fn run(&mut self, duration: Duration) -> BoxFuture<'static, Outcome> {
        (self.run)(duration)
    }
}

/// The outcome of a measurement in one round.
#[derive(Debug)]
pub struct Outcome {
    pub figures: Vec<(&'static str, f64)>,
    /// All operations that were made, including those of the warm-up: they took processor time.
    pub operations: usize,
}

impl Outcome {
    pub fn figure(&self, name: &str) -> f64 {
        let mut figures = self.figures.iter();
        figures.find(|(figure, _)| *figure == name).unwrap().1
    }
}

/// Measures all rounds into `results`.
pub async fn run(
    options: &Options,
    processes: &Processes,
    measurements: &mut [Measurement],
    results: &mut Results,
) {
    if measurements.is_empty() {
        return;
    }
    processes.settle().await;
    for round in 1..=options.rounds {
        let begun = Instant::now();
        for measurement in &mut *measurements {
            let before = processes.snapshot();
            let outcome = measurement.run(options.duration).await;
            // The events of the operations are part of their cost, and must not burden the next
            // measurement.
            processes.settle().await;
            let used = processes.snapshot().since(&before);
            results.add_outcome(measurement.name, &outcome);
            results.add_processor_time(measurement.name, outcome.operations, &used);
        }
        println!(
            "round {round} of {}: {:.0} s",
            options.rounds,
            begun.elapsed().as_secs_f64()
        );
    }
    results.compare_with_yardsticks();
}
