//! What a review answers.

use std::sync::Arc;

use super::batch::{Batch, Group};
use super::history::{Roundness, Tally};
use super::input::Row;
use super::rule::Rule;

/// A row to quarantine, and why. A row may have several.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The row.
    pub line: u64,
    /// The rule that it broke.
    pub rule: Rule,
    /// What was measured, as the rule's `measure` says.
    pub value: f64,
    /// What it was compared with.
    pub limit: f64,
    /// The figures behind it, in English; the rows of one pattern share it.
    pub detail: Arc<str>,
}

/// What a review found.
#[derive(Clone, Debug, Default)]
pub struct Review<'a> {
    /// In the order of the rows, then of the rules.
    pub findings: Vec<Finding>,
    /// The figures of every subject with rows in the batch, whether something was found or not.
    pub subjects: Vec<Statistics<'a>>,
}

/// Whose rows form a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject<'a> {
    /// A placement, over all plans.
    Placement(&'a str),
    /// The source's rows of one plan that name no placement.
    Plan(&'a str),
    /// All of the source's rows: finds what is spread thinly over placements or plans.
    Source,
}

/// Figures of a subject, for staff.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics<'a> {
    /// Whose.
    pub subject: Subject<'a>,
    /// Its rows in the batch that stand.
    pub rows: usize,
    /// Their impressions and clicks.
    pub batch: Tally,
    /// Those posted lately.
    pub recent: Tally,
    /// The click rate that its history and its peers let expect, if it was judged.
    pub expected_click_rate: Option<f64>,
    /// Probability of so many clicks or more, if it was judged.
    pub click_probability: Option<f64>,
    /// Most clicks within 60 seconds, if there were enough clicks to look.
    pub busiest_minute_clicks: Option<i64>,
    /// Round rows of the batch and the history.
    pub roundness: Roundness,
    /// Most rows that one of its days has in common with another, if there were enough rows.
    pub copied_rows: Option<usize>,
    /// Rows that have an equal row under another id.
    pub repeated_rows: usize,
}

impl<'a> Statistics<'a> {
    pub(super) fn of(group: &Group<'_, 'a>) -> Self {
        Self {
            subject: group.subject,
            rows: group.rows.len(),
            batch: group.tally,
            recent: group
                .history
                .map(|history| history.recent)
                .unwrap_or_default(),
            expected_click_rate: None,
            click_probability: None,
            busiest_minute_clicks: None,
            roundness: Roundness::default(),
            copied_rows: None,
            repeated_rows: 0,
        }
    }
}

/// Collects findings, one per row and rule at most.
pub(super) struct Findings {
    found: Vec<(usize, Rule, f64, f64, Arc<str>)>,
    /// The bits of each row's rules.
    fired: Vec<u32>,
}

impl Findings {
    pub(super) fn new(rows: usize) -> Self {
        Self {
            found: Vec::new(),
            fired: vec![0; rows],
        }
    }

    pub(super) fn add(
        &mut self,
        row: usize,
        rule: Rule,
        (value, limit): (f64, f64),
        detail: &Arc<str>,
    ) {
        let Some(fired) = self.fired.get_mut(row) else {
            return;
        };
        if *fired & rule.bit() == 0 {
            *fired |= rule.bit();
            self.found
                .push((row, rule, value, limit, Arc::clone(detail)));
        }
    }

    pub(super) fn has(&self, row: usize, rule: Rule) -> bool {
        self.fired
            .get(row)
            .is_some_and(|fired| fired & rule.bit() != 0)
    }

    /// Holds the rows that a held row of the same batch restates: else the report would post
    /// after all.
    pub(super) fn share_with_restated(&mut self, batch: &Batch<'_, '_>) {
        if !batch.has_restated_rows || self.found.is_empty() {
            return;
        }
        let mut by_row: Vec<Vec<usize>> = vec![Vec::new(); self.fired.len()];
        for (index, (row, ..)) in self.found.iter().enumerate() {
            if let Some(of_row) = by_row.get_mut(*row) {
                of_row.push(index);
            }
        }
        for (row, standing) in batch.standing.iter().enumerate() {
            let Some(standing) = standing.filter(|standing| *standing != row) else {
                continue;
            };
            for index in by_row.get(standing).into_iter().flatten() {
                let Some((_, rule, value, limit, detail)) = self.found.get(*index).cloned() else {
                    continue;
                };
                self.add(row, rule, (value, limit), &detail);
            }
        }
    }

    pub(super) fn finish(mut self, rows: &[Row<'_>]) -> Vec<Finding> {
        self.found.sort_by_key(|(row, rule, ..)| (*row, *rule));
        let finding = |(row, rule, value, limit, detail): (usize, Rule, f64, f64, Arc<str>)| {
            let line = rows.get(row)?.line;
            Some(Finding {
                line,
                rule,
                value,
                limit,
                detail,
            })
        };
        self.found.into_iter().filter_map(finding).collect()
    }
}
