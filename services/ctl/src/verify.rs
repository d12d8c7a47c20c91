//! `adfolioctl verify`: a statement against signed checkpoints, without a connection.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adfolio_proof::note::Verifier;
use adfolio_proof::statement::Chain;
use adfolio_proof::tree::{Hash, Head, State, parse_hash, verify_consistency, verify_inclusion};
use anyhow::{Context as _, anyhow};
use clap::Args;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::files::read_json;
use crate::output::{complain, say};

/// Verifies a statement against signed checkpoints, without a connection; exits with 1 if anything is broken
#[derive(Args, Debug)]
pub struct Verify {
    /// Statements of one user (CSV), oldest first, each going on where the one before ends
    #[arg(required = true)]
    statements: Vec<PathBuf>,
    /// Answer of GET /transaction_flow/proof; several may be given, also older ones
    #[arg(long, required = true)]
    proof: Vec<PathBuf>,
    /// The key of the checkpoints, NAME+KEY ID+BASE64; from somebody you trust, not from the installation alone
    #[arg(long)]
    key: Verifier,
    /// A checkpoint (signed note) that you or a witness kept earlier
    #[arg(long)]
    checkpoint: Vec<PathBuf>,
    /// Answer of GET /checkpoint/consistency between the sizes of an earlier checkpoint and of a proof
    #[arg(long)]
    consistency: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct Proof {
    leaf: String,
    index: u64,
    size: u64,
    path: Vec<String>,
    note: String,
    #[serde(default)]
    links: Vec<String>,
}

#[derive(Deserialize)]
pub(crate) struct Consistency {
    path: Vec<String>,
}

impl Consistency {
    pub(crate) fn hashes(&self) -> anyhow::Result<Vec<Hash>> {
        hashes(&self.path)
    }
}

fn hashes(path: &[String]) -> anyhow::Result<Vec<Hash>> {
    let hashes: Option<_> = path.iter().map(|hash| parse_hash(hash)).collect();
    hashes.context("a path has something else than hashes")
}

impl Verify {
    /// Runs the command.
    pub fn run(&self) -> ExitCode {
        match self.verify() {
            Ok(lines) => {
                say(&lines.join("\n"));
                ExitCode::SUCCESS
            }
            Err(error) => {
                complain(&format!("NOT VERIFIED: {error:#}"));
                ExitCode::FAILURE
            }
        }
    }

    /// What holds, in sentences.
    fn verify(&self) -> anyhow::Result<Vec<String>> {
        let chain = self.chain()?;
        let mut lines = vec![format!(
            "The hashes of transactions {} to {} of user {} fit.",
            chain.first,
            chain.last(),
            chain.user_id
        )];
        let mut states: Vec<State> = Vec::new();
        for file in &self.proof {
            let (state, line) = self.prove(&chain, file).with_context(|| shown(file))?;
            // The statement leads to the heads of both, so states of other sizes need no more.
            if let Some(other) = states.iter().find(|other| other.size == state.size) {
                self.agree(*other, state).with_context(|| shown(file))?;
            }
            states.push(state);
            lines.push(line);
        }
        for file in &self.checkpoint {
            let state = self.opened(file)?;
            for proven in &states {
                self.agree(state, *proven).with_context(|| shown(file))?;
            }
            lines.push(format!(
                "The earlier checkpoint of {} heads is part of the same history.",
                state.size
            ));
        }
        Ok(lines)
    }

    fn chain(&self) -> anyhow::Result<Chain> {
        let read = |file: &PathBuf| std::fs::read(file).with_context(|| shown(file));
        let statements: anyhow::Result<Vec<_>> = self.statements.iter().map(read).collect();
        let statements = statements?;
        Ok(Chain::read(statements.iter().map(Vec::as_slice))?)
    }

    /// That the chain leads to the head of a proof, and the proof to a signed checkpoint.
    fn prove(&self, chain: &Chain, file: &Path) -> anyhow::Result<(State, String)> {
        let proof: Proof = answer(file)?;
        let checkpoint = self.key.open(&proof.note)?;
        let head: Head = proof.leaf.parse()?;
        let (state, path) = (checkpoint.state, hashes(&proof.path)?);
        if proof.size != state.size {
            return Err(anyhow!("the proof is not of its checkpoint"));
        }
        verify_inclusion(head.leaf_hash(), proof.index, state.size, state.root, &path)
            .context("the head is not in the checkpoint")?;
        if head.user_id != chain.user_id {
            return Err(anyhow!("the published head is another user's"));
        }
        if head.seq < chain.first {
            return Err(anyhow!(
                "the published head, transaction {}, comes before the statement",
                head.seq
            ));
        }
        if head.seq > chain.last() && proof.links.is_empty() {
            return Err(anyhow!(
                "the published head, transaction {}, comes after the statement: add the statements up to it",
                head.seq
            ));
        }
        if !chain.leads_to(&head, &proof.links) {
            return Err(anyhow!(
                "the statement is not what was published: it does not lead to the hash of transaction {}",
                head.seq
            ));
        }
        let line = format!(
            "They lead to the hash of transaction {}, published in the checkpoint of {} ({} heads) and signed by {}.",
            head.seq,
            checkpoint.time,
            state.size,
            self.key.name()
        );
        Ok((state, line))
    }

    fn opened(&self, file: &Path) -> anyhow::Result<State> {
        let note = std::fs::read_to_string(file).with_context(|| shown(file))?;
        Ok(self.key.open(&note).with_context(|| shown(file))?.state)
    }

    /// That two states belong to one history.
    fn agree(&self, one: State, other: State) -> anyhow::Result<()> {
        let (earlier, later) = if one.size <= other.size {
            (one, other)
        } else {
            (other, one)
        };
        if earlier.size == later.size {
            return if earlier.root == later.root {
                Ok(())
            } else {
                Err(anyhow!(
                    "HISTORY WAS REWRITTEN: two checkpoints of {} heads have different roots",
                    later.size
                ))
            };
        }
        for file in &self.consistency {
            let path = answer::<Consistency>(file)?.hashes()?;
            if verify_consistency(earlier, later, &path).is_ok() {
                return Ok(());
            }
        }
        let sizes = format!("first={}&second={}", earlier.size, later.size);
        Err(if self.consistency.is_empty() {
            anyhow!("add the answer of GET /checkpoint/consistency?{sizes} with --consistency")
        } else {
            anyhow!("HISTORY WAS REWRITTEN, or this is not the answer of {sizes}")
        })
    }
}

/// An answer of the API, as a file: the whole envelope or its data.
fn answer<T: DeserializeOwned>(file: &Path) -> anyhow::Result<T> {
    let mut answer: Value = read_json(file)?;
    if let Some(data) = answer.get_mut("data") {
        answer = data.take();
    }
    serde_json::from_value(answer)
        .with_context(|| format!("{} is not as it should be", file.display()))
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}
