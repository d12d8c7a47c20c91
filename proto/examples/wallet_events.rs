//! Follows the wallet's stream from its beginning, checks every user's hash chain and rebuilds all balances.
//!
//! ```sh
//! cargo run -p adfolio-proto --example wallet_events -- --state balances.json
//! ```
//!
//! What it relies on, and what your own consumer should do as well:
//!
//! - The broker does not remember a reader's offset. Offset and balances are in one file that is replaced atomically.
//!   Whenever this program dies, even by `kill -9`, the next start continues without losing or doubling anything.
//! - Delivery is at least once: events that a user's sequence shows as known are skipped. After a failure events may
//!   arrive before a missing one; they arrive again after it.
//! - The stream keeps 30 days. If older events are gone, a user's balances start from the first event.
//! - After a restore of the databases the stream is a new one without history. Events read from the old one may never
//!   have happened: start with a new file and `--from-middle`.
//! - Any broker error ends the program; let a supervisor restart it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use adfolio_proto::events::v1::TransactionPosted;
use anyhow::{Context as _, Result, bail, ensure};
use chrono::{DateTime, SecondsFormat};
use clap::Parser;
use futures::StreamExt as _;
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, Connection, ConnectionProperties, Consumer};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest as _, Sha256};

const TRANSACTION_POSTED: &str = "adfolio.wallet.v1.TransactionPosted";

/// Unacknowledged messages; a stream requires this limit.
const PREFETCH: u16 = 500;

/// Interval between saves: what a restart after a crash reads again.
const SAVE_INTERVAL: Duration = Duration::from_millis(500);

/// Wait for a message in one poll.
const PAUSE: Duration = Duration::from_millis(100);

/// Time limit of a request to the broker.
const REQUEST_LIMIT: Duration = Duration::from_secs(10);

/// Interval of checks that a silent stream still exists.
const PROBE_INTERVAL: Duration = Duration::from_secs(30);

/// A missing event arrives within this many messages after its successor.
const MISSING_MAX: u64 = 10_000;

const ANOTHER_STREAM: &str = "this is not the stream that the state file is about";

#[derive(Parser)]
struct Args {
    /// RabbitMQ
    #[arg(
        long,
        env = "AMQP_URL",
        default_value = "amqp://reader:reader@127.0.0.1:8072"
    )]
    url: String,
    /// The stream
    #[arg(long, default_value = "wallet.events")]
    stream: String,
    /// File for the offset in the stream and the balances
    #[arg(long)]
    state: PathBuf,
    /// Print the balances and end after this many seconds without a message; otherwise follow forever
    #[arg(long)]
    until_idle: Option<u64>,
    /// Start from each user's first event even at the beginning of the stream, because the stream was recreated after
    /// a restore. Applies to a new state file
    #[arg(long)]
    from_middle: bool,
}

/// Content of the state file.
#[derive(Default, Serialize, Deserialize)]
struct State {
    /// Offset of the next message; none before the first.
    next: Option<u64>,
    /// Id of the last event; identifies the stream.
    last_id: String,
    /// From this offset the stream was read without a gap. Above 0, earlier events may be gone.
    whole_since: u64,
    users: BTreeMap<String, Account>,
}

/// One user's wallet.
#[derive(Serialize, Deserialize)]
struct Account {
    /// The first event seen; 1 unless older ones were gone.
    first_sequence: i64,
    /// The last event.
    sequence: i64,
    /// Its hash.
    hash: String,
    /// Available, to be consumed, to be settled, withdrawing, guarantee; in minor units.
    #[serde(deserialize_with = "balances_of_any_age")]
    balances: [i64; 5],
    /// Its position in the stream, from 1.
    offset: u64,
    /// Offset since which events arrive whose predecessor is missing.
    missing_since: Option<u64>,
}

impl Default for Account {
    fn default() -> Self {
        Self {
            first_sequence: 1,
            sequence: 0,
            hash: "0".repeat(64),
            balances: [0; 5],
            offset: 0,
            missing_since: None,
        }
    }
}

