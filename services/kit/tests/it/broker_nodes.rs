//! A broker of several nodes: any of them will do.

use adfolio_kit::broker::{Broker, Session};
use adfolio_testkit::{Proxy, TestBroker, eventually};

use crate::helpers::{broker_address, broker_url_at};

/// Sessions, each of which picks a node: that all of them pick the same one is as good as impossible.
const SESSIONS: usize = 24;

#[tokio::test]
async fn a_session_is_opened_at_a_node_that_answers_and_sessions_spread() {
    let namespace = TestBroker::namespace();
    let (first, second) = (
        Proxy::start(&broker_address()).await,
        Proxy::start(&broker_address()).await,
    );
    let nodes = broker_url_at(first.address()).replace(
        &first.address().to_string(),
        &format!("127.0.0.1:1,{},{}", first.address(), second.address()),
    );
    let broker = Broker::new(&namespace.args_at(&nodes)).unwrap();
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(broker.open("test").await.unwrap());
    }
    assert!(sessions.iter().all(Session::is_connected));

    second.refuse(true);
    second.cut();
    eventually("those at the lost node are gone", || async {
        sessions.iter().any(|session| !session.is_connected())
    })
    .await;
    let left = sessions.iter().filter(|session| session.is_connected());
    assert!(left.count() > 0, "all were at one node");
    for _ in 0..SESSIONS {
        assert!(broker.open("test").await.unwrap().is_connected());
    }

    first.refuse(true);
    first.cut();
    broker.open("test").await.unwrap_err();
}
