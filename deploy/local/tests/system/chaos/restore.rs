//! A backup of a running system and its restore: everything is at one point in time, and no
//! published event is lost with RabbitMQ.

use std::{
    env,
    fs::{self, Permissions},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::Output,
    sync::Arc,
    time::Duration,
};

use adfolio_local::{Ports, Service, Signal};
use adfolio_testkit::eventually;
use nix::sys::statvfs::statvfs;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

use super::{act, check, prepare, remembered, remembering, stop_system};
use crate::setup::{self, Advertiser, PASSWORD, System};

/// Pause of an advertiser between two journeys.
const PAUSE: Duration = Duration::from_millis(50);

/// Transactions before the backup, by advertisers who have stopped by then and must find everything
/// again.
const EARLY_TRANSACTIONS: i64 = 60;

/// Free bytes that memory must have to hold the databases three times; they take a third of it.
const MEMORY_WANTED: u64 = 1 << 30;

const UPLOAD: &str = "uploads/files/0123456789abcdef";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restored_system_is_everything_at_one_moment() {
    let folder = folder();
    let mut builder = setup::builder().data_dir(folder.path().join("data"));
    let ports = builder.pick_ports().unwrap();
    let system = Arc::new(remembering(builder).await);
    let stage = Arc::new(prepare(&system).await.with_pause(PAUSE).with_patience());
    let witness = system.advertiser("witness").await;

    let stop = CancellationToken::new();
    let acting = act(&system, &stage, 1, 0..3, &stop).await;
    let query = "SELECT count(*) FROM transactions";
    eventually("there is something to lose", || async {
        count(&system, query).await >= EARLY_TRANSACTIONS
    })
    .await;
    stop.cancel();
    let early = remembered(acting).await;

    // Events sent from now on take no effect before the backup has ended.
    let frozen = Service::Notification;
    system.stack.kill(frozen, Signal::SIGSTOP).await.unwrap();
    system.deposit(&witness.id, "12.00").await;
    let query = "SELECT count(*) FROM outbox WHERE event_type = 'adfolio.wallet.v1.DepositCredited'
                 AND data->>'amountMinor' = '1200' AND id NOT IN (SELECT id FROM unsent_events)";
    eventually("the notice of the deposit is at the broker", || async {
        count(&system, query).await == 1
    })
    .await;
    let stop = CancellationToken::new();
    let acting = act(&system, &stage, 2, 3..6, &stop).await;
    let upload = system.stack.data_dir().join(UPLOAD);
    fs::create_dir_all(upload.parent().unwrap()).unwrap();
    fs::write(&upload, "a picture").unwrap();
    let backup = backup(folder.path()).await;
    fs::remove_file(&upload).unwrap();

    // After the point: it happens, is published, and is gone after the restore.
    system.stack.kill(frozen, Signal::SIGCONT).await.unwrap();
    system.deposit(&witness.id, "7.00").await;
    eventually("both notices arrive", || async {
        unread(&witness).await == 2
    })
    .await;
    stop.cancel();
    remembered(acting).await;
    stop_system(system).await;

    let output = restore(folder.path(), &backup).await;
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(fs::read(&upload).unwrap(), b"a picture");
    let system = start_again(folder.path(), ports).await;
    check::wait_until_quiet(&system).await;
    for history in &early {
        check::compare(&system, history).await;
    }
    for proof in ["reconcile", "verify"] {
        let mut command = system.stack.operator_command().unwrap();
        let output = command.args(["wallet", proof]).output().await.unwrap();
        assert!(output.status.success(), "{proof}: {}", text(&output));
    }
    assert_eq!(funds(&witness).await, "12.00");
    assert_eq!(
        unread(&witness).await,
        1,
        "the notice was lost with the broker"
    );
    go_on(&system, &stage.product_id).await;
    system.stack.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_that_is_not_whole_is_refused_and_changes_nothing() {
    let folder = folder();
    let (data, backups) = (folder.path().join("data"), folder.path().join("backups"));
    let parts = [Service::Auth, Service::Wallet];
    let builder = setup::builder().services(parts).data_dir(&data);
    let stack = builder.start().await.unwrap();
    let upload = data.join(UPLOAD);
    fs::create_dir_all(upload.parent().unwrap()).unwrap();
    fs::write(&upload, "a picture").unwrap();
    let backup = backup(folder.path()).await;
    refused(folder.path(), &backup, "already running").await;
    stack.stop().await;

    let before = contents(&data);
    refused(folder.path(), &backups, "no complete backup").await;
    refuses_what_is_damaged(folder.path(), &backup).await;
    refuses_what_is_missing(folder.path(), &backup).await;
    let key = data.join("secrets/card-key");
    let secret = fs::read(&key).unwrap();
    fs::write(&key, "another").unwrap();
    refused(
        folder.path(),
        &backup,
        "card-key is not the secret of the backup",
    )
    .await;
    fs::remove_file(&key).unwrap();
    refused(folder.path(), &backup, "card-key is missing").await;
    fs::write(&key, secret).unwrap();
    assert_eq!(contents(&data), before);

    fs::write(data.join("restore-unfinished"), "").unwrap();
    let builder = setup::builder().services(parts).data_dir(&data);
    let half = builder
        .start()
        .await
        .expect_err("half a restore was started");
    assert!(
        half.to_string().contains("a restore was interrupted"),
        "{half}"
    );
    let output = restore(folder.path(), &backup).await;
    assert!(output.status.success(), "{}", text(&output));
    let builder = setup::builder().services(parts).data_dir(&data);
    builder.start().await.unwrap().stop().await;
}

async fn refuses_what_is_damaged(folder: &Path, backup: &Path) {
    let damaged = [
        ("backup.json", "\"major\": ", "\"major\": 9", "PostgreSQL 9"),
        (
            "backup.json",
            "\"format\": ",
            "\"format\": 7",
            "another format",
        ),
        ("backup.json", "{", "", "damaged"),
        ("postgres/base/1/PG_VERSION", "1", "2", "base/1/PG_VERSION"),
        ("postgres/backup_manifest", "GMT", "UTC", "are damaged"),
        ("uploads/files/0123456789abcdef", "a ", "b ", "changed"),
    ];
    for (file, what, by, complaint) in damaged {
        let path = backup.join(file);
        let whole = fs::read_to_string(&path).unwrap();
        let other = whole.replacen(what, by, 1);
        assert!(other != whole, "{file} has no {what}");
        fs::write(&path, other).unwrap();
        refused(folder, backup, complaint).await;
        fs::write(&path, whole).unwrap();
    }
}

async fn refuses_what_is_missing(folder: &Path, backup: &Path) {
    let logs = fs::read_dir(backup.join("postgres/pg_wal")).unwrap();
    let log = logs
        .map(|entry| entry.unwrap().path())
        .find(|path| path.is_file())
        .unwrap();
    for missing in [
        log,
        backup.join(UPLOAD),
        backup.join("postgres/global/pg_control"),
    ] {
        let aside = folder.join("aside");
        fs::rename(&missing, &aside).unwrap();
        let name = missing.file_name().unwrap().to_str().unwrap();
        let complaint = if missing.ends_with(UPLOAD) {
            "missing"
        } else {
            "damaged"
        };
        println!("without {name}");
        refused(folder, backup, complaint).await;
        fs::rename(&aside, &missing).unwrap();
    }
}

/// Accessible to PostgreSQL's account, and in memory if there is room: thousands of files are
/// copied.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let has_room = statvfs(memory).is_ok_and(|about| {
        // Their types differ between systems.
        let available = u128::from(about.blocks_available()) * u128::from(about.fragment_size());
        available >= u128::from(MEMORY_WANTED)
    });
    let parent = match env::var_os("TMPDIR") {
        None if has_room => memory.to_owned(),
        _ => env::temp_dir(),
    };
    tempfile::Builder::new()
        .prefix("adfolio-restore-")
        .permissions(Permissions::from_mode(0o755))
        .tempdir_in(parent)
        .unwrap()
}

