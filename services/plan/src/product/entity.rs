//! Rules of products.

use adfolio_kit::error::CoreError;
use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::{Micros, Money};
use chrono::{DateTime, Utc};

use crate::ids::{PlacementId, ProductId};

/// The highest amount that a product may ask for. It leaves room for sums in millionths of a unit.
const HIGHEST_AMOUNT: Money = Money::from_minor(10_000_000_000_000);

/// The highest return that a product may have as its limit: a hundred times the spend.
const HIGHEST_RETURN_PERCENT: i64 = 10_000;

/// The highest revenue of a thousand impressions that a product may have as its limit.
const HIGHEST_PER_THOUSAND: Money = Money::from_minor(10_000_000);

/// The oldest age that an audience may name.
const OLDEST_AGE: u32 = 120;

/// The most regions that an audience may name.
const MOST_REGIONS: usize = 100;

names! {
    /// The gender that an advertisement is shown to.
    Gender {
        /// Everyone.
        Any,
        /// Women.
        Female,
        /// Men.
        Male,
    }
}

/// Whom an advertisement is shown to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audience {
    /// Regions; empty means everywhere.
    pub regions: Vec<String>,
    /// Youngest age.
    pub age_min: u32,
    /// Oldest age.
    pub age_max: u32,
    /// Gender.
    pub gender: Gender,
}

/// Everybody, unless staff say otherwise.
impl Default for Audience {
    fn default() -> Self {
        Self {
            regions: Vec::new(),
            age_min: 18,
            age_max: 65,
            gender: Gender::Any,
        }
    }
}

impl Audience {
    /// Checks ages and regions.
    pub fn check(&self, field: &str) -> Result<(), Refusal> {
        let regions = self.regions.len() <= MOST_REGIONS
            && self
                .regions
                .iter()
                .all(|region| (1..=100).contains(&region.chars().count()));
        let ages = self.age_min <= self.age_max && self.age_max <= OLDEST_AGE;
        if regions && ages {
            Ok(())
        } else {
            Err(Refusal::invalid(field))
        }
    }

    /// From the columns that every table with an audience has.
    pub fn from_columns(
        regions: Vec<String>,
        age_min: i32,
        age_max: i32,
        gender: Gender,
    ) -> Result<Self, CoreError> {
        Ok(Self {
            regions,
            age_min: u32::try_from(age_min).map_err(|_| CoreError::Corrupt("age_min"))?,
            age_max: u32::try_from(age_max).map_err(|_| CoreError::Corrupt("age_max"))?,
            gender,
        })
    }

    /// The ages as the database keeps them.
    pub fn age_columns(&self) -> (i32, i32) {
        (
            i32::try_from(self.age_min).unwrap_or(i32::MAX),
            i32::try_from(self.age_max).unwrap_or(i32::MAX),
        )
    }
}

names! {
    /// Content that a product can be advertised with.
    ContentType {
        /// Video.
        Video,
        /// Landing page.
        LandingPage,
    }
}

/// How much revenue reports of a product's plans may bring before a second member of staff looks at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RevenueLimits {
    /// Highest revenue, in percent of spend and of the budget.
    pub return_max_percent: i64,
    /// Highest revenue of a thousand impressions.
    pub per_thousand_max: Money,
}

/// Ten times the spend, and 1,000.00 for a thousand impressions.
impl Default for RevenueLimits {
    fn default() -> Self {
        Self {
            return_max_percent: 1_000,
            per_thousand_max: Money::from_minor(100_000),
        }
    }
}

impl RevenueLimits {
    /// Refuses limits that limit nothing.
    fn check(self) -> Result<(), Refusal> {
        if !(0..=HIGHEST_RETURN_PERCENT).contains(&self.return_max_percent) {
            return Err(Refusal::invalid("return_max_percent"));
        }
        if self.per_thousand_max.is_negative() || self.per_thousand_max > HIGHEST_PER_THOUSAND {
            return Err(Refusal::invalid("revenue_per_thousand_max"));
        }
        Ok(())
    }

    /// Whether the revenue of a plan with this budget is above its limit.
    pub fn is_exceeded_by(self, revenue: Micros, budget: Micros) -> bool {
        let most = i128::from(budget.get()).saturating_mul(self.return_max_percent.into());
        i128::from(revenue.get()).saturating_mul(100) > most
    }
}

names! {
    /// What placing a product's plans aims at.
    Goal {
        /// Most clicks for the money.
        Clicks,
        /// Most revenue for the money.
        Revenue,
    }
}

/// What an advertisement shows. Empty texts stand for the product's name and pictures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Creative {
    /// Headline.
    pub title: String,
    /// Address of the picture.
    pub picture_url: String,
    /// Address that a click leads to.
    pub destination_url: String,
}

