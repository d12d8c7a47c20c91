//! Importing delivery reports.

use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::*;
use adfolio_testkit::eventually;

use crate::helpers::{Plan, *};

const HEADER: &str = "report_id,plan_number,time,impressions,clicks,spend,revenue\n";

async fn plans(stack: &Plan, count: usize) -> (Caller, Vec<pb::Plan>) {
    let product = stack.product().await;
    let caller = stack.user_with(1_000_000).await;
    let mut plans = Vec::new();
    for _ in 0..count {
        plans.push(stack.put(&caller, &product, 100_000).await.unwrap());
    }
    (caller, plans)
}

/// What became of the rows of an import.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    read: i64,
    applied: i64,
    repeated: i64,
    restated: i64,
    rejected: i64,
}

fn outcome(summary: &ImportDeliveryResponse) -> Outcome {
    Outcome {
        read: summary.read,
        applied: summary.applied,
        repeated: summary.repeated_rows,
        restated: summary.restated,
        rejected: summary.rejected_count,
    }
}

fn reasons(summary: &ImportDeliveryResponse) -> Vec<(i64, &str)> {
    summary
        .rejected
        .iter()
        .map(|row| (row.line, row.reason.as_str()))
        .collect()
}

#[tokio::test]
async fn the_same_file_twice_changes_nothing() {
    let stack = Plan::spawn().await;
    let (caller, plans) = plans(&stack, 1).await;
    let number = &plans[0].plan_number;
    let rows: Vec<String> = (0..2_500)
        .map(|row| {
            format!(
                "r{row},{number},2026-11-{}T{:02}:{:02}:00Z,10,1,0.010000001,0.0153\n",
                17 + row / 1_440,
                row / 60 % 24,
                row % 60
            )
        })
        .collect();
    let file = format!("{HEADER}{}", rows.concat());
    assert_eq!(
        outcome(&stack.import("network-a", "{}", &file).await),
        Outcome {
            read: 2_500,
            applied: 2_500,
            ..Outcome::default()
        }
    );
    let once = stack.plan(&caller, &plans[0].id).await;
    assert_eq!(once.impressions, 25_000);
    assert_eq!(once.clicks, 2_500);
    assert_eq!(once.consumed_minor, 2_500);
    assert_eq!(once.revenue_minor, 3_825);
    assert_eq!(
        outcome(&stack.import("network-a", "{}", &file).await),
        Outcome {
            read: 2_500,
            repeated: 2_500,
            ..Outcome::default()
        }
    );
    assert_eq!(stack.plan(&caller, &plans[0].id).await, once);
    assert_eq!(
        outcome(&stack.import("network-b", "{}", &file).await),
        Outcome {
            read: 2_500,
            applied: 2_500,
            ..Outcome::default()
        },
        "another source"
    );
}

#[tokio::test]
async fn two_imports_of_one_file_at_once_count_it_once() {
    let stack = Plan::spawn().await;
    let (caller, plans) = plans(&stack, 3).await;
    let rows: Vec<String> = (0..6_000)
        .map(|row| {
            format!(
                "r{row},{},2026-11-20T08:00:00Z,1,0,0.001,0.002\n",
                plans[row % 3].plan_number
            )
        })
        .collect();
    let file = format!("{HEADER}{}", rows.concat());
    // Four proposals, as their mappings differ by a blank.
    let mappings = ["{}", "{ }", " {}", "{} "];
    let imports = mappings.map(|mapping| stack.import("network-a", mapping, &file));
    let summaries = futures::future::join_all(imports).await;
    assert_eq!(
        summaries.iter().map(|summary| summary.applied).sum::<i64>(),
        6_000
    );
    assert_eq!(
        summaries
            .iter()
            .map(|summary| summary.repeated_rows)
            .sum::<i64>(),
        18_000
    );
    let statistics = stack.statistics(&caller, StatisticsRange::All, "UTC").await;
    assert_eq!(statistics.impressions, 6_000);
    assert_eq!(statistics.consumed_minor, 600);
    assert_eq!(statistics.revenue_minor, 1_200);
    eventually("the ledger has it", || async {
        stack.money(&caller).await
            == Money {
                available: 700_000,
                to_be_consumed: 299_400,
                to_be_settled: 1_200,
            }
    })
    .await;
}

