//! The values in a text.

use std::collections::BTreeMap;

use adfolio_money::Money;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::lang::Lang;

/// A value in a text. Amounts and days are kept as such, because every language writes them in its own way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Param {
    Money(Money),
    /// A plain decimal number, such as an amount of another currency.
    Decimal(String),
    Date(NaiveDate),
    /// A name or number, the same in every language.
    Text(String),
}

impl Param {
    /// The value as it reads in `lang`.
    pub fn render(&self, lang: Lang) -> String {
        match self {
            Self::Money(amount) => lang.money(*amount),
            Self::Decimal(number) => lang.decimal(number),
            Self::Date(day) => lang.date(*day),
            Self::Text(text) => text.clone(),
        }
    }
}

/// The values of a notice's text, by name.
pub type Params = BTreeMap<String, Param>;

/// Values as a database kept them. One of a kind that only newer replicas know is left out, like its text.
pub fn params_from_json(json: serde_json::Value) -> Option<Params> {
    let values: BTreeMap<String, serde_json::Value> = serde_json::from_value(json).ok()?;
    let known = values
        .into_iter()
        .filter_map(|(name, value)| Some((name, serde_json::from_value(value).ok()?)));
    Some(known.collect())
}
