//! Every method of the contract, with a message that gets as far as possible without knowing the
//! databases.

use std::{collections::HashMap, fmt::Write as _};

use adfolio_local::Service;
use adfolio_proto::plan::v1::{
    ImportDeliveryRequest, ReportNetworkDeliveryRequest, import_delivery_request,
    report_network_delivery_request,
};
use bytes::Bytes;
use prost::Message as _;
use prost::encoding::{self, WireType, bool, encode_key, encode_varint, int64, string};
use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};

/// An unknown id.
pub const NOBODY: &str = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f";
/// Nor this.
const NOBODY_ELSE: &str = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e30";

/// A transaction password as sent by clients: the MD5 of six digits.
const PIN: &str = "221738f5e219709eb4191ccae4ecb12b";

/// A network's key, of no network.
const NETWORK_KEY: &str = "5ec2e75ec2e75ec2e75ec2e75ec2e7aa5ec2e75ec2e75ec2e75ec2e75ec2e7aa";

/// Fields that exclude others which are sent.
const LEFT_OUT: [(&str, &str); 9] = [
    ("AdminListWithdrawals", "id"),
    ("AdminListWithdrawals", "payment_batch_id"),
    ("ListFlow", "from"),
    ("ListFlow", "to"),
    ("ListFlow", "id"),
    ("ListPaymentBatches", "id"),
    ("ListUserFlow", "from"),
    ("ListUserFlow", "to"),
    ("ListPlans", "table"),
];

/// A method of one of the six services.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its service.
    pub service: Service,
    /// `/adfolio.wallet.v1.LedgerService/Hold`.
    pub path: String,
    /// Whether the caller sends a stream.
    pub takes_stream: bool,
    /// The caller's message; of a stream the first.
    pub messages: Vec<Bytes>,
}

/// All of them. Fields with a `known` name have that id; every other id is unknown.
pub fn methods(known: &[(&str, &str)]) -> Vec<Method> {
    let files = FileDescriptorSet::decode(adfolio_proto::FILE_DESCRIPTOR_SET).unwrap();
    let messages = Messages::of(&files, known);
    let mut methods = Vec::new();
    for file in &files.file {
        let package = file.package();
        for (service, method) in file
            .service
            .iter()
            .flat_map(|service| service.method.iter().map(move |method| (service, method)))
        {
            let mut message = Vec::new();
            messages.write(method.input_type(), package, method.name(), &mut message);
            methods.push(Method {
                service: server_of(package),
                path: format!("/{package}.{}/{}", service.name(), method.name()),
                takes_stream: method.client_streaming(),
                messages: vec![message.into()],
            });
        }
    }
    for (name, row) in rows() {
        for method in methods
            .iter_mut()
            .filter(|method| method.path.ends_with(name))
        {
            method.messages.push(row.clone());
        }
    }
    methods
}

/// Second messages: a file is read, and the database queried, once it has a row.
fn rows() -> [(&'static str, Bytes); 2] {
    let row = "report_id,plan_number,time,spend,revenue\n1,AD261120K3F9ZQ,2026-11-20T09:00:00Z,1.00,1.00\n";
    let row = import_delivery_request::Part::Chunk(row.as_bytes().to_vec());
    let import = ImportDeliveryRequest { part: Some(row) };
    let line = r#"{"report_id":"1","plan_number":"AD261120K3F9ZQ","placement":"Feed, top","time":"2026-11-20T09:00:00Z","spend":"1.00","revenue":"1.00"}"#;
    let line = report_network_delivery_request::Part::Chunk(line.as_bytes().to_vec());
    let report = ReportNetworkDeliveryRequest { part: Some(line) };
    [
        ("/ImportDelivery", import.encode_to_vec().into()),
        ("/ReportNetworkDelivery", report.encode_to_vec().into()),
    ]
}

fn server_of(package: &str) -> Service {
    let name = package.split('.').nth(1).unwrap();
    let mut services = Service::ALL.into_iter();
    services
        .find(|service| service.name() == name)
        .unwrap_or_else(|| panic!("nobody serves {package}"))
}

/// The messages of the contract by their full names, `.adfolio.wallet.v1.HoldRequest`.
struct Messages<'a> {
    types: HashMap<String, &'a DescriptorProto>,
    ids: HashMap<&'a str, &'a str>,
}

impl<'a> Messages<'a> {
    fn of(files: &'a FileDescriptorSet, known: &[(&'a str, &'a str)]) -> Self {
        let mut types = HashMap::new();
        for file in &files.file {
            let package = format!(".{}", file.package());
            collect(&package, &file.message_type, &mut types);
        }
        Self {
            types,
            ids: known.iter().copied().collect(),
        }
    }

    /// Builds a message of this type with a plausible value in every field; in a oneof, in its
    /// first.
    fn write(&self, type_name: &str, package: &str, method: &str, to: &mut Vec<u8>) {
        let mut chosen = Vec::new();
        for field in &self.types[type_name].field {
            if LEFT_OUT.contains(&(method, field.name())) {
                continue;
            }
            if let Some(choice) = field.oneof_index {
                if chosen.contains(&choice) {
                    continue;
                }
                chosen.push(choice);
            }
            self.write_field(field, package, method, to);
        }
    }

