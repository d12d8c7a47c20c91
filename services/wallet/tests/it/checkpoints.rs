//! Checkpoints: one log on any number of replicas, proofs for every head, and history that cannot be rewritten unnoticed.

use std::time::Instant;

use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proof::note::{Checkpoint, Kind, Signer};
use adfolio_proof::tree::{
    AUDIT_LOG, Edge, Hash, Head, LEAVES_LEVEL, REPORTS, State, verify_consistency, verify_inclusion,
};
use adfolio_proto::events::v1::CheckpointPublished;
use adfolio_proto::wallet::v1 as proto;
use adfolio_testkit::eventually;
use adfolio_wallet::Config;
use chrono::{DateTime, SecondsFormat, Utc};
use futures::future::join_all;
use sha2::{Digest as _, Sha256};
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::helpers::{Wallet, assert_refused, call, refused};
use crate::peers::{PeerBooks, Seals};

const KEY: &str = "0303030303030303030303030303030303030303030303030303030303030303";
const ORIGIN: &str = "adfolio/wallet";

fn publishing(config: &mut Config) {
    config.checkpoints.checkpoint_key = Some(KEY.into());
    config.checkpoints.checkpoint_interval_seconds = 1;
}

async fn spawn() -> Wallet {
    Wallet::builder().configure(publishing).spawn().await
}

fn signer() -> Signer {
    Signer::new(ORIGIN, Kind::Log, KEY).expect("a key")
}

/// The newest checkpoint once it has every head.
async fn published(stack: &Wallet) -> Checkpoint {
    eventually("every head is published", || async {
        let missing: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM wallets w WHERE seq > 0 AND NOT EXISTS (
                 SELECT FROM published_heads h WHERE h.user_id = w.user_id AND h.seq = w.seq)",
        )
        .fetch_one(&stack.pool())
        .await
        .expect("a count");
        missing == 0
    })
    .await;
    newest(stack).await
}

/// The newest checkpoint, as the key that the service names opens it.
async fn newest(stack: &Wallet) -> Checkpoint {
    let request = call(&Caller::system(), proto::GetCheckpointRequest {});
    let answer = stack.users().get_checkpoint(request).await;
    let answer = answer.expect("a checkpoint").into_inner();
    assert_eq!(answer.verifier_key, signer().verifier().to_string());
    let verifier: adfolio_proof::note::Verifier = answer.verifier_key.parse().expect("a key");
    verifier.open(&answer.note).expect("a signed checkpoint")
}

async fn prove(
    stack: &Wallet,
    user: Uuid,
    sequence: i64,
) -> Result<proto::GetHeadProofResponse, Refusal> {
    let caller = Caller::user(UserId(user));
    let request = call(&caller, proto::GetHeadProofRequest { sequence });
    let answer = stack.users().get_head_proof(request).await;
    Ok(answer.map_err(refused)?.into_inner())
}

/// Checks a proof as anybody outside does; the head.
fn head_of(proof: &proto::GetHeadProofResponse) -> Head {
    let checkpoint = signer().verifier().open(&proof.note).expect("signed");
    let head: Head = proof.leaf.parse().expect("a leaf");
    let (index, size) = (proof.index.unsigned_abs(), proof.size.unsigned_abs());
    assert_eq!(checkpoint.state.size, size);
    verify_inclusion(
        head.leaf_hash(),
        index,
        size,
        checkpoint.state.root,
        &hashes(&proof.path),
    )
    .expect("included");
    head
}

fn hashes(path: &[Vec<u8>]) -> Vec<Hash> {
    let hash = |bytes: &Vec<u8>| bytes.as_slice().try_into().expect("32 bytes");
    path.iter().map(hash).collect()
}

async fn consistency(stack: &Wallet, first: i64, second: i64) -> Result<Vec<Hash>, Refusal> {
    let message = proto::GetCheckpointConsistencyRequest { first, second };
    let request = call(&Caller::system(), message);
    let answer = stack.users().get_checkpoint_consistency(request).await;
    Ok(hashes(&answer.map_err(refused)?.into_inner().path))
}

