//! A whole service: it starts with what is available, and ends in order.

use adfolio_kit::client::{self, ClientOptions};
use adfolio_kit::config::{BrokerArgs, DatabaseArgs, ServerArgs};
use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::{self, Schema, Tx};
use adfolio_kit::outbox::{CloudEvent, Event, Relay, enqueue_in_tx};
use adfolio_kit::server::Server;
use adfolio_kit::service::Service;
use adfolio_kit::shutdown::Shutdown;
use adfolio_testkit::{TestBroker, TestDatabase, eventually, free_listener, spawn_service};
use serde_json::json;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;
use tonic::{Code, Request, Response, Status};

use crate::helpers::{Echo, call};

const EVENT: &str = "adfolio.whole.v1.Called";

static NO_TABLES: Schema = Schema {
    migrator: Migrator::DEFAULT,
    rights: &[],
};

struct Count;

impl Handler for Count {
    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        sqlx::query("INSERT INTO handled VALUES ($1)")
            .bind(event.id)
            .execute(tx)
            .await?;
        Ok(())
    }
}

/// Answers every call after writing an event, and consumes its own events.
async fn run(
    database: DatabaseArgs,
    broker: BrokerArgs,
    listener: TcpListener,
    shutdown: Shutdown,
) -> anyhow::Result<()> {
    let args = ServerArgs {
        drain_limit_seconds: 10,
        ..ServerArgs::default()
    };
    let service = Service::start("whole", &args, shutdown).await?;
    let (pool, migrated) = service.database(&database, &NO_TABLES)?;
    let broker = service.broker(&broker)?;
    let notifier = service.relay(Relay::new("test", pool.clone(), broker.clone()), &migrated);
    service.consume(
        Consumer::new("whole", "self").bind("adfolio.whole.v1.*"),
        &pool,
        &broker,
        &migrated,
        Count,
    );
    let echo = Echo::new(move |request| {
        let (pool, notifier) = (pool.clone(), notifier.clone());
        async move {
            let event = Event::new(EVENT, "user-1", &json!({}))
                .map_err(|error| Status::internal(error.to_string()))?;
            let written = db::write(&pool, move |tx| {
                Box::pin(async move { enqueue_in_tx(tx, &[event]).await })
            })
            .await;
            written.map_err(|error| adfolio_kit::refusal::database_status(&error))?;
            notifier.notify();
            Ok(Response::new(request.into_inner()))
        }
    });
    let server: Server = service.server(&[], &migrated).add_service(echo);
    service.serve(server, listener).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_call_wrote_is_handled_and_nothing_is_left_at_the_end() {
    let (database, broker) = (TestDatabase::of_kit().await, TestBroker::namespace());
    let pool = database.pool();
    sqlx::raw_sql("CREATE TABLE handled (id uuid PRIMARY KEY)")
        .execute(&pool)
        .await
        .unwrap();
    broker.clean_up("whole", "self");
    let (args, broker_args) = (database.args(), broker.args());
    let service =
        spawn_service(|listener, shutdown| run(args, broker_args, listener, shutdown)).await;
    for _ in 0..20 {
        call(service.channel(), Request::new("here".to_owned()))
            .await
            .unwrap();
    }
    eventually("every event is handled", || async {
        let handled: i64 = sqlx::query_scalar("SELECT count(*) FROM handled")
            .fetch_one(&pool)
            .await
            .unwrap();
        handled == 20
    })
    .await;
    service.stop().await.unwrap();
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM unsent_events")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(left, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_without_a_broker_serves_and_ends_in_order() {
    let database = TestDatabase::of_kit().await;
    // Accepts and never answers: worse than refusing.
    let silent = free_listener().await;
    let broker = BrokerArgs::new(
        format!("amqp://guest:guest@{}", silent.local_addr().unwrap()),
        "nobody",
    );
    let args = database.args();
    let service = spawn_service(|listener, shutdown| run(args, broker, listener, shutdown)).await;
    call(service.channel(), Request::new("here".to_owned()))
        .await
        .unwrap();
    service.stop().await.unwrap();
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM unsent_events")
        .fetch_one(&database.pool())
        .await
        .unwrap();
    assert_eq!(left, 1, "the event waits for the next start");
}

#[tokio::test]
async fn a_service_without_its_database_answers_unavailable() {
    let listener = free_listener().await;
    let address = listener.local_addr().unwrap();
    let shutdown = Shutdown::manual();
    let nowhere = DatabaseArgs::for_url("postgres://postgres@127.0.0.1:1/none");
    let broker = BrokerArgs::new("amqp://guest:guest@127.0.0.1:1", "nobody");
    let running = tokio::spawn(run(nowhere, broker, listener, shutdown.clone()));
    let channel = client::connect(&format!("http://{address}"), ClientOptions::default()).unwrap();
    let status = call(channel, Request::new(String::new()))
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    shutdown.trigger();
    running.await.unwrap().unwrap();
}