/// Backs up what runs below `folder`: the backup is readable by its owner only and does not contain
/// the secrets.
async fn backup(folder: &Path) -> PathBuf {
    let (data, to) = (folder.join("data"), folder.join("backups"));
    let mut command = adfolio_local("backup", &data);
    let output = command.arg("--to").arg(&to).output().await.unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert!(
        text(&output).contains("secrets/card-key"),
        "{}",
        text(&output)
    );
    let made: Vec<PathBuf> = fs::read_dir(&to)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    let [backup] = made.as_slice() else {
        panic!("not one backup: {made:?}");
    };
    assert_eq!(fs::metadata(backup).unwrap().mode() & 0o777, 0o700);
    let secret = fs::read_to_string(data.join("secrets/card-key")).unwrap();
    let about = fs::read_to_string(backup.join("backup.json")).unwrap();
    assert!(!about.contains(secret.trim()), "a secret is in the backup");
    backup.clone()
}

async fn restore(folder: &Path, backup: &Path) -> Output {
    let mut command = adfolio_local("restore", &folder.join("data"));
    command.arg("--from").arg(backup).output().await.unwrap()
}

async fn refused(folder: &Path, backup: &Path, complaint: &str) {
    let output = restore(folder, backup).await;
    assert!(!output.status.success(), "restored without {complaint}");
    assert!(text(&output).contains(complaint), "{}", text(&output));
}

