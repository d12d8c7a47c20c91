//! Acceptable passwords: long enough, and not among the common ones that an attacker tries first.

use std::collections::HashSet;
use std::sync::LazyLock;

const SHORTEST: usize = 8;
const LONGEST: usize = 128;

/// Passwords known from leaks, in small letters, one per line.
static COMMON: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("common.txt").lines().collect());

/// Whether a new password may be used. There are no composition rules: they make passwords worse, not better.
pub fn is_acceptable(password: &str) -> bool {
    is_possible(password) && !COMMON.contains(password.to_lowercase().as_str())
}

/// Whether a password could be anyone's, by its length.
pub fn is_possible(password: &str) -> bool {
    (SHORTEST..=LONGEST).contains(&password.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_counts_characters() {
        assert!(!is_acceptable("sieben7"));
        assert!(is_acceptable("achtacht"));
        assert!(is_acceptable("öüäöüäöü"));
        assert!(is_acceptable(&"lang".repeat(32)));
        assert!(!is_acceptable(&"x".repeat(129)));
    }

    #[test]
    fn common_ones_are_refused_in_any_case() {
        for password in [
            "password",
            "PassWord1",
            "12345678",
            "qwertyuiop",
            "iloveyou",
            "!QAZ2wsx",
        ] {
            assert!(!is_acceptable(password), "{password}");
        }
        assert!(is_acceptable("adfolio-demo-1"));
    }

    #[test]
    fn the_list_is_clean() {
        assert!(COMMON.len() > 500);
        for line in COMMON.iter() {
            assert!(
                is_possible(line) && line.to_lowercase() == *line && line.trim() == *line,
                "{line}"
            );
        }
    }
}
