//! Texts in files that people open with a spreadsheet.

/// The text, behind an apostrophe if a spreadsheet would run it as a formula, also after spaces and in full width. A
/// text that begins with an apostrophe of its own looks the same.
pub fn inert(text: &str) -> String {
    let is_formula = text.trim_start().starts_with([
        '=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
    ]);
    if is_formula || text.starts_with(['\t', '\r', '\n']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// The same for a telephone number: one of digits after a plus is a number in every spreadsheet and stays as it is.
pub fn inert_phone(text: &str) -> String {
    match text.strip_prefix('+') {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.to_owned()
        }
        _ => inert(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_begin_with_an_apostrophe() {
        for text in [
            "=1+1", "+49151", "-2+3", "@SUM(A1)", "\tx", "\rx", "  =1+1", "＝1+1", "-",
        ] {
            assert_eq!(inert(text), format!("'{text}"));
        }
        for text in ["", "1+1", "Ada = Lovelace", "'=1"] {
            assert_eq!(inert(text), text);
        }
    }

    #[test]
    fn a_telephone_number_keeps_its_plus_and_nothing_else_does() {
        assert_eq!(inert_phone("+4915112345678"), "+4915112345678");
        for text in ["+", "+49 151", "+1+1", "=1"] {
            assert_eq!(inert_phone(text), format!("'{text}"));
        }
    }
}
