//! A walk through the whole contract on the real services: every call succeeds once and has its shape, and every reason that
//! a call names is met.

mod accounts;
mod announcements;
mod approvals;
mod bank;
mod desk;
mod finance;
mod hosts;
mod languages;
mod passkeys;
mod placing;
mod quarantine;
mod second_factor;
mod security;
mod sources;
mod staff;
mod supply;
mod support;
mod user_pages;

use std::collections::BTreeSet;

use adfolio_gateway::errors::envelope_code;
use adfolio_gateway::routes;
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::refusal::Reason;
use adfolio_notification::{MailArgs, Way};
use adfolio_testkit::eventually;
use serde_json::{Value, json};
use tempfile::TempDir;
use uuid::Uuid;

use crate::contract_shape::misfits;
use crate::contract_table::{Contracted, table};
use crate::inboxes;
use crate::stack::{Reply, Seen, Stack};

/// Nothing has this id.
pub const UNKNOWN: &str = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f";

/// MD5 of 246810.
pub const PIN: &str = "b6af3f19458ec8e6faff8ee1e0440ecb";
/// MD5 of 975313.
pub const OTHER_PIN: &str = "f5ad149f596b407a64c1c96822b8ad4a";
/// MD5 of 123456.
pub const WEAK_PIN: &str = "e10adc3949ba59abbe56e057f20f883e";

/// Reasons that a walk cannot meet, and why.
const NOT_MET: &[(&str, Reason, &str)] = &[
    ("*", Reason::Internal, "nothing breaks on purpose"),
    (
        "*",
        Reason::Unavailable,
        "no service is down here; see outage",
    ),
    (
        "*",
        Reason::ChangesPaused,
        "every database has its primary here; see failover",
    ),
    (
        "/stream",
        Reason::TooManyAttempts,
        "takes more streams than a walk opens; see stream",
    ),
    (
        "/admin/stream",
        Reason::TooManyAttempts,
        "takes more streams than a walk opens; see staff_stream",
    ),
    (
        "/user/start_up_funds/return",
        Reason::Forbidden,
        "users may return them here; wallet's tests switch that off",
    ),
    (
        "/checkpoint",
        Reason::NotFound,
        "the first one comes at once; see checkpoints",
    ),
    (
        "/checkpoint/key",
        Reason::NotFound,
        "there is a key here; see checkpoints",
    ),
    (
        "/transaction_flow/statement/pdf",
        Reason::FileTooLarge,
        "takes more than 10,000 entries in a month",
    ),
    (
        "/admin/delivery/import",
        Reason::FileTooLarge,
        "takes more than 64 MB, and is HTTP 413",
    ),
    (
        "/network/reports",
        Reason::FileTooLarge,
        "takes more than 64 MB, and is HTTP 413; see network",
    ),
    (
        "/admin/delivery/quarantine/decide",
        Reason::ApprovalRequired,
        "takes three people, with the one who imports; see plan's tests",
    ),
];

/// What one member of staff may post alone within a day.
pub const FOUR_EYES_ABOVE: &str = "60000.00";

/// What leaves to one destination within a day.
pub const DESTINATION_MAX: &str = "100000.00";

/// Who walks, and where.
pub struct Walk {
    pub stack: Stack,
    pub admin: String,
    /// Another person, who approves.
    pub second: String,
    /// Where mail arrives.
    pub mail_folder: TempDir,
}

/// A user: id and token.
pub struct User {
    pub id: String,
    pub token: String,
}

impl Walk {
    pub async fn user(&self) -> User {
        let (id, token) = self.stack.user(&self.admin).await;
        User { id, token }
    }

    /// A user with so much money.
    pub async fn funded(&self, amount: &str) -> User {
        let user = self.user().await;
        let deposit = json!({"user_id": user.id, "amount": amount, "remark": "transfer"});
        self.staff("/admin/wallet/deposit", deposit).await.ok();
        user
    }

