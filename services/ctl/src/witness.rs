//! `adfolioctl witness`: follows the checkpoints of an installation from outside.
//!
//! It keeps the newest checkpoint in a folder. A new one must be signed and must continue the kept one. The operator
//! of the ledger cannot rewrite history that a witness has seen without being detected.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use adfolio_proof::note::{Kind, Signer, Verifier};
use adfolio_proof::tree::{State, verify_consistency};
use anyhow::Context as _;
use bytes::Bytes;
use chrono::Utc;
use clap::Args;
use http::Method;
use serde_json::Value;

use crate::api::Api;
use crate::output::{complain, say};
use crate::verify::Consistency;

/// Looks in a row without an answer after which it gives up.
const UNANSWERED_MAX: u32 = 12;

/// The newest checkpoint, in the witness's folder.
const KEPT: &str = "checkpoint";

/// Follows the checkpoints of an installation from outside; exits with 1 if its history was rewritten
#[derive(Args, Debug)]
pub struct Witness {
    /// Address of the API, for example https://adfolio.example/api
    #[arg(long)]
    url: String,
    /// The key of the checkpoints, NAME+KEY ID+BASE64
    #[arg(long)]
    key: Verifier,
    /// Folder that keeps the newest checkpoint
    #[arg(long)]
    state: PathBuf,
    /// File with an Ed25519 key of your own that cosigns what was checked: 32 bytes in hex, or PKCS#8 as PEM
    #[arg(long, requires = "name")]
    cosign: Option<PathBuf>,
    /// Your name in cosignatures
    #[arg(long)]
    name: Option<String>,
    /// Look once instead of forever
    #[arg(long)]
    once: bool,
    /// Seconds between two looks
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    interval_seconds: u64,
}

/// What a look found, besides errors that may pass.
enum Found {
    /// In a sentence.
    Fine(String),
    /// A contradiction to what was seen before, or a forgery.
    Broken(String),
}

impl Witness {
    /// Runs the command.
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let api = Api::new(&self.url)?;
        let cosigner = self.cosigner()?;
        fs::create_dir_all(&self.state)
            .with_context(|| format!("cannot create {}", self.state.display()))?;
        if let Some(cosigner) = &cosigner {
            say(&format!("cosigning as {}", cosigner.verifier()));
        }
        let mut unanswered = 0;
        loop {
            match self.look(&api, cosigner.as_ref()).await {
                Ok(Found::Fine(line)) => {
                    unanswered = 0;
                    say(&line);
                }
                Ok(Found::Broken(line)) => {
                    complain(&line);
                    return Ok(ExitCode::FAILURE);
                }
                Err(error) => {
                    unanswered += 1;
                    // Who has something to hide does not answer, either.
                    if self.once || unanswered >= UNANSWERED_MAX {
                        return Err(error);
                    }
                    complain(&format!("{error:#}"));
                }
            }
            if self.once {
                return Ok(ExitCode::SUCCESS);
            }
            tokio::time::sleep(Duration::from_secs(self.interval_seconds)).await;
        }
    }

    fn cosigner(&self) -> anyhow::Result<Option<Signer>> {
        let (Some(file), Some(name)) = (&self.cosign, &self.name) else {
            return Ok(None);
        };
        let key = fs::read_to_string(file);
        let key = key.with_context(|| format!("cannot read {}", file.display()))?;
        Ok(Some(Signer::new(name, Kind::Witness, &key)?))
    }

    async fn look(&self, api: &Api, cosigner: Option<&Signer>) -> anyhow::Result<Found> {
        let kept = self.kept()?;
        let note = read(api, "checkpoint").await?;
        let new = match self.key.open(&note) {
            Ok(new) => new,
            Err(error) => {
                self.keep(&format!("refused-{}", Utc::now().timestamp()), &note)?;
                return Ok(Found::Broken(format!(
                    "THE CHECKPOINT IS NOT THE LOG'S: {error}"
                )));
            }
        };
        if let Some(kept) = kept
            && let Some(contradiction) = contradiction(api, kept, new.state).await?
        {
            // The proof for others: both are signed by the log.
            self.keep(&format!("contradicts-{}", new.state.size), &note)?;
            return Ok(Found::Broken(contradiction));
        }
        let note = match cosigner {
            Some(cosigner) => cosigner.cosign(&note, Utc::now())?,
            None => note,
        };
        self.keep(KEPT, &note)?;
        let found = format!("{} heads of {}", new.state.size, new.time);
        Ok(Found::Fine(match kept {
            None => format!("first checkpoint: {found}; it is trusted from now on"),
            Some(kept) => format!("{found} continue the {} known", kept.size),
        }))
    }

    /// The state that was seen last.
    fn kept(&self) -> anyhow::Result<Option<State>> {
        let file = self.state.join(KEPT);
        let note = match fs::read_to_string(&file) {
            Ok(note) => note,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| file.display().to_string()),
        };
        let kept = self.key.open(&note);
        let kept = kept.with_context(|| format!("{} is not of this log", file.display()))?;
        Ok(Some(kept.state))
    }

    /// Writes a file whole or not at all.
    fn keep(&self, name: &str, note: &str) -> anyhow::Result<()> {
        write_whole(&self.state, name, note)
            .with_context(|| format!("cannot write {}", self.state.join(name).display()))
    }
}

fn write_whole(folder: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    let mut draft = tempfile::NamedTempFile::new_in(folder)?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    draft.persist(folder.join(name))?;
    File::open(folder)?.sync_all()?;
    Ok(())
}

async fn read(api: &Api, path: &str) -> anyhow::Result<String> {
    api.text(api.request(Method::GET, path), Bytes::new()).await
}

/// How a state contradicts the one that was seen before, if it does.
async fn contradiction(api: &Api, kept: State, new: State) -> anyhow::Result<Option<String>> {
    if new.size < kept.size {
        return Ok(Some(format!(
            "THE LOG SHRANK: it had {} heads, and now has {}",
            kept.size, new.size
        )));
    }
    let rewritten = format!(
        "HISTORY WAS REWRITTEN: the log of {} heads does not continue the one of {} heads that was seen before",
        new.size, kept.size
    );
    if new.size == kept.size {
        return Ok((new.root != kept.root).then_some(rewritten));
    }
    let path = format!(
        "checkpoint/consistency?first={}&second={}",
        kept.size, new.size
    );
    let answer: Value = serde_json::from_str(&read(api, &path).await?)?;
    let data = answer.get("data").cloned().unwrap_or_default();
    let consistency: Consistency =
        serde_json::from_value(data).context("no consistency proof came")?;
    let path = consistency.hashes()?;
    Ok(verify_consistency(kept, new, &path)
        .is_err()
        .then_some(rewritten))
}
