//! Hash chains that services recompute.

use std::process::ExitCode;
use std::time::Duration;

use crate::output::say;

/// The time for recomputing a whole chain.
pub const VERIFY_LIMIT: Duration = Duration::from_mins(10);

/// What a service found when it recomputed a hash chain.
pub struct Chain<'a> {
    /// The chain, in capitals.
    pub name: &'static str,
    /// What a number in it stands for.
    pub unit: &'static str,
    /// The last number; 0 for none.
    pub sequence: i64,
    /// Its hash.
    pub hash: &'a str,
    /// The first number that does not fit; 0 if all do.
    pub broken_sequence: i64,
    /// What is wrong there.
    pub detail: &'a str,
}

impl Chain<'_> {
    /// Shows it; fails where the chain is broken.
    pub fn say(&self) -> ExitCode {
        let Self {
            name, unit, hash, ..
        } = self;
        if self.broken_sequence > 0 {
            say(&format!(
                "{name} IS BROKEN at {unit} {}: {}",
                self.broken_sequence, self.detail
            ));
            return ExitCode::FAILURE;
        }
        if self.sequence > 0 {
            say(&format!(
                "the chain holds; the hash of {unit} {} is {hash}",
                self.sequence
            ));
        }
        ExitCode::SUCCESS
    }
}