fn adfolio_local(command: &str, data: &Path) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_adfolio-local"));
    program
        .arg(command)
        .arg("--data")
        .arg(data)
        .kill_on_drop(true);
    program
}

/// On the same ports, so that clients find it.
async fn start_again(folder: &Path, ports: Ports) -> System {
    let builder = setup::builder().data_dir(folder.join("data"));
    System::start_from(builder.ports(ports)).await
}

/// Old users log in, new ones register, and money moves.
async fn go_on(system: &System, product: &str) {
    let login = json!({"username": "witness", "password": PASSWORD});
    let session = system.anyone.post("/auth/v2/login", login).await.ok();
    let witness = system.anyone.with_token(session["token"].as_str().unwrap());
    let put = json!({"product_id": product, "amount": "10.00"});
    witness.post("/plan/order/put", put.clone()).await.ok();
    let newcomer = system.advertiser("newcomer").await;
    system.deposit(&newcomer.id, "10.00").await;
    newcomer.client.post("/plan/order/put", put).await.ok();
    check::wait_until_quiet(system).await;
}

async fn funds(user: &Advertiser) -> String {
    let property = user.client.get("/user/property").await.ok();
    property["available_funds"].as_str().unwrap().to_owned()
}

/// The user's unread notices of deposits.
async fn unread(user: &Advertiser) -> i64 {
    let path = "/user/notifications/unread_count";
    let unread = user.client.post(path, json!({})).await.ok();
    unread["unread_total"].as_i64().unwrap()
}

/// The count of a query on the wallet's database.
async fn count(system: &System, query: &'static str) -> i64 {
    let url = system.stack.database_url(Service::Wallet);
    let mut connection = PgConnection::connect(&url).await.unwrap();
    sqlx::query_scalar(query)
        .fetch_one(&mut connection)
        .await
        .unwrap()
}

/// Every relevant file, with its size and time of modification.
fn contents(data: &Path) -> Vec<(PathBuf, u64, i64)> {
    let mut found = Vec::new();
    let mut open = ["postgres", "rabbitmq", "uploads"]
        .map(|name| data.join(name))
        .to_vec();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            if metadata.is_dir() {
                open.push(path.clone());
            }
            found.push((path, metadata.size(), metadata.mtime_nsec()));
        }
    }
    let names = fs::read_dir(data).unwrap();
    found.extend(names.map(|entry| (entry.unwrap().path(), 0, 0)));
    found.sort();
    found
}

fn text(output: &Output) -> String {
    let all = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&all).into_owned()
}
