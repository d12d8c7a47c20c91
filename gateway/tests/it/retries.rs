//! What the gateway tries again: what changes nothing, and what an idempotency key makes one call.

use std::path::Path;

use serde_json::json;
use uuid::Uuid;

use crate::fakes::Front;

const PIN: &str = "b6af3f19458ec8e6faff8ee1e0440ecb";

#[tokio::test]
async fn only_a_known_key_lets_a_change_be_tried_again_and_three_times_at_most() {
    let front = Front::start().await;
    let token = Uuid::now_v7().to_string();
    let withdraw = json!({"amount": "10.00", "method": "bank_card", "password": PIN});
    let put = json!({"product_id": Uuid::now_v7(), "amount": "100.00"});
    let check = json!({"password": PIN});
    for (path, body, method, key, attempts) in [
        ("/user/withdraw", &withdraw, "withdraw", None, 1),
        ("/user/withdraw", &withdraw, "withdraw", Some("key-1"), 3),
        ("/plan/order/put", &put, "put_plan", None, 1),
        ("/plan/order/put", &put, "put_plan", Some("key-2"), 3),
        // Where keys mean nothing, one that is sent all the same does not either.
        ("/check/password", &check, "check_pay_password", None, 1),
        (
            "/check/password",
            &check,
            "check_pay_password",
            Some("key-3"),
            1,
        ),
    ] {
        front.fakes.said().unavailable_calls.clear();
        let mut request = front.post(path, &token).json(body);
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        let answer = front.send(request).await;
        assert_eq!(
            answer.refusal(),
            (503, 500, "UNAVAILABLE".to_owned()),
            "{path}"
        );
        let calls = front.fakes.said().unavailable_calls.clone();
        assert_eq!(calls, [(method, attempts)].into(), "{path} under {key:?}");
    }
}

#[tokio::test]
async fn what_changes_nothing_is_tried_three_times_at_most() {
    let front = Front::start().await;
    let token = Uuid::now_v7().to_string();
    let list = front.get("/user/withdraw/list").header("X-CT", token);
    let answer = front.send(list).await;
    assert_eq!(answer.refusal(), (503, 500, "UNAVAILABLE".to_owned()));
    let calls = front.fakes.said().unavailable_calls.clone();
    assert_eq!(calls, [("list_withdrawals", 3)].into());
}

/// `send!(call.reading(), client.method, …)` tries again without a key, so it must only ever call what changes nothing.
#[test]
fn only_calls_that_change_nothing_are_made_as_reads() {
    const CHANGES_NOTHING: [&str; 6] = [
        "admin_get_",
        "admin_list_",
        "count_",
        "get_",
        "list_",
        "look_up_",
    ];
    let mut methods = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for call in text.split(".reading()").skip(1) {
                let method = call
                    .strip_prefix(',')
                    .and_then(|call| call.split(',').next()?.trim().split_once('.'));
                let Some((_, method)) = method else {
                    panic!("{}: {call:.80}", path.display());
                };
                methods.push(method.to_owned());
            }
        }
    }
    assert!(methods.len() > 40, "{methods:?}");
    for method in methods {
        let harmless = CHANGES_NOTHING
            .iter()
            .any(|start| method.starts_with(start));
        assert!(harmless, "{method} is called as if it changed nothing");
    }
}
