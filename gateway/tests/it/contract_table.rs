//! The contract's tables: every call with what it takes and the shape of its data.
//!
//! In `takes` a name with `?` may be absent. In a shape a text names a type, and a field of an object must be there; more
//! fields may be.

#![allow(
    clippy::needless_pass_by_value,
    reason = "a table of `&json!(…)` is harder to read"
)]

use serde_json::{Value, json};

/// A call of the contract.
pub struct Contracted {
    pub method: &'static str,
    pub path: &'static str,
    /// Names of what it takes, separated by blanks.
    pub takes: &'static str,
    pub data: Value,
}

fn row(method: &'static str, path: &'static str, takes: &'static str, data: Value) -> Contracted {
    Contracted {
        method,
        path,
        takes,
        data,
    }
}

fn get(path: &'static str, takes: &'static str, data: Value) -> Contracted {
    row("GET", path, takes, data)
}

fn post(path: &'static str, takes: &'static str, data: Value) -> Contracted {
    row("POST", path, takes, data)
}

/// A page of things, with further fields.
fn page(item: Value, more: Value) -> Value {
    with(json!({"items": [item], "next_cursor": "text?"}), more)
}

fn with(mut shape: Value, more: Value) -> Value {
    let fields = shape.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    shape
}

/// Something, or null.
fn nullable(shape: Value) -> Value {
    json!({"null or": shape})
}

/// Whatever names, each with such a value.
fn named(shape: Value) -> Value {
    json!({"each": shape})
}

fn service_entry() -> Value {
    json!({
        "id": "text", "type": "int", "url": "text", "label": "text", "hours": "text", "answer_time": "text",
    })
}

fn user() -> Value {
    json!({
        "id": "text", "username": "text", "nickname": "text", "email": "text", "email_confirmed": "bool",
        "phone": "text", "avatar_url": "text?",
        "credit_score": "int", "shop_level": "int", "deposit": "money", "proxy_operator_id": "text?", "licenseKey": "text?",
        "entry": "register|host", "lang": "text?", "vip": "bool", "has_pay_password": "bool", "has_bank_card": "bool",
        "payment_reference": "text", "state": "active|not_activated|disabled|cancelled", "customer_service_url": [service_entry()],
        "recharge_customer_service_url": [service_entry()], "created_at": "time",
    })
}

fn session() -> Value {
    json!({"token": "text", "device_token": "text?", "expires_at": "time", "user": user()})
}

fn older_session() -> Value {
    json!({"token": "text", "device_token": "text?"})
}

fn host() -> Value {
    let key = json!({"kid": "text", "added_at": "time", "revoked_at": "time?"});
    json!({"id": "text", "name": "text", "keys": [key], "created_at": "time"})
}

fn source() -> Value {
    let key = json!({"kid": "text", "added_at": "time", "revoked_at": "time?"});
    json!({"source": "text", "channels": ["file|network"], "keys": [key]})
}

fn network() -> Value {
    let key = json!({"hint": "text", "issued_at": "time", "expires_at": "time?"});
    json!({
        "id": "text", "name": "text", "source": "text", "state": "active|paused", "simulated": "bool",
        "report_delay_seconds": "int", "created_at": "time", "keys": [key],
    })
}

fn placement() -> Value {
    let price = json!({
        "model": "cpm|cpc", "cost": "text", "revenue": "text", "valid_from": "time",
        "holds_from": "time?", "state": "proposed|confirmed", "set_by": "text?", "confirmed_by": "text?",
    });
    json!({
        "id": "text", "network_id": "text", "network_name": "text", "name": "text", "format": "text",
        "countries": ["text"], "systems": ["text"], "state": "active|paused", "created_at": "time", "prices": [price],
    })
}

fn allotment() -> Value {
    json!({
        "allotment_id": "text", "plan_number": "text", "placement": "text", "placement_name": "text", "budget": "text",
        "units": "int", "price": {"model": "cpm|cpc", "cost": "text", "revenue": "text"}, "from": "time", "to": "time",
        "report_until": "time", "creative": {"title": "text", "picture": "text", "destination": "text"},
    })
}

fn audience() -> Value {
    json!({"regions": ["text"], "age_min": "int", "age_max": "int", "gender": "any|female|male"})
}

fn product() -> Value {
    json!({
        "id": "text", "name": "text", "icon_url": "text?", "cover_url": "text?", "category": "text", "description": "text",
        "game_description": "text", "content_types": ["video|landing_page"], "put_min": "money", "put_max": "money",
        "audience": audience(),
    })
}

const STATUS: &str = "waiting|matching|putting|put_failed|put_finished|waiting_settlement|settled";

fn plan() -> Value {
    json!({
        "id": "text", "plan_number": "text", "product": {"id": "text", "name": "text", "icon_url": "text?"},
        "put_amount": "money", "paid_amount": "money", "discount_amount": "money", "put_progress": "int", "status": STATUS,
        "official": "bool", "operator_id": "text?", "put_content": "text", "put_rule": "text", "user_targeting": audience(),
        "impressions": "int", "clicks": "int", "consumed": "money", "to_be_consumed": "money", "revenue": "money",
        "profit": "signed", "coupon_share": "money", "result": "signed", "coupon": nullable(json!({"id": "text", "name": "text"})), "fail_reason": "text?",
        "create_time": "time", "put_time": "time?", "finish_time": "time?", "settle_time": "time?", "expire_time": "time?", "end_time": "time?",
        "no_supply_since": "time?",
    })
}