    fn write_field(
        &self,
        field: &FieldDescriptorProto,
        package: &str,
        method: &str,
        to: &mut Vec<u8>,
    ) {
        let number = u32::try_from(field.number()).unwrap();
        match field.r#type() {
            Type::String => {
                let known = self.ids.get(field.name()).copied();
                let text = known.unwrap_or_else(|| text(package, method, field.name()));
                string::encode(number, &text.to_owned(), to);
            }
            Type::Bool => bool::encode(number, &(field.name() == "all"), to),
            Type::Message => {
                let mut inner = Vec::new();
                if field.type_name() == ".google.protobuf.Timestamp" {
                    int64::encode(1, &seconds(field.name()), &mut inner);
                } else {
                    self.write(field.type_name(), package, method, &mut inner);
                }
                encode_key(number, WireType::LengthDelimited, to);
                encode_varint(inner.len() as u64, to);
                to.extend(inner);
            }
            Type::Int32 | Type::Int64 | Type::Uint32 | Type::Uint64 | Type::Enum => {
                // A repeated field may also be unpacked.
                encode_key(number, WireType::Varint, to);
                encode_varint(figure(method, field.name()), to);
            }
            Type::Bytes => encoding::bytes::encode(number, &octets(field.name()), to),
            other => panic!("{method}: a field of {other:?}"),
        }
    }
}

fn collect<'a>(
    scope: &str,
    messages: &'a [DescriptorProto],
    known: &mut HashMap<String, &'a DescriptorProto>,
) {
    for message in messages {
        let mut name = scope.to_owned();
        write!(name, ".{}", message.name()).unwrap();
        collect(&name, &message.nested_type, known);
        known.insert(name, message);
    }
}

/// The key of RFC 8037, appendix A.
const PUBLIC_KEY: &str = "-----BEGIN PUBLIC KEY-----\n\
    MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n";

/// The value of a text field, by its name.
fn text(package: &str, method: &str, field: &str) -> &'static str {
    match (method, field) {
        ("ChangePassword", "new_password" | "confirm_password") => "seven quiet lighthouses",
        (_, "password" | "old_password" | "confirm_password") if package.contains("auth") => {
            "correct horse battery"
        }
        (_, "password" | "old_password" | "confirm_password") => PIN,
        // The first page.
        (_, "cursor" | "after") => "",
        // Looked up before anything else is checked.
        (_, "network_key") => NETWORK_KEY,
        (_, "username") => "walker",
        (_, "email") => "walker@example.com",
        (_, "phone" | "mobile") => "+6591234567",
        (_, "bank_account") => "DE89370400440532013000",
        (_, "public_key") => PUBLIC_KEY,
        (_, "endpoint") => "https://fcm.googleapis.com/fcm/send/walker",
        // Names a key, which is looked up before anything else is checked.
        (_, "assertion") => "eyJhbGciOiJFZERTQSIsImtpZCI6ImsifQ.e30.c2ln",
        ("ConfirmEmail", "code") => "12345678",
        (_, "code") => "WALKER-1",
        (_, "currency") => "EUR",
        (_, "mapping_json") => "{}",
        (_, "parts") => "marketing_headline",
        (_, "month") => "2026-11",
        (_, "time_zone") => "UTC",
        // A language of a text.
        (_, "lang" | "key") => "en",
        (_, "client_address") => "192.0.2.1",
        (_, "spend" | "cost" | "revenue" | "rate") => "1.00",
        (_, "countries" | "values") => "at",
        (_, "picture_url" | "destination_url") => "https://example.com/walker",
        (_, "plan_number") => "AD261120K3F9ZQ",
        // Nobody changes the own account.
        (
            "SetStaffState" | "SetStaffRole" | "ResetStaffPassword" | "ResetSecondFactor"
            | "ConfirmStaff",
            "staff_id",
        ) => NOBODY_ELSE,
        (_, "ids") => NOBODY,
        (_, name) if name == "id" || name.ends_with("_id") || name.ends_with("_ids") => NOBODY,
        _ => "text",
    }
}

/// The value of a field of bytes, by its name: a browser's keys, or a signature, which may be missing.
fn octets(field: &str) -> Vec<u8> {
    match field {
        // The base point of the curve, uncompressed: SEC 2, section 2.4.2.
        "p256dh" => hex::decode(concat!(
            "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
        ))
        .unwrap(),
        "auth" => vec![7; 16],
        // A bank statement.
        "content" => b"date,amount,currency,text".to_vec(),
        _ => Vec::new(),
    }
}

/// The value of a time field, by its name: ends are tomorrow, others half a minute ago, so that no
/// clock finds them in the future.
fn seconds(field: &str) -> i64 {
    let now = chrono::Utc::now().timestamp();
    match field {
        "ends_at" | "expires_at" | "publish_at" => now + 24 * 3600,
        _ => now - 30,
    }
}

/// The value of a number or enum field, by its name.
fn figure(method: &str, field: &str) -> u64 {
    match (method, field) {
        // The first kind of coupon has a percentage.
        ("CreateCampaign", "value_minor") | (_, "discount_minor") => 0,
        (_, "limit") => 10,
        (_, name) if name.ends_with("_max_minor") || name == "put_max_minor" => 20_000,
        (_, name) if name.ends_with("_minor") => 10_000,
        _ => 1,
    }
}
