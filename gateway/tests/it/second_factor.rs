//! What a staff session may do without its second factor, or with one that was shown long ago.

use adfolio_auth::SecondFactorPolicy;
use adfolio_gateway::route::{Access, Route};
use adfolio_gateway::routes::table;
use adfolio_gateway::second_factor::Demand;
use adfolio_kit::identity::StaffRole;
use adfolio_testkit::eventually;
use axum::http::Method;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret, Totp};

use crate::access::call;
use crate::stack::Stack;

/// An authenticator app.
pub struct App {
    totp: Totp,
    pub recovery_codes: Vec<String>,
}

impl App {
    pub fn of(enrolment: &Value) -> Self {
        let secret = enrolment["secret"].as_str().unwrap();
        let totp = Builder::new().with_secret(Secret::try_from_base32(secret).unwrap());
        let codes = enrolment["recovery_codes"].as_array().unwrap().iter();
        Self {
            totp: totp.build().unwrap(),
            recovery_codes: codes
                .map(|code| code.as_str().unwrap().to_owned())
                .collect(),
        }
    }

    pub fn code_at(&self, time: DateTime<Utc>) -> String {
        let seconds = time.timestamp().try_into().unwrap();
        self.totp.generate(seconds).to_string()
    }
}

/// The POSTs of staff with a demand, in order.
fn asking(demand: Demand) -> Vec<&'static str> {
    let routes = staff_routes().into_iter();
    let mut found: Vec<&str> = routes
        .filter(|route| route.demand() == demand && route.method == Method::POST)
        .map(|route| route.operation)
        .collect();
    found.sort_unstable();
    found
}

fn staff_routes() -> Vec<Route> {
    let is_for_staff = |route: &Route| matches!(route.access, Access::Staff(_));
    table().into_iter().filter(is_for_staff).collect()
}

/// Sets up a second factor in a session, which shows it.
async fn set_up(stack: &Stack, token: &str) -> App {
    let path = "/admin/second_factor/enroll";
    let app = App::of(&stack.post(path, token, &json!({})).await.ok());
    let code = app.code_at(Utc::now());
    show(stack, token, &code).await;
    app
}

async fn show(stack: &Stack, token: &str, code: &str) {
    let path = "/admin/second_factor/confirm";
    let shown = stack.post(path, token, &json!({"code": code})).await.ok();
    let until: DateTime<Utc> = shown["fresh_until"].as_str().unwrap().parse().unwrap();
    let left = until - Utc::now();
    assert!(left > TimeDelta::minutes(14) && left <= TimeDelta::minutes(15));
}

/// All that asks for a fresh second factor: what moves money, changes people or opens a way to either. A new POST of
/// staff is one of these unless somebody decides otherwise.
#[test]
fn what_moves_money_or_changes_people_asks_for_a_fresh_one() {
    let fresh = [
        "addHostKey",
        "addReportSourceKey",
        "changeGuarantee",
        "changeStaffPassword",
        "changeStartUpFunds",
        "chargeBack",
        "confirmStaff",
        "createAcceptanceCode",
        "createCampaign",
        "createHost",
        "createHostToken",
        "createNetwork",
        "createPlacement",
        "createProduct",
        "createStaff",
        "creditBankLine",
        "creditDeposit",
        "decideApproval",
        "decideCampaign",
        "decideDeliveryImport",
        "decideExchange",
        "decidePaymentBatch",
        "decideQuarantinedReports",
        "decideWithdrawal",
        "deductRecharge",
        "editNetwork",
        "editPlacement",
        "editProduct",
        "endUserSessions",
        "finishPlan",
        "grantCoupon",
        "importDelivery",
        "issueNetworkKey",
        "openMembership",
        "payPaymentBatch",
        "proposePaymentBatch",
        "removePasskey",
        "resetPayPassword",
        "resetSecondFactor",
        "revokeHostKey",
        "revokeReportSourceKey",
        "saveReportSource",
        "setBankLineAside",
        "setPlacementPrice",
        "setStaffRole",
        "setStaffState",
        "setUserProfile",
        "setUserState",
        "settlePlan",
        "takeOutOfPaymentBatch",
        "unfreezeWallet",
        "uploadBankStatement",
    ];
    assert_eq!(asking(Demand::Fresh), fresh);
}

