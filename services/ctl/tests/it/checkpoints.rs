//! `adfolioctl verify` and `adfolioctl witness`: what outsiders check with what they kept.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use adfolio_proof::note::{Kind, Signer, Verifier};
use adfolio_proof::tree::{Claim, Edge, Hash, Head, Nodes, State};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::helpers::{Ended, run};

const USER: &str = "0193b2a4-5a00-7000-8000-0000000000aa";
const HEADER: &str = "sequence,time,transaction_id,type,available_change,to_be_consumed_change,\
                      to_be_settled_change,withdrawing_change,previous_hash,hash,user_id,remark,reference,\
                      guarantee_change,details,undisclosed\n";

fn signer() -> Signer {
    Signer::new("adfolio/wallet", Kind::Log, &"05".repeat(32)).expect("a key")
}

/// The keeper of the books: a chain, and a log that publishes its head among others.
struct Keeper {
    hashes: Vec<Hash>,
    texts: Vec<String>,
    statement: String,
    edge: Edge,
    nodes: Nodes,
    places: Vec<(Head, u64)>,
    roots: Vec<Hash>,
}

impl Keeper {
    /// With so many transactions; the first one deposits so much.
    fn new(transactions: usize, first: &str) -> Self {
        let mut keeper = Self {
            hashes: Vec::new(),
            texts: Vec::new(),
            statement: HEADER.to_owned(),
            edge: Edge::default(),
            nodes: Nodes::default(),
            places: Vec::new(),
            roots: vec![Edge::default().root()],
        };
        let mut before = [0; 32];
        for seq in 1..=transactions {
            let (id, amount) = (
                Uuid::from_u128(seq as u128),
                if seq == 1 { first } else { "1.00" },
            );
            let time = "2026-11-26T09:30:00.000000Z";
            let minor = amount.replace('.', "");
            let covered = format!("{USER}|{seq}|{time}|{id}|deposit|{minor}|0|0|0");
            // Versions alternate, as they do while an upgrade lasts.
            let sha256 = |text: &str| hex::encode(Sha256::digest(text));
            let (text, newer) = if seq % 2 == 1 {
                (format!("adfolio-chain-1|{covered}"), ",,0.00,,".to_owned())
            } else {
                let (remark, undisclosed) = (sha256("=paid"), sha256("the rest"));
                let details = sha256(&format!("adfolio-details-1|-|{remark}|{undisclosed}"));
                let text = format!("adfolio-chain-2|{covered}|0|{details}");
                (text, format!("'=paid,,0.00,{details},{undisclosed}"))
            };
            let hash = Sha256::digest([&before[..], text.as_bytes()].concat()).into();
            let (previous, own) = (hex::encode(before), hex::encode(hash));
            writeln!(
                keeper.statement,
                "{seq},{time},{id},deposit,{amount},0.00,0.00,0.00,{previous},{own},{USER},{newer}"
            )
            .expect("written");
            before = hash;
            keeper.hashes.push(hash);
            keeper.texts.push(text);
        }
        keeper
    }

    fn append(&mut self, head: Head) {
        self.places.push((head, self.edge.size()));
        for node in self.edge.append(head.leaf_hash()) {
            self.nodes.insert(node);
        }
        self.roots.push(self.edge.root());
    }

    /// Publishes the head at a transaction, between heads of others.
    fn publish(&mut self, seq: usize) {
        for other in 0..3_u128 {
            let user_id = Uuid::from_u128(other + 1);
            let hash = [u8::try_from(seq).expect("small"); 32];
            self.append(Head {
                user_id,
                seq: 1,
                hash,
            });
        }
        let head = Head {
            user_id: USER.parse().expect("an id"),
            seq: i64::try_from(seq).expect("a number"),
            hash: self.hashes[seq - 1],
        };
        self.append(head);
    }

    fn state(&self, size: u64) -> State {
        let root = self.roots[usize::try_from(size).expect("a size")];
        State { size, root }
    }

