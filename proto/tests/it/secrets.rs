//! Which fields of the contract are secret: they are marked, and nothing prints them.

use std::collections::BTreeSet;

use prost::Message;
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value,
};

/// Words in the name of a text that make it look like a secret, or like whom and what a bank knows.
const SECRET_WORDS: [&str; 22] = [
    "password",
    "passwords",
    "passcode",
    "pin",
    "pepper",
    "secret",
    "secrets",
    "token",
    "tokens",
    "credential",
    "code",
    "codes",
    "license",
    "licence",
    "key",
    "card",
    "account",
    "iban",
    "address",
    "mobile",
    "external",
    "assertion",
];

/// Texts that only look like one, and why they are none.
const NO_SECRETS: [(&str, &str); 20] = [
    (
        "adfolio.auth.v1.User.license_key_masked",
        "its last four characters alone",
    ),
    (
        "adfolio.auth.v1.RegisterRequest.client_address",
        "an IP address",
    ),
    (
        "adfolio.auth.v1.LoginRequest.client_address",
        "an IP address",
    ),
    (
        "adfolio.auth.v1.OpenStoreRequest.client_address",
        "an IP address",
    ),
    (
        "adfolio.auth.v1.StaffLoginRequest.client_address",
        "an IP address",
    ),
    (
        "adfolio.auth.v1.LoginWithPasskeyRequest.client_address",
        "an IP address",
    ),
    (
        "adfolio.auth.v1.ChangePasswordRequest.client_address",
        "an IP address",
    ),
    (
        "adfolio.auth.v1.ChangeStaffPasswordRequest.client_address",
        "an IP address",
    ),
    (
        "adfolio.auth.v1.ConfirmSecondFactorRequest.client_address",
        "an IP address",
    ),
    (
        "adfolio.auth.v1.AssertHostUserRequest.client_address",
        "an IP address",
    ),
    (
        "adfolio.auth.v1.StepUpRequest.client_address",
        "an IP address",
    ),
    (
        "adfolio.auth.v1.GetMailRecipientRequest.email_code_id",
        "an id, from which nobody finds the code",
    ),
    (
        "adfolio.events.v1.EmailCodeRequested.email_code_id",
        "an id, from which nobody finds the code",
    ),
    ("adfolio.auth.v1.SessionSummary.address", "an IP address"),
    ("adfolio.auth.v1.CreateHostRequest.public_key", "public"),
    ("adfolio.auth.v1.AddHostKeyRequest.public_key", "public"),
    (
        "adfolio.plan.v1.AddReportSourceKeyRequest.public_key",
        "public",
    ),
    (
        "adfolio.notification.v1.GetPushKeyResponse.public_key",
        "public",
    ),
    ("adfolio.wallet.v1.BankCard.card_name", "the name of a bank"),
    (
        "adfolio.wallet.v1.GetCheckpointResponse.verifier_key",
        "public",
    ),
];

/// What every text of a built message says, with the name of its field.
const MARK: &str = "value-of-";

/// What is left of a message when it is printed.
type DebugOf = fn(&[u8]) -> String;

/// All messages of the contract, as the build script found them.
const MESSAGES: &[(&str, DebugOf)] = include!(concat!(env!("OUT_DIR"), "/messages.rs"));

fn debug_of<M: Message + Default + std::fmt::Debug>(bytes: &[u8]) -> String {
    format!("{:?}", M::decode(bytes).unwrap())
}

fn contract() -> DescriptorPool {
    DescriptorPool::decode(adfolio_proto::FILE_DESCRIPTOR_SET).unwrap()
}

fn messages_of(pool: &DescriptorPool) -> Vec<MessageDescriptor> {
    let own = |message: &MessageDescriptor| message.full_name().starts_with("adfolio.");
    let messages: Vec<_> = pool
        .all_messages()
        .filter(|message| own(message) && !message.is_map_entry())
        .collect();
    assert!(messages.len() > 200, "the contract is read");
    messages
}

fn is_redacted(field: &FieldDescriptor) -> bool {
    let options = field.options();
    let option = options.get_field_by_name("debug_redact").unwrap();
    option.as_bool().unwrap()
}

fn is_text(field: &FieldDescriptor) -> bool {
    matches!(field.kind(), Kind::String | Kind::Bytes)
}

fn looks_secret(field: &FieldDescriptor) -> bool {
    is_text(field)
        && field
            .name()
            .split('_')
            .any(|word| SECRET_WORDS.contains(&word))
}

