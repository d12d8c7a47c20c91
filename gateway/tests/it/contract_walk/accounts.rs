//! Registration, login, states, host users, profile, staff accounts.

use adfolio_kit::identity::StaffRole;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{User, Walk};
use crate::stack::PASSWORD;

/// A picture of two by two points.
const PNG: &str = "89504e470d0a1a0a0000000d4948445200000002000000020802000000fdd49a73\
    0000001049444154789c6350683800440c100a00240e05817c0747740000000049454e44ae426082";

/// Bytes of a file that is too large.
const TOO_LARGE: usize = 5 * 1024 * 1024 + 1;

fn registration(username: &str, license: &Value) -> Value {
    json!({
        "username": username, "password": PASSWORD, "confirm_password": PASSWORD, "email": "grace@example.com",
        "phone": "+4915112345678", "licenseKey": license,
    })
}

fn new_name() -> String {
    format!("w{}", &Uuid::new_v4().simple().to_string()[..15])
}

pub async fn walk(walk: &Walk) {
    futures::join!(
        registers(walk),
        logs_in(walk),
        opens(walk),
        edits(walk),
        confirms_an_address(walk),
        guards(walk),
        keeps_staff(walk)
    );
}

async fn registers(walk: &Walk) {
    let stack = &walk.stack;
    let licenses = walk.licenses(4, true).await;
    for (path, fresh) in [("/auth/v2/register", 0), ("/auth/register", 1)] {
        let name = new_name();
        let body = registration(&name, &licenses[fresh]);
        let mut mismatch = body.clone();
        mismatch["confirm_password"] = json!("something else entirely");
        let reply = stack.post_open(path, &mismatch).await;
        reply.refused(400, "PASSWORD_MISMATCH");
        let mut unreachable = body.clone();
        unreachable["email"] = json!("nowhere");
        let data = stack.post_open(path, &unreachable).await;
        assert_eq!(data.refused(400, "VALIDATION")["field"], "email");
        let mut common = body.clone();
        common["password"] = json!("Metallica1");
        let reply = stack.post_open(path, &common).await;
        assert!(reply.msg.starts_with("This password is too common"));
        let data = reply.refused(400, "VALIDATION");
        assert_eq!(
            (&data["field"], &data["rule"]),
            (&json!("password"), &json!("common"))
        );
        let unknown = registration(&name, &json!("NOSUCH-KEY"));
        let reply = stack.post_open(path, &unknown).await;
        reply.refused(400, "LICENSE_NOT_FOUND");
        let reply = stack.post_open(path, &body).await;
        assert_eq!(reply.msg, "Registration successful");
        reply.ok();
        let used = registration(&new_name(), &licenses[fresh]);
        let reply = stack.post_open(path, &used).await;
        reply.refused(400, "LICENSE_USED");
        let taken = registration(&name.to_uppercase(), &licenses[3]);
        let reply = stack.post_open(path, &taken).await;
        assert_eq!(reply.msg, "Username already exists");
        reply.refused(4001, "USERNAME_TAKEN");
    }
    // The other spellings of the contract.
    let spelled = json!({
        "username": new_name(), "password": PASSWORD, "confirmPassword": PASSWORD, "email": "grace@example.com",
        "phone": "+4915112345678", "license_key": licenses[2],
    });
    stack.post_open("/auth/v2/register", &spelled).await.ok();
    let languages = stack
        .send(stack.request(reqwest::Method::GET, "/auth/v2/lang", None))
        .await
        .ok();
    assert_eq!(languages["items"].as_array().unwrap().len(), 12);
}

