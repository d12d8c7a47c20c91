//! How the cluster behaves under faults: every parameter that decides it, compared with the manifests of production in
//! the test below.

use std::time::Duration;

use serde_json::{Map, Value, json};

/// PostgreSQL on every machine. Patroni keeps these in etcd, so that they are the same everywhere.
pub(super) const POSTGRES: [(&str, &str); 15] = [
    ("max_connections", "580"),
    ("synchronous_commit", "on"),
    ("wal_level", "replica"),
    ("hot_standby", "on"),
    ("max_wal_senders", "10"),
    ("max_replication_slots", "10"),
    // What a machine that was away can read when it is back, instead of copying all of the data.
    ("wal_keep_size", "512MB"),
    ("wal_compression", "lz4"),
    // A commit waits for one named standby. One that is frozen must lose its place soon.
    ("wal_sender_timeout", "3s"),
    ("wal_receiver_timeout", "3s"),
    // A standby is promoted only after its present attempt to reach the old primary.
    ("wal_retrieve_retry_interval", "100ms"),
    ("shared_buffers", "128MB"),
    // Services read at the standbys.
    ("hot_standby_feedback", "on"),
    ("max_standby_streaming_delay", "2s"),
    // Without it, pg_rewind would have to read all of the data (initdb turns checksums on as well).
    ("wal_log_hints", "on"),
];

/// How long a machine may be silent before another one takes its place. Patroni 3.0 takes shorter ones, later versions
/// do not: a busy machine may be silent for a while.
pub(super) const LEASE: Duration = Duration::from_secs(20);

/// The shortest lease: a primary without etcd must have stepped down when it ends.
pub(super) const SHORTEST_LEASE: Duration =
    Duration::from_secs(LOOK_INTERVAL.as_secs() + 2 * RETRY_LIMIT.as_secs());

/// How often Patroni looks at its server.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// How long Patroni repeats a request to etcd before its primary steps down.
const RETRY_LIMIT: Duration = Duration::from_secs(3);

/// How long a primary that must step down may stop in order before it is killed.
const STEP_DOWN_LIMIT: Duration = Duration::from_secs(3);

/// Patroni on every machine.
pub(super) fn patroni(lease: Duration) -> Map<String, Value> {
    let parameters: Map<String, Value> = POSTGRES
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    let dynamic = json!({
        "ttl": lease.as_secs(),
        "loop_wait": LOOK_INTERVAL.as_secs(),
        "retry_timeout": RETRY_LIMIT.as_secs(),
        // A commit is acknowledged when a standby has it on its disk, and waits while there is none.
        "synchronous_mode": true,
        "synchronous_mode_strict": true,
        "synchronous_node_count": 1,
        // Without a majority of etcd the primary steps down, and writes pause.
        "failsafe_mode": false,
        // A server that crashed is not started again where it was: another takes over at once.
        "primary_start_timeout": 0,
        "primary_stop_timeout": STEP_DOWN_LIMIT.as_secs(),
        "postgresql": {
            "use_pg_rewind": true,
            // Patroni makes the slots of a new primary two seconds after its promotion, and no standby can follow it, so
            // no commit is acknowledged, until then.
            "use_slots": false,
            "parameters": parameters,
        },
    });
    match dynamic {
        Value::Object(dynamic) => dynamic,
        _ => Map::new(),
    }
}

/// RabbitMQ on every machine.
pub(super) const RABBITMQ: [(&str, &str); 7] = [
    // A node that sees no majority stops serving until it does.
    ("cluster_partition_handling", "pause_minority"),
    ("queue_leader_locator", "balanced"),
    // A node that is silent for so long is taken for gone.
    ("net_ticktime", "12"),
    ("vm_memory_high_watermark.absolute", "512MiB"),
    ("disk_free_limit.absolute", RABBITMQ_DISK_FREE_LIMIT),
    ("raft.wal_max_size_bytes", "33554432"),
    ("log.console.level", "warning"),
];

pub(super) const RABBITMQ_DISK_FREE_LIMIT: &str = "50MB";

/// How often haproxy asks a machine whether it is the primary, and how many answers it takes to believe that it is not.
pub(super) const CHECK_INTERVAL_MS: u64 = 300;
pub(super) const CHECK_LIMIT_MS: u64 = 1_000;
pub(super) const CHECKS_TO_FALL: u32 = 2;
/// One answer is enough to lead clients to a new primary.
pub(super) const CHECKS_TO_RISE: u32 = 1;

/// Connections through each address of haproxy: no fewer than PostgreSQL takes.
pub(super) const PROXY_CONNECTIONS: u32 = 1_200;

