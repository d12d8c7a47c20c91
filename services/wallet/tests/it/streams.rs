//! Streams of a test's own, what is in them, and the example consumers of `proto/examples` that read them.

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use adfolio_kit::broker::Session;
use adfolio_testkit::{TestBroker, within_limit};
use adfolio_wallet::Config;
use futures::StreamExt as _;
use lapin::BasicProperties;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, QueueDeclareOptions,
    QueueDeleteOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use tokio::process::{Child, Command};
use uuid::Uuid;

/// Messages on their way at most.
const PREFETCH: u16 = 500;

/// A stream that is deleted in the end.
pub struct TestStream {
    pub name: String,
    session: Session,
}

/// The usual stream has the events of all tests; this one is a test's own.
pub fn on_stream(stream: &TestStream) -> impl FnOnce(&mut Config) + use<> {
    let name = stream.name.clone();
    move |config| config.events_stream = name
}

impl TestStream {
    /// A name that nothing else has; the stream comes with whoever declares it.
    pub async fn named(broker: &TestBroker) -> Self {
        let session = broker.broker().open("test-stream").await.expect("a broker");
        session.confirm().await.expect("confirms");
        session.prefetch(PREFETCH).await.expect("a prefetch");
        let name = format!("test.wallet.{}", Uuid::now_v7().simple());
        Self { name, session }
    }

    /// A stream that keeps all of these messages.
    pub async fn holding(broker: &TestBroker, bodies: &[Vec<u8>]) -> Self {
        let stream = Self::named(broker).await;
        stream.declare(FieldTable::default()).await;
        stream.publish(bodies).await;
        stream
    }

    /// A stream that forgot its first messages and keeps the last ones.
    pub async fn that_forgot(broker: &TestBroker, forgotten: &[Vec<u8>], kept: &[Vec<u8>]) -> Self {
        let stream = Self::named(broker).await;
        let mut arguments = FieldTable::default();
        arguments.insert("x-max-length-bytes".into(), AMQPValue::LongLongInt(40_000));
        arguments.insert(
            "x-stream-max-segment-size-bytes".into(),
            AMQPValue::LongLongInt(20_000),
        );
        stream.declare(arguments).await;
        stream.publish(forgotten).await;
        // Whole segments are forgotten, and only when a new one begins: events of a type that is nobody's.
        let filler = serde_json::json!({"id": "filler", "type": "adfolio.wallet.v1.Filler", "data": "x".repeat(1_000)});
        let filler = filler.to_string().into_bytes();
        for _ in 0..200 {
            stream.publish(std::slice::from_ref(&filler)).await;
        }
        stream.publish(kept).await;
        stream
    }

    /// The bodies of the first messages.
    pub async fn read(&self, count: usize) -> Vec<Vec<u8>> {
        let mut from_the_first = FieldTable::default();
        from_the_first.insert(
            "x-stream-offset".into(),
            AMQPValue::LongString("first".into()),
        );
        let consumer = self.session.channel.basic_consume(
            self.name.as_str().into(),
            "".into(),
            BasicConsumeOptions::default(),
            from_the_first,
        );
        let mut deliveries = consumer.await.expect("a consumer");
        let mut bodies = Vec::new();
        while bodies.len() < count {
            let delivery = within_limit("the next message", deliveries.next()).await;
            let delivery = delivery.expect("a message").expect("a message");
            delivery
                .ack(BasicAckOptions::default())
                .await
                .expect("an acknowledgement");
            bodies.push(delivery.data);
        }
        bodies
    }

    pub async fn delete(self) {
        let deleted = self
            .session
            .channel
            .queue_delete(self.name.into(), QueueDeleteOptions::default());
        deleted.await.expect("a deleted stream");
    }

    async fn declare(&self, mut arguments: FieldTable) {
        arguments.insert(
            "x-queue-type".into(),
            AMQPValue::LongString("stream".into()),
        );
        let options = QueueDeclareOptions {
            durable: true,
            ..QueueDeclareOptions::default()
        };
        let channel = &self.session.channel;
        let declared = channel.queue_declare(self.name.as_str().into(), options, arguments);
        declared.await.expect("a stream");
    }

    async fn publish(&self, bodies: &[Vec<u8>]) {
        for body in bodies {
            let published = self.session.channel.basic_publish(
                "".into(),
                self.name.as_str().into(),
                BasicPublishOptions::default(),
                body,
                BasicProperties::default(),
            );
            published.await.expect("publish").await.expect("a confirm");
        }
    }
}

/// An example of a consumer.
#[derive(Clone, Copy, Debug)]
pub enum Consumer {
    Rust,
    Python,
}

impl Consumer {
    pub const ALL: [Self; 2] = [Self::Rust, Self::Python];

    /// Follows the stream until it is killed.
    pub fn follow(self, stream: &TestStream, state: &Path) -> Child {
        self.command(stream, state).spawn().expect("a consumer")
    }

    /// Reads to the end of the stream.
    pub async fn read_all(self, stream: &TestStream, state: &Path) -> Output {
        self.read_all_with(&[], stream, state).await
    }

    /// The same with more arguments.
    pub async fn read_all_with(
        self,
        arguments: &[&str],
        stream: &TestStream,
        state: &Path,
    ) -> Output {
        let mut command = self.command(stream, state);
        let command = command.args(["--until-idle", "1"]).args(arguments);
        let running = command.output();
        within_limit("the consumer ends", running)
            .await
            .expect("a consumer")
    }

    fn command(self, stream: &TestStream, state: &Path) -> Command {
        let target = target_folder();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto/examples");
        let mut command = match self {
            Self::Rust => Command::new(built(
                target.join("debug/examples/wallet_events"),
                "cargo build -p adfolio-proto --examples",
            )),
            Self::Python => {
                let python = target.join("wallet-events/bin/python");
                let mut command = Command::new(built(python, "deploy/local/python-examples.sh"));
                command.arg(example.join("wallet_events.py"));
                command
            }
        };
        let url = std::env::var("AMQP_URL").expect("AMQP_URL names the RabbitMQ that tests use");
        command.args(["--url", &url, "--stream", &stream.name, "--state"]);
        command
            .arg(state)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }
}

/// Where cargo put this test: in `debug/deps`.
fn target_folder() -> PathBuf {
    let test = std::env::current_exe().expect("this program");
    test.ancestors().nth(3).expect("a target folder").to_owned()
}

fn built(program: PathBuf, how: &str) -> PathBuf {
    assert!(program.exists(), "{} is missing: {how}", program.display());
    program
}
