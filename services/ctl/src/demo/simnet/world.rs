//! The visitors of the simulated network: when they come, and how often they click.
#![allow(clippy::float_arithmetic, reason = "people and chances, no money")]

use anyhow::ensure;
use chrono::{DateTime, Utc};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand_distr::{Binomial, Distribution as _, Poisson};
use sha2::{Digest as _, Sha256};

use crate::placement::logs::Priors;

/// Microseconds of an hour.
const HOUR: i64 = 3_600 * 1_000_000;

/// Microseconds of a week.
const WEEK: i64 = 7 * 24 * HOUR;

/// Visitors who come as in a log, and click as a shop's visitors did.
#[derive(Debug)]
pub struct World {
    seed: u64,
    /// Visitors of a placement for each impression of the log.
    volume: f64,
    /// Times of the log's impressions within the week, in microseconds, ascending.
    times: Vec<i64>,
    /// Clicks per impression, by item.
    rates: Vec<f64>,
}

/// A placement for a while.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot {
    /// The placement's name.
    pub placement: String,
    /// Its beginning.
    pub from: DateTime<Utc>,
    /// Its end.
    pub to: DateTime<Utc>,
}

/// What an allotment pays for.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    /// So many impressions.
    Impressions(u64),
    /// So many clicks.
    Clicks(u64),
}

/// What was shown of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Impressions.
    pub impressions: u64,
    /// Clicks, at most as many.
    pub clicks: u64,
}

impl World {
    /// Visitors as in a log with these times, `volume` times as many, who click at the means of these rates.
    pub fn new(
        seed: u64,
        volume: u32,
        times: &[DateTime<Utc>],
        priors: &Priors,
    ) -> anyhow::Result<Self> {
        ensure!(!times.is_empty(), "the log of the traffic has no rows");
        let pairs = priors.alpha.iter().zip(&priors.beta);
        let rates: Vec<f64> = pairs.map(|(alpha, beta)| alpha / (alpha + beta)).collect();
        ensure!(
            !rates.is_empty() && rates.iter().all(|rate| *rate > 0.0 && *rate < 1.0),
            "the click rates are not between 0 and 1"
        );
        let mut times: Vec<i64> = times
            .iter()
            .map(|time| place_in_week(time.timestamp_micros()))
            .collect();
        times.sort_unstable();
        Ok(Self {
            seed,
            volume: volume.into(),
            times,
            rates,
        })
    }

    /// What a placement shows in a while to those who come then. Too few visitors are shared out in proportion. The same
    /// seed, slot and wishes show the same.
    pub fn show(&self, slot: &Slot, wanted: &[Wanted]) -> Vec<Shown> {
        let mut random = self.random(slot);
        let rate = self.rate(&slot.placement);
        let wishes: Vec<u64> = wanted
            .iter()
            .map(|wanted| impressions_for(*wanted, rate))
            .collect();
        let visitors = self.visitors(slot, &mut random);
        let all: u128 = wishes.iter().copied().map(u128::from).sum();
        let mut shown = Vec::new();
        for (wanted, wish) in wanted.iter().zip(wishes) {
            let impressions = part(wish, visitors, all);
            let clicks =
                Binomial::new(impressions, rate).map_or(0, |drawn| drawn.sample(&mut random));
            shown.push(match *wanted {
                // The last paid click ends it.
                Wanted::Clicks(paid) if clicks > paid => Shown {
                    impressions: part(impressions, paid, clicks.into()).max(paid),
                    clicks: paid,
                },
                _ => Shown {
                    impressions,
                    clicks,
                },
            });
        }
        shown
    }

    fn random(&self, slot: &Slot) -> StdRng {
        let mut digest = Sha256::new();
        digest.update(self.seed.to_be_bytes());
        digest.update(slot.from.timestamp_micros().to_be_bytes());
        digest.update(&slot.placement);
        StdRng::from_seed(digest.finalize().into())
    }

    /// Clicks per impression of a placement: of the item whose number ends its name, or of the first one.
    fn rate(&self, placement: &str) -> f64 {
        let digits = placement
            .trim_end_matches(|letter: char| letter.is_ascii_digit())
            .len();
        let number = placement.get(digits..).and_then(|it| it.parse().ok());
        let items = self.rates.len();
        let item = number
            .unwrap_or(0_usize)
            .checked_rem(items)
            .unwrap_or_default();
        self.rates.get(item).copied().unwrap_or_default()
    }

    /// As many as came in the hour around the slot, for as long as it lasts.
    fn visitors(&self, slot: &Slot, random: &mut StdRng) -> u64 {
        let length = slot.to.timestamp_micros() - slot.from.timestamp_micros();
        let middle = slot.from.timestamp_micros() + length / 2;
        let begin = place_in_week(middle - HOUR / 2);
        let end = begin + HOUR;
        let before = |time: i64| self.times.partition_point(|it| *it < time);
        let mut rows = before(end).saturating_sub(before(begin));
        if end > WEEK {
            // The rest of it lies in the next week.
            rows = rows.saturating_add(before(end - WEEK));
        }
        #[allow(clippy::cast_precision_loss, reason = "a log has far fewer rows")]
        let expected = rows as f64 * self.volume * length as f64 / HOUR as f64;
        let drawn = Poisson::new(expected).map_or(0.0, |drawn| drawn.sample(random));
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number of people"
        )]
        let visitors = drawn as u64;
        visitors
    }
}

