//! Full disks: RabbitMQ's fails no call; PostgreSQL's stops money and loses none. With room again
//! both recover by themselves.
//!
//! PostgreSQL's disk is filled to the last byte. RabbitMQ stops accepting messages some way before
//! that, and that is tested here: its quorum queues do not recover from a failed write to their
//! log.
//!
//! The disks are two small file systems in memory. Only root may mount those; for others the test
//! reports that it was skipped. `DISK_SECONDS` (5) is the time that each stays full once that is
//! noticed.

use std::{
    fs::{self, File},
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use sqlx::{Connection as _, PgConnection};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{act, books::database, check, prepare, remembered, remembering, setting, stop_system};
use crate::setup::{self, System};

/// Everything but RabbitMQ: a fresh PostgreSQL with six databases, and what it writes under load.
const STACK_MEGABYTES: u32 = 700;

const BROKER_MEGABYTES: u32 = 200;

/// RabbitMQ stops accepting messages below 50 MB of free space (`disk_free_limit` of the stack).
const BROKER_BYTES_LEFT: usize = 30 * 1024 * 1024;

const CHUNK_BYTES: usize = 64 * 1024;

/// RabbitMQ checks its disk at least every ten seconds.
const NOTICED_LIMIT: Duration = Duration::from_secs(30);

/// With room again, money moves within this time.
const RECOVERY_LIMIT: Duration = Duration::from_mins(1);

const POLL: Duration = Duration::from_millis(200);

/// Pause of an advertiser between two journeys.
const PAUSE: Duration = Duration::from_millis(300);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disks_lose_nothing() {
    let full = Duration::from_secs(setting("DISK_SECONDS").unwrap_or(5));
    let folder = tempfile::Builder::new()
        .prefix("adfolio-disk-")
        .tempdir()
        .unwrap();
    let Some(disk) = Disk::mount(folder.path(), STACK_MEGABYTES) else {
        println!("not shown: this account may not mount file systems");
        return;
    };
    let broker_folder = folder.path().join("rabbitmq");
    fs::create_dir(&broker_folder).unwrap();
    let broker_disk = Disk::mount(&broker_folder, BROKER_MEGABYTES).expect("a second one");
    let system = Arc::new(remembering(setup::builder().data_dir(folder.path())).await);
    let stage = Arc::new(prepare(&system).await.with_pause(PAUSE));
    let witness = system.advertiser("witness").await;

    let stop = CancellationToken::new();
    let acting = act(&system, &stage, 1, 0..6, &stop).await;
    let filler = broker_disk.fill(BROKER_BYTES_LEFT);
    let waiting = timeout(NOTICED_LIMIT, wait_until_events_wait(&system));
    assert!(
        waiting.await.is_ok(),
        "RabbitMQ takes messages without room"
    );
    sleep(full).await;
    fs::remove_file(filler).unwrap();
    let back = Instant::now();
    stop.cancel();
    let mut histories = remembered(acting).await;
    for history in &histories {
        let failed = &history.unavailable;
        assert!(
            failed.is_empty(),
            "calls needed the broker's disk: {failed:?}"
        );
    }
    check::wait_until_quiet(&system).await;
    println!(
        "RabbitMQ without room for more than {full:?}: no call failed; everything arrived {:.1} s after there was room again",
        back.elapsed().as_secs_f32()
    );

    let stop = CancellationToken::new();
    let acting = act(&system, &stage, 2, 6..12, &stop).await;
    let filler = disk.fill(0);
    sleep(full).await;
    fs::remove_file(filler).unwrap();
    let back = Instant::now();
    let taken = timeout(
        RECOVERY_LIMIT,
        wait_until_money_is_taken(&system, &witness.id),
    );
    assert!(
        taken.await.is_ok(),
        "no money was taken after {RECOVERY_LIMIT:?}"
    );
    let taken = back.elapsed();
    stop.cancel();
    histories.extend(remembered(acting).await);
    let failed: usize = histories
        .iter()
        .map(|history| history.unavailable.len())
        .sum();
    check::wait_until_quiet(&system).await;
    println!(
        "PostgreSQL without room for {full:?}: {failed} attempts failed; money was taken {:.1} s after there was room again",
        taken.as_secs_f32()
    );
    for history in &histories {
        check::compare(&system, history).await;
    }
    stop_system(system).await;
}

/// An event that is not sent within seconds is waiting for the broker.
async fn wait_until_events_wait(system: &System) {
    let wallet = database(&system.stack.database_base_url(), "wallet");
    let mut connection = PgConnection::connect(&wallet).await.unwrap();
    let waits =
        "SELECT EXISTS (SELECT FROM unsent_events WHERE created_at < now() - interval '3 seconds')";
    while !sqlx::query_scalar::<_, bool>(waits)
        .fetch_one(&mut connection)
        .await
        .unwrap()
    {
        sleep(POLL).await;
    }
}

async fn wait_until_money_is_taken(system: &System, user_id: &str) {
    let body = serde_json::json!({"user_id": user_id, "amount": "1.00", "remark": "room"});
    let call = || {
        system
            .admin
            .try_post_keyed("/admin/wallet/deposit", "room", &body)
    };
    while !call().await.is_ok_and(|reply| reply.code == 200) {
        sleep(POLL).await;
    }
}

/// A file system of its own.
struct Disk(PathBuf);

impl Disk {
    /// None if this account may not mount.
    fn mount(folder: &Path, megabytes: u32) -> Option<Self> {
        let size = format!("size={megabytes}m,mode=755");
        let status = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(folder)
            .status();
        status
            .is_ok_and(|status| status.success())
            .then(|| Self(folder.to_owned()))
    }

    /// Leaves this many bytes free. Removing the returned file makes room again.
    fn fill(&self, left: usize) -> PathBuf {
        let path = self.0.join("filler");
        let mut file = File::create(&path).unwrap();
        let mut length = CHUNK_BYTES;
        while length > 0 {
            match file.write(&vec![0; length]) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => length /= 2,
                Err(error) => panic!("cannot fill the disk: {error}"),
            }
        }
        let filled = file.metadata().unwrap().len();
        file.set_len(filled.saturating_sub(u64::try_from(left).unwrap()))
            .unwrap();
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily: a process of a failed test may still be ending.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