    fn size(&self) -> u64 {
        self.edge.size()
    }

    fn note(&self, size: u64) -> String {
        let time = "2026-11-26T09:35:00Z".parse().expect("a time");
        signer().sign(self.state(size), time)
    }

    /// The answer of the API for a transaction, in its envelope.
    fn proof(&self, sequence: i64) -> Value {
        let mut places = self.places.iter();
        let user_id: Uuid = USER.parse().expect("an id");
        let found = places.find(|(head, _)| head.user_id == user_id && head.seq >= sequence);
        let (head, index) = *found.expect("published");
        let size = self.size();
        let path = Claim::Inclusion { index, size }.prove(&self.nodes);
        let path: Vec<_> = path.expect("a path").iter().map(hex::encode).collect();
        let links: Vec<&String> = self
            .texts
            .iter()
            .take(usize::try_from(head.seq).expect("a number"))
            .skip(usize::try_from(sequence).expect("a number"))
            .collect();
        let data = json!({
            "leaf": head.to_string(), "index": index, "size": size, "path": path, "note": self.note(size), "links": links,
        });
        json!({"code": 200, "msg": "Success", "data": data})
    }

    fn consistency(&self, earlier: u64, size: u64) -> Value {
        let path = Claim::Consistency { earlier, size }.prove(&self.nodes);
        let path: Vec<_> = path.expect("a path").iter().map(hex::encode).collect();
        json!({"code": 200, "msg": "Success", "data": {"path": path}})
    }
}

/// A folder with files for `verify`.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let file = self.0.path().join(name);
        std::fs::write(&file, text).expect("written");
        file.to_str().expect("a path").to_owned()
    }
}

async fn verify(arguments: &[&str]) -> Ended {
    let key = signer().verifier().to_string();
    let arguments = [&["verify", "--key", key.as_str()], arguments].concat();
    run(&[], &arguments, "").await
}

#[tokio::test]
async fn a_statement_is_verified_offline_and_any_change_is_told() {
    let (files, mut keeper) = (Files::new(), Keeper::new(5, "100.00"));
    keeper.publish(3);
    let first = files.write("first.note", keeper.note(keeper.size()));
    let old = files.write("old.json", keeper.proof(2).to_string());
    keeper.publish(5);
    let statement = files.write("statement.csv", &keeper.statement);
    let proof = files.write("proof.json", keeper.proof(5).to_string());
    let consistency = files.write("consistency.json", keeper.consistency(4, 8).to_string());
    let all = [
        statement.as_str(),
        "--proof",
        &proof,
        "--proof",
        &old,
        "--checkpoint",
        &first,
        "--consistency",
        &consistency,
    ];
    let ended = verify(&all).await;
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.output.contains("transactions 1 to 5"), "{ended:?}");
    assert!(
        ended.output.contains("the hash of transaction 5"),
        "{ended:?}"
    );
    assert!(
        ended.output.contains("part of the same history"),
        "{ended:?}"
    );

    // A statement that ends before the published head, with the links in between.
    let lines: Vec<&str> = keeper.statement.lines().take(3).collect();
    let short = files.write("short.csv", lines.join("\n"));
    let behind = files.write("behind.json", keeper.proof(2).to_string());
    let ended = verify(&[&short, "--proof", &behind]).await;
    assert_eq!(ended.code, 0, "{ended:?}");
    let mut without = keeper.proof(2);
    without["data"]["links"] = json!([]);
    let without = files.write("without.json", without.to_string());
    let ended = verify(&[&short, "--proof", &without]).await;
    assert!(
        ended.errors.contains("add the statements up to it"),
        "{ended:?}"
    );

    let changed = files.write("changed.csv", keeper.statement.replace("100.00", "100.01"));
    let ended = verify(&[&changed, "--proof", &proof]).await;
    assert_eq!(ended.code, 1);
    assert!(
        ended
            .errors
            .contains("transaction 1 is not what its hash covers"),
        "{ended:?}"
    );
    let forged = keeper.proof(5).to_string().replace("\\n8\\n", "\\n9\\n");
    let forged = files.write("forged.json", forged);
    let ended = verify(&[&statement, "--proof", &forged]).await;
    assert!(
        ended.errors.contains("the signature does not fit"),
        "{ended:?}"
    );
    let ended = verify(&[&statement, "--proof", &proof, "--checkpoint", &first]).await;
    assert!(
        ended.errors.contains("consistency?first=4&second=8"),
        "{ended:?}"
    );
    let usage = run(&[], &["verify", "--key", "x", "y"], "").await;
    assert_eq!(usage.code, 2, "{usage:?}");
}

