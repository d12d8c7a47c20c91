//! Secrets in bodies and answers go over the wire and are never printed.

use std::collections::BTreeSet;
use std::fmt::Debug;

use adfolio_gateway::auth::{NetworkKey, Token as SessionToken};
use adfolio_gateway::dto::acceptor::{AcceptanceCode, AcceptorDetailRequest, Offer};
use adfolio_gateway::dto::account::{
    ConfirmEmailRequest, HostEntryRequest, LoginRequest, OlderRegisterRequest, OlderSession,
    OpenStoreRequest, RegisterRequest, ServiceEntries, Session, Settings, Token, UserInfo,
};
use adfolio_gateway::dto::exchange::CreateExchangeRequest;
use adfolio_gateway::dto::freeze::FreezeByMailRequest;
use adfolio_gateway::dto::passkey::{
    ConfirmWithPasskeyRequest, PasskeyCeremony, PasskeyLoginRequest, RegisterPasskeyRequest,
};
use adfolio_gateway::dto::password::{
    ChangePasswordRequest, CheckPayPasswordRequest, SetPayPasswordRequest, StepUpRequest,
};
use adfolio_gateway::dto::push::{PushEndpoint, PushSubscription};
use adfolio_gateway::dto::second_factor::{ConfirmSecondFactorRequest, SecondFactor};
use adfolio_gateway::dto::staff::{HostTokenRequest, License};
use adfolio_gateway::dto::staff_account::{
    CreateStaffRequest, Staff, StaffLoginRequest, StaffPassword, StaffPasswordRequest, StaffSession,
};
use adfolio_gateway::dto::supply::NetworkWithKey;
use adfolio_gateway::dto::withdrawal::{BankCard, BindRequest, WalletAddress, WithdrawRequest};
use adfolio_gateway::dto::{Decode, Timestamp};
use adfolio_gateway::input::parse_json;
use adfolio_proto::acceptor::v1 as acceptor;
use adfolio_proto::auth::v1 as auth;
use adfolio_proto::plan::v1 as plan;
use adfolio_proto::wallet::v1 as wallet;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const SECRET: &str = "5ec2e75ec2e75ec2e75ec2e75ec2e7aa";

/// Words in the name of a text that make it look like a secret, or like whom and what a bank knows.
const SECRET_WORDS: [&str; 16] = [
    "password",
    "pin",
    "secret",
    "token",
    "credential",
    "code",
    "license",
    "key",
    "card",
    "account",
    "address",
    "mobile",
    "external",
    "endpoint",
    "auth",
    "assertion",
];

/// Texts that only look like one, and why they are none.
const NO_SECRETS: [(&str, &str, &str); 8] = [
    ("AddHostKeyRequest", "public_key", "public"),
    ("AddReportSourceKeyRequest", "public_key", "public"),
    ("BankCard", "card_name", "the name of a bank"),
    ("BindRequest", "card_name", "the name of a bank"),
    ("CreateHostRequest", "public_key", "public"),
    ("OwnSession", "address", "an IP address"),
    ("PushKey", "public_key", "public"),
    ("UserInfo", "licenseKey", "its last four characters alone"),
];

/// Something with secrets: as it goes over the wire, and as it is printed.
struct Case {
    schema: &'static str,
    wire: Value,
    shown: String,
}

fn request<T: DeserializeOwned + Debug>(schema: &'static str, wire: Value) -> Case {
    let parsed: T = parse_json(wire.to_string().as_bytes()).unwrap();
    let shown = format!("{parsed:?}");
    Case {
        schema,
        wire,
        shown,
    }
}

fn answer<T: Serialize + Debug>(schema: &'static str, answer: &T) -> Case {
    Case {
        schema,
        wire: serde_json::to_value(answer).unwrap(),
        shown: format!("{answer:?}"),
    }
}

