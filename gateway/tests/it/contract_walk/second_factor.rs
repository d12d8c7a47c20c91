//! The second factor of staff: set up, asked for, reset.

use chrono::Utc;
use serde_json::{Value, json};

use super::staff::{Member, own_id};
use super::{UNKNOWN, Walk};
use crate::second_factor::App;
use crate::stack::PASSWORD;

pub async fn walk(walk: &Walk) {
    let member = Member::of(walk).await;
    let token = member.log_in(walk, PASSWORD).await;
    let app = set_up(walk, &token).await;
    let other = logs_in(walk, &member, &app).await;
    resets(walk, &member.id).await;
    for token in [token, other] {
        let reply = walk.stack.get("/admin/user/list", &token).await;
        reply.refused(503, "SESSION_EXPIRED");
    }
    let token = member.log_in(walk, PASSWORD).await;
    walk.stack.get("/admin/user/list", &token).await.ok();
}

async fn set_up(walk: &Walk, token: &str) -> App {
    let stack = &walk.stack;
    let confirm = "/admin/second_factor/confirm";
    let reply = stack.post(confirm, token, &json!({"code": "123456"})).await;
    assert_eq!(
        reply.refused(405, "NOT_FOUND")["field"],
        json!("second_factor")
    );
    let path = "/admin/second_factor/enroll";
    let enrolment = stack.post(path, token, &json!({})).await.ok();
    let app = App::of(&enrolment);
    let reply = stack.post(confirm, token, &json!({})).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "code");
    let wrong = json!({"code": "not one"});
    let reply = stack.post(confirm, token, &wrong).await;
    assert_eq!(
        reply.refused(400, "SECOND_FACTOR_REQUIRED")["field"],
        "code"
    );
    let code = json!({"code": app.code_at(Utc::now())});
    stack.post(confirm, token, &code).await.ok();
    let reply = stack.post(path, token, &json!({})).await;
    reply.refused(403, "FORBIDDEN");
    app
}

/// Logs in with a recovery code.
async fn logs_in(walk: &Walk, member: &Member, app: &App) -> String {
    let reply = member.try_log_in(walk, PASSWORD).await;
    assert!(reply.msg.contains("authenticator"), "{reply:?}");
    assert_eq!(
        reply.refused(400, "SECOND_FACTOR_REQUIRED")["field"],
        "code"
    );
    let body =
        json!({"username": member.name, "password": PASSWORD, "code": app.recovery_codes[0]});
    let session = walk.stack.post_open("/admin/login", &body).await.ok();
    assert_eq!(session["staff"]["has_second_factor"], true);
    session["token"].as_str().unwrap().to_owned()
}

async fn resets(walk: &Walk, member: &Value) {
    let path = "/admin/second_factor/reset";
    let reset = |id: &Value| json!({"staff_id": id, "reason": "lost the phone"});
    let reply = walk.staff(path, reset(&own_id(walk).await)).await;
    assert_eq!(reply.refused(403, "FORBIDDEN")["field"], "staff_id");
    let reply = walk.staff(path, reset(&json!(UNKNOWN))).await;
    assert_eq!(reply.refused(405, "NOT_FOUND")["field"], "staff_id");
    let blank = json!({"staff_id": member, "reason": " "});
    let reply = walk.staff(path, blank).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "reason");
    let answer = walk.staff(path, reset(member)).await.ok();
    assert_eq!(answer["has_second_factor"], false);
    let reply = walk.staff(path, reset(member)).await;
    reply.refused(400, "NOTHING_CHANGED");
}