#[tokio::test]
async fn a_restated_row_counts_by_its_difference() {
    let stack = Plan::spawn().await;
    let (caller, plans) = plans(&stack, 1).await;
    let number = &plans[0].plan_number;
    let header = "report_id,revision,plan_number,time,impressions,clicks,spend,revenue\n";
    let row = |revision: i64, hour: i64, figures: &str| {
        format!("r1,{revision},{number},2026-11-20T0{hour}:00:00Z,{figures}\n")
    };
    let import = async |rows: String| {
        stack
            .import("network-a", "{}", &format!("{header}{rows}"))
            .await
    };
    import(row(1, 8, "100,5,10.00,15.00")).await;
    assert_eq!(
        outcome(&import(row(3, 7, "80,4,7.50,12.00")).await),
        Outcome {
            read: 1,
            restated: 1,
            ..Outcome::default()
        }
    );
    let plan = stack.plan_of(&caller, &plans[0].id).await.unwrap();
    let seen = plan.plan.unwrap();
    assert_eq!(seen.impressions, 80);
    assert_eq!(seen.clicks, 4);
    assert_eq!(seen.consumed_minor, 750);
    assert_eq!(seen.revenue_minor, 1_200);
    let by_hour: Vec<i64> = plan
        .series
        .iter()
        .map(|point| point.impressions)
        .filter(|count| *count != 0)
        .collect();
    assert_eq!(by_hour, [80], "the earlier hour is empty again");
    assert_eq!(
        outcome(&import(row(2, 8, "1,1,1,1")).await),
        Outcome {
            read: 1,
            repeated: 1,
            ..Outcome::default()
        },
        "an older revision is stale"
    );
    assert_eq!(
        outcome(&import(row(3, 7, "80,4,7.50,12.00")).await),
        Outcome {
            read: 1,
            repeated: 1,
            ..Outcome::default()
        }
    );
    let conflicting = import(row(3, 7, "81,4,7.50,12.00")).await;
    assert_eq!(
        reasons(&conflicting),
        [(2, "revision 3 is known with other content")]
    );
    let twice = import(format!(
        "{}{}",
        row(4, 7, "90,4,8,12"),
        row(5, 7, "95,4,9,12")
    ))
    .await;
    assert_eq!(
        outcome(&twice),
        Outcome {
            read: 2,
            restated: 2,
            ..Outcome::default()
        }
    );
    assert_eq!(stack.plan(&caller, &plans[0].id).await.consumed_minor, 900);
    eventually("the ledger follows", || async {
        stack.money(&caller).await
            == Money {
                available: 900_000,
                to_be_consumed: 99_100,
                to_be_settled: 1_200,
            }
    })
    .await;
}