fn point() -> Value {
    json!({"time": "time", "impressions": "int", "clicks": "int", "consumed": "money", "revenue": "money"})
}

fn plan_detail() -> Value {
    let timeline = json!([{"status": STATUS, "time": "time"}]);
    let more = json!({
        "timeline": timeline, "series": [point()], "bucket": "hour|day|month", "flow": [flow()],
    });
    with(plan(), more)
}

fn report() -> Value {
    let file = json!({"time": "time", "sha256": "text?", "line": "int"});
    json!({
        "source": "text", "report_id": "text", "revision": "int", "time": "time",
        "placement": nullable(json!({"id": "text", "name": "text"})),
        "impressions": "int", "clicks": "int", "spend": "text", "charged": "text", "revenue": "text", "estimated": "bool",
        "simulated": "bool", "import": nullable(file),
    })
}

fn pace() -> Value {
    json!({
        "series": [{"time": "time", "planned": "money", "low": "money", "high": "money", "spent": "money?"}],
        "state": "not_paced|too_early|on_pace|behind|ahead|ended", "bucket": "hour|day",
    })
}

fn placements() -> Value {
    json!({
        "items": [{
            "placement": nullable(json!({"id": "text", "name": "text"})), "impressions": "int", "clicks": "int",
            "ctr": "number", "ctr_low": "number", "ctr_high": "number", "spend": "money", "share": "number?",
            "reason": "chosen|exploring|capped|full|held?", "simulated": "bool",
        }],
        "learning": {"clicks": "int", "of": "int"}, "reported_until": "time?",
    })
}

fn coupon() -> Value {
    json!({
        "id": "text", "name": "text", "type": "increment|deduction|team|custom|fixed_amount",
        "mode": "discount|deduction|addition", "value": "text", "amount_requirement": "money", "expires_at": "time",
        "state": "unused|used|expired", "used_at": "time?", "plan_id": "text?", "source": "new_user|periodic|staff",
    })
}

fn flow() -> Value {
    json!({
        "id": "text", "time": "time", "amount": "signed", "balance_after": "money", "remark": "text?", "reference": "text?",
        "hash": "hash", "account": "available|to_be_consumed|to_be_settled|withdrawing", "transfer": "bool",
        "plan": nullable(json!({"id": "text", "plan_number": "text", "product": "text"})),
        "type": "system_top_up|manual_payout|ad_billing|ad_serving|system_chargeback|virtual_recharge_deduction|open_membership|\
                 profit_sharing|discount_amount|exchange|start_up_funds|guarantee",
    })
}

fn property() -> Value {
    json!({
        "currency": "text", "total_assets": "money", "available_funds": "money", "to_be_consumed": "money",
        "to_be_settled": "money", "discount_amount": "money", "start_up_funds_outstanding": "money", "withdrawing": "money",
        "guarantee": "money", "start_up_funds_returnable": "bool",
        "withdraw_blocked_by": ["text"], "withdrawal_available_at": "time?", "frozen_at": "time?",
    })
}

fn exchange() -> Value {
    json!({
        "id": "text", "acceptor": {"id": "text", "name": "text", "kind": "personal|enterprise"},
        "direction": "wallet_to_currency|currency_to_wallet", "currency": "text", "rate": "text", "amount": "money",
        "counter_amount": "text", "status": "pending|completed|cancelled|expired", "create_time": "time",
        "finish_time": "time?", "missing": "money",
    })
}

fn offer() -> Value {
    json!({
        "id": "text", "direction": "wallet_to_currency|currency_to_wallet", "currency": "text", "rate": "text",
        "min": "money", "max": "money", "expires_at": "time",
    })
}

fn acceptor() -> Value {
    json!({"id": "text", "kind": "personal|enterprise", "name": "text", "rating": "text", "completed_orders": "int"})
}

fn withdrawal() -> Value {
    json!({
        "id": "text", "amount": "money", "fee": "money", "method": "bank_card|wallet_address",
        "status": "pending|paid|rejected|cancelled", "reason": "text?", "time": "time",
    })
}

fn card() -> Value {
    json!({
        "card_name": "text", "user_name": "text", "mobile": "text", "bank_account": "text", "branch_name": "text",
    })
}

fn notification() -> Value {
    json!({
        "id": "text", "category": "announcement|maintenance|activity", "title": "text", "content": "text", "read": "bool",
        "time": "time", "kind": "money|plan|security|offer",
        "target": nullable(json!({"kind": "entry|withdrawal|exchange|plan|coupon", "id": "text"})),
    })
}

fn unread() -> Value {
    json!({"unread_total": "int", "sequence": "int"})
}

fn staff() -> Value {
    json!({
        "id": "text", "username": "text", "role": "admin|support|finance|operator", "state": "active|disabled",
        "must_change_password": "bool", "made_by": "text?", "confirmed_by": "text?", "has_second_factor": "bool",
        "has_totp": "bool", "passkeys": "int",
    })
}

fn ceremony() -> Value {
    json!({"ceremony": "text", "options": {}})
}

fn passkey() -> Value {
    json!({"passkey_id": "text", "name": "text", "created_at": "time", "last_used_at": "time?"})
}

fn named_user() -> Value {
    json!({"user": {"id": "text", "username": "text?"}})
}

fn campaign() -> Value {
    json!({
        "id": "text", "name": "text", "type": "increment|deduction|team|custom|fixed_amount",
        "mode": "discount|deduction|addition", "value": "text", "amount_requirement": "money",
        "kind": "new_user|periodic|staff", "valid_days": "int", "total": "int?", "claimed": "int", "starts_at": "time?",
        "ends_at": "time?", "state": "proposed|released|rejected", "created_by": "text", "decided_by": "text?",
        "decided_at": "time?", "redeemed": "int", "redeemed_amount": "money", "expired": "int",
    })
}

