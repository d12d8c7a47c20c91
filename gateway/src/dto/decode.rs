//! Conversions from fields of the services' messages to fields of the contract, by type.

use std::collections::{BTreeMap, HashMap};

use secrecy::SecretString;

use super::{FineMoney, Money, Timestamp};
use crate::errors::Failure;

/// A type of the contract that is converted from a message or one of its fields, `M`. A value that violates the
/// contract between the services is a broken answer.
pub trait Decode<M>: Sized {
    /// Converts `value`, which comes from `field`.
    fn decode(value: M, field: &'static str) -> Result<Self, Failure>;
}

/// Types that are the same in both contracts.
macro_rules! same {
    ($($type:ty),+) => {
        $(impl Decode<$type> for $type {
            fn decode(value: $type, _: &'static str) -> Result<Self, Failure> {
                Ok(value)
            }
        })+
    };
}

same!(String, bool, i32, i64, u32);

/// JSON has neither infinity nor NaN.
impl Decode<f64> for f64 {
    fn decode(value: f64, field: &'static str) -> Result<Self, Failure> {
        if value.is_finite() {
            Ok(value)
        } else {
            Err(Failure::broken_answer(field))
        }
    }
}

/// Proto's empty text is null in the contract.
impl Decode<String> for Option<String> {
    fn decode(value: String, _: &'static str) -> Result<Self, Failure> {
        Ok(non_empty(value))
    }
}

impl Decode<String> for SecretString {
    fn decode(value: String, _: &'static str) -> Result<Self, Failure> {
        Ok(value.into())
    }
}

impl Decode<i64> for Money {
    fn decode(minor: i64, _: &'static str) -> Result<Self, Failure> {
        Ok(Self::from_minor(minor))
    }
}

impl Decode<i64> for FineMoney {
    fn decode(micros: i64, _: &'static str) -> Result<Self, Failure> {
        Ok(Self::from_micros(micros))
    }
}

impl Decode<pbjson_types::Timestamp> for Timestamp {
    fn decode(value: pbjson_types::Timestamp, field: &'static str) -> Result<Self, Failure> {
        Self::from_proto(value).ok_or_else(|| Failure::broken_answer(field))
    }
}

impl Decode<Option<pbjson_types::Timestamp>> for Timestamp {
    fn decode(
        value: Option<pbjson_types::Timestamp>,
        field: &'static str,
    ) -> Result<Self, Failure> {
        Self::decode(present(value, field)?, field)
    }
}

impl<T: Decode<M>, M> Decode<Option<M>> for Option<T> {
    fn decode(value: Option<M>, field: &'static str) -> Result<Self, Failure> {
        value.map(|value| T::decode(value, field)).transpose()
    }
}

impl<T: Decode<M>, M> Decode<Vec<M>> for Vec<T> {
    fn decode(items: Vec<M>, field: &'static str) -> Result<Self, Failure> {
        let items = items.into_iter();
        items.map(|item| T::decode(item, field)).collect()
    }
}

impl Decode<HashMap<String, String>> for BTreeMap<String, String> {
    fn decode(value: HashMap<String, String>, _: &'static str) -> Result<Self, Failure> {
        Ok(value.into_iter().collect())
    }
}

/// Proto's empty text is null in the contract.
pub fn non_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// A message field that a service must always set.
pub fn present<T>(value: Option<T>, field: &'static str) -> Result<T, Failure> {
    value.ok_or_else(|| Failure::broken_answer(field))
}
