//! What plan would keep in its database, and hand to a review.

use std::collections::{HashMap, HashSet};

use adfolio_placement::review::{
    Context, Earlier, History, Peer, Review, Rhythm, Row, Shape, Tally, repeat_key, review,
};
use chrono::{TimeDelta, Utc};

use super::helpers::held_lines;

/// The rows that were posted.
#[derive(Default)]
pub struct Memory {
    posted: Vec<Row<'static>>,
}

impl Memory {
    /// Reviews a batch, and posts what is not held.
    pub fn import(&mut self, rows: &[Row<'static>], context: &Context<'static>) -> Review<'static> {
        let context = self.context(rows, context);
        let review = review(rows, &context);
        let held = held_lines(&review);
        let posted = rows
            .iter()
            .filter(|row| held.binary_search(&row.line).is_err());
        self.posted.extend(posted);
        review
    }

    /// A context with the history of what was posted.
    pub fn context(&self, rows: &[Row<'static>], context: &Context<'static>) -> Context<'static> {
        let mut context = context.clone();
        let ids: HashSet<&str> = rows.iter().map(|row| row.report_id).collect();
        let (restated, others): (Vec<&Row<'_>>, Vec<&Row<'_>>) = self
            .posted
            .iter()
            .partition(|row| ids.contains(row.report_id));
        for row in restated {
            context.earlier.insert(row.report_id, earlier(row));
        }
        let end = rows.iter().map(|row| row.time).max().unwrap_or_default();
        let mut by_placement: HashMap<&str, Vec<&Row<'static>>> = HashMap::new();
        let mut by_plan: HashMap<&str, Vec<&Row<'static>>> = HashMap::new();
        let mut of_source = Vec::new();
        for row in others {
            if let Some(placement) = row.placement {
                by_placement.entry(placement).or_default().push(row);
            } else {
                by_plan.entry(row.plan).or_default().push(row);
            }
            of_source.push(row);
            if let Some(key) = repeat_key(row) {
                *context.repeats.entry(key).or_default() += 1;
            }
        }
        for (name, rows) in by_placement {
            let history = history(&rows, end);
            let tally = history.baseline.plus(history.recent);
            context.peers.placements.push(Peer { name, tally });
            context.placements.entry(name).or_default().history = history;
        }
        for (name, rows) in by_plan {
            let history = history(&rows, end);
            let tally = history.baseline.plus(history.recent);
            context.peers.plans.push(Peer { name, tally });
            context.plans.entry(name).or_default().history = history;
        }
        context.source = history(&of_source, end);
        context
    }
}

fn earlier(row: &Row<'_>) -> Earlier {
    Earlier {
        revision: row.revision,
        impressions: row.impressions,
        clicks: row.clicks,
        spend: row.spend,
        revenue: row.revenue,
    }
}

fn history(rows: &[&Row<'static>], end: chrono::DateTime<Utc>) -> History {
    let mut history = History::default();
    for row in rows {
        let tally = Tally {
            impressions: row.impressions,
            clicks: row.clicks,
        };
        if row.time > end - TimeDelta::days(1) {
            history.recent = history.recent.plus(tally);
        } else {
            history.baseline = history.baseline.plus(tally);
        }
        history.roundness.count(row.impressions);
    }
    history.rhythm = Rhythm::new(rows.iter().filter_map(|row| Shape::of(row)));
    history
}
