//! Callers that make the next call as soon as the last one is answered.

use std::time::{Duration, Instant};

use futures::future::{BoxFuture, join_all};
use hdrhistogram::Histogram;

/// The duration of a measurement.
const MEASURED: Duration = Duration::from_secs(15);

/// Runs one task for each of `callers`; `call` gets the caller and the number of the call. Prints
/// calls per second and their latencies.
pub async fn measure<C>(
    what: &str,
    callers: Vec<C>,
    call: impl Fn(C, usize) -> BoxFuture<'static, ()> + Clone + Send + 'static,
) where
    C: Clone + Send + 'static,
{
    let count = callers.len();
    let until = Instant::now() + MEASURED;
    let tasks = callers.into_iter().map(|caller| {
        let call = call.clone();
        tokio::spawn(async move {
            let mut latencies_us = Histogram::<u64>::new(3).unwrap();
            for number in 0.. {
                let begun = Instant::now();
                if begun > until {
                    break;
                }
                call(caller.clone(), number).await;
                latencies_us
                    .record(u64::try_from(begun.elapsed().as_micros()).unwrap())
                    .unwrap();
            }
            latencies_us
        })
    });
    let mut all = Histogram::<u64>::new(3).unwrap();
    for latencies_us in join_all(tasks).await {
        all.add(latencies_us.unwrap()).unwrap();
    }
    println!(
        "{what} through the gateway, {count} at once   {:>6.0}/s   p50 {:.1} ms   p99 {:.1} ms",
        all.len() as f64 / MEASURED.as_secs_f64(),
        all.value_at_quantile(0.5) as f64 / 1_000.0,
        all.value_at_quantile(0.99) as f64 / 1_000.0,
    );
}
