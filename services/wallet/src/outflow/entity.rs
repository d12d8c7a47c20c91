//! What must hold for money that leaves, and what has left.

use std::time::Duration;

use adfolio_kit::config::ConfigError;
use adfolio_money::Money;
use chrono::{DateTime, TimeDelta, Utc};

use crate::config::WithdrawalArgs;
use crate::destination::entity::Method;
use crate::posting::outcome::Refused;
use crate::property::entity::Property;
use crate::protection::CoolingOff;

/// The limits count what left within this time.
pub const WINDOW: TimeDelta = TimeDelta::hours(24);

/// Where money goes. Exchange orders count as one destination, whoever the acceptor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    BankCard,
    WalletAddress,
    Exchange,
}

impl From<Method> for Exit {
    fn from(method: Method) -> Self {
        match method {
            Method::BankCard => Self::BankCard,
            Method::WalletAddress => Self::WalletAddress,
        }
    }
}

/// What must hold for money that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    pub cooling_off: CoolingOff,
    /// The most that leaves one wallet within [`WINDOW`].
    pub per_day: Money,
    /// The most of it to one destination.
    pub per_destination: Money,
}

/// How a movement leaves, and under which rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outflow {
    pub exit: Exit,
    pub rules: Rules,
}

/// What left a wallet within [`WINDOW`], without what came back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    bank_card: i64,
    wallet_address: i64,
    exchange: i64,
    /// When the first of it left.
    first_at: Option<DateTime<Utc>>,
}

impl Left {
    /// Counts an amount that left at that time.
    pub fn add(&mut self, exit: Exit, amount: i64, at: DateTime<Utc>) {
        let sum = match exit {
            Exit::BankCard => &mut self.bank_card,
            Exit::WalletAddress => &mut self.wallet_address,
            Exit::Exchange => &mut self.exchange,
        };
        *sum = sum.saturating_add(amount);
        self.first_at = Some(self.first_at.map_or(at, |first| first.min(at)));
    }

    fn by(&self, exit: Exit) -> i64 {
        match exit {
            Exit::BankCard => self.bank_card,
            Exit::WalletAddress => self.wallet_address,
            Exit::Exchange => self.exchange,
        }
    }

    fn sum(&self) -> i64 {
        self.bank_card
            .saturating_add(self.wallet_address)
            .saturating_add(self.exchange)
    }

    /// How long until the first of it is no longer counted.
    fn wait(&self, now: DateTime<Utc>) -> Duration {
        let until = self
            .first_at
            .and_then(|first| first.checked_add_signed(WINDOW));
        until.map_or(Duration::ZERO, |until| positive(until - now))
    }
}

impl Rules {
    pub fn configured(args: &WithdrawalArgs) -> Result<Self, ConfigError> {
        let (per_day, per_destination) = (args.outflow_day_max, args.outflow_destination_max);
        if per_destination.minor() <= 0 || per_destination > per_day {
            return Err(ConfigError::Invalid {
                name: "OUTFLOW_DESTINATION_MAX",
                expected: "more than 0.00 and at most OUTFLOW_DAY_MAX",
            });
        }
        Ok(Self {
            cooling_off: CoolingOff::of_hours(args.withdrawal_cooling_off_hours),
            per_day,
            per_destination,
        })
    }

    /// Whether this amount may leave: nothing is frozen, the start-up funds are returned, the cooling-off is over, and
    /// the limits hold.
    pub fn check(
        &self,
        wallet: &Property,
        left: &Left,
        (exit, amount): (Exit, i64),
        now: DateTime<Utc>,
    ) -> Result<(), Refused> {
        wallet.require_not_frozen()?;
        if wallet.start_up_outstanding > 0 {
            return Err(Refused::StartUpFundsNotReturned);
        }
        self.require_cooled_off(wallet, now)?;
        let is_over = |sum: i64, max: Money| sum.saturating_add(amount) > max.minor();
        if is_over(left.by(exit), self.per_destination) || is_over(left.sum(), self.per_day) {
            return Err(Refused::DayLimitReached(left.wait(now)));
        }
        Ok(())
    }

    /// Whether the cooling-off is over.
    pub fn require_cooled_off(&self, wallet: &Property, now: DateTime<Utc>) -> Result<(), Refused> {
        match self.cooling_off.end(wallet.protection_changed_at, now) {
            Some(end) => Err(Refused::CoolingOff(positive(end - now))),
            None => Ok(()),
        }
    }
}

fn positive(wait: TimeDelta) -> Duration {
    wait.to_std().unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::defaults;

    fn at(hours: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::hours(hours)
    }

    fn rules() -> Rules {
        Rules {
            cooling_off: CoolingOff::of_hours(24),
            per_day: Money::from_minor(100),
            per_destination: Money::from_minor(60),
        }
    }

    fn check(wallet: &Property, left: &Left, exit: Exit, amount: i64) -> Result<(), Refused> {
        rules().check(wallet, left, (exit, amount), at(10))
    }

    const EXITS: [Exit; 3] = [Exit::BankCard, Exit::WalletAddress, Exit::Exchange];

    #[test]
    fn every_door_is_closed_by_the_same_causes() {
        let lent = Property {
            start_up_outstanding: 1,
            ..Property::default()
        };
        let changed = Property {
            protection_changed_at: Some(at(9)),
            ..Property::default()
        };
        let frozen = Property {
            frozen_at: Some(at(0)),
            ..Property::default()
        };
        for exit in EXITS {
            let nothing = Left::default();
            assert_eq!(check(&Property::default(), &nothing, exit, 60), Ok(()));
            assert_eq!(check(&frozen, &nothing, exit, 1), Err(Refused::Frozen));
            assert_eq!(
                check(&lent, &nothing, exit, 1),
                Err(Refused::StartUpFundsNotReturned)
            );
            assert_eq!(
                check(&changed, &nothing, exit, 1),
                Err(Refused::CoolingOff(Duration::from_hours(23)))
            );
        }
    }

    #[test]
    fn a_day_has_one_limit_and_each_destination_its_own() {
        let wallet = Property::default();
        let mut left = Left::default();
        left.add(Exit::Exchange, 60, at(8));
        left.add(Exit::BankCard, 30, at(4));
        let over = Err(Refused::DayLimitReached(Duration::from_hours(18)));
        assert_eq!(check(&wallet, &left, Exit::Exchange, 1), over);
        assert_eq!(check(&wallet, &left, Exit::BankCard, 10), Ok(()));
        assert_eq!(check(&wallet, &left, Exit::BankCard, 11), over);
        assert_eq!(check(&wallet, &left, Exit::WalletAddress, 10), Ok(()));
        assert_eq!(check(&wallet, &left, Exit::WalletAddress, 11), over);
        // More than ever leaves at once.
        let never = Err(Refused::DayLimitReached(Duration::ZERO));
        assert_eq!(check(&wallet, &Left::default(), Exit::BankCard, 61), never);
    }

    #[test]
    fn a_destination_gets_no_more_than_the_day() {
        let configured = |day, destination| {
            Rules::configured(&WithdrawalArgs {
                outflow_day_max: Money::from_minor(day),
                outflow_destination_max: Money::from_minor(destination),
                ..defaults()
            })
        };
        assert!(configured(5, 5).is_ok());
        assert!(configured(5, 6).is_err());
        assert!(configured(5, 0).is_err());
    }
}