#[derive(Deserialize)]
struct CloudEvent {
    id: String,
    #[serde(rename = "type")]
    event_type: String,
    data: serde_json::Value,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let _lock = lock(&args.state)?;
    let mut state = State::load(&args.state)?;
    if args.from_middle && state.next.is_none() {
        state.whole_since = 1;
    }
    let connection = Connection::connect(&args.url, ConnectionProperties::default())
        .await
        .context("cannot connect to the broker")?;
    let channel = connection.create_channel().await?;
    let consumer = attach(&channel, &args.stream, state.next).await?;
    follow(&args, &channel, consumer, &mut state).await?;
    state.ensure_nothing_missing()?;
    for (user, account) in &state.users {
        println!("{}", account.line(user));
    }
    let events: i64 = state
        .users
        .values()
        .map(|account| account.sequence - account.first_sequence + 1)
        .sum();
    eprintln!(
        "every chain holds: {events} events of {} users",
        state.users.len()
    );
    Ok(())
}

/// Starts reading at the last message seen, or at the oldest one.
async fn attach(channel: &Channel, stream: &str, next: Option<u64>) -> Result<Consumer> {
    let offset = match next {
        Some(next) => AMQPValue::LongLongInt(next.saturating_sub(1).try_into()?),
        None => AMQPValue::LongString("first".into()),
    };
    let mut arguments = FieldTable::default();
    arguments.insert("x-stream-offset".into(), offset);
    channel
        .basic_qos(PREFETCH, BasicQosOptions::default())
        .await?;
    let options = BasicConsumeOptions::default();
    let consumer = channel.basic_consume(stream.into(), "".into(), options, arguments);
    consumer
        .await
        .with_context(|| format!("cannot read the stream {stream}"))
}

/// Applies messages, forever or until none arrives for a while.
async fn follow(
    args: &Args,
    channel: &Channel,
    mut consumer: Consumer,
    state: &mut State,
) -> Result<()> {
    let (mut last_message, mut last_save, mut last_probe) =
        (Instant::now(), Instant::now(), Instant::now());
    let mut unsaved = false;
    // The last message arrives again. If none does, the stream is shorter than what was read.
    let mut is_known = state.next.is_none();
    loop {
        if let Ok(delivery) = tokio::time::timeout(PAUSE, consumer.next()).await {
            let delivery = delivery.context("the broker ended the consumer")??;
            state.apply(&delivery)?;
            // An acknowledgement only requests more messages; the file is the state.
            ensure!(
                delivery.ack(BasicAckOptions::default()).await?,
                "the channel is closed"
            );
            last_message = Instant::now();
            (unsaved, is_known) = (true, true);
        }
        let is_idle = args
            .until_idle
            .is_some_and(|limit| last_message.elapsed() >= Duration::from_secs(limit));
        ensure!(
            is_known || !is_idle && last_message.elapsed() < REQUEST_LIMIT,
            ANOTHER_STREAM
        );
        if unsaved && (is_idle || last_save.elapsed() >= SAVE_INTERVAL) {
            state.save(&args.state)?;
            last_save = Instant::now();
            unsaved = false;
        }
        if is_idle {
            return Ok(());
        }
        if last_message.elapsed().min(last_probe.elapsed()) >= PROBE_INTERVAL {
            probe(channel, &args.stream).await?;
            last_probe = Instant::now();
        }
    }
}

/// A broken channel can look like a quiet stream.
async fn probe(channel: &Channel, stream: &str) -> Result<()> {
    let options = QueueDeclareOptions {
        passive: true,
        ..QueueDeclareOptions::default()
    };
    let asked = channel.queue_declare(stream.into(), options, FieldTable::default());
    tokio::time::timeout(REQUEST_LIMIT, asked)
        .await
        .context("the broker does not answer")??;
    Ok(())
}

