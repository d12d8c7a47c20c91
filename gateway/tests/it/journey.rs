//! The main job through the gateway: deposit, put, reports, figures, settlement.

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::stack::Stack;

const CSV: &str = "id,plan,at,views,clicks,cost,income\n\
    r1,{plan},{time},1000,7,12.50,20.00\n\
    r2,{plan},{time},500,3,7.505,1.10\n\
    r3,nobody,{time},1,1,1,1\n";

fn mapping() -> String {
    json!({"id": "report_id", "plan": "plan_number", "at": "time", "views": "impressions", "clicks": "clicks", "cost": "spend", "income": "revenue"})
        .to_string()
}

#[tokio::test]
async fn money_goes_in_and_comes_out_to_the_cent() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (user, token) = stack.user(&admin).await;
    let product = stack.product(&admin).await;

    let info = stack.get("/user/info", &token).await.ok();
    assert_eq!(
        (&info["id"], &info["state"], &info["entry"]),
        (&json!(user), &json!("active"), &json!("register"))
    );
    assert_eq!(
        (
            &info["has_bank_card"],
            &info["avatar_url"],
            &info["deposit"]
        ),
        (&json!(false), &Value::Null, &json!("0.00"))
    );

    let entry = stack
        .post(
            "/admin/wallet/deposit",
            &admin,
            &json!({"user_id": user, "amount": 1000, "remark": "hello"}),
        )
        .await
        .ok();
    assert_eq!(
        (&entry["type"], &entry["amount"], &entry["remark"]),
        (&json!("system_top_up"), &json!("1000.00"), &json!("hello"))
    );
    assert_eq!(entry["hash"].as_str().unwrap().len(), 64);

    let detail = stack
        .post(
            "/plan/order/app/detail",
            &token,
            &json!({"product_id": product}),
        )
        .await
        .ok();
    assert_eq!(
        (&detail["put_min"], &detail["put_max"], &detail["coupons"]),
        (&json!("100.00"), &json!("5000.00"), &json!([]))
    );
    let reply = stack
        .post(
            "/plan/order/put",
            &token,
            &json!({"product_id": product, "amount": 99.99}),
        )
        .await;
    reply.refused(400, "AMOUNT_OUT_OF_RANGE");
    let reply = stack
        .post(
            "/plan/order/put",
            &token,
            &json!({"product_id": product, "amount": "1000.01"}),
        )
        .await;
    assert_eq!(reply.msg, "insufficient balance");
    reply.refused(400, "INSUFFICIENT_BALANCE");
    let put = stack
        .post(
            "/plan/order/put",
            &token,
            &json!({"product_id": product, "amount": "500"}),
        )
        .await;
    assert_eq!(put.msg, "placement successful");
    let plan = put.ok();
    assert_eq!(
        (&plan["status"], &plan["put_amount"], &plan["official"]),
        (&json!("matching"), &json!("500.00"), &json!(false))
    );
    let (plan_id, number) = (
        plan["id"].clone(),
        plan["plan_number"].as_str().unwrap().to_owned(),
    );

    // Whichever part of the form comes first.
    let csv = CSV
        .replace("{plan}", &number)
        .replace("{time}", &chrono::Utc::now().to_rfc3339());
    let file = || Part::text(csv.clone()).file_name("reports.csv");
    let last = Form::new()
        .text("source", "network-a")
        .text("mapping", mapping())
        .part("file", file());
    let import = stack
        .send(
            stack
                .request(Method::POST, "/admin/delivery/import", Some(&admin))
                .multipart(last),
        )
        .await
        .ok();
    assert_eq!(
        (
            &import["read"],
            &import["applied"],
            &import["rejected_count"]
        ),
        (&json!(3), &json!(2), &json!(1)),
        "{import}"
    );
    assert_eq!(import["rejected"][0]["line"], 4);
    let first = Form::new()
        .part("file", file())
        .text("mapping", mapping())
        .text("source", "network-a");
    let repeat = stack
        .send(
            stack
                .request(Method::POST, "/admin/delivery/import", Some(&admin))
                .multipart(first),
        )
        .await
        .ok();
    assert_eq!(
        (&repeat["applied"], &repeat["repeated"]),
        (&json!(0), &json!(2)),
        "{repeat}"
    );

    let statistics = stack
        .get(
            "/ad/order/data_statistics/list?type=4&user_time_zone=Asia/Kathmandu",
            &token,
        )
        .await
        .ok();
    assert_eq!(
        (&statistics["impressions"], &statistics["clicks"]),
        (&json!(1500), &json!(10))
    );
    // 20.005 half to even.
    assert_eq!(
        (&statistics["consumed"], &statistics["revenue"]),
        (&json!("20.00"), &json!("21.10"))
    );
    assert_eq!(
        (&statistics["ctr"], &statistics["cpc"], &statistics["roas"]),
        (&json!("0.0067"), &json!("2.00"), &json!("1.0550"))
    );

    stack
        .post(
            "/admin/plan/finish",
            &admin,
            &json!({"id": plan_id, "outcome": "put_finished", "reason": "window over"}),
        )
        .await
        .ok();
    adfolio_testkit::eventually("the plan is settled", || async {
        stack
            .post("/admin/plan/settle", &admin, &json!({"id": plan_id}))
            .await
            .code
            == 200
    })
    .await;
    let property = stack.get("/user/property", &token).await.ok();
    assert_eq!(
        (&property["available_funds"], &property["total_assets"]),
        (&json!("1001.10"), &json!("1001.10")),
        "{property}"
    );
    let detail = stack
        .post("/plan/order/detail", &token, &json!({"id": plan_id}))
        .await
        .ok();
    assert_eq!(
        (&detail["status"], &detail["profit"]),
        (&json!("settled"), &json!("1.10"))
    );
    assert!(!detail["flow"].as_array().unwrap().is_empty());
    assert!(detail["timeline"].as_array().unwrap().len() >= 4);
    let staffs = stack
        .post("/admin/plan/detail", &admin, &json!({"id": plan_id}))
        .await
        .ok();
    assert_eq!(staffs["user"]["id"], json!(user));
    assert!(staffs["user"]["username"].is_string());
    let flow = stack
        .get("/transaction_flow/list?limit=100", &token)
        .await
        .ok();
    assert!(flow["items"].as_array().unwrap().len() >= 4);
    let months = stack
        .get("/transaction_flow/monthly?months=1", &token)
        .await
        .ok();
    assert_eq!(months["items"].as_array().unwrap().len(), 1);
    let books = stack.get("/admin/wallet/reconcile", &admin).await.ok();
    assert_eq!(books["ok"], true, "{books}");
}

