//! Postings, withdrawals, exchange, statements.

use adfolio_proof::note::Verifier;
use adfolio_proof::statement::Chain;
use adfolio_proof::tree::{Head, State, parse_hash, verify_consistency, verify_inclusion};
use adfolio_testkit::eventually;
use axum::http::Method;
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::security::card;
use super::{OTHER_PIN, PIN, UNKNOWN, User, Walk};
use crate::stack::PASSWORD;

pub async fn walk(walk: &Walk) {
    futures::join!(
        posts(walk),
        withdraws(walk),
        cools_off(walk),
        exchanges(walk),
        a_mail_stops_everything(walk)
    );
    let books = walk.staff_get("/admin/wallet/reconcile").await;
    assert!(!books["checks"].as_array().unwrap().is_empty());
}

async fn posts(walk: &Walk) {
    let user = walk.user().await;
    let change = |id: &str, amount: &str| json!({"user_id": id, "amount": amount, "remark": "=1+1", "reason": "walk"});
    let funds = |id: &str, action: &str, amount: &str| json!({"user_id": id, "action": action, "amount": amount});
    let start_up = "/admin/wallet/start_up_funds";
    walk.staff("/admin/wallet/deposit", change(UNKNOWN, "1"))
        .await
        .refused(405, "NOT_FOUND");
    walk.staff(start_up, funds(UNKNOWN, "grant", "1"))
        .await
        .refused(405, "NOT_FOUND");
    walk.staff(start_up, funds(&user.id, "grant", "50.00"))
        .await
        .ok();
    walk.staff(start_up, funds(&user.id, "return", "50.01"))
        .await
        .refused(400, "AMOUNT_OUT_OF_RANGE");
    for path in [
        "/admin/wallet/chargeback",
        "/admin/wallet/recharge_deduction",
        "/admin/wallet/membership",
    ] {
        walk.staff(path, change(UNKNOWN, "1"))
            .await
            .refused(405, "NOT_FOUND");
        walk.staff(path, change(&user.id, "1000.00"))
            .await
            .refused(400, "INSUFFICIENT_BALANCE");
        walk.staff(path, change(&user.id, "10.00")).await.ok();
    }
    // 20 of the 50 are left.
    walk.staff(start_up, funds(&user.id, "return", "50.00"))
        .await
        .refused(400, "INSUFFICIENT_BALANCE");
    let own = json!({"amount": "50.00"});
    let reply = walk
        .stack
        .post("/user/start_up_funds/return", &user.token, &own)
        .await;
    let refused = reply.refused(400, "INSUFFICIENT_BALANCE");
    assert_eq!(refused["missing"], "30.00");
    walk.staff("/admin/wallet/deposit", change(&user.id, "1000"))
        .await
        .ok();
    let info = walk.stack.get("/user/info", &user.token).await.ok();
    assert_eq!(info["vip"], true);
    let property = walk.stack.get("/user/property", &user.token).await.ok();
    assert_eq!(
        (
            &property["available_funds"],
            &property["start_up_funds_outstanding"]
        ),
        (&json!("1020.00"), &json!("50.00"))
    );
    gives_a_guarantee(walk, &user).await;
    is_in_the_statement(walk, &user).await;
}

/// Of the 1,020 that are available, 50 were lent.
async fn gives_a_guarantee(walk: &Walk, user: &User) {
    let path = "/admin/wallet/guarantee";
    let change = |id: &str, action: &str, amount: &str| json!({"user_id": id, "action": action, "amount": amount, "remark": "@shop"});
    walk.staff(path, change(UNKNOWN, "deposit", "1"))
        .await
        .refused(405, "NOT_FOUND");
    for (action, amount, reason) in [
        ("deposit", "1020.01", "INSUFFICIENT_BALANCE"),
        ("deposit", "970.01", "START_UP_FUNDS_NOT_RETURNED"),
        ("return", "0.01", "INSUFFICIENT_BALANCE"),
    ] {
        let reply = walk.staff(path, change(&user.id, action, amount)).await;
        reply.refused(400, reason);
    }
    for (action, amount, guarantee, available) in [
        ("deposit", "300.00", "300.00", "720.00"),
        ("return", "100.00", "200.00", "820.00"),
    ] {
        let reply = walk.staff(path, change(&user.id, action, amount)).await;
        let property = reply.ok();
        assert_eq!(
            (&property["guarantee"], &property["available_funds"]),
            (&json!(guarantee), &json!(available))
        );
        // The guarantee is no part of it.
        assert_eq!(property["total_assets"], available);
    }
    // It is what users and staff see as the deposit.
    let info = walk.stack.get("/user/info", &user.token).await.ok();
    let detail = json!({"id": user.id});
    let detail = walk.staff("/admin/user/detail", detail).await.ok();
    assert_eq!([&info["deposit"], &detail["deposit"]], ["200.00", "200.00"]);
    let of_type = "/transaction_flow/list?type=guarantee";
    let flow = walk.stack.get(of_type, &user.token).await.ok();
    assert_eq!(flow["items"][1]["amount"], "-300.00");
}

