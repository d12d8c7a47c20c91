//! A broker of several nodes: any of them will do, and each session goes back to its own.

use adfolio_kit::broker::Session;
use adfolio_kit::consumer::{EventSink, Subscription};
use adfolio_kit::outbox::CloudEvent;
use adfolio_kit::shutdown::Shutdown;
use adfolio_testkit::{TestBroker, eventually};

use crate::helpers::Nodes;

/// Sessions, each of which picks a node: that all of them pick the same one is as good as impossible.
const SESSIONS: usize = 24;

#[tokio::test]
async fn a_session_is_opened_at_a_node_that_answers_and_sessions_spread() {
    let (namespace, nodes) = (TestBroker::namespace(), Nodes::start().await);
    let broker = nodes.broker(&namespace);
    let mut sessions = Vec::new();
    for number in 0..SESSIONS {
        sessions.push(broker.open(&format!("test-{number}")).await.unwrap());
    }
    assert!(sessions.iter().all(Session::is_connected));

    nodes.lose(1);
    eventually("those at the lost node are gone", || async {
        sessions.iter().any(|session| !session.is_connected())
    })
    .await;
    let left = sessions.iter().filter(|session| session.is_connected());
    assert!(left.count() > 0, "all were at one node");
    for number in 0..SESSIONS {
        let session = broker.open(&format!("test-{number}")).await.unwrap();
        assert!(session.is_connected());
    }

    nodes.lose(0);
    broker.open("test").await.unwrap_err();
}

#[tokio::test]
async fn a_session_is_recalled_when_its_node_answers_again() {
    let (namespace, nodes) = (TestBroker::namespace(), Nodes::start().await);
    let broker = nodes.broker(&namespace);
    // One whose node is the second.
    let mut number = 0;
    let name = loop {
        let name = format!("test-{number}");
        drop(broker.open(&name).await.unwrap());
        if nodes.connections()[1] > 0 {
            break name;
        }
        number += 1;
    };
    nodes.lose(1);
    let away = broker.open(&name).await.unwrap();
    assert!(!away.is_recalled());
    nodes.bring_back(1);
    away.recalled().await;
    assert!(away.is_recalled() && away.is_connected());
    away.close().await;
    let back = broker.open(&name).await.unwrap();
    nodes.lose(0);
    assert!(back.is_connected());
}

struct Nobody;

impl EventSink for Nobody {
    fn on_gap(&mut self) {}

    fn on_event(&mut self, _: CloudEvent) {}
}

/// Brokers of as many processes.
const PROCESSES: usize = 8;

#[tokio::test]
async fn subscriptions_spread_as_before_once_a_node_is_back() {
    let (namespace, nodes) = (TestBroker::namespace(), Nodes::start().await);
    let shutdown = Shutdown::manual();
    let mut running = Vec::new();
    for _ in 0..PROCESSES {
        let subscription = Subscription::ephemeral("gateway").bind("adfolio.auth.v1.*");
        let broker = nodes.broker(&namespace);
        running.push(tokio::spawn(subscription.run(
            broker,
            shutdown.clone(),
            Nobody,
        )));
    }
    // Some prefer the address that never answers, and look there for it; those connections do not count.
    eventually("all have subscribed", || async {
        nodes.connections().iter().sum::<usize>() == PROCESSES
    })
    .await;
    let before = nodes.connections();

    nodes.lose(0);
    eventually("all are at the other node", || async {
        nodes.connections() == [0, PROCESSES]
    })
    .await;
    nodes.bring_back(0);
    eventually("those that were at the lost node are back", || async {
        nodes.connections() == before
    })
    .await;
    shutdown.trigger();
    for one in running {
        one.await.unwrap();
    }
}
