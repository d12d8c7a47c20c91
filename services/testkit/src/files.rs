//! The limit of open files and connections.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Raises the process's limit to `count` open files and connections. The usual limit of a shell is
/// too low for a test with many connections, but may be raised up to a hard limit.
pub fn raise_file_limit(count: usize) {
    let count = u64::try_from(count).expect("a count");
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).expect("the limit of open files");
    if soft < count {
        setrlimit(Resource::RLIMIT_NOFILE, count, hard)
            .unwrap_or_else(|error| panic!("{count} open files, of {hard}: {error}"));
    }
}