/// The rows of a statement with their chain, checked as the manual says.
async fn is_in_the_statement(walk: &Walk, user: &User) {
    let stack = &walk.stack;
    let flow = stack.get("/transaction_flow/list", &user.token).await.ok();
    let months = stack
        .get("/transaction_flow/monthly?months=2", &user.token)
        .await
        .ok();
    assert_eq!(months["items"].as_array().unwrap().len(), 2);
    let month = Utc::now().format("%Y-%m").to_string();
    let path = format!("/transaction_flow/statement?month={month}");
    let response = stack.raw(&path, &user.token).await;
    assert_eq!(response.status(), 200);
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "text/csv; charset=utf-8");
    let disposition = format!("attachment; filename=\"adfolio-statement-{month}.csv\"");
    assert_eq!(header("content-disposition"), disposition);
    let text = response.text().await.unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let columns = reader.headers().unwrap().clone();
    let mut expected = "0".repeat(64);
    let mut rows = 0;
    for row in reader.records().map(Result::unwrap) {
        let at = |name: &str| {
            let index = columns.iter().position(|column| column == name).unwrap();
            row[index].to_owned()
        };
        let minor = |name: &str| {
            at(name)
                .replace('.', "")
                .parse::<i64>()
                .unwrap()
                .to_string()
        };
        let covered = [
            "adfolio-chain-2".to_owned(),
            at("user_id"),
            at("sequence"),
            at("time"),
            at("transaction_id"),
            at("type"),
            minor("available_change"),
            minor("to_be_consumed_change"),
            minor("to_be_settled_change"),
            minor("withdrawing_change"),
            minor("guarantee_change"),
            at("details"),
        ]
        .join("|");
        assert_eq!(at("previous_hash"), expected);
        let mut bytes = hex::decode(&expected).unwrap();
        bytes.extend_from_slice(covered.as_bytes());
        expected = hex::encode(Sha256::digest(&bytes));
        assert_eq!(at("hash"), expected, "{covered}");
        assert!(!at("remark").starts_with('='), "{row:?}");
        rows += 1;
    }
    assert_eq!(rows, 7);
    assert_eq!(flow["items"][0]["hash"], json!(expected));
    is_proven(walk, user, &text).await;
    let empty = stack.raw("/transaction_flow/statement?month=2020-01", &user.token);
    assert_eq!(empty.await.text().await.unwrap().lines().count(), 1);
    for kind in ["statement", "statement/pdf"] {
        let path = format!("/transaction_flow/{kind}?month=2026-13");
        let reply = stack.get(&path, &user.token).await;
        assert_eq!(reply.refused(400, "VALIDATION")["field"], "month");
    }
}

