//! How the columns of an import file are read: the `mapping` of an import, a JSON object.
//!
//! The plain form is `{column: field}` with the fields `report_id`, `revision`, `plan_number`,
//! `time`, `impressions`, `clicks`, `spend`, `revenue`, `placement`. An empty object takes columns that have a
//! field's name. Keys whose value is not a field's name are settings:
//!
//! | key | value | meaning |
//! |---|---|---|
//! | `pricing` | a price, or `{plan number: price}` | prices rows without spend or revenue |
//! | `time_shift_days` | whole number | days added to every time |
//! | `constants` | `{field: value}` | fields that no column has |
//! | `plans` | `{value: plan number}` | translates the column mapped to `plan_number` |
//! | `plans_modulo` | `[plan number, …]` | the same: value modulo length is the place in the list |
//! | `report_id` | `"line"` | a report is named after its line: `<source>:<line>` |
//!
//! `"*"` stands for all other plan numbers or values.
//!
//! A price is `{"model": "cpm", "cost": "2.00", "revenue": "3.10"}` or `{"cpc": {"cost": …,
//! "revenue": …}}`. Priced rows are marked as estimated. Reports are also named after their lines
//! when no column is mapped to `report_id`.

use std::collections::HashMap;

use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use serde_json::{Map, Value};

use super::pricing::{PriceList, Pricing};

/// A mapping longer than this is no mapping.
const LONGEST_MAPPING: usize = 256 * 1024;

/// The farthest shift, about a century.
const FARTHEST_SHIFT_DAYS: i64 = 36_500;

/// The entry of a table that stands for every other value.
const OTHERS: &str = "*";

names! {
    /// A field of a report.
    Field {
        /// Identifies the report within its source.
        ReportId,
        /// Which restatement it is; 1 unless said otherwise.
        Revision,
        /// The plan.
        PlanNumber,
        /// When it was delivered.
        Time,
        /// Impressions.
        Impressions,
        /// Clicks.
        Clicks,
        /// What it cost.
        Spend,
        /// What it earned.
        Revenue,
        /// Where: the id or the name of a placement of the source's network.
        Placement,
    }
}

impl Field {
    /// Its place in [`Field::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Where a field's value comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// From nowhere.
    #[default]
    Absent,
    /// From a column of this name.
    Column(String),
    /// From the column that has the field's own name, if there is one.
    SameName,
    /// The same in every row.
    Constant(String),
}

/// How values become plan numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PlanTable {
    /// They are plan numbers.
    #[default]
    Plain,
    /// By a table.
    Table(HashMap<String, String>),
    /// By place in a list.
    Modulo(Vec<String>),
}

/// How an import file is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    sources: [Source; Field::ALL.len()],
    /// What rows without money cost and earn.
    pub prices: PriceList,
    /// Days added to every time.
    pub time_shift_days: i64,
    plans: PlanTable,
}

impl Mapping {
    /// Reads the JSON of a mapping. What is wrong is VALIDATION of `mapping`, with a sentence that
    /// says what.
    pub fn parse(json: &str) -> Result<Self, Refusal> {
        if json.len() > LONGEST_MAPPING {
            return Err(wrong("the mapping is too long"));
        }
        let text = if json.trim().is_empty() { "{}" } else { json };
        let value: Value = serde_json::from_str(text)
            .map_err(|error| wrong(&format!("the mapping is not JSON: {error}")))?;
        let Value::Object(object) = value else {
            return Err(wrong("the mapping is not a JSON object"));
        };
        let mut mapping = Self::default();
        for (key, value) in &object {
            mapping.take(key, value)?;
        }
        mapping.complete(&object);
        Ok(mapping)
    }

    /// Reports that have every field under its own name, for ways in that need no mapping.
    pub fn plain() -> Self {
        let mut mapping = Self::default();
        mapping.complete(&Map::new());
        mapping
    }

    /// Where a field's value comes from.
    pub fn source(&self, field: Field) -> &Source {
        self.sources.get(field.index()).unwrap_or(&Source::Absent)
    }

    /// The column that a field's value comes from.
    pub fn column(&self, field: Field) -> Option<&str> {
        match self.source(field) {
            Source::Column(column) => Some(column),
            Source::SameName => Some(field.as_str()),
            Source::Absent | Source::Constant(_) => None,
        }
    }

    /// Whether the file need not have a value for the field.
    pub fn is_optional(&self, field: Field) -> bool {
        matches!(self.source(field), Source::Absent | Source::SameName)
    }

    /// The plan number that a value stands for.
    pub fn plan_number<'a>(&'a self, value: &'a str) -> Result<&'a str, String> {
        match &self.plans {
            PlanTable::Plain => Ok(value),
            PlanTable::Table(table) => table
                .get(value)
                .or_else(|| table.get(OTHERS))
                .map(String::as_str)
                .ok_or_else(|| format!("no plan is given for {}", shown(value))),
            PlanTable::Modulo(list) => {
                let number: i128 = value
                    .parse()
                    .map_err(|_| format!("{} is not a whole number", shown(value)))?;
                let count = i128::try_from(list.len()).unwrap_or(1);
                let place = number
                    .checked_rem_euclid(count)
                    .and_then(|place| usize::try_from(place).ok());
                place
                    .and_then(|place| list.get(place))
                    .map(String::as_str)
                    .ok_or_else(|| "no plan is given".to_owned())
            }
        }
    }