/// Whether the service can prove that its newest checkpoint follows an earlier one.
async fn follows(stack: &Wallet, earlier: State, later: State) -> bool {
    let [first, second] =
        [earlier.size, later.size].map(|size| i64::try_from(size).expect("a size"));
    let path = consistency(stack, first, second).await.expect("a path");
    verify_consistency(earlier, later, &path).is_ok()
}

async fn numbers(pool: &PgPool) -> Vec<(i64, i64)> {
    sqlx::query_as("SELECT number, size FROM checkpoints ORDER BY number")
        .fetch_all(pool)
        .await
        .expect("checkpoints")
}

#[tokio::test]
async fn every_head_is_published_once_and_proven_to_its_owner() {
    let stack = spawn().await;
    let probe = stack
        .broker
        .probe(&["adfolio.wallet.v1.CheckpointPublished"])
        .await;
    let users = join_all((0..30).map(|_| stack.user_with(500))).await;
    let first = published(&stack).await;
    join_all(users[..5].iter().map(|user| stack.deposit(*user, 1))).await;
    let second = published(&stack).await;
    assert!(second.state.size >= 35, "{second:?}");
    assert!(follows(&stack, first.state, second.state).await);

    for (place, user) in users.iter().enumerate() {
        let proof = prove(&stack, *user, 1).await.expect("a proof");
        let head = head_of(&proof);
        assert_eq!((head.user_id, head.seq), (*user, 1));
        assert!(proof.links.is_empty());
        if place < 5 {
            assert_eq!(
                head_of(&prove(&stack, *user, 2).await.expect("a proof")).seq,
                2
            );
        }
    }
    let unpublished = prove(&stack, users[9], 2).await;
    assert_refused(unpublished, Reason::NotFound, Some("sequence"));
    let nonsense = prove(&stack, users[9], 0).await;
    assert_refused(nonsense, Reason::Validation, Some("sequence"));
    let stranger = prove(&stack, stack.user(), 1).await;
    assert_refused(stranger, Reason::NotFound, Some("sequence"));

    // Nothing changes, so nothing is published.
    let before = numbers(&stack.pool()).await;
    let turns = "SELECT begun_at FROM checkpoint_turns";
    let turn: DateTime<Utc> = sqlx::query_scalar(turns)
        .fetch_one(&stack.pool())
        .await
        .expect("a turn");
    eventually("the next turn is over", || async {
        let next: DateTime<Utc> = sqlx::query_scalar(turns)
            .fetch_one(&stack.pool())
            .await
            .expect("a turn");
        next > turn
    })
    .await;
    assert_eq!(numbers(&stack.pool()).await, before);
    assert!(before.windows(2).all(|pair| pair[0].1 < pair[1].1));

    let count = before.len();
    let events = probe
        .wait_for("adfolio.wallet.v1.CheckpointPublished", count)
        .await;
    let last = events.last().expect("an event");
    assert_eq!(
        (last.subject.as_str(), last.sequence),
        (ORIGIN, i64::try_from(count).ok())
    );
    let told: CheckpointPublished = last.data().expect("proto3 JSON of the message");
    assert_eq!(signer().verifier().open(&told.note).as_ref(), Ok(&second));
    assert_eq!(told.root, hex::encode(second.state.root));
    assert_eq!(told.size.unsigned_abs(), second.state.size);
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn a_proof_leads_from_a_transaction_to_the_head_that_was_published_after_it() {
    let stack = Wallet::builder().configure(|config| {
        publishing(config);
        // Nothing is published before all is posted.
        config.checkpoints.checkpoint_key = None;
    });
    let stack = stack.spawn().await;
    let user = stack.user_with(1).await;
    for _ in 0..4 {
        stack.deposit(user, 1).await;
    }
    let request = call(&Caller::system(), proto::GetCheckpointRequest {});
    let none = stack.users().get_checkpoint(request).await.expect("no key");
    assert_eq!(none.into_inner(), proto::GetCheckpointResponse::default());
    let _publisher = stack.replica_with(publishing).await;
    eventually("the head is published", || async {
        prove(&stack, user, 1).await.is_ok()
    })
    .await;
    let proof = prove(&stack, user, 2).await.expect("a proof");
    let head = head_of(&proof);
    assert_eq!((head.seq, proof.links.len()), (5, 3));
    let mut hash: Vec<u8> =
        sqlx::query_scalar("SELECT hash FROM transactions WHERE user_id = $1 AND seq = 2")
            .bind(user)
            .fetch_one(&stack.pool())
            .await
            .expect("a hash");
    for link in &proof.links {
        hash = Sha256::digest([&hash, link.as_bytes()].concat()).to_vec();
    }
    assert_eq!(hash, head.hash);
}

/// Numbers of another service's chain whose hash was published.
async fn published_of(stack: &Wallet, log: Uuid) -> Vec<i64> {
    sqlx::query_scalar("SELECT seq FROM published_heads WHERE user_id = $1 ORDER BY index")
        .bind(log)
        .fetch_all(&stack.pool())
        .await
        .expect("numbers")
}

#[tokio::test]
async fn the_audit_log_is_published_and_a_rewritten_one_is_found() {
    log_is_published(AUDIT_LOG, "audit_log_holds", |books| &mut books.audit_seals).await;
}

#[tokio::test]
async fn the_chain_of_reports_is_published_and_a_rewritten_one_is_found() {
    log_is_published(REPORTS, "reports_hold", |books| &mut books.report_seals).await;
}

async fn log_is_published(log: Uuid, check: &str, seals: fn(&mut PeerBooks) -> &mut Seals) {
    let stack = spawn().await;
    stack.user_with(500).await;
    published(&stack).await;
    assert!(published_of(&stack, log).await.is_empty());
    stack.assert_books_balance().await;

    for (number, hash) in [(3, [3; 32]), (7, [7; 32])] {
        seals(&mut stack.books.lock().expect("books")).insert(number, hash);
        eventually("the hash is published", || async {
            published_of(&stack, log).await.contains(&number)
        })
        .await;
    }
    assert_eq!(published_of(&stack, log).await, [3, 7]);
    stack.assert_books_balance().await;

    let rewritten = |change: fn(&mut Seals)| {
        let mut changed = Seals::from([(3, [3; 32]), (7, [7; 32])]);
        change(&mut changed);
        *seals(&mut stack.books.lock().expect("books")) = changed;
    };
    // Another one, or none, at the place that was published.
    rewritten(|seals| seals.extend([(7, [8; 32])]));
    assert_eq!(stack.failed_checks().await, [check]);
    rewritten(|seals| seals.retain(|number, _| *number != 7));
    assert_eq!(stack.failed_checks().await, [check]);
    rewritten(Seals::clear);
    assert_eq!(stack.failed_checks().await, [check]);
    rewritten(|_| {});
    stack.assert_books_balance().await;
}

#[tokio::test]
async fn replicas_keep_one_log() {
    let stack = Wallet::builder()
        .configure(publishing)
        .replicas(3)
        .spawn()
        .await;
    let users = join_all((0..45).map(|_| stack.user_with(500))).await;
    let mut states = vec![published(&stack).await.state];
    for _ in 0..3 {
        join_all(users.iter().map(|user| stack.deposit(*user, 1))).await;
        states.push(published(&stack).await.state);
    }
    let last = *states.last().expect("a state");
    for state in states {
        assert!(follows(&stack, state, last).await);
    }
    let checkpoints = numbers(&stack.pool()).await;
    assert!(
        (1..)
            .zip(&checkpoints)
            .all(|(place, (number, _))| place == *number)
    );
    let verified = stack.verify(None).await;
    assert_eq!(verified.log_fault, "");
    assert_eq!(verified.published_heads.unsigned_abs(), last.size);
    assert!(verified.broken.is_empty());
}

#[tokio::test]
async fn a_turn_that_fails_leaves_nothing_and_the_next_does_it_again() {
    let stack = Wallet::spawn().await;
    let pool = stack.pool();
    sqlx::raw_sql(
        "CREATE SEQUENCE attempts;
         CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN PERFORM nextval(''attempts''); RAISE EXCEPTION ''away''; END';
         CREATE TRIGGER fail BEFORE INSERT ON checkpoints FOR EACH ROW EXECUTE FUNCTION fail()",
    )
    .execute(&pool)
    .await
    .expect("a database that fails behind the leaves");
    join_all((0..30).map(|_| stack.user_with(5))).await;
    let _publisher = stack.replica_with(publishing).await;
    eventually("it was tried twice", || async {
        // A sequence is not rolled back.
        let attempts: i64 = sqlx::query_scalar("SELECT last_value FROM attempts")
            .fetch_one(&pool)
            .await
            .expect("a count");
        attempts >= 2
    })
    .await;
    for table in ["published_heads", "published_subtrees", "checkpoints"] {
        let count: i64 =
            sqlx::query_scalar(sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}")))
                .fetch_one(&pool)
                .await
                .expect("a count");
        assert_eq!(count, 0, "{table}");
    }
    sqlx::raw_sql("DROP TRIGGER fail ON checkpoints")
        .execute(&pool)
        .await
        .expect("dropped");
    eventually("it is published", || async {
        let size: Option<i64> = sqlx::query_scalar("SELECT max(size) FROM checkpoints")
            .fetch_one(&pool)
            .await
            .expect("a size");
        size == Some(30)
    })
    .await;
}

#[tokio::test]
async fn the_log_is_only_appended_to_and_a_new_key_signs_it_anew() {
    let stack = spawn().await;
    stack.user_with(5).await;
    let before = published(&stack).await;
    for change in [
        "UPDATE published_heads SET seq = 2",
        "DELETE FROM published_heads",
        "TRUNCATE published_subtrees",
        "UPDATE checkpoints SET note = ''",
        "DELETE FROM checkpoints",
    ] {
        let outcome = sqlx::query(change).execute(&stack.pool()).await;
        outcome.expect_err(change);
    }
    let other = KEY.replace("03", "04");
    let _replica = stack
        .replica_with(|config| {
            publishing(config);
            config.checkpoints.checkpoint_key = Some(other.as_str().into());
        })
        .await;
    let other = Signer::new(ORIGIN, Kind::Log, &other).expect("a key");
    eventually("the new key signs", || async {
        let note: String =
            sqlx::query_scalar("SELECT note FROM checkpoints ORDER BY number DESC LIMIT 1")
                .fetch_one(&stack.pool())
                .await
                .expect("a note");
        other
            .verifier()
            .open(&note)
            .is_ok_and(|now| now.state == before.state)
    })
    .await;
}

#[tokio::test]
async fn checkpoints_are_listed_and_consistency_is_asked_for_within_the_log() {
    let stack = spawn().await;
    let user = stack.user_with(5).await;
    for _ in 0..3 {
        published(&stack).await;
        stack.deposit(user, 1).await;
    }
    let last = published(&stack).await;
    let size = i64::try_from(last.state.size).expect("a size");
    let page = |cursor: String| {
        let page = Some(adfolio_proto::common::v1::PageRequest { cursor, limit: 3 });
        call(&Caller::system(), proto::ListCheckpointsRequest { page })
    };
    let first = stack.users().list_checkpoints(page(String::new())).await;
    let first = first.expect("a page").into_inner();
    let rest = stack
        .users()
        .list_checkpoints(page(first.next_cursor))
        .await;
    let rest = rest.expect("a page").into_inner();
    let sizes: Vec<i64> = first
        .items
        .iter()
        .chain(&rest.items)
        .map(|it| it.size)
        .collect();
    assert_eq!(sizes, (1..=size).rev().collect::<Vec<_>>());
    let told = &first.items[0];
    assert_eq!(signer().verifier().open(&told.note), Ok(last.clone()));
    assert_eq!(told.root, last.state.root);
    for (first, second, field) in [
        (1, size + 1, "second"),
        (0, size, "first"),
        (size, 1, "first"),
    ] {
        let outcome = consistency(&stack, first, second).await;
        assert_refused(outcome, Reason::Validation, Some(field));
    }
    assert_eq!(
        consistency(&stack, size, size).await.expect("a path").len(),
        0
    );
    let wrong = stack.users().list_checkpoints(page("x".into())).await;
    assert_refused(wrong.map_err(refused), Reason::Validation, Some("cursor"));
}

/// A session of the database's superuser, whom no trigger stops.
async fn superuser(stack: &Wallet) -> sqlx::pool::PoolConnection<sqlx::Postgres> {
    let mut connection = stack.pool().acquire().await.expect("a connection");
    sqlx::query("SET session_replication_role = replica")
        .execute(&mut *connection)
        .await
        .expect("a superuser");
    connection
}

type Booked = (i64, DateTime<Utc>, Uuid, String, i64, i64, i64, i64);

/// Makes a user's first deposit a cent larger, and everything behind it fit: balances, hashes, the wallet.
async fn rewrite_books(connection: &mut PgConnection, user: Uuid) {
    for change in [
        "UPDATE transactions SET available_change = available_change + 1, platform_change = platform_change - 1
         WHERE user_id = $1 AND seq = 1",
        "UPDATE transactions SET available_after = available_after + 1 WHERE user_id = $1",
        // Version 1 is the easier one to forge.
        "UPDATE transactions SET chain_version = 1 WHERE user_id = $1",
        "UPDATE wallets SET available = available + 1 WHERE user_id = $1",
    ] {
        let changed = sqlx::query(change).bind(user).execute(&mut *connection);
        changed.await.expect("changed");
    }
    let rows: Vec<Booked> = sqlx::query_as(
        "SELECT seq, posted_at, id, type::text, available_change, to_be_consumed_change, to_be_settled_change,
                withdrawing_change
         FROM transactions WHERE user_id = $1 ORDER BY seq",
    )
    .bind(user)
    .fetch_all(&mut *connection)
    .await
    .expect("transactions");
    let mut hash = vec![0; 32];
    for (seq, time, id, kind, available, consumed, settled, withdrawing) in rows {
        let time = time.to_rfc3339_opts(SecondsFormat::Micros, true);
        let text = format!(
            "adfolio-chain-1|{user}|{seq}|{time}|{id}|{kind}|{available}|{consumed}|{settled}|{withdrawing}"
        );
        hash = Sha256::digest([&hash, text.as_bytes()].concat()).to_vec();
        sqlx::query("UPDATE transactions SET hash = $3 WHERE user_id = $1 AND seq = $2")
            .bind(user)
            .bind(seq)
            .bind(&hash)
            .execute(&mut *connection)
            .await
            .expect("changed");
    }
    sqlx::query("UPDATE wallets SET chain_head = $2 WHERE user_id = $1")
        .bind(user)
        .bind(&hash)
        .execute(&mut *connection)
        .await
        .expect("changed");
}

/// Makes the log fit the books again, with the service's own key: leaves, subtrees, checkpoints.
async fn rewrite_log(connection: &mut PgConnection) {
    sqlx::raw_sql(
        "UPDATE published_heads h SET hash = t.hash FROM transactions t
         WHERE t.user_id = h.user_id AND t.seq = h.seq AND t.hash <> h.hash;
         DELETE FROM published_subtrees",
    )
    .execute(&mut *connection)
    .await
    .expect("changed");
    let leaves: Vec<(Uuid, i64, Vec<u8>)> =
        sqlx::query_as("SELECT user_id, seq, hash::bytea FROM published_heads ORDER BY index")
            .fetch_all(&mut *connection)
            .await
            .expect("leaves");
    let (mut edge, mut roots) = (Edge::default(), Vec::new());
    for (user_id, seq, hash) in leaves {
        let hash = hash.try_into().expect("32 bytes");
        let head = Head { user_id, seq, hash };
        for node in edge.append(head.leaf_hash()) {
            if node.level >= LEAVES_LEVEL {
                sqlx::query("INSERT INTO published_subtrees VALUES ($1, $2, $3)")
                    .bind(i16::from(node.level))
                    .bind(i64::try_from(node.index).expect("an index"))
                    .bind(node.hash.to_vec())
                    .execute(&mut *connection)
                    .await
                    .expect("changed");
            }
        }
        roots.push(edge.root());
    }
    let checkpoints: Vec<(i64, i64, DateTime<Utc>)> =
        sqlx::query_as("SELECT number, size, made_at FROM checkpoints")
            .fetch_all(&mut *connection)
            .await
            .expect("checkpoints");
    for (number, size, made_at) in checkpoints {
        let size = size.unsigned_abs();
        let root = roots[usize::try_from(size).expect("a size") - 1];
        let note = signer().sign(State { size, root }, made_at);
        sqlx::query("UPDATE checkpoints SET root = $2, note = $3 WHERE number = $1")
            .bind(number)
            .bind(root.to_vec())
            .bind(note)
            .execute(&mut *connection)
            .await
            .expect("changed");
    }
}

async fn published_heads_hold(stack: &Wallet) -> bool {
    let proof = stack.reconcile().await;
    let mut checks = proof.checks.into_iter();
    let check = checks.find(|check| check.name == "published_heads_hold");
    check.expect("the check").ok
}

#[tokio::test]
async fn history_rewritten_by_a_superuser_contradicts_what_was_published() {
    let stack = spawn().await;
    let users = join_all((0..70).map(|_| stack.user_with(500))).await;
    let user = users[11];
    let kept = published(&stack).await;
    let old_proof = prove(&stack, user, 1).await.expect("a proof");
    let old_head = head_of(&old_proof);
    stack.deposit(user, 20).await;
    published(&stack).await;
    assert!(published_heads_hold(&stack).await);

    // Only the books are rewritten: every chain holds, and the log contradicts it.
    let mut connection = superuser(&stack).await;
    rewrite_books(&mut connection, user).await;
    assert!(!published_heads_hold(&stack).await);
    let verified = stack.verify(None).await;
    let broken: Vec<(String, i64)> = verified
        .broken
        .iter()
        .map(|broken| {
            assert_eq!(broken.detail, "published hash is another");
            (broken.user_id.clone(), broken.sequence)
        })
        .collect();
    assert_eq!(broken, [(user.to_string(), 1), (user.to_string(), 2)]);
    assert_eq!(verified.log_fault, "");
    assert_eq!(stack.verify(Some(user)).await.broken.len(), 2);
    assert!(stack.verify(Some(users[0])).await.broken.is_empty());

    // The log is rewritten, too, with the right key: within the database everything fits.
    rewrite_log(&mut connection).await;
    drop(connection);
    assert!(published_heads_hold(&stack).await);
    let verified = stack.verify(None).await;
    assert_eq!(
        (verified.broken.len(), verified.log_fault.as_str()),
        (0, "")
    );
    // But not with what others have kept of it.
    let now = newest(&stack).await;
    assert!(!follows(&stack, kept.state, now.state).await);
    let new_head = head_of(&prove(&stack, user, 1).await.expect("a proof"));
    assert_eq!(
        (new_head.user_id, new_head.seq),
        (old_head.user_id, old_head.seq)
    );
    assert_ne!(new_head.hash, old_head.hash);
    let stolen = verify_inclusion(
        new_head.leaf_hash(),
        old_proof.index.unsigned_abs(),
        kept.state.size,
        kept.state.root,
        &hashes(&old_proof.path),
    );
    assert!(stolen.is_err());
}

#[tokio::test]
async fn a_log_that_was_tampered_with_is_found() {
    let stack = spawn().await;
    join_all((0..70).map(|_| stack.user_with(500))).await;
    published(&stack).await;
    let mut connection = superuser(&stack).await;
    for (change, back) in [
        (
            "UPDATE checkpoints SET root = sha256('x') WHERE number = 1",
            "UPDATE checkpoints c SET root = b.root FROM backup b WHERE c.number = b.number",
        ),
        (
            "UPDATE published_heads SET seq = 7 WHERE index = 12",
            "UPDATE published_heads SET seq = 1 WHERE index = 12",
        ),
        (
            "UPDATE published_heads SET index = 1000 WHERE index = 12",
            "UPDATE published_heads SET index = 12 WHERE index = 1000",
        ),
    ] {
        sqlx::raw_sql("CREATE TABLE IF NOT EXISTS backup AS SELECT * FROM checkpoints")
            .execute(&mut *connection)
            .await
            .expect("a backup");
        sqlx::raw_sql(change)
            .execute(&mut *connection)
            .await
            .expect(change);
        assert_ne!(stack.verify(None).await.log_fault, "", "{change}");
        sqlx::raw_sql(back)
            .execute(&mut *connection)
            .await
            .expect(back);
        assert_eq!(stack.verify(None).await.log_fault, "", "{back}");
    }
    sqlx::raw_sql("UPDATE published_subtrees SET hash = sha256('x')")
        .execute(&mut *connection)
        .await
        .expect("changed");
    assert!(!published_heads_hold(&stack).await);
}

/// Prints how long a first checkpoint of a million users takes, the next without changes, and one of 1,000. Run it with
/// `cargo nextest run -p adfolio-wallet --release --run-ignored only checkpoints_of_a_million_users`.
#[tokio::test]
#[ignore = "a measurement"]
async fn checkpoints_of_a_million_users() {
    let stack = Wallet::spawn().await;
    let pool = stack.pool();
    let mut connection = pool.acquire().await.expect("a connection");
    sqlx::raw_sql(
        "SET statement_timeout = 0;
         INSERT INTO wallets (user_id, seq, chain_head, available)
         SELECT gen_random_uuid(), 3, sha256(n::text::bytea), 5 FROM generate_series(1, 1000000) n;
         ANALYZE wallets",
    )
    .execute(&mut *connection)
    .await
    .expect("a million wallets");
    let began = Instant::now();
    let _publisher = stack.replica_with(publishing).await;
    let size = |size: i64| {
        let pool = pool.clone();
        eventually("the checkpoint is there", move || {
            let pool = pool.clone();
            async move {
                let found: Option<i64> = sqlx::query_scalar("SELECT max(size) FROM checkpoints")
                    .fetch_one(&pool)
                    .await
                    .expect("a size");
                found == Some(size)
            }
        })
    };
    size(1_000_000).await;
    println!("first checkpoint of 1,000,000 users: {:?}", began.elapsed());
    let began = Instant::now();
    sqlx::raw_sql("UPDATE wallets SET seq = 4 WHERE user_id IN (SELECT user_id FROM wallets WHERE seq = 3 LIMIT 1000)")
        .execute(&mut *connection)
        .await
        .expect("changed");
    size(1_001_000).await;
    println!(
        "next one with 1,000 changed, with its wait of at most 1 s: {:?}",
        began.elapsed()
    );
    let began = Instant::now();
    let verified = stack.verify(None).await;
    println!(
        "comparison of {} heads: {:?}",
        verified.published_heads,
        began.elapsed()
    );
}
