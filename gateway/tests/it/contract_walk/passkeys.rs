//! Passkeys of staff: registered, logged in with, shown, removed.

use adfolio_testkit::Authenticator;
use serde_json::{Value, json};

use super::staff::Member;
use super::{UNKNOWN, Walk};
use crate::services::CONSOLE_ORIGIN;
use crate::stack::{PASSWORD, Reply};

/// Begins a ceremony and ends it with what the device answers.
struct Desk<'a> {
    walk: &'a Walk,
    token: String,
}

impl Desk<'_> {
    async fn post(&self, path: &str, body: &Value) -> Reply {
        self.walk.stack.post(path, &self.token, body).await
    }

    async fn register(&self, device: &mut Authenticator, name: &str) -> Reply {
        let begun = self
            .post("/admin/passkey/registration", &json!({}))
            .await
            .ok();
        let body = json!({
            "ceremony": begun["ceremony"], "credential": device.register(&begun["options"]), "name": name,
        });
        self.post("/admin/passkey/register", &body).await
    }

    /// What shows the device in this session.
    async fn shown(&self, device: &mut Authenticator) -> Value {
        let begun = self
            .post("/admin/passkey/confirmation", &json!({}))
            .await
            .ok();
        json!({"ceremony": begun["ceremony"], "credential": device.show(&begun["options"])})
    }
}

pub async fn walk(walk: &Walk) {
    let member = Member::of(walk).await;
    let desk = Desk {
        walk,
        token: member.log_in(walk, PASSWORD).await,
    };
    let mut device = Authenticator::new(CONSOLE_ORIGIN);
    let only = registers(&desk, &mut device).await;
    confirms(&desk, &mut device).await;
    let reply = member.try_log_in(walk, PASSWORD).await;
    reply.refused(400, "SECOND_FACTOR_REQUIRED");
    let session = logs_in(walk, &mut device).await.ok();
    assert_eq!(session["staff"]["passkeys"], 1);
    removes(&desk, &only).await;

    let other = Member::of(walk).await;
    let state = |to: &str| json!({"staff_id": member.id, "state": to, "reason": "walk"});
    walk.staff("/admin/staff/state", state("disabled"))
        .await
        .ok();
    let reply = logs_in(walk, &mut device).await;
    reply.refused(403, "ACCOUNT_DISABLED");
    let desk = Desk {
        walk,
        token: other.log_in(walk, PASSWORD).await,
    };
    fills(&desk).await;
}

async fn registers(desk: &Desk<'_>, device: &mut Authenticator) -> Value {
    let reply = desk.post("/admin/passkey/confirmation", &json!({})).await;
    assert_eq!(reply.refused(405, "NOT_FOUND")["field"], "second_factor");
    let reply = desk.register(device, " ").await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "name");
    let body = json!({"ceremony": "junk", "credential": "text", "name": "Phone"});
    let reply = desk.post("/admin/passkey/register", &body).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "credential");
    let registered = desk.register(device, "Phone").await.ok();
    let listed = desk
        .walk
        .stack
        .get("/admin/passkeys", &desk.token)
        .await
        .ok();
    assert_eq!(listed["items"], json!([registered]));
    registered["passkey_id"].clone()
}

async fn confirms(desk: &Desk<'_>, device: &mut Authenticator) {
    let path = "/admin/passkey/confirm";
    let mut other = Authenticator::new(CONSOLE_ORIGIN);
    let reply = desk.post(path, &desk.shown(&mut other).await).await;
    reply.refused(400, "SECOND_FACTOR_REQUIRED");
    let shown = desk.shown(device).await;
    desk.post(path, &shown).await.ok();
    let reply = desk.post(path, &shown).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "ceremony");
}

async fn logs_in(walk: &Walk, device: &mut Authenticator) -> Reply {
    let begun = walk
        .stack
        .post_open("/admin/passkey/login_options", &json!({}))
        .await
        .ok();
    let body = json!({"ceremony": begun["ceremony"], "credential": device.show(&begun["options"])});
    walk.stack.post_open("/admin/passkey/login", &body).await
}

async fn removes(desk: &Desk<'_>, only: &Value) {
    let path = "/admin/passkey/remove";
    let reply = desk.post(path, &json!({"passkey_id": only})).await;
    assert_eq!(reply.refused(403, "FORBIDDEN")["field"], "passkey_id");
    let reply = desk.post(path, &json!({"passkey_id": UNKNOWN})).await;
    assert_eq!(reply.refused(405, "NOT_FOUND")["field"], "passkey_id");
    let mut second = Authenticator::new(CONSOLE_ORIGIN);
    let registered = desk.register(&mut second, "Key").await.ok();
    let removed = json!({"passkey_id": registered["passkey_id"]});
    let answer = desk.post(path, &removed).await.ok();
    assert_eq!(answer["name"], "Key");
    let reply = logs_in(desk.walk, &mut second).await;
    reply.refused(400, "BAD_CREDENTIALS");
}

/// Ten are the most, also for a registration that had begun before.
async fn fills(desk: &Desk<'_>) {
    let mut late = Authenticator::new(CONSOLE_ORIGIN);
    let begun = desk
        .post("/admin/passkey/registration", &json!({}))
        .await
        .ok();
    for number in 0..10 {
        let mut device = Authenticator::new(CONSOLE_ORIGIN);
        desk.register(&mut device, &format!("Key {number}"))
            .await
            .ok();
    }
    let reply = desk.post("/admin/passkey/registration", &json!({})).await;
    reply.refused(403, "FORBIDDEN");
    let body = json!({
        "ceremony": begun["ceremony"], "credential": late.register(&begun["options"]), "name": "Late",
    });
    let reply = desk.post("/admin/passkey/register", &body).await;
    reply.refused(403, "FORBIDDEN");
}
