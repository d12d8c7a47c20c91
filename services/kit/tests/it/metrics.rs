//! The process's own metrics at `/metrics`.

use std::time::Duration;

use adfolio_kit::metrics::{InState, record_saga};
use adfolio_kit::telemetry::{Handle, Handles, install_metrics, render_metrics};
use adfolio_kit::{db, inbox};
use adfolio_testkit::TestDatabase;
use metrics::Counter;
use tonic::{Request, Response, Status};

use crate::helpers::{Echo, call_method, run_echo};

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
    let database = TestDatabase::of_kit().await;
    inbox::prune(&database.kit_pool(), Duration::from_secs(1))
        .await
        .unwrap();
    let failed: Result<(), sqlx::Error> = db::write(&database.kit_pool(), |_| {
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
async fn calls_are_counted_by_method_and_code_at_both_ends() {
    let _ = install_metrics("test");
    let echo = Echo::new(|request| async move {
        match request.get_ref().as_str() {
            "refused" => Err(Status::not_found("nobody")),
            _ => Ok(Response::new(String::new())),
        }
    });
    let service = run_echo(echo, 5).await;
    for text in ["first", "refused", "second"] {
        let request = Request::new(text.to_owned());
        let _ = call_method(service.channel(), "/adfolio.test.Echo/Counted", request).await;
    }
    service.stop().await.unwrap();
    for end in ["server", "client"] {
        for (code, count) in [("Ok", "2"), ("NotFound", "1")] {
            let series = format!(
                "grpc_{end}_calls_total{{service=\"test\",method=\"/adfolio.test.Echo/Counted\",code=\"{code}\"}}"
            );
            assert_eq!(value_of(&series).as_deref(), Some(count), "{series}");
        }
    }
}

#[test]
fn handles_made_before_the_recorder_count_after_it() {
    static EARLY: Handle<Counter> = Handle::new(|| metrics::counter!("early_total"));
    let early_by_kind: Handles<&str, Counter> = Handles::default();
    let by_kind = || early_by_kind.get(&"one", || metrics::counter!("early_by_kind_total"));
    EARLY.get().increment(1);
    by_kind().increment(1);
    let _ = install_metrics("test");
    EARLY.get().increment(1);
    by_kind().increment(1);
    for series in ["early_total", "early_by_kind_total"] {
        assert!(value_of(series).is_some(), "{series}");
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
