//! Transaction passwords that anyone would try first. Passwords arrive as MD5, so the list is one of MD5s.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

use md5::{Digest, Md5};

use super::entity::PinDigest;

/// Years that people were born in, as the beginning of a password that goes on with a month.
const YEARS: std::ops::RangeInclusive<u32> = 1940..=2029;

/// Rows of keys, counting, and what else is known from leaks.
const KNOWN: [&str; 44] = [
    "000001", "000007", "001001", "010203", "100000", "100001", "102030", "110110", "110120",
    "112358", "121314", "123000", "123465", "123654", "124578", "131415", "135246", "135790",
    "135791", "142536", "142857", "145236", "147258", "147369", "147852", "147896", "159357",
    "159753", "159951", "168168", "200000", "258369", "258456", "314159", "321654", "357159",
    "369258", "456852", "520131", "520520", "741852", "789456", "852456", "963852",
];

static WEAK: LazyLock<HashSet<String>> =
    LazyLock::new(|| candidates().iter().map(md5_of).collect());

/// Whether this is the digest of a password that is too easy to guess.
pub(super) fn is_weak(password: &PinDigest) -> bool {
    WEAK.contains(password.expose())
}

fn candidates() -> HashSet<String> {
    let mut weak: HashSet<String> = KNOWN.iter().map(|&known| known.to_owned()).collect();
    let digit = |number: u32| char::from_digit(number % 10, 10).unwrap_or('0');
    for start in 0..10 {
        // 123456, 890123 and the like, both ways; 999999 is a pattern below.
        weak.insert((0..6).map(|step| digit(start + step)).collect());
        weak.insert((0..6).map(|step| digit(start + 10 - step)).collect());
    }
    for number in 0..1000 {
        let (a, b, c) = (digit(number / 100), digit(number / 10), digit(number));
        for pattern in [
            [a, b, c, a, b, c],
            [a, b, c, c, b, a],
            [a, a, b, b, c, c],
            [a, b, a, b, a, b],
            [a, a, a, b, b, b],
            [a, a, a, a, b, c],
            [b, c, a, a, a, a],
        ] {
            weak.insert(pattern.iter().collect());
        }
    }
    for year in YEARS {
        for month in 1..=12 {
            weak.insert(format!("{year}{month:02}"));
            weak.insert(format!("{month:02}{year}"));
        }
    }
    weak
}

#[allow(clippy::ptr_arg, reason = "maps a set of strings")]
fn md5_of(text: &String) -> String {
    let digest = Md5::digest(text.as_bytes());
    digest.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(digits: &str) -> bool {
        let digest = md5_of(&digits.to_owned());
        is_weak(&PinDigest::parse(&digest, "password").expect("a digest"))
    }

    #[test]
    fn what_anyone_tries_first_is_refused() {
        for digits in [
            "000000", "999999", "123456", "654321", "987654", "012345", "678901", "098765",
            "121212", "123123", "112233", "123321", "111222", "159753", "147258", "199001",
            "121990", "888812", "520520",
        ] {
            assert!(refused(digits), "{digits}");
        }
    }

    #[test]
    fn most_are_accepted() {
        for digits in ["246810", "583920", "907163", "481516", "730194"] {
            assert!(!refused(digits), "{digits}");
        }
        let weak = candidates();
        assert!((5_000..12_000).contains(&weak.len()), "{}", weak.len());
        assert!(
            weak.iter()
                .all(|digits| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        );
    }
}