/// A statement's end is in a signed checkpoint, checked with what is public alone.
async fn is_proven(walk: &Walk, user: &User, statement: &str) {
    let stack = &walk.stack;
    let chain = Chain::read([statement.as_bytes()]).unwrap();
    let path = format!("/transaction_flow/proof?sequence={}", chain.last());
    let proof = eventually("the statement's end is published", || async {
        let reply = stack.get(&path, &user.token).await;
        (reply.code == 200).then_some(reply.data)
    })
    .await;
    let text_of = |path: &'static str| async move {
        let request = stack.request(Method::GET, path, None);
        let response = request.send().await.unwrap();
        assert_eq!(
            response.headers()["content-type"],
            "text/plain; charset=utf-8"
        );
        assert_eq!(response.headers()["cache-control"], "public, max-age=30");
        response.text().await.unwrap()
    };
    let key: Verifier = text_of("/checkpoint/key").await.parse().unwrap();
    let checkpoint = key.open(proof["note"].as_str().unwrap()).unwrap();
    let head: Head = proof["leaf"].as_str().unwrap().parse().unwrap();
    let links: Vec<String> = serde_json::from_value(proof["links"].clone()).unwrap();
    assert!(chain.leads_to(&head, &links), "{proof}");
    let hashes = |path: &Value| -> Vec<[u8; 32]> {
        let hashes = path.as_array().unwrap().iter();
        hashes
            .map(|hash| parse_hash(hash.as_str().unwrap()).unwrap())
            .collect()
    };
    let (index, State { size, root }) = (proof["index"].as_u64().unwrap(), checkpoint.state);
    verify_inclusion(head.leaf_hash(), index, size, root, &hashes(&proof["path"])).unwrap();

    let newest = key.open(&text_of("/checkpoint").await).unwrap().state;
    let path = format!(
        "/checkpoint/consistency?first={size}&second={}",
        newest.size
    );
    let request = stack.request(Method::GET, &path, None);
    let consistency = stack.send(request).await.ok();
    verify_consistency(checkpoint.state, newest, &hashes(&consistency["path"])).unwrap();
    let path = format!("/checkpoint/consistency?first={size}&second={}", i64::MAX);
    let beyond = stack.send(stack.request(Method::GET, &path, None)).await;
    assert_eq!(beyond.refused(400, "VALIDATION")["field"], "second");
    let list = stack.send(stack.request(Method::GET, "/checkpoint/list?limit=100", None));
    let list = list.await.ok();
    let mut items = list["items"].as_array().unwrap().iter();
    let listed = items.find(|item| item["size"] == size).unwrap();
    assert_eq!(listed["root"], hex::encode(root));

    let path = format!("/transaction_flow/proof?sequence={}", chain.last() + 1);
    let unposted = stack.get(&path, &user.token).await;
    assert_eq!(unposted.refused(405, "NOT_FOUND")["field"], "sequence");
}

pub async fn withdraw(
    walk: &Walk,
    user: &User,
    amount: &str,
    password: &str,
) -> crate::stack::Reply {
    let body = json!({"amount": amount, "method": "bank_card", "password": password});
    walk.stack.post("/user/withdraw", &user.token, &body).await
}

/// `decided` is one that staff have decided.
async fn is_cancelled_while_it_waits(walk: &Walk, user: &User, decided: &Value) {
    let stack = &walk.stack;
    let path = "/user/withdraw/cancel";
    let waiting = withdraw(walk, user, "25.00", PIN).await.ok();
    let stranger = walk.user().await;
    for (token, id, code, reason) in [
        (&user.token, decided, 400, "NOTHING_CHANGED"),
        (&user.token, &json!(UNKNOWN), 405, "NOT_FOUND"),
        (&stranger.token, &waiting["id"], 405, "NOT_FOUND"),
    ] {
        let reply = stack.post(path, token, &json!({"id": id})).await;
        reply.refused(code, reason);
    }
    let by_id = json!({"id": waiting["id"]});
    for _ in 0..2 {
        let cancelled = stack.post(path, &user.token, &by_id).await.ok();
        assert_eq!(
            (&cancelled["status"], &cancelled["reason"]),
            (&json!("cancelled"), &Value::Null)
        );
    }
    let pay = json!({"id": waiting["id"], "decision": "paid", "reason": "sent"});
    let reply = walk.staff("/admin/withdraw/decide", pay).await;
    reply.refused(400, "NOTHING_CHANGED");
}