/// How a product's plans are placed and what their reports may bring. Users do not see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How much revenue needs no second look.
    pub limits: RevenueLimits,
    /// What placing them aims at.
    pub goal: Goal,
    /// Placements that they may use; empty for all.
    pub placements: Vec<PlacementId>,
    /// What their advertisement shows.
    pub creative: Creative,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            limits: RevenueLimits::default(),
            goal: Goal::Clicks,
            placements: Vec::new(),
            creative: Creative::default(),
        }
    }
}

impl Terms {
    fn check(&self) -> Result<(), Refusal> {
        let is_address = |text: &str| {
            text.is_empty()
                || text.starts_with('/')
                || text.starts_with("https://")
                || text.starts_with("http://")
        };
        for (field, address) in [
            ("creative.picture", &self.creative.picture_url),
            ("creative.destination", &self.creative.destination_url),
        ] {
            if !is_address(address) {
                return Err(Refusal::invalid(field));
            }
        }
        self.limits.check()
    }
}

/// What staff enter for a product.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// Name shown.
    pub name: String,
    /// Square icon; empty without one.
    pub icon_url: String,
    /// Wide picture; empty without one.
    pub cover_url: String,
    /// Category shown.
    pub category: String,
    /// What it is.
    pub description: String,
    /// Game description.
    pub game_description: String,
    /// Content it can be advertised with.
    pub content_types: Vec<ContentType>,
    /// Lowest put amount.
    pub put_min: Money,
    /// Highest put amount.
    pub put_max: Money,
    /// Whom its advertisements are shown to.
    pub audience: Audience,
    /// How its plans are placed.
    pub terms: Terms,
}

impl Details {
    /// What the audit log keeps of a product.
    pub fn summary(&self) -> serde_json::Value {
        serde_json::json!({
            "name": self.name,
            "category": self.category,
            "put_min": self.put_min.to_string(),
            "put_max": self.put_max.to_string(),
            "return_max_percent": self.terms.limits.return_max_percent,
            "revenue_per_thousand_max": self.terms.limits.per_thousand_max.to_string(),
            "goal": self.terms.goal.as_str(),
            "placements": self.terms.placements.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "creative": {
                "title": self.terms.creative.title,
                "picture": self.terms.creative.picture_url,
                "destination": self.terms.creative.destination_url,
            },
        })
    }

    /// Checks what staff entered.
    pub fn check(&self) -> Result<(), Refusal> {
        let limits = [
            ("icon_url", &self.icon_url, 2000),
            ("cover_url", &self.cover_url, 2000),
            ("category", &self.category, 100),
            ("description", &self.description, 10_000),
            ("game_description", &self.game_description, 10_000),
        ];
        if let Some((field, ..)) = limits
            .iter()
            .find(|(_, text, longest)| text.chars().count() > *longest)
        {
            return Err(Refusal::invalid(*field));
        }
        if self.put_min < Money::from_minor(1) {
            return Err(Refusal::invalid("put_min"));
        }
        if self.put_max < self.put_min || self.put_max > HIGHEST_AMOUNT {
            return Err(Refusal::invalid("put_max"));
        }
        self.terms.check()?;
        self.audience.check("audience")
    }
}

/// What can be advertised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// Its id.
    pub id: ProductId,
    /// What staff entered.
    pub details: Details,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

impl Product {
    /// Refuses an amount outside the product's range.
    pub fn check_amount(&self, amount: Money) -> Result<(), Refusal> {
        if (self.details.put_min..=self.details.put_max).contains(&amount) {
            Ok(())
        } else {
            Err(Refusal::new(Reason::AmountOutOfRange).field("amount"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product() -> Product {
        let details = Details {
            name: "Runner".into(),
            icon_url: String::new(),
            cover_url: String::new(),
            category: "Games".into(),
            description: String::new(),
            game_description: String::new(),
            content_types: vec![ContentType::Video],
            put_min: Money::from_minor(1_000),
            put_max: Money::from_minor(5_000),
            audience: Audience::default(),
            terms: Terms::default(),
        };
        Product {
            id: ProductId(uuid::Uuid::nil()),
            details,
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn both_ends_of_the_range_can_be_put() {
        for (minor, fits) in [
            (999, false),
            (1_000, true),
            (5_000, true),
            (5_001, false),
            (0, false),
            (-1, false),
        ] {
            assert_eq!(
                product().check_amount(Money::from_minor(minor)).is_ok(),
                fits,
                "{minor}"
            );
        }
    }

    #[test]
    fn a_range_must_be_a_range() {
        let mut details = product().details;
        details.put_max = Money::from_minor(999);
        assert_eq!(details.check(), Err(Refusal::invalid("put_max")));
        details.put_min = Money::ZERO;
        assert_eq!(details.check(), Err(Refusal::invalid("put_min")));
    }
}