async fn logs_in(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.user().await;
    let info = stack.get("/user/info", &user.token).await.ok();
    let right = json!({"username": info["username"], "password": PASSWORD});
    let wrong = json!({"username": info["username"], "password": "not the password"});
    for path in ["/auth/v2/login", "/auth/login"] {
        let reply = stack.post_open(path, &wrong).await;
        reply.refused(400, "BAD_CREDENTIALS");
        let reply = stack.post_open(path, &right).await;
        assert_eq!(reply.msg, "Login successful");
        reply.ok();
    }
    for (state, code, reason) in [
        ("not_activated", 402, "ACCOUNT_NOT_ACTIVATED"),
        ("disabled", 403, "ACCOUNT_DISABLED"),
        ("cancelled", 404, "ACCOUNT_CANCELLED"),
    ] {
        let change = json!({"id": user.id, "state": state, "reason": "walk"});
        walk.staff("/admin/user/state", change).await.ok();
        for path in ["/auth/v2/login", "/auth/login"] {
            let reply = stack.post_open(path, &right).await;
            reply.refused(code, reason);
        }
    }
    let nobody = json!({"username": new_name(), "password": PASSWORD});
    for _ in 0..10 {
        let reply = stack.post_open("/auth/v2/login", &nobody).await;
        reply.refused(400, "BAD_CREDENTIALS");
    }
    let data = stack.post_open("/auth/login", &nobody).await;
    assert!(data.refused(429, "TOO_MANY_ATTEMPTS")["retry_after"].is_u64());
}

async fn host(walk: &Walk) -> String {
    let body = json!({"external_user_id": Uuid::new_v4(), "lang": "de"});
    let issued = walk.staff("/admin/user/host_token", body).await.ok();
    issued["token"].as_str().unwrap().to_owned()
}

async fn opens(walk: &Walk) {
    let stack = &walk.stack;
    let licenses = walk.licenses(2, true).await;
    let token = host(walk).await;
    let open = |code: Value| json!({"code": code});
    let reply = stack
        .post("/opening_store", &token, &open(json!("NOSUCH-KEY")))
        .await;
    reply.refused(400, "LICENSE_NOT_FOUND");
    let session = stack
        .post("/opening_store", &token, &open(licenses[0].clone()))
        .await
        .ok();
    let opened = session["token"].as_str().unwrap();
    let reply = stack
        .post("/opening_store", opened, &open(licenses[1].clone()))
        .await;
    reply.refused(400, "STORE_ALREADY_OPEN");
    let reply = stack
        .post(
            "/opening_store",
            &host(walk).await,
            &open(licenses[0].clone()),
        )
        .await;
    reply.refused(400, "LICENSE_USED");

    // A token that is alive, of somebody who may not open.
    let user = walk.user().await;
    for (state, code, reason) in [
        ("disabled", 403, "ACCOUNT_DISABLED"),
        ("cancelled", 404, "ACCOUNT_CANCELLED"),
    ] {
        let change = json!({"id": user.id, "state": state, "reason": "walk"});
        walk.staff("/admin/user/state", change).await.ok();
        let reply = stack
            .post("/opening_store", &user.token, &open(licenses[1].clone()))
            .await;
        reply.refused(code, reason);
    }
}

async fn upload(walk: &Walk, user: &User) -> Value {
    let picture = Part::bytes(hex::decode(PNG).unwrap()).file_name("a.png");
    let form = Form::new().part("file", picture);
    walk.stack
        .post_form("/files/upload", &user.token, form)
        .await
        .ok()
}

