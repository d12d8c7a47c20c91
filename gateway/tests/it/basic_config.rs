//! What a client must know before anybody logs in.

use adfolio_gateway::lang::Lang;
use adfolio_testkit::eventually;
use serde_json::{Value, json};

use crate::fakes::Front;

async fn config(front: &Front, query: &str) -> Value {
    front
        .send(front.get(&format!("/basic_config{query}")))
        .await
        .data()
}

#[tokio::test]
async fn it_is_composed_of_what_the_services_say() {
    let front = Front::start().await;
    let config = config(&front, "").await;
    assert_eq!(config["currency"], "USD");
    assert_eq!(config["customer_service_url"][0]["label"], "Chat");
    assert_eq!(config["recharge_customer_service_url"][0]["type"], 1);
    assert_eq!(config["customer_service_url"][0]["hours"], "Always");
    assert_eq!(
        config["deposit_methods"],
        json!([{
            "id": "method-1", "name": "Bank transfer", "min": "10.00", "max": null, "fee": "No fee", "arrival": "Within a day",
        }])
    );
    assert_eq!(config["legal"], json!(["terms"]));
    assert_eq!(
        config["withdraw_method_config"],
        json!([{"method": "bank_card", "enabled": true, "min": "10.00", "max": "50000.00", "fee": "1.50"}])
    );
    assert_eq!(config["withdrawal_cooling_off_hours"], 36);
    assert_eq!(
        config["faq_config"][0]["title"],
        "How long does learning take?"
    );
    assert_eq!(config["operating_rules"], "Rules in en");
    assert_eq!(config["activity_rules"], "One coupon each.");
    assert_eq!(
        config["put_amount"],
        json!({"min": "100.00", "max": "5000.00"})
    );
    assert_eq!(
        config["exchange_limit"],
        json!({"min": "50.00", "max": "9000.00"})
    );
    assert_eq!(config["stats_refresh_seconds"], 30);
    assert_eq!(config["upload_max_bytes"], 5 * 1024 * 1024);
    assert_eq!(config["marketing"], Value::Null);
}

#[tokio::test]
async fn browsers_languages_lead_to_the_twelve_as_headers_do() {
    let front = Front::start().await;
    let config = config(&front, "").await;
    let map = config["client_language_map"].as_array().unwrap();
    assert_eq!(map.len(), Lang::ALL.len());
    for entry in map {
        let target = Lang::from_code(entry["targets"].as_str().unwrap()).unwrap();
        for code in entry["source"].as_str().unwrap().split(',') {
            assert_eq!(Lang::from_tag(code), Some(target), "{code}");
        }
    }
}

#[tokio::test]
async fn it_speaks_the_language_that_is_asked_for() {
    let front = Front::start().await;
    assert_eq!(
        config(&front, "?lang=zh").await["operating_rules"],
        "Rules in zh"
    );
    assert_eq!(
        config(&front, "?lang=xx").await["operating_rules"],
        "Rules in en"
    );
    let browser = front
        .get("/basic_config")
        .header("Accept-Language", "pt-BR,en;q=0.5");
    assert_eq!(
        front.send(browser).await.data()["operating_rules"],
        "Rules in pt"
    );
    let both = front.get("/basic_config?lang=de").header("X-Lang", "fr");
    assert_eq!(
        front.send(both).await.data()["operating_rules"],
        "Rules in de"
    );
}

#[tokio::test]
async fn who_has_it_already_is_told_so() {
    let front = Front::start().await;
    let first = front.send(front.get("/basic_config")).await;
    let tag = first.header("etag");
    assert!(!tag.is_empty() && first.header("cache-control") == "no-cache");
    let ask = |tag: &str| {
        front
            .get("/basic_config")
            .header("If-None-Match", tag.to_owned())
    };
    let known = front.send(ask(tag)).await;
    assert_eq!(
        (known.http, known.body.len(), known.header("etag")),
        (304, 0, tag)
    );
    let other = front.send(ask(tag).header("X-Lang", "vi")).await;
    assert_eq!(other.http, 200);
    assert_eq!(front.send(ask("W/\"other\"")).await.http, 200);
}

#[tokio::test]
async fn services_are_asked_once_in_a_while_and_missed_for_as_long_as_they_are_away() {
    let front = Front::start_with(|config| config.basic_config_cache_seconds = 1).await;
    for _ in 0..20 {
        config(&front, "").await;
    }
    assert!(front.fakes.said().content_calls < 20);
    front.fakes.said().away = true;
    let calls = front.fakes.said().content_calls;
    eventually("the services are asked again", || async {
        assert_eq!(config(&front, "").await["operating_rules"], "Rules in en");
        front.fakes.said().content_calls > calls
    })
    .await;
    // In this language nothing was ever known.
    let unknown = front.send(front.get("/basic_config?lang=ru")).await;
    assert_eq!(unknown.refusal(), (503, 500, "UNAVAILABLE".to_owned()));
    front.fakes.said().away = false;
    assert_eq!(
        config(&front, "?lang=ru").await["operating_rules"],
        "Rules in ru"
    );
    front.fakes.said().rules = "Other rules in".to_owned();
    eventually("the change is seen", || async {
        config(&front, "").await["operating_rules"] == "Other rules in en"
    })
    .await;
}
