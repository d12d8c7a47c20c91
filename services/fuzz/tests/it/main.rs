//! Every target with its corpus and with seeded mutations of it. A failure names the smallest input
//! that proptest found: add it to the corpus together with the fix.
#![allow(
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test may fail by panicking"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use adfolio_fuzz::{Check, TARGETS};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

/// Mutated inputs of each target, unless ADFOLIO_MUTATIONS is set.
const MUTATED_INPUTS: u32 = 4_000;

/// The same inputs in every run, unless ADFOLIO_MUTATIONS_SEED is set.
const SEED: u64 = 20_261_122;

/// Steps from an input of the corpus to a mutated one.
const STEPS_MAX: usize = 6;

/// A mutated input is cut to this length.
const LONGEST_INPUT: usize = 4_096;

/// Tokens that parsers give a meaning to.
const PIECES: [&str; 32] = [
    "\n",
    "\r\n",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "=",
    "&",
    "%00",
    "%",
    "+",
    "-",
    ".",
    "0",
    "00",
    "9999999999",
    "9223372036854775807",
    "-9223372036854775808",
    "1e400",
    "null",
    "true",
    "\u{1f}",
    "\u{0}",
    "\u{feff}",
    "é",
    "𝟙",
];

/// A mutated input, shown as a source literal.
struct Input(Vec<u8>);

impl std::fmt::Debug for Input {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "b\"{}\"", self.0.escape_ascii())
    }
}

/// A step of a mutation.
#[derive(Clone, Debug)]
enum Step {
    Replace(Index, u8),
    Insert(Index, &'static str),
    Delete(Index, usize),
    Repeat(Index, usize),
    /// Continues with the end of another input of the corpus.
    Splice(Index, Vec<u8>),
}

#[test]
fn cursor() {
    run("cursor");
}

#[test]
fn event() {
    run("event");
}

#[test]
fn headers() {
    run("headers");
}

#[test]
fn import() {
    run("import");
}

#[test]
fn money() {
    run("money");
}

#[test]
fn request() {
    run("request");
}

#[test]
fn time_zone() {
    run("time_zone");
}

#[test]
fn every_target_has_a_corpus_and_a_program() {
    for (name, _) in TARGETS {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(
            root.join("fuzz_targets")
                .join(format!("{name}.rs"))
                .exists(),
            "{name}"
        );
        assert!(corpus(name).len() > 3, "{name}");
    }
}

fn run(name: &str) {
    let (_, check) = TARGETS
        .into_iter()
        .find(|(target, _)| *target == name)
        .expect("a target");
    let corpus = corpus(name);
    for (file, data) in &corpus {
        assert!(
            catch_unwind(AssertUnwindSafe(|| check(data))).is_ok(),
            "{file}"
        );
    }
    mutate(check, corpus.into_iter().map(|(_, data)| data).collect());
}

fn mutate(check: Check, corpus: Vec<Vec<u8>>) {
    let config = Config {
        cases: setting("ADFOLIO_MUTATIONS").unwrap_or(MUTATED_INPUTS),
        rng_seed: RngSeed::Fixed(setting("ADFOLIO_MUTATIONS_SEED").unwrap_or(SEED)),
        // The corpus keeps known failures.
        failure_persistence: None,
        ..Config::default()
    };
    let input = (select(corpus.clone()), vec(step(corpus), 1..=STEPS_MAX))
        .prop_map(|(data, steps)| Input(steps.into_iter().fold(data, apply)));
    let outcome = TestRunner::new(config).run(&input, |input| {
        catch_unwind(AssertUnwindSafe(|| check(&input.0)))
            .map_err(|_| TestCaseError::fail("the check panicked, see above"))
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

fn step(corpus: Vec<Vec<u8>>) -> impl Strategy<Value = Step> {
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(place, byte)| Step::Replace(place, byte)),
        (any::<Index>(), select(&PIECES[..])).prop_map(|(place, piece)| Step::Insert(place, piece)),
        (any::<Index>(), 1..20_usize).prop_map(|(place, count)| Step::Delete(place, count)),
        (any::<Index>(), 1..40_usize).prop_map(|(place, count)| Step::Repeat(place, count)),
        (any::<Index>(), select(corpus)).prop_map(|(place, other)| Step::Splice(place, other)),
    ]
}

fn apply(mut data: Vec<u8>, step: Step) -> Vec<u8> {
    // An empty input has a position, too.
    let at = |place: Index| place.index(data.len() + 1);
    match step {
        Step::Replace(place, byte) => {
            let at = at(place);
            if let Some(old) = data.get_mut(at) {
                *old = byte;
            }
        }
        Step::Insert(place, piece) => {
            let at = at(place);
            data.splice(at..at, piece.bytes());
        }
        Step::Delete(place, count) => {
            let at = at(place);
            data.drain(at..data.len().min(at + count));
        }
        Step::Repeat(place, count) => {
            let at = at(place);
            let part = data[at..data.len().min(at + count)].to_vec();
            data.splice(at..at, part);
        }
        Step::Splice(place, other) => {
            data.truncate(at(place));
            data.extend_from_slice(&other[place.index(other.len() + 1)..]);
        }
    }
    data.truncate(LONGEST_INPUT);
    data
}

/// The inputs of a target, by the names of their files.
fn corpus(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(name);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    let read = |file: std::path::PathBuf| {
        (
            file.display().to_string(),
            std::fs::read(&file).expect("a file"),
        )
    };
    files.into_iter().map(read).collect()
}

fn setting<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {text}")),
    )
}