fn requests() -> Vec<Case> {
    let register = json!({
        "username": "ada", "password": SECRET, "confirm_password": SECRET, "email": "ada@example.com",
        "phone": "+4915112345678", "licenseKey": SECRET,
    });
    let bind = json!({
        "kind": "bank_card", "card_name": "North Sea Bank", "user_name": SECRET, "mobile": SECRET,
        "bank_account": SECRET, "address": SECRET, "password": SECRET,
    });
    let change =
        json!({"old_password": SECRET, "new_password": SECRET, "confirm_password": SECRET});
    let set = json!({"password": SECRET, "confirm_password": SECRET, "old_password": SECRET});
    let exchange =
        json!({"kind": "personal", "code": SECRET, "amount": "1.00", "password": SECRET});
    let withdraw = json!({"amount": "1.00", "method": "bank_card", "password": SECRET});
    let staff = json!({"username": "olivia", "password": SECRET, "role": "finance"});
    vec![
        request::<RegisterRequest>("RegisterRequest", register.clone()),
        request::<OlderRegisterRequest>("OlderRegisterRequest", register),
        request::<LoginRequest>(
            "LoginRequest",
            json!({"username": "ada", "password": SECRET, "device_token": SECRET}),
        ),
        request::<HostEntryRequest>("HostEntryRequest", json!({"assertion": SECRET})),
        request::<FreezeByMailRequest>("FreezeByMailRequest", json!({"token": SECRET})),
        request::<StepUpRequest>("StepUpRequest", json!({"password": SECRET})),
        request::<OpenStoreRequest>("OpenStoreRequest", json!({"code": SECRET})),
        request::<ConfirmEmailRequest>("ConfirmEmailRequest", json!({"code": SECRET})),
        request::<ChangePasswordRequest>("ChangePasswordRequest", change),
        request::<SetPayPasswordRequest>("SetPayPasswordRequest", set),
        request::<CheckPayPasswordRequest>("CheckPayPasswordRequest", json!({"password": SECRET})),
        request::<BindRequest>("BindRequest", bind),
        request::<WithdrawRequest>("WithdrawRequest", withdraw),
        request::<AcceptorDetailRequest>(
            "AcceptorDetailRequest",
            json!({"kind": "personal", "code": SECRET}),
        ),
        request::<CreateExchangeRequest>("CreateExchangeRequest", exchange),
        request::<CreateStaffRequest>("CreateStaffRequest", staff),
        request::<StaffPasswordRequest>(
            "StaffPasswordRequest",
            json!({"old_password": SECRET, "new_password": SECRET}),
        ),
        request::<StaffLoginRequest>(
            "StaffLoginRequest",
            json!({"username": "olivia", "password": SECRET, "code": SECRET, "device_token": SECRET}),
        ),
        request::<ConfirmSecondFactorRequest>(
            "ConfirmSecondFactorRequest",
            json!({"code": SECRET}),
        ),
        request::<PasskeyLoginRequest>(
            "PasskeyLoginRequest",
            json!({"ceremony": SECRET, "credential": {"id": SECRET}, "device_token": SECRET}),
        ),
        request::<RegisterPasskeyRequest>(
            "RegisterPasskeyRequest",
            json!({"ceremony": SECRET, "credential": {"id": SECRET}, "name": "Phone"}),
        ),
        request::<ConfirmWithPasskeyRequest>(
            "ConfirmWithPasskeyRequest",
            json!({"ceremony": SECRET, "credential": {"id": SECRET}}),
        ),
        request::<PushSubscription>(
            "PushSubscription",
            json!({"endpoint": SECRET, "p256dh": "BLn9b", "auth": SECRET}),
        ),
        request::<PushEndpoint>("PushEndpoint", json!({"endpoint": SECRET})),
        request::<HostTokenRequest>("HostTokenRequest", json!({"external_user_id": SECRET})),
    ]
}