#[tokio::test]
async fn good_rows_land_and_bad_ones_are_named() {
    let stack = Plan::spawn().await;
    let (caller, plans) = plans(&stack, 1).await;
    let waiting = stack
        .push(&stack.product().await, &[&caller])
        .await
        .remove(0)
        .plan_id;
    let waiting = stack.plan(&caller, &waiting).await.plan_number;
    let number = &plans[0].plan_number;
    let file = [
        HEADER.trim_end(),
        &format!("ok1,{number},2026-11-20 08:00:00.123456+00:00,10,1,1,2"),
        &format!("bad,{number},yesterday,10,1,1,2"),
        "",
        &format!("bad,{number},2026-11-20T10:05:01Z,10,1,1,2"),
        &format!("\"quoted\n\"\"id\",{number},2026-11-20T08:00:00Z,10,1,1,2"),
        "bad,AD000000000000,2026-11-20T08:00:00Z,10,1,1,2",
        &format!("bad,{waiting},2026-11-20T08:00:00Z,10,1,1,2"),
        &format!("bad,{number},2026-11-20T08:00:00Z,10,11,1,2"),
        &format!("bad,{number},2026-11-20T08:00:00Z,-10,1,1,2"),
        &format!("bad,{number},2026-11-20T08:00:00Z,10,1,-1,2"),
        &format!("bad,{number},2026-11-20T08:00:00Z,10,1,1e3,2"),
        &format!("bad,{number},2026-11-20T08:00:00Z,10,1,,2"),
        &format!("bad,{number},2026-11-20T08:00:00Z"),
        &format!("ok2,{number},2026-11-20T10:05:00Z,10,1,1,2"),
    ]
    .join("\r\n");
    let summary = stack.import("network-a", "{}", &file).await;
    assert_eq!(
        outcome(&summary),
        Outcome {
            read: 13,
            applied: 2,
            rejected: 11,
            ..Outcome::default()
        }
    );
    let expected = [
        (3, "time 'yesterday' is not a time"),
        (5, "time 2026-11-20T10:05:01Z is in the future"),
        (6, "report_id is not a text of 1 to 200 characters"),
        (8, "unknown plan 'AD000000000000'"),
        (9, "the plan has not been put yet"),
        (10, "11 clicks are more than 10 impressions"),
        (11, "impressions '-10' is not a whole number from 0"),
        (12, "spend '-1': not a decimal amount"),
        (13, "spend '1e3': not a decimal amount"),
        (14, "spend is missing and the import has no pricing"),
        (15, "3 fields where the header has 7"),
    ];
    assert_eq!(reasons(&summary), expected);
    assert_eq!(stack.plan(&caller, &plans[0].id).await.impressions, 20);
}

#[tokio::test]
async fn columns_are_mapped_items_spread_over_plans_and_rows_priced() {
    let stack = Plan::spawn().await;
    let (caller, plans) = plans(&stack, 2).await;
    let mapping = serde_json::json!({
        "timestamp": "time", "item_id": "plan_number", "click": "clicks",
        "constants": {"impressions": 1}, "report_id": "line", "time_shift_days": 2_551,
        "plans_modulo": [plans[0].plan_number, plans[1].plan_number],
        "pricing": {"model": "cpm", "cost": "2.00", "revenue": "3.10"},
    });
    let file = "timestamp,item_id,position,click\n\
                2019-11-24 00:01:03.979311+00:00,2,2,0\n\
                2019-11-24 00:01:45.406608+00:00,9,3,1\n\
                2019-11-24 00:02:02.396318+00:00,13,3,0\n";
    assert_eq!(
        outcome(&stack.import("bandit", &mapping.to_string(), file).await),
        Outcome {
            read: 3,
            applied: 3,
            ..Outcome::default()
        }
    );
    assert_eq!(
        outcome(&stack.import("bandit", &mapping.to_string(), file).await),
        Outcome {
            read: 3,
            repeated: 3,
            ..Outcome::default()
        }
    );
    let (even, odd) = (
        stack.plan(&caller, &plans[0].id).await,
        stack.plan(&caller, &plans[1].id).await,
    );
    assert_eq!(even.impressions, 1);
    assert_eq!(odd.impressions, 2);
    assert_eq!(odd.clicks, 1);
    assert!(even.estimated && odd.estimated);
    let micros: Vec<i64> =
        sqlx::query_scalar("SELECT spend_micros + revenue_micros FROM delivery_reports")
            .fetch_all(&stack.db.pool())
            .await
            .unwrap();
    assert_eq!(micros, [5_100; 3]);
}

