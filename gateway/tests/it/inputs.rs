//! Requests are read strictly, and what is wrong is named.

use adfolio_gateway::dto::PageQuery;
use adfolio_gateway::dto::acceptor::{CreateAcceptorRequest, rating_tenths};
use adfolio_gateway::dto::account::RegisterRequest;
use adfolio_gateway::dto::campaign::{CreateCampaignRequest, ValueInput};
use adfolio_gateway::dto::content::ContentRequest;
use adfolio_gateway::dto::coupon::{parse_percent, percent_text};
use adfolio_gateway::dto::plan::{PlanListQuery, PlanStatus, PutRequest};
use adfolio_gateway::dto::staff_plan::PushPlanRequest;
use adfolio_gateway::dto::statistics::{StatisticsQuery, ratio_text};
use adfolio_gateway::dto::wallet::{FlowListQuery, MonthlyQuery};
use adfolio_gateway::input::{parse_json, parse_query};
use adfolio_kit::refusal::Reason;
use proptest::prelude::*;
use secrecy::ExposeSecret as _;
use serde::de::DeserializeOwned;

/// The field that is named when `body` is refused.
fn refused<T: DeserializeOwned>(body: &str) -> Option<String> {
    match parse_json::<T>(body.as_bytes()) {
        Ok(_) => panic!("{} was taken", body.get(..200).unwrap_or(body)),
        Err(failure) => {
            assert_eq!(failure.refusal.reason, Reason::Validation);
            assert_eq!(failure.status, 200);
            failure.refusal.field
        }
    }
}

fn refused_query<T: DeserializeOwned>(query: &str) -> Option<String> {
    match parse_query::<T>(query.as_bytes()) {
        Ok(_) => panic!("{query} was taken"),
        Err(failure) => failure.refusal.field,
    }
}