async fn withdraws(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.funded_by_two("300000.00").await;
    withdraw(walk, &user, "300000.01", PIN)
        .await
        .refused(400, "INSUFFICIENT_BALANCE");
    withdraw(walk, &user, "200000.00", PIN)
        .await
        .refused(400, "AMOUNT_OUT_OF_RANGE");
    withdraw(walk, &user, "100.00", PIN)
        .await
        .refused(400, "PAY_PASSWORD_NOT_SET");
    walk.set_pin(&user).await;
    withdraw(walk, &user, "100.00", OTHER_PIN)
        .await
        .refused(400, "WRONG_PAY_PASSWORD");
    let grant = json!({"user_id": user.id, "action": "grant", "amount": "50.00"});
    walk.staff("/admin/wallet/start_up_funds", grant).await.ok();
    withdraw(walk, &user, "100.00", PIN)
        .await
        .refused(400, "START_UP_FUNDS_NOT_RETURNED");
    let property = stack.get("/user/property", &user.token).await.ok();
    assert_eq!(
        property["withdraw_blocked_by"],
        json!(["START_UP_FUNDS_NOT_RETURNED", "BANK_CARD_NOT_BOUND"])
    );
    let back = json!({"user_id": user.id, "action": "return", "amount": "20.00"});
    walk.staff("/admin/wallet/start_up_funds", back).await.ok();
    let path = "/user/start_up_funds/return";
    let give_back = |amount: &str| json!({"amount": amount});
    let reply = stack.post(path, &user.token, &give_back("30.01")).await;
    reply.refused(400, "AMOUNT_OUT_OF_RANGE");
    for _ in 0..2 {
        let keyed = stack
            .post_keyed(path, &user.token, "start-up", &give_back("30.00"))
            .await;
        assert_eq!(keyed.ok()["start_up_funds_outstanding"], "0.00");
    }
    withdraw(walk, &user, "100.00", PIN)
        .await
        .refused(400, "BANK_CARD_NOT_BOUND");
    let body = card("DE89370400440532013000", Some(PIN));
    stack.post("/bank_card/edit", &user.token, &body).await.ok();
    let reply = withdraw(walk, &user, "100.00", PIN).await;
    assert_eq!(reply.msg, "Submitted successfully");
    let first = reply.ok();
    is_decided_once(walk, &first["id"]).await;
    is_cancelled_while_it_waits(walk, &user, &first["id"]).await;
    let second = withdraw(walk, &user, "50.00", PIN).await.ok();
    let reject = json!({"id": second["id"], "decision": "rejected", "reason": "account closed"});
    walk.staff("/admin/withdraw/decide", reject.clone())
        .await
        .ok();
    walk.staff("/admin/withdraw/decide", reject)
        .await
        .refused(400, "NOTHING_CHANGED");
    let unknown = json!({"id": UNKNOWN, "decision": "paid", "reason": "sent"});
    walk.staff("/admin/withdraw/decide", unknown)
        .await
        .refused(405, "NOT_FOUND");
    let mine = stack.get("/user/withdraw/list", &user.token).await.ok();
    assert_eq!(mine["items"][0]["reason"], "account closed");
    let all = walk
        .staff_get(&format!("/admin/withdraw/list?user_id={}", user.id))
        .await;
    let account = &all["items"][0]["destination"]["bank_account"];
    assert_eq!(account, "DE89370400440532013000");
    let property = stack.get("/user/property", &user.token).await.ok();
    assert_eq!(
        (&property["total_assets"], &property["withdrawing"]),
        (&json!("299900.00"), &json!("0.00"))
    );
    let locked = walk.funded("500.00").await;
    walk.set_pin(&locked).await;
    walk.lock_pin(&locked).await;
    withdraw(walk, &locked, "100.00", PIN)
        .await
        .refused(429, "PAY_PASSWORD_LOCKED");
}

/// Withdrawals wait after a change of the login password, of which the wallet hears by an event, and of the card.
async fn cools_off(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.funded("500.00").await;
    walk.set_pin(&user).await;
    let body = card("DE89370400440532013000", Some(PIN));
    stack.post("/bank_card/edit", &user.token, &body).await.ok();
    let property = stack.get("/user/property", &user.token).await.ok();
    assert_eq!(property["withdrawal_available_at"], Value::Null);
    withdraw(walk, &user, "100.00", PIN).await.ok();

    let name = stack.get("/user/info", &user.token).await.ok()["username"].clone();
    let new = "an even longer staple";
    let change = json!({"old_password": PASSWORD, "new_password": new, "confirm_password": new});
    stack
        .post("/update/password", &user.token, &change)
        .await
        .ok();
    let login = json!({"username": name, "password": new});
    let session = stack.post_open("/auth/v2/login", &login).await.ok();
    let token = session["token"].as_str().unwrap();
    let property = eventually("the wallet heard of it", || async {
        let property = stack.get("/user/property", token).await.ok();
        (!property["withdrawal_available_at"].is_null()).then_some(property)
    })
    .await;
    assert_eq!(
        property["withdraw_blocked_by"],
        json!(["WITHDRAWAL_COOLING_OFF"])
    );
    let at = |property: &Value| {
        let text = property["withdrawal_available_at"].as_str().unwrap();
        text.parse::<DateTime<Utc>>().unwrap()
    };
    assert!(at(&property) > Utc::now());

    let body = card("DE02120300000000202051", Some(PIN));
    stack.post("/bank_card/edit", token, &body).await.ok();
    let rebound = stack.get("/user/property", token).await.ok();
    assert!(at(&rebound) > at(&property));
    let again = json!({"amount": "100.00", "method": "bank_card", "password": PIN});
    let data = stack
        .post("/user/withdraw", token, &again)
        .await
        .refused(400, "WITHDRAWAL_COOLING_OFF");
    let wait = data["retry_after"].as_i64().unwrap();
    assert!((1..=24 * 3600).contains(&wait), "{wait}");
}

