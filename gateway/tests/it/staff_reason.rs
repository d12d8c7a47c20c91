//! Why staff do what they do.

use serde_json::json;

use crate::fakes::{Front, staff_token};

#[tokio::test]
async fn the_reason_of_staff_goes_with_their_call() {
    let front = Front::start().await;
    let staff = staff_token();
    let long = "x".repeat(600);
    for (body, reason) in [
        (
            json!({"reason": "  Asked by mail\u{fc}  "}),
            "Asked by mail\u{fc}",
        ),
        (json!({"reason": null}), ""),
        (json!({}), ""),
        (json!({"reason": long}), &long[..500]),
    ] {
        let mut body = body;
        body["id"] = json!("0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f");
        body["state"] = json!("disabled");
        let answer = front
            .send(front.post("/admin/user/state", &staff).json(&body))
            .await;
        assert_eq!(answer.refusal().2, "NOT_FOUND", "{answer:?}");
        assert_eq!(front.fakes.said().reasons.pop().as_deref(), Some(reason));
    }
}