fn amount(amount: &str) -> Result<i64, Option<String>> {
    let body = format!(r#"{{"product_id": "p", "amount": {amount}}}"#);
    parse_json::<PutRequest>(body.as_bytes())
        .map(|put| put.amount.minor())
        .map_err(|failure| failure.refusal.field)
}

#[test]
fn money_is_taken_as_number_or_text_with_up_to_two_decimals() {
    for (text, minor) in [
        ("1250", 125_000),
        ("1250.5", 125_050),
        ("1250.50", 125_050),
        ("0.01", 1),
        ("0", 0),
        (r#""1250""#, 125_000),
        (r#""1250.00""#, 125_000),
        (r#""0.1""#, 10),
        (r#""\u0031""#, 100),
        ("92233720368547758.07", i64::MAX),
    ] {
        assert_eq!(amount(text), Ok(minor), "{text}");
    }
}

#[test]
fn other_money_is_refused_and_named() {
    for text in [
        "-1",
        "-0",
        "1e3",
        "1E3",
        "1.5e1",
        "1.005",
        "0.001",
        r#""-1""#,
        r#""+1""#,
        r#""1e3""#,
        r#"" 1""#,
        r#""1 ""#,
        r#""1,5""#,
        r#""1.005""#,
        r#""1.""#,
        r#"".5""#,
        r#""""#,
        r#""NaN""#,
        r#""Infinity""#,
        r#""0x10""#,
        "true",
        "null",
        "[]",
        "{}",
        r#""١""#,
        "92233720368547758.08",
        r#""99999999999999999999999999999999999999999""#,
    ] {
        assert_eq!(amount(text), Err(Some("amount".to_owned())), "{text}");
    }
    for text in ["NaN", "Infinity", "01", "1.", "+1", "'1'"] {
        // Not JSON at all, so no field can be named.
        assert_eq!(amount(text), Err(None), "{text}");
    }
}

proptest! {
    #[test]
    fn money_survives_as_text_and_as_number(minor in 0..=i64::MAX) {
        let text = adfolio_money::Money::from_minor(minor).to_string();
        prop_assert_eq!(amount(&text), Ok(minor));
        prop_assert_eq!(amount(&format!("\"{text}\"")), Ok(minor));
    }

    #[test]
    fn no_body_and_no_query_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_json::<PutRequest>(&bytes);
        let _ = parse_query::<FlowListQuery>(&bytes);
    }
}

#[test]
fn a_missing_field_is_named() {
    assert_eq!(refused::<PutRequest>("{}").as_deref(), Some("amount"));
    assert_eq!(
        refused::<RegisterRequest>(r#"{"username": "ada"}"#).as_deref(),
        Some("password")
    );
    let nested = r#"{"faq": [{"content": {"en": "Because."}}]}"#;
    assert_eq!(
        refused::<ContentRequest>(nested).as_deref(),
        Some("faq[0].title")
    );
}

#[test]
fn a_wrong_type_is_named() {
    assert_eq!(
        refused::<RegisterRequest>(r#"{"username": 5}"#).as_deref(),
        Some("username")
    );
    assert_eq!(
        refused::<RegisterRequest>(r#"{"username": null}"#).as_deref(),
        Some("username")
    );
    let item = r#"{"product_id": "p", "amount": 1, "to": {"user_ids": ["a", 7]}, "put_content": "", "put_rule": ""}"#;
    assert_eq!(
        refused::<PushPlanRequest>(item).as_deref(),
        Some("to.user_ids[1]")
    );
    assert_eq!(
        refused::<CreateAcceptorRequest>(r#"{"kind": "robot", "name": "x"}"#).as_deref(),
        Some("kind")
    );
    assert_eq!(
        refused::<PutRequest>(r#"{"amount": 1, "amount": 2}"#).as_deref(),
        Some("amount")
    );
}

#[test]
fn what_is_no_object_is_refused() {
    for body in [
        "",
        "[]",
        "null",
        "7",
        r#""text""#,
        "{",
        r#"{"amount": 1}}"#,
        r#"["p", "q", 1, null]"#,
        "\u{feff}{}",
    ] {
        assert_eq!(refused::<PutRequest>(body), None, "{body}");
    }
}

#[test]
fn depth_overflows_nothing() {
    let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let ignored = format!(r#"{{"unknown": {deep}, "amount": 1}}"#);
    assert!(parse_json::<PutRequest>(ignored.as_bytes()).is_ok());
    for body in [
        format!(r#"{{"amount": {deep}}}"#),
        format!(r#"{{"amount": 1, "plan_id": {deep}}}"#),
    ] {
        assert!(parse_json::<PutRequest>(body.as_bytes()).is_err());
    }
    let hidden = format!(r#"{{"unknown": {deep}, "amount": 1, "plan_id": "\u0000"}}"#);
    assert!(parse_json::<PutRequest>(hidden.as_bytes()).is_err());
}

#[test]
fn unknown_fields_are_ignored() {
    let put: PutRequest =
        parse_json(br#"{"amount": "5", "product_id": "p", "reason": "because", "more": [1, {}]}"#)
            .unwrap();
    assert_eq!(put.amount.minor(), 500);
}

#[test]
fn no_text_brings_a_nul_in() {
    assert_eq!(
        refused::<RegisterRequest>(r#"{"username": "a\u0000b"}"#).as_deref(),
        Some("username")
    );
    let item = r#"{"product_id": "p", "amount": 1, "to": {"user_ids": ["a\u0000"]}, "put_content": "", "put_rule": ""}"#;
    assert_eq!(
        refused::<PushPlanRequest>(item).as_deref(),
        Some("to.user_ids[0]")
    );
    assert_eq!(
        refused_query::<PageQuery>("cursor=a%00b").as_deref(),
        Some("cursor")
    );
    // An escaped backslash before it makes it plain text.
    let put: PutRequest = parse_json(br#"{"amount": "5", "product_id": "\\u0000"}"#).unwrap();
    assert_eq!(put.product_id.as_deref(), Some(r"\u0000"));
}

#[test]
fn both_spellings_of_registration_are_taken() {
    let body = r#"{"username": "a", "password": "p", "confirmPassword": "p", "email": "e", "phone": "1", "license_key": "L"}"#;
    let request: RegisterRequest = parse_json(body.as_bytes()).unwrap();
    assert_eq!(
        (
            request.confirm_password.expose_secret(),
            request.license_key.expose_secret()
        ),
        ("p", "L")
    );
    assert_eq!(request.nickname, None);
}

#[test]
fn query_parameters_are_named_too() {
    for limit in ["abc", "0", "101", "-1", "1.5", "", "99999999999"] {
        assert_eq!(
            refused_query::<PageQuery>(&format!("limit={limit}")).as_deref(),
            Some("limit"),
            "{limit}"
        );
    }
    assert_eq!(
        refused_query::<PlanListQuery>("status=lost").as_deref(),
        Some("status")
    );
    assert_eq!(
        refused_query::<PlanListQuery>("push=").as_deref(),
        Some("push")
    );
    assert_eq!(
        refused_query::<StatisticsQuery>("type=7").as_deref(),
        Some("type")
    );
    assert_eq!(
        refused_query::<FlowListQuery>("type=theft").as_deref(),
        Some("type")
    );
    for month in ["2026-13", "2026-00", "202611", "2026-1", "0000-01", "now"] {
        assert_eq!(
            refused_query::<FlowListQuery>(&format!("month={month}")).as_deref(),
            Some("month"),
            "{month}"
        );
    }
    assert_eq!(
        refused_query::<MonthlyQuery>("months=25").as_deref(),
        Some("months")
    );
    assert_eq!(
        refused_query::<PageQuery>("limit=1&limit=2").as_deref(),
        Some("limit")
    );
    let query: PlanListQuery = parse_query(b"status=put_failed&limit=100&unknown=1").unwrap();
    assert_eq!(query.status, Some(PlanStatus::PutFailed));
}

#[test]
fn percentages_are_exact() {
    for (text, basis_points) in [
        ("10%", 1000),
        ("12.5%", 1250),
        ("0.25%", 25),
        ("100%", 10_000),
        ("0.01%", 1),
    ] {
        assert_eq!(parse_percent(text), Some(basis_points));
        assert_eq!(percent_text(basis_points), text);
    }
    for text in ["0%", "100.01%", "10", "%", "-1%", "1.005%", " 1%", "1 %"] {
        assert_eq!(parse_percent(text), None, "{text}");
    }
}

#[test]
fn a_campaigns_value_is_money_or_a_percentage() {
    let value = |value: &str| {
        let body = format!(
            r#"{{"name": "n", "type": "custom", "mode": "discount", "value": {value}, "amount_requirement": 1, "kind": "periodic", "valid_days": 1}}"#
        );
        parse_json::<CreateCampaignRequest>(body.as_bytes())
            .map(|request| request.value)
            .map_err(|failure| failure.refusal.field)
    };
    assert!(matches!(
        value(r#""10%""#),
        Ok(ValueInput::BasisPoints(1000))
    ));
    assert!(matches!(value(r#""50.00""#), Ok(ValueInput::Money(5000))));
    assert!(matches!(value("50"), Ok(ValueInput::Money(5000))));
    for junk in [r#""200%""#, r#""ten""#, "-5", "true", "null", r#""1.005""#] {
        assert_eq!(value(junk).err(), Some(Some("value".to_owned())), "{junk}");
    }
}

#[test]
fn ratings_are_tenths_up_to_five() {
    let rating = |rating: &str| {
        let body = format!(r#"{{"kind": "personal", "name": "x", "rating": {rating}}}"#);
        parse_json::<CreateAcceptorRequest>(body.as_bytes())
            .ok()
            .and_then(|request| rating_tenths(&request.rating?))
    };
    assert_eq!(rating("4.8"), Some(48));
    assert_eq!(rating(r#""5""#), Some(50));
    assert_eq!(rating("0"), Some(0));
    for junk in ["5.1", "4.85", "-1", "1e0", r#""x""#, "99999999999999999999"] {
        assert_eq!(rating(junk), None, "{junk}");
    }
}

#[test]
fn ratios_are_rounded_half_to_even() {
    assert_eq!(ratio_text(69, 10_000, 4).as_deref(), Some("0.0069"));
    assert_eq!(ratio_text(1, 3, 4).as_deref(), Some("0.3333"));
    assert_eq!(ratio_text(2, 3, 4).as_deref(), Some("0.6667"));
    assert_eq!(ratio_text(1, 20_000, 4).as_deref(), Some("0.0000"));
    assert_eq!(ratio_text(3, 20_000, 4).as_deref(), Some("0.0002"));
    assert_eq!(ratio_text(-1, 2, 4).as_deref(), Some("-0.5000"));
    assert_eq!(
        ratio_text(i64::MAX, 1, 4).as_deref(),
        Some("9223372036854775807.0000")
    );
    assert_eq!(ratio_text(5, 0, 4), None);
}
