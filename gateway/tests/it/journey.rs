//! The main job through the gateway: deposit, put, reports, figures, settlement.

use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::stack::{Reply, Stack};
use adfolio_testkit::eventually;

const CSV: &str = "id,plan,at,views,clicks,cost,income\n\
    r1,{plan},{time},1000,7,12.50,20.00\n\
    r2,{plan},{time},500,3,7.505,1.10\n\
    r3,nobody,{time},1,1,1,1\n";

fn mapping() -> String {
    json!({"id": "report_id", "plan": "plan_number", "at": "time", "views": "impressions", "clicks": "clicks", "cost": "spend", "income": "revenue"})
        .to_string()
}

/// One advertiser with a product to put money into.
struct Journey {
    stack: Stack,
    admin: String,
    user: String,
    token: String,
    product: String,
}

/// The value has these fields; others do not matter.
#[track_caller]
fn has(value: &Value, expected: &Value) {
    for (field, expected) in expected.as_object().unwrap() {
        assert_eq!(&value[field], expected, "{field} of {value}");
    }
}

#[tokio::test]
async fn money_goes_in_and_comes_out_to_the_cent() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (user, token) = stack.user(&admin).await;
    let product = stack.product(&admin).await;
    let journey = Journey {
        stack,
        admin,
        user,
        token,
        product,
    };
    journey.arrives().await;
    let plan = journey.puts().await;
    journey.is_reported(&plan).await;
    journey.settles(&plan).await;
}

impl Journey {
    async fn ask(&self, path: &str) -> Value {
        self.stack.get(path, &self.token).await.ok()
    }

    async fn staff(&self, path: &str, body: Value) -> Value {
        self.stack.post(path, &self.admin, &body).await.ok()
    }

    async fn put(&self, amount: Value) -> Reply {
        let body = json!({"product_id": self.product, "amount": amount});
        self.stack.post("/plan/order/put", &self.token, &body).await
    }

    async fn import(&self, form: Form) -> Value {
        let request = self
            .stack
            .request(Method::POST, "/admin/delivery/import", Some(&self.admin));
        self.stack.send(request.multipart(form)).await.ok()
    }

    async fn arrives(&self) {
        has(
            &self.ask("/user/info").await,
            &json!({
                "id": self.user, "state": "active", "entry": "register", "deposit": "0.00",
                "has_bank_card": false, "avatar_url": null,
            }),
        );
        let deposit = json!({"user_id": self.user, "amount": 1000, "remark": "hello"});
        let entry = self.staff("/admin/wallet/deposit", deposit).await;
        has(
            &entry,
            &json!({"type": "system_top_up", "amount": "1000.00", "remark": "hello", "account": "available"}),
        );
        assert_eq!(entry["hash"].as_str().unwrap().len(), 64);
    }

    async fn puts(&self) -> Value {
        let body = json!({"product_id": self.product});
        let detail = self
            .stack
            .post("/plan/order/app/detail", &self.token, &body)
            .await
            .ok();
        has(
            &detail,
            &json!({"put_min": "100.00", "put_max": "5000.00", "coupons": []}),
        );
        self.put(json!(99.99))
            .await
            .refused(400, "AMOUNT_OUT_OF_RANGE");
        let reply = self.put(json!("1000.01")).await;
        assert_eq!(reply.msg, "Insufficient balance");
        reply.refused(400, "INSUFFICIENT_BALANCE");
        let put = self.put(json!("500")).await;
        assert_eq!(put.msg, "Placement successful");
        let plan = put.ok();
        has(
            &plan,
            &json!({"status": "matching", "put_amount": "500.00", "official": false, "coupon": null}),
        );
        plan
    }

    async fn is_reported(&self, plan: &Value) {
        let number = plan["plan_number"].as_str().unwrap();
        let now = chrono::Utc::now().to_rfc3339();
        let csv = CSV.replace("{plan}", number).replace("{time}", &now);
        let file = || Part::text(csv.clone()).file_name("reports.csv");
        // Whichever part of the form comes first.
        let last = Form::new()
            .text("source", "network-a")
            .text("mapping", mapping())
            .part("file", file());
        let import = self.import(last).await;
        has(
            &import,
            &json!({"read": 3, "applied": 2, "repeated": 0, "rejected_count": 1}),
        );
        assert_eq!(import["rejected"][0]["line"], 4);
        let first = Form::new()
            .part("file", file())
            .text("mapping", mapping())
            .text("source", "network-a");
        has(
            &self.import(first).await,
            &json!({"applied": 0, "repeated": 2}),
        );
        // The spend is 20.005, half to even.
        has(
            &self
                .ask("/ad/order/data_statistics/list?type=4&user_time_zone=Asia/Kathmandu")
                .await,
            &json!({
                "type": 4, "impressions": 1500, "clicks": 10, "consumed": "20.00", "revenue": "21.10",
                "ctr": "0.0067", "cpc": "2.00", "roas": "1.0550",
            }),
        );
    }

    async fn settles(&self, plan: &Value) {
        let finish = json!({"id": plan["id"], "outcome": "put_finished", "reason": "window over"});
        self.staff("/admin/plan/finish", finish).await;
        let by_id = json!({"id": plan["id"]});
        eventually("the plan is settled", || async {
            self.stack
                .post("/admin/plan/settle", &self.admin, &by_id)
                .await
                .code
                == 200
        })
        .await;
        has(
            &self.ask("/user/property").await,
            &json!({"available_funds": "1001.10", "total_assets": "1001.10"}),
        );
        let detail = self
            .stack
            .post("/plan/order/detail", &self.token, &by_id)
            .await
            .ok();
        has(&detail, &json!({"status": "settled", "profit": "1.10"}));
        assert!(!detail["flow"].as_array().unwrap().is_empty());
        assert!(detail["timeline"].as_array().unwrap().len() >= 4);
        let staffs = self.staff("/admin/plan/detail", by_id).await;
        assert_eq!(staffs["user"]["id"], json!(self.user));
        assert!(staffs["user"]["username"].is_string());
        let flow = self.ask("/transaction_flow/list?limit=100").await;
        assert!(flow["items"].as_array().unwrap().len() >= 4);
        let months = self.ask("/transaction_flow/monthly?months=1").await;
        assert_eq!(months["items"].as_array().unwrap().len(), 1);
        let books = self
            .stack
            .get("/admin/wallet/reconcile", &self.admin)
            .await
            .ok();
        assert_eq!(books["ok"], true, "{books}");
    }
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