    /// The same with more money than one member of staff may post alone.
    pub async fn funded_by_two(&self, amount: &str) -> User {
        let user = self.user().await;
        let deposit = json!({"user_id": user.id, "amount": amount, "remark": "transfer"});
        self.staff("/admin/wallet/deposit", deposit)
            .await
            .refused(400, "APPROVAL_REQUIRED");
        self.approve(&user, "deposit").await.ok();
        user
    }

    /// Another member of staff approves what was asked for.
    pub async fn approve(&self, user: &User, action: &str) -> Reply {
        let waiting = self.waiting(user, action).await;
        let body = json!({"id": waiting["id"], "decision": "approved", "reason": "seen"});
        self.stack
            .post("/admin/approval/decide", &self.second, &body)
            .await
    }

    /// The request that another member of staff has to decide.
    pub async fn waiting(&self, user: &User, action: &str) -> Value {
        let path = "/admin/approval/list?state=pending&limit=100";
        let page = self.stack.get(path, &self.second).await.ok();
        let mut items = page["items"].as_array().unwrap().iter();
        let found = items.find(|item| item["user_id"] == user.id && item["action"] == action);
        found.expect("a request").clone()
    }

    /// The newest mail of this template to a user, as it arrived.
    pub async fn mail(&self, user: &User, template: &str) -> String {
        let pool = self.stack.services.databases["notification"].pool();
        let query = "SELECT id FROM mails WHERE user_id = $1::text::uuid AND template = $2 AND state = 'sent'
                     ORDER BY id DESC LIMIT 1";
        let id = eventually("the mail is sent", || async {
            let sent = sqlx::query_scalar::<_, Uuid>(query);
            let sent = sent.bind(&user.id).bind(template);
            sent.fetch_optional(&pool).await.unwrap()
        })
        .await;
        let path = self.mail_folder.path().join(format!("{id}.eml"));
        std::fs::read_to_string(path).unwrap()
    }

    /// Makes a user's transaction password 246810.
    pub async fn set_pin(&self, user: &User) {
        let body = json!({"password": PIN, "confirm_password": PIN});
        self.stack
            .post("/set/password", &user.token, &body)
            .await
            .ok();
    }

    /// Guesses until the user's transaction password is locked.
    pub async fn lock_pin(&self, user: &User) {
        for _ in 0..5 {
            self.stack
                .post(
                    "/check/password",
                    &user.token,
                    &json!({"password": OTHER_PIN}),
                )
                .await
                .refused(400, "WRONG_PAY_PASSWORD");
        }
    }

    pub async fn staff(&self, path: &str, body: Value) -> Reply {
        self.stack.post(path, &self.admin, &body).await
    }

    pub async fn staff_get(&self, path: &str) -> Value {
        self.stack.get(path, &self.admin).await.ok()
    }

    pub async fn licenses(&self, count: usize, activate: bool) -> Vec<Value> {
        let body = json!({"count": count, "note": "walk", "activate": activate});
        let issued = self.staff("/admin/license/create", body).await.ok();
        let items = issued["items"].as_array().unwrap().iter();
        items.map(|item| item["code"].clone()).collect()
    }
}

