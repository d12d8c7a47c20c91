//! `adfolioctl dead`.

use adfolio_kit::config::ServerArgs;
use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::outbox::CloudEvent;
use adfolio_kit::service::Service;
use adfolio_kit::shutdown::Shutdown;
use adfolio_testkit::{TestBroker, TestDatabase, eventually, publish_event};
use secrecy::ExposeSecret as _;

use crate::helpers::run;

/// A consumer that takes no event.
struct NeverWorks;

impl Handler for NeverWorks {
    async fn handle(&self, _: &mut Tx, _: &CloudEvent) -> Result<(), HandlerError> {
        Err(HandlerError::permanent(std::io::Error::other("never")))
    }
}

#[tokio::test]
async fn dead_letters_are_shown_and_sent_back() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
    let service = Service::start("notification", &ServerArgs::default(), Shutdown::manual())
        .await
        .unwrap();
    let consumer = Consumer::new("notification", "inbox").bind("adfolio.demo.v1.*");
    service.consume(
        consumer,
        &database.kit_pool(),
        &broker.broker(),
        &database.migrated(),
        NeverWorks,
    );
    let arguments = broker.args();
    let url = arguments
        .amqp_url
        .as_ref()
        .unwrap()
        .expose_secret()
        .to_owned();
    let variables = [
        ("AMQP_URL", url),
        ("AMQP_NAMESPACE", arguments.amqp_namespace.clone()),
        // The first to come declares a queue, so all must declare it alike.
        (
            "AMQP_QUEUE_EXPIRES_SECONDS",
            arguments.amqp_queue_expires_seconds.unwrap().to_string(),
        ),
    ];
    // Before that, an event would find no binding.
    let readiness = service.readiness.clone();
    let (shutdown, ending) = (service.shutdown.clone(), service.shutdown.clone());
    let serving = tokio::spawn(service.serve_with(async move {
        ending.cancelled().await;
        Ok(())
    }));
    eventually("the queues are declared", || readiness.is_ready()).await;
    let id = publish_event(
        &broker.broker(),
        "adfolio.demo.v1.Poison",
        "somebody",
        &serde_json::json!({}),
    )
    .await;
    let listed = eventually("the letter is dead", async || {
        let ended = run(&variables, &["dead", "list", "notification.inbox"], "").await;
        ended
            .output
            .contains(&id.to_string())
            .then_some(ended.output)
    })
    .await;
    assert!(listed.contains("adfolio.demo.v1.Poison"), "{listed}");
    let counted = run(&variables, &["dead", "list"], "").await;
    assert!(counted.output.contains("notification.inbox"), "{counted:?}");

    shutdown.trigger();
    serving.await.unwrap().unwrap();
    let ended = run(&variables, &["dead", "redrive", "notification.inbox"], "").await;
    assert_eq!(
        (ended.code, ended.output.trim()),
        (0, "sent 1 back to notification.inbox"),
        "{ended:?}"
    );
    let ended = run(&variables, &["dead", "redrive", "notification.inbox"], "").await;
    assert_eq!(ended.output.trim(), "sent 0 back to notification.inbox");
    broker.clean_up("notification", "inbox");
}

#[tokio::test]
async fn a_broker_that_is_not_there_is_an_error() {
    let nowhere = [("AMQP_URL", "amqp://guest:guest@127.0.0.1:1".to_owned())];
    for arguments in [
        &["dead", "list"][..],
        &["dead", "list", "notification.inbox"],
    ] {
        assert_eq!(run(&nowhere, arguments, "").await.code, 1);
    }
    assert_eq!(
        run(&nowhere, &["dead", "list", "nonsense"], "").await.code,
        1
    );
}