    fn take(&mut self, key: &str, value: &Value) -> Result<(), Refusal> {
        if let Value::String(text) = value {
            if let Some(field) = Field::from_name(text) {
                return self.set(field, Source::Column(key.to_owned()));
            }
            if key == Field::ReportId.as_str() && text == "line" {
                return Ok(());
            }
        }
        match (key, value) {
            ("columns", Value::Object(columns)) => {
                columns.iter().try_for_each(|(column, field)| {
                    let field = field.as_str().and_then(Field::from_name);
                    let field = field.ok_or_else(|| {
                        wrong(&format!("column {} is mapped to no field", shown(column)))
                    })?;
                    self.set(field, Source::Column(column.clone()))
                })
            }
            ("constants", Value::Object(constants)) => {
                constants.iter().try_for_each(|(name, value)| {
                    let field = Field::from_name(name)
                        .ok_or_else(|| wrong(&format!("{} is no field", shown(name))))?;
                    let text = scalar(value).ok_or_else(|| {
                        wrong(&format!("the constant {name} is no text or number"))
                    })?;
                    self.set(field, Source::Constant(text))
                })
            }
            ("pricing", value) => {
                self.prices = PriceList::parse(value).map_err(|problem| wrong(&problem))?;
                Ok(())
            }
            ("time_shift_days", value) => {
                let days = value
                    .as_i64()
                    .or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()));
                let days =
                    days.filter(|days| days.unsigned_abs() <= FARTHEST_SHIFT_DAYS.unsigned_abs());
                self.time_shift_days =
                    days.ok_or_else(|| wrong("time_shift_days is no whole number of days"))?;
                Ok(())
            }
            ("plans", Value::Object(table)) => {
                let entry = |(value, plan): (&String, &Value)| {
                    let plan = plan.as_str().ok_or_else(|| {
                        wrong(&format!("the plan of {} is no text", shown(value)))
                    })?;
                    Ok((value.trim().to_owned(), plan.trim().to_owned()))
                };
                self.set_plans(PlanTable::Table(table.iter().map(entry).collect::<Result<
                    _,
                    Refusal,
                >>(
                )?))
            }
            ("plans_modulo", Value::Array(list)) if !list.is_empty() => {
                let plan = |plan: &Value| plan.as_str().map(|plan| plan.trim().to_owned());
                let list: Option<Vec<String>> = list.iter().map(plan).collect();
                self.set_plans(PlanTable::Modulo(
                    list.ok_or_else(|| wrong("plans_modulo is no list of plan numbers"))?,
                ))
            }
            _ => Err(wrong(&format!(
                "{} is mapped to no field and is no setting",
                shown(key)
            ))),
        }
    }

    /// A mapping without any column takes the columns that have a field's name.
    fn complete(&mut self, object: &Map<String, Value>) {
        if self
            .sources
            .iter()
            .any(|source| matches!(source, Source::Column(_)))
        {
            return;
        }
        let by_line = object.get(Field::ReportId.as_str()).is_some();
        for field in Field::ALL.iter().copied() {
            let skip = field == Field::ReportId && by_line;
            if let Some(source) = self
                .sources
                .get_mut(field.index())
                .filter(|source| **source == Source::Absent && !skip)
            {
                *source = Source::SameName;
            }
        }
    }

    fn set(&mut self, field: Field, source: Source) -> Result<(), Refusal> {
        match self.sources.get_mut(field.index()) {
            Some(place @ Source::Absent) => {
                *place = source;
                Ok(())
            }
            _ => Err(wrong(&format!("{} is given twice", field.as_str()))),
        }
    }

    fn set_plans(&mut self, plans: PlanTable) -> Result<(), Refusal> {
        if self.plans != PlanTable::Plain {
            return Err(wrong("only one of plans and plans_modulo can be given"));
        }
        self.plans = plans;
        Ok(())
    }

    /// The pricing of a plan's rows.
    pub fn pricing(&self, plan_number: &str) -> Option<&Pricing> {
        self.prices.of_plan(plan_number)
    }
}

/// A text, number or truth value as the text that a column would hold.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(i32::from(*truth).to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A value in a sentence: quoted, and cut so that no reason grows with the file.
pub(super) fn shown(value: &str) -> String {
    let cut: String = value.chars().take(60).collect();
    let dots = if cut.len() < value.len() { "…" } else { "" };
    format!("'{}{dots}'", cut.escape_default())
}

fn wrong(detail: &str) -> Refusal {
    Refusal::invalid("mapping").detail(detail)
}