/// However many decide at once, one does.
async fn is_decided_once(walk: &Walk, id: &Value) {
    let decide = json!({"id": id, "decision": "paid", "reason": "sent"});
    let answers =
        join_all((0..20).map(|_| walk.staff("/admin/withdraw/decide", decide.clone()))).await;
    let (done, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.code == 200);
    assert_eq!(done.len(), 1);
    assert!(
        refused
            .iter()
            .all(|answer| answer.reason() == "NOTHING_CHANGED")
    );
}

async fn offer(walk: &Walk, acceptor: &Value, direction: &str) -> String {
    offer_up_to(walk, acceptor, direction, "500.00").await
}

async fn offer_up_to(walk: &Walk, acceptor: &Value, direction: &str, max: &str) -> String {
    let body = json!({
        "acceptor_id": acceptor, "direction": direction, "currency": "EUR", "rate": "0.9235", "min": "10.00",
        "max": max, "expires_at": Utc::now() + TimeDelta::days(1),
    });
    let issued = walk
        .staff("/admin/acceptance_code/create", body.clone())
        .await
        .ok();
    issued["code"].as_str().unwrap().to_owned()
}

async fn exchange(
    walk: &Walk,
    user: &User,
    code: &str,
    amount: &str,
    password: &str,
) -> crate::stack::Reply {
    let body = json!({"kind": "enterprise", "code": code, "amount": amount, "password": password});
    walk.stack
        .post("/acceptor/order/create", &user.token, &body)
        .await
}

async fn exchanges(walk: &Walk) {
    let stack = &walk.stack;
    let acceptor = json!({"kind": "enterprise", "name": "Harbour Exchange Ltd", "rating": 4.8});
    let acceptor = walk.staff("/admin/acceptor/create", acceptor).await.ok();
    walk.staff_get("/admin/acceptor/list").await;
    let unknown = json!({
        "acceptor_id": UNKNOWN, "direction": "wallet_to_currency", "currency": "EUR", "rate": 1, "min": 1, "max": 2,
        "expires_at": Utc::now() + TimeDelta::days(1),
    });
    walk.staff("/admin/acceptance_code/create", unknown)
        .await
        .refused(405, "NOT_FOUND");
    let code = offer(walk, &acceptor["id"], "wallet_to_currency").await;
    let user = walk.funded("200.00").await;
    let behind = |code: &str| json!({"kind": "enterprise", "code": code});
    let path = "/acceptor/detail";
    stack
        .post(path, &user.token, &behind("NOSUCH-CODE"))
        .await
        .refused(400, "ACCEPTANCE_CODE_ERROR");
    for (code, amount, password, reason) in [
        ("NOSUCH-CODE", "20", PIN, "ACCEPTANCE_CODE_ERROR"),
        (&*code, "9.99", PIN, "EXCHANGE_LIMIT"),
        (&*code, "20", PIN, "PAY_PASSWORD_NOT_SET"),
    ] {
        exchange(walk, &user, code, amount, password)
            .await
            .refused(400, reason);
    }
    walk.set_pin(&user).await;
    exchange(walk, &user, &code, "20", OTHER_PIN)
        .await
        .refused(400, "WRONG_PAY_PASSWORD");
    exchange(walk, &user, &code, "400", PIN)
        .await
        .refused(400, "INSUFFICIENT_BALANCE");
    let first = exchange(walk, &user, &code, "100", PIN).await.ok();
    assert_eq!(first["counter_amount"], "92.35");
    let detail = stack.post(path, &user.token, &behind(&code)).await.ok();
    assert_eq!(detail["current"]["id"], first["id"]);
    exchange(walk, &user, &code, "20", PIN)
        .await
        .refused(400, "EXCHANGE_OPEN");
    are_ended(walk, &user, &first, &code).await;
    exchange_is_stopped_like_a_withdrawal(walk, &code).await;
    a_day_has_a_limit(walk, &acceptor["id"]).await;
    an_owner_stops_everything(walk, &code).await;
    let locked = walk.funded("500.00").await;
    walk.set_pin(&locked).await;
    walk.lock_pin(&locked).await;
    exchange(walk, &locked, &code, "100", PIN)
        .await
        .refused(429, "PAY_PASSWORD_LOCKED");
}

