//! Rules on single rows.

use adfolio_money::Micros;
use adfolio_placement::review::{
    Context, Earlier, Model, Placement, Plan, Price, PriceList, Row, Rule, Windows, review,
};
use chrono::TimeDelta;

use super::helpers::{PLACEMENT, PLAN, context, day, held, noon, own, price, row};

fn rules(row: Row<'static>, context: &Context<'static>) -> Vec<Rule> {
    let found = review(&[row], context).findings;
    found.iter().map(|finding| finding.rule).collect()
}

fn honest() -> Row<'static> {
    row(1, PLACEMENT, day(1), 1_000, 3)
}

#[test]
fn an_honest_row_passes() {
    assert_eq!(rules(honest(), &context()), []);
}

#[test]
fn counts_must_be_possible() {
    let faults = [(10, 11), (0, 1), (5, -1), (-1, 0)];
    for (impressions, clicks) in faults {
        let fault = Row {
            impressions,
            clicks,
            spend: Micros::ZERO,
            revenue: Micros::ZERO,
            ..honest()
        };
        let found = rules(fault, &context());
        assert!(
            found.contains(&Rule::ClicksAboveImpressions),
            "{impressions} {clicks}"
        );
    }
    assert_eq!(rules(row(1, PLACEMENT, day(1), 1, 1), &context()), []);
}

#[test]
fn spend_needs_something_to_pay() {
    let nothing = Row {
        impressions: 0,
        clicks: 0,
        ..honest()
    };
    assert!(rules(nothing, &context()).contains(&Rule::SpendWithoutImpressions));
    let free = row(1, PLACEMENT, day(1), 0, 0);
    assert_eq!(rules(free, &context()), []);
    let without_placement = Row {
        placement: None,
        plan: "AD2",
        ..nothing
    };
    assert_eq!(
        rules(without_placement, &context()),
        [Rule::SpendWithoutImpressions]
    );
}

#[test]
fn money_is_what_the_list_gives() {
    let spend = |micros: i64| Row {
        spend: Micros::new(micros),
        ..honest()
    };
    // 1,000 impressions at 2.00: exact, in cents, and rounded impression by impression.
    for right in [2_000_000, 2_000_499, 1_999_501] {
        assert_eq!(rules(spend(right), &context()), [], "{right}");
    }
    for wrong in [2_000_503, 1_990_000, 2_010_000, 0, -2_000_000] {
        assert_eq!(
            rules(spend(wrong), &context()),
            [Rule::PriceOffList],
            "{wrong}"
        );
    }
    let revenue = Row {
        revenue: Micros::new(4_000_000),
        ..honest()
    };
    assert_eq!(rules(revenue, &context()), [Rule::PriceOffList]);
}

#[test]
fn clicks_have_prices_too() {
    let mut context = context();
    let per_click = Price {
        model: Model::Cpc,
        cost: Micros::new(200_000),
        revenue: Micros::new(310_000),
        ..price()
    };
    let priced = Placement {
        prices: PriceList::new(vec![per_click]),
        ..own()
    };
    context.placements.insert(PLACEMENT, priced);
    let clicks = Row {
        spend: Micros::new(600_000),
        revenue: Micros::new(930_000),
        ..honest()
    };
    assert_eq!(rules(clicks, &context), []);
    assert_eq!(rules(honest(), &context), [Rule::PriceOffList]);
}

#[test]
fn rounding_in_ones_favour_adds_up() {
    // Two impressions cost 0.004, reported as 0.00, or as a cent in every row: within rounding.
    let rows = |round_up: bool| -> Vec<Row<'static>> {
        (0..200)
            .map(|line| {
                let impressions = 2 + i64::from(line as u32 % 2);
                let up = round_up || impressions == 3;
                Row {
                    spend: Micros::new(if up { 10_000 } else { 0 }),
                    ..row(
                        line,
                        PLACEMENT,
                        day(1) + TimeDelta::minutes(line as i64),
                        impressions,
                        0,
                    )
                }
            })
            .collect()
    };
    let honest = review(&rows(false), &context());
    assert_eq!(held(&honest, Rule::PriceOffList), Vec::<u64>::new());
    let always_up = |line: usize| Row {
        spend: Micros::new(10_000),
        ..row(
            line,
            PLACEMENT,
            day(1) + TimeDelta::minutes(line as i64),
            3,
            0,
        )
    };
    let rows: Vec<Row<'_>> = (0..200).map(always_up).collect();
    let fraud = review(&rows, &context());
    assert_eq!(held(&fraud, Rule::PriceOffList).len(), 200);
}

