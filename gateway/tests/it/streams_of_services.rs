//! Event streams, fed by the real services.

use std::collections::BTreeSet;

use adfolio_testkit::{eventually, within_limit};
use reqwest::Method;
use serde_json::json;

use crate::stack::Stack;

/// An open stream.
struct Stream {
    response: reqwest::Response,
    text: String,
}

impl Stream {
    async fn open(stack: &Stack, token: &str) -> Self {
        let request = stack.request(Method::GET, "/stream", Some(token));
        let mut stream = Self {
            response: request.send().await.unwrap(),
            text: String::new(),
        };
        // From the first word on nothing is missed.
        stream.wait_for(&["unread", "wallet", "plan"]).await;
        stream
    }

    /// Reads until an event of each of these kinds has come.
    async fn wait_for(&mut self, kinds: &[&str]) {
        let mut missing: BTreeSet<&str> = kinds.iter().copied().collect();
        within_limit("the stream tells it", async {
            while !missing.is_empty() {
                let piece = self.response.chunk().await.unwrap().expect("it goes on");
                self.text.push_str(std::str::from_utf8(&piece).unwrap());
                missing.retain(|kind| !self.text.contains(&format!("event: {kind}\n")));
            }
        })
        .await;
        self.text.clear();
    }

    async fn ends(mut self) {
        within_limit("the stream ends", async {
            while let Ok(Some(_)) = self.response.chunk().await {}
        })
        .await;
    }
}

#[tokio::test]
async fn a_deposit_and_a_put_are_told_and_the_reason_is_kept() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let product = stack.product(&admin).await;
    let (user, token) = stack.user(&admin).await;
    let mut stream = Stream::open(&stack, &token).await;
    let deposit = json!({
        "user_id": user, "amount": "500.00", "remark": "Bank transfer", "reason": "Statement of May, page 3",
    });
    let deposited = stack.post_keyed("/admin/wallet/deposit", &admin, "deposit-1", &deposit);
    deposited.await.ok();
    stream.wait_for(&["wallet", "unread"]).await;
    let put = json!({"product_id": product, "amount": "200.00"});
    let placed = stack.post_keyed("/plan/order/put", &token, "put-1", &put);
    placed.await.ok();
    stream.wait_for(&["wallet", "plan"]).await;
    eventually("the audit log has the reason", || async {
        let log = stack
            .get("/admin/audit/list?action=wallet.deposit", &admin)
            .await
            .ok();
        log["items"][0]["reason"] == "Statement of May, page 3"
    })
    .await;
    stack.post("/auth/logout", &token, &json!({})).await.ok();
    stream.ends().await;
}

#[tokio::test]
async fn a_word_to_all_reaches_all_who_look_and_a_lost_account_none() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (user, token) = stack.user(&admin).await;
    let (_, other) = stack.user(&admin).await;
    let mut streams = [
        Stream::open(&stack, &token).await,
        Stream::open(&stack, &other).await,
    ];
    let notice = json!({
        "category": "announcement",
        "to": "all",
        "title": {"en": "News"},
        "content": {"en": "There are news."},
    });
    let told = stack.post_keyed("/admin/notification/create", &admin, "notice-1", &notice);
    told.await.ok();
    for stream in &mut streams {
        stream.wait_for(&["unread"]).await;
    }
    let disable = json!({"id": user, "state": "disabled", "reason": "test"});
    stack.post("/admin/user/state", &admin, &disable).await.ok();
    let [disabled, _] = streams;
    disabled.ends().await;
}