/// What stops a withdrawal stops an exchange.
async fn exchange_is_stopped_like_a_withdrawal(walk: &Walk, code: &str) {
    let stack = &walk.stack;
    let user = walk.funded("200.00").await;
    walk.set_pin(&user).await;
    let funds = |action: &str| json!({"user_id": user.id, "action": action, "amount": "50.00"});
    let path = "/admin/wallet/start_up_funds";
    walk.staff(path, funds("grant")).await.ok();
    let data = exchange(walk, &user, code, "20", PIN)
        .await
        .refused(400, "START_UP_FUNDS_NOT_RETURNED");
    assert_eq!(data["field"], Value::Null);
    walk.staff(path, funds("return")).await.ok();
    let first = exchange(walk, &user, code, "20", PIN).await.ok();
    let change = json!({"password": OTHER_PIN, "confirm_password": OTHER_PIN, "old_password": PIN});
    stack.post("/set/password", &user.token, &change).await.ok();
    // What was open before is still cancelled, and the money comes back.
    let cancel = json!({"id": first["id"]});
    stack
        .post("/acceptor/order/cancel", &user.token, &cancel)
        .await
        .ok();
    let data = exchange(walk, &user, code, "20", OTHER_PIN)
        .await
        .refused(400, "WITHDRAWAL_COOLING_OFF");
    let wait = data["retry_after"].as_i64().unwrap();
    assert!((1..=24 * 3600).contains(&wait), "{data}");
    assert_eq!(data["field"], Value::Null);
    let property = stack.get("/user/property", &user.token).await.ok();
    assert_eq!(property["available_funds"], "200.00");
}

/// What a user freezes stays until the user and staff have agreed.
async fn an_owner_stops_everything(walk: &Walk, code: &str) {
    let stack = &walk.stack;
    let user = walk.funded_by_two("80000.00").await;
    walk.set_pin(&user).await;
    let body = card("DE89370400440532013000", Some(PIN));
    stack.post("/bank_card/edit", &user.token, &body).await.ok();
    let large = withdraw(walk, &user, "70000.00", PIN).await.ok();
    let order = exchange(walk, &user, code, "20", PIN).await.ok();
    let other = withdraw(walk, &user, "10.00", PIN).await.ok();

    let decide =
        |id: &Value, decision: &str| json!({"id": id, "decision": decision, "reason": "as asked"});
    let reply = walk
        .staff("/admin/withdraw/decide", decide(&large["id"], "paid"))
        .await;
    reply.refused(400, "APPROVAL_REQUIRED");

    let long = json!({"reason": "x".repeat(501)});
    let reply = stack.post("/user/freeze", &user.token, &long).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "reason");
    let freeze = json!({"reason": "That was not me"});
    let property = stack.post("/user/freeze", &user.token, &freeze).await.ok();
    assert!(property["frozen_at"].is_string());
    assert_eq!(property["withdraw_blocked_by"], json!(["WALLET_FROZEN"]));
    withdraw(walk, &user, "10.00", PIN)
        .await
        .refused(400, "WALLET_FROZEN");
    for (path, id, decision) in [
        ("/admin/withdraw/decide", &other["id"], "paid"),
        ("/admin/exchange/decide", &order["id"], "completed"),
    ] {
        let reply = walk.staff(path, decide(id, decision)).await;
        reply.refused(400, "WALLET_FROZEN");
    }
    let waiting = walk.staff_get("/admin/approval/list?state=pending").await;
    let mut items = waiting["items"].as_array().unwrap().iter();
    let approval = items.find(|item| item["user_id"] == user.id).unwrap();
    let approve = decide(&approval["id"], "approved");
    let path = "/admin/approval/decide";
    let reply = stack.post(path, &walk.second, &approve).await;
    reply.refused(400, "WALLET_FROZEN");
    for (path, id, decision) in [
        ("/admin/withdraw/decide", &other["id"], "rejected"),
        ("/admin/exchange/decide", &order["id"], "cancelled"),
    ] {
        walk.staff(path, decide(id, decision)).await.ok();
    }
    exchange(walk, &user, code, "20", PIN)
        .await
        .refused(400, "WALLET_FROZEN");

    stack.grow_older(&user.id, "20 minutes").await;
    let nothing = json!({});
    // The gateway knows sessions for a moment. Freezing again takes back what was agreed in it.
    eventually("the session is not fresh", || async {
        stack.post("/user/freeze", &user.token, &freeze).await.ok();
        let reply = stack.post("/user/unfreeze", &user.token, &nothing).await;
        reply.reason() == "STEP_UP_REQUIRED"
    })
    .await;
    let step_up = json!({"password": PASSWORD});
    stack
        .post("/user/step_up", &user.token, &step_up)
        .await
        .ok();
    eventually("the session is fresh", || async {
        let reply = stack.post("/user/unfreeze", &user.token, &nothing).await;
        reply.code == 200
    })
    .await;
    let waiting = walk.staff_get("/admin/wallet/freezes").await;
    let mut items = waiting["items"].as_array().unwrap().iter();
    let frozen = items.find(|item| item["user_id"] == user.id).unwrap();
    assert_eq!(frozen["reason"], "That was not me");
    assert!(frozen["owner_agreed_at"].is_string());
    let lift = |id: &str| json!({"user_id": id, "reason": "Called back"});
    let path = "/admin/wallet/unfreeze";
    let reply = walk.staff(path, lift(UNKNOWN)).await;
    reply.refused(405, "NOT_FOUND");
    let lifted = walk.staff(path, lift(&user.id)).await.ok();
    assert!(lifted["lifted_at"].is_string());
    let reply = walk.staff(path, lift(&user.id)).await;
    reply.refused(400, "NOTHING_CHANGED");
    let reply = stack.post("/user/unfreeze", &user.token, &nothing).await;
    reply.refused(400, "NOTHING_CHANGED");
    let reply = withdraw(walk, &user, "10.00", PIN).await;
    reply.refused(400, "WITHDRAWAL_COOLING_OFF");
}

