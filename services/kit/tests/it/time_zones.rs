//! Time zones as written by callers, and the days that follow from them.

use adfolio_kit::time_zone::TimeZone;
use adfolio_testkit::instant;
use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveDateTime, TimeDelta, Utc, Weekday};
use chrono_tz::TZ_VARIANTS;
use proptest::prelude::*;

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

#[test]
fn the_forms_that_clients_send() {
    for (text, canonical) in [
        ("Asia/Shanghai GMT+08:00", "Asia/Shanghai"),
        ("GMT+08:00 Asia/Shanghai", "Asia/Shanghai"),
        ("Asia/Shanghai,GMT+08:00", "Asia/Shanghai"),
        ("Asia/Shanghai", "Asia/Shanghai"),
        ("asia/shanghai", "Asia/Shanghai"),
        ("  Asia/Kathmandu   GMT+05:45 ", "Asia/Kathmandu"),
        ("GMT+05:45", "GMT+05:45"),
        ("GMT+8", "GMT+08:00"),
        ("+0800", "GMT+08:00"),
        ("UTC-3:30", "GMT-03:30"),
        ("+930", "GMT+09:30"),
        ("Nowhere/Land GMT-05:00", "GMT-05:00"),
        ("GMT 08:00", "GMT+08:00"),
        (" 05:45", "GMT+05:45"),
        ("Asia/Shanghai GMT 08:00", "Asia/Shanghai"),
        ("Etc/GMT-8", "Etc/GMT-8"),
        ("UTC", "UTC"),
        ("GMT+00:00", "UTC"),
        ("", "UTC"),
        ("junk", "UTC"),
        ("8", "UTC"),
        ("+", "UTC"),
        ("GMT+99:00", "UTC"),
        ("GMT+08:60", "UTC"),
        ("GMT 08:60", "UTC"),
        ("08", "UTC"),
        ("+1:2:3", "UTC"),
        ("é+08", "UTC"),
    ] {
        assert_eq!(TimeZone::parse(text).to_string(), canonical, "{text:?}");
    }
}

#[test]
fn days_weeks_and_months_begin_there() {
    let zone = TimeZone::parse("Asia/Kathmandu");
    let now = instant("2026-11-19T18:20:00Z");
    assert_eq!(zone.today(now), date("2026-11-20"));
    assert_eq!(
        zone.start_of_day(date("2026-11-20")),
        instant("2026-11-19T18:15:00Z")
    );
    assert_eq!(zone.start_of_week(now), instant("2026-11-15T18:15:00Z"));
    assert_eq!(zone.start_of_month(now), instant("2026-10-31T18:15:00Z"));
}

#[test]
fn a_midnight_that_does_not_exist_begins_after_the_gap() {
    // Santiago sets its clocks forward at midnight; Samoa skipped a whole day; Lord Howe moves by
    // half an hour.
    let santiago = TimeZone::parse("America/Santiago");
    assert_eq!(
        santiago.start_of_day(date("2025-09-07")),
        instant("2025-09-07T04:00:00Z")
    );
    let samoa = TimeZone::parse("Pacific/Apia");
    assert_eq!(
        samoa.start_of_day(date("2011-12-30")),
        samoa.start_of_day(date("2011-12-31"))
    );
    let howe = TimeZone::parse("Australia/Lord_Howe");
    let missing: NaiveDateTime = "2025-10-05T02:10:00".parse().unwrap();
    assert_eq!(howe.to_utc(missing), instant("2025-10-04T15:30:00Z"));
}

#[test]
fn of_two_midnights_the_first_counts() {
    // Havana sets its clocks back from 1:00 to 0:00, so midnight happens twice.
    let havana = TimeZone::parse("America/Havana");
    assert_eq!(
        havana.start_of_day(date("2025-11-02")),
        instant("2025-11-02T04:00:00Z")
    );
}

fn any_zone() -> impl Strategy<Value = TimeZone> {
    prop_oneof![
        (0..TZ_VARIANTS.len()).prop_map(|index| TimeZone::Named(TZ_VARIANTS[index])),
        (-72i32..=72).prop_map(|quarters| {
            let sign = if quarters < 0 { '-' } else { '+' };
            TimeZone::parse(&format!(
                "GMT{sign}{:02}:{:02}",
                quarters.abs() / 4,
                quarters.abs() % 4 * 15
            ))
        }),
    ]
}

fn any_instant() -> impl Strategy<Value = DateTime<Utc>> {
    (0i64..4_102_444_800).prop_map(|seconds| DateTime::from_timestamp(seconds, 0).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_breaks_the_parser(text in ".{0,60}") {
        let zone = TimeZone::parse(&text);
        prop_assert_eq!(TimeZone::parse(&zone.to_string()), zone);
    }

    #[test]
    fn the_canonical_form_is_the_same_zone(zone in any_zone(), now in any_instant()) {
        prop_assert_eq!(TimeZone::parse(&zone.to_string()).local(now), zone.local(now));
    }

    #[test]
    fn an_instant_lies_in_its_day(zone in any_zone(), now in any_instant()) {
        let today = zone.today(now);
        let start = zone.start_of_day(today);
        prop_assert!(start <= now, "{zone} {now} {start}");
        prop_assert_eq!(zone.local_date(start), today);
        let next = zone.start_of_day(today.checked_add_days(Days::new(1)).unwrap());
        prop_assert!(now < next, "{zone} {now} {next}");
    }

    #[test]
    fn a_day_starts_nowhere_earlier(zone in any_zone(), now in any_instant()) {
        let start = zone.start_of_day(zone.today(now));
        prop_assert!(zone.local_date(start - TimeDelta::seconds(1)) < zone.today(now), "{zone} {now}");
    }

    #[test]
    fn weeks_begin_on_monday_and_months_on_the_first(zone in any_zone(), now in any_instant()) {
        let week = zone.start_of_week(now);
        prop_assert!(week <= now && now - week < TimeDelta::days(8));
        // Samoa's skipped Friday is the one day whose start is another day's.
        if zone.to_string() != "Pacific/Apia" && !zone.to_string().starts_with("Pacific/") {
            prop_assert_eq!(zone.local_date(week).weekday(), Weekday::Mon);
            prop_assert_eq!(zone.local_date(zone.start_of_month(now)).day(), 1);
        }
    }

    #[test]
    fn local_time_comes_back(zone in any_zone(), now in any_instant()) {
        let again = zone.to_utc(zone.local(now));
        // When the clocks are set back, a local time has two instants; the first one counts.
        prop_assert!(again <= now);
        prop_assert_eq!(zone.local(again), zone.local(now));
    }
}