async fn edits(walk: &Walk) {
    let stack = &walk.stack;
    let (user, other) = (walk.user().await, walk.user().await);
    let file = upload(walk, &user).await;
    let mut form = Form::new().part("file", Part::text("no picture").file_name("a.png"));
    let reply = stack.post_form("/files/upload", &user.token, form).await;
    reply.refused(400, "FILE_NOT_IMAGE");
    form = Form::new().part("file", Part::bytes(vec![0; TOO_LARGE]).file_name("a.png"));
    let reply = stack.post_form("/files/upload", &user.token, form).await;
    reply.refused(400, "FILE_TOO_LARGE");

    let edit = json!({"nickname": "Grace", "avatar_file_id": file["id"], "lang": "fr"});
    let edited = stack.post("/user/info/edit", &user.token, &edit).await;
    let edited = edited.ok();
    assert_eq!(
        (&edited["avatar_url"], &edited["lang"]),
        (&file["url"], &json!("fr"))
    );
    let reply = stack.post("/user/info/edit", &user.token, &edit).await;
    assert_eq!(reply.data["lang"], "fr");
    reply.refused(400, "NOTHING_CHANGED");
    let reply = stack.post("/user/info/edit", &other.token, &edit).await;
    assert_eq!(reply.refused(405, "NOT_FOUND")["field"], "avatar_file_id");
    let feedback =
        |image: &Value| json!({"topic": "Delivery", "content": "No clicks.", "images": [image]});
    let reply = stack
        .post("/feedback", &user.token, &feedback(&file["id"]))
        .await;
    reply.ok();
    let reply = stack
        .post("/feedback", &other.token, &feedback(&file["id"]))
        .await;
    reply.refused(405, "NOT_FOUND");

    let change = |old: &str, new: &str, confirmed: &str| json!({"old_password": old, "new_password": new, "confirm_password": confirmed});
    let new = "an even longer staple";
    for (body, reason) in [
        (change(PASSWORD, new, "else"), "PASSWORD_MISMATCH"),
        (change("not the password", new, new), "WRONG_PASSWORD"),
        (change(PASSWORD, PASSWORD, PASSWORD), "PASSWORD_UNCHANGED"),
    ] {
        let reply = stack.post("/update/password", &other.token, &body).await;
        reply.refused(400, reason);
    }
    let body = change(PASSWORD, new, new);
    let reply = stack.post("/update/password", &other.token, &body).await;
    assert_eq!(
        reply.msg,
        "Password changed successfully, please log in again"
    );
    reply.ok();
    let reply = stack.get("/user/info", &other.token).await;
    reply.refused(503, "SESSION_EXPIRED");
    let reply = stack.post("/auth/logout", &user.token, &json!({})).await;
    reply.ok();
    let reply = stack.get("/user/info", "no-token-of-anybody").await;
    reply.refused(401, "NOT_AUTHENTICATED");
}

/// The code of a mail confirms the address that it went to.
async fn confirms_an_address(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.user().await;
    let token = user.token.as_str();
    let change = |email: &str| json!({"email": format!("{email}-{}@example.com", user.id)});
    let edit = change("own");
    let edited = stack.post("/user/info/edit", token, &edit).await.ok();
    assert_eq!(edited["email_confirmed"], false);
    let (send, confirm) = ("/user/email/code", "/user/email/confirm");
    stack.post(send, token, &json!({})).await.ok();
    let letter = walk.mail(&user, "email_code").await;
    let (_, body) = letter.split_once("\r\n\r\n").unwrap();
    let code = body.lines().next().unwrap().to_owned();
    let typed = |code: &str| json!({"code": code});
    for wrong in [json!({}), typed(""), typed(&code[1..])] {
        let data = stack.post(confirm, token, &wrong).await;
        assert_eq!(data.refused(400, "VALIDATION")["field"], "code");
    }
    let other = format!("{:08}", (code.parse::<u32>().unwrap() + 1) % 100_000_000);
    let data = stack.post(confirm, token, &typed(&other)).await;
    assert_eq!(data.refused(400, "EMAIL_CODE_INVALID")["field"], "code");
    for code in [&code, &other] {
        let confirmed = stack.post(confirm, token, &typed(code)).await.ok();
        assert_eq!(confirmed["email_confirmed"], true);
    }
    let info = stack.get("/user/info", token).await.ok();
    assert_eq!(info["email_confirmed"], true);
    let reply = stack.post(send, token, &json!({})).await;
    reply.refused(400, "NOTHING_CHANGED");
    let log = stack.get("/user/security/log", token).await.ok();
    assert_eq!(log["items"][0]["action"], "auth.email_confirmed");
    let detail = walk.staff("/admin/user/detail", json!({"id": user.id}));
    assert_eq!(detail.await.ok()["email_confirmed"], true);
    let edit = change("another");
    let edited = stack.post("/user/info/edit", token, &edit).await.ok();
    assert_eq!(edited["email_confirmed"], false);
    // One was sent.
    for _ in 0..4 {
        stack.post(send, token, &json!({})).await.ok();
    }
    let reply = stack.post(send, token, &json!({})).await;
    let wait = reply.refused(429, "TOO_MANY_ATTEMPTS")["retry_after"].clone();
    assert!(wait.as_u64().unwrap() > 0, "{wait}");
}