fn content() -> Value {
    let entry = json!({
        "id": "text", "type": "int", "url": "text", "label": named(json!("text")), "hours": named(json!("text")),
        "answer_time": named(json!("text")),
    });
    let method = json!({
        "id": "text", "name": named(json!("text")), "min": "money?", "max": "money?", "fee": named(json!("text")),
        "arrival": named(json!("text")),
    });
    json!({
        "version": "int", "customer_service": [entry], "recharge_customer_service": [entry],
        "faq": [{"id": "text", "title": named(json!("text")), "content": named(json!("text"))}],
        "operating_rules": named(json!("text")), "activity_rules": named(json!("text")),
        "marketing": nullable(json!({"headline": named(json!("text"))})), "deposit_methods": [method],
        "imprint": named(json!("text")), "terms": named(json!("text")), "privacy": named(json!("text")),
        "fees": named(json!("text")),
    })
}

fn feedback() -> Value {
    let more = json!({
        "id": "text", "topic": "text", "content": "text", "images": ["text"], "state": "open|closed", "reply": "text?",
        "time": "time", "closed_at": "time?", "closed_by": "text?",
    });
    with(named_user(), more)
}

fn announcement() -> Value {
    json!({
        "id": "text", "category": "announcement|maintenance|activity", "state": "scheduled|published|withdrawn",
        "to": "all|users", "recipients": "int", "reached": "int?", "title": named(json!("text")),
        "content": named(json!("text")), "version": "int", "made_by": "text?", "time": "time", "publish_at": "time?",
        "published_at": "time?", "changed_by": "text?", "changed_at": "time?", "withdrawal_reason": "text?",
    })
}

fn content_version() -> Value {
    json!({
        "version": "int", "parts": ["text"], "made_by": "text?", "time": "time", "reason": "text?", "restored": "int?",
    })
}

/// What support needs to know of a user, and what staff write.
fn desk() -> Vec<Contracted> {
    let texts = "version? customer_service? recharge_customer_service? faq? operating_rules? activity_rules? marketing? \
                 deposit_methods? imprint? terms? privacy? fees?";
    let entry = json!({
        "id": "text", "time": "time", "action": "text", "amount": "money?", "by": "staff|user", "reason": "text?",
    });
    vec![
        get(
            "/admin/user/coupons",
            "user_id state? cursor? limit?",
            page(coupon(), json!({"counts": named(json!("int"))})),
        ),
        get(
            "/admin/user/notices",
            "user_id category? filter? cursor? limit?",
            page(notification(), json!({"unread_total": "int"})),
        ),
        get(
            "/admin/user/security_log",
            "user_id cursor? limit?",
            page(entry, json!({})),
        ),
        post(
            "/admin/user/sessions/end",
            "user_id reason",
            json!({"ended": "int"}),
        ),
        post(
            "/admin/notification/create",
            "category to title content publish_at?",
            json!({"id": "text", "recipients": "int", "state": "scheduled|published|withdrawn"}),
        ),
        get(
            "/admin/announcement/list",
            "state? cursor? limit?",
            page(announcement(), json!({})),
        ),
        get(
            "/admin/announcement/detail",
            "id",
            with(
                announcement(),
                json!({"users": [{"id": "text", "username": "text?"}]}),
            ),
        ),
        get(
            "/admin/announcement/audience",
            "",
            json!({"users": "int", "more": "bool"}),
        ),
        post(
            "/admin/announcement/edit",
            "id version category? to? title? content? publish_at?",
            announcement(),
        ),
        post(
            "/admin/announcement/withdraw",
            "id reason version?",
            announcement(),
        ),
        get(
            "/admin/feedback/list",
            "state? cursor? limit?",
            page(feedback(), json!({})),
        ),
        post("/admin/feedback/close", "id reply?", feedback()),
        get("/admin/content", "", content()),
        post("/admin/content", texts, content()),
        get(
            "/admin/content/versions",
            "cursor? limit?",
            page(content_version(), json!({})),
        ),
        get(
            "/admin/content/version",
            "version",
            json!({"change": content_version(), "content": content()}),
        ),
        post(
            "/admin/content/restore",
            "version parts? current? reason",
            content(),
        ),
    ]
}

