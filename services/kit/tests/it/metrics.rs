//! The process's own metrics at `/metrics`.

use std::time::Duration;

use adfolio_kit::metrics::{InState, record_saga};
use adfolio_kit::telemetry::{install_metrics, render_metrics};
use adfolio_kit::{db, inbox};
use adfolio_testkit::TestDatabase;

/// The value of a series, if it exists. The recorder belongs to the process, which runs this test
/// alone or beside others with other series.
fn value_of(series: &str) -> Option<String> {
    let rendered = render_metrics();
    let line = rendered.lines().find(|line| line.starts_with(series))?;
    line.rsplit(' ').next().map(str::to_owned)
}

#[tokio::test]
async fn a_state_that_nothing_waits_in_any_more_is_told_as_empty() {
    let _ = install_metrics("test");
    let series = "saga_open{service=\"test\",saga=\"exchange\",state=\"placing\"}";
    let found = InState {
        state: "placing".to_owned(),
        count: 3,
        oldest_seconds: 1.5,
    };
    record_saga("exchange", &["placing"], &[found]);
    assert_eq!(value_of(series).as_deref(), Some("3"));
    record_saga("exchange", &["placing"], &[]);
    assert_eq!(value_of(series).as_deref(), Some("0"));
}

#[tokio::test]
async fn every_transaction_is_counted_by_what_it_came_to() {
    let _ = install_metrics("test");
    let database = TestDatabase::create(&[]).await;
    inbox::prune(&database.pool(), Duration::from_secs(1))
        .await
        .unwrap();
    let failed: Result<(), sqlx::Error> = db::write(&database.pool(), |_| {
        Box::pin(async { Err(sqlx::Error::RowNotFound) })
    })
    .await;
    failed.unwrap_err();
    for outcome in ["committed", "rolled_back"] {
        let series = format!("db_transactions_total{{service=\"test\",outcome=\"{outcome}\"}}");
        assert!(value_of(&series).is_some(), "{}", render_metrics());
    }
}

#[tokio::test]
async fn the_process_tells_its_memory_and_its_files() {
    let _ = install_metrics("test");
    for name in [
        "process_resident_memory_bytes",
        "process_cpu_seconds_total",
        "process_open_fds",
        "process_max_fds",
        "process_start_time_seconds",
    ] {
        assert!(value_of(name).is_some(), "{name} in {}", render_metrics());
    }
}