/// Sessions are seen and ended; what was done to the account is seen.
async fn guards(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.funded("20.00").await;
    let token = user.token.as_str();
    let end = |body: Value| async move { stack.post("/user/sessions/end", token, &body).await };
    let sessions = stack.get("/user/sessions", &user.token).await.ok();
    assert_eq!(sessions["items"][0]["current"], true);
    end(json!({"others": true})).await.ok();
    end(json!({"id": super::UNKNOWN}))
        .await
        .refused(405, "NOT_FOUND");
    let data = end(json!({})).await.refused(400, "VALIDATION");
    assert_eq!(data["field"], "id");
    adfolio_testkit::eventually("the deposit is in the log", || async {
        let log = stack.get("/user/security/log", &user.token).await.ok();
        let entry = &log["items"][0];
        (&entry["action"], &entry["amount"]) == (&json!("wallet.deposit"), &json!("20.00"))
    })
    .await;
    end(json!({"id": sessions["items"][0]["id"]})).await.ok();
    let reply = stack.get("/user/info", &user.token).await;
    reply.refused(503, "SESSION_EXPIRED");
}

async fn keeps_staff(walk: &Walk) {
    let name = new_name();
    let body = json!({"username": name, "password": PASSWORD, "role": "support"});
    walk.staff("/admin/staff/create", body.clone()).await.ok();
    let reply = walk.staff("/admin/staff/create", body).await;
    reply.refused(4001, "USERNAME_TAKEN");
    walk.staff_get("/admin/staff/list?limit=2").await;
    walk.staff_get("/admin/license/list?limit=2").await;
    let login = |password: &str| json!({"username": name, "password": password});
    let stack = &walk.stack;
    let reply = stack
        .post_open("/admin/login", &login("not the password"))
        .await;
    reply.refused(400, "BAD_CREDENTIALS");
    let session = stack.post_open("/admin/login", &login(PASSWORD)).await.ok();
    let token = session["token"].as_str().unwrap();
    let reply = stack.get("/admin/staff/list", token).await;
    reply.refused(403, "FORBIDDEN");
    stack.post("/admin/logout", token, &json!({})).await.ok();
    let operator = stack.staff(&walk.admin, StaffRole::Operator).await;
    let path = "/admin/user/list?query=grace%40example.com";
    let refused = stack.get(path, &operator).await.refused(403, "FORBIDDEN");
    assert_eq!(refused["field"], "query");

    let user = walk.user().await;
    let mut profile = json!({"id": user.id, "credit_score": 120, "shop_level": 2, "vip": true});
    let unfounded = walk.staff("/admin/user/profile", profile.clone()).await;
    assert_eq!(unfounded.refused(400, "VALIDATION")["field"], "reason");
    profile["reason"] = json!("a good year");
    let changed = walk
        .staff("/admin/user/profile", profile.clone())
        .await
        .ok();
    assert_eq!(
        (&changed["credit_score"], &changed["vip"]),
        (&json!(120), &json!(true))
    );
    // The guarantee is money, not a text.
    profile["deposit"] = json!(10.5);
    let typed = walk.staff("/admin/user/profile", profile).await;
    assert_eq!(typed.refused(400, "VALIDATION")["field"], "deposit");
    assert_eq!(changed["deposit"], "0.00");
    for path in [
        "/admin/user/profile",
        "/admin/user/state",
        "/admin/user/detail",
    ] {
        let body =
            json!({"id": super::UNKNOWN, "vip": true, "state": "disabled", "reason": "walk"});
        walk.staff(path, body).await.refused(405, "NOT_FOUND");
    }
    let detail = walk
        .staff("/admin/user/detail", json!({"id": user.id}))
        .await
        .ok();
    assert_eq!(detail["sessions"].as_array().unwrap().len(), 1);
    let found = walk
        .staff_get(&format!("/admin/user/list?query={}", user.id))
        .await;
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
}

/// What everybody did is in the audit log, with the reason they gave.
pub async fn ends(walk: &Walk) {
    for (action, named) in [
        ("auth.set_user_profile", Some("a good year")),
        ("wallet.deposit", None),
    ] {
        let path = format!("/admin/audit/list?action={action}");
        adfolio_testkit::eventually("staff's acts are in the log", || async {
            let log = walk.staff_get(&path).await;
            let items = log["items"].as_array().unwrap();
            items
                .iter()
                .any(|entry| named.is_none_or(|reason| entry["reason"] == reason))
        })
        .await;
    }
}
