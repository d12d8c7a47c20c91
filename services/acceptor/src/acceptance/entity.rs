//! Offers behind acceptance codes, and how often a user may try codes.

use std::time::Duration;

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::{column, names};
use adfolio_money::Money;
use chrono::{DateTime, Utc};

use super::code::Code;
use super::rate::Rate;
use crate::acceptor::entity::{Acceptor, Kind};
use crate::error::AcceptorError;
use crate::ids::{AcceptorId, OfferId};

/// No offer is for more.
const LARGEST_AMOUNT: Money = Money::from_minor(1_000_000_000_000);

/// Wrong codes that a user may try in one window.
pub const WRONG_CODES_LIMIT: i32 = 10;

/// How long a window lasts, from its first wrong code on.
pub const WINDOW: Duration = Duration::from_mins(10);

names! {
    /// Which way an exchange goes.
    Direction {
        /// Wallet money into the other currency.
        WalletToCurrency,
        /// The other currency into wallet money.
        CurrencyToWallet,
    }
}

/// ISO 4217 code of a currency: three capital letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Currency(String);

column!(Currency: String, |code| Ok(Currency::parse(&code)?));

impl Currency {
    /// The code as it was sent.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        if text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Refusal::invalid("currency"))
        }
    }

    /// The code.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What an offer says.
#[derive(Clone, Debug)]
pub struct Terms {
    pub direction: Direction,
    pub currency: Currency,
    /// Units of the other currency for one unit of wallet money.
    pub rate: Rate,
    /// Lowest wallet amount.
    pub min: Money,
    /// Highest wallet amount.
    pub max: Money,
    pub expires_at: DateTime<Utc>,
}

impl Terms {
    /// Checks what the parts' own types do not say; the offending input is named.
    pub fn check(&self, now: DateTime<Utc>) -> Result<(), Refusal> {
        let ensure = |holds: bool, field: &str| {
            if holds {
                Ok(())
            } else {
                Err(Refusal::invalid(field))
            }
        };
        ensure(self.min > Money::ZERO && self.min <= LARGEST_AMOUNT, "min")?;
        ensure(self.max >= self.min && self.max <= LARGEST_AMOUNT, "max")?;
        ensure(self.expires_at > now, "expires_at")
    }

    /// Whether the offer is for this amount.
    pub fn covers(&self, amount: Money) -> bool {
        self.min <= amount && amount <= self.max
    }
}

/// An offer to exchange.
#[derive(Clone, Debug)]
pub struct Offer {
    pub id: OfferId,
    pub terms: Terms,
}

/// An acceptance code that staff ask for.
#[derive(Clone, Debug)]
pub struct NewAcceptance {
    /// Whose offer.
    pub acceptor: AcceptorId,
    /// Only for this user; none: for anyone.
    pub user: Option<UserId>,
    /// Exactly this code; none: a random one.
    pub code: Option<Code>,
    pub terms: Terms,
}

/// An acceptance code that was issued.
#[derive(Clone, Debug)]
pub struct Issued {
    pub code: Code,
    /// The offer behind it.
    pub offer: Offer,
}

/// What is behind an acceptance code.
#[derive(Clone, Debug)]
pub struct Acceptance {
    /// Whose offer.
    pub acceptor: Acceptor,
    /// Only for this user; none: for anyone.
    pub user: Option<UserId>,
    pub offer: Offer,
}

impl Acceptance {
    /// Whether the code is right for `user`, who chose an acceptor of `kind`, at `now`.
    pub fn is_right_for(&self, user: UserId, kind: Kind, now: DateTime<Utc>) -> bool {
        let for_user = self.user.is_none_or(|bound| bound == user);
        for_user && self.acceptor.kind == kind && now < self.offer.terms.expires_at
    }
}

/// The wrong codes that a user has tried in the present window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempts {
    pub wrong: i32,
    /// When the first of them was tried.
    pub began_at: DateTime<Utc>,
}

impl Attempts {
    /// Counts a code as wrong before it is looked up, or refuses to look it up.
    pub fn count(self, now: DateTime<Utc>) -> Result<Self, AcceptorError> {
        let window_ends = self
            .began_at
            .checked_add_signed(window())
            .unwrap_or(DateTime::<Utc>::MAX_UTC);
        if self.wrong == 0 || window_ends <= now {
            return Ok(Self {
                wrong: 1,
                began_at: now,
            });
        }
        if self.wrong >= WRONG_CODES_LIMIT {
            let wait = window_ends
                .signed_duration_since(now)
                .to_std()
                .unwrap_or(WINDOW);
            return Err(AcceptorError::TooManyAttempts(wait));
        }
        Ok(Self {
            wrong: self.wrong.saturating_add(1),
            ..self
        })
    }
}

fn window() -> chrono::TimeDelta {
    chrono::TimeDelta::from_std(WINDOW).unwrap_or(chrono::TimeDelta::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eleventh_wrong_code_waits_for_the_end_of_the_window() {
        let start = Utc::now();
        let mut attempts = Attempts {
            wrong: 0,
            began_at: start,
        };
        for _ in 0..WRONG_CODES_LIMIT {
            attempts = attempts.count(start).unwrap();
        }
        let later = start + Duration::from_secs(200);
        assert!(
            matches!(attempts.count(later), Err(AcceptorError::TooManyAttempts(wait)) if wait.as_secs() == 400)
        );
        let over = start + WINDOW;
        assert_eq!(
            attempts.count(over).unwrap(),
            Attempts {
                wrong: 1,
                began_at: over
            }
        );
    }
}
