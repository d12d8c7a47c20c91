//! How many files and connections a test may have open.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Lets this process have `count` files and connections open. Usual limits of a shell are lower than what a test with many
/// connections needs, but may be raised up to a second one.
pub fn raise_file_limit(count: usize) {
    let count = u64::try_from(count).expect("a count");
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).expect("the limit of open files");
    if soft < count {
        setrlimit(Resource::RLIMIT_NOFILE, count, hard)
            .unwrap_or_else(|error| panic!("{count} open files, of {hard}: {error}"));
    }
}
