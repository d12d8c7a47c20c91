//! Parts of what not everybody may see in full: account numbers, codes, addresses.

/// What stands for hidden characters, however many they are.
pub const HIDDEN: &str = "****";

/// The first and the last characters of a text, the rest hidden. A text that is no longer than what would be shown is
/// hidden but for its last characters.
pub fn ends(text: &str, first: usize, last: usize) -> String {
    let length = text.chars().count();
    let first = if length > first + last { first } else { 0 };
    let begin: String = text.chars().take(first).collect();
    let end: String = text.chars().skip(length.saturating_sub(last)).collect();
    format!("{begin}{HIDDEN}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_ends_are_shown() {
        assert_eq!(ends("DEMO-LICENSE-0001", 0, 4), "****0001");
        assert_eq!(
            ends("TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", 4, 4),
            "TJRa****RTv8"
        );
        assert_eq!(ends("größer", 1, 2), "g****er");
        assert_eq!(ends("short", 4, 4), "****hort");
        assert_eq!(ends("", 4, 4), "****");
    }
}
