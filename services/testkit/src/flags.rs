//! The flags that tell a service under test where its servers are.

use secrecy::{ExposeSecret as _, SecretString};

use crate::{TestBroker, TestDatabase};

/// The command-line flags of a service for this database and broker.
pub fn server_flags(database: &TestDatabase, broker: &TestBroker) -> Vec<String> {
    let exposed = |secret: Option<SecretString>| secret.map(|url| url.expose_secret().to_owned());
    let database = database.args();
    let broker = broker.args();
    let flags = [
        ("--database-url", exposed(database.database_url)),
        ("--amqp-url", exposed(broker.amqp_url)),
        ("--amqp-namespace", Some(broker.amqp_namespace)),
        (
            "--amqp-queue-expires-seconds",
            broker
                .amqp_queue_expires_seconds
                .map(|seconds| seconds.to_string()),
        ),
    ];
    flags
        .into_iter()
        .filter_map(|(flag, value)| Some([flag.to_owned(), value?]))
        .flatten()
        .collect()
}
