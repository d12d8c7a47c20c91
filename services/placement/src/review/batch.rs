//! The rows of a batch with their names looked up once, and grouped by subject.

use std::collections::HashMap;
use std::hash::Hash;

use super::findings::{Findings, Subject};
use super::history::{History, Tally, hash_of};
use super::input::{Context, Earlier, Placement, Plan, Row, Windows};
use super::rule::Rule;

/// A name of the batch, and what the caller knows of it.
pub(super) struct Known<'b, 'a, T> {
    pub(super) name: &'a str,
    pub(super) hash: u64,
    pub(super) facts: Option<&'b T>,
}

/// Where the facts of a row are.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) plan: usize,
    /// The placement, and the pair of plan and placement.
    pub(super) placement: Option<(usize, usize)>,
}

/// A subject's rows.
pub(super) struct Group<'b, 'a> {
    pub(super) subject: Subject<'a>,
    pub(super) history: Option<&'b History>,
    /// The rows that stand, in the order of the batch.
    pub(super) rows: Vec<usize>,
    pub(super) tally: Tally,
}

/// A batch.
pub(super) struct Batch<'b, 'a> {
    pub(super) rows: &'b [Row<'a>],
    pub(super) plans: Vec<Known<'b, 'a, Plan>>,
    pub(super) placements: Vec<Known<'b, 'a, Placement>>,
    pub(super) allotments: Vec<Option<&'b Windows>>,
    pub(super) earlier: Vec<Option<&'b Earlier>>,
    /// Per row.
    pub(super) places: Vec<Place>,
    /// Per row, the row of the same report that stands; none if a known revision does.
    pub(super) standing: Vec<Option<usize>>,
    pub(super) has_restated_rows: bool,
    /// Placements, plans, and the source, each with rows that stand.
    pub(super) groups: Vec<Group<'b, 'a>>,
}

