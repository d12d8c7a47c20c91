//! Products, plans, follows, coupons, delivery, statistics.

use adfolio_testkit::eventually;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use super::{UNKNOWN, User, Walk};
use crate::stack::{Reply, product};

pub async fn walk(walk: &Walk) {
    let mine = walk
        .staff("/admin/product/create", product("Harbour Lights"))
        .await
        .ok();
    futures::join!(
        keeps_products(walk, &mine),
        follows(walk, &mine),
        puts(walk, &mine),
        claims(walk),
        proposes(walk),
    );
}

async fn keeps_products(walk: &Walk, known: &Value) {
    let mut edited = product("Harbour Lights II");
    edited["id"] = known["id"].clone();
    walk.staff("/admin/product/edit", edited.clone()).await.ok();
    edited["id"] = json!(UNKNOWN);
    let reply = walk.staff("/admin/product/edit", edited).await;
    reply.refused(405, "NOT_FOUND");
    walk.staff_get("/admin/product/list").await;
    let user = walk.user().await;
    let stack = &walk.stack;
    stack.get("/plan/product/list", &user.token).await.ok();
    for (id, code) in [(&known["id"], 200), (&json!(UNKNOWN), 405)] {
        let body = json!({"product_id": id});
        let reply = stack.post("/plan/order/app/detail", &user.token, &body);
        assert_eq!(reply.await.code, code);
    }
}

async fn follows(walk: &Walk, product: &Value) {
    let stack = &walk.stack;
    let user = walk.funded("500.00").await;
    let operator = json!({"name": "North Sea Media"});
    let operator = walk.staff("/admin/operator/create", operator).await.ok();
    let follow = |id: &Value| json!({"operator_id": id});
    let reply = stack
        .post("/assistance/follow", &user.token, &follow(&json!("nobody")))
        .await;
    reply.refused(400, "FOLLOW_ID_ERROR");
    let body = follow(&operator["id"]);
    let reply = stack.post("/assistance/follow", &user.token, &body).await;
    reply.ok();
    let reply = stack.post("/assistance/follow", &user.token, &body).await;
    reply.refused(400, "FOLLOW_ID_CURRENT");
    let page = stack.get("/assistance/list", &user.token).await.ok();
    assert_eq!(page["current_operator_id"], operator["id"]);
    let info = stack.get("/user/info", &user.token).await.ok();
    assert_eq!(info["proxy_operator_id"], operator["id"]);
    walk.staff_get("/admin/operator/list").await;

    let push = |to: Value, product: &Value, amount: &str| {
        json!({
            "product_id": product, "amount": amount, "to": to, "put_content": "Video", "put_rule": "Evenly",
            "reason": "for followers",
        })
    };
    let to_followers = json!({"operator_id": operator["id"]});
    let body = push(to_followers.clone(), &product["id"], "200.00");
    let pushed = walk.staff("/admin/plan/push", body).await.ok();
    assert_eq!(pushed["items"][0]["user_id"], json!(user.id));
    let unknown = push(to_followers.clone(), &json!(UNKNOWN), "200.00");
    let reply = walk.staff("/admin/plan/push", unknown).await;
    reply.refused(405, "NOT_FOUND");
    let beyond = push(to_followers, &product["id"], "9000.00");
    let reply = walk.staff("/admin/plan/push", beyond).await;
    reply.refused(400, "AMOUNT_OUT_OF_RANGE");
    for nobody in [json!({}), json!({"user_ids": []})] {
        let body = push(nobody, &product["id"], "200.00");
        let reply = walk.staff("/admin/plan/push", body).await;
        reply.refused(400, "VALIDATION");
    }
    is_put_once(walk, &user, &pushed["items"][0]["plan_id"]).await;
}

async fn is_put_once(walk: &Walk, user: &User, plan: &Value) {
    let stack = &walk.stack;
    let path = "/plan/order/await/put/count";
    let waiting = stack.post(path, &user.token, &json!({})).await.ok();
    assert_eq!(waiting["count"], 1);
    let listed = stack
        .get("/plan/order/list?push=official", &user.token)
        .await
        .ok();
    assert_eq!(
        (&listed["items"][0]["status"], &listed["counts"]["waiting"]),
        (&json!("waiting"), &json!(1))
    );
    let put = json!({"plan_id": plan, "amount": "200.00"});
    stack.post("/plan/order/put", &user.token, &put).await.ok();
    let reply = stack.post("/plan/order/put", &user.token, &put).await;
    reply.refused(400, "PLAN_NOT_PUTTABLE");
}