#[tokio::test]
async fn json_lines_are_taken_as_they_are_written() {
    let stack = Plan::spawn().await;
    let (caller, plans) = plans(&stack, 1).await;
    let number = &plans[0].plan_number;
    let file = format!(
        "{{\"id\":\"a\",\"plan\":\"{number}\",\"at\":\"2026-11-20T08:00:00Z\",\"seen\":10,\"cost\":0.100000001,\"won\":\"0.2\"}}\n\n\
         {{\"id\":\"b\",\"plan\":\"{number}\",\"at\":\"2026-11-20T08:00:00\",\"seen\":\"5\",\"cost\":1,\"won\":2}}\n\
         no json\n\
         {{\"id\":\"c\",\"plan\":\"{number}\",\"at\":\"2026-11-20T08:00:00Z\",\"seen\":1.5,\"cost\":1,\"won\":2}}"
    );
    let mapping = r#"{"id":"report_id","plan":"plan_number","at":"time","seen":"impressions","cost":"spend","won":"revenue"}"#;
    let summary = stack
        .try_import(
            &operator(),
            ImportFormat::Jsonl,
            "net",
            mapping,
            file.as_bytes(),
        )
        .await
        .unwrap();
    assert_eq!(
        outcome(&summary),
        Outcome {
            read: 4,
            applied: 2,
            rejected: 2,
            ..Outcome::default()
        }
    );
    assert_eq!(
        reasons(&summary),
        [
            (4, "the line is not a JSON object"),
            (5, "impressions '1.5' is not a whole number from 0")
        ]
    );
    let plan = stack.plan(&caller, &plans[0].id).await;
    assert_eq!(plan.impressions, 15);
    assert_eq!(plan.consumed_minor, 110);
    assert_eq!(plan.revenue_minor, 220);
}

#[tokio::test]
async fn what_is_no_import_is_refused() {
    let stack = Plan::spawn().await;
    let csv = ImportFormat::Csv;
    for (format, source, mapping, file, field) in [
        (ImportFormat::Unspecified, "net", "{}", HEADER, "format"),
        (csv, "Net Work", "{}", HEADER, "source"),
        (csv, "", "{}", HEADER, "source"),
        (csv, "net", "[]", HEADER, "mapping"),
        (csv, "net", "{\"a\":\"b\"}", HEADER, "mapping"),
        (csv, "net", "{\"nowhere\":\"time\"}", HEADER, "mapping"),
        (csv, "net", "{}", "", "mapping"),
    ] {
        let answer = stack
            .try_import(&operator(), format, source, mapping, file.as_bytes())
            .await;
        assert_eq!(
            why(answer),
            (Reason::Validation, Some(field.into())),
            "{mapping}"
        );
    }
}

#[tokio::test]
async fn a_quote_that_is_not_closed_and_an_endless_line_take_only_themselves() {
    let stack = Plan::spawn().await;
    let (caller, plans) = plans(&stack, 1).await;
    let row = |id: &str| {
        format!(
            "{id},{},2026-11-20T08:00:00Z,10,1,1,2\n",
            plans[0].plan_number
        )
    };
    let endless = "x".repeat(200_000);
    let file = format!(
        "\u{feff}{HEADER}{}{endless}\n{}\"{}",
        row("a"),
        row("b"),
        row("c")
    );
    let summary = stack.import("network-a", "{}", &file).await;
    assert_eq!(
        outcome(&summary),
        Outcome {
            read: 4,
            applied: 2,
            rejected: 2,
            ..Outcome::default()
        }
    );
    let expected = [
        (3, "the line is too long"),
        (5, "a quote is not closed up to line 5"),
    ];
    assert_eq!(reasons(&summary), expected);
    assert_eq!(stack.plan(&caller, &plans[0].id).await.impressions, 20);
}

#[tokio::test]
async fn a_file_that_is_too_large_is_refused() {
    let stack = Plan::spawn().await;
    let file = vec![b'x'; 64 * 1024 * 1024 + 1];
    let answer = stack
        .try_import(&operator(), ImportFormat::Csv, "net", "{}", &file)
        .await;
    assert_eq!(why(answer), (Reason::FileTooLarge, Some("file".into())));
}
