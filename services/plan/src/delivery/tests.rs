//! The rules of delivery reports, without a database.

use std::collections::HashMap;

use adfolio_kit::identity::UserId;
use adfolio_money::{Micros, Money};
use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use uuid::Uuid;

use super::entity::{Batch, Origin, Report, Verdict};
use super::mapping::Mapping;
use super::row::{self, RawRow, Reported};
use crate::allotment::Allotment;
use crate::allotment::entity::Sums;
use crate::ids::{AllotmentId, OrderId, PlacementId, ProductId};
use crate::order::entity::{Order, PutTerms};
use crate::order::tests::details;
use crate::product::entity::Product;

const BUDGET: i64 = 1_000;

fn now() -> DateTime<Utc> {
    "2026-11-20T10:00:00Z".parse().unwrap()
}

fn order() -> Order {
    let details = details(Money::from_minor(BUDGET));
    let product = Product {
        id: ProductId(Uuid::from_u128(7)),
        details,
        created_at: now(),
    };
    let amount = Money::from_minor(BUDGET);
    let mut order = Order::for_put(
        OrderId(Uuid::from_u128(1)),
        UserId(Uuid::from_u128(2)),
        &product,
        amount,
        now(),
    );
    let terms = PutTerms {
        put_amount: amount,
        paid: amount,
        discount: Money::ZERO,
        coupon: None,
    };
    order.place(terms, now(), TimeDelta::days(30)).unwrap();
    order
}

fn reported(order: &Order, id: u32, revision: i64, spend: i64) -> Reported {
    Reported {
        line: 1,
        report_id: format!("r{id}"),
        revision,
        plan_number: order.plan_number.clone(),
        time: now() + TimeDelta::minutes(i64::from(id)),
        impressions: 10,
        clicks: 1,
        spend: Micros::new(spend),
        revenue: Micros::new(spend / 2),
        estimated: false,
        placement: None,
    }
}

/// Reads one row whose columns have the fields' names.
fn read(mapping: &str, values: [&str; 9]) -> Result<Reported, String> {
    let values = values.map(|value| (!value.is_empty()).then(|| value.to_owned()));
    row::read(
        &RawRow { line: 7, values },
        &Mapping::parse(mapping).unwrap(),
        "net",
        now(),
    )
}

const GOOD: [&str; 9] = [
    "r1",
    "",
    "AD1",
    "2026-11-20T08:00:00Z",
    "10",
    "1",
    "1.5",
    "2.000000001",
    "",
];

fn with(index: usize, value: &'static str) -> [&'static str; 9] {
    let mut values = GOOD;
    values[index] = value;
    values
}

#[test]
fn a_row_becomes_a_report() {
    let report = read("{}", GOOD).unwrap();
    assert_eq!(
        (
            report.report_id.as_str(),
            report.revision,
            report.plan_number.as_str()
        ),
        ("r1", 1, "AD1")
    );
    assert_eq!(
        (report.spend, report.revenue),
        (Micros::new(1_500_000), Micros::new(2_000_000))
    );
    assert!(!report.estimated);
    assert_eq!(read("{}", with(0, "")).unwrap().report_id, "net:7");
}