#[tokio::test]
async fn a_rewritten_history_contradicts_an_earlier_checkpoint_and_an_earlier_proof() {
    let (files, mut honest, mut liar) = (
        Files::new(),
        Keeper::new(5, "100.00"),
        Keeper::new(5, "1.00"),
    );
    honest.publish(3);
    let kept = files.write("kept.note", honest.note(4));
    let kept_proof = files.write("kept.json", honest.proof(3).to_string());
    // Chain, log and signatures of the liar fit each other, at the same size and later.
    liar.publish(3);
    let statement = files.write("statement.csv", &liar.statement);
    let same = files.write("same.json", liar.proof(3).to_string());
    let ended = verify(&[&statement, "--proof", &same, "--checkpoint", &kept]).await;
    assert_eq!(ended.code, 1);
    assert!(ended.errors.contains("HISTORY WAS REWRITTEN"), "{ended:?}");
    liar.publish(5);
    let later = files.write("later.json", liar.proof(5).to_string());
    assert_eq!(verify(&[&statement, "--proof", &later]).await.code, 0);
    let consistency = files.write("consistency.json", liar.consistency(4, 8).to_string());
    let ended = verify(&[
        &statement,
        "--proof",
        &later,
        "--checkpoint",
        &kept,
        "--consistency",
        &consistency,
    ])
    .await;
    assert_eq!(ended.code, 1);
    assert!(ended.errors.contains("HISTORY WAS REWRITTEN"), "{ended:?}");
    let ended = verify(&[&statement, "--proof", &later, "--proof", &kept_proof]).await;
    assert_eq!(ended.code, 1);
    assert!(
        ended
            .errors
            .contains("the statement is not what was published"),
        "{ended:?}"
    );
}

/// An API that answers with what it has for a path.
#[derive(Clone, Default)]
struct Site(Arc<Mutex<HashMap<String, String>>>);

impl Site {
    async fn serve(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/api/", listener.local_addr().expect("an address"));
        let site = self.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = vec![0; 4096];
                let read = stream.read(&mut request).await.unwrap_or(0);
                let request = String::from_utf8_lossy(&request[..read]).into_owned();
                let path = request.split(' ').nth(1).unwrap_or_default();
                let body = site.0.lock().expect("answers").get(path).cloned();
                let refused = json!({"code": 405, "msg": "Not found", "data": {}}).to_string();
                let body = body.unwrap_or(refused);
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        });
        url
    }

    /// Answers as this keeper does, to somebody who knows an earlier size.
    fn is_kept_by(&self, keeper: &Keeper, size: u64, known: u64) {
        let mut answers = self.0.lock().expect("answers");
        answers.insert("/api/checkpoint".into(), keeper.note(size));
        if known > 0 && known < size {
            let path = format!("/api/checkpoint/consistency?first={known}&second={size}");
            answers.insert(path, keeper.consistency(known, size).to_string());
        }
    }
}

async fn witness(url: &str, state: &Path, more: &[&str]) -> Ended {
    let key = signer().verifier().to_string();
    let state = state.to_str().expect("a path");
    let arguments = [
        "witness", "--once", "--url", url, "--key", &key, "--state", state,
    ];
    run(&[], &[&arguments[..], more].concat(), "").await
}