/// etcd: a leader says so this often, and is replaced when it was silent for so long.
pub(super) const ETCD_HEARTBEAT_MS: u64 = 100;
pub(super) const ETCD_ELECTION_MS: u64 = 1_000;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::{
        CHECK_INTERVAL_MS, CHECK_LIMIT_MS, LEASE, POSTGRES, PROXY_CONNECTIONS, RABBITMQ,
        SHORTEST_LEASE, patroni,
    };

    const PRODUCTION_POSTGRES: &str =
        include_str!("../../../k8s/overlays/production/postgres.yaml");
    const PRODUCTION_RABBITMQ: &str =
        include_str!("../../../k8s/overlays/production/rabbitmq.yaml");
    const BASE_RABBITMQ: &str = include_str!("../../../k8s/base/rabbitmq/cluster.yaml");

    /// A parameter that only one side has, or has with another value, and why.
    type Difference = (&'static str, &'static str);

    const POSTGRES_DIFFERENCES: [Difference; 11] = [
        ("shared_buffers", "three servers share one machine"),
        ("effective_cache_size", "it only matters for large tables"),
        (
            "synchronous_commit",
            "production leaves PostgreSQL's default, which is on",
        ),
        ("wal_level", "CloudNativePG sets it"),
        (
            "hot_standby",
            "CloudNativePG leaves PostgreSQL's default, which is on",
        ),
        (
            "max_wal_senders",
            "CloudNativePG leaves PostgreSQL's default, which is 10",
        ),
        ("max_replication_slots", "CloudNativePG sets it"),
        ("wal_keep_size", "CloudNativePG sets it"),
        (
            "max_slot_wal_keep_size",
            "there are no slots; see use_slots",
        ),
        (
            "wal_sender_timeout",
            "Patroni names one standby that commits wait for; CloudNativePG waits for any of two, so a frozen one costs nothing",
        ),
        ("wal_receiver_timeout", "as wal_sender_timeout"),
    ];

    /// Set in this cluster alone; Patroni's way needs them, and CloudNativePG sets its own.
    const POSTGRES_MORE: [Difference; 2] = [
        (
            "wal_retrieve_retry_interval",
            "CloudNativePG ends the standby's attempts itself",
        ),
        ("wal_log_hints", "CloudNativePG sets it"),
    ];

    const RABBITMQ_DIFFERENCES: [Difference; 7] = [
        (
            "default_queue_type",
            "Debian's RabbitMQ 3.10 does not know it; services name the type of each queue",
        ),
        (
            "net_ticktime",
            "a cut is noticed after a fifth of the time, so that a run sees many",
        ),
        (
            "vm_memory_high_watermark.relative",
            "three brokers share one machine: an absolute limit",
        ),
        (
            "vm_memory_high_watermark.absolute",
            "three brokers share one machine",
        ),
        (
            "disk_free_limit.absolute",
            "a person's disk may be nearly full",
        ),
        ("raft.wal_max_size_bytes", "three brokers share one machine"),
        ("log.console.formatter", "nobody collects these logs"),
    ];

    fn table<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
        pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    }

    /// Fails for a difference without a reason, and for a reason without a difference.
    fn compare(
        ours: &BTreeMap<String, String>,
        theirs: &BTreeMap<String, String>,
        reasons: &[Difference],
    ) {
        let names = ours.keys().chain(theirs.keys());
        for name in names {
            let explained = reasons.iter().any(|(known, _)| known == name);
            assert_eq!(
                ours.get(name) != theirs.get(name),
                explained,
                "{name}: {:?} here, {:?} in production",
                ours.get(name),
                theirs.get(name)
            );
        }
        for (name, reason) in reasons {
            assert!(
                ours.contains_key(*name) || theirs.contains_key(*name),
                "nobody sets {name} ({reason})"
            );
        }
    }

    fn document(text: &str) -> Value {
        serde_saphyr::from_str(text).unwrap()
    }

    #[test]
    fn postgres_is_set_as_in_production() {
        let manifest = document(PRODUCTION_POSTGRES);
        let parameters = manifest["spec"]["postgresql"]["parameters"]
            .as_object()
            .unwrap();
        let production = parameters
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
            .collect();
        let reasons = [&POSTGRES_DIFFERENCES[..], &POSTGRES_MORE[..]].concat();
        compare(&table(POSTGRES), &production, &reasons);
    }

    #[test]
    fn commits_wait_for_one_standby_as_in_production() {
        let manifest = document(PRODUCTION_POSTGRES);
        let production = &manifest["spec"]["postgresql"]["synchronous"];
        let here = patroni(LEASE);
        assert_eq!(manifest["spec"]["instances"], super::super::MACHINES);
        assert_eq!(production["number"], here["synchronous_node_count"]);
        // Required: with no standby left, writes wait.
        assert_eq!(production["dataDurability"], "required");
        assert_eq!(here["synchronous_mode"], true);
        assert_eq!(here["synchronous_mode_strict"], true);
        // Only a standby that has every confirmed commit is promoted; Patroni's synchronous mode promotes no other. It
        // names the standby that commits wait for, since Patroni 3.0 does not know "any of two".
        assert_eq!(production["failoverQuorum"], true);
        assert_eq!(production["method"], "any");
    }

    #[test]
    fn rabbitmq_is_set_as_in_production() {
        let base = document(BASE_RABBITMQ);
        let lines = base["spec"]["rabbitmq"]["additionalConfig"]
            .as_str()
            .unwrap();
        let base: BTreeMap<String, String> = lines
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split_once(" = ").unwrap())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        compare(&table(RABBITMQ), &base, &RABBITMQ_DIFFERENCES);
        let production = document(PRODUCTION_RABBITMQ);
        assert_eq!(production["spec"]["replicas"], super::super::MACHINES);
        // The overlay must not set parameters that the comparison does not see.
        assert!(production["spec"].get("rabbitmq").is_none());
    }

    #[test]
    fn limits_agree_with_one_another() {
        const { assert!(SHORTEST_LEASE.as_secs() <= LEASE.as_secs()) };
        const { assert!(CHECK_INTERVAL_MS < CHECK_LIMIT_MS) };
        let (_, connections) = POSTGRES[0];
        assert!(connections.parse::<u32>().unwrap() < PROXY_CONNECTIONS);
    }
}