async fn campaign(walk: &Walk, changes: Value) -> Value {
    let mut body = json!({
        "name": format!("Walk {}", uuid::Uuid::new_v4()), "type": "fixed_amount", "mode": "deduction", "value": "20.00",
        "amount_requirement": "150.00", "kind": "staff", "valid_days": 30,
    });
    let changes = changes.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(changes);
    let made = walk.staff("/admin/coupon/campaign/create", body).await.ok();
    if made["state"] == "proposed" {
        return decide(walk, &walk.second, &made["id"], "released")
            .await
            .ok();
    }
    made
}

async fn decide(walk: &Walk, by: &str, campaign: &Value, decision: &str) -> Reply {
    let body = json!({"id": campaign, "decision": decision, "reason": "agreed"});
    let path = "/admin/coupon/campaign/decide";
    walk.stack.post(path, by, &body).await
}

/// A campaign that nothing bounds gives out nothing until another person releases it.
async fn proposes(walk: &Walk) {
    let user = walk.user().await;
    let body = json!({
        "name": "Boundless", "type": "custom", "mode": "deduction", "value": "20.00", "amount_requirement": "150.00",
        "kind": "staff", "valid_days": 30,
    });
    let path = "/admin/coupon/campaign/create";
    let proposed = walk.staff(path, body).await.ok();
    assert_eq!(proposed["state"], "proposed");
    let id = &proposed["id"];
    let grant = json!({"campaign_id": id, "user_id": user.id});
    let reply = walk.staff("/admin/coupon/grant", grant.clone()).await;
    reply.refused(400, "COUPON_NOT_USABLE");
    let own = decide(walk, &walk.admin, id, "released").await;
    assert_eq!(own.refused(403, "FORBIDDEN")["field"], "requested_by");
    for _ in 0..2 {
        let released = decide(walk, &walk.second, id, "released").await.ok();
        assert_eq!(released["state"], "released");
    }
    let other = decide(walk, &walk.second, id, "rejected").await;
    other.refused(400, "NOTHING_CHANGED");
    let unknown = decide(walk, &walk.second, &json!(UNKNOWN), "rejected").await;
    unknown.refused(405, "NOT_FOUND");
    walk.staff("/admin/coupon/grant", grant).await.ok();
}

async fn puts(walk: &Walk, product: &Value) {
    let stack = &walk.stack;
    let user = walk.funded("1000.00").await;
    let staffs = campaign(walk, json!({"total": 1})).await;
    let grant = json!({"campaign_id": staffs["id"], "user_id": user.id, "reason": "sorry"});
    let coupon = walk.staff("/admin/coupon/grant", grant.clone()).await.ok();
    let reply = walk.staff("/admin/coupon/grant", grant).await;
    reply.refused(400, "COUPON_NOT_USABLE");
    let unknown = json!({"campaign_id": UNKNOWN, "user_id": user.id});
    let reply = walk.staff("/admin/coupon/grant", unknown).await;
    reply.refused(405, "NOT_FOUND");

    let put = |product: &Value, amount: Value| json!({"product_id": product, "amount": amount});
    let with_coupon = |amount: &str| json!({"product_id": product["id"], "amount": amount, "user_coupon_id": coupon["id"]});
    for (body, code, reason) in [
        (put(&json!(UNKNOWN), json!(200)), 405, "NOT_FOUND"),
        (
            put(&product["id"], json!(99.99)),
            400,
            "AMOUNT_OUT_OF_RANGE",
        ),
        (
            put(&product["id"], json!("4000")),
            400,
            "INSUFFICIENT_BALANCE",
        ),
        (put(&product["id"], json!("1e3")), 400, "VALIDATION"),
        (with_coupon("149.99"), 400, "COUPON_BELOW_REQUIREMENT"),
    ] {
        let reply = stack.post("/plan/order/put", &user.token, &body).await;
        reply.refused(code, reason);
    }
    let reply = stack
        .post("/plan/order/put", &user.token, &with_coupon("149.99"))
        .await;
    let refused = reply.refused(400, "COUPON_BELOW_REQUIREMENT");
    assert_eq!(refused["missing"], "0.01");
    let keyed = stack
        .post_keyed("/plan/order/put", &user.token, "walk", &with_coupon("300"))
        .await;
    let plan = keyed.ok();
    assert_eq!(
        (&plan["paid_amount"], &plan["discount_amount"]),
        (&json!("280.00"), &json!("20.00"))
    );
    let reply = stack
        .post_keyed("/plan/order/put", &user.token, "walk", &with_coupon("301"))
        .await;
    reply.refused(400, "IDEMPOTENCY_KEY_REUSED");
    let again = with_coupon("300");
    let reply = stack.post("/plan/order/put", &user.token, &again).await;
    reply.refused(400, "COUPON_NOT_USABLE");
    runs(walk, &user, &plan, &product["id"]).await;
}

