//! Ways to deposit, as the app lists them. Customer service takes the money; nothing is decided by these texts.

use std::collections::{BTreeMap, HashMap, HashSet};

use adfolio_kit::refusal::Refusal;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::localized::{self, Form, Texts};
use crate::service_entry;

/// Methods at most: the sheet that shows them is one screen.
const MOST_METHODS: usize = 20;

/// Characters of a name at most.
const LONGEST_NAME: usize = 60;

/// Characters of a fee and an arrival at most.
const LONGEST_NOTE: usize = 120;

/// A way to deposit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepositMethod {
    pub id: Uuid,
    pub name: Texts,
    /// The least of one deposit, in minor units.
    pub min_minor: Option<i64>,
    /// The most of one deposit, in minor units.
    pub max_minor: Option<i64>,
    /// What it costs.
    pub fee: Texts,
    /// When the money is there.
    pub arrival: Texts,
}

/// A method as it was sent, its texts by language code.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Its id; empty for a new one.
    pub id: String,
    pub name: HashMap<String, String>,
    pub min_minor: Option<i64>,
    pub max_minor: Option<i64>,
    pub fee: HashMap<String, String>,
    pub arrival: HashMap<String, String>,
}

/// A method as a database keeps it.
#[derive(Debug, Deserialize, Serialize)]
pub struct Stored {
    id: Uuid,
    name: BTreeMap<String, String>,
    min_minor: Option<i64>,
    max_minor: Option<i64>,
    fee: BTreeMap<String, String>,
    arrival: BTreeMap<String, String>,
}

impl From<&DepositMethod> for Stored {
    fn from(method: &DepositMethod) -> Self {
        Self {
            id: method.id,
            name: localized::by_code(&method.name),
            min_minor: method.min_minor,
            max_minor: method.max_minor,
            fee: localized::by_code(&method.fee),
            arrival: localized::by_code(&method.arrival),
        }
    }
}

impl From<Stored> for DepositMethod {
    fn from(stored: Stored) -> Self {
        Self {
            id: stored.id,
            name: localized::from_codes(stored.name),
            min_minor: stored.min_minor,
            max_minor: stored.max_minor,
            fee: localized::from_codes(stored.fee),
            arrival: localized::from_codes(stored.arrival),
        }
    }
}

/// Checks methods; what is wrong is named like `deposit_methods[0].min`.
pub fn check_list(
    drafts: Vec<Draft>,
    new_id: impl Fn() -> Uuid,
) -> Result<Vec<DepositMethod>, Refusal> {
    if drafts.len() > MOST_METHODS {
        return Err(Refusal::invalid("deposit_methods"));
    }
    let mut known = HashSet::new();
    let check = |(index, draft): (usize, Draft)| {
        let name = |part: &str| format!("deposit_methods[{index}].{part}");
        let id = service_entry::check_id(&draft.id, &new_id, &mut known, name("id"))?;
        let (min, max) = (draft.min_minor, draft.max_minor);
        if min.is_some_and(|min| min <= 0) {
            return Err(Refusal::invalid(name("min")));
        }
        if max.is_some_and(|max| max <= 0 || min.is_some_and(|min| max < min)) {
            return Err(Refusal::invalid(name("max")));
        }
        let line = |sent, longest, part| localized::check(sent, Form::Line, longest, &name(part));
        Ok(DepositMethod {
            id,
            name: line(draft.name, LONGEST_NAME, "name")?,
            min_minor: min,
            max_minor: max,
            fee: line(draft.fee, LONGEST_NOTE, "fee")?,
            arrival: line(draft.arrival, LONGEST_NOTE, "arrival")?,
        })
    };
    drafts.into_iter().enumerate().map(check).collect()
}