impl<'b, 'a> Batch<'b, 'a> {
    pub(super) fn new(rows: &'b [Row<'a>], context: &'b Context<'a>) -> Self {
        let mut batch = Self {
            rows,
            plans: Vec::new(),
            placements: Vec::new(),
            allotments: Vec::new(),
            earlier: Vec::with_capacity(rows.len()),
            places: Vec::with_capacity(rows.len()),
            standing: Vec::with_capacity(rows.len()),
            has_restated_rows: false,
            groups: Vec::new(),
        };
        batch.look_up(context);
        batch.find_standing();
        batch
    }

    fn look_up(&mut self, context: &'b Context<'a>) {
        let mut plans = HashMap::new();
        let mut placements = HashMap::new();
        let mut pairs = HashMap::new();
        for row in self.rows {
            let plan = index_of(&mut plans, &mut self.plans, row.plan, || Known {
                name: row.plan,
                hash: hash_of(row.plan),
                facts: context.plans.get(row.plan),
            });
            let placement = row.placement.map(|name| {
                let new = || Known {
                    name,
                    hash: hash_of(name),
                    facts: context.placements.get(name),
                };
                let placement = index_of(&mut placements, &mut self.placements, name, new);
                let windows = || context.allotments.get(&(row.plan, name));
                let pair = (plan, placement);
                let pair = index_of(&mut pairs, &mut self.allotments, pair, windows);
                (placement, pair)
            });
            self.places.push(Place { plan, placement });
            let earlier = (!context.earlier.is_empty())
                .then(|| context.earlier.get(row.report_id))
                .flatten();
            self.earlier.push(earlier);
        }
    }

    /// Of the rows of one report, the first with the highest revision stands.
    fn find_standing(&mut self) {
        let mut last: HashMap<&str, usize> = HashMap::with_capacity(self.rows.len());
        let revision = |row: usize| self.rows.get(row).map_or(i64::MIN, |row| row.revision);
        for (index, row) in self.rows.iter().enumerate() {
            let standing = last.entry(row.report_id).or_insert(index);
            if row.revision > revision(*standing) {
                *standing = index;
            }
        }
        self.has_restated_rows = last.len() < self.rows.len();
        for (index, (row, earlier)) in self.rows.iter().zip(&self.earlier).enumerate() {
            let standing = if self.has_restated_rows {
                last.get(row.report_id).copied().unwrap_or(index)
            } else {
                index
            };
            let is_known = earlier.is_some_and(|earlier| earlier.revision >= revision(standing));
            self.standing.push((!is_known).then_some(standing));
        }
    }

    /// Groups the rows that stand by subject. Rows whose counts or whose placement cannot be say
    /// nothing about the subject.
    pub(super) fn group(&mut self, context: &'b Context<'a>, findings: &Findings) {
        let mut of_placement = vec![Vec::new(); self.placements.len()];
        let mut of_plan = vec![Vec::new(); self.plans.len()];
        let mut of_source = Vec::new();
        for (index, place) in self.places.iter().enumerate() {
            let is_standing = self.standing.get(index) == Some(&Some(index));
            if !is_standing
                || findings.has(index, Rule::ClicksAboveImpressions)
                || findings.has(index, Rule::ForeignPlacement)
            {
                continue;
            }
            let rows = if let Some((placement, _)) = place.placement {
                of_placement.get_mut(placement)
            } else {
                of_plan.get_mut(place.plan)
            };
            of_source.push(index);
            if let Some(rows) = rows {
                rows.push(index);
            }
        }
        let placements = self.placements.iter().zip(of_placement);
        let mut groups: Vec<(Subject<'a>, Option<&'b History>, Vec<usize>)> = placements
            .map(|(known, rows)| {
                let history = known.facts.map(|facts| &facts.history);
                (Subject::Placement(known.name), history, rows)
            })
            .collect();
        groups.extend(self.plans.iter().zip(of_plan).map(|(known, rows)| {
            let history = known.facts.map(|facts| &facts.history);
            (Subject::Plan(known.name), history, rows)
        }));
        groups.push((Subject::Source, Some(&context.source), of_source));
        for (subject, history, rows) in groups {
            if !rows.is_empty() {
                let tally = self.tally(&rows);
                self.groups.push(Group {
                    subject,
                    history,
                    rows,
                    tally,
                });
            }
        }
    }

    fn tally(&self, rows: &[usize]) -> Tally {
        let rows = rows.iter().filter_map(|row| self.rows.get(*row));
        rows.fold(Tally::default(), |sum, row| sum.plus(row.tally()))
    }

    /// Whether a group is but the sum of placements: their own rules find all that its would.
    pub(super) fn is_sum_of_placements(&self, group: &Group<'b, 'a>) -> bool {
        group.subject == Subject::Source && !self.placements.is_empty()
    }

    /// The rows of a group, with their indices.
    pub(super) fn rows_of(&self, group: &Group<'b, 'a>) -> impl Iterator<Item = (usize, &Row<'a>)> {
        let rows = group.rows.iter();
        rows.filter_map(|index| Some((*index, self.rows.get(*index)?)))
    }

    /// Hashes of a row's plan and placement.
    pub(super) fn hashes(&self, row: usize) -> Option<(u64, Option<u64>)> {
        let place = self.places.get(row)?;
        let plan = self.plans.get(place.plan)?.hash;
        let placement = place
            .placement
            .and_then(|(placement, _)| self.placements.get(placement))
            .map(|known| known.hash);
        Some((plan, placement))
    }
}

impl Row<'_> {
    pub(super) fn tally(&self) -> Tally {
        Tally {
            impressions: self.impressions,
            clicks: self.clicks,
        }
    }
}

/// The index of a key's item, which is made when the key is new.
fn index_of<K: Eq + Hash, T>(
    known: &mut HashMap<K, usize>,
    items: &mut Vec<T>,
    key: K,
    new: impl FnOnce() -> T,
) -> usize {
    *known.entry(key).or_insert_with(|| {
        items.push(new());
        items.len().saturating_sub(1)
    })
}
