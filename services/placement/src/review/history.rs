//! What a subject reported before: the part of a pattern that earlier imports brought.

use std::hash::Hasher;

use adfolio_money::Micros;
use chrono::{DateTime, NaiveDate, Timelike, Utc};

use super::input::Row;
use super::rule::{COPIED_IMPRESSIONS, ROUND_IMPRESSIONS};

/// Impressions and clicks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Impressions.
    pub impressions: i64,
    /// Clicks.
    pub clicks: i64,
}

impl Tally {
    /// The sum, held at the ends of its range: a tally is compared, not posted.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            impressions: self.impressions.saturating_add(other.impressions),
            clicks: self.clicks.saturating_add(other.clicks),
        }
    }

    /// Clicks per impression; 0 without impressions.
    pub fn click_rate(self) -> f64 {
        if self.impressions > 0 {
            self.clicks as f64 / self.impressions as f64
        } else {
            0.0
        }
    }
}

/// What a subject reported and posted, without the reports that the batch restates.
///
/// Rows in quarantine are no part of it. Rows that staff released are: so a placement whose rate is
/// honestly high is accepted after its first release.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// What was posted before `recent`: some weeks, so that a rate cannot creep up within it.
    pub baseline: Tally,
    /// What was posted lately, about a day: judged together with the batch.
    pub recent: Tally,
    /// Roundness of the rows of some weeks.
    pub roundness: Roundness,
    /// The rows of some weeks, by day.
    pub rhythm: Rhythm,
}

/// How many rows are round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roundness {
    /// Rows of at least 100 impressions.
    pub rows: i64,
    /// Those of them whose impressions are a multiple of 10.
    pub tens: i64,
    /// Those of them whose impressions are a multiple of 100.
    pub hundreds: i64,
}

impl Roundness {
    /// Counts a row.
    pub fn count(&mut self, impressions: i64) {
        if impressions >= ROUND_IMPRESSIONS {
            self.rows = self.rows.saturating_add(1);
            self.tens = self.tens.saturating_add(i64::from(impressions % 10 == 0));
            self.hundreds = self
                .hundreds
                .saturating_add(i64::from(impressions % 100 == 0));
        }
    }
}

/// What of a row is compared between days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// The day.
    pub date: NaiveDate,
    /// The second of the day.
    pub second: u32,
    /// A hash of impressions, clicks and spend; the same in every process.
    pub content: u64,
    /// A hash of the plan.
    pub plan: u64,
}

impl Shape {
    /// The shape of a row; none for rows of so few impressions that many rows are alike.
    pub fn of(row: &Row<'_>) -> Option<Self> {
        Self::new(
            row.plan,
            row.time,
            Tally {
                impressions: row.impressions,
                clicks: row.clicks,
            },
            row.spend,
        )
    }

    /// The shape of a stored row.
    pub fn new(plan: &str, time: DateTime<Utc>, tally: Tally, spend: Micros) -> Option<Self> {
        Self::with_plan(hash_of(plan), time, tally, spend)
    }

    pub(super) fn with_plan(
        plan: u64,
        time: DateTime<Utc>,
        tally: Tally,
        spend: Micros,
    ) -> Option<Self> {
        (tally.impressions >= COPIED_IMPRESSIONS).then(|| Self {
            date: time.date_naive(),
            second: time.num_seconds_from_midnight(),
            content: mix([tally.impressions, tally.clicks, spend.get()].map(i64::cast_unsigned)),
            plan,
        })
    }

    /// What two copies have in common, whatever their plan.
    pub(super) fn key(&self) -> u64 {
        mix([u64::from(self.second), self.content, 0])
    }
}

/// The rows of earlier days, and those of the batch's days that are posted, in the order of what
/// copies have in common.
#[derive(Clone, Debug, Default)]
pub struct Rhythm {
    shapes: Vec<(u64, Shape)>,
    rows_per_slot: f64,
    rows_per_plan_slot: f64,
}

impl Rhythm {
    /// Takes shapes in any order.
    pub fn new(shapes: impl IntoIterator<Item = Shape>) -> Self {
        let mut shapes: Vec<Shape> = shapes.into_iter().collect();
        let by_plan = |shape: &Shape| (shape.date, shape.second, shape.plan);
        shapes.sort_unstable_by_key(by_plan);
        let slots = shapes.chunk_by(|a, b| (a.date, a.second) == (b.date, b.second));
        let rows_per_slot = per(shapes.len(), slots.count());
        let slots = shapes.chunk_by(|a, b| by_plan(a) == by_plan(b));
        let rows_per_plan_slot = per(shapes.len(), slots.count());
        let mut shapes: Vec<(u64, Shape)> = shapes
            .into_iter()
            .map(|shape| (shape.key(), shape))
            .collect();
        shapes.sort_unstable();
        Self {
            shapes,
            rows_per_slot,
            rows_per_plan_slot,
        }
    }

    /// The rows that have a key.
    pub(super) fn with_key(&self, key: u64) -> impl Iterator<Item = &Shape> {
        let first = self.shapes.partition_point(|(known, _)| *known < key);
        let rest = self.shapes.iter().skip(first);
        rest.take_while(move |(known, _)| *known == key)
            .map(|(_, shape)| shape)
    }

    /// All rows with their keys.
    pub(super) fn all(&self) -> impl Iterator<Item = &(u64, Shape)> {
        self.shapes.iter()
    }

    /// Mean number of rows with the same day and time, of one plan or of all.
    pub(super) fn rows_per_slot(&self, of_one_plan: bool) -> f64 {
        if of_one_plan {
            self.rows_per_plan_slot
        } else {
            self.rows_per_slot
        }
    }
}

/// Rows per slot.
pub(super) fn per(rows: usize, slots: usize) -> f64 {
    rows as f64 / slots.max(1) as f64
}

/// A hash that is the same in every process, so that callers may store it.
pub(super) fn hash_of(text: &str) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.write(text.as_bytes());
    hash.finish()
}

/// One number of several, spread over its whole range.
pub(super) fn mix<const N: usize>(parts: [u64; N]) -> u64 {
    parts
        .into_iter()
        .fold(0x9e37_79b9_7f4a_7c15, |state, part| {
            // The finaliser of SplitMix64.
            let mut mixed = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        })
}

/// FNV-1a.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
