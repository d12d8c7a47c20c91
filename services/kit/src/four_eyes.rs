//! Four eyes: the amount above which an act of staff takes a second person, and what is counted against it.
//!
//! Sums are compared, not single acts: what one member of staff has done alone within [`WINDOW`], and what was done for
//! one beneficiary by anybody alone, each with the act in question. A service keeps the acts that needed nobody, and
//! reads and adds them under [`lock_in_tx`]. Whether two accounts are two people says
//! [`SecondPair`](crate::second_pair::SecondPair).

use std::str::FromStr;

use adfolio_money::{Money, MoneyError};
use chrono::{DateTime, TimeDelta, Utc};
use clap::Args;
use clap::builder::BoolishValueParser;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::config::ConfigError;

/// Acts are counted for this long.
pub const WINDOW: TimeDelta = TimeDelta::hours(24);

/// What takes two members of staff.
#[derive(Args, Clone, Copy, Debug)]
pub struct FourEyesArgs {
    /// Amount (a decimal like 1000.00) above which acts of staff take a second person: the sum of 24 hours counts, by
    /// member of staff and by beneficiary. `off` is accepted only with ADFOLIO_DEMO=1
    #[arg(long, env = "FOUR_EYES_ABOVE", default_value = "1000.00")]
    pub four_eyes_above: Above,
    /// 1 in a demonstration, which may switch four eyes off
    #[arg(long, env = "ADFOLIO_DEMO", default_value = "0", action = clap::ArgAction::Set, value_parser = BoolishValueParser::new())]
    pub adfolio_demo: bool,
}

/// The value of FOUR_EYES_ABOVE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Above {
    /// What exceeds it takes two.
    Amount(Money),
    /// Nothing takes two.
    Off,
}

impl FromStr for Above {
    type Err = MoneyError;

    fn from_str(text: &str) -> Result<Self, MoneyError> {
        match text {
            "off" => Ok(Self::Off),
            amount => amount.parse().map(Self::Amount),
        }
    }
}

impl FourEyesArgs {
    /// Off, in a demonstration.
    pub fn off() -> Self {
        Self {
            four_eyes_above: Above::Off,
            adfolio_demo: true,
        }
    }

    /// With this amount, outside of demonstrations.
    pub fn above(amount: Money) -> Self {
        Self {
            four_eyes_above: Above::Amount(amount),
            adfolio_demo: false,
        }
    }

    /// The threshold, or why these values do not go together.
    pub fn threshold(&self) -> Result<Threshold, ConfigError> {
        match self.four_eyes_above {
            Above::Amount(amount) if amount.is_negative() => Err(ConfigError::Invalid {
                name: "FOUR_EYES_ABOVE",
                expected: "zero or more",
            }),
            Above::Amount(amount) => Ok(Threshold(Some(amount))),
            Above::Off if self.adfolio_demo => Ok(Threshold(None)),
            Above::Off => Err(ConfigError::DemoOnly("FOUR_EYES_ABOVE=off")),
        }
    }
}

/// The amount above which acts of staff take a second person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold(Option<Money>);

impl Threshold {
    /// Whether anything takes two.
    pub fn is_set(self) -> bool {
        self.0.is_some()
    }

    /// Whether this amount, or sum, takes two.
    pub fn is_exceeded_by(self, amount: Money) -> bool {
        self.0.is_some_and(|threshold| amount > threshold)
    }

    /// Whether an act of this amount takes two after what was done alone before.
    pub fn is_exceeded_after(self, alone: Alone, amount: Money) -> bool {
        let sum = |before: i64| Money::from_minor(before.saturating_add(amount.minor()));
        self.is_exceeded_by(sum(alone.by_member)) || self.is_exceeded_by(sum(alone.for_beneficiary))
    }
}

/// What was done within [`WINDOW`] without a second person, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alone {
    /// By the member of staff.
    pub by_member: i64,
    /// For the beneficiary, by anybody.
    pub for_beneficiary: i64,
}

/// Acts after this time are counted.
pub fn counted_since(now: DateTime<Utc>) -> DateTime<Utc> {
    now.checked_sub_signed(WINDOW).unwrap_or(now)
}

/// Takes turns with all others who count for this member of staff or this beneficiary, until the transaction's end: of
/// two acts at once, the second sees the first. Taken before any other lock of the transaction.
pub async fn lock_in_tx(
    tx: &mut PgConnection,
    member: Uuid,
    beneficiary: Uuid,
) -> Result<(), sqlx::Error> {
    let mut scopes = [
        format!("four_eyes:member:{member}"),
        format!("four_eyes:beneficiary:{beneficiary}"),
    ];
    // In one order everywhere, so that no two wait for each other.
    scopes.sort_unstable();
    for scope in scopes {
        sqlx::query_scalar!(
            r#"SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text AS "locked""#,
            scope
        )
        .fetch_one(&mut *tx)
        .await?;
    }
    Ok(())
}