#[tokio::test]
async fn somebody_elses_things_answer_like_unknown_ones() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (owner, owners) = stack.user(&admin).await;
    let (_, strangers) = stack.user(&admin).await;
    let product = stack.product(&admin).await;
    stack
        .post(
            "/admin/wallet/deposit",
            &admin,
            &json!({"user_id": owner, "amount": 500, "remark": ""}),
        )
        .await
        .ok();
    let plan = stack
        .post(
            "/plan/order/put",
            &owners,
            &json!({"product_id": product, "amount": 100}),
        )
        .await
        .ok();
    let unknown = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f";
    for id in [plan["id"].as_str().unwrap(), unknown] {
        let data = stack
            .post("/plan/order/detail", &strangers, &json!({"id": id}))
            .await
            .refused(405, "NOT_FOUND");
        assert!(data["field"].is_string());
    }
    assert_eq!(
        stack.get("/plan/order/list", &strangers).await.ok()["items"],
        json!([])
    );
    let page = stack.get("/plan/order/list?limit=1", &owners).await.ok();
    assert_eq!(
        (&page["counts"]["matching"], &page["next_cursor"]),
        (&json!(1), &Value::Null)
    );
    let data = stack
        .get("/plan/order/list?cursor=junk", &owners)
        .await
        .refused(400, "VALIDATION");
    assert_eq!(data["field"], "cursor");
}