impl State {
    fn load(file: &Path) -> Result<Self> {
        match std::fs::read(file) {
            Ok(text) => serde_json::from_slice(&text)
                .with_context(|| format!("{} is damaged", file.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
        }
    }

    /// Replaces the file atomically. With many users, use a database and change offset and balances in one transaction.
    fn save(&self, file: &Path) -> Result<()> {
        self.ensure_nothing_lost()?;
        let temporary = beside(file, ".tmp");
        let mut writing = File::create(&temporary)?;
        writing.write_all(&serde_json::to_vec(self)?)?;
        writing.sync_all()?;
        std::fs::rename(&temporary, file)?;
        // The rename must reach the disk, too.
        File::open(folder_of(file))?.sync_all()?;
        Ok(())
    }

    fn apply(&mut self, delivery: &Delivery) -> Result<()> {
        let offset = offset_of(delivery).context("message without an offset: not from a stream")?;
        let event: CloudEvent = serde_json::from_slice(&delivery.data)
            .with_context(|| format!("message at offset {offset} is no event"))?;
        match self.next {
            Some(next) if offset + 1 == next => {
                ensure!(event.id == self.last_id, ANOTHER_STREAM);
                return Ok(());
            }
            // A stream delivers whole chunks: the first may begin before the requested offset.
            Some(next) if offset < next => return Ok(()),
            Some(next) if offset == next => {}
            None if offset == 0 => {}
            _ => {
                eprintln!(
                    "events before offset {offset} are no longer in the stream: balances begin with what events carry"
                );
                self.whole_since = offset;
            }
        }
        // The stream has other events of wallet, and may get new types.
        if event.event_type == TRANSACTION_POSTED {
            let posted = serde_json::from_value(event.data)
                .with_context(|| format!("event at offset {offset} is malformed"))?;
            self.apply_posted(offset, &posted)?;
        }
        self.next = Some(offset + 1);
        self.last_id = event.id;
        Ok(())
    }

    fn apply_posted(&mut self, offset: u64, posted: &TransactionPosted) -> Result<()> {
        let account = self.users.entry(posted.user_id.clone()).or_default();
        let expected = account.sequence + 1;
        if posted.sequence < expected {
            return Ok(());
        }
        if posted.sequence > expected {
            // Events in between may only be gone before the stream was read without a gap.
            if account.offset >= self.whole_since {
                account.missing_since.get_or_insert(offset);
                return Ok(());
            }
            account.begin_with(posted)?;
        }
        account.follow(posted).with_context(|| {
            format!(
                "the chain of user {} breaks at sequence {} (offset {offset})",
                posted.user_id, posted.sequence
            )
        })?;
        account.offset = offset + 1;
        Ok(())
    }

    /// Fails when a missing event can no longer arrive.
    fn ensure_nothing_lost(&self) -> Result<()> {
        let overdue = |since| {
            self.next
                .is_some_and(|next| next.saturating_sub(since) > MISSING_MAX)
        };
        self.ensure_none(|account| account.missing_since.is_some_and(overdue))
    }

    fn ensure_nothing_missing(&self) -> Result<()> {
        self.ensure_none(|account| account.missing_since.is_some())
    }

    fn ensure_none(&self, is_broken: impl Fn(&Account) -> bool) -> Result<()> {
        if let Some((user, account)) = self.users.iter().find(|(_, account)| is_broken(account)) {
            bail!(
                "the chain of user {user} breaks: sequence {} is missing",
                account.sequence + 1
            );
        }
        Ok(())
    }
}

impl Account {
    /// Starts before this event, with the balances that follow from it.
    fn begin_with(&mut self, posted: &TransactionPosted) -> Result<()> {
        for (balance, (after, change)) in self
            .balances
            .iter_mut()
            .zip(after(posted).into_iter().zip(changes(posted)))
        {
            *balance = after.checked_sub(change).context("balances out of range")?;
        }
        self.first_sequence = posted.sequence;
        self.sequence = posted.sequence - 1;
        self.hash.clone_from(&posted.previous_hash);
        Ok(())
    }

    /// Applies the next event, or returns why it is not the next one.
    fn follow(&mut self, posted: &TransactionPosted) -> Result<()> {
        ensure!(
            posted.previous_hash == self.hash,
            "it does not follow the hash before it"
        );
        let chained = Sha256::new()
            .chain_update(hex::decode(&self.hash)?)
            .chain_update(canonical_text(posted)?);
        ensure!(
            hex::encode(chained.finalize()) == posted.hash,
            "its hash does not fit its content"
        );
        let mut balances = self.balances;
        for (balance, change) in balances.iter_mut().zip(changes(posted)) {
            *balance = balance
                .checked_add(change)
                .context("balances out of range")?;
        }
        let after = after(posted);
        // Version 1 says nothing of the guarantee after it.
        let said = if version(posted) == 1 { 4 } else { 5 };
        ensure!(
            balances[..said] == after[..said],
            "the balances after it do not follow from its changes"
        );
        self.balances = balances;
        self.sequence = posted.sequence;
        self.hash.clone_from(&posted.hash);
        self.missing_since = None;
        Ok(())
    }

    fn line(&self, user: &str) -> serde_json::Value {
        let [
            available,
            to_be_consumed,
            to_be_settled,
            withdrawing,
            guarantee,
        ] = self.balances.map(|minor| minor.to_string());
        serde_json::json!({
            "userId": user, "firstSequence": self.first_sequence, "sequence": self.sequence, "hash": self.hash,
            "availableMinor": available, "toBeConsumedMinor": to_be_consumed,
            "toBeSettledMinor": to_be_settled, "withdrawingMinor": withdrawing,
            "guaranteeMinor": guarantee,
        })
    }
}

/// A file from before the guarantee has four balances.
fn balances_of_any_age<'de, D: Deserializer<'de>>(file: D) -> Result<[i64; 5], D::Error> {
    let mut balances = Vec::deserialize(file)?;
    balances.resize(5, 0);
    balances
        .try_into()
        .map_err(|_| D::Error::custom("not five balances"))
}

/// The text that a transaction's hash covers besides the previous hash.
fn canonical_text(posted: &TransactionPosted) -> Result<String> {
    let time = posted.time.as_ref().context("it has no time")?;
    let time = DateTime::from_timestamp(time.seconds, time.nanos.try_into()?)
        .context("its time is out of range")?;
    let time = time.to_rfc3339_opts(SecondsFormat::Micros, true);
    let TransactionPosted {
        user_id,
        sequence,
        transaction_id,
        r#type,
        ..
    } = posted;
    let [
        available,
        to_be_consumed,
        to_be_settled,
        withdrawing,
        guarantee,
    ] = changes(posted);
    let version = version(posted);
    let text = format!(
        "adfolio-chain-{version}|{user_id}|{sequence}|{time}|{transaction_id}|{type}|{available}|{to_be_consumed}|{to_be_settled}|{withdrawing}"
    );
    match version {
        1 => {
            ensure!(guarantee == 0, "its hash does not cover the guarantee");
            Ok(text)
        }
        2 => Ok(format!("{text}|{guarantee}|{}", posted.details)),
        _ => bail!("its version is unknown"),
    }
}

/// Version of the hashed text. Events from before version 2 do not say theirs.
fn version(posted: &TransactionPosted) -> i64 {
    posted.chain_version.max(1)
}

fn changes(posted: &TransactionPosted) -> [i64; 5] {
    [
        posted.available_change_minor,
        posted.to_be_consumed_change_minor,
        posted.to_be_settled_change_minor,
        posted.withdrawing_change_minor,
        posted.guarantee_change_minor,
    ]
}

fn after(posted: &TransactionPosted) -> [i64; 5] {
    [
        posted.available_minor,
        posted.to_be_consumed_minor,
        posted.to_be_settled_minor,
        posted.withdrawing_minor,
        posted.guarantee_minor,
    ]
}

fn offset_of(delivery: &Delivery) -> Option<u64> {
    let headers = delivery.properties.headers().as_ref()?;
    match headers.inner().get("x-stream-offset")? {
        AMQPValue::LongLongInt(offset) => (*offset).try_into().ok(),
        _ => None,
    }
}

/// Two consumers with one file would overwrite each other's offset.
fn lock(state: &Path) -> Result<File> {
    let lock =
        File::create(beside(state, ".lock")).context("cannot write beside the state file")?;
    lock.try_lock()
        .with_context(|| format!("another consumer works with {}", state.display()))?;
    Ok(lock)
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn folder_of(file: &Path) -> &Path {
    file.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