fn answers() -> Vec<Case> {
    let secret = || SECRET.to_owned();
    let now = Some(pbjson_types::Timestamp::default());
    let user = auth::User {
        entry: auth::Entry::Register.into(),
        state: auth::UserState::Active.into(),
        created_at: now,
        ..auth::User::default()
    };
    let session = Session {
        token: SECRET.into(),
        device_token: Some(SECRET.into()),
        expires_at: Timestamp::decode(now, "expires_at").unwrap(),
        user: UserInfo::from_proto(user, Settings::default(), &ServiceEntries::default()).unwrap(),
    };
    let staff = auth::Staff {
        username: "olivia".into(),
        role: auth::StaffRole::Finance.into(),
        ..auth::Staff::default()
    };
    let key = auth::LicenseKey {
        code: secret(),
        state: auth::LicenseKeyState::Unused.into(),
        created_at: now,
        ..auth::LicenseKey::default()
    };
    let offer = acceptor::Offer {
        direction: acceptor::ExchangeDirection::WalletToCurrency.into(),
        expires_at: now,
        ..acceptor::Offer::default()
    };
    let card = wallet::BankCard {
        card_name: "North Sea Bank".into(),
        user_name: secret(),
        mobile: secret(),
        bank_account: secret(),
        branch_name: "Hamburg".into(),
    };
    let address = wallet::WalletAddress {
        network: "TRC20".into(),
        address: secret(),
    };
    let staff_session = StaffSession {
        token: SECRET.into(),
        device_token: Some(SECRET.into()),
        staff: Staff::from_proto(staff.clone()).unwrap(),
    };
    let staff_password = StaffPassword {
        staff: Staff::from_proto(staff).unwrap(),
        one_time_password: Some(SECRET.into()),
    };
    let network = plan::Network {
        id: "1".into(),
        state: plan::SupplyState::Active.into(),
        created_at: Some(pbjson_types::Timestamp::default()),
        ..plan::Network::default()
    };
    let code = AcceptanceCode {
        code: SECRET.into(),
        offer: Offer::from_proto(offer).unwrap(),
    };
    vec![
        answer("Session", &session),
        answer(
            "Token",
            &Token {
                token: SECRET.into(),
            },
        ),
        answer(
            "OlderSession",
            &OlderSession::from(auth::Session {
                token: secret(),
                device_token: secret(),
                ..auth::Session::default()
            }),
        ),
        answer("StaffSession", &staff_session),
        answer("StaffPassword", &staff_password),
        answer(
            "NetworkWithKey",
            &NetworkWithKey::decode(Some(network), secret()).unwrap(),
        ),
        answer(
            "SecondFactor",
            &SecondFactor::from(auth::EnrollSecondFactorResponse {
                secret: secret(),
                otpauth_uri: secret(),
                recovery_codes: vec![secret()],
            }),
        ),
        answer("License", &License::from_proto(key).unwrap()),
        answer("AcceptanceCode", &code),
        answer("BankCard", &BankCard::from_proto(card).unwrap()),
        answer(
            "WalletAddress",
            &WalletAddress::from_proto(address).unwrap(),
        ),
    ]
}

/// The texts of the contract that look like secrets, by schema and name.
fn secrets_of_the_contract() -> BTreeSet<(String, String)> {
    let document: Value = serde_json::from_str(include_str!("../../openapi.json")).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    assert!(schemas.len() > 100, "the document is read");
    let mut found = BTreeSet::new();
    for (name, schema) in schemas {
        let parts = schema["allOf"].as_array().cloned().unwrap_or_default();
        for part in parts.iter().chain([schema]) {
            for (field, of) in part["properties"].as_object().into_iter().flatten() {
                let is_text = of["type"] == "string" || of["type"] == json!(["string", "null"]);
                if is_text
                    && words(field)
                        .iter()
                        .any(|word| SECRET_WORDS.contains(&word.as_str()))
                {
                    found.insert((name.clone(), field.clone()));
                }
            }
        }
    }
    found
}

/// `licenseKey` and `license_key` are the same two.
fn words(name: &str) -> Vec<String> {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake.split('_').map(str::to_owned).collect()
}

#[test]
fn bodies_and_answers_print_no_secret_and_send_each() {
    let ceremony = PasskeyCeremony::new(SECRET.to_owned(), "{}").unwrap();
    let ceremony = answer("PasskeyCeremony", &ceremony);
    let cases = requests().into_iter().chain(answers()).chain([ceremony]);
    let cases: Vec<Case> = cases.collect();
    for case in &cases {
        let Case { schema, shown, .. } = case;
        assert!(!shown.contains(SECRET), "{shown}");
        assert!(
            shown.contains("REDACTED") && shown.contains(schema),
            "{shown}"
        );
    }
    let mut open = secrets_of_the_contract();
    for (schema, field, _) in NO_SECRETS {
        assert!(
            open.remove(&(schema.to_owned(), field.to_owned())),
            "{schema}.{field} is gone"
        );
    }
    for (schema, field) in open {
        let case = cases.iter().find(|case| case.schema == schema);
        let case = case.unwrap_or_else(|| panic!("is {schema}.{field} printed?"));
        assert_eq!(case.wire[&field], SECRET, "{schema}.{field}");
    }
}

#[test]
fn a_token_and_a_key_are_not_printed() {
    let shown = format!("{:?}", SessionToken::parse(SECRET).unwrap());
    assert!(!shown.contains(SECRET), "{shown}");
    let shown = format!("{:?}", NetworkKey::parse(&SECRET.repeat(2)).unwrap());
    assert!(!shown.contains(SECRET), "{shown}");
}
