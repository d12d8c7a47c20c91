//! The health check command of containers.

use adfolio_kit::admin::{self, Readiness};
use adfolio_kit::healthcheck::{Unhealthy, ask, reachable};
use adfolio_kit::shutdown::Shutdown;
use adfolio_testkit::free_listener;
use tokio::net::TcpListener;

#[tokio::test]
async fn a_process_is_healthy_while_it_is_ready() {
    let (shutdown, end) = (Shutdown::manual(), Shutdown::manual());
    let readiness = Readiness::new(shutdown.clone());
    let database = readiness.register_flag("database");
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(admin::serve(listener, readiness, end.clone()));

    let problem = ask(address).await.unwrap_err();
    assert!(
        matches!(&problem, Unhealthy::NotReady(text) if text == "not ready: database"),
        "{problem:?}"
    );
    database.set(true);
    ask(address).await.unwrap();
    shutdown.trigger();
    let problem = ask(address).await.unwrap_err();
    assert!(problem.to_string().contains("shutdown"), "{problem:?}");

    end.trigger();
    serving.await.unwrap();
    let problem = ask(address).await.unwrap_err();
    assert!(matches!(problem, Unhealthy::NoAnswer { .. }), "{problem:?}");
}

#[tokio::test]
async fn a_process_that_only_takes_the_connection_is_not_healthy() {
    let listener = free_listener().await;
    let address = listener.local_addr().unwrap();
    let problem = ask(address).await.unwrap_err();
    assert!(matches!(problem, Unhealthy::TooLate(_)), "{problem:?}");
}

#[test]
fn a_listener_on_all_addresses_is_asked_at_the_loopback_address() {
    let asked = |text: &str| reachable(text.parse().unwrap()).to_string();
    assert_eq!(asked("0.0.0.0:9090"), "127.0.0.1:9090");
    assert_eq!(asked("[::]:9090"), "[::1]:9090");
    assert_eq!(asked("10.0.0.7:9090"), "10.0.0.7:9090");
}