#[test]
fn times_come_in_many_forms() {
    let eight: DateTime<Utc> = "2026-11-20T08:00:00Z".parse().unwrap();
    for text in [
        "2026-11-20T08:00:00Z",
        "2026-11-20t08:00:00z",
        "2026-11-20 08:00:00+00:00",
        "2026-11-20 08:00:00.000000+00:00",
        "2026-11-20T13:45:00+05:45",
        "2026-11-20 09:00:00+0100",
        "2026-11-20 09:00:00+01",
        "2026-11-20 09:00:00 +01:00",
        "2026-11-20 08:00:00",
        "2026-11-20T08:00",
    ] {
        assert_eq!(
            read("{}", with(3, text)).map(|report| report.time),
            Ok(eight),
            "{text}"
        );
    }
    for text in [
        "",
        "now",
        "2026-11-20",
        "20.11.2026 08:00",
        "1999-01-01T00:00:00Z",
        "2026-11-20T10:05:01Z",
        "2026-13-20T08:00:00Z",
    ] {
        assert!(read("{}", with(3, text)).is_err(), "{text}");
    }
    let shifted = read(r#"{"time_shift_days": -1}"#, GOOD).unwrap();
    assert_eq!(shifted.time, eight - TimeDelta::days(1));
}

#[test]
fn a_price_is_per_thousand_or_per_click_and_estimated() {
    let cpm = r#"{"pricing": {"model": "cpm", "cost": "2.00", "revenue": "3.10"}}"#;
    let report = read(cpm, with(6, "")).unwrap();
    assert_eq!(
        (report.spend, report.revenue, report.estimated),
        (Micros::new(20_000), Micros::new(2_000_000), true)
    );
    for cpc in [
        r#"{"pricing": {"cpc": {"cost": 0.2, "revenue": "0.31"}}}"#,
        r#"{"pricing": {"type": "CPC", "cost": "0.20", "revenue": "0.31"}}"#,
        r#"{"pricing": {"*": {"kind": "cpc", "cost": "0.20", "revenue": "0.31"}}}"#,
        r#"{"pricing": {"AD1": {"cpc": {"cost": "0.20", "revenue": "0.31"}}, "*": {"cpm": {"cost": 1, "revenue": 1}}}}"#,
    ] {
        assert_eq!(
            read(cpc, with(6, "")).unwrap().spend,
            Micros::new(200_000),
            "{cpc}"
        );
    }
    assert!(
        read("{}", with(7, ""))
            .unwrap_err()
            .contains("revenue is missing")
    );
}

#[test]
fn plans_are_looked_up() {
    let number = |mapping: &str, value: &'static str| {
        read(mapping, with(2, value)).map(|report| report.plan_number)
    };
    let table = r#"{"plans": {"a": "AD1", "*": "AD2"}}"#;
    assert_eq!(
        (number(table, "a"), number(table, "b")),
        (Ok("AD1".into()), Ok("AD2".into()))
    );
    let modulo = r#"{"plans_modulo": ["AD0", "AD1", "AD2"]}"#;
    assert_eq!(
        (number(modulo, "5"), number(modulo, "-1")),
        (Ok("AD2".into()), Ok("AD2".into()))
    );
    assert!(number(modulo, "x").is_err());
    assert!(number(r#"{"plans": {"a": "AD1"}}"#, "b").is_err());
}

#[test]
fn a_mapping_says_what_is_wrong_with_it() {
    for (mapping, problem) in [
        ("[]", "not a JSON object"),
        ("{", "not JSON"),
        (r#"{"a": "b"}"#, "mapped to no field"),
        (r#"{"a": "time", "b": "time"}"#, "given twice"),
        (
            r#"{"a": "time", "constants": {"time": "x"}}"#,
            "given twice",
        ),
        (r#"{"time_shift_days": 1.5}"#, "time_shift_days"),
        (
            r#"{"pricing": {"model": "cpx", "cost": "1", "revenue": "1"}}"#,
            "neither cpm nor cpc",
        ),
        (
            r#"{"pricing": {"model": "cpm", "cost": "1"}}"#,
            "no revenue",
        ),
        (r#"{"plans_modulo": []}"#, "plans_modulo"),
        (
            r#"{"plans": {"a": "x"}, "plans_modulo": ["y"]}"#,
            "only one",
        ),
    ] {
        let refusal = Mapping::parse(mapping).unwrap_err();
        assert_eq!(refusal.field.as_deref(), Some("mapping"));
        assert!(
            refusal.to_string().contains(problem),
            "{mapping}: {refusal}"
        );
    }
    assert!(
        Mapping::parse(
            r#"{"pricing": "spend", "report_id": "report_id", "columns": {"plans": "plan_number"}}"#
        )
        .is_ok()
    );
}

#[test]
fn a_placement_is_one_of_the_sources_network() {
    let order = order();
    let placement = PlacementId(Uuid::from_u128(9));
    let mut batch = Batch::new(vec![order.clone()], Vec::new())
        .on_placements(HashMap::from([("feed".to_owned(), placement)]));
    let mut take = |revision: i64, name: Option<&str>| {
        let row = Reported {
            placement: name.map(str::to_owned),
            ..reported(&order, 1, revision, 1_000)
        };
        batch.take(("net", Origin::Network, None), row).unwrap()
    };
    let unknown = Verdict::Rejected("unknown placement 'story'".to_owned());
    assert_eq!(take(1, Some("story")), unknown);
    assert_eq!(take(1, Some("feed")), Verdict::Applied);
    let other = Verdict::Rejected("the report belongs to another placement".to_owned());
    assert_eq!(take(2, None), other);
    assert_eq!(take(2, Some("feed")), Verdict::Restated);
    assert_eq!(
        read("{}", with(8, " feed ")).unwrap().placement.as_deref(),
        Some("feed")
    );
    assert_eq!(read("{}", with(8, "  ")).unwrap().placement, None);
}

#[test]
fn a_budget_is_charged_to_the_last_cent_and_no_further() {
    let order = order();
    let mut batch = Batch::new(vec![order.clone()], Vec::new());
    for id in 0..3 {
        assert_eq!(
            batch
                .take(
                    ("net", Origin::Network, None),
                    reported(&order, id, 1, 4_000_000)
                )
                .unwrap(),
            Verdict::Applied
        );
    }
    let charged: Vec<i64> = batch
        .changed_reports()
        .iter()
        .map(|report| report.charged.get())
        .collect();
    assert_eq!(charged, [4_000_000, 4_000_000, 2_000_000]);
    let outcome = batch
        .finish(Some("import"), now(), TimeDelta::days(3))
        .unwrap();
    assert_eq!(
        outcome.orders[0].delivered.reported,
        Micros::new(12_000_000)
    );
    assert_eq!(outcome.steps.len(), 2, "putting, then finished");
}

proptest! {
    /// However reports and restatements come, every plan is charged the lesser of its reports and
    /// its budget, every report at most its spend, and the roll-ups are the sums of the reports.
    #[test]
    fn charges_are_the_lesser_of_reports_and_budget(
        steps in prop::collection::vec((0_u32..6, 0_i64..6_000_000), 1..40),
        batches in 1_usize..5,
    ) {
        let mut order = order();
        let mut kept: Vec<Report> = Vec::new();
        let mut revision = 0;
        for part in steps.chunks(steps.len().div_ceil(batches)) {
            let mut batch = Batch::new(vec![order.clone()], kept.clone());
            for (id, spend) in part {
                revision += 1;
                let verdict = batch.take(("net", Origin::Network, None), reported(&order, *id, revision, *spend)).unwrap();
                prop_assert!(matches!(verdict, Verdict::Applied | Verdict::Restated));
            }
            for report in batch.changed_reports() {
                kept.retain(|known| known.report_id != report.report_id);
                kept.push(report);
            }
            for order_id in batch.plans_to_refill().unwrap() {
                let candidates = kept.iter().filter(|report| report.charged < report.spend).cloned().collect();
                for report in batch.refill(order_id, candidates).unwrap() {
                    kept.retain(|known| known.report_id != report.report_id);
                    kept.push(report);
                }
            }
            let outcome = batch.finish(Some("import"), now(), TimeDelta::days(3)).unwrap();
            order = outcome.orders[0].clone();
            let sum = |value: fn(&Report) -> i64| kept.iter().map(value).sum::<i64>();
            let budget = Micros::try_from(Money::from_minor(BUDGET)).unwrap().get();
            prop_assert_eq!(order.delivered.reported.get(), sum(|report| report.spend.get()));
            prop_assert_eq!(order.delivered.charged.get(), order.delivered.reported.get().min(budget));
            prop_assert_eq!(order.delivered.charged.get(), sum(|report| report.charged.get()));
            prop_assert_eq!(order.delivered.impressions, sum(|report| report.impressions));
            prop_assert!(kept.iter().all(|report| report.charged <= report.spend));
        }
    }

    /// However reports of what was allotted come, more is never charged and allotted than the budget, and once nothing is
    /// allotted any more, the plan is charged the lesser of its reports and its budget.
    #[test]
    fn what_is_allotted_is_kept_until_it_closes(
        steps in prop::collection::vec((0_u32..8, 0_i64..6_000_000), 1..40),
        batches in 1_usize..5,
        budgets in prop::array::uniform2(1_i64..5_000_000),
    ) {
        let placement = PlacementId(Uuid::from_u128(9));
        let mut order = order();
        // The first one covers the reports 0 to 2, the second one 3 to 5; the last two have none.
        let mut allotments: Vec<Allotment> = (0..2)
            .map(|at| Allotment {
                id: AllotmentId(Uuid::from_u128(at)),
                order_id: order.id,
                placement_id: placement,
                begins_at: now() + TimeDelta::minutes(3 * i64::try_from(at).unwrap()),
                ends_at: now() + TimeDelta::minutes(3 + 3 * i64::try_from(at).unwrap()),
                budget: Micros::new(budgets[usize::try_from(at).unwrap()]),
                is_open: true,
                drawn: Micros::ZERO,
                reported: Sums::default(),
            })
            .collect();
        order.allotted = Micros::new(budgets.iter().sum());
        let budget = Micros::try_from(Money::from_minor(BUDGET)).unwrap();
        let mut kept: Vec<Report> = Vec::new();
        let mut revision = 0;
        let end = |batch: &mut Batch, kept: &mut Vec<Report>| {
            for order_id in batch.plans_to_refill().unwrap() {
                let candidates = kept.iter().filter(|report| report.charged < report.spend).cloned().collect();
                for report in batch.refill(order_id, candidates).unwrap() {
                    kept.retain(|known| known.report_id != report.report_id);
                    kept.push(report);
                }
            }
        };
        for part in steps.chunks(steps.len().div_ceil(batches)) {
            let mut batch = Batch::new(vec![order.clone()], kept.clone())
                .on_placements(HashMap::from([("feed".to_owned(), placement)]))
                .with_allotments(allotments.iter().cloned().collect(), false);
            for (id, spend) in part {
                revision += 1;
                let row = Reported {
                    placement: Some("feed".to_owned()),
                    ..reported(&order, *id, revision, *spend)
                };
                batch.take(("net", Origin::Network, None), row).unwrap();
            }
            for report in batch.changed_reports() {
                kept.retain(|known| known.report_id != report.report_id);
                kept.push(report);
            }
            end(&mut batch, &mut kept);
            let outcome = batch.finish(Some("network"), now(), TimeDelta::days(3)).unwrap();
            order = outcome.orders[0].clone();
            for changed in outcome.allotments {
                allotments.retain(|known| known.id != changed.id);
                allotments.push(changed);
            }
            let open: i64 = allotments.iter().map(|it| it.budget.get() - it.drawn.get()).sum();
            prop_assert_eq!(order.allotted.get(), open);
            let free = budget.get() - open;
            prop_assert_eq!(order.delivered.charged.get(), order.delivered.reported.get().min(free));
        }
        order.allotted = Micros::ZERO;
        let mut batch = Batch::new(vec![order], Vec::new()).touched();
        end(&mut batch, &mut kept);
        let order = batch.finish(None, now(), TimeDelta::days(3)).unwrap().orders.remove(0);
        prop_assert_eq!(order.delivered.charged, order.delivered.reported.min(budget));
        prop_assert_eq!(order.delivered.charged.get(), kept.iter().map(|it| it.charged.get()).sum::<i64>());
    }

    #[test]
    fn reading_a_mapping_never_panics(text in ".{0,200}") {
        let _ = Mapping::parse(&text);
    }

    #[test]
    fn reading_a_row_never_panics(values in prop::array::uniform9(".{0,30}")) {
        let values = values.map(Some);
        let mapping = Mapping::parse(r#"{"pricing": {"model": "cpm", "cost": "1", "revenue": "1"}}"#).unwrap();
        let _ = row::read(&RawRow { line: 1, values }, &mapping, "net", now());
    }
}
