//! Pages and cursors.

use adfolio_kit::pagination::{Cursor, Page};
use proptest::prelude::*;

#[test]
fn limits_are_one_to_a_hundred() {
    assert_eq!(Page::new(0).unwrap().limit(), 20);
    assert_eq!(Page::new(1).unwrap().limit(), 1);
    assert_eq!(Page::new(100).unwrap().limit(), 100);
    assert_eq!(Page::new(101).unwrap_err().field.as_deref(), Some("limit"));
}

#[test]
fn there_is_a_next_page_only_when_a_row_is_left() {
    let page = Page::new(2).unwrap();
    assert_eq!(page.fetch(), 3);
    assert_eq!(
        page.cut(vec![1, 2], ToString::to_string),
        (vec![1, 2], None)
    );
    assert_eq!(
        page.cut(vec![1, 2, 3], ToString::to_string),
        (vec![1, 2], Some("2".to_owned()))
    );
}

#[test]
fn a_cursor_of_another_list_or_owner_is_refused() {
    let cursor = Cursor::new("wallet.flow", "user-1").encode(&["2026-11-20", "17"]);
    assert_eq!(
        Cursor::new("wallet.flow", "user-1")
            .decode(&cursor, 2)
            .unwrap(),
        ["2026-11-20", "17"]
    );
    for (other, count) in [
        (Cursor::new("wallet.flow", "user-2"), 2),
        (Cursor::new("plan.list", "user-1"), 2),
        (Cursor::new("wallet.flow", "user-1"), 1),
    ] {
        assert_eq!(
            other.decode(&cursor, count).unwrap_err().field.as_deref(),
            Some("cursor")
        );
    }
}

proptest! {
    #[test]
    fn no_text_breaks_a_cursor(text in ".{0,200}") {
        let _ = Cursor::new("list", "owner").decode(&text, 1);
    }

    #[test]
    fn fields_come_back(fields in prop::collection::vec("[^\u{1f}]{0,30}", 1..4)) {
        let cursor = Cursor::new("list", "owner");
        let texts: Vec<&str> = fields.iter().map(String::as_str).collect();
        prop_assert_eq!(cursor.decode(&cursor.encode(&texts), fields.len()).unwrap(), fields);
    }
}
