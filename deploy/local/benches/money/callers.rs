//! Load: callers that wait for their answers, and arrivals that do not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::{BoxFuture, join_all};
use hdrhistogram::Histogram;
use tokio::runtime::Handle;

use crate::rounds::Outcome;

/// One warm-up of this part of a measurement's duration precedes it.
const WARM_UP: u32 = 10;

/// A call by a caller, with the number of the call.
pub type Call<C> = Arc<dyn Fn(C, usize) -> BoxFuture<'static, ()> + Send + Sync>;

/// Closed loop: each caller makes its next call as soon as the last one is answered.
pub async fn saturate<C>(callers: &[C], duration: Duration, call: &Call<C>) -> Outcome
where
    C: Clone + Send + 'static,
{
    let counted_from = Instant::now() + duration / WARM_UP;
    let until = counted_from + duration;
    let tasks = callers.iter().cloned().map(|caller| {
        let call = call.clone();
        tokio::spawn(async move {
            let (mut latencies, mut operations) = (Latencies::new(), 0);
            for number in 0.. {
                let begun = Instant::now();
                if begun > until {
                    break;
                }
                call(caller.clone(), number).await;
                operations += 1;
                let ended = Instant::now();
                if ended > counted_from && ended < until {
                    latencies.record(ended - begun);
                }
            }
            (latencies, operations)
        })
    });
    let (mut all, mut operations) = (Latencies::new(), 0);
    for task in join_all(tasks).await {
        let (latencies, made) = task.unwrap();
        all.add(&latencies);
        operations += made;
    }
    let mut outcome = all.outcome(operations);
    let rate = all.count() as f64 / duration.as_secs_f64();
    outcome.figures.push(("per_second", rate));
    outcome
}

/// Open loop: calls arrive at a constant rate whether or not earlier ones are answered, as from
/// many users who do not know of each other. Latency counts from the scheduled arrival: a stalled
/// server delays all calls that arrive meanwhile, and each of them is counted with its delay.
pub async fn arrive<C>(
    callers: &[C],
    per_second: f64,
    duration: Duration,
    call: &Call<C>,
) -> Outcome
where
    C: Clone + Send + Sync + 'static,
{
    let warm_up = (per_second * (duration / WARM_UP).as_secs_f64()) as usize;
    let count = warm_up + (per_second * duration.as_secs_f64()) as usize;
    let (runtime, callers, call) = (Handle::current(), callers.to_vec(), call.clone());
    // On a thread of its own, because the runtime's timers are a millisecond coarse.
    let arrivals = tokio::task::spawn_blocking(move || {
        let begun = Instant::now();
        let arrivals = (0..count).map(|number| {
            let scheduled = begun + Duration::from_secs_f64(number as f64 / per_second);
            std::thread::sleep(scheduled.saturating_duration_since(Instant::now()));
            let answered = call(callers[number % callers.len()].clone(), number);
            runtime.spawn(async move {
                answered.await;
                scheduled.elapsed()
            })
        });
        arrivals.collect::<Vec<_>>()
    });
    let mut latencies = Latencies::new();
    let answers = join_all(arrivals.await.unwrap()).await;
    for latency in answers.into_iter().skip(warm_up) {
        latencies.record(latency.unwrap());
    }
    let mut outcome = latencies.outcome(count);
    outcome.figures.push(("per_second", per_second));
    outcome
}

/// To the microsecond, with three significant digits.
struct Latencies(Histogram<u64>);

impl Latencies {
    fn new() -> Self {
        Self(Histogram::new(3).unwrap())
    }

    fn record(&mut self, latency: Duration) {
        let latency_us = u64::try_from(latency.as_micros()).unwrap();
        self.0.record(latency_us).unwrap();
    }

    fn add(&mut self, other: &Self) {
        self.0.add(&other.0).unwrap();
    }

    fn count(&self) -> u64 {
        self.0.len()
    }

    fn outcome(&self, operations: usize) -> Outcome {
        let milliseconds = |share: f64| self.0.value_at_quantile(share) as f64 / 1_000.0;
        Outcome {
            figures: vec![
                ("p50_ms", milliseconds(0.5)),
                ("p99_ms", milliseconds(0.99)),
            ],
            operations,
        }
    }
}
