//! Money, instants and other single values: strict parsing, exact output.

use std::borrow::Cow;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;
use serde_json::value::RawValue;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{
    KnownFormat, Object, ObjectBuilder, OneOfBuilder, Schema, SchemaFormat, Type,
};
use utoipa::{PartialSchema, ToSchema};

use crate::errors::Failure;

/// Names a hand-written schema.
macro_rules! named_schema {
    ($type:ty, $name:literal, $schema:expr) => {
        impl PartialSchema for $type {
            fn schema() -> RefOr<Schema> {
                $schema.into()
            }
        }

        impl ToSchema for $type {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed($name)
            }
        }
    };
}

/// An amount in a response: a decimal string with exactly two decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Money(adfolio_money::Money);

impl Money {
    /// An amount in minor units.
    pub fn from_minor(minor: i64) -> Self {
        Self(adfolio_money::Money::from_minor(minor))
    }

    /// The amount in minor units.
    pub fn minor(self) -> i64 {
        self.0.minor()
    }

    /// The sum of minor units. An overflow is a broken answer of a service.
    pub fn sum(minors: impl IntoIterator<Item = i64>) -> Result<Self, Failure> {
        adfolio_money::Money::checked_sum(minors.into_iter().map(adfolio_money::Money::from_minor))
            .map(Self)
            .map_err(|_| Failure::broken_answer("sum"))
    }

    /// The difference of minor units.
    pub fn difference(left_minor: i64, right_minor: i64) -> Result<Self, Failure> {
        adfolio_money::Money::from_minor(left_minor)
            .checked_sub(adfolio_money::Money::from_minor(right_minor))
            .map(Self)
            .map_err(|_| Failure::broken_answer("difference"))
    }
}

/// An amount of a delivery report or of a price in a response: networks charge fractions of a cent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FineMoney(adfolio_money::Micros);

impl FineMoney {
    /// An amount in millionths of a unit.
    pub fn from_micros(micros: i64) -> Self {
        Self(adfolio_money::Micros::new(micros))
    }
}

impl std::fmt::Display for FineMoney {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Serialize for FineMoney {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

named_schema!(
    FineMoney,
    "FineMoney",
    text_schema(
        r"^-?\d+\.\d{2,6}$",
        "0.0125",
        "Amount in the platform's currency, with two to six decimals."
    )
);

impl std::fmt::Display for Money {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl Serialize for Money {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

named_schema!(
    Money,
    "Money",
    text_schema(
        r"^-?\d+\.\d{2}$",
        "1250.00",
        "Amount in the platform's currency, with exactly two decimals."
    )
);

/// An amount in a request: a JSON number or a string with 0 to 2 decimals, no sign, no exponent, no blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoneyInput(adfolio_money::Money);

impl MoneyInput {
    /// The amount in minor units.
    pub fn minor(self) -> i64 {
        self.0.minor()
    }
}

impl<'de> Deserialize<'de> for MoneyInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = exact_text(deserializer)?;
        text.parse().map(Self).map_err(D::Error::custom)
    }
}

named_schema!(
    MoneyInput,
    "MoneyInput",
    OneOfBuilder::new()
        .item(text_schema(
            r"^\d+(\.\d{1,2})?$",
            "1250.00",
            "Decimal text with 0 to 2 decimals."
        ))
        .item(
            ObjectBuilder::new()
                .schema_type(Type::Number)
                .minimum(Some(0.0))
                .description(Some("A number with 0 to 2 decimals and no exponent."))
        )
        .description(Some(
            "Amount as decimal text or number: at most two decimals; no sign, exponent or blanks."
        ))
        .examples([json!("1250.00"), json!(1250)])
);

/// A decimal in a request: a JSON number or a string, kept as exact text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecimalInput(String);

impl DecimalInput {
    /// Its text: digits, optionally a point and digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for DecimalInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = exact_text(deserializer)?;
        if is_plain_decimal(&text) {
            Ok(Self(text))
        } else {
            Err(D::Error::custom("not a plain decimal"))
        }
    }
}

named_schema!(
    DecimalInput,
    "DecimalInput",
    OneOfBuilder::new()
        .item(text_schema(r"^\d+(\.\d+)?$", "7.2485", "Decimal text."))
        .item(
            ObjectBuilder::new()
                .schema_type(Type::Number)
                .minimum(Some(0.0))
                .description(Some("A number without exponent."))
        )
        .description(Some(
            "Decimal as text or number; no sign, exponent or blanks."
        ))
        .examples([json!("7.2485")])
);

/// Whether a text is digits, optionally followed by a point and digits, and at most 40 characters long.
fn is_plain_decimal(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = text
        .split_once('.')
        .map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    text.len() <= 40 && digits(whole) && fraction.is_none_or(digits)
}

/// The exact text of a JSON number or string. A float would lose digits.
fn exact_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'"') => serde_json::from_str(text).map_err(D::Error::custom),
        Some(b'0'..=b'9' | b'-') => Ok(text.to_owned()),
        _ => Err(D::Error::custom("neither a number nor a string")),
    }
}

/// An instant in a response: RFC 3339 in UTC with milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// The instant of a message field; none if it is out of range.
    pub fn from_proto(value: pbjson_types::Timestamp) -> Option<Self> {
        let nanos = u32::try_from(value.nanos).ok()?;
        DateTime::from_timestamp(value.seconds, nanos).map(Self)
    }

    /// The instant.
    pub fn instant(self) -> DateTime<Utc> {
        self.0
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(instant: DateTime<Utc>) -> Self {
        Self(instant)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

named_schema!(
    Timestamp,
    "Timestamp",
    moment_schema("RFC 3339 in UTC with milliseconds.")
);

/// An instant in a request: RFC 3339 with any offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampInput(DateTime<Utc>);

impl TimestampInput {
    /// The moment for a service's message.
    pub fn into_proto(self) -> pbjson_types::Timestamp {
        self.0.into()
    }
}

impl<'de> Deserialize<'de> for TimestampInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let time = DateTime::parse_from_rfc3339(&text)
            .map_err(D::Error::custom)?
            .to_utc();
        // PostgreSQL and proto keep four-digit years; further out is a mistake.
        let year = chrono::Datelike::year(&time);
        if (1..=9999).contains(&year) {
            Ok(Self(time))
        } else {
            Err(D::Error::custom("year out of range"))
        }
    }
}

named_schema!(
    TimestampInput,
    "TimestampInput",
    moment_schema("RFC 3339 with any offset.")
);

/// Maximum number of items on a page: 1 to 100.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "u32")]
pub struct PageLimit(u32);

impl PageLimit {
    /// The number.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for PageLimit {
    type Error = &'static str;

    fn try_from(value: u32) -> Result<Self, Self::Error> {
        if (1..=100).contains(&value) {
            Ok(Self(value))
        } else {
            Err("not within 1 to 100")
        }
    }
}

named_schema!(
    PageLimit,
    "PageLimit",
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(1))
        .maximum(Some(100))
        .description(Some("How many rows."))
        .examples([json!(20)])
);

fn text_schema(pattern: &str, example: &str, description: &str) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(pattern))
        .description(Some(description))
        .examples([json!(example)])
        .build()
}

fn moment_schema(description: &str) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
        .description(Some(description))
        .examples([json!("2026-11-20T08:15:30.000Z")])
        .build()
}
