//! What a coupon is worth: pure rules.

use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use adfolio_money::{Money, MoneyError};

/// All of an amount, in hundredths of a percent.
pub const WHOLE_BASIS_POINTS: u32 = 10_000;

/// No coupon is worth or asks for more: a typing slip in a campaign must not become real money.
pub const LARGEST_VALUE: Money = Money::from_minor(100_000_000_000);

/// No coupon adds more to a budget. Plan bounds the sum by the product's range.
pub const LARGEST_ADDITION: Money = Money::from_minor(10_000_000);

names! {
    /// Type of a coupon, as shown. It changes nothing about what the coupon does.
    CouponType {
        /// Value-added voucher.
        Increment,
        /// Deduction voucher.
        Deduction,
        /// Team coupon.
        Team,
        /// Custom coupon.
        Custom,
        /// Fixed-amount coupon.
        FixedAmount,
    }
}

names! {
    /// Who may claim from a campaign, and how its coupons came about.
    Kind {
        /// Every user once, over all campaigns of this kind.
        NewUser,
        /// Every user, one coupon of the same name a day.
        Periodic,
        /// Only granted by staff.
        Staff,
    }
}

names! {
    /// How a coupon works.
    Mode {
        /// Takes a percentage off what the user pays.
        Discount,
        /// Takes an amount off what the user pays.
        Deduction,
        /// Adds an amount to the budget.
        Addition,
    }
}

/// What a coupon does to a put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Benefit {
    /// Takes so many hundredths of a percent off what the user pays.
    Discount {
        /// 1 to 10000.
        basis_points: u32,
    },
    /// Takes a fixed amount off what the user pays, at most all of it.
    Deduction {
        /// The amount.
        value: Money,
    },
    /// Adds a fixed amount to the budget; the user pays all of the amount.
    Addition {
        /// The amount.
        value: Money,
    },
}

impl Benefit {
    /// A discount of 0.01 % to 100 %.
    pub fn discount(basis_points: u32) -> Result<Self, Refusal> {
        if (1..=WHOLE_BASIS_POINTS).contains(&basis_points) {
            Ok(Self::Discount { basis_points })
        } else {
            Err(Refusal::invalid("value"))
        }
    }

    /// A deduction of more than nothing.
    pub fn deduction(value: Money) -> Result<Self, Refusal> {
        positive(value).map(|value| Self::Deduction { value })
    }

    /// An addition of more than nothing.
    pub fn addition(value: Money) -> Result<Self, Refusal> {
        if value > LARGEST_ADDITION {
            return Err(Refusal::invalid("value"));
        }
        positive(value).map(|value| Self::Addition { value })
    }

    /// What one coupon costs at most; none of a share, which grows with the put.
    pub fn cost_max(self) -> Option<Money> {
        match self {
            Self::Discount { .. } => None,
            Self::Deduction { value } | Self::Addition { value } => Some(value),
        }
    }

    /// What it is worth for a put of `amount`: a discount is rounded down to cents, and neither a discount nor a deduction
    /// is worth more than the amount, so what the user pays never falls below nothing.
    pub fn worth(self, amount: Money) -> Result<Money, MoneyError> {
        match self {
            Self::Discount { basis_points } => amount.basis_points_floor(basis_points),
            Self::Deduction { value } => Ok(value.min(amount)),
            Self::Addition { value } => Ok(value),
        }
    }

    /// How it works.
    pub fn mode(self) -> Mode {
        match self {
            Self::Discount { .. } => Mode::Discount,
            Self::Deduction { .. } => Mode::Deduction,
            Self::Addition { .. } => Mode::Addition,
        }
    }

    /// The columns `mode`, `value_minor` and `value_basis_points`.
    pub fn columns(self) -> (&'static str, i64, i32) {
        let (value_minor, value_basis_points) = match self {
            Self::Discount { basis_points } => (0, i32::try_from(basis_points).unwrap_or(i32::MAX)),
            Self::Deduction { value } | Self::Addition { value } => (value.minor(), 0),
        };
        (self.mode().as_str(), value_minor, value_basis_points)
    }

    /// The benefit in those columns.
    pub fn from_columns(mode: Mode, value_minor: i64, value_basis_points: i32) -> Option<Self> {
        let value = Money::from_minor(value_minor);
        Some(match mode {
            Mode::Discount => Self::Discount {
                basis_points: u32::try_from(value_basis_points).ok()?,
            },
            Mode::Deduction => Self::Deduction { value },
            Mode::Addition => Self::Addition { value },
        })
    }
}

fn positive(value: Money) -> Result<Money, Refusal> {
    if value > Money::ZERO && value <= LARGEST_VALUE {
        Ok(value)
    } else {
        Err(Refusal::invalid("value"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(benefit: Benefit, amount: i64) -> i64 {
        benefit.worth(Money::from_minor(amount)).unwrap().minor()
    }

    #[test]
    fn a_discount_rounds_down_to_cents() {
        let third = Benefit::discount(3_333).unwrap();
        assert_eq!(worth(third, 10_001), 3_333);
        assert_eq!(worth(third, 3), 0);
        assert_eq!(worth(Benefit::discount(10_000).unwrap(), 12_345), 12_345);
        assert_eq!(
            worth(Benefit::discount(10_000).unwrap(), i64::MAX),
            i64::MAX
        );
    }

    #[test]
    fn a_deduction_is_worth_at_most_the_amount_and_an_addition_always_the_same() {
        let value = Money::from_minor(5_000);
        assert_eq!(worth(Benefit::deduction(value).unwrap(), 4_999), 4_999);
        assert_eq!(worth(Benefit::deduction(value).unwrap(), 90_000), 5_000);
        assert_eq!(worth(Benefit::addition(value).unwrap(), 1), 5_000);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        assert_eq!(Benefit::discount(0), Err(Refusal::invalid("value")));
        assert_eq!(Benefit::discount(10_001), Err(Refusal::invalid("value")));
        assert_eq!(
            Benefit::deduction(Money::ZERO),
            Err(Refusal::invalid("value"))
        );
        assert_eq!(
            Benefit::addition(Money::from_minor(-1)),
            Err(Refusal::invalid("value"))
        );
        assert_eq!(
            Benefit::addition(Money::from_minor(i64::MAX)),
            Err(Refusal::invalid("value"))
        );
        assert!(Benefit::addition(LARGEST_ADDITION).is_ok());
        let above = Money::from_minor(LARGEST_ADDITION.minor() + 1);
        assert_eq!(Benefit::addition(above), Err(Refusal::invalid("value")));
        assert!(Benefit::deduction(above).is_ok());
    }
}