/// Impressions that bring what is wanted.
fn impressions_for(wanted: Wanted, rate: f64) -> u64 {
    match wanted {
        Wanted::Impressions(impressions) => impressions,
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a forecast"
        )]
        Wanted::Clicks(clicks) => (clicks as f64 / rate).ceil() as u64,
    }
}

/// The part of `number` that `some` are of `all`, if they are fewer.
fn part(number: u64, some: u64, all: u128) -> u64 {
    let product = u128::from(number).saturating_mul(some.into());
    let part = product.checked_div(all).unwrap_or_default();
    u64::try_from(part).unwrap_or(number).min(number)
}

/// Microseconds since Monday, in UTC, of microseconds since 1970.
fn place_in_week(micros: i64) -> i64 {
    const FIRST_MONDAY: i64 = 4 * 24 * HOUR;
    (micros - FIRST_MONDAY).rem_euclid(WEEK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    /// A visitor every ten seconds of 2019-11-25, a Monday, and two items.
    fn world(seed: u64) -> World {
        let monday: DateTime<Utc> = "2019-11-25T00:00:00Z".parse().unwrap();
        let times: Vec<_> = (0..8_640)
            .map(|row| monday + TimeDelta::seconds(10 * row))
            .collect();
        let priors = Priors {
            alpha: vec![1.0, 3.0],
            beta: vec![99.0, 97.0],
        };
        World::new(seed, 100, &times, &priors).unwrap()
    }

    fn slot(placement: &str, from: &str) -> Slot {
        let from: DateTime<Utc> = from.parse().unwrap();
        Slot {
            placement: placement.to_owned(),
            from,
            to: from + TimeDelta::minutes(5),
        }
    }

    /// Five minutes of a Monday bring 3,000 visitors.
    const MONDAY: &str = "2026-11-30T12:00:00Z";

    #[test]
    fn the_same_seed_and_slot_show_the_same() {
        let wanted = [Wanted::Impressions(2_000), Wanted::Clicks(9)];
        let slot = slot("Feed 1", MONDAY);
        let shown = world(1).show(&slot, &wanted);
        assert_eq!(shown, world(1).show(&slot, &wanted));
        assert_ne!(shown, world(2).show(&slot, &wanted));
    }

    #[test]
    fn no_more_is_shown_than_wanted() {
        let wanted = [Wanted::Impressions(100), Wanted::Clicks(3)];
        let shown = world(1).show(&slot("Feed 1", MONDAY), &wanted);
        assert_eq!(shown[0].impressions, 100);
        assert!(
            shown[1].clicks <= 3 && shown[1].impressions >= shown[1].clicks,
            "{shown:?}"
        );
    }

    #[test]
    fn few_visitors_are_shared_in_proportion() {
        let wanted = [Wanted::Impressions(90_000), Wanted::Impressions(30_000)];
        let shown = world(1).show(&slot("Feed 0", MONDAY), &wanted);
        let all: u64 = shown.iter().map(|it| it.impressions).sum();
        assert!((2_700..3_300).contains(&all), "{shown:?}");
        assert!(shown[0].impressions.abs_diff(3 * shown[1].impressions) <= 3);
    }

    #[test]
    fn visitors_come_when_those_of_the_log_came() {
        let wanted = [Wanted::Impressions(100)];
        let none = [Shown {
            impressions: 0,
            clicks: 0,
        }];
        let world = world(1);
        assert_eq!(
            world.show(&slot("Feed 0", "2026-12-01T12:00:00Z"), &wanted),
            none
        );
        // From a Sunday into a Monday.
        let turn = world.show(&slot("Feed 0", "2026-11-29T23:57:30Z"), &wanted);
        assert_eq!(turn[0].impressions, 100);
    }

    #[test]
    fn the_number_of_a_placement_is_that_of_its_item() {
        let world = world(1);
        for (name, rate) in [
            ("Feed 0", 0.01),
            ("Feed 1", 0.03),
            ("Feed 3", 0.03),
            ("Feed", 0.01),
        ] {
            assert!((world.rate(name) - rate).abs() < 1e-12, "{name}");
        }
        let wanted = [Wanted::Impressions(2_000)];
        let clicks: u64 = (0..100)
            .map(|minute| {
                let mut slot = slot("Feed 1", MONDAY);
                slot.from += TimeDelta::minutes(minute);
                slot.to += TimeDelta::minutes(minute);
                world.show(&slot, &wanted)[0].clicks
            })
            .sum();
        assert!((5_700..6_300).contains(&clicks), "{clicks}");
    }

    #[test]
    fn what_is_no_world_is_refused() {
        let priors = |alpha| Priors {
            alpha: vec![alpha],
            beta: vec![1.0],
        };
        assert!(World::new(1, 1, &[], &priors(1.0)).is_err());
        let times = [DateTime::UNIX_EPOCH];
        assert!(World::new(1, 1, &times, &priors(0.0)).is_err());
        assert!(World::new(1, 1, &times, &priors(f64::NAN)).is_err());
    }
}