#[tokio::test]
async fn the_whole_contract_is_kept() {
    let four_eyes = FourEyesArgs::above(FOUR_EYES_ABOVE.parse().unwrap());
    let mail_folder = TempDir::new().unwrap();
    let mail = MailArgs {
        mail_transport: Way::Files,
        mail_dir: Some(mail_folder.path().to_owned()),
        mail_from: Some("Adfolio <no-reply@adfolio.example>".to_owned()),
        public_url: Some("https://app.adfolio.example/".parse().unwrap()),
        ..MailArgs::default()
    };
    let stack = Stack::start_with_four_eyes(four_eyes, mail, |wallet| {
        wallet.withdrawals.outflow_destination_max = DESTINATION_MAX.parse().unwrap();
        wallet.checkpoints.checkpoint_key = Some("09".repeat(32).into());
        wallet.checkpoints.checkpoint_interval_seconds = 1;
        wallet.bank.bank_account = "GB29NWBK60161331926819".to_owned();
    })
    .await;
    inboxes::remember(&stack).await;
    let admin = stack.admin().await;
    let second = stack.second_admin().await;
    let walk = Walk {
        stack,
        admin,
        second,
        mail_folder,
    };
    futures::join!(
        accounts::walk(&walk),
        hosts::walk(&walk),
        placing::walk(&walk),
        sources::walk(&walk),
        supply::walk(&walk),
        quarantine::walk(&walk),
        security::walk(&walk),
        staff::walk(&walk),
        passkeys::walk(&walk),
        second_factor::walk(&walk),
        finance::walk(&walk),
        approvals::walk(&walk),
        bank::walk(&walk),
        support::walk(&walk),
        desk::walk(&walk),
        announcements::walk(&walk),
        user_pages::walk(&walk),
    );
    accounts::ends(&walk).await;
    languages::walk(&walk).await;
    let seen = walk.stack.seen();
    every_answer_is_in_form(&seen);
    every_call_has_its_shape(&seen);
    every_reason_was_met(&seen);
    inboxes::hold_what_was_told(&walk.stack).await;
}

fn every_answer_is_in_form(seen: &[Seen]) {
    for Seen { path, reply, .. } in seen {
        assert!(!reply.msg.is_empty(), "{path}: {reply:?}");
        assert_eq!(reply.http, 200, "{path}: {reply:?}");
        if reply.code != 200 {
            let reason: Reason = reply.reason().parse().unwrap();
            assert_eq!(reply.code, i64::from(envelope_code(reason)), "{path}");
            assert!(reply.data["lang"].is_string(), "{path}: {reply:?}");
            for field in ["field", "rule", "retry_after"] {
                assert!(reply.data.get(field).is_some(), "{path}: {reply:?}");
            }
        }
    }
}

fn every_call_has_its_shape(seen: &[Seen]) {
    let mut wrong = Vec::new();
    for Contracted {
        method, path, data, ..
    } in table()
    {
        let mut answers = seen
            .iter()
            .filter(|seen| seen.path == path && seen.method == *method && seen.reply.code == 200)
            .peekable();
        if answers.peek().is_none() {
            wrong.push(format!("{method} {path} never succeeded"));
        }
        let found: BTreeSet<String> = answers
            .flat_map(|seen| misfits(&seen.reply.data, &data, path))
            .collect();
        wrong.extend(found);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn every_reason_was_met(seen: &[Seen]) {
    let met = |path: &str, reason: Reason| {
        seen.iter()
            .any(|seen| seen.path == path && seen.reply.reason() == reason.as_str())
    };
    let excused = |path: &str, reason: Reason| {
        NOT_MET
            .iter()
            .any(|(place, other, _)| *other == reason && (*place == path || *place == "*"))
    };
    let mut never = Vec::new();
    for route in routes::table() {
        for reason in route.reasons {
            if !met(route.path, *reason) && !excused(route.path, *reason) {
                never.push(format!("{} {reason}", route.path));
            }
        }
    }
    for reason in Reason::ALL {
        let somewhere = seen
            .iter()
            .any(|seen| seen.reply.reason() == reason.as_str());
        if !somewhere && !excused("*", *reason) {
            never.push(format!("* {reason}"));
        }
    }
    assert!(never.is_empty(), "never met: {never:#?}");
    for Seen { path, reply, .. } in seen.iter().filter(|seen| seen.reply.code != 200) {
        let routes = routes::table();
        let mut named = routes.iter().filter(|route| route.path == path);
        assert!(
            named.any(|route| route
                .all_reasons()
                .iter()
                .any(|reason| reason.as_str() == reply.reason())),
            "{path} does not name {}",
            reply.reason()
        );
    }
}