#[test]
fn what_does_neither_asks_for_less() {
    let shown = [
        "claimItem",
        "closeFeedback",
        "createAcceptor",
        "createLicenses",
        "createNotification",
        "createOperator",
        "editAnnouncement",
        "endStaffSessions",
        "getAnyPlan",
        "getUserDetail",
        "pushPlan",
        "releaseClaim",
        "restoreContent",
        "setContent",
        "withdrawAnnouncement",
    ];
    assert_eq!(asking(Demand::Shown), shown);
    let sets_up = [
        "enrollSecondFactor",
        "registerPasskey",
        "startPasskeyRegistration",
    ];
    assert_eq!(asking(Demand::FreshIfActive), sets_up);
    let nothing = [
        "confirmSecondFactor",
        "confirmWithPasskey",
        "staffLogout",
        "startPasskeyConfirmation",
    ];
    assert_eq!(asking(Demand::Nothing), nothing);
    let routes = staff_routes();
    let reads = routes.iter().filter(|route| route.method == Method::GET);
    for route in reads {
        // Whoever lacks it must be able to read that.
        let is_own = route.operation == "getStaffMe";
        let expected = if is_own {
            Demand::Nothing
        } else {
            Demand::Shown
        };
        assert_eq!(route.demand(), expected, "{route:?}");
    }
}

#[tokio::test]
async fn where_it_is_required_a_session_without_it_reaches_nothing() {
    let stack = Stack::start_with_second_factor(SecondFactorPolicy::Required).await;
    let admin = stack.admin().await;
    for route in staff_routes() {
        if [Demand::Nothing, Demand::FreshIfActive].contains(&route.demand()) {
            continue;
        }
        let reply = call(&stack, &route, Some(&admin)).await;
        assert_eq!(reply.reason(), "SECOND_FACTOR_REQUIRED", "{route:?}");
    }
    set_up(&stack, &admin).await;
    for route in staff_routes() {
        // The one ends the session, the other asks for another code.
        if ["/admin/logout", "/admin/second_factor/confirm"].contains(&route.path) {
            continue;
        }
        let reply = call(&stack, &route, Some(&admin)).await;
        assert_ne!(reply.reason(), "SECOND_FACTOR_REQUIRED", "{route:?}");
    }
}

/// A one-time password comes first: it is changed without a second factor, and nothing else is done with it.
#[tokio::test]
async fn a_one_time_password_is_changed_before_it_is_set_up() {
    let stack = Stack::start_with_second_factor(SecondFactorPolicy::Required).await;
    let admin = stack.admin().await;
    set_up(&stack, &admin).await;
    let listed = stack.get("/admin/staff/list", &admin).await.ok();
    let id_of = |name: &str| {
        let mut all = listed["items"].as_array().unwrap().iter();
        all.find(|member| member["username"] == name).unwrap()["id"].clone()
    };
    let second = "admin2";
    let path = "/admin/staff/password";
    let body = json!({"staff_id": id_of(second), "reason": "forgot it"});
    let one_time = stack.post(path, &admin, &body).await.ok()["one_time_password"].clone();
    let token = stack.log_in(second, one_time.as_str().unwrap()).await;
    let reply = stack
        .post("/admin/second_factor/enroll", &token, &json!({}))
        .await;
    reply.refused(403, "PASSWORD_CHANGE_REQUIRED");
    let body = json!({"staff_id": id_of("admin"), "reason": "mine now"});
    let reply = stack.post(path, &token, &body).await;
    reply.refused(403, "PASSWORD_CHANGE_REQUIRED");
    let new = "an even longer staple";
    let body = json!({"old_password": one_time, "new_password": new});
    stack.post(path, &token, &body).await.ok();
    let token = stack.log_in(second, new).await;
    let reply = stack.get("/admin/user/list", &token).await;
    reply.refused(400, "SECOND_FACTOR_REQUIRED");
    set_up(&stack, &token).await;
    stack.get("/admin/user/list", &token).await.ok();
}

#[tokio::test]
async fn what_moves_money_asks_again_after_a_quarter_of_an_hour() {
    let stack = Stack::start().await;
    let admin = stack.admin().await;
    let (user, _) = stack.user(&admin).await;
    let finance = stack.staff(&admin, StaffRole::Finance).await;
    let deposit = async |amount: &str| {
        let body = json!({"user_id": user, "amount": amount, "remark": "transfer"});
        stack.post("/admin/wallet/deposit", &finance, &body).await
    };
    // Nobody has to have one here.
    deposit("1.00").await.ok();
    let app = set_up(&stack, &finance).await;
    deposit("2.00").await.ok();
    let query = "UPDATE sessions SET factor_at = factor_at - interval '15 minutes' WHERE factor_at IS NOT NULL";
    let auth = stack.services.databases["auth"].pool();
    sqlx::query(query).execute(&auth).await.unwrap();
    // The gateway believes what it knows for a moment.
    eventually("the session is not fresh any more", || async {
        deposit("0.00").await.reason() == "SECOND_FACTOR_REQUIRED"
    })
    .await;
    deposit("4.00").await.refused(400, "SECOND_FACTOR_REQUIRED");
    stack.get("/admin/withdraw/list", &finance).await.ok();
    show(
        &stack,
        &finance,
        &app.code_at(Utc::now() + TimeDelta::seconds(30)),
    )
    .await;
    deposit("8.00").await.ok();
    let detail = json!({"id": user});
    let detail = stack.post("/admin/user/detail", &admin, &detail).await.ok();
    assert_eq!(detail["property"]["available_funds"], "11.00");
}