fn kept(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("checkpoint")).expect("kept")
}

#[tokio::test]
async fn a_witness_follows_a_log_and_cosigns_it() {
    let (folder, site, mut keeper) = (
        tempfile::tempdir().unwrap(),
        Site::default(),
        Keeper::new(5, "1.00"),
    );
    let url = site.serve().await;
    let state: PathBuf = folder.path().join("state");
    let away = witness(&url, &state, &[]).await;
    assert_eq!(away.code, 1, "{away:?}");
    assert!(away.errors.contains("Not found"), "{away:?}");
    keeper.publish(3);
    site.is_kept_by(&keeper, 4, 0);
    let first = witness(&url, &state, &[]).await;
    assert_eq!(first.code, 0, "{first:?}");
    assert!(
        first.output.contains("first checkpoint: 4 heads"),
        "{first:?}"
    );
    let again = witness(&url, &state, &[]).await;
    assert_eq!(again.code, 0, "{again:?}");
    keeper.publish(5);
    site.is_kept_by(&keeper, 8, 4);
    let own = folder.path().join("own.key");
    std::fs::write(&own, "06".repeat(32)).unwrap();
    let cosign = [
        "--cosign",
        own.to_str().unwrap(),
        "--name",
        "witness.example",
    ];
    let grown = witness(&url, &state, &cosign).await;
    assert_eq!(grown.code, 0, "{grown:?}");
    assert!(grown.output.contains("8 heads of"), "{grown:?}");
    let line = grown.output.lines().next().unwrap();
    let own: Verifier = line.rsplit(' ').next().unwrap().parse().expect("a key");
    own.cosigned_at(&kept(&state)).expect("cosigned");
    assert_eq!(
        signer().verifier().open(&kept(&state)).unwrap().state,
        keeper.state(8)
    );
}

#[tokio::test]
async fn a_witness_tells_a_rewritten_a_shrunk_and_a_forged_log() {
    let (folder, site) = (tempfile::tempdir().unwrap(), Site::default());
    let (mut honest, mut liar) = (Keeper::new(5, "100.00"), Keeper::new(5, "1.00"));
    let url = site.serve().await;
    for keeper in [&mut honest, &mut liar] {
        keeper.publish(3);
        keeper.publish(5);
    }
    site.is_kept_by(&honest, 5, 0);
    assert_eq!(witness(&url, folder.path(), &[]).await.code, 0);
    let before = kept(folder.path());
    for (keeper, size, told) in [
        (&liar, 5, "HISTORY WAS REWRITTEN"),
        (&liar, 8, "HISTORY WAS REWRITTEN"),
        (&honest, 4, "THE LOG SHRANK"),
    ] {
        site.is_kept_by(keeper, size, 5);
        let ended = witness(&url, folder.path(), &[]).await;
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(ended.errors.contains(told), "{ended:?}");
        // What was seen stays, and the contradiction beside it.
        assert_eq!(kept(folder.path()), before);
        let proof = folder.path().join(format!("contradicts-{size}"));
        assert_eq!(std::fs::read_to_string(proof).unwrap(), keeper.note(size));
    }
    let forged = honest.note(8).replace("\n8\n", "\n9\n");
    site.0
        .lock()
        .unwrap()
        .insert("/api/checkpoint".into(), forged);
    let ended = witness(&url, folder.path(), &[]).await;
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended.errors.contains("THE CHECKPOINT IS NOT THE LOG'S"),
        "{ended:?}"
    );
    // A log that proves nothing any more is no reason for trust.
    site.0.lock().unwrap().clear();
    site.is_kept_by(&honest, 8, 0);
    assert_eq!(witness(&url, folder.path(), &[]).await.code, 1);
    assert_eq!(kept(folder.path()), before);
    site.is_kept_by(&honest, 8, 5);
    assert_eq!(witness(&url, folder.path(), &[]).await.code, 0);
}