async fn runs(walk: &Walk, user: &User, plan: &Value, product: &Value) {
    let stack = &walk.stack;
    is_cancelled_while_it_matches(walk, user, product).await;
    let failing = json!({"product_id": product, "amount": "100.00"});
    let failing = stack
        .post("/plan/order/put", &user.token, &failing)
        .await
        .ok();
    walk.staff("/admin/plan/finish", finish(&failing["id"], "put_failed"))
        .await
        .ok();
    let report = json!({
        "report_id": "walk-1", "plan_number": plan["plan_number"], "time": chrono::Utc::now(), "impressions": 1000,
        "clicks": 7, "spend": "12.505", "revenue": "20.00",
    });
    let form = |file: String| {
        let part = Part::text(file).file_name("reports.jsonl");
        let same = json!({
            "report_id": "report_id", "plan_number": "plan_number", "time": "time", "impressions": "impressions",
            "clicks": "clicks", "spend": "spend", "revenue": "revenue",
        });
        Form::new()
            .text("source", "walk")
            .text("mapping", same.to_string())
            .part("file", part)
    };
    let path = "/admin/delivery/import";
    let imported = stack
        .post_form(path, &walk.admin, form(format!("{report}\n{{}}\n")))
        .await
        .ok();
    assert_eq!(
        (&imported["applied"], &imported["rejected"][0]["line"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(imported["totals"]["spend"], "12.505");
    is_released_by_another(walk, &imported).await;
    let jackpot = json!({"report_id": "walk-2", "spend": "0.01", "revenue": "900000000"});
    let jackpot = Value::Object(
        report
            .as_object()
            .unwrap()
            .clone()
            .into_iter()
            .chain(jackpot.as_object().unwrap().clone())
            .collect(),
    );
    let proposed = stack
        .post_form(path, &walk.admin, form(jackpot.to_string()))
        .await
        .ok();
    is_not_released_unnamed(walk, &proposed).await;
    let path = |id: &Value| format!("/plan/order/reports?plan_id={}", id.as_str().unwrap());
    let reports = stack.get(&path(&plan["id"]), &user.token).await.ok();
    assert_eq!(reports["items"][0]["source"], "walk");
    assert!(reports["items"][0]["import"]["sha256"].is_string());
    let reply = stack.get(&path(&json!(UNKNOWN)), &user.token).await;
    reply.refused(405, "NOT_FOUND");
    says_how_it_is_placed(walk, user, plan).await;
    is_settled_by_two(walk, user, plan).await;
}

/// Pace and placements, for the user and for staff.
async fn says_how_it_is_placed(walk: &Walk, user: &User, plan: &Value) {
    let of = |path: &str, id: &Value| format!("{path}?plan_id={}", id.as_str().unwrap());
    let stranger = walk.user().await;
    for path in ["/plan/order/pace", "/plan/order/placements"] {
        for (token, id) in [
            (&user.token, &json!(UNKNOWN)),
            (&stranger.token, &plan["id"]),
        ] {
            let reply = walk.stack.get(&of(path, id), token).await;
            reply.refused(405, "NOT_FOUND");
        }
        walk.stack
            .get(&of(path, &plan["id"]), &user.token)
            .await
            .ok();
    }
    for path in ["/admin/plan/pace", "/admin/plan/placements"] {
        let reply = walk
            .stack
            .get(&of(path, &json!(UNKNOWN)), &walk.admin)
            .await;
        reply.refused(405, "NOT_FOUND");
    }
    // Its network has no key of its own: a file reported it, without a placement.
    let pace = walk.staff_get(&of("/admin/plan/pace", &plan["id"])).await;
    assert_eq!(pace["state"], "not_paced");
    let placements = walk
        .staff_get(&of("/admin/plan/placements", &plan["id"]))
        .await;
    assert_eq!(placements["items"][0]["placement"], Value::Null);
    assert_eq!(placements["learning"]["of"], 50);
}

async fn is_cancelled_while_it_matches(walk: &Walk, user: &User, product: &Value) {
    let stack = &walk.stack;
    let path = "/plan/order/cancel";
    let put = json!({"product_id": product, "amount": "100.00"});
    let plan = stack.post("/plan/order/put", &user.token, &put).await.ok();
    let stranger = walk.user().await;
    for (token, id) in [
        (&user.token, &json!(UNKNOWN)),
        (&stranger.token, &plan["id"]),
    ] {
        let reply = stack.post(path, token, &json!({"plan_id": id})).await;
        reply.refused(405, "NOT_FOUND");
    }
    let by_id = json!({"plan_id": plan["id"]});
    for _ in 0..2 {
        let cancelled = stack.post(path, &user.token, &by_id).await.ok();
        assert_eq!(cancelled["status"], "put_failed");
        assert_eq!(cancelled["paid_amount"], "100.00");
    }
    let detail = json!({"id": plan["id"]});
    let detail = stack.post("/plan/order/detail", &user.token, &detail).await;
    let detail = detail.ok();
    assert_eq!(detail["result"], "0.00");
    let last = detail["timeline"].as_array().unwrap().last().unwrap();
    assert_eq!(last["reason"], "You cancelled it");
    let reply = walk
        .staff("/admin/plan/finish", finish(&plan["id"], "put_finished"))
        .await;
    reply.refused(400, "VALIDATION");
}

/// Finishes the plan and settles it, for which two members of staff ask.
async fn is_settled_by_two(walk: &Walk, user: &User, plan: &Value) {
    let stack = &walk.stack;
    let by_id = json!({"id": plan["id"]});
    let cancel = json!({"plan_id": plan["id"]});
    let reply = stack.post("/plan/order/cancel", &user.token, &cancel).await;
    reply.refused(400, "NOTHING_CHANGED");
    let reply = walk.staff("/admin/plan/settle", by_id.clone()).await;
    reply.refused(400, "VALIDATION");
    walk.staff("/admin/plan/finish", finish(&plan["id"], "put_finished"))
        .await
        .ok();
    let reply = walk
        .staff("/admin/plan/finish", finish(&plan["id"], "put_failed"))
        .await;
    reply.refused(400, "VALIDATION");
    eventually("a member of staff asks for the settlement", || async {
        let reply = walk.staff("/admin/plan/settle", by_id.clone()).await;
        reply.reason() == "APPROVAL_REQUIRED"
    })
    .await;
    let reply = walk.staff("/admin/plan/settle", by_id.clone()).await;
    reply.refused(400, "APPROVAL_REQUIRED");
    stack
        .post("/admin/plan/settle", &walk.second, &by_id)
        .await
        .ok();
    let unknown = json!({"id": UNKNOWN, "outcome": "put_finished", "reason": "over"});
    for path in [
        "/admin/plan/detail",
        "/admin/plan/finish",
        "/admin/plan/settle",
    ] {
        walk.staff(path, unknown.clone())
            .await
            .refused(405, "NOT_FOUND");
    }
    let reply = stack
        .post("/plan/order/detail", &user.token, &unknown)
        .await;
    reply.refused(405, "NOT_FOUND");
    let detail = stack
        .post("/plan/order/detail", &user.token, &by_id)
        .await
        .ok();
    assert!(!detail["series"].as_array().unwrap().is_empty());
    walk.staff("/admin/plan/detail", by_id).await.ok();
    let listed = walk
        .staff_get(&format!("/admin/plan/list?user_id={}", user.id))
        .await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 3);
    for kind in 1..=6 {
        let path = format!("/ad/order/data_statistics/list?type={kind}&user_time_zone=Asia/Tokyo");
        stack.get(&path, &user.token).await.ok();
    }
}

fn finish(plan: &Value, outcome: &str) -> Value {
    json!({"id": plan, "outcome": outcome, "reason": "over"})
}

const DECIDE: &str = "/admin/delivery/import/decide";

/// What one member of staff proposes, another one releases.
async fn is_released_by_another(walk: &Walk, imported: &Value) {
    let stack = &walk.stack;
    assert_eq!(
        (&imported["state"], &imported["notable"]),
        (&json!("proposed"), &json!([]))
    );
    let decide = |id: &Value, decision: &str| json!({"import_id": id, "decision": decision, "reason": "as agreed"});
    let id = &imported["import_id"];
    let own = walk.staff(DECIDE, decide(id, "released")).await;
    assert_eq!(own.refused(403, "FORBIDDEN")["field"], "requested_by");
    let unknown = decide(&json!(UNKNOWN), "released");
    stack
        .post(DECIDE, &walk.second, &unknown)
        .await
        .refused(405, "NOT_FOUND");
    let released = stack
        .post(DECIDE, &walk.second, &decide(id, "released"))
        .await
        .ok();
    assert_eq!(
        (&released["state"], &released["applied"]),
        (&json!("released"), &json!(1))
    );
    stack
        .post(DECIDE, &walk.second, &decide(id, "rejected"))
        .await
        .refused(400, "NOTHING_CHANGED");
}

/// Revenue out of all proportion is released by nobody who does not name it.
async fn is_not_released_unnamed(walk: &Walk, proposed: &Value) {
    let stack = &walk.stack;
    let rules = proposed["notable"].as_array().unwrap().iter();
    let rules: Vec<_> = rules.map(|notable| notable["rule"].clone()).collect();
    assert!(rules.contains(&json!("return_on_spend")), "{rules:?}");
    let decide = |decision: &str| json!({"import_id": proposed["import_id"], "decision": decision, "reason": "looks fine"});
    let slip = stack.post(DECIDE, &walk.second, &decide("released")).await;
    let data = slip.refused(400, "VALIDATION");
    assert_eq!(
        (&data["field"], &data["rule"]),
        (&json!("reason"), &json!("unnamed_limit"))
    );
    let rejected = stack.post(DECIDE, &walk.second, &decide("rejected")).await;
    assert_eq!(rejected.ok()["state"], "rejected");
    let listed = walk
        .staff_get("/admin/delivery/imports?state=rejected")
        .await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
}

async fn claims(walk: &Walk) {
    let stack = &walk.stack;
    let (user, late) = (walk.user().await, walk.user().await);
    let periodic = campaign(walk, json!({"kind": "periodic", "total": 1})).await;
    let percent =
        json!({"kind": "new_user", "type": "increment", "mode": "discount", "value": "10%"});
    campaign(walk, percent).await;
    let path = "/user_coupon/receive";
    let claimed = stack.post(path, &user.token, &json!({})).await;
    assert_eq!(claimed.msg, "Claimed successfully");
    assert_eq!(claimed.ok()["source"], "new_user");
    let reply = stack.post(path, &user.token, &json!({})).await;
    reply.refused(400, "COUPON_ALREADY_CLAIMED");
    let claim = json!({"campaign_id": periodic["id"]});
    stack.post(path, &user.token, &claim).await.ok();
    let reply = stack.post(path, &user.token, &claim).await;
    reply.refused(400, "COUPON_NAME_CLAIMED_TODAY");
    let reply = stack.post(path, &late.token, &claim).await;
    reply.refused(400, "COUPON_NOT_USABLE");
    let unknown = json!({"campaign_id": UNKNOWN});
    let reply = stack.post(path, &user.token, &unknown).await;
    reply.refused(405, "NOT_FOUND");
    let page = stack.get("/user_coupon/list", &user.token).await.ok();
    assert_eq!(page["counts"]["unused"], 2);
    assert!(!page["claimable"].as_array().unwrap().is_empty());
    walk.staff_get("/admin/coupon/campaign/list").await;
}