#[test]
fn a_price_is_the_one_of_its_time() {
    let mut context = context();
    let change = day(1) + TimeDelta::minutes(630);
    let dearer = Price {
        from: change,
        cost: Micros::new(4_000_000),
        ..price()
    };
    let changed = Placement {
        prices: PriceList::new(vec![dearer, price()]),
        ..own()
    };
    context.placements.insert(PLACEMENT, changed);
    let at = |hour: i64, spend: i64| Row {
        time: day(1) + TimeDelta::hours(hour),
        spend: Micros::new(spend),
        ..honest()
    };
    assert_eq!(rules(at(9, 2_000_000), &context), []);
    assert_eq!(rules(at(9, 3_000_000), &context), [Rule::PriceOffList]);
    assert_eq!(rules(at(10, 3_000_000), &context), []);
    assert_eq!(rules(at(11, 4_000_000), &context), []);
    assert_eq!(rules(at(11, 2_000_000), &context), [Rule::PriceOffList]);
}

#[test]
fn a_placement_without_a_price_is_held() {
    let mut context = context();
    let unpriced = Placement {
        prices: PriceList::default(),
        ..own()
    };
    context.placements.insert(PLACEMENT, unpriced);
    assert_eq!(rules(honest(), &context), [Rule::PriceMissing]);
    let priced_by_import = Row {
        is_estimated: true,
        ..honest()
    };
    assert_eq!(rules(priced_by_import, &context), []);
    let ended = Placement {
        prices: PriceList::new(vec![Price {
            until: Some(day(2)),
            ..price()
        }]),
        ..own()
    };
    context.placements.insert(PLACEMENT, ended);
    assert_eq!(rules(honest(), &context), [Rule::PriceMissing]);
}

#[test]
fn a_plan_with_supply_is_shown_where_it_was_allotted() {
    let mut context = context();
    let minute = |minute: i64| day(1) + TimeDelta::minutes(minute);
    let window = Windows::new(vec![(minute(625), minute(630)), (minute(630), minute(640))]);
    context.allotments.insert((PLAN, PLACEMENT), window);
    let at = |minutes: i64| Row {
        time: minute(minutes),
        ..honest()
    };
    // The hour of 10:00 has 10:25; an hour's grace ends at 11:40.
    for inside in [600, 630, 640, 700] {
        assert_eq!(rules(at(inside), &context), [], "{inside}");
    }
    for outside in [540, 565, 701] {
        assert_eq!(
            rules(at(outside), &context),
            [Rule::NotAllotted],
            "{outside}"
        );
    }
    let unnamed = Row {
        placement: None,
        ..honest()
    };
    assert_eq!(rules(unnamed, &context), [Rule::NotAllotted]);
    context.plans.insert(PLAN, Plan::default());
    assert_eq!(rules(at(540), &context), []);
    assert_eq!(rules(unnamed, &context), []);
}

#[test]
fn placements_of_others_are_held() {
    let mut context = context();
    let other = Row {
        placement: Some("p99"),
        ..honest()
    };
    assert_eq!(rules(other, &context), [Rule::ForeignPlacement]);
    let foreign = Placement {
        is_own: false,
        ..own()
    };
    context.placements.insert("p99", foreign);
    assert_eq!(rules(other, &context), [Rule::ForeignPlacement]);
}

#[test]
fn the_future_starts_after_the_skew() {
    let at = |seconds: i64| Row {
        time: noon() + TimeDelta::seconds(seconds),
        ..honest()
    };
    assert_eq!(rules(at(300), &context()), []);
    assert_eq!(rules(at(301), &context()), [Rule::FutureDate]);
}

#[test]
fn what_is_settled_is_not_lowered() {
    let mut context = context();
    let restated = |impressions: i64| Row {
        revision: 2,
        ..row(1, PLACEMENT, day(1), impressions, 3)
    };
    let known = Earlier {
        revision: 1,
        impressions: 1_000,
        clicks: 3,
        spend: honest().spend,
        revenue: honest().revenue,
    };
    context.earlier.insert("r1", known);
    assert_eq!(rules(restated(900), &context), []);
    context.plans.get_mut(PLAN).unwrap().is_settled = true;
    assert_eq!(
        rules(restated(900), &context),
        [Rule::RestatedAfterSettlement]
    );
    assert_eq!(rules(restated(1_000), &context), []);
    assert_eq!(rules(restated(1_100), &context), []);
    let repeated = Row {
        revision: 1,
        ..restated(900)
    };
    assert_eq!(rules(repeated, &context), []);
}

#[test]
fn rules_have_stable_names() {
    let names: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(names.len(), 13);
    for rule in Rule::ALL {
        assert_eq!(Rule::from_name(rule.name()), Some(*rule));
        let spec = rule.spec();
        assert!(spec.version >= 1 && spec.smallest_sample >= 1 && !spec.description.is_empty());
    }
    assert_eq!(Rule::from_name("no_such_rule"), None);
}
