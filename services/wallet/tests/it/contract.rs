//! `proto/asyncapi.yaml` says of the events what `events.proto` says, and what is really published.

use std::collections::{BTreeMap, BTreeSet};

use adfolio_testkit::{TestBroker, eventually};
use adfolio_wallet::EVENTS_STREAM;
use prost::Message as _;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};
use serde_json::{Value, json};

use crate::helpers::Wallet;
use crate::streams::{TestStream, on_stream};

const EVENTS_PROTO: &str = include_str!("../../../../proto/adfolio/events/v1/events.proto");

#[test]
fn the_document_has_every_event_and_no_other() {
    let document = document();
    let events = events();
    let names =
        |place: &str| -> BTreeSet<String> { keys(&document.pointer(place).expect(place).clone()) };
    let announced: BTreeSet<String> = events.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(names("/components/messages"), announced);
    assert_eq!(names("/channels/events/messages"), announced);
    let mut of_wallet = BTreeSet::new();
    for name in announced {
        let message = &document["components"]["messages"][&name];
        let full_name = message["name"].as_str().expect("a name");
        // The comment on a message begins with the type of its event.
        let written = format!("// {}", full_name.replace("{service}", "<service>"));
        assert!(EVENTS_PROTO.contains(&written), "{written}");
        assert_eq!(full_name.rsplit('.').next(), Some(name.as_str()));
        if full_name.starts_with("adfolio.wallet.") || full_name.contains("{service}") {
            of_wallet.insert(name);
        }
    }
    assert_eq!(names("/channels/walletEvents/messages"), of_wallet);
    assert_eq!(
        document["channels"]["walletEvents"]["address"],
        EVENTS_STREAM
    );
}

#[test]
fn every_field_is_described_by_its_name_and_type() {
    let document = document();
    for message in messages() {
        let schema = &document["components"]["schemas"][message.name()];
        let described = schema["properties"].as_object().expect("properties");
        let described: BTreeMap<&str, Value> = described
            .iter()
            .map(|(name, field)| (name.as_str(), kind(field)))
            .collect();
        let fields: BTreeMap<&str, Value> = message
            .field
            .iter()
            .map(|field| (field.json_name(), expected_kind(field)))
            .collect();
        assert_eq!(described, fields, "{}", message.name());
    }
}

#[test]
fn examples_have_no_field_that_the_message_lacks() {
    let document = document();
    for (name, message) in events() {
        let example = document["components"]["messages"][&name]["examples"][0]["payload"].clone();
        let fields: BTreeSet<String> = message
            .field
            .iter()
            .map(|field| field.json_name().to_owned())
            .collect();
        assert!(keys(&example["data"]).is_subset(&fields), "{name}");
        assert!(
            keys(&example).is_subset(&keys(
                &document["components"]["schemas"]["CloudEvent"]["properties"]
            )),
            "{name}"
        );
    }
}

#[tokio::test]
async fn what_is_published_looks_as_described() {
    let document = document();
    let schemas = &document["components"]["schemas"];
    let names = TestBroker::namespace();
    let stream = TestStream::named(&names).await;
    let stack = Wallet::builder()
        .configure(on_stream(&stream))
        .spawn()
        .await;
    stack.user_with(1_000).await;
    eventually("the events are sent", || async {
        let unsent: i64 = sqlx::query_scalar("SELECT count(*) FROM unsent_events")
            .fetch_one(&stack.pool())
            .await
            .expect("the outbox");
        unsent == 0
    })
    .await;

    let mut seen = BTreeSet::new();
    for body in stream.read(3).await {
        let event: Value = serde_json::from_slice(&body).expect("JSON");
        let name = event["type"]
            .as_str()
            .expect("a type")
            .rsplit('.')
            .next()
            .expect("a name")
            .to_owned();
        let present = keys(&event);
        assert!(
            present.is_subset(&keys(&schemas["CloudEvent"]["properties"])),
            "{event:#}"
        );
        for required in [
            &schemas["CloudEvent"]["required"],
            &schemas["Event"]["allOf"][1]["required"],
        ] {
            for field in required.as_array().expect("names") {
                assert!(
                    present.contains(field.as_str().expect("a name")),
                    "{field} of {event:#}"
                );
            }
        }
        let (given, described) = (keys(&event["data"]), keys(&schemas[&name]["properties"]));
        assert!(given.is_subset(&described), "{name}: {given:?}");
        // Verifying a chain takes every field; elsewhere proto3 JSON omits empty ones.
        assert!(
            name != "TransactionPosted" || given == described,
            "{given:?}"
        );
        for (field, value) in event["data"].as_object().expect("an object") {
            let described = &schemas[&name]["properties"][field];
            assert!(
                value.is_string() && described["type"] == "string",
                "{name}.{field}: {value}"
            );
            let allowed = described["enum"].as_array();
            assert!(
                allowed.is_none_or(|allowed| allowed.contains(value)),
                "{name}.{field}: {value}"
            );
        }
        seen.insert(name);
    }
    assert_eq!(
        Vec::from_iter(seen),
        ["DepositCredited", "StaffActed", "TransactionPosted"]
    );
    stream.delete().await;
}

fn document() -> Value {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../proto/asyncapi.yaml");
    let text = std::fs::read_to_string(file).expect("the document");
    serde_saphyr::from_str(&text).expect("YAML")
}

/// The messages of the package of events.
fn messages() -> Vec<DescriptorProto> {
    let set = FileDescriptorSet::decode(adfolio_proto::FILE_DESCRIPTOR_SET).expect("descriptors");
    let mut files = set.file.into_iter();
    let file = files
        .find(|file| file.package() == "adfolio.events.v1")
        .expect("the events");
    file.message_type
}

/// Those that are events: no other message has a field of them.
fn events() -> Vec<(String, DescriptorProto)> {
    let messages = messages();
    let parts: BTreeSet<String> = messages
        .iter()
        .flat_map(|message| &message.field)
        .map(|field| {
            field
                .type_name()
                .rsplit('.')
                .next()
                .unwrap_or_default()
                .to_owned()
        })
        .collect();
    let events = messages
        .into_iter()
        .filter(|message| !parts.contains(message.name()));
    events
        .map(|message| (message.name().to_owned(), message))
        .collect()
}

/// What a schema says of a field's form.
fn kind(schema: &Value) -> Value {
    match (schema["$ref"].as_str(), &schema["type"]) {
        (Some(reference), _) => json!(reference),
        (None, Value::String(array)) if array == "array" => json!([kind(&schema["items"])]),
        (None, one) => json!({"type": one, "format": schema["format"]}),
    }
}

/// The form of a field in proto3 JSON.
fn expected_kind(field: &FieldDescriptorProto) -> Value {
    let one = match (field.r#type(), field.type_name()) {
        (Type::String, _) => json!({"type": "string", "format": null}),
        (Type::Bool, _) => json!({"type": "boolean", "format": null}),
        (Type::Int64, _) => json!({"type": "string", "format": "int64"}),
        (Type::Message, ".google.protobuf.Timestamp") => {
            json!({"type": "string", "format": "date-time"})
        }
        (Type::Message, other) => {
            json!(format!(
                "#/components/schemas/{}",
                other.rsplit('.').next().unwrap_or_default()
            ))
        }
        (other, _) => panic!("say how {other:?} looks in JSON"),
    };
    if field.label() == Label::Repeated {
        json!([one])
    } else {
        one
    }
}

fn keys(object: &Value) -> BTreeSet<String> {
    object
        .as_object()
        .expect("an object")
        .keys()
        .cloned()
        .collect()
}