/// The link of a mail freezes without a session, and lifts nothing.
async fn a_mail_stops_everything(walk: &Walk) {
    let stack = &walk.stack;
    let user = walk.funded("500.00").await;
    walk.set_pin(&user).await;
    let body = card("DE02120300000000202051", Some(PIN));
    stack.post("/bank_card/edit", &user.token, &body).await.ok();
    withdraw(walk, &user, "10.00", PIN).await.ok();
    let token = token_of_mail(walk, &user, "withdrawal_requested").await;
    let path = "/user/freeze/mail";
    for wrong in ["", &token[1..]] {
        let reply = stack.post_open(path, &json!({"token": wrong})).await;
        reply.refused(400, "DISOWN_LINK_INVALID");
    }
    let reply = stack.post_open(path, &json!({})).await;
    assert_eq!(reply.refused(400, "VALIDATION")["field"], "token");
    // With any session or none, and more than once.
    for session in [Some("nobody"), None] {
        let request = stack.request(Method::POST, path, session);
        let reply = stack.send(request.json(&json!({"token": token}))).await;
        assert_eq!(reply.ok(), json!({}));
    }
    eventually("nothing leaves", || async {
        let property = stack.get("/user/property", &user.token).await.ok();
        property["withdraw_blocked_by"] == json!(["WALLET_FROZEN"])
    })
    .await;
    withdraw(walk, &user, "10.00", PIN)
        .await
        .refused(400, "WALLET_FROZEN");
    let waiting = walk.staff_get("/admin/wallet/freezes").await;
    let mut items = waiting["items"].as_array().unwrap().iter();
    let frozen = items.find(|item| item["user_id"] == user.id).unwrap();
    let reason = frozen["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("By the link of a mail: withdrawal_requested was not me"),
        "{reason}"
    );
    eventually("the owner's log has it", || async {
        let log = stack.get("/user/security/log", &user.token).await.ok();
        let mut items = log["items"].as_array().unwrap().iter();
        items.any(|item| item["action"] == "wallet.wallet_frozen")
    })
    .await;
}

