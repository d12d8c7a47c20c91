//! The statement as a file that people open in a spreadsheet.

use adfolio_proof::statement::{Chain, StatementError};
use chrono::{DateTime, Utc};
use serde_json::json;

use crate::stack::Stack;

const COLUMNS: [&str; 20] = [
    "sequence",
    "time",
    "transaction_id",
    "type",
    "available_change",
    "to_be_consumed_change",
    "to_be_settled_change",
    "withdrawing_change",
    "available",
    "to_be_consumed",
    "to_be_settled",
    "withdrawing",
    "reference",
    "remark",
    "previous_hash",
    "hash",
    "user_id",
    "guarantee_change",
    "details",
    "undisclosed",
];

#[tokio::test]
async fn a_statement_says_what_its_hashes_cover_and_runs_no_formula() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (user, token) = stack.user(&admin).await;
    let remarks = [
        ("=1+1, \"x\"", "'=1+1, \"x\""),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("-2", "'-2"),
        ("+2", "'+2"),
        ("deposit = paid", "deposit = paid"),
    ];
    for (remark, _) in remarks {
        let deposit = json!({"user_id": user, "amount": "12.50", "remark": remark});
        stack
            .post("/admin/wallet/deposit", &admin, &deposit)
            .await
            .ok();
    }

    let month = Utc::now().format("%Y-%m");
    let path = format!("/transaction_flow/statement?month={month}");
    let text = stack.raw(&path, &token).await.text().await.unwrap();
    let mut file = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(file.headers().unwrap(), &COLUMNS[..]);
    let rows: Vec<csv::StringRecord> = file.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), remarks.len());

    let mut previous = "0".repeat(64);
    for (index, (row, (_, written))) in rows.iter().zip(remarks).enumerate() {
        let cell = |name| &row[COLUMNS.iter().position(|column| *column == name).unwrap()];
        let number = index + 1;
        assert_eq!(cell("sequence"), number.to_string());
        assert_eq!(cell("type"), "deposit");
        assert_eq!(cell("available_change"), "12.50");
        let available = format!("{}.{}0", number * 1250 / 100, number * 1250 / 10 % 10);
        assert_eq!(cell("available"), available);
        assert_eq!(cell("to_be_consumed"), "0.00");
        assert_eq!(cell("remark"), written);
        assert_eq!(cell("user_id"), user);
        assert_eq!(cell("guarantee_change"), "0.00");
        for hash in ["details", "undisclosed"] {
            assert_eq!(hex::decode(cell(hash)).unwrap().len(), 32);
        }
        // To the microsecond, as the hash covers it.
        assert_eq!(cell("time").len(), "2026-11-18T11:06:40.123456Z".len());
        assert!(cell("time").parse::<DateTime<Utc>>().is_ok());
        assert_eq!(cell("previous_hash"), previous);
        previous = cell("hash").to_owned();
        assert_eq!(hex::decode(&previous).unwrap().len(), 32);
    }
    // The mark before a formula hides no remark from the one who verifies.
    assert!(Chain::read([text.as_bytes()]).is_ok());
    let other = text.replacen("deposit = paid", "deposit = lost", 1);
    assert_eq!(
        Chain::read([other.as_bytes()]),
        Err(StatementError::Changed(5))
    );
}