/// Every call of the contract.
pub fn table() -> Vec<Contracted> {
    [
        account(),
        plans(),
        wallet(),
        others(),
        networks(),
        staff_accounts(),
        staff_passkeys(),
        staff_business(),
        staff_bank(),
        staff_desk(),
        desk(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn account() -> Vec<Contracted> {
    let registration = "username nickname? password confirm_password email phone licenseKey";
    let older = "username nickname? password confirm_password? email? phone? licenseKey";
    let language = json!({"code": "text", "name": "text", "native_name": "text", "locale": "text"});
    vec![
        post("/auth/v2/register", registration, session()),
        post(
            "/auth/v2/login",
            "username password device_token?",
            session(),
        ),
        get(
            "/auth/v2/lang",
            "",
            json!({"default": "text", "items": [language]}),
        ),
        post(
            "/auth/login",
            "username password device_token?",
            older_session(),
        ),
        post("/auth/register", older, older_session()),
        post("/auth/logout", "", json!({})),
        post("/opening_store", "code", session()),
        post("/auth/v2/host", "assertion", session()),
        post("/user/step_up", "password", json!({"fresh_until": "time"})),
        post("/user/email/code", "", json!({"valid_until": "time"})),
        post("/user/email/confirm", "code", user()),
        post("/user/freeze", "reason?", property()),
        post("/user/freeze/mail", "token", json!({})),
        post("/user/unfreeze", "", property()),
        get("/push/key", "", json!({"public_key": "text?"})),
        post("/push/subscribe", "endpoint p256dh auth", json!({})),
        post("/push/unsubscribe", "endpoint", json!({})),
        get("/user/info", "", user()),
        post(
            "/user/info/edit",
            "nickname? email? phone? avatar_file_id? lang?",
            user(),
        ),
        post(
            "/update/password",
            "old_password new_password confirm_password",
            json!({}),
        ),
        get(
            "/user/security/log",
            "cursor? limit?",
            page(
                json!({"id": "text", "time": "time", "action": "text", "amount": "money?", "by": "staff|user", "reason": "text?"}),
                json!({}),
            ),
        ),
        get(
            "/user/sessions",
            "",
            json!({"items": [{
                "id": "text", "current": "bool", "created_at": "time", "last_used_at": "time", "expires_at": "time",
                "user_agent": "text?", "address": "text?",
            }]}),
        ),
        post("/user/sessions/end", "id? others?", json!({})),
        post(
            "/files/upload",
            "file",
            json!({"id": "text", "url": "text", "width": "int", "height": "int", "size": "int"}),
        ),
    ]
}

fn plans() -> Vec<Contracted> {
    let counts = named(json!("int"));
    let statistics = json!({
        "type": "int", "from": "time", "to": "time", "invested": "money", "delivery_orders": "int", "consumed": "money",
        "to_be_consumed": "money", "impressions": "int", "clicks": "int", "revenue": "money", "profit": "signed",
        "ctr": "text?", "cpc": "text?", "roas": "text?", "series": [point()], "bucket": "hour|day|month",
        "estimated": {"spend": "money", "revenue": "money"},
        "simulated": {"impressions": "int", "clicks": "int", "spend": "money", "revenue": "money"},
        "reported_until": [{"source": "text", "time": "time"}],
        "previous": nullable(json!({
            "from": "time", "to": "time", "invested": "money", "delivery_orders": "int", "consumed": "money",
            "impressions": "int", "clicks": "int", "revenue": "money", "profit": "signed",
        })),
    });
    let follow = json!({
        "operator_id": "text", "operator_name": "text", "followed_at": "time", "ended_at": "time?",
    });
    let claimable = json!({
        "campaign_id": "text", "name": "text", "kind": "new_user|periodic", "mode": "discount|deduction|addition",
        "value": "text", "claimed": "bool", "type": "increment|deduction|team|custom|fixed_amount",
        "amount_requirement": "money", "valid_days": "int", "ends_at": "time?",
    });
    vec![
        get(
            "/plan/order/list",
            "push? status? figure? type? user_time_zone? sort? order? from? until? query? cursor? limit?",
            page(
                plan(),
                json!({"counts": counts, "sum": "money?", "totals": nullable(json!({
                    "count": "int", "put_amount": "money", "consumed": "money", "revenue": "money", "profit": "signed",
                    "impressions": "int", "clicks": "int",
                }))}),
            ),
        ),
        post("/plan/order/detail", "id", plan_detail()),
        get(
            "/plan/order/reports",
            "plan_id cursor? limit?",
            page(
                report(),
                json!({"totals": {
                    "impressions": "int", "clicks": "int", "spend": "money", "reported": "money", "revenue": "money",
                }}),
            ),
        ),
        get("/plan/order/pace", "plan_id", pace()),
        get("/plan/order/placements", "plan_id", placements()),
        post(
            "/plan/order/app/detail",
            "product_id",
            with(product(), json!({"coupons": [coupon()]})),
        ),
        post(
            "/plan/order/put",
            "plan_id? product_id? amount user_coupon_id?",
            plan(),
        ),
        post("/plan/order/cancel", "plan_id", plan()),
        post("/plan/order/await/put/count", "", json!({"count": "int"})),
        get(
            "/plan/product/list",
            "cursor? limit?",
            page(product(), json!({})),
        ),
        get(
            "/ad/order/data_statistics/list",
            "type? user_time_zone?",
            statistics,
        ),
        get(
            "/assistance/list",
            "cursor? limit?",
            page(follow.clone(), json!({"current_operator_id": "text?"})),
        ),
        post("/assistance/follow", "operator_id", follow),
        get(
            "/user_coupon/list",
            "state? cursor? limit?",
            page(
                coupon(),
                json!({"counts": named(json!("int")), "claimable": [claimable]}),
            ),
        ),
        post("/user_coupon/receive", "campaign_id?", coupon()),
    ]
}

fn networks() -> Vec<Contracted> {
    let rows = json!([{"line": "int", "reason": "text"}]);
    vec![
        get(
            "/network/allotments",
            "after? limit?",
            json!({"items": [allotment()], "next": "text?"}),
        ),
        post(
            "/network/reports",
            "",
            json!({
                "sha256": "hash", "read": "int", "applied": "int", "repeated": "int", "restated": "int", "held": rows,
                "rejected": rows, "rejected_count": "int", "quarantined": rows, "quarantined_count": "int",
            }),
        ),
    ]
}

fn wallet() -> Vec<Contracted> {
    let month = json!({
        "month": "text", "income": "money", "expense": "money", "net": "signed", "by_type": named(json!("signed")),
        "deposits": "money", "revenue": "money", "spent": "signed", "withdrawn": "signed", "lent": "signed",
    });
    let proof = json!({
        "leaf": "text", "index": "int", "size": "int", "path": ["hash"], "note": "text", "links": ["text"],
    });
    let checkpoint = json!({"size": "int", "root": "hash", "time": "time", "note": "text"});
    let bind =
        "kind card_name? user_name? mobile? bank_account? branch_name? network? address? password?";
    vec![
        get("/user/property", "", property()),
        get(
            "/transaction_flow/list",
            "type? account? month? from? until? totals? id? cursor? limit?",
            page(
                flow(),
                json!({"totals": nullable(json!({"in": "money", "out": "money", "net": "signed"}))}),
            ),
        ),
        get(
            "/transaction_flow/monthly",
            "months?",
            json!({"items": [month]}),
        ),
        get("/transaction_flow/proof", "sequence", proof),
        get(
            "/checkpoint/list",
            "cursor? limit?",
            page(checkpoint, json!({})),
        ),
        get(
            "/checkpoint/consistency",
            "first second",
            json!({"path": ["hash"]}),
        ),
        post("/user/withdraw", "amount method password", withdrawal()),
        post("/user/withdraw/cancel", "id", withdrawal()),
        post("/user/start_up_funds/return", "amount", property()),
        get(
            "/user/withdraw/list",
            "id? cursor? limit?",
            page(withdrawal(), json!({})),
        ),
        post("/check/password", "password", json!({})),
        post(
            "/set/password",
            "password confirm_password old_password?",
            json!({}),
        ),
        post(
            "/bank_card/edit",
            bind,
            with(card(), json!({"kind": "bank_card"})),
        ),
        get(
            "/bank_card/detail",
            "",
            json!({"bank_card": nullable(card()), "wallet_address": nullable(json!({"network": "text", "address": "text"}))}),
        ),
    ]
}

fn others() -> Vec<Contracted> {
    let range = json!({"min": "money", "max": "money"});
    let config = json!({
        "currency": "text", "customer_service_url": [service_entry()], "recharge_customer_service_url": [service_entry()],
        "client_language_map": [{"source": "text", "targets": "text"}],
        "withdraw_method_config": [{
            "method": "bank_card|wallet_address", "enabled": "bool", "min": "money", "max": "money", "fee": "money",
        }],
        "withdrawal_cooling_off_hours": "int", "leave_limits": {"per_day": "money", "per_destination": "money"},
        "faq_config": [{"id": "text", "title": "text", "content": "text"}], "operating_rules": "text",
        "deposit_methods": [{
            "id": "text", "name": "text", "min": "money?", "max": "money?", "fee": "text", "arrival": "text",
        }],
        "legal": ["imprint|terms|privacy|fees"], "activity_rules": "text", "put_amount": range, "exchange_limit": range, "stats_refresh_seconds": "int",
        "upload_max_bytes": "int", "marketing": nullable(json!({"headline": "text"})),
    });
    let detail = json!({"acceptor": acceptor(), "offer": offer(), "current": nullable(exchange())});
    let legal = json!({"name": "imprint|terms|privacy|fees", "text": "text"});
    vec![
        get("/basic_config", "lang?", config),
        get("/legal", "name", legal),
        post("/acceptor/detail", "kind code", detail),
        get(
            "/acceptor/order/list",
            "cursor? limit?",
            page(exchange(), json!({})),
        ),
        post(
            "/acceptor/order/create",
            "kind code amount password",
            exchange(),
        ),
        post("/acceptor/order/cancel", "id", exchange()),
        post("/feedback", "topic content images?", json!({"id": "text"})),
        post(
            "/user/notifications",
            "category? filter? cursor? limit?",
            page(notification(), unread()),
        ),
        post("/user/notifications/read", "id? all? category?", unread()),
        post("/user/notifications/unread_count", "", unread()),
    ]
}

fn staff_passkeys() -> Vec<Contracted> {
    vec![
        post("/admin/passkey/login_options", "", ceremony()),
        post(
            "/admin/passkey/login",
            "ceremony credential device_token?",
            json!({"token": "text", "device_token": "text?", "staff": staff()}),
        ),
        post("/admin/passkey/registration", "", ceremony()),
        post(
            "/admin/passkey/register",
            "ceremony credential name",
            passkey(),
        ),
        get("/admin/passkeys", "", json!({"items": [passkey()]})),
        post("/admin/passkey/remove", "passkey_id", passkey()),
        post("/admin/passkey/confirmation", "", ceremony()),
        post(
            "/admin/passkey/confirm",
            "ceremony credential",
            json!({"fresh_until": "time"}),
        ),
    ]
}

fn staff_accounts() -> Vec<Contracted> {
    let license = json!({"code": "text", "state": "unused|used"});
    let listed = with(
        staff(),
        json!({"created_at": "time", "last_login_at": "time?", "sessions": "int"}),
    );
    let detail = with(
        user(),
        json!({"property": property(), "sessions": [{"id": "text"}]}),
    );
    let audit = json!({
        "time": "time", "staff": {"id": "text", "username": "text"}, "action": "text", "target": "text", "reason": "text?",
        "before": nullable(json!({})), "after": nullable(json!({})),
    });
    vec![
        post(
            "/admin/login",
            "username password code? device_token?",
            json!({"token": "text", "device_token": "text?", "staff": staff()}),
        ),
        post("/admin/logout", "", json!({})),
        post("/admin/staff/create", "username password role", staff()),
        get(
            "/admin/staff/list",
            "cursor? limit?",
            page(listed, json!({})),
        ),
        post("/admin/staff/confirm", "staff_id reason", staff()),
        post("/admin/staff/state", "staff_id state reason", staff()),
        post("/admin/staff/role", "staff_id role reason", staff()),
        post(
            "/admin/staff/password",
            "old_password? new_password? staff_id? reason?",
            with(staff(), json!({"one_time_password": "text?"})),
        ),
        post("/admin/staff/sessions/end", "staff_id", staff()),
        post(
            "/admin/second_factor/enroll",
            "",
            json!({"secret": "text", "otpauth_uri": "text", "recovery_codes": ["text"]}),
        ),
        post(
            "/admin/second_factor/confirm",
            "code",
            json!({"fresh_until": "time"}),
        ),
        post("/admin/second_factor/reset", "staff_id reason", staff()),
        post(
            "/admin/license/create",
            "count note? activate?",
            json!({"items": [license]}),
        ),
        get(
            "/admin/license/list",
            "cursor? limit?",
            page(license, json!({})),
        ),
        get(
            "/admin/user/list",
            "query? state? cursor? limit?",
            page(user(), json!({})),
        ),
        post("/admin/user/detail", "id", detail),
        post("/admin/user/state", "id state reason?", user()),
        post(
            "/admin/user/profile",
            "id credit_score? shop_level? deposit? vip?",
            user(),
        ),
        post(
            "/admin/user/host_token",
            "external_user_id lang? host_id?",
            json!({"token": "text"}),
        ),
        post("/admin/pay_password/reset", "user_id reason?", json!({})),
        post("/admin/host/create", "name public_key", host()),
        post("/admin/host/key/add", "host_id public_key", host()),
        post("/admin/host/key/revoke", "kid reason?", host()),
        get("/admin/host/list", "", json!({"items": [host()]})),
        get(
            "/admin/audit/list",
            "staff_id? user_id? action? cursor? limit?",
            page(audit, json!({})),
        ),
    ]
}

fn staff_exchange() -> Value {
    let asked = json!({"requested_by": "text", "requested_at": "time", "reason": "text?"});
    with(exchange(), json!({"completion_request": nullable(asked)}))
}

fn approval() -> Value {
    json!({
        "id": "text", "user_id": "text", "withdrawal_id": "text?", "amount": "money", "remark": "text?",
        "action": "deposit|chargeback|recharge_deduction|membership|start_up_grant|start_up_return|\
                   guarantee_deposit|guarantee_return|withdrawal_paid",
        "request_reason": "text?", "requested_by": "text", "requested_at": "time", "expires_at": "time",
        "state": "pending|approved|rejected|expired|failed", "decided_by": "text?", "decided_at": "time?",
        "reason": "text?", "transaction_id": "text?", "failure": "text?",
    })
}

fn quarantined() -> Value {
    let finding = json!({
        "rule": "text", "version": "int", "value": "number", "limit": "number", "detail": "text",
    });
    json!({
        "id": "text", "state": "waiting|approved|released|rejected", "source": "text", "import_id": "text?", "line": "int",
        "report_id": "text", "revision": "int", "plan_number": "text", "placement": "text?", "time": "time",
        "impressions": "int", "clicks": "int", "spend": "text", "revenue": "text", "findings": [finding], "at": "time",
        "approved_by": "text?", "decided_by": "text?", "decided_at": "time?", "reason": "text", "outcome": "text?",
    })
}

fn freeze() -> Value {
    json!({
        "id": "text", "user_id": "text", "frozen_at": "time", "reason": "text?", "owner_agreed_at": "time?",
        "staff_agreed_at": "time?", "staff_id": "text?", "staff_reason": "text?", "lifted_at": "time?",
    })
}

/// Bank files, payment batches and the platform's accounts.
fn staff_bank() -> Vec<Contracted> {
    let statement = json!({
        "id": "text", "name": "text", "format": "camt053|csv", "reference": "text?", "first_day": "text?",
        "last_day": "text?", "sha256": "text", "uploaded_by": "text", "uploaded_at": "time", "lines": "int",
        "known_lines": "int", "paid_in": "money", "open_lines": "int", "waiting_lines": "int",
        "credited_lines": "int", "aside_lines": "int",
    });
    let fault = json!({"line": "int", "field": "text?", "problem": "text", "value": "text"});
    let user = nullable(json!({"id": "text", "username": "text?"}));
    let line = json!({
        "id": "text", "statement_id": "text", "line": "int", "booked_on": "text", "amount": "signed", "text": "text?",
        "party": "text?", "bank_reference": "text?", "withdrawal_id": "text?",
        "state": "open|waiting|credited|aside|paid_out", "transaction_id": "text?", "approval_id": "text?",
        "similar": "bool", "reason": "text?", "decided_by": "text?", "matched_user": user, "user": user,
    });
    let batch = json!({
        "id": "text", "method": "bank_card|wallet_address", "state": "proposed|released|paid|dissolved", "count": "int",
        "paid_count": "int", "payout": "money", "proposed_by": "text", "proposed_at": "time", "reason": "text?",
        "decided_by": "text?", "decided_at": "time?",
    });
    let uploaded = json!({
        "statement": nullable(statement.clone()), "repeated": "bool", "faults": [fault], "columns": ["text"],
    });
    let entry = json!({
        "transaction_id": "text", "time": "time", "type": "text", "amount": "signed", "reference": "text?",
        "remark": "text?", "staff_id": "text?",
    });
    vec![
        post("/admin/bank/statement", "file mapping? reason?", uploaded),
        get(
            "/admin/bank/statements",
            "id? cursor? limit?",
            page(statement, json!({})),
        ),
        get(
            "/admin/bank/lines",
            "statement_id state? cursor? limit?",
            page(line.clone(), json!({})),
        ),
        post("/admin/bank/line/credit", "id user_id?", line.clone()),
        post("/admin/bank/line/aside", "id aside reason", line),
        get(
            "/admin/payment_batch/list",
            "id? state? cursor? limit?",
            page(batch.clone(), json!({})),
        ),
        post(
            "/admin/payment_batch/propose",
            "withdrawal_ids reason?",
            batch.clone(),
        ),
        post(
            "/admin/payment_batch/decide",
            "id decision reason?",
            batch.clone(),
        ),
        post("/admin/payment_batch/pay", "id reason", batch),
        post(
            "/admin/payment_batch/take_out",
            "id reason",
            staff_withdrawal(),
        ),
        get(
            "/admin/platform/accounts",
            "",
            json!({"as_of": "time?", "items": [{"account": "text", "balance": "signed"}]}),
        ),
        get(
            "/admin/platform/entries",
            "account cursor? limit?",
            page(with(entry, named_user()), json!({})),
        ),
        get(
            "/admin/user/flow",
            "user_id type? account? month? from? until? totals? cursor? limit?",
            page(flow(), json!({})),
        ),
        get(
            "/admin/user/destinations",
            "user_id",
            json!({"bank_card": nullable(card()), "wallet_address": nullable(json!({}))}),
        ),
    ]
}

fn staff_withdrawal() -> Value {
    let batched = json!({"payment_batch_id": "text?", "take_out_asked_by": "text?"});
    with(with(withdrawal(), named_user()), batched)
}

#[allow(clippy::too_many_lines, reason = "rows of a table")]
fn staff_business() -> Vec<Contracted> {
    let check = json!({"name": "text", "ok": "bool", "figure": "int", "detail": "text"});
    let operator = json!({"id": "text", "name": "text", "followers": "int"});
    let new_product = "name icon_url? cover_url? category description game_description content_types put_min put_max audience return_max_percent? revenue_per_thousand_max? goal? placements? creative?";
    let edited_product = "id name icon_url? cover_url? category description game_description content_types put_min put_max audience return_max_percent? revenue_per_thousand_max? goal? placements? creative?";
    let rows = json!([{"line": "int", "reason": "text"}]);
    let totals = json!({"plans": "int", "impressions": "int", "clicks": "int", "spend": "text", "revenue": "text"});
    let notable =
        json!([{"plan_number": "text", "rule": "text", "value": "text", "usual": "text"}]);
    let taken = json!({
        "state": "proposed|released|rejected|expired", "totals": totals, "notable": notable, "read": "int",
        "applied": "int", "repeated": "int", "restated": "int", "rejected": rows, "rejected_count": "int",
    });
    let import = with(
        taken.clone(),
        json!({
            "import_id": "text?", "sha256": "text", "held": rows, "quarantined": rows, "quarantined_count": "int",
            "signed_by": "text?",
        }),
    );
    let listed_import = with(
        taken,
        json!({
            "import_id": "text", "source": "text", "sha256": "text?", "by": "text?", "at": "time", "decided_by": "text?",
            "decided_at": "time?", "reason": "text?", "under_way": "bool", "signed_by": "text?",
        }),
    );
    let staff_product = with(
        product(),
        json!({
            "return_max_percent": "int", "revenue_per_thousand_max": "money", "goal": "clicks|revenue",
            "placements": ["text"], "creative": {"title": "text", "picture": "text", "destination": "text"},
        }),
    );
    let new_campaign =
        "name type mode value amount_requirement kind valid_days total? starts_at? ends_at?";
    let offered = "acceptor_id user_id? direction currency rate min max expires_at";
    vec![
        post("/admin/wallet/deposit", "user_id amount remark", flow()),
        post("/admin/wallet/chargeback", "user_id amount remark", flow()),
        post(
            "/admin/wallet/recharge_deduction",
            "user_id amount remark",
            flow(),
        ),
        post("/admin/wallet/membership", "user_id amount", flow()),
        post(
            "/admin/wallet/start_up_funds",
            "user_id action amount",
            flow(),
        ),
        post(
            "/admin/wallet/guarantee",
            "user_id action amount remark?",
            property(),
        ),
        get(
            "/admin/withdraw/list",
            "status? user_id? payment_batch_id? id? cursor? limit?",
            page(staff_withdrawal(), json!({})),
        ),
        post(
            "/admin/withdraw/decide",
            "id decision reason?",
            withdrawal(),
        ),
        get(
            "/admin/approval/list",
            "state? cursor? limit?",
            page(approval(), json!({})),
        ),
        post("/admin/approval/decide", "id decision reason", approval()),
        get(
            "/admin/wallet/freezes",
            "cursor? limit?",
            page(freeze(), json!({})),
        ),
        post("/admin/wallet/unfreeze", "user_id reason", freeze()),
        get(
            "/admin/wallet/reconcile",
            "",
            json!({"ok": "bool", "checks": [check]}),
        ),
        post("/admin/product/create", new_product, staff_product.clone()),
        post("/admin/product/edit", edited_product, staff_product.clone()),
        get(
            "/admin/product/list",
            "cursor? limit?",
            page(staff_product, json!({})),
        ),
        post("/admin/operator/create", "name", operator.clone()),
        get(
            "/admin/operator/list",
            "cursor? limit?",
            page(operator, json!({})),
        ),
        post(
            "/admin/plan/push",
            "product_id amount to put_content put_rule user_targeting?",
            json!({"items": [{"user_id": "text", "plan_id": "text"}]}),
        ),
        get(
            "/admin/plan/list",
            "user_id? status? plan_number? push? cursor? limit?",
            page(with(plan(), named_user()), json!({})),
        ),
        post(
            "/admin/plan/detail",
            "id",
            with(plan_detail(), named_user()),
        ),
        get("/admin/plan/pace", "plan_id", pace()),
        get("/admin/plan/placements", "plan_id", placements()),
        post("/admin/plan/finish", "id outcome reason?", plan()),
        post("/admin/plan/settle", "id", plan()),
        post(
            "/admin/delivery/import",
            "file source mapping dry_run? signature?",
            import,
        ),
        get(
            "/admin/delivery/imports",
            "state? cursor? limit?",
            page(listed_import.clone(), json!({})),
        ),
        post(
            "/admin/delivery/import/decide",
            "import_id decision reason",
            listed_import,
        ),
        get(
            "/admin/delivery/quarantine/list",
            "state? cursor? limit?",
            page(quarantined(), json!({})),
        ),
        post(
            "/admin/delivery/quarantine/decide",
            "ids decision reason",
            json!({"items": [quarantined()]}),
        ),
        post("/admin/source/save", "source channels reason?", source()),
        post("/admin/source/key/add", "source public_key", source()),
        post("/admin/source/key/revoke", "kid reason?", source()),
        get("/admin/source/list", "", json!({"items": [source()]})),
        post(
            "/admin/network/create",
            "name source simulated? report_delay_seconds?",
            with(network(), json!({"key": "text"})),
        ),
        post(
            "/admin/network/edit",
            "network_id name? state? report_delay_seconds? reason?",
            network(),
        ),
        get(
            "/admin/network/list",
            "cursor? limit?",
            page(network(), json!({})),
        ),
        post(
            "/admin/network/key",
            "network_id overlap_seconds? reason?",
            with(network(), json!({"key": "text"})),
        ),
        post(
            "/admin/placement/create",
            "network_id name format countries? systems?",
            placement(),
        ),
        post(
            "/admin/placement/edit",
            "placement_id name? format? countries? systems? state? reason?",
            placement(),
        ),
        get(
            "/admin/placement/list",
            "network_id? cursor? limit?",
            page(placement(), json!({})),
        ),
        post(
            "/admin/placement/price",
            "placement_id model cost revenue valid_from",
            placement(),
        ),
        post("/admin/coupon/campaign/create", new_campaign, campaign()),
        post(
            "/admin/coupon/campaign/decide",
            "id decision reason",
            campaign(),
        ),
        get(
            "/admin/coupon/campaign/list",
            "cursor? limit?",
            page(campaign(), json!({})),
        ),
        post("/admin/coupon/grant", "campaign_id user_id", coupon()),
        post("/admin/acceptor/create", "kind name rating?", acceptor()),
        get(
            "/admin/acceptor/list",
            "cursor? limit?",
            page(acceptor(), json!({})),
        ),
        post(
            "/admin/acceptance_code/create",
            offered,
            json!({"code": "text", "offer": offer()}),
        ),
        get(
            "/admin/exchange/list",
            "status? user_id? cursor? limit?",
            page(with(staff_exchange(), named_user()), json!({})),
        ),
        post(
            "/admin/exchange/decide",
            "id decision reason?",
            staff_exchange(),
        ),
    ]
}

fn claim() -> Value {
    json!({
        "kind": "withdrawal|approval|exchange_order|feedback|import|bank_line|plan|user|content", "id": "text",
        "own": "bool", "staff": {"id": "text", "username": "text"}, "claimed_at": "time", "expires_at": "time",
    })
}

fn staff_desk() -> Vec<Contracted> {
    let waiting = json!({
        "kind": "withdrawals|approvals|bank_lines|payment_batches|freezes|exchange_orders|feedback|delivery_imports|quarantined_reports|\
                 plans_to_finish|plans_to_settle|campaigns|dead_letters",
        "state": "known|unavailable", "count": "int?", "more": "bool", "oldest_at": "time?",
    });
    let sources = json!({
        "state": "known|unavailable", "items": [{"source": "text", "reported_at": "time?"}], "more": "bool",
    });
    let books = json!({
        "state": "known|unavailable", "proved_at": "time?", "balanced": "bool?", "checkpoint_at": "time?",
        "checkpoint_size": "int?",
    });
    let alert =
        json!({"name": "text", "severity": "page|ticket", "summary": "string", "since": "time"});
    let alerts =
        json!({"state": "known|unavailable|not_configured", "items": [alert], "more": "bool"});
    let session = json!({
        "id": "text", "opened_at": "time?", "expires_at": "time?", "second_factor_missing": "bool", "fresh_until": "time?",
    });
    vec![
        get(
            "/admin/today",
            "",
            json!({
                "at": "time", "waiting": [waiting], "sources": sources, "books": nullable(books),
                "alerts": nullable(alerts),
            }),
        ),
        get("/admin/me", "", with(staff(), json!({"session": session}))),
        post("/admin/claim", "kind id", claim()),
        post("/admin/claim/release", "kind id", json!({})),
        get(
            "/admin/claims",
            "kind cursor? limit?",
            page(claim(), json!({})),
        ),
    ]
}