/// The token of the link of a user's mail, as it arrived.
async fn token_of_mail(walk: &Walk, user: &User, template: &str) -> String {
    let mut text = walk.mail(user, template).await;
    if text.contains("quoted-printable") {
        text = text.replace("=\r\n", "").replace("=3D", "=");
    }
    let link = text.split_once("https://app.adfolio.example/#/not-me?token=");
    let (_, rest) = link.unwrap_or_else(|| panic!("no link: {text}"));
    rest.lines().next().unwrap().trim().to_owned()
}

/// So much leaves within a day, and no more.
async fn a_day_has_a_limit(walk: &Walk, acceptor: &Value) {
    let user = walk.funded_by_two("300000.00").await;
    walk.set_pin(&user).await;
    let body = card("DE89370400440532013000", Some(PIN));
    let reply = walk.stack.post("/bank_card/edit", &user.token, &body).await;
    reply.ok();
    withdraw(walk, &user, "100000.00", PIN).await.ok();
    let data = withdraw(walk, &user, "1.00", PIN)
        .await
        .refused(400, "DAY_LIMIT_REACHED");
    assert_eq!(data["field"], "amount");
    assert!(data["retry_after"].as_i64().unwrap() > 23 * 3600);
    let code = offer_up_to(walk, acceptor, "wallet_to_currency", "50000.00").await;
    for is_too_much in [false, true] {
        let order = exchange(walk, &user, &code, "50000.00", PIN).await.ok();
        completes(walk, &order["id"], is_too_much).await;
    }
    let data = exchange(walk, &user, &code, "10.00", PIN)
        .await
        .refused(400, "DAY_LIMIT_REACHED");
    assert_eq!(data["field"], "amount");
}

/// What one member of staff may not complete alone any more, another person completes by the same decision.
async fn completes(walk: &Walk, id: &Value, takes_two: bool) {
    let path = "/admin/exchange/decide";
    let decide = json!({"id": id, "decision": "completed", "reason": "confirmed"});
    let alone = walk.staff(path, decide.clone()).await;
    if !takes_two {
        assert_eq!(alone.ok()["completion_request"], Value::Null);
        return;
    }
    alone.refused(400, "APPROVAL_REQUIRED");
    let listed = walk.staff_get("/admin/exchange/list?status=pending").await;
    let mut items = listed["items"].as_array().unwrap().iter();
    let waiting = items.find(|item| item["id"] == *id).unwrap();
    let asked = &waiting["completion_request"];
    assert_eq!(asked["reason"], "confirmed");
    let completed = walk.stack.post(path, &walk.second, &decide).await.ok();
    assert_eq!(
        (&completed["status"], &completed["completion_request"]),
        (&json!("completed"), asked)
    );
    assert_eq!(walk.staff(path, decide).await.ok(), completed);
}

async fn are_ended(walk: &Walk, user: &User, first: &Value, code: &str) {
    let stack = &walk.stack;
    let cancel = "/acceptor/order/cancel";
    let by_id = |id: &Value| json!({"id": id});
    let cancelled = stack
        .post(cancel, &user.token, &by_id(&first["id"]))
        .await
        .ok();
    assert_eq!(cancelled["status"], "cancelled");
    stack
        .post(cancel, &user.token, &by_id(&first["id"]))
        .await
        .refused(400, "NOTHING_CHANGED");
    stack
        .post(cancel, &user.token, &by_id(&json!(UNKNOWN)))
        .await
        .refused(405, "NOT_FOUND");
    let second = exchange(walk, user, code, "50.00", PIN).await.ok();
    let decide = |id: &Value| json!({"id": id, "decision": "completed", "reason": "confirmed"});
    let path = "/admin/exchange/decide";
    let decided = walk.staff(path, decide(&second["id"])).await.ok();
    assert_eq!(decided["status"], "completed");
    walk.staff(path, decide(&second["id"]))
        .await
        .refused(400, "NOTHING_CHANGED");
    walk.staff(path, decide(&json!(UNKNOWN)))
        .await
        .refused(405, "NOT_FOUND");
    let mine = stack.get("/acceptor/order/list", &user.token).await.ok();
    assert_eq!(mine["items"].as_array().unwrap().len(), 2);
    let all = walk
        .staff_get(&format!("/admin/exchange/list?user_id={}", user.id))
        .await;
    assert_eq!(all["items"][0]["user"]["id"], json!(user.id));
    let property = stack.get("/user/property", &user.token).await.ok();
    assert_eq!(property["available_funds"], "150.00");
}
