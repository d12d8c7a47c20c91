//! The statement as a file that people open in a spreadsheet, and as a document.

use adfolio_gateway::dto::wallet::FlowEntry;
use adfolio_gateway::lang::Lang;
use adfolio_gateway::pdf::fonts::Weight;
use adfolio_gateway::pdf::paper::Sheet;
use adfolio_gateway::pdf::statement::Statement;
use adfolio_kit::time_zone::TimeZone;
use adfolio_proof::statement::{Chain, StatementError};
use adfolio_proto::wallet::v1 as wallet;
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

/// A name in every script that the interface has, and one that no font has.
const NAMES: &str = "Zoë Łukasz Анна Nguyễn สมชาย 王小明 さくら 김민수 \u{1f600}";

fn entry(kind: wallet::FlowType, minor: i64, balance: i64) -> FlowEntry {
    let entry = wallet::FlowEntry {
        id: "entry".to_owned(),
        time: Some(pbjson_types::Timestamp {
            seconds: 1_764_000_000,
            nanos: 0,
        }),
        r#type: kind.into(),
        amount_minor: minor,
        balance_after_minor: balance,
        account: wallet::WalletAccount::Available.into(),
        remark: NAMES.repeat(3),
        hash: vec![0xa5; 32],
        ..wallet::FlowEntry::default()
    };
    FlowEntry::from_proto(entry).unwrap()
}

fn document(lang: Lang, rows: i64) -> Statement {
    Statement {
        lang,
        zone: TimeZone::parse("Asia/Kathmandu"),
        month: "2025-11".to_owned(),
        currency: "USD".to_owned(),
        username: NAMES.to_owned(),
        user_id: "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f".to_owned(),
        drawn_up: DateTime::from_timestamp(1_764_000_000, 0).unwrap(),
        opening: 123_456_789,
        closing: 123_456_789 - rows,
        entries: (1..=rows)
            .map(|row| entry(wallet::FlowType::AdServing, -1, 123_456_789 - row))
            .collect(),
    }
}

#[test]
fn a_document_has_every_entry_on_numbered_pages() {
    let document = document(Lang::De, 100);
    let sheets = document.sheets().unwrap();
    let texts: Vec<&str> = sheets.iter().flat_map(Sheet::texts).collect();
    let count = |text: &str| texts.iter().filter(|found| **found == text).count();
    assert_eq!(count("\u{2212}0,01"), 100);
    assert_eq!(count("Budget bezahlt"), 100);
    // In Kathmandu, a quarter of an hour off the hour.
    assert_eq!(count("2025-11-24 21:45"), 101);
    assert_eq!((count("1.234.567,89"), count("1.234.566,89")), (1, 2));
    assert_eq!(count("\u{2212}1,00"), 1);
    let pages = sheets.len();
    assert!(pages > 1, "{pages}");
    for page in 1..=pages {
        assert_eq!(count(&format!("Seite {page} von {pages}")), 1);
    }
    assert_eq!(texts.iter().filter(|text| text.contains("a5a5")).count(), 1);
    let printed = document.print().unwrap();
    assert!(printed.starts_with(b"%PDF-"));
    // Only what is used of the fonts is embedded.
    assert!(printed.len() < 200_000, "{}", printed.len());
}

#[test]
fn every_language_has_its_words_and_letters() {
    let english = document(Lang::En, 1).sheets().unwrap();
    for lang in Lang::ALL {
        let sheets = document(lang, 1).sheets().unwrap();
        let written = |sheets: &[Sheet]| -> Vec<String> {
            sheets
                .iter()
                .flat_map(Sheet::texts)
                .map(str::to_owned)
                .collect()
        };
        let texts = written(&sheets);
        for weight in [Weight::Regular, Weight::Bold] {
            let missing = weight.typeface().unwrap().missing(&texts.concat());
            assert_eq!(missing.trim_matches('\u{1f600}'), "", "{lang:?} {weight:?}");
        }
        assert_eq!(texts.len(), written(&english).len(), "{lang:?}");
        assert!(
            lang == Lang::En || !texts.contains(&"Opening balance".to_owned()),
            "{lang:?}"
        );
        document(lang, 0).print().unwrap();
    }
}

#[tokio::test]
async fn a_document_is_the_months_entries_with_the_balances_around_them() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (user, token) = stack.user(&admin).await;
    for _ in 0..3 {
        let deposit = json!({"user_id": user, "amount": "12.50", "remark": "transfer"});
        stack
            .post("/admin/wallet/deposit", &admin, &deposit)
            .await
            .ok();
    }
    let month = Utc::now().format("%Y-%m");
    let path = format!("/transaction_flow/statement/pdf?month={month}");
    let response = stack.raw(&path, &token).await;
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/pdf");
    let disposition = format!("attachment; filename=\"adfolio-statement-{month}.pdf\"");
    assert_eq!(header("content-disposition"), disposition);
    let printed = response.bytes().await.unwrap();
    assert!(printed.starts_with(b"%PDF-") && printed.len() > 5_000);
}
