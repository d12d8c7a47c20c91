//! What rows without money cost and earn.

use std::collections::HashMap;

use adfolio_kit::names;
use adfolio_money::{Micros, MoneyError};
use serde_json::{Map, Value};

use super::mapping::{scalar, shown};

/// The names under which a price may say its model.
const MODEL_KEYS: [&str; 3] = ["model", "type", "kind"];

names! {
    /// What is paid for.
    Model {
        /// A thousand impressions.
        Cpm,
        /// A click.
        Cpc,
    }
}

fn model(text: &str) -> Option<Model> {
    Model::from_name(&text.to_ascii_lowercase())
}

/// A price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pricing {
    model: Model,
    cost: Micros,
    revenue: Micros,
}

impl Pricing {
    /// What so many impressions and clicks cost, rounded half to even to millionths.
    pub fn spend(&self, impressions: i64, clicks: i64) -> Result<Micros, MoneyError> {
        self.price(self.cost, impressions, clicks)
    }

    /// What so many impressions and clicks earn.
    pub fn revenue(&self, impressions: i64, clicks: i64) -> Result<Micros, MoneyError> {
        self.price(self.revenue, impressions, clicks)
    }

    fn price(&self, rate: Micros, impressions: i64, clicks: i64) -> Result<Micros, MoneyError> {
        match self.model {
            Model::Cpm => rate.ratio_half_even(impressions, 1_000),
            Model::Cpc => rate.checked_mul(clicks),
        }
    }

    /// Reads `{"model": "cpm", "cost": "2.00", "revenue": "3.10"}` or `{"cpm": {"cost": "2.00",
    /// "revenue": "3.10"}}`; none when the object is neither.
    fn parse(object: &Map<String, Value>) -> Result<Option<Self>, String> {
        if let Some(named) = MODEL_KEYS.iter().find_map(|key| object.get(*key)) {
            let model = named
                .as_str()
                .and_then(model)
                .ok_or("the pricing's model is neither cpm nor cpc")?;
            return Self::with_model(model, object).map(Some);
        }
        let mut entries = object.iter();
        if let (Some((name, Value::Object(rates))), None) = (entries.next(), entries.next())
            && let Some(model) = model(name)
        {
            return Self::with_model(model, rates).map(Some);
        }
        Ok(None)
    }

    fn with_model(model: Model, rates: &Map<String, Value>) -> Result<Self, String> {
        let rate = |name: &str| -> Result<Micros, String> {
            let text = rates
                .get(name)
                .and_then(scalar)
                .ok_or_else(|| format!("the pricing has no {name}"))?;
            text.parse()
                .map_err(|error| format!("the pricing's {name} {}: {error}", shown(&text)))
        };
        Ok(Self {
            model,
            cost: rate("cost")?,
            revenue: rate("revenue")?,
        })
    }
}

/// The prices of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriceList {
    all: Option<Pricing>,
    by_plan: HashMap<String, Pricing>,
}

impl PriceList {
    /// The price of a plan's rows.
    pub fn of_plan(&self, plan_number: &str) -> Option<&Pricing> {
        self.by_plan.get(plan_number).or(self.all.as_ref())
    }

    /// Reads one price for all plans, or one for each plan number with `*` for the others.
    pub(super) fn parse(value: &Value) -> Result<Self, String> {
        let Value::Object(object) = value else {
            return Err("pricing is not a JSON object".to_owned());
        };
        if let Some(all) = Pricing::parse(object)? {
            return Ok(Self {
                all: Some(all),
                by_plan: HashMap::new(),
            });
        }
        let mut list = Self::default();
        for (plan, value) in object {
            let price = match value {
                Value::Object(price) => Pricing::parse(price)?,
                _ => None,
            };
            let price =
                price.ok_or_else(|| format!("the pricing of {} names no model", shown(plan)))?;
            if plan == "*" {
                list.all = Some(price);
            } else {
                list.by_plan.insert(plan.trim().to_owned(), price);
            }
        }
        Ok(list)
    }
}