#[test]
fn what_looks_like_a_secret_is_marked_or_known_to_be_none() {
    let pool = contract();
    let exceptions: BTreeSet<&str> = NO_SECRETS.iter().map(|(name, _)| *name).collect();
    let mut unmarked = BTreeSet::new();
    let mut marked = 0;
    for field in messages_of(&pool)
        .iter()
        .flat_map(MessageDescriptor::fields)
    {
        if is_redacted(&field) {
            // Of other kinds the next test would not see whether they are printed.
            assert!(is_text(&field), "{}", field.full_name());
            marked += 1;
        } else if looks_secret(&field) {
            unmarked.insert(field.full_name().to_owned());
        }
    }
    assert!(marked > 30, "{marked} fields are marked");
    let unmarked: BTreeSet<&str> = unmarked.iter().map(String::as_str).collect();
    // Both ways: a field that is not marked, and an exception that is none any more.
    assert_eq!(unmarked, exceptions);
}

#[test]
fn no_marked_field_is_printed_and_every_other_one_is() {
    let pool = contract();
    let messages = messages_of(&pool);
    assert_eq!(messages.len(), MESSAGES.len());
    let oneofs = messages.iter().flat_map(MessageDescriptor::oneofs);
    let choices = oneofs.map(|oneof| oneof.fields().len()).max().unwrap();
    for (name, debug_of) in MESSAGES {
        let message = pool.get_message_by_name(name).unwrap();
        for choice in 0..choices {
            let built = built(&message, choice);
            let shown = debug_of(&built.encode_to_vec());
            for (field, secret) in texts_of(&built) {
                let text = format!("{MARK}{}", field.full_name());
                let printed = match field.kind() {
                    Kind::Bytes => format!("{:?}", text.as_bytes()),
                    _ => format!("{text}\""),
                };
                assert_eq!(shown.contains(&printed), !secret, "{text} in {shown}");
                assert!(!secret || shown.contains("[REDACTED]"), "{shown}");
            }
        }
    }
}

#[test]
fn events_carry_no_secret() {
    let pool = contract();
    let is_event = |message: &MessageDescriptor| message.package_name() == "adfolio.events.v1";
    let events: Vec<_> = messages_of(&pool).into_iter().filter(is_event).collect();
    assert!(events.len() > 15, "{} events", events.len());
    let known: BTreeSet<&str> = NO_SECRETS.iter().map(|(name, _)| *name).collect();
    for field in events.iter().flat_map(MessageDescriptor::fields) {
        let name = field.full_name();
        assert!(
            !is_redacted(&field),
            "{name} is secret, and everybody gets events"
        );
        assert!(
            !looks_secret(&field) || known.contains(name),
            "{name} looks secret, and everybody gets events"
        );
        // Nor by a message of another package, which might carry one; only events have a JSON form.
        if let Kind::Message(inside) = field.kind() {
            let package = inside.package_name().to_owned();
            assert!(
                ["adfolio.events.v1", "google.protobuf"].contains(&package.as_str()),
                "{name} comes from {package}"
            );
        }
    }
}

/// A message with every field set, all the way down; of a oneof the field with the number `choice`, or its last.
fn built(message: &MessageDescriptor, choice: usize) -> DynamicMessage {
    let mut built = DynamicMessage::new(message.clone());
    for field in message.fields() {
        let chosen = field.containing_oneof().is_none_or(|oneof| {
            let last = oneof.fields().len() - 1;
            oneof.fields().nth(choice.min(last)).unwrap() == field
        });
        if chosen {
            built.set_field(&field, value(&field, choice));
        }
    }
    built
}

fn value(field: &FieldDescriptor, choice: usize) -> Value {
    let text = format!("{MARK}{}", field.full_name());
    let single = match field.kind() {
        Kind::String => Value::String(text),
        Kind::Bytes => Value::Bytes(text.into_bytes().into()),
        Kind::Message(inside) if field.is_map() => {
            let value = value(&inside.map_entry_value_field(), choice);
            return Value::Map([(MapKey::String("en".to_owned()), value)].into());
        }
        Kind::Message(inside) if inside.package_name() == "google.protobuf" => {
            Value::Message(DynamicMessage::new(inside))
        }
        Kind::Message(inside) => Value::Message(built(&inside, choice)),
        other => Value::default_value(&other),
    };
    if field.is_list() {
        Value::List(vec![single])
    } else {
        single
    }
}

/// The texts of a message and of those inside it, and whether each is marked.
fn texts_of(message: &DynamicMessage) -> Vec<(FieldDescriptor, bool)> {
    message
        .fields()
        .flat_map(|(field, value)| match (field.kind(), value) {
            (Kind::String | Kind::Bytes, _) => vec![(field.clone(), is_redacted(&field))],
            (Kind::Message(_), Value::Message(inside)) => texts_of(inside),
            (Kind::Message(_), Value::List(items)) => items
                .iter()
                .filter_map(Value::as_message)
                .flat_map(texts_of)
                .collect(),
            _ => Vec::new(),
        })
        .collect()
}
